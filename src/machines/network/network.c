/* SPDX-License-Identifier: Apache-2.0
 *
 * network.c: consistent values and rates of the scalar unknowns (network.h), by Newton's iteration
 * on a sparse matrix. Column j, with E = dF/dxd and Fx = dF/dx:
 *
 *   differential   E_j                         correction of xd_j
 *   algebraic      Fx_j                        correction of x_j
 *   root           sum of Fx over its group    common correction of the group's values
 *   steady nets    Fx_j + shift E_j            correction of x_j, whatever its role
 *
 * Linear networks take one iteration.
 */
#include <stdio.h>

#include "machines/network/network.h"

#define POOL(n, type, count) ((type *)hki_pool_alloc((n)->pool, (size_t)(count) * sizeof(type)))

enum { W = HK_ELEMENT_UNKNOWNS };

void hki_net_signal_slopes(hk_net *n, int32_t signal, bool only) {
  hk_kin *k = n->k;
  memset(n->gx, 0, (size_t)n->m->nx * sizeof *n->gx);
  memset(n->bar, 0, (size_t)(signal + 1) * sizeof *n->bar);
  n->bar[signal] = 1.0;
  for (int32_t s = signal; s >= 0; s--) {
    if (n->bar[s] == 0.0 || !k->sig_state[s]) continue;
    const hk_spec_signal *sp = &n->m->spec->signals[s];
    if (!only) hki_kin_signal_slopes(k, s, n->part);
    for (int32_t i = 0; i < sp->nreads; i++) {
      const hk_read *rd = &sp->reads[i];
      const double slope = only ? 1.0 : n->bar[s] * n->part[i];
      if (rd->kind == HK_READ_SIGNAL) n->bar[rd->signal] += slope;
      if (rd->kind != HK_READ_CHANNEL || k->seen_of[k->seen0[s] + i] >= 0) continue;
      const int32_t at = hki_kin_channel_value(k, rd->channel);
      if (at != HK_NONE && at < n->m->nx) n->gx[at] += slope;
    }
  }
}

/* --- kinds of unknowns ------------------------------------------------------------------------ */

/* smallest unknown of the group of i */
static int32_t first_of(const hk_net *n, int32_t i) {
  while (n->group[i] != i) i = n->group[i];
  return i;
}

/* role, group, root and unit of all unknowns. n->F, gx: row sums of E, row sums of |E|; n->loose:
 * groups whose rows of E all sum to zero. */
static void find_roles(hk_net *n) {
  const int32_t nx = n->m->nx;
  double *sum = n->F, *most = n->gx;
  uint8_t *loose = n->loose;
  for (int32_t i = 0; i < nx; i++) {
    n->group[i] = i, n->root[i] = HK_NONE, n->role[i] = HK_NET_ALGEBRAIC, loose[i] = 1;
    sum[i] = most[i] = 0.0;
  }
  for (int32_t f = 0; f < n->m->nf; f++) {
    const hk_model_force *mf = &n->m->forces[f];
    const int32_t all = mf->ops->nnode + mf->ops->nown;
    hk_element_out out;
    if (mf->net == HK_NONE) continue;
    n->eval(n->user, f, &out);
    for (int32_t i = 0; i < all; i++)
      for (int32_t j = 0; mf->x[i] < nx && j < all; j++) {
        const int32_t p = mf->x[i], q = mf->x[j];
        const double e = q < nx ? out.Fxd[W * i + j] : 0.0;
        if (e == 0.0) continue;
        sum[p] += e, most[p] += fabs(e);
        n->role[q] = HK_NET_DIFFERENTIAL;
        const int32_t a = first_of(n, p), b = first_of(n, q);
        n->group[a < b ? b : a] = a < b ? a : b;
      }
  }
  for (int32_t i = 0; i < nx; i++) {
    n->group[i] = first_of(n, i);
    if (fabs(sum[i]) > 1e-12 * most[i]) loose[n->group[i]] = 0;
  }
  // the first differential unknown of a loose group is its root
  for (int32_t i = 0; i < nx; i++) {
    const int32_t g = n->group[i];
    if (n->role[i] != HK_NET_DIFFERENTIAL || !loose[g]) continue;
    if (n->root[g] == HK_NONE) n->root[g] = i, n->role[i] = HK_NET_ROOT;
    n->root[i] = n->root[g];
  }
  for (int32_t i = 0; i < nx; i++)
    n->unit[i] = n->role[i] == HK_NET_ALGEBRAIC ? INFINITY : n->m->unknowns[i].scale;
}

/* column of the matrix that holds the rate (value) of unknown x; -1: it is not solved for */
static int32_t rate_column(const hk_net *n, int32_t x) {
  return x < n->m->nx && (n->steady || n->role[x] == HK_NET_DIFFERENTIAL) ? x : -1;
}
static int32_t value_column(const hk_net *n, int32_t x) {
  if (x >= n->m->nx) return -1;
  return n->steady || n->role[x] == HK_NET_ALGEBRAIC ? x : n->root[x];
}

/* --- structure -------------------------------------------------------------------------------- */

/* n->input: inputs of elements whose signals read scalar unknowns */
static bool find_inputs(hk_net *n) {
  const hk_model *m = n->m;
  int32_t most = 0;
  for (int32_t f = 0; f < m->nf; f++)
    most += m->forces[f].net == HK_NONE ? 0 : m->forces[f].ops->nu;
  n->input = POOL(n, hk_net_input, most + 1);
  if (!n->input) return false;
  for (int32_t f = 0; f < m->nf; f++) {
    const hk_model_force *mf = &m->forces[f];
    const hk_spec_force *sf = &m->spec->forces[mf->spec];
    for (int32_t u = 0; mf->net != HK_NONE && mf->u_state && u < mf->ops->nu; u++) {
      if (sf->u_signal[u] == HK_NONE || !n->k->sig_state[sf->u_signal[u]]) continue;
      hk_net_input *in = &n->input[n->ninput];
      *in = (hk_net_input){.force = f, .input = u, .signal = sf->u_signal[u]};
      hki_net_signal_slopes(n, in->signal, true);
      for (int32_t i = 0; i < m->nx; i++) in->nvalue += n->gx[i] != 0.0;
      if (!in->nvalue) continue;
      in->value = POOL(n, int32_t, in->nvalue);
      in->slot = POOL(n, int32_t, W * in->nvalue);
      if (!in->value || !in->slot) return false;
      for (int32_t i = 0, k = 0; i < m->nx; i++)
        if (n->gx[i] != 0.0) in->value[k++] = i;
      n->ninput++;
    }
  }
  return true;
}

/* one entry of the matrix: with p it joins the pattern, without p returns its slot (-1: none) */
static int32_t visit(hk_net *n, hk_pattern *p, int32_t row, int32_t col) {
  if (row >= n->m->nx || col < 0) return -1;
  if (!p) return hki_linsolve_entry(n->ls, row, col);
  hki_pattern_rect(p, 1, &row, 1, &col);
  return -1;
}

/* all entries of the matrix: with p for the pattern, without p for the slots */
static void visit_all(hk_net *n, hk_pattern *p) {
  for (int32_t i = 0; p && i < n->m->nx; i++) (void)visit(n, p, i, i);
  for (int32_t f = 0; f < n->m->nf; f++) {
    const hk_model_force *mf = &n->m->forces[f];
    const int32_t all = mf->ops->nnode + mf->ops->nown;
    if (mf->net == HK_NONE) continue;
    int32_t *slot = n->slot + 2 * W * W * mf->net;
    for (int32_t i = 0; i < all; i++)
      for (int32_t j = 0; j < all; j++) {
        slot[W * i + j] = visit(n, p, mf->x[i], rate_column(n, mf->x[j]));
        slot[W * W + W * i + j] = visit(n, p, mf->x[i], value_column(n, mf->x[j]));
      }
  }
  for (int32_t k = 0; k < n->ninput; k++) {
    const hk_net_input *in = &n->input[k];
    const hk_model_force *mf = &n->m->forces[in->force];
    for (int32_t i = 0; i < mf->ops->nnode + mf->ops->nown; i++)
      for (int32_t j = 0; j < in->nvalue; j++)
        in->slot[in->nvalue * i + j] = visit(n, p, mf->x[i], value_column(n, in->value[j]));
    // a value that may become one that is solved for
    for (int32_t i = 0; p && n->varies && i < mf->ops->nnode + mf->ops->nown; i++)
      for (int32_t j = 0; j < in->nvalue; j++) (void)visit(n, p, mf->x[i], in->value[j]);
  }
}

static hk_status make_solver(hk_net *n) {
  const hk_linsolve_options o = {.symmetric = false};
  hk_pattern p;
  hki_pattern_init(&p, n->ctx, n->m->nx);
  visit_all(n, &p);
  hk_status st = hki_linsolve_create(n->ctx, &p, &o, &n->ls);
  hki_pattern_free(&p);
  if (st == HK_OK) visit_all(n, NULL);
  return st;
}

/* --- numbers ---------------------------------------------------------------------------------- */

/* adds v to an entry of the scaled row */
static void add(hk_net *n, int32_t slot, int32_t row, double v) {
  if (slot >= 0) n->ls->val[slot] += v / n->size[row];
}

/* F alone, with the matrix, or with n->size in its place: row sums of the entries' absolute values */
typedef enum net_what { NET_FLOWS, NET_MATRIX, NET_SIZES } net_what;

/* F at the present state, and what is asked for with it */
static void evaluate(hk_net *n, net_what what) {
  const int32_t nx = n->m->nx;
  const bool sizes = what == NET_SIZES;
  memset(n->F, 0, (size_t)nx * sizeof *n->F);
  if (what == NET_MATRIX) hki_linsolve_zero(n->ls);
  if (n->m->spec->nsignals) hki_kin_signals(n->k, false);
  for (int32_t f = 0, k = 0; f < n->m->nf; f++) {
    const hk_model_force *mf = &n->m->forces[f];
    const int32_t all = mf->ops->nnode + mf->ops->nown;
    hk_element_out out;
    if (mf->net == HK_NONE) continue;
    const int32_t *slot = n->slot + 2 * W * W * mf->net;
    n->eval(n->user, f, &out);
    for (int32_t i = 0; i < all; i++) {
      const int32_t row = mf->x[i];
      if (row >= nx) continue;
      n->F[row] += out.F[i];
      for (int32_t j = 0; what != NET_FLOWS && j < all; j++) {
        const double e = out.Fxd[W * i + j], v = out.Fx[W * i + j];
        if (sizes && slot[W * i + j] >= 0) n->size[row] += fabs(e);
        if (sizes && slot[W * W + W * i + j] >= 0) n->size[row] += fabs(v);
        if (sizes) continue;
        add(n, slot[W * i + j], row, n->steady ? n->shift * e : e);
        add(n, slot[W * W + W * i + j], row, v);
      }
    }
    // inputs that read scalar unknowns
    for (; k < n->ninput && n->input[k].force == f; k++) {
      const hk_net_input *in = &n->input[k];
      if (what != NET_MATRIX) continue;
      hki_net_signal_slopes(n, in->signal, false);
      for (int32_t i = 0; i < all; i++)
        for (int32_t j = 0; j < in->nvalue; j++)
          if (mf->x[i] < nx)
            add(n, in->slot[in->nvalue * i + j], mf->x[i],
                out.Fu[W * in->input + i] * n->gx[in->value[j]]);
    }
  }
}

/* subtracts the correction in n->F from values and rates; returns the largest one, each divided by
 * |value| (|rate|) + scale of its unknown */
static double correct(hk_net *n) {
  double most = 0.0;
  hk_kin *k = n->k;
  for (int32_t j = 0; j < n->m->nx; j++) {
    const int32_t from = value_column(n, j);
    if (n->role[j] == HK_NET_DIFFERENTIAL && !n->steady) {
      k->xd[j] -= n->F[j];
      most = fmax(most, fabs(n->F[j]) / (fabs(k->xd[j]) + n->m->unknowns[j].scale));
    }
    if (!isfinite(n->F[j])) return NAN;
    if (from < 0) continue;
    k->x[j] -= n->F[from];
    most = fmax(most, fabs(n->F[from]) / (fabs(k->x[j]) + n->m->unknowns[j].scale));
  }
  return most;
}

/* divisors of the equations */
static void find_sizes(hk_net *n) {
  for (int32_t i = 0; i < n->m->nx; i++) n->size[i] = 0.0;
  evaluate(n, NET_SIZES);
  for (int32_t i = 0; i < n->m->nx; i++)
    if (!(n->size[i] > 0.0) || !isfinite(n->size[i])) n->size[i] = 1.0;
}

/* roles at the present state, and the places in the matrix that change with them */
static void renew_roles(hk_net *n) {
  const size_t bytes = (size_t)n->m->nx;
  memcpy(n->role_was, n->role, bytes);
  if (n->m->spec->nsignals) hki_kin_signals(n->k, false);
  find_roles(n);
  if (memcmp(n->role_was, n->role, bytes) == 0) return;
  visit_all(n, NULL);
  find_sizes(n);
}

hk_status hki_net_solve(hk_net *n) {
  if (n->varies) renew_roles(n);
  for (int32_t j = 0; j < n->m->nx; j++)
    if (n->role[j] != HK_NET_DIFFERENTIAL) n->k->xd[j] = 0.0;
  return hki_net_newton(n);
}

hk_status hki_net_newton(hk_net *n) {
  const int32_t nx = n->m->nx;
  // what Newton's correction of 1e-8 leaves is its square
  const double enough = n->steady ? 1e-14 : 1e-8, near = 1e-2;
  double before = INFINITY;
  for (int pass = 0; pass < 50; pass++) {
    for (int32_t j = 0; n->steady && j < nx; j++) n->k->xd[j] = n->shift * (n->k->x[j] - n->old[j]);
    // near the solution the last factors serve again: they leave their part of a small correction
    const bool anew = n->steady || !(before < near);
    evaluate(n, anew ? NET_MATRIX : NET_FLOWS);
    if (anew) {
      hk_status st = hki_linsolve_refactor(n->ls);
      n->bad = n->ls->bad;
      if (st != HK_OK) return st;
    }
    for (int32_t j = 0; j < nx; j++) n->F[j] /= n->size[j];
    hki_linsolve_solve(n->ls, n->F);
    const double size = correct(n);
    if (!isfinite(size)) return HK_E_NUMBER;
    if (size <= enough || (size < 1e-9 && size >= 0.5 * before)) {
      if (n->m->spec->nsignals) hki_kin_signals(n->k, false);
      return HK_OK;
    }
    before = size;
  }
  return HK_E_NUMBER;
}

hk_status hki_net_create(hk_net *n, hk_ctx *ctx, hk_pool *pool, hk_kin *k, hk_net_eval eval,
                         void *user, bool steady) {
  const hk_model *m = k->m;
  int32_t reads = 1;
  for (int32_t i = 0; i < m->spec->nsignals; i++)
    if (m->spec->signals[i].nreads > reads) reads = m->spec->signals[i].nreads;
  *n = (hk_net){.ctx = ctx,
                .pool = pool,
                .m = m,
                .k = k,
                .eval = eval,
                .user = user,
                .steady = steady,
                .bad = HK_NONE};
  n->role = POOL(n, uint8_t, m->nx + 1);
  n->unit = POOL(n, double, m->nx + 1);
  n->group = POOL(n, int32_t, m->nx + 1);
  n->root = POOL(n, int32_t, m->nx + 1);
  n->F = POOL(n, double, m->nx + 1);
  n->size = POOL(n, double, m->nx + 1);
  n->slot = POOL(n, int32_t, 2 * W * W * m->nnet + 1);
  n->bar = POOL(n, double, m->spec->nsignals + 1);
  n->part = POOL(n, double, reads);
  n->gx = POOL(n, double, m->nx + 1);
  n->old = POOL(n, double, m->nx + 1);
  n->role_was = POOL(n, uint8_t, m->nx + 1);
  n->loose = POOL(n, uint8_t, m->nx + 1);
  if (!n->role || !n->unit || !n->group || !n->root || !n->F || !n->size || !n->slot || !n->bar ||
      !n->part || !n->gx || !n->old || !n->role_was || !n->loose)
    return HK_E_MEMORY;
  if (m->spec->nsignals) hki_kin_signals(k, false);
  for (int32_t f = 0; f < m->nf; f++)
    n->varies |= (m->forces[f].u_varies & m->forces[f].ops->rate_inputs) != 0;
  find_roles(n);
  if (!find_inputs(n)) return HK_E_MEMORY;
  hk_status st = make_solver(n);
  if (st != HK_OK) return st;
  find_sizes(n);
  return HK_OK;
}

void hki_net_undetermined(const hk_model *m, int32_t unknown, char *buf, size_t cap) {
  char name[160] = "";
  hki_model_unknown_name(m, unknown, name, sizeof name);
  snprintf(buf, cap,
           "nothing determines the %s: no element ties it to the reference, or elements that store "
           "(capacitors, inductors) hold it without a resistance",
           name);
}

void hki_net_destroy(hk_net *n) { hki_linsolve_destroy(n->ls); }

/* SPDX-License-Identifier: Apache-2.0
 *
 * net.c: consistent values and rates of the scalar unknowns, see net.h. Newton's iteration
 * on a dense matrix whose column j is E_j (differential), Fx_j (algebraic) or the sum of Fx over
 * the group (root). Linear networks take one iteration.
 */
#include "formulations/network/net.h"
#include "linalg/dense.h"

void hki_net_layout(hk_net *n, const hk_model *m, hk_arena *a) {
  int32_t reads = 1;
  for (int32_t i = 0; i < m->spec->nsignals; i++)
    if (m->spec->signals[i].nreads > reads) reads = m->spec->signals[i].nreads;
  n->m = m;
  n->ld = hki_dense_ld(m->nx);
  n->role = HK_TAKE(a, uint8_t, m->nx);
  n->group = HK_TAKE(a, int32_t, m->nx);
  n->F = HK_TAKE(a, double, m->nx);
  n->Fx = HK_TAKE(a, double, n->ld * m->nx);
  n->E = HK_TAKE(a, double, n->ld * m->nx);
  n->J = HK_TAKE(a, double, n->ld * m->nx);
  n->inv = HK_TAKE(a, double, m->nx);
  n->work = HK_TAKE(a, double, hki_dense_work(m->nx));
  n->pivot = HK_TAKE(a, int32_t, m->nx);
  n->bar = HK_TAKE(a, double, m->spec->nsignals);
  n->part = HK_TAKE(a, double, reads);
  n->gx = HK_TAKE(a, double, m->nx);
}

void hki_net_signal_slopes(hk_kin *k, int32_t signal, double *bar, double *part, double *gx) {
  memset(gx, 0, (size_t)k->m->nx * sizeof *gx);
  memset(bar, 0, (size_t)(signal + 1) * sizeof *bar);
  bar[signal] = 1.0;
  for (int32_t s = signal; s >= 0; s--) {
    if (bar[s] == 0.0 || !k->sig_state[s]) continue;
    const hk_spec_signal *sp = &k->m->spec->signals[s];
    hki_kin_signal_slopes(k, s, part);
    for (int32_t i = 0; i < sp->nreads; i++) {
      const hk_read *rd = &sp->reads[i];
      const double slope = bar[s] * part[i];
      if (rd->kind == HK_READ_SIGNAL) bar[rd->signal] += slope;
      if (rd->kind != HK_READ_CHANNEL || k->seen_of[k->seen0[s] + i] >= 0) continue;
      const int32_t at = hki_kin_channel_value(k, rd->channel);
      if (at != HK_NONE && at < k->m->nx) gx[at] += slope;
    }
  }
}

/* F, Fx, E of one element into those of all; columns beyond the unknowns are given values */
static void add_element(hk_net *n, int32_t fi, const hk_element_out *out) {
  const hk_model_force *f = &n->m->forces[fi];
  const int32_t all = f->ops->nnode + f->ops->nown, nx = n->m->nx;
  for (int32_t i = 0; i < all; i++) {
    if (f->x[i] >= nx) continue;
    n->F[f->x[i]] += out->F[i];
    for (int32_t j = 0; j < all; j++) {
      if (f->x[j] >= nx) continue;
      n->Fx[f->x[i] + n->ld * f->x[j]] += out->Fx[HK_ELEMENT_UNKNOWNS * i + j];
      n->E[f->x[i] + n->ld * f->x[j]] += out->Fxd[HK_ELEMENT_UNKNOWNS * i + j];
    }
  }
  // inputs that read scalar unknowns
  const hk_spec_force *sf = &n->m->spec->forces[f->spec];
  for (int32_t u = 0; f->u_state && u < f->ops->nu; u++) {
    if (sf->u_signal[u] == HK_NONE || !n->k->sig_state[sf->u_signal[u]]) continue;
    hki_net_signal_slopes(n->k, sf->u_signal[u], n->bar, n->part, n->gx);
    for (int32_t i = 0; i < all; i++)
      for (int32_t j = 0; f->x[i] < nx && j < nx; j++)
        n->Fx[f->x[i] + n->ld * j] += out->Fu[HK_ELEMENT_UNKNOWNS * u + i] * n->gx[j];
  }
}

static void evaluate(hk_net *n) {
  const size_t square = (size_t)(n->ld * n->m->nx) * sizeof(double);
  memset(n->F, 0, (size_t)n->m->nx * sizeof *n->F);
  memset(n->Fx, 0, square);
  memset(n->E, 0, square);
  if (n->m->spec->nsignals) hki_kin_signals(n->k, false);
  for (int32_t f = 0; f < n->m->nf; f++) {
    hk_element_out out;
    if (n->m->forces[f].net == HK_NONE) continue;
    n->eval(n->user, f, &out);
    add_element(n, f, &out);
  }
}

/* unknowns that E couples get the number of the first of them */
static void find_groups(hk_net *n) {
  const int32_t nx = n->m->nx;
  bool changed = true;
  for (int32_t i = 0; i < nx; i++) n->group[i] = i;
  while (changed) {
    changed = false;
    for (int32_t i = 0; i < nx; i++)
      for (int32_t j = 0; j < nx; j++) {
        if (n->E[i + n->ld * j] == 0.0 || n->group[i] == n->group[j]) continue;
        n->group[i] = n->group[j] = n->group[i] < n->group[j] ? n->group[i] : n->group[j];
        changed = true;
      }
  }
}

/* does E leave the common value of a group alone? */
static bool is_loose(const hk_net *n, int32_t group) {
  for (int32_t i = 0; i < n->m->nx; i++) {
    double sum = 0.0, size = 0.0;
    for (int32_t j = 0; j < n->m->nx; j++) {
      if (n->group[j] != group) continue;
      sum += n->E[i + n->ld * j];
      size += fabs(n->E[i + n->ld * j]);
    }
    if (fabs(sum) > 1e-12 * size) return false;
  }
  return true;
}

void hki_net_init(hk_net *n, hk_kin *k, hk_net_eval eval, void *user) {
  n->k = k, n->eval = eval, n->user = user, n->bad = -1;
  if (!n->m->nx) return;
  evaluate(n);
  find_groups(n);
  for (int32_t j = 0; j < n->m->nx; j++) {
    bool zero = true;
    for (int32_t i = 0; i < n->m->nx; i++) zero &= n->E[i + n->ld * j] == 0.0;
    n->role[j] = zero                                           ? HK_NET_ALGEBRAIC
                 : n->group[j] == j && is_loose(n, n->group[j]) ? HK_NET_ROOT
                                                                : HK_NET_DIFFERENTIAL;
  }
}

/* the matrix, its rows scaled to their largest entry, and the right side */
static void make_system(hk_net *n) {
  const int32_t nx = n->m->nx, ld = n->ld;
  memset(n->J, 0, (size_t)(ld * nx) * sizeof *n->J);
  for (int32_t j = 0; j < nx; j++)
    for (int32_t i = 0; i < nx; i++) {
      const double value = n->role[j] == HK_NET_DIFFERENTIAL ? n->E[i + ld * j] : n->Fx[i + ld * j];
      if (n->role[j] != HK_NET_ROOT) n->J[i + ld * j] += value;
      // values of a group move with its root
      if (n->role[j] == HK_NET_ROOT)
        for (int32_t l = 0; l < nx; l++)
          if (n->group[l] == n->group[j]) n->J[i + ld * j] += n->Fx[i + ld * l];
    }
  for (int32_t i = 0; i < nx; i++) {
    double most = 0.0;
    for (int32_t j = 0; j < nx; j++) most = fmax(most, fabs(n->J[i + ld * j]));
    if (!(most > 0.0)) continue;
    for (int32_t j = 0; j < nx; j++) n->J[i + ld * j] /= most;
    n->F[i] /= most;
  }
}

/* take the correction -F; its size, with values against their scales and rates against themselves
 */
static double correct(hk_net *n) {
  double most = 0.0;
  hk_kin *k = n->k;
  for (int32_t j = 0; j < n->m->nx; j++) {
    const double d = -n->F[j];
    if (n->role[j] == HK_NET_DIFFERENTIAL) {
      k->xd[j] += d;
      most = fmax(most, fabs(d) / (fabs(k->xd[j]) + n->m->unknowns[j].scale));
      continue;
    }
    for (int32_t l = 0; l < n->m->nx; l++)
      if (l == j || (n->role[j] == HK_NET_ROOT && n->group[l] == n->group[j])) k->x[l] += d;
    most = fmax(most, fabs(d) / (fabs(k->x[j]) + n->m->unknowns[j].scale));
    if (!isfinite(d)) return NAN;
  }
  return most;
}

hk_status hki_net_solve(hk_net *n) {
  const int32_t nx = n->m->nx;
  double before = INFINITY;
  if (!nx) return HK_OK;
  for (int32_t j = 0; j < nx; j++)
    if (n->role[j] != HK_NET_DIFFERENTIAL) n->k->xd[j] = 0.0;
  for (int pass = 0; pass < 50; pass++) {
    evaluate(n);
    make_system(n);
    hk_status st = hki_dense_lu_factor(nx, n->J, n->ld, n->pivot, n->inv, n->work, &n->bad);
    if (st != HK_OK) return st;
    hki_dense_lu_solve(nx, n->J, n->ld, n->pivot, n->inv, n->F, n->work);
    const double size = correct(n);
    if (!isfinite(size)) return HK_E_NUMBER;
    if (size <= 1e-14 || (size < 1e-9 && size >= 0.5 * before)) break;
    before = size;
    if (pass == 49) return HK_E_NUMBER;
  }
  if (n->m->spec->nsignals) hki_kin_signals(n->k, false);
  return HK_OK;
}

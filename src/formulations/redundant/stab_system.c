/* SPDX-License-Identifier: Apache-2.0
 *
 * stab_system.c: Newton's matrix of stages with velocities of their own (stab.h).
 *
 * Unknowns: x, variations of the poses in world axes; u, s, changes of v and a in body axes, turned
 * to world axes; multipliers:
 *
 *   dv   = cv u                   da   = ca s                    s = u where a is no unknown
 *   dlam = ca mass lam'           dmu  = cv mu'                  deta = ca eta'
 *
 * Derivatives of the equations of stab.h, kin and vel divided by cv, rate and acc by ca, dyn by
 * ca mass:
 *
 *   kin    N x - u + P G' mu' + (P H(mu) + [z]) x/cv             z = P G' mu
 *   rate   u - s + P G' eta' + (P H(eta) + [y]) x/ca             y = P G' eta
 *   dyn    (K x/ca + (cv/ca) C u + M s)/mass + B' lam'           B: G, but for servos
 *   pos    G x
 *   vel    (d(G v)/dx + turning) x/cv + G u
 *   acc    (d(G a + gamma)/dx + turning) x/ca + (cv/ca) (dgamma/dV) u + G s
 *
 * H(mu) = d(G' mu)/dx. Turning: rates that are fixed in the body turn with its rotation th, which
 * adds G (th x w) and the like.
 *
 * put_all puts all entries in a fixed order: once to make the pattern, once to look up their
 * places, then with numbers. Least squares have the augmented matrix of stab_lsq.c: each entry
 * comes twice.
 */
#include <stdlib.h>

#include "formulations/redundant/stab.h"

#define TAKE(s, type, n) ((type *)hki_pool_alloc((s)->r->c->pool, (size_t)((n) + 1) * sizeof(type)))

/* --- entries ---------------------------------------------------------------------------------- */

/* entry v of equation i by unknown j */
static inline void put(hk_redundant_stab *s, int32_t i, int32_t j, double v) {
  const int32_t col = s->shift + j;
  if (s->gather) {
    hki_pattern_entry(s->gather, i, col);
    if (s->shift) hki_pattern_entry(s->gather, col, i);
    s->nput++;
  } else if (s->numbering) {
    s->slot[s->put++] = hki_linsolve_entry(s->ls, i, col);
    if (s->shift) s->slot[s->put++] = hki_linsolve_entry(s->ls, col, i);
  } else {
    v *= s->weight[i];
    s->ls->val[s->slot[s->put++]] += v;
    if (s->shift) s->ls->val[s->slot[s->put++]] += v;
  }
}

/* kin and rate, but for the terms with G */
static void put_kinematics(hk_redundant_stab *s) {
  const hk_bodies *c = s->r->c;
  const double kv = 1.0 / s->st.cv, ka = 1.0 / s->st.ca;
  for (int32_t b = 0; b < c->m->nb; b++) {
    const double *N = s->N + 9 * b;
    const int32_t v0 = c->v0[b];
    double Z[9] = {0}, Y[9] = {0};
    if (hki_bodies_turns(c, b)) m3_skew(Z, s->z + v0), m3_skew(Y, s->y + v0);
    for (int32_t i = c->lack[b]; i < c->nd; i++) {
      const int32_t at = v0 + i;
      if (c->planar || i > 2) {
        put(s, s->at.kin + at, s->to.x + at, 1.0);
      } else {
        for (int j = 0; j < 3; j++) {
          put(s, s->at.kin + at, s->to.x + v0 + j, N[3 * i + j] + kv * Z[3 * i + j]);
          if (s->form.eta) put(s, s->at.rate + at, s->to.x + v0 + j, ka * Y[3 * i + j]);
        }
      }
      put(s, s->at.kin + at, s->to.u + at, -1.0);
      if (!s->form.eta) continue;
      put(s, s->at.rate + at, s->to.u + at, 1.0);
      put(s, s->at.rate + at, s->to.a + at, -1.0);
    }
  }
}

/* K, C, M, H, H2 of the formulation's own matrix */
static void put_pairs(hk_redundant_stab *s) {
  const double kv = 1.0 / s->st.cv, ka = 1.0 / s->st.ca;
  for (int32_t k = 0; k < s->npair; k++) {
    const int32_t i = s->pair[3 * k], j = s->pair[3 * k + 1], at = s->pair[3 * k + 2];
    put(s, s->at.dyn + i, s->to.x + j, s->K[at]);
    put(s, s->at.dyn + i, s->to.u + j, s->C[at]);
    if (s->form.mu) put(s, s->at.kin + i, s->to.x + j, kv * s->P[i] * s->H[at]);
    if (!s->form.eta) continue;
    put(s, s->at.dyn + i, s->to.a + j, s->M[at]);
    put(s, s->at.rate + i, s->to.x + j, ka * s->P[i] * s->H2[at]);
  }
}

/* entries of row q of a set and its body k; on: 1, or 0 where the row is not imposed */
static void put_row(hk_redundant_stab *s, const hk_bodies_set *set, int32_t q, int k, double on) {
  const int32_t body = set->body[k];
  const hk_bodies *c = s->r->c;
  const double kv = 1.0 / s->st.cv, ka = 1.0 / s->st.ca;
  const int32_t line = hki_bodies_line(set, q);
  const hk_bodies_curve *curve = &s->r->curve[line];
  const double *g = c->G + (2 * line + k) * c->nd, *w = c->it.frame[body].w;
  const double *b = c->B + (2 * line + k) * c->nd;
  const double *vp = curve->vel_pose + k * c->nd, *ap = curve->acc_pose + k * c->nd;
  const double *tw = curve->acc_twist + k * c->nd;
  double wg[3] = {0}, wt[3] = {0}, ag[3] = {0}, al[3];
  if (hki_bodies_turns(c, body)) {
    m3_mulv(al, c->it.frame[body].R, s->A + c->v0[body]);
    v3_cross(wg, w, g);
    v3_cross(wt, w, tw);
    v3_cross(ag, al, g);
  }
  for (int32_t i = c->lack[body]; i < c->nd; i++) {
    const int32_t j = c->v0[body] + i, t = c->planar || i > 2 ? -1 : i;
    put(s, s->at.pos + q, s->to.x + j, hki_redundant_stab_line(set, q, 0) ? on * g[i] : 0.0);
    put(s, s->at.vel + q, s->to.x + j, on * kv * (vp[i] + (t < 0 ? 0.0 : wg[t])));
    put(s, s->at.vel + q, s->to.u + j, on * g[i]);
    put(s, s->at.dyn + j, s->to.lam + q, on * b[i]);
    if (s->form.mu) put(s, s->at.kin + j, s->to.mu + q, s->P[j] * g[i]);
    if (s->form.eta) put(s, s->at.rate + j, s->to.eta + q, s->P[j] * g[i]);
    if (!s->form.acc) continue;
    put(s, s->at.acc + q, s->to.x + j, on * ka * (ap[i] + (t < 0 ? 0.0 : wt[t] + ag[t])));
    put(s, s->at.acc + q, s->to.u + j, on * s->st.cv * ka * tw[i]);
    put(s, s->at.acc + q, (s->form.eta ? s->to.a : s->to.u) + j, on * g[i]);
  }
}

static void put_rows(hk_redundant_stab *s) {
  const hk_bodies *c = s->r->c;
  const int32_t rows[3] = {s->at.pos, s->at.vel, s->at.acc};
  const int32_t mult[4] = {-1, s->to.lam, s->to.mu, s->to.eta};
  for (int32_t i = 0; i < c->nset; i++) {
    const hk_bodies_set *set = &c->set[i];
    for (int32_t q = set->row0; q < set->row0 + set->nrows; q++) {
      const bool on = hki_redundant_stab_on(s, set, q);
      for (int k = 0; k < 2; k++)
        if (set->body[k] != HK_GROUND) put_row(s, set, q, k, on ? 1.0 : 0.0);
      // rows not imposed hold their multiplier at zero; -eps shares changes among dependent rows
      for (int k = 0; k < 3; k++)
        if (s->form.of[k] && !set->part)
          put(s, rows[k] + q, mult[s->form.of[k]] + q,
              on && hki_redundant_stab_line(set, q, k) ? -s->r->eps
              : on && s->form.least                    ? 0.0
                                                       : 1.0);
    }
  }
}

static void put_all(hk_redundant_stab *s) {
  s->put = 0;
  put_kinematics(s);
  put_pairs(s);
  put_rows(s);
}

/* --- structure -------------------------------------------------------------------------------- */

static int compare_pairs(const void *a, const void *b) {
  const int32_t *x = a, *y = b;
  return x[0] != y[0] ? (x[0] < y[0] ? -1 : 1) : x[1] != y[1] ? (x[1] < y[1] ? -1 : 1) : 0;
}

/* s->pair: distinct entries between bodies in the formulation's own pattern */
static hk_status find_pairs(hk_redundant_stab *s) {
  const int32_t n = s->r->c->n;
  hk_pattern p;
  size_t count = 0;
  hki_pattern_init(&p, s->r->ctx, n + s->r->c->nrows);
  hki_redundant_pattern(s->r, &p);
  for (int32_t b = 0; b < p.nblock; b++) count += (size_t)p.block[b].nrow * (size_t)p.block[b].ncol;
  int32_t *all = count < INT32_MAX / 3 ? TAKE(s, int32_t, 3 * count) : NULL;
  hk_status st = p.status != HK_OK ? p.status : all ? HK_OK : HK_E_MEMORY;
  count = 0;
  for (int32_t b = 0; st == HK_OK && b < p.nblock; b++)
    for (int32_t i = 0; i < p.block[b].nrow; i++)
      for (int32_t j = 0; j < p.block[b].ncol; j++) {
        int32_t *to = all + 3 * count;
        to[0] = p.index[p.block[b].row + i], to[1] = p.index[p.block[b].col + j];
        if (to[0] < n && to[1] < n) count++;
      }
  hki_pattern_free(&p);
  if (st != HK_OK) return st;
  qsort(all, count, 3 * sizeof *all, compare_pairs);
  for (size_t k = 0; k < count; k++) {
    int32_t *to = all + 3 * s->npair;
    if (s->npair && !compare_pairs(all + 3 * k, to - 3)) continue;
    to[0] = all[3 * k], to[1] = all[3 * k + 1];
    to[2] = hki_linsolve_entry(s->r->ls, to[0], to[1]);
    s->npair++;
  }
  s->pair = all;
  return HK_OK;
}

/* s->at, s->to: first rows of the equations, first columns of the unknowns */
static void number(hk_redundant_stab *s) {
  const int32_t n = s->r->c->n, m = s->r->c->nrows;
  int32_t row = 2 * n, col = 2 * n;
  s->at.kin = 0, s->at.dyn = n, s->to.x = 0, s->to.u = n;
  s->at.rate = s->at.acc = s->to.a = s->to.mu = s->to.eta = -1;
  if (s->form.eta) s->at.rate = row, row += n, s->to.a = col, col += n;
  s->at.pos = row, row += m, s->at.vel = row, row += m;
  if (s->form.acc) s->at.acc = row, row += m;
  s->to.lam = col, col += m;
  if (s->form.mu) s->to.mu = col, col += m;
  if (s->form.eta) s->to.eta = col, col += m;
  s->nrow = row, s->ncol = col;
  s->shift = s->form.least ? row : 0;
}

static hk_status make_solver(hk_redundant_stab *s) {
  const hk_linsolve_options o = {.symmetric = false, .method = s->r->method};
  hk_pattern p;
  hki_pattern_init(&p, s->r->ctx, s->form.least ? s->nrow + s->ncol : s->nrow);
  s->gather = &p;
  put_all(s);
  s->gather = NULL;
  hk_status st = hki_linsolve_create(s->r->ctx, &p, &o, &s->ls);
  hki_pattern_free(&p);
  if (st != HK_OK) return st;
  s->slot = TAKE(s, int32_t, 2 * s->nput);
  if (!s->slot) return HK_E_MEMORY;
  s->unit = TAKE(s, int32_t, s->shift);
  if (!s->unit) return HK_E_MEMORY;
  for (int32_t i = 0; i < s->shift; i++) s->unit[i] = hki_linsolve_entry(s->ls, i, i);
  s->numbering = true;
  put_all(s);
  s->numbering = false;
  return HK_OK;
}

static bool take_memory(hk_redundant_stab *s) {
  const hk_bodies *c = s->r->c;
  const int32_t n = c->n, m = c->nrows, nv = s->r->ls->nval;
  double **at[] = {&s->K,   &s->C, &s->M, &s->H, &s->H2, &s->V, &s->A,      &s->mu,
                   &s->eta, &s->z, &s->y, &s->P, &s->N,  &s->e, &s->weight, &s->x};
  const int32_t size[] = {nv, nv, nv, nv, nv,           n,       n,       m,
                          m,  n,  n,  n,  9 * c->m->nb, s->nrow, s->nrow, s->nrow + s->ncol};
  for (int i = 0; i < HK_ARRAY_LEN(at); i++)
    if (!(*at[i] = TAKE(s, double, size[i]))) return false;
  for (int32_t i = 0; i < n; i++) s->P[i] = c->scale[i] * c->scale[i];
  for (int32_t i = 0; i < s->nrow; i++) s->weight[i] = 1.0;
  return true;
}

hk_status hki_redundant_stab_create(hk_redundant *r, const hk_redundant_form *form,
                                    hk_redundant_stab **out) {
  const hk_bodies *c = r->c;
  hk_redundant_stab *s = hki_pool_alloc(c->pool, sizeof *s);
  *out = s;
  if (!s) return HK_E_MEMORY;
  s->r = r;
  s->form = *form;
  s->st = (hk_stage){.cv = 1.0, .ca = 1.0};
  if (!form->of[0]) return HK_OK;
  number(s);
  if (!take_memory(s)) return HK_E_MEMORY;
  hk_status st = find_pairs(s);
  return st == HK_OK ? make_solver(s) : st;
}

void hki_redundant_stab_destroy(hk_redundant_stab *s) {
  if (s) hki_linsolve_destroy(s->ls);
}

/* --- numbers ---------------------------------------------------------------------------------- */

/* s->K, C, M, H, H2: assembled by the formulation's functions into these arrays instead of r->ls */
static void own_slopes(hk_redundant_stab *s) {
  hk_redundant *r = s->r;
  hk_linsolve *own = r->ls, shell = *own;
  const double k = 1.0 / (s->st.ca * r->mass);
  r->ls = &shell;
  shell.val = s->K;
  hki_redundant_stiffness(r);
  for (int32_t i = 0; i < own->nval; i++) s->K[i] *= k;
  shell.val = s->C;
  hki_redundant_rates(r, s->form.eta ? 0.0 : 1.0 / r->mass, k * s->st.cv);
  if (s->form.eta) {
    shell.val = s->M;
    hki_redundant_rates(r, 1.0 / r->mass, 0.0);
    shell.val = s->H2;
    hki_redundant_curvature(r, s->eta);
  }
  if (s->form.mu) {
    shell.val = s->H;
    hki_redundant_curvature(r, s->mu);
  }
  r->ls = own;
}

/* the singular row `bad` of this matrix as a row of r->ls, for the message; -1: none */
static int32_t own_index(const hk_redundant_stab *s, int32_t bad) {
  const int32_t n = s->r->c->n, m = s->r->c->nrows;
  if (bad < 0) return -1;
  if (bad >= s->shift) bad -= s->shift;
  if (bad < s->to.lam) return bad % n;
  return m ? n + (bad - s->to.lam) % m : -1;
}

/* the matrix at the present iterate, factored */
static hk_status refactor(hk_redundant_stab *s) {
  hki_linsolve_zero(s->ls);
  put_all(s);
  for (int32_t i = 0; i < s->shift; i++) s->ls->val[s->unit[i]] = 1.0;
  return hki_linsolve_refactor(s->ls);
}

hk_status hki_redundant_stab_factor(hk_formulation *f) {
  hk_redundant_stab *s = hki_redundant_of(f)->stab;
  hki_bodies_curvatures(s->r->c, s->A, s->r->curve);
  own_slopes(s);
  hk_status st = refactor(s);
  if (st == HK_E_SINGULAR && s->r->servo && s->r->eps == 0.0 && s->st.ca > 1e13) {
    // forces that act through the motion they cause have no effect within 1e-7 s: they stay
    s->r->eps = 1e-9;
    st = refactor(s);
    s->r->eps = 0.0;
  }
  if (st == HK_OK || st == HK_E_MEMORY) return st;
  s->r->ls->bad = own_index(s, s->ls->bad);
  hki_redundant_singular(f, st);
  return HK_RETRY;
}

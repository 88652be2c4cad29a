/* SPDX-License-Identifier: Apache-2.0
 *
 * system.c: one correction of a stage in its parts, and the stage as one system for iterations that
 * keep factors over steps, search along a correction or solve for it by products (stage/krylov.c).
 *
 *   F = (r/ca, phi)                                        the lines of redundant.h
 *   unknowns (x, mu): variations of the bodies, multipliers over ca and mass
 *
 * Products with dF are differences of F along (x, mu). The factors may be those of an earlier stage; a
 * checkpoint holds the values that they were made from.
 */
#include "formulations/redundant/redundant.h"
#include "geometry/chart.h"

void hki_redundant_rest(hk_redundant *r, const hk_stage *st, double *x) {
  const hk_bodies *c = r->c;
  const double k = 1.0 / st->ca;
  for (int32_t i = 0; i < c->nb; i++) x[i] = -k * r->r[i] / r->mass;
  for (int32_t i = 0; i < c->nx; i++) x[c->nb + i] = -k * r->r[c->nb + i] * r->xscale[i];
  if (st->level != HK_LEVEL_ACC) {
    for (int32_t i = 0; i < c->nrows; i++) x[c->n + i] = -c->phi[i];
    return;
  }
  memcpy(r->y, c->a, (size_t)c->n * sizeof *r->y);
  hki_bodies_to_world(c, r->y);
  hki_bodies_mul(c, r->y, r->row);
  for (int32_t i = 0; i < c->nrows; i++)
    x[c->n + i] = r->leaves && r->out[i] != 0.0 ? 0.0 : -k * (r->row[i] + c->gamma[i]);
}

void hki_redundant_measure(const hk_redundant *r, const hk_stage *st, const double *x,
                           hk_norms *norm) {
  const hk_bodies *c = r->c;
  norm->step = 0.0;
  norm->keep_factor = true;
  // eps mu: opening that the regularisation leaves; the correction closes the rest to first order
  norm->constraint = 0.0;
  for (int32_t i = 0; i < c->nrows; i++)
    norm->constraint = fmax(norm->constraint, r->eps * fabs(x[c->n + i]) / c->m->length);
  for (int32_t i = 0; i < c->nb; i++) {
    double e = fabs(x[i]) / c->scale[i];
    if (!(e <= norm->step)) norm->step = e;
  }
  // scalar unknowns: the change of their values, cv x
  for (int32_t i = c->nb; i < c->n; i++) {
    double e = fabs(st->cv * x[i]) / fmax(c->scale[i], fabs(c->v[i]));
    if (!(e <= norm->step)) norm->step = e;
  }
}

void hki_redundant_move(hk_redundant *r, const hk_stage *st, double *D, double *x, double s) {
  const hk_bodies *c = r->c;
  for (int32_t i = 0; i < c->nrows; i++) r->lam[i] += s * (st->ca * r->mass * x[c->n + i]);
  // x is a rotation at the present pose; D counts from q0
  hki_bodies_to_body(c, x);
  for (int32_t b = 0; !c->planar && b < c->m->nb; b++) {
    const int32_t at = c->v0[b];
    if (c->lack[b]) continue;
    if (st->nodes)
      hki_redundant_nodes_pull(r, D + at, x + at, x + at);
    else
      chart_pull(D + at, x + at, x + at);
  }
  for (int32_t i = 0; i < c->n; i++) D[i] += s * x[i];
}

/* --- factors of earlier stages ---------------------------------------------------------------- */

enum { MEMORY = 2 }; /* numbers before the values */

void hki_redundant_keep(hk_redundant *r, const hk_stage *st) {
  r->old.ca = st->ca;
  r->old.cv = st->cv;
}

int32_t hki_redundant_kept(hk_redundant *r, double **block) {
  double *m = r->old.memory;
  *block = m;
  if (!m) return -1;
  m[0] = r->old.ca, m[1] = r->old.cv;
  memcpy(m + MEMORY, r->ls->val, (size_t)r->ls->nval * sizeof *m);
  return MEMORY + r->ls->nval;
}

hk_status hki_redundant_recall(hk_redundant *r) {
  const double *m = r->old.memory;
  const size_t bytes = (size_t)r->ls->nval * sizeof *m;
  if (!m) return HK_OK;
  r->old.ca = m[0], r->old.cv = m[1];
  if (!(r->old.ca > 0.0)) return HK_OK;
  // the solver has recalled its pivots; where these came from other values, it has still to use them
  if (r->ls->factored && memcmp(r->ls->val, m + MEMORY, bytes) == 0) return HK_OK;
  memcpy(r->ls->val, m + MEMORY, bytes);
  return hki_linsolve_refactor(r->ls);
}

/* --- the stage as one system ------------------------------------------------------------------ */

static int32_t size(const hk_formulation *f) {
  const hk_bodies *c = f->shared;
  return c->n + c->nrows;
}

static hk_status allow(hk_formulation *f) {
  hk_redundant *r = hki_redundant_of(f);
  if (!r->old.memory)
    r->old.memory = hki_alloc(r->ctx, (size_t)(MEMORY + r->ls->nval) * sizeof(double));
  return r->old.memory ? HK_OK : HK_E_MEMORY;
}

static double factored(const hk_formulation *f) {
  return hki_redundant_of((hk_formulation *)f)->old.ca;
}

static void rest(hk_formulation *f, double *z) {
  hki_redundant_rest(hki_redundant_of(f), hki_redundant_stage(f), z);
}

static void solve(hk_formulation *f, double *z) { hki_linsolve_solve(hki_redundant_of(f)->ls, z); }

static void measure(hk_formulation *f, const double *x, hk_norms *norm) {
  hki_redundant_measure(hki_redundant_of(f), hki_redundant_stage(f), x, norm);
}

static void move(hk_formulation *f, double *D, double *x, double s) {
  hki_redundant_move(hki_redundant_of(f), hki_redundant_stage(f), D, x, s);
}

static void hold(hk_formulation *f, bool put_back) {
  hk_redundant *r = hki_redundant_of(f);
  const size_t bytes = (size_t)r->c->nrows * sizeof *r->lam;
  memcpy(put_back ? r->lam : r->old.lam, put_back ? r->old.lam : r->lam, bytes);
}

const hk_system_ops hki_redundant_system = {size,  allow,   factored, rest,
                                            solve, measure, move,     hold};

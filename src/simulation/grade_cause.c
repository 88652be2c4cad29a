/* SPDX-License-Identifier: Apache-2.0
 *
 * grade_cause.c: why a run is not good, and a step that would do.
 *
 * Fastest rate of the model. With the accelerations a(q, v) of the tree machine, which hold the
 * constraints, small motions about the start obey
 *
 *   x'' = A x + B x'          A = da/dq, B = da/dv, by differences
 *
 * sqrt(|A|) is the frequency of the stiffest spring, |B| the rate of the strongest damper or of the
 * fastest spin. Both norms come from a few turns of the power iteration. The rate of the start
 * stands for the run: a run that went wrong has no other state that can be trusted.
 *
 * Energy of round-off. Places are known to some roundings of the model's length, rotations to some of one: what springs, beams and
 * shells store when every coordinate of the start is moved by a thousand of them, up or down, is no motion that anybody
 * could see. The same of speeds: those that move every body by a hundred roundings of its place in a step, or that close rows which are
 * off by as many, since tall mechanisms have a long way to go for little rows.
 *
 * A step that would do. The drift of a method of order p goes with h^p while it is small:
 *
 *   h_new = h (target / drift)^(1/p)
 *
 * A motion that turns by omega h in a step needs omega h below `fine`, and a fastest rate that
 * carries energy likewise.
 */
#include <float.h>

#include "simulation/simulation.h"

enum { TURNS = 12, MOST_UNKNOWNS = 3000 };

/* roundings of coordinates, and of places of bodies and rows of closures, that are no motion */
static const double of_coordinates = 1e3, of_places = 1e2;

static const double slow = 0.05;  /* the same of the fastest rate of the model: methods damp it */
static const double fine = 0.1;   /* omega h of a motion that is well resolved */
static const double share = 0.25; /* of the limit of good runs: aim of the advice */
static const double coarse = 0.5; /* rate times step above which the fastest rate is not resolved */

/* --- the fastest rate ------------------------------------------------------------------------- */

typedef struct probe {
  hk_sim *s;
  double *q, *v, *a, *a0, *d; /* nq, nv, nv, nv, nv */
  double small;
} probe;

/* size of x with rotations and translations on one scale */
static double size(const hk_tree *t, const double *x) {
  double sum = 0.0;
  for (int32_t i = 0; i < t->m->nv; i++) sum += x[i] * x[i] / (t->scale[i] * t->scale[i]);
  return sqrt(sum);
}

/* p->d becomes A d (velocity: B d); its size, NAN when there is none */
static double turn(probe *p, const double *q0, const double *v0, bool velocity) {
  hk_tree *t = p->s->tree;
  const int32_t nv = t->m->nv;
  for (int32_t i = 0; i < nv; i++) p->d[i] *= p->small;
  memcpy(p->v, v0, (size_t)nv * sizeof *p->v);
  if (velocity) {
    memcpy(p->q, q0, (size_t)t->m->nq * sizeof *p->q);
    for (int32_t i = 0; i < nv; i++) p->v[i] += p->d[i];
  } else {
    hki_tree_plus(t->m, q0, p->d, p->q);
  }
  if (hki_tree_accel(t, 0.0, p->q, p->v, p->a) != HK_OK) return NAN;
  for (int32_t i = 0; i < nv; i++) p->d[i] = (p->a[i] - p->a0[i]) / p->small;
  return size(t, p->d);
}

/* norm of A (velocity: of B) at the start, from the power iteration; 0 when it cannot be found */
static double norm(probe *p, const double *q0, const double *v0, bool velocity) {
  hk_tree *t = p->s->tree;
  double found = 0.0;
  // a start with a share of everything
  for (int32_t i = 0; i < t->m->nv; i++) p->d[i] = t->scale[i] * (1.0 + 0.37 * ((7 * i) % 5));
  for (int k = 0; k < TURNS; k++) {
    const double n = size(t, p->d);
    if (!(n > 0.0) || !isfinite(n)) return k ? found : 0.0;
    for (int32_t i = 0; i < t->m->nv; i++) p->d[i] /= n;
    const double now = turn(p, q0, v0, velocity);
    if (!isfinite(now)) return found;
    found = now;
  }
  return found;
}

double hki_grade_fastest(hk_sim *s, double *spin) {
  const hk_model *m = s->m;
  *spin = 0.0;
  for (int32_t i = 0; i < m->nv; i++)
    if (s->tree->rotates[i]) *spin = fmax(*spin, fabs(s->start_v[i]));
  if (m->nv > MOST_UNKNOWNS || m->nv == 0 || m->nx || s->held) return *spin;
  double *block = hki_alloc(s->ctx, (size_t)(m->nq + 4 * m->nv) * sizeof *block);
  if (!block) return *spin;
  probe p = {s, block, block + m->nq, NULL, NULL, NULL, 1e-6};
  p.a = p.v + m->nv, p.a0 = p.a + m->nv, p.d = p.a0 + m->nv;
  double fast = *spin;
  if (hki_tree_accel(s->tree, 0.0, s->start_q, s->start_v, p.a0) == HK_OK) {
    fast = fmax(fast, sqrt(norm(&p, s->start_q, s->start_v, false)));
    fast = fmax(fast, norm(&p, s->start_q, s->start_v, true));
  }
  hki_free(s->ctx, block);
  return fast;
}

/* --- energy of round-off ---------------------------------------------------------------------- */

static double potential(hk_tree *t, const double *q, const double *v) {
  hki_tree_state(t, 0.0, q, v, 0);
  hki_kin_energy(&t->kin);
  return t->kin.potential;
}

/* +1 or -1, one after the other the same in every run */
static double sign(uint32_t *seed) {
  *seed = 1664525u * *seed + 1013904223u;
  return *seed >> 31 ? 1.0 : -1.0;
}

static double stored_by_rounding(hk_sim *s) {
  const hk_model *m = s->m;
  if (m->nv == 0 || m->nx || s->held) return 0.0;
  double *q = hki_alloc(s->ctx, (size_t)(m->nq + m->nv) * sizeof *q);
  if (!q) return 0.0;
  double *d = q + m->nq;
  uint32_t seed = 1;
  for (int32_t i = 0; i < m->nv; i++)
    d[i] = sign(&seed) * of_coordinates * DBL_EPSILON * s->tree->scale[i];
  hki_tree_plus(m, s->start_q, d, q);
  const double stored =
      fabs(potential(s->tree, q, s->start_v) - potential(s->tree, s->start_q, s->start_v));
  hki_free(s->ctx, q);
  return isfinite(stored) ? stored : 0.0;
}

/* the largest distance of a body from the origin of the ground at the start, at least the model's length */
static double reach(hk_sim *s) {
  double far = s->m->length;
  hki_kin_positions(&s->tree->kin, 0.0, s->start_q);
  for (int32_t b = 0; b < s->m->nb; b++) far = fmax(far, v3_norm(s->tree->kin.frame[b].p));
  return far;
}

/* The loops are closed to some roundings of the places of bodies. x: the smallest motion in the mass metric that closes rows
 * which are off by one such each, up or down:
 *
 *   T x = Phi_z' alpha d,   T = M + Phi_z' alpha Phi_z,   x' M x = (Phi_z x)' alpha (d - Phi_z x)
 *
 * Returns x' M x/2 over the square of DBL_EPSILON. */
static double closing(hk_sim *s, double far) {
  hk_tree *t = s->tree;
  const hk_model *m = s->m;
  uint32_t seed = 1;
  double sum = 0.0;
  if (!m->nrows || m->nx || s->held || m->nv > MOST_UNKNOWNS) return 0.0;
  hki_tree_state(t, 0.0, s->start_q, s->start_v, 0);
  if (hki_tree_factor_mass(t, 1e6) != HK_OK) return 0.0;
  memset(t->row, 0, (size_t)m->nrows * sizeof *t->row);
  memset(t->x, 0, (size_t)m->nv * sizeof *t->x);
  for (int32_t i = 0; i < m->nrows; i++)
    t->row[i] = sign(&seed) * t->alpha[i] * (hki_model_row_is_length(m, i) ? far : 1.0);
  hki_tree_add_rows(t, t->row, t->x);
  hki_tree_solve(t, t->x);
  hki_tree_rows(t, t->x, t->lam_step);
  for (int32_t i = 0; i < m->nrows; i++)
    sum += t->lam_step[i] * (t->row[i] - t->alpha[i] * t->lam_step[i]);
  return sum > 0.0 && isfinite(sum) ? 0.5 * sum : 0.0;
}

double hki_grade_rounding(hk_sim *s) {
  const double h = s->steps > 0 ? s->I.t / (double)s->steps : 0.0, far = reach(s);
  double mass = 0.0, energy = stored_by_rounding(s);
  for (int32_t b = 0; b < s->m->nb; b++) mass += s->m->bodies[b].mass;
  if (!(h > 0.0) || !isfinite(far)) return energy;
  const double rate = of_places * DBL_EPSILON / h;
  return fmax(energy, fmax(0.5 * mass * far * far, closing(s, far)) * rate * rate);
}

/* --- a step that would do --------------------------------------------------------------------- */

/* the next smaller of 1, 2, 5 times a power of ten */
static double rounded(double h) {
  const double ten = pow(10.0, floor(log10(h)));
  return h >= 5.0 * ten ? 5.0 * ten : h >= 2.0 * ten ? 2.0 * ten : ten;
}

double hki_grade_step_that_does(const hk_sim *s, const hk_verdict *v, double fastest) {
  const double h = s->step, order = s->I.ops->order < 1 ? 1.0 : s->I.ops->order;
  const double aim = share * 0.2 * s->solver.drift_limit,
               worst = fmax(v->drift, fmax(v->gap, v->slip));
  double best = h;
  if (worst > aim) best = fmin(best, h * pow(aim / worst, 1.0 / order));
  if (v->turn > fine && isfinite(v->turn)) best = fmin(best, h * fine / v->turn);
  // a run that has blown up tells less than it should
  if (worst > 50.0) best *= 0.5;
  if (h * fastest > coarse) best = fmin(best, slow / fastest);
  return best > 0.0 && isfinite(best) ? rounded(fmin(best, 0.5 * h)) : 0.5 * h;
}

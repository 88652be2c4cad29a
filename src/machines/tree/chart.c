/* SPDX-License-Identifier: Apache-2.0
 *
 * chart.c: the increment D of a stage as coordinates, with the rate w = dD/dt.
 *
 *   v = J(D) w
 *   a = J(D) dw/dt + (dJ/dt) w
 *
 * J is that of geometry/chart.h in the three increments of a quaternion, where D is a rotation
 * vector, and 1 in all other coordinates.
 *
 * A Runge-Kutta method applied to (D, w) solves an ordinary differential equation and keeps its
 * order; applied to angular velocities it has order 2 at most (Munthe-Kaas 1999; Hairer, Lubich and
 * Wanner, Geometric Numerical Integration, IV.8).
 */
#include "machines/tree/deep.h"
#include "geometry/chart.h"

void hki_tree_chart_velocity(const hk_tree *s, const double *D, const double *w, double *v) {
  if (v != w) memcpy(v, w, (size_t)s->m->nv * sizeof *v);
  for (int32_t i = 0; s->has_quat && i < s->m->nv; i++) {
    if (!s->quat[i]) continue;
    chart_push(D + i, w + i, v + i);
    i += 2;
  }
}

void hki_tree_chart_bend(const hk_tree *s, const double *D, const double *w, double *z) {
  memset(z, 0, (size_t)s->m->nv * sizeof *z);
  for (int32_t i = 0; s->has_quat && i < s->m->nv; i++) {
    if (!s->quat[i]) continue;
    chart_bend(D + i, w + i, z + i);
    i += 2;
  }
}

void hki_tree_chart_pull(const hk_tree *s, const double *D, double *r) {
  for (int32_t i = 0; s->has_quat && i < s->m->nv; i++) {
    if (!s->quat[i]) continue;
    chart_transpose(D + i, r + i, r + i);
    i += 2;
  }
}

void hki_tree_chart_step(const hk_tree *s, const double *D, double *x) {
  for (int32_t i = 0; s->has_quat && i < s->m->nv; i++) {
    if (!s->quat[i]) continue;
    chart_pull(D + i, x + i, x + i);
    i += 2;
  }
}

void hki_tree_chart_bound(const hk_tree *s, const double *D, double *x) {
  static const double bound = 10.0; // times the inertia
  const bool loops = hki_deep_closes(s);
  if (!s->has_quat || (!s->ldl && !loops)) return; // open trees without a matrix
  for (int32_t i = 0; i < s->m->nv; i++) {
    if (!s->quat[i]) continue;
    double T = 0.0, M = 0.0;
    for (int32_t j = i; j < i + 3; j++) {
      T += loops ? s->deep->diag[j] : s->num.val[s->slot_diag[j]];
      M += s->mass[j];
    }
    if (T > bound * M) chart_pull(D + i, x + i, x + i);
    i += 2;
  }
}

void hki_tree_stage(hk_tree *s, const hk_stage *st, const double *D) {
  const int32_t nv = s->m->nv;
  hki_tree_plus(s->m, st->q0, D, s->q);
  for (int32_t i = 0; i < nv; i++) {
    s->v[i] = st->vh[i] + st->cv * D[i];
    s->a[i] = st->ah[i] + st->ca * D[i];
  }
  if (!st->chart) return;
  hki_tree_chart_bend(s, D, s->v, s->y);
  hki_tree_chart_velocity(s, D, s->v, s->v);
  hki_tree_chart_velocity(s, D, s->a, s->a);
  for (int32_t i = 0; i < nv; i++) s->a[i] += s->y[i];
}

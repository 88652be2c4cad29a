/* SPDX-License-Identifier: Apache-2.0
 *
 * Natural coordinates: matrices of forces and rows against finite differences: damping, inputs,
 * curvature of quadratic rows, the exact tangent of a stage.
 */
#include <stdlib.h>

#include "support_points.h"

/* damping and input terms of the matrix and its border against differences in the velocities */
START_TEST(damping_tangent) {
  build b = sprung();
  pair p = pair_make(&b, HK_POINTS_SHARED);
  pair_state(&p, 0.0, 0.3, 33);
  hk_points *n = p.n;
  const int32_t nn = n->n;
  const double h = 1e-6;
  double *C = calloc((size_t)(nn * nn), sizeof *C), *r = calloc((size_t)nn, sizeof *r),
         *x = calloc((size_t)nn, sizeof *x), *y = calloc((size_t)nn, sizeof *y);
  for (int32_t j = 0; j < nn; j++)
    for (int side = -1; side <= 1; side += 2) {
      memset(r, 0, (size_t)nn * sizeof *r);
      memcpy(x, p.v, (size_t)nn * sizeof *x);
      x[j] += side * h;
      hki_points_state(n, 0.0, p.q, x);
      hki_points_forces(n, false, r);
      for (int32_t i = 0; i < nn; i++) C[i * nn + j] += side * r[i] / (2 * h);
    }
  hki_points_state(n, 0.0, p.q, p.v);
  hki_points_rows(n, p.q);
  memset(r, 0, (size_t)nn * sizeof *r);
  hki_points_forces(n, true, r);
  hki_points_penalty(n, 1.0, 0.0);
  hki_points_matrix(n, true, 1.0, 0.0, 0.0);
  hki_points_border_terms(n, 1.0, 0.0);
  ck_assert_int_eq(n->border.rank, 1);
  for (int32_t j = 0; j < nn; j++) {
    memset(x, 0, (size_t)nn * sizeof *x);
    x[j] = 1.0;
    hki_ldl_mul(n->ldl, &n->num, n->num.val, x, y);
    memset(r, 0, (size_t)nn * sizeof *r);
    hki_points_add_mass(n, x, r);
    for (int32_t i = 0; i < nn; i++)
      ck_near(y[i] - r[i] + n->border.U[i] * n->border.V[j], C[i * nn + j], 1e-6);
  }
  drop(4, (double *[]){C, r, x, y});
  pair_free(&p);
}
END_TEST

/* curvature of the quadratic rows: d(Phi_q' lam)/dq against differences, space and plane */
START_TEST(curvature) {
  for (int plane = 0; plane < 2; plane++) {
    build b = plane ? double_four_bar() : sprung();
    pair p = pair_make(&b, HK_POINTS_SHARED);
    hk_points *n = p.n;
    const int32_t nn = n->n;
    const double h = 1e-3;
    uint64_t seed = 8;
    double *lam = calloc((size_t)n->nrows, sizeof *lam), *x = calloc((size_t)nn, sizeof *x),
           *y = calloc((size_t)nn, sizeof *y),
           *r[2] = {calloc((size_t)nn, 8), calloc((size_t)nn, 8)};
    for (int32_t i = 0; i < n->nrows; i++) lam[i] = noise(&seed);
    hki_points_state(n, 0.0, p.q, p.v);
    hki_ldl_zero(n->ldl, &n->num);
    hki_points_add_curvature(n, 1.0, lam);
    for (int32_t j = 0; j < nn; j++) {
      for (int side = 0; side < 2; side++) {
        memcpy(x, p.q, (size_t)nn * sizeof *x);
        x[j] += side ? h : -h;
        hki_points_state(n, 0.0, x, p.v);
        hki_points_rows(n, x);
        memset(r[side], 0, (size_t)nn * sizeof *x);
        hki_points_add_rows(n, lam, r[side]);
      }
      memset(x, 0, (size_t)nn * sizeof *x);
      x[j] = 1.0;
      hki_ldl_mul(n->ldl, &n->num, n->num.val, x, y);
      for (int32_t i = 0; i < nn; i++) ck_near(y[i], (r[1][i] - r[0][i]) / (2 * h), 1e-9);
    }
    drop(5, (double *[]){lam, x, y, r[0], r[1]});
    pair_free(&p);
  }
}
END_TEST

/* r = -Q + Phi_q' lam at q, at rest */
static void static_forces(hk_points *n, const double *q, const double *lam, double *r) {
  double *rest = calloc((size_t)n->n, sizeof *rest);
  memset(r, 0, (size_t)n->n * sizeof *r);
  hki_points_state(n, 0.0, q, rest);
  hki_points_rows(n, q);
  hki_points_forces(n, true, r);
  hki_points_add_rows(n, lam, r);
  free(rest);
}

/* exact tangent of forces and rows: symmetric part of dr/dq against differences, in motions that
 * keep bodies rigid and loops closed */
static void check_exact(build b, uint64_t seed) {
  enum { WAYS = 4 };
  pair p = pair_make(&b, HK_POINTS_SHARED);
  pair_state(&p, 0.0, 0.2, seed);
  hk_points *n = p.n;
  const int32_t nn = n->n;
  const double h = 1e-5;
  double *lam = calloc((size_t)n->nrows + 1, sizeof *lam), *q = calloc((size_t)nn, sizeof *q),
         *y = calloc((size_t)nn, sizeof *y), *x[WAYS], *r[WAYS], *s = calloc((size_t)nn, sizeof *s);
  for (int32_t i = 0; i < n->nrows; i++) lam[i] = 30.0 * noise(&seed);
  for (int k = 0; k < WAYS; k++) {
    x[k] = calloc((size_t)nn, sizeof *s), r[k] = calloc((size_t)nn, sizeof *s);
    for (int32_t i = 0; i < p.m->nv; i++) p.vt[i] = noise(&seed);
    ck_assert_int_eq(hki_tree_project_velocity(p.s, 0.0, p.qt, p.vt), HK_OK);
    hki_points_from_tree(n, p.qt, p.vt, q, x[k]);
    for (int32_t i = 0; i < nn; i++) q[i] = p.q[i] + h * x[k][i];
    static_forces(n, q, lam, r[k]);
    for (int32_t i = 0; i < nn; i++) q[i] = p.q[i] - h * x[k][i];
    static_forces(n, q, lam, s);
    for (int32_t i = 0; i < nn; i++) r[k][i] = (r[k][i] - s[i]) / (2.0 * h);
  }
  static_forces(n, p.q, lam, s);
  hki_ldl_zero(n->ldl, &n->num);
  hki_points_add_exact(n, 0.0, 1.0, lam);
  hki_points_border_terms(n, 0.0, 1.0);
  for (int k = 0; k < WAYS; k++) {
    hki_ldl_mul(n->ldl, &n->num, n->num.val, x[k], y);
    for (int32_t t = 0; t < n->border.rank; t++)
      for (int32_t i = 0; i < nn; i++)
        for (int32_t j = 0; j < nn; j++) {
          const double *U = n->border.U + t * nn, *V = n->border.V + t * nn;
          y[i] += 0.5 * (U[i] * V[j] + V[i] * U[j]) * x[k][j];
        }
    for (int j = 0; j < WAYS; j++) {
      double got = 0.0, want = 0.0;
      for (int32_t i = 0; i < nn; i++) {
        got += x[j][i] * y[i];
        want += 0.5 * (x[j][i] * r[k][i] + x[k][i] * r[j][i]);
      }
      ck_near(got, want, 1e-6);
    }
  }
  for (int k = 0; k < WAYS; k++) free(x[k]), free(r[k]);
  drop(4, (double *[]){lam, q, y, s});
  pair_free(&p);
}

START_TEST(exact_tangent) {
  check_exact(sprung(), 41);
  check_exact(double_four_bar(), 42);
  for (int plane = 0; plane < 2; plane++)
    for (int32_t c = 0; c < (plane ? HK_ARRAY_LEN(flat_closing) : HK_ARRAY_LEN(closing)); c++) {
      build b = begin(plane);
      for (int32_t k = 0; k < 2; k++) add_body(&b, k, 0.7 * k);
      add_joint(&b, "revolute", 0, 1, 0.7, 4);
      int32_t last = add_joint(&b, plane ? flat_closing[c] : closing[c], 1, HK_GROUND, 1.4, 6);
      b.spec->joints[last].cut = HK_CUT_ALWAYS;
      check_exact(b, 43);
    }
}
END_TEST

Suite *suite_points_tangents(void);
Suite *suite_points_tangents(void) {
  Suite *s = suite_create("points tangents");
  TCase *c = tcase_create("differences");
  tcase_add_test(c, damping_tangent);
  tcase_add_test(c, curvature);
  tcase_add_test(c, exact_tangent);
  suite_add_tcase(s, c);
  return s;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Increments as coordinates: velocities, accelerations, pulled-back forces and corrections of a
 * rotation given by a body-fixed rotation vector, against differences of the rotation itself.
 */
#include <check.h>

#include "machines/tree/tree.h"

/* nine coordinates: a plain one, a rotation, two plain ones, a rotation */
enum { NV = 9 };
static uint8_t quat[NV] = {0, 1, 1, 1, 0, 0, 1, 1, 1};
static hk_model model = {.nv = NV};
static hk_tree semi = {.m = &model, .quat = quat, .has_quat = true};
static const int32_t turn[2] = {1, 6};

/* numbers between -1 and 1 that are the same each time */
static double number(uint32_t *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / 8388608.0 - 1.0;
}

static void fill(double *x, double size, uint32_t seed) {
  for (int i = 0; i < NV; i++) x[i] = size * number(&seed);
}

/* angular velocity in body axes of exp(d(t)) at t, by a central difference of the quaternion */
static void spin(const double *d, const double *w, const double *wd, double t, double *out) {
  const double h = 1e-4;
  double q[2][4], dd[3], r[4], c[4];
  for (int s = 0; s < 2; s++) {
    double x = t + (s ? h : -h);
    for (int i = 0; i < 3; i++) dd[i] = d[i] + x * w[i] + 0.5 * x * x * wd[i];
    quat_exp(q[s], dd);
  }
  quat_conj(c, q[0]);
  quat_mul(r, c, q[1]);
  quat_log(out, r);
  for (int i = 0; i < 3; i++) out[i] /= 2.0 * h;
}

static const double sizes[] = {1e-6, 0.01, 0.08, 0.09, 0.5, 1.7};

START_TEST(velocity_and_acceleration) {
  const double h = 1e-3, size = sizes[_i];
  double D[NV], w[NV], wd[NV], v[NV], a[NV], z[NV];
  fill(D, size, 1), fill(w, 2.0, 2), fill(wd, 3.0, 3);
  hki_tree_chart_velocity(&semi, D, w, v);
  hki_tree_chart_velocity(&semi, D, wd, a);
  hki_tree_chart_bend(&semi, D, w, z);
  for (int k = 0; k < 2; k++) {
    int32_t i0 = turn[k];
    double s0[3], s1[3], s2[3];
    spin(D + i0, w + i0, wd + i0, 0.0, s0);
    spin(D + i0, w + i0, wd + i0, -h, s1);
    spin(D + i0, w + i0, wd + i0, h, s2);
    for (int i = 0; i < 3; i++) {
      ck_assert_double_eq_tol(v[i0 + i], s0[i], 1e-6);
      ck_assert_double_eq_tol(a[i0 + i] + z[i0 + i], (s2[i] - s1[i]) / (2.0 * h), 2e-5);
    }
  }
  // plain coordinates are their own rates
  for (int i = 0; i < NV; i++)
    if (!quat[i]) {
      ck_assert(v[i] == w[i]);
      ck_assert(z[i] == 0.0);
    }
}
END_TEST

START_TEST(transpose_and_inverse) {
  double D[NV], x[NV], y[NV], Jx[NV], Jy[NV], back[NV], left = 0.0, right = 0.0;
  fill(D, sizes[_i], 4), fill(x, 1.0, 5), fill(y, 1.0, 6);
  hki_tree_chart_velocity(&semi, D, x, Jx);
  memcpy(Jy, y, sizeof y);
  hki_tree_chart_pull(&semi, D, Jy);
  for (int i = 0; i < NV; i++) left += y[i] * Jx[i], right += Jy[i] * x[i];
  ck_assert_double_eq_tol(left, right, 1e-14);
  memcpy(back, Jx, sizeof back);
  hki_tree_chart_step(&semi, D, back);
  for (int i = 0; i < NV; i++) ck_assert_double_eq_tol(back[i], x[i], 1e-13);
  // in place
  hki_tree_chart_velocity(&semi, D, x, x);
  for (int i = 0; i < NV; i++) ck_assert(x[i] == Jx[i]);
}
END_TEST

/* the series and the closed forms meet */
START_TEST(series_are_continuous) {
  double D[NV] = {0}, w[NV], low[NV], high[NV];
  fill(w, 1.0, 7);
  const double x = sqrt(0.02);
  D[1] = x * (1.0 - 1e-13);
  hki_tree_chart_bend(&semi, D, w, low);
  D[1] = x * (1.0 + 1e-13);
  hki_tree_chart_bend(&semi, D, w, high);
  for (int i = 1; i < 4; i++) ck_assert_double_eq_tol(low[i], high[i], 1e-12);
  memcpy(low, w, sizeof low), memcpy(high, w, sizeof high);
  hki_tree_chart_step(&semi, D, high);
  D[1] = x * (1.0 - 1e-13);
  hki_tree_chart_step(&semi, D, low);
  for (int i = 1; i < 4; i++) ck_assert_double_eq_tol(low[i], high[i], 1e-12);
}
END_TEST

Suite *suite_chart(void);
Suite *suite_chart(void) {
  Suite *s = suite_create("chart");
  TCase *c = tcase_create("rotations");
  int n = (int)(sizeof sizes / sizeof *sizes);
  tcase_add_loop_test(c, velocity_and_acceleration, 0, n);
  tcase_add_loop_test(c, transpose_and_inverse, 0, n);
  tcase_add_test(c, series_are_continuous);
  suite_add_tcase(s, c);
  return s;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * cayley.c: rotation parameters of cayley.h against the formula of the rotation matrix, and their
 * rates against finite differences of orientations.
 */
#include <check.h>

#include "geometry/cayley.h"

static const double base[4] = {0.5, 0.1, -0.7, 0.5};
static const double samples[][3] = {
    {0.0, 0.0, 0.0}, {1e-9, 0.0, 2e-9}, {0.3, -0.2, 0.1}, {1.5, 2.0, -0.7}, {-9.0, 3.0, 20.0}};

static void start(double *q) {
  memcpy(q, base, sizeof base);
  quat_normalize(q);
}

static double apart(const double *a, const double *b, int n) {
  double m = 0.0;
  for (int i = 0; i < n; i++) m = fmax(m, fabs(a[i] - b[i]));
  return m;
}

/* R(g) = 1 + 4/(4 + g.g) ([g] + [g]^2/2) */
START_TEST(the_matrix) {
  const double *g = samples[_i], one[4] = {1.0, 0.0, 0.0, 0.0};
  double q[4], R[9], S[9], S2[9], E[9];
  cayley_plus(q, one, g);
  quat_to_rot(R, q);
  m3_skew(S, g);
  m3_mul(S2, S, S);
  m3_identity(E);
  for (int i = 0; i < 9; i++) E[i] += 4.0 / (4.0 + v3_dot(g, g)) * (S[i] + 0.5 * S2[i]);
  ck_assert_double_le(apart(R, E, 9), 1e-14);
}
END_TEST

START_TEST(plus_and_minus) {
  const double *g = samples[_i];
  double q[4], p[4], h[3];
  start(q);
  cayley_plus(p, q, g);
  cayley_minus(h, p, q);
  ck_assert_double_le(apart(g, h, 3), 1e-13 * (1.0 + v3_dot(g, g)));
}
END_TEST

/* R' = R [w] with w = G'(g) dg/dt: difference of orientations along the rate */
START_TEST(rates) {
  const double *g = samples[_i], e = 1e-6, rate[3] = {0.4, -1.1, 0.6};
  double q[4], a[3], b[3], qa[4], qb[4], d[3], w[3], back[3];
  start(q);
  for (int i = 0; i < 3; i++) a[i] = g[i] - e * rate[i], b[i] = g[i] + e * rate[i];
  cayley_plus(qa, q, a);
  cayley_plus(qb, q, b);
  quat_minus(d, qb, qa);
  v3_scale(d, 0.5 / e, d);
  cayley_push(g, rate, w);
  ck_assert_double_le(apart(d, w, 3), 1e-9);
  cayley_pull(g, w, back);
  ck_assert_double_le(apart(back, rate, 3), 1e-12);
}
END_TEST

Suite *suite_cayley(void);
Suite *suite_cayley(void) {
  Suite *s = suite_create("Cayley parameters");
  TCase *c = tcase_create("rotations");
  tcase_add_loop_test(c, the_matrix, 0, 5);
  tcase_add_loop_test(c, plus_and_minus, 0, 5);
  tcase_add_loop_test(c, rates, 0, 5);
  suite_add_tcase(s, c);
  return s;
}

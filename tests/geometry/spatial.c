/* SPDX-License-Identifier: Apache-2.0
 *
 * spatial.c: spatial vectors and rigid inertia of geometry.h against dense 6x6 matrices, the laws
 * of mechanics they stand for, and finite differences.
 */
#include <check.h>
#include <stdint.h>

#include "geometry/geometry.h"

/* a repeatable stream of numbers in [-1, 1) */
static double noise(uint64_t *s) {
  *s = *s * 6364136223846793005u + 1442695040888963407u;
  return (double)(*s >> 11) * 0x1p-52 - 1.0;
}

static void random_numbers(uint64_t *s, double *a, int n) {
  for (int i = 0; i < n; i++) a[i] = noise(s);
}

static double largest_difference(const double *a, const double *b, int n) {
  double m = 0.0;
  for (int i = 0; i < n; i++) m = fmax(m, fabs(a[i] - b[i]));
  return m;
}

/* a symmetric positive definite inertia about the centre of mass */
static void random_inertia(uint64_t *s, double *m, double *c, double *J) {
  double A[9];
  *m = 1.5 + noise(s);
  random_numbers(s, c, 3);
  random_numbers(s, A, 9);
  m3_mult(J, A, A);
  for (int i = 0; i < 3; i++) J[4 * i] += 0.1;
}

/* the 6x6 matrix of a rigid body about O: [J + m(c.c 1 - c c'), m c~; -m c~, m 1] */
static void dense_inertia(double *D, double m, const double *c, const double *J) {
  double S[9], SS[9];
  m3_skew(S, c);
  m3_mult(SS, S, S);
  for (int i = 0; i < 36; i++) D[i] = 0.0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      D[6 * i + j] = J[3 * i + j] + m * SS[3 * i + j];
      D[6 * i + j + 3] = m * S[3 * i + j];
      D[6 * (i + 3) + j] = m * S[3 * j + i];
      D[6 * (i + 3) + j + 3] = i == j ? m : 0.0;
    }
}

static void dense_mul(double *r, const double *A, const double *x) {
  for (int i = 0; i < 6; i++) {
    r[i] = 0.0;
    for (int j = 0; j < 6; j++) r[i] += A[6 * i + j] * x[j];
  }
}

START_TEST(inertia_is_the_dense_matrix) {
  uint64_t s = 1;
  for (int k = 0; k < 100; k++) {
    double m, c[3], J[9], D[36], V[6], f[6], g[6];
    hk_inertia I;
    random_inertia(&s, &m, c, J);
    random_numbers(&s, V, 6);
    inertia_set(&I, m, c, J);
    inertia_mul(f, &I, V);
    dense_inertia(D, m, c, J);
    dense_mul(g, D, V);
    ck_assert_double_lt(largest_difference(f, g, 6), 1e-14);
  }
}
END_TEST

START_TEST(inertia_of_two_bodies_is_the_sum) {
  uint64_t s = 2;
  for (int k = 0; k < 50; k++) {
    double m, c[3], J[9], V[6], f[6], g[6], h[6], sum[6];
    hk_inertia A, B;
    random_inertia(&s, &m, c, J);
    inertia_set(&A, m, c, J);
    random_inertia(&s, &m, c, J);
    inertia_set(&B, m, c, J);
    random_numbers(&s, V, 6);
    inertia_mul(f, &A, V);
    inertia_mul(g, &B, V);
    s6_add(sum, f, g);
    inertia_add(&A, &B);
    inertia_mul(h, &A, V);
    ck_assert_double_lt(largest_difference(h, sum, 6), 1e-14);
  }
}
END_TEST

/* kinetic energy by V.IV/2 is m v_c^2/2 + w.Jw/2 */
START_TEST(kinetic_energy_is_koenigs) {
  uint64_t s = 3;
  for (int k = 0; k < 50; k++) {
    double m, c[3], J[9], V[6], f[6], at[6], Jw[3];
    hk_inertia I;
    random_inertia(&s, &m, c, J);
    random_numbers(&s, V, 6);
    inertia_set(&I, m, c, J);
    inertia_mul(f, &I, V);
    s6_twist_at(at, V, c);
    m3_mulv(Jw, J, V);
    double koenig = 0.5 * m * v3_dot(at + 3, at + 3) + 0.5 * v3_dot(V, Jw);
    ck_assert_double_eq_tol(0.5 * s6_dot(V, f), koenig, 1e-14 * (1.0 + koenig));
  }
}
END_TEST

/* power does not depend on the point at which twist and wrench are taken */
START_TEST(power_is_the_same_at_every_point) {
  uint64_t s = 4;
  for (int k = 0; k < 50; k++) {
    double V[6], Vp[6], w[6], w0[6], rp[3];
    random_numbers(&s, V, 6);
    random_numbers(&s, w, 6);
    random_numbers(&s, rp, 3);
    s6_twist_at(Vp, V, rp);
    s6_wrench_to_origin(w0, w, rp);
    ck_assert_double_eq_tol(s6_dot(Vp, w), s6_dot(V, w0), 1e-14);
    /* in place as well */
    s6_twist_at(V, V, rp);
    ck_assert_double_lt(largest_difference(V, Vp, 6), 1e-300);
    s6_wrench_to_origin(w, w, rp);
    ck_assert_double_lt(largest_difference(w, w0, 6), 1e-300);
  }
}
END_TEST

/* (a x b).f = -b.(a x* f): the two cross products are dual */
START_TEST(cross_products_are_dual) {
  uint64_t s = 5;
  for (int k = 0; k < 50; k++) {
    double a[6], b[6], f[6], x[6], y[6];
    random_numbers(&s, a, 6);
    random_numbers(&s, b, 6);
    random_numbers(&s, f, 6);
    s6_cross(x, a, b);
    s6_cross_force(y, a, f);
    ck_assert_double_eq_tol(s6_dot(x, f), -s6_dot(b, y), 1e-14);
  }
}
END_TEST

START_TEST(cross_product_is_a_lie_bracket) {
  uint64_t s = 6;
  for (int k = 0; k < 50; k++) {
    double a[6], b[6], c[6], t[6], u[6], sum[6] = {0};
    random_numbers(&s, a, 6);
    random_numbers(&s, b, 6);
    random_numbers(&s, c, 6);
    const double *p[3] = {a, b, c};
    for (int i = 0; i < 3; i++) {
      s6_cross(t, p[(i + 1) % 3], p[(i + 2) % 3]);
      s6_cross(u, p[i], t);
      s6_axpy(sum, 1.0, u);
    }
    const double zero[6] = {0};
    ck_assert_double_lt(largest_difference(sum, zero, 6), 1e-14);
  }
}
END_TEST

/* a screw axis S carried along by the twist V changes at the rate V x S: central differences on the
 * axis direction e and a point r of it, S = (e, r x e) */
START_TEST(cross_product_is_the_rate_of_a_carried_axis) {
  uint64_t s = 7;
  const double h = 1e-5;
  for (int k = 0; k < 20; k++) {
    double V[6], e[3], r[3], S[2][6], S0[6], rate[6], x[6];
    random_numbers(&s, V, 6);
    random_numbers(&s, e, 3);
    random_numbers(&s, r, 3);
    v3_copy(S0, e);
    v3_cross(S0 + 3, r, e);
    for (int side = 0; side < 2; side++) {
      double step = side ? h : -h, d[3], R[9], e1[3], r1[3], v[6];
      v3_scale(d, step, V);
      rot_exp(R, d);
      m3_mulv(e1, R, e);
      s6_twist_at(v, V, r);
      v3_copy(r1, r);
      v3_axpy(r1, step, v + 3);
      v3_copy(S[side], e1);
      v3_cross(S[side] + 3, r1, e1);
    }
    for (int i = 0; i < 6; i++) rate[i] = (S[1][i] - S[0][i]) / (2.0 * h);
    s6_cross(x, V, S0);
    ck_assert_double_lt(largest_difference(rate, x, 6), 1e-9);
  }
}
END_TEST

/* Newton-Euler about O, I A + V x* I V, is m a_c and J w' + w x J w carried to O */
START_TEST(newton_euler_in_spatial_form) {
  uint64_t s = 8;
  for (int k = 0; k < 50; k++) {
    double m, c[3], J[9], V[6], A[6], f[6], g[6], p[6], bias[6], w[6];
    hk_inertia I;
    random_inertia(&s, &m, c, J);
    random_numbers(&s, V, 6);
    random_numbers(&s, A, 6);
    inertia_set(&I, m, c, J);
    inertia_mul(f, &I, A);
    inertia_mul(p, &I, V);
    s6_cross_force(bias, V, p);
    s6_add(f, f, bias);
    /* material acceleration of the centre of mass: A at c, plus w x v_c */
    double vc[6], ac[6], t[3], Jw[3];
    s6_twist_at(vc, V, c);
    s6_twist_at(ac, A, c);
    v3_cross_add(ac + 3, V, vc + 3);
    v3_scale(w + 3, m, ac + 3);
    m3_mulv(w, J, A);
    m3_mulv(Jw, J, V);
    v3_cross(t, V, Jw);
    v3_add(w, w, t);
    s6_wrench_to_origin(g, w, c);
    ck_assert_double_lt(largest_difference(f, g, 6), 1e-13);
  }
}
END_TEST

START_TEST(skew_and_congruence) {
  uint64_t s = 9;
  double a[3], b[3], S[9], x[3], y[3], R[9], A[9], C[9], d[3], u[3], v[3];
  random_numbers(&s, a, 3);
  random_numbers(&s, b, 3);
  m3_skew(S, a);
  m3_mulv(x, S, b);
  v3_cross(y, a, b);
  ck_assert_double_lt(largest_difference(x, y, 3), 1e-16);
  /* C (R b) = R (A b) */
  random_numbers(&s, A, 9);
  random_numbers(&s, d, 3);
  rot_exp(R, d);
  m3_congruence(C, R, A);
  m3_mulv(u, R, b);
  m3_mulv(x, C, u);
  m3_mulv(v, A, b);
  m3_mulv(y, R, v);
  ck_assert_double_lt(largest_difference(x, y, 3), 1e-14);
}
END_TEST

Suite *suite_spatial(void) {
  Suite *s = suite_create("spatial");
  TCase *c = tcase_create("spatial");
  tcase_add_test(c, inertia_is_the_dense_matrix);
  tcase_add_test(c, inertia_of_two_bodies_is_the_sum);
  tcase_add_test(c, kinetic_energy_is_koenigs);
  tcase_add_test(c, power_is_the_same_at_every_point);
  tcase_add_test(c, cross_products_are_dual);
  tcase_add_test(c, cross_product_is_a_lie_bracket);
  tcase_add_test(c, cross_product_is_the_rate_of_a_carried_axis);
  tcase_add_test(c, newton_euler_in_spatial_form);
  tcase_add_test(c, skew_and_congruence);
  suite_add_tcase(s, c);
  return s;
}

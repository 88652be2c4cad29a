/* SPDX-License-Identifier: Apache-2.0
 *
 * rotations.c: rotation matrices and quaternions of geometry.h against closed forms, against each
 * other, and against the series of the matrix exponential.
 */
#include <check.h>
#include <stdint.h>
#include <stdio.h>

#include "geometry/geometry.h"

#define PI 3.14159265358979323846

/* a repeatable stream of numbers in [-1, 1) */
static double noise(uint64_t *s) {
  *s = *s * 6364136223846793005u + 1442695040888963407u;
  return (double)(*s >> 11) * 0x1p-52 - 1.0;
}

static double largest_difference(const double *a, const double *b, int n) {
  double m = 0.0;
  for (int i = 0; i < n; i++) m = fmax(m, fabs(a[i] - b[i]));
  return m;
}

static void random_vector(uint64_t *s, double length, double *d) {
  do
    for (int i = 0; i < 3; i++) d[i] = noise(s);
  while (v3_norm(d) < 0.1);
  v3_normalize(d);
  v3_scale(d, length, d);
}

/* exp(skew(d)) by its power series, term by term */
static void exp_by_series(double *R, const double *d) {
  double S[9], T[9], U[9];
  m3_skew(S, d);
  m3_identity(R);
  m3_identity(T);
  for (int k = 1; k < 60; k++) {
    m3_mul(U, T, S);
    for (int i = 0; i < 9; i++) T[i] = U[i] / k, R[i] += T[i];
  }
}

START_TEST(exponential_is_the_matrix_series) {
  uint64_t s = 1;
  const double lengths[] = {0.0, 1e-9, 1e-5, 0.00999, 0.01001, 0.3, 1.0, 3.0, PI, 6.0};
  for (int k = 0; k < 10; k++) {
    double d[3], R[9], E[9];
    random_vector(&s, lengths[k], d);
    rot_exp(R, d);
    exp_by_series(E, d);
    ck_assert_double_lt(largest_difference(R, E, 9), 2e-14);
  }
}
END_TEST

START_TEST(exponential_is_orthonormal_and_right_handed) {
  uint64_t s = 2;
  for (int k = 0; k < 200; k++) {
    double d[3], R[9], P[9], I[9];
    random_vector(&s, 4.0 * fabs(noise(&s)), d);
    rot_exp(R, d);
    m3_tmul(P, R, R);
    m3_identity(I);
    ck_assert_double_lt(largest_difference(P, I, 9), 1e-15 * 8);
    ck_assert_double_eq_tol(m3_det(R), 1.0, 1e-14);
  }
}
END_TEST

START_TEST(quarter_turns_are_exact_permutations) {
  const double z[3] = {0, 0, 1}, x[3] = {1, 0, 0};
  double R[9], y[3];
  rot_axis(R, z, PI / 2);
  m3_mulv(y, R, x);
  const double expected[3] = {0, 1, 0};
  ck_assert_double_lt(largest_difference(y, expected, 3), 1e-15);
}
END_TEST

START_TEST(axis_angle_is_the_exponential) {
  uint64_t s = 3;
  for (int k = 0; k < 100; k++) {
    double axis[3], d[3], A[9], B[9], angle = 5.0 * noise(&s);
    random_vector(&s, 1.0, axis);
    v3_scale(d, angle, axis);
    rot_axis(A, axis, angle);
    rot_exp(B, d);
    ck_assert_double_lt(largest_difference(A, B, 9), 1e-14);
  }
}
END_TEST

START_TEST(quaternion_exponential_is_the_matrix_one) {
  uint64_t s = 4;
  for (int k = 0; k < 200; k++) {
    double d[3], q[4], A[9], B[9];
    random_vector(&s, pow(10.0, 4.0 * noise(&s) - 3.5), d);
    quat_exp(q, d);
    quat_to_rot(A, q);
    rot_exp(B, d);
    ck_assert_double_lt(largest_difference(A, B, 9), 1e-14);
  }
}
END_TEST

/* log(exp(d)) = d for lengths from 1e-12 to just under pi, relative to the length */
START_TEST(logarithm_undoes_the_exponential) {
  uint64_t s = 5;
  const double lengths[] = {1e-12, 1e-9, 1e-8, 3e-8, 1e-6, 1e-3, 0.02, 0.5, 2.0, 3.0, PI - 1e-6};
  for (int k = 0; k < 11; k++) {
    double d[3], e[3], q[4];
    random_vector(&s, lengths[k], d);
    quat_exp(q, d);
    quat_log(e, q);
    ck_assert_double_lt(largest_difference(d, e, 3), 4e-15 * lengths[k]);
    for (int i = 0; i < 4; i++) q[i] = -q[i];
    quat_log(e, q);
    ck_assert_double_lt(largest_difference(d, e, 3), 4e-15 * lengths[k]);
  }
}
END_TEST

START_TEST(matrix_logarithm_undoes_the_exponential) {
  uint64_t s = 6;
  for (int k = 0; k < 200; k++) {
    double d[3], e[3], R[9];
    random_vector(&s, 3.1 * fabs(noise(&s)), d);
    rot_exp(R, d);
    rot_log(e, R);
    ck_assert_double_lt(largest_difference(d, e, 3), 1e-14);
  }
}
END_TEST

/* every branch of the largest-component choice */
START_TEST(quaternion_from_matrix_in_all_branches) {
  uint64_t s = 7;
  int used[4] = {0, 0, 0, 0};
  for (int k = 0; k < 400; k++) {
    double q[4], p[4], R[9];
    int largest = 0;
    for (int i = 0; i < 4; i++) q[i] = noise(&s);
    quat_normalize(q);
    for (int i = 1; i < 4; i++)
      if (fabs(q[i]) > fabs(q[largest])) largest = i;
    used[largest]++;
    if (q[0] < 0)
      for (int i = 0; i < 4; i++) q[i] = -q[i];
    quat_to_rot(R, q);
    quat_from_rot(p, R);
    ck_assert_double_lt(largest_difference(p, q, 4), 1e-14);
  }
  for (int i = 0; i < 4; i++) ck_assert_int_gt(used[i], 20);
}
END_TEST

START_TEST(products_agree) {
  uint64_t s = 8;
  for (int k = 0; k < 100; k++) {
    double a[3], b[3], p[4], q[4], r[4], A[9], B[9], C[9], D[9];
    random_vector(&s, 2.0, a);
    random_vector(&s, 1.0, b);
    quat_exp(p, a);
    quat_exp(q, b);
    quat_mul(r, p, q);
    quat_to_rot(D, r);
    rot_exp(A, a);
    rot_exp(B, b);
    m3_mul(C, A, B);
    ck_assert_double_lt(largest_difference(C, D, 9), 1e-14);
  }
}
END_TEST

START_TEST(plus_and_minus_are_inverse_and_body_fixed) {
  uint64_t s = 9;
  for (int k = 0; k < 100; k++) {
    double a[3], d[3], e[3], q[4], q1[4], R[9], E[9], RE[9], R1[9];
    random_vector(&s, 2.0, a);
    random_vector(&s, 3.0 * fabs(noise(&s)), d);
    quat_exp(q, a);
    quat_plus(q1, q, d);
    quat_minus(e, q1, q);
    ck_assert_double_lt(largest_difference(d, e, 3), 1e-14);
    quat_to_rot(R, q);
    rot_exp(E, d);
    m3_mul(RE, R, E);
    quat_to_rot(R1, q1);
    ck_assert_double_lt(largest_difference(RE, R1, 9), 1e-14);
  }
}
END_TEST

START_TEST(frame_from_axis_is_a_frame) {
  uint64_t s = 10;
  for (int k = 0; k < 120; k++) {
    double a[3], near[3], R[9], P[9], I[9], c[3];
    int col = k % 3;
    random_vector(&s, 1.0, a);
    random_vector(&s, 1.0, near);
    if (k % 5 == 0) v3_copy(near, a); /* parallel: any other direction is taken */
    rot_from_axis(R, a, col, k % 7 ? near : NULL);
    m3_tmul(P, R, R);
    m3_identity(I);
    ck_assert_double_lt(largest_difference(P, I, 9), 1e-14);
    ck_assert_double_eq_tol(m3_det(R), 1.0, 1e-14);
    m3_column(c, R, col);
    ck_assert_double_lt(largest_difference(c, a, 3), 1e-15);
  }
}
END_TEST

START_TEST(frame_from_axis_stays_near) {
  const double a[3] = {0, 0, 1}, near[3] = {1, 0, 0.5};
  double R[9], x[3];
  rot_from_axis(R, a, 2, near);
  m3_column(x, R, 0);
  const double expected[3] = {1, 0, 0};
  ck_assert_double_lt(largest_difference(x, expected, 3), 1e-15);
}
END_TEST

/* axes and moments give the matrix back, also where moments are equal or far apart */
START_TEST(eigenvectors_of_a_symmetric_matrix) {
  uint64_t seed = 11;
  for (int k = 0; k < 2000; k++) {
    double A[9], D[9], R[9], P[9], I[9], size = pow(10.0, k % 7 - 3);
    for (int i = 0; i < 3; i++)
      for (int j = i; j < 3; j++) A[3 * i + j] = A[3 * j + i] = size * noise(&seed);
    if (k % 3 == 1) A[1] = A[3] = 0.0, A[0] = A[4];          // two that are nearly equal
    if (k % 3 == 2) A[8] *= 1e-9, A[2] = A[6] = 1e-9 * A[2]; // far apart
    memcpy(D, A, sizeof D);
    m3_eigen_symmetric(D, R);
    for (int i = 0; i < 9; i++) ck_assert(i % 4 == 0 || D[i] == 0.0);
    m3_mul(P, R, D);
    double Rt[9];
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) Rt[3 * i + j] = R[3 * j + i];
    m3_mul(D, P, Rt);
    ck_assert_double_lt(largest_difference(D, A, 9), 1e-14 * size);
    m3_tmul(P, R, R);
    m3_identity(I);
    ck_assert_double_lt(largest_difference(P, I, 9), 1e-14);
    ck_assert_double_eq_tol(m3_det(R), 1.0, 1e-13);
  }
}
END_TEST

Suite *suite_rotations(void) {
  Suite *s = suite_create("rotations");
  TCase *c = tcase_create("rotations");
  tcase_add_test(c, exponential_is_the_matrix_series);
  tcase_add_test(c, exponential_is_orthonormal_and_right_handed);
  tcase_add_test(c, quarter_turns_are_exact_permutations);
  tcase_add_test(c, axis_angle_is_the_exponential);
  tcase_add_test(c, quaternion_exponential_is_the_matrix_one);
  tcase_add_test(c, logarithm_undoes_the_exponential);
  tcase_add_test(c, matrix_logarithm_undoes_the_exponential);
  tcase_add_test(c, quaternion_from_matrix_in_all_branches);
  tcase_add_test(c, products_agree);
  tcase_add_test(c, plus_and_minus_are_inverse_and_body_fixed);
  tcase_add_test(c, frame_from_axis_is_a_frame);
  tcase_add_test(c, frame_from_axis_stays_near);
  tcase_add_test(c, eigenvectors_of_a_symmetric_matrix);
  suite_add_tcase(s, c);
  return s;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * elastic.c: elastic joints at rotations of any size below a full turn: tangents against differences,
 * potentials, exchange of the two markers, common rotations, and the way past half a turn.
 */
#include <math.h>
#include <string.h>

#include "elements/elastic.h"
#include "elements/support.h"
#include "runner.h"

enum { ALL = 63, N = 12 };

/* a joint of a type with a random coupled law, and two markers */
typedef struct joint {
  const hk_element_ops *ops;
  hk_elastic par;
  hk_frame m[2];
  double d[HK_ELASTIC_DISCRETE];
  hk_element_out out;
  rng r;
} joint;

static const struct {
  const char *type;
  int32_t reference;
} kinds[] = {{"bushing", HK_REFERENCE_MIDDLE},      {"elastic_displacement", HK_REFERENCE_MIDDLE},
             {"elastic_hinge", HK_REFERENCE_FIRST}, {"bushing", HK_REFERENCE_FIRST},
             {"bushing", HK_REFERENCE_SECOND},      {"elastic_displacement", HK_REFERENCE_SECOND}};
enum {
  KINDS = HK_ARRAY_LEN(kinds),
  INVARIANT = 3
}; /* of them, the first do not feel an exchange */

static const double angles[] = {0.0, 0.02, 0.29, 0.31, 0.84, 2.5, 3.5, 4.5};
enum { ANGLES = HK_ARRAY_LEN(angles) };

static void evaluate(joint *j) {
  const hk_element_in in = {.m = j->m, .d = j->d};
  j->ops->eval(&j->par, &in, ALL, &j->out);
}

static void turn(hk_frame *m, const double *phi) {
  double E[9], R[9];
  rot_exp(E, phi);
  m3_mul(R, E, m->R);
  memcpy(m->R, R, sizeof R);
}

static double largest(const double *x, int n) {
  double top = 0.0;
  for (int i = 0; i < n; i++) top = fmax(top, fabs(x[i]));
  return top;
}

/* a random positive definite matrix of n rows, stride 6 */
static void definite(rng *r, int n, double size, double *K) {
  double A[36];
  for (int i = 0; i < 36; i++) A[i] = rng_real(r, -1.0, 1.0);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      K[6 * i + j] = i == j ? 2.0 * size : 0.0;
      for (int k = 0; k < n; k++) K[6 * i + j] += size * A[6 * i + k] * A[6 * j + k];
    }
}

/* its markers are turned against each other by `angle`, displaced by about 0.3 m and in motion */
static void make(joint *j, int kind, double angle, bool damped) {
  memset(j, 0, sizeof *j);
  j->r.s = 77u + (uint64_t)kind;
  j->ops = hki_element_find(kinds[kind].type);
  definite(&j->r, j->ops->rank, 10.0, j->par.law.stiffness);
  if (damped) definite(&j->r, j->ops->rank, 1.0, j->par.law.damping);
  j->par.reference = kinds[kind].reference;
  ck_assert_int_eq(j->ops->prepare(NULL, HK_LOC_NONE, "joint", &j->par, 0, NULL, NULL), HK_OK);
  double axis[3], d[3];
  rng_vector(&j->r, 1.0, axis);
  v3_scale(axis, angle / v3_norm(axis), axis);
  rng_rotation(&j->r, j->m[0].R);
  double E[9];
  rot_exp(E, axis);
  m3_mul(j->m[1].R, j->m[0].R, E);
  rng_vector(&j->r, 0.3, d);
  rng_vector(&j->r, 2.0, j->m[0].p);
  v3_add(j->m[1].p, j->m[0].p, d);
  for (int i = 0; i < 2; i++) rng_vector(&j->r, 1.0, j->m[i].w), rng_vector(&j->r, 1.0, j->m[i].v);
  // remembered from a state a little earlier
  v3_scale(j->d, 0.9, axis);
  evaluate(j);
}

/* coordinate k of the markers moved by h; k from 12 on: their twists */
static void shift(joint *j, int k, double h) {
  hk_frame *m = &j->m[k % N / 6];
  if (k < N)
    hki_frame_move(m, k % 6, h);
  else
    *(k % 6 < 3 ? &m->w[k % 6] : &m->v[k % 6 - 3]) += h;
  evaluate(j);
}

START_TEST(tangents_by_differences) {
  const double h = 1e-5;
  for (int a = 0; a < ANGLES; a++)
    for (int damped = 0; damped < 2; damped++) {
      joint j, up, down;
      make(&j, _i, angles[a], damped);
      const double top = largest(j.out.K, N * N), most = largest(j.out.w, N);
      for (int k = 0; k < 2 * N; k++) {
        up = down = j;
        shift(&up, k, h), shift(&down, k, -h);
        for (int i = 0; i < N; i++) {
          const double *T = k < N ? j.out.K : j.out.C;
          const double found = -(up.out.w[i] - down.out.w[i]) / (2.0 * h);
          ck_assert_msg(fabs(found - T[N * i + k % N]) < 1e-9 * top,
                        "%s at %g rad, %s(%d, %d): %g, expected %g", j.ops->name, angles[a],
                        k < N ? "K" : "C", i, k % N, T[N * i + k % N], found);
        }
        // wrenches are those of the energy
        if (!damped && k < N)
          ck_assert_double_le(fabs(j.out.w[k] + (up.out.energy - down.out.energy) / (2.0 * h)),
                              1e-9 * (1.0 + most));
      }
    }
}
END_TEST

START_TEST(tangents_of_a_potential_are_symmetric) {
  for (int a = 0; a < ANGLES; a++) {
    joint j;
    make(&j, _i, angles[a], false);
    const double *K = j.out.K;
    for (int i = 0; i < N; i++)
      for (int k = 0; k < N; k++) {
        double odd = K[N * i + k] - K[N * k + i], S[9];
        // the moment on a marker turns with its axes
        m3_skew(S, j.out.w + 6 * (i / 6));
        if (i / 6 == k / 6 && i % 6 < 3 && k % 6 < 3) odd -= S[3 * (i % 6) + k % 6];
        ck_assert_msg(fabs(odd) <= 1e-13 * largest(K, N * N), "%s at %g rad: %g", j.ops->name,
                      angles[a], odd);
      }
  }
}
END_TEST

/* the same joint with its markers exchanged */
static void exchange(const joint *j, joint *x) {
  *x = *j;
  x->m[0] = j->m[1], x->m[1] = j->m[0];
  v3_scale(x->d, -1.0, j->d);
}

START_TEST(exchange_changes_nothing) {
  for (int a = 0; a < ANGLES; a++)
    for (int damped = 0; damped < 2; damped++) {
      joint j, x;
      make(&j, _i, angles[a], damped);
      exchange(&j, &x);
      // axes of the first marker become those of the second
      if (_i >= INVARIANT) x.par.reference = 1 - j.par.reference;
      evaluate(&x);
      const double most = largest(j.out.w, N), top = largest(j.out.K, N * N);
      for (int i = 0; i < N; i++) {
        ck_assert_double_le(fabs(j.out.w[i] - x.out.w[(i + 6) % N]), 1e-13 * most);
        for (int k = 0; k < N; k++) {
          const int at = N * ((i + 6) % N) + (k + 6) % N;
          ck_assert_double_le(fabs(j.out.K[N * i + k] - x.out.K[at]), 1e-13 * top);
          ck_assert_double_le(fabs(j.out.C[N * i + k] - x.out.C[at]), 1e-13 * top);
        }
      }
      ck_assert_double_le(fabs(j.out.energy - x.out.energy), 1e-13 * j.out.energy);
      ck_assert_double_le(fabs(j.out.dissipated - x.out.dissipated),
                          1e-13 * (1.0 + j.out.dissipated));
      for (int i = 0; i < j.ops->ny; i++)
        ck_assert_double_le(fabs(j.out.y[i] + x.out.y[i]), 1e-13 * largest(j.out.y, j.ops->ny));
    }
}
END_TEST

/* today's bushing, in axes of its first marker, does feel it */
START_TEST(first_feels_the_exchange) {
  joint j, x;
  make(&j, 3, 0.84, false);
  exchange(&j, &x);
  evaluate(&x);
  double most = 0.0;
  for (int i = 0; i < N; i++) most = fmax(most, fabs(j.out.w[i] - x.out.w[(i + 6) % N]));
  ck_assert_double_gt(most, 1e-2 * largest(j.out.w, N));
}
END_TEST

START_TEST(common_rotation_changes_nothing) {
  for (int a = 0; a < ANGLES; a++) {
    joint j, x;
    const double phi[3] = {1.1, -1.3, 0.9}, w[3] = {0.7, -0.4, 1.2};
    make(&j, _i, angles[a], true);
    x = j;
    double E[9], t[3], f[3];
    rot_exp(E, phi);
    for (int i = 0; i < 2; i++) {
      turn(&x.m[i], phi);
      m3_mulv(x.m[i].p, E, j.m[i].p);
      m3_mulv(x.m[i].w, E, j.m[i].w), m3_mulv(x.m[i].v, E, j.m[i].v);
      // and a common twist
      v3_cross(t, w, x.m[i].p);
      v3_add(x.m[i].v, x.m[i].v, t), v3_add(x.m[i].w, x.m[i].w, w);
    }
    evaluate(&x);
    const double size = largest(j.out.y, j.ops->ny);
    for (int i = 0; i < j.ops->ny; i++)
      ck_assert_double_le(fabs(j.out.y[i] - x.out.y[i]), 1e-12 * (1.0 + size));
    ck_assert_double_le(fabs(j.out.dissipated - x.out.dissipated),
                        1e-12 * (1.0 + j.out.dissipated));
    for (int i = 0; i < N; i += 3) {
      m3_mulv(f, E, j.out.w + i);
      for (int k = 0; k < 3; k++)
        ck_assert_double_le(fabs(f[k] - x.out.w[i + k]), 1e-12 * (1.0 + size));
    }
  }
}
END_TEST

/* turned on in steps of 0.1 rad about a slowly turning axis: the rotation vector is followed to 0.95 of a
 * turn and back, where the logarithm alone would jump; then the joint refuses */
START_TEST(rotations_past_half_a_turn) {
  joint j;
  make(&j, _i, 0.0, false);
  v3_zero(j.d);
  const double *y = j.out.y + (j.ops->rank == 6 ? 3 : 0), top = 0.95 * 2.0 * M_PI;
  const hk_element_in in = {.m = j.m, .d = j.d};
  double before = 0.0;
  for (int k = 0; k <= 120; k++) {
    const double z = top * (1.0 - fabs(1.0 - k / 60.0)) * (1.0 - 1e-9);
    double th[3] = {0.6 * z, 0.8 * z * cos(0.01 * k), 0.8 * z * sin(0.01 * k)}, E[9];
    rot_exp(E, th);
    m3_mul(j.m[1].R, j.m[0].R, E);
    evaluate(&j);
    if (k) ck_assert_double_le(fabs(j.out.energy - before), 40.0);
    before = j.out.energy;
    for (int i = 0; j.ops->rank != 3 || _i == 2 ? i < 3 : false; i++)
      ck_assert_double_eq_tol(y[i], th[i], 1e-13);
    ck_assert_ptr_null(j.ops->follow(&j.par, &in, j.d));
    for (int i = 0; i < 3; i++) ck_assert_double_eq_tol(j.d[i], th[i], 1e-13);
  }
  for (double z = 0.1; z < top; z += 0.1) {
    double th[3] = {z, 0.0, 0.0}, E[9];
    rot_exp(E, th);
    m3_mul(j.m[1].R, j.m[0].R, E);
    ck_assert_ptr_null(j.ops->follow(&j.par, &in, j.d));
  }
  double th[3] = {top + 0.01, 0.0, 0.0}, E[9];
  rot_exp(E, th);
  m3_mul(j.m[1].R, j.m[0].R, E);
  const char *words = j.ops->follow(&j.par, &in, j.d);
  ck_assert_ptr_nonnull(words);
  ck_assert_ptr_nonnull(strstr(words, "joint_spring"));
}
END_TEST

/* a bushing that is free about an axis may turn for ever about it */
START_TEST(bearings_turn_for_ever) {
  joint j;
  make(&j, 3, 0.0, false);
  memset(j.par.law.stiffness, 0, sizeof j.par.law.stiffness);
  for (int i = 0; i < 5; i++) j.par.law.stiffness[7 * i] = 10.0;
  ck_assert_int_eq(j.ops->prepare(NULL, HK_LOC_NONE, "joint", &j.par, 0, NULL, NULL), HK_OK);
  v3_zero(j.d);
  memcpy(j.m[1].p, j.m[0].p, sizeof j.m[1].p);
  const hk_element_in in = {.m = j.m, .d = j.d};
  for (int k = 0; k < 200; k++) {
    double th[3] = {0.0, 0.0, 0.1 * k}, E[9];
    rot_exp(E, th);
    m3_mul(j.m[1].R, j.m[0].R, E);
    evaluate(&j);
    ck_assert_double_le(largest(j.out.w, N), 1e-13);
    ck_assert_ptr_null(j.ops->follow(&j.par, &in, j.d));
  }
}
END_TEST

Suite *suite_elastic(void);
Suite *suite_elastic(void) {
  Suite *s = suite_create("elastic");
  TCase *t = tcase_create("elastic");
  tcase_add_loop_test(t, tangents_by_differences, 0, KINDS);
  tcase_add_loop_test(t, tangents_of_a_potential_are_symmetric, 0, KINDS);
  tcase_add_loop_test(t, exchange_changes_nothing, 0, KINDS - 1);
  tcase_add_test(t, first_feels_the_exchange);
  tcase_add_loop_test(t, common_rotation_changes_nothing, 0, KINDS);
  tcase_add_loop_test(t, rotations_past_half_a_turn, 0, KINDS - 1);
  tcase_add_test(t, bearings_turn_for_ever);
  suite_add_tcase(s, t);
  return s;
}

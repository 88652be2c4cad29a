/* SPDX-License-Identifier: Apache-2.0
 *
 * Evaluations of the equations of motion (hooke/eval.h), on trees and loops, planar and spatial, with
 * quaternions: each function against another one, or against differences. At random states off the
 * constraints where these do not matter, at closed ones where they do.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hooke/hooke.h"
#include "runner.h"

Suite *suite_evaluation(void);

static const char *const models[] = {"pendulum.yaml",         "puma-by-torques.yaml",
                                     "double-four-bar.yaml",  "iltis/ramp-and-stairs.yaml",
                                     "spatial-four-bar.yaml", "bricard.yaml",
                                     "spinning-body.yaml",    "cardan-and-cv.yaml",
                                     "five-bar-robot.yaml",   "rolling-disc.yaml",
                                     "gyroscope.yaml",        "planetary.yaml"};
enum { MODELS = sizeof models / sizeof *models, MOST = 64 };

/* joints named from their far side, with zeros of their own */
static const char *const reversed =
    "hooke: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  upper: {mass: 2, com: [0.5, 0.1, 0], inertia: {diagonal: [0.1, 0.2, 0.3]}}\n"
    "  lower: {mass: 1, com: [1.5, 0, 0.2], inertia: {diagonal: [0.2, 0.1, 0.2]}}\n"
    "  slide: {mass: 1, com: [2.0, 0, 0.2], inertia: {diagonal: [0.1, 0.1, 0.2]}}\n"
    "joints:\n"
    "  a: {type: revolute, between: [upper, ground], at: [0, 0, 0], axis: y, zero: 0.3}\n"
    "  b: {type: revolute, between: [upper, lower], at: [1, 0, 0], axis: [0, 1, 1]}\n"
    "  c: {type: prismatic, between: [slide, lower], at: [2, 0, 0], axis: x}\n"
    "run: {time: 1, step: 0.001}\n";

/* what follows from neither time, position nor velocity: controllers, friction */
static const char *const remembering[] = {"servo-arm.yaml", "stick-slip.yaml"};

/* an evaluation and a random state of it */
static struct {
  hk_ctx *ctx;
  hk_model *m;
  hk_eval *e;
  int32_t nq, nv, nr;
  double q[MOST], v[MOST], a[MOST];
} x;

/* the examples, then the text, then those that remember */
static const char *model_at(int i) {
  return i < MODELS ? models[i] : i == MODELS ? reversed : remembering[i - MODELS - 1];
}

static uint64_t seed;

/* from -1 to 1 */
static double chance(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) / 4503599627370496.0 - 1.0;
}

static void make(const char *name) {
  char path[512];
  snprintf(path, sizeof path, "%s/examples/%s", test_source_dir(), name);
  x.ctx = hk_ctx_create();
  const hk_status st = strchr(name, '\n')
                           ? hk_model_parse(x.ctx, name, strlen(name), "text", NULL, 0, &x.m)
                           : hk_model_load(x.ctx, path, NULL, 0, &x.m);
  ck_assert_msg(st == HK_OK, "%s: %s", name,
                st ? hk_ctx_message(x.ctx, hk_ctx_message_count(x.ctx) - 1)->text : "");
  ck_assert_msg(hk_eval_create(NULL, x.m, &x.e) == HK_OK, "%s", name);
  x.nq = hk_eval_coordinates(x.e), x.nv = hk_eval_velocities(x.e);
  x.nr = hk_eval_constraints(x.e);
  ck_assert(x.nq >= x.nv && x.nv > 0 && x.nq <= MOST && x.nr <= 2 * MOST);
}

static void end(void) {
  hk_eval_destroy(x.e);
  hk_model_release(x.m);
  hk_ctx_destroy(x.ctx);
}

/* a state at random, some way from the start */
static void wander(double far) {
  double d[MOST];
  ck_assert_int_eq(hk_eval_get(x.e, NULL, x.q, x.v), HK_OK);
  for (int32_t i = 0; i < x.nv; i++) d[i] = far * chance(), x.v[i] += chance(), x.a[i] = chance();
  ck_assert_int_eq(hk_eval_plus(x.e, x.q, d, x.q), HK_OK);
  ck_assert_int_eq(hk_eval_state(x.e, 0.1, x.q, x.v), HK_OK);
}

/* largest difference of two vectors, relative to the larger one */
static double apart(const double *a, const double *b, int32_t n) {
  double top = 1e-300, most = 0.0;
  for (int32_t i = 0; i < n; i++) {
    top = fmax(top, fmax(fabs(a[i]), fabs(b[i])));
    most = fmax(most, isfinite(a[i] - b[i]) ? fabs(a[i] - b[i]) : INFINITY);
  }
  return most / top;
}

/* Is a symmetric matrix positive definite? Cholesky's factor in its place. Bodies without mass may make
 * it semidefinite: `little` times the largest diagonal entry is added. */
static bool is_positive(double (*M)[MOST], int32_t n, double little) {
  double top = 0.0;
  for (int32_t j = 0; j < n; j++) top = fmax(top, M[j][j]);
  for (int32_t j = 0; j < n; j++) M[j][j] += little * top;
  for (int32_t j = 0; j < n; j++)
    for (int32_t i = j; i < n; i++) {
      double s = M[i][j];
      for (int32_t k = 0; k < j; k++) s -= M[i][k] * M[j][k];
      if (i == j && !(s > 0.0)) return false;
      M[i][j] = i == j ? sqrt(s) : s / M[j][j];
    }
  return true;
}

/* M a - Q by the matrix and by the pass; v'M v / 2 is the kinetic energy */
START_TEST(matrix_and_inverse) {
  static double M[MOST][MOST];
  make(model_at(_i));
  seed = 7;
  for (int n = 0; n < 3; n++) {
    double bias[MOST], tau[MOST], sum[MOST], kinetic, energy = 0.0;
    wander(0.3);
    ck_assert_int_eq(hk_eval_mass(x.e, M[0], MOST), HK_OK);
    ck_assert_int_eq(hk_eval_inverse(x.e, NULL, bias), HK_OK);
    ck_assert_int_eq(hk_eval_inverse(x.e, x.a, tau), HK_OK);
    for (int32_t i = 0; i < x.nv; i++) {
      sum[i] = bias[i];
      for (int32_t j = 0; j < x.nv; j++) {
        sum[i] += M[i][j] * x.a[j];
        energy += 0.5 * M[i][j] * x.v[i] * x.v[j];
        ck_assert(M[i][j] == M[j][i]);
      }
    }
    ck_assert_double_lt(apart(sum, tau, x.nv), 1e-13);
    ck_assert_int_eq(hk_eval_energy(x.e, &kinetic, NULL), HK_OK);
    ck_assert_double_lt(fabs(kinetic - energy), 1e-13 * kinetic);
    const bool massless = strstr(model_at(_i), "iltis") != NULL;
    ck_assert(is_positive(M, x.nv, massless ? 1e-12 : 0.0));
  }
  end();
}
END_TEST

/* the equations of motion and those of the constraints hold; what the inverse gives goes back */
START_TEST(forward_and_inverse) {
  static double G[2 * MOST][MOST];
  make(model_at(_i));
  seed = 11;
  for (int n = 0; n < 3; n++) {
    double own[MOST], a[MOST], tau[MOST], lam[2 * MOST], left[MOST], gamma[2 * MOST];
    wander(0.05);
    ck_assert_int_eq(hk_eval_project(x.e), HK_OK);
    for (int32_t i = 0; i < x.nv; i++) own[i] = chance();
    ck_assert_int_eq(hk_eval_forward(x.e, own, a, lam), HK_OK);
    // M a - Q = own - G' lam, G a + gamma = 0
    ck_assert_int_eq(hk_eval_inverse(x.e, a, tau), HK_OK);
    ck_assert_int_eq(hk_eval_constraint_jacobian(x.e, G[0], MOST), HK_OK);
    ck_assert_int_eq(hk_eval_residual(x.e, NULL, NULL, gamma), HK_OK);
    double size = 1.0;
    for (int32_t i = 0; i < x.nv; i++) {
      left[i] = own[i];
      for (int32_t r = 0; r < x.nr; r++) {
        left[i] -= G[r][i] * lam[r];
        size = fmax(size, fabs(G[r][i] * lam[r]));
      }
    }
    for (int32_t i = 0; i < x.nv; i++) ck_assert_double_lt(fabs(left[i] - tau[i]), 1e-9 * size);
    for (int32_t r = 0; r < x.nr; r++) {
      double sum = gamma[r], top = 1.0 + fabs(gamma[r]);
      for (int32_t i = 0; i < x.nv; i++) sum += G[r][i] * a[i], top += fabs(G[r][i] * a[i]);
      ck_assert_double_lt(fabs(sum), 1e-9 * top);
    }
    // the same accelerations from what they need
    double again[MOST];
    ck_assert_int_eq(hk_eval_forward(x.e, tau, again, NULL), HK_OK);
    ck_assert_double_lt(apart(a, again, x.nv), 1e-8);
    // of trees, any accelerations
    if (x.nr) continue;
    ck_assert_int_eq(hk_eval_inverse(x.e, x.a, tau), HK_OK);
    ck_assert_int_eq(hk_eval_forward(x.e, tau, again, NULL), HK_OK);
    ck_assert_double_lt(apart(x.a, again, x.nv), 1e-10);
  }
  end();
}
END_TEST

/* Drives of loops: the forces that made an acceleration are found again; where there are fewer drives
 * than freedoms, most accelerations are out of reach. */
START_TEST(drives_of_loops) {
  static const struct {
    const char *model;
    int32_t dof;
  } cases[] = {{"double-four-bar.yaml", 1}, {"spatial-four-bar.yaml", 1},
               {"bricard.yaml", 1},         {"andrews.yaml", 1},
               {"pendulum.yaml", 1},        {"puma-by-torques.yaml", 6}};
  make(cases[_i].model);
  seed = 17;
  const int32_t dof = cases[_i].dof, which[] = {0, 1, 2, 3, 4, 5};
  double own[MOST] = {0}, a[MOST], tau[6], none;
  wander(0.05);
  ck_assert_int_eq(hk_eval_project(x.e), HK_OK);
  for (int32_t i = 0; i < dof; i++) own[which[i]] = chance();
  ck_assert_int_eq(hk_eval_forward(x.e, own, a, NULL), HK_OK);
  ck_assert_int_eq(hk_eval_drives(x.e, a, dof, which, tau), HK_OK);
  for (int32_t i = 0; i < dof; i++)
    ck_assert_msg(fabs(tau[i] - own[which[i]]) < 1e-7, "%s: %g %g", cases[_i].model, tau[i],
                  own[which[i]]);
  for (int32_t i = 0; i < x.nv; i++) a[i] += 1.0;
  ck_assert_int_eq(hk_eval_drives(x.e, a, 0, NULL, &none), HK_E_SINGULAR);
  end();
}
END_TEST

/* inputs: set here, and taken from a simulation */
START_TEST(inputs) {
  double a[MOST];
  hk_sim *s;
  make("speed-loop.yaml");
  const int32_t torque = hk_eval_input_find(x.e, "torque");
  int32_t at = 0;
  while (strcmp(hk_eval_velocity_name(x.e, at), "joint.outside.rate") != 0) at++;
  ck_assert_int_ge(torque, 0);
  ck_assert_int_eq(hk_eval_input_find(x.e, "error"), -1);
  for (int i = -2; i < 3; i++) {
    ck_assert_int_eq(hk_eval_input_set(x.e, torque, 0.1 * i), HK_OK);
    hk_eval_get(x.e, NULL, x.q, x.v);
    ck_assert_int_eq(hk_eval_state(x.e, 0.5 * i, x.q, x.v), HK_OK);
    ck_assert_int_eq(hk_eval_forward(x.e, NULL, a, NULL), HK_OK);
    ck_assert_double_lt(fabs(a[at] - 0.1 * i / 0.02), 1e-12);
  }
  ck_assert_int_eq(hk_sim_create(x.m, NULL, &s), HK_OK);
  ck_assert_int_eq(hk_sim_input_set(s, torque, 0.3, 1), HK_OK);
  ck_assert_int_eq(hk_eval_take(x.e, s, NULL), HK_OK);
  ck_assert_int_eq(hk_eval_forward(x.e, NULL, a, NULL), HK_OK);
  ck_assert_double_lt(fabs(a[at] - 0.3 / 0.02), 1e-12);
  hk_sim_destroy(s);
  end();
}
END_TEST

/* rotation vector of R1 R0' for small rotations, and the difference of the origins, over 2 h */
static void pose_rate(const double *R1, const double *p1, const double *R0, const double *p0,
                      double h, double *out) {
  double D[9] = {0};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++) D[3 * i + j] += R1[3 * i + k] * R0[3 * j + k];
  out[0] = (D[7] - D[5]) / (4 * h), out[1] = (D[2] - D[6]) / (4 * h);
  out[2] = (D[3] - D[1]) / (4 * h);
  for (int i = 0; i < 3; i++) out[3 + i] = (p1[i] - p0[i]) / (2 * h);
}

/* Jacobians of frames and constraints against central differences along each velocity; twists and
 * accelerations from them */
START_TEST(jacobians) {
  static double J[6][MOST], G[2 * MOST][MOST];
  const double h = 1e-6;
  make(model_at(_i));
  seed = 3;
  wander(0.2);
  double q[MOST], d[MOST], phi[2][2 * MOST], rate[2 * MOST];
  ck_assert_int_eq(hk_eval_constraint_jacobian(x.e, G[0], MOST), HK_OK);
  ck_assert_int_eq(hk_eval_residual(x.e, NULL, rate, NULL), HK_OK);
  const int32_t nf = hk_eval_frames(x.e);
  ck_assert_int_gt(nf, 0);
  for (int32_t f = 0; f < nf; f++) {
    double w[3], v[3];
    ck_assert_int_eq(hk_eval_frame_find(x.e, hk_eval_frame_name(x.e, f)), f);
    ck_assert_int_eq(hk_eval_state(x.e, 0.1, x.q, x.v), HK_OK);
    ck_assert_int_eq(hk_eval_jacobian(x.e, f, J[0], MOST), HK_OK);
    ck_assert_int_eq(hk_eval_twist(x.e, f, w, v), HK_OK);
    for (int i = 0; i < 6; i++) {
      double sum = 0.0;
      for (int32_t j = 0; j < x.nv; j++) sum += J[i][j] * x.v[j];
      ck_assert_double_lt(fabs(sum - (i < 3 ? w[i] : v[i - 3])), 1e-12 * (1.0 + fabs(sum)));
    }
    for (int32_t j = 0; j < x.nv; j++) {
      double R[2][9], p[2][3], slope[6];
      for (int side = 0; side < 2; side++) {
        memset(d, 0, sizeof d);
        d[j] = side ? h : -h;
        ck_assert_int_eq(hk_eval_plus(x.e, x.q, d, q), HK_OK);
        ck_assert_int_eq(hk_eval_state(x.e, 0.1, q, x.v), HK_OK);
        ck_assert_int_eq(hk_eval_pose(x.e, f, R[side], p[side]), HK_OK);
        if (f == 0) hk_eval_residual(x.e, phi[side], NULL, NULL);
      }
      pose_rate(R[1], p[1], R[0], p[0], h, slope);
      for (int i = 0; i < 6; i++) ck_assert_double_lt(fabs(slope[i] - J[i][j]), 2e-8);
      // rows that bind velocities alone have no value
      for (int32_t r = 0; f == 0 && r < x.nr; r++)
        if (phi[1][r] != 0.0 || phi[0][r] != 0.0)
          ck_assert_double_lt(fabs((phi[1][r] - phi[0][r]) / (2 * h) - G[r][j]), 1e-7);
    }
  }
  end();
}
END_TEST

/* accelerations of frames: differences of twists along a short motion q(t) with dv/dt = a */
START_TEST(accelerations_of_frames) {
  const double h = 1e-5;
  make(model_at(_i));
  seed = 5;
  wander(0.2);
  for (int32_t f = 0; f < hk_eval_frames(x.e); f++) {
    double w[2][3], v[2][3], alpha[3], acc[3], d[MOST], q[MOST], vs[MOST];
    double phi[2][2 * MOST], rate[2 * MOST];
    for (int side = 0; side < 2; side++) {
      const double t = side ? h : -h;
      for (int32_t i = 0; i < x.nv; i++)
        d[i] = t * (x.v[i] + 0.5 * t * x.a[i]), vs[i] = x.v[i] + t * x.a[i];
      ck_assert_int_eq(hk_eval_plus(x.e, x.q, d, q), HK_OK);
      ck_assert_int_eq(hk_eval_state(x.e, 0.1 + t, q, vs), HK_OK);
      ck_assert_int_eq(hk_eval_twist(x.e, f, w[side], v[side]), HK_OK);
      ck_assert_int_eq(hk_eval_residual(x.e, phi[side], NULL, NULL), HK_OK);
    }
    ck_assert_int_eq(hk_eval_state(x.e, 0.1, x.q, x.v), HK_OK);
    ck_assert_int_eq(hk_eval_residual(x.e, NULL, rate, NULL), HK_OK);
    for (int32_t r = 0; r < x.nr; r++)
      if (phi[1][r] != 0.0 || phi[0][r] != 0.0)
        ck_assert_double_lt(fabs((phi[1][r] - phi[0][r]) / (2 * h) - rate[r]), 1e-7);
    ck_assert_int_eq(hk_eval_acceleration(x.e, f, x.a, alpha, acc), HK_OK);
    for (int i = 0; i < 3; i++) {
      ck_assert_double_lt(fabs((w[1][i] - w[0][i]) / (2 * h) - alpha[i]),
                          1e-6 * (1 + fabs(alpha[i])));
      ck_assert_double_lt(fabs((v[1][i] - v[0][i]) / (2 * h) - acc[i]), 1e-6 * (1 + fabs(acc[i])));
    }
  }
  end();
}
END_TEST

/* A simulation in other coordinates: the same accelerations, energies, channels. The accelerations of
 * an explicit method are those of the state itself; those of implicit ones differ by the order of the
 * method. */
START_TEST(as_in_a_simulation) {
  hk_sim *s;
  hk_sim_options opt = hk_sim_options_def();
  make(model_at(_i));
  opt.formulation = "global";
  opt.integrator = "rk4";
  opt.step = 1e-4;
  ck_assert_msg(hk_sim_create(x.m, &opt, &s) == HK_OK, "%s: %s", model_at(_i),
                hk_ctx_message(x.ctx, hk_ctx_message_count(x.ctx) - 1)->text);
  // the servo begins to move after 0.1 s
  const int steps = _i <= MODELS ? 20 : test_few() ? 1100 : 1500;
  for (int n = 0; n < steps; n++) ck_assert_int_eq(hk_sim_step(s), HK_OK);
  double a[MOST], mine[MOST], t, kinetic, potential, want, top = 1.0;
  ck_assert_int_eq(hk_eval_take(x.e, s, a), HK_OK);
  ck_assert_int_eq(hk_eval_get(x.e, &t, x.q, x.v), HK_OK);
  ck_assert(t == hk_sim_time(s));
  ck_assert_int_eq(hk_eval_forward(x.e, NULL, mine, NULL), HK_OK);
  for (int32_t i = 0; i < x.nv; i++) top = fmax(top, fabs(a[i]));
  for (int32_t i = 0; i < x.nv; i++)
    ck_assert_msg(fabs(a[i] - mine[i]) < 1e-8 * top, "%s, %s: %.12g %.12g", model_at(_i),
                  hk_eval_velocity_name(x.e, i), a[i], mine[i]);
  ck_assert_int_eq(hk_eval_energy(x.e, &kinetic, &potential), HK_OK);
  if (hk_sim_value(s, "energy.kinetic", &want) == HK_OK)
    ck_assert_double_lt(fabs(want - kinetic), 1e-10 * (1 + fabs(want)));
  for (int32_t i = 0; i < x.nq; i++)
    if (hk_sim_value(s, hk_eval_coordinate_name(x.e, i), &want) == HK_OK)
      ck_assert_msg(fabs(want - x.q[i]) <= 1e-11 * (1 + fabs(want)), "%s: %g %g",
                    hk_eval_coordinate_name(x.e, i), want, x.q[i]);
  for (int32_t i = 0; i < x.nv; i++)
    if (hk_sim_value(s, hk_eval_velocity_name(x.e, i), &want) == HK_OK)
      ck_assert_msg(fabs(want - x.v[i]) <= 1e-10 * (1 + fabs(want)), "%s: %g %g",
                    hk_eval_velocity_name(x.e, i), want, x.v[i]);
  hk_sim_destroy(s);
  end();
}
END_TEST

/* no function but the first allocates */
START_TEST(without_allocation) {
  static double M[MOST][MOST], G[2 * MOST][MOST];
  make(model_at(_i));
  const uint64_t before = hk_ctx_allocations(x.ctx);
  for (int n = 0; n < 10; n++) {
    double tau[MOST], row[2 * MOST];
    wander(0.01);
    ck_assert_int_eq(hk_eval_project(x.e), HK_OK);
    hk_eval_mass(x.e, M[0], MOST);
    hk_eval_inverse(x.e, x.a, tau);
    hk_eval_forward(x.e, tau, x.a, row);
    hk_eval_jacobian(x.e, 0, M[0], MOST);
    hk_eval_constraint_jacobian(x.e, G[0], MOST);
    hk_eval_residual(x.e, row, row, row);
    hk_eval_energy(x.e, NULL, NULL);
  }
  ck_assert_uint_eq(hk_ctx_allocations(x.ctx), before);
  end();
}
END_TEST

/* plus and minus are inverse */
START_TEST(increments) {
  make(model_at(_i));
  seed = 13;
  for (int n = 0; n < 5; n++) {
    double d[MOST], q[MOST], back[MOST];
    wander(1.0);
    for (int32_t i = 0; i < x.nv; i++) d[i] = chance();
    ck_assert_int_eq(hk_eval_plus(x.e, x.q, d, q), HK_OK);
    ck_assert_int_eq(hk_eval_minus(x.e, q, x.q, back), HK_OK);
    ck_assert_double_lt(apart(d, back, x.nv), 1e-12);
    hk_eval_get(x.e, NULL, x.q, x.v);
  }
  end();
}
END_TEST

Suite *suite_evaluation(void) {
  Suite *s = suite_create("evaluation");
  TCase *t = tcase_create("evaluation");
  tcase_set_timeout(t, 60.0);
  tcase_add_loop_test(t, matrix_and_inverse, 0, MODELS + 1);
  tcase_add_loop_test(t, forward_and_inverse, 0, MODELS + 1);
  tcase_add_loop_test(t, drives_of_loops, 0, 6);
  tcase_add_test(t, inputs);
  tcase_add_loop_test(t, jacobians, 0, MODELS + 1);
  tcase_add_loop_test(t, accelerations_of_frames, 0, MODELS + 1);
  tcase_add_loop_test(t, as_in_a_simulation, 0, MODELS + 3);
  tcase_add_loop_test(t, without_allocation, 0, MODELS + 1);
  tcase_add_loop_test(t, increments, 0, MODELS + 1);
  suite_add_tcase(s, t);
  return s;
}

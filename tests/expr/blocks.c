/* SPDX-License-Identifier: Apache-2.0
 *
 * What sampled blocks remember: linear systems brought into discrete time against closed forms, slow, stiff, unstable and
 * large ones; the order of the halves of an instant; instants that differ by rounding; the ways of a state machine;
 * slopes before the start against differences.
 */
#include "support.h"

#include "expr/blocks.h"

static const double zero[8];

static hk_linear sampled(fixture *f, int32_t n, const double *A, const double *B, double h) {
  static const double C[8] = {1}, D[1];
  hk_linear l = {.nx = n, .nu = 1, .ny = 1, .A = A, .B = B, .C = C, .D = D, .start = zero}, out;
  ck_assert_int_eq(hki_linear_sample(f->pool, &l, h, &out), HK_OK);
  return out;
}

static void near(double found, double expected, double within) {
  ck_assert_msg(fabs(found - expected) <= within * (1e-300 + fabs(expected)), "%.17g is not %.17g",
                found, expected);
}

START_TEST(exponentials) {
  fixture f;
  fixture_open(&f);
  // x' = a x + u: e^(a h) and (e^(a h) - 1)/a, also where a h is tiny or large
  static const double rates[] = {-3, 2, -1e-9, -1e5, 40};
  for (int32_t i = 0; i < 5; i++) {
    const double a = rates[i], one = 1.0, h = 0.25;
    hk_linear d = sampled(&f, 1, &a, &one, h);
    ck_assert_msg(fabs(d.A[0] - exp(a * h)) <= 1e-13 * fmax(1.0, exp(a * h)), "e^(%g)", a * h);
    near(d.B[0], expm1(a * h) / a, 2e-14);
  }
  // no states decay, one feeds the next: a polynomial in h
  const double chain[9] = {0, 1, 0, 0, 0, 1, 0, 0, 0}, last[3] = {0, 0, 1};
  hk_linear d = sampled(&f, 3, chain, last, 3.0);
  const double A[9] = {1, 3, 4.5, 0, 1, 3, 0, 0, 1}, B[3] = {4.5, 4.5, 3};
  for (int32_t i = 0; i < 9; i++) ck_assert(fabs(d.A[i] - A[i]) < 1e-14);
  for (int32_t i = 0; i < 3; i++) ck_assert(fabs(d.B[i] - B[i]) < 1e-14);
  // a weakly damped oscillator over 200 periods
  const double w = 2000, z = 1e-3, h = 0.6283, wd = w * sqrt(1 - z * z), e = exp(-z * w * h);
  const double osc[4] = {0, 1, -w * w, -2 * z * w}, in[2] = {0, w * w};
  d = sampled(&f, 2, osc, in, h);
  near(d.A[0], e * (cos(wd * h) + z * w / wd * sin(wd * h)), 1e-11);
  near(d.B[0], 1 - d.A[0], 1e-11);
  fixture_close(&f);
}
END_TEST

START_TEST(grows_beyond) {
  fixture f;
  fixture_open(&f);
  const double a = 1e5, b = 1, c = 1, d = 0;
  hk_linear l = {1, 1, 1, &a, &b, &c, &d, zero}, out;
  ck_assert_int_eq(hki_linear_sample(f.pool, &l, 1.0, &out), HK_E_NUMBER);
  ck_assert_int_eq(hki_linear_sample(f.pool, &l, 1e-3, &out), HK_OK);
  ck_assert(!hki_linear_direct(&l));
  fixture_close(&f);
}
END_TEST

/* y_k = x_k, x_(k+1) = x_k/2 + u_k: the output of an instant does not see its input */
START_TEST(halves) {
  const double a = 0.5, b = 1, c = 1, d = 0, x0 = 8;
  const hk_linear l = {1, 1, 1, &a, &b, &c, &d, &x0};
  const hk_memory m = {.fn = HK_MEMORY_LINEAR, .period = 0.1, .phase = 0.1, .linear = &l};
  double mem[16] = {0}, y[3], u = 0, x = 8;
  ck_assert_int_le(hki_memory_size(&m), 16);
  hki_memory_commit(&m, mem, HK_COMMIT_START, 0, &u);
  hki_memory_update(&m, mem, HK_COMMIT_START, 0, &u);
  for (int32_t k = 1; k < 20; k++) {
    const double t = hki_memory_next_break(&m, mem, (k - 0.5) * 0.1);
    ck_assert(fabs(t - k * 0.1) < 1e-15);
    // within a step nothing changes
    hki_memory_commit(&m, mem, HK_COMMIT_STEP, t, &u);
    hki_memory_update(&m, mem, HK_COMMIT_STEP, t, &u);
    u = sin(k);
    hki_memory_commit(&m, mem, HK_COMMIT_BREAK, t, &u);
    hki_memory_eval(&m, mem, t, &u, y);
    ck_assert(fabs(y[0] - x) < 1e-13 && y[1] == 0 && y[2] == 0);
    // the second half comes once
    hki_memory_update(&m, mem, HK_COMMIT_BREAK, t, &u);
    hki_memory_update(&m, mem, HK_COMMIT_BREAK, t, &u);
    x = 0.5 * x + u;
  }
}
END_TEST

/* 3*0.1 lies behind 0.3: due at 0.3 too, and only once */
START_TEST(same_instant) {
  static const double one[1] = {1};
  const hk_memory m = {
      .fn = HK_MEMORY_SAMPLE, .period = 0.1, .a = {1, one}, .b = {1, one}, .start = -1};
  double mem[8] = {0}, y[3], u = 0;
  hki_memory_commit(&m, mem, HK_COMMIT_START, 0, &u);
  for (int32_t k = 1; k < 3; k++) hki_memory_commit(&m, mem, HK_COMMIT_BREAK, k * 0.1, &u);
  u = 7;
  ck_assert(3 * 0.1 > 0.3);
  ck_assert(hki_memory_commit(&m, mem, HK_COMMIT_BREAK, 0.3, &u));
  ck_assert(hki_memory_next_break(&m, mem, 0.3) > 0.39);
  u = 9;
  ck_assert(!hki_memory_commit(&m, mem, HK_COMMIT_BREAK, 3 * 0.1, &u));
  hki_memory_eval(&m, mem, 0.3, &u, y);
  ck_assert(y[0] == 7);
}
END_TEST

/* three states; operands: two conditions and the value of an action */
START_TEST(machine) {
  const hk_transition ways[] = {{-1, 2, 1, 0}, {0, 1, 0, 0}, {1, 0, -1, 0.25}};
  const hk_action actions[] = {{1, 0, 2, false}, {0, 1, 2, true}};
  const double variables[] = {5, 6};
  const hk_machine c = {0, 3, 2, 2, ways, actions, variables};
  const hk_memory m = {.fn = HK_MEMORY_MACHINE, .machine = &c};
  double mem[16] = {0}, y[3], u[3] = {0, 0, 3};
  hki_memory_eval(&m, mem, 0, u, y);
  ck_assert(y[0] == 1);
  ck_assert(!hki_memory_due(&m, mem, u));
  hki_memory_commit(&m, mem, HK_COMMIT_START, 1, u);
  ck_assert(hki_memory_update(&m, mem, HK_COMMIT_START, 1, u));
  ck_assert(mem[HK_MACHINE_VARIABLES] == 5 && mem[HK_MACHINE_VARIABLES + 1] == 6);
  ck_assert(isinf(hki_memory_next_break(&m, mem, 1)) && hki_memory_waits(&m, mem));
  ck_assert(hki_memory_condition(&m, 0) && hki_memory_condition(&m, 1));
  ck_assert(!hki_memory_condition(&m, 2));
  // by the first condition, with both actions
  u[0] = 1;
  ck_assert(hki_memory_due(&m, mem, u) && !hki_memory_update(&m, mem, HK_COMMIT_STEP, 2, u));
  ck_assert(hki_memory_update(&m, mem, HK_COMMIT_EVENT, 2, u));
  hki_memory_eval(&m, mem, 2, u, y);
  ck_assert(y[0] == 2 && mem[HK_MACHINE_VARIABLES] == 3 && mem[HK_MACHINE_VARIABLES + 1] == 3);
  // back by the time, exactly
  ck_assert(!hki_memory_due(&m, mem, u) && hki_memory_next_break(&m, mem, 2) == 2.25);
  ck_assert(!hki_memory_update(&m, mem, HK_COMMIT_BREAK, nextafter(2.25, 0), u));
  ck_assert(hki_memory_update(&m, mem, HK_COMMIT_BREAK, 2.25, u));
  // from every state but the last itself, and before the others
  u[1] = 1;
  ck_assert(hki_memory_update(&m, mem, HK_COMMIT_EVENT, 3, u));
  hki_memory_eval(&m, mem, 3, u, y);
  ck_assert(y[0] == 3 && !hki_memory_due(&m, mem, u));
}
END_TEST

/* slopes before the start against differences; afterwards there are none */
START_TEST(slopes) {
  const hk_pid c = {.kp = 3, .kd = 2, .weight = {0.7, 0.2}, .rate = true, .limit = {-50, 50}};
  const double A[4] = {1, 2, 3, 4}, D[2] = {0.5, -2};
  const hk_linear l = {2, 2, 1, A, A, A, D, A};
  const hk_memory all[] = {{.fn = HK_MEMORY_PID, .period = 1, .pid = &c},
                           {.fn = HK_MEMORY_LINEAR, .period = 1, .linear = &l},
                           {.fn = HK_MEMORY_RATE_LIMIT, .period = 1, .start = NAN}};
  static const int32_t operands[] = {3, 2, 1};
  for (int32_t i = 0; i < 3; i++) {
    double mem[16] = {0}, u[3] = {0.3, -0.2, 0.9}, g[3], y[3], up[3];
    hki_memory_slopes(&all[i], mem, operands[i], u, g);
    for (int32_t k = 0; k < operands[i]; k++) {
      hki_memory_eval(&all[i], mem, 0, u, y);
      u[k] += 0.5;
      hki_memory_eval(&all[i], mem, 0, u, up);
      u[k] -= 0.5;
      ck_assert_msg(fabs((up[0] - y[0]) / 0.5 - g[k]) < 1e-14, "block %d operand %d", i, k);
    }
    hki_memory_commit(&all[i], mem, HK_COMMIT_START, 0, u);
    hki_memory_slopes(&all[i], mem, operands[i], u, g);
    for (int32_t k = 0; k < operands[i]; k++) ck_assert(g[k] == 0);
  }
}
END_TEST

Suite *suite_blocks(void) {
  Suite *s = suite_create("blocks");
  TCase *c = tcase_create("blocks");
  tcase_add_test(c, exponentials);
  tcase_add_test(c, grows_beyond);
  tcase_add_test(c, halves);
  tcase_add_test(c, same_instant);
  tcase_add_test(c, machine);
  tcase_add_test(c, slopes);
  suite_add_tcase(s, c);
  return s;
}

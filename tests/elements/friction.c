/* SPDX-License-Identifier: Apache-2.0
 *
 * friction.c: friction with a bristle in one to three directions: slopes in every mode against finite
 * differences, the rule of a stage, the balance of power, the cone, no drift below break-away, the
 * answer to an iterate that turns round, numbers out of range.
 */
#include <math.h>
#include <string.h>

#include "elements/support.h"
#include "runner.h"

enum { N = HK_FRICTION_AXES, TRIES = 60 };
#define STEP 1e-5

static const hk_friction frictions[] = {
    {HK_FRICTION_COULOMB, 0.3, 0.3, 1, 2, 30, 0.9, 0, 0},
    {HK_FRICTION_STRIBECK, 0.2, 0.35, 0.4, 2, 30, 0.9, 0.02, 0},
    {HK_FRICTION_STRIBECK, 0.2, 0.35, 0.4, 1.3, 30, 0.9, 0, 0},
    {HK_FRICTION_LUGRE, 0.2, 0.35, 0.4, 2, 30, 0.5, 0.02, 0},
    {HK_FRICTION_LUGRE, 0.2, 0.35, 0.4, 2, 30, 0.5, 0, 0.6},
    {HK_FRICTION_LUGRE, 0.3, 0.3, 1, 2, 30, 0.5, 0, 0.3},
};

typedef struct situation {
  hk_state_mode mode;
  double gamma, v[N], c[N], z[N];
} situation;

static void random_situation(rng *r, hk_state_mode mode, situation *x) {
  *x = (situation){.mode = mode, .gamma = rng_real(r, 1.0, 30.0)};
  for (int i = 0; i < N; i++) {
    x->v[i] = rng_real(r, -0.6, 0.6);
    x->c[i] = rng_real(r, -0.3, 0.3);
    x->z[i] = rng_real(r, -0.008, 0.008);
  }
}

/* z, zd: the states found, or NULL */
static hk_friction_out eval(const hk_friction *f, int32_t n, const situation *x, double *z,
                            double *zd) {
  double own[N], rate[N];
  const hk_states st = {.mode = x->mode, .gamma = x->gamma, .c = x->c, .z = own, .zd = rate};
  hk_friction_out out;
  memcpy(own, x->z, sizeof own);
  hki_friction_eval(f, n, x->v, &st, 0, &out);
  if (z) memcpy(z, own, (size_t)n * sizeof *z), memcpy(zd, rate, (size_t)n * sizeof *zd);
  return out;
}

START_TEST(test_slopes) {
  static const double at[4] = {-2, -1, 1, 2};
  rng r = {11};
  int slides = 0, sticks = 0;
  for (int k = 0; k < HK_ARRAY_LEN(frictions); k++)
    for (int32_t n = 1; n <= N; n++)
      for (int mode = HK_STATES_REST; mode <= HK_STATES_STAGE; mode++)
        for (int i = 0; i < TRIES; i++) {
          situation x;
          random_situation(&r, (hk_state_mode)mode, &x);
          const hk_friction_out o = eval(&frictions[k], n, &x, NULL, NULL);
          o.slides ? slides++ : sticks++;
          for (int32_t j = 0; j < n; j++) {
            hk_friction_out y[4];
            bool same = true;
            for (int s = 0; s < 4; s++) {
              situation near = x;
              near.v[j] += at[s] * STEP;
              y[s] = eval(&frictions[k], n, &near, NULL, NULL);
              same = same && y[s].slides == o.slides;
            }
            for (int32_t l = 0; same && l < n; l++) {
              const double f[4] = {y[0].c[l], y[1].c[l], y[2].c[l], y[3].c[l]};
              const double expected = five_point(f, STEP), found = o.cv[N * l + j];
              ck_assert_msg(fabs(found - expected) <= 1e-6 * (1.0 + fabs(expected)),
                            "friction %d, n %d, mode %d: slope %d %d is %.10g, expected %.10g", k,
                            n, mode, l, j, found, expected);
            }
          }
        }
  ck_assert_msg(slides > 300 && sticks > 300, "%d, %d", slides, sticks);
}
END_TEST

/* in a stage the rate obeys the rule of the integrator, and is that of the same state held; at rest
 * there is none */
START_TEST(test_rules) {
  rng r = {12};
  for (int k = 0; k < HK_ARRAY_LEN(frictions); k++)
    for (int i = 0; i < TRIES; i++) {
      const int32_t n = 1 + i % N;
      situation x;
      double z[N], zd[N], held[N], rate[N];
      random_situation(&r, HK_STATES_STAGE, &x);
      const hk_friction_out o = eval(&frictions[k], n, &x, z, zd);
      x.mode = HK_STATES_HELD;
      memcpy(x.z, z, (size_t)n * sizeof *z);
      const hk_friction_out p = eval(&frictions[k], n, &x, held, rate);
      for (int32_t j = 0; j < n; j++) {
        ck_assert_double_eq_tol(zd[j], x.c[j] + x.gamma * z[j], 1e-12);
        ck_assert_double_eq_tol(rate[j], zd[j], 1e-12);
        ck_assert_double_eq(held[j], z[j]);
        ck_assert_double_eq_tol(p.c[j], o.c[j], 1e-12);
      }
      x.mode = HK_STATES_REST;
      eval(&frictions[k], n, &x, z, zd);
      for (int32_t j = 0; j < n; j++) ck_assert_double_eq_tol(zd[j], 0.0, 1e-12);
    }
}
END_TEST

/* c v = dE/dt + lost, lost not below 0; the slider keeps c in its cone */
START_TEST(test_power) {
  rng r = {13};
  for (int k = 0; k < HK_ARRAY_LEN(frictions); k++)
    for (int i = 0; i < TRIES; i++) {
      const int32_t n = 1 + i % N;
      const hk_friction *f = &frictions[k];
      situation x;
      double z[N], zd[N], power = 0.0, rate = 0.0, c = 0.0, speed = 0.0, slope;
      random_situation(&r, HK_STATES_HELD, &x);
      const hk_friction_out o = eval(f, n, &x, z, zd);
      for (int32_t j = 0; j < n; j++) {
        power += o.c[j] * x.v[j], rate += f->sigma0 * z[j] * zd[j];
        c += pow(o.c[j] - f->sigma2 * x.v[j], 2), speed += x.v[j] * x.v[j];
      }
      ck_assert_double_eq_tol(o.lost, power - rate, 1e-12);
      if (f->kind == HK_FRICTION_LUGRE) continue;
      ck_assert_double_ge(o.lost, -1e-12);
      ck_assert_double_le(sqrt(c), hki_friction_steady(f, sqrt(speed), &slope) * (1 + 1e-12));
    }
}
END_TEST

/* a load that swings below break-away 1000 times leaves the bristle where it was; LuGre drifts */
START_TEST(test_drift) {
  enum { PARTS = 100, TURNS = 1000 };
  double left[2];
  for (int k = 0; k < 2; k++) {
    const hk_friction *f = &frictions[k ? 3 : 0];
    const double most = 0.4 * f->mu / f->sigma0, h = 1.0 / PARTS;
    double path = 0.0, z = 0.0, zd = 0.0, slip = 0.0;
    for (int i = 0; i < PARTS * TURNS; i++) {
      // a push to one side: from 0 to `most` and back
      const double v = most * M_PI * sin(2 * M_PI * (i + 0.5) * h);
      const double gamma = 1.0 / h, c = -z / h;
      const hk_states st = {.mode = HK_STATES_STAGE, .gamma = gamma, .c = &c, .z = &z, .zd = &zd};
      hk_friction_out o;
      hki_friction_eval(f, 1, &v, &st, 0, &o);
      path += v * h;
      slip = path - z;
    }
    left[k] = fabs(slip) / most;
  }
  ck_assert_double_lt(left[0], 1e-9);
  ck_assert_double_gt(left[1], 1e-3);
}
END_TEST

/* An iterate that slides against the one before is answered as if it stuck; the next one is not. */
START_TEST(test_turned) {
  const hk_friction *f = &frictions[0];
  hk_state_iterate last = {0, 0};
  double z = 0.0, zd = 0.0, c = 0.0;
  int32_t branch = 0;
  hk_states st = {HK_STATES_STAGE, 10.0, &c, &z, &zd, &last, &branch};
  hk_friction_out o;
  const double v[] = {1.0, -1.0, -1.0, 0.01, -1.0}, expected[] = {0.3, 0, -0.3, 0, -0.3};
  static const bool elastic[] = {false, true, false, true, false};
  for (int i = 0; i < 5; i++) {
    // evaluated twice, as formulations may: the answer is the same
    for (int again = 0; again < 2; again++) {
      hki_friction_eval(f, 1, &v[i], &st, 0, &o);
      const double stiff = f->sigma0 / 10.0 + f->sigma1;
      ck_assert_double_eq_tol(o.c[0], elastic[i] ? stiff * v[i] : expected[i], 1e-12);
      ck_assert_double_eq_tol(o.cv[0], elastic[i] ? stiff : 0.0, 1e-12);
    }
    last = (hk_state_iterate){z, branch};
  }
}
END_TEST

START_TEST(test_wrong) {
  for (int i = 0; i < HK_ARRAY_LEN(frictions); i++) ck_assert(hki_friction_good(&frictions[i]));
  for (int i = 0; i < 9; i++) {
    hk_friction f = frictions[1];
    double *const at[] = {&f.mu,     &f.mu_static, &f.speed,   &f.exponent, &f.sigma0,
                          &f.sigma1, &f.sigma2,    &f.elastic, &f.mu_static};
    *at[i] = i == 8 ? 0.1 : -1.0;
    ck_assert_msg(!hki_friction_good(&f), "%d", i);
    *at[i] = NAN;
    ck_assert_msg(!hki_friction_good(&f), "%d", i);
  }
}
END_TEST

Suite *suite_friction(void);
Suite *suite_friction(void) {
  Suite *s = suite_create("friction");
  TCase *tc = tcase_create("friction");
  tcase_add_test(tc, test_slopes);
  tcase_add_test(tc, test_rules);
  tcase_add_test(tc, test_power);
  tcase_add_test(tc, test_drift);
  tcase_add_test(tc, test_turned);
  tcase_add_test(tc, test_wrong);
  suite_add_tcase(s, tc);
  return s;
}

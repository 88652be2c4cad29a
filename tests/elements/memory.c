/* SPDX-License-Identifier: Apache-2.0
 *
 * memory.c: laws with memory: slopes in every mode against finite differences, the rule of a stage,
 * the balance of power and work, closed forms, numbers out of range.
 */
#include <math.h>
#include <string.h>

#include "elements/support.h"
#include "runner.h"

static bench b;
static void setup(void) { bench_open(&b); }
static void teardown(void) { bench_close(&b); }

enum { NLAWS = 7, STATES = 3, DATA = 2, TRIES = 40 };
#define STEP 1e-3

static hk_law *make(hk_law_kind kind, int32_t n, const double *c, const hk_law *inner) {
  hk_law *law = hki_pool_alloc(b.pool, sizeof *law);
  double *own = hki_pool_alloc(b.pool, (size_t)n * sizeof *own);
  memcpy(own, c, (size_t)n * sizeof *own);
  *law = (hk_law){.kind = kind, .n = n, .c = own, .inner = inner};
  return law;
}

static hk_law *make_friction(const hk_friction *numbers) {
  hk_law *law = hki_pool_alloc(b.pool, sizeof *law);
  hk_friction *own = hki_pool_alloc(b.pool, sizeof *own);
  *own = *numbers;
  *law = (hk_law){.kind = HK_LAW_FRICTION, .friction = own};
  return law;
}

static void make_laws(hk_law **law) {
  static const double branch[] = {300, 0.2, 120, 0.7}, steel[] = {1000, 10, 30, 80};
  static const hk_friction bristle = {HK_FRICTION_LUGRE, 20, 26, 0.3, 2, 500, 7, 0.4, 0},
                           plain = {HK_FRICTION_LUGRE, 20, 20, 1, 2, 500, 0, 0, 0};
  law[0] = make(HK_LAW_MAXWELL, 4, branch, NULL);
  law[1] = make_friction(&bristle);
  law[2] = make_friction(&plain);
  law[3] = make(HK_LAW_HARDENING, 4, steel, NULL);
  law[4] = make(HK_LAW_MAXWELL, 4, branch, law_done(&b, law_expr(&b, "90*s + 4*s^3 + 2*sdot*s^2")));
  law[5] = make(HK_LAW_MAXWELL, 2, branch, law_done(&b, make(HK_LAW_HARDENING, 4, steel, NULL)));
  law[6] = make(HK_LAW_MAXWELL, 4, branch, law_done(&b, law_poly(&b, 3, (double[]){3, 90, 40})));
  law[6]->flip = true;
  for (int i = 0; i < NLAWS; i++) law_done(&b, law[i]);
}

/* everything that a law reads */
typedef struct situation {
  double s, sd, gamma, c[STATES], z[STATES], d[DATA];
  hk_state_mode mode;
} situation;

static void random_situation(rng *r, hk_state_mode mode, situation *x) {
  *x = (situation){.mode = mode, .gamma = rng_real(r, 1.0, 9.0)};
  x->s = rng_real(r, -0.1, 0.1), x->sd = rng_real(r, 0.1, 2.0);
  if (rng_real(r, -1.0, 1.0) < 0.0) x->sd = -x->sd;
  for (int i = 0; i < STATES; i++) {
    x->c[i] = rng_real(r, -0.3, 0.3);
    x->z[i] = rng_real(r, -0.05, 0.05);
  }
  x->d[0] = rng_real(r, -0.02, 0.02), x->d[1] = fabs(x->d[0]) + rng_real(r, 0.0, 0.01);
}

/* value, slopes and books; z, zd: the states found, STATES each, or NULL */
static hk_law_out recall(const hk_law *law, const situation *x, double *z, double *zd, double *d1,
                         hk_law_books *books) {
  double own[2 * STATES];
  hk_states st = {x->mode, x->gamma, x->c, own, own + STATES, NULL, NULL};
  hk_law_memory mem = {&st, 0, x->d, d1};
  hk_law_books spare;
  hk_law_out out;
  memcpy(own, x->z, sizeof x->z);
  memset(own + STATES, 0, sizeof x->z);
  hki_law_recall(law, false, x->s, x->sd, &mem, &out, books ? books : &spare);
  ck_assert_int_eq(mem.z0, law->nz);
  ck_assert_int_eq((int)(mem.d - x->d), law->nd);
  if (z) memcpy(z, own, sizeof x->z), memcpy(zd, own + STATES, sizeof x->z);
  return out;
}

/* slope of the force in s or sd, with the states as the mode finds them */
static double slope(const hk_law *law, const situation *x, bool of_rate) {
  double f[4];
  static const double at[4] = {-2, -1, 1, 2};
  for (int i = 0; i < 4; i++) {
    situation y = *x;
    *(of_rate ? &y.sd : &y.s) += at[i] * STEP;
    f[i] = recall(law, &y, NULL, NULL, NULL, NULL).f;
  }
  return five_point(f, STEP);
}

/* is the edge of the elastic range of hardening within reach of the differences? */
static bool near_yield(const hk_law *law, const situation *x) {
  situation lo = *x, hi = *x;
  lo.s -= 3 * STEP, hi.s += 3 * STEP;
  return law->nd &&
         recall(law, &lo, NULL, NULL, NULL, NULL).fs != recall(law, &hi, NULL, NULL, NULL, NULL).fs;
}

START_TEST(test_slopes) {
  hk_law *law[NLAWS];
  rng r = {5};
  int yields = 0, elastic = 0;
  make_laws(law);
  for (int i = 0; i < NLAWS; i++)
    for (int mode = HK_STATES_REST; mode <= HK_STATES_STAGE; mode++)
      for (int k = 0; k < TRIES; k++) {
        situation x;
        random_situation(&r, (hk_state_mode)mode, &x);
        if (near_yield(law[i], &x)) continue;
        const hk_law_out o = recall(law[i], &x, NULL, NULL, NULL, NULL);
        const double fs = slope(law[i], &x, false), fsd = slope(law[i], &x, true);
        if (i == 3) o.fs < 1000 ? yields++ : elastic++;
        ck_assert_msg(fabs(o.fs - fs) <= 1e-7 * (1.0 + fabs(fs)) &&
                          fabs(o.fsd - fsd) <= 2e-6 * (1.0 + fabs(fsd)),
                      "law %d, mode %d: slopes %.12g %.12g, expected %.12g %.12g", i, mode, o.fs,
                      o.fsd, fs, fsd);
      }
  ck_assert_msg(yields > 10 && elastic > 3, "%d, %d", yields, elastic);
}
END_TEST

/* in a stage the rate obeys the rule of the integrator; at rest there is none */
START_TEST(test_rules) {
  hk_law *law[NLAWS];
  rng r = {6};
  make_laws(law);
  for (int i = 0; i < NLAWS; i++)
    for (int k = 0; k < TRIES; k++) {
      situation x;
      double z[STATES], zd[STATES], rest[STATES], held[STATES];
      random_situation(&r, HK_STATES_STAGE, &x);
      recall(law[i], &x, z, zd, NULL, NULL);
      for (int n = 0; n < law[i]->nz; n++)
        ck_assert_double_eq_tol(zd[n], x.c[n] + x.gamma * z[n], 1e-12 * (1.0 + fabs(zd[n])));
      // the same rate where the state is given
      x.mode = HK_STATES_HELD;
      memcpy(x.z, z, sizeof z);
      recall(law[i], &x, rest, held, NULL, NULL);
      for (int n = 0; n < law[i]->nz; n++) {
        ck_assert_double_eq(rest[n], z[n]);
        ck_assert_double_eq(held[n], zd[n]);
      }
      x.mode = HK_STATES_REST;
      recall(law[i], &x, z, zd, NULL, NULL);
      for (int n = 0; n < law[i]->nz; n++) ck_assert_double_eq_tol(zd[n], 0.0, 1e-12);
    }
}
END_TEST

/* f sd = dE/dt + dissipated, with s and the states moving at their rates */
START_TEST(test_power) {
  hk_law *law[NLAWS];
  rng r = {7};
  static const double at[4] = {-2, -1, 1, 2};
  make_laws(law);
  for (int i = 0; i < NLAWS; i++)
    for (int k = 0; k < TRIES; k++) {
      situation x;
      double z[STATES], zd[STATES], E[4], S[4];
      hk_law_books books;
      random_situation(&r, HK_STATES_HELD, &x);
      const hk_law_out o = recall(law[i], &x, z, zd, NULL, &books);
      situation wide = x;
      wide.s += x.sd * STEP; // within reach of the differences
      if (near_yield(law[i], &x) || near_yield(law[i], &wide)) continue;
      for (int n = 0; n < 4; n++) {
        situation y = x;
        hk_law_books at_y;
        y.s += at[n] * STEP * x.sd;
        for (int j = 0; j < STATES; j++) y.z[j] += at[n] * STEP * zd[j];
        recall(law[i], &y, NULL, NULL, NULL, &at_y);
        E[n] = at_y.energy, S[n] = at_y.spent;
      }
      const double balance = o.f * x.sd - five_point(E, STEP) - five_point(S, STEP);
      ck_assert_msg(fabs(balance - books.dissipated) <= 1e-7 * (1.0 + fabs(o.f * x.sd)),
                    "law %d: power %.12g dissipated, expected %.12g", i, books.dissipated, balance);
    }
}
END_TEST

/* the force of hardening along a path that turns twice, and its work */
START_TEST(test_hardening) {
  const double k = 1000, fy = 10, Hi = 30, Hk = 80, H = k * (Hi + Hk) / (k + Hi + Hk);
  static const double turn[] = {0, 0.05, -0.04, 0.06};
  hk_law *law = law_done(&b, make(HK_LAW_HARDENING, 4, (double[]){k, fy, Hi, Hk}, NULL));
  situation x = {.mode = HK_STATES_HELD};
  hk_law_books books = {0};
  double work = 0.0, f = 0.0, found[3];
  enum { PARTS = 20000 };
  for (int leg = 0; leg < 3; leg++) {
    for (int i = 1; i <= PARTS; i++) {
      double next[DATA];
      const double s = turn[leg] + (turn[leg + 1] - turn[leg]) * i / PARTS;
      const double before = x.s;
      x.s = s;
      const hk_law_out o = recall(law, &x, NULL, NULL, next, &books);
      memcpy(x.d, next, sizeof next);
      work += 0.5 * (f + o.f) * (s - before);
      f = o.f;
    }
    found[leg] = f;
  }
  // up: yields at fy; back: the range has grown and moved
  const double p1 = (k * 0.05 - fy) / (k + Hi + Hk), f1 = fy + H * (0.05 - fy / k);
  ck_assert_double_eq_tol(found[0], f1, 1e-10);
  ck_assert_double_eq_tol(found[0], fy + (Hi + Hk) * p1, 1e-10);
  const double range = 2.0 * (fy + Hi * p1), f2 = f1 - range - H * (0.09 - range / k);
  ck_assert_double_eq_tol(found[1], f2, 1e-10);
  ck_assert_double_eq_tol(work, books.energy + books.spent, 1e-7);
  ck_assert_double_gt(books.spent, 0.5 * work);
  // one stride lands where many steps do, as long as it does not turn
  situation y = {.mode = HK_STATES_HELD, .s = 0.05};
  ck_assert_double_eq_tol(recall(law, &y, NULL, NULL, NULL, NULL).f, f1, 1e-12);
}
END_TEST

/* sets the law `key` of an element's parameters, on axis k where there are six */
static void set_law(const element_case *c, const char *key, int k, const hk_law *law) {
  for (const hk_param *p = c->ops->params; p->type != HK_P_END; p++)
    if (strcmp(p->name, key) == 0) ((const hk_law **)((char *)c->par + p->offset))[k] = law;
}

/* an element with laws 0, 1 and 5 of make_laws: five states, two discrete data */
static void make_element(const char *name, hk_law *const *law, element_case *c) {
  const bool six = strcmp(name, "bushing") == 0;
  static const hk_frame m0[2] = {{.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}},
                                 {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .p = {0.9, 0, 0}}};
  *c = (element_case){.label = "memory", .ops = hki_element_find(name), .flags = CASE_SMALL};
  c->par = hki_pool_alloc(b.pool, c->ops->par_size);
  set_law(c, "spring", 0, six ? law[0] : law[4]);
  set_law(c, "damper", 0, law[1]);
  if (six) set_law(c, "spring", 4, law[5]);
  ck_assert_int_eq(c->ops->prepare(b.ctx, HK_LOC_NONE, name, c->par, 0, c->u, m0), HK_OK);
}

/* K = -dw/dxi and C = -dw/dtwist, the states following */
START_TEST(test_tangents) {
  static const char *const names[] = {"spring_damper", "joint_spring", "bushing"};
  static const double at[4] = {-2, -1, 1, 2};
  static hk_element_out out;
  hk_law *law[NLAWS];
  rng r = {8};
  make_laws(law);
  for (int e = 0; e < 3; e++)
    for (int k = 0; k < TRIES; k++) {
      element_case c;
      element_state x;
      double own[3 * 5];
      int32_t nz, nd;
      make_element(names[e], law, &c);
      hki_element_memory(c.ops, c.par, &nz, &nd);
      ck_assert_int_eq(nz, e < 2 ? 3 : 4);
      ck_assert_int_eq(nd, e < 2 ? 0 : 2);
      for (int i = 0; i < 15; i++) own[i] = rng_real(&r, -0.3, 0.3);
      const hk_states st = {
          HK_STATES_STAGE, rng_real(&r, 1, 9), own, own + 5, own + 10, NULL, NULL};
      c.st = &st;
      random_state(&r, &c, &x);
      case_eval(&c, &x, HK_NEED_FORCE | HK_NEED_EXACT, &out);
      for (int32_t col = 0; col < case_size(&c); col++)
        for (int kind = 0; kind < 2; kind++) {
          double w[4][12], f[4];
          for (int i = 0; i < 4; i++) {
            element_state y = x;
            (kind ? shift_twist : shift_pose)(&c, &y, col, at[i] * 1e-4);
            case_force(&c, &y, w[i]);
          }
          for (int32_t row = 0; row < case_size(&c); row++) {
            for (int i = 0; i < 4; i++) f[i] = w[i][row];
            const double expected = -five_point(f, 1e-4);
            const double found = (kind ? out.C : out.K)[12 * row + col];
            ck_assert_msg(fabs(found - expected) <= 1e-5 * (1.0 + fabs(expected)),
                          "%s, %s(%d, %d) = %.12g, expected %.12g", names[e], kind ? "C" : "K",
                          (int)row, (int)col, found, expected);
          }
        }
    }
}
END_TEST

START_TEST(test_units) {
  hk_law *law[NLAWS];
  double unit[STATES] = {0, 0, 0};
  make_laws(law);
  hki_law_units(law[1], unit);
  ck_assert_double_eq(unit[0], 26.0 / 500.0); // of the bristle where it breaks away
  hki_law_units(law[4], unit);
  ck_assert_double_eq(unit[0], 1.0);
  ck_assert_double_eq(unit[1], 1.0);
}
END_TEST

START_TEST(test_wrong) {
  static const double good[] = {300, 0.2}, bad[] = {300, 0.0}, nan[] = {NAN, 1},
                      soft[] = {1000, 0, 0, 0};
  const struct {
    hk_law_kind kind;
    int32_t n;
    const double *c;
    hk_status status;
  } cases[] = {{HK_LAW_MAXWELL, 2, good, HK_OK},
               {HK_LAW_MAXWELL, 2, bad, HK_E_NUMBER},
               {HK_LAW_MAXWELL, 2, nan, HK_E_NUMBER},
               {HK_LAW_HARDENING, 4, soft, HK_E_NUMBER}};
  for (int i = 0; i < HK_ARRAY_LEN(cases); i++) {
    hk_law *law = make(cases[i].kind, cases[i].n, cases[i].c, NULL);
    ck_assert_int_eq(hki_law_finish(b.ctx, HK_LOC_NONE, b.pool, law), cases[i].status);
  }
  // no memory inside a piece
  hk_law *parts[1] = {law_done(&b, make(HK_LAW_MAXWELL, 2, good, NULL))};
  hk_law *pieces = law_pieces(&b, 1, (double[]){INFINITY}, parts);
  ck_assert_int_eq(hki_law_finish(b.ctx, HK_LOC_NONE, b.pool, pieces), HK_E_MODEL);
}
END_TEST

Suite *suite_memory(void);
Suite *suite_memory(void) {
  Suite *s = suite_create("memory");
  TCase *c = tcase_create("memory");
  tcase_add_checked_fixture(c, setup, teardown);
  tcase_add_test(c, test_slopes);
  tcase_add_test(c, test_rules);
  tcase_add_test(c, test_power);
  tcase_add_test(c, test_hardening);
  tcase_add_test(c, test_tangents);
  tcase_add_test(c, test_units);
  tcase_add_test(c, test_wrong);
  suite_add_tcase(s, c);
  return s;
}

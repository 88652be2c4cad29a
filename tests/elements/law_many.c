/* SPDX-License-Identifier: Apache-2.0
 *
 * law_many.c: laws of several deformations: slopes in every mode against finite differences, the balance
 * of power, mirrored places, and each kind against its closed form; closed forms of one deformation.
 */
#include "elements/law_many.h"

#include <math.h>
#include <string.h>

#include "elements/support.h"
#include "runner.h"

static bench b;
static void setup(void) { bench_open(&b); }
static void teardown(void) { bench_close(&b); }

enum { STATES = 24, DATA = 24, TRIES = 12, LAWS = 12 };
#define STEP  1e-4
#define NAMES "s1 s2 s3 s4 s5 s6 sd1 sd2 sd3 sd4 sd5 sd6"
static const double points[4] = {-2, -1, 1, 2};

/* --- making laws ------------------------------------------------------------------------------ */

static hk_law_many *many(int32_t n, int32_t nparts, const hk_law_part *part) {
  hk_law_many *law = hki_pool_alloc(b.pool, sizeof *law);
  hk_law_part *own = hki_pool_alloc(b.pool, (size_t)(nparts + 1) * sizeof *own);
  memcpy(own, part, (size_t)nparts * sizeof *own);
  *law = (hk_law_many){.n = n, .nparts = nparts, .factor = 1.0};
  ck_assert_int_eq(hki_law_many_finish(b.ctx, HK_LOC_NONE, law, own), HK_OK);
  return law;
}

static double *numbers(int32_t n) { return hki_pool_alloc(b.pool, (size_t)n * sizeof(double)); }

/* a matrix with diagonal k, coupled by `even` and, antisymmetric, by `odd` */
static double *matrix(int32_t n, double k, double even, double odd, int32_t more) {
  double *K = numbers(HK_MANY * HK_MANY + more);
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < n; j++)
      K[HK_MANY * i + j] =
          i == j ? k * (1 + 0.1 * i) : even * (1 + 0.1 * (i + j)) + (i < j ? odd : -odd);
  return K;
}

static hk_law_part part_of(hk_part_kind kind, const double *c) {
  return (hk_law_part){.kind = kind, .c = c};
}

static hk_law_part branch_of(int32_t n, double k, double even, double tau, uint32_t mask) {
  double *c = matrix(n, k, even, 0, HK_MANY);
  for (int32_t i = 0; i < n; i++) {
    c[HK_MANY * HK_MANY + i] = tau * (even == 0.0 ? 1 + 0.3 * i : 1);
    for (int32_t j = 0; j < n; j++)
      if (!(mask >> i & mask >> j & 1u)) c[HK_MANY * i + j] = 0.0;
  }
  return (hk_law_part){.kind = HK_PART_BRANCH, .c = c, .mask = mask};
}

static hk_law_part expressions(hk_part_kind kind, int32_t n, const char *const *text) {
  const hk_expr **e = hki_pool_alloc(b.pool, HK_MANY * sizeof *e);
  for (int32_t i = 0; i < n; i++) e[i] = make_expr(&b, text[i], NAMES);
  return (hk_law_part){.kind = kind, .expr = e};
}

static hk_law_part hardening_of(int32_t n, double k, double fy, double Hk, double Hi, bool same) {
  double *c = numbers(3 * n + 1);
  for (int32_t i = 0; i < n; i++) {
    c[i] = k * (same ? 1 : 1 + 0.2 * i), c[n + i] = fy * (same ? 1 : 1 + 0.5 * (i % 2));
    c[2 * n + i] = Hk * (same ? 1 : 1 - 0.1 * i);
  }
  c[3 * n] = Hi / (fy * fy);
  return part_of(HK_PART_HARDENING, c);
}

static hk_law *plain_law(hk_law_kind kind, int32_t n, const double *c) {
  hk_law *law = hki_pool_alloc(b.pool, sizeof *law);
  double *own = numbers(n);
  memcpy(own, c, (size_t)n * sizeof *own);
  *law = (hk_law){.kind = kind, .n = n, .c = own};
  return law_done(&b, law);
}

static hk_law_part components_of(int32_t n, bool of_rate) {
  const hk_law **law = hki_pool_alloc(b.pool, HK_MANY * sizeof *law);
  law[0] = law_done(&b, law_expr(&b, "90*s + 4*s^3 + 2*sdot*s^2"));
  if (!of_rate) law[n - 1] = plain_law(HK_LAW_MAXWELL, 4, (double[]){300, 0.2, 120, 0.7});
  return (hk_law_part){.kind = HK_PART_COMPONENTS, .law = law, .of_rate = of_rate};
}

static hk_law_part axis_of(int32_t n) {
  const hk_law **law = hki_pool_alloc(b.pool, sizeof *law);
  double *a = numbers(HK_MANY);
  for (int32_t i = 0; i < n; i++) a[i] = 0.3 - 0.2 * i;
  law[0] = plain_law(HK_LAW_HARDENING, 4, (double[]){1000, 10, 30, 80});
  return (hk_law_part){.kind = HK_PART_AXIS, .law = law, .c = a};
}

static const char *const coupled[6] = {"9*s1 + s1*s2^2 + 3*sd1",
                                       "5*s2*sd3 + sin(s3)",
                                       "s1*s2*s3 - 2*sd2^3",
                                       "s4 + s1",
                                       "0",
                                       "7*sd6*s5"};
static const char *const energy[1] = {
    "50*s1^2 + 8*s1*s2^2 + 20*(s2 - s3)^2 + 3*cos(s1*s3) + 2*s4^4"};
static const char *const gates[2] = {"s1 > 5", "s1 < -5"};

/* one law for each kind, and one with all between prestrain and prestress in a mirrored place */
static void make_laws(int32_t n, const hk_law_many **law) {
  static const double strain[6] = {0.02, -0.01, 0.03, 0, 0.01, 0.02};
  static const double stress[6] = {3, -2, 1, 0, 4, 1};
  const char *const three[1] = {"50*s1^2 + 8*s1*s2^2 + 20*(s2 - s3)^2 + 3*cos(s1*s3)"};
  const char *const first[3] = {coupled[0], coupled[1], coupled[2]};
  hk_law_part all[LAWS] = {
      part_of(HK_PART_LINEAR, matrix(n, 300, 20, 7, 0)),
      part_of(HK_PART_VISCOUS, matrix(n, 9, 1, 0.5, 0)),
      branch_of(n, 200, 0, 0.3, 5u),
      branch_of(n, 200, 15, 0.2, (1u << n) - 1u),
      components_of(n, false),
      components_of(n, true),
      axis_of(n),
      expressions(HK_PART_FORCES, n, n == 6 ? coupled : first),
      expressions(HK_PART_POTENTIAL, 1, n == 6 ? energy : three),
      hardening_of(n, 1000, 30, 60, 40, false),
  };
  all[10] = expressions(HK_PART_BISTOP, 2, gates);
  all[10].engaged = true, all[10].many = many(n, 2, all);
  for (int i = 0; i < 11; i++) law[i] = many(n, 1, &all[i]);
  hk_law_many *inner = many(n, 11, all), *outer;
  inner->strain = strain, inner->factor = 1.3, inner->flip = 2u;
  const hk_law_part nested[2] = {{.kind = HK_PART_LAW, .many = inner}, all[9]};
  outer = many(n, 2, nested);
  outer->stress = stress, outer->strain = strain, outer->factor = 0.7, outer->flip = 5u;
  law[11] = outer;
}

/* --- asking them ------------------------------------------------------------------------------ */

typedef struct situation {
  int32_t n;
  double s[6], sd[6], gamma, c[STATES], z[STATES], d[DATA];
  hk_state_mode mode;
} situation;

static void random_situation(rng *r, int32_t n, hk_state_mode mode, situation *x) {
  *x = (situation){.n = n, .mode = mode, .gamma = rng_real(r, 1.0, 9.0)};
  for (int i = 0; i < 6; i++) x->s[i] = rng_real(r, -0.1, 0.1), x->sd[i] = rng_real(r, -2.0, 2.0);
  for (int i = 0; i < STATES; i++)
    x->c[i] = rng_real(r, -0.3, 0.3), x->z[i] = rng_real(r, -0.05, 0.05);
}

static hk_many_out ask(const hk_law_many *law, const situation *x, double *zd, double *d1) {
  double own[2 * STATES] = {0};
  hk_states st = {x->mode, x->gamma, x->c, own, own + STATES, NULL, NULL};
  hk_law_memory mem = {&st, 0, x->d, d1};
  hk_many_out out;
  memcpy(own, x->z, sizeof x->z);
  hki_law_many(law, false, x->s, x->sd, &mem, &out);
  ck_assert_int_eq(mem.z0, law->nz);
  ck_assert_int_eq((int)(mem.d - x->d), law->nd);
  if (zd) memcpy(zd, own + STATES, sizeof x->z);
  return out;
}

/* is an edge of plastic flow within reach of the differences? */
static bool near_edge(const hk_law_many *law, const situation *x, int32_t j) {
  situation lo = *x, hi = *x;
  if (!law->nd) return false;
  lo.s[j] -= 3 * STEP, hi.s[j] += 3 * STEP;
  const hk_many_out a = ask(law, &lo, NULL, NULL), c = ask(law, &hi, NULL, NULL);
  for (int32_t i = 0; i < 36; i++)
    if (fabs(a.fs[i] - c.fs[i]) > 3.0) return true;
  return false;
}

/* column j of the slopes against differences; in s or in sd */
static void check_column(const hk_law_many *law, int which, const situation *x, int32_t j,
                         bool rate) {
  const hk_many_out o = ask(law, x, NULL, NULL);
  double f[6][4];
  if (near_edge(law, x, j)) return;
  for (int k = 0; k < 4; k++) {
    situation y = *x;
    (rate ? y.sd : y.s)[j] += points[k] * STEP;
    const hk_many_out p = ask(law, &y, NULL, NULL);
    for (int32_t i = 0; i < x->n; i++) f[i][k] = p.f[i];
  }
  for (int32_t i = 0; i < x->n; i++) {
    const double expected = five_point(f[i], STEP), found = (rate ? o.fsd : o.fs)[6 * i + j];
    ck_assert_msg(fabs(found - expected) <= 1e-6 * (10.0 + fabs(expected)),
                  "law %d of %d, mode %d: %s(%d, %d) = %.12g, expected %.12g", which, (int)x->n,
                  (int)x->mode, rate ? "fsd" : "fs", (int)i, (int)j, found, expected);
  }
}

START_TEST(test_slopes) {
  rng r = {11};
  for (int32_t n = 3; n <= 6; n += 3) {
    const hk_law_many *law[LAWS];
    make_laws(n, law);
    for (int i = 0; i < LAWS; i++)
      for (int mode = HK_STATES_REST; mode <= HK_STATES_STAGE; mode++)
        for (int k = 0; k < TRIES; k++) {
          situation x;
          random_situation(&r, n, (hk_state_mode)mode, &x);
          check_column(law[i], i, &x, k % n, false);
          check_column(law[i], i, &x, k % n, true);
        }
  }
}
END_TEST

/* f.sd = dE/dt + dissipated, with s and the states moving at their rates */
START_TEST(test_power) {
  rng r = {12};
  for (int32_t n = 3; n <= 6; n += 3) {
    const hk_law_many *law[LAWS];
    make_laws(n, law);
    for (int i = 0; i < LAWS; i++)
      for (int k = 0; k < TRIES; k++) {
        situation x;
        double zd[STATES], E[4], power = 0.0;
        bool edge = false;
        random_situation(&r, n, HK_STATES_HELD, &x);
        if (law[i]->nd) // within the elastic range: plastic work has a test of its own
          for (int j = 0; j < n; j++) x.s[j] *= 0.05;
        const hk_many_out o = ask(law[i], &x, zd, NULL);
        for (int p = 0; p < 4; p++) {
          situation y = x;
          for (int j = 0; j < n; j++) y.s[j] += points[p] * STEP * x.sd[j];
          for (int j = 0; j < STATES; j++) y.z[j] += points[p] * STEP * zd[j];
          const hk_many_out at = ask(law[i], &y, NULL, NULL);
          E[p] = at.books.energy, edge = edge || at.books.spent != 0.0;
        }
        for (int j = 0; j < n; j++) power += o.f[j] * x.sd[j];
        if (edge) continue;
        const double expected = power - five_point(E, STEP);
        ck_assert_msg(fabs(o.books.dissipated - expected) <= 1e-6 * (1.0 + fabs(power)),
                      "law %d of %d: %.12g dissipated, expected %.12g", i, (int)n,
                      o.books.dissipated, expected);
      }
  }
}
END_TEST

/* --- closed forms ----------------------------------------------------------------------------- */

/* a branch that is drawn out steadily: z = s - tau r, f = K tau r */
START_TEST(test_branch) {
  hk_law_part p = branch_of(3, 200, 15, 0.2, 7u);
  const hk_law_many *law = many(3, 1, &p);
  situation x = {.n = 3, .mode = HK_STATES_HELD, .s = {0.1, 0.2, 0.3}, .sd = {1, -2, 0.5}};
  double zd[STATES], lost = 0.0;
  for (int i = 0; i < 3; i++) x.z[i] = x.s[i] - 0.2 * x.sd[i];
  const hk_many_out o = ask(law, &x, zd, NULL);
  for (int i = 0; i < 3; i++) {
    double f = 0.0;
    for (int j = 0; j < 3; j++) f += p.c[6 * i + j] * 0.2 * x.sd[j];
    ck_assert_double_eq_tol(o.f[i], f, 1e-12);
    ck_assert_double_eq_tol(zd[i], x.sd[i], 1e-12);
    lost += f * x.sd[i];
  }
  ck_assert_double_eq_tol(o.books.dissipated, lost, 1e-12);
  double unit[3] = {0};
  hki_law_many_units(law, unit);
  ck_assert_double_eq(unit[0] + unit[1] + unit[2], 3.0);
}
END_TEST

/* follows a straight path in `parts` steps; the work done is left in *work */
static hk_many_out follow(const hk_law_many *law, situation *x, const double *to, int parts,
                          double *work) {
  double from[6];
  hk_many_out o = ask(law, x, NULL, NULL);
  memcpy(from, x->s, sizeof from);
  for (int k = 1; k <= parts; k++) {
    double next[DATA], f0[6], old[6];
    memcpy(f0, o.f, sizeof f0), memcpy(old, x->s, sizeof old);
    for (int i = 0; i < x->n; i++) x->s[i] = from[i] + (to[i] - from[i]) * k / parts;
    o = ask(law, x, NULL, next);
    for (int i = 0; i < x->n; i++) *work += 0.5 * (f0[i] + o.f[i]) * (x->s[i] - old[i]);
    memcpy(x->d, next, (size_t)law->nd * sizeof *next);
  }
  return o;
}

/* radial return: along a straight line the size of the force grows as in one deformation */
START_TEST(test_hardening) {
  const double k = 1000, fy = 10, Hk = 80, Hi = 30, H = Hk + Hi, dir[3] = {2. / 3, -1. / 3, 2. / 3};
  hk_law_part p = hardening_of(3, k, fy, Hk, Hi, true);
  const hk_law_many *law = many(3, 1, &p);
  for (int i = 1; i <= 20; i++) {
    const double e = 0.005 * i, f = k * e < fy ? k * e : fy + k * H / (k + H) * (e - fy / k);
    situation x = {.n = 3, .mode = HK_STATES_HELD};
    for (int j = 0; j < 3; j++) x.s[j] = e * dir[j];
    const hk_many_out o = ask(law, &x, NULL, NULL);
    for (int j = 0; j < 3; j++) ck_assert_double_eq_tol(o.f[j], f * dir[j], 1e-11);
  }
  // one deformation: the law of memory.c
  hk_law_part q = hardening_of(1, k, fy, Hk, Hi, true);
  const hk_law_many *one = many(1, 1, &q);
  hk_law *known = plain_law(HK_LAW_HARDENING, 4, (double[]){k, fy, Hi, Hk});
  double d[2] = {0}, d2[2] = {0};
  for (int i = 0; i < 40; i++) {
    const double s = 0.05 * sin(0.7 * i), sd = cos(0.7 * i);
    double next[2], next2[2];
    hk_law_memory m1 = {NULL, 0, d, next}, m2 = {NULL, 0, d2, next2};
    hk_law_out o;
    hk_law_books books;
    hk_many_out f;
    hki_law_recall(known, false, s, sd, &m1, &o, &books);
    hki_law_many(one, false, &s, &sd, &m2, &f);
    ck_assert_double_eq_tol(f.f[0], o.f, 1e-10);
    ck_assert_double_eq_tol(f.fs[0], o.fs, 1e-8);
    ck_assert_double_eq_tol(f.books.energy, books.energy, 1e-10);
    ck_assert_double_eq_tol(f.books.spent, books.spent, 1e-10);
    ck_assert_double_eq_tol(f.books.spending, books.spending, 1e-6);
    memcpy(d, next, sizeof d), memcpy(d2, next2, sizeof d2);
  }
}
END_TEST

/* an ellipsoid, a path with a corner: work is stored and spent, and the error falls with the steps */
START_TEST(test_plastic_work) {
  hk_law_part p = hardening_of(6, 1000, 30, 60, 40, false);
  hk_law_many *law = many(6, 1, &p), *plain = many(6, 1, &p);
  law->factor = 1.5;
  static const double corner[2][6] = {{0.1, 0.05, -0.03, 0.08, 0, 0.02},
                                      {-0.06, 0.09, 0.04, 0.01, 0.1, -0.05}};
  double error[2];
  for (int half = 0; half < 2; half++) {
    situation x = {.n = 6, .mode = HK_STATES_HELD};
    double work = 0.0;
    const int parts = half ? 4000 : 2000;
    follow(law, &x, corner[0], parts, &work);
    const hk_many_out o = follow(law, &x, corner[1], parts, &work);
    ck_assert_double_gt(o.books.spent, 5.0);
    error[half] = fabs(work - o.books.energy - o.books.spent);
    // on the edge: |x| = 1 + h p
    double size = 0.0;
    for (int i = 0; i < 6; i++) {
      const double y = (o.f[i] / 1.5 - p.c[12 + i] * x.d[i]) / p.c[6 + i];
      size += y * y;
    }
    ck_assert_double_eq_tol(sqrt(size), 1.0 + p.c[18] * x.d[6], 1e-12);
    // and what it spends as it goes on
    for (int i = 0; i < 6; i++) x.sd[i] = corner[1][i];
    const double spends = ask(plain, &x, NULL, NULL).books.spending;
    ck_assert_double_gt(spends, 1.0);
    ck_assert_double_eq_tol(ask(law, &x, NULL, NULL).books.spending, 1.5 * spends, 1e-12 * spends);
  }
  ck_assert_msg(error[0] < 1e-3 && error[1] < 0.6 * error[0], "%g, %g", error[0], error[1]);
}
END_TEST

/* also of a law that carries a force where it engages: there it has stored nothing */
START_TEST(test_bistop) {
  const double strain[3] = {_i ? 0.05 : 0.0}, e0 = strain[0];
  static const char *const when[2] = {"s1 > 0.1", "s1 < 0.02"};
  hk_law_part k = part_of(HK_PART_LINEAR, matrix(3, 100, 0, 0, 0));
  hk_law_part p = expressions(HK_PART_BISTOP, 2, when);
  hk_law_many *caught = many(3, 1, &k);
  caught->strain = strain;
  p.many = caught;
  const hk_law_many *law = many(3, 1, &p);
  // steps of 0.03 up and down again: it engages at 0.12, lets go below 0.02
  static const double path[] = {0.03, 0.06, 0.09, 0.12, 0.15,  0.12,
                                0.09, 0.06, 0.03, 0.0,  -0.03, 0.03};
  situation x = {.n = 3, .mode = HK_STATES_HELD};
  for (int i = 0; i < HK_ARRAY_LEN(path); i++) {
    double next[DATA];
    x.s[0] = path[i];
    const hk_many_out o = ask(law, &x, NULL, next);
    const bool on = i > 3 && i <= 9; // engaged by the state before, until the one that lets go
    const double e = path[i] - 0.12 - e0, stored = 50 * (e * e - e0 * e0);
    ck_assert_double_eq_tol(o.f[0], on ? 100 * e : 0.0, 1e-12);
    ck_assert_double_eq_tol(o.books.energy, on && i < 9 ? stored : 0.0, 1e-12);
    const double lost = 50 * (pow(0.12 + e0, 2) - e0 * e0);
    ck_assert_double_eq_tol(o.books.spent, i < 9 ? 0.0 : lost, 1e-12);
    // the books are the same before and after the data follow
    memcpy(x.d, next, (size_t)law->nd * sizeof *next);
    const hk_many_out after = ask(law, &x, NULL, next);
    ck_assert_double_eq(after.books.energy, o.books.energy);
    ck_assert_double_eq(after.books.spent, o.books.spent);
  }
}
END_TEST

/* --- forms of one deformation ----------------------------------------------------------------- */

static hk_law *form(const char *key, const double *c) {
  const hk_law_form *f = hki_law_forms;
  while (f->key && strcmp(f->key, key) != 0) f++;
  ck_assert_msg(f->key != NULL, "no form '%s'", key);
  hk_law *law = hki_pool_alloc(b.pool, sizeof *law);
  *law = (hk_law){.kind = HK_LAW_FORM, .n = HK_FORM_NUMBERS, .c = c, .form = f};
  return law_done(&b, law);
}

START_TEST(test_forms) {
  const struct {
    const char *key;
    double c[HK_FORM_NUMBERS];
    bool of_rate;
    double x, f; // a value of the closed form
  } cases[] = {
      {"double_linear", {100, 400, -0.05, 0.1}, false, 0.15, 10 + 400 * 0.05},
      {"double_linear", {100, 20, -0.05, 0.1}, false, -0.15, -5 - 20 * 0.1},
      {"log_elastic", {50, 0.7}, false, 0.2, 50 * log(9. / 7)},
      {"gas_spring", {0.02, 2e5, 0.4, 1.4, 1e5}, false, -0.2, -0.02 * (2e5 * pow(2, 1.4) - 1e5)},
      {"gas_spring", {0.02, 2e5, 0.4, 1.0, 0}, false, 0.4, -0.02 * 1e5},
      {"turbulent", {30, 80, 0.05}, true, -0.3, -30 * 0.09},
      {"turbulent", {30, 80, 0.05}, true, 0.04, 80 * 0.05 * 0.04},
      {"turbulent", {30, NAN, 0.05}, true, 0.4, 30 * 0.16}};
  for (int i = 0; i < HK_ARRAY_LEN(cases); i++)
    for (int flip = 0; flip < 2; flip++) {
      hk_law *law = form(cases[i].key, cases[i].c);
      const double side = flip ? -1.0 : 1.0;
      hk_law_out o, p;
      law->flip = flip;
      const bool rate = cases[i].of_rate;
      hki_law_eval(law, false, rate ? 9.0 : side * cases[i].x, rate ? side * cases[i].x : 9.0, &o);
      ck_assert_double_eq_tol(o.f, side * cases[i].f, 1e-12 * (1.0 + fabs(cases[i].f)));
      ck_assert_int_eq(law->uses_sd, rate);
      for (int k = -6; k <= 6; k++) {
        const double x = 0.031 * k + 0.003;
        double f[4], E[4];
        for (int m = 0; m < 4; m++) {
          const double y = x + points[m] * 1e-4;
          hki_law_eval(law, false, y, y, &p);
          f[m] = p.f, E[m] = hki_law_energy(law, y);
        }
        hki_law_eval(law, false, x, x, &o);
        ck_assert_double_eq_tol(rate ? o.fsd : o.fs, five_point(f, 1e-4),
                                1e-6 * (1.0 + fabs(o.fs + o.fsd)));
        if (!rate) ck_assert_double_eq_tol(five_point(E, 1e-4), o.f, 1e-6 * (1.0 + fabs(o.f)));
      }
    }
  for (const hk_law_form *f = hki_law_forms; f->key; f++) {
    bool listed = false;
    for (int i = 0; hki_law_infos[i].key; i++)
      listed = listed || strcmp(hki_law_infos[i].key, f->key) == 0;
    ck_assert_msg(listed, "'%s' is not among the laws", f->key);
  }
}
END_TEST

/* a sum of parts where a law of one deformation stands: alone and by its books */
START_TEST(test_one) {
  hk_law_part p[2] = {part_of(HK_PART_LINEAR, matrix(1, 500, 0, 0, 0)),
                      part_of(HK_PART_VISCOUS, matrix(1, 20, 0, 0, 0))};
  static const double strain[1] = {0.1}, stress[1] = {7};
  hk_law_many *law = many(1, 2, p);
  law->strain = strain, law->stress = stress, law->factor = 2.0;
  hk_law *one = plain_law(HK_LAW_LINEAR, 1, (double[]){0});
  one->kind = HK_LAW_MANY, one->many = law;
  law_done(&b, one);
  hk_law_out o, direct;
  hk_law_books books;
  hk_law_memory mem = {0};
  hki_law_recall(one, false, 0.3, 2.0, &mem, &o, &books);
  hki_law_eval(one, false, 0.3, 2.0, &direct);
  ck_assert_double_eq_tol(o.f, 2 * (500 * 0.2 + 20 * 2.0) + 7, 1e-12);
  ck_assert_double_eq(o.f, direct.f);
  ck_assert_double_eq_tol(o.fs, 1000, 1e-12);
  ck_assert_double_eq_tol(o.fsd, 40, 1e-12);
  ck_assert_double_eq_tol(books.dissipated, 40 * 4.0, 1e-12);
  ck_assert_double_eq_tol(books.energy, 500 * 0.04 + 7 * 0.2, 1e-12);
  ck_assert(hki_law_keeps_books(one) && !hki_law_has_memory(one));
}
END_TEST

Suite *suite_law_many(void);
Suite *suite_law_many(void) {
  Suite *s = suite_create("law_many");
  TCase *c = tcase_create("law_many");
  tcase_add_checked_fixture(c, setup, teardown);
  tcase_add_test(c, test_slopes);
  tcase_add_test(c, test_power);
  tcase_add_test(c, test_branch);
  tcase_add_test(c, test_hardening);
  tcase_add_test(c, test_plastic_work);
  tcase_add_loop_test(c, test_bistop, 0, 2);
  tcase_add_test(c, test_forms);
  tcase_add_test(c, test_one);
  suite_add_tcase(s, c);
  return s;
}

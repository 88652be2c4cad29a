/* SPDX-License-Identifier: Apache-2.0
 *
 * The tables of the diagonally implicit Runge-Kutta methods: row sums, order conditions, stiff
 * accuracy, stability function; and the method itself through the stage contract on an oscillator:
 * order on step halving, damping of a stiff one; the same result by sweeps over both stages, which
 * are exact here.
 */
#include <check.h>
#include <complex.h>
#include <math.h>
#include <string.h>

#undef I /* also the name of an integrator */

#include "integrators/dirk.h"

enum { S = HK_STAGES_MAX, H = HK_DIRK_VECTORS * S };

static double a_of(const hk_tableau *T, int32_t i, int32_t j) { return T->A[i * T->stages + j]; }

START_TEST(row_sums) {
  const hk_tableau *T = hki_tableau_at(_i);
  ck_assert_int_le(T->stages, HK_STAGES_MAX);
  for (int32_t i = 0; i < T->stages; i++) {
    double sum = 0.0;
    for (int32_t j = 0; j < T->stages; j++) sum += a_of(T, i, j);
    ck_assert_double_eq_tol(sum, T->c[i], 1e-15);
    // diagonal: all the same, nothing above
    ck_assert(a_of(T, i, i) == a_of(T, 0, 0));
    for (int32_t j = i + 1; j < T->stages; j++) ck_assert(a_of(T, i, j) == 0.0);
  }
}
END_TEST

/* the conditions of order 1 to 4 (Hairer, Norsett and Wanner, Solving ODEs I, table 2.1): those up
 * to the order a method claims hold, and not all of the next order */
START_TEST(order_conditions) {
  const hk_tableau *T = hki_tableau_at(_i);
  double one = 0, two = 0, three[2] = {0}, four[4] = {0};
  for (int32_t i = 0; i < T->stages; i++) {
    const double b = T->b[i], c = T->c[i];
    one += b;
    two += b * c;
    three[0] += b * c * c;
    four[0] += b * c * c * c;
    for (int32_t j = 0; j < T->stages; j++) {
      const double ba = b * a_of(T, i, j), cj = T->c[j];
      three[1] += ba * cj;
      four[1] += ba * c * cj;
      four[2] += ba * cj * cj;
      for (int32_t k = 0; k < T->stages; k++) four[3] += ba * a_of(T, j, k) * T->c[k];
    }
  }
  ck_assert_double_eq_tol(one, 1.0, 1e-15);
  ck_assert_double_eq_tol(two, 0.5, 1e-15);
  bool third = fabs(three[0] - 1.0 / 3.0) < 1e-15 && fabs(three[1] - 1.0 / 6.0) < 1e-15;
  bool fourth = fabs(four[0] - 1.0 / 4.0) < 1e-3 && fabs(four[1] - 1.0 / 8.0) < 1e-3 &&
                fabs(four[2] - 1.0 / 12.0) < 1e-3 && fabs(four[3] - 1.0 / 24.0) < 1e-3;
  ck_assert_int_eq(third, T->order == 3);
  ck_assert(!fourth);
}
END_TEST

/* the three diagonals of the published family, to the last digit */
START_TEST(diagonals) {
  const double g[3] = {(3.0 + sqrt(3.0)) / 6.0, (3.0 - sqrt(3.0)) / 6.0, 1.0 - sqrt(0.5)};
  ck_assert_int_eq(hki_tableau_count(), 3);
  for (int32_t i = 0; i < 3; i++) {
    ck_assert_double_eq_tol(hki_tableau_at(i)->A[0], g[i], 2e-16);
    ck_assert_double_eq_tol(hki_tableau_at(i)->A[2], 1.0 - 2.0 * g[i], 3e-16);
  }
}
END_TEST

/* R(z) = 1 + z b' (1 - z A)^-1 1 by forward substitution */
static double complex growth(const hk_tableau *T, double complex z) {
  double complex k[S], sum = 0.0;
  for (int32_t i = 0; i < T->stages; i++) {
    double complex r = 1.0;
    for (int32_t j = 0; j < i; j++) r += z * a_of(T, i, j) * k[j];
    k[i] = r / (1.0 - z * a_of(T, i, i));
    sum += T->b[i] * k[i];
  }
  return 1.0 + z * sum;
}

START_TEST(stability) {
  const hk_tableau *T = hki_tableau_at(_i);
  double most = 0.0;
  for (double y = 1e-3; y < 1e6; y *= 1.1) most = fmax(most, cabs(growth(T, y * _Complex_I)));
  ck_assert_msg((most <= 1.0 + 1e-12) == T->a_stable, "%s: %g on the imaginary axis", T->name,
                most);
  ck_assert_int_eq(cabs(growth(T, -1e9)) < 1e-6, T->l_stable);
  bool stiff = true;
  for (int32_t j = 0; j < T->stages; j++) stiff = stiff && a_of(T, T->stages - 1, j) == T->b[j];
  ck_assert_int_eq(stiff, T->stiffly_accurate);
}
END_TEST

/* the option names the rows of the table, in order */
START_TEST(option_names_the_table) {
  const hk_param *p = hki_params_find(hki_integrator_find("sdirk")->params, "gamma");
  char words[200] = "";
  for (int32_t i = 0; i < hki_tableau_count(); i++) {
    if (i) strcat(words, " ");
    strcat(words, hki_tableau_at(i)->name);
  }
  ck_assert_ptr_nonnull(p);
  ck_assert_str_eq(p->choices, words);
}
END_TEST

/* --- an oscillator x'' = -2 d w x' - w^2 x + cos(t) through the contract ---------------------- */

typedef struct oscillator {
  hk_formulation base;
  double w, d, r;
  hk_stage st;
  int projected;
  double g, matrix_at; /* of the last matrices */
  int matrices;
} oscillator;

static double force(const oscillator *o, double t, double x, double v) {
  return cos(t) - 2.0 * o->d * o->w * v - o->w * o->w * x;
}
static void plus(const hk_formulation *f, const double *q, const double *d, double *out) {
  (void)f;
  *out = *q + *d;
}
static hk_status begin(hk_formulation *f, const hk_stage *st) {
  ((oscillator *)f)->st = *st;
  return HK_OK;
}
static hk_status residual(hk_formulation *f, const double *D, bool tangent) {
  (void)tangent;
  oscillator *o = (oscillator *)f;
  const hk_stage *st = &o->st;
  o->r = *st->ah + st->ca * *D - force(o, st->t, *st->q0 + *D, *st->vh + st->cv * *D);
  return HK_OK;
}
static hk_status factor(hk_formulation *f) {
  (void)f;
  return HK_OK;
}
static hk_status correct(hk_formulation *f, double *D, hk_norms *n) {
  oscillator *o = (oscillator *)f;
  double x = o->r / (o->st.ca + 2.0 * o->d * o->w * o->st.cv + o->w * o->w);
  *D -= x;
  *n = (hk_norms){.step = fabs(x)};
  return HK_OK;
}
static hk_status accel(hk_formulation *f, double t, const double *q, const double *v, double *a) {
  *a = force((oscillator *)f, t, *q, *v);
  return HK_OK;
}
static hk_status project(hk_formulation *f, double t, double *q, double *v, double *a,
                         uint32_t what) {
  (void)t, (void)q, (void)v, (void)a;
  ck_assert_uint_eq(what, HK_PROJECT_POS | HK_PROJECT_VEL);
  ((oscillator *)f)->projected++;
  return HK_OK;
}

static hk_status matrices(hk_formulation *f, double t, const double *q0, const double *D,
                          const double *w, double g) {
  oscillator *o = (oscillator *)f;
  (void)q0, (void)D, (void)w;
  o->g = g, o->matrix_at = t, o->matrices++;
  return HK_OK;
}
static hk_status rates(hk_formulation *f, int32_t stage, bool first, double t, const double *q0,
                       double *D, double *w, double *wd) {
  (void)stage, (void)first;
  *wd = force((oscillator *)f, t, *q0 + *D, *w);
  return HK_OK;
}
static void mul(hk_formulation *f, const double *u, const double *w, const double *z, double *y) {
  const oscillator *o = (oscillator *)f;
  *y = *u + 2.0 * o->d * o->w * *w + o->w * o->w * *z;
}
static void solve(hk_formulation *f, double *x) {
  const oscillator *o = (oscillator *)f;
  *x /= 1.0 + o->g * (2.0 * o->d * o->w + o->g * o->w * o->w);
}
static const hk_rate_ops rate_ops = {
    .matrices = matrices, .rates = rates, .mul = mul, .solve = solve};

static const hk_formulation_ops ops = {.name = "oscillator",
                                       .caps = HK_CAP_STAGE_ACC | HK_CAP_ACCEL | HK_CAP_RATES,
                                       .rates = &rate_ops,
                                       .plus = plus,
                                       .begin = begin,
                                       .residual = residual,
                                       .factor = factor,
                                       .correct = correct,
                                       .accel = accel,
                                       .project = project};

/* state at t = 1 after n steps; returns the iterations */
static int64_t integrate_by(hk_dirk_par par, double w, double d, int32_t n, double out[2]) {
  oscillator o = {.base = {.ops = &ops}, .w = w, .d = d};
  hk_newton newton = {.tolerance = 1e-15, .max_iter = 20};
  double q = 1.0, v = 0.0, a = force(&o, 0.0, 1.0, 0.0), hist[H], q1, v1, a1, hist1[H], D, vh, ah,
         work[2];
  hk_integrator I = {.ops = hki_integrator_find("sdirk"),
                     .par = &par,
                     .f = &o.base,
                     .newton = &newton,
                     .nq = 1,
                     .nv = 1,
                     .q = &q,
                     .v = &v,
                     .a = &a,
                     .hist = hist,
                     .q1 = &q1,
                     .v1 = &v1,
                     .a1 = &a1,
                     .hist1 = hist1,
                     .D = &D,
                     .vh = &vh,
                     .ah = &ah,
                     .work = work};
  ck_assert_int_eq(I.ops->nhist, H);
  for (int32_t i = 0; i < n; i++) {
    ck_assert_int_eq(I.ops->step(&I, 1.0 / n), HK_OK);
    hki_integrator_accept(&I, 1.0 / n);
  }
  ck_assert_int_eq(o.projected, n);
  out[0] = q, out[1] = v;
  // one matrix a step, of its start, or one for each correction
  if (par.iteration == HK_DIRK_SIMULTANEOUS && par.matrix == HK_DIRK_START) {
    ck_assert_int_eq(o.matrices, n);
    ck_assert_double_eq_tol(o.matrix_at, 1.0 - 1.0 / n, 1e-12);
  } else if (par.iteration == HK_DIRK_SIMULTANEOUS) {
    ck_assert_int_eq(o.matrices, newton.iterations);
  }
  return newton.iterations;
}

static void integrate(int32_t gamma, double w, double d, int32_t n, double out[2]) {
  integrate_by((hk_dirk_par){.gamma = gamma}, w, d, n, out);
}

START_TEST(order_on_halving) {
  double e[3][2], fine[2];
  integrate(_i, 3.0, 0.2, 20000, fine);
  for (int k = 0; k < 3; k++) {
    integrate(_i, 3.0, 0.2, 40 << k, e[k]);
    for (int j = 0; j < 2; j++) e[k][j] = fabs(e[k][j] - fine[j]);
  }
  for (int k = 0; k < 2; k++)
    for (int j = 0; j < 2; j++)
      ck_assert_double_eq_tol(log2(e[k][j] / e[k + 1][j]), hki_tableau_at(_i)->order, 0.12);
}
END_TEST

/* a stiff oscillator (w h = 2000): the L-stable method forgets it, the A-stable one keeps it
 * bounded */
START_TEST(stiff) {
  double x[2];
  integrate(2, 1e5, 0.0, 50, x);
  ck_assert(fabs(x[0]) < 1e-9);
  integrate(0, 1e5, 0.0, 50, x);
  ck_assert(fabs(x[0]) < 1.0);
}
END_TEST

/* Stages together or in turn, with any matrix: the same numbers. Equations of motion that are linear
 * take one sweep, and a second one that finds nothing left: coupling terms included. */
START_TEST(sweeps) {
  double x[2], y[2];
  integrate(_i, 3.0, 0.2, 40, x);
  for (int k = 1; k < 4; k++) {
    const hk_dirk_par par = {.gamma = _i, .iteration = k % 2, .matrix = k / 2};
    const int64_t iterations = integrate_by(par, 3.0, 0.2, 40, y);
    for (int j = 0; j < 2; j++) ck_assert_double_eq_tol(y[j], x[j], 1e-13);
    ck_assert_int_eq(iterations, 40 * 2 * S);
  }
}
END_TEST

Suite *suite_dirk(void);
Suite *suite_dirk(void) {
  Suite *s = suite_create("dirk");
  TCase *c = tcase_create("tableaux");
  int n = hki_tableau_count();
  tcase_add_loop_test(c, row_sums, 0, n);
  tcase_add_loop_test(c, order_conditions, 0, n);
  tcase_add_test(c, diagonals);
  tcase_add_loop_test(c, stability, 0, n);
  tcase_add_test(c, option_names_the_table);
  suite_add_tcase(s, c);
  c = tcase_create("oscillator");
  tcase_add_loop_test(c, order_on_halving, 0, n);
  tcase_add_test(c, stiff);
  tcase_add_loop_test(c, sweeps, 0, n);
  suite_add_tcase(s, c);
  return s;
}

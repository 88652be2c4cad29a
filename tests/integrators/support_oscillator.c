/* SPDX-License-Identifier: Apache-2.0
 *
 * The linear oscillator as a formulation, and runs of one integrator on it.
 */
#include "support_oscillator.h"

/* --- the oscillator as a formulation ---------------------------------------------------------- */

static void dims(const hk_formulation *f, hk_dims *d) {
  (void)f;
  *d = (hk_dims){.nq = 1, .nv = 1};
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
  double x = *o->st.q0 + *D, v = *o->st.vh + o->st.cv * *D, a = *o->st.ah + o->st.ca * *D;
  o->residuals++;
  o->r = a + 2.0 * o->d * o->w * v + o->w * o->w * x;
  return HK_OK;
}

static hk_status factor(hk_formulation *f) {
  oscillator *o = (oscillator *)f;
  o->factors++;
  o->S = o->st.ca + 2.0 * o->d * o->w * o->st.cv + o->w * o->w;
  return HK_OK;
}

static hk_status correct(hk_formulation *f, double *D, hk_norms *n) {
  oscillator *o = (oscillator *)f;
  *D -= o->r / o->S;
  *n = (hk_norms){.step = fabs(o->r / o->S), .old_factor = o->old};
  return HK_OK;
}

static hk_status accel(hk_formulation *f, double t, const double *q, const double *v, double *a) {
  const oscillator *o = (oscillator *)f;
  (void)t;
  *a = -2.0 * o->d * o->w * *v - o->w * o->w * *q;
  return HK_OK;
}

static hk_status project(hk_formulation *f, double t, double *q, double *v, double *a,
                         uint32_t what) {
  (void)f, (void)t, (void)q, (void)v, (void)a, (void)what;
  return HK_OK;
}

const uint32_t oscillator_caps = HK_CAP_STAGE_POS | HK_CAP_ACCEL;

static void minus(const hk_formulation *f, const double *q1, const double *q0, double *d) {
  (void)f;
  *d = *q1 - *q0;
}

static const hk_formulation_ops oscillator_ops = {.name = "oscillator",
                                                  .caps = HK_CAP_STAGE_POS | HK_CAP_ACCEL,
                                                  .dims = dims,
                                                  .plus = plus,
                                                  .minus = minus,
                                                  .begin = begin,
                                                  .residual = residual,
                                                  .factor = factor,
                                                  .correct = correct,
                                                  .accel = accel,
                                                  .project = project};

void oscillator_start(oscillator_run *r, const char *name, const char *option, const char *value,
                      double w, double d, double x, double v) {
  char buf[256] = "";
  uint64_t given = 0;
  memset(r, 0, sizeof *r);
  r->o = (oscillator){.base = {.ops = &oscillator_ops}, .w = w, .d = d};
  r->newton = (hk_newton){.tolerance = 1e-14, .max_iter = 20};
  hk_integrator *I = &r->I;
  I->ops = hki_integrator_find(name);
  ck_assert_ptr_nonnull(I->ops);
  hki_params_default(I->ops->params, r->par);
  if (option)
    ck_assert_msg(hki_params_set(I->ops->params, r->par, option, (hk_param_value){.text = value},
                                 &given, buf, sizeof buf),
                  "%s", buf);
  ck_assert_msg(I->ops->prepare(r->par, given, buf, sizeof buf), "%s", buf);
  ck_assert_int_le(I->ops->nhist, HIST);
  I->par = r->par, I->f = &r->o.base, I->newton = &r->newton, I->nq = I->nv = 1;
  I->rtol = I->atol = 1.0;
  double *m = r->mem;
  I->q = m++, I->v = m++, I->a = m++, I->hist = m, m += HIST;
  I->q1 = m++, I->v1 = m++, I->a1 = m++, I->hist1 = m, m += HIST;
  I->D = m++, I->vh = m++, I->ah = m++, I->work = m, m += 2, I->dense = m;
  ck_assert_int_le(hki_interpolate_size(I), DENSE);
  *I->q = x, *I->v = v, *I->a = -2.0 * d * w * v - w * w * x;
  ck_assert_int_eq(I->ops->start(I), HK_OK);
}

void oscillator_steps(oscillator_run *r, double h, int n) {
  for (int i = 0; i < n; i++) {
    ck_assert_int_eq(r->I.ops->step(&r->I, h), HK_OK);
    hki_integrator_accept(&r->I, h);
  }
}

void oscillator_exact(double w, double d, double x0, double v0, double t, double *x, double *v) {
  const double wd = w * sqrt(1.0 - d * d), B = (v0 + d * w * x0) / wd, e = exp(-d * w * t);
  const double c = cos(wd * t), s = sin(wd * t);
  *x = e * (x0 * c + B * s);
  *v = -d * w * *x + e * wd * (-x0 * s + B * c);
}

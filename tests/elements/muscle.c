/* SPDX-License-Identifier: Apache-2.0
 *
 * muscle.c: the curves of a muscle against their closed forms, its activation and its books. Tangents,
 * inputs and the balance of power are checked with those of all elements (elements.c).
 */
#include <math.h>
#include <string.h>

#include "elements/support.h"
#include "runner.h"

static bench b;
static void setup(void) { bench_open(&b); }
static void teardown(void) { bench_close(&b); }

/* a muscle of 100 N, 0.2 m and 0.5 m/s, along x */
typedef struct body {
  element_case c;
  element_state x;
} body;

static void set(element_case *c, const char *key, double value) {
  const hk_param *p = hki_params_find(c->ops->params, key);
  ck_assert_ptr_nonnull(p);
  if (p->type == HK_P_DYNAMIC)
    c->u[p->offset] = value, c->u_given |= 1u << p->offset;
  else
    memcpy((char *)c->par + p->offset, &value, sizeof value);
}

static void make(body *m, double activation, double rise, double fall) {
  memset(m, 0, sizeof *m);
  m->c.label = "muscle";
  m->c.ops = hki_element_find("muscle");
  m->c.par = hki_pool_alloc(b.pool, m->c.ops->par_size);
  set(&m->c, "force", 100.0), set(&m->c, "length", 0.2), set(&m->c, "velocity", 0.5);
  set(&m->c, "tendon", 0.3), set(&m->c, "activation", activation);
  set(&m->c, "rise", rise), set(&m->c, "fall", fall);
  m3_identity(m->x.m[0].R), m3_identity(m->x.m[1].R);
  m->x.m[1].p[0] = 0.5;
  ck_assert_int_eq(
      m->c.ops->prepare(b.ctx, HK_LOC_NONE, "m", m->c.par, m->c.u_given, m->c.u, m->x.m), HK_OK);
}

/* at the length x and the rate v, in units of the muscle */
static void eval(body *m, double x, double v, hk_element_out *out) {
  m->x.m[1].p[0] = 0.3 + 0.2 * x;
  m->x.m[1].v[0] = 0.5 * v;
  case_eval(&m->c, &m->x, 127u, out);
}

/* active and passive force, without units */
static double active(double a, double x, double v, double *passive) {
  hk_element_out full, none;
  body m;
  make(&m, a, 0.0, 0.0);
  eval(&m, x, v, &full);
  m.c.u[0] = 0.0;
  eval(&m, x, v, &none);
  *passive = none.y[2] / 100.0;
  return (full.y[2] - none.y[2]) / 100.0;
}

START_TEST(test_curves) {
  double p;
  // isometric, at v = 0: fv = 1.6 (1 - 1/e)
  const double still = 1.6 * (1.0 - exp(-1.0));
  for (double x = 0.3; x < 1.8; x += 0.1) {
    const double y = x - 0.95, f = exp(y * y - 40.0 * pow(y, 4.0));
    ck_assert_double_eq_tol(active(1.0, x, 0.0, &p), still * f, 1e-13);
    ck_assert_double_eq_tol(p, 1.3 * atan(0.1 * pow(x - 0.22, 10.0)), 1e-13);
    ck_assert_double_eq_tol(active(0.35, x, 0.0, &p), 0.35 * still * f, 1e-13);
  }
  // over the rate, at the optimal length
  const double best = exp(0.05 * 0.05 - 40.0 * pow(0.05, 4.0));
  for (double v = -2.3; v < 0.95; v += 0.1) {
    const double w = v - 1.0, f = 1.6 - 1.6 * exp(0.1 / (w * w) - 1.1 / pow(w, 4.0));
    ck_assert_double_eq_tol(active(1.0, 1.0, v, &p), best * f, 1e-13);
  }
  // what the curves give where a muscle is said to have 1, 1 and 0
  ck_assert_double_eq_tol(best, 1.00225253, 1e-8);
  ck_assert_double_eq_tol(still, 1.01139289, 1e-8);
  ck_assert_double_eq_tol(active(1.0, 0.95, -1.0, &p), 1.6 * (1.0 - exp(-0.04375)), 1e-13);
}
END_TEST

/* nothing turns back beyond the ends of the curves, and a muscle never pushes */
START_TEST(test_ends_of_curves) {
  double p, last = 0.0;
  for (double v = -4.0; v < 4.0; v += 0.01) {
    const double f = active(1.0, 0.95, v, &p);
    ck_assert_msg(f >= last && f <= 1.6, "fv(%g) = %g after %g", v, f, last);
    last = f;
  }
  ck_assert_double_eq(active(1.0, 0.95, 1.0 - sqrt(11.0) - 1e-9, &p), 0.0);
  ck_assert_double_eq_tol(last, 1.6, 1e-13);
  active(1.0, 0.1, 0.0, &p);
  ck_assert_double_eq(p, 0.0);
}
END_TEST

/* the energy of the passive part against its integral by Simpson's rule */
START_TEST(test_stored) {
  enum { PARTS = 2000 };
  hk_element_out out;
  body m;
  make(&m, 0.0, 0.0, 0.0);
  for (double x = 0.3; x < 2.2; x += 0.19) {
    double sum = 0.0, h = (x - 0.22) / PARTS;
    for (int i = 0; i <= PARTS; i++)
      sum += 1.3 * atan(0.1 * pow(i * h, 10.0)) * (i % PARTS == 0 ? 1.0 : i % 2 ? 4.0 : 2.0);
    eval(&m, x, 0.3, &out);
    ck_assert_double_eq_tol(out.energy, 100.0 * 0.2 * sum * h / 3.0, 1e-11);
    ck_assert_double_eq(out.supplied, 0.0);
  }
}
END_TEST

/* reflexes add to the activation, within 0 and 1; the length in the drawing is their zero */
START_TEST(test_reflexes) {
  hk_element_out out;
  body m;
  make(&m, 0.4, 0.0, 0.0);
  set(&m.c, "stretch_reflex", 5.0), set(&m.c, "rate_reflex", 0.8);
  set(&m.c, "reference_velocity", 0.05);
  eval(&m, 1.2, 0.3, &out);
  ck_assert_double_eq_tol(out.y[3], 0.4 + 5.0 * 0.04 + 0.8 * 0.1, 1e-14);
  eval(&m, 1.5, 0.3, &out);
  ck_assert_double_eq_tol(out.y[3], 0.4 + 5.0 * 0.1 + 0.8 * 0.1, 1e-14);
  eval(&m, 1.6, 0.3, &out);
  ck_assert_double_eq(out.y[3], 1.0);
  eval(&m, 0.5, -0.6, &out);
  ck_assert_double_eq(out.y[3], 0.0);
  ck_assert_double_eq_tol(out.y[5], -out.y[2] * 0.5 * -0.6, 1e-15);
}
END_TEST

/* At rest the activation is what is asked for; given, its rate has the time of its side; in a stage it
 * obeys the rule of the integrator on the right side, and the slopes are those of differences. */
START_TEST(test_dynamics) {
  static const double rise = 0.02, fall = 0.06;
  double z[1], zd[1], c[1], unit = 0.0;
  hk_states st = {HK_STATES_REST, 0.0, c, z, zd, NULL, NULL};
  hk_element_out out, hi, lo;
  int32_t nz, nd;
  rng r = {4};
  body m;
  make(&m, 0.4, rise, fall);
  set(&m.c, "stretch_reflex", 1.0), set(&m.c, "rate_reflex", 0.1);
  hki_element_memory(m.c.ops, m.c.par, &nz, &nd);
  hki_element_units(m.c.ops, m.c.par, &unit);
  ck_assert(nz == 1 && nd == 0 && unit == 1.0);
  m.c.st = &st;
  z[0] = 0.9;
  eval(&m, 1.1, 0.0, &out);
  ck_assert_double_eq_tol(out.y[3], 0.42, 1e-14);
  ck_assert_double_eq_tol(zd[0], 0.0, 1e-12);
  int up = 0;
  for (int i = 0; i < 40; i++) {
    st.mode = HK_STATES_HELD;
    z[0] = rng_real(&r, 0.0, 1.0);
    const double before = z[0];
    eval(&m, 1.1, 0.3, &out);
    const double e = out.y[4];
    ck_assert_double_eq(out.y[3], before);
    ck_assert_double_eq_tol(zd[0], (e - before) / (e > before ? rise : fall), 1e-11);
    // dz/dt = c + gamma z
    st.mode = HK_STATES_STAGE, st.gamma = rng_real(&r, 1.0, 200.0);
    c[0] = -st.gamma * rng_real(&r, 0.0, 1.0);
    eval(&m, 1.1, 0.3, &out);
    ck_assert_double_eq_tol(zd[0], c[0] + st.gamma * z[0], 1e-11);
    ck_assert_double_eq_tol(zd[0], (e - z[0]) / (e > z[0] ? rise : fall), 1e-11);
    up += e > z[0];
    eval(&m, 1.1 + 1e-5, 0.3, &hi), eval(&m, 1.1 - 1e-5, 0.3, &lo);
    ck_assert_double_eq_tol(out.ks[0], (hi.y[2] - lo.y[2]) / (0.4e-5), 1e-5);
    eval(&m, 1.1, 0.3 + 1e-5, &hi), eval(&m, 1.1, 0.3 - 1e-5, &lo);
    ck_assert_double_eq_tol(out.cs[0], (hi.y[2] - lo.y[2]) / (1e-5), 1e-5);
    double w[2][12];
    for (int k = 0; k < 2; k++) {
      m.c.u[0] = 0.4 + (k ? 1e-5 : -1e-5);
      eval(&m, 1.1, 0.3, &hi);
      memcpy(w[k], hi.w, sizeof w[k]);
    }
    m.c.u[0] = 0.4;
    ck_assert_double_eq_tol(out.Wu[3], (w[1][3] - w[0][3]) / 2e-5, 1e-5);
  }
  ck_assert(up > 5 && up < 35);
}
END_TEST

START_TEST(test_no_length) {
  body m;
  make(&m, 0.4, 0.0, 0.0);
  set(&m.c, "tendon", 0.7);
  ck_assert_int_eq(m.c.ops->prepare(b.ctx, HK_LOC_NONE, "biceps", m.c.par, 0, m.c.u, m.x.m),
                   HK_E_MODEL);
  ck_assert_ptr_nonnull(strstr(hk_ctx_message(b.ctx, 0)->text, "biceps"));
}
END_TEST

Suite *suite_muscle(void);
Suite *suite_muscle(void) {
  Suite *s = suite_create("elements/muscle");
  TCase *t = tcase_create("muscle");
  tcase_add_checked_fixture(t, setup, teardown);
  tcase_add_test(t, test_curves);
  tcase_add_test(t, test_ends_of_curves);
  tcase_add_test(t, test_stored);
  tcase_add_test(t, test_reflexes);
  tcase_add_test(t, test_dynamics);
  tcase_add_test(t, test_no_length);
  suite_add_tcase(s, t);
  return s;
}

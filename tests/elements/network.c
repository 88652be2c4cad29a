/* SPDX-License-Identifier: Apache-2.0
 *
 * Elements between scalar nodes: all derivatives against differences, flows that balance between
 * nodes of one kind, values of closed form, refused parameters.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "elements/element.h"

enum { N = HK_ELEMENT_UNKNOWNS };

static unsigned char par[512];
static double u[HK_ELEMENT_INPUTS], d[HK_ELEMENT_DISCRETE], x[N], xd[N];
static hk_element_in in;

static double noise(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(int64_t)(*seed >> 11) / 4503599627370496.0 - 1.0;
}

/* parameters at their defaults, or at a number where there is none; inputs and state at random */
static void setup_case(const hk_element_ops *o, uint64_t seed) {
  memset(par, 0, sizeof par);
  ck_assert_uint_le(o->par_size, sizeof par);
  for (const hk_param *p = o->params; p->type != HK_P_END; p++) {
    double value = isnan(p->def) || p->def == 0.0 ? 1.5 + 0.5 * noise(&seed) : p->def;
    if (p->type == HK_P_REAL) memcpy(par + p->offset, &value, sizeof value);
  }
  for (int i = 0; i < HK_ELEMENT_INPUTS; i++) u[i] = 1.3 + 0.4 * noise(&seed);
  for (int i = 0; i < N; i++) x[i] = 2.0 * noise(&seed), xd[i] = 3.0 * noise(&seed);
  d[0] = 1.0;
  in = (hk_element_in){.s = noise(&seed), .sd = noise(&seed), .u = u, .d = d, .x = x, .xd = xd};
}

static void eval(const hk_element_ops *o, hk_element_out *out) {
  memset(out, 0x7f, sizeof *out); // what is not written must not be read
  o->eval(par, &in, ~0u, out);
}

/* central differences of F and tau by one number, against columns of what the element says */
static void compare(const hk_element_ops *o, double *at, const double *slope, int32_t stride,
                    double tau_slope, const char *what) {
  const int32_t n = o->nnode + o->nown;
  const double h = 1e-6, keep = *at;
  hk_element_out lo, hi;
  *at = keep + h, eval(o, &hi);
  *at = keep - h, eval(o, &lo);
  *at = keep;
  for (int32_t i = 0; i < n; i++) {
    double diff = (hi.F[i] - lo.F[i]) / (2.0 * h), is = slope[stride * i];
    ck_assert_msg(fabs(diff - is) < 1e-7 * (1.0 + fabs(is)), "%s: dF%d by %s is %g, not %g",
                  o->name, (int)i, what, diff, is);
  }
  if (!isnan(tau_slope)) ck_assert_double_eq_tol((hi.tau - lo.tau) / (2.0 * h), tau_slope, 1e-7);
}

static const hk_element_ops *op(int32_t i) { return hki_element_at(i); }

START_TEST(test_derivatives) {
  for (int32_t e = hki_element_force_count(); e < hki_element_count(); e++) {
    const hk_element_ops *o = op(e);
    const int32_t n = o->nnode + o->nown;
    for (uint64_t seed = 1; seed < 6; seed++) {
      hk_element_out out;
      setup_case(o, seed);
      eval(o, &out);
      for (int32_t j = 0; j < n; j++) {
        compare(o, &x[j], out.Fx + j, N, out.tau_x[j], "a value");
        compare(o, &xd[j], out.Fxd + j, N, 0.0, "a rate");
      }
      for (int32_t j = 0; j < o->nu; j++) compare(o, &u[j], out.Fu + N * j, 1, NAN, "an input");
      if (!o->nscal) continue;
      compare(o, &in.s, out.Fs, 1, -out.K[0], "the coordinate");
      compare(o, &in.sd, out.Fsd, 1, -out.C[0], "its rate");
      ck_assert_double_eq_tol(out.supplied, out.tau * in.sd, 1e-14);
    }
  }
}
END_TEST

/* flows out of one node enter the other node of the same kind; heat has other sources */
START_TEST(test_balance) {
  for (int32_t e = hki_element_force_count(); e < hki_element_count(); e++) {
    const hk_element_ops *o = op(e);
    hk_element_out out;
    setup_case(o, 3);
    eval(o, &out);
    // a cylinder's chambers are not connected
    if (o->nnode < 2 || strcmp(o->name, "hydraulic_cylinder") == 0) continue;
    ck_assert_int_eq(o->domains[0], o->domains[1]);
    ck_assert_double_eq(out.F[0], -out.F[1]);
  }
}
END_TEST

static int words(const char *s) {
  int n = *s != 0;
  for (; *s; s++) n += *s == ' ';
  return n;
}

START_TEST(test_table) {
  // those of `forces:` come first
  for (int32_t e = 0; e < hki_element_count(); e++)
    ck_assert_int_eq((op(e)->caps & HK_ELEMENT_NETWORK) != 0, e >= hki_element_force_count());
  for (int32_t e = hki_element_force_count(); e < hki_element_count(); e++) {
    const hk_element_ops *o = op(e);
    ck_assert_ptr_eq(hki_element_find(o->name), o);
    ck_assert(o->text && o->source && o->eval && o->params);
    ck_assert(o->caps & HK_ELEMENT_NETWORK);
    ck_assert_int_eq(words(o->outputs), o->ny);
    ck_assert_int_eq(words(o->output_units), o->ny);
    ck_assert_int_le(o->nnode, HK_ELEMENT_NODES);
    ck_assert_int_le(o->nnode + o->nown, N);
    ck_assert_int_le(o->nown, o->ny);
    ck_assert(o->nown == 0 || o->own_scale);
    ck_assert(o->nnode == 0 || o->domains);
    ck_assert_int_eq(o->nmark, 0);
  }
}
END_TEST

/* the first outputs are the private unknowns: channels of them have exact slopes */
START_TEST(test_own_outputs) {
  for (int32_t e = hki_element_force_count(); e < hki_element_count(); e++) {
    const hk_element_ops *o = op(e);
    hk_element_out out;
    setup_case(o, 4);
    eval(o, &out);
    for (int32_t k = 0; k < o->nown; k++) ck_assert_double_eq(out.y[k], x[o->nnode + k]);
  }
}
END_TEST

START_TEST(test_power) {
  hk_element_out out;
  // electric power of a motor = mechanical power + heat + rate of magnetic energy
  const hk_element_ops *o = hki_element_find("dc_motor");
  setup_case(o, 2);
  eval(o, &out);
  const double i = x[3], L = ((const double *)(const void *)par)[1];
  xd[3] = (x[0] - x[1] - u[0] * i - ((const double *)(const void *)par)[0] * in.sd) / L;
  eval(o, &out);
  ck_assert_double_eq_tol(out.F[3], 0.0, 1e-12);
  ck_assert_double_eq_tol(out.F[0] * x[0] + out.F[1] * x[1],
                          out.tau * in.sd - out.F[2] + L * i * xd[3], 1e-12);
  // a cylinder keeps nothing
  o = hki_element_find("hydraulic_cylinder");
  setup_case(o, 2);
  eval(o, &out);
  ck_assert_double_eq_tol(out.F[0] * x[0] + out.F[1] * x[1], out.tau * in.sd, 1e-12);
  // an orifice far from zero is Torricelli's
  o = hki_element_find("orifice");
  setup_case(o, 2);
  x[0] = 3e6, x[1] = 1e6, u[0] = 1e-5;
  eval(o, &out);
  ck_assert_double_eq_tol(out.F[0] / (0.7 * 1e-5 * sqrt(2.0 * 2e6 / 850.0)), 1.0, 1e-6);
}
END_TEST

START_TEST(test_thermostat) {
  const hk_element_ops *o = hki_element_find("thermostat");
  const double limits[2] = {290.0, 295.0};
  const struct {
    double T;
    bool changed;
    double on;
  } steps[] = {{289, true, 1}, {294, false, 1}, {296, true, 0}, {291, false, 0}, {289, true, 1}};
  setup_case(o, 1);
  memcpy(par, limits, sizeof limits);
  d[0] = 0.0;
  for (size_t i = 0; i < HK_ARRAY_LEN(steps); i++) {
    x[1] = steps[i].T;
    // only accepted states switch it
    ck_assert(!o->hook(par, HK_HOOK_AFTER_ITERATION, &in, d));
    ck_assert(o->hook(par, HK_HOOK_BEFORE_PREDICTION, &in, d) == steps[i].changed);
    ck_assert_double_eq(d[0], steps[i].on);
  }
}
END_TEST

START_TEST(test_refused) {
  hk_ctx *ctx = hk_ctx_create();
  const hk_element_ops *r = hki_element_find("resistor"), *t = hki_element_find("thermostat");
  const double upside_down[2] = {300.0, 290.0};
  memset(par, 0, sizeof par);
  ck_assert_int_ne(r->prepare(ctx, HK_LOC_NONE, "r", par, 0, u, NULL), HK_OK);
  ck_assert_int_eq(r->prepare(ctx, HK_LOC_NONE, "r", par, 1, u, NULL), HK_OK);
  memcpy(par, upside_down, sizeof upside_down);
  ck_assert_int_ne(t->prepare(ctx, HK_LOC_NONE, "t", par, 0, u, NULL), HK_OK);
  hk_ctx_destroy(ctx);
}
END_TEST

Suite *suite_network(void);
Suite *suite_network(void) {
  Suite *s = suite_create("network");
  TCase *t = tcase_create("network");
  tcase_add_test(t, test_table);
  tcase_add_test(t, test_derivatives);
  tcase_add_test(t, test_balance);
  tcase_add_test(t, test_own_outputs);
  tcase_add_test(t, test_power);
  tcase_add_test(t, test_thermostat);
  tcase_add_test(t, test_refused);
  suite_add_tcase(s, t);
  return s;
}

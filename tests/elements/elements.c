/* SPDX-License-Identifier: Apache-2.0
 *
 * elements.c: properties that every force element must have, checked on random states over every
 * entry of the element table: forces are gradients of the energy, tangents and input derivatives
 * agree with finite differences, power is balanced, and what depends on relative motion alone does
 * not see a common motion.
 */
#include <math.h>
#include <string.h>

#include "elements/spring.h"
#include "elements/support_cases.h"
#include "runner.h"

enum { ALL = 63, STATES = 12 };
#define STEP 1e-3

/* all states of all cases */
#define FOR_ALL(c, x)                                                                              \
  rng random_ = {42};                                                                              \
  element_state x;                                                                                 \
  for (const element_case *c = cases; c < cases + ncases; c++)                                     \
    for (int state_ = 0; state_ < STATES && (random_state(&random_, c, &x), true); state_++)

static void near(const element_case *c, const char *what, int i, int j, double found,
                 double expected, double scale) {
  double tol = 1e-8 * (1.0 + scale);
  ck_assert_msg(fabs(found - expected) <= tol, "%s, %s: %s(%d, %d) = %.12g, expected %.12g (%.2g)",
                c->ops->name, c->label, what, i, j, found, expected, found - expected);
}

static double largest(int n, const double *a) {
  double m = 0.0;
  for (int i = 0; i < n; i++) m = fmax(m, fabs(a[i]));
  return m;
}

/* derivative of the forces by pose, twist (kind 0, 1) or input (kind 2) number k */
static void force_slope(const element_case *c, const element_state *x, int kind, int32_t k,
                        double *dw) {
  static const double at[4] = {-2, -1, 1, 2};
  double w[4][12], f[4];
  int32_t n = case_size(c);
  for (int i = 0; i < 4; i++) {
    element_state y = *x;
    element_case e = *c;
    double h = at[i] * STEP;
    if (kind == 0) shift_pose(c, &y, k, h);
    if (kind == 1) shift_twist(c, &y, k, h);
    if (kind == 2) e.u[k] += h;
    case_force(&e, &y, w[i]);
  }
  for (int32_t j = 0; j < n; j++) {
    for (int i = 0; i < 4; i++) f[i] = w[i][j];
    dw[j] = five_point(f, STEP);
  }
}

/* --- the table -------------------------------------------------------------------------------- */

static int words(const char *s) {
  int n = 0;
  for (bool in = false; *s; s++) {
    if (*s != ' ' && !in) n++;
    in = *s != ' ';
  }
  return n;
}

START_TEST(test_table) {
  for (int32_t i = 0; i < hki_element_force_count(); i++) {
    const hk_element_ops *o = hki_element_at(i);
    int found = 0, nu = 0;
    for (int32_t k = 0; k < ncases; k++) found += cases[k].ops == o;
    ck_assert_msg(found > 0, "element '%s' has no test case", o->name);
    ck_assert_ptr_eq(hki_element_find(o->name), o);
    ck_assert(o->text && o->source && o->eval && o->params);
    ck_assert_int_eq(words(o->outputs), o->ny);
    ck_assert_int_eq(words(o->output_units), o->ny);
    ck_assert_int_le(o->ny, HK_ELEMENT_OUTPUTS);
    ck_assert_int_le(o->nmark, HK_ELEMENT_MARKERS);
    ck_assert((o->nmark == 0) == (o->nscal == 1 || o->wide));
    ck_assert((o->nd > 0) == (o->decide || o->follow || o->hook));
    for (const hk_param *p = o->params; p->type != HK_P_END; p++) {
      ck_assert(p->name && p->text && p->unit);
      if (p->type == HK_P_DYNAMIC) ck_assert_int_eq(p->offset, nu++);
      if (p->flags & HK_P_RATED) nu++; // its rate stands behind it
      if (p->type == HK_P_DYNAMIC3 || p->type == HK_P_DYNAMIC3P) {
        ck_assert_int_eq(p->offset, nu);
        nu += 3;
      }
      if (p->type == HK_P_DYNAMIC6) {
        ck_assert_int_eq(p->offset, nu);
        nu += p->choices ? words(p->choices) : 6;
      }
      ck_assert(p->offset == HK_P_HAND || p->offset >= 0);
    }
    ck_assert_int_eq(nu, o->nu);
  }
  ck_assert_ptr_null(hki_element_at(-1));
  ck_assert_ptr_null(hki_element_at(hki_element_count()));
  ck_assert_ptr_null(hki_element_find("spring"));
}
END_TEST

/* --- forces ----------------------------------------------------------------------------------- */

START_TEST(test_gradient_of_energy) {
  static const double at[4] = {-2, -1, 1, 2};
  FOR_ALL(c, x) {
    if (!(c->flags & CASE_CONSERVATIVE)) continue;
    double w[12], U[4];
    case_force(c, &x, w);
    for (int32_t k = 0; k < case_size(c); k++) {
      for (int i = 0; i < 4; i++) {
        element_state y = x;
        shift_pose(c, &y, k, at[i] * STEP);
        U[i] = case_energy(c, &y);
      }
      near(c, "-dU/dxi", k, 0, -five_point(U, STEP), w[k], largest(case_size(c), w));
    }
  }
}
END_TEST

START_TEST(test_power_balance) {
  static const double at[4] = {-2, -1, 1, 2};
  FOR_ALL(c, x) {
    hk_element_out out;
    double w[12], V[12], U[4], power = 0.0, size = 0.0;
    case_force(c, &x, w);
    get_twists(c, &x, V);
    for (int32_t k = 0; k < case_size(c); k++) power += w[k] * V[k], size += fabs(w[k] * V[k]);
    for (int i = 0; i < 4; i++) {
      element_state y;
      move_on(c, &x, at[i] * STEP, &y);
      U[i] = case_energy(c, &y);
    }
    case_eval(c, &x, HK_NEED_ENERGY, &out);
    near(c, "power", 0, 0, out.supplied - out.dissipated - five_point(U, STEP), power, size);
    if (c->flags & CASE_PASSIVE)
      ck_assert_msg(out.dissipated >= 0.0, "%s, %s dissipates %g", c->ops->name, c->label,
                    out.dissipated);
    if (c->flags & CASE_CONSERVATIVE) {
      ck_assert_double_eq_tol(out.dissipated, 0.0, 1e-12 * (1.0 + size));
      ck_assert_double_eq(out.supplied, 0.0);
    }
  }
}
END_TEST

/* --- tangents --------------------------------------------------------------------------------- */

START_TEST(test_exact_tangents) {
  FOR_ALL(c, x) {
    hk_element_out out;
    double dw[12];
    int32_t n = case_size(c);
    case_eval(c, &x, HK_NEED_EXACT, &out);
    double scale = fmax(largest(144, out.K) * (n > 6), 100.0);
    for (int32_t k = 0; k < n; k++) {
      force_slope(c, &x, 0, k, dw);
      for (int32_t i = 0; i < n; i++) near(c, "K", i, k, out.K[12 * i + k], -dw[i], scale);
      force_slope(c, &x, 1, k, dw);
      for (int32_t i = 0; i < n; i++) near(c, "C", i, k, out.C[12 * i + k], -dw[i], scale);
    }
  }
}
END_TEST

START_TEST(test_inputs) {
  FOR_ALL(c, x) {
    hk_element_out out;
    double dw[12];
    case_eval(c, &x, HK_NEED_INPUT, &out);
    for (int32_t k = 0; k < c->ops->nu; k++) {
      force_slope(c, &x, 2, k, dw);
      for (int32_t i = 0; i < case_size(c); i++)
        near(c, "Wu", i, k, out.Wu[12 * k + i], dw[i], 100.0);
    }
  }
}
END_TEST

/* deformations, or rates where it resists them alone, are the first outputs of elements of relative
 * motion */
START_TEST(test_deformations) {
  static const double at[4] = {-2, -1, 1, 2};
  FOR_ALL(c, x) {
    if (!(c->ops->caps & HK_ELEMENT_RELATIVE) || c->ops->nmark == 0) continue;
    hk_element_out out, o[4];
    case_eval(c, &x, HK_NEED_TANGENT, &out);
    for (int32_t k = 0; k < 12; k++) {
      for (int i = 0; i < 4; i++) {
        element_state y = x;
        (c->ops->caps & HK_ELEMENT_RATES ? shift_twist : shift_pose)(c, &y, k, at[i] * STEP);
        case_eval(c, &y, HK_NEED_OUTPUT, &o[i]);
      }
      for (int r = 0; r < c->ops->rank; r++) {
        double s[4] = {o[0].y[r], o[1].y[r], o[2].y[r], o[3].y[r]};
        near(c, "B", r, k, out.B[12 * r + k], five_point(s, STEP), 1.0);
      }
    }
  }
}
END_TEST

/* B'ksB without force and at rest is all there is; B'csB always is C, but for odd parts */
START_TEST(test_material_tangents) {
  FOR_ALL(c, x) {
    hk_element_out out;
    element_case e = *c;
    int32_t n = case_size(c), r = c->ops->rank;
    case_eval(&e, &x, HK_NEED_TANGENT, &out);
    for (int i = 0; i < r; i++)
      for (int j = 0; j < r; j++) {
        ck_assert_double_eq(out.ks[6 * i + j], out.ks[6 * j + i]);
        ck_assert_double_eq(out.cs[6 * i + j], out.cs[6 * j + i]);
      }
    if (!(c->flags & CASE_FREE)) continue;

    // at rest and free of force
    for (int i = 0; i < 2; i++) v3_zero(x.m[i].v), v3_zero(x.m[i].w);
    x.sd = 0.0;
    if (c->flags & CASE_SMALL) x.m[1] = x.m[0];
    if (c->ops->nu == HK_SPRING_INPUTS) {
      case_eval(&e, &x, HK_NEED_OUTPUT, &out);
      e.u[2] = out.y[0];
    }
    case_eval(&e, &x, HK_NEED_TANGENT | HK_NEED_EXACT, &out);
    for (int32_t i = 0; i < n; i++)
      for (int32_t j = 0; j < n; j++) {
        double k = n == 1 ? out.ks[0] : 0.0, d = n == 1 ? out.cs[0] : 0.0;
        for (int p = 0; p < r && n > 1; p++)
          for (int q = 0; q < r; q++) {
            k += out.B[12 * p + i] * out.ks[6 * p + q] * out.B[12 * q + j];
            d += out.B[12 * p + i] * out.cs[6 * p + q] * out.B[12 * q + j];
          }
        near(c, "K - B'ksB", i, j, out.K[12 * i + j], k, 100.0);
        near(c, "C - B'csB", i, j, out.C[12 * i + j], d, 100.0);
      }
  }
}
END_TEST

/* --- invariance ------------------------------------------------------------------------------- */

/* the same relative motion seen from elsewhere: x = Q x0 + a, and a common twist on top */
static void transport(const element_state *x, const double *Q, const double *a, const double *w,
                      const double *v, element_state *y) {
  *y = *x;
  for (int i = 0; i < 2; i++) {
    double t[3];
    m3_mul(y->m[i].R, Q, x->m[i].R);
    m3_mulv(y->m[i].p, Q, x->m[i].p);
    v3_add(y->m[i].p, y->m[i].p, a);
    m3_mulv(y->m[i].w, Q, x->m[i].w);
    v3_add(y->m[i].w, y->m[i].w, w);
    m3_mulv(y->m[i].v, Q, x->m[i].v);
    v3_cross(t, w, y->m[i].p);
    v3_add(y->m[i].v, y->m[i].v, t);
    v3_add(y->m[i].v, y->m[i].v, v);
  }
}

START_TEST(test_frame_invariance) {
  rng r = {7};
  FOR_ALL(c, x) {
    if (!(c->ops->caps & HK_ELEMENT_RELATIVE) || c->ops->nmark == 0) continue;
    double Q[9], a[3], w[3], v[3], f[12], g[12], turned[3], sum[3];
    element_state y;
    rng_rotation(&r, Q);
    rng_vector(&r, 3, a), rng_vector(&r, 2, w), rng_vector(&r, 2, v);
    transport(&x, Q, a, w, v, &y);
    case_force(c, &x, f);
    case_force(c, &y, g);
    double scale = largest(12, f);
    for (int k = 0; k < 4; k++) {
      m3_mulv(turned, Q, f + 3 * k);
      for (int i = 0; i < 3; i++) near(c, "turned wrench", k, i, g[3 * k + i], turned[i], scale);
    }
    // forces and moments about the first marker cancel
    double d[3];
    v3_sub(d, x.m[1].p, x.m[0].p);
    v3_cross(sum, d, f + 9);
    for (int i = 0; i < 3; i++) {
      near(c, "sum of forces", i, 0, f[3 + i] + f[9 + i], 0.0, scale);
      near(c, "sum of moments", i, 0, f[i] + f[6 + i] + sum[i], 0.0, scale);
    }
  }
}
END_TEST

/* reactions of loads cancel too */
START_TEST(test_reaction) {
  FOR_ALL(c, x) {
    const hk_param *row = hki_params_find(c->ops->params, "reaction_on");
    if (!row) continue;
    double w[12], d[3], m[3];
    case_force(c, &x, w);
    v3_sub(d, x.m[1].p, x.m[0].p);
    v3_cross(m, d, w + 9);
    bool reaction = *((const bool *)c->par + row->offset);
    for (int i = 0; i < 3; i++) {
      near(c, "force", i, 0, w[9 + i], reaction ? -w[3 + i] : 0.0, 10.0);
      near(c, "moment", i, 0, w[6 + i] + m[i], reaction ? -w[i] : 0.0, 10.0);
    }
  }
}
END_TEST

/* --- purity ----------------------------------------------------------------------------------- */

static void poison(hk_element_out *out) {
  double *p = (double *)(void *)out;
  for (size_t i = 0; i < sizeof *out / sizeof *p; i++) p[i] = NAN;
}

static void same(const element_case *c, const char *what, int n, const double *a, const double *p) {
  for (int i = 0; i < n; i++)
    ck_assert_msg(a[i] == p[i], "%s, %s: %s[%d] is %g or %g", c->ops->name, c->label, what, i, a[i],
                  p[i]);
}

/* each need alone writes all its numbers, the same as all needs together */
START_TEST(test_needs) {
  FOR_ALL(c, x) {
    hk_element_out all, one;
    int32_t n = case_size(c), r = c->ops->rank;
    bool joint = c->ops->nscal;
    poison(&all);
    case_eval(c, &x, ALL, &all);
    for (uint32_t need = 1; need < ALL; need *= 2) {
      poison(&one);
      case_eval(c, &x, need, &one);
      if (need == HK_NEED_FORCE)
        same(c, "w", joint ? 1 : n, joint ? &all.tau : all.w, joint ? &one.tau : one.w);
      for (int i = 0; i < r && need == HK_NEED_TANGENT; i++) {
        if (!joint) same(c, "B", n, all.B + 12 * i, one.B + 12 * i);
        same(c, "ks", r, all.ks + 6 * i, one.ks + 6 * i);
        same(c, "cs", r, all.cs + 6 * i, one.cs + 6 * i);
      }
      for (int i = 0; i < n && need == HK_NEED_EXACT; i++) {
        same(c, "K", n, all.K + 12 * i, one.K + 12 * i);
        same(c, "C", n, all.C + 12 * i, one.C + 12 * i);
      }
      for (int i = 0; i < c->ops->nu && need == HK_NEED_INPUT; i++)
        same(c, "Wu", n, all.Wu + 12 * i, one.Wu + 12 * i);
      if (need == HK_NEED_ENERGY) {
        same(c, "energy", 1, &all.energy, &one.energy);
        same(c, "dissipated", 1, &all.dissipated, &one.dissipated);
        same(c, "supplied", 1, &all.supplied, &one.supplied);
      }
      if (need == HK_NEED_OUTPUT) same(c, "y", c->ops->ny, all.y, one.y);
    }
  }
}
END_TEST

/* `resist` of elements that pull: what eval says, and the slopes of its force by differences */
START_TEST(test_pulls) {
  static const double at[4] = {-2, -1, 1, 2};
  int32_t seen = 0;
  FOR_ALL(c, x) {
    double axis[3];
    const hk_pull kind = c->ops->pull && !c->st ? c->ops->pull(c->par, axis) : HK_PULL_NONE;
    if (kind == HK_PULL_NONE) continue;
    hk_element_out all, one;
    poison(&one);
    case_eval(c, &x, ALL, &all);
    hk_element_in in = {x.t, x.m, all.s, all.sd, c->u, c->u_varies, c->d, NULL, NULL, NULL, NULL};
    c->ops->resist(c->par, &in, ALL, &one);
    const double *B = kind == HK_PULL_OWN ? one.B : all.B;
    for (int i = 3; i < 6; i++) near(c, "w", i, 0, B[i] * one.tau, all.w[i], fabs(all.w[i]));
    for (int i = 0; i < 12 && kind != HK_PULL_OWN; i++)
      near(c, "w", i, 1, B[i] * one.tau, all.w[i], fabs(all.w[i]));
    same(c, "ks", 1, all.ks, one.ks);
    same(c, "cs", 1, all.cs, one.cs);
    same(c, "energy", 1, &all.energy, &one.energy);
    same(c, "dissipated", 1, &all.dissipated, &one.dissipated);
    same(c, "supplied", 1, &all.supplied, &one.supplied);
    same(c, "y", c->ops->ny, all.y, one.y);
    seen++;
    for (int rate = 0; rate < 2 && kind != HK_PULL_OWN; rate++) {
      double f[4];
      for (int i = 0; i < 4; i++) {
        hk_element_in y = in;
        *(rate ? &y.sd : &y.s) += at[i] * STEP;
        c->ops->resist(c->par, &y, HK_NEED_FORCE, &one);
        f[i] = -one.tau;
      }
      const double slope = rate ? all.cs[0] : all.ks[0];
      near(c, rate ? "cs" : "ks", 0, 0, slope, five_point(f, STEP), fabs(slope));
    }
  }
  ck_assert_int_gt(seen, 0);
}
END_TEST

Suite *suite_elements(void);
Suite *suite_elements(void) {
  Suite *s = suite_create("elements");
  TCase *t = tcase_create("properties");
  tcase_add_checked_fixture(t, setup, teardown);
  tcase_add_test(t, test_table);
  tcase_add_test(t, test_gradient_of_energy);
  tcase_add_test(t, test_power_balance);
  tcase_add_test(t, test_exact_tangents);
  tcase_add_test(t, test_inputs);
  tcase_add_test(t, test_deformations);
  tcase_add_test(t, test_material_tangents);
  tcase_add_test(t, test_frame_invariance);
  tcase_add_test(t, test_reaction);
  tcase_add_test(t, test_needs);
  tcase_add_test(t, test_pulls);
  suite_add_tcase(s, t);
  return s;
}

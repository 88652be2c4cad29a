/* SPDX-License-Identifier: Apache-2.0
 *
 * partition_fv.c: what `tangent: fv` leaves out, entry by entry (Haug, Negrut and Iancu 1997,
 * eq. 40), in the increments D of a stage:
 *
 *   T_exact - T_fv = (M^vu + H'M^uu)(cv N + L)                          cv = gamma/(beta h)
 *                  + (Phi_v'lam)_v + (Phi_v'lam)_u H + H'(Phi_u'lam)_v + H'(Phi_u'lam)_u H
 *
 *   L = da_u/dv, N = da_u/dv'     at fixed independent accelerations; L also at fixed v'
 *
 * The right side comes from differences of the dependent accelerations and of Phi_q'lam alone: no
 * derivative of the tangents enters it.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support_partition.h"

enum { DOF = 40 };

/* a stage at rest: its independent velocities and accelerations are those of vh, ah for any D */
typedef struct still {
  double vh[MOST], ah[MOST], D[MOST], lam[MOST], H[DOF * MOST];
} still;

/* fourth-order central differences */
static const double at[] = {-2, -1, 1, 2};
static const double weight[] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};

static void evaluate(hk_partition *p, const double *D) {
  ck_assert_int_eq(p->base.ops->residual(&p->base, D, true), HK_OK);
}

/* T at the present iterate */
static void tangent(hk_partition *p, int32_t kind, double *T) {
  const int32_t own = p->par.tangent;
  p->par.tangent = kind;
  hki_partition_tangent(p);
  p->par.tangent = own;
  for (int32_t j = 0; j < p->f; j++)
    memcpy(T + DOF * j, p->T + p->ldt * j, (size_t)p->f * sizeof *T);
}

/* out = Phi_q'lam in body axes at the present iterate */
static void constraint_forces(hk_partition *p, const double *lam, double *out) {
  memset(out, 0, (size_t)p->n * sizeof *out);
  hki_bodies_mul_t(p->c, lam, out);
  hki_bodies_to_body(p->c, out);
}

/* out = M x */
static void inertia(hk_partition *p, const double *x, double *out) {
  double none[MOST] = {0}, rest[MOST] = {0};
  memset(out, 0, (size_t)p->n * sizeof *out);
  hki_bodies_inertia(p->c, x, out);
  hki_bodies_inertia(p->c, none, rest);
  for (int32_t i = 0; i < p->n; i++) out[i] -= rest[i];
  hki_bodies_to_body(p->c, out);
}

/* da: dependent accelerations by the independent coordinate `col` (rate: its velocity), 0 in the
 * independent ones; df: constraint forces of fixed multipliers by the same */
static void differences(hk_partition *p, still *s, int32_t col, bool rate, double h, double *da,
                        double *df) {
  double D[MOST], f[MOST];
  memset(da, 0, MOST * sizeof *da);
  memset(df, 0, MOST * sizeof *df);
  for (int k = 0; k < 4; k++) {
    memcpy(D, s->D, sizeof D);
    const double v = s->vh[col];
    if (rate)
      s->vh[col] = v + at[k] * h;
    else
      D[col] += at[k] * h;
    evaluate(p, D);
    s->vh[col] = v;
    constraint_forces(p, s->lam, f);
    for (int32_t i = 0; i < p->n; i++) {
      da[i] += weight[k] * p->wd[i] / h;
      df[i] += weight[k] * f[i] / h;
    }
  }
  for (int32_t j = 0; j < p->f; j++) da[p->cols[p->rank + j]] = 0.0;
}

/* the stage of the bench at a disturbed prediction, then held still there */
static void hold(bench *b, double off, still *s) {
  hk_partition *p = b->p;
  p->par.guards = 0;
  ck_assert_int_eq(p->base.ops->begin(&p->base, &b->st), HK_OK);
  bench_disturb(b, off);
  evaluate(p, b->D);
  ck_assert_int_le(p->f, DOF);
  ck_assert_int_le(p->m, MOST);
  p->ldt = hki_dense_ld(p->f);
  if (p->two) hki_partition_columns(p, &p->chart);
  hki_partition_multipliers(p, p->r, p->lam);
  memset(s, 0, sizeof *s);
  memcpy(s->vh, p->w, (size_t)p->n * sizeof *s->vh);
  memcpy(s->ah, p->wd, (size_t)p->n * sizeof *s->ah);
  memcpy(s->D, p->D, (size_t)p->n * sizeof *s->D);
  memcpy(s->lam, p->lam, (size_t)p->m * sizeof *s->lam);
  for (int32_t j = 0; j < p->f; j++)
    memcpy(s->H + MOST * j, p->vel.P + p->n * j, (size_t)p->n * sizeof *s->H);
}

/* out = P' x of the held state */
static void reduce(const hk_partition *p, const still *s, const double *x, double *out) {
  for (int32_t k = 0; k < p->f; k++) {
    out[k] = 0.0;
    for (int32_t i = 0; i < p->n; i++) out[k] += s->H[MOST * k + i] * x[i];
  }
}

/* largest difference of the two sides, relative to the largest entry of the exact tangent; *terms:
 * the largest entry of the right side, relative to the same */
static double equation_error(bench *b, double off, double *terms) {
  static double exact[DOF * DOF], fv[DOF * DOF];
  still s;
  hk_partition *p = b->p;
  double worst = 0.0, top = 0.0, most = 0.0, da[MOST], dv[MOST], df[MOST], none[MOST], x[MOST];
  double right[DOF];
  hold(b, off, &s);
  const double cv = p->st.cv;
  tangent(p, HK_PARTITION_EXACT, exact);
  tangent(p, HK_PARTITION_FV, fv);
  p->st.cv = p->st.ca = 0.0;
  p->st.vh = s.vh, p->st.ah = s.ah;
  for (int32_t j = 0; j < p->f; j++) {
    const int32_t col = p->cols[p->rank + j];
    const double unit = p->c->scale[col];
    differences(p, &s, col, false, 0.1 * off * unit, da, df);
    differences(p, &s, col, true, 0.1 * unit, dv, none);
    for (int32_t i = 0; i < p->n; i++) da[i] += cv * dv[i];
    evaluate(p, s.D);
    inertia(p, da, x);
    for (int32_t i = 0; i < p->n; i++) x[i] += df[i];
    reduce(p, &s, x, right);
    for (int32_t i = 0; i < p->f; i++) {
      const double scale = unit * p->c->scale[p->cols[p->rank + i]];
      const double left = exact[i + DOF * j] - fv[i + DOF * j];
      worst = fmax(worst, scale * fabs(left - right[i]));
      most = fmax(most, scale * fabs(right[i]));
      top = fmax(top, scale * fabs(exact[i + DOF * j]));
    }
  }
  *terms = p->f ? most / top : 0.0;
  return p->f ? worst / top : 0.0;
}

START_TEST(test_the_terms_of_equation_40) {
  int large = 0;
  for (int i = 0; i < bench_nplaces; i += bench_stride()) {
    bench b;
    double terms;
    bench_open(&b, &places[i], "tangent", "exact");
    // a stage that is held still has no positions that follow from rates
    if (b.m->nrate) {
      bench_close(&b);
      continue;
    }
    double e = equation_error(&b, places[i].off, &terms);
    if (getenv("HOOKE_TEST_PRINT"))
      printf("%-28s dof %d: terms %.1e, off by %.1e\n", places[i].model, (int)b.p->f, terms, e);
    ck_assert_msg(e < 1e-10, "%s: eq. 40 is off by %g", places[i].model, e);
    if (terms > 1e-3) large++;
    bench_close(&b);
  }
  // the comparison says something: in some of the places the terms are no trifle
  ck_assert_int_ge(large, test_few() ? 3 : 8);
}
END_TEST

Suite *suite_partition_fv(void) {
  Suite *s = suite_create("partition fv");
  TCase *t = tcase_create("equation 40");
  tcase_add_test(t, test_the_terms_of_equation_40);
  suite_add_tcase(s, t);
  return s;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * pulls4.c: forces four at a time give what they give one by one: along lines and axes, with one body and with the ground, and
 * tyres; wrenches, rows, matrix, energies and what is kept of them. Rows are the derivatives of deformations. Columns of the mass
 * matrix four at a time have the same bits as body by body.
 */
#include <stdlib.h>

#include "kinematics/lanes.h"
#include "kinematics/pulls4.h"
#include "analyses/support.h"

enum { LIMBS = 9, KINDS = 5, GROUPS = 2 * KINDS };

static void add_tyre(build *b, int32_t body, const double *p) {
  const hk_road road = {.height = 0.4};
  const double radius = 1.0;
  const int32_t direction = 1, f = build_force(b, force_name(b), "tyre", body, HK_GROUND, p, p);
  force_u(b, f, "stiffness", 2e3);
  force_u(b, f, "damping", 40.0);
  force_par(b, f, "road", &road, sizeof road);
  force_par(b, f, "radius", &radius, sizeof radius);
  force_par(b, f, "direction", &direction, sizeof direction);
  force_done(b, f);
}

/* arms with hands on a trunk; springs among them and to the ground, and a tyre for each hand */
static build build_limbs(void) {
  build b = build_begin(2 * LIMBS + 1, 2 * LIMBS);
  uint64_t seed = 4242;
  char name[16];
  const int32_t trunk = build_body(&b, "trunk", 20.0, 0.1, 0.2, 0.3);
  b.spec->bodies[trunk].J[0] = 3.0, b.spec->bodies[trunk].J[4] = 4.0;
  b.spec->bodies[trunk].J[8] = 5.0;
  v3_set(b.spec->gravity, 1.0, -2.0, -9.0);
  for (int32_t i = 0; i < LIMBS; i++) {
    double p[3], q[3], z[3], along[3] = {0.6, 0.0, 0.8};
    int32_t body[3] = {trunk};
    for (int k = 0; k < 2; k++) {
      for (int x = 0; x < 3; x++) p[x] = noise(&seed), z[x] = noise(&seed);
      snprintf(name, sizeof name, "b%d%d", (int)i, k);
      body[1 + k] = build_body(&b, name, 1.0 + 0.1 * i, p[0] + 0.2, p[1], p[2] + 0.1);
      double *J = b.spec->bodies[body[1 + k]].J;
      J[0] = 0.3, J[4] = 0.5, J[8] = 0.6;
      snprintf(name, sizeof name, "j%d%d", (int)i, k);
      build_joint(&b, name, k ? "spherical" : "revolute", body[k], body[1 + k], p, z);
    }
    for (int x = 0; x < 3; x++) p[x] = noise(&seed), q[x] = 2.0 + noise(&seed);
    build_spring(&b, trunk, body[2], p, q, 300.0 + i, 7.0 + i, 1.5, NULL);
    build_spring(&b, body[1], body[2], p, q, 200.0 + i, 5.0 + i, 0.5, along);
    build_spring(&b, body[2], HK_GROUND, q, p, 100.0 + i, 3.0 + i, 1.2, NULL);
    build_spring(&b, HK_GROUND, body[1], q, p, 150.0 + i, 2.0 + i, 1.2, along);
    add_tyre(&b, body[2], p);
  }
  return b;
}

static void same(const double *x, const double *y, int32_t n, double tol, const char *what) {
  for (int32_t i = 0; i < n; i++)
    ck_assert_msg(fabs(x[i] - y[i]) <= tol * (1.0 + fabs(y[i])), "%s[%d]: %.17g, %.17g alone", what,
                  (int)i, x[i], y[i]);
}

/* what a rig says of its forces at a state; each force that was seen gets a trace */
static void evaluate(rig *a, const double *q, const double *v, const hk_trace *trace) {
  hk_kin *k = &a->s->kin;
  hki_kin_forget(k, HK_KIN_POSITIONS | HK_KIN_VELOCITIES | HK_KIN_OF_FORCES);
  hki_kin_state(k, 0.0, q, v);
  hki_kin_forces(k, HK_FORCES_TANGENT);
  hki_tree_mass(a->s);
  hki_tree_add_forces(a->s, 0.3, 0.7);
  k->trace = trace;
  hki_kin_keep_forces(k);
  hki_kin_energy(k);
}

static void compare(rig *a, rig *b, double tol) {
  const hk_model *m = a->m;
  const hk_kin *k = &a->s->kin, *l = &b->s->kin;
  hk_force_trace *t = calloc(2 * (size_t)m->nf, sizeof *t);
  const hk_trace own = {.force = t}, other = {.force = t + m->nf};
  uint64_t seed = 99;
  for (int round = 0; round < 4; round++) {
    for (int32_t i = 0; i < m->nv; i++) a->v[i] = noise(&seed);
    hki_tree_plus(m, m->q_draw, a->v, a->q);
    for (int32_t i = 0; i < m->nv; i++) a->v[i] = noise(&seed);
    evaluate(a, a->q, a->v, &own);
    evaluate(b, a->q, a->v, &other);
    same(k->W, l->W, 6 * m->nb, tol, "W");
    same(a->s->num.val, b->s->num.val, hki_ldl_value_count(a->s->ldl), tol, "val");
    for (int32_t f = 0; f < m->nf; f++) {
      const hk_force_row *x = &k->row[f], *y = &l->row[f];
      same(k->fz + x->z0, l->fz + y->z0, m->forces[f].path.n, tol, "fz");
      same(x->ks, y->ks, 1, tol, "ks"), same(x->cs, y->cs, 1, tol, "cs");
      const double ta[5] = {t[f].s, t[f].sd, t[f].energy, t[f].dissipated, t[f].supplied};
      const hk_force_trace *u = &t[m->nf + f];
      const double tb[5] = {u->s, u->sd, u->energy, u->dissipated, u->supplied};
      same(ta, tb, 5, tol, "trace");
      if (m->forces[f].ops->power) continue;
      same(t[f].m[0].p, u->m[0].p, 3, tol, "place"), same(t[f].m[0].v, u->m[0].v, 3, tol, "speed");
    }
    for (int32_t f = 0; f < m->nf; f++) {
      const hk_element_ops *ops = m->forces[f].ops;
      same(k->kept_w + 12 * f, l->kept_w + 12 * f, 6 * ops->nmark, tol, "wrench");
      same(k->kept_y + HK_ELEMENT_OUTPUTS * f, l->kept_y + HK_ELEMENT_OUTPUTS * f, ops->ny, tol,
           "output");
    }
    const double ea[4] = {k->kinetic, k->potential, k->dissipated, k->supplied};
    const double eb[4] = {l->kinetic, l->potential, l->dissipated, l->supplied};
    same(ea, eb, 4, tol, "energy");
  }
  free(t);
}

START_TEST(four_at_a_time) {
  build x = build_limbs(), y = build_limbs();
  rig a = rig_make(&x), b = rig_make(&y);
  hk_kin *l = &b.s->kin;
  ck_assert_int_eq(a.m->nf, KINDS * LIMBS);
  ck_assert_int_eq(l->npulls, GROUPS);
  ck_assert_int_eq(l->nalone, a.m->nf - 4 * GROUPS);
  // on any processor, to the bit
  l->pulls_passes = &hki_pulls4_any;
  compare(&a, &b, 0.0);
  // one by one
  l->npulls = 0, l->nalone = b.m->nf;
  for (int32_t f = 0; f < l->nalone; f++) l->alone[f] = f;
  compare(&a, &b, 1e-13);
  rig_free(&a);
  rig_free(&b);
}
END_TEST

/* ends that meet have no line: no force, no rate, nothing that is no number */
START_TEST(ends_that_meet) {
  build x = build_begin(5, 4);
  const double p[3] = {0.1, 0.2, 0.3}, z[3] = {0.0, 0.0, 1.0};
  char name[16];
  build_body(&x, "trunk", 20.0, 0.0, 0.0, 0.0);
  for (int i = 0; i < 4; i++) {
    snprintf(name, sizeof name, "b%d", i);
    const int32_t body = build_body(&x, name, 1.0, 0.3, 0.2, 0.1);
    double q[3] = {0.1, 0.2, 0.3 + (i > 1 ? 0.5 : 0.0)};
    snprintf(name, sizeof name, "j%d", i);
    build_joint(&x, name, "spherical", 0, body, p, z);
    build_spring(&x, 0, body, p, q, 100.0, 1.0, 0.4, NULL);
  }
  rig a = rig_make(&x);
  hk_kin *k = &a.s->kin;
  ck_assert_int_eq(k->npulls, 1);
  for (int32_t i = 0; i < a.m->nv; i++) a.v[i] = 1.0 + i;
  hki_kin_state(k, 0.0, a.q, a.v);
  hki_kin_forces(k, HK_FORCES_TANGENT);
  for (int32_t i = 0; i < 6 * a.m->nb; i++) ck_assert(isfinite(k->W[i]));
  for (int c = 0; c < 4; c++) {
    const hk_pulls4 *q = k->pulls;
    const bool meets = q->s[c] < 1e-9;
    ck_assert_int_eq(meets, q->at.closure[c] < 2);
    ck_assert_msg(meets ? q->sd[c] == 0.0 && q->a[2][c] == 0.0 : fabs(q->s[c] - 0.5) < 1e-12,
                  "lane %d: s %g, sd %g, a %g", c, q->s[c], q->sd[c], q->a[2][c]);
  }
  rig_free(&a);
}
END_TEST

/* deformations at q + h v: their difference over 2 h is fz v = sd */
START_TEST(rows_are_derivatives) {
  build x = build_limbs();
  rig a = rig_make(&x);
  const hk_model *m = a.m;
  hk_kin *k = &a.s->kin;
  const double h = 1e-6;
  double *s = calloc(2 * (size_t)m->nf, sizeof *s), *d = calloc((size_t)m->nv, sizeof *d);
  double *q0 = calloc((size_t)m->nq, sizeof *q0);
  uint64_t seed = 7;
  for (int32_t i = 0; i < m->nv; i++) d[i] = noise(&seed), a.v[i] = noise(&seed);
  hki_tree_plus(m, m->q_draw, d, q0);
  for (int side = 0; side < 2; side++) {
    for (int32_t i = 0; i < m->nv; i++) d[i] = (side ? h : -h) * a.v[i];
    hki_tree_plus(m, q0, d, a.q);
    hki_kin_state(k, 0.0, a.q, a.v);
    hki_kin_forces(k, 0);
    for (int32_t i = 0; i < k->npulls; i++)
      for (int c = 0; c < 4; c++) s[side * m->nf + k->pulls[i].at.closure[c]] = k->pulls[i].s[c];
  }
  hki_kin_state(k, 0.0, q0, a.v);
  hki_kin_forces(k, HK_FORCES_TANGENT);
  for (int32_t i = 0; i < k->npulls; i++)
    for (int c = 0; c < 4 && k->pulls[i].kind != HK_PULL_OWN; c++) {
      const int32_t f = k->pulls[i].at.closure[c];
      const double *g = k->fz + k->row[f].z0, by_difference = (s[m->nf + f] - s[f]) / (2.0 * h);
      double rate = 0.0;
      for (int32_t j = 0; j < m->forces[f].path.n; j++)
        rate += g[j] * a.v[m->forces[f].path.dof[j]];
      ck_assert_double_eq_tol(rate, k->pulls[i].sd[c], 1e-12);
      ck_assert_double_eq_tol(rate, by_difference, 1e-8);
    }
  free(s), free(d), free(q0);
  rig_free(&a);
}
END_TEST

START_TEST(mass_four_at_a_time) {
  build x = build_limbs(), y = build_limbs();
  rig a = rig_make(&x), b = rig_make(&y);
  int32_t together = 0;
  for (int32_t i = 0; a.s->kin.lanes && i < a.m->nquad; i++) together += a.s->quad_mass[i];
  ck_assert(!hki_lanes_here() || together == 4);
  b.s->kin.lanes = NULL;
  hki_kin_forget(&b.s->kin, HK_KIN_POSITIONS);
  uint64_t seed = 31;
  for (int32_t i = 0; i < a.m->nv; i++) a.v[i] = noise(&seed);
  hki_tree_plus(a.m, a.m->q_draw, a.v, a.q);
  hki_kin_state(&a.s->kin, 0.0, a.q, a.v);
  hki_kin_state(&b.s->kin, 0.0, a.q, a.v);
  hki_tree_mass(a.s);
  hki_tree_mass(b.s);
  same(a.s->num.val, b.s->num.val, hki_ldl_value_count(a.s->ldl), 0.0, "mass");
  // v' M v / 2 is the kinetic energy
  double T = 0.0;
  for (int32_t i = 0; i < a.m->nv; i++)
    for (int32_t j = 0; j < a.m->nv; j++) {
      const int32_t at = hki_ldl_slot(a.s->ldl, i, j);
      if (at >= 0) T += 0.5 * a.v[i] * a.s->num.val[at] * a.v[j];
    }
  hki_kin_energy(&a.s->kin);
  ck_assert_double_eq_tol(T / a.s->kin.kinetic, 1.0, 1e-12);
  rig_free(&a);
  rig_free(&b);
}
END_TEST

Suite *suite_pulls4(void);
Suite *suite_pulls4(void) {
  Suite *s = suite_create("pulls4");
  TCase *c = tcase_create("bits");
  tcase_add_test(c, four_at_a_time);
  tcase_add_test(c, ends_that_meet);
  tcase_add_test(c, rows_are_derivatives);
  tcase_add_test(c, mass_four_at_a_time);
  suite_add_tcase(s, c);
  return s;
}

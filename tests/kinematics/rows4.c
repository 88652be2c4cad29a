/* SPDX-License-Identifier: Apache-2.0
 *
 * rows4.c: closures four at a time give the numbers that they have one by one: points on axes, distances, between bodies, with
 * one body and with the ground; markers parallel to their bodies and turned; with one of the four switched off.
 */
#include <stdlib.h>

#include "kinematics/rows4.h"
#include "analyses/support.h"

enum { LIMBS = 9 };

/* limbs and rods on a trunk, held together by balls, and bars from the limbs to `end` */
static build build_limbs(bool plain, bool ground) {
  build b = build_begin(2 * LIMBS + 1, 4 * LIMBS + 1);
  uint64_t seed = 815;
  char name[16];
  const int32_t trunk = build_body(&b, "trunk", 20.0, 0.1, 0.2, 0.3);
  for (int32_t i = 0; i < LIMBS; i++) {
    double p[3], z[3], at[3];
    int32_t body[2];
    for (int k = 0; k < 2; k++) {
      for (int x = 0; x < 3; x++) p[x] = noise(&seed), z[x] = plain ? x == 2 : noise(&seed);
      snprintf(name, sizeof name, "b%d%d", (int)i, k);
      body[k] = build_body(&b, name, 1.0 + 0.1 * i, p[0], p[1], p[2]);
      snprintf(name, sizeof name, "j%d%d", (int)i, k);
      build_joint(&b, name, k ? "revolute" : "spherical", trunk, body[k], p, z);
    }
    for (int x = 0; x < 3; x++) at[x] = noise(&seed), p[x] = 2.0 + noise(&seed);
    snprintf(name, sizeof name, "ball%d", (int)i);
    build_joint(&b, name, "spherical", body[0], body[1], at, z);
    snprintf(name, sizeof name, "bar%d", (int)i);
    build_distance(&b, name, body[0], ground ? HK_GROUND : trunk, at, p);
  }
  return b;
}

static void same(const double *x, const double *y, int32_t n, double tol, const char *what) {
  for (int32_t i = 0; i < n; i++)
    ck_assert_msg(fabs(x[i] - y[i]) <= tol * (1.0 + fabs(y[i])), "%s[%d]: %.17g, %.17g alone", what,
                  (int)i, x[i], y[i]);
}

/* rows, biases and products of one rig; out: r (nv), y (nrows) */
static void evaluate(rig *a, const double *q, const double *v, double *r, double *y) {
  hk_kin *k = &a->s->kin;
  hki_kin_forget(k, HK_KIN_POSITIONS | HK_KIN_OF_CLOSURES);
  hki_kin_state(k, 0.0, q, v);
  hki_kin_closures(k);
  hki_kin_closure_bias(k);
  hki_kin_rows(k, v, y);
  memset(r, 0, (size_t)a->m->nv * sizeof *r);
  hki_tree_add_rows(a->s, y, r);
  hki_tree_mass(a->s);
  for (int32_t i = 0; i < a->m->nrows; i++) a->s->alpha[i] = 1.0 + i;
  hki_tree_add_closures(a->s, 0.5);
}

/* a: four at a time, b: as b is set; sums of shared coordinates may have another order */
static void compare(rig *a, rig *b, double sums) {
  const hk_model *m = a->m;
  hk_kin *k = &a->s->kin, *l = &b->s->kin;
  double *r = calloc(2 * (size_t)(m->nv + m->nrows), sizeof *r), *y = r + 2 * m->nv;
  uint64_t seed = 99;
  for (int round = 0; round < 4; round++) {
    for (int32_t i = 0; i < m->nv; i++) a->v[i] = noise(&seed);
    hki_tree_plus(m, m->q_draw, a->v, a->q);
    for (int32_t i = 0; i < m->nv; i++) a->v[i] = noise(&seed);
    k->disc.active[round] = l->disc.active[round] = round ? 0.0 : 1.0;
    evaluate(a, a->q, a->v, r, y);
    evaluate(b, a->q, a->v, r + m->nv, y + m->nrows);
    for (int32_t c = 0; c < m->nc; c++) {
      const hk_closure *cl = &m->closures[c];
      if (k->disc.active[c] == 0.0) continue;
      same(k->phi + cl->row0, l->phi + cl->row0, cl->nrows, 0.0, "phi");
      same(k->gamma + cl->row0, l->gamma + cl->row0, cl->nrows, 0.0, "gamma");
      same(k->gz + k->gz0[c], l->gz + l->gz0[c], cl->nrows * cl->path.n, 0.0, "gz");
    }
    same(y, y + m->nrows, m->nrows, 0.0, "y");
    same(r, r + m->nv, m->nv, sums, "r");
    same(a->s->num.val, b->s->num.val, hki_ldl_value_count(a->s->ldl), sums, "val");
    k->disc.active[round] = l->disc.active[round] = 1.0;
  }
  free(r);
}

START_TEST(four_at_a_time) {
  for (int i = 0; i < 4; i++) {
    build x = build_limbs(i & 1, i >> 1), y = build_limbs(i & 1, i >> 1);
    rig a = rig_make(&x), b = rig_make(&y);
    hk_kin *l = &b.s->kin;
    int32_t groups = 0;
    ck_assert_int_eq(a.m->nc, 2 * LIMBS);
    for (int32_t t = 0; t < l->ncturn; t++) groups += l->cturn[t] < 0;
    ck_assert_int_eq(groups, 4);
    ck_assert_int_eq(l->ncturn, 2 * LIMBS - 3 * groups);
    // on any processor, to the bit
    l->rows4_passes = &hki_rows4_any;
    compare(&a, &b, 0.0);
    // one by one
    l->ncturn = b.m->nc;
    for (int32_t c = 0; c < l->ncturn; c++) l->cturn[c] = c;
    compare(&a, &b, 1e-13);
    rig_free(&a);
    rig_free(&b);
  }
}
END_TEST

Suite *suite_rows4(void);
Suite *suite_rows4(void) {
  Suite *s = suite_create("rows4");
  TCase *c = tcase_create("bits");
  tcase_add_test(c, four_at_a_time);
  suite_add_tcase(s, c);
  return s;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * lanes.c: bodies four at a time give the same numbers, bit for bit, as one by one: quads with one
 * parent, with parents in lanes, with parents here and there, on the ground and in several trees; revolutes and balls;
 * with inertia and without; markers parallel to their bodies and turned. The same for bodies alone with
 * three-vectors in registers.
 */
#include <stdlib.h>

#include "kinematics/lanes.h"
#include "kinematics/single.h"
#include "analyses/support.h"

enum { LIMBS = 10 };

static int32_t add_limb(build *b, const char *type, int32_t parent, uint64_t *seed, bool plain) {
  const int32_t n = b->spec->nbodies;
  char name[16];
  double p[3], z[3];
  for (int i = 0; i < 3; i++) p[i] = noise(seed), z[i] = plain ? i == 2 : noise(seed);
  snprintf(name, sizeof name, "b%d", (int)n);
  int32_t body = build_body(b, name, 1.0 + 0.1 * n, p[0] + 0.3, p[1] + 0.1 * noise(seed), p[2]);
  double *J = b->spec->bodies[body].J;
  J[0] = 0.3, J[4] = 0.5, J[8] = 0.6;
  // some have their principal axes, in some quads not all
  if (n % 3 == 0) J[1] = J[3] = 0.03, J[2] = J[6] = -0.05;
  snprintf(name, sizeof name, "j%d", (int)n);
  build_joint(b, name, type, parent, body, p, z);
  return body;
}

/* a trunk with limbs, each with a second and a third one; some limbs are shorter. No trunk: the limbs are on the ground. */
static build build_tree(const char *first, const char *second, const char *third, bool plain,
                        bool forest) {
  build b = build_begin(3 * LIMBS + 2, 3 * LIMBS + 2);
  uint64_t seed = 4711;
  int32_t limb[LIMBS], elbow[LIMBS], trunk = build_body(&b, "trunk", 20.0, 0.1, 0.2, 0.3);
  double *J = b.spec->bodies[trunk].J;
  J[0] = 3.0, J[4] = 4.0, J[8] = 5.0;
  v3_set(b.spec->gravity, 1.0, -2.0, -9.0);
  for (int32_t i = 0; i < LIMBS; i++)
    limb[i] = add_limb(&b, first, forest ? HK_GROUND : trunk, &seed, plain);
  for (int32_t i = 0; i < LIMBS; i++)
    elbow[i] = i == 1 ? -1 : add_limb(&b, second, limb[i], &seed, plain);
  for (int32_t i = 0; i < LIMBS; i++)
    if (elbow[i] >= 0 && i != 4) add_limb(&b, third, elbow[i], &seed, plain);
  return b;
}

static void same(const double *x, const double *y, int32_t n, const char *what) {
  for (int32_t i = 0; i < n; i++)
    ck_assert_msg(x[i] == y[i], "%s[%d]: %.17g in lanes, %.17g alone", what, (int)i, x[i], y[i]);
}

static void compare(rig *a, rig *b) {
  const hk_model *m = a->m;
  hk_kin *k = &a->s->kin, *l = &b->s->kin;
  const int32_t frame = (int32_t)(sizeof(hk_frame) / sizeof(double));
  const int32_t inertia = (int32_t)(sizeof(hk_inertia) / sizeof(double));
  uint64_t seed = 99;
  for (int round = 0; round < 5; round++) {
    for (int32_t i = 0; i < m->nv; i++) a->v[i] = noise(&seed);
    hki_tree_plus(m, m->q_draw, a->v, a->q);
    for (int32_t i = 0; i < m->nv; i++) a->v[i] = noise(&seed), a->a[i] = noise(&seed);
    hki_kin_state(k, 0.0, a->q, a->v);
    hki_kin_state(l, 0.0, a->q, a->v);
    hki_kin_forces(k, 0);
    hki_kin_forces(l, 0);
    hki_tree_residual(a->s, a->a, a->s->r);
    hki_tree_residual(b->s, a->a, b->s->r);
    same(k->frame->R, l->frame->R, frame * m->nb, "frame");
    same(k->O, l->O, 3 * m->nb, "O");
    same(k->S, l->S, 6 * m->nv, "S");
    same(k->V, l->V, 6 * m->nb, "V");
    same(k->A0, l->A0, 6 * m->nb, "A0");
    same(&k->I->m, &l->I->m, inertia * m->nb, "I");
    same(a->s->A, b->s->A, 6 * m->nb, "A");
    same(a->s->r, b->s->r, m->nv, "r");
  }
}

static void check(const char *first, const char *second, const char *third, bool plain,
                  bool massless, bool forest) {
  build x = build_tree(first, second, third, plain, forest);
  build y = build_tree(first, second, third, plain, forest);
  for (int32_t i = 1; massless && i <= LIMBS; i++) {
    x.spec->bodies[i].mass = y.spec->bodies[i].mass = 0.0;
    memset(x.spec->bodies[i].J, 0, sizeof x.spec->bodies[i].J);
    memset(y.spec->bodies[i].J, 0, sizeof y.spec->bodies[i].J);
  }
  rig a = rig_make_bare(&x), b = rig_make_bare(&y);
  ck_assert_int_ge(a.m->nquad, 5);
  // a limb on the ground is in a quad
  ck_assert(!forest || a.m->quad_of[a.m->body_of_spec[1]] >= 0);
  ck_assert(hki_lanes_here() == (a.s->kin.lanes != NULL));
  b.s->kin.lanes = NULL, b.s->kin.single = NULL;
  hki_kin_forget(&b.s->kin, HK_KIN_POSITIONS);
  compare(&a, &b);
  rig_free(&a);
  rig_free(&b);
}

START_TEST(four_at_a_time) {
  static const char *const type[2] = {"revolute", "spherical"};
  for (int i = 0; i < 8; i++)
    for (int plain = 0; plain < 2; plain++)
      for (int forest = 0; forest < 2; forest++)
        check(type[i & 1], type[i >> 1 & 1], type[i >> 2], plain, false, forest);
  check("revolute", "spherical", "revolute", false, true, false);
}
END_TEST

/* a chain whose hinges have others between them */
static build build_hinges(void) {
  build b = build_begin(LIMBS, LIMBS);
  uint64_t seed = 815;
  v3_set(b.spec->gravity, 1.0, -2.0, -9.0);
  for (int32_t i = 0; i < LIMBS; i++)
    add_limb(&b, i % 4 == 3 ? "cylindrical" : "revolute", i ? i - 1 : HK_GROUND, &seed, i % 3 == 0);
  memset(b.spec->bodies[4].J, 0, sizeof b.spec->bodies[4].J);
  b.spec->bodies[4].mass = 0.0;
  return b;
}

START_TEST(alone) {
  build x = build_hinges(), y = build_hinges();
  rig a = rig_make_bare(&x), b = rig_make_bare(&y);
  ck_assert_int_eq(a.m->nquad, 0);
  ck_assert(hki_single_here() == (a.s->kin.single != NULL));
  b.s->kin.single = NULL;
  hki_kin_forget(&b.s->kin, HK_KIN_POSITIONS);
  compare(&a, &b);
  rig_free(&a);
  rig_free(&b);
}
END_TEST

Suite *suite_lanes(void);
Suite *suite_lanes(void) {
  Suite *s = suite_create("lanes");
  TCase *c = tcase_create("bits");
  tcase_add_test(c, four_at_a_time);
  tcase_add_test(c, alone);
  suite_add_tcase(s, c);
  return s;
}

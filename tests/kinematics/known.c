/* SPDX-License-Identifier: Apache-2.0
 *
 * known.c: how far the workspace is good for the present state: what each call makes known and
 * unknown, that nothing is read before it is known, and that frames filled by another machine are
 * not taken for those of a state of the tree.
 */
#include <stdlib.h>

#include "analyses/support.h"
#include "machines/bodies/bodies.h"
#include "machines/points/points.h"
#include "runner.h"

static const uint32_t always_there = HK_KIN_SIGNALS | HK_KIN_EVERY_SIGNAL | HK_KIN_TANGENTS;

/* a four-bar without forces and signals: these are always known */
START_TEST(test_parts_become_known_and_unknown) {
  build b = build_four_bar(true, -1);
  rig r = rig_make_bare(&b);
  hk_kin *k = &r.s->kin;
  ck_assert_uint_eq(k->known, HK_KIN_POSITIONS | HK_KIN_VELOCITIES | always_there);
  hki_kin_closures(k);
  hki_kin_closure_bias(k);
  hki_kin_forces(k, 0);
  hki_kin_energy(k);
  ck_assert(hki_kin_knows(k, HK_KIN_OF_CLOSURES | HK_KIN_FORCES | HK_KIN_ENERGY));
  ck_assert(!(k->known & HK_KIN_KEPT));
  // other velocities leave the closures alone
  hki_kin_velocity(k, r.v);
  ck_assert_uint_eq(k->known,
                    HK_KIN_POSITIONS | HK_KIN_VELOCITIES | HK_KIN_CLOSURES | always_there);
  // another time at the same positions leaves only these, and rows, which are functions of positions alone here
  hki_kin_closure_bias(k);
  hki_kin_positions(k, 1.0, r.q);
  ck_assert_uint_eq(k->known, HK_KIN_POSITIONS | HK_KIN_CLOSURES | always_there);
  // other positions leave no rows
  r.q[0] += 1e-3;
  hki_kin_positions(k, 1.0, r.q);
  ck_assert_uint_eq(k->known, HK_KIN_POSITIONS | always_there);
  r.q[0] -= 1e-3;
  // wrenches and outputs are kept on demand
  hki_kin_state(k, 0.0, r.q, r.v);
  hki_kin_keep_forces(k);
  hki_kin_energy(k);
  ck_assert(hki_kin_knows(k, HK_KIN_ENERGY | HK_KIN_KEPT));
  hki_kin_forget(k, HK_KIN_OF_FORCES);
  ck_assert(!(k->known & (HK_KIN_ENERGY | HK_KIN_KEPT)));
  rig_free(&r);
}
END_TEST

/* a state of the tree, then others of the machine itself, then the first one again: its coordinates
 * must be the same, though the tree's are those of the last call */
static void again(const rig *r, int32_t n, int32_t nq, double *first, double *second,
                  void (*from_tree)(void *, const double *, const double *, double *, double *),
                  void (*state)(void *, double, const double *, const double *), void *machine) {
  double *v = calloc((size_t)n + 1, sizeof *v), *moved = calloc((size_t)nq + 1, sizeof *moved);
  from_tree(machine, r->q, r->v, first, v);
  for (int32_t i = 0; i < nq; i++) moved[i] = first[i] + 0.01 * (i + 1);
  state(machine, 0.0, moved, v);
  from_tree(machine, r->q, r->v, second, v);
  for (int32_t i = 0; i < nq; i++) ck_assert_double_eq(first[i], second[i]);
  free(v);
  free(moved);
}

static void bodies_from(void *c, const double *qt, const double *vt, double *q, double *v) {
  hki_bodies_from_tree(c, qt, vt, q, v);
}
static void bodies_state(void *c, double t, const double *q, const double *v) {
  hki_bodies_state(c, t, q, v);
}
static void points_from(void *n, const double *qt, const double *vt, double *q, double *v) {
  hki_points_from_tree(n, qt, vt, q, v);
}
static void points_state(void *n, double t, const double *q, const double *v) {
  hki_points_state(n, t, q, v);
}

START_TEST(test_frames_of_other_machines_are_not_those_of_the_tree) {
  build b = build_four_bar(_i == 0, -1);
  rig r = rig_make_bare(&b);
  hk_bodies *c;
  hk_points *n;
  double x[200], y[200];
  ck_assert_int_eq(hki_bodies_create(r.b.ctx, r.m, 0, false, &c), HK_OK);
  ck_assert_int_eq(hki_points_create(r.b.ctx, r.m, false, &n), HK_OK);
  ck_assert(c->nq < 200 && n->n < 200);
  again(&r, c->n, c->nq, x, y, bodies_from, bodies_state, c);
  again(&r, n->n, n->n, x, y, points_from, points_state, n);
  hki_bodies_destroy(c);
  hki_points_destroy(n);
  rig_free(&r);
}
END_TEST

#ifdef HK_ASSERTIONS
static void read_rows(void *arg) {
  rig *r = arg;
  double y[20];
  hki_kin_rows(&r->s->kin, r->v, y);
}
static void read_bias(void *arg) { hki_kin_closure_bias(&((rig *)arg)->s->kin); }
static void read_forces(void *arg) {
  rig *r = arg;
  hki_tree_residual(r->s, r->a, r->v);
}
static void read_velocities(void *arg) {
  rig *r = arg;
  hki_kin_positions(&r->s->kin, 0.0, r->q);
  hki_kin_forces(&r->s->kin, 0);
}
static void read_positions(void *arg) {
  rig *r = arg;
  hki_kin_forget(&r->s->kin, HK_KIN_POSITIONS);
  hki_kin_closures(&r->s->kin);
}
static void read_frames(void *arg) {
  rig *r = arg;
  hk_frame F;
  hki_kin_forget(&r->s->kin, HK_KIN_FRAMES);
  hki_kin_marker(&r->s->kin, 0, &r->m->bodies[0].own, &F);
}
static void read_far_body(void *arg) {
  rig *r = arg;
  hk_frame F;
  hki_kin_marker(&r->s->kin, r->m->nb, &r->m->bodies[0].own, &F);
}
static void mass_without_matrix(void *arg) { hki_tree_mass(((rig *)arg)->s); }
static void factor_without_matrix(void *arg) { (void)hki_tree_factor(((rig *)arg)->s); }

START_TEST(test_what_is_not_known_is_not_read) {
  static const struct {
    void (*f)(void *);
    const char *words;
  } cases[] = {
      {read_rows, "hki_kin_rows_of: assertion failed: hki_kin_knows(k, HK_KIN_CLOSURES)"},
      {read_bias, "hki_kin_closure_bias: assertion failed"},
      {read_forces, "hki_kin_body_forces: assertion failed"},
      {read_velocities, "hki_kin_forces: assertion failed"},
      {read_positions, "hki_kin_closures: assertion failed"},
      {read_frames, "hki_kin_marker: assertion failed: hki_kin_knows(k, HK_KIN_FRAMES)"},
      {read_far_body, "hki_kin_marker: assertion failed: body =="},
      {mass_without_matrix, "hki_tree_mass: assertion failed: s->ldl"},
      {factor_without_matrix, "hki_tree_factor: assertion failed: s->ldl"},
  };
  build b = build_four_bar(true, -1);
  rig r = rig_make_bare(&b);
  ck_assert(test_aborts(cases[_i].f, &r, cases[_i].words));
  rig_free(&r);
}
END_TEST
enum { CASES = 9 };
#endif

Suite *suite_known(void);
Suite *suite_known(void) {
  Suite *s = suite_create("known");
  TCase *t = tcase_create("known");
  tcase_add_test(t, test_parts_become_known_and_unknown);
  tcase_add_loop_test(t, test_frames_of_other_machines_are_not_those_of_the_tree, 0, 2);
#ifdef HK_ASSERTIONS
  tcase_add_loop_test(t, test_what_is_not_known_is_not_read, 0, CASES);
#endif
  suite_add_tcase(s, t);
  return s;
}

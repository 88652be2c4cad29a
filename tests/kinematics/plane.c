/* SPDX-License-Identifier: Apache-2.0
 *
 * plane.c: plane mechanisms give the same numbers, bit for bit, by their own passes as by those for any model: positions,
 * velocities, closures, forces, mass matrices, energies, products with the rows. Which models have them.
 */
#include "kinematics/plane.h"

#include "analyses/support.h"
#include "kinematics/single.h"

static void same(const double *x, const double *y, int32_t n, const char *what) {
  for (int32_t i = 0; i < n; i++)
    ck_assert_msg(x[i] == y[i], "%s[%d]: %.17g in the plane, %.17g else", what, (int)i, x[i], y[i]);
}

/* the passes for any model, for any processor */
static void by_others(hk_kin *k) {
  k->plane = NULL, k->beside = NULL, k->single = NULL;
  memset(k->in_plane, 0, (size_t)k->m->nc);
  hki_kin_forget(k, HK_KIN_POSITIONS | HK_KIN_OF_CLOSURES);
}

static void compare_bodies(hk_kin *k, hk_kin *l) {
  const hk_model *m = k->m;
  same(k->frame->R, l->frame->R, (int32_t)(sizeof(hk_frame) / sizeof(double)) * m->nb, "frame");
  same(k->O, l->O, 3 * m->nb, "O");
  same(k->S, l->S, 6 * m->nv, "S");
  same(k->V, l->V, 6 * m->nb, "V");
  same(k->A0, l->A0, 6 * m->nb, "A0");
  same(&k->I->m, &l->I->m, (int32_t)(sizeof(hk_inertia) / sizeof(double)) * m->nb, "I");
}

/* closures, and what is made of their rows */
static void compare_rows(rig *a, rig *b) {
  const hk_model *m = a->m;
  hk_kin *k = &a->s->kin, *l = &b->s->kin;
  hk_kin *both[2] = {k, l};
  for (int i = 0; i < 2; i++) hki_kin_closures(both[i]), hki_kin_closure_bias(both[i]);
  same(k->phi, l->phi, m->nrows, "phi");
  same(k->phit, l->phit, m->nrows, "phit");
  same(k->gamma, l->gamma, m->nrows, "gamma");
  same(k->gz, l->gz, l->gz0[m->nc - 1] + 2 * m->closures[m->nc - 1].path.n, "gz");
  hki_tree_rows(a->s, a->v, a->s->row), hki_tree_rows(b->s, a->v, b->s->row);
  same(a->s->row, b->s->row, m->nrows, "Phi_z v");
  hki_tree_add_rows(a->s, a->s->row, a->s->r), hki_tree_add_rows(b->s, a->s->row, b->s->r);
  same(a->s->r, b->s->r, m->nv, "r");
  hki_tree_penalty(a->s, 1e5, 0.1), hki_tree_penalty(b->s, 1e5, 0.1);
  same(a->s->alpha, b->s->alpha, m->nrows, "alpha");
  same(a->s->reach, b->s->reach, m->nrows, "reach");
  ck_assert_double_eq(hki_tree_row_norm(a->s, a->s->row), hki_tree_row_norm(b->s, a->s->row));
}

static void compare(rig *a, rig *b) {
  const hk_model *m = a->m;
  hk_kin *k = &a->s->kin, *l = &b->s->kin;
  uint64_t seed = 7;
  for (int round = 0; round < 20; round++) {
    for (int32_t i = 0; i < m->nv; i++)
      a->q[i] = 3.0 * noise(&seed), a->v[i] = noise(&seed), a->a[i] = noise(&seed);
    // in one pass, and in two
    if (round % 2) {
      hki_kin_state(k, 0.0, a->q, a->v);
    } else {
      hki_kin_positions(k, 0.0, a->q);
      hki_kin_velocity(k, a->v);
    }
    hki_kin_state(l, 0.0, a->q, a->v);
    compare_bodies(k, l);
    hki_kin_forces(k, 0), hki_kin_forces(l, 0);
    hki_tree_residual(a->s, a->a, a->s->r), hki_tree_residual(b->s, a->a, b->s->r);
    same(a->s->A, b->s->A, 6 * m->nb, "A");
    same(a->s->F, b->s->F, 6 * m->nb, "F");
    same(a->s->r, b->s->r, m->nv, "r");
    hki_tree_mass(a->s), hki_tree_mass(b->s);
    same(a->s->num.val, b->s->num.val, hki_ldl_value_count(a->s->ldl), "M");
    hki_kin_energy(k), hki_kin_energy(l);
    ck_assert_double_eq(k->kinetic, l->kinetic);
    ck_assert_double_eq(k->potential, l->potential);
    if (m->nc) compare_rows(a, b);
  }
}

/* pairs of the same model; beside: its rows are few enough to go side by side */
static void check(build x, build y, bool beside) {
  rig a = rig_make_bare(&x), b = rig_make_bare(&y);
  ck_assert_int_eq(hki_tree_matrix(a.s), HK_OK);
  ck_assert_int_eq(hki_tree_matrix(b.s), HK_OK);
  ck_assert((a.s->kin.plane != NULL) == hki_single_here());
  ck_assert((a.s->kin.beside != NULL) == (beside && hki_single_here()));
  by_others(&b.s->kin);
  compare(&a, &b);
  rig_free(&a), rig_free(&b);
}

START_TEST(loops) {
  check(build_double_four_bar(0.3, true), build_double_four_bar(0.3, true), true);
  check(build_four_bar(true, -1), build_four_bar(true, -1), true);
}
END_TEST

/* revolutes along z and against it, at markers here and there, inertia with three numbers, a body without */
static build build_branches(double height) {
  build b = build_begin(7, 7);
  uint64_t seed = 12;
  v3_set(b.spec->gravity, 1.0, -9.0, 0.0);
  for (int32_t i = 0; i < 7; i++) {
    const double p[3] = {noise(&seed), noise(&seed), i == 5 ? height : 0.0};
    const double z[3] = {0.0, 0.0, i % 3 == 1 ? -1.0 : 1.0};
    char name[16];
    snprintf(name, sizeof name, "b%d", (int)i);
    const int32_t body = build_body(&b, name, i == 2 ? 0.0 : 1.0 + i, p[0] + 0.2, p[1] - 0.3, 0.0);
    double *J = b.spec->bodies[body].J;
    J[0] = i == 2 ? 0.0 : 0.3, J[4] = i == 2 ? 0.0 : 0.4, J[8] = i == 2 ? 0.0 : 0.6;
    snprintf(name, sizeof name, "j%d", (int)i);
    build_joint(&b, name, "revolute", i == 4 ? 1 : i - 1 < 0 ? HK_GROUND : i - 1, body, p, z);
  }
  return b;
}

START_TEST(trees) { check(build_branches(0.0), build_branches(0.0), false); }
END_TEST

/* a joint above the plane, and rows that go by turns once one closure is off */
START_TEST(others) {
  build x = build_branches(0.1), y = build_double_four_bar(0.3, true);
  rig a = rig_make_bare(&x), b = rig_make_bare(&y);
  ck_assert_ptr_null(a.s->kin.plane);
  double rows[4] = {9.0, 9.0, 9.0, 9.0};
  b.s->kin.disc.active[1] = 0.0;
  hki_kin_closures(&b.s->kin);
  hki_tree_rows(b.s, b.v, rows);
  ck_assert_double_eq(rows[2], 0.0);
  ck_assert_double_eq(rows[3], 0.0);
  rig_free(&a), rig_free(&b);
}
END_TEST

Suite *suite_plane(void);
Suite *suite_plane(void) {
  Suite *s = suite_create("plane");
  TCase *t = tcase_create("plane");
  tcase_add_test(t, loops);
  tcase_add_test(t, trees);
  tcase_add_test(t, others);
  suite_add_tcase(s, t);
  return s;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * articulated.c: the articulated-body recursion on trees with joints of every type and branches:
 * its accelerations leave no residual of the equations of motion, factors and solutions one after
 * the other give the same, and the passes for any processor give the bits of the wide ones. Stage
 * matrices with forces on joints and across them, without the matrix, against the matrix.
 */
#include <stdlib.h>

#include "machines/tree/aba_impl.h"
#include "machines/tree/deep.h"
#include "analyses/support.h"

enum { BODIES = 24 };

/* each body hangs on an earlier one, often the one before it */
static build build_tree(uint64_t seed) {
  build b = build_begin(BODIES + 1, BODIES + 1);
  v3_set(b.spec->gravity, 1.0, -2.0, -9.0);
  for (int32_t i = 0; i < BODIES; i++) {
    char name[16];
    double p[3], z[3];
    for (int k = 0; k < 3; k++) p[k] = noise(&seed), z[k] = noise(&seed);
    snprintf(name, sizeof name, "b%d", (int)i);
    const int32_t body = build_body(&b, name, 1.0 + 0.1 * i, p[0] + 0.3, p[1], p[2]);
    double *J = b.spec->bodies[body].J;
    J[0] = 0.3, J[4] = 0.5, J[8] = 0.6, J[1] = J[3] = 0.03;
    const double x = noise(&seed);
    const int32_t parent = i < 2 ? HK_GROUND : x > 0.2 ? body - 1 : body / 2;
    const char *type = noise(&seed) > 0.0 ? "revolute" : joint_types[i % JOINT_TYPES];
    snprintf(name, sizeof name, "j%d", (int)i);
    build_joint(&b, name, type, parent, body, p, z);
  }
  return b;
}

static hk_aba make(const hk_tree *s, unsigned char **block) {
  hk_aba f = {0};
  hk_arena a = {0};
  hki_aba_layout(&f, s->m, &a);
  *block = calloc(1, a.used + 64);
  a = (hk_arena){*block + (64 - (uintptr_t)*block % 64) % 64, 0, a.used};
  hki_aba_layout(&f, s->m, &a);
  hki_aba_init(&f, s);
  return f;
}

/* r (nv) += E x, blocks of the joints */
static void add_blocks(const hk_aba *f, const double *E, const double *x, double *r) {
  for (int32_t b = 0; b < f->m->nb; b++) {
    const hk_aba_link *l = &f->link[b];
    for (int32_t i = 0; i < l->n; i++)
      for (int32_t j = 0; j < l->n; j++) r[l->v0 + i] += E[l->d0 + i * l->n + j] * x[l->v0 + j];
  }
}

static void check(uint64_t seed) {
  build b = build_tree(seed);
  rig r = rig_make_bare(&b);
  hk_tree *s = r.s;
  const int32_t nv = r.m->nv;
  unsigned char *block;
  hk_aba f = make(s, &block);
  double *x = calloc((size_t)nv, sizeof *x), *y = calloc((size_t)nv, sizeof *y);
  double *E = calloc((size_t)hki_aba_blocks(r.m), sizeof *E);
  for (int32_t i = 0; i < nv; i++) x[i] = noise(&seed);
  hki_tree_plus(r.m, r.m->q_draw, x, r.q);
  for (int32_t i = 0; i < nv; i++) r.v[i] = noise(&seed);
  hki_tree_state(s, 0.0, r.q, r.v, 0);
  for (int32_t i = 0; i < nv; i++) s->kin.tau[i] = noise(&seed);
  for (int32_t i = 0; i < r.m->nb; i++)
    for (int32_t j = 0; j < f.link[i].n; j++) E[f.link[i].d0 + j * (f.link[i].n + 1)] = 0.7;

  // without and with blocks: no residual is left
  for (int with = 0; with < 2; with++) {
    const double *blocks = with ? E : NULL;
    double size = 0.0;
    hki_aba_accel(&f, s, blocks, s->kin.tau, x);
    hki_tree_residual(s, x, s->r);
    if (with) add_blocks(&f, E, x, s->r);
    for (int32_t i = 0; i < nv; i++) size = fmax(size, fabs(x[i]));
    for (int32_t i = 0; i < nv; i++)
      ck_assert_msg(fabs(s->r[i]) < 1e-10 * (1.0 + size), "residual %d: %g", i, s->r[i]);

    // factor, then solve with the residual at rest
    memset(y, 0, (size_t)nv * sizeof *y);
    hki_tree_residual(s, y, s->r);
    for (int32_t i = 0; i < nv; i++) y[i] = -s->r[i];
    hki_aba_factor(&f, s, blocks);
    ck_assert_int_eq(f.nsoft, 0);
    hki_aba_solve(&f, &s->kin, y, y);
    for (int32_t i = 0; i < nv; i++)
      ck_assert_msg(fabs(x[i] - y[i]) < 1e-10 * (1.0 + size), "x %d: %g, %g", i, x[i], y[i]);

    // the same bits from both kinds of passes
    const hk_aba_passes *wide = hki_aba_wide();
    for (int any = 0; wide && any < 2; any++)
      (any ? hki_aba_plain() : wide)->accel(&f, &s->kin, blocks, s->kin.tau, any ? y : x);
    for (int32_t i = 0; wide && i < nv; i++) ck_assert(x[i] == y[i]);
  }
  free(x), free(y), free(E), free(block);
  rig_free(&r);
}

START_TEST(trees_of_all_joints) {
  for (uint64_t seed = 1; seed < 20; seed++) check(seed);
}
END_TEST

/* springs between neighbours, one of them softening, and springs across joints */
START_TEST(deep_trees_without_the_matrix) {
  build b = build_chain(joint_types, JOINT_TYPES);
  build_spring(&b, 2, 3, (double[]){1, 1, 0}, (double[]){1.5, 0.2, 0.3}, 120, 7, 0.6, NULL);
  build_spring(&b, 4, 5, (double[]){1, 0, 2}, (double[]){2, 0.2, 0.3}, -3, 1, 0.6, NULL);
  build_spring(&b, 1, 6, (double[]){0, 1, 0}, (double[]){1.5, 0.2, 0.3}, 60, 4, 0.6, NULL);
  build_spring(&b, HK_GROUND, 7, (double[]){0, 1, 0}, (double[]){1, 2, 0.3}, 80, 2, 0.6, NULL);
  rig r = rig_make(&b);
  hk_tree *s = r.s, *d;
  const int32_t nv = r.m->nv;
  const double cC = 0.3, cK = 0.02;
  uint64_t seed = 7;
  bool suits;
  ck_assert_int_eq(hki_deep_suits(r.b.ctx, r.m, HK_TANGENT_AUTO, 1.0, &suits), HK_OK);
  ck_assert(!suits); // small
  ck_assert_int_eq(hki_tree_create(r.b.ctx, r.m, &d), HK_OK);
  ck_assert_int_eq(hki_deep_create(d, true), HK_OK);
  ck_assert_int_eq(d->nacross, 2);
  double *x = calloc((size_t)nv, sizeof *x), *y = calloc((size_t)nv, sizeof *y);
  for (int32_t i = 0; i < nv; i++) r.v[i] = 0.1 * noise(&seed);
  hki_tree_plus(r.m, r.m->q_draw, r.v, r.q);
  for (int32_t i = 0; i < nv; i++) r.v[i] = noise(&seed), x[i] = y[i] = noise(&seed);
  hki_tree_state(s, 0.0, r.q, r.v, HK_FORCES_TANGENT);
  hki_tree_state(d, 0.0, r.q, r.v, HK_FORCES_TANGENT);
  hki_tree_mass(s);
  hki_tree_add_forces(s, cC, cK);
  ck_assert_int_eq(hki_tree_factor_stage(s), HK_OK);
  ck_assert_int_eq(hki_deep_factor(d, cC, cK, false), HK_OK);
  hki_tree_solve_stage(s, x);
  hki_tree_solve_stage(d, y);
  for (int32_t i = 0; i < nv; i++)
    ck_assert_msg(fabs(x[i] - y[i]) < 1e-10 * (1.0 + fabs(x[i])), "%d: %g %g", i, x[i], y[i]);
  // accelerations too
  ck_assert_int_eq(hki_tree_accel_here(s, x), HK_OK);
  ck_assert_int_eq(hki_deep_accel(d, y), HK_OK);
  for (int32_t i = 0; i < nv; i++)
    ck_assert_msg(fabs(x[i] - y[i]) < 1e-9 * (1.0 + fabs(x[i])), "a %d: %g %g", i, x[i], y[i]);
  free(x), free(y);
  hki_tree_destroy(d);
  rig_free(&r);
}
END_TEST

Suite *suite_articulated(void);
Suite *suite_articulated(void) {
  Suite *s = suite_create("articulated");
  TCase *c = tcase_create("trees");
  tcase_add_test(c, trees_of_all_joints);
  tcase_add_test(c, deep_trees_without_the_matrix);
  suite_add_tcase(s, c);
  return s;
}

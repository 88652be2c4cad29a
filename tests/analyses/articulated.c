/* SPDX-License-Identifier: Apache-2.0
 *
 * articulated.c: the articulated-body recursion on trees with joints of every type and branches:
 * its accelerations leave no residual of the equations of motion, factors and solutions one after
 * the other give the same, and the passes for any processor give the bits of the wide ones.
 */
#include <stdlib.h>

#include "machines/tree/aba_impl.h"
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

Suite *suite_articulated(void);
Suite *suite_articulated(void) {
  Suite *s = suite_create("articulated");
  TCase *c = tcase_create("trees");
  tcase_add_test(c, trees_of_all_joints);
  suite_add_tcase(s, c);
  return s;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Equilibria by sparse equations (simulation/equilibrium_large.h) are those by full ones: the path of a shallow roof of
 * shells that snaps through, its extremes of the load, slopes and stability; in a formulation with sparse equations of its
 * own, and by a twin.
 */
#include <math.h>
#include <string.h>

#include "hooke/hooke.h"
#include "runner.h"
#include "simulation/equilibrium_large.h"

/* quarter of a cylindrical roof with hinged straight sides (Sze, Liu and Lo 2004), few elements */
static const char roof[] = "hooke: 1\n"
                           "signals: {P: {input: 0}}\n"
                           "shells:\n"
                           "  s:\n"
                           "    surface: [2540*sin(u), v, 2540*cos(u) - 2540]\n"
                           "    u: [0, 0.1]\n"
                           "    v: [0, 254]\n"
                           "    elements: [2, 2]\n"
                           "    thickness: 12.7\n"
                           "    material: {E: 3102.75, nu: 0.3, density: 1}\n"
                           "    clamp:\n"
                           "      u_start: {body: ground, type: general, locked: [x, ry]}\n"
                           "      v_start: {body: ground, type: planar, normal: y}\n"
                           "      u_end: {body: ground, type: general, locked: [x, z]}\n"
                           "forces: {A: {type: force, on: s.0.0, value: [0, 0, -P/4]}}\n"
                           "record: [body.s.0.0.position.z]\n"
                           "run: {time: 0.01, step: 0.001}\n";

enum { MOST = 200 };

typedef struct path {
  int32_t n, limits;
  double limit[4], final, softest[2], slope;
} path;

static hk_status take(void *user, hk_equilibria *e) {
  path *p = user;
  double values[4];
  const int32_t first = 0;
  ck_assert_int_lt(p->n, MOST);
  if (p->n++ == 0) p->softest[0] = e->at.softest;
  if (e->at.limit) {
    ck_assert_int_lt(p->limits, 4);
    p->limit[p->limits++] = e->at.load;
  }
  p->softest[1] = e->at.softest;
  hk_status st = hki_equilibria_slopes(e, 1, &first, &p->slope);
  if (st == HK_OK) st = hki_equilibria_place(e);
  if (st == HK_OK) st = hk_sim_values(e->s, values);
  p->final = values[0];
  return st;
}

static path follow(const char *formulation, bool sparse, double load) {
  hk_ctx *ctx = hk_ctx_create();
  hk_model *m = NULL;
  hk_sim *s = NULL;
  hk_equilibria e = {0};
  path p = {0};
  char words[200] = "";
  hk_sim_options opt = hk_sim_options_def();
  opt.formulation = formulation;
  ck_assert_int_eq(hk_model_parse(ctx, roof, strlen(roof), "roof", NULL, 0, &m), HK_OK);
  ck_assert_int_eq(hk_sim_create(m, &opt, &s), HK_OK);
  ck_assert_int_eq(hki_equilibria_create(s, 0, &e), HK_OK);
  ck_assert_ptr_null(e.large);
  if (sparse) {
    ck_assert_int_eq(hki_large_create(&e), HK_OK);
    ck_assert_ptr_nonnull(e.large);
    ck_assert_int_eq(e.large->s == s, strcmp(formulation, "redundant") == 0);
  }
  ck_assert_int_eq(hki_equilibria_place(&e), HK_OK);
  ck_assert_int_eq(hki_equilibria_solve(&e, false, NULL), HK_OK);
  const hk_status st =
      hki_equilibria_follow(&e, load, load < 3000.0 ? 2 : 20, 0, take, &p, words, sizeof words);
  ck_assert_msg(st == HK_OK, "%s", words);
  ck_assert_double_eq(e.at.load, load);
  hki_equilibria_end(&e);
  hk_sim_destroy(s);
  hk_model_release(m);
  hk_ctx_destroy(ctx);
  return p;
}

static void expect_same(const path *p, const path *full) {
  ck_assert_int_eq(p->limits, 2);
  for (int k = 0; k < 2; k++) {
    ck_assert_double_le(fabs(p->limit[k] / full->limit[k] - 1.0), 1e-7);
    ck_assert_double_le(fabs(p->softest[k] / full->softest[k] - 1.0), 1e-6);
  }
  ck_assert_double_le(fabs(p->final - full->final), 1e-7);
  ck_assert_double_le(fabs(p->slope / full->slope - 1.0), 1e-6);
}

START_TEST(paths_are_the_same) {
  static const char *const formulations[] = {"redundant", "hybrid"};
  // full matrices take long with sanitizers, which see the same code in two points
  if (test_short()) {
    for (int i = 0; i < 2; i++) ck_assert_int_eq(follow(formulations[i], true, 100.0).limits, 0);
    return;
  }
  const path full = follow("redundant", false, 3000.0);
  ck_assert_int_eq(full.limits, 2);
  // the load has its maximum first, far above its minimum
  ck_assert_double_gt(full.limit[0], 1.5 * full.limit[1]);
  for (int i = 0; i < 2; i++) {
    const path p = follow(formulations[i], true, 3000.0);
    expect_same(&p, &full);
  }
}
END_TEST

Suite *suite_statics_large(void);
Suite *suite_statics_large(void) {
  Suite *s = suite_create("statics_large");
  TCase *c = tcase_create("statics_large");
  tcase_set_timeout(c, 60);
  tcase_add_test(c, paths_are_the_same);
  suite_add_tcase(s, c);
  return s;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * topological_rows.c: the topological formulation with sparse rows and with fronts in the place of full matrices, on
 * scissor lifts: the accelerations of full matrices, also where rows are redundant or nearly dependent;
 * coordinates chosen row by row; memory that grows with the stages; words where it does not suffice.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formulations/topological/topological.h"
#include "hooke/hooke.h"
#include "machines/tree/deep.h"
#include "simulation/simulation.h"

Suite *suite_topological_rows(void);

typedef enum kind { PLAIN, REDUNDANT, PIVOTS_FIRST, KINDS } kind;

typedef struct text {
  char *s;
  size_t n;
} text;

static void pin(text *t, const char *name, int k, const char *a, int i, const char *b, int j,
                double x, double y) {
  t->n += (size_t)sprintf(
      t->s + t->n,
      "  %s%d: {type: revolute, between: [%s%d, %s%d], at: [%.9g, %.9g, 0], axis: z}\n", name, k, a,
      i, b, j, x, y);
}

static void ends(text *t, int k) {
  pin(t, "u", k, "a", k, "b", k + 1, 2, k + 1);
  pin(t, "v", k, "b", k, "a", k + 1, 0, k + 1);
}

/* a lift whose left feet are not all in the middle: no two loops are alike; REDUNDANT: every third end has a second
 * pin */
static text lift(int n, kind what) {
  text t = {malloc(600 * (size_t)n + 2000), 0};
  ck_assert_ptr_nonnull(t.s);
  t.n += (size_t)sprintf(t.s, "hooke: 1\nplanar: xy\ngravity: [0, -9.81, 0]\nbodies:\n");
  for (int k = 0; k < n; k++)
    for (const char *c = "ab"; *c; c++)
      t.n +=
          (size_t)sprintf(t.s + t.n, "  %c%d: {mass: %g, com: [1.1, %g, 0], inertia: {zz: 0.4}}\n",
                          *c, k, 1 + 0.01 * k, k + 0.5);
  t.n += (size_t)sprintf(
      t.s + t.n, "joints:\n"
                 "  foot: {type: revolute, between: [ground, a0], at: [0, 0, 0], axis: z}\n"
                 "  slide: {type: in_line, between: [ground, b0], at: [2, 0, 0], axis: x}\n");
  for (int k = 0; k < n; k++) {
    pin(&t, "p", k, "a", k, "b", k, 1, k + 0.5);
    if (what != PIVOTS_FIRST && k + 1 < n) ends(&t, k);
    if (what == REDUNDANT && k % 3 == 0 && k + 1 < n) pin(&t, "w", k, "a", k, "b", k + 1, 2, k + 1);
  }
  for (int k = 0; what == PIVOTS_FIRST && k + 1 < n; k++) ends(&t, k);
  t.n += (size_t)sprintf(
      t.s + t.n,
      "forces:\n  jack: {type: spring_damper, between: [ground, b0], ends: [[0, 0, 0], "
      "[2, 0, 0]], stiffness: 3e6, damping: 3e5, length: 2}\nstart: {foot: {rate: 0.1}}\n"
      "run: {time: 1, step: 0.01, formulation: topological, integrator: trapezoidal}\n");
  return t;
}

typedef struct run {
  hk_ctx *ctx;
  hk_model *m;
  hk_sim *s;
  hk_topological *t;
} run;

static run begin(int n, kind what) {
  run r = {.ctx = hk_ctx_create()};
  text x = lift(n, what);
  hk_sim_options opt = hk_sim_options_def();
  ck_assert_int_eq(hk_model_parse(r.ctx, x.s, x.n, "lift", NULL, 0, &r.m), HK_OK);
  ck_assert_int_eq(hk_sim_create(r.m, &opt, &r.s), HK_OK);
  free(x.s);
  r.t = (hk_topological *)r.s->f;
  return r;
}

static void end(run *r) {
  hk_sim_destroy(r->s);
  hk_model_release(r->m);
  hk_ctx_destroy(r->ctx);
}

/* accelerations at the present state, with a new choice */
static void accelerate(run *r, double *a) {
  const hk_integrator *I = &r->s->I;
  r->t->base.ops->restart(&r->t->base);
  ck_assert_int_eq(r->t->base.ops->accel(&r->t->base, I->t, I->q, I->v, a), HK_OK);
}

static void same(const char *what, int32_t n, const double *a, const double *b, double within) {
  double size = 0.0;
  for (int32_t i = 0; i < n; i++) size = fmax(size, fabs(b[i]));
  ck_assert(size > 0.0);
  for (int32_t i = 0; i < n; i++)
    ck_assert_msg(fabs(a[i] - b[i]) <= within * size, "%s %d: %.15g, not %.15g of %g", what, (int)i,
                  a[i], b[i], size);
}

/* fronts, and full matrices of the same object afterwards */
START_TEST(as_full_matrices) {
  run r = begin(40, (kind)_i);
  hk_topological *t = r.t;
  const hk_topological_group *g = t->group;
  const int32_t nv = t->s->m->nv;
  double *a = calloc(2 * (size_t)nv, sizeof *a), *b = a + nv;
  ck_assert(t->sparse && t->deep && hki_deep_closes(t->s) && !t->s->ldl && !t->reduced && !g->P);
  for (int i = 0; i < 3; i++) ck_assert_int_eq(hk_sim_step(r.s), HK_OK);
  accelerate(&r, a);
  const int32_t rank = g->rank;
  const double speed = g->speed, ratio = g->ratio;
  ck_assert_int_eq(t->ngroup, 1);
  ck_assert_int_eq(rank, nv - 1);
  ck_assert_int_eq(g->m - rank, (kind)_i == REDUNDANT ? 2 * 13 : 0);
  ck_assert_int_eq(hki_topological_fill_matrices(t), HK_OK);
  ck_assert(!t->sparse && !t->deep && t->reduced && t->s->ldl && g->P);
  // the choice has come along, and it is made anew
  ck_assert_int_eq(g->rank, rank);
  ck_assert(t->base.ops->accel(&t->base, r.s->I.t, r.s->I.q, r.s->I.v, b) == HK_OK);
  same("a", nv, a, b, 1e-9);
  accelerate(&r, b);
  same("a", nv, a, b, 1e-9);
  ck_assert_int_eq(g->rank, rank);
  ck_assert_msg(speed < 3.0 * fmax(g->speed, 1.0), "%g %g", speed, g->speed);
  ck_assert_msg(ratio > 1e-3 * g->ratio, "%g %g", ratio, g->ratio);
  // and the run goes on
  for (int i = 0; i < 3; i++) ck_assert_int_eq(hk_sim_step(r.s), HK_OK);
  free(a);
  end(&r);
}
END_TEST

/* a loop that is switched off: its rows have no pivots */
START_TEST(without_a_loop) {
  run r = begin(40, PLAIN);
  hk_topological *t = r.t;
  const int32_t nv = t->s->m->nv;
  double *a = calloc(2 * (size_t)nv, sizeof *a), *b = a + nv;
  const int32_t rank = t->group->rank;
  t->s->kin.disc.active[17] = 0.0;
  accelerate(&r, a);
  ck_assert_int_eq(t->group->rank, rank - t->s->m->closures[17].nrows);
  ck_assert_int_eq(hki_topological_fill_matrices(t), HK_OK);
  accelerate(&r, b);
  same("a", nv, a, b, 1e-9);
  free(a);
  end(&r);
}
END_TEST

/* the largest entries first, each of a row of its own, none of them small */
START_TEST(choice_is_regular) {
  for (int what = PLAIN; what < KINDS; what++) {
    run r = begin(60, (kind)what);
    const hk_topological_group *g = r.t->group;
    uint8_t *met = calloc((size_t)(g->n + g->m), 1);
    for (int32_t k = 0; k < g->n; k++) met[g->cols[k]]++;
    for (int32_t k = 0; k < g->m; k++) met[g->n + g->rows[k]]++;
    for (int32_t k = 0; k < g->n + g->m; k++) ck_assert_uint_eq(met[k], 1);
    ck_assert_msg(g->speed < 4.0 && g->ratio > 1e-4, "%g %g", g->speed, g->ratio);
    free(met);
    end(&r);
  }
}
END_TEST

static double random_entry(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-52 - 1.0;
}

/* rows of random numbers, some twice the one before them: each pivot is the largest entry of what is left of its row, and
 * the rank is that of full pivoting */
START_TEST(choice_of_random_rows) {
  run r = begin(40, PLAIN);
  hk_topological *t = r.t;
  hk_topological_group *g = t->group;
  uint64_t seed = 7;
  double *P = calloc((size_t)(g->m * g->n), sizeof *P), *G = g->G, *before = NULL;
  for (int32_t i = 0; i < g->m; i++) {
    const hk_path *path = &t->s->m->closures[t->row_clo[g->row[i]]].path;
    const bool again = i % 10 == 6 && t->row_clo[g->row[i]] == t->row_clo[g->row[i - 1]];
    for (int32_t j = 0; j < path->n; j++) {
      const double e = random_entry(&seed);
      G[j] = again ? 2.0 * before[j] : e * e * e;
      for (int32_t k = 0; k < g->n; k++)
        if (g->col[k] == path->dof[j]) P[i * g->n + k] = G[j];
    }
    before = G;
    G += path->n;
  }
  ck_assert(hki_topological_choose_rows(t, g, 1e-8));
  const int32_t rank = g->rank;
  ck_assert_int_gt(t->fill.n, g->m);
  for (int32_t i = 0; i < t->fill.n; i++) ck_assert(fabs(t->fill.value[i]) <= 1.0 + 1e-9);
  int32_t *order = calloc((size_t)(g->m + g->n), sizeof *order);
  ck_assert_int_eq(rank, hki_dense_pivots(g->m, g->n, P, 1e-8, NULL, order, order + g->m));
  ck_assert_int_lt(rank, g->m);
  free(order), free(P);
  end(&r);
}
END_TEST

/* corrections of a stage with the factors of its first iterate, or with new ones, from a poor prediction; returns how many
 * it takes to 1e-11 */
static int solve_stage(run *r, bool anew, double *D) {
  hk_formulation *f = r->s->f;
  const hk_integrator *I = &r->s->I;
  const int32_t nv = r->t->s->m->nv;
  const double h = 0.01;
  double *vh = calloc(2 * (size_t)nv, sizeof *vh), *ah = vh + nv;
  hk_norms norm = {.step = 1.0};
  for (int32_t i = 0; i < nv; i++) {
    vh[i] = -I->v[i], ah[i] = -4.0 / h * I->v[i] - I->a[i];
    D[i] = 2.0 * h * I->v[i];
  }
  const hk_stage st = {.t = h,
                       .level = HK_LEVEL_POS,
                       .cv = 2.0 / h,
                       .ca = 4.0 / (h * h),
                       .q0 = I->q,
                       .vh = vh,
                       .ah = ah};
  ck_assert_int_eq(f->ops->begin(f, &st), HK_OK);
  int i = 0;
  for (; i < 40 && norm.step > 1e-11; i++) {
    ck_assert_int_eq(f->ops->residual(f, D, i == 0 || anew), HK_OK);
    if (i == 0 || anew) ck_assert_int_eq(f->ops->factor(f), HK_OK);
    ck_assert_int_eq(f->ops->correct(f, D, &norm), HK_OK);
  }
  free(vh);
  return i;
}

START_TEST(old_factors) {
  run r = begin(40, (kind)_i);
  const int32_t nv = r.t->s->m->nv;
  double *a = calloc(2 * (size_t)nv, sizeof *a), *b = a + nv;
  for (int i = 0; i < 20; i++) ck_assert_int_eq(hk_sim_step(r.s), HK_OK);
  const int fresh = solve_stage(&r, true, a), old = solve_stage(&r, false, b);
  same("D", nv, b, a, 1e-7);
  ck_assert_int_eq(hki_topological_fill_matrices(r.t), HK_OK);
  const int fresh_full = solve_stage(&r, true, a), old_full = solve_stage(&r, false, b);
  ck_assert_msg(fresh == fresh_full && old == old_full, "%d %d, not %d %d", fresh, old, fresh_full,
                old_full);
  free(a);
  end(&r);
}
END_TEST

/* memory, predicted and of the choice, of 100 and of 400 stages */
START_TEST(growth) {
  double bytes[2], fill[2];
  for (int k = 0; k < 2; k++) {
    run r = begin(k ? 400 : 100, PLAIN);
    hk_cost cost;
    ck_assert_int_eq(hki_topological_cost(r.ctx, r.m, &r.t->par, 1e9, &cost), HK_OK);
    bytes[k] = cost.bytes, fill[k] = r.t->fill.n;
    end(&r);
  }
  ck_assert_msg(bytes[1] < 4.2 * bytes[0] && bytes[1] < 400 * 15e3, "%g %g", bytes[0], bytes[1]);
  ck_assert_msg(fill[1] < 4.5 * fill[0], "%g %g", fill[0], fill[1]);
}
END_TEST

/* small lifts keep their matrices */
START_TEST(small_ones_keep_matrices) {
  run r = begin(15, PLAIN);
  ck_assert(!r.t->sparse && !r.t->deep && r.t->reduced && r.t->group->P && r.t->s->ldl);
  end(&r);
}
END_TEST

/* a choice that has no room says so */
START_TEST(no_room) {
  run r = begin(40, PLAIN);
  hk_topological *t = r.t;
  double *a = calloc((size_t)t->s->m->nv, sizeof *a);
  t->fill.cap = 10;
  t->base.ops->restart(&t->base);
  ck_assert_int_eq(t->base.ops->accel(&t->base, 0.0, r.s->I.q, r.s->I.v, a), HK_E_MEMORY);
  ck_assert_msg(strstr(t->base.ops->words(&t->base), "take formulation 'hybrid'"), "%s", t->words);
  free(a);
  end(&r);
}
END_TEST

Suite *suite_topological_rows(void) {
  Suite *s = suite_create("topological_rows");
  TCase *c = tcase_create("scissor lifts");
  tcase_set_timeout(c, 120);
  tcase_add_loop_test(c, as_full_matrices, PLAIN, KINDS);
  tcase_add_test(c, without_a_loop);
  tcase_add_test(c, choice_is_regular);
  tcase_add_test(c, choice_of_random_rows);
  tcase_add_loop_test(c, old_factors, PLAIN, KINDS);
  tcase_add_test(c, growth);
  tcase_add_test(c, small_ones_keep_matrices);
  tcase_add_test(c, no_room);
  suite_add_tcase(s, c);
  return s;
}

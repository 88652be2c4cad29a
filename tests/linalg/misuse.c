/* SPDX-License-Identifier: Apache-2.0
 *
 * Assertions of linear algebra: entries that are not in the pattern, solutions without factors.
 */
#include <string.h>

#include "linalg/linsolve.h"
#include "linalg/sparse_ldl.h"
#include "runner.h"

/* a diagonal matrix of two unknowns, with both faces */
typedef struct pair {
  hk_ctx *ctx;
  hk_pattern p;
  hk_ldl *ldl;
  hk_ldl_num num;
  void *block;
  hk_linsolve *ls;
} pair;

static pair pair_make(void) {
  pair x = {.ctx = hk_ctx_create()};
  hki_pattern_init(&x.p, x.ctx, 2);
  for (int32_t i = 0; i < 2; i++) hki_pattern_clique(&x.p, 1, &i);
  ck_assert_int_eq(hki_ldl_create(x.ctx, &x.p, NULL, &x.ldl), HK_OK);
  hk_arena a = {0};
  hki_ldl_layout(x.ldl, &a, &x.num);
  x.block = hki_alloc(x.ctx, a.used);
  a = (hk_arena){x.block, 0, a.used};
  hki_ldl_layout(x.ldl, &a, &x.num);
  hki_ldl_zero(x.ldl, &x.num);
  ck_assert_int_eq(
      hki_linsolve_create(x.ctx, &x.p, &(hk_linsolve_options){.symmetric = true}, &x.ls), HK_OK);
  return x;
}

static void pair_free(pair *x) {
  hki_linsolve_destroy(x->ls);
  hki_free(x->ctx, x->block);
  hki_ldl_destroy(x->ldl);
  hki_pattern_free(&x->p);
  hk_ctx_destroy(x->ctx);
}

/* what has an entry is added to */
START_TEST(test_entries_of_the_pattern_are_added_to) {
  pair x = pair_make();
  for (int32_t i = 0; i < 2; i++) {
    hki_ldl_add(x.ldl, x.num.val, i, i, 3.0);
    hki_ldl_add(x.ldl, x.num.val, i, i, 1.0);
    ck_assert_double_eq(x.num.val[hki_ldl_entry(x.ldl, i, i)], 4.0);
    ck_assert_int_ge(hki_linsolve_entry(x.ls, i, i), 0);
  }
  ck_assert_int_eq(hki_ldl_slot(x.ldl, 0, 1), -1);
  pair_free(&x);
}
END_TEST

/* a factorisation that failed is none */
START_TEST(test_factors_are_there_after_a_good_factorisation_alone) {
  pair x = pair_make();
  double b[2] = {8.0, 4.0};
  ck_assert(!x.num.factored);
  ck_assert_int_eq(hki_ldl_factor(x.ldl, &x.num, x.num.val), HK_E_SINGULAR);
  ck_assert(!x.num.factored);
  for (int32_t i = 0; i < 2; i++) hki_ldl_add(x.ldl, x.num.val, i, i, 4.0);
  ck_assert_int_eq(hki_ldl_factor(x.ldl, &x.num, x.num.val), HK_OK);
  ck_assert(x.num.factored);
  hki_ldl_solve(x.ldl, &x.num, b);
  ck_assert_double_eq(b[0], 2.0);
  hki_linsolve_zero(x.ls);
  ck_assert_int_ne(hki_linsolve_factor(x.ls), HK_OK);
  ck_assert(!x.ls->factored);
  pair_free(&x);
}
END_TEST

#ifdef HK_ASSERTIONS
static void add_beside(void *arg) {
  pair *x = arg;
  hki_ldl_add(x->ldl, x->num.val, 0, 1, 1.0);
}

static void look_beside(void *arg) { (void)hki_linsolve_entry(((pair *)arg)->ls, 0, 1); }
static void look_far(void *arg) { (void)hki_ldl_entry(((pair *)arg)->ldl, 0, 7); }

static void solve_early(void *arg) {
  pair *x = arg;
  double b[2] = {1.0, 1.0};
  hki_ldl_solve(x->ldl, &x->num, b);
}

static void solve_failed(void *arg) {
  hk_linsolve *s = ((pair *)arg)->ls;
  double b[2] = {1.0, 1.0};
  hki_linsolve_zero(s);
  (void)hki_linsolve_refactor(s);
  hki_linsolve_solve(s, b);
}

START_TEST(test_misuse_is_caught) {
  pair x = pair_make();
  ck_assert(test_aborts(add_beside, &x, "hki_ldl_entry: assertion failed: slot >= 0"));
  ck_assert(test_aborts(look_far, &x, "hki_ldl_entry: assertion failed: slot >= 0"));
  ck_assert(test_aborts(look_beside, &x, "hki_linsolve_entry: assertion failed: slot >= 0"));
  ck_assert(test_aborts(solve_early, &x, "hki_ldl_solve: assertion failed: num->factored"));
  ck_assert(test_aborts(solve_failed, &x, "hki_linsolve_solve: assertion failed: s->factored"));
  pair_free(&x);
}
END_TEST
#endif

Suite *suite_misuse(void);
Suite *suite_misuse(void) {
  Suite *s = suite_create("misuse");
  TCase *t = tcase_create("misuse");
  tcase_add_test(t, test_entries_of_the_pattern_are_added_to);
  tcase_add_test(t, test_factors_are_there_after_a_good_factorisation_alone);
#ifdef HK_ASSERTIONS
  tcase_add_test(t, test_misuse_is_caught);
#endif
  suite_add_tcase(s, t);
  return s;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * ready.c: failures and numbers of the next state are written as soon as they are known, behind all ways, and once; in a step made by hand.
 *
 *   sum = x + y;  fails if x < 0;  if (!(x < y)) { z = x x; w = z / y; fails if z < 1 }  m = x < y ? x : w;  last = |m y|
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "../runner.h"
#include "codegen/emit.h"

enum { STATES = 7, X = 8 };

static hk_followed t;
static hk_graph *g;
static hk_plan p;
static hk_trace_state state[STATES];
static struct hk_trace_failure failure[2];
static hk_node sum, z, w, m, last;
static hk_text text;

static hk_node op(hk_op what, hk_node a, hk_node b) { return hki_graph_op(g, what, a, b, 0); }

static void make_step(void) {
  const hk_node x = state[0].load, y = state[1].load, less = op(HK_G_LT, x, y);
  sum = op(HK_G_ADD, x, y);
  failure[0].condition = op(HK_G_LT, x, hki_graph_const(g, 0.0));
  hki_graph_enter(g, less, true);
  z = op(HK_G_MUL, x, x), w = op(HK_G_DIV, z, y);
  failure[1].condition = op(HK_G_LT, z, hki_graph_const(g, 1.0));
  g->region = 0;
  m = hki_graph_op(g, HK_G_SELECT, less, x, w);
  last = op(HK_G_ABS, op(HK_G_MUL, m, y), 0);
  // the same number twice, one of a way, one that stays as it is, one that is known
  const hk_node final[STATES] = {last, sum, sum, z, x, 0, m};
  for (int i = 0; i < STATES; i++) state[i].final.node = final[i], state[i].number = -1;
  state[5].held = true;
}

static void begin(void) {
  memset(&t, 0, sizeof t);
  memset(state, 0, sizeof state);
  memset(failure, 0, sizeof failure);
  t.ctx = hk_ctx_create(), t.pool = hki_pool_create(t.ctx), g = &t.g;
  t.states = state, t.nstates = t.nq = STATES, t.q = X, t.showing = 2;
  t.failures = failure, t.nfailures = 2;
  ck_assert_int_eq(hki_graph_create(t.ctx, g), HK_OK);
  for (int i = 0; i < STATES; i++) {
    state[i].at = X + 8 * (uint32_t)i;
    state[i].load = hki_graph_load(g, state[i].at);
  }
  make_step();
  hki_text_init(&text, t.ctx);
  ck_assert_int_eq(hki_plan_create(&t, 1, false, &p), HK_OK);
  hki_emit_step(&p, true, &text);
  ck_assert(!text.failed);
}

static void end(void) {
  hki_text_free(&text);
  hki_graph_destroy(g);
  hki_pool_destroy(t.pool);
  hk_ctx_destroy(t.ctx);
}

/* where words stand, which are there once */
static const char *at(const char *words) {
  const char *found = strstr(text.s, words);
  ck_assert_msg(found && !strstr(found + 1, words), "'%s' once in\n%s", words, text.s);
  return found;
}

static const char *store(int i) {
  char words[40];
  snprintf(words, sizeof words, "HKX_STORE(%d, ", i);
  return at(words);
}

static const char *failing(int i) {
  char words[40];
  snprintf(words, sizeof words, "HKX_FAIL(t%u)", failure[i].condition);
  return at(words);
}

START_TEST(as_soon_as_known) {
  char words[40];
  const char *way = at("HKX_UNLESS("), *behind = at("\n  }\n");
  ck_assert(store(1) < way && store(2) < way && failing(0) < way);
  // what a way says is written behind it, and before what comes then
  snprintf(words, sizeof words, "HKX_R t%u = ", last);
  ck_assert(failing(1) > behind && failing(1) < at(words));
  ck_assert(store(3) > behind && store(3) < at(words));
  ck_assert(store(6) > behind && store(6) < at(words));
  ck_assert(store(0) > at(words));
}
END_TEST

START_TEST(what_is_known_anyway) {
  ck_assert(store(4) > store(0));
  ck_assert_ptr_eq(store(5), at("HKX_STORE(5, HKX_X(5));"));
  const char *words = "HKX_STORE(4, s0);";
  ck_assert_ptr_eq(store(4), at(words));
}
END_TEST

Suite *suite_ready(void);
Suite *suite_ready(void) {
  Suite *s = suite_create("ready");
  TCase *tc = tcase_create("ready");
  tcase_add_checked_fixture(tc, begin, end);
  tcase_add_test(tc, as_soon_as_known);
  tcase_add_test(tc, what_is_known_anyway);
  suite_add_tcase(s, tc);
  return s;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * failures.c: conditions of failures in graphs made by hand are as short as they can be, and a step fails as before.
 *
 *   fails if a, fails if (not a and b)        is        fails if a, fails if b
 */
#include "codegen/failures.h"

#include <check.h>
#include <string.h>

#include "../runner.h"
#include "codegen/values.h"

enum { TRUTHS = 4, MOST = 12, NODES = 2000 };

static hk_followed t;
static hk_graph *g;
static struct hk_trace_failure failures[MOST];
static hk_node load[TRUTHS], a, b, c, w;

static void begin(void) {
  memset(&t, 0, sizeof t);
  t.ctx = hk_ctx_create(), t.failures = failures, g = &t.g;
  ck_assert_int_eq(hki_graph_create(t.ctx, g), HK_OK);
  hk_node *const truths[TRUTHS] = {&a, &b, &c, &w};
  for (int i = 0; i < TRUTHS; i++) load[i] = hki_graph_load(g, 8 * (uint32_t)i);
  for (int i = 0; i < TRUTHS; i++)
    *truths[i] = hki_graph_op(g, HK_G_LT, load[i], hki_graph_const(g, 0.0), 0);
}

static void end(void) {
  hki_graph_destroy(g);
  hk_ctx_destroy(t.ctx);
}

static hk_node no(hk_node x) { return hki_graph_op(g, HK_G_NOT, x, 0, 0); }
static hk_node and (hk_node x, hk_node y) { return hki_graph_op(g, HK_G_AND, x, y, 0); }
static hk_node or (hk_node x, hk_node y) { return hki_graph_op(g, HK_G_OR, x, y, 0); }

static void fails_if(hk_node condition) {
  ck_assert_int_lt(t.nfailures, MOST);
  failures[t.nfailures].condition = condition;
  failures[t.nfailures++].part = g->part;
}

static void shorten(void) { ck_assert_int_eq(hki_failures_shorten(&t), HK_OK); }

static void ck_conditions(int n, const hk_node *expected) {
  ck_assert_int_eq(t.nfailures, n);
  for (int i = 0; i < n; i++)
    ck_assert_msg(failures[i].condition == expected[i], "failure %d: %u", i, failures[i].condition);
}

/* As a machine finds them: each truth is asked for on the way that is entered where those before it hold, and the step fails without. */
START_TEST(plain_row) {
  const hk_node all[] = {a, b, c, w}, plain[] = {no(a), no(b), no(c), no(w)};
  for (int i = 0; i < TRUTHS; i++) {
    fails_if(and(no(all[i]), hki_graph_way(g)));
    hki_graph_enter(g, all[i], false);
  }
  const uint32_t way = g->region;
  shorten();
  ck_conditions(TRUTHS, plain);
  ck_assert_uint_eq(g->region, way);
}
END_TEST

START_TEST(plain_pairs) {
  // by what fails itself, in either order, and by one of several
  fails_if(and(b, no(a)));
  fails_if(a);
  fails_if(or (c, no(w)));
  fails_if(and(w, and(no(c), and(a, b))));
  shorten();
  const hk_node expected[] = {b, a, or (c, no(w)), and(a, b)};
  ck_conditions(4, expected);
}
END_TEST

START_TEST(longer_by_longer) {
  // what is left of one condition shortens the next, in front of it or behind it
  const hk_node longer[] = {and(no(b), c), and(no(a), b), a}, expected[] = {c, b, a};
  for (int way = 0; way < 2; way++) {
    hk_node plain[3];
    t.nfailures = 0;
    for (int i = 0; i < 3; i++)
      fails_if(longer[way ? 2 - i : i]), plain[i] = expected[way ? 2 - i : i];
    shorten();
    ck_conditions(3, plain);
  }
}
END_TEST

START_TEST(others_stay) {
  // truths that are no failures; one that fails together with another alone; the only truth of a failure
  const hk_node expected[] = {and(no(a), b), and(a, c), no(or (b, w)), and(w, no(c))};
  for (int i = 0; i < 4; i++) fails_if(expected[i]);
  const hk_node n = g->n;
  shorten();
  ck_conditions(4, expected);
  ck_assert_uint_eq(g->n, n);
}
END_TEST

START_TEST(never_nothing) {
  // both truths of a product are left out by others: it stays, and one of it is left
  fails_if(no(a));
  fails_if(no(b));
  fails_if(and(a, b));
  shorten();
  const hk_node expected[] = {no(a), no(b), and(a, b)};
  ck_conditions(3, expected);
}
END_TEST

START_TEST(within_an_iteration) {
  // what is asked for in every turn, of the way before the iteration and of the turn
  fails_if(no(a));
  g->part = 1, g->from = 1;
  const hk_node zero = hki_graph_const(g, 0.0);
  const hk_node p = hki_graph_op(g, HK_G_LT, hki_graph_load(g, 64), zero, 0),
                q = hki_graph_op(g, HK_G_LT, hki_graph_load(g, 72), zero, 0);
  fails_if(and(and(q, a), p));
  fails_if(and(a, p));
  g->part = 2, g->from = 0;
  fails_if(and(a, b));
  shorten();
  const uint8_t parts[] = {0, 1, 1, 2};
  for (int i = 0; i < 4; i++) ck_assert_uint_eq(failures[i].part, parts[i]);
  ck_assert_uint_eq(g->part, 2);
  const hk_graph_node *both = hki_graph_at(g, failures[1].condition);
  ck_assert(both->op == HK_G_AND && both->part == 1 && both->region == 0);
  ck_assert((both->a[0] == p && both->a[1] == q) || (both->a[0] == q && both->a[1] == p));
  ck_assert_uint_eq(failures[2].condition, p);
  ck_assert_uint_eq(failures[3].condition, b);
}
END_TEST

/* --- the same failures ------------------------------------------------------------------------- */

static uint32_t random_below(uint32_t *seed, uint32_t n) {
  *seed = *seed * 1664525u + 1013904223u;
  return (*seed >> 8) % n;
}

/* a truth or what it is not */
static hk_node one_of(uint32_t *seed) {
  const hk_node all[] = {a, b, c, w}, x = all[random_below(seed, TRUTHS)];
  return random_below(seed, 2) ? x : no(x);
}

/* one to four factors, of which some are sums, products within, or what those are not */
static hk_node product(uint32_t *seed) {
  hk_node all = one_of(seed);
  for (uint32_t k = random_below(seed, 4); k > 0; k--) {
    const hk_node x = one_of(seed), y = one_of(seed);
    const uint32_t what = random_below(seed, 6);
    const hk_node factor = what == 0 ? or (x, y) : what == 1 ? no(and(x, y)) : x;
    all = and(all, factor);
  }
  return random_below(seed, 8) ? all : or (all, one_of(seed));
}

/* for which of the 16 assignments a step fails */
static uint32_t fails_for(void) {
  static double value[NODES];
  uint32_t bits = 0;
  ck_assert_uint_lt(g->n, NODES);
  for (uint32_t k = 0; k < 16; k++) {
    for (int i = 0; i < TRUTHS; i++) value[load[i]] = k >> i & 1 ? -1.0 : 1.0;
    for (hk_node n = 1; n < g->n; n++)
      if (!hki_graph_is(g, n, HK_G_LOAD)) value[n] = hki_graph_value(g, n, value);
    for (int i = 0; i < t.nfailures; i++)
      if (value[failures[i].condition] != 0.0) bits |= 1u << k;
  }
  return bits;
}

START_TEST(same_failures) {
  const uint32_t first = g->n, sets = test_short() ? 300 : 6000;
  uint32_t seed = 7, shortened = 0;
  for (uint32_t k = 0; k < sets; k++) {
    hki_graph_rewind(g, first, 1);
    t.nfailures = 0;
    hk_node was[MOST];
    for (uint32_t i = 2 + random_below(&seed, 5); i > 0; i--) fails_if(product(&seed));
    for (int i = 0; i < t.nfailures; i++) was[i] = failures[i].condition;
    const uint32_t before = fails_for();
    shorten();
    ck_assert_msg(fails_for() == before, "set %u", k);
    for (int i = 0; i < t.nfailures; i++) shortened += failures[i].condition != was[i];
  }
  ck_assert_uint_gt(shortened, sets / 8);
}
END_TEST

Suite *suite_failures(void);
Suite *suite_failures(void) {
  Suite *s = suite_create("failures");
  TCase *tc = tcase_create("failures");
  tcase_add_checked_fixture(tc, begin, end);
  tcase_add_test(tc, plain_row);
  tcase_add_test(tc, plain_pairs);
  tcase_add_test(tc, longer_by_longer);
  tcase_add_test(tc, others_stay);
  tcase_add_test(tc, never_nothing);
  tcase_add_test(tc, within_an_iteration);
  tcase_add_test(tc, same_failures);
  suite_add_tcase(s, tc);
  return s;
}

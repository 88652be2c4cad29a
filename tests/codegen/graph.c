/* SPDX-License-Identifier: Apache-2.0
 *
 * graph.c: values that are equal but for a sign are computed once, where that is asked for; sines do not count turns, or do; what can be -0.
 */
#include <check.h>

#include "../runner.h"
#include "codegen/graph.h"

static hk_ctx *ctx;
static hk_graph g;
static hk_node a, b, c;

static void begin(void) {
  ctx = hk_ctx_create();
  ck_assert_int_eq(hki_graph_create(ctx, &g), HK_OK);
  a = hki_graph_load(&g, 0), b = hki_graph_load(&g, 8), c = hki_graph_load(&g, 16);
}

static void end(void) {
  hki_graph_destroy(&g);
  hk_ctx_destroy(ctx);
}

static hk_node op(hk_op what, hk_node x, hk_node y) { return hki_graph_op(&g, what, x, y, 0); }
static hk_node neg(hk_node x) { return op(HK_G_NEG, x, 0); }
static hk_node sub(hk_node x, hk_node y) { return op(HK_G_SUB, x, y); }

START_TEST(once_with_signs) {
  g.signs = true;
  const hk_node d = sub(a, b), e = sub(b, a);
  ck_assert(hki_graph_is(&g, e, HK_G_NEG) && g.nodes[e].a[0] == d);
  ck_assert_uint_eq(neg(e), d);
  ck_assert_uint_eq(neg(d), e);
  // products, quotients and sums take no notice
  const uint32_t before = g.n;
  const hk_node p = op(HK_G_MUL, d, c), q = op(HK_G_DIV, d, c), s = op(HK_G_ADD, d, d);
  ck_assert_uint_eq(g.n, before + 3);
  ck_assert_uint_eq(op(HK_G_MUL, c, e), neg(p));
  ck_assert_uint_eq(op(HK_G_DIV, e, c), neg(q));
  ck_assert_uint_eq(op(HK_G_MUL, e, e), op(HK_G_MUL, d, d));
  ck_assert_uint_eq(op(HK_G_ADD, e, e), neg(s));
  ck_assert_uint_eq(sub(c, e), op(HK_G_ADD, c, d));
  ck_assert_uint_eq(op(HK_G_ADD, e, c), sub(c, d));
  ck_assert_uint_eq(sub(e, c), neg(op(HK_G_ADD, c, d)));
  ck_assert_uint_eq(op(HK_G_ABS, e, 0), op(HK_G_ABS, d, 0));
  const hk_node t = op(HK_G_LT, a, c), k = hki_graph_op(&g, HK_G_SELECT, t, d, p);
  ck_assert_uint_eq(hki_graph_op(&g, HK_G_SELECT, t, e, neg(p)), neg(k));
}
END_TEST

START_TEST(in_its_own_way) {
  // a difference of a way that need not have been taken is not there for others
  g.signs = true;
  hki_graph_enter(&g, op(HK_G_LT, a, c), true);
  const hk_node d = sub(a, b);
  ck_assert_uint_eq(sub(b, a), neg(d));
  g.region = 0;
  ck_assert(hki_graph_is(&g, sub(b, a), HK_G_SUB));
}
END_TEST

START_TEST(apart) {
  const hk_node d = sub(a, b), e = sub(b, a);
  ck_assert(hki_graph_is(&g, d, HK_G_SUB) && hki_graph_is(&g, e, HK_G_SUB) && d != e);
  ck_assert_uint_eq(neg(d), e);
}
END_TEST

/* angle + 2 pi nearest(c), as a joint counts its turns */
static hk_node with_turns(hk_node angle, double turn) {
  const hk_node n = op(HK_G_NEAREST, c, 0);
  return op(HK_G_ADD, angle, op(HK_G_MUL, hki_graph_const(&g, turn), n));
}

START_TEST(sines_without_turns) {
  const double pi = 3.14159265358979323846;
  const hk_node counted = with_turns(a, 2.0 * pi);
  const hk_node turns = op(HK_G_MUL, op(HK_G_NEAREST, c, 0), hki_graph_const(&g, 2.0 * pi));
  for (int what = HK_G_SIN; what <= HK_G_COS; what += HK_G_COS - HK_G_SIN) {
    const hk_node plain = op((hk_op)what, a, 0);
    ck_assert_uint_eq(op((hk_op)what, counted, 0), plain);
    ck_assert_uint_eq(op((hk_op)what, op(HK_G_ADD, turns, a), 0), plain);
    ck_assert_uint_eq(op((hk_op)what, sub(a, turns), 0), plain);
    // other angles are others: half turns, numbers that are not whole, turns less an angle
    ck_assert_uint_ne(op((hk_op)what, with_turns(a, pi), 0), plain);
    const hk_node part = op(HK_G_MUL, c, hki_graph_const(&g, 2.0 * pi));
    ck_assert_uint_ne(op((hk_op)what, op(HK_G_ADD, a, part), 0), plain);
    ck_assert_uint_ne(op((hk_op)what, sub(turns, a), 0), plain);
  }
  // the angle itself keeps its turns
  ck_assert(counted != a && hki_graph_is(&g, counted, HK_G_ADD));
  ck_assert(g.unturned);
}
END_TEST

START_TEST(sines_with_turns) {
  g.turns = true;
  const hk_node counted = with_turns(a, 6.283185307179586476925), s = op(HK_G_SIN, counted, 0);
  ck_assert_uint_eq(g.nodes[s].a[0], counted);
  ck_assert_uint_ne(s, op(HK_G_SIN, a, 0));
  ck_assert(!g.unturned);
}
END_TEST

START_TEST(zeros_with_signs) {
  const hk_node p = op(HK_G_MUL, a, b);
  // -0 is none of these: what a step begins with, its sum with anything, it less anything, sizes
  const hk_node none[] = {a, op(HK_G_ADD, p, a), sub(a, p), op(HK_G_ABS, p, 0), op(HK_G_COS, p, 0)};
  for (int i = 0; i < 5; i++) ck_assert(!hki_graph_may_be_minus(&g, none[i]));
  const hk_node some[] = {p, sub(p, a), neg(a), op(HK_G_ADD, p, op(HK_G_MUL, b, c))};
  for (int i = 0; i < 4; i++) ck_assert(hki_graph_may_be_minus(&g, some[i]));
  g.part = 1; // what an iteration has is any number
  ck_assert(hki_graph_may_be_minus(&g, hki_graph_load(&g, 24)));
  ck_assert(hki_graph_may_be_minus(&g, hki_graph_const(&g, -0.0)));
  ck_assert(!hki_graph_may_be_minus(&g, hki_graph_const(&g, 0.0)));
  ck_assert(!hki_graph_may_be_minus(&g, op(HK_G_LT, a, b)));
}
END_TEST

Suite *suite_graph(void);
Suite *suite_graph(void) {
  Suite *s = suite_create("graph");
  TCase *t = tcase_create("graph");
  tcase_add_checked_fixture(t, begin, end);
  tcase_add_test(t, once_with_signs);
  tcase_add_test(t, in_its_own_way);
  tcase_add_test(t, apart);
  tcase_add_test(t, sines_without_turns);
  tcase_add_test(t, sines_with_turns);
  tcase_add_test(t, zeros_with_signs);
  suite_add_tcase(s, t);
  return s;
}

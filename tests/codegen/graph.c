/* SPDX-License-Identifier: Apache-2.0
 *
 * graph.c: values that are equal but for a sign are computed once, where that is asked for; sines do not count turns, or do; what can be -0;
 * truths, larger ones of two numbers and sums that are known without being computed, and what is like them but is not.
 */
#include <check.h>

#include "../runner.h"
#include "codegen/graph.h"
#include "codegen/values.h"

static hk_ctx *ctx;
static hk_graph g;
static hk_node a, b, c, z;

static void begin(void) {
  ctx = hk_ctx_create();
  ck_assert_int_eq(hki_graph_create(ctx, &g), HK_OK);
  a = hki_graph_load(&g, 0), b = hki_graph_load(&g, 8), c = hki_graph_load(&g, 16),
  z = hki_graph_load(&g, 24);
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
  ck_assert(hki_graph_may_be_minus(&g, hki_graph_load(&g, 40)));
  ck_assert(hki_graph_may_be_minus(&g, hki_graph_const(&g, -0.0)));
  ck_assert(!hki_graph_may_be_minus(&g, hki_graph_const(&g, 0.0)));
  ck_assert(!hki_graph_may_be_minus(&g, op(HK_G_LT, a, b)));
}
END_TEST

/* --- truths ----------------------------------------------------------------------------------- */

static hk_node truth(hk_node x) { return op(HK_G_LT, x, hki_graph_const(&g, 0.0)); }
static hk_node no(hk_node x) { return op(HK_G_NOT, x, 0); }
static hk_node and (hk_node x, hk_node y) { return op(HK_G_AND, x, y); }
static hk_node or (hk_node x, hk_node y) { return op(HK_G_OR, x, y); }

START_TEST(truths_beside_others) {
  const hk_node x = truth(a), y = truth(b), w = truth(c);
  const hk_node both = and(x, y), either = or (x, y);
  // x or (x and y), x or (not x and y), from both sides, and with `and` and `or` exchanged
  ck_assert_uint_eq(or (x, both), x);
  ck_assert_uint_eq(or (both, y), y);
  ck_assert_uint_eq(and(x, either), x);
  ck_assert_uint_eq(and(either, y), y);
  ck_assert_uint_eq(or (x, and(no(x), y)), either);
  ck_assert_uint_eq(or (and(x, no(y)), y), either);
  ck_assert_uint_eq(or (no(x), both), or (no(x), y));
  ck_assert_uint_eq(and(x, or (no(x), y)), both);
  ck_assert_uint_eq(and(or (x, no(y)), y), both);
  ck_assert_uint_eq(and(no(x), either), and(no(x), y));
  // the opposite of all of the other one
  ck_assert_uint_eq(or (no(both), and(both, w)), or (no(both), w));
  // two that are not so
  ck_assert_uint_eq(and(no(x), no(y)), no(either));
  ck_assert_uint_eq(or (no(x), no(y)), no(both));
}
END_TEST

/* is n this operation on these two? */
static bool is_made_of(hk_node n, hk_op what, hk_node x, hk_node y) {
  const hk_graph_node *m = &g.nodes[n];
  return m->op == what && ((m->a[0] == x && m->a[1] == y) || (m->a[0] == y && m->a[1] == x));
}

START_TEST(truths_apart) {
  const hk_node x = truth(a), y = truth(b), w = truth(c);
  const hk_node both = and(y, w), either = or (y, w), all = and(x, y), any = or (x, y);
  ck_assert(is_made_of(or (x, both), HK_G_OR, x, both));
  ck_assert(is_made_of(and(x, either), HK_G_AND, x, either));
  ck_assert(is_made_of(or (no(x), both), HK_G_OR, no(x), both));
  ck_assert(is_made_of(and(no(x), either), HK_G_AND, no(x), either));
  // truths of the same kind do not absorb each other's parts here
  ck_assert(is_made_of(and(x, and(no(x), y)), HK_G_AND, x, and(no(x), y)));
  ck_assert(is_made_of(or (x, or (no(x), y)), HK_G_OR, x, or (no(x), y)));
  ck_assert(is_made_of(and(x, all), HK_G_AND, x, all));
  ck_assert(is_made_of(or (x, any), HK_G_OR, x, any));
  // one of two is not so
  ck_assert(is_made_of(or (x, no(y)), HK_G_OR, x, no(y)));
  ck_assert(is_made_of(and(no(x), y), HK_G_AND, no(x), y));
}
END_TEST

enum { TRUTHS = 4, POOL = 120 };

/* numbers that repeat */
static uint32_t next_random(uint32_t *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return *seed >> 8;
}

/* values of all nodes; those of loads are there */
static void compute(double *value) {
  for (hk_node n = 1; n < g.n; n++)
    if (!hki_graph_is(&g, n, HK_G_LOAD)) value[n] = hki_graph_value(&g, n, value);
}

/* expressions of four truths, each with all its values: bit k is that of the k-th assignment */
static void grow_truths(uint32_t seed, hk_node *node, uint16_t *bits) {
  const uint16_t of[TRUTHS] = {0xaaaa, 0xcccc, 0xf0f0, 0xff00};
  const hk_node loads[TRUTHS] = {a, b, c, z};
  for (int i = 0; i < TRUTHS; i++) node[i] = truth(loads[i]), bits[i] = of[i];
  for (int i = TRUTHS; i < POOL; i++) {
    const uint32_t what = next_random(&seed) % 5, late = next_random(&seed) % 2 && i > 12;
    const uint32_t k = late ? (uint32_t)i - 1 - next_random(&seed) % 8
                            : next_random(&seed) % (uint32_t)i,
                   l = next_random(&seed) % (uint32_t)i;
    node[i] = what == 0 ? no(node[k]) : what < 3 ? and(node[k], node[l]) : or (node[k], node[l]);
    bits[i] = (uint16_t)(what == 0 ? ~bits[k] : what < 3 ? bits[k] & bits[l] : bits[k] | bits[l]);
  }
}

START_TEST(truths_are_what_they_are) {
  hk_node node[POOL];
  uint16_t bits[POOL];
  static double value[4 * POOL];
  const hk_node loads[TRUTHS] = {a, b, c, z};
  const uint32_t graphs = test_short() ? 20 : 400, first = g.n;
  for (uint32_t seed = 1; seed <= graphs; seed++) {
    hki_graph_rewind(&g, first, 1);
    grow_truths(seed, node, bits);
    ck_assert_uint_lt(g.n, 4 * POOL);
    for (int k = 0; k < 16; k++) {
      for (int i = 0; i < TRUTHS; i++) value[loads[i]] = k >> i & 1 ? -1.0 : 1.0;
      compute(value);
      for (int i = 0; i < POOL; i++)
        ck_assert_msg((value[node[i]] != 0.0) == (bits[i] >> k & 1), "seed %u, expression %d, %d",
                      seed, i, k);
    }
  }
}
END_TEST

/* --- the larger one of two numbers -------------------------------------------------------------- */

static hk_node choose(hk_node t, hk_node x, hk_node y) {
  return hki_graph_op(&g, HK_G_SELECT, t, x, y);
}
static hk_node max(hk_node x, hk_node y) { return choose(op(HK_G_LT, x, y), y, x); }
static hk_node size(hk_node x) { return op(HK_G_ABS, x, 0); }
static hk_node times(double x, hk_node y) { return op(HK_G_MUL, hki_graph_const(&g, x), y); }

START_TEST(larger_ones) {
  const hk_node zero = hki_graph_const(&g, 0.0), m = max(a, b), n = max(m, c), last = max(n, z);
  const hk_node all[] = {m, n, last};
  for (int i = 0; i < 3; i++) {
    ck_assert_uint_eq(max(all[i], a), all[i]);
    ck_assert_uint_eq(max(a, all[i]), all[i]);
    ck_assert_uint_eq(max(all[i], b), all[i]);
  }
  ck_assert_uint_eq(max(n, c), n);
  ck_assert_uint_eq(max(z, last), last);
  ck_assert_uint_eq(max(last, last), last);
  // amounts, and nothing
  const hk_node amounts[] = {size(a), op(HK_G_SQRT, a, 0), times(2.0, size(b)),
                             op(HK_G_ADD, size(a), size(b)), op(HK_G_MUL, size(a), size(c))};
  for (int i = 0; i < 5; i++) {
    ck_assert_uint_eq(max(zero, amounts[i]), amounts[i]);
    ck_assert_uint_eq(max(amounts[i], zero), amounts[i]);
  }
}
END_TEST

/* is it a selection of these? */
static void ck_selects(hk_node n, hk_node t, hk_node x, hk_node y) {
  const hk_graph_node *s = &g.nodes[n];
  ck_assert(s->op == HK_G_SELECT && s->a[0] == t && s->a[1] == x && s->a[2] == y);
}

START_TEST(others_than_larger_ones) {
  const hk_node zero = hki_graph_const(&g, 0.0), one = hki_graph_const(&g, 1.0), m = max(a, b);
  // the smaller one of both
  const hk_node less = op(HK_G_LT, m, a), more = op(HK_G_LT, a, m), below = op(HK_G_LT, m, c);
  ck_selects(choose(less, m, a), less, m, a);
  ck_selects(choose(more, a, m), more, a, m);
  const hk_node nothing = op(HK_G_LT, zero, size(a));
  ck_selects(choose(nothing, zero, size(a)), nothing, zero, size(a));
  // a comparison of others, or of one of them alone
  ck_selects(choose(below, a, m), below, a, m);
  ck_selects(choose(less, a, c), less, a, c);
  ck_selects(choose(less, b, m), less, b, m);
  const hk_node other = op(HK_G_LT, zero, size(b));
  ck_selects(choose(other, size(a), zero), other, size(a), zero);
  // larger ones of others; the smaller one of two and one of them; another comparison inside
  ck_assert(hki_graph_is(&g, max(m, c), HK_G_SELECT));
  const hk_node min = choose(op(HK_G_LT, a, b), a, b), mixed = choose(op(HK_G_LT, a, c), b, a);
  ck_selects(max(min, a), op(HK_G_LT, min, a), a, min);
  ck_selects(max(mixed, a), op(HK_G_LT, mixed, a), a, mixed);
  ck_selects(max(mixed, b), op(HK_G_LT, mixed, b), b, mixed);
  // what can be below 0, and numbers above it
  const hk_node some[] = {a, times(-2.0, size(a)), op(HK_G_ADD, size(a), b),
                          op(HK_G_MUL, a, size(b)), op(HK_G_SUB, size(a), size(b))};
  for (int i = 0; i < 5; i++)
    ck_selects(max(zero, some[i]), op(HK_G_LT, zero, some[i]), some[i], zero);
  ck_selects(max(one, size(a)), op(HK_G_LT, one, size(a)), size(a), one);
}
END_TEST

/* --- sums ------------------------------------------------------------------------------------- */

START_TEST(sums_that_are_nothing) {
  g.signs = true;
  const hk_node zero = hki_graph_const(&g, 0.0), three = hki_graph_const(&g, 3.0);
  const hk_node x = hki_graph_load(&g, 32); // numbers may stand on either side of it
  for (int i = 0; i < 2; i++) {
    const hk_node of = i ? a : x, p = op(HK_G_MUL, three, of), n = times(-3.0, of);
    ck_assert_uint_eq(op(HK_G_ADD, p, n), zero);
    ck_assert_uint_eq(op(HK_G_ADD, n, p), zero);
    // other numbers, something else, a difference, twice the same
    ck_assert(is_made_of(op(HK_G_ADD, p, times(-2.0, of)), HK_G_ADD, p, times(-2.0, of)));
    ck_assert(is_made_of(op(HK_G_ADD, p, times(-3.0, b)), HK_G_ADD, p, times(-3.0, b)));
    ck_assert(is_made_of(op(HK_G_ADD, p, p), HK_G_ADD, p, p));
    ck_assert(hki_graph_is(&g, sub(p, n), HK_G_SUB));
    ck_assert(hki_graph_is(&g, op(HK_G_ADD, p, op(HK_G_MUL, b, of)), HK_G_ADD));
  }
  g.signs = false;
  ck_assert(hki_graph_is(&g, op(HK_G_ADD, times(5.0, a), times(-5.0, a)), HK_G_ADD));
}
END_TEST

START_TEST(halves) {
  g.signs = true;
  const hk_node half = hki_graph_const(&g, 0.5), twice = op(HK_G_ADD, a, a);
  ck_assert_uint_eq(op(HK_G_MUL, half, twice), a);
  ck_assert_uint_eq(op(HK_G_MUL, twice, half), a);
  ck_assert_uint_eq(op(HK_G_MUL, half, size(twice)), size(a));
  ck_assert_uint_eq(op(HK_G_MUL, op(HK_G_ABS, twice, 0), half), size(a));
  // another number, another sum, another function, a quotient
  ck_assert(hki_graph_is(&g, times(0.25, twice), HK_G_MUL));
  ck_assert(hki_graph_is(&g, times(0.5, op(HK_G_ADD, a, b)), HK_G_MUL));
  ck_assert(hki_graph_is(&g, times(0.5, size(op(HK_G_ADD, a, b))), HK_G_MUL));
  ck_assert(hki_graph_is(&g, times(0.5, op(HK_G_SQRT, twice, 0)), HK_G_MUL));
  ck_assert(hki_graph_is(&g, times(0.5, op(HK_G_MUL, a, a)), HK_G_MUL));
  ck_assert(hki_graph_is(&g, op(HK_G_DIV, half, twice), HK_G_DIV));
  g.signs = false;
  ck_assert(is_made_of(op(HK_G_MUL, half, twice), HK_G_MUL, half, twice));
}
END_TEST

/* An expression of whole numbers and halves: exact. */
static hk_node grow(uint32_t *seed, const hk_node *x, const double *of, int n, double *value) {
  const double numbers[] = {0.0, 0.5, -0.5, 2.0, -2.0};
  const uint32_t k = next_random(seed) % (uint32_t)n, l = next_random(seed) % (uint32_t)n;
  const double p = of[k], q = of[l], by = numbers[next_random(seed) % 5];
  switch (next_random(seed) % 6) {
    case 0:
      return *value = p < q ? q : p, max(x[k], x[l]);
    case 1:
      return *value = p < q ? p : q, choose(op(HK_G_LT, x[k], x[l]), x[k], x[l]);
    case 2:
      return *value = p < 0.0 ? -p : p, size(x[k]);
    case 3:
      return *value = by * p, times(by, x[k]);
    case 4:
      return *value = p < by ? by : p, max(x[k], hki_graph_const(&g, by));
    default:
      return *value = p + q, op(HK_G_ADD, x[k], x[l]);
  }
}

START_TEST(numbers_are_what_they_are) {
  enum { LONG = 60 };
  hk_node node[LONG] = {a, b, c, z};
  double direct[LONG];
  static double value[8 * LONG];
  const uint32_t first = g.n, graphs = test_short() ? 100 : 4000;
  for (uint32_t seed = 1; seed <= graphs; seed++) {
    uint32_t random = seed;
    hki_graph_rewind(&g, first, 1);
    g.signs = seed % 2;
    for (int i = 0; i < TRUTHS; i++)
      value[node[i]] = direct[i] = (double)(next_random(&random) % 7) - 3.0;
    for (int i = TRUTHS; i < LONG; i++)
      node[i] = grow(&random, node, direct, i < 30 ? i : 30, &direct[i]);
    ck_assert_uint_lt(g.n, 8 * LONG);
    compute(value);
    for (int i = 0; i < LONG; i++)
      ck_assert_msg(value[node[i]] == direct[i], "seed %u, expression %d: %g for %g", seed, i,
                    value[node[i]], direct[i]);
  }
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
  tcase_add_test(t, truths_beside_others);
  tcase_add_test(t, truths_apart);
  tcase_add_test(t, truths_are_what_they_are);
  tcase_add_test(t, larger_ones);
  tcase_add_test(t, others_than_larger_ones);
  tcase_add_test(t, sums_that_are_nothing);
  tcase_add_test(t, halves);
  tcase_add_test(t, numbers_are_what_they_are);
  suite_add_tcase(s, t);
  return s;
}

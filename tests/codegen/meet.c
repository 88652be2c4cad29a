/* SPDX-License-Identifier: Apache-2.0
 *
 * meet.c: which selections are written by the ways of their values, in graphs made by hand.
 *
 *   if (!c) b = x y;   s = c ? a : b
 */
#include <check.h>
#include <string.h>

#include "../runner.h"
#include "codegen/meet.h"

enum { ALL = 64 };

/* a step whose operations are those of g, in the order in which they were made */
typedef struct step {
  hk_followed t;
  hk_plan p;
  hk_graph *g;
  hk_node x, y, c;
  uint8_t needed[ALL], kept[ALL], inlined[ALL];
  uint32_t region[ALL], effective[ALL], order[ALL], pack_of[ALL];
  hk_node pair[ALL];
} step;

static void begin(step *s) {
  memset(s, 0, sizeof *s);
  s->t.ctx = hk_ctx_create(), s->t.pool = hki_pool_create(s->t.ctx), s->g = &s->t.g;
  ck_assert_int_eq(hki_graph_create(s->t.ctx, s->g), HK_OK);
  s->x = hki_graph_load(s->g, 0), s->y = hki_graph_load(s->g, 8);
  s->c = hki_graph_op(s->g, HK_G_LT, s->x, s->y, 0);
}

static void end(step *s) {
  hki_graph_destroy(s->g);
  hki_pool_destroy(s->t.pool);
  hk_ctx_destroy(s->t.ctx);
}

static hk_node op(step *s, hk_op what, hk_node a, hk_node b) {
  return hki_graph_op(s->g, what, a, b, 0);
}

static hk_node select(step *s, hk_node c, hk_node a, hk_node b) {
  return hki_graph_op(s->g, HK_G_SELECT, c, a, b);
}

/* what has been made until now, as a plan */
static const hk_meets *find(step *s) {
  hk_plan *p = &s->p;
  *p = (hk_plan){.t = &s->t,
                 .needed = s->needed,
                 .kept = s->kept,
                 .inlined = s->inlined,
                 .region = s->region,
                 .effective = s->effective,
                 .order = s->order,
                 .pack_of = s->pack_of,
                 .pair = s->pair};
  ck_assert_uint_lt(s->g->n, ALL);
  for (hk_node n = 1; n < s->g->n; n++) {
    const int kind = s->g->nodes[n].op;
    s->needed[n] = 1, s->region[n] = s->g->nodes[n].region;
    s->inlined[n] = kind == HK_G_LOAD || kind == HK_G_CONST;
    s->order[p->norder++] = n;
  }
  for (uint32_t r = 0; r < s->g->nregions; r++) s->effective[r] = r;
  const hk_meets *m = hki_meets_find(p);
  ck_assert_ptr_nonnull(m);
  return m;
}

START_TEST(one_variable) {
  step s;
  begin(&s);
  const hk_node a = op(&s, HK_G_ADD, s.x, s.y);
  hki_graph_enter(s.g, s.c, true);
  const uint32_t r = s.g->region;
  const hk_node b = op(&s, HK_G_MUL, s.x, s.y), inside = op(&s, HK_G_ADD, b, s.x);
  s.g->region = 0;
  const hk_node t = select(&s, s.c, a, b), u = select(&s, s.c, s.x, inside);
  const hk_meets *m = find(&s);
  ck_assert_uint_eq(m->way[t], b);
  ck_assert_uint_eq(m->name[b], t);
  ck_assert_uint_eq(hki_meets_other(&s.p, m, t), a);
  // uses inside of the way are no hindrance; a number of the state is there before it
  ck_assert_uint_eq(m->way[u], inside);
  ck_assert_uint_eq(hki_meets_other(&s.p, m, u), s.x);
  ck_assert_uint_eq(m->first[r], t);
  ck_assert_uint_eq(m->next[t], u);
  ck_assert_uint_eq(m->name[a], a);
  end(&s);
}
END_TEST

START_TEST(conditions) {
  // a way that is entered where something is true, by what is not so, and the wrong way round
  step s;
  begin(&s);
  const hk_node a = op(&s, HK_G_ADD, s.x, s.y), not = op(&s, HK_G_NOT, s.c, 0);
  hki_graph_enter(s.g, s.c, false);
  const hk_node b = op(&s, HK_G_MUL, s.x, s.y), d = op(&s, HK_G_SUB, s.x, s.y),
                e = op(&s, HK_G_MUL, s.x, s.x);
  s.g->region = 0;
  hki_graph_enter(s.g, not, true); // entered where c is true
  const hk_node f = op(&s, HK_G_SUB, s.y, s.x), h = op(&s, HK_G_MUL, s.y, s.y);
  s.g->region = 0;
  const hk_node opposite = select(&s, s.c, f, a), neither = select(&s, s.c, a, h);
  const hk_node when = select(&s, s.c, b, a), unless = hki_graph_op(s.g, HK_G_SELECT, not, a, d),
                never = select(&s, s.c, a, e);
  const hk_meets *m = find(&s);
  ck_assert_uint_eq(m->way[when], b);
  ck_assert_uint_eq(hki_meets_other(&s.p, m, when), a);
  ck_assert_uint_eq(m->name[d], unless);
  ck_assert_uint_eq(m->way[opposite], f);
  ck_assert_uint_eq(m->way[neither], 0);
  ck_assert_uint_eq(m->way[never], 0);
  ck_assert_uint_eq(m->name[e], e);
  end(&s);
}
END_TEST

START_TEST(ways_within_ways) {
  step s;
  begin(&s);
  const hk_node a = op(&s, HK_G_ADD, s.x, s.y), k = op(&s, HK_G_LT, a, s.x);
  hki_graph_enter(s.g, s.c, true);
  const uint32_t outer = s.g->region;
  const hk_node d = op(&s, HK_G_SUB, s.x, s.y);
  hki_graph_enter(s.g, k, true);
  const hk_node b = op(&s, HK_G_MUL, s.x, d);
  s.g->region = outer;
  const hk_node inner = select(&s, k, d, b);
  s.g->region = 0;
  const hk_node t = select(&s, s.c, a, inner);
  const hk_meets *m = find(&s);
  ck_assert_uint_eq(m->way[inner], b);
  ck_assert_uint_eq(m->way[t], inner);
  ck_assert_uint_eq(m->name[inner], t);
  ck_assert_uint_eq(m->name[b], t);
  end(&s);
}
END_TEST

START_TEST(variables_of_their_own) {
  for (int what = 0; what < 4; what++) {
    step s;
    begin(&s);
    hk_node a = op(&s, HK_G_ADD, s.x, s.y);
    hki_graph_enter(s.g, s.c, true);
    const hk_node b = op(&s, HK_G_MUL, s.x, s.y);
    s.g->region = 0;
    if (what == 0) a = op(&s, HK_G_MUL, s.x, s.x); // known too late
    const hk_node t = select(&s, s.c, a, b);
    hk_node other = 0;
    if (what == 1) op(&s, HK_G_ADD, b, s.y); // used behind its way too
    if (what == 2) other = select(&s, s.c, s.y, b);
    if (what == 3) s.kept[b] = 1; // part of the state
    const hk_meets *m = find(&s);
    ck_assert_uint_eq(m->way[t], 0);
    ck_assert_uint_eq(m->name[b], b);
    if (other) ck_assert_uint_eq(m->way[other], 0);
    for (uint32_t r = 0; r < s.g->nregions; r++) ck_assert_uint_eq(m->first[r], 0);
    end(&s);
  }
}
END_TEST

Suite *suite_meet(void);
Suite *suite_meet(void) {
  Suite *s = suite_create("meet");
  TCase *t = tcase_create("meet");
  tcase_add_test(t, one_variable);
  tcase_add_test(t, conditions);
  tcase_add_test(t, ways_within_ways);
  tcase_add_test(t, variables_of_their_own);
  suite_add_tcase(s, t);
  return s;
}

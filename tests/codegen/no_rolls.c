/* SPDX-License-Identifier: Apache-2.0
 *
 * no_rolls.c: passes that are none for a loop because of others, and failures of many and of later parts, in graphs made by hand.
 *
 *   u = f(p, ..), v = sqrt(u), c = v < x;   unless c: the same again with v for p
 */
#include <check.h>
#include <string.h>

#include "../runner.h"
#include "codegen/failures.h"
#include "codegen/rolls.h"

enum { ALL = 96, PASSES = 3 };

/* a step whose operations are those of g, in the order in which they were made */
typedef struct step {
  hk_followed t;
  hk_plan p;
  hk_graph *g;
  hk_node x, y, c, p0, q0;
  hk_node u[PASSES], n[PASSES], v[PASSES], again[PASSES]; /* of each pass */
  uint32_t way[PASSES];
  uint8_t needed[ALL], kept[ALL], inlined[ALL];
  uint32_t region[ALL], effective[ALL], order[ALL], pack_of[ALL];
  hk_node pair[ALL];
} step;

static hk_node op(step *s, hk_op what, hk_node a, hk_node b) {
  return hki_graph_op(s->g, what, a, b, 0);
}

static void begin(step *s) {
  memset(s, 0, sizeof *s);
  s->t.ctx = hk_ctx_create(), s->t.pool = hki_pool_create(s->t.ctx), s->g = &s->t.g;
  ck_assert_int_eq(hki_graph_create(s->t.ctx, s->g), HK_OK);
  s->t.showing = 1;
  s->x = hki_graph_load(s->g, 0), s->y = hki_graph_load(s->g, 8);
  s->p0 = op(s, HK_G_ADD, s->x, s->y), s->q0 = op(s, HK_G_SUB, s->x, s->y);
  s->c = op(s, HK_G_LT, s->p0, s->q0);
}

static void end(step *s) {
  hki_graph_destroy(s->g);
  hki_pool_destroy(s->t.pool);
  hki_free(s->t.ctx, s->t.failures);
  hk_ctx_destroy(s->t.ctx);
}

/* p and q: what the first pass takes, which of the others is the v before. rate: whether there is another pass is asked of two. */
static void put_passes(step *s, hk_node p, hk_node q, bool rate) {
  hk_node c = s->c, was = s->q0;
  s->g->place = 7;
  for (int k = 0; k < PASSES; k++) {
    hki_graph_enter(s->g, c, true);
    s->way[k] = s->g->region;
    s->u[k] = op(s, HK_G_MUL, k ? s->v[k - 1] : p, k ? s->v[k - 1] : q);
    s->v[k] = op(s, HK_G_SQRT, s->u[k], 0);
    if (k + 1 == PASSES) break;
    s->n[k] = rate ? op(s, HK_G_FLOOR, s->v[k], 0) : s->v[k];
    c = s->again[k] = op(s, HK_G_LT, s->n[k], rate ? was : s->x);
    was = s->n[k];
  }
}

/* v of the last pass that was taken */
static hk_node behind(step *s, hk_node without) {
  hk_node value = s->v[PASSES - 1];
  for (int k = PASSES - 1; k >= 0; k--) {
    s->g->region = k ? s->way[k - 1] : 0;
    value = hki_graph_op(s->g, HK_G_SELECT, k ? s->again[k - 1] : s->c, k ? s->v[k - 1] : without,
                         value);
  }
  return value;
}

static const hk_rolls *find(step *s) {
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
    s->inlined[n] |= kind == HK_G_LOAD || kind == HK_G_CONST;
    s->order[p->norder++] = n;
  }
  for (uint32_t r = 0; r < s->g->nregions; r++) s->effective[r] = r;
  const hk_meets *m = hki_meets_find(p);
  const hk_rolls *l = m ? hki_rolls_find(p, m) : NULL;
  ck_assert_ptr_nonnull(l);
  return l;
}

START_TEST(a_loop) {
  step s;
  begin(&s);
  put_passes(&s, s.p0, s.p0, false);
  const hk_node last = behind(&s, s.p0);
  const hk_rolls *l = find(&s);
  ck_assert_int_eq(l->n, 1);
  const hk_roll *r = &l->rolls[0];
  ck_assert_uint_eq(r->passes, PASSES);
  ck_assert_int_eq(r->nvalues, 2);
  ck_assert_uint_eq(r->values[0].before, s.c);
  ck_assert_uint_eq(r->values[0].second, s.again[1]);
  ck_assert_uint_eq(r->values[1].before, s.p0);
  ck_assert_uint_eq(r->values[1].first, s.v[0]);
  ck_assert_int_eq(r->nmeets, 1);
  ck_assert_uint_eq(r->meets[0].before, last);
  ck_assert_uint_eq(r->meets[0].second, s.v[1]);
  end(&s);
}
END_TEST

START_TEST(two_that_become_one) {
  // p0 q0 and then v v: no variable is both p0 and q0
  step s;
  begin(&s);
  put_passes(&s, s.p0, s.q0, false);
  behind(&s, s.p0);
  ck_assert_int_eq(find(&s)->n, 0);
  end(&s);
}
END_TEST

START_TEST(in_place) {
  // what the next pass asks for is written in place where the last one asks for it no more
  for (int inlined = 0; inlined < 2; inlined++) {
    step s;
    begin(&s);
    put_passes(&s, s.p0, s.p0, true);
    behind(&s, s.p0);
    s.inlined[s.n[1]] = (uint8_t)inlined;
    ck_assert_int_eq(find(&s)->n, !inlined);
    end(&s);
  }
}
END_TEST

START_TEST(others) {
  for (int what = 0; what < 5; what++) {
    step s;
    begin(&s);
    put_passes(&s, s.p0, s.p0, false);
    behind(&s, s.p0);
    const bool way = what == 2 || what == 3;
    if (way) {
      // a way behind them, where the first pass is not taken: the other one of two values is of that pass
      s.g->place = 9;
      hki_graph_enter(s.g, s.c, false);
      const hk_node b = op(&s, HK_G_DIV, s.x, s.y);
      s.g->region = 0;
      hki_graph_op(s.g, HK_G_SELECT, s.c, b, what == 2 ? s.u[0] : s.q0);
    }
    if (what == 1) op(&s, HK_G_ADD, s.u[0], s.y); // a sum behind them
    if (what == 4) {
      // a way that is entered by a truth of a pass
      s.g->place = 9;
      hki_graph_enter(s.g, s.again[0], false);
      op(&s, HK_G_DIV, s.x, s.y);
    }
    ck_assert_int_eq(find(&s)->n, what == 0 || what == 3);
    end(&s);
  }
}
END_TEST

static void put_failure(step *s, int32_t i, hk_node condition, uint8_t part) {
  s->t.failures[i].condition = condition, s->t.failures[i].part = part;
  if (s->t.nfailures <= i) s->t.nfailures = i + 1;
}

START_TEST(failures_in_time) {
  // what is left of a condition is not one of a later part
  step s;
  begin(&s);
  s.t.failures = hki_alloc(s.t.ctx, 8 * sizeof *s.t.failures);
  const hk_node z = hki_graph_load(s.g, 16);
  const hk_node a = op(&s, HK_G_LT, s.x, z), b = op(&s, HK_G_LT, s.y, z), d = s.c;
  const hk_node without = op(&s, HK_G_NOT, a, 0);
  put_failure(&s, 0, without, 0);
  put_failure(&s, 1, op(&s, HK_G_AND, op(&s, HK_G_AND, a, b), d), 0);
  s.g->part = 2;
  const hk_node later = op(&s, HK_G_AND, b, d);
  put_failure(&s, 2, op(&s, HK_G_AND, later, op(&s, HK_G_LT, z, s.x)), 2);
  ck_assert_int_eq(hki_failures_shorten(&s.t), HK_OK);
  const hk_node left = s.t.failures[1].condition;
  ck_assert_int_eq(hki_graph_at(s.g, left)->op, HK_G_AND);
  ck_assert_int_eq(hki_graph_at(s.g, left)->part, 0);
  ck_assert_uint_ne(left, later);
  ck_assert_uint_eq(s.t.failures[0].condition, without);
  end(&s);
}
END_TEST

START_TEST(failures_of_many) {
  // truths that ask for each other twice are looked at once
  step s;
  begin(&s);
  s.t.failures = hki_alloc(s.t.ctx, 8 * sizeof *s.t.failures);
  hk_node any = s.c, all = op(&s, HK_G_NOT, s.c, 0);
  for (int k = 0; k < 60; k++) {
    const hk_node e = op(&s, HK_G_LT, s.x, hki_graph_load(s.g, 8 * (uint32_t)(3 + k)));
    const hk_node f = op(&s, HK_G_LT, s.y, hki_graph_load(s.g, 8 * (uint32_t)(63 + k)));
    any = op(&s, HK_G_OR, op(&s, HK_G_OR, any, e), op(&s, HK_G_OR, any, f));
    all = op(&s, HK_G_AND, op(&s, HK_G_AND, all, e), op(&s, HK_G_AND, all, f));
  }
  put_failure(&s, 0, any, 0);
  put_failure(&s, 1, all, 0);
  ck_assert_int_eq(hki_failures_shorten(&s.t), HK_OK);
  end(&s);
}
END_TEST

Suite *suite_no_rolls(void);
Suite *suite_no_rolls(void) {
  Suite *s = suite_create("no_rolls");
  TCase *t = tcase_create("no_rolls");
  tcase_add_test(t, a_loop);
  tcase_add_test(t, two_that_become_one);
  tcase_add_test(t, in_place);
  tcase_add_test(t, others);
  tcase_add_test(t, failures_in_time);
  tcase_add_test(t, failures_of_many);
  suite_add_tcase(s, t);
  return s;
}

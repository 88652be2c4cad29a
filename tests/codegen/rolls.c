/* SPDX-License-Identifier: Apache-2.0
 *
 * rolls.c: which ways within ways are passes of a loop, in steps made by hand, and what such a loop computes: the same as its passes.
 *
 *   h = y y + y;  v = x + y;
 *   if (!(x < y)) { v' = 0.5 (v + h / v); d = |v' - v|; if (!(d < 0.5 or v' < 0)) { .. } }
 *
 * Each step differs from this one, which is a loop, in one place.
 */
#include "codegen/rolls.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../runner.h"
#include "codegen/emit.h"
#include "codegen/order.h"
#include "codegen/values.h"

enum { MOST = 5, STATES = 4, X = 8, NODES = 200 };

/* what is different */
typedef enum change {
  NOTHING,
  ENTERED,    /* ways are entered where the opposite holds */
  IN_DEPTH,   /* the order of operations */
  ONCE,       /* passes compare a number with that of the pass before, which nothing else takes */
  TURNED,     /* the operands of a sum, which are in the order in which they were made */
  TO_THE_END, /* the last pass asks whether there is another one, too */
  OPERATION,  /* of the second pass */
  NUMBER,     /* which an operation of the second pass takes */
  SWAPPED,    /* operands of a quotient of the second pass */
  MORE,       /* an operation of the second pass that no other has */
  LESS,       /* one that the second pass does not have */
  FAILURE,    /* if a truth of the second pass holds */
  STATE,      /* that is a value of the second pass */
  OUTPUT,     /* that is one */
  OPERAND,    /* of an operation behind all passes */
  BRANCH,     /* elsewhere by a truth of the first pass */
  WITHIN,     /* another way inside of the second pass */
  AGO,        /* the third pass takes what was before the second one */
  ANOTHER,    /* it takes another number of the second one */
  OWN,        /* the second pass takes another number of itself */
  FIRST,      /* the first pass takes another number in one place, the second one not */
  SQUARE,     /* the first pass takes two numbers in one place, the second one the same twice */
  CONDITION,  /* of the third pass is another truth */
  MEETING,    /* a result of the second pass is another one */
  PLACE,      /* of the third branch in the kernel */
  CHANGES
} change;

typedef struct step {
  hk_followed t;
  hk_graph *g;
  hk_plan p;
  hk_trace_state state[STATES];
  struct hk_trace_failure failure;
  hk_slot output;
  change what;
  hk_node x, y, h, half, low, v[MOST + 1], d[MOST + 1], e[MOST + 1], c[MOST + 1], f[MOST + 1],
      r[MOST + 1];
  uint32_t way[MOST + 1];
  hk_node other;          /* for the third number of the state */
  uint32_t region[NODES]; /* before it was asked for loops */
  hk_node order[NODES];
  uint32_t norder;
  const hk_meets *meets;
  const hk_rolls *rolls;
} step;

static hk_node op(step *s, hk_op what, hk_node a, hk_node b) {
  return hki_graph_op(s->g, what, a, b, 0);
}

static hk_node number(step *s, double x) { return hki_graph_const(s->g, x); }

static void begin(step *s, change what) {
  memset(s, 0, sizeof *s);
  s->what = what, s->g = &s->t.g;
  s->t.ctx = hk_ctx_create(), s->t.pool = hki_pool_create(s->t.ctx);
  s->t.states = s->state, s->t.failures = &s->failure, s->t.outputs = &s->output;
  s->t.nstates = s->t.nq = STATES, s->t.q = X, s->t.showing = 2;
  ck_assert_int_eq(hki_graph_create(s->t.ctx, s->g), HK_OK);
  for (int i = 0; i < STATES; i++) {
    s->state[i].at = X + 8 * (uint32_t)i;
    s->state[i].load = hki_graph_load(s->g, s->state[i].at);
  }
  s->x = s->state[0].load, s->y = s->state[1].load, s->other = s->y;
  s->half = number(s, 0.5);
  s->v[0] = op(s, HK_G_ADD, s->x, s->y), s->c[0] = op(s, HK_G_LT, s->x, s->y);
  s->low = op(s, HK_G_LT, s->y, number(s, 3.0));
  s->d[0] = s->r[0] = s->y, s->f[0] = op(s, HK_G_MUL, s->v[0], s->v[0]);
}

static void end(step *s) {
  hki_graph_destroy(s->g);
  hki_pool_destroy(s->t.pool);
  hk_ctx_destroy(s->t.ctx);
}

/* --- passes ----------------------------------------------------------------------------------- */

/* do all passes have all operations? */
static bool is_whole(const step *s) { return s->what == TO_THE_END || s->what == CONDITION; }

/* the truth by which a pass is the last one */
static hk_node ends(const step *s, int k) {
  return s->what == CONDITION && k == 2 ? s->e[2] : s->c[k];
}

/* what all passes compute alike */
static hk_node make_h(step *s) { return op(s, HK_G_ADD, op(s, HK_G_MUL, s->y, s->y), s->y); }

static void enter(step *s, int k) {
  const hk_node c = ends(s, k - 1);
  s->g->place = s->what == PLACE && k == 3 ? 77 : 5;
  if (s->what == ENTERED)
    hki_graph_enter(s->g, op(s, HK_G_NOT, c, 0), false);
  else
    hki_graph_enter(s->g, c, true);
  s->way[k] = s->g->region;
  s->h = make_h(s);
}

/* v' = 0.5 (v + h / v); d = |v' - v| */
static void make_values(step *s, int k) {
  const bool second = k == 2;
  const hk_node v = s->what == AGO && k == 3 ? s->v[1] : s->v[k - 1];
  const hk_node by = s->what == FIRST && k == 1 ? s->x : s->what == ANOTHER && k == 3 ? s->d[2] : v;
  const hk_node h = s->what == SWAPPED && second ? v
                    : s->what == TURNED          ? op(s, HK_G_ADD, s->h, v)
                                                 : s->h,
                w = s->what == SWAPPED && second ? s->h : by;
  const hk_op sum = s->what == OPERATION && second ? HK_G_SUB : HK_G_ADD;
  const hk_node half = s->what == NUMBER && second ? number(s, 0.25) : s->half;
  s->v[k] = op(s, HK_G_MUL, half, op(s, sum, v, op(s, HK_G_DIV, h, w)));
  if (s->what == SQUARE) s->v[k] = op(s, HK_G_MUL, s->v[k - 1], k == 1 ? s->x : s->v[k - 1]);
  const hk_node less = op(s, HK_G_SUB, s->v[k], s->what == SQUARE ? s->y : s->v[k - 1]);
  s->d[k] = s->what == LESS && second ? less : op(s, HK_G_ABS, less, 0);
  if (s->what == MORE && second) s->d[k] = op(s, HK_G_SQRT, s->d[k], 0);
}

/* a result that takes the condition of the next pass, twice */
static hk_node both(step *s, int k) {
  const hk_node a = hki_graph_op(s->g, HK_G_SELECT, s->c[k], s->d[k], s->v[k]),
                b = hki_graph_op(s->g, HK_G_SELECT, s->c[k], s->v[k], s->h);
  return op(s, HK_G_ADD, a, b);
}

static void make_pass(step *s, int k, int passes) {
  enter(s, k);
  make_values(s, k);
  if (s->what == WITHIN && k == 2) {
    const uint32_t here = s->g->region;
    hki_graph_enter(s->g, s->low, false);
    s->other = op(s, HK_G_SUB, s->x, s->y);
    s->g->region = here;
  }
  s->f[k] = op(s, HK_G_ADD, op(s, HK_G_MUL, s->d[k], s->d[k]), s->half);
  s->r[k] = s->d[k];
  if (k == passes && !is_whole(s)) return; // nothing asks whether there is another one
  const hk_node own = s->what == OWN && k == 2 ? s->d[k] : s->v[k];
  s->e[k] = op(s, HK_G_LT, is_whole(s) ? s->r[k - 1] : own, number(s, 0.0));
  s->c[k] = s->what == ONCE ? op(s, HK_G_LT, s->f[k - 1], op(s, HK_G_MUL, s->f[k], number(s, 3.0)))
                            : op(s, HK_G_OR, op(s, HK_G_LT, s->d[k], s->half), s->e[k]);
  if (is_whole(s)) s->r[k] = both(s, k);
}

/* what the step ends with, from the last pass outwards: results[k] where the passes end behind pass k */
static hk_node meet(step *s, const hk_node *results, int passes) {
  hk_node all = results[passes];
  for (int k = passes - 1; k >= 0; k--) {
    s->g->region = s->way[k];
    const bool other = s->what == MEETING && k == 2;
    all = hki_graph_op(s->g, HK_G_SELECT, ends(s, k), other ? s->d[k] : results[k], all);
  }
  return all;
}

static void put_uses(step *s) {
  const hk_node truth = s->e[2];
  if (s->what == FAILURE) s->t.nfailures = 1, s->failure.condition = truth;
  if (s->what == OUTPUT) s->t.noutputs = 1, s->output.node = s->v[2];
  if (s->what == STATE) s->other = s->v[2];
  if (s->what == OPERAND) s->other = op(s, HK_G_ADD, s->v[2], s->y);
  if (s->what != BRANCH) return;
  hki_graph_enter(s->g, s->e[1], true);
  s->other = op(s, HK_G_SUB, s->x, s->y);
  s->g->region = 0;
}

static void make(step *s, change what, int passes) {
  begin(s, what);
  if (what == TO_THE_END) s->h = make_h(s); // before all passes
  for (int k = 1; k <= passes; k++) make_pass(s, k, passes);
  const hk_node v = meet(s, s->v, passes), d = meet(s, s->r, passes);
  put_uses(s);
  const hk_node final[STATES] = {v, d, s->other, s->x};
  for (int i = 0; i < STATES; i++) s->state[i].final.node = final[i], s->state[i].number = -1;
}

/* --- loops ------------------------------------------------------------------------------------ */

/* the plan of a step, and its loops */
static void find(step *s) {
  ck_assert_uint_lt(s->g->n, NODES);
  ck_assert_int_eq(hki_plan_create(&s->t, 1, false, &s->p), HK_OK);
  memcpy(s->region, s->p.region, s->g->n * sizeof s->region[0]);
  s->norder = s->p.norder;
  memcpy(s->order, s->p.order, s->norder * sizeof s->order[0]);
  ck_assert_int_eq(hki_rolls_order(&s->p, s->what == IN_DEPTH ? hki_order_deepen : hki_order_find),
                   HK_OK);
  s->meets = hki_meets_find(&s->p);
  ck_assert_ptr_nonnull(s->meets);
  s->rolls = hki_rolls_find(&s->p, s->meets);
  ck_assert_ptr_nonnull(s->rolls);
}

/* all nodes of the second pass, which the loop has; those that are selections stand behind it */
static void turn(const step *s, double *value) {
  const hk_plan *p = &s->p;
  for (uint32_t i = 0; i < p->norder; i++) {
    const hk_node n = p->order[i];
    if (p->region[n] != s->rolls->rolls[0].way[1] || s->meets->way[n]) continue;
    value[n] = hki_graph_value(s->g, n, value);
  }
}

/* the loop as it is written; returns how many passes it makes */
static uint32_t go_round(const step *s, double *value) {
  const hk_roll *l = &s->rolls->rolls[0];
  const bool no = s->g->regions[l->way[0]].no;
  uint32_t passes = 0;
  for (int32_t i = 0; i < l->nmeets; i++)
    value[l->meets[i].before] = value[hki_meets_other(&s->p, s->meets, l->meets[i].before)];
  for (int32_t i = 0; i < l->nvalues; i++) value[l->values[i].first] = value[l->values[i].before];
  for (; passes < l->passes && (value[l->values[0].first] != 0.0) != no; passes++) {
    turn(s, value);
    for (int32_t i = 0; i < l->nmeets; i++) value[l->meets[i].before] = value[l->meets[i].second];
    for (int32_t i = 0; i < l->nvalues; i++) value[l->values[i].first] = value[l->values[i].second];
  }
  return passes;
}

/* a step with its loop */
static uint32_t take(const step *s, const double *x, double *next) {
  const hk_plan *p = &s->p;
  double value[NODES] = {0};
  uint32_t passes = UINT32_MAX;
  for (uint32_t i = 0; i < p->norder; i++) {
    const hk_node n = p->order[i];
    const bool inside = s->rolls->of[p->region[n]] != 0;
    if (inside && passes == UINT32_MAX) passes = go_round(s, value);
    if (inside || s->meets->way[n]) continue;
    const hk_graph_node *m = &s->g->nodes[n];
    value[n] = m->op == HK_G_LOAD ? x[(m->cell - X) / 8] : hki_graph_value(s->g, n, value);
  }
  for (int i = 0; i < STATES; i++) next[i] = value[s->state[i].final.node];
  return passes;
}

/* the same steps with and without the loop, of as many passes as there can be */
static void ck_same(const step *s, uint32_t passes) {
  hk_values v;
  uint32_t seen = 0;
  ck_assert_int_eq(hki_values_create(&s->p, &v), HK_OK);
  for (int i = 0; i < 400; i++) {
    const double x[STATES] = {0.1 * pow(1.5, i % 20), 0.05 * pow(1.5, (double)(i / 20)), 1.0, 1.0};
    double direct[STATES], rolled[STATES];
    ck_assert(hki_values_step(&v, x, NULL, direct));
    seen |= 1u << take(s, x, rolled);
    ck_assert_mem_eq(direct, rolled, sizeof direct);
  }
  ck_assert_uint_eq(seen, (2u << passes) - 1);
  hki_values_destroy(&v);
}

static int count(const char *text, const char *word) {
  int n = 0;
  while ((text = strstr(text, word))) text += strlen(word), n++;
  return n;
}

/* Every name is said before it is used. */
static void ck_names(const char *text) {
  char said[NODES] = {0};
  for (const char *c = text; (c = strchr(c, 't')); c++) {
    char *end_of = NULL;
    const long n = c[1] >= '0' && c[1] <= '9' ? strtol(c + 1, &end_of, 10) : 0;
    if (!end_of || (c > text && (c[-1] == '_' || (c[-1] >= 'a' && c[-1] <= 'z')))) continue;
    if (c - text > 6 && (!strncmp(c - 6, "HKX_R ", 6) || !strncmp(c - 6, "HKX_B ", 6))) said[n] = 1;
    ck_assert_msg(said[n], "t%ld in\n%s", n, text);
  }
}

/* how many loops are written */
static int write(step *s) {
  hk_text text;
  hki_text_init(&text, s->t.ctx);
  hki_emit_step(&s->p, true, &text);
  ck_assert(!text.failed);
  ck_names(text.s);
  const int n = count(text.s, "HKX_PASSES(");
  hki_text_free(&text);
  return n;
}

START_TEST(loops) {
  const change all[] = {ONCE, NOTHING, ENTERED, IN_DEPTH, TURNED, TO_THE_END};
  for (int passes = 3; passes <= MOST; passes++)
    for (int i = passes > 3 ? 0 : 1; i < 6; i++) {
      step s;
      make(&s, all[i], passes);
      find(&s);
      ck_assert_int_eq(s.rolls->n, 1);
      const hk_roll *l = s.rolls->rolls;
      ck_assert_int_eq((int)l->passes, passes);
      for (int k = 0; k < passes; k++) {
        ck_assert_uint_eq(l->way[k], s.way[k + 1]);
        ck_assert(s.rolls->of[l->way[k]] == 1 && s.rolls->pass[l->way[k]] == k + 1);
      }
      // the condition, and the number that the next pass begins with; two results
      ck_assert_int_eq(l->nvalues, all[i] == ONCE || all[i] == TO_THE_END ? 3 : 2);
      ck_assert(l->values[1].before == s.v[0] && l->values[1].first == s.v[1] &&
                l->values[1].second == s.v[2]);
      ck_assert_int_eq(l->nmeets, 2);
      ck_same(&s, (uint32_t)passes);
      ck_assert_int_eq(write(&s), 1);
      end(&s);
    }
}
END_TEST

START_TEST(what_all_compute) {
  step s;
  make(&s, NOTHING, 4);
  find(&s);
  // h and what it is made of go out of the first pass, and nothing else does
  const hk_node inner = s.g->nodes[s.h].a[0] == s.y ? s.g->nodes[s.h].a[1] : s.g->nodes[s.h].a[0];
  for (hk_node n = 1; n < s.g->n; n++) {
    const bool moved = n == s.h || n == inner;
    if (moved) ck_assert_uint_eq(s.region[n], s.way[1]);
    ck_assert_uint_eq(s.p.region[n], moved ? 0 : s.region[n]);
  }
  end(&s);
}
END_TEST

static void ck_no_loop(change what, int passes) {
  step s;
  make(&s, what, passes);
  find(&s);
  ck_assert_msg(s.rolls->n == 0, "change %d is a loop", (int)what);
  for (uint32_t r = 0; r < s.g->nregions; r++) ck_assert_int_eq(s.rolls->of[r], 0);
  // everything stands where it stood
  for (hk_node n = 1; n < s.g->n; n++)
    ck_assert_msg(s.p.region[n] == s.region[n], "change %d, node %u", (int)what, n);
  ck_assert_uint_eq(s.p.norder, s.norder);
  ck_assert_mem_eq(s.p.order, s.order, s.norder * sizeof s.order[0]);
  ck_assert_int_eq(write(&s), 0);
  end(&s);
}

START_TEST(too_few) {
  ck_no_loop(NOTHING, 2);
  ck_no_loop(ENTERED, 1);
  ck_no_loop(TO_THE_END, 2);
  ck_no_loop(ONCE, 3); // a number of the second pass that the last one does not take
}
END_TEST

START_TEST(no_loops) { ck_no_loop((change)_i, 4); }
END_TEST

Suite *suite_rolls(void);
Suite *suite_rolls(void) {
  Suite *s = suite_create("rolls");
  TCase *tc = tcase_create("rolls");
  tcase_add_test(tc, loops);
  tcase_add_test(tc, what_all_compute);
  tcase_add_test(tc, too_few);
  tcase_add_loop_test(tc, no_loops, OPERATION, CHANGES);
  suite_add_tcase(s, tc);
  return s;
}

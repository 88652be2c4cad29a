/* SPDX-License-Identifier: Apache-2.0
 *
 * failures.c: see failures.h.
 *
 * A condition is a product of truths, one of which is left out where another failure holds whenever that truth does not. One is left out at
 * a time, with the conditions as they are then: each time the step fails as before.
 */
#include "codegen/failures.h"

/* the step fails with a truth, and without it */
enum { WITH = 1, WITHOUT = 2 };

typedef struct shortener {
  hk_followed *t;
  hk_graph *g;
  uint8_t *fails;  /* of each node */
  uint32_t *taken; /* the last time that it was taken for a truth of a condition */
  uint32_t marked, time;
  hk_node *part; /* of a condition */
  int32_t nparts, cap;
  bool changed;
} shortener;

/* the step fails where the truth is `value` */
static void mark(shortener *s, hk_node n, bool value) {
  const hk_graph_node *x = hki_graph_at(s->g, n);
  if (n >= s->marked || s->fails[n] & (value ? WITH : WITHOUT)) return;
  s->fails[n] |= value ? WITH : WITHOUT;
  if (x->op == HK_G_NOT) mark(s, x->a[0], !value);
  if (x->op == (value ? HK_G_OR : HK_G_AND)) mark(s, x->a[0], value), mark(s, x->a[1], value);
}

static bool fails_without(const shortener *s, hk_node n) {
  const hk_graph_node *x = hki_graph_at(s->g, n);
  if (n < s->marked && s->fails[n] & WITHOUT) return true;
  return x->op == HK_G_NOT && x->a[0] < s->marked && s->fails[x->a[0]] & WITH;
}

/* the truths whose product a condition is, each once */
static bool take_apart(shortener *s, hk_node n) {
  const hk_graph_node *x = hki_graph_at(s->g, n);
  if (n < s->marked && s->taken[n] == s->time) return true;
  if (n < s->marked) s->taken[n] = s->time;
  if (x->op == HK_G_AND) return take_apart(s, x->a[0]) && take_apart(s, x->a[1]);
  if (!HK_GROW(s->t->ctx, s->part, s->cap, s->nparts + 1)) return false;
  s->part[s->nparts++] = n;
  return true;
}

static hk_status shorten(shortener *s, int32_t i) {
  hk_node all = 0;
  int32_t left = 0;
  s->nparts = 0, s->time++;
  if (!take_apart(s, s->t->failures[i].condition)) return HK_E_MEMORY;
  for (int32_t k = 0; k < s->nparts; k++)
    if (!fails_without(s, s->part[k])) s->part[left++] = s->part[k];
  if (left == s->nparts || left == 0) return HK_OK;
  s->g->part = s->t->failures[i].part, s->g->region = 0;
  for (int32_t k = left; k-- > 0;)
    all = all ? hki_graph_op(s->g, HK_G_AND, s->part[k], all, 0) : s->part[k];
  s->t->failures[i].condition = all;
  mark(s, all, true);
  s->changed = true;
  return s->g->failed ? HK_E_MEMORY : HK_OK;
}

hk_status hki_failures_shorten(hk_followed *t) {
  shortener s = {.t = t, .g = &t->g, .marked = t->g.n};
  const uint8_t part = t->g.part;
  const uint32_t region = t->g.region;
  hk_status st = HK_OK;
  s.fails = hki_alloc(t->ctx, s.marked);
  s.taken = hki_alloc(t->ctx, s.marked * sizeof *s.taken);
  st = s.fails && s.taken ? HK_OK : HK_E_MEMORY;
  for (int32_t i = 0; i < t->nfailures && st == HK_OK; i++)
    mark(&s, t->failures[i].condition, true);
  do { // those of branches around others come behind them
    s.changed = false;
    for (int32_t i = t->nfailures - 1; i >= 0 && st == HK_OK; i--) st = shorten(&s, i);
  } while (s.changed && st == HK_OK);
  t->g.part = part, t->g.region = region;
  hki_free(t->ctx, s.fails);
  hki_free(t->ctx, s.taken);
  hki_free(t->ctx, s.part);
  return st;
}

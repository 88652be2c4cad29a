/* SPDX-License-Identifier: Apache-2.0
 *
 * joins.c: where the ways of a branch meet again: its immediate post-dominator, the first instruction that all ways
 * from the branch to the end of the function have in common.
 *
 * Source: Cooper, Harvey and Kennedy, A simple, fast dominance algorithm, 2001, on the reversed graph.
 */
#include "codegen/joins.h"

#include <string.h>

typedef struct graph {
  const hk_function *f;
  int32_t n;             /* nodes: instructions, and the end */
  int32_t *start, *pred; /* predecessors of each */
  int32_t *number;      /* of each in postorder from the end, -1: no way leads from it to the end */
  int32_t *order;       /* the same the other way round */
  int32_t *todo, *next; /* scratch of the search */
} graph;

/* successors of an instruction: how many, and the k-th */
static int32_t successors(const hk_function *f, int32_t i) {
  switch (f->code[i].op) {
    case HK_I_UNREACHABLE:
      return 0;
    case HK_I_BR:
      return 1;
    case HK_I_BR_IF:
    case HK_I_BR_UNLESS:
      return 2;
    case HK_I_BR_TABLE:
      return f->code[i].b;
    default:
      return 1;
  }
}

static int32_t successor(const hk_function *f, int32_t i, int32_t k) {
  const hk_ins *x = &f->code[i];
  if (x->op == HK_I_BR_TABLE) return f->fields[x->a + k].a;
  if (x->op == HK_I_BR) return x->a;
  if (x->op == HK_I_BR_IF || x->op == HK_I_BR_UNLESS) return k ? x->a : i + 1;
  return i + 1;
}

static void count_predecessors(graph *g) {
  for (int32_t i = 0; i + 1 < g->n; i++)
    for (int32_t k = 0; k < successors(g->f, i); k++) g->start[successor(g->f, i, k) + 1]++;
  for (int32_t i = 0; i < g->n; i++) g->start[i + 1] += g->start[i];
  memcpy(g->next, g->start, (size_t)g->n * sizeof *g->next);
  for (int32_t i = 0; i + 1 < g->n; i++)
    for (int32_t k = 0; k < successors(g->f, i); k++) g->pred[g->next[successor(g->f, i, k)]++] = i;
}

/* numbers in postorder from the end, against the arrows */
static int32_t number_nodes(graph *g) {
  int32_t depth = 0, found = 0;
  memcpy(g->next, g->start, (size_t)g->n * sizeof *g->next);
  for (int32_t i = 0; i < g->n; i++) g->number[i] = -2;
  g->todo[depth++] = g->n - 1;
  g->number[g->n - 1] = -1;
  while (depth > 0) {
    const int32_t i = g->todo[depth - 1];
    if (g->next[i] == g->start[i + 1]) {
      g->order[found] = i;
      g->number[i] = found++;
      depth--;
      continue;
    }
    const int32_t p = g->pred[g->next[i]++];
    if (g->number[p] != -2) continue;
    g->number[p] = -1;
    g->todo[depth++] = p;
  }
  return found;
}

static int32_t meet(const graph *g, const int32_t *join, int32_t a, int32_t b) {
  while (a != b) {
    while (g->number[a] < g->number[b]) a = join[a];
    while (g->number[b] < g->number[a]) b = join[b];
  }
  return a;
}

static void find(graph *g, int32_t *join) {
  const int32_t found = number_nodes(g);
  for (int32_t i = 0; i < g->n; i++) join[i] = -1;
  join[g->n - 1] = g->n - 1;
  for (bool changed = true; changed;) {
    changed = false;
    for (int32_t k = found - 2; k >= 0; k--) {
      const int32_t i = g->order[k];
      int32_t to = -1;
      for (int32_t s = 0; s < successors(g->f, i); s++) {
        const int32_t j = successor(g->f, i, s);
        if (join[j] >= 0) to = to < 0 ? j : meet(g, join, to, j);
      }
      if (to != join[i]) join[i] = to, changed = true;
    }
  }
}

hk_status hki_function_joins(hk_module *m, hk_function *f) {
  if (f->joins) return HK_OK;
  graph g = {.f = f, .n = f->n + 1};
  int32_t edges = 0;
  for (int32_t i = 0; i < f->n; i++) edges += successors(f, i);
  const size_t n = (size_t)g.n + 2;
  int32_t *block = hki_alloc(m->ctx, (5 * n + (size_t)edges + 1) * sizeof *block);
  int32_t *join = hki_pool_alloc(m->pool, n * sizeof *join);
  if (!block || !join) {
    hki_free(m->ctx, block);
    return HK_E_MEMORY;
  }
  g.start = block, g.number = block + n, g.order = block + 2 * n, g.todo = block + 3 * n;
  g.next = block + 4 * n, g.pred = block + 5 * n;
  count_predecessors(&g);
  find(&g, join);
  hki_free(m->ctx, block);
  f->joins = join;
  return HK_OK;
}

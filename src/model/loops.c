/* SPDX-License-Identifier: Apache-2.0
 *
 * loops.c: shorter loops in large trees. In the spanning tree of a ladder both rails lie in the
 * tree, and every rung closes a loop down to the ground. Such loops are shortened by exchange: a
 * cut joint e = (u, v) becomes the tree joint of v (or u), and the joint f that led there is cut
 * instead. Both have the same number of rows, so the number of equations stays.
 *
 * With C the loop of e, every other loop D through f becomes the symmetric difference of D and C:
 *
 *   length = |D| + |C| - 2 |D and C|
 *
 * The number of loops through each tree joint (its cover) is counted once and then updated, with
 * the estimate that min(cover g, cover f) loops pass through both joints g and f of C. The result
 * is kept only if the sum of the lengths has become smaller. Loops are visited once each, from
 * short to long. Cost O(joints log bodies + length of loops).
 */
#include <stdlib.h>

#include "model/work.h"

enum { LONG_LOOPS = 12 }; /* loops are exchanged when their mean length is greater */

typedef struct cut {
  int32_t joint, length;
} cut;

typedef struct loops {
  hk_work *w;
  int32_t nb;
  int32_t *order;                /* nb: bodies, parents first */
  int32_t *depth, *jump, *cover; /* nb: 0 on the ground; an ancestor; loops through its joint */
  int32_t *up[2];                /* bodies of the present loop on the side of u and of v */
  int32_t *stamp;                /* nb: the loop and side that last visited a body */
  int32_t n[2], stamps;          /* lengths of up; loops walked so far */
  cut *cuts;                     /* ncuts: cut joints and the lengths of their loops */
  int32_t ncuts;
} loops;

static bool in_tree(const hk_work *w, int32_t j) {
  const int32_t *b = w->spec->joints[j].body;
  return (b[0] >= 0 && w->via[b[0]] == j) || (b[1] >= 0 && w->via[b[1]] == j);
}

/* order, depth and jump of all bodies */
static void sort_bodies(loops *l) {
  const int32_t *parent = l->w->parent;
  int32_t n = 0, top, *stack = l->up[0];
  for (int32_t b = 0; b < l->nb; b++) l->depth[b] = -1;
  for (int32_t b = 0; b < l->nb; b++) {
    // climb to the first ancestor that is in the order, then add the bodies on the way down
    top = 0;
    for (int32_t a = b; a >= 0 && l->depth[a] < 0; a = parent[a]) stack[top++] = a;
    while (top > 0) {
      int32_t a = stack[--top], p = parent[a];
      l->order[n++] = a;
      l->depth[a] = p < 0 ? 0 : l->depth[p] + 1;
      // skew-binary jumps: twice as far when the two jumps above are equally long
      int32_t j = p < 0 ? HK_GROUND : l->jump[p], jj = j < 0 ? HK_GROUND : l->jump[j];
      int32_t dp = p < 0 ? -1 : l->depth[p], dj = j < 0 ? -1 : l->depth[j];
      int32_t djj = jj < 0 ? -1 : l->depth[jj];
      l->jump[a] = dp - dj == dj - djj ? jj : p;
    }
  }
}

static int32_t depth(const loops *l, int32_t b) { return b < 0 ? -1 : l->depth[b]; }

/* nearest common ancestor, by jumps */
static int32_t common(const loops *l, int32_t a, int32_t b) {
  while (depth(l, a) != depth(l, b)) {
    int32_t *x = depth(l, a) > depth(l, b) ? &a : &b;
    int32_t to = depth(l, a) > depth(l, b) ? depth(l, b) : depth(l, a);
    *x = depth(l, l->jump[*x]) >= to ? l->jump[*x] : l->w->parent[*x];
  }
  while (a != b) {
    if (l->jump[a] != l->jump[b])
      a = l->jump[a], b = l->jump[b];
    else
      a = l->w->parent[a], b = l->w->parent[b];
  }
  return a;
}

/* covers of all tree joints and lengths of all loops; returns the sum of the lengths */
static int64_t measure(loops *l) {
  const hk_spec *s = l->w->spec;
  int64_t total = 0;
  sort_bodies(l);
  l->ncuts = 0;
  memset(l->cover, 0, (size_t)l->nb * sizeof *l->cover);
  for (int32_t j = 0; j < s->njoints; j++) {
    if (in_tree(l->w, j) || s->joints[j].coupling) continue;
    int32_t a = s->joints[j].body[0], b = s->joints[j].body[1], c = common(l, a, b);
    int32_t length = depth(l, a) + depth(l, b) - 2 * depth(l, c) + 1;
    l->cuts[l->ncuts++] = (cut){j, length};
    total += length;
    if (a >= 0) l->cover[a]++;
    if (b >= 0) l->cover[b]++;
    if (c >= 0) l->cover[c] -= 2;
  }
  for (int32_t i = l->nb - 1; i >= 0; i--) {
    int32_t b = l->order[i], p = l->w->parent[b];
    if (p >= 0) l->cover[p] += l->cover[b];
  }
  return total;
}

/* up: the loop of a cut joint in the present tree, the bodies of each side below the common
 * ancestor */
static void walk(loops *l, const int32_t *ends) {
  const int32_t *parent = l->w->parent;
  int32_t at[2] = {ends[0], ends[1]}, meet = HK_GROUND;
  int32_t mark = 2 * ++l->stamps; /* mark + side */
  l->n[0] = l->n[1] = 0;
  // climb both sides in turn until one reaches a body of the other (or both the ground)
  while (at[0] >= 0 || at[1] >= 0) {
    bool met = false;
    for (int k = 0; k < 2 && !met; k++) {
      if (at[k] < 0) continue;
      met = l->stamp[at[k]] == mark + 1 - k;
      if (met) {
        meet = at[k];
      } else {
        l->stamp[at[k]] = mark + k;
        l->up[k][l->n[k]++] = at[k];
        at[k] = parent[at[k]];
      }
    }
    if (met) break;
  }
  // drop the common ancestor and the bodies above it
  for (int k = 0; k < 2 && meet >= 0; k++) {
    for (int32_t i = 0; i < l->n[k]; i++) {
      if (l->up[k][i] == meet) l->n[k] = i;
    }
  }
}

/* estimated decrease of the sum of lengths when the tree joint of `body` is cut in this loop
 * instead */
static int64_t gain(const loops *l, int32_t body) {
  int64_t others = l->cover[body] - 1, sum = 0;
  for (int k = 0; k < 2; k++) {
    for (int32_t i = 0; i < l->n[k]; i++) {
      int64_t c = l->cover[l->up[k][i]] - 1;
      sum += 2 * (c < others ? c : others);
    }
  }
  return sum - others * (l->n[0] + l->n[1] + 1);
}

/* may cut joint e become the tree joint of its body k? */
static bool may_exchange(const loops *l, int32_t e, int k) {
  const hk_work *w = l->w;
  const hk_spec *s = w->spec;
  int32_t to = s->joints[e].body[k], from = s->joints[e].body[1 - k];
  if (l->n[k] == 0 || !hki_work_enters(w, e, from)) return false;
  int32_t f = w->via[to];
  if (f < 0 || s->joints[f].cut == HK_CUT_NEVER || w->joints[f].nrows != w->joints[e].nrows)
    return false;
  bool was = w->parent[to] >= 0 && s->bodies[w->parent[to]].mass == 0.0;
  bool is = from >= 0 && s->bodies[from].mass == 0.0;
  return was || !is;
}

/* makes e the tree joint of its body k and updates the covers along the loop */
static void exchange(loops *l, int32_t e, int k) {
  const int32_t *ends = l->w->spec->joints[e].body;
  int32_t body = ends[k], others = l->cover[body] - 1;
  for (int side = 0; side < 2; side++) {
    for (int32_t i = 0; i < l->n[side]; i++) {
      int32_t *c = &l->cover[l->up[side][i]];
      int32_t shared = *c - 1 < others ? *c - 1 : others;
      *c += others - 2 * shared;
    }
  }
  l->cover[body] = others + 1;
  l->w->parent[body] = ends[1 - k];
  l->w->via[body] = e;
}

static int shorter(const void *a, const void *b) {
  const cut *x = a, *y = b;
  if (x->length != y->length) return x->length < y->length ? -1 : 1;
  return (x->joint > y->joint) - (x->joint < y->joint);
}

static bool create(loops *l) {
  hk_work *w = l->w;
  l->nb = w->spec->nbodies;
  int32_t *all = HK_SCRATCH(w, int32_t, 7 * ((int64_t)l->nb + 1));
  l->cuts = HK_SCRATCH(w, cut, w->spec->njoints + 1);
  if (!all || !l->cuts) return false;
  int32_t **part[] = {&l->order, &l->depth, &l->jump, &l->cover, &l->up[0], &l->up[1], &l->stamp};
  for (int i = 0; i < 7; i++) *part[i] = all + (size_t)i * ((size_t)l->nb + 1);
  return true;
}

bool hki_work_loops(hk_work *w) {
  loops l = {.w = w};
  size_t bytes = (size_t)w->spec->nbodies * sizeof(int32_t);
  int32_t *parent = hki_pool_alloc(w->pool, bytes), *via = hki_pool_alloc(w->pool, bytes);
  if (!parent || !via || !create(&l)) return false;
  int64_t before = measure(&l);
  if (before <= LONG_LOOPS * (int64_t)l.ncuts) return true;
  memcpy(parent, w->parent, bytes);
  memcpy(via, w->via, bytes);
  qsort(l.cuts, (size_t)l.ncuts, sizeof *l.cuts, shorter);
  for (int32_t i = 0; i < l.ncuts; i++) {
    int32_t e = l.cuts[i].joint, best = -1;
    int64_t most = 0;
    if (!hki_work_eligible(w, e)) continue;
    walk(&l, w->spec->joints[e].body);
    for (int k = 0; k < 2; k++) {
      int64_t g = may_exchange(&l, e, k) ? gain(&l, w->spec->joints[e].body[k]) : 0;
      if (g > most) most = g, best = k;
    }
    if (best >= 0) exchange(&l, e, best);
  }
  // covers were estimates: undo the exchanges unless the true sum is smaller
  if (measure(&l) >= before) {
    memcpy(w->parent, parent, bytes);
    memcpy(w->via, via, bytes);
  }
  return true;
}

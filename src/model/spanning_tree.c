/* SPDX-License-Identifier: Apache-2.0
 *
 * spanning_tree.c: the spanning tree. It grows from the ground by Prim's method with a heap. The
 * next joint is always the one that would have the most rows if it were cut, so that the joints
 * that remain as cuts have the fewest rows. Among joints with equally many rows:
 *   1. a parent with mass comes before a massless one,
 *   2. then the joint nearer to the ground,
 *   3. then a joint whose first body is the parent,
 *   4. then the order of the file.
 * A joint that is not its own inverse can be entered from its first body only. In each connected
 * group of bodies without a joint to the ground, the heaviest gets an added free joint. Bodies are
 * then numbered depth first, siblings in file order, so that parents precede children and subtrees
 * are contiguous. Cost O((bodies + joints) log joints).
 */
#include "model/work.h"

/* a joint that leads from the tree to `body` */
typedef struct candidate {
  int32_t joint, body;
  int32_t weight; /* rows if it were cut; 100 more with 'cut: never' */
  int32_t depth;  /* of the new body */
  bool massless;  /* the parent has no mass */
  bool reversed;  /* the parent is the joint's second body */
} candidate;

typedef struct growth {
  hk_work *w;
  candidate *heap;
  int32_t n;
  int32_t *depth; /* by spec body; -1 = not in the tree */
} growth;

/* is a taken before b? */
static bool better(const candidate *a, const candidate *b) {
  if (a->weight != b->weight) return a->weight > b->weight;
  if (a->massless != b->massless) return b->massless;
  if (a->depth != b->depth) return a->depth < b->depth;
  if (a->reversed != b->reversed) return b->reversed;
  return a->joint < b->joint;
}

static void heap_push(growth *g, candidate c) {
  int32_t i = g->n++;
  while (i > 0 && better(&c, &g->heap[(i - 1) / 2])) {
    g->heap[i] = g->heap[(i - 1) / 2];
    i = (i - 1) / 2;
  }
  g->heap[i] = c;
}

static candidate heap_pop(growth *g) {
  candidate top = g->heap[0], c = g->heap[--g->n];
  int32_t i = 0;
  for (;;) {
    int32_t k = 2 * i + 1;
    if (k >= g->n) break;
    if (k + 1 < g->n && better(&g->heap[k + 1], &g->heap[k])) k++;
    if (!better(&g->heap[k], &c)) break;
    g->heap[i] = g->heap[k];
    i = k;
  }
  g->heap[i] = c;
  return top;
}

/* is one of its bodies asked to be a node without rotation? Translation leads there, no joint. */
static bool at_node(const hk_work *w, const hk_spec_joint *j) {
  for (int k = 0; k < 2; k++)
    if (j->body[k] >= 0 && w->spec->bodies[j->body[k]].rotation == HK_ROTATION_NONE) return true;
  return false;
}

bool hki_work_eligible(const hk_work *w, int32_t j) {
  const hk_spec_joint *s = &w->spec->joints[j];
  const hk_work_joint *wj = &w->joints[j];
  return wj->tree_ops && s->active && !wj->event_cut && s->cut != HK_CUT_ALWAYS && !at_node(w, s);
}

bool hki_work_enters(const hk_work *w, int32_t j, int32_t from) {
  return hki_work_eligible(w, j) &&
         (w->spec->joints[j].body[0] == from || w->joints[j].tree_ops->inverse.own);
}

/* joints at each body and at the ground (entry nbodies), by counting sort */
static bool list_joints(hk_work *w) {
  const hk_spec *s = w->spec;
  int32_t nb = s->nbodies;
  w->joint_first = HK_SCRATCH(w, int32_t, nb + 3);
  w->joint_at = HK_SCRATCH(w, int32_t, 2 * (int64_t)s->njoints + 1);
  if (!w->joint_first || !w->joint_at) return false;
  int32_t *start = w->joint_first + 1; /* shifted by one while filling */
  for (int32_t j = 0; j < s->njoints; j++) {
    for (int k = 0; k < 2; k++) {
      int32_t b = s->joints[j].body[k];
      start[(b < 0 ? nb : b) + 1]++;
    }
  }
  for (int32_t b = 0; b <= nb; b++) start[b + 1] += start[b];
  for (int32_t j = 0; j < s->njoints; j++) {
    for (int k = 0; k < 2; k++) {
      int32_t b = s->joints[j].body[k];
      w->joint_at[start[b < 0 ? nb : b]++] = j;
    }
  }
  return true;
}

/* the other body of a joint */
static int32_t other(const hk_spec_joint *j, int32_t body) {
  return j->body[0] == body ? j->body[1] : j->body[0];
}

/* puts the joints that lead from `body` (or the ground) out of the tree on the heap */
static void offer(growth *g, int32_t body) {
  const hk_work *w = g->w;
  const hk_spec *s = w->spec;
  int32_t at = body < 0 ? s->nbodies : body;
  for (int32_t i = w->joint_first[at]; i < w->joint_first[at + 1]; i++) {
    int32_t j = w->joint_at[i];
    const hk_spec_joint *sj = &s->joints[j];
    int32_t to = other(sj, body);
    if (!hki_work_enters(w, j, body) || to < 0 || g->depth[to] >= 0) continue;
    candidate c = {.joint = j, .body = to, .weight = w->joints[j].nrows};
    if (sj->cut == HK_CUT_NEVER) c.weight += 100;
    c.depth = body < 0 ? 0 : g->depth[body] + 1;
    c.massless = body >= 0 && s->bodies[body].mass == 0.0;
    c.reversed = sj->body[1] == body;
    heap_push(g, c);
  }
}

/* adds bodies until no joint leads out of the tree */
static void grow(growth *g) {
  hk_work *w = g->w;
  while (g->n > 0) {
    candidate c = heap_pop(g);
    if (g->depth[c.body] >= 0) continue;
    g->depth[c.body] = c.depth;
    w->parent[c.body] = other(&w->spec->joints[c.joint], c.body);
    w->via[c.body] = c.joint;
    offer(g, c.body);
  }
}

/* is there a joint from another body outside the tree that can be entered from that body only? */
static bool is_led_to(const growth *g, int32_t b) {
  const hk_work *w = g->w;
  for (int32_t i = w->joint_first[b]; i < w->joint_first[b + 1]; i++) {
    int32_t j = w->joint_at[i], from = other(&w->spec->joints[j], b);
    if (from < 0 || g->depth[from] >= 0 || !hki_work_eligible(w, j)) continue;
    if (!hki_work_enters(w, j, b)) return true;
  }
  return false;
}

/* Root for the connected group of `start`, outside the tree: the heaviest body to which no one-way
 * joint leads, else the heaviest of all. seen[b] = mark for the bodies of the group; stack:
 * scratch, nbodies. */
static int32_t find_root(const growth *g, int32_t start, int32_t mark, int32_t *seen,
                         int32_t *stack) {
  const hk_work *w = g->w;
  const hk_spec *s = w->spec;
  int32_t n = 0, best = start;
  bool best_led = is_led_to(g, start);
  stack[n++] = start;
  seen[start] = mark;
  while (n > 0) {
    int32_t b = stack[--n];
    double mb = s->bodies[b].mass, mbest = s->bodies[best].mass;
    bool led = is_led_to(g, b), heavier = mb > mbest || (mb == mbest && b < best);
    if (led == best_led ? heavier : best_led) best = b, best_led = led;
    for (int32_t i = w->joint_first[b]; i < w->joint_first[b + 1]; i++) {
      int32_t j = w->joint_at[i], to = other(&s->joints[j], b);
      if (!hki_work_eligible(w, j) || to < 0 || g->depth[to] >= 0 || seen[to] == mark) continue;
      seen[to] = mark;
      stack[n++] = to;
    }
  }
  return best;
}

/* errors: joints with 'cut: never' that are not in the tree */
static bool check_hints(const hk_work *w) {
  const hk_spec *s = w->spec;
  bool ok = true;
  for (int32_t j = 0; j < s->njoints; j++) {
    const hk_spec_joint *sj = &s->joints[j];
    if (sj->cut != HK_CUT_NEVER) continue;
    const char *why = NULL;
    if (!w->joints[j].tree_ops)
      why = "it is only a constraint and has no coordinates";
    else if (!sj->active)
      why = "it is off at the start";
    else if (at_node(w, sj))
      why = "one of its bodies has 'rotation: none'";
    else if (w->joints[j].event_cut)
      why = "an event releases it";
    else {
      int32_t a = sj->body[0], b = sj->body[1];
      bool one_way = !w->joints[j].tree_ops->inverse.own;
      bool kept = (a >= 0 && w->via[a] == j) || (b >= 0 && w->via[b] == j);
      if (!kept)
        why = one_way && b < 0 ? "its motion seen from its second body is of another kind"
                               : "it closes a loop of joints none of which may be cut";
    }
    if (!why) continue;
    hki_error(w->ctx, HK_E_MODEL, sj->loc, "remove the hint from one joint of the loop",
              "joint '%s' cannot have 'cut: never': %s", sj->name, why);
    ok = false;
  }
  return ok;
}

/* depth-first numbers, without recursion: child and next link the children of a body in file order
 */
static bool number(hk_work *w) {
  const hk_spec *s = w->spec;
  int32_t nb = s->nbodies, n = 0, top = 0, *stack = HK_SCRATCH(w, int32_t, nb + 1);
  int32_t *child = HK_SCRATCH(w, int32_t, nb + 1), *next = HK_SCRATCH(w, int32_t, nb + 1);
  w->order = HK_SCRATCH(w, int32_t, nb + 1);
  w->m->body_of_spec = HK_KEEP(w, int32_t, nb + 1);
  if (!stack || !child || !next || !w->order || !w->m->body_of_spec) return false;
  for (int32_t b = 0; b <= nb; b++) child[b] = HK_NONE;
  for (int32_t b = nb - 1; b >= 0; b--) {
    int32_t p = w->parent[b] < 0 ? nb : w->parent[b];
    next[b] = child[p];
    child[p] = b;
  }
  // the stack holds the next sibling to visit at each depth
  if (child[nb] >= 0) stack[top++] = child[nb];
  while (top > 0) {
    int32_t b = stack[--top];
    w->order[n] = b;
    w->m->body_of_spec[b] = n++;
    if (next[b] >= 0) stack[top++] = next[b];
    if (child[b] >= 0) stack[top++] = child[b];
  }
  if (n != nb) hki_error(w->ctx, HK_E_INTERNAL, HK_LOC_NONE, NULL, "the tree is not connected");
  return n == nb;
}

bool hki_work_topology(hk_work *w) {
  const hk_spec *s = w->spec;
  int32_t nb = s->nbodies;
  growth g = {.w = w};
  w->parent = HK_SCRATCH(w, int32_t, nb + 1);
  w->via = HK_SCRATCH(w, int32_t, nb + 1);
  g.depth = HK_SCRATCH(w, int32_t, nb + 1);
  g.heap = HK_SCRATCH(w, candidate, 2 * (int64_t)s->njoints + 1);
  int32_t *seen = HK_SCRATCH(w, int32_t, nb + 1);
  int32_t *stack = HK_SCRATCH(w, int32_t, nb + 1);
  if (!w->parent || !w->via || !g.depth || !g.heap || !seen || !stack || !list_joints(w))
    return false;
  for (int32_t b = 0; b < nb; b++) w->parent[b] = w->via[b] = g.depth[b] = -1;
  offer(&g, HK_GROUND);
  grow(&g);
  // groups without a joint to the ground; a one-way joint may leave part of a group for another
  // root
  int32_t mark = 0;
  for (int32_t b = 0; b < nb; b++) {
    while (g.depth[b] < 0) {
      int32_t root = find_root(&g, b, ++mark, seen, stack);
      g.depth[root] = 0;
      offer(&g, root);
      grow(&g);
    }
  }
  return hki_work_loops(w) && check_hints(w) && number(w);
}

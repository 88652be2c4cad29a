/* SPDX-License-Identifier: Apache-2.0
 *
 * graph.c: nodes, found again by their operation and operands, and what is known of zeros and ones.
 */
#include "codegen/graph.h"

#include <math.h>
#include <string.h>

enum { MOST_LEAVES = 300 }; /* of a decision */

const char *const hki_graph_text[HK_G_OPS] = {
#define N(name, operands, kind, text) text,
#include "codegen/graph.def"
#undef N
};
const uint8_t hki_graph_operands[HK_G_OPS] = {
#define N(name, operands, kind, text) operands,
#include "codegen/graph.def"
#undef N
};
const char hki_graph_kind[HK_G_OPS] = {
#define N(name, operands, kind, text) #kind[0],
#include "codegen/graph.def"
#undef N
};

hk_status hki_graph_create(hk_ctx *ctx, hk_graph *g) {
  *g = (hk_graph){.ctx = ctx, .n = 1, .cap = 1u << 14, .hash_size = 1u << 15};
  g->nodes = hki_alloc(ctx, g->cap * sizeof *g->nodes);
  g->hash = hki_alloc(ctx, g->hash_size * sizeof *g->hash);
  g->cap_regions = 256, g->nregions = 1;
  g->regions = hki_alloc(ctx, g->cap_regions * sizeof *g->regions);
  if (g->nodes && g->hash && g->regions) return HK_OK;
  hki_graph_destroy(g);
  return HK_E_MEMORY;
}

void hki_graph_destroy(hk_graph *g) {
  hki_free(g->ctx, g->nodes);
  hki_free(g->ctx, g->hash);
  hki_free(g->ctx, g->regions);
  for (int32_t i = 0; i < g->ntables; i++) hki_free(g->ctx, g->tables[i].x);
  hki_free(g->ctx, g->tables);
  *g = (hk_graph){0};
}

/* --- the table -------------------------------------------------------------------------------- */

static uint32_t hash_of(const hk_graph_node *n) {
  uint64_t bits, h = n->op * 0x9e3779b97f4a7c15u;
  memcpy(&bits, &n->value, sizeof bits);
  const uint64_t all[5] = {n->a[0], n->a[1], n->a[2], bits, (uint64_t)n->number};
  for (int i = 0; i < 5; i++) {
    h ^= all[i];
    h *= 0xff51afd7ed558ccdu;
    h ^= h >> 32;
  }
  return (uint32_t)h;
}

static bool same(const hk_graph_node *x, const hk_graph_node *y) {
  return x->op == y->op && x->a[0] == y->a[0] && x->a[1] == y->a[1] && x->a[2] == y->a[2] &&
         x->number == y->number && memcmp(&x->value, &y->value, sizeof x->value) == 0;
}

/* Puts all nodes into the table again, which has room for `size`; but for loads, of which each is another one and none is looked for: they
 * would all stand at one place of it. */
static void rehash(hk_graph *g, uint32_t size) {
  uint32_t *old = g->hash;
  uint32_t *all = hki_alloc(g->ctx, size * sizeof *all);
  if (!all) {
    g->failed = true;
    return;
  }
  for (uint32_t i = 1; i < g->n; i++) {
    if (g->nodes[i].op == HK_G_LOAD) continue;
    uint32_t k = hash_of(&g->nodes[i]) & (size - 1);
    while (all[k]) k = (k + 1) & (size - 1);
    all[k] = i;
  }
  g->hash = all, g->hash_size = size;
  hki_free(g->ctx, old);
}

void hki_graph_rewind(hk_graph *g, hk_node n, uint32_t regions) {
  g->n = n, g->nregions = regions;
  rehash(g, g->hash_size);
}

static hk_node add_node(hk_graph *g, hk_graph_node n) {
  if (g->n == g->cap) {
    hk_graph_node *more = hki_realloc(g->ctx, g->nodes, 2 * (size_t)g->cap * sizeof *more);
    if (!more) {
      g->failed = true;
      return 1;
    }
    g->nodes = more, g->cap *= 2;
  }
  if (2 * g->n > g->hash_size) rehash(g, 2 * g->hash_size);
  n.place = g->place;
  g->nodes[g->n] = n;
  return g->n++;
}

bool hki_graph_around(const hk_graph *g, uint32_t a, uint32_t b) {
  while (b > a) b = g->regions[b].parent;
  return a == b;
}

void hki_graph_enter(hk_graph *g, hk_node condition, bool no) {
  if (g->nregions == g->cap_regions) {
    const uint32_t cap = 2 * g->cap_regions;
    hk_graph_region *more = hki_realloc(g->ctx, g->regions, cap * sizeof *more);
    if (!more) {
      g->failed = true;
      return;
    }
    g->regions = more, g->cap_regions = cap;
  }
  g->regions[g->nregions] = (hk_graph_region){g->region, condition, no, g->part, g->place};
  g->region = g->nregions++;
}

hk_node hki_graph_way(hk_graph *g) {
  hk_node all = hki_graph_int(g, 1);
  for (uint32_t r = g->region; r; r = g->regions[r].parent) {
    hk_node c = g->regions[r].condition;
    if (g->regions[r].no) c = hki_graph_op(g, HK_G_NOT, c, 0, 0);
    all = hki_graph_op(g, HK_G_AND, all, c, 0);
  }
  return all;
}

/* May a node be used in the present part and way? What is computed inside of a loop only there; loops are the odd
 * parts. */
static bool usable(const hk_graph *g, const hk_graph_node *n) {
  if (n->op == HK_G_CONST || n->op == HK_G_INT || n->op == HK_G_LOST) return true;
  return n->part >= g->from && (n->part == g->part || (n->part < g->part && n->part % 2 == 0)) &&
         hki_graph_around(g, n->region, g->region);
}

/* a node like this that can be used here, or 0 with *k: where it would stand in the table */
static hk_node find(const hk_graph *g, const hk_graph_node *n, uint32_t *k) {
  for (*k = hash_of(n) & (g->hash_size - 1); g->hash[*k]; *k = (*k + 1) & (g->hash_size - 1)) {
    const hk_graph_node *x = &g->nodes[g->hash[*k]];
    if (same(x, n) && usable(g, x)) return g->hash[*k];
  }
  return 0;
}

static hk_node find_or_add(hk_graph *g, hk_graph_node n) {
  uint32_t k;
  if (g->failed) return 1;
  const hk_node old = find(g, &n, &k);
  if (old) return old;
  const uint32_t before = g->hash_size;
  const hk_node id = add_node(g, n);
  if (g->failed) return 1;
  if (g->hash_size != before) {
    k = hash_of(&n) & (g->hash_size - 1);
    while (g->hash[k]) k = (k + 1) & (g->hash_size - 1);
  }
  g->hash[k] = id;
  return id;
}

/* --- leaves ----------------------------------------------------------------------------------- */

hk_node hki_graph_const(hk_graph *g, double x) {
  return find_or_add(g, (hk_graph_node){.op = HK_G_CONST, .value = x});
}

hk_node hki_graph_int(hk_graph *g, int64_t x) {
  return find_or_add(g, (hk_graph_node){.op = HK_G_INT, .number = x});
}

hk_node hki_graph_load(hk_graph *g, uint32_t cell) {
  return add_node(g, (hk_graph_node){.op = HK_G_LOAD, .cell = cell, .part = g->part});
}

/* --- what is known of zeros and ones ----------------------------------------------------------- */

static bool is_number(const hk_graph *g, hk_node n, double x) {
  return n && hki_graph_is(g, n, HK_G_CONST) && g->nodes[n].value == x;
}

static int64_t leaves(const hk_graph *g, hk_node n) {
  return hki_graph_is(g, n, HK_G_CHOICE) ? g->nodes[n].number : 1;
}

/* the node of an operation, where it is computed */
static hk_graph_node form(const hk_graph *g, hk_op op, hk_node a, hk_node b, hk_node c) {
  const bool swaps =
      op == HK_G_ADD || op == HK_G_MUL || op == HK_G_EQ || op == HK_G_AND || op == HK_G_OR;
  if (swaps && a > b) {
    const hk_node x = a;
    a = b, b = x;
  }
  // what does not change within a loop is computed before it
  uint8_t part = g->part;
  uint32_t region = g->region;
  if (part % 2) {
    const bool inside = g->nodes[a].part == part || (b && g->nodes[b].part == part) ||
                        (c && g->nodes[c].part == part);
    if (!inside) part--, region = 0;
  }
  hk_graph_node n = {.op = (uint8_t)op, .part = part, .a = {a, b, c}, .region = region};
  if (op == HK_G_CHOICE) {
    // how many leaves it has, and whether one of them is no known number
    n.number = leaves(g, b) + leaves(g, c);
    n.value = hki_graph_has_whole(g, b) || hki_graph_has_whole(g, c);
    if (n.number > MOST_LEAVES)
      n = (hk_graph_node){.op = HK_G_LOST, .part = part, .region = region};
  }
  return n;
}

static hk_node make(hk_graph *g, hk_op op, hk_node a, hk_node b, hk_node c) {
  return find_or_add(g, form(g, op, a, b, c));
}

/* b - a, if it has been computed; else 0 */
static hk_node reverse(const hk_graph *g, hk_node a, hk_node b) {
  uint32_t k;
  const hk_graph_node n = form(g, HK_G_SUB, b, a, 0);
  return g->failed ? 0 : find(g, &n, &k);
}

static hk_node negative(hk_graph *g, hk_node a) {
  if (hki_graph_is(g, a, HK_G_NEG)) return g->nodes[a].a[0];
  if (hki_graph_is(g, a, HK_G_CONST)) return hki_graph_const(g, -g->nodes[a].value);
  if (!g->signs && hki_graph_is(g, a, HK_G_SUB))
    return make(g, HK_G_SUB, g->nodes[a].a[1], g->nodes[a].a[0], 0);
  return make(g, HK_G_NEG, a, 0, 0);
}

/* Is it c x and -c x, with a known number c? Where packs are looked for they stay: parts of a model are less alike without. */
static bool cancels(const hk_graph *g, hk_node a, hk_node b) {
  const hk_graph_node *x = &g->nodes[a], *y = &g->nodes[b];
  if (!g->signs || x->op != HK_G_MUL || y->op != HK_G_MUL) return false;
  for (int i = 0; i < 4; i++) {
    const hk_graph_node *c = &g->nodes[x->a[i / 2]], *d = &g->nodes[y->a[i % 2]];
    if (c->op == HK_G_CONST && d->op == HK_G_CONST && c->value == -d->value &&
        x->a[1 - i / 2] == y->a[1 - i % 2])
      return true;
  }
  return false;
}

/* signs go outwards, so that values that are equal but for a sign are computed once */
static hk_node sum(hk_graph *g, hk_op op, hk_node a, hk_node b) {
  if (is_number(g, b, 0.0)) return a;
  if (is_number(g, a, 0.0)) return op == HK_G_ADD ? b : negative(g, b);
  if (op == HK_G_SUB ? a == b : cancels(g, a, b)) return hki_graph_const(g, 0.0);
  if (hki_graph_is(g, b, HK_G_NEG))
    return sum(g, op == HK_G_ADD ? HK_G_SUB : HK_G_ADD, a, g->nodes[b].a[0]);
  if (hki_graph_is(g, a, HK_G_NEG) && op == HK_G_ADD) return sum(g, HK_G_SUB, b, g->nodes[a].a[0]);
  if (!g->signs) return make(g, op, a, b, 0);
  if (hki_graph_is(g, a, HK_G_NEG)) return negative(g, sum(g, HK_G_ADD, g->nodes[a].a[0], b));
  const hk_node other = op == HK_G_SUB ? reverse(g, a, b) : 0;
  return other ? negative(g, other) : make(g, op, a, b, 0);
}

/* x of x + x, |x| of |x + x|; 0: it is neither */
static hk_node half(hk_graph *g, hk_node n) {
  const hk_graph_node *x = &g->nodes[n];
  if (x->op == HK_G_ADD) return x->a[0] == x->a[1] ? x->a[0] : 0;
  const hk_node inner = x->op == HK_G_ABS ? half(g, x->a[0]) : 0;
  return inner ? make(g, HK_G_ABS, inner, 0, 0) : 0;
}

static hk_node product(hk_graph *g, hk_op op, hk_node a, hk_node b) {
  const bool times = op == HK_G_MUL;
  if (is_number(g, a, 0.0) || (times && is_number(g, b, 0.0))) return hki_graph_const(g, 0.0);
  if (is_number(g, b, 1.0)) return a;
  if (times && is_number(g, a, 1.0)) return b;
  if (is_number(g, b, -1.0)) return negative(g, a);
  if (times && is_number(g, a, -1.0)) return negative(g, b);
  if (g->signs && times && (is_number(g, a, 0.5) || is_number(g, b, 0.5))) {
    const hk_node one = half(g, is_number(g, a, 0.5) ? b : a);
    if (one) return one;
  }
  if (hki_graph_is(g, a, HK_G_NEG)) return negative(g, product(g, op, g->nodes[a].a[0], b));
  if (hki_graph_is(g, b, HK_G_NEG)) return negative(g, product(g, op, a, g->nodes[b].a[0]));
  return make(g, op, a, b, 0);
}

static bool opposite(const hk_graph *g, hk_node a, hk_node b) {
  return (hki_graph_is(g, a, HK_G_NOT) && g->nodes[a].a[0] == b) ||
         (hki_graph_is(g, b, HK_G_NOT) && g->nodes[b].a[0] == a);
}

/* x or (x and y) = x, x or (not x and y) = x or y, with `and` and `or` exchanged likewise: what is left of b beside a, `a` itself where
 * nothing is. What y is where it is not computed does not matter. */
static hk_node beside(const hk_graph *g, hk_op op, hk_node a, hk_node b) {
  const hk_graph_node *x = &g->nodes[b];
  if (x->op != (op == HK_G_OR ? HK_G_AND : HK_G_OR)) return b;
  for (int i = 0; i < 2; i++) {
    if (x->a[i] == a) return a;
    if (opposite(g, a, x->a[i])) return x->a[1 - i];
  }
  return b;
}

/* truths; known ones are the whole numbers 0 and 1 */
static hk_node logic(hk_graph *g, hk_op op, hk_node a, hk_node b) {
  const bool ia = hki_graph_is(g, a, HK_G_INT), ib = op != HK_G_NOT && hki_graph_is(g, b, HK_G_INT);
  if (op == HK_G_NOT) {
    if (ia) return hki_graph_int(g, !g->nodes[a].number);
    return hki_graph_is(g, a, HK_G_NOT) ? g->nodes[a].a[0] : make(g, HK_G_NOT, a, 0, 0);
  }
  const bool ends = op == HK_G_OR; // the value that decides
  if (ia) return (g->nodes[a].number != 0) == ends ? a : b;
  if (ib) return (g->nodes[b].number != 0) == ends ? b : a;
  if (a == b) return a;
  if (opposite(g, a, b)) return hki_graph_int(g, ends);
  const hk_node rest = beside(g, op, a, b), left = beside(g, op, b, a);
  if (rest != b) return logic(g, op, a, rest);
  if (left != a) return logic(g, op, b, left);
  if (hki_graph_is(g, a, HK_G_NOT) && hki_graph_is(g, b, HK_G_NOT))
    return logic(g, HK_G_NOT,
                 logic(g, ends ? HK_G_AND : HK_G_OR, g->nodes[a].a[0], g->nodes[b].a[0]), 0);
  return make(g, op, a, b, 0);
}

/* a number that is not below 0 */
static bool is_amount(const hk_graph *g, hk_node n, int depth) {
  const hk_graph_node *x = &g->nodes[n];
  if (x->op == HK_G_CONST) return x->value >= 0.0;
  if (x->op == HK_G_ABS || x->op == HK_G_SQRT) return true;
  return depth > 0 && (x->op == HK_G_MUL || x->op == HK_G_ADD) &&
         is_amount(g, x->a[0], depth - 1) && is_amount(g, x->a[1], depth - 1);
}

/* Is n = x < y ? y : x? The larger one of two numbers. */
static bool is_larger(const hk_graph *g, hk_node n) {
  const hk_graph_node *x = &g->nodes[n], *c = &g->nodes[x->a[0]];
  return x->op == HK_G_SELECT && c->op == HK_G_LT && c->a[0] == x->a[2] && c->a[1] == x->a[1];
}

/* Is y never above x? 0 and an amount, the larger one of two numbers and one of them. */
static bool is_below(const hk_graph *g, hk_node y, hk_node x) {
  enum { DEEP = 3 };
  if (is_number(g, y, 0.0)) return is_amount(g, x, DEEP);
  for (int i = 0; i < DEEP && x != y && is_larger(g, x); i++)
    x = g->nodes[x].a[1] == y ? y : g->nodes[x].a[2];
  return x == y;
}

/* x < y ? y : x, where one of them is known to be the larger one; 0: it is not known */
static hk_node larger(const hk_graph *g, hk_node c, hk_node a, hk_node b) {
  const hk_graph_node *x = &g->nodes[c];
  if (x->op != HK_G_LT || x->a[0] != b || x->a[1] != a) return 0;
  return is_below(g, a, b) ? b : is_below(g, b, a) ? a : 0;
}

static hk_node choose(hk_graph *g, hk_op op, hk_node c, hk_node a, hk_node b) {
  if (a == b) return a;
  const hk_node known = op == HK_G_SELECT ? larger(g, c, a, b) : 0;
  if (known) return known;
  if (g->signs && hki_graph_is(g, a, HK_G_NEG) && hki_graph_is(g, b, HK_G_NEG))
    return negative(g, choose(g, op, c, g->nodes[a].a[0], g->nodes[b].a[0]));
  if (hki_graph_is(g, c, HK_G_INT)) return g->nodes[c].number ? a : b;
  if (hki_graph_is(g, c, HK_G_NOT)) return choose(g, op, g->nodes[c].a[0], b, a);
  return make(g, op, c, a, b);
}

/* 2 pi times a number without fraction? */
static bool is_whole_turns(const hk_graph *g, hk_node n) {
  const double turn = 6.283185307179586476925;
  const hk_graph_node *x = &g->nodes[n];
  for (int i = 0; i < 2 && x->op == HK_G_MUL; i++)
    if (is_number(g, x->a[i], turn) && hki_graph_is(g, x->a[1 - i], HK_G_NEAREST)) return true;
  return false;
}

/* An angle for its sine or cosine alone: counted turns are left out, and with them, where nothing else asks for them, all that it takes to
 * count them. */
static hk_node within_a_turn(hk_graph *g, hk_node a) {
  const hk_graph_node *x = &g->nodes[a];
  const bool added = x->op == HK_G_ADD && is_whole_turns(g, x->a[0]);
  const bool either = (x->op == HK_G_ADD || x->op == HK_G_SUB) && is_whole_turns(g, x->a[1]);
  if (g->turns || (!added && !either)) return a;
  g->unturned = true;
  return x->a[added ? 1 : 0];
}

hk_node hki_graph_op(hk_graph *g, hk_op op, hk_node a, hk_node b, hk_node c) {
  switch (op) {
    case HK_G_ADD:
    case HK_G_SUB:
      return sum(g, op, a, b);
    case HK_G_MUL:
    case HK_G_DIV:
      return product(g, op, a, b);
    case HK_G_NEG:
      return negative(g, a);
    case HK_G_NOT:
    case HK_G_AND:
    case HK_G_OR:
      return logic(g, op, a, b);
    case HK_G_SELECT:
    case HK_G_CHOICE:
      return choose(g, op, a, b, c);
    case HK_G_SIN:
    case HK_G_COS:
      a = within_a_turn(g, a);
      break;
    case HK_G_ABS:
      if (g->signs && hki_graph_is(g, a, HK_G_NEG)) a = g->nodes[a].a[0];
      break;
    case HK_G_LT:
      if (a == b) return hki_graph_int(g, 0);
      break;
    case HK_G_LE:
    case HK_G_EQ:
      if (a == b) return hki_graph_int(g, 1);
      break;
    default:
      break;
  }
  return make(g, op, a, b, c);
}

/* a sum is -0 where both numbers are, a difference where its first one is and the other one +0 */
static bool may_be_minus(const hk_graph *g, hk_node n, int depth) {
  const hk_graph_node *x = &g->nodes[n];
  switch (x->op) {
    case HK_G_CONST:
      return x->value == 0.0 && signbit(x->value);
    case HK_G_LOAD:
      return x->part != 0;
    case HK_G_ABS:
    case HK_G_COS:
    case HK_G_EXP:
    case HK_G_HYPOT:
      return false;
    case HK_G_ADD:
      return depth == 0 ||
             (may_be_minus(g, x->a[0], depth - 1) && may_be_minus(g, x->a[1], depth - 1));
    case HK_G_SUB:
      return depth == 0 || may_be_minus(g, x->a[0], depth - 1);
    default:
      return true;
  }
}

bool hki_graph_may_be_minus(const hk_graph *g, hk_node n) {
  enum { DEEP = 6 };
  return hki_graph_kind[g->nodes[n].op] == 'R' && may_be_minus(g, n, DEEP);
}

/* --- tables ----------------------------------------------------------------------------------- */

int32_t hki_graph_table(hk_graph *g, int64_t lo, int32_t n, const double *x) {
  for (int32_t i = 0; i < g->ntables; i++) {
    const hk_graph_table *t = &g->tables[i];
    if (t->lo == lo && t->n == n && memcmp(t->x, x, (size_t)n * sizeof *x) == 0) return i;
  }
  if (g->ntables == g->cap_tables) {
    const int32_t cap = 2 * g->cap_tables + 16;
    hk_graph_table *more = hki_realloc(g->ctx, g->tables, (size_t)cap * sizeof *more);
    if (!more) return -1;
    g->tables = more, g->cap_tables = cap;
  }
  double *copy = hki_alloc(g->ctx, ((size_t)n + 1) * sizeof *copy);
  if (!copy) return -1;
  memcpy(copy, x, (size_t)n * sizeof *x);
  g->tables[g->ntables] = (hk_graph_table){lo, n, copy};
  return g->ntables++;
}

static hk_node of_table(hk_graph *g, hk_op op, hk_node x, int32_t table) {
  uint8_t part = g->part;
  uint32_t region = g->region;
  if (part % 2 && g->nodes[x].part != part) part--, region = 0;
  return find_or_add(
      g, (hk_graph_node){
             .op = (uint8_t)op, .part = part, .a = {x}, .region = region, .number = table});
}

hk_node hki_graph_segment(hk_graph *g, hk_node x, int32_t table) {
  return of_table(g, HK_G_SEGMENT, x, table);
}

hk_node hki_graph_gather(hk_graph *g, hk_node index, int32_t table) {
  const hk_graph_table *t = &g->tables[table];
  bool same_all = true;
  for (int32_t i = 1; i < t->n; i++) same_all = same_all && t->x[i] == t->x[0];
  return same_all ? hki_graph_const(g, t->x[0]) : of_table(g, HK_G_GATHER, index, table);
}

/* --- truths and whole numbers ------------------------------------------------------------------ */

bool hki_graph_is_truth(const hk_graph *g, hk_node n) {
  return hki_graph_kind[g->nodes[n].op] == 'B';
}

bool hki_graph_is_int(const hk_graph *g, hk_node n) {
  return hki_graph_kind[g->nodes[n].op] == 'I';
}

hk_node hki_graph_truth(hk_graph *g, hk_node n) {
  const hk_graph_node x = g->nodes[n];
  if (x.op == HK_G_INT) return hki_graph_int(g, x.number != 0);
  if (hki_graph_has_whole(g, n)) {
    const hk_node zero = hki_graph_const(g, 0.0);
    return logic(g, HK_G_NOT, hki_graph_op(g, HK_G_EQ, hki_graph_as_real(g, n), zero, 0), 0);
  }
  if (x.op != HK_G_CHOICE) return n;
  const hk_node a = hki_graph_truth(g, x.a[1]), b = hki_graph_truth(g, x.a[2]);
  if (hki_graph_is(g, a, HK_G_LOST)) return a;
  if (hki_graph_is(g, b, HK_G_LOST)) return b;
  const hk_node yes = logic(g, HK_G_AND, x.a[0], a);
  const hk_node no = logic(g, HK_G_AND, logic(g, HK_G_NOT, x.a[0], 0), b);
  if (a == b) return a;
  return logic(g, HK_G_OR, yes, no);
}

hk_node hki_graph_of_truth(hk_graph *g, hk_node n) {
  if (!hki_graph_is_truth(g, n)) return n;
  return choose(g, HK_G_CHOICE, n, hki_graph_int(g, 1), hki_graph_int(g, 0));
}

hk_node hki_graph_whole(hk_graph *g, hk_node x, int64_t mul, int64_t add) {
  const hk_graph_node *n = &g->nodes[x];
  if (n->op == HK_G_CONST) return hki_graph_int(g, mul * (int64_t)n->value + add);
  if (mul == 0) return hki_graph_int(g, add);
  hk_graph_node w = {.op = HK_G_WHOLE, .part = n->part, .region = n->region, .a = {x}};
  w.number = mul, w.value = (double)add;
  return find_or_add(g, w);
}

hk_node hki_graph_as_real(hk_graph *g, hk_node whole) {
  const hk_graph_node x = g->nodes[whole];
  // numbers of 32 bits are kept without their sign
  if (x.op == HK_G_INT)
    return hki_graph_const(
        g, (double)(x.number >> 31 == 1 ? x.number - ((int64_t)1 << 32) : x.number));
  if (x.op == HK_G_WHOLE) {
    const hk_node scaled = product(g, HK_G_MUL, x.a[0], hki_graph_const(g, (double)x.number));
    return sum(g, HK_G_ADD, scaled, hki_graph_const(g, x.value));
  }
  if (x.op == HK_G_CHOICE) {
    const hk_node a = hki_graph_as_real(g, x.a[1]), b = hki_graph_as_real(g, x.a[2]);
    return choose(g, HK_G_SELECT, x.a[0], a, b);
  }
  return choose(g, HK_G_SELECT, whole, hki_graph_const(g, 1.0), hki_graph_const(g, 0.0));
}

bool hki_graph_has_whole(const hk_graph *g, hk_node n) {
  const hk_graph_node *x = &g->nodes[n];
  return x->op == HK_G_WHOLE || (x->op == HK_G_CHOICE && x->value != 0.0);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * packs.c: finds operations that can be carried out two or four at a time. They are of one kind and come from the
 * same instruction of the kernel by the same calls (`place`), which a loop over like parts carries out once for each.
 *
 * 1. The number of parts K is the one with which most is saved: the sum over the places whose operations can be dealt out
 *    to K parts.
 * 2. Where a place has made K operations, they are the parts' in their order: packs to begin with.
 * 3. From a pack others follow: the operands of its lanes, if they are alike, and what the lanes are operands of, if each
 *    has as many like users.
 * 4. Places with a multiple of K operations that are left are dealt out part after part.
 * 5. What is left is packed by its form: operations of one kind on operands of the same kinds, which wait for as long a
 *    row of others (so that none waits for another): the tiles of a factorisation.
 * 6. Packs that cost more than they save are taken apart: a pack saves all operations but one, values that come from
 *    several places have to be put together, and lanes that are used alone have to be taken out.
 *
 * Sums and differences go together, with signs that change on the way: the vehicle's other side is a mirror image. No
 * result changes by packing: a lane computes what it would have computed alone.
 */
#include "codegen/packs.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PARTS = 64, MOST_USERS = 64 };

/* like nodes stand together */
typedef struct entry {
  uint64_t key;
  hk_node node;
} entry;

typedef struct run {
  uint32_t begin, end;
} run;

typedef struct finder {
  hk_plan *p;
  const hk_graph *g;
  uint64_t *key;   /* of each node: those with the same are alike */
  uint32_t *level; /* of each node: the longest row of operations of its part that it waits for */
  entry *sorted;
  uint32_t nsorted;
  run *runs; /* of like nodes, by their first */
  uint32_t nruns;
  hk_node *left;    /* scratch: those of a run that are in no pack */
  uint32_t *shared; /* packs by the values that they take */
  size_t nshared;
  uint32_t *first, *user; /* users of node n: user[first[n] .. first[n + 1] - 1] */
  int32_t done;           /* packs from which others have been looked for */
} finder;

/* --- likeness --------------------------------------------------------------------------------- */

bool hki_packs_can(int op) {
  switch (op) {
    case HK_G_ADD:
    case HK_G_SUB:
    case HK_G_MUL:
    case HK_G_DIV:
    case HK_G_NEG:
    case HK_G_ABS:
    case HK_G_SQRT:
    case HK_G_MIN:
    case HK_G_MAX:
    case HK_G_LT:
    case HK_G_LE:
    case HK_G_EQ:
    case HK_G_NOT:
    case HK_G_AND:
    case HK_G_OR:
    case HK_G_SELECT:
    case HK_G_SIN:
    case HK_G_COS:
      return true;
    default:
      return false;
  }
}

static int kind_of(const hk_graph_node *x) { return x->op == HK_G_SUB ? HK_G_ADD : x->op; }

static uint64_t mix(uint64_t h, uint64_t x) {
  h = (h ^ x) * 0xff51afd7ed558ccdu;
  return h ^ h >> 29;
}

static uint64_t where(const hk_plan *p, hk_node n) {
  const hk_graph_node *x = hki_graph_at(&p->t->g, n);
  return mix(mix(mix(1, x->part), p->region[n]), (uint64_t)kind_of(x));
}

/* likeness by the instruction that has made a node */
static void find_places(finder *f) {
  for (hk_node n = 1; n < f->g->n; n++) f->key[n] = mix(where(f->p, n), f->g->nodes[n].place);
}

/* likeness by the kinds of operands */
static void find_forms(finder *f) {
  for (hk_node n = 1; n < f->g->n; n++) {
    const hk_graph_node *x = &f->g->nodes[n];
    uint64_t kinds = 0;
    for (int i = 0; i < hki_graph_operands[x->op]; i++)
      kinds += mix(2, (uint64_t)kind_of(&f->g->nodes[x->a[i]]));
    f->key[n] = mix(where(f->p, n), kinds);
  }
}

static bool alike(const finder *f, hk_node a, hk_node b) { return f->key[a] == f->key[b]; }

static bool packable(const hk_plan *p, hk_node n) {
  return n && p->needed[n] && !p->pack_of[n] && hki_packs_can(p->t->g.nodes[n].op);
}

/* --- operands --------------------------------------------------------------------------------- */

static bool swaps(int op) {
  return op == HK_G_ADD || op == HK_G_SUB || op == HK_G_MUL || op == HK_G_EQ || op == HK_G_AND ||
         op == HK_G_OR;
}

/* how well two operands go together as lanes 0 and k of one value */
static int fits(const finder *f, hk_node a, hk_node b, int k) {
  const hk_plan *p = f->p;
  const hk_graph *g = f->g;
  if (a == b) return 4;
  if (p->pack_of[a] && p->pack_of[a] == p->pack_of[b])
    return p->lane_of[a] == 0 && p->lane_of[b] == k ? 5 : 0;
  if (p->pack_of[a] || p->pack_of[b]) return 0;
  if (hki_graph_is(g, a, HK_G_CONST) && hki_graph_is(g, b, HK_G_CONST)) return 3;
  if (hki_graph_is(g, a, HK_G_LOAD) && hki_graph_is(g, b, HK_G_LOAD)) return 2;
  return alike(f, a, b) ? 3 : 0;
}

static void set_swaps(const finder *f, hk_pack *q) {
  const hk_graph_node *x = hki_graph_at(f->g, q->lane[0]);
  q->swap = 0;
  if (!swaps(x->op)) return;
  for (int i = 1; i < q->width; i++) {
    const hk_graph_node *y = hki_graph_at(f->g, q->lane[i]);
    const int as_is = fits(f, x->a[0], y->a[0], i) + fits(f, x->a[1], y->a[1], i);
    const int other = fits(f, x->a[0], y->a[1], i) + fits(f, x->a[1], y->a[0], i);
    if (other > as_is) q->swap |= (uint8_t)(1u << i);
  }
}

void hki_packs_operand(const hk_plan *p, const hk_pack *q, int k, hk_node *lanes, uint32_t *flip) {
  *flip = 0;
  for (int i = 0; i < q->width; i++) {
    const hk_graph_node *x = hki_graph_at(&p->t->g, q->lane[i]);
    const int from = k < 2 && (q->swap >> i & 1) ? 1 - k : k;
    lanes[i] = x->a[from];
    if (x->op == HK_G_SUB && from == 1) *flip |= 1u << i;
  }
}

/* --- packs ------------------------------------------------------------------------------------ */

/* is b an operand of a? */
static bool takes(const hk_plan *p, hk_node a, hk_node b) {
  const hk_graph_node *x = hki_graph_at(&p->t->g, a);
  return x->a[0] == b || x->a[1] == b || x->a[2] == b;
}

static bool add_pack(finder *f, const hk_node *n, int width) {
  hk_plan *p = f->p;
  for (int i = 0; i < width; i++) {
    if (!packable(p, n[i]) || !alike(f, n[0], n[i]) || where(p, n[0]) != where(p, n[i]))
      return false;
    for (int j = 0; j < i; j++)
      if (n[i] == n[j] || takes(p, n[i], n[j]) || takes(p, n[j], n[i])) return false;
  }
  hk_pack *q = &p->packs[p->npacks++];
  *q = (hk_pack){.width = (uint8_t)width};
  for (int i = 0; i < width; i++) {
    q->lane[i] = n[i];
    p->pack_of[n[i]] = (uint32_t)p->npacks, p->lane_of[n[i]] = (uint8_t)i;
  }
  return true;
}

/* K lanes as packs of four and two */
static void add_packs(finder *f, const hk_node *n, uint32_t count) {
  while (count >= 2) {
    const uint32_t w = count >= 4 ? 4 : 2;
    add_pack(f, n, (int)w);
    n += w, count -= w;
  }
}

static void pack_operands(finder *f, int32_t k) {
  hk_node lanes[HK_PACK_WIDTH];
  uint32_t flip;
  set_swaps(f, &f->p->packs[k]);
  for (int i = 0; i < hki_graph_operands[f->g->nodes[f->p->packs[k].lane[0]].op]; i++) {
    const hk_pack q = f->p->packs[k];
    hki_packs_operand(f->p, &q, i, lanes, &flip);
    add_pack(f, lanes, q.width);
  }
}

/* the users of a node that are like `u`: how many, and the one of number `which` */
static uint32_t like_users(const finder *f, hk_node n, hk_node u, uint32_t which, hk_node *found) {
  uint32_t count = 0;
  for (uint32_t i = f->first[n]; i < f->first[n + 1]; i++) {
    if (i > f->first[n] && f->user[i] == f->user[i - 1]) continue; // twice an operand
    if (!alike(f, f->user[i], u)) continue;
    if (count++ == which) *found = f->user[i];
  }
  return count;
}

static uint32_t number_of(const finder *f, hk_node n, hk_node u) {
  uint32_t number = 0;
  for (uint32_t i = f->first[n]; f->user[i] != u; i++)
    number += alike(f, f->user[i], u) && (i == f->first[n] || f->user[i] != f->user[i - 1]);
  return number;
}

static void pack_users(finder *f, int32_t k) {
  const hk_pack q = f->p->packs[k];
  const hk_node n = q.lane[0];
  if (f->first[n + 1] - f->first[n] > MOST_USERS) return;
  for (uint32_t i = f->first[n]; i < f->first[n + 1]; i++) {
    hk_node lanes[HK_PACK_WIDTH] = {f->user[i]}, none;
    if (!packable(f->p, f->user[i])) continue;
    const uint32_t which = number_of(f, n, f->user[i]),
                   all = like_users(f, n, f->user[i], 0, &none);
    bool every = true;
    for (int j = 1; j < q.width && every; j++)
      every = like_users(f, q.lane[j], f->user[i], which, &lanes[j]) == all;
    if (every) add_pack(f, lanes, q.width);
  }
}

static void follow(finder *f) {
  for (; f->done < f->p->npacks; f->done++) {
    pack_operands(f, f->done);
    pack_users(f, f->done);
  }
}

/* --- beginnings ------------------------------------------------------------------------------- */

static int by_key(const void *a, const void *b) {
  const entry *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return x->node < y->node ? -1 : x->node > y->node;
}

static int by_begin(const void *a, const void *b) {
  const run *x = a, *y = b;
  return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* Runs of like nodes that are in no pack. levels: and that wait for as long a row of others. */
static void find_runs(finder *f, bool levels) {
  f->nsorted = f->nruns = 0;
  for (hk_node n = 1; n < f->g->n; n++)
    if (packable(f->p, n))
      f->sorted[f->nsorted++] = (entry){levels ? mix(f->key[n], f->level[n]) : f->key[n], n};
  if (f->nsorted) qsort(f->sorted, f->nsorted, sizeof *f->sorted, by_key);
  // runs in the order of their first nodes: each is found again by that node
  for (uint32_t i = 0, k; i < f->nsorted; i = k) {
    for (k = i + 1; k < f->nsorted && f->sorted[k].key == f->sorted[i].key;) k++;
    f->left[f->sorted[i].node] = i;
    f->runs[f->nruns++] = (run){f->sorted[i].node, k};
  }
  if (f->nruns) qsort(f->runs, f->nruns, sizeof *f->runs, by_begin);
  for (uint32_t i = 0; i < f->nruns; i++) f->runs[i].begin = f->left[f->runs[i].begin];
}

/* operations that are saved by dealing out to K parts */
static uint64_t saved(const finder *f, uint32_t parts) {
  uint64_t all = 0;
  const uint32_t packs = parts / 4 + (parts % 4) / 2 + parts % 2;
  for (uint32_t i = 0; i < f->nruns; i++) {
    const uint32_t n = f->runs[i].end - f->runs[i].begin;
    if (n % parts == 0) all += (uint64_t)n / parts * (parts - packs);
  }
  return all;
}

static uint32_t choose_parts(const finder *f) {
  uint32_t best = 0;
  uint64_t most = 0;
  for (uint32_t k = 2; k <= MOST_PARTS; k++) {
    const uint64_t s = saved(f, k);
    if (s > most) most = s, best = k;
  }
  return best;
}

/* those of a run that are in no pack: how many, in f->left */
static uint32_t find_left(finder *f, const run *r) {
  uint32_t n = 0;
  for (uint32_t j = r->begin; j < r->end; j++)
    if (!f->p->pack_of[f->sorted[j].node]) f->left[n++] = f->sorted[j].node;
  return n;
}

/* places with K operations, or with a multiple of it that is left: those of a part stand together */
static void begin(finder *f, uint32_t parts, bool multiples) {
  hk_node lanes[MOST_PARTS];
  for (uint32_t i = 0; i < f->nruns; i++) {
    if (!multiples && f->runs[i].end - f->runs[i].begin != parts) continue;
    const uint32_t n = find_left(f, &f->runs[i]);
    if (!n || n % parts) continue;
    const uint32_t each = n / parts;
    for (uint32_t c = 0; c < each; c++) {
      for (uint32_t j = 0; j < parts; j++) lanes[j] = f->left[j * each + c];
      add_packs(f, lanes, parts);
    }
    if (multiples) follow(f);
  }
}

/* what is left, by its form */
static void begin_forms(finder *f) {
  for (uint32_t i = 0; i < f->nruns; i++) {
    add_packs(f, f->left, find_left(f, &f->runs[i]));
    follow(f);
  }
}

static void find_levels(finder *f) {
  for (hk_node n = 1; n < f->g->n; n++) {
    const hk_graph_node *x = &f->g->nodes[n];
    for (int i = 0; i < hki_graph_operands[x->op]; i++)
      if (f->g->nodes[x->a[i]].part == x->part && f->level[x->a[i]] >= f->level[n])
        f->level[n] = f->level[x->a[i]] + 1;
  }
}

/* --- what they cost --------------------------------------------------------------------------- */

/* is a value of several lanes a pack as it is? */
static bool aligned(const hk_plan *p, const hk_node *lanes, int width) {
  const uint32_t q = p->pack_of[lanes[0]];
  if (!q || p->packs[q - 1].width != width) return false;
  for (int i = 0; i < width; i++)
    if (lanes[i] != p->packs[q - 1].lane[i]) return false;
  return true;
}

/* known numbers, or one value in all lanes: nothing to be put together */
static bool plain(const hk_plan *p, const hk_node *lanes, int width) {
  bool same = true, known = true;
  for (int i = 0; i < width; i++) {
    same = same && lanes[i] == lanes[0];
    known = known && hki_graph_is(&p->t->g, lanes[i], HK_G_CONST);
  }
  return same || known;
}

/* is the pack of `n` an operand of the pack of `u` as it is? */
static bool feeds(const hk_plan *p, hk_node n, hk_node u) {
  hk_node lanes[HK_PACK_WIDTH];
  uint32_t flip;
  if (!p->pack_of[u]) return false;
  const hk_pack *q = &p->packs[p->pack_of[u] - 1];
  for (int k = 0; k < hki_graph_operands[p->t->g.nodes[u].op]; k++) {
    hki_packs_operand(p, q, k, lanes, &flip);
    if (lanes[p->lane_of[u]] == n && aligned(p, lanes, q->width)) return true;
  }
  return false;
}

/* What is counted, in twelfths of an operation: taking a lane out, putting two or four values together, copying one
 * into all lanes, changing signs; sine and cosine are a row of operations. */
enum { ONE = 12, COPY = 6, FUNCTION = 20 * ONE };
static const int take_cost[HK_PACK_WIDTH] = {2, 12, 12, 18};
static int join_cost(int width) { return width == 2 ? 12 : 36; }

/* has a lane to be taken out: is it used alone? *packed: and is it used as a lane? */
static bool taken_out(const finder *f, hk_node n, bool *packed) {
  bool out = f->p->kept[n];
  for (uint32_t i = f->first[n]; i < f->first[n + 1]; i++) {
    const bool fed = feeds(f->p, n, f->user[i]);
    *packed |= fed;
    out |= !fed;
  }
  return out;
}

/* packs that take this value of several lanes; add: one more. Values with the same key count as one. */
static uint32_t sharers(const finder *f, const hk_node *lanes, int width, bool add) {
  uint64_t h = (uint64_t)width;
  for (int i = 0; i < width; i++) h = mix(h, lanes[i]);
  uint32_t *n = &f->shared[h % f->nshared];
  *n += add;
  return *n ? *n : 1;
}

static void count_sharers(finder *f) {
  hk_node lanes[HK_PACK_WIDTH];
  uint32_t flip;
  memset(f->shared, 0, f->nshared * sizeof *f->shared);
  for (int32_t k = 0; k < f->p->npacks; k++) {
    const hk_pack *q = &f->p->packs[k];
    for (int i = 0; q->width && i < hki_graph_operands[f->g->nodes[q->lane[0]].op]; i++) {
      hki_packs_operand(f->p, q, i, lanes, &flip);
      if (!aligned(f->p, lanes, q->width)) sharers(f, lanes, q->width, true);
    }
  }
}

/* what a pack pays for an operand, or what it saves by taking that as it is */
static int operand_gain(const finder *f, const hk_pack *q, int k) {
  hk_node lanes[HK_PACK_WIDTH];
  uint32_t flip;
  int gain = 0;
  bool none = false, same = true;
  hki_packs_operand(f->p, q, k, lanes, &flip);
  if (flip != 0 && flip != (1u << q->width) - 1) gain -= ONE;
  if (aligned(f->p, lanes, q->width)) {
    for (int i = 0; i < q->width; i++)
      if (!taken_out(f, lanes[i], &none)) gain += take_cost[i];
    return gain;
  }
  for (int i = 1; i < q->width; i++) same = same && lanes[i] == lanes[0];
  if (plain(f->p, lanes, q->width) && !same) return gain;
  return gain - (same ? COPY : join_cost(q->width)) / (int)sharers(f, lanes, q->width, false);
}

/* what is saved by a pack */
static int gain_of(const finder *f, const hk_pack *q) {
  const int op = f->g->nodes[q->lane[0]].op;
  int gain = (q->width - 1) * (op == HK_G_SIN || op == HK_G_COS ? FUNCTION : ONE);
  bool packed = false;
  for (int i = 0; i < q->width; i++)
    if (taken_out(f, q->lane[i], &packed)) gain -= take_cost[i];
  if (packed) gain += join_cost(q->width); // else it would have to be put together
  for (int k = 0; k < hki_graph_operands[op]; k++) gain += operand_gain(f, q, k);
  return gain;
}

void hki_packs_undo(hk_plan *p, uint32_t k) {
  hk_pack *q = &p->packs[k];
  for (int i = 0; i < q->width; i++) p->pack_of[q->lane[i]] = 0;
  q->width = 0;
}

static void prune(finder *f) {
  enum { PASSES = 20 };
  hk_plan *p = f->p;
  for (int pass = 0; pass < PASSES; pass++) {
    bool more = false;
    for (int32_t k = 0; k < p->npacks; k++)
      if (p->packs[k].width) set_swaps(f, &p->packs[k]);
    count_sharers(f);
    for (int32_t k = 0; k < p->npacks; k++) {
      if (!p->packs[k].width || gain_of(f, &p->packs[k]) > 0) continue;
      hki_packs_undo(p, (uint32_t)k);
      more = true;
    }
    if (!more) break;
  }
}

/* What all packs save, as a part of the operations. */
static double saved_by_all(finder *f) {
  int64_t saved = 0;
  count_sharers(f);
  for (int32_t k = 0; k < f->p->npacks; k++) {
    const hk_pack *q = &f->p->packs[k];
    bool packed = false;
    if (!q->width) continue;
    saved += (q->width - 1) * ONE;
    for (int i = 0; i < q->width; i++)
      if (taken_out(f, q->lane[i], &packed)) saved -= take_cost[i];
    for (int i = 0; i < hki_graph_operands[f->g->nodes[q->lane[0]].op]; i++) {
      const int gain = operand_gain(f, q, i);
      if (gain < 0) saved += gain;
    }
  }
  return (double)saved / (ONE * (1.0 + f->p->operations));
}

/* --- life ------------------------------------------------------------------------------------- */

static bool find_users(finder *f) {
  const hk_graph *g = f->g;
  hk_pool *pool = f->p->t->pool;
  uint32_t all = 0;
  f->first = hki_pool_alloc(pool, ((size_t)g->n + 2) * sizeof *f->first);
  if (!f->first) return false;
  for (uint32_t n = 1; n < g->n; n++)
    for (int i = 0; i < 3 && f->p->needed[n]; i++)
      if (g->nodes[n].a[i]) f->first[g->nodes[n].a[i] + 1]++, all++;
  for (uint32_t n = 1; n <= g->n; n++) f->first[n] += f->first[n - 1];
  f->user = hki_pool_alloc(pool, ((size_t)all + 1) * sizeof *f->user);
  uint32_t *next = hki_pool_alloc(pool, ((size_t)g->n + 1) * sizeof *next);
  if (!f->user || !next) return false;
  memcpy(next, f->first, (size_t)g->n * sizeof *next);
  for (uint32_t n = 1; n < g->n; n++)
    for (int i = 0; i < 3 && f->p->needed[n]; i++)
      if (g->nodes[n].a[i]) f->user[next[g->nodes[n].a[i]]++] = n;
  return true;
}

static bool make_room(finder *f) {
  hk_pool *pool = f->p->t->pool;
  const size_t n = f->g->n;
  f->p->packs = hki_pool_alloc(pool, (n + 1) * sizeof *f->p->packs);
  f->key = hki_pool_alloc(pool, n * sizeof *f->key);
  f->level = hki_pool_alloc(pool, n * sizeof *f->level);
  f->sorted = hki_pool_alloc(pool, n * sizeof *f->sorted);
  f->runs = hki_pool_alloc(pool, n * sizeof *f->runs);
  f->left = hki_pool_alloc(pool, n * sizeof *f->left);
  f->nshared = 8 * n + 1;
  f->shared = hki_pool_alloc(pool, f->nshared * sizeof *f->shared);
  return f->p->packs && f->key && f->level && f->sorted && f->runs && f->left && f->shared &&
         find_users(f);
}

hk_status hki_packs_find(hk_plan *p) {
  finder f = {.p = p, .g = &p->t->g};
  if (!make_room(&f)) return HK_E_MEMORY;
  find_levels(&f);
  find_places(&f);
  find_runs(&f, false);
  const uint32_t parts = choose_parts(&f);
  if (parts) {
    begin(&f, parts, false);
    follow(&f);
    begin(&f, parts, true);
    prune(&f);
  }
  find_forms(&f);
  find_runs(&f, true);
  begin_forms(&f);
  prune(&f);
  p->saved = saved_by_all(&f);
  return HK_OK;
}

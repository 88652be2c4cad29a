/* SPDX-License-Identifier: Apache-2.0
 *
 * graph.h: what is left of a computation when everything that does not depend on the state has been carried out: a
 * graph of operations on numbers. Equal operations are one node; what is known of zeros and ones is used:
 *
 *   x + 0 = x      x 0 = 0      x 1 = x      x - x = 0      -(-x) = x      x + (-y) = x - y      c x + (-c) x = 0
 *   max(0, |x|) = |x|      max(max(x, y), x) = max(x, y)      0.5 (x + x) = x
 *
 * These hold for finite x, but for the sign of a zero. One more holds to round-off, where functions differ from those of the C library
 * anyway (functions.h): sin(x + 2 pi n) = sin(x), and so for the cosine; it can be left out (`turns`). No other law is used: sums keep
 * their order, so that all other results are those of the library to the last bit.
 *
 * Whole numbers that depend on the state are decisions: CHOICE nodes with known numbers at their leaves.
 */
#ifndef HK_CODEGEN_GRAPH_H
#define HK_CODEGEN_GRAPH_H

#include "base/base.h"

typedef uint32_t hk_node; /* 0: no node, the value is known */

typedef enum hk_op {
#define N(name, operands, kind, text) HK_G_##name,
#include "codegen/graph.def"
#undef N
  HK_G_OPS
} hk_op;

typedef struct hk_graph_node {
  uint8_t op;
  uint8_t part; /* of the step in which it is computed; odd: inside of a loop */
  hk_node a[3];
  uint32_t region; /* way of a branch in which it is computed, 0: outside of all */
  uint32_t cell;   /* LOAD: address of the cell */
  uint32_t place;  /* the instruction that made it and the calls around that, as one number */
  double value;    /* CONST */
  int64_t number;  /* INT; SEGMENT, GATHER: the table; CHOICE: its leaves */
} hk_graph_node;

/* one of the two ways of a branch */
typedef struct hk_graph_region {
  uint32_t parent;
  hk_node condition; /* that it is taken: itself, or where `no` its opposite */
  bool no;
  uint8_t part;
  uint32_t place; /* of the branch, as of nodes */
} hk_graph_region;

/* known numbers that the state chooses from: the entries lo .. lo + n - 1 */
typedef struct hk_graph_table {
  int64_t lo;
  int32_t n;
  double *x;
} hk_graph_table;

typedef struct hk_graph {
  hk_ctx *ctx;
  hk_graph_node *nodes; /* from 1 on */
  uint32_t n, cap;
  uint32_t *hash; /* table of nodes, 0: empty */
  uint32_t hash_size;
  uint8_t part;    /* in which new nodes are computed */
  uint8_t from;    /* nodes of earlier parts are not used again */
  uint32_t region; /* in which new nodes are computed */
  uint32_t place;  /* of new nodes */
  /* Values that are equal but for a sign are computed once, with zeros of either sign. Like parts of a model are less alike then: not
   * where packs are looked for. */
  bool signs;
  bool turns;    /* sines are those of angles with their counted turns, as in the library */
  bool unturned; /* there is a sine of an angle without them */
  hk_graph_region *regions;
  uint32_t nregions, cap_regions;

  int32_t ntables, cap_tables;
  hk_graph_table *tables;
  bool failed; /* no memory */
} hk_graph;

hk_status hki_graph_create(hk_ctx *ctx, hk_graph *g);
void hki_graph_destroy(hk_graph *g);
/* forgets the nodes from `n` on and the ways from `regions` on: what was tried has failed */
void hki_graph_rewind(hk_graph *g, hk_node n, uint32_t regions);

hk_node hki_graph_const(hk_graph *g, double x);
hk_node hki_graph_int(hk_graph *g, int64_t x);
/* a new variable each time */
hk_node hki_graph_load(hk_graph *g, uint32_t cell);
/* an operation on nodes; simplified. The result may be a constant node. */
hk_node hki_graph_op(hk_graph *g, hk_op op, hk_node a, hk_node b, hk_node c);
/* Can the number be -0? Those at the beginning of a step are not. */
bool hki_graph_may_be_minus(const hk_graph *g, hk_node n);

static inline const hk_graph_node *hki_graph_at(const hk_graph *g, hk_node n) {
  return &g->nodes[n];
}
static inline bool hki_graph_is(const hk_graph *g, hk_node n, hk_op op) {
  return g->nodes[n].op == op;
}

/* truth of a whole number: != 0. A truth as one: CHOICE(c, 1, 0). */
hk_node hki_graph_truth(hk_graph *g, hk_node n);
hk_node hki_graph_of_truth(hk_graph *g, hk_node n);
bool hki_graph_is_truth(const hk_graph *g, hk_node n);
bool hki_graph_is_int(const hk_graph *g, hk_node n);

/* a way of a branch within the present one; it becomes the present one */
void hki_graph_enter(hk_graph *g, hk_node condition, bool no);
/* is way `a` the same as `b` or around it? */
bool hki_graph_around(const hk_graph *g, uint32_t a, uint32_t b);
/* that the present way is taken */
hk_node hki_graph_way(hk_graph *g);
/* what a truth is on the present way, as far as the conditions of the ways around it say */
typedef enum hk_known { HK_KNOWN_NOT, HK_KNOWN_FALSE, HK_KNOWN_TRUE } hk_known;
hk_known hki_graph_known(const hk_graph *g, hk_node truth);

/* a table of these numbers; -1: no memory */
int32_t hki_graph_table(hk_graph *g, int64_t lo, int32_t n, const double *x);
hk_node hki_graph_segment(hk_graph *g, hk_node x, int32_t table);
hk_node hki_graph_gather(hk_graph *g, hk_node index, int32_t table);
/* the whole number mul x + add, of a number x without fraction; the number that a whole number is */
hk_node hki_graph_whole(hk_graph *g, hk_node x, int64_t mul, int64_t add);
hk_node hki_graph_as_real(hk_graph *g, hk_node whole);
bool hki_graph_has_whole(const hk_graph *g, hk_node n);

/* texts of the table */
extern const char *const hki_graph_text[HK_G_OPS];
extern const uint8_t hki_graph_operands[HK_G_OPS];
extern const char hki_graph_kind[HK_G_OPS];

#endif

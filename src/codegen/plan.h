/* SPDX-License-Identifier: Apache-2.0
 *
 * plan.h: what of a traced step has to be computed, and where: the nodes that the state at its end depends on, the cells
 * that make the state, and the branches that are worth being branches.
 */
#ifndef HK_CODEGEN_PLAN_H
#define HK_CODEGEN_PLAN_H

#include "codegen/trace.h"

enum { HK_PACK_WIDTH = 4 };
/* A node is needed; also in the first turn of its iteration. What is needed in later turns alone (numbers that the first turn sets, and the
 * others keep) asks for no value from before the iteration. */
enum { HK_NEEDED = 1, HK_NEEDED_FIRST = 2 };

/* like operations that are carried out as one (packs.h) */
typedef struct hk_pack {
  hk_node lane[HK_PACK_WIDTH];
  uint8_t width; /* 2 or 4; 0: taken apart again */
  uint8_t swap;  /* bits of lanes whose two operands change places */
} hk_pack;

typedef struct hk_plan {
  hk_followed *t;
  int32_t nx;          /* numbers of the state: q, v, a, t, then what else is needed */
  int32_t *cell;       /* nx: index of its cell in t->states */
  uint8_t *needed;     /* of each node: 0, HK_NEEDED, with HK_NEEDED_FIRST */
  uint32_t *uses;      /* how often it is an operand */
  uint32_t *region;    /* way of a branch that it is computed in, small ways being none */
  uint8_t *kept;       /* used by something that is no node: a state, a failure, a way */
  uint8_t *assured;    /* the step fails without this truth (1), or with it (2) */
  uint8_t *escapes;    /* used outside of its way, or after its part */
  uint8_t *inlined;    /* written where it is used */
  hk_node *pair;       /* of a sine or cosine: the other one of the same angle */
  uint32_t *effective; /* of each region: the one that its nodes are computed in */
  bool packing;
  double saved; /* by packs, of all operations */
  int32_t npacks;
  hk_pack *packs;
  uint32_t *pack_of; /* of each node: 1 + its pack, 0: none */
  uint8_t *lane_of;  /* and its place there */
  uint32_t *order;   /* nodes in the order in which they are written; of a pack its first */
  uint32_t norder;
  uint32_t *todo, *count; /* scratch */
  uint32_t ntodo;
  int32_t operations; /* nodes that are computed */
  int64_t bytes;      /* of the text, set by its writer */
  bool lost;          /* something is needed that could not be followed */
} hk_plan;

/* branch: a way with at least so many nodes is a branch of the program; 0: there are no branches; negative: none either,
 * but the state has the numbers of a program with them. packs: like operations
 * are found and packed. */
hk_status hki_plan_create(hk_followed *t, int32_t branch, bool packs, hk_plan *out);

#endif

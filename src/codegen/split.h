/* SPDX-License-Identifier: Apache-2.0
 *
 * split.h: a step shared by several warps of a graphics processor: each of 32 worlds is a lane of all of them, and every
 * operation belongs to one warp. Operations lie in phases; between two phases all warps wait for each other. A value that
 * another warp takes lies in a slot of the memory that they share, from its phase to the last one that takes it.
 */
#ifndef HK_CODEGEN_SPLIT_H
#define HK_CODEGEN_SPLIT_H

#include "codegen/plan.h"

enum { HK_MOST_WARPS = 8 };

typedef struct hk_split {
  int32_t warps;
  uint8_t *warp;   /* of each node that is written: who computes it */
  uint32_t *phase; /* and when; phases of a part follow those of the part before */
  int32_t *slot;   /* where others find it; -1: nobody else takes it */
  hk_node *order;  /* of all nodes that are written, phase by phase */
  uint32_t norder;
  uint32_t *first; /* of each part: its first phase; one more behind the last */
  int32_t nslots;
  int32_t **cell, ncells; /* of each iteration: numbers of its variables that are read; of all */
  int64_t cost;           /* operations of the busiest warp of each phase, and what waiting costs */
} hk_split;

/* A share among so many warps, 2 to HK_MOST_WARPS, of a plan without branches and packs. */
hk_status hki_split_create(const hk_plan *p, int32_t warps, hk_split *out);
/* The plan of a step for a card: one that so many warps share (out->warps), or with 0 or 1 for one thread, in depth (order.h). branch: that of
 * the plan. */
hk_status hki_split_plan(hk_plan *p, int32_t branch, int32_t warps, hk_split *out);
/* numbers of a world that all warps see: the state, variables of iterations, slots */
int32_t hki_split_numbers(const hk_plan *p, const hk_split *s);
/* who writes a number that may be known, or no node of its own: number i of a list */
int32_t hki_split_owner(const hk_split *s, const hk_plan *p, hk_node n, int32_t i);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * plan.h: what of a traced step has to be computed, and where: the nodes that the state at its end depends on, the cells
 * that make the state, and the branches that are worth being branches.
 */
#ifndef HK_CODEGEN_PLAN_H
#define HK_CODEGEN_PLAN_H

#include "codegen/trace.h"

typedef struct hk_plan {
  hk_followed *t;
  int32_t nx;             /* numbers of the state: q, v, a, t, then what else is needed */
  int32_t *cell;          /* nx: index of its cell in t->states */
  uint8_t *needed;        /* of each node */
  uint32_t *uses;         /* how often it is an operand */
  uint32_t *region;       /* way of a branch that it is computed in, small ways being none */
  uint8_t *escapes;       /* used outside of its way, or after its part */
  uint8_t *inlined;       /* written where it is used */
  hk_node *pair;          /* of a sine or cosine: the other one of the same angle */
  uint32_t *effective;    /* of each region: the one that its nodes are computed in */
  uint32_t *todo, *count; /* scratch */
  uint32_t ntodo;
  int32_t operations; /* nodes that are computed */
  int64_t bytes;      /* of the text, set by its writer */
  bool lost;          /* something is needed that could not be followed */
} hk_plan;

/* branch: a way with at least so many nodes is a branch of the program; 0: there are no branches */
hk_status hki_plan_create(hk_followed *t, int32_t branch, hk_plan *out);

#endif

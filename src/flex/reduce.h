/* SPDX-License-Identifier: Apache-2.0
 *
 * reduce.h: from a finite-element model to a body with a few modes.
 */
#ifndef HK_FLEX_REDUCE_H
#define HK_FLEX_REDUCE_H

#include "flex/fe.h"
#include "flex/flex.h"

/* an interface: nodes that move together as a rigid piece, or (average) whose mean motion it is */
typedef struct hk_plan_face {
  const char *name;
  const hk_fe_set *set;
  bool placed; /* at p, else at the middle of its nodes */
  double p[3];
  bool average;
} hk_plan_face;

typedef struct hk_reduce_plan {
  int32_t nface;
  const hk_plan_face *face;
  int32_t modes; /* with fixed interfaces; without interfaces: of the free body */
} hk_reduce_plan;

/* the interfaces of a plan from texts (plan.c); errors at loc */
hk_status hki_plan_faces(hk_ctx *ctx, hk_loc loc, hk_pool *pool, const hk_fe *fe, int32_t n,
                         const char *const *texts, hk_reduce_plan *out);

/* The body, in the pool. Its frame has the axes and origin of the finite-element model. Errors in words to ctx,
 * at loc. */
hk_status hki_reduce(hk_ctx *ctx, hk_loc loc, hk_pool *pool, const hk_fe *fe,
                     const hk_reduce_plan *opt, hk_flex *out);

/* refuses a model of several pieces, with a node of each (pieces.c) */
hk_status hki_fe_one_piece(hk_ctx *ctx, hk_loc loc, const hk_fe *fe, const hk_reduce_plan *plan);

/* The invariants of `ne` shapes V (ne x fe->ndof, one after the other): all of hk_flex but its faces, stiffness,
 * table of modes and what is drawn. */
hk_status hki_flex_invariants(hk_ctx *ctx, hk_pool *pool, const hk_fe *fe, int32_t ne,
                              const double *V, hk_flex *out);
/* What is drawn of out->ne shapes V: the surface, translations and, where they are known, stresses of its nodes (draw.c);
 * false: no memory */
bool hki_flex_draw(hk_ctx *ctx, hk_pool *pool, const hk_fe *fe, const double *V, hk_flex *out);

/* displacements of second order of a body whose modes V (ne x fe->ndof) and interfaces are known: I2_bend, face_bend,
 * face_turn. Large models are left without them. */
hk_status hki_flex_bend(hk_ctx *ctx, hk_pool *pool, const hk_fe *fe, const hk_reduce_plan *opt,
                        const double *V, hk_flex *out);

#endif

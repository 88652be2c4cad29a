/* SPDX-License-Identifier: Apache-2.0
 *
 * work.h: what the steps of the compiler share while a spec becomes a model. Nothing outside
 * src/model includes this. The steps, each in its own file:
 *   check.c            is the spec sound: indices, numbers, signals, events
 *   planar.c           rows that a cut joint keeps; joints of planar models made planar
 *   spanning_tree.c         spanning tree, cut joints, order of the bodies
 *   loops.c            shorter loops in large trees
 *   compile_bodies.c   internal frames, masses, massless bodies, characteristic length
 *   compile_joints.c   internal joints of the tree, scalar coordinates, drawing position
 *   paths.c            coordinates that move a pair of markers
 *   compile_closures.c cut joints, prescribed motions, locks
 *   compile_forces.c   force elements and their inputs
 *   compile_nodes.c    scalar nodes and private unknowns of elements
 *   signals.c          what signals depend on, when they jump
 *   hash.c             content hash
 */
#ifndef HK_MODEL_WORK_H
#define HK_MODEL_WORK_H

#include "model/model.h"

/* one joint of the spec, made ready */
typedef struct hk_work_joint {
  const hk_joint_ops *tree_ops; /* its type when it lies in the tree; NULL: must be cut */
  hk_offset marker[2];          /* world, drawing position; aligned in planar models */
  bool turned;                  /* tree_ops is a planar counterpart whose z is the plane's normal */
  uint8_t rows[6];              /* loop rows that a cut keeps */
  int32_t nrows;
  int32_t nfix, nrelease; /* events that name it */
  bool event_cut;         /* some event releases it while it is not locked */
  bool comes_back;        /* may be off, and an event fixes it: re-marked then */
} hk_work_joint;

enum { HK_DEPENDS_TIME = 1u, HK_DEPENDS_STATE = 2u };

typedef struct hk_work {
  hk_ctx *ctx;
  hk_pool *pool; /* scratch, gone after compiling */
  const hk_spec *spec;
  hk_model *m;
  hk_work_joint *joints; /* njoints */
  uint8_t *signal;       /* nsignals: HK_DEPENDS_ bits */
  /* topology, by spec body: */
  int32_t *parent; /* spec body or HK_GROUND */
  int32_t *via;    /* spec joint on the way from the parent, HK_NONE: added */
  int32_t *order;  /* model body -> spec body */
  /* joints at each spec body (all joints, file order): entries joint_at[first[b] .. first[b+1]) */
  int32_t *joint_first, *joint_at;
} hk_work;

/* all return false after reporting, or when memory ran out */
bool hki_work_check(hk_work *w);
bool hki_work_names(hk_spec *spec);
bool hki_work_planar(hk_work *w);
bool hki_work_topology(hk_work *w);
bool hki_work_eligible(const hk_work *w, int32_t joint);             /* may it lie in the tree? */
bool hki_work_enters(const hk_work *w, int32_t joint, int32_t from); /* ... behind this body? */
bool hki_work_loops(hk_work *w);                                     /* part of topology */
bool hki_work_bodies(hk_work *w);
bool hki_work_lanes(hk_work *w);
bool hki_work_joints(hk_work *w);
bool hki_work_closures(hk_work *w);
bool hki_work_forces(hk_work *w);
bool hki_work_nodes(hk_work *w);   /* after the forces */
bool hki_work_signals(hk_work *w); /* before hki_work_check */
bool hki_work_breaks(hk_work *w);
uint64_t hki_work_hash(const hk_spec *spec);

/* scratch array of n items, zeroed */
#define HK_SCRATCH(w, type, n) ((type *)hki_pool_alloc((w)->pool, (size_t)(n) * sizeof(type)))
/* the model's own array of n items, zeroed */
#define HK_KEEP(w, type, n) ((type *)hki_pool_alloc((w)->m->pool, (size_t)(n) * sizeof(type)))

/* a world pose on a body (or the ground) as an offset in its internal frame, and back: the frame at
 * the drawing position, at rest */
void hki_work_offset(const hk_model *m, int32_t body, const hk_offset *world, hk_offset *out);
void hki_work_frame(const hk_offset *world, hk_frame *out);
void hki_model_draw_frame(const hk_model *m, int32_t body, const hk_offset *o, hk_frame *out);

/* model body of a spec body; the ground stays the ground */
static inline int32_t hki_work_body(const hk_model *m, int32_t spec_body) {
  return spec_body < 0 ? HK_GROUND : m->body_of_spec[spec_body];
}

/* in-plane axes of a planar model: z along the normal */
void hki_planar_axes(const double *n, double *R);
/* the loop rows that a joint between these markers (world, drawing position) keeps: all, in planar
 * models those that see motions in the plane; returns their number */
int32_t hki_planar_rows(const hk_work *w, const hk_joint_ops *ops, const void *par,
                        const hk_offset *marker, uint8_t *rows);
/* can scalar coordinate k of a joint change at all? (in planar models some cannot) */
bool hki_planar_moves(const hk_work *w, int32_t joint, int32_t k);

/* can an event lock scalar coordinate k of a joint? (compile_closures.c) */
bool hki_work_can_lock(const hk_work *w, int32_t joint, int32_t k);

/* paths (paths.c): below the common ancestor, or full chains to the root */
bool hki_path_between(hk_model *m, int32_t a, int32_t b, hk_path *out);
typedef struct hk_chains hk_chains;
hk_chains *hki_chains_create(hk_work *w);
void hki_chains_want(hk_chains *c, int32_t body); /* first say which bodies, */
bool hki_chains_build(hk_chains *c);              /* then build, then ask */
void hki_chains_single(const hk_chains *c, int32_t body, hk_path *out);
bool hki_path_full(hk_work *w, int32_t a, int32_t b, hk_path *out);

#endif

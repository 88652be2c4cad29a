/* SPDX-License-Identifier: Apache-2.0
 *
 * work.h: data and functions shared by the steps of the compiler. Internal to src/model. The steps,
 * each in its own file:
 *   check.c            is the spec sound: indices, numbers, signals, events
 *   planar.c           rows that a cut joint keeps; joints of planar models made planar
 *   spanning_tree.c    spanning tree, cut joints, order of the bodies
 *   loops.c            shorter loops in large trees
 *   compile_bodies.c   internal frames, masses, massless bodies, characteristic length
 *   compile_spins.c    rotations that nothing resists or drives: nodes without rotation
 *   compile_joints.c   internal joints of the tree, scalar coordinates, drawing position
 *   lanes.c            groups of four bodies whose kinematics are computed together
 *   paths.c            coordinates that move a pair of markers
 *   compile_closures.c cut joints, prescribed motions, locks
 *   compile_couplings.c relations between coordinates of joints
 *   senses.c           what conditions on velocities read of bodies and markers
 *   compile_forces.c   force elements and their inputs
 *   compile_wide.c     elements on several markers
 *   compile_nodes.c    scalar nodes and private unknowns of elements
 *   signals.c          dependence of signals on time and state, times at which they may jump
 *   hash.c             content hash
 */
#ifndef HK_MODEL_WORK_H
#define HK_MODEL_WORK_H

#include "model/model.h"

/* one joint of the spec, prepared for the tree and for cutting */
typedef struct hk_work_joint {
  const hk_joint_ops *tree_ops; /* its type as a tree joint; NULL: must be cut */
  hk_offset marker[2];          /* world, drawing position; aligned in planar models */
  bool turned;                  /* tree_ops is a planar counterpart whose z is the plane's normal */
  uint8_t rows[6];              /* nrows: loop rows that it keeps when cut */
  int32_t nrows;
  int32_t nfix, nrelease; /* number of events that fix, release it */
  bool event_cut;         /* some event releases it while it is not locked */
  bool comes_back;        /* some event switches it on again after it was off */
} hk_work_joint;

/* EVENTS: on variables, which are constant between events */
enum { HK_DEPENDS_TIME = 1u, HK_DEPENDS_STATE = 2u, HK_DEPENDS_EVENTS = 4u };

typedef struct hk_work {
  hk_ctx *ctx;
  hk_pool *pool; /* scratch, freed after compiling */
  const hk_spec *spec;
  hk_model *m;
  hk_work_joint *joints; /* njoints */
  uint8_t *signal;       /* nsignals: HK_DEPENDS_ bits */
  /* topology, by spec body: */
  int32_t *parent; /* spec body or HK_GROUND */
  int32_t *via;    /* its tree joint (spec), HK_NONE: an added one */
  int32_t *order;  /* model body -> spec body */
  /* joints at each spec body (all joints, file order): entries joint_at[first[b] .. first[b+1]) */
  int32_t *joint_first, *joint_at;
} hk_work;

/* The steps return false after reporting an error, or when memory ran out. */
bool hki_work_check(hk_work *w);
bool hki_work_names(hk_spec *spec);
/* joints that measure bodies and markers, for conditions on velocities; pool: scratch */
bool hki_work_senses(hk_spec *spec, hk_pool *pool);
bool hki_work_planar(hk_work *w);
bool hki_work_topology(hk_work *w);
/* may it be a tree joint? */
bool hki_work_eligible(const hk_work *w, int32_t joint);
/* may it be a tree joint with the parent `from`? */
bool hki_work_enters(const hk_work *w, int32_t joint, int32_t from);
bool hki_work_loops(hk_work *w); /* called by hki_work_topology */
bool hki_work_bodies(hk_work *w);
bool hki_work_spins(hk_work *w); /* called by hki_work_bodies */
bool hki_work_lanes(hk_work *w);
bool hki_work_joints(hk_work *w);
bool hki_work_closures(hk_work *w);
/* row r of coupling j: the coupling of its closure and the path of all its coordinates; NULL after an
 * error */
const hk_coupling *hki_work_coupling(hk_work *w, int32_t j, int32_t r, hk_path *path);
bool hki_work_forces(hk_work *w);
bool hki_work_wide(hk_work *w);
bool hki_work_nodes(hk_work *w);   /* after the forces */
bool hki_work_reads(hk_work *w);   /* after the nodes */
bool hki_work_signals(hk_work *w); /* before hki_work_check */
uint64_t hki_work_hash(const hk_spec *spec);
/* is everything numbered and linked as readers of the model rely on (whole.c) */
bool hki_work_is_whole(const hk_model *m);

/* scratch array of n items, zeroed */
#define HK_SCRATCH(w, type, n) ((type *)hki_pool_alloc((w)->pool, (size_t)(n) * sizeof(type)))
/* the model's own array of n items, zeroed */
#define HK_KEEP(w, type, n) ((type *)hki_pool_alloc((w)->m->pool, (size_t)(n) * sizeof(type)))

/* a world pose at the drawing position as an offset in the internal frame of a body or the ground
 */
void hki_work_offset(const hk_model *m, int32_t body, const hk_offset *world, hk_offset *out);
/* frames at rest: of a world pose, and of an offset o on a body at the drawing position */
void hki_work_frame(const hk_offset *world, hk_frame *out);
void hki_model_draw_frame(const hk_model *m, int32_t body, const hk_offset *o, hk_frame *out);

/* model body of a spec body; the ground stays the ground */
static inline int32_t hki_work_body(const hk_model *m, int32_t spec_body) {
  return spec_body < 0 ? HK_GROUND : m->body_of_spec[spec_body];
}

/* R: axes of a planar model, z along the normal n */
void hki_planar_axes(const double *n, double *R);
/* rows: the loop rows that a joint between these markers (world, drawing position) keeps when cut;
 * in planar models only those that motions in the plane can change. Returns their number. */
int32_t hki_planar_rows(const hk_work *w, const hk_joint_ops *ops, const void *par,
                        const hk_offset *marker, uint8_t *rows);
/* can scalar coordinate k of a joint change? In planar models some cannot. */
bool hki_planar_moves(const hk_work *w, int32_t joint, int32_t k);

/* can an event lock scalar coordinate k of a joint? (compile_closures.c) */
bool hki_work_can_lock(const hk_work *w, int32_t joint, int32_t k);

/* path of two bodies below their common ancestor (paths.c) */
bool hki_path_between(hk_model *m, int32_t a, int32_t b, hk_path *out);
/* chains of single bodies up to the root: mark the bodies with _want, then _build, then _single */
typedef struct hk_chains hk_chains;
hk_chains *hki_chains_create(hk_work *w);
void hki_chains_want(hk_chains *c, int32_t body);
bool hki_chains_build(hk_chains *c);
void hki_chains_single(const hk_chains *c, int32_t body, hk_path *out);
/* path of two bodies with the coordinates above their common ancestor */
bool hki_path_full(hk_work *w, int32_t a, int32_t b, hk_path *out);

#endif

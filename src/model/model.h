/* SPDX-License-Identifier: Apache-2.0
 *
 * model.h: the compiled, immutable model. One spanning tree over all bodies (parents before
 * children, subtrees contiguous); cut joints as closures with constraint rows; force elements with
 * the coordinates that move them; signals. Every formulation starts from this model, and no part
 * of it belongs to a single formulation.
 *
 * The origin of a body's internal frame is its centre of mass; its axes are parallel to the world
 * axes at the drawing position. `own` is the frame that channels report.
 *
 * Events:
 *   fix, joint off         switched on in its present pose: its first marker moves onto the second
 *                          (`remark`), or, for joints without coordinates of their own, its rows
 *                          keep their present values (`lock`)
 *   fix, joint on          its coordinates are locked: closures lock0 .. lock0 + nlock - 1
 *   release, locked        unlocked
 *   release, not locked    switched off. A joint for which this can happen, with the events in the
 *                          order of the file, is always cut.
 */
#ifndef HK_MODEL_MODEL_H
#define HK_MODEL_MODEL_H

#include <stdatomic.h>

#include "base/argument.h"
#include "base/extend.h"
#include "model/spec.h"

/* the tree coordinates that move a pair of markers, root to leaf on each side */
typedef struct hk_path {
  int32_t n;
  const int32_t *dof;  /* n: velocity indices */
  const uint8_t *side; /* n: which markers it moves, bit 0 the first, bit 1 the second */
} hk_path;

typedef struct hk_model_body {
  int32_t spec;   /* index in spec->bodies */
  int32_t parent; /* model index of the parent, HK_GROUND */
  int32_t root;   /* model index of the first body of its tree (mechanism) */
  int32_t depth;  /* 0 = on the ground */
  int32_t last;   /* model index of the last body of its subtree (subtrees are contiguous) */
  int32_t joint;  /* spec joint on the way from the parent; HK_NONE: an added free joint */
  const hk_joint_ops *ops;
  const void *par;
  bool reversed;       /* the parent is the joint's second body: internal motion is the inverse */
  hk_offset on_parent; /* marker A' in the parent's internal frame (world if ground) */
  hk_offset on_child;  /* marker B' in this body's internal frame */
  hk_offset child_inv; /* this body's internal frame relative to marker B':
                          R_body = R_B' R, p_body = p_B' + R_B' p */
  int32_t q0, nq, v0, nv; /* its coordinates and velocities in the tree's q and v */
  int32_t nabove;         /* velocities of the bodies above it, up to the ground */
  double mass;            /* kg */
  double J[9];    /* kg m^2 about the centre of mass, internal axes; includes the small inertia of
                     removed spins (compile_bodies.c) */
  double com0[3]; /* m, world axes, drawing position: origin of the internal frame */
  bool massless;  /* neither mass nor inertia in the spec */
  int32_t spin_removed; /* rotations (0, 1 or 3) of rods between balls and of point masses that have
                           only a small inertia and do not count as freedoms */
  /* a node without rotation: nothing turns it. Its joint is the translation from the ground, and
   * formulations in Cartesian coordinates have its displacements alone as unknowns. */
  bool point;
  hk_offset own; /* frame that channels report, in the internal frame */
} hk_model_body;

/* form of a body's inertia about its centre of mass: how it is rotated to world axes */
typedef enum hk_inert_kind { HK_INERT_NONE, HK_INERT_DIAGONAL, HK_INERT_FULL } hk_inert_kind;

static inline hk_inert_kind hki_body_inert(const hk_model_body *b) {
  const double *J = b->J;
  if (b->massless && !b->spin_removed) return HK_INERT_NONE;
  return J[1] == 0.0 && J[2] == 0.0 && J[5] == 0.0 ? HK_INERT_DIAGONAL : HK_INERT_FULL;
}

/* a quad: bodies of one kind and level whose kinematics are computed together (lanes.c) */
enum { HK_LANE4 = 4 };
typedef struct hk_lane4 {
  int32_t body[HK_LANE4];
} hk_lane4;

/* A scalar joint coordinate: a tree coordinate, or measured between markers by ops->coord.
 *   tree:      value = sign * q[qi] + zero, rate = sign * v[vi]
 *   measured:  value = s + zero */
typedef struct hk_scalar {
  int32_t joint;  /* spec joint */
  int32_t coord;  /* k of the joint's type */
  int32_t qi, vi; /* index in q and v; HK_NONE: measured */
  double sign;    /* 1 or -1 */
  double zero;
  int32_t turn; /* measured: index in the turn memory (values at the last accepted state, for angles
                   beyond one turn), else HK_NONE */
} hk_scalar;

typedef struct hk_model_joint {
  int32_t spec;             /* index in spec->joints */
  int32_t body;             /* tree joints: model body it leads to; cut joints HK_NONE */
  int32_t closure;          /* cut joints: its closure; HK_NONE when it is a tree joint */
  int32_t mbody[2];         /* model indices of first and second body */
  hk_offset marker[2];      /* A and B in their bodies' internal frames (world when ground) */
  int32_t scalar0;          /* first of ops->ns entries in scalars[] */
  int32_t lock0, nlock;     /* closures that lock it when an event fixes it (HK_NONE, 0: none) */
  int32_t motion0, nmotion; /* closures of its prescribed coordinates */
  /* turned: it has a prescribed rotation, or components of one, from which it is measured
   * (turned.c). Its signals (HK_NONE: none); of a rotation vector less turn_zero. */
  bool turned;
  hk_turn_kind turn_kind;
  int32_t turn_signal[4];
  uint8_t turn_axis[3];
  double turn_zero[3];
} hk_model_joint;

/* the signal that stands for a prescribed rotation in the row of component i of the rotation vector
 */
static inline int32_t hki_turn_row_signal(const hk_model_joint *j, int i) {
  return j->turn_signal[i + (j->turn_kind == HK_TURN_QUATERNION)];
}

typedef enum hk_closure_kind {
  HK_CLOSURE_JOINT,   /* rows of ops->loop */
  HK_CLOSURE_COORD,   /* one row: scalar coordinate = signal (motion) or = stored value (lock) */
  HK_CLOSURE_COUPLING /* one row: a relation of several scalar coordinates (`coupling`) */
} hk_closure_kind;

/* one argument of a coupling */
typedef struct hk_coupled {
  int32_t scalar;    /* in scalars[] */
  bool rate;         /* its rate, else its value */
  double c;          /* its factor in the linear part */
  double push;       /* servos: force on it per force of the servo */
  hk_path path;      /* its coordinate in the tree; measured: those that move the joint's markers */
  const int32_t *at; /* path.n: places in the closure's path */
} hk_coupled;

/* A row over scalar coordinates s and their rates:
 *
 *   sum c_i s_i + 1/2 sum Q_ij s_i s_j + c0 + f(s, t)      binds positions
 *   f(ds/dt, s, t)                       binds velocities
 *
 * f is a signal. Those of its operands that read joint coordinates too are in `order`, each after
 * what it reads, f last. */
typedef struct hk_coupling {
  int32_t n, slope0; /* arguments; first of their slopes in hk_kin.slope */
  const hk_coupled *arg;
  double c0;
  const double *Q; /* n x n, symmetric; NULL: 0 */
  bool driven;     /* it may depend on time itself, and then does work */
  bool timed;      /* it reads the time, or what events change */
  bool curved;     /* binds velocities and is not linear in them: its gradient depends on them */
  bool ties;       /* it holds an interface to its flexible body */
  bool servo;      /* its force acts along `push`, not along its slopes */
  int32_t signal, norder; /* HK_NONE: linear */
  const int32_t *order;   /* norder */
} hk_coupling;
/* is it anything but linear in its arguments? */
static inline bool hki_coupling_bends(const hk_coupling *c) { return c->signal != HK_NONE || c->Q; }
enum { HK_COUPLING_SIGNALS = 32, HK_COUPLING_READS = 64 }; /* most in `order`; reads of one */

typedef enum hk_closure_role {
  HK_ROLE_CUT,
  HK_ROLE_MOTION,
  HK_ROLE_LOCK,
  HK_ROLE_STOP, /* a lock that is on while the coordinate rests on a stop */
  HK_ROLE_STICK /* a lock that is on while friction holds the coordinate */
} hk_closure_role;

typedef struct hk_closure {
  hk_closure_kind kind;
  hk_closure_role role;
  int32_t joint; /* spec joint */
  const hk_joint_ops *ops;
  const void *par;
  int32_t body[2];     /* model bodies, HK_GROUND */
  hk_offset marker[2]; /* in internal frames */
  int32_t remark; /* index in the run-time markers that replace the first marker once an event has
                     fired; HK_NONE: never replaced */
  int32_t scalar; /* HK_CLOSURE_COORD: index in scalars[] */
  int32_t lock;   /* rows equal stored values instead of zero: index of the first row's value;
                     HK_NONE: zero */
  int32_t push;   /* stops: index of the rate that its row takes in a projection; HK_NONE: zero */
  int32_t row0, nrows;         /* first row in the list of all rows, number */
  uint8_t rows[6];             /* nrows: rows of ops->loop (planar models drop some) */
  uint32_t rate_rows;          /* bit r: row r of this closure binds velocities only */
  int32_t row_signal[6];       /* signal subtracted from each row, or HK_NONE */
  bool active;                 /* at the start */
  const hk_coupling *coupling; /* HK_CLOSURE_COUPLING */
  hk_path path;
} hk_closure;

/* a rigid stop */
typedef struct hk_model_stop {
  int32_t limit;   /* index in spec->limits */
  int32_t scalar;  /* coordinate that it stops: index in scalars[] */
  int32_t closure; /* one row: scalar = stored value */
} hk_model_stop;

/* friction that sticks by a lock */
typedef struct hk_model_stick {
  int32_t force;   /* index in forces[] */
  int32_t scalar;  /* coordinate that it holds: index in scalars[] */
  int32_t closure; /* one row: scalar = stored value */
} hk_model_stick;

typedef struct hk_model_force {
  int32_t spec; /* index in spec->forces */
  const hk_element_ops *ops;
  const void *par;
  int32_t body[2];                /* model bodies, HK_GROUND */
  hk_offset marker[2];            /* in internal frames */
  int32_t scalar;                 /* joint elements: index in scalars[], else HK_NONE */
  hk_path path;                   /* of its markers, or of the markers of its joint */
  int32_t d0, nd;                 /* its discrete data: first, number; its own, then its laws' */
  int32_t z0, nz;                 /* its private states: first, number */
  int32_t state;                  /* its number among forces with private states, or HK_NONE */
  uint32_t u_varies;              /* bit i: input i follows a signal that is not constant, */
  uint32_t u_flows;               /* also between events that set it */
  bool u_state;                   /* some input reads channels: its tangent has input terms */
  int32_t normal;                 /* its number among the normal forces, or HK_NONE */
  int32_t wide;                   /* the element on several markers that acts for it, HK_NONE */
  int32_t net;                    /* index among the elements with scalar unknowns, HK_NONE */
  int32_t x[HK_ELEMENT_UNKNOWNS]; /* its nodes and own unknowns in the model's list of values */
  uint32_t still;                 /* bit i: the rate of x[i] counts as zero (`quasi_steady`) */
} hk_model_force;

/* an element on several markers; it acts at the centres of mass of its bodies, by the coordinates
 * that move them */
typedef struct hk_model_wide {
  int32_t spec; /* index in spec->wide */
  const hk_wide_ops *ops;
  const void *par;
  int32_t nmark;
  const int32_t *body;     /* nmark: model bodies, HK_GROUND */
  const hk_offset *marker; /* nmark: in internal frames */
  int32_t ndof;
  const int32_t *dof; /* ndof, ascending: coordinates that move some of its bodies */
  const int32_t *at0,
      *at;       /* of marker i: places in dof of those that move it, at[at0[i] .. at0[i + 1]) */
  int32_t y0;    /* its outputs in the list of those of all wide elements */
  int32_t force; /* whose inputs and outputs it has, HK_NONE */
  const int32_t *row; /* ndof, with inertia: row of each coordinate in its matrices, else NULL */
} hk_model_wide;

/* a scalar unknown: the value of a node, or a private one of an element */
typedef struct hk_unknown {
  int32_t node;        /* spec node, HK_NONE: private */
  int32_t force, own;  /* private: element, and index among its own unknowns */
  double start, scale; /* value at the start; typical size */
} hk_unknown;

/* what presses the surfaces of a joint together: the length of the pressing part of its reaction, or the
 * force of a rigid stop on which a coordinate of it rests */
typedef struct hk_normal {
  int32_t force, joint; /* model force that it is the first input of; spec joint */
  uint8_t press;        /* HK_PRESS_ bits of the reaction, in the axes of the first marker */
  uint8_t rows;         /* of a cut joint: bits of the rows that press; 0: all */
  uint8_t ends;         /* stops: those that press, HK_END_ */
  int32_t closure;      /* stops: whose multiplier it is; HK_NONE: the reaction */
  int32_t by;   /* closure without which the surfaces are apart; HK_NONE: they always touch */
  double lever; /* stops: multiplier over force, 1 or m */
  double arm;   /* 1/m: force per moment of the reaction that presses */
} hk_normal;

/* of a stop: the force at its multiplier lam, 0 at an end that does not press; *slope by lam */
static inline double hki_normal_of_stop(const hk_normal *n, double lam, double *slope) {
  const bool lower = lam < 0.0, on = n->ends & (lower ? HK_END_LOWER : HK_END_UPPER);
  *slope = on ? (lower ? -1.0 : 1.0) / n->lever : 0.0;
  return *slope * lam;
}

typedef struct hk_model {
  hk_mark mark;
  hk_ctx *ctx;
  hk_pool *pool;
  const hk_spec *spec;  /* owned */
  _Atomic int32_t refs; /* nothing else of a model changes, so that threads may share it */
  int32_t nfiles;       /* files that its places are in: numbers, names */
  int32_t *file;
  const char **file_name;
  hk_extend_list types;          /* that modules had brought when it was read */
  uint64_t hash;                 /* of the model's text and parameters */
  int32_t nb, nq, nv;            /* bodies, tree coordinates, velocities */
  int32_t nj, ns, nc, nrows;     /* joints, scalar coordinates, closures, closure rows */
  int32_t nf, nd;                /* force elements, their discrete data */
  int32_t nwide;                 /* elements on several markers: */
  int32_t wide_marks, wide_most; /* their markers, the most of one, */
  int32_t wide_inert;            /* those with inertia, */
  bool downhill;                 /* one has another's potential (elements/wide.h), */
  int32_t wide_dofs, wide_ny;    /* the most coordinates that move one; their outputs */
  int32_t nnormal;               /* normal forces of friction */
  hk_normal *normals;            /* nnormal */
  int32_t nstateful, nz;         /* forces with private states, these states */
  int32_t nturn, nremark, nlock; /* run-time memory: turns, replaced markers, stored row values */
  int32_t nrate;                 /* rows that bind velocities only */
  int32_t ncurved;               /* those whose gradient depends on velocities */
  int32_t nstops;                /* rigid stops */
  int32_t nsticks;               /* friction that sticks by a lock */
  int32_t nturned;               /* joints with prescribed components of a rotation vector */
  int32_t nslope;                /* arguments of all couplings */
  int32_t nservo;                /* couplings whose force acts through actuators */
  hk_model_body *bodies;         /* nb, tree order */
  int32_t *body_of_spec;         /* spec body -> model body */
  int32_t nsimple;               /* bodies at the beginning with one coordinate each */
  int32_t nquad, nseq;           /* quads; entries of seq */
  hk_lane4 *quad;                /* nquad */
  int32_t *quad_of;              /* nb: quad of a body, -1: none */
  int32_t *seq;                  /* parents first: a body, or -1 - quad */
  hk_model_joint *joints;        /* nj, spec order */
  hk_scalar *scalars;            /* ns */
  hk_closure *closures;   /* nc: cut joints in spec order, then motions, locks, stops, sticks */
  hk_model_stop *stops;   /* nstops */
  hk_model_stick *sticks; /* nsticks */
  hk_model_force *forces; /* nf, spec order */
  hk_model_wide *wide;    /* nwide, spec order */
  /* scalar values: nx unknowns, then the reference (0), then nheld nodes held at a value */
  int32_t nx, nheld, nnet;
  hk_unknown *unknowns;  /* nx */
  int32_t *node_x;       /* spec node -> its index in the list of values */
  int32_t *held;         /* nheld: spec nodes */
  double *q_draw;        /* nq: internal coordinates at the drawing position */
  double length;         /* characteristic length of the mechanism, m (for scaling rotations) */
  uint8_t *signal_reads; /* of each signal: bits of what it reads, itself or through others */
} hk_model;

/* What the signal of row r prescribes: 0 the value, 1 its rate, 2 its acceleration alone. The value
 * then goes on from where it was at the start (kinematics/travel.c). */
static inline int32_t hki_closure_order(const hk_model *m, const hk_closure *c, int32_t r) {
  return c->row_signal[r] == HK_NONE ? 0 : m->spec->signals[c->row_signal[r]].order;
}

/* length of tree velocities with scalar unknowns and private states behind them */
static inline int32_t hki_model_values(const hk_model *m) { return m->nv + m->nx + m->nz; }

/* closures of a cut joint's own rows: one, of a coupling one for each of its rows */
static inline int32_t hki_joint_closures(const hk_model *m, const hk_model_joint *j) {
  const hk_spec_coupling *c = m->spec->joints[j->spec].coupling;
  return c ? c->nrows : 1;
}
/* f of a coupling along a line of its arguments: x (n) their values, xd (n) their rates, td the rate
 * of time; y: value, first and second derivative. sig: signals of time, three numbers each. */
void hki_coupling_along(const hk_model *m, const hk_coupling *c, double t, const double *sig,
                        const double *x, const double *xd, double td, double *y);

/* compiles a spec and takes it over, also when it fails; NULL after reporting errors */
hk_model *hki_model_compile(hk_spec *spec);
hk_model *hki_model_retain(hk_model *m);
void hki_model_release(hk_model *m);
/* another context learns what belongs to the model: names of its files for messages, types of modules */
hk_status hki_model_tell(const hk_model *m, hk_ctx *ctx);

/* The model with other values of parameters, read again from its text in a context; what must not have
 * changed meanwhile are the files beside it. NULL after reporting errors (same.c). */
hk_model *hki_model_vary(const hk_model *m, hk_ctx *ctx, const hk_set *sets, int32_t nsets);
/* Can a run of one model go on with another: are its bodies, joints, forces, signals the same, with other
 * numbers? what: else the first thing that is not, in words. */
bool hki_model_same_shape(const hk_model *a, const hk_model *b, char *what, size_t cap);
/* are centres of mass, joints and couplings at the same places, with the same numbers? */
bool hki_model_same_places(const hk_model *a, const hk_model *b);
/* hash of a joint with its markers and numbers (hash.c) */
uint64_t hki_joint_hash(const hk_spec_joint *j);

/* the first time behind t at which a signal may jump or kink, the signals it reads apart; INFINITY:
 * none */
double hki_signal_next_break(const hk_spec_signal *s, double t);

/* "loop through joints a, b, c": the joint of a closure and the tree joints on its path */
void hki_model_loop_names(const hk_model *m, int32_t closure, char *buf, size_t cap);
/* "joint 'pin', position along x": name of one constraint row */
void hki_model_row_name(const hk_model *m, int32_t row, char *buf, size_t cap);
/* where the motion of a closure, or else its joint, is written */
hk_loc hki_model_closure_loc(const hk_model *m, int32_t closure);
/* is a row a length (or a velocity) rather than an angle? */
bool hki_model_row_is_length(const hk_model *m, int32_t row);

/* index in the list of values of a channel that is a scalar node's value or an element's own unknown;
 * HK_NONE: of no such channel */
int32_t hki_model_channel_value(const hk_model *m, hk_channel c);
/* does a signal read channels, itself or through others? */
bool hki_model_reads_channels(const hk_model *m, int32_t signal);
/* does a signal read scalar unknowns, itself or through others? */
bool hki_model_reads_unknowns(const hk_model *m, int32_t signal);
/* "voltage of node 'supply'", "current of 'motor'": name of a scalar unknown; behind the nx unknowns,
 * of a private state: "memory of force 'guide'" */
void hki_model_unknown_name(const hk_model *m, int32_t unknown, char *buf, size_t cap);

#endif

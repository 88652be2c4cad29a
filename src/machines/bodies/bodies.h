/* SPDX-License-Identifier: Apache-2.0
 *
 * bodies.h: the machine of Cartesian coordinates, which formulations without a tree share: poses
 * and rates of all bodies, rows of every joint (tree joints, cut joints, motions, locks) with their
 * gradients, applied wrenches and exact tangents, and the exchange with the model's tree
 * coordinates.
 *
 * The node of a body is its centre of mass, with axes along the world's in the drawing.
 *   space:  q = [quaternion wxyz, position]    v = [angular velocity in body axes, velocity]
 *   plane:  q = [angle, u, w]                  v = [angle rate, velocity along u, along w]
 *   q (+) d:  R' = R exp(d),  p' = p + d       d = (rotation in body axes, displacement)
 *
 * A node without rotation (hk_model_body.point) keeps the axes of the drawing. Its part of q and v has
 * the position and the velocity alone: three numbers, in the plane two.
 *
 * Gradients and linear systems are written in variations x of each body, all in world axes:
 *   space:  x = (rotation, displacement)       nd = 6
 *   plane:  x = (angle, two displacements)     nd = 3
 *   marker at r from the centre of mass:       x_marker = X x,  X = [1 0; -[r] 1]
 *
 * Scalar unknowns of other physics follow the bodies: v holds their values, a their rates; their
 * q, the integral of the value, is not used.
 */
#ifndef HK_MACHINES_BODIES_BODIES_H
#define HK_MACHINES_BODIES_BODIES_H

#include "machines/network/network.h"
#include "kinematics/kin.h"
#include "stage/stage.h"

/* a scalar coordinate of a joint, measured between two markers: value = sign s + zero */
typedef struct hk_bodies_coord {
  int32_t body[2];
  const hk_offset *marker[2];
  const hk_joint_ops *ops;
  const void *par;
  int32_t k;     /* number of the coordinate in its joint */
  int32_t joint; /* spec joint of a cut joint, HK_NONE: one of the tree */
  double sign, zero;
  int32_t qi, turn; /* angles are counted near qlast[qi] or disc.turn[turn]; HK_NONE: not there */
} hk_bodies_coord;

/* Constraint rows between two bodies. The row of a coupling relates several coordinates: it has one set
 * for each of them, one after the other. Gradients are kept by lines: a row has one, the row of a
 * coupling one for each of its sets. */
typedef struct hk_bodies_set {
  int32_t closure; /* of the model; HK_NONE: a joint of the tree, always active */
  int32_t joint;   /* spec joint, or HK_NONE */
  int32_t body[2];
  const hk_offset *marker[2];
  const hk_joint_ops *ops;
  const void *par;
  bool is_coord; /* one row: the coordinate `coord`; else the rows `rows` of ops->loop */
  hk_bodies_coord coord;
  int32_t row0, nrows; /* first row, number of rows */
  int32_t line0;       /* first line */
  const hk_coupling
      *coupling;      /* this set is one coordinate of it; NULL: it has its rows for itself */
  int32_t part;       /* which one */
  uint8_t rows[6];    /* nrows: which rows of the joint */
  uint32_t rate_rows; /* bit r: row r binds velocities alone */
} hk_bodies_set;

typedef struct hk_bodies {
  hk_ctx *ctx;
  const hk_model *m;
  hk_pool *pool;
  bool planar;
  double E[9];       /* plane: columns along u, along w, normal */
  int32_t nd, n, nq; /* velocities of a body with rotation; all velocities; all coordinates */
  /* m->nb: component j of nd of body b is entry v0[b] + j of v and x, if j >= lack[b]; its coordinate
   * j of 7 (plane: 3) is entry q0[b] + j of q, if it is not one of its rotation. lack: 0; of nodes without
   * rotation the components of a rotation. */
  int32_t *v0, *q0, *lack;
  int32_t nx, nb;      /* scalar unknowns; velocities of all bodies: n = nb + nx */
  int32_t nset, nrows; /* sets and rows, inactive ones included */
  int32_t nlines;      /* lines of gradients */
  hk_bodies_set *set;
  hk_bodies_coord *scalar;    /* m->ns: scalar coordinates of the model */
  int32_t *normal;            /* m->nnormal: set of the joint of each normal force; HK_NONE: none */
  hk_kin kin;                 /* at the accepted state, from tree coordinates */
  hk_kin it;                  /* at the state under evaluation: frames, signals */
  bool hooks;                 /* some element has a hook */
  bool tree_it;               /* hki_bodies_state also measures tree coordinates (q_it, v_it) */
  double *q, *v, *a;          /* nq, n, n: the state under evaluation */
  double *phi, *phit, *gamma; /* nrows: value, partial time derivative, acceleration bias */
  double *G;                  /* nlines x 2 nd: gradients in x of both bodies; 0 for the ground */
  double *B;     /* as G: what forces of multipliers act along; G itself without servos */
  double *slope; /* nlines: slope of a coupling in the coordinate of the line; 1 for other rows */
  double *plain; /* nlines x 2 nd, with couplings only: gradients of their coordinates */
  double *F;     /* nx: residuals of the scalar unknowns */
  hk_net net;
  double *W;   /* m->nb x 6: wrenches on bodies about their centres of mass, world axes */
  bool loaded; /* W and F belong to the present state */
  double
      ghost; /* kg: mass of massless bodies in hki_bodies_inertia; 0: none (hk_formulation_ops.still) */
  double *scale;   /* n: 1 for rotations, the model's length for displacements */
  double *persist; /* persistent block: qlast, then extra */
  double *qlast;   /* m->nq: tree coordinates of the last accepted state */
  double *extra;   /* nextra: persistent numbers of the formulation */
  int32_t nextra;
  double *qt, *vt, *at; /* tree coordinates, velocities, accelerations of the accepted state */
  double *q_it, *v_it;  /* m->nq, m->nv: tree coordinates of the state under evaluation */
  double *acc;          /* m->nb x 6: accelerations of bodies in world axes, scratch */
  unsigned char *block;
} hk_bodies;

/* nextra: persistent numbers that the formulation keeps per constraint row; alone: without scalar
 * unknowns, nx = 0 */
hk_status hki_bodies_create(hk_ctx *ctx, const hk_model *m, int32_t nextra, bool alone,
                            hk_bodies **out);
void hki_bodies_destroy(hk_bodies *c);
/* bytes of the machine, with what a formulation has taken from its pool */
double hki_bodies_bytes(const hk_bodies *c);

/* q_out = q (+) d, and d with q0 (+) d = q1 */
void hki_bodies_plus(const hk_bodies *c, const double *q, const double *d, double *q_out);
void hki_bodies_minus(const hk_bodies *c, const double *q1, const double *q0, double *d);
/* entry of component j of nd of body b in v and x; -1: it is not there, or b is the ground */
static inline int32_t hki_bodies_entry(const hk_bodies *c, int32_t b, int32_t j) {
  return b == HK_GROUND || j < c->lack[b] ? -1 : c->v0[b] + j;
}
/* has the body a rotation in space, three unknowns? */
static inline bool hki_bodies_turns(const hk_bodies *c, int32_t b) {
  return !c->planar && !c->lack[b];
}
/* rotations of x from world axes to body axes of the state under evaluation, and back; in place */
void hki_bodies_to_body(const hk_bodies *c, double *x);
void hki_bodies_to_world(const hk_bodies *c, double *x);

/* takes the rates of the scalar unknowns from a; call before hki_bodies_state */
void hki_bodies_rates(hk_bodies *c, const double *a);
/* solves for consistent scalar unknowns at the present state: algebraic values into v, rates into a
 * (may be NULL) */
hk_status hki_bodies_consistent(hk_bodies *c, double *v, double *a);
/* frames and signals at (t, q, v); q and v are copied */
void hki_bodies_state(hk_bodies *c, double t, const double *q, const double *v);
/* phi, phit, G at the present state */
void hki_bodies_rows(hk_bodies *c);
/* gamma at the present state; after hki_bodies_rows */
void hki_bodies_bias(hk_bodies *c);
/* phi = (G V + phit) / cv for rows that bind velocities alone, whose phi is 0 otherwise */
void hki_bodies_rate_rows(hk_bodies *c, double cv);
/* line of a row in a set */
static inline int32_t hki_bodies_line(const hk_bodies_set *s, int32_t row) {
  return s->line0 + row - s->row0;
}
/* s, sd (n each): coordinates of the coupling whose first set is c->set[i], and their rates */
void hki_bodies_coupled(const hk_bodies *c, int32_t i, double *s, double *sd);
/* does a set hold at the accepted state? */
bool hki_bodies_active(const hk_bodies *c, const hk_bodies_set *s);
/* y = G x: y nrows, x nb */
void hki_bodies_mul(const hk_bodies *c, const double *x, double *y);
/* r += G' mu */
void hki_bodies_mul_t(const hk_bodies *c, const double *mu, double *r);
/* r += B' lam: minus the forces of the multipliers */
void hki_bodies_push(const hk_bodies *c, const double *lam, double *r);
/* largest |y| over all rows */
double hki_bodies_norm(const hk_bodies *c, const double *y);
/* F[2]: marker frames of a set at the present state */
void hki_bodies_set_frames(const hk_bodies *c, const hk_bodies_set *s, hk_frame *F);
/* factor of a line in G and, push, in B */
double hki_bodies_line_slope(const hk_bodies *c, const hk_bodies_set *s, bool push);
/* H (12 x 12): d(G'lam)/dxi at the markers F of a set, lam: its nrows multipliers; push: d(B'lam)/dxi */
void hki_bodies_set_geo(const hk_bodies *c, const hk_bodies_set *s, const hk_frame *F,
                        const double *lam, bool push, double *H);

/* derivatives of a row's rates by the variations and twists of its two bodies (nd each, world
 * axes), other rates held fixed */
typedef struct hk_bodies_curve {
  double vel_pose[12];  /* d(G v)/dx */
  double acc_pose[12];  /* d(G a + gamma)/dx */
  double acc_twist[12]; /* d(G a + gamma)/dV */
  double own_pose[12];  /* couplings by a function: d(s')/dx of the coordinate of this line */
} hk_bodies_curve;
/* row[nlines] at the present state and accelerations a (body axes); zero where a set is inactive. Of
 * the acceleration of a coupling, third derivatives of its function are left out. */
void hki_bodies_curvatures(hk_bodies *c, const double *a, hk_bodies_curve *row);

/* scalar coordinate at the present state; F[2]: its marker frames. Returns its partial time
 * derivative. */
double hki_bodies_scalar(const hk_bodies *c, const hk_bodies_coord *s, hk_joint_coord *out,
                         hk_frame *F);

/* W of gravity and all elements, F of the scalar unknowns, at the present state */
void hki_bodies_forces(hk_bodies *c);
/* Evaluates element fi: body[2] and F[2] of the markers it acts on (HK_GROUND where there is none),
 * wrenches and exact tangents at these markers. Joint elements give wrenches at the markers of
 * their joint. */
void hki_bodies_force(hk_bodies *c, int32_t fi, bool tangent, int32_t *body, hk_frame *F,
                      hk_element_out *out);
/* r (n, in x) += M a + gyroscopic terms - W at the present state, a in body axes; and F in the rows
 * of the scalar unknowns */
void hki_bodies_inertia(const hk_bodies *c, const double *a, double *r);
/* inertia of wide element i, which has one, at accelerations a (body axes); see kinematics/wide.h */
const hk_wide_inertia *hki_bodies_wide_inertia(const hk_bodies *c, int32_t i, const double *a,
                                               uint32_t need);
/* out (nd) = components of a 6-vector (rotation, displacement) along the variations of a body */
void hki_bodies_reduce(const hk_bodies *c, const double *w, double *out);

/* Normal forces of friction by multipliers lam (nrows) at the present state (normal.c), and dN (nset's
 * nrows): slopes of number i in the multipliers of its joint. */
void hki_bodies_normals(const hk_bodies *c, const double *lam, double *N);
const hk_bodies_set *hki_bodies_normal_slopes(const hk_bodies *c, int32_t i, const double *lam,
                                              double *dN);

/* A (6): acceleration of body b in world axes; a: all accelerations in body axes */
void hki_bodies_acceleration(const hk_bodies *c, const double *a, int32_t b, double *A);
/* exchange with the tree; from_tree also sets qlast */
void hki_bodies_from_tree(hk_bodies *c, const double *qt, const double *vt, double *q, double *v);
void hki_bodies_to_tree(hk_bodies *c, const double *q, const double *v, const double *a, double *qt,
                        double *vt, double *at);
/* brings kin to the accepted state (q, v, a) and sets qlast */
void hki_bodies_settle(hk_bodies *c, double t, const double *q, const double *v, const double *a);
/* name of line i of a system of the velocities and the rows: a body, a scalar unknown, or a row */
void hki_bodies_line_name(const hk_bodies *c, int32_t i, char *buf, size_t cap);
/* name of a row for messages: "joint 'pin', position along x" */
void hki_bodies_row_name(const hk_bodies *c, int32_t row, char *buf, size_t cap);

/* entries of a formulation's table (face.c); its `shared` is the hk_bodies */
void hki_bodies_face_dims(const hk_formulation *f, hk_dims *d);
void hki_bodies_face_plus(const hk_formulation *f, const double *q, const double *d, double *q_out);
void hki_bodies_face_minus(const hk_formulation *f, const double *q1, const double *q0, double *d);
void hki_bodies_face_chart_velocity(const hk_formulation *f, const double *D, const double *w,
                                    double *v);
hk_status hki_bodies_face_from_tree(hk_formulation *f, const double *qt, const double *vt,
                                    double *q, double *v);
hk_status hki_bodies_face_to_tree(hk_formulation *f, const double *q, const double *v,
                                  const double *a, double *qt, double *vt, double *at);
hk_kin *hki_bodies_face_kin(hk_formulation *f);

#endif

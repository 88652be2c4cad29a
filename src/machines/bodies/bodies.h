/* SPDX-License-Identifier: Apache-2.0
 *
 * bodies.h: Cartesian coordinates of all bodies, what formulations without a tree share: poses and
 * rates, rows of every joint (tree joints, cut joints, motions, locks) with their gradients,
 * applied wrenches and exact tangents, and the exchange with the tree coordinates of the model.
 *
 * A body's node is its centre of mass, axes as in the drawing.
 *   space: q = [quaternion wxyz, position], v = [angular velocity in body axes, velocity]
 *   plane: q = [angle, u, w], v = [angle rate, velocity along u, w], axes of the plane
 * Increments are (+)-ed the same way: R' = R exp(d), p' = p + d.
 *
 * Linear systems and gradients are written in the variations x = (rotation in world axes,
 * displacement) of each body, nd = 6 numbers (plane: angle and two displacements, nd = 3), which
 * are those of markers moved to the centre of mass: x_marker = X x, X = [1 0; -[r] 1].
 *
 * Scalar unknowns of other physics stand behind the bodies: their value is a v, its rate an a, and
 * the coordinate q, the integral of the value, is never looked at.
 */
#ifndef HK_MACHINES_BODIES_BODIES_H
#define HK_MACHINES_BODIES_BODIES_H

#include "machines/network/network.h"
#include "kinematics/kin.h"
#include "stage/stage.h"

/* a scalar coordinate of a joint between two bodies: value = sign s + zero */
typedef struct hk_bodies_coord {
  int32_t body[2];
  const hk_offset *marker[2];
  const hk_joint_ops *ops;
  const void *par;
  int32_t k;
  double sign, zero;
  int32_t qi, turn; /* near value: qlast[qi], or the turn memory */
} hk_bodies_coord;

/* constraint rows between two bodies */
typedef struct hk_bodies_set {
  int32_t closure; /* HK_NONE: a joint of the tree, always there */
  int32_t joint;   /* spec joint */
  int32_t body[2];
  const hk_offset *marker[2];
  const hk_joint_ops *ops;
  const void *par;
  bool is_coord; /* one row: coord, else rows of ops->loop */
  hk_bodies_coord coord;
  int32_t row0, nrows;
  uint8_t rows[6];
  uint32_t rate_rows; /* bit r: row r binds velocities alone */
} hk_bodies_set;

typedef struct hk_bodies {
  hk_ctx *ctx;
  const hk_model *m;
  hk_pool *pool;
  bool planar;
  double E[9];       /* plane: columns along u, along w, normal */
  int32_t nd, n, nq; /* numbers a body, in all, coordinates */
  int32_t nx, nb;    /* scalar unknowns; numbers of bodies before them: n = nb + nx */
  int32_t nset, nrows;
  hk_bodies_set *set;
  hk_bodies_coord *scalar;    /* m->ns */
  hk_kin kin;                 /* at the accepted state, by tree coordinates */
  hk_kin it;                  /* at the state under evaluation: frames, signals */
  bool hooks;                 /* some element wants to be called beside its equations */
  bool tree_it;               /* signals read channels: the tree coordinates are measured too */
  double *q, *v, *a;          /* nq, n, n: the state under evaluation */
  double *phi, *phit, *gamma; /* nrows */
  double *G;                  /* nrows x 2 nd: gradients of both bodies in x */
  double *F;                  /* nx: equations of the scalar unknowns */
  hk_net net;
  double *W;       /* nb x 6: wrenches on bodies about their centres, world axes */
  double *scale;   /* n: 1 for rotations, the model's length for displacements */
  double *persist; /* persistent: nq of the tree (last accepted), then `extra` of the formulation */
  double *qlast;
  double *extra;
  int32_t nextra;
  double *qt, *vt, *at, *q_it, *v_it;
  double *acc; /* nb x 6 scratch: accelerations of bodies, world axes */
  unsigned char *block;
} hk_bodies;

/* nextra: further persistent numbers per constraint row */
hk_status hki_bodies_create(hk_ctx *ctx, const hk_model *m, int32_t nextra, hk_bodies **out);
void hki_bodies_destroy(hk_bodies *c);

void hki_bodies_plus(const hk_bodies *c, const double *q, const double *d, double *q_out);
void hki_bodies_minus(const hk_bodies *c, const double *q1, const double *q0, double *d);
/* x (variations) -> increments or rates in body axes, and back; in place */
void hki_bodies_to_body(const hk_bodies *c, double *x);
void hki_bodies_to_world(const hk_bodies *c, double *x);

/* rates of the scalar unknowns, from accelerations; before hki_bodies_state */
void hki_bodies_rates(hk_bodies *c, const double *a);
/* consistent scalar unknowns at the present state: algebraic values into v, rates into a (NULL:
 * not wanted) */
hk_status hki_bodies_consistent(hk_bodies *c, double *v, double *a);
/* frames and signals at (t, q, v); q and v are copied */
void hki_bodies_state(hk_bodies *c, double t, const double *q, const double *v);
/* rows at the present state: phi, phit, G; then gamma */
void hki_bodies_rows(hk_bodies *c);
void hki_bodies_bias(hk_bodies *c);
/* rows that bind velocities alone have phi = 0; here it becomes (G V + phit) / cv */
void hki_bodies_rate_rows(hk_bodies *c, double cv);
bool hki_bodies_active(const hk_bodies *c, const hk_bodies_set *s);
/* y = G x, for variations x */
void hki_bodies_mul(const hk_bodies *c, const double *x, double *y);
/* r += G' mu */
void hki_bodies_mul_t(const hk_bodies *c, const double *mu, double *r);
/* largest |y| over the active rows */
double hki_bodies_norm(const hk_bodies *c, const double *y);
/* geometric stiffness of a set at multipliers lam (12 x 12 at the markers) and its force F */
void hki_bodies_set_frames(const hk_bodies *c, const hk_bodies_set *s, hk_frame *F);
void hki_bodies_set_geo(const hk_bodies *c, const hk_bodies_set *s, const hk_frame *F,
                        const double *lam, double *H);

/* slopes of a row's rates in the variations of its two bodies (nd each), at fixed rates in world
 * axes: of G v in the pose, of G a + gamma in the pose and in the twists */
typedef struct hk_bodies_curve {
  double vel_pose[12];
  double acc_pose[12], acc_twist[12];
} hk_bodies_curve;
/* all rows at the present state and accelerations a (body axes) */
void hki_bodies_curvatures(hk_bodies *c, const double *a, hk_bodies_curve *row);

/* coordinate of a joint at the present state */
void hki_bodies_scalar(const hk_bodies *c, const hk_bodies_coord *s, hk_joint_coord *out,
                       hk_frame *F);

/* wrenches W of gravity and all elements at the present state */
void hki_bodies_forces(hk_bodies *c);
/* element fi: markers it acts on (2, HK_GROUND where there is none), frames, wrench and exact
 * tangents at these markers; joint elements come as wrenches of their markers too */
void hki_bodies_force(hk_bodies *c, int32_t fi, bool tangent, int32_t *body, hk_frame *F,
                      hk_element_out *out);
/* r += M a + gyroscopic terms - W, in x, at the present state, a in body axes; then F of the scalar
 * unknowns */
void hki_bodies_inertia(const hk_bodies *c, const double *a, double *r);
/* numbers of a 6-vector (rotation, displacement) that a body has, and back */
void hki_bodies_reduce(const hk_bodies *c, const double *w, double *out);

/* exchange with the tree */
void hki_bodies_from_tree(hk_bodies *c, const double *qt, const double *vt, double *q, double *v);
void hki_bodies_to_tree(hk_bodies *c, const double *q, const double *v, const double *a, double *qt,
                        double *vt, double *at);
/* kin at the accepted state; remembers its tree coordinates */
void hki_bodies_settle(hk_bodies *c, double t, const double *q, const double *v, const double *a);
/* "joint 'pin', position along x" for a row */
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

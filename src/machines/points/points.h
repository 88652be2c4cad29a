/* SPDX-License-Identifier: Apache-2.0
 *
 * points.h: the machine of natural coordinates. The unknowns are points and unit vectors (blocks
 * of 3 numbers, 2 in planar models) that neighbouring bodies share, so that most joints cost no
 * equation.
 *
 *   body:    [u v w r] = sum over blocks e of C_e (x) e + K         (12 numbers, linear in q)
 *            point x of the body: r + [u v w] x = sum (C_e . (x, 1)) e + K (x, 1)
 *   planar:  r, alpha complex, alpha = cos + i sin of the body's angle; C_e two complex numbers
 *   mass:    M = C' J C (x) I, J = diag(S, m), S = (tr J)/2 I - J: constant, no velocity terms
 *   rows:    sum w (a . b) - c with a, b linear in q: lengths and angles within a body, what joints
 *            ask for beyond sharing; rows of other kinds through the joints' own loop equations
 *   forces:  a wrench (m, f) on the marker at x pulls [u v w r] with [m x u / 2 + x_1 f, ..., f],
 * the transposed of omega = (u x u' + v x v' + w x w') / 2 and of the point's velocity, so that
 * power is the same on both sides, also off the rigid motions
 *
 * Source: Garcia de Jalon and Bayo, Kinematic and Dynamic Simulation of Multibody Systems (1994),
 * chs. 2 and 4; the maps as in its section 4.2.
 */
#ifndef HK_MACHINES_POINTS_POINTS_H
#define HK_MACHINES_POINTS_POINTS_H

#include "kinematics/kin.h"
#include "linalg/sparse_ldl.h"

/* pose of a body as a linear function of the coordinates */
typedef struct hk_points_map {
  int32_t nblk;
  const int32_t *blk;
  const double *C; /* nblk x 4: factors of u v w r; planar: complex factors of r, alpha */
  double K[12];    /* what fixed elements contribute: u v w r; planar: r, alpha */
  int32_t ndir;    /* directions that its elements carry: 3; fewer for rods without spin */
  double t[9];     /* these directions, orthonormal, in the body's axes: rows */
  double x0[3];    /* a point that its elements carry */
} hk_points_map;

/* a block of coordinates: a point or a unit vector of some body */
typedef struct hk_points_block {
  int32_t body;
  bool vector;
  double x[3]; /* in the body's axes */
} hk_points_block;

/* a set of blocks that a force or a joint couples, with dense gradients */
typedef struct hk_points_clique {
  int32_t nblk;
  const int32_t *blk;
  int32_t n; /* numbers in the blocks */
  int32_t nrows;
  double *g;           /* nrows x n: gradients */
  const int32_t *slot; /* n (n + 1) / 2, row by row of the lower triangle */
} hk_points_clique;

/* gradient of one constraint row: its nonzeros */
typedef struct hk_points_line {
  int32_t n;
  const int32_t *idx;  /* coordinates */
  double *g;           /* values; zeros while the row is off */
  bool linear;         /* they never change */
  const int32_t *slot; /* n (n + 1) / 2 */
} hk_points_line;

/* one quadratic row: sum of w (a . b) - c, a and b numbers of linear forms */
typedef struct hk_points_row {
  int32_t nterm;
  double w[2];
  int32_t a[2], b[2];
  double c;
  int32_t nblk;      /* blocks that move it */
  const int32_t *at; /* their places among those of the group */
} hk_points_row;

/* rows that are quadratic in the coordinates, made of the same linear forms */
typedef struct hk_points_quadratic {
  int32_t nblk;
  const int32_t *blk;
  int32_t row0, nrows, nlin;
  const double *coef; /* nlin x nblk (planar: x 2) */
  const double *k;    /* nlin x d */
  hk_points_row *row;
} hk_points_quadratic;

/* rows through a joint's own equations, or a measured coordinate */
typedef struct hk_points_loop {
  hk_points_clique q;
  int32_t row0;
  int32_t closure; /* of the model, or HK_NONE: a joint of the tree, always on */
  int32_t scalar;  /* a coordinate's row: index in scalars[], else HK_NONE */
  const hk_joint_ops *ops;
  const void *par;
  int32_t body[2];
  const hk_offset *marker[2];
  uint8_t rows[6]; /* which loop rows */
} hk_points_loop;

/* a force; its clique holds rank rows */
typedef struct hk_points_force {
  hk_points_clique q;
  double ks[36], cs[36]; /* stride 6 */
  double *fu;            /* nu x n: derivatives of the generalized force, or NULL */
} hk_points_force;

/* a coordinate of a tree joint that forces, motions or signals want during iterations */
typedef struct hk_points_wanted {
  int32_t body, k;
  hk_joint_coord c;
} hk_points_wanted;

/* an entry of the mass matrix: blocks i >= j, factor (complex in planar models) */
typedef struct hk_points_mass {
  int32_t i, j;
  double m[2];
} hk_points_mass;

typedef struct hk_points {
  hk_ctx *ctx;
  const hk_model *m;
  hk_pool *pool;
  bool planar;
  int32_t d;   /* numbers of a block: 3, planar 2 */
  double E[9]; /* planar: columns x, y of the plane and its normal */
  int32_t nblk, n, nrows;
  hk_points_block *block;
  hk_points_map *map; /* nb */
  int32_t nquad, nloop, nwanted, nmass;
  hk_points_quadratic *quad;
  hk_points_loop *loop;
  hk_points_line *line;   /* nrows */
  hk_points_force *force; /* nf */
  hk_points_wanted *wanted;
  int32_t *wanted_of; /* ns: entry in wanted of a scalar, or HK_NONE */
  hk_points_mass *mass;
  int32_t widest; /* most numbers of a clique */
  hk_kin kin;     /* at accepted states, from tree coordinates: audits and channels read it */
  hk_kin it;      /* during iterations: frames from natural coordinates, not orthonormalised */
  hk_ldl *ldl;
  hk_ldl_num num;
  double *mval; /* mass matrix in the layout of num.val */
  double *base; /* the same plus what linear rows add with the penalty kappa_set */
  double kappa_set;
  double *scale, *inv;        /* n: 1 for vectors, the model's length for points; inverse */
  double *diag;               /* n: diagonal of M */
  double *weight;             /* n: gravity */
  double *X, *Xd;             /* nb x 12: poses and their rates at the present state */
  double *F;                  /* nb x 12: forces on the poses */
  double *phi, *phit, *gamma; /* nrows */
  double *alpha, *reach; /* nrows: penalties, inverse of what the coordinates can do about a row */
  double *lam, *qlast;   /* nrows, m->nq: persistent: multipliers; last accepted tree coordinates */
  double *row, *lam_step; /* nrows: scratch */
  double *r, *x, *y;      /* n: residual, scratch */
  double *q, *v, *a;      /* n: state of the present stage */
  double *qt, *vt, *at;   /* accepted tree coordinates, velocities; accelerations */
  double *q_it, *v_it;    /* m->nq, m->nv: tree coordinates during iterations, where wanted */
  hk_frame *pose;         /* nb: rigid poses while tree coordinates are measured */
  double *acc;            /* nb x 6: their accelerations */
  double *tri;            /* widest (widest + 1) / 2: scratch */
  double *gq, *gv;        /* widest: scratch */
  int32_t *pos;           /* nblk: place of a block in the clique at work */
  double *bar, *part;     /* nsignals, reads: scratch of signal gradients */
  double top_mass;        /* largest scaled diagonal entry of M */
  double stiffer;         /* factor on penalties: long chains give way more easily */
  double *q_set, *v_set, *a_set; /* n: the state whose tree coordinates are in qt, vt, at */
  unsigned char *block_mem;
} hk_points;

/* create (create.c). fewest: shared elements that a body carries anyway are expressed through
 * its own instead of being coordinates */
hk_status hki_points_create(hk_ctx *ctx, const hk_model *m, bool fewest, hk_points **out);
void hki_points_destroy(hk_points *n);
/* choice of elements, maps, rows (build.h); fills block, map, quad, loop of n */
hk_status hki_points_build(hk_points *n, bool fewest);
/* cliques of forces and measured coordinates (nat_cliques.c) */
hk_status hki_points_cliques(hk_points *n);

/* pose of a body (12 numbers; planar 4) at coordinates q; rates leave K out (map.c) */
void hki_points_pose(const hk_points *n, int32_t body, const double *q, bool rate, double *X);
/* a covector (moment, force) at a marker, as force on the body's pose; X: the pose */
void hki_points_pull(const hk_points *n, const double *X, const double *at, const double *w,
                     double *F);
/* g += the pose force F of a body, g in the blocks of the clique in n->pos */
void hki_points_scatter(const hk_points *n, int32_t body, const double *F, double *g);
/* the clique whose places are in n->pos from now on */
void hki_points_enter(hk_points *n, const hk_points_clique *q);
/* marker frame of a body at the present state */
void hki_points_marker(const hk_points *n, int32_t body, const hk_offset *o, hk_frame *F);

/* bodies, coordinates of joints, signals at (t, q, v) (state.c) */
void hki_points_state(hk_points *n, double t, const double *q, const double *v);
/* rows at the present positions: phi, phit, gradients */
void hki_points_rows(hk_points *n, const double *q);
/* rows that bind velocities alone have phi = 0; here it becomes (Phi_q v + phit) / cv */
void hki_points_rate_rows(hk_points *n, const double *v, double cv);
/* gamma of the rows at the present velocities v */
void hki_points_bias(hk_points *n, const double *v);
/* applied forces: r -= Q; with tangents also the cliques of forces (forces.c) */
void hki_points_forces(hk_points *n, bool tangent, double *r);
/* tri += tangent of the inputs of a force that read channels */
void hki_points_add_inputs(hk_points *n, int32_t force, double cC, double cK, double *tri);
/* a scalar joint coordinate at the present state, with gradients; bodies and markers it lies
 * between */
void hki_points_scalar(const hk_points *n, int32_t scalar, hk_joint_coord *c, int32_t *body,
                       const hk_offset **marker);

/* rows that are on at the accepted state */
int32_t hki_points_active_rows(const hk_points *n);
/* gradients of a quadratic row, from the values of the forms of its group; g as in its line */
void hki_points_row_gradient(const hk_points *n, const hk_points_quadratic *q,
                             const hk_points_row *row, double (*val)[3], double *g);

/* r += M a */
void hki_points_add_mass(const hk_points *n, const double *a, double *r);
/* r += Phi_q' mu; y = Phi_q x (0 in rows that are off) (solve.c) */
void hki_points_add_rows(const hk_points *n, const double *mu, double *r);
void hki_points_mul_rows(const hk_points *n, const double *x, double *y);
/* largest scaled row, largest scaled number of a vector */
double hki_points_row_norm(const hk_points *n, const double *y);
double hki_points_size(const hk_points *n, const double *x);
/* penalties for T = M + ... + c Phi_q' alpha Phi_q, alpha = kappa / (c sum Phi_q^2 / M_ii), kappa
 * times n->stiffer */
void hki_points_penalty(hk_points *n, double c, double kappa);
/* num.val = M + cC C + cK K + c Phi_q' alpha Phi_q, c as given to hki_points_penalty */
void hki_points_matrix(hk_points *n, bool forces, double cC, double cK, double c);
/* num.val += cK d(Phi_q' lam)/dq of the quadratic rows */
void hki_points_add_curvature(hk_points *n, double cK, const double *lam);
/* x -= T^-1 c Phi_q' alpha (Phi_q x + b), repeated until the rows are small; b may be NULL */
double hki_points_project(hk_points *n, double c, const double *b, double *x);

/* exchange with tree coordinates (to_tree.c) */
void hki_points_from_tree(hk_points *n, const double *qt, const double *vt, double *q, double *v);
void hki_points_to_tree(hk_points *n, const double *q, const double *v, const double *a, double *qt,
                        double *vt, double *at);

#endif

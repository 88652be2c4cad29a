/* SPDX-License-Identifier: Apache-2.0
 *
 * points.h: the machine of natural coordinates. The unknowns q are points and unit vectors that
 * neighbouring bodies share, so that most joints cost no equation. One point or vector is a block e
 * of d = 3 numbers (2 in planar models).
 *
 * pose of a body, 12 numbers, linear in q; r its centre of mass, u v w its axes:
 *
 *   [u v w r]     = sum over blocks e of C_e (x) e + K                    C_e: 4 numbers
 *   r + [u v w] x = sum over blocks e of (C_e . (x, 1)) e + K (x, 1)      point x of the body
 *   planar:  r and alpha = cos + i sin of the body's angle, complex       C_e: 2 complex numbers
 *
 * mass matrix, constant, so that there are no velocity-dependent inertia forces:
 *
 *   M = C' diag(S, m) C (x) 1,   S = (tr J)/2 1 - J                       J, m: inertia, mass
 *   planar:  m for r, polar moment for alpha
 *
 * constraint rows, with a and b linear in q (lengths and angles within a body, and the rows of a
 * joint that sharing does not meet; other rows come from the joints' own loop equations):
 *
 *   row = sum of w (a . b) - c
 *
 * a wrench (m, f) on the marker at x, as force on the pose [u v w r]:
 *
 *   [m x u/2 + x_1 f,  m x v/2 + x_2 f,  m x w/2 + x_3 f,  f]
 *
 * This is the transpose of the marker's velocity r' + [u' v' w'] x and of
 * omega = (u x u' + v x v' + w x w')/2, so that the power of a wrench is the same in both
 * descriptions, also where an iterate is not rigid.
 *
 * Source: Garcia de Jalon and Bayo, Kinematic and Dynamic Simulation of Multibody Systems (1994),
 * chapters 2 and 4; the maps as in its section 4.2.
 */
#ifndef HK_MACHINES_POINTS_POINTS_H
#define HK_MACHINES_POINTS_POINTS_H

#include "kinematics/kin.h"
#include "machines/network/border.h"
#include "linalg/conjugate.h"
#include "linalg/border.h"
#include "linalg/pencil.h"
#include "linalg/sparse_ldl.h"

/* pose of a body as a linear function of the coordinates */
typedef struct hk_points_map {
  int32_t nblk;
  const int32_t *blk; /* nblk: the blocks that move the body */
  const double *C;    /* nblk x 4: factors of u v w r; planar: complex factors of r, alpha */
  double K[12];       /* part of fixed points and vectors: u v w r; planar: r, alpha */
  int32_t ndir;       /* independent directions that the blocks carry: 3; less for rods */
  double t[9];        /* ndir < 3: these directions, orthonormal, in the body's axes, by rows */
  double x0[3];       /* a point of the body that the blocks carry, in its axes */
} hk_points_map;

/* a block of coordinates: a point or a unit vector, and where it is on one of its bodies */
typedef struct hk_points_block {
  int32_t body;
  bool vector; /* a unit vector, else a point */
  double x[3]; /* in the body's axes */
} hk_points_block;

/* a set of blocks that a force or a joint couples, with dense gradients */
typedef struct hk_points_clique {
  int32_t nblk;
  const int32_t *blk;  /* nblk */
  int32_t n;           /* coordinates of the blocks, d nblk */
  int32_t nrows;       /* gradients */
  double *g;           /* nrows x n */
  const int32_t *slot; /* n (n + 1) / 2: lower triangle by rows, places in num.val */
} hk_points_clique;

/* gradient of one constraint row: its nonzeros */
typedef struct hk_points_line {
  int32_t n;
  const int32_t *idx;  /* n: coordinates */
  double *g;           /* n: values; zeros while the row is off */
  bool linear;         /* g is constant */
  const int32_t *slot; /* n (n + 1) / 2: lower triangle by rows, places in num.val */
} hk_points_line;

/* one quadratic row: sum over nterm terms of w (a . b) - c */
typedef struct hk_points_row {
  int32_t nterm;
  double w[2];
  int32_t a[2], b[2]; /* linear forms of the group, by number */
  double c;
  int32_t nblk;      /* blocks that move the row */
  const int32_t *at; /* nblk: their places in the group's blk */
} hk_points_row;

/* a group of rows that are quadratic in the coordinates and made of the same linear forms: value of
 * form l = sum over blocks of coef[l, i] e_i + k[l] */
typedef struct hk_points_quadratic {
  int32_t nblk;
  const int32_t *blk; /* nblk: blocks of all forms, ascending */
  int32_t row0, nrows, nlin;
  const double *coef; /* nlin x nblk; planar: complex, nlin x nblk x 2 */
  const double *k;    /* nlin x d */
  hk_points_row *row; /* nrows */
} hk_points_quadratic;

/* rows through a joint's own loop equations, or the row of one joint coordinate */
typedef struct hk_points_loop {
  hk_points_clique q;
  int32_t row0;
  int32_t closure;             /* of the model; HK_NONE: a joint of the tree, always on */
  int32_t scalar;              /* row of a coordinate: index in m->scalars; else HK_NONE */
  const hk_coupling *coupling; /* row of a relation of coordinates; else NULL */
  const hk_joint_ops *ops;
  const void *par;
  int32_t body[2];
  const hk_offset *marker[2];
  uint8_t rows[6]; /* q.nrows: which loop rows */
} hk_points_loop;

/* a force; the gradients of its clique are those of its deformations, s_q */
typedef struct hk_points_force {
  hk_points_clique q;
  double ks[36], cs[36]; /* stride 6: df/ds, df/dsd */
  double *fu;            /* nu x q.n: dQ/du for inputs that read channels; NULL: none does */
  uint32_t own, other; /* bits of inputs that read the coordinate they drive alone; that read other
                            channels */
} hk_points_force;

/* a coordinate of a tree joint that forces, motions or signals read in every iteration */
typedef struct hk_points_wanted {
  int32_t body, k;  /* body of the joint, number of the coordinate in it */
  hk_joint_coord c; /* at the present state */
} hk_points_wanted;

/* an entry of the mass matrix: blocks i >= j, m times the unit matrix; planar: complex factor m */
typedef struct hk_points_mass {
  int32_t i, j;
  double m[2];
} hk_points_mass;

typedef struct hk_points {
  hk_ctx *ctx;
  const hk_model *m;
  hk_pool *pool;
  bool planar;
  int32_t d;              /* numbers of a block: 3, planar 2 */
  double E[9];            /* planar: columns x, y of the plane and its normal */
  int32_t nblk, n, nrows; /* blocks, coordinates d nblk, constraint rows */
  hk_points_block *block;
  hk_points_map *map; /* nb */
  int32_t nquad, nloop, nwanted, nmass;
  hk_points_quadratic *quad;
  hk_points_loop *loop;
  hk_points_line *line;   /* nrows */
  hk_points_force *force; /* nf */
  hk_points_clique *wide; /* m->nwide: blocks of the bodies of elements on several markers */
  hk_points_wanted *wanted;
  int32_t *wanted_of; /* m->ns: entry in wanted of a scalar, or HK_NONE */
  hk_points_mass *mass;
  int32_t widest; /* largest n of a clique */
  hk_kin kin;     /* at accepted states, from tree coordinates: audits and channels read it */
  hk_kin it;      /* during iterations: frames from natural coordinates, not orthonormalised */
  hk_ldl *ldl;
  hk_ldl_num num;
  hk_border border;     /* inputs that read other channels, scalar unknowns; beside T */
  int32_t nother;       /* their number */
  double *mval;         /* mass matrix in the layout of num.val */
  double *scale, *inv;  /* n: 1 for vectors, the model's length for points; inverse */
  double *diag, *yield; /* n: diagonal of M; 1 / (diag scale^2), 0 where there is next to no mass */
  double *weight;       /* n: generalised force of gravity */
  double *X, *Xd;       /* m->nb x 12: poses and their rates at the present state */
  double *F;            /* m->nb x 12: forces on the poses */
  double *phi, *phit, *gamma; /* nrows: value, partial time derivative, acceleration bias */
  double *alpha, *reach;      /* nrows: penalty; 1 / largest scaled entry of the row's gradient */
  double *held; /* Phi_q as T has it (hki_points_matrix), the gradients of all lines in a row */
  double *lam, *qlast; /* nrows, m->nq, persistent: multipliers; last accepted tree coordinates */
  double *row, *lam_step; /* nrows: scratch */
  hk_conjugate slow;      /* scratch of hki_points_close_slow */
  double *r, *x, *y;      /* n: residual, scratch */
  double *q, *v, *a;      /* n: state of the present stage */
  double *qt, *vt, *at;   /* accepted tree coordinates, velocities, accelerations */
  double *q_it, *v_it;    /* m->nq, m->nv: wanted tree coordinates during iterations */
  hk_frame *pose;         /* m->nb: rigid poses while tree coordinates are measured */
  double *acc;            /* m->nb x 6: their accelerations */
  double *tri;            /* widest (widest + 1) / 2: scratch */
  double *gq, *gv, *J;    /* widest, widest, 12 (of wide elements 6 nmark) x widest: scratch */
  int32_t *pos;           /* nblk: place of a block in the clique of hki_points_enter */
  double *bar, *part;     /* nsignals, reads: scratch of signal gradients */
  double top_mass;        /* largest diagonal entry of M, times scale^2 */
  double stiffer;         /* factor on penalties, above 1 for long chains (chain_factor) */
  double *q_set, *v_set, *a_set; /* n: the state whose tree coordinates qt, vt, at hold */
  unsigned char *block_mem;
} hk_points;

/* which points and vectors are blocks */
typedef enum hk_points_choice {
  HK_POINTS_SHARED, /* all that bodies share */
  HK_POINTS_FEWEST, /* of these, one that its body carries anyway is expressed through its blocks */
  HK_POINTS_SEPARATE /* all that bodies share, a vector for each axis although several are parallel,
                        and the points where forces and joints that events switch take hold */
} hk_points_choice;

/* create.c */
hk_status hki_points_create(hk_ctx *ctx, const hk_model *m, hk_points_choice choice,
                            hk_points **out);
void hki_points_destroy(hk_points *n);
/* memory of the machine and time of one iteration, without making its numbers; stops at `most` bytes */
hk_status hki_points_cost(hk_ctx *ctx, const hk_model *m, hk_points_choice choice, double most,
                          hk_cost *out);
/* chooses blocks, maps and rows (build.h): fills block, map, quad, loop, line */
hk_status hki_points_build(hk_points *n, hk_points_choice choice);
/* cliques of forces and the wanted joint coordinates (create.c) */
hk_status hki_points_cliques(hk_points *n);

/* X: pose of a body (12 numbers; planar 4) at coordinates q, or its rate at velocities q (map.c) */
void hki_points_pose(const hk_points *n, int32_t body, const double *q, bool rate, double *X);
/* F: covector w = (moment, force) at the marker `at` (body axes) as force on the pose X */
void hki_points_pull(const hk_points *n, const double *X, const double *at, const double *w,
                     double *F);
/* g += force F on the pose of a body; g in the coordinates of the clique last entered */
void hki_points_scatter(const hk_points *n, int32_t body, const double *F, double *g);
/* n->pos = places of the blocks of q, for the functions that write into its coordinates */
void hki_points_enter(hk_points *n, const hk_points_clique *q);
/* marker frame of a body at the present state */
void hki_points_marker(const hk_points *n, int32_t body, const hk_offset *o, hk_frame *F);

/* bodies, wanted joint coordinates and signals at (t, q, v) (state.c) */
void hki_points_state(hk_points *n, double t, const double *q, const double *v);
/* phi, phit and gradients at the present state; q: its coordinates */
void hki_points_rows(hk_points *n, const double *q);
/* phi = (Phi_q v + phit) / cv for rows that bind velocities alone, whose phi is 0 otherwise */
void hki_points_rate_rows(hk_points *n, const double *v, double cv);
/* gamma at the present state; v: its velocities */
void hki_points_bias(hk_points *n, const double *v);
/* r -= Q of gravity and all elements; tangent: fills the gradients, ks, cs and fu of forces too
 * (forces.c) */
void hki_points_forces(hk_points *n, bool tangent, double *r);
/* n->F += elements on several markers; num.val += cC C + cK K of them (wide.c) */
void hki_points_wide_forces(hk_points *n);
void hki_points_add_wide(hk_points *n, double cC, double cK);
/* private states of the forces at the present state */
void hki_points_find_states(hk_points *n);
/* tri += cC C + cK K of the inputs of a force that read the coordinate it acts on; tri: as q.slot of
 * the force */
void hki_points_add_inputs(hk_points *n, int32_t force, double cC, double cK, double *tri);
/* num.val += the same of all inputs of a force */
void hki_points_add_force_inputs(hk_points *n, int32_t force, double cC, double cK);
/* border = the same of all other inputs, and the terms of scalar unknowns: U = -dQ/du, V = cK du/dq + cC du/dv, after
 * hki_points_forces with tangents */
void hki_points_border_terms(hk_points *n, double cC, double cK);
/* factor num.val and the border; x = (T + border)^-1 x (solve.c) */
hk_status hki_points_factor_stage(hk_points *n);
void hki_points_solve_stage(hk_points *n, double *x);
/* markers of a loop that is not a coordinate; moved: memory for one that events have moved */
void hki_points_loop_markers(const hk_points *n, const hk_points_loop *l, hk_offset *moved,
                             const hk_offset **marker);
/* scalar joint coordinate at the present state, with gradients; body[2], marker[2]: its ends.
 * Returns its partial time derivative. */
double hki_points_scalar(const hk_points *n, int32_t scalar, hk_joint_coord *c, int32_t *body,
                         const hk_offset **marker);

/* number of rows that are on at the accepted state */
int32_t hki_points_active_rows(const hk_points *n);
/* g: gradient of a quadratic row, in the blocks row->at of its group; val: values of the forms */
void hki_points_row_gradient(const hk_points *n, const hk_points_quadratic *q,
                             const hk_points_row *row, double (*val)[3], double *g);

/* r += M a (solve.c) */
void hki_points_add_mass(const hk_points *n, const double *a, double *r);
/* r += Phi_q' mu */
void hki_points_add_rows(const hk_points *n, const double *mu, double *r);
/* y = Phi_q x; 0 in rows that are off */
void hki_points_mul_rows(const hk_points *n, const double *x, double *y);
/* both with Phi_q as T has it */
void hki_points_add_factored(const hk_points *n, const double *mu, double *r);
void hki_points_mul_factored(const hk_points *n, const double *x, double *y);
/* largest |y| times reach */
double hki_points_row_norm(const hk_points *n, const double *y);
/* largest |x| over scale */
double hki_points_size(const hk_points *n, const double *x);
/* alpha = stiffer kappa / (c sum_i Phi_q_i^2 / M_ii) per row, for c of hki_points_matrix; reach */
void hki_points_penalty(hk_points *n, double c, double kappa);
/* the same with one alpha for all rows */
void hki_points_penalty_equal(hk_points *n, double alpha);
/* num.val = T = M + cC C + cK K + c Phi_q' alpha Phi_q, after hki_points_penalty with the same c;
 * forces: with C and K */
void hki_points_matrix(hk_points *n, bool forces, double cC, double cK, double c);
/* num.val += cC C + cK K of all forces (material part) */
void hki_points_add_forces(hk_points *n, double cC, double cK);
/* num.val += cK d(Phi_q' lam)/dq of the quadratic rows */
void hki_points_add_curvature(hk_points *n, double cK, const double *lam);
/* num.val += cC C + cK K of forces, with geometric terms and those of all rows (exact.c); in place
 * of the forces of hki_points_matrix */
void hki_points_add_exact(hk_points *n, double cC, double cK, const double *lam);
/* x -= c T^-1 G' alpha (Phi_q x + b) with the factorised T, repeated until the rows are below 1e-13, or the part `small` of x if that
 * is more; b (nrows) may be NULL. Returns the largest scaled row left. G = Phi_q of T, along which alone T is stiff; Phi_q may
 * belong to another position. */
double hki_points_project(hk_points *n, double c, const double *b, double small, double far,
                          double *x);
/* The same for rows that nearly depend on each other: x -= T^-1 G' z with G x = -row as far as it goes, c: share of alpha in T (closing.c).
 * row becomes what is left; n->lam += f mu, mu of (T - c G' alpha G) x + G' mu = 0. Status as of hki_conjugate_close. */
hk_status hki_points_close_slow(hk_points *n, double c, double f, double *row, double *x);
/* scaled rows that count as closed, relative to the size of x */
#define HK_POINTS_CLOSED 1e-13
/* are rows that passes have left open, by `left` in x of scaled size `size`, such? */
static inline bool hki_points_is_slow(double left, double size) {
  return left > HK_SLOW_TIMES * HK_POINTS_CLOSED * (1.0 + size);
}

/* Accelerations of a stage and the matrices of their linearisation (pencil.c). */
typedef struct hk_points_pencil {
  hk_pencil p;
  double *lam;    /* stages x nrows: multipliers of each stage */
  double *rows;   /* dPhi_q/dt of the rows that are not linear, one after the other */
  int32_t nrows;  /* its length */
  int32_t *entry; /* entries of p for all pairs of the coordinates of each such row */
  double *q;      /* n: scratch */
} hk_points_pencil;
/* memory; a second call does nothing */
hk_status hki_points_pencil_create(hk_points *n, int32_t stages, hk_points_pencil *p);
void hki_points_pencil_destroy(hk_points_pencil *p);
/* dPhi_q/dt, rows, and forces with tangents at the increment D from q0 and its rate w */
void hki_points_pencil_state(hk_points *n, hk_points_pencil *p, double t, const double *q0,
                             const double *D, const double *w, double g);
/* A, C, K and the factor of A + g C + g^2 K there, after the penalties for c = 1 */
hk_status hki_points_pencil_factor(hk_points *n, hk_points_pencil *p, double g);
/* wd: second derivative of D by one solution with the multipliers of a stage, which are updated;
 * first: they begin with n->lam */
hk_status hki_points_pencil_rates(hk_points *n, hk_points_pencil *p, int32_t stage, bool first,
                                  double t, const double *q0, const double *D, const double *w,
                                  double *wd);

/* exchange with tree coordinates (to_tree.c); from_tree also sets qlast */
void hki_points_from_tree(hk_points *n, const double *qt, const double *vt, double *q, double *v);
void hki_points_to_tree(hk_points *n, const double *q, const double *v, const double *a, double *qt,
                        double *vt, double *at);

/* scalar unknowns beside a formulation whose `shared` is the hk_points (state.c) */
extern const hk_net_face hki_points_net;

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * tree.h: the tree machine, which formulations in relative coordinates and the analyses share:
 * mass matrix by composite inertias, residual by one pass out and one pass back, tangents of forces
 * and closures, all assembled into one sparse symmetric matrix whose pattern is found once.
 *
 *   M_ij = S_i' I_subtree(j) S_j                    i on the path from j to the ground  (12, 17)
 *   r    = M a - Q = S' F_subtree - tau             F_subtree: sum over the subtree     (13, 18-19)
 *   F    = I A + V x* (I V) - W                     of one body
 *   T    = M + cC C + cK K + c Phi_z' alpha Phi_z   (26) with cC = cv/ca, cK = c = 1/ca
 *
 * S, V, A, I, W: joint motions, twists, accelerations, inertias and applied wrenches in world axes
 * about the point O of the tree (kin.h); tau: forces on single tree coordinates; Phi_z: Jacobian of
 * the closures. Coordinates are eliminated from the leaves to the root, which leaves no fill for
 * trees.
 *
 * Source: Cuadrado and Dopico 2003, section 3; numbers in brackets are its equations.
 */
#ifndef HK_MACHINES_TREE_TREE_H
#define HK_MACHINES_TREE_TREE_H

#include "kinematics/kin.h"
#include "machines/network/border.h"
#include "linalg/border.h"
#include "linalg/conjugate.h"
#include "linalg/pencil.h"
#include "linalg/sparse_ldl.h"
#include "stage/stage.h"

/* a force input whose signal reads channels: its tangent couples the coordinates of the force's
 * path with those the signal depends on */
typedef struct hk_tree_input {
  int32_t force, input, signal; /* model force, index of its input, spec signal */
  int32_t nsup;
  int32_t *sup;  /* nsup: coordinates the signal may depend on */
  int32_t *slot; /* path.n x nsup: places in num.val */
  bool own;      /* drives a tree coordinate and reads that one alone: symmetric, stays in T */
  bool whole;    /* all it reads is in the border: scalar unknowns read or feel it */
} hk_tree_input;

/* derivatives of the inertial forces, see slopes.c; memory by hki_tree_allow_exact */
typedef struct hk_tree_slopes {
  double *S1, *S2, *S3; /* nv x 6 */
  double *B, *f;        /* nb x 36, nb x 6 */
  unsigned char *block;
} hk_tree_slopes;

typedef struct hk_deep hk_deep; /* deep.h */

typedef struct hk_tree {
  hk_ctx *ctx;
  const hk_model *m;
  hk_kin kin;
  hk_ldl *ldl;
  hk_ldl_num num;
  /* slots: places in num.val, found once by hki_tree_matrix */
  /* entries of M, bodies from the last to the first, for each its coordinates from the last on against itself and all above
   * it; slot_mass0: first entry of a body */
  int32_t *slot_mass, *slot_mass0;
  uint8_t *quad_mass;            /* nquad, 1: columns of M are found four at a time */
  int32_t *slot_clo, *slot_clo0; /* per closure: lower triangle over its path; its first entry */
  int32_t *slot_frc, *slot_frc0; /* the same per force */
  int32_t
      *slot_wide; /* elements on several markers, one after the other: triangles over their dof */
  int32_t *slot_diag;        /* nv: diagonal */
  int32_t *slot_zero, nzero; /* entries of T that hki_tree_mass must clear, as it skips them */
  int32_t ninput;
  hk_tree_input *input;
  int32_t nacross,
      *across;      /* forces with private states across joints, in methods without a matrix */
  double *scale;    /* nv: 1 for rotations, the model's length for translations */
  double *unscale;  /* nv: 1 / scale */
  uint8_t *rotates; /* nv: 1 for rotations */
  uint8_t *quat;    /* nv: 1 for the three increments of a quaternion */
  bool has_quat;    /* there are such */
  int32_t *owner;   /* nv: the body whose joint a coordinate belongs to */
  hk_inertia *Ic;   /* nb: composite inertias of subtrees about O */
  double *F, *A;    /* nb x 6: wrenches and accelerations of the last residual */
  double *mass;     /* nv: diagonal of M */
  double *M;        /* nM: the entries of M, as num.val has them before others are added */
  int32_t nM;       /* 0: too many entries, accel.c does without */
  double *alpha;    /* nrows: penalties */
  double *gz;       /* Phi_z as T has it (hki_tree_add_closures), laid out as kin.gz */
  double *lam;      /* nrows: multipliers; kept over steps where a formulation declares them */
  double *reach;    /* nrows: 1 / largest scaled entry of the row's gradient */
  double *row, *lam_step; /* nrows: scratch */
  hk_conjugate slow;      /* scratch of hki_tree_close_slow */
  double *wide_J, *wide_X,
      *wide_T;           /* models with wide elements: scratch of one of them (exact.c) */
  double *couple;        /* 2 nv where there are couplings: gradients of two arguments */
  double *r, *x, *y;     /* nv: residual, scratch */
  double *C, *press, *N; /* models with friction: nb x 6, nnormal x 6, nnormal (normal.c) */
  double *carry;         /* nv x 3, of the same models (normal.c) */
  bool pressed;          /* press, N, C are those of the last residual with s->lam */
  double share;     /* d(mu)/dD of the rows is ca share alpha Phi_z, as T has it; 0: not known */
  double *v, *a;    /* nv: velocities, accelerations of the present stage */
  double *q;        /* nq: coordinates of the present stage */
  hk_border border; /* inputs that read other channels, scalar unknowns; beside T */
  hk_tree_slopes slope;
  hk_deep *deep; /* what stages are solved with in the place of the matrix; NULL: the matrix */
  hk_pool *pool; /* slot lists */
  unsigned char *block, *matrix_block, *border_block;
} hk_tree;

/* bytes of kinematics and vectors */
size_t hki_tree_vector_bytes(const hk_model *m);
/* Allocates kinematics and vectors only. Methods without a matrix (recursive) stay linear in the
 * number of bodies; the others call hki_tree_matrix too. */
hk_status hki_tree_create(hk_ctx *ctx, const hk_model *m, hk_tree **out);
/* Pattern, slots and memory of the matrix; a second call does nothing. Required before
 * hki_tree_mass, hki_tree_add_* and hki_tree_factor. hki_tree_analyse: the pattern alone, given up
 * at `most` entries (0: none). */
hk_status hki_tree_analyse(hk_tree *s, double most);
hk_status hki_tree_matrix(hk_tree *s);
void hki_tree_destroy(hk_tree *s);

/* Cost of a machine for the model, without its matrix or with it: exact counts of its memory, and
 * the time of passes over the bodies and of one factorisation. Stops at `most` bytes. */
hk_status hki_tree_cost(hk_ctx *ctx, const hk_model *m, bool matrix, double most, hk_cost *out);
/* the least that a factorisation of the matrix costs, by the tree alone: multiplications, seconds */
double hki_tree_mass_work(const hk_model *m);
double hki_tree_mass_seconds(const hk_model *m);

/* q_out = q (+) d, and d with q0 (+) d = q1; q, q_out nq, d nv */
void hki_tree_plus(const hk_model *m, const double *q, const double *d, double *q_out);
void hki_tree_minus(const hk_model *m, const double *q1, const double *q0, double *d);

/* bodies, signals, closures and forces at (t, q, v); forces: flags of hki_kin_forces */
void hki_tree_state(hk_tree *s, double t, const double *q, const double *v, uint32_t forces);

/* private states of the forces at (t, s->q, s->v) of a stage */
void hki_tree_find_states(hk_tree *s, double t);

/* r = M a - Q at the present state (without constraint forces) */
void hki_tree_residual(hk_tree *s, const double *a, double *r);
/* r += Phi_z' mu, mu per row */
void hki_tree_add_rows(const hk_tree *s, const double *mu, double *r);
/* y[row] = Phi_z x */
void hki_tree_rows(const hk_tree *s, const double *x, double *y);
/* both with Phi_z as T has it */
void hki_tree_add_factored(const hk_tree *s, const double *mu, double *r);
void hki_tree_rows_factored(const hk_tree *s, const double *x, double *y);
/* s->reach at the present positions; hki_tree_penalty calls it */
void hki_tree_reach(hk_tree *s);
/* largest |y| times reach over the active rows */
double hki_tree_row_norm(const hk_tree *s, const double *y);

/* largest |x| w, four at a time; not a number where some product is none */
double hki_tree_largest(int32_t n, const double *x, const double *w);

/* num.val = M; s->mass = its diagonal */
void hki_tree_mass(hk_tree *s);
/* s->mass = diagonal of M, y = M x, of bodies alone, without the matrix in O(n); the second overwrites s->A and s->F */
void hki_tree_mass_diagonal(hk_tree *s);
void hki_tree_mass_mul(hk_tree *s, const double *x, double *y);
/* entries of T, where a product with M takes less time than a residual; else 0 */
int32_t hki_tree_few(const hk_model *m, const hk_ldl *ldl);
/* s->M = M, and the factor of M + Phi_z' alpha Phi_z with penalties of kappa times the inertia, whatever the step */
hk_status hki_tree_factor_mass(hk_tree *s, double kappa);
/* penalties alpha = kappa / (c sum_i Phi_z_i^2 / M_ii) per row, for c of T; kappa: relative to the
 * inertia a row feels; weights of the sum in row_mobility (tree.c) */
void hki_tree_penalty(hk_tree *s, double kappa, double c);
void hki_tree_penalty_reached(hk_tree *s, double kappa, double c); /* after hki_tree_reach */
/* one penalty for all rows */
void hki_tree_penalty_equal(hk_tree *s, double alpha);
/* the body whose joint has all coordinates of a path; HK_NONE: it has those of several, or none */
int32_t hki_tree_joint_of(const hk_model *m, const hk_path *p);
/* s->input and the memory of the border; part of hki_tree_matrix, for methods without a matrix alone,
 * which may want forces across joints in the border, those with states or all: s->across. A second call
 * does nothing. */
typedef enum hk_across { HK_ACROSS_NONE, HK_ACROSS_STATES, HK_ACROSS_ALL } hk_across;
hk_status hki_tree_inputs(hk_tree *s, hk_across across);
/* num.val += cC C + cK K of all forces (material part), and hki_tree_border_terms */
void hki_tree_add_forces(hk_tree *s, double cC, double cK);
/* num.val += the same of inputs that read channels, -(dQ/du)(du/dq) and -(dQ/du)(du/dv), symmetric
 * part; part of hki_tree_add_exact */
void hki_tree_add_inputs(hk_tree *s, double cC, double cK);
/* The same, whole: num.val += what an input does on the one coordinate it drives (where there is a
 * matrix), s->border = the rest; U = -dQ/du, V = cK du/dq + cC du/dv. Needs tangents of forces. */
void hki_tree_border_terms(hk_tree *s, double cC, double cK);
/* Normal forces of friction after hki_tree_residual (normal.c), to first order from the multipliers lam
 * to mu; may be the same. hki_tree_normal_terms: their terms of the border, part of
 * hki_tree_border_terms. */
void hki_tree_normals(hk_tree *s, const double *lam, const double *mu, double *N);
void hki_tree_normal_terms(hk_tree *s);
/* The terms of the border at accelerations a of a state that hki_tree_accel has just found, where T is
 * its matrix, with the factors of 1 + G: s->border.G and `negative`. N: nnormal, of a. */
hk_status hki_tree_normal_gains(hk_tree *s, const double *a, double *N);
/* What the terms sense at accelerations a, for methods whose corrections are those of accelerations,
 * with the multipliers s->lam; before hki_tree_border_terms, without a mass matrix. */
void hki_tree_sense_normals(hk_tree *s, const double *a);
/* find of hk_normal_face, after accelerations with s->lam */
void hki_tree_find_normals(hk_formulation *f, const double *a, double *N);
hk_border *hki_tree_normal_border(hk_formulation *f);
/* num.val += cC C + cK K of elements on several markers, exact but for the symmetric part; a part of
 * hki_tree_add_forces and of the exact tangents */
void hki_tree_add_wide(hk_tree *s, double cC, double cK);
/* s->wide_T = the same of element i, whole: ndof x ndof over its coordinates */
void hki_tree_wide_matrix(hk_tree *s, int32_t i, double cC, double cK);
/* num.val += M of elements with inertia; part of hki_tree_mass. The same of cC C + cK K of their forces of inertia,
 * symmetric part, at accelerations s->A; part of hki_tree_add_inertia. */
void hki_tree_add_wide_mass(hk_tree *s);
void hki_tree_add_wide_inertia(hk_tree *s, double cC, double cK);
/* num.val += c Phi_z' alpha Phi_z */
void hki_tree_add_closures(hk_tree *s, double c);
/* num.val += cC C + cK K with geometric terms of forces, gravity and closures; lam: nrows */
void hki_tree_add_exact(hk_tree *s, double cC, double cK, const double *lam);
/* memory for the next three; a second call does nothing */
hk_status hki_tree_allow_exact(hk_tree *s);
double hki_tree_exact_bytes(const hk_model *m); /* its size */
/* s->slope of single bodies, and s->A, at the present state and accelerations a (slopes.c) */
void hki_tree_slopes(hk_tree *s, const double *a);
/* num.val += cC dr/dv + cK dr/dq of inertia and gravity, symmetric part, at accelerations s->a */
void hki_tree_add_inertia(hk_tree *s, double cC, double cK);
/* num.val += cC C + cK K of a stage with all that hki_tree_add_exact has and the inertial forces */
void hki_tree_add_whole(hk_tree *s, double cC, double cK, const double *lam);
hk_status hki_tree_factor(hk_tree *s);
/* x = T^-1 x, after hki_tree_factor */
void hki_tree_solve(hk_tree *s, double *x);
/* the same for a stage: with the border */
hk_status hki_tree_factor_stage(hk_tree *s);
/* x = (T + border)^-1 x, after hki_tree_factor_stage, or hki_deep_factor where there is s->deep */
void hki_tree_solve_stage(hk_tree *s, double *x);

/* Projection with the factorised T: x -= c T^-1 G' alpha (Phi_z x + b), repeated until the scaled rows are below `small` times
 * the scaled size of x, or as small as round-off allows; b (nrows) may be NULL. Returns the largest scaled row left. G = Phi_z of T, which may belong
 * to another position than Phi_z: T is stiff along G alone, and a push along other rows, alpha times as
 * large as the way it has to go, would move what is at right angles to G. HK_TREE_CLOSED: that alone. */
#define HK_TREE_CLOSED 1e-13
double hki_tree_project(hk_tree *s, double c, const double *b, double small, double *x);
/* The same for rows that nearly depend on each other: x -= T^-1 G' z with G x = -row as far as it goes, c: share of alpha in T. row
 * becomes what is left; s->lam += f mu, mu of (T - c G' alpha G) x + G' mu = 0. Status as of hki_conjugate_close. */
hk_status hki_tree_close_slow(hk_tree *s, double c, double f, double *row, double *x);
/* the same with a T of one's own */
hk_status hki_tree_close_by(hk_tree *s, hk_respond *answer, void *with, double c, double f,
                            double *row, double *x);
/* are rows that passes have left open, by `left` in x of scaled size `size`, such? */
static inline bool hki_tree_is_slow(double left, double size) {
  return left > HK_SLOW_TIMES * HK_TREE_CLOSED * (1.0 + size);
}
/* v onto Phi_z v + Phi_t = 0 with the present factors; kin at v. Rows that are not linear in v are
 * evaluated anew until they hold. */
void hki_tree_project_rates(hk_tree *s, double c, double small, double *v);

/* The next four factor M + Phi_z' alpha Phi_z at (t, q, v) themselves. */
/* v: nearest velocities in the mass metric with Phi_z v + Phi_t = 0 */
hk_status hki_tree_project_velocity(hk_tree *s, double t, const double *q, double *v);
/* the same, with the impulses p (nrows): M dv + Phi_z' p = 0 */
hk_status hki_tree_impact(hk_tree *s, double t, const double *q, double *v, double *p);
/* after hki_tree_impact: x, an impulse on the coordinates, becomes the change of velocities that it makes
 * within the closures: M x + Phi_z' r = impulse, Phi_z x = 0 */
void hki_tree_respond(hk_tree *s, double *x);
/* a: accelerations with Phi_z a + gamma = 0; s->lam holds the multipliers of this state */
hk_status hki_tree_accel(hk_tree *s, double t, const double *q, const double *v, double *a);
/* the same in less time, with multipliers good to 1e-8 of their size alone */
hk_status hki_tree_accel_alone(hk_tree *s, double t, const double *q, const double *v, double *a);
/* hki_tree_accel at the state that s->kin is at, with its forces and biases of closures */
hk_status hki_tree_accel_here(hk_tree *s, double *a);

/* Nearest position in the mass metric with Phi = 0, then velocities as above; s->kin is at the
 * result. HK_RETRY when the loops stay open. (Dopico, Lugris, Gonzalez and Cuadrado 2005,
 * eqs. 3-4) */
hk_status hki_tree_project_state(hk_tree *s, double t, double *q, double *v);

/* Increments as coordinates (chart.c), w = dD/dt: v = J(D) w (v may be w); z = (dJ/dt) w;
 * r <- J'(D) r; x <- J^-1(D) x. */
void hki_tree_chart_velocity(const hk_tree *s, const double *D, const double *w, double *v);
void hki_tree_chart_bend(const hk_tree *s, const double *D, const double *w, double *z);
void hki_tree_chart_pull(const hk_tree *s, const double *D, double *r);
void hki_tree_chart_step(const hk_tree *s, const double *D, double *x);
/* The last, after hki_tree_mass and the other terms of T, for the rotations alone whose place in T constraints and forces
 * determine rather than inertia */
void hki_tree_chart_bound(const hk_tree *s, const double *D, double *x);
/* s->q, s->v, s->a of a stage for the increment D */
void hki_tree_stage(hk_tree *s, const hk_stage *st, const double *D);

/* Accelerations of a stage and the matrices of their linearisation (pencil.c). */
typedef struct hk_tree_pencil {
  hk_pencil p;
  double *lam;    /* stages x nrows: multipliers of each stage */
  double *rows;   /* dPhi_z/dt, laid out as kin.gz */
  int32_t *entry; /* entries of p for all pairs of the coordinates of each closure's path */
  double *q;      /* nq: scratch */
} hk_tree_pencil;
/* memory, also of hki_tree_matrix; a second call does nothing */
hk_status hki_tree_pencil_create(hk_tree *s, int32_t stages, hk_tree_pencil *p);
void hki_tree_pencil_destroy(hk_tree_pencil *p);
/* dPhi_z/dt, forces with tangents and closures at the increment D from q0 and its rate w */
void hki_tree_pencil_state(hk_tree *s, hk_tree_pencil *p, double t, const double *q0,
                           const double *D, const double *w, double g);
/* A, C, K and the factor of A + g C + g^2 K there, after hki_tree_mass and the penalties */
hk_status hki_tree_pencil_factor(hk_tree *s, hk_tree_pencil *p, double g);
/* wd: second derivative of D by one solution with the multipliers of a stage, which are updated;
 * first: they begin with s->lam */
hk_status hki_tree_pencil_rates(hk_tree *s, hk_tree_pencil *p, int32_t stage, bool first, double t,
                                const double *q0, const double *D, const double *w, double *wd);

/* name of a coordinate for messages: "coordinate 1 of joint 'pin'" */
void hki_tree_dof_name(const hk_model *m, int32_t dof, char *buf, size_t cap);

/* entries of a formulation's table (face.c); its `shared` is the hk_tree */
void hki_tree_face_dims(const hk_formulation *f, hk_dims *d);
void hki_tree_face_plus(const hk_formulation *f, const double *q, const double *d, double *q_out);
void hki_tree_face_minus(const hk_formulation *f, const double *q1, const double *q0, double *d);
void hki_tree_face_chart_velocity(const hk_formulation *f, const double *D, const double *w,
                                  double *v);
hk_status hki_tree_face_from_tree(hk_formulation *f, const double *qt, const double *vt, double *q,
                                  double *v);
hk_status hki_tree_face_to_tree(hk_formulation *f, const double *q, const double *v,
                                const double *a, double *qt, double *vt, double *at);
hk_kin *hki_tree_face_kin(hk_formulation *f);
extern const hk_net_face hki_tree_net;

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * tree.h: the semi-recursive machine that relative-coordinate formulations and the analyses share:
 * mass matrix by composite inertias, residual by a pass out and a pass back, tangents of forces and
 * closures, all assembled into one sparse symmetric matrix whose structure is known beforehand.
 *
 *   M = sum over bodies of S' I_subtree S                        (Cuadrado and Dopico 2003, eqs.
 * 12-17) r = M a - Q = S' F_subtree - tau,  F = I A + V x* (I V) - W  (eqs. 13, 18-19) T = M + cC C
 * + cK (K + Phi_z' alpha Phi_z)                   (eq. 26)
 *
 * Coordinates are eliminated from the leaves to the root, which leaves no fill for trees.
 */
#ifndef HK_MACHINES_TREE_TREE_H
#define HK_MACHINES_TREE_TREE_H

#include "kinematics/kin.h"
#include "linalg/sparse_ldl.h"
#include "stage/stage.h"

/* a force input that reads channels: its tangent couples the force's path with what it reads */
typedef struct hk_tree_input {
  int32_t force, input, signal;
  int32_t nsup; /* coordinates the signal may depend on */
  int32_t *sup;
  int32_t *slot; /* path.n x nsup */
} hk_tree_input;

typedef struct hk_tree {
  hk_ctx *ctx;
  const hk_model *m;
  hk_kin kin;
  hk_ldl *ldl;
  hk_ldl_num num;
  int32_t *slot_mass;            /* in the order of the mass loop */
  int32_t *slot_clo, *slot_clo0; /* closures: lower triangles of their paths */
  int32_t *slot_frc, *slot_frc0; /* forces */
  int32_t *slot_diag;            /* nv */
  int32_t *slot_zero, nzero;     /* what the mass loop does not write */
  int32_t ninput;
  hk_tree_input *input;
  double *scale;          /* nv: 1 for rotations, the model's length for translations */
  double *unscale;        /* nv: 1 / scale */
  uint8_t *rotates;       /* nv: a rotation */
  uint8_t *quat;          /* nv: part of a rotation by quaternion */
  hk_inertia *Ic;         /* nb */
  double *F, *A;          /* nb x 6 */
  double *mass;           /* nv: diagonal of M */
  double *alpha;          /* nrows: penalties */
  double *lam;            /* nrows: multipliers (persistent, owned by whoever runs the machine) */
  double *reach;          /* nrows: 1 / largest scaled Jacobian entry */
  double *row, *lam_step; /* nrows scratch */
  double *r, *x, *y;      /* nv: residual, scratch */
  double *v, *a;          /* nv: velocities, accelerations of the present stage */
  double *q;              /* nq */
  double kappa;           /* penalty relative to mass */
  hk_pool *pool;          /* slot lists */
  unsigned char *block, *matrix_block;
} hk_tree;

/* kinematics and vectors; the matrix comes with hki_tree_matrix, so that what runs without one
 * (plain trees, recursive methods) stays linear in the number of bodies */
hk_status hki_tree_create(hk_ctx *ctx, const hk_model *m, hk_tree **out);
/* pattern, slots and factor; does nothing the second time. All that factors needs it. */
hk_status hki_tree_matrix(hk_tree *s);
void hki_tree_destroy(hk_tree *s);

void hki_tree_plus(const hk_model *m, const double *q, const double *d, double *q_out);
void hki_tree_minus(const hk_model *m, const double *q1, const double *q0, double *d);

/* state, signals, closures, forces: everything at (t, q, v) */
void hki_tree_state(hk_tree *s, double t, const double *q, const double *v, uint32_t forces);

/* r = M a - Q at the present state (without constraint forces) */
void hki_tree_residual(hk_tree *s, const double *a, double *r);
/* r += Phi_z' mu, mu per row */
void hki_tree_add_rows(const hk_tree *s, const double *mu, double *r);
/* y[row] = Phi_z x */
void hki_tree_rows(const hk_tree *s, const double *x, double *y);
/* s->reach: what the coordinates can do about each row (inverse); part of hki_tree_penalty */
void hki_tree_reach(hk_tree *s);
/* largest |y| over active rows, each divided by its reach */
double hki_tree_row_norm(const hk_tree *s, const double *y);

/* num.val = M; s->mass = its diagonal */
void hki_tree_mass(hk_tree *s);
/* penalties alpha = kappa / (c sum Phi_z^2 / M_ii) per row, for T = M + ... + c Phi_z' alpha Phi_z
 */
void hki_tree_penalty(hk_tree *s, double c);
/* num.val += cC C + cK K of all forces (material part) */
void hki_tree_add_forces(hk_tree *s, double cC, double cK);
/* tangents of inputs that read channels alone: -dQ/dq = -(dQ/du)(du/dq), symmetric part */
void hki_tree_add_inputs(hk_tree *s, double cC, double cK);
/* num.val += c Phi_z' alpha Phi_z */
void hki_tree_add_closures(hk_tree *s, double c);
/* num.val += cK K and cC C with geometric terms: forces, gravity, and closures with multipliers lam
 */
void hki_tree_add_exact(hk_tree *s, double cC, double cK, const double *lam);
hk_status hki_tree_factor(hk_tree *s);

/* x -= (T^-1 c Phi_z' alpha)(Phi_z x + b), repeated until the rows are small: the projection with
 * the factorised T; b may be NULL. Returns the largest scaled row left. */
double hki_tree_project(hk_tree *s, double c, const double *b, double *x);

/* mass-metric projections and accelerations at a state (own factorisation) */
hk_status hki_tree_project_velocity(hk_tree *s, double t, const double *q, double *v);
hk_status hki_tree_accel(hk_tree *s, double t, const double *q, const double *v, double *a);

/* the nearest position on the closures in the mass metric, and velocities on their rates there;
 * s->kin stands at the result (Dopico et al., IRK, eqs. 3-4) */
hk_status hki_tree_project_state(hk_tree *s, double t, double *q, double *v);

/* increments as coordinates (chart.c): v = J(D) w; z = (dJ/dt) w; r <- J'r; x <- J^-1 x. v may
 * be w. */
void hki_tree_chart_velocity(const hk_tree *s, const double *D, const double *w, double *v);
void hki_tree_chart_bend(const hk_tree *s, const double *D, const double *w, double *z);
void hki_tree_chart_pull(const hk_tree *s, const double *D, double *r);
void hki_tree_chart_step(const hk_tree *s, const double *D, double *x);
/* s->q, s->v, s->a of a stage for the increment D */
void hki_tree_stage(hk_tree *s, const hk_stage *st, const double *D);

/* words for a coordinate: "coordinate 1 of joint 'pin'" */
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

#endif

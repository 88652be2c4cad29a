/* SPDX-License-Identifier: Apache-2.0
 *
 * redundant.h: the saddle-point system of Cartesian coordinates with multipliers for all joints.
 *
 *   [ M N + (cv/ca) C N + K/ca   G'   ] [ x  ]       [ r/ca ]
 *   [ G                          -eps ] [ mu ]  =  - [ phi  ]          lam += ca mu
 *
 * The code divides the first line by `mass`, the largest mass of the model, and mu with it.
 *
 *   r  residual of the equations of motion, G' lam included
 *   x  variations of the bodies in world axes (machines/bodies/bodies.h)
 *   N  = R J^-1(D) R': turns x into a change of the increment D
 *   K, C  derivatives of inertia, forces and G' lam by poses and velocities
 *
 * Rows psi that bind velocities alone are divided by cv; their line has psi/cv in the place of phi
 * and G N + (dpsi/dx)/cv in the place of G.
 *
 * In this scaling no entry grows or vanishes with the step. Masarati, Morandini and Mantegazza
 * 2014, eq. 14, do the same for a system of first order: they divide the constraint rows by the
 * step and solve for integrals of the multipliers.
 */
#ifndef HK_FORMULATIONS_REDUNDANT_REDUNDANT_H
#define HK_FORMULATIONS_REDUNDANT_REDUNDANT_H

#include "machines/bodies/bodies.h"
#include "linalg/linsolve.h"

/* a force input that reads channels: its tangent couples the equations of the force with the bodies
 * and scalar unknowns that the signal reads */
typedef struct hk_redundant_input {
  int32_t force, input, signal; /* model force, index of its input, spec signal */
  int32_t nread, *read;         /* bodies that the signal reads */
  int32_t nvalue, *value;       /* scalar unknowns that it reads */
  int32_t nrow, *row; /* equations: of both bodies, then of the force's scalar unknowns; -1: none */
  int32_t ncol, *col; /* columns of what the signal reads */
  int32_t *slot;      /* nrow x ncol: places in the matrix, or -1 */
} hk_redundant_input;

/* an element with scalar unknowns: its own block, and its coupling with a joint's two bodies */
typedef struct hk_redundant_net {
  int32_t force, n;   /* model force; number of its nodes and own unknowns */
  int32_t body[2];    /* of its joint coordinate; HK_GROUND: none */
  int32_t *own;       /* n x n: places in the matrix, -1 where a value is given */
  int32_t *row, *col; /* n x 2 nd: places (unknown, body) and (body, unknown), or -1 */
} hk_redundant_net;

/* guard of a stage's iteration against folds of the residual (guard.c) */
typedef struct hk_redundant_guard {
  bool curved;        /* the curvature of the constraints is in the matrix */
  bool armed;         /* may still go back to the start */
  int32_t count;      /* corrections so far */
  int32_t flat;       /* corrections without the curvature that are left after going back */
  double first, last; /* size of the first and of the last correction */
  double *D, *lam;    /* n, nrows: where the iteration began; after going back: where it had come */
} hk_redundant_guard;

/* control constraints (servo.c): how far the actuators reach what they shall keep */
typedef struct hk_redundant_servo {
  int32_t n;          /* servos */
  int32_t *row, *set; /* n: their rows, the first sets of these */
  int32_t rank;       /* of S at the last accelerations */
  double gap;         /* what S leaves of the accelerations that the servos ask for, at most 1 */
  double *S, *s, *V;  /* n x n, columns; n; n x n: scratch of its singular values */
  double
      *size; /* 2 n: lengths of the servos' gradients and of their actuators' in the mass metric */
  double *need, *lam; /* n: accelerations that are missing; forces, scaled */
  double *unit, *f;   /* nrows, n of the bodies: scratch */
} hk_redundant_servo;

/* factors that are kept over steps (system.c) */
typedef struct hk_redundant_old {
  double ca, cv;  /* of the stage that the last factors belong to; 0: of no stage */
  double *memory; /* ca, cv, values of the last factors: for checkpoints; NULL: nobody keeps them */
  double *lam;    /* nrows: multipliers of an iterate that may be put back */
} hk_redundant_old;

typedef struct hk_redundant {
  hk_ctx *ctx;
  hk_bodies *c;
  const char *method; /* name of the linear solver */
  hk_linsolve *ls;
  /* slots: places in ls->val; -1 where a body is the ground */
  int32_t *slot_body; /* m->nb x nd x nd: diagonal blocks of bodies */
  int32_t *slot_geo;  /* nset x (2 nd)^2: blocks of the two bodies of a set */
  int32_t *slot_bend; /* per pair of coordinates of couplings that bend: (2 nd)^2 */
  int32_t *slot_frc;  /* nf x (2 nd)^2: blocks of the two bodies of a force */
  int32_t *slot_wide; /* (6 nmark)^2 of each element on several markers, one after the other */
  int32_t *slot_row, *slot_col; /* nrows x 2 nd: G (row, body) and G' (body, row) */
  int32_t *slot_diag;           /* nrows: diagonal of the rows */
  int32_t ninput;
  hk_redundant_input *input;
  double *gq, *gv, *bar, *part; /* n, n, nsignals, reads: scratch of signal_slopes */
  int32_t nnet;
  hk_redundant_net *net;
  int32_t *slot_x;       /* nx: diagonal of the scalar unknowns */
  int32_t *xrow0, *xrow; /* nx + 1: first entry in xrow; all slots of their rows */
  double *xscale;        /* nx: factor of each of these rows */
  double mass;           /* divisor of the first line: largest mass of the model */
  double ghost;          /* kg: mass given to massless bodies where accelerations are solved for */
  double eps;            /* regularisation of redundant rows; 0: none */
  bool cayley;           /* nodes count rotations by the parameters of cayley.h */
  double *lam;           /* nrows, persistent: multipliers */
  double *out;           /* nrows, persistent: 1 for rows that follow from others (choice.c) */
  bool leaves;           /* stages off the constraints leave the rows `out` out */
  int32_t nnull;         /* vectors that fit in null */
  double *null;          /* nnull x nrows: combinations of rows that vanish (choice.c) */
  double *r, *x, *y, *row; /* n, n + nrows, n, nrows: residual; solution; scratch */
  double *N;               /* m->nb x 9: N of the present stage, world axes */
  double *slope;           /* nrows x 2 nd: (dpsi/dx)/cv of rows on velocities, last factors */
  double alpha, beta;      /* 1/s: Baumgarte's terms in rows at acceleration level; 0: none */
  double *slopes;          /* nlines x 2 nd: derivatives of rows at acceleration level (rows.c) */
  hk_bodies_curve *curve;  /* nlines: derivatives of the rows' rates */
  hk_redundant_guard guard;
  hk_redundant_old old;
  unsigned char *block;
  hk_redundant_servo *servo;      /* NULL: the model has no servos */
  struct hk_redundant_dae *dae;   /* first-order face, made when first asked for (dae.c) */
  struct hk_redundant_stab *stab; /* stabilised form; NULL: projection (stab.h) */
} hk_redundant;

/* method: name of the linear solver; NULL or "auto": chosen by size and fill */
hk_status hki_redundant_create(hk_ctx *ctx, const hk_model *m, const char *method,
                               hk_redundant **out);
void hki_redundant_destroy(hk_redundant *r);
/* memory with factors, and time of an iteration */
void hki_redundant_cost(const hk_redundant *r, hk_cost *out);

/* how rows enter a matrix, beside their columns G' */
typedef struct hk_redundant_lines {
  double eps;           /* on the diagonal with a minus sign: regularisation of redundant rows */
  bool leave_out;       /* without the rows r->out */
  bool positions;       /* without the lines of rows on velocities: a one on their diagonal alone */
  bool own;             /* columns G', not those of forces, B' (bodies.h): for projections */
  bool passive;         /* without servos */
  const double *slopes; /* nlines x 2 nd in the place of G (rows.c); NULL: G */
} hk_redundant_lines;

/* factors [M G'; G -eps] at the present state */
hk_status hki_redundant_factor_mass(hk_redundant *r, const hk_redundant_lines *lines);
/* factors the matrix of a stage at the present state, with accelerations c->a (body axes) and r->N;
 * geometric: with d(G'lam)/dx and the slopes of rows on velocities; momenta: these are the states of
 * the stage (nodes.c) */
hk_status hki_redundant_factor_stage(hk_redundant *r, double cv, double ca, bool geometric,
                                     bool momenta, const hk_redundant_lines *lines);
/* ls->val = K alone at the present state: derivatives by the pose at fixed velocities */
void hki_redundant_stiffness(hk_redundant *r);
/* ls->val = m M + c C, without N */
void hki_redundant_rates(hk_redundant *r, double m, double c);
/* ls->val = d(G'lam)/dx at multipliers lam */
void hki_redundant_curvature(hk_redundant *r, const double *lam);
/* elements on several markers (wide.c): their part of the pattern, its slots, and their tangents
 * cC C N + cK K in the matrix */
void hki_redundant_pattern_wide(const hk_redundant *r, hk_pattern *p);
bool hki_redundant_slot_wide(hk_redundant *r);
void hki_redundant_add_wide(hk_redundant *r, double cC, double cK);
/* adds cM M + cC C + cK K of the forces of inertia of elements at c->a; chart: M and C times N */
void hki_redundant_add_wide_inertia(hk_redundant *r, double cM, double cC, double cK, bool chart);
/* pattern of the system */
void hki_redundant_pattern(const hk_redundant *r, hk_pattern *p);
/* a solver for matrices of this pattern, with the same slots as r->ls */
hk_status hki_redundant_solver(hk_redundant *r, hk_linsolve **out);
/* inputs that read channels (inputs.c): find them, add to the pattern, find slots */
bool hki_redundant_find_inputs(hk_redundant *r);
void hki_redundant_pattern_inputs(const hk_redundant *r, hk_pattern *p);
void hki_redundant_slot_inputs(hk_redundant *r);
/* adds cC C + cK K of the inputs of force fi, evaluated in `out` at markers F of `body`; scale: 1
 * over the factor in cC, cK that rows of scalar unknowns do not have */
void hki_redundant_add_inputs(hk_redundant *r, int32_t fi, const int32_t *body, const hk_frame *F,
                              const hk_element_out *out, double cC, double cK, double scale);
/* gradients of a joint coordinate s and its rate sd by its two bodies (nd each; network.c); the
 * caller clears it, the ground is not written */
typedef struct hk_redundant_coord {
  double g[12], h[12]; /* ds/dx, dsd/dx */
  double gN[12];       /* g N: dsd by the rates of increments */
} hk_redundant_coord;
void hki_redundant_coordinate(const hk_redundant *r, const hk_bodies_coord *s,
                              hk_redundant_coord *out);
/* scalar unknowns (network.c): find their elements, add to the pattern, find slots */
bool hki_redundant_find_network(hk_redundant *r);
void hki_redundant_pattern_network(const hk_redundant *r, hk_pattern *p);
bool hki_redundant_slot_network(hk_redundant *r);
/* adds cE Fxd + cC Fx of their equations and the coupling with bodies (cC, cK), whose own rows take
 * the factor `scale` too */
void hki_redundant_add_network(hk_redundant *r, double cE, double cC, double cK, double scale);
/* scales their rows to a largest entry of one */
void hki_redundant_scale_network(hk_redundant *r);
/* ones on their diagonal, for systems without them */
void hki_redundant_unit_network(hk_redundant *r);

/* r->x = (x, mu) for the right sides f (n; NULL: zero) and g (nrows). f is not yet divided by mass
 * nor multiplied by xscale. */
void hki_redundant_solve(hk_redundant *r, const double *f, const double *g);

/* r->out: rows to be left out, found with the factors of hki_redundant_factor_mass of all rows, with
 * this eps, at a state on the constraints (choice.c); their multipliers become zero */
hk_status hki_redundant_choose(hk_redundant *r, double eps);
/* the same at an accepted state near the constraints; does nothing unless r->leaves */
hk_status hki_redundant_choose_at(hk_formulation *f, double t, const double *q, const double *v);

/* One correction of a stage (system.c): x becomes the right side -F, in the scaling of redundant.h; the
 * size of a correction x; and D and the multipliers move by s x, of which the rotations are
 * overwritten. */
void hki_redundant_rest(hk_redundant *r, const hk_stage *st, double *x);
void hki_redundant_measure(const hk_redundant *r, const hk_stage *st, const double *x,
                           hk_norms *norm);
void hki_redundant_move(hk_redundant *r, const hk_stage *st, double *D, double *x, double s);
/* the present factors are those of this stage */
void hki_redundant_keep(hk_redundant *r, const hk_stage *st);
/* hk_formulation_ops.solver_memory of these factors, and their recall */
int32_t hki_redundant_kept(hk_redundant *r, double **block);
hk_status hki_redundant_recall(hk_redundant *r);
/* the stage as one system, an entry of the formulation's table */
extern const hk_system_ops hki_redundant_system;
/* the present stage */
const hk_stage *hki_redundant_stage(const hk_formulation *f);

/* the guard: at the begin of a stage, at its first residual, after each correction (which it may
 * take back), and at a singular matrix (true: to be tried again, without the curvature) */
void hki_redundant_guard_begin(hk_redundant *r, bool curved);
void hki_redundant_guard_start(hk_redundant *r, const double *D);
void hki_redundant_guard_judge(hk_redundant *r, double *D, hk_norms *norm);
bool hki_redundant_guard_singular(hk_redundant *r);

/* couplings whose functions bend (bends.c): pattern and slots of the blocks between the bodies of
 * different coordinates; val += s d(slopes)/dx . lam of these; push: of those that act along them */
void hki_redundant_pattern_bends(const hk_redundant *r, hk_pattern *p);
bool hki_redundant_slot_bends(hk_redundant *r);
void hki_redundant_add_bends(hk_redundant *r, const double *lam, double s, bool push);
/* x (n, body axes) onto G x + rhs = 0 with the present factors; false: not finite (rows.c) */
bool hki_redundant_project(hk_redundant *r, const double *rhs, double *x);
/* the same for velocities v at (t, q); rows that are not linear in v are evaluated at each new v */
bool hki_redundant_project_rates(hk_redundant *r, double t, const double *q, double *v);
/* r->slopes of rows at acceleration level at the present state of a stage (rows.c) */
void hki_redundant_acc_rows(hk_redundant *r, const hk_stage *st);

/* hk_formulation_ops.drift, over all rows, joints of the tree included (rows.c) */
void hki_redundant_drift(hk_formulation *f, double t, const double *q, const double *v,
                         const double *a, double *most);

/* adds the lines of the rows, G' and their diagonal to ls->val. Rows that are off or left out have a
 * one on the diagonal alone. */
void hki_redundant_add_rows(hk_redundant *r, const hk_redundant_lines *lines);

/* memory for the model's servos, if it has any; false: none left */
bool hki_redundant_servo_create(hk_redundant *r);
/* r->lam of the servos such that their rows hold at acceleration level, in the sense of least squares where
 * the actuators cannot; a: accelerations without them, at the present state and with the factors of the mass
 * without servos */
hk_status hki_redundant_servo_forces(hk_redundant *r, const double *a);
/* accelerations of the bodies at a state, with the present forces of the servos */
hk_status hki_redundant_accel_held(hk_formulation *f, double t, const double *q, const double *v,
                                   double *a);
/* hk_formulation_ops.servo */
hk_status hki_redundant_servo_reach(hk_formulation *f, double t, const double *q, const double *v,
                                    hk_servo_reach *out);

/* nodes with momenta (nodes.c) */
extern const hk_node_ops hki_redundant_nodes;
/* c->q and c->v of a stage at D; c->v holds vh + cv D on entry */
void hki_redundant_nodes_state(hk_redundant *r, const hk_stage *st, const double *D);
/* N of the rotation of body b at D */
void hki_redundant_nodes_chart(const hk_redundant *r, const hk_stage *st, const double *D,
                               int32_t b, double *N);
/* gd: rates of the parameters g of one rotation, from its angular velocity v in body axes */
void hki_redundant_nodes_pull(const hk_redundant *r, const double *g, const double *v, double *gd);
/* res += ph + cp p - W of all bodies, and F of the scalar unknowns */
void hki_redundant_nodes_inertia(const hk_redundant *r, const hk_stage_nodes *n, double *res);

/* writes into the formulation's words which row or body made the matrix singular (r->ls->bad);
 * returns st */
hk_status hki_redundant_singular(hk_formulation *f, hk_status st);

/* matrices of small motions (slopes.c), an entry of the formulation's table */
hk_status hki_redundant_slopes(hk_formulation *f, hk_pool *pool, double t, const double *q,
                               const double *v, const double *a, hk_slopes *out);

/* hk_formulation_ops.still */
void hki_redundant_still(hk_formulation *f, bool on);
/* first-order face (dae.c) */
extern const hk_dae_ops hki_redundant_dae;
hk_redundant *hki_redundant_of(hk_formulation *f);
void hki_redundant_dae_destroy(hk_redundant *r);

#endif

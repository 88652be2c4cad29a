/* SPDX-License-Identifier: Apache-2.0
 *
 * redundant.h: the saddle-point system of Cartesian coordinates with multipliers for all joints.
 *
 *   [ M N + (cv/ca) C N + K/ca   G' ] [ x  ]      [ r / ca ]
 *   [ G                        -eps ] [ mu ]  = - [ phi    ],   mu = dlam/ca
 *
 * all of the first row divided by a mass of the model. x are variations in world axes (bodies/bodies.h), N =
 * J^-1 of the chart turns them into increments. In this scaling no entry grows or vanishes with the
 * step: rows psi on velocities alone come as psi/cv, with G N + (d psi/dpose)/cv in the place of G
 * in their own line. It is the division of the constraint rows by the step and the use of the
 * multipliers' integrals of Masarati, Morandini and Mantegazza 2014, eq. 14, for a system of second
 * order.
 */
#ifndef HK_FORMULATIONS_REDUNDANT_REDUNDANT_H
#define HK_FORMULATIONS_REDUNDANT_REDUNDANT_H

#include "machines/bodies/bodies.h"
#include "linalg/linsolve.h"

/* a force input that reads channels: couples the force's bodies with those the signal reads */
typedef struct hk_redundant_input {
  int32_t force, input, signal;
  int32_t nread, *read;   /* bodies */
  int32_t nvalue, *value; /* scalar unknowns */
  int32_t nrow, *row; /* equations: of both bodies, then of the force's scalar unknowns; -1 none */
  int32_t ncol, *col; /* what the signal reads */
  int32_t *slot;      /* nrow x ncol */
} hk_redundant_input;

/* an element with scalar unknowns: its own block, and its coupling with a joint's two bodies */
typedef struct hk_redundant_net {
  int32_t force, n; /* n: nodes and own unknowns */
  int32_t body[2];
  int32_t *own;       /* n x n slots, -1 where a value is given */
  int32_t *row, *col; /* n x 2 nd: (unknown, body) and (body, unknown) */
} hk_redundant_net;

typedef struct hk_redundant {
  hk_ctx *ctx;
  hk_bodies *c;
  const char *method; /* of the linear solver */
  hk_linsolve *ls;
  int32_t *slot_body;           /* nb x nd x nd */
  int32_t *slot_geo;            /* nset x (2 nd)^2 */
  int32_t *slot_frc;            /* nf x (2 nd)^2 */
  int32_t *slot_row, *slot_col; /* nrows x 2 nd: (row, body) and (body, row) */
  int32_t *slot_diag;           /* nrows */
  int32_t ninput;
  hk_redundant_input *input;
  double *gq, *gv, *bar, *part; /* slopes of signals: n, n, nsignals, reads */
  int32_t nnet;
  hk_redundant_net *net;
  int32_t *slot_x;         /* nx: diagonal of the scalar unknowns */
  int32_t *xrow0, *xrow;   /* nx + 1 and all slots of their rows */
  double *xscale;          /* nx: what these rows are multiplied by */
  double mass;             /* scale of the first row */
  double ghost;            /* mass of massless bodies where accelerations are solved for */
  double eps;              /* regularisation of redundant rows */
  bool momenta;            /* the stage's states are momenta (nodes.c) */
  bool cayley;             /* nodes count rotations by parameters of cayley.h */
  double *lam;             /* nrows, persistent */
  double *out;             /* nrows, persistent: 1 for rows that follow from others and are left
                              out while `drop` is set (choice.c) */
  bool leaves;             /* stages off the constraints leave them out */
  bool drop;               /* the matrix that is made now does */
  int32_t nnull;           /* room in null */
  double *null;            /* nnull x nrows: combinations of rows that vanish */
  double *r, *x, *y, *row; /* n, n + nrows, n, nrows */
  double *N;               /* nb x 9: J^-1 in world axes, of the present stage */
  double *slope; /* nrows x 2 nd: of rows on velocities, (d psi/dpose)/cv of the last factors */
  double alpha, beta;     /* Baumgarte's terms in rows at acceleration level; 0: none */
  double *slopes;         /* nrows x 2 nd: of such rows (rows.c) */
  double *J;              /* slopes, while the rows have them instead of G; else NULL */
  hk_bodies_curve *curve; /* nrows */
  unsigned char *block;
  struct hk_redundant_dae *dae;   /* of the first-order face, once asked for (dae.c) */
  struct hk_redundant_stab *stab; /* of a stabilised form, where one is chosen (stab.h) */
} hk_redundant;

/* method: of the linear solver, NULL: chosen by size and fill */
hk_status hki_redundant_create(hk_ctx *ctx, const hk_model *m, const char *method,
                               hk_redundant **out);
void hki_redundant_destroy(hk_redundant *r);

/* M, without the rest; then G and G' */
hk_status hki_redundant_factor_mass(hk_redundant *r);
/* the whole matrix at the present state, accelerations a (body axes), N of the stage */
hk_status hki_redundant_factor_stage(hk_redundant *r, double cv, double ca, bool geometric);
/* r->ls = the part K alone at the present state: derivatives by the pose, velocities held */
void hki_redundant_stiffness(hk_redundant *r);
/* r->ls = m M + c (slopes of inertia and forces in the velocities), N aside */
void hki_redundant_rates(hk_redundant *r, double m, double c);
/* r->ls = d(G'lam)/dx at multipliers lam */
void hki_redundant_curvature(hk_redundant *r, double *lam);
/* which entries the system has */
void hki_redundant_pattern(const hk_redundant *r, hk_pattern *p);
/* a solver for matrices of this pattern, with the same slots as r->ls */
hk_status hki_redundant_solver(hk_redundant *r, hk_linsolve **out);
/* inputs that read channels (inputs.c) */
bool hki_redundant_find_inputs(hk_redundant *r);
void hki_redundant_pattern_inputs(const hk_redundant *r, hk_pattern *p);
void hki_redundant_slot_inputs(hk_redundant *r);
void hki_redundant_add_inputs(hk_redundant *r, int32_t fi, const int32_t *body, const hk_frame *F,
                              const hk_element_out *out, double cC, double cK, double scale);
/* gradients of a joint coordinate and of its rate at the centres of its two bodies, in x:
 * ds/dx = g, dsd/dx = h, dsd/d(rates of increments) = gN (network.c); zeros for the ground */
typedef struct hk_redundant_coord {
  double g[12], h[12], gN[12];
} hk_redundant_coord;
void hki_redundant_coordinate(const hk_redundant *r, const hk_bodies_coord *s,
                              hk_redundant_coord *out);
/* scalar unknowns (network.c) */
bool hki_redundant_find_network(hk_redundant *r);
void hki_redundant_pattern_network(const hk_redundant *r, hk_pattern *p);
bool hki_redundant_slot_network(hk_redundant *r);
/* E cE + Fx cC of their equations, and the coupling with bodies: rows of bodies times `scale` */
void hki_redundant_add_network(hk_redundant *r, double cE, double cC, double cK, double scale);
/* their rows scaled to a largest entry of one; or, where they play no part, ones on the diagonal */
void hki_redundant_scale_network(hk_redundant *r);
void hki_redundant_unit_network(hk_redundant *r);

/* solve for x and mu: right sides (those of scalar unknowns as their equations have them) f (n, may
 * be NULL for zero) and g (nrows); x holds both after */
void hki_redundant_solve(hk_redundant *r, const double *f, const double *g);

/* rows to be left out, with the factors of hki_redundant_factor_mass of all rows at a state on the
 * constraints (choice.c); their multipliers become zero */
hk_status hki_redundant_choose(hk_redundant *r);
/* the same at an accepted state that is near the constraints, where rows are left out at all */
hk_status hki_redundant_choose_at(hk_formulation *f, double t, const double *q, const double *v);

/* slopes of rows at acceleration level at the present state of a stage (rows.c) */
void hki_redundant_acc_rows(hk_redundant *r, const hk_stage *st);

/* G and G' into r->ls (internal to the room); positions: rows on velocities
 * give the columns alone, their lines say what their multipliers are */
void hki_redundant_add_rows(hk_redundant *r, bool positions);

/* nodes with momenta (nodes.c): the state of a stage, N of a rotation, inertial rows */
extern const hk_node_ops hki_redundant_nodes;
void hki_redundant_nodes_state(hk_redundant *r, const hk_stage *st, const double *D);
void hki_redundant_nodes_chart(const double *R, const double *d, double *N);
/* rates of the parameters g of one rotation from its angular velocity in body axes */
void hki_redundant_nodes_pull(const hk_redundant *r, const double *g, const double *v, double *gd);
void hki_redundant_nodes_inertia(const hk_redundant *r, const hk_stage_nodes *n, double *res);

/* names in words what made r->ls singular (r->ls->bad); returns st */
hk_status hki_redundant_singular(hk_formulation *f, hk_status st);

/* first-order face (dae.c) */
extern const hk_dae_ops hki_redundant_dae;
hk_redundant *hki_redundant_of(hk_formulation *f);
void hki_redundant_dae_destroy(hk_redundant *r);

#endif

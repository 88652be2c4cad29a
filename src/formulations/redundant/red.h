/* SPDX-License-Identifier: Apache-2.0
 *
 * red.h: the saddle-point system of Cartesian coordinates with multipliers for all joints.
 *
 *   [ M N + (cv/ca) C N + K/ca   G' ] [ x  ]      [ r / ca ]
 *   [ G                        -eps ] [ mu ]  = - [ phi    ],   mu = dlam/ca
 *
 * all of the first row divided by a mass of the model. x are variations in world axes (cart.h), N =
 * J^-1 of the chart turns them into increments. In this scaling no entry grows or vanishes with the
 * step: rows psi on velocities alone come as psi/cv, with G N + (d psi/dpose)/cv in the place of G
 * in their own line. It is the division of the constraint rows by the step and the use of the
 * multipliers' integrals of Masarati, Morandini and Mantegazza 2014, eq. 14, for a system of second
 * order.
 */
#ifndef HK_FORMULATIONS_RED_H
#define HK_FORMULATIONS_RED_H

#include "formulations/cartesian/cart.h"
#include "linalg/linsolve.h"

/* a force input that reads channels: couples the force's bodies with those the signal reads */
typedef struct hk_red_input {
  int32_t force, input, signal;
  int32_t nread, *read;   /* bodies */
  int32_t nvalue, *value; /* scalar unknowns */
  int32_t nrow, *row; /* equations: of both bodies, then of the force's scalar unknowns; -1 none */
  int32_t ncol, *col; /* what the signal reads */
  int32_t *slot;      /* nrow x ncol */
} hk_red_input;

/* an element with scalar unknowns: its own block, and its coupling with a joint's two bodies */
typedef struct hk_red_net {
  int32_t force, n; /* n: nodes and own unknowns */
  int32_t body[2];
  int32_t *own;       /* n x n slots, -1 where a value is given */
  int32_t *row, *col; /* n x 2 nd: (unknown, body) and (body, unknown) */
} hk_red_net;

typedef struct hk_red {
  hk_ctx *ctx;
  hk_cart *c;
  const char *method; /* of the linear solver */
  hk_linsolve *ls;
  int32_t *slot_body;           /* nb x nd x nd */
  int32_t *slot_geo;            /* nset x (2 nd)^2 */
  int32_t *slot_frc;            /* nf x (2 nd)^2 */
  int32_t *slot_row, *slot_col; /* nrows x 2 nd: (row, body) and (body, row) */
  int32_t *slot_diag;           /* nrows */
  int32_t ninput;
  hk_red_input *input;
  double *gq, *gv, *bar, *part; /* slopes of signals: n, n, nsignals, reads */
  int32_t nnet;
  hk_red_net *net;
  int32_t *slot_x;         /* nx: diagonal of the scalar unknowns */
  int32_t *xrow0, *xrow;   /* nx + 1 and all slots of their rows */
  double *xscale;          /* nx: what these rows are multiplied by */
  double mass;             /* scale of the first row */
  double ghost;            /* mass of massless bodies where accelerations are solved for */
  double eps;              /* regularisation of redundant rows */
  bool momenta;            /* the stage's states are momenta (red_nodes.c) */
  bool cayley;             /* nodes count rotations by parameters of cayley.h */
  double *lam;             /* nrows, persistent */
  double *out;             /* nrows, persistent: 1 for rows that follow from others and are left
                              out while `drop` is set (red_choice.c) */
  bool leaves;             /* stages off the constraints leave them out */
  bool drop;               /* the matrix that is made now does */
  int32_t nnull;           /* room in null */
  double *null;            /* nnull x nrows: combinations of rows that vanish */
  double *r, *x, *y, *row; /* n, n + nrows, n, nrows */
  double *N;               /* nb x 9: J^-1 in world axes, of the present stage */
  double *slope; /* nrows x 2 nd: of rows on velocities, (d psi/dpose)/cv of the last factors */
  double alpha, beta;   /* Baumgarte's terms in rows at acceleration level; 0: none */
  double *slopes;       /* nrows x 2 nd: of such rows (red_rows.c) */
  double *J;            /* slopes, while the rows have them instead of G; else NULL */
  hk_cart_curve *curve; /* nrows */
  unsigned char *block;
  struct hk_red_dae *dae;   /* of the first-order face, once asked for (red_dae.c) */
  struct hk_red_stab *stab; /* of a stabilised form, where one is chosen (red_stab.h) */
} hk_red;

/* method: of the linear solver, NULL: chosen by size and fill */
hk_status hki_red_create(hk_ctx *ctx, const hk_model *m, const char *method, hk_red **out);
void hki_red_destroy(hk_red *r);

/* M, without the rest; then G and G' */
hk_status hki_red_factor_mass(hk_red *r);
/* the whole matrix at the present state, accelerations a (body axes), N of the stage */
hk_status hki_red_factor_stage(hk_red *r, double cv, double ca, bool geometric);
/* r->ls = the part K alone at the present state: derivatives by the pose, velocities held */
void hki_red_stiffness(hk_red *r);
/* r->ls = m M + c (slopes of inertia and forces in the velocities), N aside */
void hki_red_rates(hk_red *r, double m, double c);
/* r->ls = d(G'lam)/dx at multipliers lam */
void hki_red_curvature(hk_red *r, double *lam);
/* which entries the system has */
void hki_red_pattern(const hk_red *r, hk_pattern *p);
/* a solver for matrices of this pattern, with the same slots as r->ls */
hk_status hki_red_solver(hk_red *r, hk_linsolve **out);
/* inputs that read channels (red_inputs.c) */
bool hki_red_find_inputs(hk_red *r);
void hki_red_pattern_inputs(const hk_red *r, hk_pattern *p);
void hki_red_slot_inputs(hk_red *r);
void hki_red_add_inputs(hk_red *r, int32_t fi, const int32_t *body, const hk_frame *F,
                        const hk_element_out *out, double cC, double cK, double scale);
/* gradients of a joint coordinate and of its rate at the centres of its two bodies, in x:
 * ds/dx = g, dsd/dx = h, dsd/d(rates of increments) = gN (red_network.c); zeros for the ground */
typedef struct hk_red_coord {
  double g[12], h[12], gN[12];
} hk_red_coord;
void hki_red_coordinate(const hk_red *r, const hk_cart_coord *s, hk_red_coord *out);
/* scalar unknowns (red_network.c) */
bool hki_red_find_network(hk_red *r);
void hki_red_pattern_network(const hk_red *r, hk_pattern *p);
bool hki_red_slot_network(hk_red *r);
/* E cE + Fx cC of their equations, and the coupling with bodies: rows of bodies times `scale` */
void hki_red_add_network(hk_red *r, double cE, double cC, double cK, double scale);
/* their rows scaled to a largest entry of one; or, where they play no part, ones on the diagonal */
void hki_red_scale_network(hk_red *r);
void hki_red_unit_network(hk_red *r);

/* solve for x and mu: right sides (those of scalar unknowns as their equations have them) f (n, may
 * be NULL for zero) and g (nrows); x holds both after */
void hki_red_solve(hk_red *r, const double *f, const double *g);

/* rows to be left out, with the factors of hki_red_factor_mass of all rows at a state on the
 * constraints (red_choice.c); their multipliers become zero */
hk_status hki_red_choose(hk_red *r);
/* the same at an accepted state that is near the constraints, where rows are left out at all */
hk_status hki_red_choose_at(hk_formulation *f, double t, const double *q, const double *v);

/* slopes of rows at acceleration level at the present state of a stage (red_rows.c) */
void hki_red_acc_rows(hk_red *r, const hk_stage *st);

/* G and G' into r->ls (internal to the room); positions: rows on velocities
 * give the columns alone, their lines say what their multipliers are */
void hki_red_add_rows(hk_red *r, bool positions);

/* nodes with momenta (red_nodes.c): the state of a stage, N of a rotation, inertial rows */
extern const hk_node_ops hki_red_nodes;
void hki_red_nodes_state(hk_red *r, const hk_stage *st, const double *D);
void hki_red_nodes_chart(const double *R, const double *d, double *N);
/* rates of the parameters g of one rotation from its angular velocity in body axes */
void hki_red_nodes_pull(const hk_red *r, const double *g, const double *v, double *gd);
void hki_red_nodes_inertia(const hk_red *r, const hk_stage_nodes *n, double *res);

/* names in words what made r->ls singular (r->ls->bad); returns st */
hk_status hki_red_singular(hk_formulation *f, hk_status st);

/* first-order face (red_dae.c) */
extern const hk_dae_ops hki_red_dae;
hk_red *hki_red_of(hk_formulation *f);
void hki_red_dae_destroy(hk_red *r);

#endif

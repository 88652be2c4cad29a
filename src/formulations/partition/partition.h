/* SPDX-License-Identifier: Apache-2.0
 *
 * partition.h: inside of the partition formulation: Cartesian coordinates of all bodies, of which an
 * independent part is integrated and the rest follows from the constraints, exactly, at positions,
 * velocities, accelerations and multipliers.
 *
 *   Phi(q, t) = 0,  Phi_q v + Phi_t = 0,  Phi_q a + gamma = 0,   v = (v_u, v_v)
 *   v_u = H v_v + ...,  H = -Phi_u^-1 Phi_v,   P = [H; 1]
 *   psi = P' (M a + gyro - Q) = (M a - Q)_v + Phi_v' lam,   lam = -Phi_u^-T (M a - Q)_u
 *
 * Letters of the paper: u dependent, v independent. Coordinates are those of bodies/bodies.h. Increments D
 * from the base of a stage are the chart in which coordinates are independent; for rotations the
 * chart has its own Jacobian, Phi_D = Phi_q J(D), while velocities are partitioned with Phi_q.
 *
 * Everything is made free of dimension: columns by the model's length where they are
 * displacements, rows by their largest entry at the first choice.
 */
#ifndef HK_FORMULATIONS_PARTITION_PARTITION_H
#define HK_FORMULATIONS_PARTITION_PARTITION_H

#include "machines/bodies/bodies.h"
#include "formulations/formulation.h"
#include "linalg/dense.h"

typedef struct hk_partition_par {
  double limit;    /* speed ratio that asks for another choice */
  int32_t tangent; /* HK_PARTITION_EXACT, HK_PARTITION_FV (Fisette and Vaneghem) */
  int32_t method;  /* row of the table of methods, in the order of its choices */
} hk_partition_par;

enum { HK_PARTITION_EXACT, HK_PARTITION_FV };
enum { HK_PARTITION_CLOSE_PASSES = 20 };
/* integrators that ask for accelerations and nothing else */
enum {
  HK_PARTITION_EXPLICIT = HK_CAP_ACCEL,
  HK_PARTITION_IMPLICIT = HK_CAP_STAGE_POS | HK_CAP_STAGE_ACC
};

typedef struct hk_partition hk_partition;
typedef struct hk_partition_jac hk_partition_jac;

/* A method says what is unknown in a stage and how rates come onto the constraints; everything else
 * is shared. */
typedef struct hk_partition_method {
  /* implicit stages, as in the stage contract; rates: p->w, p->wd at the solution D. All NULL: the
   * method has explicit steps only */
  hk_status (*residual)(hk_partition *p, const double *D);
  hk_status (*factor)(hk_partition *p);
  hk_status (*correct)(hk_partition *p, double *D, hk_norms *n);
  hk_status (*rates)(hk_partition *p, const double *D);
  /* x onto Phi x + b = 0 in the pivot rows */
  void (*onto)(hk_partition *p, hk_partition_jac *j, const double *b, double *x);
  bool columns; /* ... and it takes the columns P for that */
  /* accelerations are the integrator's rates of the velocities and not held by the rows */
  bool rates_only;
  /* accelerations that satisfy the rows; columns P are those in which it may be changed */
  hk_status (*particular)(hk_partition *p, double t, const double *q, const double *v, double *a);
  /* the rest may be NULL */
  void (*basis)(hk_partition *p, double *B); /* coordinates of a choice: columns of B (n x n) */
  void (*remember)(hk_partition *p, double t, const double *v,
                   const double *a); /* accepted state */
  int32_t npersist, nvectors,
      nmatrices;    /* persistent and scratch vectors (big), matrices (big^2) */
  uint32_t refuses; /* HK_PARTITION_EXPLICIT or HK_PARTITION_IMPLICIT: these integrators; and why */
  const char *why;
} hk_partition_method;

extern const hk_partition_method hki_partition_exact, hki_partition_splitting,
    hki_partition_augmented, hki_partition_tangent_plane, hki_partition_null_space;

/* one Jacobian: the matrix itself, its dependent part factorised, all velocities by the independent
 * ones */
struct hk_partition_jac {
  double *M; /* nrows x n, row-major, free of dimension */
  double *A; /* Phi_u factorised: in the order of the choice where `sparse`, else column-major */
  bool sparse;
  double *inv; /* 1 / pivots */
  int32_t *pivot;
  double *P;    /* n x f, column j at P + j n */
  double ratio; /* smallest over largest pivot */
  double speed; /* largest entry of H, free of dimension */
  /* P'MP, factorised when it is first needed (eq. 39) */
  double *gram, *gram_inv;
  bool has_gram;
};

/* a force as wrenches on two markers, with its exact blocks; constraints come the same way */
typedef struct hk_partition_pair {
  int32_t body[2];
  double r[6];  /* markers seen from the centres of their bodies, world axes */
  double w[12]; /* wrenches */
  double K[144], C[144];
  bool damped; /* C is not zero */
} hk_partition_pair;

/* an input of a force that reads channels: its slope in the variations and twists of all bodies */
typedef struct hk_partition_input {
  int32_t force, u;
  double Wu[12];
  double *pose, *twist; /* n each */
} hk_partition_input;

struct hk_partition {
  hk_formulation base;
  const hk_partition_method *method;
  hk_ctx *ctx;
  hk_partition_par par;
  hk_bodies *c;
  hk_stage st;
  bool first;           /* no iterate of this stage yet */
  double last;          /* size of the last correction */
  int32_t n, m, big;    /* velocities, rows, the larger number of both (and no less than 3) */
  int32_t rank, f;      /* dependent, independent */
  int32_t *cols, *rows; /* n, m: in order, the first `rank` are the pivots */
  /* where Phi_u is filled, in the order of the choice (lu.c): bodies of each row (2 m), place
   * of each column (n); columns of each row (rank x n), how many below the diagonal, how many in
   * all */
  int32_t *row_body, *lu_where, *lu_list, *lu_nl, *lu_n;
  uint8_t *lu_mark;
  bool lu_known;
  double *B;                   /* turned coordinates: columns (n x n, persistent), or NULL */
  hk_partition_jac vel, chart; /* chart is another name of vel in planar models */
  bool two;                    /* they differ */
  /* persistent: choice made, times it was changed, rank, pivot ratio of the choice, best ratio met,
   * speed of the choice, |Phi_u^-1| of the Phi_u remembered; then cols, rows, row scales, the Phi_u
   * from which jumps are watched, its coordinates, tree coordinates of the accepted state */
  double *persist;
  int32_t npersist;
  /* the present stage */
  double *D, *w, *wd;    /* increment, rates (chart stages) */
  double *q, *v, *a, *r; /* r: M a + gyro - Q, in body axes */
  double *lam;           /* nrows */
  double *psi;           /* f */
  double *T, *Tinv;      /* f x f tangent, 1 / pivots */
  int32_t ldt, *Tpivot;
  /* tangent: columns of variations */
  double *dq, *dv, *da, *dw, *dwd, *dF; /* n */
  double *W;                            /* nb x 6: all wrenches on a body, constraints included */
  hk_bodies_curve *row;                 /* m */
  hk_partition_pair *pair;              /* nf + nset */
  int32_t npair, ninput;
  hk_partition_input *input;
  double *bar, *slopes;   /* signals, reads: scratch of slopes */
  double *before, *trial; /* n: increments of a correction that is cut */
  double *x, *y, *z, *b;  /* n, max(n, m), n, m */
  double *near;           /* 2 n: what a projection needs */
  double *work, *W0, *W1; /* LU; rank^2; n big */
  double *own;            /* persistent numbers of the method; 0 in the first one: a new start */
  double *scratch;        /* its vectors, then its matrices */
  char words[640];
  hk_pool *pool;
  unsigned char *block;
};

/* offsets in keep */
enum {
  HK_PARTITION_MADE,
  HK_PARTITION_CHANGES,
  HK_PARTITION_RANK,
  HK_PARTITION_RATIO,
  HK_PARTITION_BEST,
  HK_PARTITION_SPEED,
  HK_PARTITION_INVERSE,
  HK_PARTITION_HEAD
};

hk_status hki_partition_create(hk_ctx *ctx, const hk_model *m, const void *par, hk_partition **out);
void hki_partition_destroy(hk_partition *p);
const hk_partition_method *hki_partition_method_of(const hk_partition_par *par);

/* --- the choice and what follows from it (choice.c) ------------------------------------------- */

/* take the choice from the persistent block */
void hki_partition_sync(hk_partition *p);
/* the Jacobian at the present rows, factorised; D: increments of the chart, or NULL */
hk_status hki_partition_factor(hk_partition *p, hk_partition_jac *j, const double *D);
/* columns P */
void hki_partition_columns(hk_partition *p, hk_partition_jac *j);
/* x_u from x_v so that Phi x + b = 0 in the pivot rows; b may be NULL */
void hki_partition_complete(hk_partition *p, const hk_partition_jac *j, const double *b, double *x);
/* P'MP of the columns P; nothing to do where it is there */
hk_status hki_partition_gram(hk_partition *p, hk_partition_jac *j);
/* the x nearest to the given one in the mass metric with Phi x + b = 0; columns must be there */
void hki_partition_nearest(hk_partition *p, hk_partition_jac *j, const double *b, double *x);
/* hki_partition_complete under the name of a method's op */
void hki_partition_onto(hk_partition *p, hk_partition_jac *j, const double *b, double *x);
/* size of independent coordinate j; largest independent entry of x, free of dimension */
double hki_partition_unit(const hk_partition *p, int32_t j);
double hki_partition_independent_size(const hk_partition *p, const double *x);
/* the matrix of the rows given by `of` (row, body 0 or 1: nd numbers in world axes), free of
 * dimension, in Cartesian coordinates; D: increments of the chart, or NULL */
void hki_partition_gather(const hk_partition *p, double *M, const double *of, const double *D);
/* entry of pivot row k of a vector over the rows, scaled as the Jacobian is */
double hki_partition_scaled_row(const hk_partition *p, int32_t k, const double *b);
/* largest |Phi_u^-1 phi|, free of dimension; x = the correction of the dependents */
double hki_partition_open(hk_partition *p, const hk_partition_jac *j, double *x);
/* multipliers lam with (r + Phi' lam)_u = 0; r in body axes */
void hki_partition_multipliers(hk_partition *p, const double *r, double *lam);
/* the first choice at the present rows, everything forgotten; vel is factorised, P included */
hk_status hki_partition_choose(hk_partition *p);
/* at an accepted position (rows evaluated, vel factorised): is the choice still good */
hk_status hki_partition_review(hk_partition *p, double t, const double *q);

/* --- factors of Phi_u without its zeros (lu.c) ------------------------------------------------ */

/* after a choice: pivots in an order that fills little, then where they fill */
void hki_partition_lu_order(hk_partition *p, const double *M);
void hki_partition_lu_analyse(hk_partition *p);
/* false: pivots are small against `needed`, the ratio of smallest to largest one; rows must be
 * exchanged */
bool hki_partition_lu_factor(hk_partition *p, hk_partition_jac *j, double needed);
void hki_partition_lu_solve(const hk_partition *p, const hk_partition_jac *j, double *y);
void hki_partition_lu_solve_transposed(const hk_partition *p, const hk_partition_jac *j, double *y);

/* --- the tangent (tangent.c, pairs.c) --------------------------------------------------------- */

/* pairs at the present stage */
void hki_partition_pairs(hk_partition *p);
/* wrench variations of all pairs and inputs: dW (nb x 6, about the centres, world axes) */
void hki_partition_pair_columns(hk_partition *p, const double *x, const double *dV, double *dW);
/* T = dpsi/dD_v, f x f, column-major with leading dimension ldt */
void hki_partition_tangent(hk_partition *p);
/* variations along the increment dD, where rates leave bv and ba open (NULL: nothing): p->dw,
 * p->dwd of the rates, p->dF of all forces (inertia and constraints included); hki_partition_tangent
 * prepares */
void hki_partition_force_column(hk_partition *p, const double *dD, const double *bv,
                                const double *ba);

/* --- stages (stage.c) ------------------------------------------------------------------------- */

bool hki_partition_is_closed(double open, double before);
void hki_partition_from_rates(const hk_partition *p, const double *rate, const double *z,
                              double *out);
void hki_partition_bend_rates(hk_partition *p, double *z);
void hki_partition_motion(hk_partition *p, const double *a, double *r);
void hki_partition_reduce(const hk_partition *p, const double *r, double *psi);
hk_status hki_partition_place(hk_partition *p);
void hki_partition_both_columns(hk_partition *p);
const double *hki_partition_speed_up(hk_partition *p);
void hki_partition_accelerate(hk_partition *p);
hk_partition_jac *hki_partition_rate_jac(hk_partition *p);
hk_status hki_partition_factor_tangent(hk_partition *p);
/* largest entry, free of dimension */
double hki_partition_size(const hk_partition *p, const double *x);
/* x = the correction where constraints (closed by p->trial) and rates are open; after the tangent
 */
void hki_partition_solve_open(hk_partition *p, const double *bv, const double *ba, double *x);
/* everything eliminated */
hk_status hki_partition_exact_residual(hk_partition *p, const double *D);
hk_status hki_partition_exact_factor(hk_partition *p);
hk_status hki_partition_exact_correct(hk_partition *p, double *D, hk_norms *norm);
hk_status hki_partition_exact_rates(hk_partition *p, const double *D);
/* a with zero independent accelerations */
hk_status hki_partition_particular(hk_partition *p, double t, const double *q, const double *v,
                                   double *a);

#endif

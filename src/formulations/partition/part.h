/* SPDX-License-Identifier: Apache-2.0
 *
 * part.h: inside of the partition formulation: Cartesian coordinates of all bodies, of which an
 * independent part is integrated and the rest follows from the constraints, exactly, at positions,
 * velocities, accelerations and multipliers.
 *
 *   Phi(q, t) = 0,  Phi_q v + Phi_t = 0,  Phi_q a + gamma = 0,   v = (v_u, v_v)
 *   v_u = H v_v + ...,  H = -Phi_u^-1 Phi_v,   P = [H; 1]
 *   psi = P' (M a + gyro - Q) = (M a - Q)_v + Phi_v' lam,   lam = -Phi_u^-T (M a - Q)_u
 *
 * Letters of the paper: u dependent, v independent. Coordinates are those of cart.h. Increments D
 * from the base of a stage are the chart in which coordinates are independent; for rotations the
 * chart has its own Jacobian, Phi_D = Phi_q J(D), while velocities are partitioned with Phi_q.
 *
 * Everything is made free of dimension: columns by the model's length where they are
 * displacements, rows by their largest entry at the first choice.
 */
#ifndef HK_FORMULATIONS_PART_H
#define HK_FORMULATIONS_PART_H

#include "formulations/cartesian/cart.h"
#include "formulations/formulation.h"
#include "linalg/dense.h"

typedef struct hk_part_par {
  double limit;    /* speed ratio that asks for another choice */
  int32_t tangent; /* HK_PART_EXACT, HK_PART_FV (Fisette and Vaneghem) */
  int32_t method;  /* row of the table of methods, in the order of its choices */
} hk_part_par;

enum { HK_PART_EXACT, HK_PART_FV };
enum { HK_PART_CLOSE_PASSES = 20 };
/* integrators that ask for accelerations and nothing else */
enum { HK_PART_EXPLICIT = HK_CAP_ACCEL, HK_PART_IMPLICIT = HK_CAP_STAGE_POS | HK_CAP_STAGE_ACC };

typedef struct hk_part hk_part;
typedef struct hk_part_jac hk_part_jac;

/* A method says what is unknown in a stage and how rates come onto the constraints; everything else
 * is shared. */
typedef struct hk_part_method {
  /* implicit stages, as in the stage contract; rates: p->w, p->wd at the solution D. All NULL: the
   * method has explicit steps only */
  hk_status (*residual)(hk_part *p, const double *D);
  hk_status (*factor)(hk_part *p);
  hk_status (*correct)(hk_part *p, double *D, hk_norms *n);
  hk_status (*rates)(hk_part *p, const double *D);
  /* x onto Phi x + b = 0 in the pivot rows */
  void (*onto)(hk_part *p, hk_part_jac *j, const double *b, double *x);
  bool columns; /* ... and it takes the columns P for that */
  /* accelerations are the integrator's rates of the velocities and not held by the rows */
  bool rates_only;
  /* accelerations that satisfy the rows; columns P are those in which it may be changed */
  hk_status (*particular)(hk_part *p, double t, const double *q, const double *v, double *a);
  /* the rest may be NULL */
  void (*turn)(hk_part *p, double *B); /* coordinates of a choice: columns of B (n x n) */
  void (*remember)(hk_part *p, double t, const double *v, const double *a); /* accepted state */
  int32_t nkeep, nvectors, nmatrices; /* persistent and scratch vectors (big), matrices (big^2) */
  uint32_t refuses; /* HK_PART_EXPLICIT or HK_PART_IMPLICIT: these integrators; and why */
  const char *why;
} hk_part_method;

extern const hk_part_method hki_part_partition, hki_part_splitting, hki_part_augmented,
    hki_part_tangent_plane, hki_part_null_space;

/* one Jacobian: the matrix itself, its dependent part factorised, all velocities by the independent
 * ones */
struct hk_part_jac {
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
typedef struct hk_part_pair {
  int32_t body[2];
  double r[6];  /* markers seen from the centres of their bodies, world axes */
  double w[12]; /* wrenches */
  double K[144], C[144];
  bool damped; /* C is not zero */
} hk_part_pair;

/* an input of a force that reads channels: its slope in the variations and twists of all bodies */
typedef struct hk_part_input {
  int32_t force, u;
  double Wu[12];
  double *pose, *twist; /* n each */
} hk_part_input;

struct hk_part {
  hk_formulation base;
  const hk_part_method *method;
  hk_ctx *ctx;
  hk_part_par par;
  hk_cart *c;
  hk_stage st;
  bool first;           /* no iterate of this stage yet */
  double last;          /* size of the last correction */
  int32_t n, m, big;    /* velocities, rows, the larger number of both (and no less than 3) */
  int32_t rank, f;      /* dependent, independent */
  int32_t *cols, *rows; /* n, m: in order, the first `rank` are the pivots */
  /* where Phi_u is filled, in the order of the choice (part_lu.c): bodies of each row (2 m), place
   * of each column (n); columns of each row (rank x n), how many below the diagonal, how many in
   * all */
  int32_t *row_body, *lu_where, *lu_list, *lu_nl, *lu_n;
  uint8_t *lu_mark;
  bool lu_known;
  double *B;              /* turned coordinates: columns (n x n, persistent), or NULL */
  hk_part_jac vel, chart; /* chart is another name of vel in planar models */
  bool two;               /* they differ */
  /* persistent: choice made, times it was changed, rank, pivot ratio of the choice, best ratio met,
   * speed of the choice, |Phi_u^-1| of the Phi_u remembered; then cols, rows, row scales, the Phi_u
   * from which jumps are watched, its coordinates, tree coordinates of the accepted state */
  double *keep;
  int32_t nkeep;
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
  hk_cart_curve *row;                   /* m */
  hk_part_pair *pair;                   /* nf + nset */
  int32_t npair, ninput;
  hk_part_input *input;
  double *bar, *part;     /* signals, reads: scratch of slopes */
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
  HK_PART_MADE,
  HK_PART_CHANGES,
  HK_PART_RANK,
  HK_PART_RATIO,
  HK_PART_BEST,
  HK_PART_SPEED,
  HK_PART_INVERSE,
  HK_PART_HEAD
};

hk_status hki_part_create(hk_ctx *ctx, const hk_model *m, const void *par, hk_part **out);
void hki_part_destroy(hk_part *p);
const hk_part_method *hki_part_method_of(const hk_part_par *par);

/* --- the choice and what follows from it (part_choice.c) ----------------------------------------
 */

/* take the choice from the persistent block */
void hki_part_sync(hk_part *p);
/* the Jacobian at the present rows, factorised; D: increments of the chart, or NULL */
hk_status hki_part_factor(hk_part *p, hk_part_jac *j, const double *D);
/* columns P */
void hki_part_columns(hk_part *p, hk_part_jac *j);
/* x_u from x_v so that Phi x + b = 0 in the pivot rows; b may be NULL */
void hki_part_complete(hk_part *p, const hk_part_jac *j, const double *b, double *x);
/* P'MP of the columns P; nothing to do where it is there */
hk_status hki_part_gram(hk_part *p, hk_part_jac *j);
/* the x nearest to the given one in the mass metric with Phi x + b = 0; columns must be there */
void hki_part_nearest(hk_part *p, hk_part_jac *j, const double *b, double *x);
/* hki_part_complete under the name of a method's op */
void hki_part_onto(hk_part *p, hk_part_jac *j, const double *b, double *x);
/* size of independent coordinate j; largest independent entry of x, free of dimension */
double hki_part_unit(const hk_part *p, int32_t j);
double hki_part_independent_size(const hk_part *p, const double *x);
/* the matrix of the rows given by `of` (row, body 0 or 1: nd numbers in world axes), free of
 * dimension, in Cartesian coordinates; D: increments of the chart, or NULL */
void hki_part_gather(const hk_part *p, double *M, const double *of, const double *D);
/* entry of pivot row k of a vector over the rows, scaled as the Jacobian is */
double hki_part_scaled_row(const hk_part *p, int32_t k, const double *b);
/* largest |Phi_u^-1 phi|, free of dimension; x = the correction of the dependents */
double hki_part_open(hk_part *p, const hk_part_jac *j, double *x);
/* multipliers lam with (r + Phi' lam)_u = 0; r in body axes */
void hki_part_multipliers(hk_part *p, const double *r, double *lam);
/* the first choice at the present rows, everything forgotten; vel is factorised, P included */
hk_status hki_part_choose(hk_part *p);
/* at an accepted position (rows evaluated, vel factorised): is the choice still good */
hk_status hki_part_review(hk_part *p, double t, const double *q);

/* --- factors of Phi_u without its zeros (part_lu.c) ---------------------------------------------
 */

/* after a choice: pivots in an order that fills little, then where they fill */
void hki_part_lu_order(hk_part *p, const double *M);
void hki_part_lu_analyse(hk_part *p);
/* false: pivots are small against `needed`, the ratio of smallest to largest one; rows must be
 * exchanged */
bool hki_part_lu_factor(hk_part *p, hk_part_jac *j, double needed);
void hki_part_lu_solve(const hk_part *p, const hk_part_jac *j, double *y);
void hki_part_lu_solve_transposed(const hk_part *p, const hk_part_jac *j, double *y);

/* --- the tangent (part_tangent.c, part_pairs.c) --------------------------------------------------
 */

/* pairs at the present stage */
void hki_part_pairs(hk_part *p);
/* wrench variations of all pairs and inputs: dW (nb x 6, about the centres, world axes) */
void hki_part_pair_columns(hk_part *p, const double *x, const double *dV, double *dW);
/* T = dpsi/dD_v, f x f, column-major with leading dimension ldt */
void hki_part_tangent(hk_part *p);
/* variations along the increment dD, where rates leave bv and ba open (NULL: nothing): p->dw,
 * p->dwd of the rates, p->dF of all forces (inertia and constraints included); hki_part_tangent
 * prepares */
void hki_part_force_column(hk_part *p, const double *dD, const double *bv, const double *ba);

/* --- stages (part_stage.c) ----------------------------------------------------------------------
 */

bool hki_part_is_closed(double open, double before);
void hki_part_from_rates(const hk_part *p, const double *rate, const double *z, double *out);
void hki_part_bend_rates(hk_part *p, double *z);
void hki_part_motion(hk_part *p, const double *a, double *r);
void hki_part_reduce(const hk_part *p, const double *r, double *psi);
hk_status hki_part_place(hk_part *p);
void hki_part_both_columns(hk_part *p);
const double *hki_part_speed_up(hk_part *p);
void hki_part_accelerate(hk_part *p);
hk_part_jac *hki_part_rate_jac(hk_part *p);
hk_status hki_part_factor_tangent(hk_part *p);
/* largest entry, free of dimension */
double hki_part_size(const hk_part *p, const double *x);
/* x = the correction where constraints (closed by p->trial) and rates are open; after the tangent
 */
void hki_part_solve_open(hk_part *p, const double *bv, const double *ba, double *x);
/* everything eliminated */
hk_status hki_part_exact_residual(hk_part *p, const double *D);
hk_status hki_part_exact_factor(hk_part *p);
hk_status hki_part_exact_correct(hk_part *p, double *D, hk_norms *norm);
hk_status hki_part_exact_rates(hk_part *p, const double *D);
/* a with zero independent accelerations */
hk_status hki_part_particular(hk_part *p, double t, const double *q, const double *v, double *a);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * partition.h: inside of the partition formulation: Cartesian coordinates of all bodies
 * (machines/bodies/bodies.h), of which an independent part is integrated. The dependent positions,
 * velocities, accelerations and the multipliers follow exactly from the constraints.
 *
 *   Phi(q, t) = 0
 *   Phi_q v + Phi_t = 0                                  v = (v_u, v_v)
 *   Phi_q a + gamma = 0                                  u dependent, v independent part
 *   H   = -Phi_u^-1 Phi_v,   P = [H; 1]                  v = P v_v where Phi_t = 0
 *   r   = M a + gyro - Q                                 gyro: w x J w
 *   lam = -Phi_u^-T r_u
 *   psi = P' r = r_v + Phi_v' lam                        state-space equations: psi = 0
 *
 * A coordinate is independent as an increment D from the base q0 of a stage. For rotations the
 * increments have a Jacobian of their own, Phi_D = Phi_q J(D) with J of geometry/chart.h;
 * velocities are partitioned with Phi_q.
 *
 * Jacobians are scaled: columns by bodies' scale (1 for rotations, the model's length for
 * displacements), rows by 1 / largest entry at the first choice. "Scaled" below means this.
 *
 * Source: Haug, Negrut and Iancu, A State-Space Based Implicit Integration Algorithm for
 * Differential-Algebraic Equations of Multibody Dynamics, 1997; u and v are its letters.
 */
#ifndef HK_FORMULATIONS_PARTITION_PARTITION_H
#define HK_FORMULATIONS_PARTITION_PARTITION_H

#include "machines/bodies/bodies.h"
#include "formulations/formulation.h"
#include "linalg/dense.h"

typedef struct hk_partition_par {
  double limit;    /* choice_limit: speed above which the choice is made anew */
  int32_t choice;  /* HK_CHOICE_... */
  int32_t tangent; /* HK_PARTITION_EXACT, HK_PARTITION_FV (Fisette and Vaneghem) */
  int32_t method;  /* number in the table of methods (create.c), as the option lists them */
  int32_t start;   /* HK_PARTITION_EXTRAPOLATE, HK_PARTITION_PAPER */
  int32_t guards;  /* 1: other starts and shorter corrections where the iteration leads astray */
} hk_partition_par;

enum { HK_PARTITION_EXACT, HK_PARTITION_FV };
enum { HK_PARTITION_EXTRAPOLATE, HK_PARTITION_PAPER };
enum { HK_PARTITION_CLOSE_PASSES = 20 }; /* most Newton steps onto Phi = 0 */
/* hk_partition_method.refuses: integrators that need accelerations only, or implicit stages */
enum {
  HK_PARTITION_EXPLICIT = HK_CAP_ACCEL,
  HK_PARTITION_IMPLICIT = HK_CAP_STAGE_POS | HK_CAP_STAGE_ACC
};

typedef struct hk_partition hk_partition;
typedef struct hk_partition_jac hk_partition_jac;

/* A method defines the unknowns of a stage and how rates are put onto the constraints; everything
 * else is shared. */
typedef struct hk_partition_method {
  /* implicit stages, as in stage.h; rates: p->w, p->wd at the solution D. All NULL: the method has
   * explicit steps only */
  hk_status (*residual)(hk_partition *p, const double *D);
  hk_status (*factor)(hk_partition *p);
  hk_status (*correct)(hk_partition *p, double *D, hk_norms *n);
  hk_status (*rates)(hk_partition *p, const double *D);
  /* changes x so that j x + b = 0 in the pivot rows */
  void (*onto)(hk_partition *p, hk_partition_jac *j, const double *b, double *x);
  bool columns; /* onto reads the columns P of j */
  /* accelerations are the integrator's rates of the velocities; the rows do not hold them */
  bool rates_only;
  /* some accelerations a with Phi_q a + gamma = 0; p->vel.P: directions in which they may change */
  hk_status (*particular)(hk_partition *p, double t, const double *q, const double *v, double *a);
  /* the rest may be NULL */
  /* B (n x n): turned coordinates of a choice, by columns; dependent ones first */
  void (*basis)(hk_partition *p, double *B);
  /* called at each accepted state */
  void (*remember)(hk_partition *p, double t, const double *v, const double *a);
  /* persistent vectors, scratch vectors (of size big), scratch matrices (big^2) */
  int32_t npersist, nvectors, nmatrices;
  uint32_t refuses; /* HK_PARTITION_EXPLICIT or HK_PARTITION_IMPLICIT */
  const char *why;  /* reason of the refusal, for messages */
} hk_partition_method;

extern const hk_partition_method hki_partition_exact, hki_partition_splitting,
    hki_partition_augmented, hki_partition_tangent_plane, hki_partition_null_space;

/* one Jacobian, Phi_q or Phi_D: the matrix, its dependent part factorised, the columns P */
struct hk_partition_jac {
  double *M; /* m x n, row-major, scaled */
  double *A; /* factors of Phi_u. sparse: rows in the order of the choice (lu.c); else dense LU */
  bool sparse;
  double *inv;             /* rank: 1 / pivots */
  int32_t *pivot;          /* rank: row exchanges of the dense LU */
  double *P;               /* n x f, column j at P + j n, not scaled */
  double ratio;            /* smallest over largest pivot */
  double speed;            /* largest scaled entry of H */
  double *gram, *gram_inv; /* f x f: P'MP factorised (eq. 39), 1 / pivots; valid with has_gram */
  bool has_gram;
};

/* a force, or the forces of a constraint set, as wrenches on two markers with exact tangents */
typedef struct hk_partition_pair {
  int32_t body[2];
  double r[6];           /* markers seen from the centres of mass of their bodies, world axes */
  double w[12];          /* wrenches */
  double K[144], C[144]; /* 12 x 12: -dw/dxi, -dw/dV */
  bool damped;           /* C is used */
} hk_partition_pair;

/* an input of a force that reads channels */
typedef struct hk_partition_input {
  int32_t force, u;     /* model force, index of its input */
  int32_t signal;       /* that it follows */
  double Wu[12];        /* derivative of the wrenches by the input */
  double *pose, *twist; /* n: derivatives of the input by variations and twists of all bodies */
} hk_partition_input;

struct hk_partition {
  hk_formulation base;
  const hk_partition_method *method;
  hk_ctx *ctx;
  hk_partition_par par;
  hk_bodies *c;
  hk_stage st;
  bool first;        /* no iterate of this stage yet */
  bool rebased;      /* B has been made anew in a stage of this step */
  double last;       /* scaled size of the last correction of the independent coordinates */
  int32_t n, m, big; /* velocities, rows, max(n, m, 3) */
  /* the choice */
  int32_t rank, f;      /* number of dependent and of independent coordinates */
  int32_t *cols, *rows; /* n, m: order of columns and rows; the first `rank` are the pivots */
  /* pattern of Phi_u in the order of the choice (lu.c): bodies of each row (2 m), place of each
   * column (n); columns of each row (rank x n), number of those below the diagonal, in all */
  int32_t *row_line, *line_body, *lu_where, *lu_list, *lu_nl, *lu_n;
  uint8_t *lu_mark; /* rank: scratch */
  bool lu_known;    /* the pattern belongs to the present choice */
  /* rows that bind velocities alone (rates.c): their number; m, 1: such a row. nrate x n,
   * persistent: C; nrate x n: N; n x n: columns of positions; e(N) factorised; nrate: scratch */
  int32_t nrate, rate_count; /* count: columns of N */
  uint8_t *late;
  double *rate_C, *rate_N, *rate_P, *rate_E, *rate_inv, *rate_y;
  int32_t *rate_pivot;
  const double *along;         /* columns of positions: those of chart, or rate_P */
  double *B;                   /* n x n, persistent: turned coordinates by columns; NULL: none */
  hk_partition_jac vel, chart; /* Phi_q, Phi_D; planar models: chart is a copy of vel */
  bool two;                    /* chart differs from vel */
  /* persistent, npersist: the numbers of HK_PARTITION_..., cols (n), rows (m), row scales (m), the
   * Phi_u from which jumps are watched, its coordinates (nq), C, B, own, tree coordinates of the
   * accepted state */
  double *persist;
  int32_t npersist;
  /* the present stage */
  double *D, *w, *wd;    /* n: increment and its rates; outside chart stages w = v, wd = a */
  double *q, *v, *a, *r; /* nq, n, n, n: state; r = M a + gyro - Q, in body axes */
  double *lam;           /* m */
  double *psi;           /* f */
  double *T, *Tinv;      /* f x f: tangent factorised, 1 / pivots */
  int32_t ldt, *Tpivot;  /* leading dimension of T, row exchanges */
  bool prepared; /* hki_partition_tangent was called in this stage: row and pair belong to it */
  /* tangent: variations along one increment */
  double *dq, *dv, *da, *dw, *dwd, *dF; /* n */
  double *W; /* nb x 6: all wrenches on bodies, constraints included; then nb x 6 scratch */
  hk_bodies_curve *row;    /* m: derivatives of the rows' rates */
  hk_partition_pair *pair; /* npair, at most nf + nset; forces first */
  int32_t npair, ninput;
  double *wide_K, *wide_C;   /* tangents of elements on several markers, one after the other */
  bool *wide_damped;         /* nwide: C is used */
  int32_t nterm;             /* of the border, at most */
  hk_partition_input *input; /* ninput, and one for signals that hold nodes */
  double *bar, *slopes;      /* nsignals, reads: scratch of input_slopes */
  hk_border border;          /* scalar unknowns beside T, and the inputs that they read or feel */
  double *before, *trial;    /* n: last and present increment of a correction that may be cut */
  double *x, *y, *z, *b;     /* n, big, n, m: scratch */
  double *near;              /* 2 n: scratch of projections */
  double *work, *W0, *W1;    /* scratch: of dense solvers; rank^2; n big */
  double *own;     /* npersist x big: persistent numbers of the method; own[0] = 0: none yet */
  double *scratch; /* vectors of the method, then its matrices */
  char words[640]; /* why the last step failed */
  hk_pool *pool;
  unsigned char *block;
};

/* first numbers of persist: 1 = a choice is made; number of changes; rank; pivot ratio of the
 * choice; best ratio so far; speed of the choice; |Phi_u^-1| of the Phi_u from which jumps are
 * watched */
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
/* see hk_formulation_entry */
hk_status hki_partition_cost(hk_ctx *ctx, const hk_model *m, const void *par, double most,
                             hk_cost *out);
const hk_partition_method *hki_partition_method_of(const hk_partition_par *par);

/* --- the choice and what follows from it (choice.c) ------------------------------------------- */

/* takes the choice from the persistent block */
void hki_partition_sync(hk_partition *p);
/* M and factors of j at the present rows; D: increments of the chart (Phi_D), NULL: Phi_q */
hk_status hki_partition_factor(hk_partition *p, hk_partition_jac *j, const double *D);
/* columns P and speed of j, from its factors */
void hki_partition_columns(hk_partition *p, hk_partition_jac *j);
/* x_u from x_v so that j x + b = 0 in the pivot rows; b (m) may be NULL */
void hki_partition_complete(hk_partition *p, const hk_partition_jac *j, const double *b, double *x);
/* P'MP of j, factorised, unless it is there */
hk_status hki_partition_gram(hk_partition *p, hk_partition_jac *j);
/* x becomes the nearest one in the mass metric with j x + b = 0; needs the columns P */
void hki_partition_nearest(hk_partition *p, hk_partition_jac *j, const double *b, double *x);
/* hki_partition_complete with the signature of hk_partition_method.onto */
void hki_partition_onto(hk_partition *p, hk_partition_jac *j, const double *b, double *x);
/* scale of independent coordinate j; largest scaled independent entry of x */
double hki_partition_unit(const hk_partition *p, int32_t j);
double hki_partition_independent_size(const hk_partition *p, const double *x);
/* M (m x n): scaled matrix of the rows `of` (m x 2 x nd, world axes, as hk_bodies.G), in Cartesian
 * coordinates; D: increments of the chart, or NULL */
void hki_partition_gather(const hk_partition *p, double *M, const double *of, const double *D);
/* scaled entry of b (m) in pivot row k */
double hki_partition_scaled_row(const hk_partition *p, int32_t k, const double *b);
/* scale of a row; y = x scaled, in the coordinates of the choice, y not x */
double hki_partition_row_scale(const hk_partition *p, int32_t row);
void hki_partition_to_choice(const hk_partition *p, const double *x, double *y);
/* x = -Phi_u^-1 phi in the dependents, 0 elsewhere; returns its largest scaled entry */
double hki_partition_open(hk_partition *p, const hk_partition_jac *j, double *x);
/* lam with (r + Phi_q' lam)_u = 0; r in body axes */
void hki_partition_multipliers(hk_partition *p, const double *r, double *lam);
/* turned coordinates: B anew at the middle q0 (+) D/2 of a stage, for the same rows and rank */
hk_status hki_partition_rebase(hk_partition *p, const double *D);
/* first choice at the present rows; forgets all earlier ones. Leaves vel factorised, with P. */
hk_status hki_partition_choose(hk_partition *p);
/* At an accepted position (rows evaluated, vel factorised): HK_RETRY when the step may have jumped
 * over a singular position, HK_E_SINGULAR when rank is lost. Makes the choice anew where it has
 * become bad. */
hk_status hki_partition_review(hk_partition *p, double t, const double *q);

/* --- rows that bind velocities alone (rates.c); nothing is done where there are none ---------- */

/* rates w of the increment p->D at p->q, by their independent ones; vel and chart are factorised there.
 * Rows that are not linear in velocities are evaluated anew until they hold, at p->v. */
hk_status hki_partition_complete_rates(hk_partition *p, double *w);
/* C from vel at an accepted position */
void hki_partition_keep_rates(hk_partition *p);
/* phi of these rows at the increment p->D and its rates w */
void hki_partition_follow(hk_partition *p, const double *w);
/* p->along at the present iterate, from the columns of chart and the curvatures p->row */
void hki_partition_along(hk_partition *p);
/* hki_partition_open of chart in a stage whose rates leave bv open in the rows, or NULL; closes also
 * the derivative of these rows by positions. After hki_partition_along */
double hki_partition_open_stage(hk_partition *p, const double *bv, double *x);

/* --- factors of Phi_u without its zeros (lu.c) ------------------------------------------------ */

/* after a choice: brings the pivots into an order with little fill; M: the scaled Jacobian */
void hki_partition_lu_order(hk_partition *p, const double *M);
/* the entries of the factors for the present order */
void hki_partition_lu_analyse(hk_partition *p);
/* factors of j without row exchanges; false: its pivot ratio is too small against `needed` */
bool hki_partition_lu_factor(hk_partition *p, hk_partition_jac *j, double needed);
/* y = Phi_u^-1 y, y = Phi_u^-T y, with these factors */
void hki_partition_lu_solve(const hk_partition *p, const hk_partition_jac *j, double *y);
void hki_partition_lu_solve_transposed(const hk_partition *p, const hk_partition_jac *j, double *y);

/* --- the tangent (tangent.c, pairs.c) --------------------------------------------------------- */

/* fills p->pair, p->input and p->W at the present stage */
void hki_partition_pairs(hk_partition *p);
/* dW (nb x 6, about the centres of mass, world axes): change of the wrenches of all pairs and
 * inputs with variations x and twists dV */
void hki_partition_pair_columns(hk_partition *p, const double *x, const double *dV, double *dW);
/* pose and twist of an input at the present state */
void hki_partition_input_slopes(hk_partition *p, hk_partition_input *in);
/* T = dpsi/dD_v, f x f, column-major with leading dimension ldt */
void hki_partition_tangent(hk_partition *p);
/* its first part: p->dq, p->dw; p->x: change of the velocities in body axes */
void hki_partition_velocity_column(hk_partition *p, const double *dD, const double *bv);
/* p->dw, p->dwd (rates) and p->dF (all forces, inertia and constraints included): variations along
 * the increment dD. bv, ba (m): what velocities and accelerations leave open in the rows; NULL:
 * nothing. After hki_partition_tangent at the same iterate, which fills the pairs. */
void hki_partition_force_column(hk_partition *p, const double *dD, const double *bv,
                                const double *ba);

/* --- scalar unknowns beside T (border.c) ------------------------------------------------------ */

/* lists the terms of the border (list NULL: counts them); returns their number */
int32_t hki_partition_terms(hk_partition *p, hk_border_term *list);
/* the terms and their factors, after those of T; nothing in models without unknowns */
hk_status hki_partition_factor_border(hk_partition *p);
extern const hk_net_face hki_partition_net;

/* --- stages (stage.c), shared by the methods -------------------------------------------------- */

/* is the largest scaled opening of the dependents small, or at round-off? before: the last one */
bool hki_partition_is_closed(double open, double before);
/* out = J(D) rate + z: velocities (z NULL) or accelerations from rates of the increment p->D */
void hki_partition_from_rates(const hk_partition *p, const double *rate, const double *z,
                              double *out);
/* z = (dJ/dt) w of the rates p->w; p->b = gamma + Phi_q z */
void hki_partition_bend_rates(hk_partition *p, double *z);
/* r = M a + gyro - Q, in body axes */
void hki_partition_motion(hk_partition *p, const double *a, double *r);
/* psi = P' r */
void hki_partition_reduce(const hk_partition *p, const double *r, double *psi);
/* positions and rows at p->D, of the rates p->w where rows are not linear in velocities; vel and chart
 * factorised */
hk_status hki_partition_place(hk_partition *p);
/* columns P of vel and chart */
void hki_partition_both_columns(hk_partition *p);
/* p->v and gamma from the rates p->w; returns the bias of the rows for the rates p->wd */
const double *hki_partition_speed_up(hk_partition *p);
/* p->a from the rates p->wd; after hki_partition_speed_up */
void hki_partition_accelerate(hk_partition *p);
/* Jacobian of the rows by the rates of the increment: chart in chart stages, else vel */
hk_partition_jac *hki_partition_rate_jac(hk_partition *p);
/* T, factorised */
hk_status hki_partition_factor_tangent(hk_partition *p);
/* largest scaled entry */
double hki_partition_size(const hk_partition *p, const double *x);
/* x = dD where constraints and rates are open: p->trial = d0 of stage.c, bv, ba as in
 * hki_partition_force_column; after hki_partition_factor_tangent */
void hki_partition_solve_open(hk_partition *p, const double *bv, const double *ba, double *x);
/* the method of the paper, in which all but the independent increments is eliminated */
hk_status hki_partition_exact_residual(hk_partition *p, const double *D);
hk_status hki_partition_exact_factor(hk_partition *p);
hk_status hki_partition_exact_correct(hk_partition *p, double *D, hk_norms *norm);
hk_status hki_partition_exact_rates(hk_partition *p, const double *D);
/* hk_partition_method.particular: a with zero independent accelerations */
hk_status hki_partition_particular(hk_partition *p, double t, const double *q, const double *v,
                                   double *a);

#endif

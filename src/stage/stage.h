/* SPDX-License-Identifier: Apache-2.0
 *
 * stage.h: the one contract between formulations and integrators.
 *
 * Every implicit stage makes velocity and acceleration affine in one unknown increment D (size nv):
 *
 *   q = q0 (+) D      v = vh + cv D      a = ah + ca D
 *   r = M(q) a + G(q)'lam - Q(t, q, v) = 0,   constraints at the level the stage asks for
 *   S = ca M + cv C + K + ...                 (derivatives with respect to D)
 *
 * A formulation knows its coordinates, multipliers and matrices; an integrator knows its hats. They
 * meet here and nowhere else. `plus` belongs to the formulation: rotations take body-fixed
 * increments.
 */
#ifndef HK_STAGE_STAGE_H
#define HK_STAGE_STAGE_H

#include "base/base.h"
#include "base/hook.h"
#include "base/params.h"

typedef enum hk_level { HK_LEVEL_POS, HK_LEVEL_ACC } hk_level;

typedef struct hk_dims {
  int32_t nq, nv, nl; /* coordinates, velocities, constraint rows */
} hk_dims;

/* A stage whose states are momenta: p(q, v) changes at the rate ph + cp p. D are parameters of
 * rotations (cayley.h) from a predicted pose q0 where the velocity is vh; at D velocities are vh +
 * G'(D) cv D, and ah + ca D holds only for coordinates that have no momentum. */
typedef struct hk_stage_nodes {
  double cp;
  const double *ph; /* nv */
} hk_stage_nodes;

typedef struct hk_stage {
  double t;       /* time of the stage */
  hk_level level; /* at which the constraints are imposed */
  double cv, ca;
  const double *q0, *vh, *ah; /* nq, nv, nv */
  /* w = vh + cv D and ah + ca D are the first and second rate of the increment D itself, and not
   * velocity and acceleration: they differ where rotations are increments (order above 2) */
  bool chart;
  const hk_stage_nodes *nodes; /* with HK_CAP_NODES only; NULL: as above */
} hk_stage;

/* what the iteration watches; all scaled, so that one number fits every model */
typedef struct hk_norms {
  double step;       /* largest scaled correction */
  double constraint; /* largest scaled constraint row after the correction */
  bool keep_factor;  /* the factor serves for the next correction too, if this one was fast */
} hk_norms;

enum {
  HK_PROJECT_POS = 1u,
  HK_PROJECT_VEL = 2u,
  HK_PROJECT_ACC = 4u,
  HK_PROJECT_MASS =
      8u /* velocities alone, in the mass metric, with its own factorisation (events) */
};

/* capability bits: what a formulation offers (caps) and an integrator needs (needs) */
enum {
  HK_CAP_STAGE_POS = 1u,  /* implicit stages with constraints at position level */
  HK_CAP_STAGE_ACC = 2u,  /* implicit stages with constraints at acceleration level */
  HK_CAP_ACCEL = 4u,      /* accelerations of a state (explicit methods, starting values) */
  HK_CAP_EXACT = 8u,      /* constraints hold exactly: projections only complete what a stage leaves
                             open, so that histories may take completed accelerations */
  HK_CAP_DAE = 16u,       /* the face hk_dae_ops */
  HK_CAP_NODES = 32u,     /* the face hk_node_ops */
  HK_CAP_RATE_ROWS = 64u, /* rows that bind velocities alone (of models, not of integrators) */
  HK_CAP_HELD = 128u,     /* freedoms without mass that forces alone hold (static nodes) */
  HK_CAP_NETWORK = 256u   /* scalar unknowns of other physics: v their values, a their rates */
};

typedef struct hk_formulation hk_formulation;

/* what an entry of a first-order system is: its error is controlled, or left alone */
typedef enum hk_dae_kind { HK_DAE_POSITION, HK_DAE_VELOCITY, HK_DAE_MULTIPLIER } hk_dae_kind;

/* Optional face: the model as one system F(t, y, y') = 0 of first order, for methods that choose
 * order and step by local error. stabilised: constraints at position and velocity level (index 2),
 * else at position level alone (index 3). */
typedef struct hk_dae_ops {
  int32_t (*size)(const hk_formulation *f, bool stabilised);
  /* kind of each entry, and the size of one unit of it (absolute tolerances are taken of it) */
  void (*entries)(const hk_formulation *f, bool stabilised, uint8_t *kind, double *unit);
  /* consistent y, y' of a state; and back */
  hk_status (*pack)(hk_formulation *f, bool stabilised, double t, const double *q, const double *v,
                    double *y, double *yp);
  void (*unpack)(hk_formulation *f, const double *y, const double *yp, double *q, double *v,
                 double *a);
  hk_status (*residual)(hk_formulation *f, bool stabilised, double t, const double *y,
                        const double *yp, double *r);
  /* prepare dF/dy + cj dF/dy' at a state; then solve with it: right side in, solution out */
  hk_status (*factor)(hk_formulation *f, bool stabilised, double t, double cj, const double *y,
                      const double *yp);
  hk_status (*solve)(hk_formulation *f, double *b);
} hk_dae_ops;

/* Optional face: nodes with momenta, and rotations counted from any pose as parameters g without
 * large angles. All vectors have nv entries; velocities v are those of the formulation. */
typedef struct hk_node_ops {
  /* momenta of a state, and their rates at accelerations a */
  void (*momentum)(const hk_formulation *f, const double *q, const double *v, double *p);
  void (*momentum_rate)(const hk_formulation *f, const double *q, const double *v, const double *a,
                        double *pd);
  /* the state (q_old, v_old) seen from q: parameters g and their rates gd */
  void (*behind)(const hk_formulation *f, const double *q, const double *q_old, const double *v_old,
                 double *g, double *gd);
  /* pose at g from q, and velocities of the rates gd there */
  void (*ahead)(const hk_formulation *f, const double *q, const double *g, const double *gd,
                double *q_out, double *v_out);
} hk_node_ops;

typedef struct hk_formulation_ops {
  const char *name, *text, *source;
  uint32_t caps;
  const hk_param *params;
  void (*dims)(const hk_formulation *f, hk_dims *d);
  void (*plus)(const hk_formulation *f, const double *q, const double *d, double *q_out);
  void (*minus)(const hk_formulation *f, const double *q1, const double *q0, double *d);
  /* implicit face: begin once a stage; then residual, factor, correct until the norms are small.
   * `tangent`: factor follows; without it the last factor of the stage is used once more, which
   * only a correction that set hk_norms.keep_factor allows */
  hk_status (*begin)(hk_formulation *f, const hk_stage *st);
  hk_status (*residual)(hk_formulation *f, const double *D, bool tangent);
  hk_status (*factor)(hk_formulation *f);
  hk_status (*correct)(hk_formulation *f, double *D, hk_norms *n);
  /* explicit face: accelerations that satisfy the constraints at acceleration level */
  hk_status (*accel)(hk_formulation *f, double t, const double *q, const double *v, double *a);
  /* back onto the constraints; after a stage it reuses the last factor */
  hk_status (*project)(hk_formulation *f, double t, double *q, double *v, double *a, uint32_t what);
  /* exchange with the model's tree coordinates */
  hk_status (*from_tree)(hk_formulation *f, const double *qt, const double *vt, double *q,
                         double *v);
  hk_status (*to_tree)(hk_formulation *f, const double *q, const double *v, const double *a,
                       double *qt, double *vt, double *at);
  /* everything that survives a step (multipliers, penalties): one block of doubles */
  void (*persistent)(hk_formulation *f, double **block, int32_t *n);
  /* numbers of linear solver k that later factorisations depend on, though no step does but by
   * round-off (linsolve.h): how many, -1 past the last solver; a checkpoint writes them, and a run
   * that goes on from one fills them and recalls. NULL: there are none */
  int32_t (*solver_memory)(hk_formulation *f, int32_t k, double **block);
  hk_status (*solver_recall)(hk_formulation *f);
  /* a change of the constraint set or of forces: forget what was learned from the last step */
  void (*restart)(hk_formulation *f);
  void (*destroy)(hk_formulation *f);
  /* the rest may be NULL */
  /* first and second rate of the increment at the solution D of the present stage; NULL: they are
   * vh + cv D and ah + ca D in all coordinates */
  hk_status (*stage_rates)(hk_formulation *f, const double *D, double *w, double *wd);
  /* velocities from the rate w of an increment D; NULL: they are the same */
  void (*chart_velocity)(const hk_formulation *f, const double *D, const double *w, double *v);
  /* why the last step failed, in words; NULL or "" when there is nothing to add */
  const char *(*words)(const hk_formulation *f);
  const hk_dae_ops *dae;    /* with HK_CAP_DAE */
  const hk_node_ops *nodes; /* with HK_CAP_NODES */
  /* largest |phi|, |G v + phi_t|, |G a + gamma| over the formulation's own rows at an accepted
   * state; NULL: the closures of the tree are all rows it has */
  void (*drift)(hk_formulation *f, double t, const double *q, const double *v, const double *a,
                double *most);
  /* call the elements that ask for it, at the increment D of the present stage */
  hk_status (*hook)(hk_formulation *f, hk_hook when, const double *D);
  /* true: rows that follow from others are refused before the run starts; NULL: never */
  bool (*independent)(const hk_formulation *f);
  /* why these parameters do not go with an integrator of these needs, and what to do instead; NULL
   * when they do */
  const char *(*refuses)(const void *par, uint32_t needs, const char **hint);
} hk_formulation_ops;

struct hk_formulation {
  const hk_formulation_ops *ops;
  void *shared; /* the machine that formulations of one kind of coordinates share, or NULL */
};

/* --- Newton's iteration on one stage ---------------------------------------------------------- */

typedef struct hk_newton {
  double tolerance; /* on the scaled step and the scaled constraint rows */
  int32_t max_iter;
  int64_t iterations; /* counted over all stages */
  int32_t last;       /* of the last stage */
  int64_t stagnated;  /* stages ended at round-off above the tolerance */
  bool every;         /* a new tangent in every iteration, whatever the formulation says */
} hk_newton;

/* Solves the stage for D (which holds the prediction). work has nv entries. HK_OK or HK_RETRY. */
hk_status hki_newton_solve(hk_newton *n, hk_formulation *f, const hk_stage *st, int32_t nv,
                           double *D, double *work);

/* --- integrators ------------------------------------------------------------------------------ */

typedef struct hk_integrator hk_integrator;

/* who chooses the length of a step */
typedef enum hk_steps {
  HK_STEPS_GIVEN,    /* the caller; an error law, if there is one, lets it control the error */
  HK_STEPS_MEASURED, /* the caller; the step leaves the size of its error in I->err */
  HK_STEPS_OWN       /* the method: it takes one step of at most h and leaves its length in I->h */
} hk_steps;

/* Local error of a step of order p from t to t + h:
 *   q1 - q(t + h) = cq h^(p+1) v^(p),   v1 - v(t + h) = cv h^(p+1) v^(p+1)
 * MEASURED methods give the order of their estimate alone. */
typedef struct hk_error_law {
  int32_t order;
  double cq, cv;
} hk_error_law;

typedef struct hk_integrator_ops {
  const char *name, *text, *source;
  uint32_t needs; /* capability bits of the formulation */
  int32_t order;  /* 0: chosen, as the step, by the local error */
  const hk_param *params;
  size_t par_size;
  /* check parameters; message in buf when they are wrong */
  bool (*prepare)(void *par, uint64_t given, char *buf, size_t cap);
  int32_t nhist; /* vectors of size nv it keeps beyond q, v, a */
  /* q, v, a of the integrator are set: fill the history */
  hk_status (*start)(hk_integrator *I);
  /* from (q, v, a) at t to (q1, v1, a1) at t + h; nothing of the old state is changed */
  hk_status (*step)(hk_integrator *I, double h);
  /* free I->data; NULL: there is none */
  void (*destroy)(hk_integrator *I);
  hk_steps steps;
  /* NULL: nothing is known of the error, steps are as long as the caller wants */
  void (*error)(const hk_integrator *I, double h, hk_error_law *law);
  /* Dense output of the last step. `remember` fills I->dense after a successful step and before it
   * is accepted; `dense` gives the state at the share theta of it, 0 to 1, not projected. NULL: the
   * cubic of Hermite, see hki_hermite_remember. */
  int32_t ndense; /* vectors of size nv in I->dense behind q at the start; 0: those of the cubic */
  void (*remember)(hk_integrator *I, double h);
  hk_status (*dense)(hk_integrator *I, double theta, double *q, double *v);
} hk_integrator_ops;

/* common state of all integrators; lives in the simulation's block */
struct hk_integrator {
  const hk_integrator_ops *ops;
  const void *par;
  hk_formulation *f;
  hk_newton *newton;
  int32_t nq, nv;
  double t;
  /* persistent: the accepted state and the history */
  double *q, *v, *a, *hist; /* nq, nv, nv, nhist x nv */
  /* scratch: the state after the step under way */
  double *q1, *v1, *a1, *hist1, *D, *vh, *ah, *work;
  double h_last; /* persistent: last accepted step (0 = none yet) */
  void *data;    /* of the method, made by start, freed by destroy */
  /* error control: tolerances of methods that measure; what the step under way found */
  double rtol, atol, step_max; /* step_max: 0 = no limit */
  bool controlled;             /* steps whose error is above one will be refused */
  double err, h;               /* scaled error, below one is good; length of the step */
  int64_t refused;             /* steps that a method refused inside */
  /* persistent: dense output of the last step, of length dense_h; NULL: not wanted */
  double *dense, dense_h; /* q at its start, then ops->ndense vectors */
};

/* take over the state of the last successful step */
void hki_integrator_accept(hk_integrator *I, double h);

/* rates w of an increment D that belong to velocities v: J(D) w = v. x: nv entries of scratch */
hk_status hki_chart_rate(const hk_formulation *f, int32_t nv, const double *D, const double *v,
                         double *w, double *x);

/* square of the errors of one coordinate in the scale of the tolerance, for methods that measure
 * and for estimates alike: positions as if their size were one, velocities by the larger of both
 * ends */
static inline double hki_error_square(double rtol, double atol, double eq, double ev, double v,
                                      double v1) {
  const double a = v < 0.0 ? -v : v, b = v1 < 0.0 ? -v1 : v1;
  const double x = eq / (atol + rtol), y = ev / (atol + rtol * (a > b ? a : b));
  return x * x + y * y;
}

/* Dense output of any method, by the cubic of Hermite in the chart of the formulation:
 *   q = q0 (+) D(theta),  v = J(D) dD/dt,  D(0) = 0, D'(0) = v0, D(1) = q1 (-) q0, J(D) D'(1) = v1
 * Accelerations are not used: where a system is stiff they say little about the way. */
enum { HK_HERMITE = 3 };
int32_t hki_interpolate_size(const hk_integrator *I); /* doubles of I->dense */
void hki_interpolate_remember(hk_integrator *I, double h);
hk_status hki_interpolate(hk_integrator *I, double theta, double *q, double *v);
void hki_hermite_remember(hk_integrator *I, double h);
hk_status hki_hermite(hk_integrator *I, double theta, double *q, double *v);

/* --- compatibility ---------------------------------------------------------------------------- */

/* NULL when they fit, else a sentence that says why not and what to use instead (in buf) */
const char *hki_compatible(const hk_formulation_ops *f, const hk_integrator_ops *i, char *buf,
                           size_t cap);

#endif

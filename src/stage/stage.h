/* SPDX-License-Identifier: Apache-2.0
 *
 * stage.h: the interface between formulations and integrators.
 *
 * An implicit stage makes velocity and acceleration affine in one unknown increment D (size nv):
 *
 *   q = q0 (+) D
 *   v = vh + cv D
 *   a = ah + ca D
 *   r = M(q) a + G(q)' lam - Q(t, q, v) = 0       with the constraints at the level of the stage
 *   S = dr/dD = ca M + cv C + K + ...
 *
 * The integrator gives q0, vh, ah, cv, ca. The formulation knows coordinates, multipliers and
 * matrices, and solves. (+), `plus` below, belongs to the formulation: increments of rotations are
 * body-fixed.
 */
#ifndef HK_STAGE_STAGE_H
#define HK_STAGE_STAGE_H

#include "base/base.h"
#include "base/hook.h"
#include "base/params.h"

/* values of the option `tangent` of formulations */
enum { HK_TANGENT_AUTO, HK_TANGENT_MATERIAL, HK_TANGENT_EXACT };

typedef enum hk_level { HK_LEVEL_POS, HK_LEVEL_ACC } hk_level;

typedef struct hk_dims {
  int32_t nq, nv, nl; /* coordinates, velocities, constraint rows */
  /* scalar unknowns among the velocities, the last of them: v is the value, q its integral, which
   * nothing depends on. unit (nx): their typical sizes; INFINITY: solved for, not integrated */
  int32_t nx;
  const double *unit;
  /* nx: an unknown whose own number stands here is none that changes freely: the common value of its
   * group is solved for in place of its rate. NULL: there are none */
  const int32_t *root;
} hk_dims;

/* A stage whose states are momenta p(q, v), with the rates dp/dt = ph + cp p.
 *   q0       the accepted pose
 *   D        parameters of the rotation from q0 (geometry/cayley.h), D' = vh + cv D
 *   v        G'(D) D'
 *   a        ah + ca D, only for coordinates without a momentum */
typedef struct hk_stage_nodes {
  double cp;
  const double *ph; /* nv */
} hk_stage_nodes;

typedef struct hk_stage {
  double t;       /* time of the stage */
  hk_level level; /* level at which the constraints are imposed */
  double cv, ca;
  const double *q0, *vh, *ah; /* nq, nv, nv */
  /* true: vh + cv D and ah + ca D are the first and second time derivative of D, not velocity and
   * acceleration. For rotations these differ; methods of order above 2 need it. */
  bool chart;
  const hk_stage_nodes *nodes; /* momenta as states, with HK_CAP_NODES only; NULL: none */
  /* nv: what the prediction has beyond one that repeats the last step, whose error measures that of this step; such
   * stages may end by the rate of those before (rate.h). NULL: they may not */
  const double *ahead;
} hk_stage;

/* sizes that end the iteration; scaled, so that one tolerance fits every model */
typedef struct hk_norms {
  double step;       /* largest scaled correction */
  double constraint; /* largest scaled constraint row after the correction */
  bool keep_factor;  /* the factor may be used for the next correction too, and saves time */
  bool old_factor;   /* it may be used again, by methods that make one factor a step */
  bool by_rate;      /* the stage may end by the rate of its corrections (newton.c) */
  double
      whole; /* largest scaled sum of the correction and hk_stage.ahead, where that is asked for */
  double
      last; /* asked for: a step up to this may be the last correction, and rows are closed after it */
  bool branched; /* a law is in another branch than at the iterate before */
} hk_norms;

enum {
  HK_PROJECT_POS = 1u,
  HK_PROJECT_VEL = 2u,
  HK_PROJECT_ACC = 4u,
  /* velocities alone, in the mass metric, with a factorisation of its own (events) */
  HK_PROJECT_MASS = 8u
};

/* capability bits, offered by a formulation (caps) and needed by an integrator (needs) */
enum {
  HK_CAP_STAGE_POS = 1u, /* implicit stages with constraints at position level */
  HK_CAP_STAGE_ACC = 2u, /* implicit stages with constraints at acceleration level */
  HK_CAP_ACCEL = 4u,     /* accelerations of a state (explicit methods, starting values) */
  HK_CAP_EXACT = 8u,     /* constraints hold exactly in each stage: projections only compute the
                             dependent coordinates, so histories take the projected accelerations */
  HK_CAP_DAE = 16u,      /* the operations hk_dae_ops */
  HK_CAP_NODES = 32u,    /* the operations hk_node_ops */
  HK_CAP_AHEAD =
      4096u, /* projections do not depend on the iterate of the last tangent, so that stages
                             may begin with predictions that need fewer of them */
  /* needed by models, not by integrators */
  HK_CAP_RATE_ROWS = 64u, /* constraint rows on velocities alone (rolling) */
  HK_CAP_HELD = 128u,     /* massless coordinates held by forces alone (static nodes) */
  HK_CAP_REGULAR = 256u,  /* only where constraints keep their rank: independent coordinates */
  HK_CAP_RATES = 512u,    /* the operations hk_rate_ops */
  HK_CAP_INERTIA = 2048u, /* elements with inertia of their own (bodies with modes) */
  HK_CAP_SERVO = 1024u    /* control constraints: forces along other gradients than the rows' own */
};

typedef struct hk_formulation hk_formulation;

/* kind of an entry of a first-order system; decides whether its error is controlled */
typedef enum hk_dae_kind { HK_DAE_POSITION, HK_DAE_VELOCITY, HK_DAE_MULTIPLIER } hk_dae_kind;

/* Optional: the model as one system F(t, y, y') = 0 of first order, for methods that choose order
 * and step by local error. stabilised: constraints at position and velocity level (index 2), else
 * at position level alone (index 3). */
typedef struct hk_dae_ops {
  int32_t (*size)(const hk_formulation *f, bool stabilised);
  /* kind of each entry, and its unit: absolute tolerances are multiplied by it */
  void (*entries)(const hk_formulation *f, bool stabilised, uint8_t *kind, double *unit);
  /* consistent y, y' of a state, and the state of y, y' */
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

/* Optional: nodes with momenta. Poses are given by Cayley parameters g from a near pose. Vectors
 * other than q have nv entries; velocities v are those of the formulation. */
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

/* Optional: rates of a state, and matrices of their linearisation, for methods that iterate several
 * stages with one matrix. A state is an increment D from the accepted position q0 and its rate w:
 *   A d(dw/dt) = -C dw - K dD                          T = A + g C + g^2 K
 * D, w and all other vectors have nv entries. */
typedef struct hk_rate_ops {
  /* memory for so many stages; outside of steps, more than once */
  hk_status (*allow)(hk_formulation *f, int32_t stages);
  /* A, C, K at a state, and the factor of T; HK_RETRY where that fails */
  hk_status (*matrices)(hk_formulation *f, double t, const double *q0, const double *D,
                        const double *w, double g);
  /* wd = dw/dt of a stage by one solution with its multipliers, which are then updated. first: the
   * first iteration, in which they begin with those of the accepted state and stay. D and w are put
   * onto constraints that the formulation holds exactly. */
  hk_status (*rates)(hk_formulation *f, int32_t stage, bool first, double t, const double *q0,
                     double *D, double *w, double *wd);
  /* y = A u + C w + K z; x = T^-1 x */
  void (*mul)(hk_formulation *f, const double *u, const double *w, const double *z, double *y);
  void (*solve)(hk_formulation *f, double *x);
  /* a change x of D or w along constraints that the formulation holds exactly; NULL: there are none */
  void (*along)(hk_formulation *f, double *x);
} hk_rate_ops;

/* Optional: a stage as one system F = 0 in the unknowns of a correction (increments and multipliers), in
 * the scaling of the formulation; for the iterations of krylov.c */
typedef struct hk_system_ops {
  int32_t (*size)(const hk_formulation *f);
  /* memory for factors that are kept over steps, which checkpoints then hold; outside of steps */
  hk_status (*allow)(hk_formulation *f);
  /* ca of the stage that the last factors belong to; 0: they belong to none, and cannot be kept */
  double (*factored)(const hk_formulation *f);
  /* z = -F at the last `residual`; z = P^-1 z with the last factors, of whichever stage */
  void (*rest)(hk_formulation *f, double *z);
  void (*solve)(hk_formulation *f, double *z);
  /* size of a correction x; D and the multipliers move by s x (x is overwritten) */
  void (*measure)(hk_formulation *f, const double *x, hk_norms *n);
  void (*move)(hk_formulation *f, double *D, double *x, double s);
  /* keeps the multipliers, or puts those kept back */
  void (*hold)(hk_formulation *f, bool put_back);
} hk_system_ops;

/* Optional: sparse matrices of small motions about a state, in which bodies do not turn:
 *   M x'' + C x' + K x = 0      x: variations of all bodies in world axes, then multipliers of all rows
 * by compressed columns of one pattern. A body has up to nd entries: rotation and displacement of its centre of
 * mass (nd = 6), or in a plane the angle about E3 and displacements along E1, E2, the columns of E (nd = 3). */
typedef struct hk_slopes {
  int32_t n, nbodies, nd; /* size; entries of bodies; of one body with rotation */
  /* of each body: component j of nd is entry at + j, if j >= lack (nodes without rotation lack these) */
  int32_t *at, *lack;
  double E[9];
  int32_t *start, *row; /* n + 1, start[n] */
  double *M, *C, *K;    /* start[n] */
  double unit;          /* kg: hk_system_ops divide the equations of bodies by it (and by ca) */
} hk_slopes;
/* How the actuators of servos reach what they shall keep: the transfer from their forces u to the
 * accelerations of the constraints' rows, in the mass metric and on the other constraints, is of the order
 * 1/s^k at high frequencies. k = 0: an actuator acts on its row at once (index 3), k: the motion that it
 * causes does, two differentiations later for k = 2 (index 5). */
typedef struct hk_servo_reach {
  int32_t n;     /* servos */
  int32_t rank;  /* those reached at once: rank of theta_x M^-1 B' */
  int32_t index; /* differential index: 3 + the largest k; 0: above 5, or not reached at all */
  int32_t worst; /* the servo that is reached least, from 0 */
  double gap;    /* what the forces leave of the accelerations asked for, relative */
} hk_servo_reach;

typedef struct hk_formulation_ops {
  const char *name, *text, *source;
  uint32_t caps;
  const hk_param *params;
  void (*dims)(const hk_formulation *f, hk_dims *d);
  void (*plus)(const hk_formulation *f, const double *q, const double *d, double *q_out);
  void (*minus)(const hk_formulation *f, const double *q1, const double *q0, double *d);
  /* Implicit stages: begin once per stage, then residual, factor, correct until the norms are
   * small. `tangent`: factor will follow. Without it the last factor of the stage is used again;
   * the correction before must have set hk_norms.keep_factor or old_factor. */
  hk_status (*begin)(hk_formulation *f, const hk_stage *st);
  hk_status (*residual)(hk_formulation *f, const double *D, bool tangent);
  hk_status (*factor)(hk_formulation *f);
  hk_status (*correct)(hk_formulation *f, double *D, hk_norms *n);
  /* Optional: the tangent of the coming factorisations, exact or the cheaper one that leaves out
   * geometric terms. Returns false where there is nothing to choose (fixed by an option). NULL: the
   * formulation has one tangent only. */
  bool (*choose_tangent)(hk_formulation *f, bool exact);
  /* Optional: the stage has converged at D; completes the entries of D that follow from the others.
   * NULL: there are none. */
  hk_status (*settle)(hk_formulation *f, double *D);
  /* Optional: the private states of elements (elements/state.h) at D, and nothing else. NULL: they
   * are found by `residual`. */
  hk_status (*find_states)(hk_formulation *f, const double *D);
  /* explicit methods: accelerations that satisfy the constraints at acceleration level */
  hk_status (*accel)(hk_formulation *f, double t, const double *q, const double *v, double *a);
  /* moves the state back onto the constraints; after a stage it reuses the last factor. what:
   * HK_PROJECT_... bits */
  hk_status (*project)(hk_formulation *f, double t, double *q, double *v, double *a, uint32_t what);
  /* conversion from and to the coordinates of the model's tree (qt, vt, at) */
  hk_status (*from_tree)(hk_formulation *f, const double *qt, const double *vt, double *q,
                         double *v);
  hk_status (*to_tree)(hk_formulation *f, const double *q, const double *v, const double *a,
                       double *qt, double *vt, double *at);
  /* everything that survives a step (multipliers, penalties): one block of doubles */
  void (*persistent)(hk_formulation *f, double **block, int32_t *n);
  /* Kept pivots of linear solver k, for checkpoints (hki_linsolve_memory): sets *block and returns
   * its length, -1 beyond the last solver. A resumed run fills the blocks and calls solver_recall,
   * so that its factorisations are the same to the last bit. NULL: there are none. */
  int32_t (*solver_memory)(hk_formulation *f, int32_t k, double **block);
  hk_status (*solver_recall)(hk_formulation *f);
  /* the constraint set or the forces have changed: drop data kept from earlier steps */
  void (*restart)(hk_formulation *f);
  void (*destroy)(hk_formulation *f);
  /* the rest may be NULL */
  /* the matrices at the state (t, q, v), with accelerations a, into memory of the pool */
  hk_status (*slopes)(hk_formulation *f, hk_pool *pool, double t, const double *q, const double *v,
                      const double *a, hk_slopes *out);
  /* first and second time derivative of the increment at the solution D of the present stage; NULL:
   * they are vh + cv D and ah + ca D in all coordinates */
  hk_status (*stage_rates)(hk_formulation *f, const double *D, double *w, double *wd);
  /* velocities v = J(D) w from the rate w of an increment D; NULL: v = w */
  void (*chart_velocity)(const hk_formulation *f, const double *D, const double *w, double *v);
  /* why the last step failed, in words; NULL or "" when there is nothing to add */
  const char *(*words)(const hk_formulation *f);
  const hk_dae_ops *dae;       /* with HK_CAP_DAE */
  const hk_node_ops *nodes;    /* with HK_CAP_NODES */
  const hk_rate_ops *rates;    /* with HK_CAP_RATES */
  const hk_system_ops *system; /* NULL: none */
  /* largest |phi|, |G v + phi_t|, |G a + gamma| over the formulation's own rows at an accepted
   * state, in most[3]; NULL: the formulation has no rows besides the closures of the tree */
  void (*drift)(hk_formulation *f, double t, const double *q, const double *v, const double *a,
                double *most);
  /* calls the force elements that have a hook, at the increment D of the present stage */
  hk_status (*hook)(hk_formulation *f, hk_hook when, const double *D);
  /* true: models with redundant constraint rows are refused before the run; NULL: never */
  bool (*independent)(const hk_formulation *f);
  /* Equilibria are searched by accelerations: with `on`, massless freedoms that forces hold have a
   * mass in `accel`, so that theirs are zero where the forces on them balance. With HK_CAP_HELD. */
  void (*still)(hk_formulation *f, bool on);
  /* with HK_CAP_SERVO: the servos of the model at a state on its constraints */
  hk_status (*servo)(hk_formulation *f, double t, const double *q, const double *v,
                     hk_servo_reach *out);
  /* largest index of a servo problem that its stages solve; hint: which option solves more, NULL: none */
  int32_t (*servo_index)(const hk_formulation *f, const char **hint);
  /* how often independent coordinates have been chosen anew so far; NULL: nothing is chosen */
  double (*choices)(const hk_formulation *f);
  /* why these parameters cannot be used with an integrator of these needs, with a hint; NULL when
   * they can */
  const char *(*refuses)(const void *par, uint32_t needs, const char **hint);
} hk_formulation_ops;

struct hk_formulation {
  const hk_formulation_ops *ops;
  void *shared;  /* the machine (src/machines) that the formulation uses */
  void *around;  /* unknowns beside it, whose functions are in `ops` (machines/network/border.h) */
  void *pressed; /* the same for normal forces of friction (machines/friction/normal.h) */
  /* the cheaper tangent knows only some of the forces, a fixed-point iteration for the others; methods that
   * iterate on nothing take the exact one (choose_tangent) */
  bool few_forces;
};

/* --- Newton's iteration on one stage ---------------------------------------------------------- */

/* which tangent the stages use where the formulation leaves the choice (newton.c) */
typedef struct hk_tangent_choice {
  bool exact;   /* the next stage begins with the exact tangent, unless it is a trial */
  int32_t hold; /* stages until the choice is tried again */
  int32_t span; /* length of the last hold; -1: the last stage changed to the exact tangent */
} hk_tangent_choice;

/* corrections of the stages before (rate.h) */
typedef struct hk_newton_rate {
  double first, second; /* of the last stage with several iterations; persistent, as the next two */
  double ca;            /* of that stage */
  double uses;          /* stages that may still end by it */
  double now[2], turns; /* of the present stage: its first two, how many there were */
} hk_newton_rate;

enum { HK_RATE_KEPT = 4 }; /* persistent numbers of it, the first ones */

/* tolerances below this ask for more than one correction */
#define HK_RATE_FINE 1e-10

typedef struct hk_newton {
  double tolerance; /* on the scaled step and the scaled constraint rows */
  int32_t max_iter;
  int64_t iterations;       /* counted over all stages */
  int32_t last;             /* of the last stage; after a step: of all its stages */
  int64_t stagnated;        /* stages ended at round-off above the tolerance */
  bool every;               /* a new tangent in every iteration, whatever the formulation says */
  hk_tangent_choice choice; /* persistent */
  hk_newton_rate rate;
  const volatile int *stop; /* nonzero: HK_RETRY after the present iteration; NULL: never */
  double *kept; /* memory for what the formulation calls persistent; NULL: it has no choice */
  /* iterations of krylov.c, for formulations with hk_system_ops; `space` is NULL where none is wanted */
  bool over_steps;           /* factors are kept over steps */
  bool krylov;               /* corrections by products, with old factors as preconditioner */
  bool line_search;          /* corrections that lead away are shortened */
  bool stale;                /* persistent: the factors have become slow */
  int64_t factors, products; /* counted: factorisations, products */
  double *space;             /* hki_newton_space numbers */
  /* Moments of a stage at the increment D, of formulations that have no `hook` of their own; the next
   * residual evaluates the state again. NULL: nobody asks. */
  hk_status (*hook)(void *user, const hk_stage *st, hk_hook when, const double *D);
  /* The same for programs outside the simulation that take part in the stage; NULL: there are none. */
  hk_status (*peers)(void *user, const hk_stage *st, hk_hook when, const double *D);
  bool waits; /* set by `peers` after an iteration: one of them has not converged */
  void *user;
  /* Steps of bounded cost: iterations after which a stage is accepted as it is; 0: it must converge. */
  int32_t fixed;
  double left; /* size of the last correction of the last stage */
  double
      left_most; /* the largest of those that stages were accepted with before they had converged */
  int64_t taken; /* how many these were */
} hk_newton;

/* Solves the stage for D, which holds the prediction on entry. work: 2 nv doubles. HK_OK, HK_RETRY,
 * or an error (negative). */
hk_status hki_newton_solve(hk_newton *n, hk_formulation *f, const hk_stage *st, int32_t nv,
                           double *D, double *work);

/* numbers that the iterations of krylov.c work in, for a system of this size */
size_t hki_newton_space(const hk_newton *n, int32_t size);
/* the same as hki_newton_solve by these iterations (krylov.c) */
hk_status hki_newton_system(hk_newton *n, hk_formulation *f, const hk_stage *st, int32_t nv,
                            double *D, double *work);
/* calls the force elements that have a hook for this moment of the step, then the peers */
hk_status hki_newton_hook(hk_newton *n, hk_formulation *f, const hk_stage *st, hk_hook when,
                          const double *D);
/* the last iteration that a stage may take has left a correction of this size */
hk_status hki_newton_take(hk_newton *n, hk_formulation *f, const hk_stage *st, double size,
                          const double *D);

/* --- integrators ------------------------------------------------------------------------------ */

typedef struct hk_integrator hk_integrator;

/* who chooses the length of a step */
typedef enum hk_steps {
  HK_STEPS_GIVEN,    /* the caller; it can control the error where the method has an error law */
  HK_STEPS_MEASURED, /* the caller; the step leaves the size of its error in I->err */
  HK_STEPS_OWN       /* the method: it takes one step of at most h and leaves its length in I->h */
} hk_steps;

/* Local error of a step of order p from t to t + h:
 *   q1 - q(t + h) = cq h^(p+1) v^(p)          v^(p): the p-th time derivative of v
 *   v1 - v(t + h) = cv h^(p+1) v^(p+1)
 * HK_STEPS_MEASURED methods give only the order of their estimate. */
typedef struct hk_error_law {
  int32_t order;
  double cq, cv;
} hk_error_law;

typedef struct hk_integrator_ops {
  const char *name, *text, *source;
  uint32_t needs; /* capability bits of the formulation */
  /* those that these parameters need beside them, with the options in words; NULL: none */
  uint32_t (*needs_more)(const void *par, const char **options);
  int32_t order;  /* 0: chosen, as the step, by the local error */
  int32_t stages; /* of a step, which are iterated on; 0: one */
  bool once;      /* corrections are as many as the parameters say: nothing is iterated */
  /* explicit methods with given steps: stable for h times a decay rate up to this; 0: no limit */
  double stable;
  const hk_param *params;
  size_t par_size;
  /* stands first in the parameters of an integrator that a module brings, in HK_SELF bytes; NULL:
   * nothing does */
  const void *self;
  /* check parameters; message in buf when they are wrong */
  bool (*prepare)(void *par, uint64_t given, char *buf, size_t cap);
  /* do errors of quantities that follow from algebraic equations die out from step to step with these
   * parameters? NULL: they do not */
  bool (*damps)(const void *par);
  int32_t nhist; /* vectors of size nv in the history, besides q, v, a */
  /* fill the history; q, v, a of the integrator are set */
  hk_status (*start)(hk_integrator *I);
  /* step from (q, v, a) at t to (q1, v1, a1) at t + h; the old state is not changed */
  hk_status (*step)(hk_integrator *I, double h);
  /* free I->data; NULL: the method has none */
  void (*destroy)(hk_integrator *I);
  hk_steps steps;
  /* error law at a step h; NULL: not known, no error control */
  void (*error)(const hk_integrator *I, double h, hk_error_law *law);
  /* Dense output of the last step. `remember` fills I->dense after a successful step, before it is
   * accepted; `dense` gives the state at t + theta h, theta from 0 to 1, not projected. NULL: the
   * Hermite cubic, see hki_hermite. */
  int32_t ndense; /* vectors of size nv in I->dense after q; 0: HK_HERMITE, those of the cubic */
  void (*remember)(hk_integrator *I, double h);
  hk_status (*dense)(hk_integrator *I, double theta, double *q, double *v);
} hk_integrator_ops;

/* iterations in sweeps: a sweep is one iteration of each stage */
static inline int64_t hki_sweeps(const hk_integrator_ops *ops, int64_t iterations) {
  const int32_t n = ops->stages > 1 ? ops->stages : 1;
  return (iterations + n - 1) / n;
}

/* common state of all integrators; lives in the simulation's block */
struct hk_integrator {
  const hk_integrator_ops *ops;
  const void *par;
  hk_formulation *f;
  hk_newton *newton;
  int32_t nq, nv;
  int32_t nx;         /* scalar unknowns, the last velocities */
  const double *unit; /* nx: their typical sizes (hk_dims) */
  double t;
  /* persistent: the accepted state and the history */
  double *q, *v, *a, *hist; /* nq, nv, nv, nhist x nv */
  /* scratch: the state after the step under way */
  double *q1, *v1, *a1, *hist1, *D, *vh, *ah, *work;
  double h_last; /* persistent: last accepted step (0 = none yet) */
  void *data;    /* of the method, made by start, freed by destroy */
  /* error control: tolerances of methods that measure their error; results of the last step */
  double rtol, atol, step_max; /* step_max: 0 = no limit */
  bool controlled;             /* the caller refuses steps with err > 1 */
  double err, h;               /* scaled error, at most 1 is good; length of the step */
  int64_t refused;             /* steps refused inside the method */
  /* persistent: dense output of the last step, of length dense_h: q at its start, then ndense
   * vectors. NULL: not needed */
  double *dense, dense_h;
};

/* take over the state of the last successful step */
void hki_integrator_accept(hk_integrator *I, double h);

/* Rates w of an increment D from velocities v: solves J(D) w = v. x: nv entries of scratch.
 * HK_RETRY when D is too large for the chart. */
hk_status hki_chart_rate(const hk_formulation *f, int32_t nv, const double *D, const double *v,
                         double *w, double *x);

/* Sum of the squares of both scaled errors of coordinate i:
 *   eq / (atol + rtol)               position, as if its size were 1 m or 1 rad
 *   ev / (atol + rtol max(|v|, |v1|))  velocity, v and v1 at both ends of the step
 * Of a scalar unknown only the value counts, as large as its unit at least; twice, so that it weighs
 * as much as a coordinate:
 *   ev / (unit atol + rtol max(|v|, |v1|)) */
static inline double hki_error_square(const hk_integrator *I, double rtol, double atol, int32_t i,
                                      double eq, double ev, double v1) {
  const int32_t scalar = i - (I->nv - I->nx);
  const double v = I->v[i], a = v < 0.0 ? -v : v, b = v1 < 0.0 ? -v1 : v1, most = a > b ? a : b;
  if (scalar >= 0 && I->unit[scalar] > 1e300) return 0.0;
  if (scalar >= 0) {
    const double z = ev / (I->unit[scalar] * atol + rtol * most);
    return 2.0 * z * z;
  }
  const double x = eq / (atol + rtol), y = ev / (atol + rtol * most);
  return x * x + y * y;
}

/* Dense output of any method: its own, or the Hermite cubic (interpolate.c) in the chart of the
 * formulation:
 *   q = q0 (+) D(theta)      D(0) = 0       D(1) = q1 (-) q0
 *   v = J(D) dD/dt           dD/dt = v0 at the start, J(D) dD/dt = v1 at the end */
enum { HK_HERMITE = 3 };
int32_t hki_interpolate_size(const hk_integrator *I); /* doubles of I->dense */
void hki_interpolate_remember(hk_integrator *I, double h);
hk_status hki_interpolate(hk_integrator *I, double theta, double *q, double *v);
void hki_hermite_remember(hk_integrator *I, double h);
hk_status hki_hermite(hk_integrator *I, double theta, double *q, double *v);

/* --- tables ----------------------------------------------------------------------------------- */

/* what a table lacks of that its capabilities make necessary; NULL: nothing */
const char *hki_formulation_fault(const hk_formulation_ops *ops);
const char *hki_integrator_fault(const hk_integrator_ops *ops);

/* --- compatibility ---------------------------------------------------------------------------- */

/* what a formulation lacks, as words for a message: "accelerations of a given state" */
const char *hki_need_words(uint32_t missing);
/* NULL when they fit, else a sentence in buf (cap bytes) that says why not */
const char *hki_compatible(const hk_formulation_ops *f, const hk_integrator_ops *i, char *buf,
                           size_t cap);

#endif

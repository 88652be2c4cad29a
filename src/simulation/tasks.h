/* SPDX-License-Identifier: Apache-2.0
 *
 * tasks.h: a mechanism that does what tasks ask for: positions, velocities and accelerations over time.
 *
 *   phi(q, t) = 0                loops, prescribed motions
 *   theta(q) = alpha(t)          tasks
 *   min C(q, t)                  costs, along the directions that both leave free
 *
 * Everything is in tree coordinates, the same for every formulation; increments are in units of radians and of the
 * mechanism's length. Signals of time count as their Taylor polynomials at the present time, so that derivatives
 * by differences never look beyond a table's end. (Fumagalli and Masarati, Efficient Application of Gauss'
 * Principle to Generic Mechanical Systems, 2011; Masarati, Morandini and Mantegazza, An Efficient Formulation for
 * General-Purpose Multibody/Multiphysics Analysis, 2014, eqs. 26.)
 */
#ifndef HK_SIMULATION_TASKS_H
#define HK_SIMULATION_TASKS_H

#include "hooke/eval.h"
#include "simulation/evaluation.h"

/* all rows and the gradient of the cost at one place */
typedef struct hk_task_rows {
  double *phi, *phit; /* n: values, partial time derivatives */
  double *G;          /* n x nv, column-major, in units */
  double *c;          /* nv: gradient of the cost, in units */
} hk_task_rows;

/* freedoms of the mechanism, and what fixes them, at one time */
typedef struct hk_task_count {
  int32_t freedoms;                      /* of the mechanism without prescribed motions and tasks */
  int32_t motions, tasks, costs, metric; /* of them fixed by each; their sum is `freedoms` */
  int32_t implied;                       /* rows of tasks that others imply */
} hk_task_count;

typedef struct hk_tasks {
  hk_ctx *ctx;
  hk_model *m;
  hk_eval *e;
  hk_pool *pool;
  const hk_spec_inverse *in;
  int32_t nv, n, ntasks; /* n: all rows: closures, then the ntasks of tasks */
  double t, step;        /* present time; time between rows */
  bool started;
  double *jet;                 /* nsignals x 3: values, rates, accelerations at t */
  double *q, *v, *a;           /* nq, nv, nv: what was found at t, of the tree */
  double *last_a;              /* nv: accelerations one step before */
  double *before_q, *before_v; /* nq, nv: position and velocities one step before */
  int32_t *fixed_axis; /* in->ntasks: axis of the world that rows of an axis are built with */
  hk_task_rows here, there;
  double *S, *U, *V, *sv; /* singular values of G: n x nv copy, nv x nv, nv */
  int32_t rank;
  double *lam; /* n: multipliers */
  double *M, *H, *Hv,
      *Hs;      /* nv x nv each but Hs: mass, reduced Hessian, its singular vectors and values */
  double *x[8]; /* nv each: scratch */
  double *qs, *qp, *tried, *predicted; /* nq each: scratch */
  double *descent;                     /* nv: scratch */
  double *zero;                        /* nv zeros */
  const hk_trace *trace;               /* energies of forces */
  const hk_spec_task
      *backward;       /* of the last rows: a task whose axes are turned by more than 90 degrees */
  hk_task_count count; /* at the present time */
} hk_tasks;

/* tasks of the model's section `inverse`, at its start; step: time between rows */
hk_status hki_tasks_create(hk_ctx *ctx, hk_model *m, double step, hk_tasks **out);
void hki_tasks_destroy(hk_tasks *k);
/* q, v, a at time t, from those found before. HK_E_MODEL: tasks contradict each other; HK_E_ASSEMBLY: they cannot be
 * done from the start; HK_E_DIVERGED: not from here on; each with a message. */
hk_status hki_tasks_find(hk_tasks *k, double t);

/* rows and cost at q (nq) and time t + s (tasks_rows.c, task_costs.c) */
void hki_tasks_rows(hk_tasks *k, const double *q, double s, hk_task_rows *out);
void hki_tasks_costs(hk_tasks *k, const double *q, double s, double *c);
/* the cost itself at q and time t */
double hki_tasks_cost(hk_tasks *k, const double *q);
/* the machine at q and time t + s */
void hki_tasks_place(hk_tasks *k, const double *q, double s);
/* out = q (+) f d, d in units; q and out may be the same */
void hki_tasks_plus(hk_tasks *k, const double *q, double f, const double *d, double *out);
/* the gradient of a signal, or of a force's energy (signal HK_NONE), in units, by differences of order six */
void hki_tasks_slope(hk_tasks *k, const double *q, double s, int32_t signal, int32_t force,
                     double *g);
double hki_tasks_value(hk_tasks *k, int32_t signal, int32_t force);
double hki_tasks_given(const hk_tasks *k, const hk_spec_given *g);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * bdf_ida.c: backward difference formulas of variable order and step, by SUNDIALS IDA, for
 * formulations that give the model as one system of first order (hk_dae_ops).
 *
 * IDA keeps the local error of positions and velocities below rtol |y| + atol unit by choosing
 * order (1 to 5) and step. States within a step come from its polynomial. Multipliers are not in
 * the error test; with constraints at position level alone (index 3) velocities are not either,
 * since their error estimates do not shrink with the step there. The formulation solves the linear
 * systems.
 *
 * The history is inside IDA. After events, jumps, failed steps and in resumed runs it starts anew
 * with order 1 and a small step. A resumed run takes the rows within the step that it was saved in
 * from the Hermite cubic (stage/interpolate.c).
 *
 * Sources: Brenan, Campbell and Petzold 1996; Hindmarsh et al. 2005 (SUNDIALS); Gear, Leimkuhler
 * and Gupta 1985 for the stabilised form.
 */
#include <stdio.h>
#include <string.h>

#include "integrators/integrator.h"

typedef struct bdf_par {
  int32_t form; /* 0 stabilised, 1 index 3 */
  int32_t max_order;
} bdf_par;

#ifdef HK_WITH_SUNDIALS
#include <ida/ida.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

typedef struct bdf_data {
  hk_formulation *f;
  bool stabilised, fresh; /* fresh: IDA must be started anew */
  bool polynomial;        /* IDA has the polynomial of the last step */
  double t;               /* time that IDA has reached */
  SUNContext ctx;
  void *ida;
  N_Vector y, yp, z, zp, atol, id; /* z, zp: within the step */
  SUNMatrix A;
  SUNLinearSolver ls;
  long iterations, refused;
  uint8_t *kind; /* of each entry, hk_dae_kind */
} bdf_data;

/* --- vectors made in advance ---------------------------------------------------------------------
 *
 * IDA copies a vector about 25 times when it is made, and does not survive it when memory runs out
 * then. So the copies are made before, where a failure can be seen, and handed out. */
enum { SPARES = 40 };
typedef struct spares {
  int32_t n;
  N_Vector list[SPARES];
} spares;
static _Thread_local spares *store; /* NULL: copies are made as they are wanted */

static N_Vector clone(N_Vector like) {
  return store && store->n ? store->list[--store->n] : N_VClone_Serial(like);
}

static bool fill(spares *s, N_Vector like) {
  for (; s->n < SPARES; s->n++)
    if (!(s->list[s->n] = N_VClone_Serial(like))) return false;
  return true;
}

static void empty(spares *s) {
  while (s->n) N_VDestroy(s->list[--s->n]);
}

/* --- functions for IDA ------------------------------------------------------------------------ */

/* return value for IDA: 0 good, 1 recoverable, -1 fatal */
static int answer(hk_status s) { return s == HK_OK ? 0 : s < 0 ? -1 : 1; }

static int residual(realtype t, N_Vector y, N_Vector yp, N_Vector r, void *user) {
  bdf_data *d = user;
  return answer(
      d->f->ops->dae->residual(d->f, d->stabilised, t, NV_DATA_S(y), NV_DATA_S(yp), NV_DATA_S(r)));
}

/* does nothing: solver_solve makes and factors the matrix */
static int jacobian(realtype t, realtype cj, N_Vector y, N_Vector yp, N_Vector r, SUNMatrix A,
                    void *user, N_Vector a, N_Vector b, N_Vector c) {
  (void)t, (void)cj, (void)y, (void)yp, (void)r, (void)A, (void)user, (void)a, (void)b, (void)c;
  return 0;
}

/* matrix and linear solver as IDA sees them: empty, the formulation does the work */
static SUNMatrix_ID matrix_id(SUNMatrix A) {
  (void)A;
  return SUNMATRIX_CUSTOM;
}
static int matrix_zero(SUNMatrix A) {
  (void)A;
  return 0;
}
static SUNLinearSolver_Type solver_type(SUNLinearSolver s) {
  (void)s;
  return SUNLINEARSOLVER_DIRECT;
}
static int solver_setup(SUNLinearSolver s, SUNMatrix A) {
  (void)s, (void)A;
  return 0;
}
/* Solve with derivatives at the present iterate. IDA expects to keep derivatives over several
 * steps, and it accepts the first correction of a step when earlier iterations converged fast. With
 * exact derivatives they do, but with constraints only while the derivatives are new: kept ones
 * would give wrong corrections. */
static int solver_solve(SUNLinearSolver s, SUNMatrix A, N_Vector x, N_Vector b, realtype tol) {
  bdf_data *d = s->content;
  N_Vector y0, yp0, y, yp, r;
  realtype t, cj;
  void *user;
  (void)A, (void)tol;
  if (IDAGetNonlinearSystemData(d->ida, &t, &y0, &yp0, &y, &yp, &r, &cj, &user) != IDA_SUCCESS)
    return -1;
  hk_status st = d->f->ops->dae->factor(d->f, d->stabilised, t, cj, NV_DATA_S(y), NV_DATA_S(yp));
  if (st != HK_OK) return answer(st);
  memcpy(NV_DATA_S(x), NV_DATA_S(b), (size_t)NV_LENGTH_S(b) * sizeof(double));
  return answer(d->f->ops->dae->solve(d->f, NV_DATA_S(x)));
}

static void quiet(int code, const char *module, const char *function, char *text, void *user) {
  (void)code, (void)module, (void)function, (void)text, (void)user;
}

static void release(bdf_data *d) {
  if (d->ida) IDAFree(&d->ida);
  if (d->ls) SUNLinSolFreeEmpty(d->ls);
  if (d->A) SUNMatFreeEmpty(d->A);
  N_VDestroy(d->y);
  N_VDestroy(d->yp);
  N_VDestroy(d->z);
  N_VDestroy(d->zp);
  N_VDestroy(d->atol);
  N_VDestroy(d->id);
  if (d->ctx) SUNContext_Free(&d->ctx);
  free(d->kind);
  free(d);
}

/* tolerances and kinds of all entries; where something switches a storage, kinds change */
static void describe(bdf_data *d, double share) {
  double *atol = NV_DATA_S(d->atol), *id = NV_DATA_S(d->id);
  d->f->ops->dae->entries(d->f, d->stabilised, d->kind, atol);
  for (int32_t i = 0; i < NV_LENGTH_S(d->id); i++) {
    atol[i] *= share;
    id[i] = d->kind[i] == HK_DAE_POSITION || (d->stabilised && d->kind[i] == HK_DAE_VELOCITY);
  }
}

static bool make_solver(bdf_data *d) {
  d->A = SUNMatNewEmpty(d->ctx);
  d->ls = SUNLinSolNewEmpty(d->ctx);
  if (!d->A || !d->ls) return false;
  d->A->ops->getid = matrix_id;
  d->A->ops->zero = matrix_zero;
  d->ls->ops->gettype = solver_type;
  d->ls->ops->setup = solver_setup;
  d->ls->ops->solve = solver_solve;
  d->ls->content = d;
  return true;
}

static bool make_ida(bdf_data *d, const hk_integrator *I) {
  const bdf_par *p = I->par;
  d->ida = IDACreate(d->ctx);
  return d->ida && IDAInit(d->ida, residual, I->t, d->y, d->yp) == IDA_SUCCESS &&
         IDASetErrHandlerFn(d->ida, quiet, NULL) == IDA_SUCCESS &&
         IDASetUserData(d->ida, d) == IDA_SUCCESS &&
         IDASVtolerances(d->ida, I->rtol, d->atol) == IDA_SUCCESS &&
         IDASetId(d->ida, d->id) == IDA_SUCCESS &&
         IDASetSuppressAlg(d->ida, SUNTRUE) == IDA_SUCCESS &&
         IDASetMaxOrd(d->ida, p->max_order) == IDA_SUCCESS &&
         IDASetMaxNumSteps(d->ida, 200000) == IDA_SUCCESS &&
         (!(I->step_max > 0.0) || IDASetMaxStep(d->ida, I->step_max) == IDA_SUCCESS) &&
         // the factor always belongs to the present cj: corrections need no scaling
         IDASetDeltaCjLSetup(d->ida, 0.0) == IDA_SUCCESS && make_solver(d) &&
         IDASetLinearSolver(d->ida, d->ls, d->A) == IDA_SUCCESS &&
         IDASetJacFn(d->ida, jacobian) == IDA_SUCCESS;
}

/* all six vectors, copied by `clone` */
static bool make_vectors(bdf_data *d, int32_t n) {
  N_Vector *const all[] = {&d->y, &d->yp, &d->z, &d->zp, &d->atol, &d->id};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    if (!(*all[i] = N_VNew_Serial(n, d->ctx))) return false;
    (*all[i])->ops->nvclone = clone;
  }
  return true;
}

/* IDA with its vectors, which are made in advance */
static bool make_all(bdf_data *d, const hk_integrator *I) {
  spares s = {0};
  bool ok = fill(&s, d->y);
  store = &s;
  ok = ok && make_ida(d, I);
  store = NULL;
  empty(&s);
  return ok;
}

static hk_status create(hk_integrator *I) {
  const bdf_par *p = I->par;
  bdf_data *d = calloc(1, sizeof *d);
  if (!d) return HK_E_MEMORY;
  I->data = d;
  d->f = I->f;
  d->stabilised = p->form == 0;
  const int32_t n = I->f->ops->dae->size(I->f, d->stabilised);
  if (SUNContext_Create(NULL, &d->ctx)) return HK_E_MEMORY;
  d->kind = malloc((size_t)n + 1);
  if (!d->kind || !make_vectors(d, n)) return HK_E_MEMORY;
  describe(d, I->atol);
  hk_status s = I->f->ops->dae->pack(I->f, d->stabilised, I->t, I->q, I->v, NV_DATA_S(d->y),
                                     NV_DATA_S(d->yp));
  if (s != HK_OK) return s;
  return make_all(d, I) ? HK_OK : HK_E_MEMORY;
}

static hk_status bdf_start(hk_integrator *I) {
  hk_status s = I->data ? HK_OK : create(I);
  if (s == HK_OK) ((bdf_data *)I->data)->fresh = true;
  return s;
}

static const double longest_first = 1e-4; /* s; the limit of 0.01 h never goes below this */

/* First step, of order 1, from the time h left to go: its local error h^2 a/2 is a quarter of the
 * tolerance. A shorter one would do harm: IDA forms rates as differences of positions, with their
 * round-off divided by h. A system at rest gives no scale, hence the limit h/100. */
static double first_step(const hk_integrator *I, const bdf_data *d, double h) {
  const double *unit = NV_DATA_S(d->atol) + I->nq, *a = NV_DATA_S(d->yp) + I->nq;
  h = fmin(h, fmax(0.01 * h, longest_first));
  for (int32_t i = 0; i < I->nv; i++)
    h = fmin(h, sqrt(0.5 * (I->rtol + I->atol) * unit[i] / (I->atol * fmax(fabs(a[i]), 1e-12))));
  return h;
}

/* start IDA anew from the accepted state */
static hk_status begin(hk_integrator *I, double h) {
  bdf_data *d = I->data;
  hk_status s = I->f->ops->dae->pack(I->f, d->stabilised, I->t, I->q, I->v, NV_DATA_S(d->y),
                                     NV_DATA_S(d->yp));
  if (s != HK_OK) return s == HK_E_NUMBER ? HK_RETRY : s;
  describe(d, I->atol);
  if (IDASetId(d->ida, d->id) != IDA_SUCCESS ||
      IDAReInit(d->ida, I->t, d->y, d->yp) != IDA_SUCCESS ||
      IDASetInitStep(d->ida, first_step(I, d, h)) != IDA_SUCCESS)
    return HK_RETRY;
  d->iterations = d->refused = 0;
  d->fresh = d->polynomial = false;
  return HK_OK;
}

/* add the iterations and refused steps that IDA has counted since the last step */
static void count(hk_integrator *I) {
  bdf_data *d = I->data;
  long iterations = 0, tests = 0, failures = 0;
  IDAGetNumNonlinSolvIters(d->ida, &iterations);
  IDAGetNumErrTestFails(d->ida, &tests);
  IDAGetNumNonlinSolvConvFails(d->ida, &failures);
  I->newton->last = (int32_t)(iterations - d->iterations);
  I->newton->iterations += iterations - d->iterations;
  I->refused += tests + failures - d->refused;
  d->iterations = iterations;
  d->refused = tests + failures;
}

/* one step of IDA, which ends at I->t + h at the latest */
static hk_status bdf_step(hk_integrator *I, double h) {
  bdf_data *d = I->data;
  double reached = I->t;
  hk_status s = HK_OK;
  if (d->fresh || d->t != I->t) s = begin(I, h);
  if (s != HK_OK) return s;
  d->fresh = true;
  int flag = IDASetStopTime(d->ida, I->t + h);
  if (flag == IDA_SUCCESS) flag = IDASolve(d->ida, I->t + h, &reached, d->y, d->yp, IDA_ONE_STEP);
  count(I);
  if (flag < 0 || !(reached > I->t)) return HK_RETRY;
  d->fresh = false;
  d->polynomial = true;
  d->t = reached;
  I->h = flag == IDA_TSTOP_RETURN ? h : reached - I->t;
  I->err = 0.0;
  I->f->ops->dae->unpack(I->f, NV_DATA_S(d->y), NV_DATA_S(d->yp), I->q1, I->v1, I->a1);
  s = I->f->ops->project(I->f, reached, I->q1, I->v1, I->a1, 0);
  if (s == HK_OK) s = I->f->ops->accel(I->f, reached, I->q1, I->v1, I->a1);
  return s == HK_E_NUMBER ? HK_RETRY : s;
}

static hk_status bdf_dense(hk_integrator *I, double theta, double *q, double *v) {
  bdf_data *d = I->data;
  if (!d->polynomial) return hki_hermite(I, theta, q, v);
  const double t = d->t - (1.0 - theta) * I->dense_h;
  if (IDAGetDky(d->ida, t, 0, d->z) != IDA_SUCCESS || IDAGetDky(d->ida, t, 1, d->zp) != IDA_SUCCESS)
    return HK_RETRY;
  I->f->ops->dae->unpack(I->f, NV_DATA_S(d->z), NV_DATA_S(d->zp), q, v, I->work);
  return HK_OK;
}

static void bdf_destroy(hk_integrator *I) {
  if (I->data) release(I->data);
  I->data = NULL;
}

#define bdf_prepare hki_nothing_to_choose
#else
static hk_status bdf_start(hk_integrator *I) {
  (void)I;
  return HK_E_METHOD;
}
static hk_status bdf_step(hk_integrator *I, double h) {
  (void)I, (void)h;
  return HK_E_METHOD;
}
static hk_status bdf_dense(hk_integrator *I, double theta, double *q, double *v) {
  return hki_hermite(I, theta, q, v);
}
static void bdf_destroy(hk_integrator *I) { (void)I; }

static bool bdf_prepare(void *par, uint64_t given, char *buf, size_t cap) {
  (void)par, (void)given;
  snprintf(buf, cap, "this build is without SUNDIALS (HK_WITH_SUNDIALS=OFF)");
  return false;
}
#endif

/* IDA controls the error itself; only an order is asked for */
static void bdf_error(const hk_integrator *I, double h, hk_error_law *law) {
  (void)I, (void)h;
  *law = (hk_error_law){.order = 1};
}

/* clang-format off */
static const hk_param params[] = {
  {"index", HK_P_CHOICE, 0, offsetof(bdf_par, form), 0, 0, 0, "", "stabilised three",
   "stabilised: constraints at position and velocity level; three: at position level alone, velocities not controlled"},
  {"max_order", HK_P_INT, 0, offsetof(bdf_par, max_order), 5, 1, 5, "", NULL,
   "highest order of the formulas"},
  HK_PARAM_END};
/* clang-format on */

const hk_integrator_ops hki_integrator_bdf = {
    .name = "bdf",
    .text = "backward difference formulas, order and step by local error (SUNDIALS IDA)",
    .source = "Brenan, Campbell and Petzold 1996; Hindmarsh et al. 2005",
    .needs = HK_CAP_DAE | HK_CAP_ACCEL,
    .order = 0,
    .params = params,
    .par_size = sizeof(bdf_par),
    .prepare = bdf_prepare,
    .nhist = 0,
    .start = bdf_start,
    .step = bdf_step,
    .destroy = bdf_destroy,
    .steps = HK_STEPS_OWN,
    .error = bdf_error,
    .dense = bdf_dense,
};

/* SPDX-License-Identifier: Apache-2.0
 *
 * dirk.c: singly diagonally implicit Runge-Kutta methods with the constraints at acceleration
 * level.
 *
 * The unknowns of a step are the increment D from the accepted position and its rate w. With W_j
 * and A_j the rates of D and w at stage j, and s = a_ii, stage i is
 *
 *   D_i = dh + h s W_i          dh = h sum_j<i a_ij W_j
 *   W_i = vb + h s A_i          vb = v + h sum_j<i a_ij A_j
 *
 * in stage form, as functions of D_i alone,
 *
 *   cv = 1/(h s)                ca = cv^2
 *   vh = -cv dh                 ah = cv (vh - vb)
 *
 * and after the last stage
 *
 *   q1 = q (+) h sum b_i W_i
 *   w1 = v + h sum b_i A_i
 *
 * The formulation converts the rate w1 to velocities. Positions and velocities are then projected
 * onto the constraints, and the accelerations are solved for.
 *
 * The stages are solved one after the other by the iteration of newton.c. The published iteration,
 * with both stages together and one matrix a step, is in dirk_sweeps.c; the solution is the same.
 *
 * Sources: Norsett 1974; Hairer and Wanner, Solving ODEs II, IV.6; Dopico, Lugris, Gonzalez and
 * Cuadrado 2005.
 */
#include <string.h>

#include "integrators/dirk.h"

static const hk_tableau tableaux[] = {
#define X(name, stages, order, a, l, stiff, ...) {#name, stages, order, a, l, stiff, __VA_ARGS__},
#include "integrators/tableaux.def"
#undef X
};

int32_t hki_tableau_count(void) { return HK_ARRAY_LEN(tableaux); }
const hk_tableau *hki_tableau_at(int32_t i) { return &tableaux[i]; }

static double *rate(hk_integrator *I, int32_t stage, int32_t which) {
  return hki_dirk_vector(I, stage, which);
}

/* the stages are solved in dirk_sweeps.c */
static bool sweeps(const hk_dirk_par *par) {
  return par->iteration != HK_DIRK_STAGES || par->matrix != HK_DIRK_STAGE;
}

static hk_status dirk_start(hk_integrator *I) {
  const hk_dirk_par *par = I->par;
  return sweeps(par) ? I->f->ops->rates->allow(I->f, tableaux[par->gamma].stages) : HK_OK;
}

/* vh, ah and the prediction of D for stage i */
static void prepare_stage(hk_integrator *I, const hk_tableau *T, int32_t i, double h) {
  const double *A = T->A + i * T->stages, cv = 1.0 / (h * A[i]);
  for (int32_t k = 0; k < I->nv; k++) {
    double dh = 0.0, vb = I->v[k], a = I->a[k];
    for (int32_t j = 0; j < i; j++) {
      dh += h * A[j] * rate(I, j, HK_DIRK_W)[k];
      vb += h * A[j] * rate(I, j, HK_DIRK_A)[k];
    }
    I->vh[k] = -cv * dh;
    I->ah[k] = cv * (I->vh[k] - vb);
    I->D[k] = dh + h * A[i] * (vb + h * A[i] * a);
  }
}

static hk_status solve_stage(hk_integrator *I, const hk_tableau *T, int32_t i, double h) {
  const double cv = 1.0 / (h * T->A[i * T->stages + i]), ca = cv * cv;
  double *W = rate(I, i, HK_DIRK_W), *A = rate(I, i, HK_DIRK_A);
  prepare_stage(I, T, i, h);
  const hk_stage st = {
      I->t + T->c[i] * h, HK_LEVEL_ACC, cv, ca, I->q, I->vh, I->ah, true, NULL, NULL};
  hk_status s = hki_newton_solve(I->newton, I->f, &st, I->nv, I->D, I->work);
  if (s != HK_OK) return s;
  if (I->f->ops->stage_rates) return I->f->ops->stage_rates(I->f, I->D, W, A);
  for (int32_t k = 0; k < I->nv; k++) {
    W[k] = I->vh[k] + cv * I->D[k];
    A[k] = I->ah[k] + ca * I->D[k];
  }
  return HK_OK;
}

/* the stages one after the other; leaves the increment of the step in D and its rate in v1 */
static hk_status solve_stages(hk_integrator *I, const hk_tableau *T, double h) {
  int32_t iterations = 0;
  for (int32_t i = 0; i < T->stages; i++) {
    hk_status s = solve_stage(I, T, i, h);
    if (s != HK_OK) return s;
    iterations += I->newton->last;
  }
  I->newton->last = iterations;
  for (int32_t k = 0; k < I->nv; k++) {
    I->D[k] = 0.0;
    I->v1[k] = I->v[k];
    for (int32_t i = 0; i < T->stages; i++) {
      I->D[k] += h * T->b[i] * rate(I, i, HK_DIRK_W)[k];
      I->v1[k] += h * T->b[i] * rate(I, i, HK_DIRK_A)[k];
    }
  }
  return HK_OK;
}

static hk_status dirk_step(hk_integrator *I, double h) {
  const hk_dirk_par *par = I->par;
  const hk_tableau *T = &tableaux[par->gamma];
  const hk_formulation_ops *ops = I->f->ops;
  const double t1 = I->t + h;
  hk_status s = sweeps(par) ? hki_dirk_sweeps(I, T, h) : solve_stages(I, T, h);
  if (s != HK_OK) return s;
  ops->plus(I->f, I->q, I->D, I->q1);
  if (ops->chart_velocity) ops->chart_velocity(I->f, I->D, I->v1, I->v1);
  memcpy(I->a1, I->a, (size_t)I->nv * sizeof *I->a1);
  s = ops->project(I->f, t1, I->q1, I->v1, I->a1, HK_PROJECT_POS | HK_PROJECT_VEL);
  if (s != HK_OK) return s;
  s = ops->accel(I->f, t1, I->q1, I->v1, I->a1);
  return s == HK_E_NUMBER ? HK_RETRY : s;
}

/* Error constant: the difference to exp(z) in the first power of z where the stability function
 *   R(z) = (1 + (1 - 2 s) z + (1/2 - 2 s + s^2) z^2)/(1 - s z)^2
 * differs. Exact for linear systems, used for all. */
static void dirk_error(const hk_integrator *I, double h, hk_error_law *law) {
  const hk_tableau *T = &tableaux[((const hk_dirk_par *)I->par)->gamma];
  const double s = T->A[0], n = T->order + 1.0, b = 1.0 - 2.0 * s, c = 0.5 - 2.0 * s + s * s;
  const double s2 = T->order == 3 ? s * s : s; // s^(n - 2)
  (void)h;
  law->order = T->order;
  law->cq = law->cv = s2 * ((n + 1.0) * s * s + b * n * s + c * (n - 1.0)) -
                      (T->order == 3 ? 1.0 / 24.0 : 1.0 / 6.0);
}

static bool dirk_prepare(void *par, uint64_t given, char *buf, size_t cap) {
  (void)par, (void)given, (void)buf, (void)cap;
  return true;
}

static uint32_t dirk_needs_more(const void *par, const char **options) {
  *options = "iteration: simultaneous or matrix: start";
  return sweeps(par) ? HK_CAP_RATES : 0;
}

/* clang-format off */
static const hk_param params[] = {
  {"gamma", HK_P_CHOICE, 0, offsetof(hk_dirk_par, gamma), 0, 0, 0, "",
   "a_stable3 accurate3 l_stable2",
   "diagonal of the method: a_stable3 (3 + sqrt 3)/6, order 3; accurate3 (3 - sqrt 3)/6, order 3, "
   "small errors, small stability region; l_stable2 1 - sqrt(2)/2, order 2, damps stiff parts"},
  {"iteration", HK_P_CHOICE, 0, offsetof(hk_dirk_par, iteration), 0, 0, 0, "",
   "stages simultaneous",
   "stages: one after the other, each to convergence; simultaneous: corrections of all stages in "
   "turn, as published"},
  {"matrix", HK_P_CHOICE, 0, offsetof(hk_dirk_par, matrix), 0, 0, 0, "", "stage start",
   "stage: matrices of the stage under way; start: one matrix a step, made at its start, as "
   "published"},
  HK_PARAM_END};
/* clang-format on */

const hk_integrator_ops hki_integrator_sdirk = {
    .name = "sdirk",
    .text = "singly diagonally implicit Runge-Kutta, two stages: order 3 (or 2 and L-stable)",
    .source = "Dopico, Lugris, Gonzalez and Cuadrado 2005; Norsett 1974",
    .needs = HK_CAP_STAGE_ACC | HK_CAP_ACCEL,
    .needs_more = dirk_needs_more,
    .stages = HK_STAGES_MAX,
    .order = 3,
    .params = params,
    .par_size = sizeof(hk_dirk_par),
    .prepare = dirk_prepare,
    .nhist = HK_DIRK_VECTORS * HK_STAGES_MAX,
    .start = dirk_start,
    .step = dirk_step,
    .error = dirk_error,
};

/* SPDX-License-Identifier: Apache-2.0
 *
 * multistep.c: the two-step method with tunable dissipation, for steps that vary.
 *
 *   y_k = a1 y_{k-1} + a2 y_{k-2} + g (b0 y'_k + b1 y'_{k-1} + b2 y'_{k-2})
 *
 *   g     = t_{k-1} - t_{k-2}             the step before; it multiplies all b
 *   x     = (t_k - t_{k-1})/g
 *   e     = (1 - rho)^2
 *   beta  = x ((2 + x) e + 2 (1 + x)(2 rho - 1))/(2 (1 + x) - e)
 *   delta = x^2 e/(2 (2 (1 + x) - e))
 *   a1    = 1 - beta                      b0 = delta/x + x/2
 *   a2    = beta                          b1 = beta/2 + x/2 - (1 + x) delta/x
 *                                         b2 = beta/2 + delta
 *
 * Order 2. At infinite frequency both roots of the amplification have the size rho; rho = 0 is the
 * second backward difference formula.
 *
 * Applied to positions and to velocities, with the increment D from the accepted position:
 *
 *   v  = cv (D - s)                       s = -a2 D_last + g (b1 v_{k-1} + b2 v_{k-2})
 *   a  = cv (v - v_{k-1} - u)             u = a2 (v_{k-2} - v_{k-1}) + g (b1 a_{k-1} + b2 a_{k-2})
 *   cv = 1/(g b0)                         ca = cv^2
 *   vh = -cv s                            ah = cv (vh - v_{k-1} - u)
 *
 * D_last leads from k-2 to k-1; its negative leads back, also for body-fixed increments of
 * rotations. The first step after a start is Crank-Nicolson's: g b0 = g b1 = h/2, a2 = b2 = 0.
 *
 * Formulations with nodes integrate momenta instead of velocities (multistep_nodes.c).
 *
 * Sources: Masarati, Lanz and Mantegazza 2001; Masarati, Morandini and Mantegazza 2014, eqs. 2,
 * 18-23.
 */
#include <string.h>

#include "integrators/integrator.h"
#include "integrators/multistep.h"

typedef struct multistep_par {
  double rho;
  int32_t states; /* 0 momenta where the formulation has them, 1 velocities */
} multistep_par;

hk_multistep_rule hki_multistep_rule(double rho, double h, double g) {
  if (!(g > 0.0)) return (hk_multistep_rule){0.0, 0.5 * h, 0.5 * h, 0.0};
  const double x = h / g, e = (1.0 - rho) * (1.0 - rho), d = 2.0 * (1.0 + x) - e;
  const double beta = x * ((2.0 + x) * e + 2.0 * (1.0 + x) * (2.0 * rho - 1.0)) / d;
  const double delta = x * x * e / (2.0 * d);
  return (hk_multistep_rule){beta, g * (delta / x + 0.5 * x),
                             g * (0.5 * (beta + x) - (1.0 + x) * delta / x),
                             g * (0.5 * beta + delta)};
}

static bool momenta(const hk_integrator *I) {
  return (I->f->ops->caps & HK_CAP_NODES) && ((const multistep_par *)I->par)->states == 0;
}

static hk_status multistep_start(hk_integrator *I) {
  memset(I->hist, 0, (size_t)(MS_NHIST * I->nv) * sizeof(double));
  memcpy(I->hist + MS_A_RAW * I->nv, I->a, (size_t)I->nv * sizeof(double));
  return momenta(I) ? hki_multistep_nodes_start(I) : HK_OK;
}

static hk_status multistep_step(hk_integrator *I, double h) {
  const int32_t n = I->nv;
  const double rho = ((const multistep_par *)I->par)->rho;
  if (momenta(I)) return hki_multistep_nodes_step(I, rho, h);
  const double *dl = I->hist + MS_D_LAST * n, *vl = I->hist + MS_V_LAST * n,
               *al = I->hist + MS_A_LAST * n;
  const double *raw = I->hist + MS_A_RAW * n;
  const double g = n ? I->hist[MS_H_LAST * n] : 0.0;
  const hk_multistep_rule c = hki_multistep_rule(rho, h, g);
  const double cv = 1.0 / c.gb0, ca = cv * cv, jerk = g > 0.0 ? h * h * h / (6.0 * g) : 0.0;
  for (int32_t i = 0; i < n; i++) {
    double s = -c.a2 * dl[i] + c.gb1 * I->v[i] + c.gb2 * vl[i];
    double u = c.a2 * (vl[i] - I->v[i]) + c.gb1 * raw[i] + c.gb2 * al[i];
    I->vh[i] = -cv * s;
    I->ah[i] = cv * (I->vh[i] - I->v[i] - u);
    I->D[i] = h * I->v[i] + 0.5 * h * h * I->a[i] + jerk * (I->a[i] - al[i]);
  }
  const hk_stage st = {I->t + h, HK_LEVEL_POS, cv, ca, I->q, I->vh, I->ah, false, NULL, NULL};
  hk_status status = hki_newton_solve(I->newton, I->f, &st, n, I->D, I->work);
  if (status != HK_OK) return status;
  I->f->ops->plus(I->f, I->q, I->D, I->q1);
  double *dl1 = I->hist1 + MS_D_LAST * n, *vl1 = I->hist1 + MS_V_LAST * n,
         *al1 = I->hist1 + MS_A_LAST * n;
  double *raw1 = I->hist1 + MS_A_RAW * n, *h1 = I->hist1 + MS_H_LAST * n;
  for (int32_t i = 0; i < n; i++) {
    I->v1[i] = I->vh[i] + cv * I->D[i];
    I->a1[i] = I->ah[i] + ca * I->D[i];
    raw1[i] = I->a1[i];
    dl1[i] = I->D[i];
    vl1[i] = I->v[i];
    al1[i] = raw[i];
    h1[i] = h;
  }
  status = I->f->ops->project(I->f, st.t, I->q1, I->v1, I->a1, HK_PROJECT_VEL | HK_PROJECT_ACC);
  if (status != HK_OK || !(I->f->ops->caps & HK_CAP_EXACT)) return status;
  // dependent coordinates: the projection computes their increments and accelerations
  if (I->f->ops->minus) I->f->ops->minus(I->f, I->q1, I->q, dl1);
  memcpy(raw1, I->a1, (size_t)n * sizeof *raw1);
  return HK_OK;
}

/* Error constant: the residual of the formula for y = t^3, divided by 6 and by 1 + a2: in the steps
 * that follow, a deviation of one step settles at 1/(1 + a2) of its size. */
static void multistep_error(const hk_integrator *I, double h, hk_error_law *law) {
  const double g = I->nv ? I->hist[MS_H_LAST * I->nv] : 0.0;
  const hk_multistep_rule c = hki_multistep_rule(((const multistep_par *)I->par)->rho, h, g);
  const double left = -c.a2 * g * g * g + 3.0 * (c.gb0 * h * h + c.gb2 * g * g) - h * h * h;
  law->order = 2;
  law->cq = law->cv = left / (6.0 * h * h * h * (1.0 + c.a2));
}

static bool multistep_damps(const void *par) { return ((const multistep_par *)par)->rho < 1.0; }

/* clang-format off */
static const hk_param params[] = {
  {"rho_inf", HK_P_REAL, 0, offsetof(multistep_par, rho), 0.6, 0.0, 1.0, "", NULL,
   "spectral radius at infinite frequency: 0 is the second backward difference formula, 1 has no dissipation"},
  {"states", HK_P_CHOICE, 0, offsetof(multistep_par, states), 0, 0, 0, "", "momenta velocities",
   "states integrated besides positions, for formulations whose nodes have momenta (models with flexible bodies have none): these keep the "
   "angular momentum of a free body to round-off, velocities its energy better where bodies turn far "
   "in a step"},
  HK_PARAM_END};
/* clang-format on */

const hk_integrator_ops hki_integrator_multistep = {
    .name = "multistep",
    .text = "two-step method, A-stable, order 2, dissipation of high frequencies set by rho_inf",
    .source = "Masarati, Lanz and Mantegazza 2001; Masarati, Morandini and Mantegazza 2014",
    .needs = HK_CAP_STAGE_POS | HK_CAP_ACCEL,
    .order = 2,
    .params = params,
    .par_size = sizeof(multistep_par),
    .prepare = hki_nothing_to_choose,
    .damps = multistep_damps,
    .nhist = MS_NHIST,
    .start = multistep_start,
    .step = multistep_step,
    .error = multistep_error,
};

/* SPDX-License-Identifier: Apache-2.0
 *
 * multistep_nodes.c: the two-step method on nodes that carry momenta.
 *
 * Poses are given by Cayley parameters y from the last accepted pose k-1: there y_{k-1} = 0 with
 * the rate v_{k-1}; y_{k-2} and its rate y'_{k-2} describe the pose before. With g the step before
 * and h this step, the rate of the cubic through both is extrapolated to the new time, and the rule
 * of multistep.c gives the parameters that the iteration begins with:
 *
 *   y'_0 = 6 u (u - 1) y_{k-2}/g + (3 u^2 - 2 u) v_{k-1} + (3 u^2 - 4 u + 1) y'_{k-2}
 *   u    = 1 + h/g
 *   y_0  = s_y + g b0 y'_0               s_y = a2 y_{k-2} + g (b1 v_{k-1} + b2 y'_{k-2})
 *
 * The unknown is D = y_k, with the rate y'_k = (y_k - s_y)/(g b0): the rule for the whole rotation
 * of the step, whatever was predicted. Momenta follow the same rule:
 *
 *   p'_k = cp (p_k - p_{k-1} - s)          cp = 1/(g b0)
 *   s    = a2 (p_{k-2} - p_{k-1}) + g (b1 p'_{k-1} + b2 p'_{k-2})
 *
 * The method itself does not use accelerations; those reported come from the rule applied to the
 * velocities.
 *
 * Source: Masarati, Morandini and Mantegazza 2014, eqs. 2-4, 8-11, 18-23.
 */
#include <string.h>

#include "integrators/multistep.h"

hk_status hki_multistep_nodes_start(hk_integrator *I) {
  I->f->ops->nodes->momentum_rate(I->f, I->q, I->v, I->a, I->hist + MS_PD_RAW * I->nv);
  return HK_OK;
}

/* I->D: predicted parameters y_0; I->vh = -cv s_y, the rate of the rule at y = 0 */
static void predict(hk_integrator *I, const hk_multistep_rule *c, double h, double g) {
  const double *b = I->hist + MS_BACK * I->nv, *bd = I->hist + MS_BACK_RATE * I->nv;
  const bool first = !(g > 0.0);
  const double before = first ? h : g, u = 1.0 + h / before;
  const double s = 6.0 * u * (u - 1.0) / before, near = u * (3.0 * u - 2.0);
  const double far = 3.0 * u * u - 4.0 * u + 1.0;
  for (int32_t i = 0; i < I->nv; i++) {
    const double rate = first ? I->v[i] + h * I->a[i] : s * b[i] + near * I->v[i] + far * bd[i];
    const double y = first ? c->gb1 * I->v[i] : c->a2 * b[i] + c->gb1 * I->v[i] + c->gb2 * bd[i];
    I->D[i] = y + c->gb0 * rate;
    I->vh[i] = -y / c->gb0;
  }
}

/* ph and I->ah of the stage, from momenta and velocities before the step; p = p_{k-1} */
static void histories(hk_integrator *I, const hk_multistep_rule *c, double *p, double *ph) {
  const int32_t n = I->nv;
  const double cv = 1.0 / c->gb0;
  const double *vl = I->hist + MS_V_LAST * n, *al = I->hist + MS_A_LAST * n;
  const double *raw = I->hist + MS_A_RAW * n, *pl = I->hist + MS_P_LAST * n;
  const double *pdl = I->hist + MS_PD_LAST * n, *pd = I->hist + MS_PD_RAW * n;
  I->f->ops->nodes->momentum(I->f, I->q, I->v, p);
  for (int32_t i = 0; i < n; i++) {
    double uv = c->a2 * (vl[i] - I->v[i]) + c->gb1 * raw[i] + c->gb2 * al[i];
    double up = c->a2 * (pl[i] - p[i]) + c->gb1 * pd[i] + c->gb2 * pdl[i];
    I->ah[i] = cv * (I->vh[i] - I->v[i] - uv);
    ph[i] = -cv * (p[i] + up);
  }
}

/* the state and the history after the increment D */
static void finish(hk_integrator *I, double cv, double h) {
  const int32_t n = I->nv;
  const hk_node_ops *nodes = I->f->ops->nodes;
  double *ph = I->hist1 + MS_PD_RAW * n, *h1 = I->hist1 + MS_H_LAST * n, *rate = I->work;
  for (int32_t i = 0; i < n; i++) rate[i] = I->vh[i] + cv * I->D[i];
  nodes->ahead(I->f, I->q, I->D, rate, I->q1, I->v1);
  for (int32_t i = 0; i < n; i++) {
    I->a1[i] = I->ah[i] + cv * (I->v1[i] - I->vh[i]);
    h1[i] = h;
  }
  nodes->momentum(I->f, I->q1, I->v1, rate);
  for (int32_t i = 0; i < n; i++) ph[i] += cv * rate[i];
  const size_t size = (size_t)n * sizeof(double);
  memcpy(I->hist1 + MS_PD_LAST * n, I->hist + MS_PD_RAW * n, size);
  memcpy(I->hist1 + MS_A_LAST * n, I->hist + MS_A_RAW * n, size);
  memcpy(I->hist1 + MS_A_RAW * n, I->a1, size);
  memcpy(I->hist1 + MS_V_LAST * n, I->v, size);
  nodes->behind(I->f, I->q1, I->q, I->v, I->hist1 + MS_BACK * n, I->hist1 + MS_BACK_RATE * n);
}

hk_status hki_multistep_nodes_step(hk_integrator *I, double rho, double h) {
  const int32_t n = I->nv;
  const double g = n ? I->hist[MS_H_LAST * n] : 0.0;
  const hk_multistep_rule c = hki_multistep_rule(rho, h, g);
  const double cv = 1.0 / c.gb0;
  double *p = I->hist1 + MS_P_LAST * n, *ph = I->hist1 + MS_PD_RAW * n;
  predict(I, &c, h, g);
  histories(I, &c, p, ph);
  const hk_stage_nodes nodes = {cv, ph};
  const hk_stage st = {I->t + h, HK_LEVEL_POS, cv,    cv * cv, I->q,
                       I->vh,    I->ah,        false, &nodes,  NULL};
  hk_status status = hki_newton_solve(I->newton, I->f, &st, n, I->D, I->work);
  if (status != HK_OK) return status;
  finish(I, cv, h);
  return I->f->ops->project(I->f, st.t, I->q1, I->v1, I->a1, HK_PROJECT_VEL | HK_PROJECT_ACC);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * stab_baumgarte.c: `stabilisation: baumgarte`: index 1, with terms in the acceleration rows that
 * pull the constraints back.
 *
 *   M a + G' lam = W
 *   G a + gamma + 2 alpha (G v + phi_t) + beta^2 phi = 0
 *
 * The error of a constraint obeys e'' + 2 alpha e' + beta^2 e = 0. It decays, critically damped for
 * alpha = beta; the price is this spring and damper in the equations. alpha = beta = 0 is the plain
 * index 1 form, whose errors grow with t^2. (Haug, Negrut and Iancu 1997 print beta for beta^2 in
 * eq. 5.) Nothing is projected after a step.
 *
 * Explicit methods get these accelerations. Implicit stages are solved with the rows at
 * acceleration level, whatever level the integrator asks for; Newton's matrix has their exact
 * derivatives (rows.c).
 *
 * Source: Baumgarte 1972.
 */
#include "formulations/redundant/stab.h"

void hki_redundant_baumgarte(hk_redundant *r) {
  hk_bodies *c = r->c;
  if (r->alpha == 0.0 && r->beta == 0.0) return;
  memcpy(r->y, c->v, (size_t)c->n * sizeof *r->y);
  hki_bodies_to_world(c, r->y);
  hki_bodies_mul(c, r->y, r->row);
  for (int32_t i = 0; i < c->nrows; i++)
    c->gamma[i] += 2.0 * r->alpha * (r->row[i] + c->phit[i]) + r->beta * r->beta * c->phi[i];
}

static hk_status begin(hk_formulation *f, const hk_stage *st) {
  hk_redundant_stab *s = hki_redundant_of(f)->stab;
  s->st = *st;
  s->st.level = HK_LEVEL_ACC;
  return s->plain->begin(f, &s->st);
}

/* no projection: the state stays as the step left it */
static hk_status project(hk_formulation *f, double t, double *q, double *v, double *a,
                         uint32_t what) {
  hk_redundant *r = hki_redundant_of(f);
  if (what & HK_PROJECT_MASS) return r->stab->plain->project(f, t, q, v, a, what);
  for (int32_t i = 0; i < r->c->n; i++)
    if (!isfinite(v[i]) || !isfinite(a[i])) return HK_RETRY;
  hk_status st = hki_redundant_choose_at(f, t, q, v);
  if (st != HK_OK) return st == HK_E_MEMORY ? st : HK_RETRY;
  hki_bodies_settle(r->c, t, q, v, a);
  return HK_OK;
}

const hk_redundant_method hki_redundant_baumgarte_method = {
    .caps = HK_CAP_STAGE_POS | HK_CAP_STAGE_ACC | HK_CAP_ACCEL | HK_CAP_RATE_ROWS | HK_CAP_HELD |
            HK_CAP_INERTIA | HK_CAP_SERVO,
    .begin = begin,
    .project = project,
};

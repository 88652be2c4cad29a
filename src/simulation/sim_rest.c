/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_rest.c: friction that sticks at the start. At v = 0 any deflection z of a bristle in its cone has
 * the rate 0, so that the start leaves z open. It becomes the one that carries the loads: steps of
 * backward Euler are made to the time of the start, from where the mechanism was h before at constant
 * velocities,
 *
 *   v = v0 + h a,   z = z0 + h dz/dt,   q = (q0 (-) h v0) (+) h v
 *
 * of which z alone is kept for bristles that stick at the start, until it changes no more. Where all of
 * them hold, the last step has ended in the start state itself. What the loads push beyond its cone
 * begins at the edge of it.
 */
#include "simulation/simulation.h"

/* Long against the time in which usual bristles settle (friction.c: sigma1/sigma0), short enough for
 * bodies that fall meanwhile. */
static const double h = 0.01;
enum { MOST = 60 };

/* largest change of a deflection, in units of that at break-away, that no longer counts */
static const double settled = 1e-13;

/* is state i one of a bristle that sticks at the start? marks: where they were found at rest */
static bool open(const hk_sim *s, int32_t i) { return s->tree->kin.zbranch[i] != 0; }

/* the stage of one step; on success the states are in D/h */
static hk_status step(hk_sim *s) {
  hk_integrator *I = &s->I;
  for (int32_t i = 0; i < I->nv; i++) I->vh[i] = 0.0, I->D[i] = -h * I->v[i];
  I->f->ops->plus(I->f, I->q, I->D, I->q1);
  for (int32_t i = 0; i < I->nv; i++) I->D[i] = -I->D[i], I->ah[i] = -I->v[i] / h;
  const hk_stage st = {I->t,  HK_LEVEL_POS, 1.0 / h, 1.0 / (h * h), I->q1,
                       I->vh, I->ah,        false,   NULL,          NULL};
  return hki_newton_solve(I->newton, I->f, &st, I->nv, I->D, I->work);
}

hk_status hki_sim_settle(hk_sim *s) {
  hk_integrator *I = &s->I;
  const int32_t nz = s->m->nz, from = I->nv - nz;
  const double *unit = I->unit + I->nx - nz;
  const hk_newton newton = s->newton;
  bool any = false, moved = false;
  double most = INFINITY;
  for (int32_t i = 0; i < nz; i++) any = any || open(s, i);
  if (!any || !(I->f->ops->caps & HK_CAP_STAGE_POS)) return HK_OK;
  hki_sim_keep(s);
  for (int pass = 0; pass < MOST && most > settled; pass++) {
    if (step(s) != HK_OK) break; // a start without a bristle's load is still a start
    most = 0.0;
    for (int32_t i = 0; i < nz; i++) {
      if (!open(s, i)) continue;
      const double z = I->D[from + i] / h;
      most = fmax(most, fabs(z - I->v[from + i]) / unit[i]);
      I->v[from + i] = z, moved = true;
    }
    hki_sim_undo(s);
  }
  hki_sim_undo(s);
  s->newton = newton;
  if (moved) return hki_sim_restart(s);
  // a step that has failed leaves bodies where it has come to
  hki_sim_refresh(s);
  return HK_OK;
}

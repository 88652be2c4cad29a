/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_whole.c: back to the beginning of a whole step. A step that fails is repeated in parts. Where
 * a motion drives a loop into a dead point, the parts creep up to a place at which speeds and forces
 * are infinite: what they add to the energies says nothing about the mechanism. The run then ends
 * at the last whole step.
 */
#include "simulation/simulation.h"

/* the parts of the state, one after the other in s->whole, to or from their places */
static void move(hk_sim *s, bool keep) {
  hk_integrator *I = &s->I;
  double *form, *at = s->whole;
  int32_t np;
  s->f->ops->persistent(s->f, &form, &np);
  struct {
    double *place;
    int32_t n;
  } const part[] = {{I->q, I->nq}, {I->v, I->nv},
                    {I->a, I->nv}, {I->hist, I->ops->nhist * I->nv},
                    {form, np},    {s->kin->disc.block, s->kin->disc.n}};
  for (size_t i = 0; i < sizeof part / sizeof part[0]; i++) {
    if (part[i].n) {
      memcpy(keep ? at : part[i].place, keep ? part[i].place : at,
             (size_t)part[i].n * sizeof(double));
    }
    at += part[i].n;
  }
}

int32_t hki_sim_whole_size(const hk_sim *s, int32_t np) {
  const hk_integrator *I = &s->I;
  return I->nq + (2 + I->ops->nhist) * I->nv + np + s->kin->disc.n;
}

void hki_sim_whole_keep(hk_sim *s) {
  if (!s->has_drives) return;
  move(s, true);
  s->whole_t = s->I.t;
  s->whole_steps = s->steps;
  s->whole_audit = s->audit;
}

void hki_sim_whole_return(hk_sim *s) {
  if (!s->has_drives) return;
  move(s, false);
  s->I.t = s->whole_t;
  s->steps = s->whole_steps;
  s->audit = s->whole_audit;
  hki_kin_forget(s->kin, HK_KIN_OF_CLOSURES | HK_KIN_OF_FORCES);
  hki_sim_refresh(s);
}

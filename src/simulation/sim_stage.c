/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_stage.c: the state of a stage within a step, for elements and peers that are called there. It is
 * evaluated by the simulation's own machine, so that the formulation finds its iterate as it was.
 */
#include "simulation/simulation.h"

hk_status hki_sim_stage_state(hk_sim *s, const hk_stage *st, const double *D) {
  const hk_formulation_ops *ops = s->f->ops;
  double *v = s->hook_v, *a = s->hook_a;
  for (int32_t i = 0; i < s->I.nv; i++) v[i] = st->vh[i] + st->cv * D[i];
  for (int32_t i = 0; i < s->I.nv; i++) a[i] = st->ah[i] + st->ca * D[i];
  hk_status status = ops->stage_rates ? ops->stage_rates(s->f, D, v, a) : HK_OK;
  if (status != HK_OK) return status;
  if (st->chart && ops->chart_velocity) {
    // a position has at least as many numbers as a velocity
    memcpy(s->hook_q, v, (size_t)s->I.nv * sizeof *v);
    ops->chart_velocity(s->f, D, s->hook_q, v);
  }
  // private states are those of the last evaluation, and stay
  const int32_t nz = s->m->nz;
  for (int32_t i = 0; i < nz; i++) v[s->I.nv - nz + i] = s->kin->z[i];
  if (st->nodes) {
    memcpy(a, v, (size_t)s->I.nv * sizeof *v);
    ops->nodes->ahead(s->f, st->q0, D, a, s->hook_q, v);
    for (int32_t i = 0; i < s->I.nv; i++) a[i] = st->ah[i] + st->ca * D[i];
  } else {
    ops->plus(s->f, st->q0, D, s->hook_q);
  }
  ops->to_tree(s->f, s->hook_q, v, a, s->qt, s->vt, s->at);
  // kinematics of its own, so that the formulation finds its iterate as it was
  hk_kin *k = &s->tree->kin;
  hki_kin_state(k, st->t, s->qt, s->vt);
  hki_kin_unknowns(k, s->vt + s->m->nv, s->at + s->m->nv);
  hki_kin_signals(k, true);
  if (nz) hki_kin_stage_again(s->kin, st->ca / st->cv);
  return HK_OK;
}

hk_status hki_sim_stage_hook(void *user, const hk_stage *st, hk_hook when, const double *D) {
  hk_sim *s = user;
  hk_status status = hki_sim_stage_state(s, st, D);
  if (status == HK_OK && hki_kin_hook(&s->tree->kin, when))
    hki_kin_forget(s->kin, HK_KIN_OF_FORCES);
  return status;
}

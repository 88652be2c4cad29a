/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_held.c: freedoms without mass that only forces hold, in a run (analyses/held.h).
 */
#include "simulation/simulation.h"

hk_status hki_sim_held_find(hk_sim *s) {
  const hk_integrator_ops *i = s->I.ops;
  char name[160];
  hk_status st = hki_held_create(s->tree, s->pool, s->qt, s->vt, &s->held);
  if (st != HK_OK || !s->held) return st;
  hki_tree_dof_name(s->m, hki_held_first(s->held), name, sizeof name);
  if (!(s->fe->ops->caps & HK_CAP_HELD))
    return hki_error(s->ctx, HK_E_ASSEMBLY, HK_LOC_NONE,
                     "give the bodies mass, hold them by joints, or use 'formulation: redundant' "
                     "where forces hold them",
                     "no mass resists %s, which formulation '%s' cannot treat", name,
                     s->fe->ops->name);
  if (!(i->needs & (HK_CAP_STAGE_POS | HK_CAP_STAGE_ACC)))
    return hki_error(s->ctx, HK_E_ASSEMBLY, HK_LOC_NONE,
                     "implicit methods can: generalized_alpha, trapezoidal, multistep, sdirk",
                     "no mass resists %s, which integrator '%s' cannot treat", name, i->name);
  return HK_OK;
}

hk_status hki_sim_held_settle(hk_sim *s) {
  hk_integrator *I = &s->I;
  char name[160];
  int32_t bad;
  if (!s->held) return HK_OK;
  hk_status st = s->f->ops->to_tree(s->f, I->q, I->v, I->a, s->qt, s->vt, s->at);
  if (st == HK_OK) st = hki_held_settle(s->held, I->t, 1e-4 * s->step, s->qt, s->vt, &bad);
  if (st == HK_OK) return s->f->ops->from_tree(s->f, s->qt, s->vt, I->q, I->v);
  if (st == HK_E_MEMORY) return st;
  hki_tree_dof_name(s->m, bad, name, sizeof name);
  return hki_error(s->ctx, HK_E_ASSEMBLY, HK_LOC_NONE,
                   "give the bodies mass, or hold them by joints, springs or dampers",
                   st == HK_E_SINGULAR ? "no mass resists %s, and no spring or damper holds it"
                                       : "no mass resists %s, and the forces on it do not balance",
                   name);
}

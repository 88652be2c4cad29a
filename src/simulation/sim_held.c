/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_held.c: freedoms without mass that only forces hold, in a run (analyses/held.h).
 */
#include <stdio.h>

#include "simulation/simulation.h"

static bool has_held(const hk_sim *s, const hk_formulation_ops *f) {
  (void)s;
  return (f->caps & HK_CAP_HELD) != 0;
}

static bool is_implicit(const hk_sim *s, const hk_integrator_ops *i) {
  return (i->needs & (HK_CAP_STAGE_POS | HK_CAP_STAGE_ACC)) != 0 && hki_fits_formulation(s, i);
}

hk_status hki_sim_held_find(hk_sim *s) {
  const hk_integrator_ops *i = s->I.ops;
  char name[160], list[256], hint[400];
  hk_status st = hki_held_create(s->tree, s->pool, s->qt, s->vt, &s->held);
  if (st != HK_OK || !s->held) return st;
  hki_tree_dof_name(s->m, hki_held_first(s->held), name, sizeof name);
  if (!has_held(s, s->fe->ops)) {
    hki_sim_list_formulations(s, has_held, list, sizeof list);
    snprintf(hint, sizeof hint,
             "give the bodies mass, hold them by joints, or use 'formulation: %s' where forces "
             "hold them",
             list);
    return hki_error(s->ctx, HK_E_ASSEMBLY, HK_LOC_NONE, hint,
                     "no mass resists %s, which formulation '%s' cannot treat", name,
                     s->fe->ops->name);
  }
  if (!is_implicit(s, i)) {
    hki_sim_list_integrators(s, is_implicit, list, sizeof list);
    snprintf(hint, sizeof hint, "implicit methods can: %s", list);
    return hki_error(s->ctx, HK_E_ASSEMBLY, HK_LOC_NONE, hint,
                     "no mass resists %s, which integrator '%s' cannot treat", name, i->name);
  }
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
                   "give the bodies mass, hold them by joints, springs or dampers, or begin where "
                   "loads stretch what holds them: start: {equilibrium: true}",
                   st == HK_E_SINGULAR ? "no mass resists %s, and no spring or damper holds it"
                                       : "no mass resists %s, and the forces on it do not balance",
                   name);
}

hk_status hki_sim_held_jump(hk_sim *s) {
  if (!s->held) return HK_OK;
  hk_status st = hki_sim_held_settle(s);
  if (st != HK_OK) return st;
  hki_sim_refresh(s);
  hki_sim_audit_jump(s);
  return HK_OK;
}

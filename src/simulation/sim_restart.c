/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_restart.c: a run goes on from joint coordinates and rates that the program gives. They become
 * start values of an assembly at the present time (analyses/assembly.h); all that they do not name
 * stays nearest to the present state. Values that cannot hold are refused, and the run is as it was.
 */
#include "simulation/live.h"

/* the entry of a joint in the list, made if there is none; NULL: no memory */
static hk_spec_start *entry_of(hk_sim *s, int32_t joint) {
  for (int32_t i = 0; i < s->nstarts; i++)
    if (s->starts[i].joint == joint) return &s->starts[i];
  if (!HK_GROW(s->ctx, s->starts, s->starts_cap, s->nstarts + 1)) return NULL;
  s->starts[s->nstarts] = (hk_spec_start){.loc = HK_LOC_NONE, .joint = joint, .body = HK_NONE};
  return &s->starts[s->nstarts++];
}

/* why the values cannot be taken, NULL: they can */
static const char *fault(const hk_sim *s, int32_t joint, int32_t n, const double *q,
                         const double *v) {
  if (joint < 0 || joint >= hk_sim_joint_count(s)) return "no such joint";
  if (n != s->m->spec->joints[joint].ops->ns) return "the joint has another number of coordinates";
  for (int32_t k = 0; k < n; k++)
    if ((q && !isfinite(q[k])) || (v && !isfinite(v[k])))
      return "the values must be finite numbers";
  return NULL;
}

hk_status hk_sim_joint_set(hk_sim *s, int32_t joint, int32_t n, const double *coordinates,
                           const double *rates) {
  if (!hki_is(s, HK_MARK_SIM)) return hki_misuse(NULL, "hk_sim_joint_set", "no simulation");
  const char *why = fault(s, joint, n, coordinates, rates);
  if (why) return hki_misuse(s->ctx, "hk_sim_joint_set", why);
  hk_spec_start *e = entry_of(s, joint);
  if (!e) return HK_E_MEMORY;
  for (int32_t k = 0; k < n; k++) {
    e->q_loc[k] = e->v_loc[k] = HK_LOC_NONE;
    if (coordinates) e->q[k] = coordinates[k], e->q_given |= 1u << k;
    if (rates) e->v[k] = rates[k], e->v_given |= 1u << k;
  }
  return HK_OK;
}

/* the assembled state becomes that of the integrator; unknowns of networks and of laws stay */
static hk_status take_over(hk_sim *s, const double *q, const double *v) {
  hk_integrator *I = &s->I;
  bool fired;
  memcpy(s->qt, q, (size_t)s->m->nq * sizeof *q);
  memcpy(s->vt, v, (size_t)s->m->nv * sizeof *v);
  hk_status st = s->f->ops->from_tree(s->f, s->qt, s->vt, I->q, I->v);
  if (st == HK_OK && s->m->nx)
    st = s->f->ops->project(s->f, I->t, I->q, I->v, I->a, HK_PROJECT_MASS);
  if (st == HK_OK) st = hki_sim_held_settle(s);
  if (st == HK_OK) st = hki_sim_restart(s);
  if (st == HK_OK) st = hki_sim_stops_start(s);
  if (st != HK_OK) return st;
  hki_sim_memory_break(s);
  hki_sim_signs_start(s);
  hki_sim_audit_jump(s);
  return hki_sim_fire(s, &fired);
}

/* from the present state, in memory of its own; values that had to move are refused */
static hk_status assemble(hk_sim *s, double *q, double *v) {
  hk_assembly as = {.q = q,
                    .v = v,
                    .starts = s->starts,
                    .nstarts = s->nstarts,
                    .t = s->I.t,
                    .from_q = s->qt,
                    .from_v = s->vt};
  hk_status st = hki_assemble(s->tree, &as);
  if (st == HK_OK && as.nmoved)
    st = hki_error(s->ctx, HK_E_ASSEMBLY, HK_LOC_NONE, "see the warnings before",
                   "%d of the values given cannot hold", (int)as.nmoved);
  return st == HK_OK ? take_over(s, q, v) : st;
}

hk_status hki_sim_assemble_here(hk_sim *s) {
  const size_t n = (size_t)s->m->nq + (size_t)s->m->nv + 1;
  double *x = hki_alloc(s->ctx, n * sizeof *x);
  hk_status st = x ? assemble(s, x, x + s->m->nq) : HK_E_MEMORY;
  hki_free(s->ctx, x);
  return st;
}

hk_status hk_sim_restart(hk_sim *s) {
  if (!hki_is(s, HK_MARK_SIM)) return hki_misuse(NULL, "hk_sim_restart", "no simulation");
  if (s->status != HK_OK) return s->status;
  if (!s->spare) s->spare = hki_pool_alloc(s->pool, hki_state_size(s));
  hk_status st = s->spare ? HK_OK : HK_E_MEMORY;
  if (st == HK_OK) {
    hki_sim_inputs_take(s);
    hki_state_get(s, s->spare, false);
    hki_sim_refresh(s);
    s->free.late = false, s->free.arrival = 0;
    st = hki_sim_assemble_here(s);
    if (st != HK_OK) (void)hki_state_set(s, s->spare);
  }
  s->nstarts = 0;
  return st;
}

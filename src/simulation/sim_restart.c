/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_restart.c: a run goes on from joint coordinates, poses and twists of bodies and values of network
 * nodes that the program gives. Those of joints and bodies become
 * start values of an assembly at the present time (analyses/assembly.h); all that they do not name
 * stays nearest to the present state. Values that cannot hold are refused, and the run is as it was.
 */
#include "simulation/live.h"

/* the entry of a joint or body in the list, made if there is none; NULL: no memory */
static hk_spec_start *entry_of(hk_sim *s, int32_t joint, int32_t body) {
  for (int32_t i = 0; i < s->nstarts; i++)
    if (s->starts[i].joint == joint && s->starts[i].body == body) return &s->starts[i];
  if (!HK_GROW(s->ctx, s->starts, s->starts_cap, s->nstarts + 1)) return NULL;
  hk_spec_start *e = &s->starts[s->nstarts++];
  *e = (hk_spec_start){.loc = HK_LOC_NONE, .joint = joint, .body = body};
  for (int32_t k = 0; k < HK_ARRAY_LEN(e->given_loc); k++) e->given_loc[k] = HK_LOC_NONE;
  return e;
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
  hk_spec_start *e = entry_of(s, joint, HK_NONE);
  if (!e) return HK_E_MEMORY;
  for (int32_t k = 0; k < n; k++) {
    e->q_loc[k] = e->v_loc[k] = HK_LOC_NONE;
    if (coordinates) e->q[k] = coordinates[k], e->q_given |= 1u << k;
    if (rates) e->v[k] = rates[k], e->v_given |= 1u << k;
  }
  return HK_OK;
}

/* --- bodies ------------------------------------------------------------------------------------- */

static bool finite_numbers(const double *x, int32_t n) {
  for (int32_t i = 0; x && i < n; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

/* is it a rotation, to the accuracy of numbers that were written down? */
static bool is_rotation(const double *R) {
  double P[9];
  m3_tmul(P, R, R);
  for (int i = 0; i < 9; i++)
    if (fabs(P[i] - (i % 4 == 0)) > 1e-6) return false;
  return m3_det(R) > 0.0;
}

static const char *body_fault(const hk_sim *s, int32_t body, const double *p, const double *R,
                              const double *v, const double *w) {
  if (body < 0 || body >= hk_sim_body_count(s)) return "no such body";
  if (!finite_numbers(p, 3) || !finite_numbers(R, 9) || !finite_numbers(v, 3) ||
      !finite_numbers(w, 3))
    return "the values must be finite numbers";
  return R && !is_rotation(R) ? "the matrix must be a rotation" : NULL;
}

hk_status hk_sim_body_set(hk_sim *s, int32_t body, const double *position, const double *rotation,
                          const double *velocity, const double *angular_velocity) {
  if (!hki_is(s, HK_MARK_SIM)) return hki_misuse(NULL, "hk_sim_body_set", "no simulation");
  const char *why = body_fault(s, body, position, rotation, velocity, angular_velocity);
  if (why) return hki_misuse(s->ctx, "hk_sim_body_set", why);
  hk_spec_start *e = entry_of(s, HK_NONE, body);
  if (!e) return HK_E_MEMORY;
  if (position) v3_copy(e->position, position), e->given |= HK_START_POSITION;
  if (rotation) quat_from_rot(e->orientation, rotation), e->given |= HK_START_ORIENTATION;
  if (velocity) v3_copy(e->velocity, velocity), e->given |= HK_START_VELOCITY;
  if (angular_velocity)
    v3_copy(e->angular_velocity, angular_velocity), e->given |= HK_START_ANGULAR_VELOCITY;
  return HK_OK;
}

/* --- nodes -------------------------------------------------------------------------------------- */

int32_t hk_sim_node_count(const hk_sim *s) {
  return hki_is(s, HK_MARK_SIM) ? s->m->spec->nnodes : 0;
}

const char *hk_sim_node_name(const hk_sim *s, int32_t node) {
  return node >= 0 && node < hk_sim_node_count(s) ? s->m->spec->nodes[node].name : NULL;
}

int32_t hk_sim_node_find(const hk_sim *s, const char *name) {
  for (int32_t i = 0; name && i < hk_sim_node_count(s); i++)
    if (strcmp(s->m->spec->nodes[i].name, name) == 0) return i;
  return -1;
}

hk_status hk_sim_node_get(hk_sim *s, int32_t node, double *value) {
  if (node < 0 || node >= hk_sim_node_count(s) || !value)
    return hki_misuse(hki_is(s, HK_MARK_SIM) ? s->ctx : NULL, "hk_sim_node_get",
                      "no such node, or no place for its value");
  hk_status st = hki_sim_show_now(s);
  if (st == HK_OK) *value = s->kin->x[s->m->node_x[node]];
  return st;
}

hk_status hk_sim_node_set(hk_sim *s, int32_t node, double value) {
  if (node < 0 || node >= hk_sim_node_count(s))
    return hki_misuse(hki_is(s, HK_MARK_SIM) ? s->ctx : NULL, "hk_sim_node_set", "no such node");
  if (!isfinite(value))
    return hki_misuse(s->ctx, "hk_sim_node_set", "the value must be a finite number");
  if (s->m->node_x[node] >= s->m->nx)
    return hki_error(s->ctx, HK_E_USAGE, HK_LOC_NONE, "change its 'value', a signal or parameter",
                     "node '%s' is held at a value", s->m->spec->nodes[node].name);
  if (!HK_GROW(s->ctx, s->node_starts, s->node_starts_cap, s->nnode_starts + 1)) return HK_E_MEMORY;
  s->node_starts[s->nnode_starts++] = (hk_node_start){s->m->node_x[node], value};
  return HK_OK;
}

/* --- going on from there ------------------------------------------------------------------------ */

/* the assembled state becomes that of the integrator; unknowns of networks and of laws stay */
static hk_status take_over(hk_sim *s, const double *q, const double *v) {
  hk_integrator *I = &s->I;
  bool fired;
  if (q != s->qt) memcpy(s->qt, q, (size_t)s->m->nq * sizeof *q);
  if (v != s->vt) memcpy(s->vt, v, (size_t)s->m->nv * sizeof *v);
  for (int32_t i = 0; i < s->nnode_starts; i++)
    s->vt[s->m->nv + s->node_starts[i].x] = s->node_starts[i].value;
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

hk_status hki_sim_go_on_from_tree(hk_sim *s) {
  return s->m->nrows ? hki_sim_assemble_here(s) : take_over(s, s->qt, s->vt);
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
  s->nstarts = s->nnode_starts = 0;
  return st;
}

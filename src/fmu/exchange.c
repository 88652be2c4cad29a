/* SPDX-License-Identifier: Apache-2.0
 *
 * exchange.c: see exchange.h. The formulation of the simulation gives the accelerations, as it does for
 * explicit integrators and for linear equations (simulation/statespace_differences.c).
 */
#include "fmu/exchange.h"

#include <math.h>
#include <string.h>

#include "simulation/coordinates.h"
#include "simulation/live.h"

/* violations of loops and lengths of quaternions that are put right at an event */
static const double loop_drift = 1e-8, length_drift = 1e-6;

enum { EXTRA = 3 }; /* numbers beside x */

struct hk_exchange {
  hk_unit *u;
  hk_sim *s;
  hk_pool *pool;
  hk_coordinates c;
  int32_t nq, nv, nx, n; /* coordinates, velocities, other states; all */
  int32_t *place;        /* nx: where they stand in vt */
  const char **name, **unit;
  double
      *numbers;  /* EXTRA + n: time, x, time of the last step accepted, the next jump of a signal */
  double *rate;  /* n */
  double *q, *v; /* in the signs of the tree: nq, all that vt has */
  double *kept;  /* what survives an evaluation, and vt, when they were good last */
  double *trial; /* coordinates, velocities and accelerations of the formulation */
  bool solved;   /* some values of networks are solved for */
  int32_t *input; /* of the simulation, by the number in the bundle */
  bool fresh;     /* rate and the simulation's state belong to numbers and inputs */
};

/* the time up to which the books go */
static double *accepted(hk_exchange *e) { return &e->numbers[1 + e->n]; }

/* the next jump of a signal: up to it signals have their values from before */
static double *cap(hk_exchange *e) { return &e->numbers[2 + e->n]; }

/* --- which models ----------------------------------------------------------------------------- */

const char *hki_exchange_refuses(hk_sim *s) {
  const hk_spec *spec = s->m->spec;
  hk_dims d = {0};
  s->f->ops->dims(s->f, &d);
  if (!(s->f->ops->caps & HK_CAP_ACCEL)) return "its formulation gives no accelerations of a state";
  for (int32_t i = 0; i < d.nx && d.root; i++)
    if (d.root[i] == i) return "values of its network are common to several nodes";
  if (s->stops.n || s->has_contacts) return "it has stops";
  if (s->locks.n) return "it has friction that sticks";
  if (s->held) return "some of its freedoms have no mass";
  if (s->servo_index) return "it has servos";
  if (s->has_memory) return "it has laws with a memory of their own";
  if (s->has_decide || s->has_hooks)
    return "it has elements that change their branch between steps";
  if (s->kin->nacts || s->kin->nseen) return "it has signals that are sampled or remember";
  for (int32_t i = 0; i < spec->nsignals; i++)
    if (spec->signals[i].memory && !hki_signal_is_input(&spec->signals[i]))
      return "it has signals that remember";
  return NULL;
}

/* What survives an evaluation (multipliers, values to begin with) is kept while all is well; after a state for which the
 * equations have no solution it is as before. Integrators try such states, and then shorter steps. */
static void remember(hk_exchange *e, bool good) {
  hk_sim *s = e->s;
  double *block = NULL;
  int32_t n = 0;
  const size_t all = (size_t)(s->m->nv + s->m->nx + s->m->nz);
  s->f->ops->persistent(s->f, &block, &n);
  double *to = good ? e->kept : block, *v = good ? e->kept + n : s->vt;
  if (n) memcpy(to, good ? block : e->kept, (size_t)n * sizeof *to);
  memcpy(v, good ? s->vt : e->kept + n, all * sizeof *v);
}

/* --- life ------------------------------------------------------------------------------------- */

static const char *copy(hk_pool *pool, const char *s) { return hki_pool_strdup(pool, s); }

/* values of networks and private states that are integrated */
static hk_status find_others(hk_exchange *e) {
  const hk_model *m = e->s->m;
  hk_dims d = {0};
  char name[300];
  e->s->f->ops->dims(e->s->f, &d);
  e->trial = hki_pool_alloc(e->pool, (size_t)(d.nq + 2 * d.nv + 1) * sizeof *e->trial);
  if (!e->trial) return HK_E_MEMORY;
  for (int32_t i = 0; i < m->nx + m->nz; i++) {
    if (i < d.nx && isinf(d.unit[i])) {
      e->solved = true;
      continue;
    }
    const int32_t at = e->nq + e->nv + e->nx;
    e->place[e->nx++] = m->nv + i;
    hki_model_unknown_name(m, i, name, sizeof name);
    e->name[at] = copy(e->pool, name);
    const int32_t node = i < m->nx ? m->unknowns[i].node : HK_NONE;
    e->unit[at] = node == HK_NONE ? "" : hki_domain_infos[m->spec->nodes[node].domain].unit;
    if (!e->name[at]) return HK_E_MEMORY;
  }
  return HK_OK;
}

static hk_status find_states(hk_exchange *e) {
  const hk_coordinates *c = &e->c;
  for (int32_t i = 0; i < e->nq; i++) e->name[i] = c->q_name[i], e->unit[i] = "1";
  for (int32_t i = 0; i < e->nv; i++) {
    if (c->q_of[i] != HK_NONE) e->unit[c->q_of[i]] = c->unit[i];
    e->name[e->nq + i] = c->v_name[i];
    e->unit[e->nq + i] = hki_pool_printf(e->pool, "%s/s", c->unit[i]);
    if (!e->unit[e->nq + i]) return HK_E_MEMORY;
  }
  return find_others(e);
}

/* x from the state of the simulation */
static void take(hk_exchange *e) {
  const hk_sim *s = e->s;
  double *x = e->numbers + 1;
  for (int32_t i = 0; i < e->nq; i++) x[i] = e->c.q_zero[i] + e->c.q_sign[i] * s->qt[i];
  for (int32_t i = 0; i < e->nv; i++) x[e->nq + i] = e->c.sign[i] * s->vt[i];
  for (int32_t i = 0; i < e->nx; i++) x[e->nq + e->nv + i] = s->vt[e->place[i]];
}

hk_status hki_exchange_create(hk_unit *u, hk_exchange **out) {
  hk_pool *pool = hki_pool_create(u->ctx);
  hk_exchange *e = pool ? hki_pool_alloc(pool, sizeof *e) : NULL;
  *out = NULL;
  if (!e) return hki_pool_destroy(pool), HK_E_MEMORY;
  const hk_model *m = u->sim->m;
  const size_t all = (size_t)(m->nq + 2 * m->nv + m->nx + m->nz) + EXTRA + 1, d = sizeof(double);
  *e = (hk_exchange){.u = u, .s = u->sim, .pool = pool, .nq = m->nq, .nv = m->nv};
  const char *why = hki_exchange_refuses(u->sim);
  hk_status st = why ? hki_error(u->ctx, HK_E_MODEL, HK_LOC_NONE, NULL,
                                 "the model cannot be exchanged: %s", why)
                     : hki_coordinates_find(m, pool, &e->c);
  e->place = hki_pool_alloc(pool, all * sizeof *e->place);
  e->name = hki_pool_alloc(pool, all * sizeof *e->name);
  e->unit = hki_pool_alloc(pool, all * sizeof *e->unit);
  e->numbers = hki_pool_alloc(pool, all * d), e->rate = hki_pool_alloc(pool, all * d);
  e->q = hki_pool_alloc(pool, all * d), e->v = hki_pool_alloc(pool, all * d);
  e->input = hki_pool_alloc(pool, ((size_t)u->b.inputs.n + 1) * sizeof *e->input);
  if (st == HK_OK &&
      (!e->place || !e->name || !e->unit || !e->numbers || !e->rate || !e->q || !e->v || !e->input))
    st = HK_E_MEMORY;
  if (st == HK_OK) st = find_states(e);
  if (st != HK_OK) return hki_pool_destroy(pool), st;
  for (int32_t i = 0; i < u->b.inputs.n; i++)
    e->input[i] = hk_sim_input_find(u->sim, u->b.inputs.names[i]);
  double *block = NULL;
  int32_t nkept = 0;
  e->s->f->ops->persistent(e->s->f, &block, &nkept);
  e->kept = hki_pool_alloc(pool, ((size_t)nkept + all) * d);
  if (!e->kept) return hki_pool_destroy(pool), HK_E_MEMORY;
  remember(e, true);
  e->n = e->nq + e->nv + e->nx;
  *cap(e) = hki_sim_next_break(e->s);
  *accepted(e) = e->numbers[0] = e->s->I.t;
  take(e);
  *out = e;
  return HK_OK;
}

void hki_exchange_destroy(hk_exchange *e) {
  if (e) hki_pool_destroy(e->pool);
}

/* --- the equations ---------------------------------------------------------------------------- */

/* q' of the coordinates that are no rates of scalars: quaternions, which stand last in their joint */
static void quaternion_rates(hk_exchange *e) {
  const hk_model *m = e->s->m;
  const double *x = e->numbers + 1;
  for (int32_t b = 0; b < m->nb; b++) {
    const hk_model_body *body = &m->bodies[b];
    if (!(body->ops->caps & HK_JOINT_QUATERNION)) continue;
    const int32_t at = body->q0 + body->nq - 4, w = body->v0 + body->nv - 3;
    const double *p = x + at, *o = x + e->nq + w;
    double *r = e->rate + at;
    r[0] = 0.5 * (-p[1] * o[0] - p[2] * o[1] - p[3] * o[2]);
    r[1] = 0.5 * (p[0] * o[0] + p[2] * o[2] - p[3] * o[1]);
    r[2] = 0.5 * (p[0] * o[1] + p[3] * o[0] - p[1] * o[2]);
    r[3] = 0.5 * (p[0] * o[2] + p[1] * o[1] - p[2] * o[0]);
  }
}

static void find_rates(hk_exchange *e) {
  const hk_sim *s = e->s;
  const double *x = e->numbers + 1;
  for (int32_t i = 0; i < e->nv; i++) {
    if (e->c.q_of[i] != HK_NONE) e->rate[e->c.q_of[i]] = x[e->nq + i];
    e->rate[e->nq + i] = e->c.sign[i] * s->at[i];
  }
  for (int32_t i = 0; i < e->nx; i++) e->rate[e->nq + e->nv + i] = s->at[e->place[i]];
  quaternion_rates(e);
}

/* the simulation's state from time and x */
static hk_status place_state(hk_exchange *e) {
  hk_sim *s = e->s;
  const double *x = e->numbers + 1;
  const int32_t all = s->m->nv + s->m->nx + s->m->nz;
  memcpy(e->v, s->vt, (size_t)all * sizeof *e->v);
  for (int32_t i = 0; i < e->nq; i++) e->q[i] = e->c.q_sign[i] * (x[i] - e->c.q_zero[i]);
  for (int32_t i = 0; i < e->nv; i++) e->v[i] = e->c.sign[i] * x[e->nq + i];
  for (int32_t i = 0; i < e->nx; i++) e->v[e->place[i]] = x[e->nq + e->nv + i];
  for (int32_t i = 0; i < e->n; i++)
    if (!isfinite(x[i])) return HK_E_NUMBER;
  if (!hki_coordinates_normalise(s->m, e->q)) return HK_E_NUMBER;
  s->I.t = e->numbers[0];
  s->kin->t_cap = *cap(e);
  for (int32_t i = 0; i < e->u->b.inputs.n; i++)
    if (hk_sim_input_get(s, e->input[i]) != e->u->inputs[i]) {
      hk_status st = hki_sim_input_put(s, e->input[i], e->u->inputs[i]);
      if (st != HK_OK) return st;
    }
  return s->f->ops->from_tree(s->f, e->q, e->v, s->I.q, s->I.v);
}

/* Values of networks that are solved for belong to the state that outputs are read from. The projection that finds
 * them works on a copy: coordinates and velocities stay the importer's. */
static hk_status solve_values(hk_exchange *e) {
  hk_sim *s = e->s;
  if (!e->solved) return HK_OK;
  hk_dims d = {0};
  s->f->ops->dims(s->f, &d);
  double *q = e->trial, *v = q + d.nq, *a = v + d.nv;
  memcpy(q, s->I.q, (size_t)d.nq * sizeof *q);
  memcpy(v, s->I.v, (size_t)d.nv * sizeof *v);
  memset(a, 0, (size_t)d.nv * sizeof *a);
  hk_status st = s->f->ops->project(s->f, s->I.t, q, v, a, HK_PROJECT_MASS);
  for (int32_t i = 0; st == HK_OK && i < d.nx; i++)
    if (isinf(d.unit[i])) s->I.v[d.nv - d.nx + i] = v[d.nv - d.nx + i];
  return st;
}

static hk_status evaluate(hk_exchange *e) {
  hk_sim *s = e->s;
  if (e->fresh) return HK_OK;
  hk_status st = place_state(e);
  if (st == HK_OK) st = solve_values(e);
  if (st == HK_OK) st = s->f->ops->accel(s->f, s->I.t, s->I.q, s->I.v, s->I.a);
  if (st == HK_OK) {
    hki_sim_refresh(s);
    hki_sim_audit_measure(s);
    find_rates(e);
    for (int32_t i = 0; i < e->n && st == HK_OK; i++)
      if (!isfinite(e->rate[i])) st = HK_E_NUMBER;
  }
  remember(e, st == HK_OK);
  e->fresh = st == HK_OK;
  return st == HK_OK || st == HK_E_MEMORY ? st : HK_E_NUMBER;
}

/* --- variables -------------------------------------------------------------------------------- */

int32_t hki_exchange_count(const hk_exchange *e, int32_t kind) {
  return kind == HK_UNIT_STATE || kind == HK_UNIT_DERIVATIVE ? e->n
         : kind == HK_UNIT_INDICATOR                         ? e->s->m->spec->nevents
                                                             : 0;
}

/* its sign changes where the condition of event i does */
static double indicator(const hk_exchange *e, int32_t i) {
  return e->s->kin->sig[3 * e->s->m->spec->events[i].when] != 0.0 ? 1.0 : -1.0;
}

static double value(const hk_exchange *e, int32_t kind, int32_t i) {
  return kind == HK_UNIT_STATE        ? e->numbers[1 + i]
         : kind == HK_UNIT_DERIVATIVE ? e->rate[i]
                                      : indicator(e, i);
}

hk_status hki_exchange_get(hk_exchange *e, const hk_fmi_reference *refs, size_t n, double *values) {
  hk_status st = evaluate(e);
  for (size_t k = 0; st == HK_OK && k < n; k++) {
    const int32_t kind = (int32_t)(refs[k] >> HK_UNIT_SHIFT);
    const int32_t i = (int32_t)(refs[k] & (((hk_fmi_reference)1 << HK_UNIT_SHIFT) - 1));
    if (kind == HK_UNIT_OUTPUT) st = hki_sim_values(e->s, 1, &e->u->handles[i], &values[k]);
    if (kind >= HK_UNIT_STATE) values[k] = value(e, kind, i);
  }
  return st;
}

hk_status hki_exchange_all(hk_exchange *e, int32_t kind, double *values) {
  hk_status st = kind == HK_UNIT_STATE ? HK_OK : evaluate(e);
  for (int32_t i = 0; st == HK_OK && i < hki_exchange_count(e, kind); i++)
    values[i] = value(e, kind, i);
  return st;
}

void hki_exchange_put(hk_exchange *e, int32_t state, double x) {
  e->fresh &= e->numbers[1 + state] == x;
  e->numbers[1 + state] = x;
}

void hki_exchange_states(hk_exchange *e, const double *x) {
  for (int32_t i = 0; i < e->n; i++) hki_exchange_put(e, i, x[i]);
}

void hki_exchange_time(hk_exchange *e, double t) {
  e->fresh &= e->numbers[0] == t;
  e->numbers[0] = t;
}

void hki_exchange_stale(hk_exchange *e) { e->fresh = false; }

double *hki_exchange_numbers(hk_exchange *e) { return e->numbers; }

int32_t hki_exchange_size(const hk_exchange *e) { return e ? EXTRA + e->n : 0; }

const char *hki_exchange_name(const hk_exchange *e, int32_t kind, int32_t i) {
  if (kind == HK_UNIT_INDICATOR)
    return hki_pool_printf(e->pool, "event.%s", e->s->m->spec->events[i].name);
  return kind == HK_UNIT_STATE ? hki_pool_printf(e->pool, "state.%s", e->name[i])
                               : hki_pool_printf(e->pool, "der(state.%s)", e->name[i]);
}

const char *hki_exchange_unit(const hk_exchange *e, int32_t kind, int32_t i) {
  if (kind == HK_UNIT_INDICATOR) return "";
  if (kind == HK_UNIT_STATE) return e->unit[i];
  const char *unit = e->unit[i];
  const size_t n = strlen(unit);
  if (!n || !strcmp(unit, "1")) return n ? "1/s" : "";
  return n > 2 && !strcmp(unit + n - 2, "/s") ? hki_pool_printf(e->pool, "%s^2", unit)
                                              : hki_pool_printf(e->pool, "%s/s", unit);
}

void hki_exchange_nominals(const hk_exchange *e, double *values) {
  for (int32_t i = 0; i < e->n; i++) values[i] = 1.0;
  for (int32_t i = 0; i < e->nx; i++) {
    const int32_t x = e->place[i] - e->nv;
    if (x < e->s->m->nx) values[e->nq + e->nv + i] = fmax(1e-12, e->s->m->unknowns[x].scale);
  }
}

/* --- events ----------------------------------------------------------------------------------- */

/* how far the state is from the loops, and quaternions from length 1 */
static bool drifted(const hk_exchange *e) {
  const hk_model *m = e->s->m;
  double most = 0.0;
  for (int32_t c = 0; c < m->nc; c++)
    for (int32_t r = 0; e->s->kin->disc.active[c] != 0.0 && r < m->closures[c].nrows; r++)
      most = fmax(most, fabs(e->s->kin->phi[m->closures[c].row0 + r]));
  if (most > loop_drift * fmin(1.0, m->length)) return true;
  for (int32_t b = 0; b < m->nb; b++) {
    const hk_model_body *body = &m->bodies[b];
    if (!(body->ops->caps & HK_JOINT_QUATERNION)) continue;
    const double *p = e->numbers + 1 + body->q0 + body->nq - 4;
    if (fabs(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3] - 1.0) > length_drift)
      return true;
  }
  return false;
}

static hk_status put_back(hk_exchange *e) {
  hk_sim *s = e->s;
  hk_status st = HK_OK;
  if (s->m->nc) {
    memcpy(e->q, s->qt, (size_t)e->nq * sizeof *e->q);
    memcpy(e->v, s->vt, (size_t)(s->m->nv + s->m->nx + s->m->nz) * sizeof *e->v);
    st = hki_tree_project_state(s->tree, s->I.t, e->q, e->v);
    if (st > 0) st = HK_E_NUMBER;
    if (st == HK_OK) st = s->f->ops->from_tree(s->f, e->q, e->v, s->I.q, s->I.v);
    if (st == HK_OK) hki_sim_refresh(s);
  }
  if (st == HK_OK) take(e);
  e->fresh = false;
  return st;
}

hk_status hki_exchange_update(hk_exchange *e, hk_fmi2_event *out) {
  hk_sim *s = e->s;
  bool any = false;
  *out = (hk_fmi2_event){0};
  // signals jump here, if this is the time
  if (e->numbers[0] >= *cap(e) - 1e-12 * fmax(1.0, fabs(*cap(e)))) {
    s->I.t = fmax(e->numbers[0], *cap(e));
    *cap(e) = hki_sim_next_break(s);
    e->fresh = false;
  }
  hk_status st = evaluate(e);
  if (st == HK_OK && drifted(e)) {
    st = put_back(e);
    out->states_changed = 1;
    if (st == HK_OK) st = evaluate(e);
  }
  // inputs and signals may have jumped; events keep the books of their own
  if (st == HK_OK) hki_sim_audit_jump(s);
  if (st == HK_OK && s->m->spec->nevents) st = hki_sim_fire(s, &any);
  if (st == HK_OK && any) {
    hki_sim_refresh(s);
    take(e);
    e->fresh = false;
    out->states_changed = 1;
  }
  *accepted(e) = e->numbers[0];
  out->terminate = hki_sim_ended(s);
  out->next_defined = isfinite(*cap(e));
  out->next = isfinite(*cap(e)) ? *cap(e) : 0.0;
  return st;
}

hk_status hki_exchange_accept(hk_exchange *e, bool *event) {
  hk_status st = evaluate(e);
  *event = false;
  if (st != HK_OK) return st;
  // work that was supplied and dissipated, over this step
  if (e->numbers[0] > *accepted(e)) hki_sim_audit_step(e->s, e->numbers[0] - *accepted(e));
  *accepted(e) = e->numbers[0];
  hki_kin_commit_turns(e->s->kin);
  hki_sim_signs_follow(e->s);
  *event = drifted(e);
  return HK_OK;
}

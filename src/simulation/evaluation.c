/* SPDX-License-Identifier: Apache-2.0
 *
 * evaluation.c: evaluations of the equations of motion: their life, their coordinates, their state.
 * The equations are those of machines/tree/tree.h, in the coordinates of the spanning tree (decision
 * 0003), never those of a formulation, so that there is one answer.
 */
#include "hooke/eval.h"

#include <stdio.h>

#include "analyses/assembly.h"
#include "simulation/coordinates.h"
#include "simulation/evaluation.h"

/* --- coordinates ------------------------------------------------------------------------------ */

static void to_machine(const hk_eval *e, const double *q, double *out) {
  for (int32_t i = 0; i < e->m->nq; i++) out[i] = e->q_sign[i] * (q[i] - e->q_zero[i]);
}

static void to_caller(const hk_eval *e, const double *q, double *out) {
  for (int32_t i = 0; i < e->m->nq; i++) out[i] = e->q_sign[i] * q[i] + e->q_zero[i];
}

static bool find_names(hk_eval *e) {
  const hk_model *m = e->m;
  hk_coordinates c;
  char name[512];
  if (hki_coordinates_find(m, e->pool, &c) != HK_OK) return false;
  e->q_sign = c.q_sign, e->q_zero = c.q_zero, e->sign = c.sign;
  e->q_name = c.q_name, e->v_name = c.v_name;
  for (int32_t i = 0; i < m->nrows; i++) {
    hki_model_row_name(m, i, name, sizeof name);
    if (!(e->row_name[i] = hki_pool_strdup(e->pool, name))) return false;
  }
  return true;
}

static bool find_frames(hk_eval *e) {
  const hk_spec *spec = e->m->spec;
  e->frame =
      hki_pool_alloc(e->pool, (size_t)(spec->nmarkers + spec->nbodies + 1) * sizeof *e->frame);
  if (!e->frame) return false;
  for (int32_t i = 0; i < spec->nmarkers; i++) {
    hk_eval_frame *f = &e->frame[e->nframes++];
    const hk_spec_marker *mk = &spec->markers[i];
    f->name = hki_pool_printf(e->pool, "marker.%s", mk->name);
    f->body = mk->body == HK_GROUND ? HK_GROUND : e->m->body_of_spec[mk->body];
    f->at = mk->at;
    if (f->body != HK_GROUND) v3_sub(f->at.p, mk->at.p, e->m->bodies[f->body].com0);
    if (!f->name) return false;
  }
  for (int32_t i = 0; i < spec->nbodies; i++) {
    hk_eval_frame *f = &e->frame[e->nframes++];
    f->name = hki_pool_printf(e->pool, "body.%s", spec->bodies[i].name);
    f->body = e->m->body_of_spec[i];
    f->at = e->m->bodies[f->body].own;
    if (!f->name) return false;
  }
  return true;
}

static bool find_inputs(hk_eval *e) {
  const hk_spec *spec = e->m->spec;
  e->inputs = hki_pool_alloc(e->pool, ((size_t)spec->nsignals + 1) * sizeof *e->inputs);
  for (int32_t i = 0; e->inputs && i < spec->nsignals; i++)
    if (hki_signal_is_input(&spec->signals[i])) e->inputs[e->ninputs++] = i;
  return e->inputs != NULL;
}

/* --- life ------------------------------------------------------------------------------------- */

static bool allocate(hk_eval *e) {
  const hk_model *m = e->m;
  const size_t nq = (size_t)m->nq, nv = (size_t)m->nv, nr = (size_t)m->nrows, d = sizeof(double);
  struct {
    double **at;
    size_t n;
  } part[] = {{&e->q, nq},   {&e->v, nv},      {&e->x, nv},      {&e->tau, nv},
              {&e->row, nr}, {&e->q_near, nq}, {&e->v_near, nv}, {&e->A, 6 * (size_t)m->nb}};
  for (int32_t i = 0; i < HK_ARRAY_LEN(part); i++)
    if (!(*part[i].at = hki_pool_alloc(e->pool, (part[i].n + 1) * d))) return false;
  e->Ic = hki_pool_alloc(e->pool, (size_t)(m->nb + 1) * sizeof *e->Ic);
  e->row_name = hki_pool_alloc(e->pool, (nr + 1) * sizeof *e->row_name);
  return e->Ic && e->row_name;
}

/* the model at its start; friction and other private states at rest */
static hk_status begin(hk_eval *e) {
  hk_assembly as = {.q = e->q, .v = e->v};
  hk_status st = hki_assemble(e->s, &as);
  if (st != HK_OK) return st;
  if (e->m->nz) {
    hki_kin_state(&e->s->kin, 0.0, e->q, e->v);
    hki_kin_rest_states(&e->s->kin);
    hki_kin_signals(&e->s->kin, false);
    hki_kin_find_states(&e->s->kin);
    hki_kin_hold_states(&e->s->kin, NULL);
  }
  hki_eval_place(e);
  // signals that remember begin
  if (e->s->kin.nmem) {
    hki_kin_signals(&e->s->kin, true);
    (void)hki_kin_commit(&e->s->kin, HK_COMMIT_START, 0.0);
    hki_eval_place(e);
  }
  return HK_OK;
}

static hk_status create(hk_eval *e) {
  hk_status st = hki_tree_create(e->ctx, e->m, &e->s);
  if (st == HK_OK) st = hki_tree_matrix(e->s);
  if (st != HK_OK) return st;
  if (!allocate(e)) return HK_E_MEMORY;
  if (!find_names(e) || !find_frames(e) || !find_inputs(e)) return HK_E_MEMORY;
  return begin(e);
}

hk_status hk_eval_create(hk_ctx *ctx, hk_model *m, hk_eval **out) {
  if (out) *out = NULL;
  if (!hki_is(m, HK_MARK_MODEL)) return hki_misuse(ctx, "hk_eval_create", "no model");
  if (!ctx) ctx = m->ctx;
  if (!hki_is(ctx, HK_MARK_CTX)) return hki_misuse(m->ctx, "hk_eval_create", "no context");
  if (!out) return hki_misuse(ctx, "hk_eval_create", "no place for the evaluation");
  const int32_t failures = hki_memory_failures(ctx);
  hk_eval *e = hki_alloc(ctx, sizeof *e);
  if (!e) return HK_E_MEMORY;
  e->mark = HK_MARK_EVAL;
  e->ctx = ctx;
  e->m = hki_model_retain(m);
  e->pool = hki_pool_create(ctx);
  hk_status st = e->pool ? create(e) : HK_E_MEMORY;
  if (hki_memory_failures(ctx) > failures) st = HK_E_MEMORY;
  if (st != HK_OK)
    hk_eval_destroy(e);
  else
    *out = e;
  return st;
}

void hk_eval_destroy(hk_eval *e) {
  if (!hki_is_eval(e)) return;
  hk_ctx *ctx = e->ctx;
  if (e->s) hki_tree_destroy(e->s);
  if (e->pool) hki_pool_destroy(e->pool);
  hki_free(ctx, e->drive);
  hki_model_release(e->m);
  e->mark = 0;
  hki_free(ctx, e);
}

/* --- public: coordinates ---------------------------------------------------------------------- */

int32_t hk_eval_coordinates(const hk_eval *e) { return hki_is_eval(e) ? e->m->nq : 0; }
int32_t hk_eval_velocities(const hk_eval *e) { return hki_is_eval(e) ? e->m->nv : 0; }
int32_t hk_eval_constraints(const hk_eval *e) { return hki_is_eval(e) ? e->m->nrows : 0; }

const char *hk_eval_coordinate_name(const hk_eval *e, int32_t i) {
  return hki_is_eval(e) && i >= 0 && i < e->m->nq ? e->q_name[i] : NULL;
}

const char *hk_eval_velocity_name(const hk_eval *e, int32_t i) {
  return hki_is_eval(e) && i >= 0 && i < e->m->nv ? e->v_name[i] : NULL;
}

const char *hk_eval_constraint_name(const hk_eval *e, int32_t i) {
  return hki_is_eval(e) && i >= 0 && i < e->m->nrows ? e->row_name[i] : NULL;
}

hk_status hk_eval_plus(hk_eval *e, const double *q, const double *d, double *out) {
  if (!hki_is_eval(e)) return HK_E_USAGE;
  if (!q || !d || !out) return hki_misuse(e->ctx, "hk_eval_plus", "no coordinates");
  to_machine(e, q, e->q_near);
  for (int32_t i = 0; i < e->m->nv; i++) e->x[i] = e->sign[i] * d[i];
  hki_tree_plus(e->m, e->q_near, e->x, e->q_near);
  to_caller(e, e->q_near, out);
  return HK_OK;
}

hk_status hk_eval_minus(hk_eval *e, const double *to, const double *from, double *out) {
  if (!hki_is_eval(e)) return HK_E_USAGE;
  if (!to || !from || !out) return hki_misuse(e->ctx, "hk_eval_minus", "no coordinates");
  // two positions, one after the other: of each body alone
  const hk_model *m = e->m;
  for (int32_t b = 0; b < m->nb; b++) {
    const hk_model_body *mb = &m->bodies[b];
    double q1[8], q0[8];
    for (int32_t k = 0; k < mb->nq; k++) {
      const int32_t i = mb->q0 + k;
      q1[k] = e->q_sign[i] * (to[i] - e->q_zero[i]);
      q0[k] = e->q_sign[i] * (from[i] - e->q_zero[i]);
    }
    if (mb->nv) mb->ops->minus(q1, q0, e->x + mb->v0);
  }
  for (int32_t i = 0; i < m->nv; i++) out[i] = e->sign[i] * e->x[i];
  return HK_OK;
}

/* --- the state -------------------------------------------------------------------------------- */

void hki_eval_place(hk_eval *e) {
  hk_kin *k = &e->s->kin;
  hki_kin_state(k, e->t, e->q, e->v);
  if (e->m->spec->nsignals) hki_kin_signals(k, false);
  hki_kin_closures(k);
  e->forces = e->biased = false;
}

void hki_eval_forces(hk_eval *e) {
  if (!e->forces) hki_kin_forces(&e->s->kin, 0);
  e->forces = true;
}

hk_status hk_eval_state(hk_eval *e, double t, const double *q, const double *v) {
  if (!hki_is_eval(e)) return HK_E_USAGE;
  const hk_model *m = e->m;
  bool ok = q && isfinite(t);
  for (int32_t i = 0; ok && i < m->nq; i++) ok = isfinite(q[i]);
  for (int32_t i = 0; ok && v && i < m->nv; i++) ok = isfinite(v[i]);
  if (ok) to_machine(e, q, e->q_near);
  ok = ok && hki_coordinates_normalise(m, e->q_near);
  if (!ok)
    return hki_misuse(e->ctx, "hk_eval_state",
                      q ? "numbers that are not finite, or a quaternion without direction"
                        : "no coordinates");
  e->t = t;
  memcpy(e->q, e->q_near, (size_t)m->nq * sizeof *q);
  for (int32_t i = 0; i < m->nv; i++) e->v[i] = v ? e->sign[i] * v[i] : 0.0;
  hki_eval_place(e);
  return HK_OK;
}

hk_status hk_eval_get(const hk_eval *e, double *t, double *q, double *v) {
  if (!hki_is_eval(e)) return HK_E_USAGE;
  if (t) *t = e->t;
  if (q) to_caller(e, e->q, q);
  for (int32_t i = 0; v && i < e->m->nv; i++) v[i] = e->sign[i] * e->v[i];
  return HK_OK;
}

hk_status hk_eval_take(hk_eval *e, hk_sim *s, double *a) {
  if (!hki_is_eval(e)) return HK_E_USAGE;
  if (!hki_is(s, HK_MARK_SIM) || s->m != e->m)
    return hki_misuse(e->ctx, "hk_eval_take", "no simulation of this model");
  const hk_model *m = e->m;
  hk_kin *k = &e->s->kin;
  hki_sim_show_accepted(s);
  e->t = s->I.t;
  memcpy(e->q, s->qt, (size_t)m->nq * sizeof *e->q);
  memcpy(e->v, s->vt, (size_t)m->nv * sizeof *e->v);
  memcpy(k->disc.block, s->kin->disc.block, (size_t)k->disc.n * sizeof *k->disc.block);
  hki_kin_forget(k, ~0u);
  hki_kin_unknowns(k, s->vt + m->nv, s->at + m->nv);
  if (m->nz) hki_kin_hold_states(k, s->vt + m->nv + m->nx);
  for (int32_t i = 0; a && i < m->nv; i++) a[i] = e->sign[i] * s->at[i];
  hki_eval_place(e);
  return HK_OK;
}

int32_t hk_eval_input_find(const hk_eval *e, const char *name) {
  for (int32_t i = 0; hki_is_eval(e) && name && i < e->ninputs; i++)
    if (strcmp(e->m->spec->signals[e->inputs[i]].name, name) == 0) return i;
  return -1;
}

hk_status hk_eval_input_set(hk_eval *e, int32_t input, double value) {
  if (!hki_is_eval(e)) return HK_E_USAGE;
  if (input < 0 || input >= e->ninputs || !isfinite(value))
    return hki_misuse(e->ctx, "hk_eval_input_set", "no input of this number, or no finite value");
  hk_kin *k = &e->s->kin;
  const int32_t signal = e->inputs[input];
  hki_memory_input(e->m->spec->signals[signal].memory, k->disc.mem + k->sig_mem[signal], e->t,
                   value, true);
  hki_kin_forget(k, HK_KIN_SIGNALS | HK_KIN_EVERY_SIGNAL | HK_KIN_OF_FORCES | HK_KIN_OF_CLOSURES);
  hki_eval_place(e);
  return HK_OK;
}

hk_status hk_eval_project(hk_eval *e) {
  if (!hki_is_eval(e)) return HK_E_USAGE;
  const hk_model *m = e->m;
  memcpy(e->q_near, e->q, (size_t)m->nq * sizeof *e->q);
  memcpy(e->v_near, e->v, (size_t)m->nv * sizeof *e->v);
  const hk_status st = hki_tree_project_state(e->s, e->t, e->q_near, e->v_near);
  if (st == HK_OK) {
    memcpy(e->q, e->q_near, (size_t)m->nq * sizeof *e->q);
    memcpy(e->v, e->v_near, (size_t)m->nv * sizeof *e->v);
  }
  hki_eval_place(e);
  if (st != HK_RETRY) return st;
  return hki_error(e->ctx, HK_E_ASSEMBLY, HK_LOC_NONE, "choose a state nearer to a closed one",
                   "the loops cannot be closed from this state");
}

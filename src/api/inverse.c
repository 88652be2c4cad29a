/* SPDX-License-Identifier: Apache-2.0
 *
 * inverse.c: a whole motion with the values of its actuators, and result files (hooke/inverse.h). Without tasks it is
 * that of a simulation which prescribed motions drive; with tasks it is found time by time, and shown to the simulation
 * for its channels.
 */
#include "hooke/inverse.h"

#include <stdio.h>

#include "scene/recorder.h"
#include "simulation/inverse.h"

static const hk_run_options no_files = {.size = sizeof no_files};

typedef struct motion {
  hk_inverse *a;
  hk_sim *s;
  hk_output *out;
} motion;

/* --- rows ------------------------------------------------------------------------------------- */

static double *new_row(hk_inverse *a) {
  const int32_t width = 1 + a->n;
  if (a->rows >= INT32_MAX / width - 1) return NULL;
  if (!HK_GROW(a->s->ctx, a->table, a->cap, (a->rows + 1) * width)) return NULL;
  return a->table + (size_t)a->rows * (size_t)width;
}

/* what the last row lacks, in words */
static hk_status say_left(const hk_inverse *a, double t, double left) {
  bool ends = false;
  for (int32_t i = 0; i < a->n; i++) ends |= a->end[i] != 0;
  return hki_error(a->s->ctx, HK_E_SINGULAR, HK_LOC_NONE, "add actuators, or take others",
                   "at %.6g s these actuators cannot give this motion%s: %.3g %% of the forces are "
                   "left (%d actuators act on %d of %d freedoms)",
                   t, ends ? " within their ranges" : "", 100.0 * left, (int)a->n, (int)a->rank,
                   (int)a->freedoms);
}

/* the row is kept and written; the simulation is at its state */
static hk_status record(motion *m, double t, const double *row) {
  hk_inverse *a = m->a;
  a->rows++;
  for (int32_t i = 0; i < a->n; i++) a->ends[i] += a->end[i] != 0;
  if (!m->out) return HK_OK;
  hk_status st = hki_sim_record(m->s, m->out->values);
  memcpy(m->out->values + m->s->nchannels, row + 1, (size_t)a->n * sizeof *row);
  if (st == HK_OK) st = m->out->row(m->out, t, m->out->values);
  if (st == HK_OK && m->out->frame && (a->rows == 1 || m->out->frame_due(m->out, t)))
    st = m->out->frame(m->out, t);
  return st;
}

/* the present state of a simulation that motions drive */
static hk_status take_driven(motion *m) {
  const double t = hk_sim_time(m->s);
  double *row = new_row(m->a), left = NAN;
  if (!row) return HK_E_MEMORY;
  row[0] = t;
  hk_status st = hk_inverse_find(m->a, row + 1, &left);
  if (st == HK_E_SINGULAR && isfinite(left)) return say_left(m->a, t, left);
  return st == HK_OK ? record(m, t, row) : st;
}

/* The simulation shows the state of the tasks, with what the actuators do: inputs have their values, and forces on
 * coordinates count in reactions. */
static hk_status show(motion *m, const double *force) {
  hk_sim *s = m->s;
  const hk_inverse *a = m->a;
  const hk_tasks *k = a->tasks;
  const size_t nv = (size_t)s->m->nv, rest = (size_t)(s->m->nx + s->m->nz);
  s->I.t = k->t;
  for (int32_t i = 0; i < a->n; i++) {
    const int32_t signal = a->act[i].signal;
    if (signal != HK_NONE)
      hki_memory_input(s->m->spec->signals[signal].memory,
                       s->kin->disc.mem + s->kin->sig_mem[signal], k->t, force[i], true);
  }
  memcpy(s->qt, k->q, (size_t)s->m->nq * sizeof *s->qt);
  memcpy(s->vt, k->v, nv * sizeof *s->vt);
  memcpy(s->at, k->a, nv * sizeof *s->at);
  memset(s->at + nv, 0, rest * sizeof *s->at);
  hki_kin_forget(s->kin,
                 HK_KIN_SIGNALS | HK_KIN_EVERY_SIGNAL | HK_KIN_OF_FORCES | HK_KIN_OF_CLOSURES);
  hki_kin_state(s->kin, k->t, s->qt, s->vt);
  hki_kin_signals(s->kin, true);
  hki_kin_closures(s->kin);
  hki_kin_closure_bias(s->kin);
  hki_sim_audit_measure(s);
  s->reactions_known = false;
  if (!s->wants_reactions) return HK_OK;
  hki_kin_forget(&s->tree->kin,
                 HK_KIN_SIGNALS | HK_KIN_EVERY_SIGNAL | HK_KIN_OF_FORCES | HK_KIN_OF_CLOSURES);
  hki_tree_state(s->tree, k->t, s->qt, s->vt, 0);
  for (int32_t i = 0; i < a->n; i++) {
    const hk_named *row = a->act[i].row;
    for (int32_t j = 0; row && j < row->path.n; j++)
      s->tree->kin.tau[row->path.dof[j]] += row->g[j] * force[i];
  }
  hk_status st = hki_reactions_eval(s->reactions, s->tree, s->at, s->wrench, s->drive, s->unique);
  s->reactions_known = st == HK_OK;
  return st;
}

static hk_status take_tasks(motion *m, double t) {
  hk_inverse *a = m->a;
  hk_tasks *k = a->tasks;
  double *row = new_row(a), left = NAN;
  if (!row) return HK_E_MEMORY;
  row[0] = t;
  hk_status st = hki_tasks_find(k, t);
  if (st != HK_OK) return st;
  m->s->kin->t = t;
  st = hki_inverse_balance(a, t, k->q, k->v, k->a, row + 1, &left);
  if (st == HK_E_SINGULAR) return say_left(a, t, left);
  if (st == HK_OK) st = show(m, row + 1);
  return st == HK_OK ? record(m, t, row) : st;
}

/* --- the motion ------------------------------------------------------------------------------- */

static hk_status follow(motion *m) {
  hk_sim *s = m->s;
  hk_status st = HK_OK;
  if (m->a->tasks) {
    const int64_t n = (int64_t)floor(s->end / s->step + 1e-9);
    for (int64_t i = 0; st == HK_OK && i <= n; i++) {
      st = take_tasks(m, (double)i * s->step);
      if (hki_stopped(s->ctx)) st = HK_INTERRUPTED;
    }
    if (st == HK_OK && (double)n * s->step < s->end * (1.0 - 1e-9)) st = take_tasks(m, s->end);
    return st;
  }
  st = take_driven(m);
  while (st == HK_OK && !hk_sim_done(s)) {
    st = hk_sim_step(s);
    if (st < 0)
      hki_error(s->ctx, st, HK_LOC_NONE, s->advice ? s->advice : hk_status_hint(st), "%s",
                s->message);
    if (st == HK_OK) st = take_driven(m);
    if (hki_stopped(s->ctx)) st = HK_INTERRUPTED;
  }
  return st;
}

/* the channels of the actuators, in memory of the pool */
static hk_results_channel *channels(const hk_inverse *a) {
  hk_results_channel *more = hki_pool_alloc(a->pool, ((size_t)a->n + 1) * sizeof *more);
  for (int32_t i = 0; more && i < a->n; i++) {
    char name[600];
    const bool input = a->act[i].signal != HK_NONE;
    const hk_scalar *x = input ? NULL : &a->s->m->scalars[a->act[i].row->scalar];
    if (!hki_inverse_channel(a, i, name, sizeof name)) return NULL;
    more[i].name = hki_pool_strdup(a->pool, name);
    more[i].unit = input ? "1" : x && strcmp(a->act[i].row->unit, "m") == 0 ? "N" : "N*m";
    more[i].text = input ? "value of the input" : "force or torque of the actuator";
    if (!more[i].name) return NULL;
  }
  return more;
}

static hk_status run(hk_inverse *a, const hk_run_options *opt) {
  hk_recorder *files = NULL;
  motion m = {.a = a, .s = a->s};
  const hk_results_channel *more = channels(a);
  a->ends = hki_pool_alloc(a->pool, ((size_t)a->n + 1) * sizeof *a->ends);
  if (!more || !a->ends) return HK_E_MEMORY;
  memset(a->ends, 0, ((size_t)a->n + 1) * sizeof *a->ends);
  hk_status st = HK_OK;
  if (a->s->m->spec->inverse.ntasks)
    st = hki_tasks_create(a->s->ctx, a->s->m, a->s->step, &a->tasks);
  const hk_recording as = {.analysis = "inverse dynamics", .nmore = a->n, .more = more};
  if (st == HK_OK) st = hki_recorder_open_as(a->s, opt, &as, &files);
  if (st != HK_OK) return st;
  m.out = hki_recorder_output(files);
  hki_stop_allow(a->s->ctx, true);
  st = follow(&m);
  if (st != HK_OK && hki_stopped(a->s->ctx)) st = HK_INTERRUPTED;
  hki_stop_allow(a->s->ctx, false);
  // a motion that ends early is no motion
  hk_status closed = HK_OK;
  if (st != HK_OK)
    hki_recorder_abandon(files);
  else
    closed = hki_recorder_close(files);
  hki_recorder_free(files);
  return st == HK_OK ? closed : st;
}

hk_status hk_inverse_run(hk_model *m, const hk_inverse_options *opt, const hk_run_options *from,
                         hk_inverse **out) {
  hk_run_options files = no_files;
  hk_sim *s = NULL;
  if (out) *out = NULL;
  if (!hki_is(m, HK_MARK_MODEL)) return hki_misuse(NULL, "hk_inverse_run", "no model");
  if (!out) return hki_misuse(m->ctx, "hk_inverse_run", "no place for what is found");
  hk_status st = hki_options_read(m->ctx, HK_OPTIONS(hk_run_options, output), &files, from);
  if (st != HK_OK) return st;
  hki_stop_on(m->ctx, files.interrupt);
  st = hk_sim_create(m, files.sim, &s);
  if (st == HK_OK) st = hk_inverse_open(s, opt, out);
  if (st != HK_OK) {
    hk_sim_destroy(s);
    hki_stop_on(m->ctx, NULL);
    return st;
  }
  (*out)->own = s;
  st = run(*out, &files);
  hki_stop_on(m->ctx, NULL);
  return st;
}

/* --- questions -------------------------------------------------------------------------------- */

int32_t hk_inverse_asked(const hk_model *m) {
  if (!hki_is(m, HK_MARK_MODEL)) return 0;
  return m->spec->inverse.ntasks > 0 || m->spec->inverse.nactuators > 0;
}

int32_t hk_inverse_rows(const hk_inverse *a) { return hki_is_inverse(a) ? a->rows : 0; }

const double *hk_inverse_row(const hk_inverse *a, int32_t row) {
  if (row < 0 || row >= hk_inverse_rows(a)) return NULL;
  return a->table + (size_t)row * (size_t)(1 + a->n);
}

int32_t hk_inverse_saturated_rows(const hk_inverse *a, int32_t i) {
  return i >= 0 && i < hk_inverse_count(a) && a->ends ? a->ends[i] : 0;
}

const char *hk_inverse_freedoms_get(const hk_inverse *a, hk_inverse_freedoms *out) {
  if (!hki_is_inverse(a) || !out || out->size < offsetof(hk_inverse_freedoms, motions)) return NULL;
  const hk_task_count *c = a->tasks ? &a->tasks->count : NULL;
  hk_inverse_freedoms f = {.size = out->size, .all = a->freedoms, .motions = a->motions};
  f.actuated = a->rank;
  if (c) {
    f.tasks = c->tasks, f.costs = c->costs, f.metric = c->metric, f.implied = c->implied;
    f.motions = c->motions;
  } else
    f.moving = f.all - f.motions;
  memcpy(out, &f, out->size < sizeof f ? out->size : sizeof f);
  if (!a->freedoms && !a->rank) return NULL;
  const int32_t needed = f.all - f.moving;
  return a->rank < needed ? "under" : a->n > needed ? "over" : "fully";
}

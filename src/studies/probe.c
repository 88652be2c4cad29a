/* SPDX-License-Identifier: Apache-2.0
 *
 * probe.c: a study's expressions on one model. Names are `t`, channels of the model,
 * earlier channels of the study, and any of them with `start.` before it for the value at the
 * start of the run; and the model's parameters, which are constants.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "studies/compare.h"

/* --- names ------------------------------------------------------------------------------------ */

typedef struct scope {
  hk_probe *p;
  int32_t nchannels; /* channels of the study defined so far */
  const char *near;
} scope;

/* the slot of an input, added when it is new; -1 when out of memory */
static int32_t slot_of(hk_probe *p, hk_probe_input in) {
  for (int32_t i = 0; i < p->ninputs; i++) {
    const hk_probe_input *k = &p->inputs[i];
    if (k->kind == in.kind && k->start == in.start && k->expr == in.expr &&
        k->channel.kind == in.channel.kind && k->channel.item == in.channel.item &&
        k->channel.component == in.channel.component)
      return i;
  }
  if (!HK_GROW(p->ctx, p->inputs, p->cap, p->ninputs + 1)) return -1;
  p->inputs[p->ninputs] = in;
  return p->ninputs++;
}

static void need(hk_probe *p, hk_channel c) {
  switch ((hk_channel_kind)c.kind) {
    case HK_CH_JOINT_FORCE:
    case HK_CH_JOINT_TORQUE:
    case HK_CH_JOINT_DRIVE:
    case HK_CH_JOINT_LOAD:
    case HK_CH_JOINT_MULTIPLIER:
    case HK_CH_SERVO:
      p->reactions = true;
      break;
    case HK_CH_BODY_ACCELERATION:
    case HK_CH_BODY_ANGULAR_ACCELERATION:
    case HK_CH_BODY_COM_ACCELERATION:
      p->accelerations = true;
      break;
    default:
      break;
  }
}

static bool resolve(void *user, const char *name, hk_expr_symbol *out) {
  scope *s = user;
  hk_probe *p = s->p;
  hk_probe_input in = {.kind = HK_PROBE_TIME, .expr = -1};
  char hint[300] = "";
  *out = (hk_expr_symbol){.is_input = true};
  if (strcmp(name, "t") == 0) return (out->slot = slot_of(p, in)) >= 0;
  in.start = strncmp(name, "start.", 6) == 0;
  if (in.start) name += 6;
  for (int32_t i = 0; i < s->nchannels; i++) {
    if (strcmp(p->study->channels[i].name, name) != 0) continue;
    in.kind = HK_PROBE_EXPR;
    in.expr = i;
    return (out->slot = slot_of(p, in)) >= 0;
  }
  in.kind = HK_PROBE_CHANNEL;
  if (hki_channel_parse(p->spec, name, &in.channel, hint, sizeof hint)) {
    need(p, in.channel);
    return (out->slot = slot_of(p, in)) >= 0;
  }
  for (int32_t i = 0; i < p->spec->nparameters; i++) {
    if (strcmp(p->spec->parameters[i].name, name) != 0) continue;
    *out = (hk_expr_symbol){.value = p->spec->parameters[i].value};
    return true;
  }
  // the name between the quotes of "did you mean '...'?"
  char *open = strchr(hint, '\''), *close = open ? strchr(open + 1, '\'') : NULL;
  if (close) s->near = hki_pool_strndup(p->pool, open + 1, (size_t)(close - open - 1));
  return false;
}

static void suggest(void *user, hk_nearest *near) {
  const scope *s = user;
  if (s->near) hki_nearest_try(near, s->near);
  for (int32_t i = 0; i < s->nchannels; i++) hki_nearest_try(near, s->p->study->channels[i].name);
  const hk_spec *spec = s->p->spec;
  for (int32_t i = 0; i < spec->nparameters; i++) hki_nearest_try(near, spec->parameters[i].name);
}

static hk_status compile(hk_probe *p, hk_study_text text, int32_t nchannels) {
  scope s = {p, nchannels, NULL};
  hk_expr_scope names = {&s, resolve, suggest, false};
  hk_status st = hki_expr_compile(p->ctx, p->pool, text.text, strlen(text.text), text.loc, &names,
                                  &p->exprs[p->nexprs++]);
  return st == HK_E_MODEL && text.loc.file < 0 ? HK_E_USAGE : st;
}

/* --- measures --------------------------------------------------------------------------------- */

/* a pattern of channels: no expression has a '*' between dots or at the end of a word */
static bool is_pattern(const char *text) {
  if (!strpbrk(text, "*?")) return false;
  return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.*?") ==
             strlen(text) &&
         strchr(text, '.');
}

static hk_status match(hk_probe *p, const hk_study_measure *m, hk_probe_measure *pm) {
  hk_channel *list = NULL;
  int32_t n = 0, cap = 0;
  int32_t added = hki_channel_match(p->ctx, p->spec, m->value.text, &list, &n, &cap);
  hk_status st = added < 0 ? HK_E_MEMORY : HK_OK;
  if (added == 0) {
    char hint[600];
    hki_channel_glob_hint(p->spec, m->value.text, hint, sizeof hint);
    st = hki_error(p->ctx, m->value.loc.file >= 0 ? HK_E_MODEL : HK_E_USAGE, m->value.loc, hint,
                   "'%s' matches no channel of the model", m->value.text);
  }
  if (st == HK_OK) {
    pm->channels = hki_pool_alloc(p->pool, (size_t)n * sizeof *list);
    if (pm->channels) memcpy(pm->channels, list, (size_t)n * sizeof *list);
    pm->nchannels = n;
    pm->expr = -1;
    for (int32_t i = 0; i < n; i++) need(p, list[i]);
    if (!pm->channels) st = HK_E_MEMORY;
  }
  hki_free(p->ctx, list);
  return st;
}

static hk_status prepare_measure(hk_probe *p, int32_t i) {
  const hk_study_measure *m = &p->study->measures[i];
  hk_probe_measure *pm = &p->measures[i];
  bool error = hki_measure_infos[m->kind].reference;
  hk_status st;
  if (error && is_pattern(m->value.text)) {
    st = match(p, m, pm);
  } else {
    pm->expr = p->nexprs;
    st = compile(p, m->value, p->study->nchannels);
  }
  pm->over = -1;
  if (st == HK_OK && m->over.text) {
    pm->over = p->nexprs;
    st = compile(p, m->over, p->study->nchannels);
  }
  pm->at = p->width;
  pm->width = !error ? 0 : pm->nchannels ? pm->nchannels : 1;
  p->width += pm->width;
  return st;
}

/* --- life ------------------------------------------------------------------------------------- */

hk_status hki_probe_create(hk_ctx *ctx, const hk_study *study, const hk_model *m, hk_probe **out) {
  hk_pool *pool = hki_pool_create(ctx);
  hk_probe *p = pool ? hki_pool_alloc(pool, sizeof *p) : NULL;
  *out = NULL;
  if (!p) {
    if (pool) hki_pool_destroy(pool);
    return HK_E_MEMORY;
  }
  size_t n = (size_t)(study->nchannels + 2 * study->nmeasures) + 1;
  *p = (hk_probe){.ctx = ctx, .pool = pool, .study = study, .spec = m->spec};
  p->exprs = hki_pool_alloc(pool, n * sizeof(hk_expr *));
  p->values = hki_pool_alloc(pool, n * sizeof *p->values);
  p->measures = hki_pool_alloc(pool, n * sizeof *p->measures);
  hk_status st = p->exprs && p->values && p->measures ? HK_OK : HK_E_MEMORY;
  // go on after an error, so that all are reported
  for (int32_t i = 0; st != HK_E_MEMORY && i < study->nchannels; i++) {
    hk_status one = compile(p, study->channels[i].value, i);
    if (st == HK_OK) st = one;
  }
  for (int32_t i = 0; st != HK_E_MEMORY && i < study->nmeasures; i++) {
    hk_status one = prepare_measure(p, i);
    if (st == HK_OK) st = one;
  }
  if (st == HK_OK) {
    p->now = hki_pool_alloc(pool, (size_t)(p->ninputs + 1) * sizeof *p->now);
    p->row = hki_pool_alloc(pool, (size_t)(p->width + 1) * sizeof *p->row);
    if (!p->now || !p->row) st = HK_E_MEMORY;
  }
  if (st != HK_OK) {
    hki_probe_destroy(p);
    return st;
  }
  *out = p;
  return HK_OK;
}

void hki_probe_destroy(hk_probe *p) {
  if (!p) return;
  hki_free(p->ctx, p->inputs);
  hki_pool_destroy(p->pool);
}

/* --- sampling --------------------------------------------------------------------------------- */

hk_status hki_probe_sample(hk_probe *p, hk_sim *s, bool first) {
  hk_status st = hki_sim_show_now(s);
  if (st != HK_OK) return st;
  hki_kin_signals(s->kin, true);
  st = hki_sim_prepare_values(s, p->reactions, p->accelerations);
  if (st != HK_OK) return st;
  for (int32_t i = 0; i < p->ninputs; i++) {
    const hk_probe_input *in = &p->inputs[i];
    if (in->start && !first) continue;
    if (in->kind == HK_PROBE_TIME) p->now[i] = hk_sim_time(s);
    if (in->kind == HK_PROBE_CHANNEL) p->now[i] = hki_sim_channel(s, in->channel);
  }
  for (int32_t k = 0; k < p->nexprs; k++) {
    p->values[k] = hki_expr_eval(p->exprs[k], p->now);
    for (int32_t i = 0; i < p->ninputs; i++) {
      const hk_probe_input *in = &p->inputs[i];
      if (in->kind == HK_PROBE_EXPR && in->expr == k && (first || !in->start))
        p->now[i] = p->values[k];
    }
  }
  for (int32_t i = 0; i < p->study->nmeasures; i++) {
    const hk_probe_measure *pm = &p->measures[i];
    if (pm->width && pm->expr >= 0) p->row[pm->at] = p->values[pm->expr];
    for (int32_t k = 0; k < pm->nchannels; k++)
      p->row[pm->at + k] = hki_sim_channel(s, pm->channels[k]);
  }
  return HK_OK;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * signals.c: the dependence of each signal on time and state, directly or through other signals,
 * and its breaks: the times at which it may jump or have a kink. A signal that reads another has
 * the breaks of both.
 */
#include "model/channel_list.h"
#include "model/work.h"

/* does input `slot` of signal i read an earlier signal or an existing channel? */
static bool check_read(hk_work *w, int32_t i, int32_t slot) {
  const hk_spec_signal *s = &w->spec->signals[i];
  const hk_read *r = slot < s->nreads ? &s->reads[slot] : NULL;
  bool ok = r && (r->kind != HK_READ_SIGNAL || (r->signal >= 0 && r->signal < i)) &&
            (r->kind != HK_READ_CHANNEL || hki_channel_valid(w->spec, r->channel));
  if (!ok)
    hki_error(w->ctx, HK_E_MODEL, s->loc, NULL,
              "signal '%s' reads something that is not known before it", s->name ? s->name : "");
  return ok;
}

/* is what signal s takes in late a signal? */
static bool check_late(hk_work *w, const hk_spec_signal *s, int32_t late) {
  if (late >= 0 && late < w->spec->nsignals) return true;
  hki_error(w->ctx, HK_E_MODEL, s->loc, NULL, "signal '%s' reads a signal that does not exist",
            s->name ? s->name : "");
  return false;
}

/* adds what the inputs of expression e, one of signal i, depend on */
static bool add_inputs(hk_work *w, int32_t i, const hk_expr *e) {
  const hk_spec_signal *s = &w->spec->signals[i];
  bool ok = true;
  for (int32_t k = 0; k < hki_expr_input_count(e); k++) {
    int32_t slot = hki_expr_inputs(e)[k];
    if (!check_read(w, i, slot)) {
      ok = false;
      continue;
    }
    const hk_read *r = &s->reads[slot];
    if (r->kind == HK_READ_TIME) w->signal[i] |= HK_DEPENDS_TIME;
    if (r->kind == HK_READ_CHANNEL) w->signal[i] |= HK_DEPENDS_STATE;
    if (r->kind == HK_READ_SIGNAL) w->signal[i] |= w->signal[r->signal];
  }
  return ok;
}

/* does a signal have what its kind computes from? */
static bool complete(const hk_spec_signal *s) {
  switch (s->kind) {
    case HK_SIGNAL_TABLE:
      return s->table != NULL;
    case HK_SIGNAL_SHAPE:
      return s->shape != NULL;
    case HK_SIGNAL_SURFACE:
      return s->expr && s->second && s->surface;
    case HK_SIGNAL_MEMORY:
      return s->expr && s->memory;
    default:
      return s->expr != NULL;
  }
}

bool hki_work_signals(hk_work *w) {
  const hk_spec *spec = w->spec;
  w->signal = HK_SCRATCH(w, uint8_t, spec->nsignals + 1);
  if (!w->signal) return false;
  bool ok = true;
  for (int32_t i = 0; i < spec->nsignals; i++) {
    const hk_spec_signal *s = &spec->signals[i];
    if (!complete(s)) {
      hki_error(w->ctx, HK_E_MODEL, s->loc, NULL, "signal '%s' is empty", s->name ? s->name : "");
      ok = false;
      continue;
    }
    if (!s->expr) w->signal[i] = HK_DEPENDS_TIME;
    if (s->expr) ok = add_inputs(w, i, s->expr) && ok;
    if (s->second) ok = add_inputs(w, i, s->second) && ok;
    if (s->nlate) w->signal[i] |= HK_DEPENDS_STATE;
    // an event may change what it remembers
    if (s->memory)
      w->signal[i] |= s->memory->fn == HK_MEMORY_VARIABLE ? HK_DEPENDS_EVENTS : HK_DEPENDS_TIME;
    for (int32_t k = 0; k < s->nlate; k++) ok = check_late(w, s, s->late[k]) && ok;
  }
  return ok;
}

int32_t hki_signal_time(const hk_spec_signal *s) {
  int32_t slot = -1;
  for (int32_t k = 0; k < s->nreads; k++)
    if (s->reads[k].kind == HK_READ_TIME) slot = k;
  return slot;
}

double hki_signal_next_break(const hk_spec_signal *s, double t) {
  if (s->kind == HK_SIGNAL_TRAVEL) return INFINITY;
  hk_time_function f = hki_signal_function(s);
  f.slot = hki_signal_time(s);
  return hki_next_jump(&f, t);
}

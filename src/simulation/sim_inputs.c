/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_inputs.c: inputs, signals that the program around a simulation sets between steps. Their values
 * lie in the discrete data with those of other signals that remember (expr/memory.h), so that a
 * rejected step, a checkpoint and a clone carry them.
 *
 * A value that is set without a jump waits for the next step, so that all that is read before it
 * belongs to one state. A jump is crossed like that of any other signal, at once.
 */
#include "simulation/live.h"
#include "simulation/stepper.h"

static bool is_sim(const hk_sim *s) { return hki_is(s, HK_MARK_SIM); }

hk_status hki_sim_inputs(hk_sim *s) {
  const hk_spec *spec = s->m->spec;
  s->inputs = hki_pool_alloc(s->pool, ((size_t)spec->nsignals + 1) * sizeof *s->inputs);
  if (!s->inputs) return HK_E_MEMORY;
  s->ninputs = 0;
  for (int32_t i = 0; i < spec->nsignals; i++)
    if (hki_signal_is_input(&spec->signals[i])) s->inputs[s->ninputs++] = i;
  return HK_OK;
}

int32_t hk_sim_input_count(const hk_sim *s) { return is_sim(s) ? s->ninputs : 0; }

const char *hk_sim_input_name(const hk_sim *s, int32_t input) {
  if (input < 0 || input >= hk_sim_input_count(s)) return NULL;
  return s->m->spec->signals[s->inputs[input]].name;
}

int32_t hk_sim_input_find(const hk_sim *s, const char *name) {
  for (int32_t i = 0; name && i < hk_sim_input_count(s); i++)
    if (strcmp(s->m->spec->signals[s->inputs[i]].name, name) == 0) return i;
  return -1;
}

/* what input k remembers */
static double *memory_of(const hk_sim *s, int32_t k) {
  return s->kin->disc.mem + s->kin->sig_mem[s->inputs[k]];
}
static const hk_memory *kind_of(const hk_sim *s, int32_t k) {
  return s->m->spec->signals[s->inputs[k]].memory;
}

void hki_sim_inputs_take(hk_sim *s) {
  bool any = false;
  if (!s->inputs_new) return;
  s->inputs_new = false;
  for (int32_t k = 0; k < s->ninputs; k++)
    any |= hki_memory_input_take(kind_of(s, k), memory_of(s, k), s->I.t);
  if (!any) return;
  hki_kin_forget(s->kin,
                 HK_KIN_SIGNALS | HK_KIN_EVERY_SIGNAL | HK_KIN_OF_FORCES | HK_KIN_OF_CLOSURES);
  hki_sim_refresh(s);
}

/* crosses the jump to the values that have been written; kin is still as it was before it */
static hk_status cross(hk_sim *s) {
  const double before = s->control.h;
  bool fired;
  hki_kin_forget(s->kin, HK_KIN_SIGNALS | HK_KIN_EVERY_SIGNAL | HK_KIN_OF_FORCES);
  s->reactions_known = false;
  hk_status st = hki_sim_cross_break(s);
  if (st == HK_OK) st = hki_sim_fire(s, &fired);
  if (s->free.on && !(s->control.h > 0.0)) s->control.before = before > 0.0 ? before : INFINITY;
  return hki_sim_end_step(s, st);
}

static hk_status set(hk_sim *s, int32_t n, const int32_t *inputs, const double *values, bool jump) {
  if (s->status != HK_OK || !n) return s->status;
  if (jump || s->stepper) hki_sim_show_accepted(s);
  for (int32_t i = 0; i < n; i++) {
    const int32_t k = inputs ? inputs[i] : i;
    if (jump)
      hki_memory_input(kind_of(s, k), memory_of(s, k), s->I.t, values[i], true);
    else
      hki_memory_input_next(memory_of(s, k), values[i]);
  }
  s->inputs_new = true;
  return jump ? cross(s) : HK_OK;
}

hk_status hki_sim_inputs_next(hk_sim *s, int32_t n, const int32_t *inputs, const double *values) {
  return set(s, n, inputs, values, false);
}

hk_status hki_sim_inputs_jump(hk_sim *s, int32_t n, const int32_t *inputs, const double *values) {
  return set(s, n, inputs, values, true);
}

void hki_sim_inputs_within(hk_sim *s, int32_t n, const int32_t *inputs, const double *values) {
  const uint32_t what =
      HK_KIN_SIGNALS | HK_KIN_EVERY_SIGNAL | HK_KIN_OF_FORCES | HK_KIN_OF_CLOSURES;
  for (int32_t i = 0; i < n; i++)
    hki_memory_input(kind_of(s, inputs[i]), memory_of(s, inputs[i]), s->I.t, values[i], true);
  hki_kin_forget(s->kin, what);
  hki_kin_forget(&s->tree->kin, what);
}

hk_status hki_sim_input_put(hk_sim *s, int32_t input, double value) {
  if (!isfinite(value)) return HK_E_NUMBER;
  hk_status st = set(s, 1, &input, &value, false);
  if (st != HK_OK) return st;
  hki_sim_inputs_take(s);
  hki_kin_forget(&s->tree->kin,
                 HK_KIN_SIGNALS | HK_KIN_EVERY_SIGNAL | HK_KIN_OF_FORCES | HK_KIN_OF_CLOSURES);
  return HK_OK;
}

/* why these inputs cannot be set, NULL: they can */
static const char *fault(const hk_sim *s, int32_t n, const int32_t *inputs, const double *values,
                         int32_t jump) {
  if (n < 0 || (n && !values)) return "the list of values does not fit its count";
  if (!inputs && n > s->ninputs) return "there are fewer inputs";
  if (jump != 0 && jump != 1) return "'jump' must be 0 or 1";
  for (int32_t k = 0; k < n; k++) {
    if (inputs && (inputs[k] < 0 || inputs[k] >= s->ninputs)) return "no input of this number";
    if (!isfinite(values[k])) return "the value must be a finite number";
    if (s->m->spec->signals[s->inputs[inputs ? inputs[k] : k]].places)
      return "a prescribed position follows this input and would jump: only 'hooke statics' moves "
             "it";
  }
  return NULL;
}

hk_status hk_sim_input_set(hk_sim *s, int32_t input, double value, int32_t jump) {
  if (!is_sim(s)) return hki_misuse(NULL, "hk_sim_input_set", "no simulation");
  const char *why = fault(s, 1, &input, &value, jump);
  return why ? hki_misuse(s->ctx, "hk_sim_input_set", why) : set(s, 1, &input, &value, jump != 0);
}

hk_status hk_sim_inputs_set(hk_sim *s, int32_t n, const int32_t *inputs, const double *values,
                            int32_t jump) {
  if (!is_sim(s)) return hki_misuse(NULL, "hk_sim_inputs_set", "no simulation");
  const char *why = fault(s, n, inputs, values, jump);
  return why ? hki_misuse(s->ctx, "hk_sim_inputs_set", why) : set(s, n, inputs, values, jump != 0);
}

double hki_sim_input_waits(const hk_sim *s, int32_t input) {
  return hki_memory_input_waits(memory_of(s, input));
}

double hk_sim_input_get(hk_sim *s, int32_t input) {
  if (input < 0 || input >= hk_sim_input_count(s)) return NAN;
  return hki_memory_input_last(kind_of(s, input), memory_of(s, input), hk_sim_time(s));
}

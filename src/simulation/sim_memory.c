/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_memory.c: when signals with memory take their values. Samples do so behind the break at their
 * time, delays after every step, latches and first hits where their conditions have been located
 * like those of events. All of it happens at accepted states.
 */
#include <stdio.h>

#include "simulation/simulation.h"

enum { MOST = 16 }; /* changes at one time: one may ask for the next */

/* time between the values that a signal takes and holds; INFINITY: it takes none */
static double spacing(const hk_spec_signal *s) {
  if (s->memory) return s->memory->period > 0.0 ? s->memory->period : INFINITY;
  return s->shape && s->shape->hold > 0.0 ? s->shape->hold : INFINITY;
}

/* A step ends at each of these times: a run that would have too many of them never ends. */
static hk_status refuse_many(hk_sim *s) {
  const double most = 1e9;
  for (int32_t i = 0; i < s->m->spec->nsignals; i++) {
    const hk_spec_signal *sig = &s->m->spec->signals[i];
    if (!(s->end > most * spacing(sig))) continue;
    return hki_error(s->ctx, HK_E_MODEL, sig->loc, "look at the unit, s, or end the run earlier",
                     "'%s' takes a value every %g s, more than %g in a run of %g s", sig->name,
                     spacing(sig), most, s->end);
  }
  return HK_OK;
}

hk_status hki_sim_memory_check(hk_sim *s) {
  const hk_spec *spec = s->m->spec;
  hk_status st = refuse_many(s);
  if (st != HK_OK) return st;
  for (int32_t i = 0; i < spec->nsignals; i++) {
    const hk_memory *m = spec->signals[i].memory;
    if (!m || m->fn != HK_MEMORY_DELAY) continue;
    if (s->free.on) {
      // steps of controlled length are kept below the delay
      s->I.step_max = fmin(s->I.step_max, m->time);
      continue;
    }
    if (s->step <= m->time * (1.0 + 1e-9)) continue;
    return hki_error(s->ctx, HK_E_MODEL, spec->signals[i].loc,
                     "take a step that is not longer, or write the operand itself",
                     "the delay of '%s', %g s, is shorter than a step, %g s: what it reads would "
                     "not be known yet",
                     spec->signals[i].name, m->time, s->step);
  }
  return HK_OK;
}

hk_status hki_sim_memory_start(hk_sim *s) {
  if (!s->kin->nmem) return HK_OK;
  (void)hki_kin_commit(s->kin, HK_COMMIT_START, s->I.t);
  for (int32_t i = 0; i < MOST && hki_kin_commit_due(s->kin, false); i++)
    (void)hki_kin_commit(s->kin, HK_COMMIT_EVENT, s->I.t);
  hki_sim_breaks_anew(s);
  return hki_sim_restart(s);
}

void hki_sim_memory_step(hk_sim *s) {
  if (s->kin->ntravel) hki_kin_travels_step(s->kin, s->I.t);
  if (!s->kin->nacts) return;
  hki_sim_refresh(s);
  (void)hki_kin_commit(s->kin, HK_COMMIT_STEP, s->I.t);
}

void hki_sim_memory_break(hk_sim *s) {
  if (!s->kin->nacts) return;
  (void)hki_kin_commit(s->kin, HK_COMMIT_BREAK, s->I.t);
  hki_sim_breaks_anew(s);
  hki_sim_refresh(s);
}

void hki_sim_memory_bend(hk_sim *s) {
  if (!s->kin->nacts) return;
  (void)hki_kin_commit(s->kin, HK_COMMIT_BEND, s->I.t);
  hki_sim_breaks_anew(s);
}

bool hki_sim_memory_event(hk_sim *s) {
  bool any = false;
  if (!s->kin->nacts) return false;
  for (int32_t i = 0; i < MOST && hki_kin_commit_due(s->kin, false); i++) {
    any |= hki_kin_commit(s->kin, HK_COMMIT_EVENT, s->I.t);
    hki_sim_refresh(s);
  }
  if (any) hki_sim_breaks_anew(s);
  return any;
}

hk_status hki_sim_memory_endless(hk_sim *s) {
  const int32_t si = s->kin->nacts ? hki_kin_commit_which(s->kin) : HK_NONE;
  if (si == HK_NONE) return HK_OK;
  snprintf(s->message, sizeof s->message,
           "'%.200s' changes its state again and again at t = %.9g s, without an end",
           s->m->spec->signals[si].name, s->I.t);
  s->advice = "conditions of transitions to and fro hold at once: let them exclude each other";
  return HK_E_NUMBER;
}

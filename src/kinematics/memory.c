/* SPDX-License-Identifier: Apache-2.0
 *
 * memory.c: signals with memory at accepted states. What they remember lies in the discrete data,
 * which both machines of a run share, a rejected step takes back and a checkpoint holds.
 */
#include "kinematics/kin.h"

/* the present values of the operands of signal si: its reads, then what it takes in late */
static const double *operands(const hk_kin *k, int32_t si) {
  const hk_spec_signal *s = &k->m->spec->signals[si];
  double *u = k->mem_u;
  for (int32_t i = 0; i < s->nreads; i++) u[i] = k->sig[3 * s->reads[i].signal];
  for (int32_t i = 0; i < s->nlate; i++) u[s->nreads + i] = k->sig[3 * s->late[i]];
  return u;
}

/* the second half of an instant: operands may be later signals, which have their values now */
static bool update(hk_kin *k, hk_commit when, double t) {
  bool changed = false;
  for (int32_t si = 0; si < k->m->spec->nsignals; si++) {
    const hk_memory *m = k->m->spec->signals[si].memory;
    if (m && hki_memory_update(m, k->disc.mem + k->sig_mem[si], when, t, operands(k, si)))
      changed = true;
  }
  return changed;
}

bool hki_kin_commit(hk_kin *k, hk_commit when, double t) {
  bool changed = false;
  // in order: a signal reads only earlier ones, which have taken theirs
  for (int32_t si = 0; si < k->m->spec->nsignals; si++) {
    const hk_memory *m = k->m->spec->signals[si].memory;
    hki_kin_signal(k, si);
    if (!m) continue;
    changed |= hki_memory_commit(m, k->disc.mem + k->sig_mem[si], when, t, operands(k, si));
    hki_kin_signal(k, si);
  }
  if (update(k, when, t)) {
    changed = true;
    for (int32_t si = 0; si < k->m->spec->nsignals; si++) hki_kin_signal(k, si);
  }
  if (changed) hki_kin_forget(k, HK_KIN_OF_FORCES | HK_KIN_OF_CLOSURES);
  return changed;
}

void hki_kin_set_memory(hk_kin *k, int32_t signal, double value) {
  hki_memory_set(k->m->spec->signals[signal].memory, k->disc.mem + k->sig_mem[signal], value);
  hki_kin_forget(k, HK_KIN_OF_FORCES | HK_KIN_OF_CLOSURES | HK_KIN_SIGNALS | HK_KIN_EVERY_SIGNAL);
}

void hki_kin_reset_memory(hk_kin *k, int32_t signal, double t) {
  const hk_memory *m = k->m->spec->signals[signal].memory;
  double *mem = k->disc.mem + k->sig_mem[signal];
  for (int32_t i = 0; i < hki_memory_size(m); i++) mem[i] = 0.0;
  (void)hki_memory_commit(m, mem, HK_COMMIT_START, t, operands(k, signal));
  (void)hki_memory_update(m, mem, HK_COMMIT_START, t, operands(k, signal));
  hki_kin_forget(k, HK_KIN_OF_FORCES | HK_KIN_OF_CLOSURES | HK_KIN_SIGNALS | HK_KIN_EVERY_SIGNAL);
}

/* does a condition of signal si depend on the state? */
static bool conditional(const hk_kin *k, int32_t si) {
  const hk_spec_signal *s = &k->m->spec->signals[si];
  for (int32_t i = 0; i < s->nreads + s->nlate; i++) {
    const int32_t of = i < s->nreads ? s->reads[i].signal : s->late[i - s->nreads];
    if (hki_memory_condition(s->memory, i) && k->sig_state[of]) return true;
  }
  return false;
}

/* the first signal whose condition asks for a change, HK_NONE: none; state: of those
 * that depend on the state */
static int32_t due(const hk_kin *k, bool state) {
  for (int32_t si = 0; k->nacts && si < k->m->spec->nsignals; si++) {
    const hk_memory *m = k->m->spec->signals[si].memory;
    if (!m || (state && !conditional(k, si))) continue;
    if (hki_memory_due(m, k->disc.mem + k->sig_mem[si], operands(k, si))) return si;
  }
  return HK_NONE;
}

bool hki_kin_commit_due(const hk_kin *k, bool state) { return due(k, state) != HK_NONE; }
int32_t hki_kin_commit_which(const hk_kin *k) { return due(k, false); }

bool hki_kin_commit_waits(const hk_kin *k, int32_t si) {
  if (si != HK_NONE) {
    const hk_memory *m = k->m->spec->signals[si].memory;
    return m && conditional(k, si) && hki_memory_waits(m, k->disc.mem + k->sig_mem[si]);
  }
  for (int32_t i = 0; k->nacts && i < k->m->spec->nsignals; i++)
    if (hki_kin_commit_waits(k, i)) return true;
  return false;
}

double hki_kin_next_break(const hk_kin *k, int32_t si, double t) {
  const hk_spec_signal *s = &k->m->spec->signals[si];
  return s->memory ? hki_memory_next_break(s->memory, k->disc.mem + k->sig_mem[si], t)
                   : hki_signal_next_break(s, t);
}

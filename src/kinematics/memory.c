/* SPDX-License-Identifier: Apache-2.0
 *
 * memory.c: signals with memory at accepted states. What they remember lies in the discrete data,
 * which both machines of a run share, a rejected step takes back and a checkpoint holds.
 */
#include "kinematics/kin.h"

/* the present values of the operands of signal si */
static void operands(const hk_kin *k, int32_t si, double u[HK_MEMORY_OPERANDS]) {
  const hk_spec_signal *s = &k->m->spec->signals[si];
  for (int32_t i = 0; i < HK_MEMORY_OPERANDS; i++)
    u[i] = i < s->nreads ? k->sig[3 * s->reads[i].signal] : 0.0;
}

bool hki_kin_commit(hk_kin *k, hk_commit when, double t) {
  bool changed = false;
  double u[HK_MEMORY_OPERANDS];
  // in order: a signal reads only earlier ones, which have taken theirs
  for (int32_t si = 0; si < k->m->spec->nsignals; si++) {
    const hk_memory *m = k->m->spec->signals[si].memory;
    hki_kin_signal(k, si);
    if (!m) continue;
    operands(k, si, u);
    changed |= hki_memory_commit(m, k->disc.mem + k->sig_mem[si], when, t, u);
    hki_kin_signal(k, si);
  }
  if (changed) hki_kin_forget(k, HK_KIN_OF_FORCES | HK_KIN_OF_CLOSURES);
  return changed;
}

/* what must hold for a condition of signal si to count */
static bool conditional(const hk_kin *k, int32_t si) {
  const hk_spec_signal *s = &k->m->spec->signals[si];
  for (int32_t i = 0; i < s->nreads && i < 2; i++)
    if (k->sig_state[s->reads[i].signal]) return true;
  return false;
}

bool hki_kin_commit_due(const hk_kin *k, bool state) {
  double u[HK_MEMORY_OPERANDS];
  for (int32_t si = 0; k->nmem && si < k->m->spec->nsignals; si++) {
    const hk_memory *m = k->m->spec->signals[si].memory;
    if (!m || (state && !conditional(k, si))) continue;
    operands(k, si, u);
    if (hki_memory_due(m, k->disc.mem + k->sig_mem[si], u)) return true;
  }
  return false;
}

bool hki_kin_commit_waits(const hk_kin *k, int32_t si) {
  if (si != HK_NONE) {
    const hk_memory *m = k->m->spec->signals[si].memory;
    return m && conditional(k, si) && hki_memory_waits(m, k->disc.mem + k->sig_mem[si]);
  }
  for (int32_t i = 0; k->nmem && i < k->m->spec->nsignals; i++)
    if (hki_kin_commit_waits(k, i)) return true;
  return false;
}

double hki_kin_next_break(const hk_kin *k, int32_t si, double t) {
  const hk_spec_signal *s = &k->m->spec->signals[si];
  return s->memory ? hki_memory_next_break(s->memory, k->disc.mem + k->sig_mem[si], t)
                   : hki_signal_next_break(s, t);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_breaks.c: the times at which signals or elements may jump. They are found one after the other
 * as time goes, each from the time alone, so that there is no limit to their number and a resumed
 * run finds the same ones.
 *
 * Only signals that something reads have breaks: forces, motions, held nodes, events. Recording a
 * signal does not count.
 */
#include <float.h>

#include "simulation/simulation.h"

static void use(const hk_sim *s, int32_t signal, uint8_t *used) {
  const hk_spec_signal *sig = &s->m->spec->signals[signal];
  if (used[signal]) return;
  used[signal] = 1;
  for (int32_t k = 0; k < sig->nreads; k++)
    if (sig->reads[k].kind == HK_READ_SIGNAL) use(s, sig->reads[k].signal, used);
  for (int32_t k = 0; k < sig->nlate; k++) use(s, sig->late[k], used);
}

hk_status hki_sim_breaks(hk_sim *s) {
  const hk_spec *spec = s->m->spec;
  hk_breaks *b = &s->breaks;
  const size_t most = (size_t)spec->nsignals + (size_t)s->m->nf + 1;
  uint8_t *used = hki_alloc(s->ctx, (size_t)spec->nsignals + 1);
  *b = (hk_breaks){.list = hki_pool_alloc(s->pool, most * sizeof *b->list), .soonest = -INFINITY};
  const bool ok = used && b->list;
  for (int32_t i = 0; ok && i < spec->nsignals; i++) used[i] = 0;
  for (int32_t i = 0; ok && i < spec->nsignals; i++)
    if (s->kin->sig_live[i]) use(s, i, used);
  for (int32_t e = 0; ok && e < spec->nevents; e++) use(s, spec->events[e].when, used);
  // what remembers must take its values in time, whoever reads it
  for (int32_t i = 0; ok && i < spec->nsignals; i++)
    if (spec->signals[i].memory) use(s, i, used);
  for (int32_t i = 0; ok && i < spec->nsignals; i++)
    if (used[i]) b->list[b->n++] = (hk_break_source){.signal = i};
  for (int32_t f = 0; ok && f < s->m->nf; f++)
    if (s->m->forces[f].ops->next_break)
      b->list[b->n++] = (hk_break_source){.signal = HK_NONE, .force = &s->m->forces[f]};
  for (int32_t i = 0; ok && i < b->n; i++) b->list[i].next = -INFINITY;
  hki_free(s->ctx, used);
  return ok ? HK_OK : HK_E_MEMORY;
}

void hki_sim_breaks_anew(hk_sim *s) {
  s->breaks.soonest = -INFINITY;
  for (int32_t i = 0; i < s->breaks.n; i++) s->breaks.list[i].next = -INFINITY;
}

double hki_sim_next_break(hk_sim *s) {
  hk_breaks *b = &s->breaks;
  if (b->soonest > s->I.t) return b->soonest;
  b->soonest = INFINITY;
  for (int32_t i = 0; i < b->n; i++) {
    hk_break_source *from = &b->list[i];
    if (from->next <= s->I.t)
      from->next = from->signal != HK_NONE ? hki_kin_next_break(s->kin, from->signal, s->I.t)
                                           : from->force->ops->next_break(from->force->par, s->I.t);
    b->soonest = fmin(b->soonest, from->next);
  }
  return b->soonest;
}

bool hki_sim_right_behind(const hk_sim *s, double b, double t) {
  const double most = fmin(1e-12 * fmax(fabs(t), s->step), 1e-6 * s->step);
  return b > t && b - t <= fmax(4.0 * DBL_EPSILON * fabs(t), most);
}

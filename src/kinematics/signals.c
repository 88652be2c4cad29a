/* SPDX-License-Identifier: Apache-2.0
 *
 * signals.c: signals at the present state. Signals of time alone carry their first and second
 * derivatives (prescribed motions need them); signals that read channels carry gradients in the
 * coordinates and velocities (tangents need them).
 *
 *   y = g(x(t))      g: a table, a shape or a table in two variables, x: its expressions
 */
#include "kinematics/kin.h"

/* value, rate and acceleration of one input of a signal */
static void read_input(const hk_kin *k, int32_t si, int32_t slot, const hk_read *r, double *x,
                       double *xd, double *xdd) {
  *xd = *xdd = 0.0;
  switch (r->kind) {
    case HK_READ_TIME:
      *x = k->t;
      *xd = 1.0;
      break;
    case HK_READ_SIGNAL:
      *x = k->sig[3 * r->signal];
      *xd = k->sig[3 * r->signal + 1];
      *xdd = k->sig[3 * r->signal + 2];
      break;
    default: {
      int32_t seen = k->seen_of[k->seen0[si] + slot];
      hk_channel rate;
      *x = seen >= 0 ? k->disc.seen[seen] : hki_kin_channel(k, r->channel);
      if (k->sig_state[si] == HK_SIGNAL_RATED && hki_channel_rate(r->channel, &rate))
        *xd = hki_kin_channel(k, rate);
      break;
    }
  }
}

void hki_kin_signal(hk_kin *k, int32_t si) {
  const hk_spec_signal *s = &k->m->spec->signals[si];
  double *x = k->sig_in, *xd = x + k->max_reads, *xdd = xd + k->max_reads, *y = k->sig + 3 * si;
  for (int32_t i = 0; i < s->nreads; i++)
    read_input(k, si, i, &s->reads[i], &x[i], &xd[i], &xdd[i]);
  if (s->memory) {
    hki_memory_eval(s->memory, k->disc.mem + k->sig_mem[si], k->t, x, y);
    return;
  }
  if (s->kind == HK_SIGNAL_TRAVEL) {
    hki_travel_eval(k, si, y);
    return;
  }
  if (s->kind == HK_SIGNAL_RATE) {
    y[0] = xd[0], y[1] = xdd[0], y[2] = 0.0;
    return;
  }
  const bool state = k->sig_state[si] && k->sig_state[si] != HK_SIGNAL_RATED;
  const hk_time_function f = hki_signal_function(s);
  hki_time_function_eval(&f, x, state ? NULL : xd, state ? NULL : xdd, y);
}

/* signals of this kind are needed in every evaluation now; every memory begins with 1 after the start */
static uint8_t needed(const hk_kin *k) {
  const bool started = k->nmem && k->disc.mem[0] != 0.0;
  return started ? HK_LIVE_ALWAYS : HK_LIVE_BEFORE_START;
}

void hki_kin_signals(hk_kin *k, bool all) {
  const uint8_t live = needed(k);
  // channels of turned joints need the signals that turn them (turned.c)
  for (int32_t si = 0; k->m->nturned && si < k->m->spec->nsignals; si++)
    if (!k->sig_state[si] && (all || k->sig_live[si] >= live)) hki_kin_signal(k, si);
  for (int32_t si = 0; si < k->m->spec->nsignals; si++)
    if (all || k->sig_live[si] >= live) hki_kin_signal(k, si);
  // nodes held by signals
  for (int32_t i = 0; i < k->m->nheld; i++) {
    const int32_t si = k->m->spec->nodes[k->m->held[i]].signal, at = k->m->nx + 1 + i;
    if (si != HK_NONE) k->x[at] = k->sig[3 * si], k->xd[at] = k->sig[3 * si + 1];
  }
  k->known |= all ? HK_KIN_SIGNALS | HK_KIN_EVERY_SIGNAL : HK_KIN_SIGNALS;
}

/* adds to g the slopes of an argument in its reads, times `gain` */
static void add_slopes(const hk_expr *e, const double *slope, double gain, double *g) {
  const int32_t *slot = hki_expr_inputs(e);
  for (int32_t i = 0; i < hki_expr_input_count(e); i++) g[slot[i]] += slope[i] * gain;
}

void hki_kin_signal_slopes(hk_kin *k, int32_t si, double *g) {
  const hk_spec_signal *s = &k->m->spec->signals[si];
  double *x = k->sig_in, *slope = x + k->max_reads, un, gain[6] = {0.0, 1.0, 0.0};
  for (int32_t i = 0; i < s->nreads; i++) {
    read_input(k, si, i, &s->reads[i], &x[i], &un, &un);
    g[i] = 0.0;
  }
  if (s->memory) {
    hki_memory_slopes(s->memory, k->disc.mem + k->sig_mem[si], s->nreads, x, g);
    return;
  }
  double y = hki_expr_eval_gradient(s->expr, x, slope);
  if (s->kind == HK_SIGNAL_TABLE) (void)hki_table_eval(s->table, y, &gain[1], &gain[2]);
  if (s->kind == HK_SIGNAL_SHAPE) hki_shape_eval(s->shape, y, gain);
  if (s->kind == HK_SIGNAL_SURFACE)
    hki_surface_eval(s->surface, y, hki_expr_eval(s->second, x), gain);
  add_slopes(s->expr, slope, gain[1], g);
  if (s->kind != HK_SIGNAL_SURFACE) return;
  (void)hki_expr_eval_gradient(s->second, x, slope);
  add_slopes(s->second, slope, gain[2], g);
}

/* gradients of all signals that read channels, in order: a signal reads only earlier ones */
void hki_kin_signal_gradients(hk_kin *k) {
  const int32_t nv = k->m->nv;
  const uint8_t live = needed(k);
  HK_KNOWN(k, HK_KIN_SIGNALS);
  for (int32_t si = 0; si < k->m->spec->nsignals; si++) {
    if (k->sig_grad[si] < 0 || k->sig_live[si] < live) continue;
    const hk_spec_signal *s = &k->m->spec->signals[si];
    double *dq = k->sig_dq + (size_t)k->sig_grad[si] * (size_t)nv;
    double *dv = k->sig_dv + (size_t)k->sig_grad[si] * (size_t)nv;
    double *slope = k->sig_in + 2 * k->max_reads;
    memset(dq, 0, (size_t)nv * sizeof *dq);
    memset(dv, 0, (size_t)nv * sizeof *dv);
    hki_kin_signal_slopes(k, si, slope);
    for (int32_t i = 0; i < s->nreads; i++) {
      const hk_read *r = &s->reads[i];
      const double c = slope[i];
      if (c == 0.0) continue;
      if (r->kind == HK_READ_CHANNEL && k->seen_of[k->seen0[si] + i] < 0)
        hki_kin_channel_gradient(k, r->channel, c, dq, dv);
      if (r->kind == HK_READ_SIGNAL && k->sig_grad[r->signal] >= 0) {
        size_t from = (size_t)k->sig_grad[r->signal] * (size_t)nv;
        for (int32_t j = 0; j < nv; j++) {
          dq[j] += c * k->sig_dq[from + (size_t)j];
          dv[j] += c * k->sig_dv[from + (size_t)j];
        }
      }
    }
  }
}

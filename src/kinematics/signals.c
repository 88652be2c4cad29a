/* SPDX-License-Identifier: Apache-2.0
 *
 * signals.c: signals at the present state. Signals of time alone carry their first and second
 * derivatives (prescribed motions need them); signals that read channels carry gradients in the
 * coordinates and velocities (tangents need them).
 *
 *   y   = g(x(t))                    g: a table or a shape, x: its expression
 *   y'  = g' x'
 *   y'' = g'' x'^2 + g' x''
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
      *x = seen >= 0 ? k->disc.seen[seen] : hki_kin_channel(k, r->channel);
      break;
    }
  }
}

/* apply a table or shape to value, rate, acceleration */
static void apply(const hk_spec_signal *s, double *y) {
  double g[3];
  if (s->kind == HK_SIGNAL_EXPR) return;
  if (s->kind == HK_SIGNAL_TABLE)
    g[0] = hki_table_eval(s->table, y[0], &g[1], &g[2]);
  else
    hki_shape_eval(s->shape, y[0], g);
  y[2] = g[2] * y[1] * y[1] + g[1] * y[2];
  y[1] = g[1] * y[1];
  y[0] = g[0];
}

static void eval_signal(hk_kin *k, int32_t si) {
  const hk_spec_signal *s = &k->m->spec->signals[si];
  double *x = k->sig_in, *xd = x + k->max_reads, *xdd = xd + k->max_reads, *y = k->sig + 3 * si;
  for (int32_t i = 0; i < s->nreads; i++)
    read_input(k, si, i, &s->reads[i], &x[i], &xd[i], &xdd[i]);
  if (k->sig_state[si]) {
    y[0] = hki_expr_eval(s->expr, x);
    y[1] = y[2] = 0.0;
  } else {
    hki_expr_eval_path(s->expr, x, xd, xdd, y);
  }
  apply(s, y);
}

void hki_kin_signals(hk_kin *k, bool all) {
  // channels of turned joints need the signals that turn them (turned.c)
  for (int32_t si = 0; k->m->nturned && si < k->m->spec->nsignals; si++)
    if (!k->sig_state[si] && (all || k->sig_live[si])) eval_signal(k, si);
  for (int32_t si = 0; si < k->m->spec->nsignals; si++)
    if (all || k->sig_live[si]) eval_signal(k, si);
  // nodes held by signals
  for (int32_t i = 0; i < k->m->nheld; i++) {
    const int32_t si = k->m->spec->nodes[k->m->held[i]].signal, at = k->m->nx + 1 + i;
    if (si != HK_NONE) k->x[at] = k->sig[3 * si], k->xd[at] = k->sig[3 * si + 1];
  }
  k->known |= all ? HK_KIN_SIGNALS | HK_KIN_EVERY_SIGNAL : HK_KIN_SIGNALS;
}

/* slopes of a signal in the inputs of its expression, in the order of hki_expr_inputs */
static const double *input_slopes(hk_kin *k, int32_t si) {
  const hk_spec_signal *s = &k->m->spec->signals[si];
  double *x = k->sig_in, *g = x + k->max_reads, *un = g + k->max_reads, gain = 1.0, t[3];
  for (int32_t i = 0; i < s->nreads; i++) read_input(k, si, i, &s->reads[i], &x[i], &un[0], &un[0]);
  double y = hki_expr_eval_gradient(s->expr, x, g);
  if (s->kind == HK_SIGNAL_TABLE) (void)hki_table_eval(s->table, y, &gain, &t[2]);
  if (s->kind == HK_SIGNAL_SHAPE) hki_shape_eval(s->shape, y, t), gain = t[1];
  for (int32_t i = 0; i < hki_expr_input_count(s->expr); i++) g[i] *= gain;
  return g;
}

void hki_kin_signal_slopes(hk_kin *k, int32_t si, double *g) {
  const hk_spec_signal *s = &k->m->spec->signals[si];
  const int32_t *slot = hki_expr_inputs(s->expr);
  const double *slope = input_slopes(k, si);
  for (int32_t i = 0; i < s->nreads; i++) g[i] = 0.0;
  for (int32_t i = 0; i < hki_expr_input_count(s->expr); i++) g[slot[i]] = slope[i];
}

/* gradients of all signals that read channels, in order: a signal reads only earlier ones */
void hki_kin_signal_gradients(hk_kin *k) {
  const int32_t nv = k->m->nv;
  HK_KNOWN(k, HK_KIN_SIGNALS);
  for (int32_t si = 0; si < k->m->spec->nsignals; si++) {
    if (k->sig_grad[si] < 0) continue;
    const hk_spec_signal *s = &k->m->spec->signals[si];
    double *dq = k->sig_dq + (size_t)k->sig_grad[si] * (size_t)nv;
    double *dv = k->sig_dv + (size_t)k->sig_grad[si] * (size_t)nv;
    memset(dq, 0, (size_t)nv * sizeof *dq);
    memset(dv, 0, (size_t)nv * sizeof *dv);
    const double *slope = input_slopes(k, si);
    const int32_t *slot = hki_expr_inputs(s->expr);
    for (int32_t i = 0; i < hki_expr_input_count(s->expr); i++) {
      const hk_read *r = &s->reads[slot[i]];
      double c = slope[i];
      if (r->kind == HK_READ_CHANNEL && k->seen_of[k->seen0[si] + slot[i]] < 0)
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

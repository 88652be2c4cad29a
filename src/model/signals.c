/* SPDX-License-Identifier: Apache-2.0
 *
 * signals.c: the dependence of each signal on time and state, directly or through other signals,
 * and its breaks: the times at which it may jump or have a kink.
 *
 * A table or shape is a function of an argument x. Its breaks are found when the argument is linear
 * in time, x = a + b t. A signal that reads another has the breaks of both.
 */
#include <stdlib.h>

#include "model/channel_list.h"
#include "model/work.h"

enum { BREAKS_MAX = 100000 }; /* of all signals together */

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

bool hki_work_signals(hk_work *w) {
  const hk_spec *spec = w->spec;
  w->signal = HK_SCRATCH(w, uint8_t, spec->nsignals + 1);
  if (!w->signal) return false;
  bool ok = true;
  for (int32_t i = 0; i < spec->nsignals; i++) {
    const hk_spec_signal *s = &spec->signals[i];
    if ((s->kind == HK_SIGNAL_EXPR && !s->expr) || (s->kind == HK_SIGNAL_TABLE && !s->table) ||
        (s->kind == HK_SIGNAL_SHAPE && !s->shape)) {
      hki_error(w->ctx, HK_E_MODEL, s->loc, NULL, "signal '%s' is empty", s->name ? s->name : "");
      ok = false;
      continue;
    }
    if (!s->expr) w->signal[i] = HK_DEPENDS_TIME;
    int32_t n = s->expr ? hki_expr_input_count(s->expr) : 0;
    for (int32_t k = 0; k < n; k++) {
      int32_t slot = hki_expr_inputs(s->expr)[k];
      if (!check_read(w, i, slot)) {
        ok = false;
        continue;
      }
      const hk_read *r = &s->reads[slot];
      if (r->kind == HK_READ_TIME) w->signal[i] |= HK_DEPENDS_TIME;
      if (r->kind == HK_READ_CHANNEL) w->signal[i] |= HK_DEPENDS_STATE;
      if (r->kind == HK_READ_SIGNAL) w->signal[i] |= w->signal[r->signal];
    }
  }
  return ok;
}

/* a growing list of times */
typedef struct times {
  hk_ctx *ctx;
  double *t;
  int32_t n, cap;
  bool ok;
} times;

/* makes room for `want` more times; returns the place of the first */
static double *room(times *l, int32_t want) {
  if (!l->ok || !HK_GROW(l->ctx, l->t, l->cap, l->n + want)) {
    l->ok = false;
    return NULL;
  }
  return l->t + l->n;
}

/* Is the argument a + b t? True when it reads only time and has the same slope at five times in
 * t0 .. t1. */
static bool linear_argument(const hk_spec_signal *s, double t0, double t1, double *a, double *b) {
  double in[64], rate[64], first[3], y[3];
  *a = 0.0, *b = 1.0;
  if (!s->expr) return true;
  int32_t n = hki_expr_input_count(s->expr);
  if (s->nreads > HK_ARRAY_LEN(in)) return false;
  memset(in, 0, sizeof in);
  memset(rate, 0, sizeof rate);
  for (int32_t k = 0; k < n; k++) {
    int32_t slot = hki_expr_inputs(s->expr)[k];
    if (s->reads[slot].kind != HK_READ_TIME) return false;
    rate[slot] = 1.0;
  }
  for (int32_t i = 0; i < 5; i++) {
    double t = t0 + 0.25 * i * (t1 - t0);
    for (int32_t k = 0; k < n; k++) in[hki_expr_inputs(s->expr)[k]] = t;
    hki_expr_eval_path(s->expr, in, rate, NULL, y);
    if (i == 0) memcpy(first, y, sizeof y);
    double line = first[0] + first[1] * (t - t0);
    if (y[1] != first[1] || y[2] != 0.0 || !(fabs(y[0] - line) <= 1e-12 * (1.0 + fabs(line))))
      return false;
  }
  *b = first[1];
  *a = first[0] - first[1] * t0;
  return *b != 0.0;
}

/* breaks of a table or shape, from its breaks in the argument */
static void argument_breaks(const hk_spec_signal *s, double t0, double t1, times *l) {
  double a, b;
  if (!linear_argument(s, t0, t1, &a, &b)) return;
  double x0 = a + b * t0, x1 = a + b * t1;
  if (b < 0.0) {
    double x = x0;
    x0 = nextafter(x1, -INFINITY), x1 = x;
  }
  double *x = room(l, BREAKS_MAX - l->n);
  if (!x) return;
  int32_t n = s->kind == HK_SIGNAL_TABLE ? hki_table_breaks(s->table, x0, x1, x, BREAKS_MAX - l->n)
                                         : hki_shape_breaks(s->shape, x0, x1, x, BREAKS_MAX - l->n);
  for (int32_t i = 0; i < n; i++) {
    double t = a == 0.0 && b == 1.0 ? x[i] : (x[i] - a) / b;
    if (t > t0 && t <= t1) l->t[l->n++] = t;
  }
}

static void signal_breaks(const hk_spec_signal *s, double t0, double t1, times *l) {
  int32_t n = s->expr ? hki_expr_input_count(s->expr) : 0;
  for (int32_t k = 0; k < n && l->n < BREAKS_MAX; k++) {
    int32_t slot = hki_expr_inputs(s->expr)[k];
    if (s->reads[slot].kind != HK_READ_TIME) continue;
    double *out = room(l, BREAKS_MAX - l->n);
    if (out) l->n += hki_expr_time_breaks(s->expr, slot, t0, t1, out, BREAKS_MAX - l->n);
  }
  if (s->kind != HK_SIGNAL_EXPR && l->n < BREAKS_MAX) argument_breaks(s, t0, t1, l);
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* all breaks in t0 < t <= t1, ascending, without duplicates */
static void collect(const hk_spec *spec, double t0, double t1, times *l) {
  for (int32_t i = 0; i < spec->nsignals && l->n < BREAKS_MAX; i++)
    signal_breaks(&spec->signals[i], t0, t1, l);
  if (!l->ok) l->n = 0;
  if (l->n > 1) qsort(l->t, (size_t)l->n, sizeof *l->t, ascending);
  int32_t n = 0;
  for (int32_t i = 0; i < l->n; i++) {
    if (n == 0 || l->t[i] != l->t[n - 1]) l->t[n++] = l->t[i];
  }
  l->n = n;
}

int32_t hki_model_time_breaks(const hk_model *m, double t0, double t1, double *out, int32_t max) {
  times l = {.ctx = m->ctx, .ok = true};
  if (isfinite(t0) && isfinite(t1) && t1 > t0) collect(m->spec, t0, t1, &l);
  int32_t n = l.n < max ? l.n : max;
  if (n > 0) memcpy(out, l.t, (size_t)n * sizeof *out);
  hki_free(m->ctx, l.t);
  return n;
}

bool hki_work_breaks(hk_work *w) {
  hk_model *m = w->m;
  double end = w->spec->run.time;
  times l = {.ctx = w->ctx, .ok = true};
  if (isfinite(end) && end > 0.0) collect(w->spec, 0.0, end, &l);
  if (l.ok) {
    m->nbreaks = l.n;
    m->breaks = HK_KEEP(w, double, l.n);
    if (m->breaks && l.n > 0) memcpy(m->breaks, l.t, (size_t)l.n * sizeof *l.t);
  }
  hki_free(w->ctx, l.t);
  return l.ok && m->breaks;
}

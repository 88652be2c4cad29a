/* SPDX-License-Identifier: Apache-2.0
 *
 * motions.c: prescribed motions whose rate jumps. The coordinate then changes its velocity by an
 * impulse, for which there is no force: the drive does not show it.
 *
 * Rates are compared on both sides of each break of the signals that a motion reads, at a small
 * distance d, less what smooth accelerations do over it:
 *
 *   jump = s'(t + d) - s'(t - d) - d (s''(t + d) + s''(t - d))
 */
#include "model/motions.h"

#include <math.h>
#include <stdio.h>

enum { LOOKS = 500 }; /* breaks of a motion that are looked at */

/* the share of the largest rate below which a jump is not worth a warning */
static const double small = 1e-3;

typedef struct scan {
  const hk_spec *spec;
  int32_t signal;
  bool *reads;  /* nsignals: the motion reads it, directly or through others */
  double *sig;  /* nsignals x 3: values, rates, accelerations */
  double *in;   /* 3 x the most inputs of a signal */
  int32_t most; /* inputs */
} scan;

static bool scan_room(hk_ctx *ctx, const hk_spec *spec, scan *z) {
  const size_t n = (size_t)spec->nsignals + 1;
  *z = (scan){.spec = spec, .most = 1};
  for (int32_t i = 0; i < spec->nsignals; i++)
    if (spec->signals[i].nreads > z->most) z->most = spec->signals[i].nreads;
  z->reads = hki_alloc(ctx, n * sizeof *z->reads);
  z->sig = hki_alloc(ctx, 3 * n * sizeof *z->sig);
  z->in = hki_alloc(ctx, 3 * (size_t)z->most * sizeof *z->in);
  return z->reads && z->sig && z->in;
}

static void scan_free(hk_ctx *ctx, scan *z) {
  hki_free(ctx, z->reads);
  hki_free(ctx, z->sig);
  hki_free(ctx, z->in);
}

/* the signals that a motion reads; a signal reads only earlier ones */
static void follow(scan *z, int32_t signal) {
  z->signal = signal;
  for (int32_t i = 0; i < z->spec->nsignals; i++) z->reads[i] = i == signal;
  for (int32_t i = signal; i >= 0; i--) {
    const hk_spec_signal *s = &z->spec->signals[i];
    for (int32_t k = 0; z->reads[i] && k < s->nreads; k++)
      if (s->reads[k].kind == HK_READ_SIGNAL) z->reads[s->reads[k].signal] = true;
  }
}

/* y (3): value, rate and acceleration of one signal at t, from those before it */
static void eval_one(scan *z, const hk_spec_signal *s, double t, double *y) {
  double *x = z->in, *xd = x + z->most, *xdd = xd + z->most;
  for (int32_t k = 0; k < s->nreads; k++) {
    const bool time = s->reads[k].kind != HK_READ_SIGNAL;
    const double *from = time ? NULL : z->sig + 3 * s->reads[k].signal;
    x[k] = time ? t : from[0];
    xd[k] = time ? 1.0 : from[1];
    xdd[k] = time ? 0.0 : from[2];
  }
  if (!s->expr) x[0] = t;
  // the value of a travel is not needed here; a rate that follows an acceleration never jumps
  if (s->kind == HK_SIGNAL_TRAVEL) {
    y[0] = 0.0, y[1] = s->order == 1 ? x[0] : 0.0, y[2] = s->order == 1 ? xd[0] : 0.0;
    return;
  }
  if (s->kind == HK_SIGNAL_RATE) {
    y[0] = xd[0], y[1] = xdd[0], y[2] = 0.0;
    return;
  }
  const hk_time_function f = hki_signal_function(s);
  hki_time_function_eval(&f, x, xd, xdd, y);
}

static const double *eval(scan *z, double t) {
  for (int32_t i = 0; i <= z->signal; i++)
    if (z->reads[i]) eval_one(z, &z->spec->signals[i], t, z->sig + 3 * i);
  return z->sig + 3 * z->signal;
}

static double next_break(const scan *z, double t) {
  double first = INFINITY;
  for (int32_t i = 0; i <= z->signal; i++)
    if (z->reads[i]) first = fmin(first, hki_signal_next_break(&z->spec->signals[i], t));
  return first;
}

/* the distance d from a break at t */
static double distance(double t) { return 1e-9 * fmax(fabs(t), 1e-3); }

/* the jump of the rate at t; *size: the larger rate of both sides */
static double jump_at(scan *z, double t, double *size) {
  const double d = distance(t), *y = eval(z, t - d);
  const double rate = y[1], bend = y[2];
  y = eval(z, t + d);
  *size = fmax(fabs(rate), fabs(y[1]));
  return y[1] - rate - d * (y[2] + bend);
}

/* the jumps of a motion */
typedef struct found {
  double t, size; /* the first of them */
  int32_t count;
  double until; /* end of the search */
} found;

static void search(scan *z, double end, found *f) {
  double most = 0.0, t, last, size;
  *f = (found){.until = end};
  // first the largest rate, then the jumps that are large against it
  for (int pass = 0; pass < 2; pass++) {
    t = 0.0, last = -1.0;
    for (int32_t i = 0; (t = next_break(z, t)) < end; i++, last = t) {
      if (i >= LOOKS) {
        f->until = t;
        break;
      }
      // breaks that differ by rounding are one
      if (t - last <= distance(t)) continue;
      const double jump = jump_at(z, t, &size);
      if (pass == 0) most = fmax(most, fmax(size, fabs(eval(z, 0.5 * t)[1])));
      if (pass == 0 || !(fabs(jump) > small * most)) continue;
      if (!f->count++) f->t = t, f->size = jump;
    }
  }
}

/* what may be done about it */
static const char *advice(const scan *z, const found *f) {
  if (z->spec->signals[z->signal].order)
    return "let it change over some time, for example by a step with a duration";
  for (int32_t i = 0; i <= z->signal; i++) {
    const hk_table *t = z->reads[i] ? z->spec->signals[i].table : NULL;
    if (!t || z->spec->signals[i].kind != HK_SIGNAL_TABLE) continue;
    if (t->interpolation == HK_TABLE_LINEAR) return "use 'interpolation: spline'";
    if (f->count == 1 && t->extrapolation == HK_TABLE_HOLD)
      return "let the table begin and end with the rate 0, or use 'extrapolation: extend'";
  }
  return "use a function whose rate is continuous, for example a step with a duration";
}

/* the word for a table that the motion reads whose slope is continuous but not its second
 * derivative; NULL: none */
static const char *bent(const scan *z) {
  if (z->spec->signals[z->signal].order) return NULL;
  for (int32_t i = 0; i <= z->signal; i++) {
    const hk_table *t = z->reads[i] ? z->spec->signals[i].table : NULL;
    if (!t || t->n < 3) continue;
    if (t->interpolation == HK_TABLE_MONOTONE) return "monotone";
    if (t->interpolation == HK_TABLE_AKIMA) return "Akima";
  }
  return NULL;
}

/* a motion that takes its coordinate out of the range of its stops: the first time */
static void warn_limits(hk_ctx *ctx, const hk_model *m, scan *z, const hk_closure *cl, double end) {
  enum { PLACES = 4000 };
  for (int32_t i = 0; i < m->spec->nlimits; i++) {
    const hk_spec_limit *l = &m->spec->limits[i];
    const bool own = l->joint == cl->joint && cl->kind == HK_CLOSURE_COORD &&
                     m->scalars[cl->scalar].coord == l->coord;
    for (int32_t k = 0; own && isfinite(end) && k <= PLACES; k++) {
      const double t = end * k / PLACES, x = eval(z, t)[0];
      if (x >= l->range[0] && x <= l->range[1]) continue;
      char what[300];
      hki_model_row_name(m, cl->row0, what, sizeof what);
      hki_warn(ctx, l->loc, "end the motion within the range, or drive by a force or torque",
               "%s: it is %.6g at t = %.6g s, outside of its limits; %s", what, x, t,
               l->compliant ? "the drive works against the stop" : "a stop cannot end a motion");
      break;
    }
  }
}

static void warn(hk_ctx *ctx, const hk_model *m, scan *z, int32_t c, int32_t r, double end,
                 int32_t *n) {
  const hk_closure *cl = &m->closures[c];
  const hk_loc loc = hki_model_closure_loc(m, c);
  char what[300], more[100] = "";
  found f;
  follow(z, cl->row_signal[r]);
  warn_limits(ctx, m, z, cl, end);
  search(z, end, &f);
  hki_model_row_name(m, cl->row0 + r, what, sizeof what);
  if (bent(z))
    hki_warn(ctx, loc, "use 'interpolation: spline'",
             "%s: the acceleration of its %s table jumps at the rows, and the force of the drive "
             "with it",
             what, bent(z));
  if (!f.count) return;
  ++*n;
  if (f.count > 1)
    snprintf(more, sizeof more, ", and %d times more until t = %.6g s", (int)f.count - 1, f.until);
  hki_warn(
      ctx, loc, advice(z, &f),
      "%s: its rate jumps by %.4g %s at t = %.6g s%s; an impulse does this, which 'drive' does "
      "not show",
      what, f.size, hki_model_row_is_length(m, cl->row0 + r) ? "m/s" : "rad/s", f.t, more);
}

hk_status hki_warn_motions(hk_ctx *ctx, const hk_model *m, double end, int32_t *n) {
  scan z;
  *n = 0;
  bool ok = scan_room(ctx, m->spec, &z);
  for (int32_t c = 0; ok && c < m->nc; c++)
    for (int32_t r = 0; r < m->closures[c].nrows; r++)
      if (m->closures[c].row_signal[r] != HK_NONE && !(m->closures[c].rate_rows >> r & 1u))
        warn(ctx, m, &z, c, r, end, n);
  scan_free(ctx, &z);
  return ok ? HK_OK : HK_E_MEMORY;
}

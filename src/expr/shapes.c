/* SPDX-License-Identifier: Apache-2.0
 *
 * shapes.c: step, ramp, sine and pulse, and the table of all shapes. Edges are jumps,
 * right-continuous, or the quintic u^3 (10 - 15 u + 6 u^2), whose value, slope and curvature fit a
 * constant on both sides.
 */
#include "expr/shapes_impl.h"

#include "expr/expr_impl.h"

/* --- the keys --------------------------------------------------------------------------------- */

/* clang-format off */
#define ROW HKI_SHAPE_ROW
static const hk_param step_params[] = {
  ROW(start,     0,               0.0, "s",    "where it begins"),
  ROW(from,      0,               0.0, "",     "value before"),
  ROW(to,        0,               1.0, "",     "value after"),
  ROW(duration,  HK_P_NONNEGATIVE, 0.0, "s",   "length of the smooth edge, 0 = a jump"),
  HK_PARAM_END};

static const hk_param ramp_params[] = {
  ROW(start,     0,               0.0, "s",    "where it begins"),
  ROW(from,      0,               0.0, "",     "value before"),
  ROW(slope,     0,               NAN, "1/s",  "growth per unit of the argument"),
  ROW(to,        0,               NAN, "",     "value after the end"),
  ROW(end,       0,               NAN, "s",    "where it ends"),
  HK_PARAM_END};

static const hk_param sine_params[] = {
  ROW(frequency, HK_P_REQUIRED,   NAN, "Hz",   "periods per unit of the argument"),
  ROW(amplitude, 0,               1.0, "",     "largest departure from the offset"),
  ROW(phase,     0,               0.0, "rad",  "phase at the start"),
  ROW(offset,    0,               0.0, "",     "mean value"),
  ROW(start,     0,               NAN, "s",    "where it begins; it keeps its first value before"),
  ROW(cycles,    HK_P_POSITIVE,   NAN, "",     "number of periods; it keeps its last value after"),
  HK_PARAM_END};

static const hk_param pulse_params[] = {
  ROW(width,     HK_P_REQUIRED | HK_P_POSITIVE, NAN, "s", "from the start of the rise to the start of the fall"),
  ROW(start,     0,               0.0, "s",    "where the first pulse begins"),
  ROW(from,      0,               0.0, "",     "value at rest"),
  ROW(to,        0,               1.0, "",     "value during the pulse"),
  ROW(period,    HK_P_POSITIVE,   NAN, "s",    "distance of repeated pulses; not given: one pulse"),
  ROW(count,     HK_P_POSITIVE,   NAN, "",     "number of pulses; not given: for ever"),
  ROW(rise,      HK_P_NONNEGATIVE, 0.0, "s",   "length of each smooth edge, 0 = jumps"),
  HK_PARAM_END};

/* clang-format on */

/* --- checking --------------------------------------------------------------------------------- */

static hk_status finish_ramp(hk_ctx *ctx, hk_loc loc, hk_shape *s) {
  int given = !isnan(s->slope) + !isnan(s->to) + !isnan(s->end);
  if (given == 3 || (given == 1 && isnan(s->slope)) || given == 0) {
    return hki_error(ctx, HK_E_MODEL, loc,
                     "give slope alone, or two of slope, to and end; the third follows",
                     "the ramp has %d of slope, to and end", given);
  }
  if (given == 1) {
    s->end = HUGE_VAL;
    s->to = s->slope >= 0.0 ? HUGE_VAL : -HUGE_VAL;
    return HK_OK;
  }
  if (isnan(s->end)) s->end = s->to == s->from ? s->start : s->start + (s->to - s->from) / s->slope;
  if (isnan(s->slope)) s->slope = (s->to - s->from) / (s->end - s->start);
  if (isnan(s->to)) s->to = s->from + s->slope * (s->end - s->start);
  if (s->to == s->from && isnan(s->slope)) s->slope = 0.0;
  if (s->end < s->start || !isfinite(s->end) || !isfinite(s->slope) || !isfinite(s->to)) {
    return hki_error(ctx, HK_E_MODEL, loc, "the end must lie behind the start",
                     "a ramp from %g at %g to %g at %g", s->from, s->start, s->to, s->end);
  }
  return HK_OK;
}

static hk_status finish_pulse(hk_ctx *ctx, hk_loc loc, hk_shape *s) {
  if (!(s->width > 0.0) || s->rise > s->width) {
    return hki_error(ctx, HK_E_MODEL, loc, "the width counts from the start of the rise",
                     "expected 0 < width and rise <= width, found width %g and rise %g", s->width,
                     s->rise);
  }
  if (!isnan(s->period) && s->period < s->width + s->rise) {
    return hki_error(ctx, HK_E_MODEL, loc, NULL,
                     "expected period >= width + rise = %g, found period %g", s->width + s->rise,
                     s->period);
  }
  if (!isnan(s->count) && (s->count < 1.0 || s->count != floor(s->count))) {
    return hki_error(ctx, HK_E_MODEL, loc, NULL, "expected a whole number of pulses, found %g",
                     s->count);
  }
  if (!isnan(s->count) && isnan(s->period) && s->count != 1.0) {
    return hki_error(ctx, HK_E_MODEL, loc, "give the period", "%g pulses need a period, found none",
                     s->count);
  }
  if (isnan(s->period)) s->count = 1.0;
  return HK_OK;
}

static hk_status finish_sine(hk_ctx *ctx, hk_loc loc, hk_shape *s) {
  (void)ctx, (void)loc;
  if (!isnan(s->cycles) && isnan(s->start)) s->start = 0.0;
  return HK_OK;
}

/* --- evaluating ------------------------------------------------------------------------------- */

/* an edge of height 1 that begins at 0: a jump, or smooth over `length` */
static void edge(double x, double length, double f[3]) {
  f[1] = f[2] = 0.0;
  if (length > 0.0) {
    hki_expr_quintic(x / length, f);
    f[1] /= length;
    f[2] /= length * length;
  } else {
    f[0] = x >= 0.0 ? 1.0 : 0.0;
  }
}

/* the pulse at or before x */
static double pulse_number(const hk_shape *s, double x) {
  if (isnan(s->period)) return 0.0;
  double k = hki_shape_cell(s->start, s->period, x);
  if (k < 0.0) return 0.0;
  return k > s->count - 1.0 ? s->count - 1.0 : k;
}

static void eval_sine(const hk_shape *s, double x, double out[3]) {
  double w = HKI_TWO_PI * s->frequency, start = isnan(s->start) ? 0.0 : s->start, u = x - start;
  double last = isnan(s->cycles) ? HUGE_VAL : s->cycles / fabs(s->frequency);
  bool before = !isnan(s->start) && u < 0.0, after = u >= last;
  double a = w * (before ? 0.0 : after ? last : u) + s->phase;
  double c = before || after ? 0.0 : s->amplitude;
  out[0] = s->offset + s->amplitude * sin(a);
  out[1] = c * w * cos(a);
  out[2] = -c * w * w * sin(a);
}

static void eval_step(const hk_shape *s, double x, double out[3]) {
  double f[3];
  edge(x - s->start, s->duration, f);
  out[0] = s->from + (s->to - s->from) * f[0];
  out[1] = (s->to - s->from) * f[1];
  out[2] = (s->to - s->from) * f[2];
}

static void eval_ramp(const hk_shape *s, double x, double out[3]) {
  out[0] = x < s->start ? s->from : x >= s->end ? s->to : s->from + s->slope * (x - s->start);
  out[1] = x < s->start || x >= s->end ? 0.0 : s->slope;
  out[2] = 0.0;
}

static void eval_pulse(const hk_shape *s, double x, double out[3]) {
  double f[3], g[3];
  double at = s->start + (isnan(s->period) ? 0.0 : pulse_number(s, x) * s->period);
  edge(x - at, s->rise, f);
  edge(x - (at + s->width), s->rise, g);
  out[0] = s->from + (s->to - s->from) * (f[0] - g[0]);
  out[1] = (s->to - s->from) * (f[1] - g[1]);
  out[2] = (s->to - s->from) * (f[2] - g[2]);
}

/* --- breaks ----------------------------------------------------------------------------------- */

static double none(bool falling) { return falling ? -INFINITY : INFINITY; }

double hki_shape_no_break(const hk_shape *s, double x, bool falling) {
  (void)s, (void)x;
  return none(falling);
}

static double step_break(const hk_shape *s, double x, bool falling) {
  double best = none(falling);
  return s->duration > 0.0 ? best : hki_shape_nearer(s->start, x, falling, best);
}

static double ramp_break(const hk_shape *s, double x, bool falling) {
  double best = hki_shape_nearer(s->start, x, falling, none(falling));
  return hki_shape_nearer(s->end, x, falling, best);
}

static double sine_break(const hk_shape *s, double x, bool falling) {
  double best = none(falling);
  if (!isnan(s->start)) best = hki_shape_nearer(s->start, x, falling, best);
  if (isnan(s->cycles)) return best;
  return hki_shape_nearer(s->start + s->cycles / fabs(s->frequency), x, falling, best);
}

/* two edges per pulse: of the pulse at or before x and of its neighbours */
static double pulse_break(const hk_shape *s, double x, bool falling) {
  double best = none(falling), period = isnan(s->period) ? 0.0 : s->period;
  double count = isnan(s->count) ? INFINITY : s->count;
  if (s->rise > 0.0) return best;
  double k = pulse_number(s, x);
  for (double i = k - 1.0; i <= k + 1.0; i += 1.0) {
    if (i < 0.0 || i >= count) continue;
    best = hki_shape_nearer(s->start + i * period, x, falling, best);
    best = hki_shape_nearer(s->start + i * period + s->width, x, falling, best);
  }
  return best;
}

/* --- the table -------------------------------------------------------------------------------- */

/* clang-format off */
const hk_shape_info hki_shape_infos[] = {
  {"step",  "from one value to another, suddenly or smoothly", step_params, NULL, eval_step, step_break},
  {"ramp",  "linear growth from a start, for ever or to an end", ramp_params, finish_ramp, eval_ramp, ramp_break},
  {"sine",  "offset + amplitude*sin(2 pi frequency (t - start) + phase)", sine_params, finish_sine, eval_sine, sine_break},
  {"pulse", "one or many rectangular pulses, with sudden or smooth edges", pulse_params, finish_pulse, eval_pulse, pulse_break},
  {"cosine", "offset + amplitude*(1 - cos(2 pi frequency (t - start))): begins with rate 0; half a cycle is a smooth step",
   hki_cosine_params, NULL, hki_cosine_eval, hki_cosine_break},
  {"sweep", "a sine whose frequency grows from one value to another", hki_sweep_params, hki_sweep_finish, hki_sweep_eval, hki_sweep_break},
  {"fourier", "offset + sum of cos[k]*cos(2 pi k frequency (t - start)) + sin[k]*sin(..), k = 1, 2, ..",
   hki_fourier_params, hki_fourier_finish, hki_fourier_eval, hki_shape_no_break},
  {"random", "noise from a seed, the same numbers on every machine: held values, or a smooth curve", hki_random_params, NULL, hki_random_eval, hki_random_break},
};
/* clang-format on */

void hki_shape_init(hk_shape *shape, hk_shape_fn fn) {
  *shape = (hk_shape){.fn = fn};
  for (const hk_param *row = hki_shape_infos[fn].params; row->type != HK_P_END; row++) {
    void *to = (char *)shape + row->offset;
    if (row->type == HK_P_REAL) *(double *)to = row->def;
    if (row->type == HK_P_INT || row->type == HK_P_CHOICE) *(int32_t *)to = (int32_t)row->def;
    if (row->type == HK_P_BOOL) *(bool *)to = row->def != 0.0;
  }
}

/* one number of a shape: given where it must be, finite, of the right sign */
static hk_status check_real(hk_ctx *ctx, hk_loc loc, const hk_shape *shape, const hk_param *row) {
  const char *name = hki_shape_infos[shape->fn].name;
  double v = *(const double *)(const void *)((const char *)shape + row->offset);
  if (isnan(v) && isnan(row->def) && !(row->flags & HK_P_REQUIRED)) return HK_OK;
  if (isnan(v) && (row->flags & HK_P_REQUIRED)) {
    return hki_error(ctx, HK_E_MODEL, loc, NULL, "the %s needs a %s", name, row->name);
  }
  bool sign_wrong = ((row->flags & HK_P_POSITIVE) && !(v > 0.0)) ||
                    ((row->flags & HK_P_NONNEGATIVE) && !(v >= 0.0));
  if (isfinite(v) && !sign_wrong) return HK_OK;
  return hki_error(ctx, HK_E_MODEL, loc, NULL, "expected a %s %s of the %s, found %g",
                   sign_wrong && (row->flags & HK_P_POSITIVE) ? "positive"
                   : sign_wrong                               ? "non-negative"
                                                              : "finite",
                   row->name, name, v);
}

hk_status hki_shape_finish(hk_ctx *ctx, hk_loc loc, hk_shape *shape) {
  if (shape->fn < 0 || shape->fn >= HK_SHAPE_FN_COUNT) {
    return hki_error(ctx, HK_E_INTERNAL, loc, NULL, "signal shape %d", (int)shape->fn);
  }
  const hk_shape_info *info = &hki_shape_infos[shape->fn];
  for (const hk_param *row = info->params; row->type != HK_P_END; row++) {
    hk_status status = row->type == HK_P_REAL ? check_real(ctx, loc, shape, row) : HK_OK;
    if (status != HK_OK) return status;
  }
  return info->finish ? info->finish(ctx, loc, shape) : HK_OK;
}

void hki_shape_eval(const hk_shape *s, double x, double out[3]) {
  hki_shape_infos[s->fn].eval(s, x, out);
}

double hki_shape_next_break(const hk_shape *s, double x, bool falling) {
  return hki_shape_infos[s->fn].next_break(s, x, falling);
}

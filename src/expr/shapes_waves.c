/* SPDX-License-Identifier: Apache-2.0
 *
 * shapes_waves.c: cosine, sweep and fourier. With u = x - start and f the frequency:
 *
 *   cosine   y = offset + amplitude (1 - cos 2 pi f u)
 *   sweep    y = offset + amplitude sin(2 pi p(u) + phase), p the number of cycles so far:
 *              linear        p = f0 u + (f1 - f0) u^2/(2 T)       frequency p' = f0 + (f1 - f0) u/T
 *              logarithmic   p = f0 (r^u - 1)/ln r, r^T = f1/f0   frequency p' = f0 r^u
 *            for 0 <= u <= T; then the frequency stays f1, before u = 0 the value stays
 *   fourier  y = offset + sum over k of a_k cos(2 pi k f u) + b_k sin(2 pi k f u)
 */
#include "expr/shapes_impl.h"

/* clang-format off */
#define ROW HKI_SHAPE_ROW
const hk_param hki_cosine_params[] = {
  ROW(frequency, HK_P_REQUIRED,   NAN, "Hz",   "periods per unit of the argument"),
  ROW(amplitude, 0,               1.0, "",     "half of the whole height: the value goes from offset to offset + 2 amplitude"),
  ROW(offset,    0,               0.0, "",     "value at the start"),
  ROW(start,     0,               0.0, "s",    "where it begins; it keeps its first value before"),
  ROW(cycles,    HK_P_POSITIVE,   NAN, "",     "number of periods, 0.5: a smooth step; it keeps its last value after"),
  HK_PARAM_END};

const hk_param hki_sweep_params[] = {
  ROW(from,      HK_P_REQUIRED | HK_P_NONNEGATIVE, NAN, "Hz", "frequency at the start"),
  ROW(to,        HK_P_REQUIRED | HK_P_NONNEGATIVE, NAN, "Hz", "frequency at the end, and after it"),
  ROW(duration,  HK_P_REQUIRED | HK_P_POSITIVE, NAN, "s", "from the start to the end"),
  ROW(amplitude, 0,               1.0, "",     "largest departure from the offset"),
  ROW(phase,     0,               0.0, "rad",  "phase at the start"),
  ROW(offset,    0,               0.0, "",     "mean value"),
  ROW(start,     0,               0.0, "s",    "where it begins; it keeps its first value before"),
  {"law", HK_P_CHOICE, 0, (int32_t)offsetof(hk_shape, law), 0.0, 0.0, 0.0, "", "linear logarithmic",
   "how the frequency grows: by equal differences or by equal factors in equal times"},
  HK_PARAM_END};

const hk_param hki_fourier_params[] = {
  ROW(frequency, HK_P_REQUIRED,   NAN, "Hz",   "of the first harmonic"),
  {"cos", HK_P_REALS, 0, (int32_t)offsetof(hk_shape, cos), 0.0, 0.0, 0.0, "", NULL,
   "coefficients of the cosines, from the first harmonic on"},
  {"sin", HK_P_REALS, 0, (int32_t)offsetof(hk_shape, sin), 0.0, 0.0, 0.0, "", NULL,
   "coefficients of the sines, from the first harmonic on"},
  ROW(offset,    0,               0.0, "",     "mean value"),
  ROW(start,     0,               0.0, "s",    "where the phases count from"),
  HK_PARAM_END};
/* clang-format on */

void hki_cosine_eval(const hk_shape *s, double x, double out[3]) {
  const double w = HKI_TWO_PI * s->frequency, u = x - s->start;
  const double last = isnan(s->cycles) ? INFINITY : s->cycles / fabs(s->frequency);
  const bool still = u < 0.0 || u >= last;
  const double a = w * (u < 0.0 ? 0.0 : u >= last ? last : u);
  // 1 - cos a without cancellation
  out[0] = s->offset + 2.0 * s->amplitude * sin(0.5 * a) * sin(0.5 * a);
  out[1] = still ? 0.0 : s->amplitude * w * sin(a);
  out[2] = still ? 0.0 : s->amplitude * w * w * cos(a);
}

double hki_cosine_break(const hk_shape *s, double x, bool falling) {
  double best = hki_shape_nearer(s->start, x, falling, falling ? -INFINITY : INFINITY);
  if (isnan(s->cycles)) return best;
  return hki_shape_nearer(s->start + s->cycles / fabs(s->frequency), x, falling, best);
}

hk_status hki_sweep_finish(hk_ctx *ctx, hk_loc loc, hk_shape *s) {
  if (s->law == HK_SWEEP_LINEAR || (s->from > 0.0 && s->to > 0.0)) return HK_OK;
  return hki_error(ctx, HK_E_MODEL, loc, "give two positive frequencies, or use law: linear",
                   "a logarithmic sweep from %g Hz to %g Hz", s->from, s->to);
}

/* p (3): cycles so far, frequency and its rate at 0 <= u <= T */
static void cycles(const hk_shape *s, double u, double p[3]) {
  const double f0 = s->from, f1 = s->to, T = s->duration;
  if (s->law == HK_SWEEP_LINEAR || f0 == f1) {
    p[2] = (f1 - f0) / T;
    p[1] = f0 + p[2] * u;
    p[0] = u * (f0 + 0.5 * p[2] * u);
  } else {
    const double rate = log(f1 / f0) / T;
    p[0] = f0 * expm1(rate * u) / rate;
    p[1] = f0 * exp(rate * u);
    p[2] = rate * p[1];
  }
}

void hki_sweep_eval(const hk_shape *s, double x, double out[3]) {
  const double u = x - s->start, inside = fmin(fmax(u, 0.0), s->duration);
  double p[3];
  cycles(s, inside, p);
  if (u < 0.0) p[1] = p[2] = 0.0;
  if (u > s->duration) p[0] += s->to * (u - s->duration), p[1] = s->to, p[2] = 0.0;
  const double a = HKI_TWO_PI * p[0] + s->phase, w = HKI_TWO_PI * p[1];
  out[0] = s->offset + s->amplitude * sin(a);
  out[1] = s->amplitude * w * cos(a);
  out[2] = s->amplitude * (HKI_TWO_PI * p[2] * cos(a) - w * w * sin(a));
}

double hki_sweep_break(const hk_shape *s, double x, bool falling) {
  return hki_shape_nearer(s->start, x, falling, falling ? -INFINITY : INFINITY);
}

hk_status hki_fourier_finish(hk_ctx *ctx, hk_loc loc, hk_shape *s) {
  if (s->cos.n > 0 || s->sin.n > 0) return HK_OK;
  return hki_error(ctx, HK_E_MODEL, loc, "for example cos: [1, 0, 0.2]",
                   "the fourier series has no coefficients");
}

void hki_fourier_eval(const hk_shape *s, double x, double out[3]) {
  const int32_t n = s->cos.n > s->sin.n ? s->cos.n : s->sin.n;
  const double w = HKI_TWO_PI * s->frequency, a = w * (x - s->start);
  out[0] = s->offset, out[1] = out[2] = 0.0;
  for (int32_t k = 1; k <= n; k++) {
    const double c = cos(k * a), d = sin(k * a), kw = k * w;
    const double p = k <= s->cos.n ? s->cos.x[k - 1] : 0.0,
                 q = k <= s->sin.n ? s->sin.x[k - 1] : 0.0;
    out[0] += p * c + q * d;
    out[1] += kw * (q * c - p * d);
    out[2] -= kw * kw * (p * c + q * d);
  }
}

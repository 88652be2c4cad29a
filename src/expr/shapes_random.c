/* SPDX-License-Identifier: Apache-2.0
 *
 * shapes_random.c: `random`, noise that is a function of its argument: nothing is remembered, and
 * only whole numbers, sums, products and square roots are used, which are the same on every machine.
 *
 * The value of cell k = floor((x - start)/hold) is made from the seed, the row and k by the mixing
 * function of splitmix64. Values have mean 0 and deviation 1:
 *
 *   uniform   sqrt(3) u, u even in [-1, 1)
 *   normal    sum of twelve such u, halved (Irwin and Hall): |value| <= 6
 *
 * Colours: rows j = 0 .. 15 of cells of length hold 2^j, of variance 2^(j (b - 1)), are added and
 * the sum is divided by its deviation. Its power density falls with the frequency f as f^-b from
 * 1/(2 hold) down to 2^-16 of it: pink b = 1, brown b = 2; white is row 0 alone. (The scheme with
 * equal variances, b = 1, is that of R. F. Voss and J. Clarke, 1/f noise in music, J. Acoust. Soc.
 * Am. 63 (1978) 258-263.)
 *
 * Smooth: each row is the uniform cubic B-spline with its values as coefficients (C2), times
 * sqrt(315/151): its deviation, averaged over a cell, is then 1 again.
 *
 * Source of the mixing function: G. L. Steele, D. Lea and C. H. Flood, Fast splittable pseudorandom
 * number generators, OOPSLA 2014.
 */
#include "expr/shapes_impl.h"

enum { ROWS = 16, TERMS = 12 };

/* clang-format off */
#define ROW HKI_SHAPE_ROW
#define AT(key) (int32_t)offsetof(hk_shape, key)
const hk_param hki_random_params[] = {
  ROW(hold,      HK_P_REQUIRED | HK_P_POSITIVE, NAN, "s", "how long each value holds; of a smooth curve: the distance of its knots"),
  {"seed", HK_P_INT, 0, AT(seed), 1.0, 0.0, 0.0, "", NULL, "whole number; another seed, other noise"},
  ROW(amplitude, 0,               1.0, "",     "standard deviation"),
  ROW(offset,    0,               0.0, "",     "mean value"),
  ROW(start,     0,               0.0, "s",    "where the first value begins"),
  {"distribution", HK_P_CHOICE, 0, AT(distribution), 0.0, 0.0, 0.0, "", "uniform normal", "of the values; the sum of coloured noise is nearly normal in any case"},
  {"colour", HK_P_CHOICE, 0, AT(colour), 0.0, 0.0, 0.0, "", "white pink brown", "power density over the frequency f below 1/(2 hold): even, as 1/f, as 1/f^2"},
  {"smooth", HK_P_BOOL, 0, AT(smooth), 0.0, 0.0, 0.0, "", NULL, "a curve with continuous second derivative, as motions need it, instead of jumps"},
  HK_PARAM_END};
/* clang-format on */

/* splitmix64: every bit of the result depends on every bit of z */
static uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* 53 bits of z, even in [-1, 1) */
static double even(uint64_t z) { return (double)(int64_t)(z >> 11) * 0x1p-52 - 1.0; }

/* value of cell k of a row: mean 0, deviation 1 */
static double cell(const hk_shape *s, int32_t row, double k) {
  const uint64_t step = UINT64_C(0x9e3779b97f4a7c15);
  uint64_t z = mix((uint64_t)(uint32_t)s->seed * step + (uint64_t)row + 1);
  z = mix(z + (fabs(k) < 0x1p62 ? (uint64_t)(int64_t)k * step : 0));
  if (s->distribution == HK_RANDOM_UNIFORM) return sqrt(3.0) * even(z);
  double sum = 0.0;
  for (int32_t i = 0; i < TERMS; i++) sum += even(mix(z + (uint64_t)i * step));
  return 0.5 * sum;
}

/* f (3): a row of cells of length h at x, the deviation 1 */
static void row_at(const hk_shape *s, int32_t row, double h, double x, double f[3]) {
  const double k = hki_shape_cell(s->start, h, x);
  if (!s->smooth) {
    f[0] = cell(s, row, k), f[1] = f[2] = 0.0;
    return;
  }
  const double u = (x - (s->start + k * h)) / h, v = 1.0 - u, scale = sqrt(315.0 / 151.0) / 6.0;
  const double a = cell(s, row, k - 1.0), b = cell(s, row, k), c = cell(s, row, k + 1.0);
  const double d = cell(s, row, k + 2.0);
  f[0] = scale * (v * v * v * a + (4.0 + u * u * (3.0 * u - 6.0)) * b +
                  (4.0 + v * v * (3.0 * v - 6.0)) * c + u * u * u * d);
  f[1] = scale / h *
         (-3.0 * v * v * a + u * (9.0 * u - 12.0) * b - v * (9.0 * v - 12.0) * c + 3.0 * u * u * d);
  f[2] =
      scale / (h * h) * (6.0 * v * a + (18.0 * u - 12.0) * b + (18.0 * v - 12.0) * c + 6.0 * u * d);
}

void hki_random_eval(const hk_shape *s, double x, double out[3]) {
  const int32_t rows = s->colour == HK_RANDOM_WHITE ? 1 : ROWS;
  double h = s->hold, variance = 1.0, sum = 0.0, f[3];
  out[0] = out[1] = out[2] = 0.0;
  for (int32_t j = 0; j < rows; j++, h *= 2.0) {
    const double weight = sqrt(variance);
    row_at(s, j, h, x, f);
    for (int32_t i = 0; i < 3; i++) out[i] += weight * f[i];
    sum += variance;
    if (s->colour == HK_RANDOM_BROWN) variance *= 2.0;
  }
  const double gain = s->amplitude / sqrt(sum);
  for (int32_t i = 0; i < 3; i++) out[i] *= gain;
  out[0] += s->offset;
}

double hki_random_break(const hk_shape *s, double x, bool falling) {
  if (s->smooth) return falling ? -INFINITY : INFINITY;
  const double k = hki_shape_cell(s->start, s->hold, x);
  return s->start + (falling ? k : k + 1.0) * s->hold;
}

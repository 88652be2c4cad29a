/* SPDX-License-Identifier: Apache-2.0
 *
 * shapes_impl.h: shared by the files of shapes (shapes.c, shapes_waves.c, shapes_random.c).
 */
#ifndef HK_EXPR_SHAPES_IMPL_H
#define HK_EXPR_SHAPES_IMPL_H

#include "expr/shapes.h"

#include <math.h>
#include <stddef.h>

#define HKI_TWO_PI 6.28318530717958647692

/* a row of a table of keys: a number */
#define HKI_SHAPE_ROW(key, flags, def, unit, text)                                                 \
  { #key, HK_P_REAL, flags, (int32_t)offsetof(hk_shape, key), def, 0.0, 0.0, unit, NULL, text }

/* the nearer of `best` and b, where b lies behind x */
static inline double hki_shape_nearer(double b, double x, bool falling, double best) {
  if (falling) return b <= x && b > best ? b : best;
  return b > x && b < best ? b : best;
}

/* the last k with start + k*period <= x, as these numbers are rounded */
static inline double hki_shape_cell(double start, double period, double x) {
  double k = floor((x - start) / period);
  if (start + (k + 1.0) * period <= x) k += 1.0;
  if (start + k * period > x) k -= 1.0;
  return k;
}

/* shapes_waves.c */
extern const hk_param hki_cosine_params[], hki_sweep_params[], hki_fourier_params[];
void hki_cosine_eval(const hk_shape *s, double x, double out[3]);
double hki_cosine_break(const hk_shape *s, double x, bool falling);
hk_status hki_sweep_finish(hk_ctx *ctx, hk_loc loc, hk_shape *s);
void hki_sweep_eval(const hk_shape *s, double x, double out[3]);
double hki_sweep_break(const hk_shape *s, double x, bool falling);
hk_status hki_fourier_finish(hk_ctx *ctx, hk_loc loc, hk_shape *s);
void hki_fourier_eval(const hk_shape *s, double x, double out[3]);

/* shapes_random.c */
extern const hk_param hki_random_params[];
void hki_random_eval(const hk_shape *s, double x, double out[3]);
double hki_random_break(const hk_shape *s, double x, bool falling);

/* a shape without breaks */
double hki_shape_no_break(const hk_shape *s, double x, bool falling);

#endif

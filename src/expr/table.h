/* SPDX-License-Identifier: Apache-2.0
 *
 * table.h: a function given by points, y(x). Used by laws, roads and signals.
 *
 * x ascends; one repeated x is a jump (the later value holds from there on). Between the points the
 * table is linear, or a monotone cubic that is smooth (C1) and never overshoots. Outside it keeps
 * its end values, or its end slopes.
 *
 * Segments are numbered by how many points are at or left of x: segment 0 lies left of all points,
 * segment k between point k-1 and point k (counting from 0), segment n from the last point on.
 * hki_table_eval_segment extends the polynomial of one segment to any x, so that an iteration sees
 * one smooth function.
 */
#ifndef HK_EXPR_TABLE_H
#define HK_EXPR_TABLE_H

#include "base/base.h"

typedef enum hk_interpolation { HK_TABLE_LINEAR, HK_TABLE_MONOTONE } hk_interpolation;
typedef enum hk_extrapolation { HK_TABLE_HOLD, HK_TABLE_EXTEND } hk_extrapolation;

/* y = y0 + c1 s + c2 s^2 + c3 s^3, s = x - x0; area = integral from the first point to x0 */
typedef struct hk_table_piece {
  double x0, y0, c1, c2, c3, area;
} hk_table_piece;

typedef struct hk_table {
  int32_t n; /* points */
  hk_interpolation interpolation;
  hk_extrapolation extrapolation;
  const double *x, *y;         /* n each */
  const hk_table_piece *piece; /* n + 1, one per segment */
} hk_table;

/* Copies the points into the pool. Errors (HK_E_MODEL at `loc`) name the row, counting from 1: no
 * points, a value that is not finite, x that falls, three equal x, points too close together. */
hk_status hki_table_build(hk_ctx *ctx, hk_pool *pool, hk_loc loc, int32_t n, const double *x,
                          const double *y, hk_interpolation interpolation,
                          hk_extrapolation extrapolation, const hk_table **out);

/* value at x; slope and curvature may be NULL */
double hki_table_eval(const hk_table *t, double x, double *slope, double *curvature);

/* segment of x, 0 to n */
int32_t hki_table_segment(const hk_table *t, double x);

/* as hki_table_eval with the segment given, 0 to n, wherever x is */
double hki_table_eval_segment(const hk_table *t, int32_t segment, double x, double *slope,
                              double *curvature);

/* integral from the first point to x, exact */
double hki_table_integral(const hk_table *t, double x);

/* x0 < x <= x1 at which the value jumps or the slope does (monotone tables: jumps and the two ends
 * only), ascending, the first `max` of them; returns how many */
int32_t hki_table_breaks(const hk_table *t, double x0, double x1, double *out, int32_t max);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * table.h: a function given by points, y(x). Used by laws, roads and signals.
 *
 * x ascends; one repeated x is a jump (the later value holds from there on). Between the points the
 * table is linear; a monotone cubic that is smooth (C1) and never overshoots; Akima's cubic, smooth
 * (C1) too, whose slopes follow the four nearest lines, so that it neither overshoots much beside a
 * corner nor flattens a peak; or a spline, whose second derivative is continuous too: cubic through
 * values, quintic where slopes or second derivatives are given with them. A spline has no jumps. Outside, a table keeps its end values, or
 * its end slopes; a periodic spline repeats itself.
 *
 * The first and the last point belong to the table: value, slope and curvature there are those of
 * the segment inside.
 *
 * Segments are numbered by how many points are at or left of x: segment 0 lies left of all points,
 * segment k between point k-1 and point k (counting from 0), segment n from the last point on.
 * hki_table_eval_segment extends the polynomial of one segment to any x, so that an iteration sees
 * one smooth function.
 */
#ifndef HK_EXPR_TABLE_H
#define HK_EXPR_TABLE_H

#include "base/base.h"
#include "expr/spline.h"

typedef enum hk_interpolation {
  HK_TABLE_LINEAR,
  HK_TABLE_MONOTONE,
  HK_TABLE_SPLINE,
  HK_TABLE_AKIMA
} hk_interpolation;
typedef enum hk_extrapolation { HK_TABLE_HOLD, HK_TABLE_EXTEND } hk_extrapolation;

/* what a table is made from */
typedef struct hk_table_rows {
  hk_loc loc; /* of the table, for errors */
  int32_t n;  /* points */
  hk_interpolation interpolation;
  hk_extrapolation extrapolation;
  bool implied;           /* the model does not say the interpolation: its use may choose another */
  const double *x, *y;    /* n each */
  const double *yd, *ydd; /* n each: first and second derivatives; NULL: not given. Splines only. */
  /* splines: `end` are the slopes of clamped ends. Where derivatives are given they take the place
   * of the conditions at the ends, unless these are periodic. */
  hk_spline_ends ends;
  double end[2];
} hk_table_rows;

/* y = y0 + c1 s + c2 s^2 + .. + c5 s^5, s = x - x0; area = integral from the first point to x0 */
typedef struct hk_table_piece {
  double x0, y0, c1, c2, c3, c4, c5, area;
} hk_table_piece;

typedef struct hk_table {
  int32_t n; /* points */
  hk_interpolation interpolation;
  hk_extrapolation extrapolation;
  const double *x, *y;         /* n each */
  const hk_table_piece *piece; /* n + 1, one per segment */
  double period;               /* of a periodic spline, else 0 */
  double density;              /* points per unit of x, to guess a segment; 0: no guess */
  hk_table_rows rows;          /* its own copy of what it was made from */
} hk_table;

/* Copies the points into the pool. Errors (HK_E_MODEL at `loc`) name the row, counting from 1: no
 * points, a value that is not finite, x that falls, three equal x (splines: two), points too close
 * together, a periodic spline with fewer than four rows or with ends that differ. */
hk_status hki_table_build(hk_ctx *ctx, hk_pool *pool, const hk_table_rows *rows,
                          const hk_table **out);

/* value at x; slope and curvature may be NULL */
double hki_table_eval(const hk_table *t, double x, double *slope, double *curvature);

/* segment of x, 0 to n; not for periodic splines */
int32_t hki_table_segment(const hk_table *t, double x);

/* as hki_table_eval with the segment given, 0 to n, wherever x is */
double hki_table_eval_segment(const hk_table *t, int32_t segment, double x, double *slope,
                              double *curvature);

/* integral from the first point to x, exact */
double hki_table_integral(const hk_table *t, double x);

/* The next x at which the value jumps or the slope does (all but linear tables: jumps and the
 * two ends only); INFINITY or -INFINITY: none. Rising: the first behind x, where the new side begins.
 * Falling: the first at or below x; the new side begins below it. The end of a table that holds its
 * last value is the first number behind its last x. */
double hki_table_next_break(const hk_table *t, double x, bool falling);

#endif

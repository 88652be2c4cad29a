/* SPDX-License-Identifier: Apache-2.0
 *
 * table.c: functions given by points. Every segment, the two outer ones included, is one cubic, so
 * evaluation is a search and a few multiplications.
 *
 * Slopes of the monotone cubic at an inner point between segments of widths h0, h1 and secants
 * d0, d1:
 *
 *   m = 0                                 where d0 and d1 differ in sign or one is zero
 *   m = (w0 + w1)/(w0/d0 + w1/d1)         else, with w0 = h0 + 2 h1, w1 = 2 h0 + h1
 *
 * At the ends the three-point formula, limited to keep the shape. A jump (two points at one x) ends
 * one run of points and begins the next.
 *
 * Source: F. N. Fritsch and J. Butland, A method for constructing local monotone piecewise cubic
 * interpolants, SIAM J. Sci. Stat. Comput. 5 (1984) 300-304.
 */
#include "expr/table.h"

#include <math.h>
#include <string.h>

/* --- building --------------------------------------------------------------------------------- */

static hk_status check_points(hk_ctx *ctx, hk_loc loc, int32_t n, const double *x,
                              const double *y) {
  if (n < 1) {
    return hki_error(ctx, HK_E_MODEL, loc, "give at least one point x, y",
                     "the table has no points");
  }
  for (int32_t i = 0; i < n; i++) {
    if (!isfinite(x[i]) || !isfinite(y[i])) {
      return hki_error(ctx, HK_E_MODEL, loc, NULL, "row %d of the table is not finite: %g, %g",
                       (int)i + 1, x[i], y[i]);
    }
    if (i > 0 && x[i] < x[i - 1]) {
      return hki_error(ctx, HK_E_MODEL, loc, "sort the rows; a repeated x means a jump",
                       "x falls from %g to %g at row %d of the table", x[i - 1], x[i], (int)i + 1);
    }
    if (i > 1 && x[i] == x[i - 2]) {
      return hki_error(ctx, HK_E_MODEL, loc, "a jump is written with two rows",
                       "x = %g stands in three rows of the table, up to row %d", x[i], (int)i + 1);
    }
    if (i > 0 && x[i] != x[i - 1] && !isfinite((y[i] - y[i - 1]) / (x[i] - x[i - 1]))) {
      return hki_error(ctx, HK_E_MODEL, loc, "a jump is written with the same x twice",
                       "rows %d and %d of the table are too close together or too far apart",
                       (int)i, (int)i + 1);
    }
  }
  return HK_OK;
}

static double secant(const double *x, const double *y, int32_t i) {
  return (y[i + 1] - y[i]) / (x[i + 1] - x[i]);
}

/* slope at the end of a run: h0, d0 the outer width and secant, h1, d1 the next ones */
static double end_slope(double h0, double h1, double d0, double d1) {
  double m = ((2.0 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
  if (m * d0 <= 0.0) return 0.0;
  if (d0 * d1 <= 0.0 && fabs(m) > 3.0 * fabs(d0)) return 3.0 * d0;
  return m;
}

/* slope at point i of the run [first, last] */
static double node_slope(const double *x, const double *y, int32_t first, int32_t last, int32_t i) {
  if (first == last) return 0.0;
  if (last == first + 1) return secant(x, y, first);
  if (i == first) {
    return end_slope(x[i + 1] - x[i], x[i + 2] - x[i + 1], secant(x, y, i), secant(x, y, i + 1));
  }
  if (i == last) {
    return end_slope(x[i] - x[i - 1], x[i - 1] - x[i - 2], secant(x, y, i - 1),
                     secant(x, y, i - 2));
  }
  double d0 = secant(x, y, i - 1), d1 = secant(x, y, i);
  if ((d0 <= 0.0 && d1 >= 0.0) || (d0 >= 0.0 && d1 <= 0.0)) return 0.0;
  double h0 = x[i] - x[i - 1], h1 = x[i + 1] - x[i], w0 = 2.0 * h1 + h0, w1 = h1 + 2.0 * h0;
  return (w0 + w1) / (w0 / d0 + w1 / d1);
}

/* the cubic from point i to point i + 1 with slopes m0, m1 at its ends */
static void hermite(hk_table_piece *p, double h, double d, double m0, double m1) {
  p->c1 = m0;
  p->c2 = (3.0 * d - 2.0 * m0 - m1) / h;
  p->c3 = (m0 + m1 - 2.0 * d) / h / h;
}

static double piece_area(const hk_table_piece *p, double x) {
  double s = x - p->x0;
  return s * (p->y0 + s * (p->c1 / 2.0 + s * (p->c2 / 3.0 + s * p->c3 / 4.0)));
}

/* the pieces of the run of points [first, last], and the slopes at its two ends */
static void build_run(const double *x, const double *y, hk_interpolation how, int32_t first,
                      int32_t last, hk_table_piece *piece, double end[2]) {
  double m0 = node_slope(x, y, first, last, first), m1;
  end[0] = m0;
  for (int32_t i = first; i < last; i++, m0 = m1) {
    hk_table_piece *p = &piece[i + 1];
    m1 = node_slope(x, y, first, last, i + 1);
    *p = (hk_table_piece){.x0 = x[i], .y0 = y[i], .c1 = secant(x, y, i)};
    if (how == HK_TABLE_MONOTONE) hermite(p, x[i + 1] - x[i], p->c1, m0, m1);
  }
  end[1] = m0;
  if (how == HK_TABLE_LINEAR) {
    end[0] = last > first ? secant(x, y, first) : 0.0;
    end[1] = last > first ? secant(x, y, last - 1) : 0.0;
  }
}

static void build_pieces(hk_table *t, const double *x, const double *y, hk_table_piece *piece) {
  double end[2] = {0.0, 0.0}, left = 0.0;
  for (int32_t first = 0, last; first < t->n; first = last + 1) {
    last = first;
    while (last + 1 < t->n && x[last + 1] != x[last]) last++;
    build_run(x, y, t->interpolation, first, last, piece, end);
    if (first == 0) left = end[0];
    // the empty segment inside a jump
    if (last + 1 < t->n) piece[last + 1] = (hk_table_piece){.x0 = x[last], .y0 = y[last]};
  }
  bool extend = t->extrapolation == HK_TABLE_EXTEND;
  piece[0] = (hk_table_piece){.x0 = x[0], .y0 = y[0], .c1 = extend ? left : 0.0};
  piece[t->n] = (hk_table_piece){.x0 = x[t->n - 1], .y0 = y[t->n - 1], .c1 = extend ? end[1] : 0.0};
  for (int32_t k = 2; k <= t->n; k++) {
    piece[k].area = piece[k - 1].area + piece_area(&piece[k - 1], piece[k].x0);
  }
}

hk_status hki_table_build(hk_ctx *ctx, hk_pool *pool, hk_loc loc, int32_t n, const double *x,
                          const double *y, hk_interpolation interpolation,
                          hk_extrapolation extrapolation, const hk_table **out) {
  *out = NULL;
  hk_status status = check_points(ctx, loc, n, x, y);
  if (status != HK_OK) return status;
  hk_table *t = hki_pool_alloc(pool, sizeof *t);
  double *px = hki_pool_alloc(pool, 2 * (size_t)n * sizeof *px);
  hk_table_piece *piece = hki_pool_alloc(pool, ((size_t)n + 1) * sizeof *piece);
  if (!t || !px || !piece) return HK_E_MEMORY;
  memcpy(px, x, (size_t)n * sizeof *px);
  memcpy(px + n, y, (size_t)n * sizeof *px);
  *t = (hk_table){n, interpolation, extrapolation, px, px + n, piece};
  build_pieces(t, px, px + n, piece);
  for (int32_t k = 1; k < n; k++) {
    if (isfinite(piece[k].c2) && isfinite(piece[k].c3)) continue;
    return hki_error(ctx, HK_E_MODEL, loc, "use linear interpolation, or move the points apart",
                     "rows %d and %d of the table are too close together", (int)k, (int)k + 1);
  }
  *out = t;
  return HK_OK;
}

/* --- evaluating ------------------------------------------------------------------------------- */

double hki_table_eval_segment(const hk_table *t, int32_t segment, double x, double *slope,
                              double *curvature) {
  const hk_table_piece *p = &t->piece[segment < 0 ? 0 : segment > t->n ? t->n : segment];
  double s = x - p->x0;
  if (slope) *slope = p->c1 + s * (2.0 * p->c2 + s * 3.0 * p->c3);
  if (curvature) *curvature = 2.0 * p->c2 + 6.0 * p->c3 * s;
  return p->y0 + s * (p->c1 + s * (p->c2 + s * p->c3));
}

/* the number of points at or left of x, known to lie between lo and hi */
static int32_t bisect(const hk_table *t, double x, int32_t lo, int32_t hi) {
  while (lo < hi) {
    int32_t mid = lo + (hi - lo) / 2;
    if (t->x[mid] <= x) {
      lo = mid + 1;
    } else {
      hi = mid;
    }
  }
  return lo;
}

int32_t hki_table_segment(const hk_table *t, double x) { return bisect(t, x, 0, t->n); }

double hki_table_eval(const hk_table *t, double x, double *slope, double *curvature) {
  return hki_table_eval_segment(t, hki_table_segment(t, x), x, slope, curvature);
}

double hki_table_integral(const hk_table *t, double x) {
  const hk_table_piece *p = &t->piece[hki_table_segment(t, x)];
  return p->area + piece_area(p, x);
}

int32_t hki_table_breaks(const hk_table *t, double x0, double x1, double *out, int32_t max) {
  int32_t n = 0;
  bool smooth = t->interpolation == HK_TABLE_MONOTONE;
  for (int32_t i = hki_table_segment(t, x0); i < t->n && t->x[i] <= x1 && n < max; i++) {
    // two points at one x are one break; inner points of a monotone cubic are no breaks
    bool second = i > 0 && t->x[i] == t->x[i - 1];
    bool jump = i + 1 < t->n && t->x[i] == t->x[i + 1];
    bool end = (i == 0 || i == t->n - 1) && t->extrapolation == HK_TABLE_HOLD;
    if (!second && (jump || end || !smooth)) out[n++] = t->x[i];
  }
  return n;
}

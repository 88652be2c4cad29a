/* SPDX-License-Identifier: Apache-2.0
 *
 * table.c: functions given by points. Every segment, the two outer ones included, is one polynomial
 * of degree five at most, so evaluation is a search and a few multiplications.
 *
 * Slopes of the monotone cubic at an inner point between segments of widths h0, h1 and secants
 * d0, d1:
 *
 *   m = 0                                 where d0 and d1 differ in sign or one is zero
 *   m = (w0 + w1)/(w0/d0 + w1/d1)         else, with w0 = h0 + 2 h1, w1 = 2 h0 + h1
 *
 * At the ends the three-point formula, limited to keep the shape. Slopes of Akima's cubic from the
 * secants d0, d1 before the point and d2, d3 behind it:
 *
 *   m = (|d3 - d2| d1 + |d1 - d0| d2)/(|d3 - d2| + |d1 - d0|),   (d1 + d2)/2 where that is 0/0
 *
 * with two more secants at each end by linear extrapolation. A jump (two points at one x) ends
 * one run of points and begins the next.
 *
 * Splines (spline.h): a cubic spline through the values; or, where derivatives are given, quintics
 * with the value, slope and second derivative of each point. Of the two derivatives a missing one is
 * that of a cubic spline: slopes of the spline through the values whose second derivatives at the
 * ends are the given ones, or second derivatives as slopes of the spline through the given slopes.
 *
 * Sources: H. Akima, A new method of interpolation and smooth curve fitting based on local
 * procedures, J. ACM 17 (1970) 589-602; F. N. Fritsch and J. Butland, A method for constructing local monotone piecewise cubic
 * interpolants, SIAM J. Sci. Stat. Comput. 5 (1984) 300-304.
 */
#include "expr/table.h"

#include <math.h>
#include <string.h>

enum { GUESS_FROM = 8 }; /* points from which a segment is guessed before it is searched */

/* --- building --------------------------------------------------------------------------------- */

/* are the given derivatives finite numbers? */
static hk_status check_slopes(hk_ctx *ctx, const hk_table_rows *r) {
  const double *const list[2] = {r->yd, r->ydd};
  for (int32_t k = 0; k < 2; k++) {
    for (int32_t i = 0; list[k] && i < r->n; i++) {
      if (isfinite(list[k][i])) continue;
      return hki_error(ctx, HK_E_MODEL, r->loc, NULL, "row %d of the table is not finite: %s %g",
                       (int)i + 1, k ? "acceleration" : "rate", list[k][i]);
    }
  }
  return HK_OK;
}

/* Do the ends of a periodic spline agree? The last point then counts as the first. */
static hk_status check_period(hk_ctx *ctx, const hk_table_rows *r) {
  const double *const list[3] = {r->y, r->yd, r->ydd};
  static const char *const name[3] = {"value", "rate", "acceleration"};
  if (r->n < 4) {
    return hki_error(ctx, HK_E_MODEL, r->loc, "the last row repeats the first one, a period later",
                     "a periodic spline needs at least 4 rows, found %d", (int)r->n);
  }
  for (int32_t k = 0; k < 3; k++) {
    double lo = INFINITY, hi = -INFINITY;
    for (int32_t i = 0; list[k] && i < r->n; i++)
      lo = fmin(lo, list[k][i]), hi = fmax(hi, list[k][i]);
    if (!list[k] || fabs(list[k][r->n - 1] - list[k][0]) <= 1e-6 * (hi - lo)) continue;
    return hki_error(ctx, HK_E_MODEL, r->loc, "the last row repeats the first one, a period later",
                     "the periodic spline begins with the %s %.9g and ends with %.9g", name[k],
                     list[k][0], list[k][r->n - 1]);
  }
  return HK_OK;
}

static hk_status check_spline(hk_ctx *ctx, const hk_table_rows *r) {
  for (int32_t i = 1; i < r->n; i++) {
    if (r->x[i] != r->x[i - 1]) continue;
    return hki_error(ctx, HK_E_MODEL, r->loc,
                     "take one of the rows out, or use linear or monotone interpolation",
                     "x = %g stands in rows %d and %d of the table: a spline has no jumps", r->x[i],
                     (int)i, (int)i + 1);
  }
  if (r->ends == HK_ENDS_CLAMPED && r->n < 2) {
    return hki_error(ctx, HK_E_MODEL, r->loc, NULL, "a clamped spline needs at least 2 rows");
  }
  hk_status status = check_slopes(ctx, r);
  return status == HK_OK && r->ends == HK_ENDS_PERIODIC ? check_period(ctx, r) : status;
}

static hk_status check_points(hk_ctx *ctx, const hk_table_rows *r) {
  const hk_loc loc = r->loc;
  const int32_t n = r->n;
  const double *x = r->x, *y = r->y;
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
  return r->interpolation == HK_TABLE_SPLINE ? check_spline(ctx, r) : HK_OK;
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

/* secant i of the run [first, last], extrapolated beyond its ends; last > first + 1 */
static double akima_secant(const double *x, const double *y, int32_t first, int32_t last,
                           int32_t i) {
  const double d0 = secant(x, y, first), d1 = secant(x, y, first + 1);
  const double e0 = secant(x, y, last - 1), e1 = secant(x, y, last - 2);
  if (i < first) return d0 + (first - i) * (d0 - d1);
  if (i >= last) return e0 + (i - last + 1) * (e0 - e1);
  return secant(x, y, i);
}

/* slope of Akima's cubic at point i of the run [first, last] */
static double akima_slope(const double *x, const double *y, int32_t first, int32_t last,
                          int32_t i) {
  double d[4];
  if (first == last) return 0.0;
  if (last == first + 1) return secant(x, y, first);
  for (int32_t k = 0; k < 4; k++) d[k] = akima_secant(x, y, first, last, i - 2 + k);
  const double a = fabs(d[3] - d[2]), b = fabs(d[1] - d[0]);
  // differences by rounding alone are none
  const double least = 1e-14 * (fabs(d[0]) + fabs(d[1]) + fabs(d[2]) + fabs(d[3]));
  return a + b > least ? (a * d[1] + b * d[2]) / (a + b) : 0.5 * (d[1] + d[2]);
}

/* the cubic from point i to point i + 1 with slopes m0, m1 at its ends */
static void hermite(hk_table_piece *p, double h, double d, double m0, double m1) {
  p->c1 = m0;
  p->c2 = (3.0 * d - 2.0 * m0 - m1) / h;
  p->c3 = (m0 + m1 - 2.0 * d) / h / h;
}

static double piece_area(const hk_table_piece *p, double x) {
  double s = x - p->x0;
  double high = p->c4 == 0.0 && p->c5 == 0.0 ? 0.0 : s * (p->c4 / 5.0 + s * p->c5 / 6.0);
  return s * (p->y0 + s * (p->c1 / 2.0 + s * (p->c2 / 3.0 + s * (p->c3 / 4.0 + high))));
}

/* the pieces of the run of points [first, last], and the slopes at its two ends */
static void build_run(const double *x, const double *y, hk_interpolation how, int32_t first,
                      int32_t last, hk_table_piece *piece, double end[2]) {
  double (*slope)(const double *, const double *, int32_t, int32_t, int32_t) =
      how == HK_TABLE_AKIMA ? akima_slope : node_slope;
  double m0 = slope(x, y, first, last, first), m1;
  end[0] = m0;
  for (int32_t i = first; i < last; i++, m0 = m1) {
    hk_table_piece *p = &piece[i + 1];
    m1 = slope(x, y, first, last, i + 1);
    *p = (hk_table_piece){.x0 = x[i], .y0 = y[i], .c1 = secant(x, y, i)};
    if (how != HK_TABLE_LINEAR) hermite(p, x[i + 1] - x[i], p->c1, m0, m1);
  }
  end[1] = m0;
  if (how == HK_TABLE_LINEAR) {
    end[0] = last > first ? secant(x, y, first) : 0.0;
    end[1] = last > first ? secant(x, y, last - 1) : 0.0;
  }
}

/* the pieces of a spline, and the slopes at its two ends; work: 6n numbers */
static void build_spline(const hk_table_rows *r, const double *y, hk_table_piece *piece,
                         double end[2], double *work) {
  const int32_t n = r->n;
  const bool periodic = r->ends == HK_ENDS_PERIODIC, given = r->yd || r->ydd;
  double *m = work, *a = work + n, *rest = work + 2 * n;
  hk_spline_ends ends = periodic || !given ? r->ends : HK_ENDS_NOT_A_KNOT;
  const double bend[2] = {r->ydd ? r->ydd[0] : 0.0, r->ydd ? r->ydd[n - 1] : 0.0};
  if (r->yd)
    memcpy(m, r->yd, (size_t)n * sizeof *m);
  else if (r->ydd && !periodic)
    hki_spline_slopes(n, r->x, y, HK_ENDS_CURVATURE, bend, m, rest);
  else
    hki_spline_slopes(n, r->x, y, ends, r->end, m, rest);
  if (r->ydd)
    memcpy(a, r->ydd, (size_t)n * sizeof *a);
  else if (given)
    hki_spline_slopes(n, r->x, m, ends, r->end, a, rest);
  // a periodic spline ends as it begins
  if (periodic && given) m[n - 1] = m[0], a[n - 1] = a[0];
  end[0] = m[0], end[1] = m[n - 1];
  for (int32_t i = 0; i + 1 < n; i++) {
    hk_table_piece *p = &piece[i + 1];
    const double h = r->x[i + 1] - r->x[i];
    *p = (hk_table_piece){.x0 = r->x[i], .y0 = y[i]};
    if (!given) {
      hermite(p, h, secant(r->x, y, i), m[i], m[i + 1]);
      continue;
    }
    const double from[3] = {y[i], m[i], a[i]}, to[3] = {y[i + 1], m[i + 1], a[i + 1]};
    double c[6];
    hki_quintic(h, from, to, c);
    p->c1 = c[1], p->c2 = c[2], p->c3 = c[3], p->c4 = c[4], p->c5 = c[5];
  }
}

/* the pieces of all runs of points between jumps, and the slopes at the two ends */
static void build_runs(const hk_table *t, hk_table_piece *piece, double outer[2]) {
  double end[2] = {0.0, 0.0};
  const double *x = t->x, *y = t->y;
  for (int32_t first = 0, last; first < t->n; first = last + 1) {
    last = first;
    while (last + 1 < t->n && x[last + 1] != x[last]) last++;
    build_run(x, y, t->interpolation, first, last, piece, end);
    if (first == 0) outer[0] = end[0];
    // the empty segment inside a jump
    if (last + 1 < t->n) piece[last + 1] = (hk_table_piece){.x0 = x[last], .y0 = y[last]};
  }
  outer[1] = end[1];
}

/* the two outer segments, and the areas */
static void build_outside(const hk_table *t, hk_table_piece *piece, const double slope[2]) {
  const double *x = t->x, *y = t->y;
  bool extend = t->extrapolation == HK_TABLE_EXTEND;
  piece[0] = (hk_table_piece){.x0 = x[0], .y0 = y[0], .c1 = extend ? slope[0] : 0.0};
  piece[t->n] =
      (hk_table_piece){.x0 = x[t->n - 1], .y0 = y[t->n - 1], .c1 = extend ? slope[1] : 0.0};
  for (int32_t k = 2; k <= t->n; k++) {
    piece[k].area = piece[k - 1].area + piece_area(&piece[k - 1], piece[k].x0);
  }
}

static hk_status check_pieces(hk_ctx *ctx, const hk_table *t) {
  for (int32_t k = 1; k < t->n; k++) {
    const hk_table_piece *p = &t->piece[k];
    if (isfinite(p->c1) && isfinite(p->c2) && isfinite(p->c3) && isfinite(p->c4) && isfinite(p->c5))
      continue;
    return hki_error(ctx, HK_E_MODEL, t->rows.loc,
                     "use linear interpolation, or move the points apart",
                     "rows %d and %d of the table are too close together", (int)k, (int)k + 1);
  }
  return HK_OK;
}

/* a copy in the pool; NULL stays NULL */
static bool copy(hk_pool *pool, int32_t n, const double **x) {
  if (!*x) return true;
  double *to = hki_pool_alloc(pool, (size_t)n * sizeof *to);
  if (to) memcpy(to, *x, (size_t)n * sizeof *to);
  *x = to;
  return to != NULL;
}

hk_status hki_table_build(hk_ctx *ctx, hk_pool *pool, const hk_table_rows *rows,
                          const hk_table **out) {
  *out = NULL;
  const int32_t n = rows->n;
  const bool spline = rows->interpolation == HK_TABLE_SPLINE;
  hk_status status = check_points(ctx, rows);
  if (status != HK_OK) return status;
  hk_table *t = hki_pool_alloc(pool, sizeof *t);
  hk_table_piece *piece = hki_pool_alloc(pool, ((size_t)n + 1) * sizeof *piece);
  double *work = spline ? hki_alloc(ctx, 6 * (size_t)n * sizeof *work) : NULL;
  double *y = hki_pool_alloc(pool, (size_t)n * sizeof *y);
  hk_table_rows r = *rows;
  bool ok = t && piece && y && (work || !spline) && copy(pool, n, &r.x) && copy(pool, n, &r.yd) &&
            copy(pool, n, &r.ydd);
  if (ok) {
    double slope[2] = {0.0, 0.0};
    memcpy(y, rows->y, (size_t)n * sizeof *y);
    if (spline && r.ends == HK_ENDS_PERIODIC) y[n - 1] = y[0];
    r.y = y;
    *t = (hk_table){.n = n,
                    .interpolation = r.interpolation,
                    .extrapolation = r.extrapolation,
                    .x = r.x,
                    .y = y,
                    .piece = piece,
                    .rows = r};
    if (spline)
      build_spline(&r, y, piece, slope, work);
    else
      build_runs(t, piece, slope);
    build_outside(t, piece, slope);
    const double length = r.x[n - 1] - r.x[0];
    if (n > GUESS_FROM && length > 0.0) t->density = (n - 1) / length;
    if (spline && r.ends == HK_ENDS_PERIODIC) t->period = length;
  }
  hki_free(ctx, work);
  if (!ok) return HK_E_MEMORY;
  if ((status = check_pieces(ctx, t)) == HK_OK) *out = t;
  return status;
}

/* --- evaluating ------------------------------------------------------------------------------- */

static double quintic(const hk_table_piece *p, double s, double *slope, double *curvature) {
  if (slope)
    *slope = p->c1 + s * (2.0 * p->c2 + s * (3.0 * p->c3 + s * (4.0 * p->c4 + s * 5.0 * p->c5)));
  if (curvature)
    *curvature = 2.0 * p->c2 + s * (6.0 * p->c3 + s * (12.0 * p->c4 + s * 20.0 * p->c5));
  return p->y0 + s * (p->c1 + s * (p->c2 + s * (p->c3 + s * (p->c4 + s * p->c5))));
}

double hki_table_eval_segment(const hk_table *t, int32_t segment, double x, double *slope,
                              double *curvature) {
  const hk_table_piece *p = &t->piece[segment < 0 ? 0 : segment > t->n ? t->n : segment];
  double s = x - p->x0;
  if (p->c5 != 0.0 || p->c4 != 0.0) return quintic(p, s, slope, curvature);
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

int32_t hki_table_segment(const hk_table *t, double x) {
  // points are often evenly spaced: look there first
  const double at = (x - t->x[0]) * t->density;
  if (at >= 0.0 && at < t->n - 1.0) {
    int32_t k = (int32_t)at;
    if (t->x[k] <= x && x < t->x[k + 1]) return k + 1;
    if (t->x[k] > x && t->x[k - (k > 0)] <= x) return k;
    if (k + 2 < t->n && t->x[k + 1] <= x && x < t->x[k + 2]) return k + 2;
  }
  return bisect(t, x, 0, t->n);
}

double hki_table_eval(const hk_table *t, double x, double *slope, double *curvature) {
  if (t->period > 0.0) {
    x -= t->period * floor((x - t->x[0]) / t->period);
    // rounding must not lead out of the period
    x = fmin(fmax(x, t->x[0]), t->x[t->n - 1]);
  }
  int32_t k = hki_table_segment(t, x);
  // the last point belongs to the segment before it, unless it is a jump
  if (k == t->n && k > 1 && x == t->x[k - 1] && t->x[k - 2] != x) k--;
  return hki_table_eval_segment(t, k, x, slope, curvature);
}

double hki_table_integral(const hk_table *t, double x) {
  const hk_table_piece *p = &t->piece[hki_table_segment(t, x)];
  return p->area + piece_area(p, x);
}

/* is point i, but for the last, a break? Two points at one x are one, inner points of smooth curves
 * none. */
static bool is_break(const hk_table *t, int32_t i) {
  if (i > 0 && t->x[i] == t->x[i - 1]) return false;
  if (t->x[i] == t->x[i + 1]) return true;
  return i == 0 ? t->extrapolation == HK_TABLE_HOLD : t->interpolation == HK_TABLE_LINEAR;
}

double hki_table_next_break(const hk_table *t, double x, bool falling) {
  const int32_t last = t->n - 1;
  const double none = falling ? -INFINITY : INFINITY;
  if (t->period > 0.0 || t->n < 2) return none;
  // the last point belongs to the table
  double end = nextafter(t->x[last], INFINITY);
  bool ends = t->extrapolation == HK_TABLE_HOLD && t->x[last - 1] != t->x[last];
  if (ends && falling && end <= x) return end;
  int32_t i = hki_table_segment(t, x);
  if (falling) {
    for (i = (i > last ? last : i) - 1; i >= 0; i--)
      if (is_break(t, i)) return t->x[i];
    return none;
  }
  for (; i < last; i++)
    if (is_break(t, i)) return t->x[i];
  return ends && end > x ? end : none;
}

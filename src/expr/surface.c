/* SPDX-License-Identifier: Apache-2.0
 *
 * surface.c: tables in two variables. On each axis the four weights of a cell belong to the values
 * and to the slopes at its two ends,
 *
 *   w = (1 - 3u^2 + 2u^3, 3u^2 - 2u^3, h u (1-u)^2, h u^2 (u-1)),   u = (x - x_i)/h
 *
 * (linear: (1 - u, u, 0, 0)), and z = sum over a, b of wx_a wy_b Z_ab with Z_ab one of z, zx, zy,
 * zxy at a corner. Derivatives are those of the weights. The slopes at the points are those of
 * splines along each line of the grid, the mixed ones of splines through the slopes in x along y,
 * so that the second derivatives are continuous.
 *
 * Source: C. de Boor, Bicubic spline interpolation, J. Math. and Phys. 41 (1962) 212-218.
 */
#include "expr/surface.h"

#include <math.h>
#include <string.h>

/* --- building --------------------------------------------------------------------------------- */

static hk_status check(hk_ctx *ctx, const hk_surface_rows *r) {
  for (int32_t k = 0; k < 2; k++) {
    const char name = k ? 'y' : 'x';
    if (r->n[k] < 2) {
      return hki_error(ctx, HK_E_MODEL, r->loc, NULL,
                       "a table in two variables needs at least two values of %c, found %d", name,
                       (int)r->n[k]);
    }
    for (int32_t i = 0; i < r->n[k]; i++) {
      if (isfinite(r->at[k][i]) && (i == 0 || r->at[k][i] > r->at[k][i - 1])) continue;
      return hki_error(ctx, HK_E_MODEL, r->loc, "each value is larger than the one before",
                       "value %d of %c, %g, is out of order", (int)i + 1, name, r->at[k][i]);
    }
  }
  for (int32_t i = 0; i < r->n[0] * r->n[1]; i++) {
    if (isfinite(r->z[i])) continue;
    return hki_error(ctx, HK_E_MODEL, r->loc, NULL, "value %d in row %d of the table is not finite",
                     (int)(i % r->n[1]) + 1, (int)(i / r->n[1]) + 1);
  }
  return HK_OK;
}

/* slopes `to` of splines along axis k through the values `from`, both like z; work: 5 n[k] */
static void slopes(const hk_surface_rows *r, int32_t k, const double *from, double *to,
                   double *work) {
  const int32_t n = r->n[k], other = r->n[1 - k], apart = k ? 1 : r->n[1];
  const double none[2] = {0.0, 0.0};
  for (int32_t j = 0; j < other; j++) {
    const int32_t at = k ? j * r->n[1] : j;
    for (int32_t i = 0; i < n; i++) work[i] = from[at + i * apart];
    hki_spline_slopes(n, r->at[k], work, HK_ENDS_NOT_A_KNOT, none, work + n, work + 2 * n);
    for (int32_t i = 0; i < n; i++) to[at + i * apart] = work[n + i];
  }
}

static double *copy(hk_pool *pool, const double *x, size_t n) {
  double *to = hki_pool_alloc(pool, n * sizeof *to);
  if (to && x) memcpy(to, x, n * sizeof *to);
  return to;
}

hk_status hki_surface_build(hk_ctx *ctx, hk_pool *pool, const hk_surface_rows *rows,
                            const hk_surface **out) {
  *out = NULL;
  hk_status status = check(ctx, rows);
  if (status != HK_OK) return status;
  const size_t nz = (size_t)rows->n[0] * (size_t)rows->n[1];
  const int32_t most = rows->n[0] > rows->n[1] ? rows->n[0] : rows->n[1];
  hk_surface *s = hki_pool_alloc(pool, sizeof *s);
  if (!s) return HK_E_MEMORY;
  *s = (hk_surface){.rows = *rows};
  for (int32_t k = 0; k < 2; k++) s->rows.at[k] = copy(pool, rows->at[k], (size_t)rows->n[k]);
  s->rows.z = copy(pool, rows->z, nz);
  if (!s->rows.at[0] || !s->rows.at[1] || !s->rows.z) return HK_E_MEMORY;
  *out = s;
  if (rows->interpolation != HK_TABLE_SPLINE) return HK_OK;
  double *zx = copy(pool, NULL, nz), *zy = copy(pool, NULL, nz), *zxy = copy(pool, NULL, nz);
  double *work = hki_alloc(ctx, 5 * (size_t)most * sizeof *work);
  if (zx && zy && zxy && work) {
    slopes(rows, 0, rows->z, zx, work);
    slopes(rows, 1, rows->z, zy, work);
    slopes(rows, 1, zx, zxy, work);
  } else {
    *out = NULL;
  }
  hki_free(ctx, work);
  s->zx = zx, s->zy = zy, s->zxy = zxy;
  return *out ? HK_OK : HK_E_MEMORY;
}

/* --- evaluating ------------------------------------------------------------------------------- */

/* one axis at x: the cell, and its weights with their first and second derivatives */
typedef struct axis {
  int32_t cell;
  double w[4], d[4], dd[4];
} axis;

static void weights(axis *a, bool spline, double h, double u) {
  if (!spline) {
    *a = (axis){a->cell, {1.0 - u, u}, {-1.0 / h, 1.0 / h}, {0.0}};
    return;
  }
  const double v = 1.0 - u, k = 6.0 * u * v / h, m = 6.0 * (1.0 - 2.0 * u) / h / h;
  *a = (axis){a->cell,
              {v * v * (1.0 + 2.0 * u), u * u * (1.0 + 2.0 * v), h * u * v * v, -h * u * u * v},
              {-k, k, v * (1.0 - 3.0 * u), u * (1.0 - 3.0 * v)},
              {-m, m, (6.0 * u - 4.0) / h, (6.0 * u - 2.0) / h}};
}

static void find(const hk_surface *s, int32_t k, double x, axis *a) {
  const hk_surface_rows *r = &s->rows;
  const double *at = r->at[k];
  const int32_t n = r->n[k];
  int32_t lo = 0, hi = n - 1;
  while (hi - lo > 1) {
    int32_t mid = lo + (hi - lo) / 2;
    *(at[mid] <= x ? &lo : &hi) = mid;
  }
  a->cell = lo;
  const double inside = fmin(fmax(x, at[0]), at[n - 1]), out = x - inside, h = at[lo + 1] - at[lo];
  weights(a, r->interpolation == HK_TABLE_SPLINE, h, (inside - at[lo]) / h);
  if (out == 0.0) return;
  // beyond the edge: its value, or its tangent
  for (int32_t i = 0; i < 4; i++) {
    if (r->extrapolation == HK_TABLE_EXTEND)
      a->w[i] += out * a->d[i];
    else
      a->d[i] = 0.0;
    a->dd[i] = 0.0;
  }
}

void hki_surface_eval(const hk_surface *s, double x, double y, double f[6]) {
  const int32_t ny = s->rows.n[1], terms = s->zx ? 4 : 2;
  const double *const Z[2][2] = {{s->rows.z, s->zy}, {s->zx, s->zxy}};
  axis a, b;
  find(s, 0, x, &a);
  find(s, 1, y, &b);
  for (int32_t i = 0; i < 6; i++) f[i] = 0.0;
  for (int32_t i = 0; i < terms; i++) {
    for (int32_t j = 0; j < terms; j++) {
      const double z = Z[i / 2][j / 2][(a.cell + i % 2) * ny + b.cell + j % 2];
      f[0] += a.w[i] * b.w[j] * z;
      f[1] += a.d[i] * b.w[j] * z;
      f[2] += a.w[i] * b.d[j] * z;
      f[3] += a.dd[i] * b.w[j] * z;
      f[4] += a.d[i] * b.d[j] * z;
      f[5] += a.w[i] * b.dd[j] * z;
    }
  }
}

double hki_surface_next_break(const hk_surface *s, int32_t k, double x, bool falling) {
  const hk_surface_rows *r = &s->rows;
  const int32_t last = r->n[k] - 1;
  const bool ends = r->extrapolation == HK_TABLE_HOLD;
  double best = falling ? -INFINITY : INFINITY;
  for (int32_t i = 0; i <= last; i++) {
    const bool inner = i > 0 && i < last;
    if (inner ? r->interpolation != HK_TABLE_LINEAR : !ends) continue;
    // the last point belongs to the table
    const double b = i == last ? nextafter(r->at[k][i], INFINITY) : r->at[k][i];
    if (falling ? b <= x && b > best : b > x && b < best) best = b;
  }
  return best;
}

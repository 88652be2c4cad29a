/* SPDX-License-Identifier: Apache-2.0
 *
 * ldl_body.h: the numeric part of the sparse LDL factorisation, included once per vector width by
 * ldl_generic.c and ldl_avx2.c, which define VN and KERNELS (the table to fill).
 *
 * A panel is factored four columns at a time: the four columns receive all earlier columns at once
 * (left-looking, so that a tile stays in registers), then reduce one another. The pivots and
 * multipliers of the 4 x 4 on the diagonal are computed first, as scalars.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/ldl_impl.h"
#include "linalg/tile.h"

/* pivots and multipliers of the nb x nb at u; t as in tile2 */
TILE_INLINE void diagonal_block(int nb, const double *u, int32_t ld, double *inv, double *t) {
  double i0 = 1.0 / u[0], i1, i2;
  inv[0] = i0;
  if (nb < 2) return;
  const double *u1 = u + ld, *u2 = u1 + ld, *u3 = u2 + ld;
  double t0 = u[1] * i0;
  i1 = 1.0 / (u1[1] - u[1] * t0);
  inv[1] = i1, t[0] = t0;
  if (nb < 3) return;
  double t1 = u[2] * i0, m21 = u1[2] - u[2] * t0, t3 = m21 * i1;
  i2 = 1.0 / ((u2[2] - u[2] * t1) - m21 * t3);
  inv[2] = i2, t[1] = t1, t[3] = t3;
  if (nb < 4) return;
  double t2 = u[3] * i0, m31 = u1[3] - u[3] * t0, t4 = m31 * i1;
  double m32 = (u2[3] - u[3] * t1) - m31 * t3, t5 = m32 * i2;
  inv[3] = 1.0 / (((u3[3] - u[3] * t2) - m31 * t4) - m32 * t5);
  t[2] = t2, t[4] = t4, t[5] = t5;
}

/* The inverse of the unit triangle on the diagonal, for the substitutions: entry (i, k), k < i,
 * goes to the mirrored place (k, i), which the factor does not use. */
TILE_INLINE void inverse_block(int nb, double *u, int32_t ld, const double *t) {
  double *u1 = u + ld, *u2 = u1 + ld, *u3 = u2 + ld;
  if (nb > 1) u1[0] = -t[0];
  if (nb > 2) u2[1] = -t[3], u2[0] = t[3] * t[0] - t[1];
  if (nb > 3) u3[2] = -t[5], u3[1] = t[5] * t[3] - t[4];
  if (nb > 3) u3[0] = (t[4] * t[0] - t[2]) - t[5] * u2[0];
}

/* columns j .. j+nb-1 of a panel */
TILE_INLINE void panel_columns(int nb, double *f, int32_t ld, int32_t j, int32_t r, double *inv,
                               double *wk) {
  double t[6];
  double *c = f + j + (size_t)j * (size_t)ld;
  if (j) {
    tile_pack(wk, f + j, ld, inv, j);
    tile_rows(nb, f + j, ld, wk, j, c, ld, NULL, 4);
  }
  diagonal_block(nb, c, ld, inv + j, t);
  tile_rows(nb, c, ld, wk, 0, c, ld, t, 4);
  inverse_block(nb, c, ld, t);
  if (r > j + 4) tile_rows(nb, f + j + 4, ld, wk, j, c + 4, ld, t, r - j - 4);
}

static void factor_panel(double *f, int32_t ld, int32_t w, int32_t r, double *inv, double *wk) {
  int32_t j = 0;
  for (; j + 4 <= w; j += 4) panel_columns(4, f, ld, j, r, inv, wk);
  switch (w - j) {
    case 1:
      panel_columns(1, f, ld, j, r, inv, wk);
      break;
    case 2:
      panel_columns(2, f, ld, j, r, inv, wk);
      break;
    case 3:
      panel_columns(3, f, ld, j, r, inv, wk);
      break;
    default:
      break;
  }
}

/* subtract the update of a supernode's columns from the ancestors' panels */
static void fold(const hk_ldl *s, const hki_snode *sn, double *fac, const double *inv,
                 const hki_ldl_work *work) {
  const double *f = fac + sn->off;
  int32_t b = sn->r - sn->w;
  for (int32_t k = sn->seg; k < sn->seg + sn->nseg; k++) {
    const hki_segment *g = &s->segment[k];
    for (int32_t c = 0; c < g->np; c += 4) {
      int32_t nb = g->np - c < 4 ? g->np - c : 4, row = sn->w + g->p + c, m = b - g->p - c;
      tile_pack(work->wk, f + row, sn->ld, inv, sn->w);
      if (g->rel < 0) {
        double *to = fac + g->off + (size_t)(g->first + c) * ((size_t)g->ld + 1);
        tile_columns(nb, f + row, sn->ld, work->wk, sn->w, to, g->ld, NULL, m);
        continue;
      }
      // scattered rows: make the update apart, then add it entry by entry
      int32_t ldd = hki_round4(m);
      const int32_t *rel = s->rel + g->rel + c;
      memset(work->d, 0, (size_t)nb * (size_t)ldd * sizeof(double));
      tile_columns(nb, f + row, sn->ld, work->wk, sn->w, work->d, ldd, NULL, m);
      for (int32_t i = 0; i < nb; i++) {
        double *to = fac + g->off + (size_t)rel[i] * (size_t)g->ld;
        const double *from = work->d + (size_t)i * (size_t)ldd;
        for (int32_t q = i; q < m; q++) to[rel[q]] += from[q];
      }
    }
  }
}

/* first column whose pivot cannot be used, -1 when all are good; counts negative ones */
static int32_t check_pivots(const hk_ldl *s, const hki_snode *sn, const double *fac,
                            const double *val, int32_t *negative) {
  const double *f = fac + sn->off, *v = val + sn->off;
  size_t step = (size_t)sn->ld + 1;
  for (int32_t k = 0; k < sn->w; k++, f += step, v += step) {
    double d = fabs(*f), a = fabs(*v);
    if (!(d > s->tol * a && d <= DBL_MAX)) return sn->col + k;
    *negative += *f < 0.0;
  }
  return -1;
}

static hk_status factor(const hk_ldl *s, hk_ldl_num *num, const double *val) {
  hki_ldl_work work = hki_ldl_split_work(s, num->work);
  double *fac = num->fac;
  int32_t negative = 0;
  memcpy(fac, val, (size_t)s->nval * sizeof *fac);
  num->bad = -1;
  for (int32_t i = 0; i < s->nsnode; i++) {
    const hki_snode *sn = &s->snode[i];
    double *inv = num->inv + sn->col;
    factor_panel(fac + sn->off, sn->ld, sn->w, sn->r, inv, work.wk);
    int32_t bad = check_pivots(s, sn, fac, val, &negative);
    if (bad >= 0) {
      double d = fac[sn->off + (size_t)(bad - sn->col) * ((size_t)sn->ld + 1)];
      num->bad = s->perm[bad];
      num->negative = negative;
      return fabs(d) <= DBL_MAX ? HK_E_SINGULAR : HK_E_NUMBER;
    }
    if (sn->nseg) fold(s, sn, fac, inv, &work);
  }
  num->negative = negative;
  return HK_OK;
}

/* forward substitution with columns j .. j+nb-1: t holds y where it is final */
TILE_INLINE void forward_columns(int nb, const double *f, int32_t ld, int32_t j, int32_t r,
                                 const double *inv, double *t) {
  const double *u = f + j + (size_t)j * (size_t)ld, *u1 = u + ld, *u2 = u1 + ld, *u3 = u2 + ld;
  double z[4] = {0}, *y = t + j, y0 = y[0], y1 = 0.0, y2 = 0.0, y3 = 0.0;
  // y = (inverse of the unit triangle) y, then z = y / D
  if (nb > 1) y1 = y[1];
  if (nb > 2) y2 = y[2];
  if (nb > 3) y3 = y[3];
  if (nb > 3) y[3] = y3 = (y3 + u3[2] * y2) + (u3[0] * y0 + u3[1] * y1), z[3] = y3 * inv[j + 3];
  if (nb > 2) y[2] = y2 = y2 + (u2[0] * y0 + u2[1] * y1), z[2] = y2 * inv[j + 2];
  if (nb > 1) y[1] = y1 = y1 + u1[0] * y0, z[1] = y1 * inv[j + 1];
  z[0] = y0 * inv[j];
  // rows below inside the same tile
  for (int i = nb; i < 4 && j + i < r; i++) {
    double sum = u[i] * z[0];
    if (nb > 1) sum += u1[i] * z[1];
    if (nb > 2) sum += u2[i] * z[2];
    y[i] -= sum;
  }
  if (r > j + 4) tile_axpy(nb, u + 4, ld, z, y + 4, r - j - 4);
}

static void forward_panel(const double *f, int32_t ld, int32_t w, int32_t r, const double *inv,
                          double *t) {
  int32_t j = 0;
  for (; j + 4 <= w; j += 4) forward_columns(4, f, ld, j, r, inv, t);
  switch (w - j) {
    case 1:
      forward_columns(1, f, ld, j, r, inv, t);
      break;
    case 2:
      forward_columns(2, f, ld, j, r, inv, t);
      break;
    case 3:
      forward_columns(3, f, ld, j, r, inv, t);
      break;
    default:
      break;
  }
}

/* backward substitution: t holds x below the columns, y in them */
TILE_INLINE void backward_columns(int nb, const double *f, int32_t ld, int32_t j, int32_t r,
                                  const double *inv, double *t) {
  const double *u = f + j + (size_t)j * (size_t)ld, *u1 = u + ld, *u2 = u1 + ld, *u3 = u2 + ld;
  double dot[4] = {0}, *x = t + j, g0, g1 = 0.0, g2 = 0.0, g3 = 0.0;
  if (r > j + 4) tile_dot(nb, u + 4, ld, x + 4, dot, r - j - 4);
  // rows below inside the same tile
  for (int i = nb; i < 4 && j + i < r; i++) {
    dot[0] += u[i] * x[i];
    if (nb > 1) dot[1] += u1[i] * x[i];
    if (nb > 2) dot[2] += u2[i] * x[i];
  }
  // g = (y - dot) / D, then x = (inverse of the unit triangle)' g
  g0 = (x[0] - dot[0]) * inv[j];
  if (nb > 1) g1 = (x[1] - dot[1]) * inv[j + 1];
  if (nb > 2) g2 = (x[2] - dot[2]) * inv[j + 2];
  if (nb > 3) x[3] = g3 = (x[3] - dot[3]) * inv[j + 3];
  if (nb == 1) x[0] = g0;
  if (nb == 2) x[0] = g0 + u1[0] * g1, x[1] = g1;
  if (nb == 3) x[0] = g0 + (u1[0] * g1 + u2[0] * g2), x[1] = g1 + u2[1] * g2, x[2] = g2;
  if (nb == 4) {
    x[0] = (g0 + u1[0] * g1) + (u2[0] * g2 + u3[0] * g3);
    x[1] = g1 + (u2[1] * g2 + u3[1] * g3);
    x[2] = g2 + u3[2] * g3;
  }
}

static void backward_panel(const double *f, int32_t ld, int32_t w, int32_t r, const double *inv,
                           double *t) {
  int32_t j = w & ~3;
  switch (w - j) {
    case 1:
      backward_columns(1, f, ld, j, r, inv, t);
      break;
    case 2:
      backward_columns(2, f, ld, j, r, inv, t);
      break;
    case 3:
      backward_columns(3, f, ld, j, r, inv, t);
      break;
    default:
      break;
  }
  for (j -= 4; j >= 0; j -= 4) backward_columns(4, f, ld, j, r, inv, t);
}

static void solve(const hk_ldl *s, hk_ldl_num *num, double *b) {
  hki_ldl_work work = hki_ldl_split_work(s, num->work);
  double *x = work.x, *t = work.t;
  for (int32_t k = 0; k < s->n; k++) x[k] = b[s->perm[k]];
  for (int32_t k = s->n; k < s->n + 8; k++) x[k] = 0.0;
  for (int32_t i = 0; i < s->nsnode; i++) {
    const hki_snode *sn = &s->snode[i];
    const double *f = num->fac + sn->off, *inv = num->inv + sn->col;
    if (sn->in_place) {
      forward_panel(f, sn->ld, sn->w, sn->r, inv, x + sn->col);
      continue;
    }
    // rows below start at zero and are added to where they belong
    const int32_t *rows = s->rows + sn->rows;
    for (int32_t k = 0; k < sn->w; k++) t[k] = x[sn->col + k];
    memset(t + sn->w, 0, (size_t)(sn->r - sn->w + 4) * sizeof *t);
    forward_panel(f, sn->ld, sn->w, sn->r, inv, t);
    for (int32_t k = 0; k < sn->w; k++) x[sn->col + k] = t[k];
    for (int32_t k = sn->w; k < sn->r; k++) x[rows[k - sn->w]] += t[k];
  }
  for (int32_t i = s->nsnode - 1; i >= 0; i--) {
    const hki_snode *sn = &s->snode[i];
    const double *f = num->fac + sn->off, *inv = num->inv + sn->col;
    if (sn->in_place) {
      backward_panel(f, sn->ld, sn->w, sn->r, inv, x + sn->col);
      continue;
    }
    const int32_t *rows = s->rows + sn->rows;
    for (int32_t k = 0; k < sn->w; k++) t[k] = x[sn->col + k];
    for (int32_t k = sn->w; k < sn->r; k++) t[k] = x[rows[k - sn->w]];
    for (int32_t k = sn->r; k < sn->r + 4; k++) t[k] = 0.0;
    backward_panel(f, sn->ld, sn->w, sn->r, inv, t);
    for (int32_t k = 0; k < sn->w; k++) x[sn->col + k] = t[k];
  }
  for (int32_t k = 0; k < s->n; k++) b[s->perm[k]] = x[k];
}

/* columns j .. j+nb-1 of a panel of A: u -= (lower part) t, and its mirror image */
TILE_INLINE void mul_columns(int nb, const double *v, int32_t ld, int32_t j, int32_t r,
                             const double *t, double *u) {
  const double *a = v + j + (size_t)j * (size_t)ld;
  double dot[4] = {0};
  if (r > j + 4) {
    tile_axpy(nb, a + 4, ld, t + j, u + j + 4, r - j - 4);
    tile_dot(nb, a + 4, ld, t + j + 4, dot, r - j - 4);
  }
  // the tile on the diagonal, entry by entry
  for (int c = 0; c < nb; c++) {
    const double *col = a + (size_t)c * (size_t)ld;
    double sum = col[c] * t[j + c];
    for (int i = c + 1; i < 4 && j + i < r; i++) {
      sum += col[i] * t[j + i];
      u[j + i] -= col[i] * t[j + c];
    }
    u[j + c] -= dot[c] + sum;
  }
}

static void mul(const hk_ldl *s, hk_ldl_num *num, const double *val, const double *x, double *y) {
  hki_ldl_work work = hki_ldl_split_work(s, num->work);
  double *t = work.t, *u = work.u;
  for (int32_t k = 0; k < s->n; k++) work.x[k] = x[s->perm[k]], y[k] = 0.0;
  for (int32_t i = 0; i < s->nsnode; i++) {
    const hki_snode *sn = &s->snode[i];
    const int32_t *rows = s->rows + sn->rows, *perm = s->perm;
    const double *v = val + sn->off;
    for (int32_t k = 0; k < sn->w; k++) t[k] = work.x[sn->col + k];
    for (int32_t k = sn->w; k < sn->r; k++) t[k] = work.x[rows[k - sn->w]];
    for (int32_t k = sn->r; k < sn->r + 4; k++) t[k] = 0.0;
    memset(u, 0, (size_t)(sn->r + 4) * sizeof *u);
    int32_t j = 0;
    for (; j + 4 <= sn->w; j += 4) mul_columns(4, v, sn->ld, j, sn->r, t, u);
    switch (sn->w - j) {
      case 1:
        mul_columns(1, v, sn->ld, j, sn->r, t, u);
        break;
      case 2:
        mul_columns(2, v, sn->ld, j, sn->r, t, u);
        break;
      case 3:
        mul_columns(3, v, sn->ld, j, sn->r, t, u);
        break;
      default:
        break;
    }
    for (int32_t k = 0; k < sn->w; k++) y[perm[sn->col + k]] -= u[k];
    for (int32_t k = sn->w; k < sn->r; k++) y[perm[rows[k - sn->w]]] -= u[k];
  }
}

KERNEL_LINKAGE const hki_ldl_kernels KERNELS = {KERNEL_NAME, factor, solve, mul};

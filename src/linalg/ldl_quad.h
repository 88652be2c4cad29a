/* SPDX-License-Identifier: Apache-2.0
 *
 * ldl_quad.h: four supernodes of one shape with the same rows below, side by side. Included once per vector width, after
 * tile.h.
 *
 * Wheels on a chassis, branches on a trunk: their panels are too small to fill vectors, but number (i, k) of all four is
 * one vector. With L unit lower, a column after the other (hki_quad: where they are kept):
 *
 *   U_ij  = A_ij - sum_k<j U_ik L_jk        i >= j,   d_j = U_jj,   L_ij = U_ij / d_j
 *   A_ij -= sum over the four and k of U_ik L_jk      rows i, j below: the update of the ancestors
 *
 *   y_k -= sum_j<k L_kj y_j,   x_i -= sum over the four and k of L_ik y_k          forward
 *   x_k  = y_k / d_k - sum_i>k L_ik x_i                                            backward
 */

/* one number of each of the four */
typedef struct four {
  vec v[4 / VN];
} four;

enum { FOURS = 4 / VN };

HKI_INLINE four four_load(const double *p) {
  four a;
  for (int u = 0; u < FOURS; u++) a.v[u] = VLOAD(p + u * VN);
  return a;
}

HKI_INLINE void four_store(double *p, four a) {
  for (int u = 0; u < FOURS; u++) VSTORE(p + u * VN, a.v[u]);
}

HKI_INLINE four four_of(double a, double b, double c, double d) {
  double x[4];
  tile_put(x, a, b, c, d);
  return four_load(x);
}

HKI_INLINE four four_mul(four a, four b) {
  for (int u = 0; u < FOURS; u++) a.v[u] *= b.v[u];
  return a;
}

/* c - a b */
HKI_INLINE four four_less(four c, four a, four b) {
  for (int u = 0; u < FOURS; u++) c.v[u] -= a.v[u] * b.v[u];
  return c;
}

HKI_INLINE four four_inverse(four a) {
  for (int u = 0; u < FOURS; u++) a.v[u] = VSPLAT(1.0) / a.v[u];
  return a;
}

/* number `at` of the panels or vectors that begin at p */
HKI_INLINE four four_gather(const double *const p[4], size_t at) {
  return four_of(p[0][at], p[1][at], p[2][at], p[3][at]);
}

HKI_INLINE void four_scatter(double *const p[4], size_t at, four a) {
  double x[4];
  four_store(x, a);
  for (int c = 0; c < 4; c++) p[c][at] = x[c];
}

/* sums of four of them, each as tile_sum has it */
HKI_INLINE void four_sums(const four *a, double *sum) {
#if VN == 4
  const vec p = __builtin_shufflevector(a[0].v[0], a[1].v[0], 0, 4, 2, 6) +
                __builtin_shufflevector(a[0].v[0], a[1].v[0], 1, 5, 3, 7);
  const vec q = __builtin_shufflevector(a[2].v[0], a[3].v[0], 0, 4, 2, 6) +
                __builtin_shufflevector(a[2].v[0], a[3].v[0], 1, 5, 3, 7);
  VSTORE(sum,
         __builtin_shufflevector(p, q, 0, 1, 4, 5) + __builtin_shufflevector(p, q, 2, 3, 6, 7));
#else
  for (int m = 0; m < 4; m++) sum[m] = tile_sum(a[m].v);
#endif
}

/* a -= U_ik m_k, k < nk, for n rows i; U: at row i of the first column, columns `step` apart */
HKI_INLINE void quad_rows(int n, four *a, const double *U, size_t step, const double *m,
                          int32_t nk) {
  for (int32_t k = 0; k < nk; k++, U += step, m += 4) {
    const four x = four_load(m);
    for (int i = 0; i < n; i++) a[i] = four_less(a[i], four_load(U + 4 * i), x);
  }
}

/* l = L_jk, k < nk; `at`: row j of the first column of U, columns `step` apart */
HKI_INLINE void quad_multipliers(const double *at, size_t step, const double *inv, double *l,
                                 int32_t nk) {
  for (int32_t k = 0; k < nk; k++, at += step)
    four_store(l + 4 * k, four_mul(four_load(at), four_load(inv + 4 * k)));
}

/* L_jk in the place of U_jk, which no later column needs */
HKI_INLINE void quad_keep(double *at, size_t step, const double *l, int32_t nk) {
  for (int32_t k = 0; k < nk; k++, at += step) four_store(at, four_load(l + 4 * k));
}

/* Factors the four panels of fac, of which the pivots are left there: column by column, four rows at a time. Rows beyond
 * the last hold zeros. */
static void quad_columns(const hk_ldl *s, const hki_quad *q, double *fac) {
  const int32_t w = q->w, r = q->r;
  const size_t ld = (size_t)q->ld, step = 4 * ld;
  double *panel[4], *L = fac + q->off, *inv = L + step * (size_t)w, l[4 * HKI_QUAD_ROWS];
  for (int c = 0; c < 4; c++) panel[c] = fac + s->snode[q->sn[c]].off;
  for (int32_t j = 0; j < w; j++) {
    double *at = L + 4 * j, *own = at + step * (size_t)j;
    quad_multipliers(at, step, inv, l, j);
    for (int32_t i = 0; i < r - j; i += 4) {
      four a[4];
      for (int m = 0; m < 4; m++)
        a[m] = four_of(panel[0][j + i + m], panel[1][j + i + m], panel[2][j + i + m],
                       panel[3][j + i + m]);
      quad_rows(4, a, at + 4 * i, step, l, j);
      for (int m = 0; m < 4; m++) four_store(own + 4 * (i + m), a[m]);
    }
    const four d = four_load(own);
    four_store(inv + 4 * j, four_inverse(d));
    four_scatter(panel, (size_t)j, d);
    quad_keep(at, step, l, j);
    for (int c = 0; c < 4; c++) panel[c] += ld;
  }
}

/* the update of their ancestors */
static void quad_fold(const hk_ldl *s, const hki_quad *q, double *fac) {
  const hki_snode *sn = &s->snode[q->sn[0]];
  const int32_t w = q->w, b = q->r - q->w;
  const size_t step = 4 * (size_t)q->ld;
  double *L = fac + q->off, *inv = L + step * (size_t)w, l[4 * HKI_QUAD_ROWS],
         sum[HKI_QUAD_ROWS + 4];
  for (int32_t k = sn->seg; k < sn->seg + sn->nseg; k++) {
    const hki_segment *g = &s->segment[k];
    const int32_t *rel = g->rel < 0 ? NULL : s->rel + g->rel - g->p;
    for (int32_t j = g->p; j < g->p + g->np; j++) {
      double *at = L + 4 * (w + j);
      quad_multipliers(at, step, inv, l, w);
      for (int32_t i = 0; i < b - j; i += 4) {
        four a[4];
        for (int m = 0; m < 4; m++) a[m] = four_of(0.0, 0.0, 0.0, 0.0);
        quad_rows(4, a, at + 4 * i, step, l, w);
        four_sums(a, sum + i);
      }
      quad_keep(at, step, l, w);
      const int32_t first = rel ? rel[j] : g->first + j - g->p;
      double *to = fac + g->off + (size_t)first * (size_t)g->ld;
      if (rel)
        for (int32_t i = j; i < b; i++) to[rel[i]] += sum[i - j];
      else // whole vectors: rows beyond the last have zeros
        for (int32_t i = 0; i < b - j; i += VN)
          VSTORE(to + first + i, VLOAD(to + first + i) + VLOAD(sum + i));
    }
  }
}

static void quad_forward(const hk_ldl *s, const hki_quad *q, double *fac, double *x) {
  const int32_t w = q->w, r = q->r, *rows = s->rows + s->snode[q->sn[0]].rows - w;
  const size_t step = 4 * (size_t)q->ld;
  const double *L = fac + q->off, *inv = L + step * (size_t)w, *own[4];
  double *z = fac + q->off + (step + 4) * (size_t)w, sum[4];
  for (int c = 0; c < 4; c++) own[c] = x + s->snode[q->sn[c]].col;
  for (int32_t k = 0; k < w; k++) {
    four y = four_gather(own, (size_t)k);
    quad_rows(1, &y, L + 4 * k, step, z, k);
    four_store(z + 4 * k, y);
  }
  const bool run = r > w && rows[r - 1] - rows[w] == r - 1 - w;
  for (int32_t i = w; i < r; i += 4) {
    four a[4];
    for (int m = 0; m < 4; m++) a[m] = four_of(0.0, 0.0, 0.0, 0.0);
    quad_rows(4, a, L + 4 * i, step, z, w);
    four_sums(a, sum);
    // as vectors where they are read so; rows beyond the last have zeros
    if (run)
      for (int m = 0; m < 4; m += VN)
        VSTORE(x + rows[w] + i - w + m, VLOAD(x + rows[w] + i - w + m) + VLOAD(sum + m));
    for (int m = 0; !run && m < 4 && i + m < r; m++) x[rows[i + m]] += sum[m];
  }
  for (int32_t k = 0; k < w; k++)
    four_store(z + 4 * k, four_mul(four_load(z + 4 * k), four_load(inv + 4 * k)));
}

/* a -= L_ik x_i for n columns k, `step` apart, and the rows i below; L: at the first of them */
HKI_INLINE void quad_below(int n, four *a, const double *L, size_t step, const int32_t *rows,
                           const double *x, int32_t b) {
  for (int32_t i = 0; i < b; i++, L += 4) {
    const vec y = VSPLAT(x[rows[i]]);
    for (int k = 0; k < n; k++)
      for (int u = 0; u < FOURS; u++) a[k].v[u] -= VLOAD(L + (size_t)k * step + u * VN) * y;
  }
}

static void quad_backward(const hk_ldl *s, const hki_quad *q, double *fac, double *x) {
  const int32_t w = q->w, b = q->r - w, *rows = s->rows + s->snode[q->sn[0]].rows;
  const size_t step = 4 * (size_t)q->ld;
  const double *L = fac + q->off;
  double *z = fac + q->off + (step + 4) * (size_t)w, *own[4];
  int32_t j = 0;
  for (int c = 0; c < 4; c++) own[c] = x + s->snode[q->sn[c]].col;
  for (; j + 4 <= w; j += 4) {
    four a[4];
    for (int k = 0; k < 4; k++) a[k] = four_load(z + 4 * (j + k));
    quad_below(4, a, L + step * (size_t)j + 4 * w, step, rows, x, b);
    for (int k = 0; k < 4; k++) four_store(z + 4 * (j + k), a[k]);
  }
  for (; j < w; j++) {
    four a = four_load(z + 4 * j);
    quad_below(1, &a, L + step * (size_t)j + 4 * w, step, rows, x, b);
    four_store(z + 4 * j, a);
  }
  for (int32_t k = w - 1; k >= 0; k--) {
    four a = four_load(z + 4 * k);
    for (int32_t i = w - 1; i > k; i--)
      a = four_less(a, four_load(L + step * (size_t)k + 4 * i), four_load(z + 4 * i));
    four_store(z + 4 * k, a);
    four_scatter(own, (size_t)k, a);
  }
}

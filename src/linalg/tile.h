/* SPDX-License-Identifier: Apache-2.0
 *
 * tile.h: register tiles, the inner loops of all dense and supernodal kernels. Included once per
 * vector width: VN is the number of doubles in a vector (4, 2, or 1 on compilers without vector
 * types). All matrices are column-major.
 *
 * Every element of a result is formed by the same operations in the same order for every VN, and no
 * product is contracted into an addition: results do not depend on the vector width.
 */
#if VN == 4
typedef double vec __attribute__((vector_size(32), aligned(8), may_alias));
#define VSPLAT(s) ((vec){(s), (s), (s), (s)})
#elif VN == 2
typedef double vec __attribute__((vector_size(16), aligned(8), may_alias));
#define VSPLAT(s) ((vec){(s), (s)})
#else
typedef double vec;
#define VSPLAT(s) (s)
#endif

#define VLOAD(p)     (*(const vec *)(p))
#define VSTORE(p, v) (*(vec *)(p) = (v))

/* four numbers in a row, written as vectors */
HKI_INLINE void tile_put(double *p, double a, double b, double c, double d) {
#if VN == 4
  VSTORE(p, ((vec){a, b, c, d}));
#elif VN == 2
  VSTORE(p, ((vec){a, b}));
  VSTORE(p + 2, ((vec){c, d}));
#else
  p[0] = a, p[1] = b, p[2] = c, p[3] = d;
#endif
}

/* Two vectors of rows, nb <= 4 columns: C -= A W', with A's nk columns `lda` apart and W packed
 * four to a column. Then, if t is given, the columns are reduced by one another:
 *   c1 -= t0 c0
 *   c2 -= t1 c0 + t3 c1
 *   c3 -= t2 c0 + t4 c1 + t5 c2 */
HKI_INLINE void tile2(int nb, const double *a, int32_t lda, const double *w, int32_t nk, double *c,
                      int32_t ldc, const double *t) {
  double *c1 = c + ldc, *c2 = c1 + ldc, *c3 = c2 + ldc;
  vec x0 = VLOAD(c), y0 = VLOAD(c + VN), x1 = x0, y1 = y0, x2 = x0, y2 = y0, x3 = x0, y3 = y0;
  if (nb > 1) x1 = VLOAD(c1), y1 = VLOAD(c1 + VN);
  if (nb > 2) x2 = VLOAD(c2), y2 = VLOAD(c2 + VN);
  if (nb > 3) x3 = VLOAD(c3), y3 = VLOAD(c3 + VN);
  for (int32_t k = 0; k < nk; k++, a += lda, w += 4) {
    vec p = VLOAD(a), q = VLOAD(a + VN), m = VSPLAT(w[0]);
    x0 -= p * m, y0 -= q * m;
    if (nb > 1) m = VSPLAT(w[1]), x1 -= p * m, y1 -= q * m;
    if (nb > 2) m = VSPLAT(w[2]), x2 -= p * m, y2 -= q * m;
    if (nb > 3) m = VSPLAT(w[3]), x3 -= p * m, y3 -= q * m;
  }
  if (t) {
    if (nb > 1) x1 -= x0 * VSPLAT(t[0]), y1 -= y0 * VSPLAT(t[0]);
    if (nb > 2) x2 -= x0 * VSPLAT(t[1]), y2 -= y0 * VSPLAT(t[1]);
    if (nb > 3) x3 -= x0 * VSPLAT(t[2]), y3 -= y0 * VSPLAT(t[2]);
    if (nb > 2) x2 -= x1 * VSPLAT(t[3]), y2 -= y1 * VSPLAT(t[3]);
    if (nb > 3) x3 -= x1 * VSPLAT(t[4]), y3 -= y1 * VSPLAT(t[4]);
    if (nb > 3) x3 -= x2 * VSPLAT(t[5]), y3 -= y2 * VSPLAT(t[5]);
  }
  VSTORE(c, x0), VSTORE(c + VN, y0);
  if (nb > 1) VSTORE(c1, x1), VSTORE(c1 + VN, y1);
  if (nb > 2) VSTORE(c2, x2), VSTORE(c2 + VN, y2);
  if (nb > 3) VSTORE(c3, x3), VSTORE(c3 + VN, y3);
}

/* the same for one vector of rows */
HKI_INLINE void tile1(int nb, const double *a, int32_t lda, const double *w, int32_t nk, double *c,
                      int32_t ldc, const double *t) {
  double *c1 = c + ldc, *c2 = c1 + ldc, *c3 = c2 + ldc;
  vec x0 = VLOAD(c), x1 = x0, x2 = x0, x3 = x0;
  if (nb > 1) x1 = VLOAD(c1);
  if (nb > 2) x2 = VLOAD(c2);
  if (nb > 3) x3 = VLOAD(c3);
  for (int32_t k = 0; k < nk; k++, a += lda, w += 4) {
    vec p = VLOAD(a);
    x0 -= p * VSPLAT(w[0]);
    if (nb > 1) x1 -= p * VSPLAT(w[1]);
    if (nb > 2) x2 -= p * VSPLAT(w[2]);
    if (nb > 3) x3 -= p * VSPLAT(w[3]);
  }
  if (t) {
    if (nb > 1) x1 -= x0 * VSPLAT(t[0]);
    if (nb > 2) x2 -= x0 * VSPLAT(t[1]);
    if (nb > 3) x3 -= x0 * VSPLAT(t[2]);
    if (nb > 2) x2 -= x1 * VSPLAT(t[3]);
    if (nb > 3) x3 -= x1 * VSPLAT(t[4]);
    if (nb > 3) x3 -= x2 * VSPLAT(t[5]);
  }
  VSTORE(c, x0);
  if (nb > 1) VSTORE(c1, x1);
  if (nb > 2) VSTORE(c2, x2);
  if (nb > 3) VSTORE(c3, x3);
}

/* m rows (rounded up to whole vectors) of nb columns */
HKI_INLINE void tile_rows(int nb, const double *a, int32_t lda, const double *w, int32_t nk,
                          double *c, int32_t ldc, const double *t, int32_t m) {
  int32_t i = 0;
  for (; i + VN < m; i += 2 * VN) tile2(nb, a + i, lda, w, nk, c + i, ldc, t);
  for (; i < m; i += VN) tile1(nb, a + i, lda, w, nk, c + i, ldc, t);
}

/* tile_rows with nb as a compile-time constant */
static void tile_columns(int32_t nb, const double *a, int32_t lda, const double *w, int32_t nk,
                         double *c, int32_t ldc, const double *t, int32_t m) {
  switch (nb) {
    case 1:
      tile_rows(1, a, lda, w, nk, c, ldc, t, m);
      break;
    case 2:
      tile_rows(2, a, lda, w, nk, c, ldc, t, m);
      break;
    case 3:
      tile_rows(3, a, lda, w, nk, c, ldc, t, m);
      break;
    default:
      tile_rows(4, a, lda, w, nk, c, ldc, t, m);
  }
}

/* pack four rows of U times inv: w[4 k + i] = U[i, k] inv[k] */
HKI_INLINE void tile_pack(double *w, const double *u, int32_t ld, const double *inv, int32_t nk) {
  for (int32_t k = 0; k < nk; k++, u += ld, w += 4) {
    vec s = VSPLAT(inv[k]);
    for (int i = 0; i < 4; i += VN) VSTORE(w + i, VLOAD(u + i) * s);
  }
}

/* y[0..m) -= A z, m rounded up to a multiple of 4, nb columns of A */
HKI_INLINE void tile_axpy(int nb, const double *a, int32_t lda, const double *z, double *y,
                          int32_t m) {
  const double *a1 = a + lda, *a2 = a1 + lda, *a3 = a2 + lda;
  vec z0 = VSPLAT(z[0]), z1 = VSPLAT(z[1]), z2 = VSPLAT(z[2]), z3 = VSPLAT(z[3]);
  for (int32_t i = 0; i < m; i += VN) {
    vec s = VLOAD(a + i) * z0;
    if (nb > 1) s += VLOAD(a1 + i) * z1;
    if (nb == 3) s += VLOAD(a2 + i) * z2;
    if (nb > 3) s += VLOAD(a2 + i) * z2 + VLOAD(a3 + i) * z3;
    VSTORE(y + i, VLOAD(y + i) - s);
  }
}

/* sum of a four-lane accumulator held as 4 / VN vectors, always in the same order */
HKI_INLINE double tile_sum(const vec *acc) {
#if VN == 4
  return (acc[0][0] + acc[0][1]) + (acc[0][2] + acc[0][3]);
#elif VN == 2
  return (acc[0][0] + acc[0][1]) + (acc[1][0] + acc[1][1]);
#else
  return (acc[0] + acc[1]) + (acc[2] + acc[3]);
#endif
}

/* dot[j] = column j of A with x, m rows rounded up to a multiple of 4, nb columns */
HKI_INLINE void tile_dot(int nb, const double *a, int32_t lda, const double *x, double *dot,
                         int32_t m) {
  const double *a1 = a + lda, *a2 = a1 + lda, *a3 = a2 + lda;
  vec s0[4 / VN], s1[4 / VN], s2[4 / VN], s3[4 / VN];
  for (int u = 0; u < 4 / VN; u++) s0[u] = s1[u] = s2[u] = s3[u] = VSPLAT(0.0);
  for (int32_t i = 0; i < m; i += 4) {
    for (int u = 0; u < 4 / VN; u++) {
      vec p = VLOAD(x + i + u * VN);
      s0[u] += VLOAD(a + i + u * VN) * p;
      if (nb > 1) s1[u] += VLOAD(a1 + i + u * VN) * p;
      if (nb > 2) s2[u] += VLOAD(a2 + i + u * VN) * p;
      if (nb > 3) s3[u] += VLOAD(a3 + i + u * VN) * p;
    }
  }
  dot[0] = tile_sum(s0);
  if (nb > 1) dot[1] = tile_sum(s1);
  if (nb > 2) dot[2] = tile_sum(s2);
  if (nb > 3) dot[3] = tile_sum(s3);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * dense_body.h: dense LDL', LU and products, included once per vector width, after panel.h.
 *
 * LU works on blocks of four columns: all earlier row exchanges and columns are applied to a block
 * (left-looking), then it is reduced with partial pivoting. Sums run in the same order for every
 * width.
 */

static hk_status dense_ldl_factor(int32_t n, double *A, int32_t ld, double *inv, double *work,
                                  int32_t *bad) {
  double tol = DBL_EPSILON * (n < 32 ? 8.0 * n : 256.0), *diagonal = work + 4 * n + 8;
  size_t step = (size_t)ld + 1;
  int32_t first = -1;
  hk_status st = HK_OK;
  for (int32_t k = 0; k < n; k++) diagonal[k] = fabs(A[(size_t)k * step]);
  static const volatile int never = 0;
  factor_panel(A, ld, n, n, inv, work, &never);
  // from the last to the first, which is told; all of them, so that programs made of this have one failure
  for (int32_t k = n - 1; k >= 0; k--) {
    double d = fabs(A[(size_t)k * step]);
    if (d > tol * diagonal[k] && d >= DBL_MIN && d <= DBL_MAX) continue;
    first = k;
    st = d <= DBL_MAX ? HK_E_SINGULAR : HK_E_NUMBER;
  }
  if (bad) *bad = first;
  return st;
}

/* copy to a padded vector, so that whole tiles may be used */
static void pad_vector(double *to, const double *from, int32_t n) {
  if (n) memcpy(to, from, (size_t)n * sizeof *to);
  for (int32_t i = n; i < n + 4; i++) to[i] = 0.0;
}

static void dense_ldl_solve(int32_t n, const double *A, int32_t ld, const double *inv, double *x,
                            double *work) {
  pad_vector(work, x, n);
  forward_panel(A, ld, n, n, inv, work);
  backward_panel(A, ld, n, n, inv, work);
  if (n) memcpy(x, work, (size_t)n * sizeof *x);
}

/* exchanges the numbers k and p >= k of a column of n */
static inline void exchange(int32_t n, double *a, int32_t k, int32_t p) {
#ifdef HK_FOLLOWED
  // programs that are made of this have no addresses that depend on numbers: any of them may be number p
  for (int32_t i = k + 1; i < n; i++) {
    const double t = a[k], x = a[i];
    a[k] = i == p ? x : t;
    a[i] = i == p ? t : x;
  }
#else
  (void)n;
  const double t = a[k];
  a[k] = a[p], a[p] = t;
#endif
}

/* apply the row exchanges and columns 0 .. j-1 to the block of nb columns at c, four at a time */
static void lu_update(int32_t n, const double *A, int32_t ld, int32_t j, int32_t nb, double *c,
                      const int32_t *pivot) {
  double w[16];
  // exchanges
  for (int32_t k = 0; k < j; k++) {
    int32_t p = pivot[k];
    if (p == k) continue;
    for (int32_t i = 0; i < nb; i++) exchange(n, c + (size_t)i * (size_t)ld, k, p);
  }
  for (int32_t k = 0; k < j; k += 4) {
    // the unit triangle of L at k, then everything below it
    const double *l0 = A + k + (size_t)k * (size_t)ld, *l1 = l0 + ld, *l2 = l1 + ld;
    for (int32_t i = 0; i < nb; i++) {
      double *u = c + k + (size_t)i * (size_t)ld;
      double u0 = u[0], u1 = u[1] - l0[1] * u0, u2 = (u[2] - l0[2] * u0) - l1[2] * u1;
      double u3 = ((u[3] - l0[3] * u0) - l1[3] * u1) - l2[3] * u2;
      u[1] = u1, u[2] = u2, u[3] = u3;
      w[i] = u0, w[4 + i] = u1, w[8 + i] = u2, w[12 + i] = u3;
    }
    if (n > k + 4) tile_columns(nb, l0 + 4, ld, w, 4, c + k + 4, ld, NULL, n - k - 4);
  }
}

/* why a column has no pivot: a value that is not finite, or none that is large enough */
static hk_status lu_fault(int32_t n, const double *col) {
  hk_status st = HK_E_SINGULAR;
  for (int32_t i = 0; i < n; i++)
    if (!(fabs(col[i]) <= DBL_MAX)) st = HK_E_NUMBER;
  return st;
}

/* Reduces the block of nb columns with partial pivoting. *bad: the first column without a pivot; what follows it has no
 * meaning. */
static hk_status lu_block(int32_t n, double *A, int32_t ld, int32_t j, int32_t nb, int32_t *pivot,
                          double *inv, const double *size, int32_t *bad) {
  hk_status st = HK_OK;
  for (int32_t k = j; k < j + nb; k++) {
    double *col = A + (size_t)k * (size_t)ld, best = fabs(col[k]);
    int32_t p = k;
    for (int32_t i = k + 1; i < n; i++) {
      double a = fabs(col[i]);
      if (a > best) best = a, p = i;
    }
    if (!(best > size[k] && best >= DBL_MIN && best <= DBL_MAX) && st == HK_OK)
      st = lu_fault(n, col), *bad = k;
    pivot[k] = p;
    // exchange rows in this block and the columns before it; lu_update does it for later columns
    if (p != k)
      for (int32_t c = 0; c < j + nb; c++) exchange(n, A + (size_t)c * (size_t)ld, k, p);
    double scale = 1.0 / col[k];
    inv[k] = scale;
    for (int32_t i = k + 1; i < n; i++) col[i] *= scale;
    for (int32_t c = k + 1; c < j + nb; c++) {
      double *a = A + (size_t)c * (size_t)ld, u = a[k];
      for (int32_t i = k + 1; i < n; i++) a[i] -= col[i] * u;
    }
  }
  return st;
}

static hk_status dense_lu_factor(int32_t n, double *A, int32_t ld, int32_t *pivot, double *inv,
                                 double *work, int32_t *bad) {
  double *size = work;
  int32_t first = -1;
  hk_status st = HK_OK;
  // a pivot must be more than round-off of its column
  for (int32_t k = 0; k < n; k++) {
    const double *col = A + (size_t)k * (size_t)ld;
    double big = 0.0;
    for (int32_t i = 0; i < n; i++) big = fabs(col[i]) > big ? fabs(col[i]) : big;
    size[k] = big * DBL_EPSILON * (n < 32 ? 2.0 * n : 64.0);
  }
  for (int32_t j = 0; j < n && st == HK_OK; j += 4) {
    int32_t nb = n - j < 4 ? n - j : 4;
    lu_update(n, A, ld, j, nb, A + (size_t)j * (size_t)ld, pivot);
    st = lu_block(n, A, ld, j, nb, pivot, inv, size, &first);
  }
  if (bad) *bad = first;
  return st;
}

/* x = L^-1 x: four columns at a time, the last n % 4 one by one */
static void lu_forward(int32_t n, const double *A, int32_t ld, double *x) {
  int32_t k = 0;
  for (; k + 4 <= n; k += 4) {
    const double *l0 = A + k + (size_t)k * (size_t)ld, *l1 = l0 + ld, *l2 = l1 + ld;
    double *y = x + k;
    y[1] -= l0[1] * y[0];
    y[2] = (y[2] - l0[2] * y[0]) - l1[2] * y[1];
    y[3] = ((y[3] - l0[3] * y[0]) - l1[3] * y[1]) - l2[3] * y[2];
    if (n > k + 4) tile_axpy(4, l0 + 4, ld, y, y + 4, n - k - 4);
  }
  for (; k < n; k++)
    for (int32_t i = k + 1; i < n; i++) x[i] -= A[i + (size_t)k * (size_t)ld] * x[k];
}

/* x = U^-1 x: the last n % 4 columns one by one, then four at a time */
static void lu_backward(int32_t n, const double *A, int32_t ld, const double *inv, double *x) {
  int32_t k = n & ~3;
  // single columns down to a multiple of four
  for (int32_t c = n - 1; c >= k; c--) {
    const double *u = A + (size_t)c * (size_t)ld;
    x[c] *= inv[c];
    for (int32_t i = 0; i < c; i++) x[i] -= u[i] * x[c];
  }
  for (k -= 4; k >= 0; k -= 4) {
    const double *u0 = A + (size_t)k * (size_t)ld, *u1 = u0 + ld, *u2 = u1 + ld, *u3 = u2 + ld;
    double *y = x + k;
    y[3] = y[3] * inv[k + 3];
    y[2] = (y[2] - u3[k + 2] * y[3]) * inv[k + 2];
    y[1] = ((y[1] - u3[k + 1] * y[3]) - u2[k + 1] * y[2]) * inv[k + 1];
    y[0] = (((y[0] - u3[k] * y[3]) - u2[k] * y[2]) - u1[k] * y[1]) * inv[k];
    if (k) tile_axpy(4, u0, ld, y, x, k);
  }
}

static void dense_lu_solve(int32_t n, const double *A, int32_t ld, const int32_t *pivot,
                           const double *inv, double *x, double *work) {
  pad_vector(work, x, n);
  for (int32_t k = 0; k < n; k++) exchange(n, work, k, pivot[k]);
  lu_forward(n, A, ld, work);
  lu_backward(n, A, ld, inv, work);
  if (n) memcpy(x, work, (size_t)n * sizeof *x);
}

static void dense_mul(int32_t m, int32_t n, const double *A, int32_t ld, const double *x,
                      double *y) {
  int32_t j = 0;
  for (int32_t i = 0; i < m; i++) y[i] = 0.0;
  // four columns at a time
  for (; j + 4 <= n; j += 4) {
    const double *a0 = A + (size_t)j * (size_t)ld, *a1 = a0 + ld, *a2 = a1 + ld, *a3 = a2 + ld;
    double x0 = x[j], x1 = x[j + 1], x2 = x[j + 2], x3 = x[j + 3];
    for (int32_t i = 0; i < m; i++) y[i] += (a0[i] * x0 + a1[i] * x1) + (a2[i] * x2 + a3[i] * x3);
  }
  for (; j < n; j++) {
    const double *a = A + (size_t)j * (size_t)ld;
    for (int32_t i = 0; i < m; i++) y[i] += a[i] * x[j];
  }
}

static void dense_mul_t(int32_t m, int32_t n, const double *A, int32_t ld, const double *x,
                        double *y) {
  for (int32_t j = 0; j < n; j++) {
    const double *a = A + (size_t)j * (size_t)ld;
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
    int32_t i = 0;
    for (; i + 4 <= m; i += 4) {
      s0 += a[i] * x[i], s1 += a[i + 1] * x[i + 1];
      s2 += a[i + 2] * x[i + 2], s3 += a[i + 3] * x[i + 3];
    }
    for (; i < m; i++) s0 += a[i] * x[i];
    y[j] = (s0 + s1) + (s2 + s3);
  }
}

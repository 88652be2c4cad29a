/* SPDX-License-Identifier: Apache-2.0
 *
 * rows4_body.h: the passes of rows4.h, included once per kind of processor after rows4_ends.h. Equations as in closures.c.
 */

/* directions of the rows, and phi; false: a distance is nothing */
HKI_INLINE bool directions(hk_kin *k, hk_rows4 *q, const four *FA, const four *d, four *a) {
  four phi[3];
  if (q->distance) {
    const four s = four_dot(d, d);
    double l[4];
    for (int c = 0; c < 4; c++) l[c] = sqrt(four_get(s, c));
    for (int c = 0; c < 4; c++)
      if (!(l[c] > HK_LENGTH_TINY)) return false;
    const four size = four_of(l[0], l[1], l[2], l[3]), inv = four_div(four_splat(1.0), size);
    for (int i = 0; i < 3; i++) a[i] = four_mul(inv, d[i]);
    four_store(q->size, size);
    phi[0] = four_sub(size, four_load(q->length));
  }
  for (int r = 0; !q->distance && r < q->nrows; r++) {
    four z[3];
    for (int i = 0; i < 3; i++) z[i] = four_load(q->along[r][i]);
    for (int i = 0; i < 3; i++)
      a[3 * r + i] = q->body[0][0] == HK_GROUND ? z[i]
                     : q->parallel              ? FA[3 * i + q->axis[r]]
                                                : four_dot(FA + 3 * i, z);
    phi[r] = four_dot(a + 3 * r, d);
  }
  for (int r = 0; r < q->nrows; r++)
    for (int c = 0; c < 4; c++)
      k->phi[q->row0[c] + r] = four_get(phi[r], c), k->phit[q->row0[c] + r] = 0.0;
  return true;
}

/* columns [j, last) of `rows` rows; inlined with a constant number of them */
HKI_INLINE void columns4(const hk_kin *k, const hk_rows4 *q, int rows, int32_t j, int32_t last,
                         four sign, const four *r, const four *a, double *g) {
  for (; j < last; j++) {
    four s[6], v[3];
    column4(k, q, j, s);
    v[0] = four_mul(sign, four_add(four_sub(four_mul(s[1], r[2]), four_mul(s[2], r[1])), s[3]));
    v[1] = four_mul(sign, four_add(four_sub(four_mul(s[2], r[0]), four_mul(s[0], r[2])), s[4]));
    v[2] = four_mul(sign, four_add(four_sub(four_mul(s[0], r[1]), four_mul(s[1], r[0])), s[5]));
    for (int i = 0; i < rows; i++)
      four_store(g + 4 * ((ptrdiff_t)i * q->n + j), four_dot(a + 3 * i, v));
  }
}

/* all columns */
HKI_INLINE void both_sides(const hk_kin *k, const hk_rows4 *q, int rows, const four *pB,
                           const four *a, double *g) {
  four r[3];
  if (q->first) {
    from_O(k, q, 0, pB, r);
    columns4(k, q, rows, 0, q->first, four_splat(-1.0), r, a, g);
  }
  if (q->first == q->n) return;
  from_O(k, q, 1, pB, r);
  columns4(k, q, rows, q->first, q->n, four_splat(1.0), r, a, g);
}

/* rows side by side -> closure by closure */
static void unpack4(hk_kin *k, const hk_rows4 *q) {
  const double *g = k->gz + q->g;
  const int32_t all = q->nrows * q->n;
  double *to[4];
  int32_t i = 0;
  for (int c = 0; c < 4; c++) to[c] = k->gz + k->gz0[q->closure[c]];
  for (; i + 4 <= all; i += 4) {
    four x[4];
    for (int c = 0; c < 4; c++) x[c] = four_load(g + 4 * (i + c));
    four_transpose(x);
    for (int c = 0; c < 4; c++) four_store(to[c] + i, x[c]);
  }
  for (; i < all; i++)
    for (int c = 0; c < 4; c++) to[c][i] = g[4 * i + c];
}

static bool eval4(hk_kin *k, hk_rows4 *q) {
  four FA[12], FB[12], pA[3], pB[3], d[3], a[9];
  double *g = k->gz + q->g;
  if (q->body[0][0] != HK_GROUND) frames4(k, q, 0, FA);
  if (q->body[1][0] != HK_GROUND) frames4(k, q, 1, FB);
  points4(q, 0, FA, pA);
  points4(q, 1, FB, pB);
  four_sub3(d, pB, pA);
  if (!directions(k, q, FA, d, a)) return false;
  if (q->nrows == 1)
    both_sides(k, q, 1, pB, a, g);
  else if (q->nrows == 2)
    both_sides(k, q, 2, pB, a, g);
  else
    both_sides(k, q, 3, pB, a, g);
  unpack4(k, q);
  for (int i = 0; i < 3; i++)
    four_store(q->pA[i], pA[i]), four_store(q->pB[i], pB[i]), four_store(q->d[i], d[i]);
  for (int i = 0; i < 3 * q->nrows; i++) four_store(q->a[i], a[i]);
  return true;
}

/* velocity and acceleration at A0 of the points p of one side; V, A: of their bodies */
HKI_INLINE void motion4(const hk_kin *k, const hk_rows4 *q, int side, const four *p, four *V,
                        four *A, four *v, four *acc) {
  four r[3], t[3];
  if (q->body[side][0] == HK_GROUND) {
    for (int i = 0; i < 3; i++) v[i] = acc[i] = four_splat(0.0);
    return;
  }
  hk_lanes *lane = lanes4(k, q, side);
  spatial4(q, side, k->V, lane ? lane->V : NULL, V);
  spatial4(q, side, k->A0, lane ? lane->A0 : NULL, A);
  from_O(k, q, side, p, r);
  four_cross(v, V, r);
  four_add3(v, v, V + 3);
  four_cross(acc, A, r);
  four_add3(acc, acc, A + 3);
  four_cross(t, V, v);
  four_add3(acc, acc, t);
}

HKI_INLINE void keep_gamma(hk_kin *k, const hk_rows4 *q, int r, four x) {
  for (int c = 0; c < 4; c++) k->gamma[q->row0[c] + r] = four_get(x, c);
}

static void bias4(hk_kin *k, const hk_rows4 *q) {
  four VA[6], AA[6], VB[6], AB[6], pA[3], pB[3], d[3], a[9], vA[3], vB[3], aA[3], aB[3], u[3], y[3];
  for (int i = 0; i < 3; i++)
    pA[i] = four_load(q->pA[i]), pB[i] = four_load(q->pB[i]), d[i] = four_load(q->d[i]);
  for (int i = 0; i < 3 * q->nrows; i++) a[i] = four_load(q->a[i]);
  motion4(k, q, 0, pA, VA, AA, vA, aA);
  motion4(k, q, 1, pB, VB, AB, vB, aB);
  four_sub3(u, vB, vA);
  four_sub3(y, aB, aA);
  if (q->distance) {
    const four nu = four_dot(a, u), uu = four_dot(u, u);
    const four bend = four_div(four_sub(uu, four_mul(nu, nu)), four_load(q->size));
    keep_gamma(k, q, 0, four_add(four_dot(a, y), bend));
    return;
  }
  // the axes rotate with the first body
  if (q->body[0][0] != HK_GROUND) {
    four x[3], t[3];
    four_cross(x, VA, d);
    for (int i = 0; i < 3; i++) x[i] = four_add(x[i], four_mul(four_splat(-2.0), u[i]));
    four_cross(t, VA, x);
    four_add3(y, y, t);
    four_cross(t, AA, d);
    four_sub3(y, y, t);
  }
  for (int r = 0; r < q->nrows; r++) keep_gamma(k, q, r, four_dot(a + 3 * r, y));
}

/* --- products --------------------------------------------------------------------------------- */

HKI_INLINE void times_rows(const hk_rows4 *q, int rows, const double *g, const double *x,
                           double *y) {
  four sum[3] = {four_splat(0.0), four_splat(0.0), four_splat(0.0)};
  for (int32_t j = 0; j < q->n; j++) {
    const four xj = pick(x, q->dof + 4 * j);
    for (int r = 0; r < rows; r++)
      sum[r] = four_add(sum[r], four_mul(four_load(g + 4 * ((ptrdiff_t)r * q->n + j)), xj));
  }
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < 4; c++) y[q->row0[c] + r] = four_get(sum[r], c);
}

static void times4(const hk_rows4 *q, const double *g, const double *x, double *y) {
  if (q->nrows == 1)
    times_rows(q, 1, g, x, y);
  else if (q->nrows == 2)
    times_rows(q, 2, g, x, y);
  else
    times_rows(q, 3, g, x, y);
}

HKI_INLINE void add_rows(const hk_rows4 *q, int rows, const double *g, const double *mu,
                         double *r) {
  four u[3];
  for (int i = 0; i < rows; i++) u[i] = pick(mu + i, q->row0);
  for (int32_t j = 0; j < q->n; j++) {
    const int32_t *dof = q->dof + 4 * j;
    four x = four_mul(four_load(g + 4 * (ptrdiff_t)j), u[0]);
    for (int i = 1; i < rows; i++)
      x = four_add(x, four_mul(four_load(g + 4 * ((ptrdiff_t)i * q->n + j)), u[i]));
    for (int c = 0; c < 4; c++) r[dof[c]] += four_get(x, c);
  }
}

static void add4(const hk_rows4 *q, const double *g, const double *mu, double *r) {
  if (q->nrows == 1)
    add_rows(q, 1, g, mu, r);
  else if (q->nrows == 2)
    add_rows(q, 2, g, mu, r);
  else
    add_rows(q, 3, g, mu, r);
}

HKI_INLINE void square_rows(const hk_rows4 *q, int rows, const double *g, const double *coef,
                            const int32_t *const slot[4], double *val) {
  four u[3], a[3];
  const ptrdiff_t n = q->n;
  ptrdiff_t at = 0;
  for (int r = 0; r < rows; r++) u[r] = pick(coef + r, q->row0);
  for (ptrdiff_t i = 0; i < n; i++) {
    for (int r = 0; r < rows; r++) a[r] = four_mul(u[r], four_load(g + 4 * (r * n + i)));
    for (ptrdiff_t j = 0; j <= i; j++, at++) {
      four x = four_mul(a[0], four_load(g + 4 * j));
      for (int r = 1; r < rows; r++)
        x = four_add(x, four_mul(a[r], four_load(g + 4 * (r * n + j))));
      for (int c = 0; c < 4; c++) val[slot[c][at]] += four_get(x, c);
    }
  }
}

static void squares4(const hk_rows4 *q, const double *g, const double *coef,
                     const int32_t *const slot[4], double *val) {
  if (q->nrows == 1)
    square_rows(q, 1, g, coef, slot, val);
  else if (q->nrows == 2)
    square_rows(q, 2, g, coef, slot, val);
  else
    square_rows(q, 3, g, coef, slot, val);
}

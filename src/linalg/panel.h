/* SPDX-License-Identifier: Apache-2.0
 *
 * panel.h: LDL factorisation of a dense panel and the substitutions with it. Included once per
 * vector width, after tile.h.
 *
 * A panel has w columns and r >= w rows, column-major, ld a multiple of 4. It is factored four
 * columns at a time: the updates of all earlier columns are subtracted at once (left-looking, so
 * that a tile stays in registers), then the four columns are reduced by one another. The pivots and
 * multipliers of the 4 x 4 block on the diagonal are computed first, as scalars. Stored are U = L D
 * with the pivots on the diagonal, inv = 1 / D, and above the diagonal of each 4 x 4 block the
 * inverse of its unit triangle.
 */
/* pivots and multipliers of the nb x nb block at u; t as in tile2 */
HKI_INLINE void diagonal_block(int nb, const double *u, int32_t ld, double *inv, double *t) {
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
HKI_INLINE void inverse_block(int nb, double *u, int32_t ld, const double *t) {
  double *u1 = u + ld, *u2 = u1 + ld, *u3 = u2 + ld;
  if (nb > 1) u1[0] = -t[0];
  if (nb > 2) u2[1] = -t[3], u2[0] = t[3] * t[0] - t[1];
  if (nb > 3) u3[2] = -t[5], u3[1] = t[5] * t[3] - t[4];
  if (nb > 3) u3[0] = (t[4] * t[0] - t[2]) - t[5] * u2[0];
}

/* columns j .. j+nb-1 of a panel */
HKI_INLINE void panel_columns(int nb, double *f, int32_t ld, int32_t j, int32_t r, double *inv,
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

/* stop: once it is not zero the panel is left as it is */
static void factor_panel(double *f, int32_t ld, int32_t w, int32_t r, double *inv, double *wk,
                         const volatile int *stop) {
  int32_t j = 0;
  for (; j + 4 <= w && !*stop; j += 4) panel_columns(4, f, ld, j, r, inv, wk);
  if (j + 4 <= w) return;
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

/* forward substitution with columns j .. j+nb-1: t[0 .. j-1] holds the solution y already */
HKI_INLINE void forward_columns(int nb, const double *f, int32_t ld, int32_t j, int32_t r,
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
HKI_INLINE void backward_columns(int nb, const double *f, int32_t ld, int32_t j, int32_t r,
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
  if (nb > 3) g3 = (x[3] - dot[3]) * inv[j + 3];
  if (nb == 1) tile_put(x, g0, x[1], x[2], x[3]);
  if (nb == 2) tile_put(x, g0 + u1[0] * g1, g1, x[2], x[3]);
  if (nb == 3) tile_put(x, g0 + (u1[0] * g1 + u2[0] * g2), g1 + u2[1] * g2, g2, x[3]);
  if (nb == 4)
    tile_put(x, (g0 + u1[0] * g1) + (u2[0] * g2 + u3[0] * g3), g1 + (u2[1] * g2 + u3[1] * g3),
             g2 + u3[2] * g3, g3);
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

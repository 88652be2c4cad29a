/* SPDX-License-Identifier: Apache-2.0
 *
 * ldu_body.h: LU factorisation in the panels of a symmetric pattern, included once per vector width,
 * after ldl_body.h.
 *
 * Both halves of the matrix have panels of the same shape (ldl_impl.h): the lower one as it is, the
 * upper one transposed. Stored are l = L D and u = (D U)', and inv = 1 / D:
 *
 *   A_ij = sum_k l_ik inv_k u_jk      A_ji = sum_k u_ik inv_k l_jk       i >= j
 *
 * so that each half is treated as in the symmetric case, with multipliers taken from the other one.
 */

/* Pivots of the nb x nb block at l (lower half) and u (upper half), and the multipliers of both as in
 * tile2: tl = L, tu = U'. */
HKI_INLINE void ldu_block(int nb, const double *l, const double *u, int32_t ld, double *inv,
                          double *tl, double *tu) {
  const double *l1 = l + ld, *l2 = l1 + ld, *l3 = l2 + ld, *u1 = u + ld, *u2 = u1 + ld;
  const double i0 = 1.0 / l[0];
  inv[0] = i0;
  if (nb < 2) return;
  tl[0] = l[1] * i0, tu[0] = u[1] * i0;
  const double i1 = 1.0 / (l1[1] - l[1] * tu[0]);
  inv[1] = i1;
  if (nb < 3) return;
  tl[1] = l[2] * i0, tu[1] = u[2] * i0;
  const double l21 = l1[2] - l[2] * tu[0], u21 = u1[2] - u[2] * tl[0];
  tl[3] = l21 * i1, tu[3] = u21 * i1;
  const double i2 = 1.0 / ((l2[2] - l[2] * tu[1]) - l21 * tu[3]);
  inv[2] = i2;
  if (nb < 4) return;
  tl[2] = l[3] * i0, tu[2] = u[3] * i0;
  const double l31 = l1[3] - l[3] * tu[0], u31 = u1[3] - u[3] * tl[0];
  tl[4] = l31 * i1, tu[4] = u31 * i1;
  const double l32 = (l2[3] - l[3] * tu[1]) - l31 * tu[3];
  const double u32 = (u2[3] - u[3] * tl[1]) - u31 * tl[3];
  tl[5] = l32 * i2, tu[5] = u32 * i2;
  inv[3] = 1.0 / (((l3[3] - l[3] * tu[2]) - l31 * tu[4]) - l32 * tu[5]);
}

/* columns j .. j+nb-1 of both panels */
HKI_INLINE void ldu_columns(int nb, double *l, double *u, int32_t ld, int32_t j, int32_t r,
                            double *inv, double *wk) {
  double tl[6], tu[6], *half[2] = {l, u}, *wks[2] = {wk, wk + (ptrdiff_t)4 * j};
  const size_t at = (size_t)j + (size_t)j * (size_t)ld;
  for (int k = 0; j && k < 2; k++) tile_pack(wks[k], half[1 - k] + j, ld, inv, j);
  for (int k = 0; j && k < 2; k++)
    tile_rows(nb, half[k] + j, ld, wks[k], j, half[k] + at, ld, NULL, 4);
  ldu_block(nb, l + at, u + at, ld, inv + j, tl, tu);
  for (int k = 0; k < 2; k++) {
    double *c = half[k] + at;
    tile_rows(nb, c, ld, wk, 0, c, ld, k ? tl : tu, 4);
    inverse_block(nb, c, ld, k ? tu : tl);
    if (r > j + 4) tile_rows(nb, half[k] + j + 4, ld, wks[k], j, c + 4, ld, k ? tl : tu, r - j - 4);
  }
}

static void ldu_panel(double *l, double *u, int32_t ld, int32_t w, int32_t r, double *inv,
                      double *wk, const volatile int *stop) {
  int32_t j = 0;
  for (; j + 4 <= w && !*stop; j += 4) ldu_columns(4, l, u, ld, j, r, inv, wk);
  if (j + 4 <= w) return;
  switch (w - j) {
    case 1:
      ldu_columns(1, l, u, ld, j, r, inv, wk);
      break;
    case 2:
      ldu_columns(2, l, u, ld, j, r, inv, wk);
      break;
    case 3:
      ldu_columns(3, l, u, ld, j, r, inv, wk);
      break;
    default:
      break;
  }
}

/* a pivot must be larger than the round-off of the largest entry of its column */
static hk_status ldu_factor(const hk_ldl *s, hk_ldu_num *num, const double *largest) {
  hki_ldl_work work = hki_ldl_split_work(s, num->work);
  const volatile int *stop = hki_stop_flag(s->ctx);
  num->bad = -1;
  for (int32_t i = 0; i < s->nsnode; i++) {
    const hki_snode *sn = &s->snode[i];
    double *inv = num->inv + sn->col;
    ldu_panel(num->low + sn->off, num->up + sn->off, sn->ld, sn->w, sn->r, inv, num->wide, stop);
    if (*stop) return HK_RETRY;
    const double *l = num->low + sn->off;
    for (int32_t k = 0; k < sn->w; k++, l += (size_t)sn->ld + 1) {
      const double d = fabs(*l), most = largest[s->perm[sn->col + k]];
      if (d > s->tol * most && d >= DBL_MIN && d <= DBL_MAX) continue;
      num->bad = s->perm[sn->col + k];
      return d <= DBL_MAX ? HK_E_SINGULAR : HK_E_NUMBER;
    }
    if (!sn->nseg) continue;
    fold(s, sn, num->low, num->up, inv, &work, stop);
    fold(s, sn, num->up, num->low, inv, &work, stop);
  }
  return HK_OK;
}

static void ldu_solve(const hk_ldl *s, hk_ldu_num *num, double *b) {
  substitute(s, num->low, num->up, num->inv, NULL, num->work, b);
}

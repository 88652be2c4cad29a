/* SPDX-License-Identifier: Apache-2.0
 *
 * ldl_body.h: the numeric part of the sparse LDL factorisation, included once per vector width,
 * after panel.h and ldl_quad.h.
 */

/* Subtract the outer product of a supernode's columns from the panels of its ancestors. other: the
 * factor whose rows are the columns of the product; fac itself where the matrix is symmetric. */
HKI_INLINE void fold(const hk_ldl *s, const hki_snode *sn, double *fac, const double *other,
                     const double *inv, const hki_ldl_work *work, const volatile int *stop) {
  const double *f = fac + sn->off, *o = other + sn->off;
  int32_t b = sn->r - sn->w;
  for (int32_t k = sn->seg; k < sn->seg + sn->nseg; k++) {
    const hki_segment *g = &s->segment[k];
    for (int32_t c = 0; c < g->np && !*stop; c += 4) {
      int32_t nb = g->np - c < 4 ? g->np - c : 4, row = sn->w + g->p + c, m = b - g->p - c;
      tile_pack(work->wk, o + row, sn->ld, inv, sn->w);
      if (g->rel < 0) {
        double *to = fac + g->off + (size_t)(g->first + c) * ((size_t)g->ld + 1);
        tile_columns(nb, f + row, sn->ld, work->wk, sn->w, to, g->ld, NULL, m);
        continue;
      }
      // scattered rows: compute the update in scratch, then add it entry by entry
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

/* The pivots of supernode sn: counts negative ones, or says why one cannot be used. A bad one is an error where it is found, and no
 * number that is asked afterwards: a step that becomes a program (src/codegen) fails there, however many pivots there are. */
static hk_status take_pivots(const hk_ldl *s, hk_ldl_num *num, const hki_snode *sn,
                             const double *val) {
  const double *f = num->fac + sn->off, *v = val + sn->off;
  const size_t step = (size_t)sn->ld + 1;
  for (int32_t k = 0; k < sn->w; k++, f += step, v += step) {
    const double d = fabs(*f), a = fabs(*v);
    if (!(d > s->tol * a && d >= DBL_MIN && d <= DBL_MAX)) {
      num->bad = s->perm[sn->col + k];
      return d <= DBL_MAX ? HK_E_SINGULAR : HK_E_NUMBER;
    }
    num->negative += *f < 0.0;
  }
  return HK_OK;
}

/* a matrix of one panel of five to eight columns, without turns; n: its columns, a constant */
HKI_INLINE hk_status factor_few(int32_t n, const hk_ldl *s, hk_ldl_num *num, const double *val,
                                const volatile int *stop) {
  double wk[32], *fac = num->fac + s->snode->off;
  const double *from = val + s->snode->off;
  for (int32_t k = 0; k < n * 8; k++) fac[k] = from[k];
  panel_columns(4, fac, 8, 0, n, num->inv, wk);
  panel_columns(n - 4, fac, 8, 4, n, num->inv, wk);
  return *stop ? HK_RETRY : take_pivots(s, num, s->snode, val);
}

static hk_status ldl_factor(const hk_ldl *s, hk_ldl_num *num, const double *val) {
  hki_ldl_work work = hki_ldl_split_work(s, num->work);
  const volatile int *stop = hki_stop_flag(s->ctx);
  double *fac = num->fac;
  hk_status st = HK_OK;
  num->bad = -1, num->negative = 0;
  if (s->nsnode == 1 && s->n == 5) return factor_few(5, s, num, val, stop);
  if (s->nsnode == 1 && s->n == 6) return factor_few(6, s, num, val, stop);
  memcpy(fac, val, (size_t)s->nval * sizeof *fac);
  for (int32_t i = 0; st == HK_OK && i < s->nturn; i++) {
    if (s->turn[i] < 0) {
      const hki_quad *q = &s->quad[~s->turn[i]];
      quad_columns(s, q, fac);
      for (int c = 0; st == HK_OK && c < 4; c++) st = take_pivots(s, num, &s->snode[q->sn[c]], val);
      quad_fold(s, q, fac);
      continue;
    }
    const hki_snode *sn = &s->snode[s->turn[i]];
    double *inv = num->inv + sn->col;
    factor_panel(fac + sn->off, sn->ld, sn->w, sn->r, inv, work.wk, stop);
    if (*stop) return HK_RETRY;
    st = take_pivots(s, num, sn, val);
    if (st == HK_OK && sn->nseg) fold(s, sn, fac, fac, inv, &work, stop);
  }
  return st;
}

/* t = x at the rows of a supernode, padded with zeros. Written in whole tiles, as the panels read
 * it: reading a vector right after its numbers were stored one by one stalls the processor. */
static void gather_rows(const hk_ldl *s, const hki_snode *sn, const double *x, double *t) {
  const int32_t *rows = s->rows + sn->rows - sn->w, w = sn->w, r = sn->r;
  const double *own = x + sn->col;
  for (int32_t k = 0; k < r; k += 4) {
    double a = k < w ? own[k] : x[rows[k]], b = 0.0, c = 0.0, d = 0.0;
    if (k + 1 < r) b = k + 1 < w ? own[k + 1] : x[rows[k + 1]];
    if (k + 2 < r) c = k + 2 < w ? own[k + 2] : x[rows[k + 2]];
    if (k + 3 < r) d = k + 3 < w ? own[k + 3] : x[rows[k + 3]];
    tile_put(t + k, a, b, c, d);
  }
}

/* the substitutions with a panel of n columns that holds all unknowns, without lists and scratch; inlined with constant n */
HKI_INLINE void solve_few(int32_t n, const int32_t *p, const double *low, const double *up,
                          const double *inv, double *b) {
  const int32_t ld = hki_round4(n), j = n & ~3;
  double x[8];
  for (int32_t k = 0; k < n; k += 4)
    tile_put(x + k, b[p[k]], k + 1 < n ? b[p[k + 1]] : 0.0, k + 2 < n ? b[p[k + 2]] : 0.0,
             k + 3 < n ? b[p[k + 3]] : 0.0);
  for (int32_t k = 0; k < j; k += 4) forward_columns(4, low, ld, k, n, inv, x);
  if (n > j) forward_columns(n - j, low, ld, j, n, inv, x);
  if (n > j) backward_columns(n - j, up, ld, j, n, inv, x);
  for (int32_t k = j - 4; k >= 0; k -= 4) backward_columns(4, up, ld, k, n, inv, x);
  for (int32_t k = 0; k < n; k++) b[p[k]] = x[k];
}

/* true: the matrix has one such panel, of at most eight columns, and b is solved */
static bool substitute_few(const hk_ldl *s, const double *low, const double *up, const double *inv,
                           double *b) {
  if (s->nsnode != 1) return false;
  low += s->snode->off, up += s->snode->off;
  switch (s->n) {
    case 2:
      solve_few(2, s->perm, low, up, inv, b);
      return true;
    case 3:
      solve_few(3, s->perm, low, up, inv, b);
      return true;
    case 4:
      solve_few(4, s->perm, low, up, inv, b);
      return true;
    case 5:
      solve_few(5, s->perm, low, up, inv, b);
      return true;
    case 6:
      solve_few(6, s->perm, low, up, inv, b);
      return true;
    case 7:
      solve_few(7, s->perm, low, up, inv, b);
      return true;
    case 8:
      solve_few(8, s->perm, low, up, inv, b);
      return true;
    default:
      return false;
  }
}

/* low: panels of the forward substitution; up: of the backward one, the same for symmetric matrices;
 * quads: the factor that has four supernodes side by side, NULL: they have panels too */
HKI_INLINE void substitute(const hk_ldl *s, const double *low, const double *up, const double *invs,
                           double *quads, double *scratch, double *b) {
  if (substitute_few(s, low, up, invs, b)) return;
  hki_ldl_work work = hki_ldl_split_work(s, scratch);
  double *x = work.x, *t = work.t;
  for (int32_t k = 0; k < s->n; k++) x[k] = b[s->perm[k]];
  for (int32_t k = s->n; k < s->n + 8; k++) x[k] = 0.0;
  const int32_t n = quads ? s->nturn : s->nsnode;
  for (int32_t i = 0; i < n; i++) {
    const int32_t turn = quads ? s->turn[i] : i;
    if (turn < 0) {
      quad_forward(s, &s->quad[~turn], quads, x);
      continue;
    }
    const hki_snode *sn = &s->snode[turn];
    const int32_t *rows = s->rows + sn->rows - sn->w;
    const double *f = low + sn->off, *inv = invs + sn->col;
    if (sn->in_place) {
      forward_panel(f, sn->ld, sn->w, sn->r, inv, x + sn->col);
      continue;
    }
    gather_rows(s, sn, x, t);
    forward_panel(f, sn->ld, sn->w, sn->r, inv, t);
    for (int32_t k = 0; k < sn->w; k++) x[sn->col + k] = t[k];
    for (int32_t k = sn->w; k < sn->r; k++) x[rows[k]] = t[k];
  }
  for (int32_t i = n - 1; i >= 0; i--) {
    const int32_t turn = quads ? s->turn[i] : i;
    if (turn < 0) {
      quad_backward(s, &s->quad[~turn], quads, x);
      continue;
    }
    const hki_snode *sn = &s->snode[turn];
    const double *f = up + sn->off, *inv = invs + sn->col;
    if (sn->in_place) {
      backward_panel(f, sn->ld, sn->w, sn->r, inv, x + sn->col);
      continue;
    }
    gather_rows(s, sn, x, t);
    backward_panel(f, sn->ld, sn->w, sn->r, inv, t);
    for (int32_t k = 0; k < sn->w; k++) x[sn->col + k] = t[k];
  }
  for (int32_t k = 0; k < s->n; k++) b[s->perm[k]] = x[k];
}

static void ldl_solve(const hk_ldl *s, hk_ldl_num *num, double *b) {
  substitute(s, num->fac, num->fac, num->inv, num->fac, num->work, b);
}

/* columns j .. j+nb-1 of a panel of A: u -= A t, with the lower triangle and its mirror image */
HKI_INLINE void mul_columns(int nb, const double *v, int32_t ld, int32_t j, int32_t r,
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

static void ldl_mul(const hk_ldl *s, hk_ldl_num *num, const double *val, const double *x,
                    double *y) {
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

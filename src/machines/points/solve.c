/* SPDX-License-Identifier: Apache-2.0
 *
 * solve.c: products with the mass matrix and the rows, penalties, the matrix of a stage, and
 * projections.
 *
 *   alpha = stiffer kappa / (c sum_i Phi_q_i^2 / M_ii)          per row, over coordinates with mass
 *   T     = M + cC C + cK K + c Phi_q' alpha Phi_q              position level: cC = cv/ca,
 *                                                               cK = c = 1/ca
 *   x    -= c T^-1 Phi_q' alpha (Phi_q x + b)                   projection
 *
 * Nothing is kept from one step to the next but what is constant (M and what its diagonal yields), so that a resumed run has the
 * same bits, and a program of one model no numbers that it has to carry.
 */
#include "machines/points/points.h"

void hki_points_add_mass(const hk_points *n, const double *a, double *r) {
  for (int32_t k = 0; k < n->nmass; k++) {
    const hk_points_mass *e = &n->mass[k];
    const double *x = a + n->d * e->j, *y = a + n->d * e->i;
    double *rx = r + n->d * e->j, *ry = r + n->d * e->i;
    if (n->planar) {
      ry[0] += e->m[0] * x[0] - e->m[1] * x[1];
      ry[1] += e->m[0] * x[1] + e->m[1] * x[0];
      if (e->i == e->j) continue;
      rx[0] += e->m[0] * y[0] + e->m[1] * y[1];
      rx[1] += e->m[0] * y[1] - e->m[1] * y[0];
    } else {
      for (int j = 0; j < 3; j++) ry[j] += e->m[0] * x[j];
      if (e->i == e->j) continue;
      for (int j = 0; j < 3; j++) rx[j] += e->m[0] * y[j];
    }
  }
}

/* --- rows ------------------------------------------------------------------------------------- */

void hki_points_add_rows(const hk_points *n, const double *mu, double *r) {
  for (int32_t i = 0; i < n->nrows; i++) {
    const hk_points_line *l = &n->line[i];
    const double m = mu[i];
    for (int32_t k = 0; k < l->n; k++) r[l->idx[k]] += m * l->g[k];
  }
}

void hki_points_mul_rows(const hk_points *n, const double *x, double *y) {
  for (int32_t i = 0; i < n->nrows; i++) {
    const hk_points_line *l = &n->line[i];
    double sum = 0.0;
    for (int32_t k = 0; k < l->n; k++) sum += l->g[k] * x[l->idx[k]];
    y[i] = sum;
  }
}

void hki_points_add_factored(const hk_points *n, const double *mu, double *r) {
  const double *g = n->held;
  for (int32_t i = 0; i < n->nrows; g += n->line[i++].n)
    for (int32_t k = 0; k < n->line[i].n; k++) r[n->line[i].idx[k]] += mu[i] * g[k];
}

void hki_points_mul_factored(const hk_points *n, const double *x, double *y) {
  const double *g = n->held;
  for (int32_t i = 0; i < n->nrows; g += n->line[i++].n) {
    y[i] = 0.0;
    for (int32_t k = 0; k < n->line[i].n; k++) y[i] += g[k] * x[n->line[i].idx[k]];
  }
}

double hki_points_size(const hk_points *n, const double *x) {
  double worst = 0.0;
  for (int32_t i = 0; i < n->n; i++) {
    double e = fabs(x[i]) * n->inv[i];
    if (!(e <= worst)) worst = e; // also catches NaN
  }
  return worst;
}

double hki_points_row_norm(const hk_points *n, const double *y) {
  double worst = 0.0;
  for (int32_t i = 0; i < n->nrows; i++) {
    double e = fabs(y[i]) * n->reach[i];
    if (!(e <= worst)) worst = e; // also catches NaN
  }
  return worst;
}

int32_t hki_points_active_rows(const hk_points *n) {
  int32_t rows = n->nrows;
  for (int32_t i = 0; i < n->nloop; i++) {
    const hk_points_loop *l = &n->loop[i];
    if (l->closure != HK_NONE && n->kin.disc.active[l->closure] == 0.0) rows -= l->q.nrows;
  }
  return rows;
}

/* --- penalties -------------------------------------------------------------------------------- */

/* alpha = factor / mobility and reach of the rows of a group; mobility: sum of Phi_q_i^2 / M_ii */
static void group_penalty(hk_points *n, int32_t row0, int32_t nrows, double factor) {
  const double rest = n->top_mass > 0.0 ? 1.0 / n->top_mass : 1.0;
  double top = 1e-5, *reach = n->reach + row0, *alpha = n->alpha + row0;
  for (int32_t i = 0; i < nrows; i++) {
    const hk_points_line *l = &n->line[row0 + i];
    double most = 0.0, mob = 0.0;
    for (int32_t k = 0; k < l->n; k++) {
      const double gs = fabs(l->g[k]) * n->scale[l->idx[k]];
      if (gs > most) most = gs;
      mob += gs * gs * n->yield[l->idx[k]];
    }
    reach[i] = most;
    if (most > top) top = most;
    // no mass feels the row: mobility as if the largest mass did
    double whole = fmax(most * most, 1e-10) * rest;
    if (mob <= 1e-12 * whole) mob = whole;
    alpha[i] = factor / mob;
  }
  // a vanishing gradient (singular positions, redundant rows) counts as 1e-4 of the largest here
  for (int32_t i = 0; i < nrows; i++) reach[i] = 1.0 / fmax(reach[i], 1e-4 * top);
}

/* val += coef g g' of a row */
static void add_line(double *val, const hk_points_line *l, double coef) {
  const int32_t *slot = l->slot;
  for (int32_t i = 0; i < l->n; i++) {
    const double gi = coef * l->g[i];
    for (int32_t j = 0; j <= i; j++) val[*slot++] += gi * l->g[j];
  }
}

static void all_penalties(hk_points *n, double factor) {
  for (int32_t i = 0; i < n->nquad; i++)
    group_penalty(n, n->quad[i].row0, n->quad[i].nrows, factor);
  for (int32_t i = 0; i < n->nloop; i++)
    group_penalty(n, n->loop[i].row0, n->loop[i].q.nrows, factor);
}

void hki_points_penalty(hk_points *n, double c, double kappa) {
  all_penalties(n, n->stiffer * kappa / c);
}

void hki_points_penalty_equal(hk_points *n, double alpha) {
  all_penalties(n, 1.0); // for the reach of the rows
  for (int32_t i = 0; i < n->nrows; i++) n->alpha[i] = alpha;
}

/* --- the matrix of a stage -------------------------------------------------------------------- */

/* tri += coef (g h' + h g')/2; tri: lower triangle by rows */
static void add_outer(double *tri, int32_t n, const double *g, const double *h, double coef) {
  for (int32_t i = 0; i < n; i++) {
    double gi = 0.5 * coef * g[i], hi = 0.5 * coef * h[i];
    for (int32_t j = 0; j <= i; j++) tri[j] += gi * h[j] + hi * g[j];
    tri += i + 1;
  }
}

/* tri += coef g g' */
static void add_square(double *tri, int32_t n, const double *g, double coef) {
  for (int32_t i = 0; i < n; i++) {
    double gi = coef * g[i];
    if (gi != 0.0)
      for (int32_t j = 0; j <= i; j++) tri[j] += gi * g[j];
    tri += i + 1;
  }
}

static void begin_clique(hk_points *n, const hk_points_clique *q) {
  memset(n->tri, 0, (size_t)(q->n * (q->n + 1) / 2) * sizeof *n->tri);
}

static void end_clique(hk_points *n, const hk_points_clique *q) {
  const int32_t entries = q->n * (q->n + 1) / 2;
  for (int32_t k = 0; k < entries; k++) n->num.val[q->slot[k]] += n->tri[k];
}

static void add_force(hk_points *n, int32_t fi, double cC, double cK) {
  const hk_points_force *f = &n->force[fi];
  const int32_t nn = f->q.n;
  // shortcut for forces with one deformation and no inputs that read channels
  if (f->q.nrows == 1 && !f->fu) {
    const hk_points_line l = {.n = nn, .g = f->q.g, .slot = f->q.slot};
    const double coef = cK * f->ks[0] + cC * f->cs[0];
    if (coef != 0.0) add_line(n->num.val, &l, coef);
    return;
  }
  begin_clique(n, &f->q);
  for (int32_t a = 0; a < f->q.nrows; a++)
    for (int32_t b = 0; b < f->q.nrows; b++) {
      double coef = cK * f->ks[6 * a + b] + cC * f->cs[6 * a + b];
      if (coef == 0.0) continue;
      if (a == b)
        add_square(n->tri, nn, f->q.g + a * nn, coef);
      else
        add_outer(n->tri, nn, f->q.g + a * nn, f->q.g + b * nn, coef);
    }
  if (f->fu) hki_points_add_inputs(n, fi, cC, cK, n->tri);
  end_clique(n, &f->q);
}

void hki_points_add_force_inputs(hk_points *n, int32_t fi, double cC, double cK) {
  const hk_points_clique *q = &n->force[fi].q;
  begin_clique(n, q);
  hki_points_add_inputs(n, fi, cC, cK, n->tri);
  end_clique(n, q);
}

void hki_points_add_forces(hk_points *n, double cC, double cK) {
  for (int32_t f = 0; f < n->m->nf; f++) add_force(n, f, cC, cK);
  if (n->m->nwide) hki_points_add_wide(n, cC, cK);
}

void hki_points_matrix(hk_points *n, bool forces, double cC, double cK, double c) {
  memcpy(n->num.val, n->mval, (size_t)hki_ldl_value_count(n->ldl) * sizeof *n->mval);
  if (forces) hki_points_add_forces(n, cC, cK);
  double *g = n->held;
  for (int32_t i = 0; i < n->nrows; g += n->line[i++].n) {
    const hk_points_line *l = &n->line[i];
    for (int32_t k = 0; k < l->n; k++) g[k] = l->g[k];
    add_line(n->num.val, l, c * n->alpha[i]);
  }
}

/* num.val += d(Phi_q' lam)/dq of term t of a row:
 *   space:   lam w (A_i B_j + B_i A_j) times the unit matrix, for blocks i, j
 *   planar:  lam w (conj(A_i) B_j + conj(B_i) A_j), a complex factor */
static void add_term_curvature(hk_points *n, const hk_points_quadratic *q, const hk_points_row *row,
                               int32_t t, const hk_points_line *l, double lam) {
  const int32_t d = n->d, cw = n->planar ? 2 : 1;
  const double *A = q->coef + row->a[t] * q->nblk * cw, *B = q->coef + row->b[t] * q->nblk * cw;
  for (int32_t i = 0; i < row->nblk; i++)
    for (int32_t j = 0; j <= i; j++) {
      const double *ai = A + cw * row->at[i], *bi = B + cw * row->at[i];
      const double *aj = A + cw * row->at[j], *bj = B + cw * row->at[j];
      double re = ai[0] * bj[0] + bi[0] * aj[0], im = 0.0;
      if (n->planar) {
        re += ai[1] * bj[1] + bi[1] * aj[1];
        im = ai[0] * bj[1] - ai[1] * bj[0] + bi[0] * aj[1] - bi[1] * aj[0];
      }
      for (int32_t k = 0; k < d; k++)
        for (int32_t m = 0; m < d; m++) {
          int32_t x = d * i + k, y = d * j + m;
          double e = k == m ? re : d == 3 ? 0.0 : k == 0 ? -im : im;
          if (y <= x) n->num.val[l->slot[x * (x + 1) / 2 + y]] += lam * row->w[t] * e;
        }
    }
}

void hki_points_add_curvature(hk_points *n, double cK, const double *lam) {
  for (int32_t i = 0; i < n->nquad; i++) {
    const hk_points_quadratic *q = &n->quad[i];
    for (int32_t r = 0; r < q->nrows; r++) {
      const hk_points_line *l = &n->line[q->row0 + r];
      for (int32_t t = 0; t < q->row[r].nterm && !l->linear; t++)
        add_term_curvature(n, q, &q->row[r], t, l, cK * lam[q->row0 + r]);
    }
  }
}

static void solve_matrix(void *with, double *x) {
  hk_points *n = with;
  hki_ldl_solve(n->ldl, &n->num, x);
}

hk_status hki_points_factor_stage(hk_points *n) {
  hk_status st = hki_ldl_factor(n->ldl, &n->num, n->num.val);
  return st == HK_OK ? hki_border_factor(&n->border, solve_matrix, n) : st;
}

void hki_points_solve_stage(hk_points *n, double *x) {
  hki_ldl_solve(n->ldl, &n->num, x);
  hki_border_apply(&n->border, x);
}

double hki_points_project(hk_points *n, double c, const double *b, double small, double far,
                          double *x) {
  const double size = hki_points_size(n, x),
               closed = fmax(HK_POINTS_CLOSED * (1.0 + size), small * size);
  double left = 0.0, before = INFINITY;
  bool slow = false;
  for (int pass = 0; pass < HK_SLOW_PASSES; pass++) {
    hki_points_mul_rows(n, x, n->row);
    for (int32_t i = 0; i < n->nrows && b; i++) n->row[i] += b[i];
    left = hki_points_row_norm(n, n->row);
    if (!hki_slow_goes_on(pass, left, before, size, closed, far, &slow)) break;
    before = left;
    if (slow) {
      (void)hki_points_close_slow(n, c, 0.0, n->row, x); // the next pass sees what is left
      continue;
    }
    for (int32_t i = 0; i < n->nrows; i++) n->row[i] *= -c * n->alpha[i];
    memset(n->x, 0, (size_t)n->n * sizeof *n->x);
    hki_points_add_factored(n, n->row, n->x);
    hki_ldl_solve(n->ldl, &n->num, n->x);
    for (int32_t i = 0; i < n->n; i++) x[i] += n->x[i];
  }
  return left;
}

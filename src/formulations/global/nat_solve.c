/* SPDX-License-Identifier: Apache-2.0
 *
 * nat_solve.c: products with the mass matrix and the rows, penalties, the matrix of a stage, and
 * projections. Equations at the head of global.c.
 */
#include "formulations/global/natural.h"

void hki_nat_add_mass(const hk_nat *n, const double *a, double *r) {
  for (int32_t k = 0; k < n->nmass; k++) {
    const hk_nat_mass *e = &n->mass[k];
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

static void clique_add(const hk_nat *n, const hk_nat_clique *q, const double *mu, double *r) {
  const double *g = q->g;
  for (int32_t i = 0; i < q->nrows; i++)
    for (int32_t b = 0; b < q->nblk; b++) {
      double *e = r + n->d * q->blk[b];
      for (int32_t j = 0; j < n->d; j++) e[j] += mu[i] * *g++;
    }
}

static void clique_mul(const hk_nat *n, const hk_nat_clique *q, const double *x, double *y) {
  const double *g = q->g;
  for (int32_t i = 0; i < q->nrows; i++) {
    double sum = 0.0;
    for (int32_t b = 0; b < q->nblk; b++) {
      const double *e = x + n->d * q->blk[b];
      for (int32_t j = 0; j < n->d; j++) sum += *g++ * e[j];
    }
    y[i] = sum;
  }
}

void hki_nat_add_rows(const hk_nat *n, const double *mu, double *r) {
  for (int32_t i = 0; i < n->nquad; i++) clique_add(n, &n->quad[i].q, mu + n->quad[i].row0, r);
  for (int32_t i = 0; i < n->nloop; i++)
    if (hki_nat_loop_on(n, &n->loop[i])) clique_add(n, &n->loop[i].q, mu + n->loop[i].row0, r);
}

void hki_nat_mul_rows(const hk_nat *n, const double *x, double *y) {
  for (int32_t i = 0; i < n->nquad; i++) clique_mul(n, &n->quad[i].q, x, y + n->quad[i].row0);
  for (int32_t i = 0; i < n->nloop; i++) {
    const hk_nat_loop *l = &n->loop[i];
    if (hki_nat_loop_on(n, l))
      clique_mul(n, &l->q, x, y + l->row0);
    else
      memset(y + l->row0, 0, (size_t)l->q.nrows * sizeof *y);
  }
}

double hki_nat_row_norm(const hk_nat *n, const double *y) {
  double worst = 0.0;
  for (int32_t i = 0; i < n->nrows; i++) {
    double e = fabs(y[i]) * n->reach[i];
    if (!(e <= worst)) worst = e; // also catches NaN
  }
  return worst;
}

int32_t hki_nat_active_rows(const hk_nat *n) {
  int32_t rows = n->nrows;
  for (int32_t i = 0; i < n->nloop; i++) {
    const hk_nat_loop *l = &n->loop[i];
    if (l->closure != HK_NONE && n->kin.disc.active[l->closure] == 0.0) rows -= l->q.nrows;
  }
  return rows;
}

/* --- penalties -------------------------------------------------------------------------------- */

/* per row: mobility through the masses, sum of Phi_q^2 / M_ii, and what the coordinates can do
 * about it */
static void clique_penalty(hk_nat *n, const hk_nat_clique *q, int32_t row0, double floor_mass,
                           double rest, double factor) {
  const double *g = q->g;
  double top = 1e-5, *reach = n->reach + row0, *alpha = n->alpha + row0;
  for (int32_t i = 0; i < q->nrows; i++) {
    double most = 0.0, mob = 0.0;
    for (int32_t b = 0; b < q->nblk; b++)
      for (int32_t j = n->d * q->blk[b]; j < n->d * (q->blk[b] + 1); j++, g++) {
        double s = n->scale[j], mass = n->diag[j] * s * s, gs = fabs(*g) * s;
        if (gs > most) most = gs;
        if (mass > floor_mass) mob += gs * gs / mass;
      }
    reach[i] = most;
    if (most > top) top = most;
    // a row that no mass feels: as stiff as one on the whole mechanism
    double least = fmax(most * most, 1e-10) * rest;
    if (mob <= 1e-12 * least) mob = least;
    alpha[i] = factor / mob;
  }
  // a row that vanishes (singular positions, redundant rows) counts as a small part of its group
  for (int32_t i = 0; i < q->nrows; i++) reach[i] = 1.0 / fmax(reach[i], 1e-4 * top);
}

void hki_nat_penalty(hk_nat *n, double c, double kappa) {
  double top = 0.0;
  for (int32_t i = 0; i < n->n; i++) top = fmax(top, n->diag[i] * n->scale[i] * n->scale[i]);
  double rest = top > 0.0 ? 1.0 / top : 1.0;
  for (int32_t i = 0; i < n->nquad; i++)
    clique_penalty(n, &n->quad[i].q, n->quad[i].row0, 1e-9 * top, rest, kappa / c);
  for (int32_t i = 0; i < n->nloop; i++) {
    const hk_nat_loop *l = &n->loop[i];
    if (hki_nat_loop_on(n, l)) {
      clique_penalty(n, &l->q, l->row0, 1e-9 * top, rest, kappa / c);
    } else {
      for (int32_t r = l->row0; r < l->row0 + l->q.nrows; r++) n->alpha[r] = n->reach[r] = 0.0;
    }
  }
}

/* --- the matrix of a stage -------------------------------------------------------------------- */

/* tri += coef g h', symmetric part */
static void add_outer(double *tri, int32_t n, const double *g, const double *h, double coef) {
  for (int32_t i = 0; i < n; i++) {
    double gi = 0.5 * coef * g[i], hi = 0.5 * coef * h[i];
    for (int32_t j = 0; j <= i; j++) tri[j] += gi * h[j] + hi * g[j];
    tri += i + 1;
  }
}

static void add_square(double *tri, int32_t n, const double *g, double coef) {
  for (int32_t i = 0; i < n; i++) {
    double gi = coef * g[i];
    if (gi != 0.0)
      for (int32_t j = 0; j <= i; j++) tri[j] += gi * g[j];
    tri += i + 1;
  }
}

static void begin_clique(hk_nat *n, const hk_nat_clique *q) {
  memset(n->tri, 0, (size_t)(q->n * (q->n + 1) / 2) * sizeof *n->tri);
}

static void end_clique(hk_nat *n, const hk_nat_clique *q) {
  const int32_t entries = q->n * (q->n + 1) / 2;
  for (int32_t k = 0; k < entries; k++) n->num.val[q->slot[k]] += n->tri[k];
}

static void add_penalty(hk_nat *n, const hk_nat_clique *q, const double *alpha, double c) {
  begin_clique(n, q);
  for (int32_t i = 0; i < q->nrows; i++) add_square(n->tri, q->n, q->g + i * q->n, c * alpha[i]);
  end_clique(n, q);
}

static void add_force(hk_nat *n, int32_t fi, double cC, double cK) {
  const hk_nat_force *f = &n->force[fi];
  const int32_t nn = f->q.n;
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
  if (f->fu) hki_nat_add_inputs(n, fi, cC, cK, n->tri);
  end_clique(n, &f->q);
}

void hki_nat_matrix(hk_nat *n, bool forces, double cC, double cK, double c) {
  memcpy(n->num.val, n->mval, (size_t)hki_ldl_value_count(n->ldl) * sizeof *n->mval);
  for (int32_t f = 0; f < n->m->nf && forces; f++) add_force(n, f, cC, cK);
  for (int32_t i = 0; i < n->nquad; i++)
    add_penalty(n, &n->quad[i].q, n->alpha + n->quad[i].row0, c);
  for (int32_t i = 0; i < n->nloop; i++)
    if (hki_nat_loop_on(n, &n->loop[i]))
      add_penalty(n, &n->loop[i].q, n->alpha + n->loop[i].row0, c);
}

/* d(Phi_q' lam)/dq of one row: lam w (A'B + B'A), the same for each component of the blocks */
static void add_row_curvature(hk_nat *n, const hk_nat_quad *q, const hk_nat_row *row, double lam) {
  const int32_t nblk = q->q.nblk, d = n->d, cw = n->planar ? 2 : 1;
  for (int32_t t = 0; t < row->nterm; t++) {
    const double *A = q->coef + row->a[t] * nblk * cw, *B = q->coef + row->b[t] * nblk * cw;
    for (int32_t i = 0; i < nblk; i++)
      for (int32_t j = 0; j <= i; j++) {
        double re, im = 0.0;
        if (n->planar) {
          // conj(A_i) B_j + conj(B_i) A_j
          const double *ai = A + 2 * i, *bj = B + 2 * j, *bi = B + 2 * i, *aj = A + 2 * j;
          re = ai[0] * bj[0] + ai[1] * bj[1] + bi[0] * aj[0] + bi[1] * aj[1];
          im = ai[0] * bj[1] - ai[1] * bj[0] + bi[0] * aj[1] - bi[1] * aj[0];
        } else {
          re = A[i] * B[j] + B[i] * A[j];
        }
        re *= lam * row->w[t], im *= lam * row->w[t];
        if (re == 0.0 && im == 0.0) continue;
        for (int32_t k = 0; k < d; k++)
          for (int32_t l = 0; l < d; l++) {
            int32_t x = d * i + k, y = d * j + l;
            double e = k == l ? re : k == 0 ? -im : im;
            if (y > x || (d == 3 && k != l)) continue;
            n->tri[x * (x + 1) / 2 + y] += e;
          }
      }
  }
}

void hki_nat_add_curvature(hk_nat *n, double cK, const double *lam) {
  for (int32_t i = 0; i < n->nquad; i++) {
    const hk_nat_quad *q = &n->quad[i];
    begin_clique(n, &q->q);
    for (int32_t r = 0; r < q->q.nrows; r++)
      add_row_curvature(n, q, &q->row[r], cK * lam[q->row0 + r]);
    end_clique(n, &q->q);
  }
}

double hki_nat_project(hk_nat *n, double c, const double *b, double *x) {
  double left = 0.0, before = INFINITY;
  for (int pass = 0; pass < 6; pass++) {
    double size = 0.0;
    hki_nat_mul_rows(n, x, n->row);
    for (int32_t i = 0; i < n->nrows && b; i++) n->row[i] += b[i];
    left = hki_nat_row_norm(n, n->row);
    for (int32_t i = 0; i < n->n; i++) size = fmax(size, fabs(x[i]) / n->scale[i]);
    if (left <= 1e-13 * (1.0 + size) || left > 0.5 * before) break;
    before = left;
    for (int32_t i = 0; i < n->nrows; i++) n->row[i] *= -c * n->alpha[i];
    memset(n->x, 0, (size_t)n->n * sizeof *n->x);
    hki_nat_add_rows(n, n->row, n->x);
    hki_ldl_solve(n->ldl, &n->num, n->x);
    for (int32_t i = 0; i < n->n; i++) x[i] += n->x[i];
  }
  return left;
}

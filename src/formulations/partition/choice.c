/* SPDX-License-Identifier: Apache-2.0
 *
 * choice.c: which Cartesian coordinates are independent, and the solutions that follow from the
 * choice: dependent parts, columns P, projections, multipliers (equations in partition.h).
 *
 * The choice is that of a Gauss-Jordan elimination with full pivoting on the scaled Phi_q (eq. 7):
 * pivot columns are dependent, pivot rows are used, rows without a pivot are redundant and must
 * hold by themselves. It stays while it is good, which is judged at every accepted position by two
 * numbers:
 *
 *   ratio   smallest over largest pivot of Phi_u
 *   speed   largest scaled entry of H
 *
 * A step must not jump over a singular position unnoticed. With Phi_u0 remembered and Phi_u1 at its
 * end, all matrices between the two are regular if one of these holds:
 *
 *   |Phi_u1 - Phi_u0| |Phi_u0^-1| < 1                Frobenius norms; then Phi_u0 is kept
 *   W + W' positive definite                         W = Phi_u0^-1 Phi_u1
 *   the second for each of up to 64 parts of the step, at q0 (+) s D
 *
 * Otherwise the step is refused and repeated in smaller parts.
 *
 * Sources: Wehage and Haug 1982; Haug, Negrut and Iancu 1997, section 3.
 */
#include <stdio.h>

#include "formulations/partition/partition.h"
#include "geometry/chart.h"

static const double rank_tolerance = 1e-8; /* smallest pivot, relative to the first one */
static const double worse = 0.1; /* choose anew when ratio falls to this times the choice's */
static const double lost = 1e-4; /* rank is lost at this times the best ratio so far */
static const double redundant_open = 1e-6; /* scaled phi of a redundant row: above, rank changed */
enum { DEEPEST = 6 };                      /* most halvings of a step: 64 parts */

/* parts of the persistent block (partition.h) */
static double *keep_cols(const hk_partition *p) { return p->persist + HK_PARTITION_HEAD; }
static double *keep_rows(const hk_partition *p) { return keep_cols(p) + p->n; }
static double *keep_scale(const hk_partition *p) { return keep_rows(p) + p->m; }
static double *keep_before(const hk_partition *p) { return keep_scale(p) + p->m; }
static double *keep_place(const hk_partition *p) {
  size_t r = (size_t)(p->m < p->n ? p->m : p->n);
  return keep_before(p) + r * r;
}

/* --- words ------------------------------------------------------------------------------------ */

/* names of the active loops, for messages */
static void loop_words(const hk_partition *p, char *buf, size_t cap) {
  size_t len = 0;
  buf[0] = '\0';
  for (int32_t i = 0; i < p->c->m->nc && len + 2 < cap; i++) {
    char name[200];
    if (p->c->kin.disc.active[i] == 0.0) continue;
    if (len > cap / 2) {
      snprintf(buf + len, cap - len, "; ...");
      return;
    }
    hki_model_loop_names(p->c->m, i, name, sizeof name);
    snprintf(buf + len, cap - len, "%s%s", len ? "; " : "", name);
    len = strlen(buf);
  }
}

static hk_status lose_rank(hk_partition *p) {
  char loops[360];
  loop_words(p, loops, sizeof loops);
  snprintf(p->words, sizeof p->words,
           "the constraints lose rank here (%s): formulation 'partition' cannot pass this singular "
           "position",
           loops);
  return HK_E_SINGULAR;
}

static hk_status jump(hk_partition *p) {
  char loops[360];
  loop_words(p, loops, sizeof loops);
  snprintf(p->words, sizeof p->words,
           "within this step the constraints lose rank or change too much (%s): formulation "
           "'partition' cannot pass a singular position; a smaller step may tell where it is",
           loops);
  return HK_RETRY;
}

/* --- the Jacobian ----------------------------------------------------------------------------- */

void hki_partition_sync(hk_partition *p) {
  p->rank = (int32_t)p->persist[HK_PARTITION_RANK];
  p->f = p->n - p->rank;
  bool same = p->lu_known;
  for (int32_t i = 0; i < p->n; i++) {
    same &= p->cols[i] == (int32_t)keep_cols(p)[i];
    p->cols[i] = (int32_t)keep_cols(p)[i];
  }
  for (int32_t i = 0; i < p->m; i++) {
    same &= p->rows[i] == (int32_t)keep_rows(p)[i];
    p->rows[i] = (int32_t)keep_rows(p)[i];
  }
  if (!same) hki_partition_lu_analyse(p);
  p->lu_known = true;
}

/* out = covector g of body b by variations in world axes, written by increments in body axes; D:
 * times J(D) of the chart, or NULL */
static void to_increments(const hk_partition *p, int32_t b, const double *D, const double *g,
                          double *out) {
  const hk_bodies *c = p->c;
  if (c->planar) {
    v3_copy(out, g);
    return;
  }
  m3_tmulv(out, c->it.frame[b].R, g);
  v3_copy(out + 3, g + 3);
  if (D && !c->lack[b]) {
    const double *d = D + c->v0[b];
    double x, y, z;
    rot_series(v3_dot(d, d), &x, &y, &z);
    chart_twist(d, y, z, out, out);
  }
}

void hki_partition_gather(const hk_partition *p, double *M, const double *of, const double *D) {
  const hk_bodies *c = p->c;
  const double *rs = keep_scale(p);
  const int32_t nd = c->nd;
  // rows in turned coordinates are full; others have nonzeros of two bodies only, written below
  if (p->B) memset(M, 0, (size_t)(p->m * p->n) * sizeof *M);
  for (int32_t i = 0; i < c->nset; i++) {
    const hk_bodies_set *s = &c->set[i];
    const double on = hki_bodies_active(c, s) ? 1.0 : 0.0;
    // parts of a coupling may move the same body: their entries add up
    if (s->coupling && !s->part) memset(M + s->row0 * p->n, 0, (size_t)p->n * sizeof *M);
    for (int32_t row = s->row0; row < s->row0 + s->nrows; row++)
      for (int k = 0; k < 2; k++) {
        double x[6];
        if (s->body[k] == HK_GROUND) continue;
        const int32_t at = c->v0[s->body[k]];
        to_increments(p, s->body[k], D, of + (2 * hki_bodies_line(s, row) + k) * nd, x);
        for (int32_t e = c->lack[s->body[k]]; e < nd; e++) {
          const double y = on * x[e] * c->scale[at + e] * rs[row];
          M[row * p->n + at + e] = s->coupling ? M[row * p->n + at + e] + y : y;
        }
      }
  }
}

/* M = M B: rows in turned coordinates */
static void turn_rows(hk_partition *p, double *M) {
  const int32_t n = p->n;
  for (int32_t i = 0; i < p->m; i++) {
    double *row = M + (size_t)i * (size_t)n;
    hki_dense_mul_t(n, n, p->B, n, row, p->z);
    memcpy(row, p->z, (size_t)n * sizeof *row);
  }
}

/* j->M: scaled Phi_q, or Phi_q J(D), in the coordinates of the choice */
static void gather(hk_partition *p, hk_partition_jac *j, const double *D) {
  hki_partition_gather(p, j->M, p->c->G, D);
  if (p->B) turn_rows(p, j->M);
}

void hki_partition_to_choice(const hk_partition *p, const double *x, double *y) {
  for (int32_t i = 0; i < p->n; i++) y[i] = x[i] / p->c->scale[i];
  if (!p->B) return;
  double *t = p->work + hki_dense_work(p->big);
  memcpy(t, y, (size_t)p->n * sizeof *t);
  hki_dense_mul_t(p->n, p->n, p->B, p->n, t, y);
}

/* the reverse: x from y */
static void from_choice(const hk_partition *p, const double *y, double *x) {
  if (p->B)
    hki_dense_mul(p->n, p->n, p->B, p->n, y, x);
  else
    memcpy(x, y, (size_t)p->n * sizeof *x);
  for (int32_t i = 0; i < p->n; i++) x[i] *= p->c->scale[i];
}

double hki_partition_unit(const hk_partition *p, int32_t j) {
  return p->B ? 1.0 : p->c->scale[p->cols[p->rank + j]];
}

double hki_partition_independent_size(const hk_partition *p, const double *x) {
  double top = 0.0;
  hki_partition_to_choice(p, x, p->z);
  for (int32_t i = p->rank; i < p->n; i++) top = fmax(top, fabs(p->z[p->cols[i]]));
  return top;
}

double hki_partition_row_scale(const hk_partition *p, int32_t row) { return keep_scale(p)[row]; }

double hki_partition_scaled_row(const hk_partition *p, int32_t k, const double *b) {
  return keep_scale(p)[p->rows[k]] * b[p->rows[k]];
}

/* A = Phi_u, column-major */
static void dependent(const hk_partition *p, const hk_partition_jac *j, double *A, int32_t ld) {
  if (p->rank) memset(A, 0, (size_t)ld * (size_t)p->rank * sizeof *A);
  for (int32_t c = 0; c < p->rank; c++)
    for (int32_t r = 0; r < p->rank; r++)
      A[(size_t)r + (size_t)c * (size_t)ld] = j->M[p->rows[r] * p->n + p->cols[c]];
}

/* factors of Phi_u of j: sparse where its pivot ratio reaches `needed`, else dense. false: Phi_u is
 * singular */
static bool factor(hk_partition *p, hk_partition_jac *j, double needed) {
  double low = INFINITY, high = 0.0;
  const int32_t ld = hki_dense_ld(p->rank);
  j->ratio = 1.0;
  if (!p->rank || hki_partition_lu_factor(p, j, needed)) return true;
  dependent(p, j, j->A, ld);
  if (hki_dense_lu_factor(p->rank, j->A, ld, j->pivot, j->inv, p->work, NULL) != HK_OK)
    return false;
  for (int32_t k = 0; k < p->rank; k++) {
    double e = fabs(j->inv[k]);
    low = e < low ? e : low;
    high = e > high ? e : high;
  }
  j->ratio = low / high;
  return isfinite(j->ratio);
}

hk_status hki_partition_factor(hk_partition *p, hk_partition_jac *j, const double *D) {
  gather(p, j, D);
  return factor(p, j, p->persist[HK_PARTITION_RATIO]) ? HK_OK : HK_RETRY;
}

/* y = Phi_u^-1 y */
static void solve(hk_partition *p, const hk_partition_jac *j, double *y) {
  if (j->sparse) {
    hki_partition_lu_solve(p, j, y);
    return;
  }
  hki_dense_lu_solve(p->rank, j->A, hki_dense_ld(p->rank), j->pivot, j->inv, y, p->work);
}

/* y = Phi_u^-T y */
static void solve_transposed(const hk_partition *p, const hk_partition_jac *j, double *y) {
  const int32_t n = p->rank, ld = hki_dense_ld(n);
  if (j->sparse) {
    hki_partition_lu_solve_transposed(p, j, y);
    return;
  }
  for (int32_t k = 0; k < n; k++) {
    const double *col = j->A + (size_t)k * (size_t)ld;
    double sum = y[k];
    for (int32_t i = 0; i < k; i++) sum -= col[i] * y[i];
    y[k] = sum * j->inv[k];
  }
  for (int32_t k = n - 1; k >= 0; k--) {
    const double *col = j->A + (size_t)k * (size_t)ld;
    double sum = y[k];
    for (int32_t i = k + 1; i < n; i++) sum -= col[i] * y[i];
    y[k] = sum;
  }
  for (int32_t k = n - 1; k >= 0; k--) {
    double t = y[k];
    y[k] = y[j->pivot[k]], y[j->pivot[k]] = t;
  }
}

void hki_partition_columns(hk_partition *p, hk_partition_jac *j) {
  double *y = p->y, *z = p->z;
  j->speed = 0.0;
  j->has_gram = false;
  for (int32_t c = 0; c < p->f; c++) {
    const int32_t ind = p->cols[p->rank + c];
    const double unit = 1.0 / hki_partition_unit(p, c);
    for (int32_t k = 0; k < p->rank; k++) y[k] = -j->M[p->rows[k] * p->n + ind];
    if (p->rank) solve(p, j, y);
    memset(z, 0, (size_t)p->n * sizeof *z);
    z[ind] = unit;
    for (int32_t k = 0; k < p->rank; k++) {
      j->speed = fmax(j->speed, fabs(y[k]));
      z[p->cols[k]] = y[k] * unit;
    }
    from_choice(p, z, j->P + (size_t)c * (size_t)p->n);
  }
}

void hki_partition_complete(hk_partition *p, const hk_partition_jac *j, const double *b,
                            double *x) {
  const double *rs = keep_scale(p);
  double *y = p->y, *z = p->z;
  if (!p->rank) return;
  hki_partition_to_choice(p, x, z);
  for (int32_t k = 0; k < p->rank; k++) {
    const double *row = j->M + (size_t)p->rows[k] * (size_t)p->n;
    double sum = b ? rs[p->rows[k]] * b[p->rows[k]] : 0.0;
    for (int32_t i = p->rank; i < p->n; i++) sum += row[p->cols[i]] * z[p->cols[i]];
    y[k] = -sum;
  }
  solve(p, j, y);
  if (p->B) {
    for (int32_t k = 0; k < p->rank; k++) z[p->cols[k]] = y[k];
    from_choice(p, z, x);
    return;
  }
  // the independent entries are not touched
  for (int32_t k = 0; k < p->rank; k++) x[p->cols[k]] = y[k] * p->c->scale[p->cols[k]];
}

void hki_partition_onto(hk_partition *p, hk_partition_jac *j, const double *b, double *x) {
  hki_partition_complete(p, j, b, x);
}

/* y = M x, in body axes */
static void mass_times(const hk_partition *p, const double *x, double *y) {
  const hk_bodies *c = p->c;
  for (int32_t b = 0; b < c->m->nb; b++) {
    const hk_model_body *mb = &c->m->bodies[b];
    const double *n = c->m->spec->normal;
    const int32_t at = c->v0[b];
    double t[3];
    for (int32_t i = c->planar ? 1 : 3; i < c->nd; i++) y[at + i] = mb->mass * x[at + i];
    if (c->lack[b]) continue;
    if (c->planar) {
      m3_mulv(t, mb->J, n);
      y[at] = v3_dot(t, n) * x[at];
    } else {
      m3_mulv(y + at, mb->J, x + at);
    }
  }
}

hk_status hki_partition_gram(hk_partition *p, hk_partition_jac *j) {
  const int32_t f = p->f, n = p->n, ld = hki_dense_ld(f);
  if (j->has_gram || !f) return HK_OK;
  memset(j->gram, 0, (size_t)ld * (size_t)f * sizeof *j->gram);
  for (int32_t c = 0; c < f; c++) {
    mass_times(p, j->P + (size_t)c * (size_t)n, p->near);
    for (int32_t r = c; r < f; r++) {
      const double *P = j->P + (size_t)r * (size_t)n;
      double sum = 0.0;
      for (int32_t i = 0; i < n; i++) sum += P[i] * p->near[i];
      j->gram[(size_t)r + (size_t)c * (size_t)ld] = sum;
    }
  }
  hk_status st = hki_dense_ldl_factor(f, j->gram, ld, j->gram_inv, p->work, NULL);
  j->has_gram = st == HK_OK;
  return st;
}

void hki_partition_nearest(hk_partition *p, hk_partition_jac *j, const double *b, double *x) {
  const int32_t f = p->f, n = p->n;
  double *c = p->near, *e = p->near + n;
  if (!p->rank) return;
  const bool good = hki_partition_gram(p, j) == HK_OK;
  memcpy(e, x, (size_t)n * sizeof *x);
  memset(x, 0, (size_t)n * sizeof *x);
  hki_partition_complete(p, j, b, x);
  for (int32_t i = 0; i < n; i++) p->z[i] = e[i] - x[i];
  mass_times(p, p->z, e);
  for (int32_t k = 0; k < f; k++) {
    const double *P = j->P + (size_t)k * (size_t)n;
    c[k] = good ? 0.0 : NAN; // P'MP is singular: callers refuse a step that is not finite
    for (int32_t i = 0; i < n; i++) c[k] += P[i] * e[i];
  }
  if (f) hki_dense_ldl_solve(f, j->gram, hki_dense_ld(f), j->gram_inv, c, p->work);
  for (int32_t k = 0; k < f; k++)
    for (int32_t i = 0; i < n; i++) x[i] += c[k] * j->P[(size_t)k * (size_t)n + (size_t)i];
}

double hki_partition_open(hk_partition *p, const hk_partition_jac *j, double *x) {
  double worst = 0.0;
  memset(x, 0, (size_t)p->n * sizeof *x);
  hki_partition_complete(p, j, p->c->phi, x);
  for (int32_t i = 0; i < p->n; i++) {
    double e = fabs(x[i]) / p->c->scale[i];
    if (!(e <= worst)) worst = e; // also catches NaN
  }
  return worst;
}

void hki_partition_multipliers(hk_partition *p, const double *r, double *lam) {
  const double *rs = keep_scale(p);
  double *y = p->y;
  memset(lam, 0, (size_t)p->m * sizeof *lam);
  // r is a covector: in the coordinates of the choice it is B' S r, S the scales
  for (int32_t i = 0; i < p->n; i++) p->near[i] = r[i] * p->c->scale[i];
  if (p->B) {
    hki_dense_mul_t(p->n, p->n, p->B, p->n, p->near, p->z);
    memcpy(p->near, p->z, (size_t)p->n * sizeof *p->near);
  }
  for (int32_t k = 0; k < p->rank; k++) y[k] = -p->near[p->cols[k]];
  solve_transposed(p, &p->vel, y);
  for (int32_t k = 0; k < p->rank; k++) lam[p->rows[k]] = y[k] * rs[p->rows[k]];
}

/* --- the choice ------------------------------------------------------------------------------- */

/* rows and cols by full pivoting on B, which is overwritten; returns the rank */
static int32_t pivots(hk_partition *p, double *B) {
  return hki_dense_pivots(p->m, p->n, B, rank_tolerance, p->nrate ? p->late : NULL, p->rows,
                          p->cols);
}

/* row scales: 1 / largest entry, at most 1000 times that of the largest row; vel.M with them */
static void scale_rows(hk_partition *p) {
  double *rs = keep_scale(p), top = 0.0, *M = p->vel.M;
  for (int32_t i = 0; i < p->m; i++) {
    rs[i] = 0.0;
    for (int32_t j = 0; j < p->n; j++) rs[i] = fmax(rs[i], fabs(M[i * p->n + j]));
    top = fmax(top, rs[i]);
  }
  for (int32_t i = 0; i < p->m; i++) rs[i] = top > 0.0 ? 1.0 / fmax(rs[i], 1e-3 * top) : 1.0;
  for (int32_t i = 0; i < p->m; i++)
    for (int32_t j = 0; j < p->n; j++) M[i * p->n + j] *= rs[i];
}

/* makes the choice from vel.M; first: no earlier one to compare with */
static hk_status choose(hk_partition *p, bool first) {
  int32_t before = p->rank;
  double *copy = p->W1;
  if (p->B) hki_partition_gather(p, p->vel.M, p->c->G, NULL);
  memcpy(copy, p->vel.M, (size_t)(p->m * p->n) * sizeof *copy);
  p->rank = pivots(p, copy);
  p->f = p->n - p->rank;
  if (p->B) {
    p->method->basis(p, p->B);
    for (int32_t i = 0; i < p->n; i++) p->cols[i] = i;
    turn_rows(p, p->vel.M);
  }
  hki_partition_lu_order(p, p->vel.M);
  hki_partition_lu_analyse(p);
  p->lu_known = true;
  if (!factor(p, &p->vel, 0.0)) return first ? HK_E_SINGULAR : HK_RETRY;
  hki_partition_columns(p, &p->vel);
  if (!first && (p->rank != before || p->vel.ratio < lost * p->persist[HK_PARTITION_BEST]))
    return lose_rank(p);
  p->persist[HK_PARTITION_BEST] =
      first ? p->vel.ratio : fmax(p->vel.ratio, p->persist[HK_PARTITION_BEST]);
  p->persist[HK_PARTITION_RANK] = p->rank;
  p->persist[HK_PARTITION_RATIO] = p->vel.ratio;
  p->persist[HK_PARTITION_SPEED] = p->vel.speed;
  for (int32_t i = 0; i < p->n; i++) keep_cols(p)[i] = p->cols[i];
  for (int32_t i = 0; i < p->m; i++) keep_rows(p)[i] = p->rows[i];
  return HK_OK;
}

/* stores Phi_u of vel, q and |Phi_u^-1|: jumps are watched from here */
static void remember(hk_partition *p, const double *q) {
  double sum = 0.0, *x = p->near;
  dependent(p, &p->vel, keep_before(p), p->rank);
  memcpy(keep_place(p), q, (size_t)p->c->nq * sizeof *q);
  for (int32_t k = 0; k < p->rank; k++) {
    memset(x, 0, (size_t)p->rank * sizeof *x);
    x[k] = 1.0;
    solve(p, &p->vel, x);
    for (int32_t i = 0; i < p->rank; i++) sum += x[i] * x[i];
  }
  p->persist[HK_PARTITION_INVERSE] = sqrt(sum);
}

/* is the present Phi_u nearer to the stored one than 1 / |Phi_u0^-1|? */
static bool surely_regular(const hk_partition *p) {
  const double *before = keep_before(p);
  double change = 0.0;
  for (int32_t c = 0; c < p->rank; c++)
    for (int32_t r = 0; r < p->rank; r++) {
      const double e = p->vel.M[p->rows[r] * p->n + p->cols[c]] - before[r + c * p->rank];
      change += e * e;
    }
  return p->persist[HK_PARTITION_INVERSE] * sqrt(change) < 0.99;
}

/* rows of the model at q */
static void rows_at(hk_partition *p, double t, const double *q) {
  hki_bodies_state(p->c, t, q, p->c->v);
  hki_bodies_rows(p->c);
}

hk_status hki_partition_rebase(hk_partition *p, const double *D) {
  const hk_stage *st = &p->st;
  for (int32_t i = 0; i < p->n; i++) p->x[i] = 0.5 * D[i];
  hki_bodies_plus(p->c, st->q0, p->x, p->q);
  rows_at(p, st->t, p->q);
  hki_partition_gather(p, p->vel.M, p->c->G, NULL);
  p->method->basis(p, p->B);
  p->rebased = true;
  p->persist[HK_PARTITION_CHANGES] += 1.0;
  // the stored Phi_u is one of the old coordinates
  rows_at(p, st->t, st->q0);
  if (hki_partition_factor(p, &p->vel, NULL) != HK_OK) return HK_RETRY;
  remember(p, st->q0);
  hki_partition_keep_rates(p);
  return HK_OK;
}

hk_status hki_partition_choose(hk_partition *p) {
  for (int32_t i = 0; i < p->m; i++) keep_scale(p)[i] = 1.0;
  hki_partition_gather(p, p->vel.M, p->c->G, NULL);
  scale_rows(p);
  hk_status st = choose(p, true);
  if (st != HK_OK) return st;
  remember(p, p->c->q);
  hki_partition_keep_rates(p);
  p->persist[HK_PARTITION_MADE] = 1.0;
  return HK_OK;
}

/* --- at an accepted position ------------------------------------------------------------------ */

/* is Phi_u regular all the way from `before` (rank x rank) to that of vel? Tests W^-1 instead of W:
 * W^-1 + W^-T = W^-1 (W + W') W^-T. */
static bool regular_between(hk_partition *p, const double *before) {
  const int32_t r = p->rank;
  double *W = p->W0;
  memcpy(W, before, (size_t)(r * r) * sizeof *W);
  for (int32_t j = 0; j < r; j++) solve(p, &p->vel, W + j * r);
  return hki_dense_positive(r, W);
}

/* rows and vel, factorised, at q0 (+) s D */
static bool place_between(hk_partition *p, double t, const double *q0, const double *D, double s) {
  for (int32_t i = 0; i < p->n; i++) p->x[i] = s * D[i];
  hki_bodies_plus(p->c, q0, p->x, p->c->q);
  rows_at(p, t, p->c->q);
  return hki_partition_factor(p, &p->vel, NULL) == HK_OK;
}

/* is Phi_u regular from the stored position to q, in smaller parts? Rows and vel end at q. */
static bool regular_way(hk_partition *p, double t, const double *q) {
  double s = 0.0, part = 0.5, *D = p->dq, *before = p->W1;
  const size_t size = (size_t)(p->rank * p->rank) * sizeof *before;
  memcpy(p->q, q, (size_t)p->c->nq * sizeof *q);
  hki_bodies_minus(p->c, p->q, keep_place(p), D);
  memcpy(before, keep_before(p), size);
  while (s < 1.0) {
    if (!place_between(p, t, keep_place(p), D, s + part)) return false;
    if (regular_between(p, before)) {
      s += part;
      dependent(p, &p->vel, before, p->rank);
      continue;
    }
    part *= 0.5;
    if (part < 1.0 / (1 << DEEPEST)) return false;
  }
  rows_at(p, t, p->q);
  return hki_partition_factor(p, &p->vel, NULL) == HK_OK;
}

/* do the redundant rows hold by themselves? */
static bool redundant_closed(const hk_partition *p) {
  const double *rs = keep_scale(p);
  for (int32_t k = p->rank; k < p->m; k++) {
    int32_t r = p->rows[k];
    // rows of inactive sets are empty, and their phi is zero
    bool empty = true;
    for (int32_t j = 0; empty && j < p->n; j++) empty = p->vel.M[r * p->n + j] == 0.0;
    if (!empty && !(rs[r] * fabs(p->c->phi[r]) <= redundant_open)) return false;
  }
  return true;
}

hk_status hki_partition_review(hk_partition *p, double t, const double *q) {
  if (!p->rank) return HK_OK;
  if (!redundant_closed(p)) return lose_rank(p);
  const bool sure = surely_regular(p);
  if (!sure && !regular_between(p, keep_before(p)) && !regular_way(p, t, q)) return jump(p);
  hki_partition_columns(p, &p->vel);
  // turned coordinates follow the tangent plane: in stages, else from state to state
  const bool follow = p->B && !p->rebased;
  p->rebased = false;
  const bool bad =
      p->par.choice == HK_CHOICE_ANEW &&
      (p->vel.ratio < worse * p->persist[HK_PARTITION_RATIO] ||
       (p->vel.speed > p->par.limit && p->vel.speed > 1.5 * p->persist[HK_PARTITION_SPEED]));
  if (follow || bad) {
    hk_status st = choose(p, false);
    if (st != HK_OK) return st;
    p->persist[HK_PARTITION_CHANGES] += 1.0;
    remember(p, q);
  } else if (!sure) {
    remember(p, q);
  }
  hki_partition_keep_rates(p);
  return HK_OK;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * rates.c: rows that bind velocities alone, in the partition formulation.
 *
 *   Phi(q, t) = 0                         rows on positions
 *   Phi_q v + Phi_t = 0
 *   B(q) v + b(q, t) = 0                  rows on velocities
 *
 * Velocities and accelerations are partitioned by all rows, positions cannot be: fewer velocities
 * than positions are independent. The positions that Phi = 0 leaves open follow from their rates,
 * in a stage with w = vh + cv D for the rates of the increment:
 *
 *   C (D_u - (w_u - vh_u)/cv) = 0         C: B_u at the last accepted position
 *
 * that is, C D_u, with C the same throughout a step, is integrated by the method, with the rates w_u
 * that satisfy all rows. In the iteration onto Phi = 0 this equation stands in the place of a row of
 * Phi with the derivative B_u, which C is near to.
 *
 * The exact tangent asks for the whole derivative. Along an increment d, let dw(d) be the change of
 * the rates by all rows (tangent.c), and e(d) = C (d - dw(d)/cv)_u. With P the columns by which all
 * rows would hold as rows on positions, N the solutions of Phi_u N = 0, B_u N = 1:
 *
 *   d = P + N y,   e(N) y = -e(P)
 *
 * Source: Nikravesh and Haug, Generalized Coordinate Partitioning for Analysis of Mechanical Systems with
 * Nonholonomic Constraints, 1983.
 */
#include "formulations/partition/partition.h"

/* z = C x_u of the pivot rows on velocities, x in Cartesian coordinates */
static void rows_of(hk_partition *p, const double *x, double *out) {
  hki_partition_to_choice(p, x, p->z);
  for (int32_t k = 0, t = 0; k < p->rank; k++) {
    const double *C = p->rate_C + (size_t)t * (size_t)p->n;
    if (!p->late[p->rows[k]]) continue;
    out[t] = 0.0;
    for (int32_t c = 0; c < p->rank; c++) out[t] += C[p->cols[c]] * p->z[p->cols[c]];
    t++;
  }
}

hk_status hki_partition_complete_rates(hk_partition *p, double *w) {
  hk_partition_jac *j = p->two ? hki_partition_rate_jac(p) : &p->vel;
  const double *D = p->two && p->st.chart ? p->D : NULL;
  double last = INFINITY;
  for (int pass = 0; pass < 30; pass++) {
    double size = 0.0;
    hki_partition_complete(p, j, p->c->phit, w);
    if (!p->c->m->ncurved) return HK_OK;
    if (D)
      hki_partition_from_rates(p, w, NULL, p->dv);
    else
      memcpy(p->dv, w, (size_t)p->n * sizeof *w);
    for (int32_t i = 0; i < p->n; i++) size = fmax(size, fabs(p->dv[i] - p->v[i]) / p->c->scale[i]);
    memcpy(p->v, p->dv, (size_t)p->n * sizeof *w);
    if (!isfinite(size)) return HK_RETRY;
    hki_bodies_state(p->c, p->st.t, p->q, p->v);
    hki_bodies_rows(p->c);
    if (hki_partition_factor(p, j, D) != HK_OK) return HK_RETRY;
    const double top = 1.0 + hki_partition_size(p, p->v);
    if (size <= 1e-14 * top || (size < 1e-9 * top && size > 0.5 * last))
      return p->two && !D ? hki_partition_factor(p, &p->chart, p->D) : HK_OK;
    last = size;
  }
  return HK_RETRY;
}

void hki_partition_keep_rates(hk_partition *p) {
  for (int32_t k = 0, t = 0; p->nrate && k < p->rank; k++) {
    if (!p->late[p->rows[k]]) continue;
    memcpy(p->rate_C + (size_t)t++ * (size_t)p->n, p->vel.M + (size_t)p->rows[k] * (size_t)p->n,
           (size_t)p->n * sizeof *p->rate_C);
  }
}

void hki_partition_follow(hk_partition *p, const double *w) {
  const hk_stage *st = &p->st;
  if (!p->nrate) return;
  for (int32_t i = 0; i < p->n; i++) p->dv[i] = p->D[i] - (w[i] - st->vh[i]) / st->cv;
  rows_of(p, p->dv, p->rate_y);
  for (int32_t k = 0, t = 0; k < p->rank; k++)
    if (p->late[p->rows[k]])
      p->c->phi[p->rows[k]] = p->rate_y[t++] / hki_partition_row_scale(p, p->rows[k]);
}

/* out = e(d); bv: what velocities leave open in the rows, or NULL */
static void gap(hk_partition *p, const double *d, const double *bv, double *out) {
  hki_partition_velocity_column(p, d, bv);
  for (int32_t i = 0; i < p->n; i++) p->dv[i] = d[i] - p->dw[i] / p->st.cv;
  rows_of(p, p->dv, out);
}

/* N, and e(N) factorised; returns the number of its columns, 0 where it is singular */
static int32_t free_directions(hk_partition *p) {
  const int32_t n = p->n, ld = hki_dense_ld(p->nrate);
  int32_t count = 0;
  memset(p->rate_E, 0, (size_t)ld * (size_t)p->nrate * sizeof *p->rate_E);
  for (int32_t k = 0; k < p->rank; k++) {
    const int32_t row = p->rows[k];
    double *N = p->rate_N + (size_t)count * (size_t)n;
    if (!p->late[row]) continue;
    memset(p->b, 0, (size_t)p->m * sizeof *p->b);
    memset(N, 0, (size_t)n * sizeof *N);
    p->b[row] = -1.0 / hki_partition_row_scale(p, row);
    hki_partition_complete(p, &p->chart, p->b, N);
    gap(p, N, NULL, p->rate_E + (size_t)count++ * (size_t)ld);
  }
  const hk_status st =
      hki_dense_lu_factor(count, p->rate_E, ld, p->rate_pivot, p->rate_inv, p->work, NULL);
  return st == HK_OK ? count : 0;
}

/* d -= N e(N)^-1 y; y is overwritten */
static void close_gap(hk_partition *p, double *y, double *d) {
  hki_dense_lu_solve(p->rate_count, p->rate_E, hki_dense_ld(p->nrate), p->rate_pivot, p->rate_inv,
                     y, p->work);
  for (int32_t t = 0; t < p->rate_count; t++)
    for (int32_t i = 0; i < p->n; i++)
      d[i] -= p->rate_N[(size_t)t * (size_t)p->n + (size_t)i] * y[t];
}

void hki_partition_along(hk_partition *p) {
  const int32_t n = p->n;
  p->along = p->chart.P;
  p->rate_count = 0;
  if (!p->nrate || !p->f) return;
  p->along = p->rate_P;
  memcpy(p->rate_P, p->chart.P, (size_t)n * (size_t)p->f * sizeof *p->rate_P);
  p->rate_count = free_directions(p);
  for (int32_t j = 0; p->rate_count && j < p->f; j++) {
    double *d = p->rate_P + (size_t)j * (size_t)n;
    gap(p, d, NULL, p->rate_y);
    close_gap(p, p->rate_y, d);
  }
}

double hki_partition_open_stage(hk_partition *p, const double *bv, double *x) {
  const double open = hki_partition_open(p, &p->chart, x);
  if (!p->nrate || !p->rate_count) return open;
  gap(p, x, bv, p->rate_y);
  for (int32_t k = 0, t = 0; k < p->rank; k++)
    if (p->late[p->rows[k]]) p->rate_y[t++] += hki_partition_scaled_row(p, k, p->c->phi);
  close_gap(p, p->rate_y, x);
  return open;
}

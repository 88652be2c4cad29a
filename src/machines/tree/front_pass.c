/* SPDX-License-Identifier: Apache-2.0
 *
 * front_pass.c: rows of forces in the fronts, and their factors and solutions; equations in front.h.
 */
#include "machines/tree/front_impl.h"

/* pivots of rows below this part of their own entry are none */
static const double least_pivot = 1e-13;

/* --- forces ----------------------------------------------------------------------------------- */

static int32_t rows_of(const hk_front *f, int32_t i) {
  return f->force0[i] < 0 ? 0 : f->m->forces[i].ops->rank;
}

void hki_front_forces(hk_front *f, const hk_tree *s, double cC, double cK) {
  const hk_kin *kin = &s->kin;
  HK_KNOWN(kin, HK_KIN_TANGENTS);
  for (int32_t i = 0; f->nB && i < f->m->nf; i++) {
    const int32_t rows = rows_of(f, i), n = f->m->forces[i].path.n;
    const hk_force_row *row = &kin->row[i];
    double *k = f->k + 36 * i, *B = f->B + f->force0[i];
    for (int32_t r = 0; r < rows; r++)
      for (int32_t c = 0; c < rows; c++)
        k[6 * r + c] = r < row->rank && c < row->rank
                           ? 0.5 * (cK * (row->ks[6 * r + c] + row->ks[6 * c + r]) +
                                    cC * (row->cs[6 * r + c] + row->cs[6 * c + r]))
                           : 0.0;
    for (int32_t r = 0; r < rows; r++)
      for (int32_t j = 0; j < n; j++) {
        double sum = 0.0;
        for (int32_t c = 0; c < row->rank; c++) sum += k[6 * r + c] * kin->fz[row->z0 + c * n + j];
        B[r * n + j] = sum;
      }
  }
}

void hki_front_forces_off(hk_front *f) {
  memset(f->B, 0, (size_t)f->nB * sizeof *f->B);
  if (f->nB) memset(f->k, 0, 36 * (size_t)f->m->nf * sizeof *f->k);
}

void hki_front_add_forces(const hk_front *f, const hk_tree *s, const double *x, double *y) {
  for (int32_t i = 0; f->nB && i < f->m->nf; i++) {
    const hk_path *p = &f->m->forces[i].path;
    const hk_force_row *row = &s->kin.row[i];
    const double *B = f->B + f->force0[i];
    for (int32_t r = 0; rows_of(f, i) && r < row->rank; r++) {
      double sum = 0.0;
      for (int32_t j = 0; j < p->n; j++) sum += B[r * p->n + j] * x[p->dof[j]];
      for (int32_t j = 0; j < p->n; j++) y[p->dof[j]] += s->kin.fz[row->z0 + r * p->n + j] * sum;
    }
  }
}

void hki_front_add_diagonal(const hk_front *f, const hk_tree *s, double *y) {
  for (int32_t i = 0; f->nB && i < f->m->nf; i++) {
    const hk_path *p = &f->m->forces[i].path;
    const hk_force_row *row = &s->kin.row[i];
    const double *B = f->B + f->force0[i];
    for (int32_t r = 0; rows_of(f, i) && r < row->rank; r++)
      for (int32_t j = 0; j < p->n; j++)
        y[p->dof[j]] += s->kin.fz[row->z0 + r * p->n + j] * B[r * p->n + j];
  }
}

/* --- factors and solutions -------------------------------------------------------------------- */

/* rows that are off, and what counts as no pivot of those of forces */
static void set_rows(hk_front *f, const hk_tree *s) {
  const hk_model *m = f->m;
  for (int32_t c = 0; c < m->nc; c++)
    for (int32_t r = m->closures[c].row0; r < m->closures[c].row0 + m->closures[c].nrows; r++) {
      f->on[r] = s->kin.disc.active[c];
      f->least[r] = 0.0;
      if (f->on[r] == 0.0) f->weight[r] = 1.0;
    }
  for (int32_t i = 0; i < f->nblock; i++) {
    const hk_front_block *b = &f->block[i];
    for (int32_t r = 0; r < b->rows; r++) {
      f->on[b->row + r] = 1.0;
      f->least[b->row + r] = least_pivot * fabs(f->k[36 * b->force + 7 * r]);
    }
  }
}

hk_status hki_front_factor(hk_front *f, const hk_tree *s, const hk_aba *aba, const double *gz,
                           const double *E) {
  HK_KNOWN(&s->kin, HK_KIN_POSITIONS);
  f->soft = -1;
  set_rows(f, s);
  memcpy(f->S, s->kin.S, 6 * (size_t)f->m->nv * sizeof *f->S);
  f->passes->factor(f, &s->kin, aba, gz, E);
  return f->soft >= 0 ? HK_E_SINGULAR : HK_OK;
}

void hki_front_solve(hk_front *f, double *x) { f->passes->solve(f, x); }

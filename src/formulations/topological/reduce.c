/* SPDX-License-Identifier: Apache-2.0
 *
 * reduce.c: the reduced matrix R2' T R2, block by block.
 *
 *   R_a' T_ab R_b        between groups a and b, R: R2 of a group
 *   R_a' T_as            between group a and single coordinates s
 *   T_ss                 between single coordinates
 */
#include "formulations/topological/topological.h"

/* B = entries of T at n slots; slots below zero are structural zeros */
static void gather(const double *val, const int32_t *slot, int32_t n, double *B) {
  for (int32_t i = 0; i < n; i++) B[i] = slot[i] >= 0 ? val[slot[i]] : 0.0;
}

/* Y = R' B, (n - rank) x nb */
static void left(const hk_topological_group *g, const double *B, int32_t nb, double *Y) {
  const int32_t f = g->n - g->rank;
  memset(Y, 0, (size_t)f * (size_t)nb * sizeof *Y);
  for (int32_t i = 0; i < g->n; i++)
    for (int32_t j = 0; j < f; j++) {
      double r = g->R[i * f + j];
      if (r == 0.0) continue;
      for (int32_t k = 0; k < nb; k++) Y[j * nb + k] += r * B[i * nb + k];
    }
}

/* entry k of a row Y of the left product, times R */
static double right(const hk_topological_group *g, const double *Y, int32_t k) {
  const int32_t f = g->n - g->rank;
  double sum = 0.0;
  for (int32_t i = 0; i < g->n; i++) sum += Y[i] * g->R[i * f + k];
  return sum;
}

static void add_pair(hk_topological *t, const hk_topological_pair *p) {
  const hk_topological_group *a = &t->group[p->a], *b = p->b >= 0 ? &t->group[p->b] : NULL;
  const int32_t nb = p->nb, fa = a->n - a->rank, *slot = t->slot_reduced + p->at;
  const int32_t *ia = a->cols + a->rank;
  double *val = t->num.val;
  if (!fa || (b && b->n == b->rank)) return;
  gather(t->s->num.val, t->slot_full + p->at, a->n * nb, t->B);
  left(a, t->B, nb, t->Y);
  if (!b) {
    for (int32_t j = 0; j < fa; j++)
      for (int32_t k = 0; k < nb; k++) val[slot[ia[j] * nb + k]] = t->Y[j * nb + k];
    return;
  }
  const int32_t fb = b->n - b->rank, *ib = b->cols + b->rank;
  for (int32_t j = 0; j < fa; j++)
    for (int32_t k = 0; k < (a == b ? j + 1 : fb); k++)
      val[slot[ia[j] * nb + ib[k]]] = right(b, t->Y + j * nb, k);
}

void hki_topological_assemble(hk_topological *t) {
  double *val = t->num.val;
  const double *full = t->s->num.val;
  if (!t->clean) hki_ldl_zero(t->reduced, &t->num);
  t->clean = true;
  for (int32_t i = 0; i < t->ncopy; i++) val[t->copy_reduced[i]] = full[t->copy_full[i]];
  for (int32_t i = 0; i < t->npair; i++) add_pair(t, &t->pair[i]);
  for (int32_t gi = 0; gi < t->ngroup; gi++) {
    const hk_topological_group *g = &t->group[gi];
    for (int32_t k = 0; k < g->rank; k++) val[t->diag[g->col[g->cols[k]]]] = 1.0;
  }
}

hk_status hki_topological_matrix(hk_topological *t) {
  hki_topological_assemble(t);
  return hki_ldl_factor(t->reduced, &t->num, t->num.val);
}

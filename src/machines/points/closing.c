/* SPDX-License-Identifier: Apache-2.0
 *
 * closing.c: rows of natural coordinates that single passes with the penalties hardly close, by conjugate residuals
 * (linalg/conjugate.h) with the factor of T.
 */
#include "machines/points/points.h"

/* y = T^-1 G' p, Bp = G y, with the G that T has been made of */
static void respond(void *with, const double *p, double *y, double *Bp) {
  hk_points *n = with;
  memset(y, 0, (size_t)n->n * sizeof *y);
  hki_points_add_factored(n, p, y);
  hki_ldl_solve(n->ldl, &n->num, y);
  hki_points_mul_factored(n, y, Bp);
}

hk_status hki_points_close_slow(hk_points *n, double c, double f, double *row, double *x) {
  hk_conjugate *k = &n->slow;
  k->with = n;
  k->respond = respond;
  for (int32_t i = 0; i < n->nrows; i++) k->w[i] = c * n->alpha[i];
  const hk_status st = hki_conjugate_close(k, row, x);
  for (int32_t i = 0; f != 0.0 && i < n->nrows; i++) n->lam[i] += f * k->z[i];
  return st;
}

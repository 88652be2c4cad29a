/* SPDX-License-Identifier: Apache-2.0
 *
 * closing.c: rows of natural coordinates that single passes with the penalties hardly close, by conjugate gradients
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

const double *hki_points_close_slow(hk_points *n, double c, double *row, double *x) {
  hk_conjugate *k = &n->slow;
  k->with = n;
  k->respond = respond;
  for (int32_t i = 0; i < n->nrows; i++) k->w[i] = c * n->alpha[i];
  hki_conjugate_close(k, row, x);
  return k->z;
}

bool hki_points_is_slow(const hk_points *n, double left, const double *x) {
  return left > HK_POINTS_SLOW * HK_POINTS_CLOSED * (1.0 + hki_points_size(n, x));
}

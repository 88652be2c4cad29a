/* SPDX-License-Identifier: Apache-2.0
 *
 * closing.c: rows of the loops that single passes with the penalties hardly close, by conjugate residuals
 * (linalg/conjugate.h) with the factor of T.
 */
#include "machines/tree/tree.h"

/* y = T^-1 G' p, Bp = G y, with the G that T has been made of */
static void respond(void *with, const double *p, double *y, double *Bp) {
  hk_tree *s = with;
  memset(y, 0, (size_t)s->m->nv * sizeof *y);
  hki_tree_add_factored(s, p, y);
  hki_tree_solve(s, y);
  hki_tree_rows_factored(s, y, Bp);
}

hk_status hki_tree_close_by(hk_tree *s, hk_respond *answer, void *with, double c, double f,
                            double *row, double *x) {
  hk_conjugate *k = &s->slow;
  k->with = with;
  k->respond = answer;
  memset(k->w, 0, (size_t)s->m->nrows * sizeof *k->w);
  for (int32_t ci = 0; ci < s->m->nc; ci++) {
    const hk_closure *cl = &s->m->closures[ci];
    for (int32_t i = cl->row0; s->kin.disc.active[ci] != 0.0 && i < cl->row0 + cl->nrows; i++)
      k->w[i] = c * s->alpha[i];
  }
  const hk_status st = hki_conjugate_close(k, row, x);
  for (int32_t i = 0; f != 0.0 && i < s->m->nrows; i++) s->lam[i] += f * k->z[i];
  return st;
}

hk_status hki_tree_close_slow(hk_tree *s, double c, double f, double *row, double *x) {
  return hki_tree_close_by(s, respond, s, c, f, row, x);
}

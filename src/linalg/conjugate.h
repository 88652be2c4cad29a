/* SPDX-License-Identifier: Apache-2.0
 *
 * conjugate.h: rows of constraints that nearly depend on each other, closed by conjugate gradients.
 *
 * A solution with T = T0 + G' w G (w: penalties, a diagonal) takes the rows r from r to
 *
 *   r - B w r,   B = G T^-1 G',   eigenvalues of w B: m/(1 + m),   m: those of w G T0^-1 G'
 *
 * Penalties of 1e5 times the inertia make m large, and one solution leaves next to nothing. Rows that nearly depend on
 * each other have small m too: in a tall stack of like stages they fall with the fourth power of the height, as the stiffness
 * of a beam does, and the same rows stay open pass after pass. They are few. Conjugate gradients on
 *
 *   B z = r,   preconditioned by w,
 *
 * find each of them with about one more solution, where the factor of T is at hand. Then x = -T^-1 G' z closes the rows, and
 * the multipliers mu of T0 x + G' mu = 0 are
 *
 *   mu = z - w (r - r'),   r': the rows that are left
 *
 * Rows that depend on others wholly stay as they are.
 *
 * Source: Hestenes and Stiefel 1952; augmented Lagrangians as a preconditioner: Fortin and Glowinski 1983.
 */
#ifndef HKI_LINALG_CONJUGATE_H
#define HKI_LINALG_CONJUGATE_H

#include "base/base.h"

/* y = T^-1 G' p (nv), Bp = G y (rows) */
typedef void hk_respond(void *with, const double *p, double *y, double *Bp);

typedef struct hk_conjugate {
  int32_t rows, nv;
  void *with;
  hk_respond *respond;
  double *w;         /* rows: penalties as T has them; 0: a row that is off */
  double *z, *p, *q; /* rows: scratch; z: the solution */
  double *y;         /* nv: scratch */
} hk_conjugate;

/* memory of w, z, p, q, y for `rows` and `nv`; called twice */
void hki_conjugate_layout(hk_conjugate *k, int32_t rows, int32_t nv, hk_arena *a);

/* row: r, replaced by r'. x -= T^-1 G' z; k->z: mu. Returns the number of solutions. */
int32_t hki_conjugate_close(hk_conjugate *k, double *row, double *x);

#endif

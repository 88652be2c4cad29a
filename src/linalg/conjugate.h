/* SPDX-License-Identifier: Apache-2.0
 *
 * conjugate.h: rows of constraints that nearly depend on each other, closed by conjugate residuals.
 *
 * A solution with T = T0 + G' w G (w: penalties, a diagonal) takes the rows r from r to
 *
 *   r - B w r,   B = G T^-1 G',   eigenvalues of B w: m/(1 + m),   m: those of G T0^-1 G' w
 *
 * Penalties of 1e5 times the inertia make m large, and one solution leaves next to nothing. Rows that nearly depend on
 * each other have small m too: those of a tall stack of like stages fall with its height, and what is open along
 * them stays open pass after pass. Such directions are few. Conjugate residuals on
 *
 *   B z = r,   preconditioned by w,
 *
 * find each of them with about one more solution, where the factor of T is at hand. Then x = -T^-1 G' z closes the rows, and
 * the multipliers mu of T0 x + G' mu = 0 are
 *
 *   mu = z - w (r - r'),   r': the rows that are left
 *
 * r' w r' falls with each solution, also where rows depend on others wholly and contradict them: their part stays as it is.
 * (Conjugate gradients, which minimise another norm, diverge there.)
 *
 * Source: Stiefel 1955; augmented Lagrangians as a preconditioner: Fortin and Glowinski 1983.
 */
#ifndef HKI_LINALG_CONJUGATE_H
#define HKI_LINALG_CONJUGATE_H

#include "base/base.h"

/* Rows that are open by more than this times round-off after passes that hardly closed them, or by more than this share of
 * the correction that left them open, nearly depend on each other. Corrections leave other rows open by the change of
 * the multipliers over the penalties, about 1e-5 of themselves. */
#define HK_SLOW_TIMES 100.0
/* Rows that projections after a step leave open by more than this part of what they project are left to the audit: a step that has come so
 * far off near a singular position would be moved far along the direction that is singular. Jumps of velocities, from which no step
 * comes back, are closed wherever they lead. */
#define HK_SLOW_FAR   1e-7
#define HK_SLOW_SHARE 0.1

/* solutions at most; passes of a projection, which then goes on by conjugate residuals where it still closes rows */
enum { HK_SLOW_MOST = 200, HK_SLOW_AFTER = 6 };

/* Do the rows that a correction of scaled size `step` leaves open by `left` nearly depend on each other? closed: what counts as closed.
 * *before: what the correction before this one left, replaced by `left`. */
static inline bool hki_slow_after(double left, double step, double closed, double *before) {
  const bool halved = left <= 0.5 * *before;
  *before = left;
  return !halved && left > HK_SLOW_SHARE * step && left > HK_SLOW_TIMES * closed;
}

/* Programs that are made of a step leave such rows open, since how often the loop goes round depends on them. Those that
 * then differ from the library are refused when they are made. */
#ifdef HK_FOLLOWED
enum { HK_CLOSES_SLOW = 0 };
#else
enum { HK_CLOSES_SLOW = 1 };
#endif

/* Does a projection of something of scaled size `size` go on that has left rows open by `left` after so many passes, and by `before` a
 * pass earlier? *slow: from now on by conjugate residuals; at most so far, in parts of what is projected, except for rows that
 * passes do close, each a part. */
static inline bool hki_slow_goes_on(int passes, double left, double before, double size,
                                    double closed, double far, bool *slow) {
  if (left <= closed) return false;
  const bool halved = left <= 0.5 * before;
  if (halved && passes < HK_SLOW_AFTER) return true;
  if (!HK_CLOSES_SLOW || *slow) return false;
  return *slow = left > HK_SLOW_TIMES * closed && (halved || left <= far * (1.0 + size));
}
enum { HK_SLOW_PASSES = HK_SLOW_AFTER + 2 * HK_CLOSES_SLOW }; /* of a projection at most */

/* y = T^-1 G' p (nv), Bp = G y (rows) */
typedef void hk_respond(void *with, const double *p, double *y, double *Bp);

typedef struct hk_conjugate {
  int32_t rows, nv;
  void *with;
  hk_respond *respond;
  double *w;                 /* rows: penalties as T has them; 0: a row that is off */
  double *z, *p, *s, *q, *b; /* rows: the solution; direction, w r, B s, B p */
  double *y, *d;             /* nv: T^-1 G' s, T^-1 G' p */
} hk_conjugate;

/* memory of all vectors for `rows` and `nv`; called twice */
void hki_conjugate_layout(hk_conjugate *k, int32_t rows, int32_t nv, hk_arena *a);

/* row: r, replaced by r'. x -= T^-1 G' z; k->z: mu. HK_RETRY: the rows are still closing
 * after the most solutions, HK_SLOW_MOST. */
hk_status hki_conjugate_close(hk_conjugate *k, double *row, double *x);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * rotmap.h: the two matrices through which a rotation vector t enters the strains of a beam, and their
 * derivatives. With z = |t|, y = z^2:
 *
 *   M(t) = I - c1 [t] + c2 [t]^2
 *
 *   exp(-t)             c1 = f1, c2 = f2       turns a vector back
 *   Jr(t)               c1 = f2, c2 = f3       right Jacobian of the exponential map
 *   f1 = sin z/z        f2 = (1 - cos z)/y     f3 = (z - sin z)/z^3
 *
 *   d(M v)/dt     = -2c1' (t x v) t' + c1 [v] + 2c2' (t x (t x v)) t' + c2 ((t.v) I + t v' - 2 v t')
 *   d(M' n)/dt    =  2c1' (t x n) t' - c1 [n] + 2c2' (t x (t x n)) t' + c2 ((t.n) I + t n' - 2 n t')
 *   d2(n.M v)/dt2 = -(2c1' r I + 4c1'' r t t' + 2c1' (t k' + k t'))
 *                   + 2c2' q I + 4c2'' q t t' + 2c2' (t e' + e t') + c2 (n v' + v n' - 2 (n.v) I)
 *   k = v x n,  r = t.k,  q = (t.n)(t.v) - y n.v,  e = n (t.v) + v (t.n) - 2 t (n.v)
 *
 * where ' after c is d/dy, after a vector the transpose.
 *
 * Source: the exponential map of rotations and its differential, as in Simo and Vu-Quoc, A
 * three-dimensional finite-strain rod model, part II, 1986.
 */
#ifndef HK_ELEMENTS_ROTMAP_H
#define HK_ELEMENTS_ROTMAP_H

#include "geometry/geometry.h"

typedef struct hk_rotmap {
  double t[3], y;
  double c1, c2; /* then first and second derivatives in y */
  double d1, d2, b1, b2;
} hk_rotmap;

typedef enum hk_rotmap_kind { HK_ROTMAP_BACK = 1, HK_ROTMAP_JACOBIAN = 2 } hk_rotmap_kind;

void hki_rotmap(hk_rotmap *u, hk_rotmap_kind kind, const double *t);
void hki_rotmap_matrix(const hk_rotmap *u, double *M);                      /* M */
void hki_rotmap_slope(const hk_rotmap *u, const double *v, double *D);      /* d(M v)/dt */
void hki_rotmap_slope_back(const hk_rotmap *u, const double *n, double *D); /* d(M' n)/dt */
void hki_rotmap_bend(const hk_rotmap *u, const double *n, const double *v, double *H);

#endif

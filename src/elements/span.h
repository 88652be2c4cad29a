/* SPDX-License-Identifier: Apache-2.0
 *
 * span.h: the straight piece of a rope or belt between two pulleys, its length and the directions in
 * which it leaves them.
 *
 * A pulley is a frame: its origin p is the centre, z the axis. The signed radius a is positive where the
 * rope, on its way from A to B, turns about z in the positive sense (the pulley is on its left), negative
 * where it turns the other way, and 0 for a point. With d = pB - pA, c = b - a and, in the axes of each
 * end, X = x . d, Y = y . d:
 *
 *   l     = sqrt(d . d - c^2)                              length between the points of contact
 *   phi   = atan2(Y, X) - asin(c/sqrt(X^2 + Y^2))          direction of the rope in the axes of an end
 *   s     = l + a phi_A - b phi_B                          what counts: ds is zero where the rope only
 *                                                          rolls from the pulleys into the span
 *
 * Between parallel pulleys in one plane this is exact. A rope that leaves the plane by an offset or by
 * axes that are not parallel keeps a length and a potential; what is left out is of second order in
 * that angle.
 *
 * A rope over many pulleys has the length sum of all s, since phi of the span behind a pulley less that
 * of the span before it is the angle that it wraps; the rotation of the pulley itself drops out. A belt
 * that does not slip stretches by the change of s of each span, in which it does not.
 */
#ifndef HK_ELEMENTS_SPAN_H
#define HK_ELEMENTS_SPAN_H

#include "elements/tangent.h"

/* shorter than this a span has no direction, m */
#define HK_SPAN_SHORTEST 1e-12

typedef struct hk_span {
  double l, phi[2]; /* phi: between -pi and pi of the raw direction; 0 at points */
  double g[12];     /* ds/dxi */
  double
      H[12 * HK_BS]; /* second derivatives of s by rotation vectors and displacements, symmetric */
} hk_span;

/* second: H too. False: there is no such line, the pulleys overlap or the point is inside the pulley;
 * all numbers are then 0. */
bool hki_span_eval(const hk_frame *A, const hk_frame *B, double a, double b, bool second,
                   hk_span *out);

/* phi nearest to another angle */
double hki_span_near(double phi, double near);

/* tangents of the wrench w = -T g of one deformation s with n = 6 nmark coordinates, T(s, s') with the
 * slopes ks, cs: K +=, and C += where it is wanted. Rows of H are sh apart, those of K and C `stride`.
 * V: twists. */
void hki_span_tangent(int n, const double *g, const double *H, int sh, const double *V, double T,
                      double ks, double cs, double *K, double *C, int stride);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * relative.h: the pose of marker B seen from marker A as six deformations s = (x, phi) in A's axes, for
 * bushings and beams:
 *
 *   x   = R_A'(pB - pA)
 *   phi = log(R_A' R_B)
 *
 * With d = pB - pA, rotations thA, thB of the markers and L the inverse of the left Jacobian of the
 * exponential map:
 *
 *   dx   = R_A'(dpB - dpA + [d] thA)
 *   dphi = L R_A'(thB - thA)
 *   L    = I - [phi]/2 + c [phi]^2
 *   c(y) = (1 - (z/2) cot(z/2))/y                     y = z^2 = |phi|^2
 *
 * for rotations below a full turn. The logarithm jumps at half a turn: phi is the one of its values that
 * lies nearest to a given one.
 */
#ifndef HK_ELEMENTS_RELATIVE_H
#define HK_ELEMENTS_RELATIVE_H

#include "base/base.h"
#include "geometry/frame.h"

/* deformations, rates, and data for the tangents */
typedef struct hk_relative {
  double d[3], u[3], wr[3]; /* world axes: pB - pA; its rate seen from A; wB - wA */
  double s[6], sd[6];
  double y[3];  /* wr in A's axes */
  double L[9];  /* Jl^-1(phi) */
  double c, c1; /* c and dc/dy */
} hk_relative;

/* near: see hki_rot_log_near (pair.h) */
void hki_relative(const hk_frame *A, const hk_frame *B, const double *near, hk_relative *out);
/* rows of B = ds/dxi and of P = d(sd)/dxi (NULL: not wanted), 6 x 12 each */
void hki_relative_rows(const hk_relative *r, const hk_frame *A, double *B, double *P);
/* K (12 x 12) += d(B'f)/dxi at fixed f */
void hki_relative_geometric(const hk_relative *r, const hk_frame *A, const double *f, double *K);

#endif

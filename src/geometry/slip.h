/* SPDX-License-Identifier: Apache-2.0
 *
 * slip.h: the velocity by which the surfaces of two bodies slide at the point where they touch, along
 * one direction, and its gradient at the markers A and B of these bodies (moment, force; world axes):
 *
 *   u = row . (wA, vA, wB, vB)
 */
#ifndef HK_GEOMETRY_SLIP_H
#define HK_GEOMETRY_SLIP_H

#include "geometry/frame.h"

typedef struct hk_slip {
  double u, row[12];
  double
      H[12 * 12]; /* row-major: derivative of `row` by the poses of both markers, where asked for */
} hk_slip;

/* par: of the joint; exact: H too */
typedef void hk_slip_fn(const void *par, const hk_frame *A, const hk_frame *B, bool exact,
                        hk_slip *out);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * spline.h: slopes and second derivatives for smooth (C2) curves through points.
 */
#ifndef HK_EXPR_SPLINE_H
#define HK_EXPR_SPLINE_H

#include "base/base.h"

/* what closes the equations of a spline at its ends */
typedef enum hk_spline_ends {
  HK_ENDS_NOT_A_KNOT, /* one cubic through the first three points, and one through the last three */
  HK_ENDS_NATURAL,    /* second derivative 0 */
  HK_ENDS_CLAMPED,    /* slopes given */
  HK_ENDS_PERIODIC,   /* the last point is the first one, a period later */
  HK_ENDS_CURVATURE   /* second derivatives given */
} hk_spline_ends;

/* m (n): slopes at the points of the cubic spline through x (n, ascending), y (n).
 * end: slopes or second derivatives at the first and the last point, where `ends` says so.
 * Points: at least 1; HK_ENDS_PERIODIC at least 4, with y[0] = y[n - 1]. work: 3n numbers. */
void hki_spline_slopes(int32_t n, const double *x, const double *y, hk_spline_ends ends,
                       const double end[2], double *m, double *work);

/* c (6): y = c0 + c1 s + ... + c5 s^5 on 0 <= s <= h with value, slope and second derivative
 * from[3] at 0 and to[3] at h */
void hki_quintic(double h, const double from[3], const double to[3], double c[6]);

#endif

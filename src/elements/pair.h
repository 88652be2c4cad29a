/* SPDX-License-Identifier: Apache-2.0
 *
 * pair.h: two markers seen from half-way between them, for joints that are the same whichever marker is
 * the first, and for helicoidal beams.
 *
 *   theta = log(R1'R2)               Rm = R1 exp(theta/2),  x = Rm'(p2 - p1),  z = |theta|, y = z^2
 *   u     = A x                      A = I + a [theta]^2,   a = (1 - (z/2)/sin(z/2))/y
 *
 * theta has the same components in the axes of both markers and of the middle. (theta, u) is the
 * logarithm of the motion from marker 1 to marker 2 as a screw, split evenly between them.
 *
 * With be = Rm'(th2 - th1), mu = Rm'(th1 + th2)/2 of rotations th1, th2 of the markers:
 *
 *   dtheta = A be                    dm = mu - b theta x be         rotation of Rm, b = tan(z/4)/(2z)
 *   dx     = Rm'(dp2 - dp1) + x x dm
 *   D(v)   = d(A v)/dtheta           H(x, f) = d2(f.A x)/dtheta2
 *   du     = A dx + D(x) dtheta
 *
 * Forces (m, F) that belong to (theta, x), and the wrenches:
 *
 *   g = F x x,  o = A m + b theta x g
 *   marker 1: -(Rm (g/2 - o), -Rm F)   marker 2: -(Rm (g/2 + o), Rm F)
 *
 * Forces (ms, fs) that belong to (theta, u) are m = ms + D(x)'fs, F = A fs.
 *
 * A, b and all that is made of them are smooth up to z = 2 pi, beyond the half turn at which the
 * logarithm jumps: theta is the one of its values that lies nearest to a given one.
 *
 * Sources: Borri and Bottasso, An intrinsic beam model based on a helicoidal approximation, part I,
 * 1994; Merlini and Morandini, The helicoidal modeling in computational finite elasticity, 2004;
 * Masarati and Morandini, Intrinsic deformable joints, 2010. Wrenches and tangents by virtual work.
 */
#ifndef HK_ELEMENTS_PAIR_H
#define HK_ELEMENTS_PAIR_H

#include "base/base.h"
#include "geometry/frame.h"

enum { HK_PAIR_N = 12 }; /* coordinates of two markers: columns of all rows */

typedef struct hk_pair {
  double Rm[9], th[3], x[3];
  double a, a1, a2, b, b1; /* a, b and their derivatives in y */
  double A[9];
  double thd[3], xd[3];              /* rates */
  double yy[3], ob[3], vr[3], om[3]; /* Rm'(w2 - w1), Rm'(w1 + w2)/2, Rm'(v2 - v1); spin of Rm */
  double u[3], ud[3], Dx[9];         /* with hki_pair_screw */
} hk_pair;

/* variations by those of the markers, 3 x 12 each; m: rotation of Rm in its own axes */
typedef struct hk_pair_rows {
  double th[3 * HK_PAIR_N], m[3 * HK_PAIR_N], x[3 * HK_PAIR_N];
} hk_pair_rows;

/* the rotation vector of R that lies nearest to `near`; NULL: the shortest */
void hki_rot_log_near(double *th, const double *R, const double *near);

/* deformations (theta, x) and rates of the markers m[0], m[1] */
void hki_pair(const hk_frame *m, const double *near, hk_pair *p);
/* u, ud, D(x) */
void hki_pair_screw(hk_pair *p);
void hki_pair_rows_of(const hk_pair *p, hk_pair_rows *r);
/* derivatives of thd and xd at fixed twists */
void hki_pair_rate_rows(const hk_pair *p, const hk_pair_rows *r, double *thd, double *xd);
/* rows of u; of ud, where thd and xd are those of hki_pair_rate_rows */
void hki_pair_screw_rows(const hk_pair *p, const hk_pair_rows *r, double *u);
void hki_pair_screw_rate_rows(const hk_pair *p, const hk_pair_rows *r, const double *thd,
                              const double *xd, double *ud);

/* wrenches w (12) of forces (m, F) that belong to (theta, x) */
void hki_pair_wrench(const hk_pair *p, const double *m, const double *F, double *w);
/* K (12 x 12) += d(B'f)/dxi of forces (m, F) that change by dm, dF (3 x 12; NULL: fixed) */
void hki_pair_geometric(const hk_pair *p, const hk_pair_rows *r, const double *m, const double *F,
                        const double *dm, const double *dF, double *K);
/* forces f = (ms, fs) that belong to (theta, u) as (m, F); how these change at fixed f */
void hki_pair_screw_forces(const hk_pair *p, const double *f, double *m, double *F);
void hki_pair_screw_force_rows(const hk_pair *p, const hk_pair_rows *r, const double *f, double *dm,
                               double *dF);
/* K rows `at` += Rm (dv - [v] dm): v in the axes of the middle, dv its change there */
void hki_pair_put(const hk_pair *p, const hk_pair_rows *r, const double *v, const double *dv,
                  int at, double *K);

/* Y += f A X of 3 x 12 rows; Y += f [v] X */
void hki_rows_add(double f, const double *A, const double *X, double *Y);
void hki_rows_cross(double f, const double *v, const double *X, double *Y);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * rotlog.h: the rotation vector f = log(A'B) of frame B seen from frame A, in A axes, with its
 * derivatives. With w the angular velocity of B relative to A in A axes:
 *
 *   df/dt = J w
 *   J(f)  = I - [f]/2 + k(|f|^2) [f]^2
 *   k(x)  = (1 - h cot h)/x              h = sqrt(x)/2
 *
 * J is the inverse of the left Jacobian of SO(3). |f| is at most pi, where J is regular (its pole
 * is at 2 pi).
 *
 * Source: Barfoot, State Estimation for Robotics (2017), ch. 7.
 */
#ifndef HK_JOINTS_ROTLOG_H
#define HK_JOINTS_ROTLOG_H

typedef struct hk_rotlog {
  double f[3];
  double J[9];
  double k, dk; /* k(x) and dk/dx at x = |f|^2 */
  double x;     /* |f|^2 */
} hk_rotlog;

/* from the rotation matrices of A and B */
void hki_rotlog(hk_rotlog *L, const double *RA, const double *RB);

/* y = (dJ/dt) x for df/dt = fd */
void hki_rotlog_rate(const hk_rotlog *L, const double *fd, const double *x, double *y);

/* z = derivative of that y in the direction df of f, with fd and x fixed: d2J/df2 (df, fd) x */
void hki_rotlog_bend(const hk_rotlog *L, const double *df, const double *fd, const double *x,
                     double *z);

/* D = d(J' lam)/df, 3 x 3 */
void hki_rotlog_geo(const hk_rotlog *L, const double *lam, double *D);

#endif

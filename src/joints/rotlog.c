/* SPDX-License-Identifier: Apache-2.0
 *
 * rotlog.c: rotation vector, the inverse left Jacobian of SO(3) and its derivatives; equations in
 * rotlog.h. The coefficients of the series of k are |B_2n|/(2n)!, B_2n the Bernoulli numbers.
 */
#include "joints/rotlog.h"

#include "geometry/geometry.h"

/* k(x) = (1 - h cot h)/x and its derivative, h = sqrt(x)/2; series below |f| = 1/2 */
static void coefficient(double x, double *k, double *dk) {
  static const double c[] = {1.0 / 12,           1.0 / 720,      1.0 / 30240,
                             1.0 / 1209600,      1.0 / 47900160, 691.0 / 1307674368000.0,
                             1.0 / 74724249600.0};
  if (x < 0.25) {
    double s = 0.0, d = 0.0;
    for (int i = 6; i >= 0; i--) {
      d = d * x + s;
      s = s * x + c[i];
    }
    *k = s, *dk = d;
    return;
  }
  double h = 0.5 * sqrt(x), sh = sin(h), cot = cos(h) / sh;
  *k = (1.0 - h * cot) / x;
  /* d(1 - h cot h)/dx = (h/sin^2 h - cot h) / (8 h) */
  *dk = ((h / (sh * sh) - cot) / (8.0 * h) - *k) / x;
}

void hki_rotlog(hk_rotlog *L, const double *RA, const double *RB) {
  double R[9], S[9];
  m3_tmul(R, RA, RB);
  rot_log(L->f, R);
  double x = v3_dot(L->f, L->f);
  L->x = x;
  coefficient(x, &L->k, &L->dk);
  /* [f]^2 = f f' - x I */
  m3_skew(S, L->f);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      L->J[3 * i + j] =
          (i == j ? 1.0 - L->k * x : 0.0) - 0.5 * S[3 * i + j] + L->k * L->f[i] * L->f[j];
}

void hki_rotlog_rate(const hk_rotlog *L, const double *fd, const double *x, double *y) {
  double fx[3], fdx[3], ffx[3];
  v3_cross(fx, L->f, x);
  v3_cross(fdx, fd, x);
  v3_cross(ffx, L->f, fx);
  v3_scale(y, -0.5, fdx);
  v3_axpy(y, 2.0 * L->dk * v3_dot(L->f, fd), ffx);
  /* k ([fd][f] + [f][fd]) x */
  double t[3];
  v3_cross(t, fd, fx);
  v3_cross_add(t, L->f, fdx);
  v3_axpy(y, L->k, t);
}

/* d2k/dx2 from the partial fractions of the cotangent,
 *   k = 2 sum over n >= 1 of 1/((2 pi n)^2 - x)
 * with the terms beyond `last` replaced by their integral */
static double second(double x) {
  enum { last = 30 };
  static const double four_pi2 = 39.478417604357434475;
  double y = x / four_pi2, sum = 1.0 / (5.0 * pow(last + 0.5, 5.0));
  for (int n = last; n > 0; n--) {
    double e = (double)n * n - y;
    sum += 1.0 / (e * e * e);
  }
  return 4.0 * sum / (four_pi2 * four_pi2 * four_pi2);
}

void hki_rotlog_bend(const hk_rotlog *L, const double *df, const double *fd, const double *x,
                     double *z) {
  const double *f = L->f;
  double fx[3], ffx[3], dx[3], gx[3], t[3];
  double fdf = v3_dot(f, df), ffd = v3_dot(f, fd);
  v3_cross(fx, f, x);
  v3_cross(ffx, f, fx);
  v3_cross(dx, df, x);
  v3_cross(gx, fd, x);
  v3_scale(z, 4.0 * second(L->x) * fdf * ffd + 2.0 * L->dk * v3_dot(df, fd), ffx);
  v3_cross(t, df, fx);
  v3_cross_add(t, f, dx);
  v3_axpy(z, 2.0 * L->dk * ffd, t);
  v3_cross(t, fd, fx);
  v3_cross_add(t, f, gx);
  v3_axpy(z, 2.0 * L->dk * fdf, t);
  v3_cross(t, fd, dx);
  v3_cross_add(t, df, gx);
  v3_axpy(z, L->k, t);
}

void hki_rotlog_geo(const hk_rotlog *L, const double *lam, double *D) {
  /* J' lam = lam + f x lam / 2 + k f x (f x lam); the k part of the derivative along e is
   * e x (f x lam) + f x (e x lam), whose matrix is -[f x lam] - [f][lam] */
  double fl[3], ffl[3], Sl[9], Sfl[9], SS[9], Sf[9];
  v3_cross(fl, L->f, lam);
  v3_cross(ffl, L->f, fl);
  m3_skew(Sl, lam);
  m3_skew(Sfl, fl);
  m3_skew(Sf, L->f);
  m3_mul(SS, Sf, Sl);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      D[3 * i + j] = -0.5 * Sl[3 * i + j] - L->k * (Sfl[3 * i + j] + SS[3 * i + j]) +
                     2.0 * L->dk * ffl[i] * L->f[j];
}

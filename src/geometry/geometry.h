/* SPDX-License-Identifier: Apache-2.0
 *
 * geometry.h: vectors, rotations, quaternions, spatial vectors and inertia, all inline.
 *
 * Conventions (docs/notation.md): matrices are row-major double[9]; quaternions are scalar first
 * (w x y z); R maps body axes to world axes; spatial vectors have the rotation part first: a twist
 * is (omega, v), a wrench is (moment, force), power is their plain dot product. Rotation
 * increments of free and spherical joints are body-fixed: R' = R exp(d).
 */
#ifndef HK_GEOMETRY_GEOMETRY_H
#define HK_GEOMETRY_GEOMETRY_H

#include <math.h>
#include <string.h>

/* --- 3-vectors -------------------------------------------------------------------------------- */

static inline void v3_set(double *r, double x, double y, double z) { r[0] = x, r[1] = y, r[2] = z; }
static inline void v3_copy(double *r, const double *a) { r[0] = a[0], r[1] = a[1], r[2] = a[2]; }
static inline void v3_zero(double *r) { r[0] = r[1] = r[2] = 0.0; }
static inline double v3_dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static inline void v3_add(double *r, const double *a, const double *b) {
  r[0] = a[0] + b[0], r[1] = a[1] + b[1], r[2] = a[2] + b[2];
}
static inline void v3_sub(double *r, const double *a, const double *b) {
  r[0] = a[0] - b[0], r[1] = a[1] - b[1], r[2] = a[2] - b[2];
}
static inline void v3_scale(double *r, double s, const double *a) {
  r[0] = s * a[0], r[1] = s * a[1], r[2] = s * a[2];
}
static inline void v3_axpy(double *r, double s, const double *a) {
  r[0] += s * a[0], r[1] += s * a[1], r[2] += s * a[2];
}
/* r = a x b; r may alias a or b */
static inline void v3_cross(double *r, const double *a, const double *b) {
  double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2],
         z = a[0] * b[1] - a[1] * b[0];
  r[0] = x, r[1] = y, r[2] = z;
}
/* r += a x b; r must not alias */
static inline void v3_cross_add(double *r, const double *a, const double *b) {
  r[0] += a[1] * b[2] - a[2] * b[1];
  r[1] += a[2] * b[0] - a[0] * b[2];
  r[2] += a[0] * b[1] - a[1] * b[0];
}
static inline double v3_norm(const double *a) { return sqrt(v3_dot(a, a)); }
/* normalise in place; returns the former length (0: left alone) */
static inline double v3_normalize(double *a) {
  double n = v3_norm(a);
  if (n > 0.0) v3_scale(a, 1.0 / n, a);
  return n;
}

/* --- 3x3 matrices, row-major ------------------------------------------------------------------ */

static inline void m3_identity(double *R) {
  memset(R, 0, 9 * sizeof *R);
  R[0] = R[4] = R[8] = 1.0;
}
/* r = A x; r must not alias x */
static inline void m3_mulv(double *r, const double *A, const double *x) {
  r[0] = A[0] * x[0] + A[1] * x[1] + A[2] * x[2];
  r[1] = A[3] * x[0] + A[4] * x[1] + A[5] * x[2];
  r[2] = A[6] * x[0] + A[7] * x[1] + A[8] * x[2];
}
/* r = A' x; r must not alias x */
static inline void m3_tmulv(double *r, const double *A, const double *x) {
  r[0] = A[0] * x[0] + A[3] * x[1] + A[6] * x[2];
  r[1] = A[1] * x[0] + A[4] * x[1] + A[7] * x[2];
  r[2] = A[2] * x[0] + A[5] * x[1] + A[8] * x[2];
}
/* C = A B; C must not alias */
static inline void m3_mul(double *C, const double *A, const double *B) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}
/* C = A' B; C must not alias */
static inline void m3_tmul(double *C, const double *A, const double *B) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      C[3 * i + j] = A[i] * B[j] + A[3 + i] * B[3 + j] + A[6 + i] * B[6 + j];
}
/* C = A B'; C must not alias */
static inline void m3_mult(double *C, const double *A, const double *B) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      C[3 * i + j] =
          A[3 * i] * B[3 * j] + A[3 * i + 1] * B[3 * j + 1] + A[3 * i + 2] * B[3 * j + 2];
}
static inline void m3_transpose(double *C, const double *A) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) C[3 * i + j] = A[3 * j + i];
}
/* C = R A R', the change of axes of a tensor */
static inline void m3_congruence(double *C, const double *R, const double *A) {
  double T[9];
  m3_mul(T, R, A);
  m3_mult(C, T, R);
}
static inline double m3_det(const double *A) {
  return A[0] * (A[4] * A[8] - A[5] * A[7]) - A[1] * (A[3] * A[8] - A[5] * A[6]) +
         A[2] * (A[3] * A[7] - A[4] * A[6]);
}
static inline void m3_column(double *r, const double *A, int j) {
  r[0] = A[j], r[1] = A[3 + j], r[2] = A[6 + j];
}
/* the matrix S with S x = a x x */
static inline void m3_skew(double *S, const double *a) {
  S[0] = 0, S[1] = -a[2], S[2] = a[1];
  S[3] = a[2], S[4] = 0, S[5] = -a[0];
  S[6] = -a[1], S[7] = a[0], S[8] = 0;
}

/* --- rotations -------------------------------------------------------------------------------- */

/* sin(x)/x, (1 - cos x)/x^2, (x - sin x)/x^3 of x^2, series below 1e-4 */
static inline void rot_series(double x2, double *a, double *b, double *c) {
  if (x2 < 1e-4) {
    *a = 1.0 - x2 * (1.0 / 6.0) * (1.0 - x2 * (1.0 / 20.0) * (1.0 - x2 * (1.0 / 42.0)));
    *b = 0.5 - x2 * (1.0 / 24.0) * (1.0 - x2 * (1.0 / 30.0) * (1.0 - x2 * (1.0 / 56.0)));
    *c = 1.0 / 6.0 - x2 * (1.0 / 120.0) * (1.0 - x2 * (1.0 / 42.0) * (1.0 - x2 * (1.0 / 72.0)));
  } else {
    double x = sqrt(x2), s = sin(x), h = sin(0.5 * x);
    *a = s / x;
    *b = 2.0 * h * h / x2;
    *c = (x - s) / (x * x2);
  }
}
/* R = exp(skew(d)) */
static inline void rot_exp(double *R, const double *d) {
  double a, b, c, x2 = v3_dot(d, d);
  rot_series(x2, &a, &b, &c);
  double xy = b * d[0] * d[1], xz = b * d[0] * d[2], yz = b * d[1] * d[2];
  R[0] = 1 - b * (d[1] * d[1] + d[2] * d[2]), R[1] = xy - a * d[2], R[2] = xz + a * d[1];
  R[3] = xy + a * d[2], R[4] = 1 - b * (d[0] * d[0] + d[2] * d[2]), R[5] = yz - a * d[0];
  R[6] = xz - a * d[1], R[7] = yz + a * d[0], R[8] = 1 - b * (d[0] * d[0] + d[1] * d[1]);
}
/* rotation by `angle` about the unit vector `axis` */
static inline void rot_axis(double *R, const double *axis, double angle) {
  double s = sin(angle), h = sin(0.5 * angle), b = 2.0 * h * h;
  double x = axis[0], y = axis[1], z = axis[2];
  R[0] = 1 - b * (y * y + z * z), R[1] = b * x * y - s * z, R[2] = b * x * z + s * y;
  R[3] = b * x * y + s * z, R[4] = 1 - b * (x * x + z * z), R[5] = b * y * z - s * x;
  R[6] = b * x * z - s * y, R[7] = b * y * z + s * x, R[8] = 1 - b * (x * x + y * y);
}
/* A = R diag(a) R' of a symmetric A, by rotations in the planes of two axes that each make the entry
 * of that plane zero (C. G. J. Jacobi 1846; the stable formula for t = tan of the angle: G. H. Golub,
 * C. F. Van Loan, Matrix Computations, section 8.5). A becomes diag(a), R has the axes as columns. */
static inline void m3_eigen_symmetric(double *A, double *R) {
  m3_identity(R);
  for (int sweep = 0; sweep < 30; sweep++) {
    for (int p = 0; p < 2; p++) {
      for (int q = p + 1; q < 3; q++) {
        const double off = A[3 * p + q];
        if (off == 0.0) continue;
        const double th = 0.5 * (A[4 * q] - A[4 * p]) / off;
        const double t = (th < 0.0 ? -1.0 : 1.0) / (fabs(th) + sqrt(th * th + 1.0));
        const double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
        for (int k = 0; k < 3; k++) {
          double x = A[3 * k + p], y = A[3 * k + q];
          A[3 * k + p] = c * x - s * y, A[3 * k + q] = s * x + c * y;
          x = R[3 * k + p], y = R[3 * k + q];
          R[3 * k + p] = c * x - s * y, R[3 * k + q] = s * x + c * y;
        }
        for (int k = 0; k < 3; k++) {
          const double x = A[3 * p + k], y = A[3 * q + k];
          A[3 * p + k] = c * x - s * y, A[3 * q + k] = s * x + c * y;
        }
        A[3 * p + q] = A[3 * q + p] = 0.0;
      }
    }
  }
}
static inline void quat_identity(double *q) { q[0] = 1, q[1] = q[2] = q[3] = 0; }
static inline void quat_normalize(double *q) {
  double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const double scale = n > 0.0 ? 1.0 / n : 1.0;
  for (int i = 0; i < 4; i++) q[i] *= scale;
}
/* r = a b; r must not alias */
static inline void quat_mul(double *r, const double *a, const double *b) {
  r[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  r[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  r[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
  r[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}
static inline void quat_conj(double *r, const double *a) {
  r[0] = a[0], r[1] = -a[1], r[2] = -a[2], r[3] = -a[3];
}
/* q = exp(d/2): the unit quaternion of the rotation vector d */
static inline void quat_exp(double *q, const double *d) {
  double x2 = 0.25 * v3_dot(d, d), a, b, c;
  rot_series(x2, &a, &b, &c);
  q[0] = 1.0 - b * x2, q[1] = 0.5 * a * d[0], q[2] = 0.5 * a * d[1], q[3] = 0.5 * a * d[2];
}
/* the rotation vector of q, length at most pi */
static inline void quat_log(double *d, const double *q) {
  double s = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  double w = q[0], k;
  if (s < 1e-8)
    k = 2.0 / (w != 0.0 ? w : 1.0);
  else
    k = 2.0 * atan2(w < 0 ? -s : s, w < 0 ? -w : w) / s;
  v3_scale(d, k, q + 1);
}
/* q_out = q exp(d/2), normalised; q_out may alias q */
static inline void quat_plus(double *q_out, const double *q, const double *d) {
  double e[4], r[4];
  quat_exp(e, d);
  quat_mul(r, q, e);
  quat_normalize(r);
  memcpy(q_out, r, sizeof r);
}
/* d such that q1 = q0 exp(d/2) */
static inline void quat_minus(double *d, const double *q1, const double *q0) {
  double c[4], r[4];
  quat_conj(c, q0);
  quat_mul(r, c, q1);
  quat_log(d, r);
}
static inline void quat_to_rot(double *R, const double *q) {
  double w = q[0], x = q[1], y = q[2], z = q[3];
  R[0] = 1 - 2 * (y * y + z * z), R[1] = 2 * (x * y - w * z), R[2] = 2 * (x * z + w * y);
  R[3] = 2 * (x * y + w * z), R[4] = 1 - 2 * (x * x + z * z), R[5] = 2 * (y * z - w * x);
  R[6] = 2 * (x * z - w * y), R[7] = 2 * (y * z + w * x), R[8] = 1 - 2 * (x * x + y * y);
}
/* q of R with w >= 0, by the largest of the four components */
static inline void quat_from_rot(double *q, const double *R) {
  double t[4] = {R[0] + R[4] + R[8], R[0] - R[4] - R[8], R[4] - R[0] - R[8], R[8] - R[0] - R[4]};
  int k = 0;
  for (int i = 1; i < 4; i++)
    if (t[i] > t[k]) k = i;
  double s = 2.0 * sqrt(1.0 + t[k]);
  double a = R[7] - R[5], b = R[2] - R[6], c = R[3] - R[1];
  double xy = R[1] + R[3], xz = R[2] + R[6], yz = R[5] + R[7];
  q[k] = 0.25 * s;
  if (k == 0) q[1] = a / s, q[2] = b / s, q[3] = c / s;
  if (k == 1) q[0] = a / s, q[2] = xy / s, q[3] = xz / s;
  if (k == 2) q[0] = b / s, q[1] = xy / s, q[3] = yz / s;
  if (k == 3) q[0] = c / s, q[1] = xz / s, q[2] = yz / s;
  if (q[0] < 0)
    for (int i = 0; i < 4; i++) q[i] = -q[i];
  quat_normalize(q);
}
/* rotation vector of R */
static inline void rot_log(double *d, const double *R) {
  double q[4];
  quat_from_rot(q, R);
  quat_log(d, q);
}
/* an orthonormal right-handed frame whose column `col` (0..2) is the unit vector a, and whose next
 * column is as near as possible to `near` (NULL: any). Columns are (col, col+1, col+2) cyclic. */
static inline void rot_from_axis(double *R, const double *a, int col, const double *near) {
  double e[3] = {0, 0, 0}, u[3], w[3];
  if (near) v3_copy(e, near);
  v3_axpy(e, -v3_dot(e, a), a);
  if (v3_norm(e) < 1e-6) {
    int k = fabs(a[0]) <= fabs(a[1]) && fabs(a[0]) <= fabs(a[2]) ? 0
            : fabs(a[1]) <= fabs(a[2])                           ? 1
                                                                 : 2;
    v3_zero(e);
    e[k] = 1.0;
    v3_axpy(e, -v3_dot(e, a), a);
  }
  v3_copy(u, e);
  v3_normalize(u);
  v3_cross(w, a, u);
  int c1 = (col + 1) % 3, c2 = (col + 2) % 3;
  for (int i = 0; i < 3; i++) R[3 * i + col] = a[i], R[3 * i + c1] = u[i], R[3 * i + c2] = w[i];
}

/* --- spatial vectors: (rotation, translation) about one common point O, world axes ------------ */

static inline double s6_dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}
static inline void s6_zero(double *a) { memset(a, 0, 6 * sizeof *a); }
static inline void s6_copy(double *r, const double *a) { memcpy(r, a, 6 * sizeof *r); }
/* written out, all values before all stores, so that vectors on the stack become registers */
static inline void s6_set(double *r, double a, double b, double c, double d, double e, double f) {
  r[0] = a, r[1] = b, r[2] = c, r[3] = d, r[4] = e, r[5] = f;
}
static inline void s6_add(double *r, const double *a, const double *b) {
  s6_set(r, a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]);
}
static inline void s6_axpy(double *r, double s, const double *a) {
  s6_set(r, r[0] + s * a[0], r[1] + s * a[1], r[2] + s * a[2], r[3] + s * a[3], r[4] + s * a[4],
         r[5] + s * a[5]);
}
/* r = a x b for twists (crm): (wa x wb, wa x vb + va x wb); r must not alias */
static inline void s6_cross(double *r, const double *a, const double *b) {
  v3_cross(r, a, b);
  v3_cross(r + 3, a, b + 3);
  v3_cross_add(r + 3, a + 3, b);
}
/* r = a x* f for a wrench f (crf): (wa x n + va x f, wa x f); r must not alias */
static inline void s6_cross_force(double *r, const double *a, const double *f) {
  v3_cross(r, a, f);
  v3_cross_add(r, a + 3, f + 3);
  v3_cross(r + 3, a, f + 3);
}
/* a wrench known at point p, moved to O: r = (m + (p - O) x f, f); rp = p - O; r may alias w */
static inline void s6_wrench_to_origin(double *r, const double *w, const double *rp) {
  double m[3];
  v3_cross(m, rp, w + 3);
  r[3] = w[3], r[4] = w[4], r[5] = w[5];
  r[0] = w[0] + m[0], r[1] = w[1] + m[1], r[2] = w[2] + m[2];
}
/* a twist known at O, seen at the point p = O + rp: r = (w, v + w x rp); r may alias V */
static inline void s6_twist_at(double *r, const double *V, const double *rp) {
  double t[3];
  v3_cross(t, V, rp);
  v3_add(r + 3, V + 3, t);
  v3_copy(r, V);
}

/* rigid inertia about O in world axes: mass, first moment h = m c, second moment about O
 * (xx yy zz xy xz yz): ten numbers, and a subtree's inertia is their plain sum */
typedef struct hk_inertia {
  double m, h[3], I[6];
} hk_inertia;

/* from mass, centre of mass c (relative to O), inertia w about the centre of mass in world axes
 * (xx yy zz xy xz yz) */
static inline void inertia_set6(hk_inertia *I, double m, const double *c, const double *w) {
  double xx = c[0] * c[0], yy = c[1] * c[1], zz = c[2] * c[2];
  I->m = m;
  v3_scale(I->h, m, c);
  I->I[0] = w[0] + m * (yy + zz);
  I->I[1] = w[1] + m * (xx + zz);
  I->I[2] = w[2] + m * (xx + yy);
  I->I[3] = w[3] - m * c[0] * c[1];
  I->I[4] = w[4] - m * c[0] * c[2];
  I->I[5] = w[5] - m * c[1] * c[2];
}
/* the same from a 3x3 inertia J */
static inline void inertia_set(hk_inertia *I, double m, const double *c, const double *J) {
  const double w[6] = {J[0], J[4], J[8], J[1], J[2], J[5]};
  inertia_set6(I, m, c, w);
}
static inline void inertia_add(hk_inertia *r, const hk_inertia *a) {
  r->m += a->m;
  for (int i = 0; i < 3; i++) r->h[i] += a->h[i];
  for (int i = 0; i < 6; i++) r->I[i] += a->I[i];
}
/* momentum f = I V: (I w + h x v, m v - h x w); f must not alias V */
static inline void inertia_mul(double *f, const hk_inertia *I, const double *V) {
  const double *w = V, *v = V + 3;
  f[0] = I->I[0] * w[0] + I->I[3] * w[1] + I->I[4] * w[2];
  f[1] = I->I[3] * w[0] + I->I[1] * w[1] + I->I[5] * w[2];
  f[2] = I->I[4] * w[0] + I->I[5] * w[1] + I->I[2] * w[2];
  v3_cross_add(f, I->h, v);
  v3_cross(f + 3, w, I->h);
  v3_axpy(f + 3, I->m, v);
}

#endif

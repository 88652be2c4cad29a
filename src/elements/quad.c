/* SPDX-License-Identifier: Apache-2.0
 *
 * quad.c: points of integration of surface elements with four nodes; see quad.h.
 */
#include "elements/quad.h"

enum { N = HK_QUAD, ALL = HK_QUAD_ENHANCED };

static const double root3 = 0.57735026918962576451;
static const double corner[N][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};

double hki_quad_place(int g, int k) { return root3 * corner[g][k]; }

void hki_quad_shapes(int g, double *shape, double (*d)[N]) {
  for (int i = 0; i < N; i++) {
    const double u = 1.0 + corner[i][0] * hki_quad_place(g, 0);
    const double v = 1.0 + corner[i][1] * hki_quad_place(g, 1);
    shape[i] = 0.25 * u * v;
    d[0][i] = 0.25 * corner[i][0] * v, d[1][i] = 0.25 * corner[i][1] * u;
  }
}

/* x_xi, x_eta at a place */
static void slopes(const hk_frame *m, double xi, double eta, double x[2][3]) {
  v3_zero(x[0]), v3_zero(x[1]);
  for (int i = 0; i < N; i++) {
    v3_axpy(x[0], 0.25 * corner[i][0] * (1.0 + corner[i][1] * eta), m[i].p);
    v3_axpy(x[1], 0.25 * corner[i][1] * (1.0 + corner[i][0] * xi), m[i].p);
  }
}

/* a1, a2 (6 numbers) in the plane of both slopes */
static bool axes_of(double x[2][3], const double *along, double *a) {
  double n[3];
  v3_cross(n, x[0], x[1]);
  if (v3_normalize(n) == 0.0) return false;
  v3_copy(a, along);
  v3_axpy(a, -v3_dot(a, n), n);
  // a direction across the surface: the first side
  if (v3_norm(a) < 1e-6 * v3_norm(along)) v3_copy(a, x[0]);
  v3_normalize(a);
  v3_cross(a + 3, n, a);
  return true;
}

/* j[k][b] = x_k . a_b, and its determinant */
static double jacobian(double x[2][3], const double *a, double j[2][2]) {
  for (int k = 0; k < 2; k++)
    for (int b = 0; b < 2; b++) j[k][b] = v3_dot(x[k], a + 3 * b);
  return j[0][0] * j[1][1] - j[0][1] * j[1][0];
}

void hki_quad_slopes(const hk_frame *m0, int g, const double *axes, double *J) {
  double x[2][3], j[2][2];
  slopes(m0, hki_quad_place(g, 0), hki_quad_place(g, 1), x);
  const double det = jacobian(x, axes, j);
  // the inverse: J[a][k] = d(xi_k)/d(s_a)
  J[0] = j[1][1] / det, J[1] = -j[0][1] / det;
  J[2] = -j[1][0] / det, J[3] = j[0][0] / det;
}

/* M of a point: strains along xi and eta, by the axes at the middle */
static void enhance(double j0[2][2], double det0, double det, double xi, double eta,
                    hk_quad_point *p) {
  // strains (xi xi, eta eta, 2 xi eta) of the parameters
  const double m[3][ALL] = {{xi, 0, 0, 0, xi * eta, 0, 0},
                            {0, eta, 0, 0, 0, xi * eta, 0},
                            {0, 0, xi, eta, 0, 0, xi * eta}};
  const double a = j0[1][1] / det0, b = -j0[0][1] / det0, c = -j0[1][0] / det0, d = j0[0][0] / det0;
  // J = [a b; c d]: eps_local = J eps J'
  const double T[3][3] = {
      {a * a, b * b, a * b}, {c * c, d * d, c * d}, {2 * a * c, 2 * b * d, a * d + b * c}};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < ALL; k++) {
      p->M[i][k] = 0.0;
      for (int r = 0; r < 3; r++) p->M[i][k] += det0 / det * T[i][r] * m[r][k];
    }
}

bool hki_quad_points(const hk_frame *m0, const double *along, hk_quad_point *point, double *axes) {
  double x[2][3], j0[2][2], mid[6];
  slopes(m0, 0.0, 0.0, x);
  if (!axes_of(x, along, mid)) return false;
  const double det0 = jacobian(x, mid, j0);
  for (int g = 0; g < N; g++) {
    const double xi = hki_quad_place(g, 0), eta = hki_quad_place(g, 1);
    hk_quad_point *p = &point[g];
    double *a = axes + 6 * g, j[2][2], J[4], d[2][N];
    slopes(m0, xi, eta, x);
    if (!axes_of(x, along, a)) return false;
    p->w = jacobian(x, a, j);
    hki_quad_slopes(m0, g, a, J);
    hki_quad_shapes(g, p->N, d);
    for (int i = 0; i < N; i++)
      for (int b = 0; b < 2; b++) p->d[b][i] = J[2 * b] * d[0][i] + J[2 * b + 1] * d[1][i];
    enhance(j0, det0, p->w, xi, eta, p);
  }
  return true;
}

bool hki_quad_enhance(const hk_quad_point *point, int n, const double *C, int columns, double *H) {
  double A[ALL * ALL] = {0}, X[3][ALL];
  for (int g = 0; g < N; g++) {
    const hk_quad_point *p = &point[g];
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < n; k++) {
        X[i][k] = 0.0;
        for (int r = 0; r < 3; r++) X[i][k] += p->w * C[columns * i + r] * p->M[r][k];
      }
    for (int i = 0; i < n; i++)
      for (int k = 0; k < n; k++)
        for (int r = 0; r < 3; r++) A[n * i + k] += p->M[r][i] * X[r][k];
  }
  // Gauss and Jordan: A is symmetric and positive definite
  memset(H, 0, (size_t)(n * n) * sizeof *H);
  for (int i = 0; i < n; i++) H[(n + 1) * i] = 1.0;
  for (int k = 0; k < n; k++) {
    const double pivot = A[(n + 1) * k];
    if (!(pivot > 0.0)) return false;
    for (int c = 0; c < n; c++) A[n * k + c] /= pivot, H[n * k + c] /= pivot;
    for (int i = 0; i < n; i++) {
      const double f = A[n * i + k];
      for (int c = 0; i != k && c < n; c++)
        A[n * i + c] -= f * A[n * k + c], H[n * i + c] -= f * H[n * k + c];
    }
  }
  return true;
}

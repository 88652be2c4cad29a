/* SPDX-License-Identifier: Apache-2.0
 *
 * solid_shape.c: shape functions of solids in natural coordinates, and points to integrate over them.
 *
 *   tetrahedra   L0 = 1 - x - y - z, L1 = x, L2 = y, L3 = z
 *                corners L, or L (2 L - 1) with middles of edges 4 La Lb
 *   bricks       -1 to 1;  (1 + x xi)(1 + y yi)(1 + z zi) / 8, or times (x xi + y yi + z zi - 2)
 *                with middles of edges (1 - x^2)(1 + y yi)(1 + z zi) / 4
 *   wedges       triangle L0 = 1 - x - y, L1 = x, L2 = y times z from -1 to 1;
 *                corners L (1 + z zi) / 2, or L (2 L - 1)(1 + z zi) / 2 - L (1 - z^2) / 2
 *                with middles of edges 2 La Lb (1 + z zi) and L (1 - z^2)
 *
 * Rules are exact for the stiffness and mass of elements with straight edges. Sources: T. J. R. Hughes, The Finite Element
 * Method, 1987, chapter 3; N. Walkington, Quadrature on simplices of arbitrary dimension, 2000 (14 points of degree 5);
 * J. Radon, Zur mechanischen Kubatur, 1948 (7 points of degree 5 on the triangle).
 */
#include <math.h>

#include "flex/solid.h"

/* ends of the edges, in the order of their middles */
static const int8_t tetra_edge[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
static const int8_t brick_corner[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                          {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
static const int8_t brick_edge[12][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                                         {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};

static void tetra(int32_t nodes, const double *x, double *N, double (*dN)[3]) {
  static const double dL[4][3] = {{-1, -1, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const double L[4] = {1.0 - x[0] - x[1] - x[2], x[0], x[1], x[2]};
  const bool edges = nodes > 4;
  for (int a = 0; a < 4; a++) {
    N[a] = edges ? L[a] * (2.0 * L[a] - 1.0) : L[a];
    for (int k = 0; k < 3; k++) dN[a][k] = (edges ? 4.0 * L[a] - 1.0 : 1.0) * dL[a][k];
  }
  for (int i = 0; edges && i < 6; i++) {
    const int a = tetra_edge[i][0], b = tetra_edge[i][1];
    N[4 + i] = 4.0 * L[a] * L[b];
    for (int k = 0; k < 3; k++) dN[4 + i][k] = 4.0 * (L[a] * dL[b][k] + L[b] * dL[a][k]);
  }
}

static void brick(int32_t nodes, const double *x, double *N, double (*dN)[3]) {
  const bool edges = nodes > 8;
  for (int a = 0; a < 8; a++) {
    double f[3], sum = -2.0;
    for (int k = 0; k < 3; k++) {
      f[k] = 1.0 + x[k] * brick_corner[a][k];
      sum += x[k] * brick_corner[a][k];
    }
    const double all = 0.125 * f[0] * f[1] * f[2];
    N[a] = edges ? all * sum : all;
    for (int k = 0; k < 3; k++) {
      const double d = 0.125 * brick_corner[a][k] * f[(k + 1) % 3] * f[(k + 2) % 3];
      dN[a][k] = edges ? d * sum + all * brick_corner[a][k] : d;
    }
  }
  for (int i = 0; edges && i < 12; i++) {
    const int8_t *p = brick_corner[brick_edge[i][0]], *q = brick_corner[brick_edge[i][1]];
    double f[3], d[3];
    for (int k = 0; k < 3; k++) {
      const double at = 0.5 * (p[k] + q[k]); // 0 along the edge
      f[k] = at == 0.0 ? 1.0 - x[k] * x[k] : 1.0 + x[k] * at;
      d[k] = at == 0.0 ? -2.0 * x[k] : at;
    }
    N[8 + i] = 0.25 * f[0] * f[1] * f[2];
    for (int k = 0; k < 3; k++) dN[8 + i][k] = 0.25 * d[k] * f[(k + 1) % 3] * f[(k + 2) % 3];
  }
}

static void wedge(int32_t nodes, const double *x, double *N, double (*dN)[3]) {
  static const double dL[3][2] = {{-1, -1}, {1, 0}, {0, 1}};
  const double L[3] = {1.0 - x[0] - x[1], x[0], x[1]}, z = x[2], bubble = 1.0 - z * z;
  const bool edges = nodes > 6;
  for (int a = 0; a < 6; a++) {
    const double s = a < 3 ? -1.0 : 1.0, h = 0.5 * (1.0 + s * z), l = L[a % 3];
    N[a] = edges ? l * (2.0 * l - 1.0) * h - 0.5 * l * bubble : l * h;
    const double slope = edges ? (4.0 * l - 1.0) * h - 0.5 * bubble : h;
    for (int k = 0; k < 2; k++) dN[a][k] = slope * dL[a % 3][k];
    dN[a][2] = edges ? l * (2.0 * l - 1.0) * 0.5 * s + l * z : l * 0.5 * s;
  }
  for (int i = 0; edges && i < 6; i++) {
    const int a = i % 3, b = (i + 1) % 3;
    const double s = i < 3 ? -1.0 : 1.0, h = 1.0 + s * z;
    N[6 + i] = 2.0 * L[a] * L[b] * h;
    for (int k = 0; k < 2; k++) dN[6 + i][k] = 2.0 * h * (L[a] * dL[b][k] + L[b] * dL[a][k]);
    dN[6 + i][2] = 2.0 * L[a] * L[b] * s;
  }
  for (int a = 0; edges && a < 3; a++) {
    N[12 + a] = L[a] * bubble;
    for (int k = 0; k < 2; k++) dN[12 + a][k] = bubble * dL[a][k];
    dN[12 + a][2] = -2.0 * z * L[a];
  }
}

void hki_solid_shape(const hk_fe_type *t, const double *at, double *N, double (*dN)[3]) {
  if (t->solid == HK_SOLID_TETRA)
    tetra(t->nodes, at, N, dN);
  else if (t->solid == HK_SOLID_BRICK)
    brick(t->nodes, at, N, dN);
  else
    wedge(t->nodes, at, N, dN);
}

void hki_solid_place(const hk_fe_type *t, int32_t a, double *at) {
  static const int8_t tetra_corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  static const int8_t wedge_corner[6][3] = {{0, 0, -1}, {1, 0, -1}, {0, 1, -1},
                                            {0, 0, 1},  {1, 0, 1},  {0, 1, 1}};
  static const int8_t wedge_edge[9][2] = {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5},
                                          {5, 3}, {0, 3}, {1, 4}, {2, 5}};
  const int8_t(*corner)[3] = wedge_corner, (*edge)[2] = wedge_edge;
  if (t->solid == HK_SOLID_TETRA) corner = tetra_corner, edge = tetra_edge;
  if (t->solid == HK_SOLID_BRICK) corner = brick_corner, edge = brick_edge;
  const int32_t i = a - t->corners;
  for (int k = 0; k < 3; k++)
    at[k] = i < 0 ? corner[a][k] : 0.5 * (corner[edge[i][0]][k] + corner[edge[i][1]][k]);
}

/* --- rules ------------------------------------------------------------------------------------ */

static void add(hk_rule *r, double x, double y, double z, double w) {
  r->x[r->n][0] = x, r->x[r->n][1] = y, r->x[r->n][2] = z;
  r->w[r->n++] = w;
}

/* four points with one barycentric coordinate 1 - 3 a, the others a */
static void four(hk_rule *r, double a, double w) {
  const double b = 1.0 - 3.0 * a;
  add(r, a, a, a, w), add(r, b, a, a, w), add(r, a, b, a, w), add(r, a, a, b, w);
}

static void tetra_rule(int32_t degree, hk_rule *r) {
  if (degree <= 2) {
    four(r, (5.0 - sqrt(5.0)) / 20.0, 1.0 / 24.0);
    return;
  }
  four(r, 0.31088591926330060980, 0.11268792571801585080 / 6.0);
  four(r, 0.092735250310891226402, 0.073493043116361949544 / 6.0);
  const double a = 0.045503704125649649492, b = 0.5 - a, w = 0.042546020777081466438 / 6.0;
  add(r, a, a, b, w), add(r, a, b, a, w), add(r, b, a, a, w);
  add(r, b, b, a, w), add(r, b, a, b, w), add(r, a, b, b, w);
}

static void line(int32_t n, double *x, double *w) {
  const double a = n == 2 ? sqrt(1.0 / 3.0) : sqrt(0.6);
  x[0] = -a, x[n - 1] = a;
  w[0] = w[n - 1] = n == 2 ? 1.0 : 5.0 / 9.0;
  if (n == 3) x[1] = 0.0, w[1] = 8.0 / 9.0;
}

static void brick_rule(int32_t n, hk_rule *r) {
  double x[3], w[3];
  line(n, x, w);
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < n; j++)
      for (int32_t k = 0; k < n; k++) add(r, x[i], x[j], x[k], w[i] * w[j] * w[k]);
}

static void wedge_rule(hk_rule *r) {
  const double root = sqrt(15.0), a = (6.0 + root) / 21.0, wa = (155.0 + root) / 2400.0;
  const double b = (6.0 - root) / 21.0, wb = (155.0 - root) / 2400.0;
  double z[3], w[3];
  line(3, z, w);
  for (int k = 0; k < 3; k++) {
    add(r, 1.0 / 3.0, 1.0 / 3.0, z[k], 0.1125 * w[k]);
    add(r, a, a, z[k], wa * w[k]), add(r, 1.0 - 2.0 * a, a, z[k], wa * w[k]);
    add(r, a, 1.0 - 2.0 * a, z[k], wa * w[k]);
    add(r, b, b, z[k], wb * w[k]), add(r, 1.0 - 2.0 * b, b, z[k], wb * w[k]);
    add(r, b, 1.0 - 2.0 * b, z[k], wb * w[k]);
  }
}

void hki_solid_rule(const hk_fe_type *t, bool mass, hk_rule *r) {
  r->n = 0;
  const bool edges = t->nodes > t->corners;
  if (t->solid == HK_SOLID_TETRA)
    tetra_rule(mass && edges ? 5 : 2, r);
  else if (t->solid == HK_SOLID_BRICK)
    brick_rule(edges ? 3 : 2, r);
  else
    wedge_rule(r);
}

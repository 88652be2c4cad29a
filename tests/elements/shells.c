/* SPDX-License-Identifier: Apache-2.0
 *
 * shells.c: shell and membrane elements alone, distorted and warped, with a random coupled section: tangents and
 * wrenches against differences, symmetry, the balance of power, rigid motions, patch tests.
 */
#include <math.h>
#include <string.h>

#include "elements/pressure.h"
#include "elements/shell.h"
#include "elements/support.h"
#include "runner.h"

enum { N = 4, V = 24, E = HK_SHELL_E, KINDS = 6 };

/* kinds of elements: shells, then membranes, with these parameters of enhanced strains */
static const int enhanced[KINDS] = {0, 4, 7, 0, 4, 7};

typedef struct quad {
  const hk_wide_ops *ops;
  union {
    hk_shell_par shell;
    hk_membrane_par membrane;
  } par;
  hk_frame drawn[N], m[N];
  double w[V], K[V * V], C[V * V], y[HK_WIDE_SHELL];
  hk_wide_out out;
  rng r;
} quad;

static void evaluate(quad *b) {
  const hk_element_in in = {.m = b->m};
  b->out = (hk_wide_out){.w = b->w, .K = b->K, .C = b->C, .y = b->y};
  b->ops->eval(&b->par, N, &in, 127u, &b->out);
}

static void turn(hk_frame *m, const double *phi) {
  double X[9], R[9];
  rot_exp(X, phi);
  m3_mul(R, X, m->R);
  memcpy(m->R, R, sizeof R);
}

/* a symmetric positive definite matrix */
static void definite(rng *r, int n, double *C) {
  double A[E * E];
  for (int i = 0; i < n * n; i++) A[i] = rng_real(r, -1.0, 1.0);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      C[n * i + j] = i == j ? 2.0 : 0.0;
      for (int k = 0; k < n; k++) C[n * i + j] += A[n * i + k] * A[n * j + k];
    }
}

/* section and drawing are there: the rest */
static void prepare(quad *b, int kind, double tau) {
  static const double along[3] = {0.9, 0.3, 0.1};
  hk_shell_par *s = &b->par.shell;
  hk_membrane_par *f = &b->par.membrane;
  const bool shell = b->ops == &hki_shell;
  *(shell ? &s->tau : &f->tau) = tau;
  *(shell ? &s->enhanced : &f->enhanced) = enhanced[kind];
  v3_copy(shell ? s->along : f->along, along);
  b->ops->prepare(&b->par, N, b->drawn);
  memcpy(b->m, b->drawn, sizeof b->m);
}

/* a warped quadrilateral, with normals that differ from those of the surface */
static void make(quad *b, int kind, double tau, uint64_t seed) {
  static const double at[N][2] = {{0, 0}, {2, 0}, {2.3, 1.4}, {0.2, 1.1}};
  memset(b, 0, sizeof *b);
  b->ops = kind < 3 ? &hki_shell : &hki_membrane;
  b->r.s = seed;
  if (kind < 3) {
    definite(&b->r, E, b->par.shell.C);
    // drilling is not coupled
    for (int i = 0; i < E - 1; i++) b->par.shell.C[E * i + 8] = b->par.shell.C[E * 8 + i] = 0.0;
  } else {
    definite(&b->r, 3, b->par.membrane.D);
    rng_vector(&b->r, 0.5, b->par.membrane.S0);
  }
  for (int i = 0; i < N; i++) {
    double phi[3];
    rng_vector(&b->r, 0.2, phi);
    m3_identity(b->drawn[i].R);
    turn(&b->drawn[i], phi);
    rng_vector(&b->r, 0.1, b->drawn[i].p);
    b->drawn[i].p[0] += at[i][0], b->drawn[i].p[1] += at[i][1];
  }
  prepare(b, kind, tau);
}

/* deforms it by rotations of this size, and sets it in motion */
static void deform(quad *b, double size) {
  for (int i = 0; i < N; i++) {
    double phi[3], d[3];
    rng_vector(&b->r, size, phi);
    rng_vector(&b->r, 0.3, d);
    turn(&b->m[i], phi);
    v3_add(b->m[i].p, b->m[i].p, d);
    rng_vector(&b->r, 1.0, b->m[i].w);
    rng_vector(&b->r, 1.0, b->m[i].v);
  }
}

static double largest(const double *x, int n) {
  double top = 0.0;
  for (int i = 0; i < n; i++) top = fmax(top, fabs(x[i]));
  return top;
}

/* coordinate j of the frames moved by h; j from V on: their twists */
static void shift(quad *b, int j, double h) {
  hk_frame *m = &b->m[j % V / 6];
  if (j < V)
    hki_frame_move(m, j % 6, h);
  else
    *(j % 6 < 3 ? &m->w[j % 6] : &m->v[j % 6 - 3]) += h;
}

START_TEST(tangents_by_differences) {
  const double h = 1e-5, sizes[] = {0.02, 1.2};
  for (int s = 0; s < 2; s++)
    for (int k = 0; k < 2; k++) {
      quad b, at;
      make(&b, _i, k ? 0.3 : 0.0, 17u + (uint64_t)s);
      deform(&b, sizes[s]);
      evaluate(&b);
      const double top = largest(b.K, V * V);
      ck_assert_int_eq(b.out.damped, k);
      for (int j = 0; j < (k ? 2 : 1) * V; j++) {
        double w[V], e;
        at = b;
        shift(&at, j, h), evaluate(&at);
        memcpy(w, at.w, sizeof w), e = at.out.energy;
        at = b;
        shift(&at, j, -h), evaluate(&at);
        for (int i = 0; i < V; i++) {
          const double found = -(w[i] - at.w[i]) / (2.0 * h);
          const double *T = j < V ? b.K : b.C;
          ck_assert_msg(fabs(found - T[V * i + j % V]) < 1e-9 * top,
                        "%s %d (%d, %d): %g, expected %g", b.ops->name, _i, i, j, T[V * i + j % V],
                        found);
        }
        // wrenches are those of the energy
        if (!k)
          ck_assert_double_le(fabs(b.w[j] + (e - at.out.energy) / (2.0 * h)),
                              1e-9 * largest(b.w, V));
      }
    }
}
END_TEST

START_TEST(tangents_are_symmetric) {
  quad b;
  make(&b, _i, 0.0, 5u);
  deform(&b, 0.9);
  evaluate(&b);
  for (int i = 0; i < V; i++)
    for (int j = 0; j < V; j++) {
      double odd = b.K[V * i + j] - b.K[V * j + i], S[9];
      // the moment on a marker turns with its axes
      m3_skew(S, b.w + 6 * (i / 6));
      if (i / 6 == j / 6 && i % 6 < 3 && j % 6 < 3) odd -= S[3 * (i % 6) + j % 6];
      ck_assert_double_le(fabs(odd), 1e-13 * largest(b.K, V * V));
    }
}
END_TEST

START_TEST(power_is_balanced) {
  const double h = 1e-5;
  quad b, at;
  make(&b, _i, 0.2, 9u);
  deform(&b, 0.4);
  evaluate(&b);
  double power = b.out.dissipated, e[2];
  for (int i = 0; i < N; i++)
    power += v3_dot(b.w + 6 * i, b.m[i].w) + v3_dot(b.w + 6 * i + 3, b.m[i].v);
  for (int k = 0; k < 2; k++) {
    at = b;
    for (int i = 0; i < N; i++) {
      double phi[3];
      v3_scale(phi, k ? -h : h, b.m[i].w);
      turn(&at.m[i], phi);
      v3_axpy(at.m[i].p, k ? -h : h, b.m[i].v);
    }
    evaluate(&at);
    e[k] = at.out.energy;
  }
  ck_assert_double_gt(b.out.dissipated, 0.0);
  ck_assert_double_le(fabs(power + (e[0] - e[1]) / (2.0 * h)), 1e-8 * b.out.dissipated);
}
END_TEST

START_TEST(rigid_motion_changes_no_strain) {
  const double phi[3] = {1.1, -1.3, 1.0}; // 1.97 rad
  quad b, at;
  double Q[9], sum[6] = {0};
  rot_exp(Q, phi);
  make(&b, _i, 0.1, 21u);
  evaluate(&b);
  // nothing as drawn but a prestress
  if (_i < 3) ck_assert_double_le(largest(b.w, V), 1e-13);
  deform(&b, 0.5);
  for (int i = 0; i < N; i++) v3_zero(b.m[i].w), v3_zero(b.m[i].v);
  evaluate(&b);
  at = b;
  for (int i = 0; i < N; i++) {
    const double spin[3] = {0.3, 2.0, -1.0};
    turn(&at.m[i], phi);
    m3_mulv(at.m[i].p, Q, b.m[i].p);
    // and turns as a whole, without taking energy
    v3_copy(at.m[i].w, spin);
    v3_cross(at.m[i].v, spin, at.m[i].p);
  }
  evaluate(&at);
  for (int k = 0; k < b.ops->ny; k++) ck_assert_double_le(fabs(at.y[k] - b.y[k]), 1e-12);
  ck_assert_double_le(fabs(at.out.dissipated), 1e-24);
  for (int i = 0; i < 2 * N; i++) {
    double w[3];
    m3_mulv(w, Q, b.w + 3 * i);
    for (int k = 0; k < 3; k++) ck_assert_double_le(fabs(w[k] - at.w[3 * i + k]), 1e-12);
  }
  // wrenches balance each other
  for (int i = 0; i < N; i++) {
    double x[6];
    s6_wrench_to_origin(x, at.w + 6 * i, at.m[i].p);
    s6_axpy(sum, 1.0, x);
  }
  ck_assert_double_le(largest(sum, 6), 1e-13 * largest(at.w, V) + 1e-14);
}
END_TEST

/* eigenvalues of a symmetric matrix, by Jacobi's rotations, on its diagonal */
static void eigenvalues(double *A) {
  for (int pass = 0; pass < 30; pass++)
    for (int p = 0; p < V; p++)
      for (int q = p + 1; q < V; q++) {
        const double apq = A[V * p + q];
        if (apq == 0.0) continue;
        const double t0 = (A[(V + 1) * q] - A[(V + 1) * p]) / (2.0 * apq);
        const double t = (t0 < 0.0 ? -1.0 : 1.0) / (fabs(t0) + sqrt(t0 * t0 + 1.0));
        const double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
        for (int k = 0; k < V; k++) {
          const double x = A[V * k + p], y = A[V * k + q];
          A[V * k + p] = c * x - s * y, A[V * k + q] = s * x + c * y;
        }
        for (int k = 0; k < V; k++) {
          const double x = A[V * p + k], y = A[V * q + k];
          A[V * p + k] = c * x - s * y, A[V * q + k] = s * x + c * y;
        }
      }
}

START_TEST(only_rigid_motions_cost_nothing) {
  quad b;
  int zeros = 0;
  make(&b, _i, 0.0, 3u);
  evaluate(&b);
  eigenvalues(b.K);
  for (int i = 0; i < V; i++) {
    const double x = b.K[(V + 1) * i];
    ck_assert_double_ge(x, -1e-12);
    zeros += fabs(x) < 1e-10;
  }
  ck_assert_int_eq(zeros, 6);
}
END_TEST

START_TEST(pressure_follows) {
  // forces and tangents of a warped element, and the work that it does
  const double h = 1e-5, p = 3.0;
  double power = 0.0, sum[3] = {0}, a[3], b[3], n[3];
  quad q, at;
  make(&q, 5, 0.0, 11u);
  q.ops = &hki_pressure;
  deform(&q, 0.3);
  const hk_element_in in = {.m = q.m, .u = &p};
  q.out = (hk_wide_out){.w = q.w, .K = q.K, .C = q.C, .y = q.y};
  q.ops->eval(NULL, N, &in, 127u, &q.out);
  for (int j = 0; j < V; j++) {
    double w[2][V];
    for (int k = 0; k < 2; k++) {
      at = q;
      shift(&at, j, k ? -h : h);
      const hk_element_in moved = {.m = at.m, .u = &p};
      at.out = (hk_wide_out){.w = w[k], .K = at.K, .C = at.C, .y = at.y};
      at.ops->eval(NULL, N, &moved, 127u, &at.out);
    }
    for (int i = 0; i < V; i++)
      ck_assert_double_le(fabs((w[1][i] - w[0][i]) / (2.0 * h) - q.K[V * i + j]), 1e-9);
  }
  for (int i = 0; i < N; i++) {
    v3_add(sum, sum, q.w + 6 * i + 3);
    power += v3_dot(q.w + 6 * i + 3, q.m[i].v);
  }
  ck_assert_double_le(fabs(power - q.out.supplied), 1e-14);
  // all of it is the pressure on the area vector of the element, half the product of its diagonals
  v3_sub(a, q.m[2].p, q.m[0].p);
  v3_sub(b, q.m[3].p, q.m[1].p);
  v3_cross(n, a, b);
  for (int k = 0; k < 3; k++) ck_assert_double_le(fabs(sum[k] - 0.5 * p * n[k]), 1e-13);
}
END_TEST

/* --- patches ---------------------------------------------------------------------------------- */

/* five elements about four inner nodes (4 to 7) of a rectangle 0.24 x 0.12 (MacNeal and Harder 1985) */
static const double place[8][2] = {{0, 0},       {0.24, 0},    {0.24, 0.12}, {0, 0.12},
                                   {0.04, 0.02}, {0.18, 0.03}, {0.16, 0.08}, {0.08, 0.08}};
static const int patch[5][N] = {
    {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}, {4, 5, 6, 7}};

/* section of an isotropic plate, E = 1e6, nu = 0.25, h = 0.01, with weights of its parts */
static void plate(quad *b, int kind) {
  const double h = 0.01, A = 1e6 * h / (1.0 - 0.0625), D = A * h * h / 12.0, G = 4e5 * h;
  double *C = b->par.shell.C;
  memset(b, 0, sizeof *b);
  b->ops = kind < 3 ? &hki_shell : &hki_membrane;
  if (kind < 3) {
    for (int k = 0; k < 2; k++) {
      const double a = k ? D : A;
      double *c = C + (E + 1) * 3 * k;
      c[0] = c[E + 1] = a, c[1] = c[E] = 0.25 * a, c[2 * E + 2] = 0.375 * a;
      C[(E + 1) * (6 + k)] = 5.0 / 6.0 * G;
    }
    C[E * E - 1] = 0.1 * G;
  } else {
    const double D3[9] = {A, 0.25 * A, 0, 0.25 * A, A, 0, 0, 0, 0.375 * A};
    memcpy(b->par.membrane.D, D3, sizeof D3);
  }
}

/* wrenches -K u (8 nodes) of displacements u(x, y) of all nodes, and the outputs of one element at the end */
static void load_patch(int kind, void (*field)(double x, double y, double *u), double *w,
                       double (*y)[HK_WIDE_SHELL]) {
  memset(w, 0, 48 * sizeof *w);
  for (int k = 0; k < 5; k++) {
    quad b;
    double u[V];
    plate(&b, kind);
    for (int i = 0; i < N; i++) {
      const double *at = place[patch[k][i]];
      m3_identity(b.drawn[i].R);
      b.drawn[i].p[0] = at[0], b.drawn[i].p[1] = at[1];
      field(at[0], at[1], u + 6 * i);
    }
    prepare(&b, kind, 0.0);
    evaluate(&b);
    for (int i = 0; i < V; i++)
      for (int j = 0; j < V; j++) w[6 * patch[k][i / 6] + i % 6] -= b.K[V * i + j] * u[j];
    // the strains, by a small motion
    const double step = 1e-7;
    for (int i = 0; i < V; i++) hki_frame_move(&b.m[i / 6], i % 6, step * u[i]);
    evaluate(&b);
    for (int i = 0; i < HK_WIDE_SHELL; i++) y[k][i] = b.y[i] / step;
  }
}

/* drilling rotations follow the surface */
static void stretched(double x, double y, double *u) {
  s6_set(u, 0.0, 0.0, 0.5 * (0.5 - 2.0), 1.0 * x + 2.0 * y, 0.5 * x - 0.7 * y, 0.0);
}

static void bent(double x, double y, double *u) {
  // w = (x^2 + 0.6 x y - 0.8 y^2)/2, rotations (w_y, -w_x)
  s6_set(u, 0.3 * x - 0.8 * y, -(x + 0.3 * y), 0.0, 0.0, 0.0,
         0.5 * (x * x + 0.6 * x * y - 0.8 * y * y));
}

static void sheared(double x, double y, double *u) {
  s6_set(u, 0.0, 0.0, 0.0, 0.0, 0.0, 0.7 * x - 0.4 * y);
}

/* strains along the direction `along` of prepare, from those in x and y; 2 xy */
static void turned(const double *e, double *out) {
  const double l = hypot(0.9, 0.3), c = 0.9 / l, s = 0.3 / l;
  out[0] = c * c * e[0] + s * s * e[1] + c * s * e[2];
  out[1] = s * s * e[0] + c * c * e[1] - c * s * e[2];
  out[2] = 2.0 * c * s * (e[1] - e[0]) + (c * c - s * s) * e[2];
}

START_TEST(patches_are_exact) {
  const double membrane[3] = {1.0, -0.7, 2.5}, bending[3] = {-1.0, 0.8, -0.6};
  double w[48], y[5][HK_WIDE_SHELL], e[3], top;
  load_patch(_i, stretched, w, y);
  top = largest(w, 48);
  ck_assert_double_gt(top, 1.0);
  for (int i = 24; i < 48; i++) ck_assert_double_le(fabs(w[i]), 1e-13 * top);
  turned(membrane, e);
  const int at = _i < 3 ? 8 : 3; // strains among the outputs
  for (int k = 0; k < 5; k++)
    for (int i = 0; i < 3; i++) ck_assert_double_le(fabs(y[k][at + i] - e[i]), 1e-6);
  if (_i >= 3) return;
  load_patch(_i, bent, w, y);
  top = largest(w, 48);
  ck_assert_double_gt(top, 1e-6);
  for (int i = 24; i < 48; i++) ck_assert_double_le(fabs(w[i]), 1e-11 * top);
  turned(bending, e);
  for (int k = 0; k < 5; k++)
    for (int i = 0; i < 3; i++) ck_assert_double_le(fabs(y[k][11 + i] - e[i]), 1e-6);
  // constant shear: forces balance, and it is the same everywhere
  load_patch(_i, sheared, w, y);
  top = largest(w, 48);
  for (int i = 24; i < 48; i++)
    if (i % 6 > 2) ck_assert_double_le(fabs(w[i]), 1e-12 * top);
  const double l = hypot(0.9, 0.3), G = 5.0 / 6.0 * 4e5 * 0.01;
  for (int k = 0; k < 5; k++) {
    ck_assert_double_le(fabs(y[k][6] / G - (0.9 * 0.7 - 0.3 * 0.4) / l), 1e-6);
    ck_assert_double_le(fabs(y[k][7] / G + (0.3 * 0.7 + 0.9 * 0.4) / l), 1e-6);
  }
}
END_TEST

Suite *suite_shells(void);
Suite *suite_shells(void) {
  Suite *s = suite_create("shells");
  TCase *c = tcase_create("shells");
  tcase_add_loop_test(c, tangents_by_differences, 0, KINDS);
  tcase_add_loop_test(c, tangents_are_symmetric, 0, KINDS);
  tcase_add_loop_test(c, power_is_balanced, 0, KINDS);
  tcase_add_loop_test(c, rigid_motion_changes_no_strain, 0, KINDS);
  tcase_add_loop_test(c, only_rigid_motions_cost_nothing, 0, 3);
  tcase_add_loop_test(c, patches_are_exact, 0, KINDS);
  tcase_add_test(c, pressure_follows);
  suite_add_tcase(s, c);
  return s;
}

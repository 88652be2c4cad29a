/* SPDX-License-Identifier: Apache-2.0
 *
 * modal.c: the element of a body with modes alone, with random constants: forces of inertia against the rate of the kinetic
 * energy, all tangents against differences, forces of the potential against its slopes.
 */
#include <math.h>
#include <string.h>

#include "elements/modal.h"
#include "elements/support.h"
#include "runner.h"

enum { NE = 3, MARKS = NE + 1, N = 6 * MARKS };

typedef struct body {
  hk_modal_par par;
  double S1[3 * NE], I1[9 * NE], I2[9 * NE * NE], D0[3 * NE], D1[3 * NE * NE];
  double M[NE * NE], K[NE * NE], C[NE * NE], scale[NE];
  hk_frame m[MARKS];
  double acc[N];
  rng r;
  double F[N], Mm[N * N], Cm[N * N], Km[N * N];
  hk_wide_inertia out;
  double w[N], Ke[N * N], Ce[N * N];
  hk_wide_out ends;
} body;

static void fill(rng *r, int n, double *x) {
  for (int i = 0; i < n; i++) x[i] = rng_real(r, -1.0, 1.0);
}

static void make(body *b, uint64_t seed) {
  memset(b, 0, sizeof *b);
  b->r.s = seed;
  fill(&b->r, 3 * NE, b->S1), fill(&b->r, 3 * NE, b->D0), fill(&b->r, 3 * NE * NE, b->D1);
  fill(&b->r, 9 * NE, b->I1), fill(&b->r, 9 * NE * NE, b->I2);
  fill(&b->r, NE * NE, b->M), fill(&b->r, NE * NE, b->K), fill(&b->r, NE * NE, b->C);
  for (int i = 0; i < NE; i++) {
    for (int a = 0; a < 3; a++)
      for (int c = 0; c < a; c++) b->I1[9 * i + 3 * c + a] = b->I1[9 * i + 3 * a + c];
    for (int j = 0; j <= i; j++) {
      b->M[NE * j + i] = b->M[NE * i + j], b->K[NE * j + i] = b->K[NE * i + j];
      for (int k = 0; k < 9; k++)
        b->I2[9 * (NE * j + i) + 3 * (k % 3) + k / 3] = b->I2[9 * (NE * i + j) + k];
    }
    for (int k = 0; k < 9; k++) // of I2_ii the symmetric part alone
      b->I2[9 * (NE * i + i) + k] = k / 3 > k % 3 ? b->I2[9 * (NE * i + i) + 3 * (k % 3) + k / 3]
                                                  : b->I2[9 * (NE * i + i) + k];
  }
  b->par =
      (hk_modal_par){.ne = NE, .S1 = b->S1, .I1 = b->I1, .I2 = b->I2, .D0 = b->D0, .D1 = b->D1};
  b->par.M = b->M, b->par.K = b->K, b->par.C = b->C, b->par.scale = b->scale;
  b->par.unit = 1.3, b->par.rest = 0.2;
  fill(&b->r, 3, b->par.g);
  for (int i = 0; i < MARKS; i++) {
    m3_identity(b->m[i].R);
    if (!i) rng_rotation(&b->r, b->m[i].R), fill(&b->r, 3, b->m[i].w);
    fill(&b->r, 3, b->m[i].p), fill(&b->r, 3, b->m[i].v);
    fill(&b->r, 6, b->acc + 6 * i);
  }
}

static void evaluate(body *b) {
  const hk_element_in in = {.m = b->m};
  b->out = (hk_wide_inertia){.F = b->F, .M = b->Mm, .C = b->Cm, .K = b->Km};
  hki_modal.inertia(&b->par, MARKS, b->m, b->acc, 255u, &b->out);
  b->ends = (hk_wide_out){.w = b->w, .K = b->Ke, .C = b->Ce};
  hki_modal.eval(&b->par, MARKS, &in, 127u & ~(uint32_t)HK_NEED_OUTPUT, &b->ends);
}

/* coordinate a of the six of each marker by x; rotations and angular velocities in the axes of the body */
static void displace(body *b, int a, double x) {
  double phi[3] = {0}, E[9], R[9], w[3];
  hk_frame *m = &b->m[a / 6];
  if (a % 6 >= 3) {
    m->p[a % 3] += x;
    return;
  }
  phi[a % 3] = x;
  rot_exp(E, phi);
  m3_tmulv(w, m->R, m->w);
  m3_mul(R, m->R, E);
  memcpy(m->R, R, sizeof R);
  m3_mulv(m->w, m->R, w);
}
static void quicken(body *b, int a, double x) {
  hk_frame *m = &b->m[a / 6];
  for (int i = 0; a % 6 < 3 && i < 3; i++) m->w[i] += x * m->R[3 * i + a % 6];
  if (a % 6 >= 3) m->v[a % 3] += x;
}
static void accelerate(body *b, int a, double x) { b->acc[a] += x; }

/* central differences of F by one kind of change */
static void differences(body *b, int col, void (*change)(body *, int, double), double *d) {
  static body up, down;
  const double h = 1e-5;
  up = down = *b;
  change(&up, col, h), change(&down, col, -h);
  up.par.S1 = up.S1, down.par.S1 = down.S1;
  evaluate(&up), evaluate(&down);
  for (int i = 0; i < N; i++) d[i] = (up.F[i] - down.F[i]) / (2.0 * h);
}

START_TEST(inertia_by_differences) {
  static body b;
  double d[N], worst = 0.0;
  make(&b, 11 + (uint64_t)_i);
  evaluate(&b);
  for (int c = 0; c < N; c++) {
    if (c >= 6 && c % 6 != 3) continue;
    const double *const tangents[] = {b.Mm, b.Cm, b.Km};
    void (*const changes[])(body *, int, double) = {accelerate, quicken, displace};
    for (int k = 0; k < 3; k++) {
      differences(&b, c, changes[k], d);
      for (int r = 0; r < N; r++) worst = fmax(worst, fabs(d[r] - tangents[k][N * r + c]));
    }
  }
  ck_assert_double_lt(worst, 1e-8);
}
END_TEST

/* F . V = dT/dt along the motion */
START_TEST(power_is_the_rate_of_the_energy) {
  static body b, next;
  double T[2], power = 0.0;
  const double h = 1e-5;
  make(&b, 21 + (uint64_t)_i);
  evaluate(&b);
  for (int i = 0; i < MARKS; i++) {
    double W[3];
    m3_tmulv(W, b.m[i].R, b.m[i].w);
    if (!i) power += v3_dot(W, b.F) + v3_dot(b.m[i].v, b.F + 3);
    if (i) power += b.m[i].v[0] * b.F[6 * i + 3];
  }
  for (int s = 0; s < 2; s++) {
    const double dt = s ? h : -h;
    next = b;
    for (int i = 0; i < MARKS; i++) {
      double W[3], phi[3], E[9], R[9];
      m3_tmulv(W, b.m[i].R, b.m[i].w);
      v3_scale(phi, dt, W);
      rot_exp(E, phi);
      m3_mul(R, b.m[i].R, E);
      v3_axpy(W, dt, b.acc + 6 * i);
      if (!i) memcpy(next.m[i].R, R, sizeof R), m3_mulv(next.m[i].w, R, W);
      v3_axpy(next.m[i].p, dt, b.m[i].v);
      v3_axpy(next.m[i].v, dt, b.acc + 6 * i + 3);
    }
    evaluate(&next);
    T[s] = next.out.kinetic;
  }
  ck_assert_double_eq_tol((T[1] - T[0]) / (2.0 * h), power, 1e-7);
}
END_TEST

/* w = -dU, K and C against differences of w; world axes */
START_TEST(potential_by_differences) {
  static body b, up, down;
  const double h = 1e-5;
  double worst = 0.0;
  make(&b, 31 + (uint64_t)_i);
  memset(b.C, 0, sizeof b.C);
  evaluate(&b);
  for (int c = 0; c < N; c++) {
    if (c >= 6 && c % 6 < 3) continue;
    double x[3] = {0}, y[3];
    up = down = b;
    // a rotation about an axis of the world
    if (c < 3) {
      x[c] = h;
      m3_tmulv(y, b.m[0].R, x);
      for (int k = 0; k < 3; k++) displace(&up, k, y[k]), displace(&down, k, -y[k]);
    } else {
      displace(&up, c, h), displace(&down, c, -h);
    }
    evaluate(&up), evaluate(&down);
    worst = fmax(worst, fabs((up.ends.energy - down.ends.energy) / (2.0 * h) + b.w[c]));
    for (int r = 0; r < N; r++)
      worst = fmax(worst, fabs((up.w[r] - down.w[r]) / (2.0 * h) + b.Ke[N * r + c]));
  }
  ck_assert_double_lt(worst, 1e-7);
}
END_TEST

Suite *suite_modal(void);
Suite *suite_modal(void) {
  Suite *s = suite_create("modal");
  TCase *c = tcase_create("modal");
  tcase_add_loop_test(c, inertia_by_differences, 0, 3);
  tcase_add_loop_test(c, power_is_the_rate_of_the_energy, 0, 3);
  tcase_add_loop_test(c, potential_by_differences, 0, 3);
  suite_add_tcase(s, c);
  return s;
}

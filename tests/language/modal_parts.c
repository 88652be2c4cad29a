/* SPDX-License-Identifier: Apache-2.0
 *
 * modal_parts.c: a body with modes is put together from a frame, sliders, an element and interfaces that have some of its mass.
 * The kinetic energy of all of them is that of the body, for random constants and motions:
 *
 *   T = 1/2 (W, u, ed)' M(e) (W, u, ed)          M(e) of flex.h
 *
 * of an interface with the rotation vector theta = Psi e, omega = W + Jl(theta) Psi ed. At rest it holds to round-off, in the first
 * order of e by a difference.
 */
#include <math.h>
#include <string.h>

#include "flex/flex.h"
#include "language/reader_flexible.h"
#include "runner.h"

enum { NE = 3, FACES = 2, SIZE = 6 + NE };

/* pseudo-random numbers */
typedef struct rng {
  uint64_t s;
} rng;

static double rng_real(rng *r, double low, double high) {
  r->s = r->s * 6364136223846793005u + 1442695040888963407u;
  return low + (high - low) * (double)(r->s >> 11) * 0x1p-53;
}

typedef struct body {
  hk_flex flex;
  hk_flex_face face[FACES];
  double S1[3 * NE], I1[9 * NE], I2[9 * NE * NE], D0[3 * NE], D1[3 * NE * NE], Mf[NE * NE];
  double K[NE * NE], Phi[FACES][3 * NE], Psi[FACES][3 * NE];
} body;

static void fill(rng *r, int n, double size, double *x) {
  for (int i = 0; i < n; i++) x[i] = rng_real(r, -size, size);
}

/* 20 kg, about a metre long, modal masses of 1 */
static void make(body *b, uint64_t seed) {
  rng r = {seed};
  memset(b, 0, sizeof *b);
  fill(&r, 3 * NE, 1.0, b->S1), fill(&r, 9 * NE, 1.0, b->I1), fill(&r, 9 * NE * NE, 0.3, b->I2);
  fill(&r, 3 * NE, 1.0, b->D0), fill(&r, 3 * NE * NE, 0.5, b->D1);
  for (int i = 0; i < NE; i++) {
    b->Mf[(NE + 1) * i] = 1.0, b->K[(NE + 1) * i] = 1e4 * (i + 1);
    for (int k = 0; k < 9; k++) {
      if (k / 3 > k % 3) b->I1[9 * i + k] = b->I1[9 * i + 3 * (k % 3) + k / 3];
      for (int j = 0; j <= i; j++)
        if (j < i || k / 3 > k % 3)
          b->I2[9 * (NE * i + j) + k] = b->I2[9 * (NE * j + i) + 3 * (k % 3) + k / 3];
    }
  }
  b->flex = (hk_flex){.ne = NE, .nface = FACES, .mass = 20.0, .face = b->face};
  const double S0[3] = {4.0, -2.0, 3.0}, I0[9] = {6, 0.3, 0.2, 0.3, 7, -0.4, 0.2, -0.4, 8};
  memcpy(b->flex.S0, S0, sizeof S0), memcpy(b->flex.I0, I0, sizeof I0);
  b->flex.S1 = b->S1, b->flex.I1 = b->I1, b->flex.I2 = b->I2, b->flex.D0 = b->D0;
  b->flex.D1 = b->D1, b->flex.Mf = b->Mf, b->flex.K = b->K;
  for (int i = 0; i < FACES; i++) {
    fill(&r, 3, 1.0, b->face[i].p);
    fill(&r, 3 * NE, 0.2, b->Phi[i]), fill(&r, 3 * NE, 0.4, b->Psi[i]);
    m3_identity(b->face[i].R);
    b->face[i].Phi = b->Phi[i], b->face[i].Psi = b->Psi[i];
  }
}

/* (W, u) of a point at r that moves by s against the frame */
static void moved(const double *W, const double *u, const double *r, const double *s, double *v) {
  v3_cross(v, W, r);
  v3_add(v, v, u);
  v3_add(v, v, s);
}

static double of_body(double m, const double *J, const double *v, const double *w) {
  double h[3];
  m3_mulv(h, J, w);
  return 0.5 * (m * v3_dot(v, v) + v3_dot(w, h));
}

/* a sum over modes of vectors */
static void sum(const double *X, const double *e, double *x) {
  v3_zero(x);
  for (int j = 0; j < NE; j++) v3_axpy(x, e[j], X + 3 * j);
}

static double of_face(const body *b, const hk_rd_modal_body *p, int i, const double *nu,
                      const double *e) {
  const double *W = nu, *u = nu + 3, *ed = nu + 6;
  double r[3], s[3], v[3], w[3], theta[3], rate[3], x[3];
  const double J = p->face_inertia, J3[9] = {J, 0, 0, 0, J, 0, 0, 0, J};
  sum(b->Phi[i], e, r), v3_add(r, r, b->face[i].p);
  sum(b->Phi[i], ed, s);
  moved(W, u, r, s, v);
  sum(b->Psi[i], e, theta), sum(b->Psi[i], ed, rate);
  v3_cross(x, theta, rate);
  v3_add(w, W, rate);
  v3_axpy(w, 0.5, x);
  return of_body(p->face_mass, J3, v, w);
}

/* the energy of frame, sliders, element and interfaces */
static double of_parts(const body *b, const hk_rd_modal_body *p, const double *nu,
                       const double *e) {
  hk_frame m[NE + 1] = {0};
  double none[3] = {0}, root = sqrt(b->flex.mass), acc[6 * (NE + 1)] = {0};
  double F[6 * (NE + 1)], T;
  hk_wide_inertia out = {.F = F};
  m3_identity(m[0].R);
  v3_copy(m[0].p, p->com), v3_copy(m[0].w, nu);
  moved(nu, nu + 3, p->com, none, m[0].v);
  T = of_body(p->mass, p->J, m[0].v, nu);
  for (int j = 0; j < NE; j++) {
    m3_identity(m[j + 1].R);
    m[j + 1].p[0] = p->par.rest + e[j] / root;
    m[j + 1].v[0] = nu[6 + j] / root;
    T += 0.5 * p->par.unit * m[j + 1].v[0] * m[j + 1].v[0];
  }
  hki_modal.inertia(&p->par, NE + 1, m, acc, HK_NEED_FORCE | HK_NEED_ENERGY, &out);
  T += out.kinetic;
  for (int i = 0; i < FACES; i++) T += of_face(b, p, i, nu, e);
  return T;
}

static double of_whole(const body *b, const double *nu, const double *e) {
  double M[SIZE * SIZE], T = 0.0;
  hki_flex_mass(&b->flex, e, M);
  for (int i = 0; i < SIZE; i++)
    for (int j = 0; j < SIZE; j++) T += 0.5 * nu[i] * M[SIZE * i + j] * nu[j];
  return T;
}

START_TEST(energies_add_up) {
  static body b;
  rng r = {77u + (uint64_t)_i};
  hk_ctx *ctx = hk_ctx_create();
  hk_pool *pool = hki_pool_create(ctx);
  hk_rd_modal_body p;
  const double zeta[NE] = {0}, rest[NE] = {0}, small = 1e-4;
  double nu[SIZE], e[NE], back[NE];
  hk_offset at = {0};
  m3_identity(at.R);
  make(&b, 5u + (uint64_t)_i);
  fill(&r, SIZE, 1.0, nu), fill(&r, NE, small, e);
  for (int j = 0; j < NE; j++) back[j] = -e[j];
  ck_assert(hki_rd_modal(pool, &b.flex, NE, zeta, false, &at, &p));
  // interfaces have enough of the mass to be seen here
  ck_assert_double_gt(p.face_mass, 1e-3);
  ck_assert_double_gt(p.face_inertia, 1e-4);
  const double T = of_whole(&b, nu, rest);
  ck_assert_double_eq_tol(of_parts(&b, &p, nu, rest), T, 1e-13 * fabs(T));
  const double whole = of_whole(&b, nu, e) - of_whole(&b, nu, back);
  const double parts = of_parts(&b, &p, nu, e) - of_parts(&b, &p, nu, back);
  ck_assert_double_eq_tol(parts / small, whole / small, 1e-7);
  hki_pool_destroy(pool);
  hk_ctx_destroy(ctx);
}
END_TEST

Suite *suite_modal_parts(void);
Suite *suite_modal_parts(void) {
  Suite *s = suite_create("modal_parts");
  TCase *c = tcase_create("modal_parts");
  tcase_add_loop_test(c, energies_add_up, 0, 4);
  suite_add_tcase(s, c);
  return s;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * reduction.c: component modes. Inertia of a body with modes against sums over its nodes; eigenvalues of dense and sparse
 * pairs against each other and a closed form; reductions against the whole model; models that cannot be reduced.
 */
#include <check.h>
#include <math.h>

#include "flex/eigen.h"
#include "flex/links.h"
#include "geometry/geometry.h"

/* --- a truss: box of nx cells along x, every pair of nodes of a cell joined by a bar ------------------------ */

enum { CELLS = 6, NODES = 4 * (CELLS + 1), DOFS = 3 * NODES };

static uint64_t seed = 7;
static double number(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) * 0x1p-52 - 1.0;
}

static hk_ctx *ctx;
static hk_pool *pool;
static const hk_loc here = {0};

static void setup(void) {
  ctx = hk_ctx_create();
  pool = hki_pool_create(ctx);
  seed = 7;
}

static void teardown(void) {
  hki_pool_destroy(pool);
  hk_ctx_destroy(ctx);
}

static void add_bar(const hk_fe *fe, hk_entries *K, int32_t a, int32_t b, double k) {
  double d[3], l;
  v3_sub(d, fe->x + 3 * b, fe->x + 3 * a);
  l = v3_norm(d);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j <= i; j++) {
      const double s = (i < 3) == (j < 3) ? 1.0 : -1.0;
      hki_entries_add(K, 3 * (i < 3 ? a : b) + i % 3, 3 * (j < 3 ? a : b) + j % 3,
                      s * k / l * d[i % 3] * d[j % 3] / (l * l));
    }
}

/* masses of nodes differ; `consistent`: neighbours along x share mass */
static hk_fe truss(bool consistent) {
  hk_fe fe = {.title = "truss", .nnode = NODES, .ndof = DOFS, .nset = 2};
  hk_entries K = {.ctx = ctx}, M = {.ctx = ctx};
  fe.x = hki_pool_alloc(pool, DOFS * sizeof *fe.x);
  fe.label = hki_pool_alloc(pool, NODES * sizeof *fe.label);
  fe.node = hki_pool_alloc(pool, DOFS * sizeof *fe.node);
  fe.comp = hki_pool_alloc(pool, DOFS);
  for (int i = 0; i < NODES; i++) {
    v3_set(fe.x + 3 * i, 0.5 * (i / 4), 0.3 * (i % 2), 0.2 * (i / 2 % 2));
    fe.label[i] = 10 + i;
  }
  for (int i = 0; i < DOFS; i++) fe.node[i] = i / 3, fe.comp[i] = (uint8_t)(i % 3);
  for (int c = 0; c < CELLS; c++)
    for (int a = 0; a < 8; a++)
      for (int b = 0; b < a; b++) add_bar(&fe, &K, 4 * c + a, 4 * c + b, 1e6);
  for (int i = 0; i < NODES; i++)
    for (int k = 0; k < 3; k++) {
      hki_entries_add(&M, 3 * i + k, 3 * i + k, 1.0 + 0.1 * (i % 5));
      if (consistent && i >= 4) hki_entries_add(&M, 3 * i + k, 3 * (i - 4) + k, 0.2);
    }
  ck_assert_int_eq(hki_sym_build(pool, &K, DOFS, &fe.K), HK_OK);
  ck_assert_int_eq(hki_sym_build(pool, &M, DOFS, &fe.M), HK_OK);
  hki_entries_free(&K);
  hki_entries_free(&M);
  fe.set = hki_pool_alloc(pool, 2 * sizeof *fe.set);
  for (int s = 0; s < 2; s++) {
    fe.set[s] = (hk_fe_set){s ? "right" : "left", 4, NULL};
    fe.set[s].node = hki_pool_alloc(pool, 4 * sizeof(int32_t));
    for (int i = 0; i < 4; i++) fe.set[s].node[i] = (s ? NODES - 4 : 0) + i;
  }
  return fe;
}

/* all eigenvalues of the whole model */
static void whole(const hk_fe *fe, double *lambda) {
  const size_t n = (size_t)fe->ndof;
  double *A = hki_pool_alloc(pool, 3 * n * n * sizeof *A), *B = A + n * n, *X = B + n * n;
  double *e = hki_pool_alloc(pool, 2 * n * sizeof *e);
  for (size_t j = 0; j < n; j++) {
    memset(e, 0, n * sizeof *e);
    e[j] = 1.0;
    hki_sym_mul(&fe->K, e, A + n * j);
    hki_sym_mul(&fe->M, e, B + n * j);
  }
  ck_assert_int_eq(hki_sym_eigen(fe->ndof, A, B, lambda, X, e), HK_OK);
}

/* --- inertia ---------------------------------------------------------------------------------- */

enum { NE = 3 };

/* velocities and the part of accelerations that belongs to no acceleration, of node k, in the axes of the body */
static void node_motion(const hk_fe *fe, const double *V, int k, const double *e, const double *W,
                        const double *u, const double *ed, double *v, double *gamma, double *r) {
  double s[3] = {0}, a[3];
  v3_copy(r, fe->x + 3 * k);
  for (int j = 0; j < NE; j++) {
    v3_axpy(r, e[j], V + DOFS * j + 3 * k);
    v3_axpy(s, ed[j], V + DOFS * j + 3 * k);
  }
  v3_cross(v, W, r);
  v3_cross(gamma, W, v);
  v3_cross(a, W, s);
  v3_axpy(gamma, 2.0, a);
  v3_add(v, v, u);
  v3_add(v, v, s);
}

START_TEST(inertia) {
  const hk_fe fe = truss(_i == 1);
  double V[NE * DOFS], e[NE], ed[NE], W[3], u[3], M[(6 + NE) * (6 + NE)], h[6 + NE], sum[6 + NE];
  double v[DOFS], g[DOFS], y[DOFS], r[3], T = 0.0, want = 0.0;
  hk_flex b = {0};
  for (int i = 0; i < NE * DOFS; i++) V[i] = number();
  for (int i = 0; i < NE; i++) e[i] = 0.3 * number(), ed[i] = number();
  for (int i = 0; i < 3; i++) W[i] = number(), u[i] = number();
  ck_assert_int_eq(hki_flex_invariants(ctx, pool, &fe, NE, V, &b), HK_OK);
  hki_flex_mass(&b, e, M);
  // kinetic energy
  for (int k = 0; k < NODES; k++) node_motion(&fe, V, k, e, W, u, ed, v + 3 * k, g + 3 * k, r);
  hki_sym_mul(&fe.M, v, y);
  for (int i = 0; i < DOFS; i++) want += 0.5 * v[i] * y[i];
  double nu[6 + NE];
  memcpy(nu, W, sizeof W), memcpy(nu + 3, u, sizeof u), memcpy(nu + 6, ed, sizeof ed);
  for (int i = 0; i < 6 + NE; i++)
    for (int j = 0; j < 6 + NE; j++) T += 0.5 * nu[i] * M[(6 + NE) * i + j] * nu[j];
  ck_assert_double_eq_tol(T, want, 1e-12 * want);
  // forces of d'Alembert on the virtual motions
  hki_flex_bias(&b, e, W, ed, h);
  hki_sym_mul(&fe.M, g, y);
  memset(sum, 0, sizeof sum);
  for (int k = 0; k < NODES; k++) {
    double m[3], dump[6];
    node_motion(&fe, V, k, e, W, u, ed, dump, dump + 3, r);
    v3_cross(m, r, y + 3 * k);
    v3_add(sum, sum, m);
    v3_add(sum + 3, sum + 3, y + 3 * k);
    for (int j = 0; j < NE; j++) sum[6 + j] += v3_dot(V + DOFS * j + 3 * k, y + 3 * k);
  }
  double size = 0.0;
  for (int i = 0; i < 6 + NE; i++) size = fmax(size, fabs(sum[i]));
  for (int i = 0; i < 6 + NE; i++) ck_assert_double_eq_tol(h[i], sum[i], 1e-13 * size);
}
END_TEST

/* --- eigenvalues ------------------------------------------------------------------------------ */

/* a row of masses between walls: lambda_k = 4 sin^2(k pi/(2 (n + 1))) */
START_TEST(chain) {
  enum { N = 40 };
  double A[N * N] = {0}, B[N * N] = {0}, X[N * N], lambda[N], work[N];
  for (int i = 0; i < N; i++) {
    A[(N + 1) * i] = 2.0, B[(N + 1) * i] = 1.0;
    if (i) A[N * i + i - 1] = A[N * (i - 1) + i] = -1.0;
  }
  ck_assert_int_eq(hki_sym_eigen(N, A, B, lambda, X, work), HK_OK);
  for (int k = 0; k < N; k++) {
    const double s = sin((k + 1) * M_PI / (2 * (N + 1)));
    ck_assert_double_eq_tol(lambda[k], 4 * s * s, 1e-13);
  }
  B[0] = -1.0;
  ck_assert_int_eq(hki_sym_eigen(N, A, B, lambda, X, work), HK_E_SINGULAR);
}
END_TEST

/* --- reductions ------------------------------------------------------------------------------- */

static hk_flex reduced(const hk_fe *fe, int32_t nface, int32_t modes) {
  const hk_plan_face face[2] = {{"root", &fe->set[0], false, {0}, false},
                                {"tip", &fe->set[1], true, {3.1, 0.1, 0.2}, false}};
  const hk_reduce_plan opt = {nface, face, modes};
  hk_flex b;
  ck_assert_int_eq(hki_reduce(ctx, here, pool, fe, &opt, &b), HK_OK);
  ck_assert_int_eq(b.ne, nface ? 6 * nface - 6 + modes : modes);
  ck_assert_int_eq(b.nface, nface);
  return b;
}

static double omega2(const hk_flex *b, int j) { return pow(2 * M_PI * b->mode[j].frequency, 2); }

/* modes of the free body are those of the whole model; masses are exact, the modes do not move the centre */
START_TEST(free_body) {
  const hk_fe fe = truss(true);
  const hk_flex b = reduced(&fe, 0, 8);
  double lambda[DOFS], mass = 0.0, ones[DOFS], y[DOFS];
  whole(&fe, lambda);
  for (int j = 0; j < 8; j++) {
    ck_assert_double_eq_tol(omega2(&b, j), lambda[6 + j], 1e-9 * lambda[6 + j]);
    ck_assert_int_eq(b.mode[j].kind, HK_FLEX_WHOLE);
    for (int k = 0; k < 3; k++) ck_assert_double_eq_tol(b.S1[3 * j + k], 0.0, 1e-6);
    for (int i = 0; i < 8; i++) ck_assert_double_eq_tol(b.Mf[8 * i + j], i == j, 1e-9);
  }
  for (int i = 0; i < DOFS; i++) ones[i] = i % 3 == 0;
  hki_sym_mul(&fe.M, ones, y);
  for (int i = 0; i < DOFS; i += 3) mass += y[i];
  ck_assert_double_eq_tol(b.mass, mass, 1e-12 * mass);
}
END_TEST

/* With rigid ends: all inner modes kept, the frequencies are those of the linked model; with few of them the lowest
 * ones hardly change and stay above. */
START_TEST(rigid_ends) {
  const hk_fe fe = truss(true);
  const hk_flex all = reduced(&fe, 2, DOFS - 24), few = reduced(&fe, 2, 16);
  for (int j = 0; j < 6; j++) {
    ck_assert_double_ge(omega2(&few, j), omega2(&all, j) * (1 - 1e-9));
    ck_assert_double_le(omega2(&few, j), omega2(&all, j) * 1.01);
  }
  // the interface moves as its nodes do
  const hk_flex_face *tip = &few.face[1];
  ck_assert_str_eq(tip->name, "tip");
  ck_assert_double_eq(tip->p[0], 3.1);
  for (int j = 0; j < few.ne; j++)
    for (int k = NODES - 4; k < NODES; k++) {
      double r[3], u[3];
      v3_sub(r, fe.x + 3 * k, tip->p);
      v3_cross(u, tip->Psi + 3 * j, r);
      v3_add(u, u, tip->Phi + 3 * j);
      for (int i = 0; i < 3; i++)
        ck_assert_double_eq_tol(few.shape[3 * (NODES * j + k) + i], u[i], 1e-12);
    }
  double p[3], R[9], e[64] = {0};
  e[2] = 1e-3;
  hki_flex_face_at(&few, 1, e, p, R);
  ck_assert_double_eq_tol(p[1] - tip->p[1], 1e-3 * tip->Phi[7], 1e-12);
  ck_assert_double_eq_tol(R[3], 1e-3 * tip->Psi[8], 1e-6);
}
END_TEST

static void refused(const hk_fe *fe, const hk_reduce_plan *opt, const char *words) {
  hk_flex b;
  ck_assert_int_eq(hki_reduce(ctx, here, pool, fe, opt, &b), HK_E_MODEL);
  const char *said = hk_ctx_message(ctx, hk_ctx_message_count(ctx) - 1)->text;
  ck_assert_msg(strstr(said, words) != NULL, "%s", said);
}

/* how far two interfaces move apart along x under a pair of unit forces */
static double softness(const hk_flex *b) {
  double s = 0.0;
  for (int32_t j = 0; j < b->ne; j++) {
    const double d = b->face[0].Phi[3 * j] - b->face[1].Phi[3 * j];
    s += d * d / b->K[(b->ne + 1) * j];
  }
  return s;
}

/* Means of nodes: a rigid motion is its own mean; with few modes as soft under static loads as with all, and softer than rigid
 * pieces. `_i`: the first interface stays rigid. */
START_TEST(averages) {
  const hk_fe fe = truss(true);
  const double u[3] = {0.3, -0.2, 0.7}, turn[3] = {-0.4, 0.5, 0.1}, p[3] = {0.2, 1.0, -0.5};
  double W[6 * DOFS], x[DOFS], want[3], r[3];
  ck_assert_int_eq(hki_average(ctx, &fe, &fe.set[1], p, W), HK_OK);
  for (int i = 0; i < NODES; i++) {
    v3_cross(x + 3 * i, turn, fe.x + 3 * i);
    v3_add(x + 3 * i, x + 3 * i, u);
  }
  v3_cross(r, turn, p);
  v3_add(want, u, r);
  for (int k = 0; k < 6; k++) {
    double sum = 0.0;
    for (int d = 0; d < DOFS; d++) sum += W[DOFS * k + d] * x[d];
    ck_assert_double_eq_tol(sum, k < 3 ? want[k] : turn[k - 3], 1e-14);
  }
  hk_plan_face f[] = {{"a", &fe.set[0], false, {0}, !_i}, {"b", &fe.set[1], false, {0}, true}};
  hk_flex few, all, stiff;
  ck_assert_int_eq(hki_reduce(ctx, here, pool, &fe, &(hk_reduce_plan){2, f, 2}, &few), HK_OK);
  ck_assert_int_eq(hki_reduce(ctx, here, pool, &fe, &(hk_reduce_plan){2, f, DOFS}, &all), HK_OK);
  f[0].average = f[1].average = false;
  ck_assert_int_eq(hki_reduce(ctx, here, pool, &fe, &(hk_reduce_plan){2, f, 2}, &stiff), HK_OK);
  ck_assert_double_eq_tol(softness(&few) / softness(&all), 1.0, 1e-10);
  ck_assert_double_gt(softness(&few), 1.001 * softness(&stiff));
  ck_assert_int_eq(stiff.nheld, 2);
}
END_TEST

START_TEST(refusals) {
  hk_fe fe = truss(false);
  int32_t line[2] = {0, 4}, again[4] = {3, 4, 5, 6};
  const hk_fe_set thin = {"thin", 2, line}, twice = {"twice", 4, again};
  const hk_plan_face a[] = {{"a", &thin, false, {0}, false}};
  const hk_plan_face b[] = {{"a", &fe.set[0], false, {0}, false}, {"b", &twice, false, {0}, false}};
  const hk_plan_face c[] = {{"a", &fe.set[0], false, {0}, false}};
  refused(&fe, &(hk_reduce_plan){1, a, 4}, "do not fix its rotation");
  refused(&fe, &(hk_reduce_plan){2, b, 4}, "node 13 is in two interfaces");
  refused(&fe, &(hk_reduce_plan){1, c, 0}, "leave no mode");
  // held at a node
  for (int i = 0; i < 3; i++) fe.K.val[fe.K.start[i]] += 1e6;
  refused(&fe, &(hk_reduce_plan){1, c, 4}, "motions without strain");
  // a node that nothing holds
  for (int i = 60; i < 63; i++)
    for (int j = 0; j < DOFS; j++)
      for (int k = fe.K.start[j]; k < fe.K.start[j + 1]; k++)
        if (j == i || fe.K.row[k] == i) fe.K.val[k] = 0.0;
  refused(&fe, &(hk_reduce_plan){1, c, 4}, "node 30 in another");
}
END_TEST

Suite *suite_reduction(void);
Suite *suite_reduction(void) {
  Suite *s = suite_create("component modes");
  TCase *c = tcase_create("reduction");
  tcase_add_checked_fixture(c, setup, teardown);
  tcase_add_loop_test(c, inertia, 0, 2);
  tcase_add_test(c, chain);
  tcase_add_test(c, free_body);
  tcase_add_test(c, rigid_ends);
  tcase_add_loop_test(c, averages, 0, 2);
  tcase_add_test(c, refusals);
  suite_add_tcase(s, c);
  return s;
}

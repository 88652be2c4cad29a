/* SPDX-License-Identifier: Apache-2.0
 *
 * solids.c: shape functions against differences, rules against volumes, the matrices and stresses of distorted elements
 * against uniform strain, and elements of which none can be made.
 */
#include <check.h>
#include <math.h>
#include <string.h>

#include "flex/solid.h"
#include "geometry/geometry.h"

static const char *const names[] = {"C3D4", "C3D6", "C3D8", "C3D10", "C3D15", "C3D20"};
enum { MOST = 20 };

static hk_ctx *ctx;
static hk_pool *pool;

static void setup(void) {
  ctx = hk_ctx_create();
  pool = hki_pool_create(ctx);
}

static void teardown(void) {
  hki_pool_destroy(pool);
  hk_ctx_destroy(ctx);
}

/* one element, sheared and stretched; edges stay straight and their middles in the middle */
static void make(const char *name, hk_fe *fe) {
  static const double A[9] = {0.05, 0.01, 0.0, 0.004, 0.03, -0.008, -0.006, 0.0, 0.04};
  const hk_fe_type *t = hki_fe_type_named(name);
  static hk_fe_material steel = {2e11, 0.3, 7800.0, false};
  *fe = (hk_fe){.nnode = t->nodes, .nelement = 1, .file = -1, .nmaterial = 1, .material = &steel};
  fe->x = hki_pool_alloc(pool, 3 * MOST * sizeof *fe->x);
  fe->element = hki_pool_alloc(pool, 2 * sizeof *fe->element);
  fe->corner = hki_pool_alloc(pool, 2 * MOST * sizeof *fe->corner);
  fe->element[0] = (hk_fe_element){7, 3, t, 0, 0};
  for (int32_t a = 0; a < t->nodes; a++) {
    double at[3];
    hki_solid_place(t, a, at);
    m3_mulv(fe->x + 3 * a, A, at);
    fe->corner[a] = a;
  }
}

START_TEST(shapes) {
  const hk_fe_type *t = hki_fe_type_named(names[_i]);
  ck_assert_int_eq(strncmp(t->name, names[_i], 6), 0);
  double N[MOST], M[MOST], dN[MOST][3], dummy[MOST][3];
  const double x[3] = {0.21, 0.34, 0.17}, h = 1e-6;
  for (int32_t a = 0; a < t->nodes; a++) {
    double at[3];
    hki_solid_place(t, a, at);
    hki_solid_shape(t, at, N, dN);
    for (int32_t b = 0; b < t->nodes; b++) ck_assert_double_eq_tol(N[b], a == b, 1e-15);
  }
  hki_solid_shape(t, x, N, dN);
  for (int k = 0; k < 3; k++) {
    double p[3], q[3];
    v3_copy(p, x), v3_copy(q, x);
    p[k] += h, q[k] -= h;
    hki_solid_shape(t, p, N, dummy);
    hki_solid_shape(t, q, M, dummy);
    double sum = 0.0;
    for (int32_t a = 0; a < t->nodes; a++) {
      ck_assert_double_eq_tol((N[a] - M[a]) / (2 * h), dN[a][k], 1e-9);
      sum += dN[a][k];
    }
    ck_assert_double_eq_tol(sum, 0.0, 1e-14);
  }
}
END_TEST

/* natural volumes, and the integral of x^2 y z over them */
START_TEST(rules) {
  const hk_fe_type *t = hki_fe_type_named(names[_i]);
  static const double volume[] = {0, 1.0 / 6.0, 8.0, 1.0};
  for (int mass = 0; mass < 2; mass++) {
    hk_rule r;
    hki_solid_rule(t, mass, &r);
    double v = 0.0, f = 0.0;
    for (int32_t q = 0; q < r.n; q++) {
      v += r.w[q];
      f += r.w[q] * r.x[q][0] * r.x[q][0] * r.x[q][1] * r.x[q][1];
    }
    ck_assert_double_eq_tol(v, volume[t->solid], 1e-15 * 10);
    // 2! 2! / 7! on the tetrahedron, 8 / 9 on the brick, 2 * 2! 2! / 6! on the wedge
    static const double of[] = {0, 4.0 / 5040.0, 8.0 / 9.0, 8.0 / 720.0};
    if (mass && t->nodes > t->corners) ck_assert_double_eq_tol(f, of[t->solid], 1e-15);
  }
}
END_TEST

/* u = G x */
static void linear(const hk_fe *fe, const double *G, double *u) {
  for (int32_t i = 0; i < fe->nnode; i++) m3_mulv(u + 3 * i, G, fe->x + 3 * i);
}

static double energy(const hk_sym *A, const double *u) {
  double y[3 * MOST], s = 0.0;
  hki_sym_mul(A, u, y);
  for (int32_t i = 0; i < A->n; i++) s += u[i] * y[i];
  return s;
}

START_TEST(uniform_strain) {
  static const double G[9] = {1e-4, 3e-4, 0, -1e-4, 2e-4, 5e-4, 2e-4, -3e-4, -4e-4};
  static const double W[9] = {0, -1, 2, 1, 0, -3, -2, 3, 0};
  hk_fe fe;
  make(names[_i], &fe);
  ck_assert_int_eq(hki_solid_check(ctx, HK_LOC_NONE, &fe), HK_OK);
  ck_assert_int_eq(hki_solid_matrices(ctx, pool, &fe), HK_OK);
  static const double natural[] = {0, 1.0 / 6.0, 8.0, 1.0};
  const double A[9] = {0.05, 0.01, 0.0, 0.004, 0.03, -0.008, -0.006, 0.0, 0.04};
  double b[3], det;
  v3_cross(b, A + 3, A + 6);
  det = v3_dot(A, b);
  const double volume = natural[fe.element[0].type->solid] * det;
  double u[3 * MOST], s[6 * MOST], want[6];
  const double m = 2e11 / 2.6, l = 2 * m * 0.3 / 0.4, tr = G[0] + G[4] + G[8];
  for (int k = 0; k < 3; k++) want[k] = l * tr + 2 * m * G[4 * k];
  want[3] = m * (G[1] + G[3]), want[4] = m * (G[5] + G[7]), want[5] = m * (G[2] + G[6]);
  linear(&fe, G, u);
  const double stored = want[0] * G[0] + want[1] * G[4] + want[2] * G[8] +
                        (want[3] * want[3] + want[4] * want[4] + want[5] * want[5]) / m;
  ck_assert_double_eq_tol(energy(&fe.K, u) / (stored * volume), 1.0, 1e-12);
  ck_assert_int_eq(hki_solid_stress(ctx, &fe, u, s), HK_OK);
  for (int32_t i = 0; i < 6 * fe.nnode; i++) ck_assert_double_eq_tol(s[i], want[i % 6], 1e-4);
  // a rotation costs nothing; the mass of a translation
  linear(&fe, W, u);
  ck_assert_double_lt(fabs(energy(&fe.K, u)), 1e-14 * 2e11 * 14 * volume);
  for (int32_t i = 0; i < 3 * fe.nnode; i++) u[i] = i % 3 == 1;
  ck_assert_double_eq_tol(energy(&fe.M, u) / (7800.0 * volume), 1.0, 1e-12);
}
END_TEST

/* where materials meet, stresses are those of the stiffer: two elements on the same nodes */
START_TEST(stiffest) {
  static hk_fe_material two[] = {{1e11, 0.2, 7800.0, false}, {2e11, 0.3, 7800.0, false}};
  static const double G[9] = {1e-4, 3e-4, 0, -1e-4, 2e-4, 5e-4, 2e-4, -3e-4, -4e-4};
  double u[3 * MOST], want[6 * MOST], s[6 * MOST];
  hk_fe fe;
  make(names[_i], &fe);
  linear(&fe, G, u);
  ck_assert_int_eq(hki_solid_stress(ctx, &fe, u, want), HK_OK); // of 2e11 and 0.3 alone
  fe.material = two, fe.nmaterial = 2, fe.nelement = 2;
  fe.element[1] = (hk_fe_element){9, 4, fe.element[0].type, 0, 1};
  ck_assert_int_eq(hki_solid_stress(ctx, &fe, u, s), HK_OK);
  for (int32_t i = 0; i < 6 * fe.nnode; i++) ck_assert_double_eq_tol(s[i], want[i], 1e-6);
}
END_TEST

static void refused(const hk_fe *fe, const char *words) {
  const int32_t before = hk_ctx_message_count(ctx);
  ck_assert_int_eq(hki_solid_check(ctx, HK_LOC_NONE, fe), HK_E_MODEL);
  const hk_message *said = hk_ctx_message(ctx, before);
  ck_assert_ptr_nonnull(said);
  ck_assert_msg(strstr(said->text, words) != NULL, "said: %s", said->text);
}

START_TEST(bad_elements) {
  hk_fe fe;
  make(names[_i], &fe);
  // two corners of the first triangle and the last corner of all
  const int32_t last = fe.element[0].type->corners - 1;
  double was[3 * MOST];
  memcpy(was, fe.x, sizeof was);
  for (int32_t a = 0; a < fe.nnode; a++) fe.x[3 * a] *= -1.0;
  refused(&fe, "element 7 is inside out");
  for (int32_t a = 0; a < fe.nnode; a++) fe.x[3 * a] = 0.0;
  refused(&fe, "element 7 is flat");
  memcpy(fe.x, was, sizeof was);
  if (fe.element[0].type->solid != HK_SOLID_TETRA || fe.nnode > 4) {
    // a corner, or the middle of an edge of tetrahedra, far on the other side
    const int32_t a = fe.element[0].type->solid == HK_SOLID_TETRA ? fe.nnode - 1 : last;
    for (int k = 0; k < 3; k++) fe.x[3 * a + k] -= 2.0 * (was[3 * last + k] - was[k]);
    refused(&fe, "element 7 is folded");
    memcpy(fe.x, was, sizeof was);
  }
  fe.element[1] = (hk_fe_element){9, 4, fe.element[0].type, fe.nnode, 0};
  fe.nelement = 2;
  for (int32_t a = 0; a < fe.nnode; a++) fe.corner[fe.nnode + a] = fe.corner[a];
  refused(&fe, "element 9 has the nodes of element 7");
}
END_TEST

Suite *suite_solids(void);
Suite *suite_solids(void) {
  Suite *s = suite_create("solids");
  TCase *tc = tcase_create("solids");
  tcase_add_checked_fixture(tc, setup, teardown);
  tcase_add_loop_test(tc, shapes, 0, HK_ARRAY_LEN(names));
  tcase_add_loop_test(tc, rules, 0, HK_ARRAY_LEN(names));
  tcase_add_loop_test(tc, uniform_strain, 0, HK_ARRAY_LEN(names));
  tcase_add_loop_test(tc, stiffest, 0, HK_ARRAY_LEN(names));
  tcase_add_loop_test(tc, bad_elements, 0, HK_ARRAY_LEN(names));
  suite_add_tcase(s, tc);
  return s;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Mappings from points and bodies to other points: the nearest points are the nearest; polynomials up to
 * the order of the basis are carried over exactly; rigid motions of the bodies are rigid motions of the
 * points; virtual work, resultant force and resultant moment are kept; what the sources cannot tell is
 * refused or left out, never guessed.
 */
#include <check.h>
#include <math.h>
#include <string.h>

#include "mapping/mapping.h"
#include "mapping/nearest.h"

Suite *suite_mapping(void);

enum { SOURCES = 400, POINTS = 60, BODIES = 12 };

static hk_ctx *ctx;
static uint64_t seed;
static void set_up(void) { ctx = hk_ctx_create(), seed = 7; }
static void tear_down(void) { hk_ctx_destroy(ctx); }

/* in -1 .. 1 */
static double any(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(int64_t)(seed >> 11) / 4503599627370496.0 - 1.0;
}
static void cloud(int32_t n, double size, double *x) {
  for (int32_t i = 0; i < 3 * n; i++) x[i] = size * any();
}

/* every point a group of its own */
static hk_status mls(hk_mls *H, const hk_mls_options *opt, int32_t n, const double *x, int32_t np,
                     const double *xp) {
  static int32_t first[SOURCES + 1];
  for (int32_t i = 0; i <= n; i++) first[i] = i;
  const hk_mls_sources from = {n, x, first, x};
  return hki_mls(H, ctx, opt, &from, np, xp);
}

START_TEST(nearest_are_nearest) {
  static double x[3 * SOURCES];
  hk_near_tree t;
  hk_near near[16];
  cloud(SOURCES, 1.0, x);
  // some of them twice, and a plane of them
  memcpy(x + 30, x, 30 * sizeof *x);
  for (int i = 100; i < 150; i++) x[3 * i] = 0.25;
  ck_assert_int_eq(hki_near_init(&t, ctx, SOURCES, x), HK_OK);
  for (int k = 0; k < 200; k++) {
    double p[3], before = -1.0;
    cloud(1, 1.5, p);
    ck_assert_int_eq(hki_near_find(&t, p, 16, near), 16);
    int32_t nearer = 0;
    for (int i = 0; i < 16; i++) {
      ck_assert(near[i].d2 >= before);
      before = near[i].d2;
    }
    for (int i = 0; i < SOURCES; i++) {
      double d[3];
      v3_sub(d, x + 3 * i, p);
      nearer += v3_dot(d, d) < before;
    }
    ck_assert_int_le(nearer, 15);
  }
  ck_assert_int_eq(hki_near_find(&t, x, SOURCES + 5, (hk_near[SOURCES + 5]){{0}}), SOURCES);
  hki_near_free(&t, ctx);
}
END_TEST

/* a polynomial in three variables */
static double polynomial(int32_t order, const double *x) {
  const double l = 0.3 + x[0] - 2.0 * x[1] + 0.7 * x[2];
  const double q = 1.3 * x[0] * x[0] - 0.4 * x[1] * x[1] + x[2] * x[2] + x[0] * x[1] -
                   2.0 * x[1] * x[2] + 0.6 * x[0] * x[2];
  const double c = x[0] * x[1] * x[2] - x[0] * x[0] * x[2] + 0.5 * x[1] * x[1] * x[1];
  return l + (order > 1 ? q : 0.0) + (order > 2 ? c : 0.0);
}

START_TEST(polynomials_are_exact) {
  static double x[3 * SOURCES], xp[3 * POINTS];
  cloud(SOURCES, 1.0, x);
  cloud(POINTS, 0.9, xp);
  const int32_t order = 1 + _i / 3, weight = 2 * (_i % 3);
  const hk_mls_options opt = {order, 40, weight, 1e-8};
  hk_mls H;
  ck_assert_int_eq(mls(&H, &opt, SOURCES, x, POINTS, xp), HK_OK);
  ck_assert_int_eq(H.lowered, 0);
  double worst[2] = {0.0, 0.0};
  for (int32_t p = 0; p < POINTS; p++) {
    for (int more = 0; more < 2; more++) {
      double u = 0.0;
      for (int32_t j = H.start[p]; j < H.start[p + 1]; j++)
        u += H.value[j] * polynomial(order + more, x + 3 * H.source[j]);
      worst[more] = fmax(worst[more], fabs(u - polynomial(order + more, xp + 3 * p)));
    }
  }
  ck_assert_msg(worst[0] < 1e-12, "order %d, weight %d: %.3g", order, weight, worst[0]);
  // and one of the next order is not, or this test would say nothing
  if (order < 3) ck_assert_double_gt(worst[1], 1e-4);
  hki_mls_free(&H, ctx);
}
END_TEST

/* a flat cloud tells little of one direction, and rows are still exact to round-off */
START_TEST(flat_clouds_are_exact) {
  static double x[3 * SOURCES], xp[3 * POINTS];
  const hk_mls_options opt = {2, 40, 2, 1e-14};
  hk_mls H;
  double worst = 0.0;
  cloud(SOURCES, 1.0, x);
  cloud(POINTS, 0.9, xp);
  for (int i = 0; i < SOURCES; i++) x[3 * i + 2] *= 2e-4;
  for (int i = 0; i < POINTS; i++) xp[3 * i + 2] *= 2e-4;
  ck_assert_int_eq(mls(&H, &opt, SOURCES, x, POINTS, xp), HK_OK);
  for (int32_t p = 0; p < POINTS; p++) {
    double u = 0.0;
    for (int32_t j = H.start[p]; j < H.start[p + 1]; j++)
      u += H.value[j] * polynomial(2, x + 3 * H.source[j]);
    worst = fmax(worst, fabs(u - polynomial(2, xp + 3 * p)));
  }
  ck_assert_msg(worst < 2e-14, "%.3g", worst);
  hki_mls_free(&H, ctx);
}
END_TEST

/* a row changes continuously where its sources do: the weight of the farthest is zero there */
START_TEST(rows_are_continuous) {
  static double x[3 * SOURCES], xp[3 * 2001];
  cloud(SOURCES, 1.0, x);
  for (int i = 0; i < 2001; i++) v3_set(xp + 3 * i, -0.5 + i / 2000.0, 0.1, -0.2);
  const hk_mls_options opt = {1, 12, 2, 1e-8};
  hk_mls H;
  ck_assert_int_eq(mls(&H, &opt, SOURCES, x, 2001, xp), HK_OK);
  double before = 0.0, jump = 0.0;
  int32_t changes = 0;
  for (int p = 0; p < 2001; p++) {
    double u = 0.0;
    for (int32_t j = H.start[p]; j < H.start[p + 1]; j++)
      u += H.value[j] * sin(5.0 * x[3 * H.source[j]] + x[3 * H.source[j] + 1]);
    if (p) jump = fmax(jump, fabs(u - before));
    if (p) changes += H.source[H.start[p + 1] - 1] != H.source[H.start[p] - 1];
    before = u;
  }
  ck_assert_int_gt(changes, 20);
  ck_assert_msg(jump < 0.02, "%.3g", jump);
  hki_mls_free(&H, ctx);
}
END_TEST

/* twelve bodies along a bent line, some of them turned, one that does not turn */
static void make(hk_mapping *m, int32_t order, double *xp) {
  hk_mapping_body b[BODIES];
  for (int i = 0; i < BODIES; i++) {
    const double s = 0.1 * i, turn[3] = {0.2 * any(), 0.3 * any(), any()};
    v3_set(b[i].p, s, 0.1 * s * s, 0.05 * sin(3.0 * s));
    rot_exp(b[i].R, turn);
    b[i].point = i == 5;
  }
  for (int i = 0; i < POINTS; i++)
    v3_set(xp + 3 * i, 0.55 + 0.6 * any(), 0.15 * any(), 0.03 * any());
  const hk_mls_options opt = {order, 5, 2, 1e-8};
  ck_assert_int_eq(hki_mapping_init(m, ctx, &opt, NULL, BODIES, b, POINTS, xp), HK_OK);
}

static void rigid(hk_mapping_motion *at, const hk_mapping *m, const double *R, const double *p,
                  const double *v, const double *w, const double *origins) {
  for (int32_t i = 0; i < m->nbody; i++) {
    double u[3];
    memcpy(at[i].R, R, 9 * sizeof *R);
    m3_mulv(at[i].p, R, origins + 3 * i);
    v3_add(at[i].p, at[i].p, p);
    v3_cross(u, w, at[i].p);
    v3_add(at[i].v, v, u);
    v3_copy(at[i].w, w);
  }
}

START_TEST(rigid_motion_is_exact) {
  static double xp[3 * POINTS], x[3 * POINTS], v[3 * POINTS];
  double origins[3 * BODIES], R[9], e[3], u[3], worst = 0.0;
  hk_mapping m;
  hk_mapping_motion at[BODIES];
  make(&m, 1 + _i, xp);
  for (int i = 0; i < BODIES; i++) {
    const double s = 0.1 * i;
    v3_set(origins + 3 * i, s, 0.1 * s * s, 0.05 * sin(3.0 * s));
  }
  const double turn[3] = {1.0, -2.0, 0.7}, p[3] = {3.0, -1.0, 2.0}, vel[3] = {1.0, 2.0, 3.0},
               om[3] = {-2.0, 0.5, 1.0};
  rot_exp(R, turn);
  rigid(at, &m, R, p, vel, om, origins);
  hki_mapping_move(&m, at, x, v);
  for (int i = 0; i < POINTS; i++) {
    m3_mulv(e, R, xp + 3 * i);
    v3_add(e, e, p);
    v3_cross(u, om, e);
    v3_add(u, u, vel);
    for (int c = 0; c < 3; c++) {
      worst = fmax(worst, fabs(x[3 * i + c] - e[c]));
      worst = fmax(worst, fabs(v[3 * i + c] - u[c]));
    }
  }
  ck_assert_msg(worst < 1e-12, "order %d: %.3g", 1 + _i, worst);
  hki_mapping_free(&m);
}
END_TEST

/* any motion of the bodies, any forces on the points */
START_TEST(work_and_resultants_are_kept) {
  static double xp[3 * POINTS], x[3 * POINTS], v[3 * POINTS], f[3 * POINTS];
  double w[6 * BODIES] = {0}, work[2] = {0, 0}, sum[2][6] = {{0}}, size = 0.0;
  hk_mapping m;
  hk_mapping_motion at[BODIES];
  make(&m, 1 + _i, xp);
  for (int i = 0; i < BODIES; i++) {
    const double turn[3] = {any(), any(), any()};
    cloud(1, 1.0, at[i].p), cloud(1, 1.0, at[i].v), cloud(1, 1.0, at[i].w);
    rot_exp(at[i].R, turn);
  }
  cloud(POINTS, 10.0, f);
  hki_mapping_move(&m, at, x, v);
  hki_mapping_push(&m, at, f, w);
  for (int i = 0; i < POINTS; i++) {
    double c[3];
    v3_cross(c, x + 3 * i, f + 3 * i);
    v3_add(sum[0], sum[0], c);
    v3_add(sum[0] + 3, sum[0] + 3, f + 3 * i);
    work[0] += v3_dot(f + 3 * i, v + 3 * i);
    size += v3_norm(f + 3 * i);
  }
  for (int i = 0; i < BODIES; i++) {
    double c[3];
    v3_cross(c, at[i].p, w + 6 * i + 3);
    v3_add(sum[1], sum[1], c);
    v3_add(sum[1], sum[1], w + 6 * i);
    v3_add(sum[1] + 3, sum[1] + 3, w + 6 * i + 3);
    work[1] += v3_dot(at[i].w, w + 6 * i) + v3_dot(at[i].v, w + 6 * i + 3);
  }
  ck_assert_double_eq_tol(work[0], work[1], 1e-12 * size);
  for (int c = 0; c < 6; c++) ck_assert_double_eq_tol(sum[0][c], sum[1][c], 1e-12 * size);
  hki_mapping_free(&m);
}
END_TEST

/* A body is its origin and a point on either side along each of its own axes: what moves by bodies is what moves by the rows
 * of these points, whatever the bodies do. */
START_TEST(bodies_are_their_points) {
  enum { N = 4, EACH = 7 };
  const double reach[3] = {0.02, 0.1, 0.3};
  hk_mapping_body b[N];
  hk_mapping_motion at[N];
  double origin[3 * N], x[3 * N * EACH], xp[3 * POINTS], moved[3 * POINTS], worst = 0.0;
  int32_t first[N + 1] = {0};
  for (int i = 0; i < N; i++) {
    const double turn[3] = {any(), any(), any()}, more[3] = {any(), any(), any()};
    v3_set(b[i].p, 0.5 * i, 0.2 * any(), 0.2 * any());
    rot_exp(b[i].R, turn);
    b[i].point = false;
    v3_copy(origin + 3 * i, b[i].p);
    for (int k = 0; k < EACH; k++) {
      double *y = x + 3 * (EACH * i + k);
      v3_copy(y, b[i].p);
      for (int c = 0; k && c < 3; c++)
        y[c] += (k > 3 ? -1.0 : 1.0) * reach[(k - 1) % 3] * b[i].R[3 * c + (k - 1) % 3];
    }
    first[i + 1] = EACH * (i + 1);
    v3_set(at[i].p, any(), any(), any());
    rot_exp(at[i].R, more);
    v3_zero(at[i].v), v3_zero(at[i].w);
  }
  for (int i = 0; i < POINTS; i++) v3_set(xp + 3 * i, 0.75 + 0.7 * any(), 0.1 * any(), 0.1 * any());
  const hk_mls_options opt = {1, 3, 2, 1e-8};
  const hk_mls_sources from = {N, origin, first, x};
  hk_mapping m;
  hk_mls H;
  ck_assert_int_eq(hki_mapping_init(&m, ctx, &opt, reach, N, b, POINTS, xp), HK_OK);
  ck_assert_int_eq(hki_mls(&H, ctx, &opt, &from, POINTS, xp), HK_OK);
  hki_mapping_move(&m, at, moved, NULL);
  for (int p = 0; p < POINTS; p++) {
    double sum[3] = {0.0, 0.0, 0.0}, d[3], r[3];
    for (int32_t j = H.start[p]; j < H.start[p + 1]; j++) {
      const int32_t i = H.source[j] / EACH;
      v3_sub(d, x + 3 * H.source[j], b[i].p);
      m3_mulv(r, at[i].R, d);
      v3_add(r, r, at[i].p);
      v3_axpy(sum, H.value[j], r);
    }
    v3_sub(d, sum, moved + 3 * p);
    worst = fmax(worst, v3_norm(d));
  }
  ck_assert_msg(worst < 1e-12, "%.3g", worst);
  hki_mapping_free(&m);
  hki_mls_free(&H, ctx);
}
END_TEST

/* where there are no more bodies than neighbours all of them count, the farthest too */
START_TEST(the_farthest_body_counts) {
  const hk_mapping_body b[2] = {{.p = {0, 0, 0}, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}},
                                {.p = {1, 0, 0}, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}}};
  const double p[3] = {0.4, 0.1, 0.0};
  const hk_mls_options opt = {1, 5, 2, 1e-8};
  hk_mapping m;
  double w[2] = {0.0, 0.0};
  ck_assert_int_eq(hki_mapping_init(&m, ctx, &opt, NULL, 2, b, 1, p), HK_OK);
  for (int32_t j = 0; j < m.start[1]; j++) w[m.entry[j].body] += m.entry[j].w;
  ck_assert_double_eq_tol(w[0] + w[1], 1.0, 1e-14);
  ck_assert_msg(w[1] > 0.01 && w[1] < w[0], "%.3g, %.3g", w[0], w[1]);
  hki_mapping_free(&m);
}
END_TEST

START_TEST(what_sources_cannot_tell) {
  double x[3 * 25], p[3] = {0.4, 0.3, 0.0};
  const hk_mls_options opt = {2, 20, 2, 1e-8};
  hk_mls H;
  for (int i = 0; i < 25; i++) v3_set(x + 3 * i, 0.25 * (i % 5), 0.25 * (i / 5), 0.0);
  // in their plane all is well, but polynomials in z are left out
  ck_assert_int_eq(mls(&H, &opt, 25, x, 1, p), HK_OK);
  ck_assert_int_eq(H.lowered, 1);
  hki_mls_free(&H, ctx);
  // out of it the place itself is missed, by as much as it is out
  p[2] = 0.1;
  ck_assert_int_eq(mls(&H, &opt, 25, x, 1, p), HK_E_MODEL);
  ck_assert_int_eq(H.lost, 0);
  ck_assert_double_eq_tol(H.miss, 0.1, 0.02);
  hki_mls_free(&H, ctx);
  // a point that lies on a source, and fewer sources than neighbours
  ck_assert_int_eq(mls(&H, &opt, 4, x, 1, x), HK_OK);
  hki_mls_free(&H, ctx);
}
END_TEST

Suite *suite_mapping(void) {
  Suite *s = suite_create("mapping");
  TCase *c = tcase_create("mapping");
  tcase_add_checked_fixture(c, set_up, tear_down);
  tcase_add_test(c, nearest_are_nearest);
  tcase_add_loop_test(c, polynomials_are_exact, 0, 9);
  tcase_add_test(c, flat_clouds_are_exact);
  tcase_add_test(c, rows_are_continuous);
  tcase_add_loop_test(c, rigid_motion_is_exact, 0, 3);
  tcase_add_loop_test(c, work_and_resultants_are_kept, 0, 3);
  tcase_add_test(c, bodies_are_their_points);
  tcase_add_test(c, the_farthest_body_counts);
  tcase_add_test(c, what_sources_cannot_tell);
  suite_add_tcase(s, c);
  return s;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of the sparse LDL factorisation: slots, orders, supernodes, numbers, failure reports.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/ldl_impl.h"
#include "linalg/support.h"
#include "runner.h"

/* a system under test: analysis, memory, dense copy */
typedef struct bed {
  hk_ctx *ctx;
  hk_pattern p;
  hk_ldl *s;
  hk_ldl_num num;
  void *block;
  char *mask;
  double *A; /* row-major */
} bed;

static void bed_open(bed *b, int32_t n) {
  memset(b, 0, sizeof *b);
  b->ctx = hk_ctx_create();
  hki_pattern_init(&b->p, b->ctx, n);
}

/* take memory, exactly as much as was measured, so that overruns show */
static void bed_memory(bed *b) {
  size_t n = (size_t)b->p.n;
  hk_arena a = {0};
  hki_ldl_layout(b->s, &a, &b->num);
  b->block = hki_alloc(b->ctx, a.used);
  a = (hk_arena){b->block, 0, a.used};
  hki_ldl_layout(b->s, &a, &b->num);
  ck_assert_ptr_nonnull(b->num.work);
  b->mask = malloc(n * n + 1);
  b->A = malloc((n * n + 1) * sizeof *b->A);
  t_mask(&b->p, b->mask);
}

static void bed_analyse(bed *b, const int32_t *order) {
  ck_assert_int_eq(hki_ldl_create(b->ctx, &b->p, order, &b->s), HK_OK);
  bed_memory(b);
}

static void bed_close(bed *b) {
  free(b->mask), free(b->A);
  hki_free(b->ctx, b->block);
  hki_ldl_destroy(b->s);
  hki_pattern_free(&b->p);
  hk_ctx_destroy(b->ctx);
}

/* dense copy -> slots; every nonzero of the pattern must have its own slot */
static void bed_assemble(bed *b) {
  int32_t n = b->p.n, nval = hki_ldl_value_count(b->s);
  char *seen = calloc((size_t)nval, 1);
  hki_ldl_zero(b->s, &b->num);
  for (int32_t i = 0; i < n; i++) {
    for (int32_t j = 0; j <= i; j++) {
      int32_t k = hki_ldl_slot(b->s, i, j);
      ck_assert_int_eq(k, hki_ldl_slot(b->s, j, i));
      if (b->mask[i * n + j]) ck_assert_int_ge(k, 0);
      if (k < 0) continue;
      ck_assert_int_lt(k, nval);
      ck_assert_int_eq(seen[k], 0);
      seen[k] = 1;
      b->num.val[k] += b->A[i * n + j];
    }
  }
  free(seen);
}

/* factor, solve, multiply and compare with the dense copy; both kernel widths must agree bit for
 * bit */
static void bed_check(bed *b, uint64_t *state, double tol) {
  size_t n = (size_t)b->p.n, bytes = n * sizeof(double);
  double *x = malloc(bytes + 8), *rhs = malloc(bytes + 8), *y = malloc(bytes + 8),
         *x2 = malloc(bytes + 8), *y2 = malloc(bytes + 8);
  for (size_t i = 0; i < n; i++) rhs[i] = t_random(state);
  memcpy(x, rhs, bytes), memcpy(x2, rhs, bytes);
  uint64_t before = hki_alloc_count(b->ctx);
  ck_assert_int_eq(hki_ldl_factor(b->s, &b->num, b->num.val), HK_OK);
  ck_assert_int_eq(b->num.bad, -1);
  hki_ldl_solve(b->s, &b->num, x);
  hki_ldl_mul(b->s, &b->num, b->num.val, x, y);
  ck_assert_uint_eq(hki_alloc_count(b->ctx), before);
  double res = t_residual(b->p.n, b->A, x, rhs);
  ck_assert_msg(res < tol, "residual %g, n %d", res, b->p.n);
  // y = A x against the dense product
  for (size_t i = 0; i < n; i++) {
    double sum = 0.0, size = 0.0;
    for (size_t j = 0; j < n; j++) {
      sum += b->A[i * n + j] * x[j];
      size += fabs(b->A[i * n + j] * x[j]);
    }
    ck_assert_double_le(fabs(sum - y[i]), 1e-14 * (size + 1e-300) * (double)(n + 1));
  }
  // the narrow kernels give the same bits
  b->s->kernels = &hki_kernels_generic;
  ck_assert_int_eq(hki_ldl_factor(b->s, &b->num, b->num.val), HK_OK);
  hki_ldl_solve(b->s, &b->num, x2);
  hki_ldl_mul(b->s, &b->num, b->num.val, x, y2);
  if (n) ck_assert_mem_eq(x, x2, bytes);
  if (n) ck_assert_mem_eq(y, y2, bytes);
  b->s->kernels = hki_kernels_best();
  free(x), free(rhs), free(y), free(x2), free(y2);
}

static void bed_random(bed *b, const double *sign, uint64_t *state, double tol) {
  t_fill_dominant(b->p.n, b->mask, sign, state, b->A);
  bed_assemble(b);
  bed_check(b, state, tol);
}

START_TEST(dense_all_sizes) {
  uint64_t state = 1;
  for (int32_t n = 0; n <= 41; n++) {
    bed b;
    bed_open(&b, n);
    hki_pattern_full(&b.p);
    bed_analyse(&b, NULL);
    bed_random(&b, NULL, &state, 1e-15);
    hk_ldl_stats st;
    hki_ldl_get_stats(b.s, &st);
    ck_assert_int_eq(st.n, n);
    ck_assert_int_le(st.supernodes, 1);
    ck_assert_int_eq((int)st.fill, n * (n - 1) / 2);
    ck_assert_int_eq(b.num.negative, 0);
    bed_close(&b);
  }
}
END_TEST

START_TEST(large_dense) {
  uint64_t state = 2;
  bed b;
  bed_open(&b, 203);
  hki_pattern_full(&b.p);
  bed_analyse(&b, NULL);
  bed_random(&b, NULL, &state, 1e-15);
  bed_close(&b);
}
END_TEST

START_TEST(random_patterns) {
  uint64_t state = 3;
  for (int32_t round = 0; round < (test_few() ? 60 : 300); round++) {
    int32_t n = 1 + t_random_int(&state, 70), blocks = t_random_int(&state, 2 * n);
    bed b;
    bed_open(&b, n);
    double sign[80];
    int32_t order[80], list[8];
    for (int32_t i = 0; i < n; i++) sign[i] = t_random(&state) < -0.5 ? -1.0 : 1.0, order[i] = i;
    for (int32_t k = 0; k < blocks; k++) {
      int32_t m = 1 + t_random_int(&state, 5), far = 1 + t_random_int(&state, n);
      int32_t base = t_random_int(&state, n);
      for (int32_t i = 0; i < m; i++) list[i] = (base + t_random_int(&state, far)) % n;
      if (round % 3 == 0 && m > 1) {
        hki_pattern_rect(&b.p, 1, list, m - 1, list + 1);
      } else {
        hki_pattern_clique(&b.p, m, list);
      }
    }
    // a random order, or none
    for (int32_t i = n - 1; i > 0; i--) {
      int32_t j = t_random_int(&state, i + 1), t = order[i];
      order[i] = order[j], order[j] = t;
    }
    bed_analyse(&b, round % 2 ? order : NULL);
    bed_random(&b, round % 5 ? NULL : sign, &state, 1e-14);
    // inertia: dominant diagonals give as many negative pivots as negative diagonal entries
    int32_t minus = 0;
    for (int32_t i = 0; i < n; i++) minus += sign[i] < 0.0;
    ck_assert_int_eq(b.num.negative, round % 5 ? 0 : minus);
    // the order in use is a permutation
    char seen[80] = {0};
    const int32_t *used = hki_ldl_order(b.s);
    for (int32_t i = 0; i < n; i++) ck_assert_int_eq(seen[used[i]]++, 0);
    bed_close(&b);
  }
}
END_TEST

/* a random tree: each coordinate couples with all its ancestors; leaf-to-root order has no fill */
START_TEST(trees_have_no_fill) {
  uint64_t state = 4;
  for (int32_t round = 0; round < 60; round++) {
    enum { MAX = 90 };
    int32_t n = 1 + t_random_int(&state, MAX - 1), parent[MAX], order[MAX], path[MAX];
    bed b;
    bed_open(&b, n);
    for (int32_t i = 0; i < n; i++) {
      int32_t back = 1 + t_random_int(&state, 1 + round % 7);
      parent[i] = i - back < 0 ? -1 : i - back;
      if (round % 4 == 0 && i) parent[i] = t_random_int(&state, i);
      order[n - 1 - i] = i;
      int32_t m = 0;
      for (int32_t k = i; k >= 0; k = parent[k]) path[m++] = k;
      hki_pattern_clique(&b.p, m, path);
    }
    bed_analyse(&b, order);
    bed_random(&b, NULL, &state, 1e-14);
    hk_ldl_stats st;
    int64_t nnz = 0;
    hki_ldl_get_stats(b.s, &st);
    for (int32_t i = 0; i < n; i++)
      for (int32_t j = 0; j < i; j++) nnz += b.mask[i * n + j];
    ck_assert_int_eq((int)st.fill_given, (int)nnz);
    if (st.fill_ordered >= 0) ck_assert_int_ge((int)st.fill_ordered, (int)nnz);
    ck_assert(st.order_given);
    bed_close(&b);
  }
}
END_TEST

START_TEST(arrow) {
  // the tip last is right, the tip first fills everything: minimum degree must repair the order
  uint64_t state = 5;
  enum { N = 60 };
  int32_t order[N];
  bed b;
  bed_open(&b, N);
  for (int32_t i = 1; i < N; i++) hki_pattern_entry(&b.p, i, 0);
  for (int32_t i = 0; i < N; i++) order[i] = i;
  bed_analyse(&b, order);
  hk_ldl_stats st;
  hki_ldl_get_stats(b.s, &st);
  ck_assert(!st.order_given);
  ck_assert_int_eq((int)st.fill_given, N * (N - 1) / 2);
  ck_assert_int_eq((int)st.fill_ordered, N - 1);
  bed_random(&b, NULL, &state, 1e-14);
  bed_close(&b);
}
END_TEST

START_TEST(vehicle) {
  // 6 chassis coordinates coupled with 4 groups of 5
  uint64_t state = 6;
  int32_t order[26], list[11];
  bed b;
  bed_open(&b, 26);
  for (int32_t g = 0; g < 4; g++) {
    for (int32_t i = 0; i < 6; i++) list[i] = i;
    for (int32_t i = 0; i < 5; i++) list[6 + i] = 6 + 5 * g + i;
    hki_pattern_clique(&b.p, 11, list);
  }
  for (int32_t i = 0; i < 26; i++) order[i] = 25 - i;
  bed_analyse(&b, order);
  bed_random(&b, NULL, &state, 1e-15);
  hk_ldl_stats st;
  hki_ldl_get_stats(b.s, &st);
  ck_assert_int_eq((int)st.fill_given, 15 + 4 * (10 + 30));
  // the groups go side by side
  ck_assert_int_eq(b.s->nquad, 1);
  ck_assert_int_eq(st.supernodes, 5);
  ck_assert_int_ge(hki_ldl_slot(b.s, 6, 10), 0);
  bed_close(&b);
}
END_TEST

/* `count` branches of w coordinates on a trunk of n, each with a leaf of its own on its first coordinate */
static void branches(bed *b, int32_t n, int32_t w, int32_t count) {
  int32_t list[32], all = n + count * (w + 1);
  bed_open(b, all);
  for (int32_t g = 0; g < count; g++) {
    const int32_t first = n + g * (w + 1);
    for (int32_t i = 0; i < n; i++) list[i] = i;
    for (int32_t i = 0; i < w; i++) list[n + i] = first + i;
    hki_pattern_clique(&b->p, n + w, list);
    hki_pattern_entry(&b->p, first, first + w);
  }
  int32_t *order = malloc((size_t)all * sizeof *order);
  for (int32_t i = 0; i < all; i++) order[i] = all - 1 - i;
  bed_analyse(b, order);
  free(order);
}

START_TEST(side_by_side) {
  uint64_t state = 16;
  int32_t quads = 0;
  for (int32_t n = 1; n <= 8; n++)
    for (int32_t w = 1; w <= 7; w++)
      for (int32_t count = 3; count <= 9; count += 2) {
        double sign[128];
        int32_t negative = 0;
        bed b;
        branches(&b, n, w, count);
        ck_assert_int_le(b.s->nquad, count / 4);
        quads += b.s->nquad;
        for (int32_t i = 0; i < b.p.n; i++) sign[i] = i % 3 ? 1.0 : -1.0, negative += i % 3 == 0;
        bed_random(&b, sign, &state, 1e-13);
        ck_assert_int_eq(b.num.negative, negative);
        ck_assert_double_gt(hki_ldl_pivot_ratio(b.s, &b.num, b.num.val), 0.0);
        bed_close(&b);
      }
  ck_assert_int_gt(quads, 100);
}
END_TEST

START_TEST(one_of_four_is_singular) {
  uint64_t state = 17;
  for (int32_t g = 0; g < 4; g++) {
    bed b;
    branches(&b, 6, 5, 4);
    ck_assert_int_eq(b.s->nquad, 1);
    // the last coordinate of branch g, which has no leaf, is coupled with nothing
    const int32_t bad = 6 + 6 * g + 4, n = b.p.n;
    t_fill_dominant(n, b.mask, NULL, &state, b.A);
    for (int32_t i = 0; i < n; i++) b.A[bad * n + i] = b.A[i * n + bad] = 0.0;
    bed_assemble(&b);
    ck_assert_int_eq(hki_ldl_factor(b.s, &b.num, b.num.val), HK_E_SINGULAR);
    ck_assert_int_eq(b.num.bad, bad);
    b.A[bad * n + bad] = NAN;
    bed_assemble(&b);
    ck_assert_int_eq(hki_ldl_factor(b.s, &b.num, b.num.val), HK_E_NUMBER);
    ck_assert_int_eq(b.num.bad, bad);
    bed_close(&b);
  }
}
END_TEST

START_TEST(grid) {
  // a 15 x 15 grid: many supernodes, scattered segments
  uint64_t state = 7;
  enum { M = 15 };
  bed b;
  bed_open(&b, M * M);
  for (int32_t i = 0; i < M; i++) {
    for (int32_t j = 0; j < M; j++) {
      if (i) hki_pattern_entry(&b.p, i * M + j, (i - 1) * M + j);
      if (j) hki_pattern_entry(&b.p, i * M + j, i * M + j - 1);
    }
  }
  bed_analyse(&b, NULL);
  bed_random(&b, NULL, &state, 1e-14);
  hk_ldl_stats st;
  hki_ldl_get_stats(b.s, &st);
  ck_assert_int_gt(st.supernodes, 5);
  // a band order of this grid has about M^3 entries; minimum degree must do clearly better
  ck_assert_int_lt((int)st.fill_ordered, 2 * M * M * M / 3);
  ck_assert_int_gt(b.s->nrel, 0);
  bed_close(&b);
}
END_TEST

START_TEST(empty_and_disconnected) {
  uint64_t state = 8;
  bed b;
  bed_open(&b, 0);
  bed_analyse(&b, NULL);
  bed_random(&b, NULL, &state, 1e-15);
  ck_assert_int_eq(hki_ldl_slot(b.s, 0, 0), -1);
  ck_assert_double_eq(hki_ldl_pivot_ratio(b.s, &b.num, b.num.val), 1.0);
  bed_close(&b);
  // only the diagonal
  bed_open(&b, 13);
  bed_analyse(&b, NULL);
  bed_random(&b, NULL, &state, 1e-15);
  ck_assert_int_eq(hki_ldl_slot(b.s, 3, 4), -1);
  ck_assert_int_eq(hki_ldl_slot(b.s, 13, 4), -1);
  ck_assert_int_eq(hki_ldl_slot(b.s, -1, 4), -1);
  bed_close(&b);
  // blocks of 1 .. 8 without connection
  bed_open(&b, 36);
  for (int32_t k = 1, at = 0; k <= 8; at += k++) {
    int32_t list[8];
    for (int32_t i = 0; i < k; i++) list[i] = at + i;
    hki_pattern_clique(&b.p, k, list);
  }
  bed_analyse(&b, NULL);
  bed_random(&b, NULL, &state, 1e-15);
  bed_close(&b);
}
END_TEST

/* a weighted Laplacian has rank n - 1: the last row is named */
START_TEST(singular_is_named) {
  uint64_t state = 9;
  for (int32_t n = 1; n <= 40; n++) {
    bed b;
    bed_open(&b, n);
    hki_pattern_full(&b.p);
    bed_analyse(&b, NULL);
    for (int32_t i = 0; i < n * n; i++) b.A[i] = 0.0;
    for (int32_t i = 0; i < n; i++) {
      for (int32_t j = 0; j < i; j++) {
        double w = 1.1 + t_random(&state);
        b.A[i * n + j] = b.A[j * n + i] = -w;
        b.A[i * n + i] += w, b.A[j * n + j] += w;
      }
    }
    bed_assemble(&b);
    ck_assert_int_eq(hki_ldl_factor(b.s, &b.num, b.num.val), HK_E_SINGULAR);
    ck_assert_int_eq(b.num.bad, hki_ldl_order(b.s)[n - 1]);
    bed_close(&b);
  }
  // a zero row in a sparse pattern
  bed b;
  bed_open(&b, 20);
  for (int32_t i = 1; i < 20; i++) hki_pattern_entry(&b.p, i, i - 1);
  bed_analyse(&b, NULL);
  t_fill_dominant(20, b.mask, NULL, &state, b.A);
  for (int32_t i = 0; i < 20; i++) b.A[11 * 20 + i] = b.A[i * 20 + 11] = 0.0;
  bed_assemble(&b);
  ck_assert_int_eq(hki_ldl_factor(b.s, &b.num, b.num.val), HK_E_SINGULAR);
  ck_assert_int_eq(b.num.bad, 11);
  // a pivot without a finite inverse
  t_fill_dominant(20, b.mask, NULL, &state, b.A);
  for (int32_t i = 0; i < 20; i++) b.A[11 * 20 + i] = b.A[i * 20 + 11] = 0.0;
  b.A[11 * 20 + 11] = 0x1p-1070;
  bed_assemble(&b);
  ck_assert_int_eq(hki_ldl_factor(b.s, &b.num, b.num.val), HK_E_SINGULAR);
  ck_assert_int_eq(b.num.bad, 11);
  // not a number anywhere is found
  for (int32_t i = 0; i < 20; i++) {
    t_fill_dominant(20, b.mask, NULL, &state, b.A);
    b.A[i * 20 + (i ? i - 1 : 0)] = NAN;
    bed_assemble(&b);
    ck_assert_int_eq(hki_ldl_factor(b.s, &b.num, b.num.val), HK_E_NUMBER);
    ck_assert_int_ge(b.num.bad, 0);
  }
  bed_close(&b);
}
END_TEST

START_TEST(saddle) {
  // [M G'; G 0] with the multipliers last: indefinite, zero diagonal, solvable without pivoting
  uint64_t state = 10;
  enum { N = 12, M = 4, T = N + M };
  int32_t order[T], all[N], rows[M];
  bed b;
  bed_open(&b, T);
  for (int32_t i = 0; i < T; i++) order[i] = i;
  for (int32_t i = 0; i < N; i++) all[i] = i;
  for (int32_t i = 0; i < M; i++) rows[i] = N + i;
  hki_pattern_clique(&b.p, N, all);
  hki_pattern_rect(&b.p, M, rows, N, all);
  ck_assert_int_eq(hki_ldl_create_ordered(b.ctx, &b.p, order, &b.s), HK_OK);
  bed_memory(&b);
  t_fill_dominant(T, b.mask, NULL, &state, b.A);
  for (int32_t i = N; i < T; i++)
    for (int32_t j = N; j < T; j++) b.A[i * T + j] = 0.0;
  bed_assemble(&b);
  bed_check(&b, &state, 1e-13);
  ck_assert_int_eq(b.num.negative, M);
  bed_close(&b);
}
END_TEST

START_TEST(pivot_ratio) {
  bed b;
  bed_open(&b, 2);
  hki_pattern_full(&b.p);
  bed_analyse(&b, NULL);
  b.A[0] = b.A[3] = 1.0, b.A[1] = b.A[2] = 1.0 - 0x1p-20;
  bed_assemble(&b);
  ck_assert_int_eq(hki_ldl_factor(b.s, &b.num, b.num.val), HK_OK);
  double want = 1.0 - (1.0 - 0x1p-20) * (1.0 - 0x1p-20);
  ck_assert_double_eq_tol(hki_ldl_pivot_ratio(b.s, &b.num, b.num.val), want, 1e-15);
  bed_close(&b);
}
END_TEST

START_TEST(bad_input) {
  bed b;
  bed_open(&b, 3);
  int32_t list[] = {0, 3}, order[] = {0, 1, 1};
  hki_pattern_clique(&b.p, 2, list);
  ck_assert_int_eq(hki_ldl_create(b.ctx, &b.p, NULL, &b.s), HK_E_INTERNAL);
  ck_assert_ptr_null(b.s);
  hki_pattern_free(&b.p);
  ck_assert_int_eq(hki_ldl_create(b.ctx, &b.p, order, &b.s), HK_E_INTERNAL);
  bed_close(&b);
}
END_TEST

/* every allocation of the analysis fails once: always a clean error */
START_TEST(allocation_failures) {
  for (uint64_t at = 1;; at++) {
    bed b;
    bed_open(&b, 30);
    hki_alloc_fail_at(b.ctx, at);
    for (int32_t i = 1; i < 30; i++) {
      int32_t list[] = {i, i / 2, i / 3};
      hki_pattern_clique(&b.p, 3, list);
    }
    hk_status status = hki_ldl_create(b.ctx, &b.p, NULL, &b.s);
    ck_assert(status == HK_OK || status == HK_E_MEMORY);
    ck_assert_int_eq(status == HK_OK, b.s != NULL);
    bed_close(&b);
    if (status == HK_OK) break;
    ck_assert_uint_lt(at, 1000);
  }
}
END_TEST

START_TEST(thousands) {
  // a wide tree of chains: compile time and memory stay small
  enum { N = 6000 };
  bed b;
  bed_open(&b, N);
  int32_t *order = malloc(N * sizeof *order);
  for (int32_t i = 0; i < N; i++) {
    // chains of 20 hang on six common coordinates
    int32_t list[32], m = 0;
    for (int32_t k = 0; k < 6; k++) list[m++] = k;
    for (int32_t k = i; i >= 6 && k >= 6 && k >= i - (i - 6) % 20; k--) list[m++] = k;
    hki_pattern_clique(&b.p, m, list);
    order[N - 1 - i] = i;
  }
  ck_assert_int_eq(hki_ldl_create(b.ctx, &b.p, order, &b.s), HK_OK);
  hk_ldl_stats st;
  hki_ldl_get_stats(b.s, &st);
  ck_assert(st.order_given);
  ck_assert_int_lt(st.values, N * 32);
  ck_assert_int_lt(st.supernodes, N / 15);
  free(order);
  bed_close(&b);
}
END_TEST

Suite *suite_ldl(void);
Suite *suite_ldl(void) {
  Suite *s = suite_create("linalg/ldl");
  TCase *t = tcase_create("all");
  tcase_set_timeout(t, 60);
  tcase_add_test(t, dense_all_sizes);
  tcase_add_test(t, large_dense);
  tcase_add_test(t, random_patterns);
  tcase_add_test(t, trees_have_no_fill);
  tcase_add_test(t, arrow);
  tcase_add_test(t, vehicle);
  tcase_add_test(t, side_by_side);
  tcase_add_test(t, one_of_four_is_singular);
  tcase_add_test(t, grid);
  tcase_add_test(t, empty_and_disconnected);
  tcase_add_test(t, singular_is_named);
  tcase_add_test(t, saddle);
  tcase_add_test(t, pivot_ratio);
  tcase_add_test(t, bad_input);
  tcase_add_test(t, allocation_failures);
  tcase_add_test(t, thousands);
  suite_add_tcase(s, t);
  return s;
}

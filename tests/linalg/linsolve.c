/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of the linear-solver interface: every method of the list on the same systems, the choice
 * among them, failure reports, and the refactor policy of KLU.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/csc.h"
#include "linalg/linsolve.h"
#include "linalg/support.h"

/* random blocks on n unknowns */
static void random_pattern(hk_pattern *p, uint64_t *state) {
  int32_t n = p->n, blocks = n ? t_random_int(state, n + n / 2 + 1) : 0, list[6];
  for (int32_t k = 0; k < blocks; k++) {
    int32_t m = 1 + t_random_int(state, 5);
    for (int32_t i = 0; i < m; i++) list[i] = t_random_int(state, n);
    if (k % 2 && m > 1) {
      hki_pattern_rect(p, 1, list, m - 1, list + 1);
    } else {
      hki_pattern_clique(p, m, list);
    }
  }
}

/* dense row-major matrix with nonzeros exactly where the solver has slots for the pattern */
static void fill(hk_linsolve *s, const hk_pattern *p, double shift, uint64_t *state, double *A) {
  int32_t n = s->n;
  memset(A, 0, (size_t)(n * n) * sizeof *A);
  for (int32_t k = 0; k < p->nblock; k++) {
    const hk_pattern_block *b = &p->block[k];
    for (int32_t i = 0; i < b->nrow; i++) {
      for (int32_t j = 0; j < b->ncol; j++) {
        int32_t r = p->index[b->row + i], c = p->index[b->col + j];
        if (r != c) A[r * n + c] = t_random(state);
        if (s->ops->symmetric) A[c * n + r] = A[r * n + c];
      }
    }
  }
  for (int32_t i = 0; i < n; i++) {
    double sum = 0.1;
    for (int32_t j = 0; j < n; j++) sum += fabs(A[i * n + j]);
    A[i * n + i] = shift * sum;
  }
  hki_linsolve_zero(s);
  for (int32_t i = 0; i < n; i++) {
    for (int32_t j = 0; j < n; j++) {
      if (s->ops->symmetric && j > i) continue;
      int32_t at = hki_linsolve_slot(s, i, j);
      if (A[i * n + j] != 0.0) ck_assert_int_ge(at, 0);
      if (at >= 0) s->val[at] += A[i * n + j];
    }
  }
}

/* solve and multiply against the dense copy */
static void check(hk_linsolve *s, const double *A, uint64_t *state) {
  int32_t n = s->n;
  double x[80], b[80], y[80];
  for (int32_t i = 0; i < n; i++) b[i] = x[i] = t_random(state);
  hki_linsolve_solve(s, x);
  ck_assert_double_lt(t_residual(n, A, x, b), 1e-14);
  hki_linsolve_mul(s, x, y);
  for (int32_t i = 0; i < n; i++) {
    double sum = 0.0, size = 1e-300;
    for (int32_t j = 0; j < n; j++) sum += A[i * n + j] * x[j], size += fabs(A[i * n + j] * x[j]);
    ck_assert_double_le(fabs(sum - y[i]), 1e-14 * size * (n + 1));
  }
}

START_TEST(every_method) {
  const hk_linsolve_ops *ops = hki_linsolve_methods()[_i];
  hk_ctx *ctx = hk_ctx_create();
  uint64_t state = 17;
  static double A[80 * 80];
  for (int32_t n = 0; n < 75; n += n < 10 ? 1 : 7) {
    hk_pattern p;
    hk_linsolve *s;
    hk_linsolve_options o = {.symmetric = ops->symmetric, .method = ops->name};
    hki_pattern_init(&p, ctx, n);
    random_pattern(&p, &state);
    ck_assert_int_eq(hki_linsolve_create(ctx, &p, &o, &s), HK_OK);
    ck_assert_ptr_eq(s->ops, ops);
    ck_assert_int_eq(hki_linsolve_slot(s, n, 0), -1);
    fill(s, &p, 1.0, &state, A);
    ck_assert_int_eq(hki_linsolve_factor(s), HK_OK);
    ck_assert_int_eq(s->bad, -1);
    check(s, A, &state);
    // again with other numbers, without asking the context for memory
    uint64_t before = hki_alloc_count(ctx), full = s->full;
    for (int32_t k = 0; k < 5; k++) {
      fill(s, &p, k % 2 ? 1.0 : -1.0, &state, A);
      ck_assert_int_eq(hki_linsolve_refactor(s), HK_OK);
      check(s, A, &state);
      ck_assert_int_eq(s->negative, ops->symmetric && k % 2 == 0 ? n : 0);
    }
    ck_assert_uint_eq(hki_alloc_count(ctx), before);
    if (strcmp(ops->name, "klu") == 0 && n) ck_assert_uint_eq(s->full, full);
    double rc = hki_linsolve_rcond(s);
    ck_assert(rc > 1e-4 && rc <= 1.0);
    hk_text t;
    hki_text_init(&t, ctx);
    hki_linsolve_describe(s, &t);
    ck_assert_ptr_nonnull(strstr(t.s, "n = "));
    hki_text_free(&t);
    hki_linsolve_destroy(s);
    hki_pattern_free(&p);
  }
  hk_ctx_destroy(ctx);
}
END_TEST

START_TEST(every_method_fails_well) {
  const hk_linsolve_ops *ops = hki_linsolve_methods()[_i];
  hk_ctx *ctx = hk_ctx_create();
  hk_pattern p;
  hk_linsolve *s;
  enum { N = 60 };
  static double A[N * N];
  uint64_t state = 23;
  hk_linsolve_options o = {.symmetric = ops->symmetric, .method = ops->name};
  hki_pattern_init(&p, ctx, N);
  for (int32_t i = 1; i < N; i++) {
    int32_t list[] = {i - 1, i};
    hki_pattern_clique(&p, 2, list);
  }
  ck_assert_int_eq(hki_linsolve_create(ctx, &p, &o, &s), HK_OK);
  // an empty matrix, then a good one, then one with a zero row and column, then not a number
  hki_linsolve_zero(s);
  ck_assert_int_eq(hki_linsolve_refactor(s), HK_E_SINGULAR);
  fill(s, &p, 1.0, &state, A);
  ck_assert_int_eq(hki_linsolve_refactor(s), HK_OK);
  check(s, A, &state);
  for (int32_t i = 0; i < N; i++) {
    int32_t a = hki_linsolve_slot(s, i, 37), b = hki_linsolve_slot(s, 37, i);
    if (a >= 0) s->val[a] = 0.0;
    if (b >= 0) s->val[b] = 0.0;
  }
  ck_assert_int_eq(hki_linsolve_refactor(s), HK_E_SINGULAR);
  ck_assert_int_eq(s->bad, 37);
  fill(s, &p, 1.0, &state, A);
  s->val[hki_linsolve_slot(s, 12, 11)] = NAN;
  ck_assert_int_eq(hki_linsolve_refactor(s), HK_E_NUMBER);
  ck_assert_int_ge(s->bad, 0);
  // and it recovers
  fill(s, &p, 1.0, &state, A);
  ck_assert_int_eq(hki_linsolve_refactor(s), HK_OK);
  check(s, A, &state);
  // a singular matrix by round-off only: a free chain of springs
  hki_linsolve_zero(s);
  for (int32_t i = 1; i < N; i++) {
    double k = 1.5 + t_random(&state);
    s->val[hki_linsolve_slot(s, i, i)] += k;
    s->val[hki_linsolve_slot(s, i - 1, i - 1)] += k;
    s->val[hki_linsolve_slot(s, i, i - 1)] -= k;
    if (!ops->symmetric) s->val[hki_linsolve_slot(s, i - 1, i)] -= k;
  }
  ck_assert_int_eq(hki_linsolve_factor(s), HK_E_SINGULAR);
  hki_linsolve_destroy(s);
  hki_pattern_free(&p);
  hk_ctx_destroy(ctx);
}
END_TEST

/* a second solver with the memory of a first goes on as that does, to the last bit */
START_TEST(every_method_recalls) {
  const hk_linsolve_ops *ops = hki_linsolve_methods()[_i];
  enum { N = 40 };
  static double A[N * N];
  hk_ctx *ctx = hk_ctx_create();
  hk_pattern p;
  hk_linsolve *s[3];
  hk_linsolve_options o = {.symmetric = ops->symmetric, .method = ops->name};
  uint64_t state = 31;
  double x[3][N], *from, *to;
  hki_pattern_init(&p, ctx, N);
  random_pattern(&p, &state);
  for (int k = 0; k < 3; k++) ck_assert_int_eq(hki_linsolve_create(ctx, &p, &o, &s[k]), HK_OK);
  // pivots from a matrix that wants others than the next one
  fill(s[0], &p, ops->symmetric ? 1.0 : 1e-6, &state, A);
  ck_assert_int_eq(hki_linsolve_refactor(s[0]), HK_OK);
  int32_t n = hki_linsolve_memory(s[0], &from);
  ck_assert_int_eq(hki_linsolve_memory(s[1], &to), n);
  if (n) memcpy(to, from, (size_t)n * sizeof *to);
  ck_assert_int_eq(hki_linsolve_recall(s[1]), HK_OK);
  if (n) ck_assert_double_eq(hki_linsolve_rcond(s[1]), hki_linsolve_rcond(s[0]));
  fill(s[0], &p, ops->symmetric ? 1.0 : 0.3, &state, A);
  for (int k = 0; k < 3; k++) {
    memcpy(s[k]->val, s[0]->val, (size_t)s[0]->nval * sizeof *s[0]->val);
    ck_assert_int_eq(hki_linsolve_refactor(s[k]), HK_OK);
    for (int32_t i = 0; i < N; i++) x[k][i] = 1.0 + i;
    hki_linsolve_solve(s[k], x[k]);
  }
  ck_assert_int_eq(memcmp(x[0], x[1], sizeof x[0]), 0);
  // the third has no memory: pivots that were chosen by value do matter
  ck_assert_int_eq(memcmp(x[0], x[2], sizeof x[0]) != 0, n > 0 && s[0]->full > 0);
  for (int k = 0; k < 3; k++) hki_linsolve_destroy(s[k]);
  hki_pattern_free(&p);
  hk_ctx_destroy(ctx);
}
END_TEST

/* every allocation fails once: a clean error, nothing leaks */
START_TEST(every_method_without_memory) {
  const hk_linsolve_ops *ops = hki_linsolve_methods()[_i];
  for (uint64_t at = 1;; at++) {
    hk_ctx *ctx = hk_ctx_create();
    hk_pattern p;
    hk_linsolve *s;
    hk_linsolve_options o = {.symmetric = ops->symmetric, .method = ops->name};
    hki_pattern_init(&p, ctx, 20);
    for (int32_t i = 1; i < 20; i++) hki_pattern_entry(&p, i, i / 2);
    hki_alloc_fail_at(ctx, at);
    hk_status status = hki_linsolve_create(ctx, &p, &o, &s);
    ck_assert(status == HK_OK || status == HK_E_MEMORY);
    ck_assert_int_eq(status == HK_OK, s != NULL);
    hki_linsolve_destroy(s);
    hki_pattern_free(&p);
    hk_ctx_destroy(ctx);
    if (status == HK_OK) break;
    ck_assert_uint_lt(at, 1000);
  }
}
END_TEST

/* which method a system of this size and kind gets */
static const char *chosen(int32_t n, bool symmetric, bool full) {
  hk_ctx *ctx = hk_ctx_create();
  hk_pattern p;
  hk_linsolve *s;
  hk_linsolve_options o = {.symmetric = symmetric};
  hki_pattern_init(&p, ctx, n);
  if (full) hki_pattern_full(&p);
  ck_assert_int_eq(hki_linsolve_create(ctx, &p, &o, &s), HK_OK);
  const char *name = s->ops->name;
  hki_linsolve_destroy(s);
  hki_pattern_free(&p);
  hk_ctx_destroy(ctx);
  return name;
}

START_TEST(choice) {
  ck_assert_str_eq(chosen(5, true, false), "sparse_ldl");
  ck_assert_str_eq(chosen(100, true, true), "sparse_ldl");
  ck_assert_str_eq(chosen(20, false, false), "dense_lu");
  ck_assert_str_eq(chosen(100, false, true), "dense_lu");
#ifdef HK_WITH_KLU
  ck_assert_str_eq(chosen(100, false, false), "klu");
#endif
}
END_TEST

START_TEST(wrong_method) {
  hk_ctx *ctx = hk_ctx_create();
  hk_pattern p;
  hk_linsolve *s;
  hki_pattern_init(&p, ctx, 3);
  hk_linsolve_options o = {.symmetric = true, .method = "sparse_lld"};
  ck_assert_int_eq(hki_linsolve_create(ctx, &p, &o, &s), HK_E_METHOD);
  ck_assert_ptr_null(s);
  ck_assert_str_eq(hk_ctx_message(ctx, 0)->hint, "did you mean 'sparse_ldl'?");
  o.method = "dense_lu";
  ck_assert_int_eq(hki_linsolve_create(ctx, &p, &o, &s), HK_E_METHOD);
  ck_assert_ptr_nonnull(strstr(hk_ctx_message(ctx, 1)->text, "takes unsymmetric matrices"));
  hki_pattern_free(&p);
  hk_ctx_destroy(ctx);
}
END_TEST

START_TEST(compressed_columns) {
  hk_ctx *ctx = hk_ctx_create();
  hk_pattern p;
  hk_csc c;
  hki_pattern_init(&p, ctx, 5);
  int32_t rows[] = {3, 1, 3}, cols[] = {4, 0}, clique[] = {1, 2};
  hki_pattern_rect(&p, 3, rows, 2, cols);
  hki_pattern_clique(&p, 2, clique);
  ck_assert_int_eq(hki_csc_build(&p, &c), HK_OK);
  static const char mask[5][6] = {"10000", "11101", "01100", "10011", "00001"};
  int32_t count = 0;
  for (int32_t i = 0; i < 5; i++) {
    for (int32_t j = 0; j < 5; j++) {
      int32_t k = hki_csc_slot(&c, i, j);
      ck_assert_int_eq(k >= 0, mask[i][j] == '1');
      if (k < 0) continue;
      ck_assert_int_eq(c.row[k], i);
      count++;
    }
  }
  ck_assert_int_eq(count, c.start[5]);
  hki_csc_free(ctx, &c);
  hki_pattern_free(&p);
  hk_ctx_destroy(ctx);
}
END_TEST

/* Two bodies a link, a row on each link: multipliers have no diagonal, and need none where they follow
 * their bodies. wide: entries of a body */
enum { LINKS = 12, WIDE = 3, SADDLE = WIDE * (LINKS + 1) + LINKS };

static void saddle(hk_ctx *ctx, int32_t rows, hk_linsolve **s, double *A) {
  hk_pattern p;
  uint64_t state = 5;
  const hk_linsolve_options o = {.method = "panels", .rows = rows};
  const int32_t n = SADDLE, nb = WIDE * (LINKS + 1);
  hki_pattern_init(&p, ctx, n);
  for (int32_t k = 0; k < LINKS; k++) {
    int32_t list[2 * WIDE], row = nb + k;
    for (int32_t i = 0; i < 2 * WIDE; i++) list[i] = WIDE * k + i;
    hki_pattern_clique(&p, 2 * WIDE, list);
    hki_pattern_rect(&p, 1, &row, 2 * WIDE, list);
    hki_pattern_rect(&p, 2 * WIDE, list, 1, &row);
  }
  ck_assert_int_eq(hki_linsolve_create(ctx, &p, &o, s), HK_OK);
  fill(*s, &p, 1.0, &state, A);
  // the rows lose their diagonal
  for (int32_t k = nb; k < n; k++) {
    A[k * n + k] = 0.0;
    (*s)->val[hki_linsolve_slot(*s, k, k)] = 0.0;
  }
  hki_pattern_free(&p);
}

START_TEST(panels_saddle) {
  hk_ctx *ctx = hk_ctx_create();
  hk_linsolve *s;
  static double A[SADDLE * SADDLE];
  uint64_t state = 3;
  saddle(ctx, WIDE * (LINKS + 1), &s, A);
  ck_assert_int_eq(hki_linsolve_factor(s), HK_OK);
  check(s, A, &state);
  ck_assert_uint_eq(s->full, 0);
  hki_linsolve_destroy(s);
  hk_ctx_destroy(ctx);
}
END_TEST

#ifdef HK_WITH_KLU
/* where a pivot of the fixed order is bad, the solver that chooses pivots takes over: at once where it is
 * zero, after the first solution where that is wrong; a resumed solver goes on in the same way */
START_TEST(panels_take_over) {
  hk_ctx *ctx = hk_ctx_create();
  hk_linsolve *s, *t;
  static double A[SADDLE * SADDLE];
  double x[SADDLE], y[SADDLE], b[SADDLE], *from, *to;
  uint64_t state = 3;
  const double diagonal = _i ? 1e-14 : 0.0;
  saddle(ctx, WIDE * (LINKS + 1), &s, A);
  saddle(ctx, WIDE * (LINKS + 1), &t, A);
  // bodies without a mass of their own: held by the rows and by one another alone
  for (int32_t i = 0; i < SADDLE; i++) {
    A[i * SADDLE + i] = i < WIDE * (LINKS + 1) ? diagonal : 0.0;
    s->val[hki_linsolve_slot(s, i, i)] = A[i * SADDLE + i];
    b[i] = x[i] = y[i] = t_random(&state);
  }
  ck_assert_int_eq(hki_linsolve_factor(s), HK_OK);
  hki_linsolve_solve(s, x);
  ck_assert_uint_gt(s->full, 0);
  ck_assert_double_lt(t_residual(SADDLE, A, x, b), 1e-13);
  const int32_t n = hki_linsolve_memory(s, &from);
  ck_assert_int_eq(hki_linsolve_memory(t, &to), n);
  memcpy(to, from, (size_t)n * sizeof *to);
  ck_assert_int_eq(hki_linsolve_recall(t), HK_OK);
  memcpy(t->val, s->val, (size_t)s->nval * sizeof *s->val);
  ck_assert_int_eq(hki_linsolve_refactor(t), HK_OK);
  ck_assert_int_eq(hki_linsolve_refactor(s), HK_OK);
  memcpy(x, b, sizeof x);
  hki_linsolve_solve(s, x);
  hki_linsolve_solve(t, y);
  ck_assert_int_eq(memcmp(x, y, sizeof x), 0);
  hki_linsolve_destroy(s);
  hki_linsolve_destroy(t);
  hk_ctx_destroy(ctx);
}
END_TEST

/* much fill: panels; next to none: sparse LU */
START_TEST(panels_choice) {
  for (int plate = 0; plate < 2; plate++) {
    hk_ctx *ctx = hk_ctx_create();
    hk_pattern p;
    hk_linsolve *s;
    const hk_linsolve_options o = {0};
    const int32_t side = 40;
    hki_pattern_init(&p, ctx, side * side);
    for (int32_t i = 0; i + 1 < side * side; i++) {
      int32_t near[4] = {i, i + 1, i + side, i + side + 1};
      hki_pattern_clique(&p, plate && i + side + 1 < side * side ? 4 : 2, near);
    }
    ck_assert_int_eq(hki_linsolve_create(ctx, &p, &o, &s), HK_OK);
    ck_assert_str_eq(s->ops->name, plate ? "panels" : "klu");
    hki_linsolve_destroy(s);
    hki_pattern_free(&p);
    hk_ctx_destroy(ctx);
  }
}
END_TEST

/* kept pivots that become bad are noticed and chosen anew */
START_TEST(klu_doubt) {
  hk_ctx *ctx = hk_ctx_create();
  hk_pattern p;
  hk_linsolve *s;
  enum { N = 60 };
  uint64_t state = 29;
  static double A[N * N];
  hk_linsolve_options o = {.method = "klu"};
  hki_pattern_init(&p, ctx, N);
  for (int32_t i = 0; i < N; i++) {
    int32_t list[] = {i, (i + 1) % N, (i * 7) % N};
    hki_pattern_clique(&p, 3, list);
  }
  ck_assert_int_eq(hki_linsolve_create(ctx, &p, &o, &s), HK_OK);
  fill(s, &p, 1.0, &state, A);
  ck_assert_int_eq(hki_linsolve_refactor(s), HK_OK);
  ck_assert_uint_eq(s->full, 1);
  // a tiny diagonal: the old pivots would give garbage
  fill(s, &p, 1e-16, &state, A);
  ck_assert_int_eq(hki_linsolve_refactor(s), HK_OK);
  ck_assert_uint_eq(s->full, 2);
  double x[N], b[N];
  for (int32_t i = 0; i < N; i++) b[i] = x[i] = t_random(&state);
  hki_linsolve_solve(s, x);
  ck_assert_double_lt(t_residual(N, A, x, b), 1e-13);
  hki_linsolve_destroy(s);
  hki_pattern_free(&p);
  hk_ctx_destroy(ctx);
}
END_TEST
#endif

/* a table that lacks an operation is found out */
START_TEST(every_method_is_complete) {
  const hk_linsolve_ops *ops = hki_linsolve_methods()[_i];
  const char *fault = hki_linsolve_fault(ops);
  ck_assert_msg(!fault, "'%s': %s", ops->name, fault);
  hk_linsolve_ops less = *ops;
  less.slot = NULL;
  ck_assert_str_eq(hki_linsolve_fault(&less), "slot is missing");
  less = *ops;
  less.recall = NULL;
  ck_assert(!ops->memory == !hki_linsolve_fault(&less));
}
END_TEST

Suite *suite_linsolve(void);
Suite *suite_linsolve(void) {
  Suite *s = suite_create("linalg/linsolve");
  TCase *t = tcase_create("all");
  int count = 0;
  while (hki_linsolve_methods()[count]) count++;
  tcase_set_timeout(t, 60);
  tcase_add_loop_test(t, every_method, 0, count);
  tcase_add_loop_test(t, every_method_is_complete, 0, count);
  tcase_add_loop_test(t, every_method_fails_well, 0, count);
  tcase_add_loop_test(t, every_method_without_memory, 0, count);
  tcase_add_loop_test(t, every_method_recalls, 0, count);
  tcase_add_test(t, choice);
  tcase_add_test(t, wrong_method);
  tcase_add_test(t, compressed_columns);
  tcase_add_test(t, panels_saddle);
#ifdef HK_WITH_KLU
  tcase_add_loop_test(t, panels_take_over, 0, 2);
  tcase_add_test(t, panels_choice);
  tcase_add_test(t, klu_doubt);
#endif
  suite_add_tcase(s, t);
  return s;
}

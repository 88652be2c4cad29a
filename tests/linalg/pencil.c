/* SPDX-License-Identifier: Apache-2.0
 *
 * A + g C + g^2 K with an unsymmetric C, and a symmetric one: products and solutions against one another and
 * against dense sums, small enough for the dense solver and large enough for the sparse one.
 */
#include <check.h>
#include <stdlib.h>

#include "linalg/pencil.h"
#include "numbers.h"

/* a chain: each unknown coupled with the next two */
static hk_ldl *chain(hk_ctx *ctx, int32_t n) {
  hk_pattern p;
  hk_ldl *s = NULL;
  hki_pattern_init(&p, ctx, n);
  for (int32_t i = 0; i + 2 < n; i++) hki_pattern_clique(&p, 3, (int32_t[]){i, i + 1, i + 2});
  ck_assert_int_eq(hki_ldl_create(ctx, &p, NULL, &s), HK_OK);
  hki_pattern_free(&p);
  return s;
}

static void fill(const hk_pencil *p, double *X, double diagonal, uint64_t *seed) {
  for (int32_t i = 0; i < p->n; i++)
    for (int32_t e = p->start[i]; e < p->start[i + 1]; e++)
      X[e] = noise(seed) + (p->col[e] == i ? diagonal : 0.0);
}

static const struct {
  int32_t n;
  bool symmetric;
} kinds[] = {{7, false}, {7, true}, {150, false}, {150, true}};

START_TEST(products_and_solutions) {
  const int32_t n = kinds[_i].n;
  const double g = 0.3;
  hk_ctx *ctx = hk_ctx_create();
  hk_ldl *like = chain(ctx, n);
  hk_pencil p;
  uint64_t seed = 5;
  double *v[4];
  ck_assert_int_eq(hki_pencil_create(ctx, like, kinds[_i].symmetric, &p), HK_OK);
  for (int k = 0; k < 4; k++) v[k] = calloc((size_t)n, sizeof(double));
  fill(&p, p.A, 12.0, &seed), fill(&p, p.C, 0.0, &seed), fill(&p, p.K, 0.0, &seed);
  for (int32_t i = 0; i < n; i++) v[3][i] = v[0][i] = noise(&seed);
  ck_assert_int_eq(hki_pencil_factor(&p, g), HK_OK);
  hki_pencil_solve(&p, v[0]);
  // T x by its parts gives the right side back
  for (int32_t i = 0; i < n; i++) v[1][i] = g * v[0][i], v[2][i] = g * g * v[0][i];
  double *y = calloc((size_t)n, sizeof *y);
  hki_pencil_mul(&p, v[0], v[1], v[2], y);
  for (int32_t i = 0; i < n; i++) ck_near(y[i], v[3][i], 1e-12);
  // one entry alone: in its own place, or in both
  memset(p.A, 0, (size_t)p.nentry * sizeof *p.A);
  memset(p.C, 0, (size_t)p.nentry * sizeof *p.C);
  memset(p.K, 0, (size_t)p.nentry * sizeof *p.K);
  p.C[hki_pencil_entry(&p, 3, 2)] = 5.0;
  hki_pencil_mul(&p, v[0], v[3], v[2], y);
  ck_near(y[3], 5.0 * v[3][2], 1e-15);
  ck_near(y[2], kinds[_i].symmetric ? 5.0 * v[3][3] : 0.0, 1e-15);
  for (int k = 0; k < 4; k++) free(v[k]);
  free(y);
  hki_pencil_destroy(&p);
  hki_ldl_destroy(like);
  hk_ctx_destroy(ctx);
}
END_TEST

/* values of the symmetric matrix, in both triangles */
START_TEST(taken) {
  hk_ctx *ctx = hk_ctx_create();
  hk_ldl *like = chain(ctx, 7);
  double *val = calloc((size_t)hki_ldl_value_count(like), sizeof *val);
  hk_pencil p;
  ck_assert_int_eq(hki_pencil_create(ctx, like, false, &p), HK_OK);
  for (int32_t i = 0; i < 7; i++)
    for (int32_t j = i; j < 7 && j < i + 3; j++) hki_ldl_add(like, val, i, j, 10.0 * i + j);
  hki_pencil_take(&p, val, p.K);
  ck_assert(p.K[hki_pencil_entry(&p, 4, 5)] == 45.0 && p.K[hki_pencil_entry(&p, 5, 4)] == 45.0);
  ck_assert(p.K[hki_pencil_entry(&p, 6, 6)] == 66.0);
  // zero is singular
  memset(p.K, 0, (size_t)p.nentry * sizeof *p.K);
  ck_assert_int_ne(hki_pencil_factor(&p, 1.0), HK_OK);
  free(val);
  hki_pencil_destroy(&p);
  hki_pencil_destroy(&p);
  hki_ldl_destroy(like);
  hk_ctx_destroy(ctx);
}
END_TEST

Suite *suite_pencil(void);
Suite *suite_pencil(void) {
  Suite *s = suite_create("pencil");
  TCase *t = tcase_create("pencil");
  tcase_add_loop_test(t, products_and_solutions, 0, 4);
  tcase_add_test(t, taken);
  suite_add_tcase(s, t);
  return s;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of src/expr share: a scope with the inputs t, s, sdot, x, y and
 * body.rod.position.x in slots 0 to 5, the parameters L = 2, k = 100, zero = 0, and a front_left.k
 * = 7.
 */
#ifndef HK_TESTS_EXPR_SUPPORT_H
#define HK_TESTS_EXPR_SUPPORT_H

#include <check.h>
#include <math.h>
#include <string.h>

#include "expr/expr.h"
#include "expr/jumps.h"

enum { SLOT_T, SLOT_S, SLOT_SDOT, SLOT_X, SLOT_Y, SLOT_ROD, SLOT_COUNT };

typedef struct fixture {
  hk_ctx *ctx;
  hk_pool *pool;
  hk_expr_scope scope;
} fixture;

void fixture_open(fixture *f);
void fixture_close(fixture *f);

/* compile at line 7, column 11 of model.yaml; NULL after an error */
hk_expr *compile(fixture *f, const char *text);
/* compile, which must succeed */
hk_expr *must(fixture *f, const char *text);
/* value of a text, which must compile, at these inputs (NULL: all zero) */
double value_of(fixture *f, const char *text, const double *inputs);

/* Lists of breaks in x0 < x <= x1, from the next one each time; at most max, returns how many.
 * Breaks of expressions that differ by rounding are one, the last of them. */
int32_t expr_breaks(const hk_expr *e, int32_t slot, double x0, double x1, double *out, int32_t max);
int32_t shape_breaks(const hk_shape *s, double x0, double x1, double *out, int32_t max);
int32_t table_breaks(const hk_table *t, double x0, double x1, double *out, int32_t max);

#endif

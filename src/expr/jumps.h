/* SPDX-License-Identifier: Apache-2.0
 *
 * jumps.h: the times at which a function of time may jump or bend, one after the other.
 */
#ifndef HK_EXPR_JUMPS_H
#define HK_EXPR_JUMPS_H

#include "expr/expr.h"
#include "expr/shapes.h"
#include "expr/table.h"

/* a signal: an expression, or a table or shape of the value of an expression */
typedef struct hk_time_function {
  const hk_expr *expr;   /* NULL: time itself */
  int32_t slot;          /* input of `expr` that is time, -1: none */
  const hk_table *table; /* or NULL */
  const hk_shape *shape; /* or NULL */
} hk_time_function;

/* The first time behind t, INFINITY: none. A jump is at the first number of its new side and does
 * not depend on t. Those of a table or shape are found where its argument reads nothing but time and
 * is linear in it up to its own next break. */
double hki_next_jump(const hk_time_function *f, double t);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * jumps.h: the times at which a function of time may jump or bend, one after the other.
 */
#ifndef HK_EXPR_JUMPS_H
#define HK_EXPR_JUMPS_H

#include "expr/expr.h"
#include "expr/shapes.h"
#include "expr/surface.h"
#include "expr/table.h"

/* a signal: an expression, a table or shape of the value of an expression, or a table in two
 * variables of the values of two */
typedef struct hk_time_function {
  const hk_expr *expr;       /* NULL: time itself */
  int32_t slot;              /* input of the expressions that is time, -1: none */
  const hk_table *table;     /* or NULL */
  const hk_shape *shape;     /* or NULL */
  const hk_expr *second;     /* with a surface: its second argument, of the same inputs */
  const hk_surface *surface; /* or NULL */
} hk_time_function;

/* y (3): value, rate and acceleration where the inputs of its expressions are x, with rates xd and
 * accelerations xdd; xd NULL: the value alone, y[1] = y[2] = 0. Without an expression x[0] is time. */
void hki_time_function_eval(const hk_time_function *f, const double *x, const double *xd,
                            const double *xdd, double y[3]);

/* The first time behind t, INFINITY: none. A jump is at the first number of its new side and does
 * not depend on t. Those of a table or shape are found where its argument reads nothing but time and
 * is linear in it up to its own next break. */
double hki_next_jump(const hk_time_function *f, double t);

#endif

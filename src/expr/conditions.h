/* SPDX-License-Identifier: Apache-2.0
 *
 * conditions.h: the comparisons inside an expression, as numbers whose signs decide them.
 */
#ifndef HK_EXPR_CONDITIONS_H
#define HK_EXPR_CONDITIONS_H

#include "expr/expr.h"

/* how many of < <= > >= step sign there are in the program */
int32_t hki_expr_comparisons(const hk_expr *e);

/* out: left side minus right side of each (the operand of step and sign); NAN where the comparison
 * stands in a branch that is not taken */
void hki_expr_differences(const hk_expr *e, const double *inputs, double *out);

#endif

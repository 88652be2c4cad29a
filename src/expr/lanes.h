/* SPDX-License-Identifier: Apache-2.0
 *
 * lanes.h: registers of an expression on four lanes (lanes.c), and its program for processors with AVX2 (lanes_wide.c).
 */
#ifndef HK_EXPR_LANES_H
#define HK_EXPR_LANES_H

#include "expr/expr_impl.h"

/* values, first and second derivatives */
typedef struct hki_expr_lane {
  double v[HK_EXPR_LANES], d[HK_EXPR_LANES], dd[HK_EXPR_LANES];
} hki_expr_lane;

typedef struct hki_expr_lanes {
  hki_expr_lane r[HKI_EXPR_SMALL];
  bool flat[HKI_EXPR_SMALL]; /* derivatives are zeros, and not stored */
} hki_expr_lanes;

/* an operation that is no sum, difference, product, quotient or limit; true: the result is flat */
bool hki_expr_lanes_other(hki_expr_lanes *f, const hk_expr_instr *i);

/* is there a version for AVX2, and a processor for it? */
bool hki_expr_lanes_here(void);
/* the program of e on f: the bits of lanes.c */
void hki_expr_lanes_wide(const hk_expr *e, hki_expr_lanes *f);

#endif

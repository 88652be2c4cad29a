/* SPDX-License-Identifier: Apache-2.0
 *
 * rolls.h: passes of one loop of the library that follow each other as ways within ways,
 *
 *   if (!c0) { v1 = f(v0); c1 = g(v1); if (!c1) { v2 = f(v1); c2 = g(v2); if (!c2) { .. } } }
 *
 * are written as a loop again, whose body is there once. A step of ten four-bars has twelve such passes of its projections, and its text is
 * half as long with two.
 */
#ifndef HK_CODEGEN_ROLLS_H
#define HK_CODEGEN_ROLLS_H

#include "codegen/meet.h"

/* a value that goes from one pass to the next: what it is before the first one, in the first one, and in the second */
typedef struct hk_rolled {
  hk_node before, first, second;
} hk_rolled;

typedef struct hk_roll {
  uint32_t passes;
  uint32_t *way;     /* of each pass */
  hk_rolled *values; /* that the next pass takes; the first one is the condition of a pass */
  int32_t nvalues, cap_values;
  hk_rolled *meets; /* before: a selection that ways write (meet.h) */
  int32_t nmeets, cap_meets;
} hk_roll;

typedef struct hk_rolls {
  hk_roll *rolls;
  int32_t n;
  int32_t *of;   /* of each way: 1 + its loop, 0: it is none of a loop */
  uint8_t *pass; /* and the number of its pass, from 1 on */
} hk_rolls;

/* An order (order.h) in which what every pass computes alike is computed before the first one. */
hk_status hki_rolls_order(hk_plan *p, hk_status (*order)(hk_plan *));
/* the loops of such a plan; NULL: no memory */
const hk_rolls *hki_rolls_find(const hk_plan *p, const hk_meets *m);

#endif

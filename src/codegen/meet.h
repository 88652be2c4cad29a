/* SPDX-License-Identifier: Apache-2.0
 *
 * meet.h: values of branches without selections, for programs whose branches are those of one world. Where a selection takes the
 * value of a way, or another one where that way is not taken,
 *
 *   t1 = 0; if (!c) { .. t1 = ..; } t3 = c ? t2 : t1;        becomes        t3 = t2; if (!c) { .. t3 = ..; }
 *
 * One number waits in the place of two, and a way that is not taken costs nothing. In lanes some worlds take a way and others do
 * not: there values are selected.
 */
#ifndef HK_CODEGEN_MEET_H
#define HK_CODEGEN_MEET_H

#include "codegen/plan.h"

typedef struct hk_meets {
  hk_node *name; /* of each node: in whose variable it is, its own or that of a selection */
  hk_node *
      way; /* of a selection: the value of its way, which is written as the selection; 0: it selects */
  hk_node *first,
      *next; /* selections that are set before way r is entered: first[r], next of each */
} hk_meets;

/* for the order of the plan; NULL: no memory */
const hk_meets *hki_meets_find(const hk_plan *p);
/* the value of such a selection where its way is not taken */
hk_node hki_meets_other(const hk_plan *p, const hk_meets *m, hk_node selection);

#endif

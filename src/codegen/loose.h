/* SPDX-License-Identifier: Apache-2.0
 *
 * loose.h: whole numbers that a turn of an iteration, or a step, leaves behind and that depend on the state: the branch that a law has
 * taken. A program carries numbers with a point from one to the next, and no others. So such a whole number is not known at the beginning
 * of the next one; what asks for it there cannot become a program.
 */
#ifndef HK_CODEGEN_LOOSE_H
#define HK_CODEGEN_LOOSE_H

#include "codegen/machine.h"

typedef struct hk_loose {
  int32_t n, cap;
  struct hk_loose_cell {
    uint32_t at;
    int32_t n; /* bytes */
  } * cells;
} hk_loose;

/* those that bear the mark join the list; *more: there was one that was not in it */
hk_status hki_loose_find(hk_guest *m, uint8_t mark, hk_loose *l, bool *more);
/* they are not known from now on */
hk_status hki_loose_put(hk_guest *m, const hk_loose *l);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * packs.h: like operations of a step that become one operation on two or four numbers: those of the corners of a
 * vehicle, of the bars of a row.
 */
#ifndef HK_CODEGEN_PACKS_H
#define HK_CODEGEN_PACKS_H

#include "codegen/plan.h"

/* finds the packs of a plan whose needs and ways are known */
hk_status hki_packs_find(hk_plan *p);
/* takes a pack apart */
void hki_packs_undo(hk_plan *p, uint32_t k);
/* can operations of this kind be packed? */
bool hki_packs_can(int op);
/* Operand `k` of the lanes of a pack, in the order that fits best. flip: bits of the lanes whose sign changes on the way. */
void hki_packs_operand(const hk_plan *p, const hk_pack *pack, int k, hk_node *lanes,
                       uint32_t *flip);

#endif

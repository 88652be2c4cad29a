/* SPDX-License-Identifier: Apache-2.0
 *
 * order.h: the order in which a plan's nodes are written.
 */
#ifndef HK_CODEGEN_ORDER_H
#define HK_CODEGEN_ORDER_H

#include "codegen/plan.h"

/* Nodes in an order in which operands come first, those of a way together, packs as one. Packs for which there is none
 * are taken apart. */
hk_status hki_order_find(hk_plan *p);
/* The same nodes in depth, so that few values wait for those that take them; plans with packs stay as they are. */
hk_status hki_order_deepen(hk_plan *p);

#endif

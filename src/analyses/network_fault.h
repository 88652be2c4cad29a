/* SPDX-License-Identifier: Apache-2.0
 *
 * network_fault.h: what keeps the scalar unknowns of a model from being determined, in words.
 */
#ifndef HK_ANALYSES_NETWORK_FAULT_H
#define HK_ANALYSES_NETWORK_FAULT_H

#include "machines/tree/tree.h"

/* buf: floating nodes, short circuits, loops of ideal sources at the present state of s, by name; ""
 * where the unknowns are determined */
hk_status hki_network_fault(hk_tree *s, char *buf, size_t cap);
/* the hint that goes with it */
#define HK_NETWORK_HINT                                                                            \
  "tie nodes to 'ground', to a node with a 'value:' or to a storage; give ideal sources a "        \
  "resistance"

#endif

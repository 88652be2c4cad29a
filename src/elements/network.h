/* SPDX-License-Identifier: Apache-2.0
 *
 * network.h: what the elements between scalar nodes share.
 *
 * A flow f from the first node through the element to the second leaves the one and enters the
 * other: F[0] = f, F[1] = -f.
 */
#ifndef HK_ELEMENTS_NETWORK_H
#define HK_ELEMENTS_NETWORK_H

#include <string.h>

#include "elements/element.h"

enum { HK_NX = HK_ELEMENT_UNKNOWNS };

/* nothing flows, nothing moves; n unknowns */
static inline void hki_netel_clear(hk_element_out *out, int32_t n) {
  size_t bytes = (size_t)(n * HK_NX) * sizeof(double);
  memset(out->F, 0, sizeof out->F);
  memset(out->Fx, 0, bytes);
  memset(out->Fxd, 0, bytes);
  memset(out->Fs, 0, sizeof out->Fs);
  memset(out->Fsd, 0, sizeof out->Fsd);
  memset(out->Fu, 0, sizeof out->Fu);
  memset(out->tau_x, 0, sizeof out->tau_x);
  out->tau = out->K[0] = out->C[0] = 0.0;
  out->energy = out->dissipated = out->supplied = 0.0;
}

/* flow f from node 0 to node 1, with its slope by what `at` says: add to column j of a matrix */
static inline void hki_netel_flow(hk_element_out *out, double f) { out->F[0] += f, out->F[1] -= f; }
static inline void hki_netel_slope(double *matrix, int32_t column, double slope) {
  matrix[column] += slope;
  matrix[HK_NX + column] -= slope;
}

/* domains of two nodes of the same kind, and of these with a thermal one that takes the heat */
extern const hk_domain hki_netel_electric[], hki_netel_thermal[], hki_netel_hydraulic[],
    hki_netel_abstract[];

/* scale of one unknown of its own, of ordinary size */
extern const double hki_netel_unit[];

/* rows of parameter tables */
#define HK_NETEL_BETWEEN(text_)                                                                    \
  { "between", HK_P_NODES, HK_P_REQUIRED, 0, 0, 0, 0, "", NULL, text_ }
#define HK_NETEL_END                                                                               \
  { .type = HK_P_END }

#endif

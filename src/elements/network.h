/* SPDX-License-Identifier: Apache-2.0
 *
 * network.h: functions and constants that the elements between scalar nodes share.
 *
 * A flow f from the first node through the element to the second leaves the one and enters the
 * other: F[0] = f, F[1] = -f.
 */
#ifndef HK_ELEMENTS_NETWORK_H
#define HK_ELEMENTS_NETWORK_H

#include <string.h>

#include "elements/element.h"

enum { HK_NX = HK_ELEMENT_UNKNOWNS };

/* set all outputs of an element with n nodes and own unknowns to zero */
static inline void hki_netel_clear(hk_element_out *out, int32_t n) {
  const size_t row = HK_NX * sizeof(double);
  // F and Fx, then Fs to tau_x lie side by side
  memset((char *)out + offsetof(hk_element_out, F), 0, (size_t)(n + 1) * row);
  memset(out->Fxd, 0, (size_t)n * row);
  memset((char *)out + offsetof(hk_element_out, Fs), 0,
         offsetof(hk_element_out, tau_x) + row - offsetof(hk_element_out, Fs));
  out->tau = out->K[0] = out->C[0] = 0.0;
  for (int32_t i = 0; i < HK_ELEMENT_INPUTS; i++) out->Wu[12 * i] = 0.0;
  out->energy = out->dissipated = out->supplied = 0.0;
}

/* add a flow f from node 0 to node 1, and its slope to a column of Fx or Fxd */
static inline void hki_netel_flow(hk_element_out *out, double f) { out->F[0] += f, out->F[1] -= f; }
static inline void hki_netel_slope(double *matrix, int32_t column, double slope) {
  matrix[column] += slope;
  matrix[HK_NX + column] -= slope;
}

/* domains of two nodes of the same kind; electric: and of a thermal node that takes the heat */
extern const hk_domain hki_netel_electric[], hki_netel_thermal[], hki_netel_hydraulic[],
    hki_netel_abstract[];

/* own_scale of an element with one own unknown of size 1 */
extern const double hki_netel_unit[];

/* The element of one state of a signal, dx/dt = u: its first input is the rate, its first output the
 * state; par: ops->par_size bytes, u: its other inputs. */
const hk_element_ops *hki_netel_state(void);
void hki_netel_state_par(void *par, double *u, double start);

/* The element that brings a power, its first input, to a thermal node, the second of its nodes. */
const hk_element_ops *hki_netel_heat(void);
enum { HK_NETEL_HEATED = 1 };

/* rows of parameter tables */
#define HK_NETEL_BETWEEN(text_)                                                                    \
  { "between", HK_P_NODES, HK_P_REQUIRED, 0, 0, 0, 0, "", NULL, text_ }

#endif

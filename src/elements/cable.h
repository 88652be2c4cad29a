/* SPDX-License-Identifier: Apache-2.0
 *
 * cable.h: a rope without mass and without friction over any number of points and pulleys, with one
 * tension in all of it (cable.c).
 */
#ifndef HK_ELEMENTS_CABLE_H
#define HK_ELEMENTS_CABLE_H

#include "elements/span.h"
#include "elements/tension.h"
#include "elements/wide.h"

enum { HK_CABLE_MOST = 32 }; /* points and pulleys of one */

typedef struct hk_cable_par {
  hk_tension_par law;
  double radius[HK_CABLE_MOST]; /* signed, see span.h; 0: a point */
  double
      turns[HK_CABLE_MOST]; /* full turns of the rope about a pulley, beside the angle it wraps */
  double drawn[HK_CABLE_MOST]; /* that angle as drawn, where there are full turns */
} hk_cable_par;

/* keeps the angles at the drawing position */
void hki_cable_prepare(hk_cable_par *par, int32_t n, const hk_frame *m0);
/* length of the path over n frames; touched (n; may be NULL): the rope lies on it. NAN: there is none */
double hki_cable_length(const hk_cable_par *par, int32_t n, const hk_frame *m, bool *touched);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * beam_slider.h: parameters of a point of a body that runs along a beam (beam_slider.c).
 */
#ifndef HK_ELEMENTS_BEAM_SLIDER_H
#define HK_ELEMENTS_BEAM_SLIDER_H

#include "elements/wide.h"

enum { HK_SLIDER_NODES = 256 }; /* at most */

typedef struct hk_slider_par {
  double k, c;          /* across the beam: N/m, N s/m */
  double drag, force;   /* along it: N s/m, N */
  double h;             /* length between two nodes as drawn, m */
  double first, length; /* where its first node stands, and the length of the beam, m */
  bool leave;           /* past an end: the guide fades; else a stop of stiffness k */
} hk_slider_par;

/* marker 0: the point of the body; then the nodes, from the start to the end */
extern const hk_wide_ops hki_beam_slider;

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * beam.h: parameters of all beam elements. A node is a marker whose x axis lies along the beam, at
 * the reference point of the section, y and z are the axes of the section.
 *
 * Vectors of strains and section forces have the rotations first:
 *
 *   e = (kappa, gamma)       twist and curvatures (1/m), axial and shear strains
 *   f = (M, N) = C (e + tau de/dt)
 */
#ifndef HK_ELEMENTS_BEAM_H
#define HK_ELEMENTS_BEAM_H

#include "elements/wide.h"

typedef struct hk_beam_par {
  double C[2][36]; /* stiffness of the section at the points of integration, symmetric */
  double tau;      /* s */
  double length;   /* along the line, as drawn, m */
  /* from the drawing, by prepare: */
  double e0[2][6]; /* what the strains are measured from */
  double J[2];     /* length per unit of the element's coordinate -1 .. 1 */
} hk_beam_par;

/* f = C x, 6 numbers */
static inline void hki_beam_law(const double *C, const double *x, double *f) {
  for (int i = 0; i < 6; i++) {
    f[i] = 0.0;
    for (int j = 0; j < 6; j++) f[i] += C[6 * i + j] * x[j];
  }
}

/* Neighbouring nodes that are turned against each other by nearly half a turn: the rotation vector between
 * them jumps there */
static inline const char *hki_beam_refuses(int32_t nmark, const hk_frame *m) {
  const double most = -0.9876883405951378; // cos(0.95 pi)
  for (int32_t i = 0; i + 1 < nmark; i++) {
    double trace = 0.0;
    for (int k = 0; k < 9; k++) trace += m[i].R[k] * m[i + 1].R[k];
    if (0.5 * (trace - 1.0) < most)
      return "neighbouring nodes are turned against each other by more than 171 degrees, and from "
             "half a turn on its strains have no meaning; take more 'elements'";
  }
  return NULL;
}

extern const hk_wide_ops hki_beam_three;      /* three nodes: the default */
extern const hk_wide_ops hki_beam_helicoidal; /* two nodes */
extern const hk_wide_ops hki_beam_volume_two; /* two nodes, finite volumes */
extern const hk_wide_ops hki_beam_volume;     /* three nodes, finite volumes */

#endif

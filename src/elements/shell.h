/* SPDX-License-Identifier: Apache-2.0
 *
 * shell.h: parameters of surface elements: the shell, whose nodes are markers with the z axis along the
 * normal of the surface, and the membrane, whose nodes are points.
 */
#ifndef HK_ELEMENTS_SHELL_H
#define HK_ELEMENTS_SHELL_H

#include "elements/quad.h"

/* strains of a shell at a point: 11, 22, 2 12, curvatures the same, shear 13, 23, drilling rotation */
enum { HK_SHELL_E = 9 };

typedef struct hk_shell_par {
  double C[HK_SHELL_E * HK_SHELL_E]; /* section law, symmetric; the last of the drilling rotation */
  double tau;                        /* s: section forces follow strains + tau times their rates */
  double along[3];                   /* direction near the x axis of the section, world, as drawn */
  double enhanced;                   /* parameters of enhanced strains: 0, 4, 5 or 7 */
  /* from the drawing, by prepare: */
  hk_quad_point point[HK_QUAD];
  double H[HK_QUAD_ENHANCED * HK_QUAD_ENHANCED];
  double shear[HK_QUAD][2]
              [4]; /* shear strains 13, 23 of a point from those in the middles of the sides */
  double tie0[4];  /* those as drawn */
  double bend0[HK_QUAD][3];             /* curvatures as drawn */
  double drill[HK_QUAD][2][HK_QUAD][3]; /* axes a1, a2 of a point in the axes of each node */
  double drill0[HK_QUAD];
} hk_shell_par;

typedef struct hk_membrane_par {
  double D[9];     /* section law */
  double S0[3];    /* prestress as drawn, N/m: 11, 22, 12 */
  double tau;      /* s */
  double along[3]; /* as above */
  double enhanced;
  /* by prepare: */
  hk_quad_point point[HK_QUAD];
  double H[HK_QUAD_ENHANCED * HK_QUAD_ENHANCED];
} hk_membrane_par;

extern const hk_wide_ops hki_shell, hki_membrane;

#endif

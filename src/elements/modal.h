/* SPDX-License-Identifier: Apache-2.0
 *
 * modal.h: parameters of a body with modes, as an element on several markers. The first marker is its
 * floating frame, at the centre of mass of the shape at rest; each of the others stands for one modal
 * coordinate e, the displacement of its origin along the x axis of the world from where it is drawn.
 *
 * The bodies of the markers have the masses of the rigid body and `unit` for each coordinate; what the
 * mass matrix has beside these is here.
 */
#ifndef HK_ELEMENTS_MODAL_H
#define HK_ELEMENTS_MODAL_H

#include "elements/wide.h"

/* axes of the first marker, about its origin; matrices row-major */
typedef struct hk_modal_par {
  uint64_t digest; /* of what the arrays come from: all else of the parameters that a hash needs */
  double unit;     /* kg */
  double g[3];     /* m/s^2 */
  double rest;     /* m: x of the markers of the coordinates, as drawn */
  int32_t ne, spare;
  const double *S1;    /* ne x 3 */
  const double *I1;    /* ne x 9, symmetric */
  const double *I2;    /* ne x ne x 9; I2_ji is the transpose of I2_ij */
  const double *D0;    /* ne x 3 */
  const double *D1;    /* ne x ne x 3: column j of D1_i at 3 (ne i + j) */
  const double *M;     /* ne x ne: modal mass, less `unit` on its diagonal */
  const double *K;     /* ne x ne */
  const double *C;     /* ne x ne: damping */
  const double *scale; /* ne: modal coordinates as the file has them, per e */
  /* what is only watched */
  const double *
      bend; /* ne x ne x 9: what displacements of second order add to I2, left out here; NULL: none, or not known */
  const double *face_bend; /* nface x ne x ne x 3: these displacements at the interfaces */
  const double *face;      /* nface x 3: where the interfaces are, from the centre of mass */
  const double *Psi;       /* nface x ne x 3: rotations of the interfaces */
  int32_t nface;
} hk_modal_par;

/* strain energy, J; m: frames of the markers */
double hki_modal_strain(const hk_modal_par *p, const hk_frame *m);

extern const hk_wide_ops hki_modal;

#endif

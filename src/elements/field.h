/* SPDX-License-Identifier: Apache-2.0
 *
 * field.h: forces on the mass of bodies that the model as a whole causes. They stand in no section
 * of a model file and in no list of types: the reader makes one for each body with mass (field.c).
 */
#ifndef HK_ELEMENTS_FIELD_H
#define HK_ELEMENTS_FIELD_H

#include "elements/element.h"

typedef struct hk_field_par {
  double mass;      /* kg */
  double J[9];      /* kg m^2, about the centre of mass, in the marker's axes */
  double centre[3]; /* m: frame: the point that has the velocity V */
} hk_field_par;

extern const hk_element_ops hki_element_gravity, hki_element_attraction, hki_element_frame;

#endif

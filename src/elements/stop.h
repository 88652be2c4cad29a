/* SPDX-License-Identifier: Apache-2.0
 *
 * stop.h: compliant stops of a joint coordinate. They stand in no list of types: the reader makes one
 * for each coordinate whose `limits:` have a stiffness.
 */
#ifndef HK_ELEMENTS_STOP_H
#define HK_ELEMENTS_STOP_H

#include "elements/element.h"

typedef struct hk_stop_par {
  double lower, upper; /* the range of free motion, m or rad; -INFINITY, INFINITY: open */
  double stiffness;    /* force per depth^exponent */
  double exponent;     /* at least 1 */
  double damping;      /* force per rate, at any depth */
  double dissipation;  /* share of the elastic force per rate, s/m or s/rad */
} hk_stop_par;

extern const hk_element_ops hki_element_stop;

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * pressure.h: pressure on the elements of a surface; see pressure.c.
 */
#ifndef HK_ELEMENTS_PRESSURE_H
#define HK_ELEMENTS_PRESSURE_H

#include "elements/wide.h"

extern const hk_wide_ops hki_pressure;

#endif

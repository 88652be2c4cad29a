/* SPDX-License-Identifier: Apache-2.0
 *
 * units.h: units that contradict each other: values of different units added or compared in an
 * expression, and channels where a network wants another unit.
 */
#ifndef HK_ANALYSES_UNITS_H
#define HK_ANALYSES_UNITS_H

#include "model/model.h"

/* Findings about units, as far as they are certain, in the pool; *n: their number. */
hk_status hki_units_check(const hk_model *m, hk_pool *pool, hk_finding **list, int32_t *n);

#endif

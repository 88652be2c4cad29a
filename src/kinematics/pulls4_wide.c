/* SPDX-License-Identifier: Apache-2.0
 *
 * pulls4_wide.c: forces four at a time, for processors with AVX2.
 */
#include "kinematics/pulls4.h"

#include "base/wide.h"
#include "elements/line.h"

#if HKI_WIDE && (defined(__clang__) || __GNUC__ >= 12)
HKI_WIDE_BEGIN
#define FOUR_WIDE
#include "geometry/four.h"
#include "kinematics/rows4_ends.h"
#include "kinematics/pulls4_body.h"
HKI_WIDE_END

static const hk_pulls4_passes table = {reach4, act4, squares4};

const hk_pulls4_passes *hki_pulls4_wide(void) { return hki_wide_here() ? &table : NULL; }
#else
const hk_pulls4_passes *hki_pulls4_wide(void) { return NULL; }
#endif

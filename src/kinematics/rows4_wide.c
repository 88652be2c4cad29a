/* SPDX-License-Identifier: Apache-2.0
 *
 * rows4_wide.c: closures four at a time, for processors with AVX2.
 */
#include "joints/pair.h"
#include "kinematics/rows4.h"

#include "base/wide.h"

#if HKI_WIDE && (defined(__clang__) || __GNUC__ >= 12)
HKI_WIDE_BEGIN
#define FOUR_WIDE
#include "geometry/four.h"
#include "kinematics/rows4_ends.h"
#include "kinematics/rows4_body.h"
HKI_WIDE_END

static const hk_rows4_passes table = {eval4, bias4, times4, add4, squares4};

const hk_rows4_passes *hki_rows4_wide(void) { return hki_wide_here() ? &table : NULL; }
#else
const hk_rows4_passes *hki_rows4_wide(void) { return NULL; }
#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * front_wide.c: the passes over the fronts for processors with AVX2; see front_body.h.
 */
#include "machines/tree/front_impl.h"

#include "base/wide.h"

#if HKI_WIDE && (defined(__clang__) || __GNUC__ >= 12)
HKI_WIDE_BEGIN
#define FRONT_WIDE
#include "machines/tree/front_body.h"
HKI_WIDE_END

static const hk_front_passes table = {factor, solve};

const hk_front_passes *hki_front_wide(void) { return hki_wide_here() ? &table : NULL; }
#else
const hk_front_passes *hki_front_wide(void) { return NULL; }
#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * aba_wide.c: the articulated-body passes with three-vectors in registers, for processors with AVX2.
 */
#include "machines/tree/aba_impl.h"

#include "base/wide.h"

#if HKI_WIDE && (defined(__clang__) || __GNUC__ >= 12)
HKI_WIDE_BEGIN
#define VEC3_WIDE
#include "geometry/vec3.h"
#include "machines/tree/aba_body.h"
HKI_WIDE_END

static const hk_aba_passes table = {factor, accel};

const hk_aba_passes *hki_aba_wide(void) { return hki_wide_here() ? &table : NULL; }
#else
const hk_aba_passes *hki_aba_wide(void) { return NULL; }
#endif

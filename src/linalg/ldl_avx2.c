/* SPDX-License-Identifier: Apache-2.0
 *
 * ldl_avx2.c: the sparse LDL kernels with four doubles per vector, for processors with AVX2.
 */
#include "linalg/wide.h"

#if HKI_WIDE
#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/ldl_impl.h"

HKI_WIDE_BEGIN
#define VN             4
#define KERNELS        ldl_avx2
#define KERNEL_NAME    "avx2"
#define KERNEL_LINKAGE static
#include "linalg/ldl_body.h"
HKI_WIDE_END

const hki_ldl_kernels *hki_ldl_kernels_avx2(void) {
  return __builtin_cpu_supports("avx2") ? &ldl_avx2 : NULL;
}

#else
#include "linalg/ldl_impl.h"

const hki_ldl_kernels *hki_ldl_kernels_avx2(void) { return NULL; }
#endif

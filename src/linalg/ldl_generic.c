/* SPDX-License-Identifier: Apache-2.0
 *
 * ldl_generic.c: the sparse LDL kernels for any processor: two doubles per vector where the
 * compiler has vector types (SSE2, NEON), else plain loops.
 */
#if defined(__GNUC__)
#define VN 2
#else
#define VN 1
#endif
#define KERNELS     hki_ldl_generic
#define KERNEL_NAME "generic"
#define KERNEL_LINKAGE
#include "linalg/ldl_body.h"

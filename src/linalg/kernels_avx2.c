/* SPDX-License-Identifier: Apache-2.0
 *
 * kernels_avx2.c: the kernels with four doubles per vector, for processors with AVX2.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/kernels.h"
#include "linalg/ldl_impl.h"
#include "base/wide.h"

#if HKI_WIDE
HKI_WIDE_BEGIN
#define VN 4
#include "linalg/tile.h"
#include "linalg/panel.h"
#include "linalg/ldl_quad.h"
#include "linalg/ldl_body.h"
#include "linalg/ldu_body.h"
#include "linalg/dense_body.h"
HKI_WIDE_END

static const hki_kernels table = {
    "avx2",           ldl_factor,      ldl_solve,       ldl_mul,        ldu_factor, ldu_solve,
    dense_ldl_factor, dense_ldl_solve, dense_lu_factor, dense_lu_solve, dense_mul,  dense_mul_t};

const hki_kernels *hki_kernels_avx2(void) { return hki_wide_here() ? &table : NULL; }

#else
const hki_kernels *hki_kernels_avx2(void) { return NULL; }
#endif

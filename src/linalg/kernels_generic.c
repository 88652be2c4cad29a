/* SPDX-License-Identifier: Apache-2.0
 *
 * kernels_generic.c: the kernels for any processor: two doubles per vector where the compiler has
 * vector types (SSE2, NEON), else plain loops. Also the choice between the widths.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/kernels.h"
#include "linalg/ldl_impl.h"

#if defined(__GNUC__)
#define VN 2
#else
#define VN 1
#endif
#include "linalg/tile.h"
#include "linalg/panel.h"
#include "linalg/ldl_quad.h"
#include "linalg/ldl_body.h"
#include "linalg/ldu_body.h"
#include "linalg/dense_body.h"

const hki_kernels hki_kernels_generic = {
    "generic",        ldl_factor,      ldl_solve,       ldl_mul,        ldu_factor, ldu_solve,
    dense_ldl_factor, dense_ldl_solve, dense_lu_factor, dense_lu_solve, dense_mul,  dense_mul_t};

const hki_kernels *hki_kernels_best(void) {
  const hki_kernels *wide = hki_kernels_avx2();
  return wide ? wide : &hki_kernels_generic;
}

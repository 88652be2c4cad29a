/* SPDX-License-Identifier: Apache-2.0
 *
 * sincos4.h: sine and cosine of four angles at once, by the operations of base/sincos.def: the bits of hki_sincos.
 * Included between HKI_WIDE_BEGIN and HKI_WIDE_END (base/wide.h).
 */
typedef double hki_four_r __attribute__((vector_size(32)));
typedef long long hki_four_i __attribute__((vector_size(32)));

#define F(name, needs, ...) __VA_ARGS__
#define HKX_FN              HKI_INLINE
#define HKX_NAME(f)         hki_four_##f
#define HKX_R               hki_four_r
#define HKX_B               hki_four_i
#define HKX_I               hki_four_i
#define HKX_NUM(c)          ((hki_four_r){(c), (c), (c), (c)})
#define HKX_INT(c)          ((hki_four_i){(c), (c), (c), (c)})
#define HKX_SELECT(c, a, b) ((hki_four_r)(((hki_four_i)(a) & (c)) | ((hki_four_i)(b) & ~(c))))
#define HKX_NOT(a)          (~(a))
#define HKX_BITS(x)         ((hki_four_i)(x))
#define HKX_OF_BITS(i)      ((hki_four_r)(i))
#define HKX_SHL(i, n)       ((i) << (n))
#define HKX_INF             ((double)INFINITY)
#define HKX_ANY(c)          (((c)[0] | (c)[1] | (c)[2] | (c)[3]) != 0)
#include "base/sincos.def"
#undef F
#undef HKX_FN
#undef HKX_NAME
#undef HKX_R
#undef HKX_B
#undef HKX_I
#undef HKX_NUM
#undef HKX_INT
#undef HKX_SELECT
#undef HKX_NOT
#undef HKX_BITS
#undef HKX_OF_BITS
#undef HKX_SHL
#undef HKX_INF
#undef HKX_ANY

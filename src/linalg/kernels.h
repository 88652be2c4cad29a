/* SPDX-License-Identifier: Apache-2.0
 *
 * kernels.h: the numeric kernels. kernels_generic.c and kernels_avx2.c compile tile.h, panel.h,
 * ldl_quad.h, ldl_body.h, ldu_body.h and dense_body.h for their vector width; the processor decides at run time which are
 * used. All widths give the same results bit for bit.
 */
#ifndef HK_LINALG_KERNELS_H
#define HK_LINALG_KERNELS_H

#include "base/base.h"

struct hk_ldl;
struct hk_ldl_num;
struct hk_ldu_num;

typedef struct hki_kernels {
  const char *name;
  /* sparse_ldl.h */
  hk_status (*ldl_factor)(const struct hk_ldl *s, struct hk_ldl_num *num, const double *val);
  void (*ldl_solve)(const struct hk_ldl *s, struct hk_ldl_num *num, double *x);
  void (*ldl_mul)(const struct hk_ldl *s, struct hk_ldl_num *num, const double *val,
                  const double *x, double *y);
  hk_status (*ldu_factor)(const struct hk_ldl *s, struct hk_ldu_num *num, const double *largest);
  void (*ldu_solve)(const struct hk_ldl *s, struct hk_ldu_num *num, double *x);
  /* dense.h */
  hk_status (*dense_ldl_factor)(int32_t n, double *A, int32_t ld, double *inv, double *work,
                                int32_t *bad);
  void (*dense_ldl_solve)(int32_t n, const double *A, int32_t ld, const double *inv, double *x,
                          double *work);
  hk_status (*dense_lu_factor)(int32_t n, double *A, int32_t ld, int32_t *pivot, double *inv,
                               double *work, int32_t *bad);
  void (*dense_lu_solve)(int32_t n, const double *A, int32_t ld, const int32_t *pivot,
                         const double *inv, double *x, double *work);
  void (*dense_mul)(int32_t m, int32_t n, const double *A, int32_t ld, const double *x, double *y);
  void (*dense_mul_t)(int32_t m, int32_t n, const double *A, int32_t ld, const double *x,
                      double *y);
} hki_kernels;

extern const hki_kernels hki_kernels_generic;
/* NULL when the build or the processor has none, or the environment forbids them */
const hki_kernels *hki_kernels_avx2(void);
/* the widest that this processor has */
const hki_kernels *hki_kernels_best(void);

#endif

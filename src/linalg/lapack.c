/* SPDX-License-Identifier: Apache-2.0
 *
 * lapack.c: see lapack.h.
 *
 *   A x = lambda x,   y^H A = lambda y^H
 *
 * by Hessenberg form and shifted QR iteration of the balanced matrix. Source: Anderson and others,
 * LAPACK Users' Guide, third edition, 1999.
 */
#include "linalg/lapack.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#ifndef HK_LAPACK_SONAME
#define HK_LAPACK_SONAME "liblapack.so.3"
#endif

/* Fortran: all by address, the lengths of the four texts behind */
typedef void dgeevx_f(const char *balance, const char *left, const char *right, const char *sense,
                      const int *n, double *A, const int *lda, double *re, double *im, double *vl,
                      const int *ldvl, double *vr, const int *ldvr, int *lo, int *hi, double *scale,
                      double *norm, double *cond_e, double *cond_v, double *work, const int *lwork,
                      int *iwork, int *info, size_t, size_t, size_t, size_t);

/* Two threads that come first at once both load it and get the same address. */
static dgeevx_f *find(char *why, size_t cap) {
  dgeevx_f *f = NULL;
  void *library = dlopen(HK_LAPACK_SONAME, RTLD_LAZY | RTLD_LOCAL);
  void *symbol = library ? dlsym(library, "dgeevx_") : NULL;
  if (symbol) {
    memcpy(&f, &symbol, sizeof f);
    return f;
  }
  const char *said = dlerror();
  snprintf(why, cap, "LAPACK, which finds eigenvalues, cannot be loaded: %s",
           said ? said : HK_LAPACK_SONAME);
  return NULL;
}

hk_status hki_eigen(hk_ctx *ctx, int32_t n, double *A, double *re, double *im, double *left,
                    double *right, char *why, size_t cap) {
  const int size = n, least = n > 0 ? n : 1, many = n < 64 ? n * n + 8 * n + 8 : 72 * n;
  int lo, hi, info = 0, iwork = 0;
  double norm, cond_e = 0.0, cond_v = 0.0;
  if (n == 0) return HK_OK;
  for (size_t i = 0; i < (size_t)n * (size_t)n; i++)
    if (!isfinite(A[i])) {
      snprintf(why, cap, "the matrix has entries that are no finite numbers");
      return HK_E_NUMBER;
    }
  dgeevx_f *dgeevx = find(why, cap);
  if (!dgeevx) return HK_E_FILE;
  double *work = hki_alloc(ctx, (size_t)(many + n) * sizeof *work);
  if (!work) return HK_E_MEMORY;
  dgeevx("B", "V", "V", "N", &size, A, &least, re, im, left, &least, right, &least, &lo, &hi,
         work + many, &norm, &cond_e, &cond_v, work, &many, &iwork, &info, 1, 1, 1, 1);
  hki_free(ctx, work);
  if (info == 0) return HK_OK;
  snprintf(why, cap, "the eigenvalues of the %d equations do not converge", size);
  return HK_E_NUMBER;
}

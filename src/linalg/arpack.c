/* SPDX-License-Identifier: Apache-2.0
 *
 * arpack.c: see arpack.h. Arnoldi's method with implicit restarts: Lehoucq, Sorensen and Yang, ARPACK Users'
 * Guide, 1998.
 */
#include "linalg/arpack.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#ifndef HK_ARPACK_SONAME
#define HK_ARPACK_SONAME "libarpack.so.2"
#endif

/* Fortran: all by address, the lengths of the texts behind */
typedef void znaupd_f(int *ido, const char *bmat, const int *n, const char *which, const int *nev,
                      double *tol, double *resid, const int *ncv, double *v, const int *ldv,
                      int *iparam, int *ipntr, double *workd, double *workl, const int *lworkl,
                      double *rwork, int *info, size_t, size_t);
typedef void zneupd_f(const int *rvec, const char *howmny, int *select, double *d, double *z,
                      const int *ldz, const double *sigma, double *workev, const char *bmat,
                      const int *n, const char *which, const int *nev, double *tol, double *resid,
                      const int *ncv, double *v, const int *ldv, int *iparam, int *ipntr,
                      double *workd, double *workl, const int *lworkl, double *rwork, int *info,
                      size_t, size_t, size_t);

/* ARPACK keeps variables of its own between calls: one iteration at a time */
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;

typedef struct arnoldi {
  znaupd_f *step;
  zneupd_f *end;
  int n, want, basis, lwork, info;
  double tol; /* ARPACK writes into it */
  int iparam[11], ipntr[14];
  double *resid, *v, *workd, *workl, *rwork, *workev;
  int *select;
} arnoldi;

static bool load(arnoldi *a, char *why, size_t cap) {
  void *library = dlopen(HK_ARPACK_SONAME, RTLD_LAZY | RTLD_LOCAL);
  void *step = library ? dlsym(library, "znaupd_") : NULL,
       *end = step ? dlsym(library, "zneupd_") : NULL;
  if (end) {
    memcpy(&a->step, &step, sizeof step);
    memcpy(&a->end, &end, sizeof end);
    return true;
  }
  const char *said = dlerror();
  snprintf(why, cap, "ARPACK, which finds eigenvalues of large models, cannot be loaded: %s",
           said ? said : HK_ARPACK_SONAME);
  return false;
}

/* one block for all that it works in; NULL: no memory */
static double *take_memory(hk_ctx *ctx, arnoldi *a) {
  const size_t n = (size_t)a->n, m = (size_t)a->basis;
  const size_t part[] = {2 * n, 2 * n * m, 6 * n, 2 * (size_t)a->lwork, m, 4 * m, m};
  double **const at[] = {&a->resid, &a->v, &a->workd, &a->workl, &a->rwork, &a->workev};
  size_t sum = 0;
  for (size_t i = 0; i < sizeof part / sizeof part[0]; i++) sum += part[i];
  double *block = hki_alloc(ctx, sum * sizeof *block);
  if (!block) return NULL;
  sum = 0;
  for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) *at[i] = block + sum, sum += part[i];
  a->select = (int *)(block + sum);
  return block;
}

static bool iterate(hk_ctx *ctx, arnoldi *a, hk_product *product, void *user) {
  int ido = 0;
  for (;;) {
    a->step(&ido, "I", &a->n, "LM", &a->want, &a->tol, a->resid, &a->basis, a->v, &a->n, a->iparam,
            a->ipntr, a->workd, a->workl, &a->lwork, a->rwork, &a->info, 1, 2);
    if (ido != 1 && ido != -1) return true;
    if (hki_stopped(ctx)) return false;
    product(user, a->workd + 2 * (a->ipntr[0] - 1), a->workd + 2 * (a->ipntr[1] - 1));
  }
}

/* eigenvalues and vectors of the basis found */
static void finish(arnoldi *a, double *theta, double *X, double *d) {
  const int yes = 1;
  const double sigma[2] = {0.0, 0.0};
  a->end(&yes, "A", a->select, d, a->v, &a->n, sigma, a->workev, "I", &a->n, "LM", &a->want,
         &a->tol, a->resid, &a->basis, a->v, &a->n, a->iparam, a->ipntr, a->workd, a->workl,
         &a->lwork, a->rwork, &a->info, 1, 1, 2);
  const int n = a->iparam[4] < a->want ? a->iparam[4] : a->want;
  if (a->info != 0 || n < 1) return;
  memcpy(theta, d, 2 * (size_t)n * sizeof *theta);
  memcpy(X, a->v, 2 * (size_t)n * (size_t)a->n * sizeof *X);
}

hk_status hki_arnoldi(hk_ctx *ctx, int32_t n, int32_t want, hk_product *product, void *user,
                      const double *first, double *theta, double *X, int32_t *found, char *why,
                      size_t cap) {
  arnoldi a = {.n = n, .want = want, .info = 1, .tol = 1e-14, .iparam = {1, 0, 1000, 1, 0, 0, 1}};
  *found = 0;
  if (!load(&a, why, cap)) return HK_E_FILE;
  a.basis = 2 * want + 10 < n ? 2 * want + 10 : n;
  a.lwork = 3 * a.basis * a.basis + 5 * a.basis;
  double *block = take_memory(ctx, &a),
         *d = block ? hki_alloc(ctx, 2 * ((size_t)a.basis + 1) * sizeof *d) : NULL;
  hk_status st = d ? HK_OK : HK_E_MEMORY;
  if (st == HK_OK) {
    memcpy(a.resid, first, 2 * (size_t)n * sizeof *first);
    pthread_mutex_lock(&one);
    if (!iterate(ctx, &a, product, user)) st = HK_INTERRUPTED;
    // 1: not all have converged
    if (st == HK_OK && (a.info == 0 || a.info == 1)) a.info = 0, finish(&a, theta, X, d);
    pthread_mutex_unlock(&one);
    *found = a.info == 0 ? (a.iparam[4] < want ? a.iparam[4] : want) : 0;
    if (st == HK_OK && *found < 1) {
      snprintf(why, cap, "the eigenvalues nearest to the shift do not converge (ARPACK: %d)",
               a.info);
      st = HK_E_NUMBER;
    }
  }
  hki_free(ctx, d);
  hki_free(ctx, block);
  return st;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * klu_complex.c: complex sparse LU by SuiteSparse KLU (complex_lu.h; T. A. Davis, E. Palamadai Natarajan, ACM
 * TOMS 37, 2010).
 */
#include "linalg/complex_lu.h"

#ifdef HK_WITH_KLU
#include <klu.h>

struct hk_complex_lu {
  hk_ctx *ctx;
  int32_t n;
  klu_common common;
  klu_symbolic *symbolic;
  klu_numeric *numeric;
};

void hki_complex_lu_destroy(hk_complex_lu *s) {
  if (!s) return;
  if (s->numeric) klu_z_free_numeric(&s->numeric, &s->common);
  if (s->symbolic) klu_free_symbolic(&s->symbolic, &s->common);
  hki_free(s->ctx, s);
}

hk_status hki_complex_lu_create(hk_ctx *ctx, int32_t n, int32_t *start, int32_t *row, double *val,
                                hk_complex_lu **out) {
  hk_complex_lu *s = *out = hki_alloc(ctx, sizeof *s);
  if (!s) return HK_E_MEMORY;
  *s = (hk_complex_lu){.ctx = ctx, .n = n};
  klu_defaults(&s->common);
  s->symbolic = klu_analyze(n, start, row, &s->common);
  if (s->symbolic) s->numeric = klu_z_factor(start, row, val, s->symbolic, &s->common);
  if (s->numeric) return HK_OK;
  const bool singular = s->common.status == KLU_SINGULAR;
  hki_complex_lu_destroy(s);
  *out = NULL;
  return singular ? HK_E_SINGULAR : HK_E_MEMORY;
}

void hki_complex_lu_solve(hk_complex_lu *s, double *x) {
  klu_z_solve(s->symbolic, s->numeric, s->n, 1, x, &s->common);
}

double hki_complex_lu_entries(const hk_complex_lu *s) {
  return (double)s->numeric->lnz + (double)s->numeric->unz;
}
#else
hk_status hki_complex_lu_create(hk_ctx *ctx, int32_t n, int32_t *start, int32_t *row, double *val,
                                hk_complex_lu **out) {
  (void)ctx, (void)n, (void)start, (void)row, (void)val;
  *out = NULL;
  return HK_E_USAGE;
}
void hki_complex_lu_destroy(hk_complex_lu *s) { (void)s; }
void hki_complex_lu_solve(hk_complex_lu *s, double *x) { (void)s, (void)x; }
double hki_complex_lu_entries(const hk_complex_lu *s) { return s ? 1.0 : 0.0; }
#endif

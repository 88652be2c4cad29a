/* SPDX-License-Identifier: Apache-2.0
 *
 * relax.c: how forces follow the answers of another program within a step. With r = F(f) - f:
 *
 *   constant  f + w r. Diverges where the other side weighs as much as this one and w is not small (added mass).
 *   aitken    f + w_k r_k, w_k = -w_(k-1) r_(k-1).(r_k - r_(k-1)) / |r_k - r_(k-1)|^2 (Irons and Tuck 1969, A version of the
 *             Aitken accelerator for computer iteration; Kuettler and Wall 2008)
 *   newton    interface quasi-Newton by least squares (Degroote, Bathe, Vierendeels 2009, Performance of a new partitioned
 *             procedure versus a monolithic procedure in fluid-structure interaction): c minimises |r_k + dr c| over the
 *             differences of this step, next f = F_k + dF c. n forces of a linear problem are found in n + 1 answers.
 *
 * Differences that depend on newer ones are left out.
 */
#include "simulation/relax.h"

#include <math.h>
#include <string.h>

static const double dependent = 1e-10; /* part of its own, of a difference that is left out */
static const double most_factor = 10.0;

hk_status hki_relax_init(hk_relax *x, hk_ctx *ctx, hk_relax_kind kind, double factor, int32_t n) {
  *x = (hk_relax){.kind = kind, .n = n, .factor = factor};
  x->r = hki_alloc(ctx, (size_t)(n + 1) * (2 + 2 * HK_RELAX_COLUMNS) * sizeof *x->r);
  if (!x->r) return HK_E_MEMORY;
  x->F = x->r + n, x->dr = x->F + n, x->dF = x->dr + (size_t)n * HK_RELAX_COLUMNS;
  return HK_OK;
}

void hki_relax_free(hk_relax *x, hk_ctx *ctx) {
  hki_free(ctx, x->r);
  *x = (hk_relax){0};
}

void hki_relax_begin(hk_relax *x) {
  x->count = x->columns = 0;
  x->last = x->factor;
}

static double dot(int32_t n, const double *a, const double *b) {
  double s = 0.0;
  for (int32_t i = 0; i < n; i++) s += a[i] * b[i];
  return s;
}

/* differences of this answer from the last one, the newest first */
static void remember(hk_relax *x, const double *r, const double *F) {
  const size_t n = (size_t)x->n,
               keep = x->columns < HK_RELAX_COLUMNS ? (size_t)x->columns : HK_RELAX_COLUMNS - 1;
  memmove(x->dr + n, x->dr, keep * n * sizeof *x->dr);
  memmove(x->dF + n, x->dF, keep * n * sizeof *x->dF);
  for (int32_t i = 0; i < x->n; i++) x->dr[i] = r[i] - x->r[i], x->dF[i] = F[i] - x->F[i];
  x->columns = (int32_t)keep + 1;
}

/* f = F + sum c dF, by differences made orthogonal one by one: each takes its part of r away */
static void newton(hk_relax *x, double *r, const double *F, double *f) {
  const int32_t n = x->n;
  double size[HK_RELAX_COLUMNS];
  memcpy(f, F, (size_t)n * sizeof *f);
  for (int32_t k = 0; k < x->columns; k++) {
    double *q = x->dr + (size_t)k * (size_t)n, *p = x->dF + (size_t)k * (size_t)n;
    const double own = dot(n, q, q);
    for (int32_t j = 0; j < k; j++) {
      const double *a = x->dr + (size_t)j * (size_t)n, *b = x->dF + (size_t)j * (size_t)n;
      const double c = size[j] > 0.0 ? dot(n, a, q) / size[j] : 0.0;
      for (int32_t i = 0; i < n; i++) q[i] -= c * a[i], p[i] -= c * b[i];
    }
    size[k] = dot(n, q, q);
    if (!(size[k] > dependent * dependent * own)) {
      // what is left of it is round-off, also for later answers
      memset(q, 0, (size_t)n * sizeof *q);
      memset(p, 0, (size_t)n * sizeof *p);
      size[k] = 0.0;
    }
    const double c = size[k] > 0.0 ? -dot(n, q, r) / size[k] : 0.0;
    for (int32_t i = 0; i < n; i++) r[i] += c * q[i], f[i] += c * p[i];
  }
}

static double aitken(const hk_relax *x, const double *r) {
  double a = 0.0, b = 0.0;
  for (int32_t i = 0; i < x->n; i++) {
    const double d = r[i] - x->r[i];
    a += x->r[i] * d, b += d * d;
  }
  if (!(b > 0.0)) return x->last;
  const double w = -x->last * a / b;
  return fabs(w) < most_factor ? w : copysign(most_factor, w);
}

void hki_relax_next(hk_relax *x, const double *F, double *f) {
  const int32_t n = x->n;
  // r of this answer in f's place
  for (int32_t i = 0; i < n; i++) f[i] = F[i] - f[i];
  if (x->count && x->kind == HK_RELAX_NEWTON) remember(x, f, F);
  if (x->count && x->kind == HK_RELAX_AITKEN) x->last = aitken(x, f);
  memcpy(x->r, f, (size_t)n * sizeof *f);
  if (x->count++ && x->kind == HK_RELAX_NEWTON) {
    double *left = x->F; // the answer before is not needed any more
    memcpy(left, f, (size_t)n * sizeof *f);
    newton(x, left, F, f);
  } else {
    // f + w r = F - (1 - w) r
    for (int32_t i = 0; i < n; i++) f[i] = F[i] - (1.0 - x->last) * f[i];
  }
  memcpy(x->F, F, (size_t)n * sizeof *F);
}

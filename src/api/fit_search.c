/* SPDX-License-Identifier: Apache-2.0
 *
 * fit_search.c: bounded least squares (hooke/fit.h). With p the parameters in units of their start,
 *
 *   |r(p)|^2 -> min,   low <= p <= high
 *   (J'J + mu 1) d = -J' r         by singular values of (J, sqrt(mu) 1); J by central differences
 *
 * Parameters at a bound that the step would leave are held. With s^2 = |r|^2/(N - n) the covariance is
 *
 *   C = s^2 (J'J)^-1 = s^2 V S^-2 V',   J = U S V'
 *
 * and directions V_k with a small S_k are combinations of parameters that the data do not determine.
 *
 * Source: Marquardt, An Algorithm for Least-Squares Estimation of Nonlinear Parameters, 1963.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/fit_impl.h"
#include "linalg/dense.h"

static const double difference = 1e-4; /* of a parameter, for slopes */
static const double told_apart = 1e-6; /* smallest singular value, against the largest */

typedef struct search {
  hk_fit *f;
  int32_t n;
  int64_t m;             /* differences */
  double *p, *trial, *d; /* n: parameters in their units, a try, a step */
  double *r, *r1, *r2;   /* m */
  double *J;             /* m x n, column-major */
  double *A, *b, *s, *V; /* (m + n) x n, m + n, n, n x n */
  double *value;         /* n: parameters as the model has them */
  bool *held;            /* n */
} search;

static hk_status run(search *z, const double *p, bool loud, double *r) {
  for (int32_t i = 0; i < z->n; i++) z->value[i] = p[i] * z->f->par[i].scale;
  return hki_fit_run(z->f, z->value, loud, r);
}

static double square(const double *x, int64_t n) {
  double sum = 0.0;
  for (int64_t i = 0; i < n; i++) sum += x[i] * x[i];
  return sum;
}

static double within(const search *z, int32_t i, double p) {
  const fitted *q = &z->f->par[i];
  return fmin(fmax(p, q->least / q->scale), q->most / q->scale);
}

/* J at p, by differences to both sides as far as bounds and runs allow */
static hk_status slopes(search *z) {
  memcpy(z->trial, z->p, (size_t)z->n * sizeof *z->p);
  for (int32_t i = 0; i < z->n; i++) {
    const double h = difference * fmax(1.0, fabs(z->p[i]));
    double up = within(z, i, z->p[i] + h), down = within(z, i, z->p[i] - h);
    z->trial[i] = up;
    hk_status st = run(z, z->trial, false, z->r1);
    if (st == HK_RETRY) up = z->p[i], memcpy(z->r1, z->r, (size_t)z->m * sizeof *z->r);
    z->trial[i] = down;
    if (st >= 0) st = run(z, z->trial, false, z->r2);
    if (st == HK_RETRY) down = z->p[i], memcpy(z->r2, z->r, (size_t)z->m * sizeof *z->r);
    if (st < 0) return st;
    if (hki_fit_stopped(z->f)) return HK_INTERRUPTED;
    z->trial[i] = z->p[i];
    double *J = z->J + (size_t)i * (size_t)z->m;
    for (int64_t k = 0; k < z->m; k++) J[k] = up > down ? (z->r1[k] - z->r2[k]) / (up - down) : 0.0;
  }
  return HK_OK;
}

/* d: the step with the damping mu; parameters that would leave their bounds are held there */
static void step(search *z, double mu) {
  const int64_t rows = z->m + z->n;
  memset(z->held, 0, (size_t)z->n * sizeof *z->held);
  for (int32_t pass = 0; pass <= z->n; pass++) {
    bool again = false;
    memset(z->A, 0, (size_t)rows * (size_t)z->n * sizeof *z->A);
    memset(z->b, 0, (size_t)rows * sizeof *z->b);
    for (int32_t i = 0; i < z->n; i++) {
      double *a = z->A + (size_t)i * (size_t)rows;
      if (!z->held[i]) memcpy(a, z->J + (size_t)i * (size_t)z->m, (size_t)z->m * sizeof *a);
      a[z->m + i] = sqrt(mu);
    }
    for (int64_t k = 0; k < z->m; k++) z->b[k] = -z->r[k];
    (void)hki_dense_least((int32_t)rows, z->n, z->A, 1e-14, z->s, z->V, z->b, z->d);
    for (int32_t i = 0; i < z->n; i++) {
      if (z->held[i]) z->d[i] = 0.0;
      const double to = within(z, i, z->p[i] + z->d[i]);
      // at its bound already, and pushed further
      if (z->held[i] || z->d[i] == 0.0 || to != z->p[i]) continue;
      z->held[i] = again = true;
    }
    if (!again) return;
  }
}

/* one iteration: mu grows until a step is better; *done: none is, or the last one was tiny */
static hk_status improve(search *z, double *mu, bool *done) {
  const double before = z->f->cost;
  hk_status st = slopes(z);
  for (int32_t tries = 0; st == HK_OK && tries < 24; tries++) {
    double moved = 0.0;
    step(z, *mu);
    for (int32_t i = 0; i < z->n; i++) {
      z->trial[i] = within(z, i, z->p[i] + z->d[i]);
      moved = fmax(moved, fabs(z->trial[i] - z->p[i]) / fmax(1.0, fabs(z->p[i])));
    }
    if (moved < 1e-10) break;
    st = run(z, z->trial, false, z->r1);
    if (hki_fit_stopped(z->f)) return HK_INTERRUPTED;
    if (st < 0) return st;
    const double now = st == HK_OK ? square(z->r1, z->m) : INFINITY;
    st = HK_OK;
    if (now < before) {
      memcpy(z->p, z->trial, (size_t)z->n * sizeof *z->p);
      memcpy(z->r, z->r1, (size_t)z->m * sizeof *z->r);
      z->f->cost = now;
      *mu *= 0.2;
      *done = before - now < 1e-9 * before && moved < 1e-6;
      return HK_OK;
    }
    *mu *= 5.0;
  }
  *done = true;
  return st;
}

/* --- what the data determine ------------------------------------------------------------------ */

/* quantile of Student's distribution for 97.5 %, by the expansion about the normal one */
static double student(double freedoms) {
  const double x = 1.959963984540054, v = freedoms;
  const double g1 = (x * x * x + x) / 4.0, g2 = (5 * pow(x, 5) + 16 * pow(x, 3) + 3 * x) / 96.0;
  return v > 0.0 ? x + g1 / v + g2 / (v * v) : INFINITY;
}

/* parameters that a direction without effect has a part in */
static void name_together(search *z, const double *v) {
  char text[400] = "";
  int32_t count = 0;
  for (int32_t i = 0; i < z->n; i++) {
    if (fabs(v[i]) < 0.1) continue;
    const size_t at = strlen(text);
    snprintf(text + at, sizeof text - at, "%s%s", count++ ? ", " : "", z->f->par[i].name);
  }
  for (int32_t i = 0; i < z->n; i++) {
    if (fabs(v[i]) < 0.1) continue;
    const char *note = count == 1
                           ? "it has no effect on the data"
                           : hki_pool_printf(z->f->pool, "the data do not tell %s apart", text);
    z->f->par[i].low = z->f->par[i].high = NAN;
    if (note) z->f->par[i].note = note;
  }
}

/* s^2 (J'J)^-1 without the directions that the data do not tell; NAN for parameters that these are part of */
static void find_covariance(search *z, double s) {
  hk_fit *f = z->f;
  double *C = hki_pool_alloc(f->pool, (size_t)z->n * (size_t)z->n * sizeof *C);
  for (int32_t i = 0; C && i < z->n; i++)
    for (int32_t j = 0; j < z->n; j++) {
      double c = 0.0;
      for (int32_t k = 0; k < z->n; k++)
        if (z->s[k] > told_apart * z->s[0])
          c += z->V[i + k * z->n] * z->V[j + k * z->n] / (z->s[k] * z->s[k]);
      const bool told = isfinite(f->par[i].low) && isfinite(f->par[j].low);
      C[i + j * z->n] = told ? s * s * c * f->par[i].scale * f->par[j].scale : NAN;
    }
  f->covariance = C;
}

static bool judge(search *z) {
  hk_fit *f = z->f;
  const double freedoms = (double)(z->m - z->n);
  const double s = freedoms > 0.0 ? sqrt(f->cost / freedoms) : INFINITY, t = student(freedoms);
  memcpy(z->A, z->J, (size_t)z->m * (size_t)z->n * sizeof *z->A);
  if (!hki_dense_svd((int32_t)z->m, z->n, z->A, (int32_t)z->m, z->s, z->V, z->n)) return false;
  for (int32_t i = 0; i < z->n; i++) {
    fitted *p = &f->par[i];
    double c = 0.0;
    for (int32_t k = 0; k < z->n; k++) {
      const double v = z->V[i + k * z->n] / fmax(z->s[k], 1e-300);
      if (z->s[k] > told_apart * z->s[0]) c += v * v;
    }
    p->value = z->p[i] * p->scale;
    p->low = p->value - t * s * sqrt(c) * fabs(p->scale);
    p->high = p->value + t * s * sqrt(c) * fabs(p->scale);
    p->bound = p->value <= p->least ? -1 : p->value >= p->most ? 1 : 0;
    if (p->bound) p->note = "it is at its bound";
  }
  for (int32_t k = 0; k < z->n; k++)
    if (!(z->s[k] > told_apart * z->s[0])) name_together(z, z->V + (size_t)k * (size_t)z->n);
  find_covariance(z, s);
  return true;
}

/* --- all of it -------------------------------------------------------------------------------- */

static bool allocate(search *z) {
  const size_t n = (size_t)z->n, m = (size_t)z->m, d = sizeof(double);
  struct {
    double **at;
    size_t n;
  } part[] = {{&z->p, n},     {&z->trial, n}, {&z->d, n},           {&z->r, m},
              {&z->r1, m},    {&z->r2, m},    {&z->J, m * n},       {&z->s, n},
              {&z->V, n * n}, {&z->value, n}, {&z->A, (m + n) * n}, {&z->b, m + n}};
  for (int32_t i = 0; i < HK_ARRAY_LEN(part); i++)
    if (!(*part[i].at = hki_pool_alloc(z->f->pool, (part[i].n + 4) * d))) return false;
  return (z->held = hki_pool_alloc(z->f->pool, n + 1)) != NULL;
}

hk_status hki_fit_search(hk_fit *f) {
  search z = {.f = f, .n = f->n, .m = hki_fit_size(f)};
  double mu = 0.0;
  bool done = false;
  if (!allocate(&z)) return HK_E_MEMORY;
  for (int32_t i = 0; i < z.n; i++) z.p[i] = within(&z, i, f->par[i].start / f->par[i].scale);
  hk_status st = run(&z, z.p, true, z.r);
  if (st == HK_RETRY) st = HK_E_DIVERGED;
  if (st != HK_OK) return st;
  f->cost = square(z.r, z.m);
  mu = 1e-3 * fmax(f->cost, 1e-12);
  for (int32_t it = 0; st == HK_OK && !done && it < f->opt->iterations; it++)
    st = improve(&z, &mu, &done);
  if (st != HK_OK) return st;
  // slopes at the result
  st = slopes(&z);
  if (st == HK_OK && !judge(&z)) st = HK_E_NUMBER;
  if (st == HK_OK && !done)
    hki_warn(f->ctx, HK_LOC_NONE, "allow more iterations", "the fit has not converged");
  return st;
}

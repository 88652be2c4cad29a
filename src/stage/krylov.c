/* SPDX-License-Identifier: Apache-2.0
 *
 * krylov.c: iterations on one stage for large models, where the factors P of the tangent cost much more
 * than a residual F and a solution with them. The factors are those of an earlier stage as long as they
 * serve.
 *
 *   jacobian: steps      x = -P^-1 F
 *   correction: krylov   min |P^-1 (F + dF x)| over the Krylov space of P^-1 dF and P^-1 F, by GMRES
 *
 * Products dF x are differences of F along x: no matrix is made for them. Y. Saad, M. H. Schultz, SIAM J.
 * Sci. Stat. Comput. 7, 1986; D. A. Knoll, D. E. Keyes, J. Comput. Phys. 193, 2004. How far a correction
 * is solved for: until what is left of it is small against the tolerance, or to loosest; S. C. Eisenstat,
 * H. F. Walker, SIAM J. Sci. Comput. 17, 1996.
 *
 * Factors are made anew where there are none, where ca has left a band about theirs, where corrections
 * shrink slowly, and after a stage that took many.
 *
 * line_search: a correction x is shortened to s x, s = 1, 1/2, 1/4 .., until the next one with the same
 * factors is smaller,
 *
 *   |P^-1 F(s x)| <= (1 - s/4) |P^-1 F(0)|
 *
 * which does not depend on units or on the scaling of F: P. Deuflhard, Newton Methods for Nonlinear
 * Problems, 2004, section 3.3.
 *
 * When the iteration has converged is said in newton.c; with old factors the last correction must leave
 * a hundredth of the tolerance, as there.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "stage/stage.h"

enum {
  BASIS = 30, /* vectors of the Krylov space */
  MANY = 8, /* corrections, or products over three, of a stage after which factors are made anew */
};

/* band of ca in which factors can serve: for corrections by them alone, and as preconditioner */
static const double band_newton = 1.01, band_krylov = 1.7;
/* corrections that shrink less than this are slow */
static const double slow = 0.3;
/* share of a correction that may be left: at most, and at least, which is what differences allow */
static const double loosest = 0.1, tightest = 1e-5;
/* scaled length of the differences */
static const double difference = 1e-7;
/* share of the tolerance that may be left; the last correction against the first; see newton.c */
static const double nothing = 1e-2, small_share = 0.1, round_off = 1e-14;
/* shortest part of a correction */
static const double shortest = 1.0 / 256.0;

typedef struct iteration {
  hk_newton *n;
  hk_formulation *f;
  const hk_system_ops *ops;
  int32_t size, nv;
  double merit;               /* |P^-1 F| at the present iterate */
  double *b;                  /* -F at the present iterate */
  double *x;                  /* the correction */
  double *z;                  /* scratch */
  double *D1;                 /* another iterate */
  double *V;                  /* BASIS + 1 vectors of the Krylov space */
  double H[BASIS + 1][BASIS]; /* Hessenberg matrix, made triangular */
  double c[BASIS], s[BASIS], g[BASIS + 1];
} iteration;

size_t hki_newton_space(const hk_newton *n, int32_t size) {
  const size_t vectors = n->krylov ? BASIS + 1 : 0;
  return (4 + vectors) * (size_t)size;
}

static double dot(int32_t n, const double *a, const double *b) {
  double s = 0.0;
  for (int32_t i = 0; i < n; i++) s += a[i] * b[i];
  return s;
}

static double measure(const iteration *k, const double *x) {
  hk_norms norm = {0};
  k->ops->measure(k->f, x, &norm);
  return fmax(norm.step, norm.constraint);
}

/* z = -F at D + s x and the multipliers there, which stay; x is not changed */
static hk_status rest_at(iteration *k, const double *D, const double *x, double s, double *z) {
  memcpy(k->D1, D, (size_t)k->nv * sizeof *D);
  memcpy(z, x, (size_t)k->size * sizeof *x);
  k->ops->move(k->f, k->D1, z, s);
  hk_status st = k->f->ops->residual(k->f, k->D1, false);
  if (st == HK_OK) k->ops->rest(k->f, z);
  return st;
}

/* w = P^-1 dF v */
static hk_status product(iteration *k, const double *D, const double *v, double *w) {
  const double size = measure(k, v), h = difference / fmax(size, DBL_MIN);
  k->n->products++;
  k->ops->hold(k->f, false);
  hk_status st = rest_at(k, D, v, h, w);
  k->ops->hold(k->f, true);
  for (int32_t i = 0; i < k->size; i++) w[i] = (k->b[i] - w[i]) / h;
  if (st == HK_OK) k->ops->solve(k->f, w);
  return st;
}

/* column j of H by w, which becomes the next vector; what is left of the correction */
static double extend(iteration *k, int32_t j, double *w) {
  double t;
  for (int32_t i = 0; i <= j; i++) {
    const double *v = k->V + (size_t)i * (size_t)k->size;
    const double h = k->H[i][j] = dot(k->size, v, w);
    for (int32_t q = 0; q < k->size; q++) w[q] -= h * v[q];
  }
  const double length = sqrt(dot(k->size, w, w));
  for (int32_t q = 0; length > 0.0 && q < k->size; q++) w[q] /= length;
  // rotations that make the column triangular
  for (int32_t i = 0; i < j; i++) {
    t = k->c[i] * k->H[i][j] + k->s[i] * k->H[i + 1][j];
    k->H[i + 1][j] = k->c[i] * k->H[i + 1][j] - k->s[i] * k->H[i][j];
    k->H[i][j] = t;
  }
  t = hypot(k->H[j][j], length);
  k->c[j] = t > 0.0 ? k->H[j][j] / t : 1.0;
  k->s[j] = t > 0.0 ? length / t : 0.0;
  k->H[j][j] = t;
  k->g[j + 1] = -k->s[j] * k->g[j];
  k->g[j] *= k->c[j];
  return fabs(k->g[j + 1]);
}

/* k->x by GMRES to the share *left of it, which becomes what was reached; k->x holds P^-1 b */
static hk_status solve_krylov(iteration *k, const double *D, double *left) {
  const double whole = sqrt(dot(k->size, k->x, k->x)), want = *left * whole;
  const size_t n = (size_t)k->size;
  double now = whole, y[BASIS];
  int32_t m = 0;
  *left = 0.0;
  if (!(whole > 0.0)) return isnan(whole) ? HK_RETRY : HK_OK;
  for (size_t i = 0; i < n; i++) k->V[i] = k->x[i] / whole;
  k->g[0] = whole;
  while (m < BASIS && now > want) {
    double *w = k->V + (size_t)(m + 1) * n;
    hk_status st = product(k, D, k->V + (size_t)m * n, w);
    if (st != HK_OK) return st;
    now = extend(k, m++, w);
    if (!isfinite(now)) return HK_RETRY;
  }
  for (int32_t i = m - 1; i >= 0; i--) {
    y[i] = k->g[i];
    for (int32_t j = i + 1; j < m; j++) y[i] -= k->H[i][j] * y[j];
    if (k->H[i][i] == 0.0) return HK_RETRY;
    y[i] /= k->H[i][i];
  }
  memset(k->x, 0, n * sizeof *k->x);
  for (int32_t i = 0; i < m; i++)
    for (size_t q = 0; q < n; q++) k->x[q] += y[i] * k->V[(size_t)i * n + q];
  *left = now / whole;
  return HK_OK;
}

/* D and the multipliers move along x as far as the next correction is smaller; k->b is that of there.
 * part: how far */
static hk_status search(iteration *k, double *D, double enough, double *part) {
  double s = 1.0;
  k->ops->hold(k->f, false);
  for (;; s *= 0.5) {
    hk_status st = rest_at(k, D, k->x, s, k->z);
    if (st < 0) return st;
    if (st == HK_OK) {
      memcpy(k->b, k->z, (size_t)k->size * sizeof *k->b);
      k->ops->solve(k->f, k->z);
      const double next = measure(k, k->z);
      if (next <= (1.0 - 0.25 * s) * k->merit || next <= enough) break;
    }
    k->ops->hold(k->f, true);
    if (s <= shortest) return HK_RETRY;
  }
  memcpy(D, k->D1, (size_t)k->nv * sizeof *D);
  *part = s;
  return HK_OK;
}

/* k->b at D, and new factors where they are wanted */
static hk_status evaluate(iteration *k, const double *D, bool factor, bool known) {
  hk_status st = known ? HK_OK : k->f->ops->residual(k->f, D, factor);
  if (st == HK_OK && factor) {
    k->n->factors++;
    st = k->f->ops->factor(k->f);
  }
  if (st == HK_OK && (factor || !known)) k->ops->rest(k->f, k->b);
  return st;
}

/* can the last factors serve a stage with this ca? */
static bool serve(const iteration *k, const hk_stage *st) {
  const double ca = k->ops->factored(k->f), band = k->n->krylov ? band_krylov : band_newton;
  return (k->n->over_steps || k->n->krylov) && !k->n->stale && ca > 0.0 && ca < band * st->ca &&
         ca > st->ca / band;
}

/* the correction k->x with its size, and the share *left of it that may still be missing; `old`: not
 * with factors of here */
static hk_status correct(iteration *k, const double *D, bool old, double before, double enough,
                         double *size, double *left) {
  hk_status st = HK_OK;
  memcpy(k->x, k->b, (size_t)k->size * sizeof *k->x);
  k->ops->solve(k->f, k->x);
  k->merit = *size = measure(k, k->x);
  *left = 0.0;
  if (!old || !isfinite(*size)) return isfinite(*size) ? HK_OK : HK_RETRY;
  if (!k->n->krylov) {
    *left = isinf(before) ? slow : *size / before;
    return HK_OK;
  }
  *left = fmin(loosest, fmax(tightest, nothing * enough / *size));
  st = solve_krylov(k, D, left);
  *size = measure(k, k->x);
  return st == HK_OK && !isfinite(*size) ? HK_RETRY : st;
}

/* takes the correction k->x, or a part of it; known: k->b is that of there */
static hk_status take(iteration *k, double *D, double size, double enough, double *part,
                      bool *known) {
  *part = 1.0;
  *known = k->n->line_search && size > enough;
  if (*known) return search(k, D, enough, part);
  k->ops->move(k->f, D, k->x, 1.0);
  return HK_OK;
}

static hk_status iterate(iteration *k, const hk_stage *stage, double *D) {
  hk_newton *n = k->n;
  double before = INFINITY, enough = n->tolerance, size, left, part = 1.0;
  bool factor = !serve(k, stage), known = false, done = false;
  const int64_t products = n->products;
  n->last = 0;
  for (int32_t it = 1; !done; it++) {
    if (it > n->max_iter) return HK_RETRY;
    hk_status st = evaluate(k, D, factor, known);
    if (st != HK_OK) return st;
    st = correct(k, D, !factor, before, enough, &size, &left);
    if (n->last == 0 && st == HK_OK) enough = fmin(enough, fmax(small_share * size, round_off));
    if (st == HK_OK) st = take(k, D, size, enough, &part, &known);
    n->iterations++;
    n->last = it;
    if (n->stop && *n->stop) return HK_RETRY;
    // old factors that lead nowhere are made anew, at the same iterate
    if (st == HK_RETRY && !factor) {
      factor = true, known = false;
      continue;
    }
    if (st == HK_OK) st = hki_newton_hook(n, k->f, stage, HK_HOOK_AFTER_ITERATION, D);
    if (st != HK_OK) return st;
    if (!n->line_search && it > 4 && size > 1e6) return HK_RETRY;
    n->left = size;
    if (it == n->fixed && (n->waits || size > enough))
      return hki_newton_take(n, k->f, stage, size, D);
    done = !n->waits && size <= fmin(enough, factor ? enough : nothing * enough / left);
    // with new factors, corrections near the tolerance that no longer shrink are round-off
    if (!done && !n->waits && (factor || n->krylov) && it > 2 && size < 1e3 * n->tolerance &&
        size > 0.5 * before)
      done = true, n->stagnated++;
    const bool poor = n->krylov ? left > loosest : size > slow * before;
    factor = poor || n->every || part < 1.0;
    before = size;
  }
  n->stale = n->last + (int32_t)(n->products - products) / 3 > MANY;
  return hki_newton_hook(n, k->f, stage, HK_HOOK_CONVERGED, D);
}

hk_status hki_newton_system(hk_newton *n, hk_formulation *f, const hk_stage *st, int32_t nv,
                            double *D, double *work) {
  const hk_system_ops *ops = f->ops->system;
  const int32_t size = ops->size(f);
  iteration k = {.n = n, .f = f, .ops = ops, .size = size, .nv = nv, .b = n->space, .D1 = work};
  k.x = k.b + size, k.z = k.x + size, k.V = k.z + 2 * (ptrdiff_t)size;
  hk_status s = f->ops->begin(f, st);
  if (s == HK_OK) s = hki_newton_hook(n, f, st, HK_HOOK_AFTER_PREDICTION, D);
  if (s == HK_OK) s = iterate(&k, st, D);
  if (s != HK_OK) n->stale = true;
  if (s == HK_OK && f->ops->settle) s = f->ops->settle(f, D);
  return s;
}

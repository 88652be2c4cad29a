/* SPDX-License-Identifier: Apache-2.0
 *
 * choice.c: which rows follow from others, at a state on the constraints.
 *
 *   u'G = 0                                    combination u of dependent rows, on the constraints
 *   mu = -(G M^-1 G' + eps)^-1 g               from [M G'; G -eps] (x, mu) = (0, g)
 *
 * Stages of explicit methods, and stages at acceleration level, are off the constraints by some d.
 * There u'G is of size d, and so is u'(G a + gamma); their quotient is an acceleration that does
 * not get smaller with d. As many rows as there are such u are therefore left out of the stages
 * until the next state on the constraints. On the constraints they hold by themselves.
 *
 * The u are the directions g that the second equation stretches by 1/eps; all others it stretches
 * far less. Two solutions, started from a vector perpendicular to the u already found, give another
 * u or show that there is none. The rows to leave out are those with the largest entries of the u,
 * by elimination with full pivoting.
 */
#include "formulations/redundant/redundant.h"

/* entry i of pseudo-random start vector k, between -1 and 1 */
static double any(int32_t i, int32_t k) {
  uint32_t x = 2654435761u * ((uint32_t)i + 1u) + 40503u * ((uint32_t)k + 1u);
  x ^= x >> 15, x *= 2246822519u, x ^= x >> 13;
  return (double)x / 2147483648.0 - 1.0;
}

static double norm(int32_t n, const double *x) {
  double s = 0.0;
  for (int32_t i = 0; i < n; i++) s += x[i] * x[i];
  return sqrt(s);
}

/* u becomes perpendicular to the first k vectors of U */
static void clean(int32_t n, int32_t k, const double *U, double *u) {
  for (int32_t j = 0; j < k; j++) {
    double s = 0.0;
    for (int32_t i = 0; i < n; i++) s += U[j * n + i] * u[i];
    for (int32_t i = 0; i < n; i++) u[i] -= s * U[j * n + i];
  }
}

/* r->null[k] = a further combination of length one; false: there is none */
static bool find(hk_redundant *r, double eps, int32_t k) {
  const int32_t n = r->c->nrows;
  double *u = r->null + k * n, stretch = 0.0;
  for (int32_t i = 0; i < n; i++) u[i] = any(i, k);
  for (int pass = 0; pass < 2; pass++) {
    clean(n, k, r->null, u);
    double before = norm(n, u);
    hki_redundant_solve(r, NULL, u);
    memcpy(u, r->x + r->c->n, (size_t)n * sizeof *u);
    stretch = eps * norm(n, u) / before;
  }
  clean(n, k, r->null, u);
  double length = norm(n, u);
  if (!(stretch > 0.5) || !(length > 0.0)) return false;
  for (int32_t i = 0; i < n; i++) u[i] /= length;
  return true;
}

/* makes room in r->null for vector k; false: no memory */
static bool room(hk_redundant *r, int32_t k) {
  const int32_t n = r->c->nrows, more = 2 * k + 2 < n ? 2 * k + 2 : n;
  if (k < r->nnull) return true;
  double *U = hki_realloc(r->ctx, r->null, (size_t)(more * n) * sizeof *U);
  if (!U) return false;
  r->null = U;
  r->nnull = more;
  return true;
}

/* pivot a: the row of the largest entry of combinations a .. k-1 is left out; its combination
 * becomes number a, and the row is eliminated from the others */
static void leave_out(hk_redundant *r, int32_t a, int32_t k) {
  const int32_t n = r->c->nrows;
  int32_t row = 0, col = a;
  double *U = r->null, *p = U + a * n;
  for (int32_t j = a; j < k; j++)
    for (int32_t i = 0; i < n; i++)
      if (fabs(U[j * n + i]) > fabs(U[col * n + row])) row = i, col = j;
  for (int32_t i = 0; col != a && i < n; i++) {
    const double z = p[i];
    p[i] = U[col * n + i], U[col * n + i] = z;
  }
  for (int32_t j = a + 1; j < k; j++) {
    double *u = U + j * n, s = u[row] / p[row];
    for (int32_t i = 0; i < n; i++) u[i] -= s * p[i];
    u[row] = 0.0;
  }
  r->out[row] = 1.0;
  r->lam[row] = 0.0;
}

hk_status hki_redundant_choose(hk_redundant *r, double eps) {
  const int32_t n = r->c->nrows;
  int32_t k = 0;
  for (int32_t i = 0; i < n; i++) r->out[i] = 0.0;
  for (; k < n; k++) {
    if (!room(r, k)) return HK_E_MEMORY;
    if (!find(r, eps, k)) break;
  }
  for (int32_t a = 0; a < k; a++) leave_out(r, a, k);
  return HK_OK;
}

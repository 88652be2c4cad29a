/* SPDX-License-Identifier: Apache-2.0
 *
 * tasks.c: positions, velocities and accelerations that do what tasks ask for (tasks.h). With r = (phi, theta - alpha),
 * G = dr/dq, N a basis of the null space of G and L = dC/dq + G' lam, lam by least squares:
 *
 *   positions      r = 0, N' L = 0                    Newton from the last position
 *   velocities     G v = -r_t, N' (W v + L_t) = 0     W = dL/dq; the derivative of what minimises C
 *   accelerations  a = d/ds v(q (+) s v, t + s)       at s = 0, by differences of order six
 *
 * What costs leave open too (directions of N without curvature) has the velocities with the least kinetic energy.
 * With `rates: differences` velocities and accelerations are those nearest to backward differences of positions and
 * velocities in the mass metric instead, and costs act on positions alone.
 */
#include "simulation/tasks.h"

#include <stdio.h>

#include "linalg/dense.h"

enum { ITERATIONS = 60, HALVINGS = 6 };
static const double dependent = 1e-9; /* rows, against the largest singular value */
static const double longest = 0.25;   /* step of a position, rad or lengths */
static const double closed = 1e-9;    /* rows that hold, rad or lengths */
static const double near = 0.02;      /* steps of differences, rad or lengths */

/* --- linear algebra --------------------------------------------------------------------------- */

static double dot(const double *x, const double *y, int32_t n) {
  double sum = 0.0;
  for (int32_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}
static double largest(const double *x, int32_t n) {
  double most = 0.0;
  for (int32_t i = 0; i < n; i++) most = fabs(x[i]) <= most ? most : fabs(x[i]);
  return most;
}

/* column j of the null space's basis */
static const double *null_column(const hk_tasks *k, int32_t j) {
  return k->V + (size_t)(k->rank + j) * (size_t)k->nv;
}
static int32_t null_size(const hk_tasks *k) { return k->nv - k->rank; }

/* rank of the first rows of G; U, sv, V stay those of them */
static int32_t decompose(hk_tasks *k, const uint8_t *with) {
  const int32_t n = k->n, nv = k->nv;
  memcpy(k->U, k->here.G, (size_t)n * (size_t)nv * sizeof *k->U);
  for (int32_t i = 0; with && i < n; i++)
    for (int32_t j = 0; !with[i] && j < nv; j++) k->U[i + j * n] = 0.0;
  (void)hki_dense_svd(n, nv, k->U, n > 0 ? n : 1, k->sv, k->V, nv);
  for (k->rank = 0; k->rank < nv && k->rank < n && k->sv[k->rank] > dependent * k->sv[0];)
    k->rank++;
  return k->rank;
}

/* x = G^+ b, the smallest; largest entry of G x - b */
static double least(hk_tasks *k, const double *b, double *x) {
  const int32_t n = k->n, nv = k->nv;
  double left = 0.0;
  memset(x, 0, (size_t)nv * sizeof *x);
  for (int32_t r = 0; r < k->rank; r++) {
    const double c = dot(k->U + (size_t)r * (size_t)n, b, n) / (k->sv[r] * k->sv[r]);
    for (int32_t j = 0; j < nv; j++) x[j] += c * k->V[(size_t)r * (size_t)nv + (size_t)j];
  }
  for (int32_t i = 0; i < n; i++) {
    double e = -b[i];
    for (int32_t j = 0; j < nv; j++) e += k->here.G[i + j * n] * x[j];
    left = fmax(left, fabs(e));
  }
  return left;
}

/* multipliers by least squares: G' lam = -c */
static void multipliers(hk_tasks *k) {
  const int32_t n = k->n, nv = k->nv;
  memset(k->lam, 0, (size_t)n * sizeof *k->lam);
  for (int32_t r = 0; r < k->rank; r++) {
    const double c = -dot(k->V + (size_t)r * (size_t)nv, k->here.c, nv) / (k->sv[r] * k->sv[r]);
    for (int32_t i = 0; i < n; i++) k->lam[i] += c * k->U[i + r * n];
  }
}

/* L = c + G' lam of some rows */
static void lagrangian(const hk_tasks *k, const hk_task_rows *at, double f, double *L) {
  for (int32_t j = 0; j < k->nv; j++)
    L[j] += f * (at->c[j] + dot(at->G + (size_t)j * (size_t)k->n, k->lam, k->n));
}

/* out = d/de L(q (+) e d, t + s + e ds), lam held; points: 1 or 3 on each side */
static void along(hk_tasks *k, const double *q, double s, const double *d, double ds,
                  int32_t points, double *out) {
  static const double weight[2][3] = {{0.5, 0, 0}, {0.75, -0.15, 1.0 / 60.0}};
  const double size = sqrt(dot(d, d, k->nv));
  // a search needs slopes where it is, rates need all digits
  double h = size > 0.0 ? (points == 1 ? 0.01 : 1.0) * near / size : 1.0;
  if (ds != 0.0) h = fmin(h, 0.25 * k->step / fabs(ds));
  memset(out, 0, (size_t)k->nv * sizeof *out);
  if (size == 0.0 && ds == 0.0) return;
  for (int32_t i = 0; i < 2 * points; i++) {
    const double e = (i % 2 ? -1.0 : 1.0) * (1 + i / 2) * h;
    hki_tasks_plus(k, q, e, d, k->qs);
    hki_tasks_rows(k, k->qs, s + e * ds, &k->there);
    lagrangian(k, &k->there, (i % 2 ? -1.0 : 1.0) * weight[points == 3][i / 2] / h, out);
  }
}

/* --- what costs and metric fix ---------------------------------------------------------------- */

/* the reduced Hessian N' W N with its singular values; number of directions in which costs have curvature */
static int32_t curvature(hk_tasks *k, const double *q, double s, int32_t points) {
  const int32_t nz = null_size(k), nv = k->nv;
  double most = 0.0;
  if (!k->in->nergonomy || !nz) return 0;
  for (int32_t j = 0; j < nz; j++) {
    along(k, q, s, null_column(k, j), 0.0, points, k->x[0]);
    most = fmax(most, largest(k->x[0], nv));
    for (int32_t i = 0; i < nz; i++) k->H[i + j * nz] = dot(null_column(k, i), k->x[0], nv);
  }
  for (int32_t j = 0; j < nz; j++)
    for (int32_t i = 0; i < j; i++)
      k->H[i + j * nz] = k->H[j + i * nz] = 0.5 * (k->H[i + j * nz] + k->H[j + i * nz]);
  (void)hki_dense_svd(nz, nz, k->H, nz, k->Hs, k->Hv, nz);
  int32_t n = 0;
  while (n < nz && k->Hs[n] > 1e-7 * fmax(k->Hs[0], most)) n++;
  return n;
}

/* v += N y with y from H y = N' b in the directions with curvature; signs of negative curvature are turned for a
 * descent */
static void by_costs(hk_tasks *k, int32_t n, const double *b, bool descent, double *v) {
  const int32_t nz = null_size(k), nv = k->nv;
  for (int32_t r = 0; r < n; r++) {
    const double *u = k->H + (size_t)r * (size_t)nz, *w = k->Hv + (size_t)r * (size_t)nz;
    double c = 0.0, sign = 0.0;
    for (int32_t i = 0; i < nz; i++) {
      c += u[i] * dot(null_column(k, i), b, nv);
      sign += u[i] * w[i];
    }
    c /= k->Hs[r] * k->Hs[r];
    if (descent && sign < 0.0) c = -c;
    for (int32_t i = 0; i < nz; i++)
      for (int32_t j = 0; j < nv; j++) v[j] += c * w[i] * null_column(k, i)[j];
  }
}

/* v gets the part along what nothing else fixes that brings it nearest to `to` (NULL: zero) in the mass metric; n: how
 * many directions of the null space costs have fixed */
static void by_metric(hk_tasks *k, int32_t n, const double *to, double *v) {
  const int32_t nz = null_size(k), nv = k->nv, free = nz - n;
  const double *unit = k->e->s->scale, *sign = k->e->sign;
  double *Z = k->S, *A = k->U, *sv = k->x[2], *y = k->x[3], *b = k->x[0];
  if (free <= 0) return;
  (void)hk_eval_mass(k->e, k->M, nv);
  for (int32_t i = 0; i < nv; i++)
    for (int32_t j = 0; j < nv; j++) k->M[i + j * nv] *= sign[i] * sign[j] * unit[i] * unit[j];
  // Z: these directions; A = Z' M Z, b = -Z' M (v - to)
  for (int32_t c = 0; c < free; c++)
    for (int32_t j = 0; j < nv; j++) {
      double z = n ? 0.0 : null_column(k, c)[j];
      for (int32_t i = 0; n && i < nz; i++) z += k->Hv[i + (n + c) * nz] * null_column(k, i)[j];
      Z[j + c * nv] = z;
    }
  for (int32_t c = 0; c < free; c++) {
    for (int32_t i = 0; i < nv; i++)
      k->x[1][i] = dot(k->M + (size_t)i * (size_t)nv, Z + (size_t)c * (size_t)nv, nv);
    b[c] = 0.0;
    for (int32_t i = 0; i < nv; i++) b[c] -= k->x[1][i] * (v[i] - (to ? to[i] : 0.0));
    for (int32_t r = 0; r < free; r++)
      A[c + r * free] = dot(k->x[1], Z + (size_t)r * (size_t)nv, nv);
  }
  // directions without mass stay as they are
  (void)hki_dense_least(free, free, A, 1e-12, sv, k->M, b, y);
  for (int32_t c = 0; c < free; c++)
    for (int32_t j = 0; j < nv; j++) v[j] += y[c] * Z[j + c * nv];
}

/* --- positions -------------------------------------------------------------------------------- */

static double rows_norm(const hk_task_rows *r, int32_t n) { return sqrt(dot(r->phi, r->phi, n)); }

/* q moves onto the rows by Gauss-Newton steps, which are halved where the rows grow; what is left of them */
static double restore(hk_tasks *k, double *q) {
  double *d = k->x[1];
  double left = INFINITY;
  for (int32_t it = 0; it < ITERATIONS; it++) {
    hki_tasks_rows(k, q, 0.0, &k->here);
    const double before = left;
    left = rows_norm(&k->here, k->n);
    // at the bottom of round-off they no longer shrink
    if (left < 1e-14 || (left < 1e-9 && left > 0.3 * before)) break;
    (void)decompose(k, NULL);
    for (int32_t i = 0; i < k->n; i++) k->there.phi[i] = -k->here.phi[i];
    (void)least(k, k->there.phi, d);
    const double most = largest(d, k->nv);
    double f = most > longest ? longest / most : 1.0;
    for (int32_t i = 0; i < HALVINGS && left > 1e-6; i++, f *= 0.5) {
      hki_tasks_plus(k, q, f, d, k->qs);
      hki_tasks_rows(k, k->qs, 0.0, &k->there);
      if (rows_norm(&k->there, k->n) < left) break;
    }
    hki_tasks_plus(k, q, f, d, q);
    if (most < 1e-15) break;
  }
  return left;
}

/* one step down the costs along the rows, from a q on them; its size. The costs fall, or it is the last one. */
static double descend(hk_tasks *k, double *q) {
  const int32_t nv = k->nv;
  double *d = k->descent, *b = k->x[2], slope = 0.0;
  hki_tasks_rows(k, q, 0.0, &k->here);
  (void)decompose(k, NULL);
  multipliers(k);
  memset(b, 0, (size_t)nv * sizeof *b);
  memset(d, 0, (size_t)nv * sizeof *d);
  lagrangian(k, &k->here, -1.0, b);
  by_costs(k, curvature(k, q, 0.0, 1), b, true, d);
  for (int32_t j = 0; j < nv; j++) slope += d[j] * b[j];
  const double most = largest(d, nv), cost = hki_tasks_cost(k, q);
  double f = most > longest ? longest / most : 1.0;
  for (int32_t i = 0; i < 12; i++, f *= 0.5) {
    hki_tasks_plus(k, q, f, d, k->tried);
    const double left = restore(k, k->tried);
    if (left > closed) continue;
    // near the bottom the costs do not tell round-off from a fall
    if (most < 1e-5 || hki_tasks_cost(k, k->tried) <= cost - 1e-4 * f * slope) break;
  }
  memcpy(q, k->tried, (size_t)k->m->nq * sizeof *q);
  return most;
}

/* the task of a row; NULL: a closure */
static const hk_spec_task *task_of(const hk_tasks *k, int32_t row) {
  int32_t at = k->m->nrows;
  // expressions go first
  for (int pass = 0; pass < 2; pass++)
    for (int32_t i = 0; i < k->in->ntasks; i++) {
      const hk_spec_task *t = &k->in->tasks[i];
      if ((t->kind == HK_TASK_VALUE) != (pass == 0)) continue;
      int32_t n = t->kind == HK_TASK_VALUE ? 1 : t->kind == HK_TASK_AXIS ? 2 : 3;
      if (t->kind == HK_TASK_POSITION)
        n = (int32_t)(t->used & 1u) + (int32_t)(t->used >> 1 & 1u) + (int32_t)(t->used >> 2 & 1u);
      if (row >= at && row < at + n) return t;
      at += n;
    }
  return NULL;
}

/* why the rows do not hold */
static hk_status refuse(hk_tasks *k, const double *left) {
  int32_t worst = k->m->nrows;
  for (int32_t i = k->m->nrows; i < k->n; i++)
    if (fabs(left[i]) > fabs(left[worst])) worst = i;
  const hk_spec_task *t = worst < k->n ? task_of(k, worst) : NULL;
  const hk_loc loc = t ? t->loc : HK_LOC_NONE;
  const char *name = t ? t->name : "";
  // rows that the others imply in direction, but not in value, contradict them
  const bool twice = k->count.implied > 0;
  if (twice)
    return hki_error(k->ctx, HK_E_MODEL, loc, "prescribe each freedom once",
                     "task '%s' contradicts other tasks or prescribed motions: %g is left at %g s",
                     name, fabs(left[worst]), k->t);
  return hki_error(k->ctx, k->started ? HK_E_DIVERGED : HK_E_ASSEMBLY, loc,
                   k->started ? "look at the path: it leaves what the mechanism can reach"
                              : "draw the mechanism nearer to it, or move the target",
                   "task '%s' cannot be done at %g s: %g is left", name, k->t, fabs(left[worst]));
}

/* count.*: how many freedoms each fixes, at the position of `here`; the decomposition becomes that of all rows */
static hk_status count(hk_tasks *k) {
  uint8_t *with = hki_pool_alloc(k->pool, (size_t)k->n + 1);
  if (!with) return HK_E_MEMORY;
  memset(with, 0, (size_t)k->n + 1);
  for (int32_t c = 0; c < k->m->nc; c++)
    for (int32_t r = 0; r < k->m->closures[c].nrows; r++)
      with[k->m->closures[c].row0 + r] = k->m->closures[c].row_signal[r] == HK_NONE;
  const int32_t loops = decompose(k, with);
  memset(with, 1, (size_t)k->m->nrows);
  const int32_t closures = decompose(k, with), all = decompose(k, NULL);
  k->count = (hk_task_count){.freedoms = k->nv - loops,
                             .motions = closures - loops,
                             .tasks = all - closures,
                             .implied = k->ntasks - (all - closures)};
  return HK_OK;
}

/* how far the position is from where the motion has led */
static hk_status refuse_jump(hk_tasks *k, const double *q, const double *predicted) {
  const double *unit = k->e->s->scale;
  double *d = k->x[0], *way = k->x[1];
  hki_tree_minus(k->m, q, predicted, d);
  hki_tree_minus(k->m, predicted, k->before_q, way);
  for (int32_t i = 0; i < k->nv; i++) d[i] /= unit[i], way[i] /= unit[i];
  const double jump = largest(d, k->nv);
  if (!k->started || jump < 0.1 || jump < 0.5 * largest(way, k->nv)) return HK_OK;
  return hki_error(
      k->ctx, HK_E_DIVERGED, k->in->nergonomy ? k->in->ergonomy[0].loc : HK_LOC_NONE,
      "make obstacles softer or springs stiffer; a posture that is the best one can end on the way",
      "the posture with the least cost jumps by %.2g rad or lengths at %g s", jump, k->t);
}

static hk_status find_position(hk_tasks *k, double *q) {
  double last, size = INFINITY;
  memcpy(k->predicted, q, (size_t)k->m->nq * sizeof *q);
  (void)restore(k, q);
  hk_status st = k->started ? HK_OK : count(k);
  if (st != HK_OK) return st;
  if (!(largest(k->here.phi, k->n) < closed * fmax(1.0, k->m->length))) {
    if (k->started) st = count(k);
    return st == HK_OK ? refuse(k, k->here.phi) : st;
  }
  if (k->backward)
    return hki_error(k->ctx, k->started ? HK_E_DIVERGED : HK_E_ASSEMBLY, k->backward->loc,
                     "draw the mechanism nearer to it, or go there more slowly",
                     "task '%s' cannot be done at %g s: its axes end the other way round",
                     k->backward->name, k->t);
  (void)decompose(k, NULL);
  if (!k->in->nergonomy || !null_size(k)) return HK_OK;
  for (int32_t it = 0; it < 4 * ITERATIONS; it++) {
    last = size;
    size = descend(k, q);
    if (hki_stopped(k->ctx)) return HK_INTERRUPTED;
    if (size < 1e-13 || (size < 1e-9 && size > 0.3 * last)) break;
  }
  if (size < 1e-7) return refuse_jump(k, q, k->predicted);
  return hki_error(k->ctx, k->started ? HK_E_DIVERGED : HK_E_ASSEMBLY, k->in->ergonomy[0].loc,
                   "costs need a smallest value: add a spring, or draw the mechanism nearer to it",
                   "no position with the least cost found at %g s", k->t);
}

/* --- velocities and accelerations ------------------------------------------------------------- */

/* v at q and time t + s, in units. to: reference in the mass metric, NULL: the derivative */
static hk_status find_rates(hk_tasks *k, const double *q, double s, const double *to, double *v) {
  const int32_t nv = k->nv;
  double *b = k->x[2];
  hki_tasks_rows(k, q, s, &k->here);
  (void)decompose(k, NULL);
  multipliers(k);
  for (int32_t i = 0; i < k->n; i++) k->there.phi[i] = -k->here.phit[i];
  const double most = largest(k->here.phit, k->n);
  const double left = least(k, k->there.phi, v);
  if (left > 1e-6 * fmax(most, 1e-3)) {
    for (int32_t i = 0; i < k->n; i++) {
      k->here.phi[i] = k->here.phit[i];
      for (int32_t j = 0; j < nv; j++) k->here.phi[i] += k->here.G[i + j * k->n] * v[j];
    }
    return refuse(k, k->here.phi);
  }
  int32_t n = 0;
  if (!to && k->in->nergonomy && null_size(k)) {
    along(k, q, s, v, 1.0, 3, b);
    for (int32_t j = 0; j < nv; j++) b[j] = -b[j];
    n = curvature(k, q, s, 3);
    by_costs(k, n, b, false, v);
  }
  if (s == 0.0 && !to) {
    k->count.costs = n;
    k->count.metric = null_size(k) - n;
  }
  if (null_size(k) > n) {
    hki_tasks_place(k, q, s);
    by_metric(k, n, to, v);
  }
  return HK_OK;
}

/* k->a in units, from the velocities v in units */
static hk_status find_accelerations(hk_tasks *k, const double *v) {
  static const double weight[3] = {0.75, -0.15, 1.0 / 60.0};
  const int32_t nv = k->nv;
  const double size = sqrt(dot(v, v, nv));
  const double h = fmin(size > 0.0 ? near / size : INFINITY, 0.25 * k->step);
  double *q = k->before_q, *there = k->before_v; // not in use here
  hk_status st = HK_OK;
  memset(k->a, 0, (size_t)nv * sizeof *k->a);
  for (int32_t i = 0; i < 6 && st == HK_OK; i++) {
    const double e = (i % 2 ? -1.0 : 1.0) * (1 + i / 2) * h;
    hki_tasks_plus(k, k->q, e, v, q);
    st = find_rates(k, q, e, NULL, there);
    for (int32_t j = 0; j < nv; j++) k->a[j] += (i % 2 ? -1.0 : 1.0) * weight[i / 2] * there[j] / h;
  }
  return st;
}

/* accelerations nearest to `to` in the mass metric: G a = -d/ds (G v + r_t) along the motion */
static hk_status nearest_accelerations(hk_tasks *k, const double *v, const double *to) {
  static const double weight[3] = {0.75, -0.15, 1.0 / 60.0};
  const int32_t nv = k->nv, n = k->n;
  const double size = sqrt(dot(v, v, nv));
  const double h = fmin(size > 0.0 ? near / size : INFINITY, 0.25 * k->step);
  double *b = k->lam;
  memset(b, 0, (size_t)n * sizeof *b);
  for (int32_t i = 0; i < 6; i++) {
    const double e = (i % 2 ? -1.0 : 1.0) * (1 + i / 2) * h;
    hki_tasks_plus(k, k->q, e, v, k->qs);
    hki_tasks_rows(k, k->qs, e, &k->there);
    for (int32_t r = 0; r < n; r++) {
      double x = k->there.phit[r];
      for (int32_t j = 0; j < nv; j++) x += k->there.G[r + j * n] * v[j];
      b[r] -= (i % 2 ? -1.0 : 1.0) * weight[i / 2] * x / h;
    }
  }
  hki_tasks_rows(k, k->q, 0.0, &k->here);
  (void)decompose(k, NULL);
  (void)least(k, b, k->a);
  hki_tasks_place(k, k->q, 0.0);
  by_metric(k, 0, to, k->a);
  return HK_OK;
}

/* k->v and k->a of the tree from those in units v and k->a */
static void leave_units(hk_tasks *k, const double *v) {
  const double *unit = k->e->s->scale;
  for (int32_t i = 0; i < k->nv; i++) k->v[i] = v[i] * unit[i], k->a[i] *= unit[i];
}

/* velocities and accelerations by backward differences, from those one step before */
static hk_status by_differences(hk_tasks *k, double h) {
  const double *unit = k->e->s->scale;
  double *to = k->last_a, *v = k->x[4];
  hk_status st;
  // x[4] and more are in use by the rows: the references are kept elsewhere
  hki_tree_minus(k->m, k->q, k->before_q, to);
  for (int32_t i = 0; i < k->nv; i++) to[i] = k->started ? to[i] / (h * unit[i]) : 0.0;
  st = find_rates(k, k->q, 0.0, to, k->v);
  if (st != HK_OK) return st;
  for (int32_t i = 0; i < k->nv; i++)
    to[i] = k->started ? (k->v[i] - k->before_v[i] / unit[i]) / h : 0.0;
  st = nearest_accelerations(k, k->v, to);
  memcpy(v, k->v, (size_t)k->nv * sizeof *v);
  leave_units(k, v);
  return st;
}

hk_status hki_tasks_find(hk_tasks *k, double t) {
  hk_kin *kin = &k->e->s->kin;
  const double h = t - k->t;
  const size_t nv = (size_t)k->nv;
  const double *unit = k->e->s->scale;
  memcpy(k->before_q, k->q, (size_t)k->m->nq * sizeof *k->q);
  memcpy(k->before_v, k->v, nv * sizeof *k->v);
  // where the motion leads: the third derivative from the last accelerations
  const double third = k->in->differences ? 0.0 : 1.0 / 6.0;
  for (int32_t i = 0; k->started && i < k->nv; i++)
    k->x[0][i] = h * (k->v[i] + h * (0.5 * k->a[i] + third * (k->a[i] - k->last_a[i]))) / unit[i];
  if (k->started) hki_tasks_plus(k, k->q, 1.0, k->x[0], k->q);
  if (!k->in->differences) memcpy(k->last_a, k->a, nv * sizeof *k->a);
  k->t = t;
  hki_kin_state(kin, t, k->q, k->zero);
  hki_kin_signals(kin, true);
  memcpy(k->jet, kin->sig, 3 * (size_t)k->m->spec->nsignals * sizeof *k->jet);
  hk_status st = find_position(k, k->q);
  if (st == HK_OK && k->in->differences) st = by_differences(k, h);
  if (st == HK_OK && !k->in->differences) {
    st = find_rates(k, k->q, 0.0, NULL, k->v);
    if (st == HK_OK) st = find_accelerations(k, k->v);
    for (int32_t i = 0; i < k->nv; i++) k->v[i] *= unit[i], k->a[i] *= unit[i];
  }
  // the first step has no accelerations before it
  if (st == HK_OK && !k->started && !k->in->differences) memcpy(k->last_a, k->a, nv * sizeof *k->a);
  if (st == HK_OK) k->started = true;
  return st;
}

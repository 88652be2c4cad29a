/* SPDX-License-Identifier: Apache-2.0
 *
 * equilibrium_path.c: a path of equilibria over a load (equilibrium.h).
 *
 *   J t = 0, |t| = 1          tangent of the path in (y, s); the one nearest to the last tangent
 *   (y, s) + h t              prediction
 *   J d = -F, d smallest      corrections back onto the path, of y and s together
 *
 * The load is an unknown like the others, so that the path goes on where the load turns back. Extremes of
 * the load, t_s = 0, are located by the rule of the false position on the length h.
 *
 * Source: Allgower and Georg, Numerical Continuation Methods, 1990, chapter 3; Riks, An Incremental
 * Approach to the Solution of Snapping and Buckling Problems, 1979.
 */
#include <stdio.h>
#include <stdlib.h>

#include "linalg/dense.h"
#include "simulation/equilibrium.h"
#include "simulation/equilibrium_large.h"

enum { LOCATE = 40, MOST_TURNS = 100 };
/* longest and shortest step: rad, lengths of the mechanism, the range of the load */
static const double farthest = 0.1, shortest = 1e-8;
/* singular values, against the largest, of which nothing is known */
static const double unknown = 1e-12;

typedef struct walker {
  hk_equilibria *e;
  double to;
  double *t, *last;    /* cols + 1: tangents at the point and at the point before */
  double *q, *v, load; /* the point that the next step begins at */
  double *all;         /* nv + nx + nz + 1: its tangent in all coordinates */
  double *old;         /* cols + 1: the same in those that are free where e is linearised */
  double turn; /* sign of det J_y t_s times the smallest singular value of J; 0: not known */
  bool blind;  /* somewhere it was not known */
  int32_t branch, seen; /* the one to take, as of the caller; how many have been passed */
  hk_equilibrium_taker take;
  void *user;
} walker;

static int32_t size(const walker *w) { return w->e->cols + 1; }

static double length_of(const double *t, int32_t n) {
  double sum = 0.0;
  for (int32_t i = 0; i < n; i++) sum += t[i] * t[i];
  return sqrt(sum);
}

/* t: the tangent at the point where e is linearised, nearest to `towards` */
static bool tangent(walker *w, const double *towards, double *t) {
  hk_equilibria *e = w->e;
  const int32_t n = size(w);
  hki_equilibria_level(e, n, e->level);
  return hki_dense_null(e->rows, n, e->A, 1e-10, e->sv, e->V, towards, t);
}

/* t: the tangent nearest to the one of the point kept, which is in w->old then, of length 1 */
static bool next_tangent(walker *w, double *t) {
  hki_equilibria_gather(w->e, w->all, w->old);
  const double norm = length_of(w->old, size(w));
  for (int32_t i = 0; i < size(w); i++) w->old[i] /= norm;
  return norm > 0.0 && tangent(w, w->old, t);
}

/* Test for branches at a point with the tangent t, after next_tangent: det J_y and t_s change their signs at an
 * extreme of the load together; where one of them does so alone another path branches off. The
 * determinant does not depend on which coordinates are free. 0: not known, where J is singular to `zero`:
 * something has no stiffness, or the point is the branch itself. */
static double turn_of(walker *w, const double *t, double zero) {
  hk_equilibria *e = w->e;
  const int32_t n = e->cols;
  if (e->rows != n || n == 0) return 0.0;
  const double least = e->sv[n - 1];
  if (!(least > zero * e->sv[0])) return 0.0;
  hki_equilibria_level(e, n, e->level);
  const int32_t sign = hki_dense_sign(n, e->A);
  return (t[n] < 0.0 ? -sign : sign) * least;
}

static void keep(walker *w) {
  const hk_model *m = w->e->s->m;
  memcpy(w->q, w->e->q, (size_t)m->nq * sizeof *w->q);
  memcpy(w->v, w->e->v, (size_t)(m->nv + m->nx + m->nz) * sizeof *w->v);
  w->load = w->e->at.load;
  hki_equilibria_spread(w->e, w->t, w->all);
}

/* back to the point kept, where e is then linearised */
static hk_status back(walker *w) {
  const hk_model *m = w->e->s->m;
  memcpy(w->e->q, w->q, (size_t)m->nq * sizeof *w->q);
  memcpy(w->e->v, w->v, (size_t)(m->nv + m->nx + m->nz) * sizeof *w->v);
  w->e->at.load = w->load;
  hk_status st = hki_equilibria_place(w->e);
  return st == HK_OK ? hki_equilibria_linearise(w->e) : st;
}

/* From the point kept by the length h along its tangent, then onto the path. e is linearised there. */
static hk_status advance(walker *w, double h, int32_t *iterations) {
  hk_equilibria *e = w->e;
  for (int32_t i = 0; i < size(w); i++) e->x[i] = h * w->t[i];
  hk_status st = hki_equilibria_move(e, e->x);
  return st == HK_OK ? hki_equilibria_solve(e, true, iterations) : st;
}

typedef enum kind { PLAIN, LIMIT, BRANCH } kind;

/* a point is on the path: its stability, and whoever takes it */
static hk_status arrive(walker *w, kind what) {
  if (!w->take) return HK_OK;
  hk_status st = hki_equilibria_judge(w->e);
  w->e->at.limit = what == LIMIT;
  w->e->at.branches = what == BRANCH;
  if (st == HK_OK) st = w->take(w->user, w->e);
  w->e->at.limit = w->e->at.branches = false;
  return st;
}

/* The extreme of the load, or the branch, within the length h from the point kept, where what vanishes
 * there is fb at h; e is linearised there. */
static hk_status locate(walker *w, kind what, double h, double fb) {
  double a = 0.0, fa = what == LIMIT ? w->t[w->e->cols] : w->turn, b = h, x = 0.0;
  double *t = w->e->x;
  // slopes of the load are parts of 1, stiffnesses parts of what they are beside the branch
  const double enough = 1e-10 * (what == LIMIT ? 1.0 : fmax(fabs(fa), fabs(fb)));
  hk_status st = HK_OK;
  for (int32_t k = 0; k < LOCATE; k++) {
    // halving now and then, where one end stays
    x = k % 3 == 2 ? 0.5 * (a + b) : a - fa * (b - a) / (fb - fa);
    st = back(w);
    if (st == HK_OK) st = advance(w, x, NULL);
    if (st != HK_OK || !next_tangent(w, t)) return st;
    const double f = what == LIMIT ? t[w->e->cols] : turn_of(w, t, 0.0);
    if (fabs(f) < enough || b - a < 1e-13) break;
    if ((f > 0.0) == (fa > 0.0))
      a = x, fa = f;
    else
      b = x, fb = f;
  }
  return HK_OK;
}

/* At a branch: w->t becomes the direction without stiffness that is across the path, to one side. */
static bool turn_off(walker *w, int32_t side) {
  hk_equilibria *e = w->e;
  const int32_t n = size(w);
  double best = 0.0, most = 0.0;
  if (!next_tangent(w, w->last)) return false;
  memcpy(e->A, e->J, (size_t)e->rows * (size_t)n * sizeof *e->A);
  if (!hki_dense_svd(e->rows, n, e->A, e->rows, e->sv, e->V, n)) return false;
  for (int32_t k = n - 2; k < n; k++) {
    const double *v = e->V + (size_t)k * (size_t)n;
    double c = 0.0, left = 0.0;
    for (int32_t i = 0; i < n; i++) c += v[i] * w->last[i];
    for (int32_t i = 0; i < n; i++) e->x[i] = v[i] - c * w->last[i];
    left = length_of(e->x, n);
    if (!(left > best)) continue;
    best = left;
    for (int32_t i = 0; i < n; i++) w->t[i] = e->x[i] / left;
  }
  for (int32_t i = 0; i < n; i++)
    if (fabs(w->t[i]) > fabs(most) * (1.0 + 1e-9)) most = w->t[i];
  for (int32_t i = 0; i < n && (most < 0.0) == (side > 0); i++) w->t[i] = -w->t[i];
  return best > 0.5;
}

/* the last point: exactly at the load `to`, from where the path has passed it */
static hk_status finish(walker *w) {
  memset(w->e->x, 0, (size_t)size(w) * sizeof *w->e->x);
  w->e->at.load = w->to;
  hk_status st = hki_equilibria_move(w->e, w->e->x);
  if (st == HK_OK) st = hki_equilibria_solve(w->e, false, NULL);
  return st == HK_OK ? arrive(w, PLAIN) : st;
}

/* What the step of length h has passed, of which next is the tangent: extremes of the load, branches. *off: the
 * path has turned off. Leads to the end of the step again, unless it has. */
static hk_status look_back(walker *w, double h, const double *next, bool *off) {
  hk_equilibria *e = w->e;
  // small beside what it was, it is on its way through zero
  const double turn = turn_of(w, next, w->turn != 0.0 ? 0.0 : unknown), here = next[e->cols];
  // a path that has just turned off may begin with a load that stands still
  const bool turned = (here > 0.0) != (w->t[e->cols] > 0.0) && fabs(w->t[e->cols]) > 1e-6;
  const bool branched = !turned && turn * w->turn < 0.0;
  hk_status st = HK_OK;
  if (turn == 0.0) w->blind = true;
  if (turned || branched) {
    st = locate(w, turned ? LIMIT : BRANCH, h, turned ? here : turn);
    // the path ends before it
    const bool beyond = (e->at.load - w->to) * (w->load - w->to) <= 0.0;
    if (st == HK_OK && branched && !beyond) w->seen++;
    if (st == HK_OK && !beyond) st = arrive(w, turned ? LIMIT : BRANCH);
    if (st == HK_OK && branched && !beyond && w->seen == abs(w->branch)) {
      *off = turn_off(w, w->branch);
      return *off ? HK_OK : HK_RETRY;
    }
    if (st == HK_OK) st = back(w);
    if (st == HK_OK) st = advance(w, h, NULL);
  }
  w->turn = turn != 0.0 ? turn : w->turn;
  return st;
}

/* one point further; *h is adapted, the load changes by `most` at most, against its range. HK_RETRY: no
 * step from here */
static hk_status walk(walker *w, double *h, double most, bool *done) {
  hk_equilibria *e = w->e;
  const double before = w->t[e->cols];
  int32_t its = 0;
  double *next = w->last;
  hk_status st = HK_RETRY;
  *h = fmin(*h, fmin(farthest, most / fmax(fabs(before), 1e-6)));
  keep(w);
  while (st == HK_RETRY) {
    st = advance(w, *h, &its);
    if (st == HK_OK && (its > 8 || !next_tangent(w, next))) st = HK_RETRY;
    double along = 0.0;
    for (int32_t i = 0; st == HK_OK && i < size(w); i++) along += next[i] * w->old[i];
    // a sharp turn hides what is between
    if (st == HK_OK && along < 0.9) st = HK_RETRY;
    if (st != HK_RETRY) break;
    *h *= 0.5;
    if (*h < shortest) return HK_RETRY;
    const hk_status home = back(w);
    if (home != HK_OK) return home;
  }
  if (st != HK_OK) return st;
  const bool passed = (e->at.load - w->to) * (w->load - w->to) <= 0.0;
  bool off = false;
  st = look_back(w, *h, next, &off);
  if (st != HK_OK) return st;
  if (off) {
    *h = 0.5 * farthest;
    w->turn = 0.0;
    return HK_OK;
  }
  *done = passed;
  st = passed ? finish(w) : arrive(w, PLAIN);
  memcpy(w->t, next, (size_t)size(w) * sizeof *next);
  *h *= its <= 3 ? 1.5 : its > 5 ? 0.6 : 1.0;
  return st;
}

hk_status hki_equilibria_follow(hk_equilibria *e, double to, int32_t points, int32_t branch,
                                hk_equilibrium_taker take, void *user, char *words, size_t cap) {
  const hk_model *m = e->s->m;
  const size_t ns = (size_t)(m->nv + m->nx + m->nz), n = ns + 1;
  if (e->large) return hki_large_follow(e, to, points, branch, take, user, words, cap);
  double *block = hki_alloc(e->s->ctx, (4 * n + (size_t)m->nq + ns + 4) * sizeof *block);
  if (!block) return HK_E_MEMORY;
  walker w = {.e = e,
              .to = to,
              .t = block,
              .last = block + n,
              .branch = branch,
              .take = take,
              .user = user};
  w.q = w.last + n, w.v = w.q + m->nq, w.all = w.v + ns, w.old = w.all + n;
  e->range = to - e->at.load;
  hk_status st = hki_equilibria_linearise(e);
  if (st == HK_OK) st = arrive(&w, PLAIN);
  double h = farthest;
  bool done = e->range == 0.0;
  memset(w.last, 0, n * sizeof *w.last);
  w.last[e->cols] = 1.0;
  if (st == HK_OK && !done && !tangent(&w, w.last, w.t)) st = HK_RETRY;
  if (st == HK_OK && !done) w.turn = turn_of(&w, w.t, unknown);
  for (int32_t k = 0; st == HK_OK && !done && k < MOST_TURNS * points; k++)
    st = walk(&w, &h, 1.0 / points, &done);
  hki_free(e->s->ctx, block);
  if (w.blind && take)
    hki_note(
        e->s->ctx, HK_LOC_NONE,
        "branches were not looked for everywhere: a direction has no stiffness, or less than 1e-12 "
        "of that of others");
  if (st == HK_RETRY || (st == HK_OK && !done)) {
    snprintf(words, cap, "the path of equilibria %s at the load %.6g",
             st == HK_RETRY ? "ends" : "has not come to its end", e->at.load);
    st = HK_E_DIVERGED;
  }
  return st;
}

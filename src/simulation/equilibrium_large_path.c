/* SPDX-License-Identifier: Apache-2.0
 *
 * equilibrium_large_path.c: a path of equilibria of a large model over a load, by the sparse equations of
 * equilibrium_large.c. With x_s the change of the equilibrium with the load s, in units of its range:
 *
 *   t = (x_s, 1) / |(x_s, 1)|       tangent, |t|^2 = x' M x / c + s^2, the one nearest to the last
 *   (y, s) + h t                    prediction
 *   d = x_F + ds x_s, t.d = 0       corrections across the tangent: two solutions with the same factors
 *
 * M: masses, so that the length of a step does not depend on the mesh; c: x_s' M x_s where the path begins, so that the
 * motion under the whole load, were it linear, counts as much as the load. Corrections longer than half a prediction
 * lead elsewhere: the step is halved.
 * Extremes of the load, t_s = 0, are located by the rule of the false position.
 */
#include <stdio.h>

#include "simulation/equilibrium_large.h"

enum { LOCATE = 40, MOST = 12, MOST_TURNS = 100 };
static const double farthest = 0.6;  /* motion in a step: rad, lengths of the mechanism */
static const double shortest = 1e-7; /* step */
static const double flat =
    2e-5; /* t_s at an extreme of the load, of which it has the square as error */

typedef struct walker {
  hk_equilibria_large *l;
  double to;
  double *t, *next; /* size + 1: tangents at the point kept, and at the one ahead */
  hk_equilibrium_taker take;
  void *user;
} walker;

static double along(const hk_equilibria_large *l, const double *x, const double *y) {
  return hki_large_dot(l, x, y) + x[l->size] * y[l->size];
}

/* t: the tangent at the point, from the slope there, to the side of `towards` */
static bool tangent(hk_equilibria_large *l, const double *towards, double *t) {
  memcpy(t, l->slope, (size_t)l->size * sizeof *t);
  t[l->size] = 1.0;
  const double side = along(l, t, towards), length = sqrt(along(l, t, t));
  if (!isfinite(length)) return false;
  for (int32_t i = 0; i <= l->size; i++) t[i] *= (side < 0.0 ? -1.0 : 1.0) / length;
  return true;
}

/* corrections stay across l->t */
static void aim(hk_equilibria_large *l) {
  const hk_slopes *p = &l->p;
  memset(l->Mt, 0, (size_t)l->size * sizeof *l->Mt);
  for (int32_t j = 0; j < p->nbodies; j++)
    for (int32_t k = p->start[j]; k < p->start[j + 1]; k++)
      if (p->row[k] < p->nbodies) l->Mt[p->row[k]] += l->metric * p->M[k] * l->t[j];
}

/* from the point kept by the length h along its tangent, then onto the path; its tangent in `next` */
static hk_status advance(walker *w, double h, int32_t *iterations) {
  hk_equilibria_large *l = w->l;
  l->reach = h * sqrt(hki_large_dot(l, w->t, w->t));
  for (int32_t i = 0; i < l->size; i++) l->try[i] = h * w->t[i];
  hk_status st = hki_large_shift(l, l->try, h * w->t[l->size]);
  if (st == HK_OK) st = hki_large_correct(l, true, MOST, iterations);
  return st == HK_OK && !tangent(l, w->t, w->next) ? HK_RETRY : st;
}

/* a point is on the path: its stability, and whoever takes it */
static hk_status arrive(walker *w, bool limit) {
  hk_equilibria *e = w->l->e;
  char words[400];
  hk_status st = hki_large_place(w->l);
  if (st == HK_OK && hki_kin_refused(e->s->kin, words, sizeof words))
    return hki_error(e->s->ctx, HK_E_ASSEMBLY, HK_LOC_NONE, NULL, "at the equilibrium: %s", words);
  if (st != HK_OK || !w->take) return st;
  st = hki_large_judge(e);
  e->at.limit = limit;
  if (st == HK_OK) st = w->take(w->user, e);
  e->at.limit = false;
  return st;
}

/* The extreme of the load within the length h from the point kept, beyond which the tangent is `next`. K is singular there, and
 * the load changes with the square of t_s: the masses beside K are made smaller, and `flat` is enough. */
static hk_status locate(walker *w, double h) {
  const int32_t s = w->l->size;
  w->l->ca *= 1e-4;
  double a = 0.0, fa = w->t[s], b = h, fb = w->next[s];
  hk_status st = HK_OK;
  for (int32_t k = 0; st == HK_OK && k < LOCATE; k++) {
    const double x = k % 3 == 2 ? 0.5 * (a + b) : a - fa * (b - a) / (fb - fa);
    st = hki_large_back(w->l);
    if (st == HK_OK) st = advance(w, x, NULL);
    const double f = w->next[s];
    if (st != HK_OK || fabs(f) < flat || b - a < 1e-12) break;
    if ((f > 0.0) == (fa > 0.0))
      a = x, fa = f;
    else
      b = x, fb = f;
  }
  return st;
}

/* the last point: exactly at the load `to`, which the step of length h has passed */
static hk_status finish(walker *w, double h) {
  hk_equilibria *e = w->l->e;
  const double part = (w->to - w->l->load_kept) / (e->at.load - w->l->load_kept);
  if (part < 1.0) {
    hk_status near = hki_large_back(w->l);
    if (near == HK_OK) near = advance(w, part * h, NULL);
    if (near != HK_OK) return near;
  }
  w->l->e->at.load = w->to;
  memset(w->l->try, 0, (size_t)w->l->size * sizeof *w->l->try);
  hk_status st = hki_large_shift(w->l, w->l->try, 0.0);
  if (st == HK_OK) st = hki_large_correct(w->l, false, 2 * MOST, NULL);
  return st == HK_OK ? arrive(w, false) : st;
}

/* an extreme of the load in the step of length h is a point of its own; then to the end of the step again */
static hk_status look_back(walker *w, double h) {
  const int32_t s = w->l->size;
  hk_equilibria *e = w->l->e;
  const double ca = w->l->ca;
  if ((w->next[s] > 0.0) == (w->t[s] > 0.0)) return HK_OK;
  hk_status st = locate(w, h);
  const bool beyond = (e->at.load - w->to) * (w->l->load_kept - w->to) <= 0.0;
  if (st == HK_OK && !beyond) st = arrive(w, true);
  w->l->ca = ca;
  if (st == HK_OK) st = hki_large_back(w->l);
  return st == HK_OK ? advance(w, h, NULL) : st;
}

/* one point further; HK_RETRY: no step from here */
static hk_status walk(walker *w, double *h, double most, bool *done) {
  hk_equilibria_large *l = w->l;
  int32_t its = 0;
  hk_status st = HK_RETRY;
  memcpy(l->t, w->t, (size_t)(l->size + 1) * sizeof *l->t);
  aim(l);
  hki_large_keep(l);
  *h = fmin(*h, most / fmax(fabs(w->t[l->size]), 1e-9));
  *h = fmin(*h, farthest / fmax(hki_large_size(l, w->t), 1e-300));
  while (st == HK_RETRY) {
    st = advance(w, *h, &its);
    if (st == HK_OK && along(l, w->next, w->t) < 0.8) st = HK_RETRY;
    if (st != HK_RETRY) break;
    *h *= 0.5;
    if (*h < shortest) return HK_RETRY;
    const hk_status home = hki_large_back(l);
    if (home != HK_OK) return home;
  }
  if (st == HK_OK) st = look_back(w, *h);
  if (st != HK_OK) return st;
  *done = (l->e->at.load - w->to) * (l->load_kept - w->to) <= 0.0;
  if (*done) return finish(w, *h);
  memcpy(w->t, w->next, (size_t)(l->size + 1) * sizeof *w->t);
  *h *= its <= 6 ? 1.5 : its > 8 ? 0.7 : 1.0;
  return arrive(w, false);
}

hk_status hki_large_follow(hk_equilibria *e, double to, int32_t points, int32_t branch,
                           hk_equilibrium_taker take, void *user, char *words, size_t cap) {
  hk_equilibria_large *l = e->large;
  const size_t n = (size_t)l->size + 1;
  if (branch)
    return hki_error(e->s->ctx, HK_E_USAGE, HK_LOC_NONE, "use fewer elements",
                     "branches are not followed in models with so many coordinates");
  double *block = hki_alloc(e->s->ctx, 2 * n * sizeof *block);
  if (!block) return HK_E_MEMORY;
  walker w = {.l = l, .to = to, .t = block, .next = block + n, .take = take, .user = user};
  e->range = to - e->at.load;
  bool done = e->range == 0.0;
  double h = 1.0;
  hk_status st = arrive(&w, false);
  if (st == HK_OK && !done) st = hki_large_linearise(l, true);
  l->metric = 1.0;
  const double size = st == HK_OK && !done ? hki_large_dot(l, l->slope, l->slope) : 1.0;
  if (size > 0.0 && isfinite(size)) l->metric = 1.0 / size;
  w.next[l->size] = 1.0;
  if (st == HK_OK && !done && !tangent(l, w.next, w.t)) st = HK_RETRY;
  for (int32_t k = 0; st == HK_OK && !done && k < MOST_TURNS * points; k++)
    st = walk(&w, &h, 1.0 / points, &done);
  hki_free(e->s->ctx, block);
  if (st == HK_RETRY || (st == HK_OK && !done)) {
    snprintf(words, cap, "the path of equilibria %s at the load %.6g",
             st == HK_RETRY ? "ends" : "has not come to its end", e->at.load);
    st = HK_E_DIVERGED;
  }
  return st;
}

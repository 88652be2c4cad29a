/* SPDX-License-Identifier: Apache-2.0
 *
 * newton.c: Newton's iteration on one stage of a step.
 *
 * Converged: the scaled correction and the scaled constraint rows are below the tolerance and below
 * a tenth of the first correction. The first correction is the error of the predictor, h^3/4 da/dt,
 * which is three times the local error of the trapezoidal rule; the error that the iteration leaves
 * must be small against it, else small steps lose accuracy.
 *
 * By the rate of convergence, where the formulation allows it (hk_norms.by_rate): corrections d1, d2 of two
 * iterations tell what the second leaves, about d2 max(d2/d1, 0.01), since tangents leave small
 * terms out. The stage ends where that is below a fiftieth of what is asked for above, or below
 * 1e3 tolerance (the first correction): at a tolerance of 1e-7, a ten-thousandth of the predictor's error.
 * Where the integrator predicts with its history (hk_stage.ahead), a stage may end after its first correction, by the rate of
 * the stages before (rate.h). What is asked for is then measured by the error of a prediction that repeats the last step,
 * h^4/4 d2a/dt2 (hk_norms.whole): positions that an iteration leaves go into velocities 2/h times as large, and the local
 * error of velocities is a third of that error, over h.
 * The last correction must be below 100 tolerance even so, since errors of the iteration make or take energy where
 * those of the trapezoidal rule do not, and the rows below 1e-10 or a hundredth of the tolerance. What was measured:
 * docs/performance.md.
 *
 * Other ends of the iteration:
 *   - corrections that grow or are not finite: HK_RETRY;
 *   - corrections near the tolerance that stop shrinking are round-off: accepted, and counted;
 *   - constraints at acceleration level have spurious solutions where the constraints lose rank.
 *     An iteration whose corrections grow far beyond the first is on its way to one: HK_RETRY.
 * An iteration that alternates between two branches of a contact is damped.
 *
 * Real time needs steps of bounded cost: after `fixed` iterations a stage is accepted as it is, and the
 * size of its last correction is kept. Only corrections that are not finite end such a stage.
 *
 * Tangents: a new one in each iteration, unless the formulation allows another use of the last one
 * (hk_norms.keep_factor) and the iteration converges fast. Formulations with penalties do not
 * allow it, since a penalty multiplies the smallest change in the directions of the constraints. No
 * tangent is kept beyond its stage: the projections after a step use the factor, and with one of an
 * earlier step they lose their order. `jacobian: every` makes a new one in each iteration.
 *
 * Cheap or exact tangents: some formulations leave the choice (choose_tangent). A stage begins with
 * the cheap one. With a tangent that leaves terms out, corrections shrink by a constant rate; when
 * that rate is slow, or the corrections grow, the rest of the stage and the stages after it take the
 * exact one. Now and then a stage begins with the cheap one again, and they stay with it if that
 * converges. Where the exact one is no faster (an impact, a kink of a law), they go back to the
 * cheap one for a while. All that is counted in stages, so a run takes the same way again.
 */
#include <math.h>
#include <string.h>

#include "stage/rate.h"

/* corrections within this factor of the tolerance count as round-off once they stop shrinking */
static const double stagnation_band = 1e3;

/* the last correction must be below this share of the first, but need not be below round_off or this share of the tolerance */
static const double small_share = 0.1, round_off = 1e-14, as_nothing = 1e-5;

/* End by the rate: the best rate that is believed in; shares of what is asked for and, times the tolerance, of the first
 * correction that may be left; largest last correction and rows, times the tolerance; rows that are small enough */
static const double best_rate = 0.01, left_share = 0.02, left_of_first = 1e3,
                    last_most = HK_RATE_LAST, rows_most = 0.01, rows_small = 1e-10;

/* a tolerance below this asks for corrections down to round-off: half the share */
static const double fine = HK_RATE_FINE;

/* factors are kept while each correction is below this share of the one before; after the first
 * that is not, none is kept for the rest of the stage */
static const double fast = 0.03;

/* At acceleration level, and after a change of the tangent, a correction above elsewhere * (the first) and above `far` leads to a
 * spurious solution. Measured: up to 300 times the first with stiff dampers, 3000 and more on the
 * way to spurious solutions. */
static const double elsewhere = 1e3, far = 1e-4;

/* error that an old tangent may leave, as a share of the tolerance */
static const double nothing = 1e-2;

/* Rates of the cheap tangent that are too slow: at its second correction, and at later ones. A
 * Newton iteration that begins far away often has one slow correction, but not two. */
static const double slow_first = 0.5, slow = 0.25;

/* rows that the first correction has left open, as a share of the second one, from which that one is there to close them */
static const double rows_share = 0.1;

/* corrections that the cheap tangent has still to make at its rate, from which the exact one is
 * taken */
static const double long_way = 8.0;

/* Forces that grow with the square of the velocities give a stage other solutions, at increments
 * of the order of one however short the step is. The cheap tangent leads away from them, the exact
 * one leads there. A way from the prediction longer than this goes to one. Measured: at most 0.04
 * in steps that are right, 0.1 to 1000 in steps too long. */
static const double astray = 0.1;

/* iteration from which cycles are looked for */
enum { first_cycle = 6 };

/* corrections that the exact tangent may take after a change within a stage */
static const int32_t patience = 10;

/* stages between trials of the other tangent: the first hold, and the longest one for either */
static const int32_t shortest_hold = 16, longest_exact = 1024, longest_cheap = 64;

/* span of a choice: the stage before has changed to the exact tangent, those after it may not */
enum { once = -1 };

/* the iteration of one stage as the choice of its tangent sees it */
typedef struct tangent_watch {
  bool free;       /* the formulation leaves the choice */
  bool exact;      /* the tangent in use */
  int32_t changed; /* iteration after which it was changed to the exact one, 0 = not */
} tangent_watch;

static void keep_choice(hk_tangent_choice *c, bool exact, int32_t longest) {
  const bool again = c->exact == exact && c->span > 0;
  c->span = again ? 2 * c->span : shortest_hold;
  if (c->span > longest) c->span = longest;
  c->exact = exact;
  c->hold = c->span;
}

/* the tangent with which a stage begins */
static tangent_watch watch_begin(hk_tangent_choice *c, hk_formulation *f, const hk_stage *st) {
  tangent_watch w = {0};
  if (!f->ops->choose_tangent) return w;
  if (st->level == HK_LEVEL_ACC) { // spurious solutions attract the exact one
    f->ops->choose_tangent(f, false);
    return w;
  }
  w.exact = c->exact && c->hold > 0;
  w.free = f->ops->choose_tangent(f, w.exact);
  if (w.free && c->hold > 0) c->hold--;
  return w;
}

/* After iteration `it` with correction `size`, one before it of size `before`, that did not end
 * the stage: changes to the exact tangent where the cheap one is slow. True: it leads away, so the
 * stage should begin again from its prediction. */
static bool watch_rate(tangent_watch *w, const hk_tangent_choice *c, hk_formulation *f, int32_t it,
                       double size, double before, double enough) {
  if (!w->free || w->exact || it < 2 || (!c->exact && c->hold > 0)) return false;
  const double rate = size / before;
  if (!(rate > (it == 2 ? slow_first : slow))) return false;
  // an exact tangent costs about twice as much: the cheap one must have a long way to go
  if (rate < 1.0 && log(enough / size) / log(rate) < long_way) return false;
  w->exact = f->ops->choose_tangent(f, true);
  w->changed = it;
  return size >= before && it < first_cycle;
}

/* the exact tangent leads astray: the stage and the ones after it take the cheap one */
static void watch_give_up(tangent_watch *w, hk_tangent_choice *c, hk_formulation *f) {
  f->ops->choose_tangent(f, false);
  *w = (tangent_watch){0};
  keep_choice(c, false, longest_cheap);
}

/* the stage has ended after `it` iterations; what the coming ones begin with */
static void watch_end(const tangent_watch *w, hk_tangent_choice *c, bool converged, int32_t it) {
  if (!w->free || !converged) return; // a shorter step tries both again
  const bool helps = w->changed && it <= w->changed + patience;
  if (helps && !c->exact && c->span != once)
    c->span = once; // one stage alone may be an impact; a second one in a row is the mechanism
  else if (helps)
    keep_choice(c, true, longest_exact);
  else if (w->changed)
    keep_choice(c, false, longest_cheap);
  else if ((c->exact && !w->exact) || c->span == once)
    *c = (hk_tangent_choice){0}; // a trial that went well
}

/* The prediction and the multipliers with which a stage begins: kept, or put back where the cheap
 * tangent led away. D is kept in `at`. */
static void stage_start(hk_newton *n, hk_formulation *f, int32_t nv, double *D, double *at,
                        bool put_back) {
  double *block = NULL;
  int32_t count = 0;
  if (n->kept) f->ops->persistent(f, &block, &count);
  const size_t size = (size_t)count * sizeof *block;
  memcpy(put_back ? D : at, put_back ? at : D, (size_t)nv * sizeof *D);
  if (count) memcpy(put_back ? block : n->kept, put_back ? n->kept : block, size);
}

/* two successive corrections that point against each other with the same size: a cycle */
static bool is_cycle(int32_t nv, const double *now, const double *before) {
  double nn = 0.0, bb = 0.0, nb = 0.0;
  for (int32_t i = 0; i < nv; i++) {
    nn += now[i] * now[i];
    bb += before[i] * before[i];
    nb += now[i] * before[i];
  }
  return nb < -0.8 * sqrt(nn * bb) && nn > 0.64 * bb;
}

/* halve a correction that undoes the one before; `work` holds D before the correction on entry */
static void damp_cycle(int32_t nv, double *D, double *work, double *last, bool have_last) {
  for (int32_t i = 0; i < nv; i++) work[i] = D[i] - work[i];
  if (have_last && is_cycle(nv, work, last)) {
    for (int32_t i = 0; i < nv; i++) D[i] -= 0.5 * work[i];
  }
  memcpy(last, work, (size_t)nv * sizeof *last);
}

hk_status hki_newton_hook(hk_newton *n, hk_formulation *f, const hk_stage *st, hk_hook when,
                          const double *D) {
  hk_status s = HK_OK;
  if (f->ops->hook)
    s = f->ops->hook(f, when, D);
  else if (n->hook)
    s = n->hook(n->user, st, when, D);
  return s == HK_OK && n->peers ? n->peers(n->user, st, when, D) : s;
}

hk_status hki_newton_take(hk_newton *n, hk_formulation *f, const hk_stage *st, double size,
                          const double *D) {
  n->taken++;
  n->left_most = fmax(n->left_most, size);
  return hki_newton_hook(n, f, st, HK_HOOK_CONVERGED, D);
}

/* Largest last correction with an old tangent. A correction d of Newton's method leaves an error of
 * the order d^2; with an old tangent it leaves d * ratio, which must be below nothing * enough. */
static double left_by_old(double enough, double ratio) {
  return fmin(enough, nothing * enough / ratio);
}

/* largest last correction of a stage whose first is given */
static double asked_for(const hk_newton *n, double first) {
  const double least = fmax(round_off, as_nothing * n->tolerance);
  return fmin(n->tolerance, fmax(small_share * first, least));
}

/* Does what the last correction, of this size, has left by its rate say that it was enough? whole: the error of a
 * prediction that repeats the last step */
static bool ends_by_rate(const hk_newton *n, const hk_norms *norm, double size, double left,
                         double whole) {
  const double tol = n->tolerance, share = tol < fine ? 0.5 * left_share : left_share;
  if (!norm->by_rate || norm->branched || whole > HK_RATE_NEAR) return false;
  return left <= fmax(share * asked_for(n, whole), left_of_first * tol * whole) &&
         size <= last_most * tol &&
         norm->constraint <= fmin(tol, fmax(rows_most * tol, rows_small));
}

/* what the correction of iteration `it` leaves by its rate: that of the stages before, or its own */
static double left_by_rate(const hk_newton *n, const hk_stage *st, int32_t it, double size,
                           double before) {
  if (it > 1) return isfinite(before) ? size * fmax(best_rate, size / before) : HK_RATE_UNKNOWN;
  return st->ahead ? hki_rate_left(&n->rate, n->tolerance, st->ca, size) : HK_RATE_UNKNOWN;
}

/* With a new tangent, corrections near the tolerance that no longer shrink are round-off. it: since the stage began. */
static bool is_round_off(hk_newton *n, int32_t it, double size, double before) {
  const double band = n->waits ? 0.0 : stagnation_band * n->tolerance;
  if (it <= 2 || size >= band || size <= 0.5 * before) return false;
  n->stagnated++;
  return true;
}

static hk_status iterate(hk_newton *n, hk_formulation *f, const hk_stage *st, int32_t nv, double *D,
                         double *work, tangent_watch *watch) {
  const hk_formulation_ops *ops = f->ops;
  double *last = work + nv, before = INFINITY, enough = n->tolerance, first = 0.0, way = 0.0;
  double whole = 0.0, rows = 0.0;
  int32_t begun = 0; // iteration after which the stage began again
  bool tangent = true, may_keep = true;
  hk_status s = ops->begin(f, st);
  if (s == HK_OK) s = hki_newton_hook(n, f, st, HK_HOOK_AFTER_PREDICTION, D);
  // until cycles are looked for, `last` holds the prediction
  if (watch->free) stage_start(n, f, nv, D, last, false);
  n->last = 0;
  for (int32_t it = 1; s == HK_OK && it <= n->max_iter; it++) {
    hk_norms norm = {.last = st->ahead && it == 1 ? hki_rate_last(n->tolerance) : 0.0};
    memcpy(work, D, (size_t)nv * sizeof *work);
    if ((s = ops->residual(f, D, tangent)) != HK_OK) break;
    if (tangent && (s = ops->factor(f)) != HK_OK) break;
    if ((s = ops->correct(f, D, &norm)) != HK_OK) break;
    if ((s = hki_newton_hook(n, f, st, HK_HOOK_AFTER_ITERATION, D)) != HK_OK) break;
    n->iterations++, n->last = it;
    double size = fmax(norm.step, norm.constraint);
    if ((n->stop && *n->stop) || !isfinite(size) || (it > 4 && size > 1e6)) return HK_RETRY;
    if (it == 1) first = size, enough = asked_for(n, size);
    if (it == 1) whole = hki_rate_whole(n->tolerance, size, norm.whole);
    hki_rate_turn(&n->rate, n->left = size);
    if (it == n->fixed && (n->waits || size > enough)) return hki_newton_take(n, f, st, size, D);
    if ((st->level == HK_LEVEL_ACC || watch->changed) && size > elsewhere * first && size > far)
      return HK_RETRY;
    way += norm.step;
    // the prediction is forgotten soon, so that the exact tangent could no longer be given up
    if (it == 3 && way > astray && !watch->exact) watch->free = false;
    if (watch->free && watch->exact && way > astray) {
      // the rest of the stage with the cheap tangent, from the prediction where that is still known
      if (it >= first_cycle) return HK_RETRY;
      stage_start(n, f, nv, D, last, true);
      watch_give_up(watch, &n->choice, f);
      before = INFINITY;
      continue;
    }
    if (!n->waits && (size <= (tangent ? enough : left_by_old(enough, size / before)) ||
                      ends_by_rate(n, &norm, size, left_by_rate(n, st, it, size, before), whole)))
      return hki_newton_hook(n, f, st, HK_HOOK_CONVERGED, D);
    if (tangent && is_round_off(n, it - begun, size, before))
      return hki_newton_hook(n, f, st, HK_HOOK_CONVERGED, D);
    // how far a change of a law's branch leads says nothing about the tangent, nor do rows that the first one left open
    const bool closes = it == 2 && rows > rows_share * size;
    rows = norm.constraint;
    if (watch->free && tangent && !norm.branched && !closes &&
        watch_rate(watch, &n->choice, f, it, size, before, enough)) {
      stage_start(n, f, nv, D, last, true);
      size = INFINITY, way = 0.0, begun = it; // the next correction is a first one again
    }
    // look for cycles only in a long iteration
    if (it >= first_cycle) damp_cycle(nv, D, work, last, it > first_cycle);
    if (!tangent && size > fast * before) may_keep = false;
    tangent = n->every || !(may_keep && norm.keep_factor);
    before = size;
  }
  return s < 0 ? s : HK_RETRY;
}

hk_status hki_newton_solve(hk_newton *n, hk_formulation *f, const hk_stage *st, int32_t nv,
                           double *D, double *work) {
  HK_ASSERT(f->ops->caps & (st->level == HK_LEVEL_ACC ? HK_CAP_STAGE_ACC : HK_CAP_STAGE_POS));
  HK_ASSERT(!st->nodes || (f->ops->caps & HK_CAP_NODES));
  HK_ASSERT(st->q0 && st->vh && st->ah && st->ca > 0.0);
  if (n->space) return hki_newton_system(n, f, st, nv, D, work);
  tangent_watch watch = watch_begin(&n->choice, f, st);
  hki_rate_begin(&n->rate);
  hk_status s = iterate(n, f, st, nv, D, work, &watch);
  if (s == HK_OK && f->ops->settle) s = f->ops->settle(f, D);
  watch_end(&watch, &n->choice, s == HK_OK, n->last);
  // nothing is kept of other tangents and of stages that are repeated
  if (s == HK_OK && st->ahead && !watch.exact)
    hki_rate_end(&n->rate, st->ca);
  else
    hki_rate_forget(&n->rate);
  return s;
}

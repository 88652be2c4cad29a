/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_free.c: steps of controlled length, by local error or by iterations (step_control.c).
 *
 * Steps do not end on the grid; rows at grid times come from dense output. Only the end of the run,
 * jumps of signals and events by time are hit exactly, by a shortened step.
 *
 * Conditions of events on the state are evaluated at four points of each step. When one holds, its
 * first time is found by bisection on the dense output, to round-off. The state there is projected
 * and becomes the end of the step. The same is done for elements that change their branch (a wheel
 * that reaches the next segment of a road): an element keeps its branch within a step, so that the
 * integrator sees smooth forces, and the step ends where the branch changes. The energy of the
 * change is counted as supplied.
 *
 * There, and at jumps, accelerations and histories start anew, but only after the rows before that
 * time have been written (`arrival`).
 *
 * The audit integrates powers by Simpson's rule, with the midpoint from dense output.
 */
#include <float.h>
#include <stdio.h>

#include "simulation/simulation.h"

enum {
  PLACES = 4,     /* points of a step at which conditions are evaluated */
  BISECTIONS = 80 /* at most */
};

/* the next time that is shown: on the grid, or one that was asked for; *on_grid: it counts there */
static double next_shown(const hk_sim *s, bool *on_grid) {
  const double eps = 1e-9 * s->step;
  double g = hki_sim_grid_time(s, s->grid + 1);
  if (g > s->end - eps) g = s->end;
  *on_grid = !(s->until < g - eps);
  return s->until < g + eps ? s->until : g;
}

/* The next time at which a step must end: a jump, or the end of the run. Inputs may change wherever
 * the program sees the simulation. */
static double next_target(hk_sim *s, bool *is_break) {
  bool on_grid;
  double b = hki_sim_next_break(s), end = s->end;
  if (s->ninputs) end = fmin(end, next_shown(s, &on_grid));
  *is_break = b <= end && !hki_sim_right_behind(s, b, s->I.t);
  return *is_break ? b : end;
}

/* --- conditions within a step ----------------------------------------------------------------- */

/* is there an event or element whose condition depends on the state? */
static bool watched(const hk_sim *s) {
  for (int32_t e = 0; e < s->m->spec->nevents; e++)
    if (!s->fired[e] && s->kin->sig_state[s->m->spec->events[e].when]) return true;
  return s->has_decide || s->stops.n || s->locks.n || hki_kin_commit_waits(s->kin, HK_NONE);
}

/* at the state of kin: does a conditional event hold, or does an element change its branch? */
static bool something_happens(hk_sim *s) {
  bool changed = false;
  if (hki_sim_event_conditional(s)) return true;
  if (s->has_decide) {
    hki_kin_decide(s->kin, &changed);
    memcpy(s->kin->disc.block, s->held_disc, (size_t)s->kin->disc.n * sizeof(double));
  }
  return changed;
}

/* the same at the fraction theta of the step */
static hk_status happens_at(hk_sim *s, double theta, int level, bool *yes) {
  hk_status st = hki_sim_state_within(s, theta, level);
  *yes = st == HK_OK && something_happens(s);
  return st;
}

/* *at: a fraction of the step at which a coordinate has passed a stop, if that is before *at */
static hk_status look_at_stops(hk_sim *s, double h, double *before, double *at) {
  double root, past;
  hk_status st = hki_sim_state_within(s, 0.0, HK_WITHIN_RAW);
  if (st != HK_OK) return st;
  hki_sim_stops_begin(s);
  if ((st = hki_sim_state_within(s, 1.0, HK_WITHIN_RAW)) != HK_OK) return st;
  if (hki_sim_stops_ahead(s, h, &root, &past) != HK_NONE && past < *at) *before = 0.0, *at = past;
  return HK_OK;
}

/* theta: the first fraction of the step at which something happens, 1 when nothing does */
static hk_status locate(hk_sim *s, double h, double *theta) {
  double lo = 0.0, hi = 0.0, before = 0.0, at = INFINITY;
  bool yes = false;
  hk_status st = hki_sim_watching(s) ? hki_sim_window(s, h, &before, &at) : HK_OK;
  if (st == HK_OK && s->stops.n) st = look_at_stops(s, h, &before, &at);
  for (int i = 1; i <= PLACES && !yes && st == HK_OK; i++) {
    lo = hi, hi = (double)i / PLACES;
    if (at > lo && at < hi) {
      // a window that opens between two places
      st = happens_at(s, at, HK_WITHIN_CLOSED, &yes);
      if (st == HK_OK && yes) lo = s->has_decide ? lo : fmax(lo, before), hi = at;
      if (st != HK_OK || yes) break;
    }
    st = happens_at(s, hi, HK_WITHIN_RAW, &yes);
    if (st == HK_OK && yes) st = happens_at(s, hi, HK_WITHIN_CLOSED, &yes);
  }
  *theta = 1.0;
  if (st != HK_OK || !yes) return st;
  const double enough = 2.0 * DBL_EPSILON * fmax(fabs(s->free.t0), h) / h;
  for (int i = 0; i < BISECTIONS && hi - lo > enough && st == HK_OK; i++) {
    double mid = 0.5 * (lo + hi);
    st = happens_at(s, mid, HK_WITHIN_CLOSED, &yes);
    *(yes ? &hi : &lo) = mid;
  }
  *theta = hi;
  s->free.arrival |= HK_ARRIVE_EVENT;
  return st;
}

/* --- one step --------------------------------------------------------------------------------- */

/* the state at the fraction theta becomes the end of the step */
static hk_status cut_step(hk_sim *s, double theta) {
  hk_integrator *I = &s->I;
  hk_status st = hki_sim_state_within(s, theta, HK_WITHIN_WHOLE);
  if (st != HK_OK) return st;
  memcpy(I->q1, s->qd, (size_t)I->nq * sizeof(double));
  memcpy(I->v1, s->vd, (size_t)I->nv * sizeof(double));
  memcpy(I->a1, s->ad, (size_t)I->nv * sizeof(double));
  hki_sim_normals_keep(s);
  return HK_OK;
}

/* powers in the middle of the accepted part of the step; keeps the audit at its beginning */
static hk_status measure_middle(hk_sim *s, double theta) {
  hk_free_steps *f = &s->free;
  hk_audit audit = s->audit;
  hki_work_powers(s, 0, true);
  // multipliers of drives and normal forces of friction need accelerations
  const bool whole = s->has_drives || s->m->nnormal;
  hk_status st = hki_sim_state_within(s, 0.5 * theta, whole ? HK_WITHIN_WHOLE : HK_WITHIN_RAW);
  if (st != HK_OK) return st;
  hki_sim_audit_measure(s);
  hki_work_powers(s, 1, false);
  hki_sim_normals_back(s);
  f->supply[1] = s->audit.supply_power, f->drain[1] = s->audit.drain_power;
  s->audit = audit;
  f->supplied = audit.supplied, f->dissipated = audit.dissipated;
  f->spent = hki_work_spent(s, true);
  f->supply[0] = audit.supply_power, f->drain[0] = audit.drain_power;
  return HK_OK;
}

static double simpson(const double *p) { return (p[0] + 4.0 * p[1] + p[2]) / 6.0; }

/* accepts the step: state, turns of angles, signs of orientations, audit */
static void accept(hk_sim *s, double h, double t1) {
  hk_free_steps *f = &s->free;
  hki_integrator_accept(&s->I, h);
  s->I.t = t1;
  s->steps++;
  f->length = h;
  hki_sim_refresh(s);
  hki_kin_commit_turns(s->kin);
  hki_sim_signs_follow(s);
  hki_sim_audit_measure(s);
  f->supply[2] = s->audit.supply_power, f->drain[2] = s->audit.drain_power;
  s->audit.supplied += h * simpson(f->supply);
  s->audit.dissipated += h * simpson(f->drain) + hki_work_spent(s, false) - f->spent;
  hki_work_powers(s, 2, false);
  hki_work_close(s, h);
  hki_sim_audit_follow(s);
  if (s->kin->nseen) hki_sim_store_late_channels(s);
  hki_sim_memory_step(s);
  hki_sim_rearm(s);
}

/* the step length of the control, limited to its bounds; a larger value would persist when the
 * control later asks for less */
static double within(const hk_sim *s, double h) {
  const hk_control_par *p = &s->solver.control;
  h = fmax(h, p->step_min);
  if (s->I.step_max > 0.0) h = fmin(h, s->I.step_max);
  if (s->has_drives) h = fmax(fmin(h, hki_work_longest(s)), p->step_min);
  // values that expressions read one step late must not be older than 'step', and what a lock carries
  // is looked at as often: a mechanism at rest has steps without end
  return s->kin->nseen || (s->locks.n && hki_sim_locks_held(s)) ? fmin(h, s->step) : h;
}

/* length of the next step: `left` is hit exactly, and no very short step remains before it */
static double fit(double h, double left) {
  return h >= left * (1.0 - 1e-12) ? left : h > 0.5 * left ? 0.5 * left : h;
}

/* length of the first step after a start */
static double first_step(hk_sim *s, double limit) {
  const hk_control_par *p = &s->solver.control;
  return p->kind == HK_CONTROL_ERROR ? hki_control_first(p, &s->I, limit) : s->step;
}

/* The first step after a start. Behind a jump or event it is no longer than the last one before it;
 * it is found when it is taken, so that a run that was saved there goes on in the same way. */
static void start_steps(hk_sim *s, double left) {
  const double before = s->control.before;
  if (!(before > 0.0)) {
    s->control.h = first_step(s, left);
    return;
  }
  s->control.h = fmin(first_step(s, s->end - s->I.t), before);
  s->control.before = 0.0;
  hki_sim_refresh(s);
}

/* tries steps until one is accepted; I->h: its length, wish: the length that the control wanted */
static hk_status good_step(hk_sim *s, double left, double *wish) {
  hk_integrator *I = &s->I;
  const hk_control_par *p = &s->solver.control;
  const bool own = I->ops->steps == HK_STEPS_OWN;
  if (own)
    s->control.h = s->control.refused ? s->control.h : left;
  else if (!(s->control.h > 0.0))
    start_steps(s, left);
  for (;;) {
    s->control.h = within(s, s->control.h);
    const double h = fit(s->control.h, left);
    *wish = s->control.h;
    I->h = h;
    I->err = 0.0;
    hk_status st = hki_sim_try(s, h);
    s->rejected += I->refused;
    I->refused = 0;
    if (st == HK_OK && p->kind == HK_CONTROL_ERROR && I->ops->steps == HK_STEPS_GIVEN)
      I->err = hki_control_error(p, &s->control, s->past, I, h);
    if (st == HK_OK && I->err <= 1.0) return HK_OK;
    if (st != HK_OK && st != HK_RETRY) return hki_sim_give_up(s, st, h, NULL);
    bool failed = st != HK_OK || !isfinite(I->err);
    if (!failed) hki_sim_undo(s);
    s->rejected++;
    if (h <= p->step_min) {
      char words[120];
      snprintf(words, sizeof words,
               "the tolerance asks for steps below %.3g s (rtol, atol, step_min)", p->step_min);
      return hki_sim_give_up(s, HK_RETRY, h, failed ? NULL : words);
    }
    s->control.h =
        fmax(hki_control_refuse(p, &s->control, I, h, failed ? NAN : I->err), p->step_min);
    if (own) {
      s->control.h = 0.25 * h;
      st = I->ops->start(I);
      if (st != HK_OK) return st;
    }
  }
}

static hk_status free_step(hk_sim *s) {
  hk_integrator *I = &s->I;
  bool is_break;
  hk_status st = hki_sim_cross_here(s);
  if (st != HK_OK) return st;
  const double target = next_target(s, &is_break), left = target - I->t;
  double wish, theta = 1.0;
  s->kin->t_cap = is_break ? target : INFINITY;
  st = good_step(s, left, &wish);
  if (st != HK_OK) return st;
  double h = I->h, t1 = h == left ? target : I->t + h;
  s->free.t0 = I->t;
  hki_interpolate_remember(I, h);
  hki_sim_save_persistent(s);
  if (watched(s)) st = locate(s, h, &theta);
  if (st == HK_OK && theta < 1.0) st = cut_step(s, theta);
  if (st == HK_OK) st = measure_middle(s, theta);
  if (st != HK_OK) return hki_sim_give_up(s, st, h, NULL);
  if (theta < 1.0) t1 = I->t + theta * h;
  if (t1 == target && is_break) s->free.arrival |= HK_ARRIVE_BREAK;
  hki_control_accept(&s->solver.control, &s->control, s->past, I, h, h < wish);
  accept(s, theta * h, t1);
  return hki_sim_refused(s) ? HK_E_NUMBER : HK_OK;
}

/* --- jumps and events at the end of a step ---------------------------------------------------- */

/* carries out what `arrival` has noted: jumps of signals, branches of elements, events */
static hk_status arrive(hk_sim *s, bool *fired) {
  hk_free_steps *f = &s->free;
  const uint32_t what = f->arrival;
  const double before = s->control.h;
  hk_status st = HK_OK;
  bool changed = false;
  f->arrival = 0;
  *fired = false;
  if (what & HK_ARRIVE_BREAK) {
    s->kin->t_cap = s->I.t;
    hki_sim_refresh(s);
    st = hki_sim_cross_break(s);
  }
  s->kin->t_cap = INFINITY;
  if (st == HK_OK && s->has_decide) {
    hki_kin_decide(s->kin, &changed);
    if (changed) hki_sim_refresh(s), hki_sim_audit_jump(s);
  }
  if (st == HK_OK) st = hki_sim_fire(s, fired);
  if (st == HK_OK && !*fired && (what & HK_ARRIVE_EVENT)) st = hki_sim_restart(s);
  if (!(s->control.h > 0.0)) s->control.before = before > 0.0 ? before : INFINITY;
  return st;
}

hk_status hki_sim_advance_free(hk_sim *s) {
  hk_free_steps *f = &s->free;
  const double eps = 1e-9 * s->step;
  hk_status st = HK_OK;
  hki_sim_show_accepted(s);
  f->late = false;
  while (st == HK_OK) {
    bool fired = false, counts;
    const double g = next_shown(s, &counts);
    bool before = (f->arrival & HK_ARRIVE_BREAK) && hki_sim_right_behind(s, s->I.t, g);
    if (g < s->I.t - eps || before) {
      f->late = true;
      f->now = g;
      s->grid += counts;
      break;
    }
    const bool on_grid = g <= s->I.t + eps;
    if (f->arrival) st = arrive(s, &fired);
    if (st != HK_OK) break;
    if (on_grid) s->grid += counts;
    if (on_grid || fired) break;
    st = free_step(s);
  }
  s->kin->t_cap = INFINITY;
  return hki_sim_end_step(s, st);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_step.c: one step of a run, to the next grid time. Jumps of signals and events end it earlier;
 * where the iteration fails it is divided into smaller steps.
 */
#include <stdio.h>

#include "simulation/peer.h"
#include "simulation/stepper.h"
#include "stage/rate.h"

void hki_sim_refresh(hk_sim *s) {
  s->reactions_known = false;
  s->f->ops->to_tree(s->f, s->I.q, s->I.v, s->I.a, s->qt, s->vt, s->at);
  hki_kin_state(s->kin, s->I.t, s->qt, s->vt);
  hki_kin_unknowns(s->kin, s->vt + s->m->nv, s->at + s->m->nv);
  hki_kin_signals(s->kin, true);
  hki_kin_closures(s->kin);
  hki_kin_closure_bias(s->kin);
}

hk_status hki_sim_restart(hk_sim *s) {
  hk_integrator *I = &s->I;
  s->f->ops->restart(s->f);
  hk_status st = s->f->ops->accel(s->f, I->t, I->q, I->v, I->a);
  if (st != HK_OK) return st;
  hki_sim_refresh(s);
  s->stiff_due = true;
  hki_control_restart(&s->control);
  hki_rate_forget(&s->newton.rate);
  return I->ops->start(I);
}

/* save and restore the persistent data that a failed step may have changed */
void hki_sim_keep(hk_sim *s) {
  double *block;
  int32_t n;
  s->f->ops->persistent(s->f, &block, &n);
  memcpy(s->saved_form, block, (size_t)n * sizeof *block);
  memcpy(s->saved_disc, s->kin->disc.block, (size_t)s->kin->disc.n * sizeof(double));
}

static void restore(hk_sim *s) {
  double *block;
  int32_t n;
  s->f->ops->persistent(s->f, &block, &n);
  memcpy(block, s->saved_form, (size_t)n * sizeof *block);
  memcpy(s->kin->disc.block, s->saved_disc, (size_t)s->kin->disc.n * sizeof(double));
  hki_kin_forget(s->kin, HK_KIN_OF_CLOSURES | HK_KIN_OF_FORCES);
}

/* kin: positions and signals at t + h, predicted with the present accelerations; velocities only
 * when signals read channels */
static void predict(hk_sim *s, double h) {
  hk_integrator *I = &s->I;
  for (int32_t i = 0; i < I->nv; i++) {
    I->D[i] = h * I->v[i] + 0.5 * h * h * I->a[i];
    I->v1[i] = I->v[i] + h * I->a[i];
  }
  s->f->ops->plus(s->f, I->q, I->D, I->q1);
  s->f->ops->to_tree(s->f, I->q1, I->v1, I->a, s->qt, s->vt, s->at);
  hki_kin_positions(s->kin, I->t + h, s->qt);
  if (s->kin->nsig_grad) hki_kin_velocity(s->kin, s->vt);
  hki_kin_unknowns(s->kin, s->vt + s->m->nv, s->at + s->m->nv);
  hki_kin_signals(s->kin, false);
}

bool hki_sim_decide(hk_sim *s, double h) {
  bool changed;
  predict(s, h);
  hki_kin_decide(s->kin, &changed);
  return changed;
}

void hki_sim_undo(hk_sim *s) { restore(s); }

/* calls the hooks of elements at the accepted state before a step; a change they make is a jump */
static hk_status before_prediction(hk_sim *s) {
  hki_sim_refresh(s);
  if (!hki_kin_hook(s->kin, HK_HOOK_BEFORE_PREDICTION)) return HK_OK;
  hk_status st = hki_sim_project(s);
  if (st == HK_OK) st = hki_sim_restart(s);
  if (st == HK_OK) hki_sim_audit_jump(s);
  return st;
}

/* Laws with memory go on from the accepted state. Until now they have counted from the beginning of
 * the last step, so that states within it could be shown. */
void hki_sim_advance_laws(hk_sim *s) {
  hki_sim_refresh(s);
  hki_kin_advance_laws(s->kin);
  hki_kin_forget(s->kin, HK_KIN_OF_FORCES);
}

/* Tries one step of length h. On success the new state is in I->q1, v1, a1, and kin is evaluated
 * there. Controlled steps end where elements change their branches (sim_free.c), so that branches
 * are not chosen here. */
hk_status hki_sim_try(hk_sim *s, double h) {
  s->reactions_known = false;
  if (s->has_memory) hki_sim_advance_laws(s);
  hki_sim_keep(s);
  hk_audit audit = s->audit;
  const hk_newton newton = s->newton;
  hki_work_trying(s);
  // Until the step is taken or taken back it may be stopped. An integrator that steps by itself keeps
  // data that are not taken back.
  hki_stop_allow(s->ctx, s->I.ops->steps != HK_STEPS_OWN);
  s->newton.stop = hki_stop_flag(s->ctx);
  hk_status st = hki_peers_keep(s, h);
  if (st == HK_OK && s->has_hooks) st = before_prediction(s);
  if (st == HK_OK && s->has_decide && !s->free.on && hki_sim_decide(s, h)) {
    hki_sim_refresh(s);
    hki_sim_audit_jump(s);
  }
  if (st == HK_OK) st = s->I.ops->step(&s->I, h);
  const bool stopped = st != HK_OK && hki_stopped(s->ctx);
  hki_stop_allow(s->ctx, false);
  s->newton.stop = NULL;
  if (st == HK_OK) {
    // the force of a stop or lock that holds is found in tree coordinates
    if ((s->stops.n && hki_sim_stops_held(s)) || (s->locks.n && hki_sim_locks_held(s)))
      s->f->ops->to_tree(s->f, s->I.q1, s->I.v1, s->I.a1, s->qt, s->vt, s->at);
    return HK_OK;
  }
  restore(s);
  hki_peers_back(s);
  s->audit = audit;
  hki_work_undo(s);
  // a run that goes on from here takes the same way
  if (stopped) s->newton = newton;
  return stopped ? HK_INTERRUPTED : st;
}

/* takes back a step that was tried; audit: before it */
static void take_back(hk_sim *s, const hk_audit *audit) {
  restore(s);
  hki_peers_back(s);
  s->audit = *audit;
  hki_work_undo(s);
}

/* Shortens the step, by bisection from `lo` to *h, until an event just holds at its end; *h: its
 * length. The last try is left in place. Each try starts from the audit before the step. */
static hk_status locate_event(hk_sim *s, const hk_audit *audit, double lo, double *h) {
  double hi = *h;
  hk_status st = HK_OK;
  for (int i = 0; i < 50 && hi - lo > 1e-10 * *h && st == HK_OK; i++) {
    double mid = 0.5 * (lo + hi);
    take_back(s, audit);
    if ((st = hki_sim_try(s, mid)) != HK_OK) break;
    if (hki_sim_event_pending(s))
      hi = mid;
    else
      lo = mid;
  }
  take_back(s, audit);
  st = hki_sim_try(s, hi);
  *h = hi;
  return st;
}

/* What is positive before a coordinate passes an end of its stops, or friction catches or loses one:
 * numbers of ends, then of locks. The second: what counts as zero. */
static double distance_of(const hk_sim *s, int32_t end) {
  const int32_t lock = end - 2 * s->stops.n;
  return lock < 0 ? hki_sim_stop_distance(s, end) : hki_sim_lock_margin(s, lock);
}
static double near_of(const hk_sim *s, int32_t end) {
  const int32_t lock = end - 2 * s->stops.n;
  return lock < 0 ? hki_sim_stop_near(s, end) : hki_sim_lock_near(s, lock);
}

/* The distance `end`, glo at the beginning of a step of length *h (NAN: unknown), passes zero about at
 * the length `cut`: shortens the step until it just has passed. The last try is left in place. */
static hk_status locate_zero(hk_sim *s, const hk_audit *audit, int32_t end, double glo, double cut,
                             double *h) {
  enum { TRIES = 60 };
  double lo = 0.0, hi = *h, ghi = distance_of(s, end), tried = hi;
  hk_status st = HK_OK;
  for (int i = 0; i < TRIES && hi - lo > 1e-14 * *h; i++) {
    // regula falsi by the rule of Illinois, where the distance changes its sign
    if (i) cut = glo > 0.0 && ghi < 0.0 ? hi - ghi * (hi - lo) / (ghi - glo) : 0.5 * (lo + hi);
    if (!(cut > lo && cut < hi)) cut = 0.5 * (lo + hi);
    take_back(s, audit);
    if ((st = hki_sim_try(s, tried = cut)) != HK_OK) return st;
    const double g = distance_of(s, end);
    const bool past = hki_sim_event_pending(s);
    if (past)
      glo *= hi < *h ? 0.5 : 1.0, hi = cut, ghi = g;
    else
      ghi *= lo > 0.0 ? 0.5 : 1.0, lo = cut, glo = g;
    if (past && g > -near_of(s, end)) break;
  }
  if (tried != hi) {
    take_back(s, audit);
    st = hki_sim_try(s, hi);
  }
  *h = hi;
  return st;
}

/* After a try of length *h: shortens the step to where a coordinate first passes a stop. */
static hk_status cut_at_stop(hk_sim *s, const hk_audit *audit, double *h, bool *event) {
  double root, past;
  const int32_t end = hki_sim_stops_ahead(s, *h, &root, &past);
  const double whole = *h;
  if (end == HK_NONE) return HK_OK;
  if (past < 1.0) {
    // it may turn back before the end of the step: a real step must tell
    take_back(s, audit);
    hk_status st = hki_sim_try(s, past * whole);
    if (st != HK_OK) return st;
    if (!hki_sim_stop_due(s)) {
      take_back(s, audit);
      return hki_sim_try(s, whole);
    }
    *h = past * whole;
  }
  *event = true;
  return locate_zero(s, audit, end, s->stops.g0[end], root * whole, h);
}

/* After a try of length *h: shortens the step to where friction catches or loses a coordinate. */
static hk_status cut_at_lock(hk_sim *s, const hk_audit *audit, double *h, bool *event) {
  const int32_t lock = hki_sim_lock_due(s);
  if (lock == HK_NONE) return HK_OK;
  *event = true;
  return locate_zero(s, audit, 2 * s->stops.n + lock, NAN, 0.5 * *h, h);
}

/* After a try of length *h: shortens the step to where a coordinate first passes an end of a compliant
 * stop, by regula falsi; *restart: the force jumps there. */
static hk_status cut_at_touch(hk_sim *s, const hk_audit *audit, double *h, bool *restart) {
  enum { TRIES = 40 };
  const int32_t i = hki_sim_touches_ahead(s);
  if (i == HK_NONE) return HK_OK;
  const double near = hki_sim_touch_near(s, i), side = copysign(1.0, s->touches.list[i].before);
  double lo = 0.0, hi = *h, glo = side * s->touches.list[i].before, tried = hi;
  double ghi = side * hki_sim_touch_distance(s, i);
  for (int k = 0; k < TRIES && ghi < -near && hi - lo > 1e-13 * *h; k++) {
    // the zero itself would end steps on this side of it half of the time
    double cut = hi - (ghi + 0.5 * near) * (hi - lo) / (ghi - glo);
    if (!(cut > lo && cut < hi)) cut = 0.5 * (lo + hi);
    take_back(s, audit);
    hk_status st = hki_sim_try(s, tried = cut);
    if (st != HK_OK) return st;
    const double g = side * hki_sim_touch_distance(s, i);
    if (g < 0.0)
      glo *= hi < *h ? 0.5 : 1.0, hi = cut, ghi = g;
    else
      ghi *= lo > 0.0 ? 0.5 : 1.0, lo = cut, glo = g;
  }
  *restart = s->touches.list[i].jumps;
  if (tried == hi) return *h = hi, HK_OK;
  take_back(s, audit);
  return hki_sim_try(s, *h = hi);
}

/* what lies within the step of length h that was tried; see hki_sim_window */
static hk_status look_within(hk_sim *s, double h, double *before, double *at) {
  *before = 0.0, *at = INFINITY;
  if (!hki_sim_watching(s)) return HK_OK;
  hki_sim_windows_end(s);
  return hki_sim_window(s, h, before, at);
}

/* Interpolation has found an event at the fraction `at` of a step of length *h. A step that ends
 * there may be before the window or past it, since its errors are others: looks for the length of a
 * real step that ends within. *event: it was found, and *h is the step to its opening. */
static hk_status enter_window(hk_sim *s, const hk_audit *audit, double before, double at, double *h,
                              bool *event) {
  enum { TRIES = 40 };
  double lo = 0.0, hi = *h, cut = at * *h, open = before * *h;
  hk_status st = HK_OK;
  for (int i = 0; i < TRIES && hi - lo > 1e-12 * *h; i++) {
    take_back(s, audit);
    if ((st = hki_sim_try(s, cut)) != HK_OK) return st;
    if ((*event = hki_sim_event_conditional(s))) {
      *h = cut;
      return locate_event(s, audit, fmax(lo, fmin(open, cut)), h);
    }
    if ((st = look_within(s, cut, &before, &at)) != HK_OK) return st;
    const bool past = at < 1.0;
    *(past ? &hi : &lo) = cut;
    open = past ? before * cut : lo;
    cut = past && at * cut > lo ? at * cut : 0.5 * (lo + hi);
  }
  return HK_OK;
}

/* After a try of length *h: shortens the step to the first event within it, if there is one. */
static hk_status cut_at_event(hk_sim *s, const hk_audit *audit, double *h, bool *event) {
  double before, at;
  hk_status st = look_within(s, *h, &before, &at);
  if (st == HK_OK && at < 1.0) {
    st = enter_window(s, audit, before, at, h, event);
    if (*event) return st;
    // no real step ends within it: the whole step again
    if (st == HK_OK) take_back(s, audit);
    st = hki_sim_try(s, *h);
  }
  if (st == HK_OK && s->stops.n) st = cut_at_stop(s, audit, h, event);
  if (st == HK_OK && s->locks.n && !*event) st = cut_at_lock(s, audit, h, event);
  if (st != HK_OK || *event) return st;
  *event = hki_sim_event_conditional(s);
  return *event ? locate_event(s, audit, 0.0, h) : HK_OK;
}

static void accept(hk_sim *s, double h, double t_exact) {
  s->reactions_known = false;
  hki_grade_step(s, h);
  hki_integrator_accept(&s->I, h);
  s->I.t = t_exact;
  s->steps++;
  s->f->ops->to_tree(s->f, s->I.q, s->I.v, s->I.a, s->qt, s->vt, s->at);
  // signals that read private states are to be found anew
  if (!hki_kin_knows(s->kin, HK_KIN_SIGNALS)) hki_kin_signals(s->kin, false);
  hki_kin_commit_turns(s->kin);
  if (s->has_hooks) (void)hki_kin_hook(s->kin, HK_HOOK_ACCEPTED);
  hki_sim_signs_follow(s);
  if (s->locks.n) hki_sim_locks_note(s);
  hki_sim_audit_step(s, h);
  if (s->kin->nseen) hki_sim_store_late_channels(s);
  hki_sim_memory_step(s);
}

bool hki_sim_bad_signal(const hk_sim *s, const hk_kin *k, char *buf, size_t cap) {
  for (int32_t i = 0; i < s->m->spec->nsignals; i++) {
    const hk_spec_signal *sig = &s->m->spec->signals[i];
    const double *x = k->sig + 3 * i;
    if (!k->sig_live[i] || (isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]))) continue;
    const char *file = hki_ctx_file_name(s->ctx, sig->loc.file);
    const char *what = isnan(x[0])   ? "not a number"
                       : isinf(x[0]) ? "infinite"
                                     : "changing infinitely fast";
    int n = snprintf(buf, cap, "'%.200s' (%.150s:%d:%d) is %s at t = %.9g s", sig->name,
                     file ? file : "", (int)sig->loc.line, (int)sig->loc.col, what, k->t);
    int32_t most;
    if (sig->memory && hki_memory_lost(sig->memory, k->disc.mem + k->sig_mem[i], k->t, &most))
      snprintf(buf + n, cap - (size_t)n,
               ": what it reads has jumped more often within its time of %.6g s than a delay "
               "remembers, %d times or more; smooth it, or take a shorter time",
               sig->memory->time, (int)most);
    return true;
  }
  return false;
}

bool hki_sim_refused(hk_sim *s) {
  char words[400];
  if (!hki_kin_refused(s->kin, words, sizeof words)) return false;
  snprintf(s->message, sizeof s->message, "at t = %.9g s: %s", s->I.t, words);
  s->advice = "end the run before it, or change the model; a smaller step does not help";
  return true;
}

hk_status hki_sim_end_step(hk_sim *s, hk_status st) {
  if (st < 0 && !s->message[0]) (void)hki_sim_bad_signal(s, s->kin, s->message, sizeof s->message);
  return s->status = st;
}

/* Can the loops not be closed one step ahead, with the prescribed motions there? Then s->message
 * says which loop, and in conflict with what. */
static bool open_ahead(hk_sim *s) {
  const double t = s->I.t + s->step;
  char words[700] = "";
  double *q = s->has_drives ? hki_alloc(s->ctx, (size_t)s->m->nq * sizeof *q) : NULL;
  if (!q) return false;
  memcpy(q, s->qt, (size_t)s->m->nq * sizeof *q);
  bool open = !hki_closes(s->tree, t, q, words, sizeof words);
  hki_free(s->ctx, q);
  restore(s);
  if (!open) return false;
  snprintf(s->message, sizeof s->message, "at t = %.9g s: a step further, at t = %.9g s, %s",
           s->I.t, t, words);
  s->advice = "the motion asks for a position that the loop cannot reach, at or past a dead point: "
              "end the motion before it, change the lengths, or drive another joint; a smaller "
              "step does not help";
  return true;
}

hk_status hki_sim_give_up(hk_sim *s, hk_status st, double h, const char *words) {
  if (st == HK_INTERRUPTED) {
    hki_sim_refresh(s);
    snprintf(s->message, sizeof s->message, "interrupted at t = %.9g s", s->I.t);
    return st;
  }
  predict(s, h);
  bool bad = hki_sim_bad_signal(s, s->kin, s->message, sizeof s->message);
  hki_sim_refresh(s);
  if (bad) return HK_E_NUMBER;
  if (s->peers && st != HK_RETRY && s->message[0]) return st; // a peer has said why
  if (hki_sim_jammed(s)) return HK_E_DIVERGED;
  if (open_ahead(s)) return st == HK_RETRY ? HK_E_DIVERGED : st;
  if (st == HK_RETRY && !words) words = hki_peers_open(s);
  bool own = !words && s->f->ops->words;
  if (own) words = s->f->ops->words(s->f);
  own = own && words && words[0];
  if (!words || !words[0]) words = hk_status_text(st == HK_RETRY ? HK_E_DIVERGED : st);
  if (!s->advice && s->fe->relative && hki_sim_has_deep_loops(s->m))
    s->advice =
        "loops lie so deep that round-off adds up along the tree: take --formulation redundant";
  const char *use = s->fe->ops->caps & HK_CAP_REGULAR ? hki_sim_passes(s) : NULL;
  snprintf(s->message, sizeof s->message, "step %.3g s at t = %.9g s: %s%s%s%s", h, s->I.t, words,
           use && own ? "; use '" : "", use && own ? use : "", use && own ? "'" : "");
  return st == HK_RETRY ? HK_E_DIVERGED : st;
}

/* steps to `target`, in one step if possible; event: a conditional event has ended it earlier */
static hk_status march(hk_sim *s, double target, bool *event) {
  double part = target - s->I.t, smallest = part / 1048576.0;
  int32_t good = 0;
  bool kept = false; // the accepted state, for conditions of events
  bool divided = false;
  *event = false;
  while (s->I.t < target) {
    double left = target - s->I.t, h = part < 0.999 * left ? part : left;
    if (s->windows.on && !kept) hki_sim_windows_begin(s);
    if (s->stops.n && !kept) hki_sim_stops_begin(s);
    if (s->touches.n && !kept) hki_sim_touches_begin(s);
    kept = true;
    hk_audit audit = s->audit;
    hk_status st = hki_sim_try(s, h);
    if (st == HK_RETRY && !divided && hki_sim_jammed(s)) return HK_E_DIVERGED;
    if (st == HK_RETRY && s->substeps && 0.5 * h >= smallest) {
      if (!divided) hki_sim_whole_keep(s);
      divided = true;
      s->rejected++;
      hki_grade_note(s, HK_NOTE_DIVIDED, h);
      part = 0.5 * h;
      good = 0;
      continue;
    }
    if (st != HK_OK) {
      st = hki_sim_give_up(s, st, h, NULL);
      if (divided && s->advice) hki_sim_whole_return(s);
      return st;
    }
    double t1 = h == left ? target : s->I.t + h, cut = h;
    bool restart = false;
    if (s->touches.n) st = cut_at_touch(s, &audit, &cut, &restart);
    if (st != HK_OK) return hki_sim_give_up(s, st, cut, NULL);
    if ((st = cut_at_event(s, &audit, &cut, event)) != HK_OK)
      return hki_sim_give_up(s, st, cut, NULL);
    if (cut < h) t1 = s->I.t + cut, h = cut;
    accept(s, h, t1);
    if (hki_sim_refused(s)) return HK_E_NUMBER;
    kept = false;
    if (restart && (st = hki_sim_restart(s)) != HK_OK) return st;
    if (*event) return HK_OK;
    if (++good >= 4) part *= 2.0, good = 0;
  }
  return HK_OK;
}

/* A prescribed coordinate must not jump. before (nrows): the rows before the change. */
hk_status hki_sim_refuse_jump(hk_sim *s, const double *before) {
  const hk_model *m = s->m;
  char what[300];
  for (int32_t c = 0; c < m->nc; c++)
    for (int32_t r = 0; s->kin->disc.active[c] != 0.0 && r < m->closures[c].nrows; r++) {
      int32_t row = m->closures[c].row0 + r;
      double jump = s->kin->phi[row] - before[row];
      if (m->closures[c].row_signal[r] == HK_NONE || fabs(jump) <= 1e-6) continue;
      hki_model_row_name(m, row, what, sizeof what);
      snprintf(s->message, sizeof s->message,
               "%s jumps by %.6g at t = %.9g s; prescribed positions must be continuous", what,
               -jump, s->I.t);
      return HK_E_NUMBER;
    }
  return HK_OK;
}

hk_status hki_sim_push_anew(hk_sim *s) {
  hk_integrator *I = &s->I;
  hk_status st = s->f->ops->accel(s->f, I->t, I->q, I->v, I->a1);
  if (st != HK_OK) return st;
  double change = 0.0, size = 0.0;
  for (int32_t i = 0; i < I->nv; i++) {
    change = fmax(change, fabs(I->a1[i] - I->a[i]));
    size = fmax(size, fabs(I->a1[i]));
  }
  // a kink does not change the accelerations: the history stays valid
  if (s->held || change > 1e-6 * (1.0 + size)) {
    memcpy(I->a, I->a1, (size_t)I->nv * sizeof *I->a);
    hki_control_restart(&s->control);
    hki_rate_forget(&s->newton.rate);
    st = I->ops->start(I);
    hki_sim_memory_bend(s);
  }
  hki_sim_refresh(s);
  return st;
}

/* at a jump of a signal: from the limit before it to the limit after it */
hk_status hki_sim_cross_break(hk_sim *s) {
  if (s->m->nrows) memcpy(s->row, s->kin->phi, (size_t)s->m->nrows * sizeof *s->row);
  if (s->has_drives) hki_sim_before_impulse(s);
  s->kin->t_cap = INFINITY;
  hki_sim_refresh(s);
  hki_sim_memory_break(s);
  if (hki_sim_refuse_jump(s, s->row) != HK_OK) return HK_E_NUMBER;
  hki_sim_audit_jump(s);
  // a jump in the rate of a prescribed motion changes velocities
  hk_status st = hki_sim_project(s);
  if (st == HK_OK) st = hki_sim_held_jump(s);
  if (st == HK_OK) st = hki_sim_push_anew(s);
  if (st != HK_OK) return st;
  // the energy of the change of velocities, from the drive of the motion
  const double before = s->audit.kinetic + s->audit.potential;
  hki_sim_audit_jump(s);
  if (s->has_drives) hki_sim_note_impulse(s, s->audit.kinetic + s->audit.potential - before);
  return st;
}

double hki_sim_grid_time(const hk_sim *s, int64_t k) {
  return (double)k * s->grid_num / s->grid_den;
}

/* end of the next step by its schedule, from the accepted state; NAN: the signal has no good value */
static double scheduled_time(const hk_sim *s) {
  const double h = s->kin->sig[3 * s->m->spec->run.step_signal];
  return h > 1e-12 * s->end && isfinite(h) ? s->I.t + h : NAN;
}

/* end of the next step: the next grid time, or a break before it */
static double next_target(hk_sim *s, bool *is_break) {
  double eps = 1e-9 * s->step, b = hki_sim_next_break(s);
  double g = s->scheduled ? scheduled_time(s) : hki_sim_grid_time(s, s->grid + 1);
  if (g > s->end - eps) g = s->end;
  // a time that was asked for, also where it is the grid time but for rounding
  if (s->until < g + eps) g = s->until;
  // a break within round-off of the grid time replaces it, but one that lies right behind it: the
  // row at the grid time is from before the jump
  *is_break = b <= g + eps && !hki_sim_right_behind(s, b, g) && !hki_sim_right_behind(s, b, s->I.t);
  return !*is_break ? g : b > s->end ? s->end : b;
}

hk_status hki_sim_cross_here(hk_sim *s) {
  enum { MOST = 16 }; // jumps that cannot be told apart; time goes on also when there are more
  bool fired;
  double from = s->I.t, b = hki_sim_next_break(s);
  if (!hki_sim_right_behind(s, b, from)) return HK_OK;
  for (int32_t i = 0; i < MOST && hki_sim_right_behind(s, b, from); i++) {
    s->I.t = b;
    b = hki_sim_next_break(s);
  }
  hk_status st = hki_sim_cross_break(s);
  return st == HK_OK ? hki_sim_fire(s, &fired) : st;
}

hk_status hki_sim_advance(hk_sim *s) {
  hk_status st = s->peers ? hki_peers_before(s) : HK_OK;
  // a peer may have ended the run
  if (st != HK_OK || (s->peers && hk_sim_done(s))) return hki_sim_end_step(s, st);
  const bool programmed = s->stepper && s->stepper->step;
  if (programmed && s->inputs_new) hki_sim_show_accepted(s);
  hki_sim_inputs_take(s);
  if (programmed && hki_stepper_advance(s)) return HK_OK;
  if (s->free.on) return hki_sim_advance_free(s);
  bool is_break, event, fired = false;
  st = hki_sim_cross_here(s);
  if (st == HK_OK && hki_sim_too_stiff(s)) st = HK_E_NUMBER;
  if (st == HK_OK && hki_sim_jams(s)) st = HK_E_DIVERGED;
  if (st != HK_OK) return hki_sim_end_step(s, st);
  double target = next_target(s, &is_break);
  if (isnan(target)) {
    snprintf(s->message, sizeof s->message,
             "'run.step' is %.6g s at t = %.9g s, and must be positive",
             s->kin->sig[3 * s->m->spec->run.step_signal], s->I.t);
    return s->status = HK_E_NUMBER;
  }
  s->kin->t_cap = is_break ? target : INFINITY;
  st = march(s, target, &event);
  if (st == HK_OK && is_break && s->I.t == target) st = hki_sim_cross_break(s);
  s->kin->t_cap = INFINITY;
  if (st == HK_OK) st = hki_sim_fire(s, &fired);
  // next grid time
  if (st == HK_OK && !s->scheduled && s->I.t >= hki_sim_grid_time(s, s->grid + 1) - 1e-9 * s->step)
    s->grid++;
  if (st == HK_OK && s->peers) st = hki_peers_accepted(s);
  if (st == HK_OK && s->stepper && s->stepper->loaded) hki_stepper_compare(s);
  return hki_sim_end_step(s, st);
}

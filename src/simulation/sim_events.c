/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_events.c: events and what they do.
 *
 *   fix, joint off   It is switched on in its present pose. Its first marker moves onto the second;
 *                    the plane of a rolling or sliding joint moves along its normal to the body on
 *                    it; joints without coordinates of their own keep the values of their rows.
 *   fix, joint on    Its coordinates are locked at their present values.
 *   release          A locked joint is unlocked, one that is not locked is switched off.
 *   rebound, rate    A coordinate gets another rate by an impulse (sim_stops.c).
 *   set, reset       A variable, which a parameter may be, gets a value; a signal with memory or
 *                    states begins anew.
 *   stop             The run ends.
 *
 * Velocities are projected onto the new constraints in the mass metric; the kinetic energy lost is
 * counted as dissipated. The energy of a rate that is set, and of springs that a variable changes,
 * is supplied.
 */
#include <stdio.h>

#include "simulation/simulation.h"
#include "analyses/inertia.h"

/* is the condition of event e true at the state of kin? */
static bool holds(const hk_sim *s, int32_t e) {
  return s->kin->sig[3 * s->m->spec->events[e].when] != 0.0;
}

/* is there an event to fire, or something for signals with memory to take? */
static bool conditions_hold(const hk_sim *s) {
  if (!s->m->spec->nevents && !s->kin->nacts) return false;
  hki_kin_signals(s->kin, true);
  for (int32_t e = 0; e < s->m->spec->nevents; e++)
    if (!s->fired[e] && holds(s, e)) return true;
  return hki_kin_commit_due(s->kin, false);
}

/* has a coordinate passed a stop, or friction caught or lost one? */
static bool contacts_change(const hk_sim *s) {
  return (s->stops.n && hki_sim_stop_due(s)) || (s->locks.n && hki_sim_lock_due(s) != HK_NONE);
}

bool hki_sim_event_pending(const hk_sim *s) { return conditions_hold(s) || contacts_change(s); }

bool hki_sim_event_conditional(const hk_sim *s) {
  if (contacts_change(s)) return true;
  if (!s->m->spec->nevents && !s->kin->nacts) return false;
  hki_kin_signals(s->kin, true);
  for (int32_t e = 0; e < s->m->spec->nevents; e++)
    if (!s->fired[e] && holds(s, e) && s->kin->sig_state[s->m->spec->events[e].when]) return true;
  return hki_kin_commit_due(s->kin, true);
}

/* moves the plane of a closure along its normal until its first row is zero */
static void put_plane(hk_sim *s, const hk_closure *c) {
  double *R = s->kin->disc.remark + 12 * c->remark, n[3];
  hk_frame F[2];
  hk_joint_loop L;
  memcpy(R, c->marker[0].R, sizeof c->marker[0].R);
  v3_copy(R + 9, c->marker[0].p);
  hki_kin_closure_frames(s->kin, c, F);
  c->ops->loop(c->par, &F[0], &F[1], HK_LOOP_POS, &L);
  m3_column(n, R, 2);
  v3_axpy(R + 9, L.phi[0], n);
}

/* moves the first marker of a closure onto the second */
static void put_marker(hk_sim *s, const hk_closure *c) {
  hk_frame B, body;
  if (c->ops->caps & HK_JOINT_STANDS) {
    put_plane(s, c);
    return;
  }
  hk_offset id = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};
  double *R = s->kin->disc.remark + 12 * c->remark, d[3];
  hki_kin_marker(s->kin, c->body[1], &c->marker[1], &B);
  hki_kin_marker(s->kin, c->body[0], &id, &body);
  m3_tmul(R, body.R, B.R);
  v3_sub(d, B.p, body.p);
  m3_tmulv(R + 9, body.R, d);
}

/* stores the present values of a closure's rows; rows with a signal follow it instead */
static void keep_values(hk_sim *s, const hk_closure *c) {
  hk_frame F[2];
  hk_joint_loop L;
  if (c->coupling) {
    double x[HK_COUPLED], xd[HK_COUPLED], f[HK_COUPLED], phit;
    hki_kin_coupled(s->kin, c->coupling, x, xd);
    hki_coupling_eval(s->kin, c->coupling, x, xd, &s->kin->disc.lock[c->lock], &phit, f);
    return;
  }
  hki_kin_closure_frames(s->kin, c, F);
  c->ops->loop(c->par, &F[0], &F[1], HK_LOOP_POS, &L);
  for (int32_t r = 0; r < c->nrows; r++)
    s->kin->disc.lock[c->lock + r] = c->row_signal[r] == HK_NONE ? L.phi[c->rows[r]] : 0.0;
}

static void fix(hk_sim *s, const hk_model_joint *j) {
  hk_discrete *disc = &s->kin->disc;
  const hk_model *m = s->m;
  if (j->closure != HK_NONE && disc->active[j->closure] == 0.0) {
    for (int32_t c = j->closure; c < j->closure + hki_joint_closures(m, j); c++) {
      const hk_closure *cut = &m->closures[c];
      if (cut->remark != HK_NONE) put_marker(s, cut);
      if (cut->lock != HK_NONE && cut->role == HK_ROLE_CUT) keep_values(s, cut);
      disc->active[c] = 1.0;
    }
    for (int32_t c = j->motion0; c < j->motion0 + j->nmotion; c++) {
      disc->active[c] = 1.0;
      hki_kin_travels_begin(s->kin, c, s->I.t);
    }
    return;
  }
  for (int32_t c = j->lock0; c < j->lock0 + j->nlock; c++) {
    const hk_closure *cl = &m->closures[c];
    double sd;
    if (cl->kind == HK_CLOSURE_COORD)
      hki_kin_scalar(s->kin, cl->scalar, &disc->lock[cl->lock], &sd);
    else if (cl->remark != HK_NONE)
      put_marker(s, cl);
    disc->active[c] = 1.0;
  }
}

static void release(hk_sim *s, const hk_model_joint *j) {
  hk_discrete *disc = &s->kin->disc;
  bool locked = false;
  for (int32_t c = j->lock0; c < j->lock0 + j->nlock; c++) {
    locked |= disc->active[c] != 0.0;
    disc->active[c] = 0.0;
  }
  if (locked || j->closure == HK_NONE) return;
  for (int32_t c = j->closure; c < j->closure + hki_joint_closures(s->m, j); c++)
    disc->active[c] = 0.0;
  for (int32_t c = j->motion0; c < j->motion0 + j->nmotion; c++) disc->active[c] = 0.0;
}

void hki_sim_keep_rows(hk_sim *s) {
  const hk_model *m = s->m;
  for (int32_t c = 0; c < m->nc; c++)
    for (int32_t r = m->closures[c].row0; r < m->closures[c].row0 + m->closures[c].nrows; r++)
      s->row[r] = s->kin->disc.active[c] != 0.0 ? s->kin->phi[r] : 0.0;
}

/* Event `e` (HK_NONE: none) was the last to release a joint: HK_E_SINGULAR and a message when a
 * motion is free now that no mass resists. Not every formulation would notice. */
static hk_status refuse_free(hk_sim *s, int32_t e) {
  hk_tree *t = s->tree;
  char words[400];
  if (e == HK_NONE) return HK_OK;
  // the start may have done without
  const hk_status st = hki_tree_matrix(t);
  if (st != HK_OK) return st;
  hki_kin_forget(&t->kin, HK_KIN_OF_CLOSURES);
  hki_kin_state(&t->kin, s->I.t, s->qt, s->vt);
  hki_kin_signals(&t->kin, false);
  hki_kin_closures(&t->kin);
  if (!hki_inertia_free(t, s->held, t->x)) return HK_OK;
  hki_inertia_words(t, t->x, words, sizeof words);
  snprintf(s->message, sizeof s->message,
           "event '%.200s' has released joint '%.200s' at t = %.9g s: %s, which no mass resists",
           s->m->spec->events[e].name, s->m->spec->joints[s->m->spec->events[e].joint].name, s->I.t,
           words);
  s->advice = "give the body inertia about this axis or mass, or hold it by another joint";
  return HK_E_SINGULAR;
}

/* the value that an event sets, at the present state */
static double value_of(const hk_sim *s, const hk_spec_event *e) {
  return e->value_signal == HK_NONE ? e->value : s->kin->sig[3 * e->value_signal];
}

/* a state of a signal: its value at the start, in tree coordinates */
static void reset_state(hk_sim *s, int32_t force) {
  const hk_model_force *f = &s->m->forces[force];
  const int32_t x = f->x[f->ops->nnode];
  s->vt[s->m->nv + x] = s->m->unknowns[x].start;
}

/* signals that events set or reset; what this does to energies is supplied */
static hk_status change_signals(hk_sim *s, bool *any) {
  const hk_spec *spec = s->m->spec;
  hk_integrator *I = &s->I;
  bool states = false;
  *any = false;
  for (int32_t e = 0; e < spec->nevents; e++) {
    const hk_spec_event *ev = &spec->events[e];
    if ((ev->action != HK_EVENT_SET && ev->action != HK_EVENT_RESET) || s->fired[e] || !holds(s, e))
      continue;
    s->fired[e] = 1;
    *any = true;
    if (ev->action == HK_EVENT_SET)
      hki_kin_set_memory(s->kin, ev->signal, value_of(s, ev));
    else if (ev->force != HK_NONE)
      reset_state(s, ev->force), states = true;
    else
      hki_kin_reset_memory(s->kin, ev->signal, I->t);
  }
  if (!*any) return HK_OK;
  hk_status st = states ? s->f->ops->from_tree(s->f, s->qt, s->vt, I->q, I->v) : HK_OK;
  hki_sim_breaks_anew(s);
  hki_kin_forget(s->kin, HK_KIN_SIGNALS | HK_KIN_EVERY_SIGNAL | HK_KIN_OF_FORCES);
  hki_sim_refresh(s);
  hki_sim_audit_jump(s);
  return st;
}

/* one event on joints, or the end of the run; true: velocities or constraints change */
static bool act(hk_sim *s, const hk_spec_event *ev) {
  if (ev->action == HK_EVENT_FIX)
    fix(s, &s->m->joints[ev->joint]);
  else if (ev->action == HK_EVENT_RELEASE)
    release(s, &s->m->joints[ev->joint]);
  else if (ev->action == HK_EVENT_REBOUND)
    hki_sim_give_rate(s, ev->limit, HK_GIVEN_REBOUND, ev->value);
  else if (ev->action == HK_EVENT_RATE)
    hki_sim_give_rate(s, ev->limit, HK_GIVEN_RATE, value_of(s, ev));
  else
    return false;
  hki_kin_forget(s->kin, HK_KIN_OF_CLOSURES);
  return true;
}

/* joints and velocities after events: consistent, with new accelerations, the energy booked */
static hk_status settle(hk_sim *s, int32_t released, bool given) {
  // a joint switched on with a motion must be at the position the motion prescribes
  hki_sim_refresh(s);
  if (hki_sim_refuse_jump(s, s->row) != HK_OK) return HK_E_NUMBER;
  hk_status st = refuse_free(s, released);
  if (st == HK_OK) st = hki_sim_project(s);
  if (st == HK_OK) st = hki_sim_held_settle(s);
  if (st == HK_OK) st = hki_sim_restart(s);
  if (st == HK_OK) st = hki_sim_stops_settle(s);
  if (st != HK_OK) return st;
  if (s->stops.n)
    hki_sim_audit_stops(s, given);
  else if (given)
    hki_sim_audit_jump(s);
  else
    hki_sim_audit_impact(s);
  return HK_OK;
}

/* fires what the conditions of events and of signals with memory ask for */
static hk_status fire_events(hk_sim *s, bool *any) {
  const hk_spec *spec = s->m->spec;
  int32_t released = HK_NONE;
  bool moves = false, given = false, changed;
  if (!conditions_hold(s)) return HK_OK;
  hki_sim_keep_rows(s);
  const bool remembered = hki_sim_memory_event(s);
  if (hki_sim_memory_endless(s) != HK_OK) return HK_E_NUMBER;
  hk_status st = change_signals(s, &changed);
  if (st != HK_OK) return st;
  // a prescribed motion may follow what was set: its position must not jump, its rate may
  if (changed && s->has_drives) moves = given = true;
  for (int32_t e = 0; e < spec->nevents; e++) {
    const hk_spec_event *ev = &spec->events[e];
    if (s->fired[e] || !holds(s, e)) continue;
    s->fired[e] = 1;
    *any = true;
    moves |= act(s, ev);
    given |= ev->action == HK_EVENT_RATE;
    if (ev->action == HK_EVENT_RELEASE) released = e;
  }
  if (!moves) {
    // forces alone have changed
    hki_sim_audit_jump(s);
    *any |= remembered || changed;
    st = hki_sim_held_jump(s);
    return st == HK_OK ? hki_sim_restart(s) : st;
  }
  *any = true;
  return settle(s, released, given);
}

hk_status hki_sim_changed(hk_sim *s) {
  bool fired;
  hki_sim_breaks_anew(s);
  hki_kin_forget(s->kin,
                 HK_KIN_SIGNALS | HK_KIN_EVERY_SIGNAL | HK_KIN_OF_FORCES | HK_KIN_OF_CLOSURES);
  hki_sim_refresh(s);
  hki_sim_audit_jump(s);
  hk_status st = s->has_drives ? HK_OK : hki_sim_held_jump(s);
  if (st == HK_OK) st = s->has_drives ? settle(s, HK_NONE, true) : hki_sim_restart(s);
  return st == HK_OK ? hki_sim_fire(s, &fired) : st;
}

bool hki_sim_ended(const hk_sim *s) {
  const hk_spec *spec = s->m->spec;
  for (int32_t e = 0; e < spec->nevents; e++)
    if (spec->events[e].action == HK_EVENT_STOP && s->fired[e]) return true;
  return false;
}

void hki_sim_rearm(hk_sim *s) {
  const hk_spec *spec = s->m->spec;
  for (int32_t e = 0; e < spec->nevents; e++) {
    if (!s->fired[e] || !spec->events[e].again) continue;
    hki_kin_signals(s->kin, true);
    if (!holds(s, e)) s->fired[e] = 0;
  }
}

void hki_sim_tell_end(hk_sim *s) {
  const hk_spec *spec = s->m->spec;
  for (int32_t e = 0; e < spec->nevents; e++)
    if (spec->events[e].action == HK_EVENT_STOP && s->fired[e])
      hki_note(s->ctx, spec->events[e].loc, "event '%s' has ended the run at t = %.9g s",
               spec->events[e].name, hk_sim_time(s));
}

hk_status hki_sim_fire(hk_sim *s, bool *any) {
  bool hit = false;
  *any = false;
  hki_sim_rearm(s);
  hk_status st = fire_events(s, any);
  if (st == HK_OK && s->stops.n) st = hki_sim_stops_fire(s, &hit);
  *any |= hit;
  if (st == HK_OK && s->locks.n) st = hki_sim_locks_fire(s, &hit);
  *any |= hit;
  if (st == HK_OK && *any) hki_sim_rearm(s);
  return st;
}

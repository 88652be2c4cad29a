/* SPDX-License-Identifier: Apache-2.0
 *
 * check.c: checks a spec for everything that later steps rely on, so that a spec made by any
 * program is safe to compile: indices in range, numbers finite, inertia possible, motions
 * prescribed by time only, events that can be carried out. All errors are reported, not only the
 * first.
 */
#include "joints/pair.h"
#include "model/work.h"

static bool finite_n(const double *x, int32_t n) {
  for (int32_t i = 0; i < n; i++) {
    if (!isfinite(x[i])) return false;
  }
  return true;
}
/* places and masses beyond this have moments and inertias that are not finite */
static const double largest = 1e100;
static bool within_n(const double *x, int32_t n, double limit) {
  for (int32_t i = 0; i < n; i++) {
    if (!(fabs(x[i]) <= limit)) return false;
  }
  return true;
}
static bool finite_offset(const hk_offset *o) {
  return finite_n(o->R, 9) && within_n(o->p, 3, largest);
}

/* principal moments, ascending */
static void eigenvalues(const double *J, double *e) {
  double A[9], R[9];
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) A[3 * i + k] = 0.5 * (J[3 * i + k] + J[3 * k + i]);
  m3_eigen_symmetric(A, R);
  for (int i = 0; i < 3; i++) e[i] = A[4 * i];
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < 2 - i; k++) {
      if (e[k] > e[k + 1]) {
        double x = e[k];
        e[k] = e[k + 1], e[k + 1] = x;
      }
    }
  }
}

/* error when a principal moment is negative; their triangle inequality is not checked */
static void check_inertia(const hk_work *w, const hk_spec_body *b) {
  double e[3];
  eigenvalues(b->J, e);
  double size = fmax(fabs(e[0]), fabs(e[2]));
  if (e[0] < -1e-9 * size)
    hki_error(w->ctx, HK_E_MODEL, b->loc, "look at the signs and sizes of xy, xz, yz",
              "inertia of body '%s' is not positive: its principal moments are %.6g, %.6g, %.6g",
              b->name, e[0], e[1], e[2]);
}

static void check_body(const hk_work *w, const hk_spec_body *b) {
  if (!isfinite(b->mass) || b->mass < 0.0) {
    hki_error(w->ctx, HK_E_MODEL, b->loc, NULL,
              "mass of body '%s' is %g; expected a number that is not negative", b->name, b->mass);
    return;
  }
  if (b->mass > 0.0 && !b->has_com)
    hki_error(w->ctx, HK_E_MODEL, b->loc, "say where its centre of mass is with 'com:'",
              "body '%s' has mass but no centre of mass", b->name);
  if ((b->has_com && !within_n(b->com, 3, largest)) || !within_n(b->J, 9, largest * largest) ||
      b->mass > largest || (b->has_frame && !finite_offset(&b->frame)))
    hki_error(w->ctx, HK_E_MODEL, b->loc, "look at its units: they are kg, m and kg m^2",
              "body '%s' has a number that is not finite, or above %g", b->name, largest);
  else
    check_inertia(w, b);
}

static bool body_ok(const hk_spec *s, int32_t b) { return b >= HK_GROUND && b < s->nbodies; }

/* a signal that must depend on time only; HK_NONE is valid */
static bool check_time_signal(const hk_work *w, int32_t signal, hk_loc loc, const char *what,
                              const char *name) {
  if (signal == HK_NONE) return true;
  if (signal < 0 || signal >= w->spec->nsignals) {
    hki_error(w->ctx, HK_E_MODEL, loc, NULL, "%s of joint '%s' names a signal that does not exist",
              what, name);
    return false;
  }
  if (!(w->signal[signal] & HK_DEPENDS_STATE)) return true;
  hki_error(w->ctx, HK_E_MODEL, loc, "a force or torque may read the state instead",
            "%s of joint '%s' reads the state of the mechanism; it may depend on t only", what,
            name);
  return false;
}

/* does a signal read channels other than those that have a rate, itself or through others? */
static bool reads_unrated(const hk_spec *spec, int32_t signal, int32_t depth) {
  const hk_spec_signal *s = &spec->signals[signal];
  hk_channel rate;
  if (s->memory || depth > 2000) return true;
  for (int32_t i = 0; i < s->nreads; i++) {
    const hk_read *r = &s->reads[i];
    if (r->kind == HK_READ_CHANNEL && !hki_channel_rate(r->channel, &rate)) return true;
    if (r->kind == HK_READ_SIGNAL && reads_unrated(spec, r->signal, depth + 1)) return true;
  }
  return false;
}

/* a rate may read the state: coordinates and positions, whose rates are known */
static void check_motion(const hk_work *w, const hk_spec_joint *j, int32_t k) {
  const int32_t signal = j->motion[k];
  const bool rate = signal >= 0 && signal < w->spec->nsignals &&
                    w->spec->signals[signal].order == 1 && hki_scalar_log(j->ops->scalars[k]) < 0;
  if (!rate || !(w->signal[signal] & HK_DEPENDS_STATE)) {
    check_time_signal(w, signal, j->motion_loc[k], "motion", j->name);
    return;
  }
  if (reads_unrated(w->spec, signal, 0))
    hki_error(
        w->ctx, HK_E_MODEL, j->motion_loc[k],
        "a force or torque may read everything; a joint of the type 'velocity' ties velocities to "
        "each other",
        "the prescribed rate of joint '%s' may read t, coordinates of joints and positions, "
        "and this reads something else",
        j->name);
}

static void check_motions(const hk_work *w, const hk_spec_joint *j) {
  const uint32_t locked = hki_joint_present(j->ops, j->par);
  for (int32_t k = 0; k < HK_JOINT_MAX; k++) {
    if (j->motion[k] == HK_NONE) continue;
    if (k >= j->ops->ns) {
      hki_error(w->ctx, HK_E_MODEL, j->motion_loc[k], NULL,
                "motion of joint '%s': a %s joint has no such coordinate to prescribe", j->name,
                j->ops->name);
      continue;
    }
    check_motion(w, j, k);
    if ((j->ops->caps & HK_JOINT_LOCKED) && (locked >> k & 1u))
      hki_error(w->ctx, HK_E_MODEL, j->motion_loc[k], "give the signal under 'locked:'",
                "joint '%s' both locks and moves the same coordinate", j->name);
  }
  if (j->turn.kind != HK_TURN_NONE) {
    for (int32_t k = 0; k < 4; k++)
      check_time_signal(w, j->turn.signal[k], j->turn.loc, "motion", j->name);
    if (w->spec->planar)
      hki_error(w->ctx, HK_E_MODEL, j->turn.loc, "use a revolute joint and prescribe its angle",
                "motion of joint '%s': a rotation in space cannot be prescribed in a planar model",
                j->name);
  }
  if (!(j->ops->caps & HK_JOINT_LOCKED)) return;
  for (int32_t k = 0; k < HK_JOINT_MAX; k++) {
    if (!check_time_signal(w, j->row_signal[k], j->loc, "locked axis", j->name)) continue;
    if (j->row_signal[k] != HK_NONE && !(locked >> k & 1u))
      hki_error(w->ctx, HK_E_MODEL, j->loc, NULL,
                "joint '%s' has a signal on an axis that is not locked", j->name);
  }
}

/* numbers finite, a second axis that is not along the first */
static void check_joint_numbers(const hk_work *w, const hk_spec_joint *j) {
  bool ok = finite_offset(&j->marker[0]) && finite_offset(&j->marker[1]) && finite_n(j->zero, 6);
  for (const hk_param *p = j->ops->params; p->type != HK_P_END; p++) {
    if (p->type != HK_P_REAL && p->type != HK_P_AXIS2) continue;
    const double *x = (const double *)(const void *)((const char *)j->par + p->offset);
    if (!finite_n(x, p->type == HK_P_AXIS2 ? 2 : 1)) ok = false;
    if (p->type == HK_P_AXIS2 && fabs(x[0]) < 1e-6)
      hki_error(w->ctx, HK_E_MODEL, j->loc, NULL, "axis and %s of %s joint '%s' are parallel",
                p->name, j->ops->name, j->name);
  }
  if (!ok)
    hki_error(w->ctx, HK_E_MODEL, j->loc, "look at its units: lengths are in m",
              "joint '%s' has a number that is not finite, or a place beyond %g m", j->name,
              largest);
}

static bool coordinate_ok(const hk_spec *s, const hk_spec_coupled *a) {
  return a->joint >= 0 && a->joint < s->njoints && a->coord >= 0 && s->joints[a->joint].ops &&
         a->coord < s->joints[a->joint].ops->ns;
}

/* coordinates that exist, finite factors, a signal */
static void check_coupling(const hk_work *w, const hk_spec_joint *j) {
  const hk_spec *s = w->spec;
  const hk_spec_coupling *c = j->coupling;
  bool ok = c->n >= 0 && c->n <= HK_COUPLED && c->nrows >= 1 && c->signal >= HK_NONE &&
            c->signal < s->nsignals && (c->n > 0 || c->signal != HK_NONE) &&
            finite_n(c->c, c->n * c->nrows) && finite_n(c->push, c->nto) &&
            j->body[0] == HK_GROUND && j->body[1] == HK_GROUND;
  for (int32_t i = 0; ok && i < c->n; i++) ok = coordinate_ok(s, &c->arg[i]);
  for (int32_t i = 0; ok && i < c->nto; i++) ok = coordinate_ok(s, &c->to[i]);
  if (!ok)
    hki_error(w->ctx, HK_E_MODEL, j->loc, NULL,
              "joint '%s' relates joints, coordinates or a signal that do not exist", j->name);
}

static void check_joint(const hk_work *w, const hk_spec_joint *j) {
  const hk_spec *s = w->spec;
  bool typed = j->ops && (j->par || j->ops->par_size == 0);
  if (!typed || !body_ok(s, j->body[0]) || !body_ok(s, j->body[1])) {
    hki_error(w->ctx, HK_E_MODEL, j->loc, NULL, "joint '%s' has no type or no such body", j->name);
    return;
  }
  if (!j->coupling != !(j->ops->caps & HK_JOINT_COUPLES)) {
    hki_error(w->ctx, HK_E_MODEL, j->loc, NULL, "joint '%s' relates no joints", j->name);
    return;
  }
  if (j->coupling) {
    check_coupling(w, j);
    return;
  }
  if (j->body[0] == j->body[1])
    hki_error(w->ctx, HK_E_MODEL, j->loc, "name two different bodies under 'between:'",
              "joint '%s' joins %s with itself", j->name,
              j->body[0] < 0 ? "the ground" : s->bodies[j->body[0]].name);
  check_joint_numbers(w, j);
  check_motions(w, j);
}

static void check_force(const hk_work *w, const hk_spec_force *f) {
  const hk_spec *s = w->spec;
  bool ok = f->ops && (f->par || f->ops->par_size == 0);
  for (int32_t k = 0; ok && k < f->ops->nmark; k++) {
    ok = body_ok(s, f->body[k]);
    if (!finite_offset(&f->marker[k]))
      hki_error(w->ctx, HK_E_MODEL, f->loc, "look at its units: lengths are in m",
                "force '%s' acts at a place that is not finite, or beyond %g m", f->name, largest);
  }
  if (ok && f->ops->nscal > 0)
    ok = f->joint >= 0 && f->joint < s->njoints && f->coord >= 0 && s->joints[f->joint].ops &&
         f->coord < s->joints[f->joint].ops->ns;
  for (int32_t k = 0; ok && k < f->ops->nnode; k++)
    ok = f->node[k] >= HK_GROUND && f->node[k] < s->nnodes &&
         (f->node[k] == HK_GROUND || s->nodes[f->node[k]].domain == f->ops->domains[k]);
  for (int32_t k = 0; ok && k < f->ops->nu; k++)
    ok = f->u_signal[k] >= HK_NONE && f->u_signal[k] < s->nsignals;
  if (!ok)
    hki_error(w->ctx, HK_E_MODEL, f->loc, NULL,
              "force '%s' names a body, joint, coordinate, node or signal that does not exist",
              f->name);
}

static void check_node(const hk_work *w, const hk_spec_node *n) {
  bool ok = n->domain >= 0 && n->domain < HK_DOMAINS && isfinite(n->start) && isfinite(n->value) &&
            n->scale > 0.0 && isfinite(n->scale) && n->signal >= HK_NONE &&
            n->signal < w->spec->nsignals;
  if (!ok)
    hki_error(w->ctx, HK_E_MODEL, n->loc, NULL,
              "node '%s' has no type, a number that is not finite, or no such signal", n->name);
}

/* does an event fix or release a joint? */
static bool acts_on_joint(const hk_spec_event *e) {
  return e->action == HK_EVENT_FIX || e->action == HK_EVENT_RELEASE;
}

/* does all exist that an event names? */
static bool event_ok(const hk_spec *s, const hk_spec_event *e) {
  const bool moves = e->action == HK_EVENT_REBOUND || e->action == HK_EVENT_RATE;
  if (e->when < 0 || e->when >= s->nsignals || !isfinite(e->value)) return false;
  if (e->value_signal < HK_NONE || e->value_signal >= s->nsignals) return false;
  if (acts_on_joint(e) || moves) {
    if (e->joint < 0 || e->joint >= s->njoints) return false;
  }
  if (moves) return e->limit >= 0 && e->limit < s->nlimits && !s->limits[e->limit].compliant;
  if (e->action == HK_EVENT_SET || (e->action == HK_EVENT_RESET && e->force == HK_NONE))
    return e->signal >= 0 && e->signal < s->nsignals && s->signals[e->signal].memory;
  if (e->action == HK_EVENT_RESET)
    return e->force < s->nforces && s->forces[e->force].ops->nown > 0;
  return true;
}

/* Carries the events out in file order (see model.h). on, locked: by joint. A joint that some
 * release switches off gets event_cut: it cannot be a tree joint. */
static void follow_events(hk_work *w, bool *on, bool *locked) {
  const hk_spec *s = w->spec;
  for (int32_t e = 0; e < s->nevents; e++) {
    const hk_spec_event *ev = &s->events[e];
    if (!event_ok(s, ev)) {
      hki_error(w->ctx, HK_E_MODEL, ev->loc, NULL,
                "event '%s' names a joint, a signal or a condition that does not exist", ev->name);
      continue;
    }
    if (!acts_on_joint(ev)) continue;
    int32_t j = ev->joint;
    hk_work_joint *wj = &w->joints[j];
    if (ev->action == HK_EVENT_FIX) {
      wj->nfix++;
      if (on[j])
        locked[j] = true;
      else
        on[j] = true;
    } else {
      wj->nrelease++;
      if (locked[j])
        locked[j] = false;
      else
        on[j] = false, wj->event_cut = true;
    }
  }
}

/* has the joint a coordinate that an event can lock? */
static bool can_fix(const hk_work *w, int32_t j) {
  const hk_spec_joint *s = &w->spec->joints[j];
  if (s->ops->caps & HK_JOINT_QUATERNION) return true;
  for (int32_t k = 0; k < s->ops->ns; k++) {
    if (hki_work_can_lock(w, j, k)) return true;
  }
  return false;
}

/* rigid stops need a coordinate that can move, and numbers in their ranges */
static void check_limits(const hk_work *w) {
  const hk_spec *s = w->spec;
  for (int32_t i = 0; i < s->nlimits; i++) {
    const hk_spec_limit *l = &s->limits[i];
    const bool there = l->joint >= 0 && l->joint < s->njoints && l->coord >= 0 &&
                       l->coord < s->joints[l->joint].ops->ns;
    const hk_spec_joint *j = there ? &s->joints[l->joint] : NULL;
    const bool sane = l->range[0] < l->range[1] && l->restitution >= 0.0 && l->restitution <= 1.0 &&
                      l->rest >= 0.0 && isfinite(l->rest);
    if (!there || !sane) {
      hki_error(w->ctx, HK_E_MODEL, l->loc, NULL,
                "limits of a joint that does not exist, or numbers out of range");
      continue;
    }
    if (hki_work_can_lock(w, l->joint, l->coord) || j->motion[l->coord] != HK_NONE) continue;
    int n;
    const char *word = hki_word(j->ops->coords, l->coord, &n);
    hki_error(w->ctx, HK_E_MODEL, l->loc, "leave it out",
              "joint '%s': '%.*s' cannot move, so that neither stops nor events act on it", j->name,
              n, word);
  }
}

static void check_events(hk_work *w) {
  const hk_spec *s = w->spec;
  for (int32_t e = 0; e < s->nevents; e++) {
    const hk_spec_event *ev = &s->events[e];
    if (ev->action != HK_EVENT_FIX || w->joints[ev->joint].comes_back || can_fix(w, ev->joint))
      continue;
    hki_error(w->ctx, HK_E_MODEL, ev->loc, "write 'active: false' if the event shall switch it on",
              "event '%s' cannot fix joint '%s': a %s joint has no coordinate left to fix",
              ev->name, s->joints[ev->joint].name, s->joints[ev->joint].ops->name);
  }
  for (int32_t j = 0; j < s->njoints; j++) {
    if (!s->joints[j].active && w->joints[j].nfix == 0)
      hki_warn(w->ctx, s->joints[j].loc, NULL, "joint '%s' is off and no event switches it on",
               s->joints[j].name);
  }
}

/* gravity, normal of the plane, bodies of markers, joints and bodies of start values */
static void check_rest(const hk_work *w) {
  const hk_spec *s = w->spec;
  double n = v3_norm(s->normal);
  if (!finite_n(s->gravity, 3))
    hki_error(w->ctx, HK_E_MODEL, s->gravity_loc, NULL, "gravity is not finite");
  if (s->planar && !(fabs(n - 1.0) < 1e-9))
    hki_error(w->ctx, HK_E_MODEL, HK_LOC_NONE, NULL,
              "the normal of the plane is not a unit vector");
  for (int32_t i = 0; i < s->nmarkers; i++) {
    if (!body_ok(s, s->markers[i].body) || !body_ok(s, s->markers[i].reference) ||
        !finite_offset(&s->markers[i].at))
      hki_error(w->ctx, HK_E_MODEL, s->markers[i].loc, NULL, "marker '%s' is on no body",
                s->markers[i].name);
  }
  for (int32_t i = 0; i < s->nstarts; i++) {
    const hk_spec_start *st = &s->starts[i];
    bool joint = st->joint >= 0 && st->joint < s->njoints && st->body == HK_NONE;
    bool body = st->body >= 0 && st->body < s->nbodies && st->joint == HK_NONE;
    if (!joint && !body)
      hki_error(w->ctx, HK_E_MODEL, st->loc, NULL, "start value of no joint and no body");
  }
}

static void check_wide(hk_work *w, const hk_spec_wide *e) {
  const hk_spec *s = w->spec;
  bool ok = e->ops && e->nmark >= 1 && (!e->ops->nmark || e->ops->nmark == e->nmark);
  for (int32_t i = 0; ok && i < e->nmark; i++)
    ok = e->body[i] >= HK_GROUND && e->body[i] < s->nbodies;
  if (!ok) {
    hki_error(w->ctx, HK_E_MODEL, e->loc, NULL, "element '%s' has no such markers", e->name);
  } else if (s->planar && e->acts_for) {
    hki_error(w->ctx, HK_E_MODEL, e->loc,
              "leave out 'planar'; a rope or a belt between two bodies may be planar",
              "cable '%s' acts in space, and the model is planar", e->name);
  } else if (s->planar && e == s->wide) {
    // one message is enough for all of them
    hki_error(w->ctx, HK_E_MODEL, e->loc,
              "leave out 'planar': drawn and loaded in a plane it stays in that plane",
              "'%s' bends in space, and the model is planar", e->name);
  }
}

bool hki_work_check(hk_work *w) {
  const hk_spec *s = w->spec;
  int32_t before = hki_error_count(w->ctx);
  bool *on = HK_SCRATCH(w, bool, s->njoints + 1), *locked = HK_SCRATCH(w, bool, s->njoints + 1);
  if (!on || !locked) return false;
  for (int32_t b = 0; b < s->nbodies; b++) check_body(w, &s->bodies[b]);
  for (int32_t j = 0; j < s->njoints; j++) check_joint(w, &s->joints[j]);
  for (int32_t f = 0; f < s->nforces; f++) check_force(w, &s->forces[f]);
  for (int32_t i = 0; i < s->nwide; i++) check_wide(w, &s->wide[i]);
  for (int32_t i = 0; i < s->nnodes; i++) check_node(w, &s->nodes[i]);
  check_rest(w);
  for (int32_t j = 0; j < s->njoints; j++) on[j] = s->joints[j].active;
  follow_events(w, on, locked);
  if (hki_error_count(w->ctx) > before) return false;
  for (int32_t j = 0; j < s->njoints; j++) {
    hk_work_joint *wj = &w->joints[j];
    wj->comes_back = wj->nfix > 0 && (!s->joints[j].active || wj->event_cut);
  }
  check_events(w);
  check_limits(w);
  // a prescribed coordinate must be able to change in a planar model
  for (int32_t j = 0; j < s->njoints; j++) {
    const hk_spec_joint *sj = &s->joints[j];
    for (int32_t k = 0; k < sj->ops->ns; k++) {
      if (sj->motion[k] >= 0 && !hki_planar_moves(w, j, k))
        hki_error(w->ctx, HK_E_MODEL, sj->motion_loc[k], NULL,
                  "motion of joint '%s': this coordinate cannot change in a planar model",
                  sj->name);
    }
  }
  return hki_error_count(w->ctx) == before;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * grade.c: the verdict on a run.
 *
 *   moved = max(largest kinetic energy, ranges of potential, supplied and dissipated energy)
 *   drift = 100 |largest error of the energy audit| / moved                     per cent
 *
 * A run is wrong when the drift is above `drift_limit` (5 %), doubtful above a fifth of it, else
 * good. The same limits hold for the constraints: the largest row in per cent of the model's length,
 * and the largest rate of a row in per cent of the model's speed sqrt(2 kinetic / mass), or of its mean
 * velocity where it has no mass. A motion
 * can conserve its energy and be wrong: where it turns too far in a step (below), the run is
 * doubtful or wrong too. A number that is none makes it wrong. A run that
 * ended because a step failed is doubtful at least, and so is one in which a body with modes leaves what modes can tell.
 *
 * A mechanism at rest moves no energy, and what is left is round-off. Therefore `moved` is at least
 * `still` times the size of the energies: of those that are there, and of the weight times the
 * length of the model. Where there is neither weight nor potential, it is at least the kinetic energy of
 * speeds that a thousand roundings of positions in a step make, and what they store in springs and shells.
 *
 * A model that travels carries kinetic energy that does not move, and that must not hide what does. With u the velocity of
 * the centre of mass at the start, P the momentum and m the mass,
 *
 *   aboard = T - u . P + m u^2/2                        kinetic energy seen by one who travels along
 *
 * and the kinetic energy counts up to `part_taken` times that: all of it where velocities change by a third. `carried` of
 * it always counts, since what is less is only carried along.
 *
 * omega h of the motion: for v = V cos(omega t) and constant h, with x = 2 tan(asin(y/2)),
 *
 *   y^4 = sum |v1 - 2 v0 + v-1|^2 / sum |v1|^2 = (2 sin(omega h/2))^4
 *
 * x is the omega h that the trapezoidal rule was given, whose answer has a lower frequency. The
 * velocities weigh the parts of the motion: small fast vibrations that a method damps or carries
 * along do not count, those that are the motion do. Of |v1|^2 the share counts that the kinetic energy that moves has of all.
 * Accelerations are not looked at, since those of stiff parts may ring and yet leave the motion as it is.
 */
#include "kinematics/wide.h"
#include "simulation/simulation.h"
#include "analyses/aimless.h"

#include <float.h>

static const double still = 1e-8;
/* the kinetic energy that moves: so many times what is seen aboard, and this share of all at least */
static const double part_taken = 10.0, carried = 1e-3;

/* omega h above which a motion is doubtful, wrong: nine and four steps for a period */
static const double turn_doubtful = 0.7, turn_wrong = 1.5;
/* of modes: stiffness that is left out, in parts of its own; rotation of an interface, rad */
static const double most_left_out = 0.05, most_bent = 0.25;

/* --- during the run --------------------------------------------------------------------------- */

static void widen(hk_range *r, double x) {
  if (!(x >= r->least)) r->least = x;
  if (!(x <= r->most)) r->most = x;
}

static double total_mass(const hk_model *m) {
  double mass = 0.0;
  for (int32_t b = 0; b < m->nb; b++) mass += m->bodies[b].mass;
  return mass;
}

/* kinetic energy at the state of kin, as seen aboard */
static double seen_aboard(const hk_sim *s) {
  const hk_watch *w = &s->audit.watch;
  return s->audit.kinetic - v3_dot(w->along, s->kin->momentum) + w->carrier;
}

static void follow_energies(hk_sim *s) {
  const hk_audit *a = &s->audit;
  hk_watch *w = &s->audit.watch;
  const double aboard = seen_aboard(s);
  if (!(a->kinetic <= w->kinetic)) w->kinetic = a->kinetic;
  if (!(aboard <= w->aboard)) w->aboard = aboard;
  widen(&w->potential, a->potential);
  widen(&w->supplied, a->supplied);
  widen(&w->dissipated, a->dissipated);
}

void hki_grade_start(hk_sim *s) {
  hk_watch *w = &s->audit.watch;
  const double p = s->audit.potential;
  *w = (hk_watch){.kinetic = s->audit.kinetic, .potential = {p, p}};
  const double mass = total_mass(s->m);
  for (int k = 0; k < 3; k++) w->along[k] = mass > 0.0 ? s->kin->momentum[k] / mass : 0.0;
  w->carrier = 0.5 * mass * v3_dot(w->along, w->along);
  w->aboard = seen_aboard(s);
  memcpy(s->start_q, s->qt, (size_t)s->m->nq * sizeof *s->start_q);
  memcpy(s->start_v, s->vt, (size_t)s->m->nv * sizeof *s->start_v);
}

/* largest angle by which a body turns in a step of length h, at the state of kin */
static void find_spin(hk_sim *s, double h) {
  hk_watch *w = &s->audit.watch;
  double most = 0.0, at = 0.0; // a number like all others that steps change (sim_numbers.c)
  for (int32_t b = 0; b < s->m->nb; b++) {
    const double *u = s->kin->frame[b].w, x = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
    if (x > most) most = x, at = b;
  }
  most = h * sqrt(most);
  if (most > w->spin) w->spin = most, w->spinner = at;
}

void hki_grade_step(hk_sim *s, double h) {
  const hk_integrator *I = &s->I;
  hk_watch *w = &s->audit.watch;
  double bend = 0.0, pace = 0.0;
  const bool alike = fabs(h - s->trend_h) < 1e-3 * h;
  for (int32_t i = 0; i < I->nv; i++) {
    const double d = I->v1[i] - I->v[i], dd = d - s->trend[i];
    bend += dd * dd;
    pace += I->v1[i] * I->v1[i];
    s->trend[i] = d;
  }
  s->trend_h = h;
  if (alike) w->bend += bend;
  w->pace += pace;
  find_spin(s, h);
}

/* forces along the line of their ends, where these coincide */
static void follow_aims(hk_sim *s) {
  const hk_model *m = s->m;
  const hk_force_trace *t = s->kin->trace ? s->kin->trace->force : NULL;
  for (int32_t f = 0; t && f < m->nf; f++) {
    if (fabs(t[f].s) > HK_AIMLESS_LENGTH || m->forces[f].ops->nmark != 2) continue;
    const double force = hki_aimless_force(s->kin, f);
    if (force == 0.0) continue;
    hki_grade_note(s, HK_NOTE_AIMLESS, fabs(force));
    s->audit.watch.aimless = f;
  }
}

/* contacts that would have to pull at the end of the step */
static void follow_contacts(hk_sim *s) {
  if (!s->has_contacts || hki_sim_prepare_values(s, true, false) != HK_OK) return;
  const double *lam = hki_reactions_multipliers(s->reactions);
  for (int32_t c = 0; c < s->m->nc; c++) {
    const hk_closure *cl = &s->m->closures[c];
    if (!cl->ops->pushes || s->kin->disc.active[c] == 0.0) continue;
    const uint32_t rows = cl->ops->pushes(cl->par);
    for (int32_t r = 0; r < cl->nrows; r++) {
      if (!(rows >> cl->rows[r] & 1u) || !(lam[cl->row0 + r] > 0.0)) continue;
      if (!s->audit.watch.notes[HK_NOTE_LIFTED].count) s->audit.watch.lifted = c;
      hki_grade_note(s, HK_NOTE_LIFTED, lam[cl->row0 + r]);
    }
  }
}

/* bodies with modes beyond small deflections */
static void follow_modes(hk_sim *s) {
  hk_watch *w = &s->audit.watch;
  hk_wide_doubt d;
  for (int32_t i = 0; i < s->m->nwide; i++) {
    if (!hki_kin_wide_doubt(s->kin, i, &d)) continue;
    if (d.left_out > most_left_out) {
      if (d.left_out > w->notes[HK_NOTE_SPIN].most) w->spun = i;
      hki_grade_note(s, HK_NOTE_SPIN, d.left_out);
    }
    if (d.turn > most_bent) {
      if (d.turn > w->notes[HK_NOTE_BENT].most) w->bent = i;
      hki_grade_note(s, HK_NOTE_BENT, d.turn);
    }
  }
}

void hki_grade_follow(hk_sim *s) {
  hk_watch *w = &s->audit.watch;
  const double now = hki_sim_balance(s), jump = now - w->last;
  follow_energies(s);
  follow_contacts(s);
  if (fabs(jump) > fabs(w->jump)) {
    w->jump = jump, w->jump_t = s->I.t;
    memcpy(s->jump_q, s->qt, (size_t)s->m->nq * sizeof *s->jump_q);
    memcpy(s->jump_v, s->vt, (size_t)s->m->nv * sizeof *s->jump_v);
    s->jump_known = true;
  }
  w->last = now;
  follow_aims(s);
  follow_modes(s);
}

/* --- after it --------------------------------------------------------------------------------- */

static double width(hk_range r) { return r.most - r.least; }

/* the size of the energies: what errors of round-off are relative to */
static double energy_size(const hk_sim *s, double mass) {
  const hk_watch *w = &s->audit.watch;
  double size = fmax(fabs(w->potential.least), fabs(w->potential.most));
  return fmax(size, mass * v3_norm(s->m->spec->gravity) * s->m->length);
}

/* the kinetic energy of the speeds that round-off makes of positions in steps of mean length */
static double energy_of_rounding(const hk_sim *s, double mass) {
  const double h = s->steps > 0 ? s->I.t / (double)s->steps : 0.0;
  if (!(h > 0.0)) return 0.0;
  const double v = 1e3 * DBL_EPSILON * s->m->length / h;
  return 0.5 * mass * v * v;
}

static hk_grade by_limits(double x, double doubtful, double wrong) {
  return x <= doubtful ? HK_GRADE_GOOD : x <= wrong ? HK_GRADE_DOUBTFUL : HK_GRADE_WRONG;
}

static hk_grade worse(hk_grade a, hk_grade b) { return a > b ? a : b; }

static double percent(double part, double whole) {
  return part == 0.0 ? 0.0 : 100.0 * fabs(part) / whole;
}

/* the kinetic energy that moves */
static double kinetic_of(const hk_watch *w) {
  return fmin(w->kinetic, fmax(part_taken * w->aboard, carried * w->kinetic));
}

/* omega h of the motion */
static double turn_of(const hk_watch *w) {
  const double share = w->kinetic > 0.0 ? kinetic_of(w) / w->kinetic : 1.0;
  const double y = w->bend > 0.0 ? sqrt(sqrt(w->bend / (w->pace * share))) : 0.0;
  return y < 1.999 ? y / sqrt(1.0 - 0.25 * y * y) : 100.0;
}

/* the speed of a model: of its mass; of a driven one without mass the mean of its velocities */
static double speed_of(const hk_sim *s, const hk_watch *w, double floor, double mass) {
  if (mass > 0.0) return sqrt(2.0 * fmax(kinetic_of(w), floor) / mass);
  return fmax(sqrt(w->pace / fmax(1.0, (double)s->steps)), still * s->m->length);
}

/* the numbers, with this size of energies that are round-off */
static void weigh(const hk_sim *s, const hk_audit *a, double floor, double mass, hk_verdict *v) {
  const hk_watch *w = &a->watch;
  const double limit = s->solver.drift_limit;
  v->moved = fmax(fmax(kinetic_of(w), width(w->potential)),
                  fmax(width(w->supplied), width(w->dissipated)));
  v->moved = fmax(v->moved, floor);
  v->drift = percent(a->extreme, v->moved);
  v->gap = percent(a->position_max, s->m->length);
  v->slip = percent(a->velocity_max, speed_of(s, w, floor, mass));
  v->turn = kinetic_of(w) > floor ? turn_of(w) : 0.0; // round-off has no frequency
  v->of_drift = by_limits(v->drift, 0.2 * limit, limit);
  v->of_gap = by_limits(v->gap, 0.2 * limit, limit);
  v->of_slip = by_limits(v->slip, 0.2 * limit, limit);
  v->of_turn = s->free.on ? HK_GRADE_GOOD : by_limits(v->turn, turn_doubtful, turn_wrong);
  v->grade = worse(worse(v->of_drift, v->of_turn), worse(v->of_gap, v->of_slip));
}

void hki_grade(hk_sim *s, hk_verdict *v) {
  const hk_audit *a = s->free.shown ? &s->kept : &s->audit;
  const double mass = total_mass(s->m);
  const double floor = fmax(still * energy_size(s, mass), energy_of_rounding(s, mass));
  weigh(s, a, floor, mass, v);
  // what is not good is compared with what round-off stores too
  if (v->grade != HK_GRADE_GOOD) {
    const double stored = hki_grade_rounding(s);
    if (stored > floor) weigh(s, a, stored, mass, v);
  }
  // a step that failed: what came before it may be right, but it is not what was asked for
  v->broken = s->status == HK_E_DIVERGED || s->status == HK_E_SINGULAR || s->status == HK_E_NUMBER;
  if (v->broken) v->grade = worse(v->grade, HK_GRADE_DOUBTFUL);
  // a force may pass such a place, but what stays there stands on the point of a needle
  if (s->audit.watch.notes[HK_NOTE_AIMLESS].count > 1)
    v->grade = worse(v->grade, HK_GRADE_DOUBTFUL);
  // behind a lift-off the motion is that of a groove
  if (s->audit.watch.notes[HK_NOTE_LIFTED].count) v->grade = worse(v->grade, HK_GRADE_DOUBTFUL);
  // modes are small deflections
  if (s->audit.watch.notes[HK_NOTE_SPIN].count || s->audit.watch.notes[HK_NOTE_BENT].count)
    v->grade = worse(v->grade, HK_GRADE_DOUBTFUL);
}

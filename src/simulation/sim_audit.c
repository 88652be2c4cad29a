/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_audit.c: the energy audit and the constraint residuals of a run.
 *
 *   audit           = E - E(0) - supplied + dissipated
 *   E               = kinetic + potential
 *
 * The work supplied and dissipated: sim_work.c.
 */
#include "simulation/simulation.h"

double hki_sim_balance(const hk_sim *s) {
  const hk_audit *a = &s->audit;
  return a->kinetic + a->potential - a->initial - a->supplied + a->dissipated;
}

void hki_sim_audit_measure(hk_sim *s) {
  hk_audit *a = &s->audit;
  s->kin->trace = &s->work.trace[!s->work.now];
  hki_kin_energy(s->kin);
  a->kinetic = s->kin->kinetic;
  a->potential = s->kin->potential;
  a->supply_power = s->kin->supplied;
  a->drain_power = s->kin->dissipated;
  if (!s->has_drives) return;
  bool known = hki_sim_prepare_values(s, true, false) == HK_OK;
  hki_work_measure(s, known ? hki_reactions_multipliers(s->reactions) : NULL);
  a->supply_power += hki_work_motion_power(s);
}

/* the larger of both; what is no number stays, where fmax would drop it */
static double most_of(double a, double b) { return b > a || isnan(b) ? b : a; }

/* largest constraint rows, their rates and accelerations, of the formulation's own rows if it has
 * any, else of the closures */
static void residuals(hk_sim *s) {
  hk_audit *a = &s->audit;
  const hk_model *m = s->m;
  const hk_kin *k = s->kin;
  if (s->f->ops->drift) {
    double most[3];
    s->f->ops->drift(s->f, s->I.t, s->I.q, s->I.v, s->I.a, most);
    a->position_max = most_of(a->position_max, most[0]);
    a->velocity_max = most_of(a->velocity_max, most[1]);
    a->acceleration_max = most_of(a->acceleration_max, most[2]);
    return;
  }
  if (!m->nc) return;
  hki_kin_rows(k, s->vt, s->row);
  for (int32_t i = 0; i < m->nrows; i++) s->row[i] += k->phit[i];
  for (int32_t c = 0; c < m->nc; c++)
    for (int32_t r = 0; k->disc.active[c] != 0.0 && r < m->closures[c].nrows; r++) {
      int32_t row = m->closures[c].row0 + r;
      a->position_max = most_of(a->position_max, fabs(k->phi[row]));
      a->velocity_max = most_of(a->velocity_max, fabs(s->row[row]));
    }
  hki_kin_rows(k, s->at, s->row);
  for (int32_t c = 0; c < m->nc; c++)
    for (int32_t r = 0; k->disc.active[c] != 0.0 && r < m->closures[c].nrows; r++) {
      int32_t row = m->closures[c].row0 + r;
      a->acceleration_max = most_of(a->acceleration_max, fabs(s->row[row] + k->gamma[row]));
    }
}

/* the audit with the largest magnitude so far */
static void extreme(hk_sim *s) {
  double e = hki_sim_balance(s), *most = &s->audit.extreme;
  if (!isnan(*most) && !(fabs(e) <= fabs(*most))) *most = e;
  hki_grade_follow(s);
}

void hki_sim_audit_start(hk_sim *s) {
  s->audit = (hk_audit){0};
  hki_sim_audit_measure(s);
  s->audit.initial = s->audit.kinetic + s->audit.potential;
  hki_work_start(s);
  residuals(s);
  hki_grade_start(s);
}

void hki_sim_audit_step(hk_sim *s, double h) {
  hki_sim_audit_measure(s);
  hki_work_step(s, h);
  residuals(s);
  extreme(s);
}

void hki_sim_audit_follow(hk_sim *s) {
  residuals(s);
  extreme(s);
}

void hki_sim_audit_jump(hk_sim *s) {
  double before = s->audit.kinetic + s->audit.potential;
  hki_sim_audit_measure(s);
  const double energy = s->audit.kinetic + s->audit.potential - before;
  s->audit.supplied += energy;
  hki_work_jump(s, energy);
}

void hki_sim_audit_stops(hk_sim *s, bool driven) {
  double before = s->audit.kinetic + s->audit.potential, lost = 0.0;
  hki_sim_audit_measure(s);
  for (int32_t i = 0; i < s->stops.n; i++) lost += s->stops.lost[i];
  const double gained = s->audit.kinetic + s->audit.potential - before;
  // without motions the difference of both is round-off
  const double supplied = driven ? gained + lost : 0.0;
  s->audit.dissipated += supplied - gained;
  s->audit.supplied += supplied;
  hki_work_stops(s, supplied, supplied - gained);
}

void hki_sim_audit_impact(hk_sim *s) {
  double before = s->audit.kinetic + s->audit.potential;
  hki_sim_audit_measure(s);
  const double energy = before - (s->audit.kinetic + s->audit.potential);
  s->audit.dissipated += energy;
  hki_work_loss(s, energy);
}

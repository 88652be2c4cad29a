/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_audit.c: the energy audit and the constraint residuals of a run.
 *
 *   audit           = E - E(0) - supplied + dissipated
 *   E               = kinetic + potential
 *   power of motion = lam . Phi_t        prescribed motions, lam from reactions.h
 *
 * Powers are integrated by the trapezoidal rule over accepted states, or by Simpson's rule where
 * the length of steps is controlled (sim_free.c).
 */
#include "simulation/simulation.h"

double hki_sim_balance(const hk_sim *s) {
  const hk_audit *a = &s->audit;
  return a->kinetic + a->potential - a->initial - a->supplied + a->dissipated;
}

void hki_sim_audit_measure(hk_sim *s) {
  hk_audit *a = &s->audit;
  hki_kin_energy(s->kin);
  a->kinetic = s->kin->kinetic;
  a->potential = s->kin->potential;
  a->supply_power = s->kin->supplied;
  a->drain_power = s->kin->dissipated;
  if (!s->has_drives) return;
  if (hki_sim_prepare_values(s, true, false) != HK_OK) return;
  const double *lam = hki_reactions_multipliers(s->reactions);
  for (int32_t c = 0; c < s->m->nc; c++)
    for (int32_t r = 0; s->kin->disc.active[c] != 0.0 && r < s->m->closures[c].nrows; r++) {
      int32_t row = s->m->closures[c].row0 + r;
      a->supply_power += lam[row] * s->kin->phit[row];
    }
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
  residuals(s);
  hki_grade_start(s);
}

void hki_sim_audit_step(hk_sim *s, double h) {
  hk_audit *a = &s->audit;
  double ps = a->supply_power, pd = a->drain_power;
  hki_sim_audit_measure(s);
  a->supplied += 0.5 * h * (ps + a->supply_power);
  a->dissipated += 0.5 * h * (pd + a->drain_power);
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
  s->audit.supplied += s->audit.kinetic + s->audit.potential - before;
}

void hki_sim_audit_impact(hk_sim *s) {
  double before = s->audit.kinetic + s->audit.potential;
  hki_sim_audit_measure(s);
  s->audit.dissipated += before - (s->audit.kinetic + s->audit.potential);
}

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

/* largest |x|, four at a time; not a number where one is none */
static double largest(int32_t n, const double *x) {
  double most[4] = {0.0, 0.0, 0.0, 0.0}, sum[4] = {0.0, 0.0, 0.0, 0.0};
  int32_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (int k = 0; k < 4; k++) {
      const double e = fabs(x[i + k]);
      most[k] = e > most[k] ? e : most[k];
      sum[k] += e;
    }
  for (; i < n; i++) {
    const double e = fabs(x[i]);
    most[0] = e > most[0] ? e : most[0];
    sum[0] += e;
  }
  const double all = sum[0] + sum[1] + sum[2] + sum[3];
  const double a = most[0] > most[1] ? most[0] : most[1];
  const double b = most[2] > most[3] ? most[2] : most[3];
  return isnan(all) ? all : a > b ? a : b;
}

static bool all_active(const hk_sim *s) {
  bool all = true;
  for (int32_t c = 0; c < s->m->nc; c++) all &= s->kin->disc.active[c] != 0.0;
  return all;
}

/* the same over the rows of active closures; all: every one is */
static double largest_row(const hk_sim *s, bool all, const double *x) {
  const hk_model *m = s->m;
  const double *active = s->kin->disc.active;
  if (all) return largest(m->nrows, x);
  double most = 0.0;
  for (int32_t c = 0; c < m->nc; c++)
    if (active[c] != 0.0)
      most = most_of(most, largest(m->closures[c].nrows, x + m->closures[c].row0));
  return most;
}

/* largest constraint rows, their rates and accelerations, of the formulation's own rows if it has
 * any, else of the closures */
static void residuals(hk_sim *s) {
  hk_audit *a = &s->audit;
  const hk_model *m = s->m;
  const hk_kin *k = s->kin;
  double most[3];
  if (s->f->ops->drift) {
    s->f->ops->drift(s->f, s->I.t, s->I.q, s->I.v, s->I.a, most);
  } else {
    if (!m->nc) return;
    const bool all = all_active(s);
    most[0] = largest_row(s, all, k->phi);
    hki_kin_rows(k, s->vt, s->row);
    for (int32_t i = 0; i < m->nrows; i++) s->row[i] += k->phit[i];
    most[1] = largest_row(s, all, s->row);
    hki_kin_rows(k, s->at, s->row);
    for (int32_t i = 0; i < m->nrows; i++) s->row[i] += k->gamma[i];
    most[2] = largest_row(s, all, s->row);
  }
  a->position_max = most_of(a->position_max, most[0]);
  a->velocity_max = most_of(a->velocity_max, most[1]);
  a->acceleration_max = most_of(a->acceleration_max, most[2]);
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

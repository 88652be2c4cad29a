/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_within.c: states within the last step, for rows, for the location of events and for the
 * audit.
 *
 * The integrator's dense output gives positions and velocities. They are projected onto the
 * constraints, and the accelerations are solved for there. Persistent data that the projection
 * changes are restored, so that evaluating a state does not change the run. Normal forces of friction
 * stay those of the state that is looked at, until hki_sim_normals_back.
 */
#include <stdio.h>

#include "simulation/simulation.h"
#include "simulation/stepper.h"

/* fraction of a step for the differences of difference_velocities */
static const double difference = 1e-4;

void hki_sim_save_persistent(hk_sim *s) {
  double *block;
  int32_t n;
  s->f->ops->persistent(s->f, &block, &n);
  memcpy(s->held_form, block, (size_t)n * sizeof *block);
  memcpy(s->held_disc, s->kin->disc.block, (size_t)s->kin->disc.n * sizeof(double));
}

static void put_back(hk_sim *s) {
  double *block;
  int32_t n;
  s->f->ops->persistent(s->f, &block, &n);
  memcpy(block, s->held_form, (size_t)n * sizeof *block);
  memcpy(s->kin->disc.block, s->held_disc, (size_t)s->kin->disc.n * sizeof(double));
}

/* normal forces within the block of discrete data `from` */
static double *normals_of(const hk_sim *s, double *from) {
  return from + (s->kin->disc.normal - s->kin->disc.block);
}

void hki_sim_normals_back(hk_sim *s) {
  const size_t bytes = (size_t)s->m->nnormal * sizeof(double);
  if (bytes) memcpy(s->kin->disc.normal, normals_of(s, s->held_disc), bytes);
}

void hki_sim_normals_keep(hk_sim *s) {
  const size_t bytes = (size_t)s->m->nnormal * sizeof(double);
  if (bytes) memcpy(normals_of(s, s->held_disc), s->kin->disc.normal, bytes);
}

/* time at the fraction theta of the last step */
static double time_at(const hk_sim *s, double theta) { return s->free.t0 + theta * s->I.dense_h; }

/* state at theta with accelerations by differences of velocities, where they cannot be solved for
 */
static hk_status difference_velocities(hk_sim *s, double theta) {
  hk_integrator *I = &s->I;
  const double lo = fmax(0.0, theta - difference), hi = fmin(1.0, theta + difference);
  hk_status st = hki_interpolate(I, lo, s->qd, s->ad);
  if (st == HK_OK) st = hki_interpolate(I, hi, s->qd, s->vd);
  if (st != HK_OK) return st;
  for (int32_t i = 0; i < I->nv; i++) s->ad[i] = (s->vd[i] - s->ad[i]) / ((hi - lo) * I->dense_h);
  return hki_interpolate(I, theta, s->qd, s->vd);
}

hk_status hki_sim_state_within(hk_sim *s, double theta, int level) {
  hk_integrator *I = &s->I;
  const hk_formulation_ops *ops = s->f->ops;
  const double t = time_at(s, theta);
  s->reactions_known = false;
  hk_status st = hki_interpolate(I, theta, s->qd, s->vd);
  if (st != HK_OK) return st;
  memset(s->ad, 0, (size_t)I->nv * sizeof *s->ad);
  if (level >= HK_WITHIN_CLOSED)
    st = ops->project(s->f, t, s->qd, s->vd, s->ad, HK_PROJECT_POS | HK_PROJECT_VEL);
  if (st == HK_OK && level >= HK_WITHIN_WHOLE) st = ops->accel(s->f, t, s->qd, s->vd, s->ad);
  if (st != HK_OK) st = difference_velocities(s, theta);
  if (st != HK_OK) return st;
  ops->to_tree(s->f, s->qd, s->vd, s->ad, s->qt, s->vt, s->at);
  const size_t normals = level >= HK_WITHIN_WHOLE ? (size_t)s->m->nnormal * sizeof(double) : 0;
  if (normals) memcpy(s->normals_there, s->kin->disc.normal, normals);
  put_back(s);
  if (normals) memcpy(s->kin->disc.normal, s->normals_there, normals);
  hki_kin_state(s->kin, t, s->qt, s->vt);
  hki_kin_signals(s->kin, true);
  hki_kin_closures(s->kin);
  hki_kin_closure_bias(s->kin);
  return HK_OK;
}

/* integral of the parabola through p[0], p[1], p[2] at 0, 1/2, 1 from 0 to x */
static double work(const double *p, double x) {
  const double b = -3.0 * p[0] + 4.0 * p[1] - p[2], c = 2.0 * (p[0] - 2.0 * p[1] + p[2]);
  return x * (p[0] + x * (0.5 * b + x * c / 3.0));
}

double hki_sim_work_within(const hk_sim *s, const double *p) {
  const hk_free_steps *f = &s->free;
  return f->length * work(p, (f->now - f->t0) / f->length);
}

hk_status hki_sim_show_now(hk_sim *s) {
  hk_free_steps *f = &s->free;
  if (s->stepper) hki_stepper_show(s);
  if (!f->on || !f->late || f->shown) return HK_OK;
  s->kept = s->audit;
  hki_sim_save_persistent(s);
  // a jump at the end of the step is still to come
  if (f->arrival & HK_ARRIVE_BREAK) s->kin->t_cap = s->I.t;
  hk_status st = hki_sim_state_within(s, (f->now - f->t0) / s->I.dense_h, HK_WITHIN_WHOLE);
  s->kin->t_cap = INFINITY;
  f->shown = true;
  if (st != HK_OK) {
    snprintf(s->message, sizeof s->message, "there is no state at t = %.9g s within a step",
             f->now);
    return st == HK_RETRY ? HK_E_NUMBER : st;
  }
  hki_sim_audit_measure(s);
  s->audit.supplied = f->supplied + hki_sim_work_within(s, f->supply);
  s->audit.dissipated =
      f->dissipated + hki_sim_work_within(s, f->drain) + hki_work_spent(s, false) - f->spent;
  return HK_OK;
}

void hki_sim_show_accepted(hk_sim *s) {
  if (s->stepper) hki_stepper_show(s);
  if (!s->free.shown) return;
  s->free.shown = false;
  hki_sim_normals_back(s);
  s->audit = s->kept;
  hki_sim_refresh(s);
}

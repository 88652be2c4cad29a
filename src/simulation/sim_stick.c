/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_stick.c: friction at the start. Surfaces that do not slide at the start hold as far as they
 * can: the deflections z of their bristles are those with which the slip keeps its rate,
 *
 *   du_i/dt (z) = 0        or z_i at the edge of its cone
 *
 * The slips are moved to and fro one after the other (Gauss and Seidel) until nothing changes. Without
 * this a block on a slope would fall onto its bristle, and might break away by the blow.
 */
#include "elements/joint_friction.h"
#include "simulation/simulation.h"

enum { SWEEPS = 100, HALVINGS = 20 };

/* first entry of the private states of a force in the velocities of the formulation */
static int32_t place(const hk_sim *s, int32_t force) {
  return s->I.nv - s->m->nz + s->m->forces[force].z0;
}

/* slip of a force per unit of time where all velocities are those in vt: y (nz) */
static void slip(hk_sim *s, int32_t force, const double *vt, double *y) {
  hk_kin *k = &s->tree->kin;
  double out[HK_ELEMENT_OUTPUTS];
  hki_kin_state(k, s->I.t, s->qt, vt);
  hki_kin_signals(k, false);
  hki_kin_force_output(k, force, out);
  for (int32_t i = 0; i < s->m->forces[force].nz; i++) y[i] = out[i];
}

/* rates of the slip of a force that is at rest, at the present deflections */
static hk_status slip_rates(hk_sim *s, int32_t force, double *y) {
  hk_integrator *I = &s->I;
  hk_status st = s->f->ops->accel(s->f, I->t, I->q, I->v, I->a);
  if (st != HK_OK) return st;
  st = s->f->ops->to_tree(s->f, I->q, I->v, I->a, s->qt, s->vt, s->at);
  if (st == HK_OK) slip(s, force, s->at, y);
  return st;
}

/* One deflection of a force: moved to where its slip has no rate, or to the edge of the cone; *change:
 * of the deflection, over its size at break-away. */
static hk_status move(hk_sim *s, int32_t force, int32_t i, double *change) {
  const hk_friction *f = hki_joint_friction_of(s->m->forces[force].par);
  const int32_t nz = s->m->forces[force].nz;
  double *z = s->I.v + place(s, force), rate[HK_FRICTION_AXES], other[HK_FRICTION_AXES];
  const double limit = hki_friction_unit(f), old = z[i], try = old > 0.0 ? -0.01 : 0.01;
  hk_status st = slip_rates(s, force, rate);
  z[i] = old + try * limit;
  if (st == HK_OK) st = slip_rates(s, force, other);
  const double slope = (other[i] - rate[i]) / (try * limit);
  // by small ways: a friction that holds by its own normal force has none far beyond it
  double way = slope < 0.0 ? -rate[i] / slope : 0.0, was[HK_FRICTION_AXES];
  way = fmin(fmax(way, -0.05 * limit), 0.05 * limit);
  z[i] = old;
  memcpy(was, z, (size_t)nz * sizeof *z);
  for (int32_t k = 0; st == HK_OK && k < HALVINGS; k++, way *= 0.5) {
    double size = 0.0;
    memcpy(z, was, (size_t)nz * sizeof *z);
    z[i] += way;
    for (int32_t j = 0; j < nz; j++) size += z[j] * z[j];
    for (int32_t j = 0; j < nz && size > limit * limit; j++) z[j] *= limit / sqrt(size);
    // and not over the place at which it would jam, behind which the slip goes the other way
    if (fabs(way) < 1e-6 * limit) break;
    st = slip_rates(s, force, other);
    if (st == HK_OK && fabs(other[i]) <= fabs(rate[i]) && !hki_sim_would_jam(s)) break;
  }
  *change = fmax(*change, fabs(z[i] - old) / limit);
  return st;
}

hk_status hki_sim_stick(hk_sim *s) {
  const hk_model *m = s->m;
  hk_status st = HK_OK;
  double change = 1.0;
  for (int32_t sweep = 0; st == HK_OK && sweep < SWEEPS && change > 1e-13; sweep++) {
    change = 0.0;
    for (int32_t n = 0; st == HK_OK && n < m->nnormal; n++) {
      const int32_t force = m->normals[n].force;
      double u[HK_FRICTION_AXES], most = 0.0;
      st = s->f->ops->to_tree(s->f, s->I.q, s->I.v, s->I.a, s->qt, s->vt, s->at);
      if (st != HK_OK) return st;
      slip(s, force, s->vt, u);
      for (int32_t i = 0; i < m->forces[force].nz; i++) most = fmax(most, fabs(u[i]));
      for (int32_t i = 0; most == 0.0 && st == HK_OK && i < m->forces[force].nz; i++)
        st = move(s, force, i, &change);
    }
  }
  return st;
}

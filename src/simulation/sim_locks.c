/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_locks.c: friction of joints that sticks exactly (`stick: exact`). A coordinate s either slides
 * in a direction d = +-1, which stays as it is within a step, or is held by a lock, a row s = stored
 * value like that of an event, with the multiplier lam. With u the slip, N the normal force, `lever` and
 * the coefficients as in elements/joint_friction.c:
 *
 *   slides   tau = -lever N mu(u) d,                   until d u passes zero: it is captured
 *   held     |lam| <= lever N mu_static, force -lam,   until it leaves this cone: it is released
 *
 * At a capture u = 0, and three things may follow: it slides on in the other direction, is held, or slides
 * in the old one. Conditions on accelerations decide,
 *
 *   slides   d du/dt >= 0   with mu_static in the place of mu
 *   held     |lam| <= lever N mu_static
 *
 * The other direction is tried first: a coordinate that only passes a dead point of its mechanism
 * cannot be held at all there. Whoever is pushed against its direction is held, whoever leaves its cone
 * slides, d the sign of lam, until all agree. With mu_static >= mu nothing that is released stops again
 * before it has moved. Where others hold a coordinate in a loop it is left alone, so that no lock
 * follows from others.
 *
 * Times of capture and release are found with real steps, like those of stops and events. Friction has no
 * impulses: where velocities jump all locks are off, and what is at rest behind the jump is held
 * again.
 *
 * Source: F. Pfeiffer and C. Glocker, Multibody dynamics with unilateral contacts, 1996 (transitions
 * between sticking and sliding).
 */
#include "simulation/simulation.h"
#include "elements/joint_friction.h"

enum { CAUGHT = 1, HELD = 2 }; /* marks of hk_locks.caught */

/* share of the cone by which it must be left */
static const double beyond = 1e-12;

/* Is the coordinate part of no loop, so that nothing but its own lock can hold it? */
static bool in_no_loop(const hk_model *m, int32_t i) {
  const int32_t v = m->scalars[m->sticks[i].scalar].vi;
  if (v == HK_NONE) return false;
  for (int32_t c = 0; c < m->nc; c++)
    for (int32_t k = 0; m->closures[c].kind != HK_CLOSURE_COORD && k < m->closures[c].path.n; k++)
      if (m->closures[c].path.dof[k] == v) return false;
  return true;
}

hk_status hki_sim_locks(hk_sim *s) {
  hk_locks *z = &s->locks;
  const size_t n = (size_t)s->m->nsticks;
  *z = (hk_locks){.n = s->m->nsticks};
  if (!n) return HK_OK;
  const size_t numbers = (size_t)(hki_model_values(s->m) + s->m->nnormal);
  z->a = hki_pool_alloc(s->pool, numbers * sizeof *z->a);
  z->caught = hki_pool_alloc(s->pool, 3 * n);
  if (!z->a || !z->caught) return HK_E_MEMORY;
  z->N = z->a + hki_model_values(s->m);
  z->was = z->caught + n, z->alone = z->was + n;
  memset(z->caught, 0, 2 * n);
  for (int32_t i = 0; i < z->n; i++) z->alone[i] = in_no_loop(s->m, i);
  return HK_OK;
}

/* --- one of them ------------------------------------------------------------------------------ */

static const hk_model_force *force_of(const hk_sim *s, int32_t i) {
  return &s->m->forces[s->m->sticks[i].force];
}

/* its direction, 0 while it does not slide; behind it the force that it needs while it is held */
static double *direction(const hk_sim *s, int32_t i) { return s->kin->disc.d + force_of(s, i)->d0; }

static double *active(const hk_sim *s, int32_t i) {
  return &s->kin->disc.active[s->m->sticks[i].closure];
}

static double multiplier(const hk_sim *s, int32_t i) {
  return s->tree->lam[s->m->closures[s->m->sticks[i].closure].row0];
}

/* a rate that counts as zero */
static double slow_of(const hk_sim *s, int32_t i) {
  const int32_t row = s->m->closures[s->m->sticks[i].closure].row0;
  return 1e-11 * (hki_model_row_is_length(s->m, row) ? s->m->length : 1.0);
}

/* is its joint on, and its coordinate held by nothing else? */
static bool in_play(const hk_sim *s, int32_t i) {
  const hk_model *m = s->m;
  const int32_t scalar = m->sticks[i].scalar;
  const hk_model_joint *j = &m->joints[m->scalars[scalar].joint];
  const double *on = s->kin->disc.active;
  if (j->closure != HK_NONE && on[j->closure] == 0.0) return false;
  for (int32_t c = j->lock0; c < j->lock0 + j->nlock; c++)
    if (on[c] != 0.0 && m->closures[c].scalar == scalar) return false;
  for (int32_t k = 0; k < m->nstops; k++)
    if (m->stops[k].scalar == scalar && on[m->stops[k].closure] != 0.0) return false;
  return true;
}

bool hki_sim_locks_held(const hk_sim *s) {
  for (int32_t i = 0; i < s->locks.n; i++)
    if (*active(s, i) != 0.0) return true;
  return false;
}

/* rate of a coordinate, and in its direction of sliding, at the state of kin */
static double rate(const hk_sim *s, int32_t i) {
  double x, xd;
  hki_kin_scalar(s->kin, s->m->sticks[i].scalar, &x, &xd);
  return xd;
}
static double forwards(const hk_sim *s, int32_t i) { return rate(s, i) * *direction(s, i); }

/* the most that the lock may give; the normal forces are known */
static double cone(const hk_sim *s, int32_t i) {
  const hk_model_force *f = force_of(s, i);
  return hki_joint_friction_cone(f->par, s->locks.N[f->normal]);
}

/* what the cone leaves, of one that is held; the multipliers are known too */
static double margin(const hk_sim *s, int32_t i) {
  return cone(s, i) * (1.0 + beyond) - fabs(multiplier(s, i));
}

/* multipliers and normal forces at the state of kin, which must be in qt and vt */
static hk_status find_forces(const hk_sim *s) {
  hk_tree *t = s->tree;
  hki_kin_forget(&t->kin, HK_KIN_OF_CLOSURES);
  hki_kin_unknowns(&t->kin, s->vt + s->m->nv, NULL);
  hki_kin_hold_states(&t->kin, s->vt + s->m->nv + s->m->nx);
  t->kin.t_cap = s->kin->t_cap;
  hk_status st = hki_tree_accel(t, s->kin->t, s->qt, s->vt, s->locks.a);
  t->kin.t_cap = INFINITY;
  if (st != HK_OK) return st;
  hki_tree_residual(t, s->locks.a, t->r);
  hki_tree_normals(t, t->lam, t->lam, s->locks.N);
  return HK_OK;
}

/* --- what is due ------------------------------------------------------------------------------ */

/* the one that is farthest outside its cone; HK_NONE: none */
static int32_t leaving(const hk_sim *s) {
  int32_t worst = HK_NONE;
  if (!hki_sim_locks_held(s) || find_forces(s) != HK_OK) return HK_NONE;
  for (int32_t i = 0; i < s->locks.n; i++)
    if (*active(s, i) != 0.0 && margin(s, i) < 0.0 &&
        (worst == HK_NONE || margin(s, i) < margin(s, worst)))
      worst = i;
  return worst;
}

/* is it at rest because others hold it? */
static bool idle(const hk_sim *s, int32_t i) {
  return *direction(s, i) == 0.0 && *active(s, i) == 0.0 && in_play(s, i);
}

/* rate of an idle one that counts as motion */
static double moves_at(const hk_sim *s, int32_t i) { return 10.0 * slow_of(s, i); }

/* one that slides and has turned back, or that was idle and moves; HK_NONE: none */
static int32_t turning(const hk_sim *s) {
  for (int32_t i = 0; i < s->locks.n; i++)
    if (idle(s, i) ? fabs(rate(s, i)) > moves_at(s, i)
                   : *direction(s, i) != 0.0 && forwards(s, i) < -slow_of(s, i))
      return i;
  return HK_NONE;
}

int32_t hki_sim_lock_due(const hk_sim *s) {
  const int32_t i = turning(s);
  return i != HK_NONE ? i : leaving(s);
}

double hki_sim_lock_margin(const hk_sim *s, int32_t i) {
  if (*direction(s, i) != 0.0) return forwards(s, i) + slow_of(s, i);
  if (idle(s, i)) return moves_at(s, i) - fabs(rate(s, i));
  return *active(s, i) != 0.0 && find_forces(s) == HK_OK ? margin(s, i) : 0.0;
}

double hki_sim_lock_near(const hk_sim *s, int32_t i) {
  return *active(s, i) == 0.0 ? slow_of(s, i) : beyond * cone(s, i);
}

/* --- changes ---------------------------------------------------------------------------------- */

static void forget(hk_sim *s) {
  hki_kin_forget(s->kin, HK_KIN_OF_CLOSURES | HK_KIN_OF_FORCES);
  hki_kin_forget(&s->tree->kin, HK_KIN_OF_CLOSURES | HK_KIN_OF_FORCES);
}

void hki_sim_locks_open(hk_sim *s) {
  s->locks.size = 0.0;
  for (int32_t i = 0; i < s->locks.n; i++) {
    s->locks.was[i] = *active(s, i) != 0.0;
    *active(s, i) = 0.0;
  }
  forget(s);
}

/* it is held where it is now; what was held before keeps its place to the last bit */
static void hold(hk_sim *s, int32_t i) {
  const hk_model_stick *z = &s->m->sticks[i];
  double x, xd;
  hki_kin_scalar(s->kin, z->scalar, &x, &xd);
  if (!s->locks.was[i]) s->kin->disc.lock[s->m->closures[z->closure].lock] = x;
  *direction(s, i) = 0.0;
  *active(s, i) = 1.0;
  s->locks.was[i] = 1;
}

/* velocities onto the locks */
static hk_status stand(hk_sim *s) {
  hk_integrator *I = &s->I;
  forget(s);
  hk_status st = s->f->ops->project(s->f, I->t, I->q, I->v, I->a, HK_PROJECT_MASS);
  hki_sim_refresh(s);
  return st;
}

/* does it rest, or has it just come to rest? */
static bool rests(const hk_sim *s, int32_t i) {
  return s->locks.caught[i] || fabs(rate(s, i)) <= slow_of(s, i);
}

hk_status hki_sim_locks_close(hk_sim *s) {
  bool held = false;
  hki_sim_refresh(s);
  for (int32_t i = 0; i < s->locks.n; i++) {
    double *d = direction(s, i);
    if (in_play(s, i) && s->locks.caught[i])
      *d = -copysign(hki_joint_friction_breakaway(force_of(s, i)->par), *d);
    else if (in_play(s, i) && rests(s, i) && (s->locks.was[i] || s->locks.alone[i]))
      hold(s, i), held = true;
    else
      *d = !in_play(s, i) || rests(s, i) ? 0.0 : copysign(1.0, rate(s, i));
  }
  if (held) return stand(s);
  forget(s);
  return HK_OK;
}

/* s->row: accelerations of the coordinates, in the rows of their locks */
static void find_accelerations(hk_sim *s) {
  // the formulation's own kinematics stays: it finds the locks as they were
  hk_kin *k = &s->tree->kin;
  for (int32_t i = 0; i < s->locks.n; i++)
    s->locks.caught[i] |= *active(s, i) != 0.0 ? HELD : 0, *active(s, i) = 1.0;
  hki_kin_forget(k, HK_KIN_OF_CLOSURES | HK_KIN_OF_FORCES);
  hki_kin_state(k, s->I.t, s->qt, s->vt);
  hki_kin_signals(k, false);
  hki_kin_closures(k);
  hki_kin_closure_bias(k);
  hki_kin_rows(k, s->at, s->row);
  for (int32_t i = 0; i < s->m->nrows; i++) s->row[i] += k->gamma[i];
  for (int32_t i = 0; i < s->locks.n; i++) {
    *active(s, i) = s->locks.caught[i] & HELD ? 1.0 : 0.0;
    s->locks.caught[i] &= CAUGHT;
  }
  hki_kin_forget(k, HK_KIN_OF_CLOSURES | HK_KIN_OF_FORCES);
}

/* one at rest that is pushed, and not in the direction in which it is to slide; HK_NONE: none */
static int32_t pushed(hk_sim *s) {
  bool any = false;
  for (int32_t i = 0; i < s->locks.n; i++)
    any |= *active(s, i) == 0.0 && in_play(s, i) && rests(s, i);
  if (!any) return HK_NONE;
  find_accelerations(s);
  for (int32_t i = 0; i < s->m->nv; i++) s->locks.size = fmax(s->locks.size, fabs(s->at[i]));
  for (int32_t i = 0; i < s->locks.n; i++) {
    const double a = s->row[s->m->closures[s->m->sticks[i].closure].row0], d = *direction(s, i);
    const double against = d == 0.0 ? fabs(a) : -d * a;
    if (*active(s, i) == 0.0 && in_play(s, i) && rests(s, i) &&
        against > 1e-9 * s->locks.size + 100.0 * slow_of(s, i))
      return i;
  }
  return HK_NONE;
}

hk_status hki_sim_locks_pivot(hk_sim *s, bool *changed) {
  int32_t i = leaving(s);
  *changed = true;
  if (i != HK_NONE) {
    *direction(s, i) = multiplier(s, i) > 0.0 ? 1.0 : -1.0;
    *active(s, i) = 0.0;
    s->locks.was[i] = 0;
    forget(s);
    return HK_OK;
  }
  if ((i = pushed(s)) != HK_NONE) {
    hold(s, i);
    return stand(s);
  }
  // trials that go well slide by the coefficient of sliding
  *changed = false;
  for (i = 0; i < s->locks.n; i++) {
    double *d = direction(s, i);
    if (*d == 0.0 || fabs(*d) == 1.0) continue;
    *d = copysign(1.0, *d);
    *changed = true;
  }
  if (*changed) forget(s);
  return HK_OK;
}

void hki_sim_locks_note(hk_sim *s) {
  if (!hki_sim_locks_held(s) || find_forces(s) != HK_OK) return;
  for (int32_t i = 0; i < s->locks.n; i++)
    if (*active(s, i) != 0.0) direction(s, i)[1] = -multiplier(s, i);
}

hk_status hki_sim_locks_start(hk_sim *s) {
  if (!s->locks.n) return HK_OK;
  hki_sim_locks_open(s);
  hk_status st = hki_sim_locks_close(s);
  if (st == HK_OK) st = hki_sim_restart(s);
  if (st == HK_OK) st = hki_sim_stops_settle(s);
  if (st == HK_OK) hki_sim_locks_note(s);
  return st;
}

hk_status hki_sim_locks_fire(hk_sim *s, bool *any) {
  hk_locks *z = &s->locks;
  *any = z->n && hki_sim_lock_due(s) != HK_NONE;
  if (!*any) return HK_OK;
  for (int32_t i = 0; i < z->n; i++)
    z->caught[i] = *direction(s, i) != 0.0 && forwards(s, i) < -slow_of(s, i) ? CAUGHT : 0;
  hk_status st = hki_sim_project(s);
  if (st == HK_OK) st = hki_sim_restart(s);
  if (st == HK_OK) st = hki_sim_stops_settle(s);
  memset(z->caught, 0, (size_t)z->n);
  if (st == HK_OK) hki_sim_locks_note(s), hki_sim_audit_impact(s);
  return st;
}

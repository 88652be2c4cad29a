/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_stops.c: rigid stops of joint coordinates. With the distance g >= 0 of a coordinate from an end
 * of its range, its rate gd, the Jacobian J of gd, and p the impulses of stops:
 *
 *   free      g > 0
 *   impact    M (v+ - v-) = J'p + G'r          r: impulses of joints and motions, whose rows hold
 *             0 <= p   _|_   gd+ - e max(0, -gd-) >= 0        for all stops that are touched
 *   rest      a rebound slower than `rest` becomes 0, and the row of the stop is switched on
 *   release   when the force that the row needs would pull
 *
 * Impacts of several stops at one time are solved together. Which of them push is found by changing
 * one stop after the other, the first that violates its condition (Murty), on the machine of the
 * simulation; the velocities then follow from the projection of the formulation in the mass metric,
 * with the rates after the impact as right side. One impact or many cost the same projection.
 *
 * Stops on which something rubs: sim_impact.c.
 *
 * The time of an impact is found by the zero of g on real steps, that of a release like the time of
 * an event.
 *
 * Sources: I. Newton, Principia, 1687 (restitution); J. J. Moreau, Unilateral contact and dry
 * friction in finite freedom dynamics, 1988 (impacts in the mass metric); K. G. Murty, Note on a
 * Bard-type scheme for solving the complementarity problem, Opsearch 11 (1974) 123-130.
 */
#include "simulation/simulation.h"

enum {
  SAMPLES = 32,   /* places at which the distance within a step is looked at */
  HALVINGS = 60,  /* of a place */
  CHANGES = 1000, /* of the set of stops that push */
  CROWD = 64      /* impacts at one time; behind them stops hold without rebound */
};

/* --- memory ----------------------------------------------------------------------------------- */

hk_status hki_sim_stops(hk_sim *s) {
  hk_stops *z = &s->stops;
  const size_t n = (size_t)s->m->nstops;
  *z = (hk_stops){.n = s->m->nstops};
  z->impacts.last = -INFINITY;
  if (!n) return HK_OK;
  const size_t numbers = 8 * n + 2 * (size_t)hki_model_values(s->m) + (size_t)s->m->nrows;
  double *at = hki_pool_alloc(s->pool, numbers * sizeof *at);
  z->side = hki_pool_alloc(s->pool, n * sizeof *z->side);
  z->pushes = hki_pool_alloc(s->pool, 2 * n);
  if (!at || !z->side || !z->pushes) return HK_E_MEMORY;
  z->given = z->pushes + n;
  memset(z->pushes, 0, 2 * n);
  z->g0 = at, at += 2 * n, z->r0 = at, at += 2 * n;
  z->before = at, at += n, z->after = at, at += n, z->target = at, at += n;
  z->lost = at, at += n;
  z->v = at, at += hki_model_values(s->m), z->a = at, at += hki_model_values(s->m);
  z->p = at;
  return hki_sim_rubs(s);
}

/* --- distances -------------------------------------------------------------------------------- */

/* sign of the coordinate in the distance from an end: 1 lower, -1 upper */
static double sign_of(int32_t side) { return side ? -1.0 : 1.0; }

static const hk_spec_limit *limit_of(const hk_sim *s, int32_t i) {
  return &s->m->spec->limits[s->m->stops[i].limit];
}

/* what counts as a length or angle of size 1 for a stop */
static double unit_of(const hk_sim *s, int32_t i) {
  const hk_model_stop *z = &s->m->stops[i];
  const bool length = hki_model_row_is_length(s->m, s->m->closures[z->closure].row0);
  return length ? s->m->length : 1.0;
}

/* distances, and rates, that count as zero */
static double near_of(const hk_sim *s, int32_t i, int32_t side) {
  return 1e-13 * (unit_of(s, i) + fabs(limit_of(s, i)->range[side]));
}
static double slow_of(const hk_sim *s, int32_t i) { return 1e-11 * unit_of(s, i); }
double hki_sim_stop_slow(const hk_sim *s, int32_t i) { return 1e3 * slow_of(s, i); }

static bool held(const hk_sim *s, int32_t i) {
  return s->kin->disc.active[s->m->stops[i].closure] != 0.0;
}

bool hki_sim_stops_held(const hk_sim *s) {
  for (int32_t i = 0; i < s->stops.n; i++)
    if (held(s, i)) return true;
  return false;
}

/* is the joint on, and the coordinate neither prescribed nor locked by an event? */
static bool in_play(const hk_sim *s, int32_t i) {
  const hk_model_stop *z = &s->m->stops[i];
  const hk_model_joint *j = &s->m->joints[s->m->scalars[z->scalar].joint];
  const double *active = s->kin->disc.active;
  if (s->m->spec->joints[s->m->scalars[z->scalar].joint].motion[limit_of(s, i)->coord] != HK_NONE)
    return false;
  if (j->closure != HK_NONE && active[j->closure] == 0.0) return false;
  for (int32_t c = j->lock0; c < j->lock0 + j->nlock; c++)
    if (active[c] != 0.0 && s->m->closures[c].scalar == z->scalar) return false;
  return true;
}

/* distance from an end and its rate at the state of k; INFINITY: the end is open */
static double distance(const hk_sim *s, const hk_kin *k, int32_t i, int32_t side, double *rate) {
  double x, xd;
  hki_kin_scalar(k, s->m->stops[i].scalar, &x, &xd);
  *rate = sign_of(side) * xd;
  return sign_of(side) * (x - limit_of(s, i)->range[side]);
}

/* has the coordinate passed an end, and does it go on? */
static bool passed(const hk_sim *s, int32_t i, int32_t side) {
  double rate;
  const double g = distance(s, s->kin, i, side, &rate);
  return g < -near_of(s, i, side) && rate < -slow_of(s, i);
}

/* z->p: multipliers of the closures at the state of kin, which must be in qt and vt */
static hk_status find_forces(const hk_sim *s) {
  hk_tree *t = s->tree;
  hki_kin_forget(&t->kin, HK_KIN_OF_CLOSURES);
  hki_kin_unknowns(&t->kin, s->vt + s->m->nv, NULL);
  hki_kin_hold_states(&t->kin, s->vt + s->m->nv + s->m->nx);
  t->kin.t_cap = s->kin->t_cap;
  hk_status st = hki_tree_accel(t, s->kin->t, s->qt, s->vt, s->stops.a);
  t->kin.t_cap = INFINITY;
  if (st == HK_OK) memcpy(s->stops.p, t->lam, (size_t)s->m->nrows * sizeof *s->stops.p);
  return st;
}

/* the side of a stop on which a coordinate rests: the nearer end */
static int32_t side_of(const hk_sim *s, int32_t i) {
  const hk_spec_limit *l = limit_of(s, i);
  const double x = s->kin->disc.lock[s->m->closures[s->m->stops[i].closure].lock];
  return fabs(x - l->range[1]) < fabs(x - l->range[0]);
}

/* the force of a stop that holds, from z->p; positive: it pushes */
static double push_of(const hk_sim *s, int32_t i) {
  return -sign_of(side_of(s, i)) * s->stops.p[s->m->closures[s->m->stops[i].closure].row0];
}

/* the stop that pulls most; HK_NONE: none */
static int32_t pulling(const hk_sim *s) {
  int32_t worst = HK_NONE;
  if (!hki_sim_stops_held(s) || find_forces(s) != HK_OK) return HK_NONE;
  for (int32_t i = 0; i < s->stops.n; i++)
    if (held(s, i) && push_of(s, i) < 0.0 &&
        (worst == HK_NONE || push_of(s, i) < push_of(s, worst)))
      worst = i;
  return worst;
}

bool hki_sim_stop_due(const hk_sim *s) {
  for (int32_t i = 0; i < s->stops.n; i++)
    if (!held(s, i) && in_play(s, i) && (passed(s, i, 0) || passed(s, i, 1))) return true;
  return pulling(s) != HK_NONE;
}

/* --- within a step ---------------------------------------------------------------------------- */

void hki_sim_stops_begin(hk_sim *s) {
  for (int32_t i = 0; i < 2 * s->stops.n; i++)
    s->stops.g0[i] = distance(s, s->kin, i / 2, i % 2, &s->stops.r0[i]);
}

double hki_sim_stop_distance(const hk_sim *s, int32_t end) {
  double rate;
  return distance(s, s->kin, end / 2, end % 2, &rate) + 2.0 * near_of(s, end / 2, end % 2);
}

double hki_sim_stop_near(const hk_sim *s, int32_t end) {
  return 10.0 * near_of(s, end / 2, end % 2);
}

/* the distance within a step: Hermite's cubic */
typedef struct cubic {
  double g0, m0, g1, m1; /* values, and slopes per step */
  double near;
} cubic;

/* has it passed the end at x, and does it go on? */
static bool behind(const cubic *c, double x) {
  const double y = 1.0 - x;
  const double g = c->g0 * (1.0 + 2.0 * x) * y * y + c->m0 * x * y * y +
                   c->g1 * x * x * (3.0 - 2.0 * x) - c->m1 * x * x * y;
  const double m =
      6.0 * x * y * (c->g1 - c->g0) + c->m0 * y * (1.0 - 3.0 * x) + c->m1 * x * (3.0 * x - 2.0);
  return g < -c->near && m < 0.0;
}

/* the first place at which the end is passed, and one behind it; false: there is none */
static bool first_passed(const cubic *c, double *root, double *past) {
  // a cubic lies within the range of its control points
  if (c->g0 > c->near && c->g1 > c->near && 3.0 * c->g0 + c->m0 > 0.0 && 3.0 * c->g1 > c->m1)
    return false;
  for (int32_t i = 1; i <= SAMPLES; i++) {
    double lo = (i - 1.0) / SAMPLES, hi = (double)i / SAMPLES;
    if (!behind(c, hi)) continue;
    *past = hi;
    for (int32_t k = 0; k < HALVINGS; k++) {
      const double mid = 0.5 * (lo + hi);
      *(behind(c, mid) ? &hi : &lo) = mid;
    }
    *root = hi;
    return true;
  }
  return false;
}

int32_t hki_sim_stops_ahead(const hk_sim *s, double h, double *root, double *past) {
  int32_t first = HK_NONE;
  *root = *past = INFINITY;
  for (int32_t e = 0; e < 2 * s->stops.n; e++) {
    double rate, x, y;
    if (held(s, e / 2) || !in_play(s, e / 2)) continue;
    cubic c = {.g0 = s->stops.g0[e], .m0 = h * s->stops.r0[e]};
    c.g1 = distance(s, s->kin, e / 2, e % 2, &rate);
    c.m1 = h * rate;
    c.near = near_of(s, e / 2, e % 2);
    if (isinf(c.g1) || !first_passed(&c, &x, &y) || !(x < *root)) continue;
    first = e, *root = x, *past = y;
  }
  return first;
}

/* --- impacts ---------------------------------------------------------------------------------- */

/* z->side: the end that is touched, or HK_NONE; rates before, and what they must become at least */
static int32_t find_touched(hk_sim *s) {
  hk_stops *z = &s->stops;
  int32_t n = 0;
  const bool crowd = z->impacts.repeats > CROWD;
  for (int32_t i = 0; i < z->n; i++) {
    const hk_spec_limit *l = limit_of(s, i);
    const double rest = fmax(l->rest, 1e3 * slow_of(s, i));
    z->side[i] = HK_NONE;
    z->pushes[i] = 0;
    z->lost[i] = 0.0;
    z->p[s->m->closures[s->m->stops[i].closure].row0] = 0.0;
    if (z->given[i]) {
      (void)distance(s, s->kin, i, 0, &z->before[i]);
      z->after[i] = z->before[i];
      z->side[i] = 0, z->pushes[i] = 1, n++;
      continue;
    }
    if (!in_play(s, i)) continue;
    for (int32_t side = 0; side < 2; side++) {
      double rate;
      const double g = distance(s, s->kin, i, side, &rate);
      if (!(g < 1e3 * near_of(s, i, side)) && !(held(s, i) && side_of(s, i) == side)) continue;
      z->side[i] = side, n++;
      z->before[i] = z->after[i] = rate;
      z->target[i] = -l->restitution * fmin(0.0, rate);
      if (z->target[i] < rest || crowd) z->target[i] = 0.0;
      z->pushes[i] = held(s, i) || rate <= slow_of(s, i);
    }
  }
  return n;
}

/* switches the rows of the stops that push on, with their rates after the impact */
static void set_rows(hk_sim *s) {
  hk_stops *z = &s->stops;
  hk_discrete *d = &s->kin->disc;
  for (int32_t i = 0; i < z->n; i++) {
    const hk_model_stop *stop = &s->m->stops[i];
    double x, xd;
    d->active[stop->closure] = z->pushes[i] ? 1.0 : 0.0;
    d->push[i] = !z->pushes[i] ? 0.0 : sign_of(z->side[i]) * z->target[i];
    hki_kin_scalar(s->kin, stop->scalar, &x, &xd);
    if (z->pushes[i]) d->lock[s->m->closures[stop->closure].lock] = x;
  }
  hki_kin_forget(s->kin, HK_KIN_OF_CLOSURES);
  hki_kin_forget(&s->tree->kin, HK_KIN_OF_CLOSURES);
}

/* the same where friction takes part: rows of stops are off meanwhile */
static hk_status find_rubbing(hk_sim *s) {
  for (int32_t i = 0; i < s->stops.n; i++) s->kin->disc.active[s->m->stops[i].closure] = 0.0;
  hki_kin_forget(s->kin, HK_KIN_OF_CLOSURES);
  hki_kin_forget(&s->tree->kin, HK_KIN_OF_CLOSURES);
  hk_status st = hki_sim_rub_impact(s);
  set_rows(s);
  return st;
}

/* impulse of a stop, positive: it pushes */
static double impulse_of(const hk_sim *s, int32_t i) {
  return -sign_of(s->stops.side[i]) * s->stops.p[s->m->closures[s->m->stops[i].closure].row0];
}

/* the first stop whose condition does not hold after the impact; HK_NONE: none */
static int32_t first_wrong(const hk_sim *s) {
  const hk_stops *z = &s->stops;
  double most = 0.0;
  for (int32_t i = 0; i < z->n; i++)
    if (z->pushes[i]) most = fmax(most, fabs(impulse_of(s, i)));
  for (int32_t i = 0; i < z->n; i++) {
    if (z->side[i] == HK_NONE || z->given[i]) continue;
    if (z->pushes[i] ? impulse_of(s, i) < -1e-9 * most
                     : z->after[i] < z->target[i] - 1e3 * slow_of(s, i))
      return i;
  }
  return HK_NONE;
}

/* which stops push, z->after and z->p, on the machine of the simulation */
static hk_status find_pushing(hk_sim *s) {
  hk_stops *z = &s->stops;
  hk_tree *t = s->tree;
  hk_status st = HK_OK;
  for (int32_t k = 0; k < CHANGES; k++) {
    double g;
    set_rows(s);
    memcpy(z->v, s->vt, (size_t)hki_model_values(s->m) * sizeof *z->v);
    hki_kin_unknowns(&t->kin, s->vt + s->m->nv, NULL);
    hki_kin_hold_states(&t->kin, s->vt + s->m->nv + s->m->nx);
    if ((st = hki_tree_impact(t, s->I.t, s->qt, z->v, z->p)) != HK_OK) return st;
    hki_kin_velocity(&t->kin, z->v);
    for (int32_t i = 0; i < z->n; i++)
      if (z->side[i] != HK_NONE) g = distance(s, &t->kin, i, z->side[i], &z->after[i]);
    const int32_t wrong = first_wrong(s);
    if (wrong == HK_NONE) return HK_OK;
    z->pushes[wrong] = !z->pushes[wrong];
    (void)g;
  }
  return HK_OK;
}

/* counts what has happened, and the energy that each stop took */
static void count(hk_sim *s) {
  hk_stops *z = &s->stops;
  hk_impacts *c = &z->impacts;
  for (int32_t i = 0; i < z->n; i++) {
    const bool hit =
        z->given[i] == HK_GIVEN_REBOUND || (!z->given[i] && z->before[i] < -slow_of(s, i));
    z->lost[i] = hki_sim_rub_lost(z, i);
    c->energy += z->lost[i];
    if (z->side[i] == HK_NONE || !z->pushes[i] || !hit) continue;
    const double p = impulse_of(s, i), lost = -0.5 * p * (z->before[i] + z->after[i]);
    c->count++;
    z->lost[i] += lost;
    c->energy += lost;
    if (!(fabs(p) > c->largest)) continue;
    c->largest = fabs(p), c->t = s->I.t, c->stop = i;
  }
}

void hki_sim_give_rate(hk_sim *s, int32_t limit, hk_given how, double value) {
  hk_stops *z = &s->stops;
  int32_t i = 0;
  double x, rate;
  while (i < z->n && s->m->stops[i].limit != limit) i++;
  if (i == z->n) return;
  hki_kin_scalar(s->kin, s->m->stops[i].scalar, &x, &rate);
  z->given[i] = (uint8_t)how;
  z->target[i] = how == HK_GIVEN_REBOUND ? -value * rate : value;
}

/* velocities onto the constraints, with the stops that push */
static hk_status project(hk_sim *s) {
  hk_stops *z = &s->stops;
  hk_integrator *I = &s->I;
  const bool touched = z->n && find_touched(s);
  // joints that are off or locked now leave their stops
  if (!touched && hki_sim_stops_held(s)) set_rows(s);
  if (!touched) return s->f->ops->project(s->f, I->t, I->q, I->v, I->a, HK_PROJECT_MASS);
  z->rubs.rows = 0;
  hk_status st = hki_sim_rub_touched(z) ? find_rubbing(s) : find_pushing(s);
  if (st == HK_OK) st = s->f->ops->project(s->f, I->t, I->q, I->v, I->a, HK_PROJECT_MASS);
  if (st == HK_OK) count(s);
  // stops that rebound let go, the others hold
  for (int32_t i = 0; i < z->n; i++) {
    if (z->target[i] > 0.0 || z->given[i]) z->pushes[i] = 0;
    z->target[i] = 0.0;
    z->given[i] = 0;
  }
  hki_sim_refresh(s);
  set_rows(s);
  return st;
}

hk_status hki_sim_project(hk_sim *s) {
  if (!s->locks.n) return project(s);
  hki_sim_locks_open(s);
  hk_status st = project(s);
  return st == HK_OK ? hki_sim_locks_close(s) : st;
}

hk_status hki_sim_stops_settle(hk_sim *s) {
  hk_status st = HK_OK;
  // locks may change to and fro among each other
  for (int32_t i = 0; i < s->stops.n + 8 * s->locks.n && st == HK_OK; i++) {
    const int32_t worst = pulling(s);
    if (worst == HK_NONE) {
      bool changed = false;
      if (s->locks.n) st = hki_sim_locks_pivot(s, &changed);
      if (!changed || st != HK_OK) break;
    } else {
      s->kin->disc.active[s->m->stops[worst].closure] = 0.0;
      hki_kin_forget(s->kin, HK_KIN_OF_CLOSURES);
      hki_kin_forget(&s->tree->kin, HK_KIN_OF_CLOSURES);
      if (!s->stops.impacts.releases++)
        s->stops.impacts.left = s->I.t, s->stops.impacts.leaver = worst;
    }
    st = hki_sim_restart(s);
  }
  return st;
}

hk_status hki_sim_stops_start(hk_sim *s) {
  hk_stops *z = &s->stops;
  bool rests = false;
  if (!z->n) return HK_OK;
  hki_sim_refresh(s);
  (void)find_touched(s);
  for (int32_t i = 0; i < z->n; i++) {
    if (z->side[i] == HK_NONE) continue;
    // an impact at the start comes with the first step
    if (z->before[i] < -slow_of(s, i)) return HK_OK;
    rests |= z->pushes[i];
  }
  if (!rests) return HK_OK;
  hk_status st = hki_sim_project(s);
  if (st == HK_OK) st = hki_sim_restart(s);
  if (st == HK_OK) st = hki_sim_stops_settle(s);
  z->impacts.releases = 0;
  return st;
}

hk_status hki_sim_stops_fire(hk_sim *s, bool *any) {
  hk_impacts *c = &s->stops.impacts;
  *any = s->stops.n && hki_sim_stop_due(s);
  if (!*any) return HK_OK;
  c->repeats = s->I.t - c->last <= 1e-9 * s->step ? c->repeats + 1 : 0;
  c->last = s->I.t;
  hk_status st = hki_sim_project(s);
  if (st == HK_OK) st = hki_sim_restart(s);
  if (st == HK_OK) st = hki_sim_stops_settle(s);
  if (st == HK_OK) hki_sim_audit_stops(s, s->has_drives);
  return st;
}

int32_t hki_sim_stop_joint(const hk_sim *s, int32_t i) {
  return s->m->scalars[s->m->stops[i].scalar].joint;
}

void hki_sim_tell_impacts(hk_sim *s) {
  const hk_impacts *c = &s->stops.impacts;
  char what[300];
  if (c->releases) {
    hki_model_row_name(s->m, s->m->closures[s->m->stops[c->leaver].closure].row0, what,
                       sizeof what);
    hki_note(s->ctx, HK_LOC_NONE, "%s: it leaves its stop at t = %.6g s; stops let go %lld time%s",
             what, c->left, (long long)c->releases, c->releases == 1 ? "" : "s");
  }
  if (!c->count) return;
  const int32_t row = s->m->closures[s->m->stops[c->stop].closure].row0;
  hki_model_row_name(s->m, row, what, sizeof what);
  hki_note(s->ctx, HK_LOC_NONE,
           "stops were hit %lld time%s, which took %.4g J; the largest impulse: %s, %.4g %s at t = "
           "%.6g s",
           (long long)c->count, c->count == 1 ? "" : "s", c->energy, what, c->largest,
           hki_model_row_is_length(s->m, row) ? "N*s" : "N*m*s", c->t);
}

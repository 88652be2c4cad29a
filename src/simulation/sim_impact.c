/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_impact.c: impacts on rigid stops that rub (`friction` of `limits`). With the impulses p of stops, as
 * in sim_stops.c, and the impulses s of friction along the slips u of what slides on each of them:
 *
 *   M (v+ - v-) = J'p + U's + G'r               u = U v;  r: impulses of joints and motions, whose rows hold
 *   0 <= p   _|_   gd+ - e max(0, -gd-) >= 0
 *   |s| <= mu p,   s = -mu p u+/|u+| where u+ is not 0
 *
 * Everything is written in the rows that are touched. With X the velocities that a unit impulse along each
 * row makes within the joints, W = [J; U] X, and v0 the velocities before, on the joints:
 *
 *   (gd+, u+) = [J; U] v0 + W (p, s)
 *
 * which is solved for (p, s) by going from row to row and onto its condition, until nothing changes (Gauss
 * and Seidel, projected). For one slip that does not push the stop away or towards itself this is the answer
 * at once: s = -mu p sign(u) while it slides, or what brings it to rest. The velocities v0 + X (p, s) are
 * then those of the formulation.
 *
 * Energy: each row takes -(impulse) (rate before + rate after)/2.
 *
 * Sources: J. J. Moreau, Unilateral contact and dry friction in finite freedom dynamics, 1988; M. Jean, The
 * non-smooth contact dynamics method, Computer Methods in Applied Mechanics and Engineering 177 (1999)
 * 235-257.
 */
#include "elements/joint_friction.h"
#include "simulation/simulation.h"

enum { SWEEPS = 20000 };

/* --- memory ----------------------------------------------------------------------------------- */

/* the stop that presses a force; HK_NONE: none does */
static int32_t stop_of(const hk_model *m, int32_t normal) {
  for (int32_t i = 0; i < m->nstops; i++)
    if (m->normals[normal].closure == m->stops[i].closure) return i;
  return HK_NONE;
}

hk_status hki_sim_rubs(hk_sim *s) {
  const hk_model *m = s->m;
  hk_rubs *z = &s->stops.rubs;
  *z = (hk_rubs){0};
  int32_t n = 0;
  for (int32_t i = 0; i < m->nnormal; i++) n += m->normals[i].closure != HK_NONE;
  if (!n) return HK_OK;
  const int32_t most = m->nstops + HK_FRICTION_AXES * n;
  const size_t rows = (size_t)most, nv = (size_t)m->nv;
  double *at = hki_pool_alloc(s->pool, (2 * rows * nv + rows * rows + 5 * rows) * sizeof *at);
  z->row = hki_pool_alloc(s->pool, rows * sizeof *z->row);
  z->list = hki_pool_alloc(s->pool, (size_t)n * sizeof *z->list);
  if (!at || !z->row || !z->list) return HK_E_MEMORY;
  z->R = at, at += rows * nv, z->X = at, at += rows * nv, z->W = at, at += rows * rows;
  z->before = at, at += rows, z->rate = at, at += rows, z->free = at, at += rows;
  z->p = at, at += rows, z->least = at;
  for (int32_t i = 0; i < m->nnormal; i++) {
    if (m->normals[i].closure == HK_NONE) continue;
    z->list[z->n++] = (hk_rub_at){m->normals[i].force, stop_of(m, i), m->normals[i].ends};
  }
  return HK_OK;
}

/* does force k rub at an end that is touched? */
static bool rubs(const hk_stops *z, int32_t k) {
  const hk_rub_at *r = &z->rubs.list[k];
  return z->side[r->stop] != HK_NONE && !z->given[r->stop] && r->ends >> z->side[r->stop] & 1u;
}

bool hki_sim_rub_touched(const hk_stops *z) {
  for (int32_t k = 0; k < z->rubs.n; k++)
    if (rubs(z, k)) return true;
  return false;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* a row of the problem, empty: the next of the list */
static double *new_row(hk_sim *s, int32_t stop, int32_t force, int32_t part) {
  hk_rubs *z = &s->stops.rubs;
  const int32_t i = z->rows++;
  double *r = z->R + (size_t)i * (size_t)s->m->nv;
  z->row[i] = (hk_rub_row){stop, force, part, 0, 0.0};
  z->p[i] = z->least[i] = 0.0;
  memset(r, 0, (size_t)s->m->nv * sizeof *r);
  return r;
}

/* what slides on stop i */
static void slip_rows(hk_sim *s, int32_t k) {
  const hk_rub_at *at = &s->stops.rubs.list[k];
  const hk_model_force *f = &s->m->forces[at->force];
  const hk_joint_friction_par *par = f->par;
  const hk_kin *kin = &s->tree->kin;
  const double *g = kin->fz + kin->row[at->force].z0, arm = f->ops->nscal ? par->arm : 1.0;
  const int32_t n = f->ops->nscal ? 1 : par->n;
  for (int32_t i = 0; i < n; i++) {
    double *r = new_row(s, at->stop, at->force, i);
    hk_rub_row *row = &s->stops.rubs.row[s->stops.rubs.rows - 1];
    row->parts = n, row->mu = par->law.friction->mu;
    for (int32_t j = 0; j < f->path.n; j++) r[f->path.dof[j]] = arm * g[i * f->path.n + j];
  }
}

/* stops that are touched, each with what slides on it */
static void find_rows(hk_sim *s) {
  hk_stops *z = &s->stops;
  hk_kin *kin = &s->tree->kin;
  hki_kin_forces(kin, HK_FORCES_TANGENT);
  z->rubs.rows = 0;
  for (int32_t i = 0; i < z->n; i++) {
    if (z->side[i] == HK_NONE) continue;
    const hk_scalar *x = &s->m->scalars[s->m->stops[i].scalar];
    const hk_channel ch = {HK_CH_JOINT_COORD, (int16_t)x->coord, x->joint};
    double *r = new_row(s, i, HK_NONE, 0);
    z->rubs.least[z->rubs.rows - 1] = z->target[i];
    hki_kin_channel_gradient(kin, ch, z->side[i] ? -1.0 : 1.0, r, r);
    for (int32_t k = 0; k < z->rubs.n; k++)
      if (z->rubs.list[k].stop == i && rubs(z, k)) slip_rows(s, k);
  }
}

static double dot(const double *a, const double *b, int32_t n) {
  double y = 0.0;
  for (int32_t i = 0; i < n; i++) y += a[i] * b[i];
  return y;
}

/* X, W, and the rates without impulses of stops */
static void respond(hk_sim *s, const double *before) {
  hk_rubs *z = &s->stops.rubs;
  const int32_t nv = s->m->nv;
  for (int32_t i = 0; i < z->rows; i++) {
    const double *R = z->R + (size_t)i * (size_t)nv;
    double *X = z->X + (size_t)i * (size_t)nv;
    memcpy(X, R, (size_t)nv * sizeof *X);
    hki_tree_respond(s->tree, X);
    z->before[i] = dot(R, before, nv);
    z->free[i] = dot(R, s->stops.v, nv);
  }
  for (int32_t i = 0; i < z->rows; i++)
    for (int32_t j = 0; j < z->rows; j++)
      z->W[i * z->rows + j] = dot(z->R + (size_t)i * (size_t)nv, z->X + (size_t)j * (size_t)nv, nv);
}

/* --- the impulses ----------------------------------------------------------------------------- */

static double rate_of(const hk_rubs *z, int32_t i) {
  return z->free[i] + dot(z->W + i * z->rows, z->p, z->rows);
}

/* the stop of row i onto its condition; given: it pushes and pulls */
static void press(const hk_rubs *z, int32_t i, bool given) {
  const double w = z->W[i * z->rows + i];
  if (!(w > 0.0)) return;
  const double p = z->p[i] - (rate_of(z, i) - z->least[i]) / w;
  z->p[i] = given ? p : fmax(0.0, p);
}

/* the slips i .. i + n - 1 together into their cone, on a stop that pushes by p */
static void rub(const hk_rubs *z, int32_t i, int32_t n, double p) {
  const double most = z->row[i].mu * p;
  double w = 0.0, s[HK_FRICTION_AXES], size = 0.0;
  for (int32_t k = i; k < i + n; k++) w += z->W[k * z->rows + k];
  if (!(w > 0.0)) return;
  for (int32_t k = 0; k < n; k++) {
    s[k] = z->p[i + k] - rate_of(z, i + k) / w;
    size += s[k] * s[k];
  }
  size = sqrt(size);
  for (int32_t k = 0; k < n; k++) z->p[i + k] = size > most ? s[k] * most / size : s[k];
}

static void solve(const hk_stops *x) {
  const hk_rubs *z = &x->rubs;
  for (int32_t sweep = 0; sweep < SWEEPS; sweep++) {
    double change = 0.0, size = 0.0, p = 0.0;
    for (int32_t i = 0; i < z->rows; i++) {
      const hk_rub_row *row = &z->row[i];
      const double old[HK_FRICTION_AXES] = {z->p[i], i + 1 < z->rows ? z->p[i + 1] : 0.0,
                                            i + 2 < z->rows ? z->p[i + 2] : 0.0};
      const int32_t n = row->force == HK_NONE ? 1 : row->parts;
      if (row->force == HK_NONE)
        press(z, i, x->given[row->stop] != 0), p = fmax(0.0, z->p[i]);
      else
        rub(z, i, n, p);
      for (int32_t k = 0; k < n; k++) {
        change = fmax(change, fabs(z->p[i + k] - old[k]));
        size = fmax(size, fabs(z->p[i + k]));
      }
      i += n - 1;
    }
    if (change <= 1e-15 * size) return;
  }
}

/* what the solution means for each stop: does it push, by which impulse, with which rate after it? */
static void take(hk_sim *s) {
  hk_stops *x = &s->stops;
  hk_rubs *z = &x->rubs;
  for (int32_t i = 0; i < z->rows; i++) {
    const hk_rub_row *row = &z->row[i];
    z->rate[i] = rate_of(z, i);
    if (row->force != HK_NONE) continue;
    const double sign = x->side[row->stop] ? 1.0 : -1.0;
    // one that is only touched rests on, or is left
    const bool rests =
        x->pushes[row->stop] && z->rate[i] <= z->least[i] + hki_sim_stop_slow(s, row->stop);
    x->after[row->stop] = z->rate[i];
    x->pushes[row->stop] = x->given[row->stop] || z->p[i] > 0.0 || rests;
    x->p[s->m->closures[s->m->stops[row->stop].closure].row0] = sign * z->p[i];
  }
}

double hki_sim_rub_lost(const hk_stops *x, int32_t stop) {
  const hk_rubs *z = &x->rubs;
  double lost = 0.0;
  for (int32_t i = 0; i < z->rows; i++)
    if (z->row[i].stop == stop && z->row[i].force != HK_NONE)
      lost -= 0.5 * z->p[i] * (z->before[i] + z->rate[i]);
  return lost;
}

hk_status hki_sim_rub_impact(hk_sim *s) {
  hk_stops *x = &s->stops;
  hk_rubs *z = &x->rubs;
  hk_integrator *I = &s->I;
  hk_tree *t = s->tree;
  const int32_t nv = s->m->nv;
  memcpy(x->v, s->vt, (size_t)hki_model_values(s->m) * sizeof *x->v);
  hki_kin_unknowns(&t->kin, s->vt + nv, NULL);
  hki_kin_hold_states(&t->kin, s->vt + nv + s->m->nx);
  hk_status st = hki_tree_impact(t, I->t, s->qt, x->v, x->p);
  if (st != HK_OK) return st;
  find_rows(s);
  respond(s, s->vt);
  solve(x);
  take(s);
  for (int32_t i = 0; i < z->rows; i++)
    for (int32_t k = 0; k < nv; k++) x->v[k] += z->p[i] * z->X[(size_t)i * (size_t)nv + (size_t)k];
  // the velocities alone: positions stay as they are to the last bit
  return s->f->ops->from_tree(s->f, s->qt, x->v, I->q1, I->v);
}

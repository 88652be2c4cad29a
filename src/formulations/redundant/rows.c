/* SPDX-License-Identifier: Apache-2.0
 *
 * rows.c: the rows in the matrix; derivatives of rows at acceleration level by the variations x of a
 * stage, over ca; and projections onto the rows.
 *
 *   row    = G a + gamma + 2 alpha (G v + phi_t) + beta^2 phi
 *   ca S x = [d(G a + gamma)/dx + 2 alpha d(G v)/dx + beta^2 G] x
 *            + [dgamma/dV + 2 alpha G] dV + G dA
 *   dV     = cv N x + (th x omega, 0)
 *   dA     = ca N x + (th x domega/dt, 0)
 *
 * th is the rotation in x: rates that are fixed in the body turn with it. The derivatives at fixed
 * rates come from bodies/curvature.c. alpha and beta are Baumgarte's, zero but for that
 * stabilisation. In chart stages the second derivative of the chart is left out.
 */
#include "formulations/redundant/redundant.h"

void hki_redundant_add_rows(hk_redundant *r, const hk_redundant_lines *lines) {
  const hk_bodies *c = r->c;
  const double *columns = lines->own ? c->G : c->B;
  double *val = r->ls->val;
  for (int32_t i = 0; i < c->nset; i++) {
    const hk_bodies_set *s = &c->set[i];
    for (int32_t k = s->row0; k < s->row0 + s->nrows; k++) {
      const bool on = hki_bodies_active(c, s) && !(lines->leave_out && r->out[k] != 0.0) &&
                      !(lines->passive && s->coupling && s->coupling->servo);
      const bool line = on && !(lines->positions && (s->rate_rows >> (k - s->row0) & 1u));
      val[r->slot_diag[k]] = line ? -lines->eps : 1.0;
      const int32_t first = 2 * c->nd * hki_bodies_line(s, k);
      for (int32_t j = first; on && j < first + 2 * c->nd; j++) {
        if (r->slot_row[j] < 0) continue;
        if (line) val[r->slot_row[j]] += lines->slopes ? lines->slopes[j] : c->G[j];
        val[r->slot_col[j]] += columns[j];
      }
    }
  }
}

/* x += k g' N in rotations, k g' in displacements */
static void add_times(const hk_bodies *c, const double *N, double k, const double *g, double *x) {
  for (int32_t i = 0; i < c->nd; i++) {
    if (c->planar || i > 2)
      x[i] += k * g[i];
    else
      for (int j = 0; j < 3; j++) x[j] += k * g[i] * N[3 * i + j];
  }
}

/* x (nd): S of a row for its body k; g: gradient there, cu: derivatives of its rates, b2: beta^2 */
static void row_slopes(const hk_redundant *r, const hk_stage *st, int32_t body,
                       const hk_bodies_curve *cu, const double *g, double b2, int k, double *x) {
  const hk_bodies *c = r->c;
  const double a2 = 2.0 * r->alpha, cv = st->cv / st->ca;
  const double *vp = cu->vel_pose + k * c->nd, *ap = cu->acc_pose + k * c->nd;
  const double *at = cu->acc_twist + k * c->nd;
  for (int32_t i = 0; i < c->nd; i++) x[i] = (ap[i] + a2 * vp[i] + b2 * g[i]) / st->ca;
  const double *N = r->N + 9 * body;
  add_times(c, N, cv, at, x);
  add_times(c, N, a2 * cv + 1.0, g, x);
  if (!hki_bodies_turns(c, body)) return;
  // rates turn with the body: g . (th x omega) = th . (omega x g)
  const double *w = c->it.frame[body].w;
  double t[3], al[3];
  m3_mulv(al, c->it.frame[body].R, c->a + c->v0[body]);
  v3_cross(t, w, at);
  v3_axpy(x, 1.0 / st->ca, t);
  v3_cross(t, w, g);
  v3_axpy(x, a2 / st->ca, t);
  v3_cross(t, al, g);
  v3_axpy(x, 1.0 / st->ca, t);
}

void hki_redundant_acc_rows(hk_redundant *r, const hk_stage *st) {
  hk_bodies *c = r->c;
  hki_bodies_curvatures(c, c->a, r->curve);
  for (int32_t i = 0; i < c->nset; i++) {
    const hk_bodies_set *set = &c->set[i];
    for (int32_t q = set->row0; q < set->row0 + set->nrows; q++) {
      // rows on velocities have no beta^2 phi
      const bool rate = set->rate_rows >> (q - set->row0) & 1u;
      const double b2 = rate ? 0.0 : r->beta * r->beta;
      for (int k = 0; k < 2; k++) {
        const int32_t line = hki_bodies_line(set, q), at = (2 * line + k) * c->nd;
        if (set->body[k] != HK_GROUND)
          row_slopes(r, st, set->body[k], &r->curve[line], c->G + at, b2, k, r->slopes + at);
      }
    }
  }
}

/* --- projections ------------------------------------------------------------------------------ */

bool hki_redundant_project(hk_redundant *r, const double *rhs, double *x) {
  hk_bodies *c = r->c;
  double before = INFINITY, size = 0.0;
  memcpy(r->y, x, (size_t)c->n * sizeof *x);
  hki_bodies_to_world(c, r->y);
  for (int32_t i = 0; i < c->nb; i++) size = fmax(size, fabs(r->y[i]));
  for (int pass = 0; pass < 12; pass++) {
    hki_bodies_mul(c, r->y, r->row);
    for (int32_t i = 0; i < c->nrows; i++) r->row[i] = -(r->row[i] + rhs[i]);
    double left = hki_bodies_norm(c, r->row);
    if (!isfinite(left)) return false;
    if (left <= 1e-14 * (size + 1.0) || (pass > 1 && left > 0.5 * before)) break;
    before = left;
    hki_redundant_solve(r, NULL, r->row);
    for (int32_t i = 0; i < c->nb; i++) r->y[i] += r->x[i];
  }
  memcpy(x, r->y, (size_t)c->n * sizeof *x);
  hki_bodies_to_body(c, x);
  return true;
}

bool hki_redundant_project_rates(hk_redundant *r, double t, const double *q, double *v) {
  hk_bodies *c = r->c;
  double last = INFINITY;
  if (!c->m->ncurved) return hki_redundant_project(r, c->phit, v);
  for (int pass = 0; pass < 30; pass++) {
    double size = 0.0;
    if (!hki_redundant_project(r, c->phit, v)) return false;
    for (int32_t i = 0; i < c->nb; i++) size = fmax(size, fabs(v[i] - c->v[i]));
    hki_bodies_state(c, t, q, v);
    hki_bodies_rows(c);
    if (!(size > 1e-14) || (size < 1e-9 && size > 0.5 * last)) break;
    last = size;
  }
  return true;
}

void hki_redundant_drift(hk_formulation *f, double t, const double *q, const double *v,
                         const double *a, double *most) {
  hk_redundant *r = hki_redundant_of(f);
  hk_bodies *c = r->c;
  hki_bodies_state(c, t, q, v);
  hki_bodies_rows(c);
  hki_bodies_bias(c);
  most[0] = hki_bodies_norm(c, c->phi);
  for (int k = 1; k < 3; k++) {
    memcpy(r->y, k == 1 ? v : a, (size_t)c->n * sizeof *r->y);
    hki_bodies_to_world(c, r->y);
    hki_bodies_mul(c, r->y, r->row);
    for (int32_t i = 0; i < c->nrows; i++) r->row[i] += k == 1 ? c->phit[i] : c->gamma[i];
    most[k] = hki_bodies_norm(c, r->row);
  }
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * tangent.c: the exact derivative of psi with respect to the independent increments.
 *
 * One column for each independent increment dD_v; on the right the matrices and equations of Haug,
 * Negrut and Iancu 1997:
 *
 *   dq         = J(D) [H_D; 1] dD_v                                           H     (31)
 *   dv_v       = cv dD_v
 *   Phi_u dv_u = -(Phi_v dv_v + (Phi_q v)_q dq)                               J     (32)
 *   da_v       = ca dD_v
 *   Phi_u da_u = -(Phi_v da_v + (Phi_q a + gamma)_q dq + gamma_v dv)          L, N  (33-34)
 *   dF         = M da + d(gyro) - Q_q dq - Q_v dv + (Phi_q' lam)_q dq         R, S  (35-36)
 *   dpsi       = P' dF                                                              (29)
 *
 * dlam is not needed: its term is Phi_q' dlam, which P' removes. `tangent: fv` (Fisette and
 * Vaneghem 1996) takes da_u = H da_v and leaves the multipliers out (40).
 *
 * (Phi_q v)_q, (Phi_q a + gamma)_q and gamma_v come from bodies/curvature.c, Q_q, Q_v and
 * (Phi_q' lam)_q from pairs.c. In chart stages the second derivative of the chart, of order D, is
 * left out.
 */
#include "formulations/partition/partition.h"
#include "geometry/chart.h"

/* --- columns ---------------------------------------------------------------------------------- */

/* x_b += th x y_b in world axes, th the rotation in dq: change of y, the angular velocity or
 * acceleration of body b, at fixed components in body axes */
static void add_turning(const hk_partition *p, const double *dq, bool acceleration, double *x) {
  for (int32_t b = 0; !p->c->planar && b < p->c->m->nb; b++) {
    const hk_frame *f = &p->c->it.frame[b];
    const int32_t at = p->c->v0[b];
    double y[3];
    if (p->c->lack[b]) continue;
    if (acceleration)
      m3_mulv(y, f->R, p->a + at);
    else
      v3_copy(y, f->w);
    v3_cross_add(x + at, dq + at, y);
  }
}

/* b (m) += E x, E: the member of hk_bodies_curve at this offset */
static void add_rows(const hk_partition *p, size_t member, const double *x, double *b) {
  const hk_bodies *c = p->c;
  for (int32_t i = 0; i < c->nset; i++) {
    const hk_bodies_set *s = &c->set[i];
    for (int32_t row = s->row0; row < s->row0 + s->nrows; row++) {
      const hk_bodies_curve *curve = &p->row[hki_bodies_line(s, row)];
      const double *g = (const double *)((const char *)curve + member);
      for (int k = 0; k < 2; k++) {
        const int32_t body = s->body[k];
        for (int32_t e = body == HK_GROUND ? c->nd : c->lack[body]; e < c->nd; e++)
          b[row] += g[k * c->nd + e] * x[c->v0[body] + e];
      }
    }
  }
}

/* out = change of J(D) w (acceleration: of J(D) wd + (dJ/dt) w) with D, and with w in dJ/dt; zero
 * outside chart stages */
static void chart_terms(const hk_partition *p, const double *dD, bool acceleration, double *out) {
  memset(out, 0, (size_t)p->n * sizeof *out);
  for (int32_t b = 0; p->st.chart && p->two && b < p->c->m->nb; b++) {
    const int32_t at = p->c->v0[b];
    if (p->c->lack[b]) continue;
    const double *d = p->D + at, *w = p->w + at, *dw = p->dw + at;
    double t[3], *to = out + at;
    chart_slope(d, dD + at, acceleration ? p->wd + at : w, to);
    if (!acceleration) continue;
    chart_slope(d, dw, w, t);
    v3_add(to, to, t);
    chart_slope(d, w, dw, t);
    v3_add(to, to, t);
  }
}

/* x = J(D) x for the rotations */
static void chart_push_all(const hk_partition *p, double *x) {
  for (int32_t b = 0; p->two && b < p->c->m->nb; b++) {
    const int32_t at = p->c->v0[b];
    if (!p->c->lack[b]) chart_push(p->D + at, x + at, x + at);
  }
}

/* held: changes `rate` (of the increment) so that it satisfies the rows with bias p->b. Then x =
 * velocities or accelerations in body axes, with the chart terms `chart`. */
static void follow(hk_partition *p, bool held, const double *chart, double *rate, double *x) {
  const bool chart_stage = p->st.chart && p->two;
  if (held) p->method->onto(p, chart_stage ? &p->chart : &p->vel, p->b, rate);
  memcpy(x, rate, (size_t)p->n * sizeof *x);
  if (!chart_stage) return;
  chart_push_all(p, x);
  for (int32_t i = 0; i < p->n; i++) x[i] += chart[i];
}

/* p->b += open (m), unless NULL */
static void add_open(const hk_partition *p, const double *open) {
  for (int32_t i = 0; open && i < p->m; i++) p->b[i] += open[i];
}

void hki_partition_velocity_column(hk_partition *p, const double *dD, const double *bv) {
  hk_bodies *c = p->c;
  const size_t bytes = (size_t)p->n * sizeof(double);
  memcpy(p->dq, dD, bytes);
  chart_push_all(p, p->dq);
  hki_bodies_to_world(c, p->dq);
  chart_terms(p, dD, false, p->da);
  memcpy(p->dv, p->da, bytes);
  hki_bodies_to_world(c, p->dv);
  add_turning(p, p->dq, false, p->dv);
  hki_bodies_mul(c, p->dv, p->b);
  add_rows(p, offsetof(hk_bodies_curve, vel_pose), p->dq, p->b);
  add_open(p, bv);
  for (int32_t i = 0; i < p->n; i++) p->dw[i] = p->st.cv * dD[i];
  follow(p, true, p->da, p->dw, p->x);
}

/* variations along dD: p->dq, p->dv in world axes, p->dw, p->dwd of the rates; on return p->x and
 * p->dF hold those of velocities and accelerations in body axes */
static void column(hk_partition *p, const double *dD, const double *bv, const double *ba) {
  hk_bodies *c = p->c;
  const size_t bytes = (size_t)p->n * sizeof(double);
  double *da0 = p->dF;
  hki_partition_velocity_column(p, dD, bv);
  memcpy(p->dv, p->x, bytes);
  hki_bodies_to_world(c, p->dv);
  add_turning(p, p->dq, false, p->dv);
  // accelerations
  const bool held = !p->method->rates_only;
  chart_terms(p, dD, true, da0);
  if (held && p->par.tangent == HK_PARTITION_FV) memset(p->b, 0, (size_t)p->m * sizeof *p->b);
  if (held && p->par.tangent != HK_PARTITION_FV) {
    memcpy(p->da, da0, bytes);
    hki_bodies_to_world(c, p->da);
    add_turning(p, p->dq, true, p->da);
    hki_bodies_mul(c, p->da, p->b);
    add_rows(p, offsetof(hk_bodies_curve, acc_pose), p->dq, p->b);
    add_rows(p, offsetof(hk_bodies_curve, acc_twist), p->dv, p->b);
  }
  add_open(p, ba);
  const double slope = p->st.ca / p->st.cv;
  for (int32_t i = 0; i < p->n; i++) p->dwd[i] = held ? p->st.ca * dD[i] : slope * p->dw[i];
  memcpy(p->da, da0, bytes);
  follow(p, held, p->da, p->dwd, da0);
}

/* p->dF = M da + d(gyro) - dW in body axes; on entry p->dF holds da, p->x holds dv */
static void inertia_column(hk_partition *p, const double *dW) {
  const hk_model *m = p->c->m;
  const hk_bodies *c = p->c;
  for (int32_t b = 0; b < m->nb; b++) {
    const hk_model_body *mb = &m->bodies[b];
    const int32_t at = c->v0[b];
    const double *W = dW + 6 * b;
    double *da = p->dF, y[6], t[3], u[3];
    if (c->planar) {
      m3_mulv(t, mb->J, m->spec->normal);
      hki_bodies_reduce(c, W, y);
      if (!c->lack[b]) da[at] = v3_dot(t, m->spec->normal) * da[at] - y[0];
      da[at + 1] = mb->mass * da[at + 1] - y[1];
      da[at + 2] = mb->mass * da[at + 2] - y[2];
      continue;
    }
    for (int i = 3; i < 6; i++) da[at + i] = mb->mass * da[at + i] - W[i];
    if (c->lack[b]) continue;
    // moments in body axes: R'(dW - th x W)
    const double *dv = p->x + at, *v = p->v + at;
    v3_cross(t, p->dq + at, p->W + 6 * b);
    v3_sub(u, W, t);
    m3_tmulv(y, c->it.frame[b].R, u);
    m3_mulv(u, mb->J, da + at);
    m3_mulv(t, mb->J, v);
    v3_cross_add(u, dv, t);
    m3_mulv(t, mb->J, dv);
    v3_cross_add(u, v, t);
    for (int i = 0; i < 3; i++) da[at + i] = u[i] - y[i];
  }
}

void hki_partition_force_column(hk_partition *p, const double *dD, const double *bv,
                                const double *ba) {
  double *dW = p->W + 6 * p->c->m->nb;
  HK_ASSERT(p->prepared);
  column(p, dD, bv, ba);
  hki_partition_pair_columns(p, p->dq, p->dv, dW);
  inertia_column(p, dW);
}

void hki_partition_tangent(hk_partition *p) {
  hki_bodies_curvatures(p->c, p->a, p->row);
  hki_partition_pairs(p);
  p->prepared = true;
  hki_partition_along(p);
  if (p->f) memset(p->T, 0, (size_t)p->ldt * (size_t)p->f * sizeof *p->T);
  for (int32_t j = 0; j < p->f; j++) {
    hki_partition_force_column(p, p->along + (size_t)j * (size_t)p->n, NULL, NULL);
    hki_partition_reduce(p, p->dF, p->T + (size_t)j * (size_t)p->ldt);
  }
}

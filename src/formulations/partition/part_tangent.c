/* SPDX-License-Identifier: Apache-2.0
 *
 * part_tangent.c: the exact derivative of psi with respect to the independent increments.
 *
 * For each independent increment dD_v (a column of the matrices of the paper, eqs. 31-36):
 *   dq = J (H_D; 1) dD_v                                                 H       (eq. 31)
 *   Phi_u dv_u = -(Phi_v dv_v + (Phi_q v)_q dq),    dv_v = cv dD_v       J       (eq. 32)
 *   Phi_u da_u = -(Phi_v da_v + (Phi_q a + gamma)_q dq + gamma_v dv),
 *                                                   da_v = ca dD_v       L, N    (eqs. 33-34)
 *   dF = M da + d(gyro) - Q_q dq - Q_v dv + (Phi_q' lam)_q dq            R, S    (eqs. 35-36)
 *   dpsi = P' dF                                                                 (eq. 29)
 * The derivative of lam itself need not be formed: it stands before Phi_u' and Phi_v' alone, and P'
 * removes it. The quasi-Newton tangent of Fisette and Vaneghem 1996 takes da_u = H da_v and leaves
 * the multipliers out (eq. 40).
 *
 * Variations are written in world axes at the centres of the bodies. With r the marker seen from
 * the centre, g the row's gradient at the markers and Hr = dg/dxi its curvature (joint.h):
 *   d(g V) = V' Hr dxi + g dVm,       dVm = T dV + (0, w x (th x r))
 *   d(g A + gamma) = A' Hr dxi + g dAm + gamma_xi dxi + V' (Hr + Hr') dVm
 *   dAm = T dA + (0, alpha x dr + dw x (w x r) + w x (dw x r) + w x (w x dr)),  dr = th x r
 *
 * In chart stages the second derivative of the chart is left out (of order D).
 */
#include "formulations/partition/part.h"
#include "geometry/chart.h"

/* --- rows ---------------------------------------------------------------------------------------
 */

/* a covector at a marker, moved to the centre of its body */
static void pull(const double *r, const double *g, double *out) { s6_wrench_to_origin(out, g, r); }

/* out += a x (b x c) */
static void add_double_cross(double *out, const double *a, const double *b, const double *c) {
  double x[3];
  v3_cross(x, b, c);
  v3_cross_add(out, a, x);
}

/* acceleration of a body in world axes */
static void body_acceleration(const hk_part *p, int32_t b, double *A) {
  hki_part_expand(p, b, p->a + p->c->nd * b, A);
}

/* marker accelerations of a set */
static void marker_acceleration(const hk_part *p, const hk_cart_set *s, const hk_frame *F,
                                double *A) {
  memset(A, 0, 12 * sizeof *A);
  for (int k = 0; k < 2; k++) {
    double r[3], u[3], *a = A + 6 * k;
    if (s->body[k] == HK_GROUND) continue;
    const hk_frame *f = &p->c->it.frame[s->body[k]];
    body_acceleration(p, s->body[k], a);
    v3_sub(r, F[k].p, f->p);
    v3_sub(u, F[k].v, f->v);
    v3_cross_add(a + 3, a, r);
    v3_cross_add(a + 3, f->w, u);
  }
}

/* row of one body: curvatures c1 (velocity), c2 (acceleration), cV (twist), gradient g, at marker
 */
static void put_row(const hk_part *p, int32_t body, const hk_frame *F, const double *c1,
                    const double *c2, const double *cV, const double *g, int k, hk_part_row *out) {
  const hk_cart *c = p->c;
  const hk_frame *f = &c->it.frame[body];
  const double *w = f->w, *gp = g + 3;
  double r[3], u[3], x[6], A[6], wg[3];
  body_acceleration(p, body, A);
  v3_sub(r, F->p, f->p);
  v3_cross(u, w, r);
  v3_cross(wg, w, gp);
  pull(r, c1, x);
  add_double_cross(x, r, gp, w);
  hki_cart_reduce(c, x, out->vel_pose + k * c->nd);
  pull(r, c2, x);
  add_double_cross(x, r, cV + 3, w);
  add_double_cross(x, r, gp, A);
  add_double_cross(x, r, w, wg);
  hki_cart_reduce(c, x, out->acc_pose + k * c->nd);
  pull(r, cV, x);
  v3_cross_add(x, u, gp);
  add_double_cross(x, r, gp, w);
  hki_cart_reduce(c, x, out->acc_twist + k * c->nd);
}

static void set_rows(hk_part *p, const hk_cart_set *s) {
  hk_cart *c = p->c;
  hk_joint_loop L;
  hk_joint_coord x;
  hk_frame F[2];
  double V[12], A[12], B[72], H[144];
  if (s->is_coord) {
    hki_cart_scalar(c, &s->coord, &x, F);
    hki_joint_coord_bias_geo(s->coord.ops, s->coord.par, s->coord.k, &F[0], &F[1], B);
    for (int i = 0; i < 12; i++) B[i] *= s->coord.sign;
  } else {
    hki_cart_set_frames(c, s, F);
    s->ops->loop(s->par, &F[0], &F[1], HK_LOOP_JAC, &L);
    hki_joint_bias_geo(s->ops, s->par, &F[0], &F[1], B);
  }
  for (int k = 0; k < 2; k++) v3_copy(V + 6 * k, F[k].w), v3_copy(V + 6 * k + 3, F[k].v);
  marker_acceleration(p, s, F, A);
  for (int32_t i = 0; i < s->nrows; i++) {
    const int32_t lr = s->is_coord ? 0 : s->rows[i];
    const double *gA = s->is_coord ? x.gA : L.GA + 6 * lr;
    const double *gB = s->is_coord ? x.gB : L.GB + 6 * lr;
    double unit[6] = {0}, c1[12], c2[12], cV[12];
    unit[i] = 1.0;
    hki_cart_set_geo(c, s, F, unit, H);
    for (int j = 0; j < 12; j++) {
      c1[j] = cV[j] = 0.0;
      c2[j] = B[12 * lr + j];
      for (int e = 0; e < 12; e++) {
        c1[j] += V[e] * H[12 * e + j];
        c2[j] += A[e] * H[12 * e + j];
        cV[j] += V[e] * (H[12 * e + j] + H[12 * j + e]);
      }
    }
    for (int k = 0; k < 2; k++)
      if (s->body[k] != HK_GROUND)
        put_row(p, s->body[k], &F[k], c1 + 6 * k, c2 + 6 * k, cV + 6 * k, k ? gB : gA, k,
                &p->row[s->row0 + i]);
  }
}

void hki_part_curvatures(hk_part *p) {
  memset(p->row, 0, (size_t)p->m * sizeof *p->row);
  for (int32_t i = 0; i < p->c->nset; i++)
    if (hki_cart_active(p->c, &p->c->set[i])) set_rows(p, &p->c->set[i]);
}

/* --- columns ------------------------------------------------------------------------------------
 */

/* derivative of J(d) y along e */
static void chart_slope(const double *d, const double *e, const double *y, double *r) {
  double a, b, c, db, dc, dy[3], ddy[3], ey[3], t[3], x2 = v3_dot(d, d), de = v3_dot(d, e);
  rot_series(x2, &a, &b, &c);
  if (x2 < chart_series_below) {
    db = -1.0 / 12.0 + x2 * (1.0 / 180.0 + x2 * (-1.0 / 6720.0 + x2 / 453600.0));
    dc = -1.0 / 60.0 + x2 * (1.0 / 1260.0 + x2 * (-1.0 / 60480.0 + x2 / 4989600.0));
  } else {
    db = (a - 2.0 * b) / x2;
    dc = (b - 3.0 * c) / x2;
  }
  v3_cross(dy, d, y);
  v3_cross(ddy, d, dy);
  v3_cross(ey, e, y);
  v3_cross(t, e, dy);
  v3_cross_add(t, d, ey);
  for (int i = 0; i < 3; i++) r[i] = de * (dc * ddy[i] - db * dy[i]) - b * ey[i] + c * t[i];
}

/* x += the turning of a rotational vector with the variation dq: x_b += th x y_b (world axes) */
static void add_turning(const hk_part *p, const double *dq, bool acceleration, double *x) {
  for (int32_t b = 0; !p->c->planar && b < p->c->m->nb; b++) {
    const hk_frame *f = &p->c->it.frame[b];
    double y[3];
    if (acceleration)
      m3_mulv(y, f->R, p->a + 6 * b);
    else
      v3_copy(y, f->w);
    v3_cross_add(x + 6 * b, dq + 6 * b, y);
  }
}

/* b += E x over all rows, E a member of hk_part_row */
static void add_rows(const hk_part *p, size_t member, const double *x, double *b) {
  const hk_cart *c = p->c;
  for (int32_t i = 0; i < c->nset; i++) {
    const hk_cart_set *s = &c->set[i];
    for (int32_t row = s->row0; row < s->row0 + s->nrows; row++) {
      const double *g = (const double *)((const char *)&p->row[row] + member);
      for (int k = 0; k < 2; k++)
        for (int32_t e = 0; s->body[k] != HK_GROUND && e < c->nd; e++)
          b[row] += g[k * c->nd + e] * x[c->nd * s->body[k] + e];
    }
  }
}

/* rates of rotations in a chart stage: out = chart terms of the velocities (accelerations) */
static void chart_terms(const hk_part *p, const double *dD, bool acceleration, double *out) {
  memset(out, 0, (size_t)p->n * sizeof *out);
  for (int32_t b = 0; p->st.chart && p->two && b < p->c->m->nb; b++) {
    const double *d = p->D + 6 * b, *w = p->w + 6 * b, *dw = p->dw + 6 * b;
    double t[3];
    chart_slope(d, dD + 6 * b, acceleration ? p->wd + 6 * b : w, out + 6 * b);
    if (!acceleration) continue;
    chart_slope(d, dw, w, t);
    v3_add(out + 6 * b, out + 6 * b, t);
    chart_slope(d, w, dw, t);
    v3_add(out + 6 * b, out + 6 * b, t);
  }
}

/* x = J(D) x for the rotations */
static void chart_push_all(const hk_part *p, double *x) {
  for (int32_t b = 0; p->two && b < p->c->m->nb; b++)
    chart_push(p->D + 6 * b, x + 6 * b, x + 6 * b);
}

/* rates that follow: x (body axes) from the independent rate `s` of coordinate `ind`, the chart's
 * own terms in x, and what the rows say in p->b */
static void follow(hk_part *p, int32_t ind, double s, const double *chart, double *rate,
                   double *x) {
  const bool chart_stage = p->st.chart && p->two;
  memset(rate, 0, (size_t)p->n * sizeof *rate);
  rate[ind] = s;
  hki_part_complete(p, chart_stage ? &p->chart : &p->vel, p->b, rate);
  memcpy(x, rate, (size_t)p->n * sizeof *x);
  if (!chart_stage) return;
  chart_push_all(p, x);
  for (int32_t i = 0; i < p->n; i++) x[i] += chart[i];
}

/* variations of velocities and accelerations of column j: dq, dv, da in world axes, dv0 and da0 of
 * the coordinates themselves in body axes (p->x, p->dF on return) */
static void column(hk_part *p, int32_t j) {
  hk_cart *c = p->c;
  const int32_t ind = p->cols[p->rank + j];
  const double *dD = p->chart.P + (size_t)j * (size_t)p->n;
  const size_t bytes = (size_t)p->n * sizeof(double);
  const bool fv = p->par.tangent == HK_PART_FV;
  double *dv0 = p->x, *da0 = p->dF;
  memcpy(p->dq, dD, bytes);
  chart_push_all(p, p->dq);
  hki_cart_to_world(c, p->dq);
  // velocities
  chart_terms(p, dD, false, dv0);
  memcpy(p->dv, dv0, bytes);
  hki_cart_to_world(c, p->dv);
  add_turning(p, p->dq, false, p->dv);
  hki_cart_mul(c, p->dv, p->b);
  add_rows(p, offsetof(hk_part_row, vel_pose), p->dq, p->b);
  memcpy(p->da, dv0, bytes);
  follow(p, ind, p->st.cv, p->da, p->dw, dv0);
  memcpy(p->dv, dv0, bytes);
  hki_cart_to_world(c, p->dv);
  add_turning(p, p->dq, false, p->dv);
  // accelerations
  chart_terms(p, dD, true, da0);
  memcpy(p->da, da0, bytes);
  hki_cart_to_world(c, p->da);
  add_turning(p, p->dq, true, p->da);
  hki_cart_mul(c, p->da, p->b);
  add_rows(p, offsetof(hk_part_row, acc_pose), p->dq, p->b);
  add_rows(p, offsetof(hk_part_row, acc_twist), p->dv, p->b);
  if (fv) memset(p->b, 0, (size_t)p->m * sizeof *p->b);
  memcpy(p->da, da0, bytes);
  follow(p, ind, p->st.ca, p->da, p->r, da0);
}

/* dF = M da + d(gyro) - d(wrenches), in body axes; da in dF on entry, dv in x, wrenches in W0 */
static void inertia_column(hk_part *p, const double *dW) {
  const hk_model *m = p->c->m;
  const hk_cart *c = p->c;
  for (int32_t b = 0; b < m->nb; b++) {
    const hk_model_body *mb = &m->bodies[b];
    const double *dv = p->x + c->nd * b, *W = dW + 6 * b, *v = p->v + c->nd * b;
    double *da = p->dF + c->nd * b, y[6], t[3], u[3];
    if (c->planar) {
      m3_mulv(t, mb->J, m->spec->normal);
      hki_cart_reduce(c, W, y);
      da[0] = v3_dot(t, m->spec->normal) * da[0] - y[0];
      da[1] = mb->mass * da[1] - y[1];
      da[2] = mb->mass * da[2] - y[2];
      continue;
    }
    // moments turn with the axes in which they are written
    v3_cross(t, p->dq + 6 * b, p->W + 6 * b);
    v3_sub(u, W, t);
    m3_tmulv(y, c->it.frame[b].R, u);
    m3_mulv(u, mb->J, da);
    m3_mulv(t, mb->J, v);
    v3_cross_add(u, dv, t);
    m3_mulv(t, mb->J, dv);
    v3_cross_add(u, v, t);
    for (int i = 0; i < 3; i++) {
      da[i] = u[i] - y[i];
      da[3 + i] = mb->mass * da[3 + i] - W[3 + i];
    }
  }
}

void hki_part_tangent(hk_part *p) {
  double *dW = p->W + 6 * p->c->m->nb;
  hki_part_curvatures(p);
  hki_part_pairs(p);
  if (p->f) memset(p->T, 0, (size_t)p->ldt * (size_t)p->f * sizeof *p->T);
  for (int32_t j = 0; j < p->f; j++) {
    column(p, j);
    hki_part_pair_columns(p, p->dq, p->dv, dW);
    inertia_column(p, dW);
    for (int32_t i = 0; i < p->f; i++) {
      const double *P = p->vel.P + (size_t)i * (size_t)p->n;
      double sum = 0.0;
      for (int32_t k = 0; k < p->n; k++) sum += P[k] * p->dF[k];
      p->T[i + (size_t)j * (size_t)p->ldt] = sum;
    }
  }
}

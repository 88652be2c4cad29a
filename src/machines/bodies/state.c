/* SPDX-License-Identifier: Apache-2.0
 *
 * state.c: poses, constraint rows and their gradients in Cartesian coordinates.
 *
 *   dphi/dt   = G V + phi_t                                     phi_t = -f'(t) of a motion f
 *   d2phi/dt2 = G dV/dt + gamma
 *   G of a body = (g_theta + r x g_p, g_p)                      g: gradient at the marker
 *   gamma = gamma_joint + sum of g_p . (w x (w x r)) - f''(t)   r = p_marker - p_body
 */
#include "machines/bodies/bodies.h"

void hki_bodies_plus(const hk_bodies *c, const double *q, const double *d, double *q_out) {
  for (int32_t b = 0; !c->planar && b < c->m->nb; b++) {
    const int32_t i = c->q0[b], at = c->v0[b];
    if (!c->lack[b]) quat_plus(q_out + i, q + i, d + at);
    v3_add(q_out + i + 4, q + i + 4, d + at + 3);
  }
  const int32_t q0 = c->planar ? 0 : c->nq - c->nx, d0 = c->planar ? 0 : c->nb;
  for (int32_t i = 0; i < (c->planar ? c->n : c->nx); i++) q_out[q0 + i] = q[q0 + i] + d[d0 + i];
}

void hki_bodies_minus(const hk_bodies *c, const double *q1, const double *q0, double *d) {
  for (int32_t b = 0; !c->planar && b < c->m->nb; b++) {
    const int32_t i = c->q0[b], at = c->v0[b];
    if (!c->lack[b]) quat_minus(d + at, q1 + i, q0 + i);
    v3_sub(d + at + 3, q1 + i + 4, q0 + i + 4);
  }
  const int32_t from = c->planar ? 0 : c->nq - c->nx, to = c->planar ? 0 : c->nb;
  for (int32_t i = 0; i < (c->planar ? c->n : c->nx); i++) d[to + i] = q1[from + i] - q0[from + i];
}

void hki_bodies_to_body(const hk_bodies *c, double *x) {
  double y[3];
  for (int32_t b = 0; !c->planar && b < c->m->nb; b++) {
    if (c->lack[b]) continue;
    m3_tmulv(y, c->it.frame[b].R, x + c->v0[b]);
    v3_copy(x + c->v0[b], y);
  }
}

void hki_bodies_to_world(const hk_bodies *c, double *x) {
  double y[3];
  for (int32_t b = 0; !c->planar && b < c->m->nb; b++) {
    if (c->lack[b]) continue;
    m3_mulv(y, c->it.frame[b].R, x + c->v0[b]);
    v3_copy(x + c->v0[b], y);
  }
}

void hki_bodies_acceleration(const hk_bodies *c, const double *a, int32_t b, double *A) {
  const int32_t at = c->v0[b];
  if (c->planar) {
    const double u[3] = {a[at + 1], a[at + 2], 0.0};
    v3_scale(A, c->lack[b] ? 0.0 : a[at], c->m->spec->normal);
    m3_mulv(A + 3, c->E, u);
    return;
  }
  if (c->lack[b])
    v3_zero(A);
  else
    m3_mulv(A, c->it.frame[b].R, a + at);
  v3_copy(A + 3, a + at + 3);
}

void hki_bodies_reduce(const hk_bodies *c, const double *w, double *out) {
  if (!c->planar) {
    s6_copy(out, w);
    return;
  }
  const double *E = c->E;
  out[0] = E[2] * w[0] + E[5] * w[1] + E[8] * w[2];
  out[1] = E[0] * w[3] + E[3] * w[4] + E[6] * w[5];
  out[2] = E[1] * w[3] + E[4] * w[4] + E[7] * w[5];
}

static void frame_planar(const hk_bodies *c, int32_t b) {
  const double *n = c->m->spec->normal, *q = c->q, *v = c->v;
  const int32_t i = c->q0[b], at = c->v0[b];
  hk_frame *f = &c->it.frame[b];
  double x[3] = {q[i + 1], q[i + 2], v3_dot(c->m->bodies[b].com0, n)};
  double y[3] = {v[at + 1], v[at + 2], 0.0};
  m3_mulv(f->p, c->E, x);
  m3_mulv(f->v, c->E, y);
  if (c->lack[b]) {
    m3_identity(f->R);
    v3_zero(f->w);
    return;
  }
  rot_axis(f->R, n, q[i]);
  v3_scale(f->w, v[at], n);
}

static void frame_spatial(const hk_bodies *c, int32_t b) {
  const double *q = c->q + c->q0[b] + 4, *v = c->v + c->v0[b] + 3;
  hk_frame *f = &c->it.frame[b];
  v3_copy(f->p, q);
  v3_copy(f->v, v);
  if (c->lack[b]) {
    m3_identity(f->R);
    v3_zero(f->w);
    return;
  }
  quat_to_rot(f->R, q - 4);
  m3_mulv(f->w, f->R, v - 3);
}

/* q_it, v_it: tree coordinates at the state under evaluation, for channels that signals read */
static void measure_tree(hk_bodies *c) {
  for (int32_t b = 0; b < c->m->nb; b++) {
    const hk_model_body *mb = &c->m->bodies[b];
    hk_frame A, B;
    if (!mb->nv) continue;
    hki_kin_marker(&c->it, mb->parent, &mb->on_parent, &A);
    hki_kin_marker(&c->it, b, &mb->on_child, &B);
    mb->ops->measure(mb->par, &A, &B, c->qlast + mb->q0, c->q_it + mb->q0, c->v_it + mb->v0);
  }
}

void hki_bodies_rates(hk_bodies *c, const double *a) {
  if (c->nx) memcpy(c->it.xd, a + c->nb, (size_t)c->nx * sizeof *a);
}

hk_status hki_bodies_consistent(hk_bodies *c, double *v, double *a) {
  if (!c->nx) return HK_OK;
  hk_status st = hki_net_solve(&c->net);
  if (st != HK_OK) return st;
  memcpy(v + c->nb, c->it.x, (size_t)c->nx * sizeof *v);
  if (v != c->v) memcpy(c->v + c->nb, c->it.x, (size_t)c->nx * sizeof *v);
  if (a) memcpy(a + c->nb, c->it.xd, (size_t)c->nx * sizeof *a);
  return HK_OK;
}

void hki_bodies_state(hk_bodies *c, double t, const double *q, const double *v) {
  hk_kin *k = &c->it;
  if (q != c->q) memcpy(c->q, q, (size_t)c->nq * sizeof *q);
  if (v != c->v) memcpy(c->v, v, (size_t)c->n * sizeof *v);
  for (int32_t b = 0; b < c->m->nb; b++) {
    if (c->planar)
      frame_planar(c, b);
    else
      frame_spatial(c, b);
  }
  c->loaded = false;
  hki_kin_own_frames(k, &c->kin, t, c->q_it, c->v_it);
  if (c->nx) hki_kin_unknowns(k, c->v + c->nb, NULL);
  if (c->tree_it) measure_tree(c);
  if (c->m->spec->nsignals) hki_kin_signals(k, false);
}

bool hki_bodies_active(const hk_bodies *c, const hk_bodies_set *s) {
  return s->closure == HK_NONE || c->kin.disc.active[s->closure] != 0.0;
}

void hki_bodies_set_frames(const hk_bodies *c, const hk_bodies_set *s, hk_frame *F) {
  if (s->closure != HK_NONE && !s->is_coord) {
    hki_kin_closure_frames(&c->it, &c->m->closures[s->closure], F);
    return;
  }
  for (int k = 0; k < 2; k++) hki_kin_marker(&c->it, s->body[k], s->marker[k], &F[k]);
  if (s->is_coord) hki_kin_turn_back(&c->it, s->coord.joint, &F[1]);
}

double hki_bodies_scalar(const hk_bodies *c, const hk_bodies_coord *s, hk_joint_coord *x,
                         hk_frame *F) {
  double near = s->qi != HK_NONE     ? c->qlast[s->qi]
                : s->turn != HK_NONE ? c->it.disc.turn[s->turn] - s->zero
                                     : 0.0;
  for (int k = 0; k < 2; k++) hki_kin_marker(&c->it, s->body[k], s->marker[k], &F[k]);
  hki_kin_turn_back(&c->it, s->joint, &F[1]);
  const double rt = hki_kin_coord(&c->it, s->joint, s->ops, s->par, s->k, F, near, x);
  x->s = s->sign * x->s + s->zero;
  x->sd *= s->sign;
  x->bias *= s->sign;
  for (int i = 0; i < 6; i++) x->gA[i] *= s->sign, x->gB[i] *= s->sign;
  return s->sign * rt;
}

/* G of one row: its gradients at the markers, moved to the centres of mass */
static void put_gradient(const hk_bodies *c, const hk_bodies_set *s, double *to, const hk_frame *F,
                         const double *gA, const double *gB) {
  const double *g[2] = {gA, gB};
  for (int k = 0; k < 2; k++) {
    double *out = to + k * c->nd, w[6], r[3];
    if (s->body[k] == HK_GROUND) {
      memset(out, 0, (size_t)c->nd * sizeof *out);
      continue;
    }
    v3_sub(r, F[k].p, c->it.frame[s->body[k]].p);
    s6_wrench_to_origin(w, g[k], r);
    hki_bodies_reduce(c, w, out);
  }
}

/* sum of g_p . (w x (w x r)) over both markers: their centripetal accelerations in a row */
static double marker_bias(const hk_bodies *c, const hk_bodies_set *s, const hk_frame *F,
                          const double *gA, const double *gB) {
  const double *g[2] = {gA, gB};
  double sum = 0.0;
  for (int k = 0; k < 2; k++) {
    double u[3], x[3];
    if (s->body[k] == HK_GROUND) continue;
    v3_sub(u, F[k].v, c->it.frame[s->body[k]].v);
    v3_cross(x, F[k].w, u);
    sum += v3_dot(g[k] + 3, x);
  }
  return sum;
}

/* row r of a set from its value, partial time derivative, gradients at the markers and bias */
static void one_row(hk_bodies *c, const hk_bodies_set *s, int32_t r, const hk_frame *F, bool bias,
                    double phi, double rt, const double *gA, const double *gB, double gamma) {
  const int32_t row = s->row0 + r;
  const hk_closure *cl = s->closure == HK_NONE ? NULL : &c->m->closures[s->closure];
  const int32_t signal = cl ? cl->row_signal[r] : HK_NONE;
  const double *f = signal == HK_NONE ? NULL : c->it.sig + 3 * signal;
  if (bias) {
    c->gamma[row] = gamma + marker_bias(c, s, F, gA, gB) - (f ? f[2] : 0.0);
    return;
  }
  c->phi[row] = phi - (f ? f[0] : 0.0) - (cl ? hki_kin_stored(&c->it, cl, r) : 0.0);
  if (f && s->rate_rows >> r & 1u) c->phi[row] = 0.0;
  c->phit[row] = rt - (f ? f[1] : 0.0) - (cl ? hki_kin_stored_rate(&c->it, cl) : 0.0);
  put_gradient(c, s, c->G + 2 * hki_bodies_line(s, row) * c->nd, F, gA, gB);
}

void hki_bodies_coupled(const hk_bodies *c, int32_t i, double *s, double *sd) {
  const hk_coupling *of = c->set[i].coupling;
  hk_joint_coord x;
  hk_frame F[2];
  for (int32_t p = 0; p < of->n; p++) {
    (void)hki_bodies_scalar(c, &c->set[i + p].coord, &x, F);
    s[p] = x.s, sd[p] = x.sd;
  }
}

/* the row of a coupling, whose first set is c->set[i] */
static void eval_coupling(hk_bodies *c, int32_t i, bool bias) {
  const hk_bodies_set *set = &c->set[i];
  const hk_coupling *of = set->coupling;
  const int32_t row = set->row0, w = 2 * c->nd;
  double s[HK_COUPLED], sd[HK_COUPLED], rt[HK_COUPLED], sum = 0.0;
  for (int32_t p = 0; p < of->n; p++) {
    const hk_bodies_set *at = set + p;
    hk_joint_coord x;
    hk_frame F[2];
    rt[p] = hki_bodies_scalar(c, &at->coord, &x, F);
    s[p] = x.s, sd[p] = x.sd;
    if (bias)
      sum += c->slope[at->line0] * (x.bias + marker_bias(c, at, F, x.gA, x.gB));
    else
      put_gradient(c, at, c->plain + w * at->line0, F, x.gA, x.gB);
  }
  if (bias) {
    c->gamma[row] = sum + hki_coupling_bias(&c->it, of, s, sd);
    return;
  }
  double *f = c->slope + set->line0;
  hki_coupling_eval(&c->it, of, s, sd, &c->phi[row], &c->phit[row], f);
  c->phi[row] -= hki_kin_stored(&c->it, &c->m->closures[set->closure], 0);
  for (int32_t p = 0; p < of->n; p++) {
    c->phit[row] += f[p] * rt[p];
    for (int32_t j = w * (set->line0 + p); j < w * (set->line0 + p + 1); j++)
      c->G[j] = f[p] * c->plain[j];
  }
}

static void eval_set(hk_bodies *c, const hk_bodies_set *s, bool bias) {
  hk_frame F[2];
  if (s->is_coord) {
    hk_joint_coord x;
    const double rt = hki_bodies_scalar(c, &s->coord, &x, F);
    one_row(c, s, 0, F, bias, x.s, rt, x.gA, x.gB, x.bias);
    return;
  }
  hk_joint_loop L;
  double rt[6];
  hki_bodies_set_frames(c, s, F);
  hki_kin_loop(&c->it, s->closure == HK_NONE ? HK_NONE : s->joint, s->ops, s->par, F,
               HK_LOOP_JAC | (bias ? HK_LOOP_ACC : HK_LOOP_POS), &L, rt);
  for (int32_t r = 0; r < s->nrows; r++) {
    int32_t i = s->rows[r];
    one_row(c, s, r, F, bias, L.phi[i], rt[i], L.GA + 6 * i, L.GB + 6 * i, bias ? L.gamma[i] : 0.0);
  }
}

static void eval_all(hk_bodies *c, bool bias) {
  for (int32_t i = 0; i < c->nset; i++) {
    const hk_bodies_set *s = &c->set[i];
    if (s->part) continue;
    if (hki_bodies_active(c, s)) {
      if (s->coupling)
        eval_coupling(c, i, bias);
      else
        eval_set(c, s, bias);
      continue;
    }
    for (int32_t r = s->row0; r < s->row0 + s->nrows; r++) {
      c->gamma[r] = 0.0;
      if (!bias) c->phi[r] = c->phit[r] = 0.0;
      const int32_t n = s->coupling ? s->coupling->n : 1, line = hki_bodies_line(s, r);
      if (!bias) memset(c->G + 2 * line * c->nd, 0, 2 * (size_t)(n * c->nd) * sizeof *c->G);
    }
  }
}

/* B: gradients of the actuators in the lines of servos, else G */
static void find_pushes(hk_bodies *c) {
  const int32_t w = 2 * c->nd;
  memcpy(c->B, c->G, (size_t)(w * c->nlines) * sizeof *c->B);
  for (int32_t i = 0; i < c->nset; i++) {
    const hk_bodies_set *s = &c->set[i];
    if (!s->coupling || !s->coupling->servo || !hki_bodies_active(c, s)) continue;
    for (int32_t j = w * s->line0; j < w * (s->line0 + 1); j++)
      c->B[j] = s->coupling->arg[s->part].push * c->plain[j];
  }
}

void hki_bodies_rows(hk_bodies *c) {
  eval_all(c, false);
  if (c->B != c->G) find_pushes(c);
}

void hki_bodies_bias(hk_bodies *c) { eval_all(c, true); }

void hki_bodies_rate_rows(hk_bodies *c, double cv) {
  for (int32_t i = 0; c->m->nrate && i < c->nset; i++) {
    const hk_bodies_set *s = &c->set[i];
    if (!s->rate_rows || !hki_bodies_active(c, s)) continue;
    for (int32_t r = 0; r < s->nrows; r++) {
      const double *g = c->G + 2 * (s->line0 + r) * c->nd;
      double sum = s->part ? 0.0 : c->phit[s->row0 + r], V[6], x[6];
      if (!(s->rate_rows >> r & 1u)) continue;
      for (int k = 0; k < 2; k++, g += c->nd) {
        if (s->body[k] == HK_GROUND) continue;
        v3_copy(V, c->it.frame[s->body[k]].w);
        v3_copy(V + 3, c->it.frame[s->body[k]].v);
        hki_bodies_reduce(c, V, x);
        for (int32_t j = 0; j < c->nd; j++) sum += g[j] * x[j];
      }
      c->phi[s->row0 + r] = sum / cv + (s->part ? c->phi[s->row0 + r] : 0.0);
    }
  }
}

void hki_bodies_mul(const hk_bodies *c, const double *x, double *y) {
  for (int32_t i = 0; i < c->nset; i++) {
    const hk_bodies_set *s = &c->set[i];
    for (int32_t r = s->row0; r < s->row0 + s->nrows; r++) {
      const double *g = c->G + 2 * hki_bodies_line(s, r) * c->nd;
      double sum = s->part ? y[r] : 0.0;
      for (int k = 0; k < 2; k++) {
        if (s->body[k] == HK_GROUND) continue;
        const int32_t first = c->lack[s->body[k]];
        const double *y0 = x + (c->v0[s->body[k]] + first), *g0 = g + k * c->nd + first;
        for (int32_t j = 0; j < c->nd - first; j++) sum += g0[j] * y0[j];
      }
      y[r] = sum;
    }
  }
}

/* y += A' mu, A: G or B */
static void add_transposed(const hk_bodies *c, const double *A, const double *mu, double *y) {
  for (int32_t i = 0; i < c->nset; i++) {
    const hk_bodies_set *s = &c->set[i];
    for (int32_t r = s->row0; r < s->row0 + s->nrows; r++) {
      const double *g = A + 2 * hki_bodies_line(s, r) * c->nd;
      for (int k = 0; k < 2; k++) {
        if (s->body[k] == HK_GROUND) continue;
        const int32_t first = c->lack[s->body[k]];
        double *y0 = y + (c->v0[s->body[k]] + first);
        const double *g0 = g + k * c->nd + first;
        for (int32_t j = 0; j < c->nd - first; j++) y0[j] += g0[j] * mu[r];
      }
    }
  }
}

void hki_bodies_mul_t(const hk_bodies *c, const double *mu, double *y) {
  add_transposed(c, c->G, mu, y);
}

void hki_bodies_push(const hk_bodies *c, const double *lam, double *y) {
  add_transposed(c, c->B, lam, y);
}

double hki_bodies_norm(const hk_bodies *c, const double *y) {
  double most = 0.0;
  for (int32_t i = 0; i < c->nrows; i++)
    if (!(fabs(y[i]) <= most)) most = fabs(y[i]);
  return most;
}

double hki_bodies_line_slope(const hk_bodies *c, const hk_bodies_set *s, bool push) {
  if (!s->coupling) return 1.0;
  return push && s->coupling->servo ? s->coupling->arg[s->part].push : c->slope[s->line0];
}

void hki_bodies_set_geo(const hk_bodies *c, const hk_bodies_set *s, const hk_frame *F,
                        const double *lam, bool push, double *H) {
  if (s->is_coord) {
    const double slope = hki_bodies_line_slope(c, s, push);
    s->coord.ops->coord_geo(s->coord.par, s->coord.k, &F[0], &F[1], H);
    for (int i = 0; i < 144; i++) H[i] *= slope * s->coord.sign * lam[0];
    return;
  }
  // multipliers of all rows of the joint; zero for rows that the set leaves out
  double full[6] = {0};
  for (int32_t r = 0; r < s->nrows; r++) full[s->rows[r]] = lam[r];
  s->ops->loop_geo(s->par, &F[0], &F[1], full, H);
}

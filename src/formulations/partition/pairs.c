/* SPDX-License-Identifier: Apache-2.0
 *
 * pairs.c: how applied and constraint forces change with a variation of the state.
 *
 * A wrench w = (m, f) at the marker at r from the centre of mass, with variations (th, dp) of the
 * body and dV of its twist (omega, v):
 *
 *   dw  = -(K dxi + C dVm) + Wu du
 *   dxi = (th, dp + th x r)                               of the marker
 *   dVm = (domega, dv + domega x r + omega x (th x r))    of its twist
 *   dW  = (dm + r x df + (th x r) x f, df)                wrench about the centre of mass
 *
 * Constraint forces w = -G'lam at fixed lam have K = d(G'lam)/dxi and no C.
 *
 * du of inputs that read channels: derivatives of signals by what they read, from the last signal
 * to the first, times the gradients of the channels.
 */
#include "formulations/partition/partition.h"
#include "kinematics/wide.h"

/* out: variation x of a body (nd numbers) as a 6-vector in world axes */
static void widen(const hk_bodies *c, const double *x, double *out) {
  if (c->planar) {
    const double u[3] = {x[1], x[2], 0.0};
    v3_scale(out, x[0], c->m->spec->normal);
    m3_mulv(out + 3, c->E, u);
  } else {
    s6_copy(out, x);
  }
}

/* the same of body b among the variations x of all */
static void widen_body(const hk_bodies *c, int32_t b, const double *x, double *out) {
  double y[6] = {0};
  for (int32_t i = c->lack[b]; i < c->nd; i++) y[i] = x[c->v0[b] + i];
  widen(c, y, out);
}

/* --- inputs that read channels ---------------------------------------------------------------- */

/* in->pose, in->twist += slope times a covector g at a marker F: of a position, or of a rate */
static void add_point(hk_partition *p, int32_t body, const hk_frame *F, const double *g,
                      double slope, bool rate, hk_partition_input *in) {
  hk_bodies *c = p->c;
  double r[3], x[6], y[6], z[3];
  if (body == HK_GROUND) return;
  const hk_frame *f = &c->it.frame[body];
  v3_sub(r, F->p, f->p);
  s6_wrench_to_origin(x, g, r);
  hki_bodies_reduce(c, x, y);
  double *to = rate ? in->twist : in->pose;
  const int32_t at = c->v0[body], first = c->lack[body];
  for (int32_t i = first; i < c->nd; i++) to[at + i] += slope * y[i];
  if (!rate) return;
  // a rate also changes with the pose: omega x (th x r)
  s6_zero(x);
  v3_cross(z, g + 3, f->w);
  v3_cross(x, r, z);
  hki_bodies_reduce(c, x, y);
  for (int32_t i = first; i < c->nd; i++) in->pose[at + i] += slope * y[i];
}

/* the same for a joint coordinate or its rate */
static void add_scalar(hk_partition *p, int32_t scalar, double slope, bool rate,
                       hk_partition_input *in) {
  const hk_bodies_coord *s = &p->c->scalar[scalar];
  hk_joint_coord x;
  hk_frame F[2];
  double H[144], gd[12];
  hki_bodies_scalar(p->c, s, &x, F);
  add_point(p, s->body[0], &F[0], x.gA, slope, rate, in);
  add_point(p, s->body[1], &F[1], x.gB, slope, rate, in);
  if (!rate) return;
  // a rate also changes with its gradient
  s->ops->coord_geo(s->par, s->k, &F[0], &F[1], H);
  for (int i = 0; i < 144; i++) H[i] *= s->sign;
  hki_kin_coord_slope(&p->c->it, s->joint, F, x.gB, H, gd);
  add_point(p, s->body[0], &F[0], gd, slope, false, in);
  add_point(p, s->body[1], &F[1], gd + 6, slope, false, in);
}

/* the same for a channel */
static void add_channel(hk_partition *p, hk_channel ch, double slope, hk_partition_input *in) {
  const hk_model *m = p->c->m;
  static const hk_offset centre = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};
  hk_offset o = centre;
  hk_frame F;
  int32_t body = HK_GROUND;
  double g[6] = {0};
  switch ((hk_channel_kind)ch.kind) {
    case HK_CH_JOINT_COORD:
    case HK_CH_JOINT_RATE:
      add_scalar(p, m->joints[ch.item].scalar0 + ch.component, slope, ch.kind == HK_CH_JOINT_RATE,
                 in);
      return;
    case HK_CH_BODY_POSITION:
    case HK_CH_BODY_VELOCITY:
    case HK_CH_BODY_ANGULAR_VELOCITY:
      body = m->body_of_spec[ch.item];
      o = m->bodies[body].own;
      break;
    case HK_CH_BODY_COM_POSITION:
    case HK_CH_BODY_COM_VELOCITY:
      body = m->body_of_spec[ch.item];
      break;
    case HK_CH_MARKER_POSITION:
    case HK_CH_MARKER_VELOCITY:
      if (m->spec->markers[ch.item].body == HK_GROUND) return;
      body = m->body_of_spec[m->spec->markers[ch.item].body];
      v3_sub(o.p, m->spec->markers[ch.item].at.p, m->bodies[body].com0);
      break;
    default:
      return; // other channels are left out of the tangent
  }
  bool rate = ch.kind == HK_CH_BODY_VELOCITY || ch.kind == HK_CH_BODY_COM_VELOCITY ||
              ch.kind == HK_CH_MARKER_VELOCITY || ch.kind == HK_CH_BODY_ANGULAR_VELOCITY;
  g[(ch.kind == HK_CH_BODY_ANGULAR_VELOCITY ? 0 : 3) + ch.component] = 1.0;
  hki_kin_marker(&p->c->it, body, &o, &F);
  add_point(p, body, &F, g, slope, rate, in);
}

void hki_partition_input_slopes(hk_partition *p, hk_partition_input *in) {
  hk_kin *k = &p->c->it;
  const hk_spec *spec = p->c->m->spec;
  const int32_t signal = in->signal;
  memset(in->pose, 0, (size_t)p->n * sizeof *in->pose);
  memset(in->twist, 0, (size_t)p->n * sizeof *in->twist);
  memset(p->bar, 0, (size_t)(signal + 1) * sizeof *p->bar);
  p->bar[signal] = 1.0;
  for (int32_t s = signal; s >= 0; s--) {
    if (p->bar[s] == 0.0 || !k->sig_state[s]) continue;
    const hk_spec_signal *sp = &spec->signals[s];
    hki_kin_signal_slopes(k, s, p->slopes);
    for (int32_t i = 0; i < sp->nreads; i++) {
      double slope = p->bar[s] * p->slopes[i];
      if (slope == 0.0) continue;
      if (sp->reads[i].kind == HK_READ_SIGNAL) p->bar[sp->reads[i].signal] += slope;
      if (sp->reads[i].kind == HK_READ_CHANNEL && k->seen_of[k->seen0[s] + i] < 0)
        add_channel(p, sp->reads[i].channel, slope, in);
    }
  }
}

/* --- pairs ------------------------------------------------------------------------------------ */

/* a->r from the marker frames F */
static void set_arms(const hk_partition *p, const hk_frame *F, hk_partition_pair *a) {
  for (int k = 0; k < 2; k++)
    if (a->body[k] != HK_GROUND) v3_sub(a->r + 3 * k, F[k].p, p->c->it.frame[a->body[k]].p);
}

static void force_pair(hk_partition *p, int32_t fi, hk_partition_pair *a) {
  hk_element_out out;
  hk_frame F[HK_ELEMENT_MARKERS];
  hki_bodies_force(p->c, fi, true, a->body, F, &out);
  memcpy(a->w, out.w, sizeof a->w);
  memcpy(a->K, out.K, sizeof a->K);
  memcpy(a->C, out.C, sizeof a->C);
  a->damped = true;
  set_arms(p, F, a);
  for (int32_t i = 0; i < p->ninput; i++) {
    hk_partition_input *in = &p->input[i];
    if (in->force != fi) continue;
    memcpy(in->Wu, out.Wu + 12 * in->u, sizeof in->Wu);
    hki_partition_input_slopes(p, in);
  }
}

static void constraint_pair(hk_partition *p, const hk_bodies_set *s, hk_partition_pair *a) {
  hk_bodies *c = p->c;
  hk_joint_loop L;
  hk_joint_coord x;
  hk_frame F[2];
  const double *lam = p->lam + s->row0;
  memset(a->w, 0, sizeof a->w);
  if (s->is_coord)
    hki_bodies_scalar(c, &s->coord, &x, F);
  else
    hki_bodies_set_frames(c, s, F);
  if (!s->is_coord) s->ops->loop(s->par, &F[0], &F[1], HK_LOOP_JAC, &L);
  for (int j = 0; j < 6 && s->coupling; j++)
    x.gA[j] *= c->slope[s->line0], x.gB[j] *= c->slope[s->line0];
  for (int32_t i = 0; i < s->nrows; i++) {
    s6_axpy(a->w, -lam[i], s->is_coord ? x.gA : L.GA + 6 * s->rows[i]);
    s6_axpy(a->w + 6, -lam[i], s->is_coord ? x.gB : L.GB + 6 * s->rows[i]);
  }
  hki_bodies_set_geo(c, s, F, lam, false, a->K);
  a->body[0] = s->body[0], a->body[1] = s->body[1];
  a->damped = false;
  set_arms(p, F, a);
}

/* K and C of elements on several markers, at the centres of mass of their bodies */
static void wide_blocks(hk_partition *p) {
  const hk_model *m = p->c->m;
  double *K = p->wide_K, *C = p->wide_C;
  for (int32_t i = 0; i < m->nwide; i++) {
    const size_t n = 36 * (size_t)m->wide[i].nmark * (size_t)m->wide[i].nmark;
    const hk_wide_out *out = hki_kin_wide(&p->c->it, i, HK_NEED_FORCE | HK_NEED_EXACT);
    memcpy(K, out->K, n * sizeof *K);
    if (out->damped) memcpy(C, out->C, n * sizeof *C);
    p->wide_damped[i] = out->damped;
    K += n, C += n;
  }
}

/* dW -= K x + C dV of them; such models are not planar */
static void wide_columns(const hk_partition *p, const double *x, const double *dV, double *dW) {
  const hk_model *m = p->c->m;
  const double *K = p->wide_K, *C = p->wide_C;
  for (int32_t i = 0; i < m->nwide; i++) {
    const hk_model_wide *e = &m->wide[i];
    const int32_t n = 6 * e->nmark;
    for (int32_t a = 0; a < n; a++, K += n, C += n) {
      const int32_t b = e->body[a / 6];
      for (int32_t s = 0; b != HK_GROUND && s < e->nmark; s++) {
        double t[6], u[6], turned[3];
        if (e->body[s] == HK_GROUND) continue;
        widen_body(p->c, e->body[s], x, t);
        dW[6 * b + a % 6] -= s6_dot(K + 6 * s, t);
        if (!p->wide_damped[i]) continue;
        // K is at angular velocities that turn with the bodies
        widen_body(p->c, e->body[s], dV, u);
        v3_cross(turned, t, p->c->it.frame[e->body[s]].w);
        v3_sub(u, u, turned);
        dW[6 * b + a % 6] -= s6_dot(C + 6 * s, u);
      }
    }
  }
}

void hki_partition_pairs(hk_partition *p) {
  hk_bodies *c = p->c;
  p->npair = 0;
  wide_blocks(p);
  for (int32_t i = 0; i < c->m->nf; i++) force_pair(p, i, &p->pair[p->npair++]);
  memcpy(p->W, c->W, (size_t)(6 * c->m->nb) * sizeof *p->W);
  if (p->par.tangent == HK_PARTITION_FV) return;
  for (int32_t i = 0; i < c->nset; i++) {
    if (!hki_bodies_active(c, &c->set[i])) continue;
    hk_partition_pair *a = &p->pair[p->npair++];
    constraint_pair(p, &c->set[i], a);
    for (int k = 0; k < 2; k++) {
      double x[6];
      if (a->body[k] == HK_GROUND) continue;
      s6_wrench_to_origin(x, a->w + 6 * k, a->r + 3 * k);
      s6_axpy(p->W + 6 * a->body[k], 1.0, x);
    }
  }
}

/* dW += wrenches dw (2 x 6) on the markers of a pair, about the centres of mass of its bodies */
static void put_wrenches(const hk_partition_pair *a, const double *dw, double *dW) {
  for (int k = 0; k < 2; k++) {
    double x[6];
    if (a->body[k] == HK_GROUND) continue;
    s6_wrench_to_origin(x, dw + 6 * k, a->r + 3 * k);
    s6_axpy(dW + 6 * a->body[k], 1.0, x);
  }
}

/* dW += change of the wrenches of one pair with variations x and twists dV */
static void pair_column(const hk_partition *p, const hk_partition_pair *a, const double *x,
                        const double *dV, double *dW) {
  const hk_bodies *c = p->c;
  double xi[12] = {0}, Vm[12] = {0}, dw[12];
  for (int k = 0; k < 2; k++) {
    double t[6], u[6], dr[3];
    const double *r = a->r + 3 * k, *f = a->w + 6 * k + 3;
    if (a->body[k] == HK_GROUND) continue;
    widen_body(c, a->body[k], x, t);
    widen_body(c, a->body[k], dV, u);
    v3_cross(dr, t, r);
    s6_twist_at(xi + 6 * k, t, r);
    s6_twist_at(Vm + 6 * k, u, r);
    v3_cross_add(Vm + 6 * k + 3, c->it.frame[a->body[k]].w, dr);
    // (th x r) x f
    v3_cross_add(dW + 6 * a->body[k], dr, f);
  }
  for (int i = 0; i < 12; i++) {
    double sum = 0.0;
    // elements with one marker leave the blocks of the other unset
    if (a->body[i / 6] != HK_GROUND)
      for (int j = 0; j < 12; j++) {
        if (a->body[j / 6] == HK_GROUND) continue;
        sum -= a->K[12 * i + j] * xi[j];
        if (a->damped) sum -= a->C[12 * i + j] * Vm[j];
      }
    dw[i] = sum;
  }
  put_wrenches(a, dw, dW);
}

/* dW -= change of the constraint forces with the slopes of couplings that bend:
 *   lam sum f_ij g_i da_j            da: change of an argument, value g x or rate g dV + d(s')/dx x */
static void bend_columns(const hk_partition *p, const double *x, const double *dV, double *dW) {
  const hk_bodies *c = p->c;
  const int32_t nd = c->nd;
  double v[HK_COUPLED], vd[HK_COUPLED], h[HK_COUPLED * HK_COUPLED], gx[HK_COUPLED], w[6];
  for (int32_t i = 0; i < c->nset; i++) {
    const hk_bodies_set *s = &c->set[i];
    if (!s->coupling || s->part || s->coupling->signal == HK_NONE || !hki_bodies_active(c, s))
      continue;
    const int32_t n = s->coupling->n;
    const double *g = c->plain + 2 * nd * s->line0;
    hki_bodies_coupled(c, i, v, vd);
    hki_coupling_bend(&c->it, s->coupling, v, vd, h);
    for (int32_t k = 0; k < n; k++) {
      const bool rate = s->coupling->arg[k].rate;
      const double *own = p->row[s->line0 + k].own_pose;
      gx[k] = 0.0;
      for (int32_t j = 0; j < 2 * nd; j++) {
        const int32_t at = hki_bodies_entry(c, s[k].body[j / nd], j % nd);
        if (at < 0) continue;
        gx[k] += g[2 * nd * k + j] * (rate ? dV[at] : x[at]) + (rate ? own[j] * x[at] : 0.0);
      }
    }
    for (int32_t k = 0; k < n; k++) {
      double f = 0.0;
      // values of coordinates do not carry forces of rows on velocities
      if (s->rate_rows && !s->coupling->arg[k].rate) continue;
      for (int32_t l = 0; l < n; l++) f -= p->lam[s->row0] * h[k * n + l] * gx[l];
      for (int side = 0; side < 2; side++) {
        if (s[k].body[side] == HK_GROUND) continue;
        widen(c, g + 2 * nd * k + nd * side, w);
        s6_axpy(dW + 6 * s[k].body[side], f, w);
      }
    }
  }
}

void hki_partition_pair_columns(hk_partition *p, const double *x, const double *dV, double *dW) {
  memset(dW, 0, (size_t)(6 * p->c->m->nb) * sizeof *dW);
  for (int32_t i = 0; i < p->npair; i++) pair_column(p, &p->pair[i], x, dV, dW);
  if (p->c->m->nwide) wide_columns(p, x, dV, dW);
  if (p->c->m->nslope && p->par.tangent != HK_PARTITION_FV) bend_columns(p, x, dV, dW);
  for (int32_t i = 0; i < p->ninput; i++) {
    const hk_partition_input *in = &p->input[i];
    double du = 0.0, dw[12];
    for (int32_t k = 0; k < p->n; k++) du += in->pose[k] * x[k] + in->twist[k] * dV[k];
    for (int k = 0; k < 12; k++) dw[k] = in->Wu[k] * du;
    put_wrenches(&p->pair[in->force], dw, dW);
  }
}

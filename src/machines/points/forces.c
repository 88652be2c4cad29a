/* SPDX-License-Identifier: Apache-2.0
 *
 * forces.c: applied forces in natural coordinates and their tangents.
 *
 *   Q = sum over markers of J'w                    J': the map of points.h
 *   K = s_q' (df/ds) s_q,  C = s_q' (df/dsd) s_q   s: deformations of an element, f their forces
 *   inputs u that read channels:
 *   K += -(dQ/du)(du/dq),  C += -(dQ/du)(du/dv)
 *
 * du/dq: derivatives of signals by what they read, from the last signal to the first, times the
 * gradients of the channels.
 */
#include "machines/points/points.h"
#include "kinematics/element.h"

/* n->F += scale times wrenches w (nmark x 6) on markers, as forces on the poses of their bodies */
static void add_wrenches(hk_points *n, const int32_t *body, const hk_offset *const *marker,
                         int32_t nmark, const double *w, double scale) {
  double F[12];
  const int size = n->planar ? 4 : 12;
  for (int32_t s = 0; s < nmark; s++) {
    if (body[s] == HK_GROUND) continue;
    hki_points_pull(n, n->X + 12 * body[s], marker[s]->p, w + 6 * s, F);
    for (int i = 0; i < size; i++) n->F[12 * body[s] + i] += scale * F[i];
  }
}

/* g += scale times covectors w (nmark x 6) at markers, in the coordinates of the entered clique */
static void pull_row(hk_points *n, const int32_t *body, const hk_offset *const *marker,
                     int32_t nmark, const double *w, double scale, double *g) {
  double F[12], c[6];
  for (int32_t s = 0; s < nmark; s++) {
    if (body[s] == HK_GROUND) continue;
    for (int i = 0; i < 6; i++) c[i] = scale * w[6 * s + i];
    hki_points_pull(n, n->X + 12 * body[s], marker[s]->p, c, F);
    hki_points_scatter(n, body[s], F, g);
  }
}

static void clear(double *x, int32_t n) { memset(x, 0, (size_t)n * sizeof *x); }

/* an element on a joint coordinate c: wrenches tau g, gradient, ks, cs, fu */
static void scalar_force(hk_points *n, int32_t fi, const hk_joint_coord *c, const int32_t *body,
                         const hk_offset *const *marker, const hk_element_out *out, bool tangent) {
  hk_points_force *f = &n->force[fi];
  double g[12];
  s6_copy(g, c->gA);
  s6_copy(g + 6, c->gB);
  add_wrenches(n, body, marker, 2, g, out->tau);
  if (!tangent) return;
  hki_points_enter(n, &f->q);
  clear(f->q.g, f->q.n);
  pull_row(n, body, marker, 2, g, 1.0, f->q.g);
  f->ks[0] = out->K[0];
  f->cs[0] = out->C[0];
  for (int32_t i = 0; f->fu && i < n->m->forces[fi].ops->nu; i++)
    for (int32_t j = 0; j < f->q.n; j++) f->fu[i * f->q.n + j] = out->Wu[12 * i] * f->q.g[j];
}

/* gradients of the deformations, ks, cs and fu of an element between markers */
static void marker_tangent(hk_points *n, int32_t fi, const hk_offset *const *marker,
                           const hk_element_out *out) {
  const hk_model_force *mf = &n->m->forces[fi];
  hk_points_force *f = &n->force[fi];
  hki_points_enter(n, &f->q);
  clear(f->q.g, f->q.nrows * f->q.n);
  for (int32_t r = 0; r < f->q.nrows; r++) {
    pull_row(n, mf->body, marker, mf->ops->nmark, out->B + 12 * r, 1.0, f->q.g + r * f->q.n);
    for (int32_t c = 0; c < f->q.nrows; c++) {
      f->ks[6 * r + c] = out->ks[6 * r + c];
      f->cs[6 * r + c] = out->cs[6 * r + c];
    }
  }
  if (!f->fu) return;
  clear(f->fu, mf->ops->nu * f->q.n);
  for (int32_t i = 0; i < mf->ops->nu; i++)
    pull_row(n, mf->body, marker, mf->ops->nmark, out->Wu + 12 * i, 1.0, f->fu + i * f->q.n);
}

static void eval_force(hk_points *n, int32_t fi, bool tangent) {
  const hk_model_force *mf = &n->m->forces[fi];
  if (!mf->ops->nscal && !mf->ops->nmark) return;
  hk_kin *k = &n->it;
  hk_frame F[HK_ELEMENT_MARKERS];
  hk_element_out out;
  hk_joint_coord c = {0};
  int32_t body[2];
  const hk_offset *marker[2] = {&mf->marker[0], &mf->marker[1]};
  uint32_t need = HK_NEED_FORCE;
  if (tangent) need |= mf->ops->nscal ? HK_NEED_EXACT : HK_NEED_TANGENT;
  if (tangent && n->force[fi].fu) need |= HK_NEED_INPUT;
  if (mf->u_varies) hki_kin_force_inputs(k, fi);
  for (int32_t s = 0; s < mf->ops->nmark; s++) hki_points_marker(n, mf->body[s], marker[s], &F[s]);
  if (mf->ops->nscal) hki_points_scalar(n, mf->scalar, &c, body, marker);
  hk_element_in in;
  hki_kin_element_in(k, fi, F, c.s, c.sd, &in);
  hki_kin_element(k, fi, &in, need, &out);
  if (mf->ops->nscal) {
    scalar_force(n, fi, &c, body, marker, &out, tangent);
  } else {
    add_wrenches(n, mf->body, marker, mf->ops->nmark, out.w, 1.0);
    if (tangent) marker_tangent(n, fi, marker, &out);
  }
}

void hki_points_find_states(hk_points *n) {
  for (int32_t f = 0; f < n->m->nf; f++)
    if (n->m->forces[f].nz) eval_force(n, f, false);
}

/* r -= C' F: forces on poses as forces on coordinates */
static void collect(const hk_points *n, double *r) {
  for (int32_t b = 0; b < n->m->nb; b++) {
    const hk_points_map *m = &n->map[b];
    const double *F = n->F + 12 * b;
    for (int32_t i = 0; i < m->nblk; i++) {
      const double *C = m->C + 4 * i;
      double *e = r + n->d * m->blk[i];
      if (n->planar) {
        e[0] -= C[0] * F[0] + C[1] * F[1] + C[2] * F[2] + C[3] * F[3];
        e[1] -= C[0] * F[1] - C[1] * F[0] + C[2] * F[3] - C[3] * F[2];
      } else {
        for (int j = 0; j < 3; j++)
          e[j] -= C[0] * F[j] + C[1] * F[3 + j] + C[2] * F[6 + j] + C[3] * F[9 + j];
      }
    }
  }
}

void hki_points_forces(hk_points *n, bool tangent, double *r) {
  for (int32_t i = 0; i < n->n; i++) r[i] -= n->weight[i];
  if (!n->m->nf && !n->m->nwide) return;
  clear(n->F, 12 * n->m->nb);
  for (int32_t f = 0; f < n->m->nf; f++) eval_force(n, f, tangent);
  if (n->m->nwide) hki_points_wide_forces(n);
  collect(n, r);
}

/* --- inputs that read channels ---------------------------------------------------------------- */

/* row += slope times the gradient of a joint coordinate (of its rate: the same by v) */
static void scalar_slope(hk_points *n, int32_t scalar, double slope, double *row) {
  hk_joint_coord c;
  int32_t body[2];
  const hk_offset *marker[2];
  double g[12];
  hki_points_scalar(n, scalar, &c, body, marker);
  s6_copy(g, c.gA);
  s6_copy(g + 6, c.gB);
  pull_row(n, body, marker, 2, g, slope, row);
}

/* gq, gv += slope times the gradients of a channel by q and v, in the entered clique */
static void channel_slope(hk_points *n, hk_channel c, double slope, double *gq, double *gv) {
  const hk_model *m = n->m;
  static const hk_offset centre = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};
  hk_offset o = centre;
  const hk_offset *marker = &o;
  int32_t body = HK_GROUND;
  double g[6] = {0};
  switch ((hk_channel_kind)c.kind) {
    case HK_CH_JOINT_COORD:
      scalar_slope(n, m->joints[c.item].scalar0 + c.component, slope, gq);
      return;
    case HK_CH_JOINT_RATE:
      scalar_slope(n, m->joints[c.item].scalar0 + c.component, slope, gv);
      return;
    case HK_CH_BODY_POSITION:
    case HK_CH_BODY_VELOCITY:
    case HK_CH_BODY_ANGULAR_VELOCITY:
      body = m->body_of_spec[c.item];
      marker = &m->bodies[body].own;
      break;
    case HK_CH_BODY_COM_POSITION:
    case HK_CH_BODY_COM_VELOCITY:
      body = m->body_of_spec[c.item];
      break;
    case HK_CH_MARKER_POSITION:
    case HK_CH_MARKER_VELOCITY:
      if (m->spec->markers[c.item].body == HK_GROUND) return;
      body = m->body_of_spec[m->spec->markers[c.item].body];
      v3_sub(o.p, m->spec->markers[c.item].at.p, m->bodies[body].com0);
      break;
    default:
      return; // other channels are left out of the tangent
  }
  bool rate = c.kind == HK_CH_BODY_VELOCITY || c.kind == HK_CH_BODY_COM_VELOCITY ||
              c.kind == HK_CH_MARKER_VELOCITY || c.kind == HK_CH_BODY_ANGULAR_VELOCITY;
  g[(c.kind == HK_CH_BODY_ANGULAR_VELOCITY ? 0 : 3) + c.component] = 1.0;
  pull_row(n, &body, &marker, 1, g, slope, rate ? gv : gq);
}

/* gq, gv += gradients of a signal by q and v, in the entered clique */
static void signal_slopes(hk_points *n, int32_t signal, double *gq, double *gv) {
  hk_kin *k = &n->it;
  clear(n->bar, signal + 1);
  n->bar[signal] = 1.0;
  for (int32_t s = signal; s >= 0; s--) {
    if (n->bar[s] == 0.0 || !k->sig_state[s]) continue;
    const hk_spec_signal *sp = &n->m->spec->signals[s];
    hki_kin_signal_slopes(k, s, n->part);
    for (int32_t i = 0; i < sp->nreads; i++) {
      const hk_read *rd = &sp->reads[i];
      double slope = n->bar[s] * n->part[i];
      if (slope == 0.0) continue;
      if (rd->kind == HK_READ_SIGNAL) n->bar[rd->signal] += slope;
      if (rd->kind == HK_READ_CHANNEL && k->seen_of[k->seen0[s] + i] < 0)
        channel_slope(n, rd->channel, slope, gq, gv);
    }
  }
}

/* slope of input u of a force along the coordinates of the entered blocks, added to V; rate: scratch,
 * both n numbers */
static void input_slope(hk_points *n, int32_t signal, double cC, double cK, int32_t count,
                        double *V, double *rate) {
  clear(V, count);
  clear(rate, count);
  signal_slopes(n, signal, V, rate);
  for (int32_t i = 0; i < count; i++) V[i] = cK * V[i] + cC * rate[i];
}

void hki_points_add_inputs(hk_points *n, int32_t fi, double cC, double cK, double *tri) {
  const hk_points_force *f = &n->force[fi];
  const hk_spec_force *sf = &n->m->spec->forces[n->m->forces[fi].spec];
  const int32_t nn = f->q.n;
  hki_points_enter(n, &f->q);
  for (int32_t u = 0; u < sf->ops->nu; u++) {
    if (!(f->own >> u & 1u)) continue;
    const double *fu = f->fu + u * nn;
    input_slope(n, sf->u_signal[u], cC, cK, nn, n->gq, n->gv);
    // symmetric but for round-off
    for (int32_t i = 0, at = 0; i < nn; i++)
      for (int32_t j = 0; j <= i; j++) tri[at++] -= 0.5 * (fu[i] * n->gq[j] + fu[j] * n->gq[i]);
  }
}

/* terms of scalar unknowns, as hki_net_terms lists them */
static void network_terms(hk_points *n, double cC, double cK) {
  for (int32_t i = n->border.rank; i < n->border.most; i++) {
    const hk_border_term *t = &n->border.term[i];
    double *U, *V;
    hki_border_add(&n->border, &U, &V);
    if (t->part == HK_TERM_NODE) {
      input_slope(n, n->m->spec->nodes[n->m->held[t->owner]].signal, cC, cK, n->n, V, n->y);
      continue;
    }
    const hk_points_clique *q = &n->force[t->owner].q;
    for (int32_t j = 0; j < q->n; j++) {
      const int32_t at = n->d * q->blk[j / n->d] + j % n->d;
      V[at] = q->g[j], U[at] = -q->g[j];
    }
  }
}

void hki_points_border_terms(hk_points *n, double cC, double cK) {
  hki_border_clear(&n->border);
  if (!n->border.most) return;
  for (int32_t b = 0; b < n->nblk; b++) n->pos[b] = b; // all blocks, in their own places
  for (int32_t fi = 0; fi < n->m->nf; fi++) {
    const hk_points_force *f = &n->force[fi];
    const hk_spec_force *sf = &n->m->spec->forces[n->m->forces[fi].spec];
    for (int32_t u = 0; f->other && u < sf->ops->nu; u++) {
      double *U, *V;
      if (!(f->other >> u & 1u)) continue;
      hki_border_add(&n->border, &U, &V);
      for (int32_t i = 0; i < f->q.n; i++)
        U[n->d * f->q.blk[i / n->d] + i % n->d] = -f->fu[u * f->q.n + i];
      input_slope(n, sf->u_signal[u], cC, cK, n->n, V, n->y);
    }
  }
  network_terms(n, cC, cK);
}

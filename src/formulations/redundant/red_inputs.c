/* SPDX-License-Identifier: Apache-2.0
 *
 * red_inputs.c: force inputs that read channels: -dW/dx = -(dW/du)(du/dx), du/dx from the slopes of
 * the signals, swept from the last to the first, and the gradients of the channels they read. Rates
 * count by their slope in the rates alone.
 */
#include "formulations/redundant/red.h"

#define POOL(r, type, n) ((type *)hki_pool_alloc((r)->c->pool, (size_t)(n) * sizeof(type)))

/* bodies that a channel depends on; 0, 1 or 2 */
static int32_t channel_bodies(const hk_cart *c, hk_channel ch, int32_t *body) {
  const hk_model *m = c->m;
  switch ((hk_channel_kind)ch.kind) {
    case HK_CH_JOINT_COORD:
    case HK_CH_JOINT_RATE:
      memcpy(body, c->scalar[m->joints[ch.item].scalar0 + ch.component].body, 2 * sizeof *body);
      return 2;
    case HK_CH_BODY_POSITION:
    case HK_CH_BODY_VELOCITY:
    case HK_CH_BODY_ANGULAR_VELOCITY:
    case HK_CH_BODY_COM_POSITION:
    case HK_CH_BODY_COM_VELOCITY:
      body[0] = m->body_of_spec[ch.item];
      return 1;
    case HK_CH_MARKER_POSITION:
    case HK_CH_MARKER_VELOCITY:
      if (m->spec->markers[ch.item].body == HK_GROUND) return 0;
      body[0] = m->body_of_spec[m->spec->markers[ch.item].body];
      return 1;
    default:
      return 0; // no slope worth having: Newton does without
  }
}

static void note(hk_red_input *in, int32_t body) {
  if (body == HK_GROUND) return;
  for (int32_t i = 0; i < in->nread; i++)
    if (in->read[i] == body) return;
  in->read[in->nread++] = body;
}

static void note_signal(const hk_cart *c, hk_red_input *in, int32_t signal) {
  const hk_spec_signal *s = &c->m->spec->signals[signal];
  for (int32_t i = 0; i < s->nreads; i++) {
    int32_t body[2];
    if (s->reads[i].kind == HK_READ_SIGNAL) note_signal(c, in, s->reads[i].signal);
    if (s->reads[i].kind != HK_READ_CHANNEL) continue;
    int32_t n = channel_bodies(c, s->reads[i].channel, body);
    for (int32_t k = 0; k < n; k++) note(in, body[k]);
  }
}

/* bodies that a force acts on */
static void acts_on(const hk_cart *c, int32_t fi, int32_t *body) {
  const hk_model_force *f = &c->m->forces[fi];
  body[0] = body[1] = HK_GROUND;
  for (int32_t s = 0; s < f->ops->nmark; s++) body[s] = f->body[s];
  if (f->ops->nscal) memcpy(body, c->scalar[f->scalar].body, 2 * sizeof *body);
}

bool hki_red_find_inputs(hk_red *r) {
  const hk_cart *c = r->c;
  int32_t most = 0;
  for (int32_t f = 0; f < c->m->nf; f++) most += c->m->forces[f].ops->nu;
  r->input = POOL(r, hk_red_input, most + 1);
  if (!r->input) return false;
  for (int32_t f = 0; f < c->m->nf; f++) {
    const hk_spec_force *sf = &c->m->spec->forces[c->m->forces[f].spec];
    for (int32_t u = 0; u < sf->ops->nu; u++) {
      if (sf->u_signal[u] == HK_NONE || !c->it.sig_state[sf->u_signal[u]]) continue;
      hk_red_input *in = &r->input[r->ninput++];
      *in = (hk_red_input){.force = f, .input = u, .signal = sf->u_signal[u]};
      in->read = POOL(r, int32_t, c->m->nb + 1);
      if (!in->read) return false;
      note_signal(c, in, in->signal);
      in->slot = POOL(r, int32_t, 2 * c->nd * c->nd * in->nread + 1);
      if (!in->slot) return false;
    }
  }
  return true;
}

void hki_red_pattern_inputs(const hk_red *r, hk_pattern *p) {
  const hk_cart *c = r->c;
  for (int32_t n = 0; n < r->ninput; n++) {
    const hk_red_input *in = &r->input[n];
    int32_t body[2], rows[6], cols[6];
    acts_on(c, in->force, body);
    for (int k = 0; k < 2; k++)
      for (int32_t b = 0; body[k] != HK_GROUND && b < in->nread; b++) {
        for (int32_t i = 0; i < c->nd; i++)
          rows[i] = c->nd * body[k] + i, cols[i] = c->nd * in->read[b] + i;
        hki_pattern_rect(p, c->nd, rows, c->nd, cols);
      }
  }
}

void hki_red_slot_inputs(hk_red *r) {
  const int32_t nd = r->c->nd;
  for (int32_t n = 0; n < r->ninput; n++) {
    hk_red_input *in = &r->input[n];
    int32_t body[2], at = 0;
    acts_on(r->c, in->force, body);
    for (int32_t i = 0; i < 2 * nd; i++)
      for (int32_t j = 0; j < in->nread * nd; j++)
        in->slot[at++] = body[i / nd] == HK_GROUND
                             ? -1
                             : hki_linsolve_slot(r->ls, nd * body[i / nd] + i % nd,
                                                 nd * in->read[j / nd] + j % nd);
  }
}

/* add a covector at point p of a body to a gradient in x */
static void add_covector(const hk_cart *c, int32_t body, const double *p, const double *g,
                         double slope, double *out) {
  double w[6], z[6], d[3];
  if (body == HK_GROUND) return;
  v3_sub(d, p, c->it.frame[body].p);
  s6_wrench_to_origin(w, g, d);
  hki_cart_reduce(c, w, z);
  for (int32_t i = 0; i < c->nd; i++) out[c->nd * body + i] += slope * z[i];
}

static void channel_slope(hk_red *r, hk_channel ch, double slope) {
  const hk_cart *c = r->c;
  const hk_model *m = c->m;
  int32_t body[2];
  double g[6] = {0};
  hk_offset o = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};
  hk_frame F;
  if (!channel_bodies(c, ch, body)) return;
  if (ch.kind == HK_CH_JOINT_COORD || ch.kind == HK_CH_JOINT_RATE) {
    hk_joint_coord x;
    hk_frame M[2];
    hki_cart_scalar(c, &c->scalar[m->joints[ch.item].scalar0 + ch.component], &x, M);
    double *to = ch.kind == HK_CH_JOINT_COORD ? r->gq : r->gv;
    add_covector(c, body[0], M[0].p, x.gA, slope, to);
    add_covector(c, body[1], M[1].p, x.gB, slope, to);
    return;
  }
  if (ch.kind == HK_CH_BODY_POSITION || ch.kind == HK_CH_BODY_VELOCITY) o = m->bodies[body[0]].own;
  if (ch.kind == HK_CH_MARKER_POSITION || ch.kind == HK_CH_MARKER_VELOCITY)
    v3_sub(o.p, m->spec->markers[ch.item].at.p, m->bodies[body[0]].com0);
  bool rate = ch.kind != HK_CH_BODY_POSITION && ch.kind != HK_CH_BODY_COM_POSITION &&
              ch.kind != HK_CH_MARKER_POSITION;
  g[(ch.kind == HK_CH_BODY_ANGULAR_VELOCITY ? 0 : 3) + ch.component] = 1.0;
  hki_kin_marker(&c->it, body[0], &o, &F);
  add_covector(c, body[0], F.p, g, slope, rate ? r->gv : r->gq);
}

/* gradients of a signal in x and its rate, into gq and gv */
static void signal_slopes(hk_red *r, int32_t signal) {
  hk_kin *k = &r->c->it;
  memset(r->bar, 0, (size_t)(signal + 1) * sizeof *r->bar);
  r->bar[signal] = 1.0;
  for (int32_t s = signal; s >= 0; s--) {
    if (r->bar[s] == 0.0 || !k->sig_state[s]) continue;
    const hk_spec_signal *sp = &r->c->m->spec->signals[s];
    hki_kin_signal_slopes(k, s, r->part);
    for (int32_t i = 0; i < sp->nreads; i++) {
      const hk_read *rd = &sp->reads[i];
      double slope = r->bar[s] * r->part[i];
      if (slope == 0.0) continue;
      if (rd->kind == HK_READ_SIGNAL) r->bar[rd->signal] += slope;
      if (rd->kind == HK_READ_CHANNEL && k->seen_of[k->seen0[s] + i] < 0)
        channel_slope(r, rd->channel, slope);
    }
  }
}

void hki_red_add_inputs(hk_red *r, int32_t fi, const int32_t *body, const hk_frame *F,
                        const hk_element_out *out, double cC, double cK) {
  const hk_cart *c = r->c;
  const int32_t nd = c->nd;
  for (int32_t n = 0; n < r->ninput; n++) {
    const hk_red_input *in = &r->input[n];
    if (in->force != fi) continue;
    for (int32_t b = 0; b < in->nread; b++) {
      memset(r->gq + nd * in->read[b], 0, (size_t)nd * sizeof *r->gq);
      memset(r->gv + nd * in->read[b], 0, (size_t)nd * sizeof *r->gv);
    }
    signal_slopes(r, in->signal);
    for (int k = 0; k < 2; k++) {
      double w[6], z[6], d[3];
      if (body[k] == HK_GROUND) continue;
      v3_sub(d, F[k].p, c->it.frame[body[k]].p);
      s6_wrench_to_origin(w, out->Wu + 12 * in->input + 6 * k, d);
      hki_cart_reduce(c, w, z);
      for (int32_t i = 0; i < nd; i++)
        for (int32_t j = 0; j < in->nread * nd; j++) {
          int32_t at = in->slot[(nd * k + i) * in->nread * nd + j];
          int32_t v = nd * in->read[j / nd] + j % nd;
          if (at >= 0) r->ls->val[at] -= z[i] * (cK * r->gq[v] + cC * r->gv[v]);
        }
    }
  }
}

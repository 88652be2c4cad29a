/* SPDX-License-Identifier: Apache-2.0
 *
 * inputs.c: tangents of force inputs u that read channels.
 *
 *   K = -(dW/du)(du/dx)                    C = -(dW/du)(du/dv)           rows of bodies
 *   dF/du du/dx, dF/du du/dv                                             rows of scalar unknowns
 *
 * du/dx, du/dv: derivatives of signals by what they read, from the last signal to the first, times
 * the gradients of the channels. Values of scalar unknowns that a signal reads count as velocities.
 */
#include "formulations/redundant/redundant.h"

#define POOL(r, type, n) ((type *)hki_pool_alloc((r)->c->pool, (size_t)(n) * sizeof(type)))

/* body: bodies that a channel depends on; returns their number, 0 to 2 */
static int32_t channel_bodies(const hk_bodies *c, hk_channel ch, int32_t *body) {
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
      return 0; // other channels are left out of the tangent
  }
}

/* adds a body to in->read, once */
static void note(hk_redundant_input *in, int32_t body) {
  if (body == HK_GROUND) return;
  for (int32_t i = 0; i < in->nread; i++)
    if (in->read[i] == body) return;
  in->read[in->nread++] = body;
}

/* adds a scalar unknown to in->value, once */
static void note_value(const hk_bodies *c, hk_redundant_input *in, int32_t value) {
  if (value == HK_NONE || value >= c->nx) return;
  for (int32_t i = 0; i < in->nvalue; i++)
    if (in->value[i] == value) return;
  in->value[in->nvalue++] = value;
}

/* adds all that a signal reads, through other signals too; seen[signal] == turn: it has been added */
static void note_signal(const hk_bodies *c, hk_redundant_input *in, int32_t signal, int32_t *seen,
                        int32_t turn) {
  const hk_spec_signal *s = &c->m->spec->signals[signal];
  if (seen[signal] == turn) return;
  seen[signal] = turn;
  for (int32_t i = 0; i < s->nreads; i++) {
    int32_t body[2];
    if (s->reads[i].kind == HK_READ_SIGNAL) note_signal(c, in, s->reads[i].signal, seen, turn);
    if (s->reads[i].kind != HK_READ_CHANNEL) continue;
    note_value(c, in, hki_kin_channel_value(&c->it, s->reads[i].channel));
    int32_t n = channel_bodies(c, s->reads[i].channel, body);
    for (int32_t k = 0; k < n; k++) note(in, body[k]);
  }
}

/* body[2]: bodies that a force acts on, HK_GROUND where there is none */
static void acts_on(const hk_bodies *c, int32_t fi, int32_t *body) {
  const hk_model_force *f = &c->m->forces[fi];
  body[0] = body[1] = HK_GROUND;
  for (int32_t s = 0; s < f->ops->nmark; s++) body[s] = f->body[s];
  if (f->ops->nscal) memcpy(body, c->scalar[f->scalar].body, 2 * sizeof *body);
}

/* in->row, in->col and memory for in->slot; false: no memory */
static bool find_rows(const hk_redundant *r, hk_redundant_input *in) {
  const hk_bodies *c = r->c;
  const hk_model_force *f = &c->m->forces[in->force];
  int32_t body[2];
  acts_on(c, in->force, body);
  in->row = POOL(r, int32_t, 2 * c->nd + HK_ELEMENT_UNKNOWNS);
  in->col = POOL(r, int32_t, c->nd * in->nread + in->nvalue + 1);
  if (!in->row || !in->col) return false;
  for (int32_t i = 0; i < 2 * c->nd; i++)
    in->row[in->nrow++] = hki_bodies_entry(c, body[i / c->nd], i % c->nd);
  for (int32_t i = 0; i < f->ops->nnode + f->ops->nown; i++)
    in->row[in->nrow++] = f->x[i] < c->nx ? c->nb + f->x[i] : -1;
  for (int32_t j = 0; j < in->nread; j++)
    for (int32_t i = c->lack[in->read[j]]; i < c->nd; i++)
      in->col[in->ncol++] = c->v0[in->read[j]] + i;
  for (int32_t j = 0; j < in->nvalue; j++) in->col[in->ncol++] = c->nb + in->value[j];
  in->slot = POOL(r, int32_t, in->nrow * in->ncol + 1);
  return in->slot != NULL;
}

bool hki_redundant_find_inputs(hk_redundant *r) {
  const hk_bodies *c = r->c;
  int32_t most = 0;
  for (int32_t f = 0; f < c->m->nf; f++) most += c->m->forces[f].ops->nu;
  r->input = POOL(r, hk_redundant_input, most + 1);
  int32_t *seen = POOL(r, int32_t, c->m->spec->nsignals + 1);
  if (!r->input || !seen) return false;
  for (int32_t f = 0; f < c->m->nf; f++) {
    const hk_spec_force *sf = &c->m->spec->forces[c->m->forces[f].spec];
    for (int32_t u = 0; u < sf->ops->nu; u++) {
      if (sf->u_signal[u] == HK_NONE || !c->it.sig_state[sf->u_signal[u]]) continue;
      hk_redundant_input *in = &r->input[r->ninput++];
      *in = (hk_redundant_input){.force = f, .input = u, .signal = sf->u_signal[u]};
      in->read = POOL(r, int32_t, c->m->nb + 1);
      in->value = POOL(r, int32_t, c->nx + 1);
      if (!in->read || !in->value) return false;
      note_signal(c, in, in->signal, seen, r->ninput);
      if (!find_rows(r, in)) return false;
    }
  }
  return true;
}

void hki_redundant_pattern_inputs(const hk_redundant *r, hk_pattern *p) {
  for (int32_t n = 0; n < r->ninput; n++) {
    const hk_redundant_input *in = &r->input[n];
    for (int32_t i = 0; i < in->nrow; i++)
      if (in->row[i] >= 0) hki_pattern_rect(p, 1, &in->row[i], in->ncol, in->col);
  }
}

void hki_redundant_slot_inputs(hk_redundant *r) {
  for (int32_t n = 0; n < r->ninput; n++) {
    hk_redundant_input *in = &r->input[n];
    for (int32_t i = 0; i < in->nrow; i++)
      for (int32_t j = 0; j < in->ncol; j++)
        in->slot[i * in->ncol + j] =
            in->row[i] < 0 ? -1 : hki_linsolve_entry(r->ls, in->row[i], in->col[j]);
  }
}

/* adds slope times a covector g at point p of a body to r->gq (of a position), or to r->gv by rates
 * of increments (of a rate; then r->gq gains the turning of the rate with the body) */
static void add_covector(hk_redundant *r, int32_t body, const double *p, const double *g,
                         double slope, bool rate) {
  const hk_bodies *c = r->c;
  double w[6], z[6], d[3], u[3], turn[6] = {0};
  if (body == HK_GROUND) return;
  const hk_frame *f = &c->it.frame[body];
  const int32_t at = c->v0[body], first = c->lack[body];
  v3_sub(d, p, f->p);
  s6_wrench_to_origin(w, g, d);
  hki_bodies_reduce(c, w, z);
  if (!rate) {
    for (int32_t i = first; i < c->nd; i++) r->gq[at + i] += slope * z[i];
    return;
  }
  if (!c->planar) m3_tmulv(z, r->N + 9 * body, w);
  for (int32_t i = first; i < c->nd; i++) r->gv[at + i] += slope * z[i];
  v3_cross(u, f->w, d);
  v3_cross(turn, f->w, g);
  v3_cross_add(turn, u, g + 3);
  hki_bodies_reduce(c, turn, z);
  for (int32_t i = first; i < c->nd; i++) r->gq[at + i] += slope * z[i];
}

/* the same for a joint coordinate or its rate */
static void joint_slope(hk_redundant *r, hk_channel ch, double slope) {
  const hk_bodies *c = r->c;
  const hk_bodies_coord *s = &c->scalar[c->m->joints[ch.item].scalar0 + ch.component];
  hk_redundant_coord q = {{0}, {0}, {0}};
  hki_redundant_coordinate(r, s, &q);
  for (int32_t i = 0; i < 2 * c->nd; i++) {
    const int32_t at = hki_bodies_entry(c, s->body[i / c->nd], i % c->nd);
    if (at < 0) continue;
    if (ch.kind == HK_CH_JOINT_COORD) r->gq[at] += slope * q.g[i];
    if (ch.kind == HK_CH_JOINT_RATE) r->gv[at] += slope * q.gN[i], r->gq[at] += slope * q.h[i];
  }
}

/* the same for any channel */
static void channel_slope(hk_redundant *r, hk_channel ch, double slope) {
  const hk_bodies *c = r->c;
  const hk_model *m = c->m;
  int32_t body[2];
  double g[6] = {0};
  hk_offset o = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};
  hk_frame F;
  const int32_t value = hki_kin_channel_value(&c->it, ch);
  if (value != HK_NONE && value < c->nx) r->gv[c->nb + value] += slope;
  if (!channel_bodies(c, ch, body)) return;
  if (ch.kind == HK_CH_JOINT_COORD || ch.kind == HK_CH_JOINT_RATE) {
    joint_slope(r, ch, slope);
    return;
  }
  if (ch.kind == HK_CH_BODY_POSITION || ch.kind == HK_CH_BODY_VELOCITY) o = m->bodies[body[0]].own;
  if (ch.kind == HK_CH_MARKER_POSITION || ch.kind == HK_CH_MARKER_VELOCITY)
    v3_sub(o.p, m->spec->markers[ch.item].at.p, m->bodies[body[0]].com0);
  bool rate = ch.kind != HK_CH_BODY_POSITION && ch.kind != HK_CH_BODY_COM_POSITION &&
              ch.kind != HK_CH_MARKER_POSITION;
  g[(ch.kind == HK_CH_BODY_ANGULAR_VELOCITY ? 0 : 3) + ch.component] = 1.0;
  hki_kin_marker(&c->it, body[0], &o, &F);
  add_covector(r, body[0], F.p, g, slope, rate);
}

/* r->gq, r->gv += du/dx, du/dv of a signal */
static void signal_slopes(hk_redundant *r, int32_t signal) {
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

/* z (nrow): -dW/du of both bodies about their centres of mass, then scale dF/du of the force's
 * scalar unknowns */
static void input_column(const hk_redundant *r, const hk_redundant_input *in, const int32_t *body,
                         const hk_frame *F, const hk_element_out *out, double scale, double *z) {
  const hk_bodies *c = r->c;
  for (int k = 0; k < 2; k++) {
    double w[6], d[3], y[6];
    if (body[k] == HK_GROUND) continue;
    v3_sub(d, F[k].p, c->it.frame[body[k]].p);
    s6_wrench_to_origin(w, out->Wu + 12 * in->input + 6 * k, d);
    hki_bodies_reduce(c, w, y);
    for (int32_t i = 0; i < c->nd; i++) z[c->nd * k + i] = -y[i];
  }
  for (int32_t i = 2 * c->nd; i < in->nrow; i++)
    z[i] = out->Fu[HK_ELEMENT_UNKNOWNS * in->input + i - 2 * c->nd] * scale;
}

void hki_redundant_add_inputs(hk_redundant *r, int32_t fi, const int32_t *body, const hk_frame *F,
                              const hk_element_out *out, double cC, double cK, double scale) {
  for (int32_t n = 0; n < r->ninput; n++) {
    const hk_redundant_input *in = &r->input[n];
    double z[12 + HK_ELEMENT_UNKNOWNS] = {0};
    if (in->force != fi) continue;
    for (int32_t j = 0; j < in->ncol; j++) r->gq[in->col[j]] = r->gv[in->col[j]] = 0.0;
    signal_slopes(r, in->signal);
    input_column(r, in, body, F, out, scale, z);
    for (int32_t i = 0; i < in->nrow; i++)
      for (int32_t j = 0; j < in->ncol; j++) {
        const int32_t at = in->slot[i * in->ncol + j], v = in->col[j];
        if (at >= 0) r->ls->val[at] += z[i] * (cK * r->gq[v] + cC * r->gv[v]);
      }
  }
}

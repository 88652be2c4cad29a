/* SPDX-License-Identifier: Apache-2.0
 *
 * compile_couplings.c: relations between coordinates of joints.
 *
 *   phi = sum c_i s_i + c0 + f(s, t)                    rows on positions
 *   psi = f(ds/dt, s, t)                                rows on velocities
 *
 * s are coordinates of joints; of rows on velocities and of servos also what is measured of bodies and
 * markers (senses.c). f is a signal: an expression, a table or another function of these, of time, and of
 * signals of these. Its derivatives are those along straight lines of its arguments, each signal on
 * the way carried with its first two derivatives (hki_coupling_along).
 */
#include <stdio.h>

#include "model/work.h"

typedef struct build {
  hk_work *w;
  int32_t joint, row;
  hk_coupled arg[HK_COUPLED];
  int32_t n;
  int32_t order[HK_COUPLING_SIGNALS];
  int32_t norder;
} build;

static const hk_spec_joint *of(const build *b) { return &b->w->spec->joints[b->joint]; }

static bool refuse(const build *b, hk_loc loc, const char *hint, const char *what) {
  hki_error(b->w->ctx, HK_E_MODEL, loc, hint, "%s '%s': %s", of(b)->ops->name, of(b)->name, what);
  return false;
}

/* the argument for a coordinate or its rate, a new one where there is none; NULL: too many */
static hk_coupled *argument(build *b, int32_t scalar, bool rate) {
  for (int32_t i = 0; i < b->n; i++)
    if (b->arg[i].scalar == scalar && b->arg[i].rate == rate) return &b->arg[i];
  if (b->n == HK_COUPLED) return NULL;
  b->arg[b->n] = (hk_coupled){.scalar = scalar, .rate = rate};
  return &b->arg[b->n++];
}

/* the argument that a read of signal si stands for */
static bool add_read(build *b, int32_t si, const hk_read *r) {
  const hk_spec *spec = b->w->spec;
  const hk_channel ch = r->channel;
  const bool rates = of(b)->ops->caps & HK_JOINT_RATES, rate = ch.kind == HK_CH_JOINT_RATE;
  const bool servo = of(b)->ops->caps & HK_JOINT_SERVO;
  char name[200], what[400];
  const hk_spec_sense *sense = rates || servo ? hki_spec_sense(spec, ch) : NULL;
  if (sense && (rates || !sense->rate)) {
    if (argument(b, b->w->m->joints[sense->joint].scalar0 + sense->coord, sense->rate)) return true;
    return refuse(b, of(b)->loc, NULL, "it relates more than 64 coordinates");
  }
  if ((rate && rates) || ch.kind == HK_CH_JOINT_COORD) {
    if (argument(b, b->w->m->joints[ch.item].scalar0 + ch.component, rate)) return true;
    return refuse(b, of(b)->loc, NULL, "it relates more than 64 coordinates");
  }
  hki_channel_name(spec, ch, name, sizeof name);
  snprintf(what, sizeof what, "it reads %s, which is no %s", name,
           rates   ? "velocity or position"
           : servo ? "position"
                   : "coordinate of a joint");
  return refuse(
      b, spec->signals[si].loc,
      rates   ? "an expression of velocities and positions of joints, bodies and markers, and t"
      : servo ? "an expression of joint coordinates, positions of bodies and markers, and t"
              : "an expression of joint coordinates and t; for rates there is the type "
                "'velocity'",
      what);
}

/* signal si and those that it reads, where they depend on coordinates */
static bool add_signal(build *b, int32_t si) {
  const hk_spec_signal *s = &b->w->spec->signals[si];
  for (int32_t i = 0; i < b->norder; i++)
    if (b->order[i] == si) return true;
  if (s->kind == HK_SIGNAL_MEMORY || s->kind == HK_SIGNAL_RATE)
    return refuse(b, s->loc, NULL, "a signal with memory cannot be part of it");
  if (s->nreads > HK_COUPLING_READS)
    return refuse(b, s->loc, NULL, "its expression reads more than 64 things");
  for (int32_t k = 0; k < s->nreads; k++) {
    const hk_read *r = &s->reads[k];
    if (r->kind == HK_READ_CHANNEL && !add_read(b, si, r)) return false;
    if (r->kind == HK_READ_SIGNAL && (b->w->signal[r->signal] & HK_DEPENDS_STATE) &&
        !add_signal(b, r->signal))
      return false;
  }
  if (b->norder == HK_COUPLING_SIGNALS)
    return refuse(b, s->loc, NULL, "it reads more than 32 signals of coordinates");
  b->order[b->norder++] = si;
  return true;
}

/* path of one argument, and its places in the union of all */
static bool find_path(hk_work *w, hk_coupled *a) {
  const hk_scalar *s = &w->m->scalars[a->scalar];
  const hk_model_joint *j = &w->m->joints[s->joint];
  if (s->vi == HK_NONE) return hki_path_between(w->m, j->mbody[0], j->mbody[1], &a->path);
  int32_t *dof = HK_KEEP(w, int32_t, 1);
  uint8_t *side = HK_KEEP(w, uint8_t, 1);
  if (!dof || !side) return false;
  dof[0] = s->vi, side[0] = 2;
  a->path = (hk_path){1, dof, side};
  return true;
}

static bool unite(build *b, hk_path *out) {
  hk_model *m = b->w->m;
  int32_t *place = HK_SCRATCH(b->w, int32_t, m->nv + 1), n = 0;
  if (!place) return false;
  for (int32_t i = 0; i < b->n; i++)
    for (int32_t k = 0; k < b->arg[i].path.n; k++) place[b->arg[i].path.dof[k]] = 1;
  for (int32_t v = 0; v < m->nv; v++) n += place[v];
  int32_t *dof = HK_KEEP(b->w, int32_t, n + 1);
  uint8_t *side = HK_KEEP(b->w, uint8_t, n + 1);
  if (!dof || !side) return false;
  n = 0;
  for (int32_t v = 0; v < m->nv; v++) {
    if (!place[v]) continue;
    place[v] = n;
    side[n] = 2;
    dof[n++] = v;
  }
  for (int32_t i = 0; i < b->n; i++) {
    int32_t *at = HK_KEEP(b->w, int32_t, b->arg[i].path.n + 1);
    if (!at) return false;
    for (int32_t k = 0; k < b->arg[i].path.n; k++) at[k] = place[b->arg[i].path.dof[k]];
    b->arg[i].at = at;
  }
  *out = (hk_path){n, dof, side};
  return true;
}

/* value of a scalar coordinate in the drawing position */
static double drawn(const hk_model *m, int32_t scalar) {
  const hk_scalar *s = &m->scalars[scalar];
  const hk_model_joint *j = &m->joints[s->joint];
  const hk_spec_joint *sj = &m->spec->joints[s->joint];
  hk_frame A, B;
  hk_joint_coord x;
  if (s->qi != HK_NONE) return s->sign * m->q_draw[s->qi] + s->zero;
  hki_model_draw_frame(m, j->mbody[0], &j->marker[0], &A);
  hki_model_draw_frame(m, j->mbody[1], &j->marker[1], &B);
  sj->ops->coord(sj->par, s->coord, &A, &B, 0.0, &x);
  return x.s + s->zero;
}

/* is a row on velocities linear in them? Second derivatives at a few places. Without memory: no */
static bool is_linear(const build *b, const hk_coupling *c) {
  const int32_t nsig = b->w->spec->nsignals;
  double x[HK_COUPLED], xd[HK_COUPLED], y[3], *sig = HK_SCRATCH(b->w, double, 3 * nsig + 1);
  uint64_t seed = 7;
  if (!sig) return false;
  for (int32_t i = 0; i < 3 * nsig; i++) sig[i] = i % 3 ? 0.0 : 0.7;
  for (int32_t pass = 0; pass < 8; pass++) {
    for (int32_t i = 0; i < c->n; i++) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      x[i] = (double)(seed >> 11) / 4503599627370496.0 - 1.0;
      xd[i] = c->arg[i].rate ? 1.0 + x[i] * x[i] : 0.0;
    }
    hki_coupling_along(b->w->m, c, 0.3, sig, x, xd, 0.0, y);
    if (!(fabs(y[2]) <= 1e-9 * (1.0 + fabs(y[0]) + fabs(y[1])))) return false;
  }
  return true;
}

/* arguments of the row */
static bool collect(build *b) {
  const hk_spec_coupling *s = of(b)->coupling;
  bool any = false;
  for (int32_t i = 0; i < s->n; i++) {
    const double c = s->c[b->row * s->n + i];
    if (c == 0.0) continue;
    hk_coupled *a = argument(b, b->w->m->joints[s->arg[i].joint].scalar0 + s->arg[i].coord, false);
    if (a) a->c += c;
  }
  if (b->row == 0 && s->signal != HK_NONE && !add_signal(b, s->signal)) return false;
  if (!b->n && s->nto) return refuse(b, of(b)->loc, NULL, "its constraint reads no position");
  for (int32_t i = 0; i < s->nto; i++) {
    hk_coupled *a = argument(b, b->w->m->joints[s->to[i].joint].scalar0 + s->to[i].coord, false);
    if (!a) return refuse(b, of(b)->loc, NULL, "it relates more than 64 coordinates");
    a->push += s->push[i];
  }
  for (int32_t i = 0; i < b->n; i++) any |= b->arg[i].rate;
  if (!b->n) return refuse(b, of(b)->loc, NULL, "it relates no coordinate of a joint");
  if ((of(b)->ops->caps & HK_JOINT_RATES) && !any)
    return refuse(b, of(b)->loc, "a relation of coordinates alone is a 'coupler'",
                  "its expression reads no velocity");
  return true;
}

const hk_coupling *hki_work_coupling(hk_work *w, int32_t j, int32_t r, hk_path *path) {
  build b = {.w = w, .joint = j, .row = r};
  const hk_spec_coupling *s = w->spec->joints[j].coupling;
  hk_coupling *c = HK_KEEP(w, hk_coupling, 1);
  if (!c || !collect(&b)) return NULL;
  for (int32_t i = 0; i < b.n; i++)
    if (!find_path(w, &b.arg[i])) return NULL;
  hk_coupled *arg = HK_KEEP(w, hk_coupled, b.n);
  int32_t *order = HK_KEEP(w, int32_t, b.norder + 1);
  if (!arg || !order || !unite(&b, path)) return NULL;
  memcpy(arg, b.arg, (size_t)b.n * sizeof *arg);
  if (b.norder) memcpy(order, b.order, (size_t)b.norder * sizeof *order);
  *c = (hk_coupling){.n = b.n, .slope0 = w->m->nslope, .arg = arg, .c0 = s->c0[r]};
  c->signal = r == 0 ? s->signal : HK_NONE;
  c->ties = w->spec->joints[j].made;
  if (s->Q && b.n == s->n) c->Q = s->Q;
  c->servo = s->nto > 0;
  w->m->nservo += c->servo;
  c->order = order;
  c->norder = b.norder;
  c->timed = r == 0 && s->signal != HK_NONE &&
             (w->signal[s->signal] & (HK_DEPENDS_TIME | HK_DEPENDS_EVENTS));
  c->driven = r == 0 && s->signal != HK_NONE &&
              ((w->spec->joints[j].ops->caps & HK_JOINT_RATES) || c->timed || c->servo);
  w->m->nslope += b.n;
  if (isnan(c->c0)) {
    c->c0 = 0.0;
    for (int32_t i = 0; i < b.n; i++) c->c0 -= arg[i].c * drawn(w->m, arg[i].scalar);
  }
  c->curved = (w->spec->joints[j].ops->caps & HK_JOINT_RATES) && !is_linear(&b, c);
  w->m->ncurved += c->curved;
  return c;
}

/* --- evaluation ------------------------------------------------------------------------------- */

static int32_t argument_of(const hk_model *m, const hk_coupling *c, hk_channel ch) {
  const bool joint = ch.kind == HK_CH_JOINT_RATE || ch.kind == HK_CH_JOINT_COORD;
  const hk_spec_sense *sense = joint ? NULL : hki_spec_sense(m->spec, ch);
  const int32_t scalar = sense ? m->joints[sense->joint].scalar0 + sense->coord
                               : m->joints[ch.item].scalar0 + ch.component;
  const bool rate = sense ? sense->rate : ch.kind == HK_CH_JOINT_RATE;
  for (int32_t i = 0; i < c->n; i++)
    if (c->arg[i].scalar == scalar && c->arg[i].rate == rate) return i;
  return 0;
}

void hki_coupling_along(const hk_model *m, const hk_coupling *c, double t, const double *sig,
                        const double *x, const double *xd, double td, double *y) {
  double val[HK_COUPLING_SIGNALS][3], in[3][HK_COUPLING_READS];
  for (int32_t o = 0; o < c->norder; o++) {
    const hk_spec_signal *s = &m->spec->signals[c->order[o]];
    const hk_time_function f = hki_signal_function(s);
    for (int32_t k = 0; k < s->nreads; k++) {
      const hk_read *r = &s->reads[k];
      double v[3] = {t, td, 0.0};
      if (r->kind == HK_READ_CHANNEL) {
        const int32_t a = argument_of(m, c, r->channel);
        v[0] = x[a], v[1] = xd[a];
      } else if (r->kind == HK_READ_SIGNAL) {
        int32_t p = 0;
        while (p < o && c->order[p] != r->signal) p++;
        const double *from = p < o ? val[p] : sig + 3 * r->signal;
        v[0] = from[0];
        v[1] = p < o ? from[1] : td * from[1];
        v[2] = p < o ? from[2] : td * td * from[2];
      }
      for (int d = 0; d < 3; d++) in[d][k] = v[d];
    }
    hki_time_function_eval(&f, in[0], in[1], in[2], val[o]);
  }
  for (int d = 0; d < 3; d++) y[d] = c->norder ? val[c->norder - 1][d] : 0.0;
}

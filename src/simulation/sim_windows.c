/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_windows.c: conditions of events that open and close again within a step.
 *
 * A condition changes only where one of its comparisons does, that is where a difference g of two
 * sides passes zero. In each quarter of a step the zeros of all differences are found, and the
 * condition is looked at between them:
 *
 *   signs at the ends differ          one zero, by the Illinois method
 *   signs agree, g approaches zero    the place where |g| is least, by the slopes; if the sign has
 *   at both ends                      changed there, two zeros
 *
 * So a window is found when no difference turns more than once in a quarter of a step. Fewer than
 * two zeros in a quarter hide nothing.
 *
 * States between are those of the dense output of controlled steps; in steps of fixed length of the
 * Hermite cubic through both ends, in the coordinates of the tree, on the machine of the simulation.
 * This tells that something happens and about where; the time itself is found with real steps.
 *
 * Source: M. Dowell and P. Jarratt, A modified regula falsi method for computing the root of an
 * equation, BIT 11 (1971) 168-174.
 */
#include "expr/conditions.h"
#include "simulation/simulation.h"

enum { QUARTERS = 4, ZERO_STEPS = 60, LEAST_STEPS = 40 };

static const double apart = 1e-5;   /* of a step: distance of the differences for slopes */
static const double enough = 1e-12; /* of a step: accuracy of zeros */

/* --- memory ----------------------------------------------------------------------------------- */

static bool conditional(const hk_sim *s, int32_t event) {
  return s->kin->sig_state[s->m->spec->events[event].when];
}

/* marks what marked signals read; true: more than was marked before */
static bool follow(const hk_spec *spec, uint8_t *used) {
  bool more = false;
  for (int32_t i = spec->nsignals - 1; i >= 0; i--) {
    const hk_spec_signal *sig = &spec->signals[i];
    for (int32_t k = 0; used[i] && k < sig->nreads + sig->nlate; k++) {
      const bool late = k >= sig->nreads;
      if (!late && sig->reads[k].kind != HK_READ_SIGNAL) continue;
      uint8_t *to = &used[late ? sig->late[k - sig->nreads] : sig->reads[k].signal];
      more |= *to == 0;
      *to = 1;
    }
  }
  return more;
}

/* signals that the conditions read, directly or through others, and that compare something */
static hk_status find_signals(hk_sim *s, hk_windows *w) {
  const hk_spec *spec = s->m->spec;
  uint8_t *used = hki_pool_alloc(s->pool, (size_t)spec->nsignals + 1);
  w->signal = hki_pool_alloc(s->pool, ((size_t)spec->nsignals + 1) * sizeof *w->signal);
  if (!used || !w->signal) return HK_E_MEMORY;
  for (int32_t i = 0; i < spec->nsignals; i++) used[i] = 0;
  for (int32_t e = 0; e < spec->nevents; e++)
    if (conditional(s, e)) used[spec->events[e].when] = 1, w->on = true;
  for (int32_t i = 0; i < spec->nsignals; i++)
    if (hki_kin_commit_waits(s->kin, i)) used[i] = 1, w->on = true;
  while (follow(spec, used)) continue;
  for (int32_t i = spec->nsignals - 1; i >= 0; i--) {
    const hk_spec_signal *sig = &spec->signals[i];
    const int32_t n = used[i] && sig->expr ? hki_expr_comparisons(sig->expr) : 0;
    if (!n) continue;
    w->signal[w->nsignals++] = i;
    w->n += n;
  }
  return HK_OK;
}

hk_status hki_sim_windows(hk_sim *s) {
  hk_windows *w = &s->windows;
  const hk_model *m = s->m;
  *w = (hk_windows){0};
  hk_status st = find_signals(s, w);
  if (st != HK_OK || !w->on) return st;
  const size_t n = (size_t)w->n, nv = (size_t)hki_model_values(m), nq = (size_t)m->nq;
  const size_t all = 9 * n + (size_t)s->kin->max_reads + 3 * nq + 5 * nv + 1;
  double *at = hki_pool_alloc(s->pool, all * sizeof *at);
  if (!at) return HK_E_MEMORY;
  for (int32_t i = 0; i < 3; i++) w->g[i] = at, at += n, w->m[i] = at, at += n;
  w->near = at, at += n;
  w->zero = at, at += 2 * n;
  w->in = at, at += s->kin->max_reads;
  w->q0 = at, at += nq, w->q1 = at, at += nq, w->q = at, at += nq;
  w->v0 = at, at += nv, w->v1 = at, at += nv, w->v = at, at += nv, w->d = at, at += nv;
  w->d1 = at;
  return HK_OK;
}

bool hki_sim_watching(const hk_sim *s) {
  if (!s->windows.on) return false;
  for (int32_t e = 0; e < s->m->spec->nevents; e++)
    if (!s->fired[e] && conditional(s, e)) return true;
  return hki_kin_commit_waits(s->kin, HK_NONE);
}

/* --- states within a step --------------------------------------------------------------------- */

void hki_sim_windows_begin(hk_sim *s) {
  const size_t nv = (size_t)hki_model_values(s->m) * sizeof(double);
  memcpy(s->windows.q0, s->qt, (size_t)s->m->nq * sizeof(double));
  memcpy(s->windows.v0, s->vt, nv);
}

void hki_sim_windows_end(hk_sim *s) {
  hk_windows *w = &s->windows;
  const hk_integrator *I = &s->I;
  s->f->ops->to_tree(s->f, I->q1, I->v1, I->a1, w->q1, w->v1, w->d);
  hki_tree_minus(s->m, w->q1, w->q0, w->d1);
}

/* the machine of the simulation at the fraction x of a step of length h */
static hk_kin *state_between(hk_sim *s, double x, double h) {
  const hk_windows *w = &s->windows;
  const int32_t nv = s->m->nv;
  hk_kin *k = &s->tree->kin;
  const double a = x * (1.0 - x) * (1.0 - x) * h, b = x * x * (3.0 - 2.0 * x);
  const double c = x * x * (x - 1.0) * h, da = (1.0 - x) * (1.0 - 3.0 * x);
  const double db = 6.0 * x * (1.0 - x) / h, dc = x * (3.0 * x - 2.0);
  for (int32_t i = 0; i < nv; i++) {
    w->d[i] = a * w->v0[i] + b * w->d1[i] + c * w->v1[i];
    w->v[i] = da * w->v0[i] + db * w->d1[i] + dc * w->v1[i];
  }
  for (int32_t i = nv; i < hki_model_values(s->m); i++)
    w->v[i] = w->v0[i] + x * (w->v1[i] - w->v0[i]);
  hki_tree_plus(s->m, w->q0, w->d, w->q);
  k->t_cap = s->kin->t_cap;
  hki_kin_state(k, s->I.t + x * h, w->q, w->v);
  hki_kin_unknowns(k, w->v + nv, NULL);
  hki_kin_hold_states(k, w->v + nv + s->m->nx);
  hki_kin_signals(k, true);
  k->t_cap = INFINITY;
  return k;
}

/* inputs of a signal at the state of k */
static const double *inputs(const hk_sim *s, const hk_kin *k, int32_t si) {
  const hk_spec_signal *sig = &s->m->spec->signals[si];
  double *in = s->windows.in;
  for (int32_t i = 0; i < sig->nreads; i++) {
    const hk_read *r = &sig->reads[i];
    const int32_t seen = k->seen_of[k->seen0[si] + i];
    if (r->kind == HK_READ_TIME)
      in[i] = k->t;
    else if (r->kind == HK_READ_SIGNAL)
      in[i] = k->sig[3 * r->signal];
    else
      in[i] = seen >= 0 ? k->disc.seen[seen] : hki_kin_channel(k, r->channel);
  }
  return in;
}

/* g: the differences at the fraction x; holds: an event that waits for it happens there */
static hk_status look(hk_sim *s, double x, double h, double *g, bool *holds) {
  const hk_windows *w = &s->windows;
  const hk_kin *k = s->kin;
  if (s->free.on) {
    hk_status st = hki_sim_state_within(s, x, HK_WITHIN_RAW);
    if (st != HK_OK) return st;
  } else {
    k = state_between(s, x, h);
  }
  for (int32_t i = 0; i < w->nsignals; i++) {
    const hk_expr *e = s->m->spec->signals[w->signal[i]].expr;
    hki_expr_differences(e, inputs(s, k, w->signal[i]), g);
    g += hki_expr_comparisons(e);
  }
  *holds = false;
  for (int32_t e = 0; e < s->m->spec->nevents; e++)
    *holds |= !s->fired[e] && conditional(s, e) && k->sig[3 * s->m->spec->events[e].when] != 0.0;
  *holds |= hki_kin_commit_due(k, true);
  return HK_OK;
}

/* the same with slopes, m per step */
static hk_status look_both(hk_sim *s, double x, double h, int32_t place, bool *holds) {
  const hk_windows *w = &s->windows;
  const double d = x < 0.5 ? apart : -apart;
  bool any;
  hk_status st = look(s, x + d, h, w->near, &any);
  if (st == HK_OK) st = look(s, x, h, w->g[place], holds);
  for (int32_t k = 0; st == HK_OK && k < w->n; k++)
    w->m[place][k] = (w->near[k] - w->g[place][k]) / d;
  return st;
}

/* --- zeros ------------------------------------------------------------------------------------ */

/* adds the zero of difference k between a and b, where it is ga and gb */
static hk_status add_zero(hk_sim *s, double h, int32_t k, double a, double ga, double b, double gb,
                          int32_t *n) {
  hk_windows *w = &s->windows;
  bool any;
  hk_status st = HK_OK;
  for (int32_t i = 0; i < ZERO_STEPS && fabs(b - a) > enough; i++) {
    double x = b - gb * (b - a) / (gb - ga);
    if (!(x > fmin(a, b) && x < fmax(a, b))) x = 0.5 * (a + b);
    if ((st = look(s, x, h, w->near, &any)) != HK_OK) break;
    const double g = w->near[k];
    // b is the last place looked at; halving what stays is Illinois' change of the rule
    if ((g < 0.0) != (gb < 0.0))
      a = b, ga = gb;
    else
      ga *= 0.5;
    b = x, gb = g;
    if (g == 0.0) break;
  }
  w->zero[(*n)++] = b;
  return st;
}

/* adds the two zeros of difference k between a and b, where it dips towards zero, if there are any
 */
static hk_status add_dip(hk_sim *s, double h, int32_t k, double a, double b, int32_t *n) {
  hk_windows *w = &s->windows;
  const double ga = w->g[0][k], gb = w->g[1][k], sign = ga < 0.0 ? -1.0 : 1.0;
  double lo = a, hi = b, gl = sign * ga, gh = sign * gb;
  double ml = sign * w->m[0][k], mh = sign * w->m[1][k];
  bool any;
  for (int32_t i = 0; i < LEAST_STEPS && hi - lo > enough; i++) {
    // a curve that bends one way stays above its tangents
    const double lowest = (ml * gh - mh * gl - ml * mh * (hi - lo)) / (ml - mh);
    if (lowest > 0.0) return HK_OK;
    double x = lo + (hi - lo) * fmin(0.9, fmax(0.1, ml / (ml - mh)));
    hk_status st = look_both(s, x, h, 2, &any);
    if (st != HK_OK) return st;
    const double g = sign * w->g[2][k], m = sign * w->m[2][k];
    if (!isfinite(g)) return HK_OK;
    if (g < 0.0) {
      st = add_zero(s, h, k, a, ga, x, sign * g, n);
      return st == HK_OK ? add_zero(s, h, k, x, sign * g, b, gb, n) : st;
    }
    if (m < 0.0)
      lo = x, gl = g, ml = m;
    else
      hi = x, gh = g, mh = m;
  }
  return HK_OK;
}

/* all zeros between a and b, ascending; n: their number */
static hk_status find_zeros(hk_sim *s, double h, double a, double b, int32_t *n) {
  hk_windows *w = &s->windows;
  hk_status st = HK_OK;
  *n = 0;
  for (int32_t k = 0; k < w->n && st == HK_OK; k++) {
    const double ga = w->g[0][k], gb = w->g[1][k], sign = ga < 0.0 ? -1.0 : 1.0;
    if (!isfinite(ga) || !isfinite(gb)) continue;
    if ((ga < 0.0) != (gb < 0.0))
      st = add_zero(s, h, k, a, ga, b, gb, n);
    else if (sign * w->m[0][k] < 0.0 && sign * w->m[1][k] > 0.0)
      st = add_dip(s, h, k, a, b, n);
  }
  for (int32_t i = 1; i < *n; i++)
    for (int32_t j = i; j > 0 && w->zero[j] < w->zero[j - 1]; j--) {
      const double z = w->zero[j];
      w->zero[j] = w->zero[j - 1], w->zero[j - 1] = z;
    }
  return st;
}

/* Is there more than one change between a and b? One alone cannot open and close a window. */
static bool may_hide(const hk_windows *w) {
  int32_t n = 0;
  for (int32_t k = 0; k < w->n; k++) {
    const double ga = w->g[0][k], gb = w->g[1][k], sign = ga < 0.0 ? -1.0 : 1.0;
    if ((ga < 0.0) != (gb < 0.0)) n++;
    if ((ga < 0.0) == (gb < 0.0) && sign * w->m[0][k] < 0.0 && sign * w->m[1][k] > 0.0) n += 2;
  }
  return n > 1;
}

/* *at: 1 when the event that holds at quarter i holds at all later ones too; that is no window */
static hk_status stays_open(hk_sim *s, double h, int32_t i, double *at) {
  bool holds = true;
  hk_status st = HK_OK;
  *at = (double)i / QUARTERS;
  while (holds && ++i <= QUARTERS && st == HK_OK)
    st = look(s, (double)i / QUARTERS, h, s->windows.near, &holds);
  if (holds && st == HK_OK) *at = 1.0;
  return st;
}

hk_status hki_sim_window(hk_sim *s, double h, double *before, double *at) {
  hk_windows *w = &s->windows;
  bool holds, any;
  hk_status st = look_both(s, 0.0, h, 0, &holds);
  *before = 0.0, *at = INFINITY;
  for (int32_t i = 1; i <= QUARTERS && st == HK_OK; i++) {
    const double a = (i - 1.0) / QUARTERS, b = (double)i / QUARTERS;
    int32_t n = 0;
    if ((st = look_both(s, b, h, 1, &holds)) != HK_OK) break;
    if (may_hide(w)) st = find_zeros(s, h, a, b, &n);
    *before = a;
    for (int32_t j = 0; j + 1 < n && st == HK_OK; j++) {
      const double x = 0.5 * (w->zero[j] + w->zero[j + 1]);
      st = look(s, x, h, w->near, &any);
      if (st == HK_OK && any) *at = x;
      if (st != HK_OK || any) return st;
      *before = x;
    }
    if (holds) return stays_open(s, h, i, at);
    memcpy(w->g[0], w->g[1], (size_t)w->n * sizeof(double));
    memcpy(w->m[0], w->m[1], (size_t)w->n * sizeof(double));
  }
  return st;
}

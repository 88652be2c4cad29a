/* SPDX-License-Identifier: Apache-2.0
 *
 * travel.c: coordinates whose rate or acceleration is prescribed. Their position is that of a
 * prescribed one, the integral of a signal s of time from the last accepted state at t0 on:
 *
 *   rate           x(t) = x0 + area(t)                  x' = s             x'' = s'
 *   acceleration   x(t) = x0 + v0 (t - t0) + moment(t)  x' = v0 + area(t)  x'' = s
 *
 *   area   = integral of s from t0 to t
 *   moment = integral of (t - tau) s(tau) from t0 to t
 *
 * Formulations and integrators thus see a position that is known in time; the rate is the signal
 * itself and cannot drift. x0 and v0 lie in the discrete data: a rejected step takes them back, a
 * checkpoint holds them. They are sums of many steps and carry the part that each addition loses
 * (Moller 1965, "Quasi double-precision in floating point addition", BIT 5, pp. 37-50).
 *
 * A rate that reads the state has no integral that is known. Its row binds velocities (rate_rows of
 * the closure): the value is that of the coordinate, and the rate of the signal follows from those of
 * the coordinates and positions that it reads.
 *
 * The integrals are found by the pair of Gauss (7 points) and Kronrod (15) to round-off, in shorter
 * pieces where both differ. Signals have their jumps and kinks at the ends of steps, and the points
 * lie within. Both integrals depend on t0, t and the model alone, so that a resumed run has the same
 * ones. Source: Piessens et al., QUADPACK (1983), ch. 2; points and weights: its table for qk15.
 */
#include "base/assume.h"
#include "kinematics/kin.h"

enum { POINTS = 8, HALVINGS = 40 };

/* points of one half of [-1, 1], weights of Kronrod; of Gauss at every second point */
static const double point[POINTS] = {
    0.991455371120812639206854697526329, 0.949107912342758524526189684047851,
    0.864864423359769072789712788640926, 0.741531185599394439863864773280788,
    0.586087235467691130294144691693013, 0.405845151377397166906606412076961,
    0.207784955007898467600689403773245, 0.0};
static const double kronrod[POINTS] = {
    0.022935322010529224963732008058970, 0.063092092629978553290700663189204,
    0.104790010322250183839876322541518, 0.140653259715525918745189590510238,
    0.169004726639267902826583426598550, 0.190350578064785409913256402421014,
    0.204432940075298892414161999234649, 0.209482141084727828012999174891714};
static const double gauss[POINTS] = {
    0.0, 0.129484966168869693270611432679082, 0.0, 0.279705391489276667901467771423780,
    0.0, 0.381830050505118944950369775488975, 0.0, 0.417959183673469387755102040816327};

/* the difference of both rules, relative to the integral of |s|, at which the better one is exact to
 * round-off */
static const double agree = 1e-11;

/* --- memory ----------------------------------------------------------------------------------- */

void hki_travel_layout(hk_kin *k, hk_arena *a) {
  const int32_t ns = k->m->spec->nsignals;
  int32_t *chain;
  k->travel = HK_TAKE(a, hk_travel, k->ntravel);
  k->sig_travel = HK_TAKE(a, int32_t, k->ntravel ? ns : 0);
  chain = HK_TAKE(a, int32_t, (size_t)k->ntravel * (size_t)ns);
  for (int32_t i = 0; k->travel && i < k->ntravel; i++)
    k->travel[i].chain = chain + (size_t)i * (size_t)ns;
}

/* the signals that s reads, directly or through others, and s; earlier ones first */
static void find_chain(const hk_spec *spec, hk_travel *w) {
  int32_t *reads = w->chain;
  for (int32_t i = 0; i <= w->source; i++) reads[i] = i == w->source;
  for (int32_t i = w->source; i >= 0; i--)
    for (int32_t j = 0; reads[i] && j < spec->signals[i].nreads; j++)
      if (spec->signals[i].reads[j].kind == HK_READ_SIGNAL)
        reads[spec->signals[i].reads[j].signal] = 1;
  for (int32_t i = 0; i <= w->source; i++)
    if (reads[i]) {
      w->by_input |= spec->signals[i].memory != NULL;
      w->chain[w->nchain++] = i;
    }
}

void hki_travel_init(hk_kin *k) {
  const hk_spec *spec = k->m->spec;
  int32_t n = 0;
  for (int32_t i = 0; k->ntravel && i < spec->nsignals; i++) {
    const hk_spec_signal *s = &spec->signals[i];
    k->sig_travel[i] = s->kind == HK_SIGNAL_TRAVEL ? n : -1;
    if (s->kind != HK_SIGNAL_TRAVEL) continue;
    hk_travel *w = &k->travel[n++];
    *w = (hk_travel){.signal = i, .order = s->order, .closure = HK_NONE, .chain = w->chain};
    w->source = s->reads[0].signal;
    w->from = w->to = NAN;
    find_chain(spec, w);
    // signals that read channels give their rates too where a row on velocities follows them
    for (int32_t j = 0; k->sig_state[i] && j < w->nchain; j++)
      if (k->sig_state[w->chain[j]]) k->sig_state[w->chain[j]] = HK_SIGNAL_RATED;
  }
  for (int32_t c = 0; k->ntravel && c < k->m->nc; c++) {
    const int32_t si = k->m->closures[c].row_signal[0];
    if (si != HK_NONE && k->sig_travel[si] >= 0) k->travel[k->sig_travel[si]].closure = c;
  }
  for (int32_t i = 0; i < HK_TRAVEL * k->ntravel; i++) k->disc.travel[i] = 0.0;
}

/* --- integrals -------------------------------------------------------------------------------- */

/* s at time t; overwrites the signals of the chain */
static double source_at(hk_kin *k, const hk_travel *w, double t) {
  k->t = t;
  for (int32_t i = 0; i < w->nchain; i++) hki_kin_signal(k, w->chain[i]);
  return k->sig[3 * w->source];
}

/* integrals over [a, a + h] of s, and of (to - tau) s; returns whether both rules agree */
static bool piece(hk_kin *k, const hk_travel *w, double a, double h, double to, double *area,
                  double *moment) {
  const double c = a + 0.5 * h, r = 0.5 * h;
  double better = 0.0, lower = 0.0, size = 0.0;
  *moment = 0.0;
  for (int i = 0; i < POINTS; i++)
    for (int side = i == POINTS - 1 ? 1 : -1; side <= 1; side += 2) {
      const double t = c + side * r * point[i], s = source_at(k, w, t);
      better += kronrod[i] * s;
      lower += gauss[i] * s;
      size += kronrod[i] * fabs(s);
      *moment += kronrod[i] * s * (to - t) * r;
    }
  *area = better * r;
  return hki_assumed(!(fabs(better - lower) > agree * size));
}

/* fills area and moment of w from `from` to `to` */
static void integrate(hk_kin *k, hk_travel *w, double from, double to) {
  const double t = k->t, smallest = ldexp(fabs(to - from), -HALVINGS);
  double a = from, h = to - from, area, moment;
  w->area = w->moment = 0.0;
  while (fabs(to - a) > 0.0 && h != 0.0) {
    if (!piece(k, w, a, h, to, &area, &moment) && fabs(h) > smallest) {
      h *= 0.5;
      continue;
    }
    w->area += area, w->moment += moment;
    a = fabs(to - a) > fabs(h) ? a + h : to;
    h = to - a;
  }
  w->from = from, w->to = to;
  // the signals of the present time again
  (void)source_at(k, w, t);
}

/* the same of a constant, in closed form */
static void integrate_constant(hk_travel *w, double s, double from, double to) {
  const double h = to - from;
  w->area = s * h, w->moment = 0.5 * s * h * h;
  w->from = from, w->to = to;
}

/* the same of an input, a line */
static void integrate_input(const hk_kin *k, hk_travel *w, double from, double to) {
  hki_memory_input_integrals(k->disc.mem + k->sig_mem[w->source], from, to, &w->area, &w->moment);
  w->from = from, w->to = to;
}

static void find_integrals(hk_kin *k, hk_travel *w, double from, double to) {
  const hk_spec_signal *s = &k->m->spec->signals[w->source];
  double value;
  if (w->from == from && w->to == to && !w->by_input) return;
  if (s->kind == HK_SIGNAL_EXPR && hki_expr_is_constant(s->expr, &value))
    integrate_constant(w, value, from, to);
  else if (hki_signal_is_input(s))
    integrate_input(k, w, from, to);
  else
    integrate(k, w, from, to);
}

void hki_travel_eval(hk_kin *k, int32_t si, double *y) {
  hk_travel *w = &k->travel[k->sig_travel[si]];
  if (k->sig_state[si]) {
    // the row binds velocities: it is where it is
    y[0] = y[1] = 0.0;
    if (w->closure != HK_NONE) hki_kin_scalar(k, k->m->closures[w->closure].scalar, &y[0], &y[1]);
    y[1] = k->sig[3 * w->source], y[2] = k->sig[3 * w->source + 1];
    return;
  }
  const double *at = k->disc.travel + HK_TRAVEL * k->sig_travel[si], *s = k->sig + 3 * w->source;
  find_integrals(k, w, at[HK_TRAVEL_T], k->t);
  if (w->order == 1) {
    y[0] = at[HK_TRAVEL_X] + (at[HK_TRAVEL_X_LOW] + w->area);
    y[1] = s[0], y[2] = s[1];
  } else {
    const double h = k->t - at[HK_TRAVEL_T];
    y[0] = at[HK_TRAVEL_X] + (at[HK_TRAVEL_X_LOW] + at[HK_TRAVEL_V] * h + w->moment);
    y[1] = at[HK_TRAVEL_V] + (at[HK_TRAVEL_V_LOW] + w->area);
    y[2] = s[0];
  }
}

/* --- accepted states -------------------------------------------------------------------------- */

/* x + low += add, low being what x cannot hold */
static void add_to(double *x, double *low, double add) {
  const double y = add + *low, sum = *x + y;
  const double part = sum - *x;
  *low = (*x - (sum - part)) + (y - part);
  *x = sum;
}

void hki_kin_travels_step(hk_kin *k, double t) {
  for (int32_t i = 0; i < k->ntravel; i++) {
    hk_travel *w = &k->travel[i];
    double *at = k->disc.travel + HK_TRAVEL * i;
    const double h = t - at[HK_TRAVEL_T];
    if (k->sig_state[w->signal]) continue;
    find_integrals(k, w, at[HK_TRAVEL_T], t);
    if (w->order == 1) {
      add_to(&at[HK_TRAVEL_X], &at[HK_TRAVEL_X_LOW], w->area);
    } else {
      add_to(&at[HK_TRAVEL_X], &at[HK_TRAVEL_X_LOW], at[HK_TRAVEL_V] * h + w->moment);
      add_to(&at[HK_TRAVEL_V], &at[HK_TRAVEL_V_LOW], w->area);
    }
    at[HK_TRAVEL_T] = t;
  }
}

/* the value that a constraint gives to its only coordinate, which a travel has taken over: that of
 * its own row (a distance) */
static double own_value(const hk_kin *k, const hk_closure *c, double s) {
  hk_frame F[2];
  hk_joint_loop L;
  if (k->m->joints[c->joint].closure != (int32_t)(c - k->m->closures)) return s;
  hki_kin_closure_frames(k, c, F);
  c->ops->loop(c->par, &F[0], &F[1], HK_LOOP_POS, &L);
  return s - L.phi[0];
}

void hki_kin_travels_begin(hk_kin *k, int32_t c, double t) {
  for (int32_t i = 0; i < k->ntravel; i++) {
    double *at = k->disc.travel + HK_TRAVEL * i, s, sd;
    const int32_t ci = k->travel[i].closure;
    if (ci == HK_NONE || (c != HK_NONE && ci != c)) continue;
    const hk_closure *cl = &k->m->closures[ci];
    hki_kin_scalar(k, cl->scalar, &s, &sd);
    at[HK_TRAVEL_T] = t;
    at[HK_TRAVEL_X] = c == HK_NONE ? own_value(k, cl, s) : s, at[HK_TRAVEL_X_LOW] = 0.0;
    at[HK_TRAVEL_V] = sd, at[HK_TRAVEL_V_LOW] = 0.0;
  }
  if (k->ntravel) hki_kin_forget(k, HK_KIN_SIGNALS | HK_KIN_EVERY_SIGNAL | HK_KIN_OF_CLOSURES);
}

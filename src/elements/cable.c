/* SPDX-License-Identifier: Apache-2.0
 *
 * cable.c: a rope without mass and without friction over points and pulleys. Its length is that of its
 * spans (span.h) and of the arcs between them, and one tension (tension.h) holds all of it:
 *
 *   l = sum of span lengths + sum of r wrap            w = -T dl/dxi
 *
 * with the angle wrap between the spans before and behind a pulley, from 0 to a full turn, and `turns`
 * full turns more. A rope with full turns does not lift off: its angle is the one within half a turn of the angle as
 * drawn, and may become negative. Points are rings that it runs through.
 *
 * The rope lifts off a pulley where it would not lie on it: where the straight way from the part before
 * it to the part behind it passes the pulley on the rope's side, at more than its radius. Then that
 * straight way is a span. The length and its slopes are continuous there.
 */
#include <string.h>

#include "elements/cable.h"

/* the rope at one state */
typedef struct path {
  int32_t n, at[HK_CABLE_MOST]; /* what it touches: markers, in order */
  double l;
} path;

/* Does the rope lie on the pulley at k, between p and q? Seen in the plane of the pulley, the straight
 * way from p to q has the direction phi and passes a P . N from it on its left, N the normal. */
static bool touches(const hk_frame *p, double a, const hk_frame *q, double b, const hk_frame *k,
                    double r) {
  double x[3], y[3], P[3], d[3];
  m3_column(x, k->R, 0);
  m3_column(y, k->R, 1);
  v3_sub(P, p->p, k->p);
  v3_sub(d, q->p, p->p);
  const double X = v3_dot(x, d), Y = v3_dot(y, d), rho = hypot(X, Y), c = b - a;
  if (!(rho > fabs(c))) return true;
  const double phi = atan2(Y, X) - asin(c / rho);
  const double left = a + v3_dot(x, P) * sin(phi) - v3_dot(y, P) * cos(phi);
  return (r > 0.0 ? left : -left) < fabs(r);
}

static void find_path(const hk_cable_par *par, int32_t n, const hk_frame *m, path *x) {
  const double *r = par->radius;
  x->n = n;
  for (int32_t i = 0; i < n; i++) x->at[i] = i;
  for (int32_t i = 1; i + 1 < x->n;) {
    const int32_t p = x->at[i - 1], k = x->at[i], q = x->at[i + 1];
    if (r[k] == 0.0 || par->turns[k] > 0.0 || touches(&m[p], r[p], &m[q], r[q], &m[k], r[k])) {
      i++;
      continue;
    }
    // it lifts off: the one before it may do so now
    for (int32_t j = i; j + 1 < x->n; j++) x->at[j] = x->at[j + 1];
    x->n--;
    if (i > 1) i--;
  }
}

static const double turn = 6.283185307179586476925;

/* the angle that it wraps, from a little below 0 on, so that round-off makes no turn */
static double wrapped(double from, double to, double r) {
  const double x = (r > 0.0 ? to - from : from - to) + 0.1;
  return x - turn * floor(x / turn) - 0.1;
}

/* the length of the rope on the pulley k */
static double arc(const hk_cable_par *par, int32_t k, double from, double to) {
  double angle = wrapped(from, to, par->radius[k]);
  if (par->turns[k] > 0.0) angle = hki_span_near(angle, par->drawn[k]) + turn * par->turns[k];
  return fabs(par->radius[k]) * angle;
}

/* adds span i of the path, whose slopes go to g and H (n6 x n6; NULL: not wanted) */
static double add_span(const hk_cable_par *par, const hk_frame *m, const path *x, int32_t i,
                       double *arrives, int32_t n6, double *g, double *H) {
  const int32_t p = x->at[i], q = x->at[i + 1];
  hk_span s;
  hki_span_eval(&m[p], &m[q], par->radius[p], par->radius[q], H != NULL, &s);
  double l = s.l;
  if (i > 0 && par->radius[p] != 0.0) l += arc(par, p, *arrives, s.phi[0]);
  *arrives = s.phi[1];
  for (int a = 0; g && a < 12; a++) {
    const int32_t row = 6 * (a < 6 ? p : q) + a % 6;
    g[row] += s.g[a];
    for (int b = 0; H && b < 12; b++)
      H[(ptrdiff_t)n6 * row + 6 * (b < 6 ? p : q) + b % 6] += s.H[HK_BS * a + b];
  }
  return l;
}

double hki_cable_length(const hk_cable_par *par, int32_t n, const hk_frame *m, bool *touched) {
  double l = 0.0, arrives = 0.0;
  path x;
  find_path(par, n, m, &x);
  for (int32_t i = 0; touched && i < n; i++) touched[i] = false;
  for (int32_t i = 0; touched && i < x.n; i++) touched[x.at[i]] = true;
  for (int32_t i = 0; i + 1 < x.n; i++) l += add_span(par, m, &x, i, &arrives, 0, NULL, NULL);
  return l;
}

void hki_cable_prepare(hk_cable_par *par, int32_t n, const hk_frame *m0) {
  double arrives = 0.0;
  path x;
  find_path(par, n, m0, &x);
  for (int32_t i = 0; i + 1 < x.n; i++) {
    const int32_t p = x.at[i], q = x.at[i + 1];
    hk_span s;
    hki_span_eval(&m0[p], &m0[q], par->radius[p], par->radius[q], false, &s);
    if (i > 0) par->drawn[p] = wrapped(arrives, s.phi[0], par->radius[p]);
    arrives = s.phi[1];
  }
}

static void eval(const void *p, int32_t n, const hk_element_in *in, uint32_t need,
                 hk_wide_out *out) {
  const hk_cable_par *par = p;
  const int32_t n6 = 6 * n;
  const bool exact = (need & HK_NEED_EXACT) != 0;
  double g[6 * HK_CABLE_MOST], V[6 * HK_CABLE_MOST], l = 0.0, ld = 0.0, arrives = 0.0;
  hk_tension f;
  path x;
  // C holds the second derivatives of the length until K is made of them
  memset(g, 0, (size_t)n6 * sizeof *g);
  if (exact) memset(out->C, 0, (size_t)n6 * (size_t)n6 * sizeof *out->C);
  find_path(par, n, in->m, &x);
  for (int32_t i = 0; i + 1 < x.n; i++)
    l += add_span(par, in->m, &x, i, &arrives, n6, g, exact ? out->C : NULL);
  for (int32_t i = 0; i < n; i++)
    v3_copy(V + 6 * i, in->m[i].w), v3_copy(V + 6 * i + 3, in->m[i].v);
  for (int32_t i = 0; i < n6; i++) ld += g[i] * V[i];
  hki_tension(&par->law, in->u, in->u_varies, l, ld, &f);
  for (int32_t i = 0; i < n6; i++) out->w[i] = -f.T * g[i];
  if (exact) {
    memset(out->K, 0, (size_t)n6 * (size_t)n6 * sizeof *out->K);
    hki_span_tangent(n6, g, out->C, n6, V, f.T, f.ks, f.cs, out->K, NULL, n6);
    for (int32_t i = 0; i < n6; i++)
      for (int32_t j = 0; j < n6; j++) out->C[(ptrdiff_t)n6 * i + j] = f.cs * g[i] * g[j];
    out->damped = f.cs != 0.0;
  }
  out->energy = f.energy, out->dissipated = f.dissipated, out->supplied = f.supplied;
  if (need & HK_NEED_OUTPUT) hki_tension_output(&f, l, ld, out->y);
}

static bool pulls_at(const void *p, int32_t k) {
  return ((const hk_cable_par *)p)->radius[k] == 0.0;
}

static const hk_wide_ops rope = {
    .name = "cable",
    .text = "rope over points and pulleys",
    .source = "common tangents of circles; linear elasticity, one-sided",
    .ny = HK_TENSION_OUTPUTS,
    .par_size = sizeof(hk_cable_par),
    .pulls_at = pulls_at,
    .eval = eval,
};

/* the force that names it has no markers of its own: its inputs and outputs are those of the rope */
static void nothing(const void *p, const hk_element_in *in, uint32_t need, hk_element_out *out) {
  (void)p, (void)in;
  if (need & HK_NEED_OUTPUT) memset(out->y, 0, sizeof out->y);
  out->energy = out->dissipated = out->supplied = out->spent = out->spending = 0.0;
}

/* clang-format off */
static const hk_param params[] = {
    {"over", HK_P_ANY, HK_P_REQUIRED, HK_P_HAND, 0, 0, 0, "", NULL, "what it runs over, from end to end: points {body: crate, at: A}, through which it slides, and pulleys {body: block, at: B, axis: y, radius: 0.1}, which it turns about the axis in the positive sense; the first and the last are points, to which it is fixed"},
    HK_TENSION_ROWS((int32_t)offsetof(hk_cable_par, law)),
    HK_PARAM_END};
/* clang-format on */

extern const hk_element_ops hki_element_cable;
const hk_element_ops hki_element_cable = {
    .name = "cable",
    .text = "rope without friction over points and pulleys: one tension; it pulls, goes slack, "
            "lifts off",
    .source = "common tangents of circles; linear elasticity, one-sided",
    .nu = HK_TENSION_INPUTS,
    .ny = HK_TENSION_OUTPUTS,
    .caps = HK_ELEMENT_SUPPLIES,
    .par_size = sizeof(hk_cable_par),
    .params = params,
    .glyph = HK_GLYPH_ROD,
    .outputs = HK_TENSION_OUTPUT_NAMES,
    .output_units = HK_TENSION_OUTPUT_UNITS,
    .eval = nothing,
    .wide = &rope,
};

/* SPDX-License-Identifier: Apache-2.0
 *
 * friction.c: dry friction with a bristle, see friction.h. Everything is per unit of normal force.
 * In steady sliding all kinds have the coefficient
 *
 *   mu(v) = mu + (mu_static - mu) exp(-(|v|/speed)^exponent)
 *
 * coulomb, stribeck. A spring sigma0 with a damper sigma1 beside it, in line with a slider that holds
 * up to mu(v). The deflection z of the spring and the coefficient c are
 *
 *   dz/dt = v                              while |sigma0 z + sigma1 v| <= mu(v)    (sticks)
 *   sigma0 z + sigma1 dz/dt = mu(v) n      else, n its direction                   (slides)
 *   c = sigma0 z + sigma1 dz/dt + sigma2 v
 *
 * Below break-away all is elastic, so that nothing drifts; in steady sliding dz/dt = 0; the force
 * keeps its full size down to v = 0. In a stage of an integrator, dz/dt = w + gamma z, both branches
 * are linear: with the trial t = sigma0 (v - w)/gamma + sigma1 v
 *
 *   |t| <= mu:  z = (v - w)/gamma
 *   else        n = t/|t|,  z = (mu n - sigma1 w)/(sigma0 + sigma1 gamma)
 *
 * Newton's iteration on a stage in which a body stops would go to and fro between sliding forwards
 * and backwards, where the slope is 0. Between these lies sticking. Where an iterate slides against
 * the one before, the evaluation therefore answers as if the slider held: the iteration goes to the
 * sticking state, and from there on its way. No stage ends with this answer, because the next
 * iterate is evaluated as it is.
 *
 * lugre.
 *
 *   dz/dt = v - a sigma0 |v|/mu(v) z
 *   c = sigma0 z + sigma1 dz/dt + sigma2 v
 *
 * with a = 1, or, where `elastic` is given, with a bristle that is elastic up to that share e of the
 * deflection of steady sliding, r = |z| sigma0/mu(v):
 *
 *   a = 0                                        r <= e, or z against v
 *   a = (1 + sin(pi (r - (1 + e)/2)/(1 - e)))/2  e < r < 1
 *   a = 1                                        r >= 1
 *
 * In a stage z = (v - w)/(gamma + a sigma0 |v|/mu): z has the direction of v - w, and its length is the
 * one root of a growing function, by Newton's method kept between two bounds.
 *
 * Stored: sigma0 |z|^2/2; dissipated: c v - sigma0 z dz/dt.
 *
 * Sources: Canudas de Wit, Olsson, Astrom and Lischinsky 1995, "A new model for control of systems
 * with friction"; Dupont, Hayward, Armstrong and Altpeter 2002, "Single state elastoplastic friction
 * models" (the factor a); Kikuuwe, Takesue, Sano, Mochiyama and Fujimoto 2005, "Fixed-step friction
 * simulation" (bristle and slider solved together in a step).
 */
#include <math.h>

#include "elements/friction.h"

/* branches of a slider (hk_states); HELD_ON: it would slide, but the iterate before slid against
 * it */
enum { STICKS = 1, SLIDES, HELD_ON };

#define PI 3.14159265358979323846

typedef struct at {
  const hk_friction *f;
  int32_t n;
  const double *v;
  double speed;                 /* |v| */
  double dir[HK_FRICTION_AXES]; /* v/|v|; 0 at rest */
  double mu, slope;             /* mu(v) and its slope by the speed */
} at;

HKI_INLINE double dot(int32_t n, const double *a, const double *b) {
  double s = 0.0;
  for (int32_t i = 0; i < n; i++) s += a[i] * b[i];
  return s;
}

/* exact for one component */
HKI_INLINE double length(int32_t n, const double *a) {
  return n == 1 ? fabs(a[0]) : sqrt(dot(n, a, a));
}

double hki_friction_steady(const hk_friction *f, double speed, double *slope) {
  const double more = f->mu_static - f->mu;
  *slope = 0.0;
  if (more == 0.0) return f->mu;
  const double x = speed / f->speed, e = f->exponent;
  const double p = e == 2.0 ? x * x : pow(x, e), drop = more * exp(-p);
  *slope = e == 2.0 ? -2.0 * drop * x / f->speed : x > 0.0 ? -e * drop * p / speed : 0.0;
  return f->mu + drop;
}

/* --- a bristle in line with a slider ----------------------------------------------------------- */

/* c at the edge of the cone, in direction t/|t|, and its slopes; stiff: dt/dv */
HKI_INLINE void slide(const at *x, const double *t, double size, double stiff,
                      hk_friction_out *out) {
  for (int32_t i = 0; i < x->n; i++) {
    const double u = x->n == 1 ? copysign(1.0, t[0]) : t[i] / size;
    out->c[i] = x->mu * u;
    for (int32_t j = 0; j < x->n; j++) {
      double turns = 0.0; // the direction of a single component cannot turn
      if (x->n > 1) turns = x->mu / size * stiff * ((i == j ? 1.0 : 0.0) - u * t[j] / size);
      out->cv[HK_FRICTION_AXES * i + j] = turns + u * x->slope * x->dir[j];
    }
  }
  out->slides = true;
}

/* c = t, slope `stiff` */
HKI_INLINE void stick(const at *x, const double *t, double stiff, hk_friction_out *out) {
  for (int32_t i = 0; i < x->n; i++) {
    out->c[i] = t[i];
    for (int32_t j = 0; j < x->n; j++) out->cv[HK_FRICTION_AXES * i + j] = i == j ? stiff : 0.0;
  }
  out->slides = false;
}

/* in a stage: c, and z */
HKI_INLINE void slider_stage(const at *x, const hk_states *st, int32_t z0, double *z,
                             hk_friction_out *out) {
  const double s0 = x->f->sigma0, s1 = x->f->sigma1, g = st->gamma, stiff = s0 / g + s1;
  const double *w = st->c + z0;
  const hk_state_iterate *last = st->last ? st->last + z0 : NULL;
  double t[HK_FRICTION_AXES], size, back = 0.0;
  for (int32_t i = 0; i < x->n; i++) {
    t[i] = s0 * (x->v[i] - w[i]) / g + s1 * x->v[i];
    if (last) back += t[i] * (s0 * last[i].z + s1 * (w[i] + g * last[i].z));
  }
  size = length(x->n, t);
  const bool inside = size <= x->mu, turned = last && last->branch == SLIDES && back < 0.0;
  if (inside || turned) {
    stick(x, t, stiff, out);
    for (int32_t i = 0; i < x->n; i++) z[i] = (x->v[i] - w[i]) / g;
  } else {
    slide(x, t, size, stiff, out);
    for (int32_t i = 0; i < x->n; i++) z[i] = (out->c[i] - s1 * w[i]) / (s0 + s1 * g);
  }
  for (int32_t i = 0; st->branch && i < x->n; i++)
    st->branch[z0 + i] = inside ? STICKS : turned ? HELD_ON : SLIDES;
}

/* with z given, or at rest: where it slides z is that of steady sliding, else it stays in the cone */
HKI_INLINE void slider_given(const at *x, const hk_states *st, int32_t z0, double *z,
                             hk_friction_out *out) {
  const bool rest = st && st->mode == HK_STATES_REST;
  const double s0 = x->f->sigma0, s1 = x->f->sigma1, limit = x->mu / s0;
  const double far = length(x->n, z);
  double t[HK_FRICTION_AXES];
  for (int32_t i = 0; rest && i < x->n; i++) {
    if (x->speed > 0.0)
      z[i] = limit * x->dir[i];
    else if (far > limit)
      z[i] *= limit / far;
    // the deflection of one that does not move is left open
    if (st->branch) st->branch[z0 + i] = x->speed > 0.0 ? 0 : STICKS;
  }
  for (int32_t i = 0; i < x->n; i++) t[i] = s0 * z[i] + s1 * x->v[i];
  const double size = length(x->n, t);
  // at rest z follows the direction of v
  const double turns = rest && x->speed > 0.0 ? x->mu / x->speed : 0.0;
  if (size > x->mu)
    slide(x, t, size, s1 + turns, out);
  else
    stick(x, t, s1, out);
}

HKI_INLINE void slider(const at *x, const hk_states *st, int32_t z0, double *z, double *zd,
                       hk_friction_out *out) {
  if (st && st->mode == HK_STATES_STAGE)
    slider_stage(x, st, z0, z, out);
  else
    slider_given(x, st, z0, z, out);
  for (int32_t i = 0; i < x->n; i++) {
    const double v = x->v[i], s0 = x->f->sigma0, s1 = x->f->sigma1;
    zd[i] = out->slides ? (out->c[i] - s0 * z[i]) / s1 : v;
    out->c[i] += x->f->sigma2 * v;
    out->cv[(HK_FRICTION_AXES + 1) * i] += x->f->sigma2;
  }
}

/* --- lugre ------------------------------------------------------------------------------------- */

/* a and its slope by r */
static double give(const hk_friction *f, double r, double *slope) {
  const double e = f->elastic, x = PI * (r - 0.5 * (1.0 + e)) / (1.0 - e);
  *slope = 0.0;
  if (e <= 0.0 || r >= 1.0) return 1.0;
  if (r <= e) return 0.0;
  *slope = 0.5 * PI / (1.0 - e) * cos(x);
  return 0.5 * (1.0 + sin(x));
}

/* The root r > 0 of (gamma + b a(r)) r = size: between size/(gamma + b) and size/gamma. */
static double bristle_root(const hk_friction *f, double gamma, double b, double size) {
  double lo = size / (gamma + b), hi = gamma > 0.0 ? size / gamma : INFINITY, r = lo, slope;
  // at rest, or where it slides far, the whole bristle gives way
  if (lo >= 1.0 || gamma <= 0.0) return lo;
  if (hi <= f->elastic) return hi;
  for (int i = 0; i < 60; i++) {
    const double a = give(f, r, &slope), y = (gamma + b * a) * r - size;
    *(y > 0.0 ? &hi : &lo) = r;
    double next = r - y / (gamma + b * a + b * slope * r);
    if (!(next > lo && next < hi)) next = 0.5 * (lo + hi);
    if (fabs(next - r) <= 4e-16 * r) return next;
    r = next;
  }
  return r;
}

/* finds z; returns dz/d(rate at fixed z) across and, in *along, along z. a, as: give() */
static double bristle_find(const at *x, double b, const hk_states *st, int32_t z0, double *z,
                           double *along, double *a, double *as) {
  const hk_friction *f = x->f;
  const double limit = x->mu / f->sigma0;
  const bool free = st && st->mode != HK_STATES_HELD, stage = free && st->mode == HK_STATES_STAGE;
  const double gamma = stage ? st->gamma : 0.0;
  double w[HK_FRICTION_AXES], ahead = 0.0, r = length(x->n, z) / limit;
  *a = 1.0, *as = *along = 0.0;
  for (int32_t i = 0; i < x->n; i++) {
    w[i] = free ? x->v[i] - (stage ? st->c[z0 + i] : 0.0) : z[i];
    ahead += w[i] * x->v[i];
  }
  if (f->elastic > 0.0) {
    if (free && gamma + b > 0.0 && ahead > 0.0)
      r = bristle_root(f, gamma, b, length(x->n, w) / limit);
    *a = ahead > 0.0 ? give(f, r, as) : 0.0;
  }
  const double sum = gamma + b * *a;
  if (!free || !(sum > 0.0)) return 0.0;
  for (int32_t i = 0; i < x->n; i++) z[i] = w[i] / sum;
  *along = 1.0 / (sum + b * *as * r);
  return 1.0 / sum;
}

static void bristle(const at *x, const hk_states *st, int32_t z0, double *z, double *zd,
                    hk_friction_out *out) {
  const hk_friction *f = x->f;
  const double b = f->sigma0 * x->speed / x->mu;
  const double bs = f->sigma0 * (1.0 - x->speed * x->slope / x->mu) / x->mu; // by the speed
  double a, as, along, across = bristle_find(x, b, st, z0, z, &along, &a, &as);
  const double size = length(x->n, z), r = size * f->sigma0 / x->mu;
  // slope of a b by the speed at fixed z, where r changes with mu
  const double turn = a * bs - b * as * r * x->slope / x->mu;
  double Zv[HK_FRICTION_AXES * HK_FRICTION_AXES];
  for (int32_t i = 0; i < x->n; i++) zd[i] = x->v[i] - a * b * z[i];
  for (int32_t j = 0; j < x->n; j++) {
    // slope of the rate by v_j at fixed z, and of z
    double R[HK_FRICTION_AXES], on = 0.0;
    for (int32_t i = 0; i < x->n; i++) R[i] = (i == j ? 1.0 : 0.0) - x->dir[j] * turn * z[i];
    if (size > 0.0) on = dot(x->n, R, z) / (size * size);
    for (int32_t i = 0; i < x->n; i++)
      Zv[HK_FRICTION_AXES * i + j] =
          as == 0.0 ? across * R[i] : across * R[i] + (along - across) * on * z[i];
    double grow = 0.0; // of |z|, for the change of a
    for (int32_t i = 0; as != 0.0 && i < x->n; i++)
      grow += z[i] / size * Zv[HK_FRICTION_AXES * i + j];
    for (int32_t i = 0; i < x->n; i++) {
      const double Z = Zv[HK_FRICTION_AXES * i + j];
      const double rate = R[i] - a * b * Z - b * as * grow * f->sigma0 / x->mu * z[i];
      out->cv[HK_FRICTION_AXES * i + j] =
          f->sigma0 * Z + f->sigma1 * rate + (i == j ? f->sigma2 : 0.0);
    }
  }
  for (int32_t i = 0; i < x->n; i++)
    out->c[i] = f->sigma0 * z[i] + f->sigma1 * zd[i] + f->sigma2 * x->v[i];
  out->slides = r > 0.99;
}

/* --- both -------------------------------------------------------------------------------------- */

/* made for sliders of one component, of several, and for lugre */
HKI_INLINE void evaluate(const hk_friction *f, bool lugre, int32_t n, const double *v,
                         const hk_states *st, int32_t z0, hk_friction_out *out) {
  at x; // directions are not set to zero: only n of them are read
  double z[HK_FRICTION_AXES], zd[HK_FRICTION_AXES], power = 0.0, stored = 0.0;
  x.f = f, x.n = n, x.v = v, x.speed = length(n, v);
  x.mu = hki_friction_steady(f, x.speed, &x.slope);
  for (int32_t i = 0; i < n; i++) {
    x.dir[i] = !(x.speed > 0.0) ? 0.0 : n == 1 ? copysign(1.0, v[0]) : v[i] / x.speed;
    z[i] = st ? st->z[z0 + i] : 0.0;
  }
  if (lugre)
    bristle(&x, st, z0, z, zd, out);
  else
    slider(&x, st, z0, z, zd, out);
  out->energy = 0.0;
  for (int32_t i = 0; i < n; i++) {
    power += out->c[i] * v[i], stored += f->sigma0 * z[i] * zd[i];
    out->energy += 0.5 * f->sigma0 * z[i] * z[i];
    if (st) st->z[z0 + i] = z[i], st->zd[z0 + i] = zd[i];
  }
  out->lost = power - stored;
}

static void several(const hk_friction *f, int32_t n, const double *v, const hk_states *st,
                    int32_t z0, hk_friction_out *out) {
  evaluate(f, false, n, v, st, z0, out);
}

static void one(const hk_friction *f, const double *v, const hk_states *st, int32_t z0,
                hk_friction_out *out) {
  evaluate(f, false, 1, v, st, z0, out);
}

static void bristles(const hk_friction *f, int32_t n, const double *v, const hk_states *st,
                     int32_t z0, hk_friction_out *out) {
  evaluate(f, true, n, v, st, z0, out);
}

void hki_friction_eval(const hk_friction *f, int32_t n, const double *v, const hk_states *st,
                       int32_t z0, hk_friction_out *out) {
  HK_ASSERT(n > 0 && n <= HK_FRICTION_AXES);
  if (f->kind == HK_FRICTION_LUGRE)
    bristles(f, n, v, st, z0, out);
  else if (n == 1)
    one(f, v, st, z0, out);
  else
    several(f, n, v, st, z0, out);
}

bool hki_friction_good(const hk_friction *f) {
  const bool slips = f->kind != HK_FRICTION_LUGRE;
  return isfinite(f->mu) && f->mu > 0.0 && isfinite(f->mu_static) && f->mu_static >= f->mu &&
         isfinite(f->speed) && f->speed > 0.0 && isfinite(f->exponent) && f->exponent > 0.0 &&
         isfinite(f->sigma0) && f->sigma0 > 0.0 && isfinite(f->sigma1) &&
         (slips ? f->sigma1 > 0.0 : f->sigma1 >= 0.0) && isfinite(f->sigma2) && f->sigma2 >= 0.0 &&
         f->elastic >= 0.0 && f->elastic < 1.0;
}

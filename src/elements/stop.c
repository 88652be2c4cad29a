/* SPDX-License-Identifier: Apache-2.0
 *
 * stop.c: a compliant stop at both ends of the range of a joint coordinate s. With the depth x of the
 * coordinate behind an end and its rate xd:
 *
 *   F   = max(0, k x^n (1 + d xd) + c xd)      x > 0, else 0
 *   tau = F at the lower end, -F at the upper
 *
 *   energy = k x^(n+1)/(n+1)       dissipated = (F - k x^n) xd
 *
 * A stop never pulls. With d alone the force is continuous where the coordinate touches the stop;
 * c makes it jump there.
 *
 * Source: K. H. Hunt and F. R. E. Crossley, Coefficient of restitution interpreted as damping in
 * vibroimpact, Journal of Applied Mechanics 42 (1975) 440-445.
 */
#include "elements/stop.h"

#include <math.h>

/* depth behind the nearer end, its sign (1: lower end, -1: upper, 0: between) */
static double depth(const hk_stop_par *p, double s, double *side) {
  *side = s < p->lower ? 1.0 : s > p->upper ? -1.0 : 0.0;
  return *side > 0.0 ? p->lower - s : *side < 0.0 ? s - p->upper : 0.0;
}

/* force without damping */
static double elastic(const hk_stop_par *p, double x) {
  return p->stiffness * (p->exponent == 1.0 ? x : pow(x, p->exponent));
}

static double whole(const hk_stop_par *p, double x, double xd) {
  return elastic(p, x) * (1.0 + p->dissipation * xd) + p->damping * xd;
}

static void eval(const void *par, const hk_element_in *in, uint32_t need, hk_element_out *out) {
  const hk_stop_par *p = par;
  double side, x = depth(p, in->s, &side), xd = -side * in->sd;
  const double f = side != 0.0 ? fmax(0.0, whole(p, x, xd)) : 0.0;
  const bool on = f > 0.0;
  (void)need;
  out->tau = side * f;
  const double slope =
      p->exponent == 1.0 ? p->stiffness : p->stiffness * p->exponent * pow(x, p->exponent - 1.0);
  out->ks[0] = out->K[0] = on ? slope * (1.0 + p->dissipation * xd) : 0.0;
  out->cs[0] = out->C[0] = on ? elastic(p, x) * p->dissipation + p->damping : 0.0;
  out->energy = elastic(p, x) * x / (p->exponent + 1.0);
  out->dissipated = (f - elastic(p, x)) * xd;
  out->supplied = 0.0;
  out->y[0] = in->s, out->y[1] = in->sd, out->y[2] = side * f;
}

static void power(const void *par, const hk_element_in *in, double *dissipated, double *supplied) {
  const hk_stop_par *p = par;
  double side, x = depth(p, in->s, &side), xd = -side * in->sd;
  *supplied = 0.0;
  *dissipated = side != 0.0 ? (fmax(0.0, whole(p, x, xd)) - elastic(p, x)) * xd : 0.0;
}

/* for the hash of the model alone: the reader fills them */
/* clang-format off */
#define AT(field) (int32_t)offsetof(hk_stop_par, field)
static const hk_param params[] = {
    {"lower", HK_P_REAL, 0, AT(lower), 0, 0, 0, "m or rad", NULL, "lower end of the range"},
    {"upper", HK_P_REAL, 0, AT(upper), 0, 0, 0, "m or rad", NULL, "upper end of the range"},
    {"stiffness", HK_P_REAL, 0, AT(stiffness), 0, 0, 0, "N/m or N*m/rad", NULL, "force per depth"},
    {"exponent", HK_P_REAL, 0, AT(exponent), 0, 0, 0, "", NULL, "of the depth"},
    {"damping", HK_P_REAL, 0, AT(damping), 0, 0, 0, "N*s/m or N*m*s/rad", NULL, "force per rate"},
    {"dissipation", HK_P_REAL, 0, AT(dissipation), 0, 0, 0, "s/m or s/rad", NULL, "of the elastic force"},
    HK_PARAM_END};
/* clang-format on */

const hk_element_ops hki_element_stop = {
    .name = "stop",
    .text = "compliant ends of the range of a joint coordinate",
    .source = "Hunt and Crossley 1975",
    .nscal = 1,
    .rank = 1,
    .ny = 3,
    .caps = HK_ELEMENT_RELATIVE | HK_ELEMENT_SYMMETRIC,
    .par_size = sizeof(hk_stop_par),
    .params = params,
    .outputs = "position rate force",
    .output_units = "q q/s f",
    .glyph = HK_GLYPH_NONE,
    .eval = eval,
    .power = power,
};

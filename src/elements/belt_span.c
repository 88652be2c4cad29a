/* SPDX-License-Identifier: Apache-2.0
 *
 * belt_span.c: the span of a belt between two pulleys, on which it does not slip: the length s of span.h,
 * which follows from the places of the pulleys and from their rotations, and the force of tension.h. What
 * is wound on a pulley or comes from it counts, as a change of s from the drawing on:
 *
 *   s = l + a (phi_A - phi_A0) - b (phi_B - phi_B0)
 *
 * The tension T pulls the pulleys together and turns them by the torques T a and -T b about their axes. A
 * closed belt is one such span between each two of its pulleys (`belts:`).
 *
 * Pulleys that overlap have no tangent: there is no force then, and no run goes on from there.
 *
 * Full turns are counted from the last accepted state: d holds phi - phi_0 of both ends there.
 */
#include <string.h>

#include "elements/span.h"
#include "elements/tension.h"

typedef struct hk_belt_par {
  hk_tension_par law;
  double axis[3];   /* of both pulleys, in the markers' axes */
  double radius[2]; /* signed */
  double E[9];      /* axes of the pulleys in those of the markers */
  double phi0[2];   /* directions as drawn */
} hk_belt_par;

typedef struct belt_state {
  hk_span span;
  double turned[2]; /* phi - phi_0 */
  double s, sd;
} belt_state;

static bool look(const hk_belt_par *par, const hk_frame *m, const double *d, bool second,
                 belt_state *x) {
  hk_frame F[2];
  for (int k = 0; k < 2; k++) {
    F[k] = m[k];
    m3_mul(F[k].R, m[k].R, par->E);
  }
  const double a = par->radius[0], b = par->radius[1];
  const bool good = hki_span_eval(&F[0], &F[1], a, b, second, &x->span);
  for (int k = 0; k < 2; k++)
    x->turned[k] = hki_span_near(x->span.phi[k] - par->phi0[k], d ? d[k] : 0.0);
  x->s = good ? x->span.l + a * x->turned[0] - b * x->turned[1] : 0.0;
  const double *g = x->span.g;
  x->sd = v3_dot(g, m[0].w) + v3_dot(g + 3, m[0].v) + v3_dot(g + 6, m[1].w) + v3_dot(g + 9, m[1].v);
  return good;
}

static void eval(const void *p, const hk_element_in *in, uint32_t need, hk_element_out *out) {
  const hk_belt_par *par = p;
  hk_tension f;
  belt_state x;
  look(par, in->m, in->d, (need & HK_NEED_EXACT) != 0, &x);
  hki_tension(&par->law, in->u, in->u_varies, x.s, x.sd, &f);

  memcpy(out->B, x.span.g, sizeof x.span.g);
  for (int i = 0; i < 12; i++) out->w[i] = -f.T * x.span.g[i];
  out->ks[0] = f.ks, out->cs[0] = f.cs;

  if (need & HK_NEED_EXACT) {
    double V[12];
    for (int k = 0; k < 2; k++) v3_copy(V + 6 * k, in->m[k].w), v3_copy(V + 6 * k + 3, in->m[k].v);
    hki_tangent_zero(12, out->K);
    hki_tangent_zero(12, out->C);
    hki_span_tangent(12, x.span.g, x.span.H, HK_BS, V, f.T, f.ks, f.cs, out->K, out->C, HK_BS);
  }
  hki_tension_tell(&f, x.span.g, x.s, x.sd, need, out);
}

static void power(const void *p, const hk_element_in *in, double *dissipated, double *supplied) {
  hk_tension f;
  hki_tension(&((const hk_belt_par *)p)->law, in->u, in->u_varies, in->s, in->sd, &f);
  *dissipated = f.dissipated, *supplied = f.supplied;
}

static const char *follow(const void *p, const hk_element_in *in, double *d) {
  belt_state x;
  if (!look(p, in->m, d, false, &x)) return "its pulleys overlap";
  d[0] = x.turned[0], d[1] = x.turned[1];
  return NULL;
}

static hk_status prepare(hk_ctx *ctx, hk_loc loc, const char *name, void *p, uint32_t u_given,
                         double *u0, const hk_frame *m0) {
  hk_belt_par *par = p;
  belt_state x;
  v3_normalize(par->axis);
  rot_from_axis(par->E, par->axis, 2, NULL);
  par->phi0[0] = par->phi0[1] = 0.0;
  const bool good = look(par, m0, NULL, false, &x);
  double d[3];
  v3_sub(d, m0[1].p, m0[0].p);
  v3_axpy(d, -v3_dot(d, par->axis), par->axis);
  const double apart = v3_norm(d), both = fabs(par->radius[0]) + fabs(par->radius[1]);
  if (!good || !(apart > both))
    return hki_error(ctx, HK_E_MODEL, loc, "smaller radii, or centres further apart",
                     "belt '%s': its pulleys overlap, %g m apart with radii %g m and %g m", name,
                     apart, fabs(par->radius[0]), fabs(par->radius[1]));
  for (int k = 0; k < 2; k++) par->phi0[k] = x.span.phi[k];
  return hki_tension_prepare(ctx, loc, name, &par->law, u_given, u0, x.span.l);
}

/* clang-format off */
#define AT(field) (int32_t)offsetof(hk_belt_par, field)
static const hk_param params[] = {
    {"between", HK_P_BODIES, HK_P_REQUIRED, HK_P_HAND, 0, 0, 0, "", NULL, "the bodies of both pulleys, in the direction in which the belt runs"},
    {"ends", HK_P_ENDS, HK_P_REQUIRED, HK_P_HAND, 0, 0, 0, "m", NULL, "the centres of both pulleys"},
    {"axis", HK_P_AXIS, HK_P_REQUIRED | HK_P_LEAD, AT(axis), 0, 0, 0, "", NULL, "their axis; a belt that runs turns them about it in the positive sense"},
    {"first_radius", HK_P_REAL, 0, AT(radius[0]), 0, 0, 0, "m", NULL, "radius of the first pulley; negative: the belt turns it the other way, 0: a point"},
    {"second_radius", HK_P_REAL, 0, AT(radius[1]), 0, 0, 0, "m", NULL, "radius of the second pulley, likewise"},
    HK_TENSION_ROWS(AT(law)),
    HK_PARAM_END};
/* clang-format on */

extern const hk_element_ops hki_element_belt_span;
const hk_element_ops hki_element_belt_span = {
    .name = "belt_span",
    .text = "span of a belt or rope between two pulleys, without slip: it pulls and goes slack",
    .source = "common tangents of circles; linear elasticity, one-sided",
    .nmark = 2,
    .rank = 1,
    .nu = HK_TENSION_INPUTS,
    .nd = 2,
    .ny = HK_TENSION_OUTPUTS,
    .caps = HK_ELEMENT_RELATIVE | HK_ELEMENT_SYMMETRIC,
    .par_size = sizeof(hk_belt_par),
    .params = params,
    .arrow = 1,
    .glyph = HK_GLYPH_ROD,
    .outputs = HK_TENSION_OUTPUT_NAMES,
    .output_units = HK_TENSION_OUTPUT_UNITS,
    .prepare = prepare,
    .eval = eval,
    .power = power,
    .follow = follow,
};

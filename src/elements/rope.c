/* SPDX-License-Identifier: Apache-2.0
 *
 * rope.c: a rope without mass between two points: the deformation of line.h, the force of tension.h.
 * Chains of them between point masses are cables (`cables:`).
 */
#include "elements/line.h"
#include "elements/tension.h"

static void eval(const void *p, const hk_element_in *in, uint32_t need, hk_element_out *out) {
  const hk_tension_par *par = p;
  hk_tension f;
  hk_line l;
  hki_line_eval(NULL, &in->m[0], &in->m[1], &l);
  hki_tension(par, in->u, in->u_varies, l.s, l.sd, &f);

  hki_line_row(&l, f.T, out->B, out->w);
  out->ks[0] = f.ks, out->cs[0] = f.cs;

  if (need & HK_NEED_EXACT) hki_line_exact(&l, &in->m[0], f.T, f.ks, f.cs, out);
  hki_tension_tell(&f, out->B, l.s, l.sd, need, out);
}

static void power(const void *p, const hk_element_in *in, double *dissipated, double *supplied) {
  hk_tension f;
  hki_tension(p, in->u, in->u_varies, in->s, in->sd, &f);
  *dissipated = f.dissipated, *supplied = f.supplied;
}

static hk_status prepare(hk_ctx *ctx, hk_loc loc, const char *name, void *p, uint32_t u_given,
                         double *u0, const hk_frame *m0) {
  hk_line l;
  hki_line_eval(NULL, &m0[0], &m0[1], &l);
  return hki_tension_prepare(ctx, loc, name, p, u_given, u0, l.s);
}

/* clang-format off */
static const hk_param params[] = {
    {"between", HK_P_BODIES, HK_P_REQUIRED, HK_P_HAND, 0, 0, 0, "", NULL, "the two bodies"},
    {"ends", HK_P_ENDS, HK_P_REQUIRED, HK_P_HAND, 0, 0, 0, "m", NULL, "a point of the first body and one of the second"},
    HK_TENSION_ROWS(0),
    {"share", HK_P_REAL, HK_P_POSITIVE, (int32_t)offsetof(hk_tension_par, share), 1, 0, 0, "1", NULL, "part of 'length' that is its own: 1/N of one that stands for a cable of N of them"},
    HK_PARAM_END};
/* clang-format on */

extern const hk_element_ops hki_element_rope;
const hk_element_ops hki_element_rope = {
    .name = "rope",
    .text =
        "rope between two points: it pulls, goes slack, and its length may be a signal (a winch)",
    .source = "linear elasticity, one-sided",
    .nmark = 2,
    .rank = 1,
    .nu = HK_TENSION_INPUTS,
    .ny = HK_TENSION_OUTPUTS,
    .caps = HK_ELEMENT_RELATIVE | HK_ELEMENT_SYMMETRIC | HK_ELEMENT_PULLS,
    .par_size = sizeof(hk_tension_par),
    .params = params,
    .arrow = 1,
    .glyph = HK_GLYPH_ROD,
    .outputs = HK_TENSION_OUTPUT_NAMES,
    .output_units = HK_TENSION_OUTPUT_UNITS,
    .prepare = prepare,
    .eval = eval,
    .power = power,
};

/* SPDX-License-Identifier: Apache-2.0
 *
 * spring_damper.c: a spring and damper between two points, along their line or along an axis of the
 * first body: the deformation of line.h, the force of spring.h.
 *
 * Source: Cuadrado and Dopico 2003, eqs. 28-34, plus the geometric term.
 */
#include "elements/line.h"
#include "elements/spring.h"

typedef struct hk_spring_damper_par {
  hk_spring_par law;
  double axis[3]; /* `along` in marker A's axes; 0 0 0: along the line of the ends */
  bool along;
} hk_spring_damper_par;

/* the deformation, of either kind */
HKI_INLINE void line_eval(const hk_spring_damper_par *par, const hk_frame *m, hk_line *l) {
  hki_line_eval(par->along ? par->axis : NULL, &m[0], &m[1], l);
}

static void eval(const void *p, const hk_element_in *in, uint32_t need, hk_element_out *out) {
  const hk_spring_damper_par *par = p;
  hk_spring_force f;
  hk_line l;
  line_eval(par, in->m, &l);
  hki_spring_force(&par->law, in, l.s, l.sd, need & HK_NEED_MEMORY ? out->d : NULL, &f);

  hki_line_row(&l, f.f, out->B, out->w);
  out->ks[0] = f.ks, out->cs[0] = f.cs;

  if (need & HK_NEED_EXACT) hki_line_exact(&l, &in->m[0], f.f, f.ks, f.cs, out);
  if (need & HK_NEED_INPUT)
    for (int k = 0; k < HK_SPRING_INPUTS; k++)
      for (int i = 0; i < 12; i++) out->Wu[12 * k + i] = -f.fu[k] * out->B[i];
  if (need & HK_NEED_ENERGY) {
    hki_spring_energy(&par->law, in->u, in->u_varies, l.s, l.sd, &f, out);
    out->s = l.s, out->sd = l.sd;
  }
  if (need & HK_NEED_OUTPUT) out->y[0] = l.s, out->y[1] = l.sd, out->y[2] = f.f;
}

static hk_pull pull(const void *p, double *axis) {
  const hk_spring_damper_par *par = p;
  if (par->law.memory) return HK_PULL_NONE;
  v3_copy(axis, par->axis);
  return par->along ? HK_PULL_AXIS : HK_PULL_LINE;
}

static void resist(const void *p, const hk_element_in *in, uint32_t need, hk_element_out *out) {
  hki_spring_resist(&((const hk_spring_damper_par *)p)->law, in, need, out);
}

/* laws read the whole length unless a free length is given; the default free length of a linear
 * spring is that of the drawing position */
static hk_status prepare(hk_ctx *ctx, hk_loc loc, const char *name, void *p, uint32_t u_given,
                         double *u0, const hk_frame *m0) {
  hk_spring_damper_par *par = p;
  hk_line l;
  hk_status status = hki_spring_check(ctx, loc, name, &par->law, u_given);
  if (status != HK_OK) return status;
  par->along = v3_normalize(par->axis) > 0.0;
  par->law.offset = (u_given & 4u) != 0;
  if (!par->law.offset) {
    line_eval(par, m0, &l);
    u0[2] = l.s;
  }
  return HK_OK;
}

static void power(const void *p, const hk_element_in *in, double *dissipated, double *supplied) {
  hki_spring_power(&((const hk_spring_damper_par *)p)->law, in, dissipated, supplied);
}

static int32_t laws(const void *p, const hk_law **list) {
  return hki_spring_laws(&((const hk_spring_damper_par *)p)->law, list);
}

/* clang-format off */
#define AT(field) (int32_t)offsetof(hk_spring_damper_par, field)
static const hk_param params[] = {
    {"between", HK_P_BODIES, HK_P_REQUIRED, HK_P_HAND, 0, 0, 0, "", NULL, "the two bodies"},
    {"ends", HK_P_ENDS, HK_P_REQUIRED, HK_P_HAND, 0, 0, 0, "m", NULL, "a point of the first body and one of the second"},
    {"stiffness", HK_P_DYNAMIC, 0, 0, 0, 0, 0, "N/m", NULL, "force per elongation"},
    {"damping", HK_P_DYNAMIC, 0, 1, 0, 0, 0, "N*s/m", NULL, "force per rate of elongation"},
    {"length", HK_P_DYNAMIC, 0, 2, NAN, 0, 0, "m", NULL, "free length; left out: as drawn, and laws read the whole length"},
    {"spring", HK_P_LAW, 0, AT(law.spring), 0, 0, 0, "N", NULL, "law over s, the length (minus 'length' if given); instead of 'stiffness'"},
    {"damper", HK_P_LAW, 0, AT(law.damper), 0, 0, 0, "N", NULL, "law over sdot, the rate of the length; instead of 'damping'"},
    {"along", HK_P_AXIS, 0, AT(axis), 0, 0, 0, "", NULL, "axis of the first body: only the distance along it counts, and the pair acts through the second end"},
    {"normal", HK_P_DYNAMIC, HK_P_NONNEGATIVE, 3, 0, 0, 0, "N", NULL, "normal force; the forces of a damper law with friction are then coefficients"},
    HK_PARAM_END};
/* clang-format on */

extern const hk_element_ops hki_element_spring_damper;
const hk_element_ops hki_element_spring_damper = {
    .name = "spring_damper",
    .text = "spring and damper between two points, along their line or along an axis",
    .source = "Cuadrado and Dopico 2003, eqs. 28-34, with the geometric term",
    .nmark = 2,
    .rank = 1,
    .nu = HK_SPRING_INPUTS,
    .ny = 3,
    .caps = HK_ELEMENT_RELATIVE | HK_ELEMENT_SYMMETRIC | HK_ELEMENT_PULLS,
    .par_size = sizeof(hk_spring_damper_par),
    .params = params,
    .arrow = 1,
    .glyph = HK_GLYPH_COIL,
    .outputs = "length rate force",
    .output_units = "m m/s N",
    .prepare = prepare,
    .eval = eval,
    .power = power,
    .pull = pull,
    .resist = resist,
    .laws = laws,
};

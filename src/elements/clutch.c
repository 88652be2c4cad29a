/* SPDX-License-Identifier: Apache-2.0
 *
 * clutch.c: `clutch`, faces pressed together between two bodies that turn about a common axis a, fixed
 * in the first body. It resists the rate of the relative rotation (rub.h), and locks truly.
 *
 *   sd = a . (omega_B - omega_A)
 *   f  = radius faces (force + area pressure) c(radius sd)
 *   w_A = (f a, 0),   w_B = (-f a, 0)
 *
 * Rows: B = (-a, 0, a, 0). The axis turns with the first body, by th: da = th x a, so that
 *
 *   d(sd) = th . (a x (omega_B - omega_A))
 *   dw_A  = f th x a = -f [a] th
 */
#include "elements/rub.h"
#include "elements/tangent.h"

typedef struct clutch_par {
  hk_rub_par rub;
  double axis[3]; /* in the axes of the first marker */
} clutch_par;

static void eval(const void *p, const hk_element_in *in, uint32_t need, hk_element_out *out) {
  const clutch_par *par = p;
  const hk_frame *A = &in->m[0], *B = &in->m[1];
  double a[3], rel[3];
  hk_rub x;
  m3_mulv(a, A->R, par->axis);
  v3_sub(rel, B->w, A->w);
  const double sd = v3_dot(a, rel);
  hki_rub_eval(&par->rub, in, sd, &x);
  for (int i = 0; i < 3; i++) {
    out->B[i] = -a[i], out->B[6 + i] = a[i], out->B[3 + i] = out->B[9 + i] = 0.0;
    out->w[i] = x.f * a[i], out->w[6 + i] = -x.f * a[i], out->w[3 + i] = out->w[9 + i] = 0.0;
  }
  out->ks[0] = 0.0, out->cs[0] = x.slope;
  if (need & HK_NEED_EXACT) {
    double P[HK_BS] = {0};
    v3_cross(P, a, rel);
    hki_tangent_material(1, 12, out->B, P, out->ks, out->cs, out->K, out->C);
    hki_add_skew(out->K, 0, 0, x.f, a);
    hki_add_skew(out->K, 6, 0, -x.f, a);
  }
  if (need & HK_NEED_INPUT)
    for (int k = 0; k < 2; k++)
      for (int i = 0; i < 12; i++) out->Wu[12 * k + i] = -x.fu[k] * out->B[i];
  out->energy = x.energy, out->dissipated = x.dissipated, out->supplied = out->spent = 0.0;
  for (int i = 0; i < 5; i++) out->y[i] = x.y[i];
}

static hk_status prepare(hk_ctx *ctx, hk_loc loc, const char *name, void *p, uint32_t u_given,
                         double *u0, const hk_frame *m0) {
  clutch_par *par = p;
  (void)m0;
  v3_normalize(par->axis);
  return hki_rub_prepare(ctx, loc, name, &par->rub, u_given, u0);
}

/* clang-format off */
static const hk_param params[] = {
    {"between", HK_P_BODIES, HK_P_REQUIRED, HK_P_HAND, 0, 0, 0, "", NULL, "the two bodies"},
    {"at", HK_P_POINT, 0, HK_P_HAND, 0, 0, 0, "m", NULL, "where it is drawn; left out: the first body's centre of mass"},
    {"axis", HK_P_AXIS, HK_P_REQUIRED, (int32_t)offsetof(clutch_par, axis), 0, 0, 0, "", NULL, "about which both turn; follows the first body"},
    HK_RUB_ROWS("effective radius of the faces", "pairs of faces: those of all discs"),
    HK_RUB_HEATS,
    HK_PARAM_END};
/* clang-format on */

extern const hk_element_ops hki_element_clutch;
const hk_element_ops hki_element_clutch = {
    .name = "clutch",
    .text = "faces pressed together between two bodies that turn about an axis; locks truly",
    .source = "friction.c: a bristle in line with a slider",
    .nmark = 2,
    .rank = 1,
    .nu = 2,
    .ny = 5,
    .caps = HK_ELEMENT_RELATIVE | HK_ELEMENT_SYMMETRIC | HK_ELEMENT_ANYWHERE | HK_ELEMENT_RATES,
    .par_size = sizeof(clutch_par),
    .params = params,
    .arrow = 1,
    .glyph = HK_GLYPH_BLOCK,
    .outputs = "slip torque stuck power normal",
    .output_units = "rad/s N*m 1 W N",
    .prepare = prepare,
    .eval = eval,
    .laws = hki_rub_laws,
};

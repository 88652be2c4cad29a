/* SPDX-License-Identifier: Apache-2.0
 *
 * coupler.c: any relation between coordinates of joints, and the empty faces of all couplings.
 *
 *   coefficients   sum c_i s_i + offset = 0; without an offset, the constant of the drawing
 *   polynomial     s2 = a0 + a1 s1 + a2 s1^2 ..
 *   table          s2 = y(s1), a curve through points
 *   expression     f(channels of joint coordinates, t) = 0
 */
#include "joints/coupling.h"

typedef struct coupler_par {
  hk_reals coefficients, polynomial;
  double offset;
} coupler_par;

static const hk_param params[] = {
    HK_PARAM_HAND("joints", HK_P_JOINTS, 0,
                  "[first, second, ..]: the joints (or joint.coordinate) it relates; not with "
                  "expression"),
    {.name = "coefficients",
     .type = HK_P_REALS,
     .offset = (int32_t)offsetof(coupler_par, coefficients),
     .unit = "",
     .text = "a factor for each coordinate: their sum, with offset, is zero"},
    {.name = "offset",
     .type = HK_P_REAL,
     .offset = (int32_t)offsetof(coupler_par, offset),
     .def = NAN,
     .unit = "",
     .text = "constant of the sum (default: zero in the drawing position)"},
    {.name = "polynomial",
     .type = HK_P_REALS,
     .offset = (int32_t)offsetof(coupler_par, polynomial),
     .unit = "",
     .text = "[a0, a1, a2, ..]: the second coordinate is a0 + a1 s + a2 s^2 .. of the first"},
    HK_PARAM_HAND(
        "table", HK_P_ANY, 0,
        "the second coordinate as a smooth curve over the first: a file with two columns, "
        "or a list of [first, second]"),
    HK_PARAM_HAND("expression", HK_P_TEXT, 0,
                  "an expression of joint coordinates and t that stays zero"),
    HK_PARAM_END};

void hki_couple_loop(const void *par, const hk_frame *A, const hk_frame *B, uint32_t need,
                     hk_joint_loop *out) {
  (void)par, (void)A, (void)B, (void)need, (void)out;
}

void hki_couple_loop_geo(const void *par, const hk_frame *A, const hk_frame *B, const double *lam,
                         double *H) {
  (void)par, (void)A, (void)B, (void)lam;
  memset(H, 0, 144 * sizeof *H);
}

/* the linear part; that of a function is filled by its reader */
static int32_t couple(const void *par, hk_couple *out, const char **wrong) {
  const coupler_par *p = par;
  if (!p->coefficients.n) return 1;
  if (p->coefficients.n != out->n) {
    *wrong = "'coefficients' must have one number for each joint";
    return 0;
  }
  for (int32_t i = 0; i < out->n; i++) {
    out->c[i] = p->coefficients.x[i];
    if (out->c[i] == 0.0) *wrong = "'coefficients' must not be zero";
  }
  out->c0[0] = p->offset;
  return *wrong ? 0 : 1;
}

const hk_joint_ops hki_joint_coupler = {
    .name = "coupler",
    .text = "relates coordinates of joints: linear, by a polynomial, a table or an expression",
    .source = HK_SOURCE_COUPLING,
    .par_size = sizeof(coupler_par),
    .caps = HK_JOINT_COUPLES,
    HK_OPS_COUPLING(1, HK_COUPLED, HK_GLYPH_LINK),
};

/* SPDX-License-Identifier: Apache-2.0
 *
 * drag.c: resistance of a fluid at rest at one point of a body. With v the velocity of the marker:
 *
 *   F = -c |v| v,   s = position of the marker, B = [0, I], f = c |v| v,
 *   df/dsd = c (|v| I + v v'/|v|),   dissipated = c |v|^3
 */
#include <math.h>

#include "elements/element.h"
#include "elements/tangent.h"

/* c |v| and v v' c/|v| */
static void slopes(double c, const double *v, double *D, int32_t stride) {
  double size = v3_norm(v);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      D[stride * i + k] = c * ((i == k ? size : 0.0) + (size > 0.0 ? v[i] * v[k] / size : 0.0));
}

static void eval(const void *par, const hk_element_in *in, uint32_t need, hk_element_out *out) {
  const double *v = in->m->v, size = v3_norm(v), c = in->u[0];
  (void)par;
  v3_zero(out->w);
  v3_scale(out->w + 3, -c * size, v);
  if (need & HK_NEED_TANGENT) {
    for (int i = 0; i < 3; i++) {
      s6_zero(out->B + 12 * i);
      out->B[12 * i + 3 + i] = 1.0;
      for (int k = 0; k < 3; k++) out->ks[6 * i + k] = 0.0;
    }
    slopes(c, v, out->cs, 6);
  }
  if (need & HK_NEED_EXACT) {
    hki_tangent_zero(6, out->K), hki_tangent_zero(6, out->C);
    slopes(c, v, out->C + HK_BS * 3 + 3, HK_BS);
  }
  if (need & HK_NEED_INPUT) {
    v3_zero(out->Wu);
    v3_scale(out->Wu + 3, -size, v);
  }
  out->energy = out->supplied = 0.0;
  out->dissipated = out->y[1] = c * size * size * size;
  out->y[0] = c * size * size;
}

/* clang-format off */
static const hk_param params[] = {
    {"on", HK_P_BODY, HK_P_REQUIRED, HK_P_HAND, 0, 0, 0, "", NULL, "the body it acts on"},
    {"at", HK_P_POINT, 0, HK_P_HAND, 0, 0, 0, "m", NULL, "the point it acts at; left out: the centre of mass"},
    {"coefficient", HK_P_DYNAMIC, HK_P_REQUIRED | HK_P_NONNEGATIVE, 0, 0, 0, 0, "N*s^2/m^2", NULL, "force per square of the speed"},
    HK_PARAM_END};
/* clang-format on */

extern const hk_element_ops hki_element_drag;
const hk_element_ops hki_element_drag = {
    .name = "drag",
    .text = "resistance by the square of the speed, at one point of a body",
    .source = "Newton's law of resistance",
    .nmark = 1,
    .rank = 3,
    .nu = 1,
    .ny = 2,
    .caps = HK_ELEMENT_SYMMETRIC | HK_ELEMENT_PULLS,
    .params = params,
    .outputs = "force power",
    .output_units = "N W",
    .eval = eval,
};

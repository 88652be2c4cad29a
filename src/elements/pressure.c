/* SPDX-License-Identifier: Apache-2.0
 *
 * pressure.c: a pressure p on a surface of quadrilaterals, along the normal wherever that points (a follower load). The force
 * that names it has the input p; each element of the surface is an element on four markers that acts for it:
 *
 *   f_i = p sum over 2 x 2 points of N_i x_xi x x_eta
 *   -df_i/dp_j = p sum N_i (N_j,xi [x_eta] - N_j,eta [x_xi])
 *
 * Its work counts as supplied: only on closed surfaces has it a potential.
 *
 * Source: Simo, Taylor and Wriggers, A note on finite-element implementation of pressure boundary loading, 1991.
 */
#include "elements/quad.h"
#include "elements/pressure.h"

enum { N = HK_QUAD, V = 6 * HK_QUAD };

static void eval(const void *par, int32_t nmark, const hk_element_in *in, uint32_t need,
                 hk_wide_out *out) {
  const double p = in->u ? in->u[0] : 0.0;
  (void)par, (void)nmark;
  memset(out->w, 0, V * sizeof *out->w);
  if (need & HK_NEED_EXACT) memset(out->K, 0, V * V * sizeof *out->K);
  for (int g = 0; g < N; g++) {
    double M[N], d[2][N], x[2][3], n[3], S[2][9];
    hki_quad_shapes(g, M, d);
    for (int k = 0; k < 2; k++) {
      v3_zero(x[k]);
      for (int i = 0; i < N; i++) v3_axpy(x[k], d[k][i], in->m[i].p);
      m3_skew(S[k], x[k]);
    }
    v3_cross(n, x[0], x[1]);
    for (int i = 0; i < N; i++) v3_axpy(out->w + 6 * i + 3, p * M[i], n);
    for (int i = 0; (need & HK_NEED_EXACT) && i < N; i++)
      for (int j = 0; j < N; j++)
        for (int r = 0; r < 9; r++)
          out->K[V * (6 * i + 3 + r / 3) + 6 * j + 3 + r % 3] +=
              p * M[i] * (d[0][j] * S[1][r] - d[1][j] * S[0][r]);
  }
  out->energy = out->dissipated = out->supplied = 0.0;
  out->damped = false;
  for (int i = 0; i < N; i++) out->supplied += v3_dot(out->w + 6 * i + 3, in->m[i].v);
}

const hk_wide_ops hki_pressure = {
    .name = "surface_pressure",
    .text = "pressure on a quadrilateral, along its normal",
    .source = "Simo, Taylor and Wriggers 1991",
    .nmark = N,
    .par_size = sizeof(double),
    .pulls = true,
    .eval = eval,
};

/* the force that names it has no markers of its own */
static void nothing(const void *p, const hk_element_in *in, uint32_t need, hk_element_out *out) {
  (void)p, (void)in, (void)need;
  out->energy = out->dissipated = out->supplied = out->spent = out->spending = 0.0;
}

/* clang-format off */
static const hk_param params[] = {
    {"surface", HK_P_TEXT, HK_P_REQUIRED, HK_P_HAND, 0, 0, 0, "", NULL, "the shell or membrane on which it acts"},
    {"pressure", HK_P_DYNAMIC, HK_P_REQUIRED, 0, 0, 0, 0, "Pa", NULL, "pressure along the normal of the surface, which turns with it; a number or a signal of time"},
    HK_PARAM_END};
/* clang-format on */

extern const hk_element_ops hki_element_surface_pressure;
const hk_element_ops hki_element_surface_pressure = {
    .name = "surface_pressure",
    .text = "pressure on a shell or a membrane, along its normal wherever that points",
    .source = "Simo, Taylor and Wriggers 1991",
    .nu = 1,
    .caps = HK_ELEMENT_SUPPLIES,
    .par_size = sizeof(double),
    .params = params,
    .glyph = HK_GLYPH_NONE,
    .outputs = "",
    .output_units = "",
    .eval = nothing,
    .wide = &hki_pressure,
};

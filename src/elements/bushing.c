/* SPDX-License-Identifier: Apache-2.0
 *
 * bushing.c: an elastic joint between two markers: all six deformations of the second marker seen from
 * the first resist, order x y z rx ry rz. Everything is in elastic.h.
 */
#include "elements/elastic.h"

static const hk_elastic_part part = {"bushing", 0, 6, "x y z rx ry rz"};

static hk_status prepare(hk_ctx *ctx, hk_loc loc, const char *name, void *p, uint32_t u_given,
                         double *u0, const hk_frame *m0) {
  (void)u0, (void)m0;
  return hki_elastic_prepare(ctx, loc, name, p, &part, u_given);
}

/* clang-format off */
#define AT(field) (int32_t)offsetof(hk_elastic, field)
static const hk_param params[] = {
    {"between", HK_P_BODIES, HK_P_REQUIRED, HK_P_HAND, 0, 0, 0, "", NULL, "the two bodies"},
    HK_ELASTIC_PLACE,
    HK_ELASTIC_AXES,
    {"reference", HK_P_CHOICE, 0, AT(reference), 0, 0, 0, "", "first second middle", "axes in which displacements are measured: of the first body, of the second, or half-way, the same whichever body is the first"},
    {"stiffness", HK_P_REAL66, 0, AT(law.stiffness), 0, 0, 0, "N/m, N*m/rad", NULL, "x y z rx ry rz: six numbers or a 6x6 matrix"},
    {"damping", HK_P_REAL66, 0, AT(law.damping), 0, 0, 0, "N*s/m, N*m*s/rad", NULL, "x y z rx ry rz: six numbers or a 6x6 matrix"},
    {"spring", HK_P_LAW6, 0, AT(law.spring), 0, 0, 0, "N, N*m", NULL, "laws per axis over s, the displacement, instead of 'stiffness' there"},
    {"damper", HK_P_LAW6, 0, AT(law.damper), 0, 0, 0, "N, N*m", NULL, "laws per axis over sdot, its rate, instead of 'damping' there"},
    HK_LAWS_ROWS(AT(law.all), 6, NULL, "m, rad", "N, N*m"),
    HK_PARAM_END};
/* clang-format on */

extern const hk_element_ops hki_element_bushing;
const hk_element_ops hki_element_bushing = {
    .name = "bushing",
    .text = "elastic joint: six displacements resisted by stiffness, damping or laws",
    .source = "rotation vector of the relative rotation; half-way axes: Masarati and Morandini, "
              "Intrinsic deformable joints, 2010",
    .nmark = 2,
    .rank = 6,
    .nu = HK_LAWS_INPUTS(6),
    .nd = HK_ELASTIC_DISCRETE,
    .ny = 12,
    .caps = HK_ELEMENT_RELATIVE | HK_ELEMENT_SYMMETRIC,
    .par_size = sizeof(hk_elastic),
    .params = params,
    .arrow = 1,
    .glyph = HK_GLYPH_BLOCK,
    .outputs = "x y z rx ry rz fx fy fz mx my mz",
    .output_units = "m m m rad rad rad N N N N*m N*m N*m",
    .prepare = prepare,
    .eval = hki_elastic_eval,
    .laws = hki_elastic_laws,
    .follow = hki_elastic_follow,
};

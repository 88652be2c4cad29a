/* SPDX-License-Identifier: Apache-2.0
 *
 * elastic_displacement.c: the part of a bushing that resists displacements x y z alone: its bodies may turn
 * against each other. Half-way axes follow both bodies. Everything is in elastic.h.
 */
#include "elements/elastic.h"

static const hk_elastic_part part = {"elastic_displacement", 0, 3, "x y z"};

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
    {"reference", HK_P_CHOICE, 0, AT(reference), 2, 0, 0, "", "first second middle", "axes in which displacements are measured: of the first body, of the second, or half-way, the same whichever body is the first"},
    {"stiffness", HK_P_REAL66, 0, AT(law.stiffness), 0, 0, 0, "N/m", "x y z", "x y z: three numbers or a 3x3 matrix"},
    {"damping", HK_P_REAL66, 0, AT(law.damping), 0, 0, 0, "N*s/m", "x y z", "x y z: three numbers or a 3x3 matrix"},
    {"spring", HK_P_LAW6, 0, AT(law.spring), 0, 0, 0, "N", "x y z", "laws per axis over s, the displacement, instead of 'stiffness' there"},
    {"damper", HK_P_LAW6, 0, AT(law.damper), 0, 0, 0, "N", "x y z", "laws per axis over sdot, its rate, instead of 'damping' there"},
    HK_LAWS_ROWS(AT(law.all), 3, "x y z", "m", "N"),
    HK_PARAM_END};
/* clang-format on */

extern const hk_element_ops hki_element_elastic_displacement;
const hk_element_ops hki_element_elastic_displacement = {
    .name = "elastic_displacement",
    .text = "elastic joint of displacements alone: a bushing that does not resist rotations",
    .source = "rotation vector of the relative rotation; half-way axes: Masarati and Morandini, "
              "Intrinsic deformable joints, 2010",
    .nmark = 2,
    .rank = 3,
    .nu = HK_LAWS_INPUTS(3),
    .nd = HK_ELASTIC_DISCRETE,
    .ny = 6,
    .caps = HK_ELEMENT_RELATIVE | HK_ELEMENT_SYMMETRIC,
    .par_size = sizeof(hk_elastic),
    .params = params,
    .arrow = 1,
    .glyph = HK_GLYPH_BLOCK,
    .outputs = "x y z fx fy fz",
    .output_units = "m m m N N N",
    .prepare = prepare,
    .eval = hki_elastic_eval,
    .laws = hki_elastic_laws,
    .follow = hki_elastic_follow,
};

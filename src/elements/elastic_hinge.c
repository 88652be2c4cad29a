/* SPDX-License-Identifier: Apache-2.0
 *
 * elastic_hinge.c: the part of a bushing that resists rotations rx ry rz alone: moments without forces. The
 * rotation vector has the same components in the axes of either body, so that the order of the bodies does
 * not matter. Everything is in elastic.h.
 */
#include "elements/elastic.h"

static const hk_elastic_part part = {"elastic_hinge", 3, 3, "rx ry rz"};

static hk_status prepare(hk_ctx *ctx, hk_loc loc, const char *name, void *p, uint32_t u_given,
                         double *u0, const hk_frame *m0) {
  (void)u0, (void)m0;
  return hki_elastic_prepare(ctx, loc, name, p, &part, u_given);
}

/* clang-format off */
#define AT(field) (int32_t)offsetof(hk_elastic, field)
static const hk_param params[] = {
    {"between", HK_P_BODIES, HK_P_REQUIRED, HK_P_HAND, 0, 0, 0, "", NULL, "the two bodies"},
    {"at", HK_P_POINT, 0, HK_P_HAND, 0, 0, 0, "m", NULL, "where it is drawn; its moments are the same everywhere"},
    HK_ELASTIC_AXES,
    {"stiffness", HK_P_REAL66, 0, AT(law.stiffness), 0, 0, 0, "N*m/rad", "rx ry rz", "rx ry rz: three numbers or a 3x3 matrix"},
    {"damping", HK_P_REAL66, 0, AT(law.damping), 0, 0, 0, "N*m*s/rad", "rx ry rz", "rx ry rz: three numbers or a 3x3 matrix"},
    {"spring", HK_P_LAW6, 0, AT(law.spring), 0, 0, 0, "N*m", "rx ry rz", "laws per axis over s, the rotation, instead of 'stiffness' there"},
    {"damper", HK_P_LAW6, 0, AT(law.damper), 0, 0, 0, "N*m", "rx ry rz", "laws per axis over sdot, its rate, instead of 'damping' there"},
    HK_LAWS_ROWS(AT(law.all), 3, "rx ry rz", "rad", "N*m"),
    HK_PARAM_END};
/* clang-format on */

extern const hk_element_ops hki_element_elastic_hinge;
const hk_element_ops hki_element_elastic_hinge = {
    .name = "elastic_hinge",
    .text = "elastic joint of rotations alone: moments that resist a rotation about any axis",
    .source = "rotation vector of the relative rotation; Masarati and Morandini, Intrinsic "
              "deformable joints, 2010",
    .nmark = 2,
    .rank = 3,
    .nu = HK_LAWS_INPUTS(3),
    .nd = HK_ELASTIC_DISCRETE,
    .ny = 6,
    .caps = HK_ELEMENT_RELATIVE | HK_ELEMENT_SYMMETRIC | HK_ELEMENT_ANYWHERE,
    .par_size = sizeof(hk_elastic),
    .params = params,
    .arrow = 0,
    .glyph = HK_GLYPH_BLOCK,
    .outputs = "rx ry rz mx my mz",
    .output_units = "rad rad rad N*m N*m N*m",
    .prepare = prepare,
    .eval = hki_elastic_eval,
    .laws = hki_elastic_laws,
    .follow = hki_elastic_follow,
};

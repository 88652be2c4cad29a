/* SPDX-License-Identifier: Apache-2.0
 *
 * sense.c: the motion of a marker as seen from another one (pair.h, contact.c).
 */
#include "joints/sense.h"

#include "joints/coupling.h"
#include "joints/rows.h"

static const hk_param params[] = {HK_PARAM_END};

static const uint8_t seen[] = {HK_S_X, HK_S_Y, HK_S_Z, HK_S_SPIN_X, HK_S_SPIN_Y, HK_S_SPIN_Z};
static const uint8_t own[] = {HK_S_ALONG_X, HK_S_ALONG_Y, HK_S_ALONG_Z,
                              HK_S_TURN_X,  HK_S_TURN_Y,  HK_S_TURN_Z};

static void seen_coord(const void *par, int32_t k, const hk_frame *A, const hk_frame *B,
                       double s_near, hk_joint_coord *out) {
  hki_rows_coord(seen[k], par, A, B, s_near, out);
}

static void seen_geo(const void *par, int32_t k, const hk_frame *A, const hk_frame *B, double *H) {
  hki_rows_geo(seen + k, 1, par, A, B, (const double[]){1.0}, H);
}

static void own_coord(const void *par, int32_t k, const hk_frame *A, const hk_frame *B,
                      double s_near, hk_joint_coord *out) {
  hki_rows_coord(own[k], par, A, B, s_near, out);
}

static void own_geo(const void *par, int32_t k, const hk_frame *A, const hk_frame *B, double *H) {
  hki_rows_geo(own + k, 1, par, A, B, (const double[]){1.0}, H);
}

#define OPS_SENSE                                                                                  \
  .text = "measures the motion of two markers", .source = "pair.h", .nv = -1, .ns = 6,             \
  .coords = "x y z wx wy wz", .rates = "x_rate y_rate z_rate wx wy wz",                            \
  .units = "m m m rad rad rad", .params = params, .place = HK_PLACE_ANYWHERE,                      \
  .plane = {.rule = HK_PLANE_ROWS}, .glyph = HK_GLYPH_NONE, .loop = hki_couple_loop,               \
  .loop_geo = hki_couple_loop_geo

const hk_joint_ops hki_sense_seen = {
    .name = "seen", .scalars = seen, .coord = seen_coord, .coord_geo = seen_geo, OPS_SENSE};
const hk_joint_ops hki_sense_own = {
    .name = "own", .scalars = own, .coord = own_coord, .coord_geo = own_geo, OPS_SENSE};

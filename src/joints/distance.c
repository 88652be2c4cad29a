/* SPDX-License-Identifier: Apache-2.0
 *
 * distance.c: the two origins stay `length` apart (a massless rod with ball ends).
 *
 *   loop:  |pB - pA| - length = 0
 *
 * Where the origins coincide, the direction is x of A and curvature terms are zero.
 */
#include "joints/rows.h"
#include "joints/tree.h"

static const uint8_t rows[] = {HK_S_DISTANCE};
static const uint8_t scalars[] = {HK_S_LENGTH};
HK_LOOP_FACE(rows);
HK_COORD_FACE(scalars);

typedef struct distance_par {
  double length; /* m, for HK_S_DISTANCE */
} distance_par;

static const hk_param params[] = {
    HK_PARAM_HAND("ends", HK_P_ENDS, HK_P_REQUIRED, "[point on the first, point on the second]"),
    {.name = "length",
     .type = HK_P_REAL,
     .flags = HK_P_POSITIVE | HK_P_DRAWN,
     .offset = (int32_t)offsetof(distance_par, length),
     .def = NAN,
     .unit = "m",
     .text = "distance of the ends (default: as drawn)"},
    HK_PARAM_END};

const hk_joint_ops hki_joint_distance = {
    .name = "distance",
    .text = "keeps two points at a constant or prescribed distance",
    .source = HK_SOURCE_ROWS,
    .nv = -1,
    .ns = 1,
    .scalars = scalars,
    .coords = "length",
    .rates = "velocity",
    .units = "m",
    .par_size = sizeof(distance_par),
    .params = params,
    .mirror = HK_MIRROR_TURNS,
    .place = HK_PLACE_ENDS,
    .plane = {.rule = HK_PLANE_ROWS},
    .holds = HK_HOLDS_FIRST | HK_HOLDS_SECOND,
    .friction = {.press = HK_PRESS_ALL, .eyes = true},
    .glyph = HK_GLYPH_ROD,
    HK_OPS_LOOP,
    .coord = coord,
    .coord_geo = coord_geo,
};

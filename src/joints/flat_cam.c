/* SPDX-License-Identifier: Apache-2.0
 *
 * flat_cam.c: a flat face of the second body lies on a closed convex curve of the first. A: origin and
 * axes of the curve, z across its plane; B: a point of the face, drawn with the axes of A. With m the normal of the face, fixed in B,
 * and c the point of the curve that reaches farthest along m:
 *
 *   loop:  m . (pB - pA) - m . c = 0                                              (contact.c)
 *
 * Gap, `one_sided` and `lifts` are those of a cam (cam.c).
 *
 * Source: Norton, Cam Design and Manufacturing Handbook (2009), ch. 7.
 */
#include <stdio.h>

#include "joints/outline.h"
#include "joints/rows.h"
#include "joints/tree.h"

static const uint8_t rows[] = {HK_S_FACE};
HK_LOOP_FACE(rows);
HK_COORD_FACE(rows);
static const uint8_t slips[] = {HK_S_FACE_T, HK_S_FACE_Z}; /* of surfaces that rub */

typedef struct flat_par {
  hk_face_num num; /* for HK_S_FACE */
  bool one_sided, lifts;
} flat_par;

/* a flat face reaches every point of a curve without hollows */
static bool check(const void *par, char *words, size_t cap) {
  const hk_curve *curve = ((const flat_par *)par)->num.curve;
  double worst = INFINITY, at[2] = {0.0, 0.0};
  for (int32_t i = 0; i < 4 * curve->n; i++) {
    hk_curve_point p;
    double slope;
    curve_point(curve, i / 4, 0.25 * (i % 4) * curve->piece[i / 4].length, &p);
    const double k = curve_curvature(&p, &slope);
    if (k < worst) worst = k, at[0] = p.x[0], at[1] = p.y[0];
  }
  if (worst > 0.0 && !curve->open) return true;
  snprintf(words, cap,
           curve->open ? "a flat face needs a closed curve"
                       : "a flat face does not reach its curve at [%.4g, %.4g], which is hollow or "
                         "straight there",
           at[0], at[1]);
  return false;
}

static uint32_t present(const void *par) { return ((const flat_par *)par)->lifts ? 0u : 1u; }
static uint32_t pushes(const void *par) {
  const flat_par *p = par;
  return p->one_sided && !p->lifts ? 1u : 0u;
}

/* a follower that lifts off is pressed by its stop and not by a row of the joint */
static void rubs(const void *par, uint32_t driven, hk_joint_friction *f) {
  (void)driven;
  if (!((const flat_par *)par)->lifts) return;
  f->press = 0;
  f->none = "its follower can lift off, and its friction belongs to its 'limits'";
}

static const hk_param params[] = {
    HK_PARAM_HAND("ends", HK_P_ENDS, HK_P_REQUIRED, "[origin of the curve, a point of the face]"),
    HK_PARAM_HAND("axis", HK_P_AXIS, HK_P_REQUIRED,
                  "normal of the curve's plane, fixed in the first body"),
    {.name = "curve",
     .type = HK_P_CURVE,
     .flags = HK_P_REQUIRED,
     .offset = (int32_t)offsetof(flat_par, num.curve),
     .unit = "m",
     .text = "outline of the cam, closed and convex, about the origin: as of a cam"},
    {.name = "angle",
     .type = HK_P_REAL,
     .flags = HK_P_REQUIRED,
     .offset = (int32_t)offsetof(flat_par, num.angle),
     .def = NAN,
     .unit = "rad",
     .text = "direction from the cam into the follower, across its face: from x towards y of the "
             "curve, in the drawing position"},
    {.name = "one_sided",
     .type = HK_P_BOOL,
     .offset = (int32_t)offsetof(flat_par, one_sided),
     .unit = "",
     .text = "true: the cam only pushes; runs name the time at which the follower would lift off"},
    {.name = "lifts",
     .type = HK_P_BOOL,
     .offset = (int32_t)offsetof(flat_par, lifts),
     .unit = "",
     .text = "true: the follower is free to lift off, held out by `limits: {gap: [0, null]}`"},
    HK_PARAM_END};

const hk_joint_ops hki_joint_flat_cam = {
    .name = "flat_cam",
    .text = "keeps a flat face of the second body on a closed convex curve of the first",
    .source = "Norton, Cam Design and Manufacturing Handbook (2009), ch. 7",
    .nv = -1,
    .ns = 1,
    .scalars = rows,
    .coords = "gap",
    .rates = "gap_rate",
    .units = "m",
    .par_size = sizeof(flat_par),
    .params = params,
    .mirror = {1, 1, -1},
    .place = HK_PLACE_ENDS,
    .plane = {.rule = HK_PLANE_ROWS,
              .along = HK_JOINT_ITSELF,
              .words = "'axis' must be along the normal of the plane"},
    .friction = {.press = HK_PRESS_ALL, HK_FRICTION_SLIPS, .fit = rubs},
    .glyph = HK_GLYPH_OUTLINE,
    .check = check,
    .pushes = pushes,
    .present = present,
    HK_OPS_LOOP,
    .coord = coord,
    .coord_geo = coord_geo,
};

/* SPDX-License-Identifier: Apache-2.0
 *
 * cam.c: a point or a roller of the second body follows a curve of the first. A: origin and
 * axes of the curve, z across its plane; B: the point, or the centre of the roller.
 *
 *   loop:  distance of B from the curve, less the radius of the roller = 0        (outline.c)
 *
 * The gap is its scalar coordinate. As a constraint it holds on both sides, as in a groove; `one_sided`
 * says that the cam only pushes, so that a run can tell when its force would have to pull. With `lifts`
 * there is no constraint: the gap is free, and stops at its lower limit of zero keep the follower out.
 * Friction acts where roller and curve touch, as on a nose that is part of the follower and does not roll.
 */
#include <stdio.h>

#include "joints/outline.h"
#include "joints/rows.h"
#include "joints/tree.h"

static const uint8_t rows[] = {HK_S_OUTLINE};
HK_LOOP_FACE(rows);
HK_COORD_FACE(rows);
static const uint8_t slips[] = {HK_S_OUTLINE_T, HK_S_OUTLINE_Z}; /* of surfaces that rub */

typedef struct cam_par {
  hk_outline_num num; /* for HK_S_OUTLINE */
  bool one_sided, lifts;
} cam_par;

/* a roller reaches every point of its curve if it is smaller than all hollows */
static bool check(const void *par, char *words, size_t cap) {
  const hk_outline_num *num = &((const cam_par *)par)->num;
  double worst = 0.0, at[2] = {0.0, 0.0};
  for (int32_t i = 0; i < 4 * num->curve->n; i++) {
    hk_curve_point p;
    double slope;
    curve_point(num->curve, i / 4, 0.25 * (i % 4) * num->curve->piece[i / 4].length, &p);
    const double k = curve_curvature(&p, &slope) * (num->inside ? 1.0 : -1.0);
    if (k > worst) worst = k, at[0] = p.x[0], at[1] = p.y[0];
  }
  if (!(num->radius * worst >= 1.0)) return true;
  snprintf(words, cap,
           "a roller of radius %.4g m does not fit into the hollow of its curve at [%.4g, %.4g], "
           "which has a radius of %.4g m",
           num->radius, at[0], at[1], 1.0 / worst);
  return false;
}

static uint32_t present(const void *par) { return ((const cam_par *)par)->lifts ? 0u : 1u; }
static uint32_t pushes(const void *par) {
  const cam_par *p = par;
  return p->one_sided && !p->lifts ? 1u : 0u;
}

/* a follower that lifts off is pressed by its stop and not by a row of the joint */
static void rubs(const void *par, uint32_t driven, hk_joint_friction *f) {
  (void)driven;
  if (!((const cam_par *)par)->lifts) return;
  f->press = 0;
  f->none = "its follower can lift off, and its friction belongs to its 'limits'";
}

static const hk_param params[] = {
    HK_PARAM_HAND("ends", HK_P_ENDS, HK_P_REQUIRED,
                  "[origin of the curve, point of the follower or centre of its roller]"),
    HK_PARAM_HAND("axis", HK_P_AXIS, HK_P_REQUIRED,
                  "normal of the curve's plane, fixed in the first body"),
    {.name = "curve",
     .type = HK_P_CURVE,
     .flags = HK_P_REQUIRED,
     .offset = (int32_t)offsetof(cam_par, num.curve),
     .unit = "m",
     .text =
         "outline of the cam about the origin: {circle: r, centre: [x, y]}, {polar: expression of "
         "angle, rows of [angle, r] or a file}, {points: rows of [x, y] or a file} or {x: .., y: "
         "..} of u from 0 to 1; with `open: true` a slot"},
    {.name = "radius",
     .type = HK_P_REAL,
     .flags = HK_P_NONNEGATIVE,
     .offset = (int32_t)offsetof(cam_par, num.radius),
     .unit = "m",
     .text = "radius of the roller; left out: a point"},
    {.name = "inside",
     .type = HK_P_BOOL,
     .offset = (int32_t)offsetof(cam_par, num.inside),
     .unit = "",
     .text = "true: the follower is inside the curve"},
    {.name = "one_sided",
     .type = HK_P_BOOL,
     .offset = (int32_t)offsetof(cam_par, one_sided),
     .unit = "",
     .text = "true: the cam only pushes; runs name the time at which the follower would lift off"},
    {.name = "lifts",
     .type = HK_P_BOOL,
     .offset = (int32_t)offsetof(cam_par, lifts),
     .unit = "",
     .text = "true: the follower is free to lift off, and `limits: {gap: [0, null]}` of this joint "
             "are what "
             "keeps it out of the cam: rigid with `restitution`, compliant with `stiffness`"},
    HK_PARAM_END};

const hk_joint_ops hki_joint_cam = {
    .name = "cam",
    .text = "keeps a point or a roller of the second body on a curve of the first: a cam, a "
            "groove, a slot",
    .source = "Norton, Cam Design and Manufacturing Handbook (2009), ch. 7; do Carmo, Differential "
              "Geometry of Curves and Surfaces (1976), section 1-7",
    .nv = -1,
    .ns = 1,
    .scalars = rows,
    .coords = "gap",
    .rates = "gap_rate",
    .units = "m",
    .par_size = sizeof(cam_par),
    .params = params,
    .mirror = {1, 1, -1},
    .place = HK_PLACE_ENDS,
    .plane = {.rule = HK_PLANE_ROWS,
              .along = HK_JOINT_ITSELF,
              .words = "'axis' must be along the normal of the plane"},
    .holds = HK_HOLDS_SECOND,
    .friction = {.press = HK_PRESS_ALL, HK_FRICTION_SLIPS, .fit = rubs},
    .glyph = HK_GLYPH_OUTLINE,
    .check = check,
    .pushes = pushes,
    .present = present,
    HK_OPS_LOOP,
    .coord = coord,
    .coord_geo = coord_geo,
};

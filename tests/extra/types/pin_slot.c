/* SPDX-License-Identifier: Apache-2.0
 *
 * pin_slot.c: a pin of the second body in a slot of the first: rotation about the common z axis and
 * translation of B's origin along x of A.
 *   tree:  R = Rz(q0), p = (q1, 0, 0), S = [(z, 0), (0, x)], c = 0
 *   loop:  a_y . (pB - pA) = 0, a_z . (pB - pA) = 0, a_x . b_z = 0, a_y . b_z = 0
 * The inverse motion slides along a direction that turns with A: it is of another kind.
 */
#include "joints/rows.h"
#include "joints/tree.h"

static const uint8_t rows[] = {HK_S_Y, HK_S_Z, HK_S_XZ, HK_S_YZ};
static const uint8_t scalars[] = {HK_S_TWIST, HK_S_X};
HK_LOOP_FACE(rows);
HK_COORD_FACE(scalars);
HK_MEASURE_FACE(scalars);

typedef struct pin_slot_par {
  double slot[2]; /* direction of the slot in the markers' x-z plane; its x part counts */
} pin_slot_par;

static void tree(const void *par, const double *q, const double *v, hk_joint_tree *out) {
  (void)par, (void)v;
  hki_tree_identity(out);
  hki_tree_turn_z(out, q[0]);
  out->p[0] = q[1];
  hki_tree_column(out, 0, 2, 1.0);
  hki_tree_column(out, 1, 3, 1.0);
}

static const hk_param params[] = {HK_PARAM_AXIS,
                                  {.name = "slot",
                                   .type = HK_P_AXIS2,
                                   .flags = HK_P_REQUIRED,
                                   .offset = (int32_t)offsetof(pin_slot_par, slot),
                                   .unit = "",
                                   .text = "direction of the slot, fixed in the first body"},
                                  HK_PARAM_END};

extern const hk_joint_ops hki_joint_pin_slot;
const hk_joint_ops hki_joint_pin_slot = {
    .name = "pin_slot",
    .text = "turns about one axis and slides in a slot across it",
    .source = HK_SOURCE_ROWS,
    .coords = "angle position",
    .rates = "rate velocity",
    .units = "rad m",
    .par_size = sizeof(pin_slot_par),
    .params = params,
    .mirror = {1, 1, -1},
    .plane = {.rule = HK_PLANE_AXIS,
              .along = HK_JOINT_ITSELF,
              .words = "its axis must be along the normal of the plane"},
    .friction = {.none = "nobody has said what presses it"},
    .glyph = HK_GLYPH_SLIDER,
    HK_OPS_LOOP,
    HK_OPS_SCALARS(2),
};

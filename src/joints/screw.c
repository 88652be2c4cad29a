/* SPDX-License-Identifier: Apache-2.0
 *
 * screw.c: rotation about the common z axis, and translation along it by `lead` per radian.
 *
 *   tree:   R = Rz(q)          p = (0, 0, lead q)
 *           S = (z, lead z)    c = 0
 *   loop:   a_x . (pB - pA) = 0
 *           a_y . (pB - pA) = 0
 *           a_x . b_z = 0
 *           a_y . b_z = 0
 *           a_z . (pB - pA) - lead (twist + 2 pi n) = 0      n: whole turns that make it smallest
 *   angle:  twist about z
 */
#include "joints/rows.h"
#include "joints/tree.h"

static const uint8_t rows[] = {HK_S_X, HK_S_Y, HK_S_XZ, HK_S_YZ, HK_S_SCREW};
static const uint8_t scalars[] = {HK_S_TWIST};
HK_LOOP_FACE(rows);
HK_COORD_FACE(scalars);

typedef struct screw_par {
  double lead; /* m/rad, for HK_S_SCREW */
} screw_par;

/* without q_near the position along the axis decides which turn it is */
static void measure(const void *par, const hk_frame *A, const hk_frame *B, const double *q_near,
                    double *q, double *v) {
  hk_joint_coord z;
  const double lead = ((const screw_par *)par)->lead;
  double near = q_near ? q_near[0] : 0.0;
  if (!q_near && lead != 0.0) {
    hki_rows_coord(HK_S_Z, par, A, B, 0.0, &z);
    near = z.s / lead;
  }
  hki_rows_measure(scalars, 1, par, A, B, &near, q, v);
}

static void tree(const void *par, const double *q, const double *v, hk_joint_tree *out) {
  const double lead = ((const screw_par *)par)->lead;
  (void)v;
  hki_tree_identity(out);
  hki_tree_turn_z(out, q[0]);
  out->p[2] = lead * q[0];
  hki_tree_column(out, 0, 2, 1.0);
  out->S[5] = lead;
}

static double lead_of(const void *par) { return ((const screw_par *)par)->lead; }

static const hk_param params[] = {
    HK_PARAM_AXIS,
    {.name = "lead",
     .type = HK_P_REAL,
     .flags = HK_P_REQUIRED | HK_P_LEAD,
     .offset = (int32_t)offsetof(screw_par, lead),
     .def = NAN,
     .unit = "m/rad",
     .text = "advance along the axis per radian; positive: right-handed thread"},
    HK_PARAM_END};

const hk_joint_ops hki_joint_screw = {
    .name = "screw",
    .alias = "helical",
    .text = "turns about one axis and advances along it in proportion",
    .source = HK_SOURCE_TREE "; " HK_SOURCE_ROWS,
    .coords = "angle",
    .rates = "rate",
    .units = "rad",
    .par_size = sizeof(screw_par),
    .params = params,
    .inverse = HK_INVERSE_MINUS(1),
    .mirror = HK_MIRROR_TURNS,
    .plane = {.words = "its motion leaves the plane"},
    .friction = {.press = HK_PRESS_Z, .scalars = 1u, .lead = lead_of},
    .glyph = HK_GLYPH_PIN,
    HK_OPS_LOOP,
    HK_OPS_SCALARS(1),
};

/* SPDX-License-Identifier: Apache-2.0
 *
 * general.c: any subset of the six relative motions is locked.
 *
 *   loop:  one row per locked motion, in the order x y z rx ry rz:
 *          a_k . (pB - pA) = 0         displacements
 *          log(A'B)_k = 0              components of the rotation vector in A axes (rotlog.h)
 *
 * A prescribed motion is one of these rows minus its signal. The rotation vector is at most half a
 * turn long, and jumps there; prescribed rotations are therefore taken off B before it is measured,
 * so that they may go on for ever (kinematics/turned.c).
 */
#include "joints/rows.h"
#include "joints/tree.h"

static const uint8_t scalars[] = {HK_S_X, HK_S_Y, HK_S_Z, HK_S_LOGX, HK_S_LOGY, HK_S_LOGZ};
HK_COORD_FACE(scalars);

typedef struct general_par {
  uint32_t locked; /* bit i: x y z rx ry rz locked */
} general_par;

static uint32_t present(const void *par) { return ((const general_par *)par)->locked; }

/* the rows that are locked; returns their number */
static int32_t locked_rows(const void *par, uint8_t *rows) {
  const uint32_t locked = present(par);
  int32_t n = 0;
  for (int32_t i = 0; i < HK_ARRAY_LEN(scalars); i++)
    if (locked >> i & 1u) rows[n++] = scalars[i];
  return n;
}

static void loop(const void *par, const hk_frame *A, const hk_frame *B, uint32_t need,
                 hk_joint_loop *out) {
  uint8_t rows[HK_JOINT_MAX];
  int32_t n = locked_rows(par, rows);
  hki_rows_loop(rows, n, par, A, B, need, out);
}

static void loop_geo(const void *par, const hk_frame *A, const hk_frame *B, const double *lam,
                     double *H) {
  uint8_t rows[HK_JOINT_MAX];
  int32_t n = locked_rows(par, rows);
  hki_rows_geo(rows, n, par, A, B, lam, H);
}

/* Forces of the locked directions press; where none is locked, moments about the locked axes do. All
 * other motions slide, and so do those that are prescribed. One free rotation turns about an axis of A, two
 * or three of them about any axis. */
static void rubs(const void *par, uint32_t driven, hk_joint_friction *f) {
  const uint32_t locked = present(par), held = locked & ~driven, moves = ~held & 63u;
  const uint32_t turns = moves >> 3;
  const bool several = (turns & (turns - 1u)) != 0;
  f->slides = (uint8_t)((moves & 7u) << 3 | (several ? HK_SLIDES_TURNS : turns));
  f->press = (uint8_t)(held & 7u ? held & 7u : held);
  if (!f->press) f->none = "it holds nothing, so that nothing presses its surfaces";
  if (!moves) f->press = 0, f->none = "all its motions are locked, and nothing moves in it";
}

static const hk_param params[] = {
    HK_PARAM_HAND("axes", HK_P_FRAME, 0,
                  "axes of x y z rx ry rz, fixed in the first body (default: the world's at the "
                  "drawing position)"),
    {.name = "locked",
     .type = HK_P_LOCKED,
     .flags = HK_P_REQUIRED,
     .offset = (int32_t)offsetof(general_par, locked),
     .unit = "",
     .text = "locked motions, any of x y z rx ry rz: a list, or a map to prescribed signals; "
             "prescribed "
             "rotations may go on for any number of turns"},
    HK_PARAM_END};

const hk_joint_ops hki_joint_general = {
    .name = "general",
    .text = "locks or prescribes any of the six relative motions",
    .source = "Barfoot, State Estimation for Robotics (2017), ch. 7 (rotation vector)",
    .nv = -1,
    .nc = HK_ARRAY_LEN(scalars),
    .ns = HK_ARRAY_LEN(scalars),
    .scalars = scalars,
    .coords = "x y z rx ry rz",
    .rates = "x_rate y_rate z_rate rx_rate ry_rate rz_rate",
    .units = "m m m rad rad rad",
    .caps = HK_JOINT_LOCKED,
    .par_size = sizeof(general_par),
    .params = params,
    .plane = {.rule = HK_PLANE_ROWS},
    .friction = {.fit = rubs},
    .glyph = HK_GLYPH_POINT,
    .present = present,
    .rows = scalars,
    .loop = loop,
    .loop_geo = loop_geo,
    .coord = coord,
    .coord_geo = coord_geo,
};

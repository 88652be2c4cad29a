/* SPDX-License-Identifier: Apache-2.0
 *
 * general.c: any subset of the six relative motions is locked.
 *   loop:  for each locked bit in the order x y z rx ry rz one row: a_k . (pB - pA) = 0, or
 *          log(A'B)_k = 0, component of the rotation vector in A axes (rotlog.h)
 * Only the first popcount(locked) rows are filled. A prescribed motion is one of these coordinates
 * less its signal. The rotation vector is at most half a turn long, and jumps there.
 */
#include "joints/rows.h"
#include "joints/tree.h"

static const uint8_t scalars[] = {HK_S_X, HK_S_Y, HK_S_Z, HK_S_LOGX, HK_S_LOGY, HK_S_LOGZ};
HK_COORD_FACE(scalars);

/* the rows that are locked; returns their number */
static int32_t locked_rows(const hk_joint_par *par, uint8_t *rows) {
  int32_t n = 0;
  for (int32_t i = 0; i < HK_ARRAY_LEN(scalars); i++)
    if (par->locked >> i & 1u) rows[n++] = scalars[i];
  return n;
}

static void loop(const hk_joint_par *par, const hk_frame *A, const hk_frame *B, uint32_t need,
                 hk_joint_loop *out) {
  uint8_t rows[HK_JOINT_MAX];
  int32_t n = locked_rows(par, rows);
  hki_rows_loop(rows, n, par, A, B, need, out);
}

static void loop_geo(const hk_joint_par *par, const hk_frame *A, const hk_frame *B,
                     const double *lam, double *H) {
  uint8_t rows[HK_JOINT_MAX];
  int32_t n = locked_rows(par, rows);
  hki_rows_geo(rows, n, par, A, B, lam, H);
}

static const hk_param params[] = {
    HK_PARAM_HAND("axes", HK_P_FRAME, 0,
                  "axes of x y z rx ry rz, fixed in the first body (default: the world's at the "
                  "drawing position)"),
    HK_PARAM_HAND("locked", HK_P_LOCKED, HK_P_REQUIRED,
                  "what is locked, any of x y z rx ry rz: a list, or a map to prescribed signals"),
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
    .params = params,
    .rows = scalars,
    .loop = loop,
    .loop_geo = loop_geo,
    .coord = coord,
    .coord_geo = coord_geo,
};

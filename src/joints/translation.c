/* SPDX-License-Identifier: Apache-2.0
 *
 * translation.c: B keeps its axes parallel to those of A. The compiler puts it between the ground and
 * a node that has no rotation (model/compile_bodies.c); the model file does not know it.
 *
 *   space:  R = 1   p = q[0..2]           S = [(0, x), (0, y), (0, z)]   c = 0
 *   plane:  R = 1   p = (q[0], q[1], 0)   S = [(0, x), (0, y)]           c = 0
 *   loop:   none, since the rotation is no unknown
 */
#include "joints/rows.h"
#include "joints/tree.h"

static const uint8_t scalars[] = {HK_S_X, HK_S_Y, HK_S_Z};
HK_COORD_FACE(scalars);

static void place(const double *q, int32_t n, hk_joint_tree *out) {
  hki_tree_identity(out);
  for (int32_t k = 0; k < n; k++) {
    out->p[k] = q[k];
    hki_tree_column(out, k, 3 + k, 1.0);
  }
}

static void tree(const void *par, const double *q, const double *v, hk_joint_tree *out) {
  (void)par, (void)v;
  place(q, 3, out);
}
static void tree_plane(const void *par, const double *q, const double *v, hk_joint_tree *out) {
  (void)par, (void)v;
  place(q, 2, out);
}

static void loop(const void *par, const hk_frame *A, const hk_frame *B, uint32_t need,
                 hk_joint_loop *out) {
  (void)par, (void)A, (void)B, (void)need, (void)out;
}
static void loop_geo(const void *par, const hk_frame *A, const hk_frame *B, const double *lam,
                     double *H) {
  (void)par, (void)A, (void)B, (void)lam;
  memset(H, 0, 144 * sizeof *H);
}

static void measure(const void *par, const hk_frame *A, const hk_frame *B, const double *q_near,
                    double *q, double *v) {
  (void)q_near;
  hki_rows_measure(scalars, 3, par, A, B, NULL, q, v);
}
static void measure_plane(const void *par, const hk_frame *A, const hk_frame *B,
                          const double *q_near, double *q, double *v) {
  (void)q_near;
  hki_rows_measure(scalars, 2, par, A, B, NULL, q, v);
}

/* what both have in common */
#define TRANSLATION                                                                                \
  .name = "translation", .text = "moves the second body without turning it",                       \
  .source = HK_SOURCE_TREE, .scalars = scalars, .caps = HK_JOINT_SHIFTS,                           \
  .params = hki_joint_no_params, .inverse = {.own = true, .minus = {1, 2, 3}},                     \
  .place = HK_PLACE_ANYWHERE,                                                                      \
  .plane = {.rule = HK_PLANE_REFUSED, .words = "the compiler alone uses it"},                      \
  .friction = {.none = "nothing holds its bodies together, so that nothing presses them"},         \
  .glyph = HK_GLYPH_NONE, .loop = loop, .loop_geo = loop_geo, .coord = coord,                      \
  .coord_geo = coord_geo

const hk_joint_ops hki_joint_translation = {TRANSLATION,
                                            .nq = 3,
                                            .nv = 3,
                                            .ns = 3,
                                            .coords = "position.x position.y position.z",
                                            .rates = "velocity.x velocity.y velocity.z",
                                            .units = "m m m",
                                            .tree = tree,
                                            .plus = hki_plus_3,
                                            .minus = hki_minus_3,
                                            .measure = measure};

const hk_joint_ops hki_joint_translation_plane = {TRANSLATION,
                                                  .nq = 2,
                                                  .nv = 2,
                                                  .ns = 2,
                                                  .coords = "position.u position.v",
                                                  .rates = "velocity.u velocity.v",
                                                  .units = "m m",
                                                  .tree = tree_plane,
                                                  .plus = hki_plus_2,
                                                  .minus = hki_minus_2,
                                                  .measure = measure_plane};

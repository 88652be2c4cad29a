/* SPDX-License-Identifier: Apache-2.0
 *
 * joints.c: the table of all joints, made from joints.def, and the keys that all joints have.
 */
#include "base/extend.h"
#include "joints/rows.h"
#include "joints/tree.h"

#define X(name) extern const hk_joint_ops hki_joint_##name;
#include "joints/joints.def"
#undef X

static const hk_joint_ops *const table[] = {
#define X(name) &hki_joint_##name,
#include "joints/joints.def"
#undef X
};

const char *hki_joint_fault(const hk_joint_ops *ops) {
  const bool tree = ops->nv >= 0, moves = ops->nv > 0, rows = ops->nc > 0, scalars = ops->ns > 0;
  HK_TABLE_NEEDS(true, ops, name);
  HK_TABLE_NEEDS(true, ops, text);
  HK_TABLE_NEEDS(true, ops, source);
  HK_TABLE_NEEDS(true, ops, params);
  HK_TABLE_HOLDS(ops->nv >= -1 && ops->nv <= HK_JOINT_MAX);
  HK_TABLE_HOLDS(ops->nc >= 0 && ops->nc <= HK_JOINT_MAX);
  HK_TABLE_HOLDS(ops->ns >= 0 && ops->ns <= HK_JOINT_MAX);
  HK_TABLE_NEEDS(moves || scalars, ops, coords);
  HK_TABLE_NEEDS(moves, ops, rates);
  HK_TABLE_NEEDS(moves || scalars, ops, units);
  HK_TABLE_NEEDS(tree, ops, tree);
  HK_TABLE_NEEDS(tree, ops, plus);
  HK_TABLE_NEEDS(tree, ops, minus);
  HK_TABLE_NEEDS(tree, ops, measure);
  HK_TABLE_NEEDS(true, ops, loop);
  HK_TABLE_NEEDS(true, ops, loop_geo);
  HK_TABLE_NEEDS(ops->caps & HK_JOINT_COUPLES, ops, couple);
  HK_TABLE_HOLDS(!(ops->caps & HK_JOINT_COUPLES) || (!tree && !rows && !scalars));
  HK_TABLE_NEEDS(rows, ops, rows);
  HK_TABLE_NEEDS(scalars, ops, scalars);
  HK_TABLE_NEEDS(scalars, ops, coord);
  HK_TABLE_NEEDS(scalars, ops, coord_geo);
  HK_TABLE_NEEDS(ops->caps & HK_JOINT_LOCKED, ops, present);
  HK_TABLE_NEEDS(ops->plane.rule == HK_PLANE_REFUSED, ops, plane.words);
  HK_TABLE_NEEDS(!ops->friction.press && !ops->friction.fit && !ops->self, ops, friction.none);
  HK_TABLE_HOLDS(ops->friction.nslips <= HK_JOINT_MAX);
  return NULL;
}

/* an entry of the table, complete */
static const hk_joint_ops *entry(int32_t i) {
  HK_ASSERT_TABLE("joint", table[i], hki_joint_fault);
  return table[i];
}

int32_t hki_joint_count(void) { return HK_ARRAY_LEN(table); }

const hk_joint_ops *hki_joint_at(int32_t i) {
  return i >= 0 && i < HK_ARRAY_LEN(table) ? entry(i) : NULL;
}

const hk_joint_ops *hki_joint_find(const char *name) {
  for (int32_t i = 0; name && i < HK_ARRAY_LEN(table); i++)
    if (strcmp(table[i]->name, name) == 0 || hki_word_find(table[i]->alias, name) >= 0)
      return entry(i);
  return NULL;
}

const hk_joint_ops *hki_joint_of(const hk_ctx *ctx, int32_t i) {
  const int32_t own = HK_ARRAY_LEN(table);
  return i < own ? hki_joint_at(i) : hki_extend_at(ctx, HK_EXTEND_JOINT, i - own);
}

const hk_joint_ops *hki_joint_known(const hk_ctx *ctx, const char *name) {
  const hk_joint_ops *ops = hki_joint_find(name), *more;
  for (int32_t i = HK_ARRAY_LEN(table); !ops && name && (more = hki_joint_of(ctx, i)); i++)
    if (strcmp(more->name, name) == 0) ops = more;
  return ops;
}

const hk_joint_ops *hki_joint_with(uint32_t cap) {
  for (int32_t i = 0; i < HK_ARRAY_LEN(table); i++)
    if (table[i]->caps & cap) return entry(i);
  return NULL;
}

extern const hk_joint_ops hki_joint_translation, hki_joint_translation_plane;

const hk_joint_ops *hki_joint_of_node(bool planar) {
  return planar ? &hki_joint_translation_plane : &hki_joint_translation;
}

uint32_t hki_joint_present(const hk_joint_ops *ops, const void *par) {
  return ops->present ? ops->present(par) : (1u << HK_JOINT_MAX) - 1u;
}

/* index in ops->rows of the row-th existing row; nc when there is none */
static int32_t row_index(const hk_joint_ops *ops, const void *par, int32_t row) {
  const uint32_t there = hki_joint_present(ops, par);
  int32_t i = 0;
  for (; i < ops->nc; i++) {
    if ((there >> i & 1u) && row-- == 0) break;
  }
  return i;
}

int32_t hki_joint_rows(const hk_joint_ops *ops, const void *par) {
  int32_t n = 0;
  while (n < ops->nc && row_index(ops, par, n) < ops->nc) n++;
  return n;
}

hk_joint_friction hki_joint_friction_fit(const hk_joint_ops *ops, const void *par,
                                         uint32_t driven) {
  hk_joint_friction f = ops->friction;
  if (f.fit) f.fit(par, driven, &f);
  if (!f.press && !f.none) f.none = "its type brings none";
  return f;
}

double hki_press_moment(uint8_t press, double arm, const hk_frame *A, const hk_frame *B,
                        double *m) {
  double x[3], z[3], part[3] = {0};
  m3_column(x, A->R, 2);
  m3_column(z, B->R, 2);
  v3_add(z, z, x);
  if (press & HK_PRESS_TWIST) v3_axpy(part, v3_dot(m, z) / fmax(v3_dot(z, z), 1e-100), z);
  m3_tmulv(x, A->R, m);
  for (int k = 0; k < 3; k++) {
    m3_column(z, A->R, k);
    if (press >> (3 + k) & 1u) v3_axpy(part, x[k], z);
  }
  v3_scale(m, arm * arm, part);
  return v3_dot(part, m);
}

void hki_joint_slips(const hk_joint_friction *f, const void *par, const hk_frame *A,
                     const hk_frame *B, double *rows, double *H) {
  hk_joint_loop L;
  hki_rows_loop(f->slips, f->nslips, par, A, B, HK_LOOP_JAC, &L);
  for (int32_t k = 0; k < f->nslips; k++) {
    s6_copy(rows + 12 * k, L.GA + 6 * k);
    s6_copy(rows + 12 * k + 6, L.GB + 6 * k);
    if (H) hki_rows_geo(f->slips + k, 1, par, A, B, (const double[]){1.0}, H + 144 * k);
  }
}

const char *hki_joint_row_name(const hk_joint_ops *ops, const void *par, int32_t row) {
  int32_t i = row < 0 ? ops->nc : row_index(ops, par, row);
  return i < ops->nc ? hki_scalar_name(ops->rows[i]) : "";
}

bool hki_joint_row_is_length(const hk_joint_ops *ops, const void *par, int32_t row) {
  int32_t i = row < 0 ? ops->nc : row_index(ops, par, row);
  return i < ops->nc && hki_scalar_is_length(ops->rows[i]);
}

/* whether it holds from the start on: a key of joints and of couplings */
#define HK_PARAM_ACTIVE(what)                                                                      \
  {                                                                                                \
    .name = "active", .type = HK_P_BOOL, .offset = HK_P_HAND, .def = 1.0, .unit = "",              \
    .text = "false: the " what " is off until an event fixes it"                                   \
  }

const hk_param hki_coupling_common_params[] = {
    HK_PARAM_HAND("type", HK_P_TEXT, HK_P_REQUIRED, "the kind of joint"),
    HK_PARAM_ACTIVE("coupling"),
    HK_PARAM_HAND(
        "stiffness", HK_P_DYNAMIC, 0,
        "the coupling gives way: force or torque on its first coordinate per deviation of "
        "its sum; the body and joint NAME_mesh carry the deviation"),
    HK_PARAM_HAND("damping", HK_P_DYNAMIC, 0, "the same per rate of the deviation"),
    HK_PARAM_HAND("backlash", HK_P_REAL, 0,
                  "play of the first coordinate, half of it to each side as drawn; behind it the "
                  "stiffness acts, or, without one, rigid stops"),
    HK_PARAM_HAND("restitution", HK_P_REAL, 0,
                  "of impacts at the ends of a rigid backlash; default 0"),
    HK_PARAM_HAND(
        "slip", HK_P_ANY, 0,
        "the coupling slips: {friction: {mu: 0.4}, force: 200, radius: 0.1 ..}, the keys of "
        "a 'brake', acts on the deviation of its sum"),
    HK_PARAM_END};

const hk_param hki_joint_common_params[] = {
    HK_PARAM_HAND("type", HK_P_TEXT, HK_P_REQUIRED, "the kind of joint"),
    HK_PARAM_HAND("between", HK_P_BODIES, HK_P_REQUIRED,
                  "the bodies it joins: [first, second]; coordinates are of the second relative "
                  "to the first"),
    HK_PARAM_HAND("at", HK_P_POINT, 0, "where the joint is at the drawing position"),
    HK_PARAM_HAND("ends", HK_P_ENDS, 0,
                  "instead of at, when the joint is drawn apart: [point on the first, point on the "
                  "second]"),
    HK_PARAM_HAND("motion", HK_P_MOTION, 0,
                  "prescribed coordinates, or their rates: {angle: signal}, {rate: signal}, "
                  "{acceleration: signal}; of joints with an orientation also {rotation: "
                  "[x, y, z]}, {quaternion: [w, x, y, z]} or {euler: zyx, angles: [a, b, c]}"),
    HK_PARAM_ACTIVE("joint"),
    HK_PARAM_HAND("zero", HK_P_ANY, 0,
                  "value of the coordinate at the drawing position (a list or a map when there are "
                  "several); default 0"),
    HK_PARAM_HAND(
        "armature", HK_P_ANY, 0,
        "inertia of a rotor behind a gear: {inertia: J, ratio: n, coordinate: angle} adds "
        "n^2 J to the coordinate; its gyroscopic moment is left out"),
    HK_PARAM_HAND("limits", HK_P_LIMITS, 0,
                  "stops at the ends of a range: {coordinate: [lower, upper], restitution: 0.5} or "
                  "{.., stiffness: 1e5}"),
    HK_PARAM_HAND("friction", HK_P_ANY, 0,
                  "friction by the joint's own reaction: {type: coulomb, mu: 0.1, radius: 0.01}"),
    {.name = "cut",
     .type = HK_P_CHOICE,
     .offset = HK_P_HAND,
     .unit = "",
     .choices = "auto never always",
     .text = "where loops are opened: may this joint become closure equations?"},
    HK_PARAM_END};

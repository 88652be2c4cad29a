/* SPDX-License-Identifier: Apache-2.0
 *
 * joint_keys.h: parameters of any joint, filled through the rows of its table, so that tests which
 * run over all joints need not know which numbers a type has.
 */
#ifndef HK_TESTS_JOINT_KEYS_H
#define HK_TESTS_JOINT_KEYS_H

#include "runner.h"
#include "geometry/curve.h"
#include "joints/joint.h"

/* where the key of this name is in the parameters; NULL: the type has none */
static inline void *joint_key(const hk_joint_ops *ops, void *par, const char *name) {
  const hk_param *p = hki_params_find(ops->params, name);
  return p && p->offset >= 0 ? (char *)par + p->offset : NULL;
}

/* one number of a type that has it */
static inline void joint_set(const hk_joint_ops *ops, void *par, const char *name, double x) {
  double *at = (double *)joint_key(ops, par, name);
  ck_assert_msg(at != NULL, "%s joints have no key '%s'", ops->name, name);
  *at = x;
}
static inline double joint_get(const hk_joint_ops *ops, const void *par, const char *name) {
  const double *at = (const double *)joint_key(ops, (void *)par, name);
  return at ? *at : 0.0;
}

/* the outline of a cam: an egg, in so many pieces that their joins do not show in differences */
static inline const hk_curve *joint_curve(void) {
  enum { N = 720 };
  static hk_curve_piece piece[N];
  static const hk_curve curve = {.n = N, .piece = piece};
  const double h = 6.28318530717958647692 / N;
  double at[2][2][3];
  if (piece[0].length > 0.0) return &curve;
  for (int32_t i = 0; i <= N; i++) {
    const double s = sin(h * i), c = cos(h * i), r = 1.2 + 0.2 * c;
    const double x[3] = {r * c, -0.2 * s * c - r * s, 0.2 * (s * s - c * c) + 0.2 * s * s - r * c};
    const double y[3] = {r * s, -0.2 * s * s + r * c, -0.4 * s * c - 0.2 * s * c - r * s};
    memcpy(at[i % 2][0], x, sizeof x), memcpy(at[i % 2][1], y, sizeof y);
    for (int k = 0; i > 0 && k < 2; k++) {
      const double *a = at[1 - i % 2][k], *b = at[i % 2][k];
      double *p = k ? piece[i - 1].y : piece[i - 1].x,
             d = b[0] - a[0] - h * (a[1] + 0.5 * h * a[2]);
      const double e = b[1] - a[1] - h * a[2], f = b[2] - a[2];
      piece[i - 1].length = h;
      p[0] = a[0], p[1] = a[1], p[2] = 0.5 * a[2];
      p[3] = (10 * d / h - 4 * e + 0.5 * h * f) / (h * h);
      p[4] = (-15 * d / h + 7 * e - h * f) / (h * h * h);
      p[5] = (6 * d / h - 3 * e + 0.5 * h * f) / (h * h * h * h);
    }
  }
  return &curve;
}

/* all keys: each number, the angle of a second axis, the mask of what is locked */
static inline void joint_fill(const hk_joint_ops *ops, void *par, double number, double psi,
                              uint32_t locked) {
  for (const hk_param *p = ops->params; p->type != HK_P_END; p++) {
    if (p->offset < 0) continue;
    void *at = (char *)par + p->offset;
    if (p->type == HK_P_REAL) *(double *)at = number;
    if (p->type == HK_P_AXIS2) ((double *)at)[0] = sin(psi), ((double *)at)[1] = cos(psi);
    if (p->type == HK_P_LOCKED) *(uint32_t *)at = locked;
    if (p->type == HK_P_CURVE) *(const hk_curve **)at = joint_curve();
  }
}

#endif

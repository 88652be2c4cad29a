/* SPDX-License-Identifier: Apache-2.0
 *
 * joint_keys.h: parameters of any joint, filled through the rows of its table, so that tests which
 * run over all joints need not know which numbers a type has.
 */
#ifndef HK_TESTS_JOINT_KEYS_H
#define HK_TESTS_JOINT_KEYS_H

#include "runner.h"
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

/* all keys: each number, the angle of a second axis, the mask of what is locked */
static inline void joint_fill(const hk_joint_ops *ops, void *par, double number, double psi,
                              uint32_t locked) {
  for (const hk_param *p = ops->params; p->type != HK_P_END; p++) {
    if (p->offset < 0) continue;
    void *at = (char *)par + p->offset;
    if (p->type == HK_P_REAL) *(double *)at = number;
    if (p->type == HK_P_AXIS2) ((double *)at)[0] = sin(psi), ((double *)at)[1] = cos(psi);
    if (p->type == HK_P_LOCKED) *(uint32_t *)at = locked;
  }
}

#endif

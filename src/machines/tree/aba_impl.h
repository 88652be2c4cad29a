/* SPDX-License-Identifier: Apache-2.0
 *
 * aba_impl.h: what the files of the articulated-body recursion share.
 */
#ifndef HK_MACHINES_TREE_ABA_IMPL_H
#define HK_MACHINES_TREE_ABA_IMPL_H

#include "machines/tree/aba.h"

/* the passes for one kind of processor; numbers are the same for all */
typedef struct hk_aba_passes {
  /* leaf to root: U, D^-1 */
  void (*factor)(hk_aba *f, const hk_kin *k, const double *E);
  /* the same, and x by right sides rhs (nv) less the wrenches of the bodies at rest accelerations */
  void (*accel)(hk_aba *f, const hk_kin *k, const double *E, const double *rhs, double *x);
} hk_aba_passes;

const hk_aba_passes *hki_aba_passes(void); /* for this processor */
const hk_aba_passes *hki_aba_plain(void);
const hk_aba_passes *hki_aba_wide(void); /* NULL: not on this processor */

/* Joints with any number of coordinates. joint: U, D^-1, u (where rhs is given), and IA, P of the body become what the
 * parent feels. joint_out: x, and a of the parent becomes that of the body. */
void hki_aba_joint(hk_aba *f, const hk_kin *k, const hk_aba_link *l, const double *E,
                   const double *rhs, double *IA, double *P);
void hki_aba_joint_out(hk_aba *f, const hk_kin *k, const hk_aba_link *l, double *a, double *x);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * normal.h: normal forces of friction from the joints' own reactions, beside any formulation.
 *
 * Friction in a joint resists by N c (elements/joint_friction.c), and N is the length of the pressing
 * part of the joint's reaction R, which depends on accelerations and multipliers:
 *
 *   r(D, N) = 0,   N = |R(D)|
 *
 * Both are solved together. In an iteration the forces are evaluated at the present N; with
 * U = dr/dN and V = dN/dD
 *
 *   T x + U dN = -r,   dN = V'x + (|R| - N)
 *
 * where dN is the force of a term of the border (linalg/border.h), or, in formulations whose unknowns
 * are the multipliers themselves, follows from these. Where a machine gives the value alone N lags one
 * iteration behind, which contracts like the coefficient of friction. No normal force is a step late.
 *
 * Stages with constraints at position level have multipliers of first order in the step, since their
 * accelerations are not those that the constraints imply. With the state that the projections leave,
 * the normal forces of its true accelerations are found once a step, N', and the stages of the next
 * step take
 *
 *   N = |R| + (N' - |R|)          bracket: of the step before, which changes slowly
 *
 * Where multipliers are unknowns the motion is of second order without that, since history and stage err
 * against each other. Its accepted states take N' for the audit alone, and the next stage begins with
 * those of its multipliers again.
 *
 * Accelerations of a state (explicit methods, starts) are found in turn with N until both agree.
 */
#ifndef HK_MACHINES_FRICTION_NORMAL_H
#define HK_MACHINES_FRICTION_NORMAL_H

#include "kinematics/kin.h"
#include "linalg/border.h"
#include "stage/stage.h"

/* what a machine gives */
typedef struct hk_normal_face {
  /* |R| of all normal forces, N (nnormal). a NULL: at the present iterate; else after `accel`, which
   * has found a */
  void (*find)(hk_formulation *f, const double *a, double *N);
  hk_border *(*border)(hk_formulation *f); /* with a term for each; NULL: there are none */
  bool after;                              /* `find` reads what `correct` leaves */
  bool rough;  /* multipliers of the closures of the tree are of first order in stages */
  bool system; /* as one system of first order it finds them by itself, by its multipliers */
  bool early;  /* `residual` fills what the terms sense (e of the border), and solves */
} hk_normal_face;

/* Gives the formulation the normal forces of its model: some functions of its table are replaced,
 * and f->pressed holds what they need. kin: at accepted states; face NULL: values alone, from the
 * tree at the state of the iterate. Nothing is done for a model without friction. The formulation is
 * destroyed as before, also after an error. */
hk_status hki_normal_wrap(hk_ctx *ctx, const hk_model *m, hk_kin *kin, const hk_normal_face *face,
                          hk_formulation *f);

#endif

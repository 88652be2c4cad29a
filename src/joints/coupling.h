/* SPDX-License-Identifier: Apache-2.0
 *
 * coupling.h: shared by the couplings, which relate coordinates of other joints (hk_couple). They
 * have no markers, so that both faces are empty.
 */
#ifndef HK_JOINTS_COUPLING_H
#define HK_JOINTS_COUPLING_H

#include "joints/joint.h"
#include "joints/tree.h"

void hki_couple_loop(const void *par, const hk_frame *A, const hk_frame *B, uint32_t need,
                     hk_joint_loop *out);
void hki_couple_loop_geo(const void *par, const hk_frame *A, const hk_frame *B, const double *lam,
                         double *H);

/* the row of a coupling's list of joints; text: which ones */
#define HK_PARAM_JOINTS(text_) HK_PARAM_HAND("joints", HK_P_JOINTS, HK_P_REQUIRED, text_)

/* members of a coupling's table, between least_ and most_ coordinates; glyph_: how it is drawn */
#define HK_OPS_COUPLING(least_, most_, glyph_)                                                     \
  .nv = -1, .coords = "", .rates = "", .units = "", .params = params, .place = HK_PLACE_ANYWHERE,  \
  .plane = {.rule = HK_PLANE_ROWS}, .glyph = glyph_,                                               \
  .friction = {.none = "it couples coordinates of joints; these have friction, and the coupling "  \
                       "'slip'"},                                                                  \
  .loop = hki_couple_loop, .loop_geo = hki_couple_loop_geo, .couple = couple, .least = least_,     \
  .most = most_

#define HK_SOURCE_COUPLING                                                                         \
  "Shabana, Dynamics of Multibody Systems (2013), ch. 3; Haug, Computer-Aided Kinematics and "     \
  "Dynamics of Mechanical Systems (1989), section 3.5"

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * outline.h: the row of a roller on the outline of a cam (outline.c), for rows.c, rows_geo.c and
 * rows_bias.c.
 */
#ifndef HK_JOINTS_OUTLINE_H
#define HK_JOINTS_OUTLINE_H

#include "geometry/curve.h"
#include "joints/pair.h"

/* numbers of HK_S_OUTLINE, the first members of the joint's parameters */
typedef struct hk_outline_num {
  double radius;         /* of the roller, m; 0: a point */
  const hk_curve *curve; /* in the x-y plane of A */
  bool inside;           /* the follower is inside the curve */
} hk_outline_num;

/* numbers of HK_S_FACE, likewise */
typedef struct hk_face_num {
  double angle;          /* of the normal of the face, from x towards y of B, rad */
  const hk_curve *curve; /* closed and convex, in the x-y plane of A */
} hk_face_num;

void hki_row_outline(hk_pair *P, uint32_t need, int32_t i, hk_joint_loop *out);
/* f (3) += the force of the row, gt (12): the gradient of its second term; returns the weight of
 * gt gt' in the derivative of the wrenches */
double hki_outline_geo(hk_pair *P, double lam, double *f, double *gt);
/* d (12) += derivative of gamma */
void hki_outline_bias_geo(hk_pair *P, double *d);

#endif

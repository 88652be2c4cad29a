/* SPDX-License-Identifier: Apache-2.0
 *
 * pose.h: where the second of two markers is, seen from the first, as six deformations s = (x, phi), for
 * elastic joints:
 *
 *   x   = R'(p2 - p1)                  R: axes of the first marker, of the second, or half-way (pair.h)
 *   phi = log(R1'R2)                   has the same components in all three
 *
 * The forces that resist s are those of a potential wherever f(s) has one, whatever the axes. Exchanging
 * the markers turns s into -s: half-way axes make a joint with f(-s) = -f(s) the same joint from either
 * side, axes of the first become axes of the second.
 *
 * phi may be longer than half a turn: it is the rotation vector nearest to a given one.
 */
#ifndef HK_ELEMENTS_POSE_H
#define HK_ELEMENTS_POSE_H

#include "elements/pair.h"
#include "elements/relative.h"

/* in the order of the words "first second middle" */
typedef enum hk_reference {
  HK_REFERENCE_FIRST,
  HK_REFERENCE_SECOND,
  HK_REFERENCE_MIDDLE
} hk_reference;

typedef struct hk_pose {
  hk_reference reference;
  double s[6], sd[6]; /* x y z rx ry rz */
  hk_relative r;      /* first; second: the first marker seen from the second */
  hk_pair p;          /* middle */
  hk_pair_rows rows;
} hk_pose;

/* near: see hki_rot_log_near */
void hki_pose(hk_reference reference, const hk_frame *m, const double *near, hk_pose *out);
/* w (12) = -B'f */
void hki_pose_wrench(const hk_pose *p, const hk_frame *m, const double *f, double *w);
/* rows of B = ds/dxi and of P = d(sd)/dxi (NULL: not wanted), 6 x 12 each */
void hki_pose_rows(hk_pose *p, const hk_frame *m, double *B, double *P);
/* K (12 x 12) += d(B'f)/dxi at fixed f, after hki_pose_rows */
void hki_pose_geometric(const hk_pose *p, const hk_frame *m, const double *f, double *K);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * pair.h: two marker frames made ready for rows.c and rows_geo.c: their axes, what moves between
 * them, and the direction terms of each rotational scalar (rows.h).
 */
#ifndef HK_JOINTS_PAIR_H
#define HK_JOINTS_PAIR_H

#include "joints/rotlog.h"
#include "joints/rows.h"

typedef struct hk_pair {
  const hk_joint_par *par;
  double a[3][3], b[3][3]; /* axes of A and B, world axes */
  double d[3];             /* pB - pA */
  double w[3], wAw[3];     /* wB - wA, wA x w (accelerations only) */
  double u[3], g[3];       /* vB - vA, wA x (wA x d) - 2 wA x u (accelerations only) */
  double n[3], e[3];       /* universal: axis2 of B and the zero direction of its angle */
} hk_pair;

/* weight * a . b */
typedef struct hk_term {
  double weight;
  const double *a, *b;
} hk_term;

/* a rotational scalar: the sum of `num` terms, or atan2 of that and of the sum of `den` terms */
typedef struct hk_terms {
  int32_t n_num, n_den;
  hk_term num[2], den[2];
} hk_terms;

/* position part: axes and distance; motion part: what `gamma` needs besides */
void hki_pair_pose(hk_pair *P, const hk_joint_par *par, const hk_frame *A, const hk_frame *B);
void hki_pair_motion(hk_pair *P, const hk_frame *A, const hk_frame *B);

/* the terms of HK_S_XZ .. HK_S_RZ, HK_S_AXIS2, HK_S_SCREW (its twist) and the angles */
void hki_pair_terms(hk_pair *P, uint8_t what, hk_terms *T);

/* unit vector from A to B (x of A when they coincide); returns the distance */
double hki_pair_length(const hk_pair *P, double *n);

/* below this distance (m) a length has no direction; below this |(n, c)|^2 an angle has no value */
#define HK_LENGTH_TINY 1e-14
#define HK_ANGLE_TINY  1e-24

#endif

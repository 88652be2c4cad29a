/* SPDX-License-Identifier: Apache-2.0
 *
 * lanes.h: the passes of tree.c for four bodies of one kind at once, one in each lane of a vector.
 * Every number is formed by the same operations in the same order as for a single body, so that
 * results do not depend on the processor.
 */
#ifndef HK_KINEMATICS_LANES_H
#define HK_KINEMATICS_LANES_H

#include "kinematics/kin.h"

typedef double hk_lane[HK_LANE4];

struct hk_lanes {
  int32_t body[HK_LANE4], parent[HK_LANE4], q0[HK_LANE4], v0[HK_LANE4];
  int32_t root[HK_LANE4], nv;
  bool ground;  /* roots: joints with the ground */
  bool trees;   /* the bodies belong to several trees */
  bool one;     /* all four have the same parent, a body */
  int32_t from; /* group that holds the four parents in the same order; -1: none */
  bool ball;    /* spherical joints, else revolutes */
  bool inert;   /* the bodies have inertia */
  bool turned_parent, turned_child; /* spherical: some marker is not parallel to its body */
  /* constants */
  hk_lane K1[9], K2[9], K3[9], axis[3]; /* revolutes */
  hk_lane RA[9], RB[9]; /* spherical: axes of the parent's marker; body seen from its own marker */
  hk_lane on_parent[3], on_child[3], J[9], mass;
  /* at the present state */
  hk_lane pose[12]; /* R, p */
  hk_lane S[18];    /* columns, nv x 6 */
  hk_lane c[3];     /* p - O */
  hk_lane I[9];     /* first and second moments */
  hk_lane V[6], A0[6], A[6];
  hk_lane Ic[10]; /* of the mass matrix: mass, first and second moments of the subtrees */
};

/* true when this build and this processor have lanes */
bool hki_lanes_here(void);
void hki_lanes_init(hk_kin *k, int32_t quad);
/* the passes of tree.c for one group */
void hki_lanes_place(hk_kin *k, hk_lanes *b, const double *q);
void hki_lanes_velocity(hk_kin *k, hk_lanes *b, const double *v);
void hki_lanes_forces(hk_kin *k, hk_lanes *b, const double *a, double *A, double *F);

#endif

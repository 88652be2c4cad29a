/* SPDX-License-Identifier: Apache-2.0
 *
 * pulls4.h: forces of one kind four at a time: those that pull along a line at a point (hk_element_ops.pull), with the same number
 * of coordinates and inputs that no signal changes. With p the place of the second marker, a the direction, r = p - O and
 * G = (r x a, a):
 *
 *   sd  = a . (vB(p) - vA(p))                velocities of both bodies at p
 *   W_B = tau G      W_A = -tau G            wrenches about O
 *   s_z = S_j . G    or  -S_j . G            row in the coordinates of the second body, of the first
 *
 * Geometry goes four at a time, laws one by one (hk_element_ops.resist). Groups depend on the model alone. Rows are kept twice in
 * hk_kin.fz: force by force as all others, and behind these side by side, number j of the four at g + 4 j.
 */
#ifndef HK_KINEMATICS_PULLS4_H
#define HK_KINEMATICS_PULLS4_H

#include "kinematics/rows4.h"

struct hk_pulls4 {
  hk_rows4
      at; /* what closures have too: bodies, points, coordinates; closure[] are the forces, nrows is 1 */
  hk_pull kind;
  int32_t shared;     /* coordinates [0, shared) are the same in all four, */
  bool floating;      /* the first six are those of a floating body, */
  int32_t base;       /* which is this one */
  bool one_tree;      /* all bodies of both sides have the same O */
  double axis[3][4];  /* HK_PULL_AXIS: in the first body, or in the world */
  double p[3][4];     /* at the present state: place of the second marker, */
  double v[3][4];     /* velocity there relative to the first body, */
  double r[2][3][4];  /* p - O of both sides, */
  double a[3][4];     /* direction */
  double s[4], sd[4]; /* deformation and its rate, */
  double d[3][4];     /* pB - pA, */
  double tau[4], ks[4], cs[4];
};

/* the passes for one kind of processor */
typedef struct hk_pulls4_passes {
  /* places, directions, deformations and their rates */
  void (*reach)(const hk_kin *k, hk_pulls4 *q);
  /* wrenches on the bodies; rows in fz where `tangent` */
  void (*act)(hk_kin *k, const hk_pulls4 *q, bool tangent);
  /* val[slot] += coef g g', lower triangles in the slots of each */
  void (*squares)(const hk_pulls4 *q, const double *g, const double *coef,
                  const int32_t *const slot[4], double *val);
} hk_pulls4_passes;

extern const hk_pulls4_passes hki_pulls4_any;
const hk_pulls4_passes *hki_pulls4_wide(void); /* NULL: not on this processor */

/* the groups, part of hki_kin_init; rows side by side begin at fz[g] */
void hki_pulls4_find(hk_kin *k, int32_t g);
/* forces of all groups on their bodies; rows, ks and cs where `tangent` */
void hki_pulls4_forces(hk_kin *k, bool tangent);
/* what hki_kin_energy needs of all groups: adds to U, Pd, Ps, fills traces and what is kept */
void hki_pulls4_energy(hk_kin *k, double *U, double *Pd, double *Ps);

#endif

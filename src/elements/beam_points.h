/* SPDX-License-Identifier: Apache-2.0
 *
 * beam_points.h: strains of beam elements with three nodes at their two points of integration, and their
 * derivatives by the poses of nodes 1 and 3 seen from node 2 (relative.h); see beam_three.c.
 */
#ifndef HK_ELEMENTS_BEAM_POINTS_H
#define HK_ELEMENTS_BEAM_POINTS_H

#include "elements/beam.h"
#include "elements/relative.h"
#include "elements/rotmap.h"

/* deformations; coordinates of three markers; t, tp, xp */
enum { HK_BEAM_S = 12, HK_BEAM_V = 18, HK_BEAM_Z = 9 };

/* one point of integration */
typedef struct hk_beam_point {
  double N[2], d[2];       /* N and N'/J of nodes 1 and 3 */
  double t[3], v[6];       /* t; tp, xp */
  double td[3], vd[6];     /* their rates */
  hk_rotmap map[2];        /* of kappa, gamma */
  double E[6 * HK_BEAM_Z]; /* de/d(t, tp, xp) */
  double e[6], ed[6], f[6];
} hk_beam_point;

/* poses of nodes 1 and 3 seen from node 2 */
static inline void hki_beam_poses(const hk_frame *m, hk_relative *r) {
  hki_relative(&m[1], &m[0], NULL, &r[0]);
  hki_relative(&m[1], &m[2], NULL, &r[1]);
}
/* strains and section forces at point i (0, 1) */
void hki_beam_strain(const hk_beam_par *par, int i, const hk_relative *r, hk_beam_point *p);
/* X (6 x 9) += scale times the derivative of the strain rates E zd by (t, tp, xp) at fixed zd */
void hki_beam_rate_slopes(const hk_beam_point *p, double scale, double *X);
/* factor of deformation a (0 displacement, 1 rotation) of node n (0: 1, 1: 3) in t, tp, xp */
static inline double hki_beam_factor(const hk_beam_point *p, int group, int a, int n) {
  if (group == 0) return a ? p->N[n] : 0.0;
  return (group == 1) == (a == 1) ? p->d[n] : 0.0;
}
/* B and P (12 x 18): rows of both poses in the coordinates of the three markers */
void hki_beam_rows(const hk_frame *mid, const hk_relative *r, double *B, double *P);
/* where column c (0 to 11: middle node, then node n) of a relative pose stands among the 18 */
static inline int hki_beam_column(int n, int c) { return c < 6 ? 6 + c : 12 * n + c - 6; }
/* the parameters that follow from the drawing */
void hki_beam_prepare(void *par, int32_t nmark, const hk_frame *m0);

#endif

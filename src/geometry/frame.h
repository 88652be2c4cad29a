/* SPDX-License-Identifier: Apache-2.0
 *
 * frame.h: a marker frame in motion. World axes; v is the velocity of the frame's origin.
 * Pose increment xi = (dtheta, dp) acts on the left: R' = exp(dtheta) R, p' = p + dp.
 */
#ifndef HK_GEOMETRY_FRAME_H
#define HK_GEOMETRY_FRAME_H

#include "geometry/geometry.h"

typedef struct hk_frame {
  double R[9]; /* frame axes -> world axes */
  double p[3]; /* origin, m */
  double w[3]; /* angular velocity, rad/s */
  double v[3]; /* velocity of the origin, m/s */
} hk_frame;

/* Pose of a marker in the frame of its body:
 *   R_marker = R_body R        p_marker = p_body + R_body p */
typedef struct hk_offset {
  double R[9];
  double p[3];
} hk_offset;

static inline void hki_frame_marker(hk_frame *m, const hk_frame *body, const hk_offset *o) {
  double r[3];
  // most markers are parallel to their body
  if (o->R[0] == 1.0 && o->R[4] == 1.0 && o->R[8] == 1.0)
    memcpy(m->R, body->R, sizeof m->R);
  else
    m3_mul(m->R, body->R, o->R);
  m3_mulv(r, body->R, o->p);
  v3_add(m->p, body->p, r);
  v3_copy(m->w, body->w);
  v3_cross(m->v, body->w, r);
  v3_add(m->v, m->v, body->v);
}

/* the marker moved by h in direction k: 0 1 2 turns about x y z, 3 4 5 shifts; for differences */
static inline void hki_frame_move(hk_frame *m, int32_t k, double h) {
  double turn[3] = {0.0, 0.0, 0.0}, E[9], R[9];
  if (k >= 3) {
    m->p[k - 3] += h;
    return;
  }
  turn[k] = h;
  rot_exp(E, turn);
  m3_mul(R, E, m->R);
  memcpy(m->R, R, sizeof R);
}

#endif

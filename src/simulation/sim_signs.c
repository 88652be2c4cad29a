/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_signs.c: orientation quaternions that are continuous in time.
 *
 * q and -q are the same rotation. A rotation matrix gives the one with w >= 0, whose sign flips
 * when the rotation passes half a turn. Here the sign is carried from one accepted state to the
 * next: of q and -q the one nearer to the last quaternion is taken.
 *
 * A step that rotates by less than a quarter turn changes q by less than sqrt(2 - sqrt(2)) = 0.766.
 * So the sign cannot flip when w >= 0.766 before or after the step; then the trace of the matrix is
 * enough to know:
 *
 *   tr = 4 w^2 - 1
 */
#include "simulation/simulation.h"

/* one orientation: its last quaternion with w >= 0 (1 0 0 0 when w was large), then the sign that
 * makes it continuous */
enum { SIGN_Q = 0, SIGN_SIGN = 4, SIGN_SIZE = HK_SIGN_SIZE };
static const double safe_trace = 4.0 * 0.77 * 0.77 - 1.0;

static double *sign_of(const hk_sim *s, hk_channel c) {
  bool body = c.kind == HK_CH_BODY_ORIENTATION;
  return s->signs + SIGN_SIZE * (body ? c.item : s->m->nb + c.item);
}

/* has the joint an orientation channel? */
static bool turns(const hk_sim *s, int32_t joint) {
  return (s->m->spec->joints[joint].ops->caps & HK_JOINT_QUATERNION) != 0;
}

/* updates the sign of one orientation at the state of kin */
static void follow(hk_sim *s, hk_channel c) {
  double R[9], q[4], *f = sign_of(s, c), *last = f + SIGN_Q;
  if (hki_kin_orientation_trace(s->kin, c) > safe_trace) {
    quat_identity(last);
    return;
  }
  hki_kin_orientation(s->kin, c, R);
  quat_from_rot(q, R);
  double dot = q[0] * last[0] + q[1] * last[1] + q[2] * last[2] + q[3] * last[3];
  if (dot < 0.0) f[SIGN_SIGN] = -f[SIGN_SIGN];
  memcpy(last, q, sizeof q);
}

void hki_sim_signs_follow(hk_sim *s) {
  hk_channel c = {.kind = HK_CH_BODY_ORIENTATION};
  const hk_kin *k = s->kin;
  for (c.item = 0; c.item < s->m->nb; c.item++) {
    // most bodies have their own axes, and have not turned far
    const int32_t b = s->m->body_of_spec[c.item];
    const double *R = k->frame[b].R;
    if (k->upright[b] && R[0] + R[4] + R[8] > safe_trace)
      quat_identity(sign_of(s, c) + SIGN_Q);
    else
      follow(s, c);
  }
  c.kind = HK_CH_JOINT_ORIENTATION;
  for (c.item = 0; c.item < s->m->nj; c.item++)
    if (turns(s, c.item)) follow(s, c);
}

void hki_sim_signs_start(hk_sim *s) {
  for (int32_t i = 0; i < s->m->nb + s->m->nj; i++) {
    quat_identity(s->signs + SIGN_SIZE * i + SIGN_Q);
    s->signs[SIGN_SIZE * i + SIGN_SIGN] = 1.0;
  }
  hki_sim_signs_follow(s);
}

void hki_sim_signed_orientation(const hk_sim *s, hk_channel c, double *q) {
  double R[9];
  const double *f = sign_of(s, c), *last = f + SIGN_Q;
  hki_kin_orientation(s->kin, c, R);
  quat_from_rot(q, R);
  double dot = q[0] * last[0] + q[1] * last[1] + q[2] * last[2] + q[3] * last[3];
  double sign = dot < 0.0 ? -f[SIGN_SIGN] : f[SIGN_SIGN];
  for (int i = 0; i < 4; i++) q[i] *= sign;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * rows.c: the scalars of pair.h that are not inline in rows.h, and measured coordinates. An angle
 * t = atan2(n, c), with m the gradient by the rotation of B and r = n^2 + c^2, has
 *
 *   m    = (c m_n - n m_c)/r
 *   td   = m . w
 *   bias = (c bias_n - n bias_c - 2 td (n nd + c cd))/r
 */
#include "joints/rows.h"

#include "joints/outline.h"

static const double two_pi = 6.28318530717958647692, nothing = 1e-30;

/* a rotational scalar: value, gradient by the rotation of B, bias */
typedef struct hk_turn {
  double s, m[3], bias;
} hk_turn;

/* --- rotational scalars ----------------------------------------------------------------------- */

static void add_terms(const hk_pair *P, const hk_term *t, int32_t n, uint32_t need, hk_turn *out) {
  memset(out, 0, sizeof *out);
  for (; n > 0; n--, t++) {
    double x[3];
    out->s += t->weight * v3_dot(t->a, t->b);
    v3_cross(x, t->b, t->a);
    v3_axpy(out->m, t->weight, x);
    if (need & HK_LOOP_ACC) out->bias += t->weight * hki_direction_bias(P, t->a, t->b);
  }
}

/* t = atan2(n, c); all zeros where n = c = 0 */
static void angle(const hk_pair *P, const hk_turn *n, const hk_turn *c, uint32_t need,
                  hk_turn *out) {
  double r = n->s * n->s + c->s * c->s;
  memset(out, 0, sizeof *out);
  if (!(r > HK_ANGLE_TINY)) return;
  out->s = atan2(n->s, c->s);
  v3_axpy(out->m, c->s / r, n->m);
  v3_axpy(out->m, -n->s / r, c->m);
  if (need & HK_LOOP_ACC) {
    double nd = v3_dot(n->m, P->w), cd = v3_dot(c->m, P->w), td = v3_dot(out->m, P->w);
    out->bias = (c->s * n->bias - n->s * c->bias - 2.0 * td * (n->s * nd + c->s * cd)) / r;
  }
}

static void turn(hk_pair *P, uint8_t what, uint32_t need, hk_turn *out) {
  hk_terms T;
  hki_pair_terms(P, what, &T);
  if (T.n_den == 0) {
    add_terms(P, T.num, T.n_num, need, out);
  } else {
    hk_turn n, c;
    add_terms(P, T.num, T.n_num, need, &n);
    add_terms(P, T.den, T.n_den, need, &c);
    angle(P, &n, &c, need, out);
  }
}

/* component k of the rotation vector: gradient J A', bias (dJ/dt) w - J (wA x w) in A axes */
static void log_turn(hk_pair *P, int k, uint32_t need, hk_turn *out) {
  hki_pair_axes(P);
  hki_pair_log(P);
  memset(out, 0, sizeof *out);
  out->s = P->log.f[k];
  for (int i = 0; i < 3; i++) v3_axpy(out->m, P->log.J[3 * k + i], P->a[i]);
  if (need & HK_LOOP_ACC) {
    double w[3], fd[3], y[3];
    for (int i = 0; i < 3; i++) w[i] = v3_dot(P->a[i], P->w);
    m3_mulv(fd, P->log.J, w);
    hki_rotlog_rate(&P->log, fd, w, y);
    out->bias = y[k] - v3_dot(out->m, P->wAw);
  }
}

/* --- other rows ------------------------------------------------------------------------------- */

/* |pB - pA| - free */
static void row_length(const hk_pair *P, double free, uint32_t need, int32_t i,
                       hk_joint_loop *out) {
  double n[3], length = hki_pair_length(P, n);
  if (need & HK_LOOP_POS) out->phi[i] = length - free;
  if (need & HK_LOOP_JAC) {
    s6_zero(out->GA + 6 * i);
    s6_zero(out->GB + 6 * i);
    v3_scale(out->GA + 6 * i + 3, -1.0, n);
    v3_copy(out->GB + 6 * i + 3, n);
  }
  if (need & HK_LOOP_ACC) {
    double nu = v3_dot(n, P->u);
    out->gamma[i] = length > HK_LENGTH_TINY ? (v3_dot(P->u, P->u) - nu * nu) / length : 0.0;
  }
}

/* z - lead (twist + 2 pi n), with the whole n that makes it smallest */
static void row_screw(hk_pair *P, uint32_t need, int32_t i, hk_joint_loop *out) {
  double lead = P->num[0], pitch = two_pi * lead;
  hk_turn t;
  turn(P, HK_S_TWIST, need, &t);
  hki_row_position(P, 2, need, i, out);
  if (need & HK_LOOP_POS) {
    out->phi[i] -= lead * t.s;
    if (pitch != 0.0) out->phi[i] -= pitch * nearbyint(out->phi[i] / pitch);
  }
  if (need & HK_LOOP_JAC) {
    v3_axpy(out->GA + 6 * i, lead, t.m);
    v3_axpy(out->GB + 6 * i, -lead, t.m);
  }
  if (need & HK_LOOP_ACC) out->gamma[i] -= lead * t.bias;
}

void hki_row_other(hk_pair *P, uint8_t what, uint32_t need, int32_t i, hk_joint_loop *out) {
  hk_turn t;
  if (hki_scalar_touches(what)) {
    hki_row_contact(P, what, need, i, out);
    return;
  }
  switch (what) {
    case HK_S_SCREW:
      row_screw(P, need, i, out);
      return;
    case HK_S_DISTANCE:
      row_length(P, P->num[0], need, i, out);
      return;
    case HK_S_LENGTH:
      row_length(P, 0.0, need, i, out);
      return;
    case HK_S_RIM:
      hki_row_rim(P, 2, need, i, out);
      return;
    case HK_S_SLIP_X:
    case HK_S_SLIP_Y:
      hki_row_rim(P, what - HK_S_SLIP_X, need, i, out);
      return;
    case HK_S_OUTLINE:
      hki_row_outline(P, need, i, out);
      return;
    case HK_S_LOGX:
    case HK_S_LOGY:
    case HK_S_LOGZ:
      log_turn(P, what - HK_S_LOGX, need, &t);
      break;
    default:
      turn(P, what, need, &t);
      break;
  }
  if (what == HK_S_AXIS2) t.s -= P->num[1];
  hki_row_turn(t.s, t.m, t.bias, need, i, out);
}

/* --- coordinates ------------------------------------------------------------------------------ */

void hki_rows_coord(uint8_t what, const void *par, const hk_frame *A, const hk_frame *B,
                    double s_near, hk_joint_coord *out) {
  hk_joint_loop row;
  hki_rows_loop(&what, 1, par, A, B, HK_LOOP_POS | HK_LOOP_JAC | HK_LOOP_ACC, &row);
  out->s = row.phi[0];
  out->bias = row.gamma[0];
  s6_copy(out->gA, row.GA);
  s6_copy(out->gB, row.GB);
  out->sd = v3_dot(out->gA, A->w) + v3_dot(out->gA + 3, A->v) + v3_dot(out->gB, B->w) +
            v3_dot(out->gB + 3, B->v);

  if (hki_scalar_turns(what)) out->s += two_pi * nearbyint((s_near - out->s) / two_pi);
}

double hki_rows_turn(double (*a)[3], double (*b)[3], double s_near) {
  // sums in the order of turn
  double n = 0.0 + v3_dot(a[1], b[0]), c = 0.0 + v3_dot(a[0], b[0]);
  n += -1.0 * v3_dot(a[0], b[1]), c += v3_dot(a[1], b[1]);
  // the arc of the smaller number by the larger one, then its octant
  const double N = fabs(n), C = fabs(c), t = (N < C ? N : C) / ((N < C ? C : N) + nothing);
  double s = t * (0.97239411 - 0.19194795 * (t * t));
  s = N < C ? s : 0.25 * two_pi - s;
  s = c < 0.0 ? 0.5 * two_pi - s : s;
  s = n < 0.0 ? -s : s;
  return s + two_pi * nearbyint((s_near - s) / two_pi);
}

void hki_rows_measure(const uint8_t *what, int32_t n, const void *par, const hk_frame *A,
                      const hk_frame *B, const double *q_near, double *q, double *v) {
  for (int32_t k = 0; k < n; k++) {
    hk_joint_coord c;
    hki_rows_coord(what[k], par, A, B, q_near ? q_near[k] : 0.0, &c);
    q[k] = c.s;
    v[k] = c.sd;
  }
}

bool hki_scalar_is_length(uint8_t what) {
  return what <= HK_S_Z || (what >= HK_S_SCREW && what <= HK_S_LENGTH) ||
         (what >= HK_S_RIM && what <= HK_S_ALONG_Z && what != HK_S_ROUND_N) ||
         what == HK_S_OUTLINE || what == HK_S_OWN_LENGTH;
}

double hki_scalar_mirror(uint8_t what, const double *D) {
  const double det = D[0] * D[1] * D[2];
  if (what <= HK_S_Z) return D[what - HK_S_X];
  if (what >= HK_S_LOGX && what <= HK_S_LOGZ) return det * D[what - HK_S_LOGX];
  return hki_scalar_turns(what) ? det * D[2] : 1.0;
}

const char *hki_scalar_name(uint8_t what) {
  static const char *const names[HK_S_COUNT] = {
      [HK_S_X] = "position along x",
      [HK_S_Y] = "position along y",
      [HK_S_Z] = "position along z",
      [HK_S_XZ] = "axis perpendicular to x",
      [HK_S_YZ] = "axis perpendicular to y",
      [HK_S_RX] = "rotation about x",
      [HK_S_RY] = "rotation about y",
      [HK_S_RZ] = "rotation about z",
      [HK_S_LOGX] = "rotation about x",
      [HK_S_LOGY] = "rotation about y",
      [HK_S_LOGZ] = "rotation about z",
      [HK_S_AXIS2] = "angle between axis and axis2",
      [HK_S_SCREW] = "position along z against angle",
      [HK_S_DISTANCE] = "distance",
      [HK_S_LENGTH] = "length",
      [HK_S_TWIST] = "angle about z",
      [HK_S_ANGLE_A] = "angle about axis",
      [HK_S_ANGLE_B] = "angle about axis2",
      [HK_S_RIM] = "position of the rim on the plane",
      [HK_S_SLIP_X] = "slip along x",
      [HK_S_SLIP_Y] = "slip along y",
      [HK_S_EDGE] = "slip sideways",
      [HK_S_BALL_X] = "slip along x",
      [HK_S_BALL_Y] = "slip along y",
      [HK_S_BALL] = "position of the ball on the plane",
      [HK_S_ROUND_Z] = "slip along the cylinder",
      [HK_S_ROUND_T] = "slip around the cylinder",
      [HK_S_ROUND] = "position of the ball on the cylinder",
      [HK_S_ROUND_N] = "spin about the normal",
      [HK_S_FACE] = "distance of the face from the curve",
      [HK_S_FACE_T] = "slip along the curve",
      [HK_S_FACE_Z] = "slip across the curve",
      [HK_S_OUTLINE_T] = "slip along the curve",
      [HK_S_OUTLINE_Z] = "slip across the curve",
      [HK_S_ALONG_X] = "velocity along x",
      [HK_S_ALONG_Y] = "velocity along y",
      [HK_S_ALONG_Z] = "velocity along z",
      [HK_S_SPIN_X] = "angular velocity about x",
      [HK_S_SPIN_Y] = "angular velocity about y",
      [HK_S_SPIN_Z] = "angular velocity about z",
      [HK_S_TURN_X] = "angular velocity about x",
      [HK_S_TURN_Y] = "angular velocity about y",
      [HK_S_TURN_Z] = "angular velocity about z",
      [HK_S_OUTLINE] = "distance from the curve",
      [HK_S_OWN_LENGTH] = "a length",
      [HK_S_OWN_ANGLE] = "an angle",
  };
  return what < HK_S_COUNT ? names[what] : "";
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * pair.h: the scalar functions of two marker frames A and B from which the joints build both their
 * constraint rows and their measured coordinates. With a_i, b_i the axes of A and B in world axes,
 * d = pB - pA, u = vB - vA, w = wB - wA:
 *
 *   position    s    = a_k . d
 *               sd   = (a_k x d) . wA + a_k . u
 *               bias = a_k . (wA x (wA x d) - 2 wA x u)
 *   direction   s    = a . b
 *               sd   = (b x a) . w
 *               bias = a . (w x (w x b) + b x (wA x w))
 *   rotation    s    = component of the axial vector of A'B, a sum of direction terms
 *   angle       s    = atan2(n, c), n and c sums of direction terms
 *   length      s    = |d|
 *               sd   = d . u / s
 *               bias = (u . u - sd^2) / s
 *   log         s    = log(A'B)_k, component of the rotation vector in A axes (rotlog.h)
 *   rim, slip   rolling of a disc (rim.c)
 *   edge, ball, round   points that may not slip (contact.c)
 *   face        gap between a flat face and a curve (contact.c)
 *   along, spin, turn   parts of the relative velocity and angular velocity (contact.c)
 *   outline     gap between a roller and a curve (outline.c)
 *
 * Position and direction: the basic constraints of Haug, Computer-Aided Kinematics and Dynamics of
 * Mechanical Systems (1989), ch. 9, here with all derivatives in world axes at the marker origins.
 */
#ifndef HK_JOINTS_PAIR_H
#define HK_JOINTS_PAIR_H

#include "joints/joint.h"
#include "joints/rotlog.h"

/* Some scalars need numbers (`num`), which are the first members of the joint's parameters:
 *   AXIS2, ANGLE_A, ANGLE_B  sin psi, cos psi: axis2 is (sin psi, 0, cos psi) in B
 *   SCREW  lead, m/rad       DISTANCE  length, m       RIM, SLIP, BALL  radius, m
 *   ROUND  radius of the ball, radius of the cylinder, m
 *   OUTLINE, FACE  hk_outline_num, hk_face_num (outline.h) */
typedef enum hk_pair_kind {
  HK_S_X, /* position of B along x, y, z of A */
  HK_S_Y,
  HK_S_Z,
  HK_S_XZ, /* a_x . b_z, a_y . b_z */
  HK_S_YZ,
  HK_S_RX, /* axial vector of the relative rotation: zero when aligned (or half a turn apart) */
  HK_S_RY,
  HK_S_RZ,
  HK_S_LOGX, /* rotation vector of the relative rotation */
  HK_S_LOGY,
  HK_S_LOGZ,
  HK_S_AXIS2,    /* a_z . (axis2 of B) - cos psi */
  HK_S_SCREW,    /* position along z - lead * twist, in the nearest turn */
  HK_S_DISTANCE, /* |d| - given length */
  HK_S_LENGTH,   /* distance of the origins */
  HK_S_TWIST,    /* angle about z: twist of the swing-twist decomposition */
  HK_S_ANGLE_A,  /* universal: angle about z of A */
  HK_S_ANGLE_B,  /* universal: angle about axis2 of B */
  HK_S_RIM,      /* rolling: height of the rim's lowest point above the x-y plane of A */
  HK_S_SLIP_X,   /* rolling, rows on velocities: slip of that point along x, y of A */
  HK_S_SLIP_Y,
  HK_S_EDGE,   /* knife edge, row on velocities: B's origin sideways (contact.c) */
  HK_S_BALL_X, /* ball on the x-y plane of A, rows on velocities: slip along x, y of A */
  HK_S_BALL_Y,
  HK_S_BALL,    /* ... height of its lowest point */
  HK_S_ROUND_Z, /* ball on a cylinder about z of A, rows on velocities: slip along z, around it */
  HK_S_ROUND_T,
  HK_S_ROUND,   /* ... distance of its surface from that of the cylinder */
  HK_S_ROUND_N, /* ... angular velocity about the normal of the contact, without a value */
  HK_S_FACE,    /* cam: gap between a flat face of B and a convex curve (contact.c) */
  HK_S_FACE_T,  /* ... slip of the face on the curve, along the curve and across it */
  HK_S_FACE_Z,
  HK_S_OUTLINE_T, /* cam: slip of a roller or a point on its curve, along the curve and across it */
  HK_S_OUTLINE_Z,
  /* velocities without a value: of B's origin seen from A, along the axes of B; angular velocity of
   * B against A about the axes of A, and about those of B */
  HK_S_ALONG_X,
  HK_S_ALONG_Y,
  HK_S_ALONG_Z,
  HK_S_SPIN_X,
  HK_S_SPIN_Y,
  HK_S_SPIN_Z,
  HK_S_TURN_X,
  HK_S_TURN_Y,
  HK_S_TURN_Z,
  HK_S_OUTLINE,    /* cam: gap between a roller and a curve (outline.h) */
  HK_S_OWN_LENGTH, /* a row of a joint that a module brings, known by its functions alone */
  HK_S_OWN_ANGLE,
  HK_S_COUNT
} hk_pair_kind;

/* the rim of a disc about z of B, and its lowest point above the x-y plane of A (rim.c) */
typedef struct hk_rim {
  double n[3], b[3];   /* z of A, z of B */
  double c, s;         /* n . b, |n x b| */
  double e[3], rho[3]; /* unit vector from lowest point to centre; vector from centre to lowest */
  double slip[3];      /* velocity of the rim's lowest point relative to the plane */
  double e_dot[3];
} hk_rim;

/* true for angles, which count full turns */
static inline bool hki_scalar_turns(uint8_t what) {
  return what == HK_S_TWIST || what == HK_S_ANGLE_A || what == HK_S_ANGLE_B;
}

/* component of the rotation vector: 0, 1, 2; -1: not one */
static inline int hki_scalar_log(uint8_t what) {
  return what >= HK_S_LOGX && what <= HK_S_LOGZ ? what - HK_S_LOGX : -1;
}

/* Two frames and their relative motion. d is always set; w, wAw, u, g only with HK_LOOP_ACC; axes,
 * rotation vector and rim once a scalar needs them. */
typedef struct hk_pair {
  const double *num; /* numbers of its rows */
  const hk_frame *A, *B;
  bool have_axes, have_log, have_rim;
  double d[3];             /* pB - pA */
  double w[3], wAw[3];     /* wB - wA, wA x w */
  double u[3], g[3];       /* vB - vA, wA x (wA x d) - 2 wA x u */
  double a[3][3], b[3][3]; /* axes of A and B, world axes */
  double n[3], e[3];       /* universal: axis2 of B and the zero direction of its angle */
  hk_rotlog log;
  hk_rim rim;
} hk_pair;

static inline void hki_pair_begin(hk_pair *P, const double *num, const hk_frame *A,
                                  const hk_frame *B, uint32_t need) {
  P->num = num, P->A = A, P->B = B;
  P->have_axes = P->have_log = P->have_rim = false;
  v3_sub(P->d, B->p, A->p);
  if (need & HK_LOOP_ACC) {
    double t[3];
    v3_sub(P->w, B->w, A->w);
    v3_cross(P->wAw, A->w, P->w);
    v3_sub(P->u, B->v, A->v);
    v3_cross(t, A->w, P->d);
    v3_axpy(t, -2.0, P->u);
    v3_cross(P->g, A->w, t);
  }
}

/* weight * a . b, a an axis of A and b a direction of B */
typedef struct hk_term {
  double weight;
  const double *a, *b;
} hk_term;

/* a rotational scalar: the sum of the `num` terms (n_den = 0), or atan2(sum of num, sum of den) */
typedef struct hk_terms {
  int32_t n_num, n_den;
  hk_term num[2], den[2];
} hk_terms;

/* the terms of HK_S_XZ .. HK_S_RZ, HK_S_AXIS2, HK_S_SCREW (its twist) and the angles */
void hki_pair_terms(hk_pair *P, uint8_t what, hk_terms *T);

/* compute the axes, the rotation vector, unless already done */
void hki_pair_axes(hk_pair *P);
void hki_pair_log(hk_pair *P);

/* unit vector from A to B (x of A when they coincide); returns the distance */
double hki_pair_length(const hk_pair *P, double *n);

/* rim and contact point; slip and e_dot where `rates` (P was begun for accelerations) */
void hki_pair_rim(hk_pair *P, bool rates);
/* row i of `out`: slip along axis k of A; k = 2: the height, whose rate is the slip along z */
void hki_row_rim(hk_pair *P, int k, uint32_t need, int32_t i, hk_joint_loop *out);
/* adds to MA, MB the derivatives of the moment rho x F by the rotations of A and B; F: force at the
 * rim in world axes */
void hki_rim_geo(hk_pair *P, const double *F, double *MA, double *MB);
/* d (12) += derivative of gamma of the row along axis k of A */
void hki_rim_bias_geo(hk_pair *P, int k, double *d);

/* rows HK_S_EDGE to HK_S_TURN_Z: row i of `out`; H (12 x 12) += lam times the derivative of its
 * wrenches; d (12) += derivative of its gamma */
void hki_row_contact(hk_pair *P, uint8_t what, uint32_t need, int32_t i, hk_joint_loop *out);
void hki_contact_geo(hk_pair *P, uint8_t what, double lam, double *H);
void hki_contact_bias_geo(hk_pair *P, uint8_t what, double *d);
static inline bool hki_scalar_touches(uint8_t what) {
  return what >= HK_S_EDGE && what <= HK_S_TURN_Z;
}

/* below this sine of the angle between axis and normal a disc lies flat and has no lowest point */
#define HK_RIM_FLAT 1e-9
/* below this distance (m) a length has no direction; below this n^2 + c^2 an angle has no value */
#define HK_LENGTH_TINY 1e-14
#define HK_ANGLE_TINY  1e-24

#endif

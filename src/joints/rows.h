/* SPDX-License-Identifier: Apache-2.0
 *
 * rows.h: scalar functions of two marker frames A and B, from which the joints build both their
 * constraint rows and their measured coordinates. With a_i, b_i the axes of A and B in world axes,
 * d = pB - pA, u = vB - vA, w = wB - wA:
 *
 *   position    s = a_k . d         sd = (a_k x d) . wA + a_k . u
 *                                   bias = a_k . (wA x (wA x d) - 2 wA x u)
 *   direction   s = a . b           sd = (b x a) . w      bias = a . (w x (w x b) + b x (wA x w))
 *   rotation    axial vector of A'B, a combination of direction terms
 *   angle       s = atan2(n, c)     n, c combinations of direction terms, differentiated by the
 *               chain rule
 *   length      s = |d|             sd = d . u / s        bias = (u . u - sd^2) / s
 *   log         s = log(A'B)_k, the rotation vector in A axes (rotlog.h)
 *
 * Position and direction: the basic constraints of Haug, Computer-Aided Kinematics and Dynamics of
 * Mechanical Systems (1989), ch. 9, here with all derivatives in world axes at the marker origins.
 */
#ifndef HK_JOINTS_ROWS_H
#define HK_JOINTS_ROWS_H

#include "joints/joint.h"

typedef enum hk_scalar {
  HK_S_X, /* position of B along x, y, z of A */
  HK_S_Y,
  HK_S_Z,
  HK_S_XZ, /* x of A on z of B, y of A on z of B */
  HK_S_YZ,
  HK_S_RX, /* axial vector of the relative rotation: zero when aligned (or half a turn apart) */
  HK_S_RY,
  HK_S_RZ,
  HK_S_LOGX, /* rotation vector of the relative rotation */
  HK_S_LOGY,
  HK_S_LOGZ,
  HK_S_AXIS2,    /* z of A on axis2 of B, less cos psi */
  HK_S_SCREW,    /* position along z less lead times twist, in the nearest turn */
  HK_S_DISTANCE, /* length less the given one */
  HK_S_LENGTH,   /* distance of the origins */
  HK_S_TWIST,    /* angle about z: twist of the swing-twist decomposition */
  HK_S_ANGLE_A,  /* universal: angle about z of A */
  HK_S_ANGLE_B,  /* universal: angle about axis2 of B */
  HK_S_COUNT
} hk_scalar;

/* the n rows, their tangent, and one coordinate with its tangent */
void hki_rows_loop(const uint8_t *rows, int32_t n, const hk_joint_par *par, const hk_frame *A,
                   const hk_frame *B, uint32_t need, hk_joint_loop *out);
void hki_rows_geo(const uint8_t *rows, int32_t n, const hk_joint_par *par, const hk_frame *A,
                  const hk_frame *B, const double *lam, double *H);
void hki_rows_coord(uint8_t what, const hk_joint_par *par, const hk_frame *A, const hk_frame *B,
                    double s_near, hk_joint_coord *out);

/* q and v of a joint whose coordinates are all scalars */
void hki_rows_measure(const uint8_t *what, int32_t n, const hk_joint_par *par, const hk_frame *A,
                      const hk_frame *B, const double *q_near, double *q, double *v);

/* what a row says, for messages */
const char *hki_scalar_name(uint8_t what);

/* defines `loop` and `loop_geo` of a joint from the list of its rows */
#define HK_LOOP_FACE(rows)                                                                         \
  static void loop(const hk_joint_par *par, const hk_frame *A, const hk_frame *B, uint32_t need,   \
                   hk_joint_loop *out) {                                                           \
    hki_rows_loop(rows, HK_ARRAY_LEN(rows), par, A, B, need, out);                                 \
  }                                                                                                \
  static void loop_geo(const hk_joint_par *par, const hk_frame *A, const hk_frame *B,              \
                       const double *lam, double *H) {                                             \
    hki_rows_geo(rows, HK_ARRAY_LEN(rows), par, A, B, lam, H);                                     \
  }                                                                                                \
  _Static_assert(sizeof(rows) <= HK_JOINT_MAX, "too many rows")

/* defines `coord` and `coord_geo` from the list of scalar coordinates */
#define HK_COORD_FACE(scalars)                                                                     \
  static void coord(const hk_joint_par *par, int32_t k, const hk_frame *A, const hk_frame *B,      \
                    double s_near, hk_joint_coord *out) {                                          \
    hki_rows_coord(scalars[k], par, A, B, s_near, out);                                            \
  }                                                                                                \
  static void coord_geo(const hk_joint_par *par, int32_t k, const hk_frame *A, const hk_frame *B,  \
                        double *H) {                                                               \
    hki_rows_geo(scalars + k, 1, par, A, B, (const double[]){1.0}, H);                             \
  }                                                                                                \
  _Static_assert(sizeof(scalars) <= HK_JOINT_MAX, "too many coordinates")

/* defines `measure` of a joint whose coordinates are all scalars */
#define HK_MEASURE_FACE(scalars)                                                                   \
  static void measure(const hk_joint_par *par, const hk_frame *A, const hk_frame *B,               \
                      const double *q_near, double *q, double *v) {                                \
    hki_rows_measure(scalars, HK_ARRAY_LEN(scalars), par, A, B, q_near, q, v);                     \
  }                                                                                                \
  _Static_assert(sizeof(scalars) <= HK_JOINT_MAX, "too many coordinates")

#endif

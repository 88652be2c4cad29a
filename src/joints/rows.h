/* SPDX-License-Identifier: Apache-2.0
 *
 * rows.h: constraint rows and measured coordinates of the joints from lists of scalars (pair.h).
 * Position, direction and axial rows are inline, so that a list known at compile time becomes
 * straight code. Their gradients at A and B:
 *
 *   position     (a x d, -a)      (0, a)
 *   direction    (-m, 0)          (m, 0)        m = b x a
 */
#ifndef HK_JOINTS_ROWS_H
#define HK_JOINTS_ROWS_H

#include "joints/pair.h"

#if defined(__GNUC__) && !defined(__clang__)
#define HK_ROWS_UNROLL _Pragma("GCC unroll 6")
#else
#define HK_ROWS_UNROLL
#endif

/* --- rows ------------------------------------------------------------------------------------- */

/* row i: position along axis k of A */
HKI_INLINE void hki_row_position(const hk_pair *P, int k, uint32_t need, int32_t i,
                                 hk_joint_loop *out) {
  double a[3], *gA = out->GA + 6 * i, *gB = out->GB + 6 * i;
  m3_column(a, P->A->R, k);
  if (need & HK_LOOP_POS) out->phi[i] = v3_dot(a, P->d);
  if (need & HK_LOOP_JAC) {
    v3_cross(gA, a, P->d);
    v3_scale(gA + 3, -1.0, a);
    v3_zero(gB);
    v3_copy(gB + 3, a);
  }
  if (need & HK_LOOP_ACC) out->gamma[i] = v3_dot(a, P->g);
}

/* row i from value, rotational gradient and bias */
HKI_INLINE void hki_row_turn(double s, const double *m, double bias, uint32_t need, int32_t i,
                             hk_joint_loop *out) {
  double *gA = out->GA + 6 * i, *gB = out->GB + 6 * i;
  if (need & HK_LOOP_POS) out->phi[i] = s;
  if (need & HK_LOOP_JAC) {
    v3_scale(gA, -1.0, m);
    v3_zero(gA + 3);
    v3_copy(gB, m);
    v3_zero(gB + 3);
  }
  if (need & HK_LOOP_ACC) out->gamma[i] = bias;
}

/* bias of a . b: a . (w x (w x b) + b x (wA x w)) */
HKI_INLINE double hki_direction_bias(const hk_pair *P, const double *a, const double *b) {
  double x[3];
  v3_cross(x, P->w, b);
  v3_cross(x, P->w, x);
  v3_cross_add(x, b, P->wAw);
  return v3_dot(a, x);
}

/* row i: axis ka of A perpendicular to axis kb of B */
HKI_INLINE void hki_row_direction(const hk_pair *P, int ka, int kb, uint32_t need, int32_t i,
                                  hk_joint_loop *out) {
  double a[3], b[3], m[3], bias = 0.0;
  m3_column(a, P->A->R, ka);
  m3_column(b, P->B->R, kb);
  v3_cross(m, b, a);
  if (need & HK_LOOP_ACC) bias = hki_direction_bias(P, a, b);
  hki_row_turn(v3_dot(a, b), m, bias, need, i, out);
}

/* row i: component k of the axial vector, (a_l . b_j - a_j . b_l) / 2 with j, l = k+1, k+2 cyclic
 */
HKI_INLINE void hki_row_axial(const hk_pair *P, int k, uint32_t need, int32_t i,
                              hk_joint_loop *out) {
  int j = (k + 1) % 3, l = (k + 2) % 3;
  double aj[3], al[3], bj[3], bl[3], m[3], bias = 0.0;
  m3_column(aj, P->A->R, j);
  m3_column(al, P->A->R, l);
  m3_column(bj, P->B->R, j);
  m3_column(bl, P->B->R, l);
  v3_cross(m, bj, al);
  v3_cross_add(m, aj, bl);
  v3_scale(m, 0.5, m);
  if (need & HK_LOOP_ACC)
    bias = 0.5 * (hki_direction_bias(P, al, bj) - hki_direction_bias(P, aj, bl));
  hki_row_turn(0.5 * (v3_dot(al, bj) - v3_dot(aj, bl)), m, bias, need, i, out);
}

/* row i: any other scalar */
void hki_row_other(hk_pair *P, uint8_t what, uint32_t need, int32_t i, hk_joint_loop *out);

/* row i: any scalar */
HKI_INLINE void hki_row(hk_pair *P, uint8_t what, uint32_t need, int32_t i, hk_joint_loop *out) {
  if (what <= HK_S_Z)
    hki_row_position(P, what - HK_S_X, need, i, out);
  else if (what <= HK_S_YZ)
    hki_row_direction(P, what - HK_S_XZ, 2, need, i, out);
  else if (what <= HK_S_RZ)
    hki_row_axial(P, what - HK_S_RX, need, i, out);
  else
    hki_row_other(P, what, need, i, out);
}

HKI_INLINE void hki_rows_loop(const uint8_t *rows, int32_t n, const void *par, const hk_frame *A,
                              const hk_frame *B, uint32_t need, hk_joint_loop *out) {
  hk_pair P;
  hki_pair_begin(&P, par, A, B, need);
  HK_ROWS_UNROLL
  for (int32_t i = 0; i < n; i++) hki_row(&P, rows[i], need, i, out);
}

/* derivative of the constraint wrenches of the n rows */
void hki_rows_geo(const uint8_t *rows, int32_t n, const void *par, const hk_frame *A,
                  const hk_frame *B, const double *lam, double *H);

/* --- coordinates ------------------------------------------------------------------------------ */

/* one scalar as a coordinate; angles continue from s_near */
void hki_rows_coord(uint8_t what, const void *par, const hk_frame *A, const hk_frame *B,
                    double s_near, hk_joint_coord *out);

/* the value alone of HK_S_TWIST, to 0.005 rad, which is enough to count turns by: s_near of the state after it. a, b: axes
 * x and y of A and B in world axes */
double hki_rows_turn(double (*a)[3], double (*b)[3], double s_near);

/* q and v of a joint whose coordinates are all scalars */
void hki_rows_measure(const uint8_t *what, int32_t n, const void *par, const hk_frame *A,
                      const hk_frame *B, const double *q_near, double *q, double *v);

/* words for a scalar, for messages */
const char *hki_scalar_name(uint8_t what);

/* --- faces of a joint from lists of scalars --------------------------------------------------- */

/* defines `loop` and `loop_geo` of a joint from the list of its rows */
#define HK_LOOP_FACE(rows)                                                                         \
  static void loop(const void *par, const hk_frame *A, const hk_frame *B, uint32_t need,           \
                   hk_joint_loop *out) {                                                           \
    hki_rows_loop(rows, HK_ARRAY_LEN(rows), par, A, B, need, out);                                 \
  }                                                                                                \
  static void loop_geo(const void *par, const hk_frame *A, const hk_frame *B, const double *lam,   \
                       double *H) {                                                                \
    hki_rows_geo(rows, HK_ARRAY_LEN(rows), par, A, B, lam, H);                                     \
  }                                                                                                \
  _Static_assert(sizeof(rows) <= HK_JOINT_MAX, "too many rows")

/* defines `coord` and `coord_geo` from the list of scalar coordinates */
#define HK_COORD_FACE(scalars)                                                                     \
  static void coord(const void *par, int32_t k, const hk_frame *A, const hk_frame *B,              \
                    double s_near, hk_joint_coord *out) {                                          \
    hki_rows_coord(scalars[k], par, A, B, s_near, out);                                            \
  }                                                                                                \
  static void coord_geo(const void *par, int32_t k, const hk_frame *A, const hk_frame *B,          \
                        double *H) {                                                               \
    hki_rows_geo(scalars + k, 1, par, A, B, (const double[]){1.0}, H);                             \
  }                                                                                                \
  _Static_assert(sizeof(scalars) <= HK_JOINT_MAX, "too many coordinates")

/* defines `measure` of a joint whose coordinates are all scalars */
#define HK_MEASURE_FACE(scalars)                                                                   \
  static void measure(const void *par, const hk_frame *A, const hk_frame *B, const double *q_near, \
                      double *q, double *v) {                                                      \
    hki_rows_measure(scalars, HK_ARRAY_LEN(scalars), par, A, B, q_near, q, v);                     \
  }                                                                                                \
  _Static_assert(sizeof(scalars) <= HK_JOINT_MAX, "too many coordinates")

/* members of a joint's table: the loop face of the list `rows`; n coordinates, all scalars */
#define HK_OPS_LOOP .nc = HK_ARRAY_LEN(rows), .rows = rows, .loop = loop, .loop_geo = loop_geo
/* member of its friction: the motions of the list `slips` slide */
#define HK_FRICTION_SLIPS .slips = slips, .nslips = HK_ARRAY_LEN(slips)
#define HK_OPS_SCALARS(n)                                                                          \
  .nq = n, .nv = n, .ns = n, .scalars = scalars, .tree = tree, .plus = hki_plus_##n,               \
  .minus = hki_minus_##n, .coord = coord, .coord_geo = coord_geo, .measure = measure

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * line.h: the deformation of an element between two points, w = -B'f, tension positive; shared by
 * spring_damper and muscle. With d = pB - pA:
 *
 *   along the line of the ends          s = |d|       B = [0, -n', 0, n']           n = d/s
 *   `along` a, an axis of A             s = a . d     B = [(a x d)', -a', 0, a']
 *
 * Along an axis the line of action goes through the second end, so A also takes the moment
 * d x (f a), and the wrenches of both ends cancel.
 *
 * Ends at the same point have no line of action: force and rate are zero there, and an unstressed
 * spring has its stiffness in all directions.
 *
 * Source: Cuadrado and Dopico 2003, eqs. 28-34, with the signs above, plus the geometric term.
 */
#ifndef HK_ELEMENTS_LINE_H
#define HK_ELEMENTS_LINE_H

#include "elements/tangent.h"

/* shorter than this the line of action is undefined, m */
#define HK_LINE_SHORTEST 1e-12

typedef struct hk_line {
  double d[3], v[3]; /* pB - pA and its rate */
  double a[3];       /* direction of the force on A when in tension */
  double s, sd;
  bool along; /* an axis of A, not the line of the ends */
} hk_line;

/* axis: unit vector in marker A's axes; NULL: along the line of the ends */
HKI_INLINE void hki_line_eval(const double *axis, const hk_frame *A, const hk_frame *B,
                              hk_line *l) {
  v3_sub(l->d, B->p, A->p);
  v3_sub(l->v, B->v, A->v);
  l->along = axis != NULL;
  if (axis) {
    double r[3];
    m3_mulv(l->a, A->R, axis);
    l->s = v3_dot(l->a, l->d);
    v3_cross(r, l->a, l->d);
    l->sd = v3_dot(l->a, l->v) + v3_dot(A->w, r);
  } else {
    l->s = v3_norm(l->d);
    v3_scale(l->a, l->s > HK_LINE_SHORTEST ? 1.0 / l->s : 0.0, l->d);
    if (l->s <= HK_LINE_SHORTEST) v3_zero(l->a);
    l->sd = v3_dot(l->a, l->v);
  }
}

/* the row of B, and w = -B'f */
HKI_INLINE void hki_line_row(const hk_line *l, double f, double *B, double *w) {
  double m[3] = {0.0, 0.0, 0.0};
  if (l->along) v3_cross(m, l->a, l->d);
  for (int i = 0; i < 3; i++) {
    B[i] = m[i], B[3 + i] = -l->a[i], B[6 + i] = 0.0, B[9 + i] = l->a[i];
    w[i] = -f * m[i], w[3 + i] = f * l->a[i], w[6 + i] = 0.0, w[9 + i] = -f * l->a[i];
  }
}

/* exact K and C of the force f with the slopes ks and cs, from the row B; A: the first marker */
void hki_line_exact(const hk_line *l, const hk_frame *A, double f, double ks, double cs,
                    hk_element_out *out);

#endif

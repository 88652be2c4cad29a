/* SPDX-License-Identifier: Apache-2.0
 *
 * line.c: exact tangents of an element between two points, see line.h.
 */
#include "elements/line.h"

/* P = d(sdot)/dxi at fixed twists */
static void rate_row(const hk_frame *A, const hk_line *l, double *P) {
  v3_zero(P), v3_zero(P + 6), v3_zero(P + 9);
  if (l->along) {
    double r[3], q[3];
    v3_cross(P, l->a, l->v);
    v3_cross(r, l->d, A->w);
    v3_cross(q, l->a, r);
    v3_add(P, P, q);
    v3_cross(P + 9, A->w, l->a);
  } else if (l->s > HK_LINE_SHORTEST) {
    for (int i = 0; i < 3; i++) P[9 + i] = (l->v[i] - l->sd * l->a[i]) / l->s;
  }
  v3_scale(P + 3, -1.0, P + 9);
}

/* K += d(B'f)/dxi at fixed f */
static void geometric(const hk_line *l, double f, double ks, double *K) {
  double G[9];
  if (l->along) {
    // moment a x d on A, force a: d(a x d) = [d][a] th + [a](dpB - dpA), da = -[a] th
    double D[9], S[9];
    m3_skew(D, l->d), m3_skew(S, l->a);
    m3_mul(G, D, S);
    hki_add_block(K, 0, 0, f, G);
    hki_add_skew(K, 0, 9, f, l->a);
    hki_add_skew(K, 0, 3, -f, l->a);
    hki_add_skew(K, 3, 0, f, l->a);
    hki_add_skew(K, 9, 0, -f, l->a);
    return;
  }
  // f/s (I - n n'); at length 0 the limit for an unstressed spring
  bool apart = l->s > HK_LINE_SHORTEST;
  double g = apart ? f / l->s : fabs(f) <= 2.0 * fabs(ks) * HK_LINE_SHORTEST ? ks : 0.0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) G[3 * i + j] = g * ((i == j) - l->a[i] * l->a[j]);
  hki_add_block(K, 3, 3, 1.0, G);
  hki_add_block(K, 9, 9, 1.0, G);
  hki_add_block(K, 3, 9, -1.0, G);
  hki_add_block(K, 9, 3, -1.0, G);
}

void hki_line_exact(const hk_line *l, const hk_frame *A, double f, double ks, double cs,
                    hk_element_out *out) {
  double P[HK_BS];
  rate_row(A, l, P);
  hki_tangent_material(1, 12, out->B, P, &ks, &cs, out->K, out->C);
  geometric(l, f, ks, out->K);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * pose.c: the pose of one marker seen from another, in axes of either or half-way; see pose.h.
 *
 * In axes of the second marker it is minus the pose of the first seen from the second: the routines of
 * relative.h with the markers exchanged.
 */
#include "elements/pose.h"

#include "elements/tangent.h"

void hki_pose(hk_reference reference, const hk_frame *m, const double *near, hk_pose *out) {
  out->reference = reference;
  if (reference == HK_REFERENCE_MIDDLE) {
    hki_pair(m, near, &out->p);
    v3_copy(out->s, out->p.x), v3_copy(out->s + 3, out->p.th);
    v3_copy(out->sd, out->p.xd), v3_copy(out->sd + 3, out->p.thd);
  } else if (reference == HK_REFERENCE_FIRST) {
    hki_relative(&m[0], &m[1], near, &out->r);
    s6_copy(out->s, out->r.s), s6_copy(out->sd, out->r.sd);
  } else {
    double back[3];
    if (near) v3_scale(back, -1.0, near);
    hki_relative(&m[1], &m[0], near ? back : NULL, &out->r);
    for (int i = 0; i < 6; i++) out->s[i] = -out->r.s[i], out->sd[i] = -out->r.sd[i];
  }
}

/* -B'f on marker A, from which the other is seen, and on B */
static void relative_wrench(const hk_relative *r, const hk_frame *A, const double *f, double *wA,
                            double *wB) {
  double g[3], F[3], G[3];
  m3_mulv(F, A->R, f);
  m3_tmulv(g, r->L, f + 3);
  m3_mulv(G, A->R, g);
  v3_cross(wA, r->d, F);
  v3_add(wA, wA, G);
  v3_copy(wA + 3, F);
  v3_scale(wB, -1.0, G);
  v3_scale(wB + 3, -1.0, F);
}

/* forces of the pose seen from the second marker */
static void negative(const double *f, double *back) {
  for (int i = 0; i < 6; i++) back[i] = -f[i];
}

void hki_pose_wrench(const hk_pose *p, const hk_frame *m, const double *f, double *w) {
  double back[6];
  switch (p->reference) {
    case HK_REFERENCE_FIRST:
      relative_wrench(&p->r, &m[0], f, w, w + 6);
      break;
    case HK_REFERENCE_SECOND:
      negative(f, back);
      relative_wrench(&p->r, &m[1], back, w + 6, w);
      break;
    default:
      hki_pair_wrench(&p->p, f + 3, f, w);
      break;
  }
}

/* X = -X, with the columns of both markers exchanged */
static void turn_over(double *X) {
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      double *a = X + HK_BS * i + j, *b = a + 6, t = *a;
      *a = -*b, *b = -t;
    }
}

void hki_pose_rows(hk_pose *p, const hk_frame *m, double *B, double *P) {
  switch (p->reference) {
    case HK_REFERENCE_FIRST:
      hki_relative_rows(&p->r, &m[0], B, P);
      break;
    case HK_REFERENCE_SECOND:
      hki_relative_rows(&p->r, &m[1], B, P);
      turn_over(B);
      if (P) turn_over(P);
      break;
    default:
      hki_pair_rows_of(&p->p, &p->rows);
      memcpy(B, p->rows.x, sizeof p->rows.x);
      memcpy(B + 3 * HK_BS, p->rows.th, sizeof p->rows.th);
      if (P) hki_pair_rate_rows(&p->p, &p->rows, P + 3 * HK_BS, P);
      break;
  }
}

void hki_pose_geometric(const hk_pose *p, const hk_frame *m, const double *f, double *K) {
  double X[HK_BS * HK_BS] = {0}, back[6];
  switch (p->reference) {
    case HK_REFERENCE_FIRST:
      hki_relative_geometric(&p->r, &m[0], f, K);
      break;
    case HK_REFERENCE_SECOND:
      negative(f, back);
      hki_relative_geometric(&p->r, &m[1], back, X);
      for (int i = 0; i < HK_BS; i++)
        for (int j = 0; j < HK_BS; j++)
          K[HK_BS * i + j] += X[HK_BS * ((i + 6) % 12) + (j + 6) % 12];
      break;
    default:
      hki_pair_geometric(&p->p, &p->rows, f + 3, f, NULL, NULL, K);
      break;
  }
}

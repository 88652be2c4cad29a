/* SPDX-License-Identifier: Apache-2.0
 *
 * map.c: the map from coordinates to poses, forwards and transposed (equations in points.h).
 */
#include "machines/points/points.h"

void hki_points_pose(const hk_points *n, int32_t body, const double *q, bool rate, double *X) {
  const hk_points_map *m = &n->map[body];
  const int32_t size = n->planar ? 4 : 12;
  if (rate)
    memset(X, 0, (size_t)size * sizeof *X);
  else
    memcpy(X, m->K, (size_t)size * sizeof *X);
  for (int32_t i = 0; i < m->nblk; i++) {
    const double *e = q + n->d * m->blk[i], *C = m->C + 4 * i;
    if (n->planar) {
      for (int k = 0; k < 4; k += 2) {
        X[k] += C[k] * e[0] - C[k + 1] * e[1];
        X[k + 1] += C[k] * e[1] + C[k + 1] * e[0];
      }
    } else {
      for (int k = 0; k < 4; k++)
        for (int j = 0; j < 3; j++) X[3 * k + j] += C[k] * e[j];
    }
  }
}

void hki_points_pull(const hk_points *n, const double *X, const double *at, const double *w,
                     double *F) {
  const double *f = w + 3;
  if (n->planar) {
    double z[3], p[3], m = 0.0;
    m3_tmulv(z, n->E, at);
    m3_tmulv(p, n->E, f);
    for (int i = 0; i < 3; i++) m += n->E[3 * i + 2] * w[i];
    F[0] = p[0], F[1] = p[1];
    F[2] = z[0] * p[0] + z[1] * p[1] - m * X[3];
    F[3] = z[0] * p[1] - z[1] * p[0] + m * X[2];
    return;
  }
  for (int k = 0; k < 3; k++) {
    const double *u = X + 3 * k;
    double *Fk = F + 3 * k, half[3];
    v3_scale(half, 0.5, w);
    v3_cross(Fk, half, u);
    v3_axpy(Fk, at[k], f);
  }
  v3_copy(F + 9, f);
}

void hki_points_enter(hk_points *n, const hk_points_clique *q) {
  for (int32_t i = 0; i < q->nblk; i++) n->pos[q->blk[i]] = i;
}

void hki_points_scatter(const hk_points *n, int32_t body, const double *F, double *g) {
  const hk_points_map *m = &n->map[body];
  for (int32_t i = 0; i < m->nblk; i++) {
    const double *C = m->C + 4 * i;
    double *e = g + n->d * n->pos[m->blk[i]];
    if (n->planar) {
      e[0] += C[0] * F[0] + C[1] * F[1] + C[2] * F[2] + C[3] * F[3];
      e[1] += C[0] * F[1] - C[1] * F[0] + C[2] * F[3] - C[3] * F[2];
    } else {
      for (int j = 0; j < 3; j++)
        e[j] += C[0] * F[j] + C[1] * F[3 + j] + C[2] * F[6 + j] + C[3] * F[9 + j];
    }
  }
}

void hki_points_marker(const hk_points *n, int32_t body, const hk_offset *o, hk_frame *F) {
  if (body == HK_GROUND) {
    hki_kin_marker(&n->it, body, o, F);
    return;
  }
  const hk_frame *b = &n->it.frame[body];
  const double *Xd = n->Xd + 12 * body;
  double r[3];
  m3_mul(F->R, b->R, o->R);
  m3_mulv(r, b->R, o->p);
  v3_add(F->p, b->p, r);
  v3_copy(F->w, b->w);
  v3_copy(F->v, b->v);
  if (n->planar) {
    double z[3], v[3] = {0, 0, 0};
    m3_tmulv(z, n->E, o->p);
    v[0] = Xd[2] * z[0] - Xd[3] * z[1];
    v[1] = Xd[2] * z[1] + Xd[3] * z[0];
    m3_mulv(r, n->E, v);
    v3_add(F->v, F->v, r);
  } else {
    for (int k = 0; k < 3; k++) v3_axpy(F->v, o->p[k], Xd + 3 * k);
  }
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * linear.c: linear forms in the coordinates while a machine is created: sum over blocks e of
 * c e + k. In planar models the factors c are complex numbers, and so are blocks and k.
 */
#include "machines/points/build.h"

/* factors below this times the largest are round-off */
#define CLEAN 1e-13

void hki_lin_zero(points_lin *l) {
  l->n = 0;
  v3_zero(l->k);
}

void hki_lin_block(points_lin *l, int32_t blk, double re, double im) {
  int32_t i = 0;
  while (i < l->n && l->blk[i] != blk) i++;
  if (i == l->n) {
    // four carriers of at most five blocks each, two bodies: HK_POINTS_LIN is never reached
    if (l->n == HK_POINTS_LIN) return;
    l->blk[l->n] = blk;
    l->c[l->n][0] = l->c[l->n][1] = 0.0;
    l->n++;
  }
  l->c[i][0] += re;
  l->c[i][1] += im;
}

void hki_lin_add(const hk_points *n, points_lin *l, double re, double im, const points_lin *other) {
  for (int32_t i = 0; i < other->n; i++) {
    const double *c = other->c[i];
    hki_lin_block(l, other->blk[i], re * c[0] - im * c[1], re * c[1] + im * c[0]);
  }
  if (n->planar) {
    l->k[0] += re * other->k[0] - im * other->k[1];
    l->k[1] += re * other->k[1] + im * other->k[0];
  } else {
    v3_axpy(l->k, re, other->k);
  }
}

void hki_points_local(const hk_points *n, const double *x, double *z) {
  if (n->planar)
    m3_tmulv(z, n->E, x);
  else
    v3_copy(z, x);
}

void hki_lin_fixed(const hk_points *n, points_lin *l, const double *x) {
  hki_lin_zero(l);
  hki_points_local(n, x, l->k);
  if (n->planar) l->k[2] = 0.0;
}

static void clean(points_lin *l) {
  double top = 0.0;
  int32_t kept = 0;
  for (int32_t i = 0; i < l->n; i++) top = fmax(top, hypot(l->c[i][0], l->c[i][1]));
  for (int32_t i = 0; i < l->n; i++) {
    for (int j = 0; j < 2; j++)
      if (fabs(l->c[i][j]) <= CLEAN * top) l->c[i][j] = 0.0;
    if (l->c[i][0] == 0.0 && l->c[i][1] == 0.0) continue;
    l->blk[kept] = l->blk[i];
    memcpy(l->c[kept++], l->c[i], sizeof l->c[i]);
  }
  l->n = kept;
}

/* l = r h[3] + [u v w] h for a body; h: body axes, h[3] = 1 for points and 0 for directions */
static void body_form(const hk_points *n, int32_t body, const double *h, points_lin *l) {
  const hk_points_map *m = &n->map[body];
  double z[3];
  hki_lin_zero(l);
  hki_points_local(n, h, z);
  for (int32_t i = 0; i < m->nblk; i++) {
    const double *C = m->C + 4 * i;
    if (n->planar)
      hki_lin_block(l, m->blk[i], h[3] * C[0] + C[2] * z[0] - C[3] * z[1],
                    h[3] * C[1] + C[2] * z[1] + C[3] * z[0]);
    else
      hki_lin_block(l, m->blk[i], C[0] * z[0] + C[1] * z[1] + C[2] * z[2] + C[3] * h[3], 0.0);
  }
  if (n->planar) {
    l->k[0] = h[3] * m->K[0] + m->K[2] * z[0] - m->K[3] * z[1];
    l->k[1] = h[3] * m->K[1] + m->K[2] * z[1] + m->K[3] * z[0];
  } else {
    for (int k = 0; k < 3; k++) v3_axpy(l->k, z[k], m->K + 3 * k);
    v3_axpy(l->k, h[3], m->K + 9);
  }
  clean(l);
}

void hki_lin_point(const hk_points *n, int32_t body, const double *x, points_lin *l) {
  const double h[4] = {x[0], x[1], x[2], 1.0};
  if (body == HK_GROUND)
    hki_lin_fixed(n, l, x);
  else
    body_form(n, body, h, l);
}

void hki_lin_direction(const hk_points *n, int32_t body, const double *x, points_lin *l) {
  const double h[4] = {x[0], x[1], x[2], 0.0};
  if (body == HK_GROUND)
    hki_lin_fixed(n, l, x);
  else
    body_form(n, body, h, l);
}

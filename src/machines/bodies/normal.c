/* SPDX-License-Identifier: Apache-2.0
 *
 * normal.c: what presses the surfaces of joints together (machines/friction/normal.h), by the
 * multipliers of the joint's own rows:
 *
 *   N         = |P f|,   f = sum of lam_r g_r      g_r: force of row r on one of the two bodies
 *   dN/dlam_r = n . g_r,   n = P f/|P f|           P: components that press, in A axes
 *   stop        N = |lam|/lever                    lam: multiplier of its own row
 */
#include "machines/bodies/bodies.h"

/* force of row r of a set per unit of its multiplier, world axes */
static void row_force(const hk_bodies *c, const hk_bodies_set *s, int32_t r, double *g) {
  const int side = s->body[1] != HK_GROUND;
  const double *G = c->G + (size_t)(2 * (s->row0 + r) + side) * (size_t)c->nd;
  if (c->planar)
    for (int i = 0; i < 3; i++) g[i] = c->E[3 * i] * G[1] + c->E[3 * i + 1] * G[2];
  else
    v3_copy(g, G + 3);
}

/* the pressing part of the force of number i, in world axes; returns its length */
static double pressing(const hk_bodies *c, int32_t i, const double *lam, double *f) {
  const hk_normal *n = &c->m->normals[i];
  const hk_model_joint *j = &c->m->joints[n->joint];
  hk_frame A;
  double x[3], g[3];
  v3_zero(f);
  if (c->normal[i] == HK_NONE) return 0.0;
  const hk_bodies_set *s = &c->set[c->normal[i]];
  if (!hki_bodies_active(c, s)) return 0.0;
  for (int32_t r = 0; r < s->nrows; r++) {
    row_force(c, s, r, g);
    v3_axpy(f, lam[s->row0 + r], g);
  }
  hki_kin_marker(&c->it, j->mbody[0], &j->marker[0], &A);
  m3_tmulv(x, A.R, f);
  for (int k = 0; k < 3; k++)
    if (!(n->press >> k & 1u)) x[k] = 0.0;
  m3_mulv(f, A.R, x);
  return v3_norm(x);
}

/* the force of a rigid stop; *slope by its own multiplier */
static double stop_force(const hk_bodies *c, int32_t i, const double *lam, double *slope) {
  *slope = 0.0;
  if (c->normal[i] == HK_NONE || !hki_bodies_active(c, &c->set[c->normal[i]])) return 0.0;
  return hki_normal_of_stop(&c->m->normals[i], lam[c->set[c->normal[i]].row0], slope);
}

void hki_bodies_normals(const hk_bodies *c, const double *lam, double *N) {
  for (int32_t i = 0; i < c->m->nnormal; i++) {
    double f[3];
    N[i] = c->m->normals[i].closure == HK_NONE ? pressing(c, i, lam, f) : stop_force(c, i, lam, f);
  }
}

const hk_bodies_set *hki_bodies_normal_slopes(const hk_bodies *c, int32_t i, const double *lam,
                                              double *dN) {
  double f[3], g[3];
  const bool stop = c->m->normals[i].closure != HK_NONE;
  const double N = stop ? stop_force(c, i, lam, dN) : pressing(c, i, lam, f);
  if (!(N > 0.0)) return NULL;
  const hk_bodies_set *s = &c->set[c->normal[i]];
  if (stop) return s;
  for (int32_t r = 0; r < s->nrows; r++) {
    row_force(c, s, r, g);
    dN[r] = v3_dot(f, g) / N;
  }
  return s;
}

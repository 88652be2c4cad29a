/* SPDX-License-Identifier: Apache-2.0
 *
 * normal.c: what presses the surfaces of joints together (machines/friction/normal.h), by the
 * multipliers of the joint's own rows:
 *
 *   N         = |P w|,   w = sum of lam_r g_r      g_r: wrench of row r on one of the two bodies, about
 *                                                  B's origin; moments over the radius
 *   dN/dlam_r = n . g_r,   n = P w/|P w|           P: components that press, in A axes
 *   stop        N = |lam|/lever                    lam: multiplier of its own row
 */
#include "machines/bodies/bodies.h"

/* force of row r of a set per unit of its multiplier, world axes */
static void row_force(const hk_bodies *c, const hk_bodies_set *s, int32_t r, double *g) {
  const int side = s->body[1] != HK_GROUND;
  const int32_t line = hki_bodies_line(s, s->row0 + r);
  const double *G = c->G + (size_t)(2 * line + side) * (size_t)c->nd;
  if (c->planar)
    for (int i = 0; i < 3; i++) g[i] = c->E[3 * i] * G[1] + c->E[3 * i + 1] * G[2];
  else
    v3_copy(g, G + 3);
}

/* wrenches (nrows x 6) of the rows of a set about B's origin per unit of their multipliers, of those that press;
 * where no moment does, the moments are left out */
static void row_wrenches(const hk_bodies *c, const hk_normal *n, const hk_bodies_set *s,
                         double *g) {
  const bool turns = hki_press_turns(n->press);
  hk_joint_loop L;
  hk_frame F[2];
  double rt[6];
  if (turns) hki_bodies_set_frames(c, s, F);
  if (turns) hki_kin_loop(&c->it, s->joint, s->ops, s->par, F, HK_LOOP_JAC, &L, rt);
  for (int32_t r = 0; r < s->nrows; r++) {
    s6_zero(g + 6 * r);
    if (n->rows && !(n->rows >> s->rows[r] & 1u)) continue;
    if (turns)
      s6_copy(g + 6 * r, L.GB + 6 * s->rows[r]);
    else
      row_force(c, s, r, g + 6 * r + 3);
  }
}

/* The wrench of number i at the multipliers lam, from g (row_wrenches): its pressing part, as the twist p
 * with dN = p . dw/N; returns N. */
static double pressing(const hk_bodies *c, int32_t i, const double *lam, double *g, double *p) {
  const hk_normal *n = &c->m->normals[i];
  const hk_model_joint *j = &c->m->joints[n->joint];
  hk_frame A, B;
  double x[3], N2;
  s6_zero(p);
  if (c->normal[i] == HK_NONE) return 0.0;
  const hk_bodies_set *s = &c->set[c->normal[i]];
  if (!hki_bodies_active(c, s)) return 0.0;
  row_wrenches(c, n, s, g);
  for (int32_t r = 0; r < s->nrows; r++) s6_axpy(p, lam[s->row0 + r], g + 6 * r);
  hki_kin_marker(&c->it, j->mbody[0], &j->marker[0], &A);
  m3_tmulv(x, A.R, p + 3);
  for (int k = 0; k < 3; k++)
    if (!(n->press >> k & 1u)) x[k] = 0.0;
  m3_mulv(p + 3, A.R, x);
  N2 = v3_dot(x, x);
  if (!hki_press_turns(n->press)) return sqrt(N2);
  hki_kin_marker(&c->it, j->mbody[1], &j->marker[1], &B);
  N2 += hki_press_moment(n->press, n->arm, &A, &B, p);
  return sqrt(N2);
}

/* the force of a rigid stop; *slope by its own multiplier */
static double stop_force(const hk_bodies *c, int32_t i, const double *lam, double *slope) {
  *slope = 0.0;
  if (c->normal[i] == HK_NONE || !hki_bodies_active(c, &c->set[c->normal[i]])) return 0.0;
  return hki_normal_of_stop(&c->m->normals[i], lam[c->set[c->normal[i]].row0], slope);
}

void hki_bodies_normals(const hk_bodies *c, const double *lam, double *N) {
  for (int32_t i = 0; i < c->m->nnormal; i++) {
    double g[6 * HK_JOINT_MAX], p[6];
    const bool stop = c->m->normals[i].closure != HK_NONE;
    N[i] = stop ? stop_force(c, i, lam, p) : pressing(c, i, lam, g, p);
  }
}

const hk_bodies_set *hki_bodies_normal_slopes(const hk_bodies *c, int32_t i, const double *lam,
                                              double *dN) {
  double g[6 * HK_JOINT_MAX], p[6];
  const bool stop = c->m->normals[i].closure != HK_NONE;
  const double N = stop ? stop_force(c, i, lam, dN) : pressing(c, i, lam, g, p);
  if (!(N > 0.0)) return NULL;
  const hk_bodies_set *s = &c->set[c->normal[i]];
  if (stop) return s;
  for (int32_t r = 0; r < s->nrows; r++) dN[r] = s6_dot(p, g + 6 * r) / N;
  return s;
}

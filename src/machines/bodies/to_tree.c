/* SPDX-License-Identifier: Apache-2.0
 *
 * to_tree.c: Cartesian coordinates from the coordinates of the tree, and back. On the way back each
 * tree joint measures its coordinates between its two markers (hki_kin_measure).
 */
#include "machines/bodies/bodies.h"

void hki_bodies_from_tree(hk_bodies *c, const double *qt, const double *vt, double *q, double *v) {
  hk_kin *k = &c->it;
  k->t_cap = INFINITY;
  hki_kin_state(k, 0.0, qt, vt);
  for (int32_t b = 0; b < c->m->nb; b++) {
    const hk_frame *f = &k->frame[b];
    const int32_t i = c->q0[b], at = c->v0[b];
    const bool turns = !c->lack[b];
    if (c->planar) {
      const double *n = c->m->spec->normal;
      double p[3], u[3], e[3], d[3];
      // angle by which the first axis of the plane has turned
      m3_column(e, c->E, 0);
      m3_mulv(d, f->R, e);
      m3_tmulv(u, c->E, d);
      if (turns) q[i] = atan2(u[1], u[0]), v[at] = v3_dot(f->w, n);
      m3_tmulv(p, c->E, f->p);
      q[i + 1] = p[0], q[i + 2] = p[1];
      m3_tmulv(u, c->E, f->v);
      v[at + 1] = u[0], v[at + 2] = u[1];
    } else {
      if (turns) quat_from_rot(q + i, f->R), m3_tmulv(v + at, f->R, f->w);
      v3_copy(q + i + 4, f->p);
      v3_copy(v + at + 3, f->v);
    }
  }
  for (int32_t i = 0; i < c->nx; i++) {
    q[c->nq - c->nx + i] = 0.0;
    v[c->nb + i] = vt[c->m->nv + i];
  }
  memcpy(c->qlast, qt, (size_t)c->m->nq * sizeof *qt);
}

/* marker frame F and its acceleration acc (6), world axes; needs c->acc */
static void moving_marker(const hk_bodies *c, int32_t body, const hk_offset *o, hk_frame *F,
                          double *acc) {
  double r[3], u[3];
  hki_kin_marker(&c->it, body, o, F);
  if (body == HK_GROUND) {
    s6_zero(acc);
    return;
  }
  const hk_frame *f = &c->it.frame[body];
  const double *A = c->acc + 6 * body;
  s6_copy(acc, A);
  v3_sub(r, F->p, f->p);
  v3_cross_add(acc + 3, A, r);
  v3_sub(u, F->v, f->v);
  v3_cross_add(acc + 3, f->w, u);
}

void hki_bodies_to_tree(hk_bodies *c, const double *q, const double *v, const double *a, double *qt,
                        double *vt, double *at) {
  const hk_model *m = c->m;
  hki_bodies_state(c, c->it.t, q, v);
  for (int32_t b = 0; b < m->nb; b++) hki_bodies_acceleration(c, a, b, c->acc + 6 * b);
  for (int32_t b = 0; b < m->nb; b++) {
    const hk_model_body *mb = &m->bodies[b];
    double aA[6], aB[6];
    hk_frame A, B;
    if (!mb->nv) continue;
    moving_marker(c, mb->parent, &mb->on_parent, &A, aA);
    moving_marker(c, b, &mb->on_child, &B, aB);
    hki_kin_measure(m, b, &A, &B, aA, aB, c->qlast, qt, vt, at);
  }
  for (int32_t i = 0; i < c->nx; i++) vt[m->nv + i] = v[c->nb + i], at[m->nv + i] = a[c->nb + i];
}

void hki_bodies_settle(hk_bodies *c, double t, const double *q, const double *v, const double *a) {
  hk_kin *k = &c->kin;
  hki_bodies_to_tree(c, q, v, a, c->qt, c->vt, c->at);
  memcpy(c->qlast, c->qt, (size_t)c->m->nq * sizeof *c->qt);
  hki_kin_state(k, t, c->qt, c->vt);
  if (c->nx) hki_kin_unknowns(k, c->vt + c->m->nv, c->at + c->m->nv);
  if (c->m->spec->nsignals) hki_kin_signals(k, false);
  hki_kin_closures(k);
  hki_kin_closure_bias(k);
}

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
    if (c->planar) {
      const double *n = c->m->spec->normal;
      double *x = q + 3 * b, *y = v + 3 * b, p[3], u[3], e[3], d[3];
      // angle by which the first axis of the plane has turned
      m3_column(e, c->E, 0);
      m3_mulv(d, f->R, e);
      m3_tmulv(u, c->E, d);
      x[0] = atan2(u[1], u[0]);
      m3_tmulv(p, c->E, f->p);
      x[1] = p[0], x[2] = p[1];
      m3_tmulv(u, c->E, f->v);
      y[0] = v3_dot(f->w, n), y[1] = u[0], y[2] = u[1];
    } else {
      quat_from_rot(q + 7 * b, f->R);
      v3_copy(q + 7 * b + 4, f->p);
      m3_tmulv(v + 6 * b, f->R, f->w);
      v3_copy(v + 6 * b + 3, f->v);
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

/* c->acc: accelerations of all bodies in world axes */
static void body_accelerations(hk_bodies *c, const double *a) {
  for (int32_t b = 0; b < c->m->nb; b++) {
    double *A = c->acc + 6 * b;
    if (c->planar) {
      double x[3] = {a[3 * b + 1], a[3 * b + 2], 0.0};
      v3_scale(A, a[3 * b], c->m->spec->normal);
      m3_mulv(A + 3, c->E, x);
    } else {
      m3_mulv(A, c->it.frame[b].R, a + 6 * b);
      v3_copy(A + 3, a + 6 * b + 3);
    }
  }
}

void hki_bodies_to_tree(hk_bodies *c, const double *q, const double *v, const double *a, double *qt,
                        double *vt, double *at) {
  const hk_model *m = c->m;
  hki_bodies_state(c, c->it.t, q, v);
  body_accelerations(c, a);
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

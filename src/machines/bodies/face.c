/* SPDX-License-Identifier: Apache-2.0
 *
 * face.c: entries of a formulation's table that all formulations in Cartesian coordinates share.
 */
#include "machines/bodies/bodies.h"
#include "geometry/chart.h"

static hk_bodies *bodies_of(const hk_formulation *f) { return f->shared; }

hk_kin *hki_bodies_face_kin(hk_formulation *f) { return &bodies_of(f)->kin; }

void hki_bodies_face_dims(const hk_formulation *f, hk_dims *d) {
  const hk_bodies *c = bodies_of(f);
  *d = (hk_dims){.nq = c->nq, .nv = c->n, .nx = c->nx, .unit = c->net.unit, .root = c->net.root};
  for (int32_t i = 0; i < c->nset; i++)
    if (!c->set[i].part && hki_bodies_active(c, &c->set[i])) d->nl += c->set[i].nrows;
}

void hki_bodies_face_plus(const hk_formulation *f, const double *q, const double *d,
                          double *q_out) {
  hki_bodies_plus(bodies_of(f), q, d, q_out);
}

void hki_bodies_face_minus(const hk_formulation *f, const double *q1, const double *q0, double *d) {
  hki_bodies_minus(bodies_of(f), q1, q0, d);
}

void hki_bodies_face_chart_velocity(const hk_formulation *f, const double *D, const double *w,
                                    double *v) {
  const hk_bodies *c = bodies_of(f);
  if (v != w) memcpy(v, w, (size_t)c->n * sizeof *v);
  for (int32_t b = 0; !c->planar && b < c->m->nb; b++) {
    const int32_t at = c->v0[b];
    if (!c->lack[b]) chart_push(D + at, w + at, v + at);
  }
}

hk_status hki_bodies_face_from_tree(hk_formulation *f, const double *qt, const double *vt,
                                    double *q, double *v) {
  hki_bodies_from_tree(bodies_of(f), qt, vt, q, v);
  return HK_OK;
}

hk_status hki_bodies_face_to_tree(hk_formulation *f, const double *q, const double *v,
                                  const double *a, double *qt, double *vt, double *at) {
  hki_bodies_to_tree(bodies_of(f), q, v, a, qt, vt, at);
  return HK_OK;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * cart_face.c: entries of the table of a formulation that are the same for all in Cartesian
 * coordinates.
 */
#include "formulations/cartesian/cart.h"
#include "geometry/chart.h"

static hk_cart *cart_of(const hk_formulation *f) { return f->shared; }

hk_kin *hki_cart_face_kin(hk_formulation *f) { return &cart_of(f)->kin; }

void hki_cart_face_dims(const hk_formulation *f, hk_dims *d) {
  const hk_cart *c = cart_of(f);
  *d = (hk_dims){c->nq, c->n, 0};
  for (int32_t i = 0; i < c->nset; i++)
    if (hki_cart_active(c, &c->set[i])) d->nl += c->set[i].nrows;
}

void hki_cart_face_plus(const hk_formulation *f, const double *q, const double *d, double *q_out) {
  hki_cart_plus(cart_of(f), q, d, q_out);
}

void hki_cart_face_minus(const hk_formulation *f, const double *q1, const double *q0, double *d) {
  hki_cart_minus(cart_of(f), q1, q0, d);
}

void hki_cart_face_chart_velocity(const hk_formulation *f, const double *D, const double *w,
                                  double *v) {
  const hk_cart *c = cart_of(f);
  if (v != w) memcpy(v, w, (size_t)c->n * sizeof *v);
  for (int32_t b = 0; !c->planar && b < c->m->nb; b++) chart_push(D + 6 * b, w + 6 * b, v + 6 * b);
}

hk_status hki_cart_face_from_tree(hk_formulation *f, const double *qt, const double *vt, double *q,
                                  double *v) {
  hki_cart_from_tree(cart_of(f), qt, vt, q, v);
  return HK_OK;
}

hk_status hki_cart_face_to_tree(hk_formulation *f, const double *q, const double *v,
                                const double *a, double *qt, double *vt, double *at) {
  hki_cart_to_tree(cart_of(f), q, v, a, qt, vt, at);
  return HK_OK;
}

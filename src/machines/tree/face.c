/* SPDX-License-Identifier: Apache-2.0
 *
 * face.c: entries of a formulation's table that all formulations in tree coordinates share.
 */
#include "machines/tree/tree.h"

static hk_tree *tree_of(const hk_formulation *f) { return f->shared; }

hk_kin *hki_tree_face_kin(hk_formulation *f) { return &tree_of(f)->kin; }

void hki_tree_face_dims(const hk_formulation *f, hk_dims *d) {
  const hk_model *m = tree_of(f)->m;
  *d = (hk_dims){.nq = m->nq, .nv = m->nv, .nl = m->nrows};
}

void hki_tree_face_plus(const hk_formulation *f, const double *q, const double *d, double *q_out) {
  hki_tree_plus(tree_of(f)->m, q, d, q_out);
}

void hki_tree_face_minus(const hk_formulation *f, const double *q1, const double *q0, double *d) {
  hki_tree_minus(tree_of(f)->m, q1, q0, d);
}

void hki_tree_face_chart_velocity(const hk_formulation *f, const double *D, const double *w,
                                  double *v) {
  hki_tree_chart_velocity(tree_of(f), D, w, v);
}

hk_status hki_tree_face_from_tree(hk_formulation *f, const double *qt, const double *vt, double *q,
                                  double *v) {
  const hk_model *m = tree_of(f)->m;
  memcpy(q, qt, (size_t)m->nq * sizeof *q);
  memcpy(v, vt, (size_t)m->nv * sizeof *v);
  return HK_OK;
}

hk_status hki_tree_face_to_tree(hk_formulation *f, const double *q, const double *v,
                                const double *a, double *qt, double *vt, double *at) {
  const hk_model *m = tree_of(f)->m;
  memcpy(qt, q, (size_t)m->nq * sizeof *q);
  memcpy(vt, v, (size_t)m->nv * sizeof *v);
  memcpy(at, a, (size_t)m->nv * sizeof *a);
  return HK_OK;
}

/* --- scalar unknowns -------------------------------------------------------------------------- */

static hk_border *net_border(hk_formulation *f) { return &tree_of(f)->border; }

static void net_place(hk_formulation *f, double t, const double *q, const double *v) {
  hk_kin *k = &tree_of(f)->kin;
  hki_kin_state(k, t, q, v);
  if (k->m->spec->nsignals) hki_kin_signals(k, false);
}

static void net_coordinate(hk_formulation *f, int32_t scalar, double *s, double *sd) {
  hki_kin_scalar(&tree_of(f)->kin, scalar, s, sd);
}

const hk_net_face hki_tree_net = {.kin = hki_tree_face_kin,
                                  .border = net_border,
                                  .place = net_place,
                                  .coordinate = net_coordinate,
                                  .settled = true};

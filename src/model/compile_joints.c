/* SPDX-License-Identifier: Apache-2.0
 *
 * compile_joints.c: the internal joint that leads to each body, with its coordinates at the drawing
 * position; and the joints as the user sees them, with their scalar coordinates.
 *
 * A joint is reversed when its second body is the parent. The internal motion is then the inverse,
 *
 *   T' = T^-1   from B on the parent to A on the child
 *
 * and of the same joint type (hk_joint_inverse).
 */
#include "model/work.h"

/* rotates an offset's axes: R = R Q */
static void turn(hk_offset *o, const double *Q) {
  double R[9];
  m3_mul(R, o->R, Q);
  memcpy(o->R, R, sizeof R);
}

/* world poses of the internal markers A', B' of a tree joint */
static void tree_markers(const hk_work *w, int32_t j, bool reversed, hk_offset *A, hk_offset *B) {
  const hk_work_joint *wj = &w->joints[j];
  const hk_joint_inverse *inverse = &wj->tree_ops->inverse;
  *A = wj->marker[reversed ? 1 : 0];
  *B = wj->marker[reversed ? 0 : 1];
  if (wj->turned) {
    // planar counterpart: z along the normal, both markers in one plane
    double d[3];
    hki_planar_axes(w->spec->normal, A->R);
    memcpy(B->R, A->R, sizeof B->R);
    v3_sub(d, B->p, A->p);
    v3_axpy(A->p, v3_dot(d, w->spec->normal), w->spec->normal);
  }
  if (reversed && inverse->turn) {
    double Q[9];
    inverse->turn(w->spec->joints[j].par, Q);
    turn(A, Q);
    turn(B, Q);
  }
}

/* world poses of the markers of an added free (in planar models: plane) joint to the ground */
static void root_markers(const hk_work *w, const hk_model_body *b, hk_offset *A, hk_offset *B) {
  m3_identity(A->R);
  v3_zero(A->p);
  if (w->spec->planar) {
    const double *n = w->spec->normal;
    hki_planar_axes(n, A->R);
    v3_scale(A->p, v3_dot(b->com0, n), n);
  }
  *B = *A;
  v3_copy(B->p, b->com0);
}

/* type, markers and sizes of the tree joint of body i */
static void fill_tree(const hk_work *w, int32_t i) {
  hk_model *m = w->m;
  hk_model_body *b = &m->bodies[i];
  hk_offset A, B;
  if (b->joint < 0) {
    b->ops = b->point ? hki_joint_of_node(w->spec->planar)
                      : hki_joint_with(w->spec->planar ? HK_JOINT_PLANE : HK_JOINT_UNBOUND);
    root_markers(w, b, &A, &B);
  } else {
    const hk_spec_joint *s = &w->spec->joints[b->joint];
    b->ops = w->joints[b->joint].tree_ops;
    b->par = b->ops == s->ops ? s->par : NULL;
    b->reversed = s->body[0] == b->spec;
    tree_markers(w, b->joint, b->reversed, &A, &B);
  }
  hki_work_offset(m, b->parent, &A, &b->on_parent);
  hki_work_offset(m, i, &B, &b->on_child);
  double p[3];
  m3_transpose(b->child_inv.R, b->on_child.R);
  m3_mulv(p, b->child_inv.R, b->on_child.p);
  v3_scale(b->child_inv.p, -1.0, p);
  b->nq = b->ops->nq;
  b->nv = b->ops->nv;
  b->q0 = m->nq;
  b->v0 = m->nv;
  b->nabove = b->parent < 0 ? 0 : m->bodies[b->parent].nabove + m->bodies[b->parent].nv;
  m->nq += b->nq;
  m->nv += b->nv;
  if (m->nsimple == i && b->nq == 1 && b->nv == 1) m->nsimple++;
}

/* q_draw: coordinates of the tree joints at the drawing position */
static bool draw(hk_work *w) {
  hk_model *m = w->m;
  m->q_draw = HK_KEEP(w, double, m->nq);
  if (!m->q_draw) return false;
  for (int32_t i = 0; i < m->nb; i++) {
    const hk_model_body *b = &m->bodies[i];
    hk_frame A, B;
    double v[6];
    if (b->nq == 0) continue;
    hki_model_draw_frame(m, b->parent, &b->on_parent, &A);
    hki_model_draw_frame(m, i, &b->on_child, &B);
    b->ops->measure(b->par, &A, &B, NULL, m->q_draw + b->q0, v);
  }
  return true;
}

/* index of the internal coordinate that is scalar k of the spec joint, up to *sign; HK_NONE when
 * the scalar must be measured between the markers */
static int32_t internal_coordinate(const hk_work *w, const hk_model_body *b, int32_t k,
                                   double *sign) {
  const hk_joint_ops *user = w->spec->joints[b->joint].ops;
  *sign = b->reversed ? -1.0 : 1.0;
  if (user != b->ops) {
    // a planar counterpart with the same markers has some of the spec joint's coordinates
    int32_t i = 0;
    if (w->joints[b->joint].turned) return HK_NONE;
    while (i < b->ops->ns && b->ops->scalars[i] != user->scalars[k]) i++;
    if (i == b->ops->ns) return HK_NONE;
    k = i;
  }
  return b->reversed ? b->ops->inverse.minus[k] - 1 : k;
}

/* scalar coordinate k of joint j */
static void fill_scalar(const hk_work *w, int32_t j, int32_t k, hk_scalar *c) {
  hk_model *m = w->m;
  const hk_spec_joint *s = &w->spec->joints[j];
  const hk_model_joint *mj = &m->joints[j];
  *c = (hk_scalar){.joint = j, .coord = k, .qi = HK_NONE, .vi = HK_NONE, .sign = 1.0};
  c->turn = HK_NONE;
  c->zero = s->zero[k];
  // absolute values: joints with a quaternion and constraints; others count from the drawing
  // position
  bool absolute = s->ops->nv < 0 || (s->ops->caps & HK_JOINT_QUATERNION);
  if (mj->body >= 0) {
    const hk_model_body *b = &m->bodies[mj->body];
    double sign;
    int32_t i = internal_coordinate(w, b, k, &sign);
    if (i >= 0) {
      c->qi = b->q0 + i;
      c->vi = b->v0 + i;
      c->sign = sign;
      if (!absolute) c->zero -= sign * m->q_draw[c->qi];
      return;
    }
  }
  c->turn = m->nturn++;
  if (!absolute) {
    hk_frame A, B;
    hk_joint_coord out;
    hki_model_draw_frame(m, mj->mbody[0], &mj->marker[0], &A);
    hki_model_draw_frame(m, mj->mbody[1], &mj->marker[1], &B);
    s->ops->coord(s->par, k, &A, &B, 0.0, &out);
    c->zero -= out.s;
  }
}

/* the joints as the user sees them */
static bool fill_joints(hk_work *w) {
  hk_model *m = w->m;
  const hk_spec *s = w->spec;
  m->nj = s->njoints;
  m->joints = HK_KEEP(w, hk_model_joint, m->nj);
  if (!m->joints) return false;
  for (int32_t j = 0; j < m->nj; j++) {
    hk_model_joint *mj = &m->joints[j];
    mj->spec = j;
    mj->body = mj->closure = mj->lock0 = mj->motion0 = HK_NONE;
    mj->scalar0 = m->ns;
    m->ns += s->joints[j].ops->ns;
    for (int k = 0; k < 2; k++) {
      mj->mbody[k] = hki_work_body(m, s->joints[j].body[k]);
      hki_work_offset(m, mj->mbody[k], &s->joints[j].marker[k], &mj->marker[k]);
    }
  }
  for (int32_t i = 0; i < m->nb; i++) {
    if (m->bodies[i].joint >= 0) m->joints[m->bodies[i].joint].body = i;
  }
  m->scalars = HK_KEEP(w, hk_scalar, m->ns);
  if (!m->scalars) return false;
  for (int32_t j = 0; j < m->nj; j++) {
    for (int32_t k = 0; k < s->joints[j].ops->ns; k++)
      fill_scalar(w, j, k, &m->scalars[m->joints[j].scalar0 + k]);
  }
  return true;
}

bool hki_work_joints(hk_work *w) {
  for (int32_t i = 0; i < w->m->nb; i++) fill_tree(w, i);
  return draw(w) && fill_joints(w);
}

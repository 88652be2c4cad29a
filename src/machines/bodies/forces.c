/* SPDX-License-Identifier: Apache-2.0
 *
 * forces.c: inertia and applied wrenches on bodies in Cartesian coordinates.
 *
 *   m dv/dt = f                                  force, world axes
 *   R (J dw/dt + w x J w) = m                    moment about the centre of mass; w in body axes
 */
#include "machines/bodies/bodies.h"
#include "kinematics/element.h"
#include "kinematics/wide.h"

/* A joint element as wrenches on the markers of its joint, with force tau(s, sd), k = -dtau/ds,
 * c = -dtau/dsd, gradient g = ds/dxi and H = dg/dxi:
 *   w = g tau,   K = g (k g + c H'V)' - tau H,   C = c g g'
 * out holds tau, k, c when called. */
static void scalar_wrench(const hk_bodies *b, const hk_bodies_coord *s, const hk_joint_coord *x,
                          const hk_frame *F, bool tangent, int32_t nu, hk_element_out *out) {
  double g[12], k = out->K[0], c = out->C[0], H[144];
  s6_copy(g, x->gA);
  s6_copy(g + 6, x->gB);
  for (int i = 0; i < 12; i++) out->w[i] = g[i] * out->tau;
  if (!tangent) return;
  s->ops->coord_geo(s->par, s->k, &F[0], &F[1], H);
  // gd = H'V: derivative of the rate sd = g V by the pose
  double gd[12];
  for (int i = 0; i < 144; i++) H[i] *= s->sign;
  hki_kin_coord_slope(&b->it, s->joint, F, x->gB, H, gd);
  for (int i = 0; i < 12; i++)
    for (int j = 0; j < 12; j++) {
      out->K[12 * i + j] = k * g[i] * g[j] + c * g[i] * gd[j] - out->tau * H[12 * i + j];
      out->C[12 * i + j] = c * g[i] * g[j];
    }
  for (int32_t i = nu - 1; i >= 0; i--) {
    double wu = out->Wu[12 * i];
    for (int j = 0; j < 12; j++) out->Wu[12 * i + j] = wu * g[j];
  }
}

void hki_bodies_force(hk_bodies *c, int32_t fi, bool tangent, int32_t *body, hk_frame *F,
                      hk_element_out *out) {
  const hk_model_force *f = &c->m->forces[fi];
  hk_kin *k = &c->it;
  hk_joint_coord x = {0};
  uint32_t need = HK_NEED_FORCE;
  if (tangent) need |= HK_NEED_EXACT;
  if (tangent && f->u_state) need |= HK_NEED_INPUT;
  if (f->u_varies) hki_kin_force_inputs(k, fi);
  body[0] = body[1] = HK_GROUND;
  for (int32_t s = 0; s < f->ops->nmark; s++) {
    body[s] = f->body[s];
    hki_kin_marker(k, f->body[s], &f->marker[s], &F[s]);
  }
  const hk_bodies_coord *s = f->ops->nscal ? &c->scalar[f->scalar] : NULL;
  if (s) {
    hki_bodies_scalar(c, s, &x, F);
    body[0] = s->body[0], body[1] = s->body[1];
  }
  hk_element_in in;
  hki_kin_element_in(k, fi, F, x.s, x.sd, &in);
  hki_kin_element(k, fi, &in, need, out);
  if (s) scalar_wrench(c, s, &x, F, tangent, f->ops->nu, out);
}

/* adds the flows and equations of an element to F */
static void add_flows(hk_bodies *c, int32_t fi, const hk_element_out *out) {
  const hk_model_force *f = &c->m->forces[fi];
  for (int32_t i = 0; i < f->ops->nnode + f->ops->nown; i++)
    if (f->x[i] < c->nx) c->F[f->x[i]] += out->F[i];
}

/* c->W += the wrenches of an element on several markers */
static void take_wide(void *user, int32_t i, const hk_wide_out *out) {
  const hk_bodies *c = user;
  const hk_model_wide *e = &c->m->wide[i];
  for (int32_t s = 0; s < e->nmark; s++)
    if (e->body[s] != HK_GROUND) s6_axpy(c->W + 6 * e->body[s], 1.0, out->w + 6 * s);
}

void hki_bodies_forces(hk_bodies *c) {
  const hk_model *m = c->m;
  if (c->nx) memset(c->F, 0, (size_t)c->nx * sizeof *c->F);
  for (int32_t b = 0; b < m->nb; b++) {
    v3_zero(c->W + 6 * b);
    v3_scale(c->W + 6 * b + 3, m->bodies[b].mass, m->spec->gravity);
  }
  for (int32_t fi = 0; fi < m->nf; fi++) {
    hk_element_out out;
    hk_frame F[HK_ELEMENT_MARKERS];
    int32_t body[2];
    hki_bodies_force(c, fi, false, body, F, &out);
    if (m->forces[fi].net != HK_NONE) add_flows(c, fi, &out);
    for (int k = 0; k < 2; k++) {
      double x[6], r[3];
      if (body[k] == HK_GROUND) continue;
      v3_sub(r, F[k].p, c->it.frame[body[k]].p);
      s6_wrench_to_origin(x, out.w + 6 * k, r);
      s6_axpy(c->W + 6 * body[k], 1.0, x);
    }
  }
  if (m->nwide) hki_kin_wide_each(&c->it, HK_NEED_FORCE, take_wide, c);
  c->loaded = true;
}

/* r += M a of massless bodies with the mass `ghost` */
static void add_ghosts(const hk_bodies *c, const double *a, double *r) {
  const double J = c->ghost * c->m->length * c->m->length;
  for (int32_t b = 0; b < c->m->nb; b++)
    for (int32_t i = c->lack[b]; c->m->bodies[b].massless && i < c->nd; i++)
      r[c->v0[b] + i] += (i < (c->planar ? 1 : 3) ? J : c->ghost) * a[c->v0[b] + i];
}

const hk_wide_inertia *hki_bodies_wide_inertia(const hk_bodies *c, int32_t i, const double *a,
                                               uint32_t need) {
  const hk_model_wide *e = &c->m->wide[i];
  double *acc = c->it.wide_acc;
  for (int32_t s = 0; s < e->nmark; s++) s6_copy(acc + 6 * s, a + c->v0[e->body[s]]);
  return hki_kin_wide_inertia_at(&c->it, i, acc, need);
}

/* r += forces of elements with inertia; a in body axes */
static void add_wide_inertia(const hk_bodies *c, const double *a, double *r) {
  for (int32_t i = 0; i < c->m->nwide; i++) {
    const hk_model_wide *e = &c->m->wide[i];
    if (!e->ops->inertia) continue;
    const hk_wide_inertia *out = hki_bodies_wide_inertia(c, i, a, 0);
    for (int32_t s = 0; s < e->nmark; s++) {
      const double *F = out->F + 6 * s;
      double *to = r + c->v0[e->body[s]], x[3];
      m3_mulv(x, c->it.frame[e->body[s]].R, F);
      for (int k = 0; k < 3; k++) to[k] += x[k], to[3 + k] += F[3 + k];
    }
  }
}

void hki_bodies_inertia(const hk_bodies *c, const double *a, double *r) {
  const hk_model *m = c->m;
  HK_ASSERT(c->loaded);
  for (int32_t b = 0; b < m->nb; b++) {
    const hk_model_body *mb = &m->bodies[b];
    const double *W = c->W + 6 * b;
    const int32_t at = c->v0[b];
    double x[6];
    if (c->planar) {
      double Jn[3];
      hki_bodies_reduce(c, W, x);
      m3_mulv(Jn, mb->J, m->spec->normal);
      if (!c->lack[b]) r[at] += v3_dot(Jn, m->spec->normal) * a[at] - x[0];
      r[at + 1] += mb->mass * a[at + 1] - x[1];
      r[at + 2] += mb->mass * a[at + 2] - x[2];
      continue;
    }
    for (int i = 3; i < 6; i++) r[at + i] += mb->mass * a[at + i] - W[i];
    if (c->lack[b]) continue;
    const double *w = c->v + at;
    double h[3], y[3];
    m3_mulv(y, mb->J, w);
    m3_mulv(h, mb->J, a + at);
    v3_cross_add(h, w, y);
    m3_mulv(x, c->it.frame[b].R, h);
    for (int i = 0; i < 3; i++) r[at + i] += x[i] - W[i];
  }
  if (m->wide_inert) add_wide_inertia(c, a, r);
  for (int32_t i = 0; i < c->nx; i++) r[c->nb + i] += c->F[i];
  if (c->ghost > 0.0) add_ghosts(c, a, r);
}

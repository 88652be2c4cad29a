/* SPDX-License-Identifier: Apache-2.0
 *
 * create.c: memory of the machine of Cartesian coordinates, and the constraint sets of all joints.
 */
#include <stdio.h>

#include "kinematics/element.h"
#include "machines/bodies/bodies.h"

/* scalar coordinates: between the markers of the tree for tree joints, between the markers of the
 * joint itself for cut joints */
static bool make_scalars(hk_bodies *c) {
  const hk_model *m = c->m;
  c->scalar = hki_pool_alloc(c->pool, (size_t)(m->ns + 1) * sizeof *c->scalar);
  if (!c->scalar) return false;
  for (int32_t i = 0; i < m->ns; i++) {
    const hk_scalar *s = &m->scalars[i];
    const hk_model_joint *j = &m->joints[s->joint];
    hk_bodies_coord *x = &c->scalar[i];
    x->qi = s->qi, x->turn = s->turn;
    x->sign = s->sign, x->zero = s->zero;
    x->joint = s->qi == HK_NONE ? s->joint : HK_NONE;
    if (s->qi != HK_NONE) {
      const hk_model_body *b = &m->bodies[j->body];
      x->body[0] = b->parent, x->body[1] = j->body;
      x->marker[0] = &b->on_parent, x->marker[1] = &b->on_child;
      x->ops = b->ops, x->par = b->par;
      x->k = s->qi - b->q0;
    } else {
      for (int k = 0; k < 2; k++) x->body[k] = j->mbody[k], x->marker[k] = &j->marker[k];
      x->ops = m->spec->joints[s->joint].ops;
      x->par = m->spec->joints[s->joint].par;
      x->k = s->coord;
      x->sign = 1.0;
    }
  }
  return true;
}

/* does a row change with motions in the plane? G: its gradient (6) at one marker, in the drawing */
static bool sees_plane(const hk_bodies *c, const double *G) {
  const double *n = c->m->spec->normal;
  double out = v3_dot(n, G + 3), in[3];
  v3_copy(in, G + 3);
  v3_axpy(in, -out, n);
  return fabs(v3_dot(n, G)) > 1e-9 || v3_norm(in) > 1e-9;
}

/* s->rows of a tree joint; in planar models only those that motions in the plane change */
static void tree_rows(const hk_bodies *c, hk_bodies_set *s, int32_t b) {
  const hk_model_body *mb = &c->m->bodies[b];
  const int32_t n = hki_joint_rows(mb->ops, mb->par);
  hk_joint_loop L;
  hk_frame body, A, B;
  memset(&body, 0, sizeof body);
  m3_identity(body.R);
  // pose of both markers in the drawing
  if (mb->parent == HK_GROUND) {
    hki_kin_marker(&c->it, HK_GROUND, &mb->on_parent, &A);
  } else {
    v3_copy(body.p, c->m->bodies[mb->parent].com0);
    hki_frame_marker(&A, &body, &mb->on_parent);
  }
  v3_copy(body.p, mb->com0);
  hki_frame_marker(&B, &body, &mb->on_child);
  mb->ops->loop(mb->par, &A, &B, HK_LOOP_POS | HK_LOOP_JAC, &L);
  for (int32_t r = 0; r < n; r++) {
    bool keep = !c->planar || sees_plane(c, L.GB + 6 * r) || sees_plane(c, L.GA + 6 * r);
    if (keep) s->rows[s->nrows++] = (uint8_t)r;
  }
}

static void tree_set(hk_bodies *c, int32_t b) {
  const hk_model_body *mb = &c->m->bodies[b];
  hk_bodies_set *s = &c->set[c->nset];
  s->closure = HK_NONE;
  s->joint = mb->joint;
  s->body[0] = mb->parent, s->body[1] = b;
  s->marker[0] = &mb->on_parent, s->marker[1] = &mb->on_child;
  s->ops = mb->ops, s->par = mb->par;
  tree_rows(c, s, b);
  s->row0 = c->nrows;
  s->line0 = c->nlines;
  c->nrows += s->nrows;
  c->nlines += s->nrows;
  if (s->nrows) c->nset++;
}

/* one set for each coordinate of a coupling, all with the same row */
static void coupling_sets(hk_bodies *c, int32_t i) {
  const hk_closure *cl = &c->m->closures[i];
  for (int32_t p = 0; p < cl->coupling->n; p++) {
    hk_bodies_set *s = &c->set[c->nset++];
    s->closure = i;
    s->joint = cl->joint;
    s->is_coord = true;
    s->coord = c->scalar[cl->coupling->arg[p].scalar];
    s->ops = s->coord.ops, s->par = s->coord.par;
    for (int k = 0; k < 2; k++) s->body[k] = s->coord.body[k], s->marker[k] = s->coord.marker[k];
    s->nrows = 1;
    s->row0 = c->nrows;
    s->line0 = c->nlines++;
    s->coupling = cl->coupling;
    s->part = p;
    s->rate_rows = cl->rate_rows;
  }
  c->nrows++;
}

static void closure_set(hk_bodies *c, int32_t i) {
  const hk_closure *cl = &c->m->closures[i];
  if (cl->coupling) {
    coupling_sets(c, i);
    return;
  }
  hk_bodies_set *s = &c->set[c->nset];
  s->closure = i;
  s->joint = cl->joint;
  s->ops = cl->ops, s->par = cl->par;
  for (int k = 0; k < 2; k++) s->body[k] = cl->body[k], s->marker[k] = &cl->marker[k];
  s->is_coord = cl->kind == HK_CLOSURE_COORD;
  if (s->is_coord) {
    s->coord = c->scalar[cl->scalar];
    for (int k = 0; k < 2; k++) s->body[k] = s->coord.body[k], s->marker[k] = s->coord.marker[k];
  }
  s->nrows = cl->nrows;
  memcpy(s->rows, cl->rows, sizeof s->rows);
  s->rate_rows = cl->rate_rows;
  s->row0 = c->nrows;
  s->line0 = c->nlines;
  c->nrows += s->nrows;
  c->nlines += s->nrows;
  if (s->nrows) c->nset++;
}

static bool make_sets(hk_bodies *c) {
  const hk_model *m = c->m;
  c->set = hki_pool_alloc(c->pool, (size_t)(m->nb + m->nc + m->nslope + 1) * sizeof *c->set);
  if (!c->set) return false;
  for (int32_t b = 0; b < m->nb; b++) tree_set(c, b);
  for (int32_t i = 0; i < m->nc; i++) closure_set(c, i);
  c->normal = hki_pool_alloc(c->pool, (size_t)(m->nnormal + 1) * sizeof *c->normal);
  for (int32_t i = 0; c->normal && i < m->nnormal; i++) {
    c->normal[i] = HK_NONE;
    // of the joint itself: motions and locks of it have sets of their own
    for (int32_t k = 0; k < c->nset; k++)
      if (m->normals[i].closure == HK_NONE
              ? c->set[k].joint == m->normals[i].joint && !c->set[k].coupling &&
                    (c->set[k].closure == HK_NONE ||
                     c->set[k].closure == m->joints[c->set[k].joint].closure)
              : c->set[k].closure == m->normals[i].closure)
        c->normal[i] = k;
  }
  return c->normal != NULL;
}

static void layout(hk_bodies *c, hk_arena *a) {
  const hk_model *m = c->m;
  hki_kin_layout(&c->kin, m, a);
  hki_kin_layout(&c->it, m, a);
  c->q = HK_TAKE(a, double, c->nq);
  c->v = HK_TAKE(a, double, c->n);
  c->a = HK_TAKE(a, double, c->n);
  c->scale = HK_TAKE(a, double, c->n);
  c->phi = HK_TAKE(a, double, c->nrows);
  c->phit = HK_TAKE(a, double, c->nrows);
  c->gamma = HK_TAKE(a, double, c->nrows);
  c->G = HK_TAKE(a, double, 2 * (size_t)c->nd * (size_t)c->nlines);
  c->B = m->nservo ? HK_TAKE(a, double, 2 * (size_t)c->nd * (size_t)c->nlines) : c->G;
  c->slope = HK_TAKE(a, double, c->nlines);
  c->plain = HK_TAKE(a, double, m->nslope ? 2 * (size_t)c->nd *(size_t)c->nlines : 0);
  c->W = HK_TAKE(a, double, 6 * m->nb);
  c->F = HK_TAKE(a, double, c->nx);
  c->acc = HK_TAKE(a, double, 6 * m->nb);
  c->persist = HK_TAKE(a, double, m->nq + c->nextra);
  c->qlast = c->persist;
  c->extra = c->persist ? c->persist + m->nq : NULL;
  c->qt = HK_TAKE(a, double, m->nq);
  c->vt = HK_TAKE(a, double, m->nv + m->nx);
  c->at = HK_TAKE(a, double, m->nv + m->nx);
  c->q_it = HK_TAKE(a, double, m->nq);
  c->v_it = HK_TAKE(a, double, m->nv);
}

static hk_status allocate(hk_bodies *c) {
  hk_arena a = {0};
  layout(c, &a);
  c->block = hki_alloc(c->ctx, a.used + 64);
  if (!c->block) return HK_E_MEMORY;
  a = (hk_arena){c->block + (64 - (uintptr_t)c->block % 64) % 64, 0, a.used};
  layout(c, &a);
  hki_kin_init(&c->kin);
  hki_kin_init(&c->it);
  c->kin.under = &c->it;
  for (int32_t b = 0; b < c->m->nb; b++)
    for (int32_t j = c->lack[b]; j < c->nd; j++)
      c->scale[c->v0[b] + j] = j < (c->planar ? 1 : 3) ? 1.0 : c->m->length;
  for (int32_t i = 0; i < c->nx; i++) c->scale[c->nb + i] = c->m->unknowns[i].scale;
  for (int32_t i = 0; i < c->m->spec->nsignals; i++)
    c->tree_it |= c->it.sig_live[i] && c->it.sig_state[i];
  for (int32_t f = 0; f < c->m->nf; f++) {
    c->hooks |= c->m->forces[f].ops->hook != NULL;
    c->tree_it |= c->m->forces[f].ops->hook && c->m->forces[f].ops->nscal;
  }
  return HK_OK;
}

/* hk_net_eval: an element with scalar unknowns at the present state */
static void eval_network(void *user, int32_t force, hk_element_out *out) {
  hk_frame F[HK_ELEMENT_MARKERS];
  int32_t body[2];
  hk_bodies *c = user;
  hki_bodies_force(c, force, false, body, F, out);
  if (c->m->forces[force].still) hki_kin_drop_rates(&c->m->forces[force], out);
}

/* places of the bodies in v and q */
static bool number(hk_bodies *c) {
  const int32_t nb = c->m->nb, turns = c->planar ? 1 : 3, quat = c->planar ? 1 : 4;
  c->v0 = hki_pool_alloc(c->pool, (size_t)(3 * nb + 3) * sizeof *c->v0);
  if (!c->v0) return false;
  c->q0 = c->v0 + nb + 1;
  c->lack = c->q0 + nb + 1;
  for (int32_t b = 0; b < nb; b++) {
    const bool point = c->m->bodies[b].point;
    c->lack[b] = point ? turns : 0;
    c->v0[b] = c->nb - c->lack[b];
    c->q0[b] = c->nq - (point ? quat : 0);
    c->nb += c->nd - c->lack[b];
    c->nq += c->planar ? 3 - c->lack[b] : point ? 3 : 7;
  }
  c->n = c->nb + c->nx;
  c->nq += c->nx;
  return true;
}

hk_status hki_bodies_create(hk_ctx *ctx, const hk_model *m, int32_t nextra, bool alone,
                            hk_bodies **out) {
  hk_bodies *c = hki_alloc(ctx, sizeof *c);
  *out = NULL;
  if (!c) return HK_E_MEMORY;
  c->ctx = ctx;
  c->m = m;
  c->planar = m->spec->planar;
  c->nd = c->planar ? 3 : 6;
  c->nx = alone ? 0 : m->nx;
  if (c->planar) rot_from_axis(c->E, m->spec->normal, 2, NULL);
  c->pool = hki_pool_create(ctx);
  hk_status st = c->pool && number(c) && make_scalars(c) && make_sets(c) ? HK_OK : HK_E_MEMORY;
  c->nextra = nextra * c->nrows;
  if (st == HK_OK) st = allocate(c);
  if (st == HK_OK && c->nx) {
    hki_bodies_from_tree(c, m->q_draw, c->vt, c->q, c->v);
    hki_bodies_state(c, 0.0, c->q, c->v);
    st = hki_net_create(&c->net, ctx, c->pool, &c->it, eval_network, c, false);
  }
  if (st == HK_OK)
    *out = c;
  else
    hki_bodies_destroy(c);
  return st;
}

void hki_bodies_destroy(hk_bodies *c) {
  if (!c) return;
  if (c->net.ls) hki_net_destroy(&c->net);
  if (c->pool) hki_pool_destroy(c->pool);
  hki_free(c->ctx, c->block);
  hki_free(c->ctx, c);
}

double hki_bodies_bytes(const hk_bodies *c) {
  hk_bodies copy = *c;
  hk_arena a = {0};
  hk_cost net = {0};
  layout(&copy, &a);
  if (c->net.ls) hki_linsolve_cost(c->net.ls, &net);
  return (double)a.used + (double)hki_pool_bytes(c->pool) + (double)sizeof *c + net.bytes;
}

void hki_bodies_row_name(const hk_bodies *c, int32_t row, char *buf, size_t cap) {
  int32_t i = c->nset - 1;
  if (cap) buf[0] = '\0';
  if (row < 0 || row >= c->nrows) return;
  while (i > 0 && c->set[i].row0 > row) i--;
  const hk_bodies_set *s = &c->set[i];
  if (s->closure != HK_NONE) {
    hki_model_row_name(c->m, c->m->closures[s->closure].row0 + row - s->row0, buf, cap);
    return;
  }
  const char *name = s->joint == HK_NONE ? "" : c->m->spec->joints[s->joint].name;
  snprintf(buf, cap, "joint '%s', %s", name,
           hki_joint_row_name(s->ops, s->par, s->rows[row - s->row0]));
}

void hki_bodies_line_name(const hk_bodies *c, int32_t i, char *buf, size_t cap) {
  int32_t b = c->m->nb - 1;
  if (i >= c->n) {
    hki_bodies_row_name(c, i - c->n, buf, cap);
    return;
  }
  if (i >= c->nb) {
    hki_model_unknown_name(c->m, i - c->nb, buf, cap);
    return;
  }
  while (b > 0 && c->v0[b] + c->lack[b] > i) b--;
  snprintf(buf, cap, "body '%s'", c->m->spec->bodies[c->m->bodies[b].spec].name);
}

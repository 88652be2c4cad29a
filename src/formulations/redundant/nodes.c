/* SPDX-License-Identifier: Apache-2.0
 *
 * nodes.c: dynamic nodes that carry momentum and momenta moment as states.
 *
 *   p = (R J w, m v)                    definition, node at the centre of mass      (5)
 *   dp/dt + G' lam = W                  equilibrium; G: rows of the joints          (7)
 *   dp/dt = ph + cp p                   integration rule
 *   R = R0 R(g)                         rotation, body axes, from the last state     (8-10)
 *   w = G'(g) g',   g' = vh + cv g      G' here: matrix of cayley.h                 (11)
 *
 * The paper solves for momenta beside the poses. Here their definitions are put into the
 * equilibrium body by body, which gives the same solution. The paper counts g from the predicted
 * orientation ("updated-updated") and adds its rate to the predicted angular velocity; there the
 * rule holds for small corrections only. A free body then gained or lost half its energy within
 * 200 steps of 0.6 rad, and with rho_inf = 1 the error grew at any step. Counted from the last
 * state the rule holds whatever was predicted.
 *
 * All derivatives are kept, with th the rotation in body axes and x = R th in world axes:
 *
 *   dw = cv N th
 *   N  = 1 + (d(G' g')/dg at fixed g') G'^-1/cv
 *   d(cp R J w) = cp (R J R' cv (R N R') x - [R J w] x)
 *
 * With `rotations: exponential` g is a rotation vector and G' is J of chart.h. A body without
 * moments keeps its momenta moment at any step, to the accuracy of the iteration.
 *
 * Source: Masarati, Morandini and Mantegazza 2014, sections 2.1 and 2.2; numbers in brackets are
 * its equations.
 */
#include "formulations/redundant/redundant.h"
#include "geometry/cayley.h"
#include "geometry/chart.h"

/* q_out = pose at the parameters g from q */
static void pose_plus(const hk_redundant *r, const double *q, const double *g, double *q_out) {
  const hk_bodies *c = r->c;
  if (c->planar || !r->cayley) {
    hki_bodies_plus(c, q, g, q_out);
    return;
  }
  for (int32_t b = 0; b < c->m->nb; b++) {
    const int32_t i = c->q0[b], at = c->v0[b];
    if (!c->lack[b]) cayley_plus(q_out + i, q + i, g + at);
    v3_add(q_out + i + 4, q + i + 4, g + at + 3);
  }
  const int32_t x = c->nq - c->nx;
  for (int32_t i = 0; i < c->nx; i++) q_out[x + i] = q[x + i] + g[c->nb + i];
}

/* v: rate of the parameters g of one rotation on entry, its angular velocity on return */
static void push(const hk_redundant *r, const double *g, double *v) {
  if (r->cayley)
    cayley_push(g, v, v);
  else
    chart_push(g, v, v);
}

void hki_redundant_nodes_state(hk_redundant *r, const hk_stage *st, const double *D) {
  hk_bodies *c = r->c;
  pose_plus(r, st->q0, D, c->q);
  for (int32_t b = 0; b < c->m->nb; b++)
    if (hki_bodies_turns(c, b)) push(r, D + c->v0[b], c->v + c->v0[b]);
}

void hki_redundant_nodes_chart(const hk_redundant *r, const hk_stage *st, const double *D,
                               int32_t b, double *N) {
  const int32_t at = r->c->v0[b];
  const double *g = D + at;
  double T[9], gd[3];
  for (int i = 0; i < 3; i++) gd[i] = st->vh[at + i] + st->cv * g[i];
  for (int j = 0; j < 3; j++) {
    double e[3], s[3], th[3] = {0};
    th[j] = 1.0;
    hki_redundant_nodes_pull(r, g, th, e);
    if (r->cayley)
      cayley_slope(g, e, gd, s);
    else
      chart_slope(g, e, gd, s);
    for (int i = 0; i < 3; i++) T[3 * i + j] = th[i] + s[i] / st->cv;
  }
  m3_congruence(N, r->c->it.frame[b].R, T);
}

/* p (n): momentum of body b in its entries; R: its orientation, not read in the plane */
static void body_momentum(const hk_bodies *c, int32_t b, const double *R, const double *v,
                          double *p) {
  const hk_model_body *mb = &c->m->bodies[b];
  const int32_t at = c->v0[b];
  double x[3];
  for (int32_t i = c->planar ? 1 : 3; i < c->nd; i++) p[at + i] = mb->mass * v[at + i];
  if (c->lack[b]) return;
  if (c->planar) {
    m3_mulv(x, mb->J, c->m->spec->normal);
    p[at] = v3_dot(x, c->m->spec->normal) * v[at];
    return;
  }
  m3_mulv(x, mb->J, v + at);
  m3_mulv(p + at, R, x);
}

void hki_redundant_nodes_inertia(const hk_redundant *r, const hk_stage_nodes *n, double *res) {
  const hk_bodies *c = r->c;
  for (int32_t b = 0; b < c->m->nb; b++) {
    double W[6], *p = r->y;
    const int32_t at = c->v0[b];
    body_momentum(c, b, c->it.frame[b].R, c->v, p);
    hki_bodies_reduce(c, c->W + 6 * b, W);
    for (int32_t i = c->lack[b]; i < c->nd; i++)
      res[at + i] += n->ph[at + i] + n->cp * p[at + i] - W[i];
  }
  // scalar unknowns have no momenta
  for (int32_t i = 0; i < c->nx; i++) res[c->nb + i] += c->F[i];
}

/* --- the face of integrators ------------------------------------------------------------------ */

static const hk_redundant *redundant_of(const hk_formulation *f) {
  return hki_redundant_of((hk_formulation *)(uintptr_t)f);
}

void hki_redundant_nodes_pull(const hk_redundant *r, const double *g, const double *v, double *gd) {
  if (r->cayley)
    cayley_pull(g, v, gd);
  else
    chart_pull(g, v, gd);
}

static void nodes_momentum(const hk_formulation *f, const double *q, const double *v, double *p) {
  const hk_bodies *c = redundant_of(f)->c;
  for (int32_t b = 0; b < c->m->nb; b++) {
    double R[9] = {0};
    if (hki_bodies_turns(c, b)) quat_to_rot(R, q + c->q0[b]);
    body_momentum(c, b, R, v, p);
  }
  for (int32_t i = c->nb; i < c->n; i++) p[i] = 0.0;
}

/* pd = (R (J dw/dt + w x J w), m dv/dt) */
static void nodes_momentum_rate(const hk_formulation *f, const double *q, const double *v,
                                const double *a, double *pd) {
  const hk_bodies *c = redundant_of(f)->c;
  nodes_momentum(f, q, a, pd);
  for (int32_t b = 0; !c->planar && b < c->m->nb; b++) {
    double R[9], h[3], x[3], y[3];
    const int32_t at = c->v0[b];
    if (c->lack[b]) continue;
    quat_to_rot(R, q + c->q0[b]);
    m3_mulv(h, c->m->bodies[b].J, v + at);
    v3_cross(x, v + at, h);
    m3_mulv(y, R, x);
    v3_add(pd + at, pd + at, y);
  }
}

static void nodes_behind(const hk_formulation *f, const double *q, const double *q_old,
                         const double *v_old, double *g, double *gd) {
  const hk_redundant *r = redundant_of(f);
  const hk_bodies *c = r->c;
  memcpy(gd, v_old, (size_t)c->n * sizeof *gd);
  hki_bodies_minus(c, q_old, q, g);
  for (int32_t b = 0; !c->planar && b < c->m->nb; b++) {
    const int32_t at = c->v0[b], i = c->q0[b];
    if (c->lack[b]) continue;
    if (r->cayley) cayley_minus(g + at, q_old + i, q + i);
    hki_redundant_nodes_pull(r, g + at, v_old + at, gd + at);
  }
}

static void nodes_ahead(const hk_formulation *f, const double *q, const double *g, const double *gd,
                        double *q_out, double *v_out) {
  const hk_redundant *r = redundant_of(f);
  const hk_bodies *c = r->c;
  pose_plus(r, q, g, q_out);
  memcpy(v_out, gd, (size_t)c->n * sizeof *gd);
  for (int32_t b = 0; b < c->m->nb; b++)
    if (hki_bodies_turns(c, b)) push(r, g + c->v0[b], v_out + c->v0[b]);
}

const hk_node_ops hki_redundant_nodes = {
    .momentum = nodes_momentum,
    .momentum_rate = nodes_momentum_rate,
    .behind = nodes_behind,
    .ahead = nodes_ahead,
};

/* SPDX-License-Identifier: Apache-2.0
 *
 * border.c: scalar unknowns beside the tangent of the partition formulation
 * (machines/network/border.h). Forces along a term reach the increments through T alone, which is
 * dpsi/dD and thus ca times the matrix that the border speaks of:
 *
 *   Y = ca P T^-1 P' U
 *
 * T has the inputs that read channels already (pairs.c). Those that unknowns read or feel are terms
 * too, with what they sense held back. Rows and columns are in body axes.
 */
#include "formulations/partition/partition.h"

/* does the border need this input? */
static bool is_term(const hk_partition *p, const hk_partition_input *in) {
  const hk_model *m = p->c->m;
  return m->nx && (m->forces[in->force].net != HK_NONE || hki_model_reads_unknowns(m, in->signal));
}

int32_t hki_partition_terms(hk_partition *p, hk_border_term *list) {
  int32_t n = 0;
  for (int32_t i = 0; i < p->ninput; i++) {
    const hk_partition_input *in = &p->input[i];
    if (!is_term(p, in)) continue;
    if (list) list[n] = (hk_border_term){in->force, in->u, true};
    n++;
  }
  return n + hki_net_terms(p->c->m, list ? list + n : NULL);
}

/* U = -(wrenches w on the markers F of two bodies) */
static void put_force(const hk_partition *p, const int32_t *body, const double *r, const double *w,
                      double *U) {
  const hk_bodies *c = p->c;
  for (int k = 0; k < 2; k++) {
    double x[6], y[6];
    if (body[k] == HK_GROUND) continue;
    s6_wrench_to_origin(x, w + 6 * k, r + 3 * k);
    hki_bodies_reduce(c, x, y);
    for (int32_t i = c->lack[body[k]]; i < c->nd; i++) U[c->v0[body[k]] + i] -= y[i];
  }
}

/* V = cK pose + cC twist of an input */
static void put_slopes(const hk_partition *p, const hk_partition_input *in, double cC, double cK,
                       double *V) {
  for (int32_t i = 0; i < p->n; i++) V[i] = cK * in->pose[i] + cC * in->twist[i];
  hki_bodies_to_body(p->c, V);
}

/* U and V of a joint coordinate */
static void put_coordinate(const hk_partition *p, int32_t force, double *U, double *V) {
  const hk_bodies *c = p->c;
  const hk_bodies_coord *s = &c->scalar[c->m->forces[force].scalar];
  hk_joint_coord x;
  hk_frame F[2];
  double g[12], r[6] = {0};
  hki_bodies_scalar(c, s, &x, F);
  s6_copy(g, x.gA);
  s6_copy(g + 6, x.gB);
  for (int k = 0; k < 2; k++)
    if (s->body[k] != HK_GROUND) v3_sub(r + 3 * k, F[k].p, c->it.frame[s->body[k]].p);
  put_force(p, s->body, r, g, U);
  hki_bodies_to_body(c, U);
  for (int32_t i = 0; i < p->n; i++) V[i] = -U[i];
}

/* the terms at the present iterate, after hki_partition_tangent */
static void fill_terms(hk_partition *p) {
  const double cK = 1.0 / p->st.ca, cC = p->st.cv * cK;
  hki_border_clear(&p->border);
  double *U, *V;
  for (int32_t i = 0; i < p->ninput; i++) {
    const hk_partition_input *in = &p->input[i];
    if (!is_term(p, in)) continue;
    hki_border_add(&p->border, &U, &V);
    put_force(p, p->pair[in->force].body, p->pair[in->force].r, in->Wu, U);
    hki_bodies_to_body(p->c, U);
    put_slopes(p, in, cC, cK, V);
  }
  hk_partition_input *node = p->input + p->ninput;
  for (int32_t i = p->border.rank; i < p->border.most; i++) {
    const hk_border_term *t = &p->border.term[i];
    hki_border_add(&p->border, &U, &V);
    if (t->part == HK_TERM_COORDINATE) {
      put_coordinate(p, t->owner, U, V);
      continue;
    }
    node->signal = p->c->m->spec->nodes[p->c->m->held[t->owner]].signal;
    hki_partition_input_slopes(p, node);
    put_slopes(p, node, cC, cK, V);
  }
}

/* x = ca P T^-1 P' x, P of the chart on the left */
static void solve_reduced(void *with, double *x) {
  hk_partition *p = with;
  hki_partition_reduce(p, x, p->z);
  if (p->f) hki_dense_lu_solve(p->f, p->T, p->ldt, p->Tpivot, p->Tinv, p->z, p->work);
  memset(x, 0, (size_t)p->n * sizeof *x);
  for (int32_t j = 0; j < p->f; j++) {
    const double *P = p->along + (size_t)j * (size_t)p->n, y = p->st.ca * p->z[j];
    for (int32_t i = 0; i < p->n; i++) x[i] += P[i] * y;
  }
}

hk_status hki_partition_factor_border(hk_partition *p) {
  if (!p->border.core.factor) return HK_OK;
  fill_terms(p);
  return hki_border_factor(&p->border, solve_reduced, p);
}

/* --- face ------------------------------------------------------------------------------------- */

static hk_kin *net_kin(hk_formulation *f) { return &((hk_bodies *)f->shared)->it; }

static hk_border *net_border(hk_formulation *f) { return &((hk_partition *)f)->border; }

static void net_place(hk_formulation *f, double t, const double *q, const double *v) {
  hki_bodies_state(f->shared, t, q, v);
}

static void net_coordinate(hk_formulation *f, int32_t scalar, double *s, double *sd) {
  const hk_bodies *c = f->shared;
  hk_joint_coord x;
  hk_frame F[2];
  hki_bodies_scalar(c, &c->scalar[scalar], &x, F);
  *s = x.s, *sd = x.sd;
}

const hk_net_face hki_partition_net = {
    .kin = net_kin, .border = net_border, .place = net_place, .coordinate = net_coordinate};

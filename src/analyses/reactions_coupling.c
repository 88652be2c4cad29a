/* SPDX-License-Identifier: Apache-2.0
 *
 * reactions_coupling.c: couplings in the balance of bodies (reactions_impl.h). A row with the slopes
 * f_i in coordinates whose gradients at the markers of their joints are g_i pushes with
 *
 *   w = -lam sum f_i g_i
 *
 * on all bodies of these joints; f_i of a servo are the weights of its actuators. The bodies that the coupled tree joints lead to, and the loops of
 * coupled cut joints, form one group, in which the row is one column of B.
 */
#include "analyses/reactions_impl.h"

#define POOL(r, type, n) ((type *)hki_pool_alloc((r)->pool, (size_t)(n) * sizeof(type)))

/* a body that stands for argument a: its tree joint's, or one on the loop of its cut joint; -1: none */
static int32_t body_of(const hk_model *m, const hk_coupled *a, const int32_t *on) {
  const int32_t j = m->scalars[a->scalar].joint;
  return m->joints[j].body >= 0 ? m->joints[j].body : on[j];
}

void hki_react_unite_couplings(const hk_model *m, const int32_t *on, int32_t *up) {
  for (int32_t c = 0; c < m->nc; c++) {
    const hk_coupling *x = m->closures[c].coupling;
    int32_t last = -1;
    for (int32_t i = 0; x && i < x->n; i++) {
      const int32_t b = body_of(m, &x->arg[i], on);
      if (b < 0) continue;
      if (last >= 0) {
        const int32_t p = hki_react_find(up, last), q = hki_react_find(up, b);
        up[p < q ? q : p] = p < q ? p : q;
      }
      last = b;
    }
  }
}

void hki_react_mark_couplings(hk_reactions *r, const int32_t *on, int32_t *up) {
  const hk_model *m = r->m;
  for (int32_t c = 0; c < m->nc; c++) {
    const hk_coupling *x = m->closures[c].coupling;
    for (int32_t i = 0; x && i < x->n; i++) {
      const int32_t b = body_of(m, &x->arg[i], on);
      if (b >= 0) r->group[hki_react_find(up, b)] = hki_react_find(up, b);
    }
  }
}

/* bodies of the coupled joints that have equations, each once */
static void add_bodies(hk_reactions *r, hk_react_coupling *x, const hk_coupled *a) {
  const int32_t *body = r->m->joints[r->m->scalars[a->scalar].joint].mbody;
  for (int side = 0; side < 2; side++) {
    int32_t k = 0;
    if (body[side] < 0 || r->eq[body[side]] < 0) continue;
    while (k < x->n && x->body[k] != body[side]) k++;
    if (k < x->n) continue;
    x->body[x->n] = body[side];
    x->eq[x->n++] = r->eq[body[side]];
  }
}

bool hki_react_list_couplings(hk_reactions *r) {
  const hk_model *m = r->m;
  for (int32_t c = 0; c < m->nc; c++) r->ncoupling += m->closures[c].coupling != NULL;
  r->coupling = POOL(r, hk_react_coupling, r->ncoupling + 1);
  if (!r->coupling) return false;
  for (int32_t c = 0, k = 0; c < m->nc; c++) {
    const hk_coupling *of = m->closures[c].coupling;
    if (!of) continue;
    hk_react_coupling *x = &r->coupling[k++];
    x->closure = c;
    x->body = POOL(r, int32_t, 4 * of->n);
    if (!x->body) return false;
    x->eq = x->body + 2 * of->n;
    for (int32_t i = 0; i < of->n; i++) add_bodies(r, x, &of->arg[i]);
  }
  return true;
}

/* markers F of the joint of argument a and gradients of its coordinate there */
static void gradient(const hk_kin *k, const hk_coupled *a, hk_frame *F, hk_joint_coord *g) {
  const hk_scalar *s = &k->m->scalars[a->scalar];
  const hk_model_joint *j = &k->m->joints[s->joint];
  const hk_spec_joint *sj = &k->m->spec->joints[s->joint];
  for (int i = 0; i < 2; i++) hki_kin_marker(k, j->mbody[i], &j->marker[i], &F[i]);
  hki_kin_turn_back(k, s->joint, &F[1]);
  sj->ops->coord(sj->par, s->coord, &F[0], &F[1], 0.0, g);
}

static void column(hk_reactions *r, const hk_kin *k, hk_react_coupling *x) {
  const hk_coupling *of = r->m->closures[x->closure].coupling;
  double *u = r->B + x->col0, sum = 0.0;
  memset(u, 0, (size_t)(x->n * r->ne) * sizeof *u);
  for (int32_t i = 0; i < of->n; i++) {
    const int32_t *body = r->m->joints[r->m->scalars[of->arg[i].scalar].joint].mbody;
    const double f = hki_coupling_push(k, of, i);
    hk_frame F[2];
    hk_joint_coord g;
    if (f == 0.0) continue;
    gradient(k, &of->arg[i], F, &g);
    for (int side = 0; side < 2; side++) {
      double d[3], w[6], red[6];
      int32_t b = 0;
      while (b < x->n && x->body[b] != body[side]) b++;
      if (b == x->n) continue;
      v3_sub(d, F[side].p, k->frame[body[side]].p);
      s6_wrench_to_origin(w, side ? g.gB : g.gA, d);
      hki_react_reduce(r, w, red);
      for (int32_t e = 0; e < r->ne; e++) u[b * r->ne + e] += f * red[e];
    }
  }
  for (int32_t e = 0; e < x->n * r->ne; e++) sum += u[e] * u[e];
  x->norm = sqrt(sum);
  for (int32_t e = 0; x->norm > 0.0 && e < x->n * r->ne; e++) u[e] /= x->norm;
}

void hki_react_coupling_columns(hk_reactions *r, const hk_kin *k) {
  for (int32_t i = 0; i < r->ncoupling; i++) {
    hk_react_coupling *x = &r->coupling[i];
    x->mu = x->norm = 0.0;
    if (k->disc.active[x->closure] != 0.0 && x->n) column(r, k, x);
  }
}

void hki_react_coupling_add(const hk_reactions *r, const hk_react_coupling *x, double f,
                            double *y) {
  const double *u = r->B + x->col0;
  if (!(x->norm > 0.0)) return;
  for (int32_t b = 0; b < x->n; b++)
    for (int32_t e = 0; e < r->ne; e++) y[x->eq[b] + e] += f * *u++;
}

double hki_react_coupling_pull(const hk_reactions *r, const hk_react_coupling *x, const double *y) {
  const double *u = r->B + x->col0;
  double sum = 0.0;
  if (!(x->norm > 0.0)) return 0.0;
  for (int32_t b = 0; b < x->n; b++)
    for (int32_t e = 0; e < r->ne; e++) sum += *u++ * y[x->eq[b] + e];
  return sum;
}

/* multiplier of the row */
static double multiplier(const hk_react_coupling *x) {
  return x->norm > 0.0 ? -x->mu / x->norm : 0.0;
}

void hki_react_coupling_rows(hk_reactions *r) {
  for (int32_t i = 0; i < r->ncoupling; i++)
    r->lam[r->m->closures[r->coupling[i].closure].row0] = multiplier(&r->coupling[i]);
}

void hki_react_coupling_wrenches(hk_reactions *r, const hk_kin *k) {
  for (int32_t i = 0; i < r->ncoupling; i++) {
    const hk_coupling *of = r->m->closures[r->coupling[i].closure].coupling;
    const double lam = multiplier(&r->coupling[i]);
    for (int32_t a = 0; lam != 0.0 && a < of->n; a++) {
      const int32_t j = r->m->scalars[of->arg[a].scalar].joint;
      hk_frame F[2];
      hk_joint_coord g;
      double w[6];
      gradient(k, &of->arg[a], F, &g);
      for (int e = 0; e < 6; e++) w[e] = -lam * hki_coupling_push(k, of, a) * g.gB[e];
      if (r->m->joints[j].body != HK_NONE)
        s6_axpy(r->joint[j].applied, 1.0, w);
      else
        hki_react_carry(r, k, &r->joint[j], w);
    }
  }
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * reactions_joint.c: the directions Q in which a joint can push, made orthonormal in this order:
 *
 *   tree joint:  all wrenches that do no work on the motions S of the joint
 *   cut joint:   the gradients G_B of its rows (its wrench on the second body is -G_B' lam)
 *   both:        gradients of prescribed and locked coordinates
 *
 * The multipliers follow from mu by back substitution through the orthogonalisation.
 */
#include "analyses/reactions_impl.h"
#include "base/assume.h"

void hki_react_reduce(const hk_reactions *r, const double *w, double *out) {
  double L = r->m->length, t[3];
  if (r->ne == 6) {
    for (int i = 0; i < 3; i++) out[i] = w[i] / L, out[3 + i] = w[3 + i];
    return;
  }
  m3_tmulv(t, r->axes, w + 3);
  out[0] = v3_dot(r->m->spec->normal, w) / L;
  out[1] = t[0];
  out[2] = t[1];
}

void hki_react_expand(const hk_reactions *r, const double *in, double *w) {
  double L = r->m->length;
  if (r->ne == 6) {
    for (int i = 0; i < 3; i++) w[i] = L * in[i], w[3 + i] = in[3 + i];
    return;
  }
  double t[3] = {in[1], in[2], 0.0};
  v3_scale(w, L * in[0], r->m->spec->normal);
  m3_mulv(w + 3, r->axes, t);
}

/* a twist in the components dual to reduced wrenches: their dot product is the power */
static void reduce_twist(const hk_reactions *r, const double *V, double *out) {
  double L = r->m->length, t[3];
  if (r->ne == 6) {
    for (int i = 0; i < 3; i++) out[i] = L * V[i], out[3 + i] = V[3 + i];
    return;
  }
  m3_tmulv(t, r->axes, V + 3);
  out[0] = L * v3_dot(r->m->spec->normal, V);
  out[1] = t[0];
  out[2] = t[1];
}

static double dot(const double *a, const double *b, int32_t n) {
  double s = 0.0;
  for (int32_t i = 0; i < n; i++) s += a[i] * b[i];
  return s;
}

/* makes v orthogonal to the n directions in Q (twice, for accuracy); adds the components to c (n),
 * which may be NULL */
static void orthogonalise(const double *Q, int32_t n, int32_t ne, double *v, double *c) {
  for (int pass = 0; pass < 2; pass++)
    for (int32_t i = 0; i < n; i++) {
      double x = dot(v, Q + i * ne, ne);
      for (int32_t e = 0; e < ne; e++) v[e] -= x * Q[i * ne + e];
      if (c) c[i] += x;
    }
}

/* tree joint: wrenches that do no work on its motions, the orthogonal complement of S */
static void complement(hk_reactions *r, const hk_kin *k, int32_t j) {
  hk_react_joint *x = &r->joint[j];
  const hk_model_body *mb = &r->m->bodies[r->m->joints[j].body];
  double all[12 * 6], p[3], V[6];
  int32_t ne = r->ne, n = 0;
  v3_sub(p, x->p, k->O + 3 * r->m->joints[j].body);
  for (int32_t i = mb->v0; i < mb->v0 + mb->nv && n < ne; i++) {
    double *t = all + n * ne;
    s6_twist_at(V, k->S + 6 * i, p);
    reduce_twist(r, V, t);
    double before = sqrt(dot(t, t, ne));
    orthogonalise(all, n, ne, t, NULL);
    double after = sqrt(dot(t, t, ne));
    if (!hki_assumed(after > 1e-9 * before)) continue;
    for (int32_t e = 0; e < ne; e++) t[e] /= after;
    n++;
  }
  while (n < ne) {
    double best[6] = {0}, top = -1.0, t[6];
    for (int32_t u = 0; u < ne; u++) {
      memset(t, 0, sizeof t);
      t[u] = 1.0;
      orthogonalise(all, n, ne, t, NULL);
      double s = dot(t, t, ne);
      if (s > top + 1e-9) top = s, memcpy(best, t, sizeof best);
    }
    double f = 1.0 / sqrt(top);
    for (int32_t e = 0; e < ne; e++) all[n * ne + e] = x->Q[x->n * ne + e] = f * best[e];
    n++;
    x->n++;
  }
}

/* closure row `row`, whose gradient on the second body is g (moment, force at the point p): its
 * components R in Q, and a new direction where it is independent of those before */
static void add_row(hk_reactions *r, hk_react_joint *x, int32_t row, const double *g,
                    const double *p) {
  double d[3], w[6], v[6], *R = r->R + 6 * row;
  int32_t ne = r->ne;
  v3_sub(d, p, x->p);
  s6_wrench_to_origin(w, g, d);
  hki_react_reduce(r, w, v);
  double before = sqrt(dot(v, v, ne));
  memset(R, 0, 6 * sizeof *R);
  r->pivot[row] = -1;
  orthogonalise(x->Q, x->n, ne, v, R);
  double after = sqrt(dot(v, v, ne));
  if (x->n >= ne || !hki_assumed(after > 1e-9 * before)) return;
  for (int32_t e = 0; e < ne; e++) x->Q[x->n * ne + e] = v[e] / after;
  R[x->n] = after;
  r->pivot[row] = x->n++;
}

static void add_closure(hk_reactions *r, const hk_kin *k, hk_react_joint *x, int32_t ci) {
  const hk_closure *c = &r->m->closures[ci];
  hk_frame F[2];
  hki_kin_closure_frames(k, c, F);
  if (c->kind == HK_CLOSURE_JOINT) {
    hk_joint_loop L;
    c->ops->loop(c->par, &F[0], &F[1], HK_LOOP_JAC, &L);
    for (int32_t i = 0; i < c->nrows; i++)
      add_row(r, x, c->row0 + i, L.GB + 6 * c->rows[i], F[1].p);
    return;
  }
  const hk_scalar *s = &r->m->scalars[c->scalar];
  double near = s->turn == HK_NONE ? 0.0 : k->disc.turn[s->turn] - s->zero;
  hk_joint_coord g;
  c->ops->coord(c->par, s->coord, &F[0], &F[1], near, &g);
  add_row(r, x, c->row0, g.gB, F[1].p);
}

/* x->applied: wrench on the second body of elements that act on tree coordinates of the joint */
static void applied(hk_reactions *r, const hk_kin *k, int32_t j, const hk_frame *F) {
  hk_react_joint *x = &r->joint[j];
  const hk_spec_joint *sj = &r->m->spec->joints[j];
  memset(x->applied, 0, sizeof x->applied);
  for (int32_t i = 0; i < sj->ops->ns; i++) {
    const hk_scalar *s = &r->m->scalars[r->m->joints[j].scalar0 + i];
    hk_joint_coord g;
    if (s->vi == HK_NONE || k->tau[s->vi] == 0.0) continue;
    sj->ops->coord(sj->par, i, &F[0], &F[1], 0.0, &g);
    s6_axpy(x->applied, s->sign * k->tau[s->vi], g.gB);
  }
}

void hki_react_joint_directions(hk_reactions *r, const hk_tree *s, int32_t j) {
  const hk_kin *k = &s->kin;
  const hk_model_joint *mj = &r->m->joints[j];
  hk_react_joint *x = &r->joint[j];
  hk_frame F[2];
  for (int i = 0; i < 2; i++) hki_kin_marker(k, mj->mbody[i], &mj->marker[i], &F[i]);
  v3_copy(x->p, F[1].p);
  x->n = 0;
  memset(x->mu, 0, sizeof x->mu);
  memset(x->applied, 0, sizeof x->applied);
  if (mj->body != HK_NONE) {
    complement(r, k, j);
    applied(r, k, j, F);
  }
  for (int32_t i = 0; i < x->nclo; i++) {
    int32_t c = r->clo[x->clo0 + i];
    if (k->disc.active[c] != 0.0 && !r->m->closures[c].coupling) {
      add_closure(r, k, x, c);
    } else {
      for (int32_t row = 0; row < r->m->closures[c].nrows; row++)
        r->pivot[r->m->closures[c].row0 + row] = -1;
    }
  }
}

void hki_react_joint_rows(hk_reactions *r, int32_t j) {
  const hk_react_joint *x = &r->joint[j];
  double mu[6];
  memcpy(mu, x->mu, sizeof mu);
  for (int32_t i = x->nclo - 1; i >= 0; i--) {
    const hk_closure *c = &r->m->closures[r->clo[x->clo0 + i]];
    for (int32_t row = c->row0 + c->nrows - 1; row >= c->row0; row--) {
      const double *R = r->R + 6 * row;
      int32_t p = r->pivot[row];
      r->lam[row] = 0.0;
      if (p < 0) continue;
      double f = mu[p] / R[p];
      for (int32_t e = 0; e <= p; e++) mu[e] -= f * R[e];
      r->lam[row] = -f;
    }
  }
}

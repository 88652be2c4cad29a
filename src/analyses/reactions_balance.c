/* SPDX-License-Identifier: Apache-2.0
 *
 * reactions_balance.c: balance of the bodies on loops, B mu = f, by the shortest mu.
 *
 *   (B B' + e) x = f - B mu
 *   mu          += B' x          repeated until mu no longer changes
 *
 * Each correction lies in the range of B', so mu stays the shortest solution. For the components
 * that are not unique, an arbitrary z is projected on the null space of B:
 *
 *   n = z - B'(B B')^-1 B z
 *
 * A component of a wrench that is not zero in n can change without disturbing any balance.
 */
#include "analyses/reactions_impl.h"

/* The third pass leaves round-off; those after it, where that does not halve by itself, change 1e-9 of the largest and less. Programs that
 * are made of this have their passes one after the other. */
#ifdef HK_FOLLOWED
enum { PASSES = 4 };
#else
enum { PASSES = 30 };
#endif

/* a wrench w of joint x as a column of B: on the body of one side, about its centre of mass,
 * reduced (ne) */
static void body_column(const hk_reactions *r, const hk_kin *k, const hk_react_joint *x,
                        const double *w, int side, double *out) {
  double d[3], t[6];
  v3_sub(d, x->p, k->frame[x->body[side]].p);
  s6_wrench_to_origin(t, w, d);
  hki_react_reduce(r, t, out);
  for (int32_t e = 0; e < r->ne && side == 0; e++) out[e] = -out[e];
}

/* length of the joint's columns: ne for each of its bodies in the group. Column i starts at
 * B + col0 + i * 2 ne, first body first. */
static int32_t width(const hk_reactions *r, const hk_react_joint *x) {
  return ((x->eq[0] >= 0) + (x->eq[1] >= 0)) * r->ne;
}

/* columns of B of one joint at the present state */
static void columns(hk_reactions *r, const hk_kin *k, const hk_react_joint *x) {
  for (int32_t i = 0; i < x->n; i++) {
    double w[6], *u = r->B + x->col0 + i * 2 * r->ne;
    hki_react_expand(r, x->Q + i * r->ne, w);
    for (int side = 0; side < 2; side++) {
      if (x->eq[side] < 0) continue;
      body_column(r, k, x, w, side, u);
      u += r->ne;
    }
  }
}

/* y (neq) += sign B mu for the columns of one joint; mu: x->n values */
static void add_product(const hk_reactions *r, const hk_react_joint *x, const double *mu,
                        double sign, double *y) {
  for (int32_t i = 0; i < x->n; i++) {
    const double *u = r->B + x->col0 + i * 2 * r->ne;
    for (int side = 0; side < 2; side++) {
      if (x->eq[side] < 0) continue;
      for (int32_t e = 0; e < r->ne; e++) y[x->eq[side] + e] += sign * mu[i] * u[e];
      u += r->ne;
    }
  }
}

/* component of B' y for direction i of a joint; y: neq */
static double pull(const hk_reactions *r, const hk_react_joint *x, int32_t i, const double *y) {
  const double *u = r->B + x->col0 + i * 2 * r->ne;
  double s = 0.0;
  for (int side = 0; side < 2; side++) {
    if (x->eq[side] < 0) continue;
    for (int32_t e = 0; e < r->ne; e++) s += y[x->eq[side] + e] * u[e];
    u += r->ne;
  }
  return s;
}

/* B B' + e, factorised */
static hk_status factor(hk_reactions *r, const hk_kin *k) {
  hki_ldl_zero(r->ldl, &r->num);
  for (int32_t j = 0; j < r->m->nj; j++) {
    const hk_react_joint *x = &r->joint[j];
    int32_t n = width(r, x);
    if (!n) continue;
    columns(r, k, x);
    for (int32_t i = 0; i < x->n; i++) {
      const double *u = r->B + x->col0 + i * 2 * r->ne;
      const int32_t *slot = r->slot + x->slot0;
      for (int32_t a = 0; a < n; a++)
        for (int32_t b = 0; b <= a; b++) r->num.val[*slot++] += u[a] * u[b];
    }
  }
  for (int32_t i = 0; i < r->ncoupling; i++) {
    const hk_react_coupling *x = &r->coupling[i];
    const double *u = r->B + x->col0;
    const int32_t *slot = r->slot + x->slot0;
    for (int32_t a = 0; x->norm > 0.0 && a < x->n * r->ne; a++)
      for (int32_t b = 0; b <= a; b++) r->num.val[*slot++] += u[a] * u[b];
  }
  // e is the same on the whole diagonal: where no joint holds a body, B B' is round-off of any sign
  double top = 0.0;
  for (int32_t i = 0; i < r->neq; i++) top = fmax(top, r->num.val[r->diag[i]]);
  for (int32_t i = 0; i < r->neq; i++) r->num.val[r->diag[i]] += top > 0.0 ? 1e-10 * top : 1.0;
  return hki_ldl_factor(r->ldl, &r->num, r->num.val);
}

/* f: wrench that a body on loops needs from the joints of its group, about its centre of mass,
 * reduced. It is the need F of the body, plus the needs of its subtrees outside the group, minus
 * the elements that act on joint coordinates. */
static void body_need(hk_reactions *r, const hk_kin *k) {
  const hk_model *m = r->m;
  double *need = r->A; // nb x 6, about O; the accelerations are not used any more
  memcpy(need, r->F, 6 * (size_t)m->nb * sizeof *need);
  for (int32_t b = 0; b < m->nb; b++) {
    int32_t p = m->bodies[b].parent, j = m->bodies[b].joint;
    if (p != HK_GROUND && r->group[b] != r->group[p]) s6_axpy(need + 6 * p, 1.0, r->X + 6 * b);
    if (r->group[b] < 0 || j == HK_NONE) continue;
    double d[3], w[6], sign = m->bodies[b].reversed ? -1.0 : 1.0;
    v3_sub(d, r->joint[j].p, k->O + 3 * b);
    s6_wrench_to_origin(w, r->joint[j].applied, d);
    s6_axpy(need + 6 * b, -sign, w);
    if (p != HK_GROUND && r->group[p] == r->group[b]) s6_axpy(need + 6 * p, sign, w);
  }
  for (int32_t b = 0; b < m->nb; b++) {
    double d[3], w[6];
    if (r->eq[b] < 0) continue;
    v3_sub(d, k->O + 3 * b, k->frame[b].p);
    s6_wrench_to_origin(w, need + 6 * b, d);
    hki_react_reduce(r, w, r->f + r->eq[b]);
  }
}

static double largest(const double *x, int32_t n) {
  double m = 0.0;
  for (int32_t i = 0; i < n; i++) m = fmax(m, fabs(x[i]));
  return m;
}

hk_status hki_react_balance(hk_reactions *r, const hk_tree *s) {
  const hk_model *m = r->m;
  hk_status st = factor(r, &s->kin);
  if (st != HK_OK) return st;
  body_need(r, &s->kin);
  memcpy(r->r, r->f, (size_t)r->neq * sizeof *r->r);
  double before = INFINITY;
  for (int pass = 0; pass < PASSES; pass++) {
    double top = 0.0, change = 0.0;
    memcpy(r->x, r->r, (size_t)r->neq * sizeof *r->x);
    hki_ldl_solve(r->ldl, &r->num, r->x);
    memcpy(r->r, r->f, (size_t)r->neq * sizeof *r->r);
    for (int32_t j = 0; j < m->nj; j++) {
      hk_react_joint *x = &r->joint[j];
      if (!width(r, x)) continue;
      for (int32_t i = 0; i < x->n; i++) {
        double d = pull(r, x, i, r->x);
        x->mu[i] += d;
        change = fmax(change, fabs(d));
      }
      top = fmax(top, largest(x->mu, x->n));
      add_product(r, x, x->mu, -1.0, r->r);
    }
    for (int32_t i = 0; i < r->ncoupling; i++) {
      hk_react_coupling *x = &r->coupling[i];
      const double d = hki_react_coupling_pull(r, x, r->x);
      x->mu += d;
      change = fmax(change, fabs(d));
      top = fmax(top, fabs(x->mu));
      hki_react_coupling_add(r, x, -x->mu, r->r);
    }
    if (!isfinite(change)) return HK_E_NUMBER;
    if (change <= 1e-14 * top || (pass > 2 && change > 0.9 * before)) break;
    before = change;
  }
  return HK_OK;
}

/* z = n of the file's head, from a pseudo-random vector */
static void probe(hk_reactions *r, uint64_t seed) {
  const hk_model *m = r->m;
  for (int32_t i = 0; i < 6 * m->nj; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    r->z[i] = (double)(seed >> 11) / 4503599627370496.0 - 1.0;
  }
  for (int32_t i = 0; i < r->ncoupling; i++) r->coupling[i].z = r->coupling[i].norm > 0.0;
  double before = INFINITY;
  for (int pass = 0; pass < PASSES; pass++) {
    double change = 0.0;
    memset(r->x, 0, (size_t)r->neq * sizeof *r->x);
    for (int32_t j = 0; j < m->nj; j++)
      if (width(r, &r->joint[j])) add_product(r, &r->joint[j], r->z + 6 * j, 1.0, r->x);
    for (int32_t i = 0; i < r->ncoupling; i++)
      hki_react_coupling_add(r, &r->coupling[i], r->coupling[i].z, r->x);
    hki_ldl_solve(r->ldl, &r->num, r->x);
    for (int32_t j = 0; j < m->nj; j++) {
      const hk_react_joint *x = &r->joint[j];
      for (int32_t i = 0; width(r, x) && i < x->n; i++) {
        double d = pull(r, x, i, r->x);
        r->z[6 * j + i] -= d;
        change = fmax(change, fabs(d));
      }
    }
    for (int32_t i = 0; i < r->ncoupling; i++) {
      const double d = hki_react_coupling_pull(r, &r->coupling[i], r->x);
      r->coupling[i].z -= d;
      change = fmax(change, fabs(d));
    }
    if (change <= 1e-12 || (pass > 2 && change > 0.9 * before)) break;
    before = change;
  }
}

void hki_react_unique(hk_reactions *r, uint8_t *unique) {
  const hk_model *m = r->m;
  const double *n = m->spec->normal;
  memset(unique, 1, 6 * (size_t)m->nj);
  for (uint64_t seed = 1; r->neq && seed <= 2; seed++) {
    probe(r, seed);
    for (int32_t j = 0; j < m->nj; j++) {
      const hk_react_joint *x = &r->joint[j];
      double red[6] = {0}, w[6];
      if (!width(r, x)) continue;
      for (int32_t i = 0; i < x->n; i++)
        for (int32_t e = 0; e < r->ne; e++) red[e] += r->z[6 * j + i] * x->Q[i * r->ne + e];
      hki_react_expand(r, red, w);
      for (int i = 0; i < 3; i++) {
        if (fabs(w[3 + i]) > 1e-6) unique[6 * j + i] = 0;
        if (fabs(w[i]) > 1e-6 * m->length) unique[6 * j + 3 + i] = 0;
      }
    }
  }
  // a planar model does not determine forces along its normal, nor moments in its plane
  for (int32_t j = 0; m->spec->planar && j < m->nj; j++)
    for (int i = 0; i < 3; i++) {
      if (fabs(n[i]) > 1e-9) unique[6 * j + i] = 0;
      if (fabs(n[i]) < 1.0 - 1e-9) unique[6 * j + 3 + i] = 0;
    }
}

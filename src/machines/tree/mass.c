/* SPDX-License-Identifier: Apache-2.0
 *
 * mass.c: the mass matrix of the tree, by the inertias of subtrees (composite rigid bodies):
 *
 *   M_ij = S_i . (Ic_b S_j)          j of body b, i of b and of the bodies above it
 *
 * Source: Featherstone, Rigid Body Dynamics Algorithms, 2008, section 6.2, about one point O.
 *
 * Bodies go children first, in the reverse of the model's sequence, and groups of four like bodies together where these suit
 * (mass_lanes.c); every number is formed by the same operations in the same order in both.
 */
#include "machines/tree/deep.h"
#include "machines/tree/mass.h"

/* val[slot] = S_i . F for the coordinates i from body p to the ground; returns the next slot */
static const int32_t *mass_above(const hk_link *link, int32_t p, const double *S, const double *F,
                                 const int32_t *slot, double *val) {
  const double a = F[0], b = F[1], c = F[2], d = F[3], e = F[4], f = F[5];
  for (; p != HK_GROUND; p = link[p].parent) {
    const double *s = S + 6 * (ptrdiff_t)link[p].v0;
    if (link[p].floating) {
      double x[6];
      hki_floating_dots(s, F, x);
      for (int i = 0; i < 6; i++) val[slot[i]] = x[5 - i];
      slot += 6;
      continue;
    }
    for (int32_t i = link[p].nv - 1; i >= 0; i--) {
      const double *t = s + 6 * i;
      val[*slot++] = a * t[0] + b * t[1] + c * t[2] + d * t[3] + e * t[4] + f * t[5];
    }
  }
  return slot;
}

/* The columns of a floating body, S = [(0, 1), (R, 0)]: turns w against turns and shifts, then shifts against shifts.
 *
 *   I (w, 0) = (J w, w x h)          I (0, v) = (h x v, m v)
 */
static void floating_mass(const hk_inertia *I, const double *S, const int32_t *slot, double *val) {
  for (int j = 5; j >= 3; j--) {
    const double *w = S + 6 * j, *J = I->I;
    const double a = J[0] * w[0] + J[3] * w[1] + J[4] * w[2];
    const double b = J[3] * w[0] + J[1] * w[1] + J[5] * w[2];
    const double c = J[4] * w[0] + J[5] * w[1] + J[2] * w[2];
    double F[3];
    v3_cross(F, w, I->h);
    for (int i = j; i >= 3; i--) {
      const double *t = S + 6 * i;
      val[*slot++] = a * t[0] + b * t[1] + c * t[2];
    }
    for (int i = 2; i >= 0; i--) val[*slot++] = F[i];
  }
  for (int j = 2; j >= 0; j--)
    for (int i = j; i >= 0; i--) val[*slot++] = i == j ? I->m : 0.0;
}

/* the columns of one body */
static void body_mass(hk_tree *s, int32_t b) {
  const hk_kin *k = &s->kin;
  const hk_link *l = &k->link[b];
  const int32_t *slot = s->slot_mass + s->slot_mass0[b];
  const double *S = k->S;
  double *val = s->num.val;
  if (!k->loaded[b]) return;
  if (l->floating) {
    floating_mass(&s->Ic[b], S + 6 * (ptrdiff_t)l->v0, slot, val);
    return;
  }
  for (int32_t j = l->v0 + l->nv - 1; j >= l->v0; j--) {
    double F[6];
    inertia_mul(F, &s->Ic[b], S + 6 * j);
    for (int32_t i = j; i >= l->v0; i--) val[*slot++] = s6_dot(S + 6 * i, F);
    slot = mass_above(k->link, l->parent, S, F, slot, val);
  }
  if (l->parent != HK_GROUND) inertia_add(&s->Ic[l->parent], &s->Ic[b]);
}

/* the same for a plane mechanism (kinematics/plane.c): F has three numbers, and so has S */
static void plane_mass(hk_tree *s) {
  const hk_kin *k = &s->kin;
  const double *S = k->S;
  double *val = s->num.val;
  for (int32_t b = 0; b < s->m->nb; b++) {
    const hk_inertia *I = &k->I[b];
    hk_inertia *c = &s->Ic[b];
    c->m = I->m, c->h[0] = I->h[0], c->h[1] = I->h[1], c->I[2] = I->I[2];
  }
  for (int32_t b = s->m->nb - 1; b >= 0; b--) {
    const int32_t *slot = s->slot_mass + s->slot_mass0[b], parent = k->link[b].parent;
    const double *Sb = S + 6 * b;
    const hk_inertia *I = &s->Ic[b];
    if (!k->loaded[b]) continue;
    const double n = I->I[2] * Sb[2] + (I->h[0] * Sb[4] - I->h[1] * Sb[3]);
    const double x = I->m * Sb[3] - Sb[2] * I->h[1], y = Sb[2] * I->h[0] + I->m * Sb[4];
    for (int32_t p = b; p != HK_GROUND; p = k->link[p].parent)
      val[*slot++] = n * S[6 * p + 2] + x * S[6 * p + 3] + y * S[6 * p + 4];
    if (parent == HK_GROUND) continue;
    hk_inertia *up = &s->Ic[parent];
    up->m += I->m, up->h[0] += I->h[0], up->h[1] += I->h[1], up->I[2] += I->I[2];
  }
}

/* all columns, groups of bodies together where these suit */
static void tree_mass(hk_tree *s) {
  const hk_model *m = s->m;
  const hk_kin *k = &s->kin;
  if (!k->lanes) memcpy(s->Ic, k->I, (size_t)m->nb * sizeof *s->Ic);
  for (int32_t b = 0; k->lanes && b < m->nb; b++)
    if (m->quad_of[b] < 0 || !s->quad_mass[m->quad_of[b]]) s->Ic[b] = k->I[b];
  for (int32_t i = 0; k->lanes && i < m->nquad; i++)
    if (s->quad_mass[i]) hki_mass4_start(&k->lanes[i]);
  for (int32_t t = m->nseq - 1; t >= 0; t--) {
    const int32_t b = m->seq[t], quad = -1 - b;
    if (b >= 0)
      body_mass(s, b);
    else if (k->lanes && s->quad_mass[quad])
      hki_mass4(s, quad);
    else
      for (int i = HK_LANE4 - 1; i >= 0; i--) body_mass(s, m->quad[quad].body[i]);
  }
}

void hki_tree_mass(hk_tree *s) {
  const hk_model *m = s->m;
  const hk_kin *k = &s->kin;
  double *val = s->num.val;
  if (hki_deep_closes(s)) {
    hki_deep_mass(s);
    return;
  }
  HK_ASSERT(s->ldl); // hki_tree_matrix first
  HK_KNOWN(k, HK_KIN_POSITIONS);
  for (int32_t i = 0; i < s->nzero; i++) val[s->slot_zero[i]] = 0.0;
  if (k->plane)
    plane_mass(s);
  else
    tree_mass(s);
  if (m->wide_inert) hki_tree_add_wide_mass(s);
  for (int32_t i = 0; i < m->nv; i++) s->mass[i] = val[s->slot_diag[i]];
}

/* --- which groups go together ----------------------------------------------------------------- */

/* All four are loaded, or none; above them are groups in the same order, then one body or the ground. */
static bool upwards(const hk_tree *s, int32_t quad) {
  const hk_kin *k = &s->kin;
  const int32_t *b = s->m->quad[quad].body;
  for (int i = 1; i < HK_LANE4; i++)
    if (k->loaded[b[i]] != k->loaded[b[0]]) return false;
  for (; k->lanes[quad].from >= 0; quad = k->lanes[quad].from) {}
  return k->lanes[quad].ground || k->lanes[quad].one;
}

void hki_mass4_find(hk_tree *s) {
  const hk_model *m = s->m;
  const hk_kin *k = &s->kin;
  if (!k->lanes) return;
  for (int32_t i = 0; i < m->nquad; i++) s->quad_mass[i] = upwards(s, i);
  // what a body adds its inertia to must go in lanes where the body does
  for (int32_t b = m->nb - 1; b >= 0; b--) {
    const int32_t p = m->bodies[b].parent, q = m->quad_of[b];
    if (p == HK_GROUND || m->quad_of[p] < 0 || !k->loaded[b]) continue;
    if (q < 0 || k->lanes[q].from != m->quad_of[p]) s->quad_mass[m->quad_of[p]] = 0;
  }
  // groups above and below one that goes body by body do so too; parents have the lower numbers
  for (int32_t i = m->nquad - 1; i >= 0; i--)
    if (!s->quad_mass[i] && k->lanes[i].from >= 0) s->quad_mass[k->lanes[i].from] = 0;
  for (int32_t i = 0; i < m->nquad; i++)
    if (k->lanes[i].from >= 0 && !s->quad_mass[k->lanes[i].from]) s->quad_mass[i] = 0;
}

void hki_tree_mass_diagonal(hk_tree *s) {
  const hk_kin *k = &s->kin;
  HK_KNOWN(k, HK_KIN_POSITIONS);
  memcpy(s->Ic, k->I, (size_t)s->m->nb * sizeof *s->Ic);
  for (int32_t b = s->m->nb - 1; b >= 0; b--) {
    const hk_link *l = &k->link[b];
    for (int32_t j = l->v0; j < l->v0 + l->nv; j++) {
      double F[6];
      inertia_mul(F, &s->Ic[b], k->S + 6 * j);
      s->mass[j] = s6_dot(k->S + 6 * j, F);
    }
    if (l->parent != HK_GROUND) inertia_add(&s->Ic[l->parent], &s->Ic[b]);
  }
}

void hki_tree_mass_mul(hk_tree *s, const double *x, double *y) {
  const hk_kin *k = &s->kin;
  const int32_t nb = s->m->nb;
  HK_KNOWN(k, HK_KIN_POSITIONS);
  s->pressed = false;
  for (int32_t b = 0; b < nb; b++) {
    const hk_link *l = &k->link[b];
    double *A = s->A + 6 * b;
    for (int i = 0; i < 6; i++) A[i] = l->parent == HK_GROUND ? 0.0 : s->A[6 * l->parent + i];
    for (int32_t j = l->v0; j < l->v0 + l->nv; j++) s6_axpy(A, x[j], k->S + 6 * j);
    inertia_mul(s->F + 6 * b, &k->I[b], A);
  }
  for (int32_t b = nb - 1; b >= 0; b--) {
    const hk_link *l = &k->link[b];
    for (int32_t j = l->v0; j < l->v0 + l->nv; j++) y[j] = s6_dot(k->S + 6 * j, s->F + 6 * b);
    if (l->parent != HK_GROUND) s6_axpy(s->F + 6 * l->parent, 1.0, s->F + 6 * b);
  }
}

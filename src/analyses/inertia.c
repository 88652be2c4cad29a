/* SPDX-License-Identifier: Apache-2.0
 *
 * inertia.c: motions x that no mass resists, Phi_z x = 0 and M x = 0: the null vectors of
 *
 *   M + Phi_z' alpha Phi_z
 *
 * which appear as pivots that are zero up to round-off. Inertia is added to one such coordinate
 * after the other until the matrix is regular; the solution for a force on it is the motion.
 */
#include "analyses/inertia.h"

#include <stdio.h>

/* M: rows of coordinates whose diagonal is round-off of the inertias it is made of become zero. A
 * rod without inertia about its axis is such a case wherever it has turned to. */
static void clean_mass(hk_tree *s) {
  const hk_model *m = s->m;
  for (int32_t b = 0; b < m->nb; b++) {
    const hk_inertia *I = &s->Ic[b];
    const double spin = I->I[0] + I->I[1] + I->I[2];
    for (int32_t i = m->bodies[b].v0; i < m->bodies[b].v0 + m->bodies[b].nv; i++) {
      const double *S = s->kin.S + 6 * i;
      const double size = v3_dot(S, S) * spin + v3_dot(S + 3, S + 3) * I->m;
      if (fabs(s->mass[i]) > 1e-14 * size) continue;
      s->mass[i] = 0.0;
      for (int32_t j = 0; j < m->nv; j++) {
        const int32_t slot = hki_ldl_slot(s->ldl, i, j);
        if (slot >= 0) s->num.val[slot] = 0.0;
      }
    }
  }
}

double hki_inertia_matrix(hk_tree *s, const hk_held *held) {
  double top = 0.0;
  hki_tree_mass(s);
  clean_mass(s);
  for (int32_t i = 0; i < s->m->nv; i++) top = fmax(top, s->mass[i] * (s->scale[i] * s->scale[i]));
  if (!(top > 0.0)) top = s->m->length * s->m->length;
  hki_tree_penalty(s, 1.0, 1.0);
  hki_tree_add_closures(s, 1.0);
  for (int32_t i = 0; held && i < s->m->nv; i++)
    if (hki_held_has(held, i, 1)) s->num.val[s->slot_diag[i]] += top / (s->scale[i] * s->scale[i]);
  return top;
}

bool hki_inertia_free(hk_tree *s, const hk_held *held, double *x) {
  const double top = hki_inertia_matrix(s, held);
  int32_t first = HK_NONE;
  double weight = 0.0;
  // at most one addition for each coordinate
  for (int32_t n = 0; n <= s->m->nv && hki_tree_factor(s) == HK_E_SINGULAR; n++) {
    const int32_t k = s->num.bad;
    const double w = top / (s->scale[k] * s->scale[k]);
    if (first == HK_NONE) first = k, weight = w;
    s->num.val[s->slot_diag[k]] += w;
  }
  if (first == HK_NONE) return false;
  memset(x, 0, (size_t)s->m->nv * sizeof *x);
  x[first] = weight;
  hki_ldl_solve(s->ldl, &s->num, x);
  return true;
}

/* angular velocity and velocity of the centre of mass of body b in the motion with twists s->A */
static void motion_of(const hk_tree *s, int32_t b, double *w, double *v) {
  double r[3], t[3];
  const double *V = s->A + 6 * b;
  v3_copy(w, V);
  v3_sub(r, s->kin.frame[b].p, s->kin.O + 3 * b);
  v3_cross(t, w, r);
  for (int i = 0; i < 3; i++) v[i] = V[3 + i] + t[i];
}

void hki_inertia_words(hk_tree *s, const double *x, char *buf, size_t cap) {
  const hk_model *m = s->m;
  double most = 0.0, w[3] = {0}, v[3] = {0}, own[3], axis[3];
  int32_t at = 0;
  snprintf(buf, cap, "some motion is free");
  for (int32_t b = 0; b < m->nb; b++) {
    const hk_model_body *mb = &m->bodies[b];
    double *V = s->A + 6 * b, size;
    for (int i = 0; i < 6; i++) V[i] = mb->parent < 0 ? 0.0 : s->A[6 * mb->parent + i];
    for (int32_t j = mb->v0; j < mb->v0 + mb->nv; j++)
      for (int i = 0; i < 6; i++) V[i] += s->kin.S[6 * j + i] * x[j];
    motion_of(s, b, w, v);
    size = fmax(v3_norm(w) * m->length, v3_norm(v));
    if (size > (1.0 + 1e-9) * most) most = size, at = b;
  }
  if (!(most > 0.0) || !isfinite(most)) return;
  motion_of(s, at, w, v);
  const bool turns = v3_norm(w) * m->length >= v3_norm(v);
  // in the axes that channels report
  m3_tmulv(own, s->kin.frame[at].R, turns ? w : v);
  m3_tmulv(axis, m->bodies[at].own.R, own);
  v3_scale(axis, 1.0 / v3_norm(axis), axis);
  const char *name = m->spec->bodies[m->bodies[at].spec].name;
  for (int i = 0; i < 3; i++)
    if (fabs(axis[i]) > 1.0 - 1e-6) {
      snprintf(buf, cap, "body '%.200s' can %s its %c axis", name,
               turns ? "turn about" : "move along", "xyz"[i]);
      return;
    }
  snprintf(buf, cap, "body '%.200s' can %s its direction [%.3g, %.3g, %.3g]", name,
           turns ? "turn about" : "move along", axis[0], axis[1], axis[2]);
}

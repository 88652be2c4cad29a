/* SPDX-License-Identifier: Apache-2.0
 *
 * own.c: forces that act on the joint of one body alone, whose tangents E the recursive formulation
 * has in the joint blocks of the articulated inertias (recursive.c):
 *
 *   E = (K + cv C)/ca                                           one block per joint
 */
#include "formulations/recursive/recursive.h"

/* own: forces whose path lies within the joint of one body */
void hki_recursive_find_own(hk_recursive *f) {
  const hk_model *m = f->s->m;
  for (int32_t i = 0; i < m->nf; i++) {
    const int32_t b = hki_tree_joint_of(m, &m->forces[i].path);
    if (b == HK_NONE) continue;
    f->own[f->nown] = i;
    f->own_body[f->nown++] = b;
    if (f->joint) f->joint[i] = 1;
  }
}

/* E += tangent of the inputs of force fi that read the coordinate they drive alone (of body b), where
 * it resists motion; the other inputs are in the border of s */
static void own_inputs(hk_recursive *f, int32_t fi, const hk_model_body *b, double cv, double ca,
                       double *E) {
  const hk_kin *k = &f->s->kin;
  const hk_model *m = f->s->m;
  for (int32_t n = 0; n < f->s->ninput; n++) {
    const hk_tree_input *in = &f->s->input[n];
    if (in->force != fi || !in->own) continue;
    const size_t row = (size_t)k->sig_grad[in->signal] * (size_t)m->nv;
    const int32_t dof = in->sup[0], at = dof - b->v0;
    const double fu = k->fu[k->fu0[fi] + in->input];
    double x = -fu * (k->sig_dq[row + (size_t)dof] + cv * k->sig_dv[row + (size_t)dof]) / ca;
    if (x > 0.0) E[at * b->nv + at] += x;
  }
}

/* E of the stage at the present state, evaluated with HK_FORCES_TANGENT. K and C of a force with a
 * negative diagonal entry are left out. */
void hki_recursive_own_tangents(hk_recursive *f) {
  const hk_kin *k = &f->s->kin;
  const hk_model *m = f->s->m;
  const double cv = f->st.cv, ca = f->st.ca;
  memset(f->E, 0, (size_t)hki_aba_blocks(m) * sizeof *f->E);
  for (int32_t o = 0; o < f->nown; o++) {
    const hk_force_row *row = &k->row[f->own[o]];
    const hk_path *p = &m->forces[f->own[o]].path;
    const hk_model_body *b = &m->bodies[f->own_body[o]];
    double *E = f->E + f->aba.d0[f->own_body[o]];
    if (row->rank == 1 && p->n == 1) {
      const double w = (row->ks[0] + cv * row->cs[0]) / ca, g = k->fz[row->z0];
      if (w > 0.0) E[(p->dof[0] - b->v0) * (b->nv + 1)] += w * (g * g);
      own_inputs(f, f->own[o], b, cv, ca, E);
      continue;
    }
    bool softens = false;
    for (int32_t r = 0; r < row->rank; r++) softens |= row->ks[7 * r] + cv * row->cs[7 * r] < 0.0;
    for (int32_t x = 0; !softens && x < row->rank * row->rank; x++) {
      const int32_t r = x / row->rank, c = x % row->rank;
      const double *g = k->fz + row->z0 + r * p->n, *h = k->fz + row->z0 + c * p->n;
      const double w = (row->ks[6 * r + c] + cv * row->cs[6 * r + c]) / ca;
      for (int32_t i = 0; w != 0.0 && i < p->n; i++)
        for (int32_t j = 0; j < p->n; j++)
          E[(p->dof[i] - b->v0) * b->nv + p->dof[j] - b->v0] +=
              0.5 * w * (g[i] * h[j] + h[i] * g[j]);
    }
    own_inputs(f, f->own[o], b, cv, ca, E);
  }
}

/* r += E (a - a*) */
void hki_recursive_add_own(const hk_recursive *f, const double *a, double *r) {
  const hk_model *m = f->s->m;
  for (int32_t b = 0; b < m->nb; b++) {
    const int32_t n = m->bodies[b].nv, v0 = m->bodies[b].v0;
    const double *E = f->E + f->aba.d0[b];
    for (int32_t i = 0; i < n; i++)
      for (int32_t j = 0; j < n; j++) r[v0 + i] += E[i * n + j] * (a[v0 + j] - f->as[v0 + j]);
  }
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * own.c: tangents of forces on single joints as blocks of the joints; equations in own.h.
 */
#include "machines/tree/own.h"

void hki_own_layout(hk_own *o, const hk_model *m, hk_arena *a) {
  o->force = HK_TAKE(a, int32_t, m->nf);
  o->body = HK_TAKE(a, int32_t, m->nf);
  o->joint = HK_TAKE(a, uint8_t, m->nf);
  o->E = HK_TAKE(a, double, hki_aba_blocks(m));
}

void hki_own_init(hk_own *o, const hk_model *m) {
  o->n = 0;
  for (int32_t i = 0; i < m->nf; i++) {
    const int32_t b = hki_tree_joint_of(m, &m->forces[i].path);
    o->joint[i] = b != HK_NONE;
    if (b == HK_NONE) continue;
    o->force[o->n] = i;
    o->body[o->n++] = b;
  }
}

/* E += tangent of the inputs of force fi that read the coordinate they drive alone (of body b); the
 * other inputs are in the border of s */
static void own_inputs(const hk_tree *s, int32_t fi, const hk_model_body *b, double cC, double cK,
                       bool firm, double *E) {
  const hk_kin *k = &s->kin;
  for (int32_t n = 0; n < s->ninput; n++) {
    const hk_tree_input *in = &s->input[n];
    if (in->force != fi || !in->own) continue;
    const size_t row = (size_t)k->sig_grad[in->signal] * (size_t)s->m->nv;
    const int32_t dof = in->sup[0], at = dof - b->v0;
    const double fu = k->fu[k->fu0[fi] + in->input];
    const double x = -fu * (cK * k->sig_dq[row + (size_t)dof] + cC * k->sig_dv[row + (size_t)dof]);
    if (!firm || x > 0.0) E[at * b->nv + at] += x;
  }
}

/* E += the symmetric part of B' w B, w = cK ks + cC cs; softening ones where they are wanted */
static void add_rows(const hk_kin *k, const hk_force_row *row, const hk_path *p,
                     const hk_model_body *b, double cC, double cK, bool firm, double *E) {
  for (int32_t r = 0; firm && r < row->rank; r++)
    if (cK * row->ks[7 * r] + cC * row->cs[7 * r] < 0.0) return;
  for (int32_t x = 0; x < row->rank * row->rank; x++) {
    const int32_t r = x / row->rank, c = x % row->rank;
    const double *g = k->fz + row->z0 + r * p->n, *h = k->fz + row->z0 + c * p->n;
    const double w = cK * row->ks[6 * r + c] + cC * row->cs[6 * r + c];
    for (int32_t i = 0; w != 0.0 && i < p->n; i++)
      for (int32_t j = 0; j < p->n; j++)
        E[(p->dof[i] - b->v0) * b->nv + p->dof[j] - b->v0] += 0.5 * w * (g[i] * h[j] + h[i] * g[j]);
  }
}

void hki_own_tangents(hk_own *o, const hk_tree *s, const hk_aba *aba, double cC, double cK,
                      bool firm) {
  const hk_kin *k = &s->kin;
  const hk_model *m = s->m;
  HK_KNOWN(k, HK_KIN_TANGENTS);
  memset(o->E, 0, (size_t)hki_aba_blocks(m) * sizeof *o->E);
  for (int32_t i = 0; i < o->n; i++) {
    const hk_model_body *b = &m->bodies[o->body[i]];
    double *E = o->E + aba->d0[o->body[i]];
    add_rows(k, &k->row[o->force[i]], &m->forces[o->force[i]].path, b, cC, cK, firm, E);
    own_inputs(s, o->force[i], b, cC, cK, firm, E);
  }
}

void hki_own_add(const hk_own *o, const hk_aba *aba, const double *a, const double *b, double *r) {
  const hk_model *m = aba->m;
  for (int32_t i = 0; i < m->nb; i++) {
    const int32_t n = m->bodies[i].nv, v0 = m->bodies[i].v0;
    const double *E = o->E + aba->d0[i];
    for (int32_t j = 0; j < n; j++)
      for (int32_t k = 0; k < n; k++) r[v0 + j] += E[j * n + k] * (a[v0 + k] - b[v0 + k]);
  }
}

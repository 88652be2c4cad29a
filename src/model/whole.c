/* SPDX-License-Identifier: Apache-2.0
 *
 * whole.c: what everything that reads a compiled model relies on, asserted at the end of its
 * compilation: parents before children, coordinates and rows numbered without gaps, indices within
 * their arrays.
 */
#include "model/work.h"

static bool within(int32_t i, int32_t n) { return i >= 0 && i < n; }
static bool is_body(const hk_model *m, int32_t b) { return b == HK_GROUND || within(b, m->nb); }

static bool path_is_whole(const hk_model *m, const hk_path *p) {
  for (int32_t i = 0; i < p->n; i++)
    if (!within(p->dof[i], m->nv) || p->side[i] < 1 || p->side[i] > 3) return false;
  return true;
}

static bool bodies_are_whole(const hk_model *m) {
  int32_t q = 0, v = 0;
  for (int32_t b = 0; b < m->nb; b++) {
    const hk_model_body *mb = &m->bodies[b];
    if (mb->parent != HK_GROUND && !within(mb->parent, b)) return false;
    if (mb->q0 != q || mb->v0 != v || mb->last < b || mb->last >= m->nb) return false;
    if (b < m->nsimple && (mb->nq != 1 || mb->nv != 1)) return false;
    q += mb->nq, v += mb->nv;
  }
  return q == m->nq && v == m->nv;
}

static bool closures_are_whole(const hk_model *m) {
  int32_t row = 0;
  for (int32_t c = 0; c < m->nc; c++) {
    const hk_closure *cl = &m->closures[c];
    if (cl->row0 != row || cl->nrows < 0 || cl->nrows > HK_JOINT_MAX) return false;
    if (!is_body(m, cl->body[0]) || !is_body(m, cl->body[1])) return false;
    if (cl->kind == HK_CLOSURE_COORD && !within(cl->scalar, m->ns)) return false;
    if ((cl->kind == HK_CLOSURE_COUPLING) != (cl->coupling != NULL)) return false;
    for (int32_t r = 0; r < cl->nrows; r++)
      if (cl->row_signal[r] != HK_NONE && !within(cl->row_signal[r], m->spec->nsignals))
        return false;
    if (!path_is_whole(m, &cl->path)) return false;
    row += cl->nrows;
  }
  return row == m->nrows;
}

static bool forces_are_whole(const hk_model *m) {
  for (int32_t i = 0; i < m->nf; i++) {
    const hk_model_force *f = &m->forces[i];
    for (int32_t k = 0; k < f->ops->nmark; k++)
      if (!is_body(m, f->body[k])) return false;
    if (f->ops->nscal && !within(f->scalar, m->ns)) return false;
    if (f->d0 < 0 || f->d0 + f->nd > m->nd) return false;
    for (int32_t k = 0; k < f->ops->nnode + f->ops->nown; k++)
      if (!within(f->x[k], m->nx + 1 + m->nheld)) return false;
    if (!path_is_whole(m, &f->path)) return false;
  }
  return true;
}

static bool wide_are_whole(const hk_model *m) {
  for (int32_t i = 0; i < m->nwide; i++) {
    const hk_model_wide *e = &m->wide[i];
    if (e->nmark < 1 || e->nmark > m->wide_most || e->ndof > m->wide_dofs) return false;
    for (int32_t k = 0; k < e->nmark; k++)
      if (!is_body(m, e->body[k])) return false;
    for (int32_t k = 0; k < e->at0[e->nmark]; k++)
      if (!within(e->at[k], e->ndof)) return false;
  }
  return true;
}

bool hki_work_is_whole(const hk_model *m) {
  return bodies_are_whole(m) && closures_are_whole(m) && forces_are_whole(m) && wide_are_whole(m);
}

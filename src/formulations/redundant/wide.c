/* SPDX-License-Identifier: Apache-2.0
 *
 * wide.c: elements on several markers in the matrix of the redundant formulation: blocks of all pairs
 * of their bodies, with the whole tangents cK K + cC C N (kinematics/wide.h; N as in matrix.c). Models
 * with such elements are not planar: bodies have six unknowns, nodes without rotation three.
 */
#include "formulations/redundant/redundant.h"
#include "kinematics/wide.h"

/* index: unknowns of the bodies of an element; returns their number */
static int32_t unknowns(const hk_bodies *c, const hk_model_wide *e, int32_t *index) {
  int32_t n = 0;
  for (int32_t a = 0; a < 6 * e->nmark; a++) {
    const int32_t at = hki_bodies_entry(c, e->body[a / 6], a % 6);
    if (at >= 0) index[n++] = at;
  }
  return n;
}

void hki_redundant_pattern_wide(const hk_redundant *r, hk_pattern *p) {
  const hk_model *m = r->c->m;
  int32_t *index = hki_alloc(r->ctx, (size_t)(6 * m->wide_most + 1) * sizeof *index);
  if (!index) p->status = HK_E_MEMORY;
  for (int32_t i = 0; index && i < m->nwide; i++)
    hki_pattern_clique(p, unknowns(r->c, &m->wide[i], index), index);
  hki_free(r->ctx, index);
}

bool hki_redundant_slot_wide(hk_redundant *r) {
  const hk_model *m = r->c->m;
  size_t all = 0;
  for (int32_t i = 0; i < m->nwide; i++)
    all += 36 * (size_t)m->wide[i].nmark * (size_t)m->wide[i].nmark;
  int32_t *slot = r->slot_wide = hki_pool_alloc(r->c->pool, (all + 1) * sizeof *slot);
  for (int32_t i = 0; slot && i < m->nwide; i++) {
    const hk_model_wide *e = &m->wide[i];
    for (int32_t a = 0; a < 6 * e->nmark; a++)
      for (int32_t b = 0; b < 6 * e->nmark; b++) {
        const int32_t x = hki_bodies_entry(r->c, e->body[a / 6], a % 6);
        const int32_t y = hki_bodies_entry(r->c, e->body[b / 6], b % 6);
        *slot++ = x < 0 || y < 0 ? -1 : hki_linsolve_entry(r->ls, x, y);
      }
  }
  return r->slot_wide != NULL;
}

void hki_redundant_add_wide(hk_redundant *r, double cC, double cK) {
  const hk_model *m = r->c->m;
  const int32_t *slot = r->slot_wide;
  for (int32_t i = 0; i < m->nwide; i++) {
    const hk_model_wide *e = &m->wide[i];
    const hk_wide_out *out = hki_kin_wide(&r->c->it, i, HK_NEED_FORCE | HK_NEED_EXACT);
    const int32_t n = 6 * e->nmark;
    for (int32_t a = 0; a < n; a++)
      for (int32_t s = 0; s < e->nmark; s++, slot += 6) {
        double x[6], y[3];
        // the ground, or a moment on a node without rotation
        if (slot[3] < 0) continue;
        for (int c = 0; c < 6; c++) x[c] = cK * out->K[(ptrdiff_t)n * a + 6 * s + c];
        if (out->damped) {
          const double *C = out->C + (ptrdiff_t)n * a + 6 * s;
          m3_tmulv(y, r->N + 9 * e->body[s], C);
          for (int c = 0; c < 3; c++) x[c] += cC * y[c], x[3 + c] += cC * C[3 + c];
        }
        for (int c = slot[0] < 0 ? 3 : 0; c < 6; c++) r->ls->val[slot[c]] += x[c];
      }
  }
}

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

/* where the tangents go */
typedef struct tangents {
  hk_redundant *r;
  const int32_t *slot; /* of the next element */
  double cC, cK;
} tangents;

/* adds those of one element */
static void take(void *user, int32_t i, const hk_wide_out *out) {
  tangents *t = user;
  const hk_redundant *r = t->r;
  const hk_model_wide *e = &r->c->m->wide[i];
  const double cC = t->cC, cK = t->cK;
  const int32_t n = 6 * e->nmark, *slot = t->slot;
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
  t->slot = slot;
}

void hki_redundant_add_wide(hk_redundant *r, double cC, double cK) {
  tangents t = {r, r->slot_wide, cC, cK};
  hki_kin_wide_each(&r->c->it, HK_NEED_FORCE | HK_NEED_EXACT, take, &t);
}

/* B (3 x 3) at (row, col) of X (n columns) becomes P B Q; P or Q NULL: 1 */
static void turn_block(double *X, ptrdiff_t n, ptrdiff_t row, ptrdiff_t col, const double *P,
                       const double *Q) {
  double B[9], T[9];
  for (int i = 0; i < 9; i++) B[i] = X[n * (row + i / 3) + col + i % 3];
  if (P) m3_mul(T, P, B), memcpy(B, T, sizeof B);
  if (Q) m3_mul(T, B, Q), memcpy(B, T, sizeof B);
  for (int i = 0; i < 9; i++) X[n * (row + i / 3) + col + i % 3] = B[i];
}

/* rotations of X in rows and columns from the axes of bodies to those of the world; columns then times
 * N, NULL: as they are */
static void to_world(const hk_bodies *c, const hk_model_wide *e, const double *N, double *X) {
  const ptrdiff_t n = 6 * (ptrdiff_t)e->nmark;
  for (int32_t s = 0; s < e->nmark; s++) {
    const double *R = c->it.frame[e->body[s]].R;
    double Q[9], T[9];
    m3_transpose(Q, R);
    if (N) m3_mul(T, Q, N + 9 * e->body[s]), memcpy(Q, T, sizeof Q);
    for (int32_t k = 0; k < 2 * e->nmark; k++) {
      turn_block(X, n, 6 * (ptrdiff_t)s, 3 * (ptrdiff_t)k, R, NULL);
      turn_block(X, n, 3 * (ptrdiff_t)k, 6 * (ptrdiff_t)s, NULL, Q);
    }
  }
}

void hki_redundant_add_wide_inertia(hk_redundant *r, double cM, double cC, double cK, bool chart) {
  const hk_bodies *c = r->c;
  const int32_t *slot = r->slot_wide;
  for (int32_t i = 0; i < c->m->nwide; i++) {
    const hk_model_wide *e = &c->m->wide[i];
    const ptrdiff_t n = 6 * (ptrdiff_t)e->nmark;
    if (!e->ops->inertia) {
      slot += n * n;
      continue;
    }
    const hk_wide_inertia *out = hki_bodies_wide_inertia(c, i, c->a, HK_NEED_MASS | HK_NEED_EXACT);
    for (ptrdiff_t k = 0; k < n * n; k++) out->M[k] = cM * out->M[k] + cC * out->C[k];
    to_world(c, e, chart ? r->N : NULL, out->M);
    to_world(c, e, NULL, out->K);
    for (int32_t s = 0; s < e->nmark; s++) {
      // moments turn with the body
      double x[3], S[9];
      m3_mulv(x, c->it.frame[e->body[s]].R, out->F + 6 * (ptrdiff_t)s);
      m3_skew(S, x);
      for (int k = 0; k < 9; k++) out->K[n * (6 * s + k / 3) + 6 * s + k % 3] -= S[k];
    }
    for (ptrdiff_t k = 0; k < n * n; k++, slot++)
      if (*slot >= 0) r->ls->val[*slot] += out->M[k] + cK * out->K[k];
  }
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * paths.c: the coordinates that move a pair of markers. Relative motion of two bodies depends only
 * on the coordinates below their common ancestor; elements that depend on absolute motion get the
 * chains up to the root. Chains of single bodies share memory: the chain of an ancestor is the
 * beginning of the chain of its descendant.
 */
#include "model/work.h"

/* number of velocities of the bodies from below `top` down to `body` */
static int32_t count(const hk_model *m, int32_t body, int32_t top) {
  int32_t n = 0;
  for (; body != top; body = m->bodies[body].parent) n += m->bodies[body].nv;
  return n;
}

/* writes these velocities, root first, into the entries before `end` */
static void fill(const hk_model *m, int32_t body, int32_t top, uint8_t bit, int32_t *dof,
                 uint8_t *side, int32_t end) {
  for (; body != top; body = m->bodies[body].parent) {
    const hk_model_body *b = &m->bodies[body];
    for (int32_t k = b->nv - 1; k >= 0; k--) {
      end--;
      dof[end] = b->v0 + k;
      side[end] = bit;
    }
  }
}

/* nearest common ancestor of two bodies, or the ground */
static int32_t common(const hk_model *m, int32_t a, int32_t b) {
  while (a != b) {
    int32_t da = a < 0 ? -1 : m->bodies[a].depth, db = b < 0 ? -1 : m->bodies[b].depth;
    if (da >= db) a = m->bodies[a].parent;
    if (db >= da) b = m->bodies[b].parent;
  }
  return a;
}

/* the coordinates above `top`, which move both markers, if `shared`; then those of a, then of b */
static bool make(hk_model *m, int32_t a, int32_t b, int32_t top, bool shared, hk_path *out) {
  int32_t n0 = shared ? count(m, top, HK_GROUND) : 0;
  int32_t n1 = n0 + count(m, a, top), n2 = n1 + count(m, b, top);
  int32_t *dof = hki_pool_alloc(m->pool, (size_t)n2 * sizeof *dof);
  uint8_t *side = hki_pool_alloc(m->pool, (size_t)n2);
  if (!dof || !side) return false;
  if (shared) fill(m, top, HK_GROUND, 3, dof, side, n0);
  fill(m, a, top, 1, dof, side, n1);
  fill(m, b, top, 2, dof, side, n2);
  *out = (hk_path){n2, dof, side};
  return true;
}

bool hki_path_between(hk_model *m, int32_t a, int32_t b, hk_path *out) {
  return make(m, a, b, common(m, a, b), false, out);
}

bool hki_path_full(hk_work *w, int32_t a, int32_t b, hk_path *out) {
  return make(w->m, a, b, common(w->m, a, b), true, out);
}

struct hk_chains {
  hk_model *m;
  bool *want;          /* nb: a path is needed */
  int32_t *n;          /* nb: velocities from the root to the body, itself included */
  const int32_t **dof; /* nb: an array that begins with the body's chain */
  uint8_t *side;       /* ones, as many as the longest chain has velocities */
};

hk_chains *hki_chains_create(hk_work *w) {
  hk_model *m = w->m;
  hk_chains *c = HK_SCRATCH(w, hk_chains, 1);
  if (!c) return NULL;
  c->m = m;
  c->want = HK_SCRATCH(w, bool, m->nb + 1);
  c->n = HK_SCRATCH(w, int32_t, m->nb + 1);
  c->dof = HK_SCRATCH(w, const int32_t *, m->nb + 1);
  return c->want && c->n && c->dof ? c : NULL;
}

void hki_chains_want(hk_chains *c, int32_t body) {
  if (body >= 0) c->want[body] = true;
}

bool hki_chains_build(hk_chains *c) {
  hk_model *m = c->m;
  int32_t longest = 0;
  for (int32_t i = 0; i < m->nb; i++) {
    const hk_model_body *b = &m->bodies[i];
    c->n[i] = b->nv + (b->parent < 0 ? 0 : c->n[b->parent]);
    if (c->want[i] && c->n[i] > longest) longest = c->n[i];
  }
  c->side = hki_pool_alloc(m->pool, (size_t)longest);
  if (!c->side) return false;
  memset(c->side, 1, (size_t)longest);
  // descendants first, so that ancestors share their chains
  for (int32_t i = m->nb - 1; i >= 0; i--) {
    if (!c->want[i] || c->dof[i]) continue;
    int32_t *dof = hki_pool_alloc(m->pool, (size_t)c->n[i] * sizeof *dof);
    if (!dof) return false;
    fill(m, i, HK_GROUND, 1, dof, c->side, c->n[i]);
    for (int32_t b = i; b >= 0; b = m->bodies[b].parent) c->dof[b] = dof;
  }
  return true;
}

void hki_chains_single(const hk_chains *c, int32_t body, hk_path *out) {
  *out = body < 0 ? (hk_path){0, NULL, NULL} : (hk_path){c->n[body], c->dof[body], c->side};
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * bends.c: second derivatives of the functions of couplings in the matrix. A row phi(s) with the
 * multiplier lam and the gradients g_i of its coordinates adds
 *
 *   d(G' lam)/dx = lam (sum phi_i H_i + sum phi_ij g_i g_j')
 *
 * The first sum belongs to single coordinates (matrix.c), the second connects the bodies of all.
 */
#include "formulations/redundant/redundant.h"

static bool bends(const hk_bodies_set *s) {
  return s->coupling && !s->part && hki_coupling_bends(s->coupling) && !s->rate_rows;
}

/* index (2 nd): places of the variations of both bodies, -1: ground */
static void places(const hk_bodies *c, const hk_bodies_set *s, int32_t *index) {
  for (int32_t j = 0; j < 2 * c->nd; j++)
    index[j] = hki_bodies_entry(c, s->body[j / c->nd], j % c->nd);
}

void hki_redundant_pattern_bends(const hk_redundant *r, hk_pattern *p) {
  const hk_bodies *c = r->c;
  for (int32_t i = 0; c->m->nslope && i < c->nset; i++) {
    int32_t all[12 * HK_COUPLED], n = 0;
    if (!bends(&c->set[i])) continue;
    for (int32_t k = 0; k < c->set[i].coupling->n; k++) {
      int32_t index[12];
      places(c, &c->set[i + k], index);
      for (int32_t j = 0; j < 2 * c->nd; j++)
        if (index[j] >= 0) all[n++] = index[j];
    }
    hki_pattern_clique(p, n, all);
  }
}

bool hki_redundant_slot_bends(hk_redundant *r) {
  const hk_bodies *c = r->c;
  const int32_t w = 2 * c->nd;
  int32_t pairs = 0, a[12], b[12];
  for (int32_t i = 0; c->m->nslope && i < c->nset; i++)
    if (bends(&c->set[i])) pairs += c->set[i].coupling->n * c->set[i].coupling->n;
  if (!pairs) return true;
  int32_t *slot = r->slot_bend =
      hki_pool_alloc(c->pool, (size_t)(pairs * w * w) * sizeof *r->slot_bend);
  if (!slot) return false;
  for (int32_t i = 0; i < c->nset; i++)
    for (int32_t k = 0; bends(&c->set[i]) && k < c->set[i].coupling->n; k++)
      for (int32_t l = 0; l < c->set[i].coupling->n; l++) {
        places(c, &c->set[i + k], a);
        places(c, &c->set[i + l], b);
        for (int32_t e = 0; e < w * w; e++) {
          const int32_t row = a[e / w], col = b[e % w];
          *slot++ = row < 0 || col < 0 ? -1 : hki_linsolve_entry(r->ls, row, col);
        }
      }
  return true;
}

void hki_redundant_add_bends(hk_redundant *r, const double *lam, double s, bool push) {
  const hk_bodies *c = r->c;
  const int32_t w = 2 * c->nd, *slot = r->slot_bend;
  double v[HK_COUPLED], vd[HK_COUPLED], h[HK_COUPLED * HK_COUPLED];
  for (int32_t i = 0; slot && i < c->nset; i++) {
    const hk_bodies_set *set = &c->set[i];
    if (!bends(set)) continue;
    const int32_t n = set->coupling->n;
    const bool on = hki_bodies_active(c, set) && !(push && set->coupling->servo);
    if (on) hki_bodies_coupled(c, i, v, vd), hki_coupling_bend(&c->it, set->coupling, v, vd, h);
    for (int32_t k = 0; k < n * n; k++, slot += w * w) {
      const double f = on ? s * lam[set->row0] * h[k] : 0.0;
      const double *gi = c->plain + w * (set->line0 + k / n);
      const double *gj = c->plain + w * (set->line0 + k % n);
      for (int32_t e = 0; f != 0.0 && e < w * w; e++)
        if (slot[e] >= 0) r->ls->val[slot[e]] += f * gi[e / w] * gj[e % w];
    }
  }
}

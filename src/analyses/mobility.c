/* SPDX-License-Identifier: Apache-2.0
 *
 * mobility.c: degrees of freedom by rank.
 *
 *   dof = velocities - independent closure rows - removed spins of massless rods
 *
 * Grübler's count would be wrong wherever rows depend on one another. Positions have more freedom
 * than velocities where rows bind velocities only: a rolling disc can reach any place of its plane.
 */
#include "analyses/doctor.h"
#include "analyses/rank.h"

hk_status hki_mobility(hk_tree *s, double t, const double *q, const double *v, hk_mobility *out) {
  const hk_model *m = s->m;
  hk_rank rank;
  hk_pool *pool = hki_pool_create(s->ctx);
  *out = (hk_mobility){0};
  if (!pool) return HK_E_MEMORY;
  // a tree: every coordinate is a freedom
  if (!m->nrows) {
    hki_pool_destroy(pool);
    out->dof = m->nv;
    for (int32_t b = 0; b < m->nb; b++) out->dof -= m->bodies[b].spin_removed;
    out->places = out->dof;
    return HK_OK;
  }
  hki_kin_state(&s->kin, t, q, v);
  hki_kin_signals(&s->kin, false);
  hki_kin_closures(&s->kin);
  hki_kin_closure_bias(&s->kin);
  hki_tree_reach(s);
  hk_status st = hki_rank(s, pool, HK_RANK_RATES, &rank);
  out->rows = rank.rows;
  out->rank = rank.rank;
  out->redundant = rank.rows - rank.rank;
  out->dof = m->nv - rank.rank;
  for (int32_t b = 0; b < m->nb; b++) out->dof -= m->bodies[b].spin_removed;
  out->places = out->dof;
  if (st == HK_OK && m->nrate) {
    hk_rank places;
    st = hki_rank(s, pool, 0, &places);
    out->places += rank.rank - places.rank;
  }
  hki_pool_destroy(pool);
  return st;
}

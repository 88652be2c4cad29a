/* SPDX-License-Identifier: Apache-2.0
 *
 * cost.c: memory and time of the tree machine before it is made.
 *
 * The mass matrix of a tree has, for body b with nv_b velocities and n_b velocities above it on the
 * way to the ground,
 *
 *   nv_b (n_b + (nv_b + 1)/2)
 *
 * entries in its lower triangle, and elimination from the leaves adds none: no order needs fewer.
 * Where this sum alone is too large nothing else is counted; otherwise the pattern with closures and
 * forces is analysed as for the matrix itself, without its numbers.
 */
#include "machines/tree/tree.h"

/* seconds per body, per closure row, per force and its path, per entry and multiplication of the
 * matrix; rough, for comparing formulations */
static const double per_body = 0.30e-6, per_row = 0.05e-6, per_force = 0.10e-6, per_path = 5e-9,
                    per_wide = 8e-6, per_entry = 2e-9, per_work = 0.14e-9;

/* entries that M has at least, in the order in which parents come before children */
static double mass_entries(const hk_model *m) {
  double sum = 0.0;
  for (int32_t b = 0; b < m->nb; b++) {
    // velocities above: all those on the path from the ground
    const hk_model_body *mb = &m->bodies[b];
    sum += (double)mb->nv * ((double)mb->nabove + 0.5 * (mb->nv + 1));
  }
  return sum;
}

double hki_tree_mass_work(const hk_model *m) {
  double work = 0.0;
  for (int32_t b = 0; b < m->nb; b++)
    for (int32_t j = 0; j < m->bodies[b].nv; j++) {
      const double below = m->bodies[b].nabove + j;
      work += 0.5 * below * (below + 3.0);
    }
  return work;
}

double hki_tree_mass_seconds(const hk_model *m) {
  return per_entry * mass_entries(m) + per_work * hki_tree_mass_work(m);
}

static double triangle(double n) { return 0.5 * n * (n + 1.0); }

/* slots of closures and forces, entries of the lists of places */
static double path_entries(const hk_model *m) {
  double sum = 0.0;
  for (int32_t c = 0; c < m->nc; c++) sum += triangle(m->closures[c].path.n);
  for (int32_t f = 0; f < m->nf; f++) sum += triangle(m->forces[f].path.n);
  for (int32_t i = 0; i < m->nwide; i++) sum += triangle(m->wide[i].ndof);
  return sum;
}

static hk_status matrix_cost(hk_ctx *ctx, const hk_model *m, double most, hk_cost *out) {
  const double mass = mass_entries(m), paths = path_entries(m);
  // values, factors and slots; slots of paths, twice where they must be cleared
  const double least = 20.0 * mass + 4.0 * paths;
  if (least > most || mass > 5e8 || paths > 5e8) {
    out->bytes += least, out->least = true;
    return HK_OK;
  }
  const int32_t failures = hki_memory_failures(ctx);
  hk_tree s = {.ctx = ctx, .m = m, .pool = hki_pool_create(ctx)};
  hk_status st = s.pool ? hki_tree_analyse(&s, fmin(most / 16.0, 5e8)) : HK_E_MEMORY;
  if (st == HK_OK) {
    hk_ldl_stats stats;
    hki_ldl_get_stats(s.ldl, &stats);
    const double slots = mass + paths + fmin(paths, stats.values) + m->nv;
    out->bytes += stats.bytes + 4.0 * slots + (double)hki_pool_bytes(s.pool);
    out->bytes += 8.0 * hki_tree_few(m, s.ldl);
    out->seconds += per_entry * (mass + paths) + per_work * stats.work;
    hki_ldl_destroy(s.ldl);
  } else if (st == HK_E_MEMORY && hki_memory_failures(ctx) == failures) {
    // the fill passed the limit
    out->bytes = fmax(out->bytes + least, most), out->least = true;
    st = HK_OK;
  }
  if (s.pool) hki_pool_destroy(s.pool);
  return st;
}

hk_status hki_tree_cost(hk_ctx *ctx, const hk_model *m, bool matrix, double most, hk_cost *out) {
  *out = (hk_cost){.bytes = (double)hki_tree_vector_bytes(m)};
  out->seconds = per_body * m->nb + per_row * m->nrows + per_force * m->nf;
  for (int32_t c = 0; c < m->nc; c++)
    out->seconds += per_path * (double)m->closures[c].nrows * m->closures[c].path.n;
  for (int32_t f = 0; f < m->nf; f++) out->seconds += per_path * m->forces[f].path.n;
  out->seconds += per_wide * m->nwide;
  return matrix ? matrix_cost(ctx, m, most, out) : HK_OK;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * bridge.c: the simulations of a batch, one for each thread, each in a context of its own but for the first. Worlds have no
 * end: their simulations go on behind the end time of the model.
 */
#include "batch/batch_impl.h"

enum { STEPS = 100000000 }; /* that a world may take */

static void endless(hk_sim *s) { s->end = fmax(s->end, STEPS * s->step); }

hk_status hki_bridge_create(hk_batch *b) {
  b->bridge = hki_pool_alloc(b->pool, (size_t)b->parts * sizeof *b->bridge);
  if (!b->bridge) return HK_E_MEMORY;
  b->bridge[0].ctx = b->ctx;
  hk_status st = hk_sim_create_in(b->ctx, b->model, b->opt.sim, &b->bridge[0].sim);
  if (st != HK_OK) return st;
  hk_sim *s = b->bridge[0].sim;
  if (s->free.on)
    return hki_error(b->ctx, HK_E_USAGE, HK_LOC_NONE,
                     "take an integrator with steps of given length",
                     "a batch takes steps that are the same for all worlds, not such that are "
                     "chosen by their error");
  endless(s);
  b->bytes = hki_state_size(s);
  b->first = hki_pool_alloc(b->pool, b->bytes);
  if (!b->first) return HK_E_MEMORY;
  hki_state_get(s, b->first, true);
  return HK_OK;
}

hk_status hki_bridge_ready(hk_batch *b) {
  hk_status st = HK_OK;
  if (b->bridged) return HK_OK;
  for (int32_t i = 1; i < b->parts && st == HK_OK; i++) {
    hk_bridge *g = &b->bridge[i];
    if (!g->ctx) g->ctx = hk_ctx_create();
    st = g->ctx ? HK_OK : HK_E_MEMORY;
    if (st == HK_OK && !g->sim) st = hk_sim_clone(b->bridge[0].sim, g->ctx, &g->sim);
    if (st == HK_OK) endless(g->sim);
  }
  b->bridged = st == HK_OK;
  return st;
}

void hki_bridge_destroy(hk_batch *b) {
  for (int32_t i = 0; b->bridge && i < b->parts; i++) {
    hk_sim_destroy(b->bridge[i].sim);
    if (i) hk_ctx_destroy(b->bridge[i].ctx);
  }
}

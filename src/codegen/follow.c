/* SPDX-License-Identifier: Apache-2.0
 *
 * follow.c: a model as a plan of a program that was seen to be right.
 *
 * Sines without the turns of their angles (graph.h) differ from the library's by round-off. Reactions of redundant loops multiply it by
 * 1e5, and numbers that are nothing but round-off are others: a program that shows this is followed once more, with the turns.
 */
#include "codegen/follow.h"

/* Books of motions begin with what is no number (simulation/sim_work.c); a program takes that for a failure. */
static bool starts_well(const hk_plan *p) {
  for (int32_t i = 0; i < p->nx; i++) {
    const double x = p->t->states[p->cell[i]].start;
    if (x != x) return false;
  }
  return true;
}

hk_status hki_follow(hk_ctx *ctx, const hk_model_bytes *m, const char *const *names, int32_t nkept,
                     int32_t branch, bool packs, hk_followed **trace, hk_plan *plan) {
  for (bool books = true, turns = false;;) {
    hk_setup *setup = NULL;
    hk_status st = HK_OK;
    *trace = NULL;
    if (nkept)
      st =
          hki_setup_create(ctx, m->kernel, m->nkernel, m->bundle, m->nbundle, names, nkept, &setup);
    if (st != HK_OK) return hki_setup_destroy(setup), st;
    const bool muted = hki_ctx_mute(ctx, turns); // what is left out has been told of
    st = hki_trace_create(ctx, m->kernel, m->nkernel, m->bundle, m->nbundle, setup, books, !packs,
                          turns, trace);
    hki_ctx_mute(ctx, muted);
    if (st == HK_OK) st = hki_plan_create(*trace, branch, packs, plan);
    if (st != HK_OK) return st;
    const bool starts = !(*trace)->booked || starts_well(plan), more = (*trace)->g.unturned;
    if (starts && setup) st = hki_setup_plan(setup, plan);
    if (starts && st == HK_OK) st = more ? hki_check_quietly(plan, m) : hki_check(plan, m, NULL);
    if (starts && !(st == HK_E_MODEL && more)) return st;
    if (starts)
      turns = true;
    else
      books = false;
    hki_trace_destroy(*trace);
  }
}

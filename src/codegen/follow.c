/* SPDX-License-Identifier: Apache-2.0
 *
 * follow.c: a model as a plan of a program that was seen to be right.
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
  for (bool books = true;; books = false) {
    hk_setup *setup = NULL;
    hk_status st = HK_OK;
    *trace = NULL;
    if (nkept)
      st =
          hki_setup_create(ctx, m->kernel, m->nkernel, m->bundle, m->nbundle, names, nkept, &setup);
    if (st != HK_OK) return hki_setup_destroy(setup), st;
    st = hki_trace_create(ctx, m->kernel, m->nkernel, m->bundle, m->nbundle, setup, books, !packs,
                          trace);
    if (st == HK_OK) st = hki_plan_create(*trace, branch, packs, plan);
    if (st == HK_OK && !((*trace)->booked && !starts_well(plan))) {
      if (setup) st = hki_setup_plan(setup, plan);
      return st == HK_OK ? hki_check(plan, m, NULL) : st;
    }
    if (st != HK_OK) return st;
    hki_trace_destroy(*trace);
  }
}

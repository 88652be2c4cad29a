/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_clone.c: the state of a simulation (state.c) out and in, clones, and steps that are taken back.
 * The states before the last steps are a ring of blobs, which hk_sim_keep allocates.
 */
#include <stdio.h>

#include "simulation/live.h"

static bool is_sim(const hk_sim *s) { return hki_is(s, HK_MARK_SIM); }

static hk_status misuse(const hk_sim *s, const char *function, const char *what) {
  return is_sim(s) ? hki_misuse(s->ctx, function, what)
                   : hki_misuse(NULL, function, "no simulation");
}

/* --- the state out and in ----------------------------------------------------------------------- */

size_t hk_sim_state_size(const hk_sim *s) { return is_sim(s) ? hki_state_size((hk_sim *)s) : 0; }

hk_status hk_sim_state_get(hk_sim *s, void *blob, size_t size) {
  if (!is_sim(s) || !blob) return misuse(s, "hk_sim_state_get", "no place for the state");
  if (size != hki_state_size(s))
    return misuse(s, "hk_sim_state_get", "the size must be that of hk_sim_state_size");
  hki_state_get(s, blob, true);
  return HK_OK;
}

hk_status hk_sim_state_set(hk_sim *s, const void *blob, size_t size) {
  double t;
  if (!is_sim(s) || !blob) return misuse(s, "hk_sim_state_set", "no state");
  const char *why = hki_state_fault(s, blob, size, &t);
  if (!why && t > s->end) why = "its time is behind the end of the simulation";
  if (why)
    return hki_error(s->ctx, HK_E_USAGE, HK_LOC_NONE, NULL, "this state cannot be used: %s", why);
  return hki_state_replace(s, blob);
}

/* --- clones ------------------------------------------------------------------------------------- */

hk_status hki_sim_remember_options(hk_sim *s, const hk_sim_options *opt) {
  hk_sim_options *g = &s->given;
  *g = *opt;
  hk_option *list = hki_pool_alloc(s->pool, ((size_t)opt->noptions + 1) * sizeof *list);
  bool ok = list != NULL;
  for (int32_t i = 0; ok && i < opt->noptions; i++) {
    list[i].name = hki_pool_strdup(s->pool, opt->options[i].name);
    list[i].value = hki_pool_strdup(s->pool, opt->options[i].value);
    ok = list[i].name && list[i].value;
  }
  g->options = list;
  if (opt->formulation) g->formulation = hki_pool_strdup(s->pool, opt->formulation);
  if (opt->integrator) g->integrator = hki_pool_strdup(s->pool, opt->integrator);
  ok = ok && (!opt->formulation || g->formulation) && (!opt->integrator || g->integrator);
  return ok ? HK_OK : HK_E_MEMORY;
}

/* was the formulation chosen by what it costs? */
static bool was_chosen(const hk_sim *s) {
  const char *name = s->given.formulation ? s->given.formulation : s->m->spec->run.formulation;
  return !name || strcmp(name, HK_AUTO) == 0;
}

/* options that give the same simulation again: the choice may depend on how much memory is left, which
 * changes */
hk_sim_options hki_sim_same_options(const hk_sim *s) {
  hk_sim_options opt = s->given;
  if (was_chosen(s)) opt.formulation = s->fe->ops->name;
  return opt;
}

hk_status hk_sim_clone(hk_sim *s, hk_ctx *ctx, hk_sim **out) {
  if (out) *out = NULL;
  if (!is_sim(s) || !out) return misuse(s, "hk_sim_clone", "no place for the clone");
  if (ctx && !hki_is(ctx, HK_MARK_CTX)) return misuse(s, "hk_sim_clone", "no context");
  const hk_sim_options opt = hki_sim_same_options(s);
  hk_sim *c = NULL;
  const size_t bytes = hki_state_size(s);
  hk_status st = hk_sim_create_in(ctx ? ctx : s->ctx, s->base, &opt, &c);
  unsigned char *blob = st == HK_OK ? hki_alloc(c->ctx, bytes) : NULL;
  if (st == HK_OK && !blob) st = HK_E_MEMORY;
  if (st == HK_OK) {
    hki_state_get(s, blob, false);
    st = hki_state_replace(c, blob);
  }
  if (c) hki_free(c->ctx, blob);
  if (st == HK_OK) {
    snprintf(c->why, sizeof c->why, "%s", s->why);
    c->status = s->status;
    snprintf(c->message, sizeof c->message, "%s", s->message);
    *out = c;
    st = hki_sim_copy_handles(c, s);
  }
  if (st != HK_OK) {
    *out = NULL;
    hk_sim_destroy(c);
  }
  return st;
}

/* the state at the start, from a simulation that is made for it, in a context of its own: what it has
 * to say has been said */
static hk_status find_first(hk_sim *s) {
  const hk_sim_options opt = hki_sim_same_options(s);
  hk_sim *fresh = NULL;
  hk_ctx *quiet = hk_ctx_create();
  unsigned char *first = hki_pool_alloc(s->pool, hki_state_size(s));
  hk_status st = quiet && first ? hki_sim_create(quiet, s->m, &opt, &fresh) : HK_E_MEMORY;
  if (st == HK_OK) {
    memcpy(fresh->live, s->live, (size_t)s->m->spec->nparameters * sizeof *s->live);
    hki_state_get(fresh, first, false), s->first = first;
  }
  hk_sim_destroy(fresh);
  hk_ctx_destroy(quiet);
  return st;
}

hk_status hk_sim_reset(hk_sim *s) {
  if (!is_sim(s)) return misuse(s, "hk_sim_reset", "");
  hk_status st = s->first ? HK_OK : find_first(s);
  return st == HK_OK ? hki_state_replace(s, s->first) : st;
}

/* --- steps that are taken back -------------------------------------------------------------------- */

hk_status hk_sim_keep(hk_sim *s, int32_t steps) {
  if (!is_sim(s) || steps < 0) return misuse(s, "hk_sim_keep", "the number of steps is negative");
  const size_t bytes = hki_state_size(s);
  if ((double)bytes * steps > s->memory)
    return hki_error(s->ctx, HK_E_MEMORY, HK_LOC_NONE, "keep fewer",
                     "%d states of %.3g MB each are more than the memory that the run may take",
                     (int)steps, 1e-6 * (double)bytes);
  unsigned char *ring = NULL;
  if (steps) {
    ring = hki_alloc(s->ctx, bytes * (size_t)steps);
    if (!s->spare) s->spare = hki_pool_alloc(s->pool, bytes);
    if (!ring || !s->spare) {
      hki_free(s->ctx, ring);
      return HK_E_MEMORY;
    }
  }
  hki_free(s->ctx, s->ring);
  s->ring = ring;
  s->ring_bytes = bytes;
  s->ring_size = steps;
  s->ring_last = -1, s->ring_kept = 0;
  return HK_OK;
}

int32_t hk_sim_kept(const hk_sim *s) { return is_sim(s) ? s->ring_kept : 0; }

void hki_sim_keep_step(hk_sim *s) {
  if (!s->ring_size) return;
  s->ring_last = (s->ring_last + 1) % s->ring_size;
  if (s->ring_kept < s->ring_size) s->ring_kept++;
  hki_state_get(s, s->ring + (size_t)s->ring_last * s->ring_bytes, false);
}

hk_status hk_sim_rollback(hk_sim *s, int32_t steps) {
  if (!is_sim(s) || steps < 1 || steps > s->ring_kept)
    return misuse(s, "hk_sim_rollback", "so many steps are not kept; see hk_sim_keep");
  const int32_t at = (s->ring_last - (steps - 1) + s->ring_size) % s->ring_size;
  hk_status st = hki_state_replace(s, s->ring + (size_t)at * s->ring_bytes);
  if (st != HK_OK) return st;
  s->ring_kept -= steps;
  s->ring_last = (at - 1 + s->ring_size) % s->ring_size;
  return HK_OK;
}

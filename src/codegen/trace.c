/* SPDX-License-Identifier: Apache-2.0
 *
 * trace.c: follows a step of the kernel.
 */
#include "codegen/setup.h"

#include <stdio.h>
#include <string.h>

#include "codegen/failures.h"

enum { WARM_STEPS = 3 };

/* --- cells ------------------------------------------------------------------------------------ */

/* addresses of numbers that bear a mark; n: how many */
static uint32_t *marked(hk_followed *t, uint8_t mark, int32_t *n) {
  const hk_guest *m = &t->m;
  int32_t count = 0;
  for (uint32_t i = 0; i < m->size; i++)
    count += (m->marks[i] & mark) && (m->marks[i] & HK_BYTE_REAL);
  uint32_t *at = hki_pool_alloc(t->pool, ((size_t)count + 1) * sizeof *at);
  *n = 0;
  for (uint32_t i = 0; i < m->size && at; i++)
    if ((m->marks[i] & mark) && (m->marks[i] & HK_BYTE_REAL)) at[(*n)++] = i;
  return at;
}

static void clear_marks(hk_guest *m, uint8_t mark) {
  for (uint32_t i = 0; i < m->size; i++) m->marks[i] &= (uint8_t)~mark;
}

/* The number in a cell. It is one also where it was stored as a whole one (a constant, copied). false: it is none now, and who asks for it
 * all the same is told so (plan.c): memory that calls use for their own ends may hold something else, and parameters have none. */
static bool read_cell(hk_followed *t, uint32_t at, hk_slot *out) {
  const bool nobodys = at >= HK_SETUP_AT || hki_cells_free(&t->m, at);
  if (!nobodys && hki_cells_look(&t->m, at, out)) return true;
  if (!nobodys && !hki_cells_of_calls(&t->m, at) && hki_cells_load(&t->m, at, 8, out) == HK_OK &&
      !out->node)
    return out->real = true;
  *out = (hk_slot){.node = hki_graph_op(&t->g, HK_G_LOST, 0, 0, 0)};
  return false;
}

/* a cell is known by name from now on; `was`: what it held */
static hk_status put_load(hk_followed *t, uint32_t at, hk_node *load, hk_slot *was) {
  *load = 0;
  if (!read_cell(t, at, was)) return HK_OK;
  hk_slot x = *was;
  *load = x.node = hki_graph_load(&t->g, at);
  return hki_cells_store(&t->m, at, 8, x);
}

hk_trace_cell *hki_trace_cell(const hk_trace_loop *l, uint32_t at) {
  int32_t lo = 0, hi = l->n - 1;
  while (lo < hi) {
    const int32_t mid = (lo + hi) / 2;
    if (l->cells[mid].at < at)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo <= hi && l->cells[lo].at == at ? &l->cells[lo] : NULL;
}

hk_trace_state *hki_trace_state(const hk_followed *t, uint32_t at) {
  int32_t lo = 0, hi = t->nstates - 1;
  while (lo < hi) {
    const int32_t mid = (lo + hi) / 2;
    if (t->states[mid].at < at)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo <= hi && t->states[lo].at == at ? &t->states[lo] : NULL;
}

/* --- marks of the kernel ---------------------------------------------------------------------- */

/* whole numbers that differ between the beginnings of the first turn and the second */
static hk_status find_flags(hk_followed *t) {
  hk_trace_loop *l = &t->loops[t->loop];
  const hk_guest *m = &t->m;
  int32_t n = 0;
  for (int pass = 0; pass < 2; pass++) {
    if (pass) l->flags = hki_pool_alloc(t->pool, ((size_t)n + 1) * sizeof *l->flags);
    if (pass && !l->flags) return HK_E_MEMORY;
    n = 0;
    for (uint32_t i = 0; i < m->size; i++) {
      const uint8_t mark = m->marks[i], size = mark / HK_BYTE_SIZE;
      if (!(mark & HK_BYTE_LOOPED) || (mark & HK_BYTE_REAL) || !size) continue;
      if (memcmp(t->turn + i, m->mem + i, size) == 0) continue;
      if (pass) {
        l->flags[n] = (hk_trace_flag){.at = i, .n = size};
        memcpy(&l->flags[n].first, t->turn + i, size);
        memcpy(&l->flags[n].later, m->mem + i, size);
      }
      n++;
    }
  }
  l->nflags = n;
  return HK_OK;
}

/* the cells of an iteration that bear its mark join those that are known */
static hk_status join_cells(hk_followed *t, hk_trace_loop *l) {
  int32_t n, k = 0, all = 0;
  const uint32_t *at = marked(t, HK_BYTE_LOOPED, &n);
  hk_trace_cell *both =
      at ? hki_pool_alloc(t->pool, ((size_t)n + (size_t)l->n + 1) * sizeof *both) : NULL;
  if (!both) return HK_E_MEMORY;
  for (int32_t i = 0; i < n || k < l->n;) {
    if (k == l->n || (i < n && at[i] < l->cells[k].at))
      both[all++] = (hk_trace_cell){.at = at[i++]};
    else
      i += i < n && at[i] == l->cells[k].at, both[all++] = l->cells[k++];
  }
  if (all > l->n) t->again = true;
  l->cells = both, l->n = all;
  clear_marks(&t->m, HK_BYTE_LOOPED);
  return HK_OK;
}

/* the same for the cells that a step stores; start: memory at the start of the run */
static hk_status join_states(hk_followed *t) {
  int32_t n, k = 0, all = 0;
  for (int32_t i = 0; i < t->ninputs; i++) // known by name too, although no step stores them
    t->m.marks[t->u + 8 * (uint32_t)i] |= HK_BYTE_WRITTEN | HK_BYTE_REAL;
  hki_setup_mark(t->setup, &t->m);
  const uint32_t *at = marked(t, HK_BYTE_WRITTEN, &n);
  hk_trace_state *both =
      at ? hki_pool_alloc(t->pool, ((size_t)n + (size_t)t->nstates + 1) * sizeof *both) : NULL;
  if (!both) return HK_E_MEMORY;
  for (int32_t i = 0; i < n || k < t->nstates;) {
    if (k == t->nstates || (i < n && at[i] < t->states[k].at))
      both[all++] = (hk_trace_state){.at = at[i++], .number = -1};
    else
      i += i < n && at[i] == t->states[k].at, both[all++] = t->states[k++];
  }
  if (all > t->nstates) t->again = true;
  t->states = both, t->nstates = all;
  for (int32_t i = 0; i < t->ninputs; i++) hki_trace_state(t, t->u + 8 * (uint32_t)i)->held = true;
  hki_setup_hold(t);
  return HK_OK;
}

/* a step that shows what is stored: the cells of this iteration */
static hk_status warm_mark(hk_followed *t, uint64_t what) {
  if (t->loop >= HK_TRACE_LOOPS) return hki_guest_fail(&t->m, "too many iterations in a step");
  if (what == HK_TRACE_LOOP) {
    t->m.writing = HK_BYTE_WRITTEN | HK_BYTE_LOOPED;
    memcpy(t->turn, t->m.mem, t->m.size);
    return HK_OK;
  }
  if (what == HK_TRACE_TURN) return find_flags(t);
  t->m.writing = HK_BYTE_WRITTEN;
  hk_trace_loop *l = &t->loops[t->loop++];
  if (t->loop > t->nloops) t->nloops = t->loop;
  return join_cells(t, l);
}

/* flags of an iteration are those of its first turn or of the others */
static hk_status put_flags(hk_followed *t, hk_trace_loop *l) {
  const hk_node first = hki_graph_op(&t->g, HK_G_FIRST, 0, 0, 0);
  t->g.nodes[first].part = t->g.part;
  hk_status st = HK_OK;
  for (int32_t i = 0; i < l->nflags && st == HK_OK; i++) {
    const hk_trace_flag *f = &l->flags[i];
    const hk_node a = hki_graph_int(&t->g, (int64_t)f->first),
                  b = hki_graph_int(&t->g, (int64_t)f->later);
    hk_slot x = {.bits = f->first, .node = hki_graph_op(&t->g, HK_G_CHOICE, first, a, b)};
    st = hki_cells_store(&t->m, f->at, f->n, x);
  }
  return st;
}

static hk_status mark(hk_followed *t, uint64_t what) {
  if (t->warm) return warm_mark(t, what);
  if (t->loop >= t->nloops) return hki_guest_fail(&t->m, "an iteration that comes and goes");
  hk_trace_loop *l = &t->loops[t->loop];
  hk_status st = HK_OK;
  if (t->g.region) return hki_guest_fail(&t->m, "an iteration that is made or not by the state");
  t->m.writing = HK_BYTE_WRITTEN;
  if (what == HK_TRACE_END) st = hki_loose_find(&t->m, HK_BYTE_LOOPED, &l->loose, &t->again);
  if (what == HK_TRACE_END && st == HK_OK) st = join_cells(t, l);
  t->g.part++;
  for (int32_t i = 0; i < l->n && st == HK_OK; i++) {
    hk_trace_cell *c = &l->cells[i];
    const bool begins = what == HK_TRACE_LOOP;
    // what every turn leaves the same is known behind the iteration
    if (!begins && read_cell(t, c->at, &c->next) && !c->next.node) continue;
    st = put_load(t, c->at, begins ? &c->load : &c->after, begins ? &c->init : &c->next);
  }
  if (what == HK_TRACE_LOOP && st == HK_OK) st = put_flags(t, l);
  if (what == HK_TRACE_LOOP && st == HK_OK) st = hki_loose_put(&t->m, &l->loose);
  if (what == HK_TRACE_LOOP) t->m.writing = HK_BYTE_WRITTEN | HK_BYTE_LOOPED;
  if (what == HK_TRACE_END) t->loop++;
  return st;
}

static void failed(hk_guest *m, hk_node condition) {
  hk_followed *t = m->user;
  if (t->nfailures == t->cap_failures) {
    const int32_t cap = 2 * t->cap_failures + 256;
    void *more = hki_realloc(t->ctx, t->failures, (size_t)cap * sizeof *t->failures);
    if (!more) {
      t->g.failed = true;
      return;
    }
    t->failures = more, t->cap_failures = cap;
  }
  t->failures[t->nfailures].part = t->g.part;
  t->failures[t->nfailures++].condition = condition;
}

/* A number that chooses from a table is assumed to be what it is now; whether it stays so is seen at the end of the step
 * (check_ranges). Cells of iterations have the range of the same cell of the state. */
static bool cell_range(hk_guest *m, hk_node load, double *lo, double *hi) {
  hk_followed *t = m->user;
  hk_trace_state *s = hki_trace_state(t, hki_graph_at(&t->g, load)->cell);
  double now;
  if (!s) return false;
  memcpy(&now, t->saved + s->at, sizeof now);
  if (!s->ranged) s->ranged = true, s->lo = s->hi = now;
  *lo = s->lo, *hi = s->hi;
  return true;
}

/* what chooses from a table must stay in the range that was assumed, else the step is followed again */
static hk_status check_ranges(hk_followed *t) {
  for (int32_t i = 0; i < t->nstates; i++) {
    hk_trace_state *s = &t->states[i];
    double lo, hi;
    if (!s->ranged) continue;
    if (!s->final.node)
      lo = hi = hki_slot_double(s->final);
    else if (!hki_guest_range(&t->m, s->final.node, &lo, &hi))
      return hki_guest_fail(&t->m, "a choice from a table by a number that can be anything");
    if (lo >= s->lo && hi <= s->hi) continue;
    s->lo = lo < s->lo ? lo : s->lo, s->hi = hi > s->hi ? hi : s->hi;
    t->again = true;
  }
  return HK_OK;
}

/* the way that leads here is not for the program: where a step takes it, it fails */
static hk_status refuse(hk_followed *t) {
  if (t->warm) return HK_OK;
  if (!t->g.region) return hki_guest_fail(&t->m, "a step that the library has to take each time");
  failed(&t->m, hki_graph_way(&t->g));
  return HK_OK;
}

static hk_status say(hk_followed *t, uint32_t at, uint32_t n) {
  if (at > t->m.size || n > t->m.size - at) return HK_OK;
  snprintf(t->text, sizeof t->text, "%.*s", (int)(n < 500 ? n : 500), (const char *)t->m.mem + at);
  return HK_OK;
}

static hk_status import(hk_guest *m, const char *name, hk_slot *a, hk_slot *out) {
  hk_followed *t = m->user;
  if (strstr(name, "mark")) return mark(t, a[0].bits);
  if (strstr(name, "parameter")) return *out = hki_setup_value(t, a), HK_OK;
  if (strstr(name, "turns")) return *out = (hk_slot){.bits = t->warm ? 2 : 1}, HK_OK;
  if (strstr(name, "refuse")) return refuse(t);
  if (strstr(name, "example")) {
    hki_guest_settle(m, &a[0]);
    return *out = (hk_slot){.bits = a[0].bits}, HK_OK;
  }
  if (strstr(name, "say")) return say(t, (uint32_t)a[0].bits, (uint32_t)a[1].bits);
  if (strstr(name, "value")) {
    if (!t->warm && t->loop < t->nloops) {
      hk_trace_loop *l = &t->loops[t->loop];
      hk_node *const all[] = {&l->step, &l->constraint, &l->by_rate, &l->whole, &l->kept};
      *all[a[0].bits - 1] = hki_slot_real(m, a[1]);
    }
    return HK_OK;
  }
  // files: there are none
  *out = (hk_slot){.bits = 8};
  return HK_OK;
}

/* --- the step --------------------------------------------------------------------------------- */

/* a few steps with known numbers; the cells that they store become the state */
static hk_status take_steps(hk_followed *t) {
  hk_status st = HK_OK;
  t->warm = true;
  clear_marks(&t->m, HK_BYTE_WRITTEN | HK_BYTE_LOOPED);
  for (int k = 0; k < WARM_STEPS && st == HK_OK; k++) {
    t->loop = 0;
    t->m.writing = HK_BYTE_WRITTEN;
    st = hki_trace_ask(t, "gx_step", 0, 0, 0);
  }
  t->m.writing = 0;
  t->warm = false;
  return st == HK_OK ? join_states(t) : st;
}

/* memory as it is now is what following a step begins with */
static hk_status save(hk_followed *t) {
  const size_t n = t->m.size, g = (size_t)t->mod.nglobals;
  clear_marks(&t->m, HK_BYTE_WRITTEN | HK_BYTE_LOOPED);
  t->saved = hki_alloc(t->ctx, 2 * n);
  t->saved_globals = hki_alloc(t->ctx, (g + 1) * sizeof *t->saved_globals);
  if (!t->saved || !t->saved_globals) return HK_E_MEMORY;
  memcpy(t->saved, t->m.mem, n);
  memcpy(t->saved + n, t->m.marks, n);
  memcpy(t->saved_globals, t->mod.globals, g * sizeof *t->saved_globals);
  return HK_OK;
}

static void restore_memory(hk_followed *t) {
  const size_t n = t->m.size;
  memcpy(t->m.mem, t->saved, n);
  memcpy(t->m.marks, t->saved + n, n);
  memset(t->m.shadow, 0, n * sizeof *t->m.shadow);
  memcpy(t->mod.globals, t->saved_globals, (size_t)t->mod.nglobals * sizeof *t->saved_globals);
}

static hk_status restore(hk_followed *t) {
  const bool signs = t->g.signs, turns = t->g.turns;
  restore_memory(t);
  hki_graph_destroy(&t->g);
  t->nfailures = 0;
  const hk_status st = hki_graph_create(t->ctx, &t->g);
  t->g.signs = signs, t->g.turns = turns;
  return st;
}

static hk_status follow_step(hk_followed *t) {
  hk_status st = HK_OK;
  t->again = false, t->loop = 0;
  hk_slot was;
  for (int32_t i = 0; i < t->nstates && st == HK_OK; i++)
    st = put_load(t, t->states[i].at, &t->states[i].load, &was);
  if (st == HK_OK) st = hki_loose_put(&t->m, &t->loose);
  t->m.writing = HK_BYTE_WRITTEN;
  if (st == HK_OK) st = hki_trace_ask(t, "gx_step", 0, 0, 0);
  t->m.writing = 0;
  if (st == HK_OK) st = hki_loose_find(&t->m, HK_BYTE_WRITTEN, &t->loose, &t->again);
  if (st == HK_OK) st = join_states(t);
  for (int32_t i = 0; i < t->nstates && st == HK_OK; i++)
    (void)read_cell(t, t->states[i].at, &t->states[i].final);
  return st == HK_OK ? check_ranges(t) : st;
}

/* Outputs as functions of the state, but for those that are left out. *failed: one that cannot be followed, -1: none. */
static hk_status follow_outputs(hk_followed *t, const bool *left_out, int32_t *failed) {
  hk_status st = HK_OK;
  hk_slot was;
  restore_memory(t);
  t->g.part = t->g.from = t->showing = (uint8_t)(2 * t->nloops + 2);
  t->g.region = 0;
  t->m.top = t->m.depth = t->m.forks = 0, t->m.nundo = 0;
  *failed = -1;
  for (int32_t i = 0; i < t->nstates && st == HK_OK; i++)
    st = put_load(t, t->states[i].at, &t->states[i].shown, &was);
  for (int32_t i = 0; i < t->noutputs && st == HK_OK; i++) {
    if (left_out[i]) continue;
    if (hki_trace_ask(t, "gx_output", 1, (uint64_t)i, 0) != HK_OK ||
        !read_cell(t, t->y + 8 * (uint32_t)i, &t->outputs[i]))
      return *failed = i, HK_OK;
  }
  return st;
}

/* why the last output could not be followed */
static const char *why_not(hk_followed *t) {
  if (t->text[0]) return hki_pool_strndup(t->pool, t->text, strlen(t->text));
  if (!t->m.cause) return "it has no value at the start";
  return hki_pool_printf(t->pool, "it needs %s, in '%s'", t->m.cause,
                         t->m.cause_in ? t->m.cause_in : "?");
}

/* Those that cannot be followed are left out, and told of. */
static hk_status find_outputs(hk_followed *t) {
  bool *left_out = hki_pool_alloc(t->pool, (size_t)t->noutputs + 1);
  const char **why = hki_pool_alloc(t->pool, ((size_t)t->noutputs + 1) * sizeof *why);
  int32_t failed = 0, n = 0;
  hk_status st = left_out && why ? HK_OK : HK_E_MEMORY;
  const bool quiet = t->m.quiet;
  const uint32_t nodes = t->g.n, regions = t->g.nregions;
  const int32_t failures = t->nfailures;
  t->m.quiet = true;
  while (st == HK_OK && failed >= 0) {
    t->text[0] = 0, t->m.cause = NULL;
    st = follow_outputs(t, left_out, &failed);
    if (st != HK_OK || failed < 0) continue;
    left_out[failed] = true, why[failed] = why_not(t);
    if (!why[failed]) st = HK_E_MEMORY;
    hki_graph_rewind(&t->g, nodes, regions);
    t->nfailures = failures;
  }
  t->m.quiet = quiet;
  for (int32_t i = 0; i < t->noutputs && st == HK_OK; i++) {
    if (left_out[i])
      hki_note(t->ctx, HK_LOC_NONE, "the output '%s' cannot be exported and is left out: %s",
               t->output_names[i], why[i]);
    else
      t->outputs[n] = t->outputs[i], t->output_names[n] = t->output_names[i], t->shows[n++] = i;
  }
  t->noutputs = n;
  return st;
}

/* memory as it is at the start of the run */
static hk_status keep_start(hk_followed *t) {
  const size_t g = (size_t)t->mod.nglobals;
  t->nstart = t->m.size;
  t->start = hki_alloc(t->ctx, t->nstart);
  t->start_globals = hki_alloc(t->ctx, (g + 1) * sizeof *t->start_globals);
  if (!t->start || !t->start_globals) return HK_E_MEMORY;
  memcpy(t->start, t->m.mem, t->nstart);
  memcpy(t->start_globals, t->mod.globals, g * sizeof *t->start_globals);
  return HK_OK;
}

void hki_trace_restart(hk_followed *t) {
  memcpy(t->m.mem, t->start, t->nstart);
  memset(t->m.mem + t->nstart, 0, t->m.size - t->nstart);
  memset(t->m.shadow, 0, t->m.size * sizeof *t->m.shadow);
  memcpy(t->mod.globals, t->start_globals, (size_t)t->mod.nglobals * sizeof *t->start_globals);
  t->m.top = t->m.depth = t->m.forks = 0, t->m.nundo = 0, t->m.writing = 0;
}

/* Follows the step until all cells that it stores are known. */
static hk_status find_step(hk_followed *t) {
  enum { TRIES = 6 };
  const uint32_t size = t->m.size;
  t->turn = hki_alloc(t->ctx, (size_t)size + (16u << 20));
  hk_status st = t->turn ? keep_start(t) : HK_E_MEMORY;
  if (st == HK_OK) st = take_steps(t);
  if (st == HK_OK) st = save(t);
  t->again = true;
  for (int k = 0; k < TRIES && t->again && st == HK_OK; k++) {
    st = restore(t);
    if (st == HK_OK) st = follow_step(t);
  }
  if (st == HK_OK && t->again)
    st = hki_guest_fail(&t->m, "a step that stores more each time it is followed");
  if (st == HK_OK) st = hki_failures_shorten(t);
  if (st == HK_OK) st = find_outputs(t);
  if (t->g.failed) st = HK_E_MEMORY;
  for (int32_t i = 0; i < t->nstates && st == HK_OK; i++)
    if (t->states[i].at < size) {
      memcpy(&t->states[i].start, t->start + t->states[i].at, 8);
      t->states[i].start += 0.0; // -0 is +0, as at the end of steps
    }
  hki_free(t->ctx, t->turn);
  return st;
}

hk_status hki_trace_begin(hk_ctx *ctx, const uint8_t *kernel, size_t nkernel, hk_followed **out) {
  hk_followed *t = hki_alloc(ctx, sizeof *t);
  *out = t;
  if (!t) return HK_E_MEMORY;
  t->ctx = ctx, t->pool = hki_ctx_pool(ctx);
  hk_status st = hki_module_read(ctx, t->pool, kernel, nkernel, &t->mod);
  if (st == HK_OK) st = hki_graph_create(ctx, &t->g);
  if (st == HK_OK) st = hki_guest_create(ctx, &t->mod, &t->g, &t->m);
  t->m.import = import, t->m.user = t, t->m.failed = failed;
  t->m.cell_range = cell_range;
  return st;
}

/* Books whose steps cannot be followed are left out, and with them the outputs that need them. */
hk_status hki_trace_create(hk_ctx *ctx, const uint8_t *kernel, size_t nkernel, const char *bundle,
                           size_t nbundle, hk_setup *setup, bool books, bool signs, bool turns,
                           hk_followed **out) {
  hk_status st = HK_OK;
  for (;; books = false) {
    uint64_t wanted = 0;
    st = hki_trace_begin(ctx, kernel, nkernel, out);
    if (!*out) return hki_setup_destroy(setup), st;
    (*out)->setup = setup, (*out)->g.signs = signs, (*out)->g.turns = turns;
    if (setup && st == HK_OK) st = hki_setup_states(*out);
    if (st == HK_OK) st = hki_trace_open(*out, bundle, nbundle);
    if (st == HK_OK && books) st = hki_trace_call(*out, "gx_wants_book", 0, 0, 0, &wanted);
    if (st == HK_OK && wanted) st = hki_trace_call(*out, "gx_book", 0, 0, 0, NULL);
    (*out)->m.quiet = (*out)->booked = wanted != 0;
    if (st == HK_OK) st = find_step(*out);
    (*out)->m.quiet = false;
    if (st != HK_E_MODEL || !wanted) return st;
    (*out)->setup = NULL;
    hki_trace_destroy(*out);
  }
}

hk_status hki_trace_create_run(hk_ctx *ctx, const uint8_t *kernel, size_t nkernel,
                               const char *bundle, size_t nbundle, bool audited,
                               hk_followed **out) {
  hk_status st = hki_trace_begin(ctx, kernel, nkernel, out);
  if (!*out) return st;
  // a run counts turns anyway
  (*out)->whole = true, (*out)->audited = audited, (*out)->g.turns = true;
  if (st == HK_OK) st = hki_trace_open(*out, bundle, nbundle);
  return st == HK_OK ? find_step(*out) : st;
}

void hki_trace_destroy(hk_followed *t) {
  if (!t) return;
  hki_guest_destroy(&t->m);
  hki_graph_destroy(&t->g);
  void *const all[] = {t->start,         t->start_globals, t->saved,
                       t->saved_globals, t->failures,      t->loose.cells};
  for (int32_t i = 0; i < HK_ARRAY_LEN(all); i++) hki_free(t->ctx, all[i]);
  for (int32_t i = 0; i < t->nloops; i++) hki_free(t->ctx, t->loops[i].loose.cells);
  hki_setup_destroy(t->setup);
  hki_free(t->ctx, t);
}

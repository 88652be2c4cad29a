/* SPDX-License-Identifier: Apache-2.0
 *
 * card.c: a batch that is carried out by a graphics processor (device/device.h). The states of the worlds are on the card and
 * stay there; a batch in lanes beside it (lanes.c) knows what their numbers mean in the library's terms: worlds that are set,
 * got or reset pass through it.
 *
 * A card that is not there, or has not enough memory, is told in words and the lanes go on from the same states. One that
 * fails while it computes has lost the states: that is an error, and all worlds are marked.
 */
#include <stdio.h>
#include <string.h>

#include "batch/program.h"
#include "device/device.h"

/* worlds that pass at once, and bytes of outputs that wait on the card */
enum { AT_ONCE = 4096 };
#define OUTPUT_BYTES ((size_t)256 << 20)

typedef struct card {
  void *lanes; /* the batch beside it */
  const hk_lanes_program *p;
  hk_device *d;
  int32_t *turns, *codes, *seen; /* worlds: as the card counts, and what has been counted of it */
  int32_t *shown; /* of each output: its number in the program, -1: the library finds it */
  bool foreign;   /* there are some of these */
} card;

/* --- the lanes beside it ---------------------------------------------------------------------- */

static card *to_lanes(hk_batch *b) {
  card *c = b->own;
  b->own = c->lanes;
  return c;
}

static hk_status from_lanes(hk_batch *b, card *c, hk_status st) {
  b->own = c;
  return st;
}

/* states of chosen worlds from the card into the lanes; those that have failed stay so */
static hk_status pull(hk_batch *b, const hk_worlds *w) {
  card *c = to_lanes(b);
  int32_t which[AT_ONCE], status[AT_ONCE];
  const size_t nx = (size_t)b->states;
  double *x = hki_alloc(b->ctx, AT_ONCE * nx * sizeof *x);
  hk_status st = x ? HK_OK : HK_E_MEMORY;
  for (int32_t at = 0; at < w->n && st == HK_OK; at += AT_ONCE) {
    const int32_t n = w->n - at < AT_ONCE ? w->n - at : AT_ONCE;
    for (int32_t i = 0; i < n; i++) {
      which[i] = hki_world(w, at + i);
      status[i] = b->status[which[i]];
    }
    st = hki_device_take(c->d, which, n, x);
    const hk_worlds part = {n, which};
    if (st == HK_OK) st = hki_lanes_store(b, &part, x);
    for (int32_t i = 0; i < n; i++)
      if (status[i] != HK_OK) hki_lanes_mark(b, which[i], status[i]);
  }
  hki_free(b->ctx, x);
  return from_lanes(b, c, st);
}

/* and back: worlds that are well with `code` (device.h), the others marked */
static hk_status push(hk_batch *b, const hk_worlds *w, int32_t code) {
  card *c = to_lanes(b);
  int32_t which[AT_ONCE];
  const size_t nx = (size_t)b->states;
  double *x = hki_alloc(b->ctx, AT_ONCE * nx * sizeof *x);
  hk_status st = x ? HK_OK : HK_E_MEMORY;
  for (int pass = 0; pass < 2; pass++) {
    for (int32_t at = 0; at < w->n && st == HK_OK;) {
      hk_worlds part = {0, which};
      for (; at < w->n && part.n < AT_ONCE; at++)
        if ((b->status[hki_world(w, at)] == HK_OK) == (pass == 0))
          which[part.n++] = hki_world(w, at);
      if (!part.n) continue;
      st = hki_batch_lanes.get(b, HK_BATCH_STATE, &part, x);
      if (st == HK_OK) st = hki_device_put(c->d, which, part.n, x, pass ? -1 : code);
      for (int32_t i = 0; i < part.n && !pass && !code; i++) c->seen[which[i]] = 0;
    }
  }
  hki_free(b->ctx, x);
  return from_lanes(b, c, st);
}

/* --- failures --------------------------------------------------------------------------------- */

static void let_go(hk_batch *b, card *c) {
  hki_device_close(c->d);
  hki_free(b->ctx, c->turns);
  hki_free(b->ctx, c->codes);
  hki_free(b->ctx, c->seen);
  hki_free(b->ctx, c);
}

/* The card fails. Where it still gives the states away, the lanes go on from them: HK_OK. */
static hk_status give_up(hk_batch *b, hk_status st) {
  card *c = b->own;
  const hk_worlds all = {b->opt.worlds, NULL};
  snprintf(b->why, sizeof b->why, "%.600s", hki_device_why(c->d));
  if (st == HK_INTERRUPTED || st == HK_E_USAGE) return st;
  if (st != HK_E_MEMORY || pull(b, &all) != HK_OK) {
    for (int32_t i = 0; i < b->opt.worlds; i++) b->status[i] = HK_E_FILE;
    return hki_error(b->ctx, HK_E_FILE, HK_LOC_NONE,
                     "the processor can do the same: way HK_BATCH_LANES",
                     "the states of the batch are lost: %s", b->why);
  }
  hki_note(b->ctx, HK_LOC_NONE, "the processor goes on with the batch: %s", b->why);
  b->own = c->lanes, b->ops = &hki_batch_lanes;
  let_go(b, c);
  return HK_OK;
}

/* --- life ------------------------------------------------------------------------------------- */

static void destroy(hk_batch *b) {
  card *c = b->own;
  if (!c) return;
  b->own = c->lanes;
  if (c->lanes) hki_batch_lanes.destroy(b);
  let_go(b, c);
  b->own = NULL;
}

static hk_status open_device(hk_batch *b, card *c) {
  hk_text text;
  hki_text_init(&text, b->ctx);
  int32_t warps, numbers;
  hk_status st = hki_card_text(b, b->opt.single != 0, &text, &warps, &numbers);
  const hk_device_job job = {.text = text.s,
                             .single = b->opt.single != 0,
                             .states = c->p->states,
                             .inputs = c->p->inputs,
                             .outputs = c->p->outputs,
                             .warps = warps,
                             .numbers = numbers,
                             .worlds = b->opt.worlds,
                             .ordinal = b->opt.card};
  if (st == HK_OK) st = hki_device_open(b->ctx, &job, &c->d, b->why, sizeof b->why);
  hki_text_free(&text);
  return st;
}

static hk_status find_outputs(hk_batch *b, card *c) {
  c->shown = hki_pool_alloc(b->pool, ((size_t)b->outputs.n + 1) * sizeof *c->shown);
  if (!c->shown) return HK_E_MEMORY;
  for (int32_t i = 0; i < b->outputs.n; i++) {
    c->shown[i] = -1;
    for (int32_t k = 0; k < c->p->outputs; k++)
      if (!strcmp(c->p->output_names[k], b->outputs.of[i])) c->shown[i] = k;
    c->foreign |= c->shown[i] < 0;
  }
  return HK_OK;
}

static hk_status create(hk_batch *b) {
  const size_t n = (size_t)b->opt.worlds;
  const hk_worlds all = {b->opt.worlds, NULL};
  hk_status st = hki_batch_lanes.create(b);
  if (st != HK_OK) return st;
  card *c = hki_alloc(b->ctx, sizeof *c);
  if (!c) return hki_batch_lanes.destroy(b), HK_E_MEMORY;
  c->p = hki_lanes_program(b);
  c->lanes = b->own, b->own = c;
  c->turns = hki_alloc(b->ctx, n * sizeof *c->turns);
  c->codes = hki_alloc(b->ctx, n * sizeof *c->codes);
  c->seen = hki_alloc(b->ctx, n * sizeof *c->seen);
  if (!c->turns || !c->codes || !c->seen) st = HK_E_MEMORY;
  if (st == HK_OK) st = find_outputs(b, c);
  if (st == HK_OK) st = open_device(b, c);
  if (st == HK_OK) st = push(b, &all, 0);
  if (st != HK_OK && c->d) snprintf(b->why, sizeof b->why, "%.600s", hki_device_why(c->d));
  // a card without memory for so many worlds is no reason to stop
  if (st != HK_OK) return destroy(b), st == HK_E_MEMORY && *b->why ? HK_E_FILE : st;
  const hk_device_facts *f = hki_device_facts(c->d);
  b->width = 1, b->seconds += f->seconds;
  snprintf(b->compiler, sizeof b->compiler, "%.78s, %.78s", f->name, f->compiler);
  if (f->local > 1024)
    hki_note(b->ctx, HK_LOC_NONE,
             "a step of this model does not fit the registers of the card: %d bytes of a world go "
             "through its memory, which takes time",
             f->local);
  return HK_OK;
}

/* --- chosen worlds ---------------------------------------------------------------------------- */

static hk_status reset(hk_batch *b, const hk_worlds *w) {
  hk_status st = b->parameters.n ? pull(b, w) : HK_OK;
  if (st != HK_OK) return give_up(b, st) == HK_OK ? b->ops->reset(b, w) : HK_E_FILE;
  card *c = to_lanes(b);
  const hk_status done = from_lanes(b, c, hki_batch_lanes.reset(b, w));
  st = push(b, w, 0);
  return st == HK_OK ? done : give_up(b, st);
}

static hk_status set(hk_batch *b, int32_t what, const hk_worlds *w, const double *x, bool same) {
  const bool whole = what == HK_BATCH_STATE;
  hk_status st = whole ? HK_OK : pull(b, w);
  if (st != HK_OK) {
    st = give_up(b, st);
    return st == HK_OK ? b->ops->set(b, what, w, x, same) : st;
  }
  card *c = to_lanes(b);
  const hk_status done = from_lanes(b, c, hki_batch_lanes.set(b, what, w, x, same));
  if (whole && done != HK_OK) return done; // nothing was set
  st = push(b, w, whole || what == HK_BATCH_COORDINATES ? 0 : 1);
  return st == HK_OK ? done : give_up(b, st);
}

static hk_status put(hk_batch *b, const hk_worlds *w, const void *blob) {
  card *c = to_lanes(b);
  const hk_status done = from_lanes(b, c, hki_batch_lanes.put(b, w, blob));
  if (done != HK_OK) return done; // nothing was set
  const hk_status st = push(b, w, 0);
  return st == HK_OK ? HK_OK : give_up(b, st);
}

static hk_status get(hk_batch *b, int32_t what, const hk_worlds *w, double *x) {
  hk_status st = pull(b, w);
  if (st != HK_OK) {
    st = give_up(b, st);
    return st == HK_OK ? b->ops->get(b, what, w, x) : st;
  }
  card *c = to_lanes(b);
  return from_lanes(b, c, hki_batch_lanes.get(b, what, w, x));
}

/* --- steps ------------------------------------------------------------------------------------ */

/* what the card has counted, and worlds that have failed there */
static hk_status count(hk_batch *b) {
  card *c = b->own;
  hk_status st = hki_device_codes(c->d, c->codes, c->turns);
  for (int32_t i = 0; i < b->opt.worlds && st == HK_OK; i++) {
    b->iterations[i] += c->turns[i] - c->seen[i], c->seen[i] = c->turns[i];
    if (c->codes[i] < 0 && b->status[i] == HK_OK) b->status[i] = hki_lanes_meaning(c->codes[i]);
  }
  return st;
}

/* a row of outputs by way of the lanes, where the library finds some of them */
static hk_status foreign_row(hk_batch *b, const hk_batch_run *r, int64_t row) {
  const size_t no = (size_t)b->outputs.n, rows = (size_t)(r->steps / r->every + 1);
  double *y = hki_alloc(b->ctx, (size_t)b->opt.worlds * no * sizeof *y);
  const hk_worlds all = {b->opt.worlds, NULL};
  hk_status st = y ? count(b) : HK_E_MEMORY;
  if (st == HK_OK) st = get(b, HK_BATCH_OUTPUTS, &all, y);
  for (int32_t i = 0; i < b->opt.worlds && st == HK_OK; i++) {
    memcpy(r->outputs + ((size_t)i * rows + (size_t)row) * no, y + (size_t)i * no, no * sizeof *y);
    if (b->status[i] != HK_OK) hki_batch_blank(b, r, i, row);
  }
  hki_free(b->ctx, y);
  return st;
}

/* rows that wait on the card go to their places; the program's order of outputs becomes that of the batch */
static hk_status fetch_rows(hk_batch *b, const hk_batch_run *r, int64_t from, int32_t n) {
  const card *c = b->own;
  const size_t no = (size_t)b->outputs.n, np = (size_t)c->p->outputs, nw = (size_t)b->opt.worlds,
               rows = (size_t)(r->steps / r->every + 1), size = (size_t)n * np;
  double *y = hki_alloc(b->ctx, nw * size * sizeof *y);
  hk_status st = y ? hki_device_outputs(c->d, 0, n, y, size) : HK_E_MEMORY;
  for (size_t w = 0; w < nw && st == HK_OK; w++)
    for (size_t k = 0; k < (size_t)n; k++)
      for (size_t i = 0; i < no; i++)
        r->outputs[(w * rows + (size_t)from + k) * no + i] =
            y[w * size + k * np + (size_t)c->shown[i]];
  hki_free(b->ctx, y);
  return st;
}

/* how many rows wait on the card before they are fetched */
static int32_t rows_at_once(const hk_batch *b, int64_t rows) {
  const card *c = b->own;
  const size_t one = (size_t)c->p->outputs * (size_t)(b->opt.worlds + 32) * sizeof(double);
  const size_t most = one && one < OUTPUT_BYTES ? OUTPUT_BYTES / one : 1;
  return (int32_t)((size_t)rows < most ? (size_t)rows : most);
}

static hk_status carry_out(hk_batch *b, const hk_batch_run *r) {
  const card *c = b->own;
  const size_t ni = (size_t)b->inputs.n;
  const int64_t rows = r->outputs ? r->steps / r->every + 1 : 0;
  const int32_t room = rows ? rows_at_once(b, rows) : 0;
  int32_t waiting = 0;
  hk_status st = rows && !c->foreign ? hki_device_rows(c->d, room) : HK_OK;
  for (int64_t k = 0; st == HK_OK;) {
    const int64_t row = k / r->every;
    if (rows && k % r->every == 0 && c->foreign) st = foreign_row(b, r, row);
    if (rows && k % r->every == 0 && !c->foreign) {
      st = hki_device_show(c->d, waiting++);
      if (st == HK_OK && (waiting == room || row == rows - 1)) {
        st = fetch_rows(b, r, row + 1 - waiting, waiting);
        waiting = 0;
      }
    }
    if (k == r->steps || st != HK_OK) break;
    int64_t n = rows ? r->every - k % r->every : r->steps - k;
    if (n > r->steps - k) n = r->steps - k;
    if (n > 1 << 30) n = 1 << 30;
    st = hki_device_advance(c->d, (int32_t)n, r->inputs ? r->inputs + (size_t)k * ni : NULL,
                            r->same ? 0 : (size_t)r->steps * ni);
    k += n;
  }
  return st == HK_OK ? count(b) : st;
}

/* A run that ends for want of memory has changed the states on the card: lanes could not begin it again. So its memory is
 * asked for before the first step. */
static hk_status run(hk_batch *b, const hk_batch_run *r) {
  const card *c = b->own;
  hk_status st = HK_OK;
  if (r->outputs && !c->foreign)
    st = hki_device_rows(c->d, rows_at_once(b, r->steps / r->every + 1));
  if (st != HK_OK) {
    st = give_up(b, st);
    return st == HK_OK ? b->ops->run(b, r) : st;
  }
  st = carry_out(b, r);
  if (st == HK_OK) return HK_OK;
  if (st == HK_E_MEMORY)
    return hki_error(b->ctx, st, HK_LOC_NONE, "fewer worlds, or fewer inputs at once",
                     "the run of the batch ends before its last step: %.600s",
                     hki_device_why(c->d));
  return give_up(b, st);
}

/* --- numbers that lie on the card ------------------------------------------------------------- */

static void end_hold(void *hold) { hki_device_let_go(hold); }

/* are the program's outputs those of the batch? */
static bool same_outputs(const hk_batch *b, const card *c) {
  bool same = c->p->outputs == b->outputs.n;
  for (int32_t i = 0; i < b->outputs.n; i++) same = same && c->shown[i] == i;
  return same;
}

static hk_status lend(hk_batch *b, int32_t what, hk_batch_lent *out) {
  const card *c = b->own;
  const hk_device_view v = hki_device_view(c->d);
  const int32_t first = what == HK_BATCH_INPUTS ? c->p->input
                        : what == HK_BATCH_TIME ? c->p->time
                                                : 0;
  hk_device_hold *h = NULL;
  hk_status st = HK_OK;
  *out = (hk_batch_lent){.stride = v.stride,
                         .numbers = hki_batch_size(b, what),
                         .card = v.ordinal,
                         .single = v.single,
                         .copied = what == HK_BATCH_OUTPUTS,
                         .read_only = what == HK_BATCH_TIME,
                         .let_go = end_hold};
  if (what == HK_BATCH_PARAMETERS || what == HK_BATCH_COORDINATES || !out->numbers) return HK_OK;
  if (what == HK_BATCH_OUTPUTS && !same_outputs(b, c)) return HK_OK;
  st = what == HK_BATCH_OUTPUTS ? hki_device_hold_outputs(c->d, &h)
                                : hki_device_hold_states(c->d, &h);
  if (st != HK_OK) return give_up(b, st);
  out->hold = h;
  out->at = hki_device_hold_at(h) +
            (uint64_t)first * (uint64_t)v.stride * (v.single ? sizeof(float) : sizeof(double));
  return HK_OK;
}

const hk_batch_ops hki_batch_card = {HK_BATCH_CARD, create, destroy, reset, set,
                                     put,           get,    run,     lend};

/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_streams.c: streams of the model as peers. What comes in is read before a step and holds over it; what
 * goes out is sent when a step is accepted, and once at the start, before anything is read: two simulations
 * that wait for each other both begin.
 */
#include <stdio.h>

#include "base/realtime.h"
#include "simulation/external.h"
#include "simulation/streams.h"

typedef struct link {
  hk_stream stream;
  const hk_spec_stream *spec;
  hk_sim *s;
  int64_t calls;    /* steps begun (in) or states sent (out) */
  int32_t nin;      /* signals that read it */
  int32_t *columns; /* nin: their columns, from 0 */
  double *values;   /* columns of the stream */
  bool over;        /* it has ended, and the run goes on */
} link;

struct hk_streams {
  int32_t n;
  link *list;
};

static hk_status broken(link *l, const char *how) {
  char words[HK_STREAM_WORDS];
  snprintf(words, sizeof words, "'%.80s' %.200s", l->stream.plan.name, how);
  snprintf(l->stream.words, sizeof l->stream.words, "%s", words);
  return HK_E_FILE;
}

/* the other side has ended the stream */
static hk_status at_end(link *l) {
  l->over = true;
  if (l->spec->on_end == HK_ON_END_HOLD) return HK_PEER_SILENT;
  if (l->spec->on_end == HK_ON_END_STOP) return HK_PEER_END;
  if (!l->stream.cut) return broken(l, "was ended by the other side");
  char words[80];
  snprintf(words, sizeof words, "was broken off in the middle of a frame, after %d bytes of it",
           (int)l->stream.cut);
  return broken(l, words);
}

static hk_status answer(link *l, hk_stream_got got) {
  char words[HK_STREAM_WORDS];
  switch (got) {
    case HK_STREAM_NEW:
      return HK_OK;
    case HK_STREAM_NOTHING:
      return HK_PEER_SILENT;
    case HK_STREAM_STOPPED:
      return HK_INTERRUPTED;
    case HK_STREAM_END:
      if (!l->stream.plan.out) return at_end(l);
      l->over = true; // nobody listens any more: the run goes on
      return HK_PEER_SILENT;
    default:
      snprintf(words, sizeof words, "%.200s", l->stream.words);
      return broken(l, words);
  }
}

static hk_status read_in(link *l, double *u) {
  if (l->over || l->calls++ % l->spec->every) return HK_PEER_SILENT;
  const hk_status st = answer(l, hki_stream_receive(&l->stream, l->values));
  for (int32_t i = 0; st == HK_OK && i < l->nin; i++) u[i] = l->values[l->columns[i]];
  return st;
}

static hk_status send_out(link *l, double t, const double *y) {
  if (l->over || l->calls++ % l->spec->every) return HK_PEER_SILENT;
  const hk_status st = answer(l, hki_stream_send(&l->stream, t, y));
  return st == HK_OK ? HK_PEER_SILENT : st;
}

static hk_status exchange(void *peer, hk_hook when, double t, double h, const double *y,
                          double *u) {
  link *l = peer;
  (void)h;
  l->stream.time = l->stream.plan.out ? t : l->stream.time;
  if (!l->stream.plan.out)
    return when == HK_HOOK_BEFORE_PREDICTION ? read_in(l, u) : HK_PEER_SILENT;
  return when == HK_HOOK_ACCEPTED || l->calls == 0 ? send_out(l, t, y) : HK_PEER_SILENT;
}

static const char *words(void *peer) { return ((link *)peer)->stream.words; }
static void end(void *peer) { hki_stream_close(&((link *)peer)->stream); }

static const hk_peer_ops stream_ops = {
    .name = "stream", .exchange = exchange, .words = words, .close = end};

/* --- connecting ------------------------------------------------------------------------------------- */

/* the signals that read the stream: numbers of inputs, and l->columns */
static void find_inputs(hk_sim *s, link *l, int32_t *inputs) {
  l->nin = 0;
  for (int32_t k = 0; k < s->ninputs; k++) {
    const hk_spec_signal *sig = &s->m->spec->signals[s->inputs[k]];
    if (!sig->stream || strcmp(sig->stream, l->stream.plan.name) != 0) continue;
    inputs[l->nin] = k;
    l->columns[l->nin++] = sig->column - 1;
  }
}

static hk_status add(hk_sim *s, link *l) {
  const hk_spec_stream *spec = l->spec;
  const size_t n = (size_t)(spec->plan.columns + s->ninputs) + 1;
  int32_t *list = hki_pool_alloc(s->pool, n * sizeof *list);
  // one piece: values, columns
  l->values = hki_alloc(s->ctx, n * (sizeof *l->values + sizeof *l->columns));
  if (!list || !l->values) return HK_E_MEMORY;
  l->columns = (int32_t *)(void *)(l->values + n);
  hk_peer_link peer = {.ops = &stream_ops, .peer = l};
  if (spec->plan.out) {
    for (int32_t i = 0; i < spec->nvalues; i++)
      if ((list[i] = hk_sim_channel_handle(s, spec->values[i])) < 0) return HK_E_USAGE;
    peer.nout = spec->nvalues, peer.channels = list;
  } else {
    find_inputs(s, l, list);
    peer.nin = l->nin, peer.inputs = list;
  }
  return hki_sim_add_peer(s, &peer);
}

static hk_status wait_for_all(hk_sim *s) {
  struct hk_streams *all = s->streams;
  const int64_t from = hki_now();
  for (;;) {
    link *open = NULL;
    for (int32_t i = 0; i < all->n; i++) {
      link *l = &all->list[i];
      const int ready = hki_stream_ready(&l->stream);
      if (ready < 0)
        return hki_error(s->ctx, HK_E_FILE, l->spec->loc, NULL, "stream '%s': %s",
                         l->spec->plan.name, l->stream.words);
      if (!ready) open = l;
    }
    if (!open) return HK_OK;
    if (open->stream.stop && *open->stream.stop) return HK_INTERRUPTED;
    if (1e-9 * (double)(hki_now() - from) > open->spec->plan.timeout)
      return hki_error(
          s->ctx, HK_E_FILE, open->spec->loc, "start the other program, or give a longer 'timeout'",
          "nobody is at the other side of stream '%s' (%s) after %.3g s", open->spec->plan.name,
          open->spec->plan.address ? open->spec->plan.address : "standard",
          open->spec->plan.timeout);
    (void)hki_sleep_until(hki_now() + 1000000);
  }
}

/* Outgoing streams come first, so that all send before anybody waits. A stream is the simulation's from
 * when it has become a peer; those before it are closed here. */
static hk_status connect_all(hk_sim *s) {
  const hk_spec *spec = s->m->spec;
  struct hk_streams *all = s->streams;
  hk_status st = HK_OK;
  for (int pass = 1; pass >= 0; pass--)
    for (int32_t i = 0; st == HK_OK && i < spec->nstreams; i++) {
      if (spec->streams[i].plan.out != (pass == 1)) continue;
      link *l = &all->list[all->n++];
      *l = (link){.spec = &spec->streams[i], .s = s};
      st = hki_stream_open(&l->stream, s->ctx, &spec->streams[i].plan);
      l->stream.stop = hki_stop_flag(s->ctx);
      if (st == HK_OK) st = add(s, l);
      if (st != HK_OK) hki_stream_close(&l->stream), all->n--;
    }
  return st == HK_OK ? wait_for_all(s) : st;
}

hk_status hk_sim_connect(hk_sim *s) {
  if (!hki_is(s, HK_MARK_SIM)) return hki_misuse(NULL, "hk_sim_connect", "no simulation");
  if (s->streams) return hki_misuse(s->ctx, "hk_sim_connect", "its streams are connected already");
  const size_t n = (size_t)s->m->spec->nstreams;
  s->streams = hki_alloc(s->ctx, sizeof *s->streams);
  if (!s->streams) return HK_E_MEMORY;
  s->streams->list = hki_alloc(s->ctx, (n + 1) * sizeof *s->streams->list);
  const hk_status st = s->streams->list ? connect_all(s) : HK_E_MEMORY;
  return st == HK_OK ? hki_external_connect(s) : st;
}

void hki_streams_free(hk_sim *s) {
  if (!s->streams) return;
  for (int32_t i = 0; s->streams->list && i < s->m->spec->nstreams; i++)
    hki_free(s->ctx, s->streams->list[i].values);
  hki_free(s->ctx, s->streams->list);
  hki_free(s->ctx, s->streams);
  s->streams = NULL;
}

hk_status hki_sim_join_peers(hk_sim *s, const hk_run_options *run) {
  hk_status st = run->replay ? hki_tape_replay(s, run->replay) : HK_OK;
  const bool others = s->m->spec->nstreams || s->m->spec->nexternals;
  if (st == HK_OK && run->connect && others) st = hk_sim_connect(s);
  if (st == HK_OK && run->keep_inputs) st = hki_tape_keep(s, run->keep_inputs);
  return st;
}

bool hki_streams_block(const hk_sim *s) {
  for (int32_t i = 0; s->streams && i < s->streams->n; i++) {
    const hk_stream_plan *p = &s->streams->list[i].spec->plan;
    if (p->blocking && !p->out) return true;
  }
  return s->externals != NULL;
}

/* --- what went through ------------------------------------------------------------------------------ */

int32_t hk_sim_stream_count(const hk_sim *s) {
  return hki_is(s, HK_MARK_SIM) && s->streams ? s->streams->n : 0;
}

hk_status hk_sim_stream(const hk_sim *s, int32_t stream, hk_stream_summary *out) {
  if (!hki_is(s, HK_MARK_SIM)) return hki_misuse(NULL, "hk_sim_stream", "no simulation");
  if (stream < 0 || stream >= hk_sim_stream_count(s) || !out ||
      out->size < offsetof(hk_stream_summary, frames))
    return hki_misuse(s->ctx, "hk_sim_stream", "no such stream, or no place for its numbers");
  const link *l = &s->streams->list[stream];
  const hk_stream_count *c = &l->stream.count;
  const hk_stream_summary all = {
      out->size, l->spec->plan.out, l->spec->plan.name, c->frames, c->passed,
      c->lost,   c->reordered,      c->malformed,       c->empty,  l->over};
  memcpy(out, &all, out->size < sizeof all ? out->size : sizeof all);
  return HK_OK;
}

void hki_streams_json(const hk_sim *s, hk_text *t) {
  hki_text_add(t, "\"streams\": {");
  for (int32_t i = 0; i < s->streams->n; i++) {
    const link *l = &s->streams->list[i];
    const hk_stream_count *c = &l->stream.count;
    hki_text_add(t, i ? ", " : "");
    hki_text_json(t, l->spec->plan.name);
    hki_text_printf(t, ": {\"direction\": \"%s\", \"frames\": %lld, \"lost\": %lld, ",
                    l->spec->plan.out ? "out" : "in", (long long)c->frames, (long long)c->lost);
    if (!l->spec->plan.out)
      hki_text_printf(
          t, "\"passed\": %lld, \"reordered\": %lld, \"malformed\": %lld, \"empty\": %lld, ",
          (long long)c->passed, (long long)c->reordered, (long long)c->malformed,
          (long long)c->empty);
    hki_text_printf(t, "\"ended\": %s}", l->over ? "true" : "false");
  }
  hki_text_add(t, "},\n  ");
}

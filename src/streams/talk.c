/* SPDX-License-Identifier: Apache-2.0
 *
 * talk.c: both ways over one socket: its buffer is that of whoever speaks or listens.
 */
#include "streams/talk.h"

#include <stdio.h>

#include "base/realtime.h"

hk_status hki_talk_open(hk_talk *t, hk_ctx *ctx, const hk_stream_plan *plan) {
  t->line = (hk_stream){.ctx = ctx, .plan = *plan, .fd = -1, .listener = -1};
  const hk_status st = hki_socket_open(&t->line);
  if (st == HK_OK) return HK_OK;
  return hki_error(ctx, st, HK_LOC_NONE, NULL, "peer '%s': %s", plan->name, t->line.words);
}

int hki_talk_ready(hk_talk *t) { return hki_socket_ready(&t->line); }
const char *hki_talk_words(const hk_talk *t) { return t->line.words; }
void hki_talk_close(hk_talk *t) { hki_socket_close(&t->line); }

/* too late, with `done` bytes of n */
static hk_stream_got late(hk_stream *s, bool write, size_t done, size_t n) {
  if (done)
    snprintf(s->words, sizeof s->words, "%s only %zu of %zu bytes in %.3g s",
             write ? "took" : "sent", done, n, s->plan.timeout);
  else
    snprintf(s->words, sizeof s->words, "%s nothing for %.3g s", write ? "took" : "sent",
             s->plan.timeout);
  return HK_STREAM_FAULT;
}

/* waits for the socket; what became of it when it is not ready */
static hk_stream_got wait_for(hk_stream *s, bool write, int64_t until) {
  if (s->stop && *s->stop) return HK_STREAM_STOPPED;
  if (hki_socket_wait(s, write, until) || hki_now() < until) return HK_STREAM_NEW;
  return late(s, write, write ? s->sent : s->have, write ? s->have : s->cap);
}

static int64_t deadline(const hk_stream *s) { return hki_now() + (int64_t)(1e9 * s->plan.timeout); }

hk_stream_got hki_talk_send(hk_talk *t, const void *bytes, size_t n) {
  hk_stream *s = &t->line;
  const int64_t until = deadline(s);
  hk_stream_got got = HK_STREAM_NEW;
  s->bytes = (unsigned char *)(uintptr_t)bytes; // it is only read
  s->have = n, s->sent = 0;
  while ((got = hki_socket_flush(s)) == HK_STREAM_NOTHING)
    if ((got = wait_for(s, true, until)) != HK_STREAM_NEW) break;
  s->bytes = NULL, s->have = s->sent = 0;
  return got;
}

hk_stream_got hki_talk_receive(hk_talk *t, void *bytes, size_t n) {
  hk_stream *s = &t->line;
  const int64_t until = deadline(s);
  hk_stream_got got = HK_STREAM_NEW;
  s->bytes = bytes, s->cap = n, s->have = 0;
  while (s->have < n) {
    got = hki_socket_fill(s);
    // a byte now and then does not make it wait for longer
    if (got == HK_STREAM_NEW && s->have < n && hki_now() >= until) got = late(s, false, s->have, n);
    if (got == HK_STREAM_NOTHING) got = wait_for(s, false, until);
    if (got != HK_STREAM_NEW) break;
  }
  s->bytes = NULL, s->have = s->cap = 0;
  return got;
}

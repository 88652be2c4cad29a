/* SPDX-License-Identifier: Apache-2.0
 *
 * stream.c: frames over whatever carries them. Of a stream that blocks every frame is used, in order; of one
 * that does not the latest. Datagrams that are no frames are counted and dropped, since anybody may
 * send them; in a connection they end the stream, since what follows has no meaning either.
 */
#include "streams/stream.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/realtime.h"

/* AT_ONCE: frames that are looked at in one call, for a flood must not stop the clock. LATE: a frame that is so many behind
 * is no late one: AGAIN of them in a row, and the sender has begun anew */
enum { AT_ONCE = 256, ROOM = 8, LATE = 256, AGAIN = 3 };

static size_t frame_bytes(const hk_stream *s) {
  return s->plan.raw ? 8 * (size_t)s->plan.columns : hki_frame_size((uint32_t)s->plan.columns);
}

hk_status hki_stream_open(hk_stream *s, hk_ctx *ctx, const hk_stream_plan *plan) {
  *s = (hk_stream){.ctx = ctx, .plan = *plan, .fd = -1, .listener = -1};
  // room for some frames, and for a datagram that is too long
  s->cap = ROOM * frame_bytes(s) + 64;
  s->bytes = hki_alloc(ctx, s->cap);
  if (!s->bytes) return HK_E_MEMORY;
  hk_status st = plan->way == HK_STREAM_SHM ? hki_shared_open(s) : hki_socket_open(s);
  return st == HK_OK
             ? st
             : hki_error(ctx, st, HK_LOC_NONE, NULL, "stream '%s': %s", plan->name, s->words);
}

int hki_stream_ready(hk_stream *s) {
  return s->plan.way == HK_STREAM_SHM ? hki_shared_ready(s) : hki_socket_ready(s);
}

static bool wait_for(hk_stream *s, bool write, int64_t until) {
  return s->plan.way == HK_STREAM_SHM ? hki_shared_wait(s, write, until)
                                      : hki_socket_wait(s, write, until);
}

static int64_t deadline(const hk_stream *s) { return hki_now() + (int64_t)(1e9 * s->plan.timeout); }

static bool is_stopped(const hk_stream *s) { return s->stop && *s->stop; }

/* --- in ------------------------------------------------------------------------------------------- */

/* drops the first n bytes */
static void drop(hk_stream *s, size_t n) {
  s->have -= n;
  memmove(s->bytes, s->bytes + n, s->have);
}

static hk_stream_got fault(hk_stream *s, const char *what) {
  if (s->plan.way == HK_STREAM_UDP) {
    s->count.malformed++;
    s->have = 0;
    return HK_STREAM_NOTHING;
  }
  snprintf(s->words, sizeof s->words, "a malformed frame: %.250s", what);
  return HK_STREAM_FAULT;
}

/* Has the sender begun anew? Frames far behind that follow each other are no late ones: without this one forged number, or a
 * sender that was started again, would silence a stream of datagrams for ever. */
static bool begins_anew(hk_stream *s, uint64_t sequence) {
  s->again = s->again && sequence == s->again_next ? s->again + 1 : 1;
  s->again_next = sequence + 1;
  return s->sequence - sequence > LATE && s->again >= AGAIN;
}

/* looks at the order of a frame; false: it came after a later one */
static bool in_order(hk_stream *s, uint64_t sequence) {
  if (s->begun && sequence < s->sequence) {
    if (!begins_anew(s, sequence)) {
      s->count.reordered++;
      return false;
    }
    s->begun = false;
  }
  s->again = 0;
  // a peer that says anything can not make the count wrong by more than this
  const uint64_t gap = s->begun ? sequence - s->sequence : 0;
  if (gap < (uint64_t)1 << 40) s->count.lost += (int64_t)gap;
  s->sequence = sequence + 1;
  s->begun = true;
  return true;
}

static hk_stream_got take_values(hk_stream *s, const unsigned char *from, double *values) {
  const uint32_t n = (uint32_t)s->plan.columns;
  for (uint32_t i = 0; i < n; i++) {
    double x;
    hki_frame_get_values(from + 8 * (size_t)i, &x, 1);
    if (isfinite(x)) continue;
    char words[80];
    snprintf(words, sizeof words, "value %d of it is %s", (int)i + 1,
             isnan(x) ? "no number" : "infinite");
    return fault(s, words);
  }
  hki_frame_get_values(from, values, n);
  return HK_STREAM_NEW;
}

/* the first frame of the bytes that are there, which are dropped; NOTHING: not all of it is there, or it is
 * of no use */
static hk_stream_got next_frame(hk_stream *s, double *values) {
  char words[HK_STREAM_WORDS];
  const bool datagram = s->plan.way == HK_STREAM_UDP;
  const size_t size = frame_bytes(s), have = s->have;
  hk_frame_head head;
  if (!have || (!datagram && have < (s->plan.raw ? size : HK_FRAME_HEAD))) return HK_STREAM_NOTHING;
  if (s->plan.raw) {
    if (datagram && have != size) {
      snprintf(words, sizeof words, "%d bytes are not %d numbers", (int)have, (int)s->plan.columns);
      return fault(s, words);
    }
    const hk_stream_got got = take_values(s, s->bytes, values);
    if (got == HK_STREAM_NEW) drop(s, size);
    return got;
  }
  const char *why = hki_frame_read(s->bytes, have, &head, words, sizeof words);
  if (why) return fault(s, why);
  if (head.flags & HK_FRAME_END) {
    s->ended = true;
    return HK_STREAM_END;
  }
  if ((int64_t)head.count != s->plan.columns) {
    snprintf(words, sizeof words, "it has %u values, and the stream %d columns",
             (unsigned)head.count, (int)s->plan.columns);
    return fault(s, words);
  }
  const uint32_t wanted = s->plan.layout ? s->plan.layout : s->layout;
  if (wanted && head.layout && head.layout != wanted) {
    snprintf(words, sizeof words, "its columns have other names: layout %08x, expected %08x",
             (unsigned)head.layout, (unsigned)wanted);
    return fault(s, words);
  }
  if (have < size) return datagram ? fault(s, "it is cut off") : HK_STREAM_NOTHING;
  if (datagram && have > size) return fault(s, "there is more behind its values");
  const hk_stream_got got = take_values(s, s->bytes + HK_FRAME_HEAD, values);
  if (got != HK_STREAM_NEW) return got;
  drop(s, size);
  if (!in_order(s, head.sequence)) return HK_STREAM_NOTHING;
  s->layout = head.layout;
  s->time = head.time;
  return HK_STREAM_NEW;
}

/* one frame, without waiting; left: how many may still be looked at in this call */
static hk_stream_got poll_frame(hk_stream *s, double *values, int *left) {
  while ((*left)-- > 0) {
    const size_t before = s->have;
    hk_stream_got got = next_frame(s, values);
    if (got != HK_STREAM_NOTHING) return got;
    if (s->have && s->have < before) continue; // one of no use is gone, and there is more
    if (s->ended) return HK_STREAM_END;
    got = s->plan.way == HK_STREAM_SHM ? hki_shared_take(s) : hki_socket_fill(s);
    if (got == HK_STREAM_END) s->ended = true, s->cut = s->have;
    // what came before the end still counts
    if (got == HK_STREAM_END && s->have > before) continue;
    if (got != HK_STREAM_NEW) return got;
  }
  return HK_STREAM_NOTHING;
}

/* the next frame; when the time is over, what is there is still looked at once */
static hk_stream_got receive_next(hk_stream *s, double *values) {
  const int64_t until = deadline(s);
  for (bool late = false;; late = hki_now() >= until) {
    int left = AT_ONCE;
    const hk_stream_got got = poll_frame(s, values, &left);
    if (got == HK_STREAM_NEW) s->count.frames++;
    if (got != HK_STREAM_NOTHING) return got;
    if (is_stopped(s)) return HK_STREAM_STOPPED;
    if (late) break;
    (void)wait_for(s, false, until);
  }
  snprintf(s->words, sizeof s->words, "nothing has come for %.3g s", s->plan.timeout);
  return HK_STREAM_FAULT;
}

static hk_stream_got receive_latest(hk_stream *s, double *values) {
  int64_t n = 0;
  int left = AT_ONCE;
  hk_stream_got got = HK_STREAM_NOTHING;
  while (left > 0 && (got = poll_frame(s, values, &left)) == HK_STREAM_NEW) n++;
  s->count.frames += n > 0;
  s->count.passed += n > 1 ? n - 1 : 0;
  s->count.empty += n == 0 && got == HK_STREAM_NOTHING;
  return n && got != HK_STREAM_FAULT ? HK_STREAM_NEW : got;
}

hk_stream_got hki_stream_receive(hk_stream *s, double *values) {
  return s->plan.blocking ? receive_next(s, values) : receive_latest(s, values);
}

/* --- out ------------------------------------------------------------------------------------------ */

/* sends what waits; of a stream that blocks all of it */
static hk_stream_got flush(hk_stream *s) {
  const int64_t until = s->plan.blocking ? deadline(s) : 0;
  for (;;) {
    const hk_stream_got got = hki_socket_flush(s);
    if (got != HK_STREAM_NOTHING || !s->plan.blocking) return got;
    if (is_stopped(s)) return HK_STREAM_STOPPED;
    if (!wait_for(s, true, until) && hki_now() >= until) break;
  }
  snprintf(s->words, sizeof s->words, "nobody has taken anything for %.3g s", s->plan.timeout);
  return HK_STREAM_FAULT;
}

/* the bytes of a frame behind what waits */
static size_t write_frame(hk_stream *s, double time, const double *values, bool end) {
  unsigned char *to = s->bytes + s->have;
  const uint32_t n = end ? 0 : (uint32_t)s->plan.columns;
  if (s->plan.raw) {
    hki_frame_put_values(to, values, n);
    return 8 * (size_t)n;
  }
  const hk_frame_head head = {.flags = end ? HK_FRAME_END : 0,
                              .layout = s->plan.layout,
                              .count = n,
                              .sequence = s->sequence,
                              .time = time,
                              .sent = hki_now()};
  hki_frame_write(to, &head, values);
  return hki_frame_size(n);
}

static hk_stream_got send_shared(hk_stream *s, double time, const double *values, bool end) {
  const int64_t until = s->plan.blocking && !end ? deadline(s) : 0;
  while (until && !hki_shared_wait(s, true, until)) {
    if (is_stopped(s)) return HK_STREAM_STOPPED;
    if (hki_now() < until) continue;
    snprintf(s->words, sizeof s->words, "nobody has taken anything for %.3g s", s->plan.timeout);
    return HK_STREAM_FAULT;
  }
  s->have = 0;
  return hki_shared_put(s, write_frame(s, time, values, end), end);
}

hk_stream_got hki_stream_send(hk_stream *s, double time, const double *values) {
  hk_stream_got got = HK_STREAM_NEW;
  if (s->ended) return HK_STREAM_END;
  if (s->plan.way == HK_STREAM_SHM) {
    got = send_shared(s, time, values, false);
  } else {
    got = s->have ? flush(s) : HK_STREAM_NEW;
    if (got == HK_STREAM_NEW) {
      s->have = s->sent = 0;
      s->have = write_frame(s, time, values, false);
      got = flush(s);
      // a part of it is on its way: the rest follows with the next
      if (got == HK_STREAM_NOTHING && s->sent) got = HK_STREAM_NEW;
      if (got == HK_STREAM_NOTHING) s->have = 0;
    }
  }
  s->sequence++;
  if (got == HK_STREAM_NEW) s->count.frames++;
  if (got == HK_STREAM_NOTHING) s->count.lost++;
  if (got == HK_STREAM_END) s->ended = true;
  return got;
}

void hki_stream_close(hk_stream *s) {
  if (!s->bytes) return;
  const bool open = s->fd >= 0 || s->slot;
  if (s->plan.out && open && !s->ended) {
    if (s->plan.way == HK_STREAM_SHM) {
      (void)send_shared(s, s->time, NULL, true);
    } else if (!s->plan.raw) {
      const int64_t until = hki_now() + 200000000;
      while (s->have && hki_socket_flush(s) == HK_STREAM_NOTHING && hki_now() < until)
        (void)hki_socket_wait(s, true, until);
      s->have = s->sent = 0;
      s->have = write_frame(s, s->time, NULL, true);
      (void)hki_socket_flush(s);
    }
  }
  if (s->plan.way == HK_STREAM_SHM)
    hki_shared_close(s);
  else
    hki_socket_close(s);
  hki_free(s->ctx, s->bytes);
  s->bytes = NULL;
}

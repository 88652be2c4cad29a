/* SPDX-License-Identifier: Apache-2.0
 *
 * Fuzz target: what comes in a stream. The first byte chooses columns, raw or frames, datagrams or a connection;
 * the rest comes through a socket in pieces, or is the head and the frame of shared memory. Whatever it is, values are
 * finite, counts add up, and the stream ends.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "streams/stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* values that were given are finite, and memory stays what it was */
static void look(const hk_stream *s, hk_stream_got got, const double *values) {
  for (int32_t i = 0; got == HK_STREAM_NEW && i < s->plan.columns; i++)
    if (!isfinite(values[i])) abort();
  if (s->have > s->cap || s->count.lost < 0) abort();
}

/* memory that somebody else has written, several times over */
static void share(hk_stream *s, const uint8_t *data, size_t size) {
  enum { HEAD = 64 };
  double values[4];
  const size_t room = HEAD + hki_frame_size(4);
  unsigned char *slot = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (slot == MAP_FAILED) abort();
  s->plan.way = HK_STREAM_SHM, s->plan.address = "hooke-fuzz-none";
  s->slot = (struct hk_stream_slot *)(void *)slot, s->slot_bytes = room;
  for (size_t at = 0; at < size; at += room) {
    memcpy(slot, data + at, at + room < size ? room : size - at);
    const hk_stream_got got = hki_stream_receive(s, values);
    look(s, got, values);
    if (got == HK_STREAM_FAULT || got == HK_STREAM_END) break;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 2 || size > 60000) return 0;
  hk_ctx *ctx = hk_ctx_create();
  int pair[2];
  hk_stream s = {.ctx = ctx, .listener = -1};
  double values[4];
  if (!ctx || socketpair(AF_UNIX, data[0] & 1 ? SOCK_DGRAM : SOCK_STREAM, 0, pair) != 0) abort();
  s.plan = (hk_stream_plan){.name = "fuzz",
                            .way = data[0] & 1 ? HK_STREAM_UDP : HK_STREAM_UNIX,
                            .raw = data[0] & 2,
                            .blocking = data[0] & 32,
                            .columns = 1 + ((data[0] >> 2) & 3),
                            .timeout = 1e-4};
  s.fd = pair[0];
  s.cap = 8 * hki_frame_size(4) + 64;
  s.bytes = hki_alloc(ctx, s.cap);
  if (!s.bytes) abort();
  const size_t piece = (size_t)data[1] + 1;
  hk_stream_got got = HK_STREAM_NOTHING;
  if (data[0] & 64) share(&s, data + 2, size - 2);
  for (size_t at = 2; !s.slot && at < size && got != HK_STREAM_FAULT && got != HK_STREAM_END;
       at += piece) {
    (void)!send(pair[1], data + at, at + piece < size ? piece : size - at, MSG_DONTWAIT);
    got = hki_stream_receive(&s, values);
    look(&s, got, values);
  }
  hki_stream_close(&s);
  if (s.fd >= 0) close(s.fd);
  close(pair[1]);
  hk_ctx_destroy(ctx);
  return 0;
}

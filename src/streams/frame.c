/* SPDX-License-Identifier: Apache-2.0
 *
 * frame.c: frames of streams as bytes. Nothing is taken from a frame before it has been looked at.
 */
#include "streams/frame.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void put(unsigned char *to, uint64_t x, int bytes) {
  for (int i = 0; i < bytes; i++) to[i] = (unsigned char)(x >> 8 * i);
}

static uint64_t get(const unsigned char *from, int bytes) {
  uint64_t x = 0;
  for (int i = 0; i < bytes; i++) x |= (uint64_t)from[i] << 8 * i;
  return x;
}

static void put_double(unsigned char *to, double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  put(to, bits, 8);
}

static double get_double(const unsigned char *from) {
  const uint64_t bits = get(from, 8);
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

size_t hki_frame_size(uint32_t count) { return HK_FRAME_HEAD + 8 * (size_t)count; }

void hki_frame_put_values(unsigned char *to, const double *values, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) put_double(to + 8 * (size_t)i, values[i]);
}

void hki_frame_get_values(const unsigned char *from, double *values, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) values[i] = get_double(from + 8 * (size_t)i);
}

void hki_frame_write(unsigned char *to, const hk_frame_head *head, const double *values) {
  put(to, HK_FRAME_MAGIC, 4);
  put(to + 4, HK_FRAME_VERSION, 2);
  put(to + 6, head->flags, 2);
  put(to + 8, head->layout, 4);
  put(to + 12, head->count, 4);
  put(to + 16, head->sequence, 8);
  put_double(to + 24, head->time);
  put(to + 32, (uint64_t)head->sent, 8);
  hki_frame_put_values(to + HK_FRAME_HEAD, values, head->count);
}

const char *hki_frame_read(const unsigned char *from, size_t n, hk_frame_head *head, char *words,
                           size_t cap) {
  if (n < HK_FRAME_HEAD) {
    snprintf(words, cap, "%d bytes are no frame, which has %d or more", (int)n, HK_FRAME_HEAD);
    return words;
  }
  const uint32_t magic = (uint32_t)get(from, 4), version = (uint32_t)get(from + 4, 2);
  *head = (hk_frame_head){.flags = (uint16_t)get(from + 6, 2),
                          .layout = (uint32_t)get(from + 8, 4),
                          .count = (uint32_t)get(from + 12, 4),
                          .sequence = get(from + 16, 8),
                          .time = get_double(from + 24),
                          .sent = (int64_t)get(from + 32, 8)};
  if (magic != HK_FRAME_MAGIC)
    snprintf(words, cap, "it begins with %08x, not with the magic %08x: no frame, or raw numbers",
             (unsigned)magic, HK_FRAME_MAGIC);
  else if (version != HK_FRAME_VERSION)
    snprintf(words, cap, "version %u of the frame, and %d is known", (unsigned)version,
             HK_FRAME_VERSION);
  else if (head->flags & ~(unsigned)HK_FRAME_END)
    snprintf(words, cap, "flags %04x that nobody knows", (unsigned)head->flags);
  else if (head->count > HK_FRAME_MOST)
    snprintf(words, cap, "%u values, and %d are the most", (unsigned)head->count, HK_FRAME_MOST);
  else if ((head->flags & HK_FRAME_END) && head->count)
    snprintf(words, cap, "the end of the stream with values");
  else if (!isfinite(head->time))
    snprintf(words, cap, "its time is no number");
  else
    return NULL;
  return words;
}

uint32_t hki_frame_layout(int32_t n, const char *const *names) {
  uint32_t h = 2166136261u;
  for (int32_t i = 0; i < n; i++)
    for (const char *c = names[i];; c++) {
      h = (h ^ (unsigned char)*c) * 16777619u;
      if (!*c) break;
    }
  return h ? h : 1;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * frame.h: the frame of a stream (docs/streams.md): a header of HK_FRAME_HEAD bytes and the values, all
 * little-endian.
 *
 *   byte 0   uint32   magic, "HKST"
 *        4   uint16   version, 1
 *        6   uint16   flags: 1 the stream ends here, there are no values
 *        8   uint32   layout: hash of the names of the columns; 0: not told
 *       12   uint32   count of values
 *       16   uint64   sequence, from 0, one more in each frame
 *       24   float64  simulated time, s
 *       32   int64    when it was sent, ns of the sender's monotonic clock
 *       40   float64  the values
 */
#ifndef HK_STREAMS_FRAME_H
#define HK_STREAMS_FRAME_H

#include "base/base.h"

enum { HK_FRAME_HEAD = 40, HK_FRAME_VERSION = 1, HK_FRAME_END = 1, HK_FRAME_MOST = 4096 };
#define HK_FRAME_MAGIC 0x54534b48u

typedef struct hk_frame_head {
  uint16_t flags;
  uint32_t layout, count;
  uint64_t sequence;
  double time;
  int64_t sent;
} hk_frame_head;

/* bytes of a frame of so many values */
size_t hki_frame_size(uint32_t count);
/* writes a frame; values NULL with count 0 */
void hki_frame_write(unsigned char *to, const hk_frame_head *head, const double *values);
/* Reads the header of the n bytes at `from`, which are HK_FRAME_HEAD or more: NULL, or what is wrong with it.
 * words: room for that. */
const char *hki_frame_read(const unsigned char *from, size_t n, hk_frame_head *head, char *words,
                           size_t cap);
/* little-endian numbers, for frames and raw streams */
void hki_frame_put_values(unsigned char *to, const double *values, uint32_t count);
void hki_frame_get_values(const unsigned char *from, double *values, uint32_t count);
/* the hash of the names of columns: FNV-1a of each with its final 0; never 0 */
uint32_t hki_frame_layout(int32_t n, const char *const *names);

#endif

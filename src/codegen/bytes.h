/* SPDX-License-Identifier: Apache-2.0
 *
 * bytes.h: reading numbers of the binary format of WebAssembly; past the end everything is zero and `bad` is set.
 */
#ifndef HK_CODEGEN_BYTES_H
#define HK_CODEGEN_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct hk_bytes {
  const uint8_t *at, *end;
  bool bad;
} hk_bytes;

static inline int hki_bytes_u8(hk_bytes *b) {
  if (b->at < b->end) return *b->at++;
  b->bad = true;
  return 0;
}

static inline void hki_bytes_skip(hk_bytes *b, size_t n) {
  if (n > (size_t)(b->end - b->at)) {
    b->bad = true;
    n = (size_t)(b->end - b->at);
  }
  b->at += n;
}

/* LEB128, seven bits a byte, the lowest first */
static inline uint32_t hki_bytes_u32(hk_bytes *b) {
  uint64_t x = 0;
  for (int shift = 0; shift < 35; shift += 7) {
    const int c = hki_bytes_u8(b);
    x |= (uint64_t)(c & 127) << shift;
    if (!(c & 128)) return (uint32_t)x;
  }
  b->bad = true;
  return 0;
}

static inline int64_t hki_bytes_signed(hk_bytes *b) {
  uint64_t x = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    const int c = hki_bytes_u8(b);
    if (shift < 64) x |= (uint64_t)(c & 127) << shift;
    if (c & 128) continue;
    if ((c & 64) && shift + 7 < 64) x |= ~(uint64_t)0 << (shift + 7);
    return (int64_t)x;
  }
  b->bad = true;
  return 0;
}

/* eight bytes, the lowest first */
static inline uint64_t hki_bytes_u64(hk_bytes *b) {
  uint64_t x = 0;
  for (int i = 0; i < 8; i++) x |= (uint64_t)hki_bytes_u8(b) << (8 * i);
  return x;
}

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * ring.h: records of bytes from one thread to another, without a lock. The writer never waits: a record
 * that does not fit is refused.
 */
#ifndef HK_BASE_RING_H
#define HK_BASE_RING_H

#include <stdatomic.h>

#include "base/base.h"

typedef struct hk_ring {
  hk_ctx *ctx;
  unsigned char *data;
  size_t size;               /* a power of two */
  _Atomic size_t head, tail; /* bytes written and read so far */
} hk_ring;

/* room for at least `bytes`; HK_OK or HK_E_MEMORY. All of it is touched. */
hk_status hki_ring_create(hk_ring *r, hk_ctx *ctx, size_t bytes);
void hki_ring_free(hk_ring *r);
/* A record of two parts, `kind` before them; false: there is no room. One thread writes. */
bool hki_ring_put(hk_ring *r, uint32_t kind, const void *a, size_t na, const void *b, size_t nb);
/* The oldest record into out (cap bytes): its length, or -1 when there is none. One thread reads. */
int64_t hki_ring_get(hk_ring *r, uint32_t *kind, void *out, size_t cap);

#endif

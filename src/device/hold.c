/* SPDX-License-Identifier: Apache-2.0
 *
 * hold.c: memory of a card that several hold (device.h): the device, and whoever was given a tensor of it. The last one
 * frees it, on any thread, with the card's own context, which every hold keeps open for that.
 */
#include <stdatomic.h>

#include "device/device_impl.h"

struct hk_device_hold {
  atomic_int count;
  const hk_cuda *c;
  int card;
  void *context;
  uint64_t at;
};

hk_device_hold *hki_hold_create(hk_device *d, uint64_t at) {
  hk_device_hold *h = hki_alloc(d->ctx, sizeof *h);
  if (!h) return NULL;
  h->c = d->c, h->card = d->card, h->at = at;
  atomic_init(&h->count, 1);
  if (h->c->retain(&h->context, h->card) == 0) return h;
  hki_free(d->ctx, h);
  return NULL;
}

uint64_t hki_device_hold_at(const hk_device_hold *h) { return h->at; }
void hki_hold_take(hk_device_hold *h) { atomic_fetch_add(&h->count, 1); }
int hki_hold_count(const hk_device_hold *h) { return atomic_load(&h->count); }

/* A card that is lost does not take its memory back; nobody can do anything about that. */
void hki_device_let_go(hk_device_hold *h) {
  void *was = NULL;
  if (!h || atomic_fetch_sub(&h->count, 1) > 1) return;
  if (h->c->push(h->context) == 0) {
    h->c->free(h->at);
    h->c->pop(&was);
  }
  h->c->release(h->card);
  hki_free(NULL, h);
}

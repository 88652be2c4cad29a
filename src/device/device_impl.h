/* SPDX-License-Identifier: Apache-2.0
 *
 * device_impl.h: what a device is, for the files of this folder.
 */
#ifndef HK_DEVICE_IMPL_H
#define HK_DEVICE_IMPL_H

#include "device/device.h"

typedef enum hk_device_kernel {
  HK_KERNEL_RESET,
  HK_KERNEL_ADVANCE,
  HK_KERNEL_SHOW,
  HK_KERNEL_PUT,
  HK_KERNEL_TAKE,
  HK_KERNELS
} hk_device_kernel;

/* what a kernel gets: hkx_job of codegen/prelude_device.c */
typedef struct hk_device_call {
  uint64_t x, code, turns, u, y, chosen;
  int64_t stride, ustride;
  int32_t worlds, steps;
} hk_device_call;

/* memory of the card */
typedef struct hk_device_block {
  uint64_t at;
  size_t bytes;
} hk_device_block;

/* memory of this side */
typedef struct hk_device_host {
  void *at;
  size_t bytes;
} hk_device_host;

struct hk_device {
  hk_ctx *ctx;
  const hk_cuda *c;
  hk_device_job job;
  hk_device_facts facts;
  int card;
  void *context, *module, *event;
  void *kernel[HK_KERNELS];
  hk_device_block x, code, turns, y, exchange, chosen, beside;
  hk_device_hold *held, *shown; /* of x, once it was lent; outputs that were lent last */
  int64_t stride;
  int32_t rows, batch;         /* rows of outputs; steps of the next launch */
  hk_device_host host, packed; /* numbers on their way: as floats, side by side */
  bool lost;                   /* nothing can be asked of it any more */
  char why[HK_DEVICE_WORDS];
};

/* an error of the driver, in words */
hk_status hki_device_fail(hk_device *d, int error, const char *what);

/* blocks of warps that share steps, of which a processor of the card holds so many at once */
int hki_device_blocks(const hk_device *d);

/* a hold on memory of the card, which is freed with it; NULL: no memory */
hk_device_hold *hki_hold_create(hk_device *d, uint64_t at);
/* one more holds it; how many do */
void hki_hold_take(hk_device_hold *h);
int hki_hold_count(const hk_device_hold *h);

#endif

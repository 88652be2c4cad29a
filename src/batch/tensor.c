/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor.c: numbers of a batch as tensors of DLPack 1.0 (hooke/dlpack.h). What lies on a card is lent, and held there until the
 * tensor is given back; all else is copied. A tensor needs neither the batch nor its context.
 */
#include "batch/batch_impl.h"
#include "hooke/dlpack.h"

enum { ON_PROCESSOR = 1, ON_CARD = 2, FRACTIONS = 2 };

typedef struct tensor {
  DLManagedTensorVersioned of;
  int64_t shape[2], strides[2];
  hk_batch_lent lent;
  double *copy;
} tensor;

static void give_back(DLManagedTensorVersioned *self) {
  tensor *t = self->manager_ctx;
  if (t->lent.hold) t->lent.let_go(t->lent.hold);
  hki_free(NULL, t->copy);
  hki_free(NULL, t);
}

static hk_status copy(hk_batch *b, int32_t what, tensor *t) {
  const size_t nw = (size_t)b->opt.worlds, n = (size_t)hki_batch_size(b, what);
  hk_status st = hki_batch_fits(b, (double)nw * (double)n * sizeof(double));
  if (st != HK_OK) return st;
  t->copy = hki_alloc(b->ctx, nw * n * sizeof *t->copy);
  t->lent = (hk_batch_lent){.at = (uint64_t)(uintptr_t)t->copy,
                            .stride = 1,
                            .numbers = (int32_t)n,
                            .copied = true,
                            .read_only = true};
  const hk_worlds all = {b->opt.worlds, NULL};
  if (!t->copy) return HK_E_MEMORY;
  return n ? b->ops->get(b, what, &all, t->copy) : HK_OK;
}

/* the words of DLPack for it; the time has one direction, all else two */
static void describe(const hk_batch *b, int32_t what, tensor *t) {
  const hk_batch_lent *l = &t->lent;
  t->shape[0] = b->opt.worlds, t->shape[1] = l->numbers;
  t->strides[0] = l->hold ? 1 : l->numbers, t->strides[1] = l->stride;
  t->of = (DLManagedTensorVersioned){
      .version = {.major = 1, .minor = 0},
      .manager_ctx = t,
      .deleter = give_back,
      .flags = (l->read_only ? (uint64_t)HK_DLPACK_READ_ONLY : 0) |
               (l->copied ? (uint64_t)HK_DLPACK_IS_COPIED : 0),
      .dl_tensor = {.data = (void *)(uintptr_t)l->at,
                    .device = {.device_type = l->hold ? ON_CARD : ON_PROCESSOR,
                               .device_id = l->hold ? l->card : 0},
                    .ndim = what == HK_BATCH_TIME ? 1 : 2,
                    .dtype = {.code = FRACTIONS, .bits = l->single ? 32 : 64, .lanes = 1},
                    .shape = t->shape,
                    .strides = t->strides}};
}

hk_status hk_batch_tensor(hk_batch *b, int32_t what, DLManagedTensorVersioned **out) {
  if (out) *out = NULL;
  if (!hki_is(b, HK_MARK_BATCH)) return hki_misuse(NULL, "hk_batch_tensor", "no batch");
  if (!out || hki_batch_size(b, what) < 0)
    return hki_misuse(b->ctx, "hk_batch_tensor",
                      out ? "there is no such thing" : "no place for the tensor");
  tensor *t = hki_alloc(b->ctx, sizeof *t);
  if (!t) return HK_E_MEMORY;
  hk_status st = b->ops->lend ? b->ops->lend(b, what, &t->lent) : HK_OK;
  if (st == HK_OK && !t->lent.hold) st = copy(b, what, t);
  describe(b, what, t);
  if (st == HK_OK)
    *out = &t->of;
  else
    give_back(&t->of);
  return st;
}

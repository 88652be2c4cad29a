/* SPDX-License-Identifier: Apache-2.0
 *
 * wide_team.c: elements on several markers evaluated by several threads. Each thread writes the results
 * of its elements into their own places of a buffer; the caller takes them in the order of the model.
 * The buffer holds a batch of elements, small enough to stay in the caches.
 */
#include "kinematics/wide.h"

enum {
  FEW = 32,  /* elements of a model from which threads share them */
  BATCH = 64 /* elements of a batch for each thread */
};

typedef struct hk_kin_team {
  hk_team *threads;
  int32_t batch;    /* elements */
  hk_wide_out *out; /* batch: with places for the largest element */
  hk_frame *frame;  /* wide_most for each thread */
  /* the present batch */
  const hk_kin *k;
  int32_t first, count;
  uint32_t need;
  void *block;
} hk_kin_team;

static void layout(hk_kin_team *t, const hk_model *m, hk_arena *a) {
  const int32_t n = 6 * m->wide_most, parts = hki_team_size(t->threads);
  int32_t ny = 0;
  for (int32_t i = 0; i < m->nwide; i++) ny = m->wide[i].ops->ny > ny ? m->wide[i].ops->ny : ny;
  t->out = HK_TAKE(a, hk_wide_out, t->batch);
  t->frame = HK_TAKE(a, hk_frame, (size_t)parts * (size_t)m->wide_most);
  for (int32_t i = 0; i < t->batch; i++) {
    double *w = HK_TAKE(a, double, n), *K = HK_TAKE(a, double, (size_t)n *(size_t)n);
    double *C = HK_TAKE(a, double, (size_t)n *(size_t)n), *y = HK_TAKE(a, double, ny);
    if (t->out) t->out[i] = (hk_wide_out){.w = w, .K = K, .C = C, .y = y};
  }
}

hk_status hki_kin_team_create(hk_ctx *ctx, hk_kin *k, int32_t threads) {
  hk_arena a = {0};
  if (threads < 2 || k->m->nwide < FEW) return HK_OK;
  hk_kin_team *t = k->team = hki_alloc(ctx, sizeof *t);
  if (!t) return HK_E_MEMORY;
  t->threads = hki_team_create(ctx, threads);
  t->batch = BATCH * threads;
  if (t->batch > k->m->nwide) t->batch = k->m->nwide;
  if (!t->threads) return HK_E_MEMORY;
  layout(t, k->m, &a);
  t->block = hki_alloc(ctx, a.used + 64);
  if (!t->block) return HK_E_MEMORY;
  a = (hk_arena){(unsigned char *)t->block + (64 - (uintptr_t)t->block % 64) % 64, 0, a.used};
  layout(t, k->m, &a);
  if (k->under) k->under->team = t;
  return HK_OK;
}

void hki_kin_team_end(hk_ctx *ctx, hk_kin *k) {
  hk_kin_team *t = k->team;
  if (!t) return;
  k->team = NULL;
  if (k->under) k->under->team = NULL;
  hki_team_end(t->threads);
  hki_free(ctx, t->block);
  hki_free(ctx, t);
}

/* one thread's elements of a batch */
static void evaluate(void *arg, int32_t part, int32_t parts) {
  const hk_kin_team *t = arg;
  hk_frame *F = t->frame + (ptrdiff_t)part * t->k->m->wide_most;
  const int32_t from = (int32_t)((int64_t)t->count * part / parts);
  const int32_t to = (int32_t)((int64_t)t->count * (part + 1) / parts);
  for (int32_t i = from; i < to; i++) hki_kin_wide_at(t->k, t->first + i, t->need, F, &t->out[i]);
}

void hki_kin_wide_each(const hk_kin *k, uint32_t need, hk_wide_take *take, void *user) {
  const int32_t n = k->m->nwide;
  hk_kin_team *t = k->team;
  for (int32_t i = 0; !t && i < n; i++) take(user, i, hki_kin_wide(k, i, need));
  if (!t) return;
  t->k = k;
  t->need = need;
  for (t->first = 0; t->first < n; t->first += t->count) {
    t->count = n - t->first < t->batch ? n - t->first : t->batch;
    // elements of one surface have one input
    for (int32_t i = 0; i < t->count; i++) hki_kin_wide_inputs(k, t->first + i);
    hki_team_run(t->threads, evaluate, t);
    for (int32_t i = 0; i < t->count; i++) take(user, t->first + i, &t->out[i]);
  }
}

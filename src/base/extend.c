/* SPDX-License-Identifier: Apache-2.0
 *
 * extend.c: types that a context knows beside those that are compiled in, and what is to be done
 * when it ends.
 */
#include "base/extend.h"

#include "base/context_impl.h"

bool hki_extend_add(hk_ctx *ctx, hk_extend kind, const void *ops) {
  hk_pool *pool = hki_ctx_pool(ctx);
  hk_extended *e = pool ? hki_pool_alloc(pool, sizeof *e) : NULL, **at = &ctx->extended;
  if (!e) return false;
  while (*at) at = &(*at)->next;
  *e = (hk_extended){(int32_t)kind, ops, NULL};
  *at = e;
  return true;
}

const void *hki_extend_at(const hk_ctx *ctx, hk_extend kind, int32_t i) {
  for (const hk_extended *e = ctx ? ctx->extended : NULL; e && i >= 0; e = e->next)
    if (e->kind == (int32_t)kind && i-- == 0) return e->ops;
  return NULL;
}

int32_t hki_extend_count(const hk_ctx *ctx, hk_extend kind) {
  int32_t n = 0;
  while (hki_extend_at(ctx, kind, n)) n++;
  return n;
}

bool hki_extend_share(hk_ctx *to, const hk_ctx *from) {
  bool ok = true;
  for (const hk_extended *e = from->extended; e && ok; e = e->next)
    ok = hki_extend_add(to, (hk_extend)e->kind, e->ops);
  return ok;
}

bool hki_extend_keep(const hk_ctx *ctx, hk_pool *pool, hk_extend_list *out) {
  int32_t n = 0;
  *out = (hk_extend_list){0};
  for (const hk_extended *e = ctx->extended; e; e = e->next) n++;
  if (!n) return true;
  struct hk_extend_item *items = hki_pool_alloc(pool, (size_t)n * sizeof *items);
  if (!items) return false;
  for (const hk_extended *e = ctx->extended; e; e = e->next)
    items[out->n++] = (struct hk_extend_item){(hk_extend)e->kind, e->ops};
  out->items = items;
  return true;
}

static bool knows(const hk_ctx *ctx, const struct hk_extend_item *item) {
  for (const hk_extended *e = ctx->extended; e; e = e->next)
    if (e->kind == (int32_t)item->kind && e->ops == item->ops) return true;
  return false;
}

bool hki_extend_take(hk_ctx *to, const hk_extend_list *list) {
  bool ok = true;
  for (int32_t i = 0; i < list->n && ok; i++)
    if (!knows(to, &list->items[i]))
      ok = hki_extend_add(to, list->items[i].kind, list->items[i].ops);
  return ok;
}

/* the last entry; NULL: there is none */
hk_extend_mark hki_extend_mark(const hk_ctx *ctx) {
  hk_extended *e = ctx->extended;
  while (e && e->next) e = e->next;
  return e;
}

void hki_extend_back(hk_ctx *ctx, hk_extend_mark mark) {
  if (mark)
    mark->next = NULL;
  else
    ctx->extended = NULL;
}

bool hki_ctx_at_end(hk_ctx *ctx, void (*fn)(void *what), void *what) {
  hk_pool *pool = hki_ctx_pool(ctx);
  hk_ending *e = pool ? hki_pool_alloc(pool, sizeof *e) : NULL;
  if (!e) return false;
  *e = (hk_ending){fn, what, ctx->endings};
  ctx->endings = e;
  return true;
}

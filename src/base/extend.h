/* SPDX-License-Identifier: Apache-2.0
 *
 * extend.h: types that a context knows beside those that are compiled in. Modules bring them
 * (src/modules). The tables of elements, laws and so on look here after their own lines; an entry is
 * a pointer to what such a table holds, and lives as long as the context.
 */
#ifndef HK_BASE_EXTEND_H
#define HK_BASE_EXTEND_H

#include "base/base.h"

typedef enum hk_extend {
  HK_EXTEND_ELEMENT,    /* hk_element_ops */
  HK_EXTEND_LAW,        /* hk_law_ops */
  HK_EXTEND_BLOCK,      /* hk_block_ops */
  HK_EXTEND_JOINT,      /* hk_joint_ops */
  HK_EXTEND_INTEGRATOR, /* hk_integrator_ops */
  HK_EXTEND_MODULE,     /* const char: names of modules that have been loaded, */
  HK_EXTEND_FOLDER,     /* and of folders to look for others in */
  HK_EXTEND_PEERS,      /* hk_peers_ops: who adds peers to simulations of models that name some */
  HK_EXTENDS
} hk_extend;

/* one more type; false: out of memory */
bool hki_extend_add(hk_ctx *ctx, hk_extend kind, const void *ops);
/* type i of a kind, in the order in which they came; NULL: no more, or no context */
const void *hki_extend_at(const hk_ctx *ctx, hk_extend kind, int32_t i);
int32_t hki_extend_count(const hk_ctx *ctx, hk_extend kind);

/* all types of another context too, which must live longer; false: out of memory */
bool hki_extend_share(hk_ctx *to, const hk_ctx *from);

/* The types of a context at one time, which does not change with it: threads may share it. */
typedef struct hk_extend_list {
  int32_t n;
  const struct hk_extend_item {
    hk_extend kind;
    const void *ops;
  } * items;
} hk_extend_list;
bool hki_extend_keep(const hk_ctx *ctx, hk_pool *pool, hk_extend_list *out);
/* those of them that a context does not know so far; false: out of memory */
bool hki_extend_take(hk_ctx *to, const hk_extend_list *list);

/* The list of types as it is now, and back to it: what came later is forgotten. */
typedef struct hk_extended *hk_extend_mark;
hk_extend_mark hki_extend_mark(const hk_ctx *ctx);
void hki_extend_back(hk_ctx *ctx, hk_extend_mark mark);

/* called once when the context ends, behind everything that was made with it; false: out of memory */
bool hki_ctx_at_end(hk_ctx *ctx, void (*fn)(void *what), void *what);

#endif

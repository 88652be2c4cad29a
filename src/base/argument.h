/* SPDX-License-Identifier: Apache-2.0
 *
 * argument.h: checks of the arguments of public functions: handles of the right kind, lists that
 * fit their counts, option structs of this and of other versions.
 */
#ifndef HK_BASE_ARGUMENT_H
#define HK_BASE_ARGUMENT_H

#include "base/base.h"

/* First member of every object behind a public handle, set when it is created and cleared when it
 * is destroyed. It tells one kind of handle from another and from NULL. */
typedef enum hk_mark {
  HK_MARK_CTX = 0x684b0001,
  HK_MARK_MODEL,
  HK_MARK_SIM,
  HK_MARK_RESULT,
  HK_MARK_FOLLOW,
  HK_MARK_COMPARISON,
  HK_MARK_NODE,
  HK_MARK_EVAL,
  HK_MARK_STATESPACE,
  HK_MARK_STATICS,
  HK_MARK_FIT,
  HK_MARK_INVERSE,
  HK_MARK_RANGE,
  HK_MARK_FLEXIBLE,
  HK_MARK_BATCH
} hk_mark;

static inline bool hki_is(const void *thing, hk_mark mark) {
  return thing && *(const hk_mark *)thing == mark;
}

/* true when `list` can hold n items: n = 0, or n > 0 and a pointer */
static inline bool hki_is_list(const void *list, int32_t n) { return n == 0 || (n > 0 && list); }

/* refuses a call: returns HK_E_USAGE and reports "function: what" where there is a context */
hk_status hki_misuse(hk_ctx *ctx, const char *function, const char *what);

/* Option structs begin with their own size in bytes, a uint32_t, as the caller was compiled.
 *
 * hki_options_read copies the caller's struct `from` over `to`, which holds the defaults:
 *   - from = NULL: all defaults;
 *   - an older, shorter struct: options that it lacks keep their defaults;
 *   - a newer, longer struct: accepted when all bytes beyond `known` are zero, since zero means
 *     "not given" for every option;
 *   - a size that no version can have is refused with the struct's name. */
typedef struct hk_options_kind {
  const char *name;
  size_t known; /* bytes of the struct in this version */
  size_t least; /* offset of the second option: no version is shorter */
  size_t align; /* alignment of the struct: sizes are multiples of it */
} hk_options_kind;
#define HK_OPTIONS(type, second)                                                                   \
  (&(hk_options_kind){#type, sizeof(type), offsetof(type, second), _Alignof(type)})

hk_status hki_options_read(hk_ctx *ctx, const hk_options_kind *kind, void *to, const void *from);
/* writes the defaults `def` (`known` bytes) into the caller's struct of `size` bytes */
void hki_options_init(void *to, uint32_t size, const void *def, size_t known);

/* a text that is written when it is first asked for and lives with the context; key: address of a
 * static variable of the caller. NULL: ctx is no context, or memory ran out. */
const char *hki_ctx_text(hk_ctx *ctx, const void *key, void (*write)(hk_text *t));

#endif

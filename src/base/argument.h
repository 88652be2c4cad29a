/* SPDX-License-Identifier: Apache-2.0
 *
 * argument.h: what public functions ask of their arguments: handles that are what they say, lists
 * that fit their counts, option structs of this and of other versions.
 */
#ifndef HK_BASE_ARGUMENT_H
#define HK_BASE_ARGUMENT_H

#include "base/base.h"

/* First member of everything that a program holds by a pointer, from its creation to its end: one
 * kind is never taken for another, nor for nothing. */
typedef enum hk_mark {
  HK_MARK_CTX = 0x684b0001,
  HK_MARK_MODEL,
  HK_MARK_SIM,
  HK_MARK_RESULT,
  HK_MARK_COMPARISON
} hk_mark;

static inline bool hki_is(const void *thing, hk_mark mark) {
  return thing && *(const hk_mark *)thing == mark;
}

/* a list of n items that is there */
static inline bool hki_is_list(const void *list, int32_t n) { return n == 0 || (n > 0 && list); }

/* refuses a call: HK_E_USAGE, and "function: what" where there is a context */
hk_status hki_misuse(hk_ctx *ctx, const char *function, const char *what);

/* Option structs begin with their own size in bytes, as their writer knew it: a uint32_t.
 *
 * hki_options_read copies one over `to`, which holds the defaults of the `known` bytes that this
 * version has. Of an older, shorter struct the rest keeps its defaults; a newer, longer one is
 * accepted when all that is beyond is zero, which every option takes for "not given". NULL: all
 * defaults. A size that no such struct can have is refused with the struct's name: `least` is the
 * end of the first option, `align` the alignment of the struct, at whose multiples no option is cut
 * in two. */
typedef struct hk_options_kind {
  const char *name;
  size_t known, least, align;
} hk_options_kind;
#define HK_OPTIONS(type, second)                                                                   \
  (&(hk_options_kind){#type, sizeof(type), offsetof(type, second), _Alignof(type)})

hk_status hki_options_read(hk_ctx *ctx, const hk_options_kind *kind, void *to, const void *from);
/* the defaults into a struct of `size` bytes of its writer */
void hki_options_init(void *to, uint32_t size, const void *def, size_t known);

#endif

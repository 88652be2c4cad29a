/* SPDX-License-Identifier: Apache-2.0
 *
 * modules_impl.h: what the adapters share.
 *
 * Parameters of elements, joints and integrators begin with a pointer to their type (`self` of the
 * tables) and have those of the module HK_SELF bytes behind.
 */
#ifndef HK_MODULES_MODULES_IMPL_H
#define HK_MODULES_MODULES_IMPL_H

#include <stddef.h>
#include <string.h>

#include "modules/modules.h"

/* a module while it is loaded */
typedef struct hk_loading {
  hk_ctx *ctx;
  hk_loc loc;
  const char *module; /* its name */
  hk_status status;   /* the first failure */
} hk_loading;

/* the words that refuse a type; gives the status */
hk_status hki_module_refuse(hk_loading *l, const char *type, const char *fmt, ...) HK_PRINTF(3, 4);

/* Checks what all types have: a struct of a known size, a name that is a good one. `least`: bytes of the
 * struct in the first version. */
bool hki_module_good(hk_loading *l, uint32_t size, size_t least, const char *name,
                     const char *text);
/* is there room for its own pointer in the parameters? */
bool hki_module_room(hk_loading *l, const char *name, const void *self, size_t par_size);

/* Types that are made while a program runs have a pointer of their own first in their parameters. The
 * member came later than the others, so that older structs end before it. NULL: none. */
#define hki_module_self(t)                                                                         \
  ((t)->size >= (size_t)((const char *)(&(t)->self + 1) - (const char *)(t)) ? (t)->self : NULL)
/* puts it there */
static inline void hki_module_put_self(const void *self, void *par) {
  if (self) memcpy(par, &self, sizeof self);
}

/* kinds of keys that every type but integrators may have */
enum {
  HK_KEYS_PLAIN = 1u << HK_PLUGIN_REAL | 1u << HK_PLUGIN_INT | 1u << HK_PLUGIN_BOOL |
                  1u << HK_PLUGIN_CHOICE | 1u << HK_PLUGIN_TEXT
};

/* which kinds of keys a type may have, and how far its inputs and nodes go */
typedef struct hk_key_rules {
  uint32_t kinds; /* bit k: hk_plugin_kind k */
  size_t par_size, head;
  int32_t nu, nnode;
} hk_key_rules;

/* the rows of a table of keys, in the context's pool; NULL after an error */
const hk_param *hki_module_keys(hk_loading *l, const char *type, const hk_plugin_key *keys,
                                const hk_key_rules *rules);

/* a block of the context's pool, zeroed; NULL: out of memory */
void *hki_module_alloc(hk_loading *l, size_t size);

/* what `prepare` of a module said, as a sentence without control characters */
const char *hki_module_words(const char *why);

hk_status hki_module_element(hk_loading *l, const hk_plugin_element *type);
hk_status hki_module_law(hk_loading *l, const hk_plugin_law *type);
hk_status hki_module_block(hk_loading *l, const hk_plugin_block *type);
hk_status hki_module_integrator(hk_loading *l, const hk_plugin_integrator *type);
hk_status hki_module_joint(hk_loading *l, const hk_plugin_joint *type);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * cache.h: the folder in which libraries are kept, and reasons why there is none.
 */
#ifndef HK_NATIVE_CACHE_H
#define HK_NATIVE_CACHE_H

#include "base/base.h"
#include "native/compiler.h"

/* largest library that is made or taken */
#define HK_LIBRARY_MOST ((uint64_t)256 << 20)

typedef struct hk_cache {
  char folder[HK_PATH];
  char file[HK_PATH + 64]; /* of this library */
  char none[HK_PATH + 64]; /* why there is none */
  char work[HK_PATH + 64]; /* a folder of its own while it is made; "": none */
  uint64_t key[2];
} hk_cache;

/* the folder is there and is ours; false: why not, in words */
bool hki_cache_open(hk_cache *c, const uint64_t key[2], char *why, size_t cap);
/* is a library of this key there, whole and ours? It counts as used now. */
bool hki_cache_has(hk_cache *c);
/* a folder to make it in; then the finished file becomes the one of this key, and the oldest others give way */
bool hki_cache_begin(hk_cache *c, char *why, size_t cap);
bool hki_cache_adopt(hk_cache *c, const char *made, char *why, size_t cap);
/* Why no text can be written for this key, as it was found before; false: that is not known. And keeps such a reason. */
bool hki_cache_refuses(hk_cache *c, char *why, size_t cap);
void hki_cache_refuse(hk_cache *c, const char *why);
/* removes what is left of making it */
void hki_cache_end(hk_cache *c);

#endif

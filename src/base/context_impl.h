/* SPDX-License-Identifier: Apache-2.0
 *
 * context_impl.h: the context's inside, seen only by src/base.
 */
#ifndef HK_BASE_CONTEXT_IMPL_H
#define HK_BASE_CONTEXT_IMPL_H

#include <stdatomic.h>

#include "base/argument.h"

/* how many messages of each severity are kept; the rest are only counted */
#define HKI_MESSAGES_KEPT 200

/* one pointer of hki_ctx_once and its key */
typedef struct hk_once {
  const void *key;
  void *value;
  struct hk_once *next;
} hk_once;

/* one type of hki_extend_add */
typedef struct hk_extended {
  int32_t kind; /* hk_extend */
  const void *ops;
  struct hk_extended *next;
} hk_extended;

/* one call of hki_ctx_at_end */
typedef struct hk_ending {
  void (*fn)(void *what);
  void *what;
  struct hk_ending *next;
} hk_ending;

/* a file that messages name; numbers are unique in the process, so that a context can show places of
 * models that were read in another one */
typedef struct hk_ctx_file {
  int32_t number;
  char *name;
} hk_ctx_file;

struct hk_ctx {
  hk_mark mark;
  hk_message **messages; /* each in its own block, so that the pointers given out stay valid */
  int32_t nmessages, cap_messages;
  int32_t seen[3];      /* messages reported so far, by hk_severity */
  hk_status first;      /* code of the first error, HK_OK when there is none */
  bool memory_reported; /* the message below is in the list */
  int32_t no_memory;    /* how often memory ran out */
  hk_message memory;    /* "out of memory", which must not need memory */

  hk_ctx_file *files;
  int32_t nfiles, cap_files;

  hk_file_copy *held; /* files in memory, the last one first */
  bool holds_all;     /* files that are read are held */

  bool muted; /* notes and warnings are not wanted */
  hk_message_fn fn;
  void *user;

  hk_say_place say; /* words for places of one file, NULL: none */
  const void *say_user;
  int32_t say_file;

  hk_pool *pool; /* of hki_ctx_pool; NULL until it is needed */
  hk_once *once;
  hk_extended *extended;
  hk_ending *endings; /* the last one first */

  const volatile int *stop;    /* nonzero: long work should end; NULL: nobody stops it */
  bool may_stop;               /* it may end here */
  _Atomic(const char *) phase; /* what goes on, for progress; other threads read it */

  uint64_t allocations; /* calls that asked the system for memory */
  uint64_t fail_at;     /* this call and all later ones fail; 0 = never (tests) */
};

/* a held file by its name, NULL: none; and a copy of it */
const hk_file_copy *hki_file_find(const hk_ctx *ctx, const char *name);
hk_status hki_file_get(hk_ctx *ctx, const hk_file_copy *h, char **text, size_t *len);
void hki_file_copies_free(hk_ctx *ctx);

/* the out-of-memory error: recorded once, without allocating */
void hki_ctx_out_of_memory(hk_ctx *ctx);

#endif

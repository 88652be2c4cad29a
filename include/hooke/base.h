/* SPDX-License-Identifier: Apache-2.0
 *
 * hooke/base.h: status codes, the context and its messages.
 */
#ifndef HOOKE_BASE_H
#define HOOKE_BASE_H

#include <stddef.h>
#include <stdint.h>

#include "hooke/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/** 0 is success, positive recoverable, negative fatal. */
typedef int32_t hk_status;

enum {
#define X(name, value, text, hint) name = value,
#include "hooke/status.def"
#undef X
  HK_STATUS_END_ = 0x7fffffff
};

/** One sentence for a status, and what to do about it. */
HK_API const char *hk_status_text(hk_status s);
HK_API const char *hk_status_hint(hk_status s);
HK_API const char *hk_status_name(hk_status s);

/** Everything a program shares: allocator, messages. One per thread of use. */
typedef struct hk_ctx hk_ctx;

typedef enum hk_severity { HK_NOTE = 0, HK_WARNING = 1, HK_ERROR = 2 } hk_severity;

/** A message about a model or a run. Strings live as long as the context (until cleared). */
typedef struct hk_message {
  hk_severity severity;
  hk_status code;   /**< HK_OK for notes and warnings */
  const char *file; /**< NULL when the message is not about a file */
  int32_t line;     /**< from 1; 0 unknown */
  int32_t column;   /**< from 1; 0 unknown */
  const char *text; /**< what was found and what was expected */
  const char *hint; /**< "did you mean ..."; NULL when there is none */
} hk_message;

HK_API hk_ctx *hk_ctx_create(void);
HK_API void hk_ctx_destroy(hk_ctx *ctx);

/** Called for each message as it arises; without one, messages are only kept. */
typedef void (*hk_message_fn)(const hk_message *m, void *user);
HK_API void hk_ctx_on_message(hk_ctx *ctx, hk_message_fn fn, void *user);

HK_API int32_t hk_ctx_message_count(const hk_ctx *ctx);
HK_API const hk_message *hk_ctx_message(const hk_ctx *ctx, int32_t i);
HK_API void hk_ctx_clear(hk_ctx *ctx);

/** How many allocations the context has made: constant while a simulation steps. */
HK_API uint64_t hk_ctx_allocations(const hk_ctx *ctx);

#ifdef __cplusplus
}
#endif
#endif

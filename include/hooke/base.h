/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * hooke/base.h: status codes, the context and its messages.
 *
 * Of all functions: NULL or a handle of another kind where one is needed, a count that does not fit
 * its list and an index out of range are refused, by HK_E_USAGE and a message where there is a
 * context to keep it. Functions without a status then return NULL, 0, -1 where they look for
 * something, NAN for a number, "" for a text of a result; those that end something do nothing.
 *
 * Option structs begin with their size as the caller knows it. Programs built with older or newer
 * headers work, newer ones as long as they leave the options that the library does not know at
 * zero.
 */
#ifndef HOOKE_BASE_H
#define HOOKE_BASE_H

#include <stddef.h>
#include <stdint.h>

#include "hooke/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One of the status codes below: 0 is success, positive recoverable, negative fatal. */
typedef int32_t hk_status;

/** The status codes, from the list in hooke/status.def. */
enum {
#define X(name, value, text, hint) name = value,
#include "hooke/status.def"
#undef X
  HK_STATUS_END_ = 0x7fffffff /**< makes the values 32 bits wide; never returned */
};

/** One sentence for a status.
 * @param s the status
 * @return a constant text; "unknown status" for a number that is none */
HK_API const char *hk_status_text(hk_status s);

/** What to do about a status.
 * @param s the status
 * @return a constant text, "" when there is nothing to say or the number is no status */
HK_API const char *hk_status_hint(hk_status s);

/** The name of a status in C.
 * @param s the status
 * @return a constant text such as "HK_E_MODEL"; "HK_UNKNOWN" for a number that is none */
HK_API const char *hk_status_name(hk_status s);

/** Everything a program shares: allocator, messages. One per thread of use. */
typedef struct hk_ctx hk_ctx;

/** How grave a message is. */
typedef enum hk_severity {
  HK_NOTE = 0,    /**< good to know */
  HK_WARNING = 1, /**< probably not what was meant */
  HK_ERROR = 2    /**< the call fails */
} hk_severity;

/** A message about a model or a run. Strings live as long as the context (until cleared). */
typedef struct hk_message {
  hk_severity severity; /**< note, warning or error */
  hk_status code;       /**< of an error; HK_OK for notes and warnings */
  const char *file;     /**< NULL when the message is not about a file */
  int32_t line;         /**< from 1; 0 unknown */
  int32_t column;       /**< from 1; 0 unknown */
  const char *text;     /**< what was found and what was expected */
  const char *hint;     /**< "did you mean ..."; NULL when there is none */
} hk_message;

/** Make a context.
 * @return the context, to be given to hk_ctx_destroy(); NULL when out of memory */
HK_API hk_ctx *hk_ctx_create(void);

/** End a context and its messages. Whatever was made with it must be gone before.
 * @param ctx the context; NULL is allowed */
HK_API void hk_ctx_destroy(hk_ctx *ctx);

/** A function that is called with each message as it arises.
 * @param m the message; valid as long as the context keeps it
 * @param user the pointer that was given to hk_ctx_on_message() */
typedef void (*hk_message_fn)(const hk_message *m, void *user);

/** Have messages told as they arise. Without this they are only kept.
 * @param ctx the context
 * @param fn the function to call; NULL calls none any more
 * @param user given to `fn` as it is; may be NULL */
HK_API void hk_ctx_on_message(hk_ctx *ctx, hk_message_fn fn, void *user);

/** What the library is doing now, for a display of progress. Another thread may ask while a call is at work.
 * @param ctx the context
 * @return a few words such as "reading the model", of static lifetime; "" when nothing long is under way */
HK_API const char *hk_ctx_phase(const hk_ctx *ctx);

/** How many messages the context keeps.
 * @param ctx the context
 * @return their number since the start or hk_ctx_clear() */
HK_API int32_t hk_ctx_message_count(const hk_ctx *ctx);

/** One of the kept messages, in the order in which they arose.
 * @param ctx the context
 * @param i from 0 to hk_ctx_message_count() - 1
 * @return the message, valid until hk_ctx_clear(); NULL when there is none of this number */
HK_API const hk_message *hk_ctx_message(const hk_ctx *ctx, int32_t i);

/** Forget all messages.
 * @param ctx the context */
HK_API void hk_ctx_clear(hk_ctx *ctx);

/** A flag that ends long work in a context early: the start of a simulation, the doctor, single steps, which are
 * taken back, hk_sim_step_to() between its steps, equilibria, linear equations and their shapes. They return HK_INTERRUPTED soon after another thread or a handler of signals has set the flag, and
 * can be called again. hk_run() and hk_compare() have an option of their own.
 * @param ctx the context
 * @param flag not 0: end; it must stay until another one is given. NULL: never */
HK_API void hk_ctx_stop_on(hk_ctx *ctx, const volatile int *flag);

/** How many allocations the context has made: constant while a simulation steps.
 * @param ctx the context
 * @return their number since the context was made */
HK_API uint64_t hk_ctx_allocations(const hk_ctx *ctx);

#ifdef __cplusplus
}
#endif
#endif

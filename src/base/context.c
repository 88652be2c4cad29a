/* SPDX-License-Identifier: Apache-2.0
 *
 * context.c: the context: its messages (the error record) and its table of file names.
 *
 * Messages are kept in the order in which they arise, at most HKI_MESSAGES_KEPT of each severity;
 * the rest are counted. Texts are one line, cut at about 2000 bytes, free of control characters, so
 * that any content of a model file can be shown on a terminal.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context_impl.h"

enum { TEXT_MAX = 2048 };

/* --- life ------------------------------------------------------------------------------------- */

hk_ctx *hk_ctx_create(void) {
  hk_ctx *ctx = calloc(1, sizeof *ctx);
  if (!ctx) return NULL;
  ctx->mark = HK_MARK_CTX;
  ctx->memory.severity = HK_ERROR;
  ctx->memory.code = HK_E_MEMORY;
  ctx->memory.text = hk_status_text(HK_E_MEMORY);
  ctx->memory.hint = hk_status_hint(HK_E_MEMORY);
  return ctx;
}

void hk_ctx_destroy(hk_ctx *ctx) {
  if (!hki_is(ctx, HK_MARK_CTX)) return;
  hk_ctx_clear(ctx);
  ctx->mark = 0;
  for (const hk_ending *e = ctx->endings; e; e = e->next) e->fn(e->what);
  hki_pool_destroy(ctx->pool);
  hki_free(ctx, ctx->messages);
  for (int32_t i = 0; i < ctx->nfiles; i++) hki_free(ctx, ctx->files[i].name);
  hki_free(ctx, ctx->files);
  hki_file_copies_free(ctx);
  free(ctx);
}

hk_pool *hki_ctx_pool(hk_ctx *ctx) {
  if (!ctx->pool) ctx->pool = hki_pool_create(ctx);
  return ctx->pool;
}

void **hki_ctx_once(hk_ctx *ctx, const void *key) {
  for (hk_once *o = ctx->once; o; o = o->next)
    if (o->key == key) return &o->value;
  hk_pool *pool = hki_ctx_pool(ctx);
  hk_once *o = pool ? hki_pool_alloc(pool, sizeof *o) : NULL;
  if (!o) return NULL;
  o->key = key, o->next = ctx->once;
  ctx->once = o;
  return &o->value;
}

void hk_ctx_on_message(hk_ctx *ctx, hk_message_fn fn, void *user) {
  if (!hki_is(ctx, HK_MARK_CTX)) return;
  ctx->fn = fn;
  ctx->user = user;
}

int32_t hk_ctx_message_count(const hk_ctx *ctx) {
  if (!hki_is(ctx, HK_MARK_CTX)) return 0;
  return ctx->nmessages + (ctx->memory_reported ? 1 : 0);
}

const hk_message *hk_ctx_message(const hk_ctx *ctx, int32_t i) {
  if (i < 0 || i >= hk_ctx_message_count(ctx)) return NULL;
  return i < ctx->nmessages ? ctx->messages[i] : &ctx->memory;
}

void hk_ctx_clear(hk_ctx *ctx) {
  if (!hki_is(ctx, HK_MARK_CTX)) return;
  for (int32_t i = 0; i < ctx->nmessages; i++) hki_free(ctx, ctx->messages[i]);
  ctx->nmessages = 0;
  ctx->memory_reported = false;
  ctx->first = HK_OK;
  memset(ctx->seen, 0, sizeof ctx->seen);
}

/* --- files ------------------------------------------------------------------------------------ */

static _Atomic int32_t files_of_all; /* numbers given out so far */

static bool add_file(hk_ctx *ctx, int32_t number, const char *name) {
  if (!HK_GROW(ctx, ctx->files, ctx->cap_files, ctx->nfiles + 1)) return false;
  char *copy = hki_strdup(ctx, name);
  if (!copy) return false;
  ctx->files[ctx->nfiles++] = (hk_ctx_file){number, copy};
  return true;
}

int32_t hki_ctx_file(hk_ctx *ctx, const char *name) {
  if (!ctx || !name) return -1;
  for (int32_t i = 0; i < ctx->nfiles; i++)
    if (strcmp(ctx->files[i].name, name) == 0) return ctx->files[i].number;
  const int32_t number = atomic_fetch_add_explicit(&files_of_all, 1, memory_order_relaxed);
  return add_file(ctx, number, name) ? number : -1;
}

const char *hki_ctx_file_name(const hk_ctx *ctx, int32_t file) {
  for (int32_t i = 0; ctx && i < ctx->nfiles; i++)
    if (ctx->files[i].number == file) return ctx->files[i].name;
  return NULL;
}

int32_t hki_ctx_file_count(const hk_ctx *ctx) { return ctx->nfiles; }
int32_t hki_ctx_file_at(const hk_ctx *ctx, int32_t i) { return ctx->files[i].number; }

bool hki_ctx_know_file(hk_ctx *ctx, int32_t file, const char *name) {
  return hki_ctx_file_name(ctx, file) || add_file(ctx, file, name);
}

/* --- messages --------------------------------------------------------------------------------- */

void hki_ctx_out_of_memory(hk_ctx *ctx) {
  if (!ctx) return;
  ctx->seen[HK_ERROR]++;
  ctx->no_memory++;
  if (ctx->first == HK_OK) ctx->first = HK_E_MEMORY;
  if (ctx->memory_reported) return;
  ctx->memory_reported = true;
  if (ctx->fn) ctx->fn(&ctx->memory, ctx->user);
}

/* make a formatted text fit for a terminal; `room` is the size of the buffer it was made for */
static void clean_text(char *s, int wanted, size_t room) {
  // cut at a character boundary and say so
  if (wanted >= 0 && (size_t)wanted >= room) {
    size_t end = room - 4;
    while (end > 0 && ((unsigned char)s[end] & 0xc0) == 0x80) end--;
    memcpy(s + end, "...", 4);
  }
  for (; *s; s++)
    if ((unsigned char)*s < 0x20 || *s == 0x7f) *s = '?';
}

/* one block: the message, then its text, then its hint */
static hk_message *make_message(hk_ctx *ctx, const char *text, const char *hint) {
  size_t nt = strlen(text) + 1, nh = hint ? strlen(hint) + 1 : 0;
  if (nh > TEXT_MAX) nh = TEXT_MAX;
  hk_message *m = hki_alloc(ctx, sizeof *m + nt + nh);
  if (!m) return NULL;
  char *at = (char *)(m + 1);
  m->text = memcpy(at, text, nt);
  if (nh) {
    memcpy(at + nt, hint, nh);
    at[nt + nh - 1] = '\0';
    clean_text(at + nt, 0, TEXT_MAX);
    m->hint = at + nt;
  }
  return m;
}

static void keep(hk_ctx *ctx, hk_severity severity, hk_status code, hk_loc loc, const char *hint,
                 const char *text) {
  if (!HK_GROW(ctx, ctx->messages, ctx->cap_messages, ctx->nmessages + 1)) return;
  hk_message *m = make_message(ctx, text, hint);
  if (!m) return;
  m->severity = severity;
  m->code = code;
  m->file = hki_ctx_file_name(ctx, loc.file);
  m->line = loc.line;
  m->column = loc.col;
  ctx->messages[ctx->nmessages++] = m;
  if (ctx->fn) ctx->fn(m, ctx->user);
}

/* --- stopping --------------------------------------------------------------------------------- */

void hki_stop_on(hk_ctx *ctx, const volatile int *flag) { ctx->stop = flag; }

void hk_ctx_stop_on(hk_ctx *ctx, const volatile int *flag) {
  if (hki_is(ctx, HK_MARK_CTX)) ctx->stop = flag;
}

bool hki_stop_allow(hk_ctx *ctx, bool allowed) {
  const bool before = ctx->may_stop;
  ctx->may_stop = allowed;
  return before;
}

const volatile int *hki_stop_flag(const hk_ctx *ctx) {
  static const volatile int never = 0;
  return ctx && ctx->stop && ctx->may_stop ? ctx->stop : &never;
}

bool hki_stopped(const hk_ctx *ctx) { return *hki_stop_flag(ctx) != 0; }

/* --- progress --------------------------------------------------------------------------------- */

const char *hki_phase(hk_ctx *ctx, const char *words) {
  return atomic_exchange_explicit(&ctx->phase, words, memory_order_relaxed);
}

const char *hk_ctx_phase(const hk_ctx *ctx) {
  if (!hki_is(ctx, HK_MARK_CTX)) return "";
  const char *words = atomic_load_explicit(&ctx->phase, memory_order_relaxed);
  return words ? words : "";
}

void hki_ctx_say_places(hk_ctx *ctx, int32_t file, hk_say_place say, const void *user) {
  ctx->say = say;
  ctx->say_user = user;
  ctx->say_file = file;
}

/* "joints.pin.axis: " at the beginning of a message about a place with words; its length */
static size_t put_place(const hk_ctx *ctx, hk_loc loc, char *text, size_t cap) {
  text[0] = '\0';
  if (!ctx->say || loc.file < 0 || loc.file != ctx->say_file) return 0;
  ctx->say(ctx->say_user, loc, text, cap - 2);
  size_t n = strlen(text);
  if (n) memcpy(text + n, ": ", 3), n += 2;
  return n;
}

static void report(hk_ctx *ctx, hk_severity severity, hk_status code, hk_loc loc, const char *hint,
                   const char *fmt, va_list args) {
  static const char *const names[] = {"notes", "warnings", "errors"};
  char text[TEXT_MAX];
  if (!ctx || (severity == HK_ERROR && hki_stopped(ctx))) return;
  if (ctx->muted && severity != HK_ERROR) return;
  if (severity == HK_ERROR && ctx->first == HK_OK) ctx->first = code;
  int32_t seen = ++ctx->seen[severity];
  if (seen <= HKI_MESSAGES_KEPT) {
    const size_t at = put_place(ctx, loc, text, sizeof text / 2), room = sizeof text - at;
    int wanted = vsnprintf(text + at, room, fmt, args);
    if (wanted < 0) snprintf(text + at, room, "%s", hk_status_text(code));
    clean_text(text, wanted < 0 ? 0 : wanted + (int)at, sizeof text);
    keep(ctx, severity, code, loc, hint && *hint ? hint : NULL, text);
  } else if (seen == HKI_MESSAGES_KEPT + 1) {
    snprintf(text, sizeof text, "more than %d %s; the others are not shown", HKI_MESSAGES_KEPT,
             names[severity]);
    keep(ctx, HK_NOTE, HK_OK, HK_LOC_NONE, NULL, text);
  }
}

bool hki_ctx_mute(hk_ctx *ctx, bool muted) {
  const bool before = ctx->muted;
  ctx->muted = muted;
  return before;
}

hk_status hki_error(hk_ctx *ctx, hk_status code, hk_loc loc, const char *hint, const char *fmt,
                    ...) {
  va_list args;
  va_start(args, fmt);
  report(ctx, HK_ERROR, code, loc, hint, fmt, args);
  va_end(args);
  return code;
}

void hki_warn(hk_ctx *ctx, hk_loc loc, const char *hint, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  report(ctx, HK_WARNING, HK_OK, loc, hint, fmt, args);
  va_end(args);
}

void hki_note(hk_ctx *ctx, hk_loc loc, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  report(ctx, HK_NOTE, HK_OK, loc, NULL, fmt, args);
  va_end(args);
}

int32_t hki_memory_failures(const hk_ctx *ctx) { return ctx ? ctx->no_memory : 0; }

hk_status hki_no_memory(hk_ctx *ctx) {
  hki_ctx_out_of_memory(ctx);
  return HK_E_MEMORY;
}

int32_t hki_error_count(const hk_ctx *ctx) { return ctx ? ctx->seen[HK_ERROR] : 0; }

hk_status hki_ctx_status(const hk_ctx *ctx) { return ctx ? ctx->first : HK_OK; }

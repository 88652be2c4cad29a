/* SPDX-License-Identifier: Apache-2.0
 *
 * base.h: used by every folder of src: status codes, source locations, the error record, memory,
 * text, names, numbers as text, clocks, files. Nothing here knows mechanics.
 */
#ifndef HK_BASE_BASE_H
#define HK_BASE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdarg.h>

#include "base/assert.h"
#include "hooke/base.h" /* hk_status, hk_ctx, hk_message: the public part */

/* --- source locations ------------------------------------------------------------------------- */

/* a place in the user's files; line and col count from 1, 0 = unknown */
typedef struct hk_loc {
  int32_t file; /* index into the context's file table, -1 = none (command line, API) */
  int32_t line;
  int32_t col;
} hk_loc;

#define HK_LOC_NONE ((hk_loc){-1, 0, 0})

/* register a file name with the context; returns its index (the same name gives the same index) */
int32_t hki_ctx_file(hk_ctx *ctx, const char *name);
const char *hki_ctx_file_name(const hk_ctx *ctx, int32_t file);
/* the numbers of all files, 0 .. count - 1 */
int32_t hki_ctx_file_count(const hk_ctx *ctx);
int32_t hki_ctx_file_at(const hk_ctx *ctx, int32_t i);
/* from now on messages can name this file, which another context has numbered; false: no memory */
bool hki_ctx_know_file(hk_ctx *ctx, int32_t file, const char *name);

/* --- the error record ------------------------------------------------------------------------- */

#if defined(__MINGW32__)
#define HK_PRINTF(f, a) __attribute__((format(gnu_printf, f, a)))
#elif defined(__GNUC__)
#define HK_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define HK_PRINTF(f, a)
#endif

/* Report an error, warning or note. Errors are kept in the context in order (first one wins as the
 * context's status). The text says what was found and what was expected; the hint may be NULL.
 * hki_error returns `code`, so that `return hki_error(...)` is the usual way out. */
hk_status hki_error(hk_ctx *ctx, hk_status code, hk_loc loc, const char *hint, const char *fmt, ...)
    HK_PRINTF(5, 6);
void hki_warn(hk_ctx *ctx, hk_loc loc, const char *hint, const char *fmt, ...) HK_PRINTF(4, 5);
void hki_note(hk_ctx *ctx, hk_loc loc, const char *fmt, ...) HK_PRINTF(3, 4);

/* notes and warnings of what is done again are not reported; returns what held before */
bool hki_ctx_mute(hk_ctx *ctx, bool muted);

/* Has places of one file told in words too, at the beginning of messages: `say` writes them into buf,
 * "" for nothing. NULL ends it. */
typedef void (*hk_say_place)(const void *user, hk_loc loc, char *buf, size_t cap);
void hki_ctx_say_places(hk_ctx *ctx, int32_t file, hk_say_place say, const void *user);

/* number of errors reported so far */
int32_t hki_error_count(const hk_ctx *ctx);

/* code of the first error, HK_OK when there is none */
hk_status hki_ctx_status(const hk_ctx *ctx);

/* --- stopping --------------------------------------------------------------------------------- */

/* Long work of a context ends early once *flag is not zero (a signal came; NULL: never), but only
 * between hki_stop_allow(ctx, true) and (ctx, false): where the caller can take back what was begun.
 * Such work fails with any status; whoever allowed it asks hki_stopped first. Errors that arise
 * meanwhile are not reported. */
void hki_stop_on(hk_ctx *ctx, const volatile int *flag);
bool hki_stop_allow(hk_ctx *ctx, bool allowed); /* returns what was allowed before */
/* the flag to look at in a long loop, never NULL */
const volatile int *hki_stop_flag(const hk_ctx *ctx);
bool hki_stopped(const hk_ctx *ctx);
/* tells what begins now, in words of static lifetime that a display of progress can show; returns
 * the words before */
const char *hki_phase(hk_ctx *ctx, const char *words);

/* --- memory ----------------------------------------------------------------------------------- */

/* allocation through the context (counted: tests assert that stepping allocates nothing); blocks
 * of 64 bytes and more from hki_alloc start on a 64-byte boundary */
void *hki_alloc(hk_ctx *ctx, size_t bytes);            /* zeroed; NULL and error on failure */
void *hki_realloc(hk_ctx *ctx, void *p, size_t bytes); /* not zeroed */
void hki_free(hk_ctx *ctx, void *p);
char *hki_strdup(hk_ctx *ctx, const char *s);
char *hki_strndup(hk_ctx *ctx, const char *s, size_t n);
uint64_t hki_alloc_count(const hk_ctx *ctx);
/* how often memory has run out so far; to be called where another library ran out of it */
int32_t hki_memory_failures(const hk_ctx *ctx);
hk_status hki_no_memory(hk_ctx *ctx); /* reports it and returns HK_E_MEMORY */

/* for tests: the n-th request from now (from 1) and all later ones fail; 0 ends this */
void hki_alloc_fail_at(hk_ctx *ctx, uint64_t n);

/* grow a typed array: ensures room for `need` items; returns false when out of memory */
bool hki_grow(hk_ctx *ctx, void **items, int32_t *cap, int32_t need, size_t item_size);
#define HK_GROW(ctx, arr, cap, need) hki_grow((ctx), (void **)&(arr), &(cap), (need), sizeof *(arr))

/* The arena: layout is written once and run twice, first with base NULL to measure, then with the
 * block to assign. */
typedef struct hk_arena {
  unsigned char *base;
  size_t used, cap;
} hk_arena;

void *hki_take(hk_arena *a, size_t n, size_t size, size_t align);
#define HK_TAKE(a, type, n) ((type *)hki_take((a), (size_t)(n), sizeof(type), 64))

/* a growing pool of small blocks freed all at once (names, parse trees, compiled models) */
typedef struct hk_pool hk_pool;
hk_pool *hki_pool_create(hk_ctx *ctx);
void hki_pool_destroy(hk_pool *pool);
void *hki_pool_alloc(hk_pool *pool, size_t bytes); /* zeroed, 16-byte aligned */
char *hki_pool_strdup(hk_pool *pool, const char *s);
char *hki_pool_strndup(hk_pool *pool, const char *s, size_t n);
char *hki_pool_printf(hk_pool *pool, const char *fmt, ...) HK_PRINTF(2, 3);

/* bytes that the pool has taken from the system */
size_t hki_pool_bytes(const hk_pool *pool);

/* bytes that this process may still take: of the system, its control groups and its limits */
double hki_memory_left(void);
/* What something costs before it is made. An estimate that would exceed what was asked for stops
 * there: `least` says that the truth is not smaller. */
typedef struct hk_cost {
  double bytes;   /* memory, as long as it lives */
  double seconds; /* one iteration of a step, roughly: for comparing formulations */
  bool least;
} hk_cost;
/* "7.4 GB" into buf, which is returned */
const char *hki_bytes_text(double bytes, char *buf, size_t cap);

/* Objects made once per context, which live as long as it: a pool to take them from, and one
 * pointer per key to remember them by. A key is the address of a static variable of the caller;
 * its pointer is NULL at first. Both functions return NULL when out of memory. */
hk_pool *hki_ctx_pool(hk_ctx *ctx);
void **hki_ctx_once(hk_ctx *ctx, const void *key);

/* --- strings, names, hashing ------------------------------------------------------------------ */

/* growing text buffer */
typedef struct hk_text {
  hk_ctx *ctx;
  char *s;
  size_t len, cap;
  bool failed; /* memory ran out: nothing more is added */
} hk_text;

void hki_text_init(hk_text *t, hk_ctx *ctx);
void hki_text_free(hk_text *t);
void hki_text_add(hk_text *t, const char *s);
void hki_text_addn(hk_text *t, const char *s, size_t n);
void hki_text_printf(hk_text *t, const char *fmt, ...) HK_PRINTF(2, 3);
void hki_text_json(hk_text *t, const char *s); /* a quoted, escaped JSON string */
void hki_text_int(hk_text *t, int64_t n);
/* the shortest text that reads back as x; "null" when x is not finite */
void hki_text_number(hk_text *t, double x);

/* name -> index table (open addressing) */
typedef struct hk_names hk_names;
hk_names *hki_names_create(hk_ctx *ctx);
void hki_names_destroy(hk_names *n);
/* returns false when the name is already there (index of the first in *at, which may be NULL) or
 * when memory runs out (*at is -1 then); the name is copied */
bool hki_names_add(hk_names *n, const char *name, int32_t index, int32_t *at);
int32_t hki_names_find(const hk_names *n, const char *name); /* -1 = not there */

/* hash of n bytes, the same on every machine; not for security */
uint64_t hki_hash(const void *data, size_t n, uint64_t seed);

/* "did you mean": the candidate nearest to `word` by edit distance, or NULL when none is near */
typedef struct hk_nearest {
  const char *word;
  const char *best;
  int32_t best_distance;
} hk_nearest;
void hki_nearest_init(hk_nearest *n, const char *word);
void hki_nearest_try(hk_nearest *n, const char *candidate);
const char *hki_nearest_result(const hk_nearest *n);

/* lists of words as one text, separated by blanks (words.c); NULL is an empty one. Word k: its start,
 * and its length in *n, 0 when there is none */
const char *hki_word(const char *words, int32_t k, int *n);
int32_t hki_word_count(const char *words);
int32_t hki_word_find(const char *words, const char *word); /* which one it is; -1: none */

/* glob match with * and ? (a * also spans dots) */
bool hki_glob(const char *pattern, const char *text);

/* --- numbers as text (number.c) --------------------------------------------------------------- */

enum { HK_NUMBER_MAX = 32 }; /* bytes that hold any number */
/* the shortest decimal text that reads back as x, or "nan", "inf", "-inf"; returns its length,
 * writes no NUL */
int32_t hki_number_print(double x, char *buf);

/* --- clocks, the second thread, files --------------------------------------------------------- */

double hki_cpu_seconds(void);  /* CPU time of this thread */
double hki_wall_seconds(void); /* monotonic */

/* A second thread that runs one job at a time (worker.c). With a worker that is NULL the jobs run
 * at once in the caller's thread. Jobs return 0 or an errno; after an error no further job runs. */
typedef struct hk_worker hk_worker;
typedef int hk_job(void *arg);
hk_worker *hki_worker_create(hk_ctx *ctx); /* NULL when no thread could be started */
/* waits for the job before, starts this one; returns the first error so far */
int hki_worker_give(hk_worker *w, hk_job *job, void *arg);
int hki_worker_wait(hk_worker *w); /* waits for the job; returns the first error so far */
bool hki_worker_idle(hk_worker *w);
void hki_worker_end(hk_worker *w); /* waits for the job, ends the thread, frees the worker */

/* Threads that share pieces of work with the caller (team.c): share(arg, part, parts) is called once for
 * each part, from 0, which is the caller's. A team that is NULL is the caller alone. */
typedef struct hk_team hk_team;
typedef void hk_share(void *arg, int32_t part, int32_t parts);
hk_team *hki_team_create(hk_ctx *ctx, int32_t threads); /* NULL when they could not be started */
int32_t hki_team_size(const hk_team *t);
void hki_team_run(hk_team *t, hk_share *share, void *arg); /* returns when all parts are done */
void hki_team_end(hk_team *t);

/* reports "cannot read 'path'" with the text of errno `error`; where the file does not exist, the
 * hint names the file of the same directory with the nearest name */
hk_status hki_file_missing(hk_ctx *ctx, const char *path, hk_loc loc, int error);
/* open a regular file to read; -1 and a message for anything else (HK_E_FILE). *size: its bytes */
int hki_open_file(hk_ctx *ctx, const char *path, hk_loc loc, uint64_t *size);
/* read a whole regular file; *text is NUL-terminated, free with hki_free. Errors are reported at
 * `loc` (HK_E_FILE; directories and files over `max` bytes are refused). */
hk_status hki_read_file(hk_ctx *ctx, const char *path, hk_loc loc, size_t max, char **text,
                        size_t *len);
/* Files that a context holds in memory (file_copies.c). hki_read_file takes a file of the same name from there. */
typedef struct hk_file_copy {
  char *name, *bytes;
  size_t len;
  struct hk_file_copy *next; /* the one that was held before */
} hk_file_copy;
/* holds a copy under this name */
hk_status hki_file_put(hk_ctx *ctx, const char *name, const char *bytes, size_t len);
/* from now on all files that are read are held too, so that the model can be taken elsewhere; off: no more, and
 * those held are let go */
void hki_file_copy_all(hk_ctx *ctx, bool on);
/* the last one held; NULL: none */
const hk_file_copy *hki_file_copies(const hk_ctx *ctx);

/* is the file, all links resolved, in the folder, which is the first `folder` bytes of its path? A file that is
 * missing is: it is reported when it is opened */
bool hki_file_inside(const char *path, size_t folder);

#define HK_ARRAY_LEN(a) ((int32_t)(sizeof(a) / sizeof((a)[0])))

#define HK_PI 3.14159265358979323846 /* C has no name for it */

/* for small functions of the inner loops, whose results should stay in registers */
#if defined(__GNUC__)
#define HKI_INLINE static inline __attribute__((always_inline))
#else
#define HKI_INLINE static inline
#endif

#endif

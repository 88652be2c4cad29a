/* SPDX-License-Identifier: Apache-2.0
 *
 * native.h: a text in C becomes a shared library while the program runs. A compiler is looked for, the library is kept in a folder
 * of the user, and the next time it is taken from there.
 *
 *   compiler   $HOOKE_CC, else $CC, cc, gcc, clang, tcc: the first one that is there (compiler.c)
 *   folder     $HOOKE_CACHE, else $XDG_CACHE_HOME/hooke, else ~/.cache/hooke: one that only the user can write (cache.c)
 *   name       a hash of what the text follows from, the flags, the compiler with its version, and Hooke's version and date
 *
 * A text that cannot be written (HK_E_MODEL) is not tried again: its reason is kept in the folder under the same name.
 *
 * All of it may fail: no compiler, one that fails, hangs or writes rubbish, a folder that is full or not ours. That is no error:
 * the reason is in words, and the caller goes on without.
 */
#ifndef HK_NATIVE_NATIVE_H
#define HK_NATIVE_NATIVE_H

#include "base/base.h"
#include "base/swap.h"

enum { HK_NATIVE_WORDS = 1500 }; /* bytes of a reason */

/* what a library is made from */
typedef struct hk_native_job {
  hk_ctx *ctx;
  const hk_piece
      *key; /* nkey: what the text follows from; the text itself where nothing shorter says it */
  int32_t nkey;
  /* writes the text; called only where the folder has no good library. What it returns but HK_OK ends it all. */
  hk_status (*text)(void *user, hk_text *out);
  void *user;
  const char *const *flags; /* of the compiler, such as "-O2", ended by NULL; NULL: none */
  double limit;             /* seconds that the compiler may take; 0: HK_NATIVE_LIMIT */
} hk_native_job;

#define HK_NATIVE_LIMIT 120.0
/* bytes of the longest text that is given to a compiler: gcc takes 200 bytes and 5 us for each */
enum { HK_NATIVE_MOST = 8 << 20 };

/* a library that is loaded, or why there is none */
typedef struct hk_native {
  void *handle;              /* NULL: none */
  bool kept;                 /* it was in the folder already */
  double seconds;            /* that the compiler took */
  char compiler[160];        /* the line with its version; "": none was found */
  char why[HK_NATIVE_WORDS]; /* "": all is well */
} hk_native;

/* HK_OK: out->handle is there. Else out->why says in words why it is not, without an error in the context: HK_E_FILE; HK_INTERRUPTED
 * where the context was stopped; what job->text returned. */
hk_status hki_native_open(const hk_native_job *job, hk_native *out);
/* the flag of compilers by which a program has vectors of four numbers, as far as this processor has them; NULL: it has none */
const char *hki_native_vectors(void);
/* a function or table of it; NULL: it has none of this name */
void *hki_native_symbol(const hk_native *n, const char *name);
void hki_native_close(hk_native *n);

#endif

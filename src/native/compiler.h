/* SPDX-License-Identifier: Apache-2.0
 *
 * compiler.h: the compiler, and other programs that run for a limited time.
 */
#ifndef HK_NATIVE_COMPILER_H
#define HK_NATIVE_COMPILER_H

#include "base/base.h"

enum { HK_COMPILER_WORDS = 8, HK_PATH = 1024 };

/* a command: a program and its first arguments */
typedef struct hk_compiler {
  char path[HK_PATH]; /* of the program */
  char text[400];     /* as it was named, its words ended by NUL */
  int32_t n;          /* words */
  const char *word[HK_COMPILER_WORDS];
  char version[160]; /* its first line about itself */
} hk_compiler;

/* false: none was found, the one that was named is not there, or it says nothing of itself within `limit` seconds (1 to 10) and does not end; why:
 * in words */
bool hki_compiler_find(hk_ctx *ctx, hk_compiler *c, double limit, char *why, size_t cap);

/* a program that runs: what it may take, and how it ended */
typedef struct hk_process {
  const char *path;
  const char *const *argv; /* ended by NULL */
  double limit;            /* s */
  const char *watched;     /* a file that must not grow beyond `most` bytes; NULL: none */
  uint64_t most;
  char *said; /* what it wrote, as much of it as there is room for */
  size_t cap;
  double seconds; /* that it took */
} hk_process;

/* Runs it to its end, in a process group of its own of which nothing is left then. false: it failed, or was stopped; why: in words. */
bool hki_process_run(hk_ctx *ctx, hk_process *p, char *why, size_t cap);

#endif

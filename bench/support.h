/* SPDX-License-Identifier: Apache-2.0
 *
 * support.h: shared by the benchmarks of whole models: timing, model text, tables.
 */
#ifndef HK_BENCH_SUPPORT_H
#define HK_BENCH_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "hooke/model.h"

typedef void (*bench_job)(void *user);

/* smallest mean time of one call over many short batches, in microseconds */
double bench_time(bench_job job, void *user);

/* a growing text of a model */
typedef struct bench_text {
  char *s;
  size_t len, cap;
} bench_text;

void bench_add(bench_text *t, const char *fmt, ...);
void bench_free(bench_text *t);

/* mechanisms of n bodies. Chain: each hangs on the one before. Tree: branches of three on one
 * trunk. Star: all on the ground. Ladder: two rails of revolutes with rungs, one loop per rung. */
void bench_chain(bench_text *t, int32_t n);
void bench_tree(bench_text *t, int32_t n);
void bench_star(bench_text *t, int32_t n);
void bench_ladder(bench_text *t, int32_t n);

/* load or parse a model; end the program with its messages on an error */
hk_model *bench_load(hk_ctx *ctx, const char *path);
hk_model *bench_parse(hk_ctx *ctx, const bench_text *t);
/* print the context's messages and end the program */
void bench_die(hk_ctx *ctx, const char *what);

/* opens a CSV file in the present directory and writes its header */
FILE *bench_csv(const char *name, const char *header);
/* the processor's name as the system reports it */
const char *bench_cpu(void);

#endif

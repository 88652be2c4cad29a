/* SPDX-License-Identifier: Apache-2.0
 *
 * memory_impl.h: what each kind of memory does; shared by memory.c, blocks.c and machine.c.
 */
#ifndef HK_EXPR_MEMORY_IMPL_H
#define HK_EXPR_MEMORY_IMPL_H

#include "expr/blocks.h"

/* NULL: it does nothing of the kind */
typedef struct hk_memory_ops {
  int32_t (*size)(const hk_memory *m);
  bool (*commit)(const hk_memory *m, double *mem, hk_commit when, double t, const double *u);
  bool (*update)(const hk_memory *m, double *mem, hk_commit when, double t, const double *u);
  void (*eval)(const hk_memory *m, const double *mem, double t, const double *u, double y[3]);
  void (*slopes)(const hk_memory *m, const double *u, double *g); /* before the start */
  bool (*due)(const hk_memory *m, const double *mem, const double *u);
  bool (*waits)(const hk_memory *m, const double *mem);
  bool (*condition)(const hk_memory *m, int32_t i);
  double (*next_break)(const hk_memory *m, const double *mem, double t);
  bool rests; /* nothing changes it but the program around the simulation */
} hk_memory_ops;

extern const hk_memory_ops hki_memory_linear, hki_memory_pid, hki_memory_rate_limit,
    hki_memory_machine, hki_memory_port, hki_memory_own;

/* places in every block: 1 once the run has started; sampled ones: number of the next sample */
enum { HK_MEMORY_STARTED, HK_MEMORY_NEXT };

/* Is a sample to be taken at t? It is then counted. Instants of two rates that differ by rounding
 * alone are one. */
bool hki_memory_take(const hk_memory *m, double *mem, hk_commit when, double t);
/* the time of the first sample behind t that has not been taken */
double hki_memory_sample_break(const hk_memory *m, const double *mem, double t);

#endif

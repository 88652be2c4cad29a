/* SPDX-License-Identifier: Apache-2.0
 *
 * memory.h: signals that remember. What they remember are numbers in a block that belongs to the
 * simulation, changed at accepted states only, so that a rejected step takes it back and a
 * checkpoint holds it:
 *
 *   sample     the operand at the times phase + k period, held between them; with coefficients
 *              a, b:  a0 y_k = b0 u_k + b1 u_(k-1) + .. - a1 y_(k-1) - ..
 *   delay      the operand a time ago, from a history of its values
 *   latch      0, and from the moment on at which `when` becomes true 1, or the operand as it was at
 *              that moment; back to 0 when `reset` becomes true
 *   first_hit  the time at which `when` first became true; until then the present time
 *
 * Before the start (statics, assembly) a sample and a delay are what they read, in rest.
 */
#ifndef HK_EXPR_MEMORY_H
#define HK_EXPR_MEMORY_H

#include "base/base.h"
#include "base/params.h"

typedef enum hk_memory_fn {
  HK_MEMORY_SAMPLE,
  HK_MEMORY_DELAY,
  HK_MEMORY_LATCH,
  HK_MEMORY_FIRST_HIT
} hk_memory_fn;

/* operands u: sample and delay: the signal; latch: when, reset, the signal to keep; first_hit: when */
enum { HK_MEMORY_OPERANDS = 3 };

typedef struct hk_memory {
  hk_memory_fn fn;
  double period, phase; /* sample */
  double start;         /* sample: value before the first time */
  hk_reals a, b;        /* sample: coefficients, each at least one */
  double time;          /* delay */
} hk_memory;

/* numbers that it remembers; all are 0 before the start */
int32_t hki_memory_size(const hk_memory *m);

/* value, rate and acceleration at time t; u: operands, used before the start only */
void hki_memory_eval(const hk_memory *m, const double *mem, double t, const double *u, double y[3]);
/* slope of the value in the operand: 0 once it has started */
double hki_memory_slope(const hk_memory *m, const double *mem);

/* does a condition among the operands ask for a change? latch and first_hit only */
bool hki_memory_due(const hk_memory *m, const double *mem, const double *u);
/* can a condition still ask for one? */
bool hki_memory_waits(const hk_memory *m, const double *mem);

typedef enum hk_commit {
  HK_COMMIT_START, /* the first accepted state */
  HK_COMMIT_STEP,  /* the end of a step */
  HK_COMMIT_BREAK, /* behind a jump of some signal, at the same time */
  HK_COMMIT_BEND,  /* behind it the motion goes on with other accelerations */
  HK_COMMIT_EVENT  /* conditions have been found true */
} hk_commit;
/* at the accepted time t with operands u; true: the value has changed by this */
bool hki_memory_commit(const hk_memory *m, double *mem, hk_commit when, double t, const double *u);

/* the first time behind t at which its value jumps or bends, as far as is known; INFINITY: none */
double hki_memory_next_break(const hk_memory *m, const double *mem, double t);

#endif

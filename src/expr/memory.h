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
 *   linear     x_(k+1) = A x_k + B u_k, y_k = C x_k + D u_k at the times of a sample
 *   pid        a sampled controller: its equations are in blocks.c
 *   rate_limit y_k = y_(k-1) + (u_k - y_(k-1)) held between rates times the period
 *   machine    the number of the present state; a change of state where a condition of it becomes
 *              true, at a time after it was entered, or, sampled, at the times of a sample (machine.c)
 *   own        a block that a module brings (base/extend.h), at the times of a sample
 *   input      a value that the program around the simulation sets between steps; held, or continued
 *              along the line through the last two
 *   port       one more number of the block of another signal, the first operand: an output, a
 *              variable, or the time since one of them
 *
 * An instant has two halves. First all blocks give their outputs, in the order of their signals.
 * Then they take in their operands, so that these may also read what comes later in the order
 * (`late` of hk_spec_signal): a linear block with D = 0, a machine.
 *
 * Before the start (statics, assembly) a sample and a delay are what they read, in rest; blocks have
 * their start values.
 */
#ifndef HK_EXPR_MEMORY_H
#define HK_EXPR_MEMORY_H

#include "base/base.h"
#include "base/params.h"

typedef enum hk_memory_fn {
  HK_MEMORY_SAMPLE,
  HK_MEMORY_DELAY,
  HK_MEMORY_LATCH,
  HK_MEMORY_FIRST_HIT,
  HK_MEMORY_LINEAR,
  HK_MEMORY_PID,
  HK_MEMORY_RATE_LIMIT,
  HK_MEMORY_MACHINE,
  HK_MEMORY_PORT,
  HK_MEMORY_VARIABLE,
  HK_MEMORY_OWN,
  HK_MEMORY_INPUT,
  HK_MEMORY_FNS
} hk_memory_fn;

/* Operands u: sample and delay: the signal; latch: when, reset, the signal to keep; first_hit: when;
 * linear: its inputs; pid: what is wanted, what is, the rate of the error; rate_limit: the signal;
 * machine: conditions and values of actions, as its table numbers them; port: the signal whose
 * block it reads; variable, input: its start. */
typedef struct hk_memory {
  hk_memory_fn fn;
  double period, phase; /* sample and blocks; a machine: 0 where it is not sampled */
  double start;    /* sample: value before the first time; rate_limit: at the first one, NAN: the
                           operand; port: value before the start */
  hk_reals a, b;   /* sample: coefficients, each at least one */
  bool rest;       /* sample without a: the operand had its value at the start before it */
  double time;     /* delay */
  bool linear_on;  /* input: goes on along a line */
  int32_t port;    /* port: place in the block */
  bool since;      /* port: the time since the number there */
  double limit[2]; /* rate_limit: rates */
  const struct hk_linear *linear; /* blocks.h */
  const struct hk_pid *pid;
  const struct hk_machine *machine;
  const struct hk_block_ops *own; /* of a block that a module brings, */
  const void *par;                /* and its parameters */
} hk_memory;

/* numbers that it remembers; all are 0 before the start */
int32_t hki_memory_size(const hk_memory *m);

/* value, rate and acceleration at time t; u: operands, used before the start only */
void hki_memory_eval(const hk_memory *m, const double *mem, double t, const double *u, double y[3]);
/* slopes g of the value in its n operands u: 0 once it has started */
void hki_memory_slopes(const hk_memory *m, const double *mem, int32_t n, const double *u,
                       double *g);

/* a delay: has more happened within its time than it can remember? *most: jumps that it surely can */
bool hki_memory_lost(const hk_memory *m, const double *mem, double t, int32_t *most);

/* does a condition among the operands ask for a change? */
bool hki_memory_due(const hk_memory *m, const double *mem, const double *u);
/* can a condition still ask for one? */
bool hki_memory_waits(const hk_memory *m, const double *mem);
/* can operand i ask for one? */
bool hki_memory_condition(const hk_memory *m, int32_t i);

typedef enum hk_commit {
  HK_COMMIT_START, /* the first accepted state */
  HK_COMMIT_STEP,  /* the end of a step */
  HK_COMMIT_BREAK, /* behind a jump of some signal, at the same time */
  HK_COMMIT_BEND,  /* behind it the motion goes on with other accelerations */
  HK_COMMIT_EVENT  /* conditions have been found true */
} hk_commit;
/* at the accepted time t with operands u; true: the value has changed by this */
bool hki_memory_commit(const hk_memory *m, double *mem, hk_commit when, double t, const double *u);
/* the second half of an instant, when all signals have their new values; true: as above */
bool hki_memory_update(const hk_memory *m, double *mem, hk_commit when, double t, const double *u);

/* a variable gets a value, once it has started */
void hki_memory_set(const hk_memory *m, double *mem, double value);

/* Does it change by itself, at ends of steps or where conditions hold? Inputs do not. */
bool hki_memory_acts(const hk_memory *m);
/* An input gets a value at time t, once it has started. A jump begins anew: there is no line through
 * the value before it. */
void hki_memory_input(const hk_memory *m, double *mem, double t, double value, bool jump);
/* a value that it gets when the next step begins; then: does it get one? */
void hki_memory_input_next(double *mem, double value);
/* the value that waits to be taken; not a number: none does */
double hki_memory_input_waits(const double *mem);
bool hki_memory_input_take(const hk_memory *m, double *mem, double t);
/* what was set last, at time t */
double hki_memory_input_last(const hk_memory *m, const double *mem, double t);
/* area: integral of an input from `from` to `to`; moment: that of (to - t) times it */
void hki_memory_input_integrals(const double *mem, double from, double to, double *area,
                                double *moment);

/* the first time behind t at which its value jumps or bends, as far as is known; INFINITY: none */
double hki_memory_next_break(const hk_memory *m, const double *mem, double t);

#endif

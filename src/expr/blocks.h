/* SPDX-License-Identifier: Apache-2.0
 *
 * blocks.h: parameters of the blocks of controllers that remember (memory.h), and what is done with
 * them before a run.
 */
#ifndef HK_EXPR_BLOCKS_H
#define HK_EXPR_BLOCKS_H

#include "expr/memory.h"

/* the most states, and the most inputs or outputs, of a sampled linear block */
enum { HK_LINEAR_STATES = 200, HK_LINEAR_PORTS = 32 };

/* x' = A x + B u (or x_(k+1) = ..), y = C x + D u; matrices row by row */
typedef struct hk_linear {
  int32_t nx, nu, ny;
  const double *A, *B, *C, *D; /* nx x nx, nx x nu, ny x nx, ny x nu */
  const double *start;         /* nx: states at the start */
} hk_linear;

/* does an output depend on an input at once? */
bool hki_linear_direct(const hk_linear *l);
/* The same system between instants of distance h with inputs that are held: exact at the instants.
 * HK_E_NUMBER: it grows beyond all numbers within h. */
hk_status hki_linear_sample(hk_pool *pool, const hk_linear *l, double h, hk_linear *out);

typedef enum hk_windup { HK_WINDUP_BACK_CALCULATION, HK_WINDUP_CLAMPING, HK_WINDUP_NONE } hk_windup;

typedef struct hk_pid {
  double kp, ki, kd;
  double weight[2]; /* b, c: of the wanted value in the proportional and the derivative part */
  double time;      /* T of the filter of the derivative */
  bool rate;        /* the rate of the error is given: operand 2 */
  double limit[2];  /* -INFINITY, INFINITY: none */
  hk_windup anti_windup;
  double windup; /* time of back calculation */
  double start;  /* integral part at the start */
} hk_pid;

/* a transition: from a state (-1: any but `to`) when an operand is true, or a time after */
typedef struct hk_transition {
  int32_t from, to;
  int32_t operand; /* -1: a time after it was entered */
  double after;
} hk_transition;

/* on entering or leaving a state a variable takes the value of an operand */
typedef struct hk_action {
  int32_t state, variable, operand;
  bool leaving;
} hk_action;

typedef struct hk_machine {
  int32_t first; /* state at the start */
  int32_t ntransitions, nactions, nvariables;
  const hk_transition *transitions; /* those that come first go before */
  const hk_action *actions;
  const double *variables; /* values at the start */
} hk_machine;

/* A type of sampled block that a module brings (base/extend.h). Its functions do not know time but
 * through t and the period h. */
typedef struct hk_block_ops {
  const char *name, *text;
  const hk_param *params;
  size_t par_size;
  const void *self; /* for the functions */
  int32_t nu, nx, ny;
  const char *outputs; /* names of the outputs, where there are several */
  /* checks the parameters; false, with words, when they do not go together */
  bool (*prepare)(const struct hk_block_ops *ops, void *par, double h, char *words, size_t cap);
  /* states x and outputs y before the first instant */
  void (*start)(const struct hk_block_ops *ops, const void *par, const double *u, double *x,
                double *y);
  /* one instant: outputs y, and states x for the next one */
  void (*sample)(const struct hk_block_ops *ops, const void *par, double t, double h,
                 const double *u, double *x, double *y);
} hk_block_ops;
int32_t hki_own_port(int32_t output);

/* places of ports in the blocks */
int32_t hki_linear_port(int32_t output);
enum { HK_MACHINE_STATE = 2, HK_MACHINE_ENTERED, HK_MACHINE_VARIABLES };

#endif

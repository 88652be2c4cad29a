/* SPDX-License-Identifier: Apache-2.0
 *
 * trace.h: one step of a model as a graph. The kernel reads the model and takes a few steps, which show what memory a step
 * changes; then it takes one more, in which these cells are known by name only.
 *
 * A step is a row of parts: before an iteration, the iteration (once, it is repeated until it has converged), after it,
 * and so on. Cells have variables:
 *
 *   part 0          LOAD: the value at the beginning of the step
 *   odd parts       LOAD: the value at the beginning of a turn of the iteration
 *   even parts      LOAD: the value after the iteration
 */
#ifndef HK_CODEGEN_TRACE_H
#define HK_CODEGEN_TRACE_H

#include "codegen/loose.h"
#include "codegen/machine.h"

enum { HK_TRACE_LOOPS = 8, HK_TRACE_SECTIONS = 24, HK_TRACE_BLOCKS = 32 };
/* what the kernel says by a mark (guest/guest.c): an iteration begins, has ended, makes another turn */
enum { HK_TRACE_LOOP = 1, HK_TRACE_END = 2, HK_TRACE_TURN = 3 };

/* numbers of a simulation that steps change, in one piece (simulation/sim_numbers.c) */
typedef struct hk_trace_block {
  uint32_t at;
  int32_t n;
} hk_trace_block;

/* a cell that an iteration stores */
typedef struct hk_trace_cell {
  uint32_t at;
  hk_node load, after; /* in the iteration, behind it */
  hk_slot init, next;  /* before it, at the end of a turn */
  /* found by the writer: needed in a turn; in the first one too, so that its value before the iteration is needed; needed after it */
  bool carried, enters, used;
} hk_trace_cell;

/* a whole number that is another one in the first turn of an iteration than in those after it */
typedef struct hk_trace_flag {
  uint32_t at;
  int32_t n; /* bytes */
  uint64_t first, later;
} hk_trace_flag;

typedef struct hk_trace_loop {
  int32_t nflags;
  hk_trace_flag *flags;
  int32_t n;
  hk_trace_cell *cells; /* by their addresses */
  /* sizes that end it: the correction, the rows; may it end by the rate of its corrections? Of the first turn: the
   * error of a prediction that repeats the last step, what the turn leaves by the rate of stages before (stage/rate.h) */
  hk_node step, constraint, by_rate, whole, kept;
  hk_loose loose;
} hk_trace_loop;

/* a cell that a step stores */
typedef struct hk_trace_state {
  uint32_t at;
  hk_node load;  /* at the beginning */
  hk_node shown; /* the same where outputs are found */
  bool held;     /* an input: a step leaves it as it is */
  hk_slot final; /* at the end */
  double start;  /* at the start of the run */
  bool ranged;   /* what it can be was asked for; it was said to be from lo to hi */
  double lo, hi;
  int32_t number; /* in the state of the written program, -1: not part of it */
} hk_trace_state;

typedef struct hk_followed {
  hk_ctx *ctx;
  hk_pool *pool;
  hk_module mod;
  hk_graph g;
  hk_guest m;
  bool booked; /* steps keep the books of energies */
  /* the check has seen an iteration for which the library takes another tangent, if there is one */
  bool slow;
  bool warm;            /* a step that shows what is stored */
  bool again;           /* the step has stored cells that were not known to be stored */
  unsigned char *turn;  /* memory at the beginning of a turn, then */
  unsigned char *saved; /* memory and its marks before the step that is followed */
  uint64_t *saved_globals;
  unsigned char *start; /* memory at the start of the run */
  uint32_t nstart;
  uint64_t *start_globals;
  int32_t nfailures, cap_failures;
  struct hk_trace_failure { /* truths that say that a part of the step has failed */
    hk_node condition;
    uint8_t part;
  } * failures;
  int32_t nloops, loop;
  hk_trace_loop loops[HK_TRACE_LOOPS];
  int32_t nstates;
  hk_trace_state *states;
  hk_loose loose;
  uint8_t showing; /* the part in which outputs are found */
  int32_t noutputs, ninputs;
  hk_slot *outputs;
  const char **output_names, **input_names;
  int32_t *shows;            /* of each output: its number among those that were asked for */
  uint32_t q, v, a, t, u, y; /* addresses of the state, of inputs, of outputs */
  int32_t nq, nv;
  int32_t nsections; /* arrays of the library's state */
  struct {
    uint32_t at, bytes;
  } sections[HK_TRACE_SECTIONS];
  bool whole;   /* a step of a whole run, with all numbers of the blocks */
  bool audited; /* and with its audit */
  int32_t nblocks;
  hk_trace_block blocks[HK_TRACE_BLOCKS];
  double step, tolerance;
  int32_t max_iter;
  char text[512]; /* what the kernel has said */
  struct hk_setup *
      setup; /* how numbers of the model follow from parameters (setup.h); NULL: they are all constants */
} hk_followed;

/* `kernel`: the module; `bundle`: the model (fmu/bundle.h); `setup`: of parameters that stay variables, NULL: none does. It
 * goes with what is created. `books`: steps keep the books of energies, if outputs ask for them and they can be followed. `signs`,
 * `turns`: as of the graph. */
hk_status hki_trace_create(hk_ctx *ctx, const uint8_t *kernel, size_t nkernel, const char *bundle,
                           size_t nbundle, struct hk_setup *setup, bool books, bool signs,
                           bool turns, hk_followed **out);
/* a machine that has the kernel and has carried out nothing; opens the model in it */
hk_status hki_trace_begin(hk_ctx *ctx, const uint8_t *kernel, size_t nkernel, hk_followed **out);
hk_status hki_trace_open(hk_followed *t, const char *bundle, size_t nbundle);
/* the same for a program that takes the steps of a run in the place of the library; audited: with the audit */
hk_status hki_trace_create_run(hk_ctx *ctx, const uint8_t *kernel, size_t nkernel,
                               const char *bundle, size_t nbundle, bool audited, hk_followed **out);
/* the same for a function that returns a status, with what the kernel has said about an error */
hk_status hki_trace_ask(hk_followed *t, const char *name, int32_t n, uint64_t a, uint64_t b);
/* the block of a cell and its place in it; false: it is in none */
bool hki_trace_place(const hk_followed *t, uint32_t at, int32_t *block, int32_t *place);
void hki_trace_destroy(hk_followed *t);
/* the machine is as at the start of the run, and knows all numbers */
void hki_trace_restart(hk_followed *t);
/* calls a function of the kernel with n whole numbers */
hk_status hki_trace_call(hk_followed *t, const char *name, int32_t n, uint64_t a, uint64_t b,
                         uint64_t *out);
hk_trace_state *hki_trace_state(const hk_followed *t, uint32_t at);
hk_trace_cell *hki_trace_cell(const hk_trace_loop *l, uint32_t at);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_blocks.h: blocks with inputs and outputs. There is one table of them; an item of
 * `controllers:` names its block under `type`, and a signal writes some of them inline:
 *
 *   controllers: {c: {type: filter, input: u, lowpass: 10, period: 0.001}}
 *   signals:     {c: {filter: {of: u, lowpass: 10, period: 0.001}}}
 *
 * With `period` a block is sampled (expr/memory.h), else it is an expression, with states that are
 * unknowns of the network where it needs some.
 */
#ifndef HK_LANGUAGE_READER_BLOCKS_H
#define HK_LANGUAGE_READER_BLOCKS_H

#include "language/reader_signals.h"

/* --- the table -------------------------------------------------------------------------------- */

struct hk_rd_block {
  const char *name;
  const char *text;     /* one line for people */
  const hk_param *keys; /* its own, without those of all blocks */
  bool inline_too;      /* may be written inside a signal */
  bool (*read)(const hk_rd_signal_in *in);
  /* enters the names of its outputs beside NAME itself; NULL: it has none. `main` is the index of
   * the signal NAME. False: out of memory */
  bool (*ports)(hk_reader *rd, int32_t main, const hk_node *node);
  const hk_block_ops *own; /* of a type that a module brings; NULL: it is none */
};

const hk_rd_block *hki_rd_block_at(int32_t i); /* NULL: no more */
const hk_rd_block *hki_rd_block_find(const char *name);
/* of the types that modules bring (reader_modules.c); NULL: unknown */
const hk_rd_block *hki_rd_block_own(hk_reader *rd, const char *name);

/* one more output of the controller with this main signal; false: out of memory */
bool hki_rd_port_add(hk_reader *rd, int32_t main, const char *port, hk_loc loc);

/* --- a block while it is made ----------------------------------------------------------------- */

enum { HK_MAKER_STATES = 64, HK_MAKER_OPERANDS = HK_LINEAR_PORTS + 1 };

typedef struct hk_maker {
  const hk_rd_signal_in *in;
  double period, phase;              /* period 0: not sampled */
  int32_t n, state[HK_MAKER_STATES]; /* indices among the forces */
  int32_t nu;
  double constant[HK_MAKER_OPERANDS]; /* operands that are numbers, */
  int32_t signal[HK_MAKER_OPERANDS];  /* others: signals; HK_NONE: the number */
} hk_maker;

/* Checks the keys, reads the period and, with `operand`, the input. */
bool hki_maker_begin(hk_maker *m, const hk_rd_signal_in *in, bool operand);
/* the node of the input, under `input` or `of`; NULL after an error */
const hk_node *hki_maker_input(hk_maker *m);
/* States and memory belong to what has a name: a value inside another item has none by which they
 * could be found again. False after an error. */
bool hki_maker_named(const hk_maker *m, const char *verb);
/* one more operand */
bool hki_maker_operand(hk_maker *m, const hk_node *v, const char *key);
/* operand i as a signal, also where it is a number; HK_NONE: out of memory */
int32_t hki_maker_signal(hk_maker *m, int32_t i);
/* a number under a key; its default where the key is left out */
bool hki_maker_number(const hk_maker *m, const char *key, double *out);
/* two ascending numbers under a key; they stay where it is left out */
bool hki_maker_limits(const hk_maker *m, const char *key, double limit[2]);
/* n states more, from start (n, or NULL: one number for all) */
bool hki_maker_states(hk_maker *m, int32_t n, const double *start, double all);

/* Fills a signal: its memory with operands, those with n in order and those taken in late. */
bool hki_rd_memory(hk_reader *rd, hk_spec_signal *out, const hk_memory *from, const int32_t *reads,
                   int32_t n, const int32_t *late, int32_t nlate);
/* Fills port k (from 0) of a controller: a number of the block of its main signal. */
bool hki_rd_port_fill(const hk_rd_signal_in *in, int32_t k, const hk_memory *port);

/* --- the expression being written: its text over inputs k0, k1 .. ----------------------------- */

typedef struct hk_writer {
  hk_maker *m;
  hk_text text;
  hk_read reads[HK_MAKER_STATES + HK_MAKER_OPERANDS];
  int32_t n;
} hk_writer;

void hki_write_begin(hk_writer *w, hk_maker *m);
void hki_write_state(hk_writer *w, int32_t i);
void hki_write_operand(hk_writer *w, int32_t i);
void hki_write_factor(hk_writer *w, double factor); /* " + factor * " before one of both */
/* the expression into a signal */
bool hki_write_end(hk_writer *w, hk_spec_signal *out);
/* into a signal of its own; its index, HK_NONE: out of memory */
int32_t hki_write_signal(hk_writer *w, const char *name);
/* into the rate of state i */
bool hki_write_rate(hk_writer *w, int32_t i);
/* into the value of the block; sampled where it has a period */
bool hki_write_value(hk_writer *w);

/* --- matrices (reader_matrices.c) ------------------------------------------------------------- */

typedef struct hk_rd_matrix {
  int32_t rows, columns;
  bool flat; /* written as one list: a row or a column */
  const double *x;
  hk_loc loc;
} hk_rd_matrix;

/* a list of rows, a list of numbers or the name of a CSV file, of at most this many rows or columns */
bool hki_rd_matrix(const hk_rd_signal_in *in, const char *key, int32_t most, hk_rd_matrix *out);
/* its numbers, which must be so many; NULL after an error */
const double *hki_rd_matrix_fit(const hk_rd_signal_in *in, const char *key, const hk_rd_matrix *m,
                                int32_t rows, int32_t columns);
/* both at once; without the key: zeros */
const double *hki_rd_matrix_of(const hk_rd_signal_in *in, const char *key, int32_t rows,
                               int32_t columns);

/* --- the blocks ------------------------------------------------------------------------------- */

bool hki_rd_integral(const hk_rd_signal_in *in);
bool hki_rd_derivative(const hk_rd_signal_in *in);
bool hki_rd_filter(const hk_rd_signal_in *in);
bool hki_rd_transfer_function(const hk_rd_signal_in *in);
bool hki_rd_state_space(const hk_rd_signal_in *in);
bool hki_rd_state_space_ports(hk_reader *rd, int32_t main, const hk_node *node);
bool hki_rd_pid(const hk_rd_signal_in *in);
bool hki_rd_sample(const hk_rd_signal_in *in);
bool hki_rd_delay(const hk_rd_signal_in *in);
bool hki_rd_quantiser(const hk_rd_signal_in *in);
bool hki_rd_saturation(const hk_rd_signal_in *in);
bool hki_rd_dead_zone(const hk_rd_signal_in *in);
bool hki_rd_rate_limit(const hk_rd_signal_in *in);
bool hki_rd_state_machine(const hk_rd_signal_in *in);
bool hki_rd_state_machine_ports(hk_reader *rd, int32_t main, const hk_node *node);

extern const hk_param hki_keys_inline[], hki_keys_controller[]; /* keys of all blocks */

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_signals.h: shared by the files that read signals.
 */
#ifndef HK_LANGUAGE_READER_SIGNALS_H
#define HK_LANGUAGE_READER_SIGNALS_H

#include "language/reader.h"

/* one signal being read */
typedef struct hk_rd_signal_in {
  hk_reader *rd;
  hk_rd_scope *s;
  const hk_node *node;  /* the whole mapping */
  const hk_node *value; /* of the key that says its kind */
  int32_t component;    /* of a vector, or HK_NONE */
  hk_spec_signal *out;
  const hk_rd_block *block; /* reader_blocks.h; NULL: it is none */
  bool controller;          /* an item of `controllers:`: value is its whole mapping, */
  int32_t index;            /* and this its place in hk_reader.signals, its ports behind it */
} hk_rd_signal_in;

/* a new signal; HK_NONE: out of memory. rd->signals may move. */
int32_t hki_rd_signal_new(hk_reader *rd, hk_rd_scope *s, const char *name, hk_loc loc, bool named);

/* compiles the text of a node to *to; reads that the signal has already keep their slots */
bool hki_rd_signal_text(hk_reader *rd, hk_rd_scope *s, const hk_node *node, hk_spec_signal *out,
                        const hk_expr **to);
/* out->expr = t */
bool hki_rd_signal_time(hk_reader *rd, hk_rd_scope *s, hk_loc loc, hk_spec_signal *out);

/* a signal written as a mapping; component: of a vector, or HK_NONE */
bool hki_rd_signal_mapping(hk_reader *rd, hk_rd_scope *s, const hk_node *node, int32_t component,
                           hk_spec_signal *out);

/* Inside `periodic`: signal i read anew, in the time that repeats; HK_NONE after an error. */
int32_t hki_rd_periodic_copy(hk_reader *rd, int32_t i, hk_loc loc);

/* a list of numbers, in the spec's pool; `what`: its key */
bool hki_rd_reals(const hk_rd_signal_in *in, const hk_node *v, const char *what, hk_reals *out);

/* --- reader_memory.c: signals that remember --------------------------------------------------- */

bool hki_rd_latch(const hk_rd_signal_in *in);
bool hki_rd_first_hit(const hk_rd_signal_in *in);
bool hki_rd_after(const hk_rd_signal_in *in);
bool hki_rd_variable(const hk_rd_signal_in *in);
bool hki_rd_input(const hk_rd_signal_in *in);
/* an input by its numbers (reader_memory.c) */
bool hki_rd_input_of(const hk_rd_signal_in *in, bool linear, double start);

/* --- reader_states.c -------------------------------------------------------------------------- */

/* at the end: refuses exact derivatives of signals that read channels */
void hki_rd_check_rates(hk_reader *rd);

/* --- reader_controllers.c --------------------------------------------------------------------- */

/* reads the controller with this main signal, and fills its ports */
void hki_rd_controller_read(hk_reader *rd, int32_t main);
/* Is `name` a controller with several outputs, which have names of their own? If so, says so. */
bool hki_rd_controller_several(hk_reader *rd, const hk_rd_scope *s, const char *name, hk_loc loc);

/* a signal, or what hki_rd_controller_several refuses */
int32_t hki_rd_signal_any(const hk_reader *rd, const hk_rd_scope *s, const char *name);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * emit_impl.h: what writes values and expressions, for the files that write statements of them (emit.c, emit_split.c).
 */
#ifndef HK_CODEGEN_EMIT_IMPL_H
#define HK_CODEGEN_EMIT_IMPL_H

#include "codegen/meet.h"
#include "codegen/rolls.h"
#include "codegen/split.h"

/* a value that is put together from lanes: the variable w of its number */
typedef struct joined {
  hk_node lane[HK_PACK_WIDTH];
  uint8_t width, part;
  uint32_t region; /* in whose block it stands */
} joined;

typedef struct emitter {
  const hk_plan *p;
  const hk_split *split; /* NULL: one thread writes all */
  const hk_meets *meets; /* NULL: values of ways are selected */
  const hk_rolls *rolls; /* NULL: passes of loops are ways within ways */
  int32_t warp;          /* whose text it is */
  joined *joined;        /* 0 or more for each operand of a pack */
  uint32_t njoined, *table, table_size;
  hk_text *out;
  uint8_t part;
  uint32_t region; /* whose block is open */
  uint8_t *failed; /* of each failure: 1: its condition is written, 2: so is the failure */
  uint8_t *stored; /* the same of numbers of the state at the end of the step */
  int32_t nready;  /* how many have 1 */
  int32_t *
      stores; /* of each node: 1 + the first number of the state that it becomes, 0: it becomes none */
  int32_t *next; /* of each number of the state: 1 + the next one that is the same node */
  int32_t depth;
} emitter;

/* a value by its name, or in place */
void hki_emit_node(emitter *e, hk_node n);
/* what it is: its operation with its operands */
void hki_emit_expression(emitter *e, hk_node n);
/* a value, or a number that is known */
void hki_emit_slot(emitter *e, const hk_slot *s);
/* the same for what is seen of a step, with +0 for -0 */
void hki_emit_plain(emitter *e, const hk_slot *s);
/* sine and cosine of one angle, as a statement */
void hki_emit_pair(emitter *e, hk_node n, hk_node other);
/* the beginning of a line */
void hki_emit_indent(emitter *e);

/* finds which nodes are numbers of the next state; false: no memory */
bool hki_emit_find_stores(emitter *e);
/* node n is written: failures of which it is the condition, and numbers of the next state that it is, are ready */
void hki_emit_note(emitter *e, hk_node n);
/* what is ready, where no way is open */
void hki_emit_ready(emitter *e);
/* what is left of the failures of a part, and of the next state */
void hki_emit_failures(emitter *e, uint8_t part);
void hki_emit_stores(emitter *e);

#endif

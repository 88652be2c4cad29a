/* SPDX-License-Identifier: Apache-2.0
 *
 * write.h: a traced step as a program: one header and one file of C that need libm alone.
 */
#ifndef HK_CODEGEN_WRITE_H
#define HK_CODEGEN_WRITE_H

#include "codegen/split.h"

typedef struct hk_program {
  const char *name;                     /* prefix of everything in it */
  const char *header;                   /* file that the source includes; NULL: NAME.h */
  const char *title, *version;          /* of the model, of Hooke */
  const char *formulation, *integrator; /* by their names */
  bool choice; /* of a run: the formulation has another tangent, for iterations that are slow */
} hk_program;

/* parts of them: a text of the model between quotes, the state at the start */
void hki_write_plain(hk_text *out, const char *text);
void hki_write_start(const hk_plan *p, hk_text *out);

void hki_write_header(const hk_plan *p, const hk_program *what, hk_text *out);
void hki_write_source(const hk_plan *p, const hk_program *what, hk_text *out);
/* A program for graphics processors: kernels over many worlds in CUDA C++; `single`: in single precision. split: by whom the
 * step is shared; NULL: one thread takes all of a world. */
void hki_write_device(const hk_plan *p, const hk_split *split, const hk_program *what, bool single,
                      hk_text *out);

/* parts of both (write.c): what was made of what; a number of the state by its address, -1: it has none */
void hki_write_plain(hk_text *out, const char *text); /* without what ends comments and quotes */
void hki_write_title(const hk_program *what, hk_text *out);
int32_t hki_write_number(const hk_plan *p, uint32_t at);
/* The step and the outputs of several worlds at once, one in each lane, as one file with a table of them (prelude_lanes.c);
 * the number of lanes is HKX_W when it is compiled. */
void hki_write_lanes(const hk_plan *p, const hk_program *what, hk_text *out);

/* The same in one text, for a program that takes the steps of a run (hki_trace_create_run): its prefix is hkr, and tables say what the
 * numbers of its state are.
 *
 *   hkr_layout  HK_RUN_LAYOUT, numbers of the state, blocks, outputs, is the audit part of it?
 *   hkr_blocks  of each block: its length
 *   hkr_block, hkr_place  of each number of the state: block and place in it; HK_RUN_OWN: known to the program alone;
 *               HK_RUN_INPUT: an input, by its number */
enum { HK_RUN_LAYOUT = 1, HK_RUN_OWN = -1, HK_RUN_INPUT = -2 };
/* where number i of the state is, or one that is always the same */
void hki_run_place(const hk_plan *p, int32_t i, int32_t *block, int32_t *place);
void hki_write_run(const hk_plan *p, const hk_program *what, hk_text *out);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * functions.h: the elementary functions of exported programs (functions.def), as text.
 */
#ifndef HK_CODEGEN_FUNCTIONS_H
#define HK_CODEGEN_FUNCTIONS_H

#include "codegen/plan.h"

/* Writes the functions that a program needs, in an order in which each stands behind those that it calls. The macros
 * that they are written with come from the target's prelude, which stands before them. */
void hki_functions_write(const hk_plan *p, hk_text *out);
/* The same for cards: numbers that do not fit into an instruction are entries of a list, HKX_FIXED hkx_fixed[], which instructions
 * read from constant memory. */
void hki_functions_write_fixed(const hk_plan *p, hk_text *out);
/* what packs of sines and cosines need, behind the prelude of packs */
void hki_functions_write_packs(const hk_plan *p, hk_text *out);

#endif

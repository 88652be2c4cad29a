/* SPDX-License-Identifier: Apache-2.0
 *
 * write.h: a traced step as a program: one header and one file of C that need libm alone.
 */
#ifndef HK_CODEGEN_WRITE_H
#define HK_CODEGEN_WRITE_H

#include "codegen/plan.h"

typedef struct hk_program {
  const char *name;                     /* prefix of everything in it */
  const char *title, *version;          /* of the model, of Hooke */
  const char *formulation, *integrator; /* by their names */
} hk_program;

void hki_write_header(const hk_plan *p, const hk_program *what, hk_text *out);
void hki_write_source(const hk_plan *p, const hk_program *what, hk_text *out);

#endif

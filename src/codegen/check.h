/* SPDX-License-Identifier: Apache-2.0
 *
 * check.h: is a program right? What was made of a step is carried out (values.h) beside the library's own step, which the machine
 * (machine.h) takes with all numbers known: from the start of the model, after some steps, with inputs and coordinates moved, and from a
 * start with other values of the parameters that are kept. Both have the same operations in the same order, so that they agree to a few
 * units of the last place; a program that does not is none.
 */
#ifndef HK_CODEGEN_CHECK_H
#define HK_CODEGEN_CHECK_H

#include "codegen/plan.h"

typedef struct hk_model_bytes {
  const uint8_t *kernel; /* the module */
  size_t nkernel;
  const char *bundle; /* the model (fmu/bundle.h) */
  size_t nbundle;
} hk_model_bytes;

/* what a check has seen */
typedef struct hk_checked {
  int32_t steps;        /* that were compared */
  int64_t instructions; /* of the kernel's */
  double worst; /* the largest difference, as a part of the size that is stated in check.c */
} hk_checked;

/* HK_E_MODEL with a message: the first output that differs, or number of the state, by how much and after which step. `seen` may be
 * NULL. The machine of the plan's trace is used up. */
hk_status hki_check(const hk_plan *p, const hk_model_bytes *m, hk_checked *seen);
/* the same without a message */
hk_status hki_check_quietly(const hk_plan *p, const hk_model_bytes *m);

#endif

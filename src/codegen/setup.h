/* SPDX-License-Identifier: Apache-2.0
 *
 * setup.h: parameters that stay variables. The kernel reads the model and makes the simulation once with these parameters
 * known by name only. What it computes from them (masses, stiffnesses, constants of expressions, the accelerations at the
 * start) is a graph of its own, and the numbers that depend on them are variables of the program that steps leave as
 * they are. Decisions by such numbers are taken as they are with the model's values; that they stay so is a condition, which
 * other values of the parameters are asked for.
 */
#ifndef HK_CODEGEN_SETUP_H
#define HK_CODEGEN_SETUP_H

#include "codegen/trace.h"

/* parameters have places like cells, behind all memory */
#define HK_SETUP_AT 0xf0000000u
struct hk_plan;

/* a number in memory that depends on parameters */
typedef struct hk_derived {
  uint32_t at;
  hk_node node;
  bool stored; /* steps store it: what depends on the parameters is its start */
} hk_derived;

typedef struct hk_setup {
  hk_ctx *ctx;
  hk_followed *trace; /* graph and names; no memory of the kernel */
  int32_t n;
  const char **names;
  double *values; /* in the model */
  int32_t nderived;
  hk_derived *derived; /* by their addresses */
  int32_t nassumed, cap_assumed;
  struct hk_assumed {
    hk_node truth;
    const char *where; /* function that took the decision */
  } * assumed;
  /* found by hki_setup_plan: the program that computes the numbers of the state which depend on parameters. Its outputs are the
   * truth that the values are possible, `nheld` numbers that steps leave, and those that a run starts with. */
  struct hk_plan *plan;
  int32_t nheld, nfollow;
  int32_t *follow; /* nfollow: numbers of the state */
} hk_setup;

/* Opens the model with the parameters `names` known by name. Refuses those that only work with the value that they have. */
hk_status hki_setup_create(hk_ctx *ctx, const uint8_t *kernel, size_t nkernel, const char *bundle,
                           size_t nbundle, const char *const *names, int32_t n, hk_setup **out);
void hki_setup_destroy(hk_setup *s);
/* what of it a step needs */
hk_status hki_setup_plan(hk_setup *s, const struct hk_plan *step);
/* the number that depends on parameters at an address; NULL: none there */
const hk_derived *hki_setup_find(const hk_setup *s, uint32_t at);

/* for trace.c; s may be NULL. The value of a parameter, args: its name and value. */
hk_slot hki_setup_value(hk_followed *t, const hk_slot *args);
/* numbers that depend on parameters are variables; afterwards those that steps leave as they are are held */
hk_status hki_setup_states(hk_followed *t); /* the parameters as part of the state */
void hki_setup_mark(hk_setup *s, hk_guest *m);
void hki_setup_hold(hk_followed *t);

#endif

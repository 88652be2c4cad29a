/* SPDX-License-Identifier: Apache-2.0
 *
 * values.h: carries out a graph, and the program that a plan makes of it, without writing or compiling anything: every node from its
 * operands, the ways of branches that are taken, the turns of iterations. What its statements mean is what prelude.c says; functions such
 * as the sine are those of the C library at hand, as with the kernel (machine_calls.c).
 */
#ifndef HK_CODEGEN_VALUES_H
#define HK_CODEGEN_VALUES_H

#include "codegen/plan.h"

/* a node from the values of all before it, truths as 0 and 1; not of LOAD and FIRST, which who calls knows */
double hki_graph_value(const hk_graph *g, hk_node n, const double *x);

/* a program under way */
typedef struct hk_values {
  const hk_plan *p;
  double *of;      /* of each node */
  double *cell[2]; /* of each cell of the iteration under way, and at the end of the turn */
  double foretold[HK_TRACE_LOOPS][2]; /* `whole` and `kept` of the first turn of each iteration */
  bool failed;                        /* what the program calls a failure of the step */
} hk_values;

hk_status hki_values_create(const hk_plan *p, hk_values *out);
void hki_values_destroy(hk_values *v);
/* the state at the start: p->nx numbers */
void hki_values_start(const hk_plan *p, double *x);
/* One step: from x to n. turns: of each iteration, how many it makes. False: the step fails. */
bool hki_values_step(hk_values *v, const double *x, const int32_t *turns, double *n);
/* what the program shows of a state: noutputs numbers */
void hki_values_outputs(hk_values *v, const double *x, double *y);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * machine.c: state machines. Its present state, the time at which it was entered and its variables
 * are what a machine remembers. Of the transitions that leave the present state the first that may
 * be taken is taken:
 *
 *   by a condition    where it becomes true, located like that of an event; one that is true when the
 *                     state is entered is taken at the same time
 *   by a time         exactly so long after the state was entered
 *   sampled           both are looked at at the instants of the machine only, one change at most
 *                     at each
 *
 * On a change the variables of the actions of leaving, then those of entering, take the values that
 * their operands had before it. A change belongs to the second half of an instant: blocks that are
 * sampled at the same time have seen the old state.
 */
#include "expr/memory_impl.h"

#include <math.h>

enum { STATE = HK_MACHINE_STATE, ENTERED = HK_MACHINE_ENTERED, VARIABLES = HK_MACHINE_VARIABLES };

static bool sampled(const hk_memory *m) { return m->period > 0.0; }

static int32_t machine_size(const hk_memory *m) { return VARIABLES + m->machine->nvariables; }

static bool leaves(const hk_transition *x, int32_t state) {
  return x->from == state || (x->from < 0 && x->to != state);
}

/* Has the time of a transition come? Instants count as on time within rounding. */
static bool is_time(const hk_memory *m, const double *mem, const hk_transition *x, double t) {
  if (x->operand >= 0) return false;
  if (sampled(m)) return t - mem[ENTERED] > x->after - 1e-9 * m->period;
  return t >= mem[ENTERED] + x->after;
}

/* the transition to be taken at t, or NULL */
static const hk_transition *open_way(const hk_memory *m, const double *mem, double t,
                                     const double *u) {
  for (int32_t i = 0; i < m->machine->ntransitions; i++) {
    const hk_transition *x = &m->machine->transitions[i];
    if (!leaves(x, (int32_t)mem[STATE])) continue;
    if (x->operand >= 0 ? u[x->operand] != 0.0 : is_time(m, mem, x, t)) return x;
  }
  return NULL;
}

static void act(const hk_memory *m, double *mem, int32_t state, bool leaving, const double *u) {
  for (int32_t i = 0; i < m->machine->nactions; i++) {
    const hk_action *a = &m->machine->actions[i];
    if (a->state == state && a->leaving == leaving) mem[VARIABLES + a->variable] = u[a->operand];
  }
}

static void enter(const hk_memory *m, double *mem, int32_t state, double t, const double *u) {
  mem[STATE] = (double)state;
  mem[ENTERED] = t;
  act(m, mem, state, false, u);
}

/* it changes in the second half of an instant only: its operands may be any signals */
static bool update_machine(const hk_memory *m, double *mem, hk_commit when, double t,
                           const double *u) {
  const hk_machine *c = m->machine;
  if (when == HK_COMMIT_START) {
    for (int32_t i = 0; i < c->nvariables; i++) mem[VARIABLES + i] = c->variables[i];
    enter(m, mem, c->first, t, u);
  }
  const bool looks = sampled(m) ? hki_memory_take(m, mem, when, t)
                                : when == HK_COMMIT_EVENT || when == HK_COMMIT_BREAK;
  const hk_transition *x = looks ? open_way(m, mem, t, u) : NULL;
  if (!x) return when == HK_COMMIT_START;
  act(m, mem, (int32_t)mem[STATE], true, u);
  enter(m, mem, x->to, t, u);
  return true;
}

static void eval_machine(const hk_memory *m, const double *mem, double t, const double *u,
                         double y[3]) {
  (void)t, (void)u;
  y[0] = 1.0 + (mem[HK_MEMORY_STARTED] != 0.0 ? mem[STATE] : (double)m->machine->first);
}

static bool machine_due(const hk_memory *m, const double *mem, const double *u) {
  const hk_transition *x = sampled(m) ? NULL : open_way(m, mem, -INFINITY, u);
  return x != NULL;
}

static bool machine_waits(const hk_memory *m, const double *mem) {
  (void)mem;
  return !sampled(m) && m->machine->ntransitions > 0;
}

static bool machine_condition(const hk_memory *m, int32_t i) {
  for (int32_t k = 0; k < m->machine->ntransitions; k++)
    if (m->machine->transitions[k].operand == i) return true;
  return false;
}

static double machine_break(const hk_memory *m, const double *mem, double t) {
  double next = INFINITY;
  if (sampled(m)) return hki_memory_sample_break(m, mem, t);
  for (int32_t i = 0; mem[HK_MEMORY_STARTED] != 0.0 && i < m->machine->ntransitions; i++) {
    const hk_transition *x = &m->machine->transitions[i];
    const double at = mem[ENTERED] + x->after;
    if (x->operand < 0 && leaves(x, (int32_t)mem[STATE]) && at > t) next = fmin(next, at);
  }
  return next;
}

const hk_memory_ops hki_memory_machine = {.size = machine_size,
                                          .update = update_machine,
                                          .eval = eval_machine,
                                          .due = machine_due,
                                          .waits = machine_waits,
                                          .condition = machine_condition,
                                          .next_break = machine_break};

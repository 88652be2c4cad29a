/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_machine.c: the block `state_machine` (expr/machine.c). Its main signal is the number of the
 * present state, from 1 on in the order of the file. Its ports are
 *
 *   time       since the present state was entered
 *   STATE      1 in this state, else 0
 *   VARIABLE   its value
 *   OUTPUT     the expression of the present state, or that of the machine where the state has none
 */
#include "language/reader_blocks.h"

#include <stdio.h>
#include <string.h>

enum { STATES = 40, OPERANDS = 1000 };

typedef struct machine {
  hk_maker m;
  const hk_node *states, *variables, *outputs; /* the latter two NULL: none */
  int32_t late[OPERANDS], nlate;
  hk_transition transitions[OPERANDS];
  hk_action actions[OPERANDS];
  hk_machine c;
} machine;

/* --- names ------------------------------------------------------------------------------------ */

/* the entries of a mapping under a key; NULL: none */
static const hk_node *mapping(const hk_node *node, const char *key) {
  const hk_node *v = hki_node_get(node, key);
  return v && v->kind == HK_NODE_MAPPING ? v : NULL;
}

bool hki_rd_state_machine_ports(hk_reader *rd, int32_t main, const hk_node *node) {
  static const char *const keys[] = {"states", "variables", "outputs"};
  if (!hki_rd_port_add(rd, main, "time", rd->signals[main].s.loc)) return false;
  for (int32_t k = 0; k < HK_ARRAY_LEN(keys); k++) {
    const hk_node *list = mapping(node, keys[k]);
    for (int32_t i = 0; list && i < list->count; i++)
      if (!hki_rd_port_add(rd, main, list->entries[i].key, list->entries[i].key_loc)) return false;
  }
  return true;
}

/* place of a name among the keys of a mapping; HK_NONE after reporting it */
static int32_t find(const machine *z, const hk_node *list, const char *name, hk_loc loc,
                    const char *what) {
  hk_nearest near;
  char hint[200];
  hki_nearest_init(&near, name);
  for (int32_t i = 0; list && i < list->count; i++) {
    if (strcmp(list->entries[i].key, name) == 0) return i;
    hki_nearest_try(&near, list->entries[i].key);
  }
  hki_rd_error(z->m.in->rd, loc, hki_rd_did_you_mean(&near, hint, sizeof hint),
               "'%s' has no %s '%.100s'", z->m.in->out->name, what, name);
  return HK_NONE;
}

/* checks that a value is a mapping where it is given */
static bool is_mapping(const machine *z, const hk_node *v, const char *key) {
  char found[64];
  if (!v || v->kind == HK_NODE_MAPPING) return true;
  hki_rd_error(z->m.in->rd, v->loc, "write it as {name: value, ..}",
               "'%s' must be a mapping, found %s", key, hki_node_describe(v, found, sizeof found));
  return false;
}

/* --- conditions and actions ------------------------------------------------------------------- */

/* one more operand; its number, HK_NONE after an error */
static int32_t operand(machine *z, const hk_node *v, const char *what) {
  const hk_rd_signal_in *in = z->m.in;
  double value;
  int32_t signal;
  const char *name =
      hki_pool_printf(in->rd->pool, "%s.%s%d", in->out->name, what, (int)z->nlate + 1);
  if (z->nlate == OPERANDS) {
    hki_rd_error(in->rd, v->loc, NULL, "'%s' has more than %d conditions and actions",
                 in->out->name, OPERANDS);
    return HK_NONE;
  }
  if (!name || !hki_rd_dynamic(in->rd, in->s, v, name, 1, &value, &signal)) return HK_NONE;
  if (signal == HK_NONE) signal = hki_rd_signal_constant(in->rd, in->s, name, in->out->loc, value);
  if (signal == HK_NONE) return HK_NONE;
  z->late[z->nlate] = signal;
  return z->nlate++;
}

static bool read_transition(machine *z, const hk_node *node, int32_t from) {
  static const hk_param *const tables[] = {hki_keys_transition, NULL};
  const hk_rd_signal_in *in = z->m.in;
  hk_transition *x = &z->transitions[z->c.ntransitions];
  if (z->c.ntransitions == OPERANDS) {
    hki_rd_error(in->rd, node->loc, NULL, "'%s' has more than %d transitions", in->out->name,
                 OPERANDS);
    return false;
  }
  if (!hki_rd_check_keys(in->rd, node, tables, "transition", NULL)) return false;
  const hk_node *to = hki_node_get(node, "to"), *when = hki_node_get(node, "when"),
                *after = hki_node_get(node, "after");
  const char *name = to ? hki_node_text(to) : NULL;
  if (!name) {
    if (to) hki_rd_error(in->rd, to->loc, NULL, "'to' must be the name of a state");
    return false;
  }
  if (!when == !after) {
    hki_rd_error(in->rd, node->loc,
                 "for example {to: stop, when: \"t > 3\"} or {to: stop, after: 2}",
                 "a transition has one of 'when' and 'after'");
    return false;
  }
  *x = (hk_transition){.from = from, .operand = HK_NONE};
  x->to = find(z, z->states, name, to->loc, "state");
  if (x->to == HK_NONE) return false;
  const hk_param *row = hki_params_find(hki_keys_transition, "after");
  if (after && !hki_rd_ranged(in->rd, in->s, after, row, &x->after)) return false;
  if (when && (x->operand = operand(z, when, "when")) == HK_NONE) return false;
  z->c.ntransitions++;
  return true;
}

static bool read_transitions(machine *z, const hk_node *node, int32_t from) {
  const hk_node *list = hki_node_get(node, "transitions");
  if (list && list->kind != HK_NODE_SEQUENCE) {
    hki_rd_error(z->m.in->rd, list->loc, "write it as [{to: .., when: ..}, ..]",
                 "'transitions' must be a list");
    return false;
  }
  for (int32_t i = 0; list && i < list->count; i++)
    if (!read_transition(z, list->items[i], from)) return false;
  return true;
}

/* `entry` or `exit` of a state */
static bool read_actions(machine *z, const hk_node *node, const char *key, int32_t state,
                         bool leaving) {
  const hk_node *list = hki_node_get(node, key);
  if (!is_mapping(z, list, key)) return false;
  for (int32_t i = 0; list && i < list->count; i++) {
    const hk_entry *e = &list->entries[i];
    if (hki_rd_is_private(e->key)) continue;
    hk_action a = {.state = state, .leaving = leaving};
    a.variable = find(z, z->variables, e->key, e->key_loc, "variable");
    a.operand = a.variable == HK_NONE ? HK_NONE : operand(z, e->value, key);
    if (a.operand == HK_NONE) return false;
    z->actions[z->c.nactions++] = a;
  }
  return true;
}

/* --- states, variables, outputs --------------------------------------------------------------- */

static bool read_states(machine *z) {
  static const hk_param *const tables[] = {hki_keys_machine_state, NULL};
  const hk_rd_signal_in *in = z->m.in;
  // those from every state go before
  if (!read_transitions(z, in->value, HK_NONE)) return false;
  for (int32_t i = 0; i < z->states->count; i++) {
    const hk_entry *e = &z->states->entries[i];
    if (e->value->kind == HK_NODE_NULL) continue;
    if (!hki_rd_check_keys(in->rd, e->value, tables, "state", e->key) ||
        !read_transitions(z, e->value, i) || !read_actions(z, e->value, "exit", i, true) ||
        !read_actions(z, e->value, "entry", i, false))
      return false;
    const hk_node *outputs = hki_node_get(e->value, "outputs");
    if (!is_mapping(z, outputs, "outputs")) return false;
    for (int32_t k = 0; outputs && k < outputs->count; k++)
      if (find(z, z->outputs, outputs->entries[k].key, outputs->entries[k].key_loc, "output") ==
          HK_NONE)
        return false;
  }
  return true;
}

/* port `at` is the expression of the writer */
static bool put_port(machine *z, hk_writer *w, int32_t at) {
  const hk_rd_signal_in *in = z->m.in;
  hk_spec_signal s = in->rd->signals[in->index + 1 + at].s;
  if (!hki_write_end(w, &s)) return false;
  in->rd->signals[in->index + 1 + at].s = s;
  return true;
}

/* the value of an output into the writer's expression */
static bool write_value(machine *z, hk_writer *w, const hk_node *v, const char *what) {
  z->m.nu = 1; // operand 0 is the machine, the others have been written
  if (!hki_maker_operand(&z->m, v, what)) return false;
  hki_write_operand(w, 1);
  return true;
}

/* if(state == 1, a, if(state == 3, b, the value of all others)) */
static bool write_output(machine *z, int32_t output, int32_t at) {
  const hk_entry *e = &z->outputs->entries[output];
  hk_writer w;
  int32_t open = 0;
  bool ok = true;
  hki_write_begin(&w, &z->m);
  for (int32_t i = 0; ok && i < z->states->count; i++) {
    const hk_node *own = hki_node_get(mapping(z->states->entries[i].value, "outputs"), e->key);
    if (!own) continue;
    hki_text_add(&w.text, "if(");
    hki_write_operand(&w, 0);
    hki_text_printf(&w.text, " == %d, ", (int)i + 1);
    ok = write_value(z, &w, own, e->key);
    hki_text_add(&w.text, ", ");
    open++;
  }
  ok = ok && write_value(z, &w, e->value, e->key);
  for (; open > 0; open--) hki_text_add(&w.text, ")");
  if (!ok) hki_text_free(&w.text);
  return ok && put_port(z, &w, at);
}

static bool fill_ports(machine *z) {
  const hk_rd_signal_in *in = z->m.in;
  const hk_memory time = {.fn = HK_MEMORY_PORT, .port = HK_MACHINE_ENTERED, .since = true};
  int32_t at = 0;
  if (!hki_rd_port_fill(in, at++, &time)) return false;
  z->m.signal[0] = in->index;
  for (int32_t i = 0; i < z->states->count; i++) {
    hk_writer w;
    hki_write_begin(&w, &z->m);
    hki_write_operand(&w, 0);
    hki_text_printf(&w.text, " == %d", (int)i + 1);
    if (!put_port(z, &w, at++)) return false;
  }
  for (int32_t i = 0; i < z->c.nvariables; i++) {
    const hk_memory port = {
        .fn = HK_MEMORY_PORT, .port = HK_MACHINE_VARIABLES + i, .start = z->c.variables[i]};
    if (!hki_rd_port_fill(in, at++, &port)) return false;
  }
  for (int32_t i = 0; z->outputs && i < z->outputs->count; i++)
    if (!write_output(z, i, at++)) return false;
  return true;
}

static bool read_variables(machine *z) {
  const hk_rd_signal_in *in = z->m.in;
  const int32_t n = z->variables ? z->variables->count : 0;
  double *x = hki_pool_alloc(in->rd->spec->pool, (size_t)(n + 1) * sizeof *x);
  for (int32_t i = 0; x && i < n; i++)
    if (!hki_rd_number(in->rd, in->s, z->variables->entries[i].value, z->variables->entries[i].key,
                       &x[i]))
      return false;
  z->c.variables = x;
  z->c.nvariables = n;
  return x != NULL;
}

/* --- the block -------------------------------------------------------------------------------- */

static bool begin(machine *z) {
  const hk_rd_signal_in *in = z->m.in;
  const hk_node *input = hki_node_get(in->value, "input"),
                *start = hki_node_get(in->value, "start");
  z->states = hki_node_get(in->value, "states");
  z->variables = hki_node_get(in->value, "variables");
  z->outputs = hki_node_get(in->value, "outputs");
  if (input) {
    hki_rd_error(in->rd, input->loc, "leave it out",
                 "a state machine has no input: its expressions read what they need");
    return false;
  }
  if (!z->states || !is_mapping(z, z->states, "states") ||
      !is_mapping(z, z->variables, "variables") || !is_mapping(z, z->outputs, "outputs"))
    return false;
  if (z->states->count < 1 || z->states->count > STATES) {
    hki_rd_error(in->rd, z->states->loc, NULL, "a state machine has 1 to %d states, found %d",
                 STATES, (int)z->states->count);
    return false;
  }
  const char *first = start ? hki_node_text(start) : z->states->entries[0].key;
  z->c.first = find(z, z->states, first ? first : "", start ? start->loc : in->value->loc, "state");
  return z->c.first != HK_NONE;
}

/* a copy in the spec's pool */
static const void *keep(const hk_reader *rd, const void *from, int32_t n, size_t size) {
  void *to = hki_pool_alloc(rd->spec->pool, ((size_t)n + 1) * size);
  if (to && n) memcpy(to, from, (size_t)n * size);
  return to;
}

bool hki_rd_state_machine(const hk_rd_signal_in *in) {
  hk_reader *rd = in->rd;
  machine *z = hki_pool_alloc(rd->pool, sizeof *z);
  hk_machine *c = hki_pool_alloc(rd->spec->pool, sizeof *c);
  if (!z || !c) return false;
  if (!hki_maker_begin(&z->m, in, false) || !begin(z) || !read_variables(z) || !read_states(z))
    return false;
  const int32_t ports =
      1 + z->states->count + z->c.nvariables + (z->outputs ? z->outputs->count : 0);
  if (rd->signals[in->index].nports != ports) return false; // names that were refused
  *c = z->c;
  c->transitions = keep(rd, z->transitions, c->ntransitions, sizeof *c->transitions);
  c->actions = keep(rd, z->actions, c->nactions, sizeof *c->actions);
  const hk_memory memory = {
      .fn = HK_MEMORY_MACHINE, .period = z->m.period, .phase = z->m.phase, .machine = c};
  return c->transitions && c->actions && fill_ports(z) &&
         hki_rd_memory(rd, in->out, &memory, NULL, 0, z->late, z->nlate);
}

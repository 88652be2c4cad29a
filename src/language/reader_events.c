/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_events.c: events, a condition and what happens when it becomes true. Each action on each
 * thing is one item of the spec (hk_spec_event).
 *
 *   fix, release    joints
 *   rebound         joints or their coordinates, with the event's `restitution`
 *   set             {joint: {rate: value}, signal: value, parameter: value}; signals of the kind
 *                   `variable`, and parameters, which become such signals (reader_live.c)
 *   reset           signals that remember or have states, back to their start
 *   stop            the end of the run
 */
#include "language/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static hk_spec_event *add(hk_reader *rd, const hk_spec_event *common, hk_event_action action) {
  hk_spec *spec = rd->spec;
  if (!HK_GROW(rd->ctx, spec->events, rd->events_cap, spec->nevents + 1)) return NULL;
  hk_spec_event *e = &spec->events[spec->nevents++];
  *e = *common;
  e->action = action;
  return e;
}

/* the rigid limits of a coordinate; if it has none, open ones, whose row an event uses */
static int32_t limit_of(hk_reader *rd, hk_loc loc, int32_t j, int32_t k) {
  hk_spec *spec = rd->spec;
  for (int32_t i = 0; i < spec->nlimits; i++)
    if (spec->limits[i].joint == j && spec->limits[i].coord == k && !spec->limits[i].compliant)
      return i;
  if (!HK_GROW(rd->ctx, spec->limits, rd->limits_cap, spec->nlimits + 1)) return HK_NONE;
  spec->limits[spec->nlimits] =
      (hk_spec_limit){.loc = loc, .joint = j, .coord = k, .range = {-INFINITY, INFINITY}};
  return spec->nlimits++;
}

/* --- actions ---------------------------------------------------------------------------------- */

static void read_joint(hk_reader *rd, hk_rd_scope *s, const hk_node *v, const hk_spec_event *common,
                       hk_event_action action, const char *key) {
  const int32_t j = hki_rd_joint(rd, s, v, key, NULL);
  hk_spec_event *e = j < 0 ? NULL : add(rd, common, action);
  if (e) e->joint = j;
}

static void read_rebound(hk_reader *rd, hk_rd_scope *s, const hk_node *v,
                         const hk_spec_event *common) {
  int32_t k = HK_NONE;
  const int32_t j = hki_rd_joint(rd, s, v, "rebound", &k);
  if (j < 0) return;
  if (k < 0 && rd->spec->joints[j].ops->ns != 1) {
    hki_rd_error(rd, v->loc, "write joint.coordinate",
                 "'rebound' needs one coordinate of joint '%s'", rd->spec->joints[j].name);
    return;
  }
  const int32_t limit = limit_of(rd, v->loc, j, k < 0 ? 0 : k);
  hk_spec_event *e = limit == HK_NONE ? NULL : add(rd, common, HK_EVENT_REBOUND);
  if (e) e->joint = j, e->limit = limit;
}

/* rates of a joint: {rate: 3} */
static void read_rates(hk_reader *rd, hk_rd_scope *s, const hk_entry *item,
                       const hk_spec_event *common, int32_t j) {
  const hk_spec_joint *sj = &rd->spec->joints[j];
  for (int32_t i = 0; i < item->value->count; i++) {
    const hk_entry *r = &item->value->entries[i];
    int32_t k = 0;
    char hint[240], name[600];
    double value = 0.0;
    int32_t signal = HK_NONE;
    if (hki_rd_coord_group(sj->ops->rates, r->key, &k) != 1 || k >= sj->ops->ns) {
      snprintf(hint, sizeof hint, sj->ops->ns ? "its rates: %s" : "it has none to set",
               sj->ops->rates);
      hki_rd_error(rd, r->key_loc, hint, "joint '%s' has no rate '%s'", sj->name, r->key);
      continue;
    }
    snprintf(name, sizeof name, "event.%s.set.%d", common->name, (int)rd->spec->nevents);
    const int sign = rd->joints[j].sign[k] < 0 ? -1 : 1;
    if (!hki_rd_dynamic(rd, s, r->value, name, sign, &value, &signal)) continue;
    const int32_t limit = limit_of(rd, r->key_loc, j, k);
    hk_spec_event *e = limit == HK_NONE ? NULL : add(rd, common, HK_EVENT_RATE);
    if (e) e->joint = j, e->limit = limit, e->value = value, e->value_signal = signal;
  }
}

/* the signal or parameter that an entry of `set` names; HK_NONE: there is none */
static int32_t find_variable(hk_reader *rd, hk_rd_scope *s, const hk_entry *item) {
  const int32_t signal = hki_rd_signal_find(rd, s, item->key);
  if (signal >= 0 || !hki_rd_live(rd, s, item->key)) return signal;
  return hki_rd_live_signal(rd, s, item->key);
}

static void read_set(hk_reader *rd, hk_rd_scope *s, const hk_node *node,
                     const hk_spec_event *common) {
  char name[600];
  if (node->kind != HK_NODE_MAPPING) {
    hki_rd_error(rd, node->loc, "for example set: {pin: {rate: 2}, stiffness: 50}",
                 "'set' must be a mapping of joints and signals");
    return;
  }
  for (int32_t i = 0; i < node->count; i++) {
    const hk_entry *item = &node->entries[i];
    const char *full = hki_rd_full_name(rd, s, item->key);
    const int32_t j = full ? hki_names_find(rd->spec->joint_names, full) : HK_NONE;
    const int32_t target = find_variable(rd, s, item);
    double value = 0.0;
    int32_t signal = HK_NONE;
    if (item->value->kind == HK_NODE_MAPPING && j >= 0) {
      read_rates(rd, s, item, common, j);
      continue;
    }
    const hk_memory *m = target < 0 ? NULL : rd->signals[target].s.memory;
    if (!m || m->fn != HK_MEMORY_VARIABLE) {
      hki_rd_error(rd, item->key_loc,
                   "joints have rates to set, {pin: {rate: 2}}; a signal must be written as "
                   "{variable: start value}, a parameter must be a number",
                   target < 0 ? "there is nothing '%s' that an event can set"
                              : "signal '%s' cannot be set by an event",
                   item->key);
      continue;
    }
    snprintf(name, sizeof name, "event.%s.set.%d", common->name, (int)rd->spec->nevents);
    if (!hki_rd_dynamic(rd, s, item->value, name, 1, &value, &signal)) continue;
    hk_spec_event *e = add(rd, common, HK_EVENT_SET);
    if (e) e->signal = target, e->value = value, e->value_signal = signal;
  }
}

static void read_reset(hk_reader *rd, hk_rd_scope *s, const hk_node *v,
                       const hk_spec_event *common) {
  const char *word = hki_node_text(v);
  const int32_t target = word ? hki_rd_signal_find(rd, s, word) : HK_NONE;
  int32_t n = 0;
  for (int32_t i = 1; target >= 0; i++) {
    char state[600];
    snprintf(state, sizeof state, "%s.x%d", rd->signals[target].s.name, (int)i);
    const int32_t f = hki_names_find(rd->spec->force_names, state);
    hk_spec_event *e = f < 0 ? NULL : add(rd, common, HK_EVENT_RESET);
    if (!e) break;
    e->force = f, n++;
  }
  if (target >= 0 && rd->signals[target].s.memory) {
    hk_spec_event *e = add(rd, common, HK_EVENT_RESET);
    if (e) e->signal = target, n++;
  }
  if (n) return;
  hki_rd_error(
      rd, v->loc, "signals that remember or have states: integral, pid, latch, variable ..",
      target < 0 ? "there is no signal '%.100s' to reset" : "signal '%.100s' has nothing to reset",
      word ? word : "");
}

/* --- one event -------------------------------------------------------------------------------- */

typedef struct action {
  const char *key;
  hk_event_action action;
} action;

static void read_target(hk_reader *rd, hk_rd_scope *s, const hk_node *v,
                        const hk_spec_event *common, const action *a) {
  if (a->action == HK_EVENT_REBOUND)
    read_rebound(rd, s, v, common);
  else if (a->action == HK_EVENT_RESET)
    read_reset(rd, s, v, common);
  else
    read_joint(rd, s, v, common, a->action, a->key);
}

static int32_t read_actions(hk_reader *rd, hk_rd_scope *s, const hk_node *node,
                            const hk_spec_event *common) {
  static const action lists[] = {{"fix", HK_EVENT_FIX},
                                 {"release", HK_EVENT_RELEASE},
                                 {"rebound", HK_EVENT_REBOUND},
                                 {"reset", HK_EVENT_RESET}};
  int32_t n = 0;
  for (int32_t i = 0; i < HK_ARRAY_LEN(lists); i++) {
    const hk_node *v = hki_node_get(node, lists[i].key);
    if (!v) continue;
    n++;
    const bool many = v->kind == HK_NODE_SEQUENCE;
    for (int32_t k = 0; k < (many ? v->count : 1); k++)
      read_target(rd, s, many ? v->items[k] : v, common, &lists[i]);
  }
  const hk_node *set = hki_node_get(node, "set"), *stop = hki_node_get(node, "stop");
  bool ends = false;
  if (set) read_set(rd, s, set, common), n++;
  if (stop && hki_rd_bool(rd, s, stop, "stop", &ends) && ends)
    (void)add(rd, common, HK_EVENT_STOP), n++;
  return n;
}

static void read_event(hk_reader *rd, hk_rd_scope *s, const hk_entry *e) {
  static const hk_param *const tables[] = {hki_keys_event, NULL};
  const char *name = hki_rd_full_name(rd, s, e->key);
  if (!name || !hki_rd_good_name(rd, "event", e->key, e->key_loc, false)) return;
  if (!hki_rd_check_keys(rd, e->value, tables, "event", name)) return;
  const hk_node *when = hki_node_get(e->value, "when"), *again = hki_node_get(e->value, "again");
  const hk_node *restitution = hki_node_get(e->value, "restitution");
  hk_spec_event common = {.name = name, .loc = e->key_loc, .joint = HK_NONE, .limit = HK_NONE};
  common.signal = common.force = common.value_signal = HK_NONE;
  double value = 0.0;
  int32_t signal = HK_NONE;
  char full[600];
  snprintf(full, sizeof full, "event.%s.when", name);
  if (!when || !hki_rd_dynamic(rd, s, when, full, 1, &value, &signal)) return;
  if (signal == HK_NONE) signal = hki_rd_signal_constant(rd, s, full, when->loc, value);
  common.when = signal;
  if (again) hki_rd_bool(rd, s, again, "again", &common.again);
  if (restitution)
    hki_rd_ranged(rd, s, restitution, hki_params_find(hki_keys_event, "restitution"),
                  &common.value);
  if (read_actions(rd, s, e->value, &common)) return;
  hki_rd_error(
      rd, e->value->loc, "for example {when: \"t >= 2\", fix: hand_pin}",
      "event '%s' does nothing: give 'fix', 'release', 'rebound', 'set', 'reset' or 'stop'", name);
}

void hki_rd_events_read(hk_reader *rd, hk_rd_scope *s) {
  hk_names *seen = hki_names_create(rd->ctx);
  hk_rd_walk w = {0};
  int32_t at;
  if (!seen) return;
  for (hk_entry *e; (e = hki_rd_next(rd, s, "events", &w));) {
    if (hki_names_add(seen, e->key, 0, &at)) {
      read_event(rd, w.scope, e);
    } else if (at >= 0) {
      hki_rd_error(rd, e->key_loc, NULL, "event '%s' is defined twice", e->key);
    }
  }
  hki_names_destroy(seen);
}

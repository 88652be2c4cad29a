/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_inverse.c: `inverse:`, the tasks, actuators and costs of an inverse problem
 * (simulation/inverse.c). Names are those of the model as a whole.
 */
#include "language/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* one entry that is being read */
typedef struct entry {
  hk_reader *rd;
  hk_rd_scope *s;
  const char *kind, *name; /* "task", its own */
  const hk_node *node;
} entry;

static const hk_node *get(const entry *e, const char *key) { return hki_node_get(e->node, key); }

/* --- what all of them name -------------------------------------------------------------------- */

/* a coordinate of a joint; false after reporting that there is none, or which is not said */
static bool read_coordinate(const entry *e, const hk_node *v, int32_t *joint, int32_t *coord) {
  int32_t k = HK_NONE;
  const int32_t j = hki_rd_joint(e->rd, e->s, v, e->kind, &k);
  if (j < 0) return false;
  const hk_spec_joint *sj = &e->rd->spec->joints[j];
  if (k < 0 && sj->ops->ns != 1) {
    hki_rd_error(e->rd, v->loc, "write joint.coordinate", "joint '%s' has %d coordinates, not one",
                 sj->name, (int)sj->ops->ns);
    return false;
  }
  *joint = j, *coord = k < 0 ? 0 : k;
  return true;
}

/* the place of a name in a list of the spec; HK_NONE after reporting it */
static int32_t read_name(const entry *e, const hk_node *v, const char *what,
                         const hk_names *names) {
  const char *name = hki_node_text(v);
  const int32_t i = name ? hki_names_find(names, name) : HK_NONE;
  if (i < 0) hki_rd_error(e->rd, v->loc, NULL, "there is no %s '%.100s'", what, name ? name : "");
  return i < 0 ? HK_NONE : i;
}

/* a number or a signal of time; part: its component, or -1 */
static bool read_given(const entry *e, const hk_node *v, const char *key, int part,
                       hk_spec_given *out) {
  const char *name =
      part < 0 ? hki_pool_printf(e->rd->pool, "inverse.%s.%s", e->name, key)
               : hki_pool_printf(e->rd->pool, "inverse.%s.%s.%c", e->name, key, "xyz"[part]);
  if (!name || !hki_rd_dynamic(e->rd, e->s, v, name, 1, &out->value, &out->signal)) return false;
  if (out->signal == HK_NONE || hki_rd_of_time(e->rd, out->signal, 0)) return true;
  hki_rd_error(e->rd, v->loc, "for example \"0.3*sin(2*t)\", or a table",
               "'%s' of %s '%s' must be a number or a function of time", key, e->kind, e->name);
  return false;
}

/* three of them, or a vector signal; null for one that is free, where `used` is given */
static bool read_given3(const entry *e, const char *key, uint32_t *used, hk_spec_given *out) {
  const hk_node *v = get(e, key);
  hk_node part[3];
  char found[64];
  bool ok = true;
  const bool vector = hki_node_text(v) && hki_rd_vector(e->rd, e->s, v, part);
  if (!vector && (v->kind != HK_NODE_SEQUENCE || v->count != 3)) {
    hki_rd_error(e->rd, v->loc, "for example [\"cos(t)\", \"sin(t)\", 0]",
                 "'%s' of %s '%s' must be a list of three or a vector signal, found %s", key,
                 e->kind, e->name, hki_node_describe(v, found, sizeof found));
    return false;
  }
  for (int k = 0; k < 3; k++) {
    const hk_node *x = vector ? &part[k] : v->items[k];
    if (used && x->kind == HK_NODE_NULL) continue;
    ok &= read_given(e, x, key, k, &out[k]);
    if (used) *used |= 1u << k;
  }
  return ok;
}

/* an expression of channels as a signal of its own; HK_NONE after an error */
static int32_t read_value(const entry *e) {
  double value = 0.0;
  int32_t signal = HK_NONE;
  const hk_node *v = get(e, "value");
  const char *name = hki_pool_printf(e->rd->pool, "inverse.%s.value", e->name);
  if (!name || !hki_rd_dynamic(e->rd, e->s, v, name, 1, &value, &signal)) return HK_NONE;
  if (signal == HK_NONE)
    hki_rd_error(e->rd, v->loc, "for example joint.elbow.angle + joint.wrist.angle",
                 "'value' of %s '%s' must depend on channels", e->kind, e->name);
  return signal;
}

static bool read_positive(const entry *e, const hk_param *rows, const char *key, double *out) {
  const hk_param *row = hki_params_find(rows, key);
  const hk_node *v = get(e, key);
  *out = row->def;
  return !v || hki_rd_ranged(e->rd, e->s, v, row, out);
}

/* --- actuators -------------------------------------------------------------------------------- */

/* an input of the model; HK_NONE: there is none of this name */
static int32_t find_input(const entry *e, const hk_node *v) {
  const char *name = hki_node_text(v);
  const int32_t i = name ? hki_rd_signal_find(e->rd, e->s, name) : HK_NONE;
  return i >= 0 && hki_signal_is_input(&e->rd->signals[i].s) ? i : HK_NONE;
}

static bool read_input(const entry *e, const hk_node *v, hk_spec_actuator *out) {
  out->signal = find_input(e, v);
  if (out->signal >= 0) return true;
  hki_rd_error(e->rd, v->loc, "write the actuator's signal as {input: 0}",
               "there is no input '%.100s' for an actuator",
               hki_node_text(v) ? hki_node_text(v) : "");
  return false;
}

static bool read_actuator(const entry *e, hk_spec_actuator *out) {
  static const hk_param *const tables[] = {hki_keys_actuator, NULL};
  *out = (hk_spec_actuator){.loc = e->node->loc, .joint = HK_NONE, .signal = HK_NONE};
  out->range[0] = -INFINITY, out->range[1] = INFINITY, out->weight = 1.0;
  if (hki_node_text(e->node)) {
    const hk_node *v = e->node;
    if (hki_names_find(e->rd->spec->joint_names, v->text) < 0 && find_input(e, v) >= 0)
      return read_input(e, v, out);
    return read_coordinate(e, v, &out->joint, &out->coord);
  }
  if (!hki_rd_check_keys(e->rd, e->node, tables, "actuator", NULL)) return false;
  const hk_node *joint = get(e, "joint"), *input = get(e, "input"), *range = get(e, "range");
  if (!joint == !input) {
    hki_rd_error(e->rd, e->node->loc, "for example {input: u, range: [0, 1]}",
                 "an actuator has one of 'joint' and 'input'");
    return false;
  }
  if (joint ? !read_coordinate(e, joint, &out->joint, &out->coord) : !read_input(e, input, out))
    return false;
  return read_positive(e, hki_keys_actuator, "weight", &out->weight) &&
         (!range || hki_rd_range(e->rd, e->s, range, "limits of an actuator", out->range));
}

/* --- tasks ------------------------------------------------------------------------------------ */

/* one more task of the entry */
static hk_spec_task *add_task(const entry *e, hk_task_kind kind, int32_t *cap) {
  hk_spec_inverse *to = &e->rd->spec->inverse;
  if (!HK_GROW(e->rd->ctx, to->tasks, *cap, to->ntasks + 1)) return NULL;
  hk_spec_task *t = &to->tasks[to->ntasks++];
  *t = (hk_spec_task){.name = e->name, .loc = e->node->loc, .kind = kind};
  t->marker = t->signal = HK_NONE;
  t->axis[2] = 1.0;
  for (int k = 0; k < 3; k++) t->target[k].signal = HK_NONE;
  return t;
}

static void read_task(const entry *e, int32_t *cap) {
  static const hk_param *const tables[] = {hki_keys_task, NULL};
  static const char *const keys[] = {"position", "axis", "rotation"};
  if (!hki_rd_check_keys(e->rd, e->node, tables, "task", e->name)) return;
  const hk_node *marker = get(e, "marker"), *equals = get(e, "equals"), *along = get(e, "along");
  int32_t n = 0;
  for (int k = 0; k < HK_ARRAY_LEN(keys); k++) n += get(e, keys[k]) != NULL;
  if (!marker != !n || !get(e, "value") != !equals || (!marker && !equals) ||
      (along && !get(e, "axis"))) {
    hki_rd_error(e->rd, e->node->loc,
                 "for example {marker: P, position: [1, \"sin(t)\", null]} or {value: "
                 "joint.a.angle - joint.b.angle, equals: 0}",
                 "task '%s' needs a marker with position, axis or rotation, or value with equals",
                 e->name);
    return;
  }
  const int32_t at = marker ? read_name(e, marker, "marker", e->rd->spec->marker_names) : HK_NONE;
  if (marker && at == HK_NONE) return;
  hk_spec_task *t = NULL;
  for (int32_t k = 0; k < HK_ARRAY_LEN(keys); k++) {
    if (!get(e, keys[k])) continue;
    if (!(t = add_task(e, (hk_task_kind)(HK_TASK_POSITION + k), cap))) return;
    t->marker = at;
    if (!read_given3(e, keys[k], k == 0 ? &t->used : NULL, t->target)) return;
    if (k == 1 && along && !hki_rd_axis(e->rd, e->s, &e->s->map, along, "along", t->axis)) return;
  }
  if (!equals || !(t = add_task(e, HK_TASK_VALUE, cap))) return;
  if ((t->signal = read_value(e)) >= 0) read_given(e, equals, "equals", -1, &t->target[0]);
}

/* --- costs ------------------------------------------------------------------------------------ */

/* a coordinate: a spring, or a range */
static bool read_joint_cost(const entry *e, hk_spec_ergonomy *c) {
  const hk_node *range = get(e, "range"), *zero = get(e, "zero");
  char what[300];
  if (!read_coordinate(e, get(e, "joint"), &c->joint, &c->coord)) return false;
  if (!range) return !zero || read_given(e, zero, "zero", -1, &c->zero);
  snprintf(what, sizeof what, "limits of ergonomy '%.200s'", e->name);
  c->kind = HK_ERGONOMY_RANGE;
  if (zero) {
    hki_rd_error(e->rd, zero->loc, "write two entries",
                 "ergonomy '%s' has one of 'zero' and 'range'", e->name);
    return false;
  }
  if (!hki_rd_range(e->rd, e->s, range, what, c->range) ||
      !read_positive(e, hki_keys_ergonomy, "margin", &c->margin))
    return false;
  if (isnan(c->margin)) c->margin = 0.1 * (c->range[1] - c->range[0]);
  if (isfinite(c->margin)) return true;
  hki_rd_error(e->rd, range->loc, "give 'margin'",
               "ergonomy '%s': a range with an open end has no tenth", e->name);
  return false;
}

/* a marker that keeps away */
static bool read_distance(const entry *e, hk_spec_ergonomy *c) {
  const hk_node *point = get(e, "point"), *from = get(e, "from");
  const hk_names *markers = e->rd->spec->marker_names;
  c->kind = HK_ERGONOMY_DISTANCE;
  if (!point == !from || !get(e, "clearance")) {
    hki_rd_error(e->rd, e->node->loc, "for example {marker: E, point: [0, 0, 1], clearance: 0.2}",
                 "ergonomy '%s' needs 'clearance' and one of 'point' and 'from'", e->name);
    return false;
  }
  if ((c->marker = read_name(e, get(e, "marker"), "marker", markers)) == HK_NONE) return false;
  if (from && (c->other = read_name(e, from, "marker", markers)) == HK_NONE) return false;
  return (!point || hki_rd_point(e->rd, e->s, point, "point", c->point)) &&
         read_positive(e, hki_keys_ergonomy, "clearance", &c->range[0]);
}

static bool read_cost(const entry *e, hk_spec_ergonomy *c) {
  static const hk_param *const tables[] = {hki_keys_ergonomy, NULL};
  static const char *const keys[] = {"joint", "marker", "spring", "value"};
  int32_t n = 0;
  if (!hki_rd_check_keys(e->rd, e->node, tables, "ergonomy", e->name)) return false;
  *c = (hk_spec_ergonomy){.name = e->name, .loc = e->node->loc, .kind = HK_ERGONOMY_JOINT};
  c->joint = c->marker = c->other = c->force = c->signal = c->zero.signal = HK_NONE;
  for (int k = 0; k < HK_ARRAY_LEN(keys); k++) n += get(e, keys[k]) != NULL;
  if (n != 1) {
    hki_rd_error(e->rd, e->node->loc, "for example {joint: elbow, stiffness: 1, zero: 0.5}",
                 "ergonomy '%s' needs one of 'joint', 'marker', 'spring' and 'value'", e->name);
    return false;
  }
  if (!read_positive(e, hki_keys_ergonomy, "stiffness", &c->stiffness)) return false;
  if (get(e, "joint")) return read_joint_cost(e, c);
  if (get(e, "marker")) return read_distance(e, c);
  c->kind = get(e, "spring") ? HK_ERGONOMY_FORCE : HK_ERGONOMY_VALUE;
  if (!get(e, "spring")) return (c->signal = read_value(e)) != HK_NONE;
  return (c->force = read_name(e, get(e, "spring"), "spring", e->rd->spec->force_names)) != HK_NONE;
}

/* --- the section ------------------------------------------------------------------------------ */

/* the value of a key in the first document that has it, of the right kind; NULL: none */
static const hk_node *section(hk_reader *rd, const hk_node *all, const char *key,
                              hk_node_kind kind) {
  const hk_node *v = hki_node_get(all, key);
  char found[64];
  if (!v || v->kind == kind) return v;
  hki_rd_error(rd, v->loc, NULL, "'%s' of 'inverse' must be a %s, found %s", key,
               kind == HK_NODE_MAPPING ? "mapping" : "list",
               hki_node_describe(v, found, sizeof found));
  return NULL;
}

static void read_entries(hk_reader *rd, const hk_node *all) {
  hk_spec_inverse *to = &rd->spec->inverse;
  entry e = {.rd = rd, .s = rd->scopes[0], .kind = "actuator", .name = "actuators"};
  const hk_node *actuators = section(rd, all, "actuators", HK_NODE_SEQUENCE),
                *tasks = section(rd, all, "tasks", HK_NODE_MAPPING),
                *costs = section(rd, all, "ergonomy", HK_NODE_MAPPING);
  int32_t cap = 0, cost_cap = 0, act_cap = 0;
  for (int32_t i = 0; actuators && i < actuators->count; i++) {
    e.node = actuators->items[i];
    if (!HK_GROW(rd->ctx, to->actuators, act_cap, to->nactuators + 1)) return;
    to->nactuators += read_actuator(&e, &to->actuators[to->nactuators]);
  }
  e.kind = "task";
  for (int32_t i = 0; tasks && i < tasks->count; i++) {
    if (hki_rd_is_private(tasks->entries[i].key)) continue;
    e.name = hki_pool_strdup(rd->spec->pool, tasks->entries[i].key);
    e.node = tasks->entries[i].value;
    if (e.name) read_task(&e, &cap);
  }
  e.kind = "ergonomy";
  for (int32_t i = 0; costs && i < costs->count; i++) {
    if (hki_rd_is_private(costs->entries[i].key)) continue;
    e.name = hki_pool_strdup(rd->spec->pool, costs->entries[i].key);
    e.node = costs->entries[i].value;
    if (!e.name || !HK_GROW(rd->ctx, to->ergonomy, cost_cap, to->nergonomy + 1)) return;
    to->nergonomy += read_cost(&e, &to->ergonomy[to->nergonomy]);
  }
}

void hki_rd_inverse_read(hk_reader *rd) {
  static const hk_param *const tables[] = {hki_keys_inverse, NULL};
  hk_spec_inverse *to = &rd->spec->inverse;
  hk_rd_scope *root = rd->scopes[0];
  const hk_node *all = hki_rd_first(rd, root, "inverse");
  int32_t rates = 0, least = 0;
  if (!all || !hki_rd_check_keys(rd, all, tables, "inverse", NULL)) return;
  const hk_node *minimise = hki_node_get(all, "minimise"), *how = hki_node_get(all, "rates");
  if (minimise) hki_rd_choice(rd, minimise, "minimise", "torque activation energy", &least);
  if (how) hki_rd_choice(rd, how, "rates", "exact differences", &rates);
  to->least = (hk_least)least;
  to->differences = rates == 1;
  read_entries(rd, all);
  to->actuators = hki_rd_to_pool(rd, to->actuators, to->nactuators, sizeof *to->actuators);
  to->tasks = hki_rd_to_pool(rd, to->tasks, to->ntasks, sizeof *to->tasks);
  to->ergonomy = hki_rd_to_pool(rd, to->ergonomy, to->nergonomy, sizeof *to->ergonomy);
}

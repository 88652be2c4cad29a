/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_stops.c: `limits` of joints (hk_spec_limit). A coordinate with a stiffness gets a force
 * too (elements/stop.h), named limits.JOINT.COORDINATE; what rubs while the stop presses:
 * reader_stop_friction.c.
 *
 *   limits: {angle: [-30*deg, 45*deg], restitution: 0.3}
 *   limits: {angle: [0, null], position: {range: [0, 0.2], stiffness: 1e5}}
 *
 * In a mirrored instance a coordinate that changes its sign has the range [-b, -a].
 */
#include "language/reader.h"
#include "elements/stop.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* numbers that say how a stop acts */
typedef struct manner {
  bool compliant, rigid; /* a key of this kind is given */
  hk_stop_par soft;
  double restitution, rest;
  const hk_node *friction; /* NULL: none */
} manner;

static bool is_manner(const char *key) { return hki_params_find(hki_keys_limits, key) != NULL; }

/* one number of the table, from its offset in `manner` */
static bool read_number(hk_reader *rd, hk_rd_scope *s, const hk_entry *e, manner *m) {
  const hk_param *p = hki_params_find(hki_keys_limits, e->key);
  double x = 0.0;
  if (!strcmp(e->key, "range")) return true;
  if (!strcmp(e->key, "friction")) {
    m->friction = e->value;
    return true;
  }
  if (!hki_rd_ranged(rd, s, e->value, p, &x)) return false;
  struct {
    const char *key;
    double *to;
    bool *kind;
  } const rows[] = {{"stiffness", &m->soft.stiffness, &m->compliant},
                    {"damping", &m->soft.damping, &m->compliant},
                    {"dissipation", &m->soft.dissipation, &m->compliant},
                    {"exponent", &m->soft.exponent, &m->compliant},
                    {"restitution", &m->restitution, &m->rigid},
                    {"rest", &m->rest, &m->rigid}};
  for (int32_t i = 0; i < HK_ARRAY_LEN(rows); i++)
    if (!strcmp(rows[i].key, e->key)) *rows[i].to = x, *rows[i].kind = true;
  return true;
}

/* all keys of a mapping that say how the stop acts, on top of what m holds */
static bool read_manner(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *joint,
                        manner *m) {
  bool ok = true;
  for (int32_t i = 0; i < node->count; i++)
    if (is_manner(node->entries[i].key)) ok = read_number(rd, s, &node->entries[i], m) && ok;
  if (m->compliant && m->rigid) {
    hki_rd_error(rd, node->loc,
                 "'stiffness', 'damping', 'dissipation', 'exponent' make a compliant stop, "
                 "'restitution' and 'rest' a rigid one",
                 "joint '%s': a stop is compliant or rigid, not both", joint);
    return false;
  }
  if (m->compliant && !(m->soft.stiffness > 0.0)) {
    hki_rd_error(rd, node->loc, "give a 'stiffness', or a 'restitution' for a rigid stop",
                 "joint '%s': a compliant stop needs a stiffness", joint);
    return false;
  }
  return ok;
}

bool hki_rd_range(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *what,
                  double *range) {
  char found[64];
  range[0] = -INFINITY, range[1] = INFINITY;
  if (node->kind != HK_NODE_SEQUENCE || node->count != 2) {
    hki_rd_error(rd, node->loc, "write it as [lower, upper], with null for an open end",
                 "%s must be a list of 2 numbers, found %s", what,
                 hki_node_describe(node, found, sizeof found));
    return false;
  }
  for (int k = 0; k < 2; k++) {
    const hk_node *end = node->items[k];
    if (end->kind == HK_NODE_NULL) continue;
    if (!hki_rd_number(rd, s, end, "limits", &range[k])) return false;
  }
  if (range[0] < range[1]) return true;
  hki_rd_error(rd, node->loc, "the lower end comes first", "the %s leave no room: [%g, %g]", what,
               range[0], range[1]);
  return false;
}

/* the range of a coordinate of a joint, in which sign -1 turns it over */
static bool read_range(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *joint,
                       double sign, double *range) {
  char what[300];
  double x[2];
  snprintf(what, sizeof what, "limits of joint '%.200s'", joint);
  if (!hki_rd_range(rd, s, node, what, x)) return false;
  range[0] = sign < 0.0 ? -x[1] : x[0];
  range[1] = sign < 0.0 ? -x[0] : x[1];
  return true;
}

static void add_limit(hk_reader *rd, hk_loc loc, int32_t j, int32_t k, const double *range,
                      const manner *m) {
  hk_spec *spec = rd->spec;
  if (!HK_GROW(rd->ctx, spec->limits, rd->limits_cap, spec->nlimits + 1)) return;
  spec->limits[spec->nlimits++] =
      (hk_spec_limit){loc, j, k, m->compliant, {range[0], range[1]}, m->restitution, m->rest};
}

/* the force of a compliant stop */
static void add_force(hk_reader *rd, hk_loc loc, int32_t j, int32_t k, const double *range,
                      const manner *m) {
  hk_spec *spec = rd->spec;
  const hk_spec_joint *sj = &spec->joints[j];
  int n, at = 0;
  const char *word = hki_word(sj->ops->coords, k, &n);
  const char *name = hki_pool_printf(spec->pool, "limits.%s.%.*s", sj->name, n, word);
  hk_stop_par *par = hki_pool_alloc(spec->pool, sizeof *par);
  if (!par || !name || !HK_GROW(rd->ctx, spec->forces, rd->forces_cap, spec->nforces + 1) ||
      !hki_names_add(spec->force_names, name, spec->nforces, &at))
    return;
  *par = m->soft;
  par->lower = range[0], par->upper = range[1];
  hk_spec_force *f = &spec->forces[spec->nforces++];
  *f = (hk_spec_force){.name = name, .loc = loc, .ops = &hki_element_stop, .par = par};
  f->joint = j, f->coord = k;
  f->body[0] = f->body[1] = HK_GROUND;
  for (int i = 0; i < 2; i++) m3_identity(f->marker[i].R);
  for (int i = 0; i < HK_ELEMENT_NODES; i++) f->node[i] = HK_GROUND;
  for (int i = 0; i < HK_ELEMENT_INPUTS; i++) f->u_signal[i] = HK_NONE;
}

/* the limits of one coordinate: a range, or a mapping with it; m: what holds for all */
static void read_one(hk_reader *rd, hk_rd_scope *s, const hk_node *node, int32_t j, int32_t k,
                     const manner *all) {
  static const hk_param *const tables[] = {hki_keys_limits, NULL};
  const hk_spec_joint *sj = &rd->spec->joints[j];
  const hk_node *range = node;
  manner m = *all;
  double x[2];
  if (node->kind == HK_NODE_MAPPING) {
    if (!hki_rd_check_keys(rd, node, tables, "limits of joint", sj->name)) return;
    range = hki_node_get(node, "range");
    if (!range) {
      hki_rd_error(rd, node->loc, "for example {range: [0, 1], restitution: 0.5}",
                   "limits of joint '%s' need the key 'range'", sj->name);
      return;
    }
    if (!read_manner(rd, s, node, sj->name, &m)) return;
  }
  if (!read_range(rd, s, range, sj->name, rd->joints[j].sign[k], x)) return;
  add_limit(rd, node->loc, j, k, x, &m);
  if (m.compliant) add_force(rd, node->loc, j, k, x, &m);
  if (m.friction) hki_rd_stop_friction(rd, s, m.friction, j, k, m.compliant ? &m.soft : NULL);
}

/* the coordinates that a key names: one, or a list with null where one has no limits */
static void read_key(hk_reader *rd, hk_rd_scope *s, const hk_entry *e, int32_t j, const manner *m) {
  const hk_spec_joint *sj = &rd->spec->joints[j];
  int32_t first = 0;
  const int32_t n = hki_rd_coord_group(sj->ops->coords, e->key, &first);
  char hint[240];
  if (n == 0 || first + n > sj->ops->ns) {
    snprintf(hint, sizeof hint, sj->ops->ns ? "its coordinates: %s" : "it has none",
             sj->ops->coords);
    hki_rd_error(rd, e->key_loc, hint, "joint '%s' has no coordinate '%s' to limit", sj->name,
                 e->key);
    return;
  }
  if (n == 1) {
    read_one(rd, s, e->value, j, first, m);
    return;
  }
  if (e->value->kind != HK_NODE_SEQUENCE || e->value->count != n) {
    hki_rd_error(rd, e->value->loc, "null where a coordinate has no limits",
                 "'%s' must be a list of %d ranges", e->key, (int)n);
    return;
  }
  for (int32_t i = 0; i < n; i++)
    if (e->value->items[i]->kind != HK_NODE_NULL)
      read_one(rd, s, e->value->items[i], j, first + i, m);
}

void hki_rd_limits_read(hk_reader *rd, int32_t j) {
  hk_rd_scope *s = rd->joints[j].scope;
  const hk_spec_joint *sj = &rd->spec->joints[j];
  const hk_node *node = hki_node_get(rd->joints[j].entry->value, "limits");
  char found[64];
  manner m = {.soft = {.exponent = 1.0}, .rest = 1e-3};
  if (!node) return;
  if (node->kind == HK_NODE_SEQUENCE && sj->ops->ns == 1) {
    read_one(rd, s, node, j, 0, &m);
    return;
  }
  if (node->kind != HK_NODE_MAPPING) {
    hki_rd_error(rd, node->loc, "for example limits: {angle: [-1, 1], restitution: 0.5}",
                 "'limits' must be a mapping of coordinates, found %s",
                 hki_node_describe(node, found, sizeof found));
    return;
  }
  if (!read_manner(rd, s, node, sj->name, &m)) return;
  for (int32_t i = 0; i < node->count; i++)
    if (!is_manner(node->entries[i].key)) read_key(rd, s, &node->entries[i], j, &m);
}

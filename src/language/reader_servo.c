/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_servo.c: the section `servo`: control constraints. Each is a coupling (joints/servo.h) with the
 * row left side - right side = 0, and has the actuators through which its force acts.
 */
#include <stdio.h>

#include "joints/servo.h"
#include "language/reader_signals.h"

void hki_rd_servos_register(hk_reader *rd, hk_rd_scope *s) {
  hk_rd_walk w = {0};
  for (hk_entry *e; (e = hki_rd_next(rd, s, "servo", &w));)
    if (!hki_rd_joint_put(rd, w.scope, e, &hki_joint_servo, "servo")) return;
}

/* one servo being read */
typedef struct reading {
  hk_reader *rd;
  hk_rd_scope *s;
  const hk_spec_joint *j;
  hk_spec_coupled *to;
  double *push;
  int32_t n;
} reading;

static bool refuse(const reading *r, hk_loc loc, const char *hint, const char *what) {
  hki_rd_error(r->rd, loc, hint, "servo '%s': %s", r->j->name, what);
  return false;
}

/* --- the condition ---------------------------------------------------------------------------- */

/* place of the sign between both sides; NULL: none. Comparisons have signs of their own. */
static const char *equals(const char *text) {
  for (const char *c = text; *c; c++) {
    const bool part = c > text && strchr("<>=!", c[-1]);
    if (*c == '=' && c[1] != '=' && !part) return c;
  }
  return NULL;
}

/* "left = right" becomes "(left)-(right)", its letters where they stand in the file */
static const hk_node *difference(const reading *r, const hk_node *v, const char *text) {
  const char *sign = equals(text);
  hk_loc loc = v->loc;
  hk_text t;
  if (!sign) return v;
  int32_t left = (int32_t)(sign - text);
  const bool gap = left > 0 && text[left - 1] == ' ';
  hki_text_init(&t, r->rd->ctx);
  hki_text_add(&t, "(");
  hki_text_addn(&t, text, (size_t)(left - gap));
  hki_text_add(&t, ")-(");
  hki_text_add(&t, sign[1] == ' ' && gap ? sign + 2 : sign + 1);
  hki_text_add(&t, ")");
  loc.col -= loc.col > 1;
  const hk_node *out = t.failed ? NULL : hki_rd_scalar(r->rd, t.s, t.len, loc);
  hki_text_free(&t);
  return out;
}

static bool read_constraint(const reading *r, const hk_node *v, int32_t *signal) {
  char name[600], what[160], found[64];
  const char *text = hki_node_text(v);
  double value;
  if (!text || !equals(text)) {
    snprintf(what, sizeof what, "'constraint' must be an equation, found %s",
             hki_node_describe(v, found, sizeof found));
    return refuse(r, v->loc, "for example constraint: \"marker.load.position.x = path\"", what);
  }
  const hk_node *row = difference(r, v, text);
  snprintf(name, sizeof name, "servo.%s.constraint", r->j->name);
  if (!row || !hki_rd_dynamic(r->rd, r->s, row, name, 1, &value, signal)) return false;
  return *signal != HK_NONE || refuse(r, v->loc, NULL, "its constraint is constant");
}

/* --- actuators -------------------------------------------------------------------------------- */

static bool add_actuator(reading *r, const hk_node *v, double weight) {
  char item[300];
  hk_spec_coupled a;
  snprintf(item, sizeof item, "servo '%s'", r->j->name);
  if (!hki_rd_coupled(r->rd, r->s, v, "through", item, &a)) return false;
  if (!(weight != 0.0))
    return refuse(r, v->loc, "leave it out", "the weight of an actuator is zero");
  for (int32_t i = 0; i < r->n; i++)
    if (r->to[i].joint == a.joint && r->to[i].coord == a.coord)
      return refuse(r, v->loc, NULL, "the same coordinate stands twice in 'through'");
  if (r->n == HK_COUPLED) return refuse(r, v->loc, NULL, "it has more than 16 actuators");
  r->push[r->n] = weight * r->rd->joints[a.joint].sign[a.coord];
  r->to[r->n++] = a;
  return true;
}

static bool read_weights(reading *r, const hk_node *v) {
  for (int32_t i = 0; i < v->count; i++) {
    const hk_entry *e = &v->entries[i];
    const hk_node *name = hki_rd_scalar(r->rd, e->key, strlen(e->key), e->key_loc);
    double weight = 0.0;
    if (!name || !hki_rd_number(r->rd, r->s, e->value, "through", &weight) ||
        !add_actuator(r, name, weight))
      return false;
  }
  return true;
}

static bool read_through(reading *r, const hk_node *v) {
  char what[160], found[64];
  if (v->kind == HK_NODE_SCALAR) return add_actuator(r, v, 1.0);
  if (v->kind == HK_NODE_MAPPING && v->count) return read_weights(r, v);
  if (v->kind != HK_NODE_SEQUENCE || !v->count) {
    snprintf(what, sizeof what, "'through' must name actuators, found %s",
             hki_node_describe(v, found, sizeof found));
    return refuse(r, v->loc, "for example through: trolley, or {trolley: 1, hoist: 0.5}", what);
  }
  for (int32_t i = 0; i < v->count; i++)
    if (!add_actuator(r, v->items[i], 1.0)) return false;
  return true;
}

void hki_rd_servo_read(hk_reader *rd, int32_t i) {
  hk_spec_joint *j = &rd->spec->joints[i];
  const hk_node *node = rd->joints[i].entry->value, *active;
  reading r = {.rd = rd, .s = rd->joints[i].scope, .j = j};
  const hk_param *const tables[] = {hki_keys_servo, NULL};
  if (j->ops != &hki_joint_servo || !hki_rd_check_keys(rd, node, tables, "servo", j->name)) return;
  hk_pool *pool = rd->spec->pool;
  hk_spec_coupling *out = hki_pool_alloc(pool, sizeof *out);
  double *c0 = hki_pool_alloc(pool, sizeof *c0);
  r.to = hki_pool_alloc(pool, HK_COUPLED * sizeof *r.to);
  r.push = hki_pool_alloc(pool, HK_COUPLED * sizeof *r.push);
  if (!out || !c0 || !r.to || !r.push) return;
  *out = (hk_spec_coupling){.nrows = 1, .c0 = c0, .signal = HK_NONE, .to = r.to, .push = r.push};
  j->body[0] = j->body[1] = HK_GROUND;
  if (!read_constraint(&r, hki_node_get(node, "constraint"), &out->signal) ||
      !read_through(&r, hki_node_get(node, "through")))
    return;
  out->nto = r.n;
  active = hki_node_get(node, "active");
  j = &rd->spec->joints[i]; // reading signals may have moved the list
  if (active) hki_rd_bool(rd, r.s, active, "active", &j->active);
  j->coupling = out;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_couplings.c: joints that relate coordinates of other joints. In a mirrored component a
 * coordinate that changes its sign there does so in the relation too.
 */
#include <stdio.h>

#include "language/reader_signals.h"

/* one coupling being read */
typedef struct reading {
  hk_reader *rd;
  hk_rd_scope *s;
  const hk_node *node;
  hk_spec_joint *j;
  hk_spec_coupled arg[HK_COUPLED];
  double sign[HK_COUPLED]; /* of each coordinate under mirroring */
  int32_t n;
} reading;

static bool refuse(const reading *r, hk_loc loc, const char *hint, const char *what) {
  hki_rd_error(r->rd, loc, hint, "%s '%s': %s", r->j->ops->name, r->j->name, what);
  return false;
}

bool hki_rd_coupled(hk_reader *rd, hk_rd_scope *s, const hk_node *v, const char *what,
                    const char *item, hk_spec_coupled *out) {
  char hint[240];
  int32_t coord = -1, joint = hki_rd_joint(rd, s, v, what, &coord);
  if (joint < 0) return false;
  const hk_joint_ops *ops = rd->spec->joints[joint].ops;
  if (coord < 0 && ops->ns == 1) coord = 0;
  *out = (hk_spec_coupled){joint, coord};
  if (coord >= 0 && coord < ops->ns) return true;
  snprintf(hint, sizeof hint, ops->ns ? "name one as joint.coordinate; it has: %s" : "it has none",
           ops->coords);
  hki_rd_error(rd, v->loc, hint, "%s: this joint has %s", item,
               ops->ns ? "several coordinates" : "no coordinate to couple");
  return false;
}

/* one entry of `joints` */
static bool read_joint(reading *r, const hk_node *v) {
  char item[300];
  hk_spec_coupled *a = &r->arg[r->n];
  snprintf(item, sizeof item, "%s '%s'", r->j->ops->name, r->j->name);
  if (!hki_rd_coupled(r->rd, r->s, v, "joints", item, a)) return false;
  r->sign[r->n++] = r->rd->joints[a->joint].sign[a->coord];
  return true;
}

static bool read_joints(reading *r) {
  const hk_node *list = hki_node_get(r->node, "joints");
  const hk_joint_ops *ops = r->j->ops;
  char what[160], found[64];
  if (!list) return true;
  if (list->kind != HK_NODE_SEQUENCE || list->count < ops->least || list->count > ops->most) {
    if (ops->least == ops->most)
      snprintf(what, sizeof what, "'joints' must be a list of %d joints, found %s", ops->least,
               hki_node_describe(list, found, sizeof found));
    else
      snprintf(what, sizeof what, "'joints' must be a list of %d to %d joints, found %s",
               ops->least, ops->most, hki_node_describe(list, found, sizeof found));
    return refuse(r, list->loc, "each is a joint, or joint.coordinate", what);
  }
  for (int32_t i = 0; i < list->count; i++) {
    if (!read_joint(r, list->items[i])) return false;
    for (int32_t k = 0; k < i; k++)
      if (r->arg[k].joint == r->arg[i].joint && r->arg[k].coord == r->arg[i].coord)
        return refuse(r, list->items[i]->loc, NULL, "the same coordinate stands twice in 'joints'");
  }
  return true;
}

/* the keys of the type's own table */
static bool read_numbers(reading *r) {
  hk_rd_signal_in in = {.rd = r->rd, .s = r->s, .node = r->node, .component = HK_NONE};
  bool ok = true;
  for (const hk_param *p = r->j->ops->params; p->type != HK_P_END; p++) {
    const hk_node *v = hki_node_get(r->node, p->name);
    if (p->offset < 0) continue;
    void *to = (char *)r->j->par + p->offset;
    if (p->type == HK_P_REALS)
      ok = (!v || hki_rd_reals(&in, v, p->name, to)) && ok;
    else if (p->type == HK_P_BOOL)
      ok = (!v || hki_rd_bool(r->rd, r->s, v, p->name, to)) && ok;
    else if (v)
      ok = hki_rd_ranged(r->rd, r->s, v, p, to) && ok;
    else
      *(double *)to = p->def;
  }
  return ok;
}

/* minus a function of the first coordinate, as signal `out`; text: in k0, that coordinate */
static bool function_of_first(reading *r, const hk_node *v, const char *text, hk_spec_signal *out) {
  hk_read *read = hki_pool_alloc(r->rd->spec->pool, sizeof *read);
  if (!read) return false;
  *read = (hk_read){.kind = HK_READ_CHANNEL,
                    .channel = {HK_CH_JOINT_COORD, (int16_t)r->arg[0].coord, r->arg[0].joint}};
  out->reads = read;
  out->nreads = 1;
  out->expr = hki_rd_expr_slots(r->rd, text, strlen(text), v->loc);
  return out->expr != NULL;
}

static bool read_polynomial(reading *r, const hk_node *v, hk_spec_signal *out) {
  const hk_reader *rd = r->rd;
  hk_text text;
  double a = 0.0;
  hki_text_init(&text, rd->ctx);
  // Horner's scheme, from the inside
  for (int32_t i = 0; i < v->count; i++) hki_text_add(&text, "(");
  hki_text_add(&text, "0");
  bool ok = true;
  for (int32_t i = v->count - 1; i >= 0 && ok; i--) {
    ok = hki_rd_number(r->rd, r->s, v->items[i], "polynomial", &a);
    hki_text_printf(&text, "*%sk0 - (%.17g))", r->sign[0] < 0 ? "(-1)*" : "", a);
  }
  ok = ok && text.s && function_of_first(r, v, text.s, out);
  hki_text_free(&text);
  return ok;
}

/* the table itself gives s2; the row has s2 - y, so that f is minus a signal of its own */
static bool read_table(reading *r, const hk_node *v, const char *name, hk_spec_signal *out) {
  hk_reader *rd = r->rd;
  hk_spec_signal curve = {.kind = HK_SIGNAL_TABLE, .loc = v->loc};
  const char *full = hki_pool_printf(rd->pool, "%s.table", name);
  hk_read *read = hki_pool_alloc(rd->spec->pool, sizeof *read);
  curve.table = hki_rd_table_of(rd, r->s, r->node, v, HK_NONE);
  if (!full || !read || !curve.table ||
      !function_of_first(r, v, r->sign[0] < 0 ? "-k0" : "k0", &curve))
    return false;
  const int32_t i = hki_rd_signal_new(rd, r->s, full, v->loc, false);
  if (i < 0) return false;
  curve.name = rd->signals[i].s.name;
  rd->signals[i].s = curve;
  rd->signals[i].state = HK_RD_DONE;
  *read = (hk_read){.kind = HK_READ_SIGNAL, .signal = i};
  out->reads = read;
  out->nreads = 1;
  out->expr = hki_rd_expr_slots(rd, "-k0", 3, v->loc);
  return out->expr != NULL;
}

/* f of a coupling that is not linear: signal in *signal; false after an error */
static bool read_function(reading *r, double *c, int32_t *signal) {
  hk_reader *rd = r->rd;
  static const char *const keys[] = {"expression", "polynomial", "table", "coefficients"};
  const hk_node *v = NULL;
  int32_t found = 0, kind = 0;
  char name[600], hint[160];
  double value;
  for (int32_t k = 0; k < HK_ARRAY_LEN(keys); k++)
    if (hki_node_get(r->node, keys[k])) v = hki_node_get(r->node, keys[k]), kind = k, found++;
  *signal = HK_NONE;
  const bool rates = r->j->ops->caps & HK_JOINT_RATES;
  if (found != 1)
    return refuse(r, r->node->loc, rates ? NULL : "coefficients, polynomial, table or expression",
                  "it must have exactly one definition");
  if (kind == 3) return true;
  snprintf(name, sizeof name, "joint.%s.%s", r->j->name, keys[kind]);
  if (kind == 0) {
    if (r->n)
      return refuse(r, v->loc, "leave out 'joints'", "an expression names its joints itself");
    if (!hki_rd_dynamic(rd, r->s, v, name, 1, &value, signal)) return false;
    return *signal != HK_NONE || refuse(r, v->loc, NULL, "its expression is constant");
  }
  snprintf(hint, sizeof hint, "joints: [first, second]");
  if (r->n != 2) return refuse(r, r->node->loc, hint, "a function relates two joints");
  hk_spec_signal out = {.loc = v->loc};
  const bool list = v->kind == HK_NODE_SEQUENCE;
  if (kind == 1 && (!list || !v->count || v->count > 30))
    return refuse(r, v->loc, NULL, "'polynomial' must be a list of at most 30 numbers");
  if (kind == 1 ? !read_polynomial(r, v, &out) : !read_table(r, v, name, &out)) return false;
  const int32_t i = hki_rd_signal_new(rd, r->s, name, v->loc, false);
  if (i < 0) return false;
  out.name = rd->signals[i].s.name;
  rd->signals[i].s = out;
  rd->signals[i].state = HK_RD_DONE;
  *signal = i;
  c[1] = 1.0;
  return true;
}

/* bit i: joint i has the body that the last joint moves */
static uint32_t carried(const reading *r) {
  const hk_spec_joint *all = r->rd->spec->joints;
  uint32_t bits = 0;
  const int32_t last = r->n ? all[r->arg[r->n - 1].joint].body[1] : HK_GROUND;
  for (int32_t i = 0; last != HK_GROUND && i < r->n - 1 && i < 32; i++) {
    const int32_t *body = all[r->arg[i].joint].body;
    if (body[0] == last || body[1] == last) bits |= 1u << i;
  }
  return bits;
}

/* the deviation of a coupling that gives way, as one more coordinate (reader_parts.c) */
static bool add_mesh(reading *r, hk_spec_coupling *out, hk_spec_coupled *arg, double *c) {
  char name[200];
  int32_t coord = -1;
  if (r->j->ops->caps & HK_JOINT_RATES)
    return refuse(r, r->node->loc, NULL, "a relation of rates cannot give way");
  if (out->nrows != 1 || r->n == HK_COUPLED)
    return refuse(r, r->node->loc, "write a coupling for each pair of joints",
                  "only one relation can give way");
  snprintf(name, sizeof name, "%s_mesh", r->rd->joints[r->j - r->rd->spec->joints].entry->key);
  const hk_node *node = hki_rd_scalar(r->rd, name, strlen(name), r->node->loc);
  const int32_t joint = node ? hki_rd_joint(r->rd, r->s, node, "joints", &coord) : -1;
  if (joint < 0) return false;
  arg[r->n] = (hk_spec_coupled){joint, 0};
  c[r->n] = -1.0;
  out->n = r->n + 1;
  return true;
}

void hki_rd_coupling_read(hk_reader *rd, int32_t i) {
  hk_spec_joint *j = &rd->spec->joints[i];
  const hk_node *node = rd->joints[i].entry->value, *active = hki_node_get(node, "active");
  reading r = {.rd = rd, .s = rd->joints[i].scope, .node = node, .j = j};
  const char *type = hki_node_text(hki_node_get(node, "type")), *wrong = NULL;
  const hk_param *const tables[] = {j->ops->params, hki_coupling_common_params, NULL};
  if (!(j->ops->caps & HK_JOINT_COUPLES) || !type || !hki_joint_known(rd->ctx, type)) return;
  if (hki_node_get(node, "friction")) {
    hki_rd_joint_friction(rd, r.s, hki_node_get(node, "friction"), i); // says why there is none
    return;
  }
  if (!hki_rd_check_keys(rd, node, tables, "joint", j->name)) return;
  j->body[0] = j->body[1] = HK_GROUND;
  if (!read_joints(&r) || !read_numbers(&r)) return;
  const size_t most = HK_COUPLED;
  double *c = hki_pool_alloc(rd->spec->pool, most * most * sizeof *c);
  double *c0 = hki_pool_alloc(rd->spec->pool, most * sizeof *c0);
  hk_spec_coupled *arg = hki_pool_alloc(rd->spec->pool, most * sizeof *arg);
  hk_spec_coupling *out = hki_pool_alloc(rd->spec->pool, sizeof *out);
  if (!c || !c0 || !arg || !out) return;
  memcpy(arg, r.arg, sizeof r.arg);
  for (int32_t k = 0; k < HK_COUPLED; k++) c0[k] = NAN;
  hk_couple rows = {.n = r.n, .c = c, .c0 = c0, .most = HK_COUPLED, .carried = carried(&r)};
  *out = (hk_spec_coupling){.n = r.n, .arg = arg, .c = c, .c0 = c0, .signal = HK_NONE};
  out->nrows = j->ops->couple(j->par, &rows, &wrong);
  if (wrong || out->nrows < 1) {
    refuse(&r, node->loc, NULL, wrong ? wrong : "it has no equation");
    return;
  }
  if (hki_params_find(j->ops->params, "expression")) {
    if (!read_function(&r, c, &out->signal)) return;
    if (out->signal != HK_NONE) c0[0] = 0.0;
  }
  for (int32_t k = 0; k < out->nrows * r.n; k++) c[k] *= r.sign[k % r.n];
  const hk_node *bounce = hki_node_get(node, "restitution");
  if (bounce && (!hki_node_find(node, "backlash") || hki_node_find(node, "stiffness"))) {
    refuse(&r, bounce->loc, NULL, "'restitution' belongs to a 'backlash' without 'stiffness'");
    return;
  }
  if (hki_rd_gives_way(node) && !add_mesh(&r, out, arg, c)) return;
  if (active) hki_rd_bool(rd, r.s, active, "active", &j->active);
  j->coupling = out;
}

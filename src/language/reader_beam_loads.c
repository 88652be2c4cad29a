/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_beam_loads.c: `loads` of a beam, forces q and moments m per length. They become the forces
 * BEAM_LOAD_i and torques BEAM_LOAD_i_moment at the nodes i by the interpolation N_i of the elements,
 * written as a model file would write them:
 *
 *   F_i = integral of N_i a q ds          a: factors `along` the beam, linear between them
 *
 * of a load that is the same all along 1/6, 2/3, 1/6 of q L on an element of three nodes, halves on one of two. Between
 * the places where a or its slope jumps the integral is that of a polynomial, by Gauss's rule of three points.
 */
#include <math.h>
#include <stdio.h>

#include "language/reader_beams.h"
#include "language/rows.h"

/* clang-format off */
const hk_param hki_keys_beam_load[] = {
    ROW("force", HK_P_ANY, 0, "force per length, three components, N/m: numbers, expressions or signals"),
    ROW("moment", HK_P_ANY, 0, "moment per length, three components, N"),
    CHOICE("axes", "world section", "axes of the components: world (default), or section: they turn with it, x along the beam"),
    BOUNDED("from", 0, 0.0, 0, 1, "1", "part of the beam's length where it begins"),
    BOUNDED("to", 0, 1.0, 0, 1, "1", "part of the beam's length where it ends"),
    ROW("along", HK_P_ANY, 0, "factors at equal distances from 'from' to 'to', linear between them: [1, 0.5, 0]"),
    ROW("offset", HK_P_ANY, 0, "place [y, z] in the section where the force acts, seen from the line of nodes, m"),
    HK_PARAM_END};
/* clang-format on */

/* a load while it is read */
typedef struct load {
  hk_reader *rd;
  hk_rd_scope *s;
  const hk_rd_chain *b;
  const hk_entry *e;
  double from, to, offset[2];
  int32_t n; /* factors */
  double *along;
  double *share; /* of each node, m */
} load;

static double factor(const load *q, double part) {
  if (q->n < 2) return q->n ? q->along[0] : 1.0;
  const double x = (part - q->from) / (q->to - q->from) * (q->n - 1);
  int32_t i = (int32_t)floor(x);
  i = i < 0 ? 0 : i > q->n - 2 ? q->n - 2 : i;
  return q->along[i] + (x - i) * (q->along[i + 1] - q->along[i]);
}

/* shares of the load between two parts of the length that lie in element k, where it is smooth */
static void add_piece(load *q, int32_t k, double from, double to) {
  static const double x[3] = {-0.77459666924148337704, 0.0, 0.77459666924148337704},
                      w[3] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
  const int32_t last = q->b->nbody - 1, step = q->b->nodes - 1;
  const double length = q->b->length;
  for (int g = 0; g < 3; g++) {
    const double part = 0.5 * (from + to) + 0.5 * (to - from) * x[g];
    const double xi = 2.0 * (part * last - k * step) / step - 1.0;
    const double f = w[g] * (to - from) * length * factor(q, part);
    const double N[3] = {step == 1 ? 0.5 * (1.0 - xi) : 0.5 * xi * (xi - 1.0),
                         step == 1 ? 0.5 * (1.0 + xi) : 1.0 - xi * xi, 0.5 * xi * (xi + 1.0)};
    for (int32_t i = 0; i < q->b->nodes; i++) q->share[k * step + i] += f * N[i];
  }
}

static void find_shares(load *q) {
  const int32_t last = q->b->nbody - 1, step = q->b->nodes - 1, pieces = q->n > 2 ? q->n - 1 : 1;
  for (int32_t k = 0; k * step < last; k++)
    for (int32_t i = 0; i < pieces; i++) {
      const double a = q->from + (q->to - q->from) * i / pieces;
      const double b = q->from + (q->to - q->from) * (i + 1) / pieces;
      const double from = fmax(a, (double)(k * step) / last),
                   to = fmin(b, (double)((k + 1) * step) / last);
      if (from < to) add_piece(q, k, from, to);
    }
}

/* component k of a load times a factor, as a text; false after reporting */
static hk_node *component(const hk_rd_push *q, const hk_node *v, int k, const char *key,
                          double by) {
  const bool list = v->kind == HK_NODE_SEQUENCE && v->count == 3;
  const hk_node *item = list ? v->items[k] : v;
  const char *text = hki_node_text(item);
  if (!text) {
    hki_rd_error(q->rd, v->loc, "name a signal under 'signals' and write its name here",
                 "'%s' of load '%s' of %s '%s' must be three numbers, expressions or signals", key,
                 q->e->key, q->kind, q->owner);
    return NULL;
  }
  // a name alone is that of a vector signal
  const char *all =
      hki_pool_printf(q->rd->pool, list ? "%.17g*(%s)" : "%.17g*%s.%c", by, text, "xyz"[k]);
  return all ? hki_rd_scalar(q->rd, all, strlen(all), item->loc) : NULL;
}

bool hki_rd_push(const hk_rd_push *q, const hk_node *v, const char *key, const char *node,
                 const char *suffix, const double *p, double by) {
  hk_reader *rd = q->rd;
  const bool moment = key[0] == 'm';
  hk_text text;
  hk_node *root = NULL;
  hki_text_init(&text, rd->ctx);
  hki_text_printf(&text, "%s\non: %s.%s\nat: [%.17g, %.17g, %.17g]\nvalue: [0, 0, 0]\n%s",
                  moment ? "type: torque" : "type: force", q->owner, node, p[0], p[1], p[2],
                  q->follow ? "axes: body\n" : "");
  hk_entry *e = hki_pool_alloc(rd->pool, sizeof *e);
  const char *name =
      hki_pool_printf(rd->pool, "%s_%s_%s%s", q->owner, q->e->key, suffix, moment ? "_moment" : "");
  const bool ok = e && name && text.s &&
                  hki_yaml_parse(rd->ctx, rd->pool, "", text.s, text.len, NULL, &root) == HK_OK;
  hki_text_free(&text);
  if (!ok) return false;
  hki_node_place(root, q->e->key_loc);
  hk_node *value = hki_node_get(root, "value");
  for (int k = 0; k < 3; k++)
    if (!(value->items[k] = component(q, v, k, key, by))) return false;
  *e = (hk_entry){.key = name, .key_loc = q->e->key_loc, .value = root};
  return hki_rd_force_entry(rd, q->s, e);
}

/* the force or torque at node i */
static bool add_force(const load *q, const hk_node *v, const char *key, int32_t i, bool follow) {
  const hk_rd_push push = {q->rd, q->s, q->e, "beam", q->b->e->key, follow};
  const hk_offset *at = &q->rd->spec->bodies[q->b->body0 + i].frame;
  const double y[3] = {0.0, q->s->map.mirrored ? -q->offset[0] : q->offset[0], q->offset[1]};
  char node[16];
  double d[3], p[3];
  m3_mulv(d, at->R, y);
  v3_add(d, d, at->p);
  v3_sub(d, d, q->s->map.p);
  m3_tmulv(p, q->s->map.S, d);
  snprintf(node, sizeof node, "%d", (int)i);
  return hki_rd_push(&push, v, key, node, node, p, q->share[i]);
}

static bool read_along(load *q, const hk_node *v) {
  const bool list = v->kind == HK_NODE_SEQUENCE && v->count > 1 && v->count <= HK_READER_PIECES;
  if (!list) {
    hki_rd_error(q->rd, v->loc, "along: [1, 0.5, 0]",
                 "'along' of load '%s' of beam '%s' must be a list of two or more numbers",
                 q->e->key, q->b->e->key);
    return false;
  }
  q->n = v->count;
  q->along = hki_pool_alloc(q->rd->pool, (size_t)q->n * sizeof *q->along);
  return q->along && hki_rd_numbers(q->rd, q->s, v, "along", q->n, q->along);
}

static bool read_load(load *q) {
  static const hk_param *const tables[] = {hki_keys_beam_load, NULL};
  static const char *const keys[] = {"force", "moment"};
  hk_reader *rd = q->rd;
  const hk_node *node = q->e->value;
  int32_t axes = 0;
  char who[160];
  snprintf(who, sizeof who, "load '%.60s' of beam", q->e->key);
  if (!hki_rd_good_name(rd, "load", q->e->key, q->e->key_loc, false) ||
      !hki_rd_check_keys(rd, node, tables, who, q->b->e->key))
    return false;
  const hk_node *choice = hki_node_get(node, "axes"), *along = hki_node_get(node, "along"),
                *offset = hki_node_get(node, "offset");
  if (!hki_rd_key_real(rd, q->s, node, hki_keys_beam_load, "from", &q->from) ||
      !hki_rd_key_real(rd, q->s, node, hki_keys_beam_load, "to", &q->to) ||
      (choice && !hki_rd_choice(rd, choice, "axes", "world section", &axes)) ||
      (offset && !hki_rd_numbers(rd, q->s, offset, "offset", 2, q->offset)))
    return false;
  if (!(q->from < q->to) || (!hki_node_get(node, "force") && !hki_node_get(node, "moment"))) {
    const bool empty = !(q->from < q->to);
    hki_rd_error(rd, node->loc,
                 empty ? "parts of the length, from the start" : "{force: [0, 0, -50]}",
                 empty ? "%s '%s' must end behind its beginning"
                       : "%s '%s' has neither 'force' nor 'moment'",
                 who, q->b->e->key);
    return false;
  }
  if (along && !read_along(q, along)) return false;
  find_shares(q);
  for (int k = 0; k < 2; k++) {
    const hk_node *v = hki_node_get(node, keys[k]);
    for (int32_t i = 0; v && i < q->b->nbody; i++)
      if (q->share[i] != 0.0 && !add_force(q, v, keys[k], i, axes == 1)) return false;
  }
  return true;
}

bool hki_rd_beam_loads(hk_reader *rd, hk_rd_scope *s, const hk_rd_chain *b) {
  const hk_node *loads = hki_node_get(b->e->value, "loads");
  char found[64];
  if (!loads) return true;
  if (loads->kind != HK_NODE_MAPPING) {
    hki_rd_error(rd, loads->loc, "loads: {wind: {force: [0, 0, -50]}}",
                 "'loads' of beam '%s' must be a mapping of names, found %s", b->e->key,
                 hki_node_describe(loads, found, sizeof found));
    return false;
  }
  for (int32_t i = 0; i < loads->count; i++) {
    load q = {.rd = rd, .s = s, .e = &loads->entries[i], .b = b};
    q.share = hki_pool_alloc(rd->pool, (size_t)b->nbody * sizeof *q.share);
    if (!q.share || !read_load(&q)) return false;
  }
  return true;
}

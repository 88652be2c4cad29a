/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_external.c: external forces. `fsi: {bodies: [wing.*], coupling: tight, peer: {unix: path}}` stands for six inputs
 * of each body, fsi_1_fx .. fsi_1_mz, and the forces fsi_1, fsi_1_moment .. that follow them, written as a model file
 * would write them. Who sets the inputs is a matter of the simulation (simulation/external.c): without a connection
 * they are zero.
 */
#include "language/reader_external.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "language/reader_beams.h"
#include "language/reader_covers.h"
#include "language/reader_streams.h"
#include "language/rows.h"
#include "mapping/mapping.h"

/* clang-format off */
const hk_param hki_keys_external[] = {
    ROW("bodies", HK_P_ANY, 0, "bodies that the other program sees and acts on: names, or patterns as wing.*"),
    ROW("surface", HK_P_TEXT, 0, "instead of 'bodies': a surface of the model, whose points it sees and acts on"),
    CHOICE("coupling", "previous loose tight", "previous (default): forces of the state before a step hold over it; loose: of the prediction; tight: of every iteration, until the other program has converged"),
    CHOICE("orientation", "matrix vector euler123 none", "what it sees of rotations: matrix (default), rotation vector, angles 123 in degrees, or none: then there are no moments"),
    {"accelerations", HK_P_BOOL, 0, HK_P_HAND, 0, 0, 0, "", NULL, "it sees accelerations too"},
    ROW("labels", HK_P_ANY, 0, "true: bodies and points are told with their numbers from 1 on, or the list of these: [101, 102]"),
    ROW("reference", HK_P_TEXT, 0, "a body in whose axes it sees the others and gives forces, and whose own motion it sees"),
    {"reference_label", HK_P_INT, 0, HK_P_HAND, 0, 0, 4294967295.0, "", NULL, "with labels: that of the reference body"},
    CHOICE("reference_forces", "rotated world unused", "the resultant that it gives at the reference body: in its axes (default), in those of the world, or not used; what is used acts on that body, less the resultant of the others"),
    {"at_start", HK_P_BOOL, 0, HK_P_HAND, 1, 0, 0, "", NULL, "false, with 'loose' and 'tight': it first sees the first step, and its forces at the start are zero"},
    CHOICE("relaxation", "newton aitken constant", "tight: how forces follow the answers of an iteration: quasi-Newton by least squares (default), Aitken's factor, or a constant one"),
    REAL("factor", HK_P_POSITIVE, 1, "1", "tight: of the first answer in a step; with 'constant' of all"),
    {"every", HK_P_INT, HK_P_POSITIVE, HK_P_HAND, 1, 1, 1000000, "", NULL, "previous: steps from one exchange to the next"},
    {"repeats", HK_P_BOOL, 0, HK_P_HAND, 0, 0, 0, "", NULL, "each try of a step is announced, and the other program can go back to its beginning; needed where events cut steps"},
    ROW("peer", HK_P_ANY, HK_P_REQUIRED, "where it connects: {unix: path} or {tcp: \"127.0.0.1:5500\"}"),
    {"listen", HK_P_BOOL, 0, HK_P_HAND, 1, 0, 0, "", NULL, "false: this side connects; left out: it waits for the other one"},
    REAL("timeout", HK_P_POSITIVE, 10, "s", "how long to wait for the other program, at the start and for an answer"),
    HK_PARAM_END};
const hk_param hki_keys_external_peer[] = {
    ROW("tcp", HK_P_TEXT, 0, "host:port, a connection"),
    ROW("unix", HK_P_TEXT, 0, "path of a UNIX socket"),
    HK_PARAM_END};
/* clang-format on */

static bool choose(hk_reader *rd, const hk_node *node, const char *key, int32_t *out) {
  const hk_node *v = hki_node_get(node, key);
  *out = 0;
  return !v || hki_rd_choice(rd, v, key, hki_params_find(hki_keys_external, key)->choices, out);
}

static bool flag(hk_reader *rd, const hk_node *node, const char *key, bool *out) {
  const hk_node *v = hki_node_get(node, key);
  return !v || hki_rd_bool(rd, rd->scopes[0], v, key, out);
}

static bool number(hk_reader *rd, const hk_node *node, const char *key, double *out) {
  return hki_rd_key_real(rd, rd->scopes[0], node, hki_keys_external, key, out);
}

static bool read_peer(hk_reader *rd, const hk_node *v, hk_spec_external *x) {
  static const hk_param *const tables[] = {hki_keys_external_peer, NULL};
  if (v->kind != HK_NODE_MAPPING) {
    hki_rd_error(rd, v->loc, "{unix: path}", "'peer' must be {unix: ..} or {tcp: ..}");
    return false;
  }
  if (!hki_rd_check_keys(rd, v, tables, "peer of", x->plan.name)) return false;
  const hk_node *tcp = hki_node_get(v, "tcp"), *path = hki_node_get(v, "unix");
  if (!tcp == !path) {
    hki_rd_error(rd, v->loc, NULL, "'peer' must have one of 'unix' and 'tcp'");
    return false;
  }
  const char *address = hki_rd_text(rd, tcp ? tcp : path, tcp ? "tcp" : "unix");
  x->plan.way = tcp ? HK_STREAM_TCP : HK_STREAM_UNIX;
  x->plan.address = address && *address ? hki_pool_strdup(rd->spec->pool, address) : NULL;
  return x->plan.address != NULL;
}

/* its bodies, or those of its surface */
static bool read_bodies(hk_reader *rd, const hk_node *node, hk_spec_external *x) {
  const hk_node *bodies = hki_node_get(node, "bodies"), *surface = hki_node_get(node, "surface");
  hk_rd_scope *root = rd->scopes[0];
  if (!bodies == !surface) {
    hki_rd_error(rd, node->loc, NULL, "'%s' must have 'bodies' or a 'surface'", x->plan.name);
    return false;
  }
  if (surface) {
    const char *name = hki_rd_text(rd, surface, "surface");
    const hk_node *all = hki_rd_first(rd, root, "surfaces");
    const hk_node *skin =
        name && all && all->kind == HK_NODE_MAPPING ? hki_node_get(all, name) : NULL;
    bodies = skin && skin->kind == HK_NODE_MAPPING ? hki_node_get(skin, "bodies") : NULL;
    if (!bodies) {
      hki_rd_error(rd, surface->loc, "write it under 'surfaces:'", "there is no surface '%.100s'",
                   name ? name : "");
      return false;
    }
    x->surface = hki_pool_strdup(rd->spec->pool, name);
    x->orientation = HK_EXTERNAL_NONE;
  }
  int32_t *list;
  if (!hki_rd_body_list(rd, root, bodies, "bodies", &list, &x->nbody)) return false;
  x->body = hki_pool_alloc(rd->spec->pool, (size_t)x->nbody * sizeof *x->body);
  if (!x->body) return false;
  memcpy(x->body, list, (size_t)x->nbody * sizeof *list);
  return true;
}

/* what does not go together */
static bool check(hk_reader *rd, const hk_node *node, const hk_spec_external *x) {
  static const struct {
    const char *key;
    int32_t coupling;
    const char *word;
  } only[] = {{"every", 0, "previous"}, {"relaxation", 2, "tight"}, {"factor", 2, "tight"}};
  for (int32_t i = 0; i < HK_ARRAY_LEN(only); i++) {
    const hk_node *v = hki_node_get(node, only[i].key);
    if (!v || (int32_t)x->coupling == only[i].coupling) continue;
    hki_rd_error(rd, v->loc, NULL, "'%s' belongs to the coupling '%s'", only[i].key, only[i].word);
    return false;
  }
  static const char *const of[] = {"reference_label", "reference_forces"};
  for (int32_t i = 0; i < HK_ARRAY_LEN(of); i++) {
    const hk_node *v = hki_node_get(node, of[i]);
    if (!v || (x->reference >= 0 && (i || x->labels))) continue;
    hki_rd_error(rd, v->loc, NULL, "'%s' belongs to a 'reference'%s", of[i],
                 i ? "" : " and 'labels'");
    return false;
  }
  if (x->late && !x->coupling) {
    hki_rd_error(rd, hki_node_get(node, "at_start")->loc, NULL,
                 "'at_start: false' belongs to the couplings 'loose' and 'tight'");
    return false;
  }
  const hk_node *o = hki_node_get(node, "orientation"), *a = hki_node_get(node, "accelerations");
  if (x->surface && (o || a)) {
    hki_rd_error(rd, (o ? o : a)->loc, NULL, "points of a surface have positions and velocities");
    return false;
  }
  return true;
}

/* true, or a list of whole numbers */
static bool read_labels(hk_reader *rd, const hk_node *v, hk_spec_external *x) {
  char what[64];
  if (!v) return true;
  x->label_loc = v->loc;
  if (v->kind != HK_NODE_SEQUENCE) return hki_rd_bool(rd, rd->scopes[0], v, "labels", &x->labels);
  uint32_t *label = hki_pool_alloc(rd->spec->pool, ((size_t)v->count + 1) * sizeof *label);
  double *list = hki_pool_alloc(rd->pool, ((size_t)v->count + 1) * sizeof *list);
  if (!label || !list || !hki_rd_numbers(rd, rd->scopes[0], v, "labels", v->count, list))
    return false;
  for (int32_t i = 0; i < v->count; i++) {
    if (!(list[i] >= 0.0 && list[i] <= UINT32_MAX) || list[i] != floor(list[i])) {
      hki_rd_error(rd, v->items[i]->loc, NULL, "a label is a whole number from 0 to 4294967295, %s",
                   hki_node_describe(v->items[i], what, sizeof what));
      return false;
    }
    label[i] = (uint32_t)list[i];
  }
  x->labels = true, x->label = label, x->nlabel = v->count;
  return true;
}

static bool read_reference(hk_reader *rd, const hk_node *node, hk_spec_external *x) {
  const hk_node *v = hki_node_get(node, "reference");
  double label;
  x->reference = -1;
  if (!number(rd, node, "reference_label", &label) ||
      !choose(rd, node, "reference_forces", &x->reference_forces))
    return false;
  x->reference_label = (uint32_t)label;
  if (!v) return true;
  x->reference = hki_rd_body(rd, rd->scopes[0], v, "reference");
  if (x->reference >= 0) return true;
  if (x->reference == HK_GROUND)
    hki_rd_error(rd, v->loc, "leave it out", "'reference': the ground does not move");
  return false;
}

static bool read_external(hk_reader *rd, const hk_entry *e, hk_spec_external *x) {
  static const hk_param *const tables[] = {hki_keys_external, NULL};
  static const int32_t orientation[] = {HK_EXTERNAL_MATRIX, HK_EXTERNAL_VECTOR, HK_EXTERNAL_EULER,
                                        HK_EXTERNAL_NONE};
  const hk_node *node = e->value;
  int32_t coupling, relax, turn;
  double every;
  bool at_start = true;
  *x = (hk_spec_external){.loc = e->key_loc, .plan = {.listen = true}};
  x->plan.name = hki_pool_strdup(rd->spec->pool, e->key);
  if (!x->plan.name || !hki_rd_good_name(rd, "external", e->key, e->key_loc, true) ||
      !hki_rd_check_keys(rd, node, tables, "external", e->key))
    return false;
  const hk_node *peer = hki_node_get(node, "peer");
  if (!peer || !choose(rd, node, "coupling", &coupling) ||
      !choose(rd, node, "relaxation", &relax) || !choose(rd, node, "orientation", &turn) ||
      !number(rd, node, "factor", &x->factor) || !number(rd, node, "every", &every) ||
      !number(rd, node, "timeout", &x->plan.timeout) ||
      !flag(rd, node, "accelerations", &x->accelerations) ||
      !flag(rd, node, "repeats", &x->repeats) || !flag(rd, node, "listen", &x->plan.listen) ||
      !flag(rd, node, "at_start", &at_start) || !read_labels(rd, hki_node_get(node, "labels"), x))
    return false;
  x->late = !at_start;
  x->coupling = coupling, x->relax = relax, x->every = (int32_t)every;
  x->orientation = orientation[turn];
  return read_peer(rd, peer, x) && read_bodies(rd, node, x) && read_reference(rd, node, x) &&
         check(rd, node, x);
}

/* inputs and forces of one body, as text; fsi_1 or fsi_reference */
static void write_body(hk_text *signals, hk_text *forces, const char *name, const char *body) {
  static const char *const of[] = {"fx", "fy", "fz", "mx", "my", "mz"};
  for (int c = 0; c < 6; c++) hki_text_printf(signals, "  %s_%s: {input: 0}\n", name, of[c]);
  for (int c = 0; c < 2; c++)
    hki_text_printf(forces, "  %s%s: {%s, on: '%s', value: [%s_%s, %s_%s, %s_%s]}\n", name,
                    c ? "_moment" : "", c ? "type: torque" : "type: force", body, name, of[3 * c],
                    name, of[3 * c + 1], name, of[3 * c + 2]);
}

static void write_parts(hk_text *signals, hk_text *forces, const hk_spec *spec,
                        const hk_spec_external *x) {
  char name[300];
  for (int32_t i = 0; i < x->nbody; i++) {
    snprintf(name, sizeof name, "%.250s_%d", x->plan.name, (int)i + 1);
    write_body(signals, forces, name, spec->bodies[x->body[i]].name);
  }
  if (x->reference < 0) return;
  snprintf(name, sizeof name, "%.250s_reference", x->plan.name);
  write_body(signals, forces, name, spec->bodies[x->reference].name);
}

/* a further document of the model */
static void add_document(hk_reader *rd, hk_text *text, hk_loc loc) {
  hk_rd_scope *root = rd->scopes[0];
  const hk_entry *e = hki_rd_part(rd, "external", loc, text);
  hk_node **docs = hki_pool_alloc(rd->pool, ((size_t)root->ndocs + 1) * sizeof *docs);
  if (!e || !docs) return;
  memcpy(docs, root->docs, (size_t)root->ndocs * sizeof *docs);
  docs[root->ndocs++] = e->value;
  root->docs = docs;
}

void hki_rd_external_register(hk_reader *rd) {
  hk_spec *spec = rd->spec;
  const hk_node *all = hki_rd_first(rd, rd->scopes[0], "external");
  if (!all || all->kind != HK_NODE_MAPPING) return;
  spec->externals = hki_pool_alloc(spec->pool, ((size_t)all->count + 1) * sizeof *spec->externals);
  if (!spec->externals) return;
  hk_text signals, forces;
  hki_text_init(&signals, rd->ctx);
  hki_text_init(&forces, rd->ctx);
  hki_text_add(&signals, "signals:\n");
  for (int32_t i = 0; i < all->count; i++) {
    const hk_entry *e = &all->entries[i];
    if (hki_rd_is_private(e->key)) continue;
    hk_spec_external *x = &spec->externals[spec->nexternals];
    if (!read_external(rd, e, x)) continue;
    spec->nexternals++;
    write_parts(&signals, &forces, spec, x);
  }
  if (spec->nexternals) {
    hki_text_add(&signals, "forces:\n");
    if (forces.s) hki_text_add(&signals, forces.s);
    add_document(rd, &signals, all->loc);
  } else {
    hki_text_free(&signals);
  }
  hki_text_free(&forces);
}

static int by_size(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

/* as many labels as there are nodes, each once */
static void finish_labels(hk_reader *rd, hk_spec_external *x, int32_t nodes) {
  uint32_t *sorted = hki_pool_alloc(rd->spec->pool, ((size_t)nodes + 1) * sizeof *sorted);
  if (!sorted) return;
  if (!x->label) {
    for (int32_t i = 0; i < nodes; i++) sorted[i] = (uint32_t)i + 1;
    x->label = sorted, x->nlabel = nodes;
    return;
  }
  if (x->nlabel != nodes) {
    hki_rd_error(rd, x->label_loc, NULL, "there are %d labels for %d %s", (int)x->nlabel,
                 (int)nodes, x->surface ? "points" : "bodies");
    return;
  }
  memcpy(sorted, x->label, (size_t)nodes * sizeof *sorted);
  qsort(sorted, (size_t)nodes, sizeof *sorted, by_size);
  for (int32_t i = 1; i < nodes; i++) {
    if (sorted[i] != sorted[i - 1]) continue;
    hki_rd_error(rd, x->label_loc, NULL, "the label %u is there twice", (unsigned)sorted[i]);
    return;
  }
}

void hki_rd_external_finish(hk_reader *rd) {
  hk_spec *spec = rd->spec;
  for (int32_t i = 0; i < spec->nexternals; i++) {
    hk_spec_external *x = &spec->externals[i];
    int32_t nodes = x->surface ? 0 : x->nbody;
    for (int32_t k = 0; x->surface && k < spec->ncovers; k++)
      if (strcmp(spec->covers[k].name, x->surface) == 0) nodes = spec->covers[k].map->npoint;
    if (x->labels && nodes) finish_labels(rd, x, nodes);
  }
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_external.c: external forces. `fsi: {bodies: [wing.*], coupling: tight, peer: {unix: path}}` stands for six inputs
 * of each body, fsi_1_fx .. fsi_1_mz, and the forces fsi_1, fsi_1_moment .. that follow them, written as a model file
 * would write them. Who sets the inputs is a matter of the simulation (simulation/external.c): without a connection
 * they are zero.
 */
#include "language/reader_external.h"

#include <string.h>

#include "language/reader_beams.h"
#include "language/reader_covers.h"
#include "language/reader_streams.h"
#include "language/rows.h"

/* clang-format off */
const hk_param hki_keys_external[] = {
    ROW("bodies", HK_P_ANY, 0, "bodies that the other program sees and acts on: names, or patterns as wing.*"),
    ROW("surface", HK_P_TEXT, 0, "instead of 'bodies': a surface of the model, whose points it sees and acts on"),
    CHOICE("coupling", "previous loose tight", "previous (default): forces of the state before a step hold over it; loose: of the prediction; tight: of every iteration, until the other program has converged"),
    CHOICE("orientation", "matrix vector euler123 none", "what it sees of rotations: matrix (default), rotation vector, angles 123 in degrees, or none: then there are no moments"),
    {"accelerations", HK_P_BOOL, 0, HK_P_HAND, 0, 0, 0, "", NULL, "with coupling 'previous': it sees accelerations too"},
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
  } only[] = {{"accelerations", 0, "previous"},
              {"every", 0, "previous"},
              {"relaxation", 2, "tight"},
              {"factor", 2, "tight"}};
  for (int32_t i = 0; i < HK_ARRAY_LEN(only); i++) {
    const hk_node *v = hki_node_get(node, only[i].key);
    if (!v || (int32_t)x->coupling == only[i].coupling) continue;
    hki_rd_error(rd, v->loc, NULL, "'%s' belongs to the coupling '%s'", only[i].key, only[i].word);
    return false;
  }
  const hk_node *o = hki_node_get(node, "orientation"), *a = hki_node_get(node, "accelerations");
  if (x->surface && (o || a)) {
    hki_rd_error(rd, (o ? o : a)->loc, NULL, "points of a surface have positions and velocities");
    return false;
  }
  return true;
}

static bool read_external(hk_reader *rd, const hk_entry *e, hk_spec_external *x) {
  static const hk_param *const tables[] = {hki_keys_external, NULL};
  static const int32_t orientation[] = {HK_EXTERNAL_MATRIX, HK_EXTERNAL_VECTOR, HK_EXTERNAL_EULER,
                                        HK_EXTERNAL_NONE};
  const hk_node *node = e->value;
  int32_t coupling, relax, turn;
  double every;
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
      !flag(rd, node, "repeats", &x->repeats) || !flag(rd, node, "listen", &x->plan.listen))
    return false;
  x->coupling = coupling, x->relax = relax, x->every = (int32_t)every;
  x->orientation = orientation[turn];
  return read_peer(rd, peer, x) && read_bodies(rd, node, x) && check(rd, node, x);
}

/* inputs and forces of one, as text */
static void write_parts(hk_text *signals, hk_text *forces, const hk_spec *spec,
                        const hk_spec_external *x) {
  static const char *const of[] = {"fx", "fy", "fz", "mx", "my", "mz"};
  const char *n = x->plan.name;
  for (int32_t i = 0; i < x->nbody; i++) {
    const int k = (int)i + 1;
    for (int c = 0; c < 6; c++) hki_text_printf(signals, "  %s_%d_%s: {input: 0}\n", n, k, of[c]);
    for (int c = 0; c < 2; c++)
      hki_text_printf(forces, "  %s_%d%s: {%s, on: '%s', value: [%s_%d_%s, %s_%d_%s, %s_%d_%s]}\n",
                      n, k, c ? "_moment" : "", c ? "type: torque" : "type: force",
                      spec->bodies[x->body[i]].name, n, k, of[3 * c], n, k, of[3 * c + 1], n, k,
                      of[3 * c + 2]);
  }
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

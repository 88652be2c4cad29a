/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_components.c: files and their includes, components and their instances, and the lookup of
 * bodies, joints and nodes by name inside an instance.
 *
 * An instance is a scope of its own: x_world = at + R M x with M the mirror and R the rotation,
 * both in the axes of the scope around it. Inside, bodies and nodes of the outside are known only
 * by the names that `connect` gives them.
 */
#include "language/reader_beams.h"
#include "language/reader_flexible.h"

#include <stdio.h>
#include <string.h>

enum { FILE_BYTES = 256 << 20 }; /* the most that a file may have */

/* --- files ------------------------------------------------------------------------------------ */

/* the files being read, innermost last */
typedef struct file_chain {
  const struct file_chain *outer;
  int32_t file;
} file_chain;

typedef struct loader {
  hk_reader *rd;
  hk_node **docs;
  int32_t ndocs, cap, depth;
} loader;

static bool load_doc(loader *l, const char *path, hk_loc from, const char *text, size_t len,
                     const file_chain *outer);

/* sections that hold named items, and the settings of the run, must be mappings */
static void check_sections(hk_reader *rd, const hk_node *doc) {
  static const char *const sections[] = {
      "parameters", "points",      "frames",   "components", "instances", "bodies", "joints",
      "forces",     "signals",     "markers",  "events",     "start",     "nodes",  "network",
      "laws",       "controllers", "beams",    "servo",      "cables",    "belts",  "shells",
      "membranes",  "flexible",    "surfaces", "external"};
  const hk_node *run = hki_node_get(doc, "run");
  char found[64];
  if (run && run->kind != HK_NODE_MAPPING && run->kind != HK_NODE_NULL)
    hki_rd_error(rd, run->loc, "write it as {time: 1, step: 0.01}",
                 "'run' must be a mapping, found %s", hki_node_describe(run, found, sizeof found));
  for (int32_t i = 0; i < HK_ARRAY_LEN(sections); i++) {
    const hk_entry *e = hki_node_find(doc, sections[i]);
    if (!e || e->value->kind == HK_NODE_MAPPING || e->value->kind == HK_NODE_NULL) continue;
    hki_rd_error(rd, e->value->loc, "write it as 'name: {...}' entries",
                 "'%s' must be a mapping of names, found %s", e->key,
                 hki_node_describe(e->value, found, sizeof found));
  }
}

/* a.yaml -> b.yaml -> a.yaml */
static void report_include_cycle(hk_reader *rd, hk_loc loc, const file_chain *at, int32_t file) {
  char *chain = hki_pool_strdup(rd->pool, hki_ctx_file_name(rd->ctx, file));
  for (; at && chain; at = at->outer) {
    chain = hki_pool_printf(rd->pool, "%s -> %s", hki_ctx_file_name(rd->ctx, at->file), chain);
    if (at->file == file) break;
  }
  hki_rd_error(rd, loc, NULL, "files include each other in a circle: %s", chain ? chain : "");
}

static bool load_include(loader *l, const hk_node *node, const file_chain *here) {
  hk_reader *rd = l->rd;
  char found[64];
  if (!hki_node_text(node)) {
    hki_rd_error(rd, node->loc, NULL, "'include' must be a file name or a list of them, found %s",
                 hki_node_describe(node, found, sizeof found));
    return false;
  }
  const char *path = hki_rd_path(rd, node->loc, node->text);
  int32_t file = path ? hki_ctx_file(rd->ctx, path) : -1;
  for (const file_chain *c = here; c; c = c->outer) {
    if (c->file != file) continue;
    report_include_cycle(rd, node->loc, here, file);
    return false;
  }
  if (l->depth >= HK_READER_NESTING || l->ndocs >= 1000) {
    hki_rd_error(rd, node->loc, NULL, "includes are nested deeper than %d files",
                 HK_READER_NESTING);
    return false;
  }
  /* a file that two others include is taken once */
  for (int32_t i = 0; i < l->ndocs; i++) {
    if (l->docs[i]->loc.file == file) return true;
  }
  char *text = NULL;
  size_t len = 0;
  if (!path || hki_rd_file(rd, HK_FILE_MODEL, path, node->loc, FILE_BYTES, &text, &len))
    return false;
  l->depth++;
  bool ok = load_doc(l, path, node->loc, text, len, here);
  l->depth--;
  hki_free(rd->ctx, text);
  return ok;
}

/* put a mapping into the list and follow its includes */
static bool add_doc(loader *l, hk_node *doc, const file_chain *here) {
  hk_reader *rd = l->rd;
  bool ok = true;
  if (!HK_GROW(rd->ctx, l->docs, l->cap, l->ndocs + 1)) return false;
  l->docs[l->ndocs++] = doc;
  check_sections(rd, doc);
  const hk_node *inc = hki_node_get(doc, "include");
  if (!inc || inc->kind == HK_NODE_NULL) return true;
  if (inc->kind != HK_NODE_SEQUENCE) return load_include(l, inc, here);
  for (int32_t i = 0; i < inc->count && !hki_rd_enough(rd); i++) {
    ok = load_include(l, inc->items[i], here) && ok;
  }
  return ok;
}

/* the version of the language */
static bool check_version(hk_reader *rd, const hk_node *doc, bool needed) {
  const hk_node *v = hki_node_get(doc, "hooke");
  char found[64];
  if (!v && !needed) return true;
  if (!v) {
    hki_rd_error(rd, doc->loc, "begin the file with 'hooke: 1'",
                 "this is not a model file: the key 'hooke' is missing");
    return false;
  }
  if (hki_node_is(v, "1")) return true;
  hki_rd_error(rd, v->loc, "this program reads version 1", "'hooke' must be 1, found %s",
               hki_node_describe(v, found, sizeof found));
  return false;
}

/* the tree of a file; `from`: where the file was asked for */
static bool take_doc(loader *l, hk_node *doc, hk_loc from, const file_chain *outer) {
  static const hk_param *const model[] = {hki_keys_model, NULL};
  static const hk_param *const part[] = {hki_keys_component_file, NULL};
  hk_reader *rd = l->rd;
  char found[64];
  if (doc->kind != HK_NODE_MAPPING) {
    hki_rd_error(rd, doc->loc, "begin the file with 'hooke: 1'",
                 "a model file must be a mapping of keys, found %s",
                 hki_node_describe(doc, found, sizeof found));
    return false;
  }
  bool main = !outer && from.file < 0, component = !outer && !main;
  if (!check_version(rd, doc, main)) return false;
  hki_rd_check_keys(rd, doc, component ? part : model, component ? "component file" : "the model",
                    NULL);
  file_chain here = {outer, doc->loc.file};
  return add_doc(l, doc, &here);
}

static bool load_doc(loader *l, const char *path, hk_loc from, const char *text, size_t len,
                     const file_chain *outer) {
  hk_node *doc = NULL;
  if (hki_yaml_parse(l->rd->ctx, l->rd->pool, path, text, len, NULL, &doc)) return false;
  return take_doc(l, doc, from, outer);
}

/* hand the list over to the reader's pool */
static bool keep_docs(loader *l, bool ok, hk_node ***docs, int32_t *ndocs) {
  *docs = NULL;
  *ndocs = 0;
  if (ok && l->ndocs) {
    *docs = hki_pool_alloc(l->rd->pool, (size_t)l->ndocs * sizeof **docs);
    if (*docs) {
      memcpy(*docs, l->docs, (size_t)l->ndocs * sizeof **docs);
      *ndocs = l->ndocs;
    }
  }
  hki_free(l->rd->ctx, l->docs);
  return *docs != NULL;
}

bool hki_rd_load(hk_reader *rd, const char *path, hk_loc from, const char *text, size_t len,
                 hk_node ***docs, int32_t *ndocs) {
  loader l = {.rd = rd};
  bool ok = load_doc(&l, path, from, text, len, NULL);
  return keep_docs(&l, ok || l.ndocs > 0, docs, ndocs);
}

bool hki_rd_take(hk_reader *rd, hk_node *doc, hk_node ***docs, int32_t *ndocs) {
  loader l = {.rd = rd};
  bool ok = take_doc(&l, doc, HK_LOC_NONE, NULL);
  return keep_docs(&l, ok || l.ndocs > 0, docs, ndocs);
}

/* --- components ------------------------------------------------------------------------------- */

static void register_components(hk_reader *rd, hk_rd_scope *s) {
  hk_rd_walk w = {0};
  for (hk_entry *e; (e = hki_rd_next_raw(rd, s, "components", &w));) {
    int32_t at = 0;
    hk_rd_component *c = hki_pool_alloc(rd->pool, sizeof *c);
    if (!c || !HK_GROW(rd->ctx, rd->components, rd->components_cap, rd->ncomponents + 1)) return;
    if (!hki_rd_good_name(rd, "component", e->key, e->key_loc, false)) continue;
    c->name = hki_rd_full_name(rd, s, e->key);
    c->node = e->value;
    c->home = s;
    if (!c->name) return;
    if (!hki_names_add(rd->component_names, c->name, rd->ncomponents, &at)) {
      if (at < 0) return; // out of memory
      hki_rd_error(rd, e->key_loc, NULL, "component '%s' is defined twice", e->key);
      continue;
    }
    rd->components[rd->ncomponents++] = c;
  }
}

/* load a component's mapping or file, once */
static bool load_component(hk_reader *rd, hk_rd_component *c) {
  static const hk_param *const tables[] = {hki_keys_component, NULL};
  if (c->loaded) return c->ndocs > 0;
  c->loaded = true;
  c->broken = true;
  if (!hki_rd_check_keys(rd, c->node, tables, "component", c->name)) return false;
  const hk_node *file = hki_node_get(c->node, "file");
  bool ok = false;
  if (!file) {
    loader l = {.rd = rd};
    file_chain here = {NULL, c->node->loc.file};
    ok = add_doc(&l, c->node, &here);
    ok = keep_docs(&l, ok, &c->docs, &c->ndocs);
  } else if (c->node->count > 1) {
    hki_rd_error(rd, c->node->loc, "move the other keys into the file",
                 "component '%s' has 'file' and other keys", c->name);
  } else if (file = hki_rd_resolve(rd, c->home, (hk_node *)file), !hki_node_text(file)) {
    hki_rd_error(rd, file->loc, NULL, "'file' must be a file name");
  } else {
    const char *path = hki_rd_path(rd, file->loc, file->text);
    char *text = NULL;
    size_t len = 0;
    if (!path || hki_rd_file(rd, HK_FILE_MODEL, path, file->loc, FILE_BYTES, &text, &len)) {
      return false;
    }
    ok = hki_rd_load(rd, path, file->loc, text, len, &c->docs, &c->ndocs);
    hki_free(rd->ctx, text);
  }
  c->broken = !ok;
  return ok;
}

static hk_rd_component *find_component(hk_reader *rd, const hk_rd_scope *s, const hk_node *node) {
  char full[512], hint[160], found[64];
  const char *name = hki_node_text(node);
  if (!name) {
    hki_rd_error(rd, node->loc, NULL, "'component' must be a component's name, found %s",
                 hki_node_describe(node, found, sizeof found));
    return NULL;
  }
  for (const hk_rd_scope *k = s; k; k = k->parent) {
    snprintf(full, sizeof full, "%s%s", k->prefix, name);
    int32_t i = hki_names_find(rd->component_names, full);
    if (i >= 0) return rd->components[i];
  }
  hk_nearest near;
  hki_nearest_init(&near, name);
  for (int32_t i = 0; i < rd->ncomponents; i++) hki_nearest_try(&near, rd->components[i]->name);
  hki_rd_error(rd, node->loc, hki_rd_did_you_mean(&near, hint, sizeof hint),
               "there is no component '%.100s'", name);
  return NULL;
}

/* --- instances -------------------------------------------------------------------------------- */

bool hki_rd_scope_skip(const hk_rd_scope *s) {
  for (; s; s = s->parent) {
    if (s->component && s->component->broken) return true;
  }
  return false;
}

/* x, y, z or several of them: "xy", [x, y] */
static bool read_mirror(hk_reader *rd, const hk_node *node, double *M) {
  char found[64];
  bool good = true;
  v3_set(M, 1, 1, 1);
  for (int32_t i = 0; i < (node->kind == HK_NODE_SEQUENCE ? node->count : 1); i++) {
    const hk_node *n = node->kind == HK_NODE_SEQUENCE ? node->items[i] : node;
    const char *w = hki_node_text(n);
    if (!w) w = n->kind == HK_NODE_NULL ? "" : "?";
    if (strcmp(w, "none") == 0) continue;
    for (; *w && good; w++) {
      good = *w >= 'x' && *w <= 'z' && M[*w - 'x'] > 0.0;
      if (good) M[*w - 'x'] = -1.0;
    }
  }
  if (good) return true;
  hki_rd_error(rd, node->loc, "mirror: y turns y into -y",
               "'mirror' must be x, y, z or a list of them, found %s",
               hki_node_describe(node, found, sizeof found));
  return false;
}

static bool instance_cycle(hk_reader *rd, const hk_rd_scope *outer, const hk_rd_component *c,
                           hk_loc loc) {
  int32_t depth = 0;
  for (const hk_rd_scope *k = outer; k; k = k->parent, depth++) {
    if (k->component != c) continue;
    hki_rd_error(rd, loc, NULL, "component '%s' contains itself, in '%s'", c->name, k->name);
    return true;
  }
  if (depth > HK_READER_NESTING || rd->nscopes >= HK_READER_SCOPES) {
    hki_rd_error(rd, loc, NULL,
                 depth > HK_READER_NESTING ? "components are nested deeper than %d"
                                           : "more than %d instances",
                 depth > HK_READER_NESTING ? HK_READER_NESTING : HK_READER_SCOPES);
    return true;
  }
  return false;
}

static void make_instance(hk_reader *rd, hk_rd_scope *outer, const hk_entry *e) {
  static const hk_param *const tables[] = {hki_keys_instance, NULL};
  if (!hki_rd_good_name(rd, "instance", e->key, e->key_loc, true)) return;
  if (!hki_rd_check_keys(rd, e->value, tables, "instance", e->key)) return;
  const hk_node *which = hki_node_get(e->value, "component");
  hk_rd_component *c = which ? find_component(rd, outer, which) : NULL;
  if (!c || instance_cycle(rd, outer, c, which->loc) || !load_component(rd, c)) return;

  hk_rd_scope *s = hki_pool_alloc(rd->pool, sizeof *s);
  if (!s || !HK_GROW(rd->ctx, rd->scopes, rd->scopes_cap, rd->nscopes + 1)) return;
  s->parent = outer;
  s->name = e->key;
  s->prefix = hki_pool_printf(rd->pool, "%s%s.", outer->prefix, e->key);
  s->loc = e->key_loc;
  s->component = c;
  s->docs = c->docs;
  s->ndocs = c->ndocs;
  s->depth = outer->depth + 1;
  s->connect = hki_node_get(e->value, "connect");
  hk_node *params = hki_node_get(e->value, "parameters");
  const hk_node *mirror = hki_node_get(e->value, "mirror");
  if (!s->prefix || strlen(s->prefix) > 400) {
    hki_rd_error(rd, e->key_loc, NULL, "the name of this instance is too long");
    return;
  }
  if (params && params->kind != HK_NODE_MAPPING) params = NULL;
  if (s->connect && s->connect->kind != HK_NODE_MAPPING) {
    hki_rd_error(rd, s->connect->loc, "connect: {name inside: body outside}",
                 "'connect' must be a mapping of body names");
    s->connect = NULL;
  }
  double M[3] = {1, 1, 1};
  if (mirror) read_mirror(rd, mirror, M);
  hki_rd_place_keys(rd, outer, e->value, mirror ? M : NULL, &s->map);
  rd->scopes[rd->nscopes++] = s;
  hki_rd_params_register(rd, s, params, outer);
  hki_rd_scope_build(rd, s);
}

void hki_rd_scope_build(hk_reader *rd, hk_rd_scope *s) {
  hk_names *seen = hki_names_create(rd->ctx);
  hk_rd_walk w = {0};
  int32_t at, errors = hki_error_count(rd->ctx);
  if (!seen) return;
  if (!s->parent) hki_rd_params_register(rd, s, NULL, NULL);
  hki_rd_frames_register(rd, s);
  hki_rd_laws_register(rd, s);
  register_components(rd, s);
  for (hk_entry *e; (e = hki_rd_next(rd, s, "instances", &w));) {
    if (hki_names_add(seen, e->key, 0, &at)) {
      make_instance(rd, w.scope, e);
    } else if (at >= 0) {
      hki_rd_error(rd, e->key_loc, NULL, "instance '%s' is defined twice", e->key);
    }
  }
  if (s->component && hki_error_count(rd->ctx) > errors) s->component->broken = true;
  hki_names_destroy(seen);
}

/* --- names of bodies and joints --------------------------------------------------------------- */

/* index in a table of full names, or -1 */
static int32_t find_local(const hk_names *names, const hk_rd_scope *s, const char *name) {
  char full[1024];
  if ((size_t)snprintf(full, sizeof full, "%s%s", s->prefix, name) >= sizeof full) return -1;
  return hki_names_find(names, full);
}

enum { NOT_FOUND = -2 };

int32_t hki_rd_body_find(hk_reader *rd, hk_rd_scope *s, const char *name) {
  if (strcmp(name, "ground") == 0) return HK_GROUND;
  int32_t i = find_local(rd->spec->body_names, s, name);
  if (i >= 0) return i;
  hk_entry *e = s->connect && s->parent ? hki_node_find(s->connect, name) : NULL;
  if (!e) return hki_rd_beam_at(rd, s, name);
  e->used = true;
  /* an outside body that does not exist has been reported by hki_rd_connect_check */
  i = hki_node_text(e->value) ? hki_rd_body_find(rd, s->parent, e->value->text) : HK_GROUND;
  return i == NOT_FOUND ? HK_GROUND : i;
}

int32_t hki_rd_node_find(hk_reader *rd, hk_rd_scope *s, const char *name) {
  if (strcmp(name, "ground") == 0) return HK_GROUND;
  int32_t i = find_local(rd->spec->node_names, s, name);
  if (i >= 0) return i;
  hk_entry *e = s->connect && s->parent ? hki_node_find(s->connect, name) : NULL;
  if (!e || !hki_node_text(e->value)) return NOT_FOUND;
  e->used = true;
  return hki_rd_node_find(rd, s->parent, e->value->text);
}

void hki_rd_connect_check(hk_reader *rd, hk_rd_scope *s) {
  for (int32_t i = 0; s->connect && i < s->connect->count; i++) {
    const hk_entry *e = &s->connect->entries[i];
    const char *name = hki_node_text(e->value);
    if (name && hki_rd_node_find(rd, s->parent, name) >= 0) continue;
    hki_rd_body(rd, s->parent, e->value, e->key);
  }
}

/* names of a spec's list as seen from a scope */
static void suggest_names(hk_nearest *near, const hk_rd_scope *s, const char *full) {
  size_t n = strlen(s->prefix);
  if (strncmp(full, s->prefix, n) == 0) hki_nearest_try(near, full + n);
}

/* the text of a node that names a thing of this kind, "body"; NULL after reporting that it does not */
static const char *name_of(hk_reader *rd, const hk_node *node, const char *what, const char *kind,
                           hk_nearest *near) {
  char found[64];
  const char *name = hki_node_text(node);
  if (name) hki_nearest_init(near, name);
  if (!name)
    hki_rd_error(rd, node->loc, NULL, "'%s' must be a %s's name, found %s", what, kind,
                 hki_node_describe(node, found, sizeof found));
  return name;
}

/* reports a name that nothing has; `instead`: the hint where no name is near, or NULL */
static int32_t no_such(hk_reader *rd, const hk_node *node, const char *kind, const hk_nearest *near,
                       const char *instead) {
  char hint[240];
  const char *near_hint = hki_rd_did_you_mean(near, hint, sizeof hint);
  hki_rd_error(rd, node->loc, near_hint ? near_hint : instead, "there is no %s '%.100s'", kind,
               node->text);
  return NOT_FOUND;
}

int32_t hki_rd_body(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *what) {
  hk_nearest near;
  const char *name = name_of(rd, node, what, "body", &near);
  int32_t i = name ? hki_rd_body_find(rd, s, name) : NOT_FOUND;
  if (i != NOT_FOUND || !name || hki_rd_beam_no_node(rd, s, node) ||
      hki_rd_flexible_no_face(rd, s, node))
    return i;
  hki_nearest_try(&near, "ground");
  for (int32_t k = 0; k < rd->spec->nbodies; k++) suggest_names(&near, s, rd->spec->bodies[k].name);
  for (int32_t k = 0; s->connect && k < s->connect->count; k++) {
    hki_nearest_try(&near, s->connect->entries[k].key);
  }
  return no_such(rd, node, "body", &near,
                 s->parent ? "a body outside the component comes in by the instance's 'connect'"
                           : NULL);
}

int32_t hki_rd_node(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *what) {
  hk_nearest near;
  const char *name = name_of(rd, node, what, "node", &near);
  int32_t i = name ? hki_rd_node_find(rd, s, name) : NOT_FOUND;
  if (i != NOT_FOUND || !name) return i;
  hki_nearest_try(&near, "ground");
  for (int32_t k = 0; k < rd->spec->nnodes; k++) suggest_names(&near, s, rd->spec->nodes[k].name);
  return no_such(rd, node, "node", &near, NULL);
}

/* "slider.position": a joint and one of its scalar coordinates */
static int32_t find_joint_coord(hk_reader *rd, hk_rd_scope *s, const char *name, int32_t *coord) {
  const char *dot = name;
  while ((dot = strchr(dot, '.'))) {
    char *joint = hki_pool_strndup(rd->pool, name, (size_t)(dot - name));
    int32_t i = joint ? find_local(rd->spec->joint_names, s, joint) : -1;
    dot++;
    if (i < 0) continue;
    *coord = hki_word_find(rd->spec->joints[i].ops->coords, dot);
    if (*coord >= 0 && *coord < rd->spec->joints[i].ops->ns) return i;
  }
  return -1;
}

/* reports "joint.coordinate" where the joint exists and the coordinate does not; true when so */
static bool unknown_coord(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *name) {
  const char *dot = strrchr(name, '.');
  char hint[240];
  char *joint = dot ? hki_pool_strndup(rd->pool, name, (size_t)(dot - name)) : NULL;
  int32_t i = joint ? find_local(rd->spec->joint_names, s, joint) : -1;
  if (i < 0) return false;
  const char *coords = rd->spec->joints[i].ops->coords;
  snprintf(hint, sizeof hint, coords && *coords ? "it has: %s" : "it has none", coords);
  hki_rd_error(rd, node->loc, hint, "joint '%.100s' has no coordinate '%.60s'", joint, dot + 1);
  return true;
}

int32_t hki_rd_joint(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *what,
                     int32_t *coord) {
  hk_nearest near;
  const char *name = name_of(rd, node, what, "joint", &near);
  if (!name) return NOT_FOUND;
  if (coord) *coord = -1;
  int32_t i = find_local(rd->spec->joint_names, s, name);
  if (i < 0 && coord) i = find_joint_coord(rd, s, name, coord);
  if (i >= 0) return i;
  if (coord && unknown_coord(rd, s, node, name)) return NOT_FOUND;
  if (hki_rd_body_find(rd, s, name) != NOT_FOUND) {
    hki_rd_error(rd, node->loc, "this is a body; give a joint", "there is no joint '%.100s'", name);
    return NOT_FOUND;
  }
  for (int32_t k = 0; k < rd->spec->njoints; k++) suggest_names(&near, s, rd->spec->joints[k].name);
  return no_such(rd, node, "joint", &near, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_core.c: the order in which a model file is read, and helpers for all parts of the reader:
 * sections, keys against tables, names, paths.
 */
#include "formats/tree.h"
#include "language/model_reader.h"
#include "language/reader_fmus.h"
#include "language/reader_beams.h"
#include "language/reader_flexible.h"
#include "language/reader_shells.h"
#include "language/reader_streams.h"
#include "language/reader_covers.h"
#include "language/reader_external.h"
#include "language/words.h"

#include <stdio.h>
#include <string.h>

#define MAX_BYTES ((size_t)256 << 20)

/* out of memory: what was registered may be incomplete, nothing more can be read */
static bool no_memory(const hk_reader *rd) { return hki_memory_failures(rd->ctx) > rd->failures0; }

bool hki_rd_enough(const hk_reader *rd) {
  return no_memory(rd) || hki_error_count(rd->ctx) - rd->errors0 >= HK_READER_ERRORS;
}

/* --- keys ------------------------------------------------------------------------------------- */

const char *hki_rd_did_you_mean(const hk_nearest *near, char *buf, size_t cap) {
  const char *best = hki_nearest_result(near);
  if (!best) return NULL;
  snprintf(buf, cap, "did you mean '%s'?", best);
  return buf;
}

const char *hki_rd_word_hint(const char *word, const hk_nearest *near, char *buf, size_t cap) {
  const char *text = hki_foreign_find(word);
  if (text) {
    snprintf(buf, cap, "%s", text);
    return buf;
  }
  return hki_rd_did_you_mean(near, buf, cap);
}

static bool in_tables(const hk_param *const *tables, const char *key) {
  for (; *tables; tables++) {
    for (const hk_param *p = *tables; p->type != HK_P_END; p++) {
      if (strcmp(p->name, key) == 0) return true;
    }
  }
  return false;
}

/* The table's key nearest to a wrong one, or NULL. A table has few keys, so the search is more
 * tolerant than hki_nearest: one letter is added to both words, which lets words of five letters
 * differ in two and words of eight in three. */
static const char *near_key(const hk_param *const *tables, const char *key) {
  const char *best = NULL;
  int32_t distance = INT32_MAX;
  char word[64], candidate[64];
  snprintf(word, sizeof word, "%s#", key);
  for (int32_t t = 0; tables[t]; t++) {
    for (const hk_param *p = tables[t]; p->type != HK_P_END; p++) {
      /* the first letters of a key count as near */
      size_t n = strlen(key);
      if (n >= 3 && strncmp(p->name, key, n) == 0) return p->name;
      hk_nearest near;
      hki_nearest_init(&near, word);
      snprintf(candidate, sizeof candidate, "%s#", p->name);
      hki_nearest_try(&near, candidate);
      if (!hki_nearest_result(&near) || near.best_distance >= distance) continue;
      best = p->name;
      distance = near.best_distance;
    }
  }
  return best;
}

/* the key of a block that stands beside it: `mu: 0.3` where `friction: {mu: 0.3}` is meant */
static bool belongs_inside(const hk_param *const *tables, const char *key) {
  const hk_param *const inner[] = {hki_keys_friction, NULL};
  return in_tables(tables, "friction") && in_tables(inner, key);
}

/* "did you mean", else how Hooke does what other programs call so, else all keys */
static const char *key_hint(const hk_param *const *tables, const char *key, char *buf, size_t cap) {
  if (belongs_inside(tables, key)) {
    snprintf(buf, cap, "write it inside 'friction': friction: {%s: ...}", key);
    return buf;
  }
  const char *near = strlen(key) < 40 ? near_key(tables, key) : NULL;
  if (near) {
    snprintf(buf, cap, "did you mean '%s'?", near);
    return buf;
  }
  const char *elsewhere = hki_foreign_find(key);
  if (elsewhere) {
    snprintf(buf, cap, "%s", elsewhere);
    return buf;
  }
  size_t n = (size_t)snprintf(buf, cap, "its keys are");
  for (int32_t t = 0; tables[t]; t++) {
    for (const hk_param *p = tables[t]; p->type != HK_P_END; p++) {
      if (n < cap) n += (size_t)snprintf(buf + n, cap - n, " %s", p->name);
    }
  }
  return n < cap ? buf : NULL;
}

bool hki_rd_is_private(const char *key) {
  return key[0] == '.' || strncmp(key, "x-", 2) == 0 || strcmp(key, "$schema") == 0;
}

bool hki_rd_check_keys(hk_reader *rd, const hk_node *node, const hk_param *const *tables,
                       const char *what, const char *name) {
  char buf[400], found[64], who[160];
  if (name && *name) {
    snprintf(who, sizeof who, "%s '%.100s'", what, name);
  } else {
    snprintf(who, sizeof who, "%s", what);
  }
  if (!node || node->kind != HK_NODE_MAPPING) {
    hki_rd_error(rd, node ? node->loc : HK_LOC_NONE, "write it as {key: value, ...}",
                 "%s must be a mapping, found %s", who,
                 hki_node_describe(node, found, sizeof found));
    return false;
  }
  for (int32_t i = 0; i < node->count && !hki_rd_enough(rd); i++) {
    const hk_entry *e = &node->entries[i];
    if (in_tables(tables, e->key) || hki_rd_is_private(e->key)) continue;
    hki_rd_error(rd, e->key_loc, key_hint(tables, e->key, buf, sizeof buf),
                 "%s has no key '%.100s'", who, e->key);
  }
  bool complete = true;
  for (; *tables; tables++) {
    for (const hk_param *p = *tables; p->type != HK_P_END; p++) {
      if (!(p->flags & HK_P_REQUIRED) || hki_node_find(node, p->name)) continue;
      hki_rd_error(rd, node->loc, p->text, "%s needs the key '%s'", who, p->name);
      complete = false;
    }
  }
  return complete;
}

/* --- sections --------------------------------------------------------------------------------- */

hk_node *hki_rd_first_raw(hk_rd_scope *s, const char *key) {
  for (int32_t i = 0; i < s->ndocs; i++) {
    hk_node *v = hki_node_get(s->docs[i], key);
    if (v && v->kind != HK_NODE_NULL) return v;
  }
  return NULL;
}

hk_node *hki_rd_first(hk_reader *rd, hk_rd_scope *s, const char *key) {
  hk_node *v = hki_rd_first_raw(s, key);
  return v ? hki_rd_resolve(rd, s, v) : NULL;
}

/* --- names and paths -------------------------------------------------------------------------- */

bool hki_rd_good_name(hk_reader *rd, const char *what, const char *name, hk_loc loc,
                      bool first_letter) {
  const char *bad = NULL;
  for (const char *c = name; *c && !bad; c++) {
    bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || *c == '_';
    bool digit = *c >= '0' && *c <= '9';
    if (!letter && !(digit && (c > name || !first_letter))) bad = c;
  }
  if (strlen(name) > 200) {
    hki_rd_error(rd, loc, NULL, "the name '%.40s...' is longer than 200 characters", name);
    return false;
  }
  if (!bad) return true;
  const char *hint = *bad == '.'   ? "dots tell the items of an instance apart: instance.item"
                     : *bad == '-' ? "use '_': in expressions '-' means minus"
                                   : "names are made of letters, digits and '_'";
  hki_rd_error(rd, loc, hint, "'%s' cannot be the name of a %s", name, what);
  return false;
}

const char *hki_rd_full_name(hk_reader *rd, const hk_rd_scope *s, const char *name) {
  return hki_pool_printf(rd->spec->pool, "%s%s", s->prefix, name);
}

bool hki_rd_group_add(hk_reader *rd, const hk_spec_group *g) {
  hk_spec *spec = rd->spec;
  if (!HK_GROW(rd->ctx, spec->groups, rd->groups_cap, spec->ngroups + 1)) return false;
  spec->groups[spec->ngroups++] = *g;
  return true;
}

/* names of the elements on several markers and of groups, for signals that read their channels */
static void name_wide(hk_reader *rd) {
  hk_spec *s = rd->spec;
  int32_t at; // names that are there twice are reported with the others
  for (int32_t i = 0; i < s->nwide; i++)
    (void)hki_names_add(s->wide_names, s->wide[i].name, i, &at);
  for (int32_t i = 0; i < s->ngroups; i++)
    (void)hki_names_add(s->wide_names, s->groups[i].name, s->nwide + i, &at);
}

const char *hki_rd_path(hk_reader *rd, hk_loc loc, const char *path) {
  const char *base = loc.file >= 0 ? hki_ctx_file_name(rd->ctx, loc.file) : NULL;
  const char *slash = base ? strrchr(base, '/') : NULL;
  if (!slash || path[0] == '/') return hki_pool_strdup(rd->spec->pool, path);
  return hki_pool_printf(rd->spec->pool, "%.*s/%s", (int)(slash - base), base, path);
}

/* --- the passes ------------------------------------------------------------------------------- */

typedef void (*scope_pass)(hk_reader *rd, hk_rd_scope *s);
typedef void (*item_pass)(hk_reader *rd, int32_t i);

/* an error inside a component is reported for its first instance only */
static void mark_broken(hk_reader *rd, hk_rd_scope *s, int32_t errors) {
  if (s->component && hki_error_count(rd->ctx) > errors) s->component->broken = true;
}

static void run_scopes(hk_reader *rd, scope_pass pass) {
  for (int32_t i = 0; i < rd->nscopes && !hki_rd_enough(rd); i++) {
    int32_t n = hki_error_count(rd->ctx);
    if (hki_rd_scope_skip(rd->scopes[i])) continue;
    pass(rd, rd->scopes[i]);
    mark_broken(rd, rd->scopes[i], n);
  }
}

/* likewise an error inside a repeated item for the first of them only: they stand side by side */
static void run_items(hk_reader *rd, item_pass pass, const hk_rd_side *side, int32_t n) {
  const hk_entry *broken = NULL;
  for (int32_t i = 0; i < n && !hki_rd_enough(rd); i++) {
    int32_t errors = hki_error_count(rd->ctx);
    if (hki_rd_scope_skip(side[i].scope) || (broken && side[i].family == broken)) continue;
    pass(rd, i);
    mark_broken(rd, side[i].scope, errors);
    if (hki_error_count(rd->ctx) > errors) broken = side[i].family;
  }
}

static void read_signals(hk_reader *rd) {
  /* anonymous signals, added during the loop, are read where they are written */
  const hk_entry *broken = NULL;
  for (int32_t i = 0, n = rd->nsignals; i < n && !hki_rd_enough(rd); i++) {
    int32_t errors = hki_error_count(rd->ctx);
    hk_rd_scope *s = rd->signals[i].scope;
    const hk_entry *family = rd->signals[i].family;
    if (hki_rd_scope_skip(s) || (broken && family == broken)) continue;
    hki_rd_signal_read(rd, i);
    mark_broken(rd, s, errors);
    if (hki_error_count(rd->ctx) > errors) broken = family;
  }
}

static void read_all(hk_reader *rd) {
  hk_spec *spec = rd->spec;
  // without its types most of a model would be called wrong
  if (!hki_rd_modules_read(rd)) return;
  hki_rd_general_read(rd);
  hki_rd_params_check(rd);
  hki_rd_frames_check(rd);
  hki_rd_laws_check(rd);

  /* all names, so that anything may refer to anything */
  run_scopes(rd, hki_rd_bodies_register);
  run_scopes(rd, hki_rd_beams_register);
  run_scopes(rd, hki_rd_cables_register);
  run_scopes(rd, hki_rd_flexible_register);
  run_scopes(rd, hki_rd_shells_register);
  run_scopes(rd, hki_rd_nodes_register);
  run_scopes(rd, hki_rd_connect_check);
  hki_rd_external_register(rd);
  run_scopes(rd, hki_rd_joints_register);
  run_scopes(rd, hki_rd_servos_register);
  run_scopes(rd, hki_rd_markers_register);
  run_scopes(rd, hki_rd_forces_register);
  run_scopes(rd, hki_rd_belts_register);
  run_scopes(rd, hki_rd_network_register);
  run_scopes(rd, hki_rd_signals_register);
  run_scopes(rd, hki_rd_controllers_register);
  name_wide(rd);

  /* contents; later ones look at earlier ones */
  run_items(rd, hki_rd_body_read, rd->bodies, spec->nbodies);
  run_items(rd, hki_rd_marker_read, rd->markers, spec->nmarkers);
  hki_rd_covers_read(rd);
  hki_rd_external_finish(rd);
  read_signals(rd);
  run_items(rd, hki_rd_joint_read, rd->joints, spec->njoints);
  run_items(rd, hki_rd_coupling_read, rd->joints, spec->njoints);
  run_items(rd, hki_rd_servo_read, rd->joints, spec->njoints);
  run_items(rd, hki_rd_node_read, rd->nodes, spec->nnodes);
  run_items(rd, hki_rd_force_read, rd->forces, spec->nforces);
  run_items(rd, hki_rd_limits_read, rd->joints, spec->njoints);
  hki_rd_fields_read(rd);
  hki_rd_flexible_finish(rd);
  run_scopes(rd, hki_rd_events_read);
  run_scopes(rd, hki_rd_start_read);
  hki_rd_run_read(rd);
  hki_rd_inverse_read(rd);
  hki_rd_streams_read(rd);
  hki_rd_analyses_read(rd);
  hki_rd_signals_finish(rd);
  hki_rd_streams_finish(rd);
  hki_rd_fmus_read(rd);
}

/* --- beginning and end ------------------------------------------------------------------------ */

static bool reader_init(hk_reader *rd, hk_ctx *ctx, const hk_set *sets, int32_t nsets) {
  *rd = (hk_reader){.ctx = ctx, .sets = sets, .nsets = nsets, .errors0 = hki_error_count(ctx)};
  rd->failures0 = hki_memory_failures(ctx);
  rd->spec = hki_spec_create(ctx);
  rd->pool = hki_pool_create(ctx);
  rd->params.names = hki_names_create(ctx);
  rd->points.names = hki_names_create(ctx);
  rd->frames.names = hki_names_create(ctx);
  rd->laws.names = hki_names_create(ctx);
  rd->component_names = hki_names_create(ctx);
  rd->signal_names = hki_names_create(ctx);
  rd->set_used = hki_alloc(ctx, (size_t)(nsets + 1) * sizeof *rd->set_used);
  return rd->spec && rd->pool && rd->params.names && rd->points.names && rd->frames.names &&
         rd->laws.names && rd->component_names && rd->signal_names && rd->set_used;
}

void *hki_rd_to_pool(hk_reader *rd, void *list, int32_t n, size_t size) {
  void *copy = n ? hki_pool_alloc(rd->spec->pool, (size_t)n * size) : NULL;
  if (copy) memcpy(copy, list, (size_t)n * size);
  hki_free(rd->ctx, list);
  return copy;
}

static void reader_free(hk_reader *rd) {
  hk_spec *s = rd->spec;
  if (s) {
    s->bodies = hki_rd_to_pool(rd, s->bodies, s->nbodies, sizeof *s->bodies);
    s->joints = hki_rd_to_pool(rd, s->joints, s->njoints, sizeof *s->joints);
    s->forces = hki_rd_to_pool(rd, s->forces, s->nforces, sizeof *s->forces);
    s->wide = hki_rd_to_pool(rd, s->wide, s->nwide, sizeof *s->wide);
    s->groups = hki_rd_to_pool(rd, s->groups, s->ngroups, sizeof *s->groups);
    s->skins = hki_rd_to_pool(rd, s->skins, s->nskins, sizeof *s->skins);
    s->covers = hki_rd_to_pool(rd, s->covers, s->ncovers, sizeof *s->covers);
    s->markers = hki_rd_to_pool(rd, s->markers, s->nmarkers, sizeof *s->markers);
    s->nodes = hki_rd_to_pool(rd, s->nodes, s->nnodes, sizeof *s->nodes);
    s->events = hki_rd_to_pool(rd, s->events, s->nevents, sizeof *s->events);
    s->limits = hki_rd_to_pool(rd, s->limits, s->nlimits, sizeof *s->limits);
    s->starts = hki_rd_to_pool(rd, s->starts, s->nstarts, sizeof *s->starts);
    s->shapes = hki_rd_to_pool(rd, s->shapes, s->nshapes, sizeof *s->shapes);
    s->files = hki_rd_to_pool(rd, s->files, s->nfiles, sizeof *s->files);
    s->settings = hki_rd_to_pool(rd, s->settings, s->nsettings, sizeof *s->settings);
  }
  hki_free(rd->ctx, rd->bodies);
  hki_free(rd->ctx, rd->joints);
  hki_free(rd->ctx, rd->forces);
  hki_free(rd->ctx, rd->markers);
  hki_free(rd->ctx, rd->nodes);
  hki_free(rd->ctx, rd->scopes);
  hki_free(rd->ctx, rd->params.items);
  hki_free(rd->ctx, rd->points.items);
  hki_free(rd->ctx, rd->frames.items);
  hki_free(rd->ctx, rd->laws.items);
  hki_free(rd->ctx, rd->components);
  hki_free(rd->ctx, rd->signals);
  hki_free(rd->ctx, rd->set_used);
  hki_names_destroy(rd->params.names);
  hki_names_destroy(rd->points.names);
  hki_names_destroy(rd->frames.names);
  hki_names_destroy(rd->laws.names);
  hki_names_destroy(rd->component_names);
  hki_names_destroy(rd->signal_names);
  hki_pool_destroy(rd->pool);
}

/* names of the instances, without the dots that end their prefixes */
static bool list_instances(hk_reader *rd) {
  hk_spec *spec = rd->spec;
  spec->instances = hki_pool_alloc(spec->pool, (size_t)rd->nscopes * sizeof *spec->instances);
  for (int32_t i = 1; spec->instances && i < rd->nscopes; i++) {
    const char *prefix = rd->scopes[i]->prefix;
    const char *name = hki_pool_strndup(spec->pool, prefix, strlen(prefix) - 1);
    if (!name) return false;
    spec->instances[spec->ninstances++] = name;
  }
  return spec->instances != NULL;
}

/* copies the values of --set into the spec */
static bool keep_sets(hk_reader *rd) {
  hk_spec *spec = rd->spec;
  spec->sets = hki_pool_alloc(spec->pool, (size_t)(rd->nsets + 1) * sizeof *spec->sets);
  for (int32_t i = 0; spec->sets && i < rd->nsets; i++) {
    spec->sets[i] = (hk_set){hki_pool_strdup(spec->pool, rd->sets[i].name),
                             hki_pool_strdup(spec->pool, rd->sets[i].value)};
    if (!spec->sets[i].name || !spec->sets[i].value) return false;
    spec->nsets++;
  }
  return spec->sets != NULL;
}

/* the root of the scopes; NULL: out of memory */
static hk_rd_scope *add_root(hk_reader *rd, const char *name) {
  hk_rd_scope *root = hki_pool_alloc(rd->pool, sizeof *root);
  if (!root || !HK_GROW(rd->ctx, rd->scopes, rd->scopes_cap, 1)) return NULL;
  root->name = root->prefix = "";
  hki_rd_map_identity(&root->map);
  rd->scopes[rd->nscopes++] = root;
  rd->spec->path = hki_pool_strdup(rd->spec->pool, name);
  return rd->spec->path && keep_sets(rd) ? root : NULL;
}

/* the model, from the documents of the root */
static bool read_docs(hk_reader *rd, hk_rd_scope *root) {
  root->loc = root->docs[0]->loc;
  rd->spec->source = hki_node_hash(root->docs[0], 1);
  hki_rd_scope_build(rd, root);
  read_all(rd);
  return list_instances(rd);
}

static bool read_text(hk_reader *rd, const char *name, const char *text, size_t len) {
  hk_rd_scope *root = add_root(rd, name);
  rd->spec->text = hki_pool_strndup(rd->spec->pool, text, len);
  return root && rd->spec->text &&
         hki_rd_load(rd, name, HK_LOC_NONE, text, len, &root->docs, &root->ndocs) &&
         read_docs(rd, root);
}

/* `file`: where relative paths of the program start */
static bool read_tree(hk_reader *rd, const char *name, const hk_node *tree, int32_t file) {
  hk_rd_scope *root = add_root(rd, name);
  hk_node *doc = NULL;
  hk_text text;
  if (!root || file < 0 || hki_tree_give(rd->ctx, rd->pool, tree, file, &doc)) return false;
  // results hold the model as the file that it might have been
  hki_text_init(&text, rd->ctx);
  hki_yaml_write(doc, &text);
  if (!text.failed)
    rd->spec->text = hki_pool_strndup(rd->spec->pool, text.s ? text.s : "", text.len);
  hki_text_free(&text);
  return rd->spec->text && hki_rd_take(rd, doc, &root->docs, &root->ndocs) && read_docs(rd, root);
}

/* --- the interface ---------------------------------------------------------------------------- */

/* the text of a model once more, with what was given from outside then and now */
static hk_spec *read_again(hk_ctx *ctx, const hk_spec *spec, const hk_set *sets, int32_t nsets) {
  const int32_t n = spec->nsets + nsets;
  hk_set *all = hki_alloc(ctx, ((size_t)n + 1) * sizeof *all);
  if (!all) return NULL;
  for (int32_t i = 0; i < n; i++) all[i] = i < spec->nsets ? spec->sets[i] : sets[i - spec->nsets];
  hk_spec *out = hki_model_read_text(ctx, spec->path, spec->text, strlen(spec->text), all, n);
  hki_free(ctx, all);
  return out;
}

/* what was read, when nothing was wrong with it */
static hk_spec *finish(hk_reader *rd, bool ok) {
  hk_ctx *ctx = rd->ctx;
  if (hki_rd_enough(rd) && !no_memory(rd))
    hki_note(ctx, HK_LOC_NONE, "too many errors, the rest was not read");
  reader_free(rd);
  if (rd->spec) rd->spec->again = read_again;
  if (ok && hki_error_count(ctx) == rd->errors0) return rd->spec;
  if (rd->spec) hki_spec_destroy(rd->spec);
  return NULL;
}

hk_spec *hki_model_read_text(hk_ctx *ctx, const char *name, const char *text, size_t len,
                             const hk_set *sets, int32_t nsets) {
  hk_reader rd;
  return finish(&rd, reader_init(&rd, ctx, sets, nsets) && read_text(&rd, name, text, len));
}

hk_spec *hki_model_read_tree(hk_ctx *ctx, const char *name, const hk_node *tree, int32_t file,
                             const hk_set *sets, int32_t nsets) {
  hk_reader rd;
  return finish(&rd, reader_init(&rd, ctx, sets, nsets) && read_tree(&rd, name, tree, file));
}

hk_spec *hki_model_read(hk_ctx *ctx, const char *path, const hk_set *sets, int32_t nsets) {
  char *text = NULL;
  size_t len = 0;
  if (hki_read_file(ctx, path, HK_LOC_NONE, MAX_BYTES, &text, &len)) return NULL;
  hk_spec *spec = hki_model_read_text(ctx, path, text, len, sets, nsets);
  hki_free(ctx, text);
  return spec;
}

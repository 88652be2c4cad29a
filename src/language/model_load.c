/* SPDX-License-Identifier: Apache-2.0
 *
 * model_load.c: the public functions that load models.
 */
#include <stdio.h>
#include <string.h>

#include "formats/tree.h"
#include "language/model_reader.h"
#include "model/model.h"

/* the first error's status, or a plain one */
static hk_status first_error(const hk_ctx *ctx, int32_t from) {
  for (int32_t i = from; i < hk_ctx_message_count(ctx); i++)
    if (hk_ctx_message(ctx, i)->severity == HK_ERROR) return hk_ctx_message(ctx, i)->code;
  return HK_E_MODEL;
}

/* the reason why the arguments cannot be used, NULL when they can */
static const char *wrong(const hk_ctx *ctx, const char *path, const hk_set *sets, int32_t nsets,
                         hk_model **out) {
  if (out) *out = NULL;
  if (!hki_is(ctx, HK_MARK_CTX)) return "no context";
  if (!out) return "no place for the model";
  if (!path) return "no path or name";
  if (!hki_is_list(sets, nsets)) return "the list of parameters does not fit its count";
  for (int32_t i = 0; i < nsets; i++)
    if (!sets[i].name || !sets[i].value) return "a parameter without name or value";
  return NULL;
}

/* what a model is made from: a text, a tree, or the file of its name */
typedef struct source {
  const char *name, *text;
  size_t len;
  const hk_node *tree;
  int32_t file; /* of what a program made in the tree */
} source;

static hk_spec *read_source(hk_ctx *ctx, const source *s, const hk_set *sets, int32_t nsets) {
  if (s->tree) return hki_model_read_tree(ctx, s->name, s->tree, s->file, sets, nsets);
  if (s->text) return hki_model_read_text(ctx, s->name, s->text, s->len, sets, nsets);
  return hki_model_read(ctx, s->name, sets, nsets);
}

static hk_status load(hk_ctx *ctx, const source *s, const hk_set *sets, int32_t nsets,
                      hk_model **out) {
  const int32_t from = hk_ctx_message_count(ctx), failures = hki_memory_failures(ctx);
  const char *phase = hki_phase(ctx, "reading the model");
  hk_spec *spec = read_source(ctx, s, sets, nsets);
  if (spec) *out = hki_model_compile(spec);
  hki_phase(ctx, phase);
  if (*out) return HK_OK;
  // errors after memory ran out are consequences of it
  return hki_memory_failures(ctx) > failures ? HK_E_MEMORY : first_error(ctx, from);
}

hk_status hk_model_load(hk_ctx *ctx, const char *path, const hk_set *sets, int32_t nsets,
                        hk_model **out) {
  const char *why = wrong(ctx, path, sets, nsets, out);
  if (why) return hki_misuse(ctx, "hk_model_load", why);
  return load(ctx, &(source){.name = path}, sets, nsets, out);
}

hk_status hk_model_parse(hk_ctx *ctx, const char *text, size_t len, const char *name,
                         const hk_set *sets, int32_t nsets, hk_model **out) {
  const char *why = wrong(ctx, name, sets, nsets, out);
  if (!why && !text) why = "no text";
  if (why) return hki_misuse(ctx, "hk_model_parse", why);
  return load(ctx, &(source){.name = name, .text = text, .len = len}, sets, nsets, out);
}

/* the path of what a call made, for messages */
static void say_path(const void *root, hk_loc loc, char *buf, size_t cap) {
  hki_tree_path(root, loc, buf, cap);
}

/* "(program)" in the folder of a name, as a file of the context; -1: no memory */
static int32_t program_file(hk_ctx *ctx, const char *name) {
  const char *slash = strrchr(name, '/');
  hk_text text;
  hki_text_init(&text, ctx);
  if (slash) hki_text_addn(&text, name, (size_t)(slash - name) + 1);
  hki_text_add(&text, HK_PROGRAM);
  const int32_t file = text.failed ? -1 : hki_ctx_file(ctx, text.s);
  hki_text_free(&text);
  return file;
}

hk_status hk_model_build(hk_ctx *ctx, const hk_node *root, const char *name, const hk_set *sets,
                         int32_t nsets, hk_model **out) {
  const hk_tree_node *t = hki_tree(root);
  if (t && t->ctx == ctx && !name)
    name = hki_tree_of_program(root) ? HK_PROGRAM : hki_ctx_file_name(ctx, root->loc.file);
  const char *why = wrong(ctx, name ? name : HK_PROGRAM, sets, nsets, out);
  if (!why && !t) why = "no tree";
  if (!why && t->ctx != ctx) why = "the tree belongs to another context";
  if (why) return hki_misuse(ctx, "hk_model_build", why);
  const source s = {.name = name, .tree = root, .file = program_file(ctx, name)};
  if (s.file < 0) return HK_E_MEMORY;
  hki_ctx_say_places(ctx, s.file, say_path, root);
  const hk_status st = load(ctx, &s, sets, nsets, out);
  hki_ctx_say_places(ctx, -1, NULL, NULL);
  return st;
}

uint64_t hk_model_hash(const hk_model *m) { return hki_is(m, HK_MARK_MODEL) ? m->hash : 0; }

const char *hk_model_text(const hk_model *m) {
  return hki_is(m, HK_MARK_MODEL) ? m->spec->text : NULL;
}

void hk_model_release(hk_model *m) {
  if (hki_is(m, HK_MARK_MODEL)) hki_model_release(m);
}

const char *hk_model_title(const hk_model *m) {
  return hki_is(m, HK_MARK_MODEL) ? m->spec->title : NULL;
}

const char *hk_model_setting(const hk_model *m, const char *section, const char *key, int32_t i) {
  if (!hki_is(m, HK_MARK_MODEL) || !section || !key || i < 0) return NULL;
  for (int32_t k = 0; k < m->spec->nsettings; k++) {
    const hk_spec_setting *s = &m->spec->settings[k];
    if (!strcmp(s->section, section) && !strcmp(s->key, key)) return i < s->n ? s->values[i] : NULL;
  }
  return NULL;
}

const char *hk_model_path(const hk_model *m) {
  return hki_is(m, HK_MARK_MODEL) ? m->spec->path : NULL;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * model_reader.h: a model file -> a spec. The reader resolves includes, parameters, frames,
 * components with their instances and mirroring, and reports every fault it finds with file, line
 * and column before it gives up.
 */
#ifndef HK_LANGUAGE_MODEL_READER_H
#define HK_LANGUAGE_MODEL_READER_H

#include "formats/yaml.h"
#include "model/spec.h"

/* Read a model. sets[nsets] are parameter values from the command line; a name is "name" or
 * "instance.name", a value may be an expression. NULL after errors, which are in the context:
 * HK_E_FILE, HK_E_MODEL, or HK_E_USAGE for a wrong `sets`. */
hk_spec *hki_model_read(hk_ctx *ctx, const char *path, const hk_set *sets, int32_t nsets);

/* the same for a text; `name` is its file name in messages, and relative paths start from its
 * folder */
hk_spec *hki_model_read_text(hk_ctx *ctx, const char *name, const char *text, size_t len,
                             const hk_set *sets, int32_t nsets);

/* the same for a tree that a program has built (formats/tree.h); what the program made is placed in the
 * context's file of number `file` */
hk_spec *hki_model_read_tree(hk_ctx *ctx, const char *name, const hk_node *tree, int32_t file,
                             const hk_set *sets, int32_t nsets);

/* the files besides the main one that a model was read from, as JSON (docs/results-format.md) */
void hki_model_files(const hk_spec *spec, hk_text *out);

/* the JSON schema (draft 7) of model files, made from the tables the reader reads by */
void hki_model_schema(hk_text *out);

#endif

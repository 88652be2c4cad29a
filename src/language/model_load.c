/* SPDX-License-Identifier: Apache-2.0
 *
 * model_load.c: the public functions that load models.
 */
#include <stdio.h>
#include <string.h>

#include "hooke/model.h"
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

static hk_status load(hk_ctx *ctx, const char *path, const char *text, size_t len,
                      const hk_set *sets, int32_t nsets, hk_model **out) {
  const int32_t from = hk_ctx_message_count(ctx), failures = hki_memory_failures(ctx);
  const char *phase = hki_phase(ctx, "reading the model");
  hk_spec *spec = text ? hki_model_read_text(ctx, path, text, len, sets, nsets)
                       : hki_model_read(ctx, path, sets, nsets);
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
  return load(ctx, path, NULL, 0, sets, nsets, out);
}

hk_status hk_model_parse(hk_ctx *ctx, const char *text, size_t len, const char *name,
                         const hk_set *sets, int32_t nsets, hk_model **out) {
  const char *why = wrong(ctx, name, sets, nsets, out);
  if (!why && !text) why = "no text";
  if (why) return hki_misuse(ctx, "hk_model_parse", why);
  return load(ctx, name, text, len, sets, nsets, out);
}

void hk_model_release(hk_model *m) {
  if (hki_is(m, HK_MARK_MODEL)) hki_model_release(m);
}

const char *hk_model_title(const hk_model *m) {
  return hki_is(m, HK_MARK_MODEL) ? m->spec->title : NULL;
}

const char *hk_model_path(const hk_model *m) {
  return hki_is(m, HK_MARK_MODEL) ? m->spec->path : NULL;
}

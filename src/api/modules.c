/* SPDX-License-Identifier: Apache-2.0
 *
 * modules.c: the public functions that load modules.
 */
#include "base/argument.h"
#include "hooke/module.h"
#include "modules/modules.h"

hk_status hk_module_load(hk_ctx *ctx, const char *path) {
  if (!hki_is(ctx, HK_MARK_CTX)) return hki_misuse(NULL, "hk_module_load", "no context");
  if (!path) return hki_misuse(ctx, "hk_module_load", "no path");
  return hki_module_load(ctx, HK_LOC_NONE, path);
}

hk_status hk_module_add(hk_ctx *ctx, const hk_plugin *plugin) {
  if (!hki_is(ctx, HK_MARK_CTX)) return hki_misuse(NULL, "hk_module_add", "no context");
  if (!plugin) return hki_misuse(ctx, "hk_module_add", "no entry of a module");
  return hki_module_add(ctx, HK_LOC_NONE, plugin, "a module of the program");
}

hk_status hk_module_folder(hk_ctx *ctx, const char *folder) {
  if (!hki_is(ctx, HK_MARK_CTX)) return hki_misuse(NULL, "hk_module_folder", "no context");
  return hki_module_folder(ctx, folder) ? HK_OK : HK_E_MEMORY;
}

const char *hk_module_name(const hk_ctx *ctx, int32_t i) {
  return hki_is(ctx, HK_MARK_CTX) ? hki_extend_at(ctx, HK_EXTEND_MODULE, i) : NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * hooke/module.h: load run-time modules, which bring types of their own (hooke/plugin.h).
 *
 * Modules belong to a context: its models may use what they bring. A module runs code of its own, so
 * that nothing is loaded unless the program asks for it: models name modules under `modules:`, and
 * these are looked for among those that are loaded, then in the folders given here and in those of
 * the environment variable HOOKE_MODULES.
 */
#ifndef HOOKE_MODULE_H
#define HOOKE_MODULE_H

#include "hooke/base.h"
#include "hooke/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Load a module. One of the same name that is there already stays, and nothing happens.
 * @param ctx the context, which keeps it until it ends
 * @param path the shared library
 * @return HK_OK; HK_E_FILE (not there, not a shared library of this machine); HK_E_MODEL (no module,
 *         of another version, or with a mistake). The context then holds the words, and nothing of the
 *         module stays. */
HK_API hk_status hk_module_load(hk_ctx *ctx, const char *path);

/** Bring the types of a module that is part of the program itself.
 * @param ctx the context
 * @param plugin its entry, which must live as long as the context
 * @return as hk_module_load() */
HK_API hk_status hk_module_add(hk_ctx *ctx, const hk_plugin *plugin);

/** A folder in which modules that models name are looked for, as NAME.so or libNAME.so.
 * @param ctx the context
 * @param folder the folder; NULL: the folder of each model, which then can load what lies beside it
 * @return HK_OK or HK_E_MEMORY */
HK_API hk_status hk_module_folder(hk_ctx *ctx, const char *folder);

/** The modules of a context.
 * @param ctx the context
 * @param i from 0 on, in the order in which they were loaded
 * @return the name of a module, valid until the context ends; NULL: no more */
HK_API const char *hk_module_name(const hk_ctx *ctx, int32_t i);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * modules.h: shared libraries that bring types of their own through hooke/plugin.h. For each type an
 * adapter fills the table entry that Hooke's own types have, so that nothing else knows of modules;
 * entries are kept in the context (base/extend.h).
 */
#ifndef HK_MODULES_MODULES_H
#define HK_MODULES_MODULES_H

#include "base/base.h"
#include "base/extend.h"
#include "base/params.h"
#include "hooke/plugin.h"

/* Loads a shared library, unless one of its name is there. HK_E_FILE, HK_E_MODEL with words. */
hk_status hki_module_load(hk_ctx *ctx, hk_loc loc, const char *path);
/* the same with an entry that is there already; `from`: for messages */
hk_status hki_module_add(hk_ctx *ctx, hk_loc loc, const hk_plugin *plugin, const char *from);
/* A model asks for a module by its name: it is there, or found in one of the folders of the context.
 * folder: that of the model, in which it is looked for if this is allowed. */
hk_status hki_module_need(hk_ctx *ctx, hk_loc loc, const char *name, const char *folder);

/* one more folder to look in; NULL: that of the model. False: out of memory */
bool hki_module_folder(hk_ctx *ctx, const char *folder);

#endif

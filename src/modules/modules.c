/* SPDX-License-Identifier: Apache-2.0
 *
 * modules.c: finds, opens and checks modules, and gives their types to the adapters.
 *
 * A module that is refused leaves nothing behind: its types are entered at the end, when all of them
 * are good. It stays open until the context ends, since models point into it.
 */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "modules/modules_impl.h"

/* an entry of HK_EXTEND_FOLDER that stands for the folder of the model */
static const char beside_model[] = "";

hk_status hki_module_refuse(hk_loading *l, const char *type, const char *fmt, ...) {
  char words[400];
  va_list args;
  va_start(args, fmt);
  vsnprintf(words, sizeof words, fmt, args);
  va_end(args);
  const hk_status st =
      hki_error(l->ctx, HK_E_MODEL, l->loc, NULL, "module '%.80s'%s%.80s%s: %s", l->module,
                type ? ", type '" : "", type ? type : "", type ? "'" : "", words);
  if (l->status == HK_OK) l->status = st;
  return st;
}

void *hki_module_alloc(hk_loading *l, size_t size) {
  hk_pool *pool = hki_ctx_pool(l->ctx);
  void *p = pool ? hki_pool_alloc(pool, size) : NULL;
  if (!p && l->status == HK_OK) l->status = HK_E_MEMORY;
  return p;
}

const char *hki_module_words(const char *why) { return why && *why ? why : "it does not say why"; }

/* a name as the model language has them: small letters, digits and _ */
static bool good_name(const char *s) {
  if (!s || !(*s >= 'a' && *s <= 'z') || strlen(s) > 60) return false;
  for (; *s; s++)
    if (!((*s >= 'a' && *s <= 'z') || (*s >= '0' && *s <= '9') || *s == '_')) return false;
  return true;
}

bool hki_module_good(hk_loading *l, uint32_t size, size_t least, const char *name,
                     const char *text) {
  if (size < least) {
    hki_module_refuse(l, NULL, "a type has a struct of %u bytes, expected at least %zu",
                      (unsigned)size, least);
  } else if (!good_name(name)) {
    hki_module_refuse(l, name, "a name has small letters, digits and _, and begins with a letter");
  } else if (!text || !*text) {
    hki_module_refuse(l, name, "it has no text that says what it is");
  } else {
    return true;
  }
  return false;
}

bool hki_module_room(hk_loading *l, const char *name, const void *self, size_t par_size) {
  if (!self || par_size >= sizeof self) return true;
  hki_module_refuse(l, name, "its parameters have no room for 'self'");
  return false;
}

/* --- the host that a module sees -------------------------------------------------------------- */

#define ADD(kind)                                                                                  \
  static int32_t add_##kind(const hk_plugin_host *host, const hk_plugin_##kind *type) {            \
    hk_loading *l = host->self;                                                                    \
    if (!type) return hki_module_refuse(l, NULL, "it gives NULL for a type");                      \
    return hki_module_##kind(l, type);                                                             \
  }
ADD(element)
ADD(law)
ADD(block)
ADD(integrator)
ADD(joint)

static void complain(const hk_plugin_host *host, const char *words) {
  hki_module_refuse(host->self, NULL, "%.300s", hki_module_words(words));
}

/* is a module of this name there? */
static bool loaded(const hk_ctx *ctx, const char *name) {
  const char *other;
  for (int32_t i = 0; (other = hki_extend_at(ctx, HK_EXTEND_MODULE, i)); i++)
    if (strcmp(other, name) == 0) return true;
  return false;
}

hk_status hki_module_add(hk_ctx *ctx, hk_loc loc, const hk_plugin *plugin, const char *from) {
  if (!plugin || plugin->magic != HK_PLUGIN_MAGIC)
    return hki_error(ctx, HK_E_MODEL, loc, "see docs/modules.md",
                     "'%s' is no module: its entry does not begin as one", from);
  if (plugin->version == 0 || plugin->version > HK_PLUGIN_VERSION)
    return hki_error(ctx, HK_E_MODEL, loc,
                     plugin->version ? "install a newer Hooke, or compile the module with the "
                                       "hooke/plugin.h of this one"
                                     : "compile it anew",
                     "'%s' was made for version %u of modules; this Hooke knows 1 to %d", from,
                     (unsigned)plugin->version, HK_PLUGIN_VERSION);
  if (!good_name(plugin->name) || !plugin->init)
    return hki_error(ctx, HK_E_MODEL, loc, NULL, "the module '%s' has no %s", from,
                     plugin->init ? "good name" : "function 'init'");
  if (loaded(ctx, plugin->name)) return HK_OK;
  hk_loading l = {ctx, loc, plugin->name, HK_OK};
  const hk_plugin_host host = {.size = sizeof host,
                               .version = HK_PLUGIN_VERSION,
                               .self = &l,
                               .add_element = add_element,
                               .add_law = add_law,
                               .add_block = add_block,
                               .add_integrator = add_integrator,
                               .add_joint = add_joint,
                               .complain = complain};
  hk_extend_mark before = hki_extend_mark(ctx);
  const int32_t said = plugin->init(&host);
  if (said != 0 && l.status == HK_OK)
    hki_module_refuse(&l, NULL, "its function 'init' failed (%d)", (int)said);
  if (l.status == HK_OK && !hki_extend_add(ctx, HK_EXTEND_MODULE, plugin->name))
    l.status = HK_E_MEMORY;
  if (l.status != HK_OK) hki_extend_back(ctx, before);
  return l.status;
}

/* --- shared libraries ------------------------------------------------------------------------- */

static void close_module(void *handle) { dlclose(handle); }

hk_status hki_module_load(hk_ctx *ctx, hk_loc loc, const char *path) {
  struct stat info;
  char here[4096];
  if (stat(path, &info) != 0) return hki_file_missing(ctx, path, loc, errno);
  if (!S_ISREG(info.st_mode))
    return hki_error(ctx, HK_E_FILE, loc, NULL, "'%s' is not a regular file", path);
  // a name without a slash would be searched for elsewhere
  if (snprintf(here, sizeof here, "%s%s", strchr(path, '/') ? "" : "./", path) >= (int)sizeof here)
    return hki_error(ctx, HK_E_FILE, loc, NULL, "the path of the module is too long");
  void *handle = dlopen(here, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *why = dlerror();
    return hki_error(ctx, HK_E_FILE, loc, "a module is a shared library of this kind of machine",
                     "cannot load '%s': %s", path, why ? why : "no reason given");
  }
  const hk_plugin *plugin = dlsym(handle, "hk_plugin_entry");
  hk_status st = HK_OK;
  if (!plugin)
    st = hki_error(ctx, HK_E_MODEL, loc, "a module has the line HK_PLUGIN_ENTRY(..)",
                   "'%s' is no module: it has no symbol 'hk_plugin_entry'", path);
  if (st == HK_OK) st = hki_module_add(ctx, loc, plugin, path);
  if (st == HK_OK && !hki_ctx_at_end(ctx, close_module, handle)) st = HK_E_MEMORY;
  if (st != HK_OK) dlclose(handle);
  return st;
}

bool hki_module_folder(hk_ctx *ctx, const char *folder) {
  hk_pool *pool = hki_ctx_pool(ctx);
  const char *copy = !folder ? beside_model : pool ? hki_pool_strdup(pool, folder) : NULL;
  return copy && hki_extend_add(ctx, HK_EXTEND_FOLDER, copy);
}

/* NAME.so or libNAME.so in a folder; true: it is there, its path in buf */
static bool found_in(const char *folder, size_t n, const char *name, char *buf, size_t cap) {
  static const char *const before[] = {"", "lib"};
  struct stat info;
  for (int32_t i = 0; i < HK_ARRAY_LEN(before); i++) {
    const int len = snprintf(buf, cap, "%.*s/%s%s.so", (int)n, folder, before[i], name);
    if (len > 0 && (size_t)len < cap && stat(buf, &info) == 0) return true;
  }
  return false;
}

/* in the folders of HOOKE_MODULES, separated by colons */
static bool found_in_environment(const char *name, char *buf, size_t cap) {
  const char *at = getenv("HOOKE_MODULES");
  while (at && *at) {
    const size_t n = strcspn(at, ":");
    if (n && found_in(at, n, name, buf, cap)) return true;
    at += n + (at[n] == ':');
  }
  return false;
}

hk_status hki_module_need(hk_ctx *ctx, hk_loc loc, const char *name, const char *folder) {
  char path[4096], hint[300];
  const char *dir;
  if (loaded(ctx, name)) return HK_OK;
  if (!good_name(name))
    return hki_error(ctx, HK_E_MODEL, loc, "its name alone, not a path: modules: [mine]",
                     "'%.100s' is no name of a module", name);
  for (int32_t i = 0; (dir = hki_extend_at(ctx, HK_EXTEND_FOLDER, i)); i++) {
    if (dir == beside_model) dir = folder;
    if (dir && found_in(dir, strlen(dir), name, path, sizeof path))
      return hki_module_load(ctx, loc, path);
  }
  if (found_in_environment(name, path, sizeof path)) return hki_module_load(ctx, loc, path);
  const bool here = folder && found_in(folder, strlen(folder), name, path, sizeof path);
  snprintf(hint, sizeof hint,
           here ? "'%.120s' runs code of its own: --allow-modules lets a model load it"
                : "--module FILE loads it, or HOOKE_MODULES names folders of modules",
           path);
  return hki_error(ctx, HK_E_MODEL, loc, hint,
                   here ? "the module '%.80s' beside the model is not allowed"
                        : "there is no module '%.80s'",
                   name);
}

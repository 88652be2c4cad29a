/* SPDX-License-Identifier: Apache-2.0
 *
 * export_files.c: the files of an FMU. The kernel, the program and the sources that all FMUs share, lies in
 * one archive beside the library (hooke-fmu.zip); its entries are taken over as they are packed.
 */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmi/export.h"
#include "formats/yaml.h"
#include "hooke/version.h"

#define KERNEL "hooke-fmu.zip"

/* --- the model -------------------------------------------------------------------------------- */

/* a path as seen from the folder of the model */
static const char *relative(const hk_fmu_job *j, const char *path) {
  const char *slash = strrchr(j->path, '/');
  const size_t n = slash ? (size_t)(slash - j->path) + 1 : 0;
  return strncmp(path, j->path, n) == 0 ? path + n : path;
}

static bool ends_with(const char *s, const char *end) {
  const size_t n = strlen(s), m = strlen(end);
  return n >= m && strcmp(s + n - m, end) == 0;
}

/* a file in the bundle: YAML in the plain form that needs no library */
static hk_status add_file(hk_fmu_job *j, const hk_file_copy *f, hk_bundle_file *out) {
  *out = (hk_bundle_file){relative(j, f->name), f->bytes, f->len};
  if (!ends_with(f->name, ".yaml") && !ends_with(f->name, ".yml") && !ends_with(f->name, ".json"))
    return HK_OK;
  hk_node *root = NULL;
  hk_text text;
  hk_status st = hki_yaml_parse(j->ctx, j->pool, f->name, f->bytes, f->len, NULL, &root);
  if (st != HK_OK) return st;
  hki_text_init(&text, j->ctx);
  hki_yaml_write(root, &text);
  out->bytes = text.failed ? NULL : hki_pool_strndup(j->pool, text.s, text.len);
  out->len = text.len;
  hki_text_free(&text);
  return out->bytes ? HK_OK : HK_E_MEMORY;
}

static void make_token(hk_fmu_job *j, char *token, size_t cap) {
  hk_text text;
  hki_text_init(&text, j->ctx);
  j->bundle.token = "-";
  hki_bundle_write(&j->bundle, &text);
  const uint64_t a = text.s ? hki_hash(text.s, text.len, 2) : 0,
                 b = text.s ? hki_hash(text.s, text.len, 100 + (uint64_t)j->opt->version) : 0;
  hki_text_free(&text);
  snprintf(token, cap, "{%08x-%04x-%04x-%04x-%012llx}", (unsigned)(a >> 32),
           (unsigned)(a >> 16 & 0xFFFF), (unsigned)(a & 0xFFFF), (unsigned)(b >> 48),
           (unsigned long long)(b & 0xFFFFFFFFFFFFull));
}

hk_status hki_fmu_bundle(hk_fmu_job *j) {
  hk_bundle *b = &j->bundle;
  char token[64];
  int32_t n = 0;
  hk_status st = HK_OK;
  for (const hk_file_copy *f = hki_file_copies(j->ctx); f; f = f->next) n++;
  b->files = hki_pool_alloc(j->pool, ((size_t)n + 1) * sizeof *b->files);
  if (!b->files) return HK_E_MEMORY;
  for (const hk_file_copy *f = hki_file_copies(j->ctx); f && st == HK_OK; f = f->next)
    st = add_file(j, f, &b->files[b->nfiles++]);
  if (st != HK_OK) return st;
  b->model = relative(j, j->path);
  make_token(j, token, sizeof token);
  b->token = hki_pool_strdup(j->pool, token);
  if (!b->token) return HK_E_MEMORY;
  hki_bundle_write(b, &j->data);
  j->d.token = b->token;
  return j->data.failed ? HK_E_MEMORY : HK_OK;
}

/* the bundle as an array in C */
static void write_array(const hk_text *data, hk_text *out) {
  hki_text_add(out, "/* the model of this FMU */\n#include \"entry/open.h\"\n\n"
                    "static const unsigned char data[] = {");
  for (size_t i = 0; i < data->len; i++)
    hki_text_printf(out, "%s%d,", i % 24 ? "" : "\n", (unsigned char)data->s[i]);
  hki_text_printf(out,
                  "\n};\n\nconst unsigned char *hki_unit_data(size_t *len) {\n"
                  "  *len = %zu;\n  return data;\n}\n",
                  data->len);
}

/* --- the kernel ------------------------------------------------------------------------------- */

/* where the kernel may lie: beside the library in a build, in a folder of its own where it is installed */
hk_status hki_kernel_read(hk_ctx *ctx, const char *file, const char *variable, char *path,
                          size_t cap, char **bytes, size_t *len) {
  static const char *const places[] = {"", "hooke/", "../lib/hooke/"};
  const char *given = getenv(variable);
  Dl_info info;
  char folder[2000] = "";
  if (given && *given) {
    snprintf(path, cap, "%s", given);
    return hki_read_file(ctx, path, HK_LOC_NONE, (size_t)1 << 28, bytes, len);
  }
  if (dladdr((const void *)(uintptr_t)hk_version, &info) && info.dli_fname) {
    const char *slash = strrchr(info.dli_fname, '/');
    if (slash)
      snprintf(folder, sizeof folder, "%.*s", (int)(slash - info.dli_fname) + 1, info.dli_fname);
  }
  for (int32_t i = 0; i < HK_ARRAY_LEN(places); i++) {
    snprintf(path, cap, "%s%s%s", folder, places[i], file);
    FILE *f = fopen(path, "rb");
    if (!f) continue;
    fclose(f);
    return hki_read_file(ctx, path, HK_LOC_NONE, (size_t)1 << 28, bytes, len);
  }
  char hint[200];
  snprintf(hint, sizeof hint, "build and install Hooke with it, or name the file in %s", variable);
  return hki_error(ctx, HK_E_FILE, HK_LOC_NONE, hint,
                   "the kernel of exports, %s, is not beside the library", file);
}

/* is it a source of the interface that this FMU has not? */
static bool of_other_version(const hk_fmu_job *j, const char *name) {
  const char *other = j->d.version == 2 ? "sources/entry/fmi3" : "sources/entry/fmi2";
  return strncmp(name, other, strlen(other)) == 0;
}

/* the C files among the sources, for the description */
static hk_status list_sources(hk_fmu_job *j, const hk_archive *kernel) {
  const char **files = hki_pool_alloc(j->pool, ((size_t)kernel->n + 1) * sizeof *files);
  int32_t n = 0;
  if (!files) return HK_E_MEMORY;
  for (int32_t i = 0; i < kernel->n; i++) {
    const char *name = kernel->entries[i].name;
    if (strncmp(name, "sources/", 8) != 0 || !ends_with(name, ".c")) continue;
    if (of_other_version(j, name)) continue;
    if (!(files[n++] = hki_pool_strdup(j->pool, name + 8))) return HK_E_MEMORY;
  }
  j->d.files = files, j->d.nfiles = n;
  return HK_OK;
}

static void add_kernel(hk_fmu_job *j, const hk_archive *kernel, hk_archive_writer *w) {
  char name[1200];
  for (int32_t i = 0; i < kernel->n; i++) {
    const hk_archive_entry *e = &kernel->entries[i];
    if (ends_with(e->name, "/")) continue;
    if (!strncmp(e->name, "binaries/", 9)) {
      if (j->opt->no_binary) continue;
      snprintf(name, sizeof name, "binaries/%s/%s.so",
               j->d.version == 2 ? "linux64" : "x86_64-linux", j->d.identifier);
      hki_archive_copy(w, name, kernel, e);
    } else if (!strncmp(e->name, "sources/", 8)) {
      if (j->opt->no_sources || !strcmp(e->name, "sources/entry/model_data.c")) continue;
      if (of_other_version(j, e->name)) continue;
      hki_archive_copy(w, e->name, kernel, e);
    } else {
      hki_archive_copy(w, e->name, kernel, e);
    }
  }
}

hk_status hki_fmu_files(hk_fmu_job *j, hk_archive_writer *w) {
  char path[2200], *bytes = NULL;
  size_t len = 0;
  hk_archive kernel;
  hk_text xml;
  hk_status st =
      hki_kernel_read(j->ctx, KERNEL, "HOOKE_FMU_KERNEL", path, sizeof path, &bytes, &len);
  if (st != HK_OK) return st;
  st = hki_archive_open(j->ctx, path, bytes, len, &kernel);
  if (st == HK_OK) st = list_sources(j, &kernel);
  if (st == HK_OK) {
    j->d.sources = !j->opt->no_sources;
    hki_text_init(&xml, j->ctx);
    hki_fmu_describe(&j->d, &xml);
    hki_archive_add(w, "modelDescription.xml", xml.s, xml.len);
    hki_text_free(&xml);
    hki_archive_add(w, "resources/" HK_BUNDLE_FILE, j->data.s, j->data.len);
    if (j->d.sources) {
      hki_text_init(&xml, j->ctx);
      write_array(&j->data, &xml);
      hki_archive_add(w, "sources/entry/model_data.c", xml.s, xml.len);
      hki_text_free(&xml);
    }
    if (j->d.sources && j->d.version == 3) {
      hki_text_init(&xml, j->ctx);
      hki_fmu_describe_build(&j->d, &xml);
      hki_archive_add(w, "sources/buildDescription.xml", xml.s, xml.len);
      hki_text_free(&xml);
    }
    add_kernel(j, &kernel, w);
    st = hki_archive_finish(w);
  }
  hki_archive_close(&kernel);
  hki_free(j->ctx, bytes);
  return st;
}

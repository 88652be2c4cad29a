/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_files.c: the files besides the main one that a model is read from: includes, components,
 * tables and meshes. Their names and, within limits, their texts stay in the spec, so that results
 * can hold the whole model.
 */
#include "language/model_reader.h"
#include "language/reader.h"

#include <stdio.h>
#include <string.h>

/* bytes kept of one file, and of all of them */
enum { KEEP_ONE = 1 << 18, KEEP_ALL = 1 << 21 };

static const char *const kind_names[] = {"model", "table", "mesh"};

/* the path relative to the folder of the main file, when it lies in or below that folder */
static const char *relative(const hk_spec *spec, const char *path) {
  const char *slash = strrchr(spec->path, '/');
  size_t n = slash ? (size_t)(slash - spec->path) + 1 : 0;
  return strncmp(path, spec->path, n) == 0 ? path + n : path;
}

/* how much of a text is kept: all of it, or whole lines up to the limit */
static size_t kept_length(const char *text, size_t len, size_t limit) {
  const char *nul = memchr(text, 0, len);
  if (nul) len = (size_t)(nul - text);
  if (len <= limit) return len;
  size_t n = limit;
  while (n > 0 && text[n - 1] != '\n') n--;
  if (n > 0) return n;
  // one long line: cut it, but not inside a UTF-8 character
  for (n = limit; n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80;) n--;
  return n;
}

static bool keep(hk_reader *rd, hk_file_kind kind, const char *path, const char *text, size_t len) {
  hk_spec *spec = rd->spec;
  for (int32_t i = 0; i < spec->nfiles; i++)
    if (strcmp(spec->files[i].path, path) == 0) return true;
  if (!HK_GROW(rd->ctx, spec->files, rd->files_cap, spec->nfiles + 1)) return false;
  size_t left = KEEP_ALL - rd->kept, limit = left < KEEP_ONE ? left : KEEP_ONE;
  size_t n = kind == HK_FILE_MESH ? 0 : kept_length(text, len, limit);
  hk_spec_file *f = &spec->files[spec->nfiles];
  *f = (hk_spec_file){.kind = kind,
                      .path = path,
                      .name = relative(spec, path),
                      .text = hki_pool_strndup(spec->pool, text, n),
                      .bytes = len,
                      .kept = n,
                      .hash = hki_hash(text, len, 0)};
  rd->kept += n;
  spec->nfiles += f->text ? 1 : 0;
  return f->text;
}

hk_status hki_rd_file(hk_reader *rd, hk_file_kind kind, const char *path, hk_loc from, size_t max,
                      char **text, size_t *len) {
  hk_status st = hki_read_file(rd->ctx, path, from, max, text, len);
  if (st == HK_OK && !keep(rd, kind, path, *text, *len)) {
    hki_free(rd->ctx, *text);
    *text = NULL;
    st = HK_E_MEMORY;
  }
  return st;
}

bool hki_rd_csv(hk_reader *rd, const hk_node *file, hk_csv *out) {
  char *text = NULL;
  size_t len = 0;
  const char *path = hki_rd_path(rd, file->loc, file->text);
  if (!path || hki_rd_file(rd, HK_FILE_TABLE, path, file->loc, HK_CSV_BYTES, &text, &len))
    return false;
  hk_status st = hki_csv_parse(rd->ctx, rd->pool, path, text, len, out);
  hki_free(rd->ctx, text);
  return st == HK_OK;
}

void hki_model_files(const hk_spec *spec, hk_text *out) {
  hki_text_add(out, "[");
  for (int32_t i = 0; i < spec->nfiles; i++) {
    const hk_spec_file *f = &spec->files[i];
    hki_text_printf(out, "%s{\"name\": ", i ? ",\n" : "");
    hki_text_json(out, f->name);
    hki_text_printf(out, ", \"kind\": \"%s\", \"bytes\": %zu, \"kept\": %zu, \"hash\": \"%016llx\"",
                    kind_names[f->kind], f->bytes, f->kept, (unsigned long long)f->hash);
    hki_text_add(out, ", \"text\": ");
    hki_text_json(out, f->text);
    hki_text_add(out, "}");
  }
  hki_text_add(out, "]");
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * mesh_uri.c: the buffers of a glTF file: base64 inside it (RFC 2397), or a file beside it. A mesh
 * may come from anywhere, so it reads nothing outside its own folder: no absolute paths, no "..",
 * no other schemes, no links that lead out.
 */
#include <stdlib.h>
#include <string.h>

#include "formats/mesh_impl.h"

/* --- base64 ----------------------------------------------------------------------------------- */

static int digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static unsigned char *inside(hk_mesh_builder *b, hk_loc loc, const char *uri, size_t *len) {
  const char *at = strchr(uri, ',');
  if (!at || at - uri < 7 || strncmp(at - 7, ";base64", 7) != 0) {
    hki_mesh_wrong(b, loc, "write data:application/octet-stream;base64,...",
                   "a 'data:' of a buffer must be base64");
    return NULL;
  }
  size_t n = strlen(++at), used = 0;
  unsigned char *out = hki_alloc(b->ctx, n / 4 * 3 + 4);
  uint32_t bits = 0;
  int many = 0;
  if (!out) {
    b->status = HK_E_MEMORY;
    return NULL;
  }
  for (size_t i = 0; i < n && at[i] != '='; i++) {
    int d = digit(at[i]);
    if (d < 0) {
      hki_mesh_wrong(b, loc, NULL, "a buffer is not base64 (character %zu of it)", i + 1);
      hki_free(b->ctx, out);
      return NULL;
    }
    bits = bits << 6 | (uint32_t)d;
    many += 6;
    if (many >= 8) out[used++] = (unsigned char)(bits >> (many -= 8));
  }
  *len = used;
  return out;
}

/* --- files ------------------------------------------------------------------------------------ */

static int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* decodes %20 and the like; false for a malformed escape, a NUL or a name that is too long */
static bool undo(const char *uri, char *out, size_t cap) {
  size_t n = 0;
  for (; *uri && n + 1 < cap; uri++) {
    if (*uri != '%') {
      out[n++] = *uri;
      continue;
    }
    int high = hex(uri[1]), low = high < 0 ? -1 : hex(uri[2]);
    if (low < 0 || 16 * high + low == 0) return false;
    out[n++] = (char)(16 * high + low);
    uri += 2;
  }
  out[n] = '\0';
  return *uri == '\0' && n > 0;
}

/* true for a relative path without "..", scheme or backslash */
static bool leads_down(const char *path) {
  if (path[0] == '/' || strpbrk(path, ":\\")) return false;
  for (const char *at = path; at; at = strchr(at, '/'), at = at ? at + 1 : NULL) {
    if (strncmp(at, "..", 2) == 0 && (at[2] == '/' || at[2] == '\0')) return false;
  }
  return true;
}

unsigned char *hki_mesh_uri(hk_mesh_builder *b, hk_loc loc, const char *uri, size_t *len) {
  char name[2048], path[4096];
  if (strncmp(uri, "data:", 5) == 0) return inside(b, loc, uri, len);
  const char *slash = strrchr(b->name, '/');
  size_t folder = slash ? (size_t)(slash + 1 - b->name) : 0;
  bool ok = undo(uri, name, sizeof name) && leads_down(name) && folder + strlen(name) < sizeof path;
  if (ok) {
    memcpy(path, b->name, folder);
    strcpy(path + folder, name);
    ok = hki_file_inside(path, folder);
  }
  if (!ok) {
    hki_mesh_wrong(b, loc, "buffers lie in the folder of the .gltf file, or inside it as base64",
                   "'%.200s' is not a file in the folder of the mesh", uri);
    return NULL;
  }
  char *text = NULL;
  b->status = hki_read_file(b->ctx, path, loc, HK_MESH_BYTES, &text, len);
  return b->status == HK_OK ? (unsigned char *)text : NULL;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * open.c: see open.h.
 */
#include "entry/open.h"

#include <stdio.h>
#include <string.h>

/* the path of an address like file:///tmp/x%20y/resources, or of a plain path */
static void path_of(const char *resources, char *path, size_t cap) {
  const char *s = resources;
  size_t n = 0;
  const bool address = strncmp(s, "file:", 5) == 0;
  if (address) {
    s += 5;
    if (s[0] == '/' && s[1] == '/') {
      s += 2;
      while (*s && *s != '/') s++; // the name of this machine
    }
    if (s[0] == '/' && s[1] && s[2] == ':') s++; // /C:/..
  }
  for (; *s && n + 1 < cap; s++) {
    unsigned code;
    if (address && *s == '%' && sscanf(s + 1, "%2x", &code) == 1)
      path[n++] = (char)code, s += 2;
    else
      path[n++] = *s;
  }
  while (n > 1 && (path[n - 1] == '/' || path[n - 1] == '\\')) n--;
  path[n] = '\0';
}

hk_unit *hki_unit_open(const char *resources, const char *token, bool co_simulation,
                       hk_unit_say *say, void *user) {
  size_t len = 0;
  const unsigned char *data = hki_unit_data(&len);
  if (data) return hki_unit_create((const char *)data, len, token, co_simulation, say, user);
  char folder[3000], path[3100], *text = NULL;
  if (!resources) {
    say(user, HK_FMI_ERROR, "the importer does not say where the resources of the FMU are");
    return NULL;
  }
  path_of(resources, folder, sizeof folder);
  snprintf(path, sizeof path, "%s/%s", folder, HK_BUNDLE_FILE);
  hk_ctx *ctx = hk_ctx_create();
  if (ctx && hki_read_file(ctx, path, HK_LOC_NONE, (size_t)1 << 30, &text, &len) != HK_OK)
    say(user, HK_FMI_ERROR, hk_ctx_message(ctx, 0)->text);
  hk_unit *u = text ? hki_unit_create(text, len, token, co_simulation, say, user) : NULL;
  hki_free(ctx, text);
  hk_ctx_destroy(ctx);
  return u;
}

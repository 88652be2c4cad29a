/* SPDX-License-Identifier: Apache-2.0
 *
 * json.c: JSON values on a stream.
 */
#include <stdlib.h>

#include "cli.h"

void cli_json_string(FILE *out, const char *s) {
  char small[512], *all = small;
  size_t n = hk_json_string(s, small, sizeof small);
  if (n >= sizeof small) {
    all = malloc(n + 1);
    if (all) n = hk_json_string(s, all, n + 1);
  }
  if (!n || !all) cli_no_memory();
  fputs(n && all ? all : "null", out);
  if (all != small) free(all);
}

void cli_json_number(FILE *out, double x) {
  char s[32];
  hk_json_number(x, s, sizeof s);
  fputs(s, out);
}

void cli_json_status(FILE *out, hk_status status, const char *message) {
  const bool ok = status == HK_OK;
  fprintf(out, ", \"status\": \"%s\", \"message\": ",
          ok                         ? "ok"
          : status == HK_INTERRUPTED ? "interrupted"
                                     : "failed");
  cli_json_string(out, ok ? "" : message && *message ? message : hk_status_text(status));
  fputs("}\n", out);
}

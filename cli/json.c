/* SPDX-License-Identifier: Apache-2.0
 *
 * json.c: JSON values on a stream.
 */
#include <math.h>
#include <stdlib.h>

#include "cli.h"

/* length of the UTF-8 character at s; 0 when it is none */
static int utf8_length(const unsigned char *s) {
  if (s[0] < 0x80) return 1;
  if (s[0] < 0xc2 || s[0] > 0xf4) return 0;
  int n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
  for (int i = 1; i < n; i++)
    if ((s[i] & 0xc0) != 0x80) return 0;
  if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f)) return 0;
  if ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f)) return 0;
  return n;
}

void cli_json_string(FILE *out, const char *s) {
  if (!s) {
    fputs("null", out);
    return;
  }
  const unsigned char *at = (const unsigned char *)s;
  fputc('"', out);
  while (*at) {
    int n = utf8_length(at);
    if (*at == '"' || *at == '\\') {
      fprintf(out, "\\%c", *at);
    } else if (*at == '\n') {
      fputs("\\n", out);
    } else if (*at < 0x20 || *at == 0x7f) {
      fprintf(out, "\\u%04x", *at);
    } else if (n == 0) {
      fputs("\\ufffd", out);
    } else {
      fwrite(at, 1, (size_t)n, out);
    }
    at += n ? n : 1;
  }
  fputc('"', out);
}

void cli_json_number(FILE *out, double x) {
  char s[40];
  if (!isfinite(x)) {
    fputs("null", out);
    return;
  }
  // the fewest digits that read back the same
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(s, sizeof s, "%.*g", digits, x);
    if (strtod(s, NULL) == x) break;
  }
  fputs(s, out);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * yaml_check.c: checks that a file is UTF-8 text, and turns libyaml's errors into messages.
 *
 * The check runs before libyaml sees the text, because libyaml's reader reports such faults by byte
 * offset only. The characters refused are those outside YAML 1.2's c-printable set (section 5.1).
 */
#include "formats/yaml_check.h"

#include <stdio.h>
#include <string.h>

/* Decode one UTF-8 sequence at s (n bytes left): its length, or 0 when it is broken (overlong
 * forms, surrogates and values above U+10FFFF included). */
static int utf8_decode(const unsigned char *s, size_t n, uint32_t *code) {
  static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
  int len = s[0] < 0x80 ? 1 : s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
  if (s[0] >= 0xF8 || (s[0] >= 0x80 && s[0] < 0xC0) || (size_t)len > n) return 0;
  uint32_t c = len == 1 ? s[0] : s[0] & (0xFFu >> (len + 1));
  for (int i = 1; i < len; i++) {
    if ((s[i] & 0xC0u) != 0x80u) return 0;
    c = c << 6 | (s[i] & 0x3Fu);
  }
  if (c < least[len] || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) return 0;
  *code = c;
  return len;
}

/* YAML's c-printable */
static bool is_printable(uint32_t c) {
  return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c <= 0x7E) || c == 0x85 ||
         (c >= 0xA0 && c != 0xFEFF && c != 0xFFFE && c != 0xFFFF);
}

/* the message for a byte or character that cannot be in a model file */
static hk_status refuse(hk_ctx *ctx, hk_loc loc, const unsigned char *s, uint32_t code,
                        bool broken) {
  if (*s == 0) {
    return hki_error(ctx, HK_E_MODEL, loc, "a model file is a text in UTF-8",
                     "this is a binary file, not a model: it holds a NUL byte");
  }
  if (broken) {
    return hki_error(ctx, HK_E_MODEL, loc, "save the file as UTF-8",
                     "this is not UTF-8 text: invalid byte 0x%02X", (unsigned)*s);
  }
  return hki_error(ctx, HK_E_MODEL, loc, "remove it; inside a text write it as \"\\u....\"",
                   "control character U+%04X is not allowed in a model file", (unsigned)code);
}

hk_status hki_yaml_check_text(hk_ctx *ctx, int32_t file, const char *text, size_t len) {
  const unsigned char *s = (const unsigned char *)text;
  hk_loc loc = {file, 1, 1};
  size_t i = 0;

  /* byte order marks: UTF-8's is skipped, UTF-16's explained */
  if (len >= 2 && ((s[0] == 0xFF && s[1] == 0xFE) || (s[0] == 0xFE && s[1] == 0xFF))) {
    return hki_error(ctx, HK_E_MODEL, loc, "save the file as UTF-8",
                     "the file is in UTF-16, expected UTF-8");
  }
  /* results of a run, NetCDF-4 (HDF5) or the older NetCDF */
  if (len >= 4 && (memcmp(s, "\x89HDF", 4) == 0 || memcmp(s, "CDF", 3) == 0)) {
    return hki_error(ctx, HK_E_MODEL, loc, "'hooke plot', 'report' and 'view' read results",
                     "this is a file of results, not a text");
  }
  if (len >= 3 && s[0] == 0xEF && s[1] == 0xBB && s[2] == 0xBF) i = 3;

  while (i < len) {
    uint32_t code = s[i];
    int n = 1;
    if (code >= 0x80) n = utf8_decode(s + i, len - i, &code);
    if (n == 0 || !is_printable(code)) return refuse(ctx, loc, s + i, code, n == 0);
    if (code == '\n' || (code == '\r' && !(i + 1 < len && s[i + 1] == '\n'))) {
      loc.line++;
      loc.col = 1;
    } else if (loc.col < INT32_MAX) {
      loc.col++;
    }
    i += (size_t)n;
  }
  return HK_OK;
}

bool hki_yaml_is_text(const char *text, size_t len) {
  const unsigned char *s = (const unsigned char *)text;
  for (size_t i = 0; i < len;) {
    uint32_t code = 0;
    const int n = utf8_decode(s + i, len - i, &code);
    if (n == 0 || (code < 0x20 && code != '\n' && code != '\t') || code == 0x7F) return false;
    i += (size_t)n;
  }
  return true;
}

/* start of line `line` (from 0), or NULL */
static const char *find_line(const char *text, size_t len, size_t line) {
  const char *s = text, *end = text + len;
  for (; line > 0 && s; line--) {
    s = memchr(s, '\n', (size_t)(end - s));
    if (s) s++;
  }
  return s;
}

/* does this line's indentation hold a tab */
static bool indented_by_tab(const char *text, size_t len, size_t line) {
  const char *s = find_line(text, len, line);
  if (!s) return false;
  for (; s < text + len && (*s == ' ' || *s == '\t'); s++) {
    if (*s == '\t') return true;
  }
  return false;
}

/* hints for the common syntax errors */
static const char *syntax_hint(const char *problem, bool tab) {
  static const char *const known[][2] = {
      {"mapping values are not allowed",
       "a text with ': ' in it must be quoted; otherwise check the indentation here and above"},
      {"did not find expected key", "check the indentation of this line against the lines above"},
      {"could not find expected ':'", "a key is followed by ': ' and its value"},
      {"did not find expected '-'", "check the indentation of this line against the lines above"},
      {"did not find expected ',' or '}'", "a '{' is not closed, or a comma is missing"},
      {"did not find expected ',' or ']'", "a '[' is not closed, or a comma is missing"},
      {"found unexpected end of stream", "a quote is not closed"},
      {"cannot start any token", "put quotes around a text that begins with @ ` or %"},
      {"block sequence entries are not allowed", "start the list on a line of its own"},
      {"block mapping", "check the indentation of this line against the lines above"},
      {"alphabetic or numeric", "quote a text that begins with & or *"},
      {"unknown escape character", "write \\\\ for a backslash, or use single quotes"},
  };
  if (tab) return "indent with spaces: YAML does not allow tabs there";
  for (int32_t i = 0; i < HK_ARRAY_LEN(known); i++) {
    if (strstr(problem, known[i][0])) return known[i][1];
  }
  return NULL;
}

hk_status hki_yaml_syntax_error(hk_ctx *ctx, int32_t file, const char *text, size_t len,
                                const yaml_parser_t *parser) {
  if (parser->error == YAML_MEMORY_ERROR) {
    return hki_no_memory(ctx);
  }
  const char *problem = parser->problem ? parser->problem : "cannot be read";
  const yaml_mark_t *at = &parser->problem_mark;
  hk_loc loc = {file, (int32_t)at->line + 1, (int32_t)at->column + 1};
  bool tab = indented_by_tab(text, len, at->line) ||
             (at->line > 0 && indented_by_tab(text, len, at->line - 1));
  const char *hint = syntax_hint(problem, tab);
  if (!parser->context) return hki_error(ctx, HK_E_MODEL, loc, hint, "YAML syntax: %s", problem);
  return hki_error(ctx, HK_E_MODEL, loc, hint, "YAML syntax: %s, %s that began at %d:%d", problem,
                   parser->context, (int)parser->context_mark.line + 1,
                   (int)parser->context_mark.column + 1);
}

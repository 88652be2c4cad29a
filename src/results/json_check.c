/* SPDX-License-Identifier: Apache-2.0
 *
 * json_check.c: checks that a text is one JSON value (RFC 8259). Texts of result files are copied
 * into pages, which only complete values may be.
 */
#include <string.h>

#include "results/read.h"

typedef struct json {
  const unsigned char *at, *end;
} json;

static void blank(json *j) {
  while (j->at < j->end && (*j->at == ' ' || *j->at == '\t' || *j->at == '\n' || *j->at == '\r')) {
    j->at++;
  }
}

static bool take(json *j, const char *word) {
  size_t n = strlen(word);
  if ((size_t)(j->end - j->at) < n || memcmp(j->at, word, n) != 0) return false;
  j->at += n;
  return true;
}

static bool digits(json *j) {
  const unsigned char *from = j->at;
  while (j->at < j->end && *j->at >= '0' && *j->at <= '9') j->at++;
  return j->at > from;
}

static bool number(json *j) {
  take(j, "-");
  const unsigned char *from = j->at;
  if (!digits(j) || (*from == '0' && j->at - from > 1)) return false;
  if (take(j, ".") && !digits(j)) return false;
  if (take(j, "e") || take(j, "E")) {
    if (!take(j, "+")) take(j, "-");
    return digits(j);
  }
  return true;
}

static bool escape(json *j) {
  if (j->at >= j->end) return false;
  if (*j->at != 'u') return strchr("\"\\/bfnrt", *j->at++) != NULL;
  j->at++;
  for (int i = 0; i < 4; i++, j->at++)
    if (j->at >= j->end || !*j->at || !strchr("0123456789abcdefABCDEF", *j->at)) return false;
  return true;
}

static bool string(json *j) {
  if (!take(j, "\"")) return false;
  while (j->at < j->end && *j->at >= 0x20) {
    unsigned char c = *j->at++;
    if (c == '"') return true;
    if (c == '\\' && !escape(j)) return false;
  }
  return false;
}

static bool value(json *j, int depth);

/* the rest of a list or object after its opening bracket */
static bool items(json *j, const char *close, bool keys, int depth) {
  blank(j);
  if (take(j, close)) return true;
  do {
    blank(j);
    if (keys) {
      if (!string(j)) return false;
      blank(j);
      if (!take(j, ":")) return false;
    }
    if (!value(j, depth)) return false;
    blank(j);
  } while (take(j, ","));
  return take(j, close);
}

static bool value(json *j, int depth) {
  if (depth > HK_READ_DEPTH) return false;
  blank(j);
  if (j->at >= j->end) return false;
  switch (*j->at) {
    case '{':
      j->at++;
      return items(j, "}", true, depth + 1);
    case '[':
      j->at++;
      return items(j, "]", false, depth + 1);
    case '"':
      return string(j);
    case 't':
      return take(j, "true");
    case 'f':
      return take(j, "false");
    case 'n':
      return take(j, "null");
    default:
      return number(j);
  }
}

bool hki_json_valid(const char *s, size_t len) {
  json j = {(const unsigned char *)s, (const unsigned char *)s + len};
  if (!value(&j, 0)) return false;
  blank(&j);
  return j.at == j.end;
}

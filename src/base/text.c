/* SPDX-License-Identifier: Apache-2.0
 *
 * text.c: the growing text buffer, with JSON strings and numbers that read back the same. The
 * buffer is a valid C string at all times; when memory runs out the context holds the error and the
 * text stays as it was from then on.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

void hki_text_init(hk_text *t, hk_ctx *ctx) {
  static char empty[1] = "";
  t->ctx = ctx;
  t->s = empty; /* cap 0 marks it as not ours to write or free */
  t->len = t->cap = 0;
  t->failed = false;
}

void hki_text_free(hk_text *t) {
  if (t->cap) hki_free(t->ctx, t->s);
  hki_text_init(t, t->ctx);
}

/* room for n more bytes and the NUL */
static bool reserve(hk_text *t, size_t n) {
  if (n > SIZE_MAX / 4 || t->len > SIZE_MAX / 4) n = SIZE_MAX / 2;
  size_t need = t->len + n + 1;
  if (t->failed) return false;
  if (need <= t->cap) return true;
  size_t cap = t->cap + t->cap / 2 + 64;
  if (cap < need) cap = need;
  char *s = hki_realloc(t->ctx, t->cap ? t->s : NULL, cap);
  t->failed = !s;
  if (!s) return false;
  if (!t->cap) s[0] = '\0';
  t->s = s;
  t->cap = cap;
  return true;
}

void hki_text_addn(hk_text *t, const char *s, size_t n) {
  if (n == 0 || !reserve(t, n)) return;
  memcpy(t->s + t->len, s, n);
  t->len += n;
  t->s[t->len] = '\0';
}

void hki_text_add(hk_text *t, const char *s) { hki_text_addn(t, s, strlen(s)); }

void hki_text_printf(hk_text *t, const char *fmt, ...) {
  va_list args, again;
  va_start(args, fmt);
  va_copy(again, args);
  int n = vsnprintf(NULL, 0, fmt, args);
  if (n > 0 && reserve(t, (size_t)n)) {
    vsnprintf(t->s + t->len, (size_t)n + 1, fmt, again);
    t->len += (size_t)n;
  }
  va_end(again);
  va_end(args);
}

/* length of the UTF-8 character at s, 0 when it is not a valid one (overlong, surrogate, cut) */
static size_t utf8_length(const unsigned char *s) {
  if (s[0] < 0x80) return 1;
  size_t n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
  if (s[0] < 0xc2 || s[0] > 0xf4) return 0;
  for (size_t i = 1; i < n; i++)
    if ((s[i] & 0xc0) != 0x80) return 0;
  if (s[0] == 0xe0 && s[1] < 0xa0) return 0;
  if (s[0] == 0xed && s[1] > 0x9f) return 0;
  if (s[0] == 0xf0 && s[1] < 0x90) return 0;
  if (s[0] == 0xf4 && s[1] > 0x8f) return 0;
  return n;
}

/* one character that cannot stand in a JSON string as it is */
static void json_escape(hk_text *t, unsigned char c) {
  switch (c) {
    case '"':
      hki_text_add(t, "\\\"");
      break;
    case '\\':
      hki_text_add(t, "\\\\");
      break;
    case '\n':
      hki_text_add(t, "\\n");
      break;
    case '\r':
      hki_text_add(t, "\\r");
      break;
    case '\t':
      hki_text_add(t, "\\t");
      break;
    default:
      hki_text_printf(t, "\\u%04x", (unsigned)c);
  }
}

void hki_text_json(hk_text *t, const char *s) {
  const unsigned char *at = (const unsigned char *)s, *plain = at;
  hki_text_add(t, "\"");
  // copy runs of plain characters, escape special ones, replace invalid UTF-8
  while (*at) {
    size_t n = utf8_length(at);
    bool special = *at < 0x20 || *at == '"' || *at == '\\' || *at == 0x7f;
    if (n && !special) {
      at += n;
      continue;
    }
    hki_text_addn(t, (const char *)plain, (size_t)(at - plain));
    if (n) {
      json_escape(t, *at);
    } else {
      hki_text_add(t, "\\ufffd");
    }
    plain = ++at;
  }
  hki_text_addn(t, (const char *)plain, (size_t)(at - plain));
  hki_text_add(t, "\"");
}

void hki_text_int(hk_text *t, int64_t n) {
  char s[24], *end = s + sizeof s, *at = end;
  uint64_t left = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
  do {
    *--at = (char)('0' + left % 10);
    left /= 10;
  } while (left);
  if (n < 0) *--at = '-';
  hki_text_addn(t, at, (size_t)(end - at));
}

void hki_text_number(hk_text *t, double x) {
  char s[HK_NUMBER_MAX];
  if (isfinite(x)) {
    hki_text_addn(t, s, (size_t)hki_number_print(x, s));
  } else {
    hki_text_add(t, "null");
  }
}

const char *hki_bytes_text(double bytes, char *buf, size_t cap) {
  static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
  int k = 0;
  while (k + 1 < HK_ARRAY_LEN(units) && bytes >= 999.5) bytes /= 1000.0, k++;
  snprintf(buf, cap, "%.3g %s", bytes, units[k]);
  return buf;
}

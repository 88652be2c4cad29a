/* SPDX-License-Identifier: Apache-2.0
 *
 * xml.c: see xml.h.
 */
#include "fmi/xml.h"

#include <stdlib.h>
#include <string.h>

void hki_xml_start(hk_xml *x, hk_pool *pool, const char *text, size_t len) {
  *x = (hk_xml){.pool = pool, .s = text, .begin = text, .end = text + len};
  if (len >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) x->s += 3;
}

static hk_xml_kind wrong(hk_xml *x, const char *why) {
  if (!x->wrong) x->wrong = why;
  return HK_XML_WRONG;
}

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
static bool in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         strchr("_:-.", c) != NULL || (unsigned char)c >= 0x80;
}
static char peek(const hk_xml *x) { return x->s < x->end ? *x->s : '\0'; }
static void skip_space(hk_xml *x) {
  while (x->s < x->end && is_space(*x->s)) x->s++;
}

/* behind the next occurrence of a text; false: there is none */
static bool skip_past(hk_xml *x, const char *text) {
  const size_t n = strlen(text);
  for (; (size_t)(x->end - x->s) >= n; x->s++)
    if (memcmp(x->s, text, n) == 0) return x->s += n, true;
  return false;
}

static bool begins(const hk_xml *x, const char *text) {
  const size_t n = strlen(text);
  return (size_t)(x->end - x->s) >= n && memcmp(x->s, text, n) == 0;
}

static const char *read_name(hk_xml *x) {
  const char *from = x->s;
  while (x->s < x->end && *x->s && in_name(*x->s)) x->s++;
  if (x->s == from || x->s - from > 1000) return wrong(x, "a name is missing"), NULL;
  return hki_pool_strndup(x->pool, from, (size_t)(x->s - from));
}

/* a character by its number, as UTF-8 at `to`; its bytes, 0: there is none */
static int put_code(char *to, unsigned long code) {
  if (code == 0 || code > 0x10FFFF) return 0;
  if (code < 0x80) return to[0] = (char)code, 1;
  if (code < 0x800) return to[0] = (char)(0xC0 | code >> 6), to[1] = (char)(0x80 | (code & 63)), 2;
  if (code < 0x10000)
    return to[0] = (char)(0xE0 | code >> 12), to[1] = (char)(0x80 | (code >> 6 & 63)),
           to[2] = (char)(0x80 | (code & 63)), 3;
  to[0] = (char)(0xF0 | code >> 18), to[1] = (char)(0x80 | (code >> 12 & 63));
  to[2] = (char)(0x80 | (code >> 6 & 63)), to[3] = (char)(0x80 | (code & 63));
  return 4;
}

/* what stands between & and ; at s; its bytes at `to`, which has room for it */
static int entity(const char *s, size_t n, char *to) {
  static const char *const names[] = {"lt", "gt", "amp", "quot", "apos"};
  for (int i = 0; i < 5; i++)
    if (strlen(names[i]) == n && memcmp(names[i], s, n) == 0) return to[0] = "<>&\"'"[i], 1;
  if (n < 2 || n > 9 || s[0] != '#') return 0;
  char digits[12] = "";
  memcpy(digits, s + 1, n - 1);
  char *stop;
  const bool hex = digits[0] == 'x';
  const unsigned long code = strtoul(digits + hex, &stop, hex ? 16 : 10);
  return *stop || digits[hex] == '-' || digits[hex] == '+' ? 0 : put_code(to, code);
}

static const char *read_value(hk_xml *x) {
  const char quote = peek(x);
  if (quote != '"' && quote != '\'') return wrong(x, "a value must stand in quotes"), NULL;
  const char *from = ++x->s;
  while (x->s < x->end && *x->s != quote && *x->s != '<') x->s++;
  if (peek(x) != quote) return wrong(x, "a value is not closed"), NULL;
  char *out = hki_pool_alloc(x->pool, (size_t)(x->s - from) + 5), *to = out;
  if (!out) return wrong(x, "out of memory"), NULL;
  for (const char *c = from; c < x->s; c++) {
    if (*c != '&') {
      *to++ = is_space(*c) ? ' ' : *c;
      continue;
    }
    const char *stop = memchr(c, ';', (size_t)(x->s - c));
    const int n = stop ? entity(c + 1, (size_t)(stop - c - 1), to) : 0;
    if (!n) return wrong(x, "an entity that is not known"), NULL;
    to += n, c = stop;
  }
  x->s++;
  return out;
}

static hk_xml_kind begin_element(hk_xml *x) {
  x->nattributes = 0;
  if (!(x->name = read_name(x))) return HK_XML_WRONG;
  for (;;) {
    const char *before = x->s;
    skip_space(x);
    if (begins(x, "/>") || peek(x) == '>') break;
    if (x->s == before || x->nattributes == HK_XML_ATTRIBUTES)
      return wrong(x, "an element has too many attributes, or no blank between them");
    const char *key = read_name(x);
    if (!key) return HK_XML_WRONG;
    skip_space(x);
    if (peek(x) != '=') return wrong(x, "an attribute has no value");
    x->s++;
    skip_space(x);
    if (hki_xml_get(x, key)) return wrong(x, "an attribute is given twice");
    x->key[x->nattributes] = key;
    if (!(x->value[x->nattributes] = read_value(x))) return HK_XML_WRONG;
    x->nattributes++;
  }
  x->closes = *x->s == '/';
  x->s += x->closes ? 2 : 1;
  if (x->depth == HK_XML_DEPTH) return wrong(x, "elements are nested too deeply");
  x->open[x->depth++] = x->name;
  return HK_XML_BEGIN;
}

static hk_xml_kind end_element(hk_xml *x) {
  if (!(x->name = read_name(x))) return HK_XML_WRONG;
  skip_space(x);
  if (peek(x) != '>') return wrong(x, "an end tag is not closed");
  x->s++;
  if (!x->depth || strcmp(x->open[x->depth - 1], x->name) != 0)
    return wrong(x, "an end tag does not fit the element that is open");
  x->depth--;
  return HK_XML_END;
}

hk_xml_kind hki_xml_next(hk_xml *x) {
  if (x->wrong) return HK_XML_WRONG;
  if (x->closes) {
    x->closes = false;
    x->name = x->open[--x->depth];
    return HK_XML_END;
  }
  for (;;) {
    while (x->s < x->end && *x->s != '<') x->s++;
    if (x->s == x->end) return x->depth ? wrong(x, "the text ends within an element") : HK_XML_DONE;
    if (begins(x, "<!DOCTYPE")) return wrong(x, "document types are not allowed");
    bool passed = true;
    if (begins(x, "<!--"))
      passed = skip_past(x, "-->");
    else if (begins(x, "<![CDATA["))
      passed = skip_past(x, "]]>");
    else if (begins(x, "<?"))
      passed = skip_past(x, "?>");
    else
      break;
    if (!passed) return wrong(x, "a comment or instruction is not closed");
  }
  x->s++;
  if (peek(x) != '/') return begin_element(x);
  x->s++;
  return end_element(x);
}

const char *hki_xml_get(const hk_xml *x, const char *key) {
  for (int32_t i = 0; i < x->nattributes; i++)
    if (strcmp(x->key[i], key) == 0) return x->value[i];
  return NULL;
}

void hki_xml_place(const hk_xml *x, int32_t *line, int32_t *column) {
  *line = 1, *column = 1;
  for (const char *s = x->begin; s < x->s; s++) {
    if (*s == '\n')
      ++*line, *column = 1;
    else
      ++*column;
  }
}

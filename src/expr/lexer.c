/* SPDX-License-Identifier: Apache-2.0
 *
 * lexer.c: cuts the text of an expression into tokens, and makes the messages about it.
 *
 * Numbers are read the same in every locale. Names may use letters of any script (UTF-8). Signs
 * that only look like operators (a typographic minus, a multiplication cross) get a hint.
 */
#include "expr/expr_impl.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- messages --------------------------------------------------------------------------------- */

hk_loc hki_expr_place(const hk_expr_parser *p, int32_t at) {
  hk_loc loc = p->loc;
  if (loc.line <= 0) return loc;
  if (loc.col <= 0) loc.col = 1;
  for (int32_t i = 0; i < at && i < p->len; i++) {
    unsigned char c = (unsigned char)p->text[i];
    if (c == '\n') {
      loc.line++;
      loc.col = 1;
    } else if ((c & 0xC0) != 0x80) {
      loc.col++;
    }
  }
  return loc;
}

hk_status hki_expr_fail(hk_expr_parser *p, int32_t at, const char *hint, const char *fmt, ...) {
  if (p->status != HK_OK) return p->status;
  char message[256], quoted[HKI_EXPR_QUOTE];
  va_list args;
  va_start(args, fmt);
  vsnprintf(message, sizeof message, fmt, args);
  va_end(args);
  p->status = HK_E_MODEL;

  // without a line to point at, the message carries the text itself
  if (p->loc.line > 0) {
    hki_error(p->ctx, HK_E_MODEL, hki_expr_place(p, at), hint, "%s", message);
  } else {
    hki_error(p->ctx, HK_E_MODEL, p->loc, hint, "%s (character %d of %s)", message, (int)at + 1,
              hki_expr_quote(p, 0, p->len, quoted));
  }
  return p->status;
}

const char *hki_expr_quote(const hk_expr_parser *p, int32_t at, int32_t len,
                           char out[HKI_EXPR_QUOTE]) {
  int32_t n = 0, limit = HKI_EXPR_QUOTE - 8;
  bool cut = false;
  out[n++] = '\'';
  for (int32_t i = at; i < at + len && i < p->len; i++) {
    unsigned char c = (unsigned char)p->text[i];
    // never cut inside a character, never print control characters
    if (n >= limit && (c & 0xC0) != 0x80) {
      cut = true;
      break;
    }
    if (n >= HKI_EXPR_QUOTE - 5) break;
    out[n++] = c < 0x20 || c == 0x7F ? '?' : (char)c;
  }
  if (cut) {
    memcpy(out + n, "...", 3);
    n += 3;
  }
  out[n++] = '\'';
  out[n] = '\0';
  return out;
}

const char *hki_expr_token_text(const hk_expr_parser *p, char out[HKI_EXPR_QUOTE]) {
  if (p->tok.kind == TOK_END) return "the end of the expression";
  return hki_expr_quote(p, p->tok.at, p->tok.len, out);
}

/* --- characters ------------------------------------------------------------------------------- */

static int peek(const hk_expr_parser *p, int32_t ahead) {
  return p->pos + ahead < p->len ? (unsigned char)p->text[p->pos + ahead] : -1;
}

static bool is_digit(int c) { return c >= '0' && c <= '9'; }
static bool is_letter(int c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* decode the character at byte `at`; *n its length in bytes, 0 when it is not valid UTF-8 */
static uint32_t decode(const hk_expr_parser *p, int32_t at, int32_t *n) {
  static const uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
  unsigned char c = (unsigned char)p->text[at];
  int32_t len = c < 0x80 ? 1 : (c & 0xE0) == 0xC0 ? 2 : (c & 0xF0) == 0xE0 ? 3 : 4;
  *n = 0;
  if (c < 0x80) {
    *n = 1;
    return c;
  }
  if ((c & 0xC0) == 0x80 || c > 0xF4 || at + len > p->len) return 0;
  uint32_t u = c & (0xFFu >> (len + 1));
  for (int32_t i = 1; i < len; i++) {
    unsigned char d = (unsigned char)p->text[at + i];
    if ((d & 0xC0) != 0x80) return 0;
    u = u << 6 | (d & 0x3Fu);
  }
  if (u < smallest[len] || u > 0x10FFFF || (u >= 0xD800 && u <= 0xDFFF)) return 0;
  *n = len;
  return u;
}

/* letters beyond ASCII: everything that is not punctuation, space or a mathematical sign */
static bool is_wide_letter(uint32_t u) {
  if (u < 0xC0) return u == 0xAA || u == 0xB5 || u == 0xBA;
  if (u == 0xD7 || u == 0xF7) return false;
  if (u >= 0x2000 && u < 0x2C00) return u >= 0x2080 && u < 0x209D; // subscripts
  if (u >= 0x3000 && u < 0x3040) return false;
  return u < 0xE000 || (u >= 0xF900 && u < 0xFE00) || (u >= 0x20000 && u < 0x40000);
}

/* bytes of a name character at p->pos, 0 = none */
static int32_t name_bytes(const hk_expr_parser *p, bool first) {
  int c = peek(p, 0);
  int32_t n;
  if (c < 0) return 0;
  if (c < 0x80) return is_letter(c) || (!first && is_digit(c)) ? 1 : 0;
  uint32_t u = decode(p, p->pos, &n);
  return n > 0 && is_wide_letter(u) ? n : 0;
}

/* --- tokens ----------------------------------------------------------------------------------- */

static bool take(hk_expr_parser *p, hk_expr_token_kind kind, hk_expr_op op, int32_t len) {
  p->tok = (hk_expr_token){.kind = kind, .op = op, .at = p->pos, .len = len};
  p->pos += len;
  return true;
}

/* strtod with the decimal point of whatever locale is set */
static double read_double(const char *s, int32_t n) {
  char buf[160];
  int32_t m = 0;
  for (int32_t i = 0; i < n; i++) {
    if (s[i] == '.') {
      const char *point = localeconv()->decimal_point;
      for (; *point && m < (int32_t)sizeof buf - 1; point++) buf[m++] = *point;
    } else if (m < (int32_t)sizeof buf - 1) {
      buf[m++] = s[i];
    }
  }
  buf[m] = '\0';
  return strtod(buf, NULL);
}

static int32_t skip_digits(const hk_expr_parser *p, int32_t at) {
  while (at < p->len && is_digit((unsigned char)p->text[at])) at++;
  return at;
}

/* reports a letter or dot right behind a number */
static bool fail_after_number(hk_expr_parser *p, int32_t end) {
  char quoted[HKI_EXPR_QUOTE], hint[160], name[16];
  int32_t start = p->pos;
  p->pos = end;
  if (p->text[end] == '.') {
    while (p->pos < p->len && (is_digit(peek(p, 0)) || peek(p, 0) == '.')) p->pos++;
    hki_expr_fail(p, start, "a number has one decimal point", "%s is not a number",
                  hki_expr_quote(p, start, p->pos - start, quoted));
    return false;
  }
  for (int32_t n = 1; n > 0; p->pos += n) n = name_bytes(p, false);
  snprintf(name, sizeof name, "%.*s", (int)(p->pos - end), p->text + end);
  // short names of units, which mean something else on their own
  int32_t c = hki_expr_constant_find(name);
  const bool unit = c >= 0 && hki_expr_constant_kind_of(c) == KIND_SHORT;
  const char *known = unit ? hki_expr_name_hint(name) : NULL;
  if (p->text[start] == '0' && (p->text[end] == 'x' || p->text[end] == 'X')) {
    snprintf(hint, sizeof hint, "numbers are written in decimal");
  } else if (known) {
    snprintf(hint, sizeof hint, "%s", known);
  } else {
    snprintf(hint, sizeof hint, "to multiply, write %.*s*%.*s",
             (int)(end - start < 40 ? end - start : 40), p->text + start,
             (int)(p->pos - end < 40 ? p->pos - end : 40), p->text + end);
  }
  hki_expr_fail(p, start, hint, "expected a number or a name, found %s",
                hki_expr_quote(p, start, p->pos - start, quoted));
  return false;
}

static bool lex_number(hk_expr_parser *p) {
  char quoted[HKI_EXPR_QUOTE];
  int32_t start = p->pos, end = skip_digits(p, start);
  if (end < p->len && p->text[end] == '.') end = skip_digits(p, end + 1);
  // an exponent counts only with its digits; otherwise the e begins a name
  if (end < p->len && (p->text[end] == 'e' || p->text[end] == 'E')) {
    int32_t e = end + 1;
    if (e < p->len && (p->text[e] == '+' || p->text[e] == '-')) e++;
    if (skip_digits(p, e) > e) end = skip_digits(p, e);
  }
  if (end < p->len) {
    p->pos = end;
    bool wrong = p->text[end] == '.' || name_bytes(p, true) > 0;
    p->pos = start;
    if (wrong) return fail_after_number(p, end);
  }
  if (end - start > 128) {
    hki_expr_fail(p, start, "17 digits are enough for any number",
                  "a number of %d characters; at most 128 are allowed", (int)(end - start));
    return false;
  }

  // a number that overflows or underflows is taken for a mistake
  double value = read_double(p->text + start, end - start);
  bool zero = true;
  for (int32_t i = start; i < end && p->text[i] != 'e' && p->text[i] != 'E'; i++) {
    if (p->text[i] >= '1' && p->text[i] <= '9') zero = false;
  }
  if (!isfinite(value) || (value == 0.0 && !zero)) {
    hki_expr_fail(p, start, "numbers reach from about 1e-323 to 1.7e308", "%s is too %s a number",
                  hki_expr_quote(p, start, end - start, quoted), value == 0.0 ? "small" : "large");
    return false;
  }
  take(p, TOK_NUMBER, OP_CONST, end - start);
  p->tok.value = value;
  return true;
}

static bool lex_name(hk_expr_parser *p) {
  char quoted[HKI_EXPR_QUOTE];
  int32_t start = p->pos;
  for (;;) {
    for (int32_t n = name_bytes(p, false); n > 0; n = name_bytes(p, false)) p->pos += n;
    if (peek(p, 0) != '.') break;
    // a dot joins two parts, the second of which may begin with a digit
    p->pos++;
    if (name_bytes(p, false) == 0) {
      hki_expr_fail(p, p->pos, "names look like body.rod.position.x",
                    "expected a letter or digit after %s",
                    hki_expr_quote(p, start, p->pos - start, quoted));
      return false;
    }
  }
  int32_t len = p->pos - start;
  const char *s = p->text + start;
  p->pos = start;
  if (len == 3 && memcmp(s, "and", 3) == 0) return take(p, TOK_AND, OP_AND, 3);
  if (len == 2 && memcmp(s, "or", 2) == 0) return take(p, TOK_OR, OP_OR, 2);
  if (len == 3 && memcmp(s, "not", 3) == 0) return take(p, TOK_NOT, OP_NOT, 3);
  return take(p, TOK_NAME, OP_INPUT, len);
}

/* the numbers of YAML that are none here */
static bool fail_endless(hk_expr_parser *p) {
  static const char *const words[] = {".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF"};
  char quoted[HKI_EXPR_QUOTE];
  for (int32_t i = 0; i < HK_ARRAY_LEN(words); i++) {
    if (p->len - p->pos < 4 || memcmp(p->text + p->pos, words[i], 4) != 0) continue;
    hki_expr_fail(p, p->pos, "write a finite number, or an expression such as 2*sin(t)",
                  "%s is not a finite number", hki_expr_quote(p, p->pos, 4, quoted));
    return true;
  }
  return false;
}

/* signs that other languages have, or that only look right */
static bool fail_character(hk_expr_parser *p) {
  static const struct {
    const char *sign, *hint;
  } known[] = {
      {"&&", "write 'and'"},
      {"||", "write 'or'"},
      {"**", "write '^' for powers"},
      {"=", "write '==' to compare"},
      {"!", "write 'not'"},
      {"<>", "write '!=' for not equal"},
      {"%", "write fmod(x, y) for the remainder, x/100 for percent"},
      {"?", "write if(c, a, b)"},
      {":", "write if(c, a, b)"},
      {"[", "use round brackets"},
      {"]", "use round brackets"},
      {"{", "use round brackets"},
      {"}", "use round brackets"},
      {";", "arguments are separated by ','"},
      {"\xE2\x88\x92", "write the plain minus '-'"},
      {"\xE2\x80\x93", "write the plain minus '-'"},
      {"\xE2\x80\x94", "write the plain minus '-'"},
      {"\xC3\x97", "write '*'"},
      {"\xC2\xB7", "write '*'"},
      {"\xE2\x8B\x85", "write '*'"},
      {"\xC3\xB7", "write '/'"},
      {"\xC2\xB2", "write '^2'"},
      {"\xC2\xB3", "write '^3'"},
      {"\xC2\xB0", "write '*deg'"},
      {"\xE2\x89\xA4", "write '<='"},
      {"\xE2\x89\xA5", "write '>='"},
      {"\xE2\x89\xA0", "write '!='"},
      {"\xC2\xA0", "write a plain space"},
  };
  char quoted[HKI_EXPR_QUOTE];
  int32_t n;
  if (fail_endless(p)) return false;
  for (int32_t i = 0; i < HK_ARRAY_LEN(known); i++) {
    int32_t len = (int32_t)strlen(known[i].sign);
    if (p->pos + len <= p->len && memcmp(p->text + p->pos, known[i].sign, (size_t)len) == 0) {
      hki_expr_fail(p, p->pos, known[i].hint, "%s is not part of an expression",
                    hki_expr_quote(p, p->pos, len, quoted));
      return false;
    }
  }
  decode(p, p->pos, &n);
  unsigned char c = (unsigned char)p->text[p->pos];
  if (n == 0 || c < 0x20 || c == 0x7F) {
    hki_expr_fail(p, p->pos, "expressions are plain text (UTF-8)",
                  "unexpected byte 0x%02X in the expression", (unsigned)c);
  } else {
    hki_expr_fail(p, p->pos, NULL, "%s is not part of an expression",
                  hki_expr_quote(p, p->pos, n, quoted));
  }
  return false;
}

bool hki_expr_next(hk_expr_parser *p) {
  while (peek(p, 0) == ' ' || peek(p, 0) == '\t' || peek(p, 0) == '\n' || peek(p, 0) == '\r') {
    p->pos++;
  }
  int c = peek(p, 0), d = peek(p, 1);
  if (c < 0) return take(p, TOK_END, OP_CONST, 0);
  if (is_digit(c) || (c == '.' && is_digit(d))) return lex_number(p);
  if (name_bytes(p, true) > 0) return lex_name(p);
  switch (c) {
    case '(':
      return take(p, TOK_OPEN, OP_CONST, 1);
    case ')':
      return take(p, TOK_CLOSE, OP_CONST, 1);
    case '[': // of a component, right behind a name
      if (p->tok.kind != TOK_NAME || p->tok.at + p->tok.len != p->pos) return fail_character(p);
      return take(p, TOK_INDEX, OP_CONST, 1);
    case ']':
      return p->indexed ? take(p, TOK_INDEX_END, OP_CONST, 1) : fail_character(p);
    case ',':
      return take(p, TOK_COMMA, OP_CONST, 1);
    case '+':
      return take(p, TOK_OP, OP_ADD, 1);
    case '-':
      return take(p, TOK_OP, OP_SUB, 1);
    case '/':
      return take(p, TOK_OP, OP_DIV, 1);
    case '^':
      return take(p, TOK_OP, OP_POW, 1);
    case '*':
      return d == '*' ? fail_character(p) : take(p, TOK_OP, OP_MUL, 1);
    case '<':
      if (d == '>') return fail_character(p);
      return d == '=' ? take(p, TOK_OP, OP_LE, 2) : take(p, TOK_OP, OP_LT, 1);
    case '>':
      return d == '=' ? take(p, TOK_OP, OP_GE, 2) : take(p, TOK_OP, OP_GT, 1);
    case '=':
      return d == '=' ? take(p, TOK_OP, OP_EQ, 2) : fail_character(p);
    case '!':
      return d == '=' ? take(p, TOK_OP, OP_NE, 2) : fail_character(p);
    default:
      return fail_character(p);
  }
}

bool hki_expr_is_name(const char *name) {
  size_t len = strlen(name);
  hk_ctx *none = NULL; // without a context there are no messages, only the status
  hk_expr_parser p = {.ctx = none, .text = name, .len = (int32_t)len, .status = HK_E_MODEL};
  if (len == 0 || len >= HKI_EXPR_NAME || name_bytes(&p, true) == 0) return false;
  return lex_name(&p) && p.tok.kind == TOK_NAME && p.pos == p.len;
}

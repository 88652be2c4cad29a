/* SPDX-License-Identifier: Apache-2.0
 *
 * plain_yaml.c: see plain_yaml.h. The whole text is read by recursive descent into a list of events,
 * which are then given out one by one.
 */
#include "formats/plain_yaml.h"

#include <string.h>

/* deeper nesting than any reader of the tree allows */
enum { MOST_DEPTH = 80 };

/* --- characters and events -------------------------------------------------------------------- */

static bool fail(hk_plain_parser *p, const char *problem) {
  if (!p->problem) p->problem = problem, p->problem_mark = p->at;
  return false;
}

static bool no_memory(hk_plain_parser *p) {
  p->error = HK_PLAIN_MEMORY;
  return fail(p, "out of memory");
}

/* the character `ahead`, 0 behind the end */
static char peek(const hk_plain_parser *p, size_t ahead) {
  return (size_t)(p->end - p->s) > ahead ? p->s[ahead] : '\0';
}

static bool at_end(const hk_plain_parser *p) { return p->s == p->end; }

static void step(hk_plain_parser *p) {
  const unsigned char c = (unsigned char)*p->s++;
  p->at.index++;
  if (c == '\n')
    p->at.line++, p->at.column = 0;
  else if ((c & 0xC0u) != 0x80u)
    p->at.column++;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
static bool ends_word(char c) { return c == '\0' || c == '\n' || is_blank(c); }

/* blanks and a comment of this line */
static void skip_line(hk_plain_parser *p) {
  while (!at_end(p) && is_blank(*p->s)) step(p);
  if (!at_end(p) && *p->s == '#' && (p->at.column == 0 || is_blank(p->s[-1])))
    while (!at_end(p) && *p->s != '\n') step(p);
}

/* blanks, comments and ends of lines */
static void skip_space(hk_plain_parser *p) {
  for (skip_line(p); !at_end(p) && *p->s == '\n'; skip_line(p)) step(p);
}

static hk_plain_event *event(hk_plain_parser *p, hk_plain_kind type) {
  if (!HK_GROW(NULL, p->events, p->cap, p->nevents + 1)) return no_memory(p), NULL;
  hk_plain_event *e = &p->events[p->nevents++];
  memset(e, 0, sizeof *e);
  e->type = type;
  e->start_mark = e->end_mark = p->at;
  return e;
}

static bool put(hk_plain_parser *p, char c) {
  if (p->nchars == p->cap_chars) {
    const size_t cap = p->cap_chars + p->cap_chars / 2 + 256;
    char *more = hki_realloc(NULL, p->chars, cap);
    if (!more) return no_memory(p);
    p->chars = more;
    p->cap_chars = cap;
  }
  p->chars[p->nchars++] = c;
  return true;
}

/* --- scalars ---------------------------------------------------------------------------------- */

/* a character of this code as UTF-8 */
static bool put_code(hk_plain_parser *p, unsigned code) {
  if (code < 0x80) return put(p, (char)code);
  if (code < 0x800)
    return put(p, (char)(0xC0u | code >> 6)) && put(p, (char)(0x80u | (code & 63u)));
  return put(p, (char)(0xE0u | code >> 12)) && put(p, (char)(0x80u | (code >> 6 & 63u))) &&
         put(p, (char)(0x80u | (code & 63u)));
}

static int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* behind a backslash within double quotes */
static bool escape(hk_plain_parser *p) {
  static const char from[] = "nt\"\\/re0", to[] = "\n\t\"\\/\r\x1b";
  const char c = peek(p, 0);
  const char *known = c ? strchr(from, c) : NULL;
  if (known && known - from < (long)sizeof to) {
    step(p);
    return put(p, to[known - from]);
  }
  const int n = c == 'u' ? 4 : c == 'x' ? 2 : 0;
  unsigned code = 0;
  if (!n) return fail(p, "found unknown escape character");
  step(p);
  for (int i = 0; i < n; i++) {
    const int d = digit(peek(p, 0));
    if (d < 0) return fail(p, "did not find expected hexdecimal number");
    code = 16 * code + (unsigned)d;
    step(p);
  }
  if (code >= 0xD800 && code < 0xE000) return fail(p, "found half a surrogate pair");
  return put_code(p, code);
}

static bool quoted(hk_plain_parser *p) {
  const char quote = *p->s;
  hk_plain_event *e = event(p, HK_PLAIN_SCALAR);
  if (!e) return false;
  const int32_t mine = p->nevents - 1;
  e->text = p->nchars;
  e->data.scalar.style = HK_PLAIN_QUOTED;
  step(p);
  for (;;) {
    const char c = peek(p, 0);
    if (at_end(p)) return fail(p, "found unexpected end of stream");
    if (c == '\n') return fail(p, "a text over several lines is not plain YAML");
    if (c == quote && quote == '\'' && peek(p, 1) == '\'')
      step(p);
    else if (c == quote)
      break;
    step(p);
    if (quote == '"' && c == '\\' ? !escape(p) : !put(p, c)) return false;
  }
  step(p);
  e = &p->events[mine];
  e->end_mark = p->at;
  e->data.scalar.length = p->nchars - e->text;
  return put(p, '\0');
}

/* a text without quotes, to the end of the line, a comment, or ": "; flow: also to , [ ] { } */
static bool plain(hk_plain_parser *p, bool flow) {
  if (strchr("&*!|>%@`", peek(p, 0)) && peek(p, 0))
    return fail(p, "anchors, aliases, tags and texts over several lines are not plain YAML");
  hk_plain_event *e = event(p, HK_PLAIN_SCALAR);
  if (!e) return false;
  const int32_t mine = p->nevents - 1;
  hk_plain_mark last = p->at;
  size_t kept = p->nchars;
  e->text = p->nchars;
  while (!at_end(p) && *p->s != '\n') {
    const char c = *p->s;
    if (c == ':' && (ends_word(peek(p, 1)) || (flow && strchr(",[]{}", peek(p, 1))))) break;
    if (c == '#' && p->nchars > p->events[mine].text && is_blank(p->s[-1])) break;
    if (flow && strchr(",[]{}", c)) break;
    step(p);
    if (!put(p, c)) return false;
    if (!is_blank(c)) kept = p->nchars, last = p->at;
  }
  e = &p->events[mine];
  e->end_mark = last;
  p->nchars = kept;
  e->data.scalar.length = kept - e->text;
  return put(p, '\0');
}

/* a scalar that is not there */
static bool nothing(hk_plain_parser *p) {
  hk_plain_event *e = event(p, HK_PLAIN_SCALAR);
  if (!e) return false;
  e->text = p->nchars;
  return put(p, '\0');
}

static bool scalar(hk_plain_parser *p, bool flow) {
  return peek(p, 0) == '"' || peek(p, 0) == '\'' ? quoted(p) : plain(p, flow);
}

/* --- braces and brackets ---------------------------------------------------------------------- */

static bool flow_node(hk_plain_parser *p);

static bool flow_entry(hk_plain_parser *p) {
  if (!scalar(p, true)) return false;
  skip_space(p);
  if (peek(p, 0) != ':') return fail(p, "could not find expected ':'");
  step(p);
  skip_space(p);
  return peek(p, 0) == ',' || peek(p, 0) == '}' ? nothing(p) : flow_node(p);
}

/* one level deeper; the caller leaves it by depth-- */
static bool deeper(hk_plain_parser *p) {
  return ++p->depth <= MOST_DEPTH || fail(p, "nested too deeply");
}

static bool flow_node(hk_plain_parser *p) {
  const char open = peek(p, 0);
  const bool map = open == '{';
  if (open != '{' && open != '[') return scalar(p, true);
  const char close = map ? '}' : ']';
  if (!deeper(p) || !event(p, map ? HK_PLAIN_MAPPING : HK_PLAIN_SEQUENCE)) return false;
  step(p);
  for (skip_space(p); peek(p, 0) != close; skip_space(p)) {
    if (at_end(p) || strchr(",]}", peek(p, 0)))
      return fail(p, map ? "did not find expected ',' or '}'" : "did not find expected ',' or ']'");
    if (map ? !flow_entry(p) : !flow_node(p)) return false;
    skip_space(p);
    if (peek(p, 0) == ',')
      step(p);
    else if (peek(p, 0) != close)
      return fail(p, map ? "did not find expected ',' or '}'" : "did not find expected ',' or ']'");
  }
  step(p);
  p->depth--;
  return event(p, map ? HK_PLAIN_MAPPING_END : HK_PLAIN_SEQUENCE_END);
}

/* --- blocks ----------------------------------------------------------------------------------- */

static bool block_node(hk_plain_parser *p);

static bool is_item(const hk_plain_parser *p) { return peek(p, 0) == '-' && ends_word(peek(p, 1)); }

/* What stands behind "key:" or "-" at column `column`: in this line, in deeper ones, or nothing. A list may
 * begin in the column of its key. */
static bool value_of(hk_plain_parser *p, size_t column, bool key) {
  const size_t line = p->at.line;
  const hk_plain_mark here = p->at;
  skip_space(p);
  if (!at_end(p) && (p->at.line == line || p->at.column > column ||
                     (key && p->at.column == column && is_item(p))))
    return p->at.line == line && key && is_item(p)
               ? fail(p, "block sequence entries are not allowed in this context")
               : block_node(p);
  if (!nothing(p)) return false;
  p->events[p->nevents - 1].start_mark = p->events[p->nevents - 1].end_mark = here;
  return true;
}

/* after an entry: is there another one in the same column? */
static bool another(hk_plain_parser *p, size_t column, bool *go) {
  skip_space(p);
  *go = !at_end(p) && p->at.column == column;
  if (!at_end(p) && p->at.column > column)
    return fail(p, "did not find expected key: the line is indented deeper than those above");
  return true;
}

static bool block_sequence(hk_plain_parser *p) {
  const size_t column = p->at.column;
  bool go = true;
  if (!event(p, HK_PLAIN_SEQUENCE)) return false;
  while (go && is_item(p)) {
    step(p);
    if (!value_of(p, column, false) || !another(p, column, &go)) return false;
  }
  return event(p, HK_PLAIN_SEQUENCE_END);
}

/* the entries of a mapping whose first key was read as event `key` and is followed by ':' */
static bool block_mapping(hk_plain_parser *p, int32_t key, size_t column) {
  bool go = true;
  // the event of the mapping stands before that of its first key
  if (!event(p, HK_PLAIN_MAPPING)) return false;
  const hk_plain_event first = p->events[key];
  p->events[key] = p->events[p->nevents - 1];
  p->events[key].start_mark = p->events[key].end_mark = first.start_mark;
  p->events[p->nevents - 1] = first;
  for (;;) {
    step(p); // the colon
    if (!value_of(p, column, true) || !another(p, column, &go)) return false;
    if (!go) return event(p, HK_PLAIN_MAPPING_END);
    if (is_item(p) || !scalar(p, false)) return fail(p, "did not find expected key");
    skip_line(p);
    if (peek(p, 0) != ':') return fail(p, "could not find expected ':'");
  }
}

static bool block_node(hk_plain_parser *p) {
  const size_t column = p->at.column;
  bool ok;
  if (!deeper(p)) return false;
  if (is_item(p)) {
    ok = block_sequence(p);
  } else if (peek(p, 0) == '[' || peek(p, 0) == '{') {
    ok = flow_node(p);
  } else {
    const int32_t mine = p->nevents;
    ok = scalar(p, false);
    while (ok && !at_end(p) && is_blank(*p->s)) step(p);
    if (ok && peek(p, 0) == ':') ok = block_mapping(p, mine, column);
  }
  p->depth--;
  return ok;
}

/* --- the parser ------------------------------------------------------------------------------- */

int hki_plain_start(hk_plain_parser *p) {
  memset(p, 0, sizeof *p);
  return 1;
}

void hki_plain_input(hk_plain_parser *p, const unsigned char *text, size_t len) {
  p->s = (const char *)text;
  p->end = p->s + len;
}

static bool read_all(hk_plain_parser *p) {
  if (!event(p, HK_PLAIN_DOCUMENT)) return false;
  skip_space(p);
  if (peek(p, 0) == '-' && peek(p, 1) == '-' && peek(p, 2) == '-')
    return fail(p, "documents are not plain YAML");
  if (at_end(p) ? !nothing(p) : !block_node(p)) return false;
  skip_space(p);
  return at_end(p) ? event(p, HK_PLAIN_END) != NULL
                   : fail(p, "did not find expected end of the text");
}

int hki_plain_next(hk_plain_parser *p, hk_plain_event *out) {
  if (!p->read && !read_all(p)) return 0;
  p->read = true;
  *out = p->events[p->next < p->nevents - 1 ? p->next++ : p->nevents - 1];
  if (out->type == HK_PLAIN_SCALAR) out->data.scalar.value = (hk_plain_char *)p->chars + out->text;
  return 1;
}

void hki_plain_free(hk_plain_parser *p) {
  hki_free(NULL, p->events);
  hki_free(NULL, p->chars);
}

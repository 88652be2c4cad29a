/* SPDX-License-Identifier: Apache-2.0
 *
 * yaml_write.c: a tree of nodes -> YAML, which reads back as the same tree.
 *
 * Mappings and lists that fit on a line are written in braces and brackets, all others with one entry
 * on a line. Texts that stood in quotes stand in quotes again. A program's texts have none, since one
 * that is a name or an expression must be read as such; they get quotes where YAML needs them, and as
 * values of parameters, which are texts only in quotes.
 */
#include <string.h>

#include "formats/yaml.h"

enum { WIDTH = 92 }; /* columns of a line, roughly */

/* --- scalars ---------------------------------------------------------------------------------- */

/* characters that libyaml takes for ends of lines or does not print: U+0080 to U+009F, U+2028,
 * U+2029, U+FEFF; returns their bytes and the code, 0 for all others */
static int special(const unsigned char *s, unsigned *code) {
  if (s[0] == 0xC2 && s[1] >= 0x80 && s[1] <= 0x9F) return *code = s[1], 2;
  if (s[0] == 0xE2 && s[1] == 0x80 && (s[2] == 0xA8 || s[2] == 0xA9))
    return *code = 0x2000u + (s[2] & 0x3Fu), 3;
  if (s[0] == 0xEF && s[1] == 0xBB && s[2] == 0xBF) return *code = 0xFEFF, 3;
  return 0;
}

static void put_quoted(hk_text *out, const char *text) {
  hki_text_add(out, "\"");
  for (const char *s = text; *s;) {
    unsigned code = 0;
    const int n = special((const unsigned char *)s, &code);
    if (n) {
      hki_text_printf(out, "\\u%04X", code);
    } else if (*s == '\n' || *s == '\t') {
      hki_text_add(out, *s == '\n' ? "\\n" : "\\t");
    } else {
      if (*s == '"' || *s == '\\') hki_text_add(out, "\\");
      hki_text_addn(out, s, 1);
    }
    s += n ? n : 1;
  }
  hki_text_add(out, "\"");
}

static bool one_of(const char *word, const char *words) { return hki_word_find(words, word) >= 0; }

/* can the text stand without quotes, in every place, and be the same text again */
static bool is_plain(const char *s) {
  if (!*s || strchr("?:,[]{}#&*!|>'\"%@`= ", *s)) return false;
  if (*s == '-' && (s[1] == ' ' || s[1] == '-' || !s[1])) return false;
  if (strncmp(s, "...", 3) == 0 || strncmp(s, "<<", 2) == 0) return false;
  if (one_of(s, "~ null Null NULL")) return false;
  const char *c = s;
  for (; *c; c++) {
    if (*c < 0x20 || *c > 0x7E || strchr(",[]{}", *c)) return false;
    if (*c == ':' && (c[1] == ' ' || !c[1])) return false;
    if (*c == '#' && c[-1] == ' ') return false;
  }
  return c[-1] != ' ';
}

static void put_key(hk_text *out, const char *key) {
  // words that other readers take for true or false are quoted
  if (is_plain(key) && !one_of(key, "y n yes no on off true false Yes No On Off True False")) {
    hki_text_add(out, key);
  } else {
    put_quoted(out, key);
  }
}

static void put_scalar(hk_text *out, const hk_node *node, bool parameter) {
  if (node->kind == HK_NODE_NULL) {
    hki_text_add(out, "null");
  } else if (!node->quoted && !(node->open && parameter) && is_plain(node->text)) {
    hki_text_addn(out, node->text, (size_t)node->len);
  } else {
    put_quoted(out, node->text);
  }
}

/* --- mappings and lists ----------------------------------------------------------------------- */

static bool is_scalar(const hk_node *n) {
  return n->kind == HK_NODE_SCALAR || n->kind == HK_NODE_NULL;
}

static bool only_scalars(const hk_node *n) {
  for (int32_t i = 0; i < n->count; i++)
    if (!is_scalar(n->kind == HK_NODE_MAPPING ? n->entries[i].value : n->items[i])) return false;
  return true;
}

/* What is said of a value: of a scalar that it is a parameter, of a mapping that its values are. */
static bool of_parameters(bool parameters, const char *key, const hk_node *value) {
  return is_scalar(value) ? parameters : strcmp(key, "parameters") == 0;
}

/* in braces or brackets; a list that grows too long goes on in the next line with this indentation */
static void put_flow(hk_text *out, const hk_node *node, bool parameters, int32_t indent) {
  if (is_scalar(node)) {
    put_scalar(out, node, parameters);
    return;
  }
  const bool map = node->kind == HK_NODE_MAPPING;
  size_t line = out->len;
  hki_text_add(out, map ? "{" : "[");
  for (int32_t i = 0; i < node->count; i++) {
    if (i) hki_text_add(out, ",");
    if (i && indent >= 0 && out->len - line > WIDTH - 12 - (size_t)indent) {
      hki_text_printf(out, "\n%*s", (int)indent, "");
      line = out->len;
    } else if (i) {
      hki_text_add(out, " ");
    }
    if (map) {
      const hk_entry *e = &node->entries[i];
      put_key(out, e->key);
      hki_text_add(out, ": ");
      put_flow(out, e->value, of_parameters(parameters, e->key, e->value), -1);
    } else {
      put_flow(out, node->items[i], false, -1);
    }
  }
  hki_text_add(out, map ? "}" : "]");
}

/* does it fit on the rest of a line: a scalar, or a mapping or list of few short things */
static bool fits(const hk_node *node, hk_ctx *ctx, size_t room) {
  if (is_scalar(node) || node->count == 0) return true;
  if (node->count > WIDTH / 2) return false;
  for (int32_t i = 0; i < node->count; i++) {
    const hk_node *c = node->kind == HK_NODE_MAPPING ? node->entries[i].value : node->items[i];
    if (!is_scalar(c) && (c->count > WIDTH / 2 || !only_scalars(c))) return false;
  }
  hk_text trial;
  hki_text_init(&trial, ctx);
  put_flow(&trial, node, false, -1);
  const bool ok = trial.len <= room;
  hki_text_free(&trial);
  return ok;
}

/* the entries of a mapping or list, each on lines of its own; the first one's indentation is there */
static void put_block(hk_text *out, const hk_node *node, int32_t indent, bool parameters) {
  const bool map = node->kind == HK_NODE_MAPPING;
  for (int32_t i = 0; i < node->count; i++) {
    const hk_node *value = map ? node->entries[i].value : node->items[i];
    const char *key = map ? node->entries[i].key : "";
    if (i) hki_text_printf(out, "%*s", (int)indent, "");
    if (map) put_key(out, key);
    hki_text_add(out, map ? ":" : "-");
    const size_t used = strlen(key) + 2 + (size_t)indent, room = used < WIDTH ? WIDTH - used : 0;
    const bool inner = of_parameters(parameters, key, value);
    if (fits(value, out->ctx, room) || (value->kind == HK_NODE_SEQUENCE && only_scalars(value))) {
      hki_text_add(out, " ");
      put_flow(out, value, inner, indent + 4);
      hki_text_add(out, "\n");
      continue;
    }
    if (map) {
      hki_text_printf(out, "\n%*s", (int)indent + 2, "");
    } else {
      hki_text_add(out, " ");
    }
    put_block(out, value, indent + 2, inner);
  }
}

void hki_yaml_write(const hk_node *node, hk_text *out) {
  if (is_scalar(node) || node->count == 0) {
    put_flow(out, node, false, -1);
    hki_text_add(out, "\n");
    return;
  }
  put_block(out, node, 0, false);
}

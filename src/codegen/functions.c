/* SPDX-License-Identifier: Apache-2.0
 *
 * functions.c: the text of the elementary functions that a program needs.
 */
#include "codegen/functions.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/prelude.h"
#include "codegen/setup.h"

typedef struct piece {
  const char *name, *needs, *text;
} piece;

static const piece pieces[] = {
#define F(name, needs, ...) {#name, needs, #__VA_ARGS__},
#include "codegen/functions.def"
#undef F
};
enum { PIECES = (int)(sizeof pieces / sizeof pieces[0]) };

/* operations that are functions of functions.def */
static const struct {
  hk_op op;
  const char *name;
} calls[] = {
    {HK_G_ABS, "abs"},     {HK_G_COPYSIGN, "copysign"}, {HK_G_FLOOR, "floor"}, {HK_G_CEIL, "ceil"},
    {HK_G_TRUNC, "trunc"}, {HK_G_NEAREST, "nearest"},   {HK_G_SIN, "sin"},     {HK_G_COS, "cos"},
    {HK_G_TAN, "tan"},     {HK_G_ASIN, "asin"},         {HK_G_ACOS, "acos"},   {HK_G_ATAN, "atan"},
    {HK_G_ATAN2, "atan2"}, {HK_G_SINH, "sinh"},         {HK_G_COSH, "cosh"},   {HK_G_TANH, "tanh"},
    {HK_G_EXP, "exp"},     {HK_G_EXP2, "exp2"},         {HK_G_EXPM1, "expm1"}, {HK_G_LOG, "log"},
    {HK_G_LOG10, "log10"}, {HK_G_LOG2, "log2"},         {HK_G_LOG1P, "log1p"}, {HK_G_CBRT, "cbrt"},
    {HK_G_POW, "pow"},     {HK_G_HYPOT, "hypot"},       {HK_G_FMOD, "fmod"},
};

static int find(const char *name, size_t n) {
  for (int i = 0; i < PIECES; i++)
    if (strncmp(pieces[i].name, name, n) == 0 && !pieces[i].name[n]) return i;
  HK_ASSERT(false);
  return 0;
}

/* a piece and those that it calls, which stand before it */
static void need(bool *needed, int i) {
  if (needed[i]) return;
  needed[i] = true;
  for (const char *s = pieces[i].needs; *s;) {
    const size_t n = strcspn(s, " ");
    need(needed, find(s, n));
    s += n + (s[n] == ' ');
  }
}

/* One function, whose text is one line: a line for each statement, long ones broken at spaces. */
static void put_text(hk_text *out, const char *text) {
  enum { COLUMNS = 96 };
  int depth = 0, inside = 0, column = 0;
  for (const char *s = text; *s; s++) {
    const size_t word = strcspn(s + 1, " ");
    if (*s == ' ' && column == 0) continue;
    if (*s == ' ' && column + (int)word > COLUMNS) {
      hki_text_printf(out, "\n%*s", 2 * depth + 4, ""), column = 2 * depth + 4;
      continue;
    }
    inside += (*s == '(') - (*s == ')');
    depth += (*s == '{') - (*s == '}');
    if (column == 0) hki_text_printf(out, "%*s", 2 * depth, ""), column = 2 * depth;
    hki_text_addn(out, s, 1), column++;
    if (inside == 0 && (*s == ';' || *s == '{' || *s == '}')) hki_text_add(out, "\n"), column = 0;
  }
  hki_text_add(out, "\n");
}

/* width: of packs of so many alone; 0: of all */
static void need_of(bool *needed, const hk_plan *p, int width) {
  const hk_graph *g = &p->t->g;
  for (uint32_t n = 1; n < g->n; n++)
    for (size_t k = 0; k < sizeof calls / sizeof calls[0]; k++)
      if (p->needed[n] && g->nodes[n].op == calls[k].op) {
        if (width && !(p->pack_of[n] && p->packs[p->pack_of[n] - 1].width == width)) continue;
        const char *name = p->pair[n] ? "sincos" : calls[k].name;
        need(needed, find(name, strlen(name)));
      }
}

static void need_all(bool *needed, const hk_plan *p) {
  need_of(needed, p, 0);
  if (p->t->setup) need_of(needed, p->t->setup->plan, 0);
}

void hki_functions_write(const hk_plan *p, hk_text *out) {
  bool needed[PIECES] = {0};
  need_all(needed, p);
  for (int i = 0; i < PIECES; i++)
    if (needed[i]) put_text(out, pieces[i].text);
}

/* --- numbers in a list ------------------------------------------------------------------------ */

/* The length of the number that begins here, if it has 32 more bits than an instruction has room for; else 0. Names and whole numbers
 * are none. */
static size_t long_number(const char *text, const char *s) {
  if (s != text && (isalnum((unsigned char)s[-1]) || s[-1] == '_' || s[-1] == '.')) return 0;
  const size_t n = strspn(s, "0123456789");
  if (!n || s[n] != '.') return 0;
  char *end;
  const double x = strtod(s, &end);
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits & 0xffffffffu ? (size_t)(end - s) : 0;
}

/* a text with the entries of the list in the place of its long numbers; new ones go to the list */
static void put_listed(hk_text *out, const char *text, hk_text *list, int32_t *n) {
  for (const char *s = text; *s;) {
    const size_t length = long_number(text, s);
    if (!length) {
      hki_text_addn(out, s++, 1);
      continue;
    }
    hki_text_printf(out, "hkx_fixed[%d]", *n);
    hki_text_printf(list, "%s%.*s", !*n ? "" : *n % 4 ? ", " : ",\n    ", (int)length, s);
    s += length, (*n)++;
  }
}

void hki_functions_write_fixed(const hk_plan *p, hk_text *out) {
  bool needed[PIECES] = {0};
  hk_text listed, list;
  int32_t n = 0;
  need_all(needed, p);
  hki_text_init(&listed, out->ctx), hki_text_init(&list, out->ctx);
  for (int i = 0; i < PIECES; i++) {
    if (!needed[i]) continue;
    put_listed(&listed, pieces[i].text, &list, &n);
    hki_text_addn(&listed, "", 1); // pieces end by NUL
  }
  if (n) hki_text_printf(out, "HKX_FIXED double hkx_fixed[%d] = {%s};\n", n, list.s);
  for (size_t at = 0; at < listed.len; at += strlen(listed.s + at) + 1)
    put_text(out, listed.s + at);
  if (listed.failed || list.failed) out->failed = true;
  hki_text_free(&listed), hki_text_free(&list);
}

void hki_functions_write_packs(const hk_plan *p, hk_text *out) {
  bool fours[PIECES] = {0}, pairs[PIECES] = {0};
  const int sincos = find("sincos", 6);
  need_of(fours, p, 4), need_of(pairs, p, 2);
  // the absolute value is an operation of the prelude
  if (fours[sincos] || pairs[sincos]) hki_text_add(out, hki_prelude_packs_functions);
  if (!fours[sincos]) return;
  hki_text_add(out, hki_prelude_fours_functions);
  for (int i = 0; i < PIECES; i++)
    if (fours[i]) put_text(out, pieces[i].text);
  hki_text_add(out, hki_prelude_fours_end);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * bundle.c: see bundle.h.
 */
#include "fmu/bundle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char first_line[] = "hooke-fmu 1\n";

/* doubles the room of an array in a pool; the old one stays there */
static bool more(hk_pool *pool, void **items, int32_t n, int32_t cap, size_t size) {
  void *p = hki_pool_alloc(pool, (size_t)cap * size);
  if (!p) return false;
  if (n) memcpy(p, *items, (size_t)n * size);
  *items = p;
  return true;
}

bool hki_bundle_add(hk_pool *pool, hk_bundle_list *list, const char *name, double start,
                    const char *value) {
  if (list->n == list->cap) {
    const int32_t cap = 2 * list->cap + 8;
    if (!more(pool, (void **)&list->names, list->n, cap, sizeof *list->names) ||
        !more(pool, (void **)&list->starts, list->n, cap, sizeof *list->starts) ||
        !more(pool, (void **)&list->values, list->n, cap, sizeof *list->values))
      return false;
    list->cap = cap;
  }
  list->names[list->n] = name;
  list->starts[list->n] = start;
  list->values[list->n++] = value;
  return name != NULL;
}

/* --- reading ---------------------------------------------------------------------------------- */

typedef struct cursor {
  hk_pool *pool;
  const char *s, *end;
  hk_bundle *b;
} cursor;

/* a number and the blank behind it, at *s */
static bool number(char **s, double *x) {
  char *end;
  *x = strtod(*s, &end);
  if (end == *s || *end != ' ' || !isfinite(*x)) return false;
  *s = end + 1;
  return true;
}

static bool read_named(cursor *c, hk_bundle_list *list, char *rest, bool starts, bool valued) {
  double start = 0.0;
  char *value = NULL;
  if (starts && !number(&rest, &start)) return false;
  if (valued) {
    value = strchr(rest, ' ');
    if (!value) return false;
    *value++ = '\0';
  }
  return *rest && hki_bundle_add(c->pool, list, rest, start, value);
}

static bool read_positive(const char *rest, double *x) {
  char *end;
  *x = strtod(rest, &end);
  return end > rest && !*end && isfinite(*x) && *x > 0.0;
}

static bool read_file(cursor *c, char *rest) {
  double bytes;
  if (!number(&rest, &bytes) || bytes < 0.0 || bytes != floor(bytes) ||
      bytes >= (double)(c->end - c->s) || c->s[(size_t)bytes] != '\n' || !*rest)
    return false;
  hk_bundle *b = c->b;
  if (b->nfiles == b->cap_files) {
    const int32_t cap = 2 * b->cap_files + 8;
    if (!more(c->pool, (void **)&b->files, b->nfiles, cap, sizeof *b->files)) return false;
    b->cap_files = cap;
  }
  b->files[b->nfiles++] = (hk_bundle_file){rest, c->s, (size_t)bytes};
  c->s += (size_t)bytes + 1;
  return true;
}

/* one line: a word and the rest; false: it is wrong */
static bool read_line(cursor *c, char *word, char *rest) {
  hk_bundle *b = c->b;
  if (!strcmp(word, "token")) return (b->token = rest), *rest;
  if (!strcmp(word, "model")) return (b->model = rest), *rest;
  if (!strcmp(word, "formulation")) return (b->formulation = rest), *rest;
  if (!strcmp(word, "integrator")) return (b->integrator = rest), *rest;
  if (!strcmp(word, "step")) return read_positive(rest, &b->step);
  if (!strcmp(word, "time")) return read_positive(rest, &b->time);
  if (!strcmp(word, "tolerance")) return read_positive(rest, &b->tolerance);
  if (!strcmp(word, "set")) return read_named(c, &b->sets, rest, false, true);
  if (!strcmp(word, "option")) return read_named(c, &b->options, rest, false, true);
  if (!strcmp(word, "input")) return read_named(c, &b->inputs, rest, true, false);
  if (!strcmp(word, "output")) return read_named(c, &b->outputs, rest, false, false);
  if (!strcmp(word, "parameter")) return read_named(c, &b->parameters, rest, true, false);
  return !strcmp(word, "file") && read_file(c, rest);
}

/* the next line as a text of its own, without its end; NULL: there is none */
static char *next_line(cursor *c) {
  const char *stop = c->s < c->end ? memchr(c->s, '\n', (size_t)(c->end - c->s)) : NULL;
  if (!stop || memchr(c->s, '\0', (size_t)(stop - c->s))) return NULL;
  char *line = hki_pool_strndup(c->pool, c->s, (size_t)(stop - c->s));
  c->s = stop + 1;
  return line;
}

hk_status hki_bundle_read(hk_ctx *ctx, hk_pool *pool, const char *bytes, size_t len,
                          hk_bundle *out) {
  const size_t head = sizeof first_line - 1;
  *out = (hk_bundle){0};
  char *own = hki_pool_strndup(pool, bytes, len);
  if (!own) return HK_E_MEMORY;
  cursor c = {.pool = pool, .s = own, .end = own + len, .b = out};
  bool good = len >= head && memcmp(own, first_line, head) == 0, ended = false;
  if (good) c.s += head;
  while (good && !ended) {
    char *line = next_line(&c), *blank = line ? strchr(line, ' ') : NULL;
    ended = line && !strcmp(line, "end");
    if (ended) break;
    if (blank) *blank = '\0';
    good = line && blank && read_line(&c, line, blank + 1);
  }
  if (good && ended && out->model && out->token && out->time > 0.0) return HK_OK;
  return hki_error(ctx, HK_E_FILE, HK_LOC_NONE, "export the FMU again",
                   "the model inside the FMU is damaged");
}

/* --- writing ---------------------------------------------------------------------------------- */

static void write_list(const hk_bundle_list *list, const char *word, bool starts, hk_text *out) {
  for (int32_t i = 0; i < list->n; i++) {
    hki_text_printf(out, "%s ", word);
    if (starts) hki_text_number(out, list->starts[i]), hki_text_add(out, " ");
    hki_text_add(out, list->names[i]);
    if (list->values[i]) hki_text_printf(out, " %s", list->values[i]);
    hki_text_add(out, "\n");
  }
}

static void write_text(const char *word, const char *value, hk_text *out) {
  if (value) hki_text_printf(out, "%s %s\n", word, value);
}

static void write_number(const char *word, double x, hk_text *out) {
  if (!(x > 0.0)) return;
  hki_text_printf(out, "%s ", word);
  hki_text_number(out, x);
  hki_text_add(out, "\n");
}

void hki_bundle_write(const hk_bundle *b, hk_text *out) {
  hki_text_add(out, first_line);
  write_text("token", b->token, out);
  write_text("model", b->model, out);
  write_text("formulation", b->formulation, out);
  write_text("integrator", b->integrator, out);
  write_number("step", b->step, out);
  write_number("time", b->time, out);
  write_number("tolerance", b->tolerance, out);
  write_list(&b->sets, "set", false, out);
  write_list(&b->options, "option", false, out);
  write_list(&b->inputs, "input", true, out);
  write_list(&b->outputs, "output", false, out);
  write_list(&b->parameters, "parameter", true, out);
  for (int32_t i = 0; i < b->nfiles; i++) {
    hki_text_printf(out, "file %zu %s\n", b->files[i].len, b->files[i].name);
    hki_text_addn(out, b->files[i].bytes, b->files[i].len);
    hki_text_add(out, "\n");
  }
  hki_text_add(out, "end\n");
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_tape.c: tapes of inputs: what inputs were given before each step, kept in memory that is allocated at
 * the start and written when the simulation ends; and the same again, from the file. A run off line with
 * the tape of another one gets the same values at the same times, and gives the same results to the last
 * bit. The file is CSV: t and the inputs by name; an empty field: this input was given nothing.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulation/streams.h"

typedef struct tape {
  hk_sim *s;
  char path[2048];
  int32_t n; /* inputs */
  int64_t rows, cap, at;
  double *values; /* rows of n + 1: t, then the inputs, not a number: not given */
  int32_t *which; /* replay: n, the inputs of the columns; a scratch list of n */
  int32_t *list;
  double *row;
  char words[200];
} tape;

static tape *make(hk_sim *s, const char *path, int32_t n) {
  tape *p = hki_alloc(s->ctx, sizeof *p);
  if (!p) return NULL;
  *p = (tape){.s = s, .n = n};
  snprintf(p->path, sizeof p->path, "%s", path);
  p->which = hki_alloc(s->ctx, (size_t)(n + 1) * sizeof *p->which);
  p->list = hki_alloc(s->ctx, (size_t)(n + 1) * sizeof *p->list);
  p->row = hki_alloc(s->ctx, (size_t)(n + 1) * sizeof *p->row);
  return p;
}

static void forget(tape *p) {
  if (!p) return;
  hki_free(p->s->ctx, p->which);
  hki_free(p->s->ctx, p->list);
  hki_free(p->s->ctx, p->row);
  hki_free(p->s->ctx, p->values);
  hki_free(p->s->ctx, p);
}

static const char *words(void *peer) { return ((tape *)peer)->words; }

/* --- keeping ---------------------------------------------------------------------------------------- */

static hk_status keep(void *peer, hk_hook when, double t, double h, const double *y, double *u) {
  tape *p = peer;
  (void)h, (void)y, (void)u;
  if (when != HK_HOOK_BEFORE_PREDICTION || p->rows == p->cap) return HK_PEER_SILENT;
  double *row = p->values + p->rows++ * (p->n + 1);
  row[0] = t;
  for (int32_t i = 0; i < p->n; i++) row[i + 1] = hki_sim_input_waits(p->s, i);
  return HK_PEER_SILENT;
}

/* writes the file whole or not at all */
static void write_tape(void *peer) {
  tape *p = peer;
  char part[4096];
  FILE *f = NULL;
  if (snprintf(part, sizeof part, "%s.part", p->path) < (int)sizeof part) f = fopen(part, "w");
  bool ok = f != NULL;
  for (int64_t k = -1; ok && k < p->rows; k++) {
    const double *row = p->values + k * (p->n + 1);
    ok = k < 0 ? fputs("t", f) >= 0 : fprintf(f, "%.17g", row[0]) > 0;
    for (int32_t i = 0; ok && i < p->n; i++) {
      if (k < 0)
        ok = fprintf(f, ",%s", hk_sim_input_name(p->s, i)) > 0;
      else
        ok = isnan(row[i + 1]) ? fputc(',', f) != EOF : fprintf(f, ",%.17g", row[i + 1]) > 0;
    }
    ok = ok && fputc('\n', f) != EOF;
  }
  if (f && fclose(f) != 0) ok = false;
  if (ok) ok = rename(part, p->path) == 0;
  if (!ok) {
    hki_warn(p->s->ctx, HK_LOC_NONE, NULL, "the inputs could not be written to '%s': %s", p->path,
             strerror(errno));
    if (f) (void)remove(part);
  }
  forget(p);
}

hk_status hki_tape_keep(hk_sim *s, const char *path) {
  static const hk_peer_ops ops = {
      .name = "tape of inputs", .exchange = keep, .words = words, .close = write_tape};
  const double rows = (s->end - s->I.t) / s->step + 2.0;
  if (!(rows * (s->ninputs + 1) * 8.0 < s->memory) || rows > 1e9)
    return hki_error(s->ctx, HK_E_MEMORY, HK_LOC_NONE, "give a shorter --time",
                     "the tape of inputs needs more memory than the run may take");
  tape *p = make(s, path, s->ninputs);
  if (!p) return HK_E_MEMORY;
  p->cap = (int64_t)rows;
  const size_t bytes = (size_t)p->cap * (size_t)(p->n + 1) * sizeof *p->values;
  p->values = hki_alloc(s->ctx, bytes);
  const hk_peer_link link = {.ops = &ops, .peer = p};
  hk_status st = p->values && p->which && p->list && p->row ? HK_OK : HK_E_MEMORY;
  if (st == HK_OK) memset(p->values, 0xff, bytes); // all of it is there from now on
  if (st == HK_OK) st = hki_sim_add_peer(s, &link);
  if (st != HK_OK) forget(p);
  return st;
}

/* --- replaying -------------------------------------------------------------------------------------- */

static hk_status replay(void *peer, hk_hook when, double t, double h, const double *y, double *u) {
  tape *p = peer;
  int32_t n = 0;
  (void)y, (void)u;
  if (when != HK_HOOK_BEFORE_PREDICTION || p->at == p->rows) return HK_PEER_SILENT;
  const double *row = p->values + p->at * (p->n + 1);
  if (row[0] > t + 1e-6 * h) return HK_PEER_SILENT;
  if (row[0] < t - 1e-6 * h) {
    snprintf(p->words, sizeof p->words, "its row at t = %.9g s lies before the run: other steps",
             row[0]);
    return HK_E_FILE;
  }
  p->at++;
  for (int32_t i = 0; i < p->n; i++)
    if (!isnan(row[i + 1])) p->list[n] = p->which[i], p->row[n++] = row[i + 1];
  const hk_status st = n ? hki_sim_inputs_next(p->s, n, p->list, p->row) : HK_OK;
  return st == HK_OK ? HK_PEER_SILENT : st;
}

static void end_replay(void *peer) { forget(peer); }

static hk_status bad(hk_sim *s, const char *path, int64_t line, const char *what) {
  return hki_error(s->ctx, HK_E_FILE, HK_LOC_NONE, "such files are written by --keep-inputs",
                   "%s:%lld: %s", path, (long long)line, what);
}

/* the text up to the next c, which becomes its end; NULL: there is no more */
static char *cut(char **at, char c) {
  char *from = *at, *next = from ? strchr(from, c) : NULL;
  if (next) *next = '\0';
  *at = next ? next + 1 : NULL;
  return from;
}

/* the header: t, then names of inputs */
static hk_status read_names(tape *p, char *line) {
  char *at = line, *name = cut(&at, ',');
  if (strcmp(name, "t") != 0) return bad(p->s, p->path, 1, "the first column must be 't'");
  for (int32_t i = 0; (name = cut(&at, ',')); i++) {
    p->which[i] = hk_sim_input_find(p->s, name);
    if (p->which[i] < 0)
      return hki_error(p->s->ctx, HK_E_FILE, HK_LOC_NONE, NULL,
                       "%s:1: the model has no input '%.100s'", p->path, name);
  }
  return HK_OK;
}

static hk_status read_row(tape *p, char *line, int64_t number) {
  char *at = line, *field, *end;
  double *row = p->values + p->rows * (p->n + 1);
  for (int32_t i = 0; i <= p->n; i++) {
    field = cut(&at, ',');
    if (!field) return bad(p->s, p->path, number, "the row is too short");
    row[i] = *field ? strtod(field, &end) : NAN;
    if (*field && (*end || !isfinite(row[i])))
      return bad(p->s, p->path, number, "there is something else than a number");
  }
  if (at) return bad(p->s, p->path, number, "the row is too long");
  if (isnan(row[0])) return bad(p->s, p->path, number, "there is no time");
  p->rows++;
  return HK_OK;
}

/* text: the file, which is taken apart */
static hk_status read_tape(hk_sim *s, const char *path, char *text, tape **out) {
  int32_t n = 0;
  int64_t lines = 0, number = 0;
  for (const char *c = text; *c && *c != '\n'; c++) n += *c == ',';
  for (const char *c = text; *c; c++) lines += *c == '\n';
  tape *p = *out = make(s, path, n);
  if (!p) return HK_E_MEMORY;
  p->values = hki_alloc(s->ctx, (size_t)(lines + 1) * (size_t)(n + 1) * sizeof *p->values);
  if (!p->values || !p->which || !p->list || !p->row) return HK_E_MEMORY;
  hk_status st = HK_OK;
  for (char *line; st == HK_OK && (line = cut(&text, '\n'));) {
    number++;
    if (!*line) continue;
    st = number == 1 ? read_names(p, line) : read_row(p, line, number);
  }
  return st;
}

hk_status hki_tape_replay(hk_sim *s, const char *path) {
  static const hk_peer_ops ops = {
      .name = "tape of inputs", .exchange = replay, .words = words, .close = end_replay};
  static const size_t most = (size_t)1 << 32;
  char *text = NULL;
  size_t length = 0;
  tape *p = NULL;
  hk_status st = hki_read_file(s->ctx, path, HK_LOC_NONE, most, &text, &length);
  if (st != HK_OK) return st;
  st = read_tape(s, path, text, &p);
  hki_free(s->ctx, text);
  const hk_peer_link link = {.ops = &ops, .peer = p};
  if (st == HK_OK) st = hki_sim_add_peer(s, &link);
  if (st != HK_OK) forget(p);
  return st;
}

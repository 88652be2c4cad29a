/* SPDX-License-Identifier: Apache-2.0
 *
 * write.c: a comparison as aligned text, Markdown or CSV. Tables are filled cell by cell and
 * printed when all widths are known; reasons of failures follow as numbered notes.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "studies/compare.h"

enum { CELL = 96, COLUMNS = 96 };

typedef struct table {
  hk_ctx *ctx;
  int32_t ncolumns, nrows, cap;
  char (*cells)[CELL]; /* row by row; row 0 holds the heads */
  bool left[COLUMNS];  /* aligned left (words), else right (numbers) */
  int32_t at;          /* the cell that is filled next */
} table;

/* --- cells ------------------------------------------------------------------------------------ */

static void cell(table *t, const char *fmt, ...) HK_PRINTF(2, 3);

static void cell(table *t, const char *fmt, ...) {
  va_list args;
  if (!t->cells || t->at >= t->ncolumns) return;
  va_start(args, fmt);
  vsnprintf(t->cells[(t->nrows - 1) * t->ncolumns + t->at++], CELL, fmt, args);
  va_end(args);
}

static void number(table *t, const char *fmt, double x) {
  char text[40];
  snprintf(text, sizeof text, fmt, x);
  cell(t, "%s", isfinite(x) ? text : "-");
}

static bool new_row(table *t) {
  int32_t need = (t->nrows + 1) * t->ncolumns;
  if (!HK_GROW(t->ctx, t->cells, t->cap, need)) return false;
  memset(t->cells[t->nrows * t->ncolumns], 0, (size_t)t->ncolumns * CELL);
  t->nrows++;
  t->at = 0;
  return true;
}

static const char *cell_at(const table *t, int32_t r, int32_t k) {
  return t->cells[r * t->ncolumns + k];
}

/* length of a UTF-8 text in characters */
static int32_t length(const char *s) {
  int32_t n = 0;
  for (; *s; s++) n += ((unsigned char)*s & 0xc0) != 0x80;
  return n;
}

static void print_table(const table *t, bool markdown, hk_text *out) {
  int32_t width[COLUMNS] = {0};
  for (int32_t k = 0; k < t->ncolumns; k++)
    for (int32_t r = 0; r < t->nrows; r++) {
      int32_t n = length(cell_at(t, r, k));
      if (n > width[k]) width[k] = n;
    }
  for (int32_t r = 0; r < t->nrows; r++) {
    for (int32_t k = 0; k < t->ncolumns; k++) {
      const char *s = cell_at(t, r, k);
      int pad = (int)(width[k] - length(s));
      const char *before = markdown ? "| " : k ? "  " : "";
      bool last = !markdown && k == t->ncolumns - 1;
      if (t->left[k])
        hki_text_printf(out, "%s%s%*s", before, s, last ? 0 : pad, "");
      else
        hki_text_printf(out, "%s%*s%s", before, pad, "", s);
      if (markdown) hki_text_add(out, " ");
    }
    hki_text_add(out, markdown ? "|\n" : "\n");
    for (int32_t k = 0; r == 0 && markdown && k < t->ncolumns; k++)
      hki_text_add(out, t->left[k] ? "| --- " : "| ---: ");
    if (r == 0 && markdown) hki_text_add(out, "|\n");
  }
}

/* --- the table of runs ------------------------------------------------------------------------ */

static void head(table *t, bool left, const char *name, const char *unit) {
  if (t->at >= t->ncolumns) return;
  t->left[t->at] = left;
  cell(t, *unit ? "%s, %s" : "%s%s", name, unit);
}

static void run_heads(const hk_comparison *c, table *t) {
  if (c->study->ncases) head(t, true, "case", "");
  head(t, true, "formulation", "");
  head(t, true, "integrator", "");
  head(t, false, "step", "s");
  head(t, true, "status", "");
  for (int32_t i = 0; i < c->study->nmeasures; i++)
    if (!c->study->measures[i].hidden)
      head(t, false, c->study->measures[i].name, c->study->measures[i].unit);
  head(t, false, "drift", "J");
  head(t, false, "CPU", "s");
  head(t, false, "iterations", "");
  head(t, false, "sweeps", "");
  head(t, false, "mean", "");
  head(t, false, "max", "");
  head(t, false, "x real time", "");
  for (int32_t i = 0; i < c->study->ngrades; i++) head(t, true, c->study->grades[i].name, "");
}

/* the status in a word, with the number of the note that gives the reason */
static void status_cell(table *t, const hk_compare_row *r, int32_t note) {
  if (r->summary.status == HK_OK)
    cell(t, "ok");
  else if (!r->compatible)
    cell(t, "incompatible [%d]", (int)note);
  else if (r->summary.status == HK_INTERRUPTED)
    cell(t, "interrupted");
  else if (isfinite(r->end_s))
    cell(t, "failed at %.4g s [%d]", r->end_s, (int)note);
  else
    cell(t, "not started [%d]", (int)note);
}

static void run_cells(const hk_comparison *c, table *t, const hk_compare_row *r, int32_t note) {
  const hk_summary *s = &r->summary;
  bool ran = s->steps > 0;
  if (c->study->ncases) cell(t, "%s", r->case_name);
  cell(t, "%s", r->formulation);
  cell(t, "%s", r->integrator);
  number(t, "%g", r->step_s);
  status_cell(t, r, note);
  for (int32_t i = 0; i < c->study->nmeasures; i++)
    if (!c->study->measures[i].hidden) number(t, "%.4g", r->measures[i]);
  number(t, "%.4g", ran ? s->max_drift_J : NAN);
  number(t, "%.3g", ran ? s->cpu_s : NAN);
  number(t, "%.0f", ran ? (double)s->iterations : NAN);
  number(t, "%.0f", ran ? (double)s->sweeps : NAN);
  number(t, "%.1f", r->iterations_mean);
  number(t, "%.0f", ran ? (double)r->iterations_max : NAN);
  number(t, s->real_time_factor >= 100.0 ? "%.0f" : "%.3g", ran ? s->real_time_factor : NAN);
  for (int32_t i = 0; i < c->study->ngrades; i++) cell(t, r->grades[i] ? "yes" : "no");
}

static int32_t run_columns(const hk_comparison *c) {
  int32_t n = (c->study->ncases > 0) + 11 + c->study->ngrades;
  for (int32_t i = 0; i < c->study->nmeasures; i++) n += !c->study->measures[i].hidden;
  return n < COLUMNS ? n : COLUMNS;
}

static void write_runs(const hk_comparison *c, bool markdown, hk_text *out) {
  table t = {.ctx = c->ctx, .ncolumns = run_columns(c)};
  int32_t notes = 0;
  if (!new_row(&t)) return;
  run_heads(c, &t);
  for (int32_t i = 0; i < c->nrows; i++) {
    const hk_compare_row *r = &c->rows[i]->row;
    if (r->search) continue;
    if (!new_row(&t)) break;
    notes += r->summary.status != HK_OK && r->summary.status != HK_INTERRUPTED;
    run_cells(c, &t, r, notes);
  }
  print_table(&t, markdown, out);
  hki_free(c->ctx, t.cells);
}

/* the notes: why runs failed, numbered as in the table */
static void write_notes(const hk_comparison *c, bool markdown, hk_text *out) {
  int32_t notes = 0;
  for (int32_t i = 0; i < c->nrows; i++) {
    const hk_compare_row *r = &c->rows[i]->row;
    if (r->search || r->summary.status == HK_OK || r->summary.status == HK_INTERRUPTED) continue;
    hki_text_printf(out, "%s%s[%d] %s\n", notes ? "" : "\n", markdown ? "- " : "", (int)notes + 1,
                    r->summary.message);
    notes++;
  }
  for (int32_t i = 0; i < c->nnotes; i++)
    hki_text_printf(out, "%s%s%s\n", notes || i ? "" : "\n", markdown ? "- " : "", c->notes[i]);
}

/* --- the table of largest steps --------------------------------------------------------------- */

static void largest_cells(const hk_comparison *c, table *t, const hk_compare_largest *l) {
  const hk_compare_row *r = l->row >= 0 ? &c->rows[l->row]->row : NULL;
  const hk_compare_row *f = l->failure >= 0 ? &c->rows[l->failure]->row : NULL;
  if (c->study->ncases) cell(t, "%s", l->case_name);
  cell(t, "%s", l->formulation);
  cell(t, "%s", l->integrator);
  cell(t, "%s", l->grade);
  number(t, "%g", r ? r->step_s : NAN);
  number(t, "%.3g", r ? r->summary.cpu_s : NAN);
  number(t, "%.1f", r ? r->iterations_mean : NAN);
  number(t, "%.0f", r ? r->summary.real_time_factor : NAN);
  number(t, "%g", f ? f->step_s : NAN);
  cell(t, "%s", f ? l->why : "");
}

static void write_largest(const hk_comparison *c, bool markdown, hk_text *out) {
  table t = {.ctx = c->ctx, .ncolumns = 9 + (c->study->ncases > 0)};
  if (!c->nlargest || !new_row(&t)) return;
  hki_text_add(out, markdown ? "\n**Largest steps**\n\n" : "\nLargest steps\n");
  if (c->study->ncases) head(&t, true, "case", "");
  head(&t, true, "formulation", "");
  head(&t, true, "integrator", "");
  head(&t, true, "grade", "");
  head(&t, false, "largest step", "s");
  head(&t, false, "CPU", "s");
  head(&t, false, "mean iterations", "");
  head(&t, false, "x real time", "");
  head(&t, false, "first fails at", "s");
  head(&t, true, "because", "");
  for (int32_t i = 0; i < c->nlargest && new_row(&t); i++) largest_cells(c, &t, &c->largest[i]);
  print_table(&t, markdown, out);
  hki_free(c->ctx, t.cells);
}

/* --- CSV -------------------------------------------------------------------------------------- */

static void csv_text(hk_text *t, const char *s) {
  hki_text_add(t, "\"");
  for (; s && *s; s++) {
    if (*s == '"') hki_text_add(t, "\"");
    hki_text_addn(t, s, 1);
  }
  hki_text_add(t, "\"");
}

static void csv_number(hk_text *t, double x) {
  hki_text_add(t, ",");
  if (isfinite(x)) hki_text_number(t, x);
}

static void csv_row(const hk_comparison *c, hk_text *t, const hk_compare_row *r) {
  const hk_summary *s = &r->summary;
  const char *status = s->status == HK_OK            ? "ok"
                       : s->status == HK_INTERRUPTED ? "interrupted"
                       : r->compatible               ? "failed"
                                                     : "incompatible";
  csv_text(t, r->case_name);
  hki_text_printf(t, ",%s,%s", r->formulation, r->integrator);
  csv_number(t, r->step_s);
  hki_text_printf(t, ",%s", status);
  csv_number(t, r->end_s);
  for (int32_t i = 0; i < c->study->nmeasures; i++) csv_number(t, r->measures[i]);
  csv_number(t, s->max_drift_J);
  csv_number(t, s->balance_error_J);
  csv_number(t, r->drift_percent);
  csv_number(t, s->cpu_s);
  hki_text_printf(t, ",%lld,%lld,%lld", (long long)s->steps, (long long)s->iterations,
                  (long long)s->sweeps);
  csv_number(t, r->iterations_mean);
  hki_text_printf(t, ",%d", (int)r->iterations_max);
  csv_number(t, s->real_time_factor);
  for (int32_t i = 0; i < c->study->ngrades; i++)
    hki_text_printf(t, ",%s", r->grades[i] ? "yes" : "no");
  hki_text_printf(t, ",%s,", r->search ? "yes" : "no");
  csv_text(t, s->message);
  hki_text_add(t, "\n");
}

void hki_compare_write_csv(const hk_comparison *c, hk_text *t) {
  hki_text_add(t, "case,formulation,integrator,step_s,status,time_s");
  for (int32_t i = 0; i < c->study->nmeasures; i++) {
    hki_text_add(t, ",");
    csv_text(t, c->study->measures[i].name);
  }
  hki_text_add(t, ",max_drift_J,balance_error_J,drift_percent,cpu_s,steps,iterations,sweeps,"
                  "iterations_mean,iterations_max,real_time_factor");
  for (int32_t i = 0; i < c->study->ngrades; i++)
    hki_text_printf(t, ",%s", c->study->grades[i].name);
  hki_text_add(t, ",search,message\n");
  for (int32_t i = 0; i < c->nrows; i++) csv_row(c, t, &c->rows[i]->row);
}

/* --- all formats ------------------------------------------------------------------------------ */

static void write_readable(const hk_comparison *c, bool markdown, hk_text *t) {
  const char *title = hk_comparison_title(c);
  hki_text_printf(t, "%s%s%s%s%s\n", markdown ? "### " : "", title, *title ? " (" : "",
                  c->study->path, *title ? ")" : "");
  hki_text_add(t, markdown ? "\n" : "");
  write_runs(c, markdown, t);
  write_largest(c, markdown, t);
  write_notes(c, markdown, t);
}

const char *hk_comparison_write(hk_comparison *c, const char *format) {
  static const char *const formats[] = {"text", "markdown", "csv", "json"};
  hk_text t;
  int32_t k = 0;
  if (!hki_is(c, HK_MARK_COMPARISON) || !format) return NULL;
  while (k < HK_ARRAY_LEN(formats) && strcmp(formats[k], format) != 0) k++;
  if (k == HK_ARRAY_LEN(formats)) return NULL;
  if (c->written[k]) return c->written[k];
  const int32_t failures = hki_memory_failures(c->ctx);
  hki_text_init(&t, c->ctx);
  if (k < 2) write_readable(c, k == 1, &t);
  if (k == 2) hki_compare_write_csv(c, &t);
  if (k == 3) hki_compare_write_json(c, &t);
  if (hki_memory_failures(c->ctx) == failures) c->written[k] = hki_pool_strdup(c->pool, t.s);
  hki_text_free(&t);
  return c->written[k];
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * csv_table.c: the CSV reader for tables of numbers. See csv_table.h for what it accepts.
 *
 * Decimal numbers are read exactly: up to 19 digits go into an integer, and one multiplication or
 * division by a power of ten up to 10^22 is exact when that integer is below 2^53 (W. D. Clinger,
 * How to read floating point numbers accurately, 1990). All other numbers are left to strtod.
 */
#include "formats/csv_table.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_COLUMNS 4096
#define MAX_ERRORS  10

/* one cell as it stands in the file */
typedef struct cell {
  const char *s;
  int32_t len;
  int32_t col; /* column of its first character, from 1 */
  bool quoted;
} cell;

typedef struct reader {
  hk_ctx *ctx;
  hk_pool *pool;
  hk_csv *table;
  char sep; /* ',' or ';' or ' ' (blanks and tabs); 0 before the first row */
  int32_t line;
  int32_t errors;
  cell *cells; /* of the current line */
  int32_t ncells, cells_cap;
  double *values; /* row by row while reading */
  int32_t nvalues, values_cap;
  int32_t *lines;
  int32_t lines_cap;
} reader;

/* --- numbers ---------------------------------------------------------------------------------- */

/* strtod with the locale's own decimal point put in */
static double read_with_strtod(const char *s, int32_t len) {
  char buf[512];
  const char *point = localeconv()->decimal_point;
  size_t n = 0, np = strlen(point);
  for (int32_t i = 0; i < len && n + np + 1 < sizeof buf; i++) {
    if (s[i] == '.') {
      memcpy(buf + n, point, np);
      n += np;
    } else {
      buf[n++] = s[i];
    }
  }
  buf[n] = 0;
  return strtod(buf, NULL);
}

bool hki_decimal(const char *s, int32_t len, double *value) {
  static const double ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                               1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                               1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  int32_t i = 0, digits = 0, used = 0, exp10 = 0, e = 0;
  uint64_t mantissa = 0;
  bool negative = false, point = false;
  if (len > 400) return false;
  if (i < len && (s[i] == '+' || s[i] == '-')) negative = s[i++] == '-';

  /* digits with at most one point */
  for (; i < len && ((s[i] >= '0' && s[i] <= '9') || (s[i] == '.' && !point)); i++) {
    if (s[i] == '.') {
      point = true;
      continue;
    }
    digits++;
    if (point) exp10--;
    if (mantissa == 0 && s[i] == '0') continue;
    if (used++ < 19) mantissa = 10 * mantissa + (uint64_t)(s[i] - '0');
  }
  if (digits == 0) return false;

  /* exponent */
  if (i < len && (s[i] == 'e' || s[i] == 'E')) {
    bool minus = false;
    if (++i < len && (s[i] == '+' || s[i] == '-')) minus = s[i++] == '-';
    if (i >= len) return false;
    for (; i < len && s[i] >= '0' && s[i] <= '9'; i++) {
      if (e < 100000) e = 10 * e + (s[i] - '0');
    }
    exp10 += minus ? -e : e;
  }
  if (i != len) return false;

  double x;
  if (used > 19 || mantissa >> 53 || exp10 < -22 || exp10 > 22) {
    x = fabs(read_with_strtod(s, len));
  } else {
    x = exp10 < 0 ? (double)mantissa / ten[-exp10] : (double)mantissa * ten[exp10];
  }
  *value = negative ? -x : x;
  return isfinite(x);
}

/* --- lines ------------------------------------------------------------------------------------ */

static hk_loc cell_loc(const reader *r, const cell *c) {
  return (hk_loc){r->table->file, r->line, c ? c->col : 1};
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* the separator of cells, from the first row */
static char find_separator(const char *s, const char *end) {
  char sep = ' ';
  bool quoted = false;
  for (; s < end; s++) {
    if (*s == '"') quoted = !quoted;
    if (quoted) continue;
    if (*s == ';') return ';';
    if (*s == ',') sep = ',';
  }
  return sep;
}

/* columns count characters, not bytes */
static int32_t count_chars(const char *from, const char *to) {
  int32_t n = 0;
  for (; from < to; from++) n += ((unsigned char)*from & 0xC0u) != 0x80u;
  return n;
}

/* one cell from s on; returns where it ends (the separator or the end), NULL for an open quote */
static const char *scan_cell(const reader *r, const char *s, const char *end, cell *c) {
  const char *stop;
  c->quoted = s < end && *s == '"';
  if (c->quoted) {
    stop = memchr(s + 1, '"', (size_t)(end - s - 1));
    if (!stop) return NULL;
    c->s = s + 1;
    c->len = (int32_t)(stop - s - 1);
    s = stop + 1;
    while (r->sep != ' ' && s < end && is_blank(*s)) s++;
    return s;
  }
  c->s = s;
  while (s < end && (r->sep == ' ' ? !is_blank(*s) : *s != r->sep)) s++;
  for (stop = s; stop > c->s && is_blank(stop[-1]);) stop--;
  c->len = (int32_t)(stop - c->s);
  return s;
}

/* cut a line into cells; a line without any leaves ncells at 0 */
static hk_status split_line(reader *r, const char *line, const char *end) {
  const char *s = line;
  r->ncells = 0;
  while (end > s && is_blank(end[-1])) end--;
  while (s < end && is_blank(*s)) s++;
  if (s == end) return HK_OK;
  if (!r->sep) r->sep = find_separator(s, end);

  for (const char *counted = line, *col_at = line;; s++) {
    while (s < end && is_blank(*s)) s++;
    if (r->ncells >= MAX_COLUMNS) {
      return hki_error(r->ctx, HK_E_MODEL, cell_loc(r, NULL), NULL, "more than %d columns",
                       MAX_COLUMNS);
    }
    if (!HK_GROW(r->ctx, r->cells, r->cells_cap, r->ncells + 1)) return HK_E_MEMORY;
    cell *c = &r->cells[r->ncells++];
    col_at = s;
    c->col = (r->ncells > 1 ? c[-1].col : 1) + count_chars(counted, col_at);
    counted = col_at;
    s = scan_cell(r, s, end, c);
    if (!s) {
      return hki_error(r->ctx, HK_E_MODEL, cell_loc(r, c), NULL, "a quote is not closed");
    }
    if (s >= end) break;
    if (r->sep == ' ' ? !is_blank(*s) : *s != r->sep) {
      return hki_error(r->ctx, HK_E_MODEL, (hk_loc){r->table->file, r->line, c->col}, NULL,
                       "text after a closing quote, expected a separator");
    }
  }
  return HK_OK;
}

/* the end of a line without its comment, which begins at a # outside quotes */
static const char *strip_comment(const char *s, const char *end) {
  bool quoted = false;
  for (; s < end; s++) {
    if (*s == '"') quoted = !quoted;
    if (*s == '#' && !quoted) return s;
  }
  return end;
}

/* --- rows ------------------------------------------------------------------------------------- */

static bool is_header(const reader *r) {
  double x;
  for (int32_t i = 0; i < r->ncells; i++) {
    const cell *c = &r->cells[i];
    if (c->quoted || (c->len > 0 && !hki_decimal(c->s, c->len, &x))) return true;
  }
  return false;
}

static hk_status take_header(reader *r) {
  hk_csv *t = r->table;
  t->names = hki_pool_alloc(r->pool, (size_t)r->ncells * sizeof *t->names);
  if (!t->names) return HK_E_MEMORY;
  t->columns = r->ncells;
  for (int32_t i = 0; i < r->ncells; i++) {
    const cell *c = &r->cells[i];
    double x;
    if (c->len == 0) {
      return hki_error(r->ctx, HK_E_MODEL, cell_loc(r, c), NULL, "column %d has no name", i + 1);
    }
    if (!c->quoted && hki_decimal(c->s, c->len, &x)) {
      return hki_error(r->ctx, HK_E_MODEL, cell_loc(r, c), NULL,
                       "the first row mixes names and numbers: '%.*s'", (int)c->len, c->s);
    }
    t->names[i] = hki_pool_strndup(r->pool, c->s, (size_t)c->len);
    if (!t->names[i]) return HK_E_MEMORY;
    for (int32_t k = 0; k < i; k++) {
      if (strcmp(t->names[k], t->names[i]) == 0) {
        return hki_error(r->ctx, HK_E_MODEL, cell_loc(r, c), NULL, "two columns have the name '%s'",
                         t->names[i]);
      }
    }
  }
  return HK_OK;
}

/* report a cell that is no number */
static void bad_cell(reader *r, const cell *c) {
  char shown[48];
  const char *hint = NULL;
  double x;
  snprintf(shown, sizeof shown, "%.*s", (int)(c->len < 40 ? c->len : 40), c->s);
  char *comma = strchr(shown, ',');
  if (comma && r->sep != ',') {
    *comma = '.';
    if (hki_decimal(shown, (int32_t)strlen(shown), &x)) hint = "write decimals with a point";
    *comma = ',';
  }
  r->errors++;
  if (c->len == 0) {
    hki_error(r->ctx, HK_E_MODEL, cell_loc(r, c), NULL, "an empty cell, expected a number");
  } else {
    hki_error(r->ctx, HK_E_MODEL, cell_loc(r, c), hint, "'%s' is not a finite number", shown);
  }
}

static hk_status take_row(reader *r) {
  hk_csv *t = r->table;
  if (t->columns == 0) t->columns = r->ncells;
  if (r->ncells != t->columns) {
    r->errors++;
    hki_error(r->ctx, HK_E_MODEL, cell_loc(r, &r->cells[r->ncells - 1]), NULL,
              "this row has %d cells, the table has %d columns", (int)r->ncells, (int)t->columns);
    return HK_OK;
  }
  if (r->nvalues > INT32_MAX - t->columns ||
      !HK_GROW(r->ctx, r->values, r->values_cap, r->nvalues + t->columns) ||
      !HK_GROW(r->ctx, r->lines, r->lines_cap, t->rows + 1)) {
    return HK_E_MEMORY;
  }
  for (int32_t i = 0; i < t->columns; i++) {
    const cell *c = &r->cells[i];
    r->values[r->nvalues + i] = 0;
    if (c->quoted || !hki_decimal(c->s, c->len, &r->values[r->nvalues + i])) bad_cell(r, c);
  }
  r->nvalues += t->columns;
  r->lines[t->rows++] = r->line;
  return HK_OK;
}

/* store the rows in the table, column by column */
static hk_status finish(reader *r) {
  hk_csv *t = r->table;
  if (t->rows == 0) {
    return hki_error(r->ctx, HK_E_MODEL, (hk_loc){t->file, r->line ? r->line : 1, 1}, NULL,
                     "the table has no rows of numbers");
  }
  t->data = hki_pool_alloc(r->pool, (size_t)r->nvalues * sizeof *t->data);
  t->lines = hki_pool_alloc(r->pool, (size_t)t->rows * sizeof *t->lines);
  if (!t->data || !t->lines) return HK_E_MEMORY;
  memcpy(t->lines, r->lines, (size_t)t->rows * sizeof *t->lines);
  for (int32_t c = 0; c < t->columns; c++) {
    for (int32_t i = 0; i < t->rows; i++) {
      t->data[(size_t)c * (size_t)t->rows + (size_t)i] =
          r->values[(size_t)i * (size_t)t->columns + (size_t)c];
    }
  }
  return HK_OK;
}

static hk_status read_lines(reader *r, const char *text, size_t len) {
  const char *s = text, *end = text + len;
  bool first = true;
  if (memchr(text, 0, len)) {
    return hki_error(r->ctx, HK_E_MODEL, (hk_loc){r->table->file, 1, 1},
                     "a table is a CSV text file", "this is a binary file: it holds a NUL byte");
  }
  if (len >= 3 && memcmp(s, "\xEF\xBB\xBF", 3) == 0) s += 3;

  while (s < end && r->errors < MAX_ERRORS) {
    /* lines end with LF, CR LF or CR */
    const char *stop = s;
    while (stop < end && *stop != '\n' && *stop != '\r') stop++;
    r->line++;
    hk_status st = split_line(r, s, strip_comment(s, stop));
    if (!st && r->ncells > 0) {
      st = first && is_header(r) ? take_header(r) : take_row(r);
      first = false;
    }
    if (st) return st;
    s = stop + (stop + 1 < end && stop[0] == '\r' && stop[1] == '\n' ? 2 : 1);
  }
  return r->errors ? HK_E_MODEL : finish(r);
}

/* --- the interface ---------------------------------------------------------------------------- */

hk_status hki_csv_parse(hk_ctx *ctx, hk_pool *pool, const char *name, const char *text, size_t len,
                        hk_csv *table) {
  *table = (hk_csv){.file = hki_ctx_file(ctx, name)};
  reader r = {.ctx = ctx, .pool = pool, .table = table};
  hk_status st = read_lines(&r, text, len);
  hki_free(ctx, r.cells);
  hki_free(ctx, r.values);
  hki_free(ctx, r.lines);
  return st;
}

hk_status hki_csv_read(hk_ctx *ctx, hk_pool *pool, const char *path, hk_loc from, hk_csv *table) {
  char *text = NULL;
  size_t len = 0;
  *table = (hk_csv){.file = -1};
  hk_status st = hki_read_file(ctx, path, from, HK_CSV_BYTES, &text, &len);
  if (st) return st;
  st = hki_csv_parse(ctx, pool, path, text, len, table);
  hki_free(ctx, text);
  return st;
}

int32_t hki_csv_column(const hk_csv *table, const char *name) {
  for (int32_t i = 0; table->names && i < table->columns; i++) {
    if (strcmp(table->names[i], name) == 0) return i;
  }
  return -1;
}

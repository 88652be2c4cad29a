/* SPDX-License-Identifier: Apache-2.0
 *
 * read_csv.c: reads CSV results as the CSV writer writes them: a row of names with `t`
 * first, then rows of numbers. `nan`, `inf` and `-inf` are numbers here.
 */
#include <math.h>
#include <string.h>

#include "formats/csv_table.h"
#include "results/read.h"

typedef struct csv_file {
  double *data; /* row by row, time first */
  int64_t cap;
} csv_file;

/* one cell into buf; quotes are removed, doubled ones become one. Returns the place after the
 * comma, NULL at the end of the line. */
static const char *cell(const char *at, const char *end, char *buf, size_t cap, size_t *len) {
  bool quoted = at < end && *at == '"';
  *len = 0;
  at += quoted;
  while (at < end && (quoted || *at != ',')) {
    if (quoted && *at == '"') {
      if (at + 1 < end && at[1] == '"') {
        at++;
      } else {
        at++, quoted = false;
        continue;
      }
    }
    if (*len + 1 < cap) buf[(*len)++] = *at;
    at++;
  }
  buf[*len] = '\0';
  return at < end ? at + 1 : NULL;
}

static hk_status read_names(hk_result *r, const char *at, const char *end) {
  char buf[HK_READ_NAME];
  size_t len;
  for (int32_t i = 0; at; i++) {
    at = cell(at, end, buf, sizeof buf, &len);
    if (i == 0 && strcmp(buf, "t") != 0 && strcmp(buf, "time") != 0) {
      return hki_result_refuse(r, "a CSV result begins with a row of names, 't' first",
                               "its first column is '%.60s'", buf);
    }
    if (len == 0) return hki_result_refuse(r, NULL, "column %d has no name", (int)i + 1);
    if (i == 0) continue;
    hk_status st = hki_result_add(r, buf, "", "");
    if (st != HK_OK) return st;
  }
  return HK_OK;
}

static bool number(const char *s, size_t len, double *x) {
  if (hki_decimal(s, (int32_t)len, x)) return true;
  *x = strcmp(s, "inf") == 0 ? INFINITY : strcmp(s, "-inf") == 0 ? -INFINITY : NAN;
  return !isnan(*x) || strcmp(s, "nan") == 0 || strcmp(s, "-nan") == 0;
}

static hk_status read_row(hk_result *r, const char *at, const char *end, int64_t line) {
  csv_file *f = r->file;
  char buf[128];
  size_t len, width = (size_t)r->nchannels + 1;
  if (r->rows >= f->cap) {
    int64_t cap = f->cap ? 2 * f->cap : 1024;
    double *data = hki_realloc(r->ctx, f->data, (size_t)cap * width * sizeof *data);
    if (!data) return HK_E_MEMORY;
    f->data = data, f->cap = cap;
  }
  double *row = f->data + (size_t)r->rows * width;
  for (size_t i = 0; i < width; i++) {
    if (!at) {
      return hki_result_refuse(r, "the file may have been cut short",
                               "line %lld has %zu numbers, expected %zu", (long long)line, i,
                               width);
    }
    at = cell(at, end, buf, sizeof buf, &len);
    if (!number(buf, len, row + i)) {
      return hki_result_refuse(r, NULL, "line %lld: '%.40s' is not a number", (long long)line, buf);
    }
  }
  if (at) return hki_result_refuse(r, NULL, "line %lld has too many numbers", (long long)line);
  if (!isfinite(row[0]) || (r->rows > 0 && !(row[0] >= row[-(ptrdiff_t)width]))) {
    return hki_result_refuse(r, NULL, "line %lld: time does not grow", (long long)line);
  }
  r->rows++;
  return HK_OK;
}

static hk_status csv_read(hk_result *r, int32_t channel, int64_t first, int64_t count,
                          double *out) {
  const csv_file *f = r->file;
  size_t width = (size_t)r->nchannels + 1;
  const double *at = f->data + (size_t)first * width + (size_t)(channel + 1);
  for (int64_t i = 0; i < count; i++) out[i] = at[(size_t)i * width];
  return HK_OK;
}

static void csv_close(hk_result *r) {
  csv_file *f = r->file;
  if (f) hki_free(r->ctx, f->data);
  hki_free(r->ctx, f);
}

hk_status hki_result_open_csv(hk_result *r) {
  char *text = NULL;
  size_t len = 0;
  r->read = csv_read;
  r->close = csv_close;
  r->file = hki_alloc(r->ctx, sizeof(csv_file));
  if (!r->file) return HK_E_MEMORY;
  hk_status st = hki_read_file(r->ctx, r->path, HK_LOC_NONE, HK_READ_CSV, &text, &len);
  const char *at = text, *end = text ? text + len : NULL;
  for (int64_t line = 1; st == HK_OK && at < end; line++) {
    const char *stop = memchr(at, '\n', (size_t)(end - at)), *last = stop ? stop : end;
    if (last > at && last[-1] == '\r') last--;
    if (line == 1) {
      st = read_names(r, at, last);
    } else if (last > at) {
      st = read_row(r, at, last, line);
    }
    at = stop ? stop + 1 : end;
  }
  hki_free(r->ctx, text);
  if (st == HK_OK && r->rows == 0) st = hki_result_refuse(r, NULL, "it has no rows");
  return st;
}

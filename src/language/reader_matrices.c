/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_matrices.c: matrices of blocks, written in the model or in CSV files, a line for each row;
 * a line of names above them is skipped.
 */
#include "language/reader_blocks.h"

#include <stdio.h>

static bool too_large(const hk_rd_signal_in *in, const char *key, hk_loc loc, int32_t most) {
  hki_rd_error(in->rd, loc, NULL, "'%s' must have at least one row and %d rows and columns at most",
               key, (int)most);
  return false;
}

static bool matrix_file(const hk_rd_signal_in *in, const char *key, const hk_node *v, int32_t most,
                        hk_rd_matrix *out) {
  hk_reader *rd = in->rd;
  hk_csv csv;
  if (!hki_rd_csv(rd, v, &csv)) return false;
  *out =
      (hk_rd_matrix){.rows = csv.rows, .columns = csv.columns, .loc = {csv.file, csv.lines[0], 1}};
  if (csv.rows > most || csv.columns > most) return too_large(in, key, out->loc, most);
  double *x = hki_pool_alloc(rd->spec->pool, (size_t)csv.rows * (size_t)csv.columns * sizeof *x);
  for (int32_t i = 0; x && i < csv.rows; i++)
    for (int32_t j = 0; j < csv.columns; j++)
      x[i * csv.columns + j] = csv.data[(size_t)j * (size_t)csv.rows + (size_t)i];
  out->x = x;
  return x != NULL;
}

bool hki_rd_matrix(const hk_rd_signal_in *in, const char *key, int32_t most, hk_rd_matrix *out) {
  const hk_node *v = hki_node_get(in->value, key);
  char found[64], what[60];
  if (!v) return false; // a required key: said before
  *out = (hk_rd_matrix){.loc = v->loc};
  double number;
  const char *text = hki_node_text(v);
  if (text && !hki_decimal(text, v->len, &number)) return matrix_file(in, key, v, most, out);
  if (v->kind != HK_NODE_SEQUENCE) {
    hki_rd_error(in->rd, v->loc, "for example [[0, 1], [-4, -2]], or \"a.csv\"",
                 "'%s' must be a list of rows or the name of a file, found %s", key,
                 hki_node_describe(v, found, sizeof found));
    return false;
  }
  if (v->count < 1 || v->count > most) return too_large(in, key, v->loc, most);
  out->flat = v->items[0]->kind != HK_NODE_SEQUENCE;
  out->rows = out->flat ? 1 : v->count;
  out->columns = out->flat ? v->count : v->items[0]->count;
  if (out->columns < 1 || out->columns > most) return too_large(in, key, v->loc, most);
  double *x =
      hki_pool_alloc(in->rd->spec->pool, (size_t)out->rows * (size_t)out->columns * sizeof *x);
  snprintf(what, sizeof what, "%s", key);
  bool ok = x != NULL;
  for (int32_t i = 0; ok && i < out->rows; i++)
    ok = hki_rd_numbers(in->rd, in->s, out->flat ? v : v->items[i], what, out->columns,
                        x + i * out->columns);
  out->x = x;
  return ok;
}

const double *hki_rd_matrix_fit(const hk_rd_signal_in *in, const char *key, const hk_rd_matrix *m,
                                int32_t rows, int32_t columns) {
  // a single row or column may be a plain list, or lie in a file the other way round
  const bool line = (rows == 1 || columns == 1) && (m->rows == 1 || m->columns == 1);
  const bool fits = line || (m->rows == rows && m->columns == columns);
  if (fits && m->rows * m->columns == rows * columns) return m->x;
  hki_rd_error(in->rd, m->loc, NULL, "'%s' of '%s' must have %d rows of %d numbers, found %d of %d",
               key, in->out->name, (int)rows, (int)columns, (int)m->rows, (int)m->columns);
  return NULL;
}

const double *hki_rd_matrix_of(const hk_rd_signal_in *in, const char *key, int32_t rows,
                               int32_t columns) {
  hk_rd_matrix m;
  const int32_t n = rows * columns;
  if (!hki_node_get(in->value, key)) {
    double *zero = hki_pool_alloc(in->rd->spec->pool, (size_t)(n + 1) * sizeof *zero);
    for (int32_t i = 0; zero && i < n; i++) zero[i] = 0.0;
    return zero;
  }
  if (!hki_rd_matrix(in, key, HK_LINEAR_STATES, &m)) return NULL;
  return hki_rd_matrix_fit(in, key, &m, rows, columns);
}

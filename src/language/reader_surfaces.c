/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_surfaces.c: tables in two variables, z(x, y): a CSV file whose first row has the values of
 * y and whose first column those of x, or {x: [..], y: [..], z: [[..], ..]} with a row per x.
 */
#include "language/reader.h"

#include <string.h>

enum { MOST = 4000000 }; /* values of one table */

/* a list of numbers of its own length */
static bool read_list(hk_reader *rd, hk_rd_scope *s, const hk_node *v, const char *what, int32_t *n,
                      const double **out) {
  char found[64];
  if (!v) return false; // a required key: said before
  if (v->kind != HK_NODE_SEQUENCE || v->count < 1) {
    hki_rd_error(rd, v->loc, "for example [0, 0.5, 1]", "'%s' must be a list of numbers, found %s",
                 what, hki_node_describe(v, found, sizeof found));
    return false;
  }
  double *x = hki_pool_alloc(rd->pool, (size_t)v->count * sizeof *x);
  *n = v->count;
  *out = x;
  return x && hki_rd_numbers(rd, s, v, what, v->count, x);
}

static bool grid_inline(hk_reader *rd, hk_rd_scope *s, const hk_node *v, hk_surface_rows *r) {
  static const hk_param *const tables[] = {hki_keys_surface, NULL};
  if (!hki_rd_check_keys(rd, v, tables, "table", NULL)) return false;
  const hk_node *rows = hki_node_get(v, "z");
  if (!read_list(rd, s, hki_node_get(v, "x"), "x", &r->n[0], &r->at[0]) ||
      !read_list(rd, s, hki_node_get(v, "y"), "y", &r->n[1], &r->at[1]))
    return false;
  if (!rows) return false;
  if (rows->kind != HK_NODE_SEQUENCE || rows->count != r->n[0]) {
    hki_rd_error(rd, rows->loc, NULL, "'z' must be a list of %d rows, one for each x, found %d",
                 (int)r->n[0], rows->kind == HK_NODE_SEQUENCE ? (int)rows->count : 0);
    return false;
  }
  double *z = hki_pool_alloc(rd->pool, (size_t)r->n[0] * (size_t)r->n[1] * sizeof *z);
  bool ok = z != NULL;
  for (int32_t i = 0; ok && i < r->n[0]; i++)
    ok = hki_rd_numbers(rd, s, rows->items[i], "z", r->n[1], z + (size_t)i * (size_t)r->n[1]);
  r->z = z;
  return ok;
}

/* the values of y: numbers in the row of names, or the first row of a file without names */
static bool grid_head(hk_reader *rd, const hk_csv *csv, double *y) {
  const hk_loc loc = {csv->file, csv->names ? 1 : csv->lines[0], 1};
  for (int32_t j = 1; j < csv->columns; j++) {
    if (!csv->names) {
      y[j - 1] = csv->data[(size_t)j * (size_t)csv->rows];
    } else if (!hki_decimal(csv->names[j], (int32_t)strlen(csv->names[j]), &y[j - 1])) {
      hki_rd_error(rd, loc, "the first row has the values of y, the first column those of x",
                   "'%.60s' above column %d is no number", csv->names[j], (int)j + 1);
      return false;
    }
  }
  return true;
}

static bool grid_csv(hk_reader *rd, const hk_node *file, hk_surface_rows *r) {
  hk_csv csv;
  if (!hki_rd_csv(rd, file, &csv)) return false;
  const int32_t head = csv.names ? 0 : 1, nx = csv.rows - head, ny = csv.columns - 1;
  if (nx < 2 || ny < 2) {
    hki_rd_error(rd, file->loc, "the first row has the values of y, the first column those of x",
                 "the table has %d rows and %d columns of values; two variables need two each",
                 (int)nx, (int)ny);
    return false;
  }
  double *x = hki_pool_alloc(rd->pool, (size_t)nx * sizeof *x);
  double *y = hki_pool_alloc(rd->pool, (size_t)ny * sizeof *y);
  double *z = hki_pool_alloc(rd->pool, (size_t)nx * (size_t)ny * sizeof *z);
  if (!x || !y || !z || !grid_head(rd, &csv, y)) return false;
  for (int32_t i = 0; i < nx; i++) {
    x[i] = csv.data[i + head];
    for (int32_t j = 0; j < ny; j++)
      z[(size_t)i * (size_t)ny + (size_t)j] =
          csv.data[(size_t)(j + 1) * (size_t)csv.rows + (size_t)(i + head)];
  }
  r->n[0] = nx, r->n[1] = ny;
  r->at[0] = x, r->at[1] = y, r->z = z;
  return true;
}

const hk_surface *hki_rd_surface(hk_reader *rd, hk_rd_scope *s, const hk_node *node,
                                 const hk_node *table) {
  static const char *const others[] = {"column", "against", "columns",     "ends",
                                       "slopes", "rate",    "acceleration"};
  const hk_node *how = hki_node_get(node, "interpolation");
  const hk_node *outside = hki_node_get(node, "extrapolation");
  const hk_surface *surface = NULL;
  hk_surface_rows r = {.loc = table->loc, .implied = !how};
  int32_t kind = 0, beyond = HK_TABLE_HOLD;
  for (int32_t i = 0; i < HK_ARRAY_LEN(others); i++) {
    const hk_node *v = hki_node_get(node, others[i]);
    if (!v) continue;
    hki_rd_error(rd, v->loc, "leave it out", "'%s' does not belong to a table in x and y",
                 others[i]);
    return NULL;
  }
  if (how && !hki_rd_choice(rd, how, "interpolation", "linear spline", &kind)) return NULL;
  if (outside && !hki_rd_choice(rd, outside, "extrapolation", "hold extend", &beyond)) return NULL;
  r.interpolation = kind ? HK_TABLE_SPLINE : HK_TABLE_LINEAR;
  r.extrapolation = (hk_extrapolation)beyond;
  bool ok = hki_node_text(table) ? grid_csv(rd, table, &r) : grid_inline(rd, s, table, &r);
  if (ok && (int64_t)r.n[0] * r.n[1] > MOST) {
    hki_rd_error(rd, table->loc, NULL, "the table has more than %d values", MOST);
    ok = false;
  }
  if (ok) hki_surface_build(rd->ctx, rd->spec->pool, &r, &surface);
  return surface;
}

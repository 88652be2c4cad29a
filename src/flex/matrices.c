/* SPDX-License-Identifier: Apache-2.0
 *
 * matrices.c: stiffness and mass of a deck. CalculiX writes the unknowns as `node.direction`, one a line, and one triangle of
 * each matrix as `row column value`; Abaqus writes `node, direction, node, direction, value`.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "flex/deck.h"
#include "formats/csv_table.h"

typedef struct reader {
  hk_ctx *ctx;
  hk_loc from;
  hk_pool *pool;
  hk_fe *fe;
} reader;

static hk_status fault(const reader *r, const hk_csv *t, int32_t row, const char *what) {
  const hk_loc loc = {t->file, t->lines[row], 1};
  return hki_error(r->ctx, HK_E_FILE, loc, NULL, "%s", what);
}

char *hki_deck_beside(hk_pool *pool, const char *deck, const char *ending) {
  const char *dot = strrchr(deck, '.'), *slash = strrchr(deck, '/');
  const size_t n = dot && (!slash || dot > slash) ? (size_t)(dot - deck) : strlen(deck);
  return hki_pool_printf(pool, "%.*s.%s", (int)n, deck, ending);
}

static double cell(const hk_csv *t, int32_t column, int32_t row) {
  return t->data[(ptrdiff_t)column * t->rows + row];
}

/* a whole number from 1 to n */
static bool index_of(double x, int32_t n, int32_t *out) {
  if (!(x >= 1.0 && x <= n) || x != floor(x)) return false;
  *out = (int32_t)x - 1;
  return true;
}

static hk_status read_table(const reader *r, const char *path, int32_t columns, hk_csv *t) {
  const hk_status st = hki_csv_read(r->ctx, r->pool, path, r->from, t);
  if (st != HK_OK) return st;
  if (t->columns != columns || t->names)
    return hki_error(r->ctx, HK_E_FILE, (hk_loc){t->file, 1, 1}, NULL,
                     "a matrix has %d numbers a line here, and no names", (int)columns);
  return HK_OK;
}

/* --- CalculiX --------------------------------------------------------------------------------- */

static hk_status read_unknowns(reader *r, const char *path) {
  hk_csv t;
  hk_fe *fe = r->fe;
  hk_status st = read_table(r, path, 1, &t);
  if (st != HK_OK) return st;
  fe->ndof = t.rows;
  fe->node = hki_pool_alloc(r->pool, (size_t)t.rows * sizeof *fe->node);
  fe->comp = hki_pool_alloc(r->pool, (size_t)t.rows);
  if (!fe->node || !fe->comp) return HK_E_MEMORY;
  for (int32_t i = 0; i < t.rows; i++) {
    const double x = cell(&t, 0, i), node = floor(x), c = round(10.0 * (x - node));
    const int32_t at = node >= 1.0 && node < 1e9 ? hki_fe_find(fe, (int32_t)node) : -1;
    if (at < 0 || c < 1.0 || c > 6.0)
      return fault(r, &t, i,
                   "an unknown is 'node.direction' with a node of the deck; elements like C3D8I "
                   "have nodes of their own: use others");
    fe->node[i] = at, fe->comp[i] = (uint8_t)(c - 1.0);
  }
  return HK_OK;
}

static hk_status read_triangle(const reader *r, const char *path, hk_sym *out) {
  hk_csv t;
  hk_entries e = {.ctx = r->ctx};
  hk_status st = read_table(r, path, 3, &t);
  for (int32_t k = 0; st == HK_OK && k < t.rows; k++) {
    int32_t i, j;
    if (!index_of(cell(&t, 0, k), r->fe->ndof, &i) || !index_of(cell(&t, 1, k), r->fe->ndof, &j))
      st = fault(r, &t, k, "row or column is not the number of an unknown");
    else
      hki_entries_add(&e, i, j, cell(&t, 2, k));
  }
  if (st == HK_OK) st = hki_sym_build(r->pool, &e, r->fe->ndof, out);
  hki_entries_free(&e);
  return st;
}

/* --- Abaqus ----------------------------------------------------------------------------------- */

/* unknown of every node and direction that the stiffness names: table of 6 a node, -1: none */
static hk_status number_unknowns(reader *r, const hk_csv *t, int32_t *at) {
  hk_fe *fe = r->fe;
  for (ptrdiff_t i = 0; i < 6 * (ptrdiff_t)fe->nnode; i++) at[i] = -1;
  for (int32_t k = 0; k < t->rows; k++)
    for (int32_t side = 0; side < 2; side++) {
      int32_t c;
      const double x = cell(t, 2 * side, k);
      const int32_t node = x >= 1.0 && x < 1e9 && x == floor(x) ? hki_fe_find(fe, (int32_t)x) : -1;
      if (node < 0 || !index_of(cell(t, 2 * side + 1, k), 6, &c))
        return fault(
            r, t, k,
            "an entry is 'node, direction, node, direction, value' with nodes of the deck");
      at[6 * (ptrdiff_t)node + c] = 0;
    }
  for (ptrdiff_t i = 0; i < 6 * (ptrdiff_t)fe->nnode; i++)
    if (at[i] == 0) at[i] = fe->ndof++;
  fe->node = hki_pool_alloc(r->pool, (size_t)fe->ndof * sizeof *fe->node);
  fe->comp = hki_pool_alloc(r->pool, (size_t)fe->ndof);
  if (!fe->node || !fe->comp) return HK_E_MEMORY;
  for (ptrdiff_t i = 0; i < 6 * (ptrdiff_t)fe->nnode; i++)
    if (at[i] >= 0) fe->node[at[i]] = (int32_t)(i / 6), fe->comp[at[i]] = (uint8_t)(i % 6);
  return HK_OK;
}

/* The file may have one triangle or both: of both, entries of the upper one are compared with the lower. */
static hk_status read_entries(const reader *r, const hk_csv *t, const int32_t *at, hk_sym *out) {
  hk_entries low = {.ctx = r->ctx}, up = {.ctx = r->ctx};
  hk_status st = HK_OK;
  for (int32_t k = 0; st == HK_OK && k < t->rows; k++) {
    int32_t u[2];
    for (int32_t side = 0; side < 2; side++) {
      int32_t c = 0;
      const double x = cell(t, 2 * side, k);
      const int32_t node = x >= 1.0 && x < 1e9 ? hki_fe_find(r->fe, (int32_t)x) : -1;
      u[side] =
          node >= 0 && index_of(cell(t, 2 * side + 1, k), 6, &c) ? at[6 * (ptrdiff_t)node + c] : -1;
    }
    if (u[0] < 0 || u[1] < 0)
      st = fault(r, t, k, "the mass has an unknown that the stiffness has not");
    else if (u[0] >= u[1])
      hki_entries_add(&low, u[0], u[1], cell(t, 4, k));
    else
      hki_entries_add(&up, u[0], u[1], cell(t, 4, k));
  }
  if (st == HK_OK)
    st = hki_sym_halves(r->ctx, (hk_loc){t->file, 1, 1}, r->pool, r->fe, &low, &up, out);
  hki_entries_free(&low);
  hki_entries_free(&up);
  return st;
}

static hk_status read_abaqus(reader *r, const char *stiffness, const char *mass) {
  hk_csv K, M;
  hk_status st = read_table(r, stiffness, 5, &K);
  if (st == HK_OK) st = read_table(r, mass, 5, &M);
  int32_t *at = hki_pool_alloc(r->pool, 6 * ((size_t)r->fe->nnode + 1) * sizeof *at);
  if (st == HK_OK && !at) st = HK_E_MEMORY;
  if (st == HK_OK) st = number_unknowns(r, &K, at);
  if (st == HK_OK) st = read_entries(r, &K, at, &r->fe->K);
  return st == HK_OK ? read_entries(r, &M, at, &r->fe->M) : st;
}

hk_status hki_deck_matrices(hk_ctx *ctx, hk_loc from, hk_pool *pool, const char *deck,
                            const char *stiffness, const char *mass, hk_fe *fe) {
  reader r = {ctx, from, pool, fe};
  if (stiffness && mass) return read_abaqus(&r, stiffness, mass);
  const char *const ending[3] = {"dof", "sti", "mas"};
  char *path[3];
  for (int i = 0; i < 3; i++)
    if (!(path[i] = hki_deck_beside(pool, deck, ending[i]))) return HK_E_MEMORY;
  hk_status st = read_unknowns(&r, path[0]);
  if (st == HK_OK) st = read_triangle(&r, stiffness ? stiffness : path[1], &fe->K);
  return st == HK_OK ? read_triangle(&r, mass ? mass : path[2], &fe->M) : st;
}

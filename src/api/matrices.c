/* SPDX-License-Identifier: Apache-2.0
 *
 * matrices.c: linear equations as a NetCDF file (hooke/statespace.h): the matrices, and of states, inputs and
 * outputs their names, units and the values that the equations are about.
 */
#include "results/results.h"
#include "simulation/statespace.h"

/* states, inputs or outputs as three arrays */
typedef struct group {
  char which;
  const char *dim, *name[3], *chars[2];
  int32_t n;
} group;

/* names or units side by side, padded with zeros; NULL: no memory */
static const char *texts_of(hk_pool *pool, const hk_statespace *l, const group *g, bool units,
                            int64_t *width) {
  hk_statespace_quantity q = {.size = sizeof q};
  size_t most = 1;
  for (int pass = 0;; pass++) {
    char *all = pass ? hki_pool_alloc(pool, most * (size_t)g->n + 1) : NULL;
    if (pass && !all) return NULL;
    for (int32_t i = 0; i < g->n; i++) {
      if (hk_statespace_variable(l, g->which, i, &q) != HK_OK) return NULL;
      const char *text = units ? q.unit : q.name;
      const size_t n = strlen(text);
      if (pass)
        memcpy(all + (size_t)i * most, text, n);
      else if (n > most)
        most = n;
    }
    *width = (int64_t)most;
    if (pass) return all;
  }
}

/* the three arrays of a group; false: no memory */
static bool add_group(hk_pool *pool, const hk_statespace *l, const group *g,
                      hk_results_array *out) {
  hk_statespace_quantity q = {.size = sizeof q};
  double *x = hki_pool_alloc(pool, ((size_t)g->n + 1) * sizeof *x);
  for (int k = 0; k < 2; k++) {
    out[k] = (hk_results_array){.name = g->name[k], .rank = 2, .dim = {g->dim, g->chars[k]}};
    out[k].n[0] = g->n;
    out[k].names = texts_of(pool, l, g, k == 1, &out[k].n[1]);
  }
  for (int32_t i = 0; x && i < g->n; i++)
    if (hk_statespace_variable(l, g->which, i, &q) == HK_OK) x[i] = q.value;
  out[2] = (hk_results_array){.name = g->name[2], .rank = 1, .dim = {g->dim}, .n = {g->n}, .x = x};
  out[2].text = "the value that the equations are about";
  return x && out[0].names && out[1].names;
}

hk_status hk_statespace_write(const hk_statespace *l, const char *path) {
  if (!hki_is_statespace(l)) return HK_E_USAGE;
  if (!path || !*path) return hki_misuse(l->ctx, "hk_statespace_write", "no file");
  const group groups[] = {
      {'x', "state", {"state_name", "state_unit", "state_value"}, {"sn", "su"}, l->n},
      {'u', "input", {"input_name", "input_unit", "input_value"}, {"un", "uu"}, l->nu},
      {'y', "output", {"output_name", "output_unit", "output_value"}, {"yn", "yu"}, l->ny}};
  const struct {
    const char *name, *rows, *cols;
    int32_t n, m;
  } matrices[] = {{"A", "state", "state_again", l->n, l->n},
                  {"B", "state", "input", l->n, l->nu},
                  {"C", "output", "state", l->ny, l->n},
                  {"D", "output", "input", l->ny, l->nu}};
  static const char *const texts[][2] = {
      {"title", "dx/dt = A x + B u, y = C x + D u: small motions"}};
  hk_results_array list[13];
  hk_pool *pool = hki_pool_create(l->ctx);
  hk_status st = pool ? HK_OK : HK_E_MEMORY;
  for (int k = 0; k < 3 && st == HK_OK; k++)
    if (!add_group(pool, l, &groups[k], list + 3 * k)) st = HK_E_MEMORY;
  for (int k = 0; k < 4 && st == HK_OK; k++) {
    double *M =
        hki_pool_alloc(pool, ((size_t)matrices[k].n * (size_t)matrices[k].m + 1) * sizeof *M);
    list[9 + k] = (hk_results_array){.name = matrices[k].name,
                                     .rank = 2,
                                     .dim = {matrices[k].rows, matrices[k].cols},
                                     .n = {matrices[k].n, matrices[k].m},
                                     .x = M};
    st = M ? hk_statespace_matrix(l, matrices[k].name[0], M, matrices[k].m) : HK_E_MEMORY;
  }
  if (st == HK_OK) st = hki_results_arrays(l->ctx, path, 13, list, 1, texts);
  if (pool) hki_pool_destroy(pool);
  return st;
}

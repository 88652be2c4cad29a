/* SPDX-License-Identifier: Apache-2.0
 *
 * write_arrays.c: arrays of numbers and names as a NetCDF-4 file, which other programs read by their names:
 * dimensions, and one variable an array (see write_netcdf.c for how these are made in HDF5).
 */
#include "results/results_impl.h"

#ifdef HK_WITH_NETCDF

#include <errno.h>
#include <string.h>

#include "hooke/version.h"

enum { DIMENSIONS = 32 };

typedef struct arrays {
  hk_ctx *ctx;
  hk_swap swap;
  hk_h5_file file;
  hk_h5_bytes bytes;
  int32_t ndims;
  const char *dim[DIMENSIONS];
  int64_t length[DIMENSIONS];
  uint64_t address[DIMENSIONS];
} arrays;

/* the number of a dimension, which is new or of the same length; -1: neither, or too many */
static int32_t dimension(arrays *w, const char *name, int64_t length) {
  for (int32_t i = 0; i < w->ndims; i++)
    if (!strcmp(w->dim[i], name)) return w->length[i] == length ? i : -1;
  if (w->ndims == DIMENSIONS) return -1;
  w->dim[w->ndims] = name, w->length[w->ndims] = length;
  return w->ndims++;
}

static bool is_empty(const hk_results_array *a) {
  for (int32_t k = 0; k < a->rank; k++)
    if (a->n[k] <= 0) return true;
  return false;
}

/* the numbers of all arrays, then the description of the file */
static int put_all(arrays *w, int32_t n, const hk_results_array *list, int32_t ntexts,
                   const char *const (*texts)[2], uint64_t *at) {
  hk_h5_bytes *b = &w->bytes;
  int error = 0;
  for (int32_t i = 0; i < n && !error; i++) {
    size_t bytes = list[i].names ? 1 : sizeof(double);
    for (int32_t k = 0; k < list[i].rank; k++) bytes *= (size_t)list[i].n[k];
    if (is_empty(&list[i])) continue;
    error = hki_h5_append(&w->file, list[i].names ? (const void *)list[i].names : list[i].x, bytes,
                          &at[i]);
    for (int32_t k = 0; k < list[i].rank; k++)
      if (dimension(w, list[i].dim[k], list[i].n[k]) < 0) return EINVAL;
  }
  if (error) return error;
  b->base = (w->file.end + 7) / 8 * 8;
  const uint64_t extension = hki_h5_extension(b), heap = hki_h5_heap(b, w->ndims + 1);
  for (int32_t i = 0; i < w->ndims; i++) {
    const uint64_t length = (uint64_t)w->length[i];
    hk_h5_object o = hki_h5_fixed_set(b, HK_H5_F32, 1, &length, HK_H5_NOWHERE);
    hki_nc_dimension(&o, w->dim[i], i, w->length[i]);
    hki_h5_object_end(&o);
    hki_h5_refer(b, heap, i, w->address[i] = o.address);
  }
  for (int32_t i = 0; i < n; i++) {
    int32_t dims[2] = {0};
    uint64_t length[2] = {0};
    if (is_empty(&list[i])) continue;
    for (int32_t k = 0; k < list[i].rank; k++) {
      dims[k] = dimension(w, list[i].dim[k], list[i].n[k]);
      length[k] = (uint64_t)list[i].n[k];
    }
    hk_h5_object o =
        hki_h5_fixed_set(b, list[i].names ? HK_H5_CHAR : HK_H5_F64, list[i].rank, length, at[i]);
    hki_h5_dimensions(&o, heap, dims, list[i].rank);
    hki_h5_text(&o, "long_name", list[i].text);
    hki_h5_object_end(&o);
    at[i] = o.address;
  }
  hk_h5_object o = hki_h5_object(b);
  int32_t order = 0;
  hki_h5_group(&o, w->ndims + n);
  for (int32_t i = 0; i < w->ndims; i++) hki_h5_link(&o, w->dim[i], order++, w->address[i]);
  for (int32_t i = 0; i < n; i++)
    if (!is_empty(&list[i])) hki_h5_link(&o, list[i].name, order++, at[i]);
  for (int32_t i = 0; i < ntexts; i++) hki_h5_text(&o, texts[i][0], texts[i][1]);
  hki_h5_text(&o, "source", "Hooke " HK_VERSION_STRING);
  hki_h5_object_end(&o);
  return b->failed ? ENOMEM : hki_h5_commit(&w->file, b, o.address, extension);
}

hk_status hki_results_arrays(hk_ctx *ctx, const char *path, int32_t n, const hk_results_array *list,
                             int32_t ntexts, const char *const (*texts)[2]) {
  arrays w = {.ctx = ctx, .file = {.ctx = ctx, .fd = -1}, .bytes = {.ctx = ctx}};
  uint64_t *at = hki_alloc(ctx, ((size_t)n + 1) * sizeof *at);
  if (!at) return HK_E_MEMORY;
  hk_status st = hki_swap_open(&w.swap, ctx, path);
  int error = st == HK_OK ? hki_h5_open(&w.file, ctx, w.swap.part, 0, false) : 0;
  if (st == HK_OK && !error) error = put_all(&w, n, list, ntexts, texts, at);
  const int closed = hki_h5_close(&w.file);
  if (!error) error = closed;
  if (error == ENOMEM) st = hki_no_memory(ctx);
  if (st == HK_OK && error)
    st = hki_error(ctx, HK_E_FILE, HK_LOC_NONE, NULL, "cannot write '%s': %s", path,
                   strerror(error));
  if (st == HK_OK) st = hki_swap_commit(&w.swap);
  hki_swap_end(&w.swap);
  hki_free(ctx, w.bytes.p);
  hki_free(ctx, at);
  return st;
}

#else

hk_status hki_results_arrays(hk_ctx *ctx, const char *path, int32_t n, const hk_results_array *list,
                             int32_t ntexts, const char *const (*texts)[2]) {
  (void)n, (void)list, (void)ntexts, (void)texts;
  return hki_error(ctx, HK_E_FILE, HK_LOC_NONE, NULL, "cannot write '%s': this build has no NetCDF",
                   path);
}

#endif

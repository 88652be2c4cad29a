/* SPDX-License-Identifier: Apache-2.0
 *
 * results_impl.h: shared by the result writers.
 */
#ifndef HK_RESULTS_RESULTS_IMPL_H
#define HK_RESULTS_RESULTS_IMPL_H

#include "base/swap.h"
#include "results/hdf5/write.h"
#include "results/results.h"

/* --- the writers ------------------------------------------------------------------------------ */

hk_status hki_results_csv(hk_ctx *ctx, const char *path, const hk_results_meta *meta,
                          hk_results **out);
hk_status hki_results_netcdf(hk_ctx *ctx, const char *path, const hk_results_meta *meta,
                             hk_results **out);
hk_status hki_results_mcap(hk_ctx *ctx, const char *path, const hk_results_meta *meta,
                           hk_results **out);

/* the texts of a result, in their order; those of meta->... that are NULL are left out. `hash` has room
 * for that of the model's text */
enum { HK_RESULTS_TEXTS = 16, HK_RESULTS_HASH = 24 };
typedef struct hk_results_text {
  const char *name, *text;
} hk_results_text;
void hki_results_texts(const hk_results_meta *m, const char *status, const char *summary,
                       char *hash, hk_results_text *out);
/* the value of "status" in a summary */
void hki_results_status(const char *json, char *buf, size_t cap);

/* --- NetCDF's dimensions, by the ids they have in the file ------------------------------------ */

enum {
  HK_NC_TIME,
  HK_NC_FRAME,
  HK_NC_BODY,
  HK_NC_POSE,
  HK_NC_AXIS,
  HK_NC_LOAD,
  HK_NC_POINT,
  HK_NC_FACE,
  HK_NC_SCENE, /* bytes of the scene, when it is a long text */
  HK_NC_LONG,  /* bytes of the first long text of the file; the others follow */
  HK_NC_TEXTS = HK_RESULTS_TEXTS,
  HK_NC_DIMENSIONS = HK_NC_LONG + HK_NC_TEXTS
};

/* attributes that make a dataset a dimension; length < 0: it is a variable too */
void hki_nc_dimension(hk_h5_object *o, const char *name, int32_t id, int64_t length);

/* A text that does not fit into an attribute is a variable of characters with a dimension
 * `NAME_bytes` of its own. Both addresses are HK_H5_NOWHERE for a text that fits. */
typedef struct hk_nc_long {
  uint64_t dimension, variable;
  char name[40]; /* of the dimension */
} hk_nc_long;

hk_nc_long hki_nc_long(hk_h5_bytes *b, uint64_t heap, int32_t id, const char *name,
                       const char *text);

/* --- the animation's part of a NetCDF file (write_netcdf_scene.c) ----------------------------- */

typedef struct hk_nc_scene hk_nc_scene;
/* *out is NULL when there is nothing to animate. The worker (may be NULL) writes the blocks. All
 * functions that return int give 0 or an errno. */
int hki_nc_scene_open(hk_h5_file *file, hk_worker *worker, const hk_results_meta *meta,
                      hk_nc_scene **out);
int hki_nc_scene_frame(hk_nc_scene *s, double t, const float *values);
bool hki_nc_scene_fills(const hk_nc_scene *s); /* true: the next frame fills a block */
/* put the scene; write the last block. Call both with the worker idle, the second before the last
 * commit */
int hki_nc_scene_put(hk_nc_scene *s, const hk_results_scene *scene);
int hki_nc_scene_end(hk_nc_scene *s);
/* the group `geometry` with all blocks written so far; `heap` holds the references to dimensions.
 * Returns its address */
uint64_t hki_nc_scene_describe(hk_nc_scene *s, hk_h5_bytes *b, uint64_t heap);
void hki_nc_scene_free(hk_nc_scene *s);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * results_impl.h: what the result writers share.
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
  HK_NC_SCENE, /* of a long text, this one and the ones that follow */
  HK_NC_LONG,
  HK_NC_TEXTS = 12, /* of the file */
  HK_NC_DIMENSIONS = HK_NC_LONG + HK_NC_TEXTS
};

/* attributes that make a dataset a dimension; length < 0: it is a variable too */
void hki_nc_dimension(hk_h5_object *o, const char *name, int32_t id, int64_t length);

/* a text that does not fit into an attribute: a variable of characters with a dimension of its own,
 * `NAME_bytes`; both addresses are HK_H5_NOWHERE for one that does */
typedef struct hk_nc_long {
  uint64_t dimension, variable;
  char name[40]; /* of the dimension */
} hk_nc_long;

hk_nc_long hki_nc_long(hk_h5_bytes *b, uint64_t heap, int32_t id, const char *name,
                       const char *text);

/* --- the animation's part of a NetCDF file (write_netcdf_scene.c) ----------------------------- */

typedef struct hk_nc_scene hk_nc_scene;
/* *out is NULL when there is nothing to animate; the worker writes. All return 0 or an errno */
int hki_nc_scene_open(hk_h5_file *file, hk_worker *worker, const hk_results_meta *meta,
                      hk_nc_scene **out);
int hki_nc_scene_frame(hk_nc_scene *s, double t, const float *values);
bool hki_nc_scene_fills(const hk_nc_scene *s); /* will the next frame fill a block */
/* both when the worker is idle; the second before the last commit */
int hki_nc_scene_put(hk_nc_scene *s, const hk_results_scene *scene);
int hki_nc_scene_end(hk_nc_scene *s);
/* the group `geometry`, of whole blocks; `heap` holds the references of dimensions */
uint64_t hki_nc_scene_describe(hk_nc_scene *s, hk_h5_bytes *b, uint64_t heap);
void hki_nc_scene_free(hk_nc_scene *s);

#endif

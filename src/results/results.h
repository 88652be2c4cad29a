/* SPDX-License-Identifier: Apache-2.0
 *
 * results.h: result files. `hki_results_open` chooses the writer by the file's extension; it takes
 * rows of channels and frames of an animation:
 *   .csv   a row of names, then one row of numbers per recorded time (write_csv.c)
 *   .nc    NetCDF-4, an HDF5 file: units and meanings, the model's text, the summary
 *          (write_netcdf.c)
 *   .mcap  MCAP with messages of ROS 2, for robotics viewers (write_mcap.c)
 *
 * Rows go to a temporary file beside the target, which takes the target's place only when it is
 * complete: whatever happens in between, the target is the old file or the new one, never a broken
 * one. The format is described in docs/results-format.md.
 */
#ifndef HK_RESULTS_RESULTS_H
#define HK_RESULTS_RESULTS_H

#include "base/base.h"
#include "hooke/result.h"

typedef struct hk_results_channel {
  const char *name; /* dotted: "body.rod.position.x" */
  const char *unit; /* "" or NULL: none */
  const char *text; /* its meaning; may be NULL */
} hk_results_channel;

/* The description of a result file. Texts may be NULL (left out); all are copied or written before
 * hki_results_open returns. */
typedef struct hk_results_meta {
  const char *title;
  const char *model_path, *model_text;
  const char *model_files; /* the other files of the model, JSON (hki_model_files) */
  const char *settings;    /* of the methods, JSON (hki_sim_settings) */
  const char *command;     /* the command line */
  const char *formulation, *integrator;
  const char *analysis;         /* what it is where it is no run: "statics over P" */
  const char *axis, *axis_unit; /* what stands in the place of time; NULL: time */
  double step, time;            /* seconds; NAN: left out */
  int32_t nchannels;
  const hk_results_channel *channels;
  int32_t nbodies, nloads; /* of one frame of the animation; 0 bodies: no animation */
  int64_t rows, frames;    /* expected numbers; 0: not known */
  int32_t compress;        /* 0: not at all, 1 (fast) to 9 (small); .nc only */
} hk_results_meta;

/* the fixed part of the animation: the scene as JSON (docs/results-format.md) and its meshes */
typedef struct hk_results_scene {
  const char *json;
  int32_t npoints, nfaces;
  const float *points;  /* npoints x 3: x y z */
  const int32_t *faces; /* nfaces x 3: indices of points, counted from the mesh's first point */
} hk_results_scene;

/* A result file that is being written; first member of every writer. */
typedef struct hk_results hk_results;
struct hk_results {
  hk_status (*row)(hk_results *self, double t, const double *values); /* nchannels values */
  /* finish: flush, add the summary, put the file in place, free the writer; called once, also after
   * failures */
  hk_status (*close)(hk_results *self, const char *summary_json);
  void (*abandon)(hk_results *self); /* the run could not start: no file is put in place */
  /* the animation; both NULL where a format has no place for it */
  hk_status (*frame)(hk_results *self, double t, const float *values);
  hk_status (*scene)(hk_results *self, const hk_results_scene *scene);
  bool scene_first; /* the scene is wanted before the first frame, and again at the end */
  double busy;      /* wall-clock seconds spent in file operations so far */
};

/* Opens the writer. Errors that can be known before a run are reported here: an unknown extension
 * (HK_E_USAGE), a directory that does not exist or is not writable (HK_E_FILE). */
hk_status hki_results_open(hk_ctx *ctx, const char *path, const hk_results_meta *meta,
                           hk_results **out);

/* A result that this program itself reads when it is complete (spool.c): the writer, and what will be
 * read, which lives longer and ends by hk_result_close. */
hk_status hki_results_spool(hk_ctx *ctx, const char *name, const hk_results_meta *meta,
                            hk_results **out, hk_result **result);

/* one frame of the animation: per body x y z and the quaternion w x y z, then per load a force in
 * world axes. Writers without a place for it (CSV) leave it out. */
hk_status hki_results_frame(hk_results *r, double t, const float *values);
/* true when this writer takes frames */
bool hki_results_has_frames(const hk_results *r);
/* the scene, before the file is closed; before the first frame too where the writer wants it */
hk_status hki_results_scene_put(hk_results *r, const hk_results_scene *scene);

/* an array of numbers or, by rows, of characters; one or two dimensions. Dimensions of one name have one length. */
typedef struct hk_results_array {
  const char *name, *text; /* text: its meaning; may be NULL */
  int32_t rank;
  const char *dim[2];
  int64_t n[2];
  const double *x;   /* by rows; or */
  const char *names; /* characters */
} hk_results_array;

/* Writes arrays and texts (name, value) as a NetCDF file; those without numbers are left out. */
hk_status hki_results_arrays(hk_ctx *ctx, const char *path, int32_t n, const hk_results_array *list,
                             int32_t ntexts, const char *const (*texts)[2]);

/* frees a writer without putting its file in place; NULL is allowed */
void hki_results_abandon(hk_results *r);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * results_netcdf_scene.c: the group `geometry` of a NetCDF result: frames of the animation on a
 * time axis of their own, the scene as JSON, the points and faces of meshes.
 *
 *   dimensions   frame (unlimited), body, load, pose = 7, axis = 3
 *   variables    time(frame), poses(frame, body, pose), loads(frame, load, axis)
 *   with meshes  mesh_points(point, axis), mesh_faces(face, axis)
 *   attribute    scene
 *
 * Frames are single precision, gathered into blocks; a block is one chunk of the file.
 */
#include "io/results_impl.h"

#ifdef HK_WITH_NETCDF

#include <netcdf.h>
#include <string.h>

enum { BLOCK_FRAMES = 128, BLOCK_BYTES = 1 << 22 };

struct hk_nc_scene {
  hk_ctx *ctx;
  int group;
  int time, poses, loads; /* variables; loads -1: none */
  int dim_axis;
  size_t nbodies, nloads;
  size_t rows, filled, written;
  double *block_time;
  float *block_poses, *block_loads;
};

/* a variable over frames, chunked by blocks */
static int define(const hk_nc_scene *s, const char *name, nc_type type, int ndims, const int *dims,
                  const size_t *chunk, const char *unit, const char *text, int *var) {
  int code = nc_def_var(s->group, name, type, ndims, dims, var);
  if (code == NC_NOERR) code = nc_def_var_chunking(s->group, *var, NC_CHUNKED, chunk);
  if (code == NC_NOERR) code = nc_def_var_fill(s->group, *var, NC_NOFILL, NULL);
  if (code == NC_NOERR) code = nc_put_att_text(s->group, *var, "units", strlen(unit), unit);
  if (code == NC_NOERR) code = nc_put_att_text(s->group, *var, "long_name", strlen(text), text);
  return code;
}

static int define_all(hk_nc_scene *s) {
  int frame, body = 0, load = 0, pose = 0, code;
  size_t rows = s->rows;
  if ((code = nc_def_dim(s->group, "frame", NC_UNLIMITED, &frame)) != NC_NOERR ||
      (code = nc_def_dim(s->group, "body", s->nbodies, &body)) != NC_NOERR ||
      (code = nc_def_dim(s->group, "pose", 7, &pose)) != NC_NOERR ||
      (code = nc_def_dim(s->group, "axis", 3, &s->dim_axis)) != NC_NOERR) {
    return code;
  }
  if (s->nloads && (code = nc_def_dim(s->group, "load", s->nloads, &load)) != NC_NOERR) return code;
  code = define(s, "time", NC_DOUBLE, 1, &frame, &rows, "s", "time of the frame", &s->time);
  if (code == NC_NOERR) {
    code =
        define(s, "poses", NC_FLOAT, 3, (int[]){frame, body, pose}, (size_t[]){rows, s->nbodies, 7},
               "m, 1", "x y z of each body's frame, then its quaternion w x y z", &s->poses);
  }
  if (code == NC_NOERR && s->nloads) {
    code = define(s, "loads", NC_FLOAT, 3, (int[]){frame, load, s->dim_axis},
                  (size_t[]){rows, s->nloads, 3}, "N",
                  "force of each element on the body at its last end, world axes", &s->loads);
  }
  return code;
}

int hki_nc_scene_open(hk_ctx *ctx, int file, const hk_results_meta *meta, hk_nc_scene **out) {
  int group, code;
  *out = NULL;
  if (meta->nbodies <= 0) return NC_NOERR;
  if ((code = nc_def_grp(file, "geometry", &group)) != NC_NOERR) return code;
  hk_nc_scene *s = hki_alloc(ctx, sizeof *s);
  if (!s) return NC_ENOMEM;
  *s = (hk_nc_scene){.ctx = ctx, .group = group, .loads = -1};
  s->nbodies = (size_t)meta->nbodies;
  s->nloads = (size_t)(meta->nloads > 0 ? meta->nloads : 0);
  size_t bytes = s->nbodies * 28 + s->nloads * 12;
  s->rows = BLOCK_BYTES / bytes > BLOCK_FRAMES ? BLOCK_FRAMES : BLOCK_BYTES / bytes;
  if (s->rows == 0) s->rows = 1;
  s->block_time = hki_alloc(ctx, s->rows * sizeof(double));
  s->block_poses = hki_alloc(ctx, s->rows * s->nbodies * 7 * sizeof(float));
  s->block_loads = hki_alloc(ctx, (s->rows * s->nloads * 3 + 1) * sizeof(float));
  code = s->block_time && s->block_poses && s->block_loads ? define_all(s) : NC_ENOMEM;
  if (code != NC_NOERR) {
    hki_nc_scene_free(s);
    return code;
  }
  *out = s;
  return NC_NOERR;
}

int hki_nc_scene_flush(hk_nc_scene *s) {
  size_t start[3] = {s->written, 0, 0};
  size_t poses[3] = {s->filled, s->nbodies, 7}, loads[3] = {s->filled, s->nloads, 3};
  if (s->filled == 0) return NC_NOERR;
  int code = nc_put_vara_double(s->group, s->time, start, poses, s->block_time);
  if (code == NC_NOERR) {
    code = nc_put_vara_float(s->group, s->poses, start, poses, s->block_poses);
  }
  if (code == NC_NOERR && s->nloads) {
    code = nc_put_vara_float(s->group, s->loads, start, loads, s->block_loads);
  }
  s->written += s->filled;
  s->filled = 0;
  return code;
}

int hki_nc_scene_frame(hk_nc_scene *s, double t, const float *values) {
  size_t np = 7 * s->nbodies, nl = 3 * s->nloads;
  s->block_time[s->filled] = t;
  memcpy(s->block_poses + s->filled * np, values, np * sizeof *values);
  memcpy(s->block_loads + s->filled * nl, values + np, nl * sizeof *values);
  return ++s->filled == s->rows ? hki_nc_scene_flush(s) : NC_NOERR;
}

/* points and faces of all meshes, one after the other */
static int put_meshes(hk_nc_scene *s, const hk_results_scene *scene) {
  int point, face, points, faces, code;
  if ((code = nc_def_dim(s->group, "point", (size_t)scene->npoints, &point)) != NC_NOERR ||
      (code = nc_def_dim(s->group, "face", (size_t)scene->nfaces, &face)) != NC_NOERR ||
      (code = nc_def_var(s->group, "mesh_points", NC_FLOAT, 2, (int[]){point, s->dim_axis},
                         &points)) != NC_NOERR ||
      (code = nc_def_var(s->group, "mesh_faces", NC_INT, 2, (int[]){face, s->dim_axis}, &faces)) !=
          NC_NOERR ||
      (code = nc_enddef(s->group)) != NC_NOERR ||
      (code = nc_put_var_float(s->group, points, scene->points)) != NC_NOERR) {
    return code;
  }
  return nc_put_var_int(s->group, faces, scene->faces);
}

int hki_nc_scene_put(hk_nc_scene *s, const hk_results_scene *scene) {
  int code = nc_redef(s->group);
  // a NetCDF-4 file changes between the modes by itself
  if (code != NC_NOERR && code != NC_EINDEFINE) return code;
  code = nc_put_att_text(s->group, NC_GLOBAL, "scene", strlen(scene->json), scene->json);
  if (code != NC_NOERR) return code;
  return scene->npoints > 0 && scene->nfaces > 0 ? put_meshes(s, scene) : nc_enddef(s->group);
}

void hki_nc_scene_free(hk_nc_scene *s) {
  if (!s) return;
  hki_free(s->ctx, s->block_time);
  hki_free(s->ctx, s->block_poses);
  hki_free(s->ctx, s->block_loads);
  hki_free(s->ctx, s);
}

#endif

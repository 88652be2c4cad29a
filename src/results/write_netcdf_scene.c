/* SPDX-License-Identifier: Apache-2.0
 *
 * write_netcdf_scene.c: the group `geometry` of a NetCDF result: frames of the animation on a
 * time axis of their own, the scene as JSON, the points and faces of meshes.
 *
 *   dimensions   frame (unlimited), body, load, pose = 7, axis = 3
 *   variables    time(frame), poses(frame, body, pose), loads(frame, load, axis)
 *   with meshes  mesh_points(point, axis), mesh_faces(face, axis)
 *   attribute    scene
 *
 * Frames are single precision, gathered into blocks; a block is one chunk of the file. While the
 * worker writes one block, the next one is filled.
 */
#include "results/results_impl.h"

#ifdef HK_WITH_NETCDF

#include <errno.h>
#include <string.h>

enum { BLOCK_FRAMES = 128, BLOCK_BYTES = 1 << 22, LINKS = 16 };

typedef struct block {
  hk_nc_scene *scene;
  uint32_t filled;
  double *time;
  float *poses, *loads;
} block;

struct hk_nc_scene {
  hk_ctx *ctx;
  hk_worker *worker; /* uses file, tables and written while it has a job; NULL: none */
  hk_h5_file *file;
  hk_h5_table time, poses, loads;
  size_t nbodies, nloads;
  uint32_t rows;
  uint64_t written;
  block blocks[2]; /* the second only with a worker */
  int32_t at;      /* index of the block being filled */
  char *json;
  int32_t npoints, nfaces;
  uint64_t points, faces; /* addresses of the meshes' points and faces in the file */
};

static hk_h5_table table(const hk_nc_scene *s, hk_h5_type type, int32_t rank, size_t n,
                         uint32_t m) {
  return (hk_h5_table){.type = type, .nsets = 1, .rank = rank, .chunk = {s->rows, (uint32_t)n, m}};
}

static int open_block(hk_nc_scene *s, block *b) {
  b->scene = s;
  b->time = hki_alloc(s->ctx, s->rows * sizeof(double));
  b->poses = hki_alloc(s->ctx, s->rows * s->nbodies * 7 * sizeof(float));
  b->loads = hki_alloc(s->ctx, (s->rows * s->nloads * 3 + 1) * sizeof(float));
  return b->time && b->poses && b->loads ? 0 : ENOMEM;
}

static int open_tables(hk_nc_scene *s) {
  s->time = table(s, HK_H5_F64, 1, 1, 1);
  s->poses = table(s, HK_H5_F32, 3, s->nbodies, 7);
  s->loads = table(s, HK_H5_F32, 3, s->nloads, 3);
  int error = open_block(s, &s->blocks[0]);
  if (!error && s->worker) error = open_block(s, &s->blocks[1]);
  if (!error) error = hki_h5_table_open(s->file, &s->time);
  if (!error) error = hki_h5_table_open(s->file, &s->poses);
  if (!error && s->nloads) error = hki_h5_table_open(s->file, &s->loads);
  return error;
}

int hki_nc_scene_open(hk_h5_file *file, hk_worker *worker, const hk_results_meta *meta,
                      hk_nc_scene **out) {
  *out = NULL;
  if (meta->nbodies <= 0) return 0;
  hk_nc_scene *s = hki_alloc(file->ctx, sizeof *s);
  if (!s) return ENOMEM;
  *s = (hk_nc_scene){.ctx = file->ctx, .worker = worker, .file = file};
  s->nbodies = (size_t)meta->nbodies;
  s->nloads = (size_t)(meta->nloads > 0 ? meta->nloads : 0);
  size_t bytes = s->nbodies * 28 + s->nloads * 12, rows = BLOCK_BYTES / bytes;
  rows = rows > BLOCK_FRAMES ? BLOCK_FRAMES : rows ? rows : 1;
  // divide the expected frames evenly over the blocks
  size_t frames = meta->frames > 0 ? (size_t)meta->frames : rows,
         blocks = (frames + rows - 1) / rows;
  s->rows = (uint32_t)((frames + blocks - 1) / blocks);
  int error = open_tables(s);
  if (error) {
    hki_nc_scene_free(s);
    return error;
  }
  *out = s;
  return 0;
}

/* --- frames ----------------------------------------------------------------------------------- */

/* write one block; the worker's job */
static int write_block(void *arg) {
  block *b = arg;
  hk_nc_scene *s = b->scene;
  int error = hki_h5_table_append(s->file, &s->time, b->time);
  if (!error) error = hki_h5_table_append(s->file, &s->poses, b->poses);
  if (!error && s->nloads) error = hki_h5_table_append(s->file, &s->loads, b->loads);
  if (!error) s->written += b->filled;
  b->filled = 0;
  return error;
}

/* give the block to the worker, which has finished with the other one by then */
static int flush(hk_nc_scene *s) {
  int error = hki_worker_give(s->worker, write_block, &s->blocks[s->at]);
  if (s->worker) s->at = 1 - s->at;
  return error;
}

int hki_nc_scene_frame(hk_nc_scene *s, double t, const float *values) {
  block *b = &s->blocks[s->at];
  size_t np = 7 * s->nbodies, nl = 3 * s->nloads;
  b->time[b->filled] = t;
  memcpy(b->poses + b->filled * np, values, np * sizeof *values);
  memcpy(b->loads + b->filled * nl, values + np, nl * sizeof *values);
  return ++b->filled == s->rows ? flush(s) : 0;
}

bool hki_nc_scene_fills(const hk_nc_scene *s) { return s->blocks[s->at].filled + 1 == s->rows; }

int hki_nc_scene_end(hk_nc_scene *s) {
  block *b = &s->blocks[s->at];
  // zero the unused frames of the last block
  size_t from = b->filled, n = s->rows - from, np = 7 * s->nbodies, nl = 3 * s->nloads;
  memset(b->time + from, 0, n * sizeof *b->time);
  memset(b->poses + from * np, 0, n * np * sizeof *b->poses);
  memset(b->loads + from * nl, 0, n * nl * sizeof *b->loads);
  int error = b->filled ? write_block(b) : 0;
  if (!error) error = hki_h5_table_end(s->file, &s->time);
  if (!error) error = hki_h5_table_end(s->file, &s->poses);
  if (!error && s->nloads) error = hki_h5_table_end(s->file, &s->loads);
  return error;
}

int hki_nc_scene_put(hk_nc_scene *s, const hk_results_scene *scene) {
  hki_free(s->ctx, s->json);
  s->json = hki_strdup(s->ctx, scene->json);
  if (!s->json) return ENOMEM;
  if (scene->npoints <= 0 || scene->nfaces <= 0) return 0;
  s->npoints = scene->npoints;
  s->nfaces = scene->nfaces;
  int error =
      hki_h5_append(s->file, scene->points, (size_t)s->npoints * 3 * sizeof(float), &s->points);
  if (error) return error;
  return hki_h5_append(s->file, scene->faces, (size_t)s->nfaces * 3 * sizeof(int32_t), &s->faces);
}

/* --- the description -------------------------------------------------------------------------- */

/* links of the group collected so far */
typedef struct links {
  hk_h5_bytes *b;
  uint64_t heap;
  int32_t n;
  const char *name[LINKS];
  uint64_t address[LINKS];
} links;

static void add(links *l, const char *name, hk_h5_object *o) {
  hki_h5_object_end(o);
  l->name[l->n] = name;
  l->address[l->n++] = o->address;
}

/* a dimension without a variable; `grows`: it is unlimited */
static void dimension(links *l, const char *name, int32_t id, uint64_t n, bool grows) {
  hk_h5_object o =
      grows ? hki_h5_empty_set(l->b, n) : hki_h5_fixed_set(l->b, HK_H5_F32, 1, &n, HK_H5_NOWHERE);
  hki_nc_dimension(&o, name, id, (int64_t)n);
  hki_h5_refer(l->b, l->heap, id, o.address);
  add(l, name, &o);
}

static void variable(links *l, hk_h5_object o, const char *name, const int32_t *dims, int32_t n,
                     const char *unit, const char *text) {
  hki_h5_dimensions(&o, l->heap, dims, n);
  hki_h5_text(&o, "units", unit);
  hki_h5_text(&o, "long_name", text);
  add(l, name, &o);
}

static void describe_meshes(const hk_nc_scene *s, links *l) {
  uint64_t np[2] = {(uint64_t)s->npoints, 3}, nf[2] = {(uint64_t)s->nfaces, 3};
  dimension(l, "point", HK_NC_POINT, np[0], false);
  dimension(l, "face", HK_NC_FACE, nf[0], false);
  variable(l, hki_h5_fixed_set(l->b, HK_H5_F32, 2, np, s->points), "mesh_points",
           (int32_t[]){HK_NC_POINT, HK_NC_AXIS}, 2, "m", "points of all meshes");
  variable(l, hki_h5_fixed_set(l->b, HK_H5_I32, 2, nf, s->faces), "mesh_faces",
           (int32_t[]){HK_NC_FACE, HK_NC_AXIS}, 2, "1",
           "points of each triangle, counted from its mesh's first");
}

uint64_t hki_nc_scene_describe(hk_nc_scene *s, hk_h5_bytes *b, uint64_t heap) {
  links l = {.b = b, .heap = heap};
  const uint64_t none = HK_H5_NOWHERE;
  s->time.rows = s->poses.rows = s->loads.rows = s->written;
  dimension(&l, "frame", HK_NC_FRAME, s->written, true);
  dimension(&l, "body", HK_NC_BODY, s->nbodies, false);
  dimension(&l, "pose", HK_NC_POSE, 7, false);
  dimension(&l, "axis", HK_NC_AXIS, 3, false);
  if (s->nloads) dimension(&l, "load", HK_NC_LOAD, s->nloads, false);
  variable(&l, hki_h5_set(b, s->file, &s->time, 0, none), "time", (int32_t[]){HK_NC_FRAME}, 1, "s",
           "time of the frame");
  variable(&l, hki_h5_set(b, s->file, &s->poses, 0, none), "poses",
           (int32_t[]){HK_NC_FRAME, HK_NC_BODY, HK_NC_POSE}, 3, "m, 1",
           "x y z of each body's frame, then its quaternion w x y z");
  if (s->nloads) {
    variable(&l, hki_h5_set(b, s->file, &s->loads, 0, none), "loads",
             (int32_t[]){HK_NC_FRAME, HK_NC_LOAD, HK_NC_AXIS}, 3, "N",
             "force of each element on the body at its last end, world axes");
  }
  if (s->npoints) describe_meshes(s, &l);
  hk_nc_long text = hki_nc_long(b, heap, HK_NC_SCENE, "scene", s->json);
  hk_h5_object o = hki_h5_object(b);
  hki_h5_group(&o, l.n + 2);
  for (int32_t i = 0; i < l.n; i++) hki_h5_link(&o, l.name[i], i, l.address[i]);
  if (text.variable != none) {
    hki_h5_link(&o, text.name, l.n, text.dimension);
    hki_h5_link(&o, "scene", l.n + 1, text.variable);
  }
  hki_h5_text(&o, "scene", s->json);
  hki_h5_object_end(&o);
  return o.address;
}

void hki_nc_scene_free(hk_nc_scene *s) {
  if (!s) return;
  hki_h5_table_free(s->file, &s->time);
  hki_h5_table_free(s->file, &s->poses);
  hki_h5_table_free(s->file, &s->loads);
  for (int i = 0; i < 2; i++) {
    hki_free(s->ctx, s->blocks[i].time);
    hki_free(s->ctx, s->blocks[i].poses);
    hki_free(s->ctx, s->blocks[i].loads);
  }
  hki_free(s->ctx, s->json);
  hki_free(s->ctx, s);
}

#endif

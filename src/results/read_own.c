/* SPDX-License-Identifier: Apache-2.0
 *
 * read_own.c: reads the NetCDF-4 results that Hooke writes, without any library but zlib. The bytes
 * are those of hdf5/read.h, the layout is that of write_netcdf.c and write_netcdf_scene.c. A file
 * that another program has written anew is left to HDF5 (read_hdf5.c): HK_RETRY, and no message.
 */
#include "results/read.h"

#ifdef HK_WITH_NETCDF

#include <math.h>
#include <string.h>

#include "results/hdf5/read.h"

typedef struct own_file {
  hk_h5_source source;
  hk_h5_header header; /* of the object that is looked at */
  hk_h5_dataset time;  /* the times */
  hk_h5_dataset *set;  /* the numbers of each channel */
  int32_t nset, cap;
  hk_h5_dataset frame_time, poses, loads, points, faces;
} own_file;

static hk_status damaged(hk_result *r, const char *what) {
  return hki_result_refuse(r, "the file is damaged, or not from Hooke", "%s", what);
}

/* a verdict as a status; `what` stands in the message about a damaged file */
static hk_status judge(hk_result *r, hk_h5_verdict v, const char *what) {
  switch (v) {
    case HK_H5_GOOD:
      return HK_OK;
    case HK_H5_FOREIGN:
      return HK_RETRY;
    case HK_H5_MEMORY:
      return HK_E_MEMORY;
    case HK_H5_DAMAGED:
      break;
  }
  return damaged(r, what);
}

/* --- groups ----------------------------------------------------------------------------------- */

/* what a link leads to; HK_H5_NOWHERE: there is none of this name */
static hk_h5_verdict find(const hk_h5_header *group, const char *name, uint64_t *address) {
  hk_h5_message m;
  const size_t want = strlen(name);
  *address = HK_H5_NOWHERE;
  for (size_t at = 0; hki_h5_next(group, &at, &m);) {
    const char *found;
    size_t len;
    uint64_t where;
    if (m.type != HK_H5_MSG_LINK) continue;
    hk_h5_verdict v = hki_h5_read_link(&m, &found, &len, &where);
    if (v != HK_H5_GOOD) return v;
    if (len == want && memcmp(found, name, len) == 0) *address = where;
  }
  return HK_H5_GOOD;
}

/* a dataset of a group; there = false: none of this name, type and rank */
static hk_h5_verdict open_set(own_file *f, const hk_h5_header *group, const char *name,
                              hk_h5_type type, int32_t rank, hk_h5_dataset *d) {
  uint64_t address;
  *d = (hk_h5_dataset){.there = false};
  hk_h5_verdict v = find(group, name, &address);
  if (v != HK_H5_GOOD || address == HK_H5_NOWHERE) return v;
  v = hki_h5_read_header(&f->source, address, &f->header);
  if (v == HK_H5_GOOD) v = hki_h5_read_dataset(&f->source, &f->header, d);
  if (v == HK_H5_GOOD && (d->type != type || d->rank != rank || !d->stored)) d->there = false;
  return v;
}

/* a text attribute of a header into the pool; *text stays NULL when there is none */
static hk_h5_verdict attribute(hk_result *r, const hk_h5_header *h, const char *name,
                               const char **text) {
  hk_h5_message m;
  hk_h5_attribute a;
  for (size_t at = 0; !*text && hki_h5_next(h, &at, &m);) {
    if (m.type != HK_H5_MSG_ATTRIBUTE) continue;
    hk_h5_verdict v = hki_h5_read_attribute(&m, &a);
    if (v != HK_H5_GOOD) return v;
    if (!a.text || a.n == 0 || strcmp(a.name, name) != 0) continue;
    *text = hki_pool_strndup(r->pool, (const char *)a.data, a.n);
    if (!*text) return HK_H5_MEMORY;
  }
  return HK_H5_GOOD;
}

/* a text of a group: an attribute, or a variable of characters when it is long */
static hk_h5_verdict any_text(hk_result *r, const hk_h5_header *group, const char *name,
                              const char **text) {
  own_file *f = r->file;
  hk_h5_dataset d;
  *text = NULL;
  hk_h5_verdict v = attribute(r, group, name, text);
  if (v != HK_H5_GOOD || *text) return v;
  v = open_set(f, group, name, HK_H5_CHAR, 1, &d);
  if (v != HK_H5_GOOD || !d.there || d.dims[0] > HK_READ_TEXT) return v;
  char *value = hki_pool_alloc(r->pool, (size_t)d.dims[0] + 1);
  if (!value) return HK_H5_MEMORY;
  *text = value;
  return hki_h5_read_rows(&f->source, &d, 0, d.dims[0], value);
}

/* --- opening ---------------------------------------------------------------------------------- */

static hk_status check_format(hk_result *r, const hk_h5_header *root) {
  hk_h5_message m;
  hk_h5_attribute a;
  for (size_t at = 0; hki_h5_next(root, &at, &m);) {
    int32_t format;
    if (m.type != HK_H5_MSG_ATTRIBUTE) continue;
    hk_status st = judge(r, hki_h5_read_attribute(&m, &a), "it is cut short or damaged");
    if (st != HK_OK) return st;
    if (!a.integer || strcmp(a.name, "hooke_format") != 0) continue;
    memcpy(&format, a.data, sizeof format);
    if (format == 1) return HK_OK;
    return hki_result_refuse(r, "a newer Hooke may have written it",
                             "it has format %d, known is format 1", (int)format);
  }
  return hki_result_refuse(r, "'hooke run --output FILE.nc' writes one",
                           "it is an HDF5 file, but not a result of Hooke");
}

enum { TIMES = 1 << 14 }; /* rows read together */

/* finds `time` and checks that it grows from row to row */
static hk_status open_time(hk_result *r, const hk_h5_header *root) {
  own_file *f = r->file;
  hk_status st =
      judge(r, open_set(f, root, "time", HK_H5_F64, 1, &f->time), "its times cannot be read");
  if (st != HK_OK) return st;
  const uint64_t n = f->time.dims[0];
  if (!f->time.there) {
    // a file of a run that was killed before its first row
    if (f->time.rank == 1 && n == 0) return hki_result_refuse(r, NULL, "it has no rows");
    return damaged(r, "it has no time");
  }
  if (n == 0) return hki_result_refuse(r, NULL, "it has no rows");
  if (n > (uint64_t)HK_READ_ROWS) return damaged(r, "it claims too many rows");
  r->rows = (int64_t)n;
  double *block = hki_alloc(r->ctx, (n < TIMES ? n : TIMES) * sizeof *block), last = -INFINITY;
  if (!block) return HK_E_MEMORY;
  for (uint64_t at = 0; st == HK_OK && at < n; at += TIMES) {
    const uint64_t m = n - at < TIMES ? n - at : TIMES;
    uint64_t i = 0;
    st = judge(r, hki_h5_read_rows(&f->source, &f->time, at, m, block), "its times cannot be read");
    while (st == HK_OK && i < m && isfinite(block[i]) && block[i] >= last) last = block[i++];
    if (st == HK_OK && i < m) st = damaged(r, "its times do not grow");
  }
  hki_free(r->ctx, block);
  return st;
}

/* one link of the root: a channel when it is a column as long as `time` */
static hk_status visit(hk_result *r, const char *link, size_t len, uint64_t address) {
  own_file *f = r->file;
  hk_h5_dataset d;
  if (len >= HK_READ_NAME || (len == 4 && memcmp(link, "time", 4) == 0)) return HK_OK;
  hk_status st = judge(r, hki_h5_read_header(&f->source, address, &f->header),
                       "one of its entries cannot be opened");
  if (st != HK_OK) return st;
  hk_h5_verdict v = hki_h5_read_dataset(&f->source, &f->header, &d);
  if (v == HK_H5_DAMAGED)
    return hki_result_refuse(r, "the file is damaged, or not from Hooke",
                             "the numbers of '%.*s' are not in it as they should be",
                             (int)(len < 100 ? len : 100), link);
  if (v != HK_H5_GOOD) return judge(r, v, "");
  if (!d.there || !d.stored || d.type != HK_H5_F64 || d.rank != 1 || d.dims[0] < (uint64_t)r->rows)
    return HK_OK;
  const char *unit = NULL, *text = NULL, *name = NULL;
  v = attribute(r, &f->header, "units", &unit);
  if (v == HK_H5_GOOD) v = attribute(r, &f->header, "long_name", &text);
  if (v == HK_H5_GOOD) v = attribute(r, &f->header, "channel", &name);
  if (v != HK_H5_GOOD) return judge(r, v, "a part of it cannot be read");
  if (!name) name = hki_pool_strndup(r->pool, link, len);
  if (!name || !HK_GROW(r->ctx, f->set, f->cap, f->nset + 1)) return HK_E_MEMORY;
  st = hki_result_add(r, name, unit, text);
  if (st == HK_OK) f->set[f->nset++] = d;
  return st;
}

static hk_status open_channels(hk_result *r, const hk_h5_header *root) {
  hk_h5_message m;
  hk_status st = HK_OK;
  int64_t seen = 0;
  for (size_t at = 0; st == HK_OK && hki_h5_next(root, &at, &m);) {
    const char *name = "";
    size_t len = 0;
    uint64_t address = 0;
    if (m.type != HK_H5_MSG_LINK) continue;
    if (++seen > HK_READ_CHANNELS + 100) return damaged(r, "it has too many entries");
    st = judge(r, hki_h5_read_link(&m, &name, &len, &address),
               "its list of channels cannot be read");
    if (st == HK_OK) st = visit(r, name, len, address);
  }
  return st;
}

/* --- the animation ---------------------------------------------------------------------------- */

static const char no_fit[] = "its frames do not fit together";

static hk_status open_meshes(hk_result *r, const hk_h5_header *group) {
  own_file *f = r->file;
  hk_h5_verdict v = open_set(f, group, "mesh_points", HK_H5_F32, 2, &f->points);
  if (v != HK_H5_GOOD || !f->points.there) return judge(r, v, "its meshes cannot be read");
  if (f->points.dims[1] != 3 || f->points.dims[0] > 20000000)
    return damaged(r, "its meshes are not points");
  v = open_set(f, group, "mesh_faces", HK_H5_I32, 2, &f->faces);
  if (v != HK_H5_GOOD) return judge(r, v, "its meshes cannot be read");
  if (!f->faces.there || f->faces.dims[1] != 3 || f->faces.dims[0] > 20000000)
    return damaged(r, "its meshes have no triangles");
  r->npoints = (int32_t)f->points.dims[0];
  r->nfaces = (int32_t)f->faces.dims[0];
  return HK_OK;
}

static hk_status open_frames(hk_result *r, const hk_h5_header *group) {
  own_file *f = r->file;
  hk_h5_verdict v = open_set(f, group, "time", HK_H5_F64, 1, &f->frame_time);
  if (v == HK_H5_GOOD) v = open_set(f, group, "poses", HK_H5_F32, 3, &f->poses);
  if (v == HK_H5_GOOD) v = open_set(f, group, "loads", HK_H5_F32, 3, &f->loads);
  if (v != HK_H5_GOOD) return judge(r, v, no_fit);
  const uint64_t n = f->frame_time.dims[0], *d = f->poses.dims, *l = f->loads.dims;
  if (!f->frame_time.there || !f->poses.there || n == 0 || d[0] != n || d[2] != 7 || d[1] == 0 ||
      d[1] > 10000000 || n > (uint64_t)HK_READ_ROWS)
    return damaged(r, no_fit);
  if (f->loads.there && (l[0] != n || l[2] != 3 || l[1] > 10000000))
    return damaged(r, "its loads do not fit its frames");
  r->frames = (int64_t)n;
  r->nbodies = (int32_t)d[1];
  r->nloads = f->loads.there ? (int32_t)l[1] : 0;
  return open_meshes(r, group);
}

static hk_status open_geometry(hk_result *r, const hk_h5_header *root) {
  own_file *f = r->file;
  hk_h5_header group = {0};
  const char *scene = NULL;
  uint64_t address;
  hk_status st = judge(r, find(root, "geometry", &address), "its 'geometry' cannot be read");
  if (st != HK_OK || address == HK_H5_NOWHERE) return st;
  hk_h5_verdict v = hki_h5_read_header(&f->source, address, &group);
  if (v == HK_H5_GOOD) v = any_text(r, &group, "scene", &scene);
  st = judge(r, v, "its 'geometry' cannot be read");
  if (st == HK_OK && scene) {
    hki_result_set_text(r, "scene", scene, strlen(scene));
    st = open_frames(r, &group);
  }
  hki_free(r->ctx, group.p);
  return st;
}

static hk_status open_all(hk_result *r, hk_h5_header *root) {
  static const char cut[] = "it is cut short or damaged";
  own_file *f = r->file;
  uint64_t address = 0;
  hk_status st = judge(r, hki_h5_source_open(&f->source, r->ctx, r->path, &address), cut);
  if (st == HK_OK) st = judge(r, hki_h5_read_header(&f->source, address, root), cut);
  if (st == HK_OK) st = check_format(r, root);
  for (int32_t i = 0; st == HK_OK && hki_result_keys[i]; i++) {
    const char *text = NULL;
    st = judge(r, any_text(r, root, hki_result_keys[i], &text), "a part of it cannot be read");
    if (st == HK_OK && text) hki_result_set_text(r, hki_result_keys[i], text, strlen(text));
  }
  if (st == HK_OK) st = open_time(r, root);
  if (st == HK_OK) st = open_channels(r, root);
  return st == HK_OK ? open_geometry(r, root) : st;
}

/* --- reading ---------------------------------------------------------------------------------- */

static hk_status own_read(hk_result *r, int32_t channel, int64_t first, int64_t count,
                          double *out) {
  own_file *f = r->file;
  const hk_h5_dataset *d = channel < 0 ? &f->time : &f->set[channel];
  return judge(r, hki_h5_read_rows(&f->source, d, (uint64_t)first, (uint64_t)count, out),
               "its numbers cannot be read");
}

static hk_status own_read_frames(hk_result *r, int64_t first, int64_t count, double *time,
                                 float *poses, float *loads) {
  own_file *f = r->file;
  const uint64_t from = (uint64_t)first, n = (uint64_t)count;
  hk_h5_verdict v = HK_H5_GOOD;
  if (time) v = hki_h5_read_rows(&f->source, &f->frame_time, from, n, time);
  if (v == HK_H5_GOOD && poses) v = hki_h5_read_rows(&f->source, &f->poses, from, n, poses);
  if (v == HK_H5_GOOD && loads && r->nloads)
    v = hki_h5_read_rows(&f->source, &f->loads, from, n, loads);
  return judge(r, v, "its frames cannot be read");
}

static hk_status own_read_meshes(hk_result *r, float *points, int32_t *faces) {
  own_file *f = r->file;
  hk_h5_verdict v = hki_h5_read_rows(&f->source, &f->points, 0, (uint64_t)r->npoints, points);
  if (v == HK_H5_GOOD) v = hki_h5_read_rows(&f->source, &f->faces, 0, (uint64_t)r->nfaces, faces);
  return judge(r, v, "its meshes cannot be read");
}

static void own_close(hk_result *r) {
  own_file *f = r->file;
  if (!f) return;
  hki_h5_source_close(&f->source);
  hki_free(r->ctx, f->header.p);
  hki_free(r->ctx, f->set);
  hki_free(r->ctx, f);
}

hk_status hki_result_open_own(hk_result *r) {
  own_file *f = hki_alloc(r->ctx, sizeof *f);
  if (!f) return HK_E_MEMORY;
  f->source = (hk_h5_source){.ctx = r->ctx, .fd = -1};
  r->file = f;
  r->read = own_read;
  r->read_frames = own_read_frames;
  r->read_meshes = own_read_meshes;
  r->close = own_close;
  hk_h5_header root = {0};
  hk_status st = open_all(r, &root);
  hki_free(r->ctx, root.p);
  return st;
}

#else

hk_status hki_result_open_own(hk_result *r) {
  return hki_result_refuse(r, "use .csv, or build with HK_WITH_NETCDF=ON",
                           "this Hooke was built without NetCDF");
}

#endif

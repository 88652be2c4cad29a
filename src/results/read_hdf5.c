/* SPDX-License-Identifier: Apache-2.0
 *
 * read_hdf5.c: reads NetCDF-4 results. Such a file is an HDF5 file of known layout; it is read with
 * HDF5 and not with the NetCDF library, so that a hostile file can lead nowhere else: only the root
 * and the group `geometry` are read, only hard links are followed, data must lie in the file itself
 * and need no filter plugin. The size that a dataset claims is compared with the bytes stored
 * before memory is allocated.
 */
#include "results/read.h"

#ifdef HK_WITH_HDF5

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/hdf5/library.h"

static const hk_hdf5 *h5; /* set by hki_result_open_hdf5 before any other function is called */

typedef struct h5_file {
  hid_t file, geometry;
  hid_t time; /* dataset of the times */
  hid_t *set; /* dataset of each channel */
  int32_t nset, cap;
  hid_t frame_time, poses, loads, points, faces;
  bool trouble; /* HDF5 failed where it should not: something may be missing */
} h5_file;

/* Every use of HDF5 stands between enter and leave: the lock is held, and the library prints no
 * errors. `print`, `data`: the error handler to restore. */
typedef struct guard {
  H5E_auto2_t print;
  void *data;
} guard;

static guard enter(void) {
  guard g = {NULL, NULL};
  hki_results_lock();
  h5->Eget_auto2(H5E_DEFAULT, &g.print, &g.data);
  h5->Eset_auto2(H5E_DEFAULT, NULL, NULL);
  return g;
}

/* Restores an error handler that the program has set. HDF5's own default handler, the one of a
 * fresh error stack, stays off: at exit it would print errors about objects of damaged files. */
static void leave(guard g) {
  guard own = {NULL, NULL};
  hid_t fresh = h5->Ecreate_stack();
  if (fresh >= 0) h5->Eget_auto2(fresh, &own.print, &own.data);
  if (fresh >= 0) h5->Eclose_stack(fresh);
  if (g.print != own.print) h5->Eset_auto2(H5E_DEFAULT, g.print, g.data);
  hki_results_unlock();
}

static hk_status damaged(hk_result *r, const char *what) {
  return hki_result_refuse(r, "the file is damaged, or not from Hooke", "%s", what);
}

/* HDF5 could not do what it can do with every sound file: memory ran out, or the file is damaged.
 * Returns -1, no object */
static hid_t trouble(hk_result *r) {
  ((h5_file *)r->file)->trouble = true;
  return -1;
}

/* --- attributes ------------------------------------------------------------------------------- */

/* a text attribute into the pool; NULL when there is none or it is not a reasonable text */
static const char *text_attribute(hk_result *r, hid_t object, const char *name) {
  char *value = NULL;
  const htri_t there = h5->Aexists(object, name);
  if (there < 0) trouble(r);
  if (there <= 0) return NULL;
  hid_t a = h5->Aopen(object, name, H5P_DEFAULT);
  hid_t type = a >= 0 ? h5->Aget_type(a) : -1, space = a >= 0 ? h5->Aget_space(a) : -1;
  if (type >= 0 && space >= 0 && h5->Tget_class(type) == H5T_STRING &&
      h5->Sget_simple_extent_npoints(space) == 1 && !h5->Tis_variable_str(type)) {
    size_t n = h5->Tget_size(type);
    value = n > 0 && n <= HK_READ_TEXT ? hki_pool_alloc(r->pool, n + 1) : NULL;
    if (value && h5->Aread(a, type, value) < 0) value = NULL;
    if (!value && n > 0 && n <= HK_READ_TEXT) trouble(r);
  }
  if (a < 0 || type < 0 || space < 0) trouble(r);
  if (space >= 0) h5->Sclose(space);
  if (type >= 0) h5->Tclose(type);
  if (a >= 0) h5->Aclose(a);
  return value;
}

static bool int_attribute(hid_t object, const char *name, int *value) {
  bool ok = false;
  if (h5->Aexists(object, name) <= 0) return false;
  hid_t a = h5->Aopen(object, name, H5P_DEFAULT), space = a >= 0 ? h5->Aget_space(a) : -1;
  hid_t type = a >= 0 ? h5->Aget_type(a) : -1;
  if (space >= 0 && type >= 0 && h5->Sget_simple_extent_npoints(space) == 1 &&
      h5->Tget_class(type) == H5T_INTEGER) {
    ok = h5->Aread(a, h5->native_int, value) >= 0;
  }
  if (type >= 0) h5->Tclose(type);
  if (space >= 0) h5->Sclose(space);
  if (a >= 0) h5->Aclose(a);
  return ok;
}

/* --- datasets --------------------------------------------------------------------------------- */

/* largest compressed chunk accepted, bytes: a chunk is unpacked whole for any part of it */
enum { PACKED_CHUNK = 1 << 22 };
/* chunk cache of each dataset, bytes and slots; small, since a file may have thousands of
 * datasets */
enum { KEPT = 1 << 17, KEPT_CHUNKS = 61 };

/* true when the data are in the file itself, packed only by HDF5's own filters, in chunks of
 * moderate size */
static bool plainly_stored(hid_t set, size_t size) {
  hid_t plan = h5->Dget_create_plist(set);
  if (plan < 0) return false;
  bool ok = h5->Pget_external_count(plan) == 0 && h5->Pget_layout(plan) != H5D_VIRTUAL;
  int n = h5->Pget_nfilters(plan);
  for (int i = 0; ok && i < n; i++) {
    unsigned flags, config;
    size_t values = 0;
    H5Z_filter_t f = h5->Pget_filter2(plan, (unsigned)i, &flags, &values, NULL, 0, NULL, &config);
    ok = f == H5Z_FILTER_DEFLATE || f == H5Z_FILTER_SHUFFLE || f == H5Z_FILTER_FLETCHER32;
  }
  if (ok && n > 0) {
    hsize_t chunk[3] = {1, 1, 1};
    int rank = h5->Pget_chunk(plan, 3, chunk);
    double bytes = (double)size;
    for (int i = 0; i < rank && i < 3; i++) bytes *= (double)chunk[i];
    ok = rank >= 1 && rank <= 3 && bytes <= PACKED_CHUNK;
  }
  h5->Pclose(plan);
  return ok && n >= 0;
}

/* Returns the object when it is a dataset of this class and rank, with dims[rank] filled; otherwise
 * closes it and returns -1. *sound is false when only the storage of its data is unacceptable. */
static hid_t check_set(hk_result *r, hid_t object, H5T_class_t class, int rank, hsize_t *dims,
                       bool *sound) {
  *sound = true;
  if (object < 0) return trouble(r);
  bool set = h5->Iget_type(object) == H5I_DATASET;
  hid_t type = set ? h5->Dget_type(object) : -1, space = set ? h5->Dget_space(object) : -1;
  size_t size = type >= 0 ? h5->Tget_size(type) : 0;
  if (set && (type < 0 || space < 0 || h5->Tget_class(type) < 0 ||
              h5->Sget_simple_extent_ndims(space) < 0))
    trouble(r);
  bool ok = type >= 0 && space >= 0 && h5->Tget_class(type) == class &&
            size <= (class == H5T_STRING ? 1 : 8) && h5->Sget_simple_extent_ndims(space) == rank &&
            h5->Sget_simple_extent_dims(space, dims, NULL) == rank;
  // size claimed against bytes stored; deflate shrinks by a factor of 1032 at most
  if (ok) {
    double claimed = (double)size;
    for (int i = 0; i < rank; i++) claimed *= (double)dims[i];
    *sound =
        plainly_stored(object, size) && claimed <= 1100.0 * (double)h5->Dget_storage_size(object);
  }
  if (space >= 0) h5->Sclose(space);
  if (type >= 0) h5->Tclose(type);
  if (ok && *sound) return object;
  h5->Oclose(object);
  return -1;
}

/* opens a dataset by name, through a hard link only; -1 when it is not as expected */
static hid_t open_set(hk_result *r, hid_t group, const char *name, H5T_class_t class, int rank,
                      hsize_t *dims) {
  H5L_info_t link;
  bool sound;
  const htri_t there = h5->Lexists(group, name, H5P_DEFAULT);
  if (there < 0) trouble(r);
  if (there <= 0) return -1;
  if (h5->Lget_info(group, name, &link, H5P_DEFAULT) < 0) return trouble(r);
  if (link.type != H5L_TYPE_HARD) return -1;
  return check_set(r, h5->Oopen(group, name, H5P_DEFAULT), class, rank, dims, &sound);
}

/* reads rows first ... first + count - 1 of a dataset, whole in its other dimensions */
static bool read_rows(hid_t set, hid_t type, hsize_t first, hsize_t count, int rank,
                      const hsize_t *rest, void *out) {
  hsize_t start[3] = {first, 0, 0}, size[3] = {count, 0, 0};
  for (int i = 1; i < rank; i++) size[i] = rest[i - 1];
  hid_t from = h5->Dget_space(set), to = h5->Screate_simple(rank, size, NULL);
  bool ok = from >= 0 && to >= 0 &&
            h5->Sselect_hyperslab(from, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
            h5->Dread(set, type, to, from, H5P_DEFAULT, out) >= 0;
  if (from >= 0) h5->Sclose(from);
  if (to >= 0) h5->Sclose(to);
  return ok;
}

/* a text of the file: an attribute, or a variable of characters when it is long */
static const char *any_text(hk_result *r, hid_t group, const char *name) {
  const char *short_one = text_attribute(r, group, name);
  hsize_t n = 0;
  if (short_one) return short_one;
  hid_t set = open_set(r, group, name, H5T_STRING, 1, &n), type = h5->Tcopy(h5->text);
  char *value = set >= 0 && n <= HK_READ_TEXT ? hki_pool_alloc(r->pool, n + 1) : NULL;
  if (value && !read_rows(set, type, 0, n, 1, NULL, value)) value = NULL;
  if (set >= 0 && n <= HK_READ_TEXT && !value) trouble(r);
  if (set >= 0) h5->Oclose(set);
  if (type >= 0) h5->Tclose(type);
  return value;
}

/* --- opening ---------------------------------------------------------------------------------- */

typedef struct walk {
  hk_result *r;
  h5_file *f;
  hk_status status;
  int64_t seen;
} walk;

/* true for a NetCDF dimension without a variable, which is a dataset without data */
static bool is_axis(hk_result *r, hid_t root, haddr_t at) {
  hid_t object = h5->Oopen_by_addr(root, at);
  const char *class = object >= 0 ? text_attribute(r, object, "CLASS") : NULL;
  if (object >= 0) h5->Oclose(object);
  return class && strcmp(class, "DIMENSION_SCALE") == 0;
}

/* one link of the root: a channel when it is a column as long as `time` */
static herr_t visit(hid_t root, const char *name, const H5L_info_t *link, void *data) {
  walk *w = data;
  hk_result *r = w->r;
  hsize_t n;
  if (++w->seen > HK_READ_CHANNELS + 100) {
    w->status = damaged(r, "it has too many entries");
    return 1;
  }
  if (link->type != H5L_TYPE_HARD || strcmp(name, "time") == 0) return 0;
  if (strlen(name) >= HK_READ_NAME) return 0;
  // opened by address: looking up each name would take quadratic time
  hid_t object = h5->Oopen_by_addr(root, link->u.address);
  if (object < 0) {
    w->status = damaged(r, "one of its entries cannot be opened");
    return 1;
  }
  bool sound;
  hid_t set = check_set(r, object, H5T_FLOAT, 1, &n, &sound);
  if (!sound && is_axis(r, root, link->u.address)) return 0;
  if (!sound) {
    w->status = hki_result_refuse(r, "the file is damaged, or not from Hooke",
                                  "the numbers of '%.100s' are not in it as they should be", name);
    return 1;
  }
  if (set < 0 || (int64_t)n < r->rows) {
    if (set >= 0) h5->Oclose(set);
    return 0;
  }
  const char *unit = text_attribute(r, set, "units"), *text = text_attribute(r, set, "long_name");
  const char *true_name = text_attribute(r, set, "channel");
  bool room = HK_GROW(r->ctx, w->f->set, w->f->cap, w->f->nset + 1);
  w->status = room ? hki_result_add(r, true_name ? true_name : name, unit, text) : HK_E_MEMORY;
  if (w->status != HK_OK) {
    h5->Oclose(set);
    return 1;
  }
  w->f->set[w->f->nset++] = set;
  return 0;
}

enum { TIMES = 1 << 16 }; /* rows read together */

/* opens `time` and checks that it grows from row to row */
static hk_status open_time(hk_result *r, h5_file *f) {
  hsize_t n = 0;
  f->time = open_set(r, f->file, "time", H5T_FLOAT, 1, &n);
  if (f->time < 0) return damaged(r, "it has no time");
  if (n == 0) return hki_result_refuse(r, NULL, "it has no rows");
  if (n > (hsize_t)HK_READ_ROWS) return damaged(r, "it claims too many rows");
  r->rows = (int64_t)n;
  hsize_t step = n < TIMES ? n : TIMES;
  double *block = hki_alloc(r->ctx, (size_t)step * sizeof *block), last = -INFINITY;
  hk_status st = block ? HK_OK : HK_E_MEMORY;
  for (hsize_t at = 0; st == HK_OK && at < n; at += step) {
    hsize_t m = n - at < step ? n - at : step, i = 0;
    if (!read_rows(f->time, h5->native_double, at, m, 1, NULL, block)) {
      st = damaged(r, "its times cannot be read");
      break;
    }
    while (i < m && isfinite(block[i]) && block[i] >= last) last = block[i++];
    if (i < m) st = damaged(r, "its times do not grow");
  }
  hki_free(r->ctx, block);
  return st;
}

static hk_status open_meshes(hk_result *r, h5_file *f) {
  hsize_t dims[2] = {0, 0};
  f->points = open_set(r, f->geometry, "mesh_points", H5T_FLOAT, 2, dims);
  if (f->points < 0) return HK_OK;
  if (dims[1] != 3 || dims[0] > 20000000) return damaged(r, "its meshes are not points");
  r->npoints = (int32_t)dims[0];
  f->faces = open_set(r, f->geometry, "mesh_faces", H5T_INTEGER, 2, dims);
  if (f->faces < 0 || dims[1] != 3 || dims[0] > 20000000) {
    return damaged(r, "its meshes have no triangles");
  }
  r->nfaces = (int32_t)dims[0];
  return HK_OK;
}

static hk_status open_geometry(hk_result *r, h5_file *f) {
  H5L_info_t link;
  hsize_t n = 0, dims[3] = {0, 0, 0};
  const htri_t there = h5->Lexists(f->file, "geometry", H5P_DEFAULT);
  if (there < 0) return damaged(r, "its 'geometry' cannot be read");
  if (there == 0) return HK_OK;
  if (h5->Lget_info(f->file, "geometry", &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD) {
    return damaged(r, "its group 'geometry' lies elsewhere");
  }
  f->geometry = h5->Oopen(f->file, "geometry", H5P_DEFAULT);
  if (f->geometry < 0 || h5->Iget_type(f->geometry) != H5I_GROUP) {
    return damaged(r, "its 'geometry' is not a group");
  }
  const char *scene = any_text(r, f->geometry, "scene");
  if (!scene) return HK_OK;
  f->frame_time = open_set(r, f->geometry, "time", H5T_FLOAT, 1, &n);
  f->poses = open_set(r, f->geometry, "poses", H5T_FLOAT, 3, dims);
  if (f->frame_time < 0 || f->poses < 0 || n == 0 || dims[0] != n || dims[2] != 7 || dims[1] == 0 ||
      dims[1] > 10000000 || n > (hsize_t)HK_READ_ROWS) {
    return damaged(r, "its frames do not fit together");
  }
  r->frames = (int64_t)n;
  r->nbodies = (int32_t)dims[1];
  f->loads = open_set(r, f->geometry, "loads", H5T_FLOAT, 3, dims);
  if (f->loads >= 0) {
    if (dims[0] != n || dims[2] != 3 || dims[1] > 10000000) {
      return damaged(r, "its loads do not fit its frames");
    }
    r->nloads = (int32_t)dims[1];
  }
  hki_result_set_text(r, "scene", scene, strlen(scene));
  return open_meshes(r, f);
}

static hk_status open_all(hk_result *r, h5_file *f) {
  int format = 0;
  hid_t way = h5->Pcreate(h5->file_access);
  if (way >= 0) h5->Pset_cache(way, 0, KEPT_CHUNKS, KEPT, 0.75);
  // 0 is H5F_ACC_RDONLY, whose macro would call the linked library
  f->file = h5->Fopen(r->path, 0, way >= 0 ? way : H5P_DEFAULT);
  if (way >= 0) h5->Pclose(way);
  if (f->file < 0) return damaged(r, "it is cut short or damaged");
  if (!int_attribute(f->file, "hooke_format", &format)) {
    return hki_result_refuse(r, "'hooke run --output FILE.nc' writes one",
                             "it is an HDF5 file, but not a result of Hooke");
  }
  if (format != 1) {
    return hki_result_refuse(r, "a newer Hooke may have written it",
                             "it has format %d, known is format 1", format);
  }
  for (int32_t i = 0; hki_result_keys[i]; i++) {
    const char *text = any_text(r, f->file, hki_result_keys[i]);
    if (text) hki_result_set_text(r, hki_result_keys[i], text, strlen(text));
  }
  hk_status st = open_time(r, f);
  if (st != HK_OK) return st;
  walk w = {r, f, HK_OK, 0};
  // In the order of creation where the file tracks it, else by name. Asked twice: the first answer
  // may have been one for want of memory, and the order would change.
  static const H5_index_t ways[] = {H5_INDEX_CRT_ORDER, H5_INDEX_CRT_ORDER, H5_INDEX_NAME};
  herr_t seen = -1;
  for (int32_t i = 0; i < 3 && seen < 0 && w.status == HK_OK && f->nset == 0; i++) {
    hsize_t at = 0;
    seen = h5->Literate(f->file, ways[i], H5_ITER_INC, &at, visit, &w);
  }
  if (w.status != HK_OK) return w.status;
  if (seen < 0) return damaged(r, "its list of channels cannot be read");
  st = open_geometry(r, f);
  return st == HK_OK && f->trouble ? damaged(r, "a part of it cannot be read") : st;
}

/* --- reading ---------------------------------------------------------------------------------- */

static hk_status h5_read(hk_result *r, int32_t channel, int64_t first, int64_t count, double *out) {
  h5_file *f = r->file;
  guard g = enter();
  hid_t set = channel < 0 ? f->time : f->set[channel];
  bool ok = read_rows(set, h5->native_double, (hsize_t)first, (hsize_t)count, 1, NULL, out);
  leave(g);
  return ok ? HK_OK : damaged(r, "its numbers cannot be read");
}

static hk_status h5_read_frames(hk_result *r, int64_t first, int64_t count, double *time,
                                float *poses, float *loads) {
  h5_file *f = r->file;
  hsize_t from = (hsize_t)first, n = (hsize_t)count;
  hsize_t per_pose[2] = {(hsize_t)r->nbodies, 7}, per_load[2] = {(hsize_t)r->nloads, 3};
  guard g = enter();
  bool ok = (!time || read_rows(f->frame_time, h5->native_double, from, n, 1, NULL, time)) &&
            (!poses || read_rows(f->poses, h5->native_float, from, n, 3, per_pose, poses)) &&
            (!loads || r->nloads == 0 ||
             read_rows(f->loads, h5->native_float, from, n, 3, per_load, loads));
  leave(g);
  return ok ? HK_OK : damaged(r, "its frames cannot be read");
}

static hk_status h5_read_meshes(hk_result *r, float *points, int32_t *faces) {
  h5_file *f = r->file;
  hsize_t three = 3;
  guard g = enter();
  bool ok = read_rows(f->points, h5->native_float, 0, (hsize_t)r->npoints, 2, &three, points) &&
            read_rows(f->faces, h5->native_int32, 0, (hsize_t)r->nfaces, 2, &three, faces);
  leave(g);
  return ok ? HK_OK : damaged(r, "its meshes cannot be read");
}

static void h5_close(hk_result *r) {
  h5_file *f = r->file;
  if (!f) return;
  guard g = enter();
  const hid_t rest[] = {f->time,   f->frame_time, f->poses,   f->loads,
                        f->points, f->faces,      f->geometry};
  for (int32_t i = 0; i < f->nset; i++) h5->Oclose(f->set[i]);
  for (int32_t i = 0; i < HK_ARRAY_LEN(rest); i++)
    if (rest[i] >= 0) h5->Oclose(rest[i]);
  if (f->file >= 0) h5->Fclose(f->file);
  leave(g);
  hki_free(r->ctx, f->set);
  hki_free(r->ctx, f);
}

/* loads the library; an error message when that fails */
static hk_status load(hk_result *r) {
  char why[400] = "";
  hki_results_lock();
  const hk_hdf5 *found = hki_hdf5(why, sizeof why);
  if (found) h5 = found;
  hki_results_unlock();
  if (found) return HK_OK;
  return hki_result_refuse(r, "install HDF5, with which .nc files are read, or use .csv", "%s",
                           why);
}

hk_status hki_result_open_hdf5(hk_result *r) {
  hk_status ready = load(r);
  if (ready != HK_OK) return ready;
  h5_file *f = hki_alloc(r->ctx, sizeof *f);
  if (!f) return HK_E_MEMORY;
  f->file = f->geometry = f->time = f->frame_time = f->poses = f->loads = f->points = f->faces = -1;
  r->file = f;
  r->read = h5_read;
  r->read_frames = h5_read_frames;
  r->read_meshes = h5_read_meshes;
  r->close = h5_close;
  guard g = enter();
  hk_status st = open_all(r, f);
  leave(g);
  return st;
}

#else

hk_status hki_result_open_hdf5(hk_result *r) {
  return hki_result_refuse(r, "read the file that Hooke wrote, or build with HK_WITH_HDF5=ON",
                           "another program wrote it, and this Hooke was built without HDF5");
}

#endif

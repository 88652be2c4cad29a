/* SPDX-License-Identifier: Apache-2.0
 *
 * file.c: a body with modes in a NetCDF file. One table says which array of hk_flex is which variable; it is
 * written and read by the same rows.
 */
#include "flex/file.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "formats/netcdf.h"
#include "geometry/geometry.h"

static const char format[] = "hooke flexible body 1";
enum { NAME = 32 }; /* characters of the name of an interface */

enum { XYZ, MODES, FACES, NODES, TRIANGLES, CHARACTERS, STRESSES, DIMS };
static const char *const dim_names[DIMS] = {"xyz",       "modes",      "interfaces", "nodes",
                                            "triangles", "characters", "stresses"};

/* arrays of doubles that stand in hk_flex as they are: by value (INSIDE) or behind a pointer (BEHIND) */
typedef struct row {
  const char *name, *unit, *text;
  int32_t ndim, dim[HK_NC_DIMS];
  size_t offset;
  enum { INSIDE, BEHIND, MAYBE } where; /* MAYBE: NULL where the file has none */
} row;

/* clang-format off */
#define AT(field) offsetof(hk_flex, field)
static const row rows[] = {
    {"mass", "kg", "m", 0, {0}, AT(mass), INSIDE},
    {"first_moment", "kg m", "S0: sum of m f", 1, {XYZ}, AT(S0), INSIDE},
    {"inertia", "kg m2", "I0: moments of inertia about the origin", 2, {XYZ, XYZ}, AT(I0), INSIDE},
    {"modal_first_moment", "kg", "S1: translation of the centre by each mode, times m", 2, {MODES, XYZ}, AT(S1), BEHIND},
    {"inertia_slope", "kg m", "I1: moments of inertia per modal coordinate", 3, {MODES, XYZ, XYZ}, AT(I1), BEHIND},
    {"inertia_curvature", "kg", "I2: moments of inertia per product of two of them", 4, {MODES, MODES, XYZ, XYZ}, AT(I2), BEHIND},
    {"modal_moment", "kg m", "D0: angular momentum by each modal rate", 2, {MODES, XYZ}, AT(D0), BEHIND},
    {"modal_moment_slope", "kg", "D1: the same per modal coordinate (first index)", 3, {MODES, MODES, XYZ}, AT(D1), BEHIND},
    {"modal_mass", "kg", "Mf", 2, {MODES, MODES}, AT(Mf), BEHIND},
    {"modal_stiffness", "N/m", "K", 2, {MODES, MODES}, AT(K), BEHIND},
    {"inertia_bend", "kg", "what displacements of second order add to I2", 4, {MODES, MODES, XYZ, XYZ}, AT(I2_bend), MAYBE},
    {"interface_bend", "1/m", "translation per product of two modal coordinates, twice", 4, {FACES, MODES, MODES, XYZ}, AT(face_bend), MAYBE},
    {"interface_turn", "1/m2", "rotation per product of two modal coordinates, twice", 4, {FACES, MODES, MODES, XYZ}, AT(face_turn), MAYBE},
    {"node", "m", "places of the nodes, for drawing", 2, {NODES, XYZ}, AT(node), BEHIND},
    {"shape", "1", "their translation in each mode", 3, {MODES, NODES, XYZ}, AT(shape), BEHIND},
    {"stress", "Pa", "xx yy zz xy yz zx at them in each mode", 3, {MODES, NODES, STRESSES}, AT(stress), MAYBE},
};
/* clang-format on */
enum { ROWS = HK_ARRAY_LEN(rows), VARS = ROWS + 9 };

/* --- write ------------------------------------------------------------------------------------ */

/* what is not one array in hk_flex: interfaces and the table of modes */
typedef struct packed {
  char *name;                       /* nface x NAME */
  double *place, *axes, *Phi, *Psi; /* 3, 9, 3 ne, 3 ne an interface */
  double *frequency, *share;        /* ne */
  int32_t *kind;                    /* ne */
} packed;

static bool pack(hk_pool *pool, const hk_flex *b, packed *p) {
  const size_t nf = (size_t)b->nface, ne = (size_t)b->ne;
  double *x = hki_pool_alloc(pool, (nf * (12 + 6 * ne) + 2 * ne + 1) * sizeof *x);
  p->name = hki_pool_alloc(pool, nf * NAME + 1);
  p->kind = hki_pool_alloc(pool, (ne + 1) * sizeof *p->kind);
  if (!x || !p->name || !p->kind) return false;
  p->place = x, p->axes = x + 3 * nf, p->Phi = p->axes + 9 * nf, p->Psi = p->Phi + 3 * nf * ne;
  p->frequency = p->Psi + 3 * nf * ne, p->share = p->frequency + ne;
  for (size_t i = 0; i < nf; i++) {
    const hk_flex_face *f = &b->face[i];
    snprintf(p->name + NAME * i, NAME, "%s", f->name);
    memcpy(p->place + 3 * i, f->p, sizeof f->p);
    memcpy(p->axes + 9 * i, f->R, sizeof f->R);
    memcpy(p->Phi + 3 * ne * i, f->Phi, 3 * ne * sizeof *x);
    memcpy(p->Psi + 3 * ne * i, f->Psi, 3 * ne * sizeof *x);
  }
  for (size_t j = 0; j < ne; j++) {
    p->frequency[j] = b->mode[j].frequency, p->share[j] = b->mode[j].share;
    p->kind[j] = (int32_t)b->mode[j].kind;
  }
  return true;
}

/* all variables, by the numbers of dim_names */
static void list(const hk_flex *b, const packed *p, hk_nc_var *all) {
  for (int i = 0; i < ROWS; i++) {
    const char *at = (const char *)b + rows[i].offset;
    all[i] = (hk_nc_var){rows[i].name,
                         rows[i].unit,
                         rows[i].text,
                         HK_NC_DOUBLE,
                         rows[i].ndim,
                         {0},
                         rows[i].where == INSIDE ? (const void *)at : *(const void *const *)at};
    memcpy(all[i].dim, rows[i].dim, sizeof rows[i].dim);
  }
  const hk_nc_var more[VARS - ROWS] = {
      {"interface", NULL, "names of the interfaces", HK_NC_CHAR, 2, {FACES, CHARACTERS}, p->name},
      {"interface_place", "m", NULL, HK_NC_DOUBLE, 2, {FACES, XYZ}, p->place},
      {"interface_axes",
       "1",
       "rows of its rotation matrix",
       HK_NC_DOUBLE,
       3,
       {FACES, XYZ, XYZ},
       p->axes},
      {"interface_translation", "1", "by each mode", HK_NC_DOUBLE, 3, {FACES, MODES, XYZ}, p->Phi},
      {"interface_rotation", "1/m", "by each mode", HK_NC_DOUBLE, 3, {FACES, MODES, XYZ}, p->Psi},
      {"frequency", "Hz", "of the body that nothing holds", HK_NC_DOUBLE, 1, {MODES}, p->frequency},
      {"share",
       "1",
       "part of the strain energy in shapes of its kind",
       HK_NC_DOUBLE,
       1,
       {MODES},
       p->share},
      {"kind", NULL, "0 whole, 1 boundary, 2 inner", HK_NC_INT, 1, {MODES}, p->kind},
      {"triangle",
       NULL,
       "nodes of the surface, from 0",
       HK_NC_INT,
       2,
       {TRIANGLES, XYZ},
       b->triangle}};
  memcpy(all + ROWS, more, sizeof more);
}

hk_status hki_flex_write(hk_ctx *ctx, const char *path, const hk_flex *b) {
  hk_pool *pool = hki_pool_create(ctx);
  packed p;
  if (!pool || !pack(pool, b, &p)) {
    hki_pool_destroy(pool);
    return HK_E_MEMORY;
  }
  // dimensions that are empty are left out, with all that has them
  const int32_t size[DIMS] = {3, b->ne, b->nface, b->nnode, b->ntriangle, NAME, b->stress ? 6 : 0};
  hk_nc_dim dim[DIMS];
  hk_nc_var all[VARS] = {0}, var[VARS];
  int32_t place[DIMS], nd = 0, nv = 0;
  for (int i = 0; i < DIMS; i++) {
    place[i] = size[i] ? nd : -1;
    if (size[i]) dim[nd++] = (hk_nc_dim){dim_names[i], size[i]};
  }
  list(b, &p, all);
  for (int i = 0; i < VARS; i++) {
    bool empty = false;
    for (int32_t k = 0; k < all[i].ndim; k++) empty = empty || place[all[i].dim[k]] < 0;
    if (i < ROWS && rows[i].where == MAYBE) empty = empty || !all[i].data;
    if (empty) continue;
    var[nv] = all[i];
    for (int32_t k = 0; k < all[i].ndim; k++) var[nv].dim[k] = place[all[i].dim[k]];
    nv++;
  }
  const hk_nc_text text[] = {{"format", format},
                             {"title", b->title ? b->title : ""},
                             {"Conventions", "vectors in the axes of the body about its origin"}};
  const hk_status st =
      hki_nc_write(ctx, path, &(hk_nc){nd, HK_ARRAY_LEN(text), nv, dim, text, var});
  hki_pool_destroy(pool);
  return st;
}

/* --- read ------------------------------------------------------------------------------------- */

typedef struct reader {
  hk_ctx *ctx;
  hk_loc loc;
  hk_pool *pool;
  const char *file;
  const hk_nc *nc;
  int32_t size[DIMS];
} reader;

static hk_status bad(const reader *r, const char *name, const char *what) {
  return hki_error(r->ctx, HK_E_FILE, r->loc, "made by hooke reduce or hooke.fem",
                   "'%s': variable '%s' %s", r->file, name, what);
}

/* the variable of this name, type and shape; NULL and an error where it is not. Those of an empty dimension have none. */
static const void *get(const reader *r, const char *name, hk_nc_type type, int32_t ndim,
                       const int32_t *dim, hk_status *st) {
  static const double none[1] = {0};
  const hk_nc_var *v = hki_nc_find(r->nc, name);
  bool same = v && v->type == type && v->ndim == ndim, empty = false;
  for (int32_t k = 0; k < ndim; k++) {
    empty = empty || r->size[dim[k]] == 0;
    same = same && r->nc->dim[v->dim[k]].n == r->size[dim[k]];
  }
  if (empty) return none;
  if (!same) *st = bad(r, name, v ? "has another type or shape than its name says" : "is missing");
  if (!same) return NULL;
  const int64_t n = hki_nc_count(r->nc, v);
  for (int64_t i = 0; type == HK_NC_DOUBLE && i < n; i++)
    if (!isfinite(((const double *)v->data)[i])) {
      *st = bad(r, name, "has values that are not finite");
      return NULL;
    }
  return v->data;
}

static hk_status read_faces(const reader *r, hk_flex *b) {
  static const int32_t names[] = {FACES, CHARACTERS}, place[] = {FACES, XYZ};
  static const int32_t axes[] = {FACES, XYZ, XYZ}, modes[] = {FACES, MODES, XYZ};
  hk_status st = HK_OK;
  const char *name = get(r, "interface", HK_NC_CHAR, 2, names, &st);
  const double *p = get(r, "interface_place", HK_NC_DOUBLE, 2, place, &st);
  const double *R = get(r, "interface_axes", HK_NC_DOUBLE, 3, axes, &st);
  const double *Phi = get(r, "interface_translation", HK_NC_DOUBLE, 3, modes, &st);
  const double *Psi = get(r, "interface_rotation", HK_NC_DOUBLE, 3, modes, &st);
  hk_flex_face *f = hki_pool_alloc(r->pool, ((size_t)b->nface + 1) * sizeof *f);
  if (!f) return HK_E_MEMORY;
  for (int32_t i = 0; st == HK_OK && i < b->nface; i++) {
    const ptrdiff_t n = 3 * (ptrdiff_t)b->ne * i;
    const char *s = name + (ptrdiff_t)r->size[CHARACTERS] * i;
    double Q[9];
    f[i].name = hki_pool_strndup(r->pool, s, (size_t)r->size[CHARACTERS]); // up to its zero
    if (!f[i].name) return HK_E_MEMORY;
    memcpy(f[i].p, p + 3 * (ptrdiff_t)i, sizeof f[i].p);
    memcpy(f[i].R, R + 9 * (ptrdiff_t)i, sizeof f[i].R);
    f[i].Phi = Phi + n, f[i].Psi = Psi + n;
    m3_tmul(Q, f[i].R, f[i].R);
    for (int k = 0; k < 9; k++)
      if (fabs(Q[k] - (k % 4 == 0)) > 1e-9)
        st = bad(r, "interface_axes", "has axes that are no rotation");
  }
  b->face = f;
  return st;
}

static hk_status read_table(const reader *r, hk_flex *b) {
  static const int32_t modes[] = {MODES};
  hk_status st = HK_OK;
  const double *frequency = get(r, "frequency", HK_NC_DOUBLE, 1, modes, &st);
  const double *share = get(r, "share", HK_NC_DOUBLE, 1, modes, &st);
  const int32_t *kind = get(r, "kind", HK_NC_INT, 1, modes, &st);
  hk_flex_mode *m = hki_pool_alloc(r->pool, ((size_t)b->ne + 1) * sizeof *m);
  if (!m) return HK_E_MEMORY;
  for (int32_t j = 0; st == HK_OK && j < b->ne; j++) {
    if (kind[j] < 0 || kind[j] >= HK_FLEX_KINDS) return bad(r, "kind", "has a number out of range");
    m[j] = (hk_flex_mode){frequency[j], (hk_flex_kind)kind[j], share[j]};
  }
  b->mode = m;
  return st;
}

/* symmetric, with a positive diagonal? */
static bool positive(int32_t n, const double *A) {
  double top = 0.0;
  for (int32_t i = 0; i < n; i++) top = fmax(top, fabs(A[(ptrdiff_t)(n + 1) * i]));
  for (int32_t i = 0; i < n; i++) {
    if (!(A[(ptrdiff_t)(n + 1) * i] > 0.0)) return false;
    for (int32_t j = 0; j < i; j++)
      if (fabs(A[(ptrdiff_t)n * i + j] - A[(ptrdiff_t)n * j + i]) > 1e-9 * top) return false;
  }
  return true;
}

static hk_status read_drawing(const reader *r, hk_flex *b) {
  static const int32_t dim[] = {TRIANGLES, XYZ};
  hk_status st = HK_OK;
  b->triangle = get(r, "triangle", HK_NC_INT, 2, dim, &st);
  for (int32_t i = 0; st == HK_OK && i < 3 * b->ntriangle; i++)
    if (b->triangle[i] < 0 || b->triangle[i] >= b->nnode)
      st = bad(r, "triangle", "names a node that is not there");
  return st;
}

static hk_status fill(const reader *r, hk_flex *b) {
  hk_status st = HK_OK;
  b->title = hki_nc_text_of(r->nc, "title");
  b->ne = r->size[MODES], b->nface = r->size[FACES];
  b->nnode = r->size[NODES], b->ntriangle = r->size[TRIANGLES];
  for (int i = 0; i < ROWS; i++) {
    char *at = (char *)b + rows[i].offset;
    if (rows[i].where == MAYBE && !hki_nc_find(r->nc, rows[i].name)) continue;
    const void *data = get(r, rows[i].name, HK_NC_DOUBLE, rows[i].ndim, rows[i].dim, &st);
    if (st != HK_OK) return st;
    size_t n = 1;
    for (int32_t k = 0; k < rows[i].ndim; k++) n *= (size_t)r->size[rows[i].dim[k]];
    if (rows[i].where == INSIDE)
      memcpy(at, data, n * sizeof(double));
    else
      memcpy(at, &data, sizeof data);
  }
  if (!(b->mass > 0.0)) return bad(r, "mass", "is not positive");
  if (!positive(3, b->I0)) return bad(r, "inertia", "is not symmetric with a positive diagonal");
  if (!positive(b->ne, b->Mf))
    return bad(r, "modal_mass", "is not symmetric with a positive diagonal");
  if (!positive(b->ne, b->K))
    return bad(r, "modal_stiffness", "is not symmetric with a positive diagonal");
  st = read_faces(r, b);
  if (st == HK_OK) st = read_table(r, b);
  return st == HK_OK ? read_drawing(r, b) : st;
}

static hk_status from_nc(hk_ctx *ctx, hk_loc loc, hk_pool *pool, const char *name, const hk_nc *nc,
                         hk_flex *out) {
  reader r = {ctx, loc, pool, name, nc, {0}};
  const char *is = hki_nc_text_of(nc, "format");
  if (!is || strcmp(is, format) != 0)
    return hki_error(ctx, HK_E_FILE, loc, "made by hooke reduce or hooke.fem",
                     "'%s' is not a flexible body: its attribute 'format' is not '%s'", name,
                     format);
  for (int i = 0; i < DIMS; i++)
    for (int32_t k = 0; k < nc->ndim; k++)
      if (strcmp(nc->dim[k].name, dim_names[i]) == 0) r.size[i] = nc->dim[k].n;
  if (r.size[XYZ] != 3 || (r.size[STRESSES] && r.size[STRESSES] != 6))
    return hki_error(ctx, HK_E_FILE, loc, NULL, "'%s': dimension '%s' is not %d", name,
                     r.size[XYZ] != 3 ? "xyz" : "stresses", r.size[XYZ] != 3 ? 3 : 6);
  return fill(&r, out);
}

hk_status hki_flex_parse(hk_ctx *ctx, hk_loc loc, hk_pool *pool, const char *name,
                         const char *bytes, size_t len, hk_flex *out) {
  hk_nc nc;
  *out = (hk_flex){0};
  const hk_status st = hki_nc_parse(ctx, loc, pool, name, bytes, len, &nc);
  return st == HK_OK ? from_nc(ctx, loc, pool, name, &nc, out) : st;
}

hk_status hki_flex_read(hk_ctx *ctx, hk_loc loc, hk_pool *pool, const char *path, hk_flex *out) {
  hk_nc nc;
  *out = (hk_flex){0};
  const hk_status st = hki_nc_read(ctx, loc, pool, path, &nc);
  return st == HK_OK ? from_nc(ctx, loc, pool, path, &nc, out) : st;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * flexible.c: bodies with modes from finite-element models (hooke/flexible.h).
 */
#include "hooke/flexible.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/argument.h"
#include "flex/file.h"
#include "flex/reduce.h"
#include "flex/source.h"
#include "formats/csv_table.h"

struct hk_flexible {
  hk_mark mark;
  hk_ctx *ctx;
  hk_pool *pool;
  hk_flex body;
};

static const hk_reduce_options defaults = {.size = sizeof defaults, .modes = 10};

void hk_reduce_options_init(hk_reduce_options *opt, uint32_t size) {
  hki_options_init(opt, size, &defaults, sizeof defaults);
}

static hk_status read_options(hk_ctx *ctx, const hk_reduce_options *from, hk_reduce_options *opt) {
  *opt = defaults;
  const hk_status st = hki_options_read(ctx, HK_OPTIONS(hk_reduce_options, interfaces), opt, from);
  if (st != HK_OK) return st;
  if (opt->modes < 0 || opt->modes > 1000)
    return hki_misuse(ctx, "hk_reduce_options", "modes must be 0 to 1000");
  bool good = hki_is_list(opt->interfaces, opt->ninterfaces) && opt->ninterfaces <= 100;
  for (int32_t i = 0; good && i < opt->ninterfaces; i++) good = opt->interfaces[i] != NULL;
  return good ? HK_OK
              : hki_misuse(ctx, "hk_reduce_options",
                           "the list of interfaces does not fit its count, or has more than 100");
}

static hk_flexible *create(hk_ctx *ctx) {
  hk_flexible *b = hki_alloc(ctx, sizeof *b);
  if (!b) return NULL;
  *b = (hk_flexible){.mark = HK_MARK_FLEXIBLE, .ctx = ctx, .pool = hki_pool_create(ctx)};
  if (b->pool) return b;
  hki_free(ctx, b);
  return NULL;
}

void hk_flexible_free(hk_flexible *b) {
  if (!hki_is(b, HK_MARK_FLEXIBLE)) return;
  b->mark = (hk_mark)0;
  hki_pool_destroy(b->pool);
  hki_free(b->ctx, b);
}

/* --- interfaces: NAME, NAME=SET, NAME=SET@X,Y,Z, all with or without :average ------------------------------------------------- */

static hk_status unknown_set(hk_ctx *ctx, const hk_fe *fe, const char *face, const char *set) {
  hk_nearest near;
  hki_nearest_init(&near, set);
  for (int32_t i = 0; i < fe->nset; i++) hki_nearest_try(&near, fe->set[i].name);
  const char *best = hki_nearest_result(&near);
  char hint[160];
  if (best)
    snprintf(hint, sizeof hint, "did you mean '%s'?", best);
  else
    snprintf(hint, sizeof hint, "the model has %d sets of nodes", (int)fe->nset);
  return hki_error(ctx, HK_E_MODEL, HK_LOC_NONE, hint,
                   "interface '%s': there is no set of nodes '%s'", face, set);
}

static bool read_place(const char *text, double *p) {
  for (int i = 0; i < 3; i++) {
    const char *comma = strchr(text, ',');
    const size_t n = comma ? (size_t)(comma - text) : strlen(text);
    if ((i < 2) != (comma != NULL) || !hki_decimal(text, (int32_t)n, &p[i])) return false;
    text += n + 1;
  }
  return true;
}

/* nodes by their numbers, 12,17,20-25; NULL: it is not written so. *st: what is wrong with them. */
static const hk_fe_set *numbered(hk_ctx *ctx, hk_pool *pool, const hk_fe *fe, const char *text,
                                 hk_status *st) {
  if (text[strspn(text, "0123456789,-")] || *text < '0' || *text > '9') return NULL;
  hk_fe_set *set = hki_pool_alloc(pool, sizeof *set);
  int32_t *node = hki_pool_alloc(pool, ((size_t)fe->nnode + 1) * sizeof *node);
  *st = set && node ? HK_OK : HK_E_MEMORY;
  for (const char *s = text; *st == HK_OK && *s;) {
    char *end;
    const long from = strtol(s, &end, 10), to = *end == '-' ? strtol(end + 1, &end, 10) : from;
    if (from < 0 || to < from || to >= INT32_MAX || hki_fe_find(fe, (int32_t)from) < 0 ||
        hki_fe_find(fe, (int32_t)to) < 0 || (*end && *end != ','))
      *st = hki_error(ctx, HK_E_MODEL, HK_LOC_NONE, "12,17,20-25",
                      "'%s': there is no such node, or no such range of nodes", text);
    for (int32_t k = 0; *st == HK_OK && k < fe->nnode; k++)
      if (fe->label[k] >= from && fe->label[k] <= to && set->n < fe->nnode) node[set->n++] = k;
    s = *end ? end + 1 : end;
  }
  if (*st != HK_OK) return NULL;
  set->name = text, set->node = node;
  return set;
}

static hk_status read_face(hk_ctx *ctx, hk_pool *pool, const hk_fe *fe, const char *text,
                           hk_plan_face *f) {
  char *name = hki_pool_strdup(pool, text), *set = NULL, *place = NULL, *how = NULL;
  if (!name) return HK_E_MEMORY;
  how = strrchr(name, ':');
  if (how) *how++ = 0;
  place = strchr(name, '@');
  if (place) *place++ = 0;
  set = strchr(name, '=');
  if (set) *set++ = 0;
  if (!set) set = name;
  f->name = name;
  f->placed = place != NULL, f->average = how != NULL;
  if (!*name || strlen(name) > 30 || (place && !read_place(place, f->p)) ||
      (how && strcmp(how, "average") != 0))
    return hki_error(ctx, HK_E_USAGE, HK_LOC_NONE, "eye=nodes_of_the_eye@0.1,0,0",
                     "an interface is NAME, NAME=SET or NAME=SET@X,Y,Z, with :average behind it or "
                     "not, but it is '%s'",
                     text);
  hk_status st = HK_OK;
  f->set = hki_fe_set_find(fe, set);
  if (!f->set) f->set = numbered(ctx, pool, fe, set, &st);
  if (st != HK_OK) return st;
  return f->set ? HK_OK : unknown_set(ctx, fe, name, set);
}

static hk_status reduce(hk_flexible *b, const hk_fe *fe, const hk_reduce_options *opt) {
  hk_plan_face *face = hki_pool_alloc(b->pool, ((size_t)opt->ninterfaces + 1) * sizeof *face);
  if (!face) return HK_E_MEMORY;
  for (int32_t i = 0; i < opt->ninterfaces; i++) {
    const hk_status st = read_face(b->ctx, b->pool, fe, opt->interfaces[i], &face[i]);
    if (st != HK_OK) return st;
    for (int32_t k = 0; k < i; k++)
      if (strcmp(face[k].name, face[i].name) == 0)
        return hki_error(b->ctx, HK_E_USAGE, HK_LOC_NONE, NULL, "interface '%s' is named twice",
                         face[i].name);
  }
  const hk_reduce_plan plan = {opt->ninterfaces, face, opt->modes};
  return hki_reduce(b->ctx, HK_LOC_NONE, b->pool, fe, &plan, &b->body);
}

/* gives the body away, or ends it */
static hk_status finish(hk_flexible *b, hk_status st, hk_flexible **out) {
  if (st == HK_OK)
    *out = b;
  else
    hk_flexible_free(b);
  return st;
}

hk_status hk_reduce(hk_ctx *ctx, const char *deck, const hk_reduce_options *from,
                    hk_flexible **out) {
  hk_reduce_options opt;
  if (out) *out = NULL;
  if (!hki_is(ctx, HK_MARK_CTX) || !deck || !out)
    return hki_misuse(ctx, "hk_reduce", "context, deck and out must not be NULL");
  hk_status st = read_options(ctx, from, &opt);
  if (st != HK_OK) return st;
  hk_flexible *b = create(ctx);
  if (!b) return HK_E_MEMORY;
  hk_fe fe;
  const hk_fe_source source = {deck, opt.stiffness, opt.mass, opt.material, opt.unit};
  st = hki_fe_read(ctx, HK_LOC_NONE, b->pool, &source, &fe);
  if (st == HK_OK) st = reduce(b, &fe, &opt);
  return finish(b, st, out);
}

/* --- arrays ----------------------------------------------------------------------------------- */

static hk_status matrix(hk_ctx *ctx, hk_pool *pool, int32_t n, int64_t count, const int32_t *i,
                        const int32_t *j, const double *x, hk_sym *out) {
  hk_entries e = {.ctx = ctx};
  bool good = count > 0 && i && j && x;
  for (int64_t k = 0; good && k < count; k++) {
    good = i[k] >= 0 && i[k] < n && j[k] >= 0 && j[k] < n && isfinite(x[k]);
    if (good) hki_entries_add(&e, i[k], j[k], x[k]);
  }
  const hk_status st =
      good ? hki_sym_build(pool, &e, n, out)
           : hki_misuse(ctx, "hk_fe_model",
                        "a matrix has entries that are not finite, or indices out of range");
  hki_entries_free(&e);
  return st;
}

static bool indices(int32_t n, const int32_t *x, int32_t below) {
  for (int32_t i = 0; i < n; i++)
    if (x[i] < 0 || x[i] >= below) return false;
  return true;
}

static bool good_model(const hk_fe_model *m) {
  if (m->size != sizeof *m || m->nodes < 1 || m->unknowns < 1 || !m->places || !m->node ||
      !m->direction || !hki_is_list(m->sets, m->nsets) || !hki_is_list(m->triangles, m->ntriangles))
    return false;
  for (int32_t i = 0; i < m->nsets; i++)
    if (!m->sets[i].name || !hki_is_list(m->sets[i].node, m->sets[i].n) ||
        !indices(m->sets[i].n, m->sets[i].node, m->nodes))
      return false;
  for (ptrdiff_t i = 0; i < 3 * (ptrdiff_t)m->nodes; i++)
    if (!isfinite(m->places[i])) return false;
  return m->ntriangles < INT32_MAX / 3 && indices(m->unknowns, m->node, m->nodes) &&
         indices(m->unknowns, m->direction, 6) &&
         indices(3 * m->ntriangles, m->triangles, m->nodes);
}

/* copies n items of `size` bytes; NULL: no memory */
static void *copy(hk_pool *pool, const void *from, size_t n, size_t size) {
  void *to = hki_pool_alloc(pool, (n + 1) * size);
  if (to && n) memcpy(to, from, n * size);
  return to;
}

static hk_status from_arrays(hk_flexible *b, const hk_fe_model *m, hk_fe *fe) {
  hk_pool *pool = b->pool;
  const size_t nn = (size_t)m->nodes, nu = (size_t)m->unknowns;
  *fe = (hk_fe){.title = "", .file = -1, .nnode = m->nodes, .ndof = m->unknowns, .nset = m->nsets};
  fe->x = copy(pool, m->places, 3 * nn, sizeof *fe->x);
  fe->label = hki_pool_alloc(pool, nn * sizeof *fe->label);
  fe->node = copy(pool, m->node, nu, sizeof *fe->node);
  fe->comp = hki_pool_alloc(pool, nu);
  fe->set = hki_pool_alloc(pool, ((size_t)m->nsets + 1) * sizeof *fe->set);
  fe->ntriangle = m->ntriangles;
  fe->triangle = copy(pool, m->triangles, 3 * (size_t)m->ntriangles, sizeof *fe->triangle);
  if (!fe->x || !fe->label || !fe->node || !fe->comp || !fe->set || !fe->triangle)
    return HK_E_MEMORY;
  for (int32_t i = 0; i < m->nodes; i++) fe->label[i] = i;
  for (int32_t i = 0; i < m->unknowns; i++) fe->comp[i] = (uint8_t)m->direction[i];
  for (int32_t i = 0; i < m->nsets; i++) {
    const hk_fe_nodes *s = &m->sets[i];
    fe->set[i] = (hk_fe_set){hki_pool_strdup(pool, s->name), s->n,
                             copy(pool, s->node, (size_t)s->n, sizeof(int32_t))};
    if (!fe->set[i].name || !fe->set[i].node) return HK_E_MEMORY;
  }
  const hk_status st = matrix(b->ctx, pool, m->unknowns, m->stiffness_entries, m->stiffness_i,
                              m->stiffness_j, m->stiffness, &fe->K);
  return st == HK_OK ? matrix(b->ctx, pool, m->unknowns, m->mass_entries, m->mass_i, m->mass_j,
                              m->mass, &fe->M)
                     : st;
}

hk_status hk_reduce_matrices(hk_ctx *ctx, const hk_fe_model *m, const hk_reduce_options *from,
                             hk_flexible **out) {
  hk_reduce_options opt;
  if (out) *out = NULL;
  if (!hki_is(ctx, HK_MARK_CTX) || !m || !out || !good_model(m))
    return hki_misuse(ctx, "hk_reduce_matrices",
                      "context, model and out must not be NULL, and indices in their ranges");
  hk_status st = read_options(ctx, from, &opt);
  if (st != HK_OK) return st;
  hk_flexible *b = create(ctx);
  if (!b) return HK_E_MEMORY;
  hk_fe fe;
  st = from_arrays(b, m, &fe);
  if (st == HK_OK) st = reduce(b, &fe, &opt);
  return finish(b, st, out);
}

/* --- files and questions ---------------------------------------------------------------------- */

hk_status hk_flexible_open(hk_ctx *ctx, const char *path, hk_flexible **out) {
  if (out) *out = NULL;
  if (!hki_is(ctx, HK_MARK_CTX) || !path || !out)
    return hki_misuse(ctx, "hk_flexible_open", "context, path and out must not be NULL");
  hk_flexible *b = create(ctx);
  if (!b) return HK_E_MEMORY;
  return finish(b, hki_flex_read(ctx, HK_LOC_NONE, b->pool, path, &b->body), out);
}

hk_status hk_flexible_save(const hk_flexible *b, const char *path) {
  if (!hki_is(b, HK_MARK_FLEXIBLE) || !path)
    return hki_misuse(b ? b->ctx : NULL, "hk_flexible_save", "body and path must not be NULL");
  return hki_flex_write(b->ctx, path, &b->body);
}

double hk_flexible_mass(const hk_flexible *b) {
  return hki_is(b, HK_MARK_FLEXIBLE) ? b->body.mass : NAN;
}

int32_t hk_flexible_modes(const hk_flexible *b) {
  return hki_is(b, HK_MARK_FLEXIBLE) ? b->body.ne : 0;
}

hk_status hk_flexible_mode_get(const hk_flexible *b, int32_t i, hk_flexible_mode *out) {
  if (!hki_is(b, HK_MARK_FLEXIBLE) || !out || out->size < sizeof *out || i < 0 || i >= b->body.ne)
    return hki_misuse(hki_is(b, HK_MARK_FLEXIBLE) ? b->ctx : NULL, "hk_flexible_mode_get",
                      "there is no such mode, or 'size' is not set");
  const hk_flex_mode *m = &b->body.mode[i];
  out->frequency = m->frequency, out->share = m->share;
  out->kind = hki_flex_kind_names[m->kind];
  return HK_OK;
}

int32_t hk_flexible_held_modes(const hk_flexible *b) {
  return hki_is(b, HK_MARK_FLEXIBLE) ? b->body.nheld : 0;
}

hk_status hk_flexible_held_mode_get(const hk_flexible *b, int32_t i, hk_flexible_held_mode *out) {
  const bool is = hki_is(b, HK_MARK_FLEXIBLE);
  if (!is || !out || out->size < sizeof *out || i < 0 || i >= b->body.nheld)
    return hki_misuse(is ? b->ctx : NULL, "hk_flexible_held_mode_get",
                      "there is no such mode, or 'size' is not set");
  const hk_flex_held *h = &b->body.held[i];
  out->frequency = h->frequency;
  memcpy(out->mass, h->mass, sizeof out->mass);
  return HK_OK;
}

const char *hk_flexible_interface(const hk_flexible *b, int32_t i) {
  return hki_is(b, HK_MARK_FLEXIBLE) && i >= 0 && i < b->body.nface ? b->body.face[i].name : NULL;
}

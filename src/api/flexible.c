/* SPDX-License-Identifier: Apache-2.0
 *
 * flexible.c: bodies with modes from finite-element models (hooke/flexible.h).
 */
#include "hooke/flexible.h"

#include <math.h>
#include <string.h>

#include "base/argument.h"
#include "flex/file.h"
#include "flex/reduce.h"
#include "flex/source.h"

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

static hk_status reduce(hk_flexible *b, const hk_fe *fe, const hk_reduce_options *opt) {
  hk_reduce_plan plan = {.modes = opt->modes};
  const hk_status st =
      hki_plan_faces(b->ctx, HK_LOC_NONE, b->pool, fe, opt->ninterfaces, opt->interfaces, &plan);
  return st == HK_OK ? hki_reduce(b->ctx, HK_LOC_NONE, b->pool, fe, &plan, &b->body) : st;
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

/* SPDX-License-Identifier: Apache-2.0
 *
 * kinematics.c: the range of a coordinate (hooke/kinematics.h).
 */
#include "hooke/kinematics.h"

#include "analyses/assembly.h"
#include "analyses/range.h"
#include "simulation/simulation.h"

struct hk_reach {
  hk_mark mark;
  hk_ctx *ctx;
  hk_range_data data;
  const char **name; /* ns + 1: of all coordinates */
  const char *unit;
  int32_t ns;
};

static const hk_reach_options defaults = {
    .size = sizeof defaults, .from = -INFINITY, .to = INFINITY};

void hk_reach_options_init(hk_reach_options *opt, uint32_t size) {
  hki_options_init(opt, size, &defaults, sizeof defaults);
}

static bool is_range(const hk_reach *r) { return hki_is(r, HK_MARK_RANGE); }

/* names of all joint coordinates */
static hk_status name_all(hk_reach *r, const hk_model *m) {
  r->ns = m->ns;
  r->name = hki_pool_alloc(r->data.pool, ((size_t)m->ns + 1) * sizeof *r->name);
  bool ok = r->name != NULL;
  for (int32_t i = 0; ok && i < m->ns; i++)
    ok = (r->name[i] = hki_scalar_channel(m, r->data.pool, i)) != NULL;
  return ok ? HK_OK : HK_E_MEMORY;
}

/* from the assembled model */
static hk_status follow(hk_reach *r, hk_model *m) {
  hk_tree *tree = NULL;
  double *q = hki_pool_alloc(r->data.pool, (size_t)(m->nq + m->nv + 1) * sizeof *q);
  hk_assembly as = {.q = q, .v = q ? q + m->nq : NULL};
  hk_status st = q ? hki_tree_create(r->ctx, m, &tree) : HK_E_MEMORY;
  if (st == HK_OK) st = hki_assemble(tree, &as);
  if (st == HK_OK) st = hki_range_find(tree, q, &r->data);
  hki_tree_destroy(tree);
  return st;
}

static hk_status find(hk_model *m, const hk_reach_options *opt, hk_reach *r) {
  hk_status st = hki_model_tell(m, r->ctx);
  if (st != HK_OK) return st;
  r->data.from = opt->from, r->data.to = opt->to;
  const hk_spec_joint *like = NULL;
  r->data.scalar = hki_scalar_search(m, opt->coordinate, &like);
  if (r->data.scalar == HK_NONE) return hki_scalar_missing(r->ctx, opt->coordinate, like, "range");
  const hk_scalar *x = &m->scalars[r->data.scalar];
  int n;
  const char *unit = hki_word(m->spec->joints[x->joint].ops->units, x->coord, &n);
  r->unit = hki_pool_printf(r->data.pool, "%.*s", n, unit);
  st = name_all(r, m);
  hki_stop_allow(r->ctx, true);
  if (st == HK_OK) st = follow(r, m);
  if (st != HK_OK && hki_stopped(r->ctx)) st = HK_INTERRUPTED;
  hki_stop_allow(r->ctx, false);
  return st;
}

hk_status hk_reach_find(hk_model *m, const hk_reach_options *from, hk_reach **out) {
  hk_reach_options opt = defaults;
  if (out) *out = NULL;
  if (!hki_is(m, HK_MARK_MODEL)) return hki_misuse(NULL, "hk_reach_find", "no model");
  if (!out) return hki_misuse(m->ctx, "hk_reach_find", "no place for the range");
  hk_status st = hki_options_read(m->ctx, HK_OPTIONS(hk_reach_options, from), &opt, from);
  if (st != HK_OK) return st;
  if (!opt.coordinate) return hki_misuse(m->ctx, "hk_reach_find", "no coordinate is named");
  if (isnan(opt.from) || isnan(opt.to) || !(opt.from < opt.to))
    return hki_misuse(m->ctx, "hk_reach_find", "the limits must be numbers, the low one first");
  hk_reach *r = hki_alloc(m->ctx, sizeof *r);
  if (!r) return HK_E_MEMORY;
  *r = (hk_reach){.mark = HK_MARK_RANGE, .ctx = m->ctx, .data.pool = hki_pool_create(m->ctx)};
  st = r->data.pool ? find(m, &opt, r) : HK_E_MEMORY;
  if (st != HK_OK)
    hk_reach_free(r);
  else
    *out = r;
  return st;
}

void hk_reach_free(hk_reach *r) {
  if (!is_range(r)) return;
  hk_ctx *ctx = r->ctx;
  if (r->data.pool) hki_pool_destroy(r->data.pool);
  r->mark = 0;
  hki_free(ctx, r);
}

/* --- questions -------------------------------------------------------------------------------- */

const char *hk_reach_coordinate(const hk_reach *r) {
  return is_range(r) ? r->name[r->data.scalar] : "";
}
const char *hk_reach_unit(const hk_reach *r) { return is_range(r) ? r->unit : ""; }
double hk_reach_start(const hk_reach *r) { return is_range(r) ? r->data.start : NAN; }
int32_t hk_reach_branches(const hk_reach *r) { return is_range(r) ? r->data.npasses : 0; }
int32_t hk_reach_count(const hk_reach *r) { return is_range(r) ? r->data.n : 0; }

static hk_status tell(const hk_reach *r, const char *function, const hk_range_spot *from,
                      hk_reach_place *out) {
  if (!from || !out || out->size < offsetof(hk_reach_place, loops))
    return hki_misuse(r->ctx, function, "no such place, or no room for it");
  hk_reach_place p = {.size = out->size,
                      .value = from->value,
                      .stop = (int32_t)from->why,
                      .moves = from->moves ? from->moves : "",
                      .loops = from->loops ? from->loops : ""};
  memcpy(out, &p, out->size < sizeof p ? out->size : sizeof p);
  return HK_OK;
}

hk_status hk_reach_end(const hk_reach *r, int32_t high, hk_reach_place *out) {
  if (!is_range(r)) return HK_E_USAGE;
  return tell(r, "hk_reach_end", high == 0 || high == 1 ? &r->data.end[high] : NULL, out);
}

hk_status hk_reach_branch(const hk_reach *r, int32_t i, hk_reach_place *out) {
  if (!is_range(r)) return HK_E_USAGE;
  return tell(r, "hk_reach_branch", i >= 0 && i < r->data.npasses ? &r->data.passes[i] : NULL, out);
}

const double *hk_reach_values(const hk_reach *r, int32_t i) {
  return i >= 0 && i < hk_reach_count(r) ? r->data.values + (size_t)i * (size_t)r->ns : NULL;
}

const char *hk_reach_channel(const hk_reach *r, int32_t i) {
  return is_range(r) && i >= 0 && i < r->ns ? r->name[i] : NULL;
}

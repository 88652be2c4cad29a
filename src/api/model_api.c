/* SPDX-License-Identifier: Apache-2.0
 *
 * model_api.c: the public face of models and of the doctor.
 */
#include <stdio.h>
#include <string.h>

#include "simulation/simulation.h"
#include "analyses/assembly.h"
#include "analyses/doctor.h"
#include "io/model_reader.h"

/* "name=value" texts of the sets; NULL when out of memory */
static char **join_sets(hk_pool *pool, const hk_set *sets, int32_t n) {
  char **out = hki_pool_alloc(pool, (size_t)(n + 1) * sizeof *out);
  for (int32_t i = 0; out && i < n; i++) {
    out[i] = hki_pool_printf(pool, "%s=%s", sets[i].name, sets[i].value);
    if (!out[i]) return NULL;
  }
  return out;
}

/* the first error's status, or a plain one */
static hk_status first_error(const hk_ctx *ctx, int32_t from) {
  for (int32_t i = from; i < hk_ctx_message_count(ctx); i++)
    if (hk_ctx_message(ctx, i)->severity == HK_ERROR) return hk_ctx_message(ctx, i)->code;
  return HK_E_MODEL;
}

static hk_status load(hk_ctx *ctx, const char *path, const char *text, size_t len,
                      const hk_set *sets, int32_t nsets, hk_model **out) {
  int32_t from = hk_ctx_message_count(ctx);
  hk_pool *pool = hki_pool_create(ctx);
  char **joined = pool ? join_sets(pool, sets, nsets) : NULL;
  *out = NULL;
  if (!joined) {
    if (pool) hki_pool_destroy(pool);
    return HK_E_MEMORY;
  }
  hk_spec *spec =
      text ? hki_model_read_text(ctx, path, text, len, (const char *const *)joined, nsets)
           : hki_model_read(ctx, path, (const char *const *)joined, nsets);
  hki_pool_destroy(pool);
  if (spec) *out = hki_model_compile(spec);
  return *out ? HK_OK : first_error(ctx, from);
}

hk_status hk_model_load(hk_ctx *ctx, const char *path, const hk_set *sets, int32_t nsets,
                        hk_model **out) {
  return load(ctx, path, NULL, 0, sets, nsets, out);
}

hk_status hk_model_parse(hk_ctx *ctx, const char *text, size_t len, const char *name,
                         const hk_set *sets, int32_t nsets, hk_model **out) {
  return load(ctx, name, text, len, sets, nsets, out);
}

void hk_model_release(hk_model *m) {
  if (m) hki_model_release(m);
}

const char *hk_model_title(const hk_model *m) { return m->spec->title; }

const char *hk_model_path(const hk_model *m) { return m->spec->path; }

/* --- the doctor --------------------------------------------------------------------------------
 */

typedef struct report {
  hk_check_report pub; /* first: the caller's pointer is this */
  hk_pool *pool;
} report;

/* trees that cut joints tie together are one mechanism; roots: scratch, one per body */
static int32_t count_mechanisms(const hk_model *m, int32_t *roots) {
  int32_t n = 0;
  for (int32_t b = 0; b < m->nb; b++) roots[b] = m->bodies[b].root;
  for (int32_t j = 0; j < m->nj; j++) {
    int32_t a = m->joints[j].mbody[0], b = m->joints[j].mbody[1];
    if (m->joints[j].closure == HK_NONE || a < 0 || b < 0) continue;
    // representatives of both trees, paths halved on the way
    while (roots[a] != a) a = roots[a] = roots[roots[a]];
    while (roots[b] != b) b = roots[b] = roots[roots[b]];
    roots[a > b ? a : b] = a > b ? b : a;
  }
  for (int32_t b = 0; b < m->nb; b++) n += roots[b] == b;
  return n;
}

/* counts that the compiled model knows */
static void count(const hk_model *m, hk_check_report *r) {
  r->bodies = m->nb;
  r->joints = m->nj;
  for (int32_t f = 0; f < m->nf; f++) r->forces += !(m->forces[f].ops->caps & HK_ELEMENT_NETWORK);
  r->coordinates = m->nv;
  r->planar = m->spec->planar;
  for (int32_t b = 0; b < m->nb; b++) {
    r->tree_joints += m->bodies[b].joint != HK_NONE;
    r->total_mass += m->bodies[b].mass;
  }
}

static hk_status list_cuts(const hk_model *m, report *r) {
  const char **cut = hki_pool_alloc(r->pool, (size_t)(m->nj + 1) * sizeof *cut);
  if (!cut) return HK_E_MEMORY;
  for (int32_t j = 0; j < m->nj; j++)
    if (m->joints[j].closure != HK_NONE) cut[r->pub.ncut++] = m->spec->joints[j].name;
  r->pub.cut = cut;
  r->pub.cut_joints = r->pub.ncut;
  return HK_OK;
}

/* coordinates and rows as Gruebler counts them: nothing is redundant */
static hk_status examine(hk_model *m, report *r, hk_semi *s, double *q, double *v) {
  hk_assembly as = {.q = q, .v = v};
  hk_mobility mob;
  hk_finding *list = NULL;
  double before = hki_cpu_seconds();
  hk_status st = hki_assemble(s, &as);
  r->pub.assembly_s = hki_cpu_seconds() - before;
  r->pub.assembly_position = as.position_max;
  r->pub.assembly_velocity = as.velocity_max;
  if (st != HK_OK) return st;
  st = hki_doctor(s, r->pool, q, v, &list, &r->pub.nfindings, &mob);
  r->pub.findings = list;
  r->pub.constraints = mob.rows;
  r->pub.rank = mob.rank;
  r->pub.dof = mob.dof;
  r->pub.position_dof = mob.places;
  r->pub.redundant = mob.redundant;
  r->pub.gruebler = m->nv - mob.rows;
  // a motion that no mass resists has no acceleration: such a model cannot run
  for (int32_t i = 0; i < r->pub.nfindings && st == HK_OK; i++) {
    if (list[i].kind != HK_FINDING_INERTIA_FREE) continue;
    st = hki_error(m->ctx, HK_E_ASSEMBLY, HK_LOC_NONE,
                   "give the bodies mass, or hold them by joints", "%s", list[i].text);
  }
  return st;
}

hk_status hk_check(hk_model *m, hk_check_report **out) {
  report *r = hki_alloc(m->ctx, sizeof *r);
  hk_semi *s = NULL;
  *out = NULL;
  if (!r) return HK_E_MEMORY;
  r->pool = hki_pool_create(m->ctx);
  double *q = r->pool ? hki_pool_alloc(r->pool, (size_t)(m->nq + m->nv + 1) * sizeof *q) : NULL;
  hk_status st = q ? list_cuts(m, r) : HK_E_MEMORY;
  count(m, &r->pub);
  int32_t *roots = q ? hki_pool_alloc(r->pool, (size_t)(m->nb + 1) * sizeof *roots) : NULL;
  if (roots) r->pub.mechanisms = count_mechanisms(m, roots);
  double before = hki_cpu_seconds();
  if (st == HK_OK) st = hki_semi_create(m->ctx, m, &s);
  r->pub.compile_s = hki_cpu_seconds() - before;
  if (st == HK_OK) st = examine(m, r, s, q, q + m->nq);
  if (st == HK_OK) st = hki_sim_validate(m);
  r->pub.status = st;
  hki_semi_destroy(s);
  *out = &r->pub;
  return st;
}

void hk_check_free(hk_model *m, hk_check_report *rep) {
  report *r = (report *)rep;
  if (!r) return;
  if (r->pool) hki_pool_destroy(r->pool);
  hki_free(m->ctx, r);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * compile.c: compiles a spec into a model. work.h lists the steps. The model keeps the spec for
 * names, places in files and start values.
 */
#include "model/work.h"

/* enters an item in its table of names; false after reporting an item without name or a name that
 * is used twice */
static bool index_name(hk_ctx *ctx, hk_names *names, const char *kind, const char *name, int32_t i,
                       hk_loc loc) {
  int32_t at = HK_NONE;
  if (!name) {
    hki_error(ctx, HK_E_MODEL, loc, NULL, "a %s has no name", kind);
    return false;
  }
  if (hki_names_add(names, name, i, &at) || at == i) return true;
  if (at >= 0) hki_error(ctx, HK_E_MODEL, loc, NULL, "%s '%s' is there twice", kind, name);
  return false;
}

bool hki_work_names(hk_spec *s) {
  bool ok = true;
  for (int32_t i = 0; i < s->nbodies; i++)
    ok &= index_name(s->ctx, s->body_names, "body", s->bodies[i].name, i, s->bodies[i].loc);
  for (int32_t i = 0; i < s->njoints; i++)
    ok &= index_name(s->ctx, s->joint_names, "joint", s->joints[i].name, i, s->joints[i].loc);
  for (int32_t i = 0; i < s->nforces; i++)
    ok &= index_name(s->ctx, s->force_names, "force", s->forces[i].name, i, s->forces[i].loc);
  for (int32_t i = 0; i < s->nmarkers; i++)
    ok &= index_name(s->ctx, s->marker_names, "marker", s->markers[i].name, i, s->markers[i].loc);
  for (int32_t i = 0; i < s->nnodes; i++)
    ok &= index_name(s->ctx, s->node_names, "node", s->nodes[i].name, i, s->nodes[i].loc);
  for (int32_t i = 0; i < s->nwide; i++)
    ok &= index_name(s->ctx, s->wide_names, "element", s->wide[i].name, i, s->wide[i].loc);
  for (int32_t i = 0; i < s->ngroups; i++)
    ok &= index_name(s->ctx, s->wide_names, s->groups[i].kind, s->groups[i].name, s->nwide + i,
                     s->groups[i].loc);
  for (int32_t i = 0; i < s->nsignals; i++) {
    const hk_spec_signal *x = &s->signals[i];
    if (x->named && x->controller)
      ok &=
          index_name(s->ctx, s->controller_names, "controller", hki_controller_name(x), i, x->loc);
    else if (x->named)
      ok &= index_name(s->ctx, s->signal_names, "signal", x->name, i, x->loc);
  }
  return ok;
}

/* are the joint types present that the compiler itself uses? */
static bool table_complete(void) {
  return hki_joint_with(HK_JOINT_UNBOUND) && hki_joint_with(HK_JOINT_PLANE) &&
         hki_joint_with(HK_JOINT_RIGID);
}

static bool run(hk_work *w) {
  w->joints = HK_SCRATCH(w, hk_work_joint, w->spec->njoints + 1);
  if (!w->joints) return false;
  if (!table_complete()) {
    hki_error(w->ctx, HK_E_INTERNAL, HK_LOC_NONE, NULL, "the table of joints is not complete");
    return false;
  }
  return hki_work_signals(w) && hki_work_check(w) && hki_work_planar(w) && hki_work_topology(w) &&
         hki_work_bodies(w) && hki_work_joints(w) && hki_work_lanes(w) && hki_work_closures(w) &&
         hki_work_forces(w) && hki_work_wide(w) && hki_work_nodes(w) && hki_work_reads(w);
}

/* the files that places in the model may be in, for contexts that did not read it */
static bool keep_files(hk_model *m) {
  const int32_t n = hki_ctx_file_count(m->ctx);
  m->file = hki_pool_alloc(m->pool, ((size_t)n + 1) * sizeof *m->file);
  m->file_name = hki_pool_alloc(m->pool, ((size_t)n + 1) * sizeof *m->file_name);
  bool ok = m->file && m->file_name;
  for (int32_t i = 0; ok && i < n; i++) {
    m->file[i] = hki_ctx_file_at(m->ctx, i);
    m->file_name[i] = hki_pool_strdup(m->pool, hki_ctx_file_name(m->ctx, m->file[i]));
    ok = m->file_name[i] != NULL;
  }
  m->nfiles = ok ? n : 0;
  return ok;
}

hk_model *hki_model_compile(hk_spec *spec) {
  if (!spec) return NULL;
  hk_ctx *ctx = spec->ctx;
  hk_model *m = hki_alloc(ctx, sizeof *m);
  if (!m) {
    hki_spec_destroy(spec);
    return NULL;
  }
  m->mark = HK_MARK_MODEL;
  m->ctx = ctx;
  m->spec = spec;
  atomic_init(&m->refs, 1);
  m->pool = hki_pool_create(ctx);
  hk_work w = {.ctx = ctx, .pool = hki_pool_create(ctx), .spec = spec, .m = m};
  bool ok = m->pool && w.pool && hki_work_names(spec) && hki_work_senses(spec, w.pool) && run(&w) &&
            keep_files(m) && hki_extend_keep(ctx, m->pool, &m->types);
  hki_pool_destroy(w.pool);
  if (!ok) {
    hki_model_release(m);
    return NULL;
  }
  HK_ASSERT(hki_work_is_whole(m));
  m->hash = hki_work_hash(spec);
  return m;
}

hk_status hki_model_tell(const hk_model *m, hk_ctx *ctx) {
  if (ctx == m->ctx) return HK_OK;
  for (int32_t i = 0; i < m->nfiles; i++)
    if (!hki_ctx_know_file(ctx, m->file[i], m->file_name[i])) return HK_E_MEMORY;
  return hki_extend_take(ctx, &m->types) ? HK_OK : HK_E_MEMORY;
}

hk_model *hki_model_retain(hk_model *m) {
  if (m) atomic_fetch_add_explicit(&m->refs, 1, memory_order_relaxed);
  return m;
}

void hki_model_release(hk_model *m) {
  // what other threads have read of the model they have read before it ends
  if (!m || atomic_fetch_sub_explicit(&m->refs, 1, memory_order_acq_rel) > 1) return;
  hki_pool_destroy(m->pool);
  hki_spec_destroy((hk_spec *)m->spec);
  m->mark = 0;
  hki_free(m->ctx, m);
}

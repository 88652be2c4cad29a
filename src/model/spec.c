/* SPDX-License-Identifier: Apache-2.0
 *
 * spec.c: creates and destroys a spec. Its pool owns all of it but the name tables, which have
 * their own memory.
 */
#include <math.h>

#include "elements/modal.h"
#include "model/spec.h"

hk_spec *hki_spec_create(hk_ctx *ctx) {
  hk_spec *s = hki_alloc(ctx, sizeof *s);
  if (!s) return NULL;
  s->ctx = ctx;
  s->pool = hki_pool_create(ctx);
  s->path = s->title = s->text = "";
  s->normal[2] = 1.0;
  s->gravity_loc = HK_LOC_NONE;
  s->run.time = s->run.step = s->run.tolerance = NAN;
  s->run.step_signal = HK_NONE;
  s->run.time_loc = s->run.step_loc = HK_LOC_NONE;
  s->run.formulation_loc = s->run.integrator_loc = HK_LOC_NONE;
  s->run.substeps = true;
  s->body_names = hki_names_create(ctx);
  s->joint_names = hki_names_create(ctx);
  s->force_names = hki_names_create(ctx);
  s->marker_names = hki_names_create(ctx);
  s->signal_names = hki_names_create(ctx);
  s->node_names = hki_names_create(ctx);
  s->controller_names = hki_names_create(ctx);
  s->wide_names = hki_names_create(ctx);
  if (!s->pool || !s->body_names || !s->joint_names || !s->force_names || !s->marker_names ||
      !s->signal_names || !s->node_names || !s->controller_names || !s->wide_names) {
    hki_spec_destroy(s);
    return NULL;
  }
  return s;
}

void hki_spec_destroy(hk_spec *spec) {
  if (!spec) return;
  hki_names_destroy(spec->body_names);
  hki_names_destroy(spec->joint_names);
  hki_names_destroy(spec->force_names);
  hki_names_destroy(spec->marker_names);
  hki_names_destroy(spec->signal_names);
  hki_names_destroy(spec->node_names);
  hki_names_destroy(spec->controller_names);
  hki_names_destroy(spec->wide_names);
  hki_pool_destroy(spec->pool);
  hki_free(spec->ctx, spec);
}

void hki_spec_wide_range(const hk_spec *spec, int32_t item, int32_t *first, int32_t *n) {
  const hk_spec_group *g = item < spec->nwide ? NULL : &spec->groups[item - spec->nwide];
  *first = g ? g->wide0 : item;
  *n = g ? g->nwide : 1;
}

int32_t hki_spec_modes(const hk_spec *s, int32_t wide) {
  return s->wide[wide].ops == &hki_modal ? ((const hk_modal_par *)s->wide[wide].par)->ne : 0;
}

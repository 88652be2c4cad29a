/* SPDX-License-Identifier: Apache-2.0
 *
 * stab.c: the table of stabilisations. Another one is a file, a line here and a word in
 * HK_REDUNDANT_METHODS (stab.h), in the same order.
 */
#include "formulations/redundant/stab.h"

/* the first, NULL, is `projection`: the formulation as it is */
static const hk_redundant_method *const methods[] = {
    NULL,
    &hki_redundant_baumgarte_method,
    &hki_redundant_ggl_method,
    &hki_redundant_fl_method,
    &hki_redundant_overdetermined_method,
};

void hki_redundant_method_ops(int32_t k, hk_formulation_ops *ops) {
  const hk_redundant_method *m = methods[k];
  if (!m) return;
  ops->caps = m->caps;
  ops->dae = NULL;
  ops->nodes = NULL;
  if (m->correct) ops->system = NULL;
  if (m->begin) ops->begin = m->begin;
  if (m->residual) ops->residual = m->residual;
  if (m->factor) ops->factor = m->factor;
  if (m->correct) ops->correct = m->correct;
  if (m->project) ops->project = m->project;
}

const char *hki_redundant_method_refuses(int32_t k, uint32_t needs, const char **hint) {
  const uint32_t stages = HK_CAP_STAGE_POS | HK_CAP_STAGE_ACC;
  if (!methods[k]) return NULL;
  *hint = "'stabilisation: projection'; this integrator has its own stabilised form";
  if (needs & HK_CAP_DAE) return "stabilisation is one of stages, and this integrator has none";
  *hint = "'stabilisation: baumgarte' or 'projection'";
  if (!methods[k]->form || (needs & HK_CAP_STAGE_POS)) return NULL;
  if (needs & stages)
    return "this stabilisation puts stages onto the constraints, which costs this "
           "integrator its order";
  return "this stabilisation is one of implicit stages, and this integrator has none";
}

hk_status hki_redundant_method_create(hk_redundant *r, int32_t k, double alpha, double beta,
                                      const hk_formulation_ops *plain) {
  static const hk_redundant_form none = {0};
  const hk_redundant_method *m = methods[k];
  if (!m) return HK_OK;
  if (m->form && r->c->nx)
    return hki_error(r->ctx, HK_E_USAGE, HK_LOC_NONE,
                     "take 'stabilisation: projection' or 'baumgarte'",
                     "this stabilisation has no room for the scalar unknowns of 'nodes:' and "
                     "'network:'");
  if (m == &hki_redundant_baumgarte_method) r->alpha = alpha, r->beta = beta;
  hk_status st = hki_redundant_stab_create(r, m->form ? m->form : &none, &r->stab);
  if (st == HK_OK) r->stab->plain = plain;
  return st;
}

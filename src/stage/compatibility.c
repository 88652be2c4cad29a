/* SPDX-License-Identifier: Apache-2.0
 *
 * compatibility.c: which integrators a formulation can be used with, checked before a run.
 */
#include <stdio.h>

#include "stage/stage.h"

const char *hki_need_words(uint32_t missing) {
  if (missing & HK_CAP_STAGE_POS) return "implicit stages with constraints at position level";
  if (missing & HK_CAP_STAGE_ACC) return "implicit stages with constraints at acceleration level";
  if (missing & HK_CAP_DAE) return "the equations as one system of first order";
  if (missing & HK_CAP_RATES) return "accelerations of a stage with the matrices of their slopes";
  return "accelerations of a given state";
}

const char *hki_compatible(const hk_formulation_ops *f, const hk_integrator_ops *i, char *buf,
                           size_t cap) {
  uint32_t missing = i->needs & ~f->caps;
  if (!missing) return NULL;
  snprintf(buf, cap, "integrator '%s' needs %s, which formulation '%s' does not give", i->name,
           hki_need_words(missing), f->name);
  return buf;
}

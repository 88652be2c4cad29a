/* SPDX-License-Identifier: Apache-2.0
 *
 * aimless.c: a spring whose ends are at the same place has no line of action. Its law may give a
 * force there, and it stores energy, but it pulls nowhere: found by an output in newtons that is
 * not zero while both wrenches are.
 */
#include "analyses/aimless.h"
#include "kinematics/element.h"

#include <stdio.h>

double hki_aimless_force(hk_kin *k, int32_t fi) {
  const hk_model_force *f = &k->m->forces[fi];
  // its first output in newtons
  const int32_t y = f->ops->output_units ? hki_word_find(f->ops->output_units, "N") : -1;
  hk_frame F[HK_ELEMENT_MARKERS];
  hk_element_in in;
  hk_element_out out;
  // a given force has a direction of its own, and no deformation
  if (y < 0 || f->ops->nmark != 2 || !f->ops->rank || !(f->ops->caps & HK_ELEMENT_PULLS))
    return 0.0;
  if (f->u_varies) hki_kin_force_inputs(k, fi);
  hki_kin_force_in(k, fi, F, &in);
  hki_kin_element(k, fi, &in, HK_NEED_FORCE | HK_NEED_TANGENT | HK_NEED_OUTPUT, &out);
  for (int i = 0; i < 12; i++)
    if (out.w[i] != 0.0) return 0.0;
  return fabs(out.y[y]) > 2.0 * fabs(out.ks[0]) * HK_AIMLESS_LENGTH ? out.y[y] : 0.0;
}

int32_t hki_aimless(hk_kin *k, int32_t from, char *words, size_t cap) {
  for (int32_t f = from; f < k->m->nf; f++) {
    const double force = hki_aimless_force(k, f);
    if (force == 0.0) continue;
    snprintf(words, cap,
             "force '%.200s': its ends are at the same place at t = %.6g s, so that its force of "
             "%.6g N has no direction and does not act",
             k->m->spec->forces[k->m->forces[f].spec].name, k->t, force);
    return f;
  }
  return HK_NONE;
}

void hki_aimless_warn(hk_ctx *ctx, hk_kin *k) {
  char words[400];
  for (int32_t f = 0; (f = hki_aimless(k, f, words, sizeof words)) != HK_NONE; f++)
    hki_warn(ctx, k->m->spec->forces[k->m->forces[f].spec].loc,
             "shift an end, name the direction by 'along', or take a free 'length' of 0", "%s",
             words);
}

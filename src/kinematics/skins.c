/* SPDX-License-Identifier: Apache-2.0
 *
 * skins.c: modal coordinates of bodies with modes, and the stress of their surfaces: with stresses s_j of mode j
 *
 *   s = sum q_j s_j,   von Mises: sqrt(((sxx - syy)^2 + (syy - szz)^2 + (szz - sxx)^2)/2 + 3 (sxy^2 + syz^2 + szx^2))
 *
 * Source: R. von Mises, Mechanik der festen Koerper im plastisch-deformablen Zustand, 1913.
 */
#include "kinematics/skins.h"

#include <math.h>

#include "elements/modal.h"

double hki_kin_modal_q(const hk_kin *k, int32_t wide, int32_t j) {
  const hk_model_wide *e = &k->m->wide[wide];
  const hk_modal_par *p = e->par;
  return p->scale[j] * (k->frame[e->body[j + 1]].p[0] - p->rest);
}

double hki_kin_skin_stress(const hk_kin *k, int32_t wide) {
  const hk_spec *spec = k->m->spec;
  int32_t which = 0;
  while (which < spec->nskins && spec->skins[which].wide != wide) which++;
  if (which == spec->nskins) return 0.0;
  const hk_spec_skin *s = &spec->skins[which];
  double top = 0.0;
  for (int32_t i = 0; s->stress && i < s->nnode; i++) {
    double x[6] = {0};
    for (int32_t j = 0; j < s->ne; j++) {
      const double q = hki_kin_modal_q(k, s->wide, j);
      const double *m = s->stress + 6 * ((ptrdiff_t)s->nnode * j + i);
      for (int c = 0; c < 6; c++) x[c] += q * m[c];
    }
    const double a = x[0] - x[1], b = x[1] - x[2], c = x[2] - x[0];
    const double squared =
        0.5 * (a * a + b * b + c * c) + 3.0 * (x[3] * x[3] + x[4] * x[4] + x[5] * x[5]);
    if (squared > top) top = squared;
  }
  return sqrt(top);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * joint_friction_slip.c: friction at the point where two surfaces of a joint touch, which moves over both
 * of them: a follower on its cam. The joint says by which velocity u the surfaces slide there, with its
 * gradient g at the markers (geometry/slip.h):
 *
 *   f = N c(u, past)      c: elements/friction.h; N as in joint_friction.c
 *   w = -g f
 *
 * With H = dg/dxi the change of the slip at fixed twists V is dxi . H'V, and that of the wrenches has the
 * part -H f dxi.
 */
#include "elements/joint_friction.h"
#include "elements/tangent.h"

static void eval(const void *p, const hk_element_in *in, uint32_t need, hk_element_out *out) {
  const hk_joint_friction_par *par = p;
  const hk_frame *A = &in->m[0], *B = &in->m[1];
  double f[HK_FRICTION_AXES];
  hk_slip s;
  par->slip(par->of, A, B, (need & HK_NEED_EXACT) != 0, &s);
  memcpy(out->B, s.row, sizeof s.row);
  hki_joint_friction_rows(par, in, &s.u, need, f, out);
  if (!(need & HK_NEED_EXACT)) return;
  double P[HK_BS] = {0};
  for (int j = 0; j < HK_BS; j++)
    for (int i = 0; i < 3; i++)
      P[j] += A->w[i] * s.H[HK_BS * i + j] + A->v[i] * s.H[HK_BS * (3 + i) + j] +
              B->w[i] * s.H[HK_BS * (6 + i) + j] + B->v[i] * s.H[HK_BS * (9 + i) + j];
  hki_tangent_material(1, HK_BS, out->B, P, out->ks, out->cs, out->K, out->C);
  for (int i = 0; i < HK_BS * HK_BS; i++) out->K[i] += f[0] * s.H[i];
}

const hk_element_ops *hki_joint_friction_slip_ops(void) {
  static const hk_element_ops ops = {.name = "joint_friction",
                                     .text = "friction where a follower touches its cam",
                                     .source = "definition; friction.c",
                                     .nmark = 2,
                                     .rank = 1,
                                     .nu = 1,
                                     .ny = 4,
                                     .par_size = sizeof(hk_joint_friction_par),
                                     .params = hki_joint_friction_params,
                                     .outputs = "slip normal slides force",
                                     .output_units = "m/s N 1 N",
                                     .eval = eval,
                                     .laws = hki_joint_friction_laws,
                                     .caps = HK_ELEMENT_RELATIVE | HK_ELEMENT_RATES,
                                     .arrow = 1};
  return &ops;
}

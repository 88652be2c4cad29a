/* SPDX-License-Identifier: Apache-2.0
 *
 * joint_friction_slip.c: friction of a joint whose surfaces touch at a point that wanders: a follower on
 * its cam, a blade, a ball that spins on a cylinder. The joint gives the gradients g_k of the slips in the
 * twists V = (VA, VB) of its markers, and their derivatives H_k by the poses of these (par->slips):
 *
 *   u_k = arm_k g_k . V           slip; arm: radius where it is an angular velocity, else 1
 *   f_k = N c_k(u, past)          c: elements/friction.h, one direction for all of them
 *   N   = preload + |R|           as in joint_friction.c
 *   w   = - sum of f_k arm_k g_k
 *
 * Exact tangents: d(g_k) = H_k xi, hence du_k = arm_k V' H_k xi at fixed twists, and dw has
 * - sum of f_k arm_k H_k beside the change of f.
 */
#include <math.h>

#include "elements/joint_friction.h"
#include "elements/tangent.h"

/* K, C with the terms of directions that turn; H: of all slips, V: twists of both markers */
static void exact(const hk_joint_friction_par *par, const double *H, const double *V,
                  const double *f, hk_element_out *out) {
  double P[HK_FRICTION_AXES * HK_BS] = {0};
  for (int32_t k = 0; k < par->n; k++)
    for (int i = 0; i < 12; i++)
      for (int j = 0; j < 12; j++)
        P[HK_BS * k + j] += par->arms[k] * V[i] * H[144 * k + 12 * i + j];
  hki_tangent_material(par->n, HK_BS, out->B, P, out->ks, out->cs, out->K, out->C);
  for (int32_t k = 0; k < par->n; k++)
    for (int i = 0; i < 144; i++) out->K[i] += f[k] * par->arms[k] * H[144 * k + i];
}

static void eval(const void *p, const hk_element_in *in, uint32_t need, hk_element_out *out) {
  const hk_joint_friction_par *par = p;
  const hk_frame *A = &in->m[0], *B = &in->m[1];
  double f[HK_FRICTION_AXES], u[HK_FRICTION_AXES], H[HK_FRICTION_AXES * 144], V[12];
  const bool bends = (need & HK_NEED_EXACT) != 0;
  v3_copy(V, A->w), v3_copy(V + 3, A->v), v3_copy(V + 6, B->w), v3_copy(V + 9, B->v);
  par->slips(par, A, B, out->B, bends ? H : NULL);
  for (int32_t k = 0; k < par->n; k++) {
    u[k] = 0.0;
    for (int i = 0; i < 12; i++) {
      out->B[HK_BS * k + i] *= par->arms[k];
      u[k] += out->B[HK_BS * k + i] * V[i];
    }
  }
  hki_joint_friction_rows(par, in, u, need, f, out);
  if (bends) exact(par, H, V, f, out);
}

/* clang-format off */
#define OPS(n_, slips_, units) { \
    .name = "joint_friction", .text = "friction where surfaces of a joint touch, by the joint's own reaction", \
    .source = "definition; friction.c", .nmark = 2, .rank = n_, .nu = 1, .ny = 3 + n_, \
    .par_size = sizeof(hk_joint_friction_par), .params = hki_joint_friction_params, \
    .outputs = slips_ " normal slides force", .output_units = units " N 1 N", .eval = eval, \
    .laws = hki_joint_friction_laws, .caps = HK_ELEMENT_RELATIVE | HK_ELEMENT_RATES, .arrow = 1}
/* clang-format on */

const hk_element_ops *hki_joint_friction_slip_ops(int32_t n) {
  static const hk_element_ops ops[] = {OPS(1, "slip", "m/s"), OPS(2, "slip1 slip2", "m/s m/s")};
  HK_ASSERT(n > 0 && n <= HK_ARRAY_LEN(ops));
  return &ops[n - 1];
}

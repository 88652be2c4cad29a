/* SPDX-License-Identifier: Apache-2.0
 *
 * bushing.c: an elastic joint between marker A and marker B. Six deformations s = (x, phi) in A's
 * axes, order x y z rx ry rz:
 *
 *   x   = R_A'(pB - pA)
 *   phi = log(R_A' R_B)
 *   f   = f(s, sd)                                    laws.h
 *   w   = -B'f                                        B = ds/dxi, exact
 *
 * B and its derivatives: relative.h.
 *
 * With the exact B a law with a potential has one for rotations of any size below pi, where the
 * logarithm jumps. The tangent of a time step, B' ks B, takes the symmetric part of ks alone; the exact
 * K and C have both parts.
 */
#include "elements/laws.h"
#include "elements/relative.h"
#include "elements/tangent.h"

typedef struct hk_bushing_par {
  hk_laws law;
} hk_bushing_par;

static void eval(const void *p, const hk_element_in *in, uint32_t need, hk_element_out *out) {
  const hk_bushing_par *par = p;
  const hk_frame *A = &in->m[0], *B = &in->m[1];
  double g[3], F[3], G[3];
  hk_relative r;
  hk_laws_in at = {.n = 6, .s = r.s, .sd = r.sd, .u = in->u, .u_varies = in->u_varies};
  hk_laws_out law;
  const double *f = law.f;
  at.mem = (hk_law_memory){in->st, 0, in->d, need & HK_NEED_MEMORY ? out->d : NULL};
  hki_relative(A, B, &r);
  hki_laws_force(&par->law, &at, &law, out->ks, out->cs);

  // w = -B'f
  m3_mulv(F, A->R, f);
  m3_tmulv(g, r.L, f + 3);
  m3_mulv(G, A->R, g);
  v3_cross(out->w, r.d, F);
  v3_add(out->w, out->w, G);
  v3_copy(out->w + 3, F);
  v3_scale(out->w + 6, -1.0, G);
  v3_scale(out->w + 9, -1.0, F);

  if (need & (HK_NEED_TANGENT | HK_NEED_EXACT)) {
    double P[6 * HK_BS];
    hki_relative_rows(&r, A, out->B, P);
    if (need & HK_NEED_EXACT) {
      hki_tangent_material(6, 12, out->B, P, out->ks, out->cs, out->K, out->C);
      hki_relative_geometric(&r, A, f, out->K);
    }
    hki_tangent_symmetric(6, out->ks), hki_tangent_symmetric(6, out->cs);
  }
  if (need & HK_NEED_ENERGY) hki_laws_energy(&par->law, &at, &law, out);
  if (need & HK_NEED_OUTPUT) memcpy(out->y, r.s, sizeof r.s), memcpy(out->y + 6, f, 6 * sizeof *f);
}

static int32_t laws(const void *p, const hk_law **list) {
  const hk_bushing_par *par = p;
  return hki_laws_list(&par->law, list);
}

static hk_status prepare(hk_ctx *ctx, hk_loc loc, const char *name, void *p, uint32_t u_given,
                         double *u0, const hk_frame *m0) {
  const hk_bushing_par *par = p;
  (void)u_given, (void)u0, (void)m0;
  return hki_laws_check(ctx, loc, "bushing", name, "x y z rx ry rz", &par->law);
}

/* clang-format off */
#define AT(field) (int32_t)offsetof(hk_bushing_par, field)
static const hk_param params[] = {
    {"between", HK_P_BODIES, HK_P_REQUIRED, HK_P_HAND, 0, 0, 0, "", NULL, "the two bodies"},
    {"at", HK_P_POINT, HK_P_REQUIRED, HK_P_HAND, 0, 0, 0, "m", NULL, "its centre"},
    {"axes", HK_P_FRAME, 0, HK_P_HAND, 0, 0, 0, "", NULL, "its axes at the drawing position (default: world), then fixed in the first body"},
    {"stiffness", HK_P_REAL66, 0, AT(law.stiffness), 0, 0, 0, "N/m, N*m/rad", NULL, "x y z rx ry rz: six numbers or a 6x6 matrix"},
    {"damping", HK_P_REAL66, 0, AT(law.damping), 0, 0, 0, "N*s/m, N*m*s/rad", NULL, "x y z rx ry rz: six numbers or a 6x6 matrix"},
    {"spring", HK_P_LAW6, 0, AT(law.spring), 0, 0, 0, "N, N*m", NULL, "laws per axis over s, the displacement, instead of 'stiffness' there"},
    {"damper", HK_P_LAW6, 0, AT(law.damper), 0, 0, 0, "N, N*m", NULL, "laws per axis over sdot, its rate, instead of 'damping' there"},
    HK_PARAM_END};
/* clang-format on */

extern const hk_element_ops hki_element_bushing;
const hk_element_ops hki_element_bushing = {
    .name = "bushing",
    .text = "elastic joint: six displacements resisted by stiffness, damping or laws",
    .source = "rotation vector of the relative rotation, exact Jacobian of the logarithm",
    .nmark = 2,
    .rank = 6,
    .ny = 12,
    .caps = HK_ELEMENT_RELATIVE | HK_ELEMENT_SYMMETRIC,
    .par_size = sizeof(hk_bushing_par),
    .params = params,
    .arrow = 1,
    .glyph = HK_GLYPH_BLOCK,
    .outputs = "x y z rx ry rz fx fy fz mx my mz",
    .output_units = "m m m rad rad rad N N N N*m N*m N*m",
    .prepare = prepare,
    .eval = eval,
    .laws = laws,
};

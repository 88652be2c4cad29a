/* SPDX-License-Identifier: Apache-2.0
 *
 * bushing.c: an elastic joint between marker A and marker B. Six deformations s = (x, phi) in A's
 * axes, order x y z rx ry rz:
 *
 *   x   = R_A'(pB - pA)
 *   phi = log(R_A' R_B)
 *   f   = stiffness s + damping sd (+ laws per axis)
 *   w   = -B'f                                        B = ds/dxi, exact
 *
 * B and its derivatives: relative.h.
 *
 * With the exact B a symmetric stiffness k has the potential s'k s/2 for rotations of any size
 * below pi, where the logarithm jumps. The antisymmetric part of a stiffness (bearings) stores
 * nothing: its work counts as dissipated. The tangent of a time step, B' ks B, takes the symmetric
 * part alone; the exact K and C have both.
 */
#include "elements/relative.h"
#include "elements/tangent.h"

typedef struct hk_bushing_par {
  double stiffness[36], damping[36];
  const hk_law *spring[6], *damper[6]; /* NULL: none on that axis */
} hk_bushing_par;

/* deformations, with the books of laws with memory and the power that goes into them */
typedef struct bush {
  hk_relative r;
  hk_law_books books;
  double power;
} bush;

/* a law of axis i; its work, where it has memory, goes to the books */
static void bush_law(const hk_law *law, bool of_rate, int i, hk_law_memory *mem, bush *b,
                     hk_law_out *o) {
  hk_law_books books;
  if (!hki_law_has_memory(law)) {
    hki_law_eval(law, of_rate, b->r.s[i], b->r.sd[i], o);
    return;
  }
  hki_law_recall(law, of_rate, b->r.s[i], b->r.sd[i], mem, o, &books);
  b->books.energy += books.energy;
  b->books.dissipated += books.dissipated;
  b->books.spent += books.spent;
  b->books.spending += books.spending;
  b->power += o->f * b->r.sd[i];
}

/* f with its slopes; linear part and laws */
static void bush_force(const hk_bushing_par *par, hk_law_memory *mem, bush *b, double *f,
                       double *ks, double *cs) {
  b->books = (hk_law_books){0};
  b->power = 0.0;
  for (int i = 0; i < 6; i++) {
    f[i] = 0.0;
    for (int j = 0; j < 6; j++) {
      double k = par->stiffness[6 * i + j], c = par->damping[6 * i + j];
      f[i] += k * b->r.s[j] + c * b->r.sd[j];
      ks[HK_KS * i + j] = k, cs[HK_KS * i + j] = c;
    }
    const hk_law *law[2] = {par->spring[i], par->damper[i]};
    for (int j = 0; j < 2; j++)
      if (law[j]) {
        hk_law_out o;
        bush_law(law[j], j == 1, i, mem, b, &o);
        f[i] += o.f;
        ks[(HK_KS + 1) * i] += o.fs, cs[(HK_KS + 1) * i] += o.fsd;
      }
  }
}

static void bush_energy(const hk_bushing_par *par, const bush *b, const double *f,
                        hk_element_out *out) {
  // the symmetric part of the stiffness and the laws over s store energy
  double energy = b->books.energy, rate = b->power - b->books.dissipated, power = 0.0;
  for (int i = 0; i < 6; i++) {
    double g = 0.0;
    for (int j = 0; j < 6; j++)
      g += 0.5 * (par->stiffness[6 * i + j] + par->stiffness[6 * j + i]) * b->r.s[j];
    energy += 0.5 * g * b->r.s[i];
    rate += g * b->r.sd[i];
    const hk_law *law = par->spring[i];
    if (law && hki_law_has_energy(law) && !hki_law_has_memory(law)) {
      hk_law_out o;
      hki_law_eval(law, false, b->r.s[i], b->r.sd[i], &o);
      energy += hki_law_energy(law, b->r.s[i]);
      rate += o.f * b->r.sd[i];
    }
    power += f[i] * b->r.sd[i];
  }
  out->energy = energy;
  out->dissipated = power - rate;
  out->supplied = 0.0;
  out->spent = b->books.spent;
  out->spending = b->books.spending;
}

/* replaces a by its symmetric part */
static void symmetrize(double *a) {
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < i; j++)
      a[HK_KS * i + j] = a[HK_KS * j + i] = 0.5 * (a[HK_KS * i + j] + a[HK_KS * j + i]);
}

static void eval(const void *p, const hk_element_in *in, uint32_t need, hk_element_out *out) {
  const hk_bushing_par *par = p;
  const hk_frame *A = &in->m[0], *B = &in->m[1];
  double f[6], g[3], F[3], G[3];
  bush b;
  hk_law_memory mem = {in->st, 0, in->d, need & HK_NEED_MEMORY ? out->d : NULL};
  hki_relative(A, B, &b.r);
  bush_force(par, &mem, &b, f, out->ks, out->cs);

  // w = -B'f
  m3_mulv(F, A->R, f);
  m3_tmulv(g, b.r.L, f + 3);
  m3_mulv(G, A->R, g);
  v3_cross(out->w, b.r.d, F);
  v3_add(out->w, out->w, G);
  v3_copy(out->w + 3, F);
  v3_scale(out->w + 6, -1.0, G);
  v3_scale(out->w + 9, -1.0, F);

  if (need & (HK_NEED_TANGENT | HK_NEED_EXACT)) {
    double P[6 * HK_BS];
    hki_relative_rows(&b.r, A, out->B, P);
    if (need & HK_NEED_EXACT) {
      hki_tangent_material(6, 12, out->B, P, out->ks, out->cs, out->K, out->C);
      hki_relative_geometric(&b.r, A, f, out->K);
    }
    symmetrize(out->ks), symmetrize(out->cs);
  }
  if (need & HK_NEED_ENERGY) bush_energy(par, &b, f, out);
  if (need & HK_NEED_OUTPUT) memcpy(out->y, b.r.s, sizeof b.r.s), memcpy(out->y + 6, f, sizeof f);
}

static int32_t laws(const void *p, const hk_law **list) {
  const hk_bushing_par *par = p;
  int32_t n = 0;
  for (int i = 0; i < 6; i++) {
    if (par->spring[i]) list[n++] = par->spring[i];
    if (par->damper[i]) list[n++] = par->damper[i];
  }
  return n;
}

/* refuses an axis with both a law and an entry of the matrix; *any: some axis has one of them */
static hk_status check_axes(hk_ctx *ctx, hk_loc loc, const char *name, const double *matrix,
                            const hk_law *const *law, const char *matrix_key, const char *law_key,
                            bool *any) {
  static const char *const axis[6] = {"x", "y", "z", "rx", "ry", "rz"};
  for (int i = 0; i < 6; i++) {
    double sum = 0.0;
    for (int j = 0; j < 6; j++) sum += fabs(matrix[6 * i + j]) + fabs(matrix[6 * j + i]);
    if (law[i] && sum != 0.0)
      return hki_error(ctx, HK_E_MODEL, loc, "put 0 for that axis in one of them",
                       "bushing '%s' has both '%s' and a '%s' law on axis %s", name, matrix_key,
                       law_key, axis[i]);
    if (law[i] || sum != 0.0) *any = true;
  }
  return HK_OK;
}

static hk_status prepare(hk_ctx *ctx, hk_loc loc, const char *name, void *p, uint32_t u_given,
                         double *u0, const hk_frame *m0) {
  hk_bushing_par *par = p;
  bool any = false;
  hk_status s;
  (void)u_given, (void)u0, (void)m0;
  s = check_axes(ctx, loc, name, par->stiffness, par->spring, "stiffness", "spring", &any);
  if (s != HK_OK) return s;
  s = check_axes(ctx, loc, name, par->damping, par->damper, "damping", "damper", &any);
  if (s != HK_OK) return s;
  if (!any)
    return hki_error(ctx, HK_E_MODEL, loc, "give stiffness and damping, or laws",
                     "bushing '%s' has none of 'stiffness', 'damping', 'spring', 'damper'", name);
  return HK_OK;
}

/* clang-format off */
#define AT(field) (int32_t)offsetof(hk_bushing_par, field)
static const hk_param params[] = {
    {"between", HK_P_BODIES, HK_P_REQUIRED, HK_P_HAND, 0, 0, 0, "", NULL, "the two bodies"},
    {"at", HK_P_POINT, HK_P_REQUIRED, HK_P_HAND, 0, 0, 0, "m", NULL, "its centre"},
    {"axes", HK_P_FRAME, 0, HK_P_HAND, 0, 0, 0, "", NULL, "its axes at the drawing position (default: world), then fixed in the first body"},
    {"stiffness", HK_P_REAL66, 0, AT(stiffness), 0, 0, 0, "N/m, N*m/rad", NULL, "x y z rx ry rz: six numbers or a 6x6 matrix"},
    {"damping", HK_P_REAL66, 0, AT(damping), 0, 0, 0, "N*s/m, N*m*s/rad", NULL, "x y z rx ry rz: six numbers or a 6x6 matrix"},
    {"spring", HK_P_LAW6, 0, AT(spring), 0, 0, 0, "N, N*m", NULL, "laws per axis over s, the displacement, instead of 'stiffness' there"},
    {"damper", HK_P_LAW6, 0, AT(damper), 0, 0, 0, "N, N*m", NULL, "laws per axis over sdot, its rate, instead of 'damping' there"},
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

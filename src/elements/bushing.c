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
 * With d = pB - pA, rotations thA, thB of the markers and L the inverse of the left Jacobian of the
 * exponential map:
 *
 *   dx   = R_A'(dpB - dpA + [d] thA)
 *   dphi = L R_A'(thB - thA)
 *   L    = I - [phi]/2 + c [phi]^2
 *   c(y) = (1 - (z/2) cot(z/2))/y                     y = z^2 = |phi|^2
 *
 * With the exact B a symmetric stiffness k has the potential s'k s/2 for rotations of any size
 * below pi, where the logarithm jumps. The antisymmetric part of a stiffness (bearings) stores
 * nothing: its work counts as dissipated. The tangent of a time step, B' ks B, takes the symmetric
 * part alone; the exact K and C have both.
 */
#include "elements/tangent.h"

typedef struct hk_bushing_par {
  double stiffness[36], damping[36];
  const hk_law *spring[6], *damper[6]; /* NULL: none on that axis */
} hk_bushing_par;

/* deformations, rates, and data for the tangents */
typedef struct bush {
  double d[3], u[3], wr[3]; /* world axes: pB - pA; its rate seen from A; wB - wA */
  double s[6], sd[6];
  double y[3];  /* wr in A's axes */
  double L[9];  /* Jl^-1(phi) */
  double c, c1; /* c and dc/dy */
  /* laws with memory: their books, and the power that goes into them */
  hk_law_books books;
  double power;
} bush;

/* c(y) and its derivative; closed form where it does not cancel */
static void log_series(double y, double *c, double *c1) {
  if (y < 0.04) {
    // z/2 cot(z/2) = 1 - y/12 - y^2/720 - y^3/30240 - y^4/1209600 - y^5/47900160 - ...
    *c = 1.0 / 12 + y * (1.0 / 720 + y * (1.0 / 30240 + y * (1.0 / 1209600 + y / 47900160)));
    *c1 = 1.0 / 720 + y * (2.0 / 30240 + y * (3.0 / 1209600 + y * 4.0 / 47900160));
  } else {
    double z = sqrt(y), t = tan(0.5 * z), g = 0.5 * z / t, sn = sin(0.5 * z);
    *c = (1.0 - g) / y;
    // dg/dy = (1/(2z)) (1/(2t) - z/(4 sin^2))
    double dg = (0.5 / t - 0.25 * z / (sn * sn)) / (2.0 * z);
    *c1 = (-dg - *c) / y;
  }
}

static void bush_eval(const hk_frame *A, const hk_frame *B, bush *b) {
  double Q[9], wd[3];
  v3_sub(b->d, B->p, A->p);
  v3_sub(b->wr, B->w, A->w);
  v3_sub(b->u, B->v, A->v);
  v3_cross(wd, A->w, b->d);
  v3_sub(b->u, b->u, wd);
  m3_tmulv(b->s, A->R, b->d);
  m3_tmulv(b->sd, A->R, b->u);
  m3_tmul(Q, A->R, B->R);
  rot_log(b->s + 3, Q);
  m3_tmulv(b->y, A->R, b->wr);

  // L = I - [phi]/2 + c [phi]^2
  const double *phi = b->s + 3;
  double S[9], SS[9];
  log_series(v3_dot(phi, phi), &b->c, &b->c1);
  m3_skew(S, phi);
  m3_mul(SS, S, S);
  for (int i = 0; i < 9; i++) b->L[i] = (i % 4 == 0) - 0.5 * S[i] + b->c * SS[i];
  m3_mulv(b->sd + 3, b->L, b->y);
}

/* D = d(L(-sign phi) a)/dphi: sign = +1 for L' a, -1 for L a */
static void log_second(const bush *b, double sign, const double *a, double *D) {
  const double *phi = b->s + 3;
  double r[3], q[3], pa = v3_dot(phi, a), S[9];
  v3_cross(r, phi, a);
  v3_cross(q, phi, r);
  m3_skew(S, a);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      D[3 * i + j] = -0.5 * sign * S[3 * i + j] + 2.0 * b->c1 * q[i] * phi[j] +
                     b->c * ((i == j) * pa + phi[i] * a[j] - 2.0 * a[i] * phi[j]);
}

/* a law of axis i; its work, where it has memory, goes to the books */
static void bush_law(const hk_law *law, bool of_rate, int i, hk_law_memory *mem, bush *b,
                     hk_law_out *o) {
  hk_law_books books;
  if (!hki_law_has_memory(law)) {
    hki_law_eval(law, of_rate, b->s[i], b->sd[i], o);
    return;
  }
  hki_law_recall(law, of_rate, b->s[i], b->sd[i], mem, o, &books);
  b->books.energy += books.energy;
  b->books.dissipated += books.dissipated;
  b->books.spent += books.spent;
  b->books.spending += books.spending;
  b->power += o->f * b->sd[i];
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
      f[i] += k * b->s[j] + c * b->sd[j];
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
      g += 0.5 * (par->stiffness[6 * i + j] + par->stiffness[6 * j + i]) * b->s[j];
    energy += 0.5 * g * b->s[i];
    rate += g * b->sd[i];
    const hk_law *law = par->spring[i];
    if (law && hki_law_has_energy(law) && !hki_law_has_memory(law)) {
      hk_law_out o;
      hki_law_eval(law, false, b->s[i], b->sd[i], &o);
      energy += hki_law_energy(law, b->s[i]);
      rate += o.f * b->sd[i];
    }
    power += f[i] * b->sd[i];
  }
  out->energy = energy;
  out->dissipated = power - rate;
  out->supplied = 0.0;
  out->spent = b->books.spent;
  out->spending = b->books.spending;
}

/* rows of B, and of P = d(sdot)/dxi */
static void bush_rows(const bush *b, const hk_frame *A, double *B, double *P) {
  double T[9], S[9], LT[9], X[9];
  memset(B, 0, 6 * HK_BS * sizeof *B);
  memset(P, 0, 6 * HK_BS * sizeof *P);
  m3_transpose(T, A->R);
  m3_mul(LT, b->L, T);

  // B: displacements, rotations
  m3_skew(S, b->d);
  m3_mul(X, T, S);
  hki_add_block(B, 0, 0, 1.0, X);
  hki_add_block(B, 0, 3, -1.0, T);
  hki_add_block(B, 0, 9, 1.0, T);
  hki_add_block(B, 3, 0, -1.0, LT);
  hki_add_block(B, 3, 6, 1.0, LT);

  // P: d(xdot) = R'([u] thA - [wA] dd)
  m3_skew(S, b->u);
  m3_mul(X, T, S);
  hki_add_block(P, 0, 0, 1.0, X);
  m3_skew(S, A->w);
  m3_mul(X, T, S);
  hki_add_block(P, 0, 3, 1.0, X);
  hki_add_block(P, 0, 9, -1.0, X);

  // d(phidot) = d(L y)/dphi dphi + L R'[wr] thA
  double D[9];
  log_second(b, -1.0, b->y, D);
  m3_mul(X, D, LT);
  hki_add_block(P, 3, 0, -1.0, X);
  hki_add_block(P, 3, 6, 1.0, X);
  m3_skew(S, b->wr);
  m3_mul(X, LT, S);
  hki_add_block(P, 3, 0, 1.0, X);
}

/* K += d(B'f)/dxi at fixed f */
static void bush_geometric(const bush *b, const hk_frame *A, const double *f, double *K) {
  double F[3], G[3], g[3], S[9], W[9], X[9];

  // displacement rows of B'f: (-d x F, -F) on A, (0, F) on B, F = R_A f
  m3_mulv(F, A->R, f);
  m3_skew(S, b->d), m3_skew(W, F);
  m3_mul(X, S, W);
  hki_add_block(K, 0, 0, 1.0, X);
  hki_add_skew(K, 0, 3, -1.0, F);
  hki_add_skew(K, 0, 9, 1.0, F);
  hki_add_skew(K, 3, 0, 1.0, F);
  hki_add_skew(K, 9, 0, -1.0, F);

  // rotation rows of B'f: -G on A, G on B, G = R_A L' f;  dG = -[G] thA + R_A d(L'f)/dphi dphi
  double D[9], T[9], LT[9], Y[9];
  m3_tmulv(g, b->L, f + 3);
  m3_mulv(G, A->R, g);
  log_second(b, 1.0, f + 3, D);
  m3_transpose(T, A->R);
  m3_mul(LT, b->L, T);
  m3_mul(Y, D, LT);
  m3_mul(X, A->R, Y);
  hki_add_skew(K, 0, 0, 1.0, G);
  hki_add_skew(K, 6, 0, -1.0, G);
  hki_add_block(K, 0, 0, 1.0, X);
  hki_add_block(K, 0, 6, -1.0, X);
  hki_add_block(K, 6, 0, -1.0, X);
  hki_add_block(K, 6, 6, 1.0, X);
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
  bush_eval(A, B, &b);
  bush_force(par, &mem, &b, f, out->ks, out->cs);

  // w = -B'f
  m3_mulv(F, A->R, f);
  m3_tmulv(g, b.L, f + 3);
  m3_mulv(G, A->R, g);
  v3_cross(out->w, b.d, F);
  v3_add(out->w, out->w, G);
  v3_copy(out->w + 3, F);
  v3_scale(out->w + 6, -1.0, G);
  v3_scale(out->w + 9, -1.0, F);

  if (need & (HK_NEED_TANGENT | HK_NEED_EXACT)) {
    double P[6 * HK_BS];
    bush_rows(&b, A, out->B, P);
    if (need & HK_NEED_EXACT) {
      hki_tangent_material(6, 12, out->B, P, out->ks, out->cs, out->K, out->C);
      bush_geometric(&b, A, f, out->K);
    }
    symmetrize(out->ks), symmetrize(out->cs);
  }
  if (need & HK_NEED_ENERGY) bush_energy(par, &b, f, out);
  if (need & HK_NEED_OUTPUT) memcpy(out->y, b.s, sizeof b.s), memcpy(out->y + 6, f, sizeof f);
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

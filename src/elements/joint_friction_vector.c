/* SPDX-License-Identifier: Apache-2.0
 *
 * joint_friction_vector.c: friction of a joint whose surfaces slide in several directions at once: a
 * ball in its socket, a sleeve that turns and slides, a plate on a plate. Motion k of marker B
 * relative to A is a rotation about, or a translation along, an axis a_k of A, d = pB - pA:
 *
 *   u_k = arm_k a_k . (wB - wA)   or   a_k . (vB - vA - wA x d)     slip; arm: radius
 *   f_k = N c_k(u, past)          c: elements/friction.h, one direction for all of them
 *   N   = preload + |R|           as in joint_friction.c
 *
 * With M = sum of arm_k f_k a_k over rotations, F of f_k a_k over translations, the wrenches are
 *
 *   w_A = (M + d x F, F)     w_B = -(M, F)
 *
 * Where the surfaces touch at a point rho of B that has a fixed place seen from A, as the lowest point of a
 * ball on a floor, a translation has the slip a_k . (velocity of B's origin) + (rho x a_k) . (wB - wA), and
 * M has the part f_k rho x a_k.
 *
 * The axes turn with A by th: da = th x a, so that dM = th x M, dF = th x F.
 */
#include <math.h>

#include "elements/joint_friction.h"
#include "elements/tangent.h"

typedef struct motions {
  /* axes of turning times arms, axes of translation, zero where a motion has none; slips */
  double m[HK_FRICTION_AXES][3], a[HK_FRICTION_AXES][3], u[HK_FRICTION_AXES];
  double d[3], w[3], v[3]; /* pB - pA; relative motion, of B's origin seen from A */
} motions;

/* the axes of motion k */
static void axes(const hk_joint_friction_par *par, const hk_frame *A, int32_t k, motions *x) {
  const bool turns = par->motion[k] < 3;
  double axis[3], rho[3];
  m3_column(axis, A->R, par->motion[k] % 3);
  v3_scale(axis, par->arms[k], axis);
  v3_zero(x->a[k]);
  if (turns) {
    v3_copy(x->m[k], axis);
    return;
  }
  v3_copy(x->a[k], axis);
  m3_mulv(rho, A->R, par->roll);
  v3_cross(x->m[k], rho, axis);
}

/* rows B and slips of the motions */
static void find(const hk_joint_friction_par *par, const hk_frame *A, const hk_frame *B, motions *x,
                 double *rows) {
  double t[3];
  v3_sub(x->d, B->p, A->p);
  v3_sub(x->w, B->w, A->w);
  v3_sub(x->v, B->v, A->v);
  v3_cross(t, A->w, x->d);
  v3_axpy(x->v, -1.0, t);
  for (int32_t k = 0; k < par->n; k++) {
    double *row = rows + HK_BS * k, *a = x->a[k], *m = x->m[k];
    axes(par, A, k, x);
    x->u[k] = v3_dot(m, x->w) + v3_dot(a, x->v);
    v3_cross(row, a, x->d);
    v3_sub(row, row, m);
    v3_scale(row + 3, -1.0, a);
    v3_copy(row + 6, m);
    v3_copy(row + 9, a);
  }
}

/* K, C with the terms of axes that turn */
static void exact(const hk_joint_friction_par *par, const hk_frame *A, const motions *x,
                  const double *f, hk_element_out *out) {
  double P[HK_FRICTION_AXES * HK_BS] = {0}, M[3] = {0}, F[3] = {0};
  for (int32_t k = 0; k < par->n; k++) {
    double *row = P + HK_BS * k;
    v3_axpy(M, f[k], x->m[k]);
    v3_axpy(F, f[k], x->a[k]);
    v3_cross(row, x->m[k], x->w);
    v3_cross_add(row, x->a[k], x->v);
    v3_cross(row + 3, x->a[k], A->w);
    v3_scale(row + 9, -1.0, row + 3);
  }
  hki_tangent_material(par->n, HK_BS, out->B, P, out->ks, out->cs, out->K, out->C);
  double dF[9]; // d x (F x .)
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) dF[3 * i + j] = F[i] * x->d[j] - (i == j ? v3_dot(F, x->d) : 0.0);
  hki_add_skew(out->K, 0, 0, 1.0, M);
  hki_add_block(out->K, 0, 0, 1.0, dF);
  hki_add_skew(out->K, 0, 3, -1.0, F);
  hki_add_skew(out->K, 0, 9, 1.0, F);
  hki_add_skew(out->K, 3, 0, 1.0, F);
  hki_add_skew(out->K, 6, 0, -1.0, M);
  hki_add_skew(out->K, 9, 0, -1.0, F);
}

void hki_joint_friction_rows(const hk_joint_friction_par *par, const hk_element_in *in,
                             const double *u, uint32_t need, double *f, hk_element_out *out) {
  const double N = in->u[HK_FRICTION_NORMAL] + par->preload;
  double size = 0.0, lost = 0.0;
  hk_friction_out o;
  hki_friction_eval(par->law.friction, par->n, u, in->st, 0, &o);
  memset(out->w, 0, sizeof out->w);
  for (int32_t k = 0; k < par->n; k++) {
    f[k] = N * o.c[k];
    lost += f[k] * u[k], size += o.c[k] * o.c[k];
    for (int i = 0; i < 12; i++) out->w[i] -= f[k] * out->B[HK_BS * k + i];
    for (int32_t j = 0; j < par->n; j++) {
      out->ks[HK_KS * k + j] = 0.0;
      out->cs[HK_KS * k + j] = N * o.cv[HK_FRICTION_AXES * k + j];
    }
  }
  if (need & HK_NEED_INPUT) {
    double *W = out->Wu + 12 * HK_FRICTION_NORMAL;
    memset(W, 0, 12 * sizeof *W);
    for (int32_t k = 0; k < par->n; k++)
      for (int i = 0; i < 12; i++) W[i] -= o.c[k] * out->B[HK_BS * k + i];
  }
  // all of it counts as dissipated, as in joint_friction.c
  out->energy = out->supplied = out->spent = 0.0, out->dissipated = lost;
  for (int32_t k = 0; k < par->n; k++) out->y[k] = u[k];
  double *y = out->y + par->n;
  y[0] = N, y[1] = o.slides ? 1.0 : 0.0, y[2] = N * sqrt(size);
}

static void eval(const void *p, const hk_element_in *in, uint32_t need, hk_element_out *out) {
  const hk_joint_friction_par *par = p;
  double f[HK_FRICTION_AXES];
  motions x;
  find(par, &in->m[0], &in->m[1], &x, out->B);
  hki_joint_friction_rows(par, in, x.u, need, f, out);
  if (need & HK_NEED_EXACT) exact(par, &in->m[0], &x, f, out);
}

/* clang-format off */
#define OPS(n_, slips, units) { \
    .name = "joint_friction", .text = "friction between surfaces of a joint, by the joint's own reaction", \
    .source = "definition; friction.c", .nmark = 2, .rank = n_, .nu = 1, .ny = 3 + n_, \
    .par_size = sizeof(hk_joint_friction_par), .params = hki_joint_friction_params, \
    .outputs = slips " normal slides force", .output_units = units " N 1 N", .eval = eval, \
    .laws = hki_joint_friction_laws, .caps = HK_ELEMENT_RELATIVE | HK_ELEMENT_RATES, .arrow = 1}
/* clang-format on */

const hk_element_ops *hki_joint_friction_vector_ops(int32_t n) {
#define THREE "slip1 slip2 slip3"
#define UNITS "m/s m/s m/s"
  static const hk_element_ops ops[HK_FRICTION_AXES] = {
      OPS(1, "slip", "m/s"),
      OPS(2, "slip1 slip2", "m/s m/s"),
      OPS(3, THREE, UNITS),
      OPS(4, THREE " slip4", UNITS " m/s"),
      OPS(5, THREE " slip4 slip5", UNITS " m/s m/s"),
      OPS(6, THREE " slip4 slip5 slip6", UNITS " " UNITS)};
  HK_ASSERT(n > 0 && n <= HK_FRICTION_AXES);
  return &ops[n - 1];
}

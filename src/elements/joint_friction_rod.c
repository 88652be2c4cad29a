/* SPDX-License-Identifier: Apache-2.0
 *
 * joint_friction_rod.c: friction in the eyes of a rod without mass, whose ends are balls of the radius r
 * on the bodies of markers A and B. With d = pB - pA, L = |d|, e = d/L the rod turns by
 *
 *   w_rod = d x (vB - vA)/L^2 + e e.(wA + wB)/2
 *
 * which its ends give, but for the turning about itself: there it goes with both bodies alike. In the
 * eye on body X, A or B, slide and resist, in components along the axes a_k of A,
 *
 *   u_k = r a_k . (wX - w_rod)          slips
 *   f_k = N c_k(u, past)                c: elements/friction.h
 *   N   = preload + |R|                 R: force of the rod along itself
 *
 * F = r sum of f_k a_k is a moment on the rod. By the power F . (wX - w_rod) the wrenches are
 *
 *   w_A = (e (e.F)/2 - F if X = A,  -F x d/L^2)
 *   w_B = (e (e.F)/2 - F if X = B,   F x d/L^2)
 *
 * which are in balance: the forces across the rod carry its moments. They press too, by a share of r/L,
 * which is left out of N.
 *
 * Exact tangents follow from dF = th_A x F (the axes turn with A), dd = dp_B - dp_A, and
 *
 *   d(e (e.F))    = de (e.F) + e (de.F + e.dF)                       de = (dd - e (e.dd))/L
 *   d(F x d/L^2)  = (dF x d + F x dd)/L^2 - 2 (F x d) (d.dd)/L^4
 */
#include <math.h>

#include "elements/joint_friction.h"
#include "elements/tangent.h"

enum { HK_ROD_AXES = 3 };

typedef struct rod {
  int32_t eye;
  double d[3], e[3], L;     /* pB - pA, its direction, its length */
  double a[HK_ROD_AXES][3]; /* axes of A, times the radius */
  double v[3], w[3], s[3];  /* vB - vA; wA + wB; wX - w_rod */
} rod;

/* a x d/L^2, and e (e.a)/2 */
static void carried(const rod *x, const double *a, double *across, double *along) {
  v3_cross(across, a, x->d);
  v3_scale(across, 1.0 / (x->L * x->L), across);
  v3_scale(along, 0.5 * v3_dot(x->e, a), x->e);
}

/* changes of both by da and dd */
static void carried_change(const rod *x, const double *a, const double *da, const double *dd,
                           double *across, double *along) {
  const double q = 1.0 / (x->L * x->L), on = v3_dot(x->e, dd);
  double de[3], t[3];
  v3_cross(across, da, x->d);
  v3_cross_add(across, a, dd);
  v3_cross(t, a, x->d);
  v3_axpy(across, -2.0 * on / x->L, t);
  v3_scale(across, q, across);
  for (int i = 0; i < 3; i++) de[i] = (dd[i] - x->e[i] * on) / x->L;
  v3_scale(along, 0.5 * v3_dot(x->e, a), de);
  v3_axpy(along, 0.5 * (v3_dot(de, a) + v3_dot(x->e, da)), x->e);
}

static void find(const hk_joint_friction_par *par, const hk_frame *A, const hk_frame *B, rod *x,
                 double *u, double *rows) {
  double turn[3];
  x->eye = par->eye;
  v3_sub(x->d, B->p, A->p);
  v3_sub(x->v, B->v, A->v);
  v3_add(x->w, A->w, B->w);
  x->L = fmax(v3_norm(x->d), 1e-100);
  v3_scale(x->e, 1.0 / x->L, x->d);
  // slips
  v3_cross(turn, x->d, x->v);
  v3_copy(x->s, x->eye ? B->w : A->w);
  v3_axpy(x->s, -1.0 / (x->L * x->L), turn);
  v3_axpy(x->s, -0.5 * v3_dot(x->e, x->w), x->e);
  for (int32_t k = 0; k < par->n; k++) {
    double *row = rows + HK_BS * k, across[3], along[3], *a = x->a[k];
    m3_column(a, A->R, k);
    v3_scale(a, par->radius, a);
    u[k] = v3_dot(a, x->s);
    carried(x, a, across, along);
    v3_copy(row + 3, across);
    v3_scale(row + 9, -1.0, across);
    for (int end = 0; end < 2; end++) {
      v3_scale(row + 6 * end, -1.0, along);
      if (end == x->eye) v3_axpy(row + 6 * end, 1.0, a);
    }
  }
}

/* K, C with the terms of axes and of the rod that turn, column by column */
static void exact(const hk_joint_friction_par *par, const rod *x, const double *f,
                  hk_element_out *out) {
  double P[HK_ROD_AXES * HK_BS] = {0}, F[3] = {0}, change[12][12];
  for (int32_t k = 0; k < par->n; k++) v3_axpy(F, f[k], x->a[k]);
  for (int j = 0; j < 12; j++) {
    double th[3] = {0}, dd[3] = {0}, dF[3], across[3], along[3], turn[3], still[3] = {0};
    const bool turns = j % 6 < 3;
    if (turns && j < 6) th[j] = 1.0;
    if (!turns) dd[j % 3] = j < 6 ? -1.0 : 1.0;
    v3_cross(dF, th, F);
    carried_change(x, F, dF, dd, across, along);
    for (int i = 0; i < 3; i++) {
      for (int end = 0; end < 2; end++)
        change[6 * end + i][j] = along[i] - (end == x->eye ? dF[i] : 0.0);
      change[3 + i][j] = -across[i], change[9 + i][j] = across[i];
    }
    // of the slips u_k = a_k . wX - (a_k x d/L^2) . v - e (e.a_k)/2 . w
    for (int32_t k = 0; k < par->n; k++) {
      v3_cross(turn, th, x->a[k]);
      carried_change(x, x->a[k], still, dd, across, along);
      P[HK_BS * k + j] = v3_dot(turn, x->s) - v3_dot(across, x->v) - v3_dot(along, x->w);
    }
  }
  hki_tangent_material(par->n, HK_BS, out->B, P, out->ks, out->cs, out->K, out->C);
  for (int i = 0; i < 12; i++)
    for (int j = 0; j < 12; j++) out->K[HK_BS * i + j] -= change[i][j];
}

static void eval(const void *p, const hk_element_in *in, uint32_t need, hk_element_out *out) {
  const hk_joint_friction_par *par = p;
  double f[HK_ROD_AXES], u[HK_ROD_AXES];
  rod x;
  find(par, &in->m[0], &in->m[1], &x, u, out->B);
  hki_joint_friction_rows(par, in, u, need, f, out);
  if (need & HK_NEED_EXACT) exact(par, &x, f, out);
}

const hk_element_ops *hki_joint_friction_rod_ops(void) {
  static const hk_element_ops ops = {.name = "joint_friction",
                                     .text = "friction in an eye of a rod, by the force along it",
                                     .source = "definition; friction.c",
                                     .nmark = 2,
                                     .rank = 3,
                                     .nu = 1,
                                     .ny = 6,
                                     .par_size = sizeof(hk_joint_friction_par),
                                     .params = hki_joint_friction_params,
                                     .outputs = "slip1 slip2 slip3 normal slides force",
                                     .output_units = "m/s m/s m/s N 1 N",
                                     .eval = eval,
                                     .laws = hki_joint_friction_laws,
                                     .caps = HK_ELEMENT_RELATIVE | HK_ELEMENT_RATES,
                                     .arrow = 1};
  return &ops;
}

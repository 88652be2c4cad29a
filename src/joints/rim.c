/* SPDX-License-Identifier: Apache-2.0
 *
 * rim.c: a thin disc of radius r about z of B that rolls on the x-y plane of A. With n = a_z,
 * b = b_z, c = n . b, s = |n x b|, u = vB - vA and w = wB - wA, its lowest point is pB + rho:
 *
 *   e      = (n - c b)/s
 *   rho    = -r e
 *   height   phi = n . d - r s
 *   slip     u_c = u + w x rho - wA x d
 *
 * u_c is the velocity of the rim's material point at the contact relative to the plane. At the
 * lowest point the height is stationary along the rim, so that dphi/dt = n . u_c. All three rows
 * thus have the form psi_k = a_k . u_c, with
 *
 *   gradients  (-(d + rho) x a_k, -a_k) at A,  (rho x a_k, a_k) at B
 *   gamma_k  = (wA x a_k) . u_c - a_k . (r w x e_dot + wA x u)
 *   e_dot    = EA wA + EB wB
 *   EA       = (y m' - [n])/s              m = b x n
 *   EB       = (c [b] - y m')/s            y = b - e c/s
 *
 * The height is a row on positions. The slips along x and y are rows on velocities: except in
 * planar motion they do not follow from any condition on positions.
 */
#include "joints/pair.h"

void hki_pair_rim(hk_pair *P, bool rates) {
  hk_rim *r = &P->rim;
  double m[3], t[3];
  if (P->have_rim) return;
  P->have_rim = true;
  m3_column(r->n, P->A->R, 2);
  m3_column(r->b, P->B->R, 2);
  r->c = v3_dot(r->n, r->b);
  v3_cross(m, r->b, r->n);
  r->s = fmax(v3_norm(m), HK_RIM_FLAT);
  for (int i = 0; i < 3; i++) r->e[i] = (r->n[i] - r->c * r->b[i]) / r->s;
  v3_scale(r->rho, -P->num[0], r->e);
  if (!rates) return;
  // e_dot = (n_dot - c_dot b - c b_dot + e (c/s) c_dot)/s
  double nd[3], bd[3], cd = v3_dot(m, P->w);
  v3_cross(nd, P->A->w, r->n);
  v3_cross(bd, P->B->w, r->b);
  for (int i = 0; i < 3; i++)
    r->e_dot[i] = (nd[i] - cd * (r->b[i] - r->e[i] * r->c / r->s) - r->c * bd[i]) / r->s;
  v3_cross(r->slip, P->w, r->rho);
  v3_add(r->slip, r->slip, P->u);
  v3_cross(t, P->A->w, P->d);
  v3_sub(r->slip, r->slip, t);
}

void hki_row_rim(hk_pair *P, int k, uint32_t need, int32_t i, hk_joint_loop *out) {
  const hk_rim *r = &P->rim;
  double a[3];
  hki_pair_rim(P, need & HK_LOOP_ACC);
  m3_column(a, P->A->R, k);
  if (need & HK_LOOP_POS) out->phi[i] = k == 2 ? v3_dot(a, P->d) - P->num[0] * r->s : 0.0;
  if (need & HK_LOOP_JAC) {
    double *gA = out->GA + 6 * i, *gB = out->GB + 6 * i, f[3];
    v3_add(f, P->d, r->rho);
    v3_cross(gA, a, f);
    v3_scale(gA + 3, -1.0, a);
    v3_cross(gB, r->rho, a);
    v3_copy(gB + 3, a);
  }
  if (need & HK_LOOP_ACC) {
    double x[3], y[3], z[3];
    v3_cross(x, P->A->w, a);
    v3_cross(y, P->w, r->e_dot);
    v3_cross(z, P->A->w, P->u);
    v3_axpy(z, P->num[0], y);
    out->gamma[i] = v3_dot(x, r->slip) - v3_dot(a, z);
  }
}

/* EA, EB above: derivatives of e by the rotations of A and B */
static void edge_slopes(const hk_rim *r, double *EA, double *EB) {
  double m[3], N[9], B[9];
  v3_cross(m, r->b, r->n);
  m3_skew(N, r->n);
  m3_skew(B, r->b);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double y = (r->b[i] - r->e[i] * r->c / r->s) * m[j];
      EA[3 * i + j] = (y - N[3 * i + j]) / r->s;
      EB[3 * i + j] = (r->c * B[3 * i + j] - y) / r->s;
    }
}

void hki_rim_geo(hk_pair *P, const double *F, double *MA, double *MB) {
  double EA[9], EB[9], S[9], T[9], X[9], rf;
  hki_pair_rim(P, false);
  edge_slopes(&P->rim, EA, EB);
  // dm = drho x F + rho x (tA x F),  rho x (t x F) = (rho . F) t - F (rho . t)
  m3_skew(S, F);
  rf = v3_dot(P->rim.rho, F);
  m3_mul(T, S, EA);
  m3_mul(X, S, EB);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      int ij = 3 * i + j;
      MA[ij] += P->num[0] * T[ij] + (i == j ? rf : 0.0) - F[i] * P->rim.rho[j];
      MB[ij] += P->num[0] * X[ij];
    }
}

/* change of e_dot when n and b change by dn and db and e by de */
static void edge_rate_slope(const hk_pair *P, const double *dn, const double *db, const double *de,
                            double *out) {
  const hk_rim *r = &P->rim;
  double nd[3], bd[3], dnd[3], dbd[3];
  v3_cross(nd, P->A->w, r->n);
  v3_cross(bd, P->B->w, r->b);
  v3_cross(dnd, P->A->w, dn);
  v3_cross(dbd, P->B->w, db);
  const double s = r->s, k = r->c / s;
  const double cd = v3_dot(nd, r->b) + v3_dot(r->n, bd), dc = v3_dot(dn, r->b) + v3_dot(r->n, db);
  const double dcd = v3_dot(dnd, r->b) + v3_dot(nd, db) + v3_dot(dn, bd) + v3_dot(r->n, dbd);
  const double ds = -k * dc, dk = dc / (s * s * s);
  for (int i = 0; i < 3; i++) {
    double sum = dnd[i] - dcd * r->b[i] - cd * db[i] - dc * bd[i] - r->c * dbd[i];
    sum += de[i] * k * cd + r->e[i] * (dk * cd + k * dcd);
    out[i] = (sum - r->e_dot[i] * ds) / s;
  }
}

/* derivative of gamma in the direction of rotations tA, tB and a displacement dd of B from A */
static double bias_slope(const hk_pair *P, int k, const double *tA, const double *tB,
                         const double *dd, const double *EA, const double *EB) {
  const hk_rim *r = &P->rim;
  const double *wA = P->A->w;
  double a[3], da[3], dn[3], db[3], de[3], x[3], y[3], dslip[3], dr[3], out;
  m3_column(a, P->A->R, k);
  v3_cross(da, tA, a);
  v3_cross(dn, tA, r->n);
  v3_cross(db, tB, r->b);
  m3_mulv(de, EA, tA);
  m3_mulv(x, EB, tB);
  v3_add(de, de, x);
  // slip and e_dot
  v3_scale(x, -P->num[0], de);
  v3_cross(dslip, P->w, x);
  v3_cross(y, wA, dd);
  v3_sub(dslip, dslip, y);
  edge_rate_slope(P, dn, db, de, dr);
  // (wA x a) . slip - a . (r w x e_dot + wA x u)
  v3_cross(x, wA, da);
  v3_cross(y, wA, a);
  out = v3_dot(x, r->slip) + v3_dot(y, dslip);
  v3_cross(x, P->w, r->e_dot);
  v3_cross(y, wA, P->u);
  v3_axpy(y, P->num[0], x);
  v3_cross(x, P->w, dr);
  return out - v3_dot(da, y) - P->num[0] * v3_dot(a, x);
}

void hki_rim_bias_geo(hk_pair *P, int k, double *d) {
  double EA[9], EB[9];
  const double zero[3] = {0, 0, 0};
  hki_pair_rim(P, true);
  edge_slopes(&P->rim, EA, EB);
  for (int i = 0; i < 3; i++) {
    double x[3] = {0}, slope;
    x[i] = 1.0;
    d[i] += bias_slope(P, k, x, zero, zero, EA, EB);
    d[6 + i] += bias_slope(P, k, zero, x, zero, EA, EB);
    slope = bias_slope(P, k, zero, zero, x, EA, EB);
    d[3 + i] -= slope;
    d[9 + i] += slope;
  }
}

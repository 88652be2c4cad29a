/* SPDX-License-Identifier: Apache-2.0
 *
 * dirk_sweeps.c: the published iteration of a diagonally implicit Runge-Kutta step, in which all
 * stages are corrected together, with one matrix of the start of the step.
 *
 * z_i = (D_i, w_i - v) are the unknowns of stage i, g = gamma h. In each sweep, stage after stage:
 *
 *   A_i  : dw/dt at (D_i, w_i), by one solution                                         (step 10)
 *   eq_i = -(D_i - h sum_j<=i a_ij w_j - h sum_j<i a_ij dw_j)                           (23)
 *   ev_i = -(A (w_i - v - h sum_j<=i a_ij A_j) + h sum_j<i a_ij (K dD_j + C dw_j))      (23)
 *   (A + g C + g^2 K) dw_i = ev_i - g K eq_i                                            (24)
 *   dD_i = eq_i + g dw_i                                                                (25)
 *   D_i += dD_i,  w_i += dw_i
 *
 * until the correction of the new position, sum_i d_i dD_i with d = A^-T b, is small in the
 * Euclidean norm (step 16). A, C, K without index belong to the formulation; the sums over j < i are
 * the coupling terms. w_j in the sums are those before the correction of the sweep. The start is
 * z_i = h c_i (v, a).
 *
 * Source: Dopico, Lugris, Gonzalez and Cuadrado 2005, On the aptitude of IRK integrators for the
 * real-time dynamics of multibody systems, sections 4 and 5; the signs of (23) as its eq. 15 has
 * them.
 */
#include <math.h>
#include <string.h>

#include "integrators/dirk.h"

/* corrections above this, after the first few, do not lead anywhere */
static const double lost = 1e6;
enum { few = 4 };

/* weights of the stages in the new state: d = A^-T b */
static void weights(const hk_tableau *T, double *d) {
  for (int32_t i = T->stages - 1; i >= 0; i--) {
    d[i] = T->b[i];
    for (int32_t j = i + 1; j < T->stages; j++) d[i] -= T->A[j * T->stages + i] * d[j];
    d[i] /= T->A[i * T->stages + i];
  }
}

static void predict(hk_integrator *I, const hk_tableau *T, int32_t i, double h) {
  double *D = hki_dirk_vector(I, i, HK_DIRK_D), *w = hki_dirk_vector(I, i, HK_DIRK_W);
  for (int32_t k = 0; k < I->nv; k++) {
    D[k] = h * T->c[i] * I->v[k];
    w[k] = I->v[k] + h * T->c[i] * I->a[k];
  }
}

/* Right sides of (23) and (24): dD = eq, dw = ev - g K eq. Scratch: D, vh, ah. */
static void right_sides(hk_integrator *I, const hk_tableau *T, int32_t i, double h) {
  const double *a = T->A + i * T->stages, g = h * a[i];
  const double *D = hki_dirk_vector(I, i, HK_DIRK_D), *w = hki_dirk_vector(I, i, HK_DIRK_W);
  double *dD = hki_dirk_vector(I, i, HK_DIRK_DD), *dw = hki_dirk_vector(I, i, HK_DIRK_DW);
  double *u = I->D, *cw = I->vh, *kz = I->ah;
  for (int32_t k = 0; k < I->nv; k++) {
    dD[k] = g * w[k] - D[k];
    u[k] = w[k] - I->v[k] - g * hki_dirk_vector(I, i, HK_DIRK_A)[k];
    cw[k] = kz[k] = 0.0;
    for (int32_t j = 0; j < i; j++) {
      // w of stage j has its correction already
      dD[k] += h * a[j] * hki_dirk_vector(I, j, HK_DIRK_W)[k];
      u[k] -= h * a[j] * hki_dirk_vector(I, j, HK_DIRK_A)[k];
      cw[k] += h * a[j] * hki_dirk_vector(I, j, HK_DIRK_DW)[k];
      kz[k] += h * a[j] * hki_dirk_vector(I, j, HK_DIRK_DD)[k];
    }
  }
  if (I->f->ops->rates->along) I->f->ops->rates->along(I->f, dD);
  for (int32_t k = 0; k < I->nv; k++) kz[k] += g * dD[k];
  I->f->ops->rates->mul(I->f, u, cw, kz, dw);
  for (int32_t k = 0; k < I->nv; k++) dw[k] = -dw[k];
}

/* one correction of stage i */
static hk_status correct(hk_integrator *I, const hk_tableau *T, int32_t i, double h, bool first) {
  const hk_rate_ops *r = I->f->ops->rates;
  const hk_dirk_par *par = I->par;
  const double t = I->t + T->c[i] * h, g = h * T->A[i * T->stages + i];
  double *D = hki_dirk_vector(I, i, HK_DIRK_D), *w = hki_dirk_vector(I, i, HK_DIRK_W);
  double *dD = hki_dirk_vector(I, i, HK_DIRK_DD), *dw = hki_dirk_vector(I, i, HK_DIRK_DW);
  hk_status s = HK_OK;
  if (par->matrix == HK_DIRK_STAGE) s = r->matrices(I->f, t, I->q, D, w, g);
  if (s == HK_OK) s = r->rates(I->f, i, first, t, I->q, D, w, hki_dirk_vector(I, i, HK_DIRK_A));
  if (s != HK_OK) return s;
  right_sides(I, T, i, h);
  r->solve(I->f, dw);
  for (int32_t k = 0; k < I->nv; k++) {
    dD[k] += g * dw[k];
    D[k] += dD[k];
    w[k] += dw[k];
  }
  I->newton->iterations++;
  return I->newton->stop && *I->newton->stop ? HK_RETRY : HK_OK;
}

/* Euclidean norm of the correction of the new position by stages `from` to `to` */
static double norm(hk_integrator *I, const double *d, int32_t from, int32_t to) {
  double sum = 0.0;
  for (int32_t k = 0; k < I->nv; k++) {
    double x = 0.0;
    for (int32_t i = from; i <= to; i++) x += d[i] * hki_dirk_vector(I, i, HK_DIRK_DD)[k];
    sum += x * x;
  }
  return sqrt(sum);
}

/* stages `from` to `to` together, to the tolerance */
static hk_status iterate(hk_integrator *I, const hk_tableau *T, double h, const double *d,
                         int32_t from, int32_t to) {
  for (int32_t it = 1; it <= I->newton->max_iter; it++) {
    for (int32_t i = from; i <= to; i++) {
      hk_status s = correct(I, T, i, h, it == 1);
      if (s != HK_OK) return s;
    }
    const double size = norm(I, d, from, to);
    if (size <= I->newton->tolerance) return HK_OK;
    if (!isfinite(size) || (it > few && size > lost)) return HK_RETRY;
    I->newton->left = size;
    if (it == I->newton->fixed) {
      I->newton->taken++;
      I->newton->left_most = fmax(I->newton->left_most, size);
      return HK_OK;
    }
  }
  return HK_RETRY;
}

/* the stage has converged: it adds no coupling terms to later ones */
static void settle(hk_integrator *I, int32_t i) {
  const size_t size = (size_t)I->nv * sizeof(double);
  memset(hki_dirk_vector(I, i, HK_DIRK_DD), 0, size);
  memset(hki_dirk_vector(I, i, HK_DIRK_DW), 0, size);
}

/* Increment D and rate v1 of the step, by (7): sum d_i z_i. Coordinates that follow from others by
 * constraints have no z of their own: then h sum b_i (W_i, A_i), the same at convergence. */
static void new_state(hk_integrator *I, const hk_tableau *T, double h, const double *d) {
  const bool own = !I->f->ops->rates->along;
  memset(I->D, 0, (size_t)I->nv * sizeof *I->D);
  memcpy(I->v1, I->v, (size_t)I->nv * sizeof *I->v1);
  for (int32_t i = 0; i < T->stages; i++) {
    const double *D = hki_dirk_vector(I, i, HK_DIRK_D), *w = hki_dirk_vector(I, i, HK_DIRK_W);
    const double *A = hki_dirk_vector(I, i, HK_DIRK_A), hb = h * T->b[i];
    for (int32_t k = 0; k < I->nv; k++) {
      I->D[k] += own ? d[i] * D[k] : hb * w[k];
      I->v1[k] += own ? d[i] * (w[k] - I->v[k]) : hb * A[k];
    }
  }
}

hk_status hki_dirk_sweeps(hk_integrator *I, const hk_tableau *T, double h) {
  const hk_dirk_par *par = I->par;
  const int64_t before = I->newton->iterations;
  double d[HK_STAGES_MAX];
  hk_status s = HK_OK;
  weights(T, d);
  for (int32_t i = 0; i < T->stages; i++) predict(I, T, i, h);
  memset(I->D, 0, (size_t)I->nv * sizeof *I->D);
  if (par->matrix == HK_DIRK_START)
    s = I->f->ops->rates->matrices(I->f, I->t, I->q, I->D, I->v, h * T->A[0]);
  if (s == HK_OK && par->iteration == HK_DIRK_SIMULTANEOUS)
    s = iterate(I, T, h, d, 0, T->stages - 1);
  for (int32_t i = 0; s == HK_OK && par->iteration == HK_DIRK_STAGES && i < T->stages; i++) {
    s = iterate(I, T, h, d, i, i);
    settle(I, i);
  }
  I->newton->last = (int32_t)(I->newton->iterations - before);
  if (s != HK_OK) return s;
  new_state(I, T, h, d);
  return HK_OK;
}

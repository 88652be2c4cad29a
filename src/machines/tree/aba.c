/* SPDX-License-Identifier: Apache-2.0
 *
 * aba.c: articulated-body factorisation and solve. Equations at the head of aba.h.
 */
#include "machines/tree/aba.h"

int32_t hki_aba_blocks(const hk_model *m) {
  int32_t nd = 0;
  for (int32_t b = 0; b < m->nb; b++) nd += m->bodies[b].nv * m->bodies[b].nv;
  return nd;
}

void hki_aba_layout(hk_aba *f, const hk_model *m, hk_arena *a) {
  f->m = m;
  f->IA = HK_TAKE(a, double, 36 * m->nb);
  f->U = HK_TAKE(a, double, 6 * m->nv);
  f->Dinv = HK_TAKE(a, double, hki_aba_blocks(m));
  f->d0 = HK_TAKE(a, int32_t, m->nb);
  f->p = HK_TAKE(a, double, 6 * m->nb);
  f->a = HK_TAKE(a, double, 6 * m->nb);
  f->u = HK_TAKE(a, double, m->nv);
}

void hki_aba_init(hk_aba *f) {
  double mass = 0.0;
  int32_t nd = 0;
  for (int32_t b = 0; b < f->m->nb; b++) {
    f->d0[b] = nd;
    nd += f->m->bodies[b].nv * f->m->bodies[b].nv;
    mass = fmax(mass, f->m->bodies[b].mass);
  }
  f->floor = 1e-6 * (mass > 0.0 ? mass : 1.0);
}

/* the 6x6 matrix of a rigid inertia: [I, h x; -h x, m] */
static void rigid(double *A, const hk_inertia *I) {
  const double x = I->h[0], y = I->h[1], z = I->h[2], m = I->m;
  s6_set(A, I->I[0], I->I[3], I->I[4], 0, -z, y);
  s6_set(A + 6, I->I[3], I->I[1], I->I[5], z, 0, -x);
  s6_set(A + 12, I->I[4], I->I[5], I->I[2], -y, x, 0);
  s6_set(A + 18, 0, z, -y, m, 0, 0);
  s6_set(A + 24, -z, 0, x, 0, m, 0);
  s6_set(A + 30, y, -x, 0, 0, 0, m);
}

/* y = A x; A is symmetric, so its rows are read as columns */
static void mul6(double *y, const double *A, const double *x) {
  double r[6];
  for (int i = 0; i < 6; i++) r[i] = A[i] * x[0];
  for (int j = 1; j < 6; j++) s6_axpy(r, x[j], A + 6 * j);
  s6_copy(y, r);
}

/* inverse of a small symmetric positive definite matrix, in place, without pivoting */
static void invert(double *D, int32_t n) {
  for (int32_t k = 0; k < n; k++) {
    double p = 1.0 / D[k * n + k];
    D[k * n + k] = 1.0;
    for (int32_t j = 0; j < n; j++) D[k * n + j] *= p;
    for (int32_t i = 0; i < n; i++) {
      if (i == k) continue;
      double f = D[i * n + k];
      D[i * n + k] = 0.0;
      for (int32_t j = 0; j < n; j++) D[i * n + j] -= f * D[k * n + j];
    }
  }
}

/* U and D^-1 of one joint; directions without inertia get `floor` */
static void joint_factor(hk_aba *f, const hk_tree *s, const double *E, int32_t b) {
  const hk_model_body *mb = &f->m->bodies[b];
  const int32_t n = mb->nv;
  double *D = f->Dinv + f->d0[b];
  for (int32_t j = 0; j < n; j++)
    mul6(f->U + 6 * (mb->v0 + j), f->IA + 36 * b, s->kin.S + 6 * (mb->v0 + j));
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < n; j++)
      D[i * n + j] = s6_dot(s->kin.S + 6 * (mb->v0 + i), f->U + 6 * (mb->v0 + j));
  for (int32_t i = 0; E && i < n * n; i++) D[i] += E[f->d0[b] + i];
  for (int32_t i = 0; i < n; i++) {
    // kg for translations, kg m^2 for rotations
    double L = f->m->length, little = f->floor * (s->rotates[mb->v0 + i] ? L * L : 1.0);
    if (D[i * n + i] > 1e-4 * little) continue;
    D[i * n + i] += little;
    f->nsoft++;
    f->soft = mb->v0 + i;
  }
  if (n == 1)
    D[0] = 1.0 / D[0];
  else
    invert(D, n);
}

/* IA_parent += IA - U D^-1 U' */
static void hand_over(hk_aba *f, int32_t b) {
  const hk_model_body *mb = &f->m->bodies[b];
  const int32_t n = mb->nv;
  const double *D = f->Dinv + f->d0[b], *IA = f->IA + 36 * b;
  double *P = f->IA + 36 * mb->parent, UD[36];
  if (n == 1) {
    // whole rows, both triangles: later loads of rows as vectors would wait for single stores
    const double *U = f->U + 6 * mb->v0;
    for (int r = 0; r < 6; r++) {
      const double d = D[0] * U[r];
      for (int c = 0; c < 6; c++) P[6 * r + c] += IA[6 * r + c] - d * U[c];
    }
    return;
  }
  for (int32_t j = 0; j < n; j++) {
    s6_zero(UD + 6 * j);
    for (int32_t i = 0; i < n; i++) s6_axpy(UD + 6 * j, D[i * n + j], f->U + 6 * (mb->v0 + i));
  }
  for (int r = 0; r < 6; r++)
    for (int c = 0; c <= r; c++) {
      double e = IA[6 * r + c];
      for (int32_t j = 0; j < n; j++) e -= UD[6 * j + r] * f->U[6 * (mb->v0 + j) + c];
      P[6 * r + c] += e;
      if (c < r) P[6 * c + r] += e;
    }
}

void hki_aba_factor(hk_aba *f, const hk_tree *s, const double *E) {
  const hk_model *m = f->m;
  HK_KNOWN(&s->kin, HK_KIN_POSITIONS);
  f->nsoft = 0;
  f->soft = -1;
  for (int32_t b = 0; b < m->nb; b++) rigid(f->IA + 36 * b, &s->kin.I[b]);
  for (int32_t b = m->nb - 1; b >= 0; b--) {
    joint_factor(f, s, E, b);
    if (m->bodies[b].parent != HK_GROUND) hand_over(f, b);
  }
}

/* b = 0 behind body `last` */
HKI_INLINE void solve(hk_aba *f, const hk_kin *k, int32_t last, const double *b, double *x) {
  static const double zero6[6] = {0};
  const hk_model *m = f->m;
  memset(f->p, 0, (size_t)(6 * m->nb) * sizeof *f->p);
  // leaf to root
  for (int32_t i = last; i >= 0; i--) {
    const hk_model_body *mb = &m->bodies[i];
    const int32_t n = mb->nv, v0 = mb->v0;
    const double *D = f->Dinv + f->d0[i];
    double *p = f->p + 6 * i, *up = mb->parent == HK_GROUND ? NULL : f->p + 6 * mb->parent;
    if (n == 1) {
      const double u = b[v0] - s6_dot(k->S + 6 * v0, p), d = D[0] * u, *U = f->U + 6 * v0;
      f->u[v0] = u;
      for (int r = 0; up && r < 6; r++) up[r] = up[r] + p[r] + d * U[r];
      continue;
    }
    for (int32_t j = 0; j < n; j++) f->u[v0 + j] = b[v0 + j] - s6_dot(k->S + 6 * (v0 + j), p);
    if (!up) continue;
    s6_axpy(up, 1.0, p);
    for (int32_t r = 0; r < n; r++) {
      double d = 0.0;
      for (int32_t j = 0; j < n; j++) d += D[r * n + j] * f->u[v0 + j];
      s6_axpy(up, d, f->U + 6 * (v0 + r));
    }
  }
  // root to leaf
  for (int32_t i = 0; i < m->nb; i++) {
    const hk_model_body *mb = &m->bodies[i];
    const int32_t n = mb->nv, v0 = mb->v0;
    const double *D = f->Dinv + f->d0[i],
                 *ap = mb->parent == HK_GROUND ? zero6 : f->a + 6 * mb->parent;
    double *a = f->a + 6 * i;
    if (n == 1) {
      const double d = D[0] * (f->u[v0] - s6_dot(f->U + 6 * v0, ap)), *S = k->S + 6 * v0;
      x[v0] = d;
      for (int r = 0; r < 6; r++) a[r] = ap[r] + d * S[r];
      continue;
    }
    s6_copy(a, ap);
    for (int32_t j = 0; j < n; j++) f->u[v0 + j] -= s6_dot(f->U + 6 * (v0 + j), ap);
    for (int32_t r = 0; r < n; r++) {
      double d = 0.0;
      for (int32_t j = 0; j < n; j++) d += D[r * n + j] * f->u[v0 + j];
      x[v0 + r] = d;
      s6_axpy(a, d, k->S + 6 * (v0 + r));
    }
  }
}

void hki_aba_solve(hk_aba *f, const hk_kin *k, const double *b, double *x) {
  solve(f, k, f->m->nb - 1, b, x);
}

void hki_aba_solve_few(hk_aba *f, const hk_kin *k, const double *b, double *x) {
  const hk_model *m = f->m;
  int32_t last = m->nb - 1, j = m->nv;
  while (j > 0 && b[j - 1] == 0.0) j--;
  while (last > 0 && m->bodies[last].v0 >= j) last--;
  const int32_t end = m->bodies[last].v0 + m->bodies[last].nv;
  memset(f->u + end, 0, (size_t)(m->nv - end) * sizeof *f->u);
  solve(f, k, last, b, x);
}

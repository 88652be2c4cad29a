/* SPDX-License-Identifier: Apache-2.0
 *
 * aba.c: articulated-body factorisation and solve. Equations at the head of aba.h.
 */
#include "machines/tree/aba_impl.h"

int32_t hki_aba_blocks(const hk_model *m) {
  int32_t nd = 0;
  for (int32_t b = 0; b < m->nb; b++) nd += m->bodies[b].nv * m->bodies[b].nv;
  return nd;
}

/* children that are not the next body: as many sums suffice */
static int32_t sums(const hk_model *m) {
  int32_t n = 0;
  for (int32_t b = 0; b < m->nb; b++)
    n += m->bodies[b].parent != HK_GROUND && m->bodies[b].parent != b - 1;
  return n;
}

void hki_aba_layout(hk_aba *f, const hk_model *m, hk_arena *a) {
  f->m = m;
  f->link = HK_TAKE(a, hk_aba_link, m->nb);
  f->sum = HK_TAKE(a, double, 42 * sums(m));
  f->little = HK_TAKE(a, double, m->nv);
  f->U = HK_TAKE(a, double, 6 * m->nv);
  f->Dinv = HK_TAKE(a, double, hki_aba_blocks(m));
  f->d0 = HK_TAKE(a, int32_t, m->nb);
  f->p = HK_TAKE(a, double, 6 * m->nb);
  f->a = HK_TAKE(a, double, 6 * m->nb);
  f->u = HK_TAKE(a, double, m->nv);
}

static void init_links(hk_aba *f) {
  const hk_model *m = f->m;
  int32_t nsum = 0;
  for (int32_t b = 0; b < m->nb; b++) {
    const hk_model_body *mb = &m->bodies[b];
    f->link[b] = (hk_aba_link){.parent = mb->parent,
                               .v0 = mb->v0,
                               .d0 = f->d0[b],
                               .sum = -1,
                               .to = -1,
                               .n = (int8_t)mb->nv,
                               .leaf = mb->last == b};
    if (mb->parent == HK_GROUND || mb->parent == b - 1) continue;
    hk_aba_link *up = &f->link[mb->parent];
    if (up->sum < 0) up->sum = nsum++;
    f->link[b].to = up->sum;
    f->link[b].first = mb->last == m->bodies[mb->parent].last;
  }
}

void hki_aba_init(hk_aba *f, const hk_tree *s) {
  double mass = 0.0;
  int32_t nd = 0;
  for (int32_t b = 0; b < f->m->nb; b++) {
    f->d0[b] = nd;
    nd += f->m->bodies[b].nv * f->m->bodies[b].nv;
    mass = fmax(mass, f->m->bodies[b].mass);
  }
  f->floor = 1e-6 * (mass > 0.0 ? mass : 1.0);
  // kg for translations, kg m^2 for rotations
  const double L = f->m->length;
  for (int32_t i = 0; i < f->m->nv; i++) f->little[i] = f->floor * (s->rotates[i] ? L * L : 1.0);
  f->passes = hki_aba_passes();
  init_links(f);
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

/* U and D^-1 of one joint; directions without inertia get `little` */
static void joint_factor(hk_aba *f, const hk_kin *k, const hk_aba_link *l, const double *E,
                         const double *IA) {
  const int32_t n = l->n;
  const double *S = k->S + 6 * l->v0;
  double *D = f->Dinv + l->d0, *U = f->U + 6 * l->v0;
  for (int32_t j = 0; j < n; j++) mul6(U + 6 * j, IA, S + 6 * j);
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < n; j++) D[i * n + j] = s6_dot(S + 6 * i, U + 6 * j);
  for (int32_t i = 0; E && i < n * n; i++) D[i] += E[l->d0 + i];
  for (int32_t i = 0; i < n; i++) {
    if (D[i * n + i] > 1e-4 * f->little[l->v0 + i]) continue;
    D[i * n + i] += f->little[l->v0 + i];
    f->nsoft++;
    f->soft = l->v0 + i;
  }
  invert(D, n);
}

/* d = D^-1 u of a joint */
static void joint_solve(const hk_aba *f, const hk_aba_link *l, double *d) {
  const double *D = f->Dinv + l->d0, *u = f->u + l->v0;
  for (int32_t r = 0; r < l->n; r++) {
    d[r] = 0.0;
    for (int32_t j = 0; j < l->n; j++) d[r] += D[r * l->n + j] * u[j];
  }
}

void hki_aba_joint(hk_aba *f, const hk_kin *k, const hk_aba_link *l, const double *E,
                   const double *rhs, double *IA, double *P) {
  const int32_t n = l->n;
  const double *D = f->Dinv + l->d0, *U = f->U + 6 * l->v0, *S = k->S + 6 * l->v0;
  double UD[36], d[6];
  joint_factor(f, k, l, E, IA);
  for (int32_t j = 0; rhs && j < n; j++) f->u[l->v0 + j] = rhs[l->v0 + j] - s6_dot(S + 6 * j, P);
  if (l->parent == HK_GROUND) return;
  for (int32_t j = 0; j < n; j++) {
    s6_zero(UD + 6 * j);
    for (int32_t i = 0; i < n; i++) s6_axpy(UD + 6 * j, D[i * n + j], U + 6 * i);
  }
  for (int r = 0; r < 6; r++)
    for (int c = 0; c <= r; c++) {
      double e = IA[6 * r + c];
      for (int32_t j = 0; j < n; j++) e -= UD[6 * j + r] * U[6 * j + c];
      IA[6 * r + c] = IA[6 * c + r] = e;
    }
  if (!rhs) return;
  joint_solve(f, l, d);
  for (int32_t j = 0; j < n; j++) s6_axpy(P, d[j], U + 6 * j);
}

void hki_aba_joint_out(hk_aba *f, const hk_kin *k, const hk_aba_link *l, double *a, double *x) {
  double d[6];
  for (int32_t j = 0; j < l->n; j++) f->u[l->v0 + j] -= s6_dot(f->U + 6 * (l->v0 + j), a);
  joint_solve(f, l, d);
  for (int32_t j = 0; j < l->n; j++) {
    x[l->v0 + j] = d[j];
    s6_axpy(a, d[j], k->S + 6 * (l->v0 + j));
  }
}

void hki_aba_factor(hk_aba *f, const hk_tree *s, const double *E) {
  HK_KNOWN(&s->kin, HK_KIN_POSITIONS);
  f->nsoft = 0;
  f->soft = -1;
  f->passes->factor(f, &s->kin, E);
}

void hki_aba_accel(hk_aba *f, const hk_tree *s, const double *E, const double *rhs, double *x) {
  HK_KNOWN(&s->kin, HK_KIN_POSITIONS | HK_KIN_VELOCITIES | HK_KIN_FORCES);
  f->nsoft = 0;
  f->soft = -1;
  f->passes->accel(f, &s->kin, E, rhs, x);
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

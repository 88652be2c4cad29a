/* SPDX-License-Identifier: Apache-2.0
 *
 * slopes.c: exact derivatives of the inertial forces of a tree and of gravity by coordinates and
 * velocities.
 *
 *   f_b    = I (A - g) + V x* (I V)              one body; f, I, B of a subtree: sums
 *   Bm     = V x* (I m) - I (V x m) + m x* (I V)
 *   S1_j   = V_p x S_j                           p: what coordinate j moves relative to
 *   S2_j   = (A_p - g) x S_j + V_p x S1_j
 *   S3_j   = S1_j + V_j x S_j
 *
 * With the coordinate j nearer to the leaf than i, all sums over the subtree of j:
 *
 *   dr_i/dq_j = S_i . (B S1_j + I S2_j + S_j x* f)        dr_i/dv_j = S_i . (B S_j + I S3_j)
 *   dr_j/dq_i = S_j . (B S1_i + I S2_i)                   dr_j/dv_i = S_j . (B S_i + I S3_i)
 *
 * A joint with several coordinates is a chain of joints without mass between them; the three
 * increments of a quaternion are one link of it, with axes that turn with the body.
 *
 * Source: Singh, Russell and Wensing, Efficient Analytical Derivatives of Rigid-Body Dynamics using
 * Spatial Vector Algebra, 2022; B here is twice theirs.
 */
#include "machines/tree/tree.h"

static void layout(hk_tree *s, hk_arena *a) {
  const hk_model *m = s->m;
  s->slope.S1 = HK_TAKE(a, double, 6 * m->nv);
  s->slope.S2 = HK_TAKE(a, double, 6 * m->nv);
  s->slope.S3 = HK_TAKE(a, double, 6 * m->nv);
  s->slope.B = HK_TAKE(a, double, 36 * m->nb);
  s->slope.f = HK_TAKE(a, double, 6 * m->nb);
}

double hki_tree_exact_bytes(const hk_model *m) {
  hk_tree s = {.m = m};
  hk_arena a = {0};
  layout(&s, &a);
  return (double)a.used;
}

hk_status hki_tree_allow_exact(hk_tree *s) {
  if (s->slope.block) return HK_OK;
  hk_arena a = {0};
  layout(s, &a);
  if (!(s->slope.block = hki_alloc(s->ctx, a.used + 64))) return HK_E_MEMORY;
  a = (hk_arena){s->slope.block + (64 - (uintptr_t)s->slope.block % 64) % 64, 0, a.used};
  layout(s, &a);
  return HK_OK;
}

/* B of one body, row-major */
static void body_B(const hk_inertia *I, const double *V, double *B) {
  double p[6], e[6] = {0}, y[6], x[6], z[6];
  inertia_mul(p, I, V);
  for (int c = 0; c < 6; c++) {
    e[c] = 1.0;
    inertia_mul(y, I, e);
    s6_cross_force(x, V, y);
    s6_cross(y, V, e);
    inertia_mul(z, I, y);
    s6_cross_force(y, e, p);
    for (int r = 0; r < 6; r++) B[6 * r + c] = x[r] - z[r] + y[r];
    e[c] = 0.0;
  }
}

/* S1, S2, S3 of the coordinates of one body; Vp, Ap: motion of its parent, A without gravity, on
 * return that of the body */
static void joint_slopes(hk_tree *s, const hk_model_body *mb, const double *a, double *Vp,
                         double *Ap) {
  const hk_kin *k = &s->kin;
  for (int32_t j = mb->v0, n; j < mb->v0 + mb->nv; j += n) {
    double VJ[6] = {0}, AJ[6] = {0}, V[6];
    n = s->quat[j] ? 3 : 1;
    for (int32_t i = j; i < j + n; i++) {
      const double *S = k->S + 6 * i;
      double *S1 = s->slope.S1 + 6 * i, *S2 = s->slope.S2 + 6 * i, x[6];
      s6_cross(S1, Vp, S);
      s6_cross(S2, Ap, S);
      s6_cross(x, Vp, S1);
      s6_axpy(S2, 1.0, x);
      s6_axpy(VJ, k->v[i], S);
      s6_axpy(AJ, a[i], S);
      s6_axpy(AJ, k->v[i], S1);
    }
    s6_add(V, Vp, VJ);
    for (int32_t i = j; i < j + n; i++) {
      s6_cross(s->slope.S3 + 6 * i, V, k->S + 6 * i);
      s6_axpy(s->slope.S3 + 6 * i, 1.0, s->slope.S1 + 6 * i);
    }
    s6_copy(Vp, V);
    s6_axpy(Ap, 1.0, AJ);
  }
}

void hki_tree_slopes(hk_tree *s, const double *a) {
  const hk_model *m = s->m;
  const hk_kin *k = &s->kin;
  const double *g = m->spec->gravity;
  HK_ASSERT(s->slope.block);
  HK_KNOWN(k, HK_KIN_POSITIONS | HK_KIN_VELOCITIES);
  hki_kin_accelerations(k, a, NULL, s->A);
  for (int32_t b = 0; b < m->nb; b++) {
    const hk_model_body *mb = &m->bodies[b];
    const double *V = k->V + 6 * b;
    double Vp[6] = {0}, Ap[6] = {0, 0, 0, -g[0], -g[1], -g[2]}, A[6], p[6], x[6];
    double *f = s->slope.f + 6 * b;
    if (mb->parent != HK_GROUND) {
      s6_copy(Vp, k->V + 6 * mb->parent);
      s6_axpy(Ap, 1.0, s->A + 6 * mb->parent);
    }
    joint_slopes(s, mb, a, Vp, Ap);
    s6_copy(A, s->A + 6 * b);
    v3_sub(A + 3, A + 3, g);
    inertia_mul(f, &k->I[b], A);
    inertia_mul(p, &k->I[b], V);
    s6_cross_force(x, V, p);
    s6_axpy(f, 1.0, x);
    body_B(&k->I[b], V, s->slope.B + 36 * b);
  }
}

/* y = B x, or B' x */
static void mul(const double *B, bool transposed, const double *x, double *y) {
  for (int r = 0; r < 6; r++) {
    y[r] = 0.0;
    for (int c = 0; c < 6; c++) y[r] += (transposed ? B[6 * c + r] : B[6 * r + c]) * x[c];
  }
}

/* what the column of coordinate j needs: both orders of the pair (i, j) are two dots with it */
typedef struct column {
  double c[6];         /* dr_i/dj = S_i . c */
  double bS[6], iS[6]; /* dr_j/di = bS . (cK S1_i + cC S_i) + iS . (cK S2_i + cC S3_i) */
} column;

static void fill_column(const hk_tree *s, int32_t b, int32_t j, double cC, double cK, column *c) {
  const double *S = s->kin.S + 6 * j, *B = s->slope.B + 36 * b;
  double m[6] = {0}, n[6] = {0}, y[6];
  s6_axpy(m, cK, s->slope.S1 + 6 * j);
  s6_axpy(m, cC, S);
  s6_axpy(n, cK, s->slope.S2 + 6 * j);
  s6_axpy(n, cC, s->slope.S3 + 6 * j);
  mul(B, false, m, c->c);
  inertia_mul(y, &s->Ic[b], n);
  s6_axpy(c->c, 1.0, y);
  mul(B, true, S, c->bS);
  inertia_mul(c->iS, &s->Ic[b], S);
}

/* symmetric part of the pair (i, j); w: S_j x* f, NULL where the axis of i turns with j */
static double pair_entry(const hk_tree *s, const column *c, int32_t i, double cC, double cK,
                         const double *w) {
  const double *S = s->kin.S + 6 * i;
  double e = s6_dot(S, c->c) + cC * (s6_dot(c->bS, S) + s6_dot(c->iS, s->slope.S3 + 6 * i)) +
             cK * (s6_dot(c->bS, s->slope.S1 + 6 * i) + s6_dot(c->iS, s->slope.S2 + 6 * i));
  if (w) e += cK * s6_dot(S, w);
  return 0.5 * e;
}

void hki_tree_add_inertia(hk_tree *s, double cC, double cK) {
  const hk_model *m = s->m;
  const int32_t *slot = s->slot_mass;
  HK_ASSERT(s->ldl);
  hki_tree_slopes(s, s->a);
  if (m->wide_inert) hki_tree_add_wide_inertia(s, cC, cK);
  memcpy(s->Ic, s->kin.I, (size_t)m->nb * sizeof *s->Ic);
  for (int32_t b = m->nb - 1; b >= 0; b--) {
    const hk_model_body *mb = &m->bodies[b];
    for (int32_t j = mb->v0 + mb->nv - 1; j >= mb->v0; j--) {
      column c;
      double w[6];
      fill_column(s, b, j, cC, cK, &c);
      s6_cross_force(w, s->kin.S + 6 * j, s->slope.f + 6 * b);
      for (int32_t i = j; i >= mb->v0; i--)
        s->num.val[*slot++] +=
            pair_entry(s, &c, i, cC, cK, i == j || (s->quat[i] && s->quat[j]) ? NULL : w);
      for (int32_t p = mb->parent; p != HK_GROUND; p = m->bodies[p].parent)
        for (int32_t i = m->bodies[p].v0 + m->bodies[p].nv - 1; i >= m->bodies[p].v0; i--)
          s->num.val[*slot++] += pair_entry(s, &c, i, cC, cK, w);
    }
    if (mb->parent == HK_GROUND) continue;
    inertia_add(&s->Ic[mb->parent], &s->Ic[b]);
    s6_axpy(s->slope.f + 6 * mb->parent, 1.0, s->slope.f + 6 * b);
    for (int i = 0; i < 36; i++) s->slope.B[36 * mb->parent + i] += s->slope.B[36 * b + i];
  }
}

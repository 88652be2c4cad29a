/* SPDX-License-Identifier: Apache-2.0
 *
 * sweep.c: the exact stage matrix of a tree in O(n); equations in sweep.h.
 */
#include "machines/tree/sweep.h"
#include "kinematics/element.h"

void hki_sweep_layout(hk_sweep *f, const hk_aba *aba, const hk_model *m, hk_arena *a) {
  f->m = m;
  f->aba = aba;
  f->G = HK_TAKE(a, double, 108 * m->nb);
  f->F = HK_TAKE(a, double, 6 * m->nb);
  f->p = HK_TAKE(a, double, 6 * m->nb);
  f->y = HK_TAKE(a, double, 18 * m->nb);
  f->cols = HK_TAKE(a, double, 18 * m->nv);
  f->N = HK_TAKE(a, double, 6 * m->nv);
  f->L = HK_TAKE(a, double, 18 * m->nv);
  f->Dinv = HK_TAKE(a, double, hki_aba_blocks(m));
  f->u = HK_TAKE(a, double, m->nv);
}

/* G[:, at .. at+5] += c (xi x* w) as a matrix on xi */
static void add_cross(double *G, double c, const double *w) {
  for (int i = 0; i < 6; i++) {
    double e[6] = {0}, x[6];
    e[i] = 1.0;
    s6_cross_force(x, e, w);
    for (int r = 0; r < 6; r++) G[18 * r + i] += c * x[r];
  }
}

/* --- loads ------------------------------------------------------------------------------------ */

/* a wrench w at marker frame F on body b that keeps its direction in the world: adds its change with
 * the marker's way to G, and takes it from the body's F where `net` (it is not in there yet) */
static void add_wrench(hk_sweep *f, const hk_tree *s, int32_t b, const hk_frame *F, const double *w,
                       double cK, bool net) {
  double r[3], *G = f->G + 108 * b;
  v3_sub(r, F->p, s->kin.O + 3 * b);
  for (int i = 0; i < 6; i++) {
    double e[6] = {0}, J[6], x[3];
    e[i] = 1.0;
    s6_twist_at(J, e, r);
    v3_cross(x, J + 3, w + 3);
    for (int k = 0; k < 3; k++) G[18 * k + i] -= cK * x[k];
  }
  if (!net) return;
  double W[6];
  s6_wrench_to_origin(W, w, r);
  s6_axpy(f->F + 6 * b, -1.0, W);
}

/* stiffness K and damping C (6 x 6 blocks with stride 12; C may be NULL) of a marker against the
 * ground; the twist of the marker changes by J (eta - cK V x xi) + cK (0, w x dp) */
static void add_stiffness(hk_sweep *f, const hk_tree *s, int32_t b, const hk_frame *F,
                          const double *K, const double *C, double cK) {
  double r[3], *G = f->G + 108 * b;
  v3_sub(r, F->p, s->kin.O + 3 * b);
  for (int i = 0; i < 6; i++) {
    double e[6] = {0}, J[6], z[6], dV[6], x[3], wx[6] = {0}, we[6] = {0}, W[6];
    e[i] = 1.0;
    s6_twist_at(J, e, r);
    s6_cross(z, s->kin.V + 6 * b, e);
    s6_twist_at(dV, z, r);
    v3_cross(x, F->w, J + 3);
    for (int k = 0; k < 6; k++) dV[k] = cK * ((k < 3 ? 0.0 : x[k - 3]) - dV[k]);
    for (int k = 0; k < 6; k++)
      for (int c = 0; c < 6; c++) {
        wx[k] += cK * K[12 * k + c] * J[c] + (C ? C[12 * k + c] * dV[c] : 0.0);
        we[k] += C ? C[12 * k + c] * J[c] : 0.0;
      }
    s6_wrench_to_origin(W, wx, r);
    for (int k = 0; k < 6; k++) G[18 * k + i] += W[k];
    s6_wrench_to_origin(W, we, r);
    for (int k = 0; k < 6; k++) G[18 * k + 6 + i] += W[k];
  }
}

static void add_force(hk_sweep *f, const hk_tree *s, int32_t fi, bool joint, double cK) {
  const hk_model_force *mf = &f->m->forces[fi];
  hk_element_in in;
  hk_element_out out;
  hk_frame F[HK_ELEMENT_MARKERS];
  if (mf->ops->nscal && f->m->scalars[mf->scalar].vi != HK_NONE) return; // constant gradient
  hki_kin_force_in(&s->kin, fi, F, &in);
  hki_kin_element(&s->kin, fi, &in, HK_NEED_FORCE | HK_NEED_EXACT, &out);
  if (mf->ops->nscal) return; // on a cut joint: left out, with its geometric terms
  int32_t moving = 0;
  for (int32_t k = 0; k < mf->ops->nmark; k++) moving += mf->body[k] != HK_GROUND;
  for (int32_t k = 0; k < mf->ops->nmark; k++) {
    if (mf->body[k] == HK_GROUND) continue;
    add_wrench(f, s, mf->body[k], &F[k], out.w + 6 * k, cK, false);
    if (moving == 1 && !joint)
      add_stiffness(f, s, mf->body[k], &F[k], out.K + 78 * k, out.C + 78 * k, cK);
  }
}

/* the constraint wrench -G'lam of a closure, and its curvature where one end is fixed */
static void add_closure(hk_sweep *f, const hk_tree *s, int32_t ci, const double *lam, double cK) {
  const hk_closure *c = &f->m->closures[ci];
  hk_joint_loop L;
  hk_frame F[2];
  double full[6] = {0}, w[12] = {0}, H[144];
  if (c->kind != HK_CLOSURE_JOINT) return; // acts on coordinates, or is left out
  hki_kin_closure_frames(&s->kin, c, F);
  c->ops->loop(c->par, &F[0], &F[1], HK_LOOP_JAC, &L);
  for (int32_t r = 0; r < c->nrows; r++) {
    double l = lam[c->row0 + r];
    full[c->rows[r]] = l;
    s6_axpy(w, -l, L.GA + 6 * c->rows[r]);
    s6_axpy(w + 6, -l, L.GB + 6 * c->rows[r]);
  }
  c->ops->loop_geo(c->par, &F[0], &F[1], full, H);
  for (int k = 0; k < 2; k++) {
    if (c->body[k] == HK_GROUND) continue;
    add_wrench(f, s, c->body[k], &F[k], w + 6 * k, cK, true);
    add_stiffness(f, s, c->body[k], &F[k], H + 78 * k, NULL, cK);
  }
}

/* --- elimination ------------------------------------------------------------------------------ */

/* G and F of single bodies, columns of all coordinates */
static void assemble(hk_sweep *f, hk_tree *s, double cC, double cK, const double *a) {
  const hk_model *m = f->m;
  const hk_tree_slopes *d = &s->slope;
  hki_kin_body_forces(&s->kin, a, s->A, f->F);
  hki_tree_slopes(s, a);
  memset(f->G, 0, (size_t)(108 * m->nb) * sizeof *f->G);
  for (int32_t b = 0; b < m->nb; b++) {
    double *G = f->G + 108 * b;
    add_cross(G, cK, d->f + 6 * b);
    for (int i = 0; i < 6; i++) {
      double e[6] = {0}, x[6];
      e[i] = 1.0;
      inertia_mul(x, &s->kin.I[b], e);
      for (int r = 0; r < 6; r++)
        G[18 * r + 6 + i] = d->B[36 * b + 6 * r + i], G[18 * r + 12 + i] = x[r];
    }
  }
  for (int32_t j = 0; j < m->nv; j++) {
    double *S = f->cols + 18 * j, *E = S + 6, *Z = S + 12;
    s6_copy(S, s->kin.S + 6 * j);
    for (int i = 0; i < 6; i++) {
      E[i] = cK * d->S1[6 * j + i] + cC * S[i];
      Z[i] = S[i] + cC * d->S3[6 * j + i] + cK * d->S2[6 * j + i];
    }
  }
}

/* inverse of a matrix n x n <= 6, row-major, with row exchanges; false: singular */
static bool invert(double *A, int32_t n) {
  double B[36] = {0};
  for (int32_t i = 0; i < n; i++) B[i * n + i] = 1.0;
  for (int32_t k = 0; k < n; k++) {
    int32_t best = k;
    for (int32_t i = k + 1; i < n; i++)
      if (fabs(A[i * n + k]) > fabs(A[best * n + k])) best = i;
    if (!(fabs(A[best * n + k]) > 0.0)) return false;
    for (int32_t j = 0; best != k && j < n; j++) {
      double x = A[k * n + j], y = B[k * n + j];
      A[k * n + j] = A[best * n + j], A[best * n + j] = x;
      B[k * n + j] = B[best * n + j], B[best * n + j] = y;
    }
    const double inv = 1.0 / A[k * n + k];
    for (int32_t j = 0; j < n; j++) A[k * n + j] *= inv, B[k * n + j] *= inv;
    for (int32_t i = 0; i < n; i++) {
      const double x = A[i * n + k];
      for (int32_t j = 0; i != k && j < n; j++) {
        A[i * n + j] -= x * A[k * n + j];
        B[i * n + j] -= x * B[k * n + j];
      }
    }
  }
  memcpy(A, B, (size_t)(n * n) * sizeof *A);
  return true;
}

/* N, L and D^-1 of one joint; false: singular, or a direction without inertia */
static bool joint_factor(hk_sweep *f, const hk_tree *s, double cK, const double *E, int32_t b) {
  const hk_model_body *mb = &f->m->bodies[b];
  const int32_t n = mb->nv, v0 = mb->v0;
  const double *G = f->G + 108 * b, *F = f->F + 6 * b;
  double *D = f->Dinv + f->aba->d0[b];
  for (int32_t j = 0; j < n; j++) {
    const double *c = f->cols + 18 * (v0 + j);
    double *N = f->N + 6 * (v0 + j), *L = f->L + 18 * (v0 + j), x[6];
    for (int r = 0; r < 6; r++) {
      N[r] = 0.0;
      for (int k = 0; k < 18; k++) N[r] += G[18 * r + k] * c[k];
    }
    // S . (xi x* F) = -(xi x S) . F = (S x xi) . F = -xi . (S x* F)
    s6_cross_force(x, c, F);
    for (int k = 0; k < 18; k++) {
      L[k] = k < 6 ? cK * x[k] : 0.0;
      for (int r = 0; r < 6; r++) L[k] += c[r] * G[18 * r + k];
    }
  }
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < n; j++) {
      const double *Si = f->cols + 18 * (v0 + i), *Sj = f->cols + 18 * (v0 + j);
      double x[6];
      D[i * n + j] = s6_dot(Si, f->N + 6 * (v0 + j)) + (E ? E[f->aba->d0[b] + i * n + j] : 0.0);
      if (j > i && !(s->quat[v0 + i] && s->quat[v0 + j])) continue;
      s6_cross_force(x, Sj, F);
      D[i * n + j] -= cK * s6_dot(Si, x);
    }
  for (int32_t i = 0; i < n; i++) {
    const double L = f->m->length, little = f->aba->floor * (s->rotates[v0 + i] ? L * L : 1.0);
    if (!(fabs(D[i * n + i]) > 1e-4 * little)) return false;
  }
  if (n != 1) return invert(D, n);
  D[0] = 1.0 / D[0];
  return true;
}

/* G_parent += G - N D^-1 L, F_parent += F */
static void hand_over(hk_sweep *f, int32_t b) {
  const hk_model_body *mb = &f->m->bodies[b];
  const int32_t n = mb->nv, v0 = mb->v0;
  const double *D = f->Dinv + f->aba->d0[b], *G = f->G + 108 * b;
  double *P = f->G + 108 * mb->parent;
  s6_axpy(f->F + 6 * mb->parent, 1.0, f->F + 6 * b);
  for (int k = 0; k < 108; k++) P[k] += G[k];
  for (int32_t i = 0; i < n; i++) {
    double row[18] = {0};
    for (int32_t j = 0; j < n; j++)
      for (int k = 0; k < 18; k++) row[k] += D[i * n + j] * f->L[18 * (v0 + j) + k];
    for (int r = 0; r < 6; r++)
      for (int k = 0; k < 18; k++) P[18 * r + k] -= f->N[6 * (v0 + i) + r] * row[k];
  }
}

hk_status hki_sweep_factor(hk_sweep *f, hk_tree *s, double cC, double cK, const double *a,
                           const double *lam, const uint8_t *joint, const double *E) {
  const hk_model *m = f->m;
  HK_KNOWN(&s->kin, HK_KIN_POSITIONS | HK_KIN_VELOCITIES | HK_KIN_FORCES);
  assemble(f, s, cC, cK, a);
  for (int32_t i = 0; i < m->nf; i++) add_force(f, s, i, joint && joint[i], cK);
  for (int32_t c = 0; c < m->nc; c++)
    if (s->kin.disc.active[c] != 0.0) add_closure(f, s, c, lam, cK);
  for (int32_t b = m->nb - 1; b >= 0; b--) {
    if (!joint_factor(f, s, cK, E, b)) return HK_E_SINGULAR;
    if (m->bodies[b].parent != HK_GROUND) hand_over(f, b);
  }
  return HK_OK;
}

void hki_sweep_solve(hk_sweep *f, const double *b, double *x) {
  static const double zero18[18] = {0};
  const hk_model *m = f->m;
  memset(f->p, 0, (size_t)(6 * m->nb) * sizeof *f->p);
  // leaf to root: u = D^-1 (b - S' p), p_parent += p + N u
  for (int32_t i = m->nb - 1; i >= 0; i--) {
    const hk_model_body *mb = &m->bodies[i];
    const int32_t n = mb->nv, v0 = mb->v0;
    const double *D = f->Dinv + f->aba->d0[i], *p = f->p + 6 * i;
    double w[6], *up = mb->parent == HK_GROUND ? NULL : f->p + 6 * mb->parent;
    for (int32_t j = 0; j < n; j++) w[j] = b[v0 + j] - s6_dot(f->cols + 18 * (v0 + j), p);
    if (up) s6_axpy(up, 1.0, p);
    for (int32_t r = 0; r < n; r++) {
      double d = 0.0;
      for (int32_t j = 0; j < n; j++) d += D[r * n + j] * w[j];
      f->u[v0 + r] = d;
      if (up) s6_axpy(up, d, f->N + 6 * (v0 + r));
    }
  }
  // root to leaf: x = u - D^-1 L y_parent, y = y_parent + (S, E, Z) x
  for (int32_t i = 0; i < m->nb; i++) {
    const hk_model_body *mb = &m->bodies[i];
    const int32_t n = mb->nv, v0 = mb->v0;
    const double *D = f->Dinv + f->aba->d0[i];
    const double *up = mb->parent == HK_GROUND ? zero18 : f->y + 18 * mb->parent;
    double w[6], *y = f->y + 18 * i;
    for (int32_t j = 0; j < n; j++) {
      w[j] = 0.0;
      for (int k = 0; k < 18; k++) w[j] += f->L[18 * (v0 + j) + k] * up[k];
    }
    memcpy(y, up, 18 * sizeof *y);
    for (int32_t r = 0; r < n; r++) {
      double d = f->u[v0 + r];
      for (int32_t j = 0; j < n; j++) d -= D[r * n + j] * w[j];
      x[v0 + r] = d;
      for (int k = 0; k < 18; k++) y[k] += d * f->cols[18 * (v0 + r) + k];
    }
  }
}

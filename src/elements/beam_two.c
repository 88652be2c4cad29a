/* SPDX-License-Identifier: Apache-2.0
 *
 * beam_two.c: the helicoidal beam element of two nodes. Its six deformations are the logarithm of the
 * motion from node 1 to node 2, split evenly between them, so that a beam of constant curvature and
 * twist, a helix, is exact with any number of elements.
 *
 *   e = ((theta, u) - as drawn)/L,    U = L e'C e/2
 *
 * with theta, u and the wrenches of pair.h.
 *
 * The finite-volume element of two nodes has the strains ((theta, x) - as drawn)/L and, instead of the
 * wrenches of their potential, the balance of both halves with M and N of the middle:
 *
 *   node 1: (Rm (M + x x N/2), Rm N)     node 2: -(Rm (M - x x N/2), Rm N)
 *
 * Sources: Borri and Bottasso, An intrinsic beam model based on a helicoidal approximation, part I,
 * 1994; Simo and Vu-Quoc 1986; Ghiringhelli, Masarati and Mantegazza, A multibody implementation of
 * finite volume C0 beams, 2000. The even split makes the element the same from either end.
 */
#include "elements/beam.h"
#include "elements/pair.h"

enum { N = HK_PAIR_N };

/* K = B'(k B + c P) + geometric, C = B'c B, k = C/L, c = tau k */
static void tangents(const hk_beam_par *b, const hk_pair *p, const double *f, const double *m,
                     const double *F, double *K, double *C) {
  hk_pair_rows r;
  double B[6 * N], P[6 * N] = {0}, xd[3 * N], dm[3 * N], dF[3 * N];
  const bool damped = b->tau > 0.0;
  hki_pair_rows_of(p, &r);
  memcpy(B, r.th, sizeof r.th);
  hki_pair_screw_rows(p, &r, B + 3 * N);
  if (damped) {
    hki_pair_rate_rows(p, &r, P, xd);
    hki_pair_screw_rate_rows(p, &r, P, xd, P + 3 * N);
  }
  memset(K, 0, N * N * sizeof *K);
  if (damped) memset(C, 0, N * N * sizeof *C);
  hki_pair_screw_force_rows(p, &r, f, dm, dF);
  hki_pair_geometric(p, &r, m, F, dm, dF, K);
  for (int a = 0; a < 6; a++) {
    double X[N] = {0}, Y[N] = {0};
    for (int c = 0; c < 6; c++) {
      const double k = b->C[0][6 * a + c] / b->length;
      for (int j = 0; k != 0.0 && j < N; j++) {
        X[j] += k * (B[N * c + j] + b->tau * P[N * c + j]);
        Y[j] += k * b->tau * B[N * c + j];
      }
    }
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) {
        K[N * i + j] += B[N * a + i] * X[j];
        if (damped) C[N * i + j] += B[N * a + i] * Y[j];
      }
  }
}

/* f of deformations s with rates sd; energy, dissipation and outputs */
static void section_forces(const hk_beam_par *b, const double *s, const double *sd, uint32_t need,
                           double *f, hk_wide_out *out) {
  double e[6], ed[6], x[6], c[6];
  for (int i = 0; i < 6; i++) {
    e[i] = (s[i] - b->e0[0][i]) / b->length, ed[i] = sd[i] / b->length;
    x[i] = e[i] + b->tau * ed[i];
  }
  hki_beam_law(b->C[0], x, f);
  hki_beam_law(b->C[0], e, c);
  out->energy = 0.5 * b->length * s6_dot(c, e);
  hki_beam_law(b->C[0], ed, c);
  out->dissipated = b->tau * b->length * s6_dot(c, ed);
  out->supplied = 0.0;
  out->damped = b->tau > 0.0;
  if (need & HK_NEED_OUTPUT) s6_copy(out->y, f), s6_copy(out->y + 6, e);
}

static void eval(const void *par, int32_t nmark, const hk_element_in *in, uint32_t need,
                 hk_wide_out *out) {
  const hk_beam_par *b = par;
  double s[6], sd[6], f[6], m[3], F[3];
  hk_pair p;
  (void)nmark;
  hki_pair(in->m, NULL, &p);
  hki_pair_screw(&p);
  v3_copy(s, p.th), v3_copy(s + 3, p.u);
  v3_copy(sd, p.thd), v3_copy(sd + 3, p.ud);
  section_forces(b, s, sd, need, f, out);
  hki_pair_screw_forces(&p, f, m, F);
  hki_pair_wrench(&p, m, F, out->w);
  if (need & HK_NEED_EXACT) tangents(b, &p, f, m, F, out->K, out->C);
}

static void prepare(void *par, int32_t nmark, const hk_frame *m0) {
  hk_beam_par *b = par;
  hk_pair p;
  (void)nmark;
  hki_pair(m0, NULL, &p);
  hki_pair_screw(&p);
  v3_copy(b->e0[0], p.th);
  v3_copy(b->e0[0] + 3, p.u);
}

/* --- finite volume ---------------------------------------------------------------------------- */

/* K and C of the finite-volume wrenches: rows Rm (dv - [v] dm) with v = M +- x x N/2 and N */
static void volume_tangents(const hk_beam_par *b, const hk_pair *p, const double *f, double *K,
                            double *C) {
  hk_pair_rows r;
  double e[6 * N], ed[6 * N] = {0}, df[6 * N] = {0}, dfd[6 * N] = {0};
  const bool damped = b->tau > 0.0;
  hki_pair_rows_of(p, &r);
  memcpy(e, r.th, sizeof r.th);
  memcpy(e + 3 * N, r.x, sizeof r.x);
  if (damped) hki_pair_rate_rows(p, &r, ed, ed + 3 * N);
  for (int a = 0; a < 6; a++)
    for (int c = 0; c < 6; c++) {
      const double k = b->C[0][6 * a + c] / b->length;
      for (int j = 0; k != 0.0 && j < N; j++) {
        df[N * a + j] += k * (e[N * c + j] + b->tau * ed[N * c + j]);
        dfd[N * a + j] += k * b->tau * e[N * c + j];
      }
    }
  memset(K, 0, N * N * sizeof *K);
  if (damped) memset(C, 0, N * N * sizeof *C);
  for (int sign = -1; sign <= 1; sign += 2) {
    // sign -1: node 1, which gets (M + x x N/2, N); node 2 gets -(M - x x N/2, N)
    const int at = sign < 0 ? 0 : 6;
    double v[3], x[3], dv[3 * N], dc[3 * N];
    v3_cross(x, p->x, f + 3);
    for (int i = 0; i < 3; i++) v[i] = sign * f[i] - 0.5 * x[i];
    for (int i = 0; i < 3 * N; i++) dv[i] = sign * df[i], dc[i] = sign * dfd[i];
    hki_rows_cross(0.5, f + 3, r.x, dv);
    hki_rows_cross(-0.5, p->x, df + 3 * N, dv);
    hki_rows_cross(-0.5, p->x, dfd + 3 * N, dc);
    hki_pair_put(p, &r, v, dv, at, K);
    if (damped) hki_rows_add(1.0, p->Rm, dc, C + N * (ptrdiff_t)at);
    v3_scale(v, sign, f + 3);
    for (int i = 0; i < 3 * N; i++) dv[i] = sign * df[3 * N + i], dc[i] = sign * dfd[3 * N + i];
    hki_pair_put(p, &r, v, dv, at + 3, K);
    if (damped) hki_rows_add(1.0, p->Rm, dc, C + N * (ptrdiff_t)(at + 3));
  }
}

static void volume_eval(const void *par, int32_t nmark, const hk_element_in *in, uint32_t need,
                        hk_wide_out *out) {
  const hk_beam_par *b = par;
  double s[6], sd[6], f[6], x[3], v[3];
  hk_pair p;
  (void)nmark;
  hki_pair(in->m, NULL, &p);
  v3_copy(s, p.th), v3_copy(s + 3, p.x);
  v3_copy(sd, p.thd), v3_copy(sd + 3, p.xd);
  section_forces(b, s, sd, need, f, out);
  v3_cross(x, p.x, f + 3);
  for (int sign = -1; sign <= 1; sign += 2) {
    double *w = out->w + (sign < 0 ? 0 : 6);
    for (int i = 0; i < 3; i++) v[i] = -sign * f[i] + 0.5 * x[i];
    m3_mulv(w, p.Rm, v);
    v3_scale(v, -sign, f + 3);
    m3_mulv(w + 3, p.Rm, v);
  }
  if (need & HK_NEED_EXACT) volume_tangents(b, &p, f, out->K, out->C);
}

static void volume_prepare(void *par, int32_t nmark, const hk_frame *m0) {
  hk_beam_par *b = par;
  hk_pair p;
  (void)nmark;
  hki_pair(m0, NULL, &p);
  v3_copy(b->e0[0], p.th);
  v3_copy(b->e0[0] + 3, p.x);
}

const hk_wide_ops hki_beam_helicoidal = {
    .name = "helicoidal",
    .text = "two nodes, constant strains: exact on a helix, order 2",
    .source = "Borri and Bottasso 1994; Simo and Vu-Quoc 1986",
    .nmark = 2,
    .ny = HK_WIDE_SECTION,
    .par_size = sizeof(hk_beam_par),
    .point = {0.5, 0.5},
    .prepare = prepare,
    .refuses = hki_beam_refuses,
    .eval = eval,
};

const hk_wide_ops hki_beam_volume_two = {
    .name = "finite_volume_two",
    .text = "two nodes, balances over finite volumes; no potential",
    .source = "Ghiringhelli, Masarati and Mantegazza 2000",
    .nmark = 2,
    .ny = HK_WIDE_SECTION,
    .par_size = sizeof(hk_beam_par),
    .point = {0.5, 0.5},
    .prepare = volume_prepare,
    .refuses = hki_beam_refuses,
    .eval = volume_eval,
};

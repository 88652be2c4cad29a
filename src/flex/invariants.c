/* SPDX-License-Identifier: Apache-2.0
 *
 * invariants.c: the constants of flex.h from a mass matrix M and shapes V_j over its unknowns. Let T_a be the
 * translation along axis a, Q_a the rotation about it, and Q_a^j what a deflection by shape j adds to it:
 *
 *   T_a at a node: e_a          Q_a: e_a x f, rotations e_a          Q_a^j: e_a x (translation of V_j)
 *
 *   m  = T_a.M T_a      S0 from T_a.M Q_b = (e_b x S0)_a      S1_aj = T_a.M V_j
 *   I0 = Q_a.M Q_b      I1_j = Q_a.M Q_b^j + Q_a^j.M Q_b      I2_ij = Q_a^i.M Q_b^j
 *   D0_aj = Q_a.M V_j   D1_i,aj = Q_a^i.M V_j                 Mf_ij = V_i.M V_j
 */
#include <math.h>

#include "flex/reduce.h"
#include "geometry/geometry.h"

typedef struct work {
  const hk_fe *fe;
  int32_t n, ne;
  const double *V;
  double *T, *Q, *Qj;    /* 3 x n; 3 x n; 3 ne x n, of shape j at 3 j */
  double *MT, *MQ, *MQj; /* M times them */
  double *MV;            /* ne x n */
} work;

/* translation of shape j at every node, 0 where it has no unknown */
static void node_shape(const hk_fe *fe, const double *v, double *x) {
  memset(x, 0, 3 * (size_t)fe->nnode * sizeof *x);
  for (int32_t d = 0; d < fe->ndof; d++)
    if (fe->comp[d] < 3) x[3 * (ptrdiff_t)fe->node[d] + fe->comp[d]] = v[d];
}

/* rotations about the three axes of points x: their unknowns at three rows of q */
static void rotations(const hk_fe *fe, const double *x, bool turn, double *q) {
  for (int a = 0; a < 3; a++) {
    double e[3] = {0}, r[3];
    e[a] = 1.0;
    for (int32_t d = 0; d < fe->ndof; d++) {
      double *at = &q[(ptrdiff_t)a * fe->ndof + d];
      if (fe->comp[d] >= 3) {
        *at = turn && fe->comp[d] < 6 ? e[fe->comp[d] - 3] : 0.0;
        continue;
      }
      v3_cross(r, e, x + 3 * (ptrdiff_t)fe->node[d]);
      *at = r[fe->comp[d]];
    }
  }
}

static void fill(work *w, double *x) {
  const hk_fe *fe = w->fe;
  const ptrdiff_t n = w->n;
  for (int a = 0; a < 3; a++)
    for (int32_t d = 0; d < w->n; d++) w->T[n * a + d] = fe->comp[d] == a;
  rotations(fe, fe->x, true, w->Q);
  for (int32_t j = 0; j < w->ne; j++) {
    node_shape(fe, w->V + n * j, x);
    rotations(fe, x, false, w->Qj + 3 * n * j);
    hki_sym_mul(&fe->M, w->V + n * j, w->MV + n * j);
  }
  for (int a = 0; a < 3; a++) {
    hki_sym_mul(&fe->M, w->T + n * a, w->MT + n * a);
    hki_sym_mul(&fe->M, w->Q + n * a, w->MQ + n * a);
  }
  for (int32_t j = 0; j < 3 * w->ne; j++) hki_sym_mul(&fe->M, w->Qj + n * j, w->MQj + n * j);
}

/* 3 x 3 block a_i . b_j */
static void block(int32_t n, const double *a, const double *b, double *out) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      out[3 * i + j] = hki_fe_dot(n, a + (ptrdiff_t)n * i, b + (ptrdiff_t)n * j);
}

static void rigid_part(const work *w, hk_flex *out) {
  double X[9];
  block(w->n, w->T, w->MT, X);
  out->mass = (X[0] + X[4] + X[8]) / 3.0;
  block(w->n, w->T, w->MQ, X); // X = -[S0]
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    out->S0[i] = 0.5 * (X[3 * j + k] - X[3 * k + j]);
  }
  block(w->n, w->Q, w->MQ, out->I0);
}

static void modal_part(const work *w, double *S1, double *I1, double *I2, double *D0, double *D1,
                       double *Mf) {
  const ptrdiff_t n = w->n, ne = w->ne;
  for (int32_t j = 0; j < w->ne; j++) {
    const double *v = w->V + n * j, *Qj = w->Qj + 3 * n * j;
    double X[9];
    for (int a = 0; a < 3; a++) {
      S1[3 * j + a] = hki_fe_dot(w->n, w->MT + n * a, v);
      D0[3 * j + a] = hki_fe_dot(w->n, w->MQ + n * a, v);
    }
    block(w->n, w->MQ, Qj, X);
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++) I1[9 * j + 3 * a + b] = X[3 * a + b] + X[3 * b + a];
    for (int32_t i = 0; i < w->ne; i++) {
      Mf[ne * i + j] = hki_fe_dot(w->n, w->MV + n * i, v);
      block(w->n, w->MQj + 3 * n * i, Qj, I2 + 9 * (ne * i + j));
      for (int a = 0; a < 3; a++)
        D1[3 * (ne * i + j) + a] =
            hki_fe_dot(w->n, w->Qj + n * (3 * (ptrdiff_t)i + a), w->MV + n * j);
    }
  }
}

hk_status hki_flex_invariants(hk_ctx *ctx, hk_pool *pool, const hk_fe *fe, int32_t ne,
                              const double *V, hk_flex *out) {
  const size_t n = (size_t)fe->ndof, e = (size_t)ne;
  double *m = hki_alloc(ctx, (n * (12 + 7 * e) + 3 * (size_t)fe->nnode) * sizeof *m);
  double *r = hki_pool_alloc(pool, (15 * e + 13 * e * e) * sizeof *r);
  if (m && r) {
    work w = {fe, fe->ndof, ne, V, m, m + 3 * n, m + 6 * n, NULL, NULL, NULL, NULL};
    w.MT = w.Qj + 3 * n * e, w.MQ = w.MT + 3 * n, w.MQj = w.MQ + 3 * n;
    w.MV = w.MQj + 3 * n * e;
    fill(&w, w.MV + n * e);
    rigid_part(&w, out);
    double *S1 = r, *I1 = S1 + 3 * e, *I2 = I1 + 9 * e, *D0 = I2 + 9 * e * e;
    double *D1 = D0 + 3 * e, *Mf = D1 + 3 * e * e;
    modal_part(&w, S1, I1, I2, D0, D1, Mf);
    out->ne = ne;
    out->S1 = S1, out->I1 = I1, out->I2 = I2, out->D0 = D0, out->D1 = D1, out->Mf = Mf;
  }
  hki_free(ctx, m);
  return m && r ? HK_OK : HK_E_MEMORY;
}

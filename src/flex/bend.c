/* SPDX-License-Identifier: Apache-2.0
 *
 * bend.c: displacements of second order, for geometric stiffening. A body that bends by modes with rotations theta does not
 * stretch: its pieces turn, and a piece d becomes exp(theta) d = d + theta x d + 1/2 theta x (theta x d) + .. The first term is
 * the mode itself; the second adds 1/2 sum e_i e_j H_ij to the places of its nodes (foreshortening), with
 *
 *   H_ij(b) - H_ij(a) = 1/2 ([theta_i][theta_j] + [theta_j][theta_i]) (x_b - x_a)
 *
 * between neighbours a, b: nodes that the stiffness matrix connects. Along a line this is a sum; where it has no exact
 * solution, it is met by least squares, each pair by the size of its stiffness. Rotations of nodes are those of the modes, or,
 * where nodes have none, those that the displacements of their neighbours fit best. Between two nodes with rotations
 * the products are those of Simpson's rule, with the rotation in the middle of a cubic curve.
 *
 * The rigid motion that H_ij leaves open is the one with which neither the centre of mass nor the angular momentum at rest
 * change. What is left is a change of the moments of inertia,
 *
 *   I2_ij += 1/2 (Q_a.M Q_b^H + Q_a^H.M Q_b)               (invariants.c), Q^H: e_a x H_ij
 *
 * whose centrifugal forces stiffen or soften, and motion of the interfaces, by which loads on them do.
 *
 * Source: Wallrapp and Schwertassek, Representation of geometric stiffening in multibody system simulation, 1991.
 */
#include <math.h>

#include "flex/reduce.h"
#include "geometry/geometry.h"
#include "linalg/sparse_ldl.h"

/* pairs of modes times nodes for which this is quick */
static const double most = 2e7;

typedef struct bend {
  hk_ctx *ctx;
  const hk_fe *fe;
  int32_t ne;
  hk_sym graph;   /* nnode: sizes of the stiffness between nodes; the diagonal is not used */
  double *u, *th; /* ne x nnode x 3: translations and rotations of the modes */
  bool *turns;    /* nnode: it has rotations of its own */
  hk_ldl *ldl;
  hk_ldl_num num;
  void *memory;
  double *MT, *MQ; /* 3 x ndof: M times translations and rotations */
} bend;

static hk_status make_graph(bend *b, hk_pool *pool) {
  const hk_sym *K = &b->fe->K;
  hk_entries t = {.ctx = b->ctx};
  for (int32_t j = 0; j < K->n; j++)
    for (int32_t k = K->start[j]; k < K->start[j + 1]; k++) {
      const int32_t x = b->fe->node[j], y = b->fe->node[K->row[k]];
      if (x != y && b->fe->comp[j] < 3 && b->fe->comp[K->row[k]] < 3 && K->val[k] != 0.0)
        hki_entries_add(&t, x, y, fabs(K->val[k]));
    }
  for (int32_t a = 0; a < b->fe->nnode; a++) hki_entries_add(&t, a, a, 0.0);
  const hk_status st = hki_sym_build(pool, &t, b->fe->nnode, &b->graph);
  hki_entries_free(&t);
  return st;
}

/* The Laplacian of the graph. Every node is held a little, so that loose ones do no harm: H_ij does not change by that
 * more than round-off. */
static hk_status factorise(bend *b) {
  const hk_sym *G = &b->graph;
  double top = 0.0;
  hk_pattern p;
  hki_pattern_init(&p, b->ctx, G->n);
  for (int32_t j = 0; j < G->n; j++)
    for (int32_t k = G->start[j]; k < G->start[j + 1]; k++) hki_pattern_entry(&p, G->row[k], j);
  hk_status st = p.status;
  if (st == HK_OK) st = hki_ldl_create(b->ctx, &p, NULL, &b->ldl);
  hki_pattern_free(&p);
  if (st != HK_OK) return st;
  hk_arena a = {0};
  hki_ldl_layout(b->ldl, &a, &b->num);
  b->memory = hki_alloc(b->ctx, a.used);
  if (!b->memory) return HK_E_MEMORY;
  a = (hk_arena){.base = b->memory, .cap = a.used};
  hki_ldl_layout(b->ldl, &a, &b->num);
  hki_ldl_zero(b->ldl, &b->num);
  for (int32_t j = 0; j < G->n; j++)
    for (int32_t k = G->start[j]; k < G->start[j + 1]; k++) {
      const double w = G->val[k];
      top = fmax(top, w);
      if (G->row[k] == j) continue;
      hki_ldl_add(b->ldl, b->num.val, G->row[k], j, -w);
      hki_ldl_add(b->ldl, b->num.val, j, j, w);
      hki_ldl_add(b->ldl, b->num.val, G->row[k], G->row[k], w);
    }
  hki_ldl_add(b->ldl, b->num.val, 0, 0, top);
  for (int32_t j = 0; j < G->n; j++) hki_ldl_add(b->ldl, b->num.val, j, j, 1e-13 * top);
  return hki_ldl_factor(b->ldl, &b->num, b->num.val);
}

/* rotation that the displacements of the neighbours of each node fit best */
static void fit_rotations(bend *b, double *work) {
  const hk_fe *fe = b->fe;
  const hk_sym *G = &b->graph;
  const ptrdiff_t nn = fe->nnode;
  for (int32_t m = 0; m < b->ne; m++) {
    const double *u = b->u + 3 * nn * m;
    double *th = b->th + 3 * nn * m;
    memset(work, 0, 12 * (size_t)nn * sizeof *work); // normal equations of each node: 9, 3
    for (int32_t j = 0; j < G->n; j++)
      for (int32_t k = G->start[j]; k < G->start[j + 1]; k++) {
        const int32_t i = G->row[k];
        double d[3], du[3], x[3];
        if (i == j) continue;
        v3_sub(d, fe->x + 3 * (ptrdiff_t)i, fe->x + 3 * (ptrdiff_t)j);
        v3_sub(du, u + 3 * (ptrdiff_t)i, u + 3 * (ptrdiff_t)j);
        v3_cross(x, d, du);
        for (int s = 0; s < 2; s++) {
          double *N = work + 12 * (ptrdiff_t)(s ? i : j);
          for (int a = 0; a < 9; a++)
            N[a] += G->val[k] * ((a % 4 == 0 ? v3_dot(d, d) : 0.0) - d[a / 3] * d[a % 3]);
          v3_axpy(N + 9, G->val[k], x);
        }
      }
    for (int32_t a = 0; a < fe->nnode; a++) {
      double *N = work + 12 * (ptrdiff_t)a, R[9], y[3], z[3];
      if (b->turns[a]) continue;
      m3_eigen_symmetric(N, R);
      m3_tmulv(y, R, N + 9);
      const double big = fmax(N[0], fmax(N[4], N[8]));
      for (int c = 0; c < 3; c++) z[c] = N[4 * c] > 1e-9 * big ? y[c] / N[4 * c] : 0.0;
      m3_mulv(th + 3 * (ptrdiff_t)a, R, z);
    }
  }
}

static void take_motion(bend *b, const double *V) {
  const hk_fe *fe = b->fe;
  const ptrdiff_t nn = fe->nnode;
  for (int32_t d = 0; d < fe->ndof; d++) {
    if (fe->comp[d] >= 6) continue;
    if (fe->comp[d] >= 3) b->turns[fe->node[d]] = true;
    for (ptrdiff_t m = 0; m < b->ne; m++)
      (fe->comp[d] < 3 ? b->u : b->th)[3 * (nn * m + fe->node[d]) + fe->comp[d] % 3] =
          V[m * fe->ndof + d];
  }
}

/* out += s ([x][y] + [y][x]) d / 2 */
static void add_product(double *out, double s, const double *x, const double *y, const double *d) {
  const double xd = v3_dot(x, d), yd = v3_dot(y, d), xy = v3_dot(x, y);
  for (int i = 0; i < 3; i++) out[i] += s * (0.5 * (y[i] * xd + x[i] * yd) - xy * d[i]);
}

/* rotation of mode m in the middle between nodes i and j, d apart */
static void middle(const bend *b, int32_t m, int32_t i, int32_t j, const double *d, double *out) {
  const ptrdiff_t at = 3 * (ptrdiff_t)b->fe->nnode * m;
  const double *ti = b->th + at + 3 * (ptrdiff_t)i, *tj = b->th + at + 3 * (ptrdiff_t)j;
  for (int c = 0; c < 3; c++) out[c] = 0.5 * (ti[c] + tj[c]);
  if (!b->turns[i] || !b->turns[j]) return;
  // across the line: 3/2 of the chord's rotation, less half of the mean
  double du[3], x[3];
  v3_sub(du, b->u + at + 3 * (ptrdiff_t)j, b->u + at + 3 * (ptrdiff_t)i);
  v3_cross(x, d, du);
  const double dd = v3_dot(d, d), along = v3_dot(out, d) / dd;
  for (int c = 0; c < 3; c++)
    out[c] = along * d[c] + 1.5 * x[c] / dd - 0.5 * (out[c] - along * d[c]);
}

/* H of the pair (m, n): nnode x 3; x: nnode, scratch */
static void solve_pair(bend *b, int32_t m, int32_t n, double *H, double *x) {
  const hk_sym *G = &b->graph;
  const ptrdiff_t nn = b->fe->nnode;
  const double *tm = b->th + 3 * nn * m, *tn = b->th + 3 * nn * n;
  memset(H, 0, 3 * (size_t)nn * sizeof *H);
  for (int32_t j = 0; j < G->n; j++)
    for (int32_t k = G->start[j]; k < G->start[j + 1]; k++) {
      const int32_t i = G->row[k];
      double d[3], g[3] = {0}, p[3], q[3];
      if (i == j) continue;
      v3_sub(d, b->fe->x + 3 * (ptrdiff_t)i, b->fe->x + 3 * (ptrdiff_t)j);
      middle(b, m, j, i, d, p);
      middle(b, n, j, i, d, q);
      add_product(g, 1.0 / 6.0, tm + 3 * (ptrdiff_t)i, tn + 3 * (ptrdiff_t)i, d);
      add_product(g, 1.0 / 6.0, tm + 3 * (ptrdiff_t)j, tn + 3 * (ptrdiff_t)j, d);
      add_product(g, 4.0 / 6.0, p, q, d);
      v3_axpy(H + 3 * (ptrdiff_t)i, G->val[k], g);
      v3_axpy(H + 3 * (ptrdiff_t)j, -G->val[k], g);
    }
  for (int c = 0; c < 3; c++) {
    for (ptrdiff_t a = 0; a < nn; a++) x[a] = H[3 * a + c];
    hki_ldl_solve(b->ldl, &b->num, x);
    for (ptrdiff_t a = 0; a < nn; a++) H[3 * a + c] = x[a];
  }
}

/* y_a = X_a . H over the translations, X: 3 x ndof */
static void moments(const bend *b, const double *X, const double *H, double *y) {
  v3_zero(y);
  for (int32_t d = 0; d < b->fe->ndof; d++)
    for (int a = 0; a < 3 && b->fe->comp[d] < 3; a++)
      y[a] += X[(ptrdiff_t)a * b->fe->ndof + d] * H[3 * (ptrdiff_t)b->fe->node[d] + b->fe->comp[d]];
}

/* the rigid motion t + r x f that has the momenta of H is taken off it */
static void take_rigid(const bend *b, const hk_flex *f, double *H, double *r) {
  double p[3], L[3], c[3], C[9], S[9], I[9], R[9], y[3], z[3], t[3];
  moments(b, b->MT, H, p);
  moments(b, b->MQ, H, L);
  v3_scale(c, 1.0 / f->mass, f->S0);
  m3_skew(C, c);
  m3_mul(S, C, C);
  for (int i = 0; i < 9; i++) I[i] = f->I0[i] + f->mass * S[i];
  v3_cross(t, c, p);
  v3_sub(L, L, t);
  m3_eigen_symmetric(I, R);
  m3_tmulv(y, R, L);
  const double big = fmax(I[0], fmax(I[4], I[8]));
  for (int k = 0; k < 3; k++) z[k] = I[4 * k] > 1e-12 * big ? y[k] / I[4 * k] : 0.0;
  m3_mulv(r, R, z);
  v3_scale(t, 1.0 / f->mass, p);
  v3_cross(y, r, c);
  v3_sub(t, t, y);
  for (ptrdiff_t a = 0; a < b->fe->nnode; a++) {
    v3_cross(y, r, b->fe->x + 3 * a);
    v3_sub(H + 3 * a, H + 3 * a, t);
    v3_sub(H + 3 * a, H + 3 * a, y);
  }
}

/* X = 1/2 (Q.M Q^H + its transpose) */
static void inertia_change(const bend *b, const double *H, double *X) {
  double B[9] = {0};
  for (int32_t d = 0; d < b->fe->ndof; d++) {
    const double *h = H + 3 * (ptrdiff_t)b->fe->node[d];
    for (int a = 0; a < 3 && b->fe->comp[d] < 3; a++)
      for (int c = 0; c < 3; c++) {
        double e[3] = {0}, x[3];
        e[c] = 1.0;
        v3_cross(x, e, h);
        B[3 * a + c] += b->MQ[(ptrdiff_t)a * b->fe->ndof + d] * x[b->fe->comp[d]];
      }
  }
  for (int i = 0; i < 9; i++) X[i] = 0.5 * (B[i] + B[3 * (i % 3) + i / 3]);
}

/* H at an interface: the mean over its nodes, brought to its place as those of a rigid piece */
static void at_face(const bend *b, const hk_flex_face *f, const hk_fe_set *set, int32_t m,
                    int32_t n, const double *H, double *out) {
  v3_zero(out);
  for (int32_t i = 0; i < set->n; i++) {
    double d[3];
    v3_sub(d, f->p, b->fe->x + 3 * (ptrdiff_t)set->node[i]);
    v3_axpy(out, 1.0 / set->n, H + 3 * (ptrdiff_t)set->node[i]);
    add_product(out, 1.0 / set->n, f->Psi + 3 * (ptrdiff_t)m, f->Psi + 3 * (ptrdiff_t)n, d);
  }
}

static void all_pairs(bend *b, const hk_reduce_plan *opt, double *H, double *x, hk_flex *out,
                      double *I2, double *face, double *turn) {
  const ptrdiff_t ne = b->ne;
  for (int32_t m = 0; m < b->ne; m++)
    for (int32_t n = 0; n <= m; n++) {
      double X[9], r[3], h[3];
      solve_pair(b, m, n, H, x);
      take_rigid(b, out, H, r);
      inertia_change(b, H, X);
      for (int s = 0; s < 2; s++) {
        const ptrdiff_t at = s ? n * ne + m : m * ne + n;
        memcpy(I2 + 9 * at, X, sizeof X);
        for (int32_t i = 0; i < out->nface; i++) {
          at_face(b, &out->face[i], opt->face[i].set, m, n, H, h);
          v3_copy(face + 3 * (ne * ne * i + at), h);
          v3_scale(turn + 3 * (ne * ne * i + at), -1.0, r);
        }
      }
    }
}

/* M times translations and rotations */
static void rigid_products(bend *b, double *x) {
  const hk_fe *fe = b->fe;
  for (int a = 0; a < 3; a++) {
    double e[3] = {0}, y[3];
    e[a] = 1.0;
    for (int32_t d = 0; d < fe->ndof; d++) x[d] = fe->comp[d] == a;
    hki_sym_mul(&fe->M, x, b->MT + (ptrdiff_t)a * fe->ndof);
    for (int32_t d = 0; d < fe->ndof; d++) {
      v3_cross(y, e, fe->x + 3 * (ptrdiff_t)fe->node[d]);
      x[d] = fe->comp[d] < 3 ? y[fe->comp[d]] : fe->comp[d] == 3 + a;
    }
    hki_sym_mul(&fe->M, x, b->MQ + (ptrdiff_t)a * fe->ndof);
  }
}

hk_status hki_flex_bend(hk_ctx *ctx, hk_pool *pool, const hk_fe *fe, const hk_reduce_plan *opt,
                        const double *V, hk_flex *out) {
  const size_t ne = (size_t)out->ne, nn = (size_t)fe->nnode, n = (size_t)fe->ndof;
  bend b = {.ctx = ctx, .fe = fe, .ne = out->ne};
  if (!fe->K.n || (double)nn * (double)(ne * ne) > most) return HK_OK;
  double *work = hki_alloc(ctx, (6 * nn * ne + 16 * nn + 7 * n + 1) * sizeof *work);
  b.turns = hki_alloc(ctx, nn + 1);
  double *I2 = hki_pool_alloc(pool, (9 * ne * ne + 1) * sizeof *I2);
  double *face = hki_pool_alloc(pool, (6 * ne * ne * (size_t)out->nface + 1) * sizeof *face);
  hk_status st = work && b.turns && I2 && face ? make_graph(&b, pool) : HK_E_MEMORY;
  if (st == HK_OK) st = factorise(&b);
  if (st == HK_OK) {
    double *turn = face + 3 * ne * ne * (size_t)out->nface, *x;
    memset(work, 0, (6 * nn * ne) * sizeof *work);
    b.u = work, b.th = b.u + 3 * nn * ne, b.MT = b.th + 3 * nn * ne, b.MQ = b.MT + 3 * n;
    x = b.MQ + 3 * n;
    memset(b.turns, 0, nn);
    rigid_products(&b, x);
    x += n;
    take_motion(&b, V);
    fit_rotations(&b, x);
    all_pairs(&b, opt, x, x + 3 * nn, out, I2, face, turn);
    out->I2_bend = I2, out->face_bend = face, out->face_turn = turn;
  }
  hki_ldl_destroy(b.ldl);
  hki_free(ctx, b.memory);
  hki_free(ctx, b.turns);
  hki_free(ctx, work);
  // a graph that cannot be factored: no stiffening
  return st == HK_E_SINGULAR ? HK_OK : st;
}

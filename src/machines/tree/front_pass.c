/* SPDX-License-Identifier: Apache-2.0
 *
 * front_pass.c: factors and solutions by fronts; equations in front.h.
 *
 * Matrices are lower triangles by columns. A column k of a front is divided by its pivot and kept in f->L for the solutions, which go once over the nodes
 * and once back:
 *
 *   forth   v = (b + S' p, z, p)       v -= L_k v_k,   v_k /= pivot       z: rows, p: wrench on the body
 *   back    v_k -= L_k' v                                                  v = (x, y, a) in the end
 */
#include "machines/tree/front.h"

/* pivots of rows below this part of their own entry are none */
static const double least_pivot = 1e-13;

/* --- forces ----------------------------------------------------------------------------------- */

static int32_t rows_of(const hk_front *f, int32_t i) {
  return f->force0[i] < 0 ? 0 : f->m->forces[i].ops->rank;
}

void hki_front_forces(hk_front *f, const hk_tree *s, double cC, double cK) {
  const hk_kin *kin = &s->kin;
  HK_KNOWN(kin, HK_KIN_TANGENTS);
  for (int32_t i = 0; f->nB && i < f->m->nf; i++) {
    const int32_t rows = rows_of(f, i), n = f->m->forces[i].path.n;
    const hk_force_row *row = &kin->row[i];
    double *k = f->k + 36 * i, *B = f->B + f->force0[i];
    for (int32_t r = 0; r < rows; r++)
      for (int32_t c = 0; c < rows; c++)
        k[6 * r + c] = r < row->rank && c < row->rank
                           ? 0.5 * (cK * (row->ks[6 * r + c] + row->ks[6 * c + r]) +
                                    cC * (row->cs[6 * r + c] + row->cs[6 * c + r]))
                           : 0.0;
    for (int32_t r = 0; r < rows; r++)
      for (int32_t j = 0; j < n; j++) {
        double sum = 0.0;
        for (int32_t c = 0; c < row->rank; c++) sum += k[6 * r + c] * kin->fz[row->z0 + c * n + j];
        B[r * n + j] = sum;
      }
  }
}

void hki_front_forces_off(hk_front *f) {
  memset(f->B, 0, (size_t)f->nB * sizeof *f->B);
  if (f->nB) memset(f->k, 0, 36 * (size_t)f->m->nf * sizeof *f->k);
}

void hki_front_add_forces(const hk_front *f, const hk_tree *s, const double *x, double *y) {
  for (int32_t i = 0; f->nB && i < f->m->nf; i++) {
    const hk_path *p = &f->m->forces[i].path;
    const hk_force_row *row = &s->kin.row[i];
    const double *B = f->B + f->force0[i];
    for (int32_t r = 0; rows_of(f, i) && r < row->rank; r++) {
      double sum = 0.0;
      for (int32_t j = 0; j < p->n; j++) sum += B[r * p->n + j] * x[p->dof[j]];
      for (int32_t j = 0; j < p->n; j++) y[p->dof[j]] += s->kin.fz[row->z0 + r * p->n + j] * sum;
    }
  }
}

void hki_front_add_diagonal(const hk_front *f, const hk_tree *s, double *y) {
  for (int32_t i = 0; f->nB && i < f->m->nf; i++) {
    const hk_path *p = &f->m->forces[i].path;
    const hk_force_row *row = &s->kin.row[i];
    const double *B = f->B + f->force0[i];
    for (int32_t r = 0; rows_of(f, i) && r < row->rank; r++)
      for (int32_t j = 0; j < p->n; j++)
        y[p->dof[j]] += s->kin.fz[row->z0 + r * p->n + j] * B[r * p->n + j];
  }
}

/* --- factors ---------------------------------------------------------------------------------- */

/* W += what a node has handed on; open rows go to map, a to the end; n: unknowns of W, with a */
static void add_child(const hk_front *f, const hk_front_node *c, const int32_t *map, int32_t n,
                      int32_t ld, double *W) {
  const int32_t no = c->n - c->ne, m = no + (c->parent == HK_GROUND ? 0 : 6);
  const double *U = f->stack + c->up;
  for (int32_t j = 0; j < m; j++, U += m) {
    double *to = W + (size_t)(j < no ? map[j] : n - m + j) * (size_t)ld;
    for (int32_t i = j; i < no; i++) to[map[i]] += U[i];
    for (int32_t i = j > no ? j : no; i < m; i++) to[n - m + i] += U[i];
  }
}

/* W += the inertia of a body on a, which begins at unknown `at` */
static void add_inertia(const hk_inertia *I, int32_t at, int32_t ld, double *W) {
  double *w = W + (size_t)at * (size_t)ld + at;
  const double *J = I->I, *h = I->h;
  w[0] += J[0], w[1] += J[3], w[2] += J[4], w[4] -= h[2], w[5] += h[1];
  w += ld;
  w[1] += J[1], w[2] += J[5], w[3] += h[2], w[5] -= h[0];
  w += ld;
  w[2] += J[2], w[3] -= h[1], w[4] += h[0];
  for (int j = 3; j < 6; j++) w += ld, w[j] += I->m;
}

/* columns of the joint's coordinates: a_b = a + S q */
static void add_joint(const hk_front_node *node, const double *S, const double *E, int32_t ld,
                      double *W) {
  const double *A = W + (size_t)node->n * (size_t)ld + node->n;
  for (int32_t j = 0; j < node->nv; j++, S += 6) {
    double *to = W + (size_t)j * (size_t)ld, c[6];
    for (int32_t i = node->nv; i < node->n; i++)
      to[i] = s6_dot(S, W + (size_t)i * (size_t)ld + node->n);
    for (int r = 0; r < 6; r++) {
      c[r] = 0.0;
      for (int k = 0; k < 6; k++) c[r] += (k < r ? A[k * ld + r] : A[r * ld + k]) * S[k];
      to[node->n + r] = c[r];
    }
    for (int32_t i = j; i < node->nv; i++)
      to[i] = s6_dot(S + 6 * (i - j), c) + (E ? E[i * node->nv + j] : 0.0);
  }
}

/* entries of G, and the diagonal of the rows that close here */
static void add_rows(const hk_front *f, const hk_front_node *node, const double *gz, int32_t ld,
                     double *W) {
  for (int32_t i = node->entry0; i < node[1].entry0; i++) {
    const hk_front_entry *e = &f->entry[i];
    W[e->at] += f->on[e->row] * (e->from >= 0 ? gz[e->from] : f->B[~e->from]);
  }
  for (int32_t i = node->nv; i < node->ne; i++) {
    const int32_t row = f->row[node->row0 + i - node->nv];
    if (row < f->m->nrows) W[i * ld + i] -= f->weight[row];
  }
  for (int32_t i = node->block0; i < node[1].block0; i++) {
    const hk_front_block *b = &f->block[i];
    const int32_t rows = rows_of(f, b->force);
    for (int32_t c = 0; c < rows; c++)
      for (int32_t r = c; r < rows; r++)
        W[(b->at + c) * ld + b->at + r] -= f->k[36 * b->force + 6 * r + c];
  }
}

/* 1 / pivot of unknown k of a node; a coordinate without inertia gets a little, as in aba.c */
static double pivot(hk_front *f, const hk_front_node *node, int32_t k, const double *little,
                    double d) {
  if (k < node->nv) {
    const int32_t i = f->m->bodies[node->body].v0 + k;
    if (!(d > 1e-4 * little[i])) d += little[i], f->soft = i;
    return f->inv[i] = 1.0 / d;
  }
  const int32_t row = f->row[node->row0 + k - node->nv];
  return f->inv[f->m->nv + row] = fabs(d) > f->least[row] ? 1.0 / d : 0.0;
}

/* Eliminates the unknowns of a node from W, of which n count; columns go to L. Lines are taken four at a time: what stands above the
 * diagonal, and behind n, is not read. */
static void eliminate(hk_front *f, const hk_front_node *node, const double *little, int32_t n,
                      int32_t ld, double *restrict W) {
  double *restrict L = f->L + node->low;
  const int32_t end = (n + 3) & ~3;
  for (int32_t k = 0; k < node->ne; k++) {
    const double *restrict c = W + (size_t)k * (size_t)ld;
    const double inv = pivot(f, node, k, little, c[k]);
    for (int32_t j = k + 1; j < n; j++) {
      double *restrict to = W + (size_t)j * (size_t)ld;
      const double l = *L++ = c[j] * inv;
      for (int32_t i = j & ~3; i < end; i += 4)
        for (int v = 0; v < 4; v++) to[i + v] -= l * c[i + v];
    }
  }
}

/* what is left of W, from unknown ne on, is handed on */
static void hand_on(const hk_front_node *node, int32_t n, int32_t ld, const double *W, double *U) {
  const int32_t m = n - node->ne;
  for (int32_t j = 0; j < m; j++, U += m) {
    const double *c = W + (size_t)(node->ne + j) * (size_t)ld + node->ne;
    for (int32_t i = j; i < m; i++) U[i] = c[i];
  }
}

/* rows that are off, and what counts as no pivot of those of forces */
static void set_rows(hk_front *f, const hk_tree *s) {
  const hk_model *m = f->m;
  for (int32_t c = 0; c < m->nc; c++)
    for (int32_t r = m->closures[c].row0; r < m->closures[c].row0 + m->closures[c].nrows; r++) {
      f->on[r] = s->kin.disc.active[c];
      f->least[r] = 0.0;
      if (f->on[r] == 0.0) f->weight[r] = 1.0;
    }
  for (int32_t i = 0; i < f->nblock; i++) {
    const hk_front_block *b = &f->block[i];
    for (int32_t r = 0; r < rows_of(f, b->force); r++) {
      f->on[b->row + r] = 1.0;
      f->least[b->row + r] = least_pivot * fabs(f->k[36 * b->force + 7 * r]);
    }
  }
}

hk_status hki_front_factor(hk_front *f, const hk_tree *s, const hk_aba *aba, const double *gz,
                           const double *E) {
  const hk_kin *k = &s->kin;
  HK_KNOWN(k, HK_KIN_POSITIONS);
  f->soft = -1;
  set_rows(f, s);
  for (int32_t t = 0; t < f->nodes; t++) {
    const hk_front_node *node = &f->node[t];
    const int32_t b = node->body, ld = (node->n + 6 + 3) & ~3;
    const int32_t n = node->n + (node->parent == HK_GROUND ? 0 : 6);
    memset(f->W, 0, (size_t)(ld * (node->n + 6)) * sizeof *f->W);
    for (int c = 0; c < 2; c++)
      if (node->child[c] >= 0)
        add_child(f, &f->node[node->child[c]], f->map + node->map0[c], node->n + 6, ld, f->W);
    if (b != HK_NONE) {
      add_inertia(&k->I[b], node->n, ld, f->W);
      add_joint(node, k->S + 6 * f->m->bodies[b].v0, E ? E + aba->d0[b] : NULL, ld, f->W);
    }
    add_rows(f, node, gz, ld, f->W);
    eliminate(f, node, aba->little, n, ld, f->W);
    hand_on(node, n, ld, f->W, f->stack + node->up);
  }
  return f->soft >= 0 ? HK_E_SINGULAR : HK_OK;
}

/* --- solutions -------------------------------------------------------------------------------- */

/* one node, from the leaves: right sides in x, f->z, f->p */
static void forth(hk_front *f, const hk_front_node *node, const double *S, double *restrict x) {
  const int32_t *row = f->row + node->row0 - node->nv, b = node->body;
  const bool up = node->parent != HK_GROUND;
  const int32_t n = node->n + (up ? 6 : 0);
  const double *restrict L = f->L + node->low;
  double *restrict v = f->v, *p = b == HK_NONE ? NULL : f->p + 6 * b;
  for (int32_t j = 0; j < node->nv; j++) v[j] = x[j] + s6_dot(S + 6 * j, p);
  for (int32_t i = node->nv; i < node->n; i++) v[i] = f->z[row[i]];
  for (int r = 0; up && r < 6; r++) v[node->n + r] = p ? p[r] : 0.0;
  for (int32_t k = 0; k < node->ne; k++) {
    const double u = v[k];
    for (int32_t i = k + 1; i < n; i++) v[i] -= *L++ * u;
  }
  for (int32_t j = 0; j < node->nv; j++) x[j] = v[j];
  for (int32_t i = node->nv; i < node->n; i++) f->z[row[i]] = v[i];
  if (up) s6_axpy(f->p + 6 * node->parent, 1.0, v + node->n);
}

/* the same from the root: x, f->z become solutions, f->a the motion of the bodies */
static void back(hk_front *f, const hk_front_node *node, const double *S, double *restrict x) {
  static const double zero6[6] = {0};
  const int32_t *row = f->row + node->row0 - node->nv, b = node->body;
  const double *above = node->parent == HK_GROUND ? zero6 : f->a + 6 * node->parent;
  const int32_t n = node->n + (node->parent == HK_GROUND ? 0 : 6), nv = f->m->nv;
  const double *L = f->L + node[1].low;
  double *restrict v = f->v;
  for (int32_t i = node->ne; i < node->n; i++) v[i] = f->z[row[i]];
  s6_copy(v + node->n, above);
  for (int32_t k = node->ne - 1; k >= 0; k--) {
    double e = 0.0, o = 0.0;
    int32_t i = k + 1;
    L -= n - i;
    const double *l = L - i;
    for (; i + 1 < n; i += 2) e += l[i] * v[i], o += l[i + 1] * v[i + 1];
    if (i < n) e += l[i] * v[i];
    const double u = k < node->nv ? x[k] * f->inv[f->m->bodies[b].v0 + k]
                                  : f->z[row[k]] * f->inv[nv + row[k]];
    v[k] = u - (e + o);
  }
  for (int32_t i = node->nv; i < node->ne; i++) f->z[row[i]] = v[i];
  if (b == HK_NONE) return;
  double *a = f->a + 6 * b;
  s6_copy(a, above);
  for (int32_t j = 0; j < node->nv; j++) {
    x[j] = v[j];
    s6_axpy(a, v[j], S + 6 * j);
  }
}

void hki_front_solve(hk_front *f, const hk_kin *k, double *x) {
  memset(f->z, 0, (size_t)f->nrow * sizeof *f->z);
  memset(f->p, 0, 6 * (size_t)f->m->nb * sizeof *f->p);
  for (int32_t t = 0; t < f->nodes; t++) {
    const hk_front_node *node = &f->node[t];
    const int32_t v0 = node->body == HK_NONE ? 0 : f->m->bodies[node->body].v0;
    forth(f, node, k->S + 6 * v0, x + v0);
  }
  for (int32_t t = f->nodes - 1; t >= 0; t--) {
    const hk_front_node *node = &f->node[t];
    const int32_t v0 = node->body == HK_NONE ? 0 : f->m->bodies[node->body].v0;
    back(f, node, k->S + 6 * v0, x + v0);
  }
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * front_body.h: the passes over the fronts (equations in front.h), included by front_any.c and front_wide.c, once for each kind of
 * processor; sums run in the same order in both.
 *
 * Matrices are lower triangles by columns. A column of a front is divided by its pivot and kept in f->L for the solutions,
 * which go once over the nodes and once back:
 *
 *   forth   v = (b + S' p, z, p)       v -= L_k v_k            z: rows, p: wrench on the body
 *   back    v_k / pivot - L_k' v                               v = (x, y, a) in the end
 *
 * a has six components, or the three of motions in a plane; `na` is one of these numbers, known to the compiler.
 */

#ifdef FRONT_WIDE
typedef double four __attribute__((vector_size(32), aligned(8), may_alias));
/* four numbers: to = 0, to -= l c, sum += a b, their sum */
HKI_INLINE void clear4(double *to) { *(four *)to = (four){0.0, 0.0, 0.0, 0.0}; }
HKI_INLINE void subtract4(double *to, double l, const double *c) {
  *(four *)to -= l * *(const four *)c;
}
HKI_INLINE four zero4(void) { return (four){0.0, 0.0, 0.0, 0.0}; }
HKI_INLINE four gather4(four sum, const double *a, const double *b) {
  return sum + *(const four *)a * *(const four *)b;
}
HKI_INLINE double sum4(four a) { return (a[0] + a[1]) + (a[2] + a[3]); }
#else
typedef struct four {
  double x[4];
} four;
HKI_INLINE void clear4(double *to) { to[0] = to[1] = to[2] = to[3] = 0.0; }
HKI_INLINE void subtract4(double *to, double l, const double *c) {
  for (int i = 0; i < 4; i++) to[i] -= l * c[i];
}
HKI_INLINE four zero4(void) { return (four){{0.0, 0.0, 0.0, 0.0}}; }
HKI_INLINE four gather4(four sum, const double *a, const double *b) {
  for (int i = 0; i < 4; i++) sum.x[i] += a[i] * b[i];
  return sum;
}
HKI_INLINE double sum4(four a) { return (a.x[0] + a.x[1]) + (a.x[2] + a.x[3]); }
#endif

HKI_INLINE double dot(const double *a, const double *b, const int na) {
  double sum = a[0] * b[0];
  for (int i = 1; i < na; i++) sum += a[i] * b[i];
  return sum;
}

/* the components of a motion that count */
HKI_INLINE void pick(const hk_front *f, const double *S, double *to, const int na) {
  for (int i = 0; i < na; i++) to[i] = na == 6 ? S[i] : S[f->component[i]];
}

/* --- factors ---------------------------------------------------------------------------------- */

/* W += what a node has handed on; open rows go to map, a to the end, from line `at` on */
HKI_INLINE void add_child(const hk_front *f, const hk_front_node *c, const int32_t *map, int32_t at,
                          int32_t ld, double *restrict W, const int na) {
  const int32_t no = c->n - c->ne, m = no + na;
  const double *restrict U = f->stack + c->up;
  for (int32_t j = 0; j < no; j++, U += m) {
    double *to = W + map[j] * ld;
    for (int32_t i = j; i < no; i++) to[map[i]] += U[i];
    for (int32_t i = 0; i < na; i++) to[at + i] += U[no + i];
  }
  for (int32_t j = 0; j < na; j++, U += m) {
    double *to = W + (at + j) * ld + at;
    for (int32_t i = j; i < na; i++) to[i] += U[no + i];
  }
}

/* W += the inertia of a body on a */
HKI_INLINE void add_inertia(const hk_front *f, const hk_inertia *I, int32_t ld, double *w,
                            const int na) {
  const double *J = I->I, *h = I->h;
  if (na == 3) {
    // turn about the normal, the two directions of the plane behind it
    const int n = f->component[0], x = (n + 1) % 3, y = (n + 2) % 3;
    const bool swap = f->component[1] != 3 + x;
    w[0] += J[n], w[1] += swap ? h[x] : -h[y], w[2] += swap ? -h[y] : h[x];
    w[ld + 1] += I->m, w[2 * ld + 2] += I->m;
    return;
  }
  w[0] += J[0], w[1] += J[3], w[2] += J[4], w[4] -= h[2], w[5] += h[1];
  w += ld;
  w[1] += J[1], w[2] += J[5], w[3] += h[2], w[5] -= h[0];
  w += ld;
  w[2] += J[2], w[3] -= h[1], w[4] += h[0];
  for (int j = 3; j < 6; j++) w += ld, w[j] += I->m;
}

/* columns of the joint's coordinates: a_b = a + S q */
HKI_INLINE void add_joint(const hk_front *f, const hk_front_node *node, const double *S,
                          const double *E, int32_t ld, double *restrict W, const int na) {
  const int32_t n = node->n;
  const double *A = W + n * ld + n;
  double s[36];
  for (int32_t j = 0; j < node->nv; j++) pick(f, S + 6 * j, s + na * j, na);
  for (int32_t j = 0; j < node->nv; j++) {
    double *to = W + j * ld, c[6];
    const double *q = s + na * j;
    for (int32_t i = node->nv; i < n; i++) to[i] = dot(q, W + i * ld + n, na);
    for (int r = 0; r < na; r++) {
      c[r] = 0.0;
      for (int k = 0; k < na; k++) c[r] += (k < r ? A[k * ld + r] : A[r * ld + k]) * q[k];
      to[n + r] = c[r];
    }
    for (int32_t i = j; i < node->nv; i++)
      to[i] = dot(s + na * i, c, na) + (E ? E[i * node->nv + j] : 0.0);
  }
}

/* entries of G, and the diagonal of the rows that close here */
HKI_INLINE void add_rows(const hk_front *f, const hk_front_node *node, const double *gz, int32_t ld,
                         double *restrict W) {
  for (int32_t i = node->entry0; i < node[1].entry0; i++) {
    const hk_front_entry *e = &f->entry[i];
    W[e->at] += f->on[e->row] * (e->from >= 0 ? gz[e->from] : f->B[~e->from]);
  }
  for (int32_t i = node->nv; i < node->ne; i++) {
    const int32_t row = f->row[node->row0 + i - node->nv];
    if (row < f->nweight) W[i * ld + i] -= f->weight[row];
  }
  for (int32_t i = node->block0; i < node[1].block0; i++) {
    const hk_front_block *b = &f->block[i];
    for (int32_t c = 0; c < b->rows; c++)
      for (int32_t r = c; r < b->rows; r++)
        W[(b->at + c) * ld + b->at + r] -= f->k[36 * b->force + 6 * r + c];
  }
}

/* 1 / pivot of unknown k of a node; a coordinate without inertia gets a little, as in aba.c */
HKI_INLINE double pivot(hk_front *f, const hk_front_node *node, int32_t k, const double *little,
                        double d) {
  if (k < node->nv) {
    const int32_t i = node->v0 + k;
    if (!(d > 1e-4 * little[i])) d += little[i], f->soft = i;
    return f->inv[i] = 1.0 / d;
  }
  const int32_t row = f->row[node->row0 + k - node->nv];
  return f->inv[f->m->nv + row] = fabs(d) > f->least[row] ? 1.0 / d : 0.0;
}

/* Eliminates the unknowns of a node from W, of which n count; columns go to L. Lines are taken four at a time: what stands
 * above the diagonal is not read, what stands behind n is zero, or a of a root, which is not handed on. */
HKI_INLINE void eliminate(hk_front *f, const hk_front_node *node, const double *little, int32_t n,
                          int32_t ld, double *restrict W) {
  double *restrict L = f->L + node->low;
  for (int32_t k = 0; k < node->ne; k++) {
    const double *c = W + k * ld, inv = pivot(f, node, k, little, c[k]);
    const int32_t first = HKI_FRONT_FIRST(k);
    double *l = L - first;
    for (int32_t i = first; i < ld; i++) l[i] = c[i] * inv;
    for (int32_t i = first; i <= k; i++) l[i] = 0.0;
    for (int32_t j = k + 1; j < n; j++) {
      double *to = W + j * ld;
      for (int32_t i = j & ~3; i < n; i += 4) subtract4(to + i, l[j], c + i);
    }
    L += ld - first;
  }
}

/* what is left of W, from unknown ne on, is handed on; n: with a */
HKI_INLINE void hand_on(const hk_front_node *node, int32_t n, int32_t ld, const double *restrict W,
                        double *restrict U) {
  const int32_t m = n - node->ne;
  for (int32_t j = 0; j < m; j++, U += m) {
    const double *c = W + (node->ne + j) * ld + node->ne;
    for (int32_t i = j; i < m; i++) U[i] = c[i];
  }
}

HKI_INLINE void factor_nodes(hk_front *f, const hk_kin *kin, const hk_aba *aba, const double *gz,
                             const double *E, const int na) {
  double *restrict W = f->W;
  for (int32_t t = 0; t < f->nodes; t++) {
    const hk_front_node *node = &f->node[t];
    const int32_t b = node->body, all = node->n + na, ld = node->ld;
    const int32_t n = node->parent == HK_GROUND ? node->n : all;
    for (int32_t j = 0; j < all; j++)
      for (int32_t i = j & ~3; i < ld; i += 4) clear4(W + j * ld + i);
    for (int c = 0; c < 2; c++) {
      if (node->child[c] < 0) continue;
      const hk_front_node *child = &f->node[node->child[c]];
      if (child->parent == HK_GROUND)
        add_child(f, child, f->map + node->map0[c], node->n, ld, W, 0);
      else
        add_child(f, child, f->map + node->map0[c], node->n, ld, W, na);
    }
    if (b != HK_NONE) {
      add_inertia(f, &kin->I[b], ld, W + node->n * ld + node->n, na);
      add_joint(f, node, kin->S + 6 * node->v0, E ? E + aba->d0[b] : NULL, ld, W, na);
    }
    add_rows(f, node, gz, ld, W);
    eliminate(f, node, aba->little, n, ld, W);
    hand_on(node, n, ld, W, f->stack + node->up);
  }
}

static void factor(hk_front *f, const hk_kin *k, const hk_aba *aba, const double *gz,
                   const double *E) {
  if (f->na == 3)
    factor_nodes(f, k, aba, gz, E, 3);
  else
    factor_nodes(f, k, aba, gz, E, 6);
}

/* --- solutions -------------------------------------------------------------------------------- */

/* one node, from the leaves: right sides in x, f->z, f->p */
HKI_INLINE void forth(hk_front *f, const hk_front_node *node, const double *S, double *x,
                      const int na) {
  const int32_t *row = f->row + node->row0 - node->nv, b = node->body;
  const bool up = node->parent != HK_GROUND;
  const int32_t ld = node->ld;
  const double *restrict L = f->L + node->low, *p = b == HK_NONE ? f->none : f->p + na * b;
  double *restrict v = f->v, s[6];
  clear4(v + ld - 4);
  for (int32_t j = 0; j < node->nv; j++) pick(f, S + 6 * j, s, na), v[j] = x[j] + dot(s, p, na);
  for (int32_t i = node->nv; i < node->n; i++) v[i] = f->z[row[i]];
  for (int r = 0; r < na; r++) v[node->n + r] = p[r];
  for (int32_t k = 0; k < node->ne; k++) {
    const int32_t first = HKI_FRONT_FIRST(k);
    const double u = v[k];
    for (int32_t i = first; i < ld; i += 4, L += 4) subtract4(v + i, u, L);
  }
  for (int32_t j = 0; j < node->nv; j++) x[j] = v[j];
  for (int32_t i = node->nv; i < node->n; i++) f->z[row[i]] = v[i];
  double *to = f->p + na * node->parent;
  for (int r = 0; up && r < na; r++) to[r] += v[node->n + r];
}

/* the same from the root: x, f->z become solutions, f->a the motion of the bodies */
HKI_INLINE void back(hk_front *f, const hk_front_node *node, const double *S, double *x,
                     const int na) {
  const int32_t *row = f->row + node->row0 - node->nv, b = node->body, nv = f->m->nv;
  const bool up = node->parent != HK_GROUND;
  const double *above = up ? f->a + na * node->parent : f->none;
  const int32_t ld = node->ld;
  const double *L = f->L + node[1].low;
  double *restrict v = f->v, s[6];
  for (int32_t i = 0; i < ld; i += 4) clear4(v + i);
  for (int32_t i = node->ne; i < node->n; i++) v[i] = f->z[row[i]];
  for (int r = 0; r < na; r++) v[node->n + r] = above[r];
  for (int32_t k = node->ne - 1; k >= 0; k--) {
    const int32_t first = HKI_FRONT_FIRST(k);
    four sum = zero4();
    L -= ld - first;
    for (int32_t i = first; i < ld; i += 4) sum = gather4(sum, L + i - first, v + i);
    const double u =
        k < node->nv ? x[k] * f->inv[node->v0 + k] : f->z[row[k]] * f->inv[nv + row[k]];
    v[k] = u - sum4(sum);
  }
  for (int32_t i = node->nv; i < node->ne; i++) f->z[row[i]] = v[i];
  if (b == HK_NONE) return;
  double *a = f->a + na * b;
  for (int r = 0; r < na; r++) a[r] = above[r];
  for (int32_t j = 0; j < node->nv; j++) {
    x[j] = v[j];
    pick(f, S + 6 * j, s, na);
    for (int r = 0; r < na; r++) a[r] += v[j] * s[r];
  }
}

HKI_INLINE void solve_nodes(hk_front *f, double *x, const int na) {
  memset(f->z, 0, (size_t)f->nrow * sizeof *f->z);
  memset(f->p, 0, (size_t)(na * f->m->nb) * sizeof *f->p);
  for (int32_t t = 0; t < f->nodes; t++) {
    const hk_front_node *node = &f->node[t];
    forth(f, node, f->S + 6 * node->v0, x + node->v0, na);
  }
  for (int32_t t = f->nodes - 1; t >= 0; t--) {
    const hk_front_node *node = &f->node[t];
    back(f, node, f->S + 6 * node->v0, x + node->v0, na);
  }
}

static void solve(hk_front *f, double *x) {
  if (f->na == 3)
    solve_nodes(f, x, 3);
  else
    solve_nodes(f, x, 6);
}

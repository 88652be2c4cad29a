/* SPDX-License-Identifier: Apache-2.0
 *
 * reduce.c: component modes of a finite-element model with rigid interfaces (links.h). With inner unknowns i and
 * those of the interfaces b, shapes are
 *
 *   boundary:  unit displacement of a rigid interface, the inside follows: -Kii^-1 Kib; what unit loads of an interface that
 *              is a mean of nodes add to the others (average.c)
 *   fixed:     the lowest modes of (Kii, Mii)
 *
 * The pair (K, M) in these shapes is brought to its own eigenvectors, and the six that cost no strain, the rigid
 * motions, are left out: the floating frame has them. What is left is orthogonal, with unit modal masses and
 * a diagonal stiffness. Without interfaces the lowest modes of the free body are taken, from (K + s M, M) with a small s.
 *
 * Source: Craig and Bampton, Coupling of substructures for dynamic analyses, 1968.
 */
#include "flex/reduce.h"

#include <math.h>

#include "flex/eigen.h"
#include "flex/links.h"
#include "geometry/geometry.h"
#include "linalg/sparse_ldl.h"

enum { RIGID = 6 };

typedef struct reduction {
  hk_ctx *ctx;
  hk_loc loc;
  hk_pool *pool;
  const hk_fe *fe;
  const hk_reduce_plan *opt;
  hk_links links;
  hk_sym K, M;          /* of the linked model */
  hk_sym Ki, Mi;        /* its inner part */
  int32_t nb, nfix, ns; /* shapes: of rigid interfaces, with fixed ones, all */
  double *shape;        /* ns x links.n */
  double *W;            /* 6 x ndof for each interface that is an average */
  double *lambda;       /* of the fixed modes */
  hk_ldl *ldl;          /* of Kii (+ shift Mii) */
  hk_ldl_num num;
  void *memory;
  double shift;
} reduction;

/* the inner part of a matrix; its columns come first and its rows are sorted */
static hk_status inner_part(reduction *r, const hk_sym *A, hk_sym *out) {
  const int32_t n = r->links.inner;
  hk_entries t = {.ctx = r->ctx};
  for (int32_t j = 0; j < n; j++)
    for (int32_t k = A->start[j]; k < A->start[j + 1]; k++)
      if (A->row[k] < n) hki_entries_add(&t, A->row[k], j, A->val[k]);
  const hk_status st = hki_sym_build(r->pool, &t, n, out);
  hki_entries_free(&t);
  return st;
}

/* names the node of an unknown that nothing holds */
static hk_status loose(const reduction *r, int32_t bad) {
  int32_t node = 0;
  const hk_status st = hki_fe_one_piece(r->ctx, r->loc, r->fe, r->opt);
  if (st != HK_OK) return st;
  for (int32_t d = 0; d < r->fe->ndof; d++)
    if (r->links.at[d] == bad) node = r->fe->label[r->fe->node[d]];
  return hki_error(r->ctx, HK_E_MODEL, r->loc, "are there loose nodes, or parts that only touch?",
                   "with fixed interfaces node %d can still move without strain", (int)node);
}

static hk_status factorise(reduction *r, const hk_sym *Ki) {
  hk_pattern p;
  hki_pattern_init(&p, r->ctx, Ki->n);
  for (int32_t j = 0; j < Ki->n; j++)
    for (int32_t k = Ki->start[j]; k < Ki->start[j + 1]; k++) hki_pattern_entry(&p, Ki->row[k], j);
  hk_status st = p.status;
  if (st == HK_OK) st = hki_ldl_create(r->ctx, &p, NULL, &r->ldl);
  hki_pattern_free(&p);
  if (st != HK_OK) return st;
  hk_arena a = {0};
  hki_ldl_layout(r->ldl, &a, &r->num);
  r->memory = hki_alloc(r->ctx, a.used);
  if (!r->memory) return HK_E_MEMORY;
  a = (hk_arena){.base = r->memory, .cap = a.used};
  hki_ldl_layout(r->ldl, &a, &r->num);
  hki_ldl_zero(r->ldl, &r->num);
  for (int32_t j = 0; j < Ki->n; j++)
    for (int32_t k = Ki->start[j]; k < Ki->start[j + 1]; k++)
      hki_ldl_add(r->ldl, r->num.val, Ki->row[k], j, Ki->val[k]);
  for (int32_t j = 0; r->shift > 0.0 && j < r->Mi.n; j++)
    for (int32_t k = r->Mi.start[j]; k < r->Mi.start[j + 1]; k++)
      hki_ldl_add(r->ldl, r->num.val, r->Mi.row[k], j, r->shift * r->Mi.val[k]);
  st = hki_ldl_factor(r->ldl, &r->num, r->num.val);
  if (st == HK_E_SINGULAR || (st == HK_OK && r->num.negative)) return loose(r, r->num.bad);
  return st;
}

static void solve(void *user, double *x) {
  reduction *r = user;
  hki_ldl_solve(r->ldl, &r->num, x);
}

/* the inside follows unit displacements of the interfaces */
static void boundary_shapes(reduction *r) {
  const ptrdiff_t n = r->links.n, ni = r->links.inner;
  for (int32_t j = 0; j < ni; j++)
    for (int32_t k = r->K.start[j]; k < r->K.start[j + 1]; k++)
      if (r->K.row[k] >= ni) r->shape[n * (r->K.row[k] - ni) + j] -= r->K.val[k];
  for (int32_t b = 0; b < r->nb; b++) {
    double *x = r->shape + n * b;
    if (ni) solve(r, x);
    x[ni + b] = 1.0;
  }
}

static hk_status fixed_shapes(reduction *r, int32_t want) {
  const size_t ni = (size_t)r->links.inner;
  double *X = hki_alloc(r->ctx, (size_t)want * ni * sizeof *X);
  if (!X) return HK_E_MEMORY;
  hk_status st = want ? hki_sym_lowest(r->ctx, &r->Mi, solve, r, want, r->lambda, X) : HK_OK;
  for (int32_t k = 0; k < want; k++)
    memcpy(r->shape + (ptrdiff_t)r->links.n * (r->nb + k), X + ni * (size_t)k, ni * sizeof *X);
  hki_free(r->ctx, X);
  if (st == HK_OK) return st;
  return hki_error(r->ctx, st == HK_E_SINGULAR ? HK_E_MODEL : st, r->loc, "ask for fewer modes",
                   "the %d lowest modes with fixed interfaces were not found", (int)want);
}

/* w less what the fixed modes (and the rigid motions among them) take of it; returns the flexibility that they give */
static double residual(const reduction *r, double *w, double *y) {
  const ptrdiff_t n = r->links.n, ni = r->links.inner;
  double sum = 0.0;
  for (int32_t k = 0; k < r->nfix; k++) {
    const double *phi = r->shape + n * (r->nb + k), c = hki_fe_dot(r->links.inner, phi, w);
    hki_sym_mul(&r->Mi, phi, y);
    for (ptrdiff_t i = 0; i < ni; i++) w[i] -= c * y[i];
    if (r->nb || k >= RIGID) sum += c * c / r->lambda[k];
  }
  return sum;
}

/* K x = f on the inside, where the factor may be that of K + shift M: the error of that lies in the lowest modes, of which f
 * has nothing */
static void solve_inner(reduction *r, const double *f, double *x, double *y) {
  enum { MOST = 60 };
  const ptrdiff_t n = r->links.inner;
  memcpy(x, f, (size_t)n * sizeof *x);
  solve(r, x);
  for (int i = 0; i < MOST && r->shift > 0.0; i++) {
    hki_sym_mul(&r->Ki, x, y);
    double size = 0.0, change = 0.0;
    for (ptrdiff_t k = 0; k < n; k++) y[k] = f[k] - y[k];
    solve(r, y);
    for (ptrdiff_t k = 0; k < n; k++) {
      x[k] += y[k];
      size = fmax(size, fabs(x[k])), change = fmax(change, fabs(y[k]));
    }
    if (change <= 1e-13 * size) break;
  }
}

/* shapes of unit loads on the averages; directions that the others have already are left out */
static hk_status load_shapes(reduction *r, int32_t loads) {
  const ptrdiff_t n = r->links.n, ni = r->links.inner;
  double *f = hki_alloc(r->ctx, (size_t)(2 * n + 1) * sizeof *f), *y = f + n;
  if (!f) return HK_E_MEMORY;
  for (int32_t k = 0; k < loads; k++) {
    double *x = r->shape + n * r->ns;
    hki_links_fold(&r->links, r->W + (ptrdiff_t)r->fe->ndof * k, f);
    const double known = residual(r, f, y);
    solve_inner(r, f, x, y);
    const double gain = hki_fe_dot(r->links.inner, f, x);
    for (ptrdiff_t i = 0; i < ni && gain > 1e-9 * known; i++) x[i] /= sqrt(gain);
    if (gain > 1e-9 * known)
      r->ns++;
    else
      memset(x, 0, (size_t)n * sizeof *x);
  }
  hki_free(r->ctx, f);
  return HK_OK;
}

/* ns x ns: shapes' A shapes */
static void project(const reduction *r, const hk_sym *A, double *y, double *out) {
  const ptrdiff_t n = r->links.n;
  for (int32_t i = 0; i < r->ns; i++) {
    hki_sym_mul(A, r->shape + n * i, y);
    for (int32_t j = 0; j < r->ns; j++)
      out[(ptrdiff_t)r->ns * i + j] = hki_fe_dot(r->links.n, y, r->shape + n * j);
  }
}

/* the six lowest must be rigid motions, the next not */
static hk_status check_rigid(const reduction *r, const double *lambda) {
  if (r->ns <= RIGID)
    return hki_error(r->ctx, HK_E_MODEL, r->loc, "ask for more modes, or name interfaces",
                     "%d shapes leave no mode beside the six rigid motions", (int)r->ns);
  const double next = lambda[RIGID];
  int32_t rigid = 0;
  while (rigid < r->ns && fabs(lambda[rigid]) < 1e-6 * lambda[r->ns - 1] &&
         fabs(lambda[rigid]) < 1e-4 * fabs(next))
    rigid++;
  if (rigid == RIGID) return HK_OK;
  const hk_status st = hki_fe_one_piece(r->ctx, r->loc, r->fe, r->opt);
  if (st != HK_OK) return st;
  for (rigid = 0; rigid < r->ns && lambda[rigid] < 1e-8 * lambda[r->ns - 1];) rigid++;
  return hki_error(
      r->ctx, HK_E_MODEL, r->loc, "give the matrices of the body that nothing holds, in one piece",
      "the model has %d motions without strain, a free body has six: the lowest frequencies are "
      "%.4g, "
      "%.4g, %.4g Hz",
      (int)rigid, sqrt(fmax(lambda[0], 0.0)) / (2 * HK_PI),
      sqrt(fmax(lambda[RIGID - 1], 0.0)) / (2 * HK_PI), sqrt(fmax(next, 0.0)) / (2 * HK_PI));
}

/* modes at the interfaces; Y: ne x links.n, V: ne x ndof */
static bool interfaces(const reduction *r, const double *Y, const double *V, hk_flex *out) {
  const int32_t nf = r->opt->nface, ne = out->ne;
  hk_flex_face *f = hki_pool_alloc(r->pool, ((size_t)nf + 1) * sizeof *f);
  double *x = hki_pool_alloc(r->pool, ((size_t)nf + 1) * 6 * (size_t)ne * sizeof *x);
  if (!f || !x) return false;
  for (int32_t i = 0, rigid = 0, mean = 0; i < nf; i++) {
    double *Phi = x + 6 * (ptrdiff_t)ne * i, *Psi = Phi + 3 * (ptrdiff_t)ne;
    const bool average = r->opt->face[i].average;
    f[i].name = hki_pool_strdup(r->pool, r->opt->face[i].name);
    if (!f[i].name) return false;
    v3_copy(f[i].p, r->links.p + 3 * (ptrdiff_t)i);
    m3_identity(f[i].R);
    for (int32_t j = 0; j < ne; j++) {
      const double *y = Y + (ptrdiff_t)r->links.n * j + r->links.inner + 6 * (ptrdiff_t)rigid;
      const ptrdiff_t n = r->fe->ndof;
      for (int k = 0; k < 6; k++)
        (k < 3 ? Phi : Psi)[3 * (ptrdiff_t)j + k % 3] =
            average ? hki_fe_dot(r->fe->ndof, r->W + n * (6 * (ptrdiff_t)mean + k), V + n * j)
                    : y[k];
    }
    f[i].Phi = Phi, f[i].Psi = Psi;
    rigid += !average, mean += average;
  }
  out->nface = nf, out->face = f;
  return true;
}

/* how much of the mass each mode with fixed interfaces moves along x, y, z: (T.M phi)^2 */
static hk_status held_modes(const reduction *r, hk_flex *out) {
  const hk_fe *fe = r->fe;
  const ptrdiff_t n = fe->ndof;
  if (!r->nb || !r->nfix) return HK_OK;
  hk_flex_held *h = hki_pool_alloc(r->pool, (size_t)r->nfix * sizeof *h);
  double *MT = hki_alloc(r->ctx, (size_t)(5 * n) * sizeof *MT), *x = MT + 3 * n, *t = x + n;
  if (!h || !MT) {
    hki_free(r->ctx, MT);
    return HK_E_MEMORY;
  }
  for (int a = 0; a < 3; a++) {
    for (int32_t d = 0; d < fe->ndof; d++) t[d] = fe->comp[d] == a;
    hki_sym_mul(&fe->M, t, MT + n * a);
  }
  for (int32_t k = 0; k < r->nfix; k++) {
    hki_links_expand(&r->links, r->shape + (ptrdiff_t)r->links.n * (r->nb + k), x);
    h[k].frequency = sqrt(fmax(r->lambda[k], 0.0)) / (2 * HK_PI);
    for (int a = 0; a < 3; a++) {
      const double c = hki_fe_dot(fe->ndof, MT + n * a, x);
      h[k].mass[a] = c * c;
    }
  }
  hki_free(r->ctx, MT);
  out->nheld = r->nfix, out->held = h;
  return HK_OK;
}

/* frequency and kind of each mode, and the diagonal stiffness; Q: ns x ns, vector k in column k; Kr: the projected
 * stiffness, whose parts of boundary and fixed shapes do not mix */
static bool tabulate(const reduction *r, const double *lambda, const double *Q, const double *Kr,
                     hk_flex *out) {
  const int32_t ne = out->ne, ns = r->ns;
  hk_flex_mode *m = hki_pool_alloc(r->pool, (size_t)ne * sizeof *m);
  double *K = hki_pool_alloc(r->pool, (size_t)ne * (size_t)ne * sizeof *K);
  if (!m || !K) return false;
  for (int32_t j = 0; j < ne; j++) {
    const double *q = Q + RIGID + j, l = lambda[RIGID + j];
    double fixed = 0.0;
    for (int32_t a = r->nb; a < r->nb + r->nfix; a++)
      for (int32_t b = r->nb; b < r->nb + r->nfix; b++)
        fixed += q[(ptrdiff_t)ns * a] * Kr[(ptrdiff_t)ns * a + b] * q[(ptrdiff_t)ns * b];
    fixed = fmin(fmax(fixed / l, 0.0), 1.0);
    K[(ptrdiff_t)(ne + 1) * j] = l;
    m[j].frequency = sqrt(l) / (2 * HK_PI);
    m[j].kind = fixed <= 0.5 ? HK_FLEX_BOUNDARY : r->nb ? HK_FLEX_INNER : HK_FLEX_WHOLE;
    m[j].share = fmax(fixed, 1.0 - fixed);
  }
  out->K = K, out->mode = m;
  return true;
}

/* w: work of 4 ns^2 + 2 ns + n numbers, Y: ne x links.n, V: ne x ndof */
static hk_status finish(reduction *r, double *w, double *Y, double *V, hk_flex *out) {
  const ptrdiff_t ns = r->ns, n = r->links.n;
  double *A = w, *B = A + ns * ns, *Q = B + ns * ns, *Kr = Q + ns * ns, *lambda = Kr + ns * ns;
  double *x = lambda + ns, *y = x + ns;
  project(r, &r->K, y, A);
  memcpy(Kr, A, (size_t)(ns * ns) * sizeof *A);
  project(r, &r->M, y, B);
  if (hki_sym_eigen(r->ns, A, B, lambda, Q, x) != HK_OK)
    return hki_error(r->ctx, HK_E_MODEL, r->loc,
                     "every interface needs nodes with mass, and every mode a shape of its own",
                     "the mass matrix of the shapes is not positive definite");
  hk_status st = check_rigid(r, lambda);
  if (st != HK_OK) return st;
  const int32_t ne = r->ns - RIGID;
  for (int32_t j = 0; j < ne; j++) {
    for (int32_t k = 0; k < r->ns; k++)
      for (int32_t i = 0; i < n; i++) Y[n * j + i] += Q[ns * k + RIGID + j] * r->shape[n * k + i];
    hki_links_expand(&r->links, Y + n * j, V + (ptrdiff_t)r->fe->ndof * j);
  }
  st = hki_flex_invariants(r->ctx, r->pool, r->fe, ne, V, out);
  if (st == HK_OK) st = held_modes(r, out);
  if (st != HK_OK) return st;
  out->title = r->fe->title;
  const bool ok = hki_flex_draw(r->ctx, r->pool, r->fe, V, out) && interfaces(r, Y, V, out) &&
                  tabulate(r, lambda, Q, Kr, out);
  return ok ? hki_flex_bend(r->ctx, r->pool, r->fe, r->opt, V, out) : HK_E_MEMORY;
}

/* weights of the interfaces that are averages; how many loads they bear */
static hk_status averages(reduction *r, int32_t *loads) {
  const int32_t n = r->opt->nface - r->links.nrigid;
  const ptrdiff_t size = 6 * (ptrdiff_t)r->fe->ndof;
  *loads = 6 * n;
  r->W = hki_alloc(r->ctx, (size_t)(n * size + 1) * sizeof *r->W);
  if (!r->W) return HK_E_MEMORY;
  hk_status st = HK_OK;
  for (int32_t i = 0, mean = 0; st == HK_OK && i < r->opt->nface; i++)
    if (r->opt->face[i].average)
      st = hki_average(r->ctx, r->fe, r->opt->face[i].set, r->links.p + 3 * (ptrdiff_t)i,
                       r->W + size * mean++);
  return st;
}

/* no body has a negative entry on the diagonal of its stiffness or mass */
static hk_status check_diagonal(const reduction *r, const hk_sym *A, const char *name) {
  const hk_fe *fe = r->fe;
  for (int32_t j = 0; j < A->n; j++)
    if (!(A->val[A->start[j]] >= 0.0))
      return hki_error(r->ctx, HK_E_MODEL, r->loc, "are the matrices those of the body alone?",
                       "the %s of node %d in direction %d is %g: a body has none below zero", name,
                       (int)fe->label[fe->node[j]], fe->comp[j] + 1, A->val[A->start[j]]);
  return HK_OK;
}

/* the linked matrices and their inner parts */
static hk_status matrices(reduction *r) {
  hk_status st = check_diagonal(r, &r->fe->K, "stiffness");
  if (st == HK_OK) st = check_diagonal(r, &r->fe->M, "mass");
  if (st == HK_OK) st = hki_links_make(r->ctx, r->loc, r->pool, r->fe, r->opt, &r->links);
  if (st == HK_OK) st = hki_links_sym(r->ctx, r->pool, &r->links, &r->fe->K, &r->K);
  if (st == HK_OK) st = hki_links_sym(r->ctx, r->pool, &r->links, &r->fe->M, &r->M);
  if (st == HK_OK) st = inner_part(r, &r->K, &r->Ki);
  return st == HK_OK ? inner_part(r, &r->M, &r->Mi) : st;
}

/* the factor of the inside, all shapes */
static hk_status shapes(reduction *r) {
  int32_t loads = 0;
  hk_status st = matrices(r);
  if (st == HK_OK) st = averages(r, &loads);
  if (st != HK_OK) return st;
  int32_t want = r->opt->modes;
  r->nb = 6 * r->links.nrigid;
  if (!r->nb) {
    // a free body: (K + s M) has an inverse
    double k = 0.0, m = 0.0;
    for (int32_t j = 0; j < r->K.n; j++) k += r->K.val[r->K.start[j]], m += r->M.val[r->M.start[j]];
    r->shift = 1e-6 * k / m;
    want += RIGID;
  }
  if (want > r->links.inner) want = r->links.inner;
  r->nfix = want, r->ns = r->nb + want;
  r->shape = hki_alloc(r->ctx, (size_t)(r->ns + loads) * (size_t)r->links.n * sizeof *r->shape);
  r->lambda = hki_alloc(r->ctx, ((size_t)want + 1) * sizeof *r->lambda);
  if (!r->shape || !r->lambda) return HK_E_MEMORY;
  if (r->links.inner) st = factorise(r, &r->Ki);
  if (st != HK_OK) return st;
  boundary_shapes(r);
  st = fixed_shapes(r, want);
  if (st != HK_OK) return st;
  for (int32_t k = 0; k < want; k++) r->lambda[k] -= r->shift;
  return loads ? load_shapes(r, loads) : HK_OK;
}

hk_status hki_reduce(hk_ctx *ctx, hk_loc loc, hk_pool *pool, const hk_fe *fe,
                     const hk_reduce_plan *opt, hk_flex *out) {
  reduction r = {.ctx = ctx, .loc = loc, .pool = pool, .fe = fe, .opt = opt};
  *out = (hk_flex){0};
  if (fe->nshape) return hki_reduce_given(ctx, loc, pool, fe, opt, out);
  hk_status st = shapes(&r);
  if (st == HK_OK) {
    const size_t ns = (size_t)r.ns, n = (size_t)r.links.n;
    double *w = hki_alloc(ctx, (4 * ns * ns + 2 * ns + n) * sizeof *w);
    double *Y = hki_alloc(ctx, ns * (n + (size_t)fe->ndof) * sizeof *Y);
    st = w && Y ? finish(&r, w, Y, Y + ns * n, out) : HK_E_MEMORY;
    hki_free(ctx, w);
    hki_free(ctx, Y);
  }
  hki_ldl_destroy(r.ldl);
  hki_free(ctx, r.memory);
  hki_free(ctx, r.shape);
  hki_free(ctx, r.lambda);
  hki_free(ctx, r.W);
  return st;
}

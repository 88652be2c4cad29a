/* SPDX-License-Identifier: Apache-2.0
 *
 * reduce.c: component modes of a finite-element model with rigid interfaces (links.h). With inner unknowns i and
 * those of the interfaces b, shapes are
 *
 *   boundary:  unit displacement of an interface, the inside follows: -Kii^-1 Kib
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
  hk_sym K, M;    /* of the linked model */
  hk_sym Mi;      /* its inner part */
  int32_t nb, ns; /* unknowns of interfaces, shapes */
  double *shape;  /* ns x links.n */
  double *lambda; /* of the fixed modes */
  hk_ldl *ldl;    /* of Kii (+ shift Mii) */
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

static double dot(int32_t n, const double *a, const double *b) {
  double s = 0.0;
  for (int32_t i = 0; i < n; i++) s += a[i] * b[i];
  return s;
}

/* ns x ns: shapes' A shapes */
static void project(const reduction *r, const hk_sym *A, double *y, double *out) {
  const ptrdiff_t n = r->links.n;
  for (int32_t i = 0; i < r->ns; i++) {
    hki_sym_mul(A, r->shape + n * i, y);
    for (int32_t j = 0; j < r->ns; j++)
      out[(ptrdiff_t)r->ns * i + j] = dot(r->links.n, y, r->shape + n * j);
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
  return hki_error(
      r->ctx, HK_E_MODEL, r->loc, "give the matrices of the body that nothing holds, in one piece",
      "the model has %d motions without strain, a free body has six: the lowest frequencies are "
      "%.4g, "
      "%.4g, %.4g Hz",
      (int)rigid, sqrt(fmax(lambda[0], 0.0)) / (2 * M_PI),
      sqrt(fmax(lambda[RIGID - 1], 0.0)) / (2 * M_PI), sqrt(fmax(next, 0.0)) / (2 * M_PI));
}

/* modes at the interfaces; Y: ne x links.n */
static bool interfaces(const reduction *r, const double *Y, hk_flex *out) {
  const int32_t nf = r->opt->nface, ne = out->ne;
  hk_flex_face *f = hki_pool_alloc(r->pool, ((size_t)nf + 1) * sizeof *f);
  double *x = hki_pool_alloc(r->pool, ((size_t)nf + 1) * 6 * (size_t)ne * sizeof *x);
  if (!f || !x) return false;
  for (int32_t i = 0; i < nf; i++) {
    double *Phi = x + 6 * (ptrdiff_t)ne * i, *Psi = Phi + 3 * (ptrdiff_t)ne;
    f[i].name = hki_pool_strdup(r->pool, r->opt->face[i].name);
    if (!f[i].name) return false;
    v3_copy(f[i].p, r->links.p + 3 * (ptrdiff_t)i);
    m3_identity(f[i].R);
    for (int32_t j = 0; j < ne; j++) {
      const double *y = Y + (ptrdiff_t)r->links.n * j + r->links.inner + 6 * (ptrdiff_t)i;
      v3_copy(Phi + 3 * (ptrdiff_t)j, y);
      v3_copy(Psi + 3 * (ptrdiff_t)j, y + 3);
    }
    f[i].Phi = Phi, f[i].Psi = Psi;
  }
  out->nface = nf, out->face = f;
  return true;
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
    for (int32_t a = r->nb; a < ns; a++)
      for (int32_t b = r->nb; b < ns; b++)
        fixed += q[(ptrdiff_t)ns * a] * Kr[(ptrdiff_t)ns * a + b] * q[(ptrdiff_t)ns * b];
    fixed = fmin(fmax(fixed / l, 0.0), 1.0);
    K[(ptrdiff_t)(ne + 1) * j] = l;
    m[j].frequency = sqrt(l) / (2 * M_PI);
    m[j].kind = !r->nb ? HK_FLEX_WHOLE : fixed > 0.5 ? HK_FLEX_INNER : HK_FLEX_BOUNDARY;
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
  if (st != HK_OK) return st;
  out->title = r->fe->title;
  const bool ok = hki_flex_draw(r->ctx, r->pool, r->fe, V, out) && interfaces(r, Y, out) &&
                  tabulate(r, lambda, Q, Kr, out);
  return ok ? HK_OK : HK_E_MEMORY;
}

/* the linked matrices, the factor of the inside, all shapes */
static hk_status shapes(reduction *r) {
  hk_sym Ki;
  hk_status st = hki_links_make(r->ctx, r->loc, r->pool, r->fe, r->opt, &r->links);
  if (st == HK_OK) st = hki_links_sym(r->ctx, r->pool, &r->links, &r->fe->K, &r->K);
  if (st == HK_OK) st = hki_links_sym(r->ctx, r->pool, &r->links, &r->fe->M, &r->M);
  if (st == HK_OK) st = inner_part(r, &r->K, &Ki);
  if (st == HK_OK) st = inner_part(r, &r->M, &r->Mi);
  if (st != HK_OK) return st;
  int32_t want = r->opt->modes;
  r->nb = 6 * r->opt->nface;
  if (!r->nb) {
    // a free body: (K + s M) has an inverse
    double k = 0.0, m = 0.0;
    for (int32_t j = 0; j < r->K.n; j++) k += r->K.val[r->K.start[j]], m += r->M.val[r->M.start[j]];
    r->shift = 1e-6 * k / m;
    want += RIGID;
  }
  if (want > r->links.inner) want = r->links.inner;
  r->ns = r->nb + want;
  r->shape = hki_alloc(r->ctx, (size_t)r->ns * (size_t)r->links.n * sizeof *r->shape);
  r->lambda = hki_alloc(r->ctx, ((size_t)want + 1) * sizeof *r->lambda);
  if (!r->shape || !r->lambda) return HK_E_MEMORY;
  if (r->links.inner) st = factorise(r, &Ki);
  if (st != HK_OK) return st;
  boundary_shapes(r);
  return fixed_shapes(r, want);
}

hk_status hki_reduce(hk_ctx *ctx, hk_loc loc, hk_pool *pool, const hk_fe *fe,
                     const hk_reduce_plan *opt, hk_flex *out) {
  reduction r = {.ctx = ctx, .loc = loc, .pool = pool, .fe = fe, .opt = opt};
  *out = (hk_flex){0};
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
  return st;
}

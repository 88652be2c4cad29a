/* SPDX-License-Identifier: Apache-2.0
 *
 * given.c: a body whose shapes V and their stiffness and mass are given. What V has of rigid motions R (R'M R = 1) is taken
 * away, and the pair (K, M - C'C), C = R'M V, brought to its own eigenvectors: the modes of the body that nothing holds.
 * Interfaces are the mean motion of their nodes, a single one with its own rotations.
 */
#include <math.h>

#include "flex/eigen.h"
#include "flex/links.h"
#include "geometry/geometry.h"

enum { RIGID = 6 };

typedef struct given {
  hk_ctx *ctx;
  hk_loc loc;
  hk_pool *pool;
  const hk_fe *fe;
  int32_t n;      /* shapes */
  double *R, *MR; /* 6 x ndof */
  double *V;      /* n x ndof: shapes without rigid motion, then modes */
  double *C;      /* 6 x n */
} given;

/* rigid motions, orthonormal in M */
static bool rigid_motions(given *g) {
  const hk_fe *fe = g->fe;
  const ptrdiff_t n = fe->ndof;
  for (int a = 0; a < RIGID; a++) {
    double *r = g->R + n * a, *mr = g->MR + n * a;
    for (int32_t d = 0; d < fe->ndof; d++) {
      double e[3] = {0}, v[3];
      const int c = fe->comp[d];
      e[a % 3] = 1.0;
      v3_cross(v, e, fe->x + 3 * (ptrdiff_t)fe->node[d]);
      if (a < 3)
        r[d] = c == a;
      else
        r[d] = c < 3 ? v[c] : c == a;
    }
    for (int b = 0; b < a; b++) {
      const double c = hki_fe_dot(fe->ndof, r, g->MR + n * b);
      for (ptrdiff_t d = 0; d < n; d++) r[d] -= c * g->R[n * b + d];
    }
    hki_sym_mul(&fe->M, r, mr);
    const double m = hki_fe_dot(fe->ndof, r, mr);
    if (!(m > 0.0)) return false;
    for (ptrdiff_t d = 0; d < n; d++) r[d] /= sqrt(m), mr[d] /= sqrt(m);
  }
  return true;
}

static void clean_shapes(given *g) {
  const ptrdiff_t n = g->fe->ndof;
  for (int32_t j = 0; j < g->n; j++) {
    double *v = g->V + n * j;
    for (ptrdiff_t d = 0; d < n; d++) v[d] = g->fe->shape[n * j + d];
    for (int a = 0; a < RIGID; a++) {
      const double c = hki_fe_dot(g->fe->ndof, g->MR + n * a, v);
      g->C[(ptrdiff_t)g->n * a + j] = c;
      for (ptrdiff_t d = 0; d < n; d++) v[d] -= c * g->R[n * a + d];
    }
  }
}

/* A: stiffness, B: mass of the shapes without their rigid part */
static void pair_of(const given *g, double *A, double *B, double *y) {
  const ptrdiff_t n = g->n;
  for (int32_t i = 0; i < g->n; i++) {
    hki_sym_mul(&g->fe->M, g->V + (ptrdiff_t)g->fe->ndof * i, y);
    for (int32_t j = 0; j < g->n; j++) {
      double m = hki_fe_dot(g->fe->ndof, y, g->V + (ptrdiff_t)g->fe->ndof * j);
      if (g->fe->shape_M) {
        m = g->fe->shape_M[n * i + j];
        for (int a = 0; a < RIGID; a++) m -= g->C[n * a + i] * g->C[n * a + j];
      }
      A[n * i + j] = g->fe->shape_K[n * i + j], B[n * i + j] = m;
    }
  }
}

/* table of modes, unit masses and diagonal stiffness; Q: vectors in its columns */
static bool tabulate(const given *g, const double *lambda, const double *Q, hk_flex *out) {
  const hk_fe *fe = g->fe;
  const ptrdiff_t n = g->n;
  hk_flex_mode *m = hki_pool_alloc(g->pool, (size_t)n * sizeof *m);
  double *K = hki_pool_alloc(g->pool, 2 * (size_t)(n * n) * sizeof *K), *Mf = K + n * n;
  if (!m || !K) return false;
  for (ptrdiff_t j = 0; j < n; j++) {
    double normal = 0.0;
    for (ptrdiff_t a = 0; a < fe->nnormal; a++)
      for (ptrdiff_t b = 0; b < fe->nnormal; b++)
        normal += Q[n * a + j] * fe->shape_K[n * a + b] * Q[n * b + j];
    normal = fmin(fmax(normal / lambda[j], 0.0), 1.0);
    K[(n + 1) * j] = lambda[j], Mf[(n + 1) * j] = 1.0;
    m[j] = (hk_flex_mode){sqrt(lambda[j]) / (2 * HK_PI),
                          fe->nnormal == fe->nshape ? HK_FLEX_WHOLE
                          : normal > 0.5            ? HK_FLEX_INNER
                                                    : HK_FLEX_BOUNDARY,
                          fmax(normal, 1.0 - normal)};
  }
  out->K = K, out->Mf = Mf, out->mode = m;
  return true;
}

static hk_status interfaces(const given *g, const hk_reduce_plan *opt, hk_flex *out) {
  const hk_fe *fe = g->fe;
  const ptrdiff_t n = fe->ndof;
  hk_links l;
  hk_reduce_plan plan = *opt;
  hk_plan_face *face = hki_pool_alloc(g->pool, ((size_t)opt->nface + 1) * sizeof *face);
  hk_flex_face *f = hki_pool_alloc(g->pool, ((size_t)opt->nface + 1) * sizeof *f);
  double *x = hki_pool_alloc(g->pool, ((size_t)opt->nface + 1) * 6 * (size_t)g->n * sizeof *x);
  double *W = hki_alloc(g->ctx, 6 * (size_t)n * sizeof *W);
  hk_status st = face && f && x && W ? HK_OK : HK_E_MEMORY;
  for (int32_t i = 0; st == HK_OK && i < opt->nface; i++)
    face[i] = opt->face[i], face[i].average = true;
  plan.face = face;
  if (st == HK_OK) st = hki_links_make(g->ctx, g->loc, g->pool, fe, &plan, &l);
  for (int32_t i = 0; st == HK_OK && i < opt->nface; i++) {
    double *Phi = x + 6 * (ptrdiff_t)g->n * i, *Psi = Phi + 3 * (ptrdiff_t)g->n;
    f[i] = (hk_flex_face){.name = hki_pool_strdup(g->pool, face[i].name), .Phi = Phi, .Psi = Psi};
    v3_copy(f[i].p, l.p + 3 * (ptrdiff_t)i);
    m3_identity(f[i].R);
    st = f[i].name ? hki_average(g->ctx, fe, face[i].set, f[i].p, W) : HK_E_MEMORY;
    for (int32_t j = 0; st == HK_OK && j < g->n; j++)
      for (int k = 0; k < 6; k++)
        (k < 3 ? Phi : Psi)[3 * (ptrdiff_t)j + k % 3] =
            hki_fe_dot(fe->ndof, W + n * k, g->V + n * j);
  }
  hki_free(g->ctx, W);
  out->nface = opt->nface, out->face = f;
  return st;
}

/* w: work of 3 n^2 + 2 n numbers and ndof */
static hk_status finish(given *g, const hk_reduce_plan *opt, double *w, double *old, hk_flex *out) {
  const ptrdiff_t n = g->n, nd = g->fe->ndof;
  double *A = w, *B = A + n * n, *Q = B + n * n, *lambda = Q + n * n, *x = lambda + n, *y = x + n;
  if (!rigid_motions(g))
    return hki_error(g->ctx, HK_E_MODEL, g->loc, NULL,
                     "the lumped masses do not resist every rigid motion");
  clean_shapes(g);
  pair_of(g, A, B, y);
  if (hki_sym_eigen(g->n, A, B, lambda, Q, x) != HK_OK || !(lambda[0] > 0.0))
    return hki_error(g->ctx, HK_E_MODEL, g->loc, "leave rigid motions out of the modes",
                     "the modes are not independent of each other and of rigid motions, or their "
                     "stiffness is not positive");
  for (ptrdiff_t i = 0; i < n * nd; i++) old[i] = g->V[i], g->V[i] = 0.0;
  for (ptrdiff_t j = 0; j < n; j++)
    for (ptrdiff_t k = 0; k < n; k++)
      for (ptrdiff_t d = 0; d < nd; d++) g->V[nd * j + d] += Q[n * k + j] * old[nd * k + d];
  hk_status st = hki_flex_invariants(g->ctx, g->pool, g->fe, g->n, g->V, out);
  if (st == HK_OK) st = interfaces(g, opt, out);
  if (st != HK_OK) return st;
  out->title = g->fe->title;
  const bool ok = tabulate(g, lambda, Q, out) && hki_flex_draw(g->ctx, g->pool, g->fe, g->V, out);
  return ok ? HK_OK : HK_E_MEMORY;
}

hk_status hki_reduce_given(hk_ctx *ctx, hk_loc loc, hk_pool *pool, const hk_fe *fe,
                           const hk_reduce_plan *opt, hk_flex *out) {
  const size_t n = (size_t)fe->nshape, nd = (size_t)fe->ndof;
  given g = {.ctx = ctx, .loc = loc, .pool = pool, .fe = fe, .n = fe->nshape};
  double *m = hki_alloc(ctx, (12 * nd + 2 * n * nd + 6 * n + 3 * n * n + 2 * n + nd) * sizeof *m);
  if (!m) return HK_E_MEMORY;
  g.R = m, g.MR = g.R + 6 * nd, g.V = g.MR + 6 * nd;
  double *old = g.V + n * nd;
  g.C = old + n * nd;
  const hk_status st = finish(&g, opt, g.C + 6 * n, old, out);
  hki_free(ctx, m);
  return st;
}

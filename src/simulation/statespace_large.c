/* SPDX-License-Identifier: Apache-2.0
 *
 * statespace_large.c: some modes of a large model: the finite eigenvalues nearest to a complex shift s of the sparse
 * equations (statespace_pencil.c), with x = (bodies, multipliers) and
 *
 *   (u, w) -> (xi, s xi + u),   T(s) (xi, lam) = -(M w + (C + s M) u, 0),   theta = 1 / (lambda - s)
 *
 * by Arnoldi's method. T is factorised once, sparse and complex. Infinite eigenvalues, of constraints and of motions
 * without mass, have theta = 0, and the first vector is freed of them by two products.
 *
 * Source: Lehoucq, Sorensen and Yang, ARPACK Users' Guide, 1998, section 3.2; Meerbergen and Spence, Implicitly
 * Restarted Arnoldi with Purification for the Shift-Invert Transformation, 1997.
 */
#include <complex.h>
#undef I /* a name of others here */
#include <stdlib.h>

#include "linalg/arpack.h"
#include "linalg/complex_lu.h"
#include "simulation/statespace_pencil.h"

enum { DEFAULT = 10, MOST = 600 };
/* an eigenvalue whose vector (u, w) has |w - lambda u| above this share of |w| is none */
static const double foreign = 1e-3;
/* one with theta below this share of the largest is round-off of an infinite one */
static const double infinite = 1e-7;
/* |lambda| up to this one is zero, 1/s (statespace_modes.c) */
static const double zero = 5e-6;

typedef struct large {
  hk_statespace *l;
  const hk_slopes *p;
  hk_complex_lu *lu;
  double complex shift, *T, *b; /* entries of T; right side and solution, p->n */
  double complex *theta, *X;    /* want; 2 nbodies x want */
  double complex *first;        /* 2 nbodies */
  int32_t want, found;
} large;

/* y += c Y x of the columns of bodies */
static void add_product(const hk_slopes *p, double complex c, const double *Y,
                        const double complex *x, double complex *y) {
  for (int32_t j = 0; j < p->nbodies; j++)
    for (int32_t e = p->start[j]; e < p->start[j + 1]; e++) y[p->row[e]] += c * Y[e] * x[j];
}

static void product(void *user, const double *from, double *to) {
  large *a = user;
  const hk_slopes *p = a->p;
  const int32_t n = p->nbodies;
  const double complex *u = (const double complex *)from, *w = u + n;
  double complex *y = (double complex *)to;
  for (int32_t i = 0; i < p->n; i++) a->b[i] = 0.0;
  add_product(p, -1.0, p->M, w, a->b);
  add_product(p, -1.0, p->C, u, a->b);
  add_product(p, -a->shift, p->M, u, a->b);
  // multipliers and their rows have neither mass nor damping
  for (int32_t i = n; i < p->n; i++) a->b[i] = 0.0;
  hki_complex_lu_solve(a->lu, (double *)a->b);
  for (int32_t i = 0; i < n; i++) y[n + i] = a->shift * a->b[i] + u[i];
  for (int32_t i = 0; i < n; i++) y[i] = a->b[i];
}

/* --- shift --------------------------------------------------------------------------------------- */

/* below the slowest motions of a model whose fastest ones its stiffest body tells */
static double slow(const hk_slopes *p) {
  double most = 0.0;
  for (int32_t j = 0; j < p->nbodies; j++)
    for (int32_t e = p->start[j]; e < p->start[j + 1]; e++)
      if (p->row[e] == j && p->M[e] > 0.0) most = fmax(most, fabs(p->K[e]) / p->M[e]);
  return most > 0.0 ? 1e-3 * sqrt(most) : 1.0;
}

/* factors of T at a->shift */
static hk_status factor(large *a) {
  const hk_slopes *p = a->p;
  for (int32_t e = 0; e < p->start[p->n]; e++)
    a->T[e] = p->K[e] + a->shift * (p->C[e] + a->shift * p->M[e]);
  hki_complex_lu_destroy(a->lu);
  a->lu = NULL;
  hk_status st = hki_complex_lu_create(a->l->ctx, p->n, p->start, p->row, (double *)a->T, &a->lu);
  if (st == HK_E_USAGE)
    return hki_error(a->l->ctx, st, HK_LOC_NONE, "build with KLU, or use full matrices",
                     "this build has no sparse solver for modes of large models");
  return st;
}

/* the shift at the angular frequency w, beside the imaginary axis, on which undamped modes are */
static hk_status set_shift(large *a, double w) {
  a->shift = w * (_Complex_I + (a->l->near_Hz > 0.0 ? 1e-4 : 0.3));
  hk_status st = factor(a);
  for (int i = 0; st == HK_E_SINGULAR && i < 3; i++) {
    a->shift *= 1.013;
    st = factor(a);
  }
  if (st == HK_E_SINGULAR)
    return hki_error(a->l->ctx, st, HK_LOC_NONE, "look at the model with 'hooke check'",
                     "the sparse equations are singular: some motion has neither mass nor "
                     "stiffness, or constraints depend on each other");
  return st;
}

/* --- eigenvalues --------------------------------------------------------------------------------- */

/* a->want eigenvalues nearest to the shift */
static hk_status iterate(large *a) {
  const int32_t n = 2 * a->p->nbodies;
  char why[300] = "";
  hk_pool *pool = a->l->pool;
  a->theta = hki_pool_alloc(pool, ((size_t)a->want + 1) * sizeof *a->theta);
  a->X = hki_pool_alloc(pool, (size_t)a->want * (size_t)n * sizeof *a->X);
  if (!a->theta || !a->X) return HK_E_MEMORY;
  uint64_t seed = 88172645463325252u; // any vector does, but the same at every call
  for (int32_t i = 0; i < n; i++) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    a->first[i] = (double)(seed >> 11) * 0x1p-53 - 0.5;
  }
  for (int i = 0; i < 2; i++) {
    product(a, (const double *)a->first, (double *)a->X);
    memcpy(a->first, a->X, (size_t)n * sizeof *a->first);
  }
  hk_status st = hki_arnoldi(a->l->ctx, n, a->want, product, a, (const double *)a->first,
                             (double *)a->theta, (double *)a->X, &a->found, why, sizeof why);
  if (st != HK_OK && *why) hki_error(a->l->ctx, st, HK_LOC_NONE, hki_arnoldi_hint(st), "%s", why);
  return st;
}

static double complex value(const large *a, int32_t k) { return a->shift + 1.0 / a->theta[k]; }

/* of a pair the one with imag >= 0; not those that are none, or infinite; nearest: the largest |theta| */
static bool counts(const large *a, int32_t k, double nearest) {
  const int32_t n = a->p->nbodies;
  const double complex z = value(a, k), *u = a->X + (size_t)k * 2 * (size_t)n, *w = u + n;
  double off = 0.0, size = 0.0;
  for (int32_t i = 0; i < n; i++) {
    off += creal((w[i] - z * u[i]) * conj(w[i] - z * u[i]));
    size += creal(w[i] * conj(w[i])) + creal(a->shift * conj(a->shift)) * creal(u[i] * conj(u[i]));
  }
  const bool free = cabs(z) <= zero; // all zeros of free motions are kept
  return (free || cimag(z) >= -1e-7 * cabs(z)) && (free || off <= foreign * foreign * size) &&
         cabs(a->theta[k]) > infinite * nearest;
}

/* how far from the shift everything is known */
static double reach(const large *a) {
  double far = 0.0;
  for (int32_t k = 0; k < a->found; k++) far = fmax(far, cabs(1.0 / a->theta[k]));
  return far;
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* low: the smallest |lambda| that is not zero, last: the n-th smallest; of those found */
static bool sizes(const large *a, int32_t n, double *low, double *last) {
  double *size = hki_alloc(a->l->ctx, ((size_t)a->found + 1) * sizeof *size), nearest = 0.0;
  int32_t count = 0;
  if (!size) return false;
  for (int32_t k = 0; k < a->found; k++) nearest = fmax(nearest, cabs(a->theta[k]));
  for (int32_t k = 0; k < a->found; k++)
    if (counts(a, k, nearest)) size[count++] = cabs(value(a, k));
  qsort(size, (size_t)count, sizeof *size, by_size);
  *low = *last = INFINITY;
  for (int32_t k = count - 1; k >= 0 && size[k] > zero; k--) *low = size[k];
  if (count) *last = size[n < count ? n - 1 : count - 1];
  hki_free(a->l->ctx, size);
  return true;
}

/* The n slowest: none can be missed once the circle about the shift within which all are known holds that about zero
 * with all of them. Until then the shift goes down, or more are found. */
static hk_status find_slowest(large *a, int32_t n, int32_t most) {
  hk_status st = set_shift(a, slow(a->p));
  for (int tries = 0; st == HK_OK && tries < 20; tries++) {
    double low, last;
    if ((st = iterate(a)) != HK_OK) return st;
    if (!sizes(a, n, &low, &last)) return HK_E_MEMORY;
    const double shift = cabs(a->shift);
    if (last + shift <= reach(a)) return HK_OK;
    if (low < 5.0 * shift)
      st = set_shift(a, 0.1 * low);
    else if (a->want < most)
      a->want = 2 * a->want < most ? 2 * a->want : most;
    else
      break;
  }
  if (st == HK_OK && a->want < 2 * a->p->nbodies - 2)
    hki_warn(a->l->ctx, HK_LOC_NONE, "ask for fewer, or for a band by frequencies",
             "some of the slowest modes may be missing");
  return st;
}

/* all within half the width of a band about its middle */
static hk_status find_band(large *a, double half, int32_t most) {
  hk_statespace *l = a->l;
  hk_status st = iterate(a);
  while (st == HK_OK && reach(a) < 1.01 * half && a->want < most) {
    a->want = 2 * a->want < most ? 2 * a->want : most;
    st = iterate(a);
  }
  if (st == HK_OK && reach(a) < half && a->want >= MOST)
    return hki_error(l->ctx, HK_E_NUMBER, HK_LOC_NONE, "ask for a narrower band",
                     "there are more than %d modes between %.9g and %.9g Hz", (int)(MOST / 2),
                     l->low_Hz, l->high_Hz);
  return st;
}

/* as many as are needed for what is asked */
static hk_status find_all(large *a) {
  const hk_statespace *l = a->l;
  const double turn = 6.283185307179586, half = 0.5 * turn * (l->high_Hz - l->low_Hz);
  const int32_t most = 2 * a->p->nbodies - 2 < MOST ? 2 * a->p->nbodies - 2 : MOST;
  const int32_t n = l->want ? l->want : DEFAULT;
  a->want = 2 * n + 6 < most ? 2 * n + 6 : most;
  if (!(l->near_Hz > 0.0)) return find_slowest(a, n, most);
  hk_status st = set_shift(a, turn * l->near_Hz);
  if (st != HK_OK) return st;
  return l->high_Hz > 0.0 ? find_band(a, half, most) : iterate(a);
}

/* --- shapes -------------------------------------------------------------------------------------- */

/* xi: the tree's coordinates of the twists V of all bodies (6 m->nb, about O), real or imaginary parts */
static void to_tree(const hk_statespace *l, const double *V, double *xi) {
  const hk_model *m = l->m;
  for (int32_t b = 0; b < m->nb; b++) {
    const int32_t nv = m->bodies[b].nv, v0 = m->bodies[b].v0, up = m->bodies[b].parent;
    double rel[6], A[36], x[6];
    for (int i = 0; i < 6; i++) rel[i] = V[6 * b + i] - (up == HK_GROUND ? 0.0 : V[6 * up + i]);
    // least squares by the few columns of the joint
    for (int32_t i = 0; i < nv; i++) {
      x[i] = s6_dot(l->columns + 6 * (size_t)(v0 + i), rel);
      for (int32_t j = 0; j < nv; j++)
        A[6 * i + j] = s6_dot(l->columns + 6 * (size_t)(v0 + i), l->columns + 6 * (size_t)(v0 + j));
    }
    for (int32_t k = 0; k < nv; k++)
      for (int32_t i = k + 1; i < nv; i++) {
        const double f = A[6 * i + k] / A[7 * k];
        for (int32_t j = k; j < nv; j++) A[6 * i + j] -= f * A[6 * k + j];
        x[i] -= f * x[k];
      }
    for (int32_t k = nv - 1; k >= 0; k--) {
      for (int32_t j = k + 1; j < nv; j++) x[k] -= A[6 * k + j] * x[j];
      x[k] /= A[7 * k];
    }
    for (int32_t i = 0; i < nv; i++) xi[v0 + i] = x[i];
  }
}

/* the state that takes part most: the coordinate with the largest product of its motion and the momentum of all that it
 * moves, which is that of left and right eigenvector where there is neither damping nor turning */
static int32_t largest(const hk_statespace *l, const double *V, const double *xi, double *P) {
  const hk_model *m = l->m;
  double most = -1.0;
  int32_t best = 0;
  for (int part = 0; part < 2; part++)
    for (int32_t b = 0; b < m->nb; b++)
      inertia_mul(P + 6 * (part * m->nb + b), &l->masses[b], V + 6 * (part * m->nb + b));
  for (int part = 0; part < 2; part++)
    for (int32_t b = m->nb - 1; b >= 0; b--)
      if (m->bodies[b].parent != HK_GROUND)
        s6_axpy(P + 6 * (part * m->nb + m->bodies[b].parent), 1.0, P + 6 * (part * m->nb + b));
  for (int32_t b = 0; b < m->nb; b++)
    for (int32_t j = m->bodies[b].v0; j < m->bodies[b].v0 + m->bodies[b].nv; j++) {
      const double *S = l->columns + 6 * (size_t)j;
      const double size =
          hypot(xi[j], xi[m->nv + j]) * hypot(s6_dot(S, P + 6 * b), s6_dot(S, P + 6 * (m->nb + b)));
      if (size > most * (1.0 + 1e-6)) most = size, best = j;
    }
  return best;
}

/* mode number k of l from eigenvalue j: shape, body motions, state */
static void put_mode(large *a, int32_t k, int32_t j, double *work) {
  hk_statespace *l = a->l;
  const hk_model *m = l->m;
  const int32_t nv = m->nv, nb = m->nb;
  const double complex z = value(a, j), *u = a->X + (size_t)j * 2 * (size_t)a->p->nbodies;
  double *V = work, *xi = V + 12 * nb, *P = xi + 2 * nv;
  double *re = l->right + (size_t)(2 * k) * (size_t)l->n, *im = re + l->n;
  hk_statespace_mode_data *d = &l->mode[k];
  const bool real = fabs(cimag(z)) <= 1e-7 * cabs(z);
  *d = (hk_statespace_mode_data){
      .re = creal(z), .im = real ? 0.0 : cimag(z), .mu = {NAN, NAN}, .column = 2 * k, .pair = true};
  for (int32_t b = 0; b < nb; b++) {
    double x[2][6] = {{0}};
    for (int32_t i = a->p->lack[b]; i < a->p->nd; i++)
      x[0][i] = creal(u[a->p->at[b] + i]), x[1][i] = cimag(u[a->p->at[b] + i]);
    hki_pencil_twist(a->p, l->offset + 3 * (size_t)b, x[0], V + 6 * b);
    hki_pencil_twist(a->p, l->offset + 3 * (size_t)b, x[1], V + 6 * (nb + b));
  }
  to_tree(l, V, xi);
  to_tree(l, V + 6 * nb, xi + nv);
  for (int32_t i = 0; i < nv; i++) {
    const double complex q = l->sign[i] * (xi[i] + xi[nv + i] * _Complex_I), v = z * q;
    re[i] = creal(q), im[i] = cimag(q), re[nv + i] = creal(v), im[nv + i] = cimag(v);
  }
  d->state = largest(l, V, xi, P);
  for (int32_t b = 0; b < l->nb; b++)
    for (int part = 0; part < 2; part++)
      s6_copy(l->motion + 12 * ((size_t)k * (size_t)l->nb + (size_t)b) + 6 * part,
              V + 6 * (part * nb + m->body_of_spec[b]));
}

/* eigenvalue and its place among those found, for sorting */
typedef struct entry {
  double key;
  int32_t k;
} entry;

static int by_key(const void *a, const void *b) {
  const entry *x = a, *y = b;
  return x->key != y->key ? (x->key < y->key ? -1 : 1) : (x->k > y->k) - (x->k < y->k);
}

/* the eigenvalues that were asked for, nearest to what was asked for first */
static int32_t choose(const large *a, entry *list) {
  const hk_statespace *l = a->l;
  const double turn = 6.283185307179586;
  double nearest = 0.0;
  int32_t n = 0;
  for (int32_t k = 0; k < a->found; k++) nearest = fmax(nearest, cabs(a->theta[k]));
  for (int32_t k = 0; k < a->found; k++) {
    const double complex z = value(a, k);
    const double f = cimag(z) / turn;
    if (!counts(a, k, nearest) || (l->high_Hz > 0.0 && (f < l->low_Hz || f > l->high_Hz))) continue;
    list[n++] = (entry){l->near_Hz > 0.0 ? cabs(z - turn * l->near_Hz * _Complex_I) : cabs(z), k};
  }
  qsort(list, (size_t)n, sizeof *list, by_key);
  if (l->high_Hz > 0.0) return n;
  const int32_t want = l->want ? l->want : DEFAULT;
  return n < want ? n : want;
}

static hk_status take_modes(large *a) {
  hk_statespace *l = a->l;
  const hk_model *m = l->m;
  entry *list = hki_pool_alloc(l->pool, ((size_t)a->found + 1) * sizeof *list);
  if (!list) return HK_E_MEMORY;
  const int32_t n = choose(a, list);
  const size_t nb = (size_t)m->nb, count = (size_t)n;
  double *work = hki_pool_alloc(l->pool, (24 * nb + 2 * (size_t)m->nv + 1) * sizeof *work);
  hk_statespace_mode_data *mode = hki_pool_alloc(l->pool, (count + 1) * sizeof *mode);
  l->right = hki_pool_alloc(l->pool, (2 * count * (size_t)l->n + 1) * sizeof *l->right);
  l->motion = hki_pool_alloc(l->pool, (12 * count * (size_t)l->nb + 1) * sizeof *l->motion);
  if (!work || !mode || !l->right || !l->motion) return HK_E_MEMORY;
  l->mode = mode, l->nmodes = n;
  for (int32_t k = 0; k < n; k++) put_mode(a, k, list[k].k, work);
  return HK_OK;
}

hk_status hki_statespace_large_modes(hk_statespace *l) {
  const hk_slopes *p = l->pencil;
  large a = {.l = l, .p = p};
  a.T = hki_pool_alloc(l->pool, ((size_t)p->start[p->n] + 1) * sizeof *a.T);
  a.b = hki_pool_alloc(l->pool, ((size_t)p->n + 1) * sizeof *a.b);
  a.first = hki_pool_alloc(l->pool, (2 * (size_t)p->nbodies + 1) * sizeof *a.first);
  if (!a.T || !a.b || !a.first) return HK_E_MEMORY;
  if (l->high_Hz > 0.0) l->near_Hz = 0.5 * (l->low_Hz + l->high_Hz);
  hk_status st = find_all(&a);
  if (st == HK_OK) st = take_modes(&a);
  hki_complex_lu_destroy(a.lu);
  return st;
}

/* --- the equations ------------------------------------------------------------------------------- */

/* all coordinates of the tree and their rates are states */
static hk_status find_states(hk_statespace *l, hk_sim *s, double *sign) {
  const int32_t nv = l->m->nv;
  int32_t *every = hki_pool_alloc(l->pool, ((size_t)nv + 1) * sizeof *every);
  if (!every) return HK_E_MEMORY;
  for (int32_t i = 0; i < nv; i++) every[i] = i;
  const hk_statespace_free free = {.np = nv, .nr = nv, .position = every, .rate = every};
  return hki_statespace_states_find(l, s, &free, sign);
}

/* what shapes need of the kinematics */
static hk_status keep_bodies(hk_statespace *l, const hk_sim *s) {
  const hk_model *m = l->m;
  const hk_kin *k = s->kin;
  const size_t nb = (size_t)m->nb, nv = (size_t)m->nv;
  l->offset = hki_pool_alloc(l->pool, (3 * nb + 1) * sizeof *l->offset);
  l->columns = hki_pool_alloc(l->pool, (6 * nv + 1) * sizeof *l->columns);
  l->masses = hki_pool_alloc(l->pool, (nb + 1) * sizeof *l->masses);
  l->arm = hki_pool_alloc(l->pool, (3 * (size_t)l->nb + 1) * sizeof *l->arm);
  l->inertia = hki_pool_alloc(l->pool, ((size_t)l->nb + 1) * sizeof *l->inertia);
  if (!l->offset || !l->columns || !l->masses || !l->arm || !l->inertia) return HK_E_MEMORY;
  for (size_t b = 0; b < nb; b++) v3_sub(l->offset + 3 * b, k->frame[b].p, k->O + 3 * b);
  memcpy(l->columns, k->S, 6 * nv * sizeof *l->columns);
  memcpy(l->masses, k->I, nb * sizeof *l->masses);
  for (int32_t i = 0; i < l->nb; i++) {
    const int32_t b = m->body_of_spec[i];
    hk_frame F;
    hki_kin_marker(k, b, &m->bodies[b].own, &F);
    v3_sub(l->arm + 3 * (size_t)i, F.p, k->O + 3 * (size_t)b);
    l->inertia[i] = k->I[b];
  }
  return HK_OK;
}

hk_status hki_statespace_large(hk_statespace *l, hk_sim *s) {
  double *sign =
      hki_pool_alloc(l->pool, (size_t)(2 * l->m->nv + l->m->nx + l->m->nz + 2) * sizeof *sign);
  l->nu = 0, l->nb = l->m->spec->nbodies, l->rough = l->accelerated = -1;
  l->large = true;
  if (!(l->sign = sign)) return HK_E_MEMORY;
  hki_sim_refresh(s);
  hk_status st = find_states(l, s, sign);
  if (st == HK_OK) st = keep_bodies(l, s);
  return st == HK_OK ? hki_statespace_pencil_find(l, s) : st;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * statespace_pencil.c: small motions by the sparse matrices of a formulation that has them (stage.h, hk_slopes),
 * about a state in which bodies do not turn:
 *
 *   P(lambda) x = (K + lambda C + lambda^2 M) x = 0,   x: bodies and multipliers
 *
 * Motions without mass are no hindrance here: their eigenvalues are infinite. With y the motions that the
 * constraints leave (statespace_states.c), x = N y, and a shift s the finite ones are those of
 *
 *   (y, y') -> (xi, s xi + y),   T(s) xi = -(M y' + (C + s M) y),   T = N' P N        theta = 1 / (lambda - s)
 *
 * Models with few coordinates and motions without mass are treated so; large ones in statespace_large.c.
 */
#include <float.h>

#include "linalg/dense.h"
#include "simulation/statespace_pencil.h"

/* angular velocities up to this one, rad/s, are none */
static const double still = 1e-9;

/* --- the matrices -------------------------------------------------------------------------------- */

/* why there are none, in words; NULL: there are */
static const char *fault(const hk_sim *s) {
  const hk_model *m = s->m;
  if (m->nx || m->nz) return "networks, controllers and friction with states";
  if (s->mobility.redundant > 0) return "constraints that follow from others";
  if (m->nrate) return "rows on velocities, of rolling and of blades";
  for (int32_t b = 0; b < m->nb; b++)
    if (v3_norm(s->kin->frame[b].w) > still)
      return "bodies that turn: in fixed axes the equations change with the motion";
  return NULL;
}

bool hki_statespace_has_pencil(const hk_sim *s) { return !fault(s); }

/* the first formulation that has the matrices and takes the model */
static const hk_formulation_entry *who_has(const hk_sim *s) {
  char buf[300];
  for (int32_t i = 0; i < hki_formulation_count(); i++) {
    const hk_formulation_entry *e = hki_formulation_at(i);
    if (e->ops->slopes && !hki_sim_fits(s->m, e->ops, buf, sizeof buf)) return e;
  }
  return NULL;
}

hk_status hki_sim_sparse_twin(hk_sim *s, hk_sim **out) {
  const hk_model *m = s->m;
  const hk_formulation_entry *e = who_has(s);
  hk_sim_options opt = hki_sim_same_options(s);
  if (!e) return HK_E_USAGE;
  opt.formulation = e->ops->name;
  opt.equilibrium = 0;
  if (s->fe->ops != e->ops) opt.noptions = 0;
  hk_status st = hki_sim_create(s->ctx, s->m, &opt, out);
  if (st != HK_OK) return st;
  hk_sim *r = *out;
  memcpy(r->kin->disc.block, s->kin->disc.block, (size_t)s->kin->disc.n * sizeof(double));
  r->I.t = s->I.t;
  memcpy(r->qt, s->qt, (size_t)m->nq * sizeof *r->qt);
  memcpy(r->vt, s->vt, (size_t)(m->nv + m->nx + m->nz) * sizeof *r->vt);
  st = r->f->ops->from_tree(r->f, r->qt, r->vt, r->I.q, r->I.v);
  r->f->ops->restart(r->f);
  if (st == HK_OK) st = r->f->ops->accel(r->f, r->I.t, r->I.q, r->I.v, r->I.a);
  return st <= 0 ? st : HK_E_NUMBER;
}

hk_status hki_statespace_pencil_find(hk_statespace *l, hk_sim *s) {
  const hk_model *m = s->m;
  hk_sim *twin = NULL;
  const char *why = fault(s);
  if (why)
    return hki_error(l->ctx, HK_E_MODEL, HK_LOC_NONE,
                     s->held ? "give massless bodies a mass"
                             : "leave it out: full matrices have all of it",
                     "the sparse equations of small motions do not know %s", why);
  l->pencil = hki_pool_alloc(l->pool, sizeof *l->pencil);
  if (!l->pencil) return HK_E_MEMORY;
  hk_status st = hki_sim_sparse_twin(s, &twin);
  if (st == HK_OK)
    st = twin->f->ops->slopes(twin->f, l->pool, twin->I.t, twin->I.q, twin->I.v, twin->I.a,
                              l->pencil);
  for (int32_t i = 0; st == HK_OK && i < m->nb * l->pencil->nd; i++) {
    const int32_t of = i / l->pencil->nd, j = i % l->pencil->nd;
    if (j < l->pencil->lack[of]) continue;
    const double a = fabs(twin->I.a[l->pencil->at[of] + j]);
    // rates of motions without mass have no meaning
    const hk_model_body *b = &m->bodies[of];
    if (b->massless || !(a > l->acceleration)) continue;
    l->acceleration = a, l->moving = m->spec->bodies[b->spec].name;
  }
  hk_sim_destroy(twin);
  return st;
}

/* --- bodies -------------------------------------------------------------------------------------- */

void hki_pencil_variation(const hk_slopes *p, const double *arm, const double *V, double *x) {
  double u[3];
  v3_copy(u, V + 3);
  v3_cross_add(u, V, arm);
  if (p->nd == 6) {
    v3_copy(x, V);
    v3_copy(x + 3, u);
    return;
  }
  const double *E = p->E;
  x[0] = E[2] * V[0] + E[5] * V[1] + E[8] * V[2];
  for (int i = 0; i < 2; i++) x[1 + i] = E[i] * u[0] + E[3 + i] * u[1] + E[6 + i] * u[2];
}

void hki_pencil_twist(const hk_slopes *p, const double *arm, const double *x, double *V) {
  double back[3];
  if (p->nd == 6) {
    v3_copy(V, x);
    v3_copy(V + 3, x + 3);
  } else {
    const double *E = p->E;
    for (int i = 0; i < 3; i++)
      V[i] = E[3 * i + 2] * x[0], V[3 + i] = E[3 * i] * x[1] + E[3 * i + 1] * x[2];
  }
  v3_scale(back, -1.0, arm);
  v3_cross_add(V + 3, V, back);
}

/* --- reduced ------------------------------------------------------------------------------------- */

/* N (n x np, columns): variations of all bodies in the motions of the positions */
static void motions(const hk_statespace *l, const hk_kin *k, double *N) {
  const hk_model *m = l->m;
  const hk_slopes *p = l->pencil;
  double V[6], arm[3], x[6];
  for (int32_t j = 0; j < l->np; j++) {
    const double *T = l->moves + (size_t)j * (size_t)m->nv;
    for (int32_t b = 0; b < m->nb; b++) {
      memset(V, 0, sizeof V);
      for (int32_t c = b; c != HK_GROUND; c = m->bodies[c].parent)
        for (int32_t i = m->bodies[c].v0; i < m->bodies[c].v0 + m->bodies[c].nv; i++)
          s6_axpy(V, T[i] * l->sign[l->place[j]], k->S + 6 * (size_t)i);
      v3_sub(arm, k->frame[b].p, k->O + 3 * (size_t)b);
      hki_pencil_variation(p, arm, V, x);
      for (int32_t i = p->lack[b]; i < p->nd; i++)
        N[(size_t)j * (size_t)p->nbodies + (size_t)(p->at[b] + i)] = x[i];
    }
  }
}

/* X (np x np, columns) = N' Y N of the part of a sparse matrix that belongs to bodies */
static void reduce(const hk_statespace *l, const double *Y, const double *N, double *y, double *X) {
  const hk_slopes *p = l->pencil;
  const int32_t n = p->nbodies, np = l->np;
  for (int32_t j = 0; j < np; j++) {
    const double *x = N + (size_t)j * (size_t)n;
    memset(y, 0, (size_t)n * sizeof *y);
    for (int32_t c = 0; c < n; c++)
      for (int32_t e = p->start[c]; e < p->start[c + 1]; e++)
        if (p->row[e] < n) y[p->row[e]] += Y[e] * x[c];
    for (int32_t i = 0; i < np; i++) {
      double sum = 0.0;
      for (int32_t c = 0; c < n; c++) sum += N[(size_t)i * (size_t)n + (size_t)c] * y[c];
      X[i + j * np] = sum;
    }
  }
}

/* a shift about as large as the slowest motions: from the sizes of K and M */
static double choose_shift(int32_t n, const double *M, const double *K) {
  double k = 0.0, m = 0.0;
  for (int32_t i = 0; i < n * n; i++) k = fmax(k, fabs(K[i])), m = fmax(m, fabs(M[i]));
  return m > 0.0 && k > 0.0 ? 0.05 * sqrt(k / m) : 1.0;
}

/* l->A: the operator of the shift */
static hk_status shifted(hk_statespace *l, const double *M, const double *C, const double *K,
                         double *T, int32_t *pivot) {
  const int32_t n = l->np, ld = hki_dense_ld(n), two = 2 * n;
  double *inv = T + (size_t)ld * (size_t)n, *x = inv + ld, *work = x + ld;
  const double s = l->shift;
  memset(T, 0, (size_t)ld * (size_t)n * sizeof *T);
  for (int32_t j = 0; j < n; j++)
    for (int32_t i = 0; i < n; i++)
      T[i + j * ld] = K[i + j * n] + s * (C[i + j * n] + s * M[i + j * n]);
  hk_status st = hki_dense_lu_factor(n, T, ld, pivot, inv, work, NULL);
  for (int32_t j = 0; st == HK_OK && j < two; j++) {
    const int32_t c = j % n;
    const bool rate = j >= n;
    memset(x, 0, (size_t)ld * sizeof *x);
    for (int32_t i = 0; i < n; i++) x[i] = -(rate ? M[i + c * n] : C[i + c * n] + s * M[i + c * n]);
    hki_dense_lu_solve(n, T, ld, pivot, inv, x, work);
    for (int32_t i = 0; i < n; i++) {
      l->A[i + j * two] = x[i];
      l->A[n + i + j * two] = s * x[i] + (!rate && i == c ? 1.0 : 0.0);
    }
  }
  return st;
}

hk_status hki_statespace_reduced(hk_statespace *l, hk_sim *s) {
  hk_status st = hki_statespace_pencil_find(l, s);
  if (st != HK_OK) return st;
  const size_t np = (size_t)l->np, n = (size_t)l->pencil->nbodies, ld = (size_t)hki_dense_ld(l->np);
  double *N =
      hki_pool_alloc(l->pool, (n * (np + 1) + 3 * np * np + ld * np + 9 * ld + 64) * sizeof *N);
  int32_t *pivot = hki_pool_alloc(l->pool, (np + 1) * sizeof *pivot);
  l->A = hki_pool_alloc(l->pool, (4 * np * np + 1) * sizeof *l->A);
  if (!N || !pivot || !l->A) return HK_E_MEMORY;
  if (l->n != 2 * l->np) return HK_E_USAGE;
  double *y = N + n * np, *M = y + n, *C = M + np * np, *K = C + np * np, *T = K + np * np;
  motions(l, s->kin, N);
  reduce(l, l->pencil->M, N, y, M);
  reduce(l, l->pencil->C, N, y, C);
  reduce(l, l->pencil->K, N, y, K);
  l->shift = choose_shift(l->np, M, K);
  return shifted(l, M, C, K, T, pivot);
}

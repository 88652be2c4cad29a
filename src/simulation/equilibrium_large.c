/* SPDX-License-Identifier: Apache-2.0
 *
 * equilibrium_large.c: equilibria of large models by the sparse system of a formulation (stage.h, hk_system_ops) for a
 * stage at rest that begins anew at every iterate, so that no acceleration is left in its residual:
 *
 *   [ K + ca M   G' ] [ x  ]       [ G'lam - Q ]
 *   [ G          0  ] [ mu ]  =  - [ phi       ]
 *
 * ca is a thousandth of the softest eigenvalue of M^-1 K: three digits a correction in the softest motion, more in all
 * others, and a matrix that is regular where K is not. The same factors give eigenvalues near zero by Arnoldi's method:
 *
 *   ca (K + ca M)^-1 M x = theta x        mu = ca (1/theta - 1)
 *
 * The load enters by its own column, found by a difference of residuals; equilibrium_large_path.c follows paths over it.
 *
 * Sources: equilibrium.c; Crisfield, A fast incremental/iterative solution procedure that handles snap-through, 1981
 * (two right sides instead of a border).
 */
#include "simulation/equilibrium_large.h"

#include "linalg/arpack.h"
#include "simulation/statespace_pencil.h"

enum { MANY = 300, ITERATIONS = 60, ROUNDS = 4, TURNS = 6, WANTED = 4 };
static const double longest = 0.2;  /* correction: rad, lengths of the mechanism */
static const double enough = 1e-10; /* the same, of the last one */
static const double nearly = 1e-7;  /* and where it is round-off that does not become smaller */
static const double share = 1e-3;   /* of the softest eigenvalue in ca */

/* --- life ------------------------------------------------------------------------------------- */

static bool has_system(const hk_sim *s) { return s->f->ops->system && s->f->ops->slopes; }

bool hki_large_wanted(const hk_sim *s) {
  const hk_model *m = s->m;
  if (m->nv < MANY || s->held || s->mobility.redundant) return false;
  return !m->nx && !m->nz && !m->nrate && !m->nnormal && !m->nservo && !m->wide_inert;
}

/* the simulation whose equations are used; HK_E_USAGE: no formulation has sparse ones */
static hk_status find_system(hk_equilibria_large *l) {
  l->s = l->e->s;
  if (has_system(l->s)) return HK_OK;
  const hk_status st = hki_sim_sparse_twin(l->e->s, &l->s);
  if (st == HK_OK) return has_system(l->s) ? HK_OK : HK_E_USAGE;
  l->s = NULL;
  return st;
}

hk_status hki_large_create(hk_equilibria *e) {
  hk_dims d;
  hk_equilibria_large *l = hki_alloc(e->s->ctx, sizeof *l);
  if (!l) return HK_E_MEMORY;
  e->large = l;
  *l = (hk_equilibria_large){.e = e};
  const hk_status st = find_system(l);
  if (st != HK_OK) {
    // full matrices then
    hki_large_end(e);
    return st == HK_E_USAGE ? HK_OK : st;
  }
  l->s->f->ops->dims(l->s->f, &d);
  l->nq = d.nq, l->nv = d.nv, l->size = l->s->f->ops->system->size(l->s->f);
  const size_t nq = (size_t)d.nq, nv = (size_t)d.nv, n = (size_t)l->size + 1;
  l->block = hki_alloc(e->s->ctx, (2 * nq + 2 * nv + 7 * n + 1) * sizeof *l->block);
  if (!l->block) return HK_E_MEMORY;
  l->q = l->block, l->q_kept = l->q + nq, l->none = l->q_kept + nq, l->D = l->none + nv;
  l->F = l->D + nv, l->slope = l->F + n, l->try = l->slope + n, l->t = l->try + n;
  l->last = l->t + n, l->old = l->last + n, l->Mt = l->old + n;
  return HK_OK;
}

void hki_large_end(hk_equilibria *e) {
  hk_equilibria_large *l = e->large;
  if (!l) return;
  if (l->pool) hki_pool_destroy(l->pool);
  if (l->s && l->s != e->s) hk_sim_destroy(l->s);
  hki_free(e->s->ctx, l->block);
  hki_free(e->s->ctx, l);
  e->large = NULL;
}

/* --- the point -------------------------------------------------------------------------------- */

void hki_large_keep(hk_equilibria_large *l) {
  memcpy(l->q_kept, l->q, (size_t)l->nq * sizeof *l->q);
  l->load_kept = l->e->at.load;
  l->s->f->ops->system->hold(l->s->f, false);
}

/* the input has the load */
static hk_status set_load(hk_equilibria_large *l) {
  return l->e->load < 0 ? HK_OK : hki_sim_input_put(l->s, l->e->load, l->e->at.load);
}

hk_status hki_large_back(hk_equilibria_large *l) {
  memcpy(l->q, l->q_kept, (size_t)l->nq * sizeof *l->q);
  l->e->at.load = l->load_kept;
  l->s->f->ops->system->hold(l->s->f, true);
  return set_load(l);
}

hk_status hki_large_shift(hk_equilibria_large *l, double *x, double ds) {
  hk_equilibria *e = l->e;
  hk_formulation *f = l->s->f;
  memset(l->D, 0, (size_t)l->nv * sizeof *l->D);
  f->ops->system->move(f, l->D, x, 1.0);
  f->ops->plus(f, l->q, l->D, l->q);
  e->at.load += ds * e->range;
  return set_load(l);
}

hk_status hki_large_place(hk_equilibria_large *l) {
  hk_equilibria *e = l->e;
  const hk_sim *s = e->s;
  double most = 0.0;
  hk_status st =
      l->s->f->ops->to_tree(l->s->f, l->q, l->none, l->none, l->s->qt, l->s->vt, l->s->at);
  if (st == HK_OK) {
    memcpy(e->q, l->s->qt, (size_t)s->m->nq * sizeof *e->q);
    memset(e->v, 0, (size_t)s->m->nv * sizeof *e->v);
    st = hki_equilibria_place(e);
  }
  if (st != HK_OK) return st < 0 ? st : HK_RETRY;
  hki_kin_commit_turns(e->s->kin);
  for (int32_t i = 0; i < s->m->nv; i++) most = fmax(most, fabs(s->at[i]) / s->tree->scale[i]);
  e->at.residual = most;
  return HK_OK;
}

/* --- the equations ---------------------------------------------------------------------------- */

/* right side of the system at the point */
static hk_status rest(hk_equilibria_large *l, double *z) {
  hk_sim *s = l->s;
  const hk_stage st = {
      .t = s->I.t, .level = HK_LEVEL_POS, .ca = l->ca, .q0 = l->q, .vh = l->none, .ah = l->none};
  hk_status ok = s->f->ops->begin(s->f, &st);
  if (ok == HK_OK) ok = s->f->ops->residual(s->f, l->none, true);
  if (ok == HK_OK) s->f->ops->system->rest(s->f, z);
  return ok;
}

/* l->F: right side at the point; l->slope, if wanted: its change with the load, over its range */
static hk_status find_sides(hk_equilibria_large *l, bool slope) {
  static const double h = 1e-5;
  hk_equilibria *e = l->e;
  const double load = e->at.load;
  hk_status st = HK_OK;
  if (slope) {
    e->at.load = load + h * e->range;
    st = set_load(l);
    if (st == HK_OK) st = rest(l, l->slope);
    e->at.load = load;
    const hk_status home = set_load(l);
    if (st == HK_OK) st = home;
  }
  if (st == HK_OK) st = rest(l, l->F);
  for (int32_t i = 0; slope && i < l->size; i++) l->slope[i] = (l->slope[i] - l->F[i]) / h;
  return st;
}

hk_status hki_large_linearise(hk_equilibria_large *l, bool slope) {
  hk_sim *s = l->s;
  hk_status st = find_sides(l, slope);
  if (st == HK_OK) st = s->f->ops->factor(s->f);
  if (st != HK_OK) return st < 0 ? st : HK_RETRY;
  s->f->ops->system->solve(s->f, l->F);
  if (slope) s->f->ops->system->solve(s->f, l->slope);
  return hki_stopped(s->ctx) ? HK_INTERRUPTED : HK_OK;
}

/* --- masses, and the softest motion ----------------------------------------------------------- */

/* y = M x of the bodies, in the units of the system */
static void mass_times(const hk_slopes *p, const double *x, double *y) {
  memset(y, 0, (size_t)p->n * sizeof *y);
  for (int32_t j = 0; j < p->nbodies; j++)
    for (int32_t k = p->start[j]; k < p->start[j + 1]; k++)
      if (p->row[k] < p->nbodies) y[p->row[k]] += p->M[k] / p->unit * x[j];
}

/* l->p at the point, l->most */
static hk_status find_masses(hk_equilibria_large *l) {
  hk_sim *s = l->s;
  if (l->pool) hki_pool_destroy(l->pool);
  l->pool = hki_pool_create(s->ctx);
  if (!l->pool) return HK_E_MEMORY;
  hk_status st = s->f->ops->slopes(s->f, l->pool, s->I.t, l->q, l->none, l->none, &l->p);
  const hk_slopes *p = &l->p;
  l->most = 0.0;
  for (int32_t j = 0; st == HK_OK && j < p->nbodies; j++)
    for (int32_t k = p->start[j]; k < p->start[j + 1]; k++)
      if (p->row[k] == j && p->M[k] > 0.0) l->most = fmax(l->most, fabs(p->K[k]) / p->M[k]);
  if (!(l->metric > 0.0)) l->metric = 1.0;
  if (!(l->most > 0.0)) l->most = 1.0;
  return st;
}

double hki_large_dot(const hk_equilibria_large *l, const double *x, const double *y) {
  const hk_slopes *p = &l->p;
  double sum = 0.0;
  for (int32_t j = 0; j < p->nbodies; j++)
    for (int32_t k = p->start[j]; k < p->start[j + 1]; k++)
      if (p->row[k] < p->nbodies) sum += x[p->row[k]] * p->M[k] * y[j];
  return sum * l->metric;
}

double hki_large_size(hk_equilibria_large *l, const double *x) {
  hk_norms n;
  l->s->f->ops->system->measure(l->s->f, x, &n);
  return n.step;
}

/* y = ca (K + ca M)^-1 M x, on the constraints */
static void inverse(hk_equilibria_large *l, const double *x, double *y) {
  mass_times(&l->p, x, y);
  l->s->f->ops->system->solve(l->s->f, y);
}

/* l->ca from the softest motion, by inverse iteration */
static hk_status find_ca(hk_equilibria_large *l) {
  const int32_t n = l->p.nbodies;
  uint64_t seed = 7;
  l->ca = 1e-6 * l->most;
  for (int32_t i = 0; i < l->size; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    l->old[i] = i < n ? (double)(seed >> 11) / 4503599627370496.0 - 1.0 : 0.0;
  }
  for (int round = 0; round < ROUNDS; round++) {
    double mu = 0.0;
    hk_status st = hki_large_linearise(l, false);
    if (st != HK_OK) return st;
    for (int k = 0; k < TURNS; k++) {
      inverse(l, l->old, l->try);
      const double size = sqrt(hki_large_dot(l, l->try, l->try));
      const double theta = hki_large_dot(l, l->try, l->old) / hki_large_dot(l, l->old, l->old);
      if (!(size > 0.0) || !isfinite(size)) return HK_RETRY;
      mu = l->ca * (1.0 / theta - 1.0);
      for (int32_t i = 0; i < n; i++) l->old[i] = l->try[i] / size;
    }
    const double next = fmax(share * fabs(mu), HK_LARGE_NOTHING * l->most);
    const bool done = next > 0.2 * l->ca;
    l->ca = fmin(next, l->ca);
    if (done) break;
  }
  return HK_OK;
}

/* --- corrections ------------------------------------------------------------------------------ */

hk_status hki_large_correct(hk_equilibria_large *l, bool along, int32_t most, int32_t *iterations) {
  double before = INFINITY, away = 0.0;
  hk_status st = HK_OK;
  int32_t it;
  l->step = INFINITY;
  for (it = 0; st == HK_OK && it < most; it++) {
    double ds = 0.0, f = 1.0;
    st = hki_large_linearise(l, along);
    if (st != HK_OK) break;
    if (along) {
      double a = 0.0, b = l->t[l->size];
      for (int32_t i = 0; i < l->p.nbodies; i++)
        a += l->Mt[i] * l->F[i], b += l->Mt[i] * l->slope[i];
      ds = -a / b;
      for (int32_t i = 0; i < l->size; i++) l->F[i] += ds * l->slope[i];
    }
    l->step = fmax(hki_large_size(l, l->F), fabs(ds));
    if (!isfinite(l->step)) return HK_RETRY;
    // far from the prediction, or longer than half of it: another part of the path may be nearer
    if (along) away += sqrt(hki_large_dot(l, l->F, l->F));
    if (along && (l->step > 2.0 * longest || away > 0.5 * l->reach)) return HK_RETRY;
    if (!along && l->step > longest) f = longest / l->step;
    for (int32_t i = 0; i < l->size && f < 1.0; i++) l->F[i] *= f;
    st = hki_large_shift(l, l->F, ds);
    if (l->step < enough || (l->step < nearly && l->step > 0.3 * before)) break;
    before = l->step;
  }
  if (iterations) *iterations = it;
  return st == HK_OK && it == most ? HK_RETRY : st;
}

hk_status hki_large_solve(hk_equilibria *e, int32_t *iterations) {
  hk_equilibria_large *l = e->large;
  hk_status st = l->s->f->ops->from_tree(l->s->f, e->q, e->v, l->q, l->D);
  if (st == HK_OK) st = set_load(l);
  if (st == HK_OK) st = find_masses(l);
  if (st == HK_OK) st = find_ca(l);
  if (st == HK_OK) st = hki_large_correct(l, false, ITERATIONS, iterations);
  return st == HK_OK ? hki_large_place(l) : st;
}

/* --- stability -------------------------------------------------------------------------------- */

/* product of Arnoldi's method: real and imaginary parts in turn */
static void product(void *user, const double *x, double *y) {
  hk_equilibria_large *l = user;
  const int32_t n = l->p.nbodies;
  for (int part = 0; part < 2; part++) {
    for (int32_t i = 0; i < n; i++) l->old[i] = x[2 * i + part];
    inverse(l, l->old, l->try);
    for (int32_t i = 0; i < n; i++) y[2 * i + part] = l->try[i];
  }
}

hk_status hki_large_judge(hk_equilibria *e) {
  hk_equilibria_large *l = e->large;
  const size_t n = (size_t)l->p.nbodies;
  char why[300] = "";
  int32_t found = 0;
  double theta[2 * WANTED];
  e->at.softest = NAN;
  hk_status st = find_masses(l);
  if (st == HK_OK) st = hki_large_linearise(l, false);
  // singular to round-off, at an extreme of the load
  if (st == HK_RETRY) e->at.softest = 0.0;
  if (st == HK_RETRY) return HK_OK;
  double *X = st == HK_OK ? hki_pool_alloc(l->pool, 2 * n * (WANTED + 2) * sizeof *X) : NULL;
  if (!X) return st < 0 ? st : HK_E_MEMORY;
  double *first = X + 2 * n * WANTED, *again = first + 2 * n;
  for (size_t i = 0; i < n; i++) first[2 * i] = 1.0 + 1e-3 * (double)(i % 7);
  product(l, first, again);
  if (hki_arnoldi(e->s->ctx, (int32_t)n, WANTED, product, l, again, theta, X, &found, why,
                  sizeof why) != HK_OK)
    return hki_stopped(e->s->ctx) ? HK_INTERRUPTED : HK_OK;
  for (int32_t k = 0; k < found; k++) {
    const double re = theta[2 * k], im = theta[2 * k + 1];
    const double mu = l->ca * (re / (re * re + im * im) - 1.0);
    if (!(e->at.softest <= mu)) e->at.softest = mu;
  }
  if (fabs(e->at.softest) < HK_LARGE_NOTHING * l->most) e->at.softest = 0.0;
  l->ca = fmax(share * fabs(e->at.softest), HK_LARGE_NOTHING * l->most);
  return HK_OK;
}

/* --- slopes by the load ----------------------------------------------------------------------- */

hk_status hki_large_slopes(hk_equilibria *e, int32_t n, const int32_t *list, double *slopes) {
  static const double weight[] = {3.0 / 4.0, -3.0 / 20.0, 1.0 / 60.0};
  hk_equilibria_large *l = e->large;
  const hk_equilibrium_point at = e->at;
  double *values = hki_pool_alloc(l->pool, (size_t)(e->s->nchannels + 1) * sizeof *values);
  if (!values) return HK_E_MEMORY;
  hk_status st = hki_large_linearise(l, true);
  // of K alone: x = (K + ca M)^-1 (.. + ca M x)
  memcpy(l->F, l->slope, (size_t)l->size * sizeof *l->F);
  for (int pass = 0; st == HK_OK && pass < 4; pass++) {
    inverse(l, l->slope, l->try);
    for (int32_t i = 0; i < l->size; i++) l->slope[i] = l->F[i] + l->try[i];
  }
  // the change with a part of the range that moves the mechanism by a thousandth of its size
  const double h = 1e-3 / fmax(1.0, hki_large_size(l, l->slope));
  const bool along = st == HK_OK && isfinite(h) && h > 1e-9;
  if (st == HK_RETRY) st = HK_OK;
  for (int32_t i = 0; i < n; i++) slopes[i] = along ? 0.0 : NAN;
  hki_large_keep(l);
  for (int32_t k = -3; along && st == HK_OK && k <= 3; k++) {
    if (k == 0) continue;
    for (int32_t i = 0; i < l->size; i++) l->try[i] = h * k * l->slope[i];
    st = hki_large_shift(l, l->try, h * k);
    if (st == HK_OK) st = hki_large_place(l);
    if (st == HK_OK) st = hk_sim_values(e->s, values);
    const double w = (k < 0 ? -weight[-k - 1] : weight[k - 1]) / (h * e->range);
    for (int32_t i = 0; st == HK_OK && i < n; i++) slopes[i] += w * values[list[i]];
    const hk_status home = hki_large_back(l);
    if (st == HK_OK) st = home;
  }
  if (st == HK_OK) st = hki_large_place(l);
  e->at = at;
  return st;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * equilibrium.c: one equilibrium (equilibrium.h).
 *
 *   J dy = -F       the smallest dy in units of the coordinates, by singular values, in rows of length one
 *
 * so that directions without stiffness do not move. A step is halved until the correction that follows
 * it, with the same J, is smaller than it was: that test does not depend on the units of F, and lets
 * beams turn, whose ends stretch on the way by what the next iteration takes back.
 *
 * Source: Deuflhard, Newton Methods for Nonlinear Problems, 2004, section 3.3 (natural level functions).
 */
#include "analyses/assembly.h"
#include "linalg/dense.h"
#include "linalg/lapack.h"
#include "simulation/equilibrium.h"
#include "simulation/equilibrium_large.h"

enum { ITERATIONS = 40, HALVINGS = 8 };
static const double longest = 0.3;        /* step: rad, lengths of the mechanism */
static const double no_stiffness = 1e-10; /* against the largest */
static const double round_off = 1e-12;    /* the same where rows have length one */
static const double no_row = 1e-15;       /* length of a row of round-off, against the longest */

/* --- life ------------------------------------------------------------------------------------- */

/* numbers behind the velocities in vt */
static int32_t scalars(const hk_model *m) { return m->nx + m->nz; }

/* memory of full matrices */
static hk_status make_full(hk_equilibria *e) {
  const size_t k = (size_t)(e->s->m->nv + scalars(e->s->m)) + 1;
  e->full = hki_alloc(e->s->ctx, 3 * k * k * sizeof *e->full);
  if (!e->full) return HK_E_MEMORY;
  e->J = e->full, e->A = e->J + k * k, e->V = e->A + k * k;
  return e->s->m->nc ? hki_tree_matrix(e->s->tree) : HK_OK;
}

hk_status hki_equilibria_create(hk_sim *s, int32_t load, hk_equilibria *e) {
  const hk_model *m = s->m;
  const size_t nq = (size_t)m->nq, ns = (size_t)(m->nv + scalars(m)), k = ns + 1;
  *e = (hk_equilibria){.s = s, .load = load, .range = 1.0};
  hk_status st = hki_refuse_servos(s->ctx, m, "the equilibrium");
  if (st != HK_OK) return st;
  e->block = hki_alloc(s->ctx, (2 * nq + 2 * ns + 6 * k + 16) * sizeof *e->block);
  if (!e->block) return HK_E_MEMORY;
  e->q = e->block, e->q_kept = e->q + nq, e->v = e->q_kept + nq, e->v_kept = e->v + ns;
  e->F = e->v_kept + ns, e->unit = e->F + k, e->sv = e->unit + k, e->x = e->sv + k;
  e->next = e->x + k, e->level = e->next + k;
  hki_sim_refresh(s);
  memcpy(e->q, s->qt, nq * sizeof *e->q);
  memcpy(e->v, s->vt, ns * sizeof *e->v);
  memset(e->v, 0, (size_t)m->nv * sizeof *e->v);
  // bristles of friction carry nothing; other states begin where they are
  double *z = e->v + m->nv + m->nx;
  for (int32_t i = 0; i < m->nf; i++) {
    const hk_model_force *f = &m->forces[i];
    if (f->nz && hki_force_rubs(m, i)) memset(z + f->z0, 0, (size_t)f->nz * sizeof *z);
  }
  e->at.load = load >= 0 ? hk_sim_input_get(s, load) : 0.0;
  if (s->held) s->f->ops->still(s->f, true);
  if (hki_large_wanted(s)) st = hki_large_create(e);
  return st == HK_OK && !e->large ? make_full(e) : st;
}

void hki_equilibria_end(hk_equilibria *e) {
  if (e->pool) hki_pool_destroy(e->pool);
  if (e->block) hki_free(e->s->ctx, e->block);
  if (e->full) hki_free(e->s->ctx, e->full);
  hki_large_end(e);
  if (e->s && e->s->held) e->s->f->ops->still(e->s->f, false);
  e->pool = NULL, e->block = e->full = NULL;
}

/* --- the point -------------------------------------------------------------------------------- */

/* the input has the load, for forces and for motions */
static hk_status set_load(hk_equilibria *e) {
  return e->load < 0 ? HK_OK : hki_sim_input_put(e->s, e->load, e->at.load);
}

hk_status hki_equilibria_place(hk_equilibria *e) {
  hk_sim *s = e->s;
  hk_integrator *I = &s->I;
  hk_status st = set_load(e);
  // what a formulation keeps of other positions may be of no use here: a choice of coordinates
  s->f->ops->restart(s->f);
  if (st == HK_OK) st = s->f->ops->from_tree(s->f, e->q, e->v, I->q, I->v);
  if (st == HK_OK) st = s->f->ops->accel(s->f, I->t, I->q, I->v, I->a);
  if (st != HK_OK) return st < 0 ? st : HK_RETRY;
  hki_sim_refresh(s);
  // values that networks solve for
  memcpy(e->v + s->m->nv, s->vt + s->m->nv, (size_t)scalars(s->m) * sizeof *e->v);
  return HK_OK;
}

void hki_equilibria_keep(hk_equilibria *e) {
  memcpy(e->q_kept, e->q, (size_t)e->s->m->nq * sizeof *e->q);
  memcpy(e->v_kept, e->v, (size_t)(e->s->m->nv + scalars(e->s->m)) * sizeof *e->v);
}

hk_status hki_equilibria_back(hk_equilibria *e) {
  memcpy(e->q, e->q_kept, (size_t)e->s->m->nq * sizeof *e->q);
  memcpy(e->v, e->v_kept, (size_t)(e->s->m->nv + scalars(e->s->m)) * sizeof *e->v);
  return hki_equilibria_place(e);
}

/* state of the linear equations behind column c */
static int32_t state_of(const hk_equilibria *e, int32_t c) { return c < e->l.np ? c : c + e->l.nr; }

void hki_equilibria_spread(const hk_equilibria *e, const double *t, double *all) {
  const hk_model *m = e->s->m;
  const size_t nv = (size_t)m->nv, ns = nv + (size_t)scalars(m);
  memset(all, 0, ns * sizeof *all);
  for (int32_t c = 0; c < e->cols; c++) {
    const double step = t[c] * e->unit[c];
    if (c >= e->l.np) all[e->l.place[state_of(e, c)]] = step;
    for (size_t i = 0; c < e->l.np && i < nv; i++) all[i] += step * e->free.Tp[(size_t)c * nv + i];
  }
  const double load = e->load >= 0 ? t[e->cols] * e->unit[e->cols] : 0.0;
  for (size_t i = 0; load != 0.0 && i < nv; i++)
    all[i] += load * e->l.follow[i + (size_t)e->load * nv];
  all[ns] = t[e->cols];
}

void hki_equilibria_gather(const hk_equilibria *e, const double *all, double *t) {
  for (int32_t c = 0; c < e->cols; c++) t[c] = all[e->l.place[state_of(e, c)]] / e->unit[c];
  t[e->cols] = all[e->s->m->nv + scalars(e->s->m)];
}

hk_status hki_equilibria_move(hk_equilibria *e, const double *x) {
  const hk_model *m = e->s->m;
  const size_t nv = (size_t)m->nv;
  double *d = e->s->tree->y;
  memset(d, 0, nv * sizeof *d);
  for (int32_t c = 0; c < e->l.np; c++) {
    const double step = x[c] * e->unit[c];
    for (size_t i = 0; i < nv; i++) d[i] += step * e->free.Tp[(size_t)c * nv + i];
  }
  // motions that follow the load carry the mechanism along
  const double load = e->load >= 0 ? x[e->cols] * e->unit[e->cols] : 0.0;
  for (size_t i = 0; load != 0.0 && i < nv; i++)
    d[i] += load * e->l.follow[i + (size_t)e->load * nv];
  hki_tree_plus(m, e->q, d, e->q);
  for (int32_t c = e->l.np; c < e->cols; c++) e->v[e->l.place[state_of(e, c)]] += x[c] * e->unit[c];
  e->at.load += load;
  hk_status set = set_load(e);
  if (set != HK_OK) return set;
  if (m->nc) {
    // rows of motions move bodies: at rest they count at their positions alone
    hk_status st = hki_tree_project_state(e->s->tree, e->s->I.t, e->q, e->v);
    if (st != HK_OK) return st < 0 ? st : HK_RETRY;
    memset(e->v, 0, nv * sizeof *e->v);
  }
  return hki_equilibria_place(e);
}

/* --- the equations ---------------------------------------------------------------------------- */

/* F and its largest entry, from the accelerations of the simulation */
static double measure(const hk_equilibria *e, double *F) {
  const hk_statespace *l = &e->l;
  double most = 0.0;
  for (int32_t i = 0; i < e->rows; i++) {
    const int32_t p = l->place[l->np + i];
    const double unit = i < l->nr ? e->s->tree->scale[p] : fmax(e->unit[l->np + i - l->nr], 1e-300);
    F[i] = e->s->at[p] / unit;
    if (!(fabs(F[i]) <= most)) most = fabs(F[i]);
  }
  return most;
}

/* J in units, from A and B */
static void fill_jacobian(hk_equilibria *e) {
  const hk_statespace *l = &e->l;
  for (int32_t i = 0; i < e->rows; i++) {
    const int32_t p = l->place[l->np + i], r = l->np + i;
    const double row = i < l->nr ? e->s->tree->scale[p] : fmax(e->unit[l->np + i - l->nr], 1e-300);
    for (int32_t c = 0; c < e->cols; c++)
      e->J[i + c * e->rows] = l->A[r + state_of(e, c) * l->n] * l->sign[p] *
                              l->sign[l->place[state_of(e, c)]] * e->unit[c] / row;
    e->J[i + e->cols * e->rows] =
        e->load >= 0 ? l->B[r + e->load * l->n] * l->sign[p] * e->unit[e->cols] / row : 0.0;
  }
}

hk_status hki_equilibria_linearise(hk_equilibria *e) {
  hk_sim *s = e->s;
  if (e->pool) hki_pool_destroy(e->pool);
  e->pool = hki_pool_create(s->ctx);
  if (!e->pool) return HK_E_MEMORY;
  e->l = (hk_statespace){.mark = HK_MARK_STATESPACE, .ctx = s->ctx, .m = s->m, .pool = e->pool};
  hk_status st = hki_statespace_fill(&e->l, s, true, &e->free);
  if (st != HK_OK) return st;
  const hk_statespace *l = &e->l;
  e->rows = l->nr + l->nx, e->cols = l->np + l->nx;
  for (int32_t c = 0; c < e->cols; c++) {
    const int32_t p = l->place[state_of(e, c)], x = p - s->m->nv;
    e->unit[c] = c < l->np ? s->tree->scale[p] : x < s->m->nx ? s->m->unknowns[x].scale : 1e-3;
  }
  e->unit[e->cols] = e->range;
  st = hki_equilibria_place(e);
  if (st != HK_OK) return st;
  hki_kin_commit_turns(s->kin);
  e->at.residual = measure(e, e->F);
  fill_jacobian(e);
  return HK_OK;
}

/* --- Newton's iteration ----------------------------------------------------------------------- */

/* Accelerations along directions that no correction changes: nothing holds the mechanism up there. Largest
 * entry of F - J x. */
static double unheld(const hk_equilibria *e, int32_t n) {
  double most = 0.0;
  for (int32_t i = 0; i < e->rows; i++) {
    double f = e->F[i];
    for (int32_t j = 0; j < n; j++) f -= e->J[i + j * e->rows] * e->x[j];
    most = fmax(most, fabs(f));
  }
  return most;
}

void hki_equilibria_level(const hk_equilibria *e, int32_t n, double *length) {
  double most = 0.0;
  memcpy(e->A, e->J, (size_t)e->rows * (size_t)n * sizeof *e->A);
  for (int32_t i = 0; i < e->rows; i++) {
    double sum = 0.0;
    for (int32_t j = 0; j < n; j++) sum += e->A[i + j * e->rows] * e->A[i + j * e->rows];
    length[i] = sqrt(sum);
    most = fmax(most, length[i]);
  }
  // a row of round-off stays small
  for (int32_t i = 0; i < e->rows; i++) {
    if (!(length[i] > no_row * most)) length[i] = most > 0.0 ? most : 1.0;
    for (int32_t j = 0; j < n; j++) e->A[i + j * e->rows] /= length[i];
  }
}

/* x: the smallest correction of F, of rows of length one; e->level: lengths, then F in them */
static void least(hk_equilibria *e, int32_t n, const double *F, double *x) {
  hki_equilibria_level(e, n, e->level);
  for (int32_t i = 0; i < e->rows; i++) e->level[i] = F[i] / e->level[i];
  (void)hki_dense_least(e->rows, n, e->A, no_stiffness, e->sv, e->V, e->level, x);
}

static double norm(const double *x, int32_t n) {
  double sum = 0.0;
  for (int32_t i = 0; i < n; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

/* e->x: the smallest correction; returns what it leaves */
static double correction(hk_equilibria *e, bool with_load) {
  const int32_t n = e->cols + (with_load ? 1 : 0);
  least(e, n, e->F, e->x);
  e->size = norm(e->x, n);
  const double left = unheld(e, n);
  if (!with_load) e->x[e->cols] = 0.0;
  double most = 0.0;
  for (int32_t i = 0; i <= e->cols; i++) most = fmax(most, fabs(e->x[i]));
  const double f = most > longest ? -longest / most : -1.0;
  for (int32_t i = 0; i <= e->cols; i++) e->x[i] *= f;
  return left;
}

/* the step e->x, shortened until the correction behind it is smaller; false: it is not */
static bool step(hk_equilibria *e, bool with_load, double *size) {
  const int32_t n = e->cols + (with_load ? 1 : 0);
  const double load = e->at.load;
  hki_equilibria_keep(e);
  for (int32_t k = 0; k < HALVINGS; k++) {
    const hk_status st = hki_equilibria_move(e, e->x);
    const double now = st == HK_OK ? measure(e, e->F) : INFINITY;
    bool good = now < *size;
    if (!good && isfinite(now)) least(e, n, e->F, e->next), good = norm(e->next, n) < e->size;
    if (good) {
      *size = now;
      return true;
    }
    e->at.load = load;
    if (hki_equilibria_back(e) != HK_OK) return false;
    for (int32_t i = 0; i <= e->cols; i++) e->x[i] *= 0.5;
  }
  return false;
}

/* accelerations above which a mechanism falls, in its lengths */
static double falls(const hk_model *m) {
  return 1e-6 * fmax(1.0, v3_norm(m->spec->gravity) / m->length);
}

/* an element cannot be where the equilibrium has put it */
static hk_status refuse_place(hk_equilibria *e, hk_status st) {
  char words[400];
  if (st != HK_OK || !hki_kin_refused(e->s->kin, words, sizeof words)) return st;
  return hki_error(e->s->ctx, HK_E_ASSEMBLY, HK_LOC_NONE, NULL, "at the equilibrium: %s", words);
}

hk_status hki_equilibria_solve(hk_equilibria *e, bool with_load, int32_t *iterations) {
  int32_t it;
  double first = 0.0;
  hk_status st = e->large ? hki_large_solve(e, iterations) : HK_RETRY;
  if (e->large && st != HK_RETRY) return refuse_place(e, st);
  if (e->large) {
    // directions without stiffness are known by full matrices alone
    hki_large_end(e);
    st = make_full(e);
    if (st != HK_OK) return st;
  }
  st = hki_equilibria_linearise(e);
  for (it = 0; st == HK_OK && it < ITERATIONS; it++) {
    double size = e->at.residual, most = 0.0;
    if (it == 0) first = size;
    const double left = correction(e, with_load);
    for (int32_t i = 0; i <= e->cols; i++) most = fmax(most, fabs(e->x[i]));
    if (most < 1e-8 && left > falls(e->s->m)) st = HK_RETRY;
    if (most < 1e-12 || st != HK_OK) break;
    // no step is better: at round-off that is the end
    if (!step(e, with_load, &size)) {
      st = most < 1e-8 || size < 1e-12 * first ? HK_OK : HK_RETRY;
      break;
    }
    st = hki_equilibria_linearise(e);
  }
  if (iterations) *iterations = it;
  if (st == HK_OK && it == ITERATIONS) st = HK_RETRY;
  return refuse_place(e, st);
}

/* --- slopes by the load ----------------------------------------------------------------------- */

hk_status hki_equilibria_slopes(hk_equilibria *e, int32_t n, const int32_t *list, double *slopes) {
  static const double weight[] = {3.0 / 4.0, -3.0 / 20.0, 1.0 / 60.0};
  if (e->large) return hki_large_slopes(e, n, list, slopes);
  const int32_t cols = e->cols + 1, all = e->s->nchannels;
  const hk_equilibrium_point at = e->at;
  double *t = hki_pool_alloc(e->pool, (size_t)(2 * cols + all + 1) * sizeof *t);
  double *x = t ? t + cols : NULL, *values = t ? x + cols : NULL;
  if (!t) return HK_E_MEMORY;
  x[e->cols] = 1.0;
  memcpy(e->A, e->J, (size_t)e->rows * (size_t)cols * sizeof *e->A);
  const bool along = hki_dense_null(e->rows, cols, e->A, no_stiffness, e->sv, e->V, x, t) &&
                     fabs(t[e->cols]) > 1e-9;
  for (int32_t i = 0; i < n; i++) slopes[i] = along ? 0.0 : NAN;
  hki_equilibria_keep(e);
  hk_status st = HK_OK;
  for (int32_t k = -3; along && st == HK_OK && k <= 3; k++) {
    const double h = 1e-3 * k;
    if (k == 0) continue;
    for (int32_t i = 0; i < cols; i++) x[i] = h * t[i];
    st = hki_equilibria_move(e, x);
    if (st == HK_OK) st = hk_sim_values(e->s, values);
    const double w =
        (k < 0 ? -weight[-k - 1] : weight[k - 1]) / (1e-3 * t[e->cols] * e->unit[e->cols]);
    for (int32_t i = 0; st == HK_OK && i < n; i++) slopes[i] += w * values[list[i]];
    e->at = at;
    const hk_status home = hki_equilibria_back(e);
    if (st == HK_OK) st = home;
  }
  return st;
}

/* --- stability -------------------------------------------------------------------------------- */

/* K (n x n) = -dF/dy of the coordinates whose velocities are free too, unknowns eliminated */
static bool reduced(hk_equilibria *e, int32_t n, double *K) {
  const hk_statespace *l = &e->l;
  const int32_t nx = l->nx, ld = hki_dense_ld(nx), at = l->np + l->nr;
  double *S = hki_pool_alloc(e->pool, ((size_t)ld * (size_t)nx + 12 * (size_t)ld + 64) * sizeof *S);
  int32_t *pivot = hki_pool_alloc(e->pool, ((size_t)nx + 1) * sizeof *pivot), rank = 0;
  if (!S || !pivot) return false;
  double *inv = S + (size_t)ld * (size_t)nx, *x = inv + ld, *work = x + ld;
  for (int32_t j = 0; j < nx; j++)
    for (int32_t i = 0; i < nx; i++) S[i + j * ld] = l->A[at + i + (at + j) * l->n];
  if (nx && hki_dense_lu_factor(nx, S, ld, pivot, inv, work, NULL) != HK_OK) return false;
  for (int32_t j = 0; j < l->np && rank < n; j++) {
    if (l->place[j] != l->place[l->np + rank]) continue; // a coordinate whose velocity is bound
    for (int32_t i = 0; i < nx; i++) x[i] = l->A[at + i + j * l->n];
    if (nx) hki_dense_lu_solve(nx, S, ld, pivot, inv, x, work);
    for (int32_t i = 0; i < n; i++) {
      double k = -l->A[l->np + i + j * l->n];
      for (int32_t p = 0; p < nx; p++) k += l->A[l->np + i + (at + p) * l->n] * x[p];
      K[i + rank * n] = k;
    }
    rank++;
  }
  return rank == n;
}

/* X = K^-1, with rows of K of length one on the way; false where K is singular to round-off */
static bool invert(hk_equilibria *e, int32_t n, const double *K, double *X) {
  const int32_t ld = hki_dense_ld(n);
  double *S = hki_pool_alloc(e->pool, ((size_t)ld * (size_t)n + 13 * (size_t)ld + 64) * sizeof *S);
  int32_t *pivot = hki_pool_alloc(e->pool, ((size_t)n + 1) * sizeof *pivot);
  if (!S || !pivot) return false;
  double *inv = S + (size_t)ld * (size_t)n, *x = inv + ld, *row = x + ld, *work = row + ld;
  double most = 0.0, longest_row = 0.0;
  for (int32_t i = 0; i < n; i++) {
    double sum = 0.0;
    for (int32_t j = 0; j < n; j++) sum += K[i + j * n] * K[i + j * n];
    row[i] = sqrt(sum), longest_row = fmax(longest_row, row[i]);
  }
  for (int32_t i = 0; i < n; i++) {
    if (!(row[i] > no_row * longest_row)) return false;
    row[i] = 1.0 / row[i];
    for (int32_t j = 0; j < n; j++) S[i + j * ld] = K[i + j * n] * row[i];
  }
  if (hki_dense_lu_factor(n, S, ld, pivot, inv, work, NULL) != HK_OK) return false;
  for (int32_t j = 0; j < n; j++) {
    memset(x, 0, (size_t)ld * sizeof *x);
    x[j] = 1.0;
    hki_dense_lu_solve(n, S, ld, pivot, inv, x, work);
    for (int32_t i = 0; i < n; i++) most = fmax(most, fabs(x[i])), X[i + j * n] = x[i] * row[j];
  }
  return most * round_off < 1.0;
}

/* The smallest of the real parts re of eigenvalues, those of a size below `no_stiffness` of the largest left out; INFINITY: there
 * is none. inverse: those of the inverse. *left: some were left out. */
static double smallest(int32_t n, const double *re, const double *im, bool inverse, bool *left) {
  double most = 0.0, least = INFINITY;
  *left = false;
  for (int32_t i = 0; i < n; i++) most = fmax(most, hypot(re[i], im[i]));
  for (int32_t i = 0; i < n; i++) {
    const double size = hypot(re[i], im[i]);
    if ((inverse ? size : fabs(re[i])) < no_stiffness * most)
      *left = true;
    else
      least = fmin(least, inverse ? re[i] / (size * size) : re[i]);
  }
  return least;
}

/* Round-off of a free direction is neither stable nor unstable. But where accelerations of stiff and of soft directions are
 * many decades apart, as of thin beams, the soft ones are known from the inverse. */
hk_status hki_equilibria_judge(hk_equilibria *e) {
  if (e->large) return hki_large_judge(e);
  const int32_t n = e->l.nr;
  const size_t square = (size_t)n * (size_t)n + 1;
  char why[300] = "";
  double *K = hki_pool_alloc(e->pool, (4 * square + 2 * (size_t)n) * sizeof *K);
  if (!K) return HK_E_MEMORY;
  double *X = K + square, *V = X + square, *re = V + 2 * square, *im = re + n;
  // where nothing is free, nothing gives way
  e->at.softest = n == 0 ? INFINITY : NAN;
  if (n == 0 || !reduced(e, n, K)) return HK_OK;
  bool left;
  const bool regular = invert(e, n, K, X);
  hk_status st = hki_eigen(e->s->ctx, n, K, re, im, V, V + square, why, sizeof why);
  e->at.softest = smallest(n, re, im, false, &left);
  if (st == HK_OK && left && regular) {
    st = hki_eigen(e->s->ctx, n, X, re, im, V, V + square, why, sizeof why);
    e->at.softest = fmin(e->at.softest, smallest(n, re, im, true, &left));
  } else if (left) {
    e->at.softest = fmin(e->at.softest, 0.0);
  }
  if (st != HK_OK) return hki_error(e->s->ctx, st, HK_LOC_NONE, hki_eigen_hint(st), "%s", why);
  return HK_OK;
}

/* --- as a start ------------------------------------------------------------------------------- */

/* the velocities v (nv) that the model begins with, put onto the constraints at the equilibrium */
static hk_status set_off(hk_equilibria *e, const double *v) {
  const hk_model *m = e->s->m;
  memcpy(e->v, v, (size_t)m->nv * sizeof *e->v);
  hk_status st = m->nc ? hki_tree_project_state(e->s->tree, e->s->I.t, e->q, e->v) : HK_OK;
  return st == HK_OK ? hki_equilibria_place(e) : st;
}

hk_status hki_sim_settle_at_rest(hk_sim *s) {
  hk_equilibria e = {.s = s};
  const size_t nv = (size_t)s->m->nv;
  double *v = hki_alloc(s->ctx, (nv + 1) * sizeof *v);
  if (!v) return HK_E_MEMORY;
  memcpy(v, s->vt, nv * sizeof *v);
  const bool rest = s->given.equilibrium == 1 ||
                    (s->given.equilibrium == 0 && s->m->spec->equilibrium == HK_EQ_REST);
  hk_status st = rest ? hki_equilibria_create(s, -1, &e) : HK_RETRY;
  if (st == HK_OK) st = hki_equilibria_place(&e);
  if (st == HK_OK) st = hki_equilibria_solve(&e, false, NULL);
  // analyses want the mechanism at rest, a run begins with the velocities of its model
  if (st == HK_OK && s->given.equilibrium == 0) st = set_off(&e, v);
  hki_equilibria_end(&e);
  hki_free(s->ctx, v);
  if (st == HK_RETRY)
    return hki_error(
        s->ctx, HK_E_ASSEMBLY, HK_LOC_NONE,
        "start nearer to the equilibrium, or check that something holds the mechanism up",
        rest ? "no static equilibrium found" : "no steady motion found");
  if (st == HK_OK) st = hki_sim_restart(s);
  if (st == HK_OK) st = hki_sim_stops_start(s);
  if (st != HK_OK) return st;
  hki_sim_signs_start(s);
  hki_sim_audit_start(s);
  return HK_OK;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * statespace_period.c: small changes of a periodic motion over one period T (Floquet 1883):
 *
 *   x(t + T) = Phi x(t),   multipliers mu: Phi X = mu X,   exponents log(mu) / T
 *
 * Phi by differences of runs, of order four in the changes of the states x (statespace.h) at the beginning.
 * Each change is measured as it came to be after the constraints had been met: with the columns Y0 of all
 * changes and Y1 of what is left of them after T,
 *
 *   Phi = Y1 Y0^-1
 *
 * All runs take N steps of one length by a method of order p, so that their errors are alike. N is doubled
 * until Phi stays, and Richardson's extrapolation takes away what is left of order p:
 *
 *   Phi = Phi_2N + (Phi_2N - Phi_N) / (2^p - 1)
 */
#include <stdio.h>

#include "simulation/statespace_differences.h"

enum { POINTS = 2, FIRST = 32, MOST = 1 << 16 };
static const double weight[POINTS] = {2.0 / 3.0, -1.0 / 12.0};
/* the change of Phi that ends the doubling, and the one up to which the result is of use */
static const double wanted = 1e-9, bearable = 1e-5;

typedef struct period {
  hk_differences d;
  hk_sim *run;          /* a simulation of the model with the method of the runs */
  unsigned char *start; /* its state at the beginning */
  double t0;
  int32_t n;            /* steps of a run */
  double *q1, *v1;      /* the end of the unchanged run */
  double *unit;         /* l->n: positions 1, velocities 2 pi / T */
  double *Y0, *Y1;      /* l->n x l->n */
  double *now, *before; /* l->n x l->n: Phi of n and of n / 2 steps */
} period;

/* --- runs --------------------------------------------------------------------------------------- */

/* the run from (q, v) over the period; ends in run->qt, vt */
static hk_status run_from(period *p, const double *q, const double *v) {
  hk_sim *s = p->run;
  const double T = p->d.l->period;
  hk_status st = hki_state_set(s, p->start);
  if (st != HK_OK) return st;
  memcpy(s->qt, q, (size_t)s->m->nq * sizeof *q);
  memcpy(s->vt, v, (size_t)p->d.ns * sizeof *v);
  st = hki_sim_go_on_from_tree(s);
  for (int32_t k = 1; st == HK_OK && k <= p->n; k++)
    st = hk_sim_step_to(s, k == p->n ? p->t0 + T : p->t0 + T * k / p->n);
  if (st == HK_OK && s->I.t < p->t0 + T) st = HK_E_NUMBER; // an event has ended it
  return st;
}

/* adds c times the change of states from (q0, v0) to (q, v) to column j of Y */
static bool add(const period *p, int32_t j, double c, const double *q, const double *v,
                const double *q0, const double *v0, double *Y) {
  const hk_statespace *l = p->d.l;
  double *y = Y + (size_t)j * (size_t)l->n;
  hki_tree_minus(l->m, q, q0, p->d.xi);
  for (int32_t i = 0; i < l->n; i++) {
    const int32_t at = l->place[i];
    y[i] += c * p->d.sign[at] * (i < l->np ? p->d.xi[at] : v[at] - v0[at]);
    if (!isfinite(y[i])) return false;
  }
  return true;
}

static hk_status column(period *p, int32_t j) {
  hk_differences *d = &p->d;
  const double h = hki_differences_step(d, j);
  for (int32_t k = 1; k <= POINTS; k++)
    for (int32_t side = 0; side < 2; side++) {
      const double sign = side ? -1.0 : 1.0, c = sign * weight[k - 1] / h;
      hk_status st = hki_differences_change(d, j, sign * k * h);
      if (st == HK_OK) st = run_from(p, d->q, d->v);
      if (st != HK_OK) return st;
      if (!add(p, j, c, d->q, d->v, d->q0, d->v0, p->Y0) ||
          !add(p, j, c, p->run->qt, p->run->vt, p->q1, p->v1, p->Y1))
        return HK_E_NUMBER;
    }
  return HK_OK;
}

/* p->now with p->n steps a run */
static hk_status monodromy(period *p) {
  hk_statespace *l = p->d.l;
  const size_t square = (size_t)l->n * (size_t)l->n;
  hk_status st = run_from(p, p->d.q0, p->d.v0);
  if (st != HK_OK) return st;
  memcpy(p->q1, p->run->qt, (size_t)l->m->nq * sizeof *p->q1);
  memcpy(p->v1, p->run->vt, (size_t)p->d.ns * sizeof *p->v1);
  memset(p->Y0, 0, square * sizeof *p->Y0);
  memset(p->Y1, 0, square * sizeof *p->Y1);
  for (int32_t j = 0; st == HK_OK && j < l->n; j++)
    st = hki_stopped(l->ctx) ? HK_INTERRUPTED : column(p, j);
  return st == HK_OK ? hki_differences_divide(l, l->n, p->Y1, p->Y0, p->now) : st;
}

/* --- steps --------------------------------------------------------------------------------------- */

/* the largest change of Phi from n / 2 to n steps, against its size */
static double change(const period *p) {
  const hk_statespace *l = p->d.l;
  double most = 0.0, size = 1.0;
  for (int32_t j = 0; j < l->n; j++)
    for (int32_t i = 0; i < l->n; i++) {
      const double w = p->unit[j] / p->unit[i], x = p->now[i + j * l->n];
      most = fmax(most, w * fabs(x - p->before[i + j * l->n]));
      size = fmax(size, w * fabs(x));
    }
  return most / size;
}

/* doubles the steps until Phi stays; l->A, l->period_error */
static hk_status refine(period *p, int32_t order) {
  hk_statespace *l = p->d.l;
  const size_t square = (size_t)l->n * (size_t)l->n;
  const double gain = ldexp(1.0, order) - 1.0;
  double last = INFINITY, error = INFINITY;
  hk_status st = HK_OK;
  bool known = false;
  for (p->n = FIRST; p->n <= MOST; p->n *= 2) {
    st = monodromy(p);
    // long steps of an explicit method may fail where shorter ones do not
    if (st == HK_INTERRUPTED || st == HK_E_MEMORY) return st;
    if (st != HK_OK) continue;
    error = known ? change(p) / gain : INFINITY;
    for (size_t i = 0; i < square; i++)
      l->A[i] = p->now[i] + (known ? (p->now[i] - p->before[i]) / gain : 0.0);
    // rounding errors have taken over: shorter steps do not help
    if (error <= wanted || (error > 0.5 * last && error < bearable)) break;
    memcpy(p->before, p->now, square * sizeof *p->now);
    known = true, last = error;
  }
  l->period_error = error;
  l->period_steps = p->n;
  if (st != HK_OK) return st;
  return error < bearable ? HK_OK : HK_E_NUMBER;
}

/* how far the motion is from where it was: angles but for whole turns, and velocities */
static void look(const period *p) {
  hk_statespace *l = p->d.l;
  const double turn = 6.283185307179586;
  hki_tree_minus(l->m, p->q1, p->d.q0, p->d.xi);
  for (int32_t i = 0; i < l->np + l->nr; i++) {
    const int32_t at = l->place[i];
    double x = i < l->np ? p->d.xi[at] : (p->v1[at] - p->d.v0[at]) / p->unit[i];
    if (i < l->np) x -= turn * round(x / turn);
    x = fabs(x) / p->d.s->tree->scale[at];
    if (x > l->period_apart) l->period_apart = x, l->period_open = i;
  }
}

/* --- all of it ------------------------------------------------------------------------------------ */

/* do all steps have the length that the caller gives? */
static bool takes_steps(const hk_sim *s, const hk_integrator_ops *i) {
  return hki_fits_formulation(s, i) && i->steps == HK_STEPS_GIVEN && i->order > 0;
}

/* the method of highest order among those */
static const char *best_integrator(const hk_sim *s) {
  const hk_integrator_ops *best = s->I.ops;
  for (int32_t i = 0; i < hki_integrator_count(); i++) {
    const hk_integrator_ops *ops = hki_integrator_at(i);
    if (takes_steps(s, ops) && (!takes_steps(s, best) || ops->order > best->order)) best = ops;
  }
  return best->name;
}

/* p->run: a simulation with the method of the runs */
static hk_status create_run(period *p, const char *integrator) {
  hk_sim *s = p->d.s;
  hk_ctx *ctx = p->d.l->ctx;
  char list[256], hint[300];
  hk_sim_options opt = hki_sim_same_options(s);
  hk_option *options = hki_pool_alloc(p->d.l->pool, ((size_t)opt.noptions + 1) * sizeof *options);
  if (!options) return HK_E_MEMORY;
  for (int32_t i = 0; i < opt.noptions; i++) options[i] = opt.options[i];
  options[opt.noptions++] = (hk_option){"step_control", "off"};
  opt.options = options;
  opt.integrator = integrator ? integrator : best_integrator(s);
  // the steps are those of hk_sim_step_to
  opt.step = opt.time = p->t0 + 2.0 * p->d.l->period;
  opt.equilibrium = 0;
  opt.substeps = 0;
  opt.tolerance = 1e-12;
  const hk_integrator_ops *ops = hki_integrator_known(ctx, opt.integrator);
  if (!ops || takes_steps(s, ops)) return hki_sim_create(ctx, s->m, &opt, &p->run);
  hki_sim_list_integrators(s, takes_steps, list, sizeof list);
  snprintf(hint, sizeof hint, "take %s", list);
  return hki_error(ctx, HK_E_USAGE, HK_LOC_NONE, hint,
                   "runs over a period must all take the same steps, and '%s' with '%s' does not",
                   ops->name, s->fe->ops->name);
}

/* p->run: at the state of s */
static hk_status prepare_run(period *p, const char *integrator) {
  hk_sim *s = p->d.s;
  hk_status st = create_run(p, integrator);
  if (st != HK_OK) return st;
  hk_sim *r = p->run;
  memcpy(r->kin->disc.block, s->kin->disc.block, (size_t)s->kin->disc.n * sizeof(double));
  memcpy(r->fired, s->fired, (size_t)s->m->spec->nevents);
  r->I.t = p->t0;
  hki_sim_breaks_anew(r);
  memcpy(r->qt, p->d.q0, (size_t)s->m->nq * sizeof *r->qt);
  memcpy(r->vt, p->d.v0, (size_t)p->d.ns * sizeof *r->vt);
  st = hki_sim_go_on_from_tree(r);
  p->start = st == HK_OK ? hki_pool_alloc(p->d.l->pool, hki_state_size(r)) : NULL;
  if (st == HK_OK && !p->start) st = HK_E_MEMORY;
  if (st == HK_OK) hki_state_get(r, p->start, false);
  return st;
}

static bool allocate(period *p) {
  hk_differences *d = &p->d;
  hk_statespace *l = d->l;
  const size_t n = (size_t)l->n, nq = (size_t)l->m->nq, ns = (size_t)d->ns;
  struct {
    double **at;
    size_t n;
  } part[] = {{&d->q0, nq},
              {&d->v0, ns},
              {&d->q, nq},
              {&d->v, ns},
              {&d->xi, ns},
              {&p->q1, nq},
              {&p->v1, ns},
              {&p->unit, n},
              {&p->Y0, n * n},
              {&p->Y1, n * n},
              {&p->now, n * n},
              {&p->before, n * n},
              {&l->A, n * n},
              {&l->B, n * (size_t)l->nu},
              {&l->C, n * (size_t)l->ny},
              {&l->D, (size_t)l->ny * (size_t)l->nu}};
  for (int32_t i = 0; i < HK_ARRAY_LEN(part); i++)
    if (!(*part[i].at = hki_pool_alloc(l->pool, (part[i].n + 4) * sizeof(double)))) return false;
  return true;
}

hk_status hki_statespace_monodromy(hk_statespace *l, hk_sim *s, const hk_statespace_free *free,
                                   const double *sign, const char *integrator) {
  const hk_model *m = l->m;
  period p = {.d = {.l = l, .s = s, .free = free, .sign = sign}, .t0 = s->I.t};
  p.d.ns = m->nv + m->nx + m->nz;
  if (!allocate(&p)) return HK_E_MEMORY;
  memcpy(p.d.q0, s->qt, (size_t)m->nq * sizeof *p.d.q0);
  memcpy(p.d.v0, s->vt, (size_t)p.d.ns * sizeof *p.d.v0);
  for (int32_t i = 0; i < l->n; i++) p.unit[i] = i < l->np ? 1.0 : 6.283185307179586 / l->period;
  hk_status st = m->nc ? hki_tree_matrix(s->tree) : HK_OK;
  if (st == HK_OK) st = prepare_run(&p, integrator);
  if (st == HK_OK) st = refine(&p, p.run->I.ops->order);
  if (st == HK_OK) look(&p);
  hk_sim_destroy(p.run);
  return st;
}

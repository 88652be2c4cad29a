/* SPDX-License-Identifier: Apache-2.0
 *
 * statics.c: static equilibrium.
 *
 *   r(q) = -Q(q, v) + Phi_z' lam = 0,  Phi(q) = 0
 *   (K + mu W + Phi_z' alpha Phi_z) dq = -r
 *
 * K is the exact tangent with geometric terms (tree/exact.c), W the mass matrix with a little
 * added, lam the multipliers that leave the least of r in the metric of W. After each step the
 * loops are closed again, so that redundant rows never build up stresses of their own.
 *
 * The term mu W makes each iteration an implicit step of a motion that always starts from rest. mu
 * is kept so large that the matrix is positive definite: every step then leads downhill, away from
 * unstable places and towards a stable one; directions in which nothing pulls stay as they are. A
 * step is taken when the force along it has not turned round by its end (there need not be a
 * potential); otherwise mu grows. Where the equilibrium is near, mu fades and the end is Newton's
 * method.
 *
 * Where the stiffness leaves directions free, a whole family is in equilibrium (a car anywhere on a
 * flat road). Of it the member nearest to the assembled start is taken, q_ref, in the metric W in
 * which the values named under `start` weigh heavily: they hold where nothing pulls at them.
 *
 *   (K + e (W + N' beta N) + Phi_z' alpha Phi_z) dq = -e (W (q (-) q_ref) + N'(beta n + mu))
 *
 * with e so small that dq lies along the free directions; then back to equilibrium, and again.
 *
 * Scalar unknowns (networks) are in their steady state at every place that is looked at, so that Q
 * is a function of q alone. Its slope by way of them is not in K, which costs iterations where a
 * network answers to the mechanism (a servo), not the result.
 */
#include "analyses/assembly.h"
#include "machines/network/network.h"

enum { STATICS_ITER = 2000, KICKS = 3, CLOSE_ITER = 30, NEAREST_ITER = 40 };
static const double step_limit = 0.2; /* rad or mechanism lengths an iteration */

typedef struct statics {
  hk_tree *s;
  double *q, *keep; /* present and last accepted coordinates */
  double *v;        /* at which forces are evaluated */
  double *r, *x;    /* residual and step at the last accepted place */
  double *ref, *D;  /* the assembled start, and the way from it */
  double *W;        /* values of the metric that measures the way */
  hk_named *rows;   /* values named under `start` */
  int32_t nrows;
  double loads;     /* largest force met so far, as work over one length */
  double size, gap; /* scaled residual and rows at the present place */
  hk_net net;       /* scalar unknowns, where there are any */
  double *start;    /* their values under `start`, and the coordinates of their joints there */
  bool settled;     /* they have been in a steady state */
  hk_status failed; /* or there is none */
} statics;

static double dot(const double *a, const double *b, int32_t n) {
  double s = 0.0;
  for (int32_t i = 0; i < n; i++) s += a[i] * b[i];
  return s;
}

/* num.val = mu W, W the mass matrix and extra of its largest entry on the diagonal */
static void add_metric(hk_tree *s, double mu, double extra) {
  const hk_model *m = s->m;
  double top = 0.0;
  hki_tree_mass(s);
  for (int32_t i = 0; i < m->nv; i++) top = fmax(top, s->mass[i] / (s->scale[i] * s->scale[i]));
  if (top == 0.0) top = 1.0;
  for (int32_t i = 0; i < hki_ldl_value_count(s->ldl); i++) s->num.val[i] *= mu;
  for (int32_t i = 0; i < m->nv; i++)
    s->num.val[s->slot_diag[i]] += extra * mu * top * s->scale[i] * s->scale[i];
}

/* penalties relative to the diagonal that is there, added and factorised; positive definite? */
static bool factor(hk_tree *s) {
  double kappa = s->kappa;
  for (int32_t i = 0; i < s->m->nv; i++) s->mass[i] = fabs(s->num.val[s->slot_diag[i]]);
  s->kappa = 1e6;
  hki_tree_penalty(s, 1.0);
  s->kappa = kappa;
  hki_tree_add_closures(s, 1.0);
  return hki_tree_factor(s) == HK_OK && s->num.negative == 0;
}

/* bring q back onto the closures, by the shortest way */
static bool close_loops(statics *z) {
  hk_tree *s = z->s;
  const hk_model *m = s->m;
  double before = INFINITY;
  for (int32_t it = 0; it < CLOSE_ITER; it++) {
    hki_kin_state(&s->kin, 0.0, z->q, z->v);
    hki_kin_signals(&s->kin, false);
    hki_kin_closures(&s->kin);
    hki_kin_commit_turns(&s->kin);
    hki_tree_reach(s);
    z->gap = hki_tree_row_norm(s, s->kin.phi);
    if (!isfinite(z->gap)) return false;
    if (z->gap < 1e-13 || (z->gap < 1e-10 && z->gap > 0.5 * before)) return true;
    before = z->gap;
    add_metric(s, 1.0, 1e-4);
    if (!factor(s)) return false;
    memset(z->s->y, 0, (size_t)m->nv * sizeof *s->y);
    hki_tree_project(s, 1.0, s->kin.phi, s->y);
    hki_tree_plus(m, z->q, s->y, z->q);
  }
  return z->gap < 1e-9;
}

/* multipliers that leave the least of r = -Q in s->r, which becomes -Q + Phi_z' lam */
static bool multipliers(hk_tree *s) {
  const hk_model *m = s->m;
  memset(s->lam, 0, (size_t)m->nrows * sizeof *s->lam);
  if (!m->nrows) return true;
  add_metric(s, 1.0, 1e-4);
  if (!factor(s)) return false;
  for (int pass = 0; pass < 4; pass++) {
    for (int32_t i = 0; i < m->nv; i++) s->x[i] = -s->r[i];
    hki_ldl_solve(s->ldl, &s->num, s->x);
    hki_tree_rows(s, s->x, s->row);
    for (int32_t i = 0; i < m->nrows; i++) s->row[i] *= s->alpha[i];
    for (int32_t i = 0; i < m->nrows; i++) s->lam[i] += s->row[i];
    hki_tree_add_rows(s, s->row, s->r);
  }
  return true;
}

static void network_element(void *user, int32_t fi, hk_element_out *out) {
  const statics *z = user;
  hk_kin *k = &z->s->kin;
  hk_frame F[HK_ELEMENT_MARKERS];
  hk_element_in in;
  const hk_model_force *f = &k->m->forces[fi];
  if (f->u_varies) hki_kin_force_inputs(k, fi);
  hki_kin_force_in(k, fi, F, &in);
  if (z->net.first) in.sd = z->net.shift * (in.s - z->start[k->m->nx + f->net]);
  f->ops->eval(f->par, &in, HK_NEED_FORCE | HK_NEED_EXACT | HK_NEED_INPUT, out);
}

/* scalar unknowns at the present place */
static bool settle_network(statics *z) {
  if (!z->s->m->nx) return true;
  z->failed = hki_net_steady(&z->net, z->start, z->settled);
  z->settled = z->failed == HK_OK;
  return z->settled;
}

/* loops closed, r and lam at q, scaled size of r (work of a unit motion, relative to the loads) */
static bool evaluate(statics *z) {
  hk_tree *s = z->s;
  const hk_model *m = s->m;
  bool changed;
  z->size = z->gap = 0.0;
  if (m->nrows && !close_loops(z)) return false;
  hki_kin_state(&s->kin, 0.0, z->q, z->v);
  hki_kin_decide(&s->kin, &changed);
  if (!settle_network(z)) return false;
  hki_tree_state(s, 0.0, z->q, z->v, HK_FORCES_TANGENT);
  hki_tree_reach(s);
  memset(s->a, 0, (size_t)m->nv * sizeof *s->a);
  hki_tree_residual(s, s->a, s->r);
  // loads: single wrenches on bodies, and forces on coordinates
  for (int32_t b = 0; b < m->nb; b++) {
    z->loads = fmax(z->loads, v3_norm(s->kin.W + 6 * b + 3) * m->length);
    z->loads = fmax(z->loads, m->bodies[b].mass * v3_norm(m->spec->gravity) * m->length);
  }
  for (int32_t i = 0; i < m->nv; i++) z->loads = fmax(z->loads, fabs(s->r[i]) * s->scale[i]);
  if (!multipliers(s)) return false;
  for (int32_t i = 0; i < m->nv; i++) {
    double e = fabs(s->r[i]) * s->scale[i];
    if (!(e <= z->size)) z->size = e;
  }
  z->size /= fmax(z->loads, 1e-300);
  return isfinite(z->size);
}

/* mu for a fall through one length of the mechanism */
static double first_mu(const statics *z) {
  const hk_model *m = z->s->m;
  double top = 0.0;
  for (int32_t b = 0; b < m->nb; b++) top += m->bodies[b].mass;
  return top > 0.0 ? 10.0 * z->loads / (top * m->length * m->length) : z->loads;
}

/* a positive definite matrix with the smallest mu tried; false when there is none */
static bool definite(statics *z, double *mu) {
  for (int tries = 0; tries < 60; tries++) {
    add_metric(z->s, *mu, 1e-4);
    hki_tree_add_exact(z->s, 0.0, 1.0, z->s->lam);
    if (factor(z->s)) return true;
    *mu *= 4.0;
  }
  return false;
}

/* try the step in s->x; true when the force along it has not turned round at its end. The present
 * place is then the new one, else the old one. ease: how much mu may fall */
static bool attempt(statics *z, double *step, double *ease) {
  hk_tree *s = z->s;
  const hk_model *m = s->m;
  double before = z->size, turn = 0.0;
  for (int32_t i = 0; i < m->nv; i++) turn = fmax(turn, fabs(s->x[i]) / s->scale[i]);
  *step = turn;
  *ease = 1.0;
  if (!isfinite(turn)) return false;
  double f = turn > step_limit ? step_limit / turn : 1.0;
  for (int32_t i = 0; i < m->nv; i++) z->x[i] = f * s->x[i];
  memcpy(z->r, s->r, (size_t)m->nv * sizeof *z->r);
  memcpy(z->keep, z->q, (size_t)m->nq * sizeof *z->q);
  hki_tree_plus(m, z->q, z->x, z->q);
  bool good = evaluate(z);
  double slope0 = dot(z->r, z->x, m->nv), slope1 = dot(s->r, z->x, m->nv);
  *ease = slope1 <= 0.1 * fabs(slope0) ? 0.1 : slope1 <= 0.5 * fabs(slope0) ? 0.4 : 1.0;
  if (good && (slope1 <= 0.9 * fabs(slope0) || z->size < 0.5 * before || turn < 1e-9)) return true;
  memcpy(z->q, z->keep, (size_t)m->nq * sizeof *z->q);
  evaluate(z);
  return false;
}

/* is the present equilibrium stable, as far as the symmetric tangent tells? */
static bool stable(statics *z, double mu) {
  add_metric(z->s, mu, 1e-4);
  hki_tree_add_exact(z->s, 0.0, 1.0, z->s->lam);
  return factor(z->s);
}

/* leave an unstable equilibrium: a small motion in no particular direction */
static bool kick(statics *z, int32_t n) {
  hk_tree *s = z->s;
  uint64_t seed = (uint64_t)n + 7;
  for (int32_t i = 0; i < s->m->nv; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    s->x[i] = 1e-3 * s->scale[i] * ((double)(seed >> 11) / 4503599627370496.0 - 1.0);
  }
  hki_tree_plus(s->m, z->q, s->x, z->q);
  return evaluate(z);
}

static hk_status unsettled(const statics *z) {
  char name[160] = "network";
  if (z->failed == HK_E_MEMORY) return z->failed;
  if (z->net.bad >= 0) hki_model_unknown_name(z->s->m, z->net.bad, name, sizeof name);
  return hki_error(z->s->ctx, HK_E_ASSEMBLY, HK_LOC_NONE,
                   "tie it to something that balances its flows, give better start values, or "
                   "leave out 'equilibrium'",
                   "no steady state of the network found: the %s does not settle", name);
}

static hk_status run(statics *z) {
  double ease, step = INFINITY;
  int32_t kicks = 0;
  bool fine = evaluate(z);
  if (fine && z->loads == 0.0) return HK_OK;
  double first = first_mu(z), mu = first;
  for (int32_t it = 0; it < STATICS_ITER && fine; it++) {
    bool still = z->size < 1e-11 || (step < 1e-12 && z->size < 1e-8);
    if (still && (kicks == KICKS || stable(z, 1e-7 * first))) return HK_OK;
    if (still) {
      fine = kick(z, kicks++);
      mu = first;
    }
    mu = fmax(mu, 1e-10 * first);
    if (!definite(z, &mu)) break;
    for (int32_t i = 0; i < z->s->m->nv; i++) z->s->x[i] = -z->s->r[i];
    hki_ldl_solve(z->s->ldl, &z->s->num, z->s->x);
    mu *= attempt(z, &step, &ease) ? ease : 4.0;
    if (!(mu < 1e20 * first)) break;
  }
  if (z->failed != HK_OK) return unsettled(z);
  return hki_error(
      z->s->ctx, HK_E_ASSEMBLY, HK_LOC_NONE,
      "start nearer to the equilibrium, or check that something holds the mechanism up",
      "no static equilibrium found");
}

/* z->W = e (W + N' beta N), and z->x = e (W (q (-) q_ref) + N'(beta n + mu)), after
 * mu += beta n when a step has been taken */
static void weigh(statics *z, double e, bool again) {
  hk_tree *s = z->s;
  add_metric(s, e, 1e-7);
  hki_tree_minus(s->m, z->q, z->ref, z->D);
  hki_ldl_mul(s->ldl, &s->num, s->num.val, z->D, z->x);
  for (int32_t n = 0; n < z->nrows; n++) {
    hk_named *r = &z->rows[n];
    if (!r->on || r->rate) continue;
    // alpha is 1e6 of the mass the row feels since the assembly
    const double beta = e * r->alpha;
    hki_named_eval(&s->kin, r);
    if (again) r->mu += beta * r->value;
    for (int32_t i = 0; i < r->path.n; i++) {
      z->x[r->path.dof[i]] += (beta * r->value + r->mu) * r->g[i];
      for (int32_t j = 0; j <= i; j++) {
        double w = beta * r->g[i] * r->g[j];
        if (w != 0.0) s->num.val[hki_ldl_slot(s->ldl, r->path.dof[i], r->path.dof[j])] += w;
      }
    }
  }
  memcpy(z->W, s->num.val, (size_t)hki_ldl_value_count(s->ldl) * sizeof *z->W);
}

/* the step along free directions towards the start, in s->x; its scaled size, 0: there is none */
static double nearer(statics *z, double e, bool again) {
  hk_tree *s = z->s;
  const hk_model *m = s->m;
  double size = 0.0;
  weigh(z, e, again);
  hki_tree_add_exact(s, 0.0, 1.0, s->lam);
  if (!factor(s)) return 0.0;
  // (K + W)^-1 W keeps what is free and takes a large factor off what is stiff
  for (int pass = 0; pass < 6; pass++) {
    if (pass) hki_ldl_mul(s->ldl, &s->num, z->W, s->x, z->x);
    for (int32_t i = 0; i < m->nv; i++) s->x[i] = pass ? z->x[i] : -z->x[i];
    hki_ldl_solve(s->ldl, &s->num, s->x);
  }
  for (int32_t i = 0; i < m->nv; i++) size = fmax(size, fabs(s->x[i]) / s->scale[i]);
  return isfinite(size) ? size : 0.0;
}

/* the equilibrium of its family that is nearest to the start. Near it, each update of mu takes a
 * factor of a million off what is left of named values: two are enough, and more would only feed
 * round-off of rows that something pulls at. */
static hk_status nearest(statics *z) {
  const hk_model *m = z->s->m;
  hk_status st = run(z);
  const double e = 1e-9 * first_mu(z);
  double size = INFINITY, before;
  int32_t updates = 0;
  for (int32_t n = 0; n < z->nrows; n++) z->rows[n].mu = 0.0;
  for (int32_t it = 0; it < NEAREST_ITER && st == HK_OK && z->loads > 0.0; it++) {
    bool again = size < 1e-9 && updates < 2;
    updates += again;
    before = size;
    size = nearer(z, e, again);
    bool still = size < 1e-12 || (size < 1e-9 && size > 0.3 * before);
    if (size == 0.0 || (still && updates == 2)) break;
    double f = size > step_limit ? step_limit / size : 1.0;
    for (int32_t i = 0; i < m->nv; i++) z->s->x[i] *= f;
    hki_tree_plus(m, z->q, z->s->x, z->q);
    st = run(z);
  }
  return st;
}

/* the unknowns of networks, in a pool of their own */
static hk_status make_network(statics *z, hk_pool *pool) {
  const hk_model *m = z->s->m;
  if (!m->nx) return HK_OK;
  z->start = pool ? hki_pool_alloc(pool, (size_t)(m->nx + m->nnet) * sizeof *z->start) : NULL;
  if (!z->start) return HK_E_MEMORY;
  for (int32_t i = 0; i < m->nx; i++) z->start[i] = m->unknowns[i].start;
  hki_kin_state(&z->s->kin, 0.0, z->q, z->v);
  for (int32_t f = 0; f < m->nf; f++) {
    double rate;
    if (m->forces[f].net != HK_NONE && m->forces[f].ops->nscal)
      hki_kin_scalar(&z->s->kin, m->forces[f].scalar, &z->start[m->nx + m->forces[f].net], &rate);
  }
  return hki_net_create(&z->net, z->s->ctx, pool, &z->s->kin, network_element, z, true);
}

/* values that only their start determines */
static void warn_open(const statics *z) {
  char name[160];
  if (!z->settled || z->net.bad < 0) return;
  hki_model_unknown_name(z->s->m, z->net.bad, name, sizeof name);
  hki_warn(z->s->ctx, HK_LOC_NONE, "give it a start value, or a leak",
           "in the steady state nothing but the start determines the %s", name);
}

hk_status hki_statics(hk_tree *s, hk_equilibrium kind, hk_named *rows, int32_t nrows, double *q,
                      const double *v) {
  const hk_model *m = s->m;
  size_t nv = (size_t)m->nv;
  hk_status st = hki_tree_matrix(s);
  hk_pool *pool = m->nx ? hki_pool_create(s->ctx) : NULL;
  double *block = NULL;
  if (st == HK_OK) {
    const size_t nval = (size_t)hki_ldl_value_count(s->ldl);
    block = hki_alloc(s->ctx, (4 * nv + 2 * (size_t)m->nq + nval + 1) * sizeof *block);
    if (!block) st = HK_E_MEMORY;
  }
  if (st == HK_OK) {
    statics z = {.s = s, .q = q, .v = block, .rows = rows, .nrows = nrows};
    z.r = z.v + nv;
    z.x = z.r + nv;
    z.D = z.x + nv;
    z.keep = z.D + nv;
    z.ref = z.keep + m->nq;
    z.W = z.ref + m->nq;
    memcpy(z.ref, q, (size_t)m->nq * sizeof *q);
    if (kind == HK_EQ_STEADY) memcpy(z.v, v, nv * sizeof *z.v);
    st = make_network(&z, pool);
    if (st == HK_OK) st = nearest(&z);
    if (st == HK_OK) warn_open(&z);
    if (z.net.ls) hki_net_destroy(&z.net);
    // no pointer into the block stays behind
    hki_kin_state(&s->kin, 0.0, q, v);
  }
  if (pool) hki_pool_destroy(pool);
  hki_free(s->ctx, block);
  return st;
}

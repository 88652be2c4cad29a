/* SPDX-License-Identifier: Apache-2.0
 *
 * statics.c: static equilibrium.
 *
 *   r(q) = -Q(q, v) + Phi_z' lam = 0
 *   Phi(q) = 0
 *   (K + mu W + Phi_z' alpha Phi_z) dq = -r
 *
 * K is the exact tangent with geometric terms (machines/tree/exact.c), W the mass matrix with a
 * small addition to its diagonal, lam the multipliers that minimise r in the metric of W. After
 * each step the loops are closed again and lam is computed anew, so that redundant rows build up
 * no self-stress.
 *
 * The term mu W makes each iteration an implicit step of a motion that starts from rest. mu is kept
 * large enough for a positive definite matrix: then every step goes downhill, away from unstable
 * equilibria and towards a stable one, and directions without force do not move. A step is accepted
 * when the force along it has not reversed at its end (no potential is needed); otherwise mu grows.
 * Near the equilibrium mu tends to zero and the method becomes Newton's.
 *
 * In directions without stiffness a whole family is in equilibrium (a car anywhere on a flat road).
 * The member nearest to the assembled start q_ref is taken, in the metric W plus a large weight
 * beta on the values n named under `start`: these hold where no force acts on them.
 *
 *   (K + e (W + N' beta N) + Phi_z' alpha Phi_z) dq = -e (W (q (-) q_ref) + N'(beta n + mu))
 *
 * e is so small that dq lies along the free directions. After each such step the equilibrium is
 * computed again. (In this equation mu are the multipliers of the named rows.)
 *
 * Forces that turn with what they act on have no potential: an equilibrium that they hold may be stable though the symmetric part of
 * its tangent is not definite. Where nothing better is found after such a one was left, it is taken, with a note.
 *
 * Elements without a potential have no definite symmetric tangent to go down: others that do stand in for
 * them (kinematics/kin.h, downhill), and Newton's method goes from there to the equilibrium.
 *
 * Scalar unknowns of networks are in their steady state at every position that is evaluated, so
 * that Q is a function of q alone. K omits the slope of Q through these unknowns: where a network
 * acts on the mechanism (a servo) this costs iterations but does not change the result.
 */
#include "analyses/assembly.h"
#include "kinematics/element.h"
#include "machines/network/network.h"

enum { STATICS_ITER = 2000, KICKS = 3, CLOSE_ITER = 30, NEAREST_ITER = 40 };
static const double step_limit = 0.2; /* per iteration: rad, or lengths of the mechanism */

typedef struct statics {
  hk_tree *s;
  double *q, *keep; /* nq: present coordinates; those before the last step */
  double *v;        /* nv: velocities at which forces are evaluated */
  double *r, *x;    /* nv: residual and step at the last accepted position */
  double *ref, *D;  /* nq, nv: the assembled start; q (-) q_ref */
  double
      *first; /* nq: the equilibrium that was left, because its symmetric tangent is not definite */
  double *W;  /* values of the matrix e (W + N' beta N) */
  hk_named *rows; /* nrows: values named under `start` */
  int32_t nrows;
  double loads;     /* largest force so far, times the model's length, J */
  double size, gap; /* scaled residual and closure rows at the present position */
  hk_net net;       /* scalar unknowns of networks, where there are any */
  double *start;    /* nx + nnet: start values of these; coordinates of their joints at the start */
  bool settled;     /* a steady state of the network has been found */
  bool any;         /* an unstable equilibrium will do */
  hk_status failed; /* status of the network when it has none, else HK_OK */
} statics;

static double dot(const double *a, const double *b, int32_t n) {
  double s = 0.0;
  for (int32_t i = 0; i < n; i++) s += a[i] * b[i];
  return s;
}

/* num.val = mu W; W = mass matrix + extra times its largest scaled entry on the diagonal */
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

/* adds Phi_z' alpha Phi_z, alpha in proportion to the present diagonal, and factorises; true when
 * positive definite */
static bool factor(hk_tree *s) {
  for (int32_t i = 0; i < s->m->nv; i++) s->mass[i] = fabs(s->num.val[s->slot_diag[i]]);
  hki_tree_penalty(s, 1e6, 1.0);
  hki_tree_add_closures(s, 1.0);
  return hki_tree_factor(s) == HK_OK && s->num.negative == 0;
}

/* moves q to the nearest position that satisfies the closures */
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
    hki_tree_project(s, 1.0, s->kin.phi, HK_TREE_CLOSED, s->y);
    hki_tree_plus(m, z->q, s->y, z->q);
  }
  return z->gap < 1e-9;
}

/* lam that minimises |-Q + Phi_z' lam| in the metric of W; s->r is -Q before, -Q + Phi_z' lam after
 */
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

/* an element as hki_net_steady evaluates it: at the present position of the mechanism */
static void network_element(void *user, int32_t fi, hk_element_out *out) {
  const statics *z = user;
  hk_kin *k = &z->s->kin;
  hk_frame F[HK_ELEMENT_MARKERS];
  hk_element_in in;
  const hk_model_force *f = &k->m->forces[fi];
  if (f->u_varies) hki_kin_force_inputs(k, fi);
  hki_kin_force_in(k, fi, F, &in);
  if (z->net.first) in.sd = z->net.shift * (in.s - z->start[k->m->nx + f->net]);
  hki_kin_element(k, fi, &in, HK_NEED_FORCE | HK_NEED_EXACT | HK_NEED_INPUT, out);
  if (f->still) hki_kin_drop_rates(f, out);
}

/* steady state of the scalar unknowns at the present position */
static bool settle_network(statics *z) {
  if (!z->s->m->nx) return true;
  z->failed = hki_net_steady(&z->net, z->start, z->settled);
  z->settled = z->failed == HK_OK;
  return z->settled;
}

/* closes the loops from z->q, then finds s->r, lam and z->size there: the largest scaled component
 * of r relative to the loads. False when a part of this fails. */
static bool evaluate(statics *z) {
  hk_tree *s = z->s;
  const hk_model *m = s->m;
  bool changed;
  z->size = z->gap = 0.0;
  if (m->nrows && !close_loops(z)) return false;
  hki_kin_state(&s->kin, 0.0, z->q, z->v);
  hki_kin_follow(&s->kin);
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

/* first mu: of a step that moves the mechanism by about a tenth of its length */
static double first_mu(const statics *z) {
  const hk_model *m = z->s->m;
  double top = 0.0;
  for (int32_t b = 0; b < m->nb; b++) top += m->bodies[b].mass;
  return top > 0.0 ? 10.0 * z->loads / (top * m->length * m->length) : z->loads;
}

/* raises mu until the matrix is positive definite, and leaves it factorised; false when no mu is
 * large enough */
static bool definite(statics *z, double *mu) {
  for (int tries = 0; tries < 60; tries++) {
    add_metric(z->s, *mu, 1e-4);
    hki_tree_add_exact(z->s, 0.0, 1.0, z->s->lam);
    if (factor(z->s)) return true;
    *mu *= 4.0;
  }
  return false;
}

/* Tries the step in s->x. True when it is accepted: the force along it has not reversed at its end.
 * z->q is then the new position, else the old one. step: its scaled size before it is limited;
 * ease: factor by which mu may fall. */
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

/* is the present equilibrium stable by its symmetric tangent? */
static bool stable(statics *z, double mu) {
  add_metric(z->s, mu, 1e-4);
  hki_tree_add_exact(z->s, 0.0, 1.0, z->s->lam);
  return factor(z->s);
}

/* leaves an unstable equilibrium by a small pseudo-random motion */
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

/* error: the network has no steady state */
static hk_status unsettled(const statics *z) {
  char name[160] = "network";
  if (z->failed == HK_E_MEMORY) return z->failed;
  if (z->net.bad >= 0) hki_model_unknown_name(z->s->m, z->net.bad, name, sizeof name);
  return hki_error(z->s->ctx, HK_E_ASSEMBLY, HK_LOC_NONE,
                   "tie it to something that balances its flows, give better start values, or "
                   "leave out 'equilibrium'",
                   "no steady state of the network found: the %s does not settle", name);
}

/* back to the equilibrium that was left, when there was one */
static bool back(statics *z, int32_t kicks) {
  if (!kicks || z->failed != HK_OK) return false;
  memcpy(z->q, z->first, (size_t)z->s->m->nq * sizeof *z->q);
  if (!evaluate(z)) return false;
  hki_note(z->s->ctx, HK_LOC_NONE,
           "the equilibrium at the start is unstable, unless forces that follow it hold it: "
           "'hooke statics' and 'hooke modes --at equilibrium' tell");
  return true;
}

/* the equilibrium that is reached from z->q */
static hk_status run(statics *z) {
  double ease, step = INFINITY;
  int32_t kicks = 0, idle = 0;
  bool fine = evaluate(z);
  if (fine && z->loads == 0.0) return HK_OK;
  double first = first_mu(z), mu = first;
  for (int32_t it = 0; it < STATICS_ITER && fine; it++) {
    // Newton steps that move nothing: what is left of the forces is round-off of stiff elements under small loads
    idle = step < 1e-13 && mu <= 1e-10 * first ? idle + 1 : 0;
    bool still = z->size < 1e-11 || (step < 1e-12 && z->size < 1e-8) || idle > 2;
    if (still && (z->any || kicks == KICKS || stable(z, 1e-7 * first))) return HK_OK;
    if (still) {
      if (!kicks) memcpy(z->first, z->q, (size_t)z->s->m->nq * sizeof *z->q);
      fine = kick(z, kicks++);
      mu = first, idle = 0;
    }
    mu = fmax(mu, 1e-10 * first);
    if (!definite(z, &mu)) break;
    for (int32_t i = 0; i < z->s->m->nv; i++) z->s->x[i] = -z->s->r[i];
    hki_ldl_solve(z->s->ldl, &z->s->num, z->s->x);
    mu *= attempt(z, &step, &ease) ? ease : 4.0;
    if (!(mu < 1e20 * first)) break;
  }
  if (z->any) return HK_RETRY;
  if (back(z, kicks)) return HK_OK;
  if (z->failed != HK_OK) return unsettled(z);
  return hki_error(
      z->s->ctx, HK_E_ASSEMBLY, HK_LOC_NONE,
      "start nearer to the equilibrium, or check that something holds the mechanism up",
      "no static equilibrium found");
}

/* z->W = e (W + N' beta N)
 * z->x = e (W (q (-) q_ref) + N'(beta n + mu))
 * again: first mu += beta n. The factor e is contained in the beta and mu of the code. */
static void weigh(statics *z, double e, bool again) {
  hk_tree *s = z->s;
  add_metric(s, e, 1e-7);
  hki_tree_minus(s->m, z->q, z->ref, z->D);
  hki_ldl_mul(s->ldl, &s->num, s->num.val, z->D, z->x);
  for (int32_t n = 0; n < z->nrows; n++) {
    hk_named *r = &z->rows[n];
    if (!r->on || r->rate) continue;
    // the assembly has set alpha to 1e6 times the mass along the row
    const double beta = e * r->alpha;
    hki_named_eval(&s->kin, r);
    if (again) r->mu += beta * r->value;
    for (int32_t i = 0; i < r->path.n; i++) {
      z->x[r->path.dof[i]] += (beta * r->value + r->mu) * r->g[i];
      for (int32_t j = 0; j <= i; j++) {
        double w = beta * r->g[i] * r->g[j];
        if (w != 0.0) hki_ldl_add(s->ldl, s->num.val, r->path.dof[i], r->path.dof[j], w);
      }
    }
  }
  memcpy(z->W, s->num.val, (size_t)hki_ldl_value_count(s->ldl) * sizeof *z->W);
}

/* s->x = the step along free directions towards the start; returns its scaled size, 0: none */
static double nearer(statics *z, double e, bool again) {
  hk_tree *s = z->s;
  const hk_model *m = s->m;
  double size = 0.0;
  weigh(z, e, again);
  hki_tree_add_exact(s, 0.0, 1.0, s->lam);
  if (!factor(s)) return 0.0;
  // (K + W)^-1 W keeps free directions and reduces stiff ones by a large factor; applied 5 times
  for (int pass = 0; pass < 6; pass++) {
    if (pass) hki_ldl_mul(s->ldl, &s->num, z->W, s->x, z->x);
    for (int32_t i = 0; i < m->nv; i++) s->x[i] = pass ? z->x[i] : -z->x[i];
    hki_ldl_solve(s->ldl, &s->num, s->x);
  }
  for (int32_t i = 0; i < m->nv; i++) size = fmax(size, fabs(s->x[i]) / s->scale[i]);
  return isfinite(size) ? size : 0.0;
}

/* The equilibrium of its family that is nearest to the start. Each update of mu reduces the
 * distance from the named values a million times: two are enough, and more would only add
 * round-off to rows on which forces act. */
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

/* memory and start values of the network's unknowns, in the pool */
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

/* warns of an unknown of the network that only its start value determines */
static void warn_open(const statics *z) {
  char name[160];
  if (!z->settled || z->net.bad < 0) return;
  hki_model_unknown_name(z->s->m, z->net.bad, name, sizeof name);
  hki_warn(z->s->ctx, HK_LOC_NONE, "give it a start value, or a leak",
           "in the steady state nothing but the start determines the %s", name);
}

hk_status hki_refuse_servos(hk_ctx *ctx, const hk_model *m, const char *what) {
  for (int32_t c = 0; m->nservo && c < m->nc; c++) {
    if (!m->closures[c].coupling || !m->closures[c].coupling->servo) continue;
    const hk_spec_joint *j = &m->spec->joints[m->closures[c].joint];
    return hki_error(ctx, HK_E_MODEL, j->loc, "a run finds the forces of its actuators",
                     "%s does not treat servo '%s'", what, j->name);
  }
  return HK_OK;
}

hk_status hki_statics(hk_tree *s, hk_equilibrium kind, bool any, hk_named *rows, int32_t nrows,
                      double *q, const double *v) {
  const hk_model *m = s->m;
  size_t nv = (size_t)m->nv;
  hk_status st = hki_refuse_servos(s->ctx, m, "the equilibrium");
  if (st == HK_OK) st = hki_tree_matrix(s);
  hk_pool *pool = m->nx ? hki_pool_create(s->ctx) : NULL;
  double *block = NULL;
  if (st == HK_OK) {
    const size_t nval = (size_t)hki_ldl_value_count(s->ldl);
    block = hki_alloc(s->ctx, (4 * nv + 3 * (size_t)m->nq + nval + 1) * sizeof *block);
    if (!block) st = HK_E_MEMORY;
  }
  if (st == HK_OK) {
    statics z = {.s = s, .q = q, .v = block, .rows = rows, .nrows = nrows, .any = any};
    z.r = z.v + nv;
    z.x = z.r + nv;
    z.D = z.x + nv;
    z.keep = z.D + nv;
    z.ref = z.keep + m->nq;
    z.first = z.ref + m->nq;
    z.W = z.first + m->nq;
    memcpy(z.ref, q, (size_t)m->nq * sizeof *q);
    if (kind == HK_EQ_STEADY) memcpy(z.v, v, nv * sizeof *z.v);
    s->kin.downhill = m->downhill && kind == HK_EQ_REST;
    st = make_network(&z, pool);
    if (st == HK_OK) st = nearest(&z);
    s->kin.downhill = false;
    if (st == HK_OK) warn_open(&z);
    if (z.net.ls) hki_net_destroy(&z.net);
    // leave no pointer to the block in kin
    hki_kin_state(&s->kin, 0.0, q, v);
  }
  if (pool) hki_pool_destroy(pool);
  hki_free(s->ctx, block);
  return st;
}

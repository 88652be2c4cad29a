/* SPDX-License-Identifier: Apache-2.0
 *
 * assembly.c: positions and velocities that satisfy the closures and the named start values.
 *
 *   min 1/2 |q (-) q_ref|^2_M   subject to  Phi(q, 0) = 0,  n(q) = 0
 *
 *   T dq = -(M (q (-) q_ref) + Phi_z'(alpha Phi + lam) + N'(beta n + mu))
 *   T    = M + Phi_z' alpha Phi_z + N' beta N
 *
 * Phi: closures, with penalties alpha and multipliers lam. n: distances from the named start
 * values, with gradient N, penalties beta and multipliers mu. q_ref: the drawing, moved so that
 * the named coordinates have their values. Coordinates without a named value therefore keep
 * their drawn position relative to the named ones: a car moved as a whole takes its suspension
 * along. Velocities: assembly_rates.c.
 *
 * With `start.relax`, loads shift the start. The stationary condition becomes
 *
 *   M (q (-) q_ref) - Q/k + Phi_z' lam + N' mu = 0
 *
 * where k is the stiffness per unit of mass that holds the drawing; T gains the tangent of -Q/k.
 * Velocities likewise. Source: Masarati, Morandini and Mantegazza 2014, eqs. 15, with masses as
 * the penalties.
 *
 * The method is the augmented Lagrangian that also closes loops in the hybrid formulation. Its
 * steps are limited, so that the mechanism moves from the drawing to the named values along its
 * own motion. T has no curvature of the rows: where that is more than M, corrections go to and fro
 * across the nearest positions, and are shortened by what two of them in a row tell of it (share_of).
 * When the named values cannot all hold, they are switched on one after the other in the order of the
 * file; values that do not fit are released and reported. T: assembly_matrix.c.
 */
#include "analyses/assembly_impl.h"

/* iterations at most; without progress before rows that nearly depend on each other are looked for, and at most */
enum { MAX_ITER = 600, SLOW = 5, PATIENCE = 25 };
static const double step_limit = 0.3;  /* per iteration: rad, or lengths of the mechanism */
static const double tolerance = 1e-12; /* on scaled steps and rows */
/* rows below which corrections are looked at, corrections that are no round-off, what counts as to and fro, the least part that is taken */
static const double calm_below = 1e-3, calm_above = 1e-9, to_and_fro = 1.9,
                    least_share = 1.0 / 256.0;

/* r += N'(beta n + mu) */
static void add_named_force(const assembler *A, bool rate, double *r) {
  for (int32_t n = 0; n < A->n; n++) {
    const hk_named *x = &A->rows[n];
    if (!hki_named_used(x, rate)) continue;
    for (int32_t i = 0; i < x->path.n; i++)
      r[x->path.dof[i]] += x->g[i] * (x->alpha * x->value + x->mu);
  }
}

/* curvature factor `damp` of soften(): doubled when the sum alpha phi^2 has grown since the last
 * iteration (*before), lowered by a tenth otherwise */
static void adapt(assembler *A, double *before) {
  const hk_tree *s = A->s;
  double sum = 0.0;
  for (int32_t c = 0; c < s->m->nc; c++)
    for (int32_t r = 0; s->kin.disc.active[c] != 0.0 && r < s->m->closures[c].nrows; r++) {
      double phi = s->kin.phi[s->m->closures[c].row0 + r];
      sum += s->alpha[s->m->closures[c].row0 + r] * phi * phi;
    }
  A->damp *= sum > *before ? 2.0 : 0.9;
  *before = sum;
}

double hki_assembly_largest(const hk_tree *s, const double *x) {
  double m = 0.0;
  for (int32_t i = 0; i < s->m->nv; i++) {
    double e = fabs(x[i]) / s->scale[i];
    if (!(e <= m)) m = e;
  }
  return m;
}

double hki_assembly_worst(const assembler *A, bool rate) {
  double w = 0.0;
  for (int32_t n = 0; n < A->n; n++)
    if (hki_named_used(&A->rows[n], rate))
      w = fmax(w, fabs(A->rows[n].value) / hki_named_reach(A, &A->rows[n]));
  return w;
}

/* those of the nearest problem that the correction s->x belongs to */
static void update_multipliers(assembler *A, bool slow) {
  hk_tree *s = A->s;
  const hk_model *m = s->m;
  if (slow) hki_assembly_slow_multipliers(A);
  hki_tree_rows(s, s->x, s->row);
  for (int32_t i = 0; i < m->nrows; i++) s->lam[i] += s->alpha[i] * (s->row[i] + s->kin.phi[i]);
  for (int32_t n = 0; n < A->n; n++) {
    hk_named *r = &A->rows[n];
    double dn = r->value;
    if (!hki_named_used(r, false)) continue;
    for (int32_t i = 0; i < r->path.n; i++) dn += r->g[i] * s->x[r->path.dof[i]];
    r->mu += r->alpha * dn;
  }
}

/* The part that is taken of the correction p = s->x, of scaled size `size`, towards the nearest positions, `cut` at most. Positions that are closed (rows open
 * by `gap`) may go to and fro across the nearest ones: with the last correction p0, of which the part f was taken,
 *
 *   f k = p0' M (p0 - p)/(p0' M p0)
 *
 * k being the second derivative of the sum along p0, the curvature of the rows included, over that of its M alone. From the first f k on
 * that is near 2, where p is -p0, the part is 1/k. */
static double share_of(assembler *A, double cut, double gap, double size) {
  hk_tree *s = A->s;
  const int32_t nv = s->m->nv;
  double along = 0.0, bend = 0.0, f = cut;
  if (A->share > 0.0 && gap < calm_below) {
    hki_assembly_mass(A, A->step, A->Mp);
    for (int32_t i = 0; i < nv; i++) {
      along += A->Mp[i] * A->step[i];
      bend += A->Mp[i] * (A->step[i] - s->x[i]);
    }
    if (bend > to_and_fro * along && size > calm_above) A->calm = true;
    if (A->calm && bend > A->share * along)
      f = fmin(cut, fmax(A->share * along / bend, least_share));
  }
  memcpy(A->step, s->x, (size_t)nv * sizeof *A->step);
  return A->share = f;
}

/* One correction of the positions. Returns its scaled size before it is limited, INFINITY when it
 * is not finite. nearest: towards the solution nearest to q_ref, updating the multipliers; else
 * towards any solution near the present q. */
static double correct(assembler *A, double *q, bool nearest, double gap) {
  hk_tree *s = A->s;
  const hk_model *m = s->m;
  for (int32_t i = 0; i < m->nrows; i++) s->row[i] = s->alpha[i] * s->kin.phi[i] + s->lam[i];
  memcpy(s->r, A->Md, (size_t)m->nv * sizeof *s->r);
  hki_tree_add_rows(s, s->row, s->r);
  add_named_force(A, false, s->r);
  for (int32_t i = 0; i < m->nv; i++) s->x[i] = -s->r[i];
  hki_assembly_solve(A, s->x);
  const bool slow = A->slow_on && hki_assembly_slow_step(A, s->x);
  double size = hki_assembly_largest(s, s->x), turn = 0.0;
  if (!isfinite(size)) return INFINITY;
  for (int32_t i = 0; i < m->nv; i++)
    if (!A->loose[i]) turn = fmax(turn, fabs(s->x[i]) / s->scale[i]);
  const double cut = turn > step_limit ? step_limit / turn : 1.0;
  const double f = nearest ? share_of(A, cut, gap, size) : cut;
  // multipliers are updated only after steps that were not cut short
  if (cut == 1.0 && nearest) update_multipliers(A, slow);
  for (int32_t i = 0; i < m->nv; i++) s->x[i] *= f;
  hki_tree_plus(m, q, s->x, q);
  return size;
}

void hki_assembly_meet(const assembler *A, bool rate, double *x) {
  const hk_tree *s = A->s;
  memset(x, 0, (size_t)s->m->nv * sizeof *x);
  for (int sweep = 0; sweep < 100; sweep++) {
    double worst = 0.0;
    for (int32_t n = 0; n < A->n; n++) {
      const hk_named *r = &A->rows[n];
      double left = r->value, size = 0.0;
      if (!hki_named_used(r, rate)) continue;
      for (int32_t i = 0; i < r->path.n; i++) {
        double sc = s->scale[r->path.dof[i]];
        left += r->g[i] * x[r->path.dof[i]];
        size += r->g[i] * r->g[i] * sc * sc;
      }
      if (size < 1e-18) continue;
      for (int32_t i = 0; i < r->path.n; i++) {
        double sc = s->scale[r->path.dof[i]];
        x[r->path.dof[i]] -= left / size * r->g[i] * sc * sc;
      }
      worst = fmax(worst, fabs(left) / sqrt(size));
    }
    if (worst < 1e-14) return;
  }
}

/* q_ref: the drawing moved to the named values, closures ignored; the drawing itself when the named
 * values contradict each other */
static void find_reference(assembler *A) {
  hk_tree *s = A->s;
  const hk_model *m = s->m;
  memcpy(A->ref, A->from, (size_t)m->nq * sizeof *A->ref);
  memset(s->v, 0, (size_t)m->nv * sizeof *s->v);
  for (int it = 0; it < 60; it++) {
    double worst = 0.0;
    hki_kin_state(&s->kin, A->t, A->ref, s->v);
    for (int32_t n = 0; n < A->n; n++)
      if (hki_named_used(&A->rows[n], false)) {
        hki_named_eval(&s->kin, &A->rows[n]);
        worst = fmax(worst, fabs(A->rows[n].value) / hki_named_reach(A, &A->rows[n]));
      }
    if (worst < 1e-13) return;
    hki_assembly_meet(A, false, s->x);
    hki_tree_plus(m, A->ref, s->x, A->ref);
  }
  memcpy(A->ref, A->from, (size_t)m->nq * sizeof *A->ref);
}

/* coordinates that follow their rates begin where they are */
static void begin_travels(hk_kin *k, double t) {
  if (!k->ntravel) return;
  hki_kin_signals(k, false);
  hki_kin_travels_begin(k, HK_NONE, t);
}

/* evaluates closures at the positions q and velocities s->v (zero here); forces too when loads
 * shift the start */
static void place(assembler *A, const double *q) {
  hk_tree *s = A->s;
  bool changed;
  if (A->loaded) {
    hki_kin_state(&s->kin, A->t, q, s->v);
    if (!A->later) begin_travels(&s->kin, A->t);
    hki_kin_decide(&s->kin, &changed);
    hki_tree_state(s, A->t, q, s->v, HK_FORCES_TANGENT);
  } else {
    hki_kin_state(&s->kin, A->t, q, s->v);
    if (!A->later) begin_travels(&s->kin, A->t);
    hki_kin_signals(&s->kin, false);
    hki_kin_closures(&s->kin);
  }
  hki_kin_commit_turns(&s->kin);
}

bool hki_assembly_close(assembler *A, double *q, bool nearest) {
  hk_tree *s = A->s;
  const hk_model *m = s->m;
  double best = INFINITY, least = INFINITY, sum = INFINITY;
  int32_t since = 0;
  A->damp = 1.0;
  A->calm = false;
  A->share = 0.0;
  A->slow_on = false;
  memset(s->lam, 0, (size_t)m->nrows * sizeof *s->lam);
  for (int32_t n = 0; n < A->n; n++) A->rows[n].mu = 0.0;
  memset(s->v, 0, (size_t)m->nv * sizeof *s->v);
  memset(A->D, 0, (size_t)m->nv * sizeof *A->D);
  for (int32_t it = 0; it < MAX_ITER; it++) {
    place(A, q);
    if (nearest) hki_tree_minus(m, q, A->ref, A->D);
    if (hki_assembly_build(A, false) != HK_OK) return false;
    double gap = fmax(hki_tree_row_norm(s, s->kin.phi), hki_assembly_worst(A, false));
    if (A->soft) adapt(A, &sum);
    double size = correct(A, q, nearest, gap);
    if (!isfinite(size) || !isfinite(gap)) return false;
    if (size < tolerance && gap < tolerance) return true;
    // progress: the gap falls by a tenth, or by a thousandth while steps are cut short
    bool better = gap < (size > step_limit ? 0.999 : 0.9) * best;
    if (better) best = gap;
    // closed positions come nearer as corrections get shorter
    if (A->calm && gap < calm_below && size < 0.9 * least) better = true, least = size;
    since = better ? 0 : since + 1;
    if (since == SLOW && !A->soft) A->slow_on = true;
    // a gap that cannot close is still made as small as possible
    if (A->soft && size > 1e-6) continue;
    if (since > PATIENCE) return gap < HK_ASSEMBLY_CLOSED && size < HK_ASSEMBLY_CLOSED;
  }
  return false;
}

/* q = the drawing with pseudo-random offsets of at most 1 %, the same in every run. A loop drawn
 * in a singular position can fold only to second order, which Newton's method does not see. */
static void nudge(const assembler *A, double *q) {
  const hk_tree *s = A->s;
  uint64_t seed = 1;
  for (int32_t i = 0; i < s->m->nv; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    s->x[i] = 0.01 * s->scale[i] * ((double)(seed >> 11) / 4503599627370496.0 - 1.0);
  }
  hki_tree_plus(s->m, A->from, s->x, q);
}

/* Positions; true when every row in use is closed. Far from the drawing the search for the nearest
 * solution may circle around it; then any solution near the last iterate is taken. */
static bool solve_positions(assembler *A, double *q) {
  find_reference(A);
  // start.relax: with loads, if an equilibrium with them is found
  A->loaded = A->s->m->spec->relax > 0.0 && !A->again;
  if (A->loaded) {
    if (hki_assembly_close(A, q, true)) return true;
    hki_warn(A->s->ctx, HK_LOC_NONE, "a larger 'stiffness' holds the drawing against them",
             "start.relax: the loads do not come to rest; the start is the nearest without them");
  }
  A->loaded = false;
  if (hki_assembly_close(A, q, true)) return true;
  if (hki_stopped(A->s->ctx)) return false;
  if (hki_assembly_close(A, q, false)) return true;
  nudge(A, q);
  return hki_assembly_close(A, q, false);
}

/* switches named rows on one by one, in the order of the file, and keeps those that fit */
static void greedy(assembler *A, bool rate, double *q, double *v) {
  const hk_model *m = A->s->m;
  for (int32_t n = 0; n < A->n; n++)
    if (A->rows[n].rate == rate) A->rows[n].on = false;
  for (int32_t n = 0; n < A->n; n++) {
    hk_named *r = &A->rows[n];
    if (r->rate != rate) continue;
    memcpy(A->keep, q, (size_t)m->nq * sizeof *q);
    r->on = true;
    if (rate ? hki_assembly_rates(A, q, v) : solve_positions(A, q)) continue;
    r->with = hki_assembly_conflict(A, rate, q, v, r);
    r->on = false;
    memcpy(q, A->keep, (size_t)m->nq * sizeof *q);
  }
  if (rate)
    hki_assembly_rates(A, q, v);
  else
    solve_positions(A, q);
}

static hk_status positions(assembler *A, hk_assembly *out) {
  const hk_model *m = A->s->m;
  memcpy(out->q, A->from, (size_t)m->nq * sizeof *out->q);
  if (solve_positions(A, out->q)) return HK_OK;
  if (hki_stopped(A->s->ctx)) return HK_INTERRUPTED;
  // do the loops close without the named values?
  memcpy(out->q, A->from, (size_t)m->nq * sizeof *out->q);
  for (int32_t n = 0; n < A->n; n++) A->rows[n].on = A->rows[n].rate;
  if (!solve_positions(A, out->q)) return hki_assembly_open(A, out->q);
  greedy(A, false, out->q, out->v);
  memset(A->s->v, 0, (size_t)m->nv * sizeof(double));
  hki_assembly_moved(A, false, A->s->v, out);
  return HK_OK;
}

static hk_status velocities(assembler *A, hk_assembly *out) {
  if (hki_assembly_rates(A, out->q, out->v)) return HK_OK;
  if (hki_stopped(A->s->ctx)) return HK_INTERRUPTED;
  for (int32_t n = 0; n < A->n; n++)
    if (A->rows[n].rate) A->rows[n].on = false;
  if (!hki_assembly_rates(A, out->q, out->v)) return hki_assembly_stuck(A, out->q, out->v);
  greedy(A, true, out->q, out->v);
  hki_assembly_moved(A, true, out->v, out);
  return HK_OK;
}

/* marks translations of bodies on the ground that are on the path of no closure */
static void find_loose(assembler *A, const double *rest) {
  const hk_model *m = A->s->m;
  hki_kin_state(&A->s->kin, A->t, A->from, rest);
  for (int32_t b = 0; b < m->nb; b++)
    for (int32_t i = m->bodies[b].v0; i < m->bodies[b].v0 + m->bodies[b].nv; i++)
      A->loose[i] = m->bodies[b].parent == HK_GROUND && v3_norm(A->s->kin.S + 6 * i) < 0.5;
  for (int32_t c = 0; c < m->nc; c++)
    for (int32_t i = 0; i < m->closures[c].path.n; i++)
      A->loose[m->closures[c].path.dof[i]] = false;
}

/* a tree whose named values are tree coordinates: they are set without solving */
static bool direct(assembler *A, hk_assembly *out) {
  const hk_model *m = A->s->m;
  if (m->nc) return false;
  if (!A->again && (A->equilibrium != HK_EQ_OFF || hki_assembly_carries(m) ||
                    m->spec->relax > 0.0 || m->spec->relax_rate > 0.0))
    return false;
  for (int32_t n = 0; n < A->n; n++)
    if (A->rows[n].kind != HK_NAMED_SCALAR || m->scalars[A->rows[n].scalar].vi == HK_NONE)
      return false;
  memcpy(out->q, A->from, (size_t)m->nq * sizeof *out->q);
  for (int32_t n = 0; n < A->n; n++) {
    const hk_scalar *x = &m->scalars[A->rows[n].scalar];
    if (A->rows[n].rate)
      out->v[x->vi] = x->sign * A->rows[n].target;
    else
      out->q[x->qi] = x->sign * (A->rows[n].target - x->zero);
  }
  if (out->placed) memcpy(out->placed, out->q, (size_t)m->nq * sizeof *out->q);
  return true;
}

/* largest remaining rows at the assembled state; sets turns and branches of elements there */
static void residuals(assembler *A, hk_assembly *out) {
  hk_tree *s = A->s;
  const hk_model *m = s->m;
  bool changed;
  hki_kin_state(&s->kin, A->t, out->q, out->v);
  begin_travels(&s->kin, A->t);
  hki_kin_signals(&s->kin, true);
  hki_kin_closures(&s->kin);
  hki_kin_commit_turns(&s->kin);
  hki_kin_decide(&s->kin, &changed);
  hki_tree_rows(s, out->v, s->row);
  for (int32_t c = 0; c < m->nc; c++)
    for (int32_t r = 0; r < m->closures[c].nrows; r++) {
      int32_t row = m->closures[c].row0 + r;
      if (s->kin.disc.active[c] == 0.0) continue;
      out->position_max = fmax(out->position_max, fabs(s->kin.phi[row]));
      out->velocity_max = fmax(out->velocity_max, fabs(s->row[row] + s->kin.phit[row]));
    }
}

/* the equilibrium; where the caller wants one and there is none, the positions before */
static hk_status equilibrium(assembler *A, hk_assembly *out, hk_equilibrium kind) {
  const size_t bytes = (size_t)A->s->m->nq * sizeof *out->q;
  memcpy(A->keep, out->q, bytes);
  hk_status st = hki_statics(A->s, kind, out->equilibrium != NULL, A->rows, A->n, out->q, out->v);
  out->unsettled = st == HK_RETRY || (kind == HK_EQ_REST && A->s->m->downhill);
  if (st != HK_RETRY) return st;
  memcpy(out->q, A->keep, bytes);
  return HK_OK;
}

/* positions, then equilibrium where asked for, then velocities at the equilibrium. A steady
 * equilibrium needs velocities before as well. */
static hk_status solve(assembler *A, hk_assembly *out) {
  hk_tree *s = A->s;
  const hk_equilibrium kind = A->again ? HK_EQ_OFF : A->equilibrium;
  for (int32_t n = 0; A->rest && n < A->n; n++)
    if (A->rows[n].rate) A->rows[n].on = false;
  hk_status st = hki_assembly_rate_setup(A);
  if (st == HK_OK) st = hki_assembly_begin(A, out->way, kind);
  if (st == HK_OK) st = positions(A, out);
  if (st == HK_OK && out->placed) memcpy(out->placed, out->q, (size_t)s->m->nq * sizeof *out->q);
  if (st == HK_OK && kind == HK_EQ_STEADY) st = velocities(A, out);
  if (st == HK_OK && kind != HK_EQ_OFF) st = equilibrium(A, out, kind);
  return st == HK_OK ? velocities(A, out) : st;
}

/* with a pool: room for what the caller wants to know beside the state */
static hk_status make_room(const assembler *A, hk_assembly *out) {
  out->position_max = out->velocity_max = 0.0;
  out->nmoved = 0;
  out->moved = NULL;
  out->placed = NULL;
  out->rows = A->rows;
  out->nrows = A->n;
  if (!out->pool) return HK_OK;
  out->moved = hki_pool_alloc(out->pool, (size_t)(A->n + 1) * sizeof *out->moved);
  out->placed = hki_pool_alloc(out->pool, (size_t)(A->s->m->nq + 1) * sizeof *out->placed);
  return out->moved && out->placed ? HK_OK : HK_E_MEMORY;
}

/* the list of start values outlives the assembler */
static void keep_rows(const assembler *A, hk_assembly *out) {
  for (int32_t n = 0; out->pool && n < A->n; n++)
    if (A->rows[n].with) A->rows[n].with = hki_pool_strdup(out->pool, A->rows[n].with);
  if (!out->pool) out->rows = NULL, out->nrows = 0;
}

hk_status hki_assemble(hk_tree *s, hk_assembly *out) {
  const hk_model *m = s->m;
  const bool again = out->from_q != NULL;
  assembler A = {.s = s,
                 .pool = hki_pool_create(s->ctx),
                 .again = again,
                 .from = again ? out->from_q : m->q_draw,
                 .t = again ? out->t : 0.0,
                 .equilibrium = out->equilibrium ? *out->equilibrium : m->spec->equilibrium,
                 .rest = out->equilibrium && *out->equilibrium == HK_EQ_REST};
  if (!A.pool) return HK_E_MEMORY;
  A.D = hki_pool_alloc(A.pool, (size_t)(5 * m->nv + 2 * m->nq + 1) * sizeof(double));
  A.loose = hki_pool_alloc(A.pool, (size_t)(m->nv + 1) * sizeof *A.loose);
  hk_status st =
      A.D && A.loose
          ? hki_named_rows(s, out->pool ? out->pool : A.pool, again ? out->starts : m->spec->starts,
                           again ? out->nstarts : m->spec->nstarts, &A.rows, &A.n)
          : HK_E_MEMORY;
  if (st == HK_OK) st = make_room(&A, out);
  if (st == HK_OK) {
    A.Md = A.D + m->nv;
    A.extra = A.Md + m->nv;
    A.step = A.extra + m->nv;
    A.Mp = A.step + m->nv;
    A.keep = A.Mp + m->nv;
    A.ref = A.keep + m->nq;
    memset(out->v, 0, (size_t)m->nv * sizeof *out->v);
    find_loose(&A, out->v);
    if (again) memcpy(out->v, out->from_v, (size_t)m->nv * sizeof *out->v);
    if (again) A.rates = hki_pool_alloc(A.pool, (size_t)(m->nv + 1) * sizeof *A.rates);
    if (A.rates) memcpy(A.rates, out->from_v, (size_t)m->nv * sizeof *A.rates);
    if (again && !A.rates) st = HK_E_MEMORY;
    if (st == HK_OK && !direct(&A, out)) st = solve(&A, out);
  }
  if (st == HK_OK) residuals(&A, out);
  keep_rows(&A, out);
  out->lean = hki_assembly_end(&A);
  hki_pool_destroy(A.pool);
  return st;
}

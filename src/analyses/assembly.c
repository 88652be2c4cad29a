/* SPDX-License-Identifier: Apache-2.0
 *
 * assembly.c: positions and velocities that satisfy the closures and the named start values.
 *
 *   min 1/2 |q (-) q_ref|^2_M   subject to  Phi(q, 0) = 0,  n(q) = 0
 *   T dq = -(M (q (-) q_ref) + Phi_z'(alpha Phi + lam) + N'(beta n + mu))
 *   T = M + Phi_z' alpha Phi_z + N' beta N
 *
 * q_ref is the drawing with the named coordinates at their named values, so that what is not named
 * stays where it is drawn relative to what is: a car moved or set in motion as a whole takes its
 * suspension along. Rates likewise: nearest to the named ones with zeros for the rest.
 *
 * With `relax` loads bias the start: f/k is added to the first line of the conditions, k the
 * stiffness per unit of mass that holds the drawing, and its tangent to T; rates likewise
 * (Masarati, Morandini and Mantegazza 2014, eqs. 15, with masses as the penalties).
 *
 * All is solved by the same augmented Lagrangian that closes loops in the hybrid formulation, in
 * short steps, so that the mechanism is led from the drawing to the named values along its own
 * motion. When all named values together cannot hold, they are switched on one after the other in
 * the order of the file, and those that do not fit are let go.
 */
#include "analyses/assembly_impl.h"

enum { MAX_ITER = 600 };
static const double step_limit = 0.3;  /* rad or mechanism lengths an iteration */
static const double tolerance = 1e-12; /* on scaled steps and rows */

double hki_named_reach(const assembler *A, const hk_named *r) {
  double m = 1e-9;
  for (int32_t i = 0; i < r->path.n; i++) m = fmax(m, fabs(r->g[i]) * A->s->scale[r->path.dof[i]]);
  return m;
}

static bool used(const hk_named *r, bool rate) { return r->on && r->rate == rate; }

/* evaluate the named rows; penalties from the masses they feel; largest scaled value */
static double named_state(assembler *A, bool rate) {
  hk_tree *s = A->s;
  double worst = 0.0, top = 0.0;
  for (int32_t i = 0; i < s->m->nv; i++) top = fmax(top, s->mass[i] / (s->scale[i] * s->scale[i]));
  for (int32_t n = 0; n < A->n; n++) {
    hk_named *r = &A->rows[n];
    double mob = 0.0;
    if (!used(r, rate)) continue;
    hki_named_eval(&s->kin, r);
    for (int32_t i = 0; i < r->path.n; i++) {
      double sc = s->scale[r->path.dof[i]], g = r->g[i] * sc;
      double mass = s->mass[r->path.dof[i]] / (sc * sc);
      mob += g * g / fmax(mass, 1e-6 * top);
    }
    r->alpha = 1e6 / fmax(mob, 1e-300);
    worst = fmax(worst, fabs(r->value) / hki_named_reach(A, r));
  }
  return worst;
}

static void add_named_matrix(assembler *A, bool rate) {
  for (int32_t n = 0; n < A->n; n++) {
    const hk_named *r = &A->rows[n];
    if (!used(r, rate)) continue;
    for (int32_t i = 0; i < r->path.n; i++)
      for (int32_t j = 0; j <= i; j++) {
        double e = r->alpha * r->g[i] * r->g[j];
        if (e != 0.0) A->s->num.val[hki_ldl_slot(A->s->ldl, r->path.dof[i], r->path.dof[j])] += e;
      }
  }
}

static void add_named_force(const assembler *A, bool rate, double *r) {
  for (int32_t n = 0; n < A->n; n++) {
    const hk_named *x = &A->rows[n];
    if (!used(x, rate)) continue;
    for (int32_t i = 0; i < x->path.n; i++)
      r[x->path.dof[i]] += x->g[i] * (x->alpha * x->value + x->mu);
  }
}

/* rows that bind velocities alone have no part in positions */
static void drop_rate_rows(hk_tree *s) {
  for (int32_t c = 0; s->m->nrate && c < s->m->nc; c++)
    for (int32_t r = 0; r < s->m->closures[c].nrows; r++)
      if (s->m->closures[c].rate_rows >> r & 1u) s->alpha[s->m->closures[c].row0 + r] = 0.0;
}

/* For the words about a gap that must stay: cut joints give way to motions, later motions to
 * earlier ones, so that the whole gap shows in one place; penalties that do not follow the
 * gradients, which vanish where the gap is smallest; and, since the gap stays, its curvature on the
 * diagonal. */
static void soften(assembler *A) {
  hk_tree *s = A->s;
  const hk_model *m = s->m;
  const double L = m->length;
  double top = 0.0, give = 1e6;
  for (int32_t i = 0; i < m->nv; i++) top = fmax(top, s->mass[i] * s->scale[i] * s->scale[i]);
  for (int32_t c = 0; c < m->nc; c++) {
    const hk_closure *cl = &m->closures[c];
    if (s->kin.disc.active[c] == 0.0) continue;
    for (int32_t r = cl->row0; r < cl->row0 + cl->nrows; r++) {
      const double unit = hki_model_row_is_length(m, r) ? L : 1.0;
      if (s->alpha[r] == 0.0) continue;
      s->alpha[r] = (cl->role == HK_ROLE_CUT ? 1.0 : give) * top / (unit * unit);
      for (int32_t j = 0; j < cl->path.n; j++)
        if (s->rotates[cl->path.dof[j]])
          s->num.val[s->slot_diag[cl->path.dof[j]]] +=
              A->damp * s->alpha[r] * fabs(s->kin.phi[r]) * unit;
    }
    if (cl->role != HK_ROLE_CUT) give = 1e2;
  }
}

/* loads and their tangent, over the stiffness that holds the drawing */
static void add_loads(assembler *A) {
  hk_tree *s = A->s;
  const double soft = 1.0 / s->m->spec->relax;
  memset(s->a, 0, (size_t)s->m->nv * sizeof *s->a);
  hki_tree_residual(s, s->a, s->r);
  for (int32_t i = 0; i < s->m->nv; i++) A->Md[i] += soft * s->r[i];
  for (int32_t i = 0; i < s->m->nrows; i++) s->lam_step[i] = s->lam[i] / soft;
  hki_tree_add_exact(s, 0.0, soft, s->lam_step);
}

hk_status hki_assembly_build(assembler *A, bool rate) {
  hk_tree *s = A->s;
  double top = 0.0, kappa = s->kappa;
  hki_tree_mass(s);
  for (int32_t i = 0; i < s->m->nv; i++) top = fmax(top, s->mass[i] / (s->scale[i] * s->scale[i]));
  A->reg = top > 0.0 ? 1e-7 * top : 1.0;
  for (int32_t i = 0; i < s->m->nv; i++) {
    double extra = A->reg * s->scale[i] * s->scale[i];
    s->num.val[s->slot_diag[i]] += extra;
    s->mass[i] += extra;
  }
  hki_ldl_mul(s->ldl, &s->num, s->num.val, A->D, A->Md);
  if (!rate && A->loaded) add_loads(A);
  s->kappa = 1e6;
  hki_tree_penalty(s, 1.0);
  if (!rate) drop_rate_rows(s);
  if (A->soft) soften(A);
  s->kappa = kappa;
  hki_tree_add_closures(s, 1.0);
  named_state(A, rate);
  add_named_matrix(A, rate);
  return hki_tree_factor(s);
}

/* what the penalties add up to, and damping that brings it down */
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

static double largest(const hk_tree *s, const double *x) {
  double m = 0.0;
  for (int32_t i = 0; i < s->m->nv; i++) {
    double e = fabs(x[i]) / s->scale[i];
    if (!(e <= m)) m = e;
  }
  return m;
}

static double worst_row(assembler *A, bool rate) {
  double w = 0.0;
  for (int32_t n = 0; n < A->n; n++)
    if (used(&A->rows[n], rate))
      w = fmax(w, fabs(A->rows[n].value) / hki_named_reach(A, &A->rows[n]));
  return w;
}

/* one correction of the positions; returns its scaled size, INFINITY when it went wrong. nearest:
 * towards the nearest solution, with multipliers; else towards any, from where it is */
static double correct(assembler *A, double *q, bool nearest) {
  hk_tree *s = A->s;
  const hk_model *m = s->m;
  for (int32_t i = 0; i < m->nrows; i++) s->row[i] = s->alpha[i] * s->kin.phi[i] + s->lam[i];
  memcpy(s->r, A->Md, (size_t)m->nv * sizeof *s->r);
  hki_tree_add_rows(s, s->row, s->r);
  add_named_force(A, false, s->r);
  for (int32_t i = 0; i < m->nv; i++) s->x[i] = -s->r[i];
  hki_ldl_solve(s->ldl, &s->num, s->x);
  double size = largest(s, s->x), turn = 0.0;
  if (!isfinite(size)) return INFINITY;
  for (int32_t i = 0; i < m->nv; i++)
    if (!A->loose[i]) turn = fmax(turn, fabs(s->x[i]) / s->scale[i]);
  double f = turn > step_limit ? step_limit / turn : 1.0;
  for (int32_t i = 0; i < m->nv; i++) s->x[i] *= f;
  hki_tree_plus(m, q, s->x, q);
  // multipliers move only with whole steps
  if (f < 1.0 || !nearest) return size;
  hki_tree_rows(s, s->x, s->row);
  for (int32_t i = 0; i < m->nrows; i++) s->lam[i] += s->alpha[i] * (s->row[i] + s->kin.phi[i]);
  for (int32_t n = 0; n < A->n; n++) {
    hk_named *r = &A->rows[n];
    double dn = r->value;
    if (!used(r, false)) continue;
    for (int32_t i = 0; i < r->path.n; i++) dn += r->g[i] * s->x[r->path.dof[i]];
    r->mu += r->alpha * dn;
  }
  return size;
}

/* x that meets the named rows alone with the smallest change of coordinates: row after row */
static void meet_named(const assembler *A, bool rate, double *x) {
  const hk_tree *s = A->s;
  memset(x, 0, (size_t)s->m->nv * sizeof *x);
  for (int sweep = 0; sweep < 100; sweep++) {
    double worst = 0.0;
    for (int32_t n = 0; n < A->n; n++) {
      const hk_named *r = &A->rows[n];
      double left = r->value, size = 0.0;
      if (!used(r, rate)) continue;
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

/* the reference of the positions: the drawing, moved to the named values alone where they agree */
static void find_reference(assembler *A) {
  hk_tree *s = A->s;
  const hk_model *m = s->m;
  memcpy(A->ref, m->q_draw, (size_t)m->nq * sizeof *A->ref);
  memset(s->v, 0, (size_t)m->nv * sizeof *s->v);
  for (int it = 0; it < 60; it++) {
    double worst = 0.0;
    hki_kin_state(&s->kin, 0.0, A->ref, s->v);
    for (int32_t n = 0; n < A->n; n++)
      if (used(&A->rows[n], false)) {
        hki_named_eval(&s->kin, &A->rows[n]);
        worst = fmax(worst, fabs(A->rows[n].value) / hki_named_reach(A, &A->rows[n]));
      }
    if (worst < 1e-13) return;
    meet_named(A, false, s->x);
    hki_tree_plus(m, A->ref, s->x, A->ref);
  }
  memcpy(A->ref, m->q_draw, (size_t)m->nq * sizeof *A->ref);
}

/* everything at the positions q, at rest; with loads where they matter */
static void place(assembler *A, const double *q) {
  hk_tree *s = A->s;
  bool changed;
  if (A->loaded) {
    hki_kin_state(&s->kin, A->t, q, s->v);
    hki_kin_decide(&s->kin, &changed);
    hki_tree_state(s, A->t, q, s->v, HK_FORCES_TANGENT);
  } else {
    hki_kin_state(&s->kin, A->t, q, s->v);
    hki_kin_signals(&s->kin, false);
    hki_kin_closures(&s->kin);
  }
  hki_kin_commit_turns(&s->kin);
}

bool hki_assembly_close(assembler *A, double *q, bool nearest) {
  hk_tree *s = A->s;
  const hk_model *m = s->m;
  double best = INFINITY, sum = INFINITY;
  int32_t since = 0;
  A->damp = 1.0;
  memset(s->lam, 0, (size_t)m->nrows * sizeof *s->lam);
  for (int32_t n = 0; n < A->n; n++) A->rows[n].mu = 0.0;
  memset(s->v, 0, (size_t)m->nv * sizeof *s->v);
  memset(A->D, 0, (size_t)m->nv * sizeof *A->D);
  for (int32_t it = 0; it < MAX_ITER; it++) {
    place(A, q);
    if (nearest) hki_tree_minus(m, q, A->ref, A->D);
    if (hki_assembly_build(A, false) != HK_OK) return false;
    double gap = fmax(hki_tree_row_norm(s, s->kin.phi), worst_row(A, false));
    if (A->soft) adapt(A, &sum);
    double size = correct(A, q, nearest);
    if (!isfinite(size) || !isfinite(gap)) return false;
    if (size < tolerance && gap < tolerance) return true;
    // progress is a smaller gap, by much, or by a little while steps are cut short
    bool better = gap < (size > step_limit ? 0.999 : 0.9) * best;
    since = better ? 0 : since + 1;
    if (better) best = gap;
    // a gap that must stay is made as small as it gets
    if (A->soft && size > 1e-6) continue;
    if (since > 25) return gap < HK_ASSEMBLY_CLOSED && size < HK_ASSEMBLY_CLOSED;
  }
  return false;
}

/* a little off the drawing, the same way every time: off a position drawn singular, where a loop
 * can fold only to second order */
static void nudge(const assembler *A, double *q) {
  const hk_tree *s = A->s;
  uint64_t seed = 1;
  for (int32_t i = 0; i < s->m->nv; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    s->x[i] = 0.01 * s->scale[i] * ((double)(seed >> 11) / 4503599627370496.0 - 1.0);
  }
  hki_tree_plus(s->m, s->m->q_draw, s->x, q);
}

/* positions; true when every row in use is closed. Far from the drawing the search for the nearest
 * place can wander about it: then any place near where it got to will do. */
static bool solve_positions(assembler *A, double *q) {
  find_reference(A);
  // loads that bias the start, if they come to rest
  A->loaded = A->s->m->spec->relax > 0.0;
  if (A->loaded) {
    if (hki_assembly_close(A, q, true)) return true;
    hki_warn(A->s->ctx, HK_LOC_NONE, "a larger 'stiffness' holds the drawing against them",
             "start.relax: the loads do not come to rest; the start is the nearest without them");
  }
  A->loaded = false;
  if (hki_assembly_close(A, q, true) || hki_assembly_close(A, q, false)) return true;
  nudge(A, q);
  return hki_assembly_close(A, q, false);
}

/* v += M^-1 Q over the stiffness that holds the rates; what rows forbid is projected out after */
static void push_rates(assembler *A, const double *q, double *v) {
  hk_tree *s = A->s;
  const hk_model *m = s->m;
  hki_tree_state(s, A->t, q, v, 0);
  memset(s->a, 0, (size_t)m->nv * sizeof *s->a);
  hki_tree_residual(s, s->a, s->r);
  for (int32_t i = 0; i < m->nv; i++) s->x[i] = -s->r[i] / m->spec->relax_rate;
  hki_ldl_solve(s->ldl, &s->num, s->x);
  for (int32_t i = 0; i < m->nv; i++) v[i] += s->x[i];
}

bool hki_assembly_rates(assembler *A, const double *q, double *v) {
  hk_tree *s = A->s;
  const hk_model *m = s->m;
  double before = INFINITY, left = 0.0;
  memset(v, 0, (size_t)m->nv * sizeof *v);
  memset(s->lam, 0, (size_t)m->nrows * sizeof *s->lam);
  for (int32_t n = 0; n < A->n; n++) A->rows[n].mu = 0.0;
  memset(A->D, 0, (size_t)m->nv * sizeof *A->D);
  hki_kin_state(&s->kin, A->t, q, v);
  hki_kin_signals(&s->kin, false);
  hki_kin_closures(&s->kin);
  if (hki_assembly_build(A, true) != HK_OK) return false;
  meet_named(A, true, v); // build has evaluated the rows at v = 0
  if (m->spec->relax_rate > 0.0) push_rates(A, q, v);
  for (int32_t pass = 0; pass < 40; pass++) {
    hki_kin_velocity(&s->kin, v);
    hki_tree_rows(s, v, s->row);
    for (int32_t i = 0; i < m->nrows; i++) s->row[i] += s->kin.phit[i];
    left = hki_tree_row_norm(s, s->row);
    for (int32_t n = 0; n < A->n; n++)
      if (used(&A->rows[n], true)) hki_named_eval(&s->kin, &A->rows[n]);
    left = fmax(left, worst_row(A, true));
    if (left < 1e-13 * (1.0 + largest(s, v)) || (pass > 6 && left > 0.5 * before)) break;
    before = left;
    // project: v += T^-1 (-(Phi_z' alpha row) - N' beta n), which keeps v nearest in the mass
    // metric
    memset(s->x, 0, (size_t)m->nv * sizeof *s->x);
    for (int32_t i = 0; i < m->nrows; i++) s->row[i] *= -s->alpha[i];
    hki_tree_add_rows(s, s->row, s->x);
    for (int32_t n = 0; n < A->n; n++) {
      const hk_named *r = &A->rows[n];
      if (!used(r, true)) continue;
      for (int32_t i = 0; i < r->path.n; i++) s->x[r->path.dof[i]] -= r->alpha * r->value * r->g[i];
    }
    hki_ldl_solve(s->ldl, &s->num, s->x);
    for (int32_t i = 0; i < m->nv; i++) v[i] += s->x[i];
  }
  return left < HK_ASSEMBLY_CLOSED * (1.0 + largest(s, v));
}

/* switch named rows on one by one, keep those that fit */
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
  memcpy(out->q, m->q_draw, (size_t)m->nq * sizeof *out->q);
  if (solve_positions(A, out->q)) return HK_OK;
  // without the named values: do the loops close at all
  memcpy(out->q, m->q_draw, (size_t)m->nq * sizeof *out->q);
  for (int32_t n = 0; n < A->n; n++) A->rows[n].on = A->rows[n].rate;
  if (!solve_positions(A, out->q)) return hki_assembly_open(A, out->q);
  greedy(A, false, out->q, out->v);
  memset(A->s->v, 0, (size_t)m->nv * sizeof(double));
  hki_assembly_moved(A, false, A->s->v, out);
  return HK_OK;
}

static hk_status velocities(assembler *A, hk_assembly *out) {
  if (hki_assembly_rates(A, out->q, out->v)) return HK_OK;
  for (int32_t n = 0; n < A->n; n++)
    if (A->rows[n].rate) A->rows[n].on = false;
  if (!hki_assembly_rates(A, out->q, out->v)) return hki_assembly_stuck(A, out->q, out->v);
  greedy(A, true, out->q, out->v);
  hki_assembly_moved(A, true, out->v, out);
  return HK_OK;
}

/* translations of bodies on the ground that no closure feels */
static void find_loose(assembler *A, const double *rest) {
  const hk_model *m = A->s->m;
  hki_kin_state(&A->s->kin, 0.0, m->q_draw, rest);
  for (int32_t b = 0; b < m->nb; b++)
    for (int32_t i = m->bodies[b].v0; i < m->bodies[b].v0 + m->bodies[b].nv; i++)
      A->loose[i] = m->bodies[b].parent == HK_GROUND && v3_norm(A->s->kin.S + 6 * i) < 0.5;
  for (int32_t c = 0; c < m->nc; c++)
    for (int32_t i = 0; i < m->closures[c].path.n; i++)
      A->loose[m->closures[c].path.dof[i]] = false;
}

/* a tree whose start values are its own coordinates needs no solving */
static bool direct(assembler *A, hk_assembly *out) {
  const hk_model *m = A->s->m;
  if (m->nc || m->spec->equilibrium != HK_EQ_OFF) return false;
  if (m->spec->relax > 0.0 || m->spec->relax_rate > 0.0) return false;
  for (int32_t n = 0; n < A->n; n++)
    if (A->rows[n].kind != HK_NAMED_SCALAR || m->scalars[A->rows[n].scalar].vi == HK_NONE)
      return false;
  memcpy(out->q, m->q_draw, (size_t)m->nq * sizeof *out->q);
  for (int32_t n = 0; n < A->n; n++) {
    const hk_scalar *x = &m->scalars[A->rows[n].scalar];
    if (A->rows[n].rate)
      out->v[x->vi] = x->sign * A->rows[n].target;
    else
      out->q[x->qi] = x->sign * (A->rows[n].target - x->zero);
  }
  return true;
}

/* what is left, by the joints' own equations */
static void residuals(assembler *A, hk_assembly *out) {
  hk_tree *s = A->s;
  const hk_model *m = s->m;
  bool changed;
  hki_kin_state(&s->kin, 0.0, out->q, out->v);
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

/* positions, statics between positions and velocities (speeds are applied to the equilibrium) */
static hk_status solve(assembler *A, hk_assembly *out) {
  hk_tree *s = A->s;
  const hk_equilibrium kind = s->m->spec->equilibrium;
  hk_status st = hki_tree_matrix(s);
  if (st == HK_OK) st = positions(A, out);
  if (st == HK_OK && kind == HK_EQ_STEADY) st = velocities(A, out);
  if (st == HK_OK && kind != HK_EQ_OFF) st = hki_statics(s, kind, A->rows, A->n, out->q, out->v);
  return st == HK_OK ? velocities(A, out) : st;
}

hk_status hki_assemble(hk_tree *s, hk_assembly *out) {
  const hk_model *m = s->m;
  assembler A = {.s = s, .pool = hki_pool_create(s->ctx)};
  if (!A.pool) return HK_E_MEMORY;
  A.D = hki_pool_alloc(A.pool, (size_t)(2 * m->nv + 2 * m->nq + 1) * sizeof(double));
  A.loose = hki_pool_alloc(A.pool, (size_t)(m->nv + 1) * sizeof *A.loose);
  hk_status st = A.D && A.loose ? hki_named_rows(s, A.pool, &A.rows, &A.n) : HK_E_MEMORY;
  out->position_max = out->velocity_max = 0.0;
  out->nmoved = 0;
  out->moved = out->pool ? hki_pool_alloc(out->pool, (size_t)(A.n + 1) * sizeof *out->moved) : NULL;
  if (st == HK_OK) {
    A.Md = A.D + m->nv;
    A.keep = A.Md + m->nv;
    A.ref = A.keep + m->nq;
    memset(out->v, 0, (size_t)m->nv * sizeof *out->v);
    find_loose(&A, out->v);
    if (!direct(&A, out)) st = solve(&A, out);
  }
  if (st == HK_OK) residuals(&A, out);
  hki_pool_destroy(A.pool);
  return st;
}

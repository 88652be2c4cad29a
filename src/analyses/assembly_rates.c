/* SPDX-License-Identifier: Apache-2.0
 *
 * assembly_rates.c: velocities at the assembled positions.
 *
 * Relative rates (start.rates: relative). All joints, cut or not, stay as near to rest as closures
 * and named rates allow, each measured by the rates that its channels show:
 *
 *   min |R v|^2        subject to  Phi_z v + Phi_t = 0,  N v = target                          (1)
 *   min |v_base|^2     among the solutions of (1)                                              (2)
 *
 * R: rates of all active joints that bind something; rotations count as they are, translations
 * divided by the length of the mechanism. The sum is over joints and not over the tree's
 * coordinates, so that it depends neither on the cut joints nor on the order of the file. v_base:
 * velocity of the first body of each tree that no joint binds to the ground. It comes second: what
 * a car needs to roll as its joints ask must not be shared between chassis and suspension.
 *
 * Both levels are met by proximal steps with multipliers (Rockafellar 1976, "Augmented Lagrangians
 * and applications of the proximal point algorithm in convex programming", section 5). With c the
 * result of the last step, the next one is
 *
 *   min |R v|^2 + second |v_base - c_base|^2   under the same conditions                       (3)
 *
 *   T dv = -(R'R v + second P (v - c) + Phi_z'(alpha row + lam) + N'(beta n + mu))
 *   T    = R'R + second P + Phi_z' alpha Phi_z + N' beta N
 *   lam += alpha (row at v + dv),  mu += beta (n at v + dv)
 *
 * P: weights of v_base. From v = 0, or from values of the named rates alone, the sum of the steps
 * stays P-orthogonal to what (1) leaves free: the limit solves (2). Conditions in conflict end at
 * the compromise of their penalties.
 *
 * Bodies placed in frames that move (`frames: {hub: {angular_velocity: ..}}`) have rates that they
 * stay nearest to instead of rest: r, the rates of the tree at which each body moves against the one
 * before it as their two frames do, by least squares over the motions of its joint. Then v - r takes
 * the place of v in |R v|^2 and |v_base|^2. Where joints allow the motion of the frames, v = r.
 *
 * Mass metric (start.rates: mass): v nearest to zero in the metric of the masses, the least kinetic energy under the same
 * conditions; with moving frames nearest to r, and in a run to the present rates, that is, by the least impulse from there.
 */
#include "analyses/assembly_lean.h"

static const double second = 1e-4; /* weight of v_base in one step, relative to joint rates */

/* --- the metric of relative rates -------------------------------------------------------------- */

/* does the tree joint of a body leave it free? */
static bool is_base(const hk_model *m, const hk_model_body *b) {
  return b->point || b->nv == (m->spec->planar ? 3 : 6);
}

/* root of a in a union-find forest */
static int32_t find(int32_t *up, int32_t a) {
  while (up[a] != a) a = up[a] = up[up[a]];
  return a;
}

/* Weights `base`: of each group of bodies that joints connect, the heaviest base counts, and none
 * where the group hangs on the ground. up, most: scratch, nb + 1; entry nb is the ground. */
static void weigh_bases(assembler *A, int32_t *up, int32_t *most) {
  const hk_model *m = A->s->m;
  for (int32_t b = 0; b <= m->nb; b++) up[b] = b, most[b] = HK_NONE;
  for (int32_t j = 0; j < m->nj; j++) {
    const hk_model_joint *x = &m->joints[j];
    const hk_closure *c = x->closure == HK_NONE ? NULL : &m->closures[x->closure];
    const hk_joint_ops *ops = m->spec->joints[j].ops;
    // constraints without coordinates of their own (rods, rolling) leave their bodies too free
    // what measures an interface of a flexible body stands for the rows that tie it
    const bool ties = m->spec->joints[j].made && c && !c->nrows;
    const bool connects =
        ties ? true
        : c  ? c->active && c->nrows && (ops->nv >= 0 || ops->caps & HK_JOINT_LOCKED)
             : !is_base(m, &m->bodies[x->body]);
    if (!connects) continue;
    int32_t a = x->mbody[0] < 0 ? m->nb : x->mbody[0], b = x->mbody[1] < 0 ? m->nb : x->mbody[1];
    up[find(up, a)] = find(up, b);
  }
  for (int32_t b = 0; b < m->nb; b++) {
    int32_t *best = &most[find(up, b)];
    if (!is_base(m, &m->bodies[b])) continue;
    if (*best == HK_NONE || m->bodies[b].mass > m->bodies[*best].mass) *best = b;
  }
  most[find(up, m->nb)] = HK_NONE;
  for (int32_t g = 0; g <= m->nb; g++)
    for (int32_t i = 0; most[g] >= 0 && i < m->bodies[most[g]].nv; i++) {
      const int32_t dof = m->bodies[most[g]].v0 + i;
      A->base[dof] = 1.0 / (A->s->scale[dof] * A->s->scale[dof]);
    }
}

/* --- rates of moving frames ------------------------------------------------------------------- */

bool hki_assembly_carries(const hk_model *m) {
  for (int32_t b = 0; b < m->spec->nbodies; b++) {
    const double *c = m->spec->bodies[b].carried;
    if (s6_dot(c, c) > 0.0) return true;
  }
  return false;
}

/* twist about P of the frame that a body is placed in; the ground is at rest */
static void carried_twist(const hk_model *m, int32_t body, const double *P, double *V) {
  memset(V, 0, 6 * sizeof *V);
  if (body == HK_GROUND) return;
  const double *c = m->spec->bodies[m->bodies[body].spec].carried;
  v3_copy(V, c);
  v3_cross(V + 3, c, P);
  v3_add(V + 3, V + 3, c + 3);
}

/* x (n <= 6) from the normal equations N x = y of a least-squares problem; both are overwritten.
 * Directions without weight get 0. */
static void solve_normal(int32_t n, double (*N)[6], double *y, double *x) {
  double top = 0.0;
  for (int32_t i = 0; i < n; i++) top = fmax(top, N[i][i]);
  for (int32_t i = 0; i < n; i++)
    for (int32_t r = i + 1; N[i][i] > 1e-12 * top && r < n; r++) {
      const double f = N[r][i] / N[i][i];
      for (int32_t c = i; c < n; c++) N[r][c] -= f * N[i][c];
      y[r] -= f * y[i];
    }
  for (int32_t i = n - 1; i >= 0; i--) {
    x[i] = y[i];
    for (int32_t c = i + 1; c < n; c++) x[i] -= N[i][c] * x[c];
    x[i] = N[i][i] > 1e-12 * top ? x[i] / N[i][i] : 0.0;
  }
}

/* the rates r at the present positions: twists at the centre of mass, lengths in those of the
 * mechanism */
static void carried_rates(assembler *A) {
  const hk_kin *k = &A->s->kin;
  const hk_model *m = k->m;
  for (int32_t b = 0; b < m->nb; b++) {
    const hk_model_body *mb = &m->bodies[b];
    double V[6], W[6], S[6][6], N[6][6], y[6], d[3];
    carried_twist(m, b, k->frame[b].p, V);
    carried_twist(m, mb->parent, k->frame[b].p, W);
    v3_sub(d, k->frame[b].p, k->O + 3 * b);
    for (int i = 0; i < 6; i++) V[i] = (V[i] - W[i]) / (i < 3 ? 1.0 : m->length);
    for (int32_t j = 0; j < mb->nv; j++) {
      s6_twist_at(S[j], k->S + 6 * (mb->v0 + j), d);
      for (int i = 3; i < 6; i++) S[j][i] /= m->length;
      y[j] = s6_dot(S[j], V);
      for (int32_t i = 0; i <= j; i++) N[i][j] = N[j][i] = s6_dot(S[i], S[j]);
    }
    solve_normal(mb->nv, N, y, A->rates + mb->v0);
  }
}

/* the targets of rows of joints that are no tree velocities: their rates at r */
static void carry_rows(assembler *A) {
  hki_kin_velocity(&A->s->kin, A->rates);
  for (int32_t n = 0; n < A->njoint; n++) {
    A->joint[n].target = 0.0;
    hki_named_eval(&A->s->kin, &A->joint[n]);
    A->joint[n].target = A->joint[n].value;
  }
}

hk_status hki_assembly_rate_setup(assembler *A) {
  const hk_model *m = A->s->m;
  if (!A->again && hki_assembly_carries(m)) {
    A->rates = hki_pool_alloc(A->pool, (size_t)(m->nv + 1) * sizeof *A->rates);
    if (!A->rates) return HK_E_MEMORY;
  }
  A->relative =
      m->spec->start_rates == HK_RATES_RELATIVE && (A->again || !(m->spec->relax_rate > 0.0));
  if (!A->relative) return HK_OK;
  A->own = hki_pool_alloc(A->pool, (size_t)(2 * m->nv + 1) * sizeof *A->own);
  int32_t *up = hki_pool_alloc(A->pool, (size_t)(2 * m->nb + 2) * sizeof *up);
  if (!A->own || !up) return HK_E_MEMORY;
  A->base = A->own + m->nv;
  memset(A->own, 0, (size_t)(2 * m->nv) * sizeof *A->own);
  weigh_bases(A, up, up + m->nb + 1);
  return hki_joint_rates(A->s, A->pool, &A->joint, &A->njoint, A->own);
}

void hki_assembly_rate_metric(assembler *A) {
  hk_tree *s = A->s;
  for (int32_t i = 0; i < s->m->nv; i++) s->mass[i] = A->own[i] + second * A->base[i];
  if (A->lean) {
    hki_lean_rates(A->lean);
  } else {
    hki_ldl_zero(s->ldl, &s->num);
    for (int32_t i = 0; i < s->m->nv; i++) s->num.val[s->slot_diag[i]] = s->mass[i];
  }
  for (int32_t n = 0; n < A->njoint; n++) {
    hk_named *r = &A->joint[n];
    hki_named_eval(&s->kin, r);
    for (int32_t i = 0; i < r->path.n; i++)
      for (int32_t j = 0; j <= i; j++) {
        double e = r->alpha * r->g[i] * r->g[j];
        if (e == 0.0) continue;
        if (!A->lean) hki_ldl_add(s->ldl, s->num.val, r->path.dof[i], r->path.dof[j], e);
        if (i == j) s->mass[r->path.dof[i]] += e;
      }
  }
}

/* --- both metrics ------------------------------------------------------------------------------ */

/* rows of closures (s->row) and named rates at v; returns the largest scaled one */
static double look(assembler *A, const double *v) {
  hk_tree *s = A->s;
  hki_kin_velocity(&s->kin, v);
  // rows that are not linear in velocities stay as they are here: straight lines (curved_rates)
  s->kin.known |= HK_KIN_CLOSURES;
  hki_tree_rows(s, v, s->row);
  for (int32_t i = 0; i < s->m->nrows; i++) s->row[i] += s->kin.phit[i];
  hki_assembly_leave(A, true, s->row);
  for (int32_t n = 0; n < A->n; n++)
    if (hki_named_used(&A->rows[n], true)) hki_named_eval(&s->kin, &A->rows[n]);
  return fmax(hki_tree_row_norm(s, s->row), hki_assembly_worst(A, true));
}

/* x -= Phi_z'(alpha row + lam) + N'(beta n + mu); overwrites s->lam_step */
static void pull_back(assembler *A, double *x) {
  hk_tree *s = A->s;
  for (int32_t i = 0; i < s->m->nrows; i++) s->lam_step[i] = -(s->alpha[i] * s->row[i] + s->lam[i]);
  hki_tree_add_rows(s, s->lam_step, x);
  for (int32_t n = 0; n < A->n; n++) {
    const hk_named *r = &A->rows[n];
    if (!hki_named_used(r, true)) continue;
    for (int32_t i = 0; i < r->path.n; i++)
      x[r->path.dof[i]] -= (r->alpha * r->value + r->mu) * r->g[i];
  }
}

/* lam += alpha (row + Phi_z x), mu += beta (n + N x) */
static void add_multipliers(assembler *A, const double *x) {
  hk_tree *s = A->s;
  hki_tree_rows(s, x, s->lam_step);
  for (int32_t i = 0; i < s->m->nrows; i++) s->lam[i] += s->alpha[i] * (s->row[i] + s->lam_step[i]);
  for (int32_t n = 0; n < A->n; n++) {
    hk_named *r = &A->rows[n];
    double dn = r->value;
    if (!hki_named_used(r, true)) continue;
    for (int32_t i = 0; i < r->path.n; i++) dn += r->g[i] * x[r->path.dof[i]];
    r->mu += r->alpha * dn;
  }
}

/* one step towards the solution of (3) for the present multipliers: v += dv; returns the scaled size
 * of dv */
static double relative_step(assembler *A, double *v) {
  hk_tree *s = A->s;
  for (int32_t i = 0; i < s->m->nv; i++)
    s->x[i] = -A->own[i] * (A->rates ? v[i] - A->rates[i] : v[i]) -
              second * A->base[i] * (v[i] - A->D[i]);
  for (int32_t n = 0; n < A->njoint; n++) {
    hk_named *r = &A->joint[n];
    hki_named_eval(&s->kin, r);
    for (int32_t i = 0; i < r->path.n; i++) s->x[r->path.dof[i]] -= r->alpha * r->value * r->g[i];
  }
  pull_back(A, s->x);
  hki_assembly_solve(A, s->x);
  add_multipliers(A, s->x);
  for (int32_t i = 0; i < s->m->nv; i++) v[i] += s->x[i];
  return hki_assembly_largest(s, s->x);
}

/* proximal steps, each of them solved by up to four steps, since the first suffer from round-off of
 * lean rows; A->D is the anchor c */
static double relative_rates(assembler *A, double *v) {
  const int32_t nv = A->s->m->nv;
  double left = look(A, v), moved = INFINITY;
  if (left == 0.0 && hki_assembly_largest(A->s, v) == 0.0) return left;
  for (int32_t pass = 0; pass < 20; pass++) {
    const double before = left, last = moved;
    double size = INFINITY, top = 1.0;
    memcpy(A->D, v, (size_t)nv * sizeof *v);
    for (int32_t k = 0; k < 4 && size > 1e-14 * top; k++) {
      size = relative_step(A, v);
      left = look(A, v);
      top = 1.0 + hki_assembly_largest(A->s, v);
      if (!isfinite(left)) return left;
    }
    for (int32_t i = 0; i < nv; i++) A->D[i] -= v[i];
    moved = hki_assembly_largest(A->s, A->D);
    // the passes end at round-off; rows in conflict stay as they are
    if (left < 1e-13 * top && (moved < 1e-15 * top || moved > 0.3 * last)) break;
    if (pass > 1 && left > 0.5 * before && moved > 0.3 * last) break;
  }
  return left;
}

/* start.relax: v += T^-1 Q / relax_rate; the caller projects onto the rows afterwards */
static void push_rates(assembler *A, const double *q, double *v) {
  hk_tree *s = A->s;
  const hk_model *m = s->m;
  hki_tree_state(s, A->t, q, v, 0);
  memset(s->a, 0, (size_t)m->nv * sizeof *s->a);
  hki_tree_residual(s, s->a, s->r);
  for (int32_t i = 0; i < m->nv; i++) s->x[i] = -s->r[i] / m->spec->relax_rate;
  hki_assembly_solve(A, s->x);
  for (int32_t i = 0; i < m->nv; i++) v[i] += s->x[i];
}

/* rows of rates that count as closed */
static const double closed_rates = 1e-13;

/* The point nearest to v in the mass metric, by steps on its own residual with multipliers, as above:
 *
 *   T dv = -(M (v - v0) + Phi_z'(alpha row + lam) + N'(beta n + mu)),   T = M + E + ..
 *
 * They are proximal too, in the small inertia E: where there is mass the limit knows nothing of it. A->D is v0. Where elements have
 * inertia, which M x does not know, they are projections, one after the other. */
static double mass_rates(assembler *A, double *v) {
  hk_tree *s = A->s;
  const int32_t nv = s->m->nv;
  const bool projects = s->m->wide_inert;
  double left = look(A, v), size = INFINITY, last = INFINITY;
  memcpy(A->D, v, (size_t)nv * sizeof *v);
  for (int32_t pass = 0; pass < 40; pass++) {
    const double top = 1.0 + hki_assembly_largest(s, v);
    if (!isfinite(left) || size < 1e-15 * top || (pass > 6 && size > 0.5 * last)) break;
    last = size;
    for (int32_t i = 0; i < nv; i++) s->r[i] = projects ? 0.0 : A->D[i] - v[i];
    hki_tree_mass_mul(s, s->r, s->x);
    pull_back(A, s->x);
    hki_assembly_solve(A, s->x);
    if (!projects) add_multipliers(A, s->x);
    for (int32_t i = 0; i < nv; i++) v[i] += s->x[i];
    size = hki_assembly_largest(s, s->x);
    left = look(A, v);
  }
  return left;
}

/* Rows that these leave open by `left` because they nearly depend on each other. v stays as it is where they do not close. */
static double close_slow(assembler *A, double left, double *v) {
  const double size = 1.0 + hki_assembly_largest(A->s, v);
  if (!(left > HK_SLOW_TIMES * closed_rates * size) || !isfinite(left)) return left;
  (void)look(A, v);
  if (!hki_assembly_slow_rates(A, A->s->row, v)) return left;
  const double now = look(A, v);
  if (now <= 0.5 * left && now < HK_ASSEMBLY_CLOSED * size) return now;
  hki_assembly_slow_undo(A, v);
  return look(A, v);
}

static double nearest_rates(assembler *A, double *v) {
  if (A->relative) return relative_rates(A, v);
  return close_slow(A, mass_rates(A, v), v);
}

static bool find_rates(assembler *A, const double *q, double *v) {
  hk_tree *s = A->s;
  const hk_model *m = s->m;
  const bool loads = m->spec->relax_rate > 0.0 && !A->again;
  memset(v, 0, (size_t)m->nv * sizeof *v);
  memset(s->lam, 0, (size_t)m->nrows * sizeof *s->lam);
  for (int32_t n = 0; n < A->n; n++) A->rows[n].mu = 0.0;
  memset(A->D, 0, (size_t)m->nv * sizeof *A->D);
  hki_kin_state(&s->kin, A->t, q, v);
  if (A->rates) {
    if (!A->again) carried_rates(A);
    carry_rows(A);
    hki_kin_state(&s->kin, A->t, q, A->rates);
  }
  hki_kin_signals(&s->kin, false);
  hki_kin_closures(&s->kin);
  if (hki_assembly_build(A, true) != HK_OK) return false;
  // build has evaluated the rows at v = 0, or at r. Relative rates begin at the named ones, and loads have them to push from; the least
  // impulse does not, since which rates of a tree they are made of depends on the order of the joints.
  if (A->relative || loads) hki_assembly_meet(A, true, v);
  for (int32_t i = 0; A->rates && i < m->nv; i++) v[i] += A->rates[i];
  if (loads) push_rates(A, q, v);
  const double left = nearest_rates(A, v);
  return left < HK_ASSEMBLY_CLOSED * (1.0 + hki_assembly_largest(s, v));
}

/* switches the curved rows off that are on, as `was` remembers, or back on */
static void switch_curved(assembler *A, bool on, double *was) {
  const hk_model *m = A->s->m;
  double *active = A->s->kin.disc.active;
  for (int32_t c = 0; c < m->nc; c++) {
    if (!m->closures[c].coupling || !m->closures[c].coupling->curved) continue;
    if (!on) was[m->closures[c].row0] = active[c];
    active[c] = on ? was[m->closures[c].row0] : 0.0;
  }
  hki_kin_forget(&A->s->kin, HK_KIN_OF_CLOSURES);
}

/* Newton's method on rows that are not linear in velocities: the rows at the last v, and from there the
 * nearest velocities as above */
static bool curved_rates(assembler *A, const double *q, double *v) {
  hk_tree *s = A->s;
  double last = INFINITY;
  for (int pass = 0; pass < 30; pass++) {
    double *before = s->a, size = 0.0;
    memcpy(before, v, (size_t)s->m->nv * sizeof *v);
    hki_kin_state(&s->kin, A->t, q, v);
    hki_kin_signals(&s->kin, false);
    hki_kin_closures(&s->kin);
    memset(s->lam, 0, (size_t)s->m->nrows * sizeof *s->lam);
    for (int32_t n = 0; n < A->n; n++) A->rows[n].mu = 0.0;
    if (hki_assembly_build(A, true) != HK_OK) return false;
    const double left = nearest_rates(A, v);
    for (int32_t i = 0; i < s->m->nv; i++) before[i] -= v[i];
    size = hki_assembly_largest(s, before);
    if (!isfinite(size)) return false;
    const double top = 1.0 + hki_assembly_largest(s, v);
    if (left < HK_ASSEMBLY_CLOSED * top &&
        (size < 1e-13 * top || (size < 1e-9 * top && size > 0.5 * last)))
      return true;
    last = size;
  }
  return false;
}

bool hki_assembly_rates(assembler *A, const double *q, double *v) {
  if (!A->s->m->ncurved) return find_rates(A, q, v);
  // their gradients need velocities: those without them, when all named values were still in use
  const size_t size = (size_t)A->s->m->nv * sizeof *v;
  double *was = A->s->kin.gamma;
  if (!A->guess) {
    A->guess = hki_pool_alloc(A->pool, size + sizeof *v);
    if (!A->guess) return false;
    switch_curved(A, false, was);
    const bool found = find_rates(A, q, A->guess);
    switch_curved(A, true, was);
    if (!found) memset(A->guess, 0, size);
  }
  memcpy(v, A->guess, size);
  return curved_rates(A, q, v);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * assembly_matrix.c: the matrix T of the assembly, its terms one after the other, its factor and solutions. Deep trees with loops do
 * without the matrix of the tree (assembly_lean.h).
 */
#include "analyses/assembly_lean.h"

static const double stiff = 1e8; /* times its mass, what a modal coordinate counts for */

double hki_named_reach(const assembler *A, const hk_named *r) {
  double m = 1e-9;
  for (int32_t i = 0; i < r->path.n; i++) m = fmax(m, fabs(r->g[i]) * A->s->scale[r->path.dof[i]]);
  return m;
}

double hki_assembly_inertia(const hk_tree *s) {
  double top = 0.0;
  for (int32_t i = 0; i < s->m->nv; i++) top = fmax(top, s->mass[i] * (s->scale[i] * s->scale[i]));
  return top;
}

/* Evaluates the named rows at the present state and sets their penalties from the masses along
 * their coordinates. Returns the largest scaled value. */
static double named_state(assembler *A, bool rate) {
  hk_tree *s = A->s;
  double worst = 0.0, top = hki_assembly_inertia(s);
  for (int32_t n = 0; n < A->n; n++) {
    hk_named *r = &A->rows[n];
    double mob = 0.0;
    if (!hki_named_used(r, rate)) continue;
    hki_named_eval(&s->kin, r);
    for (int32_t i = 0; i < r->path.n; i++) {
      double sc = s->scale[r->path.dof[i]], g = r->g[i] * sc;
      double mass = s->mass[r->path.dof[i]] * (sc * sc);
      mob += g * g / fmax(mass, 1e-6 * top);
    }
    r->alpha = 1e6 / fmax(mob, 1e-300);
    worst = fmax(worst, fabs(r->value) / hki_named_reach(A, r));
  }
  return worst;
}

/* T += N' beta N */
static void add_named_matrix(assembler *A, bool rate) {
  for (int32_t n = 0; n < A->n; n++) {
    const hk_named *r = &A->rows[n];
    if (!hki_named_used(r, rate)) continue;
    for (int32_t i = 0; i < r->path.n; i++)
      for (int32_t j = 0; j <= i; j++) {
        double e = r->alpha * r->g[i] * r->g[j];
        if (e != 0.0) hki_ldl_add(A->s->ldl, A->s->num.val, r->path.dof[i], r->path.dof[j], e);
      }
  }
}

/* does row r of closure c take no part at this level? */
static bool leaves(const assembler *A, int32_t c, int32_t r, bool rate) {
  const hk_model *m = A->s->m;
  const hk_closure *cl = &m->closures[c];
  if (cl->rate_rows >> r & 1u) return !rate;
  // later a travel has its position; one that has replaced the row of a constraint has it at once
  if (A->later || (!rate && m->joints[cl->joint].closure == c)) return false;
  return hki_closure_order(m, cl, r) > (rate ? 1 : 0);
}

void hki_assembly_leave(const assembler *A, bool rate, double *x) {
  const hk_model *m = A->s->m;
  if (!m->nrate && !A->s->kin.ntravel) return;
  for (int32_t c = 0; c < m->nc; c++)
    for (int32_t r = 0; r < m->closures[c].nrows; r++)
      if (leaves(A, c, r, rate)) x[m->closures[c].row0 + r] = 0.0;
}

static void add_diagonal(assembler *A, int32_t i, double x) {
  if (A->lean)
    hki_lean_add(A->lean, i, x);
  else
    A->s->num.val[A->s->slot_diag[i]] += x;
}

/* Penalties for a report on loops that cannot close. Cut joints are softer than motions, and later
 * motions softer than the first, so that the whole gap appears in one joint. The penalties do
 * not depend on the gradients, which vanish where the gap is smallest. Since the gap stays, its
 * curvature is added to the diagonal. */
static void soften(assembler *A) {
  hk_tree *s = A->s;
  const hk_model *m = s->m;
  const double L = m->length, top = hki_assembly_inertia(s);
  double give = 1e6;
  for (int32_t c = 0; c < m->nc; c++) {
    const hk_closure *cl = &m->closures[c];
    if (s->kin.disc.active[c] == 0.0) continue;
    for (int32_t r = cl->row0; r < cl->row0 + cl->nrows; r++) {
      const double unit = hki_model_row_is_length(m, r) ? L : 1.0;
      if (s->alpha[r] == 0.0) continue;
      s->alpha[r] = (cl->role == HK_ROLE_CUT ? 1.0 : give) * top / (unit * unit);
      for (int32_t j = 0; j < cl->path.n; j++)
        if (s->rotates[cl->path.dof[j]])
          add_diagonal(A, cl->path.dof[j], A->damp * s->alpha[r] * fabs(s->kin.phi[r]) * unit);
    }
    if (cl->role != HK_ROLE_CUT) give = 1e2;
  }
}

/* start.relax: adds -Q/k to Md and its tangent to the matrix */
static void add_loads(assembler *A) {
  hk_tree *s = A->s;
  const double soft = 1.0 / s->m->spec->relax;
  memset(s->a, 0, (size_t)s->m->nv * sizeof *s->a);
  hki_tree_residual(s, s->a, s->r);
  for (int32_t i = 0; i < s->m->nv; i++) A->Md[i] += soft * s->r[i];
  for (int32_t i = 0; i < s->m->nrows; i++) s->lam_step[i] = s->lam[i] / soft;
  hki_tree_add_exact(s, 0.0, soft, s->lam_step);
}

/* modal coordinates count as much heavier than they are: bodies move before they bend */
static void make_stiff(hk_tree *s) {
  const hk_model *m = s->m;
  for (int32_t b = 0; b < m->nb; b++) {
    const hk_model_body *mb = &m->bodies[b];
    if (!m->spec->bodies[mb->spec].modal) continue;
    for (int32_t i = mb->v0; i < mb->v0 + mb->nv; i++)
      s->num.val[s->slot_diag[i]] += stiff * mb->mass;
  }
}

void hki_assembly_mass(const assembler *A, const double *x, double *y) {
  hki_tree_mass_mul(A->s, x, y);
  for (int32_t i = 0; i < A->s->m->nv; i++) y[i] += A->extra[i] * x[i];
}

/* T = M + E, with a small inertia where there is no mass; Md = (M + E) D */
static void mass_metric(assembler *A) {
  hk_tree *s = A->s;
  if (A->lean)
    hki_lean_mass(A->lean);
  else
    hki_tree_mass(s);
  const double top = hki_assembly_inertia(s), reg = top > 0.0 ? 1e-7 * top : 1.0;
  for (int32_t i = 0; i < s->m->nv; i++) {
    const double extra = reg / (s->scale[i] * s->scale[i]);
    add_diagonal(A, i, extra);
    s->mass[i] += extra;
    A->extra[i] = extra;
  }
  if (s->m->wide_inert) make_stiff(s);
  if (A->lean)
    hki_assembly_mass(A, A->D, A->Md);
  else
    hki_ldl_mul(s->ldl, &s->num, s->num.val, A->D, A->Md);
}

static hk_status build(assembler *A, bool rate) {
  hk_tree *s = A->s;
  const bool relative = rate && A->relative;
  if (relative)
    hki_assembly_rate_metric(A);
  else
    mass_metric(A);
  if (!rate && A->loaded) add_loads(A);
  hki_tree_penalty(s, relative ? HK_ASSEMBLY_RATE_PENALTY : 1e6, 1.0);
  hki_assembly_leave(A, rate, s->alpha);
  if (A->soft) soften(A);
  if (!A->lean) hki_tree_add_closures(s, 1.0);
  named_state(A, rate);
  if (A->lean) return hki_lean_factor(A->lean, rate);
  add_named_matrix(A, rate);
  return hki_tree_factor(s);
}

static void drop_lean(assembler *A) {
  hki_lean_free(A->lean);
  A->lean = NULL;
}

hk_status hki_assembly_build(assembler *A, bool rate) {
  if (A->lean) {
    if (build(A, rate) == HK_OK) return HK_OK;
    // a motion that only the penalties of long rows hold, or none: the matrix of the tree tells
    drop_lean(A);
    const hk_status st = hki_tree_matrix(A->s);
    if (st != HK_OK) return st;
  }
  return build(A, rate);
}

void hki_assembly_solve(assembler *A, double *x) {
  if (A->lean)
    hki_lean_solve(A->lean, x);
  else
    hki_ldl_solve(A->s->ldl, &A->s->num, x);
}

/* --- which way -------------------------------------------------------------------------------- */

/* loads and equilibria have tangents of forces in the matrix */
static bool has_loads(const hk_model *m, bool again) {
  const hk_spec *spec = m->spec;
  return !again && (spec->relax > 0.0 || spec->relax_rate > 0.0);
}

hk_status hki_assembly_begin(assembler *A, hk_assembly_way way, hk_equilibrium kind) {
  const hk_model *m = A->s->m;
  bool lean = way == HK_ASSEMBLY_LEAN;
  hk_status st = HK_OK;
  if (way == HK_ASSEMBLY_BY_COST && kind == HK_EQ_OFF && !has_loads(m, A->again))
    st = hki_lean_suits(A->s->ctx, m, A->rows, A->n, &lean);
  if (st != HK_OK) return st;
  return lean ? hki_lean_create(A, &A->lean) : hki_tree_matrix(A->s);
}

bool hki_assembly_end(assembler *A) {
  const bool lean = A->lean != NULL;
  drop_lean(A);
  return lean;
}

/* does the assembly of the model solve at all, with the matrix of the tree or without? */
static bool solves(const hk_model *m) {
  const hk_spec *spec = m->spec;
  if (m->nc || spec->equilibrium != HK_EQ_OFF || spec->relax > 0.0 || spec->relax_rate > 0.0)
    return true;
  if (hki_assembly_carries(m)) return true;
  for (int32_t i = 0; i < spec->nstarts; i++)
    if (spec->starts[i].joint == HK_NONE || spec->starts[i].given) return true;
  // static nodes (held.h)
  for (int32_t b = 0; b < m->nb; b++)
    if (m->bodies[b].massless) return true;
  return false;
}

/* the same choice as at the start, before there is a machine */
static hk_status choose_lean(hk_ctx *ctx, const hk_model *m, bool *lean) {
  hk_tree bare = {.ctx = ctx, .m = m}; // rows are made of the model alone
  hk_pool *pool = hki_pool_create(ctx);
  hk_named *rows;
  int32_t n;
  if (!pool) return HK_E_MEMORY;
  hk_status st = hki_named_rows(&bare, pool, m->spec->starts, m->spec->nstarts, &rows, &n);
  if (st == HK_OK) st = hki_lean_suits(ctx, m, rows, n, lean);
  hki_pool_destroy(pool);
  return st;
}

hk_status hki_assembly_cost(hk_ctx *ctx, const hk_model *m, double most, hk_cost *out) {
  bool lean = false;
  double bytes = 0.0;
  hk_status st = HK_OK;
  if (solves(m) && m->spec->equilibrium == HK_EQ_OFF && !has_loads(m, false))
    st = choose_lean(ctx, m, &lean);
  if (st == HK_OK && lean) st = hki_lean_bytes(ctx, m, &bytes);
  if (st == HK_OK) st = hki_tree_cost(ctx, m, solves(m) && !lean, most, out);
  out->bytes += bytes;
  return st;
}

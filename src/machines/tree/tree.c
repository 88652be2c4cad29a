/* SPDX-License-Identifier: Apache-2.0
 *
 * tree.c: the passes of the tree machine: residual, mass matrix, tangents, projections.
 * Equations at the head of tree.h.
 */
#include "kinematics/plane.h"
#include "kinematics/pulls4.h"
#include "kinematics/rows4.h"
#include "machines/tree/deep.h"

void hki_tree_plus(const hk_model *m, const double *q, const double *d, double *q_out) {
  for (int32_t i = 0; i < m->nsimple; i++) q_out[i] = q[i] + d[i];
  for (int32_t b = m->nsimple; b < m->nb; b++) {
    const hk_model_body *mb = &m->bodies[b];
    if (mb->nv == 1)
      q_out[mb->q0] = q[mb->q0] + d[mb->v0];
    else if (mb->nv)
      mb->ops->plus(q + mb->q0, d + mb->v0, q_out + mb->q0);
  }
}

void hki_tree_minus(const hk_model *m, const double *q1, const double *q0, double *d) {
  for (int32_t b = 0; b < m->nb; b++) {
    const hk_model_body *mb = &m->bodies[b];
    if (mb->nv) mb->ops->minus(q1 + mb->q0, q0 + mb->q0, d + mb->v0);
  }
}

void hki_tree_state(hk_tree *s, double t, const double *q, const double *v, uint32_t forces) {
  hki_kin_state(&s->kin, t, q, v);
  if (s->m->spec->nsignals) hki_kin_signals(&s->kin, false);
  if (!hki_kin_knows(&s->kin, HK_KIN_CLOSURES)) hki_kin_closures(&s->kin);
  hki_kin_forces(&s->kin, forces);
}

void hki_tree_find_states(hk_tree *s, double t) {
  hki_kin_state(&s->kin, t, s->q, s->v);
  if (s->m->spec->nsignals) hki_kin_signals(&s->kin, false);
  hki_kin_find_states(&s->kin);
}

void hki_tree_residual(hk_tree *s, const double *a, double *r) {
  const hk_model *m = s->m;
  s->pressed = false;
  const hk_kin *k = &s->kin;
  const double *S = k->S;
  // out: accelerations A and F = I A + V x* (I V) - W of each body
  hki_kin_body_forces(&s->kin, a, s->A, s->F);
  // back: project onto the joints, add F to that of the parent
  if (k->plane) {
    hki_plane_residual(k, s->F, r);
    return;
  }
  for (int32_t b = m->nb - 1; b >= 0; b--) {
    const hk_link *l = &k->link[b];
    const double *F = s->F + 6 * b, *Sb = S + 6 * l->v0, *tau = k->tau + l->v0;
    double *rb = r + l->v0;
    if (l->floating) {
      hki_floating_dots(Sb, F, rb);
      for (int j = 0; j < 6; j++) rb[j] -= tau[j];
    } else {
      for (int32_t j = 0; j < l->nv; j++) rb[j] = s6_dot(Sb + 6 * j, F) - tau[j];
    }
    if (l->parent != HK_GROUND) s6_axpy(s->F + 6 * l->parent, 1.0, F);
  }
}

void hki_tree_add_rows(const hk_tree *s, const double *mu, double *r) {
  hki_kin_add_rows(&s->kin, s->kin.gz, mu, r);
}

void hki_tree_add_factored(const hk_tree *s, const double *mu, double *r) {
  hki_kin_add_rows(&s->kin, s->gz, mu, r);
}

void hki_tree_rows(const hk_tree *s, const double *x, double *y) { hki_kin_rows(&s->kin, x, y); }

void hki_tree_rows_factored(const hk_tree *s, const double *x, double *y) {
  hki_kin_rows_of(&s->kin, s->gz, x, y);
}

/* s->reach = the largest scaled entry of each row of a closure */
static void find_largest(hk_tree *s, int32_t c) {
  const hk_closure *cl = &s->m->closures[c];
  const double *gz = s->kin.gz + s->kin.gz0[c];
  for (int32_t i = 0; i < cl->nrows; i++, gz += cl->path.n) {
    double most = 0.0;
    for (int32_t j = 0; j < cl->path.n; j++) {
      double g = fabs(gz[j]) * s->scale[cl->path.dof[j]];
      most = g > most ? g : most;
    }
    s->reach[cl->row0 + i] = most;
  }
}

void hki_tree_reach(hk_tree *s) {
  const hk_model *m = s->m;
  const bool beside = hki_plane_beside(&s->kin);
  HK_KNOWN(&s->kin, HK_KIN_CLOSURES);
  if (beside) hki_plane_largest(&s->kin, s->scale, s->reach);
  for (int32_t c = 0; c < m->nc; c++) {
    if (s->kin.disc.active[c] == 0.0) continue;
    const hk_closure *cl = &m->closures[c];
    double *reach = s->reach + cl->row0, top = 1e-5;
    if (!beside) find_largest(s, c);
    for (int32_t i = 0; i < cl->nrows; i++) top = reach[i] > top ? reach[i] : top;
    // a row that vanishes (singular positions, redundant rows) counts as a small part of its joint
    for (int32_t i = 0; i < cl->nrows; i++)
      reach[i] = 1.0 / (reach[i] > 1e-4 * top ? reach[i] : 1e-4 * top);
  }
}

double hki_tree_largest(int32_t n, const double *x, const double *w) {
  double most[4] = {0.0, 0.0, 0.0, 0.0}, sum[4] = {0.0, 0.0, 0.0, 0.0};
  int32_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (int k = 0; k < 4; k++) {
      const double e = fabs(x[i + k]) * w[i + k];
      most[k] = e > most[k] ? e : most[k];
      sum[k] += e;
    }
  for (; i < n; i++) {
    const double e = fabs(x[i]) * w[i];
    most[0] = e > most[0] ? e : most[0];
    sum[0] += e;
  }
  const double a = most[0] > most[1] ? most[0] : most[1];
  const double b = most[2] > most[3] ? most[2] : most[3], all = sum[0] + sum[1] + sum[2] + sum[3];
  return isnan(all) ? all : a > b ? a : b;
}

double hki_tree_row_norm(const hk_tree *s, const double *y) {
  const hk_model *m = s->m;
  const double *active = s->kin.disc.active;
  if (hki_plane_beside(&s->kin)) return hki_plane_norm(&s->kin, y, s->reach);
  double worst = 0.0;
  int32_t off = 0;
  for (int32_t c = 0; c < m->nc; c++) off += active[c] == 0.0;
  if (!off) return hki_tree_largest(m->nrows, y, s->reach);
  for (int32_t c = 0; c < m->nc; c++) {
    const int32_t r0 = m->closures[c].row0;
    if (active[c] == 0.0) continue;
    const double e = hki_tree_largest(m->closures[c].nrows, y + r0, s->reach + r0);
    if (!(e <= worst)) worst = e; // also catches NaN
  }
  return worst;
}

/* val += coef (g h' + h g')/2 over a path: the symmetric part of a rank-one term, lower triangle */
static void add_outer(double *val, const int32_t *slot, int32_t n, const double *g, const double *h,
                      double coef) {
  for (int32_t i = 0; i < n; i++) {
    double gi = coef * g[i], hi = coef * h[i];
    for (int32_t j = 0; j <= i; j++) val[*slot++] += 0.5 * (gi * h[j] + hi * g[j]);
  }
}

/* val += sum over rows of coef g g', lower triangle over a path; g: rows x n, rows 1 to 3. Inlined
 * with `rows` a constant. */
static inline void add_squares(double *restrict val, const int32_t *restrict slot, int32_t n,
                               const double *restrict g, int rows, const double *coef) {
  const double *h = g + n, *f = h + n;
  for (int32_t i = 0; i < n; i++) {
    double a = coef[0] * g[i], b = rows > 1 ? coef[1] * h[i] : 0.0;
    double c = rows > 2 ? coef[2] * f[i] : 0.0;
    for (int32_t j = 0; j <= i; j++) {
      double x = a * g[j];
      if (rows > 1) x += b * h[j];
      if (rows > 2) x += c * f[j];
      val[slot[j]] += x;
    }
    slot += i + 1;
  }
}

void hki_tree_add_inputs(hk_tree *s, double cC, double cK) {
  const hk_kin *k = &s->kin;
  HK_ASSERT(s->ldl);
  HK_KNOWN(k, HK_KIN_TANGENTS);
  for (int32_t n = 0; n < s->ninput; n++) {
    const hk_tree_input *in = &s->input[n];
    const hk_path *path = &s->m->forces[in->force].path;
    const double *fu = k->fu + k->fu0[in->force] + in->input * path->n;
    const double *dq = k->sig_dq + (size_t)k->sig_grad[in->signal] * (size_t)s->m->nv;
    const double *dv = k->sig_dv + (size_t)k->sig_grad[in->signal] * (size_t)s->m->nv;
    for (int32_t i = 0; i < path->n; i++)
      for (int32_t j = 0; j < in->nsup; j++) {
        double x = -fu[i] * (cK * dq[in->sup[j]] + cC * dv[in->sup[j]]);
        s->num.val[in->slot[i * in->nsup + j]] += path->dof[i] == in->sup[j] ? x : 0.5 * x;
      }
  }
}

/* terms of scalar unknowns, as hki_net_terms lists them: joint coordinates of their elements, nodes
 * that are held by signals */
static void network_terms(hk_tree *s, double cC, double cK) {
  const hk_model *m = s->m;
  const hk_kin *k = &s->kin;
  for (int32_t i = s->border.rank; i < s->border.most; i++) {
    const hk_border_term *t = &s->border.term[i];
    double *U, *V;
    if (hki_term_alone(t)) break;
    hki_border_add(&s->border, &U, &V);
    if (t->part == HK_TERM_COORDINATE) {
      const hk_path *path = &m->forces[t->owner].path;
      const double *g = k->fz + k->row[t->owner].z0;
      for (int32_t j = 0; j < path->n; j++) V[path->dof[j]] = g[j], U[path->dof[j]] = -g[j];
      continue;
    }
    const int32_t signal = m->spec->nodes[m->held[t->owner]].signal;
    const double *dq = k->sig_dq + (size_t)k->sig_grad[signal] * (size_t)m->nv;
    const double *dv = k->sig_dv + (size_t)k->sig_grad[signal] * (size_t)m->nv;
    for (int32_t j = 0; j < m->nv; j++) V[j] = cK * dq[j] + cC * dv[j];
  }
}

/* B'(cK ks + cC cs) B of forces across joints: U = B', V = (cK ks + cC cs) B */
static void across_terms(hk_tree *s, double cC, double cK) {
  const hk_kin *k = &s->kin;
  for (int32_t n = 0; n < s->nacross; n++) {
    const hk_force_row *row = &k->row[s->across[n]];
    const hk_path *path = &s->m->forces[s->across[n]].path;
    const double *g = k->fz + row->z0;
    for (int32_t r = 0; r < s->m->forces[s->across[n]].ops->rank; r++) {
      double *U, *V;
      hki_border_add(&s->border, &U, &V);
      for (int32_t i = 0; r < row->rank && i < path->n; i++) {
        U[path->dof[i]] = g[r * path->n + i];
        for (int32_t c = 0; c < row->rank; c++)
          V[path->dof[i]] +=
              (cK * row->ks[6 * r + c] + cC * row->cs[6 * r + c]) * g[c * path->n + i];
      }
    }
  }
}

void hki_tree_border_terms(hk_tree *s, double cC, double cK) {
  const hk_kin *k = &s->kin;
  HK_KNOWN(k, HK_KIN_TANGENTS);
  if (s->border.keep) return;
  hki_border_clear(&s->border);
  for (int32_t n = 0; n < s->ninput; n++) {
    const hk_tree_input *in = &s->input[n];
    const hk_path *path = &s->m->forces[in->force].path;
    const double *fu = k->fu + k->fu0[in->force] + in->input * path->n;
    const double *dq = k->sig_dq + (size_t)k->sig_grad[in->signal] * (size_t)s->m->nv;
    const double *dv = k->sig_dv + (size_t)k->sig_grad[in->signal] * (size_t)s->m->nv;
    const int32_t alone = s->ldl && path->n == 1 && !in->whole ? path->dof[0] : HK_NONE;
    double *U = NULL, *V = NULL;
    if (!in->own) hki_border_add(&s->border, &U, &V);
    for (int32_t i = 0; U && i < path->n; i++) U[path->dof[i]] = -fu[i];
    for (int32_t j = 0; j < in->nsup; j++) {
      const int32_t at = in->sup[j];
      if (at == alone)
        s->num.val[in->slot[j]] += -fu[0] * (cK * dq[at] + cC * dv[at]);
      else if (V)
        V[at] = cK * dq[at] + cC * dv[at];
    }
  }
  if (s->m->nx) network_terms(s, cC, cK);
  if (s->nacross) across_terms(s, cC, cK);
  if (s->m->nnormal) hki_tree_normal_terms(s);
}

/* num.val += fz' (cK ks + cC cs) fz of four forces at once, of one */
static void add_pulls(hk_tree *s, const hk_pulls4 *q, double cC, double cK) {
  const int32_t *slot[4];
  double coef[4];
  for (int c = 0; c < 4; c++) {
    slot[c] = s->slot_frc + s->slot_frc0[q->at.closure[c]];
    coef[c] = cK * q->ks[c] + cC * q->cs[c];
  }
  s->kin.pulls_passes->squares(q, s->kin.fz + q->at.g, coef, slot, s->num.val);
}

static void add_force(hk_tree *s, int32_t f, double cC, double cK) {
  const hk_force_row *row = &s->kin.row[f];
  const double *g = s->kin.fz + row->z0;
  const int32_t n = s->m->forces[f].path.n, *slot = s->slot_frc + s->slot_frc0[f];
  if (row->rank == 1) {
    double coef = cK * row->ks[0] + cC * row->cs[0];
    if (coef != 0.0) add_squares(s->num.val, slot, n, g, 1, &coef);
    return;
  }
  for (int32_t a = 0; a < row->rank; a++)
    for (int32_t b = 0; b < row->rank; b++) {
      double coef = cK * row->ks[6 * a + b] + cC * row->cs[6 * a + b];
      if (coef == 0.0) continue;
      if (a == b)
        add_squares(s->num.val, slot, n, g + a * n, 1, &coef);
      else
        add_outer(s->num.val, slot, n, g + a * n, g + b * n, coef);
    }
}

void hki_tree_add_forces(hk_tree *s, double cC, double cK) {
  const hk_kin *k = &s->kin;
  if (hki_deep_closes(s)) {
    hki_deep_add_forces(s, cC, cK);
    return;
  }
  HK_ASSERT(s->ldl);
  HK_KNOWN(k, HK_KIN_TANGENTS);
  for (int32_t i = 0; i < k->npulls; i++) add_pulls(s, &k->pulls[i], cC, cK);
  for (int32_t i = 0; i < k->nalone; i++) add_force(s, k->alone[i], cC, cK);
  if (s->m->nwide) hki_tree_add_wide(s, cC, cK);
  if (s->ninput || s->border.most) hki_tree_border_terms(s, cC, cK);
}

/* num.val += c Phi_z' alpha Phi_z of four closures at once, of one; s->row: c alpha */
static void add_four(hk_tree *s, const hk_rows4 *q) {
  const int32_t *slot[4];
  for (int c = 0; c < 4; c++) slot[c] = s->slot_clo + s->slot_clo0[q->closure[c]];
  s->kin.rows4_passes->squares(q, s->kin.gz + q->g, s->row, slot, s->num.val);
}

static void add_closure(hk_tree *s, int32_t ci) {
  const hk_closure *cl = &s->m->closures[ci];
  const double *gz = s->kin.gz + s->kin.gz0[ci], *coef = s->row + cl->row0;
  const int32_t n = cl->path.n, *slot = s->slot_clo + s->slot_clo0[ci];
  int32_t i = 0;
  if (s->kin.disc.active[ci] == 0.0) return;
  for (; i + 3 <= cl->nrows; i += 3) add_squares(s->num.val, slot, n, gz + i * n, 3, coef + i);
  if (cl->nrows - i == 2) add_squares(s->num.val, slot, n, gz + i * n, 2, coef + i);
  if (cl->nrows - i == 1) add_squares(s->num.val, slot, n, gz + i * n, 1, coef + i);
}

void hki_tree_add_closures(hk_tree *s, double c) {
  if (hki_deep_closes(s)) {
    hki_deep_add_closures(s, c);
    return;
  }
  HK_ASSERT(s->ldl);
  HK_KNOWN(&s->kin, HK_KIN_CLOSURES);
  memcpy(s->gz, s->kin.gz, (size_t)s->kin.gz0[s->m->nc] * sizeof *s->gz);
  for (int32_t r = 0; r < s->m->nrows; r++) s->row[r] = c * s->alpha[r];
  for (int32_t i = 0; i < s->kin.ncturn; i++) {
    const hk_turn t = hki_turn(&s->kin, i);
    if (t.all) add_four(s, t.all);
    for (int32_t k = 0; k < t.n; k++) add_closure(s, t.one[k]);
  }
}

hk_status hki_tree_factor(hk_tree *s) {
  if (hki_deep_closes(s)) return hki_deep_factor_loops(s);
  HK_ASSERT(s->ldl);
  return hki_ldl_factor(s->ldl, &s->num, s->num.val);
}

void hki_tree_solve(hk_tree *s, double *x) {
  if (hki_deep_closes(s))
    hki_deep_solve_loops(s, x);
  else
    hki_ldl_solve(s->ldl, &s->num, x);
}

static void solve_matrix(void *with, double *x) { hki_tree_solve(with, x); }

hk_status hki_tree_factor_stage(hk_tree *s) {
  hk_status st = hki_tree_factor(s);
  return st == HK_OK ? hki_border_factor(&s->border, solve_matrix, s) : st;
}

void hki_tree_solve_stage(hk_tree *s, double *x) {
  if (s->deep) {
    hki_deep_solve(s, x);
    return;
  }
  hki_ldl_solve(s->ldl, &s->num, x);
  hki_border_apply(&s->border, x);
}

/* one pass of a projection: x -= c T^-1 G' alpha row; row is overwritten */
static void project_once(hk_tree *s, double c, double *restrict row, double *restrict x) {
  const hk_model *m = s->m;
  const double *alpha = s->alpha;
  double *restrict y = s->x;
  for (int32_t i = 0; i < m->nrows; i++) row[i] *= -c * alpha[i];
  for (int32_t i = 0; i < m->nv; i++) y[i] = 0.0;
  hki_tree_add_factored(s, row, y);
  hki_tree_solve(s, y);
  for (int32_t i = 0; i < m->nv; i++) x[i] += y[i];
}

/* far: HK_SLOW_FAR, or INFINITY for jumps; 0: HK_SLOW_FAR in a step of Newton's method on positions, where rows that passes do close,
 * each a part, wait for the next step: to close them here may lead far along a direction that is singular (Bricard) */
static double project(hk_tree *s, double c, const double *b, double small, double far, double *x) {
  const double size = hki_tree_largest(s->m->nv, x, s->unscale),
               enough = fmax(HK_TREE_CLOSED * (1.0 + size), small * size);
  double left = 0.0, before = INFINITY, *restrict row = s->row;
  bool slow = false;
  for (int pass = 0; pass < HK_SLOW_PASSES; pass++) {
    hki_tree_rows(s, x, row);
    for (int32_t i = 0; b && i < s->m->nrows; i++) row[i] += b[i];
    left = hki_tree_row_norm(s, row);
    const double most = far > 0.0 ? far : HK_SLOW_FAR;
    if (!hki_slow_goes_on(pass, left, before, size, enough, most, &slow)) break;
    if (slow && far == 0.0 && left <= 0.5 * before) break;
    before = left;
    if (slow)
      (void)hki_tree_close_slow(s, c, 0.0, row, x); // the next pass sees what is left
    else
      project_once(s, c, row, x);
  }
  return left;
}

double hki_tree_project(hk_tree *s, double c, const double *b, double small, double *x) {
  return project(s, c, b, small, HK_SLOW_FAR, x);
}

static void project_rates(hk_tree *s, double c, double small, double far, double *v) {
  double before = INFINITY;
  for (int pass = 0; pass < 30; pass++) {
    project(s, c, s->kin.phit, small, far, v);
    hki_kin_closures_at(&s->kin, v);
    if (!s->m->ncurved) return;
    hki_tree_rows(s, v, s->row);
    for (int32_t i = 0; i < s->m->nrows; i++) s->row[i] += s->kin.phit[i];
    const double left = hki_tree_row_norm(s, s->row);
    if (!(left > 1e-14) || (left < 1e-9 && left > 0.5 * before)) return;
    before = left;
  }
}

void hki_tree_project_rates(hk_tree *s, double c, double small, double *v) {
  project_rates(s, c, small, HK_SLOW_FAR, v);
}

/* penalties of projections, times the inertia: each pass leaves a millionth of the rows */
static const double kappa_project = 1e6;

/* after hki_tree_matrix and hki_tree_reach */
static hk_status factor_mass(hk_tree *s, double kappa) {
  hki_tree_mass(s);
  if (s->nM) memcpy(s->M, s->num.val, (size_t)s->nM * sizeof *s->M);
  hki_tree_penalty_reached(s, kappa, 1.0);
  hki_tree_add_closures(s, 1.0);
  return hki_tree_factor(s);
}

hk_status hki_tree_factor_mass(hk_tree *s, double kappa) {
  hk_status st = hki_tree_matrix(s);
  if (st != HK_OK) return st;
  hki_tree_reach(s);
  return factor_mass(s, kappa);
}

hk_status hki_tree_project_velocity(hk_tree *s, double t, const double *q, double *v) {
  hki_tree_state(s, t, q, v, 0);
  hk_status st = hki_tree_factor_mass(s, kappa_project);
  if (st != HK_OK) return st;
  if (s->m->ncurved)
    project_rates(s, 1.0, HK_TREE_CLOSED, INFINITY, v);
  else
    project(s, 1.0, s->kin.phit, HK_TREE_CLOSED, INFINITY, v);
  return HK_OK;
}

/* Passes over the rows of impulses: at most so many, so many before they have to halve what is open. */
enum { IMPULSE_PASSES = 12, IMPULSE_FREE = 2 };

/* After `pass` passes that left s->row, the rows of velocities x, open by `left`, and by `before` a pass earlier: do they end? Rows that
 * nearly depend on each other are closed then, *slow, by the impulses s->slow.z. */
static bool impulses_end(hk_tree *s, int pass, double left, double before, double *x, bool *slow) {
  const double size = hki_tree_largest(s->m->nv, x, s->unscale);
  if (pass < IMPULSE_PASSES && (pass <= IMPULSE_FREE || left <= 0.5 * before)) return false;
  *slow = HK_CLOSES_SLOW && hki_tree_is_slow(left, size);
  if (*slow) (void)hki_tree_close_slow(s, 1.0, 0.0, s->row, x);
  return true;
}

/* x += T^-1 G' alpha row, with the sign of an impulse that closes the rows; s->row is overwritten */
static void close_once(hk_tree *s, double *x) {
  for (int32_t i = 0; i < s->m->nrows; i++) s->row[i] *= -s->alpha[i];
  memset(s->x, 0, (size_t)s->m->nv * sizeof *s->x);
  hki_tree_add_rows(s, s->row, s->x);
  hki_tree_solve(s, s->x);
  for (int32_t i = 0; i < s->m->nv; i++) x[i] += s->x[i];
}

hk_status hki_tree_impact(hk_tree *s, double t, const double *q, double *v, double *p) {
  const hk_model *m = s->m;
  double before = INFINITY;
  bool slow = false;
  hki_tree_state(s, t, q, v, 0);
  hk_status st = hki_tree_factor_mass(s, kappa_project);
  if (st != HK_OK) return st;
  for (int32_t i = 0; i < m->nrows; i++) p[i] = 0.0;
  for (int pass = 0;; pass++) {
    if (pass && m->ncurved) hki_kin_closures_at(&s->kin, v);
    hki_tree_rows(s, v, s->row);
    for (int32_t i = 0; i < m->nrows; i++) s->row[i] += s->kin.phit[i];
    // (M + Phi_z' alpha Phi_z) dv = -Phi_z' alpha r   gives   M dv + Phi_z' alpha (r + Phi_z dv) = 0
    const double left = hki_tree_row_norm(s, s->row);
    for (int32_t i = 0; pass && i < m->nrows; i++) p[i] += s->alpha[i] * s->row[i];
    if (impulses_end(s, pass, left, before, v, &slow)) break;
    before = left;
    close_once(s, v);
  }
  for (int32_t i = 0; slow && i < m->nrows; i++) p[i] += s->slow.z[i];
  return HK_OK;
}

void hki_tree_respond(hk_tree *s, double *x) {
  double before = INFINITY;
  bool slow = false;
  hki_tree_solve(s, x);
  for (int pass = 0; s->m->nc; pass++) {
    hki_tree_rows(s, x, s->row);
    const double left = hki_tree_row_norm(s, s->row);
    if (!(left > 0.0) || impulses_end(s, pass, left, before, x, &slow)) return;
    before = left;
    close_once(s, x);
  }
}

/* largest scaled row with which a projection counts as closed */
static const double open_loop = 1e-9;

/* Passes with new rows. Programs that are made of this step have them one after the other: what few do not close is
 * theirs to refuse. */
#ifdef HK_FOLLOWED
enum { PASSES = 4 };
#else
enum { PASSES = 20 };
#endif

/* Are the rates v closed already? kin is at them. */
static bool rates_hold(hk_tree *s, const double *v) {
  const double size = hki_tree_largest(s->m->nv, v, s->unscale);
  if (s->m->ncurved) return false;
  hki_tree_rows(s, v, s->row);
  for (int32_t i = 0; i < s->m->nrows; i++) s->row[i] += s->kin.phit[i];
  return hki_tree_row_norm(s, s->row) <= HK_TREE_CLOSED * (1.0 + size);
}

/* Moves q to where the rows are closed; kin is left there. HK_RETRY: they do not close. */
static hk_status close_rows(hk_tree *s, double t, double *q, const double *v) {
  const hk_model *m = s->m;
  double before = INFINITY, left = INFINITY;
  hk_status st = HK_OK;
  for (int pass = 0; st == HK_OK && pass < PASSES; pass++) {
    hki_kin_state(&s->kin, t, q, v);
    if (m->spec->nsignals) hki_kin_signals(&s->kin, false);
    if (!hki_kin_knows(&s->kin, HK_KIN_CLOSURES)) hki_kin_closures(&s->kin);
    hki_tree_reach(s);
    left = hki_tree_row_norm(s, s->kin.phi);
    if (!isfinite(left)) return HK_RETRY;
    if (left <= 1e-13 || (left < 1e-9 && left > 0.5 * before)) break;
    before = left;
    if ((st = factor_mass(s, kappa_project)) != HK_OK) return st;
    memset(s->y, 0, (size_t)m->nv * sizeof *s->y);
    project(s, 1.0, s->kin.phi, HK_TREE_CLOSED, 0.0, s->y);
    hki_tree_plus(m, q, s->y, q);
  }
  return left < open_loop ? HK_OK : HK_RETRY;
}

hk_status hki_tree_project_state(hk_tree *s, double t, double *q, double *v) {
  hk_status st = hki_tree_matrix(s);
  if (st == HK_OK) st = close_rows(s, t, q, v);
  if (st != HK_OK || rates_hold(s, v)) return st;
  st = factor_mass(s, kappa_project);
  if (st == HK_OK) hki_tree_project_rates(s, 1.0, HK_TREE_CLOSED, v);
  return st;
}

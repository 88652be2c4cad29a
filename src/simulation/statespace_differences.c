/* SPDX-License-Identifier: Apache-2.0
 *
 * statespace_differences.c: the matrices of the linear equations (statespace.h) by differences of the
 * formulation's own accelerations, of order six:
 *
 *   f' = sum_k c_k (f(k h) - f(-k h)) / h,   k = 1, 2, 3,   c = 3/4, -3/20, 1/60
 *
 * A change of one state is made along its motion (hk_statespace_free) and then put onto the constraints,
 * which changes the other states too, to second order and velocities to first. So each change is
 * measured as well: with the columns Y of the states' slopes and F of their rates' slopes,
 *
 *   A = F Y^-1,   C = (slopes of the outputs) Y^-1
 *
 * h is long enough for round-off, which is divided by it, to stay below the tenth digit. Corners of laws
 * are found by comparing the slopes to both sides.
 */
#include "linalg/dense.h"
#include "simulation/statespace_differences.h"

enum { POINTS = 3 };
static const double weight[POINTS] = {3.0 / 4.0, -3.0 / 20.0, 1.0 / 60.0};
/* h for coordinates and velocities of a mechanism one unit large; for unknowns against their size */
static const double step = 1e-3, step_unknown = 1e-3;

/* --- one state ------------------------------------------------------------------------------------ */

/* puts the formulation at (q, v) of the tree and evaluates its accelerations: s->at, s->vt */
static hk_status evaluate(hk_differences *d) {
  hk_sim *s = d->s;
  hk_status st = s->f->ops->from_tree(s->f, d->q, d->v, s->I.q, s->I.v);
  if (st == HK_OK) st = s->f->ops->accel(s->f, s->I.t, s->I.q, s->I.v, s->I.a);
  if (st != HK_OK) return st < 0 ? st : HK_E_NUMBER;
  hki_sim_refresh(s);
  return HK_OK;
}

/* carry: omega0 x xi of increments of quaternions, 0 elsewhere */
static void find_carry(hk_differences *d) {
  const uint8_t *quat = d->s->tree->quat;
  memset(d->carry, 0, (size_t)d->l->m->nv * sizeof *d->carry);
  for (int32_t i = 0; i < d->l->m->nv; i++) {
    if (!quat[i]) continue;
    v3_cross(d->carry + i, d->v0 + i, d->xi + i);
    i += 2;
  }
}

/* y, f: states and rates at the state that was evaluated; g: outputs */
static hk_status measure(hk_differences *d) {
  const hk_statespace *l = d->l;
  const hk_sim *s = d->s;
  hki_tree_minus(l->m, s->qt, d->q0, d->xi);
  find_carry(d);
  for (int32_t i = 0; i < l->n; i++) {
    const int32_t p = l->place[i];
    const bool position = i < l->np;
    d->y[i] = d->sign[p] * (position ? d->xi[p] : s->vt[p] - d->v0[p]);
    d->f[i] = d->sign[p] * (position ? s->vt[p] - d->v0[p] - d->carry[p] : s->at[p] - d->a0[p]);
    if (!isfinite(d->y[i]) || !isfinite(d->f[i])) return HK_E_NUMBER;
  }
  // energies are those of the audit, which otherwise follows steps
  if (l->ny) hki_sim_audit_measure(d->s);
  return l->ny ? hki_sim_values(d->s, l->ny, d->outputs, d->g) : HK_OK;
}

hk_status hki_differences_change(hk_differences *d, int32_t j, double h) {
  const hk_statespace *l = d->l;
  const size_t nv = (size_t)l->m->nv;
  memcpy(d->q, d->q0, (size_t)l->m->nq * sizeof *d->q);
  memcpy(d->v, d->v0, (size_t)d->ns * sizeof *d->v);
  if (j < l->np) {
    const double *T = d->free->Tp + (size_t)j * nv;
    for (size_t i = 0; i < nv; i++) d->xi[i] = h * T[i];
    hki_tree_plus(l->m, d->q0, d->xi, d->q);
  } else if (j < l->np + l->nr) {
    const double *T = d->free->Tv + (size_t)(j - l->np) * nv;
    for (size_t i = 0; i < nv; i++) d->v[i] += h * T[i];
  } else {
    d->v[l->place[j]] += h;
    return HK_OK;
  }
  if (!l->m->nc) return HK_OK;
  hk_status st = hki_tree_project_state(d->s->tree, d->s->I.t, d->q, d->v);
  return st <= 0 ? st : HK_E_NUMBER;
}

/* --- slopes --------------------------------------------------------------------------------------- */

/* Where a law has a corner the slopes to both sides differ, by 2 k / h for rates that are
 *   f(h) + f(-h) = 2 k h + s h^2,  so that  2 k h = (4 (f(h) + f(-h)) - (f(2 h) + f(-2 h))) / 2
 * against the change of the rates themselves. */
static void compare_sides(hk_differences *d, int32_t j) {
  hk_statespace *l = d->l;
  double apart = 0.0, size = 0.0;
  for (int32_t i = 0; i < l->n; i++) {
    const double near = d->side[0][i] + d->side[1][i], far = d->side[2][i] + d->side[3][i];
    apart = fmax(apart, fabs(4.0 * near - far) / 2.0);
    size = fmax(size, fmax(fabs(d->side[0][i]), fabs(d->side[1][i])));
  }
  d->apart[j] = apart, d->size[j] = size;
}

/* the largest of these differences; changes far below those of other states are round-off */
static void find_corners(const hk_differences *d) {
  hk_statespace *l = d->l;
  double most = 0.0;
  for (int32_t j = 0; j < l->n; j++) most = fmax(most, d->size[j]);
  for (int32_t j = 0; j < l->n; j++) {
    const double r = d->apart[j] / fmax(d->size[j], 1e-5 * most);
    if (r > l->roughness) l->roughness = r, l->rough = j;
  }
}

/* adds c times the state just measured to column j of the slopes */
static void add(hk_differences *d, int32_t j, double c) {
  const int32_t n = d->l->n, ny = d->l->ny;
  const size_t at = (size_t)j * (size_t)n;
  for (int32_t i = 0; i < n; i++) d->Y[at + (size_t)i] += c * d->y[i];
  for (int32_t i = 0; i < n; i++) d->F[at + (size_t)i] += c * d->f[i];
  for (int32_t i = 0; i < ny; i++) d->Gy[(size_t)j * (size_t)ny + (size_t)i] += c * d->g[i];
}

double hki_differences_step(const hk_differences *d, int32_t j) {
  const hk_statespace *l = d->l;
  const int32_t p = l->place[j];
  if (j < l->np + l->nr) return step * d->s->tree->scale[p];
  const int32_t x = p - l->m->nv;
  const double unit = x < l->m->nx ? l->m->unknowns[x].scale : 1e-3;
  return step_unknown * fmax(unit, fabs(d->v0[p]));
}

static hk_status column(hk_differences *d, int32_t j) {
  const double h = hki_differences_step(d, j);
  for (int32_t k = 1; k <= POINTS; k++)
    for (int32_t side = 0; side < 2; side++) {
      const double sign = side ? -1.0 : 1.0;
      hk_status st = hki_differences_change(d, j, sign * k * h);
      if (st == HK_OK) st = evaluate(d);
      if (st == HK_OK) st = measure(d);
      if (st != HK_OK) return st;
      add(d, j, sign * weight[k - 1] / h);
      if (k < 3) memcpy(d->side[2 * (k - 1) + side], d->f, (size_t)d->l->n * sizeof *d->f);
    }
  compare_sides(d, j);
  return HK_OK;
}

/* Has an input moved the rows of a prescribed position or rate, and with them the state that was measured? */
static bool moves_rows(const hk_differences *d) {
  const hk_kin *k = d->s->kin;
  const hk_model *m = d->l->m;
  for (int32_t i = 0; i < m->nrows; i++)
    if (fabs(k->phi[i] - d->phi0[i]) > 1e-9 || fabs(k->phit[i] - d->phi0[m->nrows + i]) > 1e-9)
      return true;
  for (int32_t i = 0; d->s->has_drives && i < m->nv; i++)
    if (fabs(d->xi[i]) > 1e-9) return true;
  return false;
}

/* q, v: the state with an input that has just been set, on the constraints: motions may follow it */
static hk_status follow_input(hk_differences *d) {
  hk_tree *tree = d->s->tree;
  memcpy(d->q, d->q0, (size_t)d->l->m->nq * sizeof *d->q);
  memcpy(d->v, d->v0, (size_t)d->ns * sizeof *d->v);
  if (!d->s->has_drives) return HK_OK;
  hki_kin_forget(&tree->kin,
                 HK_KIN_SIGNALS | HK_KIN_EVERY_SIGNAL | HK_KIN_OF_FORCES | HK_KIN_OF_CLOSURES);
  hk_status st = hki_tree_project_state(tree, d->s->I.t, d->q, d->v);
  return st <= 0 ? st : HK_E_NUMBER;
}

/* One column of B and D: the rates' and outputs' slopes by an input. Where motions follow it the states
 * change too, dy/du: what A and C make of that does not belong to B and D. */
static hk_status input(hk_differences *d, int32_t column) {
  hk_statespace *l = d->l;
  const int32_t u = l->inputs[column];
  const double before = hk_sim_input_get(d->s, u), h = step * fmax(1.0, fabs(before));
  for (int32_t k = 1; k <= POINTS; k++)
    for (int32_t side = 0; side < 2; side++) {
      const double c = (side ? -1.0 : 1.0) * weight[k - 1] / h;
      hk_status st = hki_sim_input_put(d->s, u, before + (side ? -k : k) * h);
      if (st == HK_OK) st = follow_input(d);
      if (st == HK_OK) st = evaluate(d);
      if (st == HK_OK) st = measure(d);
      if (st != HK_OK) return st;
      if (moves_rows(d)) l->driver = u;
      for (int32_t i = 0; i < l->n; i++) l->B[i + column * l->n] += c * d->f[i];
      for (int32_t i = 0; i < l->ny; i++) l->D[i + column * l->ny] += c * d->g[i];
      for (int32_t i = 0; i < l->n; i++) d->Yu[i + column * l->n] += c * d->y[i];
      for (int32_t i = 0; i < l->m->nv; i++) l->follow[i + column * l->m->nv] += c * d->xi[i];
    }
  return hki_sim_input_put(d->s, u, before);
}

/* B -= A dy/du, D -= C dy/du, and the motions of coordinates likewise */
static void without_states(const hk_differences *d) {
  hk_statespace *l = d->l;
  const int32_t nv = l->m->nv;
  for (int32_t u = 0; d->s->has_drives && u < l->nu; u++)
    for (int32_t j = 0; j < l->np; j++) {
      const double y = d->sign[l->place[j]] * d->Yu[j + u * l->n];
      for (int32_t i = 0; i < nv; i++) l->follow[i + u * nv] -= d->free->Tp[i + j * nv] * y;
    }
  for (int32_t u = 0; d->s->has_drives && u < l->nu; u++)
    for (int32_t j = 0; j < l->n; j++) {
      const double y = d->Yu[j + u * l->n];
      for (int32_t i = 0; i < l->n; i++) l->B[i + u * l->n] -= l->A[i + j * l->n] * y;
      for (int32_t i = 0; i < l->ny; i++) l->D[i + u * l->ny] -= l->C[i + j * l->ny] * y;
    }
}

/* rows of X solve Y' x = row of F */
hk_status hki_differences_divide(hk_statespace *l, int32_t rows, const double *F, const double *Y,
                                 double *X) {
  const int32_t n = l->n, ld = hki_dense_ld(n);
  double *B = hki_pool_alloc(l->pool, ((size_t)ld * (size_t)n + 8 * (size_t)ld + 64) * sizeof *B);
  int32_t *pivot = hki_pool_alloc(l->pool, (size_t)(n + 1) * sizeof *pivot);
  if (!B || !pivot) return HK_E_MEMORY;
  double *inv = B + (size_t)ld * (size_t)n, *x = inv + ld, *work = x + ld;
  for (int32_t j = 0; j < n; j++)
    for (int32_t i = 0; i < n; i++) B[i + j * ld] = Y[j + i * n];
  hk_status st = n ? hki_dense_lu_factor(n, B, ld, pivot, inv, work, NULL) : HK_OK;
  for (int32_t r = 0; st == HK_OK && r < rows; r++) {
    for (int32_t i = 0; i < n; i++) x[i] = F[r + i * rows];
    hki_dense_lu_solve(n, B, ld, pivot, inv, x, work);
    for (int32_t i = 0; i < n; i++) X[r + i * rows] = x[i];
  }
  return st;
}

/* --- all of it ------------------------------------------------------------------------------------ */

static bool allocate(hk_differences *d) {
  hk_statespace *l = d->l;
  const hk_model *m = l->m;
  const size_t n = (size_t)l->n, ny = (size_t)l->ny, nu = (size_t)l->nu, nq = (size_t)m->nq,
               ns = (size_t)d->ns;
  struct {
    double **at;
    size_t n;
  } part[] = {{&d->q0, nq},
              {&d->v0, ns},
              {&d->a0, ns},
              {&d->q, nq},
              {&d->v, ns},
              {&d->xi, ns},
              {&d->carry, ns},
              {&d->y, n},
              {&d->f, n},
              {&d->g, ny},
              {&d->Y, n * n},
              {&d->F, n * n},
              {&d->Gy, ny * n},
              {&d->apart, n},
              {&d->size, n},
              {&d->side[0], n},
              {&d->side[1], n},
              {&d->side[2], n},
              {&d->side[3], n},
              {&l->A, n * n},
              {&l->B, n * nu},
              {&l->C, ny * n},
              {&l->D, ny * nu},
              {&d->Yu, n * nu},
              {&d->phi0, 2 * (size_t)m->nrows},
              {&l->follow, (size_t)m->nv * nu}};
  for (int32_t i = 0; i < HK_ARRAY_LEN(part); i++)
    if (!(*part[i].at = hki_pool_alloc(l->pool, (part[i].n + 4) * sizeof(double)))) return false;
  return true;
}

/* the largest acceleration among the states */
static void look(hk_differences *d) {
  hk_statespace *l = d->l;
  for (int32_t i = l->np; i < l->np + l->nr; i++) {
    const double a = fabs(d->a0[l->place[i]]);
    if (a > l->acceleration) l->acceleration = a, l->accelerated = i;
  }
}

hk_status hki_statespace_differences(hk_statespace *l, hk_sim *s, const hk_statespace_free *free,
                                     const double *sign, const int32_t *outputs) {
  const hk_model *m = l->m;
  hk_differences d = {.l = l, .s = s, .free = free, .sign = sign, .outputs = outputs};
  d.ns = m->nv + m->nx + m->nz;
  if (!allocate(&d)) return HK_E_MEMORY;
  memcpy(d.q0, s->qt, (size_t)m->nq * sizeof *d.q0);
  memcpy(d.v0, s->vt, (size_t)d.ns * sizeof *d.v0);
  memcpy(d.q, d.q0, (size_t)m->nq * sizeof *d.q);
  memcpy(d.v, d.v0, (size_t)d.ns * sizeof *d.v);
  hk_status st = m->nc ? hki_tree_matrix(s->tree) : HK_OK;
  if (st == HK_OK) st = evaluate(&d);
  if (st != HK_OK) return st;
  memcpy(d.a0, s->at, (size_t)d.ns * sizeof *d.a0);
  memcpy(d.phi0, s->kin->phi, (size_t)m->nrows * sizeof *d.phi0);
  memcpy(d.phi0 + m->nrows, s->kin->phit, (size_t)m->nrows * sizeof *d.phi0);
  look(&d);
  l->accelerations = d.a0;
  for (int32_t j = 0; st == HK_OK && j < l->n; j++) {
    if (hki_stopped(l->ctx)) return HK_INTERRUPTED;
    const bool velocity = j >= l->np && j < l->np + l->nr;
    if (l->still && velocity)
      d.Y[j + j * l->n] = 1.0;
    else
      st = column(&d, j);
  }
  if (st == HK_OK) find_corners(&d);
  for (int32_t u = 0; st == HK_OK && u < l->nu; u++) st = input(&d, u);
  if (st == HK_OK) st = hki_differences_divide(l, l->n, d.F, d.Y, l->A);
  if (st == HK_OK) st = hki_differences_divide(l, l->ny, d.Gy, d.Y, l->C);
  if (st == HK_OK) without_states(&d);
  return st;
}

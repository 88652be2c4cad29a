/* SPDX-License-Identifier: Apache-2.0
 *
 * inverse_balance.c: forces of actuators for accelerations that are known.
 *
 *   M a - Q = B tau - G' lam            G: rows of joints that close loops, without prescribed motions
 *   P (M a - Q) = P B tau               P: projection onto the directions that these rows leave free
 *
 * B has as columns the gradients of the actuators' coordinates, and of inputs the derivatives of the generalised
 * forces, which must not depend on the input itself. With a cost c for each actuator, y = c tau is the smallest
 * solution in the sense of least squares, by singular values:
 *
 *   c = w                torque
 *   c = w / largest      activation; the largest value that the range allows, with either sign
 *   c = w |B' v|         energy: power per value; of an actuator at rest a small part of the others'
 *
 * and within ranges by dense_bounded.c. (Masarati, Morandini and Mantegazza, An Efficient Formulation for
 * General-Purpose Multibody/Multiphysics Analysis, 2014, eq. 27, has the case of as many actuators as freedoms.)
 */
#include "simulation/inverse.h"

#include "linalg/dense.h"

/* rows and coordinates that count as dependent */
static const double dependent = 1e-10;

/* --- loops ------------------------------------------------------------------------------------ */

/* x less its part along the n orthonormal rows of Q, twice for round-off */
static void clear(const double *Q, int32_t n, int32_t nv, double *x) {
  for (int pass = 0; pass < 2; pass++)
    for (int32_t k = 0; k < n; k++) {
      const double *q = Q + (size_t)k * (size_t)nv;
      double c = 0.0;
      for (int32_t i = 0; i < nv; i++) c += q[i] * x[i];
      for (int32_t i = 0; i < nv; i++) x[i] -= c * q[i];
    }
}

static double norm(const double *x, int32_t n) {
  double sum = 0.0;
  for (int32_t i = 0; i < n; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

/* Q: behind its first n rows, orthonormal ones of the loops' constraints, or of prescribed motions, in units of the
 * coordinates; returns their number */
static int32_t add_rows(hk_inverse *a, int32_t n, bool motions) {
  const hk_kin *k = &a->s->tree->kin;
  const hk_model *m = k->m;
  const double *unit = a->s->tree->scale;
  for (int32_t c = 0; c < m->nc; c++) {
    const hk_closure *cl = &m->closures[c];
    for (int32_t r = 0; k->disc.active[c] != 0.0 && r < cl->nrows; r++) {
      if ((cl->row_signal[r] != HK_NONE) != motions) continue;
      double *q = a->Q + (size_t)n * (size_t)m->nv;
      const double *g = k->gz + k->gz0[c] + (size_t)r * (size_t)cl->path.n;
      memset(q, 0, (size_t)m->nv * sizeof *q);
      for (int32_t j = 0; j < cl->path.n; j++) q[cl->path.dof[j]] = g[j] * unit[cl->path.dof[j]];
      const double before = norm(q, m->nv);
      clear(a->Q, n, m->nv, q);
      const double after = norm(q, m->nv);
      if (!(after > dependent * before)) continue;
      for (int32_t i = 0; i < m->nv; i++) q[i] /= after;
      n++;
    }
  }
  return n;
}

/* --- columns ---------------------------------------------------------------------------------- */

/* the input of an actuator has this value from now on */
static void set_input(hk_inverse *a, const hk_inverse_actuator *act, double t, double value) {
  hk_kin *k = &a->s->tree->kin;
  hki_memory_input(a->s->m->spec->signals[act->signal].memory,
                   k->disc.mem + k->sig_mem[act->signal], t, value, true);
}

/* forces of the model at the state that the tree is at, with inputs that have been set */
static void forces(hk_inverse *a, double t, const double *q, const double *v, const double *acc,
                   double *r) {
  hki_kin_forget(&a->s->tree->kin,
                 HK_KIN_SIGNALS | HK_KIN_EVERY_SIGNAL | HK_KIN_OF_FORCES | HK_KIN_OF_CLOSURES);
  hki_tree_state(a->s->tree, t, q, v, 0);
  hki_tree_residual(a->s->tree, acc, r);
}

/* copies what the inputs remember, there or back; true: there are any */
static bool keep_inputs(hk_inverse *a, bool back) {
  const hk_kin *k = &a->s->tree->kin;
  bool any = false;
  for (int32_t i = 0; i < a->n; i++) {
    const hk_inverse_actuator *act = &a->act[i];
    if (act->signal == HK_NONE) continue;
    double *mem = k->disc.mem + k->sig_mem[act->signal];
    const size_t size =
        (size_t)hki_memory_size(a->s->m->spec->signals[act->signal].memory) * sizeof *mem;
    memcpy(back ? mem : act->kept, back ? act->kept : mem, size);
    any = true;
  }
  return any;
}

/* b = -(d r / d input), from r with all of them at zero; false: it depends on the input */
static bool input_column(hk_inverse *a, const hk_inverse_actuator *act, double t, const double *q,
                         const double *v, const double *acc, double *b) {
  const int32_t nv = a->s->m->nv;
  const double far = isfinite(act->range[1]) && act->range[1] != 0.0   ? act->range[1]
                     : isfinite(act->range[0]) && act->range[0] != 0.0 ? act->range[0]
                                                                       : 1.0;
  double bend = 0.0, size = 0.0, all = 0.0;
  set_input(a, act, t, 0.5 * far);
  forces(a, t, q, v, acc, a->probe);
  for (int32_t i = 0; i < nv; i++) b[i] = (a->r[i] - a->probe[i]) / (0.5 * far);
  set_input(a, act, t, far);
  forces(a, t, q, v, acc, a->probe);
  set_input(a, act, t, 0.0);
  for (int32_t i = 0; i < nv; i++) {
    const double slope = (a->r[i] - a->probe[i]) / far;
    bend = fmax(bend, fabs(slope - b[i])), size = fmax(size, fabs(slope));
    all = fmax(all, fabs(a->r[i]) + fabs(a->probe[i]));
    b[i] = slope;
  }
  return bend <= 1e-6 * size + 1e-11 * all / fabs(far);
}

/* r and B at the state, unscaled; where inputs are tried the model is left at the inputs' own values */
static hk_status fill_columns(hk_inverse *a, double t, const double *q, const double *v,
                              const double *acc) {
  const int32_t nv = a->s->m->nv;
  const bool inputs = keep_inputs(a, false);
  hk_status st = HK_OK;
  for (int32_t k = 0; k < a->n; k++)
    if (a->act[k].signal != HK_NONE) set_input(a, &a->act[k], t, 0.0);
  forces(a, t, q, v, acc, a->r);
  memset(a->B, 0, (size_t)nv * (size_t)a->n * sizeof *a->B);
  for (int32_t k = 0; k < a->n && st == HK_OK; k++) {
    double *b = a->B + (size_t)k * (size_t)nv;
    hk_named *row = a->act[k].row;
    if (row) {
      hki_named_eval(&a->s->tree->kin, row);
      for (int32_t j = 0; j < row->path.n; j++) b[row->path.dof[j]] += row->g[j];
    } else if (!input_column(a, &a->act[k], t, q, v, acc, b)) {
      st = hki_error(a->s->ctx, HK_E_MODEL, a->s->m->spec->signals[a->act[k].signal].loc,
                     "let forces be proportional to it",
                     "actuator '%s' at %g s: the forces do not depend on it linearly",
                     a->act[k].name, t);
    }
  }
  if (inputs) {
    (void)keep_inputs(a, true);
    hki_kin_forget(&a->s->tree->kin,
                   HK_KIN_SIGNALS | HK_KIN_EVERY_SIGNAL | HK_KIN_OF_FORCES | HK_KIN_OF_CLOSURES);
    hki_tree_state(a->s->tree, t, q, v, 0);
  }
  return st;
}

/* what a value of each actuator costs */
static void fill_scale(hk_inverse *a, const double *v) {
  const int32_t nv = a->s->m->nv;
  double most = 0.0;
  for (int32_t k = 0; k < a->n; k++) {
    const hk_inverse_actuator *act = &a->act[k];
    a->scale[k] = 1.0;
    if (a->least == HK_LEAST_ACTIVATION)
      a->scale[k] = 1.0 / fmax(fabs(act->range[0]), fabs(act->range[1]));
    if (a->least != HK_LEAST_ENERGY) continue;
    double rate = 0.0;
    for (int32_t i = 0; i < nv; i++) rate += a->B[(size_t)k * (size_t)nv + (size_t)i] * v[i];
    a->scale[k] = fabs(rate);
    most = fmax(most, fabs(rate));
  }
  // at rest power says nothing: there values count, far less than power elsewhere
  for (int32_t k = 0; k < a->n; k++) {
    if (a->least == HK_LEAST_ENERGY)
      a->scale[k] = most > 1e-9 ? hypot(a->scale[k], 1e-4 * most) : 1.0;
    a->scale[k] *= a->act[k].weight;
  }
}

/* --- ranges ----------------------------------------------------------------------------------- */

/* does the solution y leave the range of an actuator? */
static bool leaves(const hk_inverse *a, const double *y) {
  for (int32_t k = 0; k < a->n; k++) {
    const double x = y[k] / a->scale[k];
    const double *range = a->act[k].range;
    if (x < range[0] - 1e-12 * fabs(range[0]) || x > range[1] + 1e-12 * fabs(range[1])) return true;
  }
  return false;
}

static void fill_bounds(hk_inverse *a) {
  for (int32_t k = 0; k < a->n; k++) {
    a->lo[k] = a->act[k].range[0] * a->scale[k];
    a->hi[k] = a->act[k].range[1] * a->scale[k];
  }
}

/* The smallest solution y of B y = r within the ranges. B is U S by now, rank its number of singular values: the
 * rows V' y = S^-1 U' r are orthonormal. False: there is none, and y is the one that leaves least. */
static bool within(hk_inverse *a, int32_t rank, double *y) {
  const int32_t n = a->n, nv = a->s->m->nv;
  static const double dear = 1e4; // what is left costs so much more than y
  for (int32_t k = 0; k < rank; k++) {
    const double *u = a->B + (size_t)k * (size_t)nv;
    double c = 0.0;
    for (int32_t i = 0; i < nv; i++) c += u[i] * a->r[i];
    a->b[k] = c / (a->sv[k] * a->sv[k]);
    for (int32_t j = 0; j < n; j++) a->A[k + j * rank] = a->V[j + k * n];
  }
  fill_bounds(a);
  if (hki_dense_bounded(rank, n, a->A, a->b, a->lo, a->hi, a->x, a->end, a->work)) {
    memcpy(y, a->x, (size_t)n * sizeof *y);
    return true;
  }
  // beside y what is left of each row, free but dear: S e / s_0 counts as much as y times `dear`
  for (int32_t k = 0; k < rank; k++) {
    const double own = a->sv[0] / (dear * a->sv[k]), row = sqrt(1.0 + own * own);
    for (int32_t j = 0; j < n; j++) a->A[k + j * rank] = a->V[j + k * n] / row;
    for (int32_t j = 0; j < rank; j++) a->A[k + (n + j) * rank] = j == k ? own / row : 0.0;
    a->b[k] /= row;
    a->lo[n + k] = -INFINITY, a->hi[n + k] = INFINITY;
  }
  (void)hki_dense_bounded(rank, n + rank, a->A, a->b, a->lo, a->hi, a->x, a->end, a->work);
  memcpy(y, a->x, (size_t)n * sizeof *y);
  return false;
}

/* --- solving ---------------------------------------------------------------------------------- */

/* what y leaves of r, of which B, V are the singular vectors; in r */
static double rest(hk_inverse *a, int32_t rank, const double *y) {
  const int32_t n = a->n, nv = a->s->m->nv;
  for (int32_t k = 0; k < rank; k++) {
    const double *u = a->B + (size_t)k * (size_t)nv;
    double c = 0.0;
    for (int32_t j = 0; j < n; j++) c += a->V[j + k * n] * y[j];
    for (int32_t i = 0; i < nv; i++) a->r[i] -= c * u[i];
  }
  return norm(a->r, nv);
}

hk_status hki_inverse_balance(hk_inverse *a, double t, const double *q, const double *v,
                              const double *acc, double *force, double *unbalanced) {
  hk_sim *s = a->s;
  const int32_t nv = s->m->nv;
  const double *unit = s->tree->scale;
  hk_status st = fill_columns(a, t, q, v, acc);
  if (st != HK_OK) return st;
  fill_scale(a, v);
  const int32_t n = add_rows(a, 0, false);
  a->freedoms = nv - n;
  a->motions = add_rows(a, n, true) - n;
  for (int32_t i = 0; i < nv; i++) a->r[i] *= unit[i];
  clear(a->Q, n, nv, a->r);
  for (int32_t k = 0; k < a->n; k++) {
    double *b = a->B + (size_t)k * (size_t)nv;
    for (int32_t i = 0; i < nv; i++) b[i] *= unit[i] / a->scale[k];
    clear(a->Q, n, nv, b);
  }
  const double need = norm(a->r, nv);
  int32_t rank = 0;
  (void)hki_dense_least(nv, a->n, a->B, dependent, a->sv, a->V, a->r, a->tau);
  while (rank < a->n && a->sv[rank] > dependent * a->sv[0]) rank++;
  a->rank = rank;
  memset(a->end, 0, (size_t)a->n);
  if (leaves(a, a->tau)) (void)within(a, rank, a->tau);
  const double left = rest(a, rank, a->tau);
  // at the end of a range exactly, not by a round-off beside it
  for (int32_t k = 0; k < a->n; k++)
    force[k] = a->end[k] ? a->act[k].range[a->end[k] > 0] : a->tau[k] / a->scale[k];
  if (unbalanced) *unbalanced = need > 0.0 ? left / need : 0.0;
  return left <= 1e-7 * need || left < 1e-12 ? HK_OK : HK_E_SINGULAR;
}

hk_status hk_inverse_find(hk_inverse *a, double *force, double *unbalanced) {
  if (!hki_is_inverse(a)) return HK_E_USAGE;
  hk_sim *s = a->s;
  const hk_model *m = s->m;
  if (unbalanced) *unbalanced = NAN;
  if (!force) return hki_misuse(s->ctx, "hk_inverse_find", "no place for the forces");
  hk_status st = hki_sim_show_now(s);
  if (st != HK_OK) return st;
  hki_kin_unknowns(&s->tree->kin, s->vt + m->nv, s->at + m->nv);
  hki_kin_hold_states(&s->tree->kin, s->vt + m->nv + m->nx);
  // accelerations of the equations: those of the integrator hold to its error alone
  st = hki_tree_accel(s->tree, s->kin->t, s->qt, s->vt, a->a);
  if (st != HK_OK) return st < 0 ? st : HK_E_SINGULAR;
  return hki_inverse_balance(a, s->kin->t, s->qt, s->vt, a->a, force, unbalanced);
}

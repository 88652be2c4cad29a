/* SPDX-License-Identifier: Apache-2.0
 *
 * inverse.c: forces of actuators for a motion that is known (hooke/inverse.h).
 *
 *   M a - Q = B tau - G' lam            G: rows of joints that close loops, without prescribed motions
 *   P (M a - Q) = P B tau               P: projection onto the directions that these rows leave free
 *
 * B has the gradients of the actuators' coordinates as columns. tau is the smallest solution in the sense of
 * least squares, by singular values.
 */
#include "hooke/inverse.h"

#include <stdio.h>

#include "linalg/dense.h"
#include "simulation/live.h"

/* rows and coordinates that count as dependent */
static const double dependent = 1e-10;

struct hk_inverse {
  hk_mark mark;
  hk_sim *s;
  hk_pool *pool;
  int32_t n;
  hk_named **act;    /* n: rows of their coordinates */
  const char **name; /* n */
  double *Q;         /* nrows x nv: orthonormal rows of the loops, in units of the coordinates */
  double *B, *sv, *V, *r, *tau; /* nv x n, n, n x n, nv, n */
  double *a;                    /* nv: accelerations */
};

static bool is_inverse(const hk_inverse *a) { return hki_is(a, HK_MARK_INVERSE); }

/* --- choosing --------------------------------------------------------------------------------- */

/* is this row of a closure a prescribed motion? */
static bool is_motion(const hk_closure *c, int32_t r) { return c->row_signal[r] != HK_NONE; }

/* "joint.NAME.coord" or "joint.NAME": its scalar, -1 with a message */
static int32_t find_scalar(hk_sim *s, const char *text) {
  const hk_model *m = s->m;
  const char *name = strncmp(text, "joint.", 6) == 0 ? text + 6 : text;
  const hk_spec_joint *like = NULL; // its name is all of the text, or the text before a point
  for (int32_t j = 0; j < m->spec->njoints; j++) {
    const hk_spec_joint *joint = &m->spec->joints[j];
    const size_t length = strlen(joint->name);
    if (strncmp(name, joint->name, length) != 0 || (name[length] && name[length] != '.')) continue;
    if (!name[length] && joint->ops->ns == 1) return m->joints[j].scalar0;
    for (int32_t k = 0; name[length] && k < joint->ops->ns; k++) {
      int n;
      const char *word = hki_word(joint->ops->coords, k, &n);
      if (strncmp(name + length + 1, word, (size_t)n) == 0 && !name[length + 1 + (size_t)n])
        return m->joints[j].scalar0 + k;
    }
    // an instance may have the name of a joint: go on
    if (!like || !name[length]) like = joint;
  }
  if (!like)
    hki_error(s->ctx, HK_E_USAGE, HK_LOC_NONE, NULL, "there is no joint for the actuator '%s'",
              text);
  else if (strcmp(name, like->name) == 0)
    hki_error(s->ctx, HK_E_USAGE, HK_LOC_NONE, "name one of them: joint.NAME.coordinate",
              "joint '%s' has %d coordinates, not one", like->name, (int)like->ops->ns);
  else
    hki_error(s->ctx, HK_E_USAGE, HK_LOC_NONE, "see 'hooke info' for the joint's coordinates",
              "there is no coordinate '%s' for an actuator", text);
  return -1;
}

/* scalars of all prescribed motions; their number */
static int32_t list_motions(const hk_model *m, int32_t *list) {
  int32_t n = 0;
  for (int32_t c = 0; c < m->nc; c++) {
    const hk_closure *cl = &m->closures[c];
    if (cl->kind == HK_CLOSURE_COORD && is_motion(cl, 0)) list[n++] = cl->scalar;
  }
  return n;
}

/* the row of a scalar: its gradient over the tree's coordinates */
static hk_status make_row(hk_inverse *a, int32_t i, int32_t scalar) {
  const hk_model *m = a->s->m;
  const hk_scalar *x = &m->scalars[scalar];
  hk_spec_start start = {.loc = HK_LOC_NONE, .joint = x->joint, .body = HK_NONE};
  const hk_spec_joint *joint = &m->spec->joints[x->joint];
  hk_named *rows = NULL;
  int32_t count = 0, n;
  start.q_given = 1u << x->coord;
  hk_status st = hki_named_rows(a->s->tree, a->pool, &start, 1, &rows, &count);
  if (st != HK_OK) return st;
  if (count != 1) return HK_E_INTERNAL;
  const char *word = hki_word(joint->ops->coords, x->coord, &n);
  a->act[i] = rows;
  a->name[i] = hki_pool_printf(a->pool, "joint.%s.%.*s", joint->name, n, word);
  return a->name[i] ? HK_OK : HK_E_MEMORY;
}

static hk_status allocate(hk_inverse *a) {
  const hk_model *m = a->s->m;
  const size_t nv = (size_t)m->nv + 1, n = (size_t)a->n + 1, d = sizeof(double);
  a->act = hki_pool_alloc(a->pool, n * sizeof *a->act);
  a->name = hki_pool_alloc(a->pool, n * sizeof *a->name);
  a->Q = hki_pool_alloc(a->pool, nv * ((size_t)m->nrows + 1) * d);
  a->B = hki_pool_alloc(a->pool, nv * n * d);
  a->V = hki_pool_alloc(a->pool, n * n * d);
  a->sv = hki_pool_alloc(a->pool, n * d);
  a->r = hki_pool_alloc(a->pool, nv * d);
  a->tau = hki_pool_alloc(a->pool, n * d);
  a->a = hki_pool_alloc(a->pool, nv * d);
  return a->act && a->name && a->Q && a->B && a->V && a->sv && a->r && a->tau && a->a ? HK_OK
                                                                                      : HK_E_MEMORY;
}

static hk_status choose(hk_inverse *a, int32_t n, const char *const *names) {
  const hk_model *m = a->s->m;
  int32_t *scalar = hki_pool_alloc(a->pool, (size_t)(m->nc + n + 1) * sizeof *scalar);
  if (!scalar) return HK_E_MEMORY;
  a->n = n ? n : list_motions(m, scalar);
  for (int32_t i = 0; i < n; i++)
    if ((scalar[i] = find_scalar(a->s, names[i])) < 0) return HK_E_USAGE;
  if (!a->n)
    return hki_error(a->s->ctx, HK_E_USAGE, HK_LOC_NONE, "name actuators, or prescribe a motion",
                     "the model prescribes no coordinate of a joint");
  hk_status st = allocate(a);
  if (st == HK_OK) st = hki_tree_matrix(a->s->tree);
  for (int32_t i = 0; st == HK_OK && i < a->n; i++) st = make_row(a, i, scalar[i]);
  return st;
}

hk_status hk_inverse_create(hk_sim *s, int32_t n, const char *const *names, hk_inverse **out) {
  if (out) *out = NULL;
  if (!hki_is(s, HK_MARK_SIM)) return hki_misuse(NULL, "hk_inverse_create", "no simulation");
  bool good = out && n >= 0 && hki_is_list(names, n);
  for (int32_t i = 0; good && i < n; i++) good = names[i] != NULL;
  if (!good) return hki_misuse(s->ctx, "hk_inverse_create", "no place, or names that do not fit");
  hk_inverse *a = hki_alloc(s->ctx, sizeof *a);
  if (!a) return HK_E_MEMORY;
  *a = (hk_inverse){.mark = HK_MARK_INVERSE, .s = s, .pool = hki_pool_create(s->ctx)};
  hk_status st = a->pool ? choose(a, n, names) : HK_E_MEMORY;
  if (st != HK_OK)
    hk_inverse_destroy(a);
  else
    *out = a;
  return st;
}

void hk_inverse_destroy(hk_inverse *a) {
  if (!is_inverse(a)) return;
  hk_ctx *ctx = a->s->ctx;
  if (a->pool) hki_pool_destroy(a->pool);
  a->mark = 0;
  hki_free(ctx, a);
}

int32_t hk_inverse_count(const hk_inverse *a) { return is_inverse(a) ? a->n : 0; }
const char *hk_inverse_name(const hk_inverse *a, int32_t i) {
  return i >= 0 && i < hk_inverse_count(a) ? a->name[i] : NULL;
}

/* --- solving ---------------------------------------------------------------------------------- */

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

/* Q: orthonormal rows of the loops' constraints in units of the coordinates; returns their number */
static int32_t loop_rows(hk_inverse *a) {
  const hk_kin *k = &a->s->tree->kin;
  const hk_model *m = k->m;
  const double *unit = a->s->tree->scale;
  int32_t n = 0;
  for (int32_t c = 0; c < m->nc; c++) {
    const hk_closure *cl = &m->closures[c];
    for (int32_t r = 0; k->disc.active[c] != 0.0 && r < cl->nrows; r++) {
      if (is_motion(cl, r)) continue;
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

hk_status hk_inverse_find(hk_inverse *a, double *force, double *unbalanced) {
  if (!is_inverse(a)) return HK_E_USAGE;
  hk_sim *s = a->s;
  const hk_model *m = s->m;
  const double *unit = s->tree->scale;
  if (unbalanced) *unbalanced = NAN;
  if (!force) return hki_misuse(s->ctx, "hk_inverse_find", "no place for the forces");
  hk_status st = hki_sim_show_now(s);
  if (st != HK_OK) return st;
  hki_kin_unknowns(&s->tree->kin, s->vt + m->nv, s->at + m->nv);
  hki_kin_hold_states(&s->tree->kin, s->vt + m->nv + m->nx);
  // accelerations of the equations: those of the integrator hold to its error alone
  st = hki_tree_accel(s->tree, s->kin->t, s->qt, s->vt, a->a);
  if (st != HK_OK) return st < 0 ? st : HK_E_SINGULAR;
  hki_tree_state(s->tree, s->kin->t, s->qt, s->vt, 0);
  hki_tree_residual(s->tree, a->a, a->r);
  const int32_t n = loop_rows(a);
  for (int32_t i = 0; i < m->nv; i++) a->r[i] *= unit[i];
  clear(a->Q, n, m->nv, a->r);
  memset(a->B, 0, (size_t)m->nv * (size_t)a->n * sizeof *a->B);
  for (int32_t k = 0; k < a->n; k++) {
    double *b = a->B + (size_t)k * (size_t)m->nv;
    hk_named *row = a->act[k];
    hki_named_eval(&s->tree->kin, row);
    for (int32_t j = 0; j < row->path.n; j++)
      b[row->path.dof[j]] += row->g[j] * unit[row->path.dof[j]];
    clear(a->Q, n, m->nv, b);
  }
  const double need = norm(a->r, m->nv);
  double left = 0.0;
  (void)hki_dense_least(m->nv, a->n, a->B, dependent, a->sv, a->V, a->r, a->tau);
  // what is left: B is U S now, r less its part in the columns' space
  for (int32_t k = 0; k < a->n && a->sv[k] > dependent * a->sv[0]; k++) {
    const double *u = a->B + (size_t)k * (size_t)m->nv;
    double c = 0.0;
    for (int32_t i = 0; i < m->nv; i++) c += u[i] * a->r[i];
    for (int32_t i = 0; i < m->nv; i++) a->r[i] -= c * u[i] / (a->sv[k] * a->sv[k]);
  }
  left = norm(a->r, m->nv);
  for (int32_t k = 0; k < a->n; k++) force[k] = a->tau[k];
  if (unbalanced) *unbalanced = need > 0.0 ? left / need : 0.0;
  return left <= 1e-7 * need || left < 1e-12 ? HK_OK : HK_E_SINGULAR;
}

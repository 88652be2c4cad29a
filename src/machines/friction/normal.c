/* SPDX-License-Identifier: Apache-2.0
 *
 * normal.c: see normal.h.
 */
#include "machines/friction/normal.h"
#include "machines/tree/tree.h"

/* after a scaled correction below this the terms are kept: they are slopes, which it changes by as
 * much */
static const double steady = 1e-3;

/* accelerations and normal forces in turn, at most */
enum { PASSES = 40 };

typedef struct pressed {
  hk_ctx *ctx;
  const hk_model *m;
  const hk_formulation_ops *inner; /* the formulation's table before */
  hk_formulation_ops ops;
  const hk_normal_face *face;
  bool rough; /* stages need a shift */
  bool late;  /* accepted states alone need other normal forces, for the audit */
  bool small; /* the last correction was, and the border has no other terms */
  hk_kin *kin;
  hk_stage st;
  hk_tree *tree;                    /* where values of a state are found; NULL: not needed */
  int32_t *term;                    /* nnormal: terms of the border */
  double *R;                        /* nnormal */
  double *steps;                    /* PASSES x nnormal (improve) */
  double *q, *v, *a, *qt, *vt, *at; /* without a face: state of the formulation, of the tree */
} pressed;

static pressed *of(const hk_formulation *f) { return f->pressed; }

/* values from the tree at a state of the formulation */
static hk_status from_tree(hk_formulation *f, double t, const double *q, const double *v,
                           double *N) {
  pressed *p = of(f);
  hk_tree *s = p->tree;
  hk_status st = p->inner->to_tree(f, q, v, p->a, p->qt, p->vt, p->at);
  if (st != HK_OK) return st;
  if (p->m->nx) hki_kin_unknowns(&s->kin, p->vt + p->m->nv, NULL);
  st = hki_tree_accel(s, t, p->qt, p->vt, p->at);
  if (st != HK_OK) return st;
  hki_tree_residual(s, p->at, s->r);
  hki_tree_normals(s, s->lam, s->lam, N);
  return HK_OK;
}

static hk_status begin(hk_formulation *f, const hk_stage *st) {
  pressed *p = of(f);
  double *N = p->kin->disc.normal, *shift = p->kin->disc.shift;
  p->st = *st;
  p->small = false;
  // from those of the accepted state back to those of the multipliers
  for (int32_t i = 0; p->late && i < p->m->nnormal; i++) N[i] += shift[i], shift[i] = 0.0;
  return p->inner->begin(f, st);
}

/* |R| at the iterate D, with the shift */
static hk_status find(hk_formulation *f, const double *D) {
  pressed *p = of(f);
  const hk_stage *st = &p->st;
  hk_dims d;
  if (p->face) {
    p->face->find(f, NULL, p->R);
    for (int32_t i = 0; p->rough && i < p->m->nnormal; i++) p->R[i] += p->kin->disc.shift[i];
    return HK_OK;
  }
  p->inner->dims(f, &d);
  p->inner->plus(f, st->q0, D, p->q);
  for (int32_t i = 0; i < d.nv; i++) p->v[i] = st->vh[i] + st->cv * D[i];
  if (st->chart && p->inner->chart_velocity) p->inner->chart_velocity(f, D, p->v, p->v);
  hk_status s = from_tree(f, st->t, p->q, p->v, p->R);
  return s == HK_OK ? s : HK_RETRY;
}

/* Values alone, at the iterate itself. Where they follow from its residual the forces are evaluated
 * once more, at its own normal forces. */
static hk_status residual(hk_formulation *f, const double *D, bool tangent) {
  pressed *p = of(f);
  hk_status st = p->face ? p->inner->residual(f, D, tangent) : HK_OK;
  if (st == HK_OK) st = find(f, D);
  if (st != HK_OK) return st;
  memcpy(p->kin->disc.normal, p->R, (size_t)p->m->nnormal * sizeof *p->R);
  return p->inner->residual(f, D, tangent);
}

/* a law in another branch makes its terms anew */
static hk_status factor(hk_formulation *f) {
  pressed *p = of(f);
  hk_border *b = p->face->border(f);
  b->keep = p->small && b->ready && !hki_kin_branched(p->kin);
  hk_status st = p->inner->factor(f);
  b->keep = false;
  return st;
}

/* a term of the border for each, or multipliers as unknowns */
static hk_status correct(hk_formulation *f, double *D, hk_norms *norm) {
  pressed *p = of(f);
  double *N = p->kin->disc.normal;
  const int32_t n = p->m->nnormal;
  hk_border *b = p->face->border ? p->face->border(f) : NULL;
  const double unit = b ? p->st.ca / b->unit : 1.0;
  hk_status st = b && !p->face->early ? find(f, D) : HK_OK;
  for (int32_t i = 0; b && !p->face->early && i < n; i++)
    b->e[p->term[i]] = (p->R[i] - N[i]) / unit;
  if (st == HK_OK) st = p->inner->correct(f, D, norm);
  if (st == HK_OK && !b) st = find(f, D);
  for (int32_t i = 0; i < n && st == HK_OK; i++)
    N[i] = b ? fmax(N[i] + unit * b->p[p->term[i]], 0.0) : p->R[i];
  p->small = b && b->most == n && !b->core.factor && norm->step <= steady;
  return st;
}

/* a solution in which the friction of a joint raises its own normal force by more than itself is none
 * (analyses/jam.c) */
static hk_status settle(hk_formulation *f, double *D) {
  pressed *p = of(f);
  if (p->face->border(f)->negative) return HK_RETRY;
  return p->inner->settle ? p->inner->settle(f, D) : HK_OK;
}

/* after a step: normal forces of the true accelerations, and the shift */
static hk_status project(hk_formulation *f, double t, double *q, double *v, double *a,
                         uint32_t what) {
  pressed *p = of(f);
  double *N = p->kin->disc.normal, *shift = p->kin->disc.shift;
  hk_status st = p->inner->project(f, t, q, v, a, what);
  if (st != HK_OK || !(what & HK_PROJECT_ACC)) return st;
  for (int32_t i = 0; i < p->m->nnormal; i++) shift[i] = p->late ? N[i] : shift[i] - N[i];
  for (int pass = 0; pass < 2 && st == HK_OK; pass++) st = from_tree(f, t, q, v, N);
  for (int32_t i = 0; i < p->m->nnormal; i++) shift[i] += p->late ? -N[i] : N[i];
  return st == HK_OK ? st : HK_RETRY;
}

static double dot(const double *a, const double *b, int32_t n) {
  double y = 0.0;
  for (int32_t i = 0; i < n; i++) y += a[i] * b[i];
  return y;
}

/* The next normal forces after `pass` earlier ones, where the present ones make R: not N = R, which creeps
 * where friction raises its own normal force, but Broyden's method on e = R - N. Its steps s, the first of
 * which is e, are kept:
 *
 *   z = e,   z += s_j+1 (s_j . z)/(s_j . s_j) for all but the last,   s = z/(1 - (s_n . z)/(s_n . s_n))
 *
 * Source: C. T. Kelley, Iterative methods for linear and nonlinear equations, 1995, section 7.3. */
static void improve(pressed *p, int32_t pass) {
  const int32_t n = p->m->nnormal;
  double *N = p->kin->disc.normal, *s = p->steps, *z = s + (size_t)n * (size_t)pass;
  for (int32_t i = 0; i < n; i++) z[i] = p->R[i] - N[i];
  for (int32_t j = 0; j < pass; j++, s += n) {
    const double size = dot(s, s, n), share = size > 0.0 ? dot(s, z, n) / size : 0.0;
    // the last one scales; where it has nothing to say it is left out
    const bool last = j == pass - 1, fair = fabs(1.0 - share) > 1e-6;
    for (int32_t i = 0; i < n; i++)
      z[i] = !last ? z[i] + share * s[n + i] : fair ? z[i] / (1.0 - share) : z[i];
  }
  for (int32_t i = 0; i < n; i++) N[i] = fmax(N[i] + z[i], 0.0);
}

static hk_status accel(hk_formulation *f, double t, const double *q, const double *v, double *a) {
  pressed *p = of(f);
  double *N = p->kin->disc.normal, least = INFINITY;
  int32_t worse = 0;
  for (int32_t pass = 0; pass < PASSES; pass++) {
    double change = 0.0, most = 0.0;
    hk_status st = p->inner->accel(f, t, q, v, a);
    if (st != HK_OK) return st;
    if (p->face)
      p->face->find(f, a, p->R);
    else if ((st = from_tree(f, t, q, v, p->R)) != HK_OK)
      return st;
    for (int32_t i = 0; i < p->m->nnormal; i++) {
      change = fmax(change, fabs(p->R[i] - N[i]));
      most = fmax(most, p->R[i]);
    }
    if (!isfinite(most)) return HK_E_NUMBER;
    improve(p, pass);
    worse = change < 0.9 * least ? 0 : worse + 1;
    if (change <= 1e-13 * most || (pass > 4 && worse > 2)) break;
    least = fmin(least, change);
  }
  return HK_OK;
}

static void release(pressed *p) {
  hki_tree_destroy(p->tree);
  hki_free(p->ctx, p->R);
  hki_free(p->ctx, p->term);
  hki_free(p->ctx, p);
}

static void destroy(hk_formulation *f) {
  pressed *p = of(f);
  f->ops = p->inner;
  f->pressed = NULL;
  release(p);
  f->ops->destroy(f);
}

/* numbers of the border's terms */
static bool find_terms(pressed *p, const hk_border *b) {
  p->term = hki_alloc(p->ctx, ((size_t)p->m->nnormal + 1) * sizeof *p->term);
  for (int32_t i = 0; p->term && i < b->most; i++)
    if (b->term[i].part == HK_TERM_NORMAL) p->term[b->term[i].owner] = i;
  return p->term != NULL;
}

/* the tree that gives values alone, with the private states and discrete data of kin */
static hk_status make_tree(pressed *p) {
  hk_status st = hki_tree_create(p->ctx, p->m, &p->tree);
  if (st != HK_OK) return st;
  hki_kin_share_discrete(&p->tree->kin, p->kin);
  hki_kin_share_states(&p->tree->kin, p->kin);
  return hki_tree_matrix(p->tree);
}

hk_status hki_normal_wrap(hk_ctx *ctx, const hk_model *m, hk_kin *kin, const hk_normal_face *face,
                          hk_formulation *f) {
  if (!m->nnormal) return HK_OK;
  hk_dims d;
  f->ops->dims(f, &d);
  pressed *p = hki_alloc(ctx, sizeof *p);
  if (!p) return HK_E_MEMORY;
  *p = (pressed){.ctx = ctx, .m = m, .inner = f->ops, .face = face, .kin = kin};
  p->rough = face && face->rough && m->nc;
  p->late = face && face->after;
  const int32_t values = hki_model_values(m);
  const size_t steps = (size_t)PASSES * (size_t)m->nnormal;
  const size_t size = (size_t)(m->nnormal + d.nq + 2 * d.nv + m->nq + 2 * values) + steps;
  p->R = hki_alloc(ctx, size * sizeof *p->R);
  hk_status st = p->R ? HK_OK : HK_E_MEMORY;
  if (st == HK_OK) {
    memset(p->R, 0, size * sizeof *p->R);
    p->q = p->R + m->nnormal, p->v = p->q + d.nq, p->a = p->v + d.nv, p->qt = p->a + d.nv;
    p->vt = p->qt + m->nq, p->at = p->vt + values, p->steps = p->at + values;
    if (!face || p->rough || p->late) st = make_tree(p);
    if (st == HK_OK && face && face->border && !find_terms(p, face->border(f))) st = HK_E_MEMORY;
  }
  if (st != HK_OK) {
    release(p);
    return st;
  }
  p->ops = *p->inner;
  p->ops.begin = begin, p->ops.accel = accel, p->ops.destroy = destroy;
  if (face && (face->border || face->after)) p->ops.correct = correct;
  if (face && face->border && !face->early) p->ops.factor = factor;
  if (face && face->border) p->ops.settle = settle;
  if (!face || !(face->border || face->after)) p->ops.residual = residual;
  if (p->rough || p->late) p->ops.project = project;
  // several stages at once know nothing of N
  p->ops.caps &= ~(uint32_t)HK_CAP_RATES;
  p->ops.rates = NULL;
  p->ops.system = NULL;
  if (!face || !face->system) p->ops.caps &= ~(uint32_t)HK_CAP_DAE, p->ops.dae = NULL;
  f->ops = &p->ops;
  f->pressed = p;
  return HK_OK;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * range.c: the way of a mechanism with one freedom (range.h). With the closures Phi(q), without the motion
 * that prescribes the coordinate s:
 *
 *   Phi_z t = 0, |t| = 1            tangent, nearest to the last one
 *   q (+) h t, then Phi_z d = -Phi  prediction, then the smallest corrections
 *   ds = s_z t = 0                  dead point: s turns back, while the others go on
 *
 * There the rows of s and of the closures together depend on each other; the rows that take part say which
 * loops are singular: w' (Phi_z; s_z) = 0. Where det (Phi_z; t') changes its sign, another way branches off.
 *
 * Source: Allgower and Georg, Numerical Continuation Methods, 1990, chapters 3 and 8.
 */
#include <stdio.h>

#include "analyses/range.h"
#include "joints/pair.h"
#include "linalg/dense.h"

enum { MOST_STEPS = 20000, CORRECTIONS = 12, LOCATE = 60, LONGEST_TEXT = 500 };
/* steps in radians and lengths of the mechanism; turning of the tangent in a step; rows that depend */
static const double longest = 0.1, shortest = 1e-9, straight = 0.95, dependent = 1e-9;
static const double two_pi = 6.283185307179586;

typedef struct ranger {
  hk_tree *s;
  hk_range_data *out;
  hk_pool *pool;
  int32_t without; /* closure of the motion, HK_NONE: there is none */
  int32_t n, m;    /* coordinates, rows */
  double *q, *v;   /* nq, nv: the position, and its velocity along the tangent */
  double *t;       /* n: tangent there, in units of the coordinates */
  double *from_q, *from_t;
  double *disc;                     /* discrete data of the start: turns that were counted */
  double *G, *phi, *A, *V, *sv, *x; /* m x n, m, .. scratch */
  int32_t *pick;           /* n - 1 rows that are independent at the start; NULL: other numbers */
  double value, rate, det; /* s, ds, det (Phi_z; t') */
  double from_value, from_rate, from_det;
} ranger;

/* --- rows -------------------------------------------------------------------------------------- */

static bool takes_part(const hk_kin *k, int32_t c, int32_t without) {
  return c != without && k->disc.active[c] != 0.0;
}

static int32_t count_rows(const hk_kin *k, int32_t without) {
  int32_t n = 0;
  for (int32_t c = 0; c < k->m->nc; c++)
    if (takes_part(k, c, without)) n += k->m->closures[c].nrows;
  return n;
}

/* G (m x nv, column-major) and phi at the present state, in units of lengths and of the coordinates */
static void fill_rows(const hk_tree *s, int32_t without, int32_t m, double *G, double *phi) {
  const hk_kin *k = &s->kin;
  int32_t i = 0;
  memset(G, 0, (size_t)m * (size_t)k->m->nv * sizeof *G);
  for (int32_t c = 0; c < k->m->nc; c++) {
    const hk_closure *cl = &k->m->closures[c];
    for (int32_t r = 0; takes_part(k, c, without) && r < cl->nrows; r++, i++) {
      const double *g = k->gz + k->gz0[c] + (size_t)r * (size_t)cl->path.n;
      const double unit = hki_model_row_is_length(k->m, cl->row0 + r) ? 1.0 / k->m->length : 1.0;
      phi[i] = cl->rate_rows >> r & 1u ? 0.0 : k->phi[cl->row0 + r] * unit;
      for (int32_t j = 0; j < cl->path.n; j++)
        G[(size_t)i + (size_t)cl->path.dof[j] * (size_t)m] =
            g[j] * unit * s->scale[cl->path.dof[j]];
    }
  }
}

static void evaluate(hk_tree *s, double t, const double *q, const double *v) {
  hki_kin_state(&s->kin, t, q, v);
  if (s->m->spec->nsignals) hki_kin_signals(&s->kin, false);
  hki_kin_closures(&s->kin);
}

/* adds ", name" */
static void append(char *buf, size_t cap, const char *name) {
  const size_t at = strlen(buf);
  if (at + strlen(name) + 8 < cap)
    snprintf(buf + at, cap - at, "%s%s", at ? ", " : "", name);
  else if (at > 3 && strcmp(buf + at - 3, "...") != 0 && at + 8 < cap)
    snprintf(buf + at, cap - at, ", ...");
}

/* --- what is free ------------------------------------------------------------------------------ */

/* is the velocity the own rotation of a rod or of a point mass that has been left out? */
static bool is_spin(const hk_model *m, int32_t dof) {
  for (int32_t b = 0; b < m->nb; b++)
    if (dof >= m->bodies[b].v0 && dof < m->bodies[b].v0 + m->bodies[b].nv)
      return m->bodies[b].spin_removed != 0;
  return false;
}

hk_status hki_free_names(hk_tree *s, double t, const double *q, char *buf, size_t cap) {
  const hk_model *m = s->m;
  const int32_t rows = count_rows(&s->kin, HK_NONE);
  const size_t n = (size_t)m->nv, k = (size_t)rows;
  double *v = hki_alloc(s->ctx, (2 * n + k + k * n + n * n + 8) * sizeof *v);
  char name[160];
  buf[0] = '\0';
  if (!v) return HK_E_MEMORY;
  double *sv = v + n, *phi = sv + n, *G = phi + k, *V = G + k * n;
  memset(v, 0, n * sizeof *v);
  evaluate(s, t, q, v);
  fill_rows(s, HK_NONE, rows, G, phi);
  const bool ok = rows == 0 || hki_dense_svd(rows, m->nv, G, rows, sv, V, m->nv);
  for (int32_t i = 0; ok && i < m->nv; i++) {
    double left = rows ? 0.0 : 1.0;
    for (int32_t c = 0; c < m->nv && rows; c++)
      if (!(sv[c] > dependent * sv[0]))
        left += V[(size_t)i + (size_t)c * n] * V[(size_t)i + (size_t)c * n];
    if (!(left > 1e-10) || is_spin(m, i)) continue;
    hki_tree_dof_name(m, i, name, sizeof name);
    append(buf, cap, name);
  }
  hki_free(s->ctx, v);
  return HK_OK;
}

/* --- a point of the way ------------------------------------------------------------------------ */

/* G, phi at r->q */
static void look(ranger *r) {
  memset(r->v, 0, (size_t)r->n * sizeof *r->v);
  evaluate(r->s, 0.0, r->q, r->v);
  fill_rows(r->s, r->without, r->m, r->G, r->phi);
}

/* onto the closures by the smallest corrections; r->G belongs to the result */
static bool correct(ranger *r) {
  double last = INFINITY;
  for (int32_t it = 0; it < CORRECTIONS; it++) {
    double most = 0.0;
    look(r);
    if (!r->m) return true;
    memcpy(r->A, r->G, (size_t)r->m * (size_t)r->n * sizeof *r->A);
    (void)hki_dense_least(r->m, r->n, r->A, dependent, r->sv, r->V, r->phi, r->x);
    for (int32_t i = 0; i < r->n; i++) most = fmax(most, fabs(r->x[i]));
    if (!(most < 1.0)) return false;
    if (most < 1e-14 || (most < 1e-11 && most >= last)) return true;
    last = most;
    for (int32_t i = 0; i < r->n; i++) r->v[i] = -r->x[i] * r->s->scale[i];
    hki_tree_plus(r->s->m, r->q, r->v, r->q);
  }
  return last < 1e-9;
}

/* sign of det (Phi_z; t') times its smallest singular value, 0: not known; after hki_dense_null */
static double determinant(ranger *r) {
  const int32_t n = r->n;
  if (!r->pick) return 0.0;
  const double least = n > 1 ? r->sv[n - 2] : 1.0;
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < n; j++)
      r->A[i + j * n] = i < n - 1 ? r->G[(size_t)r->pick[i] + (size_t)j * (size_t)r->m] : r->t[j];
  return hki_dense_sign(n, r->A) * least;
}

/* tangent nearest to `towards`, s and ds, at the point where r->G is known */
static bool orient(ranger *r, const double *towards) {
  if (r->m) memcpy(r->A, r->G, (size_t)r->m * (size_t)r->n * sizeof *r->A);
  if (!hki_dense_null(r->m, r->n, r->A, dependent, r->sv, r->V, towards, r->x)) return false;
  memcpy(r->t, r->x, (size_t)r->n * sizeof *r->t);
  for (int32_t i = 0; i < r->n; i++) r->v[i] = r->t[i] * r->s->scale[i];
  hki_kin_state(&r->s->kin, 0.0, r->q, r->v);
  hki_kin_scalar(&r->s->kin, r->out->scalar, &r->value, &r->rate);
  r->det = determinant(r);
  return true;
}

/* the point h further than the one kept */
static bool advance(ranger *r, double h) {
  for (int32_t i = 0; i < r->n; i++) r->v[i] = h * r->from_t[i] * r->s->scale[i];
  hki_tree_plus(r->s->m, r->from_q, r->v, r->q);
  return correct(r) && orient(r, r->from_t);
}

static void keep(ranger *r) {
  memcpy(r->from_q, r->q, (size_t)r->s->m->nq * sizeof *r->q);
  memcpy(r->from_t, r->t, (size_t)r->n * sizeof *r->t);
  r->from_value = r->value, r->from_rate = r->rate, r->from_det = r->det;
  hki_kin_commit_turns(&r->s->kin);
}

/* all joint coordinates at the point, as a row of the result */
static hk_status record(ranger *r, double **rows, int32_t *n, int32_t *cap) {
  const int32_t ns = r->s->m->ns;
  double rate;
  if (!HK_GROW(r->s->ctx, *rows, *cap, (*n + 1) * ns)) return HK_E_MEMORY;
  for (int32_t i = 0; i < ns; i++)
    hki_kin_scalar(&r->s->kin, i, *rows + (size_t)*n * (size_t)ns + i, &rate);
  ++*n;
  return HK_OK;
}

/* --- ends and branches ------------------------------------------------------------------------- */

typedef enum wanted { WANT_DEAD, WANT_VALUE, WANT_BRANCH } wanted;

static double measure(const ranger *r, wanted what, double value) {
  return what == WANT_DEAD ? r->rate : what == WANT_VALUE ? r->value - value : r->det;
}

/* the place within h from the point kept at which ds, s - value or the determinant vanishes, where the
 * latter are fa there and fb at h; by the false position, halving now and then */
static void locate(ranger *r, wanted what, double value, double fa, double h, double fb) {
  double a = 0.0, b = h;
  for (int32_t k = 0; k < LOCATE && fabs(b - a) > 1e-15; k++) {
    const double x = k % 3 == 2 ? 0.5 * (a + b) : a - fa * (b - a) / (fb - fa);
    if (!advance(r, x)) return;
    const double f = measure(r, what, value);
    if (fabs(f) < 1e-14) return;
    if ((f > 0.0) == (fa > 0.0))
      a = x, fa = f;
    else
      b = x, fb = f;
  }
}

/* names of the joint coordinates that move along the tangent while s stands still */
static const char *moving(ranger *r) {
  const hk_model *m = r->s->m;
  char text[LONGEST_TEXT] = "";
  double most = 0.0, value, rate;
  for (int pass = 0; pass < 2; pass++)
    for (int32_t i = 0; i < m->ns; i++) {
      hki_kin_scalar(&r->s->kin, i, &value, &rate);
      const bool length =
          !hki_scalar_turns(m->spec->joints[m->scalars[i].joint].ops->scalars[m->scalars[i].coord]);
      rate = fabs(rate) / (length ? m->length : 1.0);
      if (pass == 0) most = fmax(most, rate);
      if (pass == 1 && rate > 0.01 * most && i != r->out->scalar) {
        const char *name = hki_scalar_channel(m, r->pool, i);
        if (name) append(text, sizeof text, name);
      }
    }
  return hki_pool_printf(r->out->pool, "%s", text);
}

/* loops whose rows depend on each other here; with_s: together with that of s */
static const char *singular_loops(ranger *r, bool with_s) {
  const hk_model *m = r->s->m;
  const hk_kin *k = &r->s->kin;
  const int32_t rows = r->m + (with_s ? 1 : 0);
  const size_t nv = (size_t)r->n, nr = (size_t)rows;
  double *B = hki_pool_alloc(r->pool, (nv * nr + nr * nr + 3 * nr + nv + 8) * sizeof *B);
  char text[LONGEST_TEXT] = "", name[LONGEST_TEXT];
  if (!B || !rows) return "";
  double *V = B + nv * nr, *sv = V + nr * nr, *unit = sv + nr, *w = unit + nr;
  look(r);
  for (size_t i = 0; i < (size_t)r->m; i++)
    for (size_t j = 0; j < nv; j++) B[j + i * nv] = r->G[i + j * (size_t)r->m];
  for (int32_t j = 0; with_s && j < r->n; j++) {
    double value;
    memset(r->v, 0, nv * sizeof *r->v);
    r->v[j] = r->s->scale[j];
    hki_kin_state(&r->s->kin, 0.0, r->q, r->v);
    hki_kin_scalar(k, r->out->scalar, &value, &B[(size_t)j + (size_t)r->m * nv]);
  }
  // the dependence of the row of s; without it the weakest
  unit[rows - 1] = 1.0;
  bool ok = hki_dense_svd(r->n, rows, B, r->n, sv, V, rows);
  if (ok && with_s) {
    for (int32_t c = 0; c < rows; c++)
      for (int32_t i = 0; sv[c] < 1e-6 * sv[0] && i < rows; i++)
        w[i] += V[(size_t)i + (size_t)c * nr] * V[(size_t)rows - 1 + (size_t)c * nr];
  } else if (ok) {
    memcpy(w, V + (nr - 1) * nr, nr * sizeof *w);
  }
  double most = 0.0;
  for (int32_t i = 0; ok && i < r->m; i++) most = fmax(most, fabs(w[i]));
  for (int32_t c = 0, i = 0; ok && c < m->nc; c++) {
    double part = 0.0;
    const int32_t own = takes_part(k, c, r->without) ? m->closures[c].nrows : 0;
    for (int32_t j = 0; j < own; j++, i++) part = fmax(part, fabs(w[i]));
    if (!(part > 1e-4 * most) || m->closures[c].role == HK_ROLE_MOTION) continue;
    hki_model_loop_names(m, c, name, sizeof name);
    append(text, sizeof text, name);
  }
  return hki_pool_printf(r->out->pool, "%s", text);
}

/* another way branches off within the last step: its place, if it is a new one */
static hk_status note_branch(ranger *r, double h) {
  hk_range_data *o = r->out;
  locate(r, WANT_BRANCH, 0.0, r->from_det, h, r->det);
  for (int32_t i = 0; i < o->npasses; i++)
    if (fabs(o->passes[i].value - r->value) < 1e-6) return HK_OK;
  hk_range_spot *more = hki_pool_alloc(o->pool, (size_t)(o->npasses + 1) * sizeof *more);
  if (!more) return HK_E_MEMORY;
  if (o->npasses) memcpy(more, o->passes, (size_t)o->npasses * sizeof *more);
  more[o->npasses] = (hk_range_spot){.value = r->value, .loops = singular_loops(r, false)};
  o->passes = more, o->npasses++;
  return HK_OK;
}

/* --- one way ----------------------------------------------------------------------------------- */

typedef struct way {
  int32_t side; /* 0: s falls, 1: it grows */
  double aim;   /* value at which it ends in any case */
  bool turns;   /* that is a full turn */
  double *rows; /* n x ns */
  int32_t n, cap;
} way;

static hk_status end_at(ranger *r, way *w, hk_range_why why) {
  hk_range_spot *e = &r->out->end[w->side];
  *e = (hk_range_spot){.value = why == HK_RANGE_DEAD || why == HK_RANGE_OPEN ? r->value : w->aim,
                       .why = why,
                       .moves = "",
                       .loops = ""};
  hk_status st = record(r, &w->rows, &w->n, &w->cap);
  if (why != HK_RANGE_DEAD) return st;
  e->moves = moving(r);
  e->loops = singular_loops(r, true);
  return e->moves && e->loops ? st : HK_E_MEMORY;
}

/* From the point kept, along its tangent, to the end of the way. */
static hk_status follow(ranger *r, way *w) {
  const double sign = w->side ? 1.0 : -1.0;
  double h = 0.02;
  for (int32_t k = 0; k < MOST_STEPS; k++) {
    double along = 0.0;
    bool good = advance(r, h);
    for (int32_t i = 0; good && i < r->n; i++) along += r->t[i] * r->from_t[i];
    if (!good || along < straight) {
      h *= 0.5;
      if (h < shortest)
        return hki_error(r->s->ctx, HK_E_DIVERGED, HK_LOC_NONE,
                         "look at the model with 'hooke check'",
                         "the way of the mechanism cannot be followed beyond %.9g", r->from_value);
      continue;
    }
    const double there = r->value, rate = r->rate, det = r->det;
    const bool branched = r->from_det * det < 0.0;
    if (sign * rate <= 0.0) {
      locate(r, WANT_DEAD, 0.0, r->from_rate, h, rate);
      if (sign * (r->value - w->aim) < 0.0) return end_at(r, w, HK_RANGE_DEAD);
    }
    if (sign * (there - w->aim) >= 0.0) {
      locate(r, WANT_VALUE, w->aim, r->from_value - w->aim, h, there - w->aim);
      return end_at(r, w, w->turns ? HK_RANGE_TURN : HK_RANGE_ASKED);
    }
    if (branched) {
      hk_status st = note_branch(r, h);
      if (st != HK_OK) return st;
      if (!advance(r, h)) return HK_E_DIVERGED;
    }
    hk_status st = record(r, &w->rows, &w->n, &w->cap);
    if (st != HK_OK) return st;
    if (hki_stopped(r->s->ctx)) return HK_INTERRUPTED;
    keep(r);
    if (along > 0.995) h = fmin(longest, 1.5 * h);
    if (fabs(r->value - r->out->start) > 1e3 * fmax(1.0, r->s->m->length))
      return end_at(r, w, HK_RANGE_OPEN);
  }
  return end_at(r, w, HK_RANGE_OPEN);
}

/* --- all of it --------------------------------------------------------------------------------- */

static bool allocate(ranger *r) {
  const hk_model *m = r->s->m;
  const size_t n = (size_t)m->nv + 1, rows = (size_t)r->m + 1, nq = (size_t)m->nq + 1;
  const size_t big = rows > n ? rows : n;
  struct {
    double **at;
    size_t n;
  } part[] = {{&r->q, nq},      {&r->v, n},       {&r->t, n},
              {&r->from_q, nq}, {&r->from_t, n},  {&r->G, rows * n},
              {&r->phi, rows},  {&r->A, big * n}, {&r->V, n * n},
              {&r->sv, n},      {&r->x, n},       {&r->disc, (size_t)r->s->kin.disc.n + 1}};
  for (int32_t i = 0; i < HK_ARRAY_LEN(part); i++)
    if (!(*part[i].at = hki_pool_alloc(r->pool, part[i].n * sizeof(double)))) return false;
  return true;
}

/* rows that are independent at the start, for the determinant, where just one freedom is left */
static bool pick_rows(ranger *r, int32_t rank) {
  const size_t n = (size_t)r->n, m = (size_t)r->m;
  int32_t *rows = hki_pool_alloc(r->pool, (m + n + 1) * sizeof *rows);
  double *B = hki_pool_alloc(r->pool, (m * n + 1) * sizeof *B);
  if (!rows || !B) return false;
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++) B[i * n + j] = r->G[i + j * m];
  for (int32_t j = 0; j < r->n; j++) rows[r->m + j] = j;
  if (rank == r->n - 1 && hki_dense_pivots(r->m, r->n, B, dependent, NULL, rows, rows + m) == rank)
    r->pick = rows;
  return true;
}

/* how many motions are free; r->x: one of them, along which s changes if any does that */
static int32_t free_motions(ranger *r) {
  int32_t rank = 0;
  correct(r);
  // gradient of s
  double *g = r->t, value;
  for (int32_t j = 0; j < r->n; j++) {
    memset(r->v, 0, (size_t)r->n * sizeof *r->v);
    r->v[j] = r->s->scale[j];
    hki_kin_state(&r->s->kin, 0.0, r->q, r->v);
    hki_kin_scalar(&r->s->kin, r->out->scalar, &value, &g[j]);
  }
  memcpy(r->A, r->G, (size_t)r->m * (size_t)r->n * sizeof *r->A);
  const bool moves = hki_dense_null(r->m, r->n, r->A, dependent, r->sv, r->V, g, r->x);
  while (rank < r->n && r->m && r->sv[rank] > dependent * r->sv[0]) rank++;
  // s stands still: the start is a dead point, and the last singular vector leads out of it
  if (!moves && r->m)
    memcpy(r->x, r->V + (size_t)(r->n - 1) * (size_t)r->n, (size_t)r->n * sizeof *r->x);
  int32_t spins = 0;
  for (int32_t b = 0; b < r->s->m->nb; b++) spins += r->s->m->bodies[b].spin_removed;
  return pick_rows(r, rank) ? r->n - rank - spins : -1;
}

static hk_status refuse(ranger *r, int32_t free) {
  char names[LONGEST_TEXT] = "";
  const char *name = hki_scalar_channel(r->s->m, r->pool, r->out->scalar);
  hk_status st = hki_free_names(r->s, 0.0, r->q, names, sizeof names);
  if (st != HK_OK || !name) return HK_E_MEMORY;
  if (free == 0)
    return hki_error(r->s->ctx, HK_E_ASSEMBLY, HK_LOC_NONE,
                     "take a motion away, or name one that the mechanism follows",
                     "%s has no range: the rest of the mechanism holds it fast", name);
  return hki_error(r->s->ctx, HK_E_ASSEMBLY, HK_LOC_NONE, "prescribe the others by motions",
                   "beside %s the mechanism has %d more freedom%s: %s can move", name,
                   (int)free - 1, free == 2 ? "" : "s", names);
}

/* the rows of both ways, the falling one backwards, become one table */
static hk_status join(hk_range_data *o, const way *low, const way *high, int32_t ns) {
  o->n = low->n + high->n;
  o->values = hki_pool_alloc(o->pool, ((size_t)o->n * (size_t)ns + 1) * sizeof *o->values);
  if (!o->values) return HK_E_MEMORY;
  const size_t size = (size_t)ns * sizeof *o->values;
  for (int32_t i = 0; i < low->n; i++)
    memcpy(o->values + (size_t)i * (size_t)ns, low->rows + (size_t)(low->n - 1 - i) * (size_t)ns,
           size);
  for (int32_t i = 0; i < high->n; i++)
    memcpy(o->values + (size_t)(low->n + i) * (size_t)ns, high->rows + (size_t)i * (size_t)ns,
           size);
  return HK_OK;
}

/* back to the start, with the tangent along which s grows (side 1) or falls */
static bool begin(ranger *r, const double *q, const double *towards, int32_t side) {
  hk_discrete *d = &r->s->kin.disc;
  memcpy(d->block, r->disc, (size_t)d->n * sizeof *r->disc);
  memcpy(r->q, q, (size_t)r->s->m->nq * sizeof *r->q);
  memcpy(r->from_t, towards, (size_t)r->n * sizeof *r->from_t);
  if (!correct(r) || !orient(r, r->from_t)) return false;
  if ((r->rate < 0.0) == (side == 1))
    for (int32_t i = 0; i < r->n; i++) r->t[i] = -r->t[i];
  memcpy(r->from_t, r->t, (size_t)r->n * sizeof *r->t);
  if (!orient(r, r->from_t)) return false;
  keep(r);
  return true;
}

/* The start is a dead point: s turns back there, so that both tangents lead to the same side. */
static hk_status from_dead(ranger *r, const double *q, const double *towards, way *w) {
  if (!begin(r, q, towards, 1) || !advance(r, 1e-3)) return HK_E_DIVERGED;
  const int32_t side = r->value > r->out->start;
  way *on = &w[side], *dead = &w[1 - side];
  if (!begin(r, q, towards, 1)) return HK_E_DIVERGED;
  hk_status st = end_at(r, dead, HK_RANGE_DEAD);
  if (st != HK_OK) return st;
  // a little way off it has a direction
  if (!begin(r, q, towards, 1) || !advance(r, 1e-3)) return HK_E_DIVERGED;
  st = record(r, &on->rows, &on->n, &on->cap);
  keep(r);
  return st == HK_OK ? follow(r, on) : st;
}

static hk_status both_ways(ranger *r, const double *q, const double *towards, way *w) {
  hk_range_data *o = r->out;
  if (!begin(r, q, towards, 1)) return HK_E_DIVERGED;
  o->start = r->value;
  const hk_scalar *x = &r->s->m->scalars[o->scalar];
  const bool angle = hki_scalar_turns(r->s->m->spec->joints[x->joint].ops->scalars[x->coord]);
  for (int32_t side = 0; side < 2; side++) {
    const double turn = o->start + (side ? two_pi : -two_pi), limit = side ? o->to : o->from;
    const bool free = side ? limit > turn : limit < turn;
    w[side].side = side;
    w[side].turns = angle && free;
    w[side].aim = w[side].turns ? turn : limit;
  }
  if (!(o->from <= o->start && o->start <= o->to))
    return hki_error(r->s->ctx, HK_E_USAGE, HK_LOC_NONE, "draw the mechanism within them",
                     "the limits do not contain the start, %.9g", o->start);
  if (fabs(r->rate) < 1e-9) return from_dead(r, q, towards, w);
  hk_status st = record(r, &w[1].rows, &w[1].n, &w[1].cap);
  if (st == HK_OK) st = follow(r, &w[1]);
  if (st != HK_OK) return st;
  // a full turn has seen everything
  if (o->end[1].why == HK_RANGE_TURN) {
    o->end[0] = (hk_range_spot){.value = o->start, .why = HK_RANGE_TURN, .moves = "", .loops = ""};
    return HK_OK;
  }
  return begin(r, q, towards, 0) ? follow(r, &w[0]) : HK_E_DIVERGED;
}

hk_status hki_range_find(hk_tree *s, const double *q, hk_range_data *out) {
  const hk_model *m = s->m;
  ranger r = {.s = s, .out = out, .pool = hki_pool_create(s->ctx), .n = m->nv};
  way w[2] = {{0}};
  if (!r.pool) return HK_E_MEMORY;
  r.without = hki_scalar_motion(m, out->scalar);
  r.m = count_rows(&s->kin, r.without);
  double *start = hki_pool_alloc(r.pool, ((size_t)m->nv + 1) * sizeof *start);
  hk_status st = start && allocate(&r) ? HK_OK : HK_E_MEMORY;
  if (st == HK_OK) {
    memcpy(r.q, q, (size_t)m->nq * sizeof *r.q);
    memcpy(r.disc, s->kin.disc.block, (size_t)s->kin.disc.n * sizeof *r.disc);
    const int32_t free = free_motions(&r);
    memcpy(start, r.x, (size_t)m->nv * sizeof *start);
    st = free < 0 ? HK_E_MEMORY : free == 1 ? both_ways(&r, q, start, w) : refuse(&r, free);
  }
  if (st == HK_OK) st = join(out, &w[0], &w[1], m->ns);
  hki_free(s->ctx, w[0].rows);
  hki_free(s->ctx, w[1].rows);
  hki_pool_destroy(r.pool);
  return st;
}

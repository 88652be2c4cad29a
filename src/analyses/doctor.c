/* SPDX-License-Identifier: Apache-2.0
 *
 * doctor.c: findings about an assembled model, in words.
 *
 *   redundant   rows that depend on earlier rows and agree with them
 *   conflict    rows that depend on earlier rows but contradict them
 *   singular    rows that depend on earlier rows here, but not at a position nearby
 *   inertia     directions x with Phi_z x = 0 and M x = 0 (inertia.c); likewise after releases
 *               (releases.c)
 *   locked      couplings that contradict each other (locked.c)
 *   note        what else is worth knowing, such as friction that nothing presses (presses.c)
 */
#include <stdio.h>

#include "analyses/doctor.h"
#include "analyses/assembly_lean.h"
#include "analyses/aimless.h"
#include "analyses/inertia.h"
#include "analyses/jam.h"
#include "analyses/locked.h"
#include "analyses/presses.h"
#include "analyses/rank.h"
#include "machines/tree/aba.h"

enum {
  MOST_FREE = 24, /* motions without inertia that are searched for */
  LARGE = 300     /* trees with more velocities are examined without the sparse matrix */
};

typedef struct doctor {
  hk_tree *s;
  hk_pool *pool;    /* owns the texts of the findings */
  hk_pool *tmp;     /* freed at the end */
  hk_finding *list; /* n, on the heap */
  int32_t n, cap;
  hk_rank here, near; /* at the assembled state, and the largest rank found nearby */
  bool has_near;
  bool failed;   /* out of memory */
  hk_held *held; /* freedoms without mass that forces hold; NULL: none */
  bool unheld;   /* some of them are held by nothing: said */
} doctor;

static void add(doctor *d, hk_finding_kind kind, const char *item, const char *text) {
  if (!item || !text || !HK_GROW(d->s->ctx, d->list, d->cap, d->n + 1)) {
    d->failed = true;
    return;
  }
  d->list[d->n++] = (hk_finding){kind, item, text};
}

/* --- massless bodies -------------------------------------------------------------------------- */

/* bodies without mass and point masses: what is done with their rotation */
static void massless(doctor *d) {
  const hk_model *m = d->s->m;
  bool held = true;
  for (int32_t i = 0; i < d->n; i++) held = held && d->list[i].kind != HK_FINDING_INERTIA_FREE;
  for (int32_t i = 0; i < m->spec->nbodies; i++) {
    const hk_model_body *b = &m->bodies[m->body_of_spec[i]];
    const char *name = m->spec->bodies[i].name;
    if (!b->massless && !b->spin_removed && !b->point) continue;
    if (!b->massless && b->point)
      add(d, HK_FINDING_NOTE, name,
          hki_pool_printf(
              d->pool,
              "body '%s' is a point mass that nothing turns: a node of %s displacements, "
              "without rotation",
              name, m->spec->planar ? "two" : "three"));
    else if (!b->massless)
      add(d, HK_FINDING_NOTE, name,
          hki_pool_printf(
              d->pool, "body '%s' is a point mass that nothing turns%s: this rotation is left out",
              name, b->spin_removed == 1 && !m->spec->planar ? " about one line" : ""));
    else if (b->spin_removed)
      add(d, HK_FINDING_MASSLESS, name,
          hki_pool_printf(d->pool,
                          "body '%s' has no mass and hangs between two spherical joints: its spin "
                          "about the line through them is left out",
                          name));
    else if (hki_held_has(d->held, b->v0, b->nv))
      add(d, HK_FINDING_MASSLESS, name,
          hki_pool_printf(d->pool,
                          "body '%s' has no mass and forces hold it, a static node, which not "
                          "every formulation runs",
                          name));
    else
      add(d, HK_FINDING_MASSLESS, name,
          hki_pool_printf(d->pool, "body '%s' has no mass: joints %s its motion", name,
                          held ? "fix" : "must fix"));
  }
}

/* --- rows ------------------------------------------------------------------------------------- */

/* first dependent row of a closure and, in n, how many there are */
static const hk_rank_row *first_of(const hk_rank *r, int32_t closure, int32_t *n) {
  const hk_rank_row *first = NULL;
  *n = 0;
  for (int32_t i = 0; i < r->ndependent; i++)
    if (r->dependent[i].closure == closure) {
      if (!first) first = &r->dependent[i];
      ++*n;
    }
  return first;
}

/* does a dependent row contradict the others: in position, rate, or acceleration? */
static bool conflicts(const hk_rank_row *r) {
  if (fabs(r->left[0]) > 1e-7) return true;
  if (fabs(r->left[1]) > 1e-8 * fmax(1e-3, r->size[1])) return true;
  return r->motion && fabs(r->left[2]) > 1e-6 * fmax(1e-3, r->size[2]);
}

/* ", together with joints 'a', 'b'" when the combination reaches into other closures */
static const char *together(doctor *d, const hk_rank_row *r) {
  const hk_model *m = d->s->m;
  const char *text = "";
  int32_t own = m->closures[r->closure].joint;
  for (int32_t i = 0; i < r->nwith; i++) {
    int32_t j = m->closures[r->with[i]].joint;
    bool known = j == own;
    for (int32_t k = 0; k < i; k++) known = known || m->closures[r->with[k]].joint == j;
    if (known) continue;
    text = hki_pool_printf(d->tmp, "%s%s'%s'", text, *text ? ", " : ", together with ",
                           m->spec->joints[j].name);
    if (!text) return "";
  }
  return text;
}

static const char *plural(int32_t n) { return n == 1 ? "equations follows" : "equations follow"; }

/* subject of a message: n equations of a cut joint, or one prescribed coordinate */
static const char *subject(doctor *d, const hk_rank_row *r, int32_t n) {
  const hk_closure *c = &d->s->m->closures[r->closure];
  char row[160];
  if (c->role == HK_ROLE_CUT)
    return hki_pool_printf(d->tmp, "joint '%s': %d of %d %s", d->s->m->spec->joints[c->joint].name,
                           (int)n, (int)c->nrows, plural(n));
  hki_model_row_name(d->s->m, r->row, row, sizeof row);
  return hki_pool_printf(d->tmp, "%s: it follows", row);
}

static const char *conflict_text(doctor *d, const hk_rank_row *r, const char *loop) {
  char row[160];
  const char *what = fabs(r->left[0]) > 1e-7 ? "positions"
                     : fabs(r->left[1]) > 1e-8 * fmax(1e-3, r->size[1])
                         ? "rates at the start"
                         : "accelerations at the start";
  hki_model_row_name(d->s->m, r->row, row, sizeof row);
  return hki_pool_printf(d->pool,
                         "%s: conflicts with the others in %s%s: their %s cannot hold together",
                         row, loop, together(d, r), what);
}

/* rows of one closure that depend on others: conflicts one by one, the rest together */
static void closure_rows(doctor *d, int32_t ci, const hk_rank_row *first, int32_t n) {
  const hk_model *m = d->s->m;
  const char *item = m->spec->joints[m->closures[ci].joint].name;
  char loop[512];
  int32_t agree = 0, there = 0;
  hki_model_loop_names(m, ci, loop, sizeof loop);
  for (int32_t i = 0; i < n; i++) {
    if (conflicts(&first[i]))
      add(d, HK_FINDING_CONFLICT, item, conflict_text(d, &first[i], loop));
    else
      agree++;
  }
  if (!agree) return;
  if (d->has_near) first_of(&d->near, ci, &there);
  int32_t local = d->has_near && there < agree ? agree - there : 0;
  const char *who = subject(d, first, local ? local : agree);
  if (!who) {
    d->failed = true;
    return;
  }
  if (local)
    add(d, HK_FINDING_NOTE, item,
        hki_pool_printf(d->pool,
                        "%s from the others at this position only: it is a singular position of "
                        "%s%s",
                        who, loop, together(d, first)));
  if (agree == local) return;
  if (local) who = subject(d, first, agree - local);
  const char *more =
      m->closures[ci].role == HK_ROLE_MOTION ? "; it may conflict with them later" : "";
  add(d, HK_FINDING_REDUNDANT, item,
      who ? hki_pool_printf(d->pool, "%s from the others in %s%s%s", who, loop, together(d, first),
                            more)
          : NULL);
}

static void rows(doctor *d) {
  const hk_rank *r = &d->here;
  for (int32_t i = 0; i < r->ndependent;) {
    int32_t n = 1, c = r->dependent[i].closure;
    while (i + n < r->ndependent && r->dependent[i + n].closure == c) n++;
    closure_rows(d, c, &r->dependent[i], n);
    i += n;
  }
}

/* --- a position nearby ------------------------------------------------------------------------ */

/* factorises M + Phi_z' alpha Phi_z at the present state, with a small inertia on the diagonal */
static hk_status factor(hk_tree *s) {
  double top = 0.0;
  hki_tree_mass(s);
  for (int32_t i = 0; i < s->m->nv; i++) top = fmax(top, s->mass[i] * (s->scale[i] * s->scale[i]));
  for (int32_t i = 0; i < s->m->nv; i++) {
    double extra = (top > 0.0 ? 1e-7 * top : 1.0) / (s->scale[i] * s->scale[i]);
    s->num.val[s->slot_diag[i]] += extra;
    s->mass[i] += extra;
  }
  hki_tree_penalty(s, 1e6, 1.0);
  hki_tree_add_closures(s, 1.0);
  return hki_tree_factor(s);
}

/* closures, their rates and gradients at t = 0 and (q, v) */
static void state(hk_tree *s, const double *q, const double *v) {
  hki_kin_state(&s->kin, 0.0, q, v);
  hki_kin_signals(&s->kin, false);
  hki_kin_closures(&s->kin);
  hki_kin_closure_bias(&s->kin);
  hki_tree_reach(s);
}

/* x (nv): a motion of scaled size `step` that the closures allow, pseudo-random by seed; false when
 * there is none */
static bool some_motion(doctor *d, uint64_t seed, double step, double *x) {
  hk_tree *s = d->s;
  double size = 0.0;
  for (int32_t i = 0; i < s->m->nv; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    x[i] = s->scale[i] * ((double)(seed >> 11) / 4503599627370496.0 - 1.0);
  }
  if (factor(s) != HK_OK) return false;
  hki_tree_project(s, 1.0, NULL, HK_TREE_CLOSED, x);
  for (int32_t i = 0; i < s->m->nv; i++) size = fmax(size, fabs(x[i]) / s->scale[i]);
  if (!(size > 1e-4)) return false;
  for (int32_t i = 0; i < s->m->nv; i++) x[i] *= step / size;
  return true;
}

/* closes the loops, starting from q1 (overwritten); x: scratch, nv */
static bool close_loops(hk_tree *s, double *q1, double *x, const double *v0) {
  const hk_model *m = s->m;
  for (int it = 0; it < 40; it++) {
    state(s, q1, v0);
    double gap = hki_tree_row_norm(s, s->kin.phi);
    if (gap < 1e-12) return true;
    if (!isfinite(gap) || factor(s) != HK_OK) return false;
    memset(x, 0, (size_t)m->nv * sizeof *x);
    hki_tree_project(s, 1.0, s->kin.phi, HK_TREE_CLOSED, x);
    hki_tree_plus(m, q1, x, q1);
  }
  return false;
}

/* Moves a little, closes the loops again and finds the rank there: d->near keeps the largest.
 * Several directions are tried, since few lead away from a singular position. q1 (nq), x (nv):
 * scratch; v0 (nv): zero velocities. */
static void look_around(doctor *d, const double *q, double *q1, double *x, double *v0) {
  hk_tree *s = d->s;
  const hk_model *m = s->m;
  if (!d->here.ndependent || m->nv == d->here.rank) return;
  for (uint64_t try = 0; try < (m->nv > 1000 ? 2 : 8); try++) {
    hk_rank there;
    state(s, q, v0);
    if (!some_motion(d, try + 1, try % 2 ? 0.03 : 0.1, x)) return;
    hki_tree_plus(m, q, x, q1);
    if (!close_loops(s, q1, x, v0) || hki_rank(s, d->tmp, HK_RANK_RATES, &there) != HK_OK) continue;
    if (!d->has_near || there.rank > d->near.rank) d->near = there;
    d->has_near = true;
    if (d->near.rank == d->near.rows) return;
  }
}

/* --- motions that no mass resists ------------------------------------------------------------- */

/* names of the first four coordinates that take part in the direction x (nv) */
static const char *direction(doctor *d, const double *x) {
  const hk_tree *s = d->s;
  const char *text = "";
  double top = 0.0;
  int32_t n = 0;
  for (int32_t i = 0; i < s->m->nv; i++) top = fmax(top, fabs(x[i]) / s->scale[i]);
  for (int32_t i = 0; i < s->m->nv; i++) {
    char name[160];
    if (fabs(x[i]) / s->scale[i] < 1e-6 * top) continue;
    if (++n > 4) continue;
    hki_tree_dof_name(s->m, i, name, sizeof name);
    text = hki_pool_printf(d->tmp, "%s%s%s", text, *text ? ", " : "", name);
    if (!text) return NULL;
  }
  return n > 4 ? hki_pool_printf(d->tmp, "%s and %d more", text, (int)(n - 4)) : text;
}

/* name of the joint or body with the largest scaled coordinate of the direction x */
static const char *owner(const hk_tree *s, const double *x) {
  int32_t at = 0;
  for (int32_t i = 0; i < s->m->nv; i++)
    if (fabs(x[i]) / s->scale[i] > (1.0 + 1e-9) * fabs(x[at]) / s->scale[at]) at = i;
  for (int32_t b = 0; b < s->m->nb; b++) {
    const hk_model_body *mb = &s->m->bodies[b];
    if (at < mb->v0 || at >= mb->v0 + mb->nv) continue;
    return mb->joint == HK_NONE ? s->m->spec->bodies[mb->spec].name
                                : s->m->spec->joints[mb->joint].name;
  }
  return "";
}

/* Coordinates without articulated inertia, whose cost grows with the number of bodies only; the sparse matrix may fill in. Returns
 * their number, -1: no memory; *one: one of them. */
static int32_t count_free(hk_tree *s, int32_t *one) {
  hk_aba f = {0};
  hk_arena a = {0};
  hki_aba_layout(&f, s->m, &a);
  unsigned char *block = hki_alloc(s->ctx, a.used + 64);
  if (!block) return -1;
  a = (hk_arena){block + (64 - (uintptr_t)block % 64) % 64, 0, a.used};
  hki_aba_layout(&f, s->m, &a);
  hki_aba_init(&f, s);
  hki_aba_factor(&f, s, NULL);
  hki_free(s->ctx, block);
  *one = f.soft;
  return f.nsoft;
}

/* large trees: motions without inertia */
static void tree_inertia(doctor *d) {
  hk_tree *s = d->s;
  char name[160];
  int32_t one;
  const int32_t n = count_free(s, &one);
  if (n < 0) d->failed = true;
  if (n <= 0) return;
  hki_tree_dof_name(s->m, one, name, sizeof name);
  add(d, HK_FINDING_INERTIA_FREE, "",
      hki_pool_printf(d->pool, "no mass resists %d motions, one of them %s", (int)n, name));
}

/* does a force or an element act on a massless body? */
static bool acted(const hk_model *m, int32_t b) {
  for (int32_t i = 0; m->bodies[b].massless && i < m->nf; i++)
    for (int k = 0; k < 2; k++)
      if ((m->forces[i].ops->nscal || k < m->forces[i].ops->nmark) && m->forces[i].body[k] == b)
        return true;
  for (int32_t i = 0; m->bodies[b].massless && i < m->nwide; i++)
    for (int32_t k = 0; k < m->wide[i].nmark; k++)
      if (m->wide[i].body[k] == b) return true;
  return false;
}

/* a freedom without mass that forces do not hold; one that nothing acts on is told of by inertia() */
static void loose(doctor *d, int32_t dof, bool free) {
  const hk_model *m = d->s->m;
  char name[160];
  int32_t b = 0;
  while (b < m->nb - 1 && dof >= m->bodies[b].v0 + m->bodies[b].nv) b++;
  d->held = NULL;
  if (!acted(m, b)) return;
  hki_tree_dof_name(m, dof, name, sizeof name);
  add(d, HK_FINDING_INERTIA_FREE, "",
      hki_pool_printf(d->pool, "no mass resists %s, and %s", name,
                      free ? "no spring or damper holds it" : "the forces on it do not balance"));
  d->unheld = true;
}

/* static nodes: finds the freedoms without mass that forces hold; d->held is NULL when there are
 * none, or when forces do not hold all of them */
static void held(doctor *d, const double *q, const double *v) {
  hk_tree *s = d->s;
  int32_t bad;
  double *q1 = hki_pool_alloc(d->tmp, (size_t)(s->m->nq + s->m->nv + 1) * sizeof *q1);
  if (!q1 || hki_held_create(s, d->tmp, q, v, &d->held) != HK_OK) d->failed = true;
  if (d->failed) return;
  if (d->held) {
    memcpy(q1, q, (size_t)s->m->nq * sizeof *q);
    memcpy(q1 + s->m->nq, v, (size_t)s->m->nv * sizeof *v);
    const hk_status st = hki_held_settle(d->held, 0.0, 1e-6, q1, q1 + s->m->nq, &bad);
    if (st != HK_OK) loose(d, bad, st == HK_E_SINGULAR);
  }
  state(s, q, v);
}

/* a coordinate with so little inertia that adding some does not make it regular */
static void too_small(doctor *d, int32_t dof) {
  char name[160];
  hki_tree_dof_name(d->s->m, dof, name, sizeof name);
  add(d, HK_FINDING_INERTIA_FREE, "",
      hki_pool_printf(d->pool, "the inertia that resists %s, %.3g, is too small to compute with",
                      name, d->s->mass[dof]));
}

/* motions that no mass resists, one finding each; x: scratch, nv */
static void inertia(doctor *d, double *x) {
  hk_tree *s = d->s;
  const hk_model *m = s->m;
  double weight[MOST_FREE];
  int32_t bad[MOST_FREE], n = 0;
  const double top = hki_inertia_matrix(s, d->held);
  // add inertia to one coordinate after the other until the matrix is regular
  while (n < MOST_FREE && hki_tree_factor(s) == HK_E_SINGULAR) {
    int32_t k = s->num.bad;
    for (int32_t i = 0; i < n; i++)
      if (bad[i] == k) {
        too_small(d, k);
        return;
      }
    bad[n] = k;
    weight[n++] = top / (s->scale[k] * s->scale[k]);
    s->num.val[s->slot_diag[k]] += top / (s->scale[k] * s->scale[k]);
  }
  if (n == MOST_FREE && hki_tree_factor(s) != HK_OK) {
    add(d, HK_FINDING_INERTIA_FREE, "",
        hki_pool_printf(d->pool, "no mass resists more than %d motions", MOST_FREE - 1));
    return;
  }
  for (int32_t i = 0; i < n; i++) {
    memset(x, 0, (size_t)m->nv * sizeof *x);
    x[bad[i]] = weight[i];
    hki_ldl_solve(s->ldl, &s->num, x);
    const char *words = direction(d, x);
    add(d, HK_FINDING_INERTIA_FREE, owner(s, x),
        words ? hki_pool_printf(d->pool, "no mass resists this motion: %s", words) : NULL);
  }
}

/* the same after releases by events */
static void released(doctor *d, const double *q, const double *v) {
  hk_freed *list;
  int32_t n;
  for (int32_t i = 0; i < d->n; i++)
    if (d->list[i].kind == HK_FINDING_INERTIA_FREE) return;
  if (hki_releases(d->s, d->pool, d->held, q, v, &list, &n) != HK_OK) d->failed = true;
  for (int32_t i = 0; i < n; i++) add(d, HK_FINDING_RELEASE, list[i].item, list[i].text);
  state(d->s, q, v);
}

/* forces whose ends coincide */
static void aimless(doctor *d) {
  const hk_model *m = d->s->m;
  char words[400];
  for (int32_t f = 0; (f = hki_aimless(&d->s->kin, f, words, sizeof words)) != HK_NONE; f++)
    add(d, HK_FINDING_DIRECTION, m->spec->forces[m->forces[f].spec].name,
        hki_pool_strdup(d->pool, words));
}

/* findings of others */
static void adopt(doctor *d, hk_status st, const hk_finding *list, int32_t n) {
  if (st != HK_OK) d->failed = true;
  for (int32_t i = 0; st == HK_OK && i < n; i++) add(d, list[i].kind, list[i].item, list[i].text);
}

/* couplings that lock each other, friction that nothing presses */
static void more(doctor *d, const double *q) {
  hk_finding *list = NULL;
  int32_t n = 0;
  hk_status st = hki_locked(d->s, d->pool, &list, &n);
  adopt(d, st, list, n);
  st = hki_presses(d->s, d->pool, q, &list, &n);
  adopt(d, st, list, n);
}

/* friction that jams its joint */
static void jams(doctor *d, const double *q, const double *v) {
  hk_tree *s = d->s;
  const hk_model *m = s->m;
  hk_jam j;
  char words[400];
  double *work = hki_pool_alloc(d->tmp, (size_t)(hki_jam_work(m) + 1) * sizeof *work);
  if (!work) d->failed = true;
  if (!m->nnormal || !work) return;
  // surfaces that slide at the start
  hki_kin_rest_states(&s->kin);
  state(s, q, v);
  hki_kin_find_states(&s->kin);
  hki_kin_hold_states(&s->kin, NULL);
  if (hki_jam(s, 0.0, q, v, work, &j) != HK_OK || j.margin > 0.0) return;
  hki_jam_words(m, &j, words, sizeof words);
  const char *name = m->spec->joints[m->normals[j.normal == HK_NONE ? 0 : j.normal].joint].name;
  add(d, HK_FINDING_NOTE, name, hki_pool_printf(d->pool, "%s; %s", words, hki_jam_hint));
}

/* --- all of it -------------------------------------------------------------------------------- */

/* Deep trees with loops: without redundant rows all that needs a matrix is to find motions that no mass resists, and
 * there are none where the tree alone resists all of them: T = M + what the loops add. */
static bool needs_no_matrix(doctor *d) {
  int32_t one;
  return !d->here.ndependent && count_free(d->s, &one) == 0;
}

static hk_status examine(doctor *d, const double *q, const double *v, hk_mobility *out) {
  hk_tree *s = d->s;
  const hk_model *m = s->m;
  double *x = hki_pool_alloc(d->tmp, (size_t)(2 * m->nv + m->nq + 1) * sizeof *x);
  if (!x) return HK_E_MEMORY;
  bool large_tree = !m->nrows && m->nv > LARGE, deep;
  for (int32_t b = 0; b < m->nb; b++) large_tree = large_tree && !acted(m, b);
  hk_status st = hki_mobility(s, 0.0, q, v, out);
  if (st == HK_OK) st = hki_lean_suits(s->ctx, m, NULL, 0, &deep);
  if (st == HK_OK && !large_tree && !deep) st = hki_tree_matrix(s);
  if (st != HK_OK) return st;
  state(s, q, v);
  st = hki_rank(s, d->tmp, HK_RANK_RATES, &d->here);
  const bool bare = large_tree || (deep && needs_no_matrix(d));
  if (st == HK_OK && !bare) st = hki_tree_matrix(s);
  if (st != HK_OK) return st;
  if (!bare) held(d, q, v);
  if (large_tree)
    tree_inertia(d);
  else if (!bare && !d->unheld)
    inertia(d, x);
  if (!bare) released(d, q, v);
  massless(d);
  look_around(d, q, x + 2 * m->nv, x, x + m->nv);
  rows(d);
  state(s, q, v);
  aimless(d);
  more(d, q);
  if (!bare) jams(d, q, v);
  // leave the machine at the assembled state
  state(s, q, v);
  return d->failed ? HK_E_MEMORY : HK_OK;
}

hk_status hki_doctor(hk_tree *s, hk_pool *pool, const double *q, const double *v, hk_finding **list,
                     int32_t *n, hk_mobility *out) {
  doctor d = {.s = s, .pool = pool, .tmp = hki_pool_create(s->ctx)};
  *list = NULL;
  *n = 0;
  *out = (hk_mobility){0};
  if (!d.tmp) return HK_E_MEMORY;
  hk_status st = examine(&d, q, v, out);
  if (st == HK_OK) {
    *list = hki_pool_alloc(pool, (size_t)(d.n + 1) * sizeof **list);
    if (!*list) st = HK_E_MEMORY;
    if (st == HK_OK && d.n) memcpy(*list, d.list, (size_t)d.n * sizeof **list);
    if (st == HK_OK) *n = d.n;
  }
  hki_free(s->ctx, d.list);
  hki_pool_destroy(d.tmp);
  return st;
}

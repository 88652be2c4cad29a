/* SPDX-License-Identifier: Apache-2.0
 *
 * assembly_report.c: messages about start data that contradict each other: which joint stays open,
 * by how much, and in conflict with which conditions.
 *
 * Where conditions conflict, the augmented Lagrangian ends at a compromise: the forces alpha * gap
 * of the conflicting rows balance each other, the forces of all other rows vanish. So the rows
 * with a force are the ones in conflict.
 */
#include <stdio.h>

#include "analyses/assembly_impl.h"

static const double takes_part = 1e-3; /* share of the largest force from which a row takes part */
enum { MOST_NAMED = 4 };               /* conditions that a message names */

/* Evaluates closures, named rows and penalties at (q, v). Returns the closure rows (nrows): kin.phi
 * for positions, s->row for rates. */
static const double *evaluate(assembler *A, bool rate, const double *q, const double *v) {
  hk_tree *s = A->s;
  hki_kin_state(&s->kin, A->t, q, v);
  hki_kin_signals(&s->kin, false);
  hki_kin_closures(&s->kin);
  hki_assembly_build(A, rate);
  if (!rate) return s->kin.phi;
  hki_tree_rows(s, v, s->row);
  for (int32_t i = 0; i < s->m->nrows; i++) s->row[i] += s->kin.phit[i];
  return s->row;
}

/* force of a closure, and of a named row: comparable with each other (common unit) */
static double closure_force(const assembler *A, int32_t c, const double *value) {
  const hk_tree *s = A->s;
  const hk_closure *cl = &s->m->closures[c];
  double most = 0.0;
  if (s->kin.disc.active[c] == 0.0) return 0.0;
  for (int32_t r = cl->row0; r < cl->row0 + cl->nrows; r++)
    most = fmax(most, s->alpha[r] * fabs(value[r]) / s->reach[r]);
  return most;
}

static double named_force(const assembler *A, const hk_named *r, bool rate) {
  if (!r->on || r->rate != rate) return 0.0;
  return r->alpha * fabs(r->value) * hki_named_reach(A, r);
}

/* " (model.yaml:12)"; empty for items that come from no file */
static const char *place(const assembler *A, hk_loc loc) {
  const char *file = loc.file >= 0 ? hki_ctx_file_name(A->s->ctx, loc.file) : NULL;
  const char *text = file ? hki_pool_printf(A->pool, " (%s:%d)", file, (int)loc.line) : NULL;
  return text ? text : "";
}

/* "motion of joint 'S', position (model.yaml:12)", "joint 'B' (model.yaml:11)" */
static const char *condition(const assembler *A, int32_t c) {
  const hk_model *m = A->s->m;
  const hk_closure *cl = &m->closures[c];
  const hk_spec_joint *j = &m->spec->joints[cl->joint];
  char row[160], *comma;
  if (cl->role == HK_ROLE_CUT)
    return hki_pool_printf(A->pool, "joint '%s'%s", j->name, place(A, j->loc));
  hki_model_row_name(m, cl->row0, row, sizeof row);
  comma = strrchr(row, ' ');
  hk_loc loc = hki_model_closure_loc(m, c);
  return hki_pool_printf(A->pool, "motion of joint '%s', %s%s", j->name, comma ? comma + 1 : row,
                         place(A, loc));
}

/* do the paths share a coordinate? */
static bool meet(const hk_path *a, const hk_path *b) {
  for (int32_t i = 0; i < a->n; i++)
    for (int32_t j = 0; j < b->n; j++)
      if (a->dof[i] == b->dof[j]) return true;
  return false;
}

typedef struct listing {
  const char *text; /* the first MOST_NAMED conditions, separated by commas */
  int32_t n;        /* number of all of them */
} listing;

static void list(const assembler *A, listing *l, const char *item) {
  if (!item || l->n++ >= MOST_NAMED) return;
  const char *text = hki_pool_printf(A->pool, "%s%s%s", l->text, l->n > 1 ? ", " : "", item);
  if (text) l->text = text;
}

/* Conditions with a force at the state last evaluated, except closure `own` (HK_NONE: none) and
 * named row `subject` (NULL: none). Sets said[c] for each closure in the list (said may be NULL).
 */
static listing parties(assembler *A, bool rate, const double *value, int32_t own,
                       const hk_named *subject, bool *said) {
  const hk_model *m = A->s->m;
  const hk_path *path = subject ? &subject->path : own >= 0 ? &m->closures[own].path : NULL;
  listing l = {"", 0};
  double top = 0.0;
  for (int32_t c = 0; c < m->nc; c++)
    if (c != own) top = fmax(top, closure_force(A, c, value));
  for (int32_t n = 0; n < A->n; n++)
    if (&A->rows[n] != subject) top = fmax(top, named_force(A, &A->rows[n], rate));
  for (int32_t n = 0; n < A->n; n++) {
    const hk_named *r = &A->rows[n];
    if (r == subject || !(named_force(A, r, rate) > takes_part * top)) continue;
    if ((n && A->rows[n - 1].key == r->key) || (subject && subject->key == r->key)) continue;
    list(A, &l, hki_pool_printf(A->pool, "%s%s", r->key, place(A, r->loc)));
  }
  // motions before joints: a motion is more often the mistake
  for (int motions = 1; motions >= 0; motions--)
    for (int32_t c = 0; c < m->nc; c++) {
      if (c == own || (m->closures[c].role != HK_ROLE_CUT) != motions) continue;
      if (!(closure_force(A, c, value) > takes_part * top)) continue;
      if (path && !meet(path, &m->closures[c].path)) continue;
      if (said) said[c] = true;
      list(A, &l, condition(A, c));
    }
  return l;
}

/* tree joints between the two markers of r and the ground: named when no row is in conflict */
static listing carriers(const assembler *A, const hk_named *r) {
  const hk_model *m = A->s->m;
  listing l = {"", 0};
  for (int side = 0; side < 2; side++)
    for (int32_t b = r->body[side]; b != HK_GROUND; b = m->bodies[b].parent)
      if (m->bodies[b].joint >= 0) {
        const hk_spec_joint *j = &m->spec->joints[m->bodies[b].joint];
        list(A, &l, hki_pool_printf(A->pool, "joint '%s'%s", j->name, place(A, j->loc)));
      }
  return l;
}

const char *hki_assembly_conflict(assembler *A, bool rate, const double *q, const double *v,
                                  const hk_named *subject) {
  const hk_tree *s = A->s;
  if (!rate) memset(s->v, 0, (size_t)s->m->nv * sizeof *s->v);
  const double *value = evaluate(A, rate, q, rate ? v : s->v);
  listing l = parties(A, rate, value, HK_NONE, subject, NULL);
  if (!l.n || hki_named_reach(A, subject) < 1e-6) l = carriers(A, subject);
  if (!l.n) return "the planar motion";
  return l.n > MOST_NAMED ? hki_pool_printf(A->pool, "%s and %d more", l.text, l.n - MOST_NAMED)
                          : l.text;
}

void hki_assembly_moved(assembler *A, bool rate, const double *v, hk_assembly *out) {
  hk_tree *s = A->s;
  hki_kin_state(&s->kin, A->t, out->q, v);
  for (int32_t n = 0; n < A->n; n++) {
    hk_named *r = &A->rows[n];
    if (r->rate != rate || r->on) continue;
    hki_named_eval(&s->kin, r);
    const char *with = r->with ? r->with : "the others";
    const char *text =
        r->kind == HK_NAMED_ORIENTATION && !rate
            ? hki_pool_printf(A->pool,
                              "%s: start value of %s conflicts with %s: it is %.6g rad away",
                              r->key, r->what, with, fabs(r->value))
            : hki_pool_printf(A->pool,
                              "%s: start value of %s conflicts with %s: it is %.9g %s instead of "
                              "%.9g %s, off by %.4g %s",
                              r->key, r->what, with, r->value + r->target, r->unit, r->target,
                              r->unit, fabs(r->value), r->unit);
    if (!text) return;
    hki_warn(s->ctx, r->loc, "the joints and the values before it fix it", "%s", text);
    if (out->moved) out->moved[out->nmoved] = (hk_moved){r->item, hki_pool_strdup(out->pool, text)};
    out->nmoved++;
  }
}

/* --- errors ----------------------------------------------------------------------------------- */

/* "2.5 mm": the gap of a closure, of its lengths if they are open, else of its angles; false when
 * it is closed */
static bool gap_words(const assembler *A, int32_t c, bool rate, const double *value, char *buf,
                      size_t cap) {
  const hk_model *m = A->s->m;
  const hk_closure *cl = &m->closures[c];
  double apart = 0.0, turn = 0.0;
  if (A->s->kin.disc.active[c] == 0.0) return false;
  for (int32_t r = cl->row0; r < cl->row0 + cl->nrows; r++) {
    if (hki_model_row_is_length(m, r))
      apart = hypot(apart, value[r]);
    else
      turn = hypot(turn, value[r]);
  }
  if (apart >= HK_ASSEMBLY_CLOSED * m->length)
    snprintf(buf, cap, rate ? "%.4g m/s" : "%.4g mm", rate ? apart : 1e3 * apart);
  else if (turn >= HK_ASSEMBLY_CLOSED)
    snprintf(buf, cap, rate ? "%.4g rad/s" : "%.4g deg",
             rate ? turn : turn * 180.0 / 3.14159265358979323846);
  else
    return false;
  return true;
}

/* the open closure with the largest gap that is not yet in a message (said); HK_NONE: none */
static int32_t worst(const assembler *A, bool rate, const double *value, const bool *said) {
  const hk_model *m = A->s->m;
  int32_t at = HK_NONE;
  double most = 0.0;
  char buf[64];
  for (int32_t c = 0; c < m->nc; c++) {
    double e = 0.0;
    for (int32_t r = m->closures[c].row0; r < m->closures[c].row0 + m->closures[c].nrows; r++)
      e = fmax(e, fabs(value[r]) * A->s->reach[r]);
    if (said[c] || e <= most || !gap_words(A, c, rate, value, buf, sizeof buf)) continue;
    most = e;
    at = c;
  }
  return at;
}

/* message about closure c, which stays open: its loop, its gap, its conflicts */
static const char *open_words(assembler *A, int32_t c, bool rate, const double *value, bool *said) {
  const hk_model *m = A->s->m;
  const hk_closure *cl = &m->closures[c];
  char loop[512], gap[64] = "";
  said[c] = true;
  hki_model_loop_names(m, c, loop, sizeof loop);
  gap_words(A, c, rate, value, gap, sizeof gap);
  listing l = parties(A, rate, value, c, NULL, said);
  const char *against = l.n ? ", in conflict with " : "";
  if (cl->role != HK_ROLE_CUT && !rate) {
    const char *words = hki_pool_printf(A->pool, "%s cannot hold: it stays %s off%s%s",
                                        condition(A, c), gap, against, l.text);
    return words ? words : "a motion cannot hold";
  }
  const char *text =
      rate
          ? hki_pool_printf(A->pool,
                            "%s cannot move as prescribed: its rates conflict at t = %.6g s, joint "
                            "'%s' comes apart at %s%s%s",
                            loop, A->t, m->spec->joints[cl->joint].name, gap, against, l.text)
          : hki_pool_printf(A->pool, "%s cannot close: joint '%s' stays %s apart%s%s", loop,
                            m->spec->joints[cl->joint].name, gap, against, l.text);
  return text ? text : "a loop cannot close";
}

/* one error for each open closure that no earlier message has named */
static hk_status say_open(assembler *A, bool rate, const double *value, const char *hint) {
  hk_tree *s = A->s;
  const hk_model *m = s->m;
  hk_status st = HK_OK;
  bool *said = hki_pool_alloc(A->pool, (size_t)m->nc + 1);
  if (!said) return HK_E_MEMORY;
  for (int32_t c; (c = worst(A, rate, value, said)) != HK_NONE;)
    st = hki_error(s->ctx, HK_E_ASSEMBLY, m->spec->joints[m->closures[c].joint].loc, hint, "%s",
                   open_words(A, c, rate, value, said));
  if (st == HK_OK)
    st = hki_error(s->ctx, HK_E_ASSEMBLY, HK_LOC_NONE, NULL,
                   "the loops do not close from the drawing position");
  return st;
}

/* q moves to the compromise in which, as far as possible, only cut joints stay open; returns the
 * rows there */
static const double *soft_positions(assembler *A, double *q) {
  A->soft = true;
  hki_assembly_close(A, q, false);
  memset(A->s->v, 0, (size_t)A->s->m->nv * sizeof *A->s->v);
  return evaluate(A, false, q, A->s->v);
}

hk_status hki_assembly_open(assembler *A, double *q) {
  return say_open(A, false, soft_positions(A, q),
                  "check the points and lengths of these joints, and prescribed motions at t = 0");
}

hk_status hki_assembly_stuck(assembler *A, const double *q, double *v) {
  A->soft = true;
  hki_assembly_rates(A, q, v);
  return say_open(A, true, evaluate(A, true, q, v),
                  A->s->m->ncurved
                      ? "a condition that is not linear in velocities is solved from the start "
                        "values: name velocities near to it that are not zero"
                      : "two prescribed motions may ask for different speeds of one loop");
}

bool hki_closes(hk_tree *s, double t, double *q, char *words, size_t cap) {
  const hk_model *m = s->m;
  assembler A = {
      .s = s, .t = t, .later = true, .from = s->m->q_draw, .pool = hki_pool_create(s->ctx)};
  bool closed = true;
  if (!A.pool) return true;
  A.D = hki_pool_alloc(A.pool, (size_t)(3 * m->nv + 1) * sizeof *A.D);
  A.loose = hki_pool_alloc(A.pool, (size_t)(m->nv + 1) * sizeof *A.loose);
  bool *said = hki_pool_alloc(A.pool, (size_t)m->nc + 1);
  if (A.D && A.loose && said && hki_tree_matrix(s) == HK_OK) {
    A.Md = A.D + m->nv;
    A.extra = A.Md + m->nv;
    closed = hki_assembly_close(&A, q, false);
    const double *value = closed ? NULL : soft_positions(&A, q);
    int32_t c = closed ? HK_NONE : worst(&A, false, value, said);
    if (c != HK_NONE) snprintf(words, cap, "%s", open_words(&A, c, false, value, said));
    closed = c == HK_NONE;
  }
  hki_pool_destroy(A.pool);
  return closed;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * start_state.c: the assembled state in words: each coordinate and rate that is named, has left the
 * drawing or is not at rest, with its value in the drawing, the value asked for, the value found,
 * and the reason: its name under `start`, a motion, the equilibrium, a loop that closes.
 */
#include "analyses/start_state.h"

#include <stdio.h>

static const double still = 1e-9; /* rad, or lengths of the mechanism, per second or not */

enum { IN_DRAWING, PLACED, FOUND, STATES }; /* PLACED: before the search for an equilibrium */
enum { SAID_POSITION = 1, SAID_ORIENTATION = 2, SAID_VELOCITY = 4, SAID_SPIN = 8 };

typedef struct teller {
  hk_tree *s;
  const hk_assembly *as;
  hk_check_value *list; /* n, on the heap */
  int32_t n, cap, others;
  int32_t *named[2];       /* ns each: row that names a scalar's value, its rate; HK_NONE */
  int32_t *loop;           /* nv: first cut joint with this velocity on its path; HK_NONE */
  uint8_t *said;           /* nb: SAID_ bits of bodies whose values are named */
  double *value[STATES];   /* ns: scalars of joints */
  double *rate;            /* ns */
  hk_frame *frame[STATES]; /* nb: frames that channels report */
  double *row;             /* as->nrows: named values in the drawing */
  bool failed;             /* out of memory */
} teller;

static void tell(teller *T, hk_check_value x) {
  if (!x.name || !x.why || !HK_GROW(T->s->ctx, T->list, T->cap, T->n + 1))
    T->failed = true;
  else
    T->list[T->n++] = x;
}

/* --- why -------------------------------------------------------------------------------------- */

/* for a velocity index: the loop it helps to close, or the named value that it brings about */
static const char *cause(teller *T, int32_t dof, int32_t closure, bool rate) {
  char words[512];
  if (closure == HK_NONE && dof >= 0) closure = T->loop[dof];
  if (closure != HK_NONE) {
    hki_model_loop_names(T->s->m, closure, words, sizeof words);
    return hki_pool_printf(T->as->pool, rate ? "moves with %s" : "closes %s", words);
  }
  for (int32_t i = 0; i < T->as->nrows; i++) {
    const hk_named *r = &T->as->rows[i];
    for (int32_t k = 0; r->rate == rate && k < r->path.n; k++)
      if (r->path.dof[k] == dof) return hki_pool_printf(T->as->pool, "for %s", r->key);
  }
  if (rate && hki_assembly_carries(T->s->m)) return "moving frame";
  return T->s->m->spec->relax > 0.0 ? "relax" : "assembly";
}

/* is scalar i, or its rate, prescribed? */
static bool driven(const hk_model *m, int32_t i, bool rate) {
  const hk_model_joint *x = &m->joints[m->scalars[i].joint];
  for (int32_t c = x->motion0; c < x->motion0 + x->nmotion; c++)
    if (m->closures[c].scalar == i)
      return hki_closure_order(m, &m->closures[c], 0) <= (rate ? 1 : 0);
  return false;
}

/* --- what ------------------------------------------------------------------------------------- */

/* a named value, or one component of it; an orientation is told once, by its angle */
static void tell_named(teller *T, int32_t i) {
  const hk_named *r = &T->as->rows[i];
  const char *why = r->on ? "named"
                          : hki_pool_printf(T->as->pool, "named, but conflicts with %s",
                                            r->with ? r->with : "the others");
  hk_check_value x = {r->name, r->unit, T->row[i] + r->target, r->target, r->value + r->target,
                      why};
  if (r->kind == HK_NAMED_ORIENTATION && !r->rate) {
    if (r->component) return;
    x.drawn = v3_norm((double[3]){T->row[i], T->row[i + 1], T->row[i + 2]});
    x.found = v3_norm((double[3]){r[0].value, r[1].value, r[2].value});
    x.asked = 0.0;
    if (r->on) why = x.why = "named; angle from the orientation asked for";
  }
  if (r->rate) x.drawn = 0.0;
  tell(T, x);
}

/* a scalar of a joint, or its rate, unless it is named */
static void tell_scalar(teller *T, int32_t i, bool rate) {
  const hk_model *m = T->s->m;
  const hk_scalar *sc = &m->scalars[i];
  const hk_joint_ops *ops = m->spec->joints[sc->joint].ops;
  const double unit = hki_scalar_is_length(ops->scalars[sc->coord]) ? m->length : 1.0;
  const double drawn = rate ? 0.0 : T->value[IN_DRAWING][i];
  const double found = rate ? T->rate[i] : T->value[FOUND][i];
  int n, nu;
  if (T->named[rate][i] != HK_NONE) return;
  if (!(fabs(found - drawn) > still * unit)) {
    T->others++;
    return;
  }
  const char *word = hki_word(rate ? ops->rates : ops->coords, sc->coord, &n);
  const char *of = hki_word(ops->units, sc->coord, &nu);
  const bool settled = !rate && m->spec->equilibrium != HK_EQ_OFF &&
                       fabs(found - T->value[PLACED][i]) > still * unit;
  tell(T,
       (hk_check_value){
           hki_pool_printf(T->as->pool, "joint.%s.%.*s", m->spec->joints[sc->joint].name, n, word),
           hki_pool_printf(T->as->pool, rate ? "%.*s/s" : "%.*s", nu, of), drawn, NAN, found,
           driven(m, i, rate) ? "motion"
           : settled          ? "equilibrium"
                              : cause(T, sc->vi, m->joints[sc->joint].closure, rate)});
}

/* angle of the rotation from R to S */
static double angle(const double *R, const double *S) {
  double E[9], d[3];
  m3_tmul(E, R, S);
  rot_log(d, E);
  return v3_norm(d);
}

/* position, orientation, velocity and angular velocity of a body that no joint binds */
static void tell_body(teller *T, int32_t b) {
  static const struct {
    const char *name, *unit;
    uint8_t said;
  } what[4] = {{"position", "m", SAID_POSITION},
               {"velocity", "m/s", SAID_VELOCITY},
               {"angular_velocity", "rad/s", SAID_SPIN},
               {"orientation", "rad", SAID_ORIENTATION}};
  const hk_model *m = T->s->m;
  const hk_frame *was = &T->frame[IN_DRAWING][b], *put = &T->frame[PLACED][b];
  const hk_frame *is = &T->frame[FOUND][b];
  const char *name = m->spec->bodies[m->bodies[b].spec].name;
  const double turn = angle(was->R, is->R);
  for (int k = 0; k < 10; k++) {
    const int w = k / 3, c = k % 3;
    const double drawn = w == 0 ? was->p[c] : 0.0;
    const double found = w == 0 ? is->p[c] : w == 1 ? is->v[c] : w == 2 ? is->w[c] : turn;
    const double settled = w == 0 ? is->p[c] - put->p[c] : w == 3 ? angle(put->R, is->R) : 0.0;
    const double unit = w < 2 ? m->length : 1.0;
    if (T->said[b] & what[w].said) continue;
    if (!(fabs(found - drawn) > still * unit)) {
      T->others++;
      continue;
    }
    const char *full =
        w < 3 ? hki_pool_printf(T->as->pool, "body.%s.%s.%c", name, what[w].name, "xyz"[c])
              : hki_pool_printf(T->as->pool, "body.%s.orientation", name);
    const bool rest = m->spec->equilibrium != HK_EQ_OFF && fabs(settled) > still * unit;
    tell(T, (hk_check_value){full, what[w].unit, drawn, NAN, found,
                             rest ? "equilibrium"
                                  : cause(T, m->bodies[b].v0, HK_NONE, w == 1 || w == 2)});
  }
}

/* --- all of it -------------------------------------------------------------------------------- */

static bool layout(teller *T) {
  const hk_model *m = T->s->m;
  hk_pool *pool = T->as->pool;
  const size_t ns = (size_t)m->ns, nb = (size_t)m->nb;
  int32_t *ints = hki_pool_alloc(pool, (2 * ns + (size_t)m->nv + 1) * sizeof *ints);
  double *reals = hki_pool_alloc(pool, (4 * ns + (size_t)T->as->nrows + 1) * sizeof *reals);
  hk_frame *frames = hki_pool_alloc(pool, (STATES * nb + 1) * sizeof *frames);
  T->said = hki_pool_alloc(pool, nb + 1);
  if (!ints || !reals || !frames || !T->said) return false;
  for (size_t i = 0; i < 2 * ns + (size_t)m->nv; i++) ints[i] = HK_NONE;
  T->named[0] = ints;
  T->named[1] = ints + ns;
  T->loop = ints + 2 * ns;
  T->rate = reals;
  for (int k = 0; k < STATES; k++) {
    T->value[k] = reals + (size_t)(k + 1) * ns;
    T->frame[k] = frames + (size_t)k * nb;
  }
  T->row = reals + 4 * ns;
  memset(T->said, 0, nb + 1);
  return true;
}

/* which scalars and bodies are named, and which velocities lie in loops */
static void index_all(teller *T) {
  static const uint8_t bits[2][2] = {{SAID_POSITION, SAID_ORIENTATION}, {SAID_VELOCITY, SAID_SPIN}};
  const hk_model *m = T->s->m;
  for (int32_t i = 0; i < T->as->nrows; i++) {
    const hk_named *r = &T->as->rows[i];
    if (r->kind == HK_NAMED_SCALAR)
      T->named[r->rate][r->scalar] = i;
    else if (r->body[1] >= 0)
      T->said[r->body[1]] |= bits[r->rate][r->kind == HK_NAMED_ORIENTATION];
  }
  for (int32_t c = m->nc - 1; c >= 0; c--)
    for (int32_t k = 0; k < m->closures[c].path.n; k++)
      if (m->closures[c].role == HK_ROLE_CUT && m->closures[c].active)
        T->loop[m->closures[c].path.dof[k]] = c;
}

/* scalars and frames at (q, v) */
static void look(teller *T, int state, const double *q, const double *v) {
  const hk_model *m = T->s->m;
  hk_kin *k = &T->s->kin;
  hki_kin_state(k, 0.0, q, v);
  for (int32_t i = 0; i < m->ns; i++) {
    const hk_spec_joint *j = &m->spec->joints[m->scalars[i].joint];
    double rate;
    hki_kin_scalar(k, i, &T->value[state][i], &rate);
    if (state == FOUND) T->rate[i] = rate;
    // coordinates count from the drawing, whatever the number of turns since
    if (state == IN_DRAWING && j->ops->place != HK_PLACE_ENDS)
      T->value[state][i] = j->zero[m->scalars[i].coord];
  }
  for (int32_t b = 0; b < m->nb; b++) hki_kin_marker(k, b, &m->bodies[b].own, &T->frame[state][b]);
  for (int32_t i = 0; i < T->as->nrows; i++) {
    hki_named_eval(k, &T->as->rows[i]);
    if (state == IN_DRAWING) T->row[i] = T->as->rows[i].value;
  }
}

/* is a joint of the file on, so that its coordinates mean something? */
static bool is_on(const hk_model *m, int32_t joint) {
  const int32_t c = m->joints[joint].closure;
  return joint < m->nj - m->spec->nhidden && (c == HK_NONE || m->closures[c].active);
}

static void tell_all(teller *T) {
  const hk_model *m = T->s->m;
  for (int32_t i = 0; i < T->as->nrows; i++) tell_named(T, i);
  for (int rate = 0; rate < 2; rate++)
    for (int32_t i = 0; i < m->ns; i++)
      if (is_on(m, m->scalars[i].joint)) tell_scalar(T, i, rate);
  for (int32_t b = 0; b < m->nb; b++)
    if (m->bodies[b].joint == HK_NONE) tell_body(T, b);
}

hk_status hki_start_state(hk_tree *s, const hk_assembly *as, const hk_check_value **list,
                          int32_t *n, int32_t *others) {
  teller T = {.s = s, .as = as};
  hk_check_value *kept = NULL;
  if (!as->placed || !layout(&T)) return HK_E_MEMORY;
  index_all(&T);
  look(&T, IN_DRAWING, s->m->q_draw, as->v);
  look(&T, PLACED, as->placed, as->v);
  look(&T, FOUND, as->q, as->v);
  tell_all(&T);
  if (!T.failed) kept = hki_pool_alloc(as->pool, (size_t)(T.n + 1) * sizeof *kept);
  if (kept && T.n) memcpy(kept, T.list, (size_t)T.n * sizeof *kept);
  hki_free(s->ctx, T.list);
  *list = kept;
  *n = kept ? T.n : 0;
  *others = T.others;
  return kept ? HK_OK : HK_E_MEMORY;
}

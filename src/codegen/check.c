/* SPDX-License-Identifier: Apache-2.0
 *
 * check.c: a program beside the library's step.
 *
 * Sizes. A number x of the program agrees with y of the library where
 *
 *   |x - y| <= TOLERANCE (|y| + size)
 *
 * with the largest of its kind (coordinates, velocities, accelerations) as its size, and of outputs and all others the largest
 * that they have been. Both are computed by the same operations in the same order, but for those that are left out because
 * something is zero or one, so that only roundings of the last place may differ.
 */
#include "codegen/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "codegen/setup.h"
#include "codegen/values.h"
#include "codegen/write.h"

/* steps with other parameters, and at least of the model; those that are taken with what is moved; at most of the model; starts far away, with
 * two steps each; jumps of signals, four steps each */
enum { PLAIN = 8, MOVED = 6, MOST_STEPS = 60, FAR = 15, JUMPS = 8 };
#define TOLERANCE 1e-12
/* numbers that decide on the end of an iteration (hk_trace_loop), of its last turn and, after those, of its first; their size: they are scaled */
enum { LAST = 3, ENDS = 5 };
static const double end_size = 1e-3;
#define INSTRUCTIONS ((int64_t)60e6) /* of the kernel, beyond which no more steps are taken */

typedef struct checker {
  const hk_plan *p;
  hk_followed *w; /* whose machine takes the library's steps */
  hk_values v;
  double *x, *n, *y; /* state before and after a step of the program; outputs */
  double *z;         /* the state as the library has it */
  double *size;      /* of numbers of the state, of outputs */
  int32_t step;
  bool moved; /* coordinates are not those of a run */
  bool quiet; /* a difference is a status and no message */
  /* the step of the library: its iterations, and whether the program may leave it to the library */
  int32_t loop, turns[HK_TRACE_LOOPS];
  double said[HK_TRACE_LOOPS][ENDS]; /* of each: what decides on its end */
  double before;                     /* size of the last turn but one */
  bool refused;
  const double *parameters; /* other values of those that are kept */
  hk_checked *seen;
} checker;

/* --- the library's step ------------------------------------------------------------------------ */

/* A tangent with which an iteration shrinks so slowly is changed by the library, where the formulation has another one (watch_rate of
 * stage/newton.c). */
static bool is_slow(int32_t turn, double size, double before, double enough) {
  const double rate = size / before;
  return turn > 1 && rate > (turn == 2 ? 0.5 : 0.25) &&
         (rate >= 1.0 || size * pow(rate, 8.0) > enough);
}

/* Iterations end where the correction is within the tolerance. The program makes as many turns. */
static int32_t goes_on(checker *c) {
  if (c->loop >= c->p->t->nloops) return 1;
  const double size = fmax(c->said[c->loop][0], c->said[c->loop][1]), before = c->before;
  const int32_t turn = c->turns[c->loop];
  if (!c->moved && size > c->p->t->tolerance && is_slow(turn, size, before, c->p->t->tolerance))
    c->p->t->slow = true;
  c->before = size;
  const bool more = turn == 0 || (size > c->p->t->tolerance && size < 1e6);
  return more && turn < c->p->t->max_iter ? INT32_MAX : 0;
}

static hk_slot parameter(const checker *c, const hk_slot *args) {
  hk_slot x = args[1];
  const hk_setup *s = c->p->t->setup;
  const uint32_t at = (uint32_t)args[0].bits;
  for (int32_t i = 0; c->parameters && s && i < s->n && at < c->w->m.size; i++)
    if (strncmp(s->names[i], (const char *)c->w->m.mem + at, c->w->m.size - at) == 0)
      x = hki_slot_of(c->parameters[i]);
  return x.real = true, x;
}

static hk_status import(hk_guest *m, const char *name, hk_slot *a, hk_slot *out) {
  checker *c = m->user;
  *out = (hk_slot){.bits = 8}; // files: there are none
  if (strstr(name, "mark")) {
    if (a[0].bits == HK_TRACE_END)
      c->loop++;
    else if (c->loop < HK_TRACE_LOOPS)
      c->turns[c->loop]++;
  } else if (strstr(name, "value")) {
    const bool late = a[0].bits > LAST && c->turns[c->loop % HK_TRACE_LOOPS] > 1;
    if (c->loop < HK_TRACE_LOOPS && a[0].bits <= ENDS && !late)
      c->said[c->loop][a[0].bits - 1] = hki_slot_double(a[1]);
  } else if (strstr(name, "turns")) {
    *out = (hk_slot){.bits = (uint32_t)goes_on(c)};
  } else if (strstr(name, "parameter")) {
    *out = parameter(c, a);
  } else if (strstr(name, "refuse")) {
    c->refused = true;
  }
  return HK_OK;
}

static double cell(const checker *c, uint32_t at) {
  double x = NAN;
  if (at + 8 <= c->w->m.size) memcpy(&x, c->w->m.mem + at, sizeof x);
  return x;
}

/* a number of the state as the library has it; parameters are nowhere in its memory */
static double library(const checker *c, int32_t i) {
  const hk_trace_state *s = &c->p->t->states[c->p->cell[i]];
  return s->at >= HK_SETUP_AT ? c->x[i] : cell(c, s->at);
}

/* Of a run: a number that the library does not keep. The program gets none with a state of the library's. */
static bool is_own(const checker *c, int32_t i) {
  int32_t block = 0, place = 0;
  if (c->p->t->whole) hki_run_place(c->p, i, &block, &place);
  return block == HK_RUN_OWN;
}

static void read_library(checker *c) {
  for (int32_t i = 0; i < c->p->nx; i++) c->z[i] = library(c, i);
}

static void take_library(checker *c) {
  read_library(c);
  for (int32_t i = 0; i < c->p->nx; i++) c->x[i] = is_own(c, i) ? NAN : c->z[i];
}

/* --- differences -------------------------------------------------------------------------------- */

/* the kind of a number of the state, by its place: coordinates, velocities, accelerations, others */
static int kind_of(const checker *c, int32_t i) {
  const int32_t nq = c->p->t->nq, nv = c->p->t->nv;
  return i < nq ? 0 : i < nq + nv ? 1 : i < nq + 2 * nv ? 2 : 3;
}

static void name_of(const checker *c, int32_t i, char *out, size_t n) {
  static const char *const kinds[] = {"coordinate ", "velocity ", "acceleration ",
                                      "number of the state "};
  const int32_t nq = c->p->t->nq, nv = c->p->t->nv, first[] = {0, nq, nq + nv, 0};
  const int k = kind_of(c, i);
  snprintf(out, n, "%s%d", kinds[k], i - first[k] + 1);
}

/* an error: what is not as with the library */
static hk_status refuse(const checker *c, const char *what) {
  const char *how = c->parameters ? ", with other values of the parameters that are kept,"
                    : c->moved    ? ", with inputs and coordinates moved,"
                                  : "";
  if (c->quiet) return HK_E_MODEL;
  return hki_error(
      c->p->t->ctx, HK_E_MODEL, HK_LOC_NONE,
      "nothing was made of it; hooke run and an FMU, which hold the whole library, are not "
      "concerned. Please report the model",
      "the program would not be right: after %d steps%s %s", (int)c->step, how, what);
}

static hk_status differs(const checker *c, const char *what, double x, double y) {
  char text[256];
  snprintf(text, sizeof text, "%s is %.17g, and %.17g with the library", what, x, y);
  return refuse(c, text);
}

/* size: the largest that it has been, by now */
static bool agrees(const checker *c, double x, double y, double *size) {
  if (isnan(x) && isnan(y)) return true;
  if (x == y) return *size = fmax(*size, fabs(y)), true;
  *size = fmax(*size, fabs(y));
  const double off = fabs(x - y) / (fabs(y) + *size);
  if (c->seen && !(off <= c->seen->worst)) c->seen->worst = off;
  return off <= TOLERANCE;
}

static hk_status compare_outputs(checker *c) {
  const hk_followed *t = c->p->t;
  hki_values_outputs(&c->v, c->n, c->y);
  for (int32_t i = 0; i < t->noutputs; i++) {
    uint64_t status = 0;
    hk_status st = hki_trace_call(c->w, "gx_output", 1, (uint64_t)t->shows[i], 0, &status);
    if (st != HK_OK) return st;
    if ((int32_t)status != HK_OK) continue;
    const double y = cell(c, t->y + 8 * (uint32_t)t->shows[i]);
    if (agrees(c, c->y[i], y, &c->size[c->p->nx + i])) continue;
    const char *name = hki_pool_printf(t->pool, "'%s'", t->output_names[i]);
    return name ? differs(c, name, c->y[i], y) : HK_E_MEMORY;
  }
  return HK_OK;
}

static hk_status compare_states(checker *c, const double *n) {
  double largest[3] = {0};
  for (int32_t i = 0; i < c->p->nx; i++) {
    const int k = kind_of(c, i);
    if (k < 3) largest[k] = fmax(largest[k], fabs(c->z[i]));
  }
  for (int32_t i = 0; i < c->p->nx; i++) {
    const int k = kind_of(c, i);
    if (k < 3) c->size[i] = fmax(c->size[i], largest[k]);
    const double y = c->z[i];
    if (agrees(c, n[i], y, &c->size[i]) || is_own(c, i)) continue;
    char name[64];
    name_of(c, i, name, sizeof name);
    return differs(c, name, n[i], y);
  }
  return HK_OK;
}

/* Both make as many turns here. A program decides on them by these numbers, so that they must be the library's. */
static hk_status compare_ends(checker *c) {
  static const char *const names[ENDS] = {"the correction", "the rows", "the end by the rate",
                                          "the error of the prediction", "what a turn leaves"};
  for (int32_t k = 0; k < c->p->t->nloops; k++) {
    const hk_trace_loop *l = &c->p->t->loops[k];
    const double *of = c->v.of, *foretold = c->v.foretold[k];
    const double all[ENDS] = {of[l->step], of[l->constraint], of[l->by_rate], foretold[0],
                              foretold[1]};
    for (int32_t i = 0; i < ENDS; i++) {
      double size = end_size;
      if (!agrees(c, all[i], c->said[k][i], &size))
        return differs(c, names[i], all[i], c->said[k][i]);
    }
  }
  return HK_OK;
}

/* --- steps -------------------------------------------------------------------------------------- */

/* what a program looks at before it takes a step for one (HKX_TAIL of prelude.c) */
static bool is_finite(const checker *c, const double *x) {
  const hk_followed *t = c->p->t;
  const int32_t n = t->whole ? t->nq + 2 * t->nv : c->p->nx;
  for (int32_t i = 0; i < n; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

/* One step of both. *ends: no more can be taken. */
static hk_status take_step(checker *c, bool *ends) {
  uint64_t status = 0;
  c->loop = 0, c->refused = false, c->step++;
  memset(c->turns, 0, sizeof c->turns);
  memset(c->said, 0, sizeof c->said);
  hk_status st = hki_trace_call(c->w, "gx_step", 0, 0, 0, &status);
  if (st != HK_OK) return st;
  const bool taken = (int32_t)status == HK_OK, whole = c->p->t->whole;
  const bool took = hki_values_step(&c->v, c->x, c->turns, c->n) && is_finite(c, c->n);
  if (!taken || !took) {
    // of a run, what the program does not take is taken by the library
    *ends = !taken || !whole;
    if (taken && whole) take_library(c);
    if (taken == took || (taken && (whole || c->moved)) || (!taken && c->moved)) return HK_OK;
    return refuse(c, took ? "it goes on where the library fails"
                          : "it fails where the library goes on");
  }
  if (c->loop != c->p->t->nloops)
    return differs(c, "the number of its iterations", c->p->t->nloops, c->loop);
  read_library(c); // outputs leave their traces in it
  *ends = c->moved && !is_finite(c, c->z);
  if (*ends) return HK_OK;
  st = compare_outputs(c);
  if (st == HK_OK) st = compare_states(c, c->n);
  if (st == HK_OK) st = compare_ends(c);
  if (c->seen) c->seen->steps++;
  memcpy(c->x, c->n, (size_t)c->p->nx * sizeof *c->x);
  return st;
}

/* a number of the state is another one, for both */
static void put(checker *c, uint32_t at, double x) {
  const hk_trace_state *s = hki_trace_state(c->p->t, at);
  if (!s || s->number < 0 || at + 8 > c->w->m.size) return;
  c->x[s->number] = x;
  memcpy(c->w->m.mem + at, &x, sizeof x);
}

/* numbers between -1 and 1 that look like chance */
static double chance(uint32_t *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / 8388608.0 - 1.0;
}

static void move_all(checker *c, uint32_t at, int32_t n, double by, uint32_t *seed) {
  for (int32_t i = 0; i < n; i++) {
    const double x = cell(c, at + 8 * (uint32_t)i);
    put(c, at + 8 * (uint32_t)i, x + by * (1.0 + fabs(x)) * chance(seed));
  }
}

/* inputs by a tenth of their size, velocities by the part `by`, coordinates by a third of that where it is much */
static void move(checker *c, double by, uint32_t *seed) {
  const hk_followed *t = c->p->t;
  move_all(c, t->u, t->ninputs, 0.1, seed);
  move_all(c, t->v, t->nv, by, seed);
  if (by > 2e-3) move_all(c, t->q, t->nq, 0.3 * by, seed);
  c->moved = true;
}

static hk_status take_steps(checker *c, int32_t most) {
  const int64_t from = c->w->m.executed;
  hk_status st = HK_OK;
  bool ends = false;
  uint32_t seed = 1;
  for (int32_t k = 0; k < most && !ends && st == HK_OK; k++) {
    if (k >= PLAIN && c->w->m.executed - from > INSTRUCTIONS) break;
    st = take_step(c, &ends);
  }
  for (int32_t k = 0; k < MOVED && !ends && st == HK_OK; k++) {
    move(c, 1e-3, &seed);
    st = take_step(c, &ends);
  }
  if (c->seen) c->seen->instructions += c->w->m.executed - from;
  return st;
}

/* --- cases ------------------------------------------------------------------------------------- */

static void watch(checker *c, hk_followed *w) {
  c->w = w, c->step = 0, c->moved = false;
  w->m.import = import, w->m.user = c, w->m.quiet = true;
}

/* Both at the start. Of a run the library takes the first step, and the program goes on from there: books may begin with what is no
 * number. *ends: the library takes no step. */
static hk_status begin(checker *c, bool *ends) {
  hk_status st = HK_OK;
  watch(c, c->p->t);
  hki_trace_restart(c->w);
  hki_values_start(c->p, c->x);
  read_library(c);
  if (c->p->t->whole) {
    uint64_t status = 0;
    st = hki_trace_call(c->w, "gx_step", 0, 0, 0, &status);
    *ends = (int32_t)status != HK_OK;
    take_library(c);
    c->step = 1;
  }
  return st;
}

/* Far from the start, wherever that leads: other ways of branches are taken there, and what both compute is the same all the same. A
 * step that either cannot take says nothing. */
static hk_status check_far(checker *c) {
  static const double by[] = {0.02, 0.1, 0.5};
  uint32_t seed = 7;
  hk_status st = HK_OK;
  for (int32_t k = 0; k < FAR && st == HK_OK; k++) {
    bool ends = false;
    st = begin(c, &ends);
    if (st == HK_OK && !ends) move(c, by[k % 3], &seed);
    for (int32_t i = 0; i < 2 && !ends && st == HK_OK; i++) st = take_step(c, &ends);
  }
  return st;
}

/* Across jumps of signals, from two steps before each. */
static hk_status check_jumps(checker *c) {
  const hk_followed *t = c->p->t;
  hk_status st = HK_OK;
  for (uint64_t k = 0; k < JUMPS && st == HK_OK; k++) {
    bool ends = false;
    hk_slot at = {.real = true};
    st = begin(c, &ends);
    if (st == HK_OK) st = hki_trace_call(c->w, "gx_jump", 1, k, 0, &at.bits);
    if (ends || !isfinite(hki_slot_double(at))) break;
    put(c, t->t, hki_slot_double(at) - 2.0 * t->step);
    c->moved = true;
    for (int32_t i = 0; i < 4 && !ends && st == HK_OK; i++) st = take_step(c, &ends);
  }
  return st;
}

static hk_status check_model(checker *c) {
  bool ends = false;
  hk_status st = begin(c, &ends);
  if (st != HK_OK || ends) return st;
  st = compare_states(c, c->x);
  if (st == HK_OK) st = take_steps(c, MOST_STEPS);
  if (st == HK_OK && !c->p->t->whole) st = check_jumps(c);
  return st == HK_OK ? check_far(c) : st;
}

/* what follows from parameters: that they are possible, then numbers of the state; the same as NAME_restart (prelude.c) */
static bool restart(checker *c, hk_values *v, const double *values, double *y) {
  const hk_setup *s = c->p->t->setup;
  const hk_trace_state *first = hki_trace_state(c->p->t, HK_SETUP_AT);
  hki_values_outputs(v, values, y);
  if (!(y[0] > 0.0) || !first) return false;
  hki_values_start(c->p, c->x);
  for (int32_t i = 0; i < s->n; i++) c->x[first->number + i] = values[i];
  for (int32_t i = 0; i < s->nfollow; i++) c->x[s->follow[i]] = y[1 + i];
  return true;
}

/* a thousandth more, or less where more is not possible */
static void choose_parameters(checker *c, hk_values *v, double *values, double *y) {
  const hk_setup *s = c->p->t->setup;
  memcpy(values, s->values, (size_t)s->n * sizeof *values);
  for (int32_t i = 0; i < s->n; i++) {
    const double is = values[i], by = 1e-3 * (is != 0.0 ? is : 1.0);
    values[i] = is + by;
    if (!restart(c, v, values, y)) values[i] = is - by;
    if (!restart(c, v, values, y)) values[i] = is;
  }
}

/* the model as the library makes it of other values of the parameters */
static hk_status open_moved(checker *c, const hk_model_bytes *m, hk_followed **w) {
  hk_followed *t = c->p->t;
  hk_status st = hki_trace_begin(t->ctx, m->kernel, m->nkernel, w);
  if (st != HK_OK) return st;
  watch(c, *w);
  st = hki_trace_open(*w, m->bundle, m->nbundle);
  if (st == HK_E_MODEL)
    return differs(c, "a model that the library does not take, which 0 says,", 1.0, 0.0);
  if (st == HK_OK && t->booked) st = hki_trace_call(*w, "gx_book", 0, 0, 0, NULL);
  if (st == HK_OK && ((*w)->q != t->q || (*w)->nq != t->nq || (*w)->u != t->u))
    st = differs(c, "the place of its coordinates", t->q, (*w)->q);
  return st;
}

static hk_status check_parameters(checker *c, const hk_model_bytes *m) {
  const hk_setup *s = c->p->t->setup;
  hk_ctx *ctx = c->p->t->ctx;
  hk_followed *w = NULL;
  hk_values v = {0};
  double *values = hki_alloc(ctx, ((size_t)s->n + (size_t)s->nfollow + 2) * sizeof *values);
  hk_status st = values ? hki_values_create(s->plan, &v) : HK_E_MEMORY;
  if (st == HK_OK) {
    double *y = values + s->n;
    choose_parameters(c, &v, values, y);
    c->parameters = values;
    st = open_moved(c, m, &w);
    if (st == HK_OK && !restart(c, &v, values, y))
      st = differs(c, "that the values are possible, which 0 denies,", 0.0, 1.0);
    if (st == HK_OK) read_library(c), st = compare_states(c, c->x);
    if (st == HK_OK) st = take_steps(c, PLAIN);
  }
  hki_values_destroy(&v);
  hki_free(ctx, values);
  hki_trace_destroy(w);
  return st;
}

static hk_status check(const hk_plan *p, const hk_model_bytes *m, hk_checked *seen, bool quiet) {
  hk_followed *t = p->t;
  const size_t nx = (size_t)p->nx, ny = (size_t)t->noutputs;
  checker c = {.p = p, .seen = seen, .quiet = quiet};
  if (seen) *seen = (hk_checked){0};
  double *block = hki_alloc(t->ctx, (4 * nx + 2 * ny + 1) * sizeof *block);
  hk_status st = block ? hki_values_create(p, &c.v) : HK_E_MEMORY;
  if (st == HK_OK) {
    c.x = block, c.n = c.x + nx, c.size = c.n + nx, c.y = c.size + nx + ny, c.z = c.y + ny;
    st = check_model(&c);
  }
  if (st == HK_OK && t->setup) st = check_parameters(&c, m);
  hki_values_destroy(&c.v);
  hki_free(t->ctx, block);
  return st;
}

hk_status hki_check(const hk_plan *p, const hk_model_bytes *m, hk_checked *seen) {
  return check(p, m, seen, false);
}

hk_status hki_check_quietly(const hk_plan *p, const hk_model_bytes *m) {
  return check(p, m, NULL, true);
}

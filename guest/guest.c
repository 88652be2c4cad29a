/* SPDX-License-Identifier: Apache-2.0
 *
 * guest.c: the functions by which an export asks the kernel for a step of a model, and Newton's iteration taken apart. The
 * kernel and this file are a program of WebAssembly (cmake/HookeGuest.cmake) that src/codegen carries out and follows.
 *
 * An iteration is one turn of it between marks: the exported program repeats it until it has converged. While the kernel
 * takes steps to show what they store, it makes two turns, so that what differs in the first is seen.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/assume.h"
#include "expr/table.h"
#include "fmu/unit.h"
#include "kinematics/pulls4.h"
#include "kinematics/rows4.h"
#include "simulation/live.h"
#include "simulation/simulation.h"
#include "simulation/stepper.h"
#include "stage/rate.h"

#define IMPORT(n) __attribute__((import_module("hkx"), import_name(#n)))
#define EXPORT(n) __attribute__((export_name(#n)))

IMPORT(mark) void hkx_mark(int32_t what);
IMPORT(value) void hkx_value(int32_t what, double x);
IMPORT(say) void hkx_say(const char *text, int32_t n);
IMPORT(refuse) void hkx_refuse(void); /* the way that leads here is not for the program */
IMPORT(turns) int32_t hkx_turns(void);
IMPORT(example) int32_t hkx_example(int32_t x); /* what x is in the state that is followed, as a known number */
IMPORT(parameter) double hkx_parameter(const char *name, double value);

enum { MARK_LOOP = 1, MARK_END = 2, MARK_TURN = 3 }; /* src/codegen/trace.c */
enum { MOST = 4096 };                                 /* inputs, outputs */

static hk_unit *u;
static double inputs[MOST], outputs[MOST];

/* Decisions that are those of the start (base/assume.h): how many have come out otherwise. A sum of numbers, which stays one node however
 * many there are. */
static double otherwise;

bool hki_assumed(bool x) {
  const bool start = hkx_example(x) != 0;
  otherwise += (double)(x != start);
  return start;
}

/* The audit of a whole run is part of its steps (simulation/sim_audit.c). A note on the run fails the step: the library takes it, and
 * makes the note. */
static bool whole, audited;

void hki_grade_note(hk_sim *s, hk_note note, double value) {
  (void)s, (void)note, (void)value;
  hkx_refuse();
}

/* the state of the work lies at the same place before each step */
static void keep_place(hk_sim *s) {
  if (!s->work.now) return;
  memcpy(s->work.state[0], s->work.state[1], (size_t)s->work.nstate * sizeof(double));
  s->work.now = 0;
}

/* before gx_open; audit: it is part of the steps */
EXPORT(gx_whole) void gx_whole(int32_t audit) { whole = true, audited = audit != 0; }

static void say(void *user, hk_fmi_status s, const char *text) {
  (void)user, (void)s;
  hkx_say(text, (int32_t)strlen(text));
}

static int32_t refuse(const char *why) {
  say(NULL, HK_FMI_ERROR, why);
  return HK_E_MODEL;
}

/* signals at a time that they jump or bend at, from before it or from behind it */
static void look_at(hk_sim *s, double t, bool before, double *sig) {
  s->kin->t_cap = before ? t : INFINITY;
  hki_kin_state(s->kin, t, s->qt, s->vt);
  hki_kin_signals(s->kin, true);
  memcpy(sig, s->kin->sig, 3 * (size_t)s->m->spec->nsignals * sizeof *sig);
}

static bool bends, off_grid; /* a signal bends or jumps; within a step */
enum { JUMPS = 64 };
static const double never = 1e300; /* a number of the state is finite */
static double jump_at[JUMPS]; /* when signals jump, also behind the end of the run */
static int32_t njumps;

/* does a motion that is prescribed follow the signal? Its jumps change velocities. */
static bool drives(const hk_model *m, int32_t signal) {
  for (int32_t c = 0; c < m->nc; c++)
    for (int32_t r = 0; r < m->closures[c].nrows; r++)
      if (m->closures[c].row_signal[r] == signal) return true;
  return false;
}

/* is the signal `other`, or made of it? */
static bool follows(const hk_spec *spec, int32_t signal, int32_t other) {
  const hk_spec_signal *s = &spec->signals[signal];
  bool any = signal == other;
  for (int32_t k = 0; k < s->nreads && !any; k++) any = s->reads[k].kind == HK_READ_SIGNAL && follows(spec, s->reads[k].signal, other);
  return any;
}

/* Does the signal follow the time alone? No state and no input changes by how much it jumps. */
static bool of_time(const hk_spec *spec, int32_t signal) {
  const hk_spec_signal *s = &spec->signals[signal];
  bool all = !s->memory;
  for (int32_t k = 0; k < s->nreads && all; k++)
    all = s->reads[k].kind == HK_READ_TIME || (s->reads[k].kind == HK_READ_SIGNAL && of_time(spec, s->reads[k].signal));
  return all;
}

/* Does what jumps or bends at t follow the state or inputs, or is it no signal? Then the state of the start does not show by how much it
 * jumps in others. *driven: neither does it show whether a motion that is prescribed jumps. */
static bool changes_by_state(const hk_sim *s, double t, bool *driven) {
  const hk_spec *spec = s->m->spec;
  bool any = false;
  for (int32_t k = 0; k < s->breaks.n; k++) {
    const hk_break_source *from = &s->breaks.list[k];
    if (from->next != t) continue;
    any |= from->signal == HK_NONE || !of_time(spec, from->signal);
    for (int32_t i = 0; i < spec->nsignals && from->signal != HK_NONE; i++)
      *driven |= drives(s->m, i) && !of_time(spec, i) && follows(spec, i, from->signal);
  }
  return any;
}

/* Signals a before and b behind their change at t: a jump is noted; why it cannot be one of a program, NULL: it can. */
static const char *look_at_change(const hk_sim *s, double t, const double *a, const double *b) {
  bool driven = false, jump = changes_by_state(s, t, &driven);
  for (int32_t i = 0; i < 3 * s->m->spec->nsignals; i++) {
    const bool changes = driven || !(fabs(a[i] - b[i]) <= 1e-9 * (1.0 + fabs(a[i])));
    if (changes && i % 3 < 2 && drives(s->m, i / 3)) return "the speed of a prescribed motion jumps at a given time; smooth it";
    jump |= changes && i % 3 == 0;
  }
  if (!jump) return NULL;
  if (njumps == JUMPS) return "signals jump too often, more than 64 times in all; make inputs of them, or smooth them";
  jump_at[njumps++] = t;
  return NULL;
}

/* do all changes of the signal come again and again (triangles, sines with a limit)? */
static bool repeats(const hk_spec_signal *s) {
  if (s->kind == HK_SIGNAL_MEMORY || (!s->expr && !s->second)) return false;
  return (!s->expr || hki_expr_repeats(s->expr)) && (!s->second || hki_expr_repeats(s->second));
}

/* What changes at t was looked at once more. What comes again and again has shown all that it does; others are looked at to their end, NULL, or
 * change too often. */
static const char *count_changes(hk_sim *s, double t, int32_t *count) {
  enum { REPEATED = 2000, MOST_CHANGES = 20000 };
  const char *why = NULL;
  for (int32_t k = 0; k < s->breaks.n; k++) {
    hk_break_source *from = &s->breaks.list[k];
    if (from->next != t || ++count[k] < REPEATED) continue;
    if (from->signal != HK_NONE && repeats(&s->m->spec->signals[from->signal]))
      from->next = INFINITY;
    else if (count[k] >= MOST_CHANGES)
      why = "a signal jumps or bends too often to look at all of it, 20000 times and more; put what happens once into a signal of its own, or make it an input";
  }
  return why;
}

/* Where signals of time jump or bend, also behind the end of the run. Those that bend only change no accelerations. */
static const char *find_jumps(hk_sim *s) {
  const int32_t n = 3 * s->m->spec->nsignals;
  double *a = malloc(2 * (size_t)n * sizeof *a), *b = a + n;
  int32_t *count = calloc((size_t)s->breaks.n + 1, sizeof *count);
  const char *why = a && count ? NULL : "there is no memory for its signals";
  for (int32_t i = 0; i < s->m->spec->nsignals && !why; i++)
    if (s->m->spec->signals[i].memory && s->m->spec->signals[i].memory->fn != HK_MEMORY_INPUT)
      why = "a signal remembers what it was at other times (samples, delays, controllers with a period), and the library ends steps there; make it an input";
  const double t0 = s->I.t;
  while (!why) {
    const double t = hki_sim_next_break(s);
    if (!(t < INFINITY)) break;
    look_at(s, t, true, a);
    look_at(s, t, false, b);
    why = look_at_change(s, t, a, b);
    if (!why) why = count_changes(s, t, count);
    bends = true;
    const double steps = t / s->step;
    off_grid |= fabs(steps - nearbyint(steps)) > 1e-6;
    s->I.t = t;
  }
  s->I.t = t0;
  hki_sim_breaks_anew(s);
  free(a), free(count);
  s->kin->t_cap = INFINITY;
  hki_sim_refresh(s);
  if (!why && off_grid) why = "a signal jumps or bends within a step, where the library ends one; take a step that ends there, make it an input, or smooth it";
  return why;
}

/* when signals jump at the end of the step from t, or never */
static double jump_after(const hk_sim *s, double t) {
  double at = never;
  for (int32_t k = 0; k < njumps; k++) at = fabs(t + s->step - jump_at[k]) < 1e-6 * s->step ? jump_at[k] : at;
  return at;
}

/* when signals jump for the k-th time, INFINITY: they do not */
EXPORT(gx_jump) double gx_jump(int32_t k) { return k < njumps ? jump_at[k] : INFINITY; }

/* behind the jump at t of signals, up to which the step has gone */
static hk_status cross(hk_sim *s, double t) {
  s->I.t = t;
  s->kin->t_cap = never;
  hki_sim_refresh(s);
  return hki_sim_push_anew(s);
}

/* what a program of fixed size cannot do */
static int32_t refused(hk_sim *s) {
  if (s->m->spec->nevents) return refuse("it has events, which change the mechanism in the middle of a step");
  if (s->has_hooks) return refuse("it has elements that take part in the steps");
  if (s->stops.n) return refuse("it has stops that lock joints; make them forces");
  if (s->locks.n) return refuse("it has friction that sticks exactly; take a law with bristles");
  if (s->has_contacts) return refuse("it has joints that only push");
  if (s->touches.n)
    return refuse("it has 'limits' with a stiffness, at whose ends the library ends a step; make them a force of the joint with a law of pieces");
  if (s->scheduled) return refuse("its step follows a signal; give a fixed step");
  const char *why = !whole && hki_sim_next_break(s) < INFINITY ? find_jumps(s) : NULL;
  if (why) return refuse(why);
  if (s->free.on) return refuse("its steps are chosen by their error; give a fixed step");
  // how often the forces in joints are found anew within an iteration is decided by numbers that a program does not carry
  const bool iterates = (s->I.ops->needs & (HK_CAP_STAGE_POS | HK_CAP_STAGE_ACC)) && !s->I.ops->once;
  if (s->m->nnormal && iterates)
    return refuse("friction follows the forces in its joint, which an iteration finds anew; take the integrator 'linearly_implicit'");
  if (u->b.inputs.n > MOST || u->b.outputs.n > MOST) return refuse("it has too many inputs or outputs");
  return HK_OK;
}

/* What to do where the step cannot be followed, by what the model has: a hint of messages. */
EXPORT(gx_advice) const char *gx_advice(int32_t unused) {
  (void)unused;
  const hk_spec *spec = u->sim->m->spec;
  for (int32_t i = 0; i < spec->nwide; i++)
    if (spec->wide[i].ops->ny == HK_WIDE_SLIDER)
      return "its sliders go on from one part of their beam to the next; take an FMU ('hooke export fmu'), which holds the whole library";
  if (spec->nwide)
    return "its step has many elements; take fewer, a flexible body with modes for them, or an FMU ('hooke export fmu'), which holds the whole library";
  return "try 'hybrid' with 'linearly_implicit', or take an FMU ('hooke export fmu'), which holds the whole library";
}

EXPORT(gx_alloc) void *gx_alloc(int32_t n) { return malloc((size_t)n); }

EXPORT(gx_open) int32_t gx_open(const char *bytes, int32_t len) {
  u = hki_unit_create(bytes, (size_t)len, NULL, true, say, NULL);
  if (!u) return HK_E_MODEL;
  hk_status st = hki_unit_start(u);
  if (st != HK_OK) return st;
  keep_place(u->sim);
  u->sim->unique = NULL; // which reactions are unique is part of the names of channels, which are there
  for (int32_t i = 0; i < u->b.inputs.n && i < MOST; i++) inputs[i] = u->b.inputs.starts[i];
  return refused(u->sim);
}

/* number of points of a table, and where they are */
EXPORT(gx_table) const void *gx_table(const hk_table *t, int32_t k) {
  return k ? (const void *)t->x : (const void *)(size_t)t->n;
}

/* The books of energies: part of the steps where an output asks for them. */
static bool booked;

EXPORT(gx_book) void gx_book(void) {
  booked = true;
  keep_place(u->sim);
}

static bool ends_with(const char *name, const char *what) {
  const size_t n = strlen(name), k = strlen(what);
  return n >= k && strcmp(name + n - k, what) == 0;
}

/* does an output need the books? */
static bool of_books(const char *name) {
  return ends_with(name, ".supplied") || ends_with(name, ".dissipated") || ends_with(name, ".balance_error");
}

static bool begins_with(const char *name, const char *what) { return strncmp(name, what, strlen(what)) == 0; }

/* what of a run is no part of its state */
static bool of_run(const char *name) { return begins_with(name, "solver.") || begins_with(name, "constraint."); }

/* Why the channels that signals read at accepted states are not known in steps, NULL: they are. The books have energies too. */
static const char *late_channels(const hk_sim *s) {
  for (int32_t i = 0; i < s->kin->nseen; i++) {
    char name[256];
    hki_channel_name(s->m->spec, s->kin->seen_channel[i], name, sizeof name);
    if (of_run(name)) return "a signal reads 'solver' or 'constraint', which are known of a run and not of its state";
    if (!booked && !audited && (of_books(name) || begins_with(name, "energy.")))
      return "a signal reads energies of the books, which its steps cannot keep: motions are prescribed, signals bend, or they cannot be followed";
  }
  return NULL;
}

/* where a signal bends the library's books begin anew */
EXPORT(gx_wants_book) int32_t gx_wants_book(void) {
  if (!bends && late_channels(u->sim)) return 1;
  for (int32_t i = 0; i < u->b.outputs.n && !bends; i++)
    if (of_books(u->b.outputs.names[i])) return 1;
  return 0;
}

/* what of an accepted step (simulation/sim_step.c) the next one or an output needs */
static void accept(hk_sim *s) {
  s->reactions_known = false;
  if (audited) hki_grade_step(s, s->step);
  hki_integrator_accept(&s->I, s->step);
  s->f->ops->to_tree(s->f, s->I.q, s->I.v, s->I.a, s->qt, s->vt, s->at);
  if (!hki_kin_knows(s->kin, HK_KIN_SIGNALS)) hki_kin_signals(s->kin, false);
  hki_kin_commit_turns(s->kin);
  hki_sim_signs_follow(s);
  if (audited || booked) {
    if (audited) {
      hki_sim_audit_step(s, s->step);
    } else {
      hki_sim_audit_measure(s);
      hki_work_step(s, s->step);
    }
    keep_place(s);
  }
  if (s->kin->nseen) hki_sim_store_late_channels(s);
  hki_sim_memory_step(s);
}

static bool shown, weighed; /* kinematics, energies are those of the present state */

static bool stepping; /* in a step, whose iterations are taken apart */

static hk_status step(hk_sim *s) {
  stepping = true;
  hk_status st = s->I.ops->step(&s->I, s->step);
  stepping = false;
  return st;
}

EXPORT(gx_step) int32_t gx_step(void) {
  hk_sim *s = u->sim;
  const char *why = late_channels(s);
  if (why) return refuse(why);
  shown = weighed = false;
  otherwise = 0.0;
  for (int32_t i = 0; i < u->b.inputs.n; i++)
    hk_sim_input_set(s, hk_sim_input_find(s, u->b.inputs.names[i]), inputs[i], false);
  if (u->b.inputs.n) hki_sim_inputs_take(s);
  if (s->has_memory) hki_sim_advance_laws(s);
  // an element that changes its branch is a jump in the audit
  if (s->has_decide && hki_sim_decide(s, s->step) && whole) hkx_refuse();
  const double jump = njumps ? jump_after(s, s->I.t) : never;
  if (njumps) s->kin->t_cap = jump;
  hk_status st = step(s);
  if (st != HK_OK) return st;
  accept(s);
  if (njumps && jump < never) st = cross(s, jump);
  // after both ways the same is known
  if (njumps) hki_kin_forget(s->kin, ~0u), s->kin->t_cap = never;
  if (st != HK_OK) return st;
  if (whole && s->kin->refused) hkx_refuse();
  return otherwise != 0.0 ? HK_E_NUMBER : HK_OK;
}

/* forces, kinetic and potential energy: what the books have of a state, without the work of motions */
static void weigh(hk_sim *s) {
  s->kin->trace = &s->work.trace[!s->work.now];
  hki_kin_energy(s->kin);
  s->audit.kinetic = s->kin->kinetic, s->audit.potential = s->kin->potential;
}

EXPORT(gx_output) int32_t gx_output(int32_t k) {
  const char *name = u->b.outputs.names[k];
  // what is known of a run and not of its state
  if (of_run(name))
    return refuse("it is known of a run and not of its state");
  if (of_books(name) && !booked && !audited)
    return refuse(bends ? "the books of energies begin anew where a signal bends" : "steps that keep the books of energies cannot be followed");
  if (!shown) hki_sim_refresh(u->sim);
  hk_status st = HK_OK;
  // forces are those of the last iterate, or none, where no book has been kept; what bodies do needs none
  if (!weighed && strncmp(name, "body.", 5) != 0) weigh(u->sim), weighed = true;
  if (!shown) otherwise = 0.0;
  shown = true;
  st = hk_sim_read(u->sim, 1, &u->handles[k], &outputs[k]);
  // reactions along other directions than those of the start are not these numbers
  if (st == HK_OK && (u->sim->handles[u->handles[k]].needs & HK_VALUE_REACTIONS) && otherwise != 0.0) outputs[k] = NAN;
  return st;
}

/* what is where: coordinates, velocities, accelerations, the time, inputs, outputs */
EXPORT(gx_pointer) const void *gx_pointer(int32_t k) {
  const hk_integrator *I = &u->sim->I;
  const void *const all[] = {I->q, I->v, I->a, &I->t, inputs, outputs};
  return all[k];
}

EXPORT(gx_count) int32_t gx_count(int32_t k) {
  const hk_integrator *I = &u->sim->I;
  const int32_t all[] = {I->nq, I->nv, I->nv, 1, u->b.inputs.n, u->b.outputs.n};
  return all[k];
}

/* the arrays of a state: how many there are (-1), where one begins, and its bytes */
EXPORT(gx_section) size_t gx_section(int32_t k, int32_t what) {
  hk_piece part[HK_STATE_SECTIONS];
  const int32_t n = hki_state_sections(u->sim, part);
  if (k < 0) return (size_t)n;
  return what ? part[k].bytes : (size_t)part[k].data;
}

/* numbers that steps change, by block (simulation/sim_numbers.c): where they are, how many; 0: there is no such block */
EXPORT(gx_block) size_t gx_block(int32_t k, int32_t what) {
  hk_numbers all[HK_NUMBERS];
  if (k >= hki_sim_numbers(u->sim, all)) return 0;
  return what ? (size_t)all[k].n : (size_t)all[k].at;
}

/* names of inputs (4) and outputs (5) */
EXPORT(gx_name) const char *gx_name(int32_t k, int32_t i) {
  return k == 4 ? u->b.inputs.names[i] : u->b.outputs.names[i];
}

/* step, tolerance, most iterations */
EXPORT(gx_number) double gx_number(int32_t k) {
  const double all[] = {u->sim->step, u->sim->newton.tolerance, u->sim->newton.max_iter};
  return all[k];
}

/* Newton's iteration before the first step, where friction that sticks takes its loads: all numbers are known */
static hk_status solve_known(const hk_newton *n, hk_formulation *f, const hk_stage *st, double *D) {
  hk_norms norm = {0};
  if (f->ops->choose_tangent) f->ops->choose_tangent(f, false);
  hk_status s = f->ops->begin(f, st);
  for (int32_t k = 0; k < n->max_iter && s == HK_OK; k++) {
    s = f->ops->residual(f, D, true);
    if (s == HK_OK) s = f->ops->factor(f);
    if (s == HK_OK) s = f->ops->correct(f, D, &norm);
    if (s == HK_OK && norm.step <= n->tolerance && norm.constraint <= n->tolerance && !norm.branched)
      return f->ops->settle ? f->ops->settle(f, D) : HK_OK;
  }
  return s == HK_OK ? HK_RETRY : s;
}

/* Newton's iteration, one turn of it between marks */
hk_status hki_newton_solve(hk_newton *n, hk_formulation *f, const hk_stage *st, int32_t nv,
                           double *D, double *work) {
  (void)work, (void)nv;
  if (!stepping) return solve_known(n, f, st, D);
  hk_norms norm = {0};
  hki_rate_begin(&n->rate);
  if (f->ops->choose_tangent) f->ops->choose_tangent(f, false);
  hk_status s = f->ops->begin(f, st);
  for (int32_t k = 0; k < hkx_turns(); k++) {
    hkx_mark(k ? MARK_TURN : MARK_LOOP);
    norm.last = st->ahead ? hki_rate_last(n->tolerance) : 0.0;
    if (s == HK_OK) s = f->ops->residual(f, D, true);
    if (s == HK_OK) s = f->ops->factor(f);
    if (s == HK_OK) s = f->ops->correct(f, D, &norm);
    hkx_value(1, norm.step);
    hkx_value(2, norm.constraint);
    hkx_value(3, norm.by_rate && !norm.branched ? 1.0 : 0.0);
    const double size = norm.step > norm.constraint ? norm.step : norm.constraint;
    hki_rate_turn(&n->rate, size);
    hkx_value(4, hki_rate_whole(n->tolerance, size, norm.whole));
    hkx_value(5, st->ahead ? hki_rate_left(&n->rate, n->tolerance, st->ca, size) : HK_RATE_UNKNOWN);
  }
  hkx_mark(MARK_END);
  if (st->ahead) hki_rate_end(&n->rate, st->ca);
  if (s == HK_OK && f->ops->settle) s = f->ops->settle(f, D);
  return s;
}
hk_status hki_newton_hook(hk_newton *n, hk_formulation *f, const hk_stage *st, hk_hook when,
                          const double *D) {
  (void)n, (void)f, (void)st, (void)when, (void)D;
  return HK_OK;
}

hk_status hki_newton_take(hk_newton *n, hk_formulation *f, const hk_stage *st, double size,
                          const double *D) {
  (void)n, (void)f, (void)st, (void)size, (void)D;
  return HK_OK;
}

/* a parameter that the program keeps is known by name from here on (src/codegen/setup.c) */
double hki_rd_param_value(const char *name, double value) { return hkx_parameter(name, value); }

/* Closures one by one: where one of four like distances is nothing, all four go another way, which would be followed too. */
int32_t hki_rows4_most(const hk_model *m) { return (void)m, 0; }
int32_t hki_rows4_find(hk_kin *k, int32_t g) {
  k->ncturn = k->m->nc;
  for (int32_t i = 0; i < k->ncturn; i++) k->cturn[i] = i;
  return g;
}
void hki_rows4_pack(hk_kin *k, const hk_rows4 *q) { (void)k, (void)q; }

/* and forces, whose laws have branches of their own */
void hki_pulls4_find(hk_kin *k, int32_t g) {
  (void)g;
  k->npulls = 0, k->nalone = k->m->nf;
  for (int32_t i = 0; i < k->nalone; i++) k->alone[i] = i;
}
void hki_pulls4_forces(hk_kin *k, bool tangent) { (void)k, (void)tangent; }
void hki_pulls4_energy(hk_kin *k, double *U, double *Pd, double *Ps) {
  (void)k, (void)U, (void)Pd, (void)Ps;
}

/* not in the C library of WASI */
clock_t clock(void) { return 0; }
char *realpath(const char *restrict path, char *restrict out) {
  (void)path, (void)out;
  return NULL;
}

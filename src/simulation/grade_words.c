/* SPDX-License-Identifier: Apache-2.0
 *
 * grade_words.c: the verdict on a run in sentences, and the public functions that tell it.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "simulation/simulation.h"

enum { MOST = 8, TEXT = 640, HINT = 320 }; /* warnings of one run, bytes of a text and of a hint */

struct hk_warnings {
  hk_run_warning list[MOST];
  char text[MOST][TEXT], hint[MOST][HINT];
  int32_t n;
  int64_t steps; /* of the run when they were made, and its status */
  hk_status status;
};

typedef struct hk_warnings warnings;

/* one more warning */
static void HK_PRINTF(3, 4) warn(warnings *l, const char *hint, const char *fmt, ...) {
  va_list args;
  if (l->n >= MOST) return;
  const int32_t i = l->n++;
  va_start(args, fmt);
  vsnprintf(l->text[i], TEXT, fmt, args);
  va_end(args);
  snprintf(l->hint[i], HINT, "%s", hint);
  l->list[i] = (hk_run_warning){l->text[i], l->hint[i]};
}

/* "0.52", "33", "1.2e+03" per cent: two figures are enough */
static const char *percent(double x, char *buf, size_t cap) {
  snprintf(buf, cap, x < 1000.0 && x >= 10.0 ? "%.0f" : "%.2g", x);
  return buf;
}

static bool is_bad(hk_grade g) { return g > HK_GRADE_GOOD; }

/* what the sentences share */
typedef struct report {
  hk_sim *s;
  hk_verdict v;
  double fastest; /* rate of the model at the start, 1/s; 0: not known */
  double spin;    /* the same of its rotations alone */
  char hint[HINT];
} report;

/* the word of an option of the integrator in force; "" when it has none of this name */
static const char *option_word(const hk_sim *s, const char *name, char *buf, size_t cap) {
  const hk_param *p = hki_params_find(s->I.ops->params, name);
  buf[0] = '\0';
  if (!p || p->type != HK_P_CHOICE) return buf;
  int32_t k;
  int n = 0;
  memcpy(&k, (const char *)s->integrator_par + p->offset, sizeof k);
  const char *word = hki_word(p->choices, k, &n);
  if (word) snprintf(buf, cap, "%.*s", n, word);
  return buf;
}

/* momenta as states: a body may turn by half a radian in a step, about */
static bool too_far_for_momenta(const hk_sim *s) {
  char word[24];
  return (s->fe->ops->caps & HK_CAP_NODES) && s->audit.watch.spin > 0.5 &&
         strcmp(option_word(s, "states", word, sizeof word), "momenta") == 0;
}

static bool is_explicit(const hk_sim *s) {
  return !(s->I.ops->needs & (HK_CAP_STAGE_POS | HK_CAP_STAGE_ACC | HK_CAP_DAE));
}

/* what to try for a better motion */
static void find_advice(report *r) {
  const hk_sim *s = r->s;
  const double h = hki_grade_step_that_does(s, &r->v, r->fastest);
  const char *also = is_explicit(s) && s->step * r->fastest > 1.0 ? ", or an implicit integrator"
                     : s->I.ops->order == 1
                         ? ", or a method of higher order"
                         : ", or name neither step nor integrator: the error then decides";
  const hk_control_par *c = &s->solver.control;
  if (s->advice)
    snprintf(r->hint, HINT, "%s", s->advice);
  else if (c->kind == HK_CONTROL_ERROR)
    snprintf(r->hint, HINT, "take smaller tolerances: --option rtol=%.0e --option atol=%.0e",
             c->rtol > 1e-6 ? 1e-6 : 0.01 * c->rtol, c->atol > 1e-8 ? 1e-8 : 0.01 * c->atol);
  else if (h < 0.01 * s->step && s->I.ops->error && s->I.ops->order != 1)
    snprintf(r->hint, HINT, "let the error decide on the steps: --option step_control=error");
  else
    snprintf(r->hint, HINT, "try --step %.3g%s", h, also);
}

/* ": why" where it can be said */
static void find_cause(const report *r, char *buf, size_t cap) {
  const hk_sim *s = r->s;
  const hk_watch *w = &s->audit.watch;
  const double wh = s->step * r->fastest;
  buf[0] = '\0';
  if (s->free.on) return;
  if (fabs(w->jump) > 0.1 * fabs(s->audit.extreme) && r->v.drift < 90.0 && hki_grade_singular(r->s))
    snprintf(buf, cap, ": the step is too long to pass the singular position near t = %.6g s",
             w->jump_t);
  else if (too_far_for_momenta(s))
    snprintf(buf, cap,
             ": |omega| h of body '%s' is up to %.2g rad in a step, too much for momenta as states",
             s->m->spec->bodies[s->m->bodies[(int32_t)w->spinner].spec].name, w->spin);
  else if (s->step * r->spin > fmax(0.3, 0.3 * wh))
    snprintf(buf, cap, ": the step is too long, bodies turn by %.2g rad in it at the start",
             s->step * r->spin);
  else if (wh > 1.0 && is_explicit(s))
    snprintf(buf, cap,
             ": the step is too long for stiff forces with an explicit method (the fastest rate of "
             "the model is %.3g 1/s at the start)",
             r->fastest);
  else if (wh > 0.5)
    snprintf(buf, cap,
             ": the step is too long for the fastest motion of the model (its rate is %.3g 1/s at "
             "the start)",
             r->fastest);
  else if (w->spin > 0.3 && r->v.drift < 90.0)
    snprintf(buf, cap, ": the step is too long, bodies turn by up to %.2g rad in it", w->spin);
  else if (r->v.turn > 0.2 && r->v.turn < 6.0)
    snprintf(buf, cap, ": the step is too long, the motion has only %.2g of them for a period",
             6.283185307179586 / r->v.turn);
  else
    snprintf(buf, cap, ": the step is too long for this method");
}

/* the energy audit */
static void say_drift(const report *r, warnings *l) {
  const hk_watch *w = &r->s->audit.watch;
  const double e = r->s->audit.extreme;
  char p[32], when[96] = "", why[256];
  if (!is_bad(r->v.of_drift)) return;
  find_cause(r, why, sizeof why);
  if (isnan(r->v.drift)) {
    warn(l, r->hint, "the energy of the run is not a number%s", why);
    return;
  }
  if (fabs(w->jump) > 0.5 * fabs(e))
    snprintf(when, sizeof when, ", most of it in the step that ends at t = %.6g s", w->jump_t);
  warn(l, r->hint, "the run has %s %s %% of the energy that moves (%.3g J of %.3g J)%s%s",
       e > 0.0 ? "created" : "lost", percent(r->v.drift, p, sizeof p), fabs(e), r->v.moved, when,
       why);
}

/* constraints and their rates */
static void say_constraints(const report *r, warnings *l) {
  char p[32];
  if (is_bad(r->v.of_gap))
    warn(l, r->hint, "the constraints have opened by %.3g, %s %% of the model's length",
         r->s->audit.position_max, percent(r->v.gap, p, sizeof p));
  if (is_bad(r->v.of_slip))
    warn(l, r->hint, "the rates of the constraints have reached %.3g, %s %% of the model's speed",
         r->s->audit.velocity_max, percent(r->v.slip, p, sizeof p));
}

/* a motion that is too fast for the step, where the energy does not show it */
static void say_turn(const report *r, warnings *l) {
  if (!is_bad(r->v.of_turn) || l->n) return;
  warn(l, r->hint, "the step is too long: the motion has only %.2g of them for a period",
       6.283185307179586 / r->v.turn);
}

/* a run that a failed step has ended; its message says why */
static void say_broken(const report *r, warnings *l) {
  if (r->v.broken)
    warn(l, r->hint, "a step failed at t = %.6g s, and the run ended there", hk_sim_time(r->s));
}

/* a force whose ends coincide */
static void say_aimless(const report *r, warnings *l) {
  const hk_tally *n = &r->s->audit.watch.notes[HK_NOTE_AIMLESS];
  const hk_model *m = r->s->m;
  if (n->count <= 1) return;
  warn(l, "shift an end, name the direction by 'along', or take a free 'length' of 0",
       "force '%.200s' had no direction in %lld steps, first at t = %.6g s: its ends were at the "
       "same place, and its force of up to %.4g N did not act",
       m->spec->forces[m->forces[r->s->audit.watch.aimless].spec].name, (long long)n->count,
       n->first, n->most);
}

/* a contact that would have to pull */
static void say_lifted(const report *r, warnings *l) {
  const hk_tally *n = &r->s->audit.watch.notes[HK_NOTE_LIFTED];
  const hk_model *m = r->s->m;
  if (!n->count) return;
  warn(l, "turn slower, load its spring more, or make the follower lighter",
       "joint '%.200s' lifts off at t = %.6g s: from there its contact would have to pull, in %lld "
       "steps, by up to %.4g N",
       m->spec->joints[m->closures[r->s->audit.watch.lifted].joint].name, n->first,
       (long long)n->count, n->most);
}

/* bodies with modes beyond small deflections */
static void say_modes(const report *r, warnings *l) {
  const hk_watch *w = &r->s->audit.watch;
  const hk_tally *spin = &w->notes[HK_NOTE_SPIN], *bent = &w->notes[HK_NOTE_BENT];
  const hk_model *m = r->s->m;
  char p[32];
  if (spin->count)
    warn(l, "say 'stiffening: true' for it",
         "flexible body '%.200s' spins so fast that its stiffness changes by %s %% or more, which "
         "it "
         "leaves out, first at t = %.6g s",
         m->spec->wide[m->wide[w->spun].spec].name, percent(100.0 * spin->most, p, sizeof p),
         spin->first);
  if (bent->count)
    warn(l, "take beams or shells, or more flexible bodies in a row",
         "flexible body '%.200s' bends by up to %.2g rad, too far for modes, first at t = %.6g s",
         m->spec->wide[m->wide[w->bent].spec].name, bent->most, bent->first);
}

/* iterations that did not end well, in a run that is bad already */
static void say_iterations(const report *r, warnings *l) {
  const hk_sim *s = r->s;
  const hk_tally *divided = &s->audit.watch.notes[HK_NOTE_DIVIDED];
  if (divided->count)
    warn(l, r->hint, "%lld times a step failed and was divided, first at t = %.6g s",
         (long long)divided->count, divided->first);
  if (s->newton.stagnated > s->steps / 100)
    warn(l, r->hint, "%lld iterations ended above their tolerance, in %lld steps",
         (long long)s->newton.stagnated, (long long)s->steps);
}

/* the warnings about the run so far; NULL when out of memory */
static const warnings *say(hk_sim *s) {
  report r = {.s = s};
  if (!s->warnings) {
    s->warnings = hki_pool_alloc(s->pool, sizeof *s->warnings);
    if (!s->warnings) return NULL;
    s->warnings->steps = -1;
  }
  warnings *l = s->warnings;
  if (l->steps == s->steps && l->status == s->status) return l;
  l->n = 0;
  l->steps = s->steps, l->status = s->status;
  hki_grade(s, &r.v);
  if (r.v.grade == HK_GRADE_GOOD) return l;
  r.fastest = hki_grade_fastest(s, &r.spin);
  find_advice(&r);
  say_drift(&r, l);
  say_constraints(&r, l);
  say_turn(&r, l);
  say_broken(&r, l);
  say_aimless(&r, l);
  say_lifted(&r, l);
  say_modes(&r, l);
  say_iterations(&r, l);
  return l;
}

/* --- public functions ------------------------------------------------------------------------- */

static bool is_sim(const hk_sim *s) { return hki_is(s, HK_MARK_SIM); }

hk_grade hk_sim_grade(hk_sim *s) {
  hk_verdict v;
  if (!is_sim(s)) return HK_GRADE_NONE;
  hki_grade(s, &v);
  return v.grade;
}

const char *hk_grade_name(hk_grade grade) {
  static const char *const names[] = {NULL, "good", "doubtful", "wrong"};
  return grade > HK_GRADE_NONE && grade <= HK_GRADE_WRONG ? names[grade] : NULL;
}

double hk_sim_drift_percent(hk_sim *s) {
  hk_verdict v;
  if (!is_sim(s)) return NAN;
  hki_grade(s, &v);
  return v.drift;
}

int32_t hk_sim_warning_count(hk_sim *s) {
  const warnings *l = is_sim(s) ? say(s) : NULL;
  return l ? l->n : 0;
}

const hk_run_warning *hk_sim_warning(hk_sim *s, int32_t i) {
  const warnings *l = is_sim(s) ? say(s) : NULL;
  return l && i >= 0 && i < l->n ? &l->list[i] : NULL;
}

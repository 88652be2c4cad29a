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
  int64_t steps; /* of the run when they were made */
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

/* what to try for a better motion */
static void advice(const hk_sim *s, char *hint, size_t cap) {
  if (s->solver.control.kind == HK_CONTROL_ERROR)
    snprintf(hint, cap, "take a smaller tolerance: --option rtol=%.0g",
             0.1 * s->solver.control.rtol);
  else
    snprintf(hint, cap, "take a shorter step: --step %.1g", 0.2 * s->step);
}

/* the energy audit */
static void say_drift(const hk_sim *s, const hk_verdict *v, warnings *l) {
  const hk_watch *w = &s->audit.watch;
  const double e = s->audit.extreme;
  char hint[300], p[32], when[96] = "";
  if (isnan(v->drift)) {
    warn(l, "look for numbers that are far too large, or take a shorter step",
         "the energy of the run is not a number");
    return;
  }
  if (!is_bad(v->of_drift)) return;
  if (fabs(w->jump) > 0.5 * fabs(e))
    snprintf(when, sizeof when, ", most of it in the step that ends at t = %.6g s", w->jump_t);
  advice(s, hint, sizeof hint);
  warn(l, hint, "the run has %s %s %% of the energy that moves (%.3g J of %.3g J)%s",
       e > 0.0 ? "created" : "lost", percent(v->drift, p, sizeof p), fabs(e), v->moved, when);
}

/* constraints and their rates */
static void say_constraints(const hk_sim *s, const hk_verdict *v, warnings *l) {
  char hint[300], p[32];
  advice(s, hint, sizeof hint);
  if (is_bad(v->of_gap))
    warn(l, hint, "the constraints have opened by %.3g, %s %% of the model's length",
         s->audit.position_max, percent(v->gap, p, sizeof p));
  if (is_bad(v->of_slip))
    warn(l, hint, "the rates of the constraints have reached %.3g, %s %% of the model's speed",
         s->audit.velocity_max, percent(v->slip, p, sizeof p));
}

static void say_turn(const hk_sim *s, const hk_verdict *v, warnings *l) {
  char hint[300];
  if (!is_bad(v->of_turn)) return;
  advice(s, hint, sizeof hint);
  warn(l, hint,
       "the step is too long for the motion: its fast part has only %.2g steps for a period",
       6.283185307179586 / v->turn);
}

/* the warnings about the run so far; NULL when out of memory */
static const warnings *say(hk_sim *s) {
  hk_verdict v;
  if (!s->warnings) {
    s->warnings = hki_pool_alloc(s->pool, sizeof *s->warnings);
    if (!s->warnings) return NULL;
    s->warnings->steps = -1;
  }
  warnings *l = s->warnings;
  if (l->steps == s->steps) return l;
  l->n = 0;
  l->steps = s->steps;
  hki_grade(s, &v);
  say_drift(s, &v, l);
  say_constraints(s, &v, l);
  say_turn(s, &v, l);
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

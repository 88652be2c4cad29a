/* SPDX-License-Identifier: Apache-2.0
 *
 * sweep.c: the period of a pendulum over its length, with every formulation: one simulation for
 * each length and formulation, all stepped side by side.
 *
 *   sweep MODEL LENGTH...      sweep pendulum.yaml 0.5 1 2
 *
 * Standard output has one line for each simulation that ran: formulation, length, period, largest
 * energy error. A length that the model refuses is told with the model's own message, and the
 * others go on; the exit code is then 1.
 */
#include <hooke/hooke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* one simulation and what was seen of it */
typedef struct member {
  hk_sim *sim;
  const char *length, *formulation;
  double *values;       /* of all its recorded channels */
  int32_t angle;        /* which of them is the angle */
  double before;        /* the angle one step ago */
  double first, second; /* times at which it went up through zero; NAN: not yet */
} member;

typedef struct sweep {
  member *members;
  int32_t n;
  int32_t errors; /* messages that were errors */
} sweep;

/* counts errors and tells all messages */
static void tell(const hk_message *m, void *user) {
  sweep *w = user;
  static const char *const words[] = {"note", "warning", "error"};
  if (m->severity == HK_ERROR) w->errors++;
  if (m->file) fprintf(stderr, "%s:%d:%d: ", m->file, (int)m->line, (int)m->column);
  fprintf(stderr, "%s: %s\n", words[m->severity], m->text);
  if (m->hint) fprintf(stderr, "  hint: %s\n", m->hint);
}

static int32_t find(const hk_sim *sim, const char *name) {
  for (int32_t i = 0; i < hk_sim_channel_count(sim); i++)
    if (strcmp(hk_sim_channel_name(sim, i), name) == 0) return i;
  return -1;
}

/* one more simulation; one that cannot be made is left out, and the context has said why */
static void add(sweep *w, hk_model *model, const char *length, const char *formulation) {
  member m = {.length = length, .formulation = formulation, .first = NAN, .second = NAN};
  hk_sim_options options = hk_sim_options_def();
  options.formulation = formulation;
  if (hk_sim_create(model, &options, &m.sim) != HK_OK) return;
  m.angle = find(m.sim, "joint.pin.angle");
  m.values = malloc((size_t)hk_sim_channel_count(m.sim) * sizeof *m.values);
  if (m.angle < 0 || !m.values || hk_sim_values(m.sim, m.values) != HK_OK) {
    w->errors++;
    free(m.values);
    hk_sim_destroy(m.sim);
    return;
  }
  m.before = m.values[m.angle];
  w->members[w->n++] = m;
}

/* one step; the time at which the angle goes up through zero, on a straight line between two steps
 */
static void step(sweep *w, member *m) {
  const double t0 = hk_sim_time(m->sim), a0 = m->before;
  if (hk_sim_step(m->sim) != HK_OK || hk_sim_values(m->sim, m->values) != HK_OK) {
    fprintf(stderr, "%s, length %s: failed at t = %g s\n", m->formulation, m->length, t0);
    w->errors++;
    m->second = t0; // no more steps
    return;
  }
  const double t1 = hk_sim_time(m->sim), a1 = m->values[m->angle];
  m->before = a1;
  if (a0 >= 0.0 || a1 < 0.0) return;
  double *crossing = isnan(m->first) ? &m->first : &m->second;
  *crossing = t0 + (t1 - t0) * a0 / (a0 - a1);
}

static int32_t is_going(const member *m) { return isnan(m->second) && !hk_sim_done(m->sim); }

/* all of them side by side until each has swung twice through zero */
static void march(sweep *w) {
  for (int32_t going = 1; going;) {
    going = 0;
    for (int32_t i = 0; i < w->n; i++) {
      if (is_going(w->members + i)) step(w, w->members + i);
      going |= is_going(w->members + i);
    }
  }
}

static void print_and_free(sweep *w) {
  for (int32_t i = 0; i < w->n; i++) {
    member *m = w->members + i;
    hk_summary sum;
    hk_sim_summary(m->sim, &sum);
    printf("%-12s %-8s %.9f %.1e\n", m->formulation, m->length, m->second - m->first,
           sum.max_drift_J);
    hk_sim_destroy(m->sim);
    free(m->values);
  }
  free(w->members);
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fputs("usage: sweep MODEL LENGTH...\n", stderr);
    return 2;
  }
  sweep w = {0};
  hk_ctx *ctx = hk_ctx_create();
  const int32_t nformulations = hk_catalog_count("formulations");
  w.members = malloc((size_t)(argc * nformulations) * sizeof *w.members);
  if (!ctx || !w.members) return 1;
  hk_ctx_on_message(ctx, tell, &w);

  // one model for each length, one simulation for each formulation of it
  for (int k = 2; k < argc; k++) {
    const hk_set set = {.name = "L", .value = argv[k]};
    hk_model *model = NULL;
    if (hk_model_load(ctx, argv[1], &set, 1, &model) != HK_OK) continue;
    for (int32_t i = 0; i < nformulations; i++)
      add(&w, model, argv[k], hk_catalog_entry_at(ctx, "formulations", i)->name);
    hk_model_release(model);
  }

  march(&w);
  print_and_free(&w);
  hk_ctx_destroy(ctx);
  return w.errors ? 1 : 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * sweep_run.c: the runs of a sweep, on several threads. Each run has a context of its own, so that runs
 * share nothing and one that fails does not touch the others. Which thread takes which run does not
 * change any number.
 */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sweep.h"

typedef struct pool {
  sweep *s;
  atomic_int next, done;
  pthread_mutex_t lock; /* of the progress bar */
} pool;

/* --- one run ---------------------------------------------------------------------------------- */

/* a channel over time */
typedef struct trace {
  double last, least, most, area, square; /* area and square: integrals over time */
} trace;

static void begin(trace *t, double x) { *t = (trace){.last = x, .least = x, .most = x}; }

/* by the trapezoidal rule */
static void go_on(trace *t, double x, double h) {
  t->area += 0.5 * h * (t->last + x);
  t->square += 0.5 * h * (t->last * t->last + x * x);
  t->last = x;
  t->least = fmin(t->least, x);
  t->most = fmax(t->most, x);
}

static double value_of(const trace *t, sweep_kind kind, double length) {
  switch (kind) {
    case SWEEP_MIN:
      return t->least;
    case SWEEP_MAX:
      return t->most;
    case SWEEP_MEAN:
      return length > 0.0 ? t->area / length : t->last;
    case SWEEP_RMS:
      return length > 0.0 ? sqrt(t->square / length) : fabs(t->last);
    default:
      return t->last;
  }
}

/* scratch of one thread: parameters as text, handles, values, traces */
typedef struct desk {
  hk_set *sets;
  char (*text)[32];
  int32_t *handle;
  double *x;
  trace *traces;
} desk;

static bool make_desk(const sweep *s, desk *d) {
  const size_t nt = (size_t)s->ntake + 1;
  d->sets = calloc((size_t)(s->nsets + s->nvary) + 1, sizeof *d->sets);
  d->text = calloc((size_t)s->nvary + 1, sizeof *d->text);
  d->handle = calloc(nt, sizeof *d->handle);
  d->x = calloc(nt, sizeof *d->x);
  d->traces = calloc(nt, sizeof *d->traces);
  return d->sets && d->text && d->handle && d->x && d->traces;
}

static void free_desk(desk *d) {
  free(d->sets);
  free(d->text);
  free(d->handle);
  free(d->x);
  free(d->traces);
}

static hk_status simulate(const sweep *s, desk *d, hk_sim *sim, double *values) {
  double t = hk_sim_time(sim);
  const double from = t;
  for (int k = 0; k < s->ntake; k++)
    if ((d->handle[k] = hk_sim_channel_handle(sim, s->take[k].channel)) < 0) return HK_E_USAGE;
  hk_status st = hk_sim_read(sim, s->ntake, d->handle, d->x);
  for (int k = 0; k < s->ntake; k++) begin(&d->traces[k], d->x[k]);
  while (st == HK_OK && !hk_sim_done(sim) && !*s->stop) {
    st = hk_sim_step(sim);
    if (st == HK_OK && s->ntake) st = hk_sim_read(sim, s->ntake, d->handle, d->x);
    const double now = hk_sim_time(sim);
    for (int k = 0; st == HK_OK && k < s->ntake; k++) go_on(&d->traces[k], d->x[k], now - t);
    t = now;
  }
  if (*s->stop) return HK_INTERRUPTED;
  for (int k = 0; k < s->ntake; k++)
    values[k] = st == HK_OK ? value_of(&d->traces[k], s->take[k].kind, t - from) : NAN;
  return st;
}

static void run_one(const sweep *s, desk *d, int i) {
  hk_ctx *ctx = hk_ctx_create();
  hk_model *m = NULL;
  hk_sim *sim = NULL;
  sweep_row *row = &s->row[i];
  for (int k = 0; k < s->nsets; k++) d->sets[k] = s->sets[k];
  for (int k = 0; k < s->nvary; k++) {
    snprintf(d->text[k], sizeof d->text[k], "%.17g", s->parameter[i * s->nvary + k]);
    d->sets[s->nsets + k] = (hk_set){s->vary[k].name, d->text[k]};
  }
  for (int k = 0; k < s->ntake; k++) s->value[i * s->ntake + k] = NAN;
  row->status = ctx ? HK_OK : HK_E_MEMORY;
  if (ctx && cli_modules(s->args, ctx) != CLI_DONE) row->status = HK_E_USAGE;
  if (row->status == HK_OK)
    row->status = hk_model_load(ctx, s->model, d->sets, s->nsets + s->nvary, &m);
  if (row->status == HK_OK) row->status = hk_sim_create(m, &s->sim, &sim);
  if (row->status == HK_OK)
    row->status = simulate(s, d, sim, s->value + (size_t)i * (size_t)s->ntake);
  row->grade = hk_sim_grade(sim);
  if (row->status < 0) {
    hk_summary sum = {.message = ""};
    if (sim) hk_sim_summary(sim, &sum);
    char *first = ctx ? cli_first_error(ctx) : NULL;
    const char *why = first && *first               ? first
                      : sum.message && *sum.message ? sum.message
                                                    : hk_status_text(row->status);
    snprintf(row->message, sizeof row->message, "%s", why);
    free(first);
  }
  row->done = row->status != HK_INTERRUPTED;
  hk_sim_destroy(sim);
  hk_model_release(m);
  hk_ctx_destroy(ctx);
}

/* --- all of them ------------------------------------------------------------------------------ */

static void *work(void *user) {
  pool *p = user;
  desk d = {0};
  const bool ready = make_desk(p->s, &d);
  for (int i; ready && !*p->s->stop && (i = atomic_fetch_add(&p->next, 1)) < p->s->nruns;) {
    char words[64];
    run_one(p->s, &d, i);
    const int done = atomic_fetch_add(&p->done, 1) + 1;
    snprintf(words, sizeof words, "%d of %d runs", done, p->s->nruns);
    pthread_mutex_lock(&p->lock);
    cli_progress_line(&p->s->progress, (double)done / p->s->nruns, words);
    pthread_mutex_unlock(&p->lock);
  }
  if (!ready) cli_no_memory();
  free_desk(&d);
  return NULL;
}

void sweep_run(sweep *s) {
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  int n = s->jobs > 0 ? s->jobs : cores > 0 ? (int)cores : 1;
  if (n > s->nruns) n = s->nruns;
  pool p = {.s = s};
  pthread_t *thread = calloc((size_t)n + 1, sizeof *thread);
  int begun = 0;
  pthread_mutex_init(&p.lock, NULL);
  // where a thread cannot be made the others take its runs
  while (thread && begun < n - 1 && pthread_create(&thread[begun], NULL, work, &p) == 0) begun++;
  work(&p);
  for (int i = 0; i < begun; i++) pthread_join(thread[i], NULL);
  pthread_mutex_destroy(&p.lock);
  free(thread);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * realtime.c: a run in step with the clock. Two threads:
 *
 *   the loop     sleep until T, steps of one period, rows and frames into a ring
 *   the writer   takes them out and writes them, shows progress
 *
 * T grows by the period: the time of a step does not move the schedule, and neither does a late wake-up. A
 * step that is not done at T + period has missed it; what follows is a matter of choice (overrun).
 * The loop allocates nothing and touches no file. The writer looks at the ring every few milliseconds, so
 * that the loop need not wake it.
 */
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/ring.h"
#include "simulation/realtime.h"
#include "simulation/streams.h"

enum { ROW = 1, FRAME = 2 };
static const size_t ring_bytes = (size_t)16 << 20;
static const int64_t nap = 2000000; /* ns between looks of the writer */

typedef struct loop {
  hk_sim *s;
  const hk_realtime_options *opt;
  const hk_run_options *run;
  hk_output *out; /* NULL: nothing is recorded */
  hk_realtime_count *count;
  hk_ring ring;
  double *values, *record; /* a row of the loop; a record of the writer */
  size_t record_bytes;
  int32_t nframe;
  double next_row, t0;
  int64_t period, steps; /* ns; steps of one period */
  pthread_t thread;
  bool threaded;
  _Atomic bool ends;
  _Atomic int failed; /* status of the writer */
  _Atomic double now; /* simulated time, for progress */
} loop;

/* --- the writer ------------------------------------------------------------------------------------ */

/* writes what is in the ring */
static void drain(loop *l) {
  uint32_t kind;
  int64_t n;
  while ((n = hki_ring_get(&l->ring, &kind, l->record, l->record_bytes)) >= 0) {
    if (atomic_load(&l->failed) || n > (int64_t)l->record_bytes) continue;
    const double t = l->record[0];
    hk_status st = kind == ROW
                       ? l->out->row(l->out, t, l->record + 1)
                       : l->out->put_frame(l->out, t, (const float *)(const void *)(l->record + 1));
    if (st != HK_OK) atomic_store(&l->failed, st);
  }
}

static void show_progress(const loop *l, double wall) {
  const double t = atomic_load(&l->now), gone = t - l->t0;
  const hk_progress p = {t, l->s->end, wall > 0.0 ? gone / wall : 0.0,
                         gone > 0.0 ? wall * (l->s->end - t) / gone : 0.0, 0};
  l->run->progress(&p, l->run->user);
}

static void *write_all(void *arg) {
  loop *l = arg;
  const int64_t from = hki_now();
  int64_t shown = from;
  for (;;) {
    const bool last = atomic_load(&l->ends);
    if (l->out) drain(l);
    if (last) return NULL;
    const int64_t now = hki_now();
    if (l->run->progress && now - shown > 200000000)
      shown = now, show_progress(l, 1e-9 * (double)(now - from));
    (void)hki_sleep_until(now + nap);
  }
}

static hk_status start_writer(loop *l) {
  sigset_t all, before;
  const int32_t n = l->s->nchannels;
  if (l->out && l->out->look) (void)l->out->look(l->out, NAN, &l->nframe);
  const size_t frame = sizeof(double) + (size_t)l->nframe * sizeof(float);
  const size_t row = (size_t)(n + 1) * sizeof(double);
  l->record_bytes = frame > row ? frame : row;
  l->record = hki_alloc(l->s->ctx, l->record_bytes + sizeof(double));
  l->values = hki_alloc(l->s->ctx, row);
  if (!l->record || !l->values) return HK_E_MEMORY;
  hk_status st =
      hki_ring_create(&l->ring, l->s->ctx, l->out ? ring_bytes + 64 * l->record_bytes : 0);
  if (st != HK_OK) return st;
  // signals go to the loop
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  l->threaded = pthread_create(&l->thread, NULL, write_all, l) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return l->threaded ? HK_OK
                     : hki_error(l->s->ctx, HK_E_MEMORY, HK_LOC_NONE, NULL,
                                 "no thread could be started to write results");
}

static void end_writer(loop *l) {
  atomic_store(&l->ends, true);
  if (l->threaded) pthread_join(l->thread, NULL);
  hki_ring_free(&l->ring);
  hki_free(l->s->ctx, l->record);
  hki_free(l->s->ctx, l->values);
}

/* --- the loop --------------------------------------------------------------------------------------- */

static void record(loop *l, bool always) {
  hk_sim *s = l->s;
  const double t = hk_sim_time(s), every = l->run->output_every;
  if (!l->out) return;
  if (always || every <= 0.0 || t >= l->next_row - 1e-9 * s->step) {
    while (every > 0.0 && l->next_row <= t + 1e-9 * s->step) l->next_row += every;
    if (hk_sim_values(s, l->values) == HK_OK &&
        !hki_ring_put(&l->ring, ROW, &t, sizeof t, l->values,
                      (size_t)s->nchannels * sizeof *l->values))
      l->count->lost++;
  }
  if (!l->out->look || (!always && !l->out->frame_due(l->out, t))) return;
  const float *frame = l->out->look(l->out, t, &l->nframe);
  if (!hki_ring_put(&l->ring, FRAME, &t, sizeof t, frame, (size_t)l->nframe * sizeof *frame))
    l->count->lost++;
}

/* the steps of one period, also where events cut them */
static hk_status steps(loop *l) {
  hk_sim *s = l->s;
  const int64_t target = s->grid + l->steps;
  hk_status st = HK_OK;
  while (st == HK_OK && s->grid < target && !hk_sim_done(s)) {
    const int64_t before = s->grid;
    st = hki_sim_advance(s);
    if (st == HK_OK && s->grid > before) record(l, hk_sim_done(s));
  }
  return st;
}

/* the period that began at *at is over at `now`: when the next one begins */
static hk_status next_period(loop *l, int64_t *at, int64_t now) {
  hk_realtime_count *c = l->count;
  if (l->opt->pace != HK_PACE_CLOCK) {
    *at = now;
    return HK_OK;
  }
  *at += l->period;
  if (now <= *at) return HK_OK;
  c->missed++;
  if (l->opt->overrun == HK_OVERRUN_SLIP) *at = now;
  if (l->opt->overrun == HK_OVERRUN_SKIP) {
    const int64_t n = (now - *at + l->period - 1) / l->period;
    c->skipped += n;
    *at += n * l->period;
  }
  if (l->opt->overrun != HK_OVERRUN_STOP) return HK_OK;
  snprintf(l->s->message, sizeof l->s->message,
           "a period of %.6g s was missed at t = %.9g s: its step took %.3g s", c->period,
           hk_sim_time(l->s), 1e-9 * (double)(now - *at + l->period));
  l->s->advice = "give it a longer --period or fewer --iterations, or another --overrun";
  return HK_E_DIVERGED;
}

/* what the program around wants to do before the steps of a period: it may have changed the model */
static hk_status each(loop *l) {
  hk_sim *s = l->s;
  const hk_status st = l->opt->each(s, l->opt->user);
  if (l->out) hki_kin_keep_forces(s->kin);
  if (st != HK_OK && !s->message[0])
    snprintf(s->message, sizeof s->message, "the program ended the run at t = %.9g s",
             hk_sim_time(s));
  return st;
}

static bool interrupted(const loop *l) { return l->run->interrupt && *l->run->interrupt; }

static hk_status run_periods(loop *l) {
  hk_sim *s = l->s;
  hk_realtime_count *c = l->count;
  const bool clocked = l->opt->pace == HK_PACE_CLOCK;
  hk_status st = s->status;
  int64_t at = hki_now() + (clocked ? l->period : 0);
  const int64_t faults = hki_rt_faults();
  while (st == HK_OK && !hk_sim_done(s)) {
    while (clocked && !interrupted(l) && !hki_sleep_until(at)) continue;
    if (interrupted(l)) {
      snprintf(s->message, sizeof s->message, "interrupted at t = %.9g s", hk_sim_time(s));
      st = HK_INTERRUPTED;
      break;
    }
    const int64_t woke = hki_now(), waited = s->waited;
    if (clocked) hki_histogram_add(&c->wake, woke - at);
    st = l->opt->each ? each(l) : HK_OK;
    if (st == HK_OK) st = steps(l);
    const int64_t done = hki_now();
    hki_histogram_add(&c->step, done - woke - (s->waited - waited));
    if (s->streams) hki_histogram_add(&c->wait, s->waited - waited);
    c->periods++;
    atomic_store_explicit(&l->now, hk_sim_time(s), memory_order_relaxed);
    if (st == HK_OK) st = next_period(l, &at, done);
    if (st == HK_OK && atomic_load_explicit(&l->failed, memory_order_relaxed)) st = HK_E_FILE;
  }
  c->faults = hki_rt_faults() - faults;
  return st;
}

/* evaluates everything once, so that it is in memory */
static void touch(loop *l) {
  (void)hk_sim_values(l->s, l->values);
  if (l->out && l->out->look) {
    (void)l->out->frame_due(l->out, hk_sim_time(l->s));
  }
}

static hk_status check(loop *l) {
  hk_sim *s = l->s;
  if (s->free.on || s->scheduled || s->I.ops->steps == HK_STEPS_OWN)
    return hki_error(
        s->ctx, HK_E_USAGE, HK_LOC_NONE,
        "give --integrator generalized_alpha or another one with steps of given length, "
        "and step_control=off",
        "in real time the steps must have one length, and this run chooses it by %s",
        s->scheduled ? "a signal" : "the error");
  if (l->opt->pace == HK_PACE_IO && !hki_streams_block(s))
    return hki_error(
        s->ctx, HK_E_USAGE, HK_LOC_NONE, "give an input stream 'blocking: true', or the pace fast",
        "no stream of the model makes its steps wait, and the pace is that of streams");
  const double n = l->count->period / s->step;
  if (!(fabs(n - round(n)) <= 1e-6 * n) || n < 0.5 || n > 1e6)
    return hki_error(s->ctx, HK_E_USAGE, HK_LOC_NONE, "leave --step out, then it is the period",
                     "a period of %.9g s is no whole number of steps of %.9g s", l->count->period,
                     s->step);
  l->steps = (int64_t)round(n);
  l->period = (int64_t)round(1e9 * l->count->period);
  return HK_OK;
}

/* the loop in its place in the schedule */
static hk_status in_place(loop *l) {
  const hk_realtime_options *o = l->opt;
  const hk_rt_wish wish = {o->schedule, o->priority, o->cpu, !o->unlocked, l->period};
  hk_rt_place place;
  char words[HK_RT_WORDS];
  hki_rt_take(&wish, &place, words);
  if (words[0]) hki_note(l->s->ctx, HK_LOC_NONE, "%s", words);
  l->count->had = place.had;
  touch(l);
  const double cpu = hki_cpu_seconds();
  hk_status st = run_periods(l);
  l->s->cpu += hki_cpu_seconds() - cpu;
  hki_rt_give_back(&place);
  return st;
}

hk_status hki_realtime_loop(hk_sim *s, const hk_realtime_options *opt, const hk_run_options *run,
                            hk_output *out) {
  loop l = {.s = s, .opt = opt, .run = run, .out = out, .t0 = hk_sim_time(s)};
  // a change of parameters must not take it away
  hk_realtime_count *c = hki_pool_alloc(hki_ctx_pool(s->ctx), sizeof *c);
  if (!c) return HK_E_MEMORY;
  c->period = opt->period > 0.0 ? opt->period : s->step;
  c->pace = opt->pace, c->overrun = opt->overrun;
  l.count = s->realtime = c;
  if (out) hki_kin_keep_forces(s->kin);
  if (run->output_every > 0.0)
    l.next_row = (floor(l.t0 / run->output_every + 1e-9) + 1.0) * run->output_every;
  atomic_store(&l.now, l.t0);
  hk_status st = check(&l);
  if (st == HK_OK) st = start_writer(&l);
  if (st == HK_OK) {
    record(&l, true);
    st = in_place(&l);
  }
  end_writer(&l);
  if (atomic_load(&l.failed)) st = (hk_status)atomic_load(&l.failed);
  s->status = st;
  if (st < 0 && !s->message[0]) snprintf(s->message, sizeof s->message, "%s", hk_status_text(st));
  if (c->lost)
    hki_warn(s->ctx, HK_LOC_NONE, "record less, or less often (--output-every)",
             "%lld rows or frames were lost: the results could not be written fast enough",
             (long long)c->lost);
  return st;
}

/* --- what was counted -------------------------------------------------------------------------------- */

static const char *const paces[] = {"clock", "fast", "io"};
static const char *const overruns[] = {"slip", "skip", "catch-up", "stop"};
static const char *const schedules[] = {"other", "fifo", "deadline"};

void hki_realtime_json(const hk_sim *s, hk_text *t) {
  const hk_realtime_count *c = s->realtime;
  hki_text_add(t, "\"period_s\": ");
  hki_text_number(t, c->period);
  hki_text_printf(t, ", \"periods\": %lld, \"missed\": %lld, \"skipped\": %lld, ",
                  (long long)c->periods, (long long)c->missed, (long long)c->skipped);
  hki_text_printf(t, "\"lost_rows\": %lld, \"page_faults\": %lld,\n  ", (long long)c->lost,
                  (long long)c->faults);
  hki_text_printf(
      t, "\"pace\": \"%s\", \"overrun\": \"%s\", \"schedule\": \"%s\", \"priority\": %d, ",
      paces[c->pace], overruns[c->overrun], schedules[c->had.policy], (int)c->had.priority);
  hki_text_printf(t, "\"cpu\": %d, \"locked\": %s,\n  ", (int)c->had.cpu,
                  c->had.lock ? "true" : "false");
  hki_text_printf(t, "\"fixed_iterations\": %d, \"accepted_early\": %lld, \"left\": ",
                  (int)s->newton.fixed, (long long)s->newton.taken);
  hki_text_number(t, s->newton.left_most);
  hki_text_add(t, ",\n  ");
  hki_histogram_json(&c->wake, "wake_us", t);
  hki_text_add(t, ", ");
  hki_histogram_json(&c->step, "step_us", t);
  if (c->wait.n) {
    hki_text_add(t, ", ");
    hki_histogram_json(&c->wait, "wait_us", t);
  }
  hki_text_add(t, ",\n  \"histograms\": {\"wake_us\": ");
  hki_histogram_bins_json(&c->wake, t);
  hki_text_add(t, ", \"step_us\": ");
  hki_histogram_bins_json(&c->step, t);
  hki_text_add(t, "},\n  ");
}

static hk_realtime_times times(const hk_histogram *h) {
  return (hk_realtime_times){1e-3 * hki_histogram_share(h, 0.5),
                             1e-3 * hki_histogram_share(h, 0.99),
                             1e-3 * hki_histogram_share(h, 0.9999), 1e-3 * (double)h->most,
                             h->n ? 1e-3 * h->sum / (double)h->n : 0.0};
}

hk_status hk_sim_realtime(const hk_sim *s, hk_realtime_summary *out) {
  if (!hki_is(s, HK_MARK_SIM)) return hki_misuse(NULL, "hk_sim_realtime", "no simulation");
  if (!out) return hki_misuse(s->ctx, "hk_sim_realtime", "no place for the numbers");
  const hk_realtime_count *c = s->realtime;
  if (!c) return hki_misuse(s->ctx, "hk_sim_realtime", "it was not run in real time");
  const hk_realtime_summary all = {.size = out->size,
                                   .periods = c->periods,
                                   .missed = c->missed,
                                   .skipped = c->skipped,
                                   .lost_rows = c->lost,
                                   .page_faults = c->faults,
                                   .accepted = s->newton.taken,
                                   .left = s->newton.left_most,
                                   .wake_us = times(&c->wake),
                                   .step_us = times(&c->step)};
  if (out->size < offsetof(hk_realtime_summary, periods))
    return hki_misuse(s->ctx, "hk_sim_realtime", "the struct has no size");
  memcpy(out, &all, out->size < sizeof all ? out->size : sizeof all);
  return HK_OK;
}

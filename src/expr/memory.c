/* SPDX-License-Identifier: Apache-2.0
 *
 * memory.c: sample, delay, latch and first_hit, and the table of all kinds. Every block of numbers
 * begins with 1 once the run has started.
 *
 * The history of a delay T is a ring of points (t, u), one for each accepted step and two at each
 * jump, which no interpolation crosses. Between them the value is the polynomial through the six
 * nearest points of the same smooth piece (fewer where a piece is short), an error of order h^6.
 * Points nearer to each other than 2 T/N are left out, N the size of the ring, so that it reaches
 * back far enough with N/4 jumps within T. Every jump or bend comes out again a time T later, as a
 * break of its own.
 */
#include "expr/memory_impl.h"

#include <float.h>
#include <math.h>

enum { POINTS = 1024, NEAREST = 6 };

/* places in the blocks */
enum { STARTED = HK_MEMORY_STARTED };
enum { SAMPLE_VALUE = HK_MEMORY_NEXT + 1, SAMPLE_PAST }; /* past: u_(k-1) .., then y_(k-1) .. */
enum { DELAY_COUNT = 1, DELAY_FIRST, DELAY_RING };       /* ring: t, u */
enum { LATCH_ON = 1, LATCH_VALUE, LATCH_SIZE };
enum { HIT_DONE = 1, HIT_TIME, HIT_SIZE };

/* --- times of samples ------------------------------------------------------------------------- */

static double sample_time(const hk_memory *m, double k) { return m->phase + k * m->period; }

bool hki_memory_take(const hk_memory *m, double *mem, hk_commit when, double t) {
  double *next = mem + HK_MEMORY_NEXT;
  if (when == HK_COMMIT_START) *next = fmax(0.0, ceil((t - m->phase) / m->period));
  if (when != HK_COMMIT_START && when != HK_COMMIT_BREAK) return false;
  if (sample_time(m, *next) > t + 4.0 * DBL_EPSILON * fabs(t)) return false;
  *next += 1.0;
  return true;
}

double hki_memory_sample_break(const hk_memory *m, const double *mem, double t) {
  double k = fmax(mem[HK_MEMORY_NEXT], floor((t - m->phase) / m->period));
  while (sample_time(m, k) <= t) k += 1.0;
  return sample_time(m, k);
}

/* --- samples ---------------------------------------------------------------------------------- */

static double sum(hk_reals x) {
  double s = 0.0;
  for (int32_t i = 0; i < x.n; i++) s += x.x[i];
  return s;
}

/* the value of a sample in rest per unit of its operand */
static double rest_gain(const hk_memory *m) {
  const double a = sum(m->a);
  return a != 0.0 ? sum(m->b) / a : 0.0;
}

static int32_t sample_size(const hk_memory *m) { return SAMPLE_PAST + (m->b.n - 1) + (m->a.n - 1); }

/* takes one value, with the filter over past ones */
static void take(const hk_memory *m, double *mem, double u) {
  double *past_u = mem + SAMPLE_PAST, *past_y = past_u + m->b.n - 1, y = m->b.x[0] * u;
  for (int32_t i = 1; i < m->b.n; i++) y += m->b.x[i] * past_u[i - 1];
  for (int32_t i = 1; i < m->a.n; i++) y -= m->a.x[i] * past_y[i - 1];
  y /= m->a.x[0];
  for (int32_t i = m->b.n - 2; i > 0; i--) past_u[i] = past_u[i - 1];
  for (int32_t i = m->a.n - 2; i > 0; i--) past_y[i] = past_y[i - 1];
  if (m->b.n > 1) past_u[0] = u;
  if (m->a.n > 1) past_y[0] = y;
  mem[SAMPLE_VALUE] = y;
}

static bool commit_sample(const hk_memory *m, double *mem, hk_commit when, double t,
                          const double *u) {
  if (when == HK_COMMIT_START) mem[SAMPLE_VALUE] = m->rest ? rest_gain(m) * u[0] : m->start;
  for (int32_t i = 1; when == HK_COMMIT_START && m->rest && i < m->b.n; i++)
    mem[SAMPLE_PAST + i - 1] = u[0];
  const double before = mem[SAMPLE_VALUE];
  if (hki_memory_take(m, mem, when, t)) take(m, mem, u[0]);
  return mem[SAMPLE_VALUE] != before;
}

static void eval_sample(const hk_memory *m, const double *mem, double t, const double *u,
                        double y[3]) {
  (void)t;
  y[0] = mem[STARTED] != 0.0 ? mem[SAMPLE_VALUE] : rest_gain(m) * u[0];
}

static void sample_slopes(const hk_memory *m, const double *u, double *g) {
  (void)u;
  g[0] = rest_gain(m);
}

/* --- delays ----------------------------------------------------------------------------------- */

static int32_t delay_size(const hk_memory *m) {
  (void)m;
  return DELAY_RING + 2 * POINTS;
}

/* point i of the history, the oldest is 0 */
static double *point(double *mem, int32_t i) {
  return mem + DELAY_RING + 2 * (((int32_t)mem[DELAY_FIRST] + i) % POINTS);
}
static const double *seen(const double *mem, int32_t i) {
  return mem + DELAY_RING + 2 * (((int32_t)mem[DELAY_FIRST] + i) % POINTS);
}

static void push(double *mem, double t, double u) {
  if (mem[DELAY_COUNT] == POINTS) {
    mem[DELAY_FIRST] = (double)(((int32_t)mem[DELAY_FIRST] + 1) % POINTS);
    mem[DELAY_COUNT] -= 1.0;
  }
  double *p = point(mem, (int32_t)mem[DELAY_COUNT]);
  p[0] = t, p[1] = u;
  mem[DELAY_COUNT] += 1.0;
}

/* The newest point is always there; it gives way to the next one where it is too near to the point
 * before it. A jump or bend is a second point at the same time. */
static bool commit_delay(const hk_memory *m, double *mem, hk_commit when, double t,
                         const double *operand) {
  const int32_t n = (int32_t)mem[DELAY_COUNT];
  const double u = operand[0];
  if (n == 0) {
    push(mem, t, u);
    return false;
  }
  double *last = point(mem, n - 1), *before = n > 1 ? point(mem, n - 2) : last;
  const bool corner = n == 1 || before[0] == last[0];
  if (when != HK_COMMIT_STEP) {
    const bool jumps = u != last[1];
    if (corner)
      last[1] = u;
    else if (jumps || when == HK_COMMIT_BEND || when == HK_COMMIT_EVENT)
      push(mem, last[0], u);
  } else if (t > last[0]) {
    if (!corner && last[0] - before[0] < 2.0 * m->time / POINTS)
      last[0] = t, last[1] = u;
    else
      push(mem, t, u);
  }
  return false;
}

/* y: value and derivatives at x of the polynomial through n points from `first` on (Newton's form) */
static void polynomial(const double *mem, int32_t first, int32_t n, double x, double y[3]) {
  double c[NEAREST] = {0.0}, t[NEAREST] = {0.0};
  for (int32_t i = 0; i < n; i++) t[i] = seen(mem, first + i)[0], c[i] = seen(mem, first + i)[1];
  for (int32_t k = 1; k < n; k++)
    for (int32_t i = n - 1; i >= k; i--) c[i] = (c[i] - c[i - 1]) / (t[i] - t[i - k]);
  y[0] = c[n - 1], y[1] = y[2] = 0.0;
  for (int32_t i = n - 2; i >= 0; i--) {
    const double d = x - t[i];
    y[2] = y[2] * d + 2.0 * y[1];
    y[1] = y[1] * d + y[0];
    y[0] = y[0] * d + c[i];
  }
}

bool hki_memory_lost(const hk_memory *m, const double *mem, double t, int32_t *most) {
  *most = POINTS / 4;
  return m->fn == HK_MEMORY_DELAY && mem[STARTED] != 0.0 && mem[DELAY_COUNT] == POINTS &&
         t - m->time < seen(mem, 0)[0];
}

static void eval_delay(const hk_memory *m, const double *mem, double t, const double *u,
                       double y[3]) {
  const int32_t n = (int32_t)mem[DELAY_COUNT];
  const double x = t - m->time;
  int32_t lo = 0, hi = n - 1;
  if (mem[STARTED] == 0.0 || n == 0) {
    y[0] = u[0];
    return;
  }
  // at rest before the start; where more has happened than the ring holds, nothing is known, and the
  // run ends with these words (hki_memory_lost)
  if (x < seen(mem, 0)[0]) {
    y[0] = n < POINTS ? seen(mem, 0)[1] : NAN;
    return;
  }
  // the last point at or before x; of two at one time the later
  while (hi - lo > 0) {
    const int32_t mid = hi - (hi - lo) / 2;
    *(seen(mem, mid)[0] <= x ? &lo : &hi) = seen(mem, mid)[0] <= x ? mid : mid - 1;
  }
  int32_t first = lo, last = lo;
  while (last + 1 < n && last - lo < NEAREST && seen(mem, last + 1)[0] > seen(mem, last)[0]) last++;
  while (first > 0 && lo - first < NEAREST && seen(mem, first)[0] > seen(mem, first - 1)[0])
    first--;
  int32_t from = lo - NEAREST / 2 + 1;
  if (from + NEAREST - 1 > last) from = last - NEAREST + 1;
  if (from < first) from = first;
  const int32_t count = last - from + 1 < NEAREST ? last - from + 1 : NEAREST;
  polynomial(mem, from, count, x, y);
}

static void delay_slopes(const hk_memory *m, const double *u, double *g) {
  (void)m, (void)u;
  g[0] = 1.0;
}

/* the first time whose delayed time is t or later */
static double out_again(const hk_memory *m, double t) {
  double b = t + m->time;
  while (b - m->time < t) b = nextafter(b, INFINITY);
  while (nextafter(b, -INFINITY) - m->time >= t) b = nextafter(b, -INFINITY);
  return b;
}

static double delay_break(const hk_memory *m, const double *mem, double t) {
  const int32_t n = (int32_t)mem[DELAY_COUNT];
  for (int32_t i = 0; i < n; i++) {
    const bool corner = i == 0 || seen(mem, i)[0] == seen(mem, i - 1)[0];
    if (!corner || seen(mem, i)[0] + m->time < t) continue;
    const double b = out_again(m, seen(mem, i)[0]);
    if (b > t) return b;
  }
  return INFINITY;
}

/* --- latches and first hits ------------------------------------------------------------------- */

static int32_t latch_size(const hk_memory *m) {
  (void)m;
  return LATCH_SIZE;
}

static bool latch_due(const hk_memory *m, const double *mem, const double *u) {
  (void)m;
  return mem[LATCH_ON] == 0.0 ? u[0] != 0.0 : u[1] != 0.0 && u[0] == 0.0;
}

static bool latch_waits(const hk_memory *m, const double *mem) {
  (void)m, (void)mem;
  return true;
}

static bool latch_condition(const hk_memory *m, int32_t i) {
  (void)m;
  return i < 2;
}

static bool commit_latch(const hk_memory *m, double *mem, hk_commit when, double t,
                         const double *u) {
  (void)t;
  if ((when != HK_COMMIT_EVENT && when != HK_COMMIT_START) || !latch_due(m, mem, u)) return false;
  mem[LATCH_ON] = 1.0 - mem[LATCH_ON];
  mem[LATCH_VALUE] = mem[LATCH_ON] != 0.0 ? u[2] : 0.0;
  return true;
}

static void eval_latch(const hk_memory *m, const double *mem, double t, const double *u,
                       double y[3]) {
  (void)m, (void)t, (void)u;
  y[0] = mem[LATCH_VALUE];
}

static int32_t hit_size(const hk_memory *m) {
  (void)m;
  return HIT_SIZE;
}

static bool hit_due(const hk_memory *m, const double *mem, const double *u) {
  (void)m;
  return mem[HIT_DONE] == 0.0 && u[0] != 0.0;
}

static bool hit_waits(const hk_memory *m, const double *mem) {
  (void)m;
  return mem[HIT_DONE] == 0.0;
}

static bool commit_hit(const hk_memory *m, double *mem, hk_commit when, double t, const double *u) {
  if ((when != HK_COMMIT_EVENT && when != HK_COMMIT_START) || !hit_due(m, mem, u)) return false;
  mem[HIT_DONE] = 1.0, mem[HIT_TIME] = t;
  return true;
}

static void eval_hit(const hk_memory *m, const double *mem, double t, const double *u,
                     double y[3]) {
  (void)m, (void)u;
  y[0] = mem[HIT_DONE] != 0.0 ? mem[HIT_TIME] : t;
  y[1] = mem[HIT_DONE] != 0.0 ? 0.0 : 1.0;
}

/* --- the interface ---------------------------------------------------------------------------- */

static const hk_memory_ops sample_ops = {.size = sample_size,
                                         .commit = commit_sample,
                                         .eval = eval_sample,
                                         .slopes = sample_slopes,
                                         .next_break = hki_memory_sample_break};
static const hk_memory_ops delay_ops = {.size = delay_size,
                                        .commit = commit_delay,
                                        .eval = eval_delay,
                                        .slopes = delay_slopes,
                                        .next_break = delay_break};
static const hk_memory_ops latch_ops = {.size = latch_size,
                                        .commit = commit_latch,
                                        .eval = eval_latch,
                                        .due = latch_due,
                                        .waits = latch_waits,
                                        .condition = latch_condition};
static const hk_memory_ops hit_ops = {.size = hit_size,
                                      .commit = commit_hit,
                                      .eval = eval_hit,
                                      .due = hit_due,
                                      .waits = hit_waits,
                                      .condition = latch_condition};

/* --- variables -------------------------------------------------------------------------------- */

enum { VARIABLE_VALUE = 1, VARIABLE_SIZE };

static int32_t variable_size(const hk_memory *m) {
  (void)m;
  return VARIABLE_SIZE;
}

static bool commit_variable(const hk_memory *m, double *mem, hk_commit when, double t,
                            const double *u) {
  (void)m, (void)t;
  if (when != HK_COMMIT_START) return false;
  mem[VARIABLE_VALUE] = u[0];
  return true;
}

static void eval_variable(const hk_memory *m, const double *mem, double t, const double *u,
                          double y[3]) {
  (void)m, (void)t;
  y[0] = mem[STARTED] != 0.0 ? mem[VARIABLE_VALUE] : u[0];
}

void hki_memory_set(const hk_memory *m, double *mem, double value) {
  if (m->fn == HK_MEMORY_VARIABLE) mem[VARIABLE_VALUE] = value;
}

static const hk_memory_ops variable_ops = {
    .size = variable_size, .commit = commit_variable, .eval = eval_variable};

/* --- inputs ----------------------------------------------------------------------------------- */

/* the last value and its time, the rate with which it goes on, the value before it, and the one that
 * waits for the next step, if there is one */
enum {
  INPUT_TIME = 1,
  INPUT_VALUE,
  INPUT_RATE,
  INPUT_TIME_BEFORE,
  INPUT_BEFORE,
  INPUT_WAITS,
  INPUT_NEXT,
  INPUT_SIZE
};

static int32_t input_size(const hk_memory *m) {
  (void)m;
  return INPUT_SIZE;
}

void hki_memory_input(const hk_memory *m, double *mem, double t, double value, bool jump) {
  // a value that is set again at the same time replaces the first
  if (t > mem[INPUT_TIME]) {
    mem[INPUT_TIME_BEFORE] = mem[INPUT_TIME];
    mem[INPUT_BEFORE] = mem[INPUT_VALUE];
  }
  mem[INPUT_TIME] = t;
  mem[INPUT_VALUE] = value;
  mem[INPUT_WAITS] = 0.0;
  if (jump) mem[INPUT_TIME_BEFORE] = t;
  const double h = t - mem[INPUT_TIME_BEFORE];
  mem[INPUT_RATE] = m->linear_on && h > 0.0 ? (value - mem[INPUT_BEFORE]) / h : 0.0;
}

void hki_memory_input_next(double *mem, double value) {
  mem[INPUT_WAITS] = 1.0;
  mem[INPUT_NEXT] = value;
}

double hki_memory_input_waits(const double *mem) {
  return mem[INPUT_WAITS] != 0.0 ? mem[INPUT_NEXT] : NAN;
}

bool hki_memory_input_take(const hk_memory *m, double *mem, double t) {
  if (mem[INPUT_WAITS] == 0.0) return false;
  hki_memory_input(m, mem, t, mem[INPUT_NEXT], false);
  return true;
}

double hki_memory_input_last(const hk_memory *m, const double *mem, double t) {
  double y[3];
  hki_memory_eval(m, mem, t, NULL, y);
  return mem[INPUT_WAITS] != 0.0 ? mem[INPUT_NEXT] : y[0];
}

static bool commit_input(const hk_memory *m, double *mem, hk_commit when, double t,
                         const double *u) {
  if (when != HK_COMMIT_START) return false;
  mem[INPUT_TIME] = t;
  hki_memory_input(m, mem, t, u[0], true);
  return true;
}

static void eval_input(const hk_memory *m, const double *mem, double t, const double *u,
                       double y[3]) {
  (void)m;
  if (mem[STARTED] == 0.0) {
    y[0] = u[0];
    return;
  }
  y[0] = mem[INPUT_VALUE] + mem[INPUT_RATE] * (t - mem[INPUT_TIME]);
  y[1] = mem[INPUT_RATE];
}

void hki_memory_input_integrals(const double *mem, double from, double to, double *area,
                                double *moment) {
  const double h = to - from, rate = mem[INPUT_RATE];
  const double x = mem[INPUT_VALUE] + rate * (from - mem[INPUT_TIME]);
  *area = (x + 0.5 * rate * h) * h;
  *moment = (0.5 * x + rate * h / 6.0) * h * h;
}

static const hk_memory_ops input_ops = {
    .size = input_size, .commit = commit_input, .eval = eval_input, .rests = true};

static const hk_memory_ops *const kinds[HK_MEMORY_FNS] = {
    [HK_MEMORY_SAMPLE] = &sample_ops,
    [HK_MEMORY_DELAY] = &delay_ops,
    [HK_MEMORY_LATCH] = &latch_ops,
    [HK_MEMORY_FIRST_HIT] = &hit_ops,
    [HK_MEMORY_LINEAR] = &hki_memory_linear,
    [HK_MEMORY_PID] = &hki_memory_pid,
    [HK_MEMORY_RATE_LIMIT] = &hki_memory_rate_limit,
    [HK_MEMORY_MACHINE] = &hki_memory_machine,
    [HK_MEMORY_PORT] = &hki_memory_port,
    [HK_MEMORY_VARIABLE] = &variable_ops,
    [HK_MEMORY_OWN] = &hki_memory_own,
    [HK_MEMORY_INPUT] = &input_ops,
};

int32_t hki_memory_size(const hk_memory *m) { return kinds[m->fn]->size(m); }

bool hki_memory_acts(const hk_memory *m) { return !kinds[m->fn]->rests; }

bool hki_memory_due(const hk_memory *m, const double *mem, const double *u) {
  return kinds[m->fn]->due && mem[STARTED] != 0.0 && kinds[m->fn]->due(m, mem, u);
}

bool hki_memory_waits(const hk_memory *m, const double *mem) {
  return kinds[m->fn]->waits && kinds[m->fn]->waits(m, mem);
}

bool hki_memory_condition(const hk_memory *m, int32_t i) {
  return kinds[m->fn]->condition && kinds[m->fn]->condition(m, i);
}

bool hki_memory_commit(const hk_memory *m, double *mem, hk_commit when, double t, const double *u) {
  const hk_memory_ops *ops = kinds[m->fn];
  if (when == HK_COMMIT_START && ops->size(m)) mem[STARTED] = 1.0;
  return ops->commit && ops->commit(m, mem, when, t, u);
}

bool hki_memory_update(const hk_memory *m, double *mem, hk_commit when, double t, const double *u) {
  return kinds[m->fn]->update && kinds[m->fn]->update(m, mem, when, t, u);
}

void hki_memory_eval(const hk_memory *m, const double *mem, double t, const double *u,
                     double y[3]) {
  y[1] = y[2] = 0.0;
  kinds[m->fn]->eval(m, mem, t, u, y);
}

void hki_memory_slopes(const hk_memory *m, const double *mem, int32_t n, const double *u,
                       double *g) {
  for (int32_t i = 0; i < n; i++) g[i] = 0.0;
  if (n && mem[STARTED] == 0.0 && kinds[m->fn]->slopes) kinds[m->fn]->slopes(m, u, g);
}

double hki_memory_next_break(const hk_memory *m, const double *mem, double t) {
  return kinds[m->fn]->next_break ? kinds[m->fn]->next_break(m, mem, t) : INFINITY;
}

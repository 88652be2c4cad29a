/* SPDX-License-Identifier: Apache-2.0
 *
 * measure.c: reference series and errors against them.
 *
 * A run and its reference rarely have the same points in time. They are compared at the points of
 * the coarser of the two; the finer one is interpolated there by the cubic through its four
 * nearest points, which is exact where the points coincide. Errors e_i = |x_ref - x| give
 *
 *   Sup-Norm = max e_i
 *   2-Norm   = sqrt(sum e_i^2)
 *   Rel-Err  = 100 Sup-Norm / |x_ref at the largest error|
 *
 * (Haug, Negrut and Iancu 1997), the time of the largest error, and that error in % of the range of
 * the reference. Of several channels the worst counts; the range of a channel is taken as at least a
 * thousandth of the largest range among them.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "studies/compare.h"
#include "formats/csv_table.h"

/* --- series ----------------------------------------------------------------------------------- */

bool hki_series_add(hk_ctx *ctx, hk_series *s, double t, const double *row) {
  size_t w = (size_t)s->width;
  // of two rows at one time (an event) the later one counts
  if (s->n && t <= s->t[s->n - 1]) s->n--;
  if (s->n == s->cap) {
    int64_t cap = s->cap ? 2 * s->cap : 256;
    double *tt = hki_realloc(ctx, s->t, (size_t)cap * sizeof *tt);
    if (tt) s->t = tt;
    double *xx = hki_realloc(ctx, s->x, (size_t)cap * (w + 1) * sizeof *xx);
    if (xx) s->x = xx;
    if (!tt || !xx) return false;
    s->cap = cap;
  }
  s->t[s->n] = t;
  if (w) memcpy(s->x + (size_t)s->n * w, row, w * sizeof *row);
  s->n++;
  return true;
}

void hki_series_free(hk_ctx *ctx, hk_series *s) {
  hki_free(ctx, s->t);
  hki_free(ctx, s->x);
  *s = (hk_series){0};
}

/* --- reference files -------------------------------------------------------------------------- */

typedef struct columns {
  const hk_csv *csv;
} columns;

static bool resolve(void *user, const char *name, hk_expr_symbol *out) {
  const columns *c = user;
  *out = (hk_expr_symbol){.is_input = true, .slot = hki_csv_column(c->csv, name)};
  return c->csv->names && out->slot >= 0;
}

static void suggest(void *user, hk_nearest *near) {
  const columns *c = user;
  for (int32_t i = 0; c->csv->names && i < c->csv->columns; i++)
    hki_nearest_try(near, c->csv->names[i]);
}

/* an expression over the file's columns for one channel of a measure */
static hk_status column_of(hk_ctx *ctx, hk_pool *pool, const hk_csv *csv, const hk_probe *p,
                           int32_t i, int32_t k, hk_expr **out) {
  const hk_study_measure *m = &p->study->measures[i];
  columns c = {csv};
  hk_expr_scope scope = {&c, resolve, suggest, false};
  char name[512];
  if (p->measures[i].nchannels) {
    hki_channel_name(p->spec, p->measures[i].channels[k], name, sizeof name);
  } else if (m->column.text) {
    return hki_expr_compile(ctx, pool, m->column.text, strlen(m->column.text), m->column.loc,
                            &scope, out);
  } else {
    // a result of `hooke run` has columns named like channels
    const char *text =
        hki_csv_column(csv, m->value.text) >= 0 && csv->names ? m->value.text : m->name;
    if (strlen(text) >= sizeof name) return HK_E_MODEL;
    strcpy(name, text);
  }
  int32_t at = csv->names ? hki_csv_column(csv, name) : -1;
  if (at >= 0) {
    *out = hki_expr_input(pool, at, name);
    return *out ? HK_OK : HK_E_MEMORY;
  }
  hk_nearest near;
  char hint[300];
  hki_nearest_init(&near, name);
  suggest(&c, &near);
  const char *best = hki_nearest_result(&near);
  if (best) snprintf(hint, sizeof hint, "did you mean '%s'?", best);
  return hki_error(ctx, m->loc.file >= 0 ? HK_E_MODEL : HK_E_USAGE, m->loc,
                   best ? hint : "say which with 'column'", "the reference file has no column '%s'",
                   name);
}

/* the expression of every column of the series */
static hk_status find_columns(hk_ctx *ctx, hk_pool *pool, const hk_csv *csv, const hk_probe *p,
                              hk_expr **exprs) {
  for (int32_t i = 0; i < p->study->nmeasures; i++) {
    const hk_probe_measure *pm = &p->measures[i];
    for (int32_t k = 0; k < pm->width; k++) {
      hk_status st = column_of(ctx, pool, csv, p, i, k, &exprs[pm->at + k]);
      if (st != HK_OK) return st;
    }
  }
  return HK_OK;
}

hk_status hki_reference_read(hk_ctx *ctx, const hk_study *study, const hk_probe *p,
                             hk_series *out) {
  const hk_study_reference *ref = &study->reference;
  hk_pool *pool = hki_pool_create(ctx);
  hk_csv csv;
  if (!pool) return HK_E_MEMORY;
  hk_status st = hki_csv_read(ctx, pool, ref->file.text, ref->file.loc, &csv);
  hk_expr **exprs = hki_pool_alloc(pool, (size_t)(p->width + 1) * sizeof(hk_expr *));
  double *in = hki_pool_alloc(pool, (size_t)(st == HK_OK ? csv.columns + 1 : 1) * sizeof *in);
  int32_t time = 0;
  if (st == HK_OK && (!exprs || !in)) st = HK_E_MEMORY;
  if (st == HK_OK && ref->time && (time = hki_csv_column(&csv, ref->time)) < 0)
    st = hki_error(ctx, HK_E_MODEL, ref->loc, NULL, "the reference file has no column '%s'",
                   ref->time);
  if (st == HK_OK) st = find_columns(ctx, pool, &csv, p, exprs);
  out->width = p->width;
  for (int32_t r = 0; st == HK_OK && r < csv.rows; r++) {
    for (int32_t c = 0; c < csv.columns; c++)
      in[c] = csv.data[(size_t)c * (size_t)csv.rows + (size_t)r];
    for (int32_t k = 0; k < p->width; k++) p->row[k] = hki_expr_eval(exprs[k], in);
    if (r && in[time] < csv.data[(size_t)time * (size_t)csv.rows + (size_t)r - 1]) {
      hk_loc at = {csv.file, csv.lines[r], 0};
      st = hki_error(ctx, HK_E_FILE, at, NULL, "time goes backwards in the reference file");
    } else if (!hki_series_add(ctx, out, in[time], p->row)) {
      st = HK_E_MEMORY;
    }
  }
  hki_pool_destroy(pool);
  return st;
}

/* --- errors ----------------------------------------------------------------------------------- */

/* first index whose time is not before t */
static int64_t find_time(const hk_series *s, double t) {
  int64_t lo = 0, hi = s->n;
  while (lo < hi) {
    int64_t mid = (lo + hi) / 2;
    if (s->t[mid] < t)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

/* column k at time t by the cubic through the four nearest points */
static double value_at(const hk_series *s, double t, int32_t k) {
  int64_t i = find_time(s, t - 1e-9), n = s->n < 4 ? s->n : 4;
  size_t w = (size_t)s->width;
  if (i < s->n && fabs(s->t[i] - t) <= 1e-9) return s->x[(size_t)i * w + (size_t)k];
  int64_t from = i - 2;
  if (from > s->n - n) from = s->n - n;
  if (from < 0) from = 0;
  double sum = 0.0;
  for (int64_t a = from; a < from + n; a++) {
    double weight = 1.0;
    for (int64_t b = from; b < from + n; b++)
      if (b != a) weight *= (t - s->t[b]) / (s->t[a] - s->t[b]);
    sum += weight * s->x[(size_t)a * w + (size_t)k];
  }
  return sum;
}

static double range_of(const hk_series *s, int32_t k) {
  double lo = INFINITY, hi = -INFINITY;
  for (int64_t i = 0; i < s->n; i++) {
    double x = s->x[(size_t)i * (size_t)s->width + (size_t)k];
    lo = fmin(lo, x);
    hi = fmax(hi, x);
  }
  return s->n ? hi - lo : 0.0;
}

/* largest error, reference and time there, sum of squares of one column */
typedef struct column_error {
  double sup, at, when, squares;
} column_error;

static column_error compare_column(const hk_study_measure *m, const hk_series *run,
                                   const hk_series *ref, int32_t k) {
  column_error e = {0.0, 0.0, NAN, 0.0};
  double lo = fmax(run->t[0], ref->t[0]), hi = fmin(run->t[run->n - 1], ref->t[ref->n - 1]);
  lo = fmax(lo, m->after);
  hi = fmin(hi, m->before);
  // points per second of each
  double dr = (double)(run->n - 1) / (run->t[run->n - 1] - run->t[0]);
  double df = (double)(ref->n - 1) / (ref->t[ref->n - 1] - ref->t[0]);
  const hk_series *coarse = dr <= df ? run : ref;
  for (int64_t i = find_time(coarse, lo - 1e-9); i < coarse->n; i++) {
    double t = coarse->t[i];
    if (t > hi + 1e-9) break;
    double x = value_at(run, t, k), r = value_at(ref, t, k), d = fabs(x - r);
    e.squares += d * d;
    if (isnan(e.when)) e.when = t;
    if (isnan(e.sup) || d <= e.sup) continue;
    e.sup = d;
    e.when = t;
    e.at = r;
  }
  return e;
}

double hki_measure_error(const hk_study_measure *m, const hk_probe_measure *pm,
                         const hk_series *run, const hk_series *ref) {
  double worst = 0.0, when = NAN, widest = 0.0;
  if (run->n < 2 || ref->n < 2) return NAN;
  for (int32_t k = 0; k < pm->width; k++) widest = fmax(widest, range_of(ref, pm->at + k));
  for (int32_t k = 0; k < pm->width; k++) {
    column_error e = compare_column(m, run, ref, pm->at + k);
    double x = e.sup, scale;
    switch (m->kind) {
      case HK_MEASURE_RANGE:
        scale = fmax(range_of(ref, pm->at + k), 1e-3 * widest);
        // a constant reference has no range: an error of round-off is 0, a larger one is undefined
        x = scale > 0.0 ? 100.0 * e.sup / scale : e.sup < 1e-9 ? 0.0 : NAN;
        break;
      case HK_MEASURE_RELATIVE:
        x = e.at != 0.0 ? 100.0 * e.sup / fabs(e.at) : e.sup == 0.0 ? 0.0 : NAN;
        break;
      case HK_MEASURE_TWO:
        x = sqrt(e.squares);
        break;
      default:
        break;
    }
    if (k && (isnan(worst) || x <= worst)) continue;
    worst = x;
    when = e.when;
  }
  return m->kind == HK_MEASURE_SUP_TIME ? when : worst;
}

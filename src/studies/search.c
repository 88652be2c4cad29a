/* SPDX-License-Identifier: Apache-2.0
 *
 * search.c: the largest step that still gives a correct answer. For each pair the steps
 * of a ladder are tried upwards until every grade has failed once; the last step before the first
 * failure is the answer (a larger one that happens to work again is luck), refined by bisection
 * when the study asks for it.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "studies/compare.h"

/* --- grades ----------------------------------------------------------------------------------- */

/* the value that a bound limits, with its name and unit */
static double bounded(const hk_comparison *c, const hk_compare_entry *e, int32_t measure,
                      const char **name, const char **unit) {
  if (measure == HK_BOUND_DRIFT) {
    *name = "energy drift";
    *unit = "J";
    return e->row.summary.max_drift_J;
  }
  if (measure == HK_BOUND_DRIFT_PERCENT) {
    *name = "energy drift";
    *unit = "% of the largest kinetic energy";
    return e->row.drift_percent;
  }
  *name = c->study->measures[measure].name;
  *unit = c->study->measures[measure].unit;
  return e->row.measures[measure];
}

const char *hki_compare_why(hk_comparison *c, const hk_compare_entry *e, int32_t grade) {
  const hk_study_grade *g = &c->study->grades[grade];
  const char *name, *unit, *text;
  if (e->row.summary.status != HK_OK) return e->row.summary.message;
  for (int32_t i = 0; i < g->nbounds; i++) {
    double x = fabs(bounded(c, e, g->bounds[i].measure, &name, &unit));
    if (x <= g->bounds[i].limit) continue;
    text = hki_pool_printf(c->pool, "%s %.4g%s%s, over %.4g", name, x, *unit ? " " : "", unit,
                           g->bounds[i].limit);
    return text ? text : "out of memory";
  }
  return "";
}

/* --- the ladder ------------------------------------------------------------------------------- */

/* rung i of the steps to try; 0: no more */
static double rung(const hk_comparison *c, int32_t i) {
  static const double decade[] = {1, 1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8};
  const hk_study_search *s = &c->study->search;
  if (s->steps.n) return i < s->steps.n ? s->steps.h[i] : 0.0;
  double from = s->from > 0.0 ? s->from : c->shortest, to = s->to > 0.0 ? s->to : INFINITY;
  double end = c->time > 0.0 ? c->time : c->cases[0].m->spec->run.time;
  if (end / 10.0 < to) to = end / 10.0;
  // the i-th round number from the first that is not below `from`
  double power = pow(10.0, floor(log10(from) + 1e-9));
  int32_t k = 0;
  while (k < HK_ARRAY_LEN(decade) && power * decade[k] < from * (1.0 - 1e-9)) k++;
  k += i;
  double h = power * pow(10.0, k / HK_ARRAY_LEN(decade)) * decade[k % HK_ARRAY_LEN(decade)];
  return h <= to * (1.0 + 1e-9) ? h : 0.0;
}

/* an earlier run of the pair with this step, or NULL */
static hk_compare_entry *known(const hk_comparison *c, int32_t icase,
                               const hk_formulation_entry *fe, const hk_integrator_ops *ops,
                               double h) {
  for (int32_t i = 0; i < c->nrows; i++) {
    hk_compare_entry *e = c->rows[i];
    if (e->icase == icase && e->fe == fe && e->ops == ops && fabs(e->row.step_s - h) <= 1e-12 * h)
      return e;
  }
  return NULL;
}

typedef struct pair {
  hk_comparison *c;
  int32_t icase;
  const hk_formulation_entry *fe;
  const hk_integrator_ops *ops;
} pair;

static hk_compare_entry *attempt(const pair *p, double h) {
  hk_compare_entry *e = known(p->c, p->icase, p->fe, p->ops, h);
  if (e) return e;
  p->c->total++;
  return hki_compare_run(p->c, p->icase, p->fe, p->ops, h, true);
}

/* for one grade: the run with the largest good step, and the one with the smallest bad step */
typedef struct answer {
  hk_compare_entry *good, *bad;
} answer;

static void note_answer(answer *a, hk_compare_entry *e, int32_t grade) {
  if (a->bad && e->row.step_s >= a->bad->row.step_s) return;
  if (!e->row.grades[grade])
    a->bad = e;
  else if (!a->good || e->row.step_s > a->good->row.step_s)
    a->good = e;
}

static int32_t index_of(const hk_comparison *c, const hk_compare_entry *e) {
  for (int32_t i = 0; e && i < c->nrows; i++)
    if (c->rows[i] == e) return i;
  return -1;
}

static void bisect(const pair *p, answer *a, int32_t grade) {
  for (int32_t i = 0; i < p->c->study->search.bisections && a->good && a->bad; i++) {
    if (hki_compare_stopped(p->c)) return;
    double h = 0.5 * (a->good->row.step_s + a->bad->row.step_s);
    hk_compare_entry *e = attempt(p, h);
    if (!e) return;
    note_answer(a, e, grade);
  }
}

static void search_pair(const pair *p) {
  enum { GRADES = 32 };
  hk_comparison *c = p->c;
  answer a[GRADES] = {{0}};
  int32_t n = c->study->ngrades < GRADES ? c->study->ngrades : GRADES, open = n;
  for (int32_t i = 0; open > 0 && rung(c, i) > 0.0 && !hki_compare_stopped(c); i++) {
    hk_compare_entry *e = attempt(p, rung(c, i));
    if (!e) return;
    open = 0;
    for (int32_t g = 0; g < n; g++) {
      note_answer(&a[g], e, g);
      open += !a[g].bad;
    }
  }
  for (int32_t g = 0; g < n; g++) {
    bisect(p, &a[g], g);
    if (!HK_GROW(c->ctx, c->largest, c->largest_cap, c->nlargest + 1)) return;
    c->largest[c->nlargest++] =
        (hk_compare_largest){.case_name = c->cases[p->icase].name,
                             .formulation = p->fe->ops->name,
                             .integrator = p->ops->name,
                             .grade = c->study->grades[g].name,
                             .row = index_of(c, a[g].good),
                             .failure = index_of(c, a[g].bad),
                             .why = a[g].bad ? hki_compare_why(c, a[g].bad, g) : ""};
  }
}

void hki_compare_search(hk_comparison *c) {
  const hk_formulation_entry *fe;
  const hk_integrator_ops *ops;
  const char *name;
  char buf[256];
  for (int32_t k = 0; k < c->ncases; k++) {
    for (int32_t f = 0; (fe = hki_compare_formulation(c, k, f)); f++) {
      for (int32_t i = 0; (ops = hki_compare_integrator(c, k, i)); i++) {
        pair p = {c, k, fe, ops};
        if (hki_compare_stopped(c)) return;
        if (hki_compare_refusal(c, k, fe, ops, buf, sizeof buf)) continue;
        if (hki_compare_applies(c, k, fe, ops, &name)) search_pair(&p);
      }
    }
  }
}

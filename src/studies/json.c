/* SPDX-License-Identifier: Apache-2.0
 *
 * json.c: a comparison as JSON: an array of the objects of `hooke run --json`, each with
 * the fields of the comparison after those of the run.
 */
#include <math.h>
#include <string.h>

#include "studies/compare.h"

/* a run's object without its closing brace */
static void add_open(hk_text *t, const char *json) {
  const char *end = strrchr(json, '}');
  while (end > json && (end[-1] == '\n' || end[-1] == ' ')) end--;
  hki_text_addn(t, json, (size_t)(end - json));
}

/* the object of a run that did not start: every key, no numbers but the step */
static void add_nothing(hk_text *t, const hk_compare_row *r) {
  hk_summary s;
  hk_text own;
  hk_sim_summary(NULL, &s);
  s.model = r->summary.model, s.message = r->summary.message;
  s.formulation = r->formulation, s.integrator = r->integrator;
  s.step_s = r->step_s;
  hki_text_init(&own, t->ctx);
  hki_summary_json(&s, &own);
  if (own.s) add_open(t, own.s);
  hki_text_free(&own);
}

/* the grades for which a row is the answer of the search, or its first failure */
static void add_answers(const hk_comparison *c, hk_text *t, int32_t row, bool failure) {
  bool first = true;
  hki_text_printf(t, ", \"%s\": [", failure ? "first_failure_of" : "largest_step_of");
  for (int32_t i = 0; i < c->nlargest; i++) {
    const hk_compare_largest *l = &c->largest[i];
    if ((failure ? l->failure : l->row) != row) continue;
    hki_text_add(t, first ? "" : ", ");
    hki_text_json(t, l->grade);
    first = false;
  }
  hki_text_add(t, "]");
}

static void add_own(const hk_comparison *c, hk_text *t, int32_t i) {
  const hk_compare_row *r = &c->rows[i]->row;
  hki_text_add(t, ",\n  \"case\": ");
  hki_text_json(t, r->case_name);
  hki_text_printf(t, ", \"compatible\": %s, \"search\": %s", r->compatible ? "true" : "false",
                  r->search ? "true" : "false");
  hki_text_add(t, ",\n  \"iterations_mean\": ");
  hki_text_number(t, r->iterations_mean);
  hki_text_printf(t, ", \"iterations_max\": %d,\n  \"measures\": {", (int)r->iterations_max);
  for (int32_t k = 0; k < c->study->nmeasures; k++) {
    hki_text_add(t, k ? ", " : "");
    hki_text_json(t, c->study->measures[k].name);
    hki_text_add(t, ": ");
    hki_text_number(t, r->measures[k]);
  }
  hki_text_add(t, "},\n  \"grades\": {");
  for (int32_t k = 0; k < c->study->ngrades; k++) {
    hki_text_add(t, k ? ", " : "");
    hki_text_json(t, c->study->grades[k].name);
    hki_text_add(t, r->grades[k] ? ": true" : ": false");
  }
  hki_text_add(t, "}");
  add_answers(c, t, i, false);
  add_answers(c, t, i, true);
  hki_text_add(t, "\n}");
}

void hki_compare_write_json(const hk_comparison *c, hk_text *t) {
  hki_text_add(t, "[");
  for (int32_t i = 0; i < c->nrows; i++) {
    const char *json = c->rows[i]->json;
    hki_text_add(t, i ? ",\n" : "\n");
    if (json && strchr(json, '}'))
      add_open(t, json);
    else
      add_nothing(t, &c->rows[i]->row);
    add_own(c, t, i);
  }
  hki_text_add(t, "\n]\n");
}

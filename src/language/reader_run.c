/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_run.c: the keys of the model as a whole: title, planar, record, run.
 */
#include "language/reader.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- title, planar ---------------------------------------------------------------------------- */

static void read_planar(hk_reader *rd, const hk_node *node) {
  static const int normal[] = {2, 1, 0};
  hk_spec *spec = rd->spec;
  int32_t k = 0;
  if (!hki_rd_choice(rd, node, "planar", "xy xz yz", &k)) return;
  spec->planar = true;
  v3_zero(spec->normal);
  spec->normal[normal[k]] = 1.0;
}

void hki_rd_general_read(hk_reader *rd) {
  hk_spec *spec = rd->spec;
  hk_rd_scope *root = rd->scopes[0];
  const hk_node *title = hki_rd_first_raw(root, "title"),
                *planar = hki_rd_first(rd, root, "planar");
  if (title) {
    const char *text = hki_rd_text(rd, title, "title");
    if (text) spec->title = text;
  }
  if (planar) read_planar(rd, planar);
}

/* --- record ----------------------------------------------------------------------------------- */

static void read_record(hk_reader *rd, const hk_node *node) {
  hk_spec *spec = rd->spec;
  bool list = node->kind == HK_NODE_SEQUENCE;
  int32_t n = list ? node->count : 1;
  char found[64];
  if (n > HK_READER_PIECES) n = HK_READER_PIECES;
  spec->record = hki_pool_alloc(spec->pool, (size_t)(n + 1) * sizeof *spec->record);
  spec->record_loc = hki_pool_alloc(spec->pool, (size_t)(n + 1) * sizeof *spec->record_loc);
  if (!spec->record || !spec->record_loc) return;
  for (int32_t i = 0; i < n; i++) {
    const hk_node *v = list ? node->items[i] : node;
    const char *text = hki_node_text(v);
    if (!text || !*text) {
      hki_rd_error(rd, v->loc, "for example [\"body.*.position\", \"joint.*\"]",
                   "'record' must be a list of channel names, found %s",
                   hki_node_describe(v, found, sizeof found));
      continue;
    }
    spec->record_loc[spec->nrecord] = v->loc;
    spec->record[spec->nrecord++] = hki_pool_strdup(spec->pool, text);
  }
}

/* --- run -------------------------------------------------------------------------------------- */

bool hki_rd_is_word(hk_reader *rd, const hk_node *v) {
  bool flag;
  if (v->quoted || hki_node_bool(v, &flag)) return true;
  const char *c = v->text;
  if (!isalpha((unsigned char)*c) && *c != '_') return false;
  for (; *c; c++) {
    if (!isalnum((unsigned char)*c) && *c != '_' && *c != '-') return false;
  }
  if (hki_rd_param_find(rd, rd->scopes[0], v->text)) return false;
  /* names of constants are numbers */
  for (int32_t i = 0; i < hki_expr_constant_count(); i++) {
    if (strcmp(hki_expr_constant_info(i)->name, v->text) == 0) return false;
  }
  return true;
}

static void add_option(hk_reader *rd, const hk_entry *e, int32_t *cap, hk_spec_option **list) {
  hk_spec_run *run = &rd->spec->run;
  hk_spec_option o = {.name = hki_pool_strdup(rd->spec->pool, e->key), .loc = e->key_loc};
  char found[64];
  for (int32_t i = 0; i < run->noptions; i++) {
    if (strcmp((*list)[i].name, e->key) == 0) return; /* an earlier document gave it: that holds */
  }
  if (!hki_node_text(e->value)) {
    hki_rd_error(rd, e->value->loc,
                 "options of methods are keys of 'run' itself: run: {time: 1, rtol: 1e-6}",
                 "'%s' must be a number or a word, found %s", e->key,
                 hki_node_describe(e->value, found, sizeof found));
    return;
  }
  o.text = hki_pool_strdup(rd->spec->pool, e->value->text);
  o.is_number = !hki_rd_is_word(rd, e->value);
  if (o.is_number && !hki_rd_number(rd, rd->scopes[0], e->value, e->key, &o.number)) return;
  if (!HK_GROW(rd->ctx, *list, *cap, run->noptions + 1)) return;
  (*list)[run->noptions++] = o;
}

const hk_node *hki_rd_section_key(hk_reader *rd, const char *section, const char *key) {
  hk_rd_scope *root = rd->scopes[0];
  for (int32_t i = 0; i < root->ndocs; i++) {
    hk_node *v = hki_node_get(hki_node_get(root->docs[i], section), key);
    if (v && v->kind != HK_NODE_NULL) return hki_rd_resolve(rd, root, v);
  }
  return NULL;
}

const hk_node *hki_rd_run_key(hk_reader *rd, const char *key) {
  return hki_rd_section_key(rd, "run", key);
}

static void read_positive(hk_reader *rd, const char *key, double *to, hk_loc *loc) {
  const hk_node *v = hki_rd_run_key(rd, key);
  if (!v || !hki_rd_number(rd, rd->scopes[0], v, key, to)) return;
  if (loc) *loc = v->loc;
  if (*to > 0.0) return;
  hki_rd_error(rd, v->loc, NULL, "'%s' must be positive, found %g", key, *to);
}

/* value of a signal of time at the start; NAN where it is of a kind that only a run knows */
static double at_start(hk_reader *rd, int32_t i) {
  const hk_spec_signal *s = &rd->signals[i].s;
  double x[64], y[3];
  if (s->nreads > HK_ARRAY_LEN(x) || !s->expr || rd->signals[i].state != HK_RD_DONE) return NAN;
  if (rd->signals[i].start_known) return rd->signals[i].start;
  for (int32_t k = 0; k < s->nreads; k++)
    x[k] = s->reads[k].kind == HK_READ_SIGNAL ? at_start(rd, s->reads[k].signal) : 0.0;
  y[0] = hki_expr_eval(s->expr, x);
  if (s->kind == HK_SIGNAL_TABLE)
    y[0] = hki_table_eval(s->table, y[0], &y[1], &y[2]);
  else if (s->kind == HK_SIGNAL_SHAPE)
    hki_shape_eval(s->shape, y[0], y);
  else if (s->kind != HK_SIGNAL_EXPR && !hki_signal_is_input(s))
    y[0] = NAN;
  rd->signals[i].start_known = true;
  return rd->signals[i].start = y[0];
}

/* the step: a number, or a signal of time */
static void read_step(hk_reader *rd) {
  hk_spec_run *run = &rd->spec->run;
  const hk_node *v = hki_rd_run_key(rd, "step");
  double x = 0.0;
  if (!v || !hki_rd_dynamic(rd, rd->scopes[0], v, "run.step", 1, &x, &run->step_signal)) return;
  run->step = x;
  run->step_loc = v->loc;
  if (run->step_signal != HK_NONE) {
    if (!hki_rd_of_time(rd, run->step_signal, 0)) {
      hki_rd_error(rd, v->loc, "for example \"if(t < 1, 1e-4, 1e-3)\"",
                   "'step' must be a number or a function of time");
      return;
    }
    run->step = at_start(rd, run->step_signal);
  }
  if (isnan(run->step))
    hki_rd_error(rd, v->loc, "expressions, tables and shapes such as ramp",
                 "'step' must follow a signal whose value at the start is known");
  if (!(run->step <= 0.0)) return;
  hki_rd_error(rd, v->loc, NULL, "'step' must be positive, found %g%s", run->step,
               run->step_signal == HK_NONE ? "" : " at the start");
}

void hki_rd_run_read(hk_reader *rd) {
  hk_spec_run *run = &rd->spec->run;
  hk_rd_scope *root = rd->scopes[0];
  const hk_node *record = hki_rd_first(rd, root, "record");
  if (record) read_record(rd, record);
  read_positive(rd, "time", &run->time, &run->time_loc);
  read_step(rd);
  read_positive(rd, "tolerance", &run->tolerance, NULL);

  const hk_node *formulation = hki_rd_run_key(rd, "formulation"),
                *integrator = hki_rd_run_key(rd, "integrator");
  const hk_node *substeps = hki_rd_run_key(rd, "substeps");
  if (formulation) {
    run->formulation = hki_rd_text(rd, formulation, "formulation");
    run->formulation_loc = formulation->loc;
  }
  if (integrator) {
    run->integrator = hki_rd_text(rd, integrator, "integrator");
    run->integrator_loc = integrator->loc;
  }
  if (substeps) hki_rd_bool(rd, root, substeps, "substeps", &run->substeps);
  hki_rd_quasi_steady(rd);

  /* all other keys are options of the methods, which check them */
  hk_spec_option *list = NULL;
  int32_t cap = 0;
  hk_rd_walk w = {0};
  for (hk_entry *e; (e = hki_rd_next(rd, root, "run", &w));) {
    bool own = false;
    for (const hk_param *p = hki_keys_run; p->type != HK_P_END; p++) {
      own = own || strcmp(p->name, e->key) == 0;
    }
    if (!own) add_option(rd, e, &cap, &list);
  }
  size_t bytes = (size_t)(run->noptions + 1) * sizeof *list;
  run->options = hki_pool_alloc(rd->spec->pool, bytes);
  if (run->options && run->noptions) memcpy(run->options, list, bytes - sizeof *list);
  hki_free(rd->ctx, list);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * study.c: reads study files. Errors are reported with their place; names of channels and options
 * of methods, which depend on the model, are checked when the runs are planned.
 */
#include <stdio.h>
#include <string.h>

#include "expr/expr.h"
#include "studies/study_impl.h"

hk_study *hki_study_create(hk_ctx *ctx) {
  hk_pool *pool = hki_pool_create(ctx);
  hk_study *s = pool ? hki_pool_alloc(pool, sizeof *s) : NULL;
  if (!s) {
    if (pool) hki_pool_destroy(pool);
    return NULL;
  }
  s->ctx = ctx;
  s->pool = pool;
  s->path = s->title = s->text = "";
  s->repeat = 1;
  return s;
}

void hki_study_destroy(hk_study *s) {
  if (s) hki_pool_destroy(s->pool);
}

static bool check(hk_study_reader *r, const hk_node *node, const char *table, const char *name) {
  const hk_param *tables[2] = {hki_study_keys(table), NULL};
  return hki_rd_check_keys(&r->rd, node, tables, table, name);
}

/* the mapping under a key; NULL when the key is missing, or its value is no mapping (reported) */
static const hk_node *section(hk_study_reader *r, const hk_node *root, const char *key) {
  const hk_node *node = hki_node_get(root, key);
  char found[64];
  if (!node || node->kind == HK_NODE_NULL || node->kind == HK_NODE_MAPPING)
    return node && node->kind == HK_NODE_MAPPING ? node : NULL;
  hki_rd_error(&r->rd, node->loc, "write it as {name: ..., ...}",
               "'%s' must be a mapping, found %s", key,
               hki_node_describe(node, found, sizeof found));
  return NULL;
}

/* --- channels and measures -------------------------------------------------------------------- */

/* checks a name that expressions or grades refer to */
static bool good_name(hk_study_reader *r, const hk_entry *e, const char *what) {
  if (!hki_rd_good_name(&r->rd, what, e->key, e->key_loc, true)) return false;
  if (hki_expr_is_name(e->key) && strcmp(e->key, "t") != 0 && strcmp(e->key, "start") != 0 &&
      strcmp(e->key, "drift") != 0 && strcmp(e->key, "drift_percent") != 0)
    return true;
  hki_rd_error(&r->rd, e->key_loc, "choose another name", "'%s' has a meaning of its own", e->key);
  return false;
}

static void read_channels(hk_study_reader *r, const hk_node *root) {
  const hk_node *map = section(r, root, "channels");
  hk_study *s = r->s;
  if (!map) return;
  s->channels = hki_pool_alloc(s->pool, (size_t)(map->count + 1) * sizeof *s->channels);
  for (int32_t i = 0; s->channels && i < map->count; i++) {
    const hk_entry *e = &map->entries[i];
    hk_study_channel c = {.name = hki_pool_strdup(s->pool, e->key)};
    if (!good_name(r, e, "channel")) continue;
    if (hki_study_get_text(r, e->value, e->key, &c.value)) s->channels[s->nchannels++] = c;
  }
}

static bool read_measure(hk_study_reader *r, const hk_entry *e, hk_study_measure *m) {
  const hk_node *unit, *column, *over;
  int32_t kinds = 0;
  hk_study_text text;
  *m = (hk_study_measure){.name = hki_pool_strdup(r->s->pool, e->key), .loc = e->key_loc};
  m->before = INFINITY;
  m->after = -INFINITY;
  if (!good_name(r, e, "measure") || !check(r, e->value, "measure", e->key)) return false;
  for (int32_t k = 0; k < HK_MEASURE_KINDS; k++) {
    const hk_node *node = hki_node_get(e->value, hki_measure_infos[k].key);
    if (!node) continue;
    kinds++;
    m->kind = (hk_measure_kind)k;
    if (!hki_study_get_text(r, node, hki_measure_infos[k].key, &m->value)) return false;
  }
  if (kinds != 1) {
    hki_rd_error(&r->rd, e->value->loc, "for example {final: body.rod.position.x}",
                 "measure '%s' must say one thing to measure, found %d", e->key, kinds);
    return false;
  }
  if ((column = hki_node_get(e->value, "column")) &&
      !hki_study_get_text(r, column, "column", &m->column))
    return false;
  if ((over = hki_node_get(e->value, "over"))) {
    if (m->kind != HK_MEASURE_INTEGRAL) {
      hki_rd_error(&r->rd, over->loc, "for example {integral: force.damper.force, over: ...}",
                   "measure '%s' has 'over', which belongs to 'integral'", e->key);
      return false;
    }
    if (!hki_study_get_text(r, over, "over", &m->over)) return false;
  }
  m->unit = hki_measure_infos[m->kind].unit ? hki_measure_infos[m->kind].unit : "";
  if ((unit = hki_node_get(e->value, "unit"))) {
    if (!hki_study_get_text(r, unit, "unit", &text)) return false;
    m->unit = text.text;
  }
  return hki_study_get_positive(r, e->value, "before", &m->before) &&
         hki_study_get_positive(r, e->value, "after", &m->after) &&
         hki_study_get_bool(r, e->value, "hidden", &m->hidden);
}

static void read_measures(hk_study_reader *r, const hk_node *root) {
  const hk_node *map = section(r, root, "measures");
  hk_study *s = r->s;
  if (!map) return;
  s->measures = hki_pool_alloc(s->pool, (size_t)(map->count + 1) * sizeof *s->measures);
  for (int32_t i = 0; s->measures && i < map->count; i++) {
    if (read_measure(r, &map->entries[i], &s->measures[s->nmeasures])) s->nmeasures++;
  }
}

/* --- reference, grades, search, cases --------------------------------------------------------- */

static void read_reference(hk_study_reader *r, const hk_node *root) {
  const hk_node *map = section(r, root, "reference");
  hk_study_reference *ref = &r->s->reference;
  if (!map || !check(r, map, "reference", "")) return;
  const hk_node *file = hki_node_get(map, "file"), *fine = hki_node_get(map, "fine");
  const hk_node *time = hki_node_get(map, "time"), *f = hki_node_get(map, "formulation");
  const hk_node *i = hki_node_get(map, "integrator");
  bool on = false;
  hk_study_text text;
  if (!file == !fine) {
    hki_rd_error(&r->rd, map->loc, "write {file: data.csv} or {fine: 0.0001}",
                 "'reference' must be either a file or a fine run");
    return;
  }
  ref->loc = map->loc;
  if (file && hki_study_get_text(r, file, "file", &ref->file))
    ref->file.text = hki_study_path(r, ref->file.text);
  if (time && hki_study_get_text(r, time, "time", &text)) ref->time = text.text;
  if (f) hki_study_get_text(r, f, "formulation", &ref->formulation);
  if (i) hki_study_get_text(r, i, "integrator", &ref->integrator);
  if (fine && !(hki_node_bool(fine, &on) && on)) hki_study_get_positive(r, map, "fine", &ref->step);
  ref->given = true;
}

static int32_t find_measure(const hk_study *s, const char *name) {
  for (int32_t i = 0; i < s->nmeasures; i++)
    if (strcmp(s->measures[i].name, name) == 0) return i;
  return -1;
}

static void read_bound(hk_study_reader *r, const hk_entry *e, hk_study_grade *g) {
  hk_study_bound b = {.measure = find_measure(r->s, e->key)};
  if (strcmp(e->key, "drift") == 0) {
    b.measure = HK_BOUND_DRIFT;
  } else if (strcmp(e->key, "drift_percent") == 0) {
    b.measure = HK_BOUND_DRIFT_PERCENT;
  } else if (b.measure < 0) {
    hk_nearest near;
    char hint[100];
    hki_nearest_init(&near, e->key);
    hki_nearest_try(&near, "drift");
    hki_nearest_try(&near, "drift_percent");
    for (int32_t i = 0; i < r->s->nmeasures; i++) hki_nearest_try(&near, r->s->measures[i].name);
    hki_rd_error(&r->rd, e->key_loc, hki_rd_did_you_mean(&near, hint, sizeof hint),
                 "grade '%s' bounds '%s', which is no measure", g->name, e->key);
    return;
  }
  if (!hki_study_get_number(r, e->value, e->key, &b.limit)) return;
  if (b.limit > 0.0) {
    g->bounds[g->nbounds++] = b;
  } else {
    hki_rd_error(&r->rd, e->value->loc, NULL, "a bound must be positive, found %g", b.limit);
  }
}

static void read_grades(hk_study_reader *r, const hk_node *root) {
  const hk_node *map = section(r, root, "grades");
  hk_study *s = r->s;
  if (!map) return;
  s->grades = hki_pool_alloc(s->pool, (size_t)(map->count + 1) * sizeof *s->grades);
  for (int32_t i = 0; s->grades && i < map->count; i++) {
    const hk_entry *e = &map->entries[i];
    hk_study_grade g = {.name = hki_pool_strdup(s->pool, e->key), .text = ""};
    const hk_node *bounds = section(r, map, e->key);
    if (!hki_rd_good_name(&r->rd, "grade", e->key, e->key_loc, true)) continue;
    g.bounds =
        hki_pool_alloc(s->pool, (size_t)((bounds ? bounds->count : 0) + 1) * sizeof *g.bounds);
    for (int32_t k = 0; g.bounds && bounds && k < bounds->count; k++)
      read_bound(r, &bounds->entries[k], &g);
    s->grades[s->ngrades++] = g;
  }
}

static void read_search(hk_study_reader *r, const hk_node *root) {
  const hk_node *node = hki_node_get(root, "search");
  hk_study_search *s = &r->s->search;
  bool on = false;
  if (!node || node->kind == HK_NODE_NULL) return;
  s->given = true;
  // `search: true` takes the defaults
  if (hki_node_bool(node, &on)) {
    s->given = on;
    return;
  }
  if (!check(r, node, "search", "")) return;
  hki_study_get_steps(r, node, "steps", &s->steps);
  hki_study_get_positive(r, node, "from", &s->from);
  hki_study_get_positive(r, node, "to", &s->to);
  hki_study_get_count(r, node, hki_study_keys("search"), "bisections", &s->bisections);
  for (int32_t i = 1; i < s->steps.n; i++) {
    if (s->steps.h[i] > s->steps.h[i - 1]) continue;
    hki_rd_error(&r->rd, node->loc, NULL, "the steps of 'search' must grow, found %g after %g",
                 s->steps.h[i], s->steps.h[i - 1]);
  }
}

static void read_cases(hk_study_reader *r, const hk_node *root) {
  const hk_node *map = section(r, root, "cases");
  hk_study *s = r->s;
  if (!map) return;
  s->cases = hki_pool_alloc(s->pool, (size_t)(map->count + 1) * sizeof *s->cases);
  for (int32_t i = 0; s->cases && i < map->count; i++) {
    const hk_entry *e = &map->entries[i];
    hk_study_case c = {.name = hki_pool_strdup(s->pool, e->key)};
    if (e->value->kind != HK_NODE_NULL) {
      if (!check(r, e->value, "case", e->key)) continue;
      hki_study_get_pairs(r, e->value, "set", &c.sets);
      hki_study_get_pairs(r, e->value, "options", &c.options);
      hki_study_get_names(r, e->value, "formulations", &c.formulations);
      hki_study_get_names(r, e->value, "integrators", &c.integrators);
      hki_study_get_steps(r, e->value, "steps", &c.steps);
      hki_study_get_positive(r, e->value, "tolerance", &c.tolerance);
    }
    s->cases[s->ncases++] = c;
  }
}

/* --- the file --------------------------------------------------------------------------------- */

static void read_root(hk_study_reader *r, const hk_node *root) {
  hk_study *s = r->s;
  hk_study_text text;
  if (!check(r, root, "study", "")) return;
  const hk_node *version = hki_node_get(root, "study"), *title = hki_node_get(root, "title");
  const hk_node *words = hki_node_get(root, "description"), *model = hki_node_get(root, "model");
  if (version && !hki_node_is(version, "1"))
    hki_rd_error(&r->rd, version->loc, NULL, "'study' must be 1, the version of the language");
  if (title && hki_study_get_text(r, title, "title", &text)) s->title = text.text;
  if (words && hki_study_get_text(r, words, "description", &text)) s->text = text.text;
  if (model && hki_study_get_text(r, model, "model", &s->model))
    s->model.text = hki_study_path(r, s->model.text);
  hki_study_get_pairs(r, root, "set", &s->sets);
  hki_study_get_pairs(r, root, "options", &s->options);
  hki_study_get_names(r, root, "formulations", &s->formulations);
  hki_study_get_names(r, root, "integrators", &s->integrators);
  hki_study_get_steps(r, root, "steps", &s->steps);
  hki_study_get_positive(r, root, "time", &s->time);
  hki_study_get_positive(r, root, "tolerance", &s->tolerance);
  hki_study_get_count(r, root, hki_study_keys("study"), "repeat", &s->repeat);
  read_channels(r, root);
  read_measures(r, root);
  read_reference(r, root);
  read_grades(r, root);
  read_search(r, root);
  read_cases(r, root);
  // measures of errors need a reference
  for (int32_t i = 0; i < s->nmeasures; i++) {
    const hk_study_measure *m = &s->measures[i];
    if (s->reference.given || !hki_measure_infos[m->kind].reference) continue;
    hki_rd_error(&r->rd, m->loc, "add 'reference: {file: data.csv}' or 'reference: {fine: true}'",
                 "measure '%s' is an error against a reference, but the study has none", m->name);
    break;
  }
}

hk_status hki_study_read(hk_ctx *ctx, const char *path, bool *is_study, hk_study **out) {
  hk_study *s = hki_study_create(ctx);
  hk_node *root = NULL;
  *out = NULL;
  *is_study = false;
  if (!s) return HK_E_MEMORY;
  s->path = hki_pool_strdup(s->pool, path);
  hk_study_reader r = {.rd = {.ctx = ctx, .errors0 = hki_error_count(ctx)}, .s = s};
  hk_status st = hki_yaml_read(ctx, s->pool, path, HK_LOC_NONE, NULL, &root);
  *is_study = st == HK_OK && hki_node_find(root, "study") != NULL;
  if (*is_study) read_root(&r, root);
  if (st == HK_OK && hki_error_count(ctx) != r.rd.errors0) st = HK_E_MODEL;
  if (st == HK_OK && *is_study) {
    *out = s;
    return HK_OK;
  }
  hki_study_destroy(s);
  return st;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_curves.c: tables from CSV files or lists of points, for laws, roads and signals.
 *
 * A signal that prescribes a motion needs a rate and an acceleration: its tables are splines where
 * the model does not say otherwise (hki_rd_motion_tables). All others are linear by default.
 */
#include "language/reader.h"

#include <stdio.h>
#include <string.h>

/* --- points ----------------------------------------------------------------------------------- */

/* a column by name or number from 1 */
static int32_t pick_column(hk_reader *rd, const hk_csv *csv, const hk_node *node, int32_t def) {
  char hint[200];
  if (!node) {
    if (def < csv->columns) return def;
    hk_loc loc = {csv->file, csv->lines[0], 1};
    hki_rd_error(rd, loc, NULL, "the table needs two columns, found %d", (int)csv->columns);
    return -1;
  }
  const char *name = hki_node_text(node);
  int32_t k = name ? hki_csv_column(csv, name) : -1;
  int number = 0;
  char rest;
  if (k < 0 && name && sscanf(name, "%d%c", &number, &rest) == 1 && number >= 1 &&
      number <= csv->columns) {
    k = number - 1;
  }
  if (k >= 0) return k;
  hk_nearest near;
  hki_nearest_init(&near, name ? name : "");
  for (int32_t i = 0; csv->names && i < csv->columns; i++) hki_nearest_try(&near, csv->names[i]);
  hki_rd_error(rd, node->loc, hki_rd_did_you_mean(&near, hint, sizeof hint),
               "the table has no column '%.100s'", name ? name : "?");
  return -1;
}

/* [[x, y], ...], [[x, y, rate], ...] or [[x, y, rate, acceleration], ...]; of a vector
 * [[x, y0, y1, y2], ...] */
static bool points_inline(hk_reader *rd, hk_rd_scope *s, const hk_node *list, int32_t component,
                          hk_table_rows *r) {
  const hk_node *first = list->count ? list->items[0] : NULL;
  int32_t n = list->count, wide = first && first->kind == HK_NODE_SEQUENCE ? first->count : 2;
  if (wide < 2 || wide > 4) wide = 2;
  if (component != HK_NONE) wide = 4;
  double *column[4] = {NULL};
  bool ok = true;
  for (int32_t k = 0; k < wide; k++) {
    column[k] = hki_pool_alloc(rd->pool, (size_t)(n + 1) * sizeof **column);
    ok = ok && column[k];
  }
  for (int32_t i = 0; ok && i < n; i++) {
    double p[4] = {0.0};
    ok = hki_rd_numbers(rd, s, list->items[i], "table", wide, p);
    for (int32_t k = 0; k < wide; k++) column[k][i] = p[k];
  }
  r->n = n;
  r->x = column[0], r->y = column[1], r->yd = column[2], r->ydd = column[3];
  if (component != HK_NONE) r->y = column[1 + component], r->yd = r->ydd = NULL;
  return ok;
}

/* the column that a key names, NULL: the key is missing */
static bool more_column(hk_reader *rd, const hk_csv *csv, const hk_node *node, const char *key,
                        const double **out) {
  const hk_node *v = hki_node_get(node, key);
  int32_t c = v ? pick_column(rd, csv, v, 0) : -1;
  if (v && c < 0) return false;
  if (v) *out = csv->data + (size_t)c * (size_t)csv->rows;
  return true;
}

static bool points_csv(hk_reader *rd, const hk_node *node, const hk_node *file, int32_t component,
                       hk_table_rows *r) {
  hk_csv csv;
  if (!hki_rd_csv(rd, file, &csv)) return false;
  const hk_node *column = hki_node_get(node, "column"), *against = hki_node_get(node, "against");
  if (component != HK_NONE) column = hki_node_get(node, "columns")->items[component];
  int32_t cy = pick_column(rd, &csv, column, 1);
  int32_t cx = cy < 0 ? -1 : pick_column(rd, &csv, against, cy == 0 ? 1 : 0);
  if (cx < 0) return false;
  if (cx == cy) {
    hki_rd_error(rd, (column ? column : file)->loc, NULL,
                 "'against' names the column of the values");
    return false;
  }
  r->n = csv.rows;
  r->x = csv.data + (size_t)cx * (size_t)csv.rows;
  r->y = csv.data + (size_t)cy * (size_t)csv.rows;
  return more_column(rd, &csv, node, "rate", &r->yd) &&
         more_column(rd, &csv, node, "acceleration", &r->ydd);
}

/* a column in reverse order, times `sign`; NULL stays NULL */
static bool reverse(hk_reader *rd, int32_t n, double sign, const double **x) {
  if (!*x) return true;
  double *to = hki_pool_alloc(rd->pool, (size_t)(n + 1) * sizeof *to);
  for (int32_t i = 0; to && i < n; i++) to[i] = sign * (*x)[n - 1 - i];
  *x = to;
  return to != NULL;
}

/* g(x) = -f(-x): slopes are the same, second derivatives change sign */
static bool flip_points(hk_reader *rd, hk_table_rows *r) {
  double end = r->end[0];
  r->end[0] = r->end[1], r->end[1] = end;
  return reverse(rd, r->n, -1.0, &r->x) && reverse(rd, r->n, -1.0, &r->y) &&
         reverse(rd, r->n, 1.0, &r->yd) && reverse(rd, r->n, -1.0, &r->ydd);
}

/* --- interpolation ---------------------------------------------------------------------------- */

static const char *const interpolations = "linear monotone spline akima";
static const char *const ends_words = "not_a_knot natural clamped periodic";

/* the ends of a spline: what they are, and the slopes of clamped ones */
static bool read_ends(hk_reader *rd, hk_rd_scope *s, const hk_node *node, hk_table_rows *r) {
  const hk_node *ends = hki_node_get(node, "ends"), *slopes = hki_node_get(node, "slopes");
  int32_t kind = slopes ? HK_ENDS_CLAMPED : HK_ENDS_NOT_A_KNOT;
  if (ends && !hki_rd_choice(rd, ends, "ends", ends_words, &kind)) return false;
  r->ends = (hk_spline_ends)kind;
  if ((r->ends == HK_ENDS_CLAMPED) != (slopes != NULL)) {
    hki_rd_error(rd, (slopes ? slopes : ends)->loc, "for example ends: clamped, slopes: [0, 0]",
                 slopes ? "'slopes' belongs to clamped ends"
                        : "clamped ends need 'slopes', those at the first and the last row");
    return false;
  }
  return !slopes || hki_rd_numbers(rd, s, slopes, "slopes", 2, r->end);
}

/* Keys that only splines have imply one. Where nothing is said it is linear, and `implied`. */
static bool read_interpolation(hk_reader *rd, hk_rd_scope *s, const hk_node *node,
                               hk_table_rows *r) {
  static const char *const keys[] = {"ends", "slopes", "rate", "acceleration"};
  const hk_node *given = hki_node_get(node, "interpolation"), *more = NULL;
  const char *key = NULL;
  int32_t kind = HK_TABLE_LINEAR;
  for (int32_t i = HK_ARRAY_LEN(keys) - 1; i >= 0; i--)
    if (hki_node_get(node, keys[i])) key = keys[i], more = hki_node_get(node, keys[i]);
  if (given && !hki_rd_choice(rd, given, "interpolation", interpolations, &kind)) return false;
  if (given && more && kind != HK_TABLE_SPLINE) {
    hki_rd_error(rd, more->loc, "use interpolation: spline", "'%s' belongs to a spline", key);
    return false;
  }
  r->interpolation = more ? HK_TABLE_SPLINE : (hk_interpolation)kind;
  r->implied = !given && !more;
  return r->interpolation != HK_TABLE_SPLINE || read_ends(rd, s, node, r);
}

/* what fits together only when the points are known too */
static bool check_together(hk_reader *rd, const hk_node *node, hk_rd_table_use use,
                           hk_table_rows *r) {
  const hk_node *ends = hki_node_get(node, "ends"), *slopes = hki_node_get(node, "slopes");
  const hk_node *outside = hki_node_get(node, "extrapolation");
  const hk_node *rate = hki_node_get(node, "rate"), *list = hki_node_get(node, "table");
  if (!list) list = hki_node_get(node, "points");
  if (!rate) rate = hki_node_get(node, "acceleration");
  if (rate && list && list->kind == HK_NODE_SEQUENCE) {
    hki_rd_error(rd, rate->loc, "rows of [x, y, rate, acceleration]",
                 "a table written as a list has no column names");
    return false;
  }
  // rows of three or four numbers
  if ((r->yd || r->ydd) && r->implied) r->interpolation = HK_TABLE_SPLINE, r->implied = false;
  if (r->interpolation != HK_TABLE_SPLINE && (r->yd || r->ydd)) {
    hki_rd_error(rd, node->loc, "use interpolation: spline",
                 "only a spline passes through given rates");
    return false;
  }
  if ((r->yd || r->ydd) && (ends || slopes) && r->ends != HK_ENDS_PERIODIC) {
    hki_rd_error(rd, (ends ? ends : slopes)->loc, "leave it out",
                 "the given rates or accelerations say how the table ends");
    return false;
  }
  if (r->ends == HK_ENDS_PERIODIC && outside) {
    hki_rd_error(rd, outside->loc, "leave it out", "a periodic table repeats beyond its ends");
    return false;
  }
  if (r->ends == HK_ENDS_PERIODIC && use != HK_RD_SIGNAL) {
    hki_rd_error(rd, ends->loc, NULL, "only the table of a signal can be periodic");
    return false;
  }
  return true;
}

/* component: of a vector, or HK_NONE */
static const hk_table *read_table(hk_reader *rd, hk_rd_scope *s, const hk_node *node,
                                  const hk_node *file, hk_rd_table_use use, bool flip,
                                  int32_t component) {
  char found[64];
  int32_t beyond = use == HK_RD_LAW ? HK_TABLE_EXTEND : HK_TABLE_HOLD;
  hk_table_rows r = {.loc = file->loc};
  const hk_table *table = NULL;
  const hk_node *extrapolation = hki_node_get(node, "extrapolation");
  if (!read_interpolation(rd, s, node, &r)) return NULL;
  if (extrapolation && !hki_rd_choice(rd, extrapolation, "extrapolation", "hold extend", &beyond)) {
    return NULL;
  }
  r.extrapolation = (hk_extrapolation)beyond;
  if (hki_node_text(file)) {
    if (!points_csv(rd, node, file, component, &r)) return NULL;
  } else if (file->kind == HK_NODE_SEQUENCE) {
    if (!points_inline(rd, s, file, component, &r)) return NULL;
  } else {
    hki_rd_error(rd, file->loc, NULL, "'table' must be a file name or a list of [x, y], found %s",
                 hki_node_describe(file, found, sizeof found));
    return NULL;
  }
  if (!check_together(rd, node, use, &r) || (flip && !flip_points(rd, &r))) return NULL;
  hki_table_build(rd->ctx, rd->spec->pool, &r, &table);
  return table;
}

const hk_table *hki_rd_table(hk_reader *rd, hk_rd_scope *s, const hk_node *node,
                             const hk_node *file, hk_rd_table_use use, bool flip) {
  return read_table(rd, s, node, file, use, flip, HK_NONE);
}

const hk_table *hki_rd_table_of(hk_reader *rd, hk_rd_scope *s, const hk_node *node,
                                const hk_node *file, int32_t component) {
  const hk_node *columns = component == HK_NONE ? NULL : hki_node_get(node, "columns");
  const hk_node *column = columns ? hki_node_get(node, "column") : NULL;
  char found[64];
  if (columns && (columns->kind != HK_NODE_SEQUENCE || columns->count != 3)) {
    hki_rd_error(rd, columns->loc, "for example columns: [2, 3, 4]",
                 "'columns' must be a list of three columns, found %s",
                 hki_node_describe(columns, found, sizeof found));
    return NULL;
  }
  if (column) {
    hki_rd_error(rd, column->loc, "leave one of them out",
                 "a table has 'column' or, as a vector, 'columns'");
    return NULL;
  }
  return read_table(rd, s, node, file, HK_RD_SIGNAL, false, component);
}

/* --- motions ---------------------------------------------------------------------------------- */

/* how a motion reads a signal: as a position, which needs a rate and an acceleration, or as a rate
 * or an acceleration, which may have corners and jump */
enum { PLACES = 1, DRIVES = 2 };

void hki_rd_motion_tables(hk_reader *rd) {
  hk_spec *spec = rd->spec;
  uint8_t *moves = hki_pool_alloc(rd->pool, (size_t)spec->nsignals + 1);
  if (!moves) return;
  memset(moves, 0, (size_t)spec->nsignals);
  for (int32_t i = 0; i < spec->njoints; i++) {
    for (int32_t k = 0; k < 6; k++) {
      if (spec->joints[i].motion[k] >= 0) moves[spec->joints[i].motion[k]] = PLACES;
      if (spec->joints[i].row_signal[k] >= 0) moves[spec->joints[i].row_signal[k]] = PLACES;
    }
    for (int32_t k = 0; k < 4; k++)
      if (spec->joints[i].turn.signal[k] >= 0) moves[spec->joints[i].turn.signal[k]] = true;
    const hk_spec_coupling *c = spec->joints[i].coupling;
    if (c && c->signal >= 0) moves[c->signal] = PLACES;
  }
  for (int32_t i = 0; i < spec->inverse.ntasks; i++)
    for (int32_t k = 0; k < 3; k++) {
      const int32_t target = spec->inverse.tasks[i].target[k].signal;
      if (target >= 0) moves[target] = PLACES;
    }
  // a signal reads only earlier ones
  for (int32_t i = spec->nsignals - 1; i >= 0; i--) {
    hk_spec_signal *s = &spec->signals[i];
    if (!moves[i]) continue;
    const uint8_t as = s->kind == HK_SIGNAL_TRAVEL ? DRIVES : moves[i];
    for (int32_t k = 0; k < s->nreads; k++)
      if (s->reads[k].kind == HK_READ_SIGNAL) moves[s->reads[k].signal] |= as;
    // a variable is constant between the events that set it; the rate of a coordinate may follow an
    // input, its position only where the input stays as it is in a run, since it would jump
    const bool input = hki_signal_is_input(s);
    if (input && (moves[i] & PLACES)) s->places = true;
    if (input && (moves[i] & PLACES) && s->memory->linear_on)
      hki_rd_error(rd, s->loc, "prescribe the rate, or let a force or a spring follow it",
                   "a prescribed position reads the input '%s', which has no smooth rate", s->name);
    if (s->kind == HK_SIGNAL_MEMORY && !input && s->memory->fn != HK_MEMORY_VARIABLE)
      hki_rd_error(rd, s->loc, "let a force or a spring follow it",
                   "a prescribed motion reads '%s', which remembers: it has no smooth rate",
                   s->name);
    if (!(moves[i] & PLACES)) continue;
    if (s->kind == HK_SIGNAL_SHAPE && s->shape->fn == HK_SHAPE_RANDOM && !s->shape->smooth) {
      hki_rd_error(rd, s->loc, "use 'smooth: true'",
                   "a prescribed motion reads '%s', noise that jumps: it has no rate", s->name);
    }
    if (s->kind == HK_SIGNAL_RATE)
      hki_rd_error(rd, s->loc, "let a force or a spring follow it, or prescribe the rate",
                   "a prescribed motion reads '%s', which remembers: it has no smooth rate",
                   s->name);
    if (s->kind == HK_SIGNAL_TABLE && s->table->rows.implied) {
      hk_table_rows r = s->table->rows;
      r.interpolation = HK_TABLE_SPLINE;
      hki_table_build(rd->ctx, spec->pool, &r, &s->table);
    }
    if (s->kind == HK_SIGNAL_SURFACE && s->surface->rows.implied) {
      hk_surface_rows r = s->surface->rows;
      r.interpolation = HK_TABLE_SPLINE;
      hki_surface_build(rd->ctx, spec->pool, &r, &s->surface);
    }
  }
}

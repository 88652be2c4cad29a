/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_roads.c: roads of tyres. A road is an expression of x, t, parameters and signals of time;
 * or the name of a signal; or a table.
 *
 * Signals that an expression reads, and the signals that these read, are copied into the road, so
 * that a road is a function of x and t alone.
 */
#include "language/reader.h"

#include <string.h>

/* --- signals of a road ------------------------------------------------------------------------ */

typedef struct builder {
  hk_reader *rd;
  hk_rd_scope *scope;
  hk_loc loc;
  hk_road_signal list[HK_ROAD_SIGNALS];
  int32_t from[HK_ROAD_SIGNALS]; /* from[n]: their indices in hk_reader.signals */
  int32_t n;
  int32_t way[HK_ROAD_SIGNALS], depth; /* way[depth]: signals whose reads are being added */
  bool told;                           /* an error has been reported, or will be later */
} builder;

static int32_t refuse(builder *b, const char *hint, const char *fmt, const char *name) {
  if (!b->told) hki_rd_error(b->rd, b->loc, hint, fmt, name);
  b->told = true;
  return HK_NONE;
}

/* Adds signal i to the list, after the signals that it reads, and returns its index there; HK_NONE
 * when a road cannot read it. */
static int32_t add_signal(builder *b, int32_t i) {
  const hk_rd_signal *g = &b->rd->signals[i];
  for (int32_t k = 0; k < b->n; k++)
    if (b->from[k] == i) return k;
  // a signal that reads itself is reported by hki_rd_signals_finish
  bool round = false;
  for (int32_t k = 0; k < b->depth; k++) round = round || b->way[k] == i;
  if (round || g->state == HK_RD_FAILED) {
    b->told = true;
    return HK_NONE;
  }
  if (g->profile)
    return refuse(b, "name it alone as the road, or write its expression here",
                  "'%s' is a profile over x: an expression cannot read it", g->s.name);
  if (g->s.memory || g->s.kind == HK_SIGNAL_RATE)
    return refuse(b, "a road is a function of x and time",
                  "signal '%s' is no plain function of time: a road cannot read it", g->s.name);
  if (b->n + b->depth == HK_ROAD_SIGNALS || g->s.nreads > HK_ROAD_SIGNALS)
    return refuse(b, NULL, "'%s' is one too many: a road may read 40 signals", g->s.name);
  int32_t *reads = hki_pool_alloc(b->rd->spec->pool, (size_t)(g->s.nreads + 1) * sizeof *reads);
  if (!reads) return HK_NONE;
  b->way[b->depth++] = i;
  for (int32_t k = 0; k < g->s.nreads; k++) {
    const hk_read *r = &g->s.reads[k];
    if (r->kind == HK_READ_CHANNEL)
      return refuse(b, "a road is a function of x and time",
                    "signal '%s' reads channels: a road cannot read it", g->s.name);
    reads[k] = r->kind == HK_READ_TIME ? HK_NONE : add_signal(b, r->signal);
    if (r->kind == HK_READ_SIGNAL && reads[k] == HK_NONE) return HK_NONE;
  }
  b->depth--;
  b->list[b->n] = (hk_road_signal){hki_signal_function(&g->s), g->s.nreads, reads};
  b->list[b->n].f.slot = hki_signal_time(&g->s);
  b->from[b->n] = i;
  return b->n++;
}

/* --- expressions ------------------------------------------------------------------------------ */

static bool resolve(void *user, const char *name, hk_expr_symbol *out) {
  builder *b = user;
  *out = (hk_expr_symbol){.is_input = true, .slot = strcmp(name, "x") == 0 ? 0 : 1};
  if (strcmp(name, "x") == 0 || strcmp(name, "t") == 0) return true;
  if (hki_rd_param_symbol(b->rd, b->scope, b->loc, name, out)) return true;
  const int32_t i =
      hki_rd_signal_find(b->rd, b->scope, strncmp(name, "signal.", 7) == 0 ? name + 7 : name);
  if (i < 0) return false;
  const int32_t at = add_signal(b, i);
  if (at >= 0) out->slot = 2 + at;
  return true; // an error has been reported, or will be later
}

static void suggest(void *user, hk_nearest *near) {
  builder *b = user;
  hki_nearest_try(near, "x");
  hki_nearest_try(near, "t");
  hki_rd_param_suggest(b->rd, b->scope, near);
  hki_rd_signal_suggest(b->rd, b->scope, near);
}

/* copies the list of signals into the road */
static bool keep_signals(builder *b, hk_road *road) {
  const size_t size = (size_t)b->n * sizeof *road->signals;
  if (b->told) return false;
  if (!b->n) return true;
  hk_road_signal *copy = hki_pool_alloc(b->rd->spec->pool, size);
  if (!copy) return false;
  memcpy(copy, b->list, size);
  road->signals = copy;
  road->nsignals = b->n;
  return true;
}

static bool road_expression(hk_reader *rd, hk_rd_scope *s, const hk_node *v, hk_road *road) {
  builder b = {.rd = rd, .scope = s, .loc = v->loc};
  hk_expr_scope scope = {&b, resolve, suggest, false};
  hk_expr *e = NULL;
  if (!hki_rd_whole(rd, v)) return false;
  hki_expr_compile(rd->ctx, rd->spec->pool, v->text, (size_t)v->len, hki_node_text_loc(v, 0),
                   &scope, &e);
  if (!e) return false;
  if (hki_expr_is_constant(e, &road->height)) return hki_rd_finite(rd, v, "road", road->height);
  road->expr = e;
  return keep_signals(&b, road);
}

/* a level road whose height is a signal of time */
static bool road_level(hk_reader *rd, hk_rd_scope *s, const hk_node *v, int32_t signal,
                       hk_road *road) {
  builder b = {.rd = rd, .scope = s, .loc = v->loc};
  const int32_t at = add_signal(&b, signal);
  road->expr = at < 0 ? NULL : hki_expr_input(rd->spec->pool, 2 + at, v->text);
  return road->expr && keep_signals(&b, road);
}

bool hki_rd_road(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *what,
                 hk_road *road) {
  static const hk_param *const tables[] = {hki_keys_road, NULL};
  *road = (hk_road){.height = 0.0};
  if (hki_node_text(node)) {
    int32_t i = hki_rd_signal_find(rd, s, node->text);
    size_t len = strlen(node->text);
    if (i < 0 && len > 4 && strcmp(node->text + len - 4, ".csv") == 0) {
      road->table = hki_rd_table(rd, s, node, node, HK_RD_ROAD, false);
      return road->table != NULL;
    }
    if (i < 0) return road_expression(rd, s, node, road);

    /* a named signal: the road is its text as an expression of x; or its table, read over x
     * whatever argument the signal gives it; any other signal is the height of a level road */
    hk_rd_scope *home = rd->signals[i].scope;
    const hk_node *def = rd->signals[i].node;
    if (rd->signals[i].state == HK_RD_FAILED) return false;
    if (hki_node_text(def)) return road_expression(rd, home, def, road);
    road->table = rd->signals[i].s.table;
    if (road->table && road->table->period > 0.0) {
      hki_rd_error(rd, node->loc, NULL, "'%s' is periodic; the table of a road cannot be",
                   node->text);
      return false;
    }
    return road->table || road_level(rd, s, node, i, road);
  }
  if (!hki_rd_check_keys(rd, node, tables, "the road", what)) return false;
  const hk_node *table = hki_node_get(node, "table"), *expr = hki_node_get(node, "expression");
  if ((table != NULL) == (expr != NULL) || (expr && !hki_node_text(expr))) {
    hki_rd_error(rd, node->loc, "one of table, expression", "'%s' is not a road", what);
    return false;
  }
  if (expr) return road_expression(rd, s, expr, road);
  road->table = hki_rd_table(rd, s, node, table, HK_RD_ROAD, false);
  return road->table != NULL;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_signal_kinds.c: signals that are written as a mapping: exactly one of an expression, a
 * table, a shape, a sum or product of signals, or a signal of a time that repeats.
 *
 * `periodic` reads its signal, and the named signals that this one reads, anew, with the time
 * start + fmod(t - start, period) in the place of t. So values, rates and jumps are those of plain
 * expressions.
 */
#include "language/reader_streams.h"
#include "language/reader_blocks.h"

#include <stdio.h>
#include <string.h>

/* --- arguments -------------------------------------------------------------------------------- */

/* the argument under `key` */
static bool read_argument(const hk_rd_signal_in *in, const char *key, const hk_expr **to) {
  char found[64];
  const hk_node *x = hki_node_get(in->node, key);
  if (hki_node_text(x)) return hki_rd_signal_text(in->rd, in->s, x, in->out, to);
  hki_rd_error(in->rd, x->loc, NULL, "'%s' must be an expression, found %s", key,
               hki_node_describe(x, found, sizeof found));
  return false;
}

/* the argument of a table or shape: the expression under `x`, else t */
static bool compile_argument(const hk_rd_signal_in *in) {
  if (hki_node_get(in->node, "x")) return read_argument(in, "x", &in->out->expr);
  return hki_rd_signal_time(in->rd, in->s, in->node->loc, in->out);
}

/* --- shapes ----------------------------------------------------------------------------------- */

bool hki_rd_reals(const hk_rd_signal_in *in, const hk_node *v, const char *what, hk_reals *out) {
  char found[64];
  if (!v) return false; // a required key: said before
  if (v->kind != HK_NODE_SEQUENCE) {
    hki_rd_error(in->rd, v->loc, "for example [0, 0.5, 1]",
                 "'%s' must be a list of numbers, found %s", what,
                 hki_node_describe(v, found, sizeof found));
    return false;
  }
  double *x = hki_pool_alloc(in->rd->spec->pool, (size_t)(v->count + 1) * sizeof *x);
  *out = (hk_reals){v->count, x};
  return x && (!v->count || hki_rd_numbers(in->rd, in->s, v, what, v->count, x));
}

/* one key of a shape, by the type of its row */
static bool read_key(const hk_rd_signal_in *in, const hk_node *v, const hk_param *p, void *to) {
  double x = 0.0;
  switch (p->type) {
    case HK_P_CHOICE:
      return hki_rd_choice(in->rd, v, p->name, p->choices, to);
    case HK_P_BOOL:
      return hki_rd_bool(in->rd, in->s, v, p->name, to);
    case HK_P_REALS:
      return hki_rd_reals(in, v, p->name, to);
    case HK_P_INT:
      if (!hki_rd_number(in->rd, in->s, v, p->name, &x)) return false;
      if (x == (double)(int32_t)(x > -2e9 && x < 2e9 ? x : 0.5)) {
        *(int32_t *)to = (int32_t)x;
        return true;
      }
      hki_rd_error(in->rd, v->loc, NULL, "'%s' must be a whole number below 2e9, found %g", p->name,
                   x);
      return false;
    default:
      return hki_rd_ranged(in->rd, in->s, v, p, to);
  }
}

static bool read_shape(const hk_rd_signal_in *in, int32_t fn) {
  const hk_shape_info *info = &hki_shape_infos[fn];
  const hk_param *const tables[] = {info->params, NULL};
  hk_shape *shape = hki_pool_alloc(in->rd->spec->pool, sizeof *shape);
  if (!shape || !hki_rd_check_keys(in->rd, in->value, tables, info->name, NULL)) return false;
  hki_shape_init(shape, (hk_shape_fn)fn);
  for (const hk_param *p = info->params; p->type != HK_P_END; p++) {
    const hk_node *v = hki_node_get(in->value, p->name);
    if (v && !read_key(in, v, p, (char *)shape + p->offset)) return false;
  }
  if (hki_shape_finish(in->rd->ctx, in->value->loc, shape)) return false;
  in->out->kind = HK_SIGNAL_SHAPE;
  in->out->shape = shape;
  return compile_argument(in);
}

/* --- sums and products ------------------------------------------------------------------------ */

/* as an expression over anonymous signals */
static bool read_composition(const hk_rd_signal_in *in, const char *what, char op) {
  enum { MAX_TERMS = 100 };
  hk_reader *rd = in->rd;
  const hk_node *list = in->value;
  hk_text text;
  if (list->kind != HK_NODE_SEQUENCE || list->count < 1 || list->count > MAX_TERMS) {
    hki_rd_error(rd, list->loc, NULL, "'%s' must be a list of 1 to %d signals", what, MAX_TERMS);
    return false;
  }
  hk_read *r = hki_pool_alloc(rd->spec->pool, (size_t)list->count * sizeof *r);
  hki_text_init(&text, rd->ctx);
  bool ok = r != NULL;
  int32_t n = 0;
  for (int32_t i = 0; ok && i < list->count; i++) {
    double value;
    int32_t signal;
    const char *term = hki_pool_printf(rd->pool, "%s.%d", in->out->name, (int)i + 1);
    ok = term && hki_rd_dynamic(rd, in->s, list->items[i], term, 1, &value, &signal);
    if (!ok) break;
    if (i) hki_text_printf(&text, " %c ", op);
    if (signal == HK_NONE) {
      hki_text_printf(&text, "(%.17g)", value);
    } else {
      hki_text_printf(&text, "k%d", (int)n);
      r[n++] = (hk_read){.kind = HK_READ_SIGNAL, .signal = signal};
    }
  }
  if (ok) {
    hk_expr *e = hki_rd_expr_slots(rd, text.s, text.len, list->loc);
    in->out->expr = e;
    in->out->reads = r;
    in->out->nreads = n;
    ok = e != NULL;
  }
  hki_text_free(&text);
  return ok;
}

static bool read_sum(const hk_rd_signal_in *in) { return read_composition(in, "sum", '+'); }
static bool read_product(const hk_rd_signal_in *in) { return read_composition(in, "product", '*'); }

/* --- a time that repeats ---------------------------------------------------------------------- */

/* out = the signal with this index */
static bool same_as(const hk_rd_signal_in *in, int32_t signal, double value) {
  hk_read *r = hki_pool_alloc(in->rd->spec->pool, sizeof *r);
  if (!r) return false;
  *r = (hk_read){.kind = HK_READ_SIGNAL, .signal = signal};
  in->out->reads = r;
  in->out->nreads = signal == HK_NONE ? 0 : 1;
  in->out->expr = signal == HK_NONE ? hki_expr_number(in->rd->spec->pool, value)
                                    : hki_expr_input(in->rd->spec->pool, 0, "k0");
  return in->out->expr != NULL;
}

static bool read_periodic(const hk_rd_signal_in *in) {
  static const hk_param *const tables[] = {hki_keys_periodic, NULL};
  hk_reader *rd = in->rd;
  hk_expr_wrap wrap = {0.0, 0.0};
  double value;
  int32_t signal;
  if (!hki_rd_check_keys(rd, in->value, tables, "periodic", NULL)) return false;
  for (const hk_param *p = hki_keys_periodic; p->type != HK_P_END; p++) {
    const hk_node *v = hki_node_get(in->value, p->name);
    double *to = strcmp(p->name, "period") == 0 ? &wrap.period : &wrap.start;
    if (v && p->type == HK_P_REAL && !hki_rd_ranged(rd, in->s, v, p, to)) return false;
  }
  if (rd->wrap) {
    hki_rd_error(rd, in->value->loc, "take the longer period, and write the shorter one with fmod",
                 "a periodic signal cannot stand in another");
    return false;
  }
  const char *name = hki_pool_printf(rd->pool, "%s.of", in->out->name);
  rd->wrap = &wrap;
  rd->periodic++;
  bool ok =
      name && hki_rd_dynamic(rd, in->s, hki_node_get(in->value, "of"), name, 1, &value, &signal);
  rd->wrap = NULL;
  return ok && same_as(in, signal, value);
}

int32_t hki_rd_periodic_copy(hk_reader *rd, int32_t i, hk_loc loc) {
  enum { DEEP = 100 };
  const hk_rd_signal *from = &rd->signals[i];
  if (from->block) {
    hki_rd_error(rd, loc, "the signal that a controller reads may be periodic",
                 "'%s', which remembers, cannot stand in a time that repeats", from->s.name);
    return HK_NONE;
  }
  // an input has one value, whatever the time is
  if (from->node && hki_node_get(from->node, "input")) return i;
  // one copy, on however many ways it is reached
  if (from->copied_for == rd->periodic) return from->copy;
  if (!from->node || rd->copies >= DEEP) {
    hki_rd_error(rd, loc, NULL, "signal '%s' reads itself, directly or through others",
                 from->s.name);
    return HK_NONE;
  }
  const char *name = hki_pool_printf(rd->pool, "%s.periodic", from->s.name);
  hk_node *node = from->node;
  const int32_t component = from->component;
  int32_t k = name ? hki_rd_signal_new(rd, from->scope, name, from->s.loc, false) : HK_NONE;
  if (k < 0) return HK_NONE;
  rd->signals[k].node = node;
  rd->signals[k].component = component;
  rd->copies++;
  hki_rd_signal_read(rd, k);
  rd->copies--;
  if (rd->signals[k].state != HK_RD_DONE) return HK_NONE;
  rd->signals[i].copied_for = rd->periodic;
  rd->signals[i].copy = k;
  return k;
}

/* --- tables and expressions ------------------------------------------------------------------- */

static bool read_table(const hk_rd_signal_in *in) {
  hk_spec_signal *out = in->out;
  if (hki_node_get(in->node, "y")) {
    out->kind = HK_SIGNAL_SURFACE;
    out->surface = hki_rd_surface(in->rd, in->s, in->node, in->value);
    return out->surface && compile_argument(in) && read_argument(in, "y", &out->second);
  }
  out->kind = HK_SIGNAL_TABLE;
  out->table = hki_rd_table_of(in->rd, in->s, in->node, in->value, in->component);
  return compile_argument(in) && out->table;
}

static bool read_points(const hk_rd_signal_in *in) {
  char found[64];
  if (in->value->kind == HK_NODE_SEQUENCE) return read_table(in);
  hki_rd_error(in->rd, in->value->loc, "a file is named under 'table'",
               "'points' must be a list of [t, value], found %s",
               hki_node_describe(in->value, found, sizeof found));
  return false;
}

static bool read_expression(const hk_rd_signal_in *in) {
  if (hki_node_text(in->value))
    return hki_rd_signal_text(in->rd, in->s, in->value, in->out, &in->out->expr);
  hki_rd_error(in->rd, in->value->loc, NULL, "'expression' must be a text");
  return false;
}

/* --- the mapping ------------------------------------------------------------------------------ */

/* kinds that are no shapes and no blocks */
static const struct {
  const char *key;
  bool (*read)(const hk_rd_signal_in *in);
} kinds[] = {
    {"expression", read_expression}, {"table", read_table},
    {"points", read_points},         {"sum", read_sum},
    {"product", read_product},       {"periodic", read_periodic},
    {"latch", hki_rd_latch},         {"first_hit", hki_rd_first_hit},
    {"after", hki_rd_after},         {"variable", hki_rd_variable},
    {"input", hki_rd_input},         {"stream", hki_rd_stream_signal},
};

bool hki_rd_signal_mapping(hk_reader *rd, hk_rd_scope *s, const hk_node *node, int32_t component,
                           hk_spec_signal *out) {
  static const hk_param *const tables[] = {hki_keys_signal, NULL};
  hk_rd_signal_in in = {rd, s, node, NULL, component, out, NULL, false, HK_NONE};
  int32_t found = 0, kind = HK_NONE, fn = HK_NONE;
  if (!hki_rd_check_keys(rd, node, tables, "signal", out->name)) return false;
  for (int32_t i = 0; i < HK_ARRAY_LEN(kinds); i++) {
    const hk_node *v = hki_node_get(node, kinds[i].key);
    if (v) in.value = v, kind = i, found++;
  }
  const hk_rd_block *b;
  for (int32_t i = 0; (b = hki_rd_block_at(i)); i++) {
    const hk_node *v = b->inline_too ? hki_node_get(node, b->name) : NULL;
    if (v) in.value = v, in.block = b, found++;
  }
  for (int32_t i = 0; i < HK_SHAPE_FN_COUNT; i++) {
    const hk_node *v = hki_node_get(node, hki_shape_infos[i].name);
    if (v) in.value = v, fn = i, found++;
  }
  if (found != 1) {
    hki_rd_error(rd, node->loc, "see 'hooke list signals': expression, table, step, sine ..",
                 "signal '%s' must have exactly one definition", out->name);
    return false;
  }
  if (in.block) return in.block->read(&in);
  return fn != HK_NONE ? read_shape(&in, fn) : kinds[kind].read(&in);
}

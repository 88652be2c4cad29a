/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_signals.c: signals, and every value that may vary in time: expressions of t, parameters,
 * signals and channels, and what reader_signal_kinds.c makes over such expressions.
 *
 * A signal that is written as a list of three, or as a table with three columns, is a vector: three
 * signals NAME.x, NAME.y and NAME.z.
 *
 * A signal whose expression reads x, where x is no parameter, is a profile: it is kept by name and
 * compiled where the road of a tyre names it. At the end the signals are sorted so that each reads
 * only earlier ones, and all references to them are renumbered.
 */
#include "language/reader_blocks.h"

#include <stdio.h>
#include <string.h>

/* --- registering ------------------------------------------------------------------------------ */

int32_t hki_rd_signal_new(hk_reader *rd, hk_rd_scope *s, const char *name, hk_loc loc, bool named) {
  if (!HK_GROW(rd->ctx, rd->signals, rd->signals_cap, rd->nsignals + 1)) return HK_NONE;
  const char *copy = hki_pool_strdup(rd->spec->pool, name);
  rd->signals[rd->nsignals] = (hk_rd_signal){.s = {.name = copy, .loc = loc, .named = named},
                                             .scope = s,
                                             .component = HK_NONE,
                                             .final = HK_NONE};
  return rd->nsignals++;
}

/* enters one signal, read in scope `in`, or component k of a vector (HK_NONE: a scalar); false: out
 * of memory */
static bool register_one(hk_reader *rd, hk_rd_scope *s, hk_rd_scope *in, const hk_entry *e,
                         int32_t k) {
  int32_t at = 0;
  const char *key = k == HK_NONE ? e->key : hki_pool_printf(rd->pool, "%s.%c", e->key, "xyz"[k]);
  const char *name = key ? hki_rd_full_name(rd, s, key) : NULL;
  if (!name) return false;
  if (hki_names_find(rd->params.names, name) >= 0 || strcmp(key, "t") == 0) {
    hki_rd_error(rd, e->key_loc, "choose another name",
                 "'%s' is a parameter and cannot be a signal", key);
    return true;
  }
  if (!hki_names_add(rd->signal_names, name, rd->nsignals, &at)) {
    if (at < 0) return false;
    hki_rd_error(rd, e->key_loc, NULL, "signal '%s' is defined twice", key);
    return true;
  }
  int32_t i = hki_rd_signal_new(rd, in, name, e->key_loc, true);
  if (i < 0) return false;
  rd->signals[i].family = rd->family;
  const bool list = k != HK_NONE && e->value->kind == HK_NODE_SEQUENCE;
  rd->signals[i].node = list ? e->value->items[k] : e->value;
  rd->signals[i].component = list ? HK_NONE : k;
  return true;
}

void hki_rd_signals_register(hk_reader *rd, hk_rd_scope *s) {
  hk_rd_walk w = {0};
  for (hk_entry *e; (e = hki_rd_next(rd, s, "signals", &w));) {
    if (!hki_rd_good_name(rd, "signal", e->key, e->key_loc, true)) continue;
    const bool list = e->value->kind == HK_NODE_SEQUENCE && e->value->count == 3;
    if (!list && !hki_node_get(e->value, "columns")) {
      if (!register_one(rd, s, w.scope, e, HK_NONE)) return;
      continue;
    }
    for (int32_t k = 0; k < 3; k++)
      if (!register_one(rd, s, w.scope, e, k)) return;
  }
}

int32_t hki_rd_signal_any(const hk_reader *rd, const hk_rd_scope *s, const char *name) {
  char full[512];
  // outputs of controllers: the instance follows the first word, "controller.left.servo"
  static const char word[] = "controller.";
  const bool of = strncmp(name, word, sizeof word - 1) == 0;
  if (of) name += sizeof word - 1;
  for (; s; s = s->parent) {
    const int n = snprintf(full, sizeof full, "%s%s%s", of ? word : "", s->prefix, name);
    if ((size_t)n >= sizeof full) continue;
    int32_t i = hki_names_find(rd->signal_names, full);
    if (i >= 0) return i;
  }
  return HK_NONE;
}

int32_t hki_rd_signal_find(const hk_reader *rd, const hk_rd_scope *s, const char *name) {
  // a controller with several outputs is not a signal itself
  const int32_t i = hki_rd_signal_any(rd, s, name);
  return i >= 0 && rd->signals[i].s.named ? i : HK_NONE;
}

bool hki_rd_vector(hk_reader *rd, const hk_rd_scope *s, const hk_node *node, hk_node part[3]) {
  for (int32_t k = 0; k < 3; k++) {
    const char *name = hki_pool_printf(rd->pool, "%s.%c", node->text, "xyz"[k]);
    if (!name || hki_rd_signal_find(rd, s, name) < 0) return false;
    part[k] = *node;
    part[k].text = name;
    part[k].len = node->len + 2;
  }
  return true;
}

/* --- names in expressions --------------------------------------------------------------------- */

typedef struct reads {
  hk_reader *rd;
  hk_rd_scope *scope;
  hk_loc loc;
  hk_read *list;
  int32_t n, cap;
  bool uses_x;
  const char *near; /* channel nearest to an unknown name, for the hint */
} reads;

/* the input slot that reads this; -1 when out of memory */
static int32_t slot_of(reads *r, hk_read what) {
  for (int32_t i = 0; i < r->n; i++) {
    const hk_read *k = &r->list[i];
    if (k->kind == what.kind && k->signal == what.signal && k->channel.kind == what.channel.kind &&
        k->channel.component == what.channel.component && k->channel.item == what.channel.item) {
      return i;
    }
  }
  if (!HK_GROW(r->rd->ctx, r->list, r->cap, r->n + 1)) return -1;
  r->list[r->n] = what;
  return r->n++;
}

/* "body.arm.position.x" inside an instance means "body.front_left.arm.position.x" */
static bool find_channel(reads *r, const char *name, hk_channel *out) {
  char full[1200], hint[300] = "", first[300] = "";
  const hk_spec *spec = r->rd->spec;
  const char *dot = strchr(name, '.');
  if (!dot) return false;
  for (hk_rd_scope *s = r->scope; s; s = s->parent) {
    int n =
        snprintf(full, sizeof full, "%.*s%s%s", (int)(dot + 1 - name), name, s->prefix, dot + 1);
    if (n > 0 && (size_t)n < sizeof full && hki_channel_parse(spec, full, out, hint, sizeof hint)) {
      return true;
    }
    if (s == r->scope) snprintf(first, sizeof first, "%s", hint);

    /* a body of the outside, by the name that `connect` gives it */
    const char *end = strchr(dot + 1, '.');
    if (strncmp(name, "body.", 5) != 0 || !end) continue;
    char *local = hki_pool_strndup(r->rd->pool, dot + 1, (size_t)(end - dot - 1));
    int32_t b = local ? hki_rd_body_find(r->rd, s, local) : -1;
    if (b < 0) continue;
    snprintf(full, sizeof full, "body.%s%s", spec->bodies[b].name, end);
    if (hki_channel_parse(spec, full, out, hint, sizeof hint)) return true;
  }
  /* the name between the quotes of "did you mean '...'?" */
  char *open = strchr(first, '\''), *close = open ? strchr(open + 1, '\'') : NULL;
  if (close) r->near = hki_pool_strndup(r->rd->pool, open + 1, (size_t)(close - open - 1));
  return false;
}

static bool resolve(void *user, const char *name, hk_expr_symbol *out) {
  reads *r = user;
  hk_read what = {.kind = HK_READ_TIME, .signal = HK_NONE};
  *out = (hk_expr_symbol){.is_input = true};
  if (strcmp(name, "t") == 0) {
    out->wrap = r->rd->wrap;
    return (out->slot = slot_of(r, what)) >= 0;
  }

  if (hki_rd_live(r->rd, r->scope, name)) {
    what.kind = HK_READ_SIGNAL, what.signal = hki_rd_live_signal(r->rd, r->scope, name);
    out->faulty = what.signal < 0;
    return (out->slot = slot_of(r, what)) >= 0;
  }
  if (hki_rd_param_symbol(r->rd, r->scope, r->loc, name, out)) return true;
  const char *bare = strncmp(name, "signal.", 7) == 0 ? name + 7 : name;
  what.signal = hki_rd_signal_find(r->rd, r->scope, bare);
  if (what.signal >= 0) {
    what.kind = HK_READ_SIGNAL;
    if (r->rd->wrap) what.signal = hki_rd_periodic_copy(r->rd, what.signal, r->loc);
    out->faulty = what.signal < 0;
    return (out->slot = slot_of(r, what)) >= 0;
  }
  if (hki_rd_controller_several(r->rd, r->scope, bare, r->loc)) {
    out->faulty = true;
    return (out->slot = slot_of(r, what)) >= 0;
  }
  if (strcmp(name, "x") == 0) {
    r->uses_x = true;
    what = (hk_read){.kind = HK_READ_TIME, .signal = HK_NONE};
    return (out->slot = slot_of(r, what)) >= 0;
  }
  what.kind = HK_READ_CHANNEL;
  return find_channel(r, name, &what.channel) && (out->slot = slot_of(r, what)) >= 0;
}

void hki_rd_signal_suggest(const hk_reader *rd, const hk_rd_scope *scope, hk_nearest *near) {
  for (int32_t i = 0; i < rd->nsignals; i++) {
    const hk_rd_signal *s = &rd->signals[i];
    for (const hk_rd_scope *k = scope; k && s->s.named; k = k->parent) {
      size_t n = strlen(k->prefix);
      if (strncmp(s->s.name, k->prefix, n) == 0) hki_nearest_try(near, s->s.name + n);
    }
  }
}

static void suggest(void *user, hk_nearest *near) {
  reads *r = user;
  hki_rd_param_suggest(r->rd, r->scope, near);
  hki_rd_signal_suggest(r->rd, r->scope, near);
  if (r->near) hki_nearest_try(near, r->near);
}

/* --- expressions ------------------------------------------------------------------------------ */

/* compile a text into an expression of a signal, whose reads so far stay; *uses_x may be NULL (then
 * x is an unknown name) */
static bool compile(hk_reader *rd, hk_rd_scope *s, const char *text, size_t len, hk_loc loc,
                    bool *uses_x, hk_spec_signal *out, const hk_expr **to) {
  reads r = {.rd = rd, .scope = s, .loc = loc};
  hk_expr_scope scope = {&r, resolve, suggest, rd->wrap != NULL};
  hk_expr *e = NULL;
  for (int32_t i = 0; i < out->nreads; i++) (void)slot_of(&r, out->reads[i]);
  bool ok = hki_expr_compile(rd->ctx, rd->spec->pool, text, len, loc, &scope, &e) == HK_OK;
  if (ok && r.uses_x && !uses_x) {
    hki_rd_error(rd, loc, "only roads are functions of x; give x a value under 'parameters'",
                 "'x' is not known here");
    ok = false;
  }
  if (ok) {
    if (uses_x) *uses_x = r.uses_x;
    hk_read *copy = hki_pool_alloc(rd->spec->pool, (size_t)(r.n + 1) * sizeof *copy);
    if (copy && r.n) memcpy(copy, r.list, (size_t)r.n * sizeof *copy);
    *to = e;
    out->reads = copy;
    out->nreads = r.n;
    ok = copy != NULL;
  }
  hki_free(rd->ctx, r.list);
  return ok;
}

bool hki_rd_signal_text(hk_reader *rd, hk_rd_scope *s, const hk_node *node, hk_spec_signal *out,
                        const hk_expr **to) {
  return hki_rd_whole(rd, node) &&
         compile(rd, s, node->text, (size_t)node->len, hki_node_text_loc(node, 0), NULL, out, to);
}

bool hki_rd_signal_time(hk_reader *rd, hk_rd_scope *s, hk_loc loc, hk_spec_signal *out) {
  return compile(rd, s, "t", 1, loc, NULL, out, &out->expr);
}

/* names k0, k1 ... stand for inputs 0, 1 ... */
static bool resolve_slot(void *user, const char *name, hk_expr_symbol *out) {
  int k = 0;
  char rest;
  (void)user;
  if (sscanf(name, "k%d%c", &k, &rest) != 1 || k < 0) return false;
  *out = (hk_expr_symbol){.is_input = true, .slot = k};
  return true;
}

hk_expr *hki_rd_expr_slots(hk_reader *rd, const char *text, size_t len, hk_loc loc) {
  hk_expr_scope scope = {NULL, resolve_slot, NULL, false};
  hk_expr *e = NULL;
  hki_expr_compile(rd->ctx, rd->spec->pool, text, len, loc, &scope, &e);
  return e;
}

/* --- one signal ------------------------------------------------------------------------------- */

void hki_rd_signal_read(hk_reader *rd, int32_t i) {
  if (rd->signals[i].block) {
    // ports are filled with the main signal
    if (rd->signals[i].main == i) hki_rd_controller_read(rd, i);
    return;
  }
  hk_spec_signal out = rd->signals[i].s;
  hk_rd_scope *s = rd->signals[i].scope;
  const hk_node *node = rd->signals[i].node;
  char found[64];
  bool profile = false, ok = false;
  if (hki_node_text(node)) {
    ok = hki_rd_whole(rd, node) && compile(rd, s, node->text, (size_t)node->len,
                                           hki_node_text_loc(node, 0), &profile, &out, &out.expr);
  } else if (node->kind == HK_NODE_MAPPING) {
    ok = hki_rd_signal_mapping(rd, s, node, rd->signals[i].component, &out);
  } else {
    hki_rd_error(rd, node->loc, NULL, "signal '%s' must be an expression or a mapping, found %s",
                 out.name, hki_node_describe(node, found, sizeof found));
  }
  /* rd->signals may have been reallocated by the reading */
  rd->signals[i].s = out;
  rd->signals[i].profile = profile;
  rd->signals[i].state = ok ? HK_RD_DONE : HK_RD_FAILED;
}

int32_t hki_rd_signal_constant(hk_reader *rd, hk_rd_scope *s, const char *name, hk_loc loc,
                               double value) {
  int32_t i = hki_rd_signal_new(rd, s, name, loc, false);
  if (i < 0) return HK_NONE;
  rd->signals[i].s.expr = hki_expr_number(rd->spec->pool, value);
  rd->signals[i].state = HK_RD_DONE;
  return i;
}

/* a signal of its own, NAME.MORE, that is an expression of another one, k0 */
static int32_t from_other(hk_reader *rd, hk_rd_scope *s, const char *name, const char *more,
                          const char *expr, hk_loc loc, int32_t signal) {
  const char *full = hki_pool_printf(rd->pool, "%s.%s", name, more);
  hk_read *r = hki_pool_alloc(rd->spec->pool, sizeof *r);
  int32_t i = full && r ? hki_rd_signal_new(rd, s, full, loc, false) : HK_NONE;
  if (i < 0) return HK_NONE;
  *r = (hk_read){.kind = HK_READ_SIGNAL, .signal = signal};
  rd->signals[i].s.expr = hki_rd_expr_slots(rd, expr, strlen(expr), loc);
  rd->signals[i].s.reads = r;
  rd->signals[i].s.nreads = 1;
  rd->signals[i].state = HK_RD_DONE;
  return i;
}

/* minus a signal, as a signal of its own */
static int32_t negated(hk_reader *rd, hk_rd_scope *s, const char *name, hk_loc loc,
                       int32_t signal) {
  return from_other(rd, s, name, "mirrored", "-k0", loc, signal);
}

int32_t hki_rd_signal_travel(hk_reader *rd, hk_rd_scope *s, const char *name, hk_loc loc,
                             int32_t signal, int32_t order) {
  int32_t i = from_other(rd, s, name, "travel", "k0", loc, signal);
  if (i < 0) return HK_NONE;
  rd->signals[i].s.kind = HK_SIGNAL_TRAVEL;
  rd->signals[i].s.order = order;
  return i;
}

bool hki_rd_dynamic(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *name,
                    int32_t sign, double *value, int32_t *signal) {
  hk_spec_signal out = {.name = name, .loc = node ? node->loc : HK_LOC_NONE};
  char found[64];
  bool ok = false;
  *signal = HK_NONE;
  if (!node) return false;
  if (hki_node_text(node) && hki_decimal(node->text, node->len, value)) {
    *value *= sign;
    return true;
  }
  *value = 0.0;
  if (hki_node_text(node)) {
    ok = hki_rd_signal_text(rd, s, node, &out, &out.expr);
  } else if (node->kind == HK_NODE_MAPPING) {
    ok = hki_rd_signal_mapping(rd, s, node, HK_NONE, &out);
  } else {
    hki_rd_error(rd, node->loc, "for example 5, \"3*sin(t)\" or the name of a signal",
                 "expected a number, an expression or a signal, found %s",
                 hki_node_describe(node, found, sizeof found));
  }
  if (!ok) return false;
  if (out.kind == HK_SIGNAL_EXPR && hki_expr_is_constant(out.expr, value)) {
    *value *= sign;
    return hki_rd_finite(rd, node, name, *value);
  }
  /* the bare name of a signal is that signal */
  int32_t i = hki_node_text(node) && !rd->wrap ? hki_rd_signal_find(rd, s, node->text) : HK_NONE;
  if (i < 0) {
    i = hki_rd_signal_new(rd, s, name, node->loc, false);
    if (i < 0) return false;
    out.name = rd->signals[i].s.name;
    rd->signals[i].s = out;
    rd->signals[i].state = HK_RD_DONE;
  }
  *signal = sign < 0 ? negated(rd, s, name, node->loc, i) : i;
  return *signal != HK_NONE;
}

/* --- order ------------------------------------------------------------------------------------ */

enum { DEEPEST = 2000 };

typedef struct sorter {
  hk_reader *rd;
  int32_t *order, n;
  int32_t depth, path[DEEPEST + 1]; /* the signals being visited, outermost first */
} sorter;

/* Signal i reads itself: over which others? Those without names of their own are left out. */
static void report_loop(const sorter *z, int32_t i) {
  const hk_rd_signal *all = z->rd->signals;
  char text[600] = "";
  size_t n = 0;
  int32_t from = 0;
  bool blocks = false;
  while (from < z->depth && z->path[from] != i) from++;
  for (int32_t k = from; k < z->depth; k++) {
    const hk_spec_signal *s = &all[z->path[k]].s;
    blocks |= all[z->path[k]].block != NULL;
    if (s->named && n < sizeof text)
      n += (size_t)snprintf(text + n, sizeof text - n, "%s'%.100s'", n ? ", " : "", s->name);
  }
  if (!blocks) {
    hki_rd_error(z->rd, all[i].s.loc, NULL, "signal '%s' reads itself, directly or through others",
                 all[i].s.name);
    return;
  }
  if (z->depth - from == 1 || !strchr(text, ',')) {
    hki_rd_error(z->rd, all[i].s.loc,
                 "let its output not depend on its input at the same instant (D = 0, or a delay)",
                 "algebraic loop: %s needs its own output at the same time",
                 n ? text : all[i].s.name);
    return;
  }
  hki_rd_error(z->rd, all[i].s.loc,
               "let one of them be a sampled block whose output does not depend on its input at "
               "the same instant (D = 0, or a delay), or one with states",
               "algebraic loop: each of %s needs the next at the same time, and the last the first",
               text);
}

static bool visit(sorter *z, int32_t i) {
  hk_rd_signal *s = &z->rd->signals[i];
  if (s->final == -2) {
    report_loop(z, i);
    s->final = HK_NONE;
    return false;
  }
  if (s->final >= 0 || s->profile) return true;
  if (z->depth == DEEPEST) {
    hki_rd_error(z->rd, s->s.loc, NULL, "signals read each other more than %d deep", DEEPEST);
    return false;
  }
  z->path[z->depth++] = i;
  s->final = -2;
  for (int32_t k = 0; k < s->s.nreads; k++) {
    const hk_read *r = &s->s.reads[k];
    if (r->kind != HK_READ_SIGNAL) continue;
    if (z->rd->signals[r->signal].profile) {
      hki_rd_error(z->rd, s->s.loc, "only the 'road' of a tyre can use it",
                   "'%s' reads '%s', which is a profile over x and no signal", s->s.name,
                   z->rd->signals[r->signal].s.name);
      return false;
    }
    if (!visit(z, r->signal)) return false;
  }
  z->depth--;
  s->final = z->n;
  z->order[z->n++] = i;
  return true;
}

static void renumber(const hk_reader *rd, int32_t *signal) {
  if (*signal >= 0) *signal = rd->signals[*signal].final;
}

static void renumber_all(hk_reader *rd) {
  hk_spec *spec = rd->spec;
  for (int32_t i = 0; i < spec->njoints; i++) {
    for (int k = 0; k < 6; k++) {
      renumber(rd, &spec->joints[i].motion[k]);
      renumber(rd, &spec->joints[i].row_signal[k]);
    }
    for (int k = 0; k < 4; k++) renumber(rd, &spec->joints[i].turn.signal[k]);
    if (spec->joints[i].coupling) renumber(rd, &spec->joints[i].coupling->signal);
  }
  for (int32_t i = 0; i < spec->nforces; i++) {
    for (int k = 0; k < HK_ELEMENT_INPUTS; k++) renumber(rd, &spec->forces[i].u_signal[k]);
  }
  for (int32_t i = 0; i < spec->nnodes; i++) renumber(rd, &spec->nodes[i].signal);
  for (int32_t i = 0; i < spec->nevents; i++) {
    renumber(rd, &spec->events[i].when);
    renumber(rd, &spec->events[i].signal);
    renumber(rd, &spec->events[i].value_signal);
  }
  renumber(rd, &spec->run.step_signal);
  const hk_spec_inverse *inv = &spec->inverse;
  for (int32_t i = 0; i < inv->nactuators; i++) renumber(rd, &inv->actuators[i].signal);
  for (int32_t i = 0; i < inv->ntasks; i++) {
    renumber(rd, &inv->tasks[i].signal);
    for (int k = 0; k < 3; k++) renumber(rd, &inv->tasks[i].target[k].signal);
  }
  for (int32_t i = 0; i < inv->nergonomy; i++) {
    renumber(rd, &inv->ergonomy[i].signal);
    renumber(rd, &inv->ergonomy[i].zero.signal);
  }
}

/* a read of the value of a held node becomes a read of the signal that holds it */
static void read_held_nodes(hk_reader *rd) {
  for (int32_t i = 0; i < rd->nsignals; i++) {
    hk_spec_signal *s = &rd->signals[i].s;
    for (int32_t k = 0; k < s->nreads; k++) {
      const hk_read *r = &s->reads[k];
      if (r->kind != HK_READ_CHANNEL || r->channel.kind != HK_CH_NODE) continue;
      const int32_t signal = rd->spec->nodes[r->channel.item].signal;
      hk_read *copy = hki_pool_alloc(rd->spec->pool, (size_t)s->nreads * sizeof *copy);
      if (signal == HK_NONE || !copy) continue;
      memcpy(copy, s->reads, (size_t)s->nreads * sizeof *copy);
      copy[k] = (hk_read){.kind = HK_READ_SIGNAL, .signal = signal};
      s->reads = copy;
    }
  }
}

void hki_rd_signals_finish(hk_reader *rd) {
  hk_spec *spec = rd->spec;
  if (hki_error_count(rd->ctx) > rd->errors0 || rd->nsignals == 0) return;
  size_t n = (size_t)rd->nsignals;
  sorter z = {.rd = rd, .order = hki_pool_alloc(rd->pool, n * sizeof *z.order)};
  spec->signals = hki_pool_alloc(spec->pool, n * sizeof *spec->signals);
  if (!z.order || !spec->signals) return;
  read_held_nodes(rd);
  for (int32_t i = 0; i < rd->nsignals; i++) {
    z.depth = 0;
    if (!visit(&z, i)) return;
  }
  for (int32_t i = 0; i < z.n; i++) {
    hk_spec_signal *s = &spec->signals[i];
    int32_t at;
    *s = rd->signals[z.order[i]].s;
    hk_read *r = s->nreads ? hki_pool_alloc(spec->pool, (size_t)s->nreads * sizeof *r) : NULL;
    for (int32_t k = 0; r && k < s->nreads; k++) {
      r[k] = s->reads[k];
      if (r[k].kind == HK_READ_SIGNAL) renumber(rd, &r[k].signal);
    }
    s->reads = r;
    int32_t *late = s->nlate ? hki_pool_alloc(spec->pool, (size_t)s->nlate * sizeof *late) : NULL;
    for (int32_t k = 0; late && k < s->nlate; k++) {
      late[k] = s->late[k];
      renumber(rd, &late[k]);
    }
    s->late = late;
    if (s->named && s->controller)
      hki_names_add(spec->controller_names, hki_controller_name(s), i, &at);
    else if (s->named)
      hki_names_add(spec->signal_names, s->name, i, &at);
  }
  spec->nsignals = z.n;
  renumber_all(rd);
  hki_rd_check_rates(rd);
  hki_rd_motion_tables(rd);
}

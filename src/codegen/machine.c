/* SPDX-License-Identifier: Apache-2.0
 *
 * machine.c: calls, branches, and the ways of branches that depend on the state.
 */
#include "codegen/machine.h"

#include <string.h>

#include "codegen/joins.h"

enum { SLOTS = 1 << 18, DEPTH = 400, FORKS = 200, NODES = 1500000 };

/* a call under way */
typedef struct frame {
  hk_function *f;
  int32_t base, stack; /* first local; first operand */
  int32_t pc;
  uint32_t place; /* of the call, by those around it */
} frame;

static hk_status run(hk_guest *m, frame *fr, int32_t stop);
static hk_status enter(hk_guest *m, int32_t function);

hk_status hki_guest_fail(hk_guest *m, const char *what) {
  m->cause = what, m->cause_in = m->where;
  if (m->quiet) return HK_E_MODEL;
  return hki_error(m->ctx, HK_E_MODEL, HK_LOC_NONE,
                   m->advice ? m->advice : "an FMU ('hooke export fmu') holds the whole library",
                   "the step cannot become a program: %s, in '%s'", what,
                   m->where ? m->where : "?");
}

/* --- numbers that are assumed ------------------------------------------------------------------ */

void hki_guest_settle(hk_guest *m, hk_slot *s) {
  const hk_node n = s->node;
  if (!n || !m->assume) return;
  s->node = 0;
  // sums of bytes tell models apart; no number of a step comes from them
  if (hki_graph_is(m->g, n, HK_G_LOST) || (m->where && strstr(m->where, "hash"))) return;
  if (hki_graph_is_truth(m->g, n)) {
    m->assume(m, n, (uint32_t)s->bits != 0);
    return;
  }
  const bool whole = hki_graph_is_int(m->g, n);
  const hk_node x = whole ? hki_graph_as_real(m->g, n) : n;
  const double is = whole ? (double)(int32_t)s->bits : hki_slot_double(*s);
  m->assume(m, hki_graph_op(m->g, HK_G_EQ, x, hki_graph_const(m->g, is), 0), true);
}

/* --- life ------------------------------------------------------------------------------------- */

hk_status hki_guest_create(hk_ctx *ctx, hk_module *mod, hk_graph *g, hk_guest *out) {
  *out = (hk_guest){.ctx = ctx, .mod = mod, .g = g, .nslots = SLOTS};
  out->slots = hki_alloc(ctx, SLOTS * sizeof *out->slots);
  out->builtin = hki_alloc(ctx, (size_t)mod->nfunctions + 1);
  uint32_t before;
  hk_status st =
      out->slots && out->builtin ? hki_cells_grow(out, mod->pages, &before) : HK_E_MEMORY;
  for (int32_t i = 0; i < mod->ndata && st == HK_OK; i++) {
    if (mod->data[i].n > out->size || mod->data[i].at > out->size - mod->data[i].n)
      st = hki_guest_fail(out, "data outside of its memory");
    else
      memcpy(out->mem + mod->data[i].at, mod->data[i].bytes, mod->data[i].n);
  }
  if (mod->nglobals) out->stack = (uint32_t)mod->globals[0];
  if (st == HK_OK)
    hki_guest_find_builtins(out);
  else
    hki_guest_destroy(out);
  return st;
}

void hki_guest_destroy(hk_guest *m) {
  hki_free(m->ctx, m->slots);
  hki_free(m->ctx, m->builtin);
  hki_free(m->ctx, m->mem);
  hki_free(m->ctx, m->marks);
  hki_free(m->ctx, m->shadow);
  hki_free(m->ctx, m->undo);
  *m = (hk_guest){0};
}

/* --- branches --------------------------------------------------------------------------------- */

/* takes the values that go along to the height of the target */
static void jump(hk_guest *m, frame *fr, const hk_ins *i) {
  const int32_t to = fr->stack + (int32_t)i->imm, keep = i->keep;
  memmove(m->slots + to, m->slots + m->top - keep, (size_t)keep * sizeof *m->slots);
  m->top = to + keep;
  fr->pc = i->a;
}

/* where a way has led: the operands and locals of the call */
typedef struct way {
  hk_slot *slots;
  int32_t top;
  uint64_t *globals;
} way;

static hk_status keep_way(hk_guest *m, const frame *fr, way *w) {
  const size_t n = (size_t)(m->top - fr->base), g = (size_t)m->mod->nglobals;
  w->slots = hki_alloc(m->ctx, (n + 1) * sizeof *w->slots);
  w->globals = hki_alloc(m->ctx, (g + 1) * sizeof *w->globals);
  if (!w->slots || !w->globals) return HK_E_MEMORY;
  memcpy(w->slots, m->slots + fr->base, n * sizeof *w->slots);
  memcpy(w->globals, m->mod->globals, g * sizeof *w->globals);
  w->top = m->top;
  return HK_OK;
}

static void put_way(hk_guest *m, const frame *fr, const way *w) {
  m->top = w->top;
  memcpy(m->slots + fr->base, w->slots, (size_t)(w->top - fr->base) * sizeof *w->slots);
  memcpy(m->mod->globals, w->globals, (size_t)m->mod->nglobals * sizeof *w->globals);
}

static void free_way(hk_guest *m, way *w) {
  hki_free(m->ctx, w->slots);
  hki_free(m->ctx, w->globals);
}

/* both ways are at the place where they meet: the second in the machine, the first in `w` */
static hk_status merge_ways(hk_guest *m, const frame *fr, hk_node c, const way *w, size_t mark,
                            hk_stores *stores) {
  if (w->top != m->top || memcmp(w->globals, m->mod->globals, (size_t)m->mod->nglobals * 8) != 0)
    return hki_guest_fail(m, "two ways that leave different stacks");
  for (int32_t i = fr->base; i < m->top; i++)
    m->slots[i] = hki_slot_merge(m, c, w->slots[i - fr->base], m->slots[i]);
  return hki_cells_merge(m, c, mark, stores);
}

/* Status codes of errors are numbers that nothing else in the kernel is (cmake/HookeGuest.cmake). A way that holds one
 * where the other has none is a failure of the step, which others are told of; what it has left does not matter. */
static bool is_error(int32_t status) { return status <= -700 && status > -8000; }
static bool is_error_node(const hk_graph *g, hk_node n) {
  const hk_graph_node *x = hki_graph_at(g, n);
  if (x->op == HK_G_CHOICE) return is_error_node(g, x->a[1]) && is_error_node(g, x->a[2]);
  return x->op == HK_G_INT && is_error((int32_t)x->number);
}
static bool holds_error(const hk_guest *m, const hk_slot *s) {
  if (s->real) return false;
  return s->node ? is_error_node(m->g, s->node) : is_error((int32_t)s->bits);
}
/* 0: neither has failed, 1: the first way, which is in `w`, 2: the second */
static int who_failed(const hk_guest *m, const frame *fr, const way *w) {
  int who = 0;
  for (int32_t i = fr->base; i < m->top && i < w->top && !who; i++) {
    const bool a = holds_error(m, &w->slots[i - fr->base]), b = holds_error(m, &m->slots[i]);
    if (a != b) who = a ? 1 : 2;
  }
  return who;
}

static void tell_failure(hk_guest *m, hk_node c, bool no) {
  const hk_node n = no ? hki_graph_op(m->g, HK_G_NOT, c, 0, 0) : c;
  m->failed(m, hki_graph_op(m->g, HK_G_AND, n, hki_graph_way(m->g), 0));
}

/* where a branch leads: along target[k] while condition[k] holds and none before it does; the last has no condition. A
 * target that is NULL is the next instruction. */
typedef struct choice {
  const hk_ins *target[257];
  hk_node condition[257];
  int n, example; /* the target that the example takes */
} choice;

static hk_status follow(hk_guest *m, frame *fr, const choice *to, int k, int32_t join);

/* the ways from target k on, the first of them excepted */
static hk_status follow_rest(hk_guest *m, frame *fr, const choice *to, int k, int32_t join) {
  if (k + 1 < to->n) return follow(m, fr, to, k, join);
  if (to->target[k]) jump(m, fr, to->target[k]);
  return run(m, fr, join);
}

/* what the second way has left is taken back, and that of the first put in its place */
static hk_status take_first(hk_guest *m, const frame *fr, const way *first, size_t mark,
                            const hk_stores *stores) {
  hk_stores none = {0};
  hk_status st = hki_cells_take_back(m, mark, &none);
  hki_stores_free(m, &none);
  put_way(m, fr, first);
  return st == HK_OK ? hki_cells_put_back(m, stores) : st;
}

static hk_status join_ways(hk_guest *m, const frame *fr, hk_node c, const way *first, size_t mark,
                           hk_stores *stores) {
  const int failed = who_failed(m, fr, first);
  if (failed == 0) return merge_ways(m, fr, c, first, mark, stores);
  tell_failure(m, c, failed == 2);
  return failed == 2 ? take_first(m, fr, first, mark, stores) : HK_OK;
}

/* the two ways from a branch on: along target k, or any of those behind it */
static hk_status follow(hk_guest *m, frame *fr, const choice *to, int k, int32_t join) {
  way start = {0}, first = {0};
  hk_stores stores = {0};
  const int32_t from = fr->pc, outer = m->forks;
  const uint32_t region = m->g->region, place = m->g->place;
  const size_t mark = m->nundo;
  const hk_node c = to->condition[k];
  hk_status st = keep_way(m, fr, &start);
  m->forks++, m->forked++;
  if (m->forks > FORKS) st = hki_guest_fail(m, "a loop that ends by the state");
  if (st == HK_OK) {
    if (to->target[k]) jump(m, fr, to->target[k]);
    hki_graph_enter(m->g, c, false);
    st = run(m, fr, join);
    m->g->region = region;
  }
  if (st == HK_OK) st = keep_way(m, fr, &first);
  if (st == HK_OK) st = hki_cells_take_back(m, mark, &stores);
  if (st == HK_OK) {
    put_way(m, fr, &start);
    fr->pc = from;
    m->g->place = place;
    hki_graph_enter(m->g, c, true);
    st = follow_rest(m, fr, to, k + 1, join);
    m->g->region = region;
  }
  m->g->place = place;
  m->second = to->example != k;
  if (st == HK_OK) st = join_ways(m, fr, c, &first, mark, &stores);
  m->second = false;
  m->forks = outer;
  if (!outer) m->nundo = 0;
  hki_stores_free(m, &stores);
  free_way(m, &start);
  free_way(m, &first);
  return st;
}

/* where the ways from the instruction at `at` meet; -1 after a message */
static int32_t find_join(hk_guest *m, const frame *fr, int32_t at) {
  if (hki_function_joins(m->mod, fr->f) != HK_OK) return -1;
  // In a function that interprets a code of its own, ways meet where they stand at the same place of that code, which
  // cannot be seen: they are followed to its end.
  const int32_t join = fr->f->nfields ? fr->f->n : fr->f->joins[at];
  if (join < 0) hki_guest_fail(m, "a branch from which no way leads to the end");
  return join;
}

/* the truth by which a value decides; 0: it is known, `yes` says what it is */
static hk_node decision(hk_guest *m, hk_slot c, bool *yes) {
  const hk_node n = c.node ? hki_graph_truth(m->g, c.node) : 0;
  *yes = (uint32_t)c.bits != 0;
  const hk_known known = n ? hki_graph_known(m->g, n) : HK_KNOWN_NOT;
  if (n && hki_graph_is(m->g, n, HK_G_INT)) return *yes = hki_graph_at(m->g, n)->number != 0, 0;
  return known == HK_KNOWN_NOT ? n : (*yes = known == HK_KNOWN_TRUE, 0);
}

/* br_if and if: `sense` is the truth that leads along the branch */
static hk_status branch(hk_guest *m, frame *fr, const hk_ins *i, bool sense) {
  hki_guest_settle(m, &m->slots[m->top - 1]);
  const hk_slot c = m->slots[--m->top];
  const int32_t at = fr->pc++;
  bool yes;
  hk_node n = decision(m, c, &yes);
  if (!n) {
    if (yes == sense) jump(m, fr, i);
    return HK_OK;
  }
  if (hki_graph_is(m->g, n, HK_G_LOST))
    return hki_guest_fail(m, "a branch by a number that depends on the state in too many ways");
  const int32_t join = find_join(m, fr, at);
  if (join < 0) return HK_E_USAGE;
  if (!sense) n = hki_graph_op(m->g, HK_G_NOT, n, 0, 0);
  const choice to = {.target = {i, NULL}, .condition = {n}, .n = 2, .example = yes != sense};
  return follow(m, fr, &to, 0, join);
}

/* --- instructions ----------------------------------------------------------------------------- */

static hk_status select_one(hk_guest *m) {
  hk_slot *s = m->slots + m->top;
  if (!s[-2].real && !s[-3].real) hki_guest_settle(m, &s[-1]);
  const hk_slot c = s[-1];
  m->top -= 2;
  bool yes;
  hk_node n = decision(m, c, &yes);
  if (!n) {
    if (!yes) s[-3] = s[-2];
    return HK_OK;
  }
  // of a status and an error only the status counts
  const bool a = holds_error(m, &s[-3]), b = holds_error(m, &s[-2]);
  if (a != b) {
    tell_failure(m, n, b);
    if (a) s[-3] = s[-2];
    return HK_OK;
  }
  const uint64_t taken = yes ? s[-3].bits : s[-2].bits;
  s[-3] = hki_slot_merge(m, n, s[-3], s[-2]);
  if (s[-3].node) s[-3].bits = taken; // of the example
  return HK_OK;
}

static hk_status call_table(hk_guest *m) {
  hki_guest_settle(m, &m->slots[m->top - 1]);
  const hk_slot k = m->slots[--m->top];
  if (k.node) return hki_guest_fail(m, "a call that depends on the state");
  const uint32_t i = (uint32_t)k.bits;
  if (i >= (uint32_t)m->mod->ntable || m->mod->table[i] < 0)
    return hki_guest_fail(m, "a call of no function");
  return enter(m, m->mod->table[i]);
}

static hk_status move_memory(hk_guest *m, int op) {
  hk_slot *s = m->slots + m->top;
  uint32_t before;
  if (op == HK_I_MEMORY_SIZE) {
    m->slots[m->top++] = (hk_slot){.bits = m->size / 65536};
    return HK_OK;
  }
  if (op == HK_I_MEMORY_GROW) {
    hk_status st = hki_cells_grow(m, (uint32_t)s[-1].bits, &before);
    m->slots[m->top - 1] = (hk_slot){.bits = before};
    return st;
  }
  m->top -= 3;
  for (int i = 1; i <= 3; i++) hki_guest_settle(m, &s[-i]);
  if (s[-1].node || s[-2].node || s[-3].node)
    return hki_guest_fail(m, "a copy that depends on the state");
  const uint32_t to = (uint32_t)s[-3].bits, n = (uint32_t)s[-1].bits;
  if (op == HK_I_FILL) return hki_cells_fill(m, to, (int)s[-2].bits, n);
  return hki_cells_copy(m, to, (uint32_t)s[-2].bits, n);
}

/* a branch to one of many places: they are told apart one after the other */
static hk_status table_choice(hk_guest *m, frame *fr, const hk_ins *i, hk_slot which) {
  uint64_t leaf[256];
  choice to = {0};
  if (hki_graph_has_whole(m->g, which.node))
    return hki_guest_fail(m, "a choice of many that depends on the state");
  hk_status st = hki_guest_leaves(m, which.node, leaf, to.condition, 256, &to.n);
  if (st != HK_OK) return st;
  const uint32_t most = (uint32_t)i->b - 1;
  for (int k = 0; k < to.n; k++) {
    to.target[k] =
        &fr->f->fields[(uint32_t)i->a + ((uint32_t)leaf[k] < most ? (uint32_t)leaf[k] : most)];
    if (leaf[k] == which.bits) to.example = k;
  }
  const int32_t join = find_join(m, fr, fr->pc);
  if (join < 0) return HK_E_USAGE;
  return to.n > 1 ? follow(m, fr, &to, 0, join) : (jump(m, fr, to.target[0]), HK_OK);
}

static hk_status table_jump(hk_guest *m, frame *fr, const hk_ins *i) {
  hki_guest_settle(m, &m->slots[m->top - 1]);
  const hk_slot k = m->slots[--m->top];
  if (k.node) return table_choice(m, fr, i, k);
  const uint32_t n = (uint32_t)i->b - 1, at = (uint32_t)k.bits < n ? (uint32_t)k.bits : n;
  jump(m, fr, &fr->f->fields[(uint32_t)i->a + at]);
  return HK_OK;
}

/* The first global says from where on memory of calls is in use. */
static hk_status set_global(hk_guest *m, int32_t k) {
  hk_slot x = m->slots[--m->top];
  hki_guest_settle(m, &x);
  if (x.node) return hki_guest_fail(m, "a global that depends on the state");
  const uint32_t from = (uint32_t)m->mod->globals[k];
  m->mod->globals[k] = x.bits;
  return k == 0 ? hki_cells_leave(m, from, (uint32_t)x.bits) : HK_OK;
}

/* locals, globals, constants, and what only moves values */
static hk_status move_value(hk_guest *m, const frame *fr, const hk_ins *i) {
  hk_slot *s = m->slots + m->top;
  switch (i->op) {
    case HK_I_LOCAL_GET:
      *s = m->slots[fr->base + i->a];
      m->top++;
      break;
    case HK_I_LOCAL_SET:
      m->top--;
      m->slots[fr->base + i->a] = s[-1];
      break;
    case HK_I_LOCAL_TEE:
      m->slots[fr->base + i->a] = s[-1];
      break;
    case HK_I_GLOBAL_GET:
      *s = (hk_slot){.bits = m->mod->globals[i->a]};
      m->top++;
      break;
    case HK_I_GLOBAL_SET:
      return set_global(m, i->a);
    case HK_I_DROP:
      m->top--;
      break;
    default: // constants
      *s = (hk_slot){.bits = i->imm, .real = i->op == HK_I_F64_CONST};
      m->top++;
  }
  return HK_OK;
}

static hk_status execute(hk_guest *m, frame *fr, const hk_ins *i) {
  const int op = i->op;
  switch (op) {
    case HK_I_BR_IF:
      return branch(m, fr, i, true);
    case HK_I_BR_UNLESS:
      return branch(m, fr, i, false);
    case HK_I_BR:
      jump(m, fr, i);
      return HK_OK;
    case HK_I_BR_TABLE:
      return table_jump(m, fr, i);
    case HK_I_UNREACHABLE:
      return hki_guest_fail(m, "an end that should not be reached");
    default:
      fr->pc++;
  }
  if (op == HK_I_CALL) return enter(m, i->a);
  if (op == HK_I_CALL_INDIRECT) return call_table(m);
  if (op == HK_I_SELECT) return select_one(m);
  if (op >= HK_I_LOAD_FIRST && op <= 0x3e) {
    hk_status st = hki_guest_access(m, i, m->slots + m->top);
    if (op >= HK_I_STORE_FIRST) m->top -= 2;
    return st;
  }
  if (op == HK_I_MEMORY_SIZE || op == HK_I_MEMORY_GROW || op == HK_I_COPY || op == HK_I_FILL)
    return move_memory(m, op);
  if (op < 0x45) return move_value(m, fr, i);
  const bool real = hki_is_real_op(op);
  hk_status st =
      real ? hki_guest_real(m, op, m->slots + m->top) : hki_guest_int(m, op, m->slots + m->top);
  // what takes two operands leaves one
  const bool two = (op >= 0x46 && op <= 0x4f) || (op >= 0x51 && op <= 0x66) ||
                   (op >= 0x6a && op <= 0x78) || (op >= 0x7c && op <= 0x8a) ||
                   (op >= 0x92 && op <= 0x98) || (op >= 0xa0 && op <= 0xa6);
  m->top -= two;
  return st;
}

/* to the instruction `stop` of the present call */
static hk_status run(hk_guest *m, frame *fr, int32_t stop) {
  hk_status st = HK_OK;
  while (st == HK_OK && fr->pc != stop) {
    m->executed++;
    if (m->top + 8 > m->nslots) return hki_guest_fail(m, "too many values");
    if (m->g->n > NODES) return hki_guest_fail(m, "it has too many operations");
    m->g->place = (fr->place ^ (uint32_t)fr->pc) * 0x9e3779b1u;
    st = execute(m, fr, &fr->f->code[fr->pc]);
  }
  return st;
}

/* --- calls ------------------------------------------------------------------------------------ */

static hk_status call_outside(hk_guest *m, const hk_function *f, int32_t function) {
  hk_slot out = {0}, *args = m->slots + m->top - f->nparams;
  const int32_t results = m->mod->types[f->type].nresults;
  hk_status st = f->import >= 0 ? m->import(m, f->name, args, &out)
                                : hki_guest_builtin(m, m->builtin[function], args, &out);
  m->top -= f->nparams;
  if (results) m->slots[m->top++] = out;
  return st;
}

/* arguments are on the stack; the result takes their place */
static hk_status enter(hk_guest *m, int32_t function) {
  hk_function *f = &m->mod->functions[function];
  const int builtin = m->builtin[function];
  if (f->import >= 0 || (builtin && hki_guest_takes(m, builtin, m->slots + m->top - f->nparams)))
    return call_outside(m, f, function);
  hk_status st = hki_module_decode(m->mod, f);
  if (st != HK_OK) return st;
  const char *outer = m->where;
  if (++m->depth > DEPTH || m->top + f->nlocals + 64 > m->nslots)
    return hki_guest_fail(m, "too many calls");
  frame fr = {.f = f, .base = m->top - f->nparams};
  fr.place = (m->g->place ^ (m->g->place >> 15)) * 0x85ebca6bu + (uint32_t)function;
  fr.stack = fr.base + f->nlocals;
  for (int32_t i = m->top; i < fr.stack; i++) m->slots[i] = (hk_slot){0};
  m->top = fr.stack;
  m->where = f->name;
  st = run(m, &fr, f->n);
  const int32_t results = m->mod->types[f->type].nresults;
  if (results) m->slots[fr.base] = m->slots[m->top - 1];
  m->top = fr.base + results;
  m->depth--;
  if (st == HK_OK) m->where = outer;
  return st;
}

hk_status hki_guest_call(hk_guest *m, int32_t function, const hk_slot *args, int32_t nargs,
                         hk_slot *out) {
  if (function < 0) return hki_guest_fail(m, "a function that the kernel has not");
  const int32_t top = m->top;
  for (int32_t i = 0; i < nargs; i++) m->slots[m->top++] = args[i];
  hk_status st = enter(m, function);
  if (st == HK_OK && out && m->top > top) *out = m->slots[m->top - 1];
  m->top = top;
  return st;
}

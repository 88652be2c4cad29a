/* SPDX-License-Identifier: Apache-2.0
 *
 * machine.c: calls, branches, and the ways of branches that depend on the state.
 */
#include "codegen/machine.h"

#include <string.h>

#include "codegen/joins.h"

enum { SLOTS = 1 << 18, DEPTH = 400, FORKS = 200 };

/* a call under way */
typedef struct frame {
  hk_function *f;
  int32_t base, stack; /* first local; first operand */
  int32_t pc;
} frame;

static hk_status run(hk_machine *m, frame *fr, int32_t stop);
static hk_status enter(hk_machine *m, int32_t function);

hk_status hki_machine_fail(hk_machine *m, const char *what) {
  return hki_error(m->ctx, HK_E_USAGE, HK_LOC_NONE, NULL, "%s, in '%s'", what, m->where ? m->where : "?");
}

/* --- life ------------------------------------------------------------------------------------- */

hk_status hki_machine_create(hk_ctx *ctx, hk_module *mod, hk_graph *g, hk_machine *out) {
  *out = (hk_machine){.ctx = ctx, .mod = mod, .g = g, .nslots = SLOTS};
  out->slots = hki_alloc(ctx, SLOTS * sizeof *out->slots);
  out->builtin = hki_alloc(ctx, (size_t)mod->nfunctions + 1);
  uint32_t before;
  hk_status st = out->slots && out->builtin ? hki_memory_grow(out, mod->pages, &before) : HK_E_MEMORY;
  for (int32_t i = 0; i < mod->ndata && st == HK_OK; i++) {
    if (mod->data[i].n > out->size || mod->data[i].at > out->size - mod->data[i].n)
      st = hki_machine_fail(out, "data outside of its memory");
    else
      memcpy(out->mem + mod->data[i].at, mod->data[i].bytes, mod->data[i].n);
  }
  if (st == HK_OK)
    hki_machine_find_builtins(out);
  else
    hki_machine_destroy(out);
  return st;
}

void hki_machine_destroy(hk_machine *m) {
  hki_free(m->ctx, m->slots);
  hki_free(m->ctx, m->builtin);
  hki_free(m->ctx, m->mem);
  hki_free(m->ctx, m->marks);
  hki_free(m->ctx, m->shadow);
  hki_free(m->ctx, m->undo);
  *m = (hk_machine){0};
}

/* --- branches --------------------------------------------------------------------------------- */

/* takes the values that go along to the height of the target */
static void jump(hk_machine *m, frame *fr, const hk_ins *i) {
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

static hk_status keep_way(hk_machine *m, const frame *fr, way *w) {
  const size_t n = (size_t)(m->top - fr->base), g = (size_t)m->mod->nglobals;
  w->slots = hki_alloc(m->ctx, (n + 1) * sizeof *w->slots);
  w->globals = hki_alloc(m->ctx, (g + 1) * sizeof *w->globals);
  if (!w->slots || !w->globals) return HK_E_MEMORY;
  memcpy(w->slots, m->slots + fr->base, n * sizeof *w->slots);
  memcpy(w->globals, m->mod->globals, g * sizeof *w->globals);
  w->top = m->top;
  return HK_OK;
}

static void put_way(hk_machine *m, const frame *fr, const way *w) {
  m->top = w->top;
  memcpy(m->slots + fr->base, w->slots, (size_t)(w->top - fr->base) * sizeof *w->slots);
  memcpy(m->mod->globals, w->globals, (size_t)m->mod->nglobals * sizeof *w->globals);
}

static void free_way(hk_machine *m, way *w) {
  hki_free(m->ctx, w->slots);
  hki_free(m->ctx, w->globals);
}

/* both ways are at the place where they meet: the second in the machine, the first in `w` */
static hk_status merge_ways(hk_machine *m, const frame *fr, hk_node c, const way *w, size_t mark,
                            hk_stores *stores) {
  if (w->top != m->top || memcmp(w->globals, m->mod->globals, (size_t)m->mod->nglobals * 8) != 0)
    return hki_machine_fail(m, "two ways that leave different stacks");
  for (int32_t i = fr->base; i < m->top; i++)
    m->slots[i] = hki_slot_merge(m, c, w->slots[i - fr->base], m->slots[i]);
  return hki_memory_merge(m, c, mark, stores);
}

/* A way that has returned an error, a negative number: a failure of the step, which others are told of. What it has
 * left does not matter. */
static bool is_failure(const hk_graph *g, hk_node n) {
  const hk_graph_node *x = hki_graph_at(g, n);
  if (x->op == HK_G_CHOICE) return is_failure(g, x->a[1]) && is_failure(g, x->a[2]);
  return x->op == HK_G_INT && (int32_t)x->number < 0;
}
static bool has_failed(const hk_machine *m, const frame *fr) {
  const hk_slot x = m->slots[m->top - 1];
  if (fr->pc != fr->f->n || m->mod->types[fr->f->type].nresults != 1 || x.real) return false;
  return x.node ? is_failure(m->g, x.node) : (int32_t)x.bits < 0;
}

/* one way of a branch, from where the machine is to where the ways meet */
static hk_status walk(hk_machine *m, frame *fr, int32_t join, hk_node c, bool no, bool *failed) {
  const uint32_t outer = m->g->region;
  hki_graph_enter(m->g, c, no);
  hk_status st = run(m, fr, join);
  *failed = st == HK_OK && has_failed(m, fr);
  m->g->region = outer;
  return st;
}

static void tell_failure(hk_machine *m, hk_node c, bool no) {
  const hk_node n = no ? hki_graph_op(m->g, HK_G_NOT, c, 0, 0) : c;
  m->failed(m, hki_graph_op(m->g, HK_G_AND, n, hki_graph_way(m->g), 0));
}

/* the two ways from a branch on: the first leads along `i`, the other to the next instruction */
static hk_status follow(hk_machine *m, frame *fr, const hk_ins *i, hk_node c, int32_t join) {
  way start = {0}, first = {0};
  hk_stores stores = {0};
  bool bad = false, worse = false;
  const int32_t from = fr->pc, outer = m->forks;
  const size_t mark = m->nundo;
  hk_status st = keep_way(m, fr, &start);
  m->forks++, m->forked++;
  if (m->forks > FORKS) st = hki_machine_fail(m, "a loop that ends by the state");
  if (st == HK_OK) {
    jump(m, fr, i);
    st = walk(m, fr, join, c, false, &bad);
  }
  if (st == HK_OK) st = keep_way(m, fr, &first);
  if (st == HK_OK) st = hki_memory_take_back(m, mark, &stores);
  if (st == HK_OK) {
    put_way(m, fr, &start);
    fr->pc = from;
    st = walk(m, fr, join, c, true, &worse);
  }
  // of two ways one of which fails only the other counts
  if (st == HK_OK && bad) {
    tell_failure(m, c, false);
  } else if (st == HK_OK && worse) {
    hk_stores none = {0};
    tell_failure(m, c, true);
    st = hki_memory_take_back(m, mark, &none);
    hki_stores_free(m, &none);
    put_way(m, fr, &first);
    for (size_t k = 0; k < stores.count && st == HK_OK; k++)
      if (stores.n[k]) st = hki_memory_store(m, stores.at[k], stores.n[k], stores.value[k]);
  } else if (st == HK_OK) {
    st = merge_ways(m, fr, c, &first, mark, &stores);
  }
  m->forks = outer;
  if (!outer) m->nundo = 0;
  hki_stores_free(m, &stores);
  free_way(m, &start);
  free_way(m, &first);
  return st;
}

/* br_if and if: `sense` is the truth that leads along the branch */
static hk_status branch(hk_machine *m, frame *fr, const hk_ins *i, bool sense) {
  const hk_slot c = m->slots[--m->top];
  const int32_t at = fr->pc++;
  hk_node n = c.node ? hki_graph_truth(m->g, c.node) : 0;
  bool yes = (uint32_t)c.bits != 0;
  if (n && hki_graph_is(m->g, n, HK_G_INT)) yes = hki_graph_at(m->g, n)->number != 0, n = 0;
  if (!n) {
    if (yes == sense) jump(m, fr, i);
    return HK_OK;
  }
  hk_status st = hki_function_joins(m->mod, fr->f);
  if (st != HK_OK) return st;
  // In a function that interprets a code of its own, ways meet where they stand at the same place of that code, which
  // cannot be seen: they are followed to its end.
  const int32_t join = fr->f->nfields ? fr->f->n : fr->f->joins[at];
  if (hki_graph_is(m->g, n, HK_G_LOST))
    return hki_machine_fail(m, "a branch by a number that depends on the state in too many ways");
  if (join < 0) return hki_machine_fail(m, "a branch from which no way leads to the end");
  if (!sense) n = hki_graph_op(m->g, HK_G_NOT, n, 0, 0);
  return follow(m, fr, i, n, join);
}

/* --- instructions ----------------------------------------------------------------------------- */

static hk_status select_one(hk_machine *m) {
  hk_slot *s = m->slots + m->top;
  const hk_slot c = s[-1];
  m->top -= 2;
  hk_node n = c.node ? hki_graph_truth(m->g, c.node) : 0;
  bool yes = (uint32_t)c.bits != 0;
  if (n && hki_graph_is(m->g, n, HK_G_INT)) yes = hki_graph_at(m->g, n)->number != 0, n = 0;
  s[-3] = n ? hki_slot_merge(m, n, s[-3], s[-2]) : yes ? s[-3] : s[-2];
  return HK_OK;
}

static hk_status call_table(hk_machine *m) {
  const hk_slot k = m->slots[--m->top];
  if (k.node) return hki_machine_fail(m, "a call that depends on the state");
  const uint32_t i = (uint32_t)k.bits;
  if (i >= (uint32_t)m->mod->ntable || m->mod->table[i] < 0)
    return hki_machine_fail(m, "a call of no function");
  return enter(m, m->mod->table[i]);
}

static hk_status move_memory(hk_machine *m, int op) {
  const hk_slot *s = m->slots + m->top;
  uint32_t before;
  if (op == HK_I_MEMORY_SIZE) {
    m->slots[m->top++] = (hk_slot){.bits = m->size / 65536};
    return HK_OK;
  }
  if (op == HK_I_MEMORY_GROW) {
    hk_status st = hki_memory_grow(m, (uint32_t)s[-1].bits, &before);
    m->slots[m->top - 1] = (hk_slot){.bits = before};
    return st;
  }
  m->top -= 3;
  if (s[-1].node || s[-2].node || s[-3].node) return hki_machine_fail(m, "a copy that depends on the state");
  const uint32_t to = (uint32_t)s[-3].bits, n = (uint32_t)s[-1].bits;
  if (op == HK_I_FILL) return hki_memory_fill(m, to, (int)s[-2].bits, n);
  return hki_memory_copy(m, to, (uint32_t)s[-2].bits, n);
}

static hk_status table_jump(hk_machine *m, frame *fr, const hk_ins *i) {
  const hk_slot k = m->slots[--m->top];
  if (k.node) return hki_machine_fail(m, "a choice of many that depends on the state");
  const uint32_t n = (uint32_t)i->b - 1, at = (uint32_t)k.bits < n ? (uint32_t)k.bits : n;
  jump(m, fr, &fr->f->fields[(uint32_t)i->a + at]);
  return HK_OK;
}

/* locals, globals, constants, and what only moves values */
static hk_status move_value(hk_machine *m, const frame *fr, const hk_ins *i) {
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
      if (s[-1].node) return hki_machine_fail(m, "a global that depends on the state");
      m->mod->globals[i->a] = s[-1].bits;
      m->top--;
      break;
    case HK_I_DROP:
      m->top--;
      break;
    default: // constants
      *s = (hk_slot){.bits = i->imm, .real = i->op == HK_I_F64_CONST};
      m->top++;
  }
  return HK_OK;
}

static hk_status execute(hk_machine *m, frame *fr, const hk_ins *i) {
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
      return hki_machine_fail(m, "an end that should not be reached");
    default:
      fr->pc++;
  }
  if (op == HK_I_CALL) return enter(m, i->a);
  if (op == HK_I_CALL_INDIRECT) return call_table(m);
  if (op == HK_I_SELECT) return select_one(m);
  if (op >= HK_I_LOAD_FIRST && op <= 0x3e) {
    hk_status st = hki_machine_access(m, i, m->slots + m->top);
    if (op >= HK_I_STORE_FIRST) m->top -= 2;
    return st;
  }
  if (op == HK_I_MEMORY_SIZE || op == HK_I_MEMORY_GROW || op == HK_I_COPY || op == HK_I_FILL)
    return move_memory(m, op);
  if (op < 0x45) return move_value(m, fr, i);
  const bool real = hki_is_real_op(op);
  hk_status st = real ? hki_machine_real(m, op, m->slots + m->top) : hki_machine_int(m, op, m->slots + m->top);
  // what takes two operands leaves one
  const bool two = (op >= 0x46 && op <= 0x4f) || (op >= 0x51 && op <= 0x66) || (op >= 0x6a && op <= 0x78) ||
                   (op >= 0x7c && op <= 0x8a) || (op >= 0x92 && op <= 0x98) || (op >= 0xa0 && op <= 0xa6);
  m->top -= two;
  return st;
}

/* to the instruction `stop` of the present call */
static hk_status run(hk_machine *m, frame *fr, int32_t stop) {
  hk_status st = HK_OK;
  while (st == HK_OK && fr->pc != stop) {
    m->executed++;
    if (m->top + 8 > m->nslots) return hki_machine_fail(m, "too many values");
    st = execute(m, fr, &fr->f->code[fr->pc]);
  }
  return st;
}

/* --- calls ------------------------------------------------------------------------------------ */

static hk_status call_outside(hk_machine *m, const hk_function *f, int32_t function) {
  hk_slot out = {0}, *args = m->slots + m->top - f->nparams;
  const int32_t results = m->mod->types[f->type].nresults;
  hk_status st = f->import >= 0 ? m->import(m, f->name, args, &out)
                                : hki_machine_builtin(m, m->builtin[function], args, &out);
  m->top -= f->nparams;
  if (results) m->slots[m->top++] = out;
  return st;
}

/* arguments are on the stack; the result takes their place */
static hk_status enter(hk_machine *m, int32_t function) {
  hk_function *f = &m->mod->functions[function];
  if (f->import >= 0 || m->builtin[function]) return call_outside(m, f, function);
  hk_status st = hki_module_decode(m->mod, f);
  if (st != HK_OK) return st;
  const char *outer = m->where;
  if (++m->depth > DEPTH || m->top + f->nlocals + 64 > m->nslots) return hki_machine_fail(m, "too many calls");
  frame fr = {.f = f, .base = m->top - f->nparams};
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

hk_status hki_machine_call(hk_machine *m, int32_t function, const hk_slot *args, int32_t nargs,
                           hk_slot *out) {
  if (function < 0) return hki_machine_fail(m, "a function that the kernel has not");
  const int32_t top = m->top;
  for (int32_t i = 0; i < nargs; i++) m->slots[m->top++] = args[i];
  hk_status st = enter(m, function);
  if (st == HK_OK && out && m->top > top) *out = m->slots[m->top - 1];
  m->top = top;
  return st;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * decode.c: the body of a function as an array of instructions. Blocks vanish: branches know the place they lead
 * to, the values they take along and the height of the stack there. Code that cannot be reached is left out.
 */
#include <string.h>

#include "codegen/bytes.h"
#include "codegen/module.h"

typedef struct label {
  int32_t id;      /* of the place that branches lead to */
  int32_t other;   /* if: of the place of its else, -1: none or past it */
  int32_t height;  /* of the stack below the block's values */
  int32_t results; /* of the block */
  bool loop, dead; /* dead: entered from code that cannot be reached */
} label;

typedef struct decoder {
  hk_module *m;
  hk_function *f;
  hk_bytes b;
  hk_ins *code;
  int32_t n, cap;
  hk_ins *fields;
  int32_t nfields, cap_fields;
  int32_t *place; /* of each label */
  int32_t nplaces, cap_places;
  label labels[1024];
  int32_t depth, height;
  bool dead; /* the present instruction cannot be reached */
} decoder;

/* --- lists that grow -------------------------------------------------------------------------- */

static void *grown(decoder *d, void *old, int32_t n, int32_t *cap, size_t size) {
  if (n < *cap) return old;
  const int32_t more = *cap * 2 + 64;
  void *p = hki_pool_alloc(d->m->pool, (size_t)more * size);
  if (!p) {
    d->b.bad = true;
    return old;
  }
  if (n) memcpy(p, old, (size_t)n * size);
  *cap = more;
  return p;
}

static void emit(decoder *d, hk_ins ins) {
  if (d->dead) return;
  d->code = grown(d, d->code, d->n, &d->cap, sizeof *d->code);
  if (!d->b.bad) d->code[d->n++] = ins;
}

static int32_t new_place(decoder *d) {
  d->place = grown(d, d->place, d->nplaces, &d->cap_places, sizeof *d->place);
  if (!d->b.bad) d->place[d->nplaces] = -1;
  return d->nplaces++;
}

/* --- blocks and branches ---------------------------------------------------------------------- */

static int32_t block_results(decoder *d) {
  const int64_t type = hki_bytes_signed(&d->b);
  if (type == -64) return 0;
  if (type < 0) return 1;
  if (type >= d->m->ntypes || d->m->types[type].nparams) {
    d->b.bad = true;
    return 0;
  }
  return d->m->types[type].nresults;
}

static void open_block(decoder *d, int op) {
  if (d->depth + 1 >= (int32_t)(sizeof d->labels / sizeof d->labels[0])) {
    d->b.bad = true;
    return;
  }
  const int32_t results = block_results(d);
  label *l = &d->labels[d->depth++];
  *l = (label){.id = new_place(d), .other = -1, .results = results, .dead = d->dead};
  l->loop = op == HK_I_LOOP;
  if (op == HK_I_IF) {
    l->other = new_place(d);
    d->height--;
    emit(d, (hk_ins){.op = HK_I_BR_UNLESS, .a = l->other, .imm = (uint64_t)d->height});
  }
  l->height = d->height;
  if (l->loop && !d->b.bad) d->place[l->id] = d->n;
}

/* a branch to the label so many levels out */
static hk_ins branch(decoder *d, int op, uint32_t level) {
  if (level >= (uint32_t)d->depth) {
    d->b.bad = true;
    return (hk_ins){0};
  }
  const label *l = &d->labels[d->depth - 1 - (int32_t)level];
  return (hk_ins){.op = (uint16_t)op,
                  .keep = (uint16_t)(l->loop ? 0 : l->results),
                  .a = l->id,
                  .imm = (uint64_t)l->height};
}

static void turn_to_else(decoder *d) {
  label *l = &d->labels[d->depth - 1];
  emit(d, branch(d, HK_I_BR, 0));
  if (!d->b.bad && l->other >= 0) d->place[l->other] = d->n;
  l->other = -1;
  d->dead = l->dead;
  d->height = l->height;
}

static void close_block(decoder *d) {
  label *l = &d->labels[--d->depth];
  if (d->b.bad) return;
  if (l->other >= 0) d->place[l->other] = d->n;
  if (!l->loop) d->place[l->id] = d->n;
  d->dead = l->dead;
  d->height = l->height + l->results;
}

static void table_branch(decoder *d) {
  const uint32_t n = hki_bytes_u32(&d->b);
  const int32_t first = d->nfields;
  d->height--;
  for (uint32_t i = 0; i <= n && !d->b.bad; i++) {
    const hk_ins to = branch(d, HK_I_BR, hki_bytes_u32(&d->b));
    d->fields = grown(d, d->fields, d->nfields, &d->cap_fields, sizeof *d->fields);
    if (!d->b.bad) d->fields[d->nfields++] = to;
  }
  emit(d, (hk_ins){.op = HK_I_BR_TABLE, .a = first, .b = d->nfields - first});
  d->dead = true;
}

/* --- other instructions ----------------------------------------------------------------------- */

/* change of the height of the stack by an instruction without blocks, branches and calls */
static int effect(int op) {
  if (op == HK_I_DROP || op == HK_I_LOCAL_SET || op == HK_I_GLOBAL_SET) return -1;
  if (op == HK_I_SELECT) return -2;
  if (op == HK_I_LOCAL_GET || op == HK_I_GLOBAL_GET || op == HK_I_MEMORY_SIZE) return 1;
  if (op >= HK_I_I32_CONST && op <= HK_I_F64_CONST) return 1;
  if (op >= HK_I_STORE_FIRST && op <= 0x3e) return -2;
  if (op == HK_I_COPY || op == HK_I_FILL) return -3;
  // comparisons and what takes two numbers
  if ((op >= 0x46 && op <= 0x4f) || (op >= 0x51 && op <= 0x66)) return -1;
  if ((op >= 0x6a && op <= 0x78) || (op >= 0x7c && op <= 0x8a)) return -1;
  if ((op >= 0x92 && op <= 0x98) || (op >= 0xa0 && op <= 0xa6)) return -1;
  return 0;
}

static void call(decoder *d, int op) {
  const uint32_t which = hki_bytes_u32(&d->b);
  const bool direct = op == HK_I_CALL;
  if (!direct) hki_bytes_u32(&d->b);
  const uint32_t most = (uint32_t)(direct ? d->m->nfunctions : d->m->ntypes);
  if (which >= most) {
    d->b.bad = true;
    return;
  }
  const hk_type *t = &d->m->types[direct ? d->m->functions[which].type : (int32_t)which];
  d->height += t->nresults - t->nparams - (direct ? 0 : 1);
  emit(d, (hk_ins){.op = (uint16_t)op, .a = (int32_t)which});
}

static void plain(decoder *d, int op) {
  hk_ins i = {.op = (uint16_t)op};
  hk_bytes *b = &d->b;
  if (op >= HK_I_LOCAL_GET && op <= HK_I_GLOBAL_SET) i.a = (int32_t)hki_bytes_u32(b);
  if (op >= HK_I_LOAD_FIRST && op <= 0x3e) hki_bytes_u32(b), i.imm = hki_bytes_u32(b);
  if (op == HK_I_MEMORY_SIZE || op == HK_I_MEMORY_GROW || op == HK_I_FILL) hki_bytes_skip(b, 1);
  if (op == HK_I_COPY) hki_bytes_skip(b, 2);
  if (op == HK_I_I32_CONST) i.imm = (uint32_t)hki_bytes_signed(b);
  if (op == HK_I_I64_CONST) i.imm = (uint64_t)hki_bytes_signed(b);
  if (op == HK_I_F64_CONST) i.imm = hki_bytes_u64(b);
  if (op == HK_I_F32_CONST) {
    for (int k = 0; k < 4; k++) i.imm |= (uint64_t)hki_bytes_u8(b) << (8 * k);
  }
  d->height += effect(op);
  emit(d, i);
}

static void step(decoder *d) {
  int op = hki_bytes_u8(&d->b);
  if (op == 0xfc) op = 0x100 + (int)hki_bytes_u32(&d->b);
  switch (op) {
    case HK_I_BLOCK:
    case HK_I_LOOP:
    case HK_I_IF:
      open_block(d, op);
      break;
    case HK_I_ELSE:
      turn_to_else(d);
      break;
    case HK_I_END:
      close_block(d);
      break;
    case HK_I_BR:
    case HK_I_BR_IF:
      if (op == HK_I_BR_IF) d->height--;
      emit(d, branch(d, op, hki_bytes_u32(&d->b)));
      if (op == HK_I_BR) d->dead = true;
      break;
    case HK_I_BR_TABLE:
      table_branch(d);
      break;
    case HK_I_RETURN:
      emit(d, branch(d, HK_I_BR, (uint32_t)d->depth - 1));
      d->dead = true;
      break;
    case HK_I_UNREACHABLE:
      emit(d, (hk_ins){.op = HK_I_UNREACHABLE});
      d->dead = true;
      break;
    case HK_I_CALL:
    case HK_I_CALL_INDIRECT:
      call(d, op);
      break;
    case 0x01:
      break;
    default:
      plain(d, op);
  }
}

/* branches that lead to labels lead to places */
static void resolve(decoder *d) {
  for (int32_t i = 0; i < d->n; i++) {
    hk_ins *x = &d->code[i];
    if (x->op == HK_I_BR || x->op == HK_I_BR_IF || x->op == HK_I_BR_UNLESS) x->a = d->place[x->a];
  }
  for (int32_t i = 0; i < d->nfields; i++) d->fields[i].a = d->place[d->fields[i].a];
}

static void read_locals(decoder *d) {
  const uint32_t groups = hki_bytes_u32(&d->b);
  d->f->nlocals = d->f->nparams;
  for (uint32_t i = 0; i < groups && !d->b.bad; i++) {
    const uint32_t n = hki_bytes_u32(&d->b);
    if (n > 100000) d->b.bad = true;
    d->f->nlocals += (int32_t)n;
    hki_bytes_skip(&d->b, 1);
  }
}

hk_status hki_module_decode(hk_module *m, hk_function *f) {
  if (f->code) return HK_OK;
  decoder *d = hki_alloc(m->ctx, sizeof *d);
  if (!d) return HK_E_MEMORY;
  d->m = m, d->f = f;
  d->b = (hk_bytes){f->body, f->body_end, false};
  read_locals(d);
  // the body is a block of its own, to whose end a return leads
  d->labels[0] = (label){.id = new_place(d), .other = -1, .results = m->types[f->type].nresults};
  d->depth = 1;
  while (!d->b.bad && d->depth > 0) step(d);
  emit(d, (hk_ins){.op = HK_I_END});
  const bool bad = d->b.bad;
  if (!bad) {
    resolve(d);
    f->code = d->code, f->n = d->n - 1;
    f->fields = d->fields, f->nfields = d->nfields;
  }
  hki_free(m->ctx, d);
  if (!bad) return HK_OK;
  return hki_error(m->ctx, HK_E_FILE, HK_LOC_NONE, NULL,
                   "the kernel for exports is damaged in '%s'", f->name);
}

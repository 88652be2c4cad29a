/* SPDX-License-Identifier: Apache-2.0
 *
 * machine_calls.c: functions of the C library that the machine carries out by itself: those of numbers become nodes, or
 * are taken from the C library at hand, so that what is known has the bits of the library; those that move memory
 * move what is known of it too.
 */
#include <math.h>
#include <string.h>

#include "codegen/machine.h"

typedef struct one {
  const char *name;
  double (*f)(double);
  hk_op op;
} one;

static const one ones[] = {
    {"sin", sin, HK_G_SIN},       {"cos", cos, HK_G_COS},       {"tan", tan, HK_G_TAN},
    {"asin", asin, HK_G_ASIN},    {"acos", acos, HK_G_ACOS},    {"atan", atan, HK_G_ATAN},
    {"sinh", sinh, HK_G_SINH},    {"cosh", cosh, HK_G_COSH},    {"tanh", tanh, HK_G_TANH},
    {"exp", exp, HK_G_EXP},       {"exp2", exp2, HK_G_EXP2},    {"expm1", expm1, HK_G_EXPM1},
    {"log", log, HK_G_LOG},       {"log10", log10, HK_G_LOG10}, {"log2", log2, HK_G_LOG2},
    {"log1p", log1p, HK_G_LOG1P}, {"cbrt", cbrt, HK_G_CBRT},
};

typedef struct two {
  const char *name;
  double (*f)(double, double);
  hk_op op;
} two;

static const two twos[] = {
    {"atan2", atan2, HK_G_ATAN2}, {"pow", pow, HK_G_POW},   {"hypot", hypot, HK_G_HYPOT},
    {"fmod", fmod, HK_G_FMOD},    {"fmin", fmin, HK_G_MIN}, {"fmax", fmax, HK_G_MAX},
};

static const char *const moves[] = {"memcpy", "memmove", "memset", "memcmp"};

enum {
  ONES = 1,
  TWOS = ONES + (int)(sizeof ones / sizeof ones[0]),
  MOVES = TWOS + (int)(sizeof twos / sizeof twos[0]),
  SINCOS = MOVES + (int)(sizeof moves / sizeof moves[0]),
  SEGMENT,
  REMAINDER
};

static int find(const char *name) {
  for (int i = 0; i < TWOS - ONES; i++)
    if (strcmp(ones[i].name, name) == 0) return ONES + i;
  for (int i = 0; i < MOVES - TWOS; i++)
    if (strcmp(twos[i].name, name) == 0) return TWOS + i;
  for (int i = 0; i < SINCOS - MOVES; i++)
    if (strcmp(moves[i], name) == 0) return MOVES + i;
  if (strcmp(name, "hki_table_segment") == 0) return SEGMENT;
  if (strcmp(name, "remainder") == 0) return REMAINDER;
  return strcmp(name, "sincos") == 0 ? SINCOS : 0;
}

/* a search with a known number is carried out as it is written */
bool hki_guest_takes(const hk_guest *m, int which, const hk_slot *args) {
  return which != SEGMENT || (args[1].node && !m->assume);
}

void hki_guest_find_builtins(hk_guest *m) {
  for (int32_t i = m->mod->nimports; i < m->mod->nfunctions; i++)
    m->builtin[i] = (uint8_t)find(m->mod->functions[i].name);
}

static hk_slot result(hk_guest *m, hk_node n, double example) {
  hk_slot s = hki_slot_of(example);
  s.node = n;
  if (hki_graph_is(m->g, n, HK_G_CONST)) return hki_slot_of(hki_graph_at(m->g, n)->value);
  return s;
}

static hk_slot call_one(hk_guest *m, const one *k, hk_slot x) {
  const double y = k->f(hki_slot_double(x));
  if (!x.node) return hki_slot_of(y);
  return result(m, hki_graph_op(m->g, k->op, hki_slot_real(m, x), 0, 0), y);
}

static hk_slot call_two(hk_guest *m, const two *k, hk_slot a, hk_slot b) {
  const double y = k->f(hki_slot_double(a), hki_slot_double(b));
  if (!a.node && !b.node) return hki_slot_of(y);
  return result(m, hki_graph_op(m->g, k->op, hki_slot_real(m, a), hki_slot_real(m, b), 0), y);
}

/* x - y (the whole number nearest to x/y); exact but for the rounding of the product */
static hk_slot call_remainder(hk_guest *m, hk_slot a, hk_slot b) {
  const double r = remainder(hki_slot_double(a), hki_slot_double(b));
  if (!a.node && !b.node) return hki_slot_of(r);
  const hk_node x = hki_slot_real(m, a), y = hki_slot_real(m, b);
  const hk_node k = hki_graph_op(m->g, HK_G_NEAREST, hki_graph_op(m->g, HK_G_DIV, x, y, 0), 0, 0);
  return result(m, hki_graph_op(m->g, HK_G_SUB, x, hki_graph_op(m->g, HK_G_MUL, k, y, 0), 0), r);
}

/* Memory is compared to find out whether something is known already (kinematics/kin.c). Values that depend on the state
 * are the same only where they are one node: then the library would find so for every state. */
static hk_status call_compare(hk_guest *m, uint32_t a, uint32_t b, uint32_t n, hk_slot *out) {
  if (n > m->size || a > m->size - n || b > m->size - n)
    return hki_guest_fail(m, "an address outside of its memory");
  int32_t r = memcmp(m->mem + a, m->mem + b, n);
  for (uint32_t i = 0; i < n && !r; i++) r = m->shadow[a + i] != m->shadow[b + i];
  *out = (hk_slot){.bits = (uint32_t)r};
  return HK_OK;
}

static hk_status call_move(hk_guest *m, int which, hk_slot *args, hk_slot *out) {
  for (int i = 0; i < 3; i++) hki_guest_settle(m, &args[i]);
  if (args[0].node || args[1].node || args[2].node)
    return hki_guest_fail(m, "a copy whose places depend on the state");
  const uint32_t to = (uint32_t)args[0].bits, n = (uint32_t)args[2].bits;
  if (which == 3) return call_compare(m, to, (uint32_t)args[1].bits, n, out);
  *out = args[0];
  if (which == 2) return hki_cells_fill(m, to, (int)args[1].bits, n);
  return hki_cells_copy(m, to, (uint32_t)args[1].bits, n);
}

hk_status hki_guest_builtin(hk_guest *m, int which, hk_slot *args, hk_slot *out) {
  if (which < TWOS) {
    *out = call_one(m, &ones[which - ONES], args[0]);
    return HK_OK;
  }
  if (which < MOVES) {
    *out = call_two(m, &twos[which - TWOS], args[0], args[1]);
    return HK_OK;
  }
  if (which == SEGMENT) return hki_guest_segment(m, args, out);
  if (which == REMAINDER) return *out = call_remainder(m, args[0], args[1]), HK_OK;
  if (which < SINCOS) return call_move(m, which - MOVES, args, out);
  hk_status st = hki_cells_store(m, (uint32_t)args[1].bits, 8, call_one(m, &ones[0], args[0]));
  if (st == HK_OK)
    st = hki_cells_store(m, (uint32_t)args[2].bits, 8, call_one(m, &ones[1], args[0]));
  return st;
}

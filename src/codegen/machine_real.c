/* SPDX-License-Identifier: Apache-2.0
 *
 * machine_real.c: instructions on numbers with a point, and between them and whole numbers. In the kernel all of them
 * are double; single ones are carried out only where they are known.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "codegen/machine.h"

hk_slot hki_slot_of(double x) {
  hk_slot s = {.real = true};
  memcpy(&s.bits, &x, sizeof x);
  return s;
}

double hki_slot_double(hk_slot s) {
  double x;
  memcpy(&x, &s.bits, sizeof x);
  return x;
}

static hk_node reals_of(hk_guest *m, hk_node n) {
  const hk_graph_node x = *hki_graph_at(m->g, n);
  if (x.op == HK_G_INT) {
    double v;
    memcpy(&v, &x.number, sizeof v);
    return hki_graph_const(m->g, v);
  }
  if (x.op != HK_G_CHOICE) return n;
  const hk_node a = reals_of(m, x.a[1]), b = reals_of(m, x.a[2]);
  return hki_graph_op(m->g, HK_G_SELECT, x.a[0], a, b);
}

hk_node hki_slot_real(hk_guest *m, hk_slot s) {
  if (!s.node) return hki_graph_const(m->g, hki_slot_double(s));
  return hki_graph_is_int(m->g, s.node) ? reals_of(m, s.node) : s.node;
}

hk_slot hki_slot_merge(hk_guest *m, hk_node condition, hk_slot a, hk_slot b) {
  if (a.bits == b.bits && a.node == b.node) return a;
  const bool real = a.real || b.real;
  hk_slot out = m->second ? b : a;
  out.real = real;
  if (real)
    out.node = hki_graph_op(m->g, HK_G_SELECT, condition, hki_slot_real(m, a), hki_slot_real(m, b));
  else
    out.node = hki_graph_op(m->g, HK_G_CHOICE, condition, hki_slot_int(m, a), hki_slot_int(m, b));
  if (!real && hki_graph_has_whole(m->g, out.node))
    out.node = hki_graph_whole(m->g, hki_graph_as_real(m->g, out.node), 1, 0);
  const hk_graph_node *x = hki_graph_at(m->g, out.node);
  if (x->op == HK_G_CONST) return hki_slot_of(x->value);
  if (x->op == HK_G_INT) return (hk_slot){.bits = (uint64_t)x->number};
  return out;
}

bool hki_is_real_op(int op) {
  return (op >= 0x5b && op <= 0x66) || (op >= 0x8b && op <= 0xa6) || (op >= 0xa8 && op <= 0xab) ||
         (op >= 0xae && op <= 0xbf) || (op >= 0x100 && op <= 0x107);
}

/* --- two numbers ------------------------------------------------------------------------------ */

/* add sub mul div min max copysign */
static double binary(int k, double a, double b) {
  switch (k) {
    case 0:
      return a + b;
    case 1:
      return a - b;
    case 2:
      return a * b;
    case 3:
      return a / b;
    case 4:
      return fmin(a, b);
    case 5:
      return fmax(a, b);
    default:
      return copysign(a, b);
  }
}

static const hk_op binary_ops[] = {HK_G_ADD, HK_G_SUB, HK_G_MUL,     HK_G_DIV,
                                   HK_G_MIN, HK_G_MAX, HK_G_COPYSIGN};

/* result of an operation on nodes as a value: known where the node is a number */
static hk_slot value_of(hk_guest *m, hk_node n, double example) {
  if (hki_graph_is(m->g, n, HK_G_CONST)) return hki_slot_of(hki_graph_at(m->g, n)->value);
  hk_slot s = hki_slot_of(example);
  s.node = n;
  return s;
}

static void do_binary(hk_guest *m, int k, hk_slot *a, const hk_slot *b) {
  const double x = binary(k, hki_slot_double(*a), hki_slot_double(*b));
  if (!a->node && !b->node) {
    *a = hki_slot_of(x);
    return;
  }
  const hk_node p = hki_slot_real(m, *a), q = hki_slot_real(m, *b);
  *a = value_of(m, hki_graph_op(m->g, binary_ops[k], p, q, 0), x);
}

/* --- comparisons: eq ne lt gt le ge ----------------------------------------------------------- */

static bool compare(int k, double a, double b) {
  switch (k) {
    case 0:
      return a == b;
    case 1:
      return a != b;
    case 2:
      return a < b;
    case 3:
      return a > b;
    case 4:
      return a <= b;
    default:
      return a >= b;
  }
}

/* numbers that depend on the state are taken to be finite; who steps looks at the results */
static bool beyond_all(hk_slot s) { return !s.node && !(fabs(hki_slot_double(s)) < DBL_MAX); }

static void do_compare(hk_guest *m, int k, hk_slot *a, const hk_slot *b) {
  const double x = hki_slot_double(*a), y = hki_slot_double(*b);
  const bool truth = compare(k, x, y);
  if (beyond_all(*a) || beyond_all(*b)) {
    *a = (hk_slot){.bits = compare(k, a->node ? 0.0 : x, b->node ? 0.0 : y)};
    return;
  }
  if (!a->node && !b->node) {
    *a = (hk_slot){.bits = truth};
    return;
  }
  const hk_node p = hki_slot_real(m, *a), q = hki_slot_real(m, *b);
  const bool swap = k == 3 || k == 5;
  const hk_op op = k < 2 ? HK_G_EQ : k < 4 ? HK_G_LT : HK_G_LE;
  hk_node n = hki_graph_op(m->g, op, swap ? q : p, swap ? p : q, 0);
  if (k == 1) n = hki_graph_op(m->g, HK_G_NOT, n, 0, 0);
  const hk_graph_node *g = hki_graph_at(m->g, n);
  *a = (hk_slot){.bits = g->op == HK_G_INT ? (uint64_t)g->number : truth,
                 .node = g->op == HK_G_INT ? 0 : n};
}

/* --- one number: abs neg ceil floor trunc nearest sqrt ---------------------------------------- */

static double unary(int k, double a) {
  switch (k) {
    case 0:
      return fabs(a);
    case 1:
      return -a;
    case 2:
      return ceil(a);
    case 3:
      return floor(a);
    case 4:
      return trunc(a);
    case 5:
      return nearbyint(a);
    default:
      return sqrt(a);
  }
}

static const hk_op unary_ops[] = {HK_G_ABS,   HK_G_NEG,     HK_G_CEIL, HK_G_FLOOR,
                                  HK_G_TRUNC, HK_G_NEAREST, HK_G_SQRT};

static void do_unary(hk_guest *m, int k, hk_slot *a) {
  const double x = unary(k, hki_slot_double(*a));
  if (!a->node) {
    *a = hki_slot_of(x);
    return;
  }
  *a = value_of(m, hki_graph_op(m->g, unary_ops[k], hki_slot_real(m, *a), 0, 0), x);
}

/* --- between kinds of numbers ----------------------------------------------------------------- */

static float single_of(hk_slot s) {
  float f;
  const uint32_t w = (uint32_t)s.bits;
  memcpy(&f, &w, sizeof f);
  return f;
}

static hk_slot of_single(float f) {
  uint32_t w;
  memcpy(&w, &f, sizeof w);
  return (hk_slot){.bits = w};
}

static double of_whole(int op, uint64_t x) {
  switch (op) {
    case 0xb7:
      return (double)(int32_t)x;
    case 0xb8:
      return (double)(uint32_t)x;
    case 0xb9:
      return (double)(int64_t)x;
    default:
      return (double)x;
  }
}

/* numbers at the leaves of a decision */
static hk_node leaves_of(hk_guest *m, int op, hk_node n) {
  const hk_graph_node x = *hki_graph_at(m->g, n);
  if (x.op != HK_G_CHOICE) return hki_graph_const(m->g, of_whole(op, (uint64_t)x.number));
  const hk_node a = leaves_of(m, op, x.a[1]), b = leaves_of(m, op, x.a[2]);
  return hki_graph_op(m->g, HK_G_SELECT, x.a[0], a, b);
}

static uint64_t to_whole(int op, double x) {
  const double t = isnan(x) ? 0.0 : trunc(x);
  const bool wide = op == 0xb0 || op == 0xb1 || (op >= 0x104 && op <= 0x107);
  const bool positive = op == 0xab || op == 0xb1 || op == 0x103 || op == 0x107;
  if (wide && positive)
    return t <= 0.0 ? 0 : t >= 18446744073709551616.0 ? UINT64_MAX : (uint64_t)t;
  if (wide)
    return (uint64_t)(t <= -9223372036854775808.0  ? INT64_MIN
                      : t >= 9223372036854775808.0 ? INT64_MAX
                                                   : (int64_t)t);
  if (positive) return t <= 0.0 ? 0 : t >= 4294967296.0 ? UINT32_MAX : (uint32_t)t;
  return (uint32_t)(t <= -2147483648.0 ? INT32_MIN : t >= 2147483648.0 ? INT32_MAX : (int32_t)t);
}

static hk_status convert(hk_guest *m, int op, hk_slot *a) {
  if (op == 0xbd || op == 0xbf) { // the same bits
    a->real = true;
    return HK_OK;
  }
  if (op >= 0xb7 && op <= 0xba) {
    const double x = of_whole(op, a->bits);
    if (!a->node)
      *a = hki_slot_of(x);
    else if (hki_graph_has_whole(m->g, a->node))
      *a = value_of(m, hki_graph_as_real(m->g, a->node), x);
    else
      *a = value_of(m, leaves_of(m, op, hki_slot_int(m, *a)), x);
    return HK_OK;
  }
  const bool truncates = op == 0xaa || op == 0xab || op == 0xb0 || op == 0xb1 || op == 0x102 ||
                         op == 0x103 || op == 0x106 || op == 0x107;
  if (a->node && truncates) {
    const hk_node whole = hki_graph_op(m->g, HK_G_TRUNC, hki_slot_real(m, *a), 0, 0);
    *a = (hk_slot){.bits = to_whole(op, hki_slot_double(*a)),
                   .node = hki_graph_whole(m->g, whole, 1, 0)};
    return HK_OK;
  }
  hki_guest_settle(m, a);
  if (a->node) return hki_guest_fail(m, "a single number that depends on the state");
  if (truncates)
    *a = (hk_slot){.bits = to_whole(op, hki_slot_double(*a))};
  else if (op == 0xb6)
    *a = of_single((float)hki_slot_double(*a));
  else if (op == 0xbb)
    *a = hki_slot_of((double)single_of(*a));
  else if (op == 0xbc || op == 0xbe)
    a->real = false;
  else
    return hki_guest_fail(m, "an instruction on single numbers");
  return HK_OK;
}

hk_status hki_guest_real(hk_guest *m, int op, hk_slot *s) {
  if (op >= 0x61 && op <= 0x66)
    do_compare(m, op - 0x61, s - 2, s - 1);
  else if (op >= 0xa0 && op <= 0xa6)
    do_binary(m, op - 0xa0, s - 2, s - 1);
  else if (op >= 0x99 && op <= 0x9f)
    do_unary(m, op - 0x99, s - 1);
  else if ((op >= 0xa8 && op <= 0xbf) || op >= 0x100)
    return convert(m, op, s - 1);
  else
    return hki_guest_fail(m, "an instruction on single numbers");
  return HK_OK;
}

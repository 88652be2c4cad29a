/* SPDX-License-Identifier: Apache-2.0
 *
 * machine_int.c: instructions on whole numbers. Those that depend on the state are decisions between known numbers; an
 * operation on them is carried out at every leaf.
 */
#include "codegen/machine.h"

enum { MOST_LEAVES = 300 };

/* --- known numbers ---------------------------------------------------------------------------- */

static uint32_t rotl32(uint32_t x, uint32_t k) {
  return k & 31 ? x << (k & 31) | x >> (32 - (k & 31)) : x;
}
static uint64_t rotl64(uint64_t x, uint64_t k) {
  return k & 63 ? x << (k & 63) | x >> (64 - (k & 63)) : x;
}

static int leading(uint64_t x, int bits) {
  int n = 0;
  for (int i = bits - 1; i >= 0 && !(x >> i & 1); i--) n++;
  return n;
}
static int trailing(uint64_t x, int bits) {
  int n = 0;
  for (int i = 0; i < bits && !(x >> i & 1); i++) n++;
  return n;
}
static int ones(uint64_t x) {
  int n = 0;
  for (; x; x &= x - 1) n++;
  return n;
}

/* comparisons: eq ne lt_s lt_u gt_s gt_u le_s le_u ge_s ge_u */
static uint64_t compare(int k, int64_t a, int64_t b) {
  const uint64_t x = (uint64_t)a, y = (uint64_t)b;
  switch (k) {
    case 0:
      return a == b;
    case 1:
      return a != b;
    case 2:
      return a < b;
    case 3:
      return x < y;
    case 4:
      return a > b;
    case 5:
      return x > y;
    case 6:
      return a <= b;
    case 7:
      return x <= y;
    case 8:
      return a >= b;
    default:
      return x >= y;
  }
}

/* add sub mul div_s div_u rem_s rem_u and or xor shl shr_s shr_u rotl rotr; false: division by zero */
static bool binary32(int k, uint32_t a, uint32_t b, uint64_t *out) {
  const int32_t x = (int32_t)a, y = (int32_t)b;
  if (k >= 3 && k <= 6 && b == 0) return false;
  if ((k == 3 || k == 5) && x == INT32_MIN && y == -1) return *out = k == 3 ? a : 0, true;
  const uint32_t all[] = {a + b,
                          a - b,
                          a * b,
                          0,
                          0,
                          0,
                          0,
                          a & b,
                          a | b,
                          a ^ b,
                          a << (b & 31),
                          (uint32_t)(x >> (b & 31)),
                          a >> (b & 31),
                          rotl32(a, b),
                          rotl32(a, 32 - (b & 31))};
  *out = k == 3   ? (uint32_t)(x / y)
         : k == 4 ? a / b
         : k == 5 ? (uint32_t)(x % y)
         : k == 6 ? a % b
                  : all[k];
  return true;
}

static bool binary64(int k, uint64_t a, uint64_t b, uint64_t *out) {
  const int64_t x = (int64_t)a, y = (int64_t)b;
  if (k >= 3 && k <= 6 && b == 0) return false;
  if ((k == 3 || k == 5) && x == INT64_MIN && y == -1) return *out = k == 3 ? a : 0, true;
  const uint64_t all[] = {a + b,
                          a - b,
                          a * b,
                          0,
                          0,
                          0,
                          0,
                          a & b,
                          a | b,
                          a ^ b,
                          a << (b & 63),
                          (uint64_t)(x >> (b & 63)),
                          a >> (b & 63),
                          rotl64(a, b),
                          rotl64(a, 64 - (b & 63))};
  *out = k == 3   ? (uint64_t)(x / y)
         : k == 4 ? a / b
         : k == 5 ? (uint64_t)(x % y)
         : k == 6 ? a % b
                  : all[k];
  return true;
}

/* number of operands of an instruction on whole numbers */
static int operands(int op) {
  const bool one = op == 0x45 || op == 0x50 || (op >= 0x67 && op <= 0x69) ||
                   (op >= 0x79 && op <= 0x7b) || op == 0xa7 || op == 0xac || op == 0xad ||
                   (op >= 0xc0 && op <= 0xc4);
  return one ? 1 : 2;
}

static uint64_t unary(int op, uint64_t a) {
  const uint32_t w = (uint32_t)a;
  switch (op) {
    case 0x45:
      return w == 0;
    case 0x50:
      return a == 0;
    case 0x67:
      return (uint64_t)leading(w, 32);
    case 0x68:
      return (uint64_t)trailing(w, 32);
    case 0x69:
      return (uint64_t)ones(w);
    case 0x79:
      return (uint64_t)leading(a, 64);
    case 0x7a:
      return (uint64_t)trailing(a, 64);
    case 0x7b:
      return (uint64_t)ones(a);
    case 0xa7:
      return w; // wrap
    case 0xac:
      return (uint64_t)(int64_t)(int32_t)w; // extend_i32_s
    case 0xad:
      return w; // extend_i32_u
    case 0xc0:
      return (uint32_t)(int32_t)(int8_t)a;
    case 0xc1:
      return (uint32_t)(int32_t)(int16_t)a;
    case 0xc2:
      return (uint64_t)(int64_t)(int8_t)a;
    case 0xc3:
      return (uint64_t)(int64_t)(int16_t)a;
    default:
      return (uint64_t)(int64_t)(int32_t)a;
  }
}

static bool known(int op, uint64_t a, uint64_t b, uint64_t *out) {
  if (operands(op) == 1) return *out = unary(op, a), true;
  if (op >= 0x46 && op <= 0x4f) {
    // signed comparisons see the sign, unsigned ones the same order in 64 bits
    const bool is_unsigned = op == 0x49 || op == 0x4b || op == 0x4d || op == 0x4f;
    const int64_t x = is_unsigned ? (int64_t)(uint32_t)a : (int32_t)a;
    const int64_t y = is_unsigned ? (int64_t)(uint32_t)b : (int32_t)b;
    return *out = compare(op - 0x46, x, y), true;
  }
  if (op >= 0x51 && op <= 0x5a) return *out = compare(op - 0x51, (int64_t)a, (int64_t)b), true;
  if (op >= 0x6a && op <= 0x78) return binary32(op - 0x6a, (uint32_t)a, (uint32_t)b, out);
  if (op >= 0x7c && op <= 0x8a) return binary64(op - 0x7c, a, b, out);
  return false;
}

/* --- decisions -------------------------------------------------------------------------------- */

typedef struct apply {
  hk_guest *m;
  int op, left; /* leaves that may still be made */
  bool failed;
} apply;

static hk_node at_leaves(apply *p, hk_node a, hk_node b) {
  hk_graph *g = p->m->g;
  const hk_graph_node x = *hki_graph_at(g, a), y = *hki_graph_at(g, b);
  if (p->failed || p->left <= 0) return p->failed = true, a;
  if (x.op == HK_G_CHOICE) {
    const hk_node yes = at_leaves(p, x.a[1], b), no = at_leaves(p, x.a[2], b);
    return hki_graph_op(g, HK_G_CHOICE, x.a[0], yes, no);
  }
  if (y.op == HK_G_CHOICE) {
    const hk_node yes = at_leaves(p, a, y.a[1]), no = at_leaves(p, a, y.a[2]);
    return hki_graph_op(g, HK_G_CHOICE, y.a[0], yes, no);
  }
  uint64_t out = 0;
  if (p->left-- <= 0 || x.op != HK_G_INT || y.op != HK_G_INT ||
      !known(p->op, (uint64_t)x.number, (uint64_t)y.number, &out))
    p->failed = true;
  return hki_graph_int(g, (int64_t)out);
}

/* the bits of a number with a point: its sign, and its absolute value */
static bool bits_of_real(hk_guest *m, int op, hk_slot *a, const hk_slot *b, hk_slot *out) {
  const hk_node x = a->node;
  if (b->node || !x || hki_graph_kind[hki_graph_at(m->g, x)->op] != 'R') return false;
  const hk_node zero = hki_graph_const(m->g, 0.0);
  if (op == 0x83 && b->bits == 0x7fffffffffffffffu) {
    out->node = hki_graph_op(m->g, HK_G_ABS, x, 0, 0);
    out->real = true;
    return true;
  }
  if (b->bits == 0 && (op == 0x53 || op == 0x59)) {
    out->node = hki_graph_op(m->g, HK_G_LT, x, zero, 0);
    if (op == 0x59) out->node = hki_graph_op(m->g, HK_G_NOT, out->node, 0, 0);
    return true;
  }
  return false;
}

/* --- whole numbers made of numbers: places in tables ------------------------------------------- */

/* the signed value of a known operand */
static int64_t signed_of(int op, const hk_slot *s) {
  const bool wide = (op >= 0x50 && op <= 0x5a) || (op >= 0x79 && op <= 0x8a);
  return wide ? (int64_t)s->bits : (int32_t)s->bits;
}

/* mul x + add with a known number beside it; 0: not of this form */
static hk_node linear(hk_guest *m, int op, const hk_slot *a, const hk_slot *b) {
  hk_graph *g = m->g;
  if (op == 0xa7 || op == 0xac || op == 0xad) return a->node; // of other width
  const hk_slot *w = a->node ? a : b, *k = a->node ? b : a;
  if (k->node || !hki_graph_is(g, w->node, HK_G_WHOLE)) return 0;
  const hk_graph_node x = *hki_graph_at(g, w->node);
  const int64_t c = signed_of(op, k), mul = x.number, add = (int64_t)x.value;
  const int kind = op >= 0x7c ? op - 0x7c : op - 0x6a;
  if (kind == 0) return hki_graph_whole(g, x.a[0], mul, add + c);
  if (kind == 1 && w == a) return hki_graph_whole(g, x.a[0], mul, add - c);
  if (kind == 1) return hki_graph_whole(g, x.a[0], -mul, c - add);
  if (kind == 2) return hki_graph_whole(g, x.a[0], mul * c, add * c);
  if (kind == 10 && w == a && c >= 0 && c < 31)
    return hki_graph_whole(g, x.a[0], mul << c, add << c);
  return 0;
}

/* comparisons as those of numbers */
static hk_node compared(hk_guest *m, int op, const hk_slot *a, const hk_slot *b) {
  hk_graph *g = m->g;
  const int k = op >= 0x51 ? op - 0x51 : op - 0x46;
  const hk_node x = a->node ? hki_graph_as_real(g, hki_slot_int(m, *a))
                            : hki_graph_const(g, (double)signed_of(op, a));
  const hk_node y = b->node ? hki_graph_as_real(g, hki_slot_int(m, *b))
                            : hki_graph_const(g, (double)signed_of(op, b));
  const bool swap = k == 4 || k == 5 || k == 8 || k == 9;
  const hk_op which = k < 2 ? HK_G_EQ : k < 6 ? HK_G_LT : HK_G_LE;
  hk_node n = hki_graph_op(g, which, swap ? y : x, swap ? x : y, 0);
  if (k == 1) n = hki_graph_op(g, HK_G_NOT, n, 0, 0);
  return n;
}

/* an instruction of which an operand is such a number; false: none is */
static bool whole(hk_guest *m, int op, const hk_slot *a, const hk_slot *b, hk_slot *out,
                  bool *failed) {
  if (!(a->node && hki_graph_has_whole(m->g, a->node)) &&
      !(b->node && hki_graph_has_whole(m->g, b->node)))
    return false;
  const hk_slot zero = {0};
  if (op == 0x45 || op == 0x50)
    out->node = compared(m, op == 0x45 ? 0x46 : 0x51, a, &zero);
  else if ((op >= 0x46 && op <= 0x4f) || (op >= 0x51 && op <= 0x5a))
    out->node = compared(m, op, a, b);
  else
    out->node = linear(m, op, a, b);
  *failed = !out->node;
  if (out->node && hki_graph_is(m->g, out->node, HK_G_INT))
    out->bits = (uint64_t)hki_graph_at(m->g, out->node)->number, out->node = 0;
  return true;
}

hk_node hki_slot_int(hk_guest *m, hk_slot s) {
  if (!s.node) return hki_graph_int(m->g, (int64_t)s.bits);
  return hki_graph_of_truth(m->g, s.node);
}

hk_status hki_guest_int(hk_guest *m, int op, hk_slot *s) {
  const int n = operands(op);
  hk_slot *a = s - n, zero = {0}, *b = n == 2 ? s - 1 : &zero;
  const hk_slot first = *a;
  uint64_t out = 0;
  const bool good = known(op, a->bits, b->bits, &out);
  if (!a->node && !b->node) {
    if (!good) return hki_guest_fail(m, "an instruction that is not known, or a division by zero");
    *a = (hk_slot){.bits = out};
    return HK_OK;
  }
  hk_slot r = {.bits = out};
  if (bits_of_real(m, op, a, b, &r)) return *a = r, HK_OK;
  if (m->assume && op != 0x45) {
    hki_guest_settle(m, a), hki_guest_settle(m, b);
    if (!good) return hki_guest_fail(m, "a division by zero");
    return *a = (hk_slot){.bits = out}, HK_OK;
  }
  bool failed = false;
  if (whole(m, op, a, b, &r, &failed)) {
    if (failed)
      return hki_guest_fail(m, "a place in a table found in a way that cannot be followed");
    return *a = r, HK_OK;
  }
  apply p = {m, op, MOST_LEAVES, false};
  const hk_node x = hki_slot_int(m, first), y = hki_slot_int(m, *b);
  if (!hki_graph_is_int(m->g, x) || !hki_graph_is_int(m->g, y))
    return hki_guest_fail(m, "the bits of a number that depends on the state");
  const hk_node made = at_leaves(&p, x, y);
  // nobody may ask for it, but most of these are counters that nobody asks for
  if (p.failed) return a->node = hki_graph_op(m->g, HK_G_LOST, 0, 0, 0), HK_OK;
  r.node = hki_graph_is(m->g, made, HK_G_INT) ? 0 : made;
  if (!r.node) r.bits = (uint64_t)hki_graph_at(m->g, made)->number;
  *a = r;
  return HK_OK;
}

/* --- leaves ----------------------------------------------------------------------------------- */

typedef struct walk {
  hk_guest *m;
  uint64_t *leaf;
  hk_node *condition;
  int cap, n;
} walk;

static void walk_leaves(walk *w, hk_node n, hk_node condition) {
  const hk_graph_node x = *hki_graph_at(w->m->g, n);
  hk_graph *g = w->m->g;
  const hk_known is = x.op == HK_G_CHOICE ? hki_graph_known(g, x.a[0]) : HK_KNOWN_NOT;
  if (is != HK_KNOWN_NOT) {
    walk_leaves(w, x.a[is == HK_KNOWN_TRUE ? 1 : 2], condition);
    return;
  }
  if (x.op == HK_G_CHOICE) {
    const hk_node no = hki_graph_op(g, HK_G_NOT, x.a[0], 0, 0);
    walk_leaves(w, x.a[1], hki_graph_op(g, HK_G_AND, condition, x.a[0], 0));
    walk_leaves(w, x.a[2], hki_graph_op(g, HK_G_AND, condition, no, 0));
    return;
  }
  if (x.op != HK_G_INT && w->n <= w->cap) w->n = w->cap + 1; // one that nobody may ask for
  for (int i = 0; i < w->n && w->n <= w->cap; i++) {
    if (w->leaf[i] != (uint64_t)x.number) continue;
    w->condition[i] = hki_graph_op(g, HK_G_OR, w->condition[i], condition, 0);
    return;
  }
  if (w->n < w->cap) w->leaf[w->n] = (uint64_t)x.number, w->condition[w->n] = condition;
  w->n++;
}

hk_status hki_guest_leaves(hk_guest *m, hk_node n, uint64_t *leaf, hk_node *condition, int cap,
                           int *count) {
  walk w = {m, leaf, condition, cap, 0};
  walk_leaves(&w, hki_graph_of_truth(m->g, n), hki_graph_int(m->g, 1));
  *count = w.n;
  return w.n <= cap ? HK_OK
                    : hki_guest_fail(m, "an address that depends on the state in too many ways");
}

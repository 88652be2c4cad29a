/* SPDX-License-Identifier: Apache-2.0
 *
 * lanes_wide.c: the program of an expression on four lanes, for processors with AVX2: the operations of lanes.c in the same
 * order, a vector of four in the place of a loop, the same bits.
 */
#include "base/wide.h"
#include "expr/lanes.h"

#if HKI_WIDE && (defined(__clang__) || __GNUC__ >= 12)

bool hki_expr_lanes_here(void) { return hki_wide_here(); }

HKI_WIDE_BEGIN
typedef double four __attribute__((vector_size(32)));
typedef long long mask __attribute__((vector_size(32)));
typedef double loose __attribute__((vector_size(32), aligned(8), may_alias));
typedef hki_expr_lanes frame;

typedef struct jet {
  four v, d, dd;
} jet;

static inline four get(const double *p) { return (four) * (const loose *)p; }
static inline void put(double *p, four x) { *(loose *)p = (loose)x; }

static inline jet load(const frame *f, int32_t i) {
  const hki_expr_lane *r = &f->r[i];
  const four none = {0};
  if (f->flat[i]) return (jet){get(r->v), none, none};
  return (jet){get(r->v), get(r->d), get(r->dd)};
}

static inline void store(frame *f, int32_t i, jet x) {
  hki_expr_lane *r = &f->r[i];
  put(r->v, x.v), put(r->d, x.d), put(r->dd, x.dd);
}

/* a where m, else b */
static inline four select4(mask m, four a, four b) {
  return (four)(((mask)a & m) | ((mask)b & ~m));
}

/* hki_expr_times */
static inline four times(four a, four b) {
  const four none = {0};
  return (four)((mask)(a * b) & ~((mask)(a == none) | (mask)(b == none)));
}

/* the smaller or larger of both, as in lanes.c */
static inline bool choose(frame *f, const hk_expr_instr *i) {
  const bool fa = f->flat[i->a], fb = f->flat[i->b];
  const four x = get(f->r[i->a].v), y = get(f->r[i->b].v), zero = {0};
  const mask nan = (mask)(x != x);
  const mask first = nan | (i->op == OP_MIN ? (mask)(x <= y) : (mask)(x >= y));
  const long long all = first[0] & first[1] & first[2] & first[3];
  const long long any = first[0] | first[1] | first[2] | first[3];
  const bool flat = (fa || !any) && (fb || all);
  put(f->r[i->dst].v, select4(first, x, y));
  if (flat) return true;
  hki_expr_lane *r = &f->r[i->dst];
  const jet a = load(f, i->a), b = load(f, i->b);
  put(r->d, select4(first, a.d, b.d) + zero);
  put(r->dd, select4(first, a.dd, b.dd) + zero);
  return false;
}

static inline jet quotient(jet x, jet y, bool flat) {
  jet r = {.v = x.v / y.v};
  if (flat) {
    r.d = x.d / y.v, r.dd = x.dd / y.v;
    return r;
  }
  r.d = (x.d - times(r.v, y.d)) / y.v;
  r.dd = (x.dd - 2.0 * times(r.d, y.d) - times(r.v, y.dd)) / y.v;
  return r;
}

/* sum, difference, product, quotient; true: the result is flat */
static inline bool arithmetic(frame *f, const hk_expr_instr *i) {
  if (f->flat[i->a] && f->flat[i->b] && i->op != OP_DIV) {
    const four x = get(f->r[i->a].v), y = get(f->r[i->b].v);
    put(f->r[i->dst].v, i->op == OP_ADD ? x + y : i->op == OP_SUB ? x - y : x * y);
    return true;
  }
  const jet x = load(f, i->a), y = load(f, i->b);
  jet r;
  if (i->op == OP_ADD)
    r = (jet){x.v + y.v, x.d + y.d, x.dd + y.dd};
  else if (i->op == OP_SUB)
    r = (jet){x.v - y.v, x.d - y.d, x.dd - y.dd};
  else if (i->op == OP_MUL)
    r = (jet){x.v * y.v, times(x.d, y.v) + times(x.v, y.d),
              times(x.dd, y.v) + 2.0 * times(x.d, y.d) + times(x.v, y.dd)};
  else
    r = quotient(x, y, f->flat[i->b]);
  store(f, i->dst, r);
  return false;
}

void hki_expr_lanes_wide(const hk_expr *e, hki_expr_lanes *f) {
  const hk_expr_instr *end = e->code + e->n_code;
  for (const hk_expr_instr *i = e->code; i < end; i++) {
    if (i->op >= OP_ADD && i->op <= OP_DIV)
      f->flat[i->dst] = arithmetic(f, i);
    else if (i->op == OP_MIN || i->op == OP_MAX)
      f->flat[i->dst] = choose(f, i);
    else
      f->flat[i->dst] = hki_expr_lanes_other(f, i);
  }
}
HKI_WIDE_END

#else
bool hki_expr_lanes_here(void) { return false; }
void hki_expr_lanes_wide(const hk_expr *e, hki_expr_lanes *f) { (void)e, (void)f; }
#endif

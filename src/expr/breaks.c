/* SPDX-License-Identifier: Apache-2.0
 *
 * breaks.c: the times at which an expression may jump or bend.
 *
 * A switch is a term that changes the branch of an operation when it passes a level:
 *
 *   P(rate*x + shift) = level     x one input, P the identity, sin, cos, fmod, or whole numbers
 *   x_k = (u_k - shift)/rate      with P(u_k) = level
 *
 * A jump is then moved, by bisection on the instructions of its operation, to the first number of
 * its new side, and a kink to the first number with the new slope. So rounding in the closed form or
 * in the program cannot put the end of a step on the wrong side of the jump.
 */
#include "expr/expr_impl.h"

#include <float.h>
#include <math.h>

#define PI 3.14159265358979323846

/* --- at compile time -------------------------------------------------------------------------- */

/* the switch at which the form g is zero */
static hk_expr_switch zero_of(const hk_expr_parser *p, hk_expr_linear g) {
  hk_expr_switch s = {.wave = WAVE_NONE, .slot = -1};
  if (g.c1 == 0.0 || !isfinite(g.c0) || !isfinite(g.c1)) return s;
  if (g.basis >= 0) {
    s.slot = g.basis;
    s.rate = g.c1;
    s.shift = g.c0;
  } else if (g.basis <= HKI_BASIS_WAVE(0)) {
    const hk_expr_node *wave = &p->nodes[-10 - g.basis];
    hk_expr_linear u = p->nodes[wave->arg[0]].lin.form[0];
    if (u.c1 == 0.0 || !isfinite(u.c0) || !isfinite(u.c1)) return s;
    s.slot = u.basis;
    s.rate = u.c1;
    s.shift = u.c0;
    s.level = -g.c0 / g.c1;
    s.wave = wave->op == OP_SIN ? WAVE_SIN : wave->op == OP_COS ? WAVE_COS : WAVE_FMOD;
    s.period = 2.0 * PI;
    if (s.wave == WAVE_FMOD) s.period = fabs(p->nodes[wave->arg[1]].value);
    if (s.period == 0.0 || !isfinite(s.level)) s.slot = -1;
  }
  return s;
}

typedef struct switch_list {
  int32_t n;
  hk_expr_switch *out;
} switch_list;

static void add_switch(switch_list *list, hk_expr_switch s) {
  if (s.slot >= 0) list->out[list->n++] = s;
}

/* adds the switches u = level + k*period, k whole, for each form u of a */
static void add_wholes(const hk_expr_parser *p, switch_list *list, const hk_expr_forms *a,
                       double level, double period) {
  for (int32_t i = 0; i < a->n && period != 0.0; i++) {
    hk_expr_switch s = zero_of(p, a->form[i]);
    if (s.wave != WAVE_NONE) continue;
    s.wave = WAVE_WHOLE;
    s.level = level;
    s.period = period;
    add_switch(list, s);
  }
}

/* adds the switches a = b for each pair of forms; bends: these are kinks, not jumps */
static void add_zeros(const hk_expr_parser *p, switch_list *list, const hk_expr_forms *a,
                      const hk_expr_forms *b, bool bends) {
  for (int32_t i = 0; i < a->n; i++) {
    for (int32_t j = 0; j < b->n; j++) {
      hk_expr_linear g;
      if (!hki_expr_linear_sum(a->form[i], b->form[j], -1.0, &g)) continue;
      hk_expr_switch s = zero_of(p, g);
      if (bends) s.first = -1;
      add_switch(list, s);
    }
  }
}

int32_t hki_expr_node_switches(const hk_expr_parser *p, int32_t i,
                               hk_expr_switch out[HKI_EXPR_SWITCHES]) {
  const hk_expr_node *n = &p->nodes[i];
  const hk_expr_forms zero = {.n = 1, .form = {{0.0, 0.0, HKI_BASIS_NONE}}};
  const hk_expr_forms *a = &p->nodes[n->arg[0]].lin;
  const hk_expr_forms *b = HKI_EXPR_IS_BINARY(n->op) ? &p->nodes[n->arg[1]].lin : &zero;
  bool b_number = b->n == 1 && b->form[0].basis == HKI_BASIS_NONE;
  double size = fabs(b->form[0].c0);
  switch_list list = {.out = out};
  switch (n->op) {
    case OP_LT:
    case OP_LE:
    case OP_GT:
    case OP_GE:
    case OP_STEP:
    case OP_SIGN:
      add_zeros(p, &list, a, b, false);
      break;
    // these have kinks but no jumps, or differ at one number only
    case OP_EQ:
    case OP_NE:
    case OP_MIN:
    case OP_MAX:
    case OP_ABS:
    case OP_RAMP:
      add_zeros(p, &list, a, b, true);
      break;
    case OP_FLOOR:
    case OP_CEIL:
    case OP_TRUNC:
      add_wholes(p, &list, a, 0.0, 1.0);
      break;
    case OP_ROUND:
      add_wholes(p, &list, a, 0.5, 1.0);
      break;
    case OP_FMOD:
      if (b_number) add_wholes(p, &list, a, 0.0, size);
      break;
    case OP_REMAINDER:
      if (b_number) add_wholes(p, &list, a, 0.5 * size, size);
      break;
    default:
      break;
  }
  return list.n;
}

/* --- at run time ------------------------------------------------------------------------------ */

/* the search for the first break behind t0 */
typedef struct search {
  const hk_expr *e;
  double t0, best; /* best: INFINITY as long as none is found */
} search;

/* value of the switch's operation with its input at x */
static double switch_value(const hk_expr *e, const hk_expr_switch *s, double x) {
  double r[HK_EXPR_MAX_FRAME];
  for (int32_t i = 0; i < e->n_consts; i++) r[i] = e->consts[i];
  for (int32_t i = 0; i < e->n_inputs; i++) r[e->n_consts + i] = e->slots[i] == s->slot ? x : 0.0;
  hki_expr_run(e->code, s->first, s->last, r);
  return r[s->reg];
}

/* move x to the first number behind the jump; false when there is no jump near x */
static bool polish(const hk_expr *e, const hk_expr_switch *s, double *x) {
  double size = s->wave == WAVE_WHOLE ? 0.5 * (s->period < 1.0 ? s->period : 1.0) : 0.5;
  double d = 4.0 * DBL_EPSILON * fabs(*x), limit = 1e-9 * (fabs(*x) > 1.0 ? fabs(*x) : 1.0);
  double lo = *x, hi = *x, v_lo = 0.0, v_hi = 0.0;
  if (d == 0.0) d = 1e-18;
  for (; d <= limit; d *= 16.0) {
    lo = *x - d;
    hi = *x + d;
    v_lo = switch_value(e, s, lo);
    v_hi = switch_value(e, s, hi);
    if (fabs(v_hi - v_lo) > size) break;
  }
  if (!(fabs(v_hi - v_lo) > size)) return false;
  // try the closed form itself, then bisect
  double below = nextafter(*x, -HUGE_VAL), v = switch_value(e, s, *x);
  double v_below = switch_value(e, s, below);
  if (fabs(v - v_hi) < fabs(v - v_lo) && fabs(v_below - v_lo) < fabs(v_below - v_hi)) return true;
  for (int32_t k = 0; k < 100; k++) {
    double mid = lo + 0.5 * (hi - lo);
    if (mid <= lo || mid >= hi) break;
    v = switch_value(e, s, mid);
    if (fabs(v - v_hi) < fabs(v - v_lo)) {
      hi = mid;
    } else {
      lo = mid;
    }
  }
  *x = hi;
  return true;
}

/* slope of the whole expression in the switch's input at x, the other inputs 0 */
static double slope(const hk_expr *e, const hk_expr_switch *s, double x) {
  double in[HK_EXPR_MAX_FRAME], out[3];
  for (int32_t i = 0; i < e->n_inputs; i++) in[e->slots[i]] = e->slots[i] == s->slot ? x : 0.0;
  hki_expr_eval_jet(e, in, s->slot, out);
  return out[1];
}

/* the first number above lo, up to hi, whose slope is `m` (same) or is not (else), within tol */
static double first_slope(const search *c, const hk_expr_switch *s, double lo, double hi, double m,
                          double tol, bool same) {
  for (int32_t k = 0; k < 100; k++) {
    double mid = lo + 0.5 * (hi - lo);
    if (mid <= lo || mid >= hi) break;
    *((fabs(slope(c->e, s, mid) - m) <= tol) == same ? &hi : &lo) = mid;
  }
  return hi;
}

/* Move x to the first number behind t0 at which a kink has left its old slope or has its new one:
 * abs has neither of both at its kink. Where nothing bends x stays. */
static void polish_kink(const search *c, const hk_expr_switch *s, double *x) {
  const hk_expr *e = c->e;
  for (int32_t i = 0; i < e->n_inputs; i++)
    if (e->slots[i] >= HK_EXPR_MAX_FRAME) return;
  const double d = fmax(16.0 * DBL_EPSILON * fabs(*x), DBL_MIN);
  const double lo = *x - d, hi = *x + d, m_lo = slope(e, s, lo), m_hi = slope(e, s, hi);
  const double tol = 1e-6 * fabs(m_hi - m_lo);
  if (!(fabs(m_hi - m_lo) > 1e-9 * (fabs(m_hi) + fabs(m_lo)))) return;
  *x = first_slope(c, s, lo, hi, m_lo, tol, false);
  if (*x <= c->t0) *x = first_slope(c, s, lo, hi, m_hi, tol, true);
}

/* *x: the break at u, where the switch has its level; false: no break */
static bool root(const search *c, const hk_expr_switch *s, double u, double *x) {
  *x = (u - s->shift) / s->rate;
  if (!isfinite(*x)) return false;
  if (s->first >= 0) return polish(c->e, s, x);
  polish_kink(c, s, x);
  return true;
}

static void keep(search *c, double x) {
  if (x > c->t0 && x < c->best) c->best = x;
}

/* the first of all u = offset + k*period with k whole */
static void next_of_comb(search *c, const hk_expr_switch *s, double offset) {
  enum { TRIES = 8 };
  double from = (s->rate * c->t0 + s->shift - offset) / s->period;
  double dir = s->rate > 0.0 ? 1.0 : -1.0, x = 0.0;
  double k = dir > 0.0 ? floor(from) : ceil(from);
  // fmod keeps the sign of its argument
  bool up = s->wave == WAVE_FMOD && s->level > 0.0, down = s->wave == WAVE_FMOD && s->level < 0.0;
  if (!isfinite(k)) return;
  if (up && dir > 0.0 && k < 0.0) k = 0.0;
  if (down && dir < 0.0 && k > 0.0) k = 0.0;
  for (int32_t n = 0; n < TRIES; n++, k += dir) {
    if ((up && k < 0.0) || (down && k > 0.0)) return;
    bool jumps = root(c, s, offset + k * s->period, &x);
    if (jumps && x > c->t0) {
      keep(c, x);
      return;
    }
  }
  // nothing jumps at so many roots in a row: the last counts as a break, and the search goes on there
  keep(c, x);
}

bool hki_expr_repeats(const hk_expr *e) {
  bool all = e->n_switches > 0;
  for (int32_t i = 0; i < e->n_switches; i++) all = all && e->switches[i].wave != WAVE_NONE;
  return all;
}

double hki_expr_next_break(const hk_expr *e, int32_t slot, double t) {
  search c = {.e = e, .t0 = t, .best = INFINITY};
  double x;
  for (int32_t i = 0; i < e->n_switches; i++) {
    const hk_expr_switch *s = &e->switches[i];
    if (s->slot != slot) continue;
    switch (s->wave) {
      case WAVE_NONE:
        if (root(&c, s, s->level, &x)) keep(&c, x);
        break;
      case WAVE_SIN:
        if (fabs(s->level) > 1.0) break;
        next_of_comb(&c, s, asin(s->level));
        next_of_comb(&c, s, PI - asin(s->level));
        break;
      case WAVE_COS:
        if (fabs(s->level) > 1.0) break;
        next_of_comb(&c, s, acos(s->level));
        next_of_comb(&c, s, -acos(s->level));
        break;
      case WAVE_FMOD:
        if (fabs(s->level) < s->period) next_of_comb(&c, s, s->level);
        break;
      case WAVE_WHOLE:
        next_of_comb(&c, s, s->level);
        break;
    }
  }
  return c.best;
}

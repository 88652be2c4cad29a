/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_states.c: signals with continuous states. Each state x is an unknown of the network with
 * dx/dt = its rate, so that it runs beside every formulation; the value of the signal is an
 * expression of its states and of its operand u. With w = 2 pi f:
 *
 *   integral            x' = u                                               y = x
 *   derivative          x' = (u - x)/T                                       y = (u - x)/T
 *                       without T: the rate of a signal of time, as it is
 *   filter, order 1     x' = w (u - x)                          low  y = x   high  y = u - x
 *           order 2     x1' = x2                                low  y = x1
 *                       x2' = w^2 (u - x1) - 2 z w x2           high y = u - x1 - (2 z/w) x2
 *   transfer_function   (b_m s^m + .. + b_0)/(a_n s^n + .. + a_0), a_n made 1, b_n = 0 where m < n:
 *                       x_i' = x_(i+1), x_n' = u - sum a_i x_(i+1)
 *                       y = sum (b_i - b_n a_i) x_(i+1) + b_n u
 *   state_space         x' = A x + B u                                       y = C x + D u
 *   pid                 y0 = p u + x + d r,  y = y0 held between the limits
 *                       x' = i u + (y - y0)/W                 W: `windup`, the time in which the
 *                                                             integral forgets what was cut off
 *                       r: `rate`, or filtered: z' = (u - z)/T, r = (u - z)/T
 *
 * Sources: K. J. Astrom and T. Hagglund, PID controllers, 2nd edition, ISA 1995 (back calculation);
 * T. Kailath, Linear systems, Prentice-Hall 1980 (controllable form).
 */
#include "language/reader_signals.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STATES = 64, OPERANDS = 16 };

/* --- states and expressions ------------------------------------------------------------------- */

/* a signal with its states while it is made */
typedef struct maker {
  const hk_rd_signal_in *in;
  int32_t n, state[STATES]; /* indices among the forces */
  int32_t nu;
  double constant[OPERANDS]; /* operands that are numbers, */
  int32_t signal[OPERANDS];  /* others: signals; HK_NONE: the number */
} maker;

/* the expression being written: its text over inputs k0, k1 .. */
typedef struct writer {
  maker *m;
  hk_text text;
  hk_read reads[STATES + OPERANDS];
  int32_t n;
} writer;

static void write_begin(writer *w, maker *m) {
  *w = (writer){.m = m};
  hki_text_init(&w->text, m->in->rd->ctx);
}

static void write_read(writer *w, hk_read r) {
  w->reads[w->n] = r;
  hki_text_printf(&w->text, "k%d", (int)w->n++);
}

static void write_state(writer *w, int32_t i) {
  const hk_channel c = {HK_CH_FORCE_OUTPUT, 0, w->m->state[i]};
  write_read(w, (hk_read){.kind = HK_READ_CHANNEL, .signal = HK_NONE, .channel = c});
}

static void write_operand(writer *w, int32_t i) {
  const maker *m = w->m;
  if (m->signal[i] == HK_NONE)
    hki_text_printf(&w->text, "(%.17g)", m->constant[i]);
  else
    write_read(w, (hk_read){.kind = HK_READ_SIGNAL, .signal = m->signal[i]});
}

/* " + factor * " before a state or operand */
static void write_factor(writer *w, double factor) {
  hki_text_printf(&w->text, "%s(%.17g)*", w->text.len ? " + " : "", factor);
}

/* the expression into a signal */
static bool write_end(writer *w, hk_spec_signal *out) {
  hk_reader *rd = w->m->in->rd;
  if (!w->text.len) hki_text_add(&w->text, "0");
  hk_read *r = hki_pool_alloc(rd->spec->pool, (size_t)(w->n + 1) * sizeof *r);
  if (r) memcpy(r, w->reads, (size_t)w->n * sizeof *r);
  out->expr = r ? hki_rd_expr_slots(rd, w->text.s, w->text.len, out->loc) : NULL;
  out->reads = r;
  out->nreads = w->n;
  hki_text_free(&w->text);
  return out->expr != NULL;
}

/* the expression into a signal of its own; its index, HK_NONE: out of memory */
static int32_t write_signal(writer *w, const char *name) {
  hk_reader *rd = w->m->in->rd;
  int32_t k = name ? hki_rd_signal_new(rd, w->m->in->s, name, w->m->in->out->loc, false) : HK_NONE;
  if (k < 0) {
    hki_text_free(&w->text);
    return HK_NONE;
  }
  hk_spec_signal s = rd->signals[k].s;
  if (!write_end(w, &s)) return HK_NONE;
  rd->signals[k].s = s;
  rd->signals[k].state = HK_RD_DONE;
  return k;
}

/* the expression into the rate of state i */
static bool write_rate(writer *w, int32_t i) {
  hk_reader *rd = w->m->in->rd;
  const int32_t k =
      write_signal(w, hki_pool_printf(rd->pool, "%s.rate%d", w->m->in->out->name, (int)i + 1));
  if (k != HK_NONE) rd->spec->forces[w->m->state[i]].u_signal[0] = k;
  return k != HK_NONE;
}

/* --- keys ------------------------------------------------------------------------------------- */

/* a number under a key; its default where the key is left out */
static bool number(maker *m, const hk_param *keys, const char *key, double *out) {
  const hk_param *p = hki_params_find(keys, key);
  const hk_node *v = hki_node_get(m->in->value, key);
  *out = p->def;
  return !v || hki_rd_ranged(m->in->rd, m->in->s, v, p, out);
}

/* one more operand */
static bool operand(maker *m, const hk_node *v, const char *key) {
  const hk_rd_signal_in *in = m->in;
  const char *name = hki_pool_printf(in->rd->pool, "%s.%s%d", in->out->name, key, (int)m->nu + 1);
  if (m->nu == OPERANDS) {
    hki_rd_error(in->rd, v->loc, NULL, "'%s' has more than %d operands", in->out->name, OPERANDS);
    return false;
  }
  const int32_t i = m->nu++;
  return name && hki_rd_dynamic(in->rd, in->s, v, name, 1, &m->constant[i], &m->signal[i]);
}

/* n states more, from start (n, or NULL: one number for all) */
static bool states(maker *m, int32_t n, const double *start, double all) {
  const hk_rd_signal_in *in = m->in;
  if (m->n + n > STATES) {
    hki_rd_error(in->rd, in->value->loc, NULL, "'%s' has more than %d states", in->out->name,
                 STATES);
    return false;
  }
  for (int32_t i = 0; i < n; i++) {
    const char *name = hki_pool_printf(in->rd->pool, "%s.x%d", in->out->name, (int)m->n + 1);
    int32_t k =
        name ? hki_rd_state(in->rd, in->s, name, in->out->loc, start ? start[i] : all) : HK_NONE;
    if (k == HK_NONE) return false;
    m->state[m->n++] = k;
  }
  return true;
}

/* Checks the keys and reads the operand `of`. States belong to named signals: a value inside another
 * item has no name by which its states could be found again. */
static bool begin(maker *m, const hk_rd_signal_in *in, const hk_param *keys, const char *what) {
  const hk_param *const tables[] = {keys, NULL};
  *m = (maker){.in = in};
  if (!in->out->named) {
    hki_rd_error(in->rd, in->node->loc, "write it under 'signals:' and use its name here",
                 "'%s' has states of its own and needs a name", what);
    return false;
  }
  return hki_rd_check_keys(in->rd, in->value, tables, what, NULL) &&
         operand(m, hki_node_get(in->value, "of"), "of");
}

/* --- integral, derivative, filter ------------------------------------------------------------- */

bool hki_rd_integral(const hk_rd_signal_in *in) {
  maker m;
  writer w;
  double start;
  if (!begin(&m, in, hki_keys_integral, "integral") ||
      !number(&m, hki_keys_integral, "start", &start) || !states(&m, 1, NULL, start))
    return false;
  write_begin(&w, &m);
  write_operand(&w, 0);
  if (!write_rate(&w, 0)) return false;
  write_begin(&w, &m);
  write_state(&w, 0);
  return write_end(&w, in->out);
}

/* (u - x)/T, for the rate and the value of a filtered derivative */
static void write_lag(writer *w, int32_t state, double time) {
  write_factor(w, 1.0 / time);
  write_operand(w, 0);
  write_factor(w, -1.0 / time);
  write_state(w, state);
}

/* the rate of a signal of time, which is known exactly (hki_rd_check_rates) */
static bool exact_rate(const hk_rd_signal_in *in) {
  maker m;
  writer w;
  if (!begin(&m, in, hki_keys_derivative, "derivative")) return false;
  write_begin(&w, &m);
  write_operand(&w, 0);
  // of a number it is 0, and a number
  if (m.signal[0] == HK_NONE) hki_text_add(&w.text, "*0");
  if (m.signal[0] != HK_NONE) in->out->kind = HK_SIGNAL_RATE;
  return write_end(&w, in->out);
}

void hki_rd_check_rates(hk_reader *rd) {
  const hk_spec *spec = rd->spec;
  bool *reads = hki_pool_alloc(rd->pool, (size_t)(spec->nsignals + 1) * sizeof *reads);
  // a signal reads only earlier ones
  for (int32_t i = 0; reads && i < spec->nsignals; i++) {
    const hk_spec_signal *s = &spec->signals[i];
    reads[i] = false;
    for (int32_t k = 0; k < s->nreads; k++)
      reads[i] |= s->reads[k].kind == HK_READ_CHANNEL ||
                  (s->reads[k].kind == HK_READ_SIGNAL && reads[s->reads[k].signal]);
    if (s->kind == HK_SIGNAL_RATE && reads[i])
      hki_rd_error(rd, s->loc,
                   "give the time of a filter, for example 'time: 0.01', or read a channel "
                   "that is a rate",
                   "the derivative '%s' reads channels, whose rates are not known", s->name);
  }
}

bool hki_rd_derivative(const hk_rd_signal_in *in) {
  maker m;
  writer w;
  double time, start;
  if (in->value->kind == HK_NODE_MAPPING && !hki_node_get(in->value, "time")) return exact_rate(in);
  if (!begin(&m, in, hki_keys_derivative, "derivative") ||
      !number(&m, hki_keys_derivative, "time", &time) ||
      !number(&m, hki_keys_derivative, "start", &start) || !states(&m, 1, NULL, start))
    return false;
  write_begin(&w, &m);
  write_lag(&w, 0, time);
  if (!write_rate(&w, 0)) return false;
  write_begin(&w, &m);
  write_lag(&w, 0, time);
  return write_end(&w, in->out);
}

bool hki_rd_filter(const hk_rd_signal_in *in) {
  maker m;
  writer r;
  double low, high, order, damping, start;
  const hk_param *k = hki_keys_filter;
  if (!begin(&m, in, k, "filter") || !number(&m, k, "lowpass", &low) ||
      !number(&m, k, "highpass", &high) || !number(&m, k, "order", &order) ||
      !number(&m, k, "damping", &damping) || !number(&m, k, "start", &start))
    return false;
  if (isnan(low) == isnan(high) || (order != 1.0 && order != 2.0)) {
    hki_rd_error(in->rd, in->value->loc, "for example {of: u, lowpass: 10, order: 2}",
                 isnan(low) == isnan(high) ? "a filter has one of 'lowpass' and 'highpass'"
                                           : "the order of a filter is 1 or 2");
    return false;
  }
  const bool second = order == 2.0;
  const double w = 6.28318530717958647692 * (isnan(low) ? high : low), from[2] = {start, 0.0};
  if (!states(&m, second ? 2 : 1, from, 0.0)) return false;
  // the last rate: w^2 (u - x1) - 2 z w x2, or w (u - x)
  const double gain = second ? w * w : w;
  write_begin(&r, &m);
  write_factor(&r, gain), write_operand(&r, 0);
  write_factor(&r, -gain), write_state(&r, 0);
  if (second) write_factor(&r, -2.0 * damping * w), write_state(&r, 1);
  if (!write_rate(&r, second ? 1 : 0)) return false;
  if (second) {
    write_begin(&r, &m);
    write_state(&r, 1);
    if (!write_rate(&r, 0)) return false;
  }
  write_begin(&r, &m);
  if (isnan(low)) write_factor(&r, 1.0), write_operand(&r, 0);
  write_factor(&r, isnan(low) ? -1.0 : 1.0), write_state(&r, 0);
  if (isnan(low) && second) write_factor(&r, -2.0 * damping / w), write_state(&r, 1);
  return write_end(&r, in->out);
}

/* --- linear systems --------------------------------------------------------------------------- */

bool hki_rd_transfer_function(const hk_rd_signal_in *in) {
  maker m;
  writer w;
  hk_reals b, a;
  if (!begin(&m, in, hki_keys_transfer, "transfer_function") ||
      !hki_rd_reals(in, hki_node_get(in->value, "numerator"), "numerator", &b) ||
      !hki_rd_reals(in, hki_node_get(in->value, "denominator"), "denominator", &a))
    return false;
  const int32_t n = a.n - 1;
  if (n < 1 || b.n < 1 || b.n > a.n || a.x[0] == 0.0) {
    hki_rd_error(
        in->rd, in->value->loc,
        "highest powers of s first: numerator: [1], denominator: [0.1, 1] is 1/(0.1 s + 1)",
        "a transfer function needs a denominator of degree 1 or more that begins with "
        "another number than 0, and a numerator of no higher degree");
    return false;
  }
  if (!states(&m, n, NULL, 0.0)) return false;
  const double direct = b.n == a.n ? b.x[0] / a.x[0] : 0.0;
  for (int32_t i = 0; i < n; i++) {
    write_begin(&w, &m);
    if (i < n - 1) write_state(&w, i + 1);
    if (i == n - 1) write_factor(&w, 1.0), write_operand(&w, 0);
    for (int32_t k = 0; i == n - 1 && k < n; k++)
      write_factor(&w, -a.x[n - k] / a.x[0]), write_state(&w, k);
    if (!write_rate(&w, i)) return false;
  }
  write_begin(&w, &m);
  for (int32_t k = 0; k < n; k++) {
    const double bk = k < b.n ? b.x[b.n - 1 - k] / a.x[0] : 0.0;
    write_factor(&w, bk - direct * a.x[n - k] / a.x[0]), write_state(&w, k);
  }
  if (direct != 0.0) write_factor(&w, direct), write_operand(&w, 0);
  return write_end(&w, in->out);
}

/* a matrix of `rows` rows of `columns` numbers; a single column or row may be a plain list */
static double *matrix(const hk_rd_signal_in *in, const char *key, int32_t rows, int32_t columns) {
  const hk_node *v = hki_node_get(in->value, key);
  const size_t n = (size_t)rows * (size_t)columns;
  double *x = hki_pool_alloc(in->rd->pool, n * sizeof *x);
  char what[60];
  if (!x) return NULL;
  if (!v) {
    for (size_t i = 0; i < n; i++) x[i] = 0.0;
    return x;
  }
  snprintf(what, sizeof what, "%s (%d x %d)", key, (int)rows, (int)columns);
  const bool flat = v->kind == HK_NODE_SEQUENCE && (rows == 1 || columns == 1) && v->count &&
                    v->items[0]->kind != HK_NODE_SEQUENCE;
  if (flat) return hki_rd_numbers(in->rd, in->s, v, what, rows * columns, x) ? x : NULL;
  if (v->kind != HK_NODE_SEQUENCE || v->count != rows) {
    hki_rd_error(in->rd, v->loc, NULL, "'%s' must have %d rows of %d numbers, found %d", key,
                 (int)rows, (int)columns, v->kind == HK_NODE_SEQUENCE ? (int)v->count : 1);
    return NULL;
  }
  for (int32_t i = 0; i < rows; i++)
    if (!hki_rd_numbers(in->rd, in->s, v->items[i], what, columns, x + i * columns)) return NULL;
  return x;
}

/* row . states + direct . operands */
static void write_row(writer *w, const double *row, const double *direct) {
  for (int32_t k = 0; k < w->m->n; k++)
    if (row[k] != 0.0) write_factor(w, row[k]), write_state(w, k);
  for (int32_t k = 0; k < w->m->nu; k++)
    if (direct[k] != 0.0) write_factor(w, direct[k]), write_operand(w, k);
}

bool hki_rd_state_space(const hk_rd_signal_in *in) {
  static const hk_param *const tables[] = {hki_keys_state_space, NULL};
  maker m = {.in = in};
  writer w;
  if (!in->out->named) return begin(&m, in, hki_keys_state_space, "state_space");
  if (!hki_rd_check_keys(in->rd, in->value, tables, "state_space", NULL)) return false;
  const hk_node *of = hki_node_get(in->value, "of"), *A = hki_node_get(in->value, "A");
  if (!of || !A) return false; // said above
  const bool list = of->kind == HK_NODE_SEQUENCE;
  for (int32_t i = 0; i < (list ? of->count : 1); i++)
    if (!operand(&m, list ? of->items[i] : of, "of")) return false;
  const int32_t n = A->kind == HK_NODE_SEQUENCE ? A->count : 0, nu = m.nu;
  if (n < 1 || n > STATES) {
    hki_rd_error(in->rd, A->loc, NULL, "'A' must be a square matrix of 1 to %d rows", STATES);
    return false;
  }
  const double *a = matrix(in, "A", n, n), *b = a ? matrix(in, "B", n, nu) : NULL;
  const double *c = b ? matrix(in, "C", 1, n) : NULL, *d = c ? matrix(in, "D", 1, nu) : NULL;
  const double *start = d ? matrix(in, "start", 1, n) : NULL;
  if (!start || !states(&m, n, start, 0.0)) return false;
  for (int32_t i = 0; i < n; i++) {
    write_begin(&w, &m);
    write_row(&w, a + i * n, b + i * nu);
    if (!write_rate(&w, i)) return false;
  }
  write_begin(&w, &m);
  write_row(&w, c, d);
  return write_end(&w, in->out);
}

/* --- pid -------------------------------------------------------------------------------------- */

typedef struct pid {
  double p, i, d, time, windup, limit[2];
  bool limited, rate; /* rate: given, operand 1 */
} pid;

/* what the controller would give without limits: p u + x + d r */
static void write_pid(writer *w, const pid *g) {
  write_factor(w, g->p), write_operand(w, 0);
  write_factor(w, 1.0), write_state(w, 0);
  if (g->d != 0.0 && g->rate) write_factor(w, g->d), write_operand(w, 1);
  if (g->d == 0.0 || g->rate) return;
  write_factor(w, g->d / g->time), write_operand(w, 0);
  write_factor(w, -g->d / g->time), write_state(w, 1);
}

static bool read_pid(maker *m, pid *g) {
  const hk_rd_signal_in *in = m->in;
  const hk_param *k = hki_keys_pid;
  const hk_node *limits = hki_node_get(in->value, "limits"),
                *rate = hki_node_get(in->value, "rate");
  if (!number(m, k, "p", &g->p) || !number(m, k, "i", &g->i) || !number(m, k, "d", &g->d) ||
      !number(m, k, "time", &g->time) || !number(m, k, "windup", &g->windup))
    return false;
  g->rate = rate != NULL, g->limited = limits != NULL;
  if (rate && !operand(m, rate, "rate")) return false;
  if (g->d != 0.0 && (isnan(g->time) == !rate)) {
    hki_rd_error(in->rd, in->value->loc, "give rate: the rate of 'of', or time: of the filter",
                 "the 'd' of a pid needs one of 'rate' and 'time'");
    return false;
  }
  if (limits && !hki_rd_numbers(in->rd, in->s, limits, "limits", 2, g->limit)) return false;
  if (limits && !(g->limit[0] < g->limit[1])) {
    hki_rd_error(in->rd, limits->loc, NULL, "the limits must ascend, found [%g, %g]", g->limit[0],
                 g->limit[1]);
    return false;
  }
  return true;
}

/* the value without limits becomes a signal of its own, one more operand */
static bool name_unlimited(maker *m, const pid *g) {
  writer w;
  write_begin(&w, m);
  write_pid(&w, g);
  const int32_t k =
      write_signal(&w, hki_pool_printf(m->in->rd->pool, "%s.unlimited", m->in->out->name));
  if (k == HK_NONE || m->nu == OPERANDS) return false;
  m->signal[m->nu++] = k;
  return true;
}

static void write_limited(writer *w, const pid *g) {
  hki_text_add(&w->text, "clamp(");
  write_operand(w, w->m->nu - 1);
  hki_text_printf(&w->text, ", (%.17g), (%.17g))", g->limit[0], g->limit[1]);
}

bool hki_rd_pid(const hk_rd_signal_in *in) {
  maker m;
  writer w;
  pid g = {0};
  double start;
  if (!begin(&m, in, hki_keys_pid, "pid") || !read_pid(&m, &g) ||
      !number(&m, hki_keys_pid, "start", &start))
    return false;
  const bool lag = g.d != 0.0 && !g.rate;
  const double from[2] = {start, 0.0};
  if (!states(&m, lag ? 2 : 1, from, 0.0)) return false;
  if (g.limited && !name_unlimited(&m, &g)) return false;
  // the integral gives way while the limits cut
  write_begin(&w, &m);
  write_factor(&w, g.i), write_operand(&w, 0);
  if (g.limited) {
    write_factor(&w, 1.0 / g.windup), write_limited(&w, &g);
    write_factor(&w, -1.0 / g.windup), write_operand(&w, m.nu - 1);
  }
  if (!write_rate(&w, 0)) return false;
  if (lag) {
    write_begin(&w, &m);
    write_lag(&w, 1, g.time);
    if (!write_rate(&w, 1)) return false;
  }
  write_begin(&w, &m);
  if (g.limited)
    write_limited(&w, &g);
  else
    write_pid(&w, &g);
  return write_end(&w, in->out);
}

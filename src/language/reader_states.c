/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_states.c: linear blocks. Each is brought into the form x' = A x + B u, y = C x + D u; with
 * w = 2 pi f:
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
 *   state_space         as it is written, with several outputs in a controller
 *
 * Not sampled, each state is an unknown of the network, so that it runs beside every formulation,
 * and the outputs are expressions of states and inputs. Sampled, the system is brought into discrete
 * time once (expr/blocks.h), exactly for inputs that are held between the instants; with `discrete`
 * the numbers are those of discrete time already, x_(k+1) in the place of x', z in that of s.
 *
 * Source: T. Kailath, Linear systems, Prentice-Hall 1980 (controllable form).
 */
#include "language/reader_blocks.h"

#include <math.h>
#include <string.h>

/* --- a linear block of any kind --------------------------------------------------------------- */

/* row . states + direct . operands */
static void write_row(hk_writer *w, const double *row, const double *direct) {
  for (int32_t k = 0; k < w->m->nu; k++)
    if (direct[k] != 0.0) hki_write_factor(w, direct[k]), hki_write_operand(w, k);
  for (int32_t k = 0; k < w->m->n; k++)
    if (row[k] != 0.0) hki_write_factor(w, row[k]), hki_write_state(w, k);
}

/* output i of a block with several into its port */
static bool write_port(hk_writer *w, int32_t i) {
  const hk_rd_signal_in *in = w->m->in;
  hk_spec_signal s = in->rd->signals[in->index + 1 + i].s;
  if (!hki_write_end(w, &s)) return false;
  in->rd->signals[in->index + 1 + i].s = s;
  return true;
}

static bool make_continuous(hk_maker *m, const hk_linear *l, bool ports) {
  hk_writer w;
  if (!hki_maker_states(m, l->nx, l->start, 0.0)) return false;
  for (int32_t i = 0; i < l->nx; i++) {
    hki_write_begin(&w, m);
    write_row(&w, l->A + i * l->nx, l->B + i * l->nu);
    if (!hki_write_rate(&w, i)) return false;
  }
  for (int32_t i = 0; i < l->ny; i++) {
    hki_write_begin(&w, m);
    write_row(&w, l->C + i * l->nx, l->D + i * l->nu);
    if (!(ports ? write_port(&w, i) : hki_write_end(&w, m->in->out))) return false;
  }
  if (ports) m->in->out->expr = hki_expr_number(m->in->rd->spec->pool, 0.0);
  return m->in->out->expr != NULL;
}

/* the matrices of discrete time, in the spec's pool */
static const hk_linear *to_discrete(hk_maker *m, const hk_linear *l, bool discrete) {
  hk_pool *pool = m->in->rd->spec->pool;
  hk_linear *d = hki_pool_alloc(pool, sizeof *d);
  if (!d) return NULL;
  *d = *l;
  const hk_status st = discrete ? HK_OK : hki_linear_sample(pool, l, m->period, d);
  if (st == HK_E_NUMBER)
    hki_rd_error(m->in->rd, m->in->value->loc, "take a shorter period",
                 "'%s' grows beyond all numbers within a period of %g s", m->in->out->name,
                 m->period);
  return st == HK_OK ? d : NULL;
}

static bool make_sampled(hk_maker *m, const hk_linear *l, bool discrete, bool ports) {
  hk_reader *rd = m->in->rd;
  const hk_linear *d = to_discrete(m, l, discrete);
  int32_t u[HK_LINEAR_PORTS];
  if (!d) return false;
  const hk_memory memory = {
      .fn = HK_MEMORY_LINEAR, .period = m->period, .phase = m->phase, .linear = d};
  for (int32_t i = 0; i < l->nu; i++)
    if ((u[i] = hki_maker_signal(m, i)) == HK_NONE) return false;
  const int32_t direct = hki_linear_direct(d) ? l->nu : 0;
  if (!hki_rd_memory(rd, m->in->out, &memory, u, direct, u, l->nu - direct)) return false;
  for (int32_t i = 0; ports && i < l->ny; i++) {
    hk_memory port = {.fn = HK_MEMORY_PORT, .port = hki_linear_port(i)};
    for (int32_t k = 0; k < l->nx; k++) port.start += l->C[i * l->nx + k] * l->start[k];
    if (!hki_rd_port_fill(m->in, i, &port)) return false;
  }
  return true;
}

/* A list of numbers in the spec's pool. Blocks that are not sampled need them while they are read
 * only, but then the list is short. */
static double *numbers(const hk_maker *m, int32_t n) {
  double *x = hki_pool_alloc(m->in->rd->spec->pool, (size_t)(n + 1) * sizeof *x);
  for (int32_t i = 0; x && i < n; i++) x[i] = 0.0;
  return x;
}

/* a system with one input and one output */
typedef struct single {
  int32_t n;
  double *A, *B, *C, *D, *start;
} single;

static bool single_new(const hk_maker *m, int32_t n, single *s) {
  *s = (single){n, numbers(m, n * n), numbers(m, n), numbers(m, n), numbers(m, 1), numbers(m, n)};
  return s->A && s->B && s->C && s->D && s->start;
}

static bool single_make(hk_maker *m, const single *s, bool discrete) {
  const hk_linear l = {s->n, 1, 1, s->A, s->B, s->C, s->D, s->start};
  return m->period > 0.0 ? make_sampled(m, &l, discrete, false) : make_continuous(m, &l, false);
}

/* a block whose numbers are those of discrete time must be sampled */
static bool read_discrete(const hk_maker *m, bool *discrete) {
  const hk_node *v = hki_node_get(m->in->value, "discrete");
  if (v && !hki_rd_bool(m->in->rd, m->in->s, v, "discrete", discrete)) return false;
  if (!*discrete || m->period > 0.0) return true;
  hki_rd_error(m->in->rd, v->loc, "give 'period'", "'%s' is discrete and needs a period",
               m->in->out->name);
  return false;
}

/* --- integral, derivative, filter ------------------------------------------------------------- */

bool hki_rd_integral(const hk_rd_signal_in *in) {
  hk_maker m;
  single s;
  if (!hki_maker_begin(&m, in, true) || !single_new(&m, 1, &s) ||
      !hki_maker_number(&m, "start", s.start))
    return false;
  s.B[0] = s.C[0] = 1.0;
  return single_make(&m, &s, false);
}

/* the rate of a signal of time, which is known exactly (hki_rd_check_rates) */
static bool exact_rate(hk_maker *m) {
  hk_writer w;
  if (m->period > 0.0) {
    hki_rd_error(m->in->rd, m->in->value->loc, "give 'time', for example some periods",
                 "a sampled derivative needs the time of its filter");
    return false;
  }
  hki_write_begin(&w, m);
  hki_write_operand(&w, 0);
  // of a number it is 0, and a number
  if (m->signal[0] == HK_NONE) hki_text_add(&w.text, "*0");
  if (m->signal[0] != HK_NONE) m->in->out->kind = HK_SIGNAL_RATE;
  return hki_write_end(&w, m->in->out);
}

void hki_rd_check_rates(hk_reader *rd) {
  const hk_spec *spec = rd->spec;
  bool *reads = hki_pool_alloc(rd->pool, (size_t)(spec->nsignals + 1) * sizeof *reads);
  // a signal reads only earlier ones
  for (int32_t i = 0; reads && i < spec->nsignals; i++) {
    const hk_spec_signal *s = &spec->signals[i];
    reads[i] = s->nlate > 0;
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
  hk_maker m;
  single s;
  double time;
  if (!hki_maker_begin(&m, in, true) || !hki_maker_number(&m, "time", &time)) return false;
  if (isnan(time)) return exact_rate(&m);
  if (!single_new(&m, 1, &s) || !hki_maker_number(&m, "start", s.start)) return false;
  s.B[0] = s.D[0] = 1.0 / time;
  s.A[0] = s.C[0] = -1.0 / time;
  return single_make(&m, &s, false);
}

bool hki_rd_filter(const hk_rd_signal_in *in) {
  hk_maker m;
  single s;
  double low, high, order, damping, start;
  if (!hki_maker_begin(&m, in, true) || !hki_maker_number(&m, "lowpass", &low) ||
      !hki_maker_number(&m, "highpass", &high) || !hki_maker_number(&m, "order", &order) ||
      !hki_maker_number(&m, "damping", &damping) || !hki_maker_number(&m, "start", &start))
    return false;
  if (isnan(low) == isnan(high) || (order != 1.0 && order != 2.0)) {
    hki_rd_error(in->rd, in->value->loc, "for example {of: u, lowpass: 10, order: 2}",
                 isnan(low) == isnan(high) ? "a filter has one of 'lowpass' and 'highpass'"
                                           : "the order of a filter is 1 or 2");
    return false;
  }
  const bool second = order == 2.0;
  const double w = 6.28318530717958647692 * (isnan(low) ? high : low);
  if (!single_new(&m, second ? 2 : 1, &s)) return false;
  // the last row: w^2 (u - x1) - 2 z w x2, or w (u - x)
  const double gain = second ? w * w : w;
  const int32_t last = s.n - 1;
  s.start[0] = start;
  s.B[last] = gain;
  s.A[last * s.n] = -gain;
  if (second) s.A[3] = -2.0 * damping * w, s.A[1] = 1.0;
  if (isnan(low)) s.D[0] = 1.0;
  s.C[0] = isnan(low) ? -1.0 : 1.0;
  if (isnan(low) && second) s.C[1] = -2.0 * damping / w;
  return single_make(&m, &s, false);
}

/* --- transfer functions ----------------------------------------------------------------------- */

bool hki_rd_transfer_function(const hk_rd_signal_in *in) {
  hk_maker m;
  single s;
  hk_reals b, a;
  bool discrete = false;
  if (!hki_maker_begin(&m, in, true) || !read_discrete(&m, &discrete) ||
      !hki_rd_reals(in, hki_node_get(in->value, "numerator"), "numerator", &b) ||
      !hki_rd_reals(in, hki_node_get(in->value, "denominator"), "denominator", &a))
    return false;
  const int32_t n = a.n - 1;
  if (n < 1 || n > HK_MAKER_STATES || b.n < 1 || b.n > a.n || a.x[0] == 0.0) {
    hki_rd_error(
        in->rd, in->value->loc,
        "highest powers of s first: numerator: [1], denominator: [0.1, 1] is 1/(0.1 s + 1)",
        n > HK_MAKER_STATES
            ? "the denominator of a transfer function has a degree of 64 at most"
            : "a transfer function needs a denominator of degree 1 or more that begins with "
              "another number than 0, and a numerator of no higher degree");
    return false;
  }
  if (!single_new(&m, n, &s)) return false;
  const double direct = b.n == a.n ? b.x[0] / a.x[0] : 0.0;
  for (int32_t i = 0; i < n - 1; i++) s.A[i * n + i + 1] = 1.0;
  s.B[n - 1] = 1.0;
  s.D[0] = direct;
  for (int32_t k = 0; k < n; k++) {
    const double bk = k < b.n ? b.x[b.n - 1 - k] / a.x[0] : 0.0;
    s.A[(n - 1) * n + k] = -a.x[n - k] / a.x[0];
    s.C[k] = bk - direct * a.x[n - k] / a.x[0];
  }
  return single_make(&m, &s, discrete);
}

/* --- state space ------------------------------------------------------------------------------ */

/* names of outputs, or NULL: one output, the controller itself */
static const hk_node *output_names(const hk_node *node) { return hki_node_get(node, "outputs"); }

bool hki_rd_state_space_ports(hk_reader *rd, int32_t main, const hk_node *node) {
  const hk_node *names = output_names(node);
  if (!names) return true;
  if (names->kind != HK_NODE_SEQUENCE || names->count < 1 || names->count > HK_LINEAR_PORTS) {
    hki_rd_error(rd, names->loc, "for example outputs: [torque, brake]",
                 "'outputs' must be a list of 1 to %d names", HK_LINEAR_PORTS);
    return true;
  }
  rd->signals[main].s.named = false;
  for (int32_t i = 0; i < names->count; i++) {
    const char *name = hki_node_text(names->items[i]);
    if (!hki_rd_port_add(rd, main, name ? name : "", names->items[i]->loc)) return false;
  }
  return true;
}

bool hki_rd_state_space(const hk_rd_signal_in *in) {
  hk_maker m;
  bool discrete = false;
  if (!hki_maker_begin(&m, in, false) || !read_discrete(&m, &discrete)) return false;
  const hk_node *of = hki_maker_input(&m), *names = output_names(in->value);
  hk_rd_matrix A;
  if (!of || !hki_rd_matrix(in, "A", HK_LINEAR_STATES, &A)) return false;
  const bool list = of->kind == HK_NODE_SEQUENCE;
  for (int32_t i = 0; i < (list ? of->count : 1); i++)
    if (!hki_maker_operand(&m, list ? of->items[i] : of, "of")) return false;
  const int32_t n = A.rows, nu = m.nu, ny = names && in->controller ? names->count : 1;
  if (names && !in->controller) {
    hki_rd_error(in->rd, names->loc, "write it under 'controllers:'",
                 "a signal has one output, and no names for several");
    return false;
  }
  hk_linear l = {.nx = n, .nu = nu, .ny = ny};
  l.A = hki_rd_matrix_fit(in, "A", &A, n, n);
  l.B = l.A ? hki_rd_matrix_of(in, "B", n, nu) : NULL;
  l.C = l.B ? hki_rd_matrix_of(in, "C", ny, n) : NULL;
  l.D = l.C ? hki_rd_matrix_of(in, "D", ny, nu) : NULL;
  l.start = l.D ? hki_rd_matrix_of(in, "start", 1, n) : NULL;
  if (!l.start) return false;
  return m.period > 0.0 ? make_sampled(&m, &l, discrete, names != NULL)
                        : make_continuous(&m, &l, names != NULL);
}

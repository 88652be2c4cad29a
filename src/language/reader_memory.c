/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_memory.c: signals that remember (expr/memory.h): the blocks sample and delay, and latch,
 * first_hit, variables, inputs and `after`, which is one signal until a condition has held and another from then on:
 *
 *   after: {when: c, of: a, before: b}  =  if(latch of c, a, b)
 */
#include "language/reader_blocks.h"

#include <math.h>
#include <string.h>

/* --- sample and delay ------------------------------------------------------------------------- */

/* coefficients under a key; left out: 1 */
static bool coefficients(const hk_rd_signal_in *in, const char *key, hk_reals *out) {
  static const double one[] = {1.0};
  const hk_node *v = hki_node_get(in->value, key);
  *out = (hk_reals){1, one};
  if (v && !hki_rd_reals(in, v, key, out)) return false;
  if (out->n >= 1 && out->n <= 100 && (strcmp(key, "denominator") != 0 || out->x[0] != 0.0))
    return true;
  hki_rd_error(in->rd, v->loc, "of 1, z^-1, z^-2 ..; the first of the denominator is not 0",
               "'%s' must be a list of 1 to 100 coefficients", key);
  return false;
}

bool hki_rd_sample(const hk_rd_signal_in *in) {
  hk_maker m;
  hk_memory memory = {.fn = HK_MEMORY_SAMPLE};
  if (!hki_maker_begin(&m, in, true) || m.period == 0.0 ||
      !hki_maker_number(&m, "start", &memory.start) || !coefficients(in, "numerator", &memory.b) ||
      !coefficients(in, "denominator", &memory.a))
    return false;
  memory.period = m.period, memory.phase = m.phase;
  const int32_t of = hki_maker_signal(&m, 0);
  return of != HK_NONE && hki_rd_memory(in->rd, in->out, &memory, &of, 1, NULL, 0);
}

/* a sampled delay of n periods: y_k = u_(k-n) */
static bool shift(const hk_maker *m, double time, hk_memory *memory) {
  enum { MOST = 10000 };
  static const double one[] = {1.0};
  const double n = round(time / m->period);
  const hk_rd_signal_in *in = m->in;
  if (n < 1.0 || n > MOST || fabs(n * m->period - time) > 1e-9 * time) {
    hki_rd_error(in->rd, in->value->loc, "change one of both, or leave 'period' out",
                 "the delay of '%s', %g s, must be 1 to %d whole periods of %g s", in->out->name,
                 time, MOST, m->period);
    return false;
  }
  double *b = hki_pool_alloc(in->rd->spec->pool, ((size_t)n + 1) * sizeof *b);
  for (int32_t i = 0; b && i <= (int32_t)n; i++) b[i] = i == (int32_t)n ? 1.0 : 0.0;
  *memory = (hk_memory){.fn = HK_MEMORY_SAMPLE,
                        .period = m->period,
                        .phase = m->phase,
                        .a = {1, one},
                        .b = {(int32_t)n + 1, b},
                        .rest = true};
  return b != NULL;
}

bool hki_rd_delay(const hk_rd_signal_in *in) {
  hk_maker m;
  hk_memory memory = {.fn = HK_MEMORY_DELAY};
  if (!hki_maker_begin(&m, in, true) || !hki_maker_named(&m, "remembers something") ||
      !hki_node_get(in->value, "time") || !hki_maker_number(&m, "time", &memory.time))
    return false;
  if (m.period > 0.0 && !shift(&m, memory.time, &memory)) return false;
  const int32_t of = hki_maker_signal(&m, 0);
  return of != HK_NONE && hki_rd_memory(in->rd, in->out, &memory, &of, 1, NULL, 0);
}

/* --- latches and what is made of them --------------------------------------------------------- */

/* one more operand: a signal, also where it is a number */
static bool add_operand(const hk_rd_signal_in *in, const hk_node *v, const char *key, double def,
                        int32_t *to) {
  const char *name = hki_pool_printf(in->rd->pool, "%s.%s", in->out->name, key);
  double value = def;
  *to = HK_NONE;
  if (!name || (v && !hki_rd_dynamic(in->rd, in->s, v, name, 1, &value, to))) return false;
  if (*to == HK_NONE) *to = hki_rd_signal_constant(in->rd, in->s, name, in->out->loc, value);
  return *to != HK_NONE;
}

/* keys of a signal with memory, which needs a name of its own */
static bool check(const hk_rd_signal_in *in, const hk_param *keys, const char *what) {
  const hk_param *const tables[] = {keys, NULL};
  if (!in->out->named) {
    hki_rd_error(in->rd, in->node->loc, "write it under 'signals:' and use its name here",
                 "'%s' remembers something and needs a name", what);
    return false;
  }
  return hki_rd_check_keys(in->rd, in->value, tables, what, NULL);
}

/* a latch of the keys when, reset, of */
static bool make_latch(const hk_rd_signal_in *in, bool keeps, hk_spec_signal *out) {
  const hk_memory m = {.fn = HK_MEMORY_LATCH};
  int32_t r[3];
  return add_operand(in, hki_node_get(in->value, "when"), "when", 0.0, &r[0]) &&
         add_operand(in, hki_node_get(in->value, "reset"), "reset", 0.0, &r[1]) &&
         add_operand(in, keeps ? hki_node_get(in->value, "of") : NULL, "kept", 1.0, &r[2]) &&
         hki_rd_memory(in->rd, out, &m, r, 3, NULL, 0);
}

bool hki_rd_latch(const hk_rd_signal_in *in) {
  return check(in, hki_keys_latch, "latch") && make_latch(in, true, in->out);
}

bool hki_rd_first_hit(const hk_rd_signal_in *in) {
  const hk_memory m = {.fn = HK_MEMORY_FIRST_HIT};
  int32_t when;
  return check(in, hki_keys_first_hit, "first_hit") &&
         add_operand(in, hki_node_get(in->value, "when"), "when", 0.0, &when) &&
         hki_rd_memory(in->rd, in->out, &m, &when, 1, NULL, 0);
}

/* a signal with one number of its own, which is x in the beginning */
static bool keep_value(const hk_rd_signal_in *in, const hk_memory *m, const char *what, double x) {
  if (!in->out->named) {
    hki_rd_error(in->rd, in->node->loc, "write it under 'signals:' and use its name here",
                 "%s needs a name", what);
    return false;
  }
  const char *name = hki_pool_printf(in->rd->pool, "%s.start", in->out->name);
  const int32_t of = name ? hki_rd_signal_constant(in->rd, in->s, name, in->out->loc, x) : HK_NONE;
  return of != HK_NONE && hki_rd_memory(in->rd, in->out, m, &of, 1, NULL, 0);
}

/* the same; start: its value in the beginning, NULL: 0 */
static bool keep_number(const hk_rd_signal_in *in, const hk_memory *m, const char *what,
                        const hk_node *start) {
  double x = 0.0;
  if (start && !hki_rd_number(in->rd, in->s, start, "start", &x)) return false;
  return keep_value(in, m, what, x);
}

bool hki_rd_variable(const hk_rd_signal_in *in) {
  const hk_memory m = {.fn = HK_MEMORY_VARIABLE};
  return keep_number(in, &m, "a variable", in->value);
}

bool hki_rd_input(const hk_rd_signal_in *in) {
  static const hk_param *const tables[] = {hki_keys_input, NULL};
  hk_memory m = {.fn = HK_MEMORY_INPUT};
  int32_t linear = 0;
  if (in->value->kind != HK_NODE_MAPPING) return keep_number(in, &m, "an input", in->value);
  if (!hki_rd_check_keys(in->rd, in->value, tables, "input", NULL)) return false;
  const hk_node *on = hki_node_get(in->value, "extrapolate");
  if (on && !hki_rd_choice(in->rd, on, "extrapolate", "hold linear", &linear)) return false;
  m.linear_on = linear == 1;
  return keep_number(in, &m, "an input", hki_node_get(in->value, "start"));
}

bool hki_rd_input_of(const hk_rd_signal_in *in, bool linear, double start) {
  const hk_memory m = {.fn = HK_MEMORY_INPUT, .linear_on = linear};
  return keep_value(in, &m, "a stream", start);
}

bool hki_rd_after(const hk_rd_signal_in *in) {
  static const char text[] = "if(k0 != 0, k1, k2)";
  hk_reader *rd = in->rd;
  hk_read *r = hki_pool_alloc(rd->spec->pool, 3 * sizeof *r);
  int32_t of[2];
  const char *name = hki_pool_printf(rd->pool, "%s.latch", in->out->name);
  if (!r || !name || !check(in, hki_keys_after, "after")) return false;
  const int32_t i = hki_rd_signal_new(rd, in->s, name, in->out->loc, false);
  if (i < 0) return false;
  hk_spec_signal latch = rd->signals[i].s;
  if (!make_latch(in, false, &latch)) return false;
  rd->signals[i].s = latch;
  rd->signals[i].state = HK_RD_DONE;
  r[0] = (hk_read){.kind = HK_READ_SIGNAL, .signal = i};
  if (!add_operand(in, hki_node_get(in->value, "of"), "of", 0.0, &of[0]) ||
      !add_operand(in, hki_node_get(in->value, "before"), "before", 0.0, &of[1]))
    return false;
  for (int32_t k = 0; k < 2; k++) r[1 + k] = (hk_read){.kind = HK_READ_SIGNAL, .signal = of[k]};
  in->out->reads = r;
  in->out->nreads = 3;
  in->out->expr = hki_rd_expr_slots(rd, text, sizeof text - 1, in->out->loc);
  return in->out->expr != NULL;
}

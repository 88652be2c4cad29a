/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_memory.c: signals that remember (expr/memory.h): sample, delay, latch, first_hit; and
 * `after`, which is one signal until a condition has held and another from then on:
 *
 *   after: {when: c, of: a, before: b}  =  if(latch of c, a, b)
 */
#include "language/reader_signals.h"

#include <math.h>
#include <string.h>

/* one more operand: a signal, also where it is a number */
static bool add_operand(const hk_rd_signal_in *in, const hk_node *v, const char *key, double def,
                        hk_read *to) {
  const char *name = hki_pool_printf(in->rd->pool, "%s.%s", in->out->name, key);
  double value = def;
  int32_t signal = HK_NONE;
  if (!name || (v && !hki_rd_dynamic(in->rd, in->s, v, name, 1, &value, &signal))) return false;
  if (signal == HK_NONE) signal = hki_rd_signal_constant(in->rd, in->s, name, in->out->loc, value);
  *to = (hk_read){.kind = HK_READ_SIGNAL, .signal = signal};
  return signal != HK_NONE;
}

/* fills the signal: its memory, and the operands as reads */
static bool finish(hk_reader *rd, hk_spec_signal *out, const hk_memory *from, const hk_read *reads,
                   int32_t n) {
  static const char *const sums[] = {"k0", "k0 + k1", "k0 + k1 + k2"};
  hk_memory *m = hki_pool_alloc(rd->spec->pool, sizeof *m);
  hk_read *r = hki_pool_alloc(rd->spec->pool, (size_t)n * sizeof *r);
  if (!m || !r) return false;
  *m = *from;
  memcpy(r, reads, (size_t)n * sizeof *r);
  out->kind = HK_SIGNAL_MEMORY;
  out->memory = m;
  out->reads = r;
  out->nreads = n;
  out->expr = hki_rd_expr_slots(rd, sums[n - 1], strlen(sums[n - 1]), out->loc);
  return out->expr != NULL;
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

static bool number(const hk_rd_signal_in *in, const hk_param *keys, const char *key, double *out) {
  const hk_param *p = hki_params_find(keys, key);
  const hk_node *v = hki_node_get(in->value, key);
  *out = p->def;
  return !v || hki_rd_ranged(in->rd, in->s, v, p, out);
}

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
  const hk_param *k = hki_keys_sample;
  hk_memory m = {.fn = HK_MEMORY_SAMPLE};
  hk_read of;
  return check(in, k, "sample") && number(in, k, "period", &m.period) &&
         number(in, k, "phase", &m.phase) && number(in, k, "start", &m.start) &&
         coefficients(in, "numerator", &m.b) && coefficients(in, "denominator", &m.a) &&
         add_operand(in, hki_node_get(in->value, "of"), "of", 0.0, &of) &&
         finish(in->rd, in->out, &m, &of, 1);
}

bool hki_rd_delay(const hk_rd_signal_in *in) {
  hk_memory m = {.fn = HK_MEMORY_DELAY};
  hk_read of;
  return check(in, hki_keys_delay, "delay") && number(in, hki_keys_delay, "time", &m.time) &&
         add_operand(in, hki_node_get(in->value, "of"), "of", 0.0, &of) &&
         finish(in->rd, in->out, &m, &of, 1);
}

/* a latch of the keys when, reset, of */
static bool make_latch(const hk_rd_signal_in *in, bool keeps, hk_spec_signal *out) {
  const hk_memory m = {.fn = HK_MEMORY_LATCH};
  hk_read r[3];
  return add_operand(in, hki_node_get(in->value, "when"), "when", 0.0, &r[0]) &&
         add_operand(in, hki_node_get(in->value, "reset"), "reset", 0.0, &r[1]) &&
         add_operand(in, keeps ? hki_node_get(in->value, "of") : NULL, "kept", 1.0, &r[2]) &&
         finish(in->rd, out, &m, r, 3);
}

bool hki_rd_latch(const hk_rd_signal_in *in) {
  return check(in, hki_keys_latch, "latch") && make_latch(in, true, in->out);
}

bool hki_rd_first_hit(const hk_rd_signal_in *in) {
  const hk_memory m = {.fn = HK_MEMORY_FIRST_HIT};
  hk_read when;
  return check(in, hki_keys_first_hit, "first_hit") &&
         add_operand(in, hki_node_get(in->value, "when"), "when", 0.0, &when) &&
         finish(in->rd, in->out, &m, &when, 1);
}

bool hki_rd_after(const hk_rd_signal_in *in) {
  static const char text[] = "if(k0 != 0, k1, k2)";
  hk_reader *rd = in->rd;
  hk_read *r = hki_pool_alloc(rd->spec->pool, 3 * sizeof *r);
  const char *name = hki_pool_printf(rd->pool, "%s.latch", in->out->name);
  if (!r || !name || !check(in, hki_keys_after, "after")) return false;
  const int32_t i = hki_rd_signal_new(rd, in->s, name, in->out->loc, false);
  if (i < 0) return false;
  hk_spec_signal latch = rd->signals[i].s;
  if (!make_latch(in, false, &latch)) return false;
  rd->signals[i].s = latch;
  rd->signals[i].state = HK_RD_DONE;
  r[0] = (hk_read){.kind = HK_READ_SIGNAL, .signal = i};
  if (!add_operand(in, hki_node_get(in->value, "of"), "of", 0.0, &r[1]) ||
      !add_operand(in, hki_node_get(in->value, "before"), "before", 0.0, &r[2]))
    return false;
  in->out->reads = r;
  in->out->nreads = 3;
  in->out->expr = hki_rd_expr_slots(rd, text, sizeof text - 1, in->out->loc);
  return in->out->expr != NULL;
}

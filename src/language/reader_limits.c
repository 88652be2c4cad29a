/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_limits.c: blocks that cut their input u off or round it.
 *
 *   saturation  y = u held between a and b
 *   dead_zone   y = u - (u held between a and b)
 *   quantiser   y = o + q n held between a and b, n the whole number nearest to (u - o)/q (halves go
 *               away from zero), or the one below. Of `bits` and `range` [a, b]: q = (b - a)/2^bits,
 *               o = a, n from 0 to 2^bits - 1, as of an A/D converter
 *   rate_limit  sampled: expr/blocks.c. Else it is a follower, whose error is at most T times a rate:
 *               x' = (u - x)/T held between lo and hi,   y = x
 */
#include "language/reader_blocks.h"

#include <math.h>

/* clamp(operand, limits) */
static void write_clamped(hk_writer *w, const double limit[2]) {
  hki_text_add(&w->text, "clamp(");
  hki_write_operand(w, 0);
  hki_text_printf(&w->text, ", (%.17g), (%.17g))", limit[0], limit[1]);
}

/* the input held between limits, or what is left of it beyond them */
static bool read_clamped(const hk_rd_signal_in *in, bool beyond) {
  hk_maker m;
  hk_writer w;
  double limit[2];
  if (!hki_maker_begin(&m, in, true) || !hki_node_get(in->value, "limits") ||
      !hki_maker_limits(&m, "limits", limit))
    return false;
  hki_write_begin(&w, &m);
  if (beyond) {
    hki_write_operand(&w, 0);
    hki_text_add(&w.text, " - ");
  }
  write_clamped(&w, limit);
  return hki_write_value(&w);
}

bool hki_rd_saturation(const hk_rd_signal_in *in) { return read_clamped(in, false); }

bool hki_rd_dead_zone(const hk_rd_signal_in *in) { return read_clamped(in, true); }

/* --- quantiser -------------------------------------------------------------------------------- */

typedef struct steps {
  double q, offset, limit[2];
  int32_t how; /* 0: the nearest, 1: the one below */
} steps;

/* a converter of so many bits over a range */
static bool read_bits(const hk_maker *m, steps *z) {
  const hk_rd_signal_in *in = m->in;
  double bits, range[2];
  if (!hki_maker_number(m, "bits", &bits) || !hki_maker_limits(m, "range", range)) return false;
  if (!hki_node_get(in->value, "range") || !(bits >= 1.0 && bits <= 48.0) || bits != floor(bits)) {
    hki_rd_error(in->rd, in->value->loc, "for example bits: 12, range: [-10, 10]",
                 "a quantiser with 'bits' needs a whole number of them from 1 to 48 and a 'range'");
    return false;
  }
  z->q = ldexp(range[1] - range[0], -(int)bits);
  z->offset = range[0];
  z->limit[0] = range[0], z->limit[1] = range[1] - z->q;
  return true;
}

static bool read_steps(const hk_maker *m, steps *z) {
  const hk_rd_signal_in *in = m->in;
  const hk_node *step = hki_node_get(in->value, "step"), *bits = hki_node_get(in->value, "bits"),
                *how = hki_node_get(in->value, "rounding");
  if (how && !hki_rd_choice(in->rd, how, "rounding",
                            hki_params_find(in->block->keys, "rounding")->choices, &z->how))
    return false;
  if (!step == !bits) {
    hki_rd_error(in->rd, in->value->loc, "for example step: 0.01, or bits: 12, range: [-10, 10]",
                 "a quantiser has one of 'step' and 'bits'");
    return false;
  }
  if (bits) {
    const hk_node *foreign = hki_node_get(in->value, "limits");
    if (!foreign) foreign = hki_node_get(in->value, "offset");
    if (foreign)
      hki_rd_error(in->rd, foreign->loc, "leave it out",
                   "'range' gives the limits and the offset of a quantiser with 'bits'");
    return !foreign && read_bits(m, z);
  }
  z->limit[0] = -INFINITY, z->limit[1] = INFINITY;
  return hki_maker_number(m, "step", &z->q) && hki_maker_number(m, "offset", &z->offset) &&
         hki_maker_limits(m, "limits", z->limit);
}

bool hki_rd_quantiser(const hk_rd_signal_in *in) {
  hk_maker m;
  hk_writer w;
  steps z = {0};
  if (!hki_maker_begin(&m, in, true) || !read_steps(&m, &z)) return false;
  const bool limited = isfinite(z.limit[0]);
  hki_write_begin(&w, &m);
  hki_text_printf(&w.text, "%s(%.17g) + (%.17g)*%s((", limited ? "clamp(" : "", z.offset, z.q,
                  z.how ? "floor" : "round");
  hki_write_operand(&w, 0);
  hki_text_printf(&w.text, " - (%.17g))/(%.17g))", z.offset, z.q);
  if (limited) hki_text_printf(&w.text, ", (%.17g), (%.17g))", z.limit[0], z.limit[1]);
  return hki_write_value(&w);
}

/* --- limited rates ---------------------------------------------------------------------------- */

static bool follow(hk_maker *m, const double rates[2], double time, double start) {
  hk_writer w;
  if (!hki_maker_states(m, 1, NULL, isnan(start) ? 0.0 : start)) return false;
  hki_write_begin(&w, m);
  hki_text_add(&w.text, "clamp((");
  hki_write_operand(&w, 0);
  hki_text_add(&w.text, " - ");
  hki_write_state(&w, 0);
  hki_text_printf(&w.text, ")/(%.17g), (%.17g), (%.17g))", time, rates[0], rates[1]);
  if (!hki_write_rate(&w, 0)) return false;
  hki_write_begin(&w, m);
  hki_write_state(&w, 0);
  return hki_write_end(&w, m->in->out);
}

bool hki_rd_rate_limit(const hk_rd_signal_in *in) {
  hk_maker m;
  hk_memory memory = {.fn = HK_MEMORY_RATE_LIMIT};
  double time, start, *rates = memory.limit;
  if (!hki_maker_begin(&m, in, true) || !hki_node_get(in->value, "rates") ||
      !hki_maker_limits(&m, "rates", rates) || !hki_maker_number(&m, "time", &time) ||
      !hki_maker_number(&m, "start", &start))
    return false;
  if (isnan(time) == (m.period == 0.0)) {
    hki_rd_error(in->rd, in->value->loc,
                 "with 'period' it needs no time; without, 'time' is that of its follower",
                 "a rate_limit has one of 'period' and 'time'");
    return false;
  }
  if (m.period == 0.0) return follow(&m, rates, time, start);
  memory.period = m.period, memory.phase = m.phase, memory.start = start;
  const int32_t u = hki_maker_signal(&m, 0);
  return u != HK_NONE && hki_rd_memory(in->rd, in->out, &memory, &u, 1, NULL, 0);
}

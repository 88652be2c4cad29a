/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_pid.c: the block `pid`. With what is wanted r and what is y, or r the error and y = 0:
 *
 *   e = r - y,   w = c r - y
 *   v = kp (b r - y) + x + kd d,   u = v held between the limits
 *   x' = ki e + (u - v)/W          back calculation; W: `windup`, the time in which the integral
 *                                  forgets what was cut off
 *   x' = ki e, but 0 where the limits cut and ki e would drive it further            clamping
 *   d: `rate`, or filtered: z' = (w - z)/T, d = (w - z)/T
 *
 * Sampled it is the recursion of expr/blocks.c.
 *
 * Source: K. J. Astrom and T. Hagglund, PID controllers, 2nd edition, ISA 1995.
 */
#include "language/reader_blocks.h"

#include <math.h>

/* operands: the error, or r and y; then the rate; then, with limits, the value without them */
typedef struct pid {
  hk_pid c;
  bool pair, limited;
  int32_t rate, unlimited; /* operands */
} pid;

/* --- keys ------------------------------------------------------------------------------------- */

/* the error, or what is wanted and what is */
static bool read_inputs(hk_maker *m, pid *g) {
  const hk_rd_signal_in *in = m->in;
  const hk_node *wanted = hki_node_get(in->value, "setpoint"),
                *is = hki_node_get(in->value, "measurement"),
                *error = hki_node_get(in->value, in->controller ? "input" : "of");
  g->pair = wanted || is;
  if (!g->pair) {
    error = hki_maker_input(m);
    return error && hki_maker_operand(m, error, "of");
  }
  if (!wanted || !is || error) {
    hki_rd_error(in->rd, (error ? error : in->value)->loc,
                 "the error alone, or both what is wanted and what is",
                 "a pid has either '%s' or 'setpoint' and 'measurement'",
                 in->controller ? "input" : "of");
    return false;
  }
  return hki_maker_operand(m, wanted, "setpoint") && hki_maker_operand(m, is, "measurement");
}

static bool read_numbers(hk_maker *m, pid *g) {
  const hk_rd_signal_in *in = m->in;
  hk_pid *c = &g->c;
  const hk_node *how = hki_node_get(in->value, "anti_windup"),
                *weights = hki_node_get(in->value, "weights");
  int32_t choice = HK_WINDUP_BACK_CALCULATION;
  c->weight[0] = c->weight[1] = 1.0;
  c->limit[0] = -INFINITY, c->limit[1] = INFINITY;
  g->limited = hki_node_get(in->value, "limits") != NULL;
  if (!hki_maker_number(m, "kp", &c->kp) || !hki_maker_number(m, "ki", &c->ki) ||
      !hki_maker_number(m, "kd", &c->kd) || !hki_maker_number(m, "time", &c->time) ||
      !hki_maker_number(m, "windup", &c->windup) || !hki_maker_number(m, "start", &c->start) ||
      !hki_maker_limits(m, "limits", c->limit))
    return false;
  if (weights && !hki_rd_numbers(in->rd, in->s, weights, "weights", 2, c->weight)) return false;
  if (weights && !g->pair) {
    hki_rd_error(in->rd, weights->loc, "give 'setpoint' and 'measurement'",
                 "'weights' are those of the wanted value, and a pid of the error alone has none");
    return false;
  }
  if (how && !hki_rd_choice(in->rd, how, "anti_windup",
                            hki_params_find(in->block->keys, "anti_windup")->choices, &choice))
    return false;
  c->anti_windup = (hk_windup)choice;
  return true;
}

/* the derivative needs a rate or a filter; a sampled one makes differences without either */
static bool read_rate(hk_maker *m, pid *g) {
  const hk_rd_signal_in *in = m->in;
  const hk_node *rate = hki_node_get(in->value, "rate");
  g->c.rate = rate != NULL;
  g->rate = m->nu;
  if (rate && !hki_maker_operand(m, rate, "rate")) return false;
  const bool both = rate && !isnan(g->c.time), none = !rate && isnan(g->c.time);
  if (g->c.kd != 0.0 && (both || (none && m->period == 0.0))) {
    hki_rd_error(in->rd, in->value->loc, "give rate: the rate of the error, or time: of the filter",
                 "the 'kd' of a pid needs one of 'rate' and 'time'");
    return false;
  }
  if (isnan(g->c.time)) g->c.time = 0.0;
  return true;
}

/* --- expressions ------------------------------------------------------------------------------ */

/* gain (weight r - y) */
static void write_error(hk_writer *w, const pid *g, double gain, double weight) {
  hki_write_factor(w, g->pair ? gain * weight : gain), hki_write_operand(w, 0);
  if (g->pair) hki_write_factor(w, -gain), hki_write_operand(w, 1);
}

/* gain (w - z) with state 1 */
static void write_lag(hk_writer *w, const pid *g, double gain) {
  write_error(w, g, gain, g->c.weight[1]);
  hki_write_factor(w, -gain), hki_write_state(w, 1);
}

/* v: what the controller would give without limits */
static void write_unlimited(hk_writer *w, const pid *g) {
  write_error(w, g, g->c.kp, g->c.weight[0]);
  hki_write_factor(w, 1.0), hki_write_state(w, 0);
  if (g->c.kd == 0.0) return;
  if (g->c.rate)
    hki_write_factor(w, g->c.kd), hki_write_operand(w, g->rate);
  else
    write_lag(w, g, g->c.kd / g->c.time);
}

/* v becomes a signal of its own, one more operand */
static bool name_unlimited(hk_maker *m, pid *g) {
  hk_writer w;
  hki_write_begin(&w, m);
  write_unlimited(&w, g);
  const int32_t k =
      hki_write_signal(&w, hki_pool_printf(m->in->rd->pool, "%s.unlimited", m->in->out->name));
  if (k == HK_NONE) return false;
  g->unlimited = m->nu;
  m->signal[m->nu++] = k;
  return true;
}

static void write_limited(hk_writer *w, const pid *g) {
  hki_text_add(&w->text, "clamp(");
  hki_write_operand(w, g->unlimited);
  hki_text_printf(&w->text, ", (%.17g), (%.17g))", g->c.limit[0], g->c.limit[1]);
}

/* the rate of the integral, which gives way while the limits cut */
static bool write_integral(hk_maker *m, const pid *g) {
  hk_writer w;
  hki_write_begin(&w, m);
  if (g->limited && g->c.anti_windup == HK_WINDUP_CLAMPING) {
    // if((v - u) (ki e) > 0, 0, ki e)
    hki_text_add(&w.text, "if((");
    hki_write_operand(&w, g->unlimited);
    hki_text_add(&w.text, " - ");
    write_limited(&w, g);
    hki_text_add(&w.text, ")*(0");
    write_error(&w, g, g->c.ki, 1.0);
    hki_text_add(&w.text, ") > 0, 0, 0");
    write_error(&w, g, g->c.ki, 1.0);
    hki_text_add(&w.text, ")");
    return hki_write_rate(&w, 0);
  }
  write_error(&w, g, g->c.ki, 1.0);
  if (g->limited && g->c.anti_windup == HK_WINDUP_BACK_CALCULATION) {
    hki_write_factor(&w, 1.0 / g->c.windup), write_limited(&w, g);
    hki_write_factor(&w, -1.0 / g->c.windup), hki_write_operand(&w, g->unlimited);
  }
  return hki_write_rate(&w, 0);
}

static bool make_continuous(hk_maker *m, pid *g) {
  hk_writer w;
  const bool lag = g->c.kd != 0.0 && !g->c.rate;
  const double from[2] = {g->c.start, 0.0};
  if (!hki_maker_states(m, lag ? 2 : 1, from, 0.0)) return false;
  if (g->limited && !name_unlimited(m, g)) return false;
  if (!write_integral(m, g)) return false;
  if (lag) {
    hki_write_begin(&w, m);
    write_lag(&w, g, 1.0 / g->c.time);
    if (!hki_write_rate(&w, 1)) return false;
  }
  hki_write_begin(&w, m);
  if (g->limited)
    write_limited(&w, g);
  else
    write_unlimited(&w, g);
  return hki_write_end(&w, m->in->out);
}

/* --- sampled ---------------------------------------------------------------------------------- */

static bool make_sampled(hk_maker *m, const pid *g) {
  hk_reader *rd = m->in->rd;
  hk_pid *c = hki_pool_alloc(rd->spec->pool, sizeof *c);
  const char *zero = hki_pool_printf(rd->pool, "%s.zero", m->in->out->name);
  int32_t u[3];
  if (!c || !zero) return false;
  *c = g->c;
  u[0] = hki_maker_signal(m, 0);
  u[1] = g->pair ? hki_maker_signal(m, 1)
                 : hki_rd_signal_constant(rd, m->in->s, zero, m->in->out->loc, 0.0);
  u[2] = c->rate ? hki_maker_signal(m, g->rate) : 0;
  if (u[0] == HK_NONE || u[1] == HK_NONE || u[2] == HK_NONE) return false;
  const hk_memory memory = {.fn = HK_MEMORY_PID, .period = m->period, .phase = m->phase, .pid = c};
  return hki_rd_memory(rd, m->in->out, &memory, u, c->rate ? 3 : 2, NULL, 0);
}

bool hki_rd_pid(const hk_rd_signal_in *in) {
  hk_maker m;
  pid g = {0};
  if (!hki_maker_begin(&m, in, false) || !read_inputs(&m, &g) || !read_numbers(&m, &g) ||
      !read_rate(&m, &g))
    return false;
  return m.period > 0.0 ? make_sampled(&m, &g) : make_continuous(&m, &g);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_blocks.c: the table of blocks, and what their readers share.
 */
#include "language/reader_blocks.h"

#include <stdio.h>
#include <string.h>

/* --- the table -------------------------------------------------------------------------------- */

/* clang-format off */
static const hk_rd_block blocks[] = {
    {"pid", "proportional, integral and derivative, with limits and anti-windup", hki_keys_pid, true, hki_rd_pid, NULL, NULL},
    {"transfer_function", "a ratio of polynomials in s, or in z", hki_keys_transfer, true, hki_rd_transfer_function, NULL, NULL},
    {"state_space", "x' = A x + B u, y = C x + D u, also from files", hki_keys_state_space, true, hki_rd_state_space, hki_rd_state_space_ports, NULL},
    {"filter", "low pass or high pass of order 1 or 2", hki_keys_filter, true, hki_rd_filter, NULL, NULL},
    {"integral", "the integral over time", hki_keys_integral, true, hki_rd_integral, NULL, NULL},
    {"derivative", "the rate, filtered", hki_keys_derivative, true, hki_rd_derivative, NULL, NULL},
    {"sample", "taken at even times and held, with a filter in z^-1", hki_keys_sample, true, hki_rd_sample, NULL, NULL},
    {"delay", "what the input was a time ago", hki_keys_delay, true, hki_rd_delay, NULL, NULL},
    {"quantiser", "in steps, like a converter of so many bits", hki_keys_quantiser, true, hki_rd_quantiser, NULL, NULL},
    {"saturation", "held between two limits", hki_keys_saturation, true, hki_rd_saturation, NULL, NULL},
    {"dead_zone", "0 between two limits, less them outside", hki_keys_dead_zone, true, hki_rd_dead_zone, NULL, NULL},
    {"rate_limit", "follows the input with a limited rate", hki_keys_rate_limit, true, hki_rd_rate_limit, NULL, NULL},
    {"state_machine", "states, transitions by conditions and times, outputs that depend on the state", hki_keys_machine, false, hki_rd_state_machine, hki_rd_state_machine_ports, NULL},
};
/* clang-format on */

const hk_rd_block *hki_rd_block_at(int32_t i) {
  return i >= 0 && i < HK_ARRAY_LEN(blocks) ? &blocks[i] : NULL;
}

const hk_rd_block *hki_rd_block_find(const char *name) {
  for (int32_t i = 0; i < HK_ARRAY_LEN(blocks); i++)
    if (strcmp(blocks[i].name, name) == 0) return &blocks[i];
  return NULL;
}

/* --- keys and operands ------------------------------------------------------------------------ */

bool hki_maker_begin(hk_maker *m, const hk_rd_signal_in *in, bool operand) {
  const hk_param *common = in->controller ? hki_keys_controller : hki_keys_inline;
  const hk_param *const tables[] = {in->block->keys, common, NULL};
  *m = (hk_maker){.in = in};
  if (!hki_rd_check_keys(in->rd, in->value, tables, in->block->name, NULL)) return false;
  const hk_node *period = hki_node_get(in->value, "period"),
                *phase = hki_node_get(in->value, "phase");
  if (period &&
      !hki_rd_ranged(in->rd, in->s, period, hki_params_find(common, "period"), &m->period))
    return false;
  if (phase && !hki_rd_ranged(in->rd, in->s, phase, hki_params_find(common, "phase"), &m->phase))
    return false;
  if (phase && !period) {
    hki_rd_error(in->rd, phase->loc, "give 'period' too, or leave 'phase' out",
                 "'phase' is the time of the first sample, and '%s' is not sampled", in->out->name);
    return false;
  }
  if (period && !hki_maker_named(m, "remembers something")) return false;
  const hk_node *input = operand ? hki_maker_input(m) : NULL;
  return !operand || (input && hki_maker_operand(m, input, "of"));
}

const hk_node *hki_maker_input(hk_maker *m) {
  const char *key = m->in->controller ? "input" : "of";
  const hk_node *v = hki_node_get(m->in->value, key);
  if (!v)
    hki_rd_error(m->in->rd, m->in->value->loc, "a signal, an expression or a number",
                 "%s needs the key '%s'", m->in->block->name, key);
  return v;
}

bool hki_maker_named(const hk_maker *m, const char *verb) {
  if (m->in->out->named || m->in->controller) return true;
  hki_rd_error(m->in->rd, m->in->node->loc, "write it under 'signals:' and use its name here",
               "'%s' %s and needs a name", m->in->block->name, verb);
  return false;
}

bool hki_maker_operand(hk_maker *m, const hk_node *v, const char *key) {
  const hk_rd_signal_in *in = m->in;
  const char *name = hki_pool_printf(in->rd->pool, "%s.%s%d", in->out->name, key, (int)m->nu + 1);
  if (m->nu == HK_LINEAR_PORTS) {
    hki_rd_error(in->rd, v->loc, NULL, "'%s' has more than %d inputs", in->out->name,
                 HK_LINEAR_PORTS);
    return false;
  }
  const int32_t i = m->nu++;
  return name && hki_rd_dynamic(in->rd, in->s, v, name, 1, &m->constant[i], &m->signal[i]);
}

int32_t hki_maker_signal(hk_maker *m, int32_t i) {
  const hk_rd_signal_in *in = m->in;
  if (m->signal[i] != HK_NONE) return m->signal[i];
  const char *name = hki_pool_printf(in->rd->pool, "%s.input%d", in->out->name, (int)i + 1);
  if (name)
    m->signal[i] = hki_rd_signal_constant(in->rd, in->s, name, in->out->loc, m->constant[i]);
  return m->signal[i];
}

bool hki_maker_number(const hk_maker *m, const char *key, double *out) {
  const hk_param *p = hki_params_find(m->in->block->keys, key);
  const hk_node *v = hki_node_get(m->in->value, key);
  *out = p->def;
  return !v || hki_rd_ranged(m->in->rd, m->in->s, v, p, out);
}

bool hki_maker_limits(const hk_maker *m, const char *key, double limit[2]) {
  const hk_node *v = hki_node_get(m->in->value, key);
  if (!v) return true;
  if (!hki_rd_numbers(m->in->rd, m->in->s, v, key, 2, limit)) return false;
  if (limit[0] < limit[1]) return true;
  hki_rd_error(m->in->rd, v->loc, NULL, "the %s must ascend, found [%g, %g]", key, limit[0],
               limit[1]);
  return false;
}

bool hki_maker_states(hk_maker *m, int32_t n, const double *start, double all) {
  const hk_rd_signal_in *in = m->in;
  if (!hki_maker_named(m, "has states of its own")) return false;
  if (m->n + n > HK_MAKER_STATES) {
    hki_rd_error(in->rd, in->value->loc, "with 'period' it may have more",
                 "'%s' has more than %d states", in->out->name, HK_MAKER_STATES);
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

/* --- memory ----------------------------------------------------------------------------------- */

/* the sum of n inputs */
static hk_expr *sum_of(hk_reader *rd, int32_t n, hk_loc loc) {
  hk_text text;
  if (!n) return hki_expr_number(rd->spec->pool, 0.0);
  hki_text_init(&text, rd->ctx);
  for (int32_t i = 0; i < n; i++) hki_text_printf(&text, "%sk%d", i ? " + " : "", (int)i);
  hk_expr *e = hki_rd_expr_slots(rd, text.s, text.len, loc);
  hki_text_free(&text);
  return e;
}

bool hki_rd_memory(hk_reader *rd, hk_spec_signal *out, const hk_memory *from, const int32_t *reads,
                   int32_t n, const int32_t *late, int32_t nlate) {
  hk_memory *m = hki_pool_alloc(rd->spec->pool, sizeof *m);
  hk_read *r = hki_pool_alloc(rd->spec->pool, (size_t)(n + 1) * sizeof *r);
  int32_t *l = hki_pool_alloc(rd->spec->pool, (size_t)(nlate + 1) * sizeof *l);
  if (!m || !r || !l) return false;
  *m = *from;
  for (int32_t i = 0; i < n; i++) r[i] = (hk_read){.kind = HK_READ_SIGNAL, .signal = reads[i]};
  for (int32_t i = 0; i < nlate; i++) l[i] = late[i];
  out->kind = HK_SIGNAL_MEMORY;
  out->memory = m;
  out->reads = r, out->nreads = n;
  out->late = l, out->nlate = nlate;
  out->expr = sum_of(rd, n, out->loc);
  return out->expr != NULL;
}

bool hki_rd_port_fill(const hk_rd_signal_in *in, int32_t k, const hk_memory *port) {
  hk_rd_signal *s = &in->rd->signals[in->index + 1 + k];
  hk_spec_signal out = s->s;
  if (!hki_rd_memory(in->rd, &out, port, &in->index, 1, NULL, 0)) return false;
  s = &in->rd->signals[in->index + 1 + k];
  s->s = out;
  return true;
}

/* --- expressions ------------------------------------------------------------------------------ */

void hki_write_begin(hk_writer *w, hk_maker *m) {
  *w = (hk_writer){.m = m};
  hki_text_init(&w->text, m->in->rd->ctx);
}

static void write_read(hk_writer *w, hk_read r) {
  w->reads[w->n] = r;
  hki_text_printf(&w->text, "k%d", (int)w->n++);
}

void hki_write_state(hk_writer *w, int32_t i) {
  const hk_channel c = {HK_CH_FORCE_OUTPUT, 0, w->m->state[i]};
  write_read(w, (hk_read){.kind = HK_READ_CHANNEL, .signal = HK_NONE, .channel = c});
}

void hki_write_operand(hk_writer *w, int32_t i) {
  const hk_maker *m = w->m;
  if (m->signal[i] == HK_NONE)
    hki_text_printf(&w->text, "(%.17g)", m->constant[i]);
  else
    write_read(w, (hk_read){.kind = HK_READ_SIGNAL, .signal = m->signal[i]});
}

void hki_write_factor(hk_writer *w, double factor) {
  hki_text_printf(&w->text, "%s(%.17g)*", w->text.len ? " + " : "", factor);
}

bool hki_write_end(hk_writer *w, hk_spec_signal *out) {
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

int32_t hki_write_signal(hk_writer *w, const char *name) {
  hk_reader *rd = w->m->in->rd;
  int32_t k = name ? hki_rd_signal_new(rd, w->m->in->s, name, w->m->in->out->loc, false) : HK_NONE;
  if (k == HK_NONE) {
    hki_text_free(&w->text);
    return HK_NONE;
  }
  hk_spec_signal s = rd->signals[k].s;
  if (!hki_write_end(w, &s)) return HK_NONE;
  rd->signals[k].s = s;
  rd->signals[k].state = HK_RD_DONE;
  return k;
}

bool hki_write_rate(hk_writer *w, int32_t i) {
  hk_reader *rd = w->m->in->rd;
  const int32_t k =
      hki_write_signal(w, hki_pool_printf(rd->pool, "%s.rate%d", w->m->in->out->name, (int)i + 1));
  if (k != HK_NONE) rd->spec->forces[w->m->state[i]].u_signal[0] = k;
  return k != HK_NONE;
}

bool hki_write_value(hk_writer *w) {
  static const double one[] = {1.0};
  const hk_maker *m = w->m;
  hk_reader *rd = m->in->rd;
  if (m->period == 0.0) return hki_write_end(w, m->in->out);
  const int32_t of = hki_write_signal(w, hki_pool_printf(rd->pool, "%s.value", m->in->out->name));
  const hk_memory sample = {
      .fn = HK_MEMORY_SAMPLE, .period = m->period, .phase = m->phase, .a = {1, one}, .b = {1, one}};
  return of != HK_NONE && hki_rd_memory(rd, m->in->out, &sample, &of, 1, NULL, 0);
}

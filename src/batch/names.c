/* SPDX-License-Identifier: Apache-2.0
 *
 * names.c: what a batch calls by name: inputs, outputs (channels, or all that a pattern stands for), parameters.
 */
#include <stdio.h>
#include <string.h>

#include "batch/batch_impl.h"
#include "model/channel.h"

static hk_status add(hk_batch *b, hk_batch_names *list, const char *name) {
  const int32_t n = list->n;
  if ((n & (n - 1)) == 0) {
    const char **more = hki_pool_alloc(b->pool, (size_t)(n ? 2 * n : 1) * sizeof *more);
    if (!more) return HK_E_MEMORY;
    if (n) memcpy(more, list->of, (size_t)n * sizeof *more);
    list->of = more;
  }
  list->of[n] = hki_pool_strdup(b->pool, name);
  if (!list->of[n]) return HK_E_MEMORY;
  list->n++;
  return HK_OK;
}

static hk_status add_channel(hk_batch *b, hk_channel c) {
  char name[400];
  hki_channel_name(b->bridge[0].sim->m->spec, c, name, sizeof name);
  return add(b, &b->outputs, name);
}

static hk_status add_output(hk_batch *b, const char *text) {
  const hk_spec *spec = b->bridge[0].sim->m->spec;
  hk_channel *list = NULL, one;
  int32_t n = 0, cap = 0;
  char hint[300] = "";
  if (hki_channel_parse(spec, text, &one, hint, sizeof hint)) return add_channel(b, one);
  const int32_t got = hki_channel_match(b->ctx, spec, text, &list, &n, &cap);
  hk_status st = got < 0 ? HK_E_MEMORY : HK_OK;
  for (int32_t i = 0; st == HK_OK && i < n; i++) st = add_channel(b, list[i]);
  hki_free(b->ctx, list);
  if (got == 0) st = hki_error(b->ctx, HK_E_USAGE, HK_LOC_NONE, hint, "unknown channel '%s'", text);
  return st;
}

static hk_status find_outputs(hk_batch *b) {
  hk_sim *s = b->bridge[0].sim;
  hk_status st = HK_OK;
  if (b->opt.outputs)
    for (int32_t i = 0; i < b->opt.noutputs && st == HK_OK; i++)
      st = add_output(b, b->opt.outputs[i]);
  else
    for (int32_t i = 0; i < s->nchannels && st == HK_OK; i++) st = add_channel(b, s->channels[i]);
  b->handles = hki_pool_alloc(b->pool, ((size_t)b->outputs.n + 1) * sizeof *b->handles);
  if (st == HK_OK && !b->handles) st = HK_E_MEMORY;
  for (int32_t i = 0; i < b->outputs.n && st == HK_OK; i++) {
    b->handles[i] = hk_sim_channel_handle(s, b->outputs.of[i]);
    if (b->handles[i] < 0) st = HK_E_USAGE;
  }
  return st;
}

static hk_status find_parameter(hk_batch *b, const char *name, int32_t *number) {
  hk_sim *s = b->bridge[0].sim;
  hk_nearest near;
  char hint[200] = "";
  *number = hk_sim_parameter_find(s, name);
  if (*number >= 0) return add(b, &b->parameters, name);
  hki_nearest_init(&near, name);
  for (int32_t k = 0; k < hk_sim_parameter_count(s); k++)
    hki_nearest_try(&near, hk_sim_parameter_name(s, k));
  const char *best = hki_nearest_result(&near);
  if (best) snprintf(hint, sizeof hint, "did you mean '%.150s'?", best);
  return hki_error(b->ctx, HK_E_USAGE, HK_LOC_NONE, hint, "the model has no parameter '%s'", name);
}

hk_status hki_batch_find_names(hk_batch *b) {
  hk_sim *s = b->bridge[0].sim;
  const int32_t n = hk_sim_input_count(s);
  hk_status st = find_outputs(b);
  b->starts = hki_pool_alloc(b->pool, ((size_t)n + 1) * sizeof *b->starts);
  b->numbers = hki_pool_alloc(b->pool, ((size_t)b->opt.nparameters + 1) * sizeof *b->numbers);
  if (st == HK_OK && (!b->starts || !b->numbers)) st = HK_E_MEMORY;
  for (int32_t i = 0; i < n && st == HK_OK; i++) {
    st = add(b, &b->inputs, hk_sim_input_name(s, i));
    b->starts[i] = hk_sim_input_get(s, i);
  }
  for (int32_t i = 0; i < b->opt.nparameters && st == HK_OK; i++)
    st = find_parameter(b, b->opt.parameters[i], &b->numbers[i]);
  return st;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * block.c: sampled controllers of modules (expr/own_block.c).
 */
#include "expr/blocks.h"
#include "modules/modules_impl.h"

static bool prepare(const hk_block_ops *ops, void *par, double h, char *words, size_t cap) {
  const hk_plugin_block *t = ops->self;
  words[0] = '\0';
  hki_module_put_self(hki_module_self(t), par);
  return !t->prepare || t->prepare(par, h, words, cap) == 0;
}

static void start(const hk_block_ops *ops, const void *par, const double *u, double *x, double *y) {
  const hk_plugin_block *t = ops->self;
  for (int32_t i = 0; i < t->nx; i++) x[i] = 0.0;
  for (int32_t i = 0; i < t->ny; i++) y[i] = 0.0;
  if (t->start) t->start(par, u, x, y);
}

static void sample(const hk_block_ops *ops, const void *par, double t, double h, const double *u,
                   double *x, double *y) {
  ((const hk_plugin_block *)ops->self)->sample(par, t, h, u, x, y);
}

hk_status hki_module_block(hk_loading *l, const hk_plugin_block *t) {
  const hk_key_rules rules = {.kinds = HK_KEYS_PLAIN, .par_size = t->par_size};
  if (!hki_module_good(l, t->size, offsetof(hk_plugin_block, self), t->name, t->text) ||
      !hki_module_room(l, t->name, hki_module_self(t), t->par_size))
    return l->status;
  if (!t->sample || t->nu < 1 || t->nu > HK_LINEAR_PORTS || t->nx < 0 || t->nx > HK_LINEAR_STATES ||
      t->ny < 1 || t->ny > HK_LINEAR_PORTS)
    return hki_module_refuse(
        l, t->name, "it needs a function 'sample', 1 to %d inputs and outputs, at most %d states",
        HK_LINEAR_PORTS, HK_LINEAR_STATES);
  if (t->ny > 1 && (!t->outputs || hki_word_count(t->outputs) != t->ny))
    return hki_module_refuse(l, t->name, "'outputs' must name its %d outputs", (int)t->ny);
  hk_block_ops *ops = hki_module_alloc(l, sizeof *ops);
  const hk_param *params = hki_module_keys(l, t->name, t->keys, &rules);
  if (!ops || !params) return l->status;
  *ops = (hk_block_ops){.name = t->name,
                        .text = t->text,
                        .params = params,
                        .par_size = t->par_size,
                        .self = t,
                        .nu = t->nu,
                        .nx = t->nx,
                        .ny = t->ny,
                        .outputs = t->outputs,
                        .prepare = prepare,
                        .start = start,
                        .sample = sample};
  if (!hki_extend_add(l->ctx, HK_EXTEND_BLOCK, ops)) l->status = HK_E_MEMORY;
  return l->status;
}

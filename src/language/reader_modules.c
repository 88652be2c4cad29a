/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_modules.c: the key `modules:`, and laws and controllers of the types that modules bring.
 * Their elements and joints are read by their tables, as all others.
 */
#include "language/reader_blocks.h"
#include "modules/modules.h"

#include <stdio.h>
#include <string.h>

/* --- modules: [name, ..] ---------------------------------------------------------------------- */

static void need(hk_reader *rd, const hk_node *v) {
  char found[64];
  const char *name = hki_node_text(v);
  if (!name) {
    hki_rd_error(rd, v->loc, "for example modules: [mine]",
                 "'modules' must be a list of names, found %s",
                 hki_node_describe(v, found, sizeof found));
    return;
  }
  const char *folder = hki_rd_path(rd, v->loc, ".");
  if (folder) hki_module_need(rd->ctx, v->loc, name, folder);
}

bool hki_rd_modules_read(hk_reader *rd) {
  const int32_t errors = hki_error_count(rd->ctx);
  const hk_rd_scope *s = rd->scopes[0];
  for (int32_t i = 0; i < s->ndocs && !hki_rd_enough(rd); i++) {
    const hk_node *v = hki_node_get(s->docs[i], "modules");
    if (!v || v->kind == HK_NODE_NULL) continue;
    if (v->kind != HK_NODE_SEQUENCE) {
      need(rd, v);
      continue;
    }
    for (int32_t k = 0; k < v->count; k++) need(rd, v->items[k]);
  }
  return hki_error_count(rd->ctx) == errors;
}

/* --- parameters ------------------------------------------------------------------------------- */

/* the parameters of a law or block in the spec's pool, their keys already checked; NULL after an error */
static void *read_par(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const hk_param *params,
                      size_t size) {
  char *par = hki_pool_alloc(rd->spec->pool, size ? size : 1);
  bool ok = par != NULL;
  for (const hk_param *p = params; par && p->type != HK_P_END; p++) {
    const hk_node *v = hki_node_get(node, p->name);
    hki_rd_plain_default(p, par + p->offset);
    if (v) ok = hki_rd_plain(rd, s, v, p, par + p->offset) && ok;
  }
  return ok ? par : NULL;
}

/* --- laws ------------------------------------------------------------------------------------- */

const hk_law_ops *hki_rd_law_own(hk_reader *rd, const hk_node *node) {
  const hk_law_ops *ops = NULL;
  if (node->kind != HK_NODE_MAPPING) return NULL;
  for (int32_t i = 0; !ops && i < node->count; i++)
    ops = hki_law_known(rd->ctx, node->entries[i].key);
  return ops;
}

bool hki_rd_own_law(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const hk_law_ops *ops,
                    bool flip, hk_law *law) {
  const hk_node *v = hki_node_get(node, ops->name);
  const hk_param *const tables[] = {ops->params, NULL};
  char words[300];
  if (node->count != 1) {
    hki_rd_error(rd, node->loc, NULL, "the law '%s' stands alone: {%s: {..}}", ops->name,
                 ops->name);
    return false;
  }
  if (!hki_rd_check_keys(rd, v, tables, "the law", ops->name)) return false;
  void *par = read_par(rd, s, v, ops->params, ops->par_size);
  if (!par) return false;
  if (!ops->prepare(ops, par, words, sizeof words)) {
    hki_rd_error(rd, v->loc, NULL, "the law '%s': %s", ops->name, words);
    return false;
  }
  *law = (hk_law){.kind = HK_LAW_OWN, .flip = flip, .ops = ops, .par = par};
  return true;
}

/* --- controllers ------------------------------------------------------------------------------ */

/* operands: one input, or a list of as many as the block has */
static bool read_inputs(hk_maker *m, const hk_block_ops *ops) {
  const hk_node *v = hki_maker_input(m);
  if (!v) return false;
  if (v->kind != HK_NODE_SEQUENCE && ops->nu == 1) return hki_maker_operand(m, v, "input");
  if (v->kind != HK_NODE_SEQUENCE || v->count != ops->nu) {
    hki_rd_error(m->in->rd, v->loc, NULL, "'input' of a %s must be a list of %d", ops->name,
                 (int)ops->nu);
    return false;
  }
  bool ok = true;
  for (int32_t i = 0; i < v->count; i++) ok = hki_maker_operand(m, v->items[i], "input") && ok;
  return ok;
}

static bool own_block(const hk_rd_signal_in *in) {
  const hk_block_ops *ops = in->block->own;
  int32_t reads[HK_LINEAR_PORTS];
  hk_maker m;
  char words[300];
  if (!hki_maker_begin(&m, in, false) || !read_inputs(&m, ops)) return false;
  if (!(m.period > 0.0)) {
    hki_rd_error(in->rd, in->value->loc, "period: 0.001", "a %s needs the key 'period'", ops->name);
    return false;
  }
  void *par = read_par(in->rd, in->s, in->value, ops->params, ops->par_size);
  if (!par) return false;
  if (!ops->prepare(ops, par, m.period, words, sizeof words)) {
    hki_rd_error(in->rd, in->value->loc, NULL, "controller '%s': %s", in->out->name, words);
    return false;
  }
  for (int32_t i = 0; i < ops->nu; i++)
    if ((reads[i] = hki_maker_signal(&m, i)) == HK_NONE) return false;
  const hk_memory own = {
      .fn = HK_MEMORY_OWN, .period = m.period, .phase = m.phase, .own = ops, .par = par};
  if (!hki_rd_memory(in->rd, in->out, &own, reads, ops->nu, NULL, 0)) return false;
  for (int32_t i = 1; i < ops->ny; i++) {
    const hk_memory port = {.fn = HK_MEMORY_PORT, .port = hki_own_port(i)};
    if (!hki_rd_port_fill(in, i - 1, &port)) return false;
  }
  return true;
}

/* the first output is the signal of the controller itself */
static bool own_ports(hk_reader *rd, int32_t main, const hk_node *node) {
  const hk_block_ops *ops = rd->signals[main].block->own;
  for (int32_t i = 1; i < ops->ny; i++) {
    int n;
    const char *word = hki_word(ops->outputs, i, &n);
    const char *name = hki_pool_strndup(rd->pool, word, (size_t)n);
    if (!name || !hki_rd_port_add(rd, main, name, node->loc)) return false;
  }
  return true;
}

const hk_rd_block *hki_rd_block_own(hk_reader *rd, const char *name) {
  const hk_block_ops *ops;
  for (int32_t i = 0; (ops = hki_extend_at(rd->ctx, HK_EXTEND_BLOCK, i)); i++) {
    if (strcmp(ops->name, name) != 0) continue;
    hk_rd_block *b = hki_pool_alloc(rd->pool, sizeof *b);
    if (b)
      *b = (hk_rd_block){.name = ops->name,
                         .text = ops->text,
                         .keys = ops->params,
                         .read = own_block,
                         .ports = ops->ny > 1 ? own_ports : NULL,
                         .own = ops};
    return b;
  }
  return NULL;
}

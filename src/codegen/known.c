/* SPDX-License-Identifier: Apache-2.0
 *
 * known.c: what is known of truths on a way of a branch. Whoever follows it has decided about the conditions of the ways around it; a
 * later branch by the same condition, or one that these imply, has one way only. Without that, a list that may have lost its
 * last entry would be read behind its end, on a way that no step takes.
 */
#include "codegen/graph.h"

enum { DEPTH = 12 }; /* of conditions made of conditions; what lies deeper is not looked for */

static hk_known known_as(bool value) { return value ? HK_KNOWN_TRUE : HK_KNOWN_FALSE; }

static hk_known opposite(hk_known x) {
  return x == HK_KNOWN_NOT ? x : known_as(x == HK_KNOWN_FALSE);
}

/* what `truth` is where `fact` is `value` */
static hk_known follows(const hk_graph *g, hk_node fact, bool value, hk_node truth, int depth) {
  const hk_graph_node *x = hki_graph_at(g, fact);
  if (fact == truth) return known_as(value);
  if (depth == 0) return HK_KNOWN_NOT;
  if (x->op == HK_G_NOT) return follows(g, x->a[0], !value, truth, depth - 1);
  if (x->op != (value ? HK_G_AND : HK_G_OR)) return HK_KNOWN_NOT;
  const hk_known first = follows(g, x->a[0], value, truth, depth - 1);
  return first != HK_KNOWN_NOT ? first : follows(g, x->a[1], value, truth, depth - 1);
}

static hk_known find(const hk_graph *g, hk_node truth, int depth) {
  const hk_graph_node *x = hki_graph_at(g, truth);
  if (x->op == HK_G_INT) return known_as(x->number != 0);
  hk_known out = HK_KNOWN_NOT;
  for (uint32_t r = g->region; r && out == HK_KNOWN_NOT; r = g->regions[r].parent)
    out = follows(g, g->regions[r].condition, !g->regions[r].no, truth, DEPTH);
  if (out != HK_KNOWN_NOT || depth == 0) return out;
  if (x->op == HK_G_NOT) return opposite(find(g, x->a[0], depth - 1));
  if (x->op != HK_G_AND && x->op != HK_G_OR) return HK_KNOWN_NOT;
  // one side may decide, else both have to
  const hk_known decides = known_as(x->op == HK_G_OR);
  const hk_known a = find(g, x->a[0], depth - 1);
  if (a == decides) return a;
  const hk_known b = find(g, x->a[1], depth - 1);
  return b == decides || (a == b && a != HK_KNOWN_NOT) ? b : HK_KNOWN_NOT;
}

hk_known hki_graph_known(const hk_graph *g, hk_node truth) {
  return g->region ? find(g, truth, DEPTH) : HK_KNOWN_NOT;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_heats.c: `heats: node` of whatever dissipates: a heat source of the network, made by the
 * reader, that brings the power of a channel to a thermal node. Registered with its owner, since
 * forces have their places before any is read; completed when its owner is read.
 */
#include "elements/network.h"
#include "language/reader_signals.h"

#include <string.h>

static const char *source_name(hk_reader *rd, const char *owner) {
  return hki_pool_printf(rd->spec->pool, "%s.heat", owner);
}

bool hki_rd_heats_register(hk_reader *rd, hk_rd_scope *s, const char *owner, hk_loc loc) {
  const char *name = source_name(rd, owner);
  const int32_t i = name ? hki_rd_force_add(rd, s, name, loc, hki_netel_heat()) : -1;
  return i >= 0;
}

void hki_rd_heats(hk_reader *rd, hk_rd_scope *s, const hk_node *v, const char *owner,
                  hk_channel power) {
  const char *name = source_name(rd, owner);
  const int32_t source = name ? hki_names_find(rd->spec->force_names, name) : HK_NONE;
  const int32_t node = hki_rd_node(rd, s, v, "heats");
  if (source < 0 || node < 0) return;
  hk_spec_force *f = &rd->spec->forces[source];
  if (rd->spec->nodes[node].domain != f->ops->domains[HK_NETEL_HEATED]) {
    hki_rd_error(rd, v->loc, NULL, "'%s' is a node of type %s; heat flows into thermal ones",
                 v->text, hki_domain_infos[rd->spec->nodes[node].domain].name);
    return;
  }
  hk_read *read = hki_pool_alloc(rd->spec->pool, sizeof *read);
  const int32_t k = read ? hki_rd_signal_new(rd, s, name, v->loc, false) : HK_NONE;
  if (k < 0) return;
  *read = (hk_read){.kind = HK_READ_CHANNEL, .signal = HK_NONE, .channel = power};
  hk_spec_signal *out = &rd->signals[k].s;
  out->expr = hki_rd_expr_slots(rd, "k0", 2, v->loc);
  out->reads = read, out->nreads = 1;
  rd->signals[k].state = HK_RD_DONE;
  f->node[HK_NETEL_HEATED] = node;
  f->u_signal[0] = k;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_controllers.c: the section `controllers:`. Each item is a block (reader_blocks.h). Its
 * output is the signal controller.NAME; further outputs, its ports, are controller.NAME.PORT. The
 * main signal and its ports stand side by side among the signals.
 */
#include "language/reader_blocks.h"

#include <stdio.h>
#include <string.h>

/* one signal under a full name; its index, HK_NONE: out of memory, or the name is taken */
static int32_t enter(hk_reader *rd, hk_rd_scope *s, const char *name, hk_loc loc, bool *full) {
  int32_t at = 0;
  *full = true;
  if (!hki_names_add(rd->signal_names, name, rd->nsignals, &at)) {
    *full = at < 0;
    if (at >= 0) hki_rd_error(rd, loc, "choose another name", "'%s' is defined twice", name);
    return HK_NONE;
  }
  const int32_t i = hki_rd_signal_new(rd, s, name, loc, true);
  if (i < 0) return HK_NONE;
  rd->signals[i].s.controller = true;
  rd->signals[i].family = rd->family;
  return i;
}

bool hki_rd_port_add(hk_reader *rd, int32_t main, const char *port, hk_loc loc) {
  bool full;
  if (!hki_rd_good_name(rd, "output", port, loc, true)) return true;
  const char *name = hki_pool_printf(rd->pool, "%s.%s", rd->signals[main].s.name, port);
  const int32_t i = name ? enter(rd, rd->signals[main].scope, name, loc, &full) : HK_NONE;
  if (i == HK_NONE) return name && !full;
  rd->signals[i].block = rd->signals[main].block;
  rd->signals[i].main = main;
  rd->signals[main].nports++;
  return true;
}

/* the block that an item names under `type`; NULL after an error */
static const hk_rd_block *block_of(hk_reader *rd, const hk_entry *e) {
  const hk_node *type = hki_node_get(e->value, "type");
  const char *name = type ? hki_node_text(type) : NULL;
  const hk_rd_block *b = name ? hki_rd_block_find(name) : NULL, *k;
  char list[400] = "known are", hint[460];
  size_t n = strlen(list);
  hk_nearest near;
  if (!b && name) b = hki_rd_block_own(rd, name);
  if (b) return b;
  hki_nearest_init(&near, name ? name : "");
  for (int32_t i = 0; (k = hki_rd_block_at(i)); i++) {
    hki_nearest_try(&near, k->name);
    n += (size_t)snprintf(list + n, n < sizeof list ? sizeof list - n : 0, " %s", k->name);
  }
  if (!name) {
    hki_rd_error(rd, e->value->loc, list, "controller '%s' needs the key 'type'", e->key);
    return NULL;
  }
  const char *better = hki_rd_did_you_mean(&near, hint, sizeof hint);
  hki_rd_error(rd, type->loc, better ? better : list, "there is no controller of type '%.100s'",
               name);
  return NULL;
}

void hki_rd_controllers_register(hk_reader *rd, hk_rd_scope *s) {
  hk_rd_walk w = {0};
  for (hk_entry *e; (e = hki_rd_next(rd, s, "controllers", &w));) {
    char found[64];
    bool full;
    if (!hki_rd_good_name(rd, "controller", e->key, e->key_loc, true)) continue;
    if (e->value->kind != HK_NODE_MAPPING) {
      hki_rd_error(rd, e->value->loc, "write it as {type: pid, input: .., ..}",
                   "controller '%s' must be a mapping, found %s", e->key,
                   hki_node_describe(e->value, found, sizeof found));
      continue;
    }
    const hk_rd_block *b = block_of(rd, e);
    const char *name = hki_pool_printf(rd->pool, "controller.%s%s", s->prefix, e->key);
    if (!name) return;
    const int32_t i = b ? enter(rd, w.scope, name, e->key_loc, &full) : HK_NONE;
    if (b && i == HK_NONE && full) return;
    if (i == HK_NONE) continue;
    rd->signals[i].node = e->value;
    rd->signals[i].block = b;
    rd->signals[i].main = i;
    if (b->ports && !b->ports(rd, i, e->value)) return;
  }
}

void hki_rd_controller_read(hk_reader *rd, int32_t main) {
  hk_spec_signal out = rd->signals[main].s;
  const hk_node *node = rd->signals[main].node;
  const hk_rd_block *b = rd->signals[main].block;
  const hk_rd_signal_in in = {rd,  rd->signals[main].scope, node, node, HK_NONE, &out, b, true,
                              main};
  const bool ok = b->read(&in);
  // rd->signals may have moved
  rd->signals[main].s = out;
  for (int32_t i = main; i <= main + rd->signals[main].nports; i++)
    rd->signals[i].state = ok ? HK_RD_DONE : HK_RD_FAILED;
}

bool hki_rd_controller_several(hk_reader *rd, const hk_rd_scope *s, const char *name, hk_loc loc) {
  const int32_t main = hki_rd_signal_any(rd, s, name);
  char list[300] = "";
  size_t n = 0;
  if (main < 0 || !rd->signals[main].block || rd->signals[main].s.named) return false;
  for (int32_t i = 1; i <= rd->signals[main].nports && n < sizeof list; i++)
    n += (size_t)snprintf(list + n, sizeof list - n, "%s%.60s", i > 1 ? ", " : "",
                          rd->signals[main + i].s.name);
  hki_rd_error(rd, loc, list, "'%s' has several outputs, each with a name of its own", name);
  return true;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_live.c: parameters that change during a run. One that an event names under `set` is not
 * folded into numbers: it becomes a signal of the same name and of the kind `variable`, which begins
 * with the value of the parameter. Other parameters that are expressions of it become signals too, of
 * these expressions. Whatever may follow a signal follows them; whatever must be a constant is
 * refused, with the name of the event.
 */
#include "language/reader_blocks.h"
#include "language/reader_signals.h"

#include <stdio.h>

/* a parameter that an event of scope s sets */
static void mark(hk_reader *rd, const hk_rd_scope *s, const hk_entry *event, const hk_entry *item) {
  hk_rd_item *it = hki_rd_param_whole(rd, s, item->key);
  if (!it || item->value->kind == HK_NODE_MAPPING || it->event) return;
  if (it->state != HK_RD_NEW) {
    hki_rd_error(rd, item->key_loc, "give that a parameter of its own",
                 "event '%s' cannot set parameter '%s': the number of parts depends on it",
                 event->key, item->key);
    return;
  }
  it->event = event->key;
}

void hki_rd_live_mark(hk_reader *rd, hk_rd_scope *s) {
  hk_rd_walk w = {0};
  for (hk_entry *e; (e = hki_rd_next_raw(rd, s, "events", &w));) {
    const hk_node *set = e->value->kind == HK_NODE_MAPPING ? hki_node_get(e->value, "set") : NULL;
    for (int32_t i = 0; set && set->kind == HK_NODE_MAPPING && i < set->count; i++)
      mark(rd, s, e, &set->entries[i]);
  }
}

void hki_rd_live_refuse(hk_reader *rd, hk_loc loc, const hk_rd_item *it) {
  hki_error(rd->ctx, loc.file < 0 ? HK_E_USAGE : HK_E_MODEL, loc,
            "numbers of forces, prescribed motions, held nodes and signals can change",
            "event '%s' sets parameter '%s'%s, but this must be a constant", it->event, it->name,
            it->derived ? ", through another one" : "");
}

/* the variable of a parameter, with its value at the start */
static bool make_variable(hk_reader *rd, const hk_rd_item *it, hk_spec_signal *out) {
  const hk_memory m = {.fn = HK_MEMORY_VARIABLE};
  const char *name = hki_pool_printf(rd->pool, "%s.start", it->name);
  const int32_t of =
      name ? hki_rd_signal_constant(rd, it->scope, name, it->loc, it->value) : HK_NONE;
  return of != HK_NONE && hki_rd_memory(rd, out, &m, &of, 1, NULL, 0);
}

/* a parameter that follows others: its own text, or that of --set */
static bool make_expression(hk_reader *rd, const hk_rd_item *it, hk_spec_signal *out) {
  hk_node *text = it->set ? hki_rd_scalar(rd, it->set, strlen(it->set), it->loc) : NULL;
  const hk_node *node = it->set ? text : it->node;
  return node && hki_rd_signal_text(rd, it->eval, node, out, &out->expr);
}

bool hki_rd_live(hk_reader *rd, const hk_rd_scope *s, const char *name) {
  const hk_rd_item *it = hki_rd_param_find(rd, s, name);
  return it && it->event && it->state == HK_RD_DONE && it->kind == HK_RD_NUMBER;
}

int32_t hki_rd_live_signal(hk_reader *rd, const hk_rd_scope *s, const char *name) {
  hk_rd_item *it = hki_rd_param_whole(rd, s, name);
  int32_t at = 0;
  if (!it || it->signal) return it ? it->signal - 1 : HK_NONE;
  const int32_t i = hki_rd_signal_new(rd, it->scope, it->name, it->loc, !it->derived);
  if (i < 0 || (!it->derived && !hki_names_add(rd->signal_names, it->name, i, &at))) return HK_NONE;
  it->signal = i + 1;
  hk_spec_signal out = rd->signals[i].s;
  const bool ok = it->derived ? make_expression(rd, it, &out) : make_variable(rd, it, &out);
  // the list of signals may have moved
  rd->signals[i].s = out;
  rd->signals[i].state = ok ? HK_RD_DONE : HK_RD_FAILED;
  return ok ? i : HK_NONE;
}

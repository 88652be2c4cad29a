/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_nodes.c: scalar nodes. `ground` is the reference of every kind, at the value 0.
 */
#include "language/reader.h"
#include "language/reader_shapes.h"

#include <stdio.h>
#include <string.h>

void hki_rd_nodes_register(hk_reader *rd, hk_rd_scope *s) {
  hk_spec *spec = rd->spec;
  hk_rd_walk w = {0};
  for (hk_entry *e; (e = hki_rd_next(rd, s, "nodes", &w));) {
    const char *name;
    int32_t domain = HK_DOMAIN_ABSTRACT;
    if (strcmp(e->key, "ground") == 0) {
      hki_rd_error(rd, e->key_loc, "give a node of another name a 'value:'",
                   "'ground' is built in: the reference of every kind of node, at the value 0");
      continue;
    }
    if (!hki_rd_name_add(rd, w.scope, spec->node_names, e, "node", spec->nnodes, rd->nodes, &name))
      continue;
    if (!HK_GROW(rd->ctx, spec->nodes, rd->nodes_cap, spec->nnodes + 1)) return;
    if (!hki_rd_side_add(rd, &rd->nodes, 4, spec->nnodes, w.scope, e)) return;
    // the type is read now because the names of the node's channels depend on it
    const hk_node *type = hki_node_get(e->value, "type");
    if (type) hki_rd_choice(rd, type, "type", "electric hydraulic thermal abstract", &domain);
    spec->nodes[spec->nnodes++] = (hk_spec_node){.name = name,
                                                 .loc = e->key_loc,
                                                 .domain = (hk_domain)domain,
                                                 .scale = hki_domain_infos[domain].scale,
                                                 .signal = HK_NONE};
  }
}

void hki_rd_node_read(hk_reader *rd, int32_t i) {
  static const hk_param *const tables[] = {hki_keys_node, NULL};
  hk_rd_scope *s = rd->nodes[i].scope;
  const hk_node *node = rd->nodes[i].entry->value;
  hk_spec_node *n = &rd->spec->nodes[i];
  char name[700];
  if (!hki_rd_check_keys(rd, node, tables, "node", n->name)) return;
  const hk_node *start = hki_node_get(node, "start"), *value = hki_node_get(node, "value");
  const hk_node *scale = hki_node_get(node, "scale");
  if (start) hki_rd_number(rd, s, start, "start", &n->start);
  for (const hk_param *p = hki_keys_node; scale && p->type != HK_P_END; p++)
    if (strcmp(p->name, "scale") == 0) hki_rd_ranged(rd, s, scale, p, &n->scale);
  if (!value) return;
  n->held = true;
  if (start)
    hki_rd_error(rd, start->loc, "leave 'start' out",
                 "node '%s' is held at its 'value' and has no start", n->name);
  snprintf(name, sizeof name, "node.%s.value", n->name);
  hki_rd_dynamic(rd, s, value, name, 1, &n->value, &n->signal);
}

/* what a name that is no scalar node stands for; NULL: nothing */
static const char *kind_of(const hk_spec *spec, const char *name) {
  if (hki_names_find(spec->body_names, name) >= 0) return "body";
  if (hki_names_find(spec->joint_names, name) >= 0) return "joint";
  if (hki_names_find(spec->force_names, name) >= 0) return "force or element";
  return NULL;
}

static void set_still(hk_reader *rd, const hk_node *v) {
  const char *name = hki_node_text(v);
  const char *kind = name && hki_rd_node_find(rd, rd->scopes[0], name) < HK_GROUND
                         ? kind_of(rd->spec, name)
                         : NULL;
  if (kind) {
    hki_rd_error(rd, v->loc, "name nodes of 'nodes:'",
                 "'%.100s' is a %s; 'quasi_steady' names scalar nodes, whose storage it drops",
                 name, kind);
    return;
  }
  const int32_t i = hki_rd_node(rd, rd->scopes[0], v, "quasi_steady");
  if (i < HK_GROUND) return;
  if (i == HK_GROUND || rd->spec->nodes[i].held)
    hki_rd_error(rd, v->loc, "leave it out", "node '%.100s' is held at a value and stores nothing",
                 name);
  else
    rd->spec->nodes[i].still = true;
}

void hki_rd_quasi_steady(hk_reader *rd) {
  const hk_node *v = hki_rd_run_key(rd, "quasi_steady");
  char found[64];
  if (!v) return;
  if (v->kind != HK_NODE_SEQUENCE) {
    hki_rd_error(rd, v->loc, "for example [line, tank]",
                 "'quasi_steady' must be a list of nodes, found %s",
                 hki_node_describe(v, found, sizeof found));
    return;
  }
  for (int32_t i = 0; i < v->count; i++) set_still(rd, v->items[i]);
}

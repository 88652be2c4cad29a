/* SPDX-License-Identifier: Apache-2.0
 *
 * keys.c: the table of keys of a type from a module, as one of the library's own (base/params.h).
 */
#include <string.h>

#include <math.h>

#include "modules/modules_impl.h"

enum { MOST_KEYS = 60 };

/* what a kind is in the library, and the bytes of its value; 0: it has none in the parameters */
static const struct {
  hk_ptype type;
  size_t bytes;
} kinds[] = {
    [HK_PLUGIN_REAL] = {HK_P_REAL, sizeof(double)},
    [HK_PLUGIN_INT] = {HK_P_INT, sizeof(int32_t)},
    [HK_PLUGIN_BOOL] = {HK_P_BOOL, sizeof(int8_t)},
    [HK_PLUGIN_CHOICE] = {HK_P_CHOICE, sizeof(int32_t)},
    [HK_PLUGIN_TEXT] = {HK_P_TEXT, sizeof(char *)},
    [HK_PLUGIN_SIGNAL] = {HK_P_DYNAMIC, 0},
    [HK_PLUGIN_SIGNAL3] = {HK_P_DYNAMIC3, 0},
    [HK_PLUGIN_BODIES] = {HK_P_BODIES, 0},
    [HK_PLUGIN_BODY] = {HK_P_BODY, 0},
    [HK_PLUGIN_ENDS] = {HK_P_ENDS, 0},
    [HK_PLUGIN_POINT] = {HK_P_POINT, 0},
    [HK_PLUGIN_JOINT] = {HK_P_JOINT, 0},
    [HK_PLUGIN_NODE] = {HK_P_NODE, 0},
    [HK_PLUGIN_NODES] = {HK_P_NODES, 0},
    [HK_PLUGIN_AXIS] = {HK_P_AXIS, 0},
};
_Static_assert(sizeof(bool) == sizeof(int8_t), "a bool is one byte");

/* where the value goes; false: it does not fit */
static bool place(const hk_plugin_key *k, const hk_key_rules *r, int32_t *offset) {
  const size_t bytes = kinds[k->kind].bytes;
  *offset = k->offset;
  switch (k->kind) {
    case HK_PLUGIN_SIGNAL:
      return k->offset >= 0 && k->offset < r->nu;
    case HK_PLUGIN_SIGNAL3:
      return k->offset >= 0 && k->offset + 2 < r->nu;
    case HK_PLUGIN_NODE:
      return k->offset >= 0 && k->offset < r->nnode;
    case HK_PLUGIN_NODES:
      return k->offset >= 0 && k->offset + 1 < r->nnode;
    default:
      break;
  }
  if (!bytes) {
    *offset = HK_P_HAND;
    return true;
  }
  *offset += (int32_t)r->head;
  return k->offset >= 0 && (size_t)k->offset + bytes <= r->par_size &&
         (size_t)k->offset % bytes == 0;
}

static bool fill(hk_loading *l, const char *type, const hk_plugin_key *k, const hk_key_rules *r,
                 hk_param *row) {
  int32_t offset;
  if (!k->name || !*k->name) {
    hki_module_refuse(l, type, "a key has no name");
  } else if (k->kind < 0 || k->kind >= HK_ARRAY_LEN(kinds) || !(r->kinds >> k->kind & 1u)) {
    hki_module_refuse(l, type, "the key '%.60s' is of a kind that it cannot have", k->name);
  } else if (!place(k, r, &offset)) {
    hki_module_refuse(l, type, "the key '%.60s' lies outside its parameters, inputs or nodes",
                      k->name);
  } else if (k->kind == HK_PLUGIN_CHOICE && (!k->choices || !*k->choices)) {
    hki_module_refuse(l, type, "the key '%.60s' is a choice without words", k->name);
  } else {
    *row = (hk_param){.name = k->name,
                      .type = kinds[k->kind].type,
                      .flags = k->flags & (HK_P_REQUIRED | HK_P_POSITIVE | HK_P_NONNEGATIVE),
                      .offset = offset,
                      .def = k->def,
                      .min = k->min,
                      .max = k->max,
                      .unit = k->unit ? k->unit : "",
                      .choices = k->choices,
                      .text = k->text ? k->text : ""};
    return true;
  }
  return false;
}

const hk_param *hki_module_keys(hk_loading *l, const char *type, const hk_plugin_key *keys,
                                const hk_key_rules *rules) {
  static const hk_plugin_key none[] = {{.kind = HK_PLUGIN_END}};
  int32_t n = 0;
  if (!keys) keys = none;
  while (keys[n].kind != HK_PLUGIN_END && n < MOST_KEYS) n++;
  if (n == MOST_KEYS) {
    hki_module_refuse(l, type, "it has more than %d keys, or a table without an end", MOST_KEYS);
    return NULL;
  }
  hk_param *rows = hki_module_alloc(l, (size_t)(n + 1) * sizeof *rows);
  for (int32_t i = 0; rows && i < n; i++) {
    if (!fill(l, type, &keys[i], rules, &rows[i])) return NULL;
    for (int32_t k = 0; k < i; k++)
      if (strcmp(rows[k].name, rows[i].name) == 0) {
        hki_module_refuse(l, type, "it has the key '%.60s' twice", rows[i].name);
        return NULL;
      }
  }
  if (rows) rows[n] = (hk_param)HK_PARAM_END;
  return rows;
}

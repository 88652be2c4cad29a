/* SPDX-License-Identifier: Apache-2.0
 *
 * elements.c: the table of force elements, made from elements.def.
 */
#include <string.h>

#include "base/extend.h"
#include "elements/element.h"

#define X(name) extern const hk_element_ops hki_element_##name;
#include "elements/elements.def"
#undef X

static const hk_element_ops *const table[] = {
#define X(name) &hki_element_##name,
#include "elements/elements.def"
#undef X
};

/* clang-format off */
const hk_param hki_element_common_params[] = {
    {"type", HK_P_TEXT, HK_P_REQUIRED, HK_P_HAND, 0, 0, 0, "", NULL, "its type, see 'hooke list forces' and 'hooke list network'"},
    HK_PARAM_END};
/* clang-format on */

const char *hki_element_fault(const hk_element_ops *ops) {
  HK_TABLE_NEEDS(true, ops, name);
  HK_TABLE_NEEDS(true, ops, text);
  HK_TABLE_NEEDS(true, ops, source);
  HK_TABLE_NEEDS(true, ops, params);
  HK_TABLE_NEEDS(true, ops, eval);
  HK_TABLE_HOLDS(ops->nmark >= 0 && ops->nmark <= HK_ELEMENT_MARKERS);
  HK_TABLE_HOLDS(ops->rank >= 0 && ops->rank <= HK_ELEMENT_RANK);
  HK_TABLE_HOLDS(ops->nu >= 0 && ops->nu <= HK_ELEMENT_INPUTS);
  HK_TABLE_HOLDS(ops->nd >= 0 && ops->nd <= HK_ELEMENT_DISCRETE);
  HK_TABLE_HOLDS(ops->ny >= 0 && ops->ny <= HK_ELEMENT_OUTPUTS);
  HK_TABLE_HOLDS(ops->nnode >= 0 && ops->nnode <= HK_ELEMENT_NODES);
  HK_TABLE_HOLDS(ops->nnode + ops->nown <= HK_ELEMENT_UNKNOWNS);
  HK_TABLE_NEEDS(ops->ny > 0, ops, outputs);
  HK_TABLE_NEEDS(ops->ny > 0, ops, output_units);
  HK_TABLE_NEEDS(ops->nnode > 0, ops, domains);
  HK_TABLE_NEEDS(ops->nown > 0, ops, own_scale);
  HK_TABLE_NEEDS(ops->nd > 0 && !ops->hook && !ops->follow, ops, decide);
  return NULL;
}

/* an entry of the table, complete */
static const hk_element_ops *entry(int32_t i) {
  HK_ASSERT_TABLE("element", table[i], hki_element_fault);
  return table[i];
}

int32_t hki_element_count(void) { return HK_ARRAY_LEN(table); }

int32_t hki_element_force_count(void) {
  int32_t n = 0;
  while (n < hki_element_count() && !(table[n]->caps & HK_ELEMENT_NETWORK)) n++;
  return n;
}

const hk_element_ops *hki_element_at(int32_t i) {
  return i >= 0 && i < hki_element_count() ? entry(i) : NULL;
}

const hk_element_ops *hki_element_find(const char *name) {
  for (int32_t i = 0; i < hki_element_count(); i++)
    if (strcmp(table[i]->name, name) == 0) return entry(i);
  return NULL;
}

const hk_element_ops *hki_element_slip(void) {
  int32_t i = 0;
  while (!(table[i]->caps & HK_ELEMENT_SLIP)) i++;
  return entry(i);
}

const hk_element_ops *hki_element_known(const hk_ctx *ctx, const char *name) {
  const hk_element_ops *ops = hki_element_find(name);
  for (int32_t i = 0; !ops && i < hki_extend_count(ctx, HK_EXTEND_ELEMENT); i++) {
    const hk_element_ops *more = hki_extend_at(ctx, HK_EXTEND_ELEMENT, i);
    if (strcmp(more->name, name) == 0) ops = more;
  }
  return ops;
}

const hk_element_ops *hki_element_of(const hk_ctx *ctx, bool network, int32_t i) {
  const int32_t own = hki_element_count();
  for (int32_t k = 0; k < own + hki_extend_count(ctx, HK_EXTEND_ELEMENT); k++) {
    const hk_element_ops *ops = k < own ? entry(k) : hki_extend_at(ctx, HK_EXTEND_ELEMENT, k - own);
    if (((ops->caps & HK_ELEMENT_NETWORK) != 0) == network && i-- == 0) return ops;
  }
  return NULL;
}

void hki_element_memory(const hk_element_ops *ops, const void *par, int32_t *nz, int32_t *nd) {
  const hk_law *law[HK_ELEMENT_LAWS];
  const int32_t n = ops->laws ? ops->laws(par, law) : 0;
  *nz = ops->states ? ops->states(par, NULL) : 0;
  *nd = 0;
  for (int32_t i = 0; i < n; i++) *nz += law[i]->nz, *nd += law[i]->nd;
}

void hki_element_units(const hk_element_ops *ops, const void *par, double *unit) {
  const hk_law *law[HK_ELEMENT_LAWS];
  const int32_t n = ops->laws ? ops->laws(par, law) : 0;
  if (ops->states) unit += ops->states(par, unit);
  for (int32_t i = 0; i < n; i++) hki_law_units(law[i], unit), unit += law[i]->nz;
}

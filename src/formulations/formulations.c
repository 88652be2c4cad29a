/* SPDX-License-Identifier: Apache-2.0
 *
 * formulations.c: the table of formulations, from formulations.def.
 */
#include <string.h>

#include "formulations/formulation.h"

#define X(name) extern const hk_formulation_entry hki_formulation_##name;
#include "formulations/formulations.def"
#undef X

static const hk_formulation_entry *const table[] = {
#define X(name) &hki_formulation_##name,
#include "formulations/formulations.def"
#undef X
};

/* an entry of the table, complete */
static const hk_formulation_entry *entry(int32_t i) {
  HK_ASSERT(table[i]->create && table[i]->kin && table[i]->cost &&
            table[i]->par_size <= HK_FORMULATION_PAR_MAX);
  HK_ASSERT_TABLE("formulation", table[i]->ops, hki_formulation_fault);
  return table[i];
}

int32_t hki_formulation_count(void) { return HK_ARRAY_LEN(table); }

const hk_formulation_entry *hki_formulation_at(int32_t i) { return entry(i); }

hk_status hki_formulation_create(const hk_formulation_entry *fe, hk_ctx *ctx, const hk_model *m,
                                 const void *par, hk_formulation **out) {
  *out = NULL;
  hk_status st = fe->create(ctx, m, par, out);
  if (st != HK_OK || !m->nx || !fe->net) return st;
  st = hki_net_wrap(ctx, m, *out, fe->net, fe->kin(*out));
  if (st != HK_OK) {
    (*out)->ops->destroy(*out);
    *out = NULL;
  }
  return st;
}

const hk_formulation_entry *hki_formulation_find(const char *name) {
  for (int32_t i = 0; i < HK_ARRAY_LEN(table); i++)
    if (!strcmp(table[i]->ops->name, name)) return entry(i);
  return NULL;
}

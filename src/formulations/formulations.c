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

int32_t hki_formulation_count(void) { return HK_ARRAY_LEN(table); }

const hk_formulation_entry *hki_formulation_at(int32_t i) { return table[i]; }

const hk_formulation_entry *hki_formulation_find(const char *name) {
  for (int32_t i = 0; i < HK_ARRAY_LEN(table); i++)
    if (!strcmp(table[i]->ops->name, name)) return table[i];
  return NULL;
}

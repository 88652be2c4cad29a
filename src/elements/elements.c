/* SPDX-License-Identifier: Apache-2.0
 *
 * elements.c: the table of force elements, made from elements.def.
 */
#include <string.h>

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
    {NULL, HK_P_END, 0, 0, 0, 0, 0, NULL, NULL, NULL}};
/* clang-format on */

int32_t hki_element_count(void) { return HK_ARRAY_LEN(table); }

int32_t hki_element_force_count(void) {
  int32_t n = 0;
  while (n < hki_element_count() && !(table[n]->caps & HK_ELEMENT_NETWORK)) n++;
  return n;
}

const hk_element_ops *hki_element_at(int32_t i) {
  return i >= 0 && i < hki_element_count() ? table[i] : NULL;
}

const hk_element_ops *hki_element_find(const char *name) {
  for (int32_t i = 0; i < hki_element_count(); i++)
    if (strcmp(table[i]->name, name) == 0) return table[i];
  return NULL;
}

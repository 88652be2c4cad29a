/* SPDX-License-Identifier: Apache-2.0
 *
 * integrators.c: the table of integrators, from integrators.def.
 */
#include <string.h>

#include "base/extend.h"
#include "integrators/integrator.h"

#define X(name) extern const hk_integrator_ops hki_integrator_##name;
#include "integrators/integrators.def"
#undef X

static const hk_integrator_ops *const table[] = {
#define X(name) &hki_integrator_##name,
#include "integrators/integrators.def"
#undef X
};

/* an entry of the table, complete */
static const hk_integrator_ops *entry(int32_t i) {
  HK_ASSERT(table[i]->par_size <= HK_INTEGRATOR_PAR_MAX);
  HK_ASSERT_TABLE("integrator", table[i], hki_integrator_fault);
  return table[i];
}

int32_t hki_integrator_count(void) { return HK_ARRAY_LEN(table); }

const hk_integrator_ops *hki_integrator_at(int32_t i) { return entry(i); }

const hk_integrator_ops *hki_integrator_find(const char *name) {
  for (int32_t i = 0; i < HK_ARRAY_LEN(table); i++)
    if (!strcmp(table[i]->name, name)) return entry(i);
  return NULL;
}

const hk_integrator_ops *hki_integrator_of(const hk_ctx *ctx, int32_t i) {
  const int32_t own = HK_ARRAY_LEN(table);
  return i < own ? entry(i) : hki_extend_at(ctx, HK_EXTEND_INTEGRATOR, i - own);
}

const hk_integrator_ops *hki_integrator_known(const hk_ctx *ctx, const char *name) {
  const hk_integrator_ops *ops = hki_integrator_find(name), *more;
  for (int32_t i = HK_ARRAY_LEN(table); !ops && (more = hki_integrator_of(ctx, i)); i++)
    if (strcmp(more->name, name) == 0) ops = more;
  return ops;
}

const hk_param hki_no_params[] = {HK_PARAM_END};

bool hki_nothing_to_choose(void *par, uint64_t given, char *buf, size_t cap) {
  (void)par, (void)given, (void)buf, (void)cap;
  return true;
}

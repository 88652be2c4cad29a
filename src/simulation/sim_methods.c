/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_methods.c: formulations and integrators that would do, for defaults and hints: lists are made
 * from the tables, so that a new method is in them by itself.
 */
#include <stdio.h>

#include "simulation/simulation.h"

/* one more name of a list */
static void put(char *buf, size_t cap, int32_t *n, const char *name) {
  size_t at = strlen(buf);
  if (at < cap) snprintf(buf + at, cap - at, "%s%s", *n ? ", " : "", name);
  ++*n;
}

int32_t hki_sim_list_formulations(const hk_sim *s, hk_fits_formulation *fits, char *buf,
                                  size_t cap) {
  int32_t n = 0;
  buf[0] = '\0';
  for (int32_t i = 0; i < hki_formulation_count(); i++) {
    const hk_formulation_ops *f = hki_formulation_at(i)->ops;
    if (fits(s, f)) put(buf, cap, &n, f->name);
  }
  return n;
}

int32_t hki_sim_list_integrators(const hk_sim *s, hk_fits_integrator *fits, char *buf, size_t cap) {
  int32_t n = 0;
  buf[0] = '\0';
  const hk_integrator_ops *ops;
  for (int32_t i = 0; (ops = hki_integrator_of(s->ctx, i)); i++)
    if (fits(s, ops)) put(buf, cap, &n, ops->name);
  return n;
}

bool hki_fits_model(const hk_sim *s, const hk_formulation_ops *f) {
  char buf[512];
  return !hki_sim_fits(s->m, f, buf, sizeof buf);
}

bool hki_fits_integrator(const hk_sim *s, const hk_formulation_ops *f) {
  char buf[256];
  return !hki_compatible(f, s->I.ops, buf, sizeof buf);
}

bool hki_fits_formulation(const hk_sim *s, const hk_integrator_ops *i) {
  char buf[256];
  return !hki_compatible(s->fe->ops, i, buf, sizeof buf);
}

/* passes positions where constraints lose rank */
static bool passes(const hk_sim *s, const hk_formulation_ops *f) {
  return !(f->caps & HK_CAP_REGULAR) && hki_fits_model(s, f) && hki_fits_integrator(s, f);
}

const char *hki_sim_passes(const hk_sim *s) {
  for (int32_t i = 0; i < hki_formulation_count(); i++)
    if (passes(s, hki_formulation_at(i)->ops)) return hki_formulation_at(i)->ops->name;
  return NULL;
}

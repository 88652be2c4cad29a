/* SPDX-License-Identifier: Apache-2.0
 *
 * support_forces.c: force elements by their keys; see support.h.
 */
#include "support.h"

static const hk_param *key(const hk_spec_force *f, const char *name) {
  for (const hk_param *p = f->ops->params; p->type != HK_P_END; p++)
    if (strcmp(p->name, name) == 0) return p;
  ck_abort_msg("%s has no key '%s'", f->ops->name, name);
  return NULL;
}

void force_u(build *b, int32_t f, const char *name, double x) {
  hk_spec_force *sf = &b->spec->forces[f];
  int32_t i = key(sf, name)->offset;
  sf->u[i] = x;
  sf->u_given |= 1u << i;
}

void force_par(build *b, int32_t f, const char *name, const void *data, size_t size) {
  hk_spec_force *sf = &b->spec->forces[f];
  memcpy((char *)sf->par + key(sf, name)->offset, data, size);
}

void force_done(build *b, int32_t f) {
  hk_spec_force *sf = &b->spec->forces[f];
  hk_frame m0[2] = {0};
  for (int i = 0; i < 2; i++) {
    memcpy(m0[i].R, sf->marker[i].R, sizeof m0[i].R);
    v3_copy(m0[i].p, sf->marker[i].p);
  }
  if (sf->ops->prepare)
    ck_assert_int_eq(sf->ops->prepare(b->ctx, HK_LOC_NONE, sf->name, sf->par, sf->u_given, sf->u,
                                      sf->ops->nmark ? m0 : NULL),
                     HK_OK);
}

/* a name that no other force has */
const char *force_name(const build *b) {
  static char name[32];
  snprintf(name, sizeof name, "f%d", (int)b->spec->nforces);
  return name;
}

int32_t build_spring(build *b, int32_t first, int32_t second, const double *p, const double *q,
                     double k, double c, double length, const double *along) {
  int32_t f = build_force(b, force_name(b), "spring_damper", first, second, p, q);
  force_u(b, f, "stiffness", k);
  force_u(b, f, "damping", c);
  force_u(b, f, "length", length);
  if (along) force_par(b, f, "along", along, 3 * sizeof *along);
  force_done(b, f);
  return f;
}

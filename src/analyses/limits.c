/* SPDX-License-Identifier: Apache-2.0
 *
 * limits.c: see limits.h. A rigid stop cannot push a coordinate back into its range: the run would
 * begin where it can never come.
 */
#include "analyses/limits.h"

/* what a coordinate may be behind a stop, as fraction of the model's length or of a radian: the
 * accuracy of assembly */
static const double allowed = 1e-9;

/* is the joint off at the start? */
static bool is_off(const hk_kin *k, int32_t joint) {
  const int32_t c = k->m->joints[joint].closure;
  return c != HK_NONE && k->disc.active[c] == 0.0;
}

static hk_status check(hk_ctx *ctx, const hk_kin *k, const hk_spec_limit *l) {
  const hk_model *m = k->m;
  const hk_spec_joint *j = &m->spec->joints[l->joint];
  const bool length = hki_scalar_is_length(j->ops->scalars[l->coord]);
  const double room = allowed * (length ? m->length : 1.0);
  double x, xd;
  int n;
  if (is_off(k, l->joint)) return HK_OK;
  hki_kin_scalar(k, m->joints[l->joint].scalar0 + l->coord, &x, &xd);
  const int end = x < l->range[0] - room ? 0 : x > l->range[1] + room ? 1 : -1;
  if (end < 0) return HK_OK;
  const char *word = hki_word(j->ops->coords, l->coord, &n), *unit = length ? "m" : "rad";
  if (l->compliant) {
    hki_warn(ctx, l->loc, "start within the range, unless the stop is to be loaded",
             "joint '%s' starts with %.*s = %.6g %s, %.3g %s behind its %s stop at %.6g %s",
             j->name, n, word, x, unit, fabs(x - l->range[end]), unit, end ? "upper" : "lower",
             l->range[end], unit);
    return HK_OK;
  }
  return hki_error(ctx, HK_E_ASSEMBLY, l->loc,
                   "start within the range: 'start', the drawing and 'zero' decide where",
                   "joint '%s' starts with %.*s = %.6g %s, behind its %s stop at %.6g %s", j->name,
                   n, word, x, unit, end ? "upper" : "lower", l->range[end], unit);
}

hk_status hki_limits_check(hk_ctx *ctx, const hk_kin *k) {
  hk_status worst = HK_OK;
  for (int32_t i = 0; i < k->m->spec->nlimits; i++) {
    const hk_status st = check(ctx, k, &k->m->spec->limits[i]);
    if (st != HK_OK) worst = st;
  }
  return worst;
}

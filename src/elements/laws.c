/* SPDX-License-Identifier: Apache-2.0
 *
 * laws.c: the laws of an elastic joint, see laws.h.
 *
 * A symmetric stiffness k has the potential s'k s/2. The antisymmetric part of a stiffness (bearings)
 * stores nothing: its work counts as dissipated.
 */
#include "elements/laws.h"

#include <math.h>

#include "elements/tangent.h"

/* the law of axis i; its work, where it has memory, goes to the books */
static void axis_law(const hk_law *law, bool of_rate, int32_t i, hk_laws_in *in, hk_laws_out *out,
                     hk_law_out *o) {
  hk_law_books books;
  if (!hki_law_has_memory(law)) {
    hki_law_eval(law, of_rate, in->s[i], in->sd[i], o);
    return;
  }
  hki_law_recall(law, of_rate, in->s[i], in->sd[i], &in->mem, o, &books);
  out->books.energy += books.energy;
  out->books.dissipated += books.dissipated;
  out->books.spent += books.spent;
  out->books.spending += books.spending;
  out->power += o->f * in->sd[i];
}

void hki_laws_force(const hk_laws *par, hk_laws_in *in, hk_laws_out *out, double *ks, double *cs) {
  double *f = out->f;
  out->books = (hk_law_books){0};
  out->power = 0.0;
  for (int32_t i = 0; i < in->n; i++) {
    f[i] = 0.0;
    for (int32_t j = 0; j < in->n; j++) {
      double k = par->stiffness[HK_KS * i + j], c = par->damping[HK_KS * i + j];
      f[i] += k * in->s[j] + c * in->sd[j];
      ks[HK_KS * i + j] = k, cs[HK_KS * i + j] = c;
    }
    const hk_law *law[2] = {par->spring[i], par->damper[i]};
    for (int j = 0; j < 2; j++)
      if (law[j]) {
        hk_law_out o;
        axis_law(law[j], j == 1, i, in, out, &o);
        f[i] += o.f;
        ks[(HK_KS + 1) * i] += o.fs, cs[(HK_KS + 1) * i] += o.fsd;
      }
  }
}

void hki_laws_energy(const hk_laws *par, const hk_laws_in *in, const hk_laws_out *laws,
                     hk_element_out *out) {
  // the symmetric part of the stiffness and the laws over s store energy
  double energy = laws->books.energy, rate = laws->power - laws->books.dissipated, power = 0.0;
  for (int32_t i = 0; i < in->n; i++) {
    double g = 0.0;
    for (int32_t j = 0; j < in->n; j++)
      g += 0.5 * (par->stiffness[HK_KS * i + j] + par->stiffness[HK_KS * j + i]) * in->s[j];
    energy += 0.5 * g * in->s[i];
    rate += g * in->sd[i];
    const hk_law *law = par->spring[i];
    if (law && hki_law_has_energy(law) && !hki_law_has_memory(law)) {
      hk_law_out o;
      hki_law_eval(law, false, in->s[i], in->sd[i], &o);
      energy += hki_law_energy(law, in->s[i]);
      rate += o.f * in->sd[i];
    }
    power += laws->f[i] * in->sd[i];
  }
  out->energy = energy;
  out->dissipated = power - rate;
  out->supplied = 0.0;
  out->spent = laws->books.spent;
  out->spending = laws->books.spending;
}

int32_t hki_laws_list(const hk_laws *par, const hk_law **list) {
  int32_t n = 0;
  for (int i = 0; i < 6; i++) {
    if (par->spring[i]) list[n++] = par->spring[i];
    if (par->damper[i]) list[n++] = par->damper[i];
  }
  return n;
}

/* whose laws are checked */
typedef struct place {
  hk_ctx *ctx;
  hk_loc loc;
  const char *type, *name, *axes;
} place;

/* refuses an axis with both a law and an entry of the matrix; *any: some axis has one of them */
static hk_status check_axes(const place *at, const double *matrix, const hk_law *const *law,
                            const char *matrix_key, const char *law_key, bool *any) {
  for (int i = 0; i < 6; i++) {
    double sum = 0.0;
    for (int j = 0; j < 6; j++) sum += fabs(matrix[HK_KS * i + j]) + fabs(matrix[HK_KS * j + i]);
    if (law[i] && sum != 0.0) {
      int n;
      const char *axis = hki_word(at->axes, i, &n);
      return hki_error(at->ctx, HK_E_MODEL, at->loc, "put 0 for that axis in one of them",
                       "%s '%s' has both '%s' and a '%s' law on axis %.*s", at->type, at->name,
                       matrix_key, law_key, n, axis);
    }
    if (law[i] || sum != 0.0) *any = true;
  }
  return HK_OK;
}

hk_status hki_laws_check(hk_ctx *ctx, hk_loc loc, const char *type, const char *name,
                         const char *axes, const hk_laws *par) {
  const place at = {ctx, loc, type, name, axes};
  bool any = false;
  hk_status s = check_axes(&at, par->stiffness, par->spring, "stiffness", "spring", &any);
  if (s != HK_OK) return s;
  s = check_axes(&at, par->damping, par->damper, "damping", "damper", &any);
  if (s != HK_OK) return s;
  if (!any)
    return hki_error(ctx, HK_E_MODEL, loc, "give stiffness and damping, or laws",
                     "%s '%s' has none of 'stiffness', 'damping', 'spring', 'damper'", type, name);
  return HK_OK;
}

bool hki_laws_springs(const hk_laws *par, int32_t i) {
  return par->spring[i] || par->stiffness[(HK_KS + 1) * i] != 0.0;
}

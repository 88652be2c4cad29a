/* SPDX-License-Identifier: Apache-2.0
 *
 * laws.c: the laws of an elastic joint, see laws.h.
 *
 * A symmetric stiffness k has the potential s'k s/2. The antisymmetric part of a stiffness (bearings)
 * stores nothing: its work counts as dissipated.
 */
#include "elements/laws.h"

#include <math.h>
#include <string.h>

#include "elements/law_many.h"
#include "elements/tangent.h"

/* the law of an axis; its work, where it keeps books of its own, goes there */
static void axis_law(const hk_law *law, bool of_rate, double s, double sd, hk_law_memory *mem,
                     hk_laws_out *out, hk_law_out *o) {
  hk_law_books books;
  if (!hki_law_keeps_books(law)) {
    hki_law_eval(law, of_rate, s, sd, o);
    return;
  }
  hki_law_recall(law, of_rate, s, sd, mem, o, &books);
  out->books.energy += books.energy;
  out->books.dissipated += books.dissipated;
  out->books.spent += books.spent;
  out->books.spending += books.spending;
  out->power += o->f * sd;
}

/* stiffness, damping and laws per axis; n, where it is known, makes the loops short */
HKI_INLINE void by_axis(int32_t n, const hk_laws *par, hk_laws_in *in, const double *s,
                        hk_laws_out *out, double *ks, double *cs) {
  double *f = out->g;
  memcpy(ks, par->stiffness, sizeof par->stiffness);
  memcpy(cs, par->damping, sizeof par->damping);
  for (int32_t i = 0; i < n; i++) {
    const double *k = &par->stiffness[HK_KS * i], *c = &par->damping[HK_KS * i];
    double sum = 0.0;
    for (int32_t j = 0; j < n; j++) sum += k[j] * s[j] + c[j] * in->sd[j];
    f[i] = sum;
    const hk_law *law[2] = {par->spring[i], par->damper[i]};
    for (int j = 0; j < 2; j++)
      if (law[j]) {
        hk_law_out o;
        axis_law(law[j], j == 1, s[i], in->sd[i], &in->mem, out, &o);
        f[i] += o.f;
        ks[(HK_KS + 1) * i] += o.fs, cs[(HK_KS + 1) * i] += o.fsd;
      }
  }
}

/* one law of all axes */
static void of_all(const hk_laws *par, hk_laws_in *in, const double *s, hk_laws_out *out,
                   double *ks, double *cs) {
  hk_many_out o;
  hki_law_many(par->all->many, false, s, in->sd, &in->mem, &o);
  memcpy(out->g, o.f, sizeof o.f);
  memcpy(ks, o.fs, sizeof o.fs);
  memcpy(cs, o.fsd, sizeof o.fsd);
  out->books = o.books;
}

/* prestrain, prestress and factor, which stand in this order in the inputs */
static const double *stress_of(const hk_laws_in *in) { return in->u + in->n; }
static double factor_of(const hk_laws_in *in) { return in->u[2 * in->n]; }

/* f = factor g + f0, with its slopes */
static void put_inputs(const hk_laws_in *in, hk_laws_out *out, double *ks, double *cs) {
  const double factor = factor_of(in), *stress = stress_of(in);
  for (int32_t i = 0; i < in->n; i++) {
    out->f[i] = factor * out->g[i] + stress[i];
    for (int32_t j = 0; j < in->n; j++) {
      const int32_t k = HK_KS * i + j;
      ks[k] *= factor, cs[k] *= factor;
      out->ke[k] = ks[k];
    }
  }
}

void hki_laws_force(const hk_laws *par, hk_laws_in *in, hk_laws_out *out, double *ks, double *cs) {
  const double *s = in->s;
  out->books = (hk_law_books){0};
  out->power = 0.0;
  if (par->moved) {
    for (int32_t i = 0; i < in->n; i++) out->e[i] = in->s[i] - in->u[i];
    s = out->e;
  }
  if (par->all)
    of_all(par, in, s, out, ks, cs);
  else if (in->n == 6)
    by_axis(6, par, in, s, out, ks, cs);
  else
    by_axis(in->n, par, in, s, out, ks, cs);
  if (par->moved)
    put_inputs(in, out, ks, cs);
  else
    memcpy(out->f, out->g, sizeof out->f);
}

/* books of stiffness, damping and laws per axis, before the inputs */
HKI_INLINE void axis_books(int32_t n, const hk_laws *par, const hk_laws_in *in, const double *s,
                           const hk_laws_out *laws, hk_element_out *out) {
  // the symmetric part of the stiffness and the laws over s store energy
  double energy = laws->books.energy, rate = laws->power - laws->books.dissipated, power = 0.0;
  for (int32_t i = 0; i < n; i++) {
    double g = 0.0;
    for (int32_t j = 0; j < n; j++)
      g += 0.5 * (par->stiffness[HK_KS * i + j] + par->stiffness[HK_KS * j + i]) * s[j];
    energy += 0.5 * g * s[i];
    rate += g * in->sd[i];
    const hk_law *law = par->spring[i];
    if (law && hki_law_has_energy(law) && !hki_law_keeps_books(law)) {
      hk_law_out o;
      hki_law_eval(law, false, s[i], in->sd[i], &o);
      energy += hki_law_energy(law, s[i]);
      rate += o.f * in->sd[i];
    }
    power += laws->g[i] * in->sd[i];
  }
  out->energy = energy;
  out->dissipated = power - rate;
}

/* the same behind the inputs */
static void input_books(const hk_laws_in *in, const hk_laws_out *laws, hk_element_out *out) {
  const uint32_t all = (1u << in->n) - 1u, flows = all | 1u << (2 * in->n);
  const double factor = factor_of(in), *stress = stress_of(in);
  out->energy *= factor, out->dissipated *= factor;
  out->spent *= factor, out->spending *= factor;
  if (in->u_varies & flows) {
    // what is stored moves with the inputs: they supply what is not dissipated
    out->supplied = out->dissipated;
    for (int32_t i = 0; i < in->n; i++) out->supplied -= factor * laws->g[i] * in->sd[i];
    out->energy = out->spent = out->spending = 0.0;
  }
  for (int32_t i = 0; i < in->n; i++)
    if (in->u_varies >> (in->n + i) & 1u)
      out->supplied -= stress[i] * in->sd[i];
    else
      out->energy += stress[i] * in->s[i];
}

void hki_laws_energy(const hk_laws *par, const hk_laws_in *in, const hk_laws_out *laws,
                     hk_element_out *out) {
  out->supplied = 0.0;
  out->spent = laws->books.spent;
  out->spending = laws->books.spending;
  if (par->all)
    out->energy = laws->books.energy, out->dissipated = laws->books.dissipated;
  else if (in->n == 6)
    axis_books(6, par, in, par->moved ? laws->e : in->s, laws, out);
  else
    axis_books(in->n, par, in, par->moved ? laws->e : in->s, laws, out);
  if (par->moved) input_books(in, laws, out);
}

void hki_laws_input(const hk_laws *par, const hk_laws_in *in, const hk_laws_out *laws, int32_t i,
                    double *df) {
  for (int32_t k = 0; k < in->n; k++)
    df[k] = !par->moved     ? 0.0
            : i < in->n     ? -laws->ke[HK_KS * k + i]
            : i < 2 * in->n ? (i - in->n == k ? 1.0 : 0.0)
                            : laws->g[k];
}

int32_t hki_laws_list(const hk_laws *par, const hk_law **list) {
  int32_t n = 0;
  if (par->all) list[n++] = par->all;
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
                         const char *axes, hk_laws *par, uint32_t u_given) {
  const place at = {ctx, loc, type, name, axes};
  bool any = false;
  par->moved = u_given != 0;
  hk_status s = check_axes(&at, par->stiffness, par->spring, "stiffness", "spring", &any);
  if (s != HK_OK) return s;
  s = check_axes(&at, par->damping, par->damper, "damping", "damper", &any);
  if (s != HK_OK) return s;
  if (any && par->all)
    return hki_error(ctx, HK_E_MODEL, loc, "put them into the law: law: {sum: [..]}",
                     "%s '%s' has both 'law' and stiffness, damping or laws per axis", type, name);
  if (!any && !par->all)
    return hki_error(ctx, HK_E_MODEL, loc, "give stiffness and damping, or laws",
                     "%s '%s' has none of 'law', 'stiffness', 'damping', 'spring', 'damper'", type,
                     name);
  return HK_OK;
}

bool hki_laws_springs(const hk_laws *par, int32_t i) {
  static const double rest[HK_MANY];
  if (par->all) {
    // it resists at small or at larger deformations
    double s[HK_MANY] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
    hk_law_memory none[2] = {{0}};
    hk_many_out at[2];
    hki_law_many(par->all->many, false, rest, rest, &none[0], &at[0]);
    hki_law_many(par->all->many, false, s, rest, &none[1], &at[1]);
    return at[0].fs[(HK_MANY + 1) * i] != 0.0 || at[1].fs[(HK_MANY + 1) * i] != 0.0;
  }
  return par->spring[i] || par->stiffness[(HK_KS + 1) * i] != 0.0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * law.c: laws of modules. A law may have private states z with rates
 *
 *   dz/dt = a(s, sd) - b(s, sd) z
 *
 * which are eliminated here (elements/state.h). With dz/da the share of the value in its rate,
 *
 *   dz/ds = dz/da (a_s - b_s z),   d(zd)/ds = a_s - b_s z - b dz/ds
 *   df/ds = f_s + f_z dz/ds + f_zd d(zd)/ds                                 the same for sd
 *
 * Slopes that a law does not give are differences of a, b and f.
 */
#include <string.h>

#include <math.h>

#include "elements/law.h"
#include "modules/modules_impl.h"

enum { MOST_STATES = 4 };
_Static_assert(MOST_STATES == sizeof((hk_plugin_force){0}.fz) / sizeof(double), "states of a law");

/* step of a difference */
static double step_of(double x) { return 1e-6 * (1.0 + fabs(x)); }

static void get_rates(const hk_plugin_law *t, const void *par, double s, double sd,
                      hk_plugin_rate *r) {
  const double h[2] = {step_of(s), step_of(sd)};
  memset(r, 0, MOST_STATES * sizeof *r);
  if (!t->nz) return;
  t->rates(par, s, sd, r);
  if (t->caps & HK_PLUGIN_SLOPES) return;
  for (int k = 0; k < 2; k++) {
    hk_plugin_rate to[MOST_STATES] = {{0}}, from[MOST_STATES] = {{0}};
    t->rates(par, k ? s : s + h[0], k ? sd + h[1] : sd, to);
    t->rates(par, k ? s : s - h[0], k ? sd - h[1] : sd, from);
    for (int32_t i = 0; i < t->nz; i++) {
      *(k ? &r[i].asd : &r[i].as) = (to[i].a - from[i].a) / (2.0 * h[k]);
      *(k ? &r[i].bsd : &r[i].bs) = (to[i].b - from[i].b) / (2.0 * h[k]);
    }
  }
}

/* the force, with slopes at constant states */
static void get_force(const hk_plugin_law *t, const void *par, const double *x,
                      hk_plugin_force *f) {
  const double *z = x + 2, *zd = z + MOST_STATES;
  *f = (hk_plugin_force){0};
  t->force(par, x[0], x[1], z, zd, f);
  if (t->caps & HK_PLUGIN_SLOPES) return;
  f->fs = f->fsd = 0.0;
  for (int32_t k = 0; k < 2 + 2 * MOST_STATES; k++) {
    const int32_t i = (k - 2) % MOST_STATES;
    if (k >= 2 && i >= t->nz) continue;
    double y[2 + 2 * MOST_STATES];
    memcpy(y, x, sizeof y);
    hk_plugin_force to = {0}, from = {0};
    const double h = step_of(x[k]);
    y[k] = x[k] + h;
    t->force(par, y[0], y[1], y + 2, y + 2 + MOST_STATES, &to);
    y[k] = x[k] - h;
    t->force(par, y[0], y[1], y + 2, y + 2 + MOST_STATES, &from);
    *(k == 0                ? &f->fs
      : k == 1              ? &f->fsd
      : k < 2 + MOST_STATES ? &f->fz[i]
                            : &f->fzd[i]) = (to.f - from.f) / (2.0 * h);
  }
}

static void eval(const hk_law_ops *ops, const void *par, double s, double sd, const hk_states *st,
                 int32_t z0, hk_law_out *out, hk_law_books *books) {
  const hk_plugin_law *t = ops->self;
  hk_plugin_rate r[MOST_STATES];
  hk_plugin_force f;
  double x[2 + 2 * MOST_STATES] = {s, sd}, *z = x + 2, *zd = z + MOST_STATES, share[MOST_STATES];
  get_rates(t, par, s, sd, r);
  for (int32_t i = 0; i < t->nz; i++)
    share[i] = hki_state(st, z0 + i, r[i].a, r[i].b, &z[i], &zd[i]);
  get_force(t, par, x, &f);
  out->f = f.f, out->fs = f.fs, out->fsd = f.fsd;
  for (int32_t i = 0; i < t->nz; i++) {
    const double as = r[i].as - r[i].bs * z[i], asd = r[i].asd - r[i].bsd * z[i];
    out->fs += f.fz[i] * share[i] * as + f.fzd[i] * (as - r[i].b * share[i] * as);
    out->fsd += f.fz[i] * share[i] * asd + f.fzd[i] * (asd - r[i].b * share[i] * asd);
  }
  books->energy = f.energy, books->dissipated = f.dissipated;
}

static bool prepare(const hk_law_ops *ops, void *par, char *words, size_t cap) {
  const hk_plugin_law *t = ops->self;
  words[0] = '\0';
  hki_module_put_self(hki_module_self(t), par);
  return !t->prepare || t->prepare(par, words, cap) == 0;
}

static void units(const hk_law_ops *ops, const void *par, double *unit) {
  const hk_plugin_law *t = ops->self;
  (void)par;
  for (int32_t i = 0; i < t->nz; i++) unit[i] = t->units ? t->units[i] : 1.0;
}

/* keys of a law that stand for laws of the library */
static bool taken(const hk_ctx *ctx, const char *name) {
  for (int32_t i = 0; hki_law_infos[i].key; i++)
    if (strcmp(hki_law_infos[i].key, name) == 0) return true;
  return hki_law_known(ctx, name) || strcmp(name, "law") == 0;
}

hk_status hki_module_law(hk_loading *l, const hk_plugin_law *t) {
  const hk_key_rules rules = {.kinds = HK_KEYS_PLAIN, .par_size = t->par_size};
  if (!hki_module_good(l, t->size, offsetof(hk_plugin_law, self), t->name, t->text) ||
      !hki_module_room(l, t->name, hki_module_self(t), t->par_size))
    return l->status;
  if (taken(l->ctx, t->name)) return hki_module_refuse(l, t->name, "there is such a law already");
  if (!t->force || t->nz < 0 || t->nz > MOST_STATES || (t->nz && !t->rates))
    return hki_module_refuse(l, t->name,
                             "it needs a function 'force', at most %d states, and 'rates' for them",
                             MOST_STATES);
  if (!(t->caps & (HK_PLUGIN_READS_S | HK_PLUGIN_READS_RATE)))
    return hki_module_refuse(l, t->name, "its caps do not say what the force depends on");
  hk_law_ops *ops = hki_module_alloc(l, sizeof *ops);
  const hk_param *params = hki_module_keys(l, t->name, t->keys, &rules);
  if (!ops || !params) return l->status;
  *ops = (hk_law_ops){.name = t->name,
                      .text = t->text,
                      .params = params,
                      .par_size = t->par_size,
                      .self = t,
                      .uses_s = (t->caps & HK_PLUGIN_READS_S) != 0,
                      .uses_sd = (t->caps & HK_PLUGIN_READS_RATE) != 0,
                      .nz = t->nz,
                      .prepare = prepare,
                      .units = units,
                      .eval = eval};
  if (!hki_extend_add(l->ctx, HK_EXTEND_LAW, ops)) l->status = HK_E_MEMORY;
  return l->status;
}

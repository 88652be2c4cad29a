/* SPDX-License-Identifier: Apache-2.0
 *
 * memory.c: laws with memory.
 *
 * maxwell. Springs k_i, each with a dashpot in line; the state z_i is the elongation of the dashpot,
 * tau_i its time constant, c_i = k_i tau_i. Beside them may act any other law f0:
 *
 *   dz_i/dt = (s - z_i)/tau_i
 *   f       = f0(s, sd) + sum k_i (s - z_i)
 *   stored k_i (s - z_i)^2/2, dissipated k_i (s - z_i) dz_i/dt
 *
 * At rest the dashpots have given way: z_i = s. Source: Wiechert 1893, "Gesetze der elastischen
 * Nachwirkung fuer constante Temperatur".
 *
 * friction. A coefficient over sdot with a bristle (friction.c), which is a force where the normal
 * force is not given.
 *
 * hardening. Elastic with stiffness k up to the yield force; then the plastic elongation sp and its
 * path p grow, so that the force stays on the edge of the elastic range:
 *
 *   f            = k (s - sp)
 *   |f - Hk sp| <= fy + Hi p                    Hi isotropic, Hk kinematic hardening
 *   stored k (s - sp)^2/2 + Hk sp^2/2, dissipated fy p + Hi p^2/2 since the start,
 *   with the power (fy + Hi p) k |sd|/(k + Hi + Hk) while it yields
 *
 * It does not know time: the state after a step follows from s alone, as long as s does not turn
 * round within the step. sp and p are therefore discrete data, of the state before the step, and an
 * evaluation maps them to the present s (return map):
 *
 *   over = |k (s - sp) - Hk sp| - fy - Hi p
 *   over > 0:  p += over/(k + Hi + Hk),  sp likewise in the direction of the force
 *
 * Source: Simo and Hughes 1998, "Computational Inelasticity", box 1.5.
 */
#include <math.h>

#include "elements/law_many.h"

/* coefficients of hardening; maxwell: k, tau of each branch */
enum { STIFFNESS, YIELD, ISOTROPIC, KINEMATIC, NHARDENING };

static void maxwell(const hk_law *law, double s, const hk_law_memory *mem, hk_law_out *out,
                    hk_law_books *books) {
  for (int32_t i = 0; i < law->n / 2; i++) {
    const double k = law->c[2 * i], b = 1.0 / law->c[2 * i + 1];
    double z, zd, share = hki_state(mem->st, mem->z0 + i, s * b, b, &z, &zd);
    out->f += k * (s - z);
    out->fs += k * (1.0 - share * b);
    books->energy += 0.5 * k * (s - z) * (s - z);
    books->dissipated += k * (s - z) * zd;
  }
}

static void friction(const hk_law *law, double sd, const hk_law_memory *mem, hk_law_out *out,
                     hk_law_books *books) {
  hk_friction_out c;
  hki_friction_eval(law->friction, 1, &sd, mem->st, mem->z0, &c);
  out->f = c.c[0], out->fs = 0.0, out->fsd = c.cv[0];
  books->energy = c.energy, books->dissipated = c.lost;
}

static void hardening(const hk_law *law, double s, double sd, const hk_law_memory *mem,
                      hk_law_out *out, hk_law_books *books) {
  const double *c = law->c, k = c[STIFFNESS], H = c[ISOTROPIC] + c[KINEMATIC];
  double sp = mem->d ? mem->d[0] : 0.0, p = mem->d ? mem->d[1] : 0.0;
  const double x = k * (s - sp) - c[KINEMATIC] * sp, edge = c[YIELD] + c[ISOTROPIC] * p;
  const double over = fabs(x) - edge;
  // at the edge, within round-off, it yields as well
  const bool yields = over > -1e-9 * edge && x * sd > 0.0;
  out->fs = k;
  if (over > 0.0) {
    const double dp = over / (k + H);
    p += dp;
    sp += x > 0.0 ? dp : -dp;
    out->fs = k * H / (k + H);
  }
  out->f = k * (s - sp);
  out->fsd = 0.0;
  books->energy = 0.5 * (k * (s - sp) * (s - sp) + c[KINEMATIC] * sp * sp);
  books->spent = (c[YIELD] + 0.5 * c[ISOTROPIC] * p) * p;
  if (yields) books->spending = (c[YIELD] + c[ISOTROPIC] * p) * k * fabs(sd) / (k + H);
  if (mem->d1) mem->d1[0] = sp, mem->d1[1] = p;
}

/* a law without memory */
static void plain(const hk_law *law, bool of_rate, double s, double sd, hk_law_out *out,
                  hk_law_books *books) {
  hki_law_eval(law, of_rate, s, sd, out);
  if (of_rate || !hki_law_has_energy(law)) // a law that reads sd stores nothing
    books->dissipated = out->f * sd;
  else
    books->energy = hki_law_energy(law, s);
}

void hki_law_recall(const hk_law *law, bool of_rate, double s, double sd, hk_law_memory *mem,
                    hk_law_out *out, hk_law_books *books) {
  const double side = law->flip ? -1.0 : 1.0;
  const hk_law *inner = law->inner;
  *out = (hk_law_out){0};
  *books = (hk_law_books){0};
  switch (law->kind) {
    case HK_LAW_MAXWELL:
      if (inner) hki_law_recall(inner, of_rate, side * s, side * sd, mem, out, books);
      maxwell(law, side * s, mem, out, books);
      mem->z0 += law->n / 2;
      break;
    case HK_LAW_FRICTION:
      friction(law, side * sd, mem, out, books);
      mem->z0++;
      break;
    case HK_LAW_HARDENING:
      hardening(law, side * s, side * sd, mem, out, books);
      if (mem->d) mem->d += law->nd;
      if (mem->d1) mem->d1 += law->nd;
      break;
    case HK_LAW_OWN:
      law->ops->eval(law->ops, law->par, side * s, side * sd, mem->st, mem->z0, out, books);
      mem->z0 += law->nz;
      break;
    case HK_LAW_MANY: {
      hk_many_out o;
      hki_law_many(law->many, of_rate, &s, &sd, mem, &o);
      *out = (hk_law_out){.fs = o.fs[0], .f = o.f[0], .fsd = o.fsd[0]};
      *books = o.books;
      return;
    }
    default:
      plain(law, of_rate, s, sd, out, books);
      return;
  }
  out->f *= side;
}

void hki_law_units(const hk_law *law, double *unit) {
  if (law->inner) hki_law_units(law->inner, unit), unit += law->inner->nz;
  if (law->kind == HK_LAW_OWN) law->ops->units(law->ops, law->par, unit);
  if (law->kind == HK_LAW_MANY) hki_law_many_units(law->many, unit);
  if (law->kind == HK_LAW_MAXWELL)
    for (int32_t i = 0; i < law->n / 2; i++) unit[i] = 1.0; // as lengths and angles
  for (int32_t i = 0; law->kind == HK_LAW_FRICTION && i < law->nz; i++)
    unit[i] = hki_friction_unit(law->friction);
}

/* are all n coefficients finite, those of the mask `positive` above 0 and the others not below? */
static bool good(const hk_law *law, int32_t n, uint32_t positive) {
  for (int32_t i = 0; i < n; i++)
    if (!isfinite(law->c[i]) || law->c[i] < 0.0 || (law->c[i] == 0.0 && (positive >> i & 1u)))
      return false;
  return true;
}

hk_status hki_law_finish_memory(hk_ctx *ctx, hk_loc loc, hk_law *law) {
  bool ok = law->c != NULL;
  law->nz = law->nd = 0;
  switch (law->kind) {
    case HK_LAW_MAXWELL:
      for (int32_t i = 0; ok && i < law->n; i++) ok = isfinite(law->c[i]) && law->c[i] > 0.0;
      ok = ok && law->n > 1;
      law->nz = law->n / 2 + (law->inner ? law->inner->nz : 0);
      law->nd = law->inner ? law->inner->nd : 0;
      law->uses_sd = law->inner && law->inner->uses_sd;
      break;
    case HK_LAW_FRICTION:
      ok = law->friction && hki_friction_good(law->friction);
      law->nz = 1;
      law->uses_s = false, law->uses_sd = true;
      break;
    default:
      ok = ok && good(law, NHARDENING, 1u << STIFFNESS | 1u << YIELD);
      law->nd = 2;
  }
  return ok ? HK_OK
            : hki_error(ctx, HK_E_NUMBER, loc, NULL, "a number of the law is out of its range");
}

/* --- what is inside ----------------------------------------------------------------------------- */

static void see_friction(void *user, const hk_law *law, const char *key) {
  bool *rubs = user;
  (void)key;
  if (law && hki_law_rubs(law)) *rubs = true;
}

bool hki_law_rubs(const hk_law *law) {
  bool rubs = law->kind == HK_LAW_FRICTION;
  if (law->kind == HK_LAW_MANY) hki_law_many_walk(law->many, see_friction, &rubs);
  return rubs;
}

/* passes keys on to the one who asks for them */
typedef struct keys {
  void (*see)(void *user, const char *key);
  void *user;
} keys;

static void see_memory(void *user, const hk_law *law, const char *key) {
  const keys *k = user;
  if (key) k->see(k->user, key);
  if (law) hki_law_memories(law, k->see, k->user);
}

void hki_law_memories(const hk_law *law, void (*see)(void *user, const char *key), void *user) {
  keys k = {see, user};
  for (; law; law = law->inner) {
    if (!hki_law_has_memory(law)) continue;
    if (law->kind == HK_LAW_MANY)
      hki_law_many_walk(law->many, see_memory, &k);
    else
      see(user, hki_law_name(law));
  }
}

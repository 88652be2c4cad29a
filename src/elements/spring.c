/* SPDX-License-Identifier: Apache-2.0
 *
 * spring.c: the scalar part of springs and dampers, see spring.h.
 *
 * Energy: the spring part stores the integral of fs ds when it depends on s and constant inputs
 * alone. With an input that varies, its work counts as supplied; with a law that reads sdot, its
 * work counts as dissipated, like that of the damper part.
 */
#include "elements/spring.h"

/* bits of u_varies */
enum { U_STIFFNESS = 1u, U_DAMPING = 2u, U_OFFSET = 4u, U_NORMAL = 8u };

/* does the spring part depend on an input that varies in time? */
static inline bool varies(const hk_spring_par *par, uint32_t u_varies) {
  return par->spring ? par->offset && (u_varies & U_OFFSET)
                     : (u_varies & (U_STIFFNESS | U_OFFSET)) != 0;
}

/* adds what a law does to the books; all the work of one that reads an input which varies is
 * supplied */
static void book(const hk_law *law, const hk_law_books *b, bool moved, double power,
                 hk_spring_force *out) {
  if (moved && law->uses_s && (hki_law_keeps_books(law) || hki_law_has_energy(law))) {
    out->supplied -= power;
    return;
  }
  out->books.energy += b->energy;
  out->books.dissipated += b->dissipated;
  out->books.spent += b->spent;
  out->books.spending += b->spending;
}

/* friction per normal force becomes a force; where the normal force varies nothing is stored */
static void press(const hk_element_in *in, double sd, hk_law_out *law, hk_law_books *b,
                  hk_spring_force *out) {
  const double N = in->u[3] > 0.0 ? in->u[3] : 0.0;
  out->fu[3] = N > 0.0 ? law->f : 0.0;
  law->f *= N, law->fs *= N, law->fsd *= N;
  b->energy *= N, b->dissipated *= N;
  if (in->u_varies & U_NORMAL) b->energy = 0.0, b->dissipated = law->f * sd;
}

/* the same as hki_spring_force and hki_spring_energy with laws that have memory */
static void remember(const hk_spring_par *par, const hk_element_in *in, double s, double sd,
                     double *d1, hk_spring_force *out) {
  const double *u = in->u, e = s - u[2], x = par->offset ? e : s;
  const bool moved = par->offset && (in->u_varies & U_OFFSET);
  hk_law_memory mem = {in->st, 0, in->d, d1};
  hk_law_books b;
  hk_law_out law;
  out->books = (hk_law_books){0};
  out->supplied = out->fu[0] = out->fu[1] = out->fu[3] = 0.0;
  if (par->spring) {
    hki_law_recall(par->spring, false, x, sd, &mem, &law, &b);
    out->fs = law.f, out->ks = law.fs, out->cs = law.fsd;
    out->fu[2] = par->offset ? -law.fs : 0.0;
    book(par->spring, &b, moved, law.f * sd, out);
  } else {
    out->fs = u[0] * e, out->ks = u[0], out->cs = 0.0;
    out->fu[0] = e, out->fu[2] = -u[0];
    if (varies(par, in->u_varies))
      out->supplied -= out->fs * sd;
    else
      out->books.energy += 0.5 * u[0] * e * e;
  }
  if (par->damper) {
    hki_law_recall(par->damper, true, x, sd, &mem, &law, &b);
    if (par->pressed) press(in, sd, &law, &b, out);
    out->fd = law.f, out->ks += law.fs, out->cs += law.fsd;
    if (par->offset) out->fu[2] -= law.fs;
    book(par->damper, &b, moved && hki_law_keeps_books(par->damper), law.f * sd, out);
  } else {
    out->fd = u[1] * sd, out->cs += u[1];
    out->fu[1] = sd;
    out->books.dissipated += out->fd * sd;
  }
  out->f = out->fs + out->fd;
}

void hki_spring_force(const hk_spring_par *par, const hk_element_in *in, double s, double sd,
                      double *d1, hk_spring_force *out) {
  const double *u = in->u;
  double x = par->offset ? s - u[2] : s, offset_slope = 0.0;
  hk_law_out law;
  if (par->memory) {
    remember(par, in, s, sd, d1, out);
    return;
  }

  // spring part
  if (par->spring) {
    hki_law_eval(par->spring, false, x, sd, &law);
    out->fs = law.f, out->ks = law.fs, out->cs = law.fsd;
    out->fu[0] = 0.0;
    offset_slope = law.fs;
  } else {
    out->fs = u[0] * (s - u[2]), out->ks = u[0], out->cs = 0.0;
    out->fu[0] = s - u[2];
  }
  out->fu[2] = par->spring ? (par->offset ? -offset_slope : 0.0) : -u[0];
  out->fu[3] = 0.0;

  // damper part
  if (par->damper) {
    hki_law_eval(par->damper, true, x, sd, &law);
    out->fd = law.f, out->ks += law.fs, out->cs += law.fsd;
    out->fu[1] = 0.0;
    if (par->offset) out->fu[2] -= law.fs;
  } else {
    out->fd = u[1] * sd, out->cs += u[1];
    out->fu[1] = sd;
  }
  out->f = out->fs + out->fd;
}

void hki_spring_resist(const hk_spring_par *par, const hk_element_in *in, uint32_t need,
                       hk_element_out *out) {
  const double *u = in->u, s = in->s, sd = in->sd, e = s - u[2], x = par->offset ? e : s;
  hk_law_out spring = {.f = u[0] * e, .fs = u[0]}, damper = {.f = u[1] * sd, .fsd = u[1]};
  hk_spring_force f;
  if (par->spring) hki_law_eval(par->spring, false, x, sd, &spring);
  if (par->damper) hki_law_eval(par->damper, true, x, sd, &damper);
  f.fs = spring.f, f.fd = damper.f, f.f = f.fs + f.fd;
  out->tau = -f.f;
  out->ks[0] = spring.fs + damper.fs, out->cs[0] = spring.fsd + damper.fsd;
  if (need & HK_NEED_ENERGY) {
    hki_spring_energy(par, u, in->u_varies, s, sd, &f, out);
    out->s = s, out->sd = sd;
  }
  if (need & HK_NEED_OUTPUT) out->y[0] = s, out->y[1] = sd, out->y[2] = f.f;
}

void hki_spring_power(const void *p, const hk_element_in *in, double *dissipated,
                      double *supplied) {
  const hk_spring_par *par = p;
  const double *u = in->u, s = in->s, sd = in->sd, x = par->offset ? s - u[2] : s;
  const bool varying = varies(par, in->u_varies),
             taken = par->spring && !hki_law_has_energy(par->spring);
  hk_law_out law;
  if (par->memory) {
    hk_spring_force f;
    remember(par, in, s, sd, NULL, &f);
    *dissipated = f.books.dissipated, *supplied = f.supplied;
    return;
  }
  double fs = 0.0, fd = u[1] * sd;
  if (par->damper) hki_law_eval(par->damper, true, x, sd, &law), fd = law.f;
  // a spring that stores energy has no power of these kinds
  if (taken || varying) {
    if (par->spring) hki_law_eval(par->spring, false, x, sd, &law);
    fs = par->spring ? law.f : u[0] * (s - u[2]);
  }
  *dissipated = (taken ? fd + fs : fd) * sd;
  *supplied = varying && !taken ? -fs * sd : 0.0;
}

void hki_spring_energy(const hk_spring_par *par, const double *u, uint32_t u_varies, double s,
                       double sd, const hk_spring_force *force, hk_element_out *out) {
  double x = par->offset ? s - u[2] : s, e = s - u[2];
  if (par->memory) {
    out->energy = force->books.energy, out->dissipated = force->books.dissipated;
    out->supplied = force->supplied;
    out->spent = force->books.spent, out->spending = force->books.spending;
    return;
  }
  out->energy = out->supplied = 0.0;
  out->dissipated = force->fd * sd;
  if (par->spring && !hki_law_has_energy(par->spring))
    out->dissipated += force->fs * sd;
  else if (varies(par, u_varies))
    out->supplied = -force->fs * sd;
  else
    out->energy = par->spring ? hki_law_energy(par->spring, x) : 0.5 * u[0] * e * e;
}

int32_t hki_spring_laws(const void *p, const hk_law **list) {
  const hk_spring_par *par = p;
  int32_t n = 0;
  if (par->spring) list[n++] = par->spring;
  if (par->damper) list[n++] = par->damper;
  return n;
}

hk_status hki_spring_check(hk_ctx *ctx, hk_loc loc, const char *name, hk_spring_par *par,
                           uint32_t u_given) {
  par->memory = (par->spring && hki_law_keeps_books(par->spring)) ||
                (par->damper && hki_law_keeps_books(par->damper));
  par->pressed = (u_given & U_NORMAL) != 0;
  if (par->pressed && !(par->damper && par->damper->kind == HK_LAW_FRICTION))
    return hki_error(ctx, HK_E_MODEL, loc, "damper: {coulomb: {force: 0.3}}, a coefficient then",
                     "'%s' has 'normal', but no damper law with friction", name);
  if (par->spring && (u_given & U_STIFFNESS))
    return hki_error(ctx, HK_E_MODEL, loc, "leave one of them out",
                     "force '%s' has both 'stiffness' and a 'spring' law", name);
  if (par->damper && (u_given & U_DAMPING))
    return hki_error(ctx, HK_E_MODEL, loc, "leave one of them out",
                     "force '%s' has both 'damping' and a 'damper' law", name);
  if (!par->spring && !par->damper && !(u_given & (U_STIFFNESS | U_DAMPING)))
    return hki_error(ctx, HK_E_MODEL, loc, "give stiffness and damping, or laws",
                     "force '%s' has none of 'stiffness', 'damping', 'spring', 'damper'", name);
  return HK_OK;
}

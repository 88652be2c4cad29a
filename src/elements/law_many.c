/* SPDX-License-Identifier: Apache-2.0
 *
 * law_many.c: laws of several deformations, see law_many.h. With e = s - prestrain and r = sd:
 *
 *   linear      f = K e                          stored e'K e/2; the antisymmetric part of K stores
 *                                                nothing, its work counts as dissipated
 *   viscous     f = C r                          dissipated r'C r
 *   branch      dz_i/dt = (e_i - z_i)/tau_i      a Maxwell branch
 *               f = K (e - z)                    stored (e - z)'K(e - z)/2, dissipated (e - z)'K dz/dt
 *   components  f_i = law_i(e_i, r_i)
 *   axis        f = a law(a.e, a.r)
 *   forces      f_i = expression of e and r      all work counts as dissipated
 *   potential   f = grad U(e)                    stored U
 *
 * A branch is passive where K is symmetric and positive semidefinite and has one tau, or is diagonal.
 * Second derivatives of U are exact: those along e_i, e_j and e_i + e_j by the rules of differentiation,
 * U_ij = (U_(i+j)(i+j) - U_ii - U_jj)/2.
 */
#include "elements/law_many.h"

#include <math.h>
#include <string.h>

#include "base/base.h"

#define AT(i, j) (HK_MANY * (i) + (j))

void hki_many_add(int32_t n, const hk_many_out *b, hk_many_out *a) {
  for (int32_t i = 0; i < n; i++) {
    a->f[i] += b->f[i];
    for (int32_t j = 0; j < n; j++)
      a->fs[AT(i, j)] += b->fs[AT(i, j)], a->fsd[AT(i, j)] += b->fsd[AT(i, j)];
  }
  a->books.energy += b->books.energy;
  a->books.dissipated += b->books.dissipated;
  a->books.spent += b->books.spent;
  a->books.spending += b->books.spending;
}

static void add_books(const hk_law_books *b, hk_law_books *a) {
  a->energy += b->energy, a->dissipated += b->dissipated;
  a->spent += b->spent, a->spending += b->spending;
}

/* --- parts ------------------------------------------------------------------------------------ */

static void linear(int32_t n, const double *K, const double *e, const double *r, hk_many_out *out) {
  for (int32_t i = 0; i < n; i++) {
    double even = 0.0, odd = 0.0;
    for (int32_t j = 0; j < n; j++) {
      const double k = K[AT(i, j)], t = K[AT(j, i)];
      out->fs[AT(i, j)] += k;
      even += 0.5 * (k + t) * e[j], odd += 0.5 * (k - t) * e[j];
    }
    out->f[i] += even + odd;
    out->books.energy += 0.5 * even * e[i];
    out->books.dissipated += odd * r[i];
  }
}

static void viscous(int32_t n, const double *C, const double *r, hk_many_out *out) {
  for (int32_t i = 0; i < n; i++) {
    double f = 0.0;
    for (int32_t j = 0; j < n; j++) f += C[AT(i, j)] * r[j], out->fsd[AT(i, j)] += C[AT(i, j)];
    out->f[i] += f;
    out->books.dissipated += f * r[i];
  }
}

static void branch(int32_t n, const hk_law_part *p, const double *e, hk_law_memory *mem,
                   hk_many_out *out) {
  const double *K = p->c, *tau = p->c + HK_MANY * HK_MANY;
  double x[HK_MANY] = {0}, zd[HK_MANY] = {0}, follows[HK_MANY] = {0};
  for (int32_t i = 0; i < n; i++) {
    if (!(p->mask >> i & 1u)) continue;
    const double b = 1.0 / tau[i];
    double z;
    follows[i] = 1.0 - b * hki_state(mem->st, mem->z0++, e[i] * b, b, &z, &zd[i]);
    x[i] = e[i] - z;
  }
  for (int32_t i = 0; i < n; i++) {
    double f = 0.0;
    for (int32_t j = 0; j < n; j++)
      f += K[AT(i, j)] * x[j], out->fs[AT(i, j)] += K[AT(i, j)] * follows[j];
    out->f[i] += f;
    out->books.energy += 0.5 * f * x[i];
    out->books.dissipated += f * zd[i];
  }
}

static void components(int32_t n, const hk_law_part *p, bool of_rate, const double *e,
                       const double *r, hk_law_memory *mem, hk_many_out *out) {
  for (int32_t i = 0; i < n; i++) {
    hk_law_out o;
    hk_law_books books;
    if (!p->law[i]) continue;
    hki_law_recall(p->law[i], of_rate || p->of_rate, e[i], r[i], mem, &o, &books);
    out->f[i] += o.f, out->fs[AT(i, i)] += o.fs, out->fsd[AT(i, i)] += o.fsd;
    add_books(&books, &out->books);
  }
}

static void axis(int32_t n, const hk_law_part *p, bool of_rate, const double *e, const double *r,
                 hk_law_memory *mem, hk_many_out *out) {
  const double *a = p->c;
  double x = 0.0, xd = 0.0;
  hk_law_out o;
  hk_law_books books;
  for (int32_t i = 0; i < n; i++) x += a[i] * e[i], xd += a[i] * r[i];
  hki_law_recall(p->law[0], of_rate || p->of_rate, x, xd, mem, &o, &books);
  for (int32_t i = 0; i < n; i++) {
    out->f[i] += a[i] * o.f;
    for (int32_t j = 0; j < n; j++)
      out->fs[AT(i, j)] += a[i] * a[j] * o.fs, out->fsd[AT(i, j)] += a[i] * a[j] * o.fsd;
  }
  add_books(&books, &out->books);
}

static void forces(int32_t n, const hk_law_part *p, const double *e, const double *r,
                   hk_many_out *out) {
  double in[2 * HK_MANY] = {0}, grad[2 * HK_MANY];
  memcpy(in, e, (size_t)n * sizeof *in);
  memcpy(in + HK_MANY, r, (size_t)n * sizeof *in);
  for (int32_t i = 0; i < n; i++) {
    if (!p->expr[i]) continue;
    const int32_t *slot = hki_expr_inputs(p->expr[i]);
    const double f = hki_expr_eval_gradient(p->expr[i], in, grad);
    for (int32_t k = 0; k < hki_expr_input_count(p->expr[i]); k++)
      if (slot[k] < HK_MANY)
        out->fs[AT(i, slot[k])] += grad[k];
      else
        out->fsd[AT(i, slot[k] - HK_MANY)] += grad[k];
    out->f[i] += f;
    out->books.dissipated += f * r[i];
  }
}

/* second derivative of U along the unit vectors i and j together; i = j: along i */
static double along(const hk_expr *U, const double *in, int32_t i, int32_t j) {
  double rate[HK_MANY] = {0}, out[3];
  rate[i] = 1.0, rate[j] = 1.0;
  hki_expr_eval_path(U, in, rate, NULL, out);
  return out[2];
}

static void potential(int32_t n, const hk_expr *U, const double *e, hk_many_out *out) {
  double in[HK_MANY] = {0}, grad[HK_MANY], own[HK_MANY];
  const int32_t *slot = hki_expr_inputs(U), count = hki_expr_input_count(U);
  memcpy(in, e, (size_t)n * sizeof *in);
  out->books.energy += hki_expr_eval_gradient(U, in, grad);
  for (int32_t k = 0; k < count; k++) {
    const int32_t i = slot[k];
    out->f[i] += grad[k];
    out->fs[AT(i, i)] += own[k] = along(U, in, i, i);
    for (int32_t l = 0; l < k; l++) {
      const int32_t j = slot[l];
      const double mixed = 0.5 * (along(U, in, i, j) - own[k] - own[l]);
      out->fs[AT(i, j)] += mixed, out->fs[AT(j, i)] += mixed;
    }
  }
}

/* --- the whole law ---------------------------------------------------------------------------- */

static int32_t part_data(int32_t n, const hk_law_part *p) {
  return p->kind == HK_PART_HARDENING ? n + 1 : p->kind == HK_PART_BISTOP ? n + 2 : 0;
}

static void one_part(int32_t n, const hk_law_part *p, bool of_rate, const double *e,
                     const double *r, hk_law_memory *mem, hk_many_out *out) {
  hk_many_out inner;
  const int32_t nd = part_data(n, p);
  switch (p->kind) {
    case HK_PART_LINEAR:
      linear(n, p->c, e, r, out);
      break;
    case HK_PART_VISCOUS:
      viscous(n, p->c, r, out);
      break;
    case HK_PART_BRANCH:
      branch(n, p, e, mem, out);
      break;
    case HK_PART_COMPONENTS:
      components(n, p, of_rate, e, r, mem, out);
      break;
    case HK_PART_AXIS:
      axis(n, p, of_rate, e, r, mem, out);
      break;
    case HK_PART_FORCES:
      forces(n, p, e, r, out);
      break;
    case HK_PART_POTENTIAL:
      potential(n, p->expr[0], e, out);
      break;
    case HK_PART_HARDENING:
      hki_part_hardening(n, p->c, e, r, mem, out);
      break;
    case HK_PART_BISTOP:
      hki_part_bistop(n, p, e, r, mem, out);
      break;
    case HK_PART_LAW:
      hki_law_many(p->many, of_rate, e, r, mem, &inner);
      hki_many_add(n, &inner, out);
      break;
  }
  if (mem->d) mem->d += nd;
  if (mem->d1) mem->d1 += nd;
}

/* components that change their sign in a mirrored place: f(s) becomes Q f(Q s) */
static void mirror(const hk_law_many *law, hk_many_out *out) {
  for (int32_t i = 0; i < law->n; i++) {
    if (law->flip >> i & 1u) out->f[i] = -out->f[i];
    for (int32_t j = 0; j < law->n; j++)
      if ((law->flip >> i ^ law->flip >> j) & 1u)
        out->fs[AT(i, j)] = -out->fs[AT(i, j)], out->fsd[AT(i, j)] = -out->fsd[AT(i, j)];
  }
}

static void scale(int32_t n, double factor, hk_many_out *out) {
  for (int32_t i = 0; i < n; i++) {
    out->f[i] *= factor;
    for (int32_t j = 0; j < n; j++) out->fs[AT(i, j)] *= factor, out->fsd[AT(i, j)] *= factor;
  }
  out->books.energy *= factor, out->books.dissipated *= factor;
  out->books.spent *= factor, out->books.spending *= factor;
}

void hki_law_many(const hk_law_many *law, bool of_rate, const double *s, const double *sd,
                  hk_law_memory *mem, hk_many_out *out) {
  const int32_t n = law->n;
  double e[HK_MANY], r[HK_MANY];
  memset(out, 0, sizeof *out);
  for (int32_t i = 0; i < n; i++) {
    const double side = law->flip >> i & 1u ? -1.0 : 1.0;
    e[i] = side * s[i] - (law->strain ? law->strain[i] : 0.0), r[i] = side * sd[i];
  }
  for (int32_t k = 0; k < law->nparts; k++) one_part(n, &law->part[k], of_rate, e, r, mem, out);
  if (law->factor != 1.0) scale(n, law->factor, out);
  for (int32_t i = 0; law->stress && i < n; i++)
    out->f[i] += law->stress[i], out->books.energy += law->stress[i] * e[i];
  if (law->flip) mirror(law, out);
}

/* --- finishing -------------------------------------------------------------------------------- */

static int32_t bits(uint32_t mask) {
  int32_t n = 0;
  for (; mask; mask &= mask - 1u) n++;
  return n;
}

void hki_law_many_units(const hk_law_many *law, double *unit) {
  for (int32_t k = 0; k < law->nparts; k++) {
    const hk_law_part *p = &law->part[k];
    const int32_t laws = p->kind == HK_PART_AXIS ? 1 : p->kind == HK_PART_COMPONENTS ? law->n : 0;
    for (int32_t i = 0; i < laws; i++)
      if (p->law[i]) hki_law_units(p->law[i], unit), unit += p->law[i]->nz;
    for (int32_t i = p->kind == HK_PART_BRANCH ? bits(p->mask) : 0; i > 0; i--)
      *unit++ = 1.0; // as lengths and angles
    if (p->kind == HK_PART_LAW) hki_law_many_units(p->many, unit), unit += p->many->nz;
  }
}

void hki_law_many_walk(const hk_law_many *law,
                       void (*see)(void *user, const hk_law *, const char *), void *user) {
  for (int32_t k = 0; k < law->nparts; k++) {
    const hk_law_part *p = &law->part[k];
    if (p->kind == HK_PART_BRANCH) see(user, NULL, "maxwell");
    if (p->kind == HK_PART_HARDENING) see(user, NULL, "hardening");
    if (p->kind == HK_PART_BISTOP) see(user, NULL, "bistop");
    const int32_t laws = p->kind == HK_PART_AXIS ? 1 : p->kind == HK_PART_COMPONENTS ? law->n : 0;
    for (int32_t i = 0; i < laws; i++)
      if (p->law[i]) see(user, p->law[i], NULL);
    if (p->many) hki_law_many_walk(p->many, see, user);
  }
}

/* adds what a part is and remembers */
static void count(const hk_law_part *p, hk_law_many *law) {
  const int32_t n = law->n;
  const int32_t laws = p->kind == HK_PART_AXIS ? 1 : p->kind == HK_PART_COMPONENTS ? n : 0;
  law->size++;
  for (int32_t i = 0; i < laws; i++) {
    if (!p->law[i]) continue;
    law->nz += p->law[i]->nz, law->nd += p->law[i]->nd;
    law->size += p->law[i]->many ? p->law[i]->many->size : 1;
  }
  if (p->kind == HK_PART_BRANCH) law->nz += bits(p->mask);
  if (p->kind == HK_PART_LAW) law->nz += p->many->nz, law->nd += p->many->nd;
  if (p->many) law->size += p->many->size;
  law->nd += part_data(n, p);
}

hk_status hki_law_many_finish(hk_ctx *ctx, hk_loc loc, hk_law_many *law, hk_law_part *part) {
  static const double none[HK_MANY];
  law->part = part;
  law->nz = law->nd = law->size = 0;
  for (int32_t k = 0; k < law->nparts; k++) {
    hk_law_part *p = &part[k];
    if (p->kind == HK_PART_BISTOP) {
      hk_law_memory mem = {0};
      hk_many_out out;
      if (p->many->nz || p->many->nd)
        return hki_error(ctx, HK_E_MODEL, loc, "put the law with memory beside the bistop",
                         "the law of a bistop has a memory of its own");
      hki_law_many(p->many, false, none, none, &mem, &out);
      p->zero = out.books.energy;
    }
    count(p, law);
    if (law->size > HK_MANY_SIZE)
      return hki_error(ctx, HK_E_MODEL, loc, NULL, "a law is made of more than %d parts",
                       HK_MANY_SIZE);
  }
  return HK_OK;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * dae.c: private states in the equations as one system of first order. With y = (q, v, ..) of the
 * formulation inside,
 *
 *   Y = (q, p, v, z, ..)         F(y, y', z) = 0      p' = 0      z' = dz/dt(y, z)
 *
 * p stands for the integrals of z, which nobody reads (states.c). Methods that solve for Y make
 * z' = c + cj z with a constant c, the rule of a stage with gamma = cj (elements/state.h): with it z
 * follows from y, and Fs(y) = F(y, y', z(y)) has the tangent of the formulation inside. Newton's
 * correction for the right side b = -F is therefore
 *
 *   J dy = b + F - Fs            J = dFs/dy + cj dFs/dy'
 *   dz   = z(y + dy) - z
 */
#include "machines/states/states_impl.h"

/* where p, v, z and the rest begin in Y */
static int32_t at_v(const states *s) { return s->nq + s->nz; }
static int32_t at_z(const states *s) { return s->nq + s->nz + s->nv; }

/* y = Y without p and z; back: the other way */
static void gather(const states *s, const double *Y, double *y) {
  const size_t d = sizeof *y, rest = (size_t)(s->dae.n - s->nq - s->nv);
  memcpy(y, Y, (size_t)s->nq * d);
  memcpy(y + s->nq, Y + at_v(s), (size_t)s->nv * d);
  memcpy(y + s->nq + s->nv, Y + at_z(s) + s->nz, rest * d);
}
static void back(const states *s, const double *y, double *Y) {
  const size_t d = sizeof *y, rest = (size_t)(s->dae.n - s->nq - s->nv);
  memcpy(Y, y, (size_t)s->nq * d);
  memcpy(Y + at_v(s), y + s->nq, (size_t)s->nv * d);
  memcpy(Y + at_z(s) + s->nz, y + s->nq + s->nv, rest * d);
}

/* the states follow by the rule of the last factorisation, whatever the iterate before was */
static void let_follow(const states *s) {
  hki_kin_stage_states(s->kin, s->dae.cj);
  hki_kin_next_iterate(s->kin);
}

static int32_t inner_size(const states *s, bool stabilised) {
  return s->inner->ops->dae->size(s->inner, stabilised);
}

static int32_t dae_size(const hk_formulation *f, bool stabilised) {
  const states *s = states_of(f);
  return inner_size(s, stabilised) + 2 * s->nz;
}

/* memory, when first asked for */
static bool make(states *s, bool stabilised) {
  states_dae *d = &s->dae;
  const size_t n = (size_t)inner_size(s, stabilised);
  if (d->block && d->n == (int32_t)n) return true;
  hki_free(s->ctx, d->block);
  *d = (states_dae){.n = (int32_t)n};
  d->block = hki_alloc(s->ctx, (5 * n + (size_t)s->nz) * sizeof *d->block);
  if (!d->block) return false;
  d->y = d->block, d->yp = d->y + n, d->b = d->yp + n, d->out = d->b + n;
  d->shift = d->out + n, d->z = d->shift + n;
  return true;
}

static void dae_entries(const hk_formulation *f, bool stabilised, uint8_t *kind, double *unit) {
  const states *s = states_of(f);
  const int32_t n = inner_size(s, stabilised), nq = s->nq, nv = s->nv, nz = s->nz;
  s->inner->ops->dae->entries(s->inner, stabilised, kind, unit);
  // from behind, in place: the rest, then z, v and p
  const int32_t rest = n - nq - nv;
  memmove(kind + n + 2 * nz - rest, kind + n - rest, (size_t)rest);
  memmove(unit + n + 2 * nz - rest, unit + n - rest, (size_t)rest * sizeof *unit);
  memmove(kind + at_v(s), kind + nq, (size_t)nv);
  memmove(unit + at_v(s), unit + nq, (size_t)nv * sizeof *unit);
  const double *size = s->unit + s->m->nx;
  for (int32_t i = 0; i < nz; i++) {
    kind[nq + i] = HK_DAE_MULTIPLIER, unit[nq + i] = 1e5 * size[i];
    kind[at_z(s) + i] = HK_DAE_POSITION, unit[at_z(s) + i] = size[i];
  }
}

static hk_status dae_pack(hk_formulation *f, bool stabilised, double t, const double *q,
                          const double *v, double *Y, double *YP) {
  states *s = states_of(f);
  if (!make(s, stabilised)) return HK_E_MEMORY;
  hki_kin_hold_states(s->kin, v + s->nv);
  hk_status st = s->inner->ops->dae->pack(s->inner, stabilised, t, q, v, s->dae.y, s->dae.yp);
  if (st != HK_OK) return st;
  back(s, s->dae.y, Y);
  back(s, s->dae.yp, YP);
  for (int32_t i = 0; i < s->nz; i++) {
    Y[s->nq + i] = YP[s->nq + i] = 0.0;
    Y[at_z(s) + i] = v[s->nv + i], YP[at_z(s) + i] = s->kin->zd[i];
  }
  return HK_OK;
}

static void dae_unpack(hk_formulation *f, const double *Y, const double *YP, double *q, double *v,
                       double *a) {
  states *s = states_of(f);
  gather(s, Y, s->dae.b);
  gather(s, YP, s->dae.out);
  s->inner->ops->dae->unpack(s->inner, s->dae.b, s->dae.out, q, v, a);
  for (int32_t i = 0; i < s->nz; i++) {
    q[s->nq + i] = 0.0;
    v[s->nv + i] = Y[at_z(s) + i], a[s->nv + i] = YP[at_z(s) + i];
  }
}

static hk_status dae_residual(hk_formulation *f, bool stabilised, double t, const double *Y,
                              const double *YP, double *res) {
  states *s = states_of(f);
  states_dae *d = &s->dae;
  hki_kin_hold_states(s->kin, Y + at_z(s));
  gather(s, Y, d->y);
  gather(s, YP, d->yp);
  hk_status st = s->inner->ops->dae->residual(s->inner, stabilised, t, d->y, d->yp, d->b);
  if (st != HK_OK) return st;
  back(s, d->b, res);
  for (int32_t i = 0; i < s->nz; i++) {
    res[s->nq + i] = YP[s->nq + i];
    res[at_z(s) + i] = YP[at_z(s) + i] - s->kin->zd[i];
    if (!isfinite(res[at_z(s) + i])) return HK_RETRY;
  }
  return HK_OK;
}

static hk_status dae_factor(hk_formulation *f, bool stabilised, double t, double cj,
                            const double *Y, const double *YP) {
  states *s = states_of(f);
  states_dae *d = &s->dae;
  const hk_dae_ops *inner = s->inner->ops->dae;
  const double *z = Y + at_z(s), *zp = YP + at_z(s);
  gather(s, Y, d->y);
  gather(s, YP, d->yp);
  memcpy(d->z, z, (size_t)s->nz * sizeof *z);
  d->stabilised = stabilised, d->t = t, d->cj = cj;
  hki_kin_hold_states(s->kin, z);
  hk_status st = inner->residual(s->inner, stabilised, t, d->y, d->yp, d->shift);
  for (int32_t i = 0; i < s->nz; i++) s->kin->zc[i] = zp[i] - cj * z[i];
  let_follow(s);
  if (st == HK_OK) st = inner->residual(s->inner, stabilised, t, d->y, d->yp, d->out);
  if (st != HK_OK) return st;
  for (int32_t i = 0; i < d->n; i++) d->shift[i] -= d->out[i];
  let_follow(s);
  return inner->factor(s->inner, stabilised, t, cj, d->y, d->yp);
}

static hk_status dae_solve(hk_formulation *f, double *b) {
  states *s = states_of(f);
  states_dae *d = &s->dae;
  const hk_dae_ops *inner = s->inner->ops->dae;
  gather(s, b, d->b);
  for (int32_t i = 0; i < d->n; i++) d->b[i] += d->shift[i];
  hk_status st = inner->solve(s->inner, d->b);
  if (st != HK_OK) return st;
  back(s, d->b, b);
  // the states at the corrected motion
  let_follow(s);
  for (int32_t i = 0; i < d->n; i++) d->y[i] += d->b[i], d->yp[i] += d->cj * d->b[i];
  st = inner->residual(s->inner, d->stabilised, d->t, d->y, d->yp, d->out);
  for (int32_t i = 0; i < s->nz; i++) {
    b[s->nq + i] /= d->cj;
    b[at_z(s) + i] = s->kin->z[i] - d->z[i];
  }
  return st;
}

const hk_dae_ops hki_states_dae = {dae_size,     dae_entries, dae_pack, dae_unpack,
                                   dae_residual, dae_factor,  dae_solve};

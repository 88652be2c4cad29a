/* SPDX-License-Identifier: Apache-2.0
 *
 * dae.c: the redundant formulation as one system of first order, F(t, y, y') = 0, for methods
 * with error control. y = (q, v, lam) or, stabilised, (q, v, lam, mu):
 *
 *   q' = T(q) (v + Mt^-1 G' mu)                     T = 1 for displacements and planar angles
 *   e' = e (0, w)/2 - kappa (|e|^2 - 1) e/2         quaternions; w: rotational part of the bracket
 *   M v' + gyroscopic terms + G' lam = W
 *   phi = 0
 *   G v + phi_t = 0                                 stabilised
 *   psi = 0 and mu = 0                              rows on velocities, instead of the last two
 *
 * W holds friction of joints, pressed by N = |P G'lam| of their own multipliers (machines/friction/normal.h).
 *
 * mu vanishes in the solution. Mt is the mass plus a little for massless bodies; as the metric of a
 * vanishing term it does not change the motion.
 *
 * Newton's system for the right sides (b1, b2, b3, b4) of these equations, b1 of the poses, with
 * x = x1 + x2 the variations of the poses and beta = b1 in variations:
 *
 *   N = 1 + [w]/(2 cj) + w w'/(4 cj (cj + kappa))   last term: length of quaternions
 *   dv = cj N x - beta - dz
 *   dz = Mt^-1 G' dmu
 *
 * solved by elimination:
 *
 *   [Mt G'; G 0] (dz, -dmu)  = (0, cj b3 - b4 - G beta)            stabilised
 *   cj N x2                  = beta + dz
 *   [S G'; G 0] (x1, dlam)   = (b2 - K x2, b3 - G x2)              S = cj^2 M N + cj C N + K
 *   dv                       = cj N x1
 *
 * S/cj^2 is the matrix of a stage with cv = cj, ca = cj^2. The fourth equation also has B x,
 * B = d(G v + phi_t)/dx, and G N x differs from G x = b3. Both enter by a second pass with
 * (B + cj G (N - 1)) x on the right side of the first line, x from the first pass, B x by a
 * difference along it. The remaining error is of second order in w/cj.
 *
 * Source: Gear, Leimkuhler and Gupta 1985.
 */
#include "formulations/redundant/redundant.h"

/* 1/s: decay rate of |e|^2 - 1; share of the largest mass that Mt adds */
static const double kappa = 100.0, share = 1e-6;

typedef struct hk_redundant_dae {
  hk_linsolve *metric, *stiff; /* [Mt G'; G 0] factorised; K */
  /* stabilised, cj, q, w, R: those of the last factorisation */
  bool stabilised;
  double cj;
  double *Ji;             /* m->nb x 9: inverse of the inertia in Mt, body axes */
  double *mass;           /* m->nb: mass in Mt */
  double *q;              /* nq */
  double *w;              /* m->nb x 3, body axes */
  double *R;              /* m->nb x 9 */
  double *a, *beta, *z;   /* n: scratch; beta; rates of the poses, v + Mt^-1 G' mu */
  double *row;            /* nrows: scratch */
  double *x1, *big, *out; /* n + nrows: (x1, dlam); scratch */
} hk_redundant_dae;

#define POOL(r, n) ((double *)hki_pool_alloc((r)->c->pool, (size_t)(n) * sizeof(double)))

void hki_redundant_dae_destroy(hk_redundant *r) {
  if (!r->dae) return;
  hki_linsolve_destroy(r->dae->metric);
  hki_linsolve_destroy(r->dae->stiff);
}

static void invert3(const double *A, double *B) {
  double d = 1.0 / m3_det(A);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      int a = (j + 1) % 3, b = (j + 2) % 3, p = (i + 1) % 3, q = (i + 2) % 3;
      B[3 * i + j] = d * (A[3 * a + p] * A[3 * b + q] - A[3 * a + q] * A[3 * b + p]);
    }
}

/* J: inertia of a body in Mt, body axes */
static void metric_inertia(const hk_redundant *r, int32_t b, double *J) {
  const hk_bodies *c = r->c;
  memcpy(J, c->m->bodies[b].J, 9 * sizeof *J);
  for (int i = 0; i < 9; i += 4) J[i] += share * r->mass * c->m->length * c->m->length;
}

/* makes r->dae when first called */
static hk_status prepare(hk_redundant *r) {
  const hk_bodies *c = r->c;
  const int32_t nb = c->m->nb;
  if (r->dae) return HK_OK;
  hk_redundant_dae *d = hki_pool_alloc(c->pool, sizeof *d);
  if (!d) return HK_E_MEMORY;
  r->dae = d;
  d->Ji = POOL(r, 9 * nb + 1), d->mass = POOL(r, nb + 1), d->q = POOL(r, c->nq + 1);
  d->w = POOL(r, 3 * nb + 1), d->R = POOL(r, 9 * nb + 1), d->a = POOL(r, c->n + 1);
  d->beta = POOL(r, c->n + 1), d->z = POOL(r, c->n + 1);
  d->big = POOL(r, c->n + c->nrows + 1), d->out = POOL(r, c->n + c->nrows + 1);
  d->row = POOL(r, c->nrows + 1), d->x1 = POOL(r, c->n + c->nrows + 1);
  if (!d->Ji || !d->mass || !d->q || !d->w || !d->R || !d->a || !d->beta || !d->z || !d->big ||
      !d->out || !d->row || !d->x1)
    return HK_E_MEMORY;
  for (int32_t b = 0; b < nb; b++) {
    double J[9];
    metric_inertia(r, b, J);
    invert3(J, d->Ji + 9 * b);
    d->mass[b] = c->m->bodies[b].mass + share * r->mass;
  }
  hk_status st = hki_redundant_solver(r, &d->metric);
  return st == HK_OK ? hki_redundant_solver(r, &d->stiff) : st;
}

static int32_t dae_size(const hk_formulation *f, bool stabilised) {
  const hk_bodies *c = hki_redundant_of((hk_formulation *)(uintptr_t)f)->c;
  return c->nq + c->n + (stabilised ? 2 : 1) * c->nrows;
}

static void dae_entries(const hk_formulation *f, bool stabilised, uint8_t *kind, double *unit) {
  const hk_redundant *r = hki_redundant_of((hk_formulation *)(uintptr_t)f);
  const hk_bodies *c = r->c;
  const int32_t nq = c->planar ? 3 : 7, turn = c->planar ? 1 : 4;
  const int32_t rows = (stabilised ? 2 : 1) * c->nrows;
  for (int32_t b = 0; b < c->m->nb; b++)
    for (int32_t i = c->lack[b] ? turn : 0; i < nq; i++)
      *kind++ = HK_DAE_POSITION, *unit++ = i < turn ? 1.0 : c->m->length;
  // integrals of scalar unknowns are not used: no error control
  for (int32_t i = 0; i < c->nx; i++)
    *kind++ = HK_DAE_MULTIPLIER, *unit++ = 1e5 * c->scale[c->nb + i];
  for (int32_t i = 0; i < c->nb; i++) *kind++ = HK_DAE_VELOCITY, *unit++ = c->scale[i];
  // scalar unknowns are states of first order: controlled in either form, unless algebraic
  for (int32_t i = 0; i < c->nx; i++) {
    *kind++ = c->net.role[i] == HK_NET_ALGEBRAIC ? HK_DAE_MULTIPLIER : HK_DAE_POSITION;
    *unit++ = c->scale[c->nb + i];
  }
  // large units, since multipliers converge with positions and velocities: lam carries the
  // round-off of positions times cj^2, mu times cj
  for (int32_t i = 0; i < rows; i++)
    *kind++ = HK_DAE_MULTIPLIER, *unit++ = (i < c->nrows ? 1e8 : 1e5) * r->mass * c->m->length;
}

/* f (variations, world axes) becomes Mt^-1 f, rotations in body axes */
static void metric_solve(const hk_redundant *r, double *f) {
  const hk_bodies *c = r->c;
  const hk_redundant_dae *d = r->dae;
  for (int32_t b = 0; b < c->m->nb; b++) {
    const int32_t at = c->v0[b];
    const double *n = c->m->spec->normal, m = 1.0 / d->mass[b];
    double y[3];
    for (int32_t i = c->planar ? 1 : 3; i < c->nd; i++) f[at + i] *= m;
    if (c->lack[b]) continue;
    if (c->planar) {
      m3_mulv(y, d->Ji + 9 * b, n);
      f[at] *= v3_dot(y, n);
      continue;
    }
    m3_tmulv(y, c->it.frame[b].R, f + at);
    m3_mulv(f + at, d->Ji + 9 * b, y);
  }
}

/* does row k of a set bind velocities alone? */
static bool on_rates(const hk_bodies_set *s, int32_t k) {
  return s->rate_rows >> (k - s->row0) & 1u;
}

/* state and rows at (t, y, y'), r->lam; d->z = v + Mt^-1 G' mu */
static void evaluate(hk_redundant *r, bool stabilised, double t, const double *y,
                     const double *yp) {
  hk_bodies *c = r->c;
  hk_redundant_dae *d = r->dae;
  const double *lam = y + c->nq + c->n, *mu = lam + c->nrows;
  memcpy(c->q, y, (size_t)c->nq * sizeof *y);
  for (int32_t b = 0; b < c->m->nb; b++)
    if (hki_bodies_turns(c, b)) quat_normalize(c->q + c->q0[b]);
  memcpy(c->v, y + c->nq, (size_t)c->n * sizeof *y);
  memcpy(c->a, yp + c->nq, (size_t)c->n * sizeof *y);
  hki_bodies_rates(c, c->a);
  hki_bodies_state(c, t, c->q, c->v);
  hki_bodies_rows(c);
  memset(d->z, 0, (size_t)c->n * sizeof *d->z);
  if (stabilised) hki_bodies_mul_t(c, mu, d->z);
  metric_solve(r, d->z);
  for (int32_t i = 0; i < c->n; i++) d->z[i] += c->v[i];
  memcpy(r->lam, lam, (size_t)c->nrows * sizeof *lam);
  if (c->m->nnormal) hki_bodies_normals(c, r->lam, c->kin.disc.normal);
}

/* r = q' - T(q) z */
static void pose_residual(const hk_bodies *c, const double *y, const double *yp, const double *z,
                          double *r) {
  for (int32_t b = 0; !c->planar && b < c->m->nb; b++) {
    const int32_t i = c->q0[b], at = c->v0[b];
    v3_sub(r + i + 4, yp + i + 4, z + at + 3);
    if (c->lack[b]) continue;
    const double w[4] = {0.0, z[at], z[at + 1], z[at + 2]};
    double e[4], n = 0.0;
    quat_mul(e, y + i, w);
    for (int k = i; k < i + 4; k++) n += y[k] * y[k];
    for (int k = 0; k < 4; k++)
      r[i + k] = yp[i + k] - 0.5 * e[k] + 0.5 * kappa * (n - 1.0) * y[i + k];
  }
  const int32_t from = c->planar ? 0 : c->nq - c->nx, of = c->planar ? 0 : c->nb;
  for (int32_t i = 0; i < (c->planar ? c->n : c->nx); i++) r[from + i] = yp[from + i] - z[of + i];
}

static hk_status dae_residual(hk_formulation *f, bool stabilised, double t, const double *y,
                              const double *yp, double *res) {
  hk_redundant *r = hki_redundant_of(f);
  hk_bodies *c = r->c;
  double *r2 = res + c->nq, *r3 = r2 + c->n, *r4 = r3 + c->nrows;
  const double *mu = y + c->nq + c->n + c->nrows;
  evaluate(r, stabilised, t, y, yp);
  hki_bodies_forces(c);
  pose_residual(c, y, yp, r->dae->z, res);
  memset(r2, 0, (size_t)c->n * sizeof *r2);
  hki_bodies_inertia(c, c->a, r2);
  hki_bodies_push(c, r->lam, r2);
  hki_bodies_rate_rows(c, 1.0);
  memcpy(r3, c->phi, (size_t)c->nrows * sizeof *r3);
  if (stabilised) {
    memcpy(r->y, c->v, (size_t)c->n * sizeof *r->y);
    hki_bodies_to_world(c, r->y);
    hki_bodies_mul(c, r->y, r4);
    for (int32_t i = 0; i < c->nrows; i++) r4[i] += c->phit[i];
  }
  // rows that are off have lam = 0 and mu = 0; rows on velocities have mu = 0
  for (int32_t i = 0; i < c->nset; i++) {
    const hk_bodies_set *s = &c->set[i];
    const bool on = hki_bodies_active(c, s);
    for (int32_t k = s->row0; k < s->row0 + s->nrows; k++) {
      if (!on) r3[k] = r->lam[k];
      if (stabilised && (!on || on_rates(s, k))) r4[k] = mu[k];
    }
  }
  for (int32_t i = 0; i < dae_size(f, stabilised); i++)
    if (!isfinite(res[i])) return HK_RETRY;
  return HK_OK;
}

/* factors [Mt G'; G 0] at the present state in r->ls */
static hk_status factor_metric(hk_redundant *r) {
  const hk_bodies *c = r->c;
  const int32_t nd = c->nd;
  double *val = r->ls->val, s = 1.0 / r->mass;
  hki_linsolve_zero(r->ls);
  for (int32_t b = 0; b < c->m->nb; b++) {
    const int32_t *slot = r->slot_body + nd * nd * b;
    double J[9], A[9];
    metric_inertia(r, b, J);
    for (int i = c->planar ? 1 : 3; i < nd; i++) val[slot[(nd + 1) * i]] += s * r->dae->mass[b];
    if (c->planar) {
      // the same inertia as in metric_solve
      m3_mulv(A, r->dae->Ji + 9 * b, c->m->spec->normal);
      if (!c->lack[b]) val[slot[0]] += s / v3_dot(A, c->m->spec->normal);
      continue;
    }
    if (c->lack[b]) continue;
    m3_congruence(A, c->it.frame[b].R, J);
    for (int i = 0; i < 9; i++) val[slot[6 * (i / 3) + i % 3]] += s * A[i];
  }
  hki_redundant_add_rows(r, &(hk_redundant_lines){.eps = r->eps, .positions = true, .own = true});
  for (int32_t i = 0; i < c->nx; i++) val[r->slot_x[i]] = 1.0;
  return hki_linsolve_refactor(r->ls);
}

static hk_status dae_factor(hk_formulation *f, bool stabilised, double t, double cj,
                            const double *y, const double *yp) {
  hk_redundant *r = hki_redundant_of(f);
  hk_bodies *c = r->c;
  hk_redundant_dae *d = r->dae;
  hk_linsolve *own = r->ls;
  hk_status st = HK_OK;
  evaluate(r, stabilised, t, y, yp);
  d->stabilised = stabilised;
  d->cj = cj;
  memcpy(d->q, c->q, (size_t)c->nq * sizeof *d->q);
  for (int32_t b = 0; !c->planar && b < c->m->nb; b++) {
    double N[9], S[9], *w = d->w + 3 * b;
    memcpy(d->R + 9 * b, c->it.frame[b].R, sizeof c->it.frame[b].R);
    v3_zero(w);
    if (!c->lack[b]) v3_copy(w, d->z + c->v0[b]);
    m3_identity(N);
    m3_skew(S, w);
    for (int i = 0; i < 9; i++)
      N[i] += 0.5 / cj * S[i] + 0.25 / (cj * (cj + kappa)) * w[i / 3] * w[i % 3];
    m3_congruence(r->N + 9 * b, d->R + 9 * b, N);
  }
  if (stabilised) {
    r->ls = d->metric;
    st = factor_metric(r);
  }
  if (st == HK_OK) {
    r->ls = d->stiff;
    hki_redundant_stiffness(r);
  }
  r->ls = own;
  const hk_redundant_lines lines = {.eps = r->eps};
  if (st == HK_OK) st = hki_redundant_factor_stage(r, cj, cj * cj, true, false, &lines);
  return st == HK_OK || st == HK_E_MEMORY ? st : HK_RETRY;
}

/* beta (n, world axes) = b1 in variations. A change of a quaternion's length, which its equation
 * returns at the rate kappa, also changes its rate of rotation: p[0] w/(cj + kappa). */
static void to_variations(const hk_redundant *r, const double *b1, double *beta) {
  const hk_bodies *c = r->c;
  const hk_redundant_dae *d = r->dae;
  if (c->planar) memcpy(beta, b1, (size_t)c->nb * sizeof *beta);
  for (int32_t b = 0; !c->planar && b < c->m->nb; b++) {
    const int32_t i = c->q0[b], at = c->v0[b];
    double e[4], p[4];
    v3_copy(beta + at + 3, b1 + i + 4);
    if (c->lack[b]) continue;
    quat_conj(e, d->q + i);
    quat_mul(p, e, b1 + i);
    v3_scale(p + 1, 2.0, p + 1);
    v3_axpy(p + 1, p[0] / (d->cj + kappa), d->w + 3 * b);
    m3_mulv(beta + at, d->R + 9 * b, p + 1);
  }
  for (int32_t i = 0; i < c->nx; i++) beta[c->nb + i] = b1[c->nq - c->nx + i];
}

/* b1 = changes of the poses from variations x (world axes); on entry b1 holds the right side, which
 * gives the change of the quaternions' length */
static void to_poses(const hk_redundant *r, const double *x, double *b1) {
  const hk_bodies *c = r->c;
  const hk_redundant_dae *d = r->dae;
  if (c->planar) memcpy(b1, x, (size_t)c->nb * sizeof *b1);
  for (int32_t b = 0; !c->planar && b < c->m->nb; b++) {
    const int32_t at = c->v0[b], first = c->q0[b];
    v3_copy(b1 + first + 4, x + at + 3);
    if (c->lack[b]) continue;
    const double *e = d->q + first;
    double *p = b1 + first, th[4] = {0.0}, t[4], radial = 0.0;
    m3_tmulv(th + 1, d->R + 9 * b, x + at);
    for (int i = 0; i < 4; i++) radial += e[i] * p[i];
    radial = (radial - 0.25 * v3_dot(th + 1, d->w + 3 * b)) / (d->cj + kappa);
    quat_mul(t, e, th);
    for (int i = 0; i < 4; i++) p[i] = 0.5 * t[i] + radial * e[i];
  }
  for (int32_t i = 0; i < c->nx; i++) b1[c->nq - c->nx + i] = x[c->nb + i];
}

/* x = cj N x */
static void rates_of(const hk_redundant *r, double *x) {
  const hk_bodies *c = r->c;
  for (int32_t i = 0; i < c->n; i++) x[i] *= r->dae->cj;
  for (int32_t b = 0; b < c->m->nb; b++) {
    double y[3], *turn = x + c->v0[b];
    if (!hki_bodies_turns(c, b)) continue;
    m3_mulv(y, r->N + 9 * b, turn);
    v3_copy(turn, y);
  }
}

/* x = N^-1 x / cj */
static void undo_rates(const hk_redundant *r, double *x) {
  const hk_bodies *c = r->c;
  for (int32_t i = 0; i < c->n; i++) x[i] /= r->dae->cj;
  for (int32_t b = 0; b < c->m->nb; b++) {
    double B[9], y[3], *turn = x + c->v0[b];
    if (!hki_bodies_turns(c, b)) continue;
    invert3(r->N + 9 * b, B);
    m3_mulv(y, B, turn);
    v3_copy(turn, y);
  }
}

/* row = scale b (NULL: 0) in rows that are off, whose line holds their multiplier alone; positions:
 * rows on velocities count as off */
static void rows_off(const hk_redundant *r, bool positions, const double *b, double scale,
                     double *row) {
  const hk_bodies *c = r->c;
  for (int32_t i = 0; i < c->nset; i++) {
    const hk_bodies_set *s = &c->set[i];
    const bool on = hki_bodies_active(c, s);
    for (int32_t k = s->row0; k < s->row0 + s->nrows; k++)
      if (!on || (positions && on_rates(s, k))) row[k] = b ? scale * b[k] : 0.0;
  }
}

/* row = g - G x2; rows on velocities: (g - (dpsi/dx) x2)/cj. g NULL: zero */
static void stage_rows(const hk_redundant *r, const double *x2, const double *g, double *row) {
  const hk_bodies *c = r->c;
  const double k = 1.0 / r->dae->cj;
  hki_bodies_mul(c, x2, row);
  for (int32_t i = 0; i < c->nrows; i++) row[i] = (g ? g[i] : 0.0) - row[i];
  for (int32_t i = 0; c->m->nrate && i < c->nset; i++) {
    const hk_bodies_set *s = &c->set[i];
    for (int32_t q = s->row0; s->rate_rows && q < s->row0 + s->nrows; q++) {
      const double *slope = r->slope + 2 * c->nd * hki_bodies_line(s, q);
      if (!on_rates(s, q)) continue;
      if (!s->part) row[q] = g ? k * g[q] : 0.0;
      for (int32_t j = 0; j < 2 * c->nd; j++) {
        const int32_t at = hki_bodies_entry(c, s->body[j / c->nd], j % c->nd);
        if (at >= 0) row[q] -= slope[j] * x2[at];
      }
    }
  }
}

/* beta += dz, mu += dmu with G dz = g */
static void solve_metric(hk_redundant *r, const double *g, double *beta, double *mu) {
  const hk_bodies *c = r->c;
  hk_redundant_dae *d = r->dae;
  memset(d->big, 0, (size_t)c->n * sizeof *d->big);
  memcpy(d->big + c->n, g, (size_t)c->nrows * sizeof *g);
  hki_linsolve_solve(d->metric, d->big);
  for (int32_t i = 0; i < c->n; i++) beta[i] += d->big[i];
  for (int32_t i = 0; i < c->nrows; i++) mu[i] -= r->mass * d->big[c->n + i];
}

/* r->x = (x1, dlam/(cj^2 mass)) for x2 and the right sides f - K x2, g - G x2; f, g NULL: zero */
static void solve_stage(hk_redundant *r, const double *x2, const double *f, const double *g) {
  hk_bodies *c = r->c;
  hk_redundant_dae *d = r->dae;
  const double k = 1.0 / (d->cj * d->cj);
  memcpy(d->big, x2, (size_t)c->n * sizeof *d->big);
  memset(d->big + c->n, 0, (size_t)c->nrows * sizeof *d->big);
  hki_linsolve_mul(d->stiff, d->big, d->out);
  for (int32_t i = 0; i < c->n; i++) r->y[i] = k * ((f ? f[i] : 0.0) - d->out[i]);
  stage_rows(r, x2, g, r->row);
  rows_off(r, false, g, k / r->mass, r->row);
  hki_redundant_solve(r, r->y, r->row);
}

/* y (nrows) = (B + cj G (N - 1)) x, B x by a difference along x; leaves the machine at the
 * displaced state */
static void rate_slope(hk_redundant *r, const double *x, double *y) {
  hk_bodies *c = r->c;
  hk_redundant_dae *d = r->dae;
  double most = 0.0;
  for (int32_t i = 0; i < c->n; i++) most = fmax(most, fabs(x[i]) / c->scale[i]);
  const double e = most > 0.0 ? 1e-7 / most : 0.0;
  double *turn = r->row;
  memcpy(d->z, x, (size_t)c->n * sizeof *d->z);
  rates_of(r, d->z);
  for (int32_t i = 0; i < c->n; i++) d->z[i] -= d->cj * x[i];
  hki_bodies_mul(c, d->z, turn);
  memcpy(d->z, c->v, (size_t)c->n * sizeof *d->z);
  hki_bodies_to_world(c, d->z);
  hki_bodies_mul(c, d->z, d->out);
  for (int32_t i = 0; i < c->nrows; i++) d->out[i] += c->phit[i];
  for (int32_t i = 0; i < c->n; i++) d->big[i] = e * x[i];
  hki_bodies_to_body(c, d->big);
  hki_bodies_plus(c, c->q, d->big, c->q);
  hki_bodies_state(c, c->it.t, c->q, c->v);
  hki_bodies_rows(c);
  memcpy(d->z, c->v, (size_t)c->n * sizeof *d->z);
  hki_bodies_to_world(c, d->z);
  hki_bodies_mul(c, d->z, y);
  for (int32_t i = 0; i < c->nrows; i++)
    y[i] = turn[i] + (e > 0.0 ? (y[i] + c->phit[i] - d->out[i]) / e : 0.0);
  rows_off(r, true, NULL, 0.0, y);
}

/* dv = cj N x1, in body axes */
static void to_rates(const hk_redundant *r, const double *x1, double *dv) {
  const hk_bodies *c = r->c;
  memcpy(dv, x1, (size_t)c->n * sizeof *dv);
  rates_of(r, dv);
  for (int32_t b = 0; b < c->m->nb; b++) {
    double y[3], *turn = dv + c->v0[b];
    if (!hki_bodies_turns(c, b)) continue;
    m3_tmulv(y, r->dae->R + 9 * b, turn);
    v3_copy(turn, y);
  }
}

static hk_status dae_solve(hk_formulation *f, double *b) {
  hk_redundant *r = hki_redundant_of(f);
  hk_bodies *c = r->c;
  hk_redundant_dae *d = r->dae;
  const double cj = d->cj;
  const int32_t n = c->n, m = c->nrows;
  double *b2 = b + c->nq, *b3 = b2 + n, *b4 = b3 + m;
  to_variations(r, b, d->beta);
  if (d->stabilised) {
    hki_bodies_mul(c, d->beta, d->row);
    for (int32_t i = 0; i < m; i++) d->row[i] = cj * b3[i] - b4[i] - d->row[i];
    rows_off(r, true, b4, -1.0 / r->mass, d->row);
    memset(b4, 0, (size_t)m * sizeof *b4);
    solve_metric(r, d->row, d->beta, b4);
  }
  undo_rates(r, d->beta);
  solve_stage(r, d->beta, b2, b3);
  memcpy(d->x1, r->x, (size_t)(n + m) * sizeof *d->x1);
  if (d->stabilised && m) {
    // second pass: (B + cj G (N - 1)) x
    for (int32_t i = 0; i < n; i++) d->a[i] = d->beta[i] + d->x1[i];
    rate_slope(r, d->a, d->row);
    memset(d->a, 0, (size_t)n * sizeof *d->a);
    solve_metric(r, d->row, d->a, b4);
    undo_rates(r, d->a);
    solve_stage(r, d->a, NULL, NULL);
    for (int32_t i = 0; i < n; i++) d->beta[i] += d->a[i];
    for (int32_t i = 0; i < n + m; i++) d->x1[i] += r->x[i];
  }
  for (int32_t i = 0; i < m; i++) b3[i] = cj * cj * r->mass * d->x1[n + i];
  to_rates(r, d->x1, b2);
  for (int32_t i = 0; i < n; i++) d->beta[i] += d->x1[i];
  to_poses(r, d->beta, b);
  return HK_OK;
}

static hk_status dae_pack(hk_formulation *f, bool stabilised, double t, const double *q,
                          const double *v, double *y, double *yp) {
  hk_redundant *r = hki_redundant_of(f);
  hk_bodies *c = r->c;
  hk_status st = prepare(r);
  const size_t size = (size_t)dae_size(f, stabilised);
  if (st == HK_OK) st = f->ops->accel(f, t, q, v, r->dae->a);
  if (st != HK_OK) return st;
  memset(y, 0, size * sizeof *y);
  memset(yp, 0, size * sizeof *yp);
  memcpy(y, q, (size_t)c->nq * sizeof *q);
  memcpy(y + c->nq, v, (size_t)c->n * sizeof *v);
  memcpy(y + c->nq + c->n, r->lam, (size_t)c->nrows * sizeof *y);
  memcpy(yp + c->nq, r->dae->a, (size_t)c->n * sizeof *yp);
  // q' = T(q) v: with q' = 0 the residual is -T(q) v
  pose_residual(c, y, yp, v, yp);
  for (int32_t i = 0; i < c->nq; i++) yp[i] = -yp[i];
  return HK_OK;
}

static void dae_unpack(hk_formulation *f, const double *y, const double *yp, double *q, double *v,
                       double *a) {
  const hk_bodies *c = hki_redundant_of(f)->c;
  memcpy(q, y, (size_t)c->nq * sizeof *q);
  for (int32_t b = 0; b < c->m->nb; b++)
    if (hki_bodies_turns(c, b)) quat_normalize(q + c->q0[b]);
  memcpy(v, y + c->nq, (size_t)c->n * sizeof *v);
  memcpy(a, yp + c->nq, (size_t)c->n * sizeof *a);
}

const hk_dae_ops hki_redundant_dae = {dae_size,     dae_entries, dae_pack, dae_unpack,
                                      dae_residual, dae_factor,  dae_solve};

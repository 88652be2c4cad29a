/* SPDX-License-Identifier: Apache-2.0
 *
 * matrix.c: pattern, slots and assembly of the saddle-point matrix.
 *
 * Tangents K = -dw/dxi, C = -dw/dV of wrenches w = (m, f) at markers, moved to the centres of mass;
 * r: marker seen from there, omega: angular velocity, th: rotation of the body
 *
 *   X      = [1 0; -[r] 1]
 *   K_body = X' (K X + C Y) - (dX'/dx) w
 *   C_body = X' C X
 *   Y th   = (th x omega, th x (omega x r))
 *   (dX'/dx) w th: moment (th x r) x f = r (f . th) - th (r . f)
 *
 * Inertia, with w the angular velocity in body axes:
 *
 *   moment R h,   h = J dw/dt + w x J w
 *   d(R h)/dth = -[R h]
 *   dh = J d(dw/dt) + ([w] J - [J w]) dw
 *
 * With momenta as states the moment is cp R J w, cp = ca/cv (nodes.c).
 */
#include "formulations/redundant/redundant.h"
#include "kinematics/wide.h"
#include "formulations/redundant/stab.h"

#define POOL(r, type, n) ((type *)hki_pool_alloc((r)->c->pool, (size_t)(n) * sizeof(type)))

/* --- structure -------------------------------------------------------------------------------- */

/* index: columns of two bodies; returns their number */
static int32_t body_index(const hk_bodies *c, const int32_t *body, int32_t *index) {
  int32_t n = 0;
  for (int32_t i = 0; i < 2 * c->nd; i++) {
    const int32_t at = hki_bodies_entry(c, body[i / c->nd], i % c->nd);
    if (at >= 0) index[n++] = at;
  }
  return n;
}

/* body[2]: bodies that a force acts on, HK_GROUND where there is none */
static void force_bodies(const hk_bodies *c, int32_t fi, int32_t *body) {
  const hk_model_force *f = &c->m->forces[fi];
  body[0] = body[1] = HK_GROUND;
  for (int32_t s = 0; s < f->ops->nmark; s++) body[s] = f->body[s];
  if (f->ops->nscal) memcpy(body, c->scalar[f->scalar].body, 2 * sizeof *body);
}

void hki_redundant_pattern(const hk_redundant *r, hk_pattern *p) {
  const hk_bodies *c = r->c;
  int32_t index[12], rows[6];
  for (int32_t b = 0; b < c->m->nb; b++) {
    const int32_t body[2] = {b, HK_GROUND};
    hki_pattern_clique(p, body_index(c, body, index), index);
  }
  for (int32_t i = 0; i < c->nset; i++) {
    const hk_bodies_set *s = &c->set[i];
    int32_t n = body_index(c, s->body, index);
    for (int32_t k = 0; k < s->nrows; k++) rows[k] = c->n + s->row0 + k;
    hki_pattern_clique(p, n, index);
    hki_pattern_rect(p, s->nrows, rows, n, index);
    hki_pattern_rect(p, n, index, s->nrows, rows);
  }
  hki_redundant_pattern_bends(r, p);
  for (int32_t f = 0; f < c->m->nf; f++) {
    int32_t body[2];
    force_bodies(c, f, body);
    hki_pattern_clique(p, body_index(c, body, index), index);
  }
  if (c->m->nwide) hki_redundant_pattern_wide(r, p);
  hki_redundant_pattern_network(r, p);
  hki_redundant_pattern_inputs(r, p);
}

hk_status hki_redundant_solver(hk_redundant *r, hk_linsolve **out) {
  hk_pattern p;
  const hk_linsolve_options o = {.method = r->method, .rows = r->c->n};
  hki_pattern_init(&p, r->ctx, r->c->n + r->c->nrows);
  hki_redundant_pattern(r, &p);
  hk_status st = hki_linsolve_create(r->ctx, &p, &o, out);
  hki_pattern_free(&p);
  return st;
}

/* slot: (2 nd)^2 slots of the block of two bodies, -1 where one is the ground */
static void block_slots(const hk_redundant *r, const int32_t *body, int32_t *slot) {
  const int32_t nd = r->c->nd;
  for (int32_t i = 0; i < 2 * nd; i++)
    for (int32_t j = 0; j < 2 * nd; j++) {
      const int32_t a = hki_bodies_entry(r->c, body[i / nd], i % nd);
      const int32_t b = hki_bodies_entry(r->c, body[j / nd], j % nd);
      slot[2 * nd * i + j] = a < 0 || b < 0 ? -1 : hki_linsolve_entry(r->ls, a, b);
    }
}

static bool make_slots(hk_redundant *r) {
  hk_bodies *c = r->c;
  const int32_t nd = c->nd, sq = 4 * nd * nd;
  r->slot_body = POOL(r, int32_t, c->m->nb * nd * nd + 1);
  r->slot_geo = POOL(r, int32_t, c->nset * sq + 1);
  r->slot_frc = POOL(r, int32_t, c->m->nf * sq + 1);
  r->slot_row = POOL(r, int32_t, c->nlines * 2 * nd + 1);
  r->slot_col = POOL(r, int32_t, c->nlines * 2 * nd + 1);
  r->slot_diag = POOL(r, int32_t, c->nrows + 1);
  if (!r->slot_body || !r->slot_geo || !r->slot_frc || !r->slot_row || !r->slot_col ||
      !r->slot_diag)
    return false;
  for (int32_t b = 0; b < c->m->nb; b++)
    for (int32_t i = 0; i < nd * nd; i++) {
      const int32_t x = hki_bodies_entry(c, b, i / nd), y = hki_bodies_entry(c, b, i % nd);
      r->slot_body[b * nd * nd + i] = x < 0 || y < 0 ? -1 : hki_linsolve_entry(r->ls, x, y);
    }
  for (int32_t i = 0; i < c->nset; i++) {
    const hk_bodies_set *s = &c->set[i];
    block_slots(r, s->body, r->slot_geo + sq * i);
    for (int32_t k = s->row0; k < s->row0 + s->nrows; k++) {
      r->slot_diag[k] = hki_linsolve_entry(r->ls, c->n + k, c->n + k);
      for (int32_t j = 0; j < 2 * nd; j++) {
        const int32_t v = hki_bodies_entry(c, s->body[j / nd], j % nd);
        const int32_t at = 2 * nd * hki_bodies_line(s, k) + j;
        r->slot_row[at] = v < 0 ? -1 : hki_linsolve_entry(r->ls, c->n + k, v);
        r->slot_col[at] = v < 0 ? -1 : hki_linsolve_entry(r->ls, v, c->n + k);
      }
    }
  }
  for (int32_t f = 0; f < c->m->nf; f++) {
    int32_t body[2];
    force_bodies(c, f, body);
    block_slots(r, body, r->slot_frc + sq * f);
  }
  if (c->m->nwide && !hki_redundant_slot_wide(r)) return false;
  hki_redundant_slot_inputs(r);
  return hki_redundant_slot_bends(r) && hki_redundant_slot_network(r);
}

static void layout(hk_redundant *r, hk_arena *a) {
  const hk_bodies *c = r->c;
  int32_t reads = 1;
  for (int32_t i = 0; i < c->m->spec->nsignals; i++)
    if (c->m->spec->signals[i].nreads > reads) reads = c->m->spec->signals[i].nreads;
  r->r = HK_TAKE(a, double, c->n);
  r->x = HK_TAKE(a, double, c->n + c->nrows);
  r->y = HK_TAKE(a, double, c->n);
  r->row = HK_TAKE(a, double, c->nrows);
  r->N = HK_TAKE(a, double, 9 * c->m->nb);
  r->guard.D = HK_TAKE(a, double, c->n);
  r->guard.lam = HK_TAKE(a, double, c->nrows);
  r->old.lam = HK_TAKE(a, double, c->nrows);
  r->slope = HK_TAKE(a, double, c->m->nrate ? 2 * c->nd * c->nlines : 0);
  r->slopes = HK_TAKE(a, double, 2 * c->nd * c->nlines);
  r->curve = HK_TAKE(a, hk_bodies_curve, c->nlines);
  r->gq = HK_TAKE(a, double, c->n);
  r->gv = HK_TAKE(a, double, c->n);
  r->bar = HK_TAKE(a, double, c->m->spec->nsignals);
  r->part = HK_TAKE(a, double, reads);
}

void hki_redundant_cost(const hk_redundant *r, hk_cost *out) {
  hk_redundant copy = *r;
  hk_arena a = {0};
  hk_cost stab = {0};
  layout(&copy, &a);
  hki_linsolve_cost(r->ls, out);
  if (r->stab && r->stab->ls) hki_linsolve_cost(r->stab->ls, &stab);
  out->bytes += stab.bytes + hki_bodies_bytes(r->c) + (double)a.used + 2.0 * sizeof *r;
  out->seconds =
      fmax(out->seconds, stab.seconds) + 1e-6 * r->c->m->nb + 0.3e-6 * (r->c->nset + r->c->m->nf);
}

static hk_status build(hk_redundant *r, const hk_model *m) {
  hk_arena a = {0};
  hk_status st = hki_bodies_create(r->ctx, m, 2, false, &r->c);
  if (st != HK_OK) return st;
  r->lam = r->c->extra;
  r->out = r->lam + r->c->nrows;
  for (int32_t b = 0; b < m->nb; b++) r->mass = fmax(r->mass, m->bodies[b].mass);
  if (!(r->mass > 0.0)) r->mass = 1.0;
  st =
      hki_redundant_find_inputs(r) && hki_redundant_find_network(r) && hki_redundant_servo_create(r)
          ? hki_redundant_solver(r, &r->ls)
          : HK_E_MEMORY;
  if (st == HK_OK && !make_slots(r)) st = HK_E_MEMORY;
  if (st != HK_OK) return st;
  layout(r, &a);
  r->block = hki_alloc(r->ctx, a.used + 64);
  if (!r->block) return HK_E_MEMORY;
  a = (hk_arena){r->block + (64 - (uintptr_t)r->block % 64) % 64, 0, a.used};
  layout(r, &a);
  return HK_OK;
}

hk_status hki_redundant_create(hk_ctx *ctx, const hk_model *m, const char *method,
                               hk_redundant **out) {
  hk_redundant *r = hki_alloc(ctx, sizeof *r);
  *out = NULL;
  if (!r) return HK_E_MEMORY;
  r->ctx = ctx;
  r->method = method;
  hk_status st = build(r, m);
  if (st == HK_OK)
    *out = r;
  else
    hki_redundant_destroy(r);
  return st;
}

void hki_redundant_destroy(hk_redundant *r) {
  if (!r) return;
  hki_redundant_dae_destroy(r);
  hki_redundant_stab_destroy(r->stab);
  hki_linsolve_destroy(r->ls);
  hki_bodies_destroy(r->c);
  hki_free(r->ctx, r->old.memory);
  hki_free(r->ctx, r->null);
  hki_free(r->ctx, r->block);
  hki_free(r->ctx, r);
}

/* --- assembly --------------------------------------------------------------------------------- */

/* adds s A (3 x 3, world axes) to the rotations of a body */
static void add_rotation(hk_redundant *r, int32_t b, double s, const double *A) {
  const int32_t *slot = r->slot_body + 36 * b;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) r->ls->val[slot[6 * i + j]] += s * A[3 * i + j];
}

/* adds -s [R h]; cp > 0: -s cp [R J w] */
static void add_turning(hk_redundant *r, int32_t b, double s, double cp) {
  const hk_bodies *c = r->c;
  const double *J = c->m->bodies[b].J;
  double Jw[3], h[3], x[3], S[9];
  if (!hki_bodies_turns(c, b)) return;
  const double *w = c->v + c->v0[b];
  m3_mulv(Jw, J, w);
  if (cp > 0.0) {
    v3_scale(h, cp, Jw);
  } else {
    m3_mulv(h, J, c->a + c->v0[b]);
    v3_cross_add(h, w, Jw);
  }
  m3_mulv(x, c->it.frame[b].R, h);
  m3_skew(S, x);
  add_rotation(r, b, -s, S);
}

/* adds s times `ghost` to a massless body */
static void add_ghost(hk_redundant *r, int32_t b, double s) {
  const hk_bodies *c = r->c;
  const int32_t nd = c->nd, *slot = r->slot_body + nd * nd * b, turns = c->planar ? 1 : 3;
  const double J = s * r->ghost * c->m->length * c->m->length;
  if (!c->m->bodies[b].massless) return;
  for (int32_t i = c->lack[b]; i < nd; i++)
    r->ls->val[slot[(nd + 1) * i]] += i < turns ? J : s * r->ghost;
}

/* adds s M of a body; ca > 0: s (M N + (cv/ca) C N + K/ca) of its inertia */
static void add_body(hk_redundant *r, int32_t b, double s, double cv, double ca, bool momenta) {
  const hk_bodies *c = r->c;
  const hk_model_body *mb = &c->m->bodies[b];
  const int32_t nd = c->nd, *slot = r->slot_body + nd * nd * b;
  double *val = r->ls->val;
  if (c->planar) {
    double Jn[3];
    m3_mulv(Jn, mb->J, c->m->spec->normal);
    if (!c->lack[b]) val[slot[0]] += s * v3_dot(Jn, c->m->spec->normal);
    val[slot[4]] += s * mb->mass;
    val[slot[8]] += s * mb->mass;
    return;
  }
  for (int i = 3; i < 6; i++) val[slot[7 * i]] += s * mb->mass;
  if (c->lack[b]) return;
  const double *R = c->it.frame[b].R;
  double B[9], T[9], A[9];
  if (ca == 0.0) {
    m3_congruence(A, R, mb->J);
    add_rotation(r, b, s, A);
    return;
  }
  // J + (cv/ca) ([w] J - [J w]) in body axes; with momenta J alone
  const double *w = c->v + c->v0[b], gyro = momenta ? 0.0 : cv / ca;
  double Jw[3], S[9], Sw[9];
  m3_mulv(Jw, mb->J, w);
  m3_skew(S, Jw);
  m3_skew(Sw, w);
  m3_mul(T, Sw, mb->J);
  for (int i = 0; i < 9; i++) B[i] = mb->J[i] + gyro * (T[i] - S[i]);
  m3_congruence(T, R, B);
  m3_mul(A, T, r->N + 9 * b);
  add_rotation(r, b, s, A);
  add_turning(r, b, s / ca, momenta ? ca / cv : 0.0);
}

/* h (12): d(G V)/dx of row i of a set, at the centres of mass */
static void rate_slope(const hk_redundant *r, const hk_bodies_set *s, int32_t i, const hk_frame *F,
                       const double *gA, const double *gB, double *h) {
  const hk_bodies *c = r->c;
  double H[144], V[12], lam[6] = {0};
  lam[i] = 1.0;
  hki_bodies_set_geo(c, s, F, lam, false, H);
  const double *g[2] = {gA, gB};
  for (int k = 0; k < 2; k++) v3_copy(V + 6 * k, F[k].w), v3_copy(V + 6 * k + 3, F[k].v);
  memset(h, 0, 12 * sizeof *h);
  for (int a = 0; a < 12; a++)
    for (int b = 0; b < 12; b++) h[b] += V[a] * H[12 * a + b];
  // the twists of the markers turn with the bodies
  for (int k = 0; k < 2; k++) {
    double d[3], u[3];
    if (s->body[k] == HK_GROUND) continue;
    const hk_frame *f = &c->it.frame[s->body[k]];
    v3_sub(d, F[k].p, f->p);
    v3_cross(u, f->w, d);
    v3_cross_add(h + 6 * k, f->w, g[k]);
    v3_cross_add(h + 6 * k, u, g[k] + 3);
    hki_to_centre(h + 6 * k, 1, d);
  }
}

/* gradient of one coordinate of a coupling, times the slope there; shift: slopes of the row in the
 * values of all its coordinates */
static void coupled_gradient(const hk_bodies *c, int32_t i, hk_frame *F, hk_joint_coord *x,
                             double *shift) {
  const hk_bodies_set *s = &c->set[i];
  double v[HK_COUPLED], vd[HK_COUPLED];
  hki_bodies_coupled(c, i - s->part, v, vd);
  hki_coupling_shift(&c->it, s->coupling, v, vd, shift);
  (void)hki_bodies_scalar(c, &s->coord, x, F);
  for (int j = 0; j < 6; j++) x->gA[j] *= c->slope[s->line0], x->gB[j] *= c->slope[s->line0];
}

/* lines of rows on velocities: G becomes G N + (dpsi/dx)/cv; r->slope keeps the second part */
static void add_rate_rows(hk_redundant *r, double cv) {
  const hk_bodies *c = r->c;
  const int32_t nd = c->nd;
  for (int32_t i = 0; c->m->nrate && i < c->nset; i++) {
    const hk_bodies_set *s = &c->set[i];
    hk_joint_loop L;
    hk_joint_coord x1;
    hk_frame F[2];
    double shift[HK_COUPLED] = {0};
    if (!s->rate_rows || !hki_bodies_active(c, s)) continue;
    // a prescribed rate: its slopes are left out
    if (s->is_coord && !s->coupling) {
      memset(r->slope + 2 * nd * s->line0, 0, 2 * (size_t)nd * sizeof *r->slope);
      continue;
    }
    if (s->coupling)
      coupled_gradient(c, i, F, &x1, shift);
    else
      hki_bodies_set_frames(c, s, F), s->ops->loop(s->par, &F[0], &F[1], HK_LOOP_JAC, &L);
    for (int32_t q = 0; q < s->nrows; q++) {
      const int32_t at = 2 * nd * (s->line0 + q);
      double h[12], *slope = r->slope + at;
      if (!(s->rate_rows >> q & 1u)) continue;
      rate_slope(r, s, q, F, s->coupling ? x1.gA : L.GA + 6 * s->rows[q],
                 s->coupling ? x1.gB : L.GB + 6 * s->rows[q], h);
      for (int k = 0; k < 2; k++) {
        double x[6], y[3];
        for (int j = 0; j < 6; j++) h[6 * k + j] /= cv;
        hki_bodies_reduce(c, h + 6 * k, x);
        for (int32_t j = 0; s->coupling && s->body[k] != HK_GROUND && j < nd; j++)
          x[j] += shift[s->part] * c->plain[at + nd * k + j] / cv;
        memcpy(slope + nd * k, x, (size_t)nd * sizeof *x);
        if (s->body[k] == HK_GROUND) continue;
        if (hki_bodies_turns(c, s->body[k])) {
          const double *g = c->G + at + nd * k;
          m3_tmulv(y, r->N + 9 * s->body[k], g);
          for (int j = 0; j < 3; j++) x[j] += y[j] - g[j];
        }
        for (int32_t j = c->lack[s->body[k]]; j < nd; j++)
          r->ls->val[r->slot_row[at + nd * k + j]] += x[j];
      }
    }
  }
}

/* C = C N in the rotations of both bodies */
static void times_chart(const hk_redundant *r, const int32_t *body, double *C) {
  for (int k = 0; k < 2 && !r->c->planar; k++) {
    if (body[k] == HK_GROUND) continue;
    const double *N = r->N + 9 * body[k];
    for (int i = 0; i < 12; i++) {
      double *x = C + 12 * i + 6 * k, y[3];
      m3_tmulv(y, N, x);
      v3_copy(x, y);
    }
  }
}

/* adds s K (12 x 12 at the centres of mass) to the matrix */
static void add_block(hk_redundant *r, const int32_t *body, const int32_t *slot, double s,
                      double *K) {
  const hk_bodies *c = r->c;
  const int32_t nd = c->nd, w = 2 * nd;
  double P[6][12], T[6];
  if (!c->planar) {
    for (int i = 0; i < 12; i++)
      for (int j = 0; j < 12; j++)
        if (slot[12 * i + j] >= 0) r->ls->val[slot[12 * i + j]] += s * K[12 * i + j];
    return;
  }
  (void)body;
  // plane: reduce the columns, then the rows
  for (int i = 0; i < 12; i++)
    for (int k = 0; k < 2; k++) {
      hki_bodies_reduce(c, K + 12 * i + 6 * k, T);
      for (int j = 0; j < 3; j++) P[3 * k + j][i] = T[j];
    }
  for (int32_t j = 0; j < w; j++)
    for (int k = 0; k < 2; k++) {
      hki_bodies_reduce(c, P[j] + 6 * k, T);
      for (int i = 0; i < 3; i++) {
        int32_t at = slot[w * (3 * k + i) + j];
        if (at >= 0) r->ls->val[at] += s * T[i];
      }
    }
}

/* adds s d(G'lam)/dx; push: s d(B'lam)/dx */
static void add_geometric(hk_redundant *r, const double *lam, double s, bool push) {
  const hk_bodies *c = r->c;
  const double *lines = push ? c->B : c->G;
  const int32_t nd = c->nd, sq = 4 * nd * nd;
  for (int32_t i = 0; i < c->nset; i++) {
    const hk_bodies_set *set = &c->set[i];
    double H[144], w[12] = {0};
    hk_frame F[2];
    if (!hki_bodies_active(c, set)) continue;
    hki_bodies_set_frames(c, set, F);
    hki_bodies_set_geo(c, set, F, lam + set->row0, push, H);
    // w: constraint force -G'lam on each body; its moment is not needed
    for (int k = 0; k < 2; k++)
      for (int32_t q = set->row0; q < set->row0 + set->nrows; q++) {
        const double *g = lines + (2 * hki_bodies_line(set, q) + k) * nd, l = lam[q];
        double e[3] = {0};
        if (c->planar)
          for (int j = 0; j < 3; j++) e[j] = c->E[3 * j] * g[1] + c->E[3 * j + 1] * g[2];
        else
          v3_copy(e, g + 3);
        v3_axpy(w + 6 * k + 3, -l, e);
      }
    hki_kin_to_centres(&c->it, 2, set->body, F, w, H, NULL);
    add_block(r, set->body, r->slot_geo + sq * i, s, H);
  }
  hki_redundant_add_bends(r, lam, s, push);
}

/* -(dW/dN)(dN/dlam) in the columns of the multipliers of a friction's own joint */
static void add_normal(hk_redundant *r, int32_t fi, const int32_t *body, const hk_frame *F,
                       const hk_element_out *out) {
  const hk_bodies *c = r->c;
  const int32_t nd = c->nd;
  double dN[HK_JOINT_MAX];
  const hk_bodies_set *s = hki_bodies_normal_slopes(c, c->m->forces[fi].normal, r->lam, dN);
  for (int k = 0; s && k < 2; k++) {
    double w[6], d[3], y[6];
    if (body[k] == HK_GROUND) continue;
    v3_sub(d, F[k].p, c->it.frame[body[k]].p);
    s6_wrench_to_origin(w, out->Wu + 6 * k, d);
    hki_bodies_reduce(c, w, y);
    const int side = s->body[1] == body[k];
    for (int32_t q = 0; q < s->nrows; q++)
      for (int32_t i = c->lack[body[k]]; i < nd; i++)
        r->ls->val[r->slot_col[2 * nd * hki_bodies_line(s, s->row0 + q) + nd * side + i]] -=
            y[i] * dN[q];
  }
}

/* adds cC C N + cK K of all forces, their inputs included; scale: as in hki_redundant_add_inputs */
static void add_forces(hk_redundant *r, double cC, double cK, double scale, bool normals) {
  hk_bodies *c = r->c;
  const int32_t sq = 4 * c->nd * c->nd;
  for (int32_t f = 0; f < c->m->nf; f++) {
    hk_element_out out;
    hk_frame F[HK_ELEMENT_MARKERS];
    int32_t body[2];
    const hk_element_ops *ops = c->m->forces[f].ops;
    if (ops->nmark + ops->nscal == 0 && !c->m->forces[f].u_state) continue;
    if (ops->nmark == 1) memset(&out, 0, sizeof out);
    hki_bodies_force(c, f, true, body, F, &out);
    if (c->m->forces[f].u_state) hki_redundant_add_inputs(r, f, body, F, &out, cC, cK, scale);
    if (normals && c->m->forces[f].normal != HK_NONE) add_normal(r, f, body, F, &out);
    if (ops->nmark + ops->nscal == 0) continue;
    hki_kin_to_centres(&c->it, 2, body, F, out.w, out.K, out.C);
    times_chart(r, body, out.C);
    for (int i = 0; i < 144; i++) out.K[i] = cK * out.K[i] + cC * out.C[i];
    add_block(r, body, r->slot_frc + sq * f, 1.0, out.K);
  }
  if (c->m->nwide) hki_redundant_add_wide(r, cC, cK);
}

void hki_redundant_still(hk_formulation *f, bool on) {
  hk_redundant *r = hki_redundant_of(f);
  r->c->ghost = r->ghost = on ? r->mass : 0.0;
}

hk_status hki_redundant_factor_mass(hk_redundant *r, const hk_redundant_lines *lines) {
  r->old.ca = 0.0;
  hki_linsolve_zero(r->ls);
  for (int32_t b = 0; b < r->c->m->nb; b++) {
    add_body(r, b, 1.0 / r->mass, 0.0, 0.0, false);
    if (r->ghost > 0.0) add_ghost(r, b, 1.0 / r->mass);
  }
  if (r->c->m->wide_inert) hki_redundant_add_wide_inertia(r, 1.0 / r->mass, 0.0, 0.0, false);
  hki_redundant_add_rows(r, lines);
  hki_redundant_unit_network(r);
  return hki_linsolve_refactor(r->ls);
}

hk_status hki_redundant_factor_stage(hk_redundant *r, double cv, double ca, bool geometric,
                                     bool momenta, const hk_redundant_lines *lines) {
  const double s = 1.0 / r->mass;
  r->old.ca = 0.0;
  hki_linsolve_zero(r->ls);
  for (int32_t b = 0; b < r->c->m->nb; b++) add_body(r, b, s, cv, ca, momenta);
  if (r->c->m->wide_inert) hki_redundant_add_wide_inertia(r, s, s * cv / ca, s / ca, true);
  add_forces(r, s * cv / ca, s / ca, r->mass, true);
  hki_redundant_add_network(r, 1.0, cv / ca, 1.0 / ca, s);
  if (geometric) add_geometric(r, r->lam, s / ca, true);
  hki_redundant_add_rows(r, lines);
  if (geometric && !lines->slopes) add_rate_rows(r, cv);
  hki_redundant_scale_network(r);
  return hki_linsolve_refactor(r->ls);
}

void hki_redundant_stiffness(hk_redundant *r) {
  r->old.ca = 0.0;
  hki_linsolve_zero(r->ls);
  for (int32_t b = 0; b < r->c->m->nb; b++) add_turning(r, b, 1.0, 0.0);
  if (r->c->m->wide_inert) hki_redundant_add_wide_inertia(r, 0.0, 0.0, 1.0, false);
  add_forces(r, 0.0, 1.0, 1.0, false);
  hki_redundant_add_network(r, 0.0, 0.0, 1.0, 1.0);
  add_geometric(r, r->lam, 1.0, true);
}

void hki_redundant_rates(hk_redundant *r, double m, double c) {
  const hk_bodies *ca = r->c;
  r->old.ca = 0.0;
  hki_linsolve_zero(r->ls);
  for (int32_t b = 0; b < ca->m->nb; b++) {
    const hk_model_body *mb = &ca->m->bodies[b];
    add_body(r, b, m, 0.0, 0.0, false);
    if (!hki_bodies_turns(ca, b)) continue;
    // c (w x J - [J w]) in body axes
    const double *w = ca->v + ca->v0[b];
    double Jw[3], S[9], Sw[9], T[9], A[9];
    m3_mulv(Jw, mb->J, w);
    m3_skew(S, Jw);
    m3_skew(Sw, w);
    m3_mul(T, Sw, mb->J);
    for (int i = 0; i < 9; i++) T[i] -= S[i];
    m3_congruence(A, ca->it.frame[b].R, T);
    add_rotation(r, b, c, A);
  }
  if (ca->m->wide_inert) hki_redundant_add_wide_inertia(r, m, c, 0.0, false);
  if (c != 0.0) add_forces(r, c, 0.0, 0.0, false);
}

void hki_redundant_curvature(hk_redundant *r, const double *lam) {
  r->old.ca = 0.0;
  hki_linsolve_zero(r->ls);
  add_geometric(r, lam, 1.0, false);
}

void hki_redundant_solve(hk_redundant *r, const double *f, const double *g) {
  const hk_bodies *c = r->c;
  for (int32_t i = 0; i < c->nb; i++) r->x[i] = f ? f[i] / r->mass : 0.0;
  for (int32_t i = 0; i < c->nx; i++) r->x[c->nb + i] = f ? f[c->nb + i] * r->xscale[i] : 0.0;
  memcpy(r->x + c->n, g, (size_t)c->nrows * sizeof *g);
  hki_linsolve_solve(r->ls, r->x);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * cables.c: a rope over points and pulleys alone: its length against closed forms, wrenches and tangents
 * against differences, what rigid motions and spinning pulleys leave as it is, and the balance of power. The
 * tension: where it is slack, and what a winch does. Ropes and belts between two markers are among the
 * cases of all elements.
 */
#include <math.h>
#include <string.h>

#include "elements/cable.h"
#include "elements/support.h"
#include "runner.h"

enum { MOST = 5, N6 = 6 * MOST };
static const double pi = 3.14159265358979323846;

typedef struct cable {
  const hk_wide_ops *ops;
  hk_cable_par par;
  int32_t n;
  hk_frame m[MOST];
  double u[HK_TENSION_INPUTS];
  uint32_t varies;
  double w[N6], K[N6 * N6], C[N6 * N6], y[HK_TENSION_OUTPUTS];
  hk_wide_out out;
  rng r;
} cable;

static void evaluate(cable *c) {
  const hk_element_in in = {.m = c->m, .u = c->u, .u_varies = c->varies};
  c->out = (hk_wide_out){.w = c->w, .K = c->K, .C = c->C, .y = c->y};
  c->ops->eval(&c->par, c->n, &in, 127u, &c->out);
}

/* points in the x z plane, pulleys about y */
static void make(cable *c, int32_t n, const double (*p)[2], const double *radius, double length) {
  memset(c, 0, sizeof *c);
  c->ops = hki_element_find("cable")->wide;
  c->n = n;
  c->par.law = (hk_tension_par){.EA = 70.0, .share = 1.0};
  c->u[0] = length;
  for (int32_t i = 0; i < n; i++) {
    v3_set(c->m[i].p, p[i][0], 0.0, p[i][1]);
    rot_from_axis(c->m[i].R, (double[]){0.0, 1.0, 0.0}, 2, NULL);
    c->par.radius[i] = radius[i];
  }
}

/* out of the plane by this size, and in motion */
static void disturb(cable *c, double size, double tau, uint64_t seed) {
  c->r.s = seed;
  c->par.law.tau = tau;
  for (int32_t i = 0; i < c->n; i++) {
    double E[9], R[9], v[3];
    rng_vector(&c->r, size, v);
    rot_exp(E, v);
    m3_mul(R, E, c->m[i].R);
    memcpy(c->m[i].R, R, sizeof R);
    rng_vector(&c->r, size, v);
    v3_add(c->m[i].p, c->m[i].p, v);
    rng_vector(&c->r, 1.0, c->m[i].w);
    rng_vector(&c->r, 1.0, c->m[i].v);
  }
}

static const double points[MOST][2] = {{-1, -2}, {0, 0}, {1.5, -1}, {3, 0.2}, {3.4, -3}};
static const double over[MOST] = {0, 0.3, -0.2, 0.25, 0}, rings[MOST] = {0};

static double largest(const double *x, int n) {
  double top = 0.0;
  for (int i = 0; i < n; i++) top = fmax(top, fabs(x[i]));
  return top;
}

static void shift(cable *c, int j, double h) {
  const int n = 6 * c->n;
  hk_frame *m = &c->m[j % n / 6];
  if (j < n)
    hki_frame_move(m, j % 6, h);
  else
    *(j % 6 < 3 ? &m->w[j % 6] : &m->v[j % 6 - 3]) += h;
}

START_TEST(tangents_by_differences) {
  const double h = 1e-5, *radius = _i & 1 ? over : rings;
  cable c, at;
  make(&c, MOST, points, radius, 4.0);
  disturb(&c, 0.1, _i & 2 ? 0.2 : 0.0, 3u + (uint64_t)_i);
  if (_i & 2) c.u[1] = -0.4;
  evaluate(&c);
  ck_assert_double_gt(c.y[2], 1.0);
  ck_assert_int_eq(c.out.damped, _i >> 1);
  const double top = largest(c.K, N6 * N6);
  for (int j = 0; j < (_i & 2 ? 2 : 1) * N6; j++) {
    double w[N6], e, worst = 0.0;
    at = c;
    shift(&at, j, h), evaluate(&at);
    memcpy(w, at.w, sizeof w), e = at.out.energy;
    at = c;
    shift(&at, j, -h), evaluate(&at);
    for (int i = 0; i < N6; i++) {
      const double found = -(w[i] - at.w[i]) / (2.0 * h), *T = j < N6 ? c.K : c.C;
      worst = fmax(worst, fabs(found - T[N6 * i + j % N6]));
    }
    ck_assert_double_lt(worst, 1e-9 * top);
    // wrenches are those of the energy
    if (!(_i & 2))
      ck_assert_double_le(fabs(c.w[j] + (e - at.out.energy) / (2.0 * h)), 1e-9 * largest(c.w, N6));
  }
}
END_TEST

/* of a potential K - K' is the moment on a marker, which turns with it */
START_TEST(tangents_of_a_potential_are_symmetric) {
  cable c;
  make(&c, MOST, points, over, 4.0);
  disturb(&c, 0.1, 0.0, 11u);
  evaluate(&c);
  for (int i = 0; i < N6; i++)
    for (int j = 0; j < N6; j++) {
      double odd = c.K[N6 * i + j] - c.K[N6 * j + i], S[9];
      m3_skew(S, c.w + 6 * (i / 6));
      if (i / 6 == j / 6 && i % 6 < 3 && j % 6 < 3) odd -= S[3 * (i % 6) + j % 6];
      ck_assert_double_le(fabs(odd), 1e-13 * largest(c.K, N6 * N6));
    }
}
END_TEST

/* w . V = supplied - dissipated - d(energy)/dt, with a winch and without */
START_TEST(power_is_balanced) {
  const double h = 1e-5;
  cable c, at;
  double power = 0.0, e[2];
  make(&c, MOST, points, over, 4.0);
  disturb(&c, 0.1, 0.1, 21u);
  if (_i) c.u[1] = -0.7, c.varies = 3u;
  evaluate(&c);
  for (int32_t i = 0; i < MOST; i++)
    power += v3_dot(c.w + 6 * i, c.m[i].w) + v3_dot(c.w + 6 * i + 3, c.m[i].v);
  for (int k = 0; k < 2; k++) {
    at = c;
    for (int32_t i = 0; i < MOST; i++) {
      double step[3], E[9], R[9];
      v3_scale(step, k ? h : -h, c.m[i].w);
      rot_exp(E, step);
      m3_mul(R, E, c.m[i].R);
      memcpy(at.m[i].R, R, sizeof R);
      v3_axpy(at.m[i].p, k ? h : -h, c.m[i].v);
    }
    evaluate(&at);
    e[k] = at.out.energy;
  }
  ck_assert_double_ge(c.out.dissipated, 0.0);
  ck_assert_double_gt(fabs(c.out.supplied) + fabs(c.out.dissipated), 0.1);
  ck_assert_double_le(fabs(power - (c.out.supplied - c.out.dissipated - (e[1] - e[0]) / (2.0 * h))),
                      1e-7);
}
END_TEST

/* from (0, -1) up, over a pulley of radius 1 at the origin, and down to (1, -3): half a turn */
START_TEST(length_over_a_pulley) {
  static const double at[3][2] = {{-1, -1}, {0, 0}, {1, -3}}, r[3] = {0, 1, 0};
  cable c;
  make(&c, 3, at, r, 5.0);
  evaluate(&c);
  ck_assert_double_le(fabs(c.y[0] - (4.0 + pi)), 1e-14);
  // the pulley carries both ends, and no moment
  ck_assert_double_le(fabs(c.w[11] + 2.0 * c.y[2]), 1e-13);
  ck_assert_double_le(fabs(c.w[7]), 1e-13);
  // it may turn about its axis as it likes
  double R[9], E[9], y = c.y[0], w[N6];
  memcpy(w, c.w, sizeof w);
  rot_exp(E, (double[]){0.0, 2.3, 0.0});
  m3_mul(R, E, c.m[1].R);
  memcpy(c.m[1].R, R, sizeof R);
  evaluate(&c);
  ck_assert_double_le(fabs(c.y[0] - y), 1e-13);
  for (int i = 0; i < 18; i++) ck_assert_double_le(fabs(c.w[i] - w[i]), 1e-12);
  // another turn about it
  c.par.turns[1] = 1.0;
  evaluate(&c);
  ck_assert_double_le(fabs(c.y[0] - (4.0 + 3.0 * pi)), 1e-13);
}
END_TEST

/* rigid motions leave tension and length, and turn the wrenches */
START_TEST(rigid_motion) {
  cable c, at;
  make(&c, MOST, points, over, 4.0);
  disturb(&c, 0.1, 0.0, 31u);
  for (int32_t i = 0; i < MOST; i++) v3_zero(c.m[i].w), v3_zero(c.m[i].v);
  at = c;
  double E[9], t[3] = {5, -2, 1}, q[3], R[9];
  rot_exp(E, (double[]){0.7, -1.1, 1.4});
  for (int32_t i = 0; i < MOST; i++) {
    m3_mul(R, E, c.m[i].R);
    memcpy(at.m[i].R, R, sizeof R);
    m3_mulv(q, E, c.m[i].p);
    v3_add(at.m[i].p, q, t);
  }
  evaluate(&c), evaluate(&at);
  ck_assert_double_le(fabs(c.y[2] - at.y[2]), 1e-12 * c.y[2]);
  double sum[6] = {0}, x[3];
  for (int32_t i = 0; i < MOST; i++) {
    for (int k = 0; k < 2; k++) {
      m3_mulv(x, E, c.w + 6 * i + 3 * k);
      for (int j = 0; j < 3; j++) ck_assert_double_le(fabs(x[j] - at.w[6 * i + 3 * k + j]), 1e-11);
    }
    // and all of them balance
    v3_cross(x, c.m[i].p, c.w + 6 * i + 3);
    for (int j = 0; j < 3; j++) sum[j] += c.w[6 * i + j] + x[j], sum[3 + j] += c.w[6 * i + 3 + j];
  }
  ck_assert_double_le(largest(sum, 6), 1e-11);
}
END_TEST

/* a pulley that is pulled away from the straight way leaves the rope, from below and from above; length and
 * force go on */
START_TEST(lifts_off) {
  const double side = _i ? -1.0 : 1.0;
  static const double at[3][2] = {{-2, 0}, {0, 0.5}, {2, 0}};
  const double r[3] = {0, 0.5 * side, 0};
  bool touched[3];
  cable c;
  double last = INFINITY, pull = INFINITY;
  make(&c, 3, at, r, 3.0);
  for (int k = 0; k <= 200; k++) {
    // the top of the pulley from 1 above the straight way to 1 below it
    c.m[1].p[2] = side * (0.5 - 0.01 * k);
    evaluate(&c);
    hki_cable_length(&c.par, 3, c.m, touched);
    ck_assert_int_eq(touched[1], k < 100);
    if (k > 100) ck_assert_double_eq(c.y[0], 4.0);
    if (k > 100) ck_assert_double_eq(c.w[11], 0.0);
    ck_assert_double_le(c.y[0], last);
    ck_assert_double_le(fabs(c.w[11]), pull);
    ck_assert(k == 0 || last - c.y[0] < 0.02);
    last = c.y[0], pull = fabs(c.w[11]);
  }
}
END_TEST

/* one pulley far below the straight way takes the other with it, which it held on the rope */
START_TEST(lifts_off_one_after_the_other) {
  static const double at[4][2] = {{0, 0}, {1, -0.5}, {2, -2}, {3, 0}}, r[4] = {0, 0.1, 0.1, 0};
  bool touched[4];
  cable c;
  make(&c, 4, at, r, 2.0);
  ck_assert_double_eq(hki_cable_length(&c.par, 4, c.m, touched), 3.0);
  ck_assert(!touched[1] && !touched[2]);
}
END_TEST

/* a full turn about a pulley stays, also where the rope would run straight past it: the length has no jump */
START_TEST(turns_stay) {
  static const double at[3][2] = {{-2, 0}, {0, -0.1}, {2, 0}}, r[3] = {0, 0.1, 0};
  bool touched[3];
  cable c;
  make(&c, 3, at, r, 3.0);
  c.par.turns[1] = 1.0;
  hki_cable_prepare(&c.par, 3, c.m);
  ck_assert_double_eq_tol(hki_cable_length(&c.par, 3, c.m, touched), 4.0 + 0.2 * pi, 1e-13);
  double last = 0.0;
  for (int k = 0; k <= 100; k++) {
    c.m[1].p[2] = 0.9 - 0.02 * k;
    const double l = hki_cable_length(&c.par, 3, c.m, touched);
    ck_assert(touched[1]);
    ck_assert_msg(k == 0 || fabs(l - last) < 0.02, "from %g to %g", last, l);
    last = l;
  }
  // below the rope it makes a longer way again
  ck_assert_double_gt(last, 4.2 + 0.2 * pi);
}
END_TEST

/* slack at and below the free length, never a push, and the damper within that */
START_TEST(tension_never_pushes) {
  const hk_tension_par par = {.EA = 100.0, .tau = 0.1, .share = 1.0};
  const double u[2] = {2.0, 0.0};
  hk_tension f;
  for (int i = -10; i <= 10; i++)
    for (int j = -10; j <= 10; j++) {
      const double l = 2.0 + 0.05 * i, ld = 0.2 * j, pull = 100.0 * (0.5 * l - 1.0 + 0.05 * ld);
      hki_tension(&par, u, 0u, l, ld, &f);
      ck_assert_double_le(fabs(f.T - fmax(pull, 0.0)), 1e-12);
      ck_assert_double_ge(f.dissipated, -1e-15);
      ck_assert(f.T > 0.0 || (f.ks == 0.0 && f.cs == 0.0));
      if (j <= 0 && i <= 0) ck_assert_double_eq(f.T, 0.0);
      ck_assert_double_eq(f.supplied, 0.0);
    }
  // a rope that is hauled in as fast as its ends come together has no damping
  const double winch[2] = {2.0, -0.4};
  hki_tension(&par, winch, 3u, 2.02, -0.404, &f);
  ck_assert_double_le(fabs(f.T - 1.0), 1e-12);
  ck_assert_double_le(fabs(f.supplied - 1.0 * 0.404), 1e-12);
  // ends that are held while it is hauled in: the winch supplies what the damper takes, EA tau L rate^2
  hki_tension(&par, winch, 3u, 2.02, 0.0, &f);
  ck_assert_double_le(fabs(f.dissipated - 100.0 * 0.1 * 2.0 * 0.202 * 0.202), 1e-12);
  ck_assert_double_le(fabs(f.supplied - f.dissipated), 1e-12);
}
END_TEST

Suite *suite_cables(void);
Suite *suite_cables(void) {
  Suite *s = suite_create("elements/cables");
  TCase *t = tcase_create("cables");
  tcase_add_loop_test(t, tangents_by_differences, 0, 4);
  tcase_add_test(t, tangents_of_a_potential_are_symmetric);
  tcase_add_loop_test(t, power_is_balanced, 0, 2);
  tcase_add_test(t, length_over_a_pulley);
  tcase_add_test(t, rigid_motion);
  tcase_add_loop_test(t, lifts_off, 0, 2);
  tcase_add_test(t, lifts_off_one_after_the_other);
  tcase_add_test(t, turns_stay);
  tcase_add_test(t, tension_never_pushes);
  suite_add_tcase(s, t);
  return s;
}

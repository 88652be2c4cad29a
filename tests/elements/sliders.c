/* SPDX-License-Identifier: Apache-2.0
 *
 * sliders.c: a point that runs along a beam, alone, with random nodes: tangents and wrenches against differences, the
 * balance of power, of forces and of moments, rigid motions, and nothing that jumps where it passes a node.
 */
#include <math.h>
#include <string.h>

#include "elements/beam_slider.h"
#include "elements/support.h"
#include "runner.h"

enum { MARKS = 9, MOST = 6 * MARKS };

typedef struct slider {
  hk_slider_par par;
  int n; /* markers */
  hk_frame m[MARKS];
  double w[MOST], K[MOST * MOST], C[MOST * MOST], y[HK_WIDE_SLIDER];
  hk_wide_out out;
  rng r;
} slider;

/* where the point is: inside, past an end at a stop, past an end that it leaves */
enum { INSIDE, STOPPED, LEAVING, PLACES };

static void evaluate(slider *s) {
  const hk_element_in in = {.m = s->m};
  s->out = (hk_wide_out){.w = s->w, .K = s->K, .C = s->C, .y = s->y};
  hki_beam_slider.eval(&s->par, s->n, &in, 127u, &s->out);
}

static void turn(hk_frame *m, const double *phi) {
  double E[9], R[9];
  rot_exp(E, phi);
  m3_mul(R, E, m->R);
  memcpy(m->R, R, sizeof R);
}

/* a crooked beam of some nodes about 0.5 m apart, and a point near it, all in motion */
static void make(slider *s, int nodes, int place, bool damped, uint64_t seed) {
  memset(s, 0, sizeof *s);
  s->r.s = seed, s->n = nodes + 1;
  s->par =
      (hk_slider_par){.k = 800.0, .h = 0.5, .length = 0.5 * (nodes - 1), .leave = place == LEAVING};
  if (damped) s->par.c = 30.0, s->par.drag = 7.0, s->par.force = 11.0;
  for (int i = 0; i < s->n; i++) {
    double phi[3];
    m3_identity(s->m[i].R);
    rng_vector(&s->r, 0.8, phi);
    turn(&s->m[i], phi);
    rng_vector(&s->r, 0.06, s->m[i].p);
    s->m[i].p[0] += 0.5 * (i - 1);
    rng_vector(&s->r, 1.0, s->m[i].w);
    rng_vector(&s->r, 1.0, s->m[i].v);
  }
  // past an end by a part of the interval; it fades over a tenth
  const double over = place == LEAVING ? 0.02 : 0.13;
  double d[3];
  rng_vector(&s->r, 0.04, d);
  v3_copy(s->m[0].p, s->m[nodes].p);
  s->m[0].p[0] += place == INSIDE ? -0.31 : over;
  for (int k = 1; k < 3; k++) s->m[0].p[k] += d[k];
  evaluate(s);
  if (place != INSIDE) s->m[0].p[0] += over - (s->y[1] - s->par.length);
}

static double largest(const double *x, int n) {
  double top = 0.0;
  for (int i = 0; i < n; i++) top = fmax(top, fabs(x[i]));
  return top;
}

static void shift(slider *s, int j, double h) {
  const int n = 6 * s->n;
  hk_frame *m = &s->m[j % n / 6];
  if (j < n)
    hki_frame_move(m, j % 6, h);
  else
    *(j % 6 < 3 ? &m->w[j % 6] : &m->v[j % 6 - 3]) += h;
}

START_TEST(tangents_by_differences) {
  static const int nodes[] = {2, 3, 4, 8};
  const int place = _i % PLACES;
  const bool damped = _i / PLACES;
  const double h = 1e-6;
  for (int k = 0; k < 4; k++) {
    slider s, at;
    make(&s, nodes[k], place, damped, 3u + (uint64_t)k);
    evaluate(&s);
    const int n = 6 * s.n;
    const double past = s.y[1] - s.par.length, top = largest(s.K, n * n);
    ck_assert_msg(place == INSIDE ? past < 0.0 : past > 0.0 && past < 0.2, "place %g", s.y[1]);
    if (place == LEAVING) ck_assert_double_lt(past, 0.05);
    ck_assert_int_eq(s.out.damped, damped);
    for (int j = 0; j < (damped ? 2 : 1) * n; j++) {
      double w[MOST], e;
      at = s;
      shift(&at, j, h), evaluate(&at);
      memcpy(w, at.w, sizeof w), e = at.out.energy;
      at = s;
      shift(&at, j, -h), evaluate(&at);
      for (int i = 0; i < n; i++) {
        const double found = -(w[i] - at.w[i]) / (2.0 * h), *T = j < n ? s.K : s.C;
        ck_assert_msg(fabs(found - T[n * i + j % n]) < 2e-8 * top,
                      "%d nodes, %d, %d: %g, expected %g", nodes[k], i, j, T[n * i + j % n], found);
      }
      if (!damped)
        ck_assert_double_le(fabs(s.w[j] + (e - at.out.energy) / (2.0 * h)), 1e-8 * largest(s.w, n));
      // a potential: no moments, so that the tangent is symmetric
      for (int i = 0; !damped && i < n; i++)
        ck_assert_double_le(fabs(s.K[n * i + j] - s.K[n * j + i]), 1e-12 * top);
    }
  }
}
END_TEST

START_TEST(power_and_wrenches_are_balanced) {
  const double h = 1e-6;
  slider s, at;
  double e[2], place[2], sum[6] = {0.0};
  make(&s, 6, _i, true, 12u);
  evaluate(&s);
  double power = s.out.dissipated - s.out.supplied;
  for (int i = 0; i < s.n; i++) {
    double x[6];
    power += v3_dot(s.w + 6 * i, s.m[i].w) + v3_dot(s.w + 6 * i + 3, s.m[i].v);
    s6_wrench_to_origin(x, s.w + 6 * i, s.m[i].p);
    s6_axpy(sum, 1.0, x);
  }
  for (int k = 0; k < 2; k++) {
    at = s;
    for (int i = 0; i < s.n; i++) v3_axpy(at.m[i].p, k ? -h : h, s.m[i].v);
    evaluate(&at);
    e[k] = at.out.energy;
    place[k] = at.y[1];
  }
  // the speed is the rate of the place
  ck_assert_double_le(fabs(s.y[2] - (place[0] - place[1]) / (2.0 * h)), 1e-8);
  ck_assert_double_gt(s.out.dissipated, 0.0);
  ck_assert_double_le(fabs(power + (e[0] - e[1]) / (2.0 * h)), 1e-6 * s.out.dissipated);
  ck_assert_double_le(largest(sum, 6), 1e-12 * largest(s.w, 6 * s.n));
}
END_TEST

START_TEST(rigid_motion_takes_nothing) {
  const double spin[3] = {0.3, 2.0, -1.0}, phi[3] = {1.1, -1.3, 1.0};
  slider s, at;
  double Q[9], y[HK_WIDE_SLIDER];
  make(&s, 5, INSIDE, true, 8u);
  s.par.force = 0.0;
  for (int i = 0; i < s.n; i++) v3_zero(s.m[i].w), v3_zero(s.m[i].v);
  evaluate(&s);
  at = s;
  rot_exp(Q, phi);
  for (int i = 0; i < s.n; i++) {
    turn(&at.m[i], phi);
    m3_mulv(at.m[i].p, Q, s.m[i].p);
    v3_copy(at.m[i].w, spin);
    v3_cross(at.m[i].v, spin, at.m[i].p);
  }
  evaluate(&at);
  m3_mulv(y, Q, s.y + 5);
  for (int k = 0; k < 3; k++) ck_assert_double_le(fabs(y[k] - at.y[5 + k]), 1e-11 * s.y[3]);
  ck_assert_double_le(fabs(s.y[1] - at.y[1]), 1e-14);
  ck_assert_double_gt(s.y[3], 1.0);
  ck_assert_double_le(at.out.dissipated, 1e-24);
}
END_TEST

/* over all nodes of a bent beam with a small offset: forces change no faster than the way goes on, and so do their slopes */
START_TEST(nothing_jumps_at_nodes) {
  if (test_few()) return;
  slider s;
  const int nodes = 8;
  double w[3][MOST], t[2] = {0.0, 0.0}, last = 0.0;
  make(&s, nodes, INSIDE, false, 31u);
  for (int i = 1; i <= nodes; i++) s.m[i].p[2] = 0.3 * sin(1.1 * s.m[i].p[0]);
  const double step = 2e-4;
  for (int k = 0; k * step < 3.3; k++) {
    const double x = 0.1 + k * step;
    v3_set(s.m[0].p, x, 0.01, 0.3 * sin(1.1 * x) + 0.005);
    evaluate(&s);
    memcpy(w[k % 3], s.w, sizeof s.w);
    // second differences of all forces: the derivative is continuous
    for (int i = 0; k > 1 && i < 6 * s.n; i++) {
      const double d = w[k % 3][i] - 2.0 * w[(k + 2) % 3][i] + w[(k + 1) % 3][i];
      t[1] = fmax(t[1], fabs(d) / (step * step));
    }
    t[0] = fmax(t[0], s.y[3]);
    ck_assert_double_ge(s.y[1], last);
    last = s.y[1];
  }
  // curvature of the forces over the way: some 800 N/m times 0.1 m over 0.5 m squared; a jump of the slope would be 1/step of it
  ck_assert_msg(t[1] < 400.0 * t[0], "%g of %g N", t[1], t[0]);
  ck_assert_double_ge(last, 3.0);
}
END_TEST

Suite *suite_sliders(void);
Suite *suite_sliders(void) {
  Suite *s = suite_create("sliders");
  TCase *c = tcase_create("sliders");
  tcase_add_loop_test(c, tangents_by_differences, 0, 2 * PLACES);
  tcase_add_loop_test(c, power_and_wrenches_are_balanced, 0, PLACES);
  tcase_add_test(c, rigid_motion_takes_nothing);
  tcase_add_test(c, nothing_jumps_at_nodes);
  suite_add_tcase(s, c);
  return s;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * beams.c: beam elements alone, with random frames and a random coupled section: tangents and wrenches
 * against differences, symmetry of what has a potential, the balance of power, rigid motions, and
 * exact answers.
 */
#include <math.h>
#include <string.h>

#include "elements/beam.h"
#include "elements/support.h"
#include "runner.h"

static const hk_wide_ops *const all[] = {&hki_beam_three, &hki_beam_helicoidal, &hki_beam_volume,
                                         &hki_beam_volume_two};
enum { POTENTIALS = 2, MOST = 18 }; /* of them, the first ones have a potential */

typedef struct beam {
  const hk_wide_ops *ops;
  hk_beam_par par;
  hk_frame drawn[3], m[3];
  double w[MOST], K[MOST * MOST], C[MOST * MOST], y[HK_WIDE_SECTION];
  hk_wide_out out;
  rng r;
} beam;

static void evaluate(beam *b) {
  const hk_element_in in = {.m = b->m};
  b->out = (hk_wide_out){.w = b->w, .K = b->K, .C = b->C, .y = b->y};
  b->ops->eval(&b->par, b->ops->nmark, &in, 127u, &b->out);
}

static void turn(hk_frame *m, const double *phi) {
  double E[9], R[9];
  rot_exp(E, phi);
  m3_mul(R, E, m->R);
  memcpy(m->R, R, sizeof R);
}

/* a curved and twisted element of length 2 with a positive definite section, in the drawing position */
static void make(beam *b, const hk_wide_ops *ops, double tau, uint64_t seed) {
  memset(b, 0, sizeof *b);
  b->ops = ops, b->r.s = seed;
  for (int g = 0; g < 2; g++) {
    double A[36];
    for (int i = 0; i < 36; i++) A[i] = rng_real(&b->r, -1.0, 1.0);
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++) {
        b->par.C[g][6 * i + j] = i == j ? 2.0 : 0.0;
        for (int k = 0; k < 6; k++) b->par.C[g][6 * i + j] += A[6 * i + k] * A[6 * j + k];
      }
  }
  b->par.tau = tau, b->par.length = 2.05;
  for (int i = 0; i < ops->nmark; i++) {
    double phi[3];
    rng_vector(&b->r, 0.2, phi);
    m3_identity(b->drawn[i].R);
    turn(&b->drawn[i], phi);
    rng_vector(&b->r, 0.05, b->drawn[i].p);
    b->drawn[i].p[0] += 2.0 * i / (ops->nmark - 1);
  }
  ops->prepare(&b->par, ops->nmark, b->drawn);
  memcpy(b->m, b->drawn, sizeof b->m);
}

/* deforms it by rotations of this size, and sets it in motion */
static void deform(beam *b, double size) {
  for (int i = 0; i < b->ops->nmark; i++) {
    double phi[3], d[3];
    rng_vector(&b->r, size, phi);
    rng_vector(&b->r, 0.3, d);
    turn(&b->m[i], phi);
    v3_add(b->m[i].p, b->m[i].p, d);
    rng_vector(&b->r, 1.0, b->m[i].w);
    rng_vector(&b->r, 1.0, b->m[i].v);
  }
}

static double largest(const double *x, int n) {
  double top = 0.0;
  for (int i = 0; i < n; i++) top = fmax(top, fabs(x[i]));
  return top;
}

/* coordinate j of the frames moved by h; j from n on: their twists */
static void shift(beam *b, int j, double h) {
  const int n = 6 * b->ops->nmark;
  hk_frame *m = &b->m[j % n / 6];
  if (j < n)
    hki_frame_move(m, j % 6, h);
  else
    *(j % 6 < 3 ? &m->w[j % 6] : &m->v[j % 6 - 3]) += h;
}

START_TEST(tangents_by_differences) {
  const double h = 1e-5, sizes[] = {0.02, 0.3, 1.2};
  for (int s = 0; s < 3; s++)
    for (int k = 0; k < 2; k++) {
      beam b, at;
      make(&b, all[_i], k ? 0.3 : 0.0, 17u + (uint64_t)s);
      deform(&b, sizes[s]);
      evaluate(&b);
      const int n = 6 * b.ops->nmark;
      const double top = largest(b.K, n * n);
      ck_assert_int_eq(b.out.damped, k);
      for (int j = 0; j < (k ? 2 : 1) * n; j++) {
        double w[MOST], e = 0.0;
        at = b;
        shift(&at, j, h), evaluate(&at);
        memcpy(w, at.w, sizeof w), e = at.out.energy;
        at = b;
        shift(&at, j, -h), evaluate(&at);
        for (int i = 0; i < n; i++) {
          const double found = -(w[i] - at.w[i]) / (2.0 * h);
          const double *T = j < n ? b.K : b.C;
          ck_assert_msg(fabs(found - T[n * i + j % n]) < 1e-9 * top, "%s: %g, expected %g",
                        b.ops->name, T[n * i + j % n], found);
        }
        // wrenches are those of the energy
        if (!k && _i < POTENTIALS)
          ck_assert_double_le(fabs(b.w[j] + (e - at.out.energy) / (2.0 * h)),
                              1e-9 * largest(b.w, n));
      }
    }
}
END_TEST

START_TEST(tangents_of_a_potential_are_symmetric) {
  beam b;
  make(&b, all[_i], 0.0, 5u);
  deform(&b, 0.9);
  evaluate(&b);
  const int n = 6 * b.ops->nmark;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double odd = b.K[n * i + j] - b.K[n * j + i], S[9];
      // the moment on a marker turns with its axes
      m3_skew(S, b.w + 6 * (i / 6));
      if (i / 6 == j / 6 && i % 6 < 3 && j % 6 < 3) odd -= S[3 * (i % 6) + j % 6];
      ck_assert_double_le(fabs(odd), 1e-13 * largest(b.K, n * n));
    }
}
END_TEST

START_TEST(power_is_balanced) {
  const double h = 1e-5;
  beam b, at;
  make(&b, all[_i], 0.2, 9u);
  deform(&b, 0.4);
  evaluate(&b);
  double power = b.out.dissipated, e[2];
  for (int i = 0; i < b.ops->nmark; i++)
    power += v3_dot(b.w + 6 * i, b.m[i].w) + v3_dot(b.w + 6 * i + 3, b.m[i].v);
  for (int k = 0; k < 2; k++) {
    at = b;
    for (int i = 0; i < b.ops->nmark; i++) {
      double phi[3];
      v3_scale(phi, k ? -h : h, b.m[i].w);
      turn(&at.m[i], phi);
      v3_axpy(at.m[i].p, k ? -h : h, b.m[i].v);
    }
    evaluate(&at);
    e[k] = at.out.energy;
  }
  ck_assert_double_gt(b.out.dissipated, 0.0);
  ck_assert_double_le(fabs(power + (e[0] - e[1]) / (2.0 * h)), 1e-8 * b.out.dissipated);
}
END_TEST

/* forces and moments of all wrenches about the origin */
static void resultant(const beam *b, double *sum) {
  memset(sum, 0, 6 * sizeof *sum);
  for (int i = 0; i < b->ops->nmark; i++) {
    double x[6];
    s6_wrench_to_origin(x, b->w + 6 * i, b->m[i].p);
    s6_axpy(sum, 1.0, x);
  }
}

START_TEST(rigid_motion_changes_no_strain) {
  const double phi[3] = {1.1, -1.3, 1.0}; // 1.97 rad
  beam b, at;
  double Q[9], sum[6];
  rot_exp(Q, phi);
  make(&b, all[_i], 0.1, 21u);
  evaluate(&b);
  // nothing as drawn
  ck_assert_double_le(largest(b.w, 6 * b.ops->nmark), 1e-13);
  deform(&b, 0.5);
  for (int i = 0; i < b.ops->nmark; i++) v3_zero(b.m[i].w), v3_zero(b.m[i].v);
  evaluate(&b);
  at = b;
  for (int i = 0; i < b.ops->nmark; i++) {
    const double spin[3] = {0.3, 2.0, -1.0};
    turn(&at.m[i], phi);
    m3_mulv(at.m[i].p, Q, b.m[i].p);
    // and turns as a whole, without taking energy
    v3_copy(at.m[i].w, spin);
    v3_cross(at.m[i].v, spin, at.m[i].p);
  }
  evaluate(&at);
  for (int k = 0; k < HK_WIDE_SECTION; k++) ck_assert_double_le(fabs(at.y[k] - b.y[k]), 1e-12);
  ck_assert_double_le(fabs(at.out.dissipated), 1e-24);
  for (int i = 0; i < 2 * b.ops->nmark; i++) {
    double w[3];
    m3_mulv(w, Q, b.w + 3 * i);
    for (int k = 0; k < 3; k++) ck_assert_double_le(fabs(w[k] - at.w[3 * i + k]), 1e-12);
  }
  // wrenches balance each other
  resultant(&at, sum);
  ck_assert_double_le(largest(sum, 6), 1e-13 * largest(at.w, 6 * b.ops->nmark) + 1e-14);
}
END_TEST

START_TEST(either_end_is_the_first) {
  beam b, back;
  make(&b, all[_i], 0.0, 33u);
  const int last = b.ops->nmark - 1;
  memcpy(b.par.C[1], b.par.C[0], sizeof b.par.C[0]);
  b.ops->prepare(&b.par, b.ops->nmark, b.drawn);
  back = b;
  for (int i = 0; i <= last; i++) back.drawn[i] = b.drawn[last - i];
  back.ops->prepare(&back.par, b.ops->nmark, back.drawn);
  deform(&b, 0.5);
  for (int i = 0; i <= last; i++) back.m[i] = b.m[last - i];
  // strains along the other direction have the other sign, and so have their forces
  evaluate(&b), evaluate(&back);
  ck_assert_double_le(fabs(b.out.energy - back.out.energy), 1e-13 * b.out.energy);
  for (int i = 0; i <= last; i++)
    for (int k = 0; k < 6; k++)
      ck_assert_double_le(fabs(b.w[6 * i + k] - back.w[6 * (last - i) + k]), 1e-12);
}
END_TEST

Suite *suite_beams(void);
Suite *suite_beams(void) {
  Suite *s = suite_create("beams");
  TCase *c = tcase_create("beams");
  const int n = (int)(sizeof all / sizeof all[0]);
  tcase_add_loop_test(c, tangents_by_differences, 0, n);
  tcase_add_loop_test(c, tangents_of_a_potential_are_symmetric, 0, POTENTIALS);
  tcase_add_loop_test(c, power_is_balanced, 0, POTENTIALS);
  tcase_add_loop_test(c, rigid_motion_changes_no_strain, 0, n);
  tcase_add_loop_test(c, either_end_is_the_first, 0, POTENTIALS);
  suite_add_tcase(s, c);
  return s;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Elements on several markers: a rope over points of four bodies, which no library type is, runs in
 * every formulation with the same motion, few iterations and a closed balance of energy; over two points
 * it is the spring of the library.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "hooke/hooke.h"
#include "language/model_reader.h"
#include "model/model.h"
#include "runner.h"

Suite *suite_wide(void);

/* --- a rope: tension k (length - free length) + c rate, along straight lines between its points ---- */

typedef struct rope_par {
  double k, c, length;
} rope_par;

/* g (6 n): gradient of the length; H (6 n x 6 n, NULL: not wanted): its second derivative */
static double rope_length(int32_t n, const hk_frame *m, double *g, double *H) {
  double sum = 0.0;
  memset(g, 0, 6 * (size_t)n * sizeof *g);
  if (H) memset(H, 0, 36 * (size_t)(n * n) * sizeof *H);
  for (int32_t i = 0; i + 1 < n; i++) {
    double d[3];
    v3_sub(d, m[i + 1].p, m[i].p);
    const double l = v3_normalize(d);
    sum += l;
    v3_axpy(g + 6 * i + 3, -1.0, d);
    v3_axpy(g + 6 * i + 9, 1.0, d);
    for (int r = 0; H && r < 3; r++)
      for (int c = 0; c < 3; c++) {
        const double h = ((r == c) - d[r] * d[c]) / l;
        for (int a = 0; a < 4; a++) {
          const int x = 6 * (i + a / 2) + 3 + r, y = 6 * (i + a % 2) + 3 + c;
          H[6 * n * x + y] += a / 2 == a % 2 ? h : -h;
        }
      }
  }
  return sum;
}

enum { POINTS = 4, SIZE = 6 * POINTS };

static void rope_eval(const void *par, int32_t n, const hk_element_in *in, uint32_t need,
                      hk_wide_out *out) {
  const rope_par *p = par;
  double g[SIZE], H[SIZE * SIZE], Hv[SIZE] = {0}, rate = 0.0;
  const int32_t size = 6 * n;
  const double s = rope_length(n, in->m, g, H) - p->length;
  for (int32_t i = 0; i < n; i++) rate += v3_dot(g + 6 * i + 3, in->m[i].v);
  const double f = p->k * s + p->c * rate;
  for (int32_t i = 0; i < size; i++) out->w[i] = -f * g[i];
  for (int32_t i = 0; i < size; i++)
    for (int32_t j = 0; j < n; j++) Hv[i] += v3_dot(H + size * i + 6 * j + 3, in->m[j].v);
  out->damped = p->c > 0.0;
  for (int32_t i = 0; (need & HK_NEED_EXACT) && i < size; i++)
    for (int32_t j = 0; j < size; j++) {
      out->K[size * i + j] = g[i] * (p->k * g[j] + p->c * Hv[j]) + f * H[size * i + j];
      if (out->damped) out->C[size * i + j] = p->c * g[i] * g[j];
    }
  out->energy = 0.5 * p->k * s * s;
  out->dissipated = p->c * rate * rate;
  out->supplied = 0.0;
}

static const hk_wide_ops rope = {.name = "rope",
                                 .text = "a rope",
                                 .source = "this test",
                                 .par_size = sizeof(rope_par),
                                 .eval = rope_eval};

/* --- models ----------------------------------------------------------------------------------- */

/* two links that hang on each other, a slider, and a body that nothing else holds */
static const char text[] =
    "hooke: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  a: {mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}\n"
    "  b: {mass: 0.7, com: [1.4, 0.1, 0], inertia: [0.01, 0.05, 0.06]}\n"
    "  c: {mass: 0.5, com: [0.5, 0.2, 0.8], inertia: [0.02, 0.03, 0.04]}\n"
    "  d: {mass: 0.4, com: [0, 1, 0.2], inertia: [0.01, 0.01, 0.01]}\n"
    "joints:\n"
    "  p: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: y}\n"
    "  q: {type: revolute, between: [a, b], at: [1, 0, 0], axis: [0.3, 1, 0]}\n"
    "  r: {type: prismatic, between: [ground, d], at: [0, 1, 0.2], axis: [0.2, 0.1, 1]}\n"
    "start: {c: {angular_velocity: [0.5, -1, 2]}, p: {rate: 0.4}}\n"
    "record: [\"body.*.position\", \"energy.*\", \"solver.*\"]\n"
    "%s"
    "run: {time: 0.2, step: 0.001}\n";

typedef struct rope_at {
  int32_t n, body[POINTS];
  double p[POINTS][3];
} rope_at;

/* the model with a rope over points; by: forces of the file instead */
static hk_model *load(hk_ctx *ctx, const rope_at *at, const rope_par *par, const char *forces) {
  char all[2000];
  snprintf(all, sizeof all, text, forces);
  hk_spec *spec = hki_model_read_text(ctx, "rope.yaml", all, strlen(all), NULL, 0);
  ck_assert_ptr_nonnull(spec);
  if (at) {
    hk_offset *marker = hki_pool_alloc(spec->pool, (size_t)at->n * sizeof *marker);
    rope_par *own = hki_pool_alloc(spec->pool, sizeof *own);
    int32_t *body = hki_pool_alloc(spec->pool, (size_t)at->n * sizeof *body);
    for (int32_t i = 0; i < at->n; i++) {
      m3_identity(marker[i].R);
      v3_copy(marker[i].p, at->p[i]);
      body[i] = at->body[i];
    }
    *own = *par;
    spec->wide = hki_pool_alloc(spec->pool, sizeof *spec->wide);
    spec->wide[spec->nwide++] =
        (hk_spec_wide){"rope", HK_LOC_NONE, &rope, own, at->n, body, marker, 0};
  }
  hk_model *m = hki_model_compile(spec);
  ck_assert_ptr_nonnull(m);
  return m;
}

enum { BODIES = 4 };

typedef struct run {
  double p[3 * BODIES], iterations, imbalance, dissipated;
} run;

static run simulate(const rope_at *at, const rope_par *par, const char *forces,
                    const char *formulation, double step) {
  static const char *const names[BODIES] = {"a", "b", "c", "d"};
  hk_ctx *ctx = hk_ctx_create();
  hk_model *m = load(ctx, at, par, forces);
  hk_sim_options opt = hk_sim_options_def();
  hk_sim *s = NULL;
  run out = {0};
  int steps = 0;
  opt.formulation = formulation;
  opt.integrator = "trapezoidal";
  opt.step = step;
  opt.tolerance = 1e-12;
  hk_status st = hk_sim_create_in(ctx, m, &opt, &s);
  ck_assert_msg(st == HK_OK, "%s: %s", formulation, hk_ctx_message(ctx, 0)->text);
  while (!hk_sim_done(s)) {
    double n = 0.0;
    ck_assert_int_eq(hk_sim_step(s), HK_OK);
    ck_assert_int_eq(hk_sim_value(s, "solver.iterations", &n), HK_OK);
    out.iterations += n;
    steps++;
  }
  for (int i = 0; i < 3 * BODIES; i++) {
    char name[80];
    snprintf(name, sizeof name, "body.%s.position.%c", names[i / 3], "xyz"[i % 3]);
    ck_assert_int_eq(hk_sim_value(s, name, &out.p[i]), HK_OK);
  }
  ck_assert_int_eq(hk_sim_value(s, "energy.balance_error", &out.imbalance), HK_OK);
  ck_assert_int_eq(hk_sim_value(s, "energy.dissipated", &out.dissipated), HK_OK);
  out.iterations /= steps;
  hk_sim_destroy(s);
  hk_model_release(m);
  hk_ctx_destroy(ctx);
  return out;
}

static double apart(const run *a, const run *b) {
  double most = 0.0;
  for (int i = 0; i < 3 * BODIES; i++) most = fmax(most, fabs(a->p[i] - b->p[i]));
  return most;
}

/* --- tests ------------------------------------------------------------------------------------ */

static const rope_at over = {
    4, {HK_GROUND, 2, 1, 3}, {{0, 0, 1.5}, {0.55, 0.15, 0.9}, {1.5, 0.1, 0.05}, {0.05, 1.02, 0.3}}};
static const char *const formulations[] = {"hybrid", "topological", "recursive",
                                           "global", "partition",   "redundant"};

START_TEST(same_motion_in_every_formulation) {
  const char *name = formulations[_i];
  if (test_few() && _i % 3) return;
  const rope_par par = {4000.0, 6.0, 4.0};
  const run first = simulate(&over, &par, "", "hybrid", 0.0005),
            r = simulate(&over, &par, "", name, 0.0005);
  const double wide = apart(&r, &first);
  ck_assert_msg(wide < 6e-5, "%s: apart by %g", name, wide);
  ck_assert_msg(r.iterations < 5.0, "%s: %g iterations a step", name, r.iterations);
  // the rope takes energy
  ck_assert_double_gt(r.dissipated, 0.5);
  ck_assert_msg(fabs(r.imbalance) < 0.012, "%s: imbalance %g", name, r.imbalance);
  if (test_few()) return;

  // differences are those of the integration: they fall with the square of the step, and so does what the books lack
  const run fine = simulate(&over, &par, "", "hybrid", 0.00025),
            half = simulate(&over, &par, "", name, 0.00025);
  const double narrow = apart(&half, &fine);
  ck_assert_msg(narrow < 0.28 * wide + 1e-11, "%s: apart by %g, then %g", name, wide, narrow);
  ck_assert_msg(fabs(half.imbalance) < 0.255 * fabs(r.imbalance), "%s: imbalance %g, then %g", name,
                r.imbalance, half.imbalance);
}
END_TEST

START_TEST(over_two_points_it_is_a_spring) {
  if (test_few() && _i % 3) return;
  static const rope_at two = {2, {1, 2}, {{1.5, 0.1, 0.05}, {0.55, 0.15, 0.9}}};
  const rope_par par = {800.0, 3.0, 0.9};
  const char *spring =
      "forces: {s: {type: spring_damper, between: [b, c], ends: [[1.5, 0.1, 0.05], "
      "[0.55, 0.15, 0.9]], stiffness: 800, damping: 3, length: 0.9}}\n";
  const run a = simulate(&two, &par, "", formulations[_i], 0.001);
  const run b = simulate(NULL, NULL, spring, formulations[_i], 0.001);
  const double far = apart(&a, &b), work = fabs(a.dissipated - b.dissipated);
  if (strcmp(formulations[_i], "global")) {
    ck_assert_msg(far < 1e-11, "%s: apart by %g", formulations[_i], far);
    // the work of the spring is integrated along its length, that of the rope along its points
    ck_assert_double_le(work, 1e-8);
    return;
  }
  // natural coordinates of bodies that only springs hold are others: the same to the order of the method
  const run c = simulate(&two, &par, "", "global", 0.0005),
            d = simulate(NULL, NULL, spring, "global", 0.0005);
  ck_assert_msg(far < 6e-7 && apart(&c, &d) < 0.26 * far, "apart by %g, then %g", far,
                apart(&c, &d));
  ck_assert_double_le(fabs(c.dissipated - d.dissipated), 0.26 * work);
}
END_TEST

Suite *suite_wide(void) {
  Suite *s = suite_create("wide");
  TCase *c = tcase_create("wide");
  const int n = (int)(sizeof formulations / sizeof *formulations);
  tcase_set_timeout(c, 60);
  tcase_add_loop_test(c, same_motion_in_every_formulation, 0, n);
  tcase_add_loop_test(c, over_two_points_it_is_a_spring, 0, n);
  suite_add_tcase(s, c);
  return s;
}

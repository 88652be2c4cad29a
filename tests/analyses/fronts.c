/* SPDX-License-Identifier: Apache-2.0
 *
 * fronts.c: loops of trees by fronts of their rows (machines/tree/front.h) against the matrix: the
 * same solutions on branched trees with joints, cuts and forces of many kinds, in space and in
 * planes across each axis; the same bits from both kinds of passes, and later with the same factor; work that grows with the stages
 * of a scissor lift.
 */
#include <stdlib.h>

#include "machines/tree/deep.h"
#include "machines/tree/front_impl.h"
#include "analyses/support.h"

enum { BODIES = 24, LOOPS = 14 };

static void add_bushing(build *b, int32_t first, int32_t second) {
  const int32_t reference = 0;
  double K[36] = {0}, C[36] = {0};
  // one direction without stiffness
  for (int i = 0; i < 5; i++) K[7 * i] = 50.0 + 10.0 * i, C[7 * i] = 3.0 + i;
  K[1] = K[6] = 7.0;
  int32_t f = build_force(b, force_name(b), "bushing", first, second, (double[]){0.5, 0.2, 0.1},
                          (double[]){0.6, 0.1, 0.3});
  force_par(b, f, "stiffness", K, sizeof K);
  force_par(b, f, "damping", C, sizeof C);
  force_par(b, f, "reference", &reference, sizeof reference);
  force_done(b, f);
}

/* two trees and branches; rods and other cuts between any two bodies; springs, one of them softening, and bushings */
static build build_loops(uint64_t seed) {
  static const char *const cuts[] = {"spherical", "in_line", "in_plane", "universal"};
  build b = build_begin(BODIES, BODIES + LOOPS);
  for (int32_t i = 0; i < BODIES; i++) {
    char name[16];
    double p[3], z[3];
    for (int k = 0; k < 3; k++) p[k] = noise(&seed), z[k] = noise(&seed);
    snprintf(name, sizeof name, "b%d", (int)i);
    const int32_t body = build_body(&b, name, 1.0 + 0.1 * i, p[0] + 0.3, p[1], p[2]);
    double *J = b.spec->bodies[body].J;
    J[0] = 0.3, J[4] = 0.5, J[8] = 0.6, J[1] = J[3] = 0.03;
    const int32_t parent = i < 2 ? HK_GROUND : noise(&seed) > 0.0 ? body - 2 : body / 2;
    const char *type = noise(&seed) > 0.0 ? "revolute" : joint_types[i % JOINT_TYPES];
    snprintf(name, sizeof name, "j%d", (int)i);
    b.spec->joints[build_joint(&b, name, type, parent, body, p, z)].cut = HK_CUT_NEVER;
  }
  for (int32_t i = 0; i < LOOPS; i++) {
    char name[16];
    double p[3], q[3];
    for (int k = 0; k < 3; k++) p[k] = noise(&seed), q[k] = 1.0 + noise(&seed);
    const int32_t one = i * BODIES / LOOPS, other = i % 5 ? (one + 1 + 5 * i) % BODIES : HK_GROUND;
    snprintf(name, sizeof name, "l%d", (int)i);
    if (i % 2)
      build_distance(&b, name, one, other, p, q);
    else
      build_joint(&b, name, cuts[i / 2 % 4], one, other, p, q);
  }
  build_spring(&b, 1, 13, (double[]){0, 1, 0}, (double[]){1.5, 0.2, 0.3}, 60, 4, 0.6, NULL);
  build_spring(&b, 4, 20, (double[]){1, 0, 2}, (double[]){2, 0.2, 0.3}, -3, 1, 0.6, NULL);
  build_spring(&b, HK_GROUND, 7, (double[]){0, 1, 0}, (double[]){1, 2, 0.3}, 80, 2, 0.6, NULL);
  build_spring(&b, HK_GROUND, 0, (double[]){0, 1, 0}, (double[]){1, 2, 0.3}, 80, 2, 0.6, NULL);
  add_bushing(&b, 3, 17);
  add_bushing(&b, HK_GROUND, 22);
  return b;
}

/* bars a from (0, k) to (2, k + 1), b from (2, k) to (0, k + 1) of each stage; across: the axis of all hinges */
static build build_scissors(int32_t stages, int across) {
  build b = build_begin(2 * stages + 1, 3 * stages + 1);
  const int x = (across + 1) % 3, y = (across + 2) % 3;
  double axis[3] = {0}, p[3] = {0};
  b.spec->planar = true;
  axis[across] = 1.0;
  v3_copy(b.spec->normal, axis);
  for (int32_t i = 0; i < 2 * stages; i++) {
    char name[16];
    p[x] = 1.0, p[y] = i / 2 + 0.5;
    snprintf(name, sizeof name, "%c%d", i % 2 ? 'b' : 'a', (int)(i / 2));
    const int32_t body = build_body(&b, name, 1.0 + 0.01 * i, p[0], p[1], p[2]);
    double *J = b.spec->bodies[body].J;
    J[0] = J[4] = J[8] = 0.4;
  }
  p[x] = p[y] = 0.0;
  build_joint(&b, "foot", "revolute", HK_GROUND, 0, p, axis);
  for (int32_t k = 0; k < stages; k++) {
    char name[3][16];
    for (int i = 0; i < 3; i++) snprintf(name[i], sizeof name[i], "%c%d", "puv"[i], (int)k);
    p[x] = 1.0, p[y] = k + 0.5;
    build_joint(&b, name[0], "revolute", 2 * k, 2 * k + 1, p, axis);
    if (k + 1 == stages) continue;
    p[x] = 2.0, p[y] = k + 1.0;
    build_joint(&b, name[1], "revolute", 2 * k, 2 * k + 3, p, axis);
    p[x] = 0.0;
    build_joint(&b, name[2], "revolute", 2 * k + 1, 2 * k + 2, p, axis);
  }
  double q[3] = {0};
  q[x] = 2.0, p[y] = 0.0;
  build_spring(&b, HK_GROUND, 1, p, q, 300, 4, 0.6, NULL);
  return b;
}

/* T of a stage with penalties of kappa, and its factor */
static void factor(hk_tree *s, double kappa) {
  const double cC = 0.3, cK = 0.02;
  hki_tree_mass(s);
  hki_tree_penalty(s, kappa, cK);
  hki_tree_add_forces(s, cC, cK);
  hki_tree_add_closures(s, cK);
  ck_assert_int_eq(hki_tree_factor_stage(s), HK_OK);
}

static double largest(int32_t n, const double *x) {
  double most = 0.0;
  for (int32_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

static void same(const char *what, int32_t n, const double *x, const double *y, double within) {
  const double size = largest(n, x);
  for (int32_t i = 0; i < n; i++)
    ck_assert_msg(fabs(x[i] - y[i]) <= within * size, "%s %d: %.17g %.17g", what, i, x[i], y[i]);
}

/* T y of the matrix s is b: the rows of T differ by as much as the penalties are stiff */
static void solves(hk_tree *s, const double *y, const double *b) {
  const int32_t n = s->m->nv;
  double *r = calloc((size_t)n, sizeof *r);
  hki_ldl_mul(s->ldl, &s->num, s->num.val, y, r);
  for (int32_t i = 0; i < n; i++) {
    const double stiff = fabs(s->num.val[s->slot_diag[i]]);
    ck_assert_msg(fabs(r[i] - b[i]) <= 1e-12 * stiff * (1.0 + largest(n, y)), "%d: %g", i,
                  r[i] - b[i]);
  }
  free(r);
}

static void check(build *b, uint64_t seed, double way) {
  rig r = rig_make(b);
  hk_tree *s = r.s, *d;
  const int32_t nv = r.m->nv;
  ck_assert_int_gt(r.m->nc, 0);
  ck_assert_int_eq(hki_tree_create(r.b.ctx, r.m, &d), HK_OK);
  ck_assert_int_eq(hki_deep_create(d, false), HK_OK);
  ck_assert(hki_deep_closes(d) && !d->ldl);
  double *x = calloc(4 * (size_t)nv, sizeof *x), *y = x + nv, *z = y + nv, *right = z + nv;
  for (int32_t i = 0; i < nv; i++) x[i] = way * noise(&seed);
  hki_tree_plus(r.m, r.m->q_draw, x, r.q);
  for (int32_t i = 0; i < nv; i++) r.v[i] = noise(&seed);
  // the last pass: with a closure that is off
  for (int pass = 0; pass < 3; pass++) {
    s->kin.disc.active[0] = d->kin.disc.active[0] = pass < 2;
    hki_tree_state(s, 0.0, r.q, r.v, HK_FORCES_TANGENT);
    hki_tree_state(d, 0.0, r.q, r.v, HK_FORCES_TANGENT);
    // T is as badly conditioned as its penalties are stiff
    const double kappa = pass ? 1e7 : 1e5;
    // products with M by a pass over the bodies
    for (int32_t i = 0; i < nv; i++) x[i] = noise(&seed);
    hki_tree_mass(s);
    hki_ldl_mul(s->ldl, &s->num, s->num.val, x, y);
    hki_tree_mass_mul(d, x, z);
    same("M", nv, y, z, 1e-13);
    factor(s, kappa);
    factor(d, kappa);
    same("mass", nv, s->mass, d->mass, 1e-13);
    for (int32_t i = 0; i < nv; i++) x[i] = y[i] = z[i] = right[i] = noise(&seed);
    hki_tree_solve_stage(s, x);
    hki_tree_solve_stage(d, y);
    same("x", nv, x, y, 1e-14 * kappa);
    solves(s, y, right);
    // the passes for any processor give the same bits
    d->deep->front.passes = hki_front_plain();
    factor(d, kappa);
    hki_tree_solve_stage(d, z);
    for (int32_t i = 0; i < nv; i++) ck_assert(y[i] == z[i]);
    d->deep->front.passes = hki_front_passes();
    // so does a factor that is kept while the bodies move on
    memcpy(z, right, (size_t)nv * sizeof *z);
    hki_tree_state(d, 0.0, r.m->q_draw, r.v, HK_FORCES_TANGENT);
    hki_tree_solve_stage(d, z);
    for (int32_t i = 0; i < nv; i++) ck_assert(y[i] == z[i]);
    hki_tree_state(d, 0.0, r.q, r.v, HK_FORCES_TANGENT);
    // products with the tangents of forces
    memset(y, 0, (size_t)nv * sizeof *y);
    hki_deep_mul_forces(d, right, y);
    hki_ldl_zero(s->ldl, &s->num);
    hki_tree_add_forces(s, 0.3, 0.02);
    hki_ldl_mul(s->ldl, &s->num, s->num.val, right, z);
    same("K", nv, z, y, 1e-12);
    // accelerations, without forces in the matrix
    ck_assert_int_eq(hki_tree_accel(s, 0.0, r.q, r.v, x), HK_OK);
    ck_assert_int_eq(hki_tree_accel(d, 0.0, r.q, r.v, y), HK_OK);
    same("a", nv, x, y, 1e-8);
  }
  free(x);
  hki_tree_destroy(d);
  rig_free(&r);
}

START_TEST(trees_with_loops) {
  for (uint64_t seed = 1; seed < 12; seed++) {
    build b = build_loops(seed);
    check(&b, seed, 0.02);
  }
}
END_TEST

/* the start of such trees without the matrix, with a named rate and a named velocity of a body, in both metrics of rates */
START_TEST(starts) {
  for (uint64_t seed = 1; seed < 8; seed++) {
    build b = build_loops(seed);
    b.spec->start_rates = seed % 2 ? HK_RATES_MASS : HK_RATES_RELATIVE;
    hk_spec_start *st = build_start_body(&b, 20);
    st->given = HK_START_ANGULAR_VELOCITY;
    v3_set(st->angular_velocity, 0.2, 0.1, -0.3);
    rig r = rig_make_bare(&b);
    const int32_t nq = r.m->nq, nv = r.m->nv;
    double *q[2], *v[2];
    hk_assembly as[2];
    for (int way = 0; way < 2; way++) {
      q[way] = calloc((size_t)(nq + nv), sizeof **q), v[way] = q[way] + nq;
      as[way] = (hk_assembly){
          .q = q[way], .v = v[way], .way = way ? HK_ASSEMBLY_LEAN : HK_ASSEMBLY_MATRIX};
      ck_assert_int_eq(hki_assemble(r.s, &as[way]), HK_OK);
      ck_assert(as[way].lean == (way == 1));
    }
    ck_assert_int_eq(as[0].nmoved, as[1].nmoved);
    same("q", nq, q[0], q[1], 1e-10);
    ck_assert_double_gt(largest(nv, v[0]), 0.01);
    same("v", nv, v[0], v[1], 1e-10);
    free(q[0]), free(q[1]);
    rig_free(&r);
  }
}
END_TEST

START_TEST(in_planes) {
  build b = build_scissors(7, _i);
  check(&b, 3, 0.01);
}
END_TEST

START_TEST(small_mechanisms) {
  build b = build_four_bar(true, -1);
  check(&b, 1, 0.01);
  b = build_four_bar(false, -1); // three rows too many
  check(&b, 2, 0.01);
}
END_TEST

/* what a stage costs, in work and memory */
START_TEST(growth) {
  double work[2], bytes[2];
  for (int k = 0; k < 2; k++) {
    build b = build_scissors(k ? 400 : 100, 2);
    rig r = rig_make_bare(&b);
    hk_front f;
    bool found, suits;
    ck_assert_int_eq(hki_front_count(r.b.ctx, r.m, 1e9, &f, &found), HK_OK);
    ck_assert(found);
    work[k] = f.work, bytes[k] = hki_front_bytes(&f);
    ck_assert_int_le(f.width, 16);
    ck_assert_int_eq(hki_deep_suits(r.b.ctx, r.m, HK_TANGENT_AUTO, 1.0, &suits), HK_OK);
    ck_assert(suits);
    ck_assert_int_eq(hki_deep_suits(r.b.ctx, r.m, HK_TANGENT_EXACT, 1.0, &suits), HK_OK);
    ck_assert(!suits);
    ck_assert_int_eq(hki_front_count(r.b.ctx, r.m, 1e3, &f, &found), HK_OK);
    ck_assert(!found); // given up
    rig_free(&r);
  }
  ck_assert_msg(work[1] < 4.2 * work[0], "%g %g", work[0], work[1]);
  ck_assert_msg(bytes[1] < 4.2 * bytes[0], "%g %g", bytes[0], bytes[1]);
}
END_TEST

/* small trees, and bodies without inertia, keep the matrix */
START_TEST(others_keep_the_matrix) {
  bool suits = true;
  build b = build_scissors(10, 2);
  rig r = rig_make_bare(&b);
  ck_assert_int_eq(hki_deep_suits(r.b.ctx, r.m, HK_TANGENT_AUTO, 1.0, &suits), HK_OK);
  ck_assert(!suits);
  rig_free(&r);
  b = build_scissors(200, 2);
  build_massless(&b, "sign");
  build_joint(&b, "hook", "revolute", 7, 400, (double[]){1, 3, 0}, (double[]){0, 0, 1});
  r = rig_make_bare(&b);
  ck_assert(hki_front_light(r.m));
  ck_assert_int_eq(hki_deep_suits(r.b.ctx, r.m, HK_TANGENT_AUTO, 1.0, &suits), HK_OK);
  ck_assert(!suits);
  rig_free(&r);
}
END_TEST

/* a chain between two points on the ground: one long loop, which may need exact tangents */
START_TEST(long_loops) {
  enum { LINKS = 120 };
  build b = build_begin(LINKS, LINKS + 1);
  const double axis[3] = {0, 0, 1};
  bool suits;
  b.spec->planar = true;
  v3_copy(b.spec->normal, axis);
  for (int32_t i = 0; i <= LINKS; i++) {
    char name[16];
    snprintf(name, sizeof name, "l%d", (int)i);
    if (i < LINKS) build_body(&b, name, 1.0, i + 0.5, 0, 0);
    build_joint(&b, name, "revolute", i ? i - 1 : HK_GROUND, i < LINKS ? i : HK_GROUND,
                (double[]){i, 0, 0}, axis);
  }
  rig r = rig_make_bare(&b);
  ck_assert_int_eq(hki_deep_suits(r.b.ctx, r.m, HK_TANGENT_AUTO, 1.0, &suits), HK_OK);
  ck_assert(!suits);
  ck_assert_int_eq(hki_deep_suits(r.b.ctx, r.m, HK_TANGENT_MATERIAL, 1.0, &suits), HK_OK);
  ck_assert(suits);
  rig_free(&r);
}
END_TEST

Suite *suite_fronts(void);
Suite *suite_fronts(void) {
  Suite *s = suite_create("fronts");
  TCase *c = tcase_create("fronts");
  tcase_add_test(c, trees_with_loops);
  tcase_add_loop_test(c, in_planes, 0, 3);
  tcase_add_test(c, small_mechanisms);
  tcase_add_test(c, starts);
  tcase_add_test(c, growth);
  tcase_add_test(c, others_keep_the_matrix);
  tcase_add_test(c, long_loops);
  suite_add_tcase(s, c);
  return s;
}

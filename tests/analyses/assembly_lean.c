/* SPDX-License-Identifier: Apache-2.0
 *
 * assembly_lean.c: the start of deep trees with loops without the matrix of the tree (analyses/assembly_lean.h) against the start
 * with it: the same positions and rates of lifts and towers, in the plane and in space, from drawings that do not close, with
 * named values of joints and bodies, in both metrics of rates, at a start anew, where values are released; the same words where
 * loops do not close. Choice and growth.
 */
#include <stdlib.h>

#include "machines/tree/deep.h"
#include "analyses/support.h"

enum { WITH_MATRIX, LEAN, WAYS };

static const double axis_z[3] = {0, 0, 1};

static build begin(int32_t bodies, int32_t joints, bool planar) {
  build b = build_begin(bodies, joints);
  b.spec->planar = planar;
  v3_copy(b.spec->normal, axis_z);
  v3_set(b.spec->gravity, 0.0, -9.81, 0.0);
  return b;
}

/* a scissor lift; joints in the order foot, then p, u, v of each stage */
static build build_lift(int32_t stages, bool planar) {
  build b = begin(2 * stages + 1, 3 * stages + 1, planar);
  for (int32_t i = 0; i < 2 * stages; i++) {
    char name[16];
    snprintf(name, sizeof name, "%c%d", i % 2 ? 'b' : 'a', (int)(i / 2));
    double *J = b.spec->bodies[build_body(&b, name, 1.0 + 0.01 * i, 1.0, i / 2 + 0.5, 0.0)].J;
    J[0] = J[4] = J[8] = 0.4;
  }
  build_joint(&b, "foot", "revolute", HK_GROUND, 0, (double[]){0, 0, 0}, axis_z);
  for (int32_t k = 0; k < stages; k++) {
    char name[3][16];
    for (int i = 0; i < 3; i++) snprintf(name[i], sizeof name[i], "%c%d", "puv"[i], (int)k);
    build_joint(&b, name[0], "revolute", 2 * k, 2 * k + 1, (double[]){1, k + 0.5, 0}, axis_z);
    if (k + 1 == stages) break;
    build_joint(&b, name[1], "revolute", 2 * k, 2 * k + 3, (double[]){2, k + 1, 0}, axis_z);
    build_joint(&b, name[2], "revolute", 2 * k + 1, 2 * k + 2, (double[]){0, k + 1, 0}, axis_z);
  }
  return b;
}

/* loops on top of each other: floors of two posts and a beam; joints of a floor: left and right foot, left and right head */
static build build_tower(int32_t floors) {
  build b = begin(3 * floors + 1, 4 * floors + 1, true);
  for (int32_t k = 0; k < floors; k++) {
    const double x = 0.1 * k, X = 0.1 * (k + 1), y = k;
    const int32_t under = k ? 3 * k - 1 : HK_GROUND;
    static const char *const bodies[3] = {"left", "right", "beam"};
    const double from[3][3] = {{x, y, 0}, {x + 1, y, 0}, {X, y + 1, 0}};
    const double to[3][3] = {{X, y + 1, 0}, {X + 1, y + 1, 0}, {X + 1, y + 1, 0}};
    for (int i = 0; i < 3; i++) {
      char name[24];
      snprintf(name, sizeof name, "%s%d", bodies[i], (int)k);
      build_rod(&b, name, 1.0, 0.1, from[i], to[i]);
    }
    for (int i = 0; i < 4; i++) {
      char name[24];
      snprintf(name, sizeof name, "%c%d", "fghi"[i], (int)k);
      build_joint(&b, name, "revolute", i < 2 ? under : 3 * k + i - 2,
                  i < 2 ? 3 * k + i : 3 * k + 2, i < 2 ? from[i] : to[i - 2], axis_z);
    }
  }
  return b;
}

static hk_spec_start *angle(build *b, int32_t joint, double value) {
  hk_spec_start *st = build_start_joint(b, joint);
  st->q_given = 1;
  st->q[0] = value;
  return st;
}

static hk_spec_start *rate(build *b, int32_t joint, double value) {
  hk_spec_start *st = build_start_joint(b, joint);
  st->v_given = 1;
  st->v[0] = value;
  return st;
}

static double largest(const double *x, const double *y, int32_t n) {
  double most = 0.0;
  for (int32_t i = 0; i < n; i++) most = fmax(most, fabs(y ? x[i] - y[i] : x[i]));
  return most;
}

/* moves the drawing: every tenth coordinate by 1 %, so that loops do not close */
static void disturb(const rig *r) {
  uint64_t seed = 4;
  for (int32_t i = 3; i < r->m->nv; i += 10)
    r->m->q_draw[i] += 0.01 * r->s->scale[i] * noise(&seed);
}

typedef struct outcome {
  int32_t nmoved;
  double moved; /* how far the start is from the drawing */
  double rates; /* largest rate */
} outcome;

/* The start both ways; anew: once more from there, with the starts of the spec, at rates that do not close */
static outcome compare(build *b, bool off, bool anew) {
  rig r = rig_make_bare(b);
  const hk_model *m = r.m;
  const size_t nq = (size_t)m->nq, nv = (size_t)m->nv;
  double *all = calloc(WAYS * (nq + nv) + nq + nv, sizeof *all), *q[WAYS], *v[WAYS];
  double *from_q = all + WAYS * (nq + nv), *from_v = from_q + nq;
  hk_assembly as[WAYS];
  uint64_t seed = 9;
  if (off) disturb(&r);
  ck_assert_int_gt(m->nc, 0);
  memcpy(from_q, m->q_draw, nq * sizeof *from_q);
  for (size_t i = 0; i < nv; i++) from_v[i] = 0.1 * noise(&seed);
  for (int way = 0; way < WAYS; way++) {
    q[way] = all + (size_t)way * (nq + nv), v[way] = q[way] + nq;
    as[way] = (hk_assembly){
        .q = q[way], .v = v[way], .way = way == LEAN ? HK_ASSEMBLY_LEAN : HK_ASSEMBLY_MATRIX};
    if (anew) as[way].from_q = from_q, as[way].from_v = from_v;
    if (anew) as[way].starts = m->spec->starts, as[way].nstarts = m->spec->nstarts;
    // the way without the matrix in a machine that has none
    hk_tree *s = r.s;
    if (way == LEAN) ck_assert_int_eq(hki_tree_create(r.b.ctx, m, &s), HK_OK);
    ck_assert_int_eq(hki_assemble(s, &as[way]), HK_OK);
    ck_assert(as[way].lean == (way == LEAN));
    ck_assert((s->ldl == NULL) == (way == LEAN));
    if (s != r.s) hki_tree_destroy(s);
  }
  const outcome out = {as[0].nmoved, largest(q[0], from_q, m->nq), largest(v[0], NULL, m->nv)};
  ck_assert_int_eq(as[0].nmoved, as[1].nmoved);
  ck_assert_double_lt(as[LEAN].position_max, 1e-10 * m->length);
  ck_assert_double_lt(as[LEAN].velocity_max, 1e-10 * m->length * (1.0 + out.rates));
  const double dq = largest(q[0], q[1], m->nq), dv = largest(v[0], v[1], m->nv);
  ck_assert_msg(dq <= 1e-10, "positions differ by %g", dq);
  ck_assert_msg(dv <= 1e-10 * out.rates, "rates %g differ by %g", out.rates, dv);
  free(all);
  rig_free(&r);
  return out;
}

/* --- the same start --------------------------------------------------------------------------- */

static const int32_t heights[] = {20, 100, 400};
static int32_t height(int i) { return test_few() && heights[i] > 100 ? 40 : heights[i]; }

START_TEST(lifts_as_drawn) {
  build b = build_lift(height(_i), true);
  const outcome x = compare(&b, false, false);
  ck_assert(x.moved < 1e-9 && x.rates == 0.0);
}
END_TEST

START_TEST(lifts_that_do_not_close) {
  build b = build_lift(height(_i), true);
  const outcome x = compare(&b, true, false);
  ck_assert_double_gt(x.moved, 1e-3);
}
END_TEST

/* an angle of the tree, an angle and a rate of joints in the middle that may be cut */
START_TEST(lifts_with_named_values) {
  for (int mass = 0; mass < 2; mass++) {
    const int32_t n = height(_i);
    build b = build_lift(n, true);
    b.spec->start_rates = mass ? HK_RATES_MASS : HK_RATES_RELATIVE;
    angle(&b, 0, 0.1);
    rate(&b, 3 * (n / 2) + 3, 0.5);
    outcome x = compare(&b, true, false);
    ck_assert_int_eq(x.nmoved, 0);
    ck_assert_double_gt(x.moved, 0.05);
    ck_assert_double_gt(x.rates, 0.2);
    b = build_lift(n, true);
    angle(&b, 3 * (n / 2) + 3, -0.04);
    rate(&b, 0, 0.2);
    x = compare(&b, false, false);
    ck_assert_int_eq(x.nmoved, 0);
  }
}
END_TEST

/* values of a body near the top: rows over all coordinates below it */
START_TEST(lifts_with_named_bodies) {
  for (int mass = 0; mass < 2; mass++) {
    const int32_t n = height(_i) / 2;
    build b = build_lift(n, true);
    b.spec->start_rates = mass ? HK_RATES_MASS : HK_RATES_RELATIVE;
    hk_spec_start *st = build_start_body(&b, 2 * n - 3);
    st->given = HK_START_ANGULAR_VELOCITY;
    v3_set(st->angular_velocity, 0, 0, 0.3);
    const outcome x = compare(&b, true, false);
    ck_assert_int_eq(x.nmoved, 0);
    ck_assert_double_gt(x.rates, 0.1);
  }
}
END_TEST

/* hinges in space: three rows of five say nothing new */
START_TEST(lifts_in_space) {
  const int32_t n = test_few() ? 12 : 20 + 30 * _i;
  build b = build_lift(n, false);
  (void)compare(&b, true, false);
  b = build_lift(n, false);
  rate(&b, 0, 0.2);
  angle(&b, 3, 0.1);
  const outcome x = compare(&b, false, false);
  ck_assert_double_gt(x.rates, 0.1);
}
END_TEST

/* (positions of tall towers agree to 5e-12, and rates depend on these: the mass metric as drawn) */
START_TEST(towers) {
  for (int mass = 0; mass < 2; mass++) {
    const int32_t n = test_few() ? 20 : 20 + 60 * _i;
    build b = build_tower(n);
    b.spec->start_rates = mass ? HK_RATES_MASS : HK_RATES_RELATIVE;
    rate(&b, 4 * (n / 2), 0.3);
    rate(&b, 4 * (n / 3) + 3, 0.1);
    const outcome x = compare(&b, !mass, false);
    ck_assert_int_eq(x.nmoved, 0);
    ck_assert_double_gt(x.rates, 0.2);
  }
}
END_TEST

/* a start within a run stays near to the state */
START_TEST(anew) {
  for (int mass = 0; mass < 2; mass++) {
    build b = build_lift(30, true);
    b.spec->start_rates = mass ? HK_RATES_MASS : HK_RATES_RELATIVE;
    rate(&b, 0, 0.2);
    const outcome x = compare(&b, true, true);
    ck_assert_double_gt(x.rates, 0.1);
    b = build_tower(20);
    b.spec->start_rates = mass ? HK_RATES_MASS : HK_RATES_RELATIVE;
    (void)compare(&b, true, true);
  }
}
END_TEST

/* a lift has two freedoms: the last of three angles, of three rates, is released */
START_TEST(values_that_are_released) {
  build b = build_lift(20, true);
  angle(&b, 0, 0.1);
  angle(&b, 13, -0.1);
  angle(&b, 31, 0.7);
  rate(&b, 0, 0.2);
  rate(&b, 22, 3.0);
  rate(&b, 40, 2.0);
  ck_assert_int_eq(compare(&b, false, false).nmoved, 2);
}
END_TEST

/* --- words ------------------------------------------------------------------------------------ */

/* three motions that a lift cannot follow, in position or in rate: the same messages */
START_TEST(loops_that_stay_open) {
  char said[WAYS][1000] = {"", ""};
  for (int way = 0; way < WAYS; way++) {
    build b = build_lift(20, true);
    b.spec->joints[0].motion[0] = build_signal(&b, "one", _i ? "t" : "0.1");
    b.spec->joints[7].motion[0] = build_signal(&b, "two", _i ? "3*t" : "0.2");
    b.spec->joints[28].motion[0] = build_signal(&b, "three", _i ? "-t" : "0.7");
    rig r = rig_make_bare(&b);
    hk_assembly as = {
        .q = r.q, .v = r.v, .way = way == LEAN ? HK_ASSEMBLY_LEAN : HK_ASSEMBLY_MATRIX};
    ck_assert_int_eq(hki_assemble(r.s, &as), HK_E_ASSEMBLY);
    ck_assert((r.s->ldl == NULL) == (way == LEAN));
    for (int32_t i = 0; i < hk_ctx_message_count(r.b.ctx); i++) {
      const size_t n = strlen(said[way]);
      snprintf(said[way] + n, sizeof said[way] - n, "%s\n", hk_ctx_message(r.b.ctx, i)->text);
    }
    rig_free(&r);
  }
  ck_assert(said[0][0]);
  ck_assert_str_eq(said[0], said[1]);
}
END_TEST

/* --- choice and growth ------------------------------------------------------------------------ */

/* By cost: tall ones without the matrix; small ones, those with loads, and those whose run has the matrix, with it */
START_TEST(choice) {
  static const struct {
    int32_t stages;
    bool rest, event, lean;
  } cases[] = {{10, false, false, false},
               {100, false, false, true},
               {100, true, false, false},
               {100, false, true, false}};
  for (int i = 0; i < 4; i++) {
    build b = build_lift(cases[i].stages, true);
    if (cases[i].rest) b.spec->relax = 1e3;
    if (cases[i].event)
      build_event(&b, "drop", build_signal(&b, "late", "t > 1"), HK_EVENT_RELEASE, 20);
    rig r = rig_make_bare(&b);
    hk_assembly as = rig_assemble(&r);
    ck_assert(as.lean == cases[i].lean);
    ck_assert((r.s->ldl == NULL) == cases[i].lean);
    rig_free(&r);
  }
}
END_TEST

/* A body that hangs on the top of the lift by a joint that is cut: nothing but long rows holds its rates. The factor fails, and the
 * matrix takes over. */
START_TEST(matrix_takes_over) {
  double v[WAYS][64];
  int32_t nv = 0;
  for (int way = 0; way < WAYS; way++) {
    build b = build_lift(20, true);
    build_body(&b, "load", 1.0, 2, 19, 0);
    const int32_t hook = build_joint(&b, "hook", "revolute", 39, 40, (double[]){2, 19, 0}, axis_z);
    b.spec->joints[hook].cut = HK_CUT_ALWAYS;
    rate(&b, 0, 0.2);
    rig r = rig_make_bare(&b);
    hk_assembly as = {
        .q = r.q, .v = r.v, .way = way == LEAN ? HK_ASSEMBLY_LEAN : HK_ASSEMBLY_MATRIX};
    ck_assert_int_eq(hki_assemble(r.s, &as), HK_OK);
    ck_assert(!as.lean && r.s->ldl);
    nv = r.m->nv;
    ck_assert_int_le(nv, 64);
    memcpy(v[way], r.v, (size_t)nv * sizeof *r.v);
    rig_free(&r);
  }
  ck_assert_double_gt(largest(v[0], NULL, nv), 0.1);
  ck_assert_double_lt(largest(v[0], v[1], nv), 1e-10);
}
END_TEST

/* many bodies named, each with rows down to the ground: the matrix */
START_TEST(many_named) {
  const int32_t n = 100;
  for (int many = 0; many < 2; many++) {
    build b = build_lift(n, true);
    for (int32_t k = 0; k < (many ? 14 : 1); k++) {
      hk_spec_start *st = build_start_body(&b, 2 * n - 1 - k);
      st->given = HK_START_POSITION | HK_START_VELOCITY | HK_START_ANGULAR_VELOCITY;
      v3_set(st->position, 0, 0, 0);
    }
    rig r = rig_make_bare(&b);
    hk_named *rows;
    hk_pool *pool = hki_pool_create(r.b.ctx);
    hk_path path[200];
    int32_t k;
    bool suits;
    ck_assert_int_eq(hki_named_rows(r.s, pool, r.m->spec->starts, r.m->spec->nstarts, &rows, &k),
                     HK_OK);
    for (int32_t i = 0; i < k; i++) path[i] = rows[i].path;
    const hk_front_more more = {k, path};
    ck_assert_int_eq(hki_deep_suits_start(r.b.ctx, r.m, &more, &suits), HK_OK);
    ck_assert(suits == !many);
    // memory is counted for the same choice
    hk_cost cost, bare;
    ck_assert_int_eq(hki_assembly_cost(r.b.ctx, r.m, 1e12, &cost), HK_OK);
    ck_assert_int_eq(hki_tree_cost(r.b.ctx, r.m, true, 1e12, &bare), HK_OK);
    ck_assert((cost.bytes == bare.bytes) == many);
    hki_pool_destroy(pool);
    rig_free(&r);
  }
}
END_TEST

/* memory of the machine with the assembly: four times the stages, four times the bytes */
START_TEST(growth) {
  hk_cost cost[2];
  for (int k = 0; k < 2; k++) {
    build b = build_lift(k ? 800 : 200, true);
    rig r = rig_make_bare(&b);
    ck_assert_int_eq(hki_assembly_cost(r.b.ctx, r.m, 1e12, &cost[k]), HK_OK);
    rig_free(&r);
  }
  ck_assert_double_lt(cost[1].bytes, 4.2 * cost[0].bytes);
  ck_assert_double_lt(cost[1].seconds, 4.2 * cost[0].seconds);
}
END_TEST

/* The doctor needs no matrix for a lift; for one with a disc that turns about its centre of mass without inertia it makes it, and
 * says so */
START_TEST(findings) {
  for (int disc = 0; disc < 2; disc++) {
    build b = build_lift(100, true);
    if (disc) {
      double *J = b.spec->bodies[build_body(&b, "disc", 1.0, 1, 0.5, 0)].J;
      J[0] = J[4] = J[8] = 0.0;
      build_joint(&b, "pin", "revolute", 0, 200, (double[]){1, 0.5, 0}, axis_z);
    }
    rig r = rig_make_bare(&b);
    hk_pool *pool = hki_pool_create(r.b.ctx);
    hk_finding *list;
    hk_mobility mob;
    int32_t n;
    ck_assert_int_eq(hki_doctor(r.s, pool, r.q, r.v, &list, &n, &mob), HK_OK);
    ck_assert_int_eq(mob.dof, 2 + disc);
    ck_assert_int_eq(n, disc);
    if (disc) ck_assert_int_eq(list[0].kind, HK_FINDING_INERTIA_FREE);
    if (disc) ck_assert_ptr_nonnull(strstr(list[0].text, "joint 'pin'"));
    ck_assert((r.s->ldl != NULL) == disc);
    hki_pool_destroy(pool);
    rig_free(&r);
  }
}
END_TEST

/* every allocation may fail */
START_TEST(out_of_memory) {
  build b = build_lift(12, true);
  rate(&b, 0, 0.2);
  rig r = rig_make_bare(&b);
  hk_status st = HK_E_MEMORY;
  for (uint64_t n = 1; st != HK_OK; n++) {
    hk_assembly as = {.q = r.q, .v = r.v, .way = HK_ASSEMBLY_LEAN};
    hki_alloc_fail_at(r.b.ctx, n);
    st = hki_assemble(r.s, &as);
    hki_alloc_fail_at(r.b.ctx, 0);
    ck_assert_msg(st == HK_OK || st == HK_E_MEMORY, "%d", st);
    ck_assert_int_lt((int)n, 1000);
  }
  rig_free(&r);
}
END_TEST

Suite *suite_assembly_lean(void);
Suite *suite_assembly_lean(void) {
  Suite *s = suite_create("assembly_lean");
  TCase *c = tcase_create("same");
  tcase_set_timeout(c, 60);
  tcase_add_loop_test(c, lifts_as_drawn, 0, 3);
  tcase_add_loop_test(c, lifts_that_do_not_close, 0, 3);
  tcase_add_loop_test(c, lifts_with_named_values, 0, 3);
  tcase_add_loop_test(c, lifts_with_named_bodies, 0, 2);
  tcase_add_loop_test(c, lifts_in_space, 0, 2);
  tcase_add_loop_test(c, towers, 0, 2);
  tcase_add_test(c, anew);
  tcase_add_test(c, values_that_are_released);
  tcase_add_loop_test(c, loops_that_stay_open, 0, 2);
  tcase_add_test(c, choice);
  tcase_add_test(c, matrix_takes_over);
  tcase_add_test(c, many_named);
  tcase_add_test(c, growth);
  tcase_add_test(c, findings);
  tcase_add_test(c, out_of_memory);
  suite_add_tcase(s, c);
  return s;
}

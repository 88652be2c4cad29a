/* SPDX-License-Identifier: Apache-2.0
 *
 * spanning_tree.c: trees and cuts of known mechanisms: counts of coordinates and rows, numbering, hints,
 * groups without a way to the ground, large models.
 */
#include <stdlib.h>

#include "build.h"
#include "geometry/geometry.h"
#include "runner.h"

/* --- checks that hold for every model --------------------------------------------------------- */

/* relative difference of two numbers is small */
#define ck_near(a, b, tol) ck_assert_double_eq_tol((a), (b), (tol))

/* the order by levels: every body once, parents first, quads of one depth and joint */
static void check_order(const hk_model *m) {
  uint8_t *done = calloc((size_t)m->nb + 1, 1);
  int32_t count = 0;
  for (int32_t i = 0; i < m->nseq; i++) {
    const int32_t quad = -1 - m->seq[i], n = m->seq[i] < 0 ? HK_LANE4 : 1;
    const int32_t *body = m->seq[i] < 0 ? m->quad[quad].body : &m->seq[i];
    for (int32_t j = 0; j < n; j++, count++) {
      const hk_model_body *b = &m->bodies[body[j]], *b0 = &m->bodies[body[0]];
      ck_assert(b->parent < 0 || done[b->parent]);
      ck_assert_int_eq(m->quad_of[body[j]], n > 1 ? quad : -1);
      ck_assert_int_eq(b->depth, b0->depth);
      ck_assert_int_eq(b->parent < 0, b0->parent < 0);
      ck_assert_int_eq(b->nv, b0->nv);
    }
    for (int32_t j = 0; j < n; j++) ck_assert(!done[body[j]]), done[body[j]] = 1;
  }
  ck_assert_int_eq(count, m->nb);
  free(done);
}

/* parents first, subtrees contiguous, coordinates in order, drawing position reproduced */
static void check_tree(const hk_model *m) {
  int32_t q = 0, v = 0;
  check_order(m);
  for (int32_t i = 0; i < m->nb; i++) {
    const hk_model_body *b = &m->bodies[i];
    ck_assert_int_lt(b->parent, i);
    ck_assert_int_eq(m->body_of_spec[b->spec], i);
    ck_assert_int_eq(b->depth, b->parent < 0 ? 0 : m->bodies[b->parent].depth + 1);
    ck_assert_int_eq(b->root, b->parent < 0 ? i : m->bodies[b->parent].root);
    ck_assert_int_ge(b->last, i);
    if (b->parent >= 0) ck_assert_int_le(b->last, m->bodies[b->parent].last);
    if (b->last > i) ck_assert_int_eq(m->bodies[i + 1].parent, i);
    ck_assert_int_eq(b->q0, q);
    ck_assert_int_eq(b->v0, v);
    ck_assert_int_eq(b->nq, b->ops->nq);
    ck_assert_int_eq(b->nv, b->ops->nv);
    q += b->nq, v += b->nv;
  }
  ck_assert_int_eq(m->nq, q);
  ck_assert_int_eq(m->nv, v);
}

/* poses of all bodies from the tree coordinates q */
static void forward(const hk_model *m, const double *q, hk_frame *F) {
  for (int32_t i = 0; i < m->nb; i++) {
    const hk_model_body *b = &m->bodies[i];
    hk_frame ground = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}}, A, B;
    hk_joint_tree t;
    hki_frame_marker(&A, b->parent < 0 ? &ground : &F[b->parent], &b->on_parent);
    b->ops->tree(b->par, q + b->q0, NULL, &t);
    hk_offset o;
    memcpy(o.R, t.R, sizeof o.R);
    v3_copy(o.p, t.p);
    hki_frame_marker(&B, &A, &o);
    hki_frame_marker(&F[i], &B, &b->child_inv);
  }
}

/* at the drawing position every body has its own centre of mass and world axes */
static void check_drawing(const hk_model *m) {
  hk_frame *F = calloc((size_t)m->nb + 1, sizeof *F);
  double eye[9];
  m3_identity(eye);
  forward(m, m->q_draw, F);
  for (int32_t i = 0; i < m->nb; i++) {
    for (int k = 0; k < 3; k++) ck_near(F[i].p[k], m->bodies[i].com0[k], 1e-12);
    for (int k = 0; k < 9; k++) ck_near(F[i].R[k], eye[k], 1e-12);
  }
  free(F);
}

/* --- known mechanisms ------------------------------------------------------------------------- */

START_TEST(pendulum) {
  build b = build_begin(1, 1);
  build_body(&b, "rod", 1, 0.5, 0, 0);
  build_joint_at(&b, "pin", "revolute", HK_GROUND, 0, 0, 0, 0, 1);
  hk_model *m = build_compile(&b);
  check_tree(m);
  check_drawing(m);
  ck_assert_int_eq(m->nv, 1);
  ck_assert_int_eq(m->nrows, 0);
  ck_assert_int_eq(m->nc, 0);
  ck_assert_int_eq(m->joints[0].body, 0);
  ck_assert_int_eq(m->joints[0].closure, HK_NONE);
  ck_assert_int_eq(m->scalars[0].qi, 0);
  ck_near(m->length, 0.5, 1e-15);
  ck_assert_double_eq(m->q_draw[0], 0.0);
  build_end(&b, m);
}
END_TEST

/* cranks on the ground at x = 0 .. n, couplers between their tips */
static build four_bars(int32_t n, bool planar) {
  build b = build_begin(2 * n + 1, 3 * n + 1);
  char name[32];
  b.spec->planar = planar;
  for (int32_t i = 0; i <= n; i++) {
    snprintf(name, sizeof name, "crank%d", (int)i);
    int32_t c = build_body(&b, name, 1, i, 0.5, 0);
    snprintf(name, sizeof name, "A%d", (int)i);
    build_joint_at(&b, name, "revolute", HK_GROUND, c, i, 0, 0, 2);
  }
  for (int32_t i = 0; i < n; i++) {
    snprintf(name, sizeof name, "coupler%d", (int)i);
    int32_t c = build_body(&b, name, 1, i + 0.5, 1, 0);
    snprintf(name, sizeof name, "left%d", (int)i);
    build_joint_at(&b, name, "revolute", i, c, i, 1, 0, 2);
    snprintf(name, sizeof name, "right%d", (int)i);
    build_joint_at(&b, name, "revolute", c, i + 1, i + 1, 1, 0, 2);
  }
  return b;
}

START_TEST(double_four_bar) {
  build b = four_bars(2, true);
  hk_model *m = build_compile(&b);
  check_tree(m);
  check_drawing(m);
  ck_assert_int_eq(m->nb, 5);
  ck_assert_int_eq(m->nv, 5);
  ck_assert_int_eq(m->nrows, 4);
  ck_assert_int_eq(m->nc, 2);
  build_end(&b, m);
  // in space each cut has five rows
  b = four_bars(2, false);
  m = build_compile(&b);
  ck_assert_int_eq(m->nv, 5);
  ck_assert_int_eq(m->nrows, 10);
  build_end(&b, m);
}
END_TEST

START_TEST(bricard) {
  static const double P[6][3] = {{0, 0, 0},  {1, 0, 0},  {1, -1, 0},
                                 {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
  static const int axis[6] = {1, 2, 0, 1, 2, 0};
  build b = build_begin(5, 6);
  char name[16];
  for (int i = 0; i < 5; i++) {
    double c[3];
    v3_add(c, P[i], P[i + 1]);
    snprintf(name, sizeof name, "rod%d", i + 1);
    build_body(&b, name, 1, 0.5 * c[0], 0.5 * c[1], 0.5 * c[2]);
  }
  for (int i = 0; i < 6; i++) {
    snprintf(name, sizeof name, "J%d", i + 1);
    build_joint_at(&b, name, "revolute", i == 0 ? HK_GROUND : i - 1, i == 5 ? HK_GROUND : i,
                   P[i][0], P[i][1], P[i][2], axis[i]);
  }
  hk_model *m = build_compile(&b);
  check_tree(m);
  check_drawing(m);
  ck_assert_int_eq(m->nv, 5);
  ck_assert_int_eq(m->nrows, 5);
  // the loop is cut in the middle: no branch deeper than 3 bodies
  for (int32_t i = 0; i < m->nb; i++) ck_assert_int_le(m->bodies[i].depth, 2);
  ck_assert_int_eq(m->closures[0].path.n, 5);
  char buf[200];
  hki_model_loop_names(m, 0, buf, sizeof buf);
  for (int i = 0; i < 6; i++) {
    snprintf(name, sizeof name, "J%d", i + 1);
    ck_assert_ptr_nonnull(strstr(buf, name));
  }
  hki_model_row_name(m, 0, buf, sizeof buf);
  ck_assert_ptr_nonnull(strstr(buf, "position along x"));
  build_end(&b, m);
}
END_TEST

/* chassis and four suspensions; data of the Iltis benchmark */
static void suspension(build *b, const char *name, int32_t chassis, double x0, double sx,
                       double sy) {
  char text[64];
  const double arm_in[3] = {x0, 0.259 * sy, 0.302}, arm_out[3] = {x0, 0.572 * sy, 0.229};
  const double leaf_in[3] = {x0, 0.1585 * sy, 0.600}, leaf_out[3] = {x0, 0.488 * sy, 0.531};
  const double tie_in[3] = {x0 - 0.14 * sx, 0.07 * sy, 0.6};
  const double tie_out[3] = {x0 - 0.14 * sx, 0.448 * sy, 0.531};
  const double X[3] = {1, 0, 0}, Z[3] = {0, 0, 1};
  snprintf(text, sizeof text, "%s.leaf", name);
  int32_t leaf = build_massless(b, text);
  snprintf(text, sizeof text, "%s.arm", name);
  int32_t arm = build_body(b, text, 6, x0, 0.4155 * sy, 0.2655);
  snprintf(text, sizeof text, "%s.carrier", name);
  int32_t carrier = build_body(b, text, 57.35, x0, 0.615 * sy, 0.356);
  snprintf(text, sizeof text, "%s.leaf_ball", name);
  build_joint(b, text, "spherical", leaf, carrier, leaf_out, Z);
  snprintf(text, sizeof text, "%s.leaf_pin", name);
  build_joint(b, text, "revolute", chassis, leaf, leaf_in, X);
  snprintf(text, sizeof text, "%s.arm_pin", name);
  build_joint(b, text, "revolute", chassis, arm, arm_in, X);
  snprintf(text, sizeof text, "%s.arm_ball", name);
  build_joint(b, text, "spherical", arm, carrier, arm_out, Z);
  snprintf(text, sizeof text, "%s.tie", name);
  build_distance(b, text, chassis, carrier, tie_in, tie_out);
  snprintf(text, sizeof text, "%s.shock", name);
  build_force(b, text, "spring_damper", chassis, arm,
              (double[]){x0 + 0.075 * sx, 0.297 * sy, 0.632},
              (double[]){x0 + 0.075 * sx, 0.5 * sy, 0.241});
  snprintf(text, sizeof text, "%s.tyre", name);
  build_force(b, text, "tyre", carrier, HK_GROUND, (double[]){x0, 0.615 * sy, 0.356},
              (double[]){0, 0, 0});
}

START_TEST(iltis) {
  build b = build_begin(13, 20);
  int32_t chassis = build_body(&b, "chassis", 1260, 0, 0, 0.57);
  suspension(&b, "front_left", chassis, 0.97, 1, 1);
  suspension(&b, "front_right", chassis, 0.97, 1, -1);
  suspension(&b, "rear_left", chassis, -1.047, -1, 1);
  suspension(&b, "rear_right", chassis, -1.047, -1, -1);
  hk_model *m = build_compile(&b);
  check_tree(m);
  check_drawing(m);
  ck_assert_int_eq(m->nb, 13);
  ck_assert_int_eq(m->nv, 26);
  ck_assert_int_eq(m->nq, 26 + 1 + 4);
  ck_assert_int_eq(m->nrows, 16);
  ck_assert_int_eq(m->nc, 8);
  // the chassis is the root, with an added free joint
  ck_assert_int_eq(m->bodies[0].spec, chassis);
  ck_assert_int_eq(m->bodies[0].joint, HK_NONE);
  ck_assert_str_eq(m->bodies[0].ops->name, "free");
  ck_near(m->q_draw[2], 0.57, 1e-15);
  // carriers hang on the arms, not on the massless leaves
  for (int32_t i = 1; i < m->nb; i++) {
    const hk_model_body *c = &m->bodies[i];
    if (strstr(m->spec->bodies[c->spec].name, "carrier"))
      ck_assert_ptr_nonnull(strstr(m->spec->bodies[m->bodies[c->parent].spec].name, "arm"));
  }
  // closure: leaf revolute, arm revolute, ball of the arm; the tie leaves the leaf out
  for (int32_t c = 0; c < m->nc; c++) {
    bool tie = m->closures[c].nrows == 1;
    ck_assert_int_eq(m->closures[c].path.n, tie ? 4 : 5);
  }
  // a tyre touches the whole chain of its carrier, a shock only the arm
  for (int32_t f = 0; f < m->nf; f++)
    ck_assert_int_eq(m->forces[f].path.n, strstr(m->spec->forces[f].name, "tyre") ? 10 : 1);
  ck_assert_int_eq(m->bodies[m->body_of_spec[1]].massless, true);
  build_end(&b, m);
}
END_TEST

START_TEST(cut_hints) {
  // four-bar in the plane: cut where asked
  for (int32_t j = 0; j < 4; j++) {
    build b = four_bars(1, true);
    b.spec->joints[j].cut = HK_CUT_ALWAYS;
    hk_model *m = build_compile(&b);
    ck_assert_int_eq(m->nc, 1);
    ck_assert_int_eq(m->closures[0].joint, j);
    ck_assert_int_eq(m->nv, 3);
    check_tree(m);
    check_drawing(m);
    build_end(&b, m);
  }
  // keep three: the fourth is cut
  for (int32_t j = 0; j < 4; j++) {
    build b = four_bars(1, true);
    for (int32_t k = 0; k < 4; k++) b.spec->joints[k].cut = k == j ? HK_CUT_AUTO : HK_CUT_NEVER;
    hk_model *m = build_compile(&b);
    ck_assert_int_eq(m->closures[0].joint, j);
    build_end(&b, m);
  }
  // all four cannot be kept
  build b = four_bars(1, true);
  for (int32_t k = 0; k < 4; k++) b.spec->joints[k].cut = HK_CUT_NEVER;
  build_refuse(&b, "cut: never");
  // a constraint has nothing to keep
  b = four_bars(1, true);
  b.spec->joints[0].ops = hki_joint_find("in_line");
  b.spec->joints[0].cut = HK_CUT_NEVER;
  build_refuse(&b, "cut: never");
}
END_TEST

START_TEST(weights) {
  // a loop of revolute, revolute, spherical, universal: the spherical is cut (3 rows, not 4 or 5)
  build b = build_begin(3, 4);
  build_body(&b, "one", 1, 0, 0, 1);
  build_body(&b, "two", 1, 1, 0, 1);
  build_body(&b, "three", 1, 1, 0, 0);
  build_joint_at(&b, "ball", "spherical", HK_GROUND, 0, 0, 0, 0, 0);
  build_joint_at(&b, "r1", "revolute", 0, 1, 0.5, 0, 1, 1);
  build_joint_at(&b, "u", "universal", 1, 2, 1, 0, 0.5, 1);
  build_joint_at(&b, "r2", "revolute", 2, HK_GROUND, 0.5, 0, 0, 1);
  hk_model *m = build_compile(&b);
  check_tree(m);
  check_drawing(m);
  ck_assert_int_eq(m->nc, 1);
  ck_assert_int_eq(m->closures[0].joint, 0);
  ck_assert_int_eq(m->nrows, 3);
  ck_assert_int_eq(m->nv, 4);
  build_end(&b, m);
}
END_TEST

START_TEST(groups) {
  // two mechanisms: one on the ground, one of three free bodies, and a lone body; a cut-off one
  build b = build_begin(6, 5);
  build_body(&b, "pendulum", 1, 0, 0, 0);
  build_body(&b, "light", 1, 1, 0, 0);
  build_body(&b, "heavy", 5, 2, 0, 0);
  build_body(&b, "other", 2, 3, 0, 0);
  build_body(&b, "lone", 1, 4, 5, 6);
  build_body(&b, "hanging", 1, 7, 0, 0);
  build_joint_at(&b, "pin", "revolute", HK_GROUND, 0, 0, 0, 1, 1);
  build_joint_at(&b, "a", "spherical", 1, 2, 1.5, 0, 0, 0);
  build_joint_at(&b, "b", "revolute", 2, 3, 2.5, 0, 0, 0);
  build_distance(&b, "rope", HK_GROUND, 5, (double[]){7, 0, 1}, (double[]){7, 0, 0});
  hk_model *m = build_compile(&b);
  check_tree(m);
  check_drawing(m);
  ck_assert_int_eq(m->nv, 1 + 6 + 3 + 1 + 6 + 6);
  ck_assert_int_eq(m->nrows, 1);
  const hk_model_body *heavy = &m->bodies[m->body_of_spec[2]];
  ck_assert_int_eq(heavy->joint, HK_NONE);
  ck_assert_int_eq(heavy->parent, HK_GROUND);
  ck_assert_int_eq(m->bodies[m->body_of_spec[1]].parent, m->body_of_spec[2]);
  ck_assert_int_eq(m->bodies[m->body_of_spec[1]].reversed, true);
  ck_assert_int_eq(m->bodies[m->body_of_spec[3]].reversed, false);
  build_end(&b, m);
  // planar: an added planar joint, off the origin and off the plane through it
  b = build_begin(1, 1);
  b.spec->planar = true;
  v3_set(b.spec->normal, 0, 1, 0);
  build_body(&b, "lone", 1, 4, 5, 6);
  m = build_compile(&b);
  check_drawing(m);
  ck_assert_int_eq(m->nv, 3);
  ck_assert_str_eq(m->bodies[0].ops->name, "planar");
  build_end(&b, m);
}
END_TEST

START_TEST(same_pair) {
  // two joints between the same bodies: the one with more rows stays
  build b = build_begin(1, 2);
  build_body(&b, "door", 1, 0, 0, 0);
  build_joint_at(&b, "upper", "spherical", HK_GROUND, 0, 0, 0, 1, 2);
  build_joint_at(&b, "lower", "revolute", HK_GROUND, 0, 0, 0, 0, 2);
  hk_model *m = build_compile(&b);
  ck_assert_int_eq(m->nc, 1);
  ck_assert_int_eq(m->closures[0].joint, 0);
  ck_assert_int_eq(m->nv, 1);
  ck_assert_int_eq(m->nrows, 3);
  ck_assert_int_eq(m->closures[0].path.n, 1);
  build_end(&b, m);
}
END_TEST

START_TEST(nothing) {
  build b = build_begin(0, 0);
  hk_model *m = build_compile(&b);
  ck_assert_int_eq(m->nb, 0);
  ck_assert_int_eq(m->nv, 0);
  ck_assert_double_eq(m->length, 1.0);
  ck_assert_ptr_eq(hki_model_retain(m), m);
  hki_model_release(m);
  build_end(&b, m);
}
END_TEST

/* --- large models ----------------------------------------------------------------------------- */

typedef enum large_kind { CHAIN, STAR, LADDER } large_kind;

/* about n bodies; the ladder: two rails side by side with a rung at every step */
static build large(large_kind kind, int32_t n) {
  build b = build_begin(n + 3, 2 * n + 3);
  char name[32];
  for (int32_t i = 0; i < n; i++) {
    snprintf(name, sizeof name, "body%d", (int)i);
    double y = kind == LADDER ? i % 3 == 2 ? 0.5 : i % 3 : 0.0;
    build_body(&b, name, 1, kind == LADDER ? i / 3 : i, y, 0);
  }
  for (int32_t i = 0; i < n; i++) {
    int32_t from = kind == CHAIN ? i - 1 : HK_GROUND;
    if (kind == LADDER) from = i % 3 == 2 ? i - 2 : i - 3;
    if (from < 0) from = HK_GROUND;
    snprintf(name, sizeof name, "joint%d", (int)i);
    const double *c = b.spec->bodies[i].com;
    build_joint_at(&b, name, "revolute", from, i, c[0] - 0.5, c[1], 0, 2);
    if (kind != LADDER || i % 3 != 2) continue;
    snprintf(name, sizeof name, "close%d", (int)i);
    build_joint_at(&b, name, "revolute", i, i - 1, c[0], 1, 0, 2);
  }
  return b;
}

START_TEST(large_models) {
  int32_t n = test_short() ? 3000 : 9999;
  for (int kind = CHAIN; kind <= LADDER; kind++) {
    double seconds[2];
    for (int big = 0; big < 2; big++) {
      build b = large((large_kind)kind, big ? n : n / 10);
      double t = hki_cpu_seconds();
      hk_model *m = build_compile(&b);
      seconds[big] = hki_cpu_seconds() - t;
      check_tree(m);
      ck_assert_int_eq(m->nv, m->nb);
      ck_assert_int_eq(m->nc, kind == LADDER ? m->nb / 3 : 0);
      int64_t path = 0;
      for (int32_t c = 0; c < m->nc; c++) path += m->closures[c].path.n;
      ck_assert_int_le(path, 20 * (int64_t)m->nb);
      build_end(&b, m);
    }
    printf("# compile kind %d: %d bodies %.2f ms, %d bodies %.2f ms\n", kind, (int)(n / 10),
           1e3 * seconds[0], (int)n, 1e3 * seconds[1]);
    ck_assert_double_lt(seconds[1], 5.0);
  }
}
END_TEST

START_TEST(meshes) {
  // nets of bodies with joints to random neighbours: always a tree, always the same number of rows
  enum { W = 12, H = 40 };
  build b = build_begin(W * H, 3 * W * H);
  unsigned seed = (unsigned)_i * 7919u + 3u;
  char name[32];
  for (int32_t i = 0; i < W * H; i++) {
    snprintf(name, sizeof name, "b%d", (int)i);
    build_body(&b, name, 1, i % W, i / W, 0);
  }
  int32_t joints = 0;
  for (int32_t i = 0; i < W * H; i++) {
    const int32_t to[3] = {i % W ? i - 1 : HK_GROUND, i - W, i - W + 1};
    for (int k = 0; k < 3; k++) {
      seed = seed * 1664525u + 1013904223u;
      // the first column stands on the ground at one place or everywhere
      if ((to[k] < 0 && (k > 0 || (_i % 2 && i > 0))) || (seed >> 20) % 4 == 0) continue;
      snprintf(name, sizeof name, "j%d", (int)joints);
      build_joint_at(&b, name, "revolute", to[k], i, i % W, i / W, 0, 2);
      joints++;
    }
  }
  hk_model *m = build_compile(&b);
  check_tree(m);
  check_drawing(m);
  int32_t added = 0;
  for (int32_t i = 0; i < m->nb; i++) added += m->bodies[i].joint < 0;
  ck_assert_int_eq(m->nc, joints - (m->nb - added));
  ck_assert_int_eq(m->nv, m->nb + 5 * added);
  build_end(&b, m);
}
END_TEST

Suite *suite_spanning_tree(void);
Suite *suite_spanning_tree(void) {
  Suite *s = suite_create("spanning_tree");
  TCase *t = tcase_create("topology");
  tcase_add_test(t, pendulum);
  tcase_add_test(t, double_four_bar);
  tcase_add_test(t, bricard);
  tcase_add_test(t, iltis);
  tcase_add_test(t, cut_hints);
  tcase_add_test(t, weights);
  tcase_add_test(t, groups);
  tcase_add_test(t, same_pair);
  tcase_add_test(t, nothing);
  tcase_add_loop_test(t, meshes, 0, 6);
  tcase_add_test(t, large_models);
  suite_add_tcase(s, t);
  return s;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * closures.c: rows that cut joints keep, prescribed motions, locks and events, forces and their
 * paths (against brute force), signals and breaks.
 */
#include <stdlib.h>

#include "build.h"
#include "geometry/geometry.h"
#include "runner.h"

/* --- rows in the plane ------------------------------------------------------------------------ */

/* one body on a free joint, closed by a second joint of the type under test */
static int32_t plane_rows(const char *type, const double *axis, uint32_t locked) {
  build b = build_begin(1, 2);
  b.spec->planar = true;
  v3_set(b.spec->normal, 0, 1, 0);
  build_body(&b, "body", 1, 0.3, 0.2, 0.1);
  build_joint(&b, "base", "free", HK_GROUND, 0, (double[]){0, 0, 0}, (double[]){0, 0, 1});
  int32_t j = build_joint(&b, "j", type, HK_GROUND, 0, (double[]){0.4, 0.2, 0.7}, axis);
  build_numbers(&b, j, 0.0, 1.0, locked);
  b.spec->joints[j].cut = HK_CUT_ALWAYS;
  if (strcmp(type, "distance") == 0) {
    b.spec->joints[j].marker[1].p[0] += 0.5;
    b.spec->joints[j].marker[1].p[1] += 0.1;
    build_number(&b, j, "length", sqrt(0.26));
  }
  hk_model *m = build_compile(&b);
  int32_t n = m->nrows;
  ck_assert_int_eq(m->nv, 3);
  build_end(&b, m);
  return n;
}

START_TEST(rows_in_the_plane) {
  static const double n[3] = {0, 1, 0}, minus[3] = {0, -1, 0}, in[3] = {0.6, 0, 0.8};
  static const double skew[3] = {0.5, 0.5, 0.7};
  ck_assert_int_eq(plane_rows("revolute", n, 0), 2);
  ck_assert_int_eq(plane_rows("revolute", minus, 0), 2);
  ck_assert_int_eq(plane_rows("prismatic", in, 0), 2);
  ck_assert_int_eq(plane_rows("cylindrical", n, 0), 2);
  ck_assert_int_eq(plane_rows("cylindrical", in, 0), 2);
  ck_assert_int_eq(plane_rows("fixed", n, 0), 3);
  ck_assert_int_eq(plane_rows("fixed", skew, 0), 3);
  ck_assert_int_eq(plane_rows("spherical", n, 0), 2);
  ck_assert_int_eq(plane_rows("spherical", skew, 0), 2);
  ck_assert_int_eq(plane_rows("planar", n, 0), 0);
  ck_assert_int_eq(plane_rows("free", skew, 0), 0);
  ck_assert_int_eq(plane_rows("distance", n, 0), 1);
  ck_assert_int_eq(plane_rows("in_line", in, 0), 1);
  ck_assert_int_eq(plane_rows("in_line", n, 0), 2);
  ck_assert_int_eq(plane_rows("in_plane", in, 0), 1);
  ck_assert_int_eq(plane_rows("in_plane", n, 0), 0);
  // general with the plane's normal as z: x y rz are in the plane
  ck_assert_int_eq(plane_rows("general", n, 63), 3);
  ck_assert_int_eq(plane_rows("general", n, 1 | 32), 2);
  ck_assert_int_eq(plane_rows("general", n, 4 | 8), 0);
}
END_TEST

/* the rows that a planar model drops stay as drawn wherever the bodies go */
static void check_dropped(const char *type, const double *axis, uint32_t locked) {
  build b = build_begin(2, 3);
  b.spec->planar = true;
  v3_set(b.spec->normal, 0.6, 0, -0.8);
  build_body(&b, "one", 1, 0.3, 0.2, 0.1);
  build_body(&b, "two", 1, -0.3, 0.6, 0.5);
  build_joint(&b, "base", "free", HK_GROUND, 0, (double[]){0, 0, 0}, (double[]){0, 0, 1});
  build_joint(&b, "more", "free", HK_GROUND, 1, (double[]){1, 0, 0}, (double[]){0, 0, 1});
  int32_t j = build_joint(&b, "j", type, 0, 1, (double[]){0.4, 0.2, 0.7}, axis);
  build_numbers(&b, j, 0.3, 1.0, locked);
  b.spec->joints[j].cut = HK_CUT_ALWAYS;
  hk_model *m = build_compile(&b);
  const hk_closure *c = &m->closures[m->joints[j].closure];
  ck_assert_int_eq(m->nv, 6);
  for (int trial = 0; trial < 10; trial++) {
    hk_frame M[2];
    for (int k = 0; k < 2; k++) {
      const hk_model_body *mb = &m->bodies[c->body[k]];
      hk_frame A = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}}, F;
      double q[3] = {0.3 * trial, -0.2 * trial * k, 0.7 * trial - k};
      hk_joint_tree t;
      hk_offset o;
      ck_assert_int_eq(mb->parent, HK_GROUND);
      hki_frame_marker(&A, &(hk_frame){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}}, &mb->on_parent);
      mb->ops->tree(mb->par, q, NULL, &t);
      memcpy(o.R, t.R, sizeof o.R);
      v3_copy(o.p, t.p);
      hki_frame_marker(&F, &A, &o);
      hki_frame_marker(&A, &F, &mb->child_inv);
      hki_frame_marker(&M[k], &A, &c->marker[k]);
    }
    hk_joint_loop loop;
    int32_t rows = hki_joint_rows(c->ops, c->par);
    c->ops->loop(c->par, &M[0], &M[1], HK_LOOP_POS, &loop);
    for (int32_t r = 0; r < rows; r++) {
      bool kept = false;
      for (int32_t i = 0; i < c->nrows; i++) kept |= c->rows[i] == r;
      if (!kept) ck_assert_double_lt(fabs(loop.phi[r]), 1e-13);
    }
  }
  build_end(&b, m);
}

START_TEST(dropped_rows) {
  static const double n[3] = {0.6, 0, -0.8}, in[3] = {0.8, 0, 0.6}, skew[3] = {1, 2, 3};
  check_dropped("revolute", n, 0);
  check_dropped("prismatic", in, 0);
  check_dropped("cylindrical", n, 0);
  check_dropped("cylindrical", in, 0);
  check_dropped("fixed", skew, 0);
  check_dropped("spherical", skew, 0);
  check_dropped("planar", n, 0);
  check_dropped("in_line", in, 0);
  check_dropped("in_line", n, 0);
  check_dropped("in_line", skew, 0);
  check_dropped("in_plane", n, 0);
  check_dropped("in_plane", skew, 0);
  check_dropped("distance", skew, 0);
  check_dropped("general", n, 63);
  check_dropped("general", skew, 63);
}
END_TEST

START_TEST(refused_in_the_plane) {
  static const struct {
    const char *type;
    double axis[3];
  } bad[] = {{"revolute", {1, 0, 0}},  {"revolute", {0, 1, 0.01}}, {"prismatic", {0, 1, 0}},
             {"prismatic", {1, 1, 0}}, {"cylindrical", {1, 1, 0}}, {"screw", {0, 1, 0}},
             {"universal", {0, 1, 0}}, {"planar", {1, 0, 0}}};
  for (int i = 0; i < HK_ARRAY_LEN(bad); i++) {
    build b = build_begin(1, 1);
    b.spec->planar = true;
    v3_set(b.spec->normal, 0, 1, 0);
    build_body(&b, "body", 1, 0, 0, 0);
    build_joint(&b, "j", bad[i].type, HK_GROUND, 0, (double[]){0, 0, 0}, bad[i].axis);
    build_refuse(&b, "cannot move in a planar model");
  }
}
END_TEST

/* --- motions ---------------------------------------------------------------------------------- */

START_TEST(motions) {
  build b = build_begin(2, 4);
  build_body(&b, "one", 1, 0, 0, 0);
  build_body(&b, "two", 1, 1, 0, 0);
  int32_t pin = build_joint_at(&b, "pin", "revolute", HK_GROUND, 0, 0, 0, 0, 1);
  int32_t uni = build_joint_at(&b, "uni", "universal", 0, 1, 0.5, 0, 0, 1);
  int32_t rope = build_distance(&b, "rope", HK_GROUND, 1, (double[]){1, 0, 1}, (double[]){1, 0, 0});
  int32_t gen = build_joint_at(&b, "gen", "general", HK_GROUND, 1, 1, 0, 0, 1);
  int32_t t = build_signal(&b, "drive", "sin(3*t)");
  b.spec->joints[pin].motion[0] = t;
  b.spec->joints[uni].motion[0] = b.spec->joints[uni].motion[1] = t;
  b.spec->joints[rope].motion[0] = t;
  build_numbers(&b, gen, 0.0, 0.0, 2 | 16); /* y, ry */
  b.spec->joints[gen].row_signal[4] = t;
  hk_model *m = build_compile(&b);
  ck_assert_int_eq(m->nv, 3);
  // general 2 rows; pin 1, universal 2, rope 1 instead of its own
  ck_assert_int_eq(m->nrows, 2 + 1 + 2 + 1);
  const hk_closure *c = &m->closures[m->joints[gen].closure];
  ck_assert_int_eq(c->row_signal[0], HK_NONE);
  ck_assert_int_eq(c->row_signal[1], t);
  c = &m->closures[m->joints[rope].closure];
  ck_assert_int_eq(c->kind, HK_CLOSURE_COORD);
  ck_assert_int_eq(m->joints[rope].closure, m->joints[rope].motion0);
  ck_assert_double_eq(m->scalars[c->scalar].zero, 0.0);
  ck_assert_int_eq(m->joints[uni].nmotion, 2);
  for (int k = 0; k < 2; k++) {
    c = &m->closures[m->joints[uni].motion0 + k];
    ck_assert_int_eq(c->role, HK_ROLE_MOTION);
    ck_assert_int_eq(c->scalar, m->joints[uni].scalar0 + k);
    ck_assert_int_eq(c->row_signal[0], t);
    ck_assert_int_eq(c->path.n, 2);
  }
  char buf[100];
  hki_model_row_name(m, c->row0, buf, sizeof buf);
  ck_assert_str_eq(buf, "joint 'uni', motion of angles.b");
  hki_model_loop_names(m, m->joints[uni].motion0, buf, sizeof buf);
  ck_assert_str_eq(buf, "joint uni");
  hki_model_loop_names(m, m->joints[gen].closure, buf, sizeof buf);
  ck_assert_str_eq(buf, "loop through joints gen, uni, pin");
  // every row has a name
  for (int32_t r = 0; r < m->nrows; r++) {
    hki_model_row_name(m, r, buf, sizeof buf);
    ck_assert_uint_gt(strlen(buf), 8);
  }
  build_end(&b, m);
}
END_TEST

START_TEST(bad_motions) {
  for (int kind = 0; kind < 4; kind++) {
    build b = build_begin(1, 1);
    build_body(&b, "one", 1, 0, 0, 0);
    int32_t j =
        build_joint_at(&b, "pin", kind == 1 ? "spherical" : "revolute", HK_GROUND, 0, 0, 0, 0, 1);
    int32_t direct = build_signal(&b, "reads", "2*body.one.position.x");
    int32_t through = build_signal(&b, "more", "t + reads");
    int32_t good = build_signal(&b, "good", "t");
    const char *want[] = {"depend on t only", "no such coordinate", "depend on t only",
                          "does not exist"};
    b.spec->joints[j].motion[0] = kind == 0 ? direct : kind == 1 ? good : kind == 2 ? through : 17;
    build_refuse(&b, want[kind]);
  }
}
END_TEST

/* --- events ----------------------------------------------------------------------------------- */

START_TEST(locks) {
  build b = build_begin(5, 6);
  for (int i = 0; i < 5; i++) build_body(&b, (const char[2]){(char)('a' + i), 0}, 1, i, 0, 0);
  int32_t t = build_signal(&b, "when", "t >= 2");
  int32_t cyl = build_joint_at(&b, "cyl", "cylindrical", HK_GROUND, 0, 0, 0, 0, 1);
  int32_t ball = build_joint_at(&b, "ball", "spherical", 0, 1, 0.5, 0, 0, 1);
  int32_t loose = build_joint_at(&b, "loose", "free", HK_GROUND, 2, 2, 0, 0, 1);
  int32_t hand = build_joint_at(&b, "hand", "revolute", 1, 2, 1.5, 0, 0, 1);
  int32_t drop = build_joint_at(&b, "drop", "fixed", HK_GROUND, 3, 3, 0, 0, 1);
  int32_t brake = build_joint_at(&b, "brake", "revolute", HK_GROUND, 4, 4, 0, 0, 1);
  b.spec->joints[hand].active = false;
  build_event(&b, "e1", t, HK_EVENT_FIX, cyl);
  build_event(&b, "e2", t, HK_EVENT_FIX, ball);
  build_event(&b, "e3", t, HK_EVENT_FIX, loose);
  build_event(&b, "e4", t, HK_EVENT_FIX, hand);
  build_event(&b, "e5", t, HK_EVENT_RELEASE, hand);
  build_event(&b, "e6", t, HK_EVENT_RELEASE, drop);
  build_event(&b, "e7", t, HK_EVENT_FIX, brake);
  build_event(&b, "e8", t, HK_EVENT_RELEASE, brake);
  hk_model *m = build_compile(&b);
  // the brake stays in the tree: it is only unlocked; hand and drop are cut
  ck_assert_int_ge(m->joints[brake].body, 0);
  ck_assert_int_eq(m->joints[hand].body, HK_NONE);
  ck_assert_int_eq(m->joints[drop].body, HK_NONE);
  ck_assert_int_eq(m->nv, 2 + 3 + 6 + 6 + 1);
  // cyl 2, ball 3, loose 6, brake 1 locks; hand 5 and drop 6 rows of their own
  ck_assert_int_eq(m->nrows, 2 + 3 + 6 + 1 + 5 + 6);
  ck_assert_int_eq(m->joints[cyl].nlock, 2);
  ck_assert_int_eq(m->joints[ball].nlock, 1);
  ck_assert_int_eq(m->joints[hand].nlock, 0);
  ck_assert_int_eq(m->nlock, 3);
  // markers that move: locks of ball and loose, the hand when it closes
  ck_assert_int_eq(m->nremark, 3);
  ck_assert_int_ge(m->closures[m->joints[hand].closure].remark, 0);
  ck_assert_int_eq(m->closures[m->joints[drop].closure].remark, HK_NONE);
  ck_assert(!m->closures[m->joints[hand].closure].active);
  ck_assert(m->closures[m->joints[drop].closure].active);
  const hk_closure *c = &m->closures[m->joints[ball].lock0];
  ck_assert_str_eq(c->ops->name, "fixed");
  ck_assert_int_eq(c->nrows, 3);
  for (int r = 0; r < 3; r++) ck_assert_int_eq(c->rows[r], 3 + r);
  ck_assert(!c->active);
  ck_assert_int_eq(m->closures[m->joints[loose].lock0].nrows, 6);
  build_end(&b, m);
}
END_TEST

START_TEST(bad_events) {
  static const struct {
    const char *type, *message;
  } bad[] = {{"in_line", "cannot fix"}, {"fixed", "cannot fix"}, {"distance", "cannot fix"}};
  for (int i = 0; i < HK_ARRAY_LEN(bad); i++) {
    build b = build_begin(1, 1);
    build_body(&b, "one", 1, 0, 0, 0);
    int32_t t = build_signal(&b, "when", "t >= 2");
    build_joint_at(&b, "j", bad[i].type, HK_GROUND, 0, 0, 0, 0, 1);
    build_event(&b, "e", t, HK_EVENT_FIX, 0);
    build_refuse(&b, bad[i].message);
  }
  build b = build_begin(1, 1);
  build_body(&b, "one", 1, 0, 0, 0);
  build_event(&b, "e", 0, HK_EVENT_FIX, 3);
  build_refuse(&b, "does not exist");
}
END_TEST

/* --- paths ------------------------------------------------------------------------------------ */

static unsigned seed_;
static int32_t pick(int32_t n) {
  seed_ = seed_ * 1664525u + 1013904223u;
  return (int32_t)((seed_ >> 8) % (unsigned)n);
}

/* is coordinate v of the joint that leads to body x, for some x above or at `body`? */
static bool above(const hk_model *m, int32_t body, int32_t v) {
  for (; body >= 0; body = m->bodies[body].parent) {
    if (v >= m->bodies[body].v0 && v < m->bodies[body].v0 + m->bodies[body].nv) return true;
  }
  return false;
}

/* a path against its definition, for all velocities of the model */
static void check_path(const hk_model *m, const hk_path *p, int32_t a, int32_t b, bool full) {
  uint8_t *side = calloc((size_t)m->nv + 1, 1);
  int32_t last[3] = {-1, -1, -1};
  for (int32_t i = 0; i < p->n; i++) {
    ck_assert_int_eq(side[p->dof[i]], 0);
    side[p->dof[i]] = p->side[i];
    // root to leaf on each side
    for (int k = 0; k < 2; k++) {
      if (!(p->side[i] >> k & 1)) continue;
      ck_assert_int_gt(p->dof[i], last[k]);
      last[k] = p->dof[i];
    }
  }
  for (int32_t v = 0; v < m->nv; v++) {
    int want = (above(m, a, v) ? 1 : 0) | (above(m, b, v) ? 2 : 0);
    if (!full && want == 3) want = 0;
    ck_assert_int_eq(side[v], want);
  }
  free(side);
}

START_TEST(paths) {
  static const char *const types[] = {"revolute", "spherical", "free", "fixed", "cylindrical"};
  enum { N = 40 };
  seed_ = (unsigned)_i * 977u + 5u;
  build b = build_begin(N, 2 * N);
  char name[32];
  for (int32_t i = 0; i < N; i++) {
    snprintf(name, sizeof name, "body%d", (int)i);
    build_body(&b, name, 1 + pick(5), pick(9), pick(9), pick(9));
    snprintf(name, sizeof name, "joint%d", (int)i);
    int32_t from = pick(i + 1) - 1;
    bool turned = pick(2);
    build_joint_at(&b, name, types[pick(5)], turned ? i : from, turned ? from : i, pick(9), pick(9),
                   pick(9), pick(3));
  }
  for (int32_t i = 0; i < 15; i++) {
    int32_t p = pick(N), q = pick(N);
    if (p == q) q = HK_GROUND;
    snprintf(name, sizeof name, "loop%d", (int)i);
    build_joint_at(&b, name, types[pick(5)], p, q, pick(9), pick(9), pick(9), pick(3));
    snprintf(name, sizeof name, "spring%d", (int)i);
    build_force(&b, name, "spring_damper", p, q, (double[]){1, 2, 3}, (double[]){3, 2, 1});
    snprintf(name, sizeof name, "force%d", (int)i);
    build_force(&b, name, "force", pick(N + 1) - 1, i % 3 ? HK_GROUND : pick(N),
                (double[]){1, 2, 3}, (double[]){3, 2, 1});
    snprintf(name, sizeof name, "tyre%d", (int)i);
    build_force(&b, name, "tyre", pick(N), HK_GROUND, (double[]){1, 2, 3}, (double[]){0, 0, 0});
  }
  hk_model *m = build_compile(&b);
  for (int32_t c = 0; c < m->nc; c++)
    check_path(m, &m->closures[c].path, m->closures[c].body[0], m->closures[c].body[1], false);
  for (int32_t f = 0; f < m->nf; f++) {
    const hk_model_force *mf = &m->forces[f];
    check_path(m, &mf->path, mf->body[0], mf->body[1], strcmp(mf->ops->name, "spring_damper") != 0);
  }
  build_end(&b, m);
}
END_TEST

/* --- inputs, breaks, hash --------------------------------------------------------------------- */

START_TEST(inputs) {
  build b = build_begin(1, 1);
  build_body(&b, "one", 1, 0, 0, 0);
  int32_t j = build_joint_at(&b, "pin", "revolute", HK_GROUND, 0, 0, 0, 0, 1);
  int32_t constant = build_signal(&b, "c", "3 + 4");
  int32_t time = build_signal(&b, "s", "sin(t)");
  int32_t state = build_signal(&b, "x", "joint.pin.rate * 2");
  int32_t both = build_signal(&b, "y", "c + s * x");
  int32_t signals[] = {constant, time, state, both, HK_NONE};
  char name[16];
  for (int i = 0; i < 5; i++) {
    snprintf(name, sizeof name, "f%d", i);
    int32_t f = build_joint_force(&b, name, "joint_torque", j, 0);
    b.spec->forces[f].u_signal[0] = signals[i];
  }
  hk_model *m = build_compile(&b);
  static const uint32_t varies[] = {0, 1, 1, 1, 0};
  static const bool reads[] = {false, false, true, true, false};
  for (int i = 0; i < 5; i++) {
    ck_assert_uint_eq(m->forces[i].u_varies, varies[i]);
    ck_assert_int_eq(m->forces[i].u_state, reads[i]);
    ck_assert_int_eq(m->forces[i].scalar, 0);
    ck_assert_int_eq(m->forces[i].path.n, 1);
    ck_assert_int_eq(m->forces[i].path.side[0], 2);
  }
  build_end(&b, m);
}
END_TEST

START_TEST(breaks) {
  build b = build_begin(1, 1);
  build_body(&b, "one", 1, 0, 0, 0);
  build_signal(&b, "s", "step(t - 0.25)");
  build_signal(&b, "u", "if(t < 0.75, 1, 2) + s");
  // a table over 2 t - 1 with a jump at its 0.5, that is at t = 0.75 (once) and kinks at 0.5, 1
  static const double x[] = {0, 0.5, 0.5, 1}, y[] = {0, 1, 2, 3};
  int32_t k = build_signal(&b, "table", "2*t - 1");
  hk_spec_signal *s = &b.spec->signals[k];
  s->kind = HK_SIGNAL_TABLE;
  hk_table_rows rows = {.loc = HK_LOC_NONE, .n = 4, .x = x, .y = y};
  ck_assert_int_eq(hki_table_build(b.ctx, b.spec->pool, &rows, &s->table), HK_OK);
  k = build_signal(&b, "shape", "1.5 - t");
  s = &b.spec->signals[k];
  s->kind = HK_SIGNAL_SHAPE;
  hk_shape shape;
  hki_shape_init(&shape, HK_SHAPE_STEP);
  shape.start = 0.125;
  ck_assert_int_eq(hki_shape_finish(b.ctx, HK_LOC_NONE, &shape), HK_OK);
  s->shape = &shape;
  b.spec->run.time = 2.0;
  hk_model *m = build_compile(&b);
  // of each signal alone: the signals it reads have their own
  static const double want[4][5] = {{0.25}, {0.75}, {0.5, 0.75, 1.0}, {1.375}};
  for (int i = 0; i < 4; i++) {
    double t = 0.0;
    for (int j = 0; want[i][j] > 0.0; j++) {
      t = hki_signal_next_break(&m->spec->signals[i], t);
      ck_assert_double_eq_tol(t, want[i][j], 1e-15);
    }
    ck_assert(hki_signal_next_break(&m->spec->signals[i], t) == INFINITY);
  }
  build_end(&b, m);
}
END_TEST

START_TEST(hash) {
  uint64_t h[3];
  for (int i = 0; i < 3; i++) {
    build b = build_begin(1, 1);
    build_body(&b, "one", i == 2 ? 1.0000001 : 1.0, 0, 0, 0);
    build_joint_at(&b, "pin", "revolute", HK_GROUND, 0, 0, 0, 0, 1);
    build_force(&b, "s", "spring_damper", HK_GROUND, 0, (double[]){0, 0, 1}, (double[]){0, 0, 0});
    hk_model *m = build_compile(&b);
    h[i] = m->hash;
    build_end(&b, m);
  }
  ck_assert(h[0] == h[1]);
  ck_assert(h[0] != h[2]);
}
END_TEST

Suite *suite_closures(void);
Suite *suite_closures(void) {
  Suite *s = suite_create("closures");
  TCase *t = tcase_create("closures");
  tcase_add_test(t, rows_in_the_plane);
  tcase_add_test(t, dropped_rows);
  tcase_add_test(t, refused_in_the_plane);
  tcase_add_test(t, motions);
  tcase_add_test(t, bad_motions);
  tcase_add_test(t, locks);
  tcase_add_test(t, bad_events);
  tcase_add_loop_test(t, paths, 0, 20);
  tcase_add_test(t, inputs);
  tcase_add_test(t, breaks);
  tcase_add_test(t, hash);
  suite_add_tcase(s, t);
  return s;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * joints.c: internal joints against what they stand for. For every type, forwards and reversed, in
 * space and in the plane: with random tree coordinates the markers of the joint stand as its own
 * equations say (loop rows zero), and the user's scalar coordinates, had through hk_scalar, are
 * those that the joint measures between its markers.
 */
#include <stdlib.h>

#include "build.h"
#include "geometry/geometry.h"
#include "runner.h"

static double random_pm(unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / (double)(1u << 23) - 1.0;
}

/* frames of all bodies at q */
static void forward(const hk_model *m, const double *q, hk_frame *F) {
  for (int32_t i = 0; i < m->nb; i++) {
    const hk_model_body *b = &m->bodies[i];
    hk_frame ground = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}}, A, B;
    hk_joint_tree t;
    hk_offset o;
    hki_frame_marker(&A, b->parent < 0 ? &ground : &F[b->parent], &b->on_parent);
    b->ops->tree(b->par, q + b->q0, NULL, &t);
    memcpy(o.R, t.R, sizeof o.R);
    v3_copy(o.p, t.p);
    hki_frame_marker(&B, &A, &o);
    hki_frame_marker(&F[i], &B, &b->child_inv);
  }
}

static void marker_frame(const hk_frame *F, int32_t body, const hk_offset *o, hk_frame *out) {
  hk_frame ground = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  hki_frame_marker(out, body < 0 ? &ground : &F[body], o);
}

/* two bodies; body 0 hangs on the ground by a ball (a pin in the plane), joint 1 of the type under
 * test leads to body 1, written one way or the other */
static void draw_two(build *b, const hk_joint_ops *ops, bool reversed, int plane) {
  static const double skew[3] = {0.3, -0.5, 0.8}, at[3] = {0.4, 0.1, -0.2};
  double axis[3] = {skew[0], skew[1], skew[2]};
  double n[3] = {0, 0, 1};
  *b = build_begin(2, 2);
  if (plane) {
    b->spec->planar = true;
    v3_set(n, 0.6, 0.0, 0.8);
    v3_copy(b->spec->normal, n);
    v3_zero(b->spec->gravity);
    // axis along the normal, or across it
    v3_copy(axis, n);
    if (plane == 2) v3_set(axis, -0.8, 0.0, 0.6);
  }
  build_body(b, "one", 1, 0.1, 0.2, 0.3);
  build_body(b, "two", 1, 0.9, -0.3, -0.5);
  build_joint(b, "base", plane ? "revolute" : "spherical", HK_GROUND, 0, (double[]){0, 0, 0}, n);
  int32_t j = build_joint(b, "j", ops->name, reversed ? 1 : 0, reversed ? 0 : 1, at, axis);
  hk_spec_joint *s = &b->spec->joints[j];
  build_numbers(b, j, 0.13, 1.1, 0);
  for (int k = 0; k < 6; k++) s->zero[k] = 0.25 * (k + 1);
}

static hk_model *two(build *b, const hk_joint_ops *ops, bool reversed, int plane) {
  draw_two(b, ops, reversed, plane);
  return build_compile(b);
}

static void check_joint(const hk_joint_ops *ops, bool reversed, int plane) {
  const char *type = ops->name;
  build b;
  hk_model *m = two(&b, ops, reversed, plane);
  const hk_model_joint *j = &m->joints[1];
  const hk_spec_joint *s = &m->spec->joints[1];
  const hk_model_body *mb = &m->bodies[1];
  double q[16], d[16];
  hk_frame F[2], A, B;
  unsigned seed = 7;
  if (reversed && !ops->inverse.own) {
    // not its own inverse: cut, all rows there, and the body behind it moves by itself
    ck_assert_int_eq(j->body, HK_NONE);
    ck_assert_int_eq(m->closures[j->closure].nrows, m->spec->planar ? 1 : ops->nc);
    ck_assert_int_eq(mb->joint, HK_NONE);
    build_end(&b, m);
    return;
  }
  ck_assert_int_eq(j->body, 1);
  ck_assert_int_eq(mb->reversed, reversed);
  for (int trial = 0; trial < 20; trial++) {
    // a random place on the tree, the first one as drawn
    for (int32_t k = 0; k < m->nv; k++) d[k] = trial ? random_pm(&seed) : 0.0;
    for (int32_t i = 0; i < m->nb; i++)
      m->bodies[i].ops->plus(m->q_draw + m->bodies[i].q0, d + m->bodies[i].v0, q + m->bodies[i].q0);
    forward(m, q, F);
    marker_frame(F, j->mbody[0], &j->marker[0], &A);
    marker_frame(F, j->mbody[1], &j->marker[1], &B);
    // the joint's own equations hold
    hk_joint_loop loop;
    int32_t rows = hki_joint_rows(s->ops, s->par);
    s->ops->loop(s->par, &A, &B, HK_LOOP_POS, &loop);
    for (int32_t r = 0; r < rows; r++)
      ck_assert_msg(fabs(loop.phi[r]) < 1e-12, "%s %d %d: row %d is %g", type, reversed, plane,
                    (int)r, loop.phi[r]);
    // coordinates as the user sees them
    for (int32_t k = 0; k < s->ops->ns; k++) {
      const hk_scalar *c = &m->scalars[j->scalar0 + k];
      hk_joint_coord out;
      s->ops->coord(s->par, k, &A, &B, 0.0, &out);
      double value = c->qi >= 0 ? c->sign * q[c->qi] + c->zero : out.s + c->zero;
      ck_assert_msg(fabs(value - (out.s + s->zero[k])) < 1e-12, "%s %d %d: scalar %d is %g not %g",
                    type, reversed, plane, (int)k, value, out.s + s->zero[k]);
      ck_assert_int_eq(c->turn >= 0, c->qi < 0);
    }
  }
  build_end(&b, m);
}

/* every type with coordinates, both ways round */
START_TEST(in_space) {
  for (int32_t i = 0; i < hki_joint_count(); i++)
    for (int reversed = 0; hki_joint_at(i)->nv >= 0 && reversed < 2; reversed++)
      check_joint(hki_joint_at(i), reversed, 0);
}
END_TEST

/* ... and with its axis along the normal of the plane, and across it, where it may be so */
START_TEST(in_plane) {
  for (int32_t i = 0; i < hki_joint_count(); i++) {
    const hk_joint_ops *ops = hki_joint_at(i);
    for (int32_t k = 0; k < 4 && ops->nv >= 0; k++) {
      bool may = k / 2 ? ops->plane.across != 0 : ops->plane.along != 0;
      if (may || ops->plane.rule == HK_PLANE_TURNED) {
        check_joint(ops, k % 2, 1 + k / 2);
      } else {
        build b;
        draw_two(&b, ops, k % 2, 1 + k / 2);
        build_refuse(&b, ops->plane.words);
      }
    }
  }
}
END_TEST

START_TEST(direct_scalars) {
  // which coordinates are had without measuring
  static const struct {
    const char *type;
    bool reversed;
    int direct;
  } cases[] = {{"revolute", false, 1},  {"revolute", true, 1},  {"cylindrical", true, 2},
               {"universal", false, 2}, {"universal", true, 2}, {"planar", false, 3},
               {"planar", true, 1},     {"free", false, 3},     {"free", true, 0}};
  for (int i = 0; i < HK_ARRAY_LEN(cases); i++) {
    build b;
    hk_model *m = two(&b, hki_joint_find(cases[i].type), cases[i].reversed, 0);
    int direct = 0;
    for (int32_t k = 0; k < m->ns; k++) direct += m->scalars[k].joint == 1 && m->scalars[k].qi >= 0;
    ck_assert_int_eq(direct, cases[i].direct);
    build_end(&b, m);
  }
}
END_TEST

START_TEST(drawn_apart) {
  // a slider drawn 0.3 m along its axis: coordinates still count from the drawing
  build b = build_begin(1, 1);
  build_body(&b, "slider", 1, 0, 0, 1);
  build_joint_at(&b, "slide", "prismatic", HK_GROUND, 0, 0, 0, 0, 2);
  b.spec->joints[0].marker[1].p[2] = 0.3;
  b.spec->joints[0].zero[0] = 2.0;
  hk_model *m = build_compile(&b);
  ck_assert_double_eq_tol(m->q_draw[0], 0.3, 1e-15);
  const hk_scalar *c = &m->scalars[0];
  ck_assert_double_eq_tol(c->sign * m->q_draw[0] + c->zero, 2.0, 1e-15);
  build_end(&b, m);
}
END_TEST

START_TEST(massless) {
  // a massless body between a revolute and a ball: its frame sits at the joint that leads to it
  build b = build_begin(2, 3);
  int32_t rod = build_massless(&b, "rod"), mass = build_body(&b, "mass", 1, 1, 0, 0);
  build_joint_at(&b, "pin", "revolute", HK_GROUND, rod, 0.2, 0, 0, 1);
  build_joint_at(&b, "ball", "spherical", rod, mass, 0.8, 0, 0, 1);
  hk_model *m = build_compile(&b);
  const hk_model_body *r = &m->bodies[m->body_of_spec[rod]];
  ck_assert_double_eq(r->com0[0], 0.2);
  ck_assert(r->massless && !r->spin_removed);
  ck_assert_double_eq(r->J[0], 0.0);
  build_end(&b, m);
}
END_TEST

/* ground - ball - rod - ball - mass on a slider */
static build rod_between_balls(void) {
  build b = build_begin(2, 3);
  build_massless(&b, "rod");
  build_body(&b, "mass", 4, 1, 2, 2);
  build_joint_at(&b, "slide", "prismatic", HK_GROUND, 1, 1, 2, 2, 2);
  build_joint_at(&b, "low", "spherical", HK_GROUND, 0, 0, 0, 0, 1);
  build_joint_at(&b, "high", "spherical", 0, 1, 1, 2, 2, 1);
  return b;
}

START_TEST(spin_of_a_rod) {
  build b = rod_between_balls();
  hk_model *m = build_compile(&b);
  const hk_model_body *r = &m->bodies[m->body_of_spec[0]];
  static const double u[3] = {1, 2, 2};
  ck_assert(r->spin_removed && r->massless);
  // about the line: tiny; across it: nothing
  double Ju[3];
  m3_mulv(Ju, r->J, u);
  ck_assert_double_eq_tol(v3_dot(u, Ju) / 9.0, 1e-6 * 4.0 * 9.0, 1e-18);
  m3_mulv(Ju, r->J, (double[]){2, -2, 1});
  ck_assert_double_lt(v3_norm(Ju), 1e-20);
  ck_assert_int_eq(hk_ctx_message_count(b.ctx), 1);
  ck_assert_ptr_nonnull(strstr(hk_ctx_message(b.ctx, 0)->text, "spin"));
  build_end(&b, m);
  // a spring through a ball changes nothing, one beside the line does
  for (int off = 0; off < 2; off++) {
    b = rod_between_balls();
    build_force(&b, "spring", "spring_damper", HK_GROUND, 0, (double[]){0, 0, 5},
                (double[]){0.5, 1, off ? 1.1 : 1.0});
    m = build_compile(&b);
    ck_assert_int_eq(m->bodies[m->body_of_spec[0]].spin_removed, !off);
    build_end(&b, m);
  }
}
END_TEST

Suite *suite_joints(void);
Suite *suite_joints(void) {
  Suite *s = suite_create("model joints");
  TCase *t = tcase_create("joints");
  tcase_add_test(t, in_space);
  tcase_add_test(t, in_plane);
  tcase_add_test(t, direct_scalars);
  tcase_add_test(t, drawn_apart);
  tcase_add_test(t, massless);
  tcase_add_test(t, spin_of_a_rod);
  suite_add_tcase(s, t);
  return s;
}

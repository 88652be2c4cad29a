/* SPDX-License-Identifier: Apache-2.0
 *
 * mirror.c: a mirrored and rotated instance of a component is its mirror image. The same component
 * is placed twice, as drawn and with x -> p + S x, det S = -1; then every joint with the start
 * values of the component, and every force at an arbitrary state, must move and push as the image
 * of the other: displacements and forces as S v, angular velocities and torques as -S w, rotations
 * as S Q S', tensors as S J S'.
 */
#define _DEFAULT_SOURCE
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "joint_keys.h"
#include "formats/mesh.h"
#include "language/model_reader.h"

static const char text[] =
    "hooke: 1\n"
    "components:\n"
    "  c:\n"
    "    frames: {f: {at: [0.1, 0.2, 0.3], rotate: {euler: zyx, angles: [0.3, -0.4, 0.5]}}}\n"
    "    points: {A: [0.5, 0.7, -0.2], B: {in: f, at: [1, 2, 3]}}\n"
    "    bodies:\n"
    "      a: {mass: 1, com: A, inertia: {xx: 2, yy: 3, zz: 4, xy: 0.1, xz: 0.2, yz: 0.3}}\n"
    "      b: {mass: 1, com: B, inertia: {diagonal: [2, 3, 4], axes: f}, frame: f}\n"
    "    markers: {m: {on: a, at: B, axes: f}}\n"
    "    joints:\n"
    "      fixed: {type: fixed, between: [a, b]}\n"
    "      revolute: {type: revolute, between: [a, b], at: B, axis: [1, 2, 3]}\n"
    "      prismatic: {type: prismatic, between: [a, b], at: B, axis: [1, 2, 3]}\n"
    "      cylindrical: {type: cylindrical, between: [a, b], at: B, axis: f.x}\n"
    "      screw: {type: screw, between: [a, b], at: B, axis: [A, B], lead: 0.3}\n"
    "      universal: {type: universal, between: [a, b], at: B, axis: [1, 1, 0], axis2: [0, 1, "
    "3]}\n"
    "      spherical: {type: spherical, between: [a, b], at: B}\n"
    "      planar: {type: planar, between: [a, b], at: B, normal: [1, 2, 3]}\n"
    "      free: {type: free, between: [a, b], at: B}\n"
    "    forces:\n"
    "      spring: {type: spring_damper, between: [a, b], ends: [A, B], stiffness: 9, damping: 2}\n"
    "      leaf: {type: spring_damper, between: [a, b], ends: [A, B], along: [1, 0, 2],\n"
    "             length: 0.1, spring: {polynomial: [1, 2, 3]}, damping: 2}\n"
    "      force: {type: force, on: a, at: B, value: [1, 2, 3], reaction_on: b}\n"
    "      force_f: {type: force, on: a, at: B, value: [1, 2, 3], axes: f}\n"
    "      force_b: {type: force, on: b, at: B, value: [1, 2, 3], axes: body}\n"
    "      torque: {type: torque, on: a, value: [1, 2, 3]}\n"
    "      torque_f: {type: torque, on: a, value: [1, 2, 3], axes: f, reaction_on: b}\n"
    "      torque_b: {type: torque, on: a, value: [1, 2, 3], axes: body}\n"
    "      bush: {type: bushing, between: [a, b], at: B, axes: f, stiffness:\n"
    "             [[9, 1, 2, 0.5, 0, 0.3], [1, 8, 0.5, 0, 0.2, 0], [2, 0.5, 7, 0, 0, 0.1],\n"
    "              [0.5, 0, 0, 6, 1, 0], [0, 0.2, 0, 1, 5, 0.5], [0.3, 0, 0.1, 0, 0.5, 4]],\n"
    "             damping: [1, 2, 3, 4, 5, 6]}\n"
    "      laws: {type: bushing, between: [a, b], at: B, damping: [1, 2, 3, 4, 5, 6], spring:\n"
    "             {x: {polynomial: [1, 2, 3]}, y: {expression: \"exp(s) + s*sdot\"},\n"
    "              z: {piecewise: [{below: 0.01, linear: 3}, {polynomial: [-0.02, 5]}]},\n"
    "              rx: {table: [[-1, -3], [0, 1], [2, 4]]}, rz: \"s^2 + s\"}}\n"
    "      turn: {type: joint_spring, joint: cylindrical.angle, spring: {polynomial: [1, 2, 3]},\n"
    "             damping: 2, zero: 0.1}\n"
    "      slide: {type: joint_spring, joint: cylindrical.position, zero: 0.1,\n"
    "              spring: {polynomial: [1, 2, 3]}, damper: {expression: \"sdot + sdot^2\"}}\n"
    "      push: {type: joint_force, joint: cylindrical, value: 3}\n"
    "      wind: {type: joint_torque, joint: cylindrical, value: 3}\n"
    "    start:\n"
    "      revolute: {angle: 0.3, rate: 0.5}\n"
    "      prismatic: {position: 0.3, velocity: 0.5}\n"
    "      cylindrical: {angle: 0.3, position: -0.2, rate: 0.5, velocity: 0.7}\n"
    "      screw: {angle: 0.3, rate: 0.5}\n"
    "      universal: {angles: [0.3, 0.4], rates: [0.5, -0.6]}\n"
    "      spherical: {orientation: {axis: [1, 2, 0], angle: 0.7}, angular_velocity: [1, 2, 3]}\n"
    "      planar: {position: [0.3, -0.4], angle: 0.5, velocity: [1, 2], rate: 3}\n"
    "      free: {position: [0.1, 0.2, 0.3], orientation: [0.5, 0.5, -0.5, 0.5],\n"
    "             velocity: [1, 2, 3], angular_velocity: [3, 2, 1]}\n"
    "      a: {position: [1, 2, 3], orientation: {axis: [1, 2, 0], angle: 0.7},\n"
    "          velocity: [1, 2, 3], angular_velocity: [3, 2, 1]}\n"
    "      b: {orientation: {axis: [1, 2, 0], angle: 0.7}}\n"
    "instances:\n"
    "  p: {component: c}\n"
    "  q: {component: c, mirror: %s, at: [3, 4, 5], rotate: {axis: [1, 2, 2], angle: 0.8}}\n";

static hk_ctx *ctx;
static hk_spec *spec;
static double S[9], P[3], det;

static void setup_mirror(const char *mirror, double mx, double my, double mz) {
  char buf[8000];
  double R[9], axis[3] = {1.0 / 3, 2.0 / 3, 2.0 / 3}, M[3] = {mx, my, mz};
  ctx = hk_ctx_create();
  int n = snprintf(buf, sizeof buf, text, mirror);
  spec = hki_model_read_text(ctx, "mirror.yaml", buf, (size_t)n, NULL, 0);
  if (!spec) ck_abort_msg("%s", hk_ctx_message(ctx, 0)->text);
  rot_axis(R, axis, 0.8);
  for (int i = 0; i < 9; i++) S[i] = R[i] * M[i % 3];
  v3_set(P, 3, 4, 5);
  det = mx * my * mz;
}

static void teardown(void) {
  hki_spec_destroy(spec);
  hk_ctx_destroy(ctx);
}

/* --- images ----------------------------------------------------------------------------------- */

static void image(double sign, const double *v, double *out) {
  m3_mulv(out, S, v);
  v3_scale(out, sign, out);
}

static void near(const char *what, const double *a, const double *b, int n, double tol) {
  for (int i = 0; i < n; i++) {
    ck_assert_msg(fabs(a[i] - b[i]) < tol, "%s[%d]: %.12g, expected %.12g", what, i, a[i], b[i]);
  }
}

static int32_t find(const hk_names *names, const char *prefix, const char *name) {
  char full[100];
  snprintf(full, sizeof full, "%s%s", prefix, name);
  int32_t i = hki_names_find(names, full);
  ck_assert_msg(i >= 0, "no %s", full);
  return i;
}

static const hk_spec_start *start_of(int32_t joint, int32_t body) {
  for (int32_t i = 0; i < spec->nstarts; i++) {
    if (spec->starts[i].joint == joint && spec->starts[i].body == body) return &spec->starts[i];
  }
  return NULL;
}

/* the local name, when the item belongs to the instance that is as drawn */
static const char *local(const char *name) { return strncmp(name, "p.", 2) == 0 ? name + 2 : NULL; }

/* --- joints ----------------------------------------------------------------------------------- */

/* rotation, displacement, angular velocity and velocity of B against A at the start, world axes */
typedef struct motion {
  double R[9], d[3], w[3], v[3];
} motion;

static void start_motion(int32_t i, motion *m) {
  const hk_spec_joint *j = &spec->joints[i];
  const hk_spec_start *st = start_of(i, HK_NONE);
  const double *A = j->marker[0].R;
  double q[7] = {0}, v[6] = {0}, T[9], w[3] = {0}, u[3] = {0};
  hk_joint_tree out;
  memset(&out, 0, sizeof out);
  memcpy(q, st ? st->q : q, 6 * sizeof *q);
  memcpy(v, st ? st->v : v, 6 * sizeof *v);
  bool quat = (j->ops->caps & HK_JOINT_QUATERNION) != 0;
  if (quat) {
    int32_t at = j->ops->nq - 4;
    if (at) v3_copy(q, st->position);
    memcpy(q + at, st->orientation, 4 * sizeof *q);
  }
  j->ops->tree(j->par, q, v, &out);
  m3_mul(T, A, out.R);
  m3_mult(m->R, T, A);
  m3_mulv(m->d, A, out.p);
  for (int k = 0; !quat && k < j->ops->nv; k++) {
    v3_axpy(w, v[k], out.S + 6 * k);
    v3_axpy(u, v[k], out.S + 6 * k + 3);
  }
  m3_mulv(m->w, A, quat ? st->angular_velocity : w);
  m3_mulv(m->v, A, quat ? st->velocity : u);
}

static void check_joints(void) {
  int n = 0;
  for (int32_t i = 0; i < spec->njoints; i++) {
    const char *name = local(spec->joints[i].name);
    if (!name) continue;
    int32_t k = find(spec->joint_names, "q.", name);
    motion a, b;
    double x[9], T[9];
    image(1.0, spec->joints[i].marker[0].p, x);
    v3_add(x, x, P);
    near(name, spec->joints[k].marker[0].p, x, 3, 1e-12);
    ck_assert_double_eq_tol(m3_det(spec->joints[k].marker[0].R), 1.0, 1e-12);
    start_motion(i, &a);
    start_motion(k, &b);

    /* equal values; only the position of a cylindrical joint must change its sign */
    const hk_spec_start *sp = start_of(i, HK_NONE), *sq = start_of(k, HK_NONE);
    if (sp && strcmp(name, "cylindrical") != 0 && strcmp(name, "free") != 0) {
      near(name, sq->q, sp->q, 6, 1e-15);
      near(name, sq->v, sp->v, 6, 1e-15);
      near(name, sq->orientation, sp->orientation, 4, 1e-15);
      near(name, sq->angular_velocity, sp->angular_velocity, 3, 1e-15);
    }
    m3_mul(T, S, a.R);
    m3_mult(x, T, S);
    near(name, b.R, x, 9, 1e-12);
    image(1.0, a.d, x);
    near(name, b.d, x, 3, 1e-12);
    image(det, a.w, x);
    near(name, b.w, x, 3, 1e-12);
    image(1.0, a.v, x);
    near(name, b.v, x, 3, 1e-12);
    n++;
  }
  ck_assert_int_eq(n, 9);
}

/* turning axes are pseudo-vectors, sliding ones vectors; a lead changes sign */
static void check_axes(void) {
  static const struct {
    const char *name;
    bool slides;
  } list[] = {{"revolute", false}, {"cylindrical", false}, {"screw", false}, {"prismatic", true}};
  for (int32_t i = 0; i < HK_ARRAY_LEN(list); i++) {
    double a[3], b[3], x[3];
    const hk_spec_joint *p = &spec->joints[find(spec->joint_names, "p.", list[i].name)];
    const hk_spec_joint *q = &spec->joints[find(spec->joint_names, "q.", list[i].name)];
    m3_column(a, p->marker[0].R, 2);
    m3_column(b, q->marker[0].R, 2);
    image(list[i].slides ? 1.0 : det, a, x);
    near(list[i].name, b, x, 3, 1e-12);
    ck_assert_double_eq_tol(joint_get(q->ops, q->par, "lead"),
                            det * joint_get(p->ops, p->par, "lead"), 1e-15);
  }
}

/* --- bodies ----------------------------------------------------------------------------------- */

static void check_bodies(void) {
  for (int i = 0; i < 2; i++) {
    const char *name = i ? "b" : "a";
    int32_t ip = find(spec->body_names, "p.", name), iq = find(spec->body_names, "q.", name);
    const hk_spec_body *p = &spec->bodies[ip], *q = &spec->bodies[iq];
    double x[9], T[9], Q[9], F[9];
    image(1.0, p->com, x);
    v3_add(x, x, P);
    near("com", q->com, x, 3, 1e-12);
    m3_congruence(x, S, p->J);
    near("J", q->J, x, 9, 1e-12);

    /* rotation from the drawing to the start */
    const hk_spec_start *a = start_of(HK_NONE, ip), *b = start_of(HK_NONE, iq);
    double I[9];
    m3_identity(I);
    quat_to_rot(Q, a->orientation);
    m3_mult(T, Q, p->has_frame ? p->frame.R : I);
    m3_congruence(x, S, T);
    quat_to_rot(Q, b->orientation);
    m3_mult(F, Q, q->has_frame ? q->frame.R : I);
    near("orientation", F, x, 9, 1e-12);
    if (i) continue;
    image(1.0, a->position, x);
    v3_add(x, x, P);
    near("position", b->position, x, 3, 1e-12);
    image(1.0, a->velocity, x);
    near("velocity", b->velocity, x, 3, 1e-12);
    image(det, a->angular_velocity, x);
    near("angular_velocity", b->angular_velocity, x, 3, 1e-12);
  }
  ck_assert_double_eq_tol(m3_det(spec->markers[find(spec->marker_names, "q.", "m")].at.R), 1,
                          1e-12);
}

/* --- forces ----------------------------------------------------------------------------------- */

/* the drawn marker moved by a rotation d and a displacement p, with velocities */
static void move(const hk_offset *m, const double *state, hk_frame *f) {
  double Q[9];
  rot_exp(Q, state);
  m3_mul(f->R, Q, m->R);
  v3_add(f->p, m->p, state + 3);
  v3_copy(f->w, state + 6);
  v3_copy(f->v, state + 9);
}

static void check_force(int32_t ip, int32_t iq, const char *name) {
  static const double state[2][12] = {
      {0.1, -0.2, 0.15, 0.02, 0.03, -0.05, 0.3, 0.5, -0.4, 0.2, 0.1, -0.7},
      {-0.05, 0.1, 0.2, -0.04, 0.06, 0.01, -0.2, 0.4, 0.6, -0.1, 0.8, 0.5}};
  const hk_spec_force *p = &spec->forces[ip], *q = &spec->forces[iq];
  hk_frame fp[2], fq[2];
  hk_element_out op, oq;
  double mirrored[12], d[4] = {0}, x[3];
  memset(&op, 0, sizeof op);
  memset(&oq, 0, sizeof oq);
  for (int k = 0; k < 2; k++) {
    move(&p->marker[k], state[k], &fp[k]);
    image(det, state[k], mirrored);
    image(1.0, state[k] + 3, mirrored + 3);
    image(det, state[k] + 6, mirrored + 6);
    image(1.0, state[k] + 9, mirrored + 9);
    move(&q->marker[k], mirrored, &fq[k]);
  }
  uint32_t need = HK_NEED_FORCE | HK_NEED_ENERGY;
  hk_element_in inp = {.m = fp, .u = p->u, .d = d}, inq = {.m = fq, .u = q->u, .d = d};
  double sign = 1.0;
  if (p->ops->nscal) {
    /* the coordinate that changes sign is the cylindrical joint's position */
    sign = p->coord == 1 ? det : 1.0;
    inp.s = 0.3, inp.sd = -0.4;
    inq.s = sign * inp.s, inq.sd = sign * inp.sd;
  }
  p->ops->eval(p->par, &inp, need, &op);
  q->ops->eval(q->par, &inq, need, &oq);
  for (int k = 0; k < p->ops->nmark; k++) {
    image(det, op.w + 6 * k, x);
    near(name, oq.w + 6 * k, x, 3, 1e-11);
    image(1.0, op.w + 6 * k + 3, x);
    near(name, oq.w + 6 * k + 3, x, 3, 1e-11);
  }
  ck_assert_double_eq_tol(oq.tau, sign * op.tau, 1e-12);
  ck_assert_double_eq_tol(oq.dissipated, op.dissipated, 1e-11);
  ck_assert_double_eq_tol(oq.supplied, op.supplied, 1e-11);
}

static void check_forces(void) {
  int n = 0;
  for (int32_t i = 0; i < spec->nforces; i++) {
    const char *name = local(spec->forces[i].name);
    if (!name) continue;
    check_force(i, find(spec->force_names, "q.", name), name);
    n++;
  }
  ck_assert_int_eq(n, 14);
}

START_TEST(placed) {
  static const struct {
    const char *mirror;
    double m[3];
  } cases[] = {{"none", {1, 1, 1}}, {"x", {-1, 1, 1}},       {"y", {1, -1, 1}},
               {"z", {1, 1, -1}},   {"[x, y]", {-1, -1, 1}}, {"xyz", {-1, -1, -1}}};
  setup_mirror(cases[_i].mirror, cases[_i].m[0], cases[_i].m[1], cases[_i].m[2]);
  check_joints();
  check_axes();
  check_bodies();
  check_forces();
  teardown();
}
END_TEST

/* an expression changes sign with its component; a named signal is left alone */
START_TEST(dynamic_values) {
  static const char model[] =
      "hooke: 1\n"
      "signals: {s: \"2*t\"}\n"
      "components:\n"
      "  c:\n"
      "    bodies: {a: {mass: 1, com: [0, 0, 0]}}\n"
      "    joints: {j: {type: cylindrical, between: [ground, a], at: [0, 0, 0], axis: z,\n"
      "                 motion: {angle: s, position: s}}}\n"
      "    forces: {f: {type: force, on: a, value: [s, s, \"t\"]}}\n"
      "instances: {q: {component: c, mirror: y}}\n";
  ctx = hk_ctx_create();
  spec = hki_model_read_text(ctx, "m.yaml", model, sizeof model - 1, NULL, 0);
  ck_assert_ptr_nonnull(spec);
  const hk_spec_force *f = &spec->forces[0];
  const hk_spec_joint *j = &spec->joints[0];
  int32_t s = hki_names_find(spec->signal_names, "s");
  ck_assert_int_eq(f->u_signal[0], s);
  ck_assert_int_ne(f->u_signal[1], s);
  ck_assert_int_eq(j->motion[0], s);
  ck_assert_int_ne(j->motion[1], s);

  /* minus the signal, and it comes after what it reads */
  for (int k = 0; k < 2; k++) {
    int32_t i = k ? f->u_signal[1] : j->motion[1];
    const hk_spec_signal *minus = &spec->signals[i];
    double in = 7.0;
    ck_assert_int_eq(minus->nreads, 1);
    ck_assert_int_eq(minus->reads[0].signal, s);
    ck_assert_int_lt(s, i);
    ck_assert_double_eq(hki_expr_eval(minus->expr, &in), -7.0);
  }
  teardown();
}
END_TEST

/* the mesh of a mirrored instance is its image, and its triangles still look outwards: the normal
 * of a triangle is a pseudo-vector, n -> det(S) S n, and outwards again when it is turned round */
START_TEST(meshes) {
  static const char obj[] = "v 0.1 0.2 0.3\nv 1 0.5 0\nv 0 2 0.7\nv 0.3 0.1 3\nf 1 2 3\nf 2 3 4\n";
  char path[] = "/tmp/hooke-mirror-XXXXXX.obj", model[1000];
  int fd = mkstemps(path, 4);
  ck_assert_int_ge(fd, 0);
  ck_assert_int_eq((int)write(fd, obj, sizeof obj - 1), (int)sizeof obj - 1);
  close(fd);
  int n = snprintf(
      model, sizeof model,
      "hooke: 1\ncomponents:\n  c:\n    bodies: {a: {mass: 1, com: [0, 0, 0], shape: {mesh: %s, "
      "scale: 0.5, at: [1, 2, 3], rotate: {axis: [1, 1, 0], angle: 0.4}}}}\ninstances:\n  p: "
      "{component: c}\n"
      "  q: {component: c, mirror: y, at: [3, 4, 5], rotate: {axis: [1, 2, 2], angle: 0.8}}\n",
      path);
  setup_mirror("y", 1, -1, 1);
  teardown();
  ctx = hk_ctx_create();
  spec = hki_model_read_text(ctx, "m.yaml", model, (size_t)n, NULL, 0);
  ck_assert_ptr_nonnull(spec);
  ck_assert_int_eq(spec->nshapes, 2);
  const hk_spec_shape *p = &spec->shapes[0], *q = &spec->shapes[1];
  const hk_mesh *mp = p->mesh, *mq = q->mesh;
  ck_assert_float_eq(mp->points[3], 0.5F); // half of the file's
  for (int32_t i = 0; i < mp->npoints; i++) {
    double x[3], y[3], z[3], there[3];
    for (int k = 0; k < 3; k++)
      x[k] = (double)mp->points[3 * i + k], y[k] = (double)mq->points[3 * i + k];
    m3_mulv(z, p->at.R, x);
    v3_add(z, z, p->at.p);
    m3_mulv(there, S, z);
    v3_add(there, there, P);
    m3_mulv(z, q->at.R, y);
    v3_add(z, z, q->at.p);
    near("point", z, there, 3, 1e-6);
  }
  for (int32_t i = 0; i < mp->nfaces; i++) {
    const int32_t *a = mp->faces + 3 * i, *b = mq->faces + 3 * i;
    ck_assert_int_eq(a[0], b[0]);
    ck_assert_int_eq(a[1], b[2]);
    ck_assert_int_eq(a[2], b[1]);
  }
  teardown();
  remove(path);
}
END_TEST

Suite *suite_mirror(void) {
  Suite *s = suite_create("mirror");
  TCase *c = tcase_create("mirror");
  tcase_add_loop_test(c, placed, 0, 6);
  tcase_add_test(c, dynamic_values);
  tcase_add_test(c, meshes);
  suite_add_tcase(s, c);
  return s;
}

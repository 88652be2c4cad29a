/* SPDX-License-Identifier: Apache-2.0
 *
 * reactions.c: reactions against closed forms, Newton's law in Cartesian coordinates, power and
 * momentum balances; and what must not matter: where loops are cut, which body is first.
 */
#include <stdlib.h>

#include "support.h"
#include "analyses/reactions.h"

/* a rig with everything that eval gives */
typedef struct seen {
  rig r;
  hk_reactions *re;
  double *w, *drive;
  uint8_t *unique;
} seen;

/* eval at the rig's q, v with the accelerations of the equations of motion */
static seen look(build *b) {
  seen x = {.r = rig_make(b)};
  ck_assert_int_eq(hki_reactions_create(x.r.b.ctx, x.r.m, &x.re), HK_OK);
  x.w = calloc((size_t)(6 * x.r.m->nj) + 1, sizeof(double));
  x.drive = calloc((size_t)x.r.m->ns + 1, sizeof(double));
  x.unique = calloc((size_t)(6 * x.r.m->nj) + 1, 1);
  return x;
}

static void eval(seen *x, double t) {
  rig *r = &x->r;
  rig_accelerate(r, t);
  hki_tree_state(r->s, t, r->q, r->v, 0);
  uint64_t before = hk_ctx_allocations(r->b.ctx);
  ck_assert_int_eq(hki_reactions_eval(x->re, r->s, r->a, x->w, x->drive, x->unique), HK_OK);
  ck_assert_uint_eq(hk_ctx_allocations(r->b.ctx), before);
  // the multipliers belong to it: M a + Phi_z' lam = Q
  double *res = calloc((size_t)r->m->nv + 1, sizeof *res), size = 1.0;
  hki_tree_residual(r->s, r->a, res);
  for (int32_t i = 0; i < r->m->nv; i++) size = fmax(size, fabs(res[i]));
  hki_tree_add_rows(r->s, hki_reactions_multipliers(x->re), res);
  for (int32_t i = 0; i < r->m->nv; i++) ck_assert_double_lt(fabs(res[i]), 2e-9 * size);
  free(res);
}

static void end(seen *x) {
  hki_reactions_destroy(x->re);
  free(x->w);
  free(x->drive);
  free(x->unique);
  rig_free(&x->r);
}

static void expect(const seen *x, int32_t j, const double *w, double tol) {
  double size = 1.0;
  for (int i = 0; i < 6; i++) size = fmax(size, fabs(w[i]));
  for (int i = 0; i < 6; i++)
    ck_assert_msg(fabs(x->w[6 * j + i] - w[i]) <= tol * size,
                  "joint %d, component %d: %.12g, expected %.12g", j, i, x->w[6 * j + i], w[i]);
}

/* --- closed forms ----------------------------------------------------------------------------- */

/* a rod of length 2 c hung at the origin, drawn along x; ground first or second, planar or not */
static build pendulum(bool ground_first, bool planar) {
  build b = build_begin(1, 1);
  v3_set(b.spec->gravity, 0, -9.81, 0);
  v3_set(b.spec->normal, 0, 0, 1);
  b.spec->planar = planar;
  build_rod(&b, "rod", 2.0, 0.0, (double[]){0, 0, 0}, (double[]){1.4, 0, 0});
  build_joint_at(&b, "pin", "revolute", ground_first ? HK_GROUND : 0, ground_first ? 0 : HK_GROUND,
                 0, 0, 0, 2);
  return b;
}

START_TEST(pin) {
  for (int form = 0; form < 4; form++) {
    build b = pendulum(form & 1, form & 2);
    seen x = look(&b);
    double th = -0.4, w = 1.7, m = 2.0, c = 0.7, g = 9.81, sign = form & 1 ? 1.0 : -1.0;
    x.r.q[0] += th;
    x.r.v[0] = w;
    eval(&x, 0.0);
    // a_com = alpha k x r - w^2 r, alpha = -m g c cos th / (4/3 m c^2)
    double al = -g * cos(th) / (4.0 / 3.0 * c), fx = m * c * (-al * sin(th) - w * w * cos(th)),
           fy = m * c * (al * cos(th) - w * w * sin(th)) + m * g;
    expect(&x, 0, (double[]){sign * fx, sign * fy, 0, 0, 0, 0}, 1e-13);
    for (int i = 0; i < 6; i++)
      ck_assert_int_eq(x.unique[i], !(form & 2) || i == 0 || i == 1 || i == 5);
    end(&x);
  }
}
END_TEST

/* a motor on the pendulum: the drive is the torque that inverse dynamics asks for */
START_TEST(motor) {
  for (int form = 0; form < 4; form++) {
    build b = pendulum(form & 1, form & 2);
    b.spec->joints[0].motion[0] = build_signal(&b, "turn", "0.3 + t - t^2");
    seen x = look(&b);
    double m = 2.0, c = 0.7, g = 9.81, sign = form & 1 ? 1.0 : -1.0;
    x.r.q[0] += sign * 0.3;
    rig_close(&x.r, 0.0);
    eval(&x, 0.0);
    // angle of the second body relative to the first
    double th = sign * 0.3, w = sign * 1.0, al = sign * -2.0;
    double torque = 4.0 / 3.0 * m * c * c * al + m * g * c * cos(th);
    double fx = m * c * (-al * sin(th) - w * w * cos(th)),
           fy = m * c * (al * cos(th) - w * w * sin(th)) + m * g;
    ck_near(x.drive[0], sign * torque, 1e-12);
    expect(&x, 0, (double[]){sign * fx, sign * fy, 0, 0, 0, sign * torque}, 1e-12);
    end(&x);
  }
}
END_TEST

/* a chain of welds and hinges at rest in the air: weights add up */
START_TEST(hanging) {
  build b = build_begin(3, 3);
  build_body(&b, "a", 1.0, 0.1, 0, -1);
  build_body(&b, "b", 2.0, 0, 0.2, -2);
  build_body(&b, "c", 4.0, 0, 0, -3);
  build_joint_at(&b, "top", "fixed", HK_GROUND, 0, 0, 0, 0, 2);
  build_joint_at(&b, "middle", "fixed", 1, 0, 0, 0, -1.5, 2);
  build_joint_at(&b, "low", "spherical", 1, 2, 0, 0, -2.5, 2);
  seen x = look(&b);
  eval(&x, 0.0);
  double g = 9.81;
  expect(&x, 0, (double[]){0, 0, 7 * g, 2 * 0.2 * g, -0.1 * g, 0}, 1e-13);
  expect(&x, 1, (double[]){0, 0, -6 * g, -2 * 0.2 * g, 0, 0}, 1e-13);
  expect(&x, 2, (double[]){0, 0, 4 * g, 0, 0, 0}, 1e-13);
  end(&x);
}
END_TEST

/* --- Newton's law in Cartesian coordinates ---------------------------------------------------- */

/* solve A x = b in place by elimination with pivoting, n at most 20 */
static void gauss(int n, double A[20][21]) {
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(A[i][k]) > fabs(A[p][k])) p = i;
    for (int j = 0; j <= n; j++) {
      double t = A[k][j];
      A[k][j] = A[p][j];
      A[p][j] = t;
    }
    for (int i = 0; i < n; i++) {
      double f = A[i][k] / A[k][k];
      if (i == k) continue;
      for (int j = k; j <= n; j++) A[i][j] -= f * A[k][j];
    }
  }
  for (int i = 0; i < n; i++) A[i][n] /= A[i][i];
}

/* four-bar: 9 accelerations and 8 pin forces from the frames alone */
static void four_bar_forces(const seen *x, double F[4][2]) {
  const hk_model *m = x->r.m;
  const hk_kin *k = &x->r.s->kin;
  double A[20][21] = {{0}};
  for (int i = 0; i < 3; i++) {
    const hk_model_body *mb = &m->bodies[m->body_of_spec[i]];
    A[3 * i][3 * i] = A[3 * i + 1][3 * i + 1] = mb->mass;
    A[3 * i + 2][3 * i + 2] = mb->J[8];
    A[3 * i + 1][17] = -9.81 * mb->mass;
  }
  for (int j = 0; j < 4; j++)
    for (int s = 0; s < 2; s++) {
      int32_t b = x->r.m->joints[j].mbody[s];
      hk_frame P;
      double sign = s ? 1.0 : -1.0, r[3];
      if (b < 0) continue;
      int i = m->bodies[b].spec;
      hki_kin_marker(k, b, &m->joints[j].marker[s], &P);
      v3_sub(r, P.p, k->frame[b].p);
      double w = k->frame[b].w[2];
      // force (F on the second body), moment about the centre of mass
      A[3 * i][9 + 2 * j] -= sign;
      A[3 * i + 1][9 + 2 * j + 1] -= sign;
      A[3 * i + 2][9 + 2 * j] += sign * r[1];
      A[3 * i + 2][9 + 2 * j + 1] -= sign * r[0];
      // acceleration of the pin: a + alpha x r - w^2 r
      A[9 + 2 * j][3 * i] += sign;
      A[9 + 2 * j][3 * i + 2] -= sign * r[1];
      A[9 + 2 * j][17] += sign * w * w * r[0];
      A[9 + 2 * j + 1][3 * i + 1] += sign;
      A[9 + 2 * j + 1][3 * i + 2] += sign * r[0];
      A[9 + 2 * j + 1][17] += sign * w * w * r[1];
    }
  gauss(17, A);
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < 2; i++) F[j][i] = A[9 + 2 * j + i][17];
}

START_TEST(four_bar) {
  for (int form = 0; form < 2; form++)
    for (int32_t cut = 0; cut < 4; cut++) {
      build b = build_four_bar(form == 0, cut);
      build_start_joint(&b, 0)->v_given = 1;
      b.spec->starts[0].v[0] = 3.0;
      seen x = look(&b);
      rig_assemble(&x.r);
      eval(&x, 0.0);
      double F[4][2];
      four_bar_forces(&x, F);
      for (int j = 0; j < 4; j++) expect(&x, j, (double[]){F[j][0], F[j][1], 0, 0, 0, 0}, 1e-10);
      // in space the pins may push against each other across the plane
      for (int j = 0; j < 4; j++) {
        static const uint8_t known[6] = {1, 1, 0, 0, 0, 1};
        for (int i = 0; i < 6; i++) ck_assert_int_eq(x.unique[6 * j + i], known[i]);
      }
      end(&x);
    }
}
END_TEST

/* --- balances --------------------------------------------------------------------------------- */

/* motor of a slider-crank: power = rate of energy, from the energy at neighbouring times */
START_TEST(motor_power) {
  static const char *motion = "0.2 + 5*t + sin(3*t)";
  for (int form = 0; form < 8; form++) {
    build b = build_slider_crank(form & 1, form / 2);
    b.spec->joints[0].motion[0] = build_signal(&b, "turn", motion);
    seen x = look(&b);
    double t = 0.1, h = 1e-4, E[2], rate = 5.0 + 3.0 * cos(3.0 * t);
    for (double at = 0.0; at < t; at += 0.01) rig_close(&x.r, at);
    for (int i = 0; i < 2; i++) {
      double at = t + (i ? h : -h);
      rig_close(&x.r, at);
      hki_tree_state(x.r.s, at, x.r.q, x.r.v, 0);
      hki_kin_energy(&x.r.s->kin);
      E[i] = x.r.s->kin.kinetic + x.r.s->kin.potential;
    }
    rig_close(&x.r, t);
    eval(&x, t);
    ck_near(x.drive[0] * rate, (E[1] - E[0]) / (2.0 * h), 1e-6);
    ck_near(x.w[5], x.drive[0], 1e-9);
    end(&x);
  }
}
END_TEST

/* forces and moments of the ground's joints against the rate of momentum */
static void momentum(const seen *x) {
  const rig *r = &x->r;
  const hk_kin *k = &r->s->kin;
  double *A = calloc((size_t)(6 * r->m->nb) + 1, sizeof *A), f[3] = {0}, n[3] = {0}, size = 1.0;
  hki_kin_accelerations(k, r->a, NULL, A);
  for (int32_t b = 0; b < r->m->nb; b++) {
    double p[6], q[6];
    inertia_mul(p, &k->I[b], A + 6 * b);
    inertia_mul(q, &k->I[b], k->V + 6 * b);
    double t[6];
    s6_cross_force(t, k->V + 6 * b, q);
    for (int i = 0; i < 6; i++) p[i] += t[i] - k->W[6 * b + i];
    s6_wrench_to_origin(p, p, k->O + 3 * b);
    v3_add(n, n, p);
    v3_add(f, f, p + 3);
  }
  for (int32_t j = 0; j < r->m->nj; j++) {
    const hk_model_joint *mj = &r->m->joints[j];
    double sign = mj->mbody[0] < 0 ? -1.0 : mj->mbody[1] < 0 ? 1.0 : 0.0, m[3];
    hk_frame P;
    for (int i = 0; i < 3; i++) size = fmax(size, fabs(x->w[6 * j + i]));
    if (sign == 0.0) continue;
    hki_kin_marker(k, mj->mbody[1], &mj->marker[1], &P);
    v3_cross(m, P.p, x->w + 6 * j);
    v3_axpy(f, sign, x->w + 6 * j);
    v3_axpy(n, sign, m);
    v3_axpy(n, sign, x->w + 6 * j + 3);
  }
  ck_assert_double_lt(v3_norm(f), 1e-9 * size);
  ck_assert_double_lt(v3_norm(n), 1e-9 * size);
  free(A);
}

/* --- where loops are cut ---------------------------------------------------------------------- */

static void moving_bricard(seen *x, int32_t cut) {
  build b = build_bricard(cut);
  build_start_joint(&b, 0)->v_given = 1;
  b.spec->starts[0].v[0] = 1.3;
  *x = look(&b);
  rig_assemble(&x->r);
  eval(x, 0.0);
}

START_TEST(bricard) {
  seen ref;
  moving_bricard(&ref, 0);
  momentum(&ref);
  int32_t loose = 0;
  for (int i = 0; i < 36; i++) loose += !ref.unique[i];
  ck_assert_int_gt(loose, 0);
  for (int32_t cut = 1; cut < 6; cut++) {
    seen x;
    moving_bricard(&x, cut);
    momentum(&x);
    for (int j = 0; j < 6; j++) expect(&x, j, ref.w + 6 * j, 1e-9);
    for (int i = 0; i < 36; i++) ck_assert_int_eq(x.unique[i], ref.unique[i]);
    end(&x);
  }
  end(&ref);
}
END_TEST

/* adding any self-stress of the loop makes the reactions longer: they are the shortest */
START_TEST(shortest) {
  seen x;
  moving_bricard(&x, 5);
  const hk_closure *c = &x.r.m->closures[0];
  ck_assert_int_eq(c->nrows, 5);
  // the self-stress: n with Phi_z' n = 0, by inverse iteration on Phi_z Phi_z'
  double G[5][5], n[5] = {1, 0.7, -0.4, 0.9, 0.3};
  const double *gz = x.r.s->kin.gz;
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 5; j++) {
      G[i][j] = i == j ? 1e-12 : 0.0;
      for (int k = 0; k < 5; k++) G[i][j] += gz[5 * i + k] * gz[5 * j + k];
    }
  for (int pass = 0; pass < 4; pass++) {
    double A[20][21] = {{0}}, s = 0.0;
    for (int i = 0; i < 5; i++) {
      for (int j = 0; j < 5; j++) A[i][j] = G[i][j];
      A[i][5] = n[i];
    }
    gauss(5, A);
    for (int i = 0; i < 5; i++) s += A[i][5] * A[i][5];
    for (int i = 0; i < 5; i++) n[i] = A[i][5] / sqrt(s);
  }
  // its wrench on ground, the same through every joint of the loop
  hk_frame F[2];
  hk_joint_loop L;
  double wg[6] = {0}, L0 = x.r.m->length, dot = 0.0, len = 0.0;
  hki_kin_closure_frames(&x.r.s->kin, c, F);
  c->ops->loop(c->par, &F[0], &F[1], HK_LOOP_JAC, &L);
  for (int i = 0; i < 5; i++) s6_axpy(wg, n[i], L.GB + 6 * c->rows[i]);
  for (int j = 0; j < 6; j++) {
    const hk_model_joint *mj = &x.r.m->joints[j];
    hk_frame P;
    double d[3], w[6];
    hki_kin_marker(&x.r.s->kin, mj->mbody[1], &mj->marker[1], &P);
    v3_sub(d, F[1].p, P.p);
    s6_wrench_to_origin(w, wg, d);
    dot += v3_dot(w + 3, x.w + 6 * j) + v3_dot(w, x.w + 6 * j + 3) / (L0 * L0);
    len += v3_dot(w + 3, w + 3) + v3_dot(w, w) / (L0 * L0);
    // a component is loose exactly where the self-stress has one
    for (int i = 0; i < 3; i++) {
      ck_assert_int_eq(x.unique[6 * j + i], fabs(w[3 + i]) < 1e-6);
      ck_assert_int_eq(x.unique[6 * j + 3 + i], fabs(w[i]) < 1e-6);
    }
  }
  ck_assert_double_lt(fabs(dot) / len, 1e-9);
  end(&x);
}
END_TEST

/* motors, springs and torques on joints, cut or not, in a loop: the same reactions and drives */
START_TEST(loaded_slider_crank) {
  for (int planar = 0; planar < 2; planar++) {
    double ref[24] = {0}, ref_drive = 0.0;
    for (int32_t cut = 0; cut < 4; cut++) {
      build b = build_slider_crank(planar, cut);
      b.spec->joints[3].motion[0] = build_signal(&b, "push", "0.1*sin(4*t)");
      int32_t f = build_joint_force(&b, "torque", "joint_torque", 1, 0);
      b.spec->forces[f].u[0] = 7.0;
      f = build_joint_force(&b, "spring", "joint_spring", 0, 0);
      b.spec->forces[f].u[0] = 30.0;
      b.spec->forces[f].u[1] = 2.0;
      b.spec->forces[f].u[2] = 0.3;
      f = build_joint_force(&b, "push_more", "joint_force", 3, 0);
      b.spec->forces[f].u[0] = -3.0;
      seen x = look(&b);
      rig_close(&x.r, 0.0);
      eval(&x, 0.0);
      // hinges carry no moment about their axis: the elements are not part of the reaction
      for (int j = 0; j < 3; j++) ck_assert_double_lt(fabs(x.w[6 * j + 5]), 1e-9);
      int32_t s = x.r.m->joints[3].scalar0;
      ck_near(x.drive[s], x.w[18], 1e-9);
      if (cut == 0) {
        memcpy(ref, x.w, sizeof ref);
        ref_drive = x.drive[s];
      }
      for (int j = 0; j < 4; j++) expect(&x, j, ref + 6 * j, 1e-9);
      ck_near(x.drive[s], ref_drive, 1e-9);
      end(&x);
    }
  }
}
END_TEST

/* two loops that share a body, hung on a moving arm: groups, and trees in between */
START_TEST(nested) {
  double ref[6 * 12] = {0};
  for (int form = 0; form < 3; form++) {
    build b = build_begin(8, 12);
    v3_set(b.spec->gravity, 0.3, -9.81, 1.0);
    double P[4][3] = {{1, 0, 0}, {1.3, 0.4, 0}, {2.5, 0.9, 0}, {2.2, -0.1, 0}};
    build_rod(&b, "arm", 3.0, 0.1, (double[]){0, 0, 0}, (double[]){2.2, 0, 0});
    for (int i = 0; i < 3; i++)
      build_rod(&b, (const char *[]){"u", "v", "w"}[i], 1.0 + i, 0.1, P[i], P[i + 1]);
    build_joint_at(&b, "base", "universal", HK_GROUND, 0, 0, 0, 0, 2);
    for (int i = 0; i < 4; i++)
      build_joint_at(&b, (const char *[]){"a", "b", "c", "d"}[i], i == 1 ? "spherical" : "revolute",
                     i, i == 3 ? 0 : i + 1, P[i][0], P[i][1], P[i][2], 2);
    build_body(&b, "load", 2.0, 2.0, 1.2, 0.3);
    build_joint_at(&b, "hook", "spherical", 2, 4, 1.9, 0.65, 0, 2);
    if (form) b.spec->joints[form == 1 ? 1 : 4].cut = HK_CUT_ALWAYS;
    seen x = look(&b);
    uint64_t seed = 3;
    // the same motion of the bodies whatever the tree: the arm's rates, the loop at rest on it
    int32_t base = x.r.m->bodies[x.r.m->joints[0].body].v0;
    x.r.v[base] = noise(&seed);
    x.r.v[base + 1] = noise(&seed);
    rig_close(&x.r, 0.0);
    eval(&x, 0.0);
    momentum(&x);
    if (form == 0) memcpy(ref, x.w, sizeof(double) * 6 * (size_t)x.r.m->nj);
    for (int j = 0; j < x.r.m->nj; j++) expect(&x, j, ref + 6 * j, 1e-9);
    end(&x);
  }
}
END_TEST

/* a long chain and a long ladder */
START_TEST(many) {
  int32_t n = 200;
  build b = build_begin(n, n + 1);
  char name[32];
  for (int32_t i = 0; i < n; i++) {
    snprintf(name, sizeof name, "b%d", i);
    build_rod(&b, name, 1.0, 0.1, (double[]){i, 0, 0}, (double[]){i + 1, 0, 0});
    snprintf(name, sizeof name, "j%d", i);
    build_joint_at(&b, name, i % 2 ? "spherical" : "revolute", i - 1, i, i, 0, 0, 1);
  }
  snprintf(name, sizeof name, "close");
  build_joint_at(&b, name, "spherical", n - 1, HK_GROUND, n, 0, 0, 1);
  seen x = look(&b);
  uint64_t seed = 9;
  for (int32_t i = 0; i < x.r.m->nv; i++) x.r.v[i] = 0.01 * noise(&seed);
  rig_close(&x.r, 0.0);
  eval(&x, 0.0);
  momentum(&x);
  end(&x);
}
END_TEST

START_TEST(out_of_memory) {
  build b = build_bricard(5);
  rig r = rig_make(&b);
  hk_status st = HK_E_MEMORY;
  for (uint64_t n = 1; st != HK_OK; n++) {
    hk_reactions *re;
    hki_alloc_fail_at(r.b.ctx, n);
    st = hki_reactions_create(r.b.ctx, r.m, &re);
    hki_alloc_fail_at(r.b.ctx, 0);
    ck_assert(st == HK_OK || (st == HK_E_MEMORY && !re));
    ck_assert_int_lt((int)n, 1000);
    hki_reactions_destroy(re);
  }
  rig_free(&r);
}
END_TEST

Suite *suite_reactions(void) {
  Suite *s = suite_create("reactions");
  TCase *c = tcase_create("known");
  tcase_add_test(c, pin);
  tcase_add_test(c, motor);
  tcase_add_test(c, hanging);
  tcase_add_test(c, four_bar);
  tcase_add_test(c, motor_power);
  suite_add_tcase(s, c);
  c = tcase_create("cuts");
  tcase_add_test(c, bricard);
  tcase_add_test(c, shortest);
  tcase_add_test(c, loaded_slider_crank);
  tcase_add_test(c, nested);
  tcase_add_test(c, many);
  tcase_add_test(c, out_of_memory);
  suite_add_tcase(s, c);
  return s;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * special.c: special positions of every joint (coincident origins, quarter and half turns, zero
 * lengths and leads, parallel axes) give finite numbers; and closed forms of single joints.
 */
#include "support_joints.h"

static const double quarter = 1.57079632679489661923;

static bool all_finite(const double *x, int32_t n) {
  for (int32_t i = 0; i < n; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

/* every output of the joint at this pair of frames is finite */
static void check_finite(const joint_case *c) {
  static const double lam[6] = {1.0, -2.0, 3.0, -4.0, 5.0, -6.0};
  const char *name = c->ops->name;
  hk_joint_loop L;
  hk_joint_coord s;
  double H[144], q[8], v[8];
  memset(&L, 0, sizeof L);
  c->ops->loop(&c->par, &c->A, &c->B, HK_LOOP_POS | HK_LOOP_JAC | HK_LOOP_ACC, &L);
  ck_assert_msg(all_finite(L.phi, 6) && all_finite(L.gamma, 6), "%s: phi, gamma", name);
  ck_assert_msg(all_finite(L.GA, 36) && all_finite(L.GB, 36), "%s: G", name);
  c->ops->loop_geo(&c->par, &c->A, &c->B, lam, H);
  ck_assert_msg(all_finite(H, 144), "%s: loop_geo", name);
  for (int32_t k = 0; k < c->ops->ns; k++) {
    c->ops->coord(&c->par, k, &c->A, &c->B, 1.0, &s);
    ck_assert_msg(isfinite(s.s) && isfinite(s.sd) && isfinite(s.bias), "%s: coord", name);
    ck_assert_msg(all_finite(s.gA, 6) && all_finite(s.gB, 6), "%s: coord gradient", name);
    c->ops->coord_geo(&c->par, k, &c->A, &c->B, H);
    ck_assert_msg(all_finite(H, 144), "%s: coord_geo", name);
  }
  if (c->ops->measure) {
    c->ops->measure(&c->par, &c->A, &c->B, NULL, q, v);
    ck_assert_msg(all_finite(q, c->ops->nq) && all_finite(v, c->ops->nv), "%s: measure", name);
  }
}

START_TEST(test_special_positions_are_finite) {
  /* all products of quarter turns about the axes, with and without a distance of the origins, with
   * exact matrices and with ones that carry rounding errors */
  static const double far[3][3] = {{0, 0, 0}, {0, 0, 0.5}, {1e-16, 0, 0}};
  joint_case c;
  for (int32_t i = 0; i < hki_joint_count(); i++) {
    for (int32_t turn = 0; turn < 64 * 3 * 2 * 2; turn++) {
      double d[3], R[9], x[3];
      int32_t code = turn % 64;
      case_make(&c, hki_joint_at(i), turn / 384, 0.0);
      if (turn / 192 % 2)
        joint_fill(c.ops, c.par, 0.0, 0.0, 63);
      else if (c.ops->caps & HK_JOINT_LOCKED)
        joint_fill(c.ops, c.par, 1.0, 1.0, 63);
      hk_frame A = c.A;
      if (turn / 384) m3_identity(A.R);
      c.A = c.B = A;
      rnd_vector(c.B.w, 3, 2.0);
      rnd_vector(c.B.v, 3, 2.0);
      for (int k = 0; k < 3; k++, code /= 4) {
        v3_zero(d);
        d[k] = code % 4 * quarter;
        rot_exp(R, d);
        if (turn / 384)
          for (int j = 0; j < 9; j++) R[j] = nearbyint(R[j]);
        double T[9];
        m3_mul(T, c.B.R, R);
        memcpy(c.B.R, T, sizeof T);
      }
      m3_mulv(x, A.R, far[turn / 64 % 3]);
      v3_add(c.B.p, A.p, x);
      check_finite(&c);
    }
  }
}
END_TEST

START_TEST(test_rotation_vector_series_meets_closed_form) {
  /* both branches of the Jacobian against differences of the rows, for angles from 0 to pi */
  static const double size[] = {0.0, 1e-12,  1e-8, 1e-4, 1e-2, 0.1, 0.49999999,
                                0.5, 0.5001, 1.0,  2.0,  3.0,  3.14};
  joint_case c;
  case_make(&c, hki_joint_find("general"), 1, 0.0);
  joint_fill(c.ops, c.par, 0.0, 0.0, 63);
  for (int32_t n = 0; n < HK_ARRAY_LEN(size); n++) {
    const double h = 2e-4;
    double f[3] = {0.36 * size[n], -0.48 * size[n], 0.8 * size[n]}, R[9], lam[6], H[144];
    hk_joint_loop L, M;
    hk_frame A, B;
    rot_exp(R, f);
    m3_mul(c.B.R, c.A.R, R);
    rnd_vector(lam, 6, 1.0);
    c.ops->loop(&c.par, &c.A, &c.B, HK_LOOP_POS | HK_LOOP_JAC, &L);
    c.ops->loop_geo(&c.par, &c.A, &c.B, lam, H);
    for (int k = 0; k < 3; k++) CHECK_NEAR(&c, "log", L.phi[3 + k], f[k], 1e-12);
    for (int32_t j = 6; j < 9; j++) {
      double diff[6] = {0}, geo[3] = {0};
      for (int s = 0; s < STENCIL; s++) {
        pair_add(&c, j, stencil_at[s] * h, &A, &B);
        c.ops->loop(&c.par, &A, &B, HK_LOOP_POS | HK_LOOP_JAC, &M);
        for (int r = 3; r < 6; r++) {
          diff[r] += stencil_weight[s] * M.phi[r] / h;
          v3_axpy(geo, stencil_weight[s] / h * lam[r], M.GB + 6 * r);
        }
      }
      for (int r = 3; r < 6; r++) CHECK_NEAR(&c, "J", L.GB[6 * r + j - 6], diff[r], 1e-9);
      for (int i = 0; i < 3; i++) CHECK_NEAR(&c, "dJ", H[12 * (6 + i) + j], geo[i], 1e-9);
    }
  }
}
END_TEST

START_TEST(test_distance_closed_form) {
  hk_joint_loop L;
  joint_case c = {.ops = hki_joint_find("distance")};
  joint_set(c.ops, c.par, "length", 4.0);
  m3_identity(c.A.R);
  m3_identity(c.B.R);
  v3_set(c.A.p, 1.0, 1.0, 1.0);
  v3_set(c.B.p, 4.0, 5.0, 1.0);
  v3_set(c.B.v, -4.0, 3.0, 12.0);
  c.ops->loop(&c.par, &c.A, &c.B, HK_LOOP_POS | HK_LOOP_JAC | HK_LOOP_ACC, &L);
  CHECK_NEAR(&c, "phi", L.phi[0], 1.0, 1e-15);
  CHECK_NEAR(&c, "n.x", L.GB[3], 0.6, 1e-15);
  CHECK_NEAR(&c, "n.y", L.GB[4], 0.8, 1e-15);
  /* velocity across the line: v^2 / r */
  CHECK_NEAR(&c, "gamma", L.gamma[0], 169.0 / 5.0, 1e-14);

  /* no distance at all: still one unit gradient */
  v3_copy(c.B.p, c.A.p);
  c.ops->loop(&c.par, &c.A, &c.B, HK_LOOP_POS | HK_LOOP_JAC | HK_LOOP_ACC, &L);
  CHECK_NEAR(&c, "phi at zero", L.phi[0], -4.0, 0.0);
  CHECK_NEAR(&c, "|n| at zero", v3_norm(L.GB + 3), 1.0, 1e-15);
  CHECK_NEAR(&c, "gamma at zero", L.gamma[0], 0.0, 0.0);
}
END_TEST

/* lowest point of a rim above the plane of A, by search along the rim */
static double lowest(const joint_case *c, double *point) {
  double best = 1e9, step = 4.0 * quarter, angle = 0.0, x[3];
  for (int round = 0; round < 60; round++, step *= 0.5) {
    double from = angle;
    for (int i = -8; i <= 8; i++) {
      double t = from + 0.125 * step * i, in[3] = {cos(t), sin(t), 0.0}, d[3], n[3];
      m3_mulv(x, c->B.R, in);
      v3_scale(x, joint_get(c->ops, c->par, "radius"), x);
      v3_add(x, x, c->B.p);
      v3_sub(d, x, c->A.p);
      m3_column(n, c->A.R, 2);
      if (v3_dot(n, d) < best) best = v3_dot(n, d), angle = t, v3_copy(point, x);
    }
  }
  return best;
}

/* velocity of the point of a frame that is at x */
static void point_velocity(const hk_frame *f, const double *x, double *v) {
  double r[3];
  v3_sub(r, x, f->p);
  v3_cross(v, f->w, r);
  v3_add(v, v, f->v);
}

/* relative velocity, along t, of the material points of B and A at p */
static double slip_at(const joint_case *c, const double *p, const double *t) {
  double vA[3], vB[3];
  point_velocity(&c->A, p, vA);
  point_velocity(&c->B, p, vB);
  v3_sub(vB, vB, vA);
  return v3_dot(t, vB);
}

static double rate_of(const joint_case *c, const hk_joint_loop *L, int r) {
  return v3_dot(L->GA + 6 * r, c->A.w) + v3_dot(L->GA + 6 * r + 3, c->A.v) +
         v3_dot(L->GB + 6 * r, c->B.w) + v3_dot(L->GB + 6 * r + 3, c->B.v);
}

START_TEST(test_contacts_closed_form) {
  /* rows of blades and balls: the velocity of two material points against each other */
  for (int n = 0; n < joint_cases(); n++) {
    joint_case c;
    hk_joint_loop L;
    double z[3], b[3], t[3], p[3], x[3];
    case_make(&c, hki_joint_find("knife_edge"), n, 0.0);
    c.ops->loop(&c.par, &c.A, &c.B, HK_LOOP_POS | HK_LOOP_JAC, &L);
    m3_column(z, c.A.R, 2);
    m3_column(b, c.B.R, 2);
    v3_cross(t, z, b);
    v3_normalize(t);
    CHECK_NEAR(&c, "edge", rate_of(&c, &L, 0), slip_at(&c, c.B.p, t), 1e-12);

    case_make(&c, hki_joint_find("rolling_ball"), n, 0.0);
    const double r = c.par[0];
    c.ops->loop(&c.par, &c.A, &c.B, HK_LOOP_POS | HK_LOOP_JAC, &L);
    m3_column(z, c.A.R, 2);
    v3_copy(p, c.B.p);
    v3_axpy(p, -r, z);
    v3_sub(x, p, c.A.p);
    CHECK_NEAR(&c, "height", L.phi[0], v3_dot(z, x), 1e-12);
    for (int k = 0; k < 3; k++) {
      m3_column(t, c.A.R, k == 0 ? 2 : k - 1);
      CHECK_NEAR(&c, "ball", rate_of(&c, &L, k), slip_at(&c, p, t), 1e-12);
    }

    case_make(&c, hki_joint_find("rolling_on_cylinder"), n, 0.0);
    joint_set(c.ops, c.par, "cylinder", n % 2 ? 0.7 : 6.0);
    joint_set(c.ops, c.par, "radius", 0.3);
    c.ops->loop(&c.par, &c.A, &c.B, HK_LOOP_POS | HK_LOOP_JAC, &L);
    m3_column(z, c.A.R, 2);
    v3_sub(x, c.B.p, c.A.p);
    v3_axpy(x, -v3_dot(x, z), z);
    const double far = v3_norm(x);
    CHECK_NEAR(&c, "distance", L.phi[0], n % 2 ? far - 1.0 : 5.7 - far, 1e-12);
    v3_scale(x, (n % 2 ? 1.0 : -1.0) / far, x);
    v3_copy(p, c.B.p);
    v3_axpy(p, -0.3, x);
    v3_cross(t, z, x);
    CHECK_NEAR(&c, "round", rate_of(&c, &L, 0), slip_at(&c, p, x), 1e-12);
    CHECK_NEAR(&c, "round", rate_of(&c, &L, 1), slip_at(&c, p, z), 1e-12);
    CHECK_NEAR(&c, "round", rate_of(&c, &L, 2), slip_at(&c, p, t), 1e-12);
  }
}
END_TEST

START_TEST(test_rolling_closed_form) {
  /* height and slip of the lowest point of the rim, found by search */
  for (int n = 0; n < joint_cases(); n++) {
    joint_case c;
    hk_joint_loop L;
    double p[3] = {0}, vA[3], vB[3], a[3];
    case_make(&c, hki_joint_find("rolling"), n, 0.0);
    double height = lowest(&c, p);
    c.ops->loop(&c.par, &c.A, &c.B, HK_LOOP_POS | HK_LOOP_JAC, &L);
    CHECK_NEAR(&c, "height", L.phi[0], height, 1e-12);
    point_velocity(&c.A, p, vA);
    point_velocity(&c.B, p, vB);
    v3_sub(vB, vB, vA);
    for (int r = 0; r < 3; r++) {
      double rate = v3_dot(L.GA + 6 * r, c.A.w) + v3_dot(L.GA + 6 * r + 3, c.A.v) +
                    v3_dot(L.GB + 6 * r, c.B.w) + v3_dot(L.GB + 6 * r + 3, c.B.v);
      m3_column(a, c.A.R, r == 0 ? 2 : r - 1);
      /* the search finds the point to half the digits of its height */
      CHECK_NEAR(&c, "slip", rate, v3_dot(a, vB), 1e-6);
    }
  }
}
END_TEST

START_TEST(test_screw_row_knows_its_turn) {
  /* after 7.3 turns and 1 mm too far the row says 1 mm */
  hk_joint_loop L;
  joint_case c;
  case_make(&c, hki_joint_find("screw"), 3, 0.0);
  double q = 7.3 * 4.0 * quarter, z[3];
  frame_on_tree(&c, &q, c.v, &c.B);
  m3_column(z, c.A.R, 2);
  v3_axpy(c.B.p, 1e-3, z);
  c.ops->loop(&c.par, &c.A, &c.B, HK_LOOP_POS, &L);
  CHECK_NEAR(&c, "phi", L.phi[4], 1e-3, 1e-13);
}
END_TEST

START_TEST(test_universal_closed_form) {
  /* axes at right angles: R = Rz(a) Rx(b) */
  joint_case c = {.ops = hki_joint_find("universal")};
  joint_fill(c.ops, c.par, 0.0, quarter, 0);
  double q[2], v[2] = {0, 0};
  m3_identity(c.A.R);
  for (int i = 0; i < 12; i++) {
    q[0] = 0.7 * i - 4.0, q[1] = 0.25 * i - 1.5;
    frame_on_tree(&c, q, v, &c.B);
    CHECK_NEAR(&c, "cos b", c.B.R[8], cos(q[1]), 1e-15);
    /* axis2 = x of B stays across z of A, at angle a */
    CHECK_NEAR(&c, "x.x", c.B.R[0], cos(q[0]), 1e-15);
    CHECK_NEAR(&c, "x.y", c.B.R[3], sin(q[0]), 1e-15);
    CHECK_NEAR(&c, "x.z", c.B.R[6], 0.0, 1e-15);
  }
}
END_TEST

START_TEST(test_quaternion_side_follows_hint) {
  joint_case c;
  for (int32_t i = 0; i < hki_joint_count(); i++) {
    if (!(hki_joint_at(i)->caps & HK_JOINT_QUATERNION)) continue;
    case_make(&c, hki_joint_at(i), 5, 0.0);
    double near[8], q[8], v[8];
    int32_t first = c.ops->nq - 4;
    for (int side = -1; side <= 1; side += 2) {
      memcpy(near, c.q, sizeof near);
      for (int k = 0; k < 4; k++) near[first + k] *= side;
      c.ops->measure(&c.par, &c.A, &c.B, near, q, v);
      for (int k = 0; k < 4; k++) CHECK_NEAR(&c, "side", q[first + k], near[first + k], 1e-14);
    }
  }
}
END_TEST

Suite *suite_special(void);
Suite *suite_special(void) {
  Suite *s = suite_create("joints/special");
  TCase *t = tcase_create("special");
  tcase_add_test(t, test_special_positions_are_finite);
  tcase_add_test(t, test_rotation_vector_series_meets_closed_form);
  tcase_add_test(t, test_distance_closed_form);
  tcase_add_test(t, test_rolling_closed_form);
  tcase_add_test(t, test_contacts_closed_form);
  tcase_add_test(t, test_screw_row_knows_its_turn);
  tcase_add_test(t, test_universal_closed_form);
  tcase_add_test(t, test_quaternion_side_follows_hint);
  suite_add_tcase(s, t);
  return s;
}

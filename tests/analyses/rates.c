/* SPDX-License-Identifier: Apache-2.0
 *
 * rates.c: rates that are not named: nearest to zero joint by joint, the same wherever loops are
 * cut and in whichever order bodies are written; or nearest in the mass metric.
 */
#include <stdlib.h>

#include "support.h"

static void rate(build *b, int32_t joint, int32_t k, double value) {
  hk_spec_start *st = build_start_joint(b, joint);
  st->v_given = 1u << k;
  st->v[k] = value;
}

static double joint_rate(rig *r, int32_t joint, int32_t k) {
  double s, sd;
  hki_kin_state(&r->s->kin, 0.0, r->q, r->v);
  hki_kin_scalar(&r->s->kin, r->m->joints[joint].scalar0 + k, &s, &sd);
  return sd;
}

/* twists of all bodies in the order of `perm`: 6 each */
static void twists(rig *r, const int32_t *perm, int32_t n, double *out) {
  hki_kin_state(&r->s->kin, 0.0, r->q, r->v);
  for (int32_t i = 0; i < n; i++) {
    const hk_frame *f = &r->s->kin.frame[r->m->body_of_spec[perm[i]]];
    v3_copy(out + 6 * i, f->w);
    v3_copy(out + 6 * i + 3, f->v);
  }
}

/* sum of the squares of all joint rates, translations divided by the model's length */
static double sum_of_rates(rig *r, const double *v) {
  const hk_model *m = r->m;
  hk_kin *k = &r->s->kin;
  double sum = 0.0;
  hki_kin_state(k, 0.0, r->q, v);
  for (int32_t j = 0; j < m->nj; j++) {
    const hk_joint_ops *ops = m->spec->joints[j].ops;
    hk_frame F[2];
    double w[3], s, sd;
    for (int i = 0; i < 2; i++)
      hki_kin_marker(k, m->joints[j].mbody[i], &m->joints[j].marker[i], &F[i]);
    v3_sub(w, F[1].w, F[0].w);
    if (!ops->ns) sum += v3_dot(w, w);
    for (int32_t i = 0; i < ops->ns; i++) {
      hki_kin_scalar(k, m->joints[j].scalar0 + i, &s, &sd);
      sum += sd * sd / (hki_scalar_is_length(ops->scalars[i]) ? m->length * m->length : 1.0);
    }
  }
  return sum;
}

/* no motion x that keeps the closures and the rates of `held` lowers the sum of squares */
static void check_least(rig *r, const int32_t *held, int32_t nheld) {
  const int32_t nv = r->m->nv;
  double *x = calloc((size_t)nv + 1, sizeof *x), *v = calloc((size_t)nv + 1, sizeof *v);
  uint64_t seed = 5;
  for (int trial = 0; trial < 6; trial++) {
    double moved = 0.0, at[2];
    for (int32_t i = 0; i < nv; i++) x[i] = noise(&seed);
    hki_tree_state(r->s, 0.0, r->q, r->v, 0);
    hki_tree_mass(r->s);
    for (int32_t i = 0; i < nheld; i++)
      r->s->num.val[r->s->slot_diag[held[i]]] *= 1e9, x[held[i]] = 0.0;
    hki_tree_penalty(r->s, 1e6, 1.0);
    hki_tree_add_closures(r->s, 1.0);
    ck_assert_int_eq(hki_tree_factor(r->s), HK_OK);
    for (int pass = 0; pass < 10; pass++) hki_tree_project(r->s, 1.0, NULL, HK_TREE_CLOSED, x);
    for (int side = 0; side < 2; side++) {
      for (int32_t i = 0; i < nv; i++) v[i] = r->v[i] + (side ? 1e-3 : -1e-3) * x[i];
      at[side] = sum_of_rates(r, v);
    }
    for (int32_t i = 0; i < nv; i++) moved = fmax(moved, fabs(x[i]));
    ck_assert_double_gt(moved, 1e-3);
    ck_near(at[0], at[1], 1e-9);
  }
  free(x);
  free(v);
}

/* --- loops ------------------------------------------------------------------------------------ */

/* a loop of six different joints and six freedoms, two of them named; joint `cut` is cut, bodies
 * are written in the order `perm` */
static build six_joints(int32_t cut, const int32_t *perm) {
  static const double P[6][3] = {{0, 0, 0},     {0.3, 0.1, 0.9},  {1.1, -0.2, 1.2},
                                 {1.8, 0.4, 1}, {2.1, 0.2, 0.35}, {1.9, -0.3, 0}};
  static const char *const type[6] = {"revolute",  "universal", "cylindrical",
                                      "spherical", "prismatic", "planar"};
  static const double axis[6][3] = {{0.2, 1, 0.1}, {1, 0.3, 0}, {0.1, 0.2, 1},
                                    {0, 0, 1},     {1, 0, 0.4}, {0, 0.1, 1}};
  build b = build_begin(5, 6);
  for (int i = 0; i < 5; i++) {
    int at = 0;
    while (perm[at] != i) at++;
    build_rod(&b, (const char *[]){"a", "b", "c", "d", "e"}[at], 1.0 + at, 0.1, P[at], P[at + 1]);
  }
  for (int i = 0; i < 6; i++) {
    double a[3];
    v3_copy(a, axis[i]);
    v3_scale(a, 1.0 / v3_norm(a), a);
    build_joint(&b, (const char *[]){"j0", "j1", "j2", "j3", "j4", "j5"}[i], type[i],
                i ? perm[i - 1] : HK_GROUND, i < 5 ? perm[i] : HK_GROUND, P[i], a);
    b.spec->joints[i].cut = i == cut ? HK_CUT_ALWAYS : HK_CUT_NEVER;
  }
  rate(&b, 0, 0, 2.0);
  rate(&b, 4, 0, -0.7);
  return b;
}

START_TEST(any_cut) {
  static const int32_t perm[2][5] = {{0, 1, 2, 3, 4}, {3, 0, 4, 2, 1}};
  double ref[30], at[30];
  for (int32_t cut = 0; cut < 6; cut++)
    for (int order = 0; order < 2; order++) {
      build b = six_joints(cut, perm[order]);
      rig r = rig_make(&b);
      ck_assert_int_eq(r.m->joints[cut].closure == HK_NONE, 0);
      hk_assembly as = rig_assemble(&r);
      ck_assert_int_eq(as.nmoved, 0);
      ck_assert_double_lt(as.velocity_max, 1e-12);
      ck_near(joint_rate(&r, 0, 0), 2.0, 1e-12);
      ck_near(joint_rate(&r, 4, 0), -0.7, 1e-12);
      twists(&r, perm[order], 5, cut || order ? at : ref);
      if (cut || order)
        for (int i = 0; i < 30; i++) ck_near(at[i], ref[i], 1e-9);
      if (cut != 0 && cut != 4) {
        int32_t held[2] = {r.m->scalars[r.m->joints[0].scalar0].vi,
                           r.m->scalars[r.m->joints[4].scalar0].vi};
        ck_assert_int_eq(rig_mobility(&r).dof, 6);
        check_least(&r, held, 2);
      }
      rig_free(&r);
    }
}
END_TEST

/* --- trees ------------------------------------------------------------------------------------ */

/* a pendulum on a cart that a motion drives starts at rest relative to the cart; in the mass metric
 * it starts with the least kinetic energy: rate = m c v / (J + m c^2) */
START_TEST(driven_cart) {
  for (int mass = 0; mass < 2; mass++)
    for (int cut = 0; cut < 2; cut++) {
      build b = build_begin(2, 2);
      build_body(&b, "cart", 5.0, 0, 0, 0);
      build_rod(&b, "rod", 1.0, 0.0, (double[3]){0, 0, 0}, (double[3]){0, 0, -1});
      build_joint_at(&b, "rail", "prismatic", HK_GROUND, 0, 0, 0, 0, 0);
      build_joint_at(&b, "hinge", "revolute", 0, 1, 0, 0, 0, 1);
      b.spec->joints[0].motion[0] = build_signal(&b, "drive", "1*t");
      if (cut) b.spec->joints[1].cut = HK_CUT_ALWAYS;
      b.spec->start_rates = mass ? HK_RATES_MASS : HK_RATES_RELATIVE;
      rig r = rig_make(&b);
      rig_assemble(&r);
      ck_near(joint_rate(&r, 0, 0), 1.0, 1e-12);
      ck_near(joint_rate(&r, 1, 0), mass ? 1.5 : 0.0, mass ? 1e-5 : 1e-13);
      rig_free(&r);
    }
}
END_TEST

/* a satellite whose wheel is driven: the heaviest body stays at rest, whichever comes first in the
 * file, and whichever joint is cut */
START_TEST(satellite) {
  for (int order = 0; order < 2; order++)
    for (int cut = -1; cut < 2; cut++) {
      const int32_t hull = order ? 2 : 0, wheel = order ? 0 : 2, panel = 1;
      build b = build_begin(3, 2);
      for (int32_t i = 0; i < 3; i++)
        build_body(&b,
                   i == hull    ? "hull"
                   : i == wheel ? "wheel"
                                : "panel",
                   i == hull    ? 10.0
                   : i == wheel ? 2.0
                                : 1.0,
                   i, 0, 0);
      build_joint_at(&b, "spin", "revolute", panel, wheel, 0.5, 0, 0, 2);
      build_joint_at(&b, "hold", "revolute", hull, panel, 1.5, 0, 0, 1);
      b.spec->joints[0].motion[0] = build_signal(&b, "drive", "3*t");
      if (cut >= 0) b.spec->joints[cut].cut = HK_CUT_ALWAYS;
      rig r = rig_make(&b);
      rig_assemble(&r);
      ck_near(joint_rate(&r, 0, 0), 3.0, 1e-11);
      ck_near(joint_rate(&r, 1, 0), 0.0, 1e-11);
      double at[18];
      twists(&r, (int32_t[]){hull, panel, wheel}, 3, at);
      for (int i = 0; i < 12; i++) ck_near(at[i], 0.0, 1e-11);
      rig_free(&r);
    }
}
END_TEST

/* a disc on an axle that a body without other joints carries: its motor turns it, it rolls, and the
 * arm between them does not swing (unlike the body, it is bound by a joint) */
START_TEST(rolling) {
  build b = build_begin(3, 3);
  build_body(&b, "hull", 20.0, 0, 0, 0.5);
  build_body(&b, "arm", 1.0, 0.2, 0, 0.4);
  build_body(&b, "disc", 2.0, 0.5, 0, 0.3);
  build_joint_at(&b, "swing", "revolute", 0, 1, 0, 0, 0.5, 1);
  build_joint_at(&b, "axle", "revolute", 1, 2, 0.5, 0, 0.3, 1);
  int32_t j = build_joint_at(&b, "road", "rolling", HK_GROUND, 2, 0.5, 0, 0, 2);
  build_number(&b, j, "radius", 0.3);
  hk_spec_joint *road = &b.spec->joints[j];
  v3_set(road->marker[1].p, 0.5, 0, 0.3);
  // z of the second marker is the axis of the disc, y
  memcpy(road->marker[1].R, (double[9]){0, 1, 0, 0, 0, 1, 1, 0, 0}, sizeof road->marker[1].R);
  b.spec->joints[1].motion[0] = build_signal(&b, "drive", "10*t");
  rig r = rig_make(&b);
  hk_assembly as = rig_assemble(&r);
  ck_assert_double_lt(as.velocity_max, 1e-10);
  ck_near(joint_rate(&r, 0, 0), 0.0, 1e-10);
  ck_near(joint_rate(&r, 1, 0), 10.0, 1e-11);
  rig_free(&r);
}
END_TEST

/* two named rates that exclude each other: the first holds, the second is reported, as before */
START_TEST(in_conflict) {
  build b = build_four_bar(true, 2);
  rate(&b, 0, 0, 1.0);
  rate(&b, 3, 0, 5.0);
  rig r = rig_make(&b);
  ck_assert_int_eq(rig_assemble(&r).nmoved, 1);
  ck_near(joint_rate(&r, 0, 0), 1.0, 1e-11);
  ck_assert(rig_said(&r, HK_WARNING, "conflicts with start.j0.angle") ||
            rig_said(&r, HK_WARNING, "instead of 5 rad/s"));
  rig_free(&r);
}
END_TEST

/* the unit of length does not matter: a mechanism a thousand times as large or small has the same
 * angular rates */
START_TEST(any_size) {
  double ref[5] = {0};
  for (int size = 0; size < 3; size++) {
    const double u = size == 0 ? 1.0 : size == 1 ? 1e3 : 1e-3;
    build b = six_joints(5, (const int32_t[]){0, 1, 2, 3, 4});
    for (int i = 0; i < 5; i++) {
      hk_spec_body *x = &b.spec->bodies[i];
      v3_scale(x->com, u, x->com);
      for (int k = 0; k < 9; k++) x->J[k] *= u * u;
    }
    for (int i = 0; i < 6; i++)
      for (int k = 0; k < 2; k++)
        v3_scale(b.spec->joints[i].marker[k].p, u, b.spec->joints[i].marker[k].p);
    b.spec->starts[1].v[0] *= u;
    rig r = rig_make(&b);
    ck_assert_int_eq(rig_assemble(&r).nmoved, 0);
    ck_near(joint_rate(&r, 4, 0) / u, -0.7, 1e-11);
    const double now[5] = {joint_rate(&r, 0, 0), joint_rate(&r, 1, 0), joint_rate(&r, 1, 1),
                           joint_rate(&r, 2, 0), joint_rate(&r, 2, 1) / u};
    for (int i = 0; i < 5; i++) {
      if (!size) ref[i] = now[i];
      ck_near(now[i], ref[i], 1e-9);
    }
    rig_free(&r);
  }
}
END_TEST

Suite *suite_rates(void);
Suite *suite_rates(void) {
  Suite *s = suite_create("rates");
  TCase *t = tcase_create("rates");
  tcase_add_test(t, any_cut);
  tcase_add_test(t, driven_cart);
  tcase_add_test(t, satellite);
  tcase_add_test(t, rolling);
  tcase_add_test(t, in_conflict);
  tcase_add_test(t, any_size);
  suite_add_tcase(s, t);
  return s;
}

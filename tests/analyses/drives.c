/* SPDX-License-Identifier: Apache-2.0
 *
 * drives.c: forces of prescribed motions and of locks, by the energy they bring: along the motion
 * with the accelerations found, dE/dt = sum of drive times rate.
 */
#include <stdlib.h>

#include "support.h"
#include "analyses/reactions.h"

static const double t0 = 0.3;

/* dE/dt along the motion: differences of the energy of (q + h v, v + h a) */
static double energy_rate(rig *r) {
  static const double at[4] = {-2, -1, 1, 2};
  static const double weight[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
  const hk_model *m = r->m;
  hk_kin *k = &r->s->kin;
  double h = 1e-3, sum = 0.0;
  double *q = calloc((size_t)m->nq + 1, sizeof *q), *v = calloc((size_t)m->nv + 1, sizeof *v);
  for (int i = 0; i < 4; i++) {
    for (int32_t j = 0; j < m->nv; j++) v[j] = at[i] * h * r->v[j];
    hki_tree_plus(m, r->q, v, q);
    for (int32_t j = 0; j < m->nv; j++) v[j] = r->v[j] + at[i] * h * r->a[j];
    hki_kin_state(k, t0 + at[i] * h, q, v);
    hki_kin_signals(k, true);
    hki_kin_energy(k);
    sum += weight[i] / h * (k->kinetic + k->potential);
  }
  hki_kin_state(k, t0, r->q, r->v);
  free(q);
  free(v);
  return sum;
}

/* the state is closed at t0; accelerations, reactions, and the energy that the drives bring */
static void check(rig *r, uint64_t seed) {
  const hk_model *m = r->m;
  hk_reactions *re;
  double *w = calloc((size_t)(6 * m->nj) + 1, sizeof *w);
  double *drive = calloc((size_t)m->ns + 1, sizeof *drive);
  double *res = calloc((size_t)m->nv + 1, sizeof *res), size = 1.0, power = 0.0;
  for (int32_t i = 0; i < m->nv; i++) r->v[i] = noise(&seed);
  rig_close(r, t0);
  rig_accelerate(r, t0);
  hki_tree_state(r->s, t0, r->q, r->v, 0);
  ck_assert_int_eq(hki_reactions_create(r->b.ctx, m, &re), HK_OK);
  ck_assert_int_eq(hki_reactions_eval(re, r->s, r->a, w, drive, NULL), HK_OK);
  hki_tree_residual(r->s, r->a, res);
  for (int32_t i = 0; i < m->nv; i++) size = fmax(size, fabs(res[i]));
  hki_tree_add_rows(r->s, hki_reactions_multipliers(re), res);
  for (int32_t i = 0; i < m->nv; i++) ck_assert_double_lt(fabs(res[i]), 1e-8 * size);
  for (int32_t s = 0; s < m->ns; s++) {
    double value, rate;
    hki_kin_scalar(&r->s->kin, s, &value, &rate);
    power += drive[s] * rate;
  }
  ck_near(power, energy_rate(r), 1e-7);
  hki_reactions_destroy(re);
  free(w);
  free(drive);
  free(res);
}

static void prescribe(build *b, int32_t joint) {
  hk_spec_joint *j = &b->spec->joints[joint];
  char name[16];
  for (int32_t c = 0; c < j->ops->ns; c++) {
    snprintf(name, sizeof name, "s%d_%d", joint, c);
    j->motion[c] = build_signal(b, name, c ? "0.1*t - 0.05*t^2" : "0.3*t^2");
  }
}

/* every type of joint with scalar coordinates, at the root and reversed, on the tree and cut */
START_TEST(joints) {
  for (int i = 1; i < JOINT_TYPES; i++)
    for (int place = 0; place < 3; place++)
      for (int cut = 0; cut < 2; cut++) {
        const char *types[] = {"spherical", "revolute", "prismatic"};
        types[place] = joint_types[i];
        build b = build_chain(types, 3);
        prescribe(&b, place);
        if (cut) b.spec->joints[place].cut = HK_CUT_ALWAYS;
        rig r = rig_make(&b);
        check(&r, 3);
        rig_free(&r);
      }
}
END_TEST

/* a prescribed distance, and rows of `general` that follow signals */
START_TEST(constraints) {
  for (int form = 0; form < 2; form++) {
    build b = build_chain((const char *const[]){"spherical", "revolute", "spherical"}, 3);
    double p[3] = {1.8, 0.2, 0.1}, q[3] = {0.4, 0.8, -0.3}, z[3] = {0.2, 0.8, -0.4};
    if (form == 0) {
      int32_t j = build_distance(&b, "rod", 2, HK_GROUND, p, q);
      double d[3];
      char text[64];
      v3_sub(d, q, p);
      snprintf(text, sizeof text, "%.17g + 0.2*t", v3_norm(d));
      b.spec->joints[j].motion[0] = build_signal(&b, "length", text);
    } else {
      int32_t j = build_joint(&b, "hold", "general", HK_GROUND, 2, p, z);
      build_numbers(&b, j, 0.0, 0.0, 0x0b); // x y rx
      b.spec->joints[j].row_signal[0] = build_signal(&b, "x", "0.1*t");
      b.spec->joints[j].row_signal[1] = build_signal(&b, "y", "-0.05*t^2");
    }
    rig r = rig_make(&b);
    check(&r, 5);
    rig_free(&r);
  }
}
END_TEST

/* locks: events that fix joints; each lock is switched on as an event would */
START_TEST(locks) {
  for (int i = 1; i < JOINT_TYPES; i++)
    for (int cut = 0; cut < 2; cut++) {
      const char *types[] = {"revolute", joint_types[i], "spherical"};
      build b = build_chain(types, 3);
      int32_t when = build_signal(&b, "when", "t > 1");
      build_event(&b, "grab", when, HK_EVENT_FIX, 1);
      if (cut) b.spec->joints[1].cut = HK_CUT_ALWAYS;
      rig r = rig_make(&b);
      const hk_model_joint *j = &r.m->joints[1];
      ck_assert_int_gt(j->nlock, 0);
      for (int32_t c = j->lock0; c < j->lock0 + j->nlock; c++) {
        const hk_closure *cl = &r.m->closures[c];
        double s, sd;
        r.s->kin.disc.active[c] = 1.0;
        if (cl->kind != HK_CLOSURE_COORD) continue;
        hki_kin_scalar(&r.s->kin, cl->scalar, &s, &sd);
        r.s->kin.disc.lock[cl->lock] = s;
      }
      check(&r, 7);
      rig_free(&r);
    }
}
END_TEST

/* a joint that is off carries nothing */
START_TEST(off) {
  build b = build_four_bar(true, 2);
  b.spec->joints[2].active = false;
  int32_t when = build_signal(&b, "when", "t > 1");
  build_event(&b, "grab", when, HK_EVENT_FIX, 2);
  rig r = rig_make(&b);
  hk_reactions *re;
  double w[24];
  r.v[0] = 1.0;
  rig_accelerate(&r, 0.0);
  hki_tree_state(r.s, 0.0, r.q, r.v, 0);
  ck_assert_int_eq(hki_reactions_create(r.b.ctx, r.m, &re), HK_OK);
  ck_assert_int_eq(hki_reactions_eval(re, r.s, r.a, w, NULL, NULL), HK_OK);
  for (int i = 12; i < 18; i++) ck_assert(w[i] == 0.0);
  ck_assert(w[0] != 0.0);
  hki_reactions_destroy(re);
  rig_free(&r);
}
END_TEST

Suite *suite_drives(void) {
  Suite *s = suite_create("drives");
  TCase *c = tcase_create("power");
  tcase_add_test(c, joints);
  tcase_add_test(c, constraints);
  tcase_add_test(c, locks);
  tcase_add_test(c, off);
  suite_add_tcase(s, c);
  return s;
}

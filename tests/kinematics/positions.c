/* SPDX-License-Identifier: Apache-2.0
 *
 * positions.c: velocities, accelerations and closures against finite differences along motions.
 */
#include <stdlib.h>

#include "analyses/support.h"

static const double at[4] = {-2, -1, 1, 2};
static const double weight[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
static const double h = 1e-3, t0 = 0.4;

typedef struct motion {
  rig r;
  double *q, *v, *a;  /* the state in the middle */
  double *qk, *vk;    /* along the motion */
  double *sum, *sum2; /* derivatives found */
} motion;

static motion start(build *b, uint64_t seed) {
  motion x = {.r = rig_make_bare(b)};
  const hk_model *m = x.r.m;
  size_t nq = (size_t)m->nq + 1, nv = (size_t)m->nv + 1;
  size_t big = 12 * ((size_t)m->nb + 1) + (size_t)m->nrows;
  x.q = calloc(2 * nq, sizeof(double));
  x.qk = x.q + nq;
  x.v = calloc(3 * nv, sizeof(double));
  x.a = x.v + nv;
  x.vk = x.a + nv;
  x.sum = calloc(2 * big, sizeof(double));
  x.sum2 = x.sum + big;
  for (int32_t i = 0; i < m->nv; i++) x.vk[i] = 0.3 * noise(&seed);
  hki_tree_plus(m, m->q_draw, x.vk, x.q);
  for (int32_t i = 0; i < m->nv; i++) x.v[i] = noise(&seed), x.a[i] = noise(&seed);
  hki_kin_state(&x.r.s->kin, t0, x.q, x.v);
  hki_kin_commit_turns(&x.r.s->kin);
  return x;
}

static void end(motion *x) {
  free(x->q);
  free(x->v);
  free(x->sum);
  rig_free(&x->r);
}

/* everything at time t0 + k h of the motion */
static void go(motion *x, double k) {
  const hk_model *m = x->r.m;
  hk_kin *kin = &x->r.s->kin;
  for (int32_t i = 0; i < m->nv; i++) x->vk[i] = k * h * x->v[i];
  hki_tree_plus(m, x->q, x->vk, x->qk);
  for (int32_t i = 0; i < m->nv; i++) x->vk[i] = x->v[i] + k * h * x->a[i];
  hki_kin_state(kin, t0 + k * h, x->qk, x->vk);
  hki_kin_signals(kin, false);
  hki_kin_closures(kin);
  hki_kin_closure_bias(kin);
}

/* frames: (dR/dt R')^ and dp/dt against w, v; dw/dt and dv/dt against A0 + sum S a */
static void check_bodies(motion *x) {
  const hk_model *m = x->r.m;
  const hk_kin *k = &x->r.s->kin;
  double *R0 = calloc(9 * ((size_t)m->nb + 1), sizeof *R0);
  double *A = calloc(6 * ((size_t)m->nb + 1), sizeof *A);
  go(x, 0);
  for (int32_t b = 0; b < m->nb; b++) memcpy(R0 + 9 * b, k->frame[b].R, sizeof k->frame[b].R);
  memset(x->sum, 0, 12 * (size_t)m->nb * sizeof(double));
  for (int i = 0; i < 4; i++) {
    go(x, at[i]);
    for (int32_t b = 0; b < m->nb; b++) {
      double E[9], d[3], *s = x->sum + 12 * b;
      m3_mult(E, k->frame[b].R, R0 + 9 * b);
      rot_log(d, E);
      v3_axpy(s, weight[i] / h, d);
      v3_axpy(s + 3, weight[i] / h, k->frame[b].p);
      v3_axpy(s + 6, weight[i] / h, k->frame[b].w);
      v3_axpy(s + 9, weight[i] / h, k->frame[b].v);
    }
  }
  go(x, 0);
  hki_kin_accelerations(k, x->a, NULL, A);
  for (int32_t b = 0; b < m->nb; b++) {
    const hk_frame *f = &k->frame[b];
    double r[3], acc[3];
    v3_sub(r, f->p, k->O + 3 * b);
    v3_cross(acc, A + 6 * b, r);
    v3_add(acc, acc, A + 6 * b + 3);
    v3_cross_add(acc, f->w, f->v);
    for (int i = 0; i < 3; i++) {
      ck_near(f->w[i], x->sum[12 * b + i], 1e-9);
      ck_near(f->v[i], x->sum[12 * b + 3 + i], 1e-9);
      ck_near(A[6 * b + i], x->sum[12 * b + 6 + i], 1e-9);
      ck_near(acc[i], x->sum[12 * b + 9 + i], 1e-9);
    }
  }
  free(R0);
  free(A);
}

/* rows: dphi/dt = Phi_z v + phit, d2phi/dt2 = Phi_z a + gamma */
static void check_rows(motion *x) {
  const hk_model *m = x->r.m;
  hk_kin *k = &x->r.s->kin;
  double *y = calloc((size_t)m->nrows + 1, sizeof *y);
  memset(x->sum, 0, (size_t)m->nrows * sizeof(double));
  memset(x->sum2, 0, (size_t)m->nrows * sizeof(double));
  for (int i = 0; i < 4; i++) {
    go(x, at[i]);
    hki_kin_rows(k, x->vk, y);
    for (int32_t r = 0; r < m->nrows; r++) {
      x->sum[r] += weight[i] / h * k->phi[r];
      x->sum2[r] += weight[i] / h * (y[r] + k->phit[r]);
    }
  }
  go(x, 0);
  hki_kin_rows(k, x->v, y);
  for (int32_t c = 0; c < m->nc; c++)
    for (int32_t i = 0; i < m->closures[c].nrows; i++) {
      int32_t r = m->closures[c].row0 + i;
      if (!(m->closures[c].rate_rows >> i & 1u)) {
        ck_near(y[r] + k->phit[r], x->sum[r], 1e-9);
        continue;
      }
      // rows on velocities: no position, and what a stage takes for it
      ck_assert_double_eq(k->phi[r], 0.0);
      hki_kin_rate_rows(k, 4.0);
      ck_near(k->phi[r], 0.25 * (y[r] + k->phit[r]), 1e-14);
      go(x, 0);
    }
  hki_kin_rows(k, x->a, y);
  for (int32_t r = 0; r < m->nrows; r++) ck_near(y[r] + k->gamma[r], x->sum2[r], 1e-9);
  free(y);
}

/* measured and direct scalar coordinates: rate = d(value)/dt */
static void check_scalars(motion *x) {
  const hk_model *m = x->r.m;
  const hk_kin *k = &x->r.s->kin;
  for (int32_t s = 0; s < m->ns; s++) {
    double value, rate, sum = 0.0;
    for (int i = 0; i < 4; i++) {
      go(x, at[i]);
      hki_kin_scalar(k, s, &value, &rate);
      sum += weight[i] / h * value;
    }
    go(x, 0);
    hki_kin_scalar(k, s, &value, &rate);
    ck_near(rate, sum, 1e-9);
  }
}

static void check(build *b) {
  motion x = start(b, 5);
  check_bodies(&x);
  check_rows(&x);
  check_scalars(&x);
  end(&x);
}

START_TEST(trees) {
  build b = build_chain(joint_types, JOINT_TYPES);
  check(&b);
  for (int i = 0; i < JOINT_TYPES; i++)
    for (int k = 0; k < JOINT_TYPES; k++) {
      const char *types[] = {joint_types[k], "revolute", joint_types[i], "spherical"};
      b = build_chain(types, 4);
      check(&b);
    }
}
END_TEST

/* prescribed coordinates of every tree joint, forwards and reversed, and of the same joints cut */
START_TEST(motions) {
  for (int cut = 0; cut < 2; cut++)
    for (int i = 1; i < JOINT_TYPES; i++)
      for (int place = 0; place < 3; place++) {
        const char *types[] = {"spherical", "revolute", "prismatic", "universal"};
        types[place] = joint_types[i];
        build b = build_chain(types, 4);
        hk_spec_joint *j = &b.spec->joints[place];
        char name[16];
        if (cut) j->cut = HK_CUT_ALWAYS;
        for (int32_t c = 0; c < j->ops->ns; c++) {
          snprintf(name, sizeof name, "s%d", c);
          j->motion[c] = build_signal(&b, name, c ? "t^3 - t" : "0.3*sin(2*t)");
        }
        check(&b);
      }
}
END_TEST

/* every joint that can be cut, between ground and the end, and between bodies */
START_TEST(closures) {
  static const char *const cut[] = {"fixed",     "revolute",  "prismatic", "cylindrical", "screw",
                                    "universal", "spherical", "planar",    "distance",    "in_line",
                                    "in_plane",  "general",   "rolling"};
  for (int i = 0; i < HK_ARRAY_LEN(cut); i++)
    for (int far = 0; far < 2; far++) {
      build b =
          build_chain((const char *const[]){"revolute", "spherical", "universal", "prismatic"}, 4);
      double p[3] = {1.8, 0.2, 0.1}, z[3] = {0.2, 0.8, -0.4};
      int32_t first = far ? 0 : HK_GROUND;
      int32_t j = i == 8 ? build_distance(&b, "loop", 3, first, p, (double[]){0.4, 0.8, -0.3})
                         : build_joint(&b, "loop", cut[i], first, 3, p, z);
      hk_spec_joint *sj = &b.spec->joints[j];
      if (sj->ops->place != HK_PLACE_ENDS) build_numbers(&b, j, 0.2, 1.2, 0x2d);
      turn_disc(sj);
      sj->cut = HK_CUT_ALWAYS;
      if (i == 11) sj->row_signal[3] = build_signal(&b, "row", "0.1*t^2");
      check(&b);
    }
}
END_TEST

START_TEST(planar) {
  for (int32_t cut = 0; cut < 4; cut++) {
    build b = build_slider_crank(true, cut);
    b.spec->joints[0].motion[0] = build_signal(&b, "turn", "2*t");
    b.spec->joints[3].motion[0] = build_signal(&b, "push", "0.1*t^2");
    check(&b);
  }
}
END_TEST

Suite *suite_positions(void) {
  Suite *s = suite_create("positions");
  TCase *c = tcase_create("differences");
  tcase_add_test(c, trees);
  tcase_add_test(c, motions);
  tcase_add_test(c, closures);
  tcase_add_test(c, planar);
  suite_add_tcase(s, c);
  return s;
}

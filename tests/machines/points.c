/* SPDX-License-Identifier: Apache-2.0
 *
 * Natural coordinates: sizes of known mechanisms; maps, mass matrix and rows against the rigid
 * motions of the tree; gradients and biases against finite differences; accelerations of every
 * joint, in trees and in loops, planar and spatial, against the tree machine.
 */
#include <stdlib.h>

#include "support_points.h"
#include "runner.h"

/* --- what must hold for every mechanism at every state ---------------------------------------- */

/* rows vanish, and so do their rates */
static void check_rows(pair *p) {
  hk_points *n = p->n;
  double *y = calloc((size_t)n->nrows + 1, sizeof *y);
  hki_points_state(n, p->t, p->q, p->v);
  hki_points_rows(n, p->q);
  hki_points_mul_rows(n, p->v, y);
  for (int32_t i = 0; i < n->nrows; i++) {
    ck_assert_msg(fabs(n->phi[i]) < 1e-9, "row %d is %g", i, n->phi[i]);
    ck_assert_msg(fabs(y[i] + n->phit[i]) < 1e-8, "rate of row %d is %g", i, y[i] + n->phit[i]);
  }
  free(y);
}

/* kinetic energy */
static void check_mass(pair *p, double tolerance) {
  double T = 0.0, *y = calloc((size_t)p->n->n + 1, sizeof *y);
  hki_kin_state(&p->s->kin, p->t, p->qt, p->vt);
  hki_kin_signals(&p->s->kin, false);
  hki_kin_energy(&p->s->kin);
  hki_points_add_mass(p->n, p->v, y);
  for (int32_t i = 0; i < p->n->n; i++) T += 0.5 * p->v[i] * y[i];
  ck_near(T, p->s->kin.kinetic, tolerance);
  free(y);
}

/* to tree coordinates and back; frames of the bodies */
static void check_frames(pair *p) {
  hk_points *n = p->n;
  double *qt = calloc((size_t)p->m->nq + 1, sizeof *qt),
         *vt = calloc((size_t)p->m->nv + 1, sizeof *vt),
         *at = calloc((size_t)p->m->nv + 1, sizeof *at);
  hki_points_to_tree(n, p->q, p->v, p->a, qt, vt, at);
  for (int32_t i = 0; i < p->m->nq; i++) ck_near(qt[i], p->qt[i], 1e-11);
  for (int32_t i = 0; i < p->m->nv; i++) ck_near(vt[i], p->vt[i], 1e-10);
  hki_points_state(n, p->t, p->q, p->v);
  hki_kin_state(&p->s->kin, p->t, p->qt, p->vt);
  for (int32_t b = 0; b < p->m->nb; b++) {
    if (n->map[b].ndir < 3) continue;
    const hk_frame *f = &n->it.frame[b], *g = &p->s->kin.frame[b];
    for (int i = 0; i < 9; i++) ck_near(f->R[i], g->R[i], 1e-11);
    for (int i = 0; i < 3; i++) {
      ck_near(f->p[i], g->p[i], 1e-11);
      ck_near(f->w[i], g->w[i], 1e-10);
      ck_near(f->v[i], g->v[i], 1e-10);
    }
  }
  drop(3, (double *[]){qt, vt, at});
}

/* accelerations against the tree's */
static void check_accelerations(pair *p) {
  double *qt = calloc((size_t)p->m->nq + 1, sizeof *qt),
         *vt = calloc((size_t)p->m->nv + 1, sizeof *vt),
         *at = calloc((size_t)p->m->nv + 1, sizeof *at);
  ck_assert_int_eq(hki_tree_accel(p->s, p->t, p->qt, p->vt, p->at), HK_OK);
  ck_assert_int_eq(p->f->ops->accel(p->f, p->t, p->q, p->v, p->a), HK_OK);
  p->f->ops->to_tree(p->f, p->q, p->v, p->a, qt, vt, at);
  for (int32_t i = 0; i < p->m->nv; i++) ck_near(at[i], p->at[i], 1e-7);
  drop(3, (double *[]){qt, vt, at});
}

/* gradients of quadratic rows anywhere, of the others along rigid motions; biases along them */
static void check_gradients(pair *p) {
  hk_points *n = p->n;
  const double h = 1e-5;
  int32_t rows = n->nrows;
  double *y = calloc((size_t)rows + 1, sizeof *y), *lo = calloc((size_t)rows + 1, sizeof *lo),
         *d = calloc((size_t)n->n + 1, sizeof *d), *q = calloc((size_t)n->n + 1, sizeof *q);
  uint64_t seed = 99;
  for (int32_t i = 0; i < n->n; i++) d[i] = noise(&seed);
  for (int pass = 0; pass < 2; pass++) {
    // any direction, then the rigid motion itself
    if (pass == 1) memcpy(d, p->v, (size_t)n->n * sizeof *d);
    hki_points_state(n, p->t, p->q, p->v);
    hki_points_rows(n, p->q);
    hki_points_mul_rows(n, d, y);
    for (int32_t i = 0; i < n->n; i++) q[i] = p->q[i] - h * d[i];
    hki_points_state(n, p->t, q, p->v);
    hki_points_rows(n, q);
    memcpy(lo, n->phi, (size_t)rows * sizeof *lo);
    for (int32_t i = 0; i < n->n; i++) q[i] = p->q[i] + h * d[i];
    hki_points_state(n, p->t, q, p->v);
    hki_points_rows(n, q);
    for (int32_t i = 0; i < rows; i++) {
      bool quad = false;
      for (int32_t k = 0; k < n->nquad; k++)
        quad |= i >= n->quad[k].row0 && i < n->quad[k].row0 + n->quad[k].nrows;
      if (pass == 1 || quad) ck_near(y[i], (n->phi[i] - lo[i]) / (2 * h), 2e-8);
    }
  }
  drop(4, (double *[]){y, lo, d, q});
}

/* second derivatives of the rows along the motion with accelerations a vanish: bias */
static void check_bias(pair *p) {
  hk_points *n = p->n;
  double *y = calloc((size_t)n->nrows + 1, sizeof *y);
  hki_points_state(n, p->t, p->q, p->v);
  hki_points_rows(n, p->q);
  hki_points_bias(n, p->v);
  hki_points_mul_rows(n, p->a, y);
  for (int32_t i = 0; i < n->nrows; i++)
    ck_assert_msg(fabs(y[i] + n->gamma[i]) < 1e-7 * (1.0 + fabs(y[i])), "row %d: %g + %g", i, y[i],
                  n->gamma[i]);
  free(y);
}

/* the tree's accelerations, as natural ones: points of bodies by finite differences in time */
static void natural_accelerations(pair *p, double *a) {
  const double h = 1e-5;
  hk_points *n = p->n;
  double *qt = calloc((size_t)p->m->nq + 1, sizeof *qt),
         *d = calloc((size_t)p->m->nv + 1, sizeof *d), *v = calloc((size_t)p->m->nv + 1, sizeof *v),
         *q = calloc((size_t)n->n + 1, sizeof *q), *lo = calloc((size_t)n->n + 1, sizeof *lo),
         *hi = calloc((size_t)n->n + 1, sizeof *hi);
  for (int side = -1; side <= 1; side += 2) {
    for (int32_t i = 0; i < p->m->nv; i++) {
      d[i] = side * h * p->vt[i] + 0.5 * h * h * p->at[i];
      v[i] = p->vt[i] + side * h * p->at[i];
    }
    hki_tree_plus(p->m, p->qt, d, qt);
    hki_points_from_tree(n, qt, v, q, side < 0 ? lo : hi);
  }
  for (int32_t i = 0; i < n->n; i++) a[i] = (hi[i] - lo[i]) / (2 * h);
  hki_points_from_tree(n, p->qt, p->vt, q, lo);
  drop(6, (double *[]){qt, d, v, q, lo, hi});
}

static void check_natural_accelerations(pair *p) {
  double *a = calloc((size_t)p->n->n + 1, sizeof *a);
  natural_accelerations(p, a);
  for (int32_t i = 0; i < p->n->n; i++) ck_near(p->a[i], a[i], 2e-6);
  free(a);
}

static void check_all(build b, hk_points_choice choice, double t, double size, uint64_t seed) {
  pair p = pair_make(&b, choice);
  pair_state(&p, t, size, seed);
  check_rows(&p);
  check_mass(&p, 1e-12);
  check_accelerations(&p);
  check_frames(&p);
  check_bias(&p);
  check_gradients(&p);
  bool rods = false;
  for (int32_t i = 0; i < p.m->nb; i++) rods |= p.n->map[i].ndir < 3;
  if (!rods) check_natural_accelerations(&p);
  pair_free(&p);
}

/* --- mechanisms ------------------------------------------------------------------------------- */

static const char *const types[] = {"free",   "revolute",    "spherical", "universal", "prismatic",
                                    "planar", "cylindrical", "screw",     "fixed"};
static const char *const flat[] = {"free", "revolute", "spherical", "prismatic", "planar", "fixed"};
/* every joint after every other, with a third one, in trees */
START_TEST(trees) {
  const int32_t n = HK_ARRAY_LEN(types);
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = test_few() ? i % 3 : 0; j < n; j += test_few() ? 3 : 1) {
      build b = begin(false);
      for (int32_t k = 0; k < 3; k++) add_body(&b, k, 0.7 * k);
      add_joint(&b, types[i], HK_GROUND, 0, 0.0, 3);
      add_joint(&b, types[j], j % 2 ? 1 : 0, j % 2 ? 0 : 1, 0.7, 4);
      add_joint(&b, types[(i + j) % n], i % 2 ? 2 : 0, i % 2 ? 0 : 2, 1.4, 5);
      check_all(b, (i + j) % 3, 0.0, 0.4, 11);
    }
}
END_TEST

/* a free body and another on it, closed to the ground by every joint; the cut is given or not */
START_TEST(loops) {
  for (int32_t c = 0; c < HK_ARRAY_LEN(closing); c++)
    for (int32_t j = 1; j < HK_ARRAY_LEN(types) - 1; j++)
      for (int cut = 0; cut < 2; cut++) {
        if (test_few() && (c + j) % 3 != cut) continue;
        build b = begin(false);
        for (int32_t k = 0; k < 2; k++) add_body(&b, k, 0.7 * k);
        add_joint(&b, types[j], 0, 1, 0.7, 4);
        int32_t last = add_joint(&b, closing[c], 1, HK_GROUND, 1.4, 6);
        if (cut) b.spec->joints[last].cut = HK_CUT_ALWAYS;
        check_all(b, (c + j) % 3, 0.0, 0.2, 12);
      }
}
END_TEST

START_TEST(planar_trees) {
  const int32_t n = HK_ARRAY_LEN(flat);
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < n; j++) {
      build b = begin(true);
      for (int32_t k = 0; k < 3; k++) add_body(&b, k, 0.7 * k);
      add_joint(&b, flat[i], HK_GROUND, 0, 0.0, 3);
      add_joint(&b, flat[j], j % 2 ? 1 : 0, j % 2 ? 0 : 1, 0.7, 4);
      add_joint(&b, flat[(i + j) % n], 0, 2, 1.4, 5);
      check_all(b, (i + j) % 3, 0.0, 0.4, 13);
    }
}
END_TEST

START_TEST(planar_loops) {
  for (int32_t c = 0; c < HK_ARRAY_LEN(flat_closing); c++)
    for (int32_t j = 0; j < HK_ARRAY_LEN(flat) - 1; j++)
      for (int cut = 0; cut < 2; cut++) {
        build b = begin(true);
        for (int32_t k = 0; k < 2; k++) add_body(&b, k, 0.7 * k);
        add_joint(&b, flat[j], 0, 1, 0.7, 4);
        int32_t last = add_joint(&b, flat_closing[c], 1, HK_GROUND, 1.4, 6);
        if (cut) b.spec->joints[last].cut = HK_CUT_ALWAYS;
        check_all(b, (j + cut) % 3, 0.0, 0.2, 14);
      }
}
END_TEST

/* prescribed coordinates, on joints of the tree and on cut ones */
START_TEST(motions) {
  static const char *const moved[] = {"revolute", "universal",   "prismatic",
                                      "planar",   "cylindrical", "screw"};
  for (int32_t i = 0; i < HK_ARRAY_LEN(moved); i++)
    for (int cut = 0; cut < 2; cut++) {
      build b = begin(false);
      for (int32_t k = 0; k < 2; k++) add_body(&b, k, 0.7 * k);
      add_joint(&b, "spherical", HK_GROUND, 0, 0.0, 3);
      int32_t j = add_joint(&b, moved[i], cut ? 1 : 0, cut ? 0 : 1, 0.7, 4);
      int32_t s = build_signal(&b, "drive", "0.3*sin(2*t + 0.2)");
      b.spec->joints[j].motion[b.spec->joints[j].ops->ns - 1] = s;
      if (cut) b.spec->joints[j].cut = HK_CUT_ALWAYS;
      check_all(b, (i + cut) % 3, 0.4, 0.1, 15);
    }
}
END_TEST

/* massless rods: two ends are enough between balls, three elements on a pin */
START_TEST(rods) {
  for (int choice = 0; choice < 3; choice++) {
    build b = begin(false);
    add_body(&b, 0, 0.0);
    add_body(&b, 1, 0.7);
    int32_t rod = build_massless(&b, "rod"), link = build_massless(&b, "link");
    add_joint(&b, "free", HK_GROUND, 0, 0.0, 3);
    build_joint_at(&b, "r0", "spherical", 0, rod, 0.1, 0.6, 0.3, 2);
    build_joint_at(&b, "r1", "spherical", rod, 1, 0.9, 0.5, 0.2, 2);
    build_joint_at(&b, "l0", "revolute", 0, link, 0.2, -0.4, 0.1, 0);
    build_joint_at(&b, "l1", "spherical", link, 1, 0.2, -0.5, 0.7, 2);
    pair p = pair_make(&b, choice);
    ck_assert_int_eq(p.n->map[p.m->body_of_spec[rod]].ndir, 1);
    ck_assert_int_eq(p.n->map[p.m->body_of_spec[link]].ndir, 2);
    pair_state(&p, 0.0, 0.1, 21);
    check_rows(&p);
    check_mass(&p, 1e-5); // the tree gives the rod's spin a tiny inertia
    // bodies with mass, whose accelerations do not depend on the rod's spin
    ck_assert_int_eq(hki_tree_accel(p.s, 0.0, p.qt, p.vt, p.at), HK_OK);
    ck_assert_int_eq(p.f->ops->accel(p.f, 0.0, p.q, p.v, p.a), HK_OK);
    double A[4 * 6], X[12];
    hki_kin_accelerations(&p.s->kin, p.at, NULL, A);
    for (int32_t k = 0; k < 2; k++) {
      int32_t body = p.m->body_of_spec[k];
      const hk_frame *f = &p.s->kin.frame[body];
      double a[3], r[3];
      v3_sub(r, f->p, p.s->kin.O + 3 * body);
      v3_copy(a, A + 6 * body + 3);
      v3_cross_add(a, A + 6 * body, r);
      v3_cross_add(a, f->w, f->v);
      hki_points_pose(p.n, body, p.a, true, X);
      for (int i = 0; i < 3; i++) ck_near(X[9 + i], a[i], 1e-6);
    }
    pair_free(&p);
  }
}
END_TEST

/* --- sizes ------------------------------------------------------------------------------------ */

START_TEST(sizes) {
  build b = double_four_bar();
  pair p = pair_make(&b, HK_POINTS_SHARED);
  // B0, B1, B2 and five lengths
  ck_assert_int_eq(p.n->n, 6);
  ck_assert_int_eq(p.n->nrows, 5);
  pair_free(&p);
  // one free body: a point and three vectors
  b = begin(false);
  add_body(&b, 0, 0.0);
  p = pair_make(&b, HK_POINTS_SHARED);
  ck_assert_int_eq(p.n->n, 12);
  ck_assert_int_eq(p.n->nrows, 6);
  pair_free(&p);
  // Bricard: four points, four axes; 23 independent rows and one more
  static const double P[6][3] = {{0, 0, 0},  {1, 0, 0},  {1, -1, 0},
                                 {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
  static const int axis[6] = {1, 2, 0, 1, 2, 0};
  b = begin(false);
  for (int i = 0; i < 5; i++) add_body(&b, i, 0.1 * i);
  for (int i = 0; i < 6; i++) {
    char name[8];
    snprintf(name, sizeof name, "p%d", i);
    build_joint_at(&b, name, "revolute", i - 1, i == 5 ? HK_GROUND : i, P[i][0], P[i][1], P[i][2],
                   axis[i]);
  }
  p = pair_make(&b, HK_POINTS_SHARED);
  ck_assert_int_eq(p.n->n, 24);
  ck_assert_int_eq(p.n->nrows, 24);
  pair_free(&p);
}
END_TEST

/* a plate with six pins: shared points are coordinates, or follow from the plate's own */
START_TEST(hubs) {
  for (int choice = 0; choice < 3; choice++) {
    build b = begin(false);
    add_body(&b, 0, 0.0);
    add_joint(&b, "free", HK_GROUND, 0, 0.0, 3);
    for (int i = 1; i < 7; i++) {
      add_body(&b, i, 0.3 * i);
      char name[8];
      snprintf(name, sizeof name, "p%d", i);
      build_joint_at(&b, name, "revolute", 0, i, 0.2 * i, i % 2, 0.1 * i * i, 0);
    }
    pair p = pair_make(&b, choice);
    // plate: 12; each arm: two elements more; six points and one axis or six, four of which carry
    // the plate; each of the others 3
    const int others[] = {[HK_POINTS_SHARED] = 3, [HK_POINTS_FEWEST] = 0, [HK_POINTS_SEPARATE] = 8};
    ck_assert_int_eq(p.n->n, 12 + 6 * 6 + 3 * others[choice]);
    // plate 6; arms 5 each; ties 3 each
    ck_assert_int_eq(p.n->nrows, 6 + 6 * 5 + 3 * others[choice]);
    pair_free(&p);
  }
}
END_TEST

/* --- forces ----------------------------------------------------------------------------------- */

START_TEST(forces) {
  build b = sprung();
  check_all(b, HK_POINTS_SHARED, 0.0, 0.3, 31);
  b = sprung();
  check_all(b, HK_POINTS_FEWEST, 0.0, 0.3, 32);
  b = sprung();
  check_all(b, HK_POINTS_SEPARATE, 0.0, 0.3, 33);
}
END_TEST

/* a wrench does the same work on the pose as on the rigid motion */
START_TEST(power) {
  for (int plane = 0; plane < 2; plane++) {
    build b = plane ? double_four_bar() : sprung();
    pair p = pair_make(&b, HK_POINTS_SHARED);
    uint64_t seed = 4;
    if (!plane) pair_state(&p, 0.0, 0.3, 34);
    for (int32_t i = 0; i < p.n->n && plane; i++) p.v[i] = noise(&seed);
    hki_points_state(p.n, 0.0, p.q, p.v);
    for (int32_t body = 0; body < p.m->nb; body++) {
      hk_offset o = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0.3, -0.2, plane ? 0.0 : 0.7}};
      double w[6], F[12], work = 0.0;
      hk_frame f;
      for (int i = 0; i < 6; i++) w[i] = noise(&seed);
      hki_points_marker(p.n, body, &o, &f);
      hki_points_pull(p.n, p.n->X + 12 * body, o.p, w, F);
      for (int i = 0; i < (plane ? 4 : 12); i++) work += F[i] * p.n->Xd[12 * body + i];
      ck_near(work, v3_dot(w, f.w) + v3_dot(w + 3, f.v), 1e-12);
    }
    pair_free(&p);
  }
}
END_TEST

/* allocations that fail leave nothing behind and are reported */
START_TEST(no_memory) {
  build b = sprung();
  hk_model *m = build_compile(&b);
  for (uint64_t at = 1;; at++) {
    hk_points *n = NULL;
    hki_alloc_fail_at(b.ctx, at);
    hk_status st = hki_points_create(b.ctx, m, at % 3, &n);
    hki_alloc_fail_at(b.ctx, 0);
    if (st == HK_OK) {
      hki_points_destroy(n);
      break;
    }
    ck_assert_int_eq(st, HK_E_MEMORY);
    ck_assert_ptr_null(n);
    ck_assert_int_lt((int)at, 5000);
  }
  build_end(&b, m);
}
END_TEST

Suite *suite_points(void) {
  Suite *s = suite_create("points");
  TCase *c = tcase_create("natural coordinates");
  tcase_add_test(c, trees);
  tcase_add_test(c, loops);
  tcase_add_test(c, planar_trees);
  tcase_add_test(c, planar_loops);
  tcase_add_test(c, motions);
  tcase_add_test(c, rods);
  tcase_add_test(c, sizes);
  tcase_add_test(c, hubs);
  tcase_add_test(c, forces);
  tcase_add_test(c, power);
  tcase_add_test(c, no_memory);
  suite_add_tcase(s, c);
  return s;
}

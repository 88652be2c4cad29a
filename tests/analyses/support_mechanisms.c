/* SPDX-License-Identifier: Apache-2.0
 *
 * support_mechanisms.c: see support.h.
 */
#include <stdlib.h>

#include "support.h"

enum { STARTS = 16 };

rig rig_make(build *b) {
  rig r = rig_make_bare(b);
  ck_assert_int_eq(hki_tree_matrix(r.s), HK_OK);
  return r;
}

rig rig_make_bare(build *b) {
  rig r = {.b = *b};
  r.m = build_compile(&r.b);
  ck_assert_int_eq(hki_tree_create(r.b.ctx, r.m, &r.s), HK_OK);
  r.q = calloc((size_t)r.m->nq + 1, sizeof(double));
  r.v = calloc((size_t)r.m->nv + 1, sizeof(double));
  r.a = calloc((size_t)r.m->nv + 1, sizeof(double));
  if (r.m->nq) memcpy(r.q, r.m->q_draw, (size_t)r.m->nq * sizeof(double));
  hki_kin_state(&r.s->kin, 0.0, r.q, r.v);
  hki_kin_commit_turns(&r.s->kin);
  return r;
}

void rig_free(rig *r) {
  hki_tree_destroy(r->s);
  free(r->q);
  free(r->v);
  free(r->a);
  build_end(&r->b, r->m);
}

static void print_messages(const rig *r) {
  for (int32_t i = 0; i < hk_ctx_message_count(r->b.ctx); i++)
    fprintf(stderr, "%s\n", hk_ctx_message(r->b.ctx, i)->text);
}

hk_assembly rig_assemble(rig *r) {
  hk_assembly out = {.q = r->q, .v = r->v};
  hk_status st = hki_assemble(r->s, &out);
  if (st != HK_OK) print_messages(r);
  ck_assert_int_eq(st, HK_OK);
  return out;
}

bool rig_said(const rig *r, hk_severity severity, const char *part) {
  for (int32_t i = 0; i < hk_ctx_message_count(r->b.ctx); i++) {
    const hk_message *m = hk_ctx_message(r->b.ctx, i);
    if (m->severity == severity && strstr(m->text, part)) return true;
  }
  return false;
}

void rig_assemble_fails(rig *r, const char *part) {
  hk_assembly out = {.q = r->q, .v = r->v};
  ck_assert_int_eq(hki_assemble(r->s, &out), HK_E_ASSEMBLY);
  if (!rig_said(r, HK_ERROR, part)) print_messages(r);
  ck_assert_msg(rig_said(r, HK_ERROR, part), "no error with '%s'", part);
}

hk_mobility rig_mobility(rig *r) {
  hk_mobility mob;
  ck_assert_int_eq(hki_mobility(r->s, 0.0, r->q, r->v, &mob), HK_OK);
  return mob;
}

void rig_accelerate(rig *r, double t) {
  ck_assert_int_eq(hki_tree_accel(r->s, t, r->q, r->v, r->a), HK_OK);
}

void rig_close(rig *r, double t) {
  hk_tree *s = r->s;
  double gap = 1.0;
  double *d = calloc((size_t)r->m->nv + 1, sizeof *d);
  for (int it = 0; it < 50 && gap > 1e-14; it++) {
    double *v = calloc((size_t)r->m->nv + 1, sizeof *v);
    memset(d, 0, (size_t)r->m->nv * sizeof *d);
    // the velocity projection with Phi in the place of Phi_t is Newton's correction
    ck_assert_int_eq(hki_tree_project_velocity(s, t, r->q, v), HK_OK);
    hki_tree_state(s, t, r->q, d, 0);
    gap = hki_tree_row_norm(s, s->kin.phi);
    hki_tree_project(s, 1.0, s->kin.phi, HK_TREE_CLOSED, d);
    hki_tree_plus(r->m, r->q, d, r->q);
    free(v);
  }
  ck_assert_double_lt(gap, 1e-11);
  free(d);
  ck_assert_int_eq(hki_tree_project_velocity(s, t, r->q, r->v), HK_OK);
}

int32_t build_rod(build *b, const char *name, double mass, double section, const double *p,
                  const double *q) {
  double u[3], l, along = mass * section * section / 6.0;
  v3_sub(u, q, p);
  l = v3_normalize(u);
  double across = mass * (l * l + section * section) / 12.0;
  int32_t i =
      build_body(b, name, mass, 0.5 * (p[0] + q[0]), 0.5 * (p[1] + q[1]), 0.5 * (p[2] + q[2]));
  double *J = b->spec->bodies[i].J;
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++)
      J[3 * r + c] = (r == c ? across : 0.0) + (along - across) * u[r] * u[c];
  return i;
}

static hk_spec_start *new_start(build *b) {
  hk_spec *s = b->spec;
  if (!s->starts) s->starts = hki_pool_alloc(s->pool, STARTS * sizeof *s->starts);
  ck_assert_int_lt(s->nstarts, STARTS);
  hk_spec_start *st = &s->starts[s->nstarts++];
  st->joint = st->body = HK_NONE;
  st->loc = HK_LOC_NONE;
  for (int i = 0; i < 6; i++) st->q_loc[i] = st->v_loc[i] = HK_LOC_NONE;
  for (int i = 0; i < 4; i++) st->given_loc[i] = HK_LOC_NONE;
  return st;
}

hk_spec_start *build_start_joint(build *b, int32_t joint) {
  hk_spec_start *st = new_start(b);
  st->joint = joint;
  return st;
}

hk_spec_start *build_start_body(build *b, int32_t body) {
  hk_spec_start *st = new_start(b);
  st->body = body;
  return st;
}

static void gravity_y(build *b) { v3_set(b->spec->gravity, 0.0, -9.81, 0.0); }

static void plane_xy(build *b, bool planar) {
  b->spec->planar = planar;
  v3_set(b->spec->normal, 0.0, 0.0, 1.0);
}

static void hint(build *b, int32_t cut) {
  if (cut >= 0) b->spec->joints[cut].cut = HK_CUT_ALWAYS;
}

build build_bricard(int32_t cut) {
  static const double P[6][3] = {{0, 0, 0},  {1, 0, 0},  {1, -1, 0},
                                 {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
  static const int axis[6] = {1, 2, 0, 1, 2, 0};
  build b = build_begin(5, 6);
  char name[16];
  gravity_y(&b);
  for (int i = 0; i < 5; i++) {
    snprintf(name, sizeof name, "rod%d", i + 1);
    build_rod(&b, name, 1.0, 0.1, P[i], P[i + 1]);
  }
  for (int i = 0; i < 6; i++) {
    snprintf(name, sizeof name, "j%d", i + 1);
    build_joint_at(&b, name, "revolute", i == 0 ? HK_GROUND : i - 1, i == 5 ? HK_GROUND : i,
                   P[i][0], P[i][1], P[i][2], axis[i]);
  }
  hint(&b, cut);
  return b;
}

build build_double_four_bar(double th, bool planar) {
  build b = build_begin(5, 7);
  double A[3][3], B[3][3];
  gravity_y(&b);
  plane_xy(&b, planar);
  for (int i = 0; i < 3; i++) {
    v3_set(A[i], i, 0, 0);
    v3_set(B[i], i + sin(th), cos(th), 0);
  }
  for (int i = 0; i < 3; i++)
    build_rod(&b, (const char *[]){"c0", "c1", "c2"}[i], 1, 0, A[i], B[i]);
  build_rod(&b, "k0", 1, 0, B[0], B[1]);
  build_rod(&b, "k1", 1, 0, B[1], B[2]);
  for (int i = 0; i < 3; i++)
    build_joint_at(&b, (const char *[]){"A0", "A1", "A2"}[i], "revolute", HK_GROUND, i, A[i][0],
                   A[i][1], A[i][2], 2);
  static const int32_t pair[4][3] = {{0, 3, 0}, {3, 1, 1}, {1, 4, 1}, {4, 2, 2}};
  for (int i = 0; i < 4; i++)
    build_joint_at(&b, (const char *[]){"B0", "B1a", "B1b", "B2"}[i], "revolute", pair[i][0],
                   pair[i][1], B[pair[i][2]][0], B[pair[i][2]][1], 0.0, 2);
  return b;
}

build build_four_bar(bool planar, int32_t cut) {
  static const double P[4][3] = {{0, 0, 0}, {0.3, 0.4, 0}, {1.5, 0.9, 0}, {1.2, -0.1, 0}};
  build b = build_begin(3, 4);
  gravity_y(&b);
  plane_xy(&b, planar);
  build_rod(&b, "crank", 1.0, 0.05, P[0], P[1]);
  build_rod(&b, "coupler", 2.0, 0.05, P[1], P[2]);
  build_rod(&b, "rocker", 1.5, 0.05, P[2], P[3]);
  for (int i = 0; i < 4; i++)
    build_joint_at(&b, (const char *[]){"O", "A", "B", "C"}[i], "revolute", i == 0 ? -1 : i - 1,
                   i == 3 ? -1 : i, P[i][0], P[i][1], P[i][2], 2);
  hint(&b, cut);
  return b;
}

build build_slider_crank(bool planar, int32_t cut) {
  static const double O[3] = {0, 0, 0}, A[3] = {0.2, 0.15, 0}, B[3] = {0.8, 0.05, 0};
  build b = build_begin(3, 4);
  gravity_y(&b);
  plane_xy(&b, planar);
  build_rod(&b, "crank", 1.0, 0.02, O, A);
  build_rod(&b, "rod", 2.0, 0.02, A, B);
  build_body(&b, "slider", 1.5, B[0], B[1], B[2]);
  build_joint_at(&b, "O", "revolute", HK_GROUND, 0, 0, 0, 0, 2);
  build_joint_at(&b, "A", "revolute", 0, 1, A[0], A[1], A[2], 2);
  build_joint_at(&b, "B", "revolute", 1, 2, B[0], B[1], B[2], 2);
  build_joint_at(&b, "P", "prismatic", HK_GROUND, 2, B[0], B[1], B[2], 0);
  hint(&b, cut);
  return b;
}

const char *const joint_types[JOINT_TYPES] = {"free",      "revolute", "spherical",   "universal",
                                              "prismatic", "planar",   "cylindrical", "screw"};

build build_chain(const char *const *types, int32_t n) {
  build b = build_begin(n + 1, n + 4);
  char name[16];
  uint64_t seed = 77;
  v3_set(b.spec->gravity, 1.0, -2.0, -9.0);
  for (int32_t i = 0; i < n; i++) {
    double x = 0.7 * i;
    snprintf(name, sizeof name, "b%d", i);
    int32_t body = build_body(&b, name, 1.0 + 0.3 * i, x + 0.4, 0.3 * noise(&seed), 0.2);
    double *J = b.spec->bodies[body].J;
    J[0] = 0.3, J[4] = 0.5, J[8] = 0.6;
    J[1] = J[3] = 0.03, J[2] = J[6] = -0.05;
    snprintf(name, sizeof name, "j%d", i);
    double p[3] = {x, 0.1 * noise(&seed), 0.1 * noise(&seed)},
           z[3] = {noise(&seed), noise(&seed), noise(&seed)};
    bool turned = i % 3 == 2;
    int32_t j =
        build_joint(&b, name, types[i], turned ? body : body - 1, turned ? body - 1 : body, p, z);
    build_numbers(&b, j, 0.2, 1.2, 0);
  }
  return b;
}

void turn_disc(hk_spec_joint *j) {
  double R[9], turn[9];
  if (!j->ops->rate_rows) return;
  joint_set(j->ops, j->par, "radius", 0.3);
  rot_axis(turn, (const double[]){1, 0, 0}, 1.1);
  m3_mul(R, j->marker[1].R, turn);
  memcpy(j->marker[1].R, R, sizeof R);
}

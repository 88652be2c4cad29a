/* SPDX-License-Identifier: Apache-2.0
 *
 * support_points.c: see support_points.h.
 */
#include <stdlib.h>

#include "support_points.h"

#include "model/support_build.c"

static double *numbers(int32_t n) { return calloc((size_t)n + 1, sizeof(double)); }

pair pair_make(build *b, hk_points_choice choice) {
  static const char *const words[] = {"shared", "fewest", "separate"};
  pair p = {.b = *b};
  double par[HK_FORMULATION_PAR_MAX / 8] = {0};
  char buf[200];
  uint64_t given = 0;
  const hk_formulation_entry *fe = hki_formulation_find("global");
  p.m = build_compile(&p.b);
  ck_assert_int_eq(hki_tree_create(p.b.ctx, p.m, &p.s), HK_OK);
  ck_assert_int_eq(hki_tree_matrix(p.s), HK_OK);
  ck_assert_int_eq(hki_points_create(p.b.ctx, p.m, choice, &p.n), HK_OK);
  hki_params_default(fe->ops->params, par);
  ck_assert(hki_params_set(fe->ops->params, par, "coordinates",
                           (hk_param_value){.text = words[choice]}, &given, buf, sizeof buf));
  ck_assert_int_eq(fe->create(p.b.ctx, p.m, par, &p.f), HK_OK);
  p.qt = numbers(p.m->nq), p.vt = numbers(p.m->nv), p.at = numbers(p.m->nv);
  p.q = numbers(p.n->n), p.v = numbers(p.n->n), p.a = numbers(p.n->n);
  if (p.m->nq) memcpy(p.qt, p.m->q_draw, (size_t)p.m->nq * sizeof(double));
  hki_kin_state(&p.s->kin, 0.0, p.qt, p.vt);
  hki_kin_commit_turns(&p.s->kin);
  // one set of discrete data, as in a run
  hki_kin_share_discrete(&p.n->kin, &p.s->kin);
  hki_kin_share_discrete(fe->kin(p.f), &p.s->kin);
  hki_points_from_tree(p.n, p.qt, p.vt, p.q, p.v);
  ck_assert_int_eq(p.f->ops->from_tree(p.f, p.qt, p.vt, p.q, p.v), HK_OK);
  return p;
}

void pair_free(pair *p) {
  p->f->ops->destroy(p->f);
  hki_points_destroy(p->n);
  hki_tree_destroy(p->s);
  double *all[] = {p->qt, p->vt, p->at, p->q, p->v, p->a};
  for (int i = 0; i < HK_ARRAY_LEN(all); i++) free(all[i]);
  build_end(&p->b, p->m);
}

void pair_state(pair *p, double t, double size, uint64_t seed) {
  double *d = numbers(p->m->nv);
  for (int32_t i = 0; i < p->m->nv; i++) {
    d[i] = size * noise(&seed);
    p->vt[i] = noise(&seed);
  }
  hki_tree_plus(p->m, p->m->q_draw, d, p->qt);
  free(d);
  p->t = t;
  ck_assert_int_eq(hki_tree_project_state(p->s, t, p->qt, p->vt), HK_OK);
  hki_kin_commit_turns(&p->s->kin);
  hki_points_from_tree(p->n, p->qt, p->vt, p->q, p->v);
  ck_assert_int_eq(p->f->ops->from_tree(p->f, p->qt, p->vt, p->q, p->v), HK_OK);
}

/* --- mechanisms ------------------------------------------------------------------------------- */

static const double up[3] = {0, 0, 1};

int32_t add_body(build *b, int32_t i, double x) {
  char name[16];
  uint64_t seed = 5u + (uint64_t)i;
  snprintf(name, sizeof name, "b%d", i);
  int32_t body = build_body(b, name, 1.0 + 0.3 * i, x + 0.4, 0.3 * noise(&seed), 0.2);
  double *J = b->spec->bodies[body].J;
  J[0] = 0.3, J[4] = 0.5, J[8] = 0.6;
  J[1] = J[3] = 0.03, J[2] = J[6] = -0.05;
  return body;
}

int32_t add_joint(build *b, const char *type, int32_t first, int32_t second, double x,
                  uint64_t seed) {
  char name[16];
  snprintf(name, sizeof name, "j%d", b->spec->njoints);
  double p[3] = {x, 0.1 * noise(&seed), 0.1 * noise(&seed)},
         z[3] = {noise(&seed), noise(&seed), noise(&seed)};
  if (b->spec->planar) v3_copy(z, up), p[2] = 0.3 * noise(&seed);
  if (b->spec->planar &&
      (!strcmp(type, "prismatic") || !strcmp(type, "in_line") || !strcmp(type, "in_plane")))
    v3_set(z, 0.8, -0.6, 0.0);
  if (!strcmp(type, "distance"))
    return build_distance(b, name, first, second, p, (double[]){x + 0.3, 0.5, p[2]});
  int32_t j = build_joint(b, name, type, first, second, p, z);
  build_numbers(b, j, 0.2, 1.2, 1u | 4u | 16u);
  return j;
}

build begin(bool planar) {
  build b = build_begin(8, 12);
  b.spec->planar = planar;
  v3_copy(b.spec->normal, up);
  v3_set(b.spec->gravity, 1.0, -2.0, planar ? 0.0 : -9.0);
  return b;
}

const char *const closing[POINTS_CLOSING] = {"revolute", "spherical",   "universal", "prismatic",
                                             "planar",   "cylindrical", "screw",     "fixed",
                                             "in_line",  "in_plane",    "distance",  "general"};
const char *const flat_closing[POINTS_FLAT_CLOSING] = {
    "revolute", "spherical", "prismatic", "planar", "in_line", "in_plane", "distance"};

build double_four_bar(void) {
  static const int32_t ends[5][2] = {{0, 3}, {1, 4}, {2, 5}, {3, 4}, {4, 5}};
  static const int32_t pins[7][3] = {{-1, 0, 0}, {-1, 1, 1}, {-1, 2, 2}, {0, 3, 3},
                                     {3, 1, 4},  {1, 4, 4},  {4, 2, 5}};
  build b = begin(true);
  char name[8];
  for (int i = 0; i < 5; i++) {
    double p[2][2];
    for (int k = 0; k < 2; k++) p[k][0] = ends[i][k] % 3, p[k][1] = ends[i][k] / 3;
    snprintf(name, sizeof name, "b%d", i);
    build_body(&b, name, 1.0, 0.5 * (p[0][0] + p[1][0]), 0.5 * (p[0][1] + p[1][1]), 0.0);
  }
  for (int i = 0; i < 7; i++) {
    snprintf(name, sizeof name, "j%d", i);
    build_joint_at(&b, name, "revolute", pins[i][0], pins[i][1], pins[i][2] % 3, pins[i][2] / 3,
                   0.0, 2);
  }
  return b;
}

static void set_u(build *b, int32_t f, const char *name, double x) {
  hk_spec_force *sf = &b->spec->forces[f];
  for (const hk_param *k = sf->ops->params; k->type != HK_P_END; k++)
    if (!strcmp(k->name, name)) sf->u[k->offset] = x, sf->u_given |= 1u << k->offset;
}

build sprung(void) {
  build b = begin(false);
  for (int32_t k = 0; k < 3; k++) add_body(&b, k, 0.7 * k);
  add_joint(&b, "free", HK_GROUND, 0, 0.0, 3);
  int32_t pin = add_joint(&b, "revolute", 0, 1, 0.7, 4);
  add_joint(&b, "universal", 1, 2, 1.4, 5);
  static const double p[3] = {0.2, 0.7, 0.1}, q[3] = {1.9, -0.4, 0.5};
  int32_t f = build_force(&b, "shock", "spring_damper", 0, 2, p, q);
  hk_frame m0[2] = {0};
  for (int i = 0; i < 2; i++) m3_identity(m0[i].R);
  v3_copy(m0[0].p, p);
  v3_copy(m0[1].p, q);
  set_u(&b, f, "stiffness", 700.0);
  set_u(&b, f, "damping", 30.0);
  set_u(&b, f, "length", 1.5);
  hk_spec_force *sf = &b.spec->forces[f];
  ck_assert_int_eq(sf->ops->prepare(b.ctx, HK_LOC_NONE, "shock", sf->par, sf->u_given, sf->u, m0),
                   HK_OK);
  // a motor that reads channels
  int32_t s =
      build_signal(&b, "control", "-3*joint.j1.angle - 2*joint.j1.rate + body.b2.velocity.x");
  int32_t t = build_joint_force(&b, "motor", "joint_torque", pin, 0);
  b.spec->forces[t].u_signal[0] = s;
  b.spec->forces[t].u_given |= 1u;
  return b;
}

void drop(int n, double **list) {
  for (int i = 0; i < n; i++) free(list[i]);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * tangents.c: the machine's matrices against finite differences of its own vectors: mass matrix of
 * the residual, material and exact tangents of the forces, curvature of the closures, inertial
 * forces.
 */
#include <stdlib.h>

#include "support.h"

#include "elements/beam.h"
#include "machines/tree/sweep.h"
#include "runner.h"

/* --- finite differences ----------------------------------------------------------------------- */

typedef struct probe {
  rig *r;
  double *q, *v, *a, *lam; /* where the derivatives are taken */
  double *r0, *r1;
  double *D; /* nv x nv: D[i][j] = d r_i / d x_j */
  int32_t n;
} probe;

typedef enum wanted { BY_POSITION, BY_VELOCITY, BY_ACCELERATION } wanted;

/* forces alone, without inertia: -Q + Phi_z' lam; or the whole residual */
static void vector(probe *p, bool inertia, const double *q, const double *v, const double *a,
                   double *out) {
  hk_tree *s = p->r->s;
  const hk_model *m = s->m;
  hki_tree_state(s, 0.3, q, v, HK_FORCES_TANGENT);
  if (inertia) {
    hki_tree_residual(s, a, out);
  } else {
    double *W = calloc((size_t)(6 * m->nb) + 1, sizeof *W);
    memcpy(W, s->kin.W, (size_t)(6 * m->nb) * sizeof *W);
    for (int32_t b = m->nb - 1; b >= 0; b--) {
      const hk_model_body *mb = &m->bodies[b];
      for (int32_t j = mb->v0; j < mb->v0 + mb->nv; j++)
        out[j] = -s6_dot(s->kin.S + 6 * j, W + 6 * b) - s->kin.tau[j];
      if (mb->parent >= 0) s6_axpy(W + 6 * mb->parent, 1.0, W + 6 * b);
    }
    free(W);
  }
  hki_tree_add_rows(s, p->lam, out);
}

/* fourth-order central differences */
static void differentiate(probe *p, wanted w, bool inertia) {
  static const double c[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
  static const double at[4] = {-2, -1, 1, 2};
  const hk_model *m = p->r->m;
  double h = w == BY_POSITION ? 2e-4 : 1e-2;
  double *q = calloc((size_t)m->nq + 1, sizeof *q), *d = calloc((size_t)m->nv + 1, sizeof *d);
  memset(p->D, 0, (size_t)(p->n * p->n) * sizeof *p->D);
  for (int32_t j = 0; j < p->n; j++)
    for (int k = 0; k < 4; k++) {
      double *x = w == BY_VELOCITY ? p->v : p->a, keep = x[j];
      memset(d, 0, (size_t)m->nv * sizeof *d);
      if (w == BY_POSITION)
        d[j] = at[k] * h;
      else
        x[j] += at[k] * h;
      hki_tree_plus(m, p->q, d, q);
      vector(p, inertia, q, p->v, p->a, p->r1);
      x[j] = keep;
      for (int32_t i = 0; i < p->n; i++) p->D[i * p->n + j] += c[k] * p->r1[i] / h;
    }
  free(q);
  free(d);
}

static probe start(rig *r, double spread, uint64_t seed) {
  const hk_model *m = r->m;
  size_t nv = (size_t)m->nv + 1;
  probe p = {.r = r, .n = m->nv};
  double *d = calloc(nv, sizeof *d);
  p.q = calloc((size_t)m->nq + 1, sizeof(double));
  p.v = calloc(4 * nv, sizeof(double));
  p.a = p.v + nv;
  p.r0 = p.a + nv;
  p.r1 = p.r0 + nv;
  p.lam = calloc((size_t)m->nrows + 1, sizeof(double));
  p.D = calloc(nv * nv, sizeof(double));
  for (int32_t i = 0; i < m->nv; i++) {
    d[i] = spread * noise(&seed);
    p.v[i] = noise(&seed);
    p.a[i] = noise(&seed);
  }
  for (int32_t i = 0; i < m->nrows; i++) p.lam[i] = 20.0 * noise(&seed);
  hki_tree_plus(m, m->q_draw, d, p.q);
  free(d);
  hki_kin_state(&r->s->kin, 0.3, p.q, p.v);
  hki_kin_commit_turns(&r->s->kin);
  return p;
}

static void finish(probe *p) {
  free(p->q);
  free(p->v);
  free(p->lam);
  free(p->D);
}

/* symmetric part of D against the assembled values */
static void compare(const probe *p, const char *what, double tol) {
  const hk_tree *s = p->r->s;
  double size = 1.0;
  for (int32_t i = 0; i < p->n * p->n; i++) size = fmax(size, fabs(p->D[i]));
  for (int32_t i = 0; i < p->n; i++)
    for (int32_t j = 0; j <= i; j++) {
      int32_t slot = hki_ldl_slot(s->ldl, i, j);
      double got = slot < 0 ? 0.0 : s->num.val[slot];
      for (int32_t k = 0; k < s->border.rank; k++) {
        const double *U = s->border.U + k * p->n, *V = s->border.V + k * p->n;
        got += 0.5 * (U[i] * V[j] + U[j] * V[i]);
      }
      double want = 0.5 * (p->D[i * p->n + j] + p->D[j * p->n + i]);
      ck_assert_msg(fabs(got - want) <= tol * size, "%s (%d, %d): %.12g, differences say %.12g",
                    what, i, j, got, want);
    }
}

/* with the inertial forces */
static void check_whole(probe *p, const char *what) {
  hk_tree *s = p->r->s;
  ck_assert_int_eq(hki_tree_allow_exact(s), HK_OK);
  memcpy(s->a, p->a, (size_t)p->n * sizeof *s->a);
  for (int velocity = 0; velocity < 2; velocity++) {
    differentiate(p, velocity ? BY_VELOCITY : BY_POSITION, true);
    hki_tree_state(s, 0.3, p->q, p->v, HK_FORCES_TANGENT);
    hki_ldl_zero(s->ldl, &s->num);
    hki_tree_add_whole(s, velocity, 1 - velocity, p->lam);
    compare(p, what, 2e-9);
  }
}

/* The sweep solves with the whole unsymmetric matrix: T x by differences, then back to x. For models
 * whose forces with stiffness act between a body and the ground. */
static void check_sweep(build *b, double spread, const char *what) {
  const double cC = 0.3, cK = 0.2;
  rig r = rig_make(b);
  hk_tree *s = r.s;
  hk_aba aba = {0};
  hk_sweep w = {0};
  uint64_t seed = 5;
  hk_arena a = {0};
  hki_aba_layout(&aba, r.m, &a);
  hki_sweep_layout(&w, &aba, r.m, &a);
  unsigned char *block = calloc(1, a.used + 64);
  a = (hk_arena){block + (64 - (uintptr_t)block % 64) % 64, 0, a.used};
  hki_aba_layout(&aba, r.m, &a);
  hki_sweep_layout(&w, &aba, r.m, &a);
  hki_aba_init(&aba, s);
  ck_assert_int_eq(hki_tree_allow_exact(s), HK_OK);
  probe p = start(&r, spread, 2);
  const int32_t n = p.n;
  double *x = calloc((size_t)n, sizeof *x), *y = calloc((size_t)n, sizeof *y);
  for (int32_t i = 0; i < n; i++) x[i] = noise(&seed);
  for (int by = 0; by < 3; by++) {
    const double c = by == BY_POSITION ? cK : by == BY_VELOCITY ? cC : 1.0;
    differentiate(&p, (wanted)by, true);
    for (int32_t i = 0; i < n * n; i++) y[i / n] += c * p.D[i] * x[i % n];
  }
  hki_tree_state(s, 0.3, p.q, p.v, HK_FORCES_TANGENT);
  ck_assert_int_eq(hki_sweep_factor(&w, s, cC, cK, p.a, p.lam, NULL, NULL), HK_OK);
  hki_sweep_solve(&w, y, y);
  for (int32_t i = 0; i < n; i++)
    ck_assert_msg(fabs(y[i] - x[i]) < 1e-6, "%s, %d: %.10g, not %.10g", what, i, y[i], x[i]);
  free(x), free(y), free(block);
  finish(&p);
  rig_free(&r);
}

/* all there is to compare on one model; material: the tangent of a time step is exact too */
static void check(build *b, double spread, bool material, const char *what) {
  rig r = rig_make(b);
  hk_tree *s = r.s;
  for (uint64_t seed = 1; seed < 4; seed++) {
    probe p = start(&r, spread, seed);
    differentiate(&p, BY_ACCELERATION, true);
    hki_tree_state(s, 0.3, p.q, p.v, HK_FORCES_TANGENT);
    hki_tree_mass(s);
    hki_border_clear(&s->border);
    compare(&p, what, 1e-10);
    // position, velocity
    differentiate(&p, BY_POSITION, false);
    hki_tree_state(s, 0.3, p.q, p.v, HK_FORCES_TANGENT);
    hki_ldl_zero(s->ldl, &s->num);
    hki_border_clear(&s->border);
    hki_tree_add_exact(s, 0.0, 1.0, p.lam);
    compare(&p, what, 2e-9);
    differentiate(&p, BY_VELOCITY, false);
    hki_tree_state(s, 0.3, p.q, p.v, HK_FORCES_TANGENT);
    hki_ldl_zero(s->ldl, &s->num);
    hki_tree_add_exact(s, 1.0, 0.0, p.lam);
    compare(&p, what, 1e-9);
    hki_ldl_zero(s->ldl, &s->num);
    if (material) {
      hki_tree_add_forces(s, 1.0, 0.0);
      compare(&p, what, 1e-9);
    }
    if (seed == 1) check_whole(&p, what);
    finish(&p);
  }
  rig_free(&r);
}

/* --- mechanisms ------------------------------------------------------------------------------- */

START_TEST(pendulum) {
  build b = build_chain((const char *const[]){"revolute"}, 1);
  check(&b, 1.0, true, "pendulum");
}
END_TEST

START_TEST(trees) {
  build b = build_chain(joint_types, 8);
  check(&b, 0.4, true, "chain");
  // each type at the root and under another, once as written and once reversed
  for (int i = 0; i < 8; i++)
    for (int k = 1; k < 8; k++) {
      if (test_few() && (i + k) % 4) continue;
      const char *types[] = {joint_types[i], joint_types[k], "revolute"};
      b = build_chain(types, 3);
      check(&b, 0.4, true, joint_types[k]);
    }
}
END_TEST

START_TEST(sweep) {
  build b = build_chain(joint_types, 8);
  check_sweep(&b, 0.4, "chain");
  for (int i = 0; i < 8; i++)
    for (int k = 1; k < 8; k++) {
      if (test_few() && (i + k) % 4) continue;
      const char *types[] = {joint_types[i], joint_types[k], "revolute"};
      b = build_chain(types, 3);
      check_sweep(&b, 0.4, joint_types[k]);
    }
  // springs and dampers to the ground; closures to the ground
  b = build_chain(joint_types, 8);
  build_spring(&b, HK_GROUND, 2, (double[]){0, 1, 0}, (double[]){1.5, 0.2, 0.3}, 120, 7, 0.6, NULL);
  build_spring(&b, 6, HK_GROUND, (double[]){4.6, 0.3, 0.2}, (double[]){2.5, -0.5, 0.3}, 60, 4, 0.6,
               NULL);
  check_sweep(&b, 0.3, "springs");
  static const char *const cut[] = {"fixed", "revolute", "prismatic", "spherical", "in_line"};
  for (int i = 0; i < HK_ARRAY_LEN(cut); i++) {
    double p[3] = {1.8, 0.2, 0.1}, z[3] = {0.2, 0.8, -0.4};
    b = build_chain((const char *const[]){"revolute", "spherical", "universal", "prismatic"}, 4);
    int32_t j = build_joint(&b, "loop", cut[i], HK_GROUND, 3, p, z);
    b.spec->joints[j].cut = HK_CUT_ALWAYS;
    check_sweep(&b, 0.2, cut[i]);
  }
}
END_TEST

START_TEST(springs) {
  static const double axis[3] = {0.3, -0.5, 0.7};
  for (int along = 0; along < 2; along++) {
    build b = build_chain(joint_types, 8);
    const double *a = along ? axis : NULL;
    build_spring(&b, HK_GROUND, 2, (double[]){0, 1, 0}, (double[]){1.5, 0.2, 0.3}, 120, 7, 0.6, a);
    build_spring(&b, 1, 5, (double[]){0.8, 0.3, 0}, (double[]){3.5, 0.5, 0.3}, 80, 3, 0.6, a);
    build_spring(&b, 6, 3, (double[]){4.6, 0.3, 0.2}, (double[]){2.5, -0.5, 0.3}, 60, 4, 0.6, a);
    build_spring(&b, 4, HK_GROUND, (double[]){3, 0.3, 0.2}, (double[]){2.5, -0.5, 0.3}, 60, 4, 0.6,
                 a);
    check(&b, 0.3, true, along ? "along" : "spring");
  }
}
END_TEST

/* in axes of the first marker, of the second, half-way */
START_TEST(bushings) {
  const int32_t reference = _i;
  build b = build_chain(joint_types, 8);
  double K[36] = {0}, C[36] = {0};
  for (int i = 0; i < 6; i++) K[7 * i] = 50.0 + 10.0 * i, C[7 * i] = 3.0 + i;
  K[1] = K[6] = 7.0;
  for (int k = 0; k < 3; k++) {
    int32_t f = build_force(&b, force_name(&b), "bushing", k == 0 ? HK_GROUND : 1, k == 2 ? 7 : 4,
                            (double[]){0.5, 0.2, 0.1}, (double[]){0.6, 0.1, 0.3});
    force_par(&b, f, "stiffness", K, sizeof K);
    force_par(&b, f, "damping", C, sizeof C);
    force_par(&b, f, "reference", &reference, sizeof reference);
    force_done(&b, f);
  }
  check(&b, 0.1, true, "bushing");
}
END_TEST

/* a beam on three bodies of one chain: coordinates of one node turn the axes of the next */
START_TEST(beams) {
  static const int32_t on[2][3] = {{1, 4, 7}, {HK_GROUND, 6, 3}};
  build b = build_chain(joint_types, 8);
  hk_spec *spec = b.spec;
  spec->wide = hki_pool_alloc(spec->pool, 2 * sizeof *spec->wide);
  for (int k = 0; k < 2; k++) {
    hk_beam_par *par = hki_pool_alloc(spec->pool, sizeof *par);
    hk_offset *at = hki_pool_alloc(spec->pool, 3 * sizeof *at);
    hk_frame m0[3] = {0};
    *par = (hk_beam_par){.tau = 0.2, .length = 1.0};
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < 6; j++) par->C[i][7 * j] = 20.0 + 3.0 * j;
    for (int i = 0; i < 3; i++) {
      m3_identity(at[i].R), m3_identity(m0[i].R);
      v3_set(at[i].p, 1.0 + 0.5 * i, 0.1 * i * i, 0.2);
      v3_copy(m0[i].p, at[i].p);
    }
    hki_beam_three.prepare(par, 3, m0);
    spec->wide[spec->nwide++] =
        (hk_spec_wide){k ? "b" : "a", HK_LOC_NONE, &hki_beam_three, par, 3, on[k], at, 0};
  }
  check(&b, 0.1, true, "beam");
}
END_TEST

START_TEST(loads) {
  for (int form = 0; form < 4; form++) {
    build b = build_chain(joint_types, 8);
    int32_t f =
        build_force(&b, "push", "force", 3, 6, (double[]){2, 0.4, 0.1}, (double[]){4, 0, 0});
    int32_t g = build_force(&b, "twist", "torque", 5, 2, (double[]){3, 0, 0}, (double[]){1, 0, 0});
    for (int i = 0; i < 2; i++) {
      hk_axes axes = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .follow = form & 1};
      bool reaction = form & 2;
      force_par(&b, i ? g : f, "axes", &axes, sizeof axes);
      force_par(&b, i ? g : f, "reaction_on", &reaction, sizeof reaction);
      v3_set(b.spec->forces[i ? g : f].u, 3.0, -5.0, 8.0);
    }
    check(&b, 0.4, true, "loads");
  }
}
END_TEST

START_TEST(tyres) {
  for (int32_t direction = 0; direction < 2; direction++) {
    build b = build_chain((const char *const[]){"free", "revolute", "prismatic"}, 3);
    for (int k = 0; k < 2; k++) {
      int32_t f = build_force(&b, force_name(&b), "tyre", 1 + k, HK_GROUND,
                              (double[]){1.5 + k, 0.2, 0.3}, (double[]){0, 0, 0});
      double radius = 2.0;
      force_u(&b, f, "stiffness", 500.0);
      force_u(&b, f, "damping", 20.0);
      force_par(&b, f, "radius", &radius, sizeof radius);
      force_par(&b, f, "direction", &direction, sizeof direction);
      hk_road road = {.height = 0.1};
      force_par(&b, f, "road", &road, sizeof road);
      force_done(&b, f);
    }
    check(&b, 0.2, true, "tyre");
  }
}
END_TEST

/* elements on joint coordinates, of the tree and of cut joints */
START_TEST(joint_elements) {
  for (int cut = 0; cut < 2; cut++) {
    build b = build_chain(joint_types, 8);
    static const int32_t joint[] = {1, 3, 4, 6, 7, 3, 6}, coord[] = {0, 0, 0, 0, 0, 1, 1};
    for (int i = 0; i < 7; i++) {
      int32_t f = build_joint_force(&b, force_name(&b), "joint_spring", joint[i], coord[i]);
      force_u(&b, f, "stiffness", 40.0 + i);
      force_u(&b, f, "damping", 2.0 + i);
      force_u(&b, f, "zero", 0.5);
      force_done(&b, f);
      f = build_joint_force(&b, force_name(&b), "joint_force", joint[i], coord[i]);
      force_u(&b, f, "value", 9.0 - 3 * i);
      if (cut && i < 5) b.spec->joints[joint[i]].cut = HK_CUT_ALWAYS;
    }
    check(&b, 0.2, true, cut ? "elements on cut joints" : "joint elements");
  }
}
END_TEST

/* inputs that read the state: matrix and border are the whole unsymmetric tangent */
static void check_inputs(build *b, int32_t rank, const char *what) {
  rig r = rig_make(b);
  hk_tree *s = r.s;
  probe p = start(&r, 0.3, 4);
  for (int velocity = 0; velocity < 2; velocity++) {
    differentiate(&p, velocity ? BY_VELOCITY : BY_POSITION, false);
    hki_tree_state(s, 0.3, p.q, p.v, HK_FORCES_TANGENT);
    hki_ldl_zero(s->ldl, &s->num);
    hki_tree_add_forces(s, velocity, 1 - velocity);
    ck_assert_int_eq(s->border.rank, rank);
    for (int32_t i = 0; i < p.n * p.n; i++) {
      const int32_t row = i / p.n, col = i % p.n;
      int32_t slot = hki_ldl_slot(s->ldl, row > col ? row : col, row > col ? col : row);
      double got = slot < 0 ? 0.0 : s->num.val[slot];
      for (int32_t k = 0; k < rank; k++)
        got += s->border.U[k * p.n + row] * s->border.V[k * p.n + col];
      ck_assert_msg(fabs(got - p.D[i]) < 1e-8 * (1.0 + fabs(got)), "%s (%d, %d): %.12g, not %.12g",
                    what, row, col, got, p.D[i]);
    }
  }
  finish(&p);
  rig_free(&r);
}

START_TEST(unsymmetric_inputs) {
  static const char *const text[] = {"5*joint.j0.angle - 2*joint.j0.rate",
                                     "7*joint.j1.angle - 3*joint.j2.position*joint.j1.rate",
                                     "4*joint.j2.position + 9*joint.j0.rate*joint.j2.velocity"};
  build b = build_chain((const char *const[]){"revolute", "revolute", "prismatic"}, 3);
  v3_zero(b.spec->gravity);
  for (int i = 0; i < 3; i++) {
    int32_t signal = build_signal(&b, (const char *const[]){"a", "b", "c"}[i], text[i]);
    int32_t f = build_joint_force(&b, force_name(&b), i < 2 ? "joint_torque" : "joint_force", i, 0);
    b.spec->forces[f].u_signal[0] = signal;
  }
  check_inputs(&b, 2, "cross-feed"); // the first reads what it drives
}
END_TEST

/* a force whose inputs read the state */
START_TEST(inputs) {
  // more reads than coordinates
  build two = build_chain((const char *const[]){"revolute", "prismatic"}, 2);
  int32_t many = build_signal(
      &two, "many", "joint.j0.angle*joint.j0.rate + joint.j0.angle^2 + 3*joint.j1.position");
  int32_t motor = build_joint_force(&two, "motor", "joint_torque", 0, 0);
  two.spec->forces[motor].u_signal[0] = many;
  check(&two, 0.3, true, "many reads");
  build b = build_chain(joint_types, 8);
  int32_t s1 = build_signal(&b, "control", "30*joint.j1.angle - 4*joint.j4.velocity");
  int32_t s2 = build_signal(&b, "feed", "5*body.b2.position.x + joint.j6.position^2");
  int32_t f = build_joint_force(&b, "motor", "joint_torque", 3, 1);
  b.spec->forces[f].u_signal[0] = s1;
  int32_t g =
      build_force(&b, "push", "force", 4, HK_GROUND, (double[]){2, 0.4, 0.1}, (double[]){4, 0, 0});
  force_par(&b, g, "axes", &(hk_axes){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}}, sizeof(hk_axes));
  b.spec->forces[g].u_signal[1] = s2;
  check(&b, 0.3, true, "inputs");
}
END_TEST

/* constraint forces of every joint that can be cut */
START_TEST(closures) {
  static const char *const cut[] = {"fixed",     "revolute",  "prismatic", "cylindrical", "screw",
                                    "universal", "spherical", "planar",    "distance",    "in_line",
                                    "in_plane",  "general",   "rolling"};
  for (int i = 0; i < HK_ARRAY_LEN(cut); i++) {
    for (int far = 0; far < 2; far++) {
      build b =
          build_chain((const char *const[]){"revolute", "spherical", "universal", "prismatic"}, 4);
      double p[3] = {1.8, 0.2, 0.1}, z[3] = {0.2, 0.8, -0.4};
      int32_t j =
          i == 8 ? build_distance(&b, "loop", 3, far ? 0 : HK_GROUND, p, (double[]){0.4, 0.8, -0.3})
                 : build_joint(&b, "loop", cut[i], far ? 0 : HK_GROUND, 3, p, z);
      if (b.spec->joints[j].ops->place != HK_PLACE_ENDS) build_numbers(&b, j, 0.2, 1.2, 0x2d);
      turn_disc(&b.spec->joints[j]);
      b.spec->joints[j].cut = HK_CUT_ALWAYS;
      check(&b, 0.2, true, cut[i]);
    }
  }
}
END_TEST

/* prescribed coordinates of cut joints push along a curved coordinate */
START_TEST(motions) {
  build b =
      build_chain((const char *const[]){"revolute", "spherical", "universal", "prismatic"}, 4);
  double p[3] = {1.8, 0.2, 0.1}, z[3] = {0.2, 0.8, -0.4};
  int32_t j = build_joint(&b, "loop", "cylindrical", HK_GROUND, 3, p, z);
  b.spec->joints[j].cut = HK_CUT_ALWAYS;
  b.spec->joints[j].motion[0] = build_signal(&b, "one", "t");
  b.spec->joints[j].motion[1] = build_signal(&b, "two", "0.1*t");
  b.spec->joints[0].motion[0] = build_signal(&b, "three", "t^2");
  check(&b, 0.2, true, "motions");
}
END_TEST

/* planar models */
START_TEST(planar) {
  for (int32_t cut = 0; cut < 4; cut++) {
    build b = build_slider_crank(true, cut);
    build_spring(&b, HK_GROUND, 1, (double[]){0, 0.5, 0}, (double[]){0.4, 0.1, 0}, 120, 7, 0.6,
                 NULL);
    build_spring(&b, 0, 2, (double[]){0, 0.1, 0}, (double[]){0.8, 0.1, 0}, 120, 7, 0.6,
                 (double[]){1, 0.3, 0});
    check(&b, 0.3, true, "planar");
  }
}
END_TEST

Suite *suite_tangents(void) {
  Suite *s = suite_create("tangents");
  TCase *c = tcase_create("differences");
  tcase_add_test(c, pendulum);
  tcase_add_test(c, trees);
  tcase_add_test(c, sweep);
  tcase_add_test(c, springs);
  tcase_add_loop_test(c, bushings, 0, 3);
  tcase_add_test(c, beams);
  tcase_add_test(c, loads);
  tcase_add_test(c, tyres);
  tcase_add_test(c, joint_elements);
  tcase_add_test(c, inputs);
  tcase_add_test(c, unsymmetric_inputs);
  tcase_add_test(c, closures);
  tcase_add_test(c, motions);
  tcase_add_test(c, planar);
  suite_add_tcase(s, c);
  return s;
}

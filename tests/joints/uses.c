/* SPDX-License-Identifier: Apache-2.0
 *
 * uses.c: what the table says of a joint for models, against its own two faces, for every joint:
 *   inverse   A seen from B moves like the joint itself, or it does not and the table says so
 *   mirror    the mirror image of a motion is a motion with the same coordinates, up to known signs
 *   plane     the counterpart moves as the joint does where both stay in the plane, and no less
 *   holds     rotations of a held body about the marker are not seen by the rows
 */
#include "support_joints.h"
#include "joints/pair.h"

/* every joint with a tree face, random cases on its own motion */
#define FOR_EACH_TREE_CASE(o, c)                                                                   \
  for (int32_t n_ = 0; n_ < joint_cases() && (o)->nv >= 0; n_++)                                   \
    for (int once_ = (case_make(&(c), o, n_, 0.0), 1); once_; once_ = 0)
#define FOR_EACH_JOINT(o)                                                                          \
  for (int32_t i_ = 0; i_ < hki_joint_count(); i_++)                                               \
    for (const hk_joint_ops *o = hki_joint_at(i_); o; o = NULL)

/* largest difference of two frames, positions and velocities */
static double apart(const hk_frame *a, const hk_frame *b) {
  double most = 0.0;
  for (int i = 0; i < 9; i++) most = fmax(most, fabs(a->R[i] - b->R[i]));
  for (int i = 0; i < 3; i++) {
    most = fmax(most, fabs(a->p[i] - b->p[i]));
    most = fmax(most, fmax(fabs(a->w[i] - b->w[i]), fabs(a->v[i] - b->v[i])));
  }
  return most;
}

/* --- inverse ---------------------------------------------------------------------------------- */

/* the case seen from B: its markers change places, turned where the table says so */
static void invert(const joint_case *c, joint_case *out) {
  double Q[9], R[9];
  *out = *c;
  out->A = c->B;
  out->B = c->A;
  if (!c->ops->inverse.turn) return;
  c->ops->inverse.turn(c->par, Q);
  m3_mul(R, out->A.R, Q);
  memcpy(out->A.R, R, sizeof R);
  m3_mul(R, out->B.R, Q);
  memcpy(out->B.R, R, sizeof R);
}

/* coordinates of the inverse case near those that `minus` promises; returns how far its own motion
 * with these coordinates is from the case */
static double invert_measure(const joint_case *c, joint_case *inv) {
  double near[8];
  hk_frame B;
  invert(c, inv);
  joint_zero(c->ops, near);
  for (int32_t k = 0; k < c->ops->ns; k++)
    if (c->ops->inverse.minus[k]) near[c->ops->inverse.minus[k] - 1] = -c->q[k];
  c->ops->measure(c->par, &inv->A, &inv->B, near, inv->q, inv->v);
  frame_on_tree(inv, inv->q, inv->v, &B);
  return apart(&B, &inv->B);
}

START_TEST(test_inverse_motion_is_as_declared) {
  joint_case c, inv;
  FOR_EACH_JOINT(o) {
    double most = 0.0;
    FOR_EACH_TREE_CASE(o, c) { most = fmax(most, invert_measure(&c, &inv)); }
    if (o->inverse.own)
      ck_assert_msg(most < 1e-11, "%s: inverse motion is off by %g", o->name, most);
    else
      ck_assert_msg(o->nv < 0 || most > 1e-3, "%s is its own inverse", o->name);
  }
}
END_TEST

START_TEST(test_inverse_coordinates_are_as_declared) {
  /* minus[k] names the coordinate that is -q[k] in all cases, and there is none where it is 0 */
  joint_case c, inv;
  FOR_EACH_JOINT(o) {
    double off[HK_JOINT_MAX][HK_JOINT_MAX] = {{0}};
    if (!o->inverse.own || (o->caps & HK_JOINT_QUATERNION)) continue;
    FOR_EACH_TREE_CASE(o, c) {
      invert_measure(&c, &inv);
      for (int32_t k = 0; k < o->ns; k++)
        for (int32_t i = 0; i < o->ns; i++)
          off[k][i] = fmax(off[k][i], fabs(inv.q[i] + c.q[k]) + fabs(inv.v[i] + c.v[k]));
    }
    for (int32_t k = 0; k < o->ns; k++)
      for (int32_t i = 0; i < o->ns; i++)
        ck_assert_msg((off[k][i] < 1e-10) == (o->inverse.minus[k] == i + 1),
                      "%s: coordinate %d of the inverse is off minus %d by %g", o->name, i, k,
                      off[k][i]);
  }
}
END_TEST

/* --- mirror images ---------------------------------------------------------------------------- */

/* relative motion of B in A's axes */
static void relative(const joint_case *c, double *R, double *p, double *w, double *v) {
  double d[3], x[3];
  m3_tmul(R, c->A.R, c->B.R);
  v3_sub(d, c->B.p, c->A.p);
  m3_tmulv(p, c->A.R, d);
  v3_sub(x, c->B.w, c->A.w);
  m3_tmulv(w, c->A.R, x);
  v3_cross(x, c->A.w, d);
  v3_sub(d, c->B.v, c->A.v);
  v3_sub(d, d, x);
  m3_tmulv(v, c->A.R, d);
}

/* the mirror image between markers with axes S R D: relative pose D R D, D p; rotations are
 * pseudo-vectors. A stays where it is: only relative motion counts. */
static void reflect(const joint_case *c, const double *D, joint_case *out) {
  double R[9], p[3], w[3], v[3], x[3], det = D[0] * D[1] * D[2];
  *out = *c;
  relative(c, R, p, w, v);
  for (int i = 0; i < 9; i++) R[i] *= D[i / 3] * D[i % 3];
  for (int i = 0; i < 3; i++) p[i] *= D[i], v[i] *= D[i], w[i] *= det * D[i];
  m3_mul(out->B.R, c->A.R, R);
  m3_mulv(p, c->A.R, (const double[]){p[0], p[1], p[2]});
  v3_add(out->B.p, c->A.p, p);
  m3_mulv(x, c->A.R, w);
  v3_add(out->B.w, c->A.w, x);
  m3_mulv(x, c->A.R, v);
  v3_cross(out->B.v, c->A.w, p);
  v3_add(out->B.v, out->B.v, c->A.v);
  v3_add(out->B.v, out->B.v, x);
  for (const hk_param *r = c->ops->params; r->type != HK_P_END; r++)
    if (r->flags & HK_P_LEAD)
      joint_set(c->ops, out->par, r->name, -joint_get(c->ops, c->par, r->name));
}

/* rows and scalar coordinates of a case and of its image */
static void check_image(const joint_case *c, const double *D) {
  joint_case m;
  hk_joint_loop L[2];
  hk_joint_coord s[2];
  memset(L, 0, sizeof L);
  reflect(c, D, &m);
  c->ops->loop(c->par, &c->A, &c->B, HK_LOOP_POS | HK_LOOP_JAC, &L[0]);
  m.ops->loop(m.par, &m.A, &m.B, HK_LOOP_POS | HK_LOOP_JAC, &L[1]);
  for (int32_t r = 0; r < c->rows; r++) {
    double rate[2];
    for (int i = 0; i < 2; i++) {
      const hk_frame *A = i ? &m.A : &c->A, *B = i ? &m.B : &c->B;
      const double *g = L[i].GA + 6 * r, *h = L[i].GB + 6 * r;
      rate[i] = v3_dot(g, A->w) + v3_dot(g + 3, A->v) + v3_dot(h, B->w) + v3_dot(h + 3, B->v);
    }
    CHECK_NEAR(c, "mirrored row", fabs(L[1].phi[r]), fabs(L[0].phi[r]), 1e-11);
    CHECK_NEAR(c, "mirrored rate", fabs(rate[1]), fabs(rate[0]), 1e-11);
  }
  for (int32_t k = 0; k < c->ops->ns; k++) {
    double sign = hki_scalar_mirror(c->ops->scalars[k], D);
    c->ops->coord(c->par, k, &c->A, &c->B, c->q[k], &s[0]);
    m.ops->coord(m.par, k, &m.A, &m.B, sign * c->q[k], &s[1]);
    CHECK_NEAR(c, "mirrored coordinate", s[1].s, sign * s[0].s, 1e-11);
    CHECK_NEAR(c, "its rate", s[1].sd, sign * s[0].sd, 1e-11);
  }
}

/* how many scalar coordinates keep their sign */
static int32_t kept(const hk_joint_ops *o, const double *D) {
  int32_t n = 0;
  for (int32_t k = 0; k < o->ns; k++) n += hki_scalar_mirror(o->scalars[k], D) > 0.0;
  return n;
}

START_TEST(test_mirror_image_of_a_moving_joint) {
  static const double all[][3] = {{-1, 1, 1}, {1, -1, 1}, {1, 1, -1}, {-1, -1, -1}};
  joint_case c;
  FOR_EACH_JOINT(o) {
    const double own[3] = {o->mirror[0], o->mirror[1], o->mirror[2]};
    ck_assert_msg(own[0] * own[1] * own[2] == -1.0 ||
                      (own[0] == 0.0 && own[1] == 0.0 && own[2] == 0.0),
                  "%s: mirror is no reflection", o->name);
    for (int32_t n = 0; n < joint_cases(); n++) {
      case_make(&c, o, n, n % 2 ? 0.3 : 0.0);
      for (int32_t i = 0; i < HK_ARRAY_LEN(all); i++)
        if (own[0] == 0.0 || memcmp(own, all[i], sizeof own) == 0) check_image(&c, all[i]);
    }
    // equal coordinates, where any choice of axes gives them
    for (int32_t i = 0; i < HK_ARRAY_LEN(all) && own[0] != 0.0; i++)
      ck_assert_msg(kept(o, all[i]) < o->ns || kept(o, own) == o->ns,
                    "%s: a coordinate changes sign in the mirror without need", o->name);
  }
}
END_TEST

/* --- plane --------------------------------------------------------------------------------------
 */

/* rank of the rows of a joint on motions in the plane with normal n: rotation about it and two
 * translations of B */
static int32_t planar_rank(const joint_case *c, const double *n) {
  hk_joint_loop L;
  double F[9], M[HK_JOINT_MAX][3];
  int32_t rank = 0;
  memset(&L, 0, sizeof L);
  c->ops->loop(c->par, &c->A, &c->B, HK_LOOP_JAC, &L);
  rot_from_axis(F, n, 2, NULL);
  for (int32_t r = 0; r < c->rows; r++) {
    const double *g = L.GB + 6 * r;
    M[r][0] = v3_dot(g, n);
    for (int k = 0; k < 2; k++) M[r][1 + k] = g[3] * F[k] + g[4] * F[3 + k] + g[5] * F[6 + k];
  }
  for (int col = 0; col < 3; col++) {
    int32_t best = rank;
    for (int32_t r = rank; r < c->rows; r++)
      if (fabs(M[r][col]) > fabs(M[best][col])) best = r;
    if (rank >= c->rows || fabs(M[best][col]) < 1e-9) continue;
    for (int k = 0; k < 3; k++) {
      double x = M[best][k];
      M[best][k] = M[rank][k], M[rank][k] = x;
    }
    for (int32_t r = rank + 1; r < c->rows; r++) {
      double f = M[r][col] / M[rank][col];
      for (int k = 0; k < 3; k++) M[r][k] -= f * M[rank][k];
    }
    rank++;
  }
  return rank;
}

/* the motion of `plane` (or of the joint itself) lies in the plane with normal n, axis k of A; the
 * joint allows it, and nothing more */
static void check_counterpart(const hk_joint_ops *o, const hk_joint_ops *plane, int k) {
  for (int32_t number = 0; number < joint_cases(); number++) {
    joint_case c, p;
    hk_joint_tree T;
    hk_joint_loop L;
    double n[3];
    case_make(&c, o, number, 0.0);
    case_make(&p, plane, number, 0.0);
    p.A = c.A;
    frame_on_tree(&p, p.q, p.v, &p.B);
    c.B = p.B;
    m3_column(n, c.A.R, k);
    plane->tree(p.par, p.q, p.v, &T);
    for (int32_t j = 0; j < plane->nv; j++)
      for (int i = 0; i < 3; i++) {
        CHECK_NEAR(&c, "rotation out of the plane", i == k ? 0.0 : T.S[6 * j + i], 0.0, 1e-14);
        CHECK_NEAR(&c, "motion out of the plane", i == k ? T.S[6 * j + 3 + i] : 0.0, 0.0, 1e-14);
      }
    memset(&L, 0, sizeof L);
    o->loop(c.par, &c.A, &c.B, HK_LOOP_POS, &L);
    for (int32_t r = 0; r < c.rows; r++) CHECK_NEAR(&c, "row in the plane", L.phi[r], 0.0, 1e-12);
    ck_assert_msg(planar_rank(&c, n) == 3 - plane->nv, "%s: %s leaves %d motions, the rows %d",
                  o->name, plane->name, plane->nv, 3 - planar_rank(&c, n));
  }
}

static const hk_joint_ops *counterpart(const hk_joint_ops *o, uint32_t cap) {
  const hk_joint_ops *p = cap == HK_JOINT_ITSELF ? o : hki_joint_with(cap);
  ck_assert_msg(p != NULL, "%s: no joint has capability %u", o->name, cap);
  ck_assert_msg(p == o || p->par_size == 0, "%s: its counterpart has parameters", o->name);
  return p;
}

START_TEST(test_planar_counterpart_moves_like_the_joint) {
  FOR_EACH_JOINT(o) {
    const hk_joint_plane *p = &o->plane;
    ck_assert_msg((p->rule == HK_PLANE_ROWS) == (o->nv < 0), "%s: rule", o->name);
    ck_assert_msg(p->rule != HK_PLANE_TURNED || (p->along && !p->across), "%s: turned", o->name);
    ck_assert_msg(p->rule != HK_PLANE_AXIS || p->along || p->across, "%s: axis", o->name);
    bool refused = p->rule == HK_PLANE_REFUSED || p->rule == HK_PLANE_AXIS;
    ck_assert_msg(!refused || (p->words && *p->words), "%s: words", o->name);
    if (o->nv < 0) continue;
    if (p->along) check_counterpart(o, counterpart(o, p->along), 2);
    if (p->across) check_counterpart(o, counterpart(o, p->across), 0);
  }
}
END_TEST

/* --- the rest -----------------------------------------------------------------------------------
 */

START_TEST(test_held_bodies_turn_freely) {
  FOR_EACH_JOINT(o) {
    double turns[2] = {0, 0};
    if (o->nc == 0 || (o->caps & HK_JOINT_LOCKED)) continue;
    for (int32_t n = 0; n < joint_cases(); n++) {
      joint_case c;
      hk_joint_loop L;
      memset(&L, 0, sizeof L);
      case_make(&c, o, n, 0.0);
      o->loop(c.par, &c.A, &c.B, HK_LOOP_JAC, &L);
      for (int32_t r = 0; r < c.rows; r++)
        for (int side = 0; side < 2; side++)
          turns[side] = fmax(turns[side], v3_norm((side ? L.GB : L.GA) + 6 * r));
    }
    for (int side = 0; side < 2; side++)
      // the axis of the second body may give the row its direction
      ck_assert_msg((turns[side] < 1e-12 && !(side && o->caps & HK_JOINT_TWO_AXES)) ==
                        ((o->holds & (side ? HK_HOLDS_SECOND : HK_HOLDS_FIRST)) != 0),
                    "%s: holds body %d at a point?", o->name, side);
  }
}
END_TEST

START_TEST(test_capabilities_name_one_joint) {
  static const uint32_t one[] = {HK_JOINT_ROTATION_Z, HK_JOINT_TRANSLATION_Z, HK_JOINT_PLANE,
                                 HK_JOINT_UNBOUND, HK_JOINT_RIGID};
  for (int32_t i = 0; i < HK_ARRAY_LEN(one); i++) {
    int32_t n = 0;
    FOR_EACH_JOINT(o) n += (o->caps & one[i]) != 0;
    ck_assert_msg(n == 1, "%d joints have capability %u", n, one[i]);
    ck_assert_uint_eq(hki_joint_with(one[i])->par_size, 0);
  }
  FOR_EACH_JOINT(o) {
    bool plane = o->nv == 3 && o->scalars && o->scalars[0] == HK_S_X && o->scalars[1] == HK_S_Y &&
                 o->scalars[2] == HK_S_TWIST;
    ck_assert_msg(((o->caps & HK_JOINT_PLANE) != 0) == plane, "%s: PLANE", o->name);
    ck_assert_msg(((o->caps & HK_JOINT_UNBOUND) != 0) == (o->nv == 6), "%s: UNBOUND", o->name);
    // a row that may be absent leaves its coordinate free
    ck_assert_msg(!(o->caps & HK_JOINT_LOCKED) || o->present, "%s", o->name);
    for (int32_t k = 0; o->present && k < o->nc; k++)
      ck_assert_msg(k < o->ns && o->rows[k] == o->scalars[k], "%s: row %d", o->name, k);
    ck_assert_msg(o->glyph < HK_GLYPH_COUNT && *hki_glyph_word(o->glyph), "%s: glyph", o->name);
    // symbols of couplings have no place of their own, and nothing else draws a coupling
    bool wheels =
        o->glyph == HK_GLYPH_TEETH || o->glyph == HK_GLYPH_STRAP || o->glyph == HK_GLYPH_BAR;
    bool couples = (o->caps & HK_JOINT_COUPLES) != 0;
    ck_assert_msg(couples == (wheels || o->glyph == HK_GLYPH_LINK), "%s: glyph", o->name);
    const hk_param *curve = o->params ? hki_params_find(o->params, "curve") : NULL;
    ck_assert_msg(o->glyph != HK_GLYPH_OUTLINE || (curve && curve->type == HK_P_CURVE), "%s",
                  o->name);
  }
}
END_TEST

Suite *suite_uses(void);
Suite *suite_uses(void) {
  Suite *s = suite_create("joints/uses");
  TCase *t = tcase_create("uses");
  tcase_add_test(t, test_inverse_motion_is_as_declared);
  tcase_add_test(t, test_inverse_coordinates_are_as_declared);
  tcase_add_test(t, test_mirror_image_of_a_moving_joint);
  tcase_add_test(t, test_planar_counterpart_moves_like_the_joint);
  tcase_add_test(t, test_held_bodies_turn_freely);
  tcase_add_test(t, test_capabilities_name_one_joint);
  suite_add_tcase(s, t);
  return s;
}

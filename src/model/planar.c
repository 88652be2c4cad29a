/* SPDX-License-Identifier: Apache-2.0
 *
 * planar.c: the loop rows that a cut joint keeps, and the types of joints in planar models. Motions
 * of a planar model are rotation about the normal n and translation perpendicular to it.
 *
 * A row with the gradient g = (gw, gv) at a marker is kept when
 *
 *   gw . n != 0   or   gv - (gv . n) n != 0
 *
 * at the drawing position or at one of two positions near it. For this the markers must have an
 * axis along n; otherwise both are rotated in the same way, which does not change the constraint.
 * Tree joints become the planar counterpart that their table names (hk_joint_plane).
 */
#include "model/work.h"

/* sine of the angle below which an axis counts as along the normal, or perpendicular to it */
#define ALIGNED 1e-6
/* the same, below which it is not corrected */
#define EXACT 1e-14

/* do motions in the plane change a row or coordinate with the gradient (gA, gB)? */
static bool sees_plane(const double *n, const double *gA, const double *gB) {
  const double *g[2] = {gA, gB};
  for (int k = 0; k < 2; k++) {
    double across[3];
    v3_copy(across, g[k] + 3);
    v3_axpy(across, -v3_dot(across, n), n);
    if (fabs(v3_dot(g[k], n)) > 1e-9 || v3_norm(across) > 1e-9) return true;
  }
  return false;
}

void hki_planar_axes(const double *n, double *R) { rot_from_axis(R, n, 2, NULL); }

enum { SAMPLES = 3 };

/* out: the second marker moved in the plane to sample position k (0: as drawn) */
static void sample(const double *n, int32_t k, const hk_frame *B, hk_frame *out) {
  static const double places[SAMPLES][3] = {{0, 0, 0}, {0.31, 0.17, 0.37}, {-0.23, 0.29, -0.61}};
  const double *s = places[k];
  double F[9], turn[9], x[3], y[3];
  *out = *B;
  if (k == 0) return;
  hki_planar_axes(n, F);
  m3_column(x, F, 0);
  m3_column(y, F, 1);
  rot_axis(turn, n, s[2]);
  m3_mul(out->R, turn, B->R);
  v3_axpy(out->p, s[0], x);
  v3_axpy(out->p, s[1], y);
}

int32_t hki_planar_rows(const hk_work *w, const hk_joint_ops *ops, const void *par,
                        const hk_offset *marker, uint8_t *rows) {
  int32_t n = hki_joint_rows(ops, par), kept = 0;
  bool keep[6] = {false, false, false, false, false, false};
  int32_t nsamples = w->spec->planar && n > 0 ? SAMPLES : 0;
  hk_frame A, B, Bk;
  hki_work_frame(&marker[0], &A);
  hki_work_frame(&marker[1], &B);
  for (int32_t k = 0; k < nsamples; k++) {
    hk_joint_loop loop;
    sample(w->spec->normal, k, &B, &Bk);
    ops->loop(par, &A, &Bk, HK_LOOP_POS | HK_LOOP_JAC, &loop);
    for (int32_t r = 0; r < n; r++) {
      if (sees_plane(w->spec->normal, loop.GA + 6 * r, loop.GB + 6 * r)) keep[r] = true;
    }
  }
  for (int32_t r = 0; r < n; r++) {
    if (keep[r] || !w->spec->planar) rows[kept++] = (uint8_t)r;
  }
  return kept;
}

bool hki_planar_moves(const hk_work *w, int32_t joint, int32_t k) {
  const hk_spec_joint *s = &w->spec->joints[joint];
  hk_frame A, B, Bk;
  if (!w->spec->planar) return true;
  hki_work_frame(&s->marker[0], &A);
  hki_work_frame(&s->marker[1], &B);
  for (int32_t i = 0; i < SAMPLES; i++) {
    hk_joint_coord c;
    sample(w->spec->normal, i, &B, &Bk);
    s->ops->coord(s->par, k, &A, &Bk, 0.0, &c);
    if (sees_plane(w->spec->normal, c.gA, c.gB)) return true;
  }
  return false;
}

/* rotates both markers in the same way, so that A has the world axes F */
static void turn_markers(hk_work_joint *j, const double *F) {
  double Q[9], B[9];
  m3_tmul(Q, j->marker[0].R, F);
  m3_mul(B, j->marker[1].R, Q);
  memcpy(j->marker[0].R, F, 9 * sizeof *F);
  memcpy(j->marker[1].R, B, sizeof B);
}

/* is column k of R along n (along), or perpendicular to it (across)? */
static bool along(const double *R, int k, const double *n, double tolerance) {
  double a[3];
  m3_column(a, R, k);
  v3_cross(a, a, n);
  return v3_norm(a) <= tolerance;
}
static bool across(const double *R, int k, const double *n, double tolerance) {
  double a[3];
  m3_column(a, R, k);
  return fabs(v3_dot(a, n)) <= tolerance;
}

/* makes z exactly parallel to the normal, keeping its sense */
static void align_along(hk_work_joint *j, const double *n) {
  double F[9], z[3], x[3];
  if (along(j->marker[0].R, 2, n, EXACT)) return;
  m3_column(z, j->marker[0].R, 2);
  m3_column(x, j->marker[0].R, 0);
  v3_scale(z, v3_dot(z, n) < 0 ? -1.0 : 1.0, n);
  rot_from_axis(F, z, 2, x);
  turn_markers(j, F);
}

/* makes z exactly perpendicular to the normal, and x parallel to it */
static void align_across(hk_work_joint *j, const double *n) {
  const double *R = j->marker[0].R;
  double F[9], z[3];
  bool side = along(R, 0, n, EXACT) || along(R, 1, n, EXACT);
  if (side && across(R, 2, n, EXACT)) return;
  m3_column(z, R, 2);
  v3_axpy(z, -v3_dot(z, n), n);
  v3_normalize(z);
  rot_from_axis(F, z, 2, n);
  turn_markers(j, F);
}

/* makes one axis parallel to the normal, if none is */
static void align_any(hk_work_joint *j, const double *n) {
  double F[9];
  for (int k = 0; k < 3; k++) {
    if (along(j->marker[0].R, k, n, EXACT)) return;
  }
  hki_planar_axes(n, F);
  turn_markers(j, F);
}

/* error: the joint is not possible in a planar model; false */
static bool refuse(const hk_work *w, const hk_spec_joint *s, const char *what) {
  hki_error(w->ctx, HK_E_MODEL, s->loc, "leave out 'planar:' to model the mechanism in space",
            "%s joint '%s' cannot move in a planar model: %s", s->ops->name, s->name, what);
  return false;
}

/* a wheel that rolls on a line: its axis is along the plane's normal, the normal of the line lies
 * in the plane */
static bool stand(const hk_work *w, const hk_spec_joint *s, hk_work_joint *j) {
  const double *n = w->spec->normal;
  double z[3];
  if (!across(j->marker[0].R, 2, n, ALIGNED)) return refuse(w, s, "'normal' must lie in the plane");
  if (!along(j->marker[1].R, 2, n, ALIGNED))
    return refuse(w, s, "'axis' must be along the normal of the plane");
  m3_column(z, j->marker[0].R, 2);
  v3_axpy(z, -v3_dot(z, n), n);
  v3_normalize(z);
  rot_from_axis(j->marker[0].R, z, 2, n);
  rot_from_axis(j->marker[1].R, n, 2, z);
  return true;
}

/* the type that a joint has in the tree of a planar model */
static const hk_joint_ops *counterpart(const hk_joint_ops *ops, uint32_t cap) {
  return cap == HK_JOINT_ITSELF ? ops : hki_joint_with(cap);
}

/* type and markers of one joint in a planar model */
static bool make_planar(const hk_work *w, const hk_spec_joint *s, hk_work_joint *j) {
  const hk_joint_plane *rule = &s->ops->plane;
  const double *n = w->spec->normal, *R = j->marker[0].R;
  bool z_along = along(R, 2, n, ALIGNED), z_across = across(R, 2, n, ALIGNED);
  if ((s->ops->caps & HK_JOINT_STANDS) && (s->ops->caps & HK_JOINT_TWO_AXES)) return stand(w, s, j);
  if (rule->rule == HK_PLANE_TURNED) {
    align_any(j, n);
    j->tree_ops = counterpart(s->ops, rule->along);
    j->turned = j->tree_ops != s->ops;
  } else if (rule->rule == HK_PLANE_ROWS) {
    if (rule->words && !(z_along && rule->along) && !(z_across && rule->across))
      return refuse(w, s, rule->words);
    // shafts at an angle of which one leaves the plane push bodies out of it
    if (!(s->ops->caps & HK_JOINT_TWO_AXES) && z_along != along(j->marker[1].R, 2, n, ALIGNED))
      return refuse(w, s,
                    "'axis' and 'axis2' must both lie in the plane or both be along its normal");
    // align the axes, so that each row is either in the plane or out of it
    if (z_across && !(s->ops->caps & HK_JOINT_LOCKED)) align_across(j, n);
    if (z_along && !(s->ops->caps & HK_JOINT_LOCKED)) align_along(j, n);
  } else {
    uint32_t to = z_along ? rule->along : z_across ? rule->across : 0;
    if (rule->rule == HK_PLANE_REFUSED || !to) return refuse(w, s, rule->words);
    j->tree_ops = counterpart(s->ops, to);
    if (z_along)
      align_along(j, n);
    else
      align_across(j, n);
  }
  return true;
}

/* gravity along the normal moves nothing: most likely a mistake */
static void check_gravity(const hk_work *w) {
  const hk_spec *s = w->spec;
  double across = v3_dot(s->gravity, s->normal);
  if (s->planar && fabs(across) > 1e-9 * v3_norm(s->gravity) && across != 0.0)
    hki_warn(w->ctx, s->gravity_loc, "give gravity in the plane, or leave out 'planar:'",
             "gravity has %g m/s^2 across the plane of motion, where nothing can move", across);
}

bool hki_work_planar(hk_work *w) {
  const hk_spec *s = w->spec;
  bool ok = true;
  check_gravity(w);
  for (int32_t i = 0; i < s->njoints; i++) {
    const hk_spec_joint *sj = &s->joints[i];
    hk_work_joint *j = &w->joints[i];
    j->tree_ops = sj->ops->nv < 0 ? NULL : sj->ops;
    j->marker[0] = sj->marker[0];
    j->marker[1] = sj->marker[1];
    if (s->planar && !make_planar(w, sj, j)) ok = false;
    j->nrows = hki_planar_rows(w, sj->ops, sj->par, j->marker, j->rows);
  }
  return ok;
}

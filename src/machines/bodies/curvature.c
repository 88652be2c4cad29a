/* SPDX-License-Identifier: Apache-2.0
 *
 * curvature.c: how the rates of constraint rows change with pose and velocity.
 *
 * Variations x = (th, dp), twists V = (w, v) and accelerations A = (alpha, a) belong to the centres
 * of mass, in world axes; Vm, Am and dxi = X x (bodies.h) to the marker at r from there. g is the
 * row's gradient at the markers, H = dg/dxi its curvature (joint.h), gamma its bias:
 *
 *   d(g Vm)         = Vm' H dxi + g dVm
 *   d(g Am + gamma) = Am' H dxi + g dAm + (dgamma/dxi) dxi + Vm' (H + H') dVm
 *
 * The second marker of a turned joint (kinematics/turned.c) has rates rel and acc of its own, which
 * turn with the body: d(rel) = th x rel; d(acc) = dw x rel + w x (th x rel) + th x (acc - w x rel).
 *
 *   dr  = th x r
 *   dVm = X dV + (0, w x dr)
 *   dAm = X dA + (0, alpha x dr + dw x (w x r) + w x (dw x r) + w x (w x dr))
 */
#include "machines/bodies/bodies.h"

/* out = X' g: a covector at a marker, moved to the centre of mass */
static void pull(const double *r, const double *g, double *out) { s6_wrench_to_origin(out, g, r); }

/* out += a x (b x c) */
static void add_double_cross(double *out, const double *a, const double *b, const double *c) {
  double x[3];
  v3_cross(x, b, c);
  v3_cross_add(out, a, x);
}

/* A (2 x 6): accelerations of the markers of a set; zero on the ground */
static void marker_acceleration(const hk_bodies *c, const double *acc, const hk_bodies_set *s,
                                const hk_frame *F, double *A) {
  memset(A, 0, 12 * sizeof *A);
  for (int k = 0; k < 2; k++) {
    double r[3], u[3], *a = A + 6 * k;
    if (s->body[k] == HK_GROUND) continue;
    const hk_frame *f = &c->it.frame[s->body[k]];
    hki_bodies_acceleration(c, acc, s->body[k], a);
    v3_sub(r, F[k].p, f->p);
    v3_sub(u, F[k].v, f->v);
    v3_cross_add(a + 3, a, r);
    v3_cross_add(a + 3, f->w, u);
  }
}

/* part of one body (side k) of a row. At its marker F:
 *   c1 = Vm' H,  c2 = Am' H + dgamma/dxi,  cV = Vm' (H + H'),  g the gradient */
static void put_row(const hk_bodies *c, const double *acc, int32_t body, const hk_frame *F,
                    const double *c1, const double *c2, const double *cV, const double *g, int k,
                    hk_bodies_curve *out) {
  const hk_frame *f = &c->it.frame[body];
  const double *w = f->w, *gp = g + 3;
  double r[3], u[3], x[6], A[6], wg[3];
  hki_bodies_acceleration(c, acc, body, A);
  v3_sub(r, F->p, f->p);
  v3_cross(u, w, r);
  v3_cross(wg, w, gp);
  pull(r, c1, x);
  add_double_cross(x, r, gp, w);
  hki_bodies_reduce(c, x, out->vel_pose + k * c->nd);
  pull(r, c2, x);
  add_double_cross(x, r, cV + 3, w);
  add_double_cross(x, r, gp, A);
  add_double_cross(x, r, w, wg);
  hki_bodies_reduce(c, x, out->acc_pose + k * c->nd);
  pull(r, cV, x);
  v3_cross_add(x, u, gp);
  add_double_cross(x, r, gp, w);
  hki_bodies_reduce(c, x, out->acc_twist + k * c->nd);
}

/* terms of the second marker's own rates in one row; w: of its body, before rel was added */
static void add_turned(const hk_bodies *c, const double *w, const double *rel, const double *racc,
                       const double *cV, const double *g, hk_bodies_curve *out) {
  double v[6] = {0}, a[6] = {0}, t[6] = {0}, own[3], x[3];
  v3_cross(own, w, rel);
  v3_sub(own, racc, own);
  v3_cross(v, rel, g);
  v3_cross(t, rel, g);
  v3_cross(x, g, w);
  v3_cross(a, rel, x);
  v3_cross_add(a, own, g);
  v3_cross_add(a, rel, cV);
  const double *from[3] = {v, a, t};
  double *to[3] = {out->vel_pose + c->nd, out->acc_pose + c->nd, out->acc_twist + c->nd};
  for (int i = 0; i < 3; i++) {
    double y[6];
    hki_bodies_reduce(c, from[i], y);
    for (int32_t j = 0; j < c->nd; j++) to[i][j] += y[j];
  }
}

static void set_rows(hk_bodies *c, const double *acc, const hk_bodies_set *s,
                     hk_bodies_curve *row) {
  hk_joint_loop L;
  hk_joint_coord x;
  hk_frame F[2];
  double V[12], A[12], B[72], H[144], w[3], rel[3] = {0}, racc[3] = {0};
  const int32_t joint = s->closure == HK_NONE ? HK_NONE : s->coupling ? s->coord.joint : s->joint;
  const bool turned = hki_kin_turned(&c->it, joint);
  if (s->is_coord)
    hki_bodies_scalar(c, &s->coord, &x, F);
  else
    hki_bodies_set_frames(c, s, F);
  v3_copy(w, F[1].w);
  if (turned) hki_kin_turn_rates(&c->it, joint, &F[1], rel, racc);
  if (turned) v3_add(F[1].w, F[1].w, rel);
  if (s->is_coord) {
    const double slope = s->coupling ? c->slope[s->line0] : 1.0;
    hki_joint_coord_bias_geo(s->coord.ops, s->coord.par, s->coord.k, &F[0], &F[1], B);
    for (int i = 0; i < 12; i++) B[i] *= slope * s->coord.sign;
    for (int i = 0; i < 6 && s->coupling; i++) x.gA[i] *= slope, x.gB[i] *= slope;
  } else {
    s->ops->loop(s->par, &F[0], &F[1], HK_LOOP_JAC, &L);
    hki_joint_bias_geo(s->ops, s->par, &F[0], &F[1], B);
  }
  for (int k = 0; k < 2; k++) v3_copy(V + 6 * k, F[k].w), v3_copy(V + 6 * k + 3, F[k].v);
  marker_acceleration(c, acc, s, F, A);
  v3_add(A + 6, A + 6, racc);
  for (int32_t i = 0; i < s->nrows; i++) {
    const int32_t lr = s->is_coord ? 0 : s->rows[i];
    const double *gA = s->is_coord ? x.gA : L.GA + 6 * lr;
    const double *gB = s->is_coord ? x.gB : L.GB + 6 * lr;
    double unit[6] = {0}, c1[12], c2[12], cV[12];
    unit[i] = 1.0;
    hki_bodies_set_geo(c, s, F, unit, false, H);
    for (int j = 0; j < 12; j++) {
      c1[j] = cV[j] = 0.0;
      c2[j] = B[12 * lr + j];
      for (int e = 0; e < 12; e++) {
        c1[j] += V[e] * H[12 * e + j];
        c2[j] += A[e] * H[12 * e + j];
        cV[j] += V[e] * (H[12 * e + j] + H[12 * j + e]);
      }
    }
    for (int k = 0; k < 2; k++)
      if (s->body[k] != HK_GROUND)
        put_row(c, acc, s->body[k], &F[k], c1 + 6 * k, c2 + 6 * k, cV + 6 * k, k ? gB : gA, k,
                &row[s->line0 + i]);
    if (turned && s->body[1] != HK_GROUND)
      add_turned(c, w, rel, racc, cV + 6, gB, &row[s->line0 + i]);
  }
}

/* d(s')/dx of the coordinate of a set, written as a curve of its own; and its acceleration */
static double coordinate_curve(hk_bodies *c, const double *acc, const hk_bodies_set *s,
                               hk_bodies_curve *out) {
  hk_bodies_set one = *s;
  hk_joint_coord x;
  hk_frame F[2];
  double A[12];
  one.coupling = NULL;
  one.line0 = 0;
  memset(out, 0, sizeof *out);
  set_rows(c, acc, &one, out);
  (void)hki_bodies_scalar(c, &s->coord, &x, F);
  marker_acceleration(c, acc, s, F, A);
  double sum = x.bias;
  for (int e = 0; e < 6; e++) sum += x.gA[e] * A[e] + x.gB[e] * A[6 + e];
  return sum;
}

/* What the bend of a coupling's function adds, with c = sum f_ij s_i' and d = sum f_ij s_i'':
 *   d(G v)/dx += c_j g_j      d(G a + gamma)/dx += d_j g_j + 2 c_j d(s_j')/dx
 *   d(G a + gamma)/dV += 2 c_j g_j
 * Rows on velocities psi(s', s, t), with e_k the slopes in values of coordinates and c, d the rates of
 * the slopes in rates and in values:
 *   d(psi)/dx += e_k g_k      d(psi')/dx += d_k g_k + e_k d(s_k')/dx + c_j d(s_j')/dx
 *   d(psi')/dV += e_k g_k + c_j g_j */
static void add_bend(hk_bodies *c, const double *acc, int32_t i, hk_bodies_curve *row) {
  const hk_bodies_set *set = &c->set[i];
  const hk_coupling *of = set->coupling;
  const int32_t n = of->n, w = 2 * c->nd;
  double s[HK_COUPLED], sd[HK_COUPLED], sdd[HK_COUPLED], h[HK_COUPLED * HK_COUPLED];
  double e[HK_COUPLED] = {0}, ed[HK_COUPLED] = {0};
  hk_bodies_curve own[HK_COUPLED];
  hki_bodies_coupled(c, i, s, sd);
  for (int32_t p = 0; p < n; p++) sdd[p] = coordinate_curve(c, acc, set + p, &own[p]);
  if (set->rate_rows) {
    hki_coupling_shift(&c->it, of, s, sd, e);
    hki_coupling_slope_rates(&c->it, of, s, sd, sdd, ed);
  } else {
    hki_coupling_bend(&c->it, of, s, sd, h);
  }
  for (int32_t p = 0; p < n; p++) {
    hk_bodies_curve *out = &row[set->line0 + p];
    const double *g = c->plain + w * (set->line0 + p);
    // factors of g in vel_pose, acc_pose and acc_twist, and of d(s')/dx in acc_pose
    double a = e[p], b = 0.0, t = e[p], o = e[p];
    if (set->rate_rows && of->arg[p].rate)
      t = o = ed[p];
    else if (set->rate_rows)
      b = ed[p];
    for (int32_t q = 0; !set->rate_rows && q < n; q++)
      a += h[p * n + q] * sd[q], b += h[p * n + q] * sdd[q];
    if (!set->rate_rows) t = o = 2.0 * a;
    for (int32_t j = 0; j < w; j++) {
      out->vel_pose[j] += a * g[j];
      out->acc_pose[j] += b * g[j] + o * own[p].vel_pose[j];
      out->acc_twist[j] += t * g[j];
      out->own_pose[j] = own[p].vel_pose[j];
    }
  }
}

void hki_bodies_curvatures(hk_bodies *c, const double *acc, hk_bodies_curve *row) {
  memset(row, 0, (size_t)c->nlines * sizeof *row);
  for (int32_t i = 0; i < c->nset; i++)
    if (hki_bodies_active(c, &c->set[i])) set_rows(c, acc, &c->set[i], row);
  for (int32_t i = 0; c->m->nslope && i < c->nset; i++) {
    const hk_bodies_set *s = &c->set[i];
    const bool bends = s->coupling && !s->part && s->coupling->signal != HK_NONE;
    if (bends && hki_bodies_active(c, s)) add_bend(c, acc, i, row);
  }
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * support_joints.c: random cases for the property tests of the joints.
 */
#include "support_joints.h"

const double stencil_at[STENCIL] = {1.0, -1.0, 2.0, -2.0};
const double stencil_weight[STENCIL] = {8.0 / 12, -8.0 / 12, -1.0 / 12, 1.0 / 12};

static uint64_t state;

int32_t joint_cases(void) { return test_short() ? 10 : 60; }

void rnd_seed(uint64_t seed) { state = seed * 0x9E3779B97F4A7C15u + 0x1234567u; }

double rnd(double lo, double hi) {
  /* splitmix64 */
  uint64_t z = (state += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  z ^= z >> 31;
  return lo + (hi - lo) * ((double)(z >> 11) / 9007199254740992.0);
}

void rnd_vector(double *x, int32_t n, double size) {
  for (int32_t i = 0; i < n; i++) x[i] = rnd(-size, size);
}

/* rotation vector shorter than `size` */
static void rnd_turn(double *d, double size) {
  do rnd_vector(d, 3, size);
  while (v3_norm(d) > size);
}

static void rnd_frame(hk_frame *f) {
  double d[3];
  rnd_turn(d, 3.0);
  rot_exp(f->R, d);
  rnd_vector(f->p, 3, 2.0);
  rnd_vector(f->w, 3, 2.0);
  rnd_vector(f->v, 3, 2.0);
}

void joint_zero(const hk_joint_ops *ops, double *q) {
  for (int32_t i = 0; i < ops->nq; i++) q[i] = 0.0;
  if (ops->caps & HK_JOINT_QUATERNION) q[ops->nq - 4] = 1.0;
}

void frame_on_tree(const joint_case *c, const double *q, const double *v, hk_frame *B) {
  hk_joint_tree T;
  double V[6] = {0}, r[3], x[3];
  c->ops->tree(&c->par, q, v, &T);
  for (int32_t k = 0; k < c->ops->nv; k++) s6_axpy(V, v[k], T.S + 6 * k);
  m3_mul(B->R, c->A.R, T.R);
  m3_mulv(r, c->A.R, T.p);
  v3_add(B->p, c->A.p, r);
  m3_mulv(x, c->A.R, V);
  v3_add(B->w, c->A.w, x);
  m3_mulv(x, c->A.R, V + 3);
  v3_cross(B->v, c->A.w, r);
  v3_add(B->v, B->v, c->A.v);
  v3_add(B->v, B->v, x);
}

/* distance of B from the z axis of A */
static double across(const joint_case *c) {
  double d[3], z[3];
  v3_sub(d, c->B.p, c->A.p);
  m3_column(z, c->A.R, 2);
  v3_axpy(d, -v3_dot(d, z), z);
  return v3_norm(d);
}

void case_make(joint_case *c, const hk_joint_ops *ops, int32_t number, double off) {
  double xi[6], zero[8];
  rnd_seed(1000u + (uint64_t)number);
  memset(c, 0, sizeof *c);
  c->ops = ops;
  ck_assert_uint_le(ops->par_size, sizeof c->par);
  double psi = rnd(0.7, 2.4), any = rnd(-0.3, 0.3), positive = rnd(0.1, 2.0);
  joint_fill(ops, c->par, any, psi, (uint32_t)rnd(0.0, 64.0));
  for (const hk_param *p = ops->params; p->type != HK_P_END; p++)
    if (p->flags & HK_P_POSITIVE) joint_set(ops, c->par, p->name, positive);
  c->rows = hki_joint_rows(ops, &c->par);
  rnd_frame(&c->A);

  /* any relative pose when there is no motion of its own */
  if (ops->nv < 0) {
    rnd_frame(&c->B);
    rnd_turn(xi, 2.5);
    double R[9];
    rot_exp(R, xi);
    // a disc that does not lie flat, a blade that does not stand upright; a face across its curve
    while ((ops->caps & HK_JOINT_TWO_AXES) ? fabs(R[8]) > 0.9 : ops->pushes && R[8] < 0.7) {
      rnd_turn(xi, 2.5);
      rot_exp(R, xi);
    }
    m3_mul(c->B.R, c->A.R, R);
    // ends that are apart, also across z of A
    for (double x[3], d[3]; ops->place == HK_PLACE_ENDS;) {
      v3_sub(d, c->B.p, c->A.p);
      m3_tmulv(x, c->A.R, d);
      if (hypot(x[0], x[1]) > 1.2) break;
      rnd_vector(c->B.p, 3, 2.0);
    }
    // a follower outside its curve, away from centres of curvature
    while (ops->pushes && across(c) < 1.5) rnd_vector(c->B.p, 3, 2.0);
    return;
  }

  /* several turns (tilts: within half a turn) on the joint's own motion, then a little off */
  joint_zero(ops, zero);
  rnd_vector(c->q, ops->nv, ops->caps & HK_JOINT_TILTS ? 1.4 : 9.0);
  ops->plus(zero, c->q, c->q);
  rnd_vector(c->v, ops->nv, 2.0);
  frame_on_tree(c, c->q, c->v, &c->B);
  if (off > 0.0) {
    rnd_turn(xi, off);
    rnd_vector(xi + 3, 3, off);
    frame_add(&c->B, &c->B, xi, 1.0);
    rnd_vector(c->B.w, 3, 2.0);
    rnd_vector(c->B.v, 3, 2.0);
  }
}

void frame_add(hk_frame *out, const hk_frame *in, const double *xi, double eps) {
  double E[9], R[9], d[3];
  v3_scale(d, eps, xi);
  rot_exp(E, d);
  m3_mul(R, E, in->R);
  *out = *in;
  memcpy(out->R, R, sizeof R);
  v3_axpy(out->p, eps, xi + 3);
}

void frame_move(hk_frame *out, const hk_frame *in, double t) {
  double xi[6];
  v3_copy(xi, in->w);
  v3_copy(xi + 3, in->v);
  frame_add(out, in, xi, t);
}

void pair_add(const joint_case *c, int32_t j, double eps, hk_frame *A, hk_frame *B) {
  double xi[12] = {0};
  xi[j] = 1.0;
  frame_add(A, &c->A, xi, eps);
  frame_add(B, &c->B, xi + 6, eps);
}

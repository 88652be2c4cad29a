/* SPDX-License-Identifier: Apache-2.0
 *
 * rows_bias.c: derivatives of the acceleration bias gamma of rows and coordinates with respect to
 * the poses of both markers, at fixed twists. These are third derivatives of the rows; formulations
 * that differentiate the constraints at acceleration level need them for exact tangents. With tA,
 * tB rotations and pA, pB displacements of the markers:
 *
 *   position    gamma   = a . g
 *               d/dtA   = a x g
 *               d/dpB   = wA x (wA x a) = -d/dpA
 *   direction   gamma   = a . y(b)
 *               d/dtA   = a x y
 *               d/dtB   = b x (w x (w x a) + wAw x a)
 *   angle       gamma   = (c gn - n gc - 2 td (n nd + c cd))/r         product rule
 *   length      gamma   = (u . u - sd^2)/s
 *   log         gamma   = (dJ/dt) w - J (wA x w) in A axes (rotlog.h)
 *
 * Letters as in pair.h and rows.c. Derivatives with respect to the twists follow from
 * gamma = V' H V, with H the matrix of loop_geo.
 */
#include "joints/outline.h"
#include "joints/rows.h"

enum { TA = 0, PA = 3, TB = 6, PB = 9 };

/* a rotational scalar: value, gradient, rate, bias; derivatives of rate and bias by the rotations
 * of A and B */
typedef struct hk_flex {
  double s, m[3], sd, bias;
  double sdA[3], sdB[3], biasA[3], biasB[3];
} hk_flex;

static void add_terms(const hk_pair *P, const hk_term *t, int32_t n, hk_flex *out) {
  memset(out, 0, sizeof *out);
  for (; n > 0; n--, t++) {
    double m[3], x[3], y[3], f = t->weight;
    v3_cross(m, t->b, t->a);
    out->s += f * v3_dot(t->a, t->b);
    v3_axpy(out->m, f, m);
    out->sd += f * v3_dot(m, P->w);
    // rate: w . (b x a)
    v3_cross(x, P->w, t->b);
    v3_cross(y, t->a, x);
    v3_axpy(out->sdA, f, y);
    v3_cross(x, t->a, P->w);
    v3_cross(y, t->b, x);
    v3_axpy(out->sdB, f, y);
    // bias: a . (w x (w x b) + b x wAw)
    v3_cross(x, P->w, t->b);
    v3_cross(x, P->w, x);
    v3_cross_add(x, t->b, P->wAw);
    out->bias += f * v3_dot(t->a, x);
    v3_cross(y, t->a, x);
    v3_axpy(out->biasA, f, y);
    v3_cross(x, P->w, t->a);
    v3_cross(x, P->w, x);
    v3_cross_add(x, P->wAw, t->a);
    v3_cross(y, t->b, x);
    v3_axpy(out->biasB, f, y);
  }
}

/* Derivative of an angle's bias by the rotation of B (sign 1) or A (sign -1). dnd, dcd, dbn, dbc:
 * derivatives of the rates and biases of n and c by that rotation. */
static void angle_side(const hk_flex *n, const hk_flex *c, double sign, const double *dnd,
                       const double *dcd, const double *dbn, const double *dbc, double *out) {
  const double r = n->s * n->s + c->s * c->s, td = (c->s * n->sd - n->s * c->sd) / r;
  const double q = n->s * n->sd + c->s * c->sd;
  const double bias = (c->s * n->bias - n->s * c->bias - 2.0 * td * q) / r;
  for (int i = 0; i < 3; i++) {
    double dn = sign * n->m[i], dc = sign * c->m[i], dr = 2.0 * (n->s * dn + c->s * dc);
    double dtd = (dc * n->sd + c->s * dnd[i] - dn * c->sd - n->s * dcd[i] - td * dr) / r;
    double dq = dn * n->sd + n->s * dnd[i] + dc * c->sd + c->s * dcd[i];
    double dN =
        dc * n->bias + c->s * dbn[i] - dn * c->bias - n->s * dbc[i] - 2.0 * dtd * q - 2.0 * td * dq;
    out[i] = (dN - bias * dr) / r;
  }
}

/* d += f times the derivative of a rotational scalar's bias */
static void add_turn(hk_pair *P, uint8_t what, double f, double *d) {
  hk_terms T;
  hk_flex n, c;
  double A[3] = {0}, B[3] = {0};
  hki_pair_terms(P, what, &T);
  add_terms(P, T.num, T.n_num, &n);
  if (T.n_den == 0) {
    v3_copy(A, n.biasA);
    v3_copy(B, n.biasB);
  } else {
    add_terms(P, T.den, T.n_den, &c);
    if (!(n.s * n.s + c.s * c.s > HK_ANGLE_TINY)) return;
    angle_side(&n, &c, -1.0, n.sdA, c.sdA, n.biasA, c.biasA, A);
    angle_side(&n, &c, 1.0, n.sdB, c.sdB, n.biasB, c.biasB, B);
  }
  v3_axpy(d + TA, f, A);
  v3_axpy(d + TB, f, B);
}

static void add_position(const hk_pair *P, int k, double *d) {
  double a[3], x[3];
  m3_column(a, P->A->R, k);
  v3_cross(x, a, P->g);
  v3_add(d + TA, d + TA, x);
  v3_cross(x, P->A->w, a);
  v3_cross(x, P->A->w, x);
  v3_add(d + PB, d + PB, x);
  v3_sub(d + PA, d + PA, x);
}

static void add_length(const hk_pair *P, double *d) {
  double n[3], s = hki_pair_length(P, n);
  if (!(s > HK_LENGTH_TINY)) return;
  double sd = v3_dot(n, P->u), bias = (v3_dot(P->u, P->u) - sd * sd) / s;
  for (int i = 0; i < 3; i++) {
    double dsd = (P->u[i] - sd * n[i]) / s, e = (-2.0 * sd * dsd - bias * n[i]) / s;
    d[PB + i] += e;
    d[PA + i] -= e;
  }
}

/* component k of the rotation vector: derivative by rotations of A and of B about each axis of A */
static void add_log(hk_pair *P, int k, double *d) {
  double w[3], z[3], fd[3];
  hki_pair_axes(P);
  hki_pair_log(P);
  m3_tmulv(w, P->A->R, P->w);
  m3_tmulv(z, P->A->R, P->wAw);
  m3_mulv(fd, P->log.J, w);
  for (int side = 0; side < 2; side++)
    for (int i = 0; i < 3; i++) {
      double e[3] = {0}, df[3], dw[3] = {0}, dz[3] = {0}, dfd[3], x[3], y[3], sum;
      e[i] = 1.0;
      // a rotation of B changes f by J e, one of A by -J e; vectors in A axes rotate back with A
      m3_mulv(df, P->log.J, e);
      if (side == 0) {
        v3_scale(df, -1.0, df);
        v3_cross(dw, w, e);
        v3_cross(dz, z, e);
      }
      hki_rotlog_rate(&P->log, df, w, dfd);
      m3_mulv(x, P->log.J, dw);
      v3_add(dfd, dfd, x);
      hki_rotlog_bend(&P->log, df, fd, w, y);
      sum = y[k];
      hki_rotlog_rate(&P->log, dfd, w, y);
      sum += y[k];
      hki_rotlog_rate(&P->log, fd, dw, y);
      sum += y[k];
      hki_rotlog_rate(&P->log, df, z, y);
      sum -= y[k];
      m3_mulv(x, P->log.J, dz);
      sum -= x[k];
      v3_axpy(d + (side ? TB : TA), sum, P->a[i]);
    }
}

static void add_row(hk_pair *P, uint8_t what, double *d) {
  if (hki_scalar_touches(what)) {
    hki_contact_bias_geo(P, what, d);
    return;
  }
  switch (what) {
    case HK_S_X:
    case HK_S_Y:
    case HK_S_Z:
      add_position(P, what - HK_S_X, d);
      break;
    case HK_S_LOGX:
    case HK_S_LOGY:
    case HK_S_LOGZ:
      add_log(P, what - HK_S_LOGX, d);
      break;
    case HK_S_SCREW:
      add_position(P, 2, d);
      add_turn(P, HK_S_TWIST, -P->num[0], d);
      break;
    case HK_S_DISTANCE:
    case HK_S_LENGTH:
      add_length(P, d);
      break;
    case HK_S_RIM:
    case HK_S_SLIP_X:
    case HK_S_SLIP_Y:
      hki_rim_bias_geo(P, what == HK_S_RIM ? 2 : what - HK_S_SLIP_X, d);
      break;
    case HK_S_OUTLINE:
      hki_outline_bias_geo(P, d);
      break;
    default:
      add_turn(P, what, 1.0, d);
      break;
  }
}

/* a joint that a module brings: by differences of its own gamma */
static void own_bias_geo(const hk_joint_ops *ops, const void *par, const hk_frame *A,
                         const hk_frame *B, double *D) {
  const double h = 1e-6;
  for (int j = 0; j < 12; j++) {
    hk_joint_loop L[2];
    for (int k = 0; k < 2; k++) {
      hk_frame F[2] = {*A, *B};
      hki_frame_move(&F[j / 6], j % 6, k ? -h : h);
      ops->loop(par, &F[0], &F[1], HK_LOOP_ACC, &L[k]);
    }
    for (int32_t r = 0; r < ops->nc; r++)
      D[12 * r + j] = (L[0].gamma[r] - L[1].gamma[r]) / (2.0 * h);
  }
}

static void own_coord_bias_geo(const hk_joint_ops *ops, const void *par, int32_t k,
                               const hk_frame *A, const hk_frame *B, double *D) {
  const double h = 1e-6;
  for (int j = 0; j < 12; j++) {
    hk_joint_coord c[2];
    for (int i = 0; i < 2; i++) {
      hk_frame F[2] = {*A, *B};
      hki_frame_move(&F[j / 6], j % 6, i ? -h : h);
      ops->coord(par, k, &F[0], &F[1], 0.0, &c[i]);
    }
    D[j] = (c[0].bias - c[1].bias) / (2.0 * h);
  }
}

void hki_joint_bias_geo(const hk_joint_ops *ops, const void *par, const hk_frame *A,
                        const hk_frame *B, double *D) {
  hk_pair P;
  int32_t n = 0;
  if (ops->self) {
    own_bias_geo(ops, par, A, B, D);
    return;
  }
  hki_pair_begin(&P, par, A, B, HK_LOOP_ACC);
  const uint32_t there = hki_joint_present(ops, par);
  for (int32_t i = 0; i < ops->nc; i++) {
    if (!(there >> i & 1u)) continue;
    memset(D + 12 * n, 0, 12 * sizeof *D);
    add_row(&P, ops->rows[i], D + 12 * n++);
  }
}

void hki_joint_coord_bias_geo(const hk_joint_ops *ops, const void *par, int32_t k,
                              const hk_frame *A, const hk_frame *B, double *D) {
  hk_pair P;
  if (ops->self) {
    own_coord_bias_geo(ops, par, k, A, B, D);
    return;
  }
  hki_pair_begin(&P, par, A, B, HK_LOOP_ACC);
  memset(D, 0, 12 * sizeof *D);
  add_row(&P, ops->scalars[k], D);
}

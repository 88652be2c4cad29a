/* SPDX-License-Identifier: Apache-2.0
 *
 * rows.c: values, gradients and acceleration biases of the scalars of rows.h. Position scalars have
 * the gradients (a x d, -a) and (0, a); rotational ones (-m, 0) and (m, 0), with m = b x a for a
 * direction and, for an angle t = atan2(n, c) with r = n^2 + c^2,
 *   m = (c m_n - n m_c)/r,  td = m . w,  bias = (c bias_n - n bias_c - 2 td (n nd + c cd))/r.
 */
#include "joints/pair.h"

static const double two_pi = 6.28318530717958647692;

/* where one scalar is written */
typedef struct hk_row {
  double *s, *gA, *gB, *bias;
} hk_row;

/* value, gradient with respect to the rotation of B, bias */
typedef struct hk_turn {
  double s, m[3], bias;
} hk_turn;

/* --- rotational scalars --------------------------------------------------------------------- */

static void add_terms(const hk_pair *P, const hk_term *t, int32_t n, uint32_t need, hk_turn *out) {
  memset(out, 0, sizeof *out);
  for (; n > 0; n--, t++) {
    double x[3];
    out->s += t->weight * v3_dot(t->a, t->b);
    if (need & (HK_LOOP_JAC | HK_LOOP_ACC)) {
      v3_cross(x, t->b, t->a);
      v3_axpy(out->m, t->weight, x);
    }
    if (need & HK_LOOP_ACC) {
      /* w x (w x b) + b x (wA x w) */
      v3_cross(x, P->w, t->b);
      v3_cross(x, P->w, x);
      v3_cross_add(x, t->b, P->wAw);
      out->bias += t->weight * v3_dot(t->a, x);
    }
  }
}

/* t = atan2(n, c); without a value (both zero) all is zero */
static void angle(const hk_pair *P, const hk_turn *n, const hk_turn *c, uint32_t need,
                  hk_turn *out) {
  double r = n->s * n->s + c->s * c->s;
  memset(out, 0, sizeof *out);
  if (!(r > HK_ANGLE_TINY)) return;
  out->s = atan2(n->s, c->s);
  v3_axpy(out->m, c->s / r, n->m);
  v3_axpy(out->m, -n->s / r, c->m);
  if (need & HK_LOOP_ACC) {
    double nd = v3_dot(n->m, P->w), cd = v3_dot(c->m, P->w), td = v3_dot(out->m, P->w);
    out->bias = (c->s * n->bias - n->s * c->bias - 2.0 * td * (n->s * nd + c->s * cd)) / r;
  }
}

static void turn(hk_pair *P, uint8_t what, uint32_t need, hk_turn *out) {
  hk_terms T;
  hki_pair_terms(P, what, &T);
  if (T.n_den == 0) {
    add_terms(P, T.num, T.n_num, need, out);
  } else {
    hk_turn n, c;
    add_terms(P, T.num, T.n_num, need, &n);
    add_terms(P, T.den, T.n_den, need, &c);
    angle(P, &n, &c, need, out);
  }
}

static void put_turn(const hk_turn *t, uint32_t need, const hk_row *r) {
  *r->s = t->s;
  if (need & HK_LOOP_JAC) {
    s6_zero(r->gA);
    s6_zero(r->gB);
    v3_scale(r->gA, -1.0, t->m);
    v3_copy(r->gB, t->m);
  }
  if (need & HK_LOOP_ACC) *r->bias = t->bias;
}

/* the rotation vector: gradient J A', bias (dJ/dt) w - J (wA x w), all in A axes */
static void put_log(const hk_pair *P, const hk_rotlog *L, int k, uint32_t need, const hk_row *r) {
  hk_turn t = {.s = L->f[k]};
  const double *J = L->J + 3 * k;
  for (int i = 0; i < 3; i++) v3_axpy(t.m, J[i], P->a[i]);
  if (need & HK_LOOP_ACC) {
    double w[3], fd[3], y[3];
    for (int i = 0; i < 3; i++) w[i] = v3_dot(P->a[i], P->w);
    m3_mulv(fd, L->J, w);
    hki_rotlog_rate(L, fd, w, y);
    t.bias = y[k] - v3_dot(t.m, P->wAw);
  }
  put_turn(&t, need, r);
}

/* --- position scalars ----------------------------------------------------------------------- */

static inline void put_position(const hk_pair *P, int k, uint32_t need, const hk_row *r) {
  const double *a = P->a[k];
  *r->s = v3_dot(a, P->d);
  if (need & HK_LOOP_JAC) {
    v3_cross(r->gA, a, P->d);
    v3_scale(r->gA + 3, -1.0, a);
    v3_zero(r->gB);
    v3_copy(r->gB + 3, a);
  }
  if (need & HK_LOOP_ACC) *r->bias = v3_dot(a, P->g);
}

static void put_length(const hk_pair *P, uint32_t need, const hk_row *r) {
  double n[3], length = hki_pair_length(P, n);
  *r->s = length;
  if (need & HK_LOOP_JAC) {
    s6_zero(r->gA);
    s6_zero(r->gB);
    v3_scale(r->gA + 3, -1.0, n);
    v3_copy(r->gB + 3, n);
  }
  if (need & HK_LOOP_ACC) {
    double nu = v3_dot(n, P->u);
    *r->bias = length > HK_LENGTH_TINY ? (v3_dot(P->u, P->u) - nu * nu) / length : 0.0;
  }
}

/* z - lead (twist + 2 pi turns), in the turn where this is smallest */
static void put_screw(hk_pair *P, uint32_t need, const hk_row *r) {
  double lead = P->par->lead;
  hk_turn t;
  turn(P, HK_S_SCREW, need, &t);
  put_position(P, 2, need, r);
  *r->s -= lead * t.s;
  if (lead != 0.0) *r->s -= lead * two_pi * nearbyint(*r->s / (lead * two_pi));
  if (need & HK_LOOP_JAC) {
    v3_axpy(r->gA, lead, t.m);
    v3_axpy(r->gB, -lead, t.m);
  }
  if (need & HK_LOOP_ACC) *r->bias -= lead * t.bias;
}

/* --- any scalar ----------------------------------------------------------------------------- */

static void put(hk_pair *P, uint8_t what, const hk_rotlog *L, uint32_t need, const hk_row *r) {
  hk_turn t;
  switch (what) {
    case HK_S_X:
    case HK_S_Y:
    case HK_S_Z:
      put_position(P, what - HK_S_X, need, r);
      break;
    case HK_S_LOGX:
    case HK_S_LOGY:
    case HK_S_LOGZ:
      put_log(P, L, what - HK_S_LOGX, need, r);
      break;
    case HK_S_SCREW:
      put_screw(P, need, r);
      break;
    case HK_S_DISTANCE:
      put_length(P, need, r);
      *r->s -= P->par->length;
      break;
    case HK_S_LENGTH:
      put_length(P, need, r);
      break;
    default:
      turn(P, what, need, &t);
      if (what == HK_S_AXIS2) t.s -= P->par->cos_psi;
      put_turn(&t, need, r);
      break;
  }
}

static bool is_log(uint8_t what) { return what >= HK_S_LOGX && what <= HK_S_LOGZ; }

void hki_rows_loop(const uint8_t *rows, int32_t n, const hk_joint_par *par, const hk_frame *A,
                   const hk_frame *B, uint32_t need, hk_joint_loop *out) {
  hk_pair P;
  hk_rotlog L;
  double s;
  bool have_log = false;
  hki_pair_pose(&P, par, A, B);
  if (need & HK_LOOP_ACC) hki_pair_motion(&P, A, B);

  for (int32_t i = 0; i < n; i++) {
    /* the rotation vector is found once for its three rows */
    if (is_log(rows[i]) && !have_log) {
      hki_rotlog(&L, A->R, B->R);
      have_log = true;
    }
    hk_row r = {&s, out->GA + 6 * i, out->GB + 6 * i, out->gamma + i};
    put(&P, rows[i], &L, need, &r);
    if (need & HK_LOOP_POS) out->phi[i] = s;
  }
}

void hki_rows_coord(uint8_t what, const hk_joint_par *par, const hk_frame *A, const hk_frame *B,
                    double s_near, hk_joint_coord *out) {
  hk_pair P;
  hk_rotlog L;
  hki_pair_pose(&P, par, A, B);
  hki_pair_motion(&P, A, B);
  if (is_log(what)) hki_rotlog(&L, A->R, B->R);
  hk_row r = {&out->s, out->gA, out->gB, &out->bias};
  put(&P, what, &L, HK_LOOP_POS | HK_LOOP_JAC | HK_LOOP_ACC, &r);
  out->sd = v3_dot(out->gA, A->w) + v3_dot(out->gA + 3, A->v) + v3_dot(out->gB, B->w) +
            v3_dot(out->gB + 3, B->v);

  /* angles continue from turn to turn */
  if (what == HK_S_TWIST || what == HK_S_ANGLE_A || what == HK_S_ANGLE_B)
    out->s += two_pi * nearbyint((s_near - out->s) / two_pi);
}

void hki_rows_measure(const uint8_t *what, int32_t n, const hk_joint_par *par, const hk_frame *A,
                      const hk_frame *B, const double *q_near, double *q, double *v) {
  for (int32_t k = 0; k < n; k++) {
    hk_joint_coord c;
    hki_rows_coord(what[k], par, A, B, q_near ? q_near[k] : 0.0, &c);
    q[k] = c.s;
    v[k] = c.sd;
  }
}

const char *hki_scalar_name(uint8_t what) {
  static const char *const names[HK_S_COUNT] = {
      [HK_S_X] = "position along x",
      [HK_S_Y] = "position along y",
      [HK_S_Z] = "position along z",
      [HK_S_XZ] = "axis perpendicular to x",
      [HK_S_YZ] = "axis perpendicular to y",
      [HK_S_RX] = "rotation about x",
      [HK_S_RY] = "rotation about y",
      [HK_S_RZ] = "rotation about z",
      [HK_S_LOGX] = "rotation about x",
      [HK_S_LOGY] = "rotation about y",
      [HK_S_LOGZ] = "rotation about z",
      [HK_S_AXIS2] = "angle between axis and axis2",
      [HK_S_SCREW] = "position along z against angle",
      [HK_S_DISTANCE] = "distance",
      [HK_S_LENGTH] = "length",
      [HK_S_TWIST] = "angle about z",
      [HK_S_ANGLE_A] = "angle about axis",
      [HK_S_ANGLE_B] = "angle about axis2",
  };
  return what < HK_S_COUNT ? names[what] : "";
}
